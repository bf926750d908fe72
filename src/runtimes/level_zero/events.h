/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The events of a stream. They come from growing pools and are reused: the oldest one is taken again once its
 * execution is complete and LZ_EVENTS_KEPT newer ones have been given out. So memory is bounded by the number
 * of executions in flight, and a handle returned to a user stays valid until the stream ends; it refers to
 * another execution only after LZ_EVENTS_KEPT newer events.
 *
 * Events recorded on a regular list are never reused: the list may run at any time.
 */
#ifndef LODE_RUNTIMES_LEVEL_ZERO_EVENTS_H
#define LODE_RUNTIMES_LEVEL_ZERO_EVENTS_H

#include "runtimes/level_zero/loader.h"

/* oneDNN's own runtime has this many events per stream, and none after that. So a program that runs on oneDNN
 * never sees an event reused here. */
enum { LZ_EVENTS_KEPT = 16384 };

struct lz_device;
struct lz_stream;

struct lz_event {
    ze_event_handle_t handle;
    struct lz_event *next; /* the next newer one */
    struct lz_event *last; /* the last event of the same execution */
    int entry;             /* in the stream's profile; -1: not profiled */
};

struct lz_event_pool;

struct lz_events {
    struct lz_event_pool *pools;
    struct lz_event *unused;          /* never given out */
    struct lz_event *oldest, *newest; /* given out */
    size_t given;
};

/* Takes the events of one execution, reset, in the order in which they will be signalled. *first is the
 * first; the others follow through `next`, up to the newest of the stream. With count 0, *first is NULL. */
ze_result_t lz_events_take(struct lz_stream *stream, size_t count, struct lz_event **first);
/* The execution could not be submitted: nothing will signal its events, which are those from `first` (or
 * NULL) to the newest. */
void lz_events_abandon(struct lz_stream *stream, struct lz_event *first);
void lz_events_free(struct lz_stream *stream);

#endif
