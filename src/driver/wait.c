/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spinning and sleeping.
 */
#define _GNU_SOURCE
#include "driver/wait.h"
#include "base/futex.h"
#include "driver/driver.h"
#include "driver/machine.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/prctl.h>

/* Longer than another thread needs to pick up and finish a small command; too short to waste noticeable CPU
 * time. */
enum { SPIN_NS = 30000, ROUNDS_PER_LOOK = 64 };

/* The kernel lets timeouts expire up to 50 us late, so that several threads wake at once. Sleeps with a
 * shorter timeout than this turn that off; for others it is less than 2 %. */
enum { PRECISE_NS = 10000000 };

struct spin spin_begin(uint64_t timeout) {
    uint64_t most = machine()->cpus > 1 ? SPIN_NS : 0;
    return (struct spin){.until = device_clock() + (timeout < most ? timeout : most)};
}

bool spin_on(struct spin *spin) {
    cpu_relax();
    return ++spin->rounds % ROUNDS_PER_LOOK || device_clock() < spin->until;
}

/* The time left of a timeout; *pointer is NULL if it is unlimited. False if it has expired. */
static bool time_left(uint64_t end, struct timespec *left, const struct timespec **pointer) {
    *pointer = NULL;
    if (end == FOREVER) return true;
    uint64_t now = device_clock();
    if (now >= end) return false;
    *left = (struct timespec){.tv_sec = (time_t)((end - now) / 1000000000),
                              .tv_nsec = (long)((end - now) % 1000000000)};
    *pointer = left;
    return true;
}

static uint64_t end_of(uint64_t timeout) {
    uint64_t now = device_clock();
    return timeout >= FOREVER - now ? FOREVER : now + timeout;
}

/* Returns the thread's setting, for end_precision. */
static int begin_precision(uint64_t timeout) {
    if (timeout >= PRECISE_NS) return -1;
    int slack = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
    prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
    return slack;
}

static void end_precision(int slack) {
    if (slack >= 0) prctl(PR_SET_TIMERSLACK, slack, 0, 0, 0);
}

void word_set(word_t *word, bool shared) {
    uint32_t old = atomic_exchange(word, WORD_SET);
    if (!(old & WORD_SLEEPERS)) return;
    if (shared)
        futex_wake_shared(word, INT_MAX);
    else
        futex_wake(word, INT_MAX);
}

static bool word_sleep(word_t *word, bool shared, uint64_t end) {
    struct timespec left;
    const struct timespec *timeout;
    uint32_t seen = atomic_load(word);
    while (!(seen & WORD_SET)) {
        if (!(seen & WORD_SLEEPERS) && !atomic_compare_exchange_weak(word, &seen, seen | WORD_SLEEPERS))
            continue;
        if (!time_left(end, &left, &timeout)) return false;
        if (shared)
            futex_wait_shared(word, WORD_SLEEPERS, timeout);
        else
            futex_wait(word, WORD_SLEEPERS, timeout);
        seen = atomic_load(word);
    }
    return true;
}

bool word_wait(word_t *word, bool shared, uint64_t timeout) {
    if (word_is_set(word)) return true;
    if (timeout == 0) return false;
    uint64_t end = end_of(timeout);
    for (struct spin spin = spin_begin(timeout); spin_on(&spin);)
        if (word_is_set(word)) return true;
    int slack = begin_precision(timeout);
    bool set = word_sleep(word, shared, end);
    end_precision(slack);
    return set;
}

static pthread_mutex_t timelines_lock = PTHREAD_MUTEX_INITIALIZER;
static struct timeline *free_timelines;

struct timeline *timeline_new(void) {
    pthread_mutex_lock(&timelines_lock);
    struct timeline *timeline = free_timelines;
    if (timeline) free_timelines = timeline->next_free;
    pthread_mutex_unlock(&timelines_lock);
    return timeline ? timeline : calloc(1, sizeof *timeline);
}

void timeline_delete(struct timeline *timeline) {
    if (!timeline) return;
    pthread_mutex_lock(&timelines_lock);
    timeline->next_free = free_timelines;
    free_timelines = timeline;
    pthread_mutex_unlock(&timelines_lock);
}

/* Sleepers are woken once, by the value that the first of them waits for: waking them for each of many
 * commands would take a CPU from these. */
void timeline_reach(struct timeline *timeline, uint64_t value) {
    atomic_store(&timeline->reached, value);
    if (value < atomic_load(&timeline->wanted)) return;
    atomic_store(&timeline->wanted, NOTHING_WANTED);
    atomic_fetch_add(&timeline->turn, 1);
    futex_wake(&timeline->turn, INT_MAX);
}

static void timeline_want(struct timeline *timeline, uint64_t value) {
    uint64_t wanted = atomic_load(&timeline->wanted);
    while (value < wanted && !atomic_compare_exchange_weak(&timeline->wanted, &wanted, value))
        continue;
}

static bool timeline_sleep(struct timeline *timeline, uint64_t value, uint64_t end) {
    struct timespec left;
    const struct timespec *timeout;
    for (;;) {
        uint32_t turn = atomic_load(&timeline->turn); /* before `wanted`, which is reset before it changes */
        timeline_want(timeline, value);
        if (atomic_load(&timeline->reached) >= value) return true;
        if (!time_left(end, &left, &timeout)) return false;
        futex_wait(&timeline->turn, turn, timeout);
    }
}

bool timeline_wait(struct timeline *timeline, uint64_t value, uint64_t timeout) {
    if (timeline_has(timeline, value)) return true;
    if (timeout == 0) return false;
    uint64_t end = end_of(timeout);
    for (struct spin spin = spin_begin(timeout); spin_on(&spin);)
        if (timeline_has(timeline, value)) return true;
    int slack = begin_precision(timeout);
    bool reached = timeline_sleep(timeline, value, end);
    end_precision(slack);
    return reached;
}
