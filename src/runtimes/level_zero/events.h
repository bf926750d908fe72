/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The events of a stream. They come from pools that grow, and go round: the oldest one is used again once the
 * execution that it belongs to is complete and LZ_EVENTS_KEPT younger ones have been given out. So memory is
 * bound by what is in flight, and a handle that a user got stays valid until the stream ends; what it stands
 * for changes only after so many executions.
 *
 * Events recorded on a regular list are never used again: the list may run at any time.
 */
#ifndef LODE_RUNTIMES_LEVEL_ZERO_EVENTS_H
#define LODE_RUNTIMES_LEVEL_ZERO_EVENTS_H

#include "runtimes/level_zero/loader.h"

/* oneDNN's own runtime has so many events a stream and none after that: no program that runs on it can see an
 * event change its meaning. */
enum { LZ_EVENTS_KEPT = 16384 };

struct lz_device;
struct lz_stream;

struct lz_event {
    ze_event_handle_t handle;
    struct lz_event *next; /* younger */
    struct lz_event *last; /* of the same execution, signalled after this one */
    int entry;             /* of the stream's profile, or -1: no time to be read */
};

struct lz_event_pool;

struct lz_events {
    struct lz_event_pool *pools;
    struct lz_event *unused;          /* never given out */
    struct lz_event *oldest, *newest; /* given out */
    size_t given;
};

/* Takes the events of one execution, reset, in the order in which they will be signalled. The others follow
 * the first one as `next`, up to the newest of the stream. With count 0 *first is NULL. */
ze_result_t lz_events_take(struct lz_stream *stream, size_t count, struct lz_event **first);
/* Nothing will signal the events that were taken last, from `first` (or NULL) on: the execution could not be
 * submitted. */
void lz_events_abandon(struct lz_stream *stream, struct lz_event *first);
void lz_events_free(struct lz_stream *stream);

#endif
