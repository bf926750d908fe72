/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Convolution and deconvolution, backward by data, against plain loops: shapes x types x layouts, on every
 * implementation that takes the problem; hints; what must be refused.
 */
#include "primitives/images.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* Types of diff_src, weights and diff_dst. */
static const struct product_types types[] = {
        {dnnl_f32, dnnl_f32, dnnl_data_type_undef, dnnl_f32},
        {dnnl_bf16, dnnl_bf16, dnnl_data_type_undef, dnnl_bf16},
        {dnnl_f32, dnnl_bf16, dnnl_data_type_undef, dnnl_bf16},
        {dnnl_f16, dnnl_f16, dnnl_data_type_undef, dnnl_f16},
        {dnnl_f32, dnnl_f16, dnnl_data_type_undef, dnnl_f16},
        {dnnl_f32, dnnl_bf16, dnnl_data_type_undef, dnnl_f32},
        {dnnl_f64, dnnl_f64, dnnl_data_type_undef, dnnl_f64},
        {dnnl_f32, dnnl_s8, dnnl_data_type_undef, dnnl_s8},
        {dnnl_s8, dnnl_s8, dnnl_data_type_undef, dnnl_u8},
        {dnnl_bf16, dnnl_f8_e4m3, dnnl_data_type_undef, dnnl_f8_e5m2},
};

/* Adds what one position of dst gives to each of src. */
static void scatter(const struct product *p, const dnnl_dim_t *out, struct sum *sums) {
    const struct shape *s = p->shape;
    dnnl_dims_t src, weights, taps, tap = {0};
    images_taps(s, taps);
    do {
        if (images_tap(s, out, tap, src, weights))
            sum_add(&sums[array_index(&p->src, src)],
                    array_at(&p->dst, out) * array_at(&p->weights, weights));
    } while (next_position(1 + s->nspatial, taps, tap));
}

/* Fills src, the gradient, and how far each element may be off. */
static void reference(struct product *p, struct array *error) {
    struct sum *sums = calloc((size_t)p->src.count + 1, sizeof *sums);
    dnnl_dims_t out = {0};
    assert_non_null(sums);
    if (p->dst.count > 0) do
            scatter(p, out, sums);
        while (next_position(p->dst.ndims, p->dst.dims, out));
    for (int64_t i = 0; i < p->src.count; i++)
        store_bounded(p->dst.type == dnnl_f64 ? sum_of_products_f64(&sums[i], 0)
                                              : sum_of_products(&sums[i], false, 0),
                      i, &p->src, error);
    free(sums);
}

static dnnl_status_t create(dnnl_primitive_desc_t *pd, const struct shape *s, const struct product_mds *md,
                            const_dnnl_primitive_desc_t hint) {
    if (s->transposed)
        return dnnl_deconvolution_backward_data_primitive_desc_create(
                pd, test_engine(), dnnl_deconvolution_direct, md->src, md->weights, md->dst, s->stride,
                s->dilation, s->left, s->right, hint, NULL);
    return dnnl_convolution_backward_data_primitive_desc_create(pd, test_engine(), dnnl_convolution_direct,
                                                                md->src, md->weights, md->dst, s->stride,
                                                                s->dilation, s->left, s->right, hint, NULL);
}

static void run_product(struct product *p, int layout, bool exact, const char *what) {
    struct array error = array_like(&p->src, dnnl_f64);
    struct product_tags tags = images_tags(p, layout);
    struct product_mds md = {md_of(&p->src, tags.src), md_of(&p->weights, tags.weights), NULL,
                             md_of(&p->dst, tags.dst)};
    dnnl_primitive_desc_t pd;
    reference(p, &error);
    dnnl_status_t status = create(&pd, p->shape, &md, NULL);
    run_implementations(
            status, pd,
            &(struct test_run){.what = what,
                               .inputs = {{DNNL_ARG_DIFF_DST, &p->dst}, {DNNL_ARG_WEIGHTS, &p->weights}},
                               .outputs = {{DNNL_ARG_DIFF_SRC, &p->src, .error = exact ? NULL : &error}}});
    dnnl_memory_desc_destroy(md.src);
    dnnl_memory_desc_destroy(md.weights);
    dnnl_memory_desc_destroy(md.dst);
    array_free(&error);
}

static void run_case(int shape, int type, int layout, bool exact) {
    struct product p = images_make(&backward_shapes[shape], &types[type]);
    char what[96];
    snprintf(what, sizeof what, "%s numbers, shape %d, types %d, layout %d", exact ? "exact" : "real", shape,
             type, layout);
    if (exact) {
        array_fill(&p.dst, 3, (unsigned)(10 * shape + type));
        array_fill(&p.weights, 2, (unsigned)(10 * shape + type + 1));
    } else {
        array_fill_real(&p.dst, (unsigned)(shape + type));
        array_fill_real(&p.weights, (unsigned)(shape + type + 1));
    }
    run_product(&p, layout, exact, what);
    product_free(&p);
}

