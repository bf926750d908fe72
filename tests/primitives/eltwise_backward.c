/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Element-wise functions, backward, against derivatives in double: algorithms x types x layouts, on every
 * implementation that takes the problem; in place; hints; gradients against finite differences of our own
 * forward pass; what must be refused.
 */
#include "primitives/harness.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

struct function {
    dnnl_alg_kind_t alg;
    float alpha, beta;
    bool positive; /* defined for positive numbers only */
};

static const struct function functions[] = {
        {dnnl_eltwise_relu, 0, 0, false},
        {dnnl_eltwise_relu, 0.5f, 0, false},
        {dnnl_eltwise_tanh, 0, 0, false},
        {dnnl_eltwise_elu, 0.5f, 0, false},
        {dnnl_eltwise_square, 0, 0, false},
        {dnnl_eltwise_abs, 0, 0, false},
        {dnnl_eltwise_sqrt, 0, 0, true},
        {dnnl_eltwise_linear, 0.25f, 3, false},
        {dnnl_eltwise_soft_relu, 1, 0, false},
        {dnnl_eltwise_soft_relu, -2, 0, false},
        {dnnl_eltwise_hardsigmoid, 0.25f, 0.5f, false},
        {dnnl_eltwise_logistic, 0, 0, false},
        {dnnl_eltwise_exp, 0, 0, false},
        {dnnl_eltwise_gelu_tanh, 0, 0, false},
        {dnnl_eltwise_swish, 1.5f, 0, false},
        {dnnl_eltwise_log, 0, 0, true},
        {dnnl_eltwise_clip, -1, 2, false},
        {dnnl_eltwise_clip_v2, -1, 2, false},
        {dnnl_eltwise_pow, 2, 0.5f, true},
        {dnnl_eltwise_pow, 1, 3, true},
        {dnnl_eltwise_pow, 2, 0, true},
        {dnnl_eltwise_gelu_erf, 0, 0, false},
        {dnnl_eltwise_mish, 0, 0, false},
        {dnnl_eltwise_hardswish, 0.25f, 0.5f, false},
        {dnnl_eltwise_relu_use_dst_for_bwd, 0.5f, 0, false},
        {dnnl_eltwise_tanh_use_dst_for_bwd, 0, 0, false},
        {dnnl_eltwise_elu_use_dst_for_bwd, 0.5f, 0, false},
        {dnnl_eltwise_sqrt_use_dst_for_bwd, 0, 0, true},
        {dnnl_eltwise_logistic_use_dst_for_bwd, 0, 0, true},
        {dnnl_eltwise_exp_use_dst_for_bwd, 0, 0, true},
        {dnnl_eltwise_clip_v2_use_dst_for_bwd, -1, 2, false},
};

static bool takes_dst(const struct function *f) {
    return f->alg >= dnnl_eltwise_relu_use_dst_for_bwd;
}

/* The hint is that of a forward primitive with the same data. */
static dnnl_status_t desc_new(dnnl_primitive_desc_t *pd, const struct function *f, const struct array *data,
                              const char *data_tag, const struct array *diff_dst, const char *diff_dst_tag,
                              const struct array *diff_src, const char *diff_src_tag) {
    dnnl_memory_desc_t from = md_of(data, data_tag), in = md_of(diff_dst, diff_dst_tag),
                       out = md_of(diff_src, diff_src_tag);
    dnnl_primitive_desc_t hint = NULL;
    dnnl_status_t status = dnnl_eltwise_forward_primitive_desc_create(
            &hint, test_engine(), dnnl_forward_training, f->alg, from, from, f->alpha, f->beta, NULL);
    if (status == dnnl_success)
        status = dnnl_eltwise_backward_primitive_desc_create(pd, test_engine(), f->alg, out, in, from,
                                                             f->alpha, f->beta, hint, NULL);
    dnnl_primitive_desc_destroy(hint);
    dnnl_memory_desc_destroy(from);
    dnnl_memory_desc_destroy(in);
    dnnl_memory_desc_destroy(out);
    return status;
}

/* Every implementation of one problem; NULL tags are open layouts. */
static void run_problem(const struct function *f, const struct array *data, const char *data_tag,
                        const struct array *diff_dst, const char *diff_dst_tag, const char *diff_src_tag,
                        bool in_place) {
    struct array diff_src = array_like(data, diff_dst->type), error = array_like(data, dnnl_f64);
    char what[256];
    snprintf(what, sizeof what, "algorithm 0x%x(%g, %g), type %d, %s, %s to %s%s", (int)f->alg,
             (double)f->alpha, (double)f->beta, (int)data->type, data_tag,
             diff_dst_tag ? diff_dst_tag : "any", diff_src_tag ? diff_src_tag : "any",
             in_place ? " in place" : "");
    for (int64_t i = 0; i < data->count; i++) {
        struct bounded slope = eltwise_gradient(f->alg, f->alpha, f->beta, exactly(data->values[i]));
        store_bounded(bounded_mul(exactly(diff_dst->values[i]), slope), i, &diff_src, &error);
    }
    dnnl_primitive_desc_t pd;
    dnnl_status_t status = desc_new(&pd, f, data, data_tag, diff_dst, diff_dst_tag, &diff_src, diff_src_tag);
    run_implementations(status, pd,
                        &(struct test_run){.what = what,
                                           .inputs = {{takes_dst(f) ? DNNL_ARG_DST : DNNL_ARG_SRC, data},
                                                      {DNNL_ARG_DIFF_DST, diff_dst}},
                                           .outputs = {{DNNL_ARG_DIFF_SRC, &diff_src, .error = &error,
                                                        .in_place_of = in_place ? DNNL_ARG_DIFF_DST : 0}}});
    array_free(&diff_src);
    array_free(&error);
}

