/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events and event pools.
 *
 * A regular event is a word in its pool. A counter-based event is a position on a timeline: it is complete
 * when that timeline has reached it, and moves when another command signals it. A waiter keeps a copy of the
 * position, so the event may move or be destroyed meanwhile.
 */
#ifndef LODE_DRIVER_EVENT_H
#define LODE_DRIVER_EVENT_H

#include "driver/driver.h"
#include "driver/wait.h"

struct stream;

/* Start and end of the command that signalled an event. If two commands signal one event at the same time,
 * the timestamps may be either's. */
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

/* Per-event data of a pool; in shared memory if the pool is shared between processes. */
struct event_slot {
    _Alignas(64) word_t word;
    struct stamps stamps;
};

/* Timestamps of one signal of a counter-based event, shared by the event and the command. */
struct shared_stamps {
    _Atomic uint32_t holders;
    struct stamps stamps;
};

struct event_pool {
    struct object object;
    struct context *context; /* held */
    uint32_t count;
    ze_event_pool_flags_t flags;
    uint32_t counter_flags; /* not 0: its events are counter-based */
    int file;               /* -1 unless shared between processes */
    bool imported;
    size_t length; /* bytes of `slots` */
    struct event_slot *slots;
    _Atomic uint8_t *taken; /* one flag per event */
};

struct event {
    struct object object;
    struct event_pool *pool; /* held; NULL for a counter-based event created without a pool */
    struct event_slot *slot; /* NULL for counter-based events */
    uint32_t index;
    uint32_t counter_flags;
    bool shared, timed;
    ze_event_scope_flags_t signal_scope, wait_scope;

    /* The stream whose command will signal the event, so that waiters can help run it. A hint; NULL if
     * unknown. */
    _Atomic(struct stream *) source;

    /* Counter-based: its position. Protected by `place_lock`. */
    atomic_flag place_lock;
    struct timeline *timeline; /* NULL: complete */
    uint64_t value;
    struct shared_stamps *stamps;
};

/* A wait: for a regular event, or for a value of a timeline. */
struct wait {
    word_t *word;              /* NULL for a timeline */
    struct timeline *timeline; /* NULL, and no word either: nothing to wait for */
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

/* The wait that the event stands for at this moment. */
struct wait event_wait_point(struct event *event);
bool wait_for(const struct wait *wait, uint64_t timeout);

/* Moves a counter-based event. Takes another reference to `stamps`, which may be NULL. */
void event_move(struct event *event, struct timeline *timeline, uint64_t value, struct shared_stamps *stamps);

/* Of a counter-based event; zeros if it has no timestamps. */
struct stamps event_last_stamps(struct event *event);
/* Of a regular event. The event may be destroyed; its slot is never unmapped. */
void event_reset(struct event *event, struct event_slot *slot);
/* `like` holds count and flags and, for a pool of another process, the file descriptor, which the pool then
 * owns. */
ze_result_t event_pool_new(struct context *context, const struct event_pool *like, struct event_pool **made);

struct shared_stamps *stamps_new(void);
void stamps_release(struct shared_stamps *stamps);

#endif
