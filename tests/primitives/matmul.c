/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matrix products against plain loops: shapes x types x attributes x layouts, on every implementation that
 * takes the problem; quantisation by groups; weights of few bits; sizes that are known only at execution.
 */
#include "primitives/harness.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

struct shape {
    int ndims;
    dnnl_dims_t src, weights, dst, bias;
};

static const struct shape shapes[] = {
        {2, {3, 5}, {5, 4}, {3, 4}, {1, 4}},
        {2, {1, 40}, {40, 33}, {1, 33}, {1, 33}},
        {2, {17, 8}, {8, 2}, {17, 2}, {17, 1}},
        {2, {6, 1}, {1, 6}, {6, 6}, {1, 1}},
        {3, {2, 3, 4}, {2, 4, 6}, {2, 3, 6}, {1, 1, 6}},
        {3, {1, 3, 4}, {5, 4, 2}, {5, 3, 2}, {5, 1, 2}},
        {4, {2, 1, 3, 4}, {1, 3, 4, 2}, {2, 3, 3, 2}, {2, 3, 3, 2}},
        {5, {2, 1, 2, 2, 6}, {2, 3, 1, 6, 4}, {2, 3, 2, 2, 4}, {1, 1, 1, 1, 4}},
        {2, {4, 0}, {0, 4}, {4, 4}, {1, 4}}, /* a sum of nothing */
        {2, {0, 3}, {3, 4}, {0, 4}, {1, 4}},
};

struct types {
    dnnl_data_type_t src, weights, bias, dst;
    bool decompress;
};

static const struct types types[] = {
        {dnnl_f32, dnnl_f32, dnnl_f32, dnnl_f32, false},
        {dnnl_f32, dnnl_f32, dnnl_data_type_undef, dnnl_f32, false},
        {dnnl_bf16, dnnl_bf16, dnnl_bf16, dnnl_f32, false},
        {dnnl_f16, dnnl_f16, dnnl_f32, dnnl_f16, false},
        {dnnl_f32, dnnl_bf16, dnnl_f32, dnnl_u8, false},
        {dnnl_f64, dnnl_f64, dnnl_f64, dnnl_f64, false},
        {dnnl_f8_e5m2, dnnl_f8_e5m2, dnnl_f16, dnnl_bf16, false},
        {dnnl_f8_e4m3, dnnl_f8_e4m3, dnnl_f32, dnnl_f32, false},
        {dnnl_u8, dnnl_s8, dnnl_f32, dnnl_s32, false},
        {dnnl_u8, dnnl_s8, dnnl_data_type_undef, dnnl_s32, false},
        {dnnl_s8, dnnl_s8, dnnl_s32, dnnl_u8, false},
        {dnnl_s8, dnnl_u8, dnnl_s8, dnnl_f16, false},
        {dnnl_f32, dnnl_s8, dnnl_f32, dnnl_f32, true},
        {dnnl_bf16, dnnl_u8, dnnl_f32, dnnl_bf16, true},
        {dnnl_f16, dnnl_s4, dnnl_f32, dnnl_f16, true},
        {dnnl_f32, dnnl_u4, dnnl_data_type_undef, dnnl_f32, true},
        {dnnl_u8, dnnl_s4, dnnl_data_type_undef, dnnl_f32, false},
};

static const struct {
    bool zero_points; /* only for types with zero points */
    struct attr_case c;
} attrs[] = {
        {false, {.name = "plain"}},
        {false,
         {.name = "post-ops",
          .ops = {{.kind = dnnl_eltwise, .alg = dnnl_eltwise_relu, .alpha = 0.5f},
                  {.kind = dnnl_sum, .alpha = 0.5f},
                  {.kind = dnnl_binary, .alg = dnnl_binary_add, .mask = 3}}}},
        {false, {.name = "scales", .src_scale = 0.5f, .weights_scale = 2, .dst_scale = 0.25f}},
        {false, {.name = "scales by column", .src_scale = 2, .weights_scale = 0.5f, .weights_mask = -1}},
        {true,
         {.name = "zero points",
          .src_zero_point = 1,
          .weights_zero_point = 2,
          .dst_zero_point = 3,
          .dst_scale = 2}},
        {true,
         {.name = "host scalars",
          .src_scale = 0.5f,
          .src_zero_point = 2,
          .dst_zero_point = 1,
          .host_scalars = true}},
};

