/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The chunks of tape.h. Every chunk ends with room for the header that means "continue in the next chunk".
 */
#include "driver/tape.h"

#include <stdlib.h>

enum { CHUNK_SIZE = (64 << 10) - 64, END_SIZE = sizeof(struct record) };

static struct chunk *chunk_new(size_t record) {
    size_t size = record + END_SIZE > CHUNK_SIZE ? record + END_SIZE : CHUNK_SIZE;
    size_t bytes = (sizeof(struct chunk) + size + RECORD_ALIGNMENT - 1) & ~(size_t)(RECORD_ALIGNMENT - 1);
    struct chunk *chunk = aligned_alloc(RECORD_ALIGNMENT, bytes);
    if (chunk) *chunk = (struct chunk){.size = size};
    return chunk;
}

/* The chunk to write next: a spare one, or new. */
static struct chunk *next_chunk(struct tape *tape, size_t record) {
    struct chunk *chunk = tape->last ? tape->last->next : NULL;
    if (chunk && chunk->size >= record + END_SIZE) return chunk;
    struct chunk *after = chunk;
    chunk = atomic_exchange(&tape->spare, NULL);
    if (chunk && chunk->size < record + END_SIZE) {
        free(chunk);
        chunk = NULL;
    }
    if (!chunk) chunk = chunk_new(record);
    if (chunk) chunk->next = after;
    return chunk;
}

static bool tape_extend(struct tape *tape, size_t record) {
    struct chunk *chunk = next_chunk(tape, record);
    if (!chunk) return false;
    if (tape->last) {
        tape->last->next = chunk;
        ((struct record *)(tape->last->records + tape->used))->size = 0;
    } else
        tape->first = chunk;
    tape->last = chunk;
    tape->used = 0;
    return true;
}

void *tape_write(struct tape *tape, size_t size) {
    size = (size + RECORD_ALIGNMENT - 1) & ~(size_t)(RECORD_ALIGNMENT - 1);
    if (size > UINT32_MAX) return NULL;
    if (!tape->last || tape->used + size + END_SIZE > tape->last->size)
        if (!tape_extend(tape, size)) return NULL;
    struct record *record = (struct record *)(tape->last->records + tape->used);
    record->size = (uint32_t)size;
    tape->used += size;
    return record;
}

void tape_unwrite(struct tape *tape, void *record) {
    tape->used -= ((struct record *)record)->size;
}

struct tape_position tape_start(const struct tape *tape) {
    return (struct tape_position){.chunk = tape->first};
}

void *tape_read(struct tape_position *position) {
    struct record *record = (struct record *)(position->chunk->records + position->used);
    if (record->size == 0) {
        *position = (struct tape_position){.chunk = position->chunk->next};
        record = (struct record *)position->chunk->records;
    }
    position->used += record->size;
    return record;
}

const void *tape_peek(const struct tape *tape, struct tape_position position) {
    if (!position.chunk) position = tape_start(tape);
    return tape_read(&position);
}

void *tape_consume(struct tape *tape, struct tape_position *position) {
    if (!position->chunk) *position = tape_start(tape);
    struct chunk *chunk = position->chunk;
    void *record = tape_read(position);
    if (position->chunk != chunk) free(atomic_exchange(&tape->spare, chunk));
    return record;
}

void tape_rewind(struct tape *tape) {
    tape->last = tape->first;
    tape->used = 0;
}

void tape_free(struct tape *tape) {
    for (struct chunk *chunk = tape->first; chunk;) {
        struct chunk *next = chunk->next;
        free(chunk);
        chunk = next;
    }
    free(atomic_exchange(&tape->spare, NULL));
    *tape = (struct tape){0};
}
