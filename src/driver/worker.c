/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The threads of worker.h. Idle threads are on a stack: the last one to sleep is called first, while its
 * caches are warm.
 */
#define _GNU_SOURCE
#include "driver/worker.h"
#include "base/futex.h"
#include "driver/driver.h"
#include "driver/machine.h"

#include <pthread.h>
#include <stdlib.h>

/* About the time between two submissions of a program that waits for each result. */
enum { LINGER_NS = 100000, ROUNDS_PER_LOOK = 64 };

struct worker {
    struct worker *next; /* in the stack of idle workers */
    _Atomic uint32_t called;
    void (*job)(void *);
    void *argument;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct worker *idle;
static _Atomic uint32_t lingering;

/* A forked child has none of these threads. */
static void after_fork(void) {
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    idle = NULL;
    atomic_store(&lingering, 0);
}

static void register_fork(void) {
    pthread_atfork(NULL, NULL, after_fork);
}

static void go_idle(struct worker *worker) {
    atomic_store(&worker->called, 0);
    pthread_mutex_lock(&lock);
    worker->next = idle;
    idle = worker;
    pthread_mutex_unlock(&lock);
    while (!atomic_load(&worker->called))
        futex_wait(&worker->called, 0, NULL);
}

static void *work(void *argument) {
    struct worker *worker = argument;
    for (;;) {
        worker->job(worker->argument);
        go_idle(worker);
    }
    return NULL;
}

static bool start_worker(void (*job)(void *), void *argument) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, register_fork);
    struct worker *worker = calloc(1, sizeof *worker);
    if (!worker) return false;
    worker->job = job;
    worker->argument = argument;
    pthread_attr_t attributes;
    pthread_t thread;
    bool started = !pthread_attr_init(&attributes);
    if (started) {
        pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
        started = !pthread_create(&thread, &attributes, work, worker);
        pthread_attr_destroy(&attributes);
    }
    if (!started) free(worker);
    return started;
}

bool worker_call(void (*job)(void *), void *argument) {
    pthread_mutex_lock(&lock);
    struct worker *worker = idle;
    if (worker) idle = worker->next;
    pthread_mutex_unlock(&lock);
    if (!worker) return start_worker(job, argument);
    worker->job = job;
    worker->argument = argument;
    atomic_store(&worker->called, 1);
    futex_wake(&worker->called, 1);
    return true;
}

static bool spin_for_change(const _Atomic uint64_t *counter, uint64_t value) {
    uint64_t until = device_clock() + LINGER_NS;
    for (uint32_t round = 1;; round++) {
        if (atomic_load_explicit(counter, memory_order_acquire) != value) return true;
        cpu_relax();
        if (round % ROUNDS_PER_LOOK == 0 && device_clock() >= until) return false;
    }
}

bool worker_linger(const _Atomic uint64_t *counter, uint64_t value) {
    bool changed = atomic_load(counter) != value;
    if (changed) return true;
    if (atomic_fetch_add(&lingering, 1) < machine()->cpus / 2) changed = spin_for_change(counter, value);
    atomic_fetch_sub(&lingering, 1);
    return changed;
}
