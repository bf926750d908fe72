/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread pool. Loops that have work left are in a fixed table of slots; an idle worker looks through
 * the table, spins for a while on a counter that every new loop increments, and then sleeps on it. Whoever
 * spins gives way to other threads of the machine now and then.
 *
 * A slot belongs to one caller at a time (`owned`) and is joined by incrementing `inside` and then finding it
 * `open`, with room in its team. The caller closes it and waits until no worker is inside before it returns:
 * a loop's context is on its caller's stack.
 *
 * There are as many workers as the largest team needed so far.
 */
#define _GNU_SOURCE
#include "base/pool.h"
#include "base/futex.h"
#include "base/team.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <strings.h>

enum {
    MAX_LOOPS = 32,     /* when all slots are taken, further loops run in their caller alone */
    SPIN_ROUNDS = 4000, /* about 100 us of pauses: longer than the gap between two launches of a network */
    ROUNDS_PER_YIELD = 400,
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
    struct team team;
};

struct pool {
    pthread_mutex_t growing;
    _Atomic int workers;
    int spin_rounds;
    _Alignas(64) _Atomic uint32_t epoch; /* changes when a loop opens */
    _Atomic uint32_t sleepers;
    struct loop loops[MAX_LOOPS];
};

/* The team of the loop that this worker is in: loops inside of it have the same. */
static _Thread_local const struct team *inside_team;
static _Thread_local const struct pool_guest *guest; /* of this thread's loops */

static const struct team *current_team(void) {
    return inside_team ? inside_team : team_current();
}

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
    uint32_t others = atomic_fetch_add(&loop->inside, 1);
    bool joined = atomic_load(&loop->open) && atomic_load(&loop->next) < loop->count
                  && (int)others + 1 < loop->team.threads;
    if (joined) {
        team_join(&loop->team);
        inside_team = &loop->team;
        loop_work(loop);
        inside_team = NULL;
    }
    atomic_fetch_sub_explicit(&loop->inside, 1, memory_order_release);
    return joined;
}

static bool pool_help(struct pool *pool) {
    bool helped = false;
    for (int i = 0; i < MAX_LOOPS; i++)
        helped |= loop_join(&pool->loops[i]);
    return helped;
}

static void relax(int round) {
    if (round % ROUNDS_PER_YIELD == ROUNDS_PER_YIELD - 1)
        sched_yield();
    else
        cpu_relax();
}