/* Moderate numbers: far from 0 the gradients of several functions are below what f32 can tell from 0. */
static void fill(struct array *data, const struct function *f, unsigned seed) {
    array_fill_real(data, seed);
    for (int64_t i = 0; i < data->count; i++) {
        double x = data->values[i] * (i % 3 == 0 ? 0.5 : i % 3 == 1 ? 2 : 6);
        if (f->positive) x = fabs(x) + 0.125;
        data->values[i] = round_to_type(x, data->type);
    }
}

static void floats(void **state) {
    (void)state;
    failures = 0;
    static const dnnl_dims_t dims = {2, 19, 5, 7};
    static const char *const tags[] = {"abcd", "acdb", "aBcd16b", "cdba"};
    static const dnnl_data_type_t types[] = {dnnl_f32, dnnl_bf16, dnnl_f16};
    for (int f = 0; f < COUNT(functions); f++)
        for (int t = 0; t < COUNT(types); t++)
            for (int k = 0; k < COUNT(tags); k++) {
                struct array data = array_new(4, dims, types[t]), diff = array_new(4, dims, types[t]);
                fill(&data, &functions[f], (unsigned)(f + k));
                array_fill_real(&diff, (unsigned)(100 + f));
                run_problem(&functions[f], &data, tags[k], &diff, tags[k], tags[k], false);
                if (t == 0) run_problem(&functions[f], &data, tags[k], &diff, NULL, NULL, true);
                if (t == 0) run_problem(&functions[f], &data, tags[k], &diff, tags[(k + 1) % 4], NULL, false);
                array_free(&data);
                array_free(&diff);
            }
    printf("%d runs\n", implementations_run);
    assert_int_equal(failures, 0);
}

static void lengths(void **state) {
    (void)state;
    failures = 0;
    static const dnnl_dim_t sizes[] = {0, 1, 15, 16, 17, 4095, 4096, 4097, 10000};
    for (int i = 0; i < COUNT(sizes); i++) {
        struct array data = array_new(1, &sizes[i], dnnl_f32), diff = array_new(1, &sizes[i], dnnl_f32);
        array_fill_real(&data, (unsigned)i);
        array_fill_real(&diff, (unsigned)i + 7);
        run_problem(&functions[2], &data, "a", &diff, "a", "a", false);
        run_problem(&functions[0], &data, "a", &diff, "a", "a", true);
        array_free(&data);
        array_free(&diff);
    }
    assert_int_equal(failures, 0);
}

/* The derivatives of this test itself against differences in double: smooth functions, step h, error of order
 * h^2. */
static void derivatives_are_right(void **state) {
    (void)state;
    const double h = 0x1p-12;
    for (int f = 0; f < COUNT(functions); f++) {
        const struct function *e = &functions[f];
        for (double x = e->positive ? 0.30 : -3.05; x < 3; x += 0.0625) {
            double y = eltwise_forward(e->alg, e->alpha, e->beta, exactly(x)).value;
            double more = eltwise_forward(e->alg, e->alpha, e->beta, exactly(x + h)).value;
            double less = eltwise_forward(e->alg, e->alpha, e->beta, exactly(x - h)).value;
            double slope = eltwise_gradient(e->alg, e->alpha, e->beta, exactly(takes_dst(e) ? y : x)).value;
            if (fabs((more - less) / (2 * h) - slope) > 1e-4 * (1 + fabs(slope)))
                fail_msg("algorithm 0x%x at %g: %g, not %g", (int)e->alg, x, slope, (more - less) / (2 * h));
        }
    }
}

static void refusals(void **state) {
    (void)state;
    static const dnnl_dims_t dims = {2, 3}, other = {2, 4};
    dnnl_memory_desc_t md = md_new(2, dims, dnnl_f32, "ab"), wrong = md_new(2, other, dnnl_f32, "ab"),
                       bytes = md_new(2, dims, dnnl_s8, "ab");
    dnnl_primitive_desc_t pd = (dnnl_primitive_desc_t)&pd, untouched = pd;
    const struct {
        dnnl_alg_kind_t alg;
        dnnl_memory_desc_t diff_src, diff_dst, data;
        dnnl_status_t status;
    } cases[] = {
            {dnnl_eltwise_relu, NULL, md, md, dnnl_invalid_arguments},
            {dnnl_eltwise_relu, md, NULL, md, dnnl_invalid_arguments},
            {dnnl_eltwise_relu, md, md, NULL, dnnl_invalid_arguments},
            {dnnl_eltwise_relu, wrong, md, md, dnnl_invalid_arguments},
            {dnnl_eltwise_relu, md, wrong, md, dnnl_invalid_arguments},
            {dnnl_pooling_max, md, md, md, dnnl_invalid_arguments},
            {dnnl_eltwise_tanh, bytes, bytes, bytes, dnnl_invalid_arguments},
            {dnnl_eltwise_relu, bytes, bytes, bytes, dnnl_unimplemented},
            {dnnl_eltwise_round, md, md, md, dnnl_invalid_arguments},
    };
    for (int i = 0; i < COUNT(cases); i++)
        assert_int_equal(dnnl_eltwise_backward_primitive_desc_create(&pd, test_engine(), cases[i].alg,
                                                                     cases[i].diff_src, cases[i].diff_dst,
                                                                     cases[i].data, 0, 0, NULL, NULL),
                         cases[i].status);
    assert_ptr_equal(pd, untouched);
    dnnl_memory_desc_destroy(md);
    dnnl_memory_desc_destroy(wrong);
    dnnl_memory_desc_destroy(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(floats),
            cmocka_unit_test(lengths),
            cmocka_unit_test(derivatives_are_right),
            cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
