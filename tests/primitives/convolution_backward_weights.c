/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Convolution and deconvolution, backward by weights, against plain loops: shapes x types x layouts, on every
 * implementation that takes the problem; what must be refused.
 */
#include "primitives/images.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* Beyond those of all backward passes: sums that are divided, long rows, many channels, few input channels.
 */
static const struct shape more_shapes[] = {
        {2, 0, 2, 5, 34, {20, 19}, {3, 3}, {1, 1}, {0, 0}, {1, 1}, {1, 1}, false},
        {2, 0, 1, 5, 34, {2, 300}, {2, 3}, {1, 1}, {0, 0}, {0, 1}, {0, 1}, false},
        {2, 0, 1, 9, 20, {2, 300}, {1, 1}, {1, 1}, {0, 0}, {0, 0}, {0, 0}, false},
        {2, 0, 2, 40, 33, {9, 8}, {1, 1}, {1, 1}, {0, 0}, {0, 0}, {0, 0}, false},
        {3, 0, 3, 8, 33, {3, 4, 5}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, false},
        {2, 0, 2, 3, 24, {23, 31}, {5, 7}, {2, 4}, {0, 0}, {2, 3}, {1, 2}, false},
        {2, 0, 2, 1, 34, {12, 11}, {3, 3}, {1, 1}, {0, 0}, {1, 1}, {1, 1}, false},
        {2, 50, 1, 1, 1, {30, 25}, {3, 3}, {1, 1}, {0, 0}, {1, 1}, {1, 1}, false},
        {2, 37, 2, 1, 1, {11, 12}, {3, 3}, {1, 1}, {0, 0}, {1, 1}, {1, 1}, false},
        {2, 17, 1, 1, 1, {8, 7}, {3, 3}, {1, 1}, {0, 0}, {1, 1}, {1, 1}, false},
        {2, 35, 2, 1, 1, {6, 7}, {3, 3}, {1, 1}, {0, 0}, {1, 0}, {1, 2}, false},
        {2, 33, 1, 1, 1, {9, 8}, {3, 3}, {1, 1}, {0, 0}, {0, 2}, {0, 2}, false},
        {2, 33, 2, 1, 1, {6, 1}, {3, 3}, {1, 1}, {0, 0}, {1, 2}, {2, 2}, false},
        {2, 4, 2, 1, 3, {9, 8}, {3, 3}, {1, 2}, {0, 0}, {1, 1}, {1, 1}, false},
        {2, 0, 2, 5, 48, {7, 6}, {3, 3}, {1, 1}, {0, 0}, {1, 1}, {1, 1}, false}, /* one panel and a half */
        /* tiles of 32 inputs with a rest, padding that rows share, and windows wider than their stride */
        {2, 0, 2, 49, 18, {4, 5}, {3, 3}, {1, 1}, {0, 0}, {1, 1}, {1, 1}, false},
        {2, 0, 1, 66, 5, {6, 9}, {2, 4}, {2, 2}, {0, 1}, {0, 3}, {1, 2}, false},
        {2, 2, 2, 40, 33, {3, 11}, {3, 2}, {1, 3}, {1, 0}, {2, 0}, {2, 1}, false},
        {1, 0, 3, 6, 40, {37}, {5}, {2}, {0}, {2}, {2}, false},
        {2, 7, 2, 1, 1, {6, 9}, {3, 6}, {1, 2}, {0, 0}, {1, 2}, {1, 3}, false}, /* depthwise, few channels */
        {2, 70, 1, 1, 1, {90, 62}, {3, 3}, {1, 1}, {0, 0}, {1, 1}, {1, 1}, false}, /* depthwise, many parts */
};
enum { SHAPES = BACKWARD_SHAPES + COUNT(more_shapes) };

/* Large enough to be rounded to bf16 where the math mode allows it. */
static const struct shape rounded_shapes[] = {
        {2, 0, 2, 33, 40, {9, 11}, {3, 3}, {1, 1}, {0, 0}, {1, 1}, {1, 1}, false},
        {2, 2, 3, 34, 48, {9, 12}, {3, 2}, {2, 1}, {0, 1}, {2, 0}, {0, 3}, false},
};

