/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forward pooling against plain loops: shapes x algorithms x types x attributes x layouts, on every
 * implementation that takes the problem, and the workspace of training.
 */
#include "primitives/harness.h"

#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

struct shape {
    int nspatial;
    dnnl_dim_t batch, channels;
    dnnl_dims_t in, kernel, stride, dilation, left, right;
};

static const struct shape shapes[] = {
        {2, 2, 3, {6, 7}, {2, 2}, {2, 2}, {0, 0}, {0, 0}, {0, 1}},
        {2, 1, 16, {5, 5}, {3, 3}, {2, 2}, {0, 0}, {1, 1}, {1, 1}},
        {2, 1, 37, {9, 8}, {3, 2}, {1, 3}, {1, 2}, {2, 1}, {2, 1}},
        {1, 2, 5, {11}, {4}, {3}, {0}, {2}, {1}},
        {3, 1, 18, {4, 5, 6}, {2, 3, 2}, {2, 1, 2}, {0, 0, 1}, {1, 1, 0}, {1, 1, 0}},
        {2, 1, 8, {4, 4}, {4, 4}, {1, 1}, {0, 0}, {0, 0}, {0, 0}},
        {2, 1, 24, {20, 20}, {17, 16}, {2, 2}, {0, 0}, {3, 3}, {3, 3}}, /* more than 255 taps */
        {2, 0, 4, {4, 4}, {2, 2}, {1, 1}, {0, 0}, {0, 0}, {0, 0}},
        /* rows that are longer than vectors */
        {2, 2, 5, {5, 40}, {3, 3}, {1, 1}, {0, 0}, {1, 1}, {1, 1}},
        {2, 1, 6, {7, 71}, {3, 3}, {2, 2}, {0, 0}, {1, 1}, {1, 1}},
        {2, 1, 9, {3, 34}, {5, 4}, {1, 2}, {0, 1}, {3, 3}, {3, 3}},
        {2, 1, 3, {4, 60}, {2, 3}, {1, 3}, {0, 0}, {0, 1}, {0, 1}},
        {1, 3, 1, {50}, {3}, {1}, {3}, {5}, {6}},
        {2, 2, 5, {6, 7}, {6, 7}, {6, 7}, {0, 0}, {0, 0}, {0, 0}}, /* whole planes */
        /* several vectors of channels, in blocks or not */
        {1, 2, 112, {11}, {4}, {3}, {0}, {2}, {1}},
        {2, 1, 90, {6, 5}, {3, 3}, {2, 1}, {0, 0}, {1, 1}, {1, 1}},
        {3, 1, 48, {4, 5, 6}, {2, 3, 2}, {2, 1, 2}, {0, 0, 1}, {1, 1, 0}, {1, 1, 0}},
        {3, 1, 7, {3, 4, 18}, {2, 2, 3}, {1, 2, 1}, {1, 0, 2}, {1, 1, 3}, {1, 1, 2}},
        /* whole lines of the cache of channels, of every type */
        {2, 1, 128, {5, 9}, {3, 3}, {1, 1}, {0, 0}, {1, 1}, {1, 1}},
        {2, 2, 192, {9, 6}, {3, 2}, {2, 2}, {0, 0}, {1, 0}, {1, 1}},
};

static const struct {
    dnnl_data_type_t src, dst;
} types[] = {
        {dnnl_f32, dnnl_f32}, {dnnl_bf16, dnnl_bf16},       {dnnl_f16, dnnl_f16},
        {dnnl_s8, dnnl_s8},   {dnnl_u8, dnnl_u8},           {dnnl_s32, dnnl_s32},
        {dnnl_u8, dnnl_f32},  {dnnl_f8_e5m2, dnnl_f8_e5m2}, {dnnl_s4, dnnl_s8},
};

static const dnnl_alg_kind_t algs[] = {dnnl_pooling_max, dnnl_pooling_avg_include_padding,
                                       dnnl_pooling_avg_exclude_padding};

static const struct attr_case attrs[] = {
        {.name = "plain"},
        {.name = "relu", .ops = {{.kind = dnnl_eltwise, .alg = dnnl_eltwise_relu, .alpha = 0.5f}}},
        {.name = "binary",
         .ops = {{.kind = dnnl_binary, .alg = dnnl_binary_add, .mask = 2},
                 {.kind = dnnl_binary, .alg = dnnl_binary_max, .mask = -1}}},
        {.name = "more than one launch holds",
         .ops = {BINARY(dnnl_binary_add, 2), BINARY(dnnl_binary_sub, 1), BINARY(dnnl_binary_max, 2),
                 BINARY(dnnl_binary_add, 2), BINARY(dnnl_binary_sub, 1), BINARY(dnnl_binary_min, 2),
                 BINARY(dnnl_binary_add, 2), BINARY(dnnl_binary_sub, 1), BINARY(dnnl_binary_max, 2),
                 BINARY(dnnl_binary_add, 2), BINARY(dnnl_binary_sub, 1), BINARY(dnnl_binary_max, 2)}},
};