enum { LAYOUTS = 4 };
static const char *const tags[LAYOUTS][6] = {{NULL},
                                             {0, 0, "ab", "abc", "abcd", "abcde"},
                                             {0, 0, "ba", "acb", "abdc", "abced"},
                                             {0, 0, "AB8b8a", "aBC4b4c", "abCD8c8d", "abcdE16e"}};

struct problem {
    struct array src, weights, bias, dst;
};

static struct problem problem_new(const struct shape *s, const struct types *t) {
    struct problem p = {.src = array_new(s->ndims, s->src, t->src),
                        .weights = array_new(s->ndims, s->weights, t->weights),
                        .dst = array_new(s->ndims, s->dst, t->dst)};
    if (t->bias) p.bias = array_new(s->ndims, s->bias, t->bias);
    return p;
}

static void problem_free(struct problem *p) {
    array_free(&p->src);
    array_free(&p->weights);
    array_free(&p->bias);
    array_free(&p->dst);
}

static void problem_fill(struct problem *p, unsigned seed) {
    array_fill(&p->src, 3, seed + 1);
    array_fill(&p->weights, 2, seed + 2);
    if (p->bias.values) array_fill(&p->bias, 4, seed + 3);
}

/* Fills dst and its tolerance, as in convolution.c. */
static void reference(struct problem *p, const struct attr_run *run, struct array *tolerance) {
    int n = p->dst.ndims;
    dnnl_dim_t depth = p->src.dims[n - 1];
    dnnl_dims_t out = {0};
    if (p->dst.count == 0) return;
    do {
        double sum = 0, magnitude = 0, bias = p->bias.values ? array_at(&p->bias, out) : 0;
        for (dnnl_dim_t k = 0; k < depth; k++) {
            dnnl_dims_t src = {0}, weights = {0};
            for (int d = 0; d < n; d++)
                src[d] = weights[d] = out[d];
            src[n - 1] = weights[n - 2] = k;
            double product = (array_at(&p->src, src) - attr_run_src_zero(run, src))
                             * (array_at(&p->weights, weights) - run->c->weights_zero_point);
            sum += product;
            magnitude += fabs(product);
        }
        int64_t i = array_index(&p->dst, out);
        p->dst.values[i] = attr_run_apply(run, sum, bias, out[n - 1], out);
        tolerance->values[i] = ((double)depth + 4) * 0x1p-24 * (magnitude + fabs(bias) + 4);
    } while (next_position(n, p->dst.dims, out));
}

static dnnl_status_t desc_new(dnnl_primitive_desc_t *pd, const struct problem *p, int layout,
                              const_dnnl_primitive_attr_t attr) {
    const char *tag = tags[layout][p->dst.ndims], *bias_tag = tags[1][p->dst.ndims];
    dnnl_memory_desc_t src = md_of(&p->src, tag), weights = md_of(&p->weights, tag),
                       dst = md_of(&p->dst, tag);
    dnnl_memory_desc_t bias = p->bias.values ? md_of(&p->bias, bias_tag) : NULL;
    dnnl_status_t status =
            dnnl_matmul_primitive_desc_create(pd, test_engine(), src, weights, bias, dst, attr);
    dnnl_memory_desc_destroy(src);
    dnnl_memory_desc_destroy(weights);
    dnnl_memory_desc_destroy(bias);
    dnnl_memory_desc_destroy(dst);
    return status;
}

static void run_problem(struct problem *p, const struct attr_case *c, int layout, bool decompress, bool exact,
                        const char *what) {
    struct attr_run run;
    struct array tolerance = array_new(p->dst.ndims, p->dst.dims, dnnl_f32);
    attr_run_init(&run, c, &p->src, &p->weights, &p->dst);
    if (decompress) dnnl_primitive_attr_set_fpmath_mode_v2(run.attr, dnnl_fpmath_mode_any, 1);
    reference(p, &run, &tolerance);
    dnnl_primitive_desc_t pd;
    dnnl_status_t status = desc_new(&pd, p, layout, run.attr);
    const struct input inputs[] = {
            {DNNL_ARG_SRC, &p->src}, {DNNL_ARG_WEIGHTS, &p->weights}, {DNNL_ARG_BIAS, &p->bias}};
    if (status != dnnl_success)
        failure("%s: creation gives %d", what, (int)status);
    else
        run_implementations(pd, &run, inputs, COUNT(inputs), &p->dst, exact ? NULL : &tolerance, what);
    attr_run_free(&run);
    array_free(&tolerance);
}

