/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stream runs commands one after the other. Queues and immediate lists are each one stream; so streams wait
 * for each other's events without ever blocking each other.
 *
 * Commands are written to the stream's tape by its owner and run by whoever holds it: a worker thread, or a
 * thread that waits for the stream and helps itself. Streams are never freed, only handed to the next owner:
 * events may point to the timeline of one for ever. What is in flight while a process forks is the parent's:
 * the child's streams are idle.
 */
#ifndef LODE_DRIVER_STREAM_H
#define LODE_DRIVER_STREAM_H

#include "driver/command.h"

struct stream {
    /* The owner's side. */
    struct stream *next, *next_free;
    struct tape tape;
    bool synchronous; /* run by who submits */

    /* Shared. */
    _Alignas(64) _Atomic uint64_t published; /* commands written so far */
    _Alignas(64) _Atomic uint32_t holder;    /* bits of stream.c */

    /* The holder's side. */
    _Alignas(64) struct timeline timeline; /* commands completed */
    struct tape_position position;
};

struct stream *stream_new(bool synchronous);
/* Waits for its last command to be put away. */
void stream_delete(struct stream *stream);

/* Makes so many more commands of the tape visible, in the order they were written. */
static inline void stream_publish(struct stream *stream, uint64_t commands) {
    atomic_fetch_add(&stream->published, commands);
}
/* Has what was published run: by a worker, or at once if the stream is synchronous. */
void stream_start(struct stream *stream);
/* Waits until everything submitted so far is complete. */
bool stream_wait(struct stream *stream, uint64_t timeout);
/* Runs the stream's commands until there is nothing left to wait for, or to run. Does nothing if somebody
 * else runs them. */
void stream_help(struct stream *stream, const struct wait *until);

static inline uint64_t stream_published(const struct stream *stream) {
    return atomic_load_explicit(&stream->published, memory_order_relaxed);
}

/* How far all streams had been filled at one moment; freed with free(). NULL when out of memory. */
struct stream_marks;
struct stream_marks *streams_mark(void);
bool streams_passed(const struct stream_marks *marks);
void streams_wait_all(void);

#endif