static void pool_idle(struct pool *pool, uint32_t epoch) {
    for (int i = 0; i < pool->spin_rounds; i++) {
        if (atomic_load_explicit(&pool->epoch, memory_order_acquire) != epoch) return;
        relax(i);
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
    if (atomic_load(&pool->sleepers)) futex_wake(&pool->epoch, loop->team.threads - 1);
}

static void loop_close(struct loop *loop) {
    atomic_store(&loop->open, false);
    for (int round = 0; atomic_load(&loop->inside); round++)
        relax(round);
    atomic_store(&loop->owned, false);
}

/* Starts workers until a team of `threads` fits. Fewer than requested still work. */
static void pool_grow(struct pool *pool, int threads) {
    pthread_attr_t attr;
    if (atomic_load_explicit(&pool->workers, memory_order_relaxed) >= threads - 1) return;
    if (pthread_attr_init(&attr)) return;
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_t thread;
    pthread_mutex_lock(&pool->growing);
    while (pool->workers < threads - 1 && pthread_create(&thread, &attr, pool_worker, pool) == 0)
        pool->workers++;
    pthread_mutex_unlock(&pool->growing);
    pthread_attr_destroy(&attr);
}

static size_t piece_size(size_t threads, size_t count, size_t grain) {
    size_t pieces = threads * PIECES_PER_THREAD;
    size_t piece = (count + pieces - 1) / pieces;
    if (grain < 1) grain = 1;
    return piece > grain ? piece : grain;
}

static void loop_run(struct pool *pool, struct loop *loop, const struct team *team, size_t count,
                     size_t piece, pool_task task, void *context) {
    loop->count = count;
    loop->piece = piece;
    loop->task = task;
    loop->context = context;
    loop->team = *team;
    loop_open(pool, loop);
    loop_work(loop);
    loop_close(loop);
}

/* A loop on lent threads: each part takes pieces until none is left. */
struct guest_loop {
    struct loop loop;
    _Atomic uint32_t left; /* parts that have not ended */
};

static void guest_part(void *context) {
    struct guest_loop *g = context;
    loop_work(&g->loop);
    if (atomic_fetch_sub(&g->left, 1) == 1) futex_wake(&g->left, 1);
}

/* The guest's threads may run parts after guest->run has returned. */
static void guest_run(size_t count, size_t grain, pool_task task, void *context) {
    int threads = guest->threads(guest->object);
    size_t piece = piece_size((size_t)(threads > 0 ? threads : 1), count, grain);
    size_t parts = (count + piece - 1) / piece;
    if (threads <= 1 || parts <= 1) {
        task(context, 0, count);
        return;
    }
    if (parts > (size_t)threads) parts = (size_t)threads;
    struct guest_loop g = {.loop = {.count = count, .piece = piece, .task = task, .context = context},
                           .left = (uint32_t)parts};
    guest->run(guest->object, (int)parts, guest_part, &g);
    for (uint32_t left; (left = atomic_load(&g.left));)
        futex_wait(&g.left, left, NULL);
}

const struct pool_guest *pool_borrow(const struct pool_guest *lent) {
    const struct pool_guest *before = guest;
    guest = lent;
    return before;
}

void pool_run(struct pool *pool, size_t count, size_t grain, pool_task task, void *context) {
    if (count == 0) return;
    if (guest) {
        guest_run(count, grain, task, context);
        return;
    }
    const struct team *team = current_team();
    size_t piece = piece_size((size_t)team->threads, count, grain);
    struct loop *loop = team->threads > 1 && piece < count ? loop_take(pool) : NULL;
    if (!loop) {
        task(context, 0, count);
        return;
    }
    pool_grow(pool, team->threads);
    loop_run(pool, loop, team, count, piece, task, context);
}

/* Held while a pool_run_together loop runs: two at once would split the workers and deadlock. Ordinary loops
 * need no lock, because they end without waiting for more workers. */
static pthread_mutex_t together = PTHREAD_MUTEX_INITIALIZER;

void pool_run_together(struct pool *pool, size_t count, pool_task task, void *context) {
    if (count <= 1) {
        if (count) task(context, 0, 1);
        return;
    }
    struct team team = *current_team();
    team.threads = (int)count;
    pthread_mutex_lock(&together);
    pool_grow(pool, team.threads);
    struct loop *loop;
    while (!(loop = loop_take(pool)))
        sched_yield();
    loop_run(pool, loop, &team, count, 1, task, context);
    pthread_mutex_unlock(&together);
}

int pool_threads(struct pool *pool) {
    if (guest) return guest->threads(guest->object);
    int threads = current_team()->threads;
    pool_grow(pool, threads);
    int most = atomic_load(&pool->workers) + 1;
    return threads < most ? threads : most;
}

static struct pool the_pool = {.growing = PTHREAD_MUTEX_INITIALIZER, .spin_rounds = SPIN_ROUNDS};
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* fork() does not copy the workers: drop the parent's loops, and start new workers when they are needed. */
static void after_fork(void) {
    together = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    the_pool = (struct pool){.growing = PTHREAD_MUTEX_INITIALIZER, .spin_rounds = the_pool.spin_rounds};
    inside_team = NULL;
}

static void make_pool(void) {
    const char *policy = getenv("OMP_WAIT_POLICY");
    if (policy && !strcasecmp(policy, "passive")) the_pool.spin_rounds = 0;
    pthread_atfork(NULL, NULL, after_fork);
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