enum { LAYOUTS = 3 };
static const char *const tags[LAYOUTS][4] = {
        {0, "abc", "abcd", "abcde"}, {0, "acb", "acdb", "acdeb"}, {0, "aBc16b", "aBcd8b", "aBcde16b"}};

struct problem {
    struct shape s;
    dnnl_alg_kind_t alg;
    dnnl_prop_kind_t prop;
    bool real; /* numbers whose sums are not exact */
    struct array src, dst, workspace, error;
};

static double lowest(dnnl_data_type_t type) {
    switch (type) {
    case dnnl_s8: return -128;
    case dnnl_u8: return 0;
    case dnnl_s32: return -0x1p31;
    case dnnl_f16: return -65504;
    case dnnl_bf16: return -0x1.fep127;
    case dnnl_f8_e5m2: return -57344;
    default: return -(double)FLT_MAX;
    }
}

/* One output; *best is the number of the tap with the maximum. Whole and half numbers add up exactly. */
static struct bounded pool(const struct problem *p, const dnnl_dim_t *out, double *best) {
    const struct shape *s = &p->s;
    bool max = p->alg == dnnl_pooling_max;
    dnnl_dim_t taps[3] = {1, 1, 1}, tap[3] = {0}, all = 1, number = 0;
    dnnl_dims_t at = {out[0], out[1]};
    double most = lowest(p->dst.type);
    struct sum sum = {0};
    for (int i = 0; i < s->nspatial; i++)
        all *= taps[i] = s->kernel[i];
    *best = 0;
    do {
        bool inside = true;
        for (int i = 0; i < s->nspatial; i++) {
            at[2 + i] = out[2 + i] * s->stride[i] - s->left[i] + tap[i] * (s->dilation[i] + 1);
            inside = inside && at[2 + i] >= 0 && at[2 + i] < s->in[i];
        }
        if (inside) {
            double y = array_at(&p->src, at);
            sum_add(&sum, y);
            if (y > most) most = y, *best = (double)number;
        }
        number++;
    } while (next_position(s->nspatial, taps, tap));
    if (max) return exactly(most);
    struct bounded total = p->real ? sum_of_terms(&sum) : exactly(sum.value);
    return bounded_div(total,
                       exactly((double)(p->alg == dnnl_pooling_avg_include_padding ? all : sum.terms)));
}

static void reference(struct problem *p, const struct attr_run *run) {
    dnnl_dims_t out = {0};
    if (p->dst.count == 0) return;
    do {
        int64_t i = array_index(&p->dst, out);
        struct bounded x = pool(p, out, &p->workspace.values[i]);
        store_bounded(attr_run_apply(run, x, 0, 0, out), i, &p->dst, &p->error);
    } while (next_position(p->dst.ndims, p->dst.dims, out));
}

static dnnl_dim_t out_size(const struct shape *s, int i) {
    dnnl_dim_t extent = (s->kernel[i] - 1) * (s->dilation[i] + 1) + 1;
    return (s->in[i] - extent + s->left[i] + s->right[i]) / s->stride[i] + 1;
}

static struct problem problem_new(const struct shape *s, int t, dnnl_alg_kind_t alg, dnnl_prop_kind_t prop,
                                  bool real) {
    dnnl_dims_t src = {s->batch, s->channels}, dst = {s->batch, s->channels};
    dnnl_dim_t taps = 1;
    for (int i = 0; i < s->nspatial; i++) {
        src[2 + i] = s->in[i];
        dst[2 + i] = out_size(s, i);
        taps *= s->kernel[i];
    }
    int n = s->nspatial + 2;
    return (struct problem){.s = *s,
                            .alg = alg,
                            .prop = prop,
                            .real = real,
                            .src = array_new(n, src, types[t].src),
                            .dst = array_new(n, dst, types[t].dst),
                            .workspace = array_new(n, dst, taps > 255 ? dnnl_s32 : dnnl_u8),
                            .error = array_new(n, dst, dnnl_f64)};
}

static void problem_free(struct problem *p) {
    array_free(&p->src);
    array_free(&p->dst);
    array_free(&p->workspace);
    array_free(&p->error);
}

static dnnl_status_t desc_new(dnnl_primitive_desc_t *pd, const struct problem *p, int layout, bool any,
                              const_dnnl_primitive_attr_t attr) {
    const char *tag = tags[layout][p->s.nspatial];
    dnnl_memory_desc_t src = md_of(&p->src, tag), dst = md_of(&p->dst, any ? NULL : tag);
    dnnl_status_t status = dnnl_pooling_forward_primitive_desc_create(
            pd, test_engine(), p->prop, p->alg, src, dst, p->s.stride, p->s.kernel, p->s.dilation, p->s.left,
            p->s.right, attr);
    dnnl_memory_desc_destroy(src);
    dnnl_memory_desc_destroy(dst);
    return status;
}

