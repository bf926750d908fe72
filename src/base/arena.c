/* SPDX-License-Identifier: Apache-2.0 */
/* Arenas: a list of chunks, each at least as large as all earlier ones together. */
#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 16 };

struct arena_chunk {
    struct arena_chunk *older;
    size_t size, used;
    _Alignas(ALIGNMENT) uint8_t bytes[];
};

static struct arena_chunk *add_chunk(struct arena *arena, size_t size) {
    size_t wanted = arena->newest ? 2 * arena->newest->size : 0;
    if (wanted < size) wanted = size;
    struct arena_chunk *chunk = malloc(sizeof *chunk + wanted);
    if (!chunk) return NULL;
    *chunk = (struct arena_chunk){.older = arena->newest, .size = wanted};
    arena->newest = chunk;
    return chunk;
}

void *arena_alloc(struct arena *arena, size_t size) {
    if (size > SIZE_MAX / 4) return NULL;
    size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    struct arena_chunk *chunk = arena->newest;
    if (!chunk || chunk->size - chunk->used < size) chunk = add_chunk(arena, size);
    if (!chunk) return NULL;
    void *block = chunk->bytes + chunk->used;
    chunk->used += size;
    return memset(block, 0, size);
}

void arena_splice(struct arena *to, struct arena *from) {
    struct arena_chunk **oldest = &from->newest;
    while (*oldest)
        oldest = &(*oldest)->older;
    *oldest = to->newest;
    to->newest = from->newest;
    from->newest = NULL;
}

void arena_free(struct arena *arena) {
    for (struct arena_chunk *chunk = arena->newest, *older; chunk; chunk = older) {
        older = chunk->older;
        free(chunk);
    }
    arena->newest = NULL;
}
