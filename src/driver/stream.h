/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stream runs commands in order. Every queue and every immediate list is one stream, so streams wait for
 * each other's events without blocking each other.
 *
 * The owner writes commands to the stream's tape; the holder runs them: a worker thread, or a thread that
 * waits for the stream. Streams are never freed, only reused, since events may point to their timelines.
 * After fork, the child's streams are idle: commands in flight belong to the parent.
 */
#ifndef LODE_DRIVER_STREAM_H
#define LODE_DRIVER_STREAM_H

#include "driver/command.h"
#include "driver/priority.h"

struct stream {
    /* Used by the owner. */
    struct stream *next, *next_free;
    struct tape tape;
    bool synchronous; /* the submitting thread runs its commands */

    /* Shared. */
    _Alignas(64) _Atomic uint64_t published; /* commands written so far */
    _Alignas(64) _Atomic uint32_t holder;    /* flags of stream.c */

    /* Used by the holder. */
    _Alignas(64) struct timeline timeline; /* commands completed */
    struct tape_position position;
    struct claim claim;
};

/* As a queue's descriptor says. */
struct stream *stream_new(const ze_command_queue_desc_t *desc);
/* Waits until its last command has retired. */
void stream_delete(struct stream *stream);

/* Publishes that many more commands of the tape, in the order written. */
void stream_publish(struct stream *stream, uint64_t commands);
/* Starts published commands: in a worker, or in this thread if the stream is synchronous. */
void stream_start(struct stream *stream);
/* Waits until everything submitted so far is complete. */
bool stream_wait(struct stream *stream, uint64_t timeout);
/* Runs the stream's commands until `until` is complete or none is left that can run. Does nothing if another
 * thread runs them. */
void stream_help(struct stream *stream, const struct wait *until);

static inline uint64_t stream_published(const struct stream *stream) {
    return atomic_load_explicit(&stream->published, memory_order_relaxed);
}

/* Has every command that was published completed? */
bool streams_are_idle(void);

/* How many commands each stream had been given at one moment; freed with free(). NULL when out of memory. */
struct stream_marks;
struct stream_marks *streams_mark(void);
bool streams_passed(const struct stream_marks *marks);
void streams_wait_all(void);

#endif
