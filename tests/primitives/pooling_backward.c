/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pooling, backward, against plain loops in double that scatter the gradients: shapes x algorithms x types x
 * layouts, on every implementation that takes the problem; what must be refused.
 */
#include "primitives/harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

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
        {2, 1, 300, {3, 4}, {2, 2}, {1, 2}, {0, 0}, {0, 1}, {1, 1}}, /* more than a block of channels */
        {1, 1, 2, {2700}, {3}, {1}, {0}, {1}, {1}},                  /* more than a block of outputs */
        {1, 1, 2, {1900}, {40}, {3}, {1}, {7}, {5}},
        /* Windows that have loops of their own, with rows of several vectors and a tail, and few elements. */
        {2, 1, 67, {5, 45}, {3, 3}, {2, 2}, {0, 0}, {1, 1}, {1, 1}},
        {2, 1, 66, {6, 70}, {3, 3}, {2, 2}, {0, 0}, {0, 0}, {0, 1}},
        {2, 1, 65, {4, 40}, {3, 3}, {1, 1}, {0, 0}, {1, 2}, {1, 1}},
        {2, 1, 64, {4, 66}, {2, 2}, {2, 2}, {0, 0}, {0, 0}, {0, 0}},
        {1, 1, 80, {2}, {3}, {2}, {0}, {1}, {2}},
        /* several vectors of channels, in blocks or not */
        {1, 2, 112, {11}, {4}, {3}, {0}, {2}, {1}},
        {2, 1, 90, {6, 5}, {3, 3}, {2, 1}, {0, 0}, {1, 1}, {1, 1}},
        {3, 1, 48, {4, 5, 6}, {2, 3, 2}, {2, 1, 2}, {0, 0, 1}, {1, 1, 0}, {1, 1, 0}},
        {3, 1, 7, {3, 4, 18}, {2, 2, 3}, {1, 2, 1}, {1, 0, 2}, {1, 1, 3}, {1, 1, 2}},
};

static const dnnl_alg_kind_t algs[] = {dnnl_pooling_max, dnnl_pooling_avg_include_padding,
                                       dnnl_pooling_avg_exclude_padding};
enum { LAYOUTS = 3 };
static const char *const tags[LAYOUTS][4] = {
        {0, "abc", "abcd", "abcde"}, {0, "acb", "acdb", "acdeb"}, {0, "aBc16b", "aBcd8b", "aBcde16b"}};

struct problem {
    struct shape s;
    dnnl_alg_kind_t alg;
    const char *diff_dst_tag, *diff_src_tag; /* NULL: open */
    struct array diff_src, diff_dst, workspace, error;
    struct sum *sums;
};

static dnnl_dim_t out_size(const struct shape *s, int i) {
    dnnl_dim_t extent = (s->kernel[i] - 1) * (s->dilation[i] + 1) + 1;
    return (s->in[i] - extent + s->left[i] + s->right[i]) / s->stride[i] + 1;
}

static dnnl_dim_t all_taps(const struct shape *s) {
    dnnl_dim_t taps = 1;
    for (int i = 0; i < s->nspatial; i++)
        taps *= s->kernel[i];
    return taps;
}

/* The position that a tap of the window at `out` reads; false: it is in the padding. */
static bool reads(const struct shape *s, const dnnl_dim_t *out, const dnnl_dim_t *tap, dnnl_dim_t *at) {
    bool inside = true;
    at[0] = out[0], at[1] = out[1];
    for (int i = 0; i < s->nspatial; i++) {
        at[2 + i] = out[2 + i] * s->stride[i] - s->left[i] + tap[i] * (s->dilation[i] + 1);
        inside = inside && at[2 + i] >= 0 && at[2 + i] < s->in[i];
    }
    return inside;
}

static dnnl_dim_t taps_inside(const struct shape *s, const dnnl_dim_t *out) {
    dnnl_dim_t tap[3] = {0}, count = 0;
    dnnl_dims_t at;
    do
        count += reads(s, out, tap, at);
    while (next_position(s->nspatial, s->kernel, tap));
    return count;
}

