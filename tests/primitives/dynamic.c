/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matrix products that compute the scales of dst, one for each group of columns, and products that are given
 * the sums of src: against plain loops.
 */
#include "primitives/harness.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

/* Dynamic scales. */

struct dynamic {
    dnnl_data_type_t src, dst;
    dnnl_quantization_mode_t mode;
    const char *tag;
    dnnl_dim_t rows, columns;
    bool relu;
    double size;  /* of the numbers */
    bool differs; /* oneDNN 3.13 divides by 0, or gives NaN for what is too large */
};

static const struct dynamic dynamics[] = {
        {dnnl_f32, dnnl_f8_e5m2, dnnl_quantization_mode_dynamic_mx, "ab", 5, 64, false, 1, false},
        {dnnl_f32, dnnl_f8_e4m3, dnnl_quantization_mode_dynamic_mx, "ab", 5, 96, true, 300, true},
        {dnnl_f32, dnnl_f4_e2m1, dnnl_quantization_mode_dynamic_mx, "ab", 3, 64, false, 1e-6, false},
        {dnnl_bf16, dnnl_f4_e2m1, dnnl_quantization_mode_dynamic_mx, "ab", 4, 32, true, 1, false},
        {dnnl_f32, dnnl_f8_e5m2, dnnl_quantization_mode_dynamic_mx, "ba", 6, 64, false, 1e8, false},
        {dnnl_f32, dnnl_f8_e4m3, dnnl_quantization_mode_dynamic_mx, NULL, 7, 32, false, 0x1p-130, false},
        {dnnl_f32, dnnl_f4_e2m1, dnnl_quantization_mode_dynamic_mx, "ba", 6, 64, false, 1, false},
        {dnnl_f32, dnnl_f4_e2m1, dnnl_quantization_mode_dynamic_fp, "ab", 5, 64, false, 3, false},
        {dnnl_f32, dnnl_f4_e2m1, dnnl_quantization_mode_dynamic_fp, "ab", 5, 48, true, 1e-3, true},
        {dnnl_f32, dnnl_f4_e2m1, dnnl_quantization_mode_dynamic_fp, "ab", 2, 16, false, 1e6, true},
        {dnnl_f32, dnnl_f8_e4m3, dnnl_quantization_mode_dynamic_mx, "ab", 33, 32, false, 1, true},
        {dnnl_f32, dnnl_f8_e5m2, dnnl_quantization_mode_dynamic_mx, "ab", 33, 32, false, 1, true},
        {dnnl_bf16, dnnl_f8_e5m2, dnnl_quantization_mode_dynamic_fp, "ab", 3, 32, false, 1e5, false},
};

static dnnl_dim_t group_of(const struct dynamic *c) {
    return c->mode == dnnl_quantization_mode_dynamic_mx ? 32 : 16;
}

static double most_of(dnnl_data_type_t type) {
    return type == dnnl_f8_e5m2 ? 57344 : type == dnnl_f8_e4m3 ? 448 : 6;
}

/* The scale of a group whose largest magnitude is `most`. A power of two: that in `most` over that in the
 * largest number of dst's type, but at least 2^-127. Otherwise their quotient, rounded to the type of the
 * scales: 1 if all elements are 0, and never 0. */
static float scale_of(const struct dynamic *c, float most) {
    if (c->mode == dnnl_quantization_mode_dynamic_mx) {
        int exponent = most > 0 ? ilogbf(most) : -127;
        exponent -= ilogb(most_of(c->dst));
        return ldexpf(1, exponent < -127 ? -127 : exponent);
    }
    float scale = (float)round_to_type((double)fminf(most / (float)most_of(c->dst), 448), dnnl_f8_e4m3);
    return most == 0 ? 1 : scale == 0 ? 0x1p-9f : scale;
}

static void quantise(const struct dynamic *c, const double *exact, struct array *dst, struct array *scales) {
    dnnl_dim_t group = group_of(c);
    for (int64_t g = 0; g < dst->count / group; g++) {
        const double *from = exact + g * group;
        float most = 0;
        for (int i = 0; i < group; i++)
            most = fmaxf(most, fabsf((float)from[i]));
        float scale = scale_of(c, most);
        scales->values[g] = (double)scale;
        for (int i = 0; i < group; i++) {
            double x = (double)((float)from[i] * (1 / scale));
            x = fmin(fmax(x, -most_of(c->dst)), most_of(c->dst));
            dst->values[g * group + i] = round_to_type(x, c->dst);
        }
    }
}

