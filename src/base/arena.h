/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An arena: many small blocks that are freed together. Blocks are zeroed, aligned to 16 bytes, and stay where
 * they are until the arena is freed. Zeroed: empty. Not thread-safe.
 */
#ifndef LODE_BASE_ARENA_H
#define LODE_BASE_ARENA_H

#include <stddef.h>

struct arena_chunk;
struct arena {
    struct arena_chunk *newest;
};

/* NULL: out of memory. */
void *arena_alloc(struct arena *arena, size_t size);
/* Moves all blocks of `from` to `to`. */
void arena_splice(struct arena *to, struct arena *from);
void arena_free(struct arena *arena);

#endif