/* Maxima of exact numbers are exact, and so is the workspace, which training alone has. */
static void run_problem(struct problem *p, const struct attr_case *c, int layout, bool any,
                        const char *what) {
    static const struct array none;
    bool exact = p->alg == dnnl_pooling_max && !p->real;
    struct attr_run run;
    attr_run_init(&run, c, &p->src, &p->src, &p->dst);
    reference(p, &run);
    dnnl_primitive_desc_t pd;
    dnnl_status_t status = desc_new(&pd, p, layout, any, run.attr);
    run_implementations(
            status, pd,
            &(struct test_run){.what = what,
                               .attr = &run,
                               .inputs = {{DNNL_ARG_SRC, &p->src}},
                               .outputs = {{DNNL_ARG_DST, &p->dst, .error = exact ? NULL : &p->error},
                                           {DNNL_ARG_WORKSPACE,
                                            p->prop == dnnl_forward_training ? &p->workspace : &none}}});
    attr_run_free(&run);
}

static void numbers(void **state) {
    (void)state;
    for (int t = 0; t < COUNT(types); t++)
        for (int s = 0; s < COUNT(shapes); s++)
            for (int g = 0; g < COUNT(algs); g++)
                for (int a = 0; a < COUNT(attrs); a++) {
                    int layout = (t + s + a) % LAYOUTS;
                    struct problem p = problem_new(&shapes[s], t, algs[g], dnnl_forward_inference, false);
                    array_fill(&p.src, 5, 1u + (unsigned)s);
                    char what[128];
                    snprintf(what, sizeof what, "shape %d, types %d, algorithm %d, layout %d, %s", s, t, g,
                             layout, attrs[a].name);
                    run_problem(&p, &attrs[a], layout, a == 1, what);
                    problem_free(&p);
                }
    printf("%d runs\n", implementations_run);
    assert_int_equal(failures, 0);
}

/* Every shape, algorithm and layout. */
static void real_numbers(void **state) {
    (void)state;
    for (int t = 0; t < COUNT(types); t++)
        for (int s = 0; s < COUNT(shapes); s++)
            for (int g = 0; g < COUNT(algs); g++)
                for (int layout = 0; layout < LAYOUTS; layout++) {
                    if (is_integer(types[t].src)) continue;
                    struct problem p = problem_new(&shapes[s], t, algs[g], dnnl_forward_inference, true);
                    array_fill_real(&p.src, 5u + (unsigned)s);
                    char what[128];
                    snprintf(what, sizeof what, "real numbers, shape %d, types %d, algorithm %d, layout %d",
                             s, t, g, layout);
                    run_problem(&p, &attrs[(s + layout) % COUNT(attrs)], layout, false, what);
                    problem_free(&p);
                }
    assert_int_equal(failures, 0);
}

static void workspaces(void **state) {
    (void)state;
    for (int t = 0; t < COUNT(types); t++)
        for (int s = 0; s < COUNT(shapes); s++)
            for (int layout = 0; layout < LAYOUTS; layout++) {
                struct problem p = problem_new(&shapes[s], t, dnnl_pooling_max, dnnl_forward_training, false);
                array_fill(&p.src, 3, 9u + (unsigned)s);
                char what[128];
                snprintf(what, sizeof what, "training, shape %d, types %d, layout %d", s, t, layout);
                run_problem(&p, &attrs[0], layout, false, what);
                problem_free(&p);
            }
    assert_int_equal(failures, 0);
}

/* Maxima of s32 that differ by less than floats can tell, inference and training. */
static void large_integers(void **state) {
    (void)state;
    const int s32 = 5;
    for (int s = 0; s < COUNT(shapes); s++)
        for (int layout = 0; layout < LAYOUTS; layout++)
            for (int trains = 0; trains < 2; trains++) {
                struct problem p =
                        problem_new(&shapes[s], s32, dnnl_pooling_max,
                                    trains ? dnnl_forward_training : dnnl_forward_inference, false);
                array_fill(&p.src, 3, 17u + (unsigned)s);
                for (int64_t i = 0; i < p.src.count; i++)
                    p.src.values[i] += s % 2 ? 0x1p30 : -0x1p30;
                char what[128];
                snprintf(what, sizeof what, "large integers, shape %d, layout %d, training %d", s, layout,
                         trains);
                assert_int_equal(types[s32].src, dnnl_s32);
                run_problem(&p, &attrs[0], layout, false, what);
                problem_free(&p);
            }
    assert_int_equal(failures, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers), cmocka_unit_test(real_numbers),
                                       cmocka_unit_test(workspaces), cmocka_unit_test(large_integers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
