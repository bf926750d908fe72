/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forward inner product against plain loops: shapes x types x attributes x layouts, on every implementation
 * that takes the problem.
 */
#include "primitives/product.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

struct shape {
    int ndims; /* of src */
    dnnl_dim_t outputs;
    dnnl_dims_t src; /* batch, channels, spatial */
};

static const struct shape shapes[] = {
        {2, 7, {3, 5}},         {2, 33, {1, 40}},       {2, 1, {2, 1}},          {3, 5, {2, 3, 4}},
        {4, 6, {2, 3, 2, 3}},   {4, 17, {1, 16, 3, 3}}, {5, 4, {2, 2, 2, 3, 2}}, {4, 3, {0, 2, 2, 2}},
        {4, 70, {19, 6, 2, 3}}, {2, 40, {33, 102}},
};

static const struct product_types types[] = {
        {dnnl_f32, dnnl_f32, dnnl_f32, dnnl_f32},    {dnnl_f32, dnnl_f32, dnnl_data_type_undef, dnnl_f32},
        {dnnl_bf16, dnnl_bf16, dnnl_f32, dnnl_bf16}, {dnnl_f32, dnnl_bf16, dnnl_f32, dnnl_f32},
        {dnnl_f32, dnnl_f16, dnnl_f32, dnnl_bf16},   {dnnl_f8_e4m3, dnnl_f8_e5m2, dnnl_bf16, dnnl_f16},
        {dnnl_f16, dnnl_f16, dnnl_f16, dnnl_f32},    {dnnl_f8_e5m2, dnnl_f8_e5m2, dnnl_f32, dnnl_f32},
        {dnnl_f64, dnnl_f64, dnnl_f64, dnnl_f64},    {dnnl_u8, dnnl_s8, dnnl_f32, dnnl_s8},
        {dnnl_s8, dnnl_s8, dnnl_s32, dnnl_s32},      {dnnl_s8, dnnl_s8, dnnl_data_type_undef, dnnl_s32},
        {dnnl_u8, dnnl_s8, dnnl_u8, dnnl_bf16},      {dnnl_f32, dnnl_f32, dnnl_f16, dnnl_bf16},
        {dnnl_f64, dnnl_f64, dnnl_f32, dnnl_f64},    {dnnl_s8, dnnl_s8, dnnl_f8_e4m3, dnnl_f8_e5m2},
};

static const struct product_attr attrs[] = {
        {FOR_ALL, {.name = "plain"}},
        {FOR_ALL,
         {.name = "relu, sum", .ops = {ELTWISE(dnnl_eltwise_relu, 0.5f, 0), {.kind = dnnl_sum, .alpha = 2}}}},
        {FOR_ALL,
         {.name = "binary, prelu", .ops = {BINARY(dnnl_binary_add, 2), {.kind = dnnl_prelu, .mask = 2}}}},
        PRODUCT_FUNCTIONS,
        {FOR_INTEGERS,
         {.name = "scales",
          .src_scale = 0.5f,
          .weights_scale = 0.25f,
          .weights_mask = -1,
          .dst_scale = 2,
          .ops = {ELTWISE(dnnl_eltwise_linear, 2, 1)}}},
        {FOR_INTEGERS,
         {.name = "host scalars",
          .src_scale = 4,
          .weights_scale = 0.25f,
          .dst_scale = 0.5f,
          .host_scalars = true}},
};

static const char *const src_tags[PRODUCT_LAYOUTS][6] = {{NULL},
                                                         {0, 0, "ab", "abc", "abcd", "abcde"},
                                                         {0, 0, "ba", "acb", "acdb", "acdeb"},
                                                         {0, 0, "aB8b", "aBc16b", "aBcd8b", "aBcde16b"}};
static const char *const weights_tags[PRODUCT_LAYOUTS][6] = {
        {NULL},
        {0, 0, "ab", "abc", "abcd", "abcde"},
        {0, 0, "ba", "cba", "cdba", "cdeba"},
        {0, 0, "AB16b16a", "ABc4b4a", "ABcd8b8a", "aBcde16b"}};

static struct product make_of(const struct shape *s, const struct product_types *t) {
    dnnl_dims_t weights = {s->outputs}, dst = {s->src[0], s->outputs};
    for (int d = 1; d < s->ndims; d++)
        weights[d] = s->src[d];
    struct product p = {.src = array_new(s->ndims, s->src, t->src),
                        .weights = array_new(s->ndims, weights, t->weights),
                        .dst = array_new(2, dst, t->dst),
                        .channels = 1,
                        .by_channel = 1};
    if (t->bias) p.bias = array_new(1, &s->outputs, t->bias);
    return p;
}

static struct product make(int shape, const struct product_types *t) {
    return make_of(&shapes[shape], t);
}

static struct sum multiply(const struct product *p, const struct attr_run *run, const dnnl_dim_t *out) {
    int64_t terms = p->weights.count / p->dst.dims[1];
    const double *src = p->src.values + out[0] * terms, *weights = p->weights.values + out[1] * terms;
    struct sum sum = {0};
    (void)run;
    for (int64_t i = 0; i < terms; i++)
        sum_add(&sum, src[i] * weights[i]);
    return sum;
}

static struct product_tags tags_of(const struct product *p, int layout) {
    int n = p->src.ndims;
    return (struct product_tags){src_tags[layout][n], weights_tags[layout][n], "a", src_tags[layout][2]};
}

static dnnl_status_t create(dnnl_primitive_desc_t *pd, const struct product *p, const struct product_mds *md,
                            const_dnnl_primitive_attr_t attr) {
    (void)p;
    return dnnl_inner_product_forward_primitive_desc_create(pd, test_engine(), dnnl_forward_training, md->src,
                                                            md->weights, md->bias, md->dst, attr);
}

static const struct product_suite suite = {.ntypes = COUNT(types),
                                           .nshapes = COUNT(shapes),
                                           .nattrs = COUNT(attrs),
                                           .types = types,
                                           .attrs = attrs,
                                           .make = make,
                                           .sum = multiply,
                                           .tags = tags_of,
                                           .create = create};

/* Large enough to be rounded to bf16 where the math mode allows it. */
static const struct shape rounded_shapes[] = {{2, 140, {40, 202}}, {4, 70, {33, 64, 3, 3}}};

static struct product make_rounded(int shape, const struct product_types *t) {
    return make_of(&rounded_shapes[shape], t);
}

static const struct product_suite rounded_suite = {.ntypes = PRODUCT_ROUNDED,
                                                   .nshapes = COUNT(rounded_shapes),
                                                   .nattrs = COUNT(attrs),
                                                   .rounds = true,
                                                   .types = product_rounded,
                                                   .attrs = attrs,
                                                   .make = make_rounded,
                                                   .sum = multiply,
                                                   .tags = tags_of,
                                                   .create = create};

int main(void) {
    const struct CMUnitTest tests[] = {PRODUCT_TESTS(&suite), PRODUCT_TESTS(&rounded_suite)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