/* Adds the gradient of one output to the elements of its window. */
static void scatter(struct problem *p, const dnnl_dim_t *out) {
    const struct shape *s = &p->s;
    const bool all = p->alg == dnnl_pooling_avg_include_padding;
    const double divisor = (double)(all ? all_taps(s) : taps_inside(s, out));
    dnnl_dim_t tap[3] = {0}, number = 0;
    dnnl_dims_t at;
    struct bounded d = exactly(array_at(&p->diff_dst, out));
    if (p->alg != dnnl_pooling_max) d = bounded_div(d, exactly(divisor));
    do {
        const bool wanted = p->alg != dnnl_pooling_max || array_at(&p->workspace, out) == (double)number;
        if (reads(s, out, tap, at) && wanted) sum_add_bounded(&p->sums[array_index(&p->diff_src, at)], d);
        number++;
    } while (next_position(s->nspatial, s->kernel, tap));
}

static void reference(struct problem *p) {
    dnnl_dims_t out = {0};
    if (p->diff_dst.count == 0) return;
    p->sums = calloc((size_t)p->diff_src.count, sizeof *p->sums);
    do
        scatter(p, out);
    while (next_position(p->diff_dst.ndims, p->diff_dst.dims, out));
    for (int64_t i = 0; i < p->diff_src.count; i++)
        store_bounded(sum_of_terms(&p->sums[i]), i, &p->diff_src, &p->error);
    free(p->sums);
}

/* Any tap may have been the maximum; a tap in the padding stands for a window without one. */
static void fill_workspace(struct array *workspace, dnnl_dim_t taps) {
    unsigned x = 1;
    for (int64_t i = 0; i < workspace->count; i++) {
        x = x * 1103515245u + 12345u;
        workspace->values[i] = (double)(x / 65536u % (unsigned)taps);
    }
}

static dnnl_status_t desc_new(dnnl_primitive_desc_t *pd, const struct problem *p, bool hinted) {
    const struct shape *s = &p->s;
    const char *tag = p->diff_dst_tag ? p->diff_dst_tag : p->diff_src_tag;
    dnnl_memory_desc_t src = md_of(&p->diff_src, tag), dst = md_of(&p->diff_dst, tag),
                       diff_src = md_of(&p->diff_src, p->diff_src_tag),
                       diff_dst = md_of(&p->diff_dst, p->diff_dst_tag);
    dnnl_primitive_desc_t hint = NULL;
    dnnl_status_t status = dnnl_success;
    if (hinted)
        status = dnnl_pooling_forward_primitive_desc_create(&hint, test_engine(), dnnl_forward_training,
                                                            p->alg, src, dst, s->stride, s->kernel,
                                                            s->dilation, s->left, s->right, NULL);
    if (status == dnnl_success)
        status = dnnl_pooling_backward_primitive_desc_create(pd, test_engine(), p->alg, diff_src, diff_dst,
                                                             s->stride, s->kernel, s->dilation, s->left,
                                                             s->right, hint, NULL);
    dnnl_primitive_desc_destroy(hint);
    dnnl_memory_desc_destroy(src);
    dnnl_memory_desc_destroy(dst);
    dnnl_memory_desc_destroy(diff_src);
    dnnl_memory_desc_destroy(diff_dst);
    return status;
}

/* Every implementation of one problem. */
static void run_problem(struct problem *p, const struct shape *s, const dnnl_data_type_t *types,
                        const char *what) {
    static const struct array none;
    dnnl_dims_t in = {s->batch, s->channels}, out = {s->batch, s->channels};
    const int ndims = s->nspatial + 2;
    for (int i = 0; i < s->nspatial; i++) {
        in[2 + i] = s->in[i];
        out[2 + i] = out_size(s, i);
    }
    p->s = *s;
    p->diff_src = array_new(ndims, in, types[0]);
    p->error = array_new(ndims, in, dnnl_f64);
    p->diff_dst = array_new(ndims, out, types[1]);
    p->workspace = array_new(ndims, out, all_taps(s) > 255 ? dnnl_s32 : dnnl_u8);
    array_fill_real(&p->diff_dst, (unsigned)ndims);
    fill_workspace(&p->workspace, all_taps(s));
    reference(p);
    dnnl_primitive_desc_t pd;
    dnnl_status_t status = desc_new(&pd, p, true);
    run_implementations(
            status, pd,
            &(struct test_run){
                    .what = what,
                    .inputs = {{DNNL_ARG_DIFF_DST, &p->diff_dst},
                               {DNNL_ARG_WORKSPACE, p->alg == dnnl_pooling_max ? &p->workspace : &none}},
                    .outputs = {{DNNL_ARG_DIFF_SRC, &p->diff_src, .error = &p->error}}});
    array_free(&p->diff_src);
    array_free(&p->error);
    array_free(&p->diff_dst);
    array_free(&p->workspace);
}

