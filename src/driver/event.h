/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events and their pools.
 *
 * An ordinary event is a word in its pool. A counter-based event is a place on somebody's timeline: it says
 * "done" when that stream has got so far, and passes on to another place when another command signals it.
 * What waits for an event keeps a copy of the place, so the event may change or die meanwhile.
 */
#ifndef LODE_DRIVER_EVENT_H
#define LODE_DRIVER_EVENT_H

#include "driver/driver.h"
#include "driver/wait.h"

struct stream;

/* Start and end of the command that signalled an event. Nothing keeps two commands from signalling one event
 * at the same time: then its timestamps are of either. */
struct stamps {
    uint64_t start, end;
};
static inline void stamps_write(struct stamps *stamps, uint64_t start, uint64_t end) {
    __atomic_store_n(&stamps->start, start, __ATOMIC_RELAXED);
    __atomic_store_n(&stamps->end, end, __ATOMIC_RELAXED);
}
static inline struct stamps stamps_read(const struct stamps *stamps) {
    return (struct stamps){__atomic_load_n(&stamps->start, __ATOMIC_RELAXED),
                           __atomic_load_n(&stamps->end, __ATOMIC_RELAXED)};
}

/* What a pool holds for each event; in memory of several processes if the pool is shared. */
struct event_slot {
    _Alignas(64) word_t word;
    struct stamps stamps;
};

/* The timestamps of one signal of a counter-based event, held by the event and by the command. */
struct shared_stamps {
    _Atomic uint32_t holders;
    struct stamps stamps;
};

struct event_pool {
    struct object object;
    struct context *context;
    uint32_t count;
    ze_event_pool_flags_t flags;
    uint32_t counter_flags; /* not 0: its events are counter-based */
    int file;               /* -1 unless shared between processes */
    bool imported;
    size_t length; /* bytes of `slots` */
    struct event_slot *slots;
    _Atomic uint8_t *taken; /* one flag an event */
};

struct event {
    struct object object;
    struct context *context;
    struct event_pool *pool; /* NULL for a counter-based event made without one */
    struct event_slot *slot; /* NULL for counter-based events */
    uint32_t index;
    uint32_t counter_flags;
    bool shared, timed;
    ze_event_scope_flags_t signal_scope, wait_scope;

    /* The stream whose command will signal the event: who waits for it may help. A hint, NULL when unknown.
     */
    _Atomic(struct stream *) source;

    /* Counter-based: where it stands. Under `place_lock`. */
    atomic_flag place_lock;
    struct timeline *timeline; /* NULL: done */
    uint64_t value;
    struct shared_stamps *stamps;
};

/* Something to wait for: an ordinary event, or a place on a timeline. */
struct wait {
    word_t *word;              /* NULL for a timeline */
    struct timeline *timeline; /* NULL, too: nothing to wait for */
    uint64_t value;
    bool shared;
};

static inline struct event *to_event(ze_event_handle_t handle) {
    return object_is(handle, OBJECT_EVENT) ? (struct event *)handle : NULL;
}
static inline struct event_pool *to_event_pool(ze_event_pool_handle_t handle) {
    return object_is(handle, OBJECT_EVENT_POOL) ? (struct event_pool *)handle : NULL;
}
static inline bool event_is_counter_based(const struct event *event) {
    return event->counter_flags != 0;
}

/* What waiting for the event means right now. */
struct wait event_wait_point(struct event *event);
bool wait_for(const struct wait *wait, uint64_t timeout);

/* Moves a counter-based event to another place; `stamps` (may be NULL) gets another holder. */
void event_move(struct event *event, struct timeline *timeline, uint64_t value, struct shared_stamps *stamps);

/* Of a counter-based event; zeros if it took none. */
struct stamps event_last_stamps(struct event *event);
/* Of an ordinary event, which may be gone: its slot is never unmapped. */
void event_reset(struct event *event, struct event_slot *slot);
/* `like` gives count, flags and, for a pool of another process, the file, which it then owns. */
ze_result_t event_pool_new(struct context *context, const struct event_pool *like, struct event_pool **made);
/* Of which no event lives. */
void event_pool_free(struct event_pool *pool);

struct shared_stamps *stamps_new(void);
void stamps_release(struct shared_stamps *stamps);

#endif
