/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sizes that are known only at execution: known sizes need no allocation; results are right with more sizes
 * than the table holds, and in many threads with different sizes. The linker wraps allocation functions,
 * which are counted.
 */
#include "core/objects.h"
#include "count_allocations.h"
#include "test.h"

#include <pthread.h>

enum { K = 3, N = 2, MANY = 100, THREADS = 4, ROUNDS = 200 };

struct scene {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_primitive_desc_t desc;
    dnnl_primitive_t primitive;
};

/* src (run-time size, K) by weights (K, N). */
static int setup(void **state) {
    struct scene *s = calloc(1, sizeof *s);
    s->engine = test_engine();
    s->stream = test_stream(s->engine);
    dnnl_memory_desc_t src = test_desc(2, (dnnl_dims_t){DNNL_RUNTIME_DIM_VAL, K}, dnnl_ab);
    dnnl_memory_desc_t dst = test_desc(2, (dnnl_dims_t){DNNL_RUNTIME_DIM_VAL, N}, dnnl_ab);
    dnnl_memory_desc_t weights = test_desc(2, (dnnl_dims_t){K, N}, dnnl_ab);
    assert_ok(dnnl_matmul_primitive_desc_create(&s->desc, s->engine, src, weights, NULL, dst, NULL));
    assert_ok(dnnl_primitive_create(&s->primitive, s->desc));
    dnnl_memory_desc_destroy(src);
    dnnl_memory_desc_destroy(dst);
    dnnl_memory_desc_destroy(weights);
    *state = s;
    return 0;
}

static int teardown(void **state) {
    struct scene *s = *state;
    dnnl_primitive_destroy(s->primitive);
    dnnl_primitive_desc_destroy(s->desc);
    dnnl_stream_destroy(s->stream);
    dnnl_engine_destroy(s->engine);
    free(s);
    return 0;
}

/* Arguments of one size. */
struct call_args {
    int rows;
    float src[MANY * K], weights[K * N], dst[MANY * N];
    dnnl_exec_arg_t list[3];
};

static dnnl_memory_t matrix(const struct scene *s, int rows, int columns, float *values) {
    dnnl_memory_desc_t md = test_desc(2, (dnnl_dims_t){rows, columns}, dnnl_ab);
    dnnl_memory_t memory = test_memory(md, s->engine, values);
    dnnl_memory_desc_destroy(md);
    return memory;
}

static struct call_args *make_args(const struct scene *s, int rows) {
    struct call_args *a = calloc(1, sizeof *a);
    a->rows = rows;
    for (int i = 0; i < rows * K; i++)
        a->src[i] = (float)(i % 11 + rows);
    for (int i = 0; i < K * N; i++)
        a->weights[i] = (float)(i - 2);
    a->list[0] = (dnnl_exec_arg_t){DNNL_ARG_SRC, matrix(s, rows, K, a->src)};
    a->list[1] = (dnnl_exec_arg_t){DNNL_ARG_WEIGHTS, matrix(s, K, N, a->weights)};
    a->list[2] = (dnnl_exec_arg_t){DNNL_ARG_DST, matrix(s, rows, N, a->dst)};
    return a;
}

static void free_args(struct call_args *a) {
    for (int i = 0; i < 3; i++)
        dnnl_memory_destroy(a->list[i].memory);
    free(a);
}

static bool is_right(const struct call_args *a) {
    for (int m = 0; m < a->rows; m++)
        for (int n = 0; n < N; n++) {
            float sum = 0;
            for (int k = 0; k < K; k++)
                sum += a->src[m * K + k] * a->weights[k * N + n];
            if (a->dst[m * N + n] != sum) return false;
        }
    return true;
}

static void test_sizes_seen_before_allocate_nothing(void **state) {
    const struct scene *s = *state;
    struct call_args *two = make_args(s, 2), *five = make_args(s, 5);
    assert_ok(dnnl_primitive_execute(s->primitive, s->stream, 3, two->list));
    assert_ok(dnnl_primitive_execute(s->primitive, s->stream, 3, five->list));
    allocations = 0;
    for (int i = 0; i < 10; i++) {
        assert_ok(dnnl_primitive_execute(s->primitive, s->stream, 3, two->list));
        assert_ok(dnnl_primitive_execute(s->primitive, s->stream, 3, five->list));
    }
    assert_int_equal(allocations, 0);
    assert_true(is_right(two) && is_right(five));
    free_args(two);
    free_args(five);
}

static void test_more_sizes_than_are_kept(void **state) {
    const struct scene *s = *state;
    for (int round = 0; round < 3; round++)
        for (int rows = 1; rows <= MANY; rows++) {
            struct call_args *a = make_args(s, rows);
            assert_ok(dnnl_primitive_execute(s->primitive, s->stream, 3, a->list));
            assert_true(is_right(a));
            free_args(a);
        }
}

/* With the library's cache off, plans exist only while the primitive keeps them or a thread executes them.
 */
static void *execute_many(void *argument) {
    const struct scene *s = argument;
    dnnl_stream_t stream = test_stream(s->engine);
    unsigned random = (unsigned)(uintptr_t)&stream;
    bool right = true;
    for (int i = 0; i < ROUNDS && right; i++) {
        random = random * 1664525u + 1013904223u;
        struct call_args *a = make_args(s, 1 + (int)(random >> 16) % MANY);
        right = dnnl_primitive_execute(s->primitive, stream, 3, a->list) == dnnl_success && is_right(a);
        free_args(a);
    }
    dnnl_stream_destroy(stream);
    return right ? NULL : "wrong";
}

static void test_many_threads_and_sizes(void **state) {
    pthread_t threads[THREADS];
    int capacity;
    assert_ok(dnnl_get_primitive_cache_capacity(&capacity));
    assert_ok(dnnl_set_primitive_cache_capacity(0));
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, execute_many, *state), 0);
    for (int i = 0; i < THREADS; i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        assert_null(wrong);
    }
    assert_ok(dnnl_set_primitive_cache_capacity(capacity));
}

static void test_rejects_bad_arguments(void **state) {
    const struct scene *s = *state;
    struct call_args *a = make_args(s, 4);
    dnnl_memory_t wide = matrix(s, 4, K + 1, a->src);
    memset(a->dst, 0x5a, sizeof a->dst);
    float before = a->dst[0];
    assert_bad(dnnl_primitive_execute(s->primitive, s->stream, 2, a->list));
    dnnl_memory_t src = a->list[0].memory;
    a->list[0].memory = NULL;
    assert_bad(dnnl_primitive_execute(s->primitive, s->stream, 3, a->list));
    a->list[0].memory = wide;
    assert_bad(dnnl_primitive_execute(s->primitive, s->stream, 3, a->list));
    dnnl_memory_t more_rows = matrix(s, 5, K, a->src);
    a->list[0].memory = more_rows;
    assert_bad(dnnl_primitive_execute(s->primitive, s->stream, 3, a->list));
    assert_true(a->dst[0] == before);
    dnnl_memory_destroy(more_rows);
    dnnl_memory_destroy(wide);
    a->list[0].memory = src;
    assert_ok(dnnl_primitive_execute(s->primitive, s->stream, 3, a->list));
    assert_true(is_right(a));
    free_args(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_sizes_seen_before_allocate_nothing),
            cmocka_unit_test(test_more_sizes_than_are_kept),
            cmocka_unit_test(test_many_threads_and_sizes),
            cmocka_unit_test(test_rejects_bad_arguments),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