static dnnl_primitive_attr_t dynamic_attr(const struct dynamic *c) {
    dnnl_primitive_attr_t attr;
    dnnl_post_ops_t ops;
    bool mx = c->mode == dnnl_quantization_mode_dynamic_mx;
    MUST(dnnl_primitive_attr_create(&attr));
    MUST(dnnl_post_ops_create(&ops));
    if (c->relu) MUST(dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_relu, 0.5f, 0));
    MUST(dnnl_primitive_attr_set_post_ops(attr, ops));
    MUST(dnnl_primitive_attr_set_scales_v3(attr, DNNL_ARG_DST, 3, 2, (dnnl_dims_t){1, group_of(c)},
                                           mx ? dnnl_e8m0 : dnnl_f8_e4m3, 0, c->mode));
    dnnl_post_ops_destroy(ops);
    return attr;
}

static dnnl_status_t matmul_desc(dnnl_primitive_desc_t *pd, const struct array *src,
                                 const struct array *weights, const struct array *dst, const char *tag,
                                 const_dnnl_primitive_attr_t attr) {
    dnnl_memory_desc_t src_md = md_of(src, "ab"), weights_md = md_of(weights, "ab"), dst_md = md_of(dst, tag);
    dnnl_status_t status =
            dnnl_matmul_primitive_desc_create(pd, test_engine(), src_md, weights_md, NULL, dst_md, attr);
    dnnl_memory_desc_destroy(src_md);
    dnnl_memory_desc_destroy(weights_md);
    dnnl_memory_desc_destroy(dst_md);
    return status;
}

/* A column times a row: every result is one product. One group is all zeros. */
static void dynamic_case(int index) {
    const struct dynamic *c = &dynamics[index];
    bool mx = c->mode == dnnl_quantization_mode_dynamic_mx;
    struct array src = array_new(2, (dnnl_dims_t){c->rows, 1}, c->src),
                 weights = array_new(2, (dnnl_dims_t){1, c->columns}, c->src),
                 dst = array_new(2, (dnnl_dims_t){c->rows, c->columns}, c->dst),
                 scales = array_new(1, (dnnl_dims_t){dst.count / group_of(c)}, mx ? dnnl_e8m0 : dnnl_f8_e4m3);
    double exact[2048];
    char what[64];
    snprintf(what, sizeof what, "dynamic scales %d", index);
    array_fill_real(&src, 3);
    array_fill_real(&weights, 4);
    src.values[1] = 0;
    for (int64_t i = 0; i < src.count; i++)
        src.values[i] = round_to_type(src.values[i] * c->size, c->src);
    for (int64_t i = 0; i < dst.count; i++) {
        float x = (float)(src.values[i / c->columns] * weights.values[i % c->columns]);
        exact[i] = (double)(c->relu && x <= 0 ? x * 0.5f : x);
    }
    quantise(c, exact, &dst, &scales);
    dnnl_primitive_attr_t attr = dynamic_attr(c);
    dnnl_primitive_desc_t pd;
    dnnl_status_t status = matmul_desc(&pd, &src, &weights, &dst, c->tag, attr);
    run_implementations(
            status, pd,
            &(struct test_run){.what = what,
                               .inputs = {{DNNL_ARG_SRC, &src}, {DNNL_ARG_WEIGHTS, &weights}},
                               .outputs = {{DNNL_ARG_DST, &dst},
                                           {DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST, &scales, .tag = "a"}}});
    dnnl_primitive_attr_destroy(attr);
    array_free(&src);
    array_free(&weights);
    array_free(&dst);
    array_free(&scales);
}

static void dynamic_scales(void **state) {
    (void)state;
    for (int i = 0; i < COUNT(dynamics); i++)
        if (!dynamics[i].differs || !test_peer()) dynamic_case(i);
    assert_int_equal(failures, 0);
}

/* The status of creating a product with dynamic scales of dst. */
static dnnl_status_t create(dnnl_data_type_t type, dnnl_data_type_t dst_type, dnnl_dim_t columns,
                            dnnl_dim_t group, dnnl_data_type_t scale_type, dnnl_quantization_mode_t mode) {
    struct array src = array_new(2, (dnnl_dims_t){4, 2}, type),
                 weights = array_new(2, (dnnl_dims_t){2, columns}, type),
                 dst = array_new(2, (dnnl_dims_t){4, columns}, dst_type);
    dnnl_primitive_attr_t attr;
    dnnl_primitive_desc_t pd = NULL;
    MUST(dnnl_primitive_attr_create(&attr));
    MUST(dnnl_primitive_attr_set_scales_v3(attr, DNNL_ARG_DST, 3, 2, (dnnl_dims_t){1, group}, scale_type, 0,
                                           mode));
    dnnl_status_t status = matmul_desc(&pd, &src, &weights, &dst, "ab", attr);
    dnnl_primitive_desc_destroy(pd);
    dnnl_primitive_attr_destroy(attr);
    array_free(&src);
    array_free(&weights);
    array_free(&dst);
    return status;
}

