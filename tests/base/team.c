/* SPDX-License-Identifier: Apache-2.0 */
/* Teams follow what a framework sets at run time: OpenMP's number of threads, and the caller's CPUs. */
#define _GNU_SOURCE
#include "base/pool.h"
#include "base/team.h"
#include "test.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

static void next_tick(void) {
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
}

/* Runs f in a thread of its own, so that an affinity that it sets ends with it. */
static void in_thread(void *(*f)(void *), void *result) {
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, f, result), 0);
    pthread_join(thread, NULL);
}

/* The first CPUs of this thread, as many as wanted. */
static cpu_set_t first_cpus(int wanted) {
    cpu_set_t all, some;
    sched_getaffinity(0, sizeof all, &all);
    CPU_ZERO(&some);
    for (size_t cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&some) < wanted; cpu++)
        if (CPU_ISSET(cpu, &all)) CPU_SET(cpu, &some);
    return some;
}

static void test_environment_without_openmp(void **state) {
    (void)state;
    assert_null(dlsym(RTLD_DEFAULT, "omp_get_max_threads"));
    assert_int_equal(team_current()->threads, 3); /* OMP_NUM_THREADS of this test */
    assert_true(team_current()->available >= 1);
}

static void *threads_when_narrowed(void *result) {
    cpu_set_t one = first_cpus(1);
    team_current();
    sched_setaffinity(0, sizeof one, &one);
    next_tick();
    *(int *)result = team_current()->threads;
    return NULL;
}

static void test_a_narrowed_thread_runs_alone(void **state) {
    (void)state;
    if (team_current()->available < 2) skip();
    int threads = 0;
    in_thread(threads_when_narrowed, &threads);
    assert_int_equal(threads, 1);
}

/* Counts iterations that ran on a CPU outside of the set. */
struct watch {
    cpu_set_t cpus;
    _Atomic int outside, done;
};

static void note_cpu(void *context, size_t begin, size_t end) {
    struct watch *watch = context;
    int cpu = sched_getcpu();
    if (cpu >= 0 && !CPU_ISSET((size_t)cpu, &watch->cpus)) atomic_fetch_add(&watch->outside, 1);
    atomic_fetch_add(&watch->done, (int)(end - begin));
    sched_yield();
}

static void *run_narrowed(void *context) {
    struct watch *watch = context;
    sched_setaffinity(0, sizeof watch->cpus, &watch->cpus);
    next_tick();
    for (int i = 0; i < 100; i++)
        pool_run_together(pool_default(), 3, note_cpu, watch);
    return NULL;
}

static void test_workers_follow_their_caller(void **state) {
    (void)state;
    if (team_current()->available < 2) skip();
    pool_run(pool_default(), 1000, 1, note_cpu,
             &(struct watch){.done = 0}); /* workers were elsewhere before */
    struct watch watch = {.cpus = first_cpus(1)};
    in_thread(run_narrowed, &watch);
    assert_int_equal(watch.done, 300);
    assert_int_equal(watch.outside, 0);
}

/* As in a module of Python: OpenMP's symbols are not global. */
static void test_openmp_is_followed(void **state) {
    (void)state;
    void *openmp = dlopen("libgomp.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!openmp) skip();
    void (*set_threads)(int);
    *(void **)&set_threads = dlsym(openmp, "omp_set_num_threads");
    next_tick();
    for (int threads = 1; threads <= 5; threads++) {
        set_threads(threads);
        assert_int_equal(team_current()->threads, threads);
        assert_int_equal(pool_threads(pool_default()), threads);
    }
    set_threads(3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_environment_without_openmp),
            cmocka_unit_test(test_a_narrowed_thread_runs_alone),
            cmocka_unit_test(test_workers_follow_their_caller),
            cmocka_unit_test(test_openmp_is_followed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
