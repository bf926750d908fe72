/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forward convolution against plain loops: shapes x types x attributes x layouts, on every implementation
 * that takes the problem.
 */
#include "primitives/images.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const struct shape shapes[] = {
        {2, 0, 2, 3, 5, {7, 6}, {3, 3}, {1, 1}, {0, 0}, {1, 1}, {1, 1}, false},
        {2, 0, 1, 17, 33, {5, 5}, {1, 1}, {1, 1}, {0, 0}, {0, 0}, {0, 0}, false},
        {2, 0, 1, 4, 6, {9, 11}, {3, 2}, {2, 3}, {1, 2}, {2, 0}, {1, 3}, false},
        {2, 3, 2, 2, 4, {6, 5}, {2, 3}, {1, 2}, {0, 0}, {0, 1}, {1, 0}, false},
        {2, 8, 1, 1, 1, {6, 6}, {3, 3}, {1, 1}, {1, 1}, {2, 2}, {2, 2}, false},
        {1, 0, 2, 5, 3, {12}, {4}, {2}, {0}, {1}, {2}, false},
        {1, 2, 1, 3, 2, {9}, {3}, {1}, {2}, {0}, {0}, false},
        {3, 0, 1, 3, 4, {4, 5, 6}, {2, 3, 2}, {1, 2, 1}, {0, 0, 1}, {1, 1, 0}, {0, 1, 1}, false},
        {3, 2, 2, 2, 3, {3, 3, 4}, {3, 1, 2}, {1, 1, 2}, {0, 0, 0}, {1, 0, 0}, {1, 0, 0}, false},
        {2, 0, 1, 2, 3, {2, 3}, {3, 4}, {2, 2}, {0, 0}, {0, 0}, {0, 0}, false}, /* a window larger than the
                                                                                   image */
        {2, 0, 0, 2, 3, {4, 4}, {3, 3}, {1, 1}, {0, 0}, {1, 1}, {1, 1}, false}, /* an empty batch */
        {2, 1, 1, 16, 32, {8, 8}, {3, 3}, {1, 1}, {0, 0}, {1, 1}, {1, 1}, false},
        {2, 0, 1, 20, 70, {5, 7}, {3, 3}, {1, 1}, {0, 0}, {1, 1}, {1, 1}, false},
        {2, 2, 2, 6, 34, {5, 6}, {1, 2}, {1, 1}, {0, 0}, {0, 0}, {0, 0}, false},
        {2, 0, 1, 8, 33, {9, 4}, {3, 1}, {1, 1}, {0, 0}, {1, 0}, {1, 0}, false}, /* padding, and dense rows */
        /* depthwise */
        {2, 37, 2, 1, 1, {6, 13}, {3, 3}, {1, 1}, {0, 0}, {1, 1}, {1, 1}, false},
        {2, 48, 1, 1, 1, {7, 20}, {3, 5}, {2, 2}, {0, 1}, {1, 4}, {2, 3}, false},
        {2, 24, 1, 1, 1, {6, 33}, {3, 3}, {2, 2}, {0, 0}, {1, 1}, {1, 1}, false},
        {2, 17, 1, 1, 1, {2, 45}, {1, 3}, {1, 1}, {0, 0}, {0, 0}, {0, 1}, false},
        {2, 273, 2, 1, 1, {3, 5}, {3, 2}, {1, 1}, {0, 0}, {1, 1}, {1, 0}, false},
        {2, 33, 1, 1, 1, {3, 2}, {3, 3}, {1, 1}, {2, 1}, {4, 3}, {4, 5}, false}, /* some windows see only
                                                                                    padding */
        {1, 21, 2, 1, 1, {15}, {4}, {1}, {0}, {2}, {1}, false},
        {3, 19, 1, 1, 1, {3, 4, 9}, {2, 3, 3}, {1, 2, 1}, {0, 0, 1}, {1, 1, 2}, {1, 1, 2}, false},
};