static void numbers(void **state) {
    (void)state;
    failures = 0;
    static const dnnl_data_type_t types[][2] = {
            {dnnl_f32, dnnl_f32}, {dnnl_bf16, dnnl_bf16}, {dnnl_f16, dnnl_f16}};
    for (int t = 0; t < COUNT(types); t++)
        for (int s = 0; s < COUNT(shapes); s++)
            for (int g = 0; g < COUNT(algs); g++)
                for (int layout = 0; layout < LAYOUTS; layout++)
                    for (int other = 0; other <= LAYOUTS; other++) {
                        struct problem p = {.alg = algs[g],
                                            .diff_dst_tag = tags[layout][shapes[s].nspatial],
                                            .diff_src_tag =
                                                    other < LAYOUTS ? tags[other][shapes[s].nspatial] : NULL};
                        if (t > 0 && other != layout) continue;
                        char what[128];
                        snprintf(what, sizeof what, "shape %d, type %d, algorithm %d, layouts %d to %d", s,
                                 (int)types[t][0], g, layout, other);
                        run_problem(&p, &shapes[s], types[t], what);
                    }
    printf("%d runs\n", implementations_run);
    assert_int_equal(failures, 0);
}

/* diff_dst gets the layout that dst has. */
static void open_layouts(void **state) {
    (void)state;
    failures = 0;
    static const dnnl_data_type_t f32[] = {dnnl_f32, dnnl_f32};
    for (int g = 0; g < COUNT(algs); g++)
        for (int layout = 0; layout < LAYOUTS; layout++)
            run_problem(&(struct problem){.alg = algs[g], .diff_src_tag = tags[layout][2]}, &shapes[1], f32,
                        "an open layout of diff_dst");
    assert_int_equal(failures, 0);
}

static void refusals(void **state) {
    (void)state;
    static const dnnl_dims_t in = {1, 2, 4, 4}, out = {1, 2, 2, 2}, wrong = {1, 2, 3, 2};
    dnnl_primitive_desc_t pd = (dnnl_primitive_desc_t)&pd, untouched = pd;
    const struct shape s = {2, 1, 2, {4, 4}, {2, 2}, {2, 2}, {0, 0}, {0, 0}, {0, 0}};
    const struct {
        dnnl_alg_kind_t alg;
        const dnnl_dim_t *out;
        dnnl_data_type_t type;
        bool hinted;
        dnnl_status_t status;
    } cases[] = {
            {dnnl_pooling_avg_include_padding, wrong, dnnl_f32, false, dnnl_invalid_arguments},
            {dnnl_eltwise_relu, out, dnnl_f32, false, dnnl_invalid_arguments},
            {dnnl_pooling_max, out, dnnl_f32, false, dnnl_unimplemented},
            {dnnl_pooling_avg_include_padding, out, dnnl_s8, false, dnnl_unimplemented},
    };
    for (int i = 0; i < COUNT(cases); i++) {
        struct problem p = {.s = s, .alg = cases[i].alg, .diff_dst_tag = "abcd", .diff_src_tag = "abcd"};
        p.diff_src = array_new(4, in, cases[i].type);
        p.diff_dst = array_new(4, cases[i].out, cases[i].type);
        assert_int_equal(desc_new(&pd, &p, cases[i].hinted), cases[i].status);
        array_free(&p.diff_src);
        array_free(&p.diff_dst);
    }
    assert_ptr_equal(pd, untouched);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(numbers),
            cmocka_unit_test(open_layouts),
            cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
