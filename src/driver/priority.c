/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list of claims. As long as all streams have the same priority, it stays empty, and a command costs two
 * loads.
 */
#define _GNU_SOURCE
#include "driver/priority.h"

#include <pthread.h>
#include <sched.h>

/* How long a command lets others go first. What they need to start is a CPU for their thread, which takes
 * microseconds unless the machine is overloaded; then it is better to go on. */
enum { LONGEST_NS = 10000000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct claim *claims;
static _Atomic uint32_t claims_of[LEVELS], streams_of[LEVELS];

static bool any_below(enum priority_level level) {
    uint32_t count = 0;
    for (int i = 0; i < (int)level; i++)
        count += atomic_load_explicit(&streams_of[i], memory_order_relaxed);
    return count != 0;
}

static bool any_claim_above(enum priority_level level) {
    uint32_t count = 0;
    for (int i = (int)level + 1; i < LEVELS; i++)
        count += atomic_load(&claims_of[i]);
    return count != 0;
}

void priority_join(struct claim *claim, enum priority_level level) {
    claim->level = level;
    atomic_fetch_add(&streams_of[level], 1);
}

void priority_leave(struct claim *claim) {
    atomic_fetch_sub(&streams_of[claim->level], 1);
}

static void make_claim(struct claim *claim, const struct wait *waits, uint32_t nwaits) {
    pthread_mutex_lock(&lock);
    claim->waits = waits;
    claim->nwaits = nwaits;
    if (!atomic_load(&claim->listed)) {
        atomic_store(&claim->listed, true);
        claim->next = claims;
        claims = claim;
        atomic_fetch_add(&claims_of[claim->level], 1);
    }
    pthread_mutex_unlock(&lock);
}

static void withdraw_claim(struct claim *claim) {
    pthread_mutex_lock(&lock);
    struct claim **link = &claims;
    while (*link && *link != claim)
        link = &(*link)->next;
    if (*link) {
        *link = claim->next;
        atomic_store(&claim->listed, false);
        atomic_fetch_sub(&claims_of[claim->level], 1);
    }
    pthread_mutex_unlock(&lock);
}

void priority_claim(struct claim *claim) {
    if (any_below(claim->level)) make_claim(claim, NULL, 0);
}

static bool are_complete(const struct wait *waits, uint32_t nwaits) {
    for (uint32_t i = 0; i < nwaits; i++)
        if (!wait_for(&waits[i], 0)) return false;
    return true;
}

static bool is_higher_ready(enum priority_level level) {
    bool ready = false;
    pthread_mutex_lock(&lock);
    for (const struct claim *claim = claims; claim && !ready; claim = claim->next)
        ready = claim->level > level && are_complete(claim->waits, claim->nwaits);
    pthread_mutex_unlock(&lock);
    return ready;
}

static void let_higher_start(enum priority_level level) {
    uint64_t until = device_clock() + LONGEST_NS;
    while (is_higher_ready(level) && device_clock() < until)
        sched_yield();
}

void priority_wait(struct claim *claim, const struct wait *waits, uint32_t nwaits) {
    if (any_below(claim->level)) make_claim(claim, waits, nwaits);
    for (uint32_t i = 0; i < nwaits; i++)
        wait_for(&waits[i], FOREVER);
    if (any_claim_above(claim->level)) let_higher_start(claim->level);
}

void priority_started(struct claim *claim) {
    if (atomic_load(&claim->listed)) withdraw_claim(claim);
}

void priority_after_fork(void) {
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    claims = NULL;
    for (int i = 0; i < LEVELS; i++)
        atomic_store(&claims_of[i], 0);
}
