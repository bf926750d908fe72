/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Execution: rejects bad arguments, allocates nothing, supports both scratchpad modes, sizes known only at
 * execution, and one primitive in many threads. The linker wraps allocation functions, which are counted.
 */
#define _GNU_SOURCE
#include "core/objects.h"
#include "count_allocations.h"
#include "test.h"

#include <pthread.h>

/* A convolution with padding, so that its plan has a scratchpad. */

enum { CHANNELS = 16, SIZE = 9, POINTS = CHANNELS * SIZE * SIZE, WEIGHTS = CHANNELS * CHANNELS * 9 };

struct conv {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_memory_desc_t data, weights;
    dnnl_primitive_desc_t desc;
    dnnl_primitive_t primitive;
    float src[POINTS], w[WEIGHTS], dst[POINTS];
};

static dnnl_primitive_desc_t conv_desc(struct conv *c, const_dnnl_primitive_attr_t attr) {
    dnnl_primitive_desc_t desc;
    static const dnnl_dims_t one = {1, 1}, zero = {0};
    assert_ok(dnnl_convolution_forward_primitive_desc_create(&desc, c->engine, dnnl_forward_inference,
                                                             dnnl_convolution_direct, c->data, c->weights,
                                                             NULL, c->data, one, zero, one, one, attr));
    return desc;
}

static int setup(void **state) {
    struct conv *c = calloc(1, sizeof *c);
    c->engine = test_engine();
    c->stream = test_stream(c->engine);
    c->data = test_desc(4, (dnnl_dims_t){1, CHANNELS, SIZE, SIZE}, dnnl_acdb);
    c->weights = test_desc(4, (dnnl_dims_t){CHANNELS, CHANNELS, 3, 3}, dnnl_abcd);
    c->desc = conv_desc(c, NULL);
    assert_ok(dnnl_primitive_create(&c->primitive, c->desc));
    for (int i = 0; i < POINTS; i++)
        c->src[i] = (float)(i % 13) - 6;
    for (int i = 0; i < WEIGHTS; i++)
        c->w[i] = (float)(i % 7) - 3;
    *state = c;
    return 0;
}

static int teardown(void **state) {
    struct conv *c = *state;
    dnnl_primitive_destroy(c->primitive);
    dnnl_primitive_desc_destroy(c->desc);
    dnnl_memory_desc_destroy(c->data);
    dnnl_memory_desc_destroy(c->weights);
    dnnl_stream_destroy(c->stream);
    dnnl_engine_destroy(c->engine);
    free(c);
    return 0;
}

struct args {
    dnnl_memory_t src, weights, dst;
    dnnl_exec_arg_t list[8];
};

static void make_args(struct args *a, struct conv *c, float *dst) {
    a->src = test_memory(c->data, c->engine, c->src);
    a->weights = test_memory(c->weights, c->engine, c->w);
    a->dst = test_memory(c->data, c->engine, dst);
    a->list[0] = (dnnl_exec_arg_t){DNNL_ARG_SRC, a->src};
    a->list[1] = (dnnl_exec_arg_t){DNNL_ARG_WEIGHTS, a->weights};
    a->list[2] = (dnnl_exec_arg_t){DNNL_ARG_DST, a->dst};
}

static void free_args(struct args *a) {
    dnnl_memory_destroy(a->src);
    dnnl_memory_destroy(a->weights);
    dnnl_memory_destroy(a->dst);
}

static void expected(const struct conv *c, float *dst) {
    for (int y = 0; y < SIZE; y++)
        for (int x = 0; x < SIZE; x++)
            for (int o = 0; o < CHANNELS; o++) {
                float sum = 0; /* small integers: exact in any order */
                for (int k = 0; k < 9 * CHANNELS; k++) {
                    int i = k / 9, sy = y + k % 9 / 3 - 1, sx = x + k % 3 - 1;
                    if (sy < 0 || sx < 0 || sy >= SIZE || sx >= SIZE) continue;
                    sum += c->src[(sy * SIZE + sx) * CHANNELS + i] * c->w[(o * CHANNELS + i) * 9 + k % 9];
                }
                dst[(y * SIZE + x) * CHANNELS + o] = sum;
            }
}

static void test_computes(void **state) {
    struct conv *c = *state;
    struct args a;
    float want[POINTS];
    make_args(&a, c, c->dst);
    assert_ok(dnnl_primitive_execute(c->primitive, c->stream, 3, a.list));
    assert_ok(dnnl_stream_wait(c->stream));
    expected(c, want);
    assert_memory_equal(c->dst, want, sizeof want);
    free_args(&a);
}