static const struct product_types types[] = {
        {dnnl_f32, dnnl_f32, dnnl_f32, dnnl_f32},
        {dnnl_f32, dnnl_f32, dnnl_data_type_undef, dnnl_f32},
        {dnnl_f32, dnnl_f32, dnnl_f32, dnnl_s8},
        {dnnl_f32, dnnl_bf16, dnnl_f32, dnnl_f32},
        {dnnl_bf16, dnnl_bf16, dnnl_bf16, dnnl_bf16},
        {dnnl_bf16, dnnl_bf16, dnnl_f32, dnnl_f32},
        {dnnl_f16, dnnl_f16, dnnl_f16, dnnl_f16},
        {dnnl_f16, dnnl_f16, dnnl_f32, dnnl_f32},
        {dnnl_f16, dnnl_f16, dnnl_f32, dnnl_u8},
        {dnnl_f64, dnnl_f64, dnnl_f64, dnnl_f64},
        {dnnl_f8_e5m2, dnnl_f8_e4m3, dnnl_f32, dnnl_f32},
        {dnnl_f8_e4m3, dnnl_f8_e4m3, dnnl_f16, dnnl_bf16},
        {dnnl_s8, dnnl_s8, dnnl_s32, dnnl_s32},
        {dnnl_u8, dnnl_s8, dnnl_data_type_undef, dnnl_s32},
        {dnnl_u8, dnnl_s8, dnnl_f32, dnnl_u8},
        {dnnl_s8, dnnl_s8, dnnl_s8, dnnl_s8},
        {dnnl_u8, dnnl_s8, dnnl_bf16, dnnl_f32},
};

static const struct product_attr attrs[] = {
        {FOR_ALL, {.name = "plain"}},
        {FOR_ALL, {.name = "relu", .ops = {ELTWISE(dnnl_eltwise_relu, 0.5f, 0)}}},
        {FOR_ALL, {.name = "clip", .ops = {ELTWISE(dnnl_eltwise_clip, -1, 6)}}},
        {FOR_ALL, {.name = "sum", .ops = {{.kind = dnnl_sum, .alpha = 0.5f}}}},
        {FOR_ALL, {.name = "binary", .ops = {BINARY(dnnl_binary_add, 2), BINARY(dnnl_binary_max, -1)}}},
        {FOR_ALL, {.name = "prelu", .ops = {{.kind = dnnl_prelu, .mask = 2}}}},
        {FOR_ALL,
         {.name = "many",
          .ops = {ELTWISE(dnnl_eltwise_linear, 0.5f, 1),
                  BINARY(dnnl_binary_sub, 0),
                  BINARY(dnnl_binary_min, 3),
                  BINARY(dnnl_binary_add, -1),
                  BINARY(dnnl_binary_add, 2),
                  BINARY(dnnl_binary_sub, 6),
                  BINARY(dnnl_binary_max, 1),
                  BINARY(dnnl_binary_add, 5),
                  BINARY(dnnl_binary_add, 7),
                  {.kind = dnnl_sum, .alpha = 2},
                  ELTWISE(dnnl_eltwise_abs, 0, 0)}}},
        PRODUCT_FUNCTIONS,
        {FOR_INTEGERS, {.name = "scales", .src_scale = 0.5f, .weights_scale = 0.25f, .dst_scale = 2}},
        {FOR_INTEGERS,
         {.name = "scales by channel",
          .src_scale = 0.5f,
          .weights_scale = 0.25f,
          .weights_mask = -1,
          .dst_scale = 0.5f,
          .dst_mask = 2,
          .ops = {ELTWISE(dnnl_eltwise_relu, 0, 0)}}},
        {FOR_INTEGERS,
         {.name = "zero points",
          .src_zero_point = 2,
          .dst_zero_point = 3,
          .src_scale = 0.5f,
          .dst_scale = 2}},
        {FOR_INTEGERS,
         {.name = "zero points by channel",
          .src_zero_point = 1,
          .src_zero_mask = 2,
          .dst_zero_point = -2,
          .dst_zero_mask = 2,
          .weights_zero_point = 1}},
        {FOR_INTEGERS,
         {.name = "host scalars",
          .src_scale = 0.5f,
          .weights_scale = 0.5f,
          .dst_scale = 4,
          .src_zero_point = 1,
          .dst_zero_point = 5,
          .host_scalars = true,
          .ops = {{.kind = dnnl_sum, .alpha = 1}}}},
};

static struct product make(int shape, const struct product_types *t) {
    return images_make(&shapes[shape], t);
}

static dnnl_status_t create(dnnl_primitive_desc_t *pd, const struct product *p, const struct product_mds *md,
                            const_dnnl_primitive_attr_t attr) {
    const struct shape *s = p->shape;
    return dnnl_convolution_forward_primitive_desc_create(
            pd, test_engine(), dnnl_forward_inference, dnnl_convolution_direct, md->src, md->weights,
            md->bias, md->dst, s->stride, s->dilation, s->left, s->right, attr);
}

static const struct product_suite suite = {.ntypes = COUNT(types),
                                           .nshapes = COUNT(shapes),
                                           .nattrs = COUNT(attrs),
                                           .types = types,
                                           .attrs = attrs,
                                           .make = make,
                                           .reference = images_reference,
                                           .tags = images_tags,
                                           .create = create};

int main(void) {
    const struct CMUnitTest tests[] = {PRODUCT_TESTS(&suite)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