static void refusals(void **state) {
    (void)state;
    const dnnl_quantization_mode_t mx = dnnl_quantization_mode_dynamic_mx,
                                   fp = dnnl_quantization_mode_dynamic_fp;
    assert_int_equal(create(dnnl_f32, dnnl_f8_e5m2, 64, 32, dnnl_e8m0, mx), dnnl_success);
    assert_int_equal(create(dnnl_f32, dnnl_bf16, 64, 32, dnnl_e8m0, mx), dnnl_unimplemented);
    assert_int_equal(create(dnnl_f32, dnnl_f32, 64, 32, dnnl_e8m0, mx), dnnl_unimplemented);
    assert_int_equal(create(dnnl_s8, dnnl_f8_e5m2, 64, 32, dnnl_e8m0, mx), dnnl_unimplemented);
    assert_int_equal(create(dnnl_f32, dnnl_f8_e5m2, 48, 32, dnnl_e8m0, mx), dnnl_unimplemented);
    assert_int_equal(create(dnnl_f32, dnnl_f8_e5m2, 64, 16, dnnl_e8m0, mx), dnnl_unimplemented);
    assert_int_equal(create(dnnl_f32, dnnl_f8_e5m2, 64, 32, dnnl_f32, mx), dnnl_unimplemented);
    assert_int_equal(create(dnnl_f32, dnnl_f4_e2m1, 64, 32, dnnl_f8_e4m3, fp), dnnl_unimplemented);
    assert_int_equal(create(dnnl_f32, dnnl_f4_e2m1, 64, 16, dnnl_f32, fp), dnnl_unimplemented);
}

enum { M = 5, K = 64, N = 20 };

/* A product with zero points of weights, one for each `length` rows, and the sums of src that go with them.
 */
static void sums_reference(const struct array *src, const struct array *weights, const struct array *zeros,
                           struct array *dst, struct array *sum, dnnl_dim_t length) {
    for (int64_t i = 0; i < M * K; i++)
        sum->values[i / K * (K / length) + i % K / length] += src->values[i];
    for (int64_t i = 0; i < dst->count; i++)
        for (int k = 0; k < K; k++)
            dst->values[i] += src->values[i / N * K + k]
                              * (weights->values[k * N + i % N] - zeros->values[k / length * N + i % N]);
}

static dnnl_primitive_attr_t sums_attr(dnnl_dim_t length) {
    dnnl_primitive_attr_t attr;
    MUST(dnnl_primitive_attr_create(&attr));
    MUST(dnnl_primitive_attr_set_zero_points(attr, DNNL_ARG_WEIGHTS, 3, 2, (dnnl_dims_t){length, 1},
                                             dnnl_s8));
    MUST(dnnl_primitive_attr_set_precomputed_reductions(attr, DNNL_ARG_SRC, 3, 2, (dnnl_dims_t){1, length},
                                                        dnnl_s32));
    return attr;
}

/* Sums of src along K, which save a product with zero points of weights some of its work. */
static void sums(dnnl_data_type_t weights_type, dnnl_dim_t length) {
    struct array src = array_new(2, (dnnl_dims_t){M, K}, dnnl_s8),
                 weights = array_new(2, (dnnl_dims_t){K, N}, weights_type),
                 dst = array_new(2, (dnnl_dims_t){M, N}, dnnl_f32),
                 sum = array_new(2, (dnnl_dims_t){M, K / length}, dnnl_s32),
                 zeros = array_new(2, (dnnl_dims_t){K / length, N}, dnnl_s8);
    array_fill(&src, 9, 1);
    array_fill(&weights, 7, 2);
    array_fill(&zeros, 5, 3);
    sums_reference(&src, &weights, &zeros, &dst, &sum, length);
    dnnl_primitive_attr_t attr = sums_attr(length);
    dnnl_primitive_desc_t pd;
    MUST(matmul_desc(&pd, &src, &weights, &dst, "ab", attr));
    run_implementation(
            pd,
            &(struct test_run){.what = "precomputed reductions",
                               .inputs = {{DNNL_ARG_SRC, &src},
                                          {DNNL_ARG_WEIGHTS, &weights},
                                          {DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_WEIGHTS, &zeros, "ab"},
                                          {DNNL_ARG_ATTR_PRECOMPUTED_REDUCTIONS | DNNL_ARG_SRC, &sum, "ab"}},
                               .outputs = {{DNNL_ARG_DST, &dst}}});
    dnnl_primitive_desc_destroy(pd);
    dnnl_primitive_attr_destroy(attr);
    struct array *all[] = {&src, &weights, &dst, &sum, &zeros};
    for (int i = 0; i < COUNT(all); i++)
        array_free(all[i]);
}

static void precomputed_reductions(void **state) {
    (void)state;
    sums(dnnl_s8, 32);
    sums(dnnl_u8, 16);
    sums(dnnl_u4, 32);
    sums(dnnl_s8, 64);
    assert_int_equal(failures, 0);
}

int main(void) {
    if (test_peer_is_narrow()) return 0;
    const struct CMUnitTest tests[] = {cmocka_unit_test(dynamic_scales), cmocka_unit_test(refusals),
                                       cmocka_unit_test(precomputed_reductions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