static const struct shape *shape_at(int i) {
    return i < BACKWARD_SHAPES ? &backward_shapes[i] : &more_shapes[i - BACKWARD_SHAPES];
}

/* Types of src, diff_weights, diff_bias and diff_dst. */
static const struct product_types types[] = {
        {dnnl_f32, dnnl_f32, dnnl_f32, dnnl_f32},     {dnnl_f32, dnnl_f32, dnnl_data_type_undef, dnnl_f32},
        {dnnl_bf16, dnnl_bf16, dnnl_bf16, dnnl_bf16}, {dnnl_bf16, dnnl_f32, dnnl_f32, dnnl_bf16},
        {dnnl_f16, dnnl_f16, dnnl_f16, dnnl_f16},     {dnnl_f16, dnnl_f32, dnnl_f32, dnnl_f16},
        {dnnl_f64, dnnl_f64, dnnl_f64, dnnl_f64},
};

/* Adds what one position of dst gives to each weight. */
static void scatter(const struct product *p, const dnnl_dim_t *out, struct sum *sums) {
    const struct shape *s = p->shape;
    dnnl_dims_t src, weights, taps, tap = {0};
    images_taps(s, taps);
    do {
        if (images_tap(s, out, tap, src, weights))
            sum_add(&sums[array_index(&p->weights, weights)],
                    array_at(&p->dst, out) * array_at(&p->src, src));
    } while (next_position(1 + s->nspatial, taps, tap));
}

static struct bounded sum_of_f32_products(const struct sum *sum, double start) {
    return sum_of_products(sum, false, start);
}

/* Fills the gradients, and how far each element may be off. */
static void reference(struct product *p, struct array *error, struct array *bias_error) {
    const bool f64 = p->dst.type == dnnl_f64;
    struct bounded (*const f32_sum)(const struct sum *, double) =
            p->rounds ? sum_of_rounded_products : sum_of_f32_products;
    struct sum *sums = calloc((size_t)p->weights.count + 1, sizeof *sums);
    struct sum *bias = calloc((size_t)p->dst.dims[1] + 1, sizeof *bias);
    dnnl_dims_t out = {0};
    assert_non_null(sums);
    assert_non_null(bias);
    if (p->dst.count > 0) do {
            scatter(p, out, sums);
            sum_add(&bias[out[1]], array_at(&p->dst, out));
        } while (next_position(p->dst.ndims, p->dst.dims, out));
    for (int64_t i = 0; i < p->weights.count; i++)
        store_bounded(f64 ? sum_of_products_f64(&sums[i], 0) : f32_sum(&sums[i], 0), i, &p->weights, error);
    for (int64_t i = 0; i < p->bias.count && p->bias.values; i++)
        store_bounded(f64 ? sum_of_products_f64(&bias[i], 0) : sum_of_terms(&bias[i]), i, &p->bias,
                      bias_error);
    free(sums);
    free(bias);
}

static dnnl_status_t create(dnnl_primitive_desc_t *pd, const struct shape *s, const struct product_mds *md,
                            const_dnnl_primitive_desc_t hint, const_dnnl_primitive_attr_t attr) {
    if (s->transposed)
        return dnnl_deconvolution_backward_weights_primitive_desc_create(
                pd, test_engine(), dnnl_deconvolution_direct, md->src, md->weights, md->bias, md->dst,
                s->stride, s->dilation, s->left, s->right, hint, attr);
    return dnnl_convolution_backward_weights_primitive_desc_create(
            pd, test_engine(), dnnl_convolution_direct, md->src, md->weights, md->bias, md->dst, s->stride,
            s->dilation, s->left, s->right, hint, attr);
}

static struct product_mds mds_of(const struct product *p, const struct product_tags *tags) {
    return (struct product_mds){md_of(&p->src, tags->src), md_of(&p->weights, tags->weights),
                                p->bias.values ? md_of(&p->bias, tags->bias) : NULL,
                                md_of(&p->dst, tags->dst)};
}

static void mds_free(struct product_mds *md) {
    dnnl_memory_desc_destroy(md->src);
    dnnl_memory_desc_destroy(md->weights);
    dnnl_memory_desc_destroy(md->bias);
    dnnl_memory_desc_destroy(md->dst);
}

