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
 *
 * The iterations of a loop are divided into as many shares as its team has threads, and each thread begins
 * with the share of its number: loops of the same length that follow each other give a thread the same part
 * of the data, which may still be in its caches. Whoever has finished its share helps with the others. Pieces
 * get smaller towards the end of a share, so that threads finish at nearly the same time.
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
    PIECES_OF_REST = 4,
    MAX_SHARES = 16, /* with more threads, several have the same one */
};

/* Consecutive iterations, of which `taken` have been: the first ones, or in a loop that runs backwards the
 * last ones. */
struct share {
    _Alignas(64) _Atomic size_t taken;
    size_t begin, count;
};

/* What a loop runs. */
struct work {
    size_t count, grain; /* pieces are whole grains */
    pool_task task;
    void *context;
    bool backwards; /* each thread begins with the last piece of its share */
    bool singly;    /* every piece is one grain */
};

struct loop {
    _Alignas(64) _Atomic bool owned;
    _Atomic bool open;
    _Atomic uint32_t inside;
    int shares;
    struct work work;
    struct team team;
    struct share share[MAX_SHARES];
};

struct pool {
    pthread_mutex_t growing;
    _Atomic int workers, started; /* `started` numbers them */
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

static bool share_is_done(struct share *share) {
    return atomic_load_explicit(&share->taken, memory_order_relaxed) >= share->count;
}

static size_t grains_of(const struct work *work, size_t count) {
    return (count + work->grain - 1) / work->grain;
}

/* Takes a piece of what is left of a share: its size, 0 if nothing is left. */
static size_t share_take(const struct work *work, struct share *share, size_t *taken) {
    *taken = atomic_load_explicit(&share->taken, memory_order_relaxed);
    while (*taken < share->count) {
        const size_t left = share->count - *taken, parts = work->singly ? left : PIECES_OF_REST;
        const size_t grains = (grains_of(work, left) + parts - 1) / parts, whole = grains * work->grain;
        const size_t size = left < whole ? left : whole;
        if (atomic_compare_exchange_weak_explicit(&share->taken, taken, *taken + size, memory_order_relaxed,
                                                  memory_order_relaxed))
            return size;
    }
    return 0;
}

static void share_work(const struct work *work, struct share *share) {
    size_t taken, size;
    while ((size = share_take(work, share, &taken))) {
        const size_t begin = share->begin + (work->backwards ? share->count - taken - size : taken);
        work->task(work->context, begin, begin + size);
    }
}

/* The part of the thread with this number: 0 is the caller. */
static void loop_work(struct loop *loop, int number) {
    for (int i = 0; i < loop->shares; i++)
        share_work(&loop->work, &loop->share[(number + i) % loop->shares]);
}

static bool loop_is_done(struct loop *loop) {
    for (int i = 0; i < loop->shares; i++)
        if (!share_is_done(&loop->share[i])) return false;
    return true;
}

/* Shares are whole grains, as equal as possible: the last piece of each may be shorter. */
static void loop_divide(struct loop *loop, const struct work *work, int threads) {
    const size_t count = work->count, grain = work->grain, grains = grains_of(work, count);
    const size_t shares = (size_t)(threads < MAX_SHARES ? threads : MAX_SHARES);
    loop->work = *work;
    loop->shares = (int)(grains < shares ? grains : shares);
    for (int i = 0; i < loop->shares; i++) {
        const size_t n = (size_t)loop->shares, begin = grains * (size_t)i / n * grain,
                     end = grains * (size_t)(i + 1) / n * grain;
        loop->share[i].begin = begin;
        loop->share[i].count = (end < count ? end : count) - begin;
        atomic_store_explicit(&loop->share[i].taken, 0, memory_order_relaxed);
    }
}

/* Helps one loop, if it is open and has work left. */
static bool loop_join(struct loop *loop, int number) {
    if (!atomic_load_explicit(&loop->open, memory_order_relaxed)) return false;
    uint32_t others = atomic_fetch_add(&loop->inside, 1);
    bool joined = atomic_load(&loop->open) && !loop_is_done(loop) && (int)others + 1 < loop->team.threads;
    if (joined) {
        team_join(&loop->team);
        inside_team = &loop->team;
        loop_work(loop, number);
        inside_team = NULL;
    }
    atomic_fetch_sub_explicit(&loop->inside, 1, memory_order_release);
    return joined;
}

static bool pool_help(struct pool *pool, int number) {
    bool helped = false;
    for (int i = 0; i < MAX_LOOPS; i++)
        helped |= loop_join(&pool->loops[i], number);
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
    const int number = atomic_fetch_add(&pool->started, 1) + 1;
    for (;;) {
        uint32_t epoch = atomic_load(&pool->epoch);
        if (!pool_help(pool, number)) pool_idle(pool, epoch);
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

/* In the calling thread alone. */
static void work_run(const struct work *work) {
    struct share all = {.count = work->count};
    if (work->backwards)
        share_work(work, &all);
    else
        work->task(work->context, 0, work->count);
}

static void loop_run(struct pool *pool, struct loop *loop, const struct team *team, const struct work *work) {
    loop_divide(loop, work, team->threads);
    loop->team = *team;
    loop_open(pool, loop);
    loop_work(loop, 0);
    loop_close(loop);
}

/* A loop on lent threads: each part takes pieces until none is left. */
struct guest_loop {
    struct loop loop;
    _Atomic int started;
    _Atomic uint32_t left; /* parts that have not ended */
};

static void guest_part(void *context) {
    struct guest_loop *g = context;
    loop_work(&g->loop, atomic_fetch_add(&g->started, 1));
    if (atomic_fetch_sub(&g->left, 1) == 1) futex_wake(&g->left, 1);
}

/* The guest's threads may run parts after guest->run has returned. */
static void guest_run(struct work *work) {
    int threads = guest->threads(guest->object);
    size_t parts = grains_of(work, work->count);
    if (threads <= 1 || parts <= 1) {
        work_run(work);
        return;
    }
    if (parts > (size_t)threads) parts = (size_t)threads;
    struct guest_loop g = {.left = (uint32_t)parts};
    loop_divide(&g.loop, work, (int)parts);
    guest->run(guest->object, (int)parts, guest_part, &g);
    for (uint32_t left; (left = atomic_load(&g.left));)
        futex_wait(&g.left, left, NULL);
}

const struct pool_guest *pool_borrow(const struct pool_guest *lent) {
    const struct pool_guest *before = guest;
    guest = lent;
    return before;
}

static void run(struct pool *pool, struct work *work) {
    if (work->count == 0) return;
    if (work->grain < 1) work->grain = 1;
    if (guest) {
        guest_run(work);
        return;
    }
    const struct team *team = current_team();
    struct loop *loop = team->threads > 1 && work->grain < work->count ? loop_take(pool) : NULL;
    if (!loop) {
        work_run(work);
        return;
    }
    pool_grow(pool, team->threads);
    loop_run(pool, loop, team, work);
}

void pool_run(struct pool *pool, size_t count, size_t grain, pool_task task, void *context) {
    run(pool, &(struct work){.count = count, .grain = grain, .task = task, .context = context});
}

void pool_run_backwards(struct pool *pool, size_t count, size_t grain, pool_task task, void *context) {
    run(pool,
        &(struct work){.count = count, .grain = grain, .task = task, .context = context, .backwards = true});
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
    loop_run(pool, loop, &team,
             &(struct work){.count = count, .grain = 1, .task = task, .context = context, .singly = true});
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
