/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program with loops, executed: on the host runtime, or with an argument, "cpu" or "gpu", on the engine of
 * that kind whose runtime the environment names. Weights only move numbers and change signs, so that every
 * step is exact.
 */
#include "program/recurrent.h"
#include "count_allocations.h"
#include "test.h"

#include <stdio.h>

static dnnl_engine_t engine;
static bool on_host;

/* Row i of A goes to column i + 1, row i of B to column i + 3, every other one with another sign; each pair
 * of matrices differs from the others. */
static void fill(float *a, float *b, dnnl_dim_t n, dnnl_dim_t matrices) {
    for (dnnl_dim_t m = 0; m < matrices; m++, a += n * n, b += n * n)
        for (dnnl_dim_t i = 0; i < n; i++) {
            a[i * n + (i + 1 + m) % n] = i % 2 ? -1 : 1;
            b[i * n + (i + 3) % n] = (i + m) % 3 ? 1 : -1;
        }
}

static void multiply(float *to, const float *from, const float *weights, dnnl_dim_t n) {
    for (dnnl_dim_t c = 0; c < n; c++) {
        double sum = 0;
        for (dnnl_dim_t k = 0; k < n; k++)
            sum += (double)from[k] * weights[k * n + c];
        to[c] = (float)sum;
    }
}

static float *zeros(dnnl_dim_t count) {
    return calloc((size_t)count, sizeof(float));
}

struct scene {
    struct recurrent r;
    float *x, *a, *b, *expected;
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t primitive;
    dnnl_exec_arg_t args[4];
};

/* One row of one layer and direction, along the steps. */
static void expect_row(float *h, const float *in, const float *a, const float *b, dnnl_dim_t steps,
                       dnnl_dim_t n, dnnl_dim_t state, bool backwards) {
    float *between = zeros(n);
    for (dnnl_dim_t i = 0; i < steps; i++) {
        dnnl_dim_t t = backwards ? steps - 1 - i : i, before = backwards ? t + 1 : t - 1;
        if (i > 0) multiply(between, h + before * state, b, n);
        multiply(h + t * state, i > 0 ? between : in + t * state, a, n);
    }
    free(between);
}

static void expect(struct scene *s) {
    const struct recurrent *r = &s->r;
    dnnl_dim_t n = r->size, state = r->batch * n, sequence = r->steps * state;
    for (dnnl_dim_t index = 0; index < r->layers * r->directions; index++) {
        const float *in = index < r->directions ? s->x : s->expected + (index - r->directions) * sequence;
        for (dnnl_dim_t m = 0; m < r->batch; m++)
            expect_row(s->expected + index * sequence + m * n, in + m * n, s->a + index * n * n,
                       s->b + index * n * n, r->steps, n, state, index % r->directions == 1);
    }
}

static dnnl_memory_t memory_of(const struct scene *s, int arg, const float *values, size_t count) {
    const_dnnl_memory_desc_t md = dnnl_primitive_desc_query_md(s->pd, dnnl_query_exec_arg_md, arg);
    dnnl_memory_t memory = test_memory(md, engine, DNNL_MEMORY_ALLOCATE);
    float *mapped;
    assert_ok(dnnl_memory_map_data(memory, (void **)&mapped));
    for (size_t i = 0; i < count; i++)
        mapped[i] = values ? values[i] : -999;
    assert_ok(dnnl_memory_unmap_data(memory, mapped));
    return memory;
}

static bool open_scene(struct scene *s, struct recurrent r) {
    s->r = r;
    dnnl_status_t status = recurrent_desc_create(&s->pd, engine, &r);
    if (status == dnnl_unimplemented) return false;
    assert_ok(status);
    assert_ok(dnnl_primitive_create(&s->primitive, s->pd));
    dnnl_dim_t matrices = r.layers * r.directions, squares = matrices * r.size * r.size;
    dnnl_dim_t sequence = r.steps * r.batch * r.size;
    s->x = zeros(sequence), s->a = zeros(squares), s->b = zeros(squares);
    s->expected = zeros(matrices * sequence);
    for (dnnl_dim_t i = 0; i < sequence; i++)
        s->x[i] = (float)(i % 1000) + 1;
    fill(s->a, s->b, r.size, matrices);
    expect(s);
    const struct {
        int arg;
        const float *values;
        dnnl_dim_t count;
    } args[] = {{DNNL_ARG_SRC, s->x, sequence},
                {DNNL_ARG_WEIGHTS_0, s->a, squares},
                {DNNL_ARG_WEIGHTS_1, s->b, squares},
                {DNNL_ARG_DST, NULL, matrices * sequence}};
    for (int i = 0; i < COUNT(args); i++)
        s->args[i] = (dnnl_exec_arg_t){args[i].arg,
                                       memory_of(s, args[i].arg, args[i].values, (size_t)args[i].count)};
    return true;
}

static void close_scene(struct scene *s) {
    for (int i = 0; i < COUNT(s->args); i++)
        dnnl_memory_destroy(s->args[i].memory);
    dnnl_primitive_destroy(s->primitive);
    dnnl_primitive_desc_destroy(s->pd);
    free(s->x), free(s->a), free(s->b), free(s->expected);
}

