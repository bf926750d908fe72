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

/* Row i of A goes to column i + 1, row i of B to column i + 3, every other one with another sign. */
static void fill(float *a, float *b, dnnl_dim_t n) {
    for (dnnl_dim_t i = 0; i < n; i++) {
        a[i * n + (i + 1) % n] = i % 2 ? -1 : 1;
        b[i * n + (i + 3) % n] = i % 3 ? 1 : -1;
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

static void expect(struct scene *s) {
    dnnl_dim_t n = s->r.size, state = s->r.batch * n;
    float *between = zeros(n);
    for (dnnl_dim_t m = 0; m < s->r.batch; m++) {
        multiply(s->expected + m * n, s->x + m * n, s->a, n);
        for (dnnl_dim_t t = 1; t < s->r.steps; t++) {
            multiply(between, s->expected + (t - 1) * state + m * n, s->b, n);
            multiply(s->expected + t * state + m * n, between, s->a, n);
        }
    }
    free(between);
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
    size_t square = (size_t)(r.size * r.size), state = (size_t)(r.batch * r.size);
    s->x = zeros((dnnl_dim_t)state), s->a = zeros((dnnl_dim_t)square), s->b = zeros((dnnl_dim_t)square);
    s->expected = zeros(r.steps * (dnnl_dim_t)state);
    for (size_t i = 0; i < state; i++)
        s->x[i] = (float)i + 1;
    fill(s->a, s->b, r.size);
    expect(s);
    s->args[0] = (dnnl_exec_arg_t){DNNL_ARG_SRC, memory_of(s, DNNL_ARG_SRC, s->x, state)};
    s->args[1] = (dnnl_exec_arg_t){DNNL_ARG_WEIGHTS_0, memory_of(s, DNNL_ARG_WEIGHTS_0, s->a, square)};
    s->args[2] = (dnnl_exec_arg_t){DNNL_ARG_WEIGHTS_1, memory_of(s, DNNL_ARG_WEIGHTS_1, s->b, square)};
    s->args[3] = (dnnl_exec_arg_t){DNNL_ARG_DST, memory_of(s, DNNL_ARG_DST, NULL, (size_t)r.steps * state)};
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
    dnnl_dim_t count = s->r.steps * s->r.batch * s->r.size;
    assert_ok(dnnl_memory_map_data(s->args[3].memory, (void **)&mapped));
    for (dnnl_dim_t i = 0; i < count; i++)
        if (mapped[i] != s->expected[i])
            fail_msg("step %d: number %d is %g, not %g", (int)(i / s->r.batch / s->r.size), (int)i, mapped[i],
                     s->expected[i]);
    assert_ok(dnnl_memory_unmap_data(s->args[3].memory, mapped));
}

static void run(struct recurrent r, unsigned flags) {
    struct scene s;
    dnnl_stream_t stream;
    if (!open_scene(&s, r)) {
        print_message("SKIP: the device does not run the CPU's matrix products\n");
        skip();
    }
    assert_ok(dnnl_stream_create(&stream, engine, flags));
    for (int i = 0; i < 3; i++)
        assert_ok(dnnl_primitive_execute(s.primitive, stream, 4, s.args));
    assert_ok(dnnl_stream_wait(stream));
    assert_computed(&s);
    dnnl_stream_destroy(stream);
    close_scene(&s);
}

static const struct recurrent long_one = {.batch = 3, .size = 40, .steps = 100};

static void test_in_order(void **state) {
    (void)state;
    run(long_one, dnnl_stream_default_flags);
    run((struct recurrent){.batch = 1, .size = 7, .steps = 2}, dnnl_stream_default_flags);
    run((struct recurrent){.batch = 20, .size = 33, .steps = 1}, dnnl_stream_default_flags);
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
    struct scene few, many;
    if (!open_scene(&few, (struct recurrent){.batch = 1, .size = 16, .steps = 2})) skip();
    assert_true(open_scene(&many, (struct recurrent){.batch = 1, .size = 16, .steps = 1000}));
    assert_int_equal(program_bytes(few.pd->plan->program), program_bytes(many.pd->plan->program));
    assert_int_equal(few.pd->plan->program->nruns, 2 + 1 + 2);
    assert_int_equal(many.pd->plan->program->nruns, 2 + 1 + 2 * 999);
    close_scene(&few);
    close_scene(&many);
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
