/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread pool. Loops that have work left are in a fixed table of slots; an idle worker looks through
 * the table, spins for a while on a counter that every new loop increments, and then sleeps on it.
 *
 * A slot belongs to one caller at a time (`owned`) and is joined by incrementing `inside` and then finding it
 * `open`. The caller closes it and waits until no worker is inside before it returns: a loop's context is on
 * its caller's stack.
 */
#define _GNU_SOURCE
#include "base/pool.h"
#include "base/futex.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    MAX_LOOPS = 32, /* when all slots are taken, further loops run in their caller alone */
    MAX_THREADS = 1024,
    SPIN_ROUNDS = 4000, /* about 100 us of pauses: longer than the gap between two launches of a network */
    PIECES_PER_THREAD = 4,
};

struct loop {
    _Alignas(64) _Atomic bool owned;
    _Atomic bool open;
    _Atomic uint32_t inside;
    _Atomic size_t next;
    size_t count, piece;
    pool_task task;
    void *context;
};

struct pool {
    int threads;
    _Alignas(64) _Atomic uint32_t epoch; /* changes when a loop opens */
    _Atomic uint32_t sleepers;
    struct loop loops[MAX_LOOPS];
};

static void loop_work(struct loop *loop) {
    for (;;) {
        size_t begin = atomic_fetch_add_explicit(&loop->next, loop->piece, memory_order_relaxed);
        if (begin >= loop->count) return;
        size_t left = loop->count - begin;
        loop->task(loop->context, begin, begin + (left < loop->piece ? left : loop->piece));
    }
}

/* Helps one loop, if it is open and has work left. */
static bool loop_join(struct loop *loop) {
    if (!atomic_load_explicit(&loop->open, memory_order_relaxed)) return false;
    atomic_fetch_add(&loop->inside, 1);
    bool joined = atomic_load(&loop->open) && atomic_load(&loop->next) < loop->count;
    if (joined) loop_work(loop);
    atomic_fetch_sub_explicit(&loop->inside, 1, memory_order_release);
    return joined;
}

static bool pool_help(struct pool *pool) {
    bool helped = false;
    for (int i = 0; i < MAX_LOOPS; i++)
        helped |= loop_join(&pool->loops[i]);
    return helped;
}

static void pool_idle(struct pool *pool, uint32_t epoch) {
    for (int i = 0; i < SPIN_ROUNDS; i++) {
        if (atomic_load_explicit(&pool->epoch, memory_order_acquire) != epoch) return;
        cpu_relax();
    }
    atomic_fetch_add(&pool->sleepers, 1);
    while (atomic_load(&pool->epoch) == epoch)
        futex_wait(&pool->epoch, epoch, NULL);
    atomic_fetch_sub(&pool->sleepers, 1);
}

static void *pool_worker(void *argument) {
    struct pool *pool = argument;
    for (;;) {
        uint32_t epoch = atomic_load(&pool->epoch);
        if (!pool_help(pool)) pool_idle(pool, epoch);
    }
    return NULL;
}

static struct loop *loop_take(struct pool *pool) {
    for (int i = 0; i < MAX_LOOPS; i++) {
        struct loop *loop = &pool->loops[i];
        if (!atomic_load_explicit(&loop->owned, memory_order_relaxed) && !atomic_exchange(&loop->owned, true))
            return loop;
    }
    return NULL;
}

static void loop_open(struct pool *pool, struct loop *loop) {
    atomic_store(&loop->next, 0);
    atomic_store(&loop->open, true);
    atomic_fetch_add(&pool->epoch, 1);
    if (atomic_load(&pool->sleepers)) futex_wake(&pool->epoch, pool->threads);
}

static void loop_close(struct loop *loop) {
    atomic_store(&loop->open, false);
    for (int spins = 0; atomic_load(&loop->inside); spins++) {
        if (spins < SPIN_ROUNDS)
            cpu_relax();
        else
            sched_yield();
    }
    atomic_store(&loop->owned, false);
}

static size_t piece_size(const struct pool *pool, size_t count, size_t grain) {
    size_t pieces = (size_t)pool->threads * PIECES_PER_THREAD;
    size_t piece = (count + pieces - 1) / pieces;
    if (grain < 1) grain = 1;
    return piece > grain ? piece : grain;
}

static void loop_run(struct pool *pool, struct loop *loop, size_t count, size_t piece, pool_task task,
                     void *context) {
    loop->count = count;
    loop->piece = piece;
    loop->task = task;
    loop->context = context;
    loop_open(pool, loop);
    loop_work(loop);
    loop_close(loop);
}

void pool_run(struct pool *pool, size_t count, size_t grain, pool_task task, void *context) {
    if (count == 0) return;
    size_t piece = piece_size(pool, count, grain);
    struct loop *loop = pool->threads > 1 && piece < count ? loop_take(pool) : NULL;
    if (loop)
        loop_run(pool, loop, count, piece, task, context);
    else
        task(context, 0, count);
}

/* Held while a pool_run_together loop runs: two at once would split the workers and deadlock. Ordinary loops
 * need no lock, because they end without waiting for more workers. */
static pthread_mutex_t together = PTHREAD_MUTEX_INITIALIZER;

void pool_run_together(struct pool *pool, size_t count, pool_task task, void *context) {
    if (count <= 1) {
        if (count) task(context, 0, 1);
        return;
    }
    pthread_mutex_lock(&together);
    struct loop *loop;
    while (!(loop = loop_take(pool)))
        sched_yield();
    loop_run(pool, loop, count, 1, task, context);
    pthread_mutex_unlock(&together);
}

int pool_threads(const struct pool *pool) {
    return pool->threads;
}

static int usable_cpus(void) {
#ifdef __linux__
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
#endif
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)online : 1;
}

static int wanted_threads(void) {
    const char *text = getenv("OMP_NUM_THREADS");
    long wanted = text ? strtol(text, NULL, 10) : 0;
    if (wanted < 1) wanted = usable_cpus();
    return wanted < MAX_THREADS ? (int)wanted : MAX_THREADS;
}

/* Starts as many workers as it can: a pool with fewer threads than requested still works. */
static void start_workers(struct pool *pool, int workers) {
    pthread_attr_t attr;
    if (pthread_attr_init(&attr)) return;
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_t thread;
    while (pool->threads <= workers && pthread_create(&thread, &attr, pool_worker, pool) == 0)
        pool->threads++;
    pthread_attr_destroy(&attr);
}

static struct pool the_pool = {.threads = 1};
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* fork() does not copy the workers: drop the parent's loops, and start new workers on next use. */
static void after_fork(void) {
    together = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    the_pool = (struct pool){.threads = 1};
    once = (pthread_once_t)PTHREAD_ONCE_INIT;
}

static void make_pool(void) {
    static bool registered;
    if (!registered) registered = pthread_atfork(NULL, NULL, after_fork) == 0;
    start_workers(&the_pool, wanted_threads() - 1);
}

struct pool *pool_default(void) {
    pthread_once(&once, make_pool);
    return &the_pool;
}

static int default_threads(void) {
    return pool_threads(pool_default());
}

static void default_run(size_t count, size_t grain, pool_task task, void *context) {
    pool_run(pool_default(), count, grain, task, context);
}

static void default_run_together(size_t count, pool_task task, void *context) {
    pool_run_together(pool_default(), count, task, context);
}

const struct pool_functions pool_functions = {default_threads, default_run, default_run_together};