static void run_product(struct product *p, int layout, bool exact, const char *what) {
    struct array error = array_like(&p->weights, dnnl_f64), bias_error = {0};
    struct product_tags tags = images_tags(p, layout);
    struct product_mds md = mds_of(p, &tags);
    dnnl_primitive_desc_t pd;
    dnnl_primitive_attr_t attr;
    assert_int_equal(dnnl_primitive_attr_create(&attr), dnnl_success);
    if (p->rounds) dnnl_primitive_attr_set_fpmath_mode(attr, dnnl_fpmath_mode_bf16);
    if (p->bias.values) bias_error = array_like(&p->bias, dnnl_f64);
    reference(p, &error, &bias_error);
    dnnl_status_t status = create(&pd, p->shape, &md, NULL, attr);
    dnnl_primitive_attr_destroy(attr);
    run_implementations(
            status, pd,
            &(struct test_run){
                    .what = what,
                    .inputs = {{DNNL_ARG_DIFF_DST, &p->dst}, {DNNL_ARG_SRC, &p->src}},
                    .outputs = {{DNNL_ARG_DIFF_WEIGHTS, &p->weights, .error = exact ? NULL : &error},
                                {DNNL_ARG_DIFF_BIAS, &p->bias, .error = exact ? NULL : &bias_error}}});
    mds_free(&md);
    array_free(&error);
    array_free(&bias_error);
}

static void run_case(const struct shape *s, bool rounds, int shape, int type, int layout, bool exact) {
    struct product p = images_make(s, &types[type]);
    char what[96];
    p.rounds = rounds;
    snprintf(what, sizeof what, "%s numbers, shape %d, types %d, layout %d", exact ? "exact" : "real", shape,
             type, layout);
    if (exact) {
        array_fill(&p.dst, 3, (unsigned)(10 * shape + type));
        array_fill(&p.src, 2, (unsigned)(10 * shape + type + 1));
    } else {
        array_fill_real(&p.dst, (unsigned)(shape + type));
        array_fill_real(&p.src, (unsigned)(shape + type + 1));
    }
    run_product(&p, layout, exact, what);
    product_free(&p);
}

static void run_all(bool exact) {
    int before = implementations_run;
    failures = 0;
    for (int s = 0; s < SHAPES; s++)
        for (int t = 0; t < COUNT(types); t++)
            for (int layout = 0; layout < PRODUCT_LAYOUTS; layout++)
                run_case(shape_at(s), false, s, t, layout, exact);
    printf("%d runs\n", implementations_run - before);
    product_check_tiles("bf16_weights_gradient_32x32");
    assert_int_equal(failures, 0);
}

static void exact_numbers(void **state) {
    (void)state;
    run_all(true);
}

static void real_numbers(void **state) {
    (void)state;
    run_all(false);
}

static void rounded_numbers(void **state) {
    (void)state;
    const int before = implementations_run;
    failures = 0;
    for (int s = 0; s < COUNT(rounded_shapes); s++)
        for (int layout = 0; layout < PRODUCT_LAYOUTS; layout++)
            for (int exact = 0; exact < 2; exact++)
                run_case(&rounded_shapes[s], true, s, 0, layout, exact);
    printf("%d runs\n", implementations_run - before);
    assert_int_equal(failures, 0);
}

/* The layouts that a problem with open ones has chosen, given to it, are used as they are. */
static void chosen_layouts(void **state) {
    (void)state;
    const struct product_tags any = {NULL, NULL, NULL, NULL};
    for (int s = 0; s < SHAPES; s++) {
        struct product p = images_make(shape_at(s), &types[1]);
        struct product_mds md = mds_of(&p, &any);
        dnnl_primitive_desc_t open, closed;
        assert_int_equal(create(&open, shape_at(s), &md, NULL, NULL), dnnl_success);
        struct product_mds chosen = {
                (dnnl_memory_desc_t)dnnl_primitive_desc_query_md(open, dnnl_query_src_md, 0),
                (dnnl_memory_desc_t)dnnl_primitive_desc_query_md(open, dnnl_query_diff_weights_md, 0), NULL,
                (dnnl_memory_desc_t)dnnl_primitive_desc_query_md(open, dnnl_query_diff_dst_md, 0)};
        assert_int_equal(create(&closed, shape_at(s), &chosen, NULL, NULL), dnnl_success);
        const char *names[2];
        dnnl_primitive_desc_query(open, dnnl_query_impl_info_str, 0, &names[0]);
        dnnl_primitive_desc_query(closed, dnnl_query_impl_info_str, 0, &names[1]);
        assert_string_equal(names[0], names[1]);
        assert_int_equal(
                dnnl_memory_desc_get_size(dnnl_primitive_desc_query_md(open, dnnl_query_scratchpad_md, 0)),
                dnnl_memory_desc_get_size(dnnl_primitive_desc_query_md(closed, dnnl_query_scratchpad_md, 0)));
        dnnl_primitive_desc_destroy(open);
        dnnl_primitive_desc_destroy(closed);
        mds_free(&md);
        product_free(&p);
    }
}

