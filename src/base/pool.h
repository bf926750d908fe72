/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fork-join thread pool. The caller takes part in its own loop, so a pool of one thread starts no workers,
 * and a loop makes progress even when all workers are busy with other loops. Any number of threads may call
 * pool_run at the same time; loops may nest.
 */
#ifndef LODE_BASE_POOL_H
#define LODE_BASE_POOL_H

#include <stddef.h>

struct pool;

/* Runs the iterations [begin, end). */
typedef void (*pool_task)(void *context, size_t begin, size_t end);

/* The pool of this process, created on first use. It has as many threads as the largest team (base/team.h)
 * that ran a loop. It is never destroyed: its threads sleep when idle and end with the process. After fork()
 * the child gets a pool of its own. OMP_WAIT_POLICY=passive: idle threads sleep at once. */
struct pool *pool_default(void);

/* Number of threads that take part in a loop of the calling thread, including the caller. */
int pool_threads(struct pool *pool);

/* Runs task over [0, count) in pieces of at least `grain` iterations and returns when all are done. Which
 * thread runs which piece is not fixed: a task's result must not depend on it. */
void pool_run(struct pool *pool, size_t count, size_t grain, pool_task task, void *context);
/* The same, but each thread begins with its last iterations: what the loop before read last, it reads first,
 * while it is in the caches. */
void pool_run_backwards(struct pool *pool, size_t count, size_t grain, pool_task task, void *context);

/* Runs [0, count) with every iteration in a thread of its own, all at the same time: they may wait for each
 * other. `count` is at most pool_threads. Waits while another such loop runs. */
void pool_run_together(struct pool *pool, size_t count, pool_task task, void *context);

/* Threads that a user lends for the loops of one thread, in place of the pool's. */
struct pool_guest {
    void *object;
    /* How many take part in a loop that starts now; 1: the loop runs in its caller. */
    int (*threads)(void *object);
    /* Has part(context) run `parts` times. May return before that is done. */
    void (*run)(void *object, int parts, void (*part)(void *context), void *context);
};
/* Ordinary loops of the calling thread run on the guest's threads from now on; NULL: on the pool's. Returns
 * who lent before. */
const struct pool_guest *pool_borrow(const struct pool_guest *guest);

/* The same functions for the pool of this process, as one library lends them to another that has a copy of
 * this file: both then share one set of threads. A table that has been lent stays valid. */
struct pool_functions {
    int (*threads)(void);
    void (*run)(size_t count, size_t grain, pool_task task, void *context);
    void (*run_together)(size_t count, pool_task task, void *context);
};
extern const struct pool_functions pool_functions;

#endif