static void test_allocates_nothing(void **state) {
    struct conv *c = *state;
    struct args a;
    make_args(&a, c, c->dst);
    allocations = 0;
    for (int i = 0; i < 100; i++)
        assert_ok(dnnl_primitive_execute(c->primitive, c->stream, 3, a.list));
    assert_int_equal(allocations, 0);
    free_args(&a);
}

static void test_rejects_bad_arguments(void **state) {
    struct conv *c = *state;
    struct args a;
    make_args(&a, c, c->dst);
    dnnl_engine_t other = test_engine();
    dnnl_stream_t foreign = test_stream(other);
    dnnl_memory_t nothing = test_memory(c->data, c->engine, DNNL_MEMORY_NONE);
    memset(c->dst, 0x5a, sizeof c->dst);

    assert_int_equal(dnnl_primitive_execute(NULL, c->stream, 3, a.list), dnnl_invalid_arguments);
    assert_int_equal(dnnl_primitive_execute(c->primitive, NULL, 3, a.list), dnnl_invalid_arguments);
    assert_int_equal(dnnl_primitive_execute(c->primitive, c->stream, 3, NULL), dnnl_invalid_arguments);
    assert_int_equal(dnnl_primitive_execute(c->primitive, c->stream, -1, a.list), dnnl_invalid_arguments);
    assert_int_equal(dnnl_primitive_execute(c->primitive, c->stream, 2, a.list), dnnl_invalid_arguments);
    assert_int_equal(dnnl_primitive_execute(c->primitive, c->stream, 0, NULL), dnnl_invalid_arguments);
    assert_int_equal(dnnl_primitive_execute(c->primitive, foreign, 3, a.list), dnnl_invalid_arguments);
    a.list[3] = a.list[2]; /* twice */
    assert_int_equal(dnnl_primitive_execute(c->primitive, c->stream, 4, a.list), dnnl_invalid_arguments);
    a.list[2].memory = NULL;
    assert_int_equal(dnnl_primitive_execute(c->primitive, c->stream, 3, a.list), dnnl_invalid_arguments);
    a.list[2].memory = nothing;
    assert_int_equal(dnnl_primitive_execute(c->primitive, c->stream, 3, a.list), dnnl_invalid_arguments);
    for (size_t i = 0; i < sizeof c->dst; i++)
        assert_int_equal(((unsigned char *)c->dst)[i], 0x5a);

    a.list[2].memory = a.dst; /* an argument that the primitive does not have is ignored */
    a.list[3] = (dnnl_exec_arg_t){DNNL_ARG_MEAN, a.src};
    assert_ok(dnnl_primitive_execute(c->primitive, c->stream, 4, a.list));
    dnnl_memory_destroy(nothing);
    dnnl_stream_destroy(foreign);
    dnnl_engine_destroy(other);
    free_args(&a);
}

static void test_user_scratchpad(void **state) {
    struct conv *c = *state;
    dnnl_primitive_attr_t attr;
    dnnl_primitive_t primitive;
    struct args a;
    float want[POINTS];
    assert_ok(dnnl_primitive_attr_create(&attr));
    assert_ok(dnnl_primitive_attr_set_scratchpad_mode(attr, dnnl_scratchpad_mode_user));
    dnnl_primitive_desc_t desc = conv_desc(c, attr);
    assert_ok(dnnl_primitive_create(&primitive, desc));
    const_dnnl_memory_desc_t pad = dnnl_primitive_desc_query_md(desc, dnnl_query_scratchpad_md, 0);
    assert_true(dnnl_memory_desc_get_size(pad) > 0);
    make_args(&a, c, c->dst);
    assert_int_equal(dnnl_primitive_execute(primitive, c->stream, 3, a.list), dnnl_invalid_arguments);
    dnnl_memory_t memory = test_memory(pad, c->engine, DNNL_MEMORY_ALLOCATE);
    a.list[3] = (dnnl_exec_arg_t){DNNL_ARG_SCRATCHPAD, memory};
    assert_ok(dnnl_primitive_execute(primitive, c->stream, 4, a.list));
    expected(c, want);
    assert_memory_equal(c->dst, want, sizeof want);
    dnnl_memory_destroy(memory);
    dnnl_primitive_destroy(primitive);
    dnnl_primitive_desc_destroy(desc);
    dnnl_primitive_attr_destroy(attr);
    free_args(&a);
}