static void hint(void **state) {
    (void)state;
    const struct shape *s = &backward_shapes[1];
    struct product p = images_make(s, &types[0]);
    struct product_mds md = mds_of(&p, &(struct product_tags){"abcd", "abcd", "a", "abcd"});
    dnnl_primitive_desc_t forward, pd;
    assert_int_equal(dnnl_convolution_forward_primitive_desc_create(
                             &forward, test_engine(), dnnl_forward_training, dnnl_convolution_auto, md.src,
                             md.weights, md.bias, md.dst, s->stride, s->dilation, s->left, s->right, NULL),
                     dnnl_success);
    assert_int_equal(create(&pd, s, &md, forward, NULL), dnnl_success);
    dnnl_primitive_desc_destroy(pd);
    dnnl_primitive_desc_destroy(forward);
    mds_free(&md);
    product_free(&p);
}

static void refusals(void **state) {
    (void)state;
    const struct shape *s = &backward_shapes[1];
    struct product p = images_make(s, &types[0]);
    struct product_mds md = mds_of(&p, &(struct product_tags){NULL, NULL, NULL, NULL});
    dnnl_memory_desc_t halves = md_new(1, p.bias.dims, dnnl_f16, NULL),
                       bytes = md_new(4, p.src.dims, dnnl_s8, NULL);
    dnnl_primitive_desc_t pd = (dnnl_primitive_desc_t)&pd, untouched = pd;
    const struct {
        dnnl_alg_kind_t alg;
        struct product_mds md;
        dnnl_status_t status;
    } cases[] = {
            {dnnl_convolution_direct, {NULL, md.weights, md.bias, md.dst}, dnnl_invalid_arguments},
            {dnnl_convolution_direct, {md.src, NULL, md.bias, md.dst}, dnnl_invalid_arguments},
            {dnnl_convolution_direct, {md.src, md.weights, md.bias, NULL}, dnnl_invalid_arguments},
            {dnnl_convolution_direct, {md.dst, md.weights, md.bias, md.src}, dnnl_invalid_arguments},
            {dnnl_convolution_direct, {md.src, md.weights, md.src, md.dst}, dnnl_invalid_arguments},
            {dnnl_deconvolution_direct, {md.src, md.weights, md.bias, md.dst}, dnnl_invalid_arguments},
            {dnnl_convolution_winograd, {md.src, md.weights, md.bias, md.dst}, dnnl_unimplemented},
            {dnnl_convolution_direct, {md.src, md.weights, halves, md.dst}, dnnl_unimplemented},
            {dnnl_convolution_direct, {bytes, md.weights, md.bias, md.dst}, dnnl_invalid_arguments},
    };
    for (int i = 0; i < COUNT(cases); i++)
        assert_int_equal(dnnl_convolution_backward_weights_primitive_desc_create(
                                 &pd, test_engine(), cases[i].alg, cases[i].md.src, cases[i].md.weights,
                                 cases[i].md.bias, cases[i].md.dst, s->stride, s->dilation, s->left, s->right,
                                 NULL, NULL),
                         cases[i].status);
    assert_ptr_equal(pd, untouched);
    dnnl_memory_desc_destroy(halves);
    dnnl_memory_desc_destroy(bytes);
    mds_free(&md);
    product_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(exact_numbers),
            cmocka_unit_test(real_numbers),
            cmocka_unit_test(rounded_numbers),
            cmocka_unit_test(chosen_layouts),
            cmocka_unit_test(hint),
            cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
