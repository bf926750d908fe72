/* SPDX-License-Identifier: Apache-2.0 */
/* The thread pool: every iteration runs once, with any number of callers, in nested loops and after fork. */
#define _GNU_SOURCE
#include "base/pool.h"
#include "test.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 5000 };

static void mark(void *context, size_t begin, size_t end) {
    _Atomic int *marks = context;
    for (size_t i = begin; i < end; i++)
        atomic_fetch_add(&marks[i], 1);
}

typedef void (*run_function)(struct pool *, size_t, size_t, pool_task, void *);

static int runs_each_once(run_function run, size_t count, size_t grain) {
    _Atomic int *marks = calloc(MOST, sizeof *marks);
    run(pool_default(), count, grain, mark, (void *)marks);
    int good = 1;
    for (size_t i = 0; i < MOST; i++)
        good &= marks[i] == (i < count ? 1 : 0);
    free((void *)marks);
    return good;
}

static void test_every_iteration_once(void **state) {
    (void)state;
    static const size_t counts[] = {0, 1, 2, 3, 4, 5, 15, 16, 17, 100, 999, MOST};
    static const size_t grains[] = {0, 1, 7, 64, MOST};
    for (int c = 0; c < COUNT(counts); c++)
        for (int g = 0; g < COUNT(grains); g++) {
            assert_true(runs_each_once(pool_run, counts[c], grains[g]));
            assert_true(runs_each_once(pool_run_backwards, counts[c], grains[g]));
        }
}

static void note_falling(void *context, size_t begin, size_t end) {
    size_t *last = context; /* where the piece before began */
    assert_int_equal(end, *last);
    *last = begin;
}

static int one_thread(void *object) {
    (void)object;
    return 1;
}

static void test_backwards_begins_at_the_end(void **state) {
    (void)state;
    const struct pool_guest guest = {.threads = one_thread};
    const struct pool_guest *before = pool_borrow(&guest);
    size_t last = 1000;
    pool_run_backwards(pool_default(), 1000, 1, note_falling, &last);
    pool_borrow(before);
    assert_int_equal(last, 0);
}

static void smallest_piece(void *context, size_t begin, size_t end) {
    _Atomic size_t *smallest = context;
    size_t size = end - begin, seen = atomic_load(smallest);
    while (end < 1000 && size < seen && !atomic_compare_exchange_weak(smallest, &seen, size))
        continue;
}

static void test_grain_is_kept(void **state) {
    (void)state;
    _Atomic size_t smallest = SIZE_MAX;
    pool_run(pool_default(), 1000, 300, smallest_piece, (void *)&smallest);
    assert_true(smallest >= 300);
}

static void test_threads_follow_the_environment(void **state) {
    (void)state;
    assert_int_equal(pool_threads(pool_default()), 4); /* OMP_NUM_THREADS of this test */
}

static void *call_often(void *result) {
    int good = 1;
    for (int i = 0; i < 300; i++)
        good &= runs_each_once(pool_run, (size_t)(i * 7 % 400), 1);
    *(int *)result = good;
    return NULL;
}

/* More callers than the pool has slots for loops. */
static void test_many_callers(void **state) {
    (void)state;
    enum { CALLERS = 40 };
    pthread_t threads[CALLERS];
    int results[CALLERS] = {0};
    for (int i = 0; i < CALLERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, call_often, &results[i]), 0);
    for (int i = 0; i < CALLERS; i++) {
        pthread_join(threads[i], NULL);
        assert_true(results[i]);
    }
}

static void nest(void *context, size_t begin, size_t end) {
    for (size_t i = begin; i < end; i++)
        pool_run(pool_default(), 50, 1, mark, (_Atomic int *)context + 50 * i);
}

static void test_nested_loops(void **state) {
    (void)state;
    _Atomic int *marks = calloc(50 * 50, sizeof *marks);
    pool_run(pool_default(), 50, 1, nest, (void *)marks);
    for (int i = 0; i < 50 * 50; i++)
        assert_int_equal(marks[i], 1);
    free((void *)marks);
}

/* Returns when all iterations have arrived. */
static void meet(void *context, size_t begin, size_t end) {
    _Atomic int *there = context;
    atomic_fetch_add(there, (int)(end - begin));
    while (atomic_load(there) < 4)
        sched_yield();
}

static void *meet_often(void *result) {
    for (int i = 0; i < 50; i++) {
        _Atomic int there = 0;
        pool_run_together(pool_default(), 4, meet, (void *)&there);
        *(int *)result += there;
    }
    return NULL;
}

/* Iterations that wait for each other, from several callers, among loops that do not. */
static void test_iterations_together(void **state) {
    (void)state;
    enum { CALLERS = 6 };
    pthread_t threads[CALLERS];
    int results[CALLERS] = {0};
    for (int i = 0; i < CALLERS; i++)
        pthread_create(&threads[i], NULL, i % 2 ? call_often : meet_often, &results[i]);
    for (int i = 0; i < CALLERS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(results[i], i % 2 ? 1 : 200);
    }
}

static void test_child_gets_its_own_pool(void **state) {
    (void)state;
    assert_true(runs_each_once(pool_run, MOST, 1));
    pid_t child = fork();
    if (child == 0) _exit(runs_each_once(pool_run, MOST, 1) && pool_threads(pool_default()) == 4 ? 0 : 1);
    int status = -1;
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_every_iteration_once),
            cmocka_unit_test(test_backwards_begins_at_the_end),
            cmocka_unit_test(test_grain_is_kept),
            cmocka_unit_test(test_threads_follow_the_environment),
            cmocka_unit_test(test_many_callers),
            cmocka_unit_test(test_nested_loops),
            cmocka_unit_test(test_iterations_together),
            cmocka_unit_test(test_child_gets_its_own_pool),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