static void run_all(bool exact) {
    int before = implementations_run;
    failures = 0;
    for (int s = 0; s < BACKWARD_SHAPES; s++)
        for (int t = 0; t < COUNT(types); t++)
            for (int layout = 0; layout < PRODUCT_LAYOUTS; layout++)
                run_case(s, t, layout, exact);
    printf("%d runs\n", implementations_run - before);
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

/* The layouts that a problem with open ones has chosen, given to it, are used as they are. */
static void chosen_layouts(void **state) {
    (void)state;
    for (int s = 0; s < BACKWARD_SHAPES; s++) {
        struct product p = images_make(&backward_shapes[s], &types[0]);
        struct product_mds md = {md_of(&p.src, NULL), md_of(&p.weights, NULL), NULL, md_of(&p.dst, NULL)};
        dnnl_primitive_desc_t open, closed;
        assert_int_equal(create(&open, &backward_shapes[s], &md, NULL), dnnl_success);
        struct product_mds chosen = {
                (dnnl_memory_desc_t)dnnl_primitive_desc_query_md(open, dnnl_query_diff_src_md, 0),
                (dnnl_memory_desc_t)dnnl_primitive_desc_query_md(open, dnnl_query_weights_md, 0), NULL,
                (dnnl_memory_desc_t)dnnl_primitive_desc_query_md(open, dnnl_query_diff_dst_md, 0)};
        assert_int_equal(create(&closed, &backward_shapes[s], &chosen, NULL), dnnl_success);
        const char *names[2];
        dnnl_primitive_desc_query(open, dnnl_query_impl_info_str, 0, &names[0]);
        dnnl_primitive_desc_query(closed, dnnl_query_impl_info_str, 0, &names[1]);
        assert_string_equal(names[0], names[1]);
        assert_int_equal(
                dnnl_memory_desc_get_size(dnnl_primitive_desc_query_md(open, dnnl_query_scratchpad_md, 0)),
                dnnl_memory_desc_get_size(dnnl_primitive_desc_query_md(closed, dnnl_query_scratchpad_md, 0)));
        dnnl_primitive_desc_destroy(open);
        dnnl_primitive_desc_destroy(closed);
        dnnl_memory_desc_destroy(md.src);
        dnnl_memory_desc_destroy(md.weights);
        dnnl_memory_desc_destroy(md.dst);
        product_free(&p);
    }
}

static void hint(void **state) {
    (void)state;
    const struct shape *s = &backward_shapes[1];
    struct product p = images_make(s, &types[0]);
    struct product_mds md = {md_of(&p.src, "abcd"), md_of(&p.weights, "abcd"), NULL, md_of(&p.dst, "abcd")};
    dnnl_primitive_desc_t forward, pd;
    assert_int_equal(dnnl_convolution_forward_primitive_desc_create(
                             &forward, test_engine(), dnnl_forward_training, dnnl_convolution_auto, md.src,
                             md.weights, NULL, md.dst, s->stride, s->dilation, s->left, s->right, NULL),
                     dnnl_success);
    assert_int_equal(create(&pd, s, &md, forward), dnnl_success);
    dnnl_primitive_desc_destroy(pd);
    dnnl_primitive_desc_destroy(forward);
    dnnl_memory_desc_destroy(md.src);
    dnnl_memory_desc_destroy(md.weights);
    dnnl_memory_desc_destroy(md.dst);
    product_free(&p);
}

static void refusals(void **state) {
    (void)state;
    const struct shape *s = &backward_shapes[1];
    struct product p = images_make(s, &types[0]);
    dnnl_memory_desc_t src = md_of(&p.src, NULL), weights = md_of(&p.weights, NULL),
                       dst = md_of(&p.dst, NULL), doubles = md_new(4, p.dst.dims, dnnl_f64, NULL);
    dnnl_primitive_desc_t pd = (dnnl_primitive_desc_t)&pd, untouched = pd;
    const struct {
        dnnl_alg_kind_t alg;
        dnnl_memory_desc_t src, weights, dst;
        dnnl_status_t status;
    } cases[] = {
            {dnnl_convolution_direct, NULL, weights, dst, dnnl_invalid_arguments},
            {dnnl_convolution_direct, src, NULL, dst, dnnl_invalid_arguments},
            {dnnl_convolution_direct, src, weights, NULL, dnnl_invalid_arguments},
            {dnnl_convolution_direct, dst, weights, src, dnnl_invalid_arguments},
            {dnnl_deconvolution_direct, src, weights, dst, dnnl_invalid_arguments},
            {dnnl_convolution_winograd, src, weights, dst, dnnl_unimplemented},
            {dnnl_convolution_direct, src, weights, doubles, dnnl_unimplemented},
    };
    for (int i = 0; i < COUNT(cases); i++)
        assert_int_equal(dnnl_convolution_backward_data_primitive_desc_create(
                                 &pd, test_engine(), cases[i].alg, cases[i].src, cases[i].weights,
                                 cases[i].dst, s->stride, s->dilation, s->left, s->right, NULL, NULL),
                         cases[i].status);
    assert_ptr_equal(pd, untouched);
    dnnl_memory_desc_destroy(doubles);
    dnnl_memory_desc_destroy(src);
    dnnl_memory_desc_destroy(weights);
    dnnl_memory_desc_destroy(dst);
    product_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(exact_numbers), cmocka_unit_test(real_numbers), cmocka_unit_test(chosen_layouts),
            cmocka_unit_test(hint),          cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