static bool is_int8(dnnl_data_type_t type) {
    return type == dnnl_s8 || type == dnnl_u8;
}

static void numbers(void **state) {
    (void)state;
    for (int t = 0; t < COUNT(types); t++)
        for (int s = 0; s < COUNT(shapes); s++)
            for (int a = 0; a < COUNT(attrs); a++) {
                if (attrs[a].zero_points && !is_int8(types[t].src)) continue;
                struct attr_case c = attrs[a].c;
                if (c.weights_mask) c.weights_mask = 1 << (shapes[s].ndims - 1);
                struct problem p = problem_new(&shapes[s], &types[t]);
                problem_fill(&p, (unsigned)(10 * s + t));
                char what[128];
                int layout = (t + s + a) % LAYOUTS;
                snprintf(what, sizeof what, "shape %d, types %d, layout %d, %s", s, t, layout, c.name);
                run_problem(&p, &c, layout, types[t].decompress, true, what);
                problem_free(&p);
            }
    printf("%d runs\n", implementations_run);
    assert_int_equal(failures, 0);
}

static void real_numbers(void **state) {
    (void)state;
    for (int s = 0; s < COUNT(shapes); s++)
        for (int layout = 0; layout < LAYOUTS; layout++) {
            struct problem p = problem_new(&shapes[s], &types[0]);
            array_fill_real(&p.src, 1u + (unsigned)s);
            array_fill_real(&p.weights, 2);
            array_fill_real(&p.bias, 3);
            char what[128];
            snprintf(what, sizeof what, "real numbers, shape %d, layout %d", s, layout);
            run_problem(&p, &attrs[layout % 2].c, layout, false, false, what);
            problem_free(&p);
        }
    assert_int_equal(failures, 0);
}

/* Scales and zero points that change along K and N. */

struct group_case {
    const char *name;
    struct types types;
    dnnl_dims_t src_scale, weights_scale, weights_zero; /* groups along the two dimensions; 0: none */
    dnnl_data_type_t scale_type, zero_type;
};

static const struct group_case group_cases[] = {
        {"weights by K", {dnnl_f32, dnnl_s8, 0, dnnl_f32, true}, {0}, {16, 1}, {0}, dnnl_f32, dnnl_s32},
        {"weights by K and N",
         {dnnl_bf16, dnnl_u4, 0, dnnl_f32, true},
         {0},
         {32, 1},
         {16, 1},
         dnnl_f16,
         dnnl_u8},
        {"columns in groups",
         {dnnl_f16, dnnl_s4, 0, dnnl_f16, true},
         {0},
         {16, 16},
         {16, 16},
         dnnl_f16,
         dnnl_s8},
        {"integers", {dnnl_u8, dnnl_s8, 0, dnnl_f32, false}, {1, 32}, {16, 1}, {0}, dnnl_f32, dnnl_s32},
        {"integers with zero points",
         {dnnl_s8, dnnl_s8, 0, dnnl_f32, false},
         {0},
         {32, 1},
         {16, 1},
         dnnl_f32,
         dnnl_s8},
};

enum { GROUP_M = 3, GROUP_K = 64, GROUP_N = 32 };

/* A parameter for each group of a matrix. */
static struct array group_array(const dnnl_dim_t *groups, const struct array *matrix, dnnl_data_type_t type) {
    if (groups[0] == 0) return (struct array){0};
    dnnl_dims_t dims = {matrix->dims[0] / groups[0], matrix->dims[1] / groups[1]};
    return array_new(2, dims, type);
}

static double group_value(const struct array *array, const dnnl_dim_t *groups, dnnl_dim_t row,
                          dnnl_dim_t column, double none) {
    if (!array->values) return none;
    return array->values[row / groups[0] * array->dims[1] + column / groups[1]];
}