static void *execute_often(void *argument) {
    struct conv *c = argument;
    float *dst = malloc(sizeof c->dst), *want = malloc(sizeof c->dst);
    struct args a;
    intptr_t bad = 0;
    make_args(&a, c, dst);
    expected(c, want);
    for (int i = 0; i < 200; i++) {
        memset(dst, 0, sizeof c->dst);
        bad += dnnl_primitive_execute(c->primitive, c->stream, 3, a.list) != dnnl_success;
        bad += memcmp(dst, want, sizeof c->dst) != 0;
    }
    free_args(&a);
    free(dst);
    free(want);
    return (void *)bad;
}

static void test_many_threads(void **state) {
    enum { THREADS = 8 };
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, execute_often, *state), 0);
    for (int i = 0; i < THREADS; i++) {
        void *bad;
        pthread_join(threads[i], &bad);
        assert_null(bad);
    }
}

/* A matmul whose number of rows is a run-time value, executed with several numbers. */
static void test_sizes_at_execution(void **state) {
    struct conv *c = *state;
    dnnl_memory_desc_t src = test_desc(2, (dnnl_dims_t){DNNL_RUNTIME_DIM_VAL, 3}, dnnl_ab);
    dnnl_memory_desc_t dst = test_desc(2, (dnnl_dims_t){DNNL_RUNTIME_DIM_VAL, 2}, dnnl_ab);
    dnnl_memory_desc_t weights = test_desc(2, (dnnl_dims_t){3, 2}, dnnl_ab);
    dnnl_primitive_desc_t desc;
    dnnl_primitive_t primitive;
    float s[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, w[6] = {1, 0, 0, 1, 1, 1}, d[8];
    assert_ok(dnnl_matmul_primitive_desc_create(&desc, c->engine, src, weights, NULL, dst, NULL));
    assert_ok(dnnl_primitive_create(&primitive, desc));
    for (int rows = 1; rows <= 4; rows++) {
        dnnl_memory_desc_t real_src = test_desc(2, (dnnl_dims_t){rows, 3}, dnnl_ab);
        dnnl_memory_desc_t real_dst = test_desc(2, (dnnl_dims_t){rows, 2}, dnnl_ab);
        dnnl_memory_t memories[] = {test_memory(real_src, c->engine, s), test_memory(weights, c->engine, w),
                                    test_memory(real_dst, c->engine, d)};
        dnnl_exec_arg_t args[] = {
                {DNNL_ARG_SRC, memories[0]}, {DNNL_ARG_WEIGHTS, memories[1]}, {DNNL_ARG_DST, memories[2]}};
        memset(d, 0, sizeof d);
        assert_ok(dnnl_primitive_execute(primitive, c->stream, 3, args));
        for (int i = 0; i < 4; i++) {
            assert_true(d[2 * i] == (i < rows ? s[3 * i] + s[3 * i + 2] : 0));
            assert_true(d[2 * i + 1] == (i < rows ? s[3 * i + 1] + s[3 * i + 2] : 0));
        }
        for (int i = 0; i < 3; i++)
            dnnl_memory_destroy(memories[i]);
        dnnl_memory_desc_destroy(real_src);
        dnnl_memory_desc_destroy(real_dst);
    }
    dnnl_primitive_destroy(primitive);
    dnnl_primitive_desc_destroy(desc);
    dnnl_memory_desc_destroy(src);
    dnnl_memory_desc_destroy(dst);
    dnnl_memory_desc_destroy(weights);
}

static void test_any_order_of_destruction(void **state) {
    struct conv *c = *state;
    struct args a;
    float want[POINTS];
    dnnl_engine_t engine = test_engine();
    dnnl_engine_t kept = c->engine;
    c->engine = engine;
    dnnl_stream_t stream = test_stream(engine);
    dnnl_primitive_desc_t desc = conv_desc(c, NULL);
    dnnl_primitive_t primitive;
    assert_ok(dnnl_primitive_create(&primitive, desc));
    make_args(&a, c, c->dst);
    c->engine = kept;
    dnnl_engine_destroy(engine);
    dnnl_primitive_desc_destroy(desc);
    assert_ok(dnnl_primitive_execute(primitive, stream, 3, a.list));
    expected(c, want);
    assert_memory_equal(c->dst, want, sizeof want);
    dnnl_primitive_destroy(primitive);
    dnnl_stream_destroy(stream);
    free_args(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_computes),
            cmocka_unit_test(test_allocates_nothing),
            cmocka_unit_test(test_rejects_bad_arguments),
            cmocka_unit_test(test_user_scratchpad),
            cmocka_unit_test(test_many_threads),
            cmocka_unit_test(test_sizes_at_execution),
            cmocka_unit_test(test_any_order_of_destruction),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