static void assert_computed(const struct scene *s) {
    float *mapped;
    dnnl_dim_t sequence = s->r.steps * s->r.batch * s->r.size,
               count = s->r.layers * s->r.directions * sequence;
    assert_ok(dnnl_memory_map_data(s->args[3].memory, (void **)&mapped));
    for (dnnl_dim_t i = 0; i < count; i++)
        if (mapped[i] != s->expected[i])
            fail_msg("matrices %d, number %d is %g, not %g", (int)(i / sequence), (int)(i % sequence),
                     mapped[i], s->expected[i]);
    assert_ok(dnnl_memory_unmap_data(s->args[3].memory, mapped));
}

/* With flags 0, a default stream. */
static void run(struct recurrent r, unsigned flags) {
    struct scene s;
    dnnl_stream_t stream;
    if (!open_scene(&s, r)) {
        print_message("SKIP: the device does not run the CPU's matrix products\n");
        skip();
    }
    assert_ok(dnnl_stream_create(&stream, engine, flags ? flags : dnnl_stream_default_flags));
    for (int i = 0; i < 3; i++)
        assert_ok(dnnl_primitive_execute(s.primitive, stream, 4, s.args));
    assert_ok(dnnl_stream_wait(stream));
    assert_computed(&s);
    dnnl_stream_destroy(stream);
    close_scene(&s);
}

/* As large as a bidirectional LSTM of two layers and 100 steps. */
static const struct recurrent long_one = {.layers = 2, .directions = 2, .steps = 100, .batch = 3, .size = 40};

static void test_in_order(void **state) {
    (void)state;
    run(long_one, 0);
    run((struct recurrent){.layers = 1, .directions = 1, .steps = 2, .batch = 1, .size = 7}, 0);
    run((struct recurrent){.layers = 3, .directions = 1, .steps = 1, .batch = 20, .size = 33}, 0);
}

static void test_out_of_order(void **state) {
    (void)state;
    if (on_host) {
        print_message("SKIP: the host runtime has in-order streams only\n");
        skip();
    }
    run(long_one, dnnl_stream_out_of_order);
}

/* One entry for the whole execution, however many launches it has. */
static void test_profiling(void **state) {
    (void)state;
    struct scene s;
    dnnl_stream_t stream;
    uint64_t ns[2] = {0};
    int count = 0;
    if (!open_scene(&s, long_one)) skip();
    assert_ok(dnnl_stream_create(&stream, engine, dnnl_stream_in_order | dnnl_stream_profiling));
    assert_ok(dnnl_primitive_execute(s.primitive, stream, 4, s.args));
    assert_ok(dnnl_primitive_execute(s.primitive, stream, 4, s.args));
    assert_ok(dnnl_stream_wait(stream));
    assert_ok(dnnl_query_profiling_data(stream, dnnl_profiling_data_kind_time, &count, NULL));
    assert_int_equal(count, 2);
    assert_ok(dnnl_query_profiling_data(stream, dnnl_profiling_data_kind_time, &count, ns));
    assert_true(ns[0] > 0 && ns[1] > 0);
    assert_computed(&s);
    dnnl_stream_destroy(stream);
    close_scene(&s);
}

static void test_allocates_nothing(void **state) {
    (void)state;
    struct scene s;
    dnnl_stream_t stream;
    if (!on_host) {
        print_message("SKIP: counted on the host runtime\n");
        skip();
    }
    assert_true(open_scene(&s, long_one));
    stream = test_stream(engine);
    assert_ok(dnnl_primitive_execute(s.primitive, stream, 4, s.args));
    allocations = 0;
    assert_ok(dnnl_primitive_execute(s.primitive, stream, 4, s.args));
    assert_int_equal(allocations, 0);
    dnnl_stream_destroy(stream);
    close_scene(&s);
}

/* A step costs nothing in memory. */
static void test_size_does_not_grow_with_steps(void **state) {
    (void)state;
    struct recurrent few = long_one, many = long_one;
    dnnl_primitive_desc_t pd[2];
    few.steps = 2, many.steps = 1000;
    if (recurrent_desc_create(&pd[0], engine, &few) != dnnl_success) skip();
    assert_ok(recurrent_desc_create(&pd[1], engine, &many));
    const struct program *p[] = {pd[0]->plan->program, pd[1]->plan->program};
    assert_int_equal(program_bytes(p[0]), program_bytes(p[1]));
    assert_true(program_bytes(p[1]) < 256 << 10);
    assert_int_equal(p[0]->nruns, 4 * (2 + 1 + 2 * 1));
    assert_int_equal(p[1]->nruns, 4 * (2 + 1 + 2 * 999));
    for (int i = 0; i < 2; i++)
        dnnl_primitive_desc_destroy(pd[i]);
}

int main(int argc, char **argv) {
    dnnl_engine_kind_t kind = argc > 1 && strcmp(argv[1], "gpu") == 0 ? dnnl_gpu : dnnl_cpu;
    on_host = argc == 1;
    if (dnnl_engine_get_count(kind) == 0) {
        puts("SKIP: no engine of this runtime");
        return 77;
    }
    if (dnnl_engine_create(&engine, kind, 0) != dnnl_success) return 1;
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_in_order),
            cmocka_unit_test(test_out_of_order),
            cmocka_unit_test(test_profiling),
            cmocka_unit_test(test_allocates_nothing),
            cmocka_unit_test(test_size_does_not_grow_with_steps),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    dnnl_engine_destroy(engine);
    return failed;
}