static void run_groups(const struct group_case *g) {
    struct problem p = {.src = array_new(2, (dnnl_dims_t){GROUP_M, GROUP_K}, g->types.src),
                        .weights = array_new(2, (dnnl_dims_t){GROUP_K, GROUP_N}, g->types.weights),
                        .dst = array_new(2, (dnnl_dims_t){GROUP_M, GROUP_N}, g->types.dst)};
    problem_fill(&p, 3);
    struct array src_scales = group_array(g->src_scale, &p.src, g->scale_type);
    struct array weights_scales = group_array(g->weights_scale, &p.weights, g->scale_type);
    struct array zeros = group_array(g->weights_zero, &p.weights, g->zero_type);
    for (int64_t i = 0; i < src_scales.count; i++)
        src_scales.values[i] = ldexp(1, (int)(i % 3) - 1);
    for (int64_t i = 0; i < weights_scales.count; i++)
        weights_scales.values[i] = ldexp(1, (int)(i % 4) - 2);
    for (int64_t i = 0; i < zeros.count; i++)
        zeros.values[i] = (double)(i % 3);
    for (dnnl_dim_t m = 0; m < GROUP_M; m++)
        for (dnnl_dim_t n = 0; n < GROUP_N; n++) {
            double sum = 0;
            for (dnnl_dim_t k = 0; k < GROUP_K; k++)
                sum += p.src.values[m * GROUP_K + k] * group_value(&src_scales, g->src_scale, m, k, 1)
                       * (p.weights.values[k * GROUP_N + n] - group_value(&zeros, g->weights_zero, k, n, 0))
                       * group_value(&weights_scales, g->weights_scale, k, n, 1);
            p.dst.values[m * GROUP_N + n] = sum;
        }

    static const struct attr_case plain = {.name = "groups"};
    struct attr_run run;
    struct exec exec = {0};
    attr_run_init(&run, &plain, &p.src, &p.weights, &p.dst);
    if (g->types.decompress) dnnl_primitive_attr_set_fpmath_mode_v2(run.attr, dnnl_fpmath_mode_any, 1);
    const struct {
        const struct array *array;
        const dnnl_dim_t *groups;
        int kind, arg;
    } parameters[] = {{&src_scales, g->src_scale, DNNL_ARG_ATTR_SCALES, DNNL_ARG_SRC},
                      {&weights_scales, g->weights_scale, DNNL_ARG_ATTR_SCALES, DNNL_ARG_WEIGHTS},
                      {&zeros, g->weights_zero, DNNL_ARG_ATTR_ZERO_POINTS, DNNL_ARG_WEIGHTS}};
    for (int i = 0; i < COUNT(parameters); i++) {
        const struct array *array = parameters[i].array;
        if (!array->values) continue;
        if (parameters[i].kind == DNNL_ARG_ATTR_SCALES)
            dnnl_primitive_attr_set_scales(run.attr, parameters[i].arg, 3, 2, parameters[i].groups,
                                           array->type);
        else
            dnnl_primitive_attr_set_zero_points(run.attr, parameters[i].arg, 3, 2, parameters[i].groups,
                                                array->type);
        dnnl_memory_desc_t md = md_of(array, "ab");
        exec_add(&exec, parameters[i].kind | parameters[i].arg, memory_new(md, array));
        dnnl_memory_desc_destroy(md);
    }
    dnnl_primitive_desc_t pd;
    dnnl_status_t status = desc_new(&pd, &p, 1, run.attr);
    if (status == dnnl_success) {
        struct array result = array_new(2, p.dst.dims, p.dst.type);
        exec_add(&exec, DNNL_ARG_SRC,
                 memory_new(dnnl_primitive_desc_query_md(pd, dnnl_query_src_md, 0), &p.src));
        exec_add(&exec, DNNL_ARG_WEIGHTS,
                 memory_new(dnnl_primitive_desc_query_md(pd, dnnl_query_weights_md, 0), &p.weights));
        exec_add(&exec, DNNL_ARG_DST,
                 memory_new(dnnl_primitive_desc_query_md(pd, dnnl_query_dst_md, 0), NULL));
        if (exec_run(&exec, pd) != dnnl_success) failure("%s: execution fails", g->name);
        memory_read(exec_find(&exec, DNNL_ARG_DST), &result);
        for (int64_t i = 0; i < result.count; i++)
            if (result.values[i] != round_to_type(p.dst.values[i], p.dst.type)) {
                failure("%s: element %d is %g instead of %g", g->name, (int)i, result.values[i],
                        p.dst.values[i]);
                break;
            }
        array_free(&result);
        dnnl_primitive_desc_destroy(pd);
    } else {
        failure("%s: creation gives %d", g->name, (int)status);
    }
    exec_free(&exec);
    attr_run_free(&run);
    array_free(&src_scales);
    array_free(&weights_scales);
    array_free(&zeros);
    problem_free(&p);
}

