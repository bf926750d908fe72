/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tape: records of any size, written at one end and read from the other, in chunks of memory that never
 * move. A regular command list keeps its tape and is read from the start at every execution; a stream's tape
 * is consumed, and its chunks go round.
 *
 * One writer and one reader at a time, which may be different threads: the owner publishes how many records
 * may be read. The tape knows of a record only its size.
 */
#ifndef LODE_DRIVER_TAPE_H
#define LODE_DRIVER_TAPE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RECORD_ALIGNMENT = 64 };

struct record {
    uint32_t size; /* with this header, a multiple of RECORD_ALIGNMENT; 0: go on in the next chunk */
};

struct chunk {
    struct chunk *next;
    size_t size; /* bytes of records */
    _Alignas(RECORD_ALIGNMENT) unsigned char records[];
};

struct tape {
    struct chunk *first;           /* where a reader that starts over starts */
    struct chunk *last;            /* being written */
    size_t used;                   /* bytes of `last` */
    _Atomic(struct chunk *) spare; /* read and done with, waiting to be written again */
};

/* A place between records. */
struct tape_position {
    struct chunk *chunk;
    size_t used;
};

/* Room for a record at the end, aligned, its size set, the rest not; NULL when out of memory. It counts as
 * written when the next one is asked for or the owner says so. */
void *tape_write(struct tape *tape, size_t size);
/* Takes the record just written back. */
void tape_unwrite(struct tape *tape, void *record);

struct tape_position tape_start(const struct tape *tape);
/* The record at a position, which moves behind it. There must be one. */
void *tape_read(struct tape_position *position);
/* What tape_consume would give, without moving. */
const void *tape_peek(const struct tape *tape, struct tape_position position);
/* The same as tape_read, and chunks that were read to their end are given back to the writer. */
void *tape_consume(struct tape *tape, struct tape_position *position);

/* Empties the tape; its memory is kept. */
void tape_rewind(struct tape *tape);
void tape_free(struct tape *tape);

#endif
