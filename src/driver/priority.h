/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is ready on a stream of higher priority starts before what is ready on one of lower priority. What has
 * started is not interrupted, and streams of one priority do not wait for each other.
 *
 * While lower streams exist, a stream has a claim from the moment when it gets a command until that starts.
 */
#ifndef LODE_DRIVER_PRIORITY_H
#define LODE_DRIVER_PRIORITY_H

#include "driver/event.h"

enum priority_level { LEVEL_LOW, LEVEL_NORMAL, LEVEL_HIGH, LEVELS };

struct claim {
    enum priority_level level;
    /* Protected by the lock of priority.c. */
    struct claim *next;
    const struct wait *waits; /* the command is ready when these are complete */
    uint32_t nwaits;
    _Atomic bool listed; /* readable without the lock */
};

/* A stream of that level begins or ends. */
void priority_join(struct claim *claim, enum priority_level level);
void priority_leave(struct claim *claim);

/* The stream has a command that is next, but has not been looked at. */
void priority_claim(struct claim *claim);

/* Waits for `waits`, and then until nothing higher is ready. The command then starts: priority_started. */
void priority_wait(struct claim *claim, const struct wait *waits, uint32_t nwaits);
void priority_started(struct claim *claim);

/* The child has no claims; the caller clears `listed` of every stream. */
void priority_after_fork(void);

#endif