static void groups(void **state) {
    (void)state;
    for (int i = 0; i < COUNT(group_cases); i++)
        run_groups(&group_cases[i]);
    assert_int_equal(failures, 0);
}

/* One primitive whose sizes are open, executed with several. */
static void open_sizes(void **state) {
    (void)state;
    const dnnl_dim_t open = DNNL_RUNTIME_DIM_VAL;
    static const struct attr_case relu = {
            .name = "relu", .ops = {{.kind = dnnl_eltwise, .alg = dnnl_eltwise_relu, .alpha = 0.5f}}};
    dnnl_memory_desc_t src, weights, bias, dst;
    dnnl_dims_t dims = {open, open}, strides = {open, 1}, bias_dims = {1, open};
    assert_int_equal(dnnl_memory_desc_create_with_strides(&src, 2, dims, dnnl_f32, strides), dnnl_success);
    assert_int_equal(dnnl_memory_desc_create_with_strides(&weights, 2, dims, dnnl_f32, strides),
                     dnnl_success);
    assert_int_equal(dnnl_memory_desc_create_with_strides(&bias, 2, bias_dims, dnnl_f32, strides),
                     dnnl_success);
    assert_int_equal(dnnl_memory_desc_create_with_strides(&dst, 2, dims, dnnl_f32, strides), dnnl_success);
    for (int s = 0; s < 4; s++) {
        struct problem p = problem_new(&shapes[s], &types[0]);
        if (p.bias.dims[0] != 1 || p.bias.dims[1] == 1) {
            problem_free(&p);
            continue;
        }
        problem_fill(&p, (unsigned)s);
        struct attr_run run;
        struct array tolerance = array_new(2, p.dst.dims, dnnl_f32),
                     result = array_new(2, p.dst.dims, dnnl_f32);
        attr_run_init(&run, &relu, &p.src, &p.weights, &p.dst);
        reference(&p, &run, &tolerance);
        dnnl_primitive_desc_t pd;
        assert_int_equal(
                dnnl_matmul_primitive_desc_create(&pd, test_engine(), src, weights, bias, dst, run.attr),
                dnnl_success);
        struct exec exec = {0};
        const struct input tensors[] = {
                {DNNL_ARG_SRC, &p.src}, {DNNL_ARG_WEIGHTS, &p.weights}, {DNNL_ARG_BIAS, &p.bias}};
        for (int i = 0; i < COUNT(tensors); i++) {
            dnnl_memory_desc_t md = md_of(tensors[i].array, "ab");
            exec_add(&exec, tensors[i].arg, memory_new(md, tensors[i].array));
            dnnl_memory_desc_destroy(md);
        }
        dnnl_memory_desc_t md = md_of(&p.dst, "ab");
        exec_add(&exec, DNNL_ARG_DST, memory_new(md, NULL));
        dnnl_memory_desc_destroy(md);
        assert_int_equal(exec_run(&exec, pd), dnnl_success);
        memory_read(exec_find(&exec, DNNL_ARG_DST), &result);
        for (int64_t i = 0; i < result.count; i++)
            if (result.values[i] != p.dst.values[i])
                failure("open sizes, shape %d: element %d is wrong", s, (int)i);
        exec_free(&exec);
        dnnl_primitive_desc_destroy(pd);
        attr_run_free(&run);
        array_free(&tolerance);
        array_free(&result);
        problem_free(&p);
    }
    dnnl_memory_desc_destroy(src);
    dnnl_memory_desc_destroy(weights);
    dnnl_memory_desc_destroy(bias);
    dnnl_memory_desc_destroy(dst);
    assert_int_equal(failures, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers), cmocka_unit_test(real_numbers),
                                       cmocka_unit_test(groups), cmocka_unit_test(open_sizes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
