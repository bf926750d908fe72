/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tape: records of any size, written at one end and read at the other, in chunks of memory that never move.
 * A regular command list keeps its tape and reads it from the start at every execution; a stream consumes its
 * tape and reuses the chunks.
 *
 * One writer and one reader at a time, possibly different threads: the owner publishes how many records may
 * be read. The tape knows only the size of a record.
 */
#ifndef LODE_DRIVER_TAPE_H
#define LODE_DRIVER_TAPE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RECORD_ALIGNMENT = 64 };

struct record {
    uint32_t size; /* including this header, a multiple of RECORD_ALIGNMENT; 0: continue in the next chunk */
};

struct chunk {
    struct chunk *next;
    size_t size; /* bytes of records */
    _Alignas(RECORD_ALIGNMENT) unsigned char records[];
};

struct tape {
    struct chunk *first;           /* where reading starts */
    struct chunk *last;            /* being written */
    size_t used;                   /* bytes of `last` */
    _Atomic(struct chunk *) spare; /* consumed, to be written again */
};

/* A place between records. */
struct tape_position {
    struct chunk *chunk;
    size_t used;
};

/* Room for a record at the end, aligned; only its size is set. NULL when out of memory. The record counts as
 * written once the next one is requested or the owner publishes it. */
void *tape_write(struct tape *tape, size_t size);
/* Removes the record just written. */
void tape_unwrite(struct tape *tape, void *record);

struct tape_position tape_start(const struct tape *tape);
/* Returns the record at a position and advances it. There must be one. */
void *tape_read(struct tape_position *position);
/* The record that tape_consume would return; does not advance. */
const void *tape_peek(const struct tape *tape, struct tape_position position);
/* Like tape_read, but returns finished chunks to the writer. */
void *tape_consume(struct tape *tape, struct tape_position *position);

/* Empties the tape and keeps its memory. */
void tape_rewind(struct tape *tape);
void tape_free(struct tape *tape);

#endif
