/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every primitive of the CPU engine, on a small problem: a place must support it and give the same numbers,
 * within what two orders of summation can differ; the same bits where the same native kernel runs. Layouts
 * are plain, so that values are in the same order everywhere.
 */
#include "runtimes/conformance.h"

#include "oneapi/dnnl/dnnl_debug.h"

#include <math.h>
#include <stdio.h>

/* Cases: each creates a descriptor. Memory descriptors live until the case has run. */

enum { MAX_DESCS = 32 };
struct descs {
    int count;
    dnnl_memory_desc_t list[MAX_DESCS];
};

static dnnl_memory_desc_t typed(struct descs *d, dnnl_data_type_t type, int ndims, const dnnl_dims_t dims,
                                dnnl_format_tag_t tag) {
    dnnl_memory_desc_t md;
    assert_true(d->count < MAX_DESCS);
    assert_ok(dnnl_memory_desc_create_with_tag(&md, ndims, dims, type, tag));
    d->list[d->count++] = md;
    return md;
}

#define F32(ndims, tag, ...) typed(d, dnnl_f32, ndims, (dnnl_dims_t){__VA_ARGS__}, tag)
#define TYPED(type, ndims, tag, ...) typed(d, type, ndims, (dnnl_dims_t){__VA_ARGS__}, tag)
#define CASE(name) static dnnl_status_t name(dnnl_engine_t engine, dnnl_primitive_desc_t *pd, struct descs *d)

static const dnnl_dims_t ones = {1, 1, 1}, zeros = {0, 0, 0}, twos = {2, 2, 2}, threes = {3, 3, 3};

CASE(reorder_transpose) {
    return dnnl_reorder_primitive_desc_create(pd, F32(4, dnnl_nchw, 2, 19, 5, 7), engine,
                                              F32(4, dnnl_nhwc, 2, 19, 5, 7), engine, NULL);
}
CASE(reorder_to_s8) {
    return dnnl_reorder_primitive_desc_create(pd, F32(3, dnnl_abc, 3, 7, 11), engine,
                                              TYPED(dnnl_s8, 3, dnnl_acb, 3, 7, 11), engine, NULL);
}
CASE(reorder_from_u8) {
    return dnnl_reorder_primitive_desc_create(pd, TYPED(dnnl_u8, 2, dnnl_ab, 5, 64), engine,
                                              F32(2, dnnl_ab, 5, 64), engine, NULL);
}
CASE(reorder_from_s8) {
    return dnnl_reorder_primitive_desc_create(pd, TYPED(dnnl_s8, 4, dnnl_nhwc, 2, 32, 5, 4), engine,
                                              F32(4, dnnl_nchw, 2, 32, 5, 4), engine, NULL);
}
CASE(reorder_to_bf16) {
    return dnnl_reorder_primitive_desc_create(pd, F32(2, dnnl_ab, 13, 21), engine,
                                              TYPED(dnnl_bf16, 2, dnnl_ba, 13, 21), engine, NULL);
}
static dnnl_status_t eltwise(dnnl_engine_t engine, dnnl_primitive_desc_t *pd, struct descs *d,
                             dnnl_alg_kind_t alg) {
    dnnl_memory_desc_t md = F32(3, dnnl_abc, 3, 17, 23);
    return dnnl_eltwise_forward_primitive_desc_create(pd, engine, dnnl_forward_inference, alg, md, md, 0.5f,
                                                      0.25f, NULL);
}
CASE(eltwise_relu) {
    return eltwise(engine, pd, d, dnnl_eltwise_relu);
}
CASE(eltwise_tanh) {
    return eltwise(engine, pd, d, dnnl_eltwise_tanh);
}
CASE(eltwise_gelu) {
    return eltwise(engine, pd, d, dnnl_eltwise_gelu_erf);
}
CASE(eltwise_exp) {
    return eltwise(engine, pd, d, dnnl_eltwise_exp);
}
CASE(eltwise_log) {
    return eltwise(engine, pd, d, dnnl_eltwise_log);
}
CASE(eltwise_mish) {
    return eltwise(engine, pd, d, dnnl_eltwise_mish);
}
CASE(eltwise_backward) {
    dnnl_memory_desc_t md = F32(2, dnnl_ab, 9, 33);
    dnnl_primitive_desc_t hint;
    dnnl_status_t status = dnnl_eltwise_forward_primitive_desc_create(&hint, engine, dnnl_forward_training,
                                                                      dnnl_eltwise_tanh, md, md, 0, 0, NULL);
    if (status != dnnl_success) return status;
    status = dnnl_eltwise_backward_primitive_desc_create(pd, engine, dnnl_eltwise_tanh, md, md, md, 0, 0,
                                                         hint, NULL);
    dnnl_primitive_desc_destroy(hint);
    return status;
}
CASE(softmax) {
    dnnl_memory_desc_t md = F32(2, dnnl_ab, 7, 37);
    return dnnl_softmax_forward_primitive_desc_create(pd, engine, dnnl_forward_inference,
                                                      dnnl_softmax_accurate, md, md, 1, NULL);
}
CASE(softmax_across) {
    dnnl_memory_desc_t md = F32(4, dnnl_nchw, 2, 37, 3, 21);
    return dnnl_softmax_forward_primitive_desc_create(pd, engine, dnnl_forward_inference,
                                                      dnnl_softmax_accurate, md, md, 1, NULL);
}
CASE(logsoftmax) {
    dnnl_memory_desc_t md = F32(4, dnnl_nchw, 2, 10, 3, 5);
    return dnnl_softmax_forward_primitive_desc_create(pd, engine, dnnl_forward_inference, dnnl_softmax_log,
                                                      md, md, 1, NULL);
}
CASE(convolution) {
    return dnnl_convolution_forward_primitive_desc_create(
            pd, engine, dnnl_forward_inference, dnnl_convolution_direct, F32(4, dnnl_nchw, 2, 5, 9, 11),
            F32(4, dnnl_oihw, 37, 5, 3, 3), F32(1, dnnl_a, 37), F32(4, dnnl_nchw, 2, 37, 9, 11), ones, NULL,
            ones, ones, NULL);
}
/* CPU-class devices take Winograd's algorithm, with tiles of 4x4 and of 2x2 results. */
CASE(convolution_winograd_4x4) {
    return dnnl_convolution_forward_primitive_desc_create(
            pd, engine, dnnl_forward_inference, dnnl_convolution_auto, F32(4, dnnl_nhwc, 1, 64, 27, 29),
            F32(4, dnnl_oihw, 72, 64, 3, 3), F32(1, dnnl_a, 72), F32(4, dnnl_nhwc, 1, 72, 27, 29), ones, NULL,
            ones, ones, NULL);
}
CASE(convolution_winograd_2x2) {
    return dnnl_convolution_forward_primitive_desc_create(
            pd, engine, dnnl_forward_inference, dnnl_convolution_auto, F32(4, dnnl_nchw, 1, 128, 18, 18),
            F32(4, dnnl_hwio, 128, 128, 3, 3), F32(1, dnnl_a, 128), F32(4, dnnl_nchw, 1, 128, 18, 18), ones,
            NULL, ones, ones, NULL);
}
CASE(convolution_groups) {
    return dnnl_convolution_forward_primitive_desc_create(
            pd, engine, dnnl_forward_inference, dnnl_convolution_direct, F32(4, dnnl_nhwc, 1, 8, 9, 9),
            F32(5, dnnl_goihw, 2, 6, 4, 3, 3), NULL, F32(4, dnnl_nhwc, 1, 12, 4, 4), twos, NULL, zeros, zeros,
            NULL);
}
CASE(convolution_depthwise) {
    return dnnl_convolution_forward_primitive_desc_create(
            pd, engine, dnnl_forward_inference, dnnl_convolution_direct, F32(4, dnnl_nhwc, 2, 37, 9, 11),
            F32(5, dnnl_goihw, 37, 1, 1, 3, 3), F32(1, dnnl_a, 37), F32(4, dnnl_nhwc, 2, 37, 9, 11), ones,
            NULL, ones, ones, NULL);
}
CASE(convolution_s8) {
    return dnnl_convolution_forward_primitive_desc_create(
            pd, engine, dnnl_forward_inference, dnnl_convolution_direct,
            TYPED(dnnl_u8, 4, dnnl_nhwc, 1, 16, 6, 6), TYPED(dnnl_s8, 4, dnnl_oihw, 8, 16, 3, 3), NULL,
            TYPED(dnnl_s32, 4, dnnl_nhwc, 1, 8, 4, 4), ones, NULL, zeros, zeros, NULL);
}
CASE(convolution_then_depthwise) {
    dnnl_primitive_attr_t attr;
    dnnl_post_ops_t ops;
    assert_ok(dnnl_primitive_attr_create(&attr));
    assert_ok(dnnl_post_ops_create(&ops));
    assert_ok(dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_tanh, 0, 0));
    assert_ok(dnnl_post_ops_append_dw(ops, dnnl_f32, dnnl_f32, dnnl_f32, 3, 2, 1));
    assert_ok(dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_relu, 0, 0));
    assert_ok(dnnl_primitive_attr_set_post_ops(attr, ops));
    dnnl_status_t status = dnnl_convolution_forward_primitive_desc_create(
            pd, engine, dnnl_forward_inference, dnnl_convolution_direct, F32(4, dnnl_nhwc, 2, 5, 9, 7),
            F32(4, dnnl_oihw, 37, 5, 1, 1), F32(1, dnnl_a, 37), F32(4, dnnl_nhwc, 2, 37, 9, 7), ones, NULL,
            zeros, zeros, attr);
    assert_ok(dnnl_post_ops_destroy(ops));
    assert_ok(dnnl_primitive_attr_destroy(attr));
    return status;
}
CASE(convolution_backward_data) {
    dnnl_memory_desc_t src = F32(4, dnnl_nchw, 1, 5, 8, 8), weights = F32(4, dnnl_oihw, 6, 5, 3, 3),
                       dst = F32(4, dnnl_nchw, 1, 6, 8, 8);
    dnnl_primitive_desc_t hint;
    dnnl_status_t status = dnnl_convolution_forward_primitive_desc_create(
            &hint, engine, dnnl_forward_training, dnnl_convolution_direct, src, weights, NULL, dst, ones,
            NULL, ones, ones, NULL);
    if (status != dnnl_success) return status;
    status = dnnl_convolution_backward_data_primitive_desc_create(
            pd, engine, dnnl_convolution_direct, src, weights, dst, ones, NULL, ones, ones, hint, NULL);
    dnnl_primitive_desc_destroy(hint);
    return status;
}
CASE(deconvolution) {
    return dnnl_deconvolution_forward_primitive_desc_create(
            pd, engine, dnnl_forward_inference, dnnl_deconvolution_direct, F32(4, dnnl_nchw, 1, 6, 5, 5),
            F32(4, dnnl_oihw, 4, 6, 3, 3), NULL, F32(4, dnnl_nchw, 1, 4, 7, 7), ones, NULL, zeros, zeros,
            NULL);
}
CASE(inner_product) {
    return dnnl_inner_product_forward_primitive_desc_create(
            pd, engine, dnnl_forward_inference, F32(4, dnnl_nchw, 3, 5, 4, 4), F32(4, dnnl_oihw, 41, 5, 4, 4),
            F32(1, dnnl_a, 41), F32(2, dnnl_ab, 3, 41), NULL);
}
CASE(matmul) {
    return dnnl_matmul_primitive_desc_create(pd, engine, F32(3, dnnl_abc, 3, 21, 35),
                                             F32(3, dnnl_abc, 3, 35, 47), NULL, F32(3, dnnl_abc, 3, 21, 47),
                                             NULL);
}
CASE(matmul_bf16) {
    return dnnl_matmul_primitive_desc_create(pd, engine, TYPED(dnnl_bf16, 2, dnnl_ab, 9, 18),
                                             TYPED(dnnl_bf16, 2, dnnl_ab, 18, 20), NULL,
                                             F32(2, dnnl_ab, 9, 20), NULL);
}
CASE(matmul_s8) {
    return dnnl_matmul_primitive_desc_create(
            pd, engine, TYPED(dnnl_s8, 3, dnnl_abc, 2, 14, 30), TYPED(dnnl_s8, 3, dnnl_abc, 2, 30, 37),
            F32(3, dnnl_abc, 1, 1, 37), TYPED(dnnl_u8, 3, dnnl_abc, 2, 14, 37), NULL);
}
CASE(matmul_post_ops) {
    dnnl_post_ops_t ops;
    dnnl_primitive_attr_t attr;
    assert_ok(dnnl_post_ops_create(&ops));
    assert_ok(dnnl_post_ops_append_sum(ops, 0.5f, 0, dnnl_data_type_undef));
    assert_ok(dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_gelu_tanh, 0, 0));
    assert_ok(dnnl_primitive_attr_create(&attr));
    assert_ok(dnnl_primitive_attr_set_post_ops(attr, ops));
    dnnl_status_t status =
            dnnl_matmul_primitive_desc_create(pd, engine, F32(2, dnnl_ab, 21, 35), F32(2, dnnl_ba, 35, 47),
                                              F32(2, dnnl_ab, 1, 47), F32(2, dnnl_ab, 21, 47), attr);
    dnnl_primitive_attr_destroy(attr);
    dnnl_post_ops_destroy(ops);
    return status;
}
/* Dropout with probability and seed in buffers. The mask is compared, too. */
CASE(matmul_dropout) {
    dnnl_primitive_attr_t attr;
    assert_ok(dnnl_primitive_attr_create(&attr));
    assert_ok(dnnl_primitive_attr_set_dropout_v2(attr, TYPED(dnnl_u8, 2, dnnl_ab, 9, 37), dnnl_s64, 1, 0));
    dnnl_status_t status = dnnl_matmul_primitive_desc_create(
            pd, engine, F32(2, dnnl_ab, 9, 21), F32(2, dnnl_ab, 21, 37), NULL, F32(2, dnnl_ab, 9, 37), attr);
    assert_ok(dnnl_primitive_attr_destroy(attr));
    return status;
}
CASE(matmul_stochastic) {
    dnnl_primitive_attr_t attr;
    assert_ok(dnnl_primitive_attr_create(&attr));
    assert_ok(dnnl_primitive_attr_set_rounding(attr, DNNL_ARG_DST, dnnl_rounding_mode_stochastic));
    dnnl_status_t status =
            dnnl_matmul_primitive_desc_create(pd, engine, F32(2, dnnl_ab, 9, 21), F32(2, dnnl_ab, 21, 37),
                                              NULL, TYPED(dnnl_bf16, 2, dnnl_ab, 9, 37), attr);
    assert_ok(dnnl_primitive_attr_destroy(attr));
    return status;
}
CASE(matmul_dynamic_scales) {
    dnnl_primitive_attr_t attr;
    assert_ok(dnnl_primitive_attr_create(&attr));
    assert_ok(dnnl_primitive_attr_set_scales_v3(attr, DNNL_ARG_DST, 3, 2, (dnnl_dims_t){1, 32}, dnnl_e8m0, 0,
                                                dnnl_quantization_mode_dynamic_mx));
    dnnl_status_t status =
            dnnl_matmul_primitive_desc_create(pd, engine, F32(2, dnnl_ab, 9, 21), F32(2, dnnl_ab, 21, 64),
                                              NULL, TYPED(dnnl_f8_e4m3, 2, dnnl_ab, 9, 64), attr);
    assert_ok(dnnl_primitive_attr_destroy(attr));
    return status;
}
CASE(pooling_max) {
    return dnnl_pooling_forward_primitive_desc_create(
            pd, engine, dnnl_forward_inference, dnnl_pooling_max, F32(4, dnnl_nchw, 2, 7, 9, 9),
            F32(4, dnnl_nchw, 2, 7, 4, 4), twos, threes, zeros, zeros, zeros, NULL);
}
CASE(pooling_max_training) {
    return dnnl_pooling_forward_primitive_desc_create(
            pd, engine, dnnl_forward_training, dnnl_pooling_max, F32(4, dnnl_nhwc, 2, 21, 9, 9),
            F32(4, dnnl_nhwc, 2, 21, 5, 5), twos, threes, zeros, ones, ones, NULL);
}
CASE(pooling_max_training_planes) {
    return dnnl_pooling_forward_primitive_desc_create(
            pd, engine, dnnl_forward_training, dnnl_pooling_max, F32(4, dnnl_nchw, 2, 5, 9, 45),
            F32(4, dnnl_nchw, 2, 5, 5, 23), twos, threes, zeros, ones, ones, NULL);
}
CASE(pooling_avg_planes) {
    return dnnl_pooling_forward_primitive_desc_create(
            pd, engine, dnnl_forward_inference, dnnl_pooling_avg_exclude_padding,
            F32(4, dnnl_nchw, 2, 7, 9, 20), F32(4, dnnl_nchw, 2, 7, 9, 20), ones, threes, zeros, ones, ones,
            NULL);
}
CASE(pooling_avg) {
    return dnnl_pooling_forward_primitive_desc_create(
            pd, engine, dnnl_forward_inference, dnnl_pooling_avg_exclude_padding,
            F32(4, dnnl_nhwc, 2, 7, 9, 9), F32(4, dnnl_nhwc, 2, 7, 5, 5), twos, threes, zeros, ones, ones,
            NULL);
}
CASE(lrn) {
    dnnl_memory_desc_t md = F32(4, dnnl_nchw, 2, 13, 4, 5);
    return dnnl_lrn_forward_primitive_desc_create(pd, engine, dnnl_forward_inference,
                                                  dnnl_lrn_across_channels, md, md, 5, 1e-4f, 0.75f, 1, NULL);
}
CASE(binary_add) {
    return dnnl_binary_primitive_desc_create(pd, engine, dnnl_binary_add, F32(3, dnnl_abc, 3, 5, 17),
                                             F32(3, dnnl_abc, 3, 1, 17), F32(3, dnnl_abc, 3, 5, 17), NULL);
}
CASE(binary_div) {
    dnnl_memory_desc_t md = F32(2, dnnl_ab, 5, 29);
    return dnnl_binary_primitive_desc_create(pd, engine, dnnl_binary_div, md, md, md, NULL);
}
CASE(sum) {
    static const float scales[] = {0.5f, 2.0f, -1.0f};
    dnnl_memory_desc_t md = F32(2, dnnl_ab, 11, 13);
    const_dnnl_memory_desc_t srcs[] = {md, md, F32(2, dnnl_ba, 11, 13)};
    return dnnl_sum_primitive_desc_create(pd, engine, md, 3, scales, srcs, NULL);
}
CASE(concat) {
    const_dnnl_memory_desc_t srcs[] = {F32(3, dnnl_abc, 2, 3, 5), F32(3, dnnl_abc, 2, 8, 5)};
    return dnnl_concat_primitive_desc_create(pd, engine, F32(3, dnnl_abc, 2, 11, 5), 2, 1, srcs, NULL);
}
CASE(lrn_backward) {
    dnnl_memory_desc_t md = F32(4, dnnl_nhwc, 2, 13, 4, 5);
    return dnnl_lrn_backward_primitive_desc_create(pd, engine, dnnl_lrn_across_channels, md, md, md, 5, 1e-4f,
                                                   0.75f, 1, NULL, NULL);
}
CASE(batch_normalization) {
    dnnl_memory_desc_t md = F32(4, dnnl_nchw, 3, 11, 4, 4);
    return dnnl_batch_normalization_forward_primitive_desc_create(
            pd, engine, dnnl_forward_training, md, md, 1e-5f, dnnl_use_scale | dnnl_use_shift, NULL);
}
CASE(batch_normalization_inference) {
    dnnl_memory_desc_t md = F32(4, dnnl_nhwc, 3, 11, 4, 4);
    return dnnl_batch_normalization_forward_primitive_desc_create(
            pd, engine, dnnl_forward_inference, md, md, 1e-5f,
            dnnl_use_global_stats | dnnl_use_scale | dnnl_use_shift | dnnl_fuse_norm_relu, NULL);
}
CASE(layer_normalization) {
    dnnl_memory_desc_t md = F32(3, dnnl_abc, 3, 4, 37);
    return dnnl_layer_normalization_forward_primitive_desc_create(pd, engine, dnnl_forward_training, md, md,
                                                                  F32(2, dnnl_ab, 3, 4), 1e-5f,
                                                                  dnnl_use_scale | dnnl_use_shift, NULL);
}
CASE(group_normalization) {
    dnnl_memory_desc_t md = F32(4, dnnl_nchw, 2, 12, 3, 5);
    return dnnl_group_normalization_forward_primitive_desc_create(
            pd, engine, dnnl_forward_inference, md, md, 4, 1e-5f, dnnl_use_scale | dnnl_use_shift, NULL);
}
CASE(batch_normalization_backward) {
    dnnl_memory_desc_t md = F32(4, dnnl_nchw, 3, 11, 4, 4);
    return dnnl_batch_normalization_backward_primitive_desc_create(
            pd, engine, dnnl_backward, md, md, md, 1e-5f, dnnl_use_scale | dnnl_use_shift, NULL, NULL);
}
CASE(layer_normalization_backward) {
    dnnl_memory_desc_t md = F32(3, dnnl_abc, 3, 4, 37);
    return dnnl_layer_normalization_backward_primitive_desc_create(
            pd, engine, dnnl_backward, md, md, md, F32(2, dnnl_ab, 3, 4), 1e-5f,
            dnnl_use_scale | dnnl_use_shift, NULL, NULL);
}
CASE(group_normalization_backward) {
    dnnl_memory_desc_t md = F32(4, dnnl_nhwc, 2, 12, 3, 5);
    return dnnl_group_normalization_backward_primitive_desc_create(
            pd, engine, dnnl_backward, md, md, md, 4, 1e-5f, dnnl_use_scale | dnnl_use_shift, NULL, NULL);
}
CASE(prelu) {
    dnnl_memory_desc_t md = F32(4, dnnl_nchw, 2, 5, 3, 3);
    return dnnl_prelu_forward_primitive_desc_create(pd, engine, dnnl_forward_inference, md,
                                                    F32(4, dnnl_nchw, 1, 5, 1, 1), md, NULL);
}
CASE(reduction_mean) {
    return dnnl_reduction_primitive_desc_create(pd, engine, dnnl_reduction_mean, F32(3, dnnl_abc, 4, 19, 6),
                                                F32(3, dnnl_abc, 4, 1, 6), 0, 0, NULL);
}
CASE(reduction_norm) {
    return dnnl_reduction_primitive_desc_create(pd, engine, dnnl_reduction_norm_lp_max,
                                                F32(2, dnnl_ab, 9, 33), F32(2, dnnl_ab, 9, 1), 3, 1e-4f,
                                                NULL);
}
CASE(resampling_nearest) {
    return dnnl_resampling_forward_primitive_desc_create(
            pd, engine, dnnl_forward_inference, dnnl_resampling_nearest, NULL, F32(4, dnnl_nchw, 2, 3, 5, 5),
            F32(4, dnnl_nchw, 2, 3, 8, 11), NULL);
}
CASE(resampling_linear) {
    return dnnl_resampling_forward_primitive_desc_create(
            pd, engine, dnnl_forward_inference, dnnl_resampling_linear, NULL, F32(4, dnnl_nchw, 2, 3, 5, 5),
            F32(4, dnnl_nchw, 2, 3, 8, 11), NULL);
}
CASE(resampling_backward) {
    return dnnl_resampling_backward_primitive_desc_create(pd, engine, dnnl_resampling_linear, NULL,
                                                          F32(4, dnnl_nchw, 2, 3, 5, 5),
                                                          F32(4, dnnl_nchw, 2, 3, 8, 11), NULL, NULL);
}
CASE(shuffle) {
    dnnl_memory_desc_t md = F32(4, dnnl_nchw, 2, 12, 3, 3);
    return dnnl_shuffle_forward_primitive_desc_create(pd, engine, dnnl_forward_inference, md, md, 1, 4, NULL);
}
CASE(lstm) {
    return dnnl_lstm_forward_primitive_desc_create(
            pd, engine, dnnl_forward_inference, dnnl_unidirectional_left2right, F32(3, dnnl_tnc, 3, 2, 8),
            F32(4, dnnl_ldnc, 1, 1, 2, 8), F32(4, dnnl_ldnc, 1, 1, 2, 8), F32(5, dnnl_ldigo, 1, 1, 8, 4, 8),
            F32(5, dnnl_ldigo, 1, 1, 8, 4, 8), NULL, NULL, F32(4, dnnl_ldgo, 1, 1, 4, 8),
            F32(3, dnnl_tnc, 3, 2, 8), NULL, NULL, 0, NULL);
}
CASE(lstm_bidirectional) {
    return dnnl_lstm_forward_primitive_desc_create(
            pd, engine, dnnl_forward_inference, dnnl_bidirectional_concat, F32(3, dnnl_tnc, 3, 2, 8),
            F32(4, dnnl_ldnc, 2, 2, 2, 8), F32(4, dnnl_ldnc, 2, 2, 2, 8), F32(5, dnnl_ldigo, 2, 2, 8, 4, 8),
            F32(5, dnnl_ldgoi, 2, 2, 8, 4, 8), F32(4, dnnl_ldgo, 2, 2, 3, 8), NULL,
            F32(4, dnnl_ldgo, 2, 2, 4, 8), F32(3, dnnl_tnc, 3, 2, 16), F32(4, dnnl_ldnc, 2, 2, 2, 8),
            F32(4, dnnl_ldnc, 2, 2, 2, 8), 0, NULL);
}
CASE(vanilla_rnn) {
    return dnnl_vanilla_rnn_forward_primitive_desc_create(
            pd, engine, dnnl_forward_inference, dnnl_eltwise_tanh, dnnl_unidirectional_right2left,
            F32(3, dnnl_tnc, 3, 2, 8), F32(4, dnnl_ldnc, 1, 1, 2, 8), F32(5, dnnl_ldigo, 1, 1, 8, 1, 8),
            F32(5, dnnl_ldigo, 1, 1, 8, 1, 8), F32(4, dnnl_ldgo, 1, 1, 1, 8), F32(3, dnnl_tnc, 3, 2, 8),
            F32(4, dnnl_ldnc, 1, 1, 2, 8), 0, 0, 0, NULL);
}
CASE(gru) {
    return dnnl_gru_forward_primitive_desc_create(
            pd, engine, dnnl_forward_inference, dnnl_unidirectional_left2right, F32(3, dnnl_tnc, 3, 2, 8),
            F32(4, dnnl_ldnc, 1, 1, 2, 8), F32(5, dnnl_ldigo, 1, 1, 8, 3, 8),
            F32(5, dnnl_ldigo, 1, 1, 8, 3, 8), F32(4, dnnl_ldgo, 1, 1, 3, 8), F32(3, dnnl_tnc, 3, 2, 8),
            F32(4, dnnl_ldnc, 1, 1, 2, 8), 0, NULL);
}
CASE(lbr_gru) {
    return dnnl_lbr_gru_forward_primitive_desc_create(
            pd, engine, dnnl_forward_inference, dnnl_unidirectional_left2right, F32(3, dnnl_tnc, 3, 2, 8),
            F32(4, dnnl_ldnc, 1, 1, 2, 8), F32(5, dnnl_ldigo, 1, 1, 8, 3, 8),
            F32(5, dnnl_ldigo, 1, 1, 8, 3, 8), F32(4, dnnl_ldgo, 1, 1, 4, 8), F32(3, dnnl_tnc, 3, 2, 8),
            F32(4, dnnl_ldnc, 1, 1, 2, 8), 0, NULL);
}
CASE(eltwise_f64) {
    dnnl_memory_desc_t md = TYPED(dnnl_f64, 2, dnnl_ab, 9, 33);
    return dnnl_eltwise_forward_primitive_desc_create(pd, engine, dnnl_forward_inference,
                                                      dnnl_eltwise_gelu_erf, md, md, 0, 0, NULL);
}
CASE(softmax_f64) {
    dnnl_memory_desc_t md = TYPED(dnnl_f64, 3, dnnl_abc, 3, 11, 5);
    return dnnl_softmax_forward_primitive_desc_create(pd, engine, dnnl_forward_inference,
                                                      dnnl_softmax_accurate, md, md, 1, NULL);
}
CASE(pooling_f64) {
    return dnnl_pooling_forward_primitive_desc_create(
            pd, engine, dnnl_forward_training, dnnl_pooling_max, TYPED(dnnl_f64, 4, dnnl_nhwc, 2, 11, 6, 6),
            TYPED(dnnl_f64, 4, dnnl_nhwc, 2, 11, 3, 3), twos, twos, zeros, zeros, zeros, NULL);
}
CASE(layer_normalization_f64) {
    dnnl_memory_desc_t md = TYPED(dnnl_f64, 3, dnnl_abc, 3, 4, 19);
    return dnnl_layer_normalization_forward_primitive_desc_create(pd, engine, dnnl_forward_training, md, md,
                                                                  F32(2, dnnl_ab, 3, 4), 1e-5f,
                                                                  dnnl_use_scale | dnnl_use_shift, NULL);
}

static const struct {
    const char *name;
    dnnl_status_t (*create)(dnnl_engine_t engine, dnnl_primitive_desc_t *pd, struct descs *d);
} cases[] = {
#define ROW(name) {#name, name}
        ROW(reorder_transpose),
        ROW(reorder_to_s8),
        ROW(reorder_from_u8),
        ROW(reorder_from_s8),
        ROW(reorder_to_bf16),
        ROW(eltwise_relu),
        ROW(eltwise_tanh),
        ROW(eltwise_gelu),
        ROW(eltwise_exp),
        ROW(eltwise_log),
        ROW(eltwise_mish),
        ROW(eltwise_backward),
        ROW(softmax),
        ROW(softmax_across),
        ROW(logsoftmax),
        ROW(convolution),
        ROW(convolution_winograd_4x4),
        ROW(convolution_winograd_2x2),
        ROW(convolution_groups),
        ROW(convolution_depthwise),
        ROW(convolution_s8),
        ROW(convolution_then_depthwise),
        ROW(convolution_backward_data),
        ROW(deconvolution),
        ROW(inner_product),
        ROW(matmul),
        ROW(matmul_bf16),
        ROW(matmul_s8),
        ROW(matmul_post_ops),
        ROW(matmul_dropout),
        ROW(matmul_stochastic),
        ROW(matmul_dynamic_scales),
        ROW(pooling_max),
        ROW(pooling_max_training),
        ROW(pooling_max_training_planes),
        ROW(pooling_avg_planes),
        ROW(pooling_avg),
        ROW(lrn),
        ROW(lrn_backward),
        ROW(binary_add),
        ROW(binary_div),
        ROW(sum),
        ROW(concat),
        ROW(batch_normalization),
        ROW(batch_normalization_inference),
        ROW(layer_normalization),
        ROW(group_normalization),
        ROW(batch_normalization_backward),
        ROW(layer_normalization_backward),
        ROW(group_normalization_backward),
        ROW(prelu),
        ROW(reduction_mean),
        ROW(reduction_norm),
        ROW(resampling_nearest),
        ROW(resampling_linear),
        ROW(resampling_backward),
        ROW(shuffle),
        ROW(lstm),
        ROW(lstm_bidirectional),
        ROW(vanilla_rnn),
        ROW(gru),
        ROW(lbr_gru),
        ROW(eltwise_f64),
        ROW(softmax_f64),
        ROW(pooling_f64),
        ROW(layer_normalization_f64),
#undef ROW
};

/* Possible arguments of a primitive; those with a non-empty descriptor are passed. */
static const int possible[] = {
        DNNL_ARG_SRC,
        DNNL_ARG_SRC_1,
        DNNL_ARG_SRC_2,
        DNNL_ARG_MULTIPLE_SRC,
        DNNL_ARG_MULTIPLE_SRC + 1,
        DNNL_ARG_MULTIPLE_SRC + 2,
        DNNL_ARG_WEIGHTS,
        DNNL_ARG_WEIGHTS_1,
        DNNL_ARG_WEIGHTS_PEEPHOLE,
        DNNL_ARG_BIAS,
        DNNL_ARG_MEAN,
        DNNL_ARG_VARIANCE,
        DNNL_ARG_SCALE,
        DNNL_ARG_SHIFT,
        DNNL_ARG_DST,
        DNNL_ARG_DST_1,
        DNNL_ARG_DST_2,
        DNNL_ARG_WORKSPACE,
        DNNL_ARG_DIFF_SRC,
        DNNL_ARG_DIFF_WEIGHTS,
        DNNL_ARG_DIFF_BIAS,
        DNNL_ARG_DIFF_SCALE,
        DNNL_ARG_DIFF_SHIFT,
        DNNL_ARG_DIFF_DST,
        DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_WEIGHTS,
        DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_BIAS,
        DNNL_ARG_ATTR_DROPOUT_PROBABILITY,
        DNNL_ARG_ATTR_DROPOUT_SEED,
        DNNL_ARG_ATTR_DROPOUT_OFFSET,
        DNNL_ARG_ATTR_DROPOUT_MASK,
        DNNL_ARG_ATTR_ROUNDING_SEED,
        DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST,
};
enum { POSSIBLE = COUNT(possible) };

struct run {
    int nargs;
    dnnl_exec_arg_t args[POSSIBLE];
};

/* Fills f32 and f64 with values between -1 and 1, bytes with any, other types with small integers. Variances
 * are positive, probabilities between 0 and 1. */
static void fill(dnnl_memory_t memory, int arg) {
    const_dnnl_memory_desc_t md;
    dnnl_data_type_t type;
    void *data;
    assert_ok(dnnl_memory_get_memory_desc(memory, &md));
    assert_ok(dnnl_memory_desc_query(md, dnnl_query_data_type, &type));
    size_t size = dnnl_memory_desc_get_size(md);
    assert_ok(dnnl_memory_map_data(memory, &data));
    uint32_t random = 12345u + 77u * (uint32_t)arg;
    for (size_t i = 0; i < size / 4; i++) {
        random = random * 1664525u + 1013904223u;
        float x = (float)(int32_t)random / 2147483648.0f;
        if (arg == DNNL_ARG_VARIANCE) x = 0.5f + x * x;
        if (arg == DNNL_ARG_ATTR_DROPOUT_PROBABILITY) x = 0.375f;
        bool all_bytes = type == dnnl_s8 || type == dnnl_u8;
        uint32_t bytes = all_bytes ? random ^ random >> 11 : random >> 8 & 0x07070707u;
        uint32_t halves = 0x3f803f80u | (random & 0x00700070u);
        const double wide = x;
        if (type == dnnl_f64 && i % 2 == 0) memcpy((char *)data + 4 * i, &wide, 8);
        if (type == dnnl_f64) continue;
        if (type == dnnl_f32)
            memcpy((char *)data + 4 * i, &x, 4);
        else
            memcpy((char *)data + 4 * i, type == dnnl_bf16 ? &halves : &bytes, 4);
    }
    assert_ok(dnnl_memory_unmap_data(memory, data));
}

static struct run make_run(const_dnnl_primitive_desc_t pd, dnnl_engine_t engine) {
    struct run run = {0};
    for (int i = 0; i < POSSIBLE; i++) {
        const_dnnl_memory_desc_t md = dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, possible[i]);
        if (!md || dnnl_memory_desc_get_size(md) == 0) continue;
        bool seen = false; /* some arguments have two names */
        for (int k = 0; k < run.nargs; k++)
            seen |= run.args[k].arg == possible[i];
        if (seen) continue;
        dnnl_memory_t memory = test_memory(md, engine, DNNL_MEMORY_ALLOCATE);
        fill(memory, possible[i]);
        run.args[run.nargs++] = (dnnl_exec_arg_t){possible[i], memory};
    }
    return run;
}

static void free_run(struct run *run) {
    for (int i = 0; i < run->nargs; i++)
        assert_ok(dnnl_memory_destroy(run->args[i].memory));
}

static dnnl_status_t execute(const_dnnl_primitive_desc_t pd, dnnl_engine_t engine, const struct run *run) {
    dnnl_primitive_t primitive;
    dnnl_stream_t stream = test_stream(engine);
    dnnl_status_t status = dnnl_primitive_create(&primitive, pd);
    if (status != dnnl_success) {
        assert_ok(dnnl_stream_destroy(stream));
        return status;
    }
    status = dnnl_primitive_execute(primitive, stream, run->nargs, run->args);
    if (status == dnnl_success) status = dnnl_stream_wait(stream);
    assert_ok(dnnl_primitive_destroy(primitive));
    assert_ok(dnnl_stream_destroy(stream));
    return status;
}

/* Numbers of any type as double. */

static double half_value(uint16_t bits) {
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double magnitude = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
    return bits >> 15 ? -magnitude : magnitude;
}

static double number_at(const void *data, dnnl_data_type_t type, size_t i) {
    float value;
    switch (type) {
    case dnnl_f32: return ((const float *)data)[i];
    case dnnl_f64: return ((const double *)data)[i];
    case dnnl_s32: return ((const int32_t *)data)[i];
    case dnnl_s8: return ((const int8_t *)data)[i];
    case dnnl_f16: return half_value(((const uint16_t *)data)[i]);
    case dnnl_bf16: {
        uint32_t bits = (uint32_t)((const uint16_t *)data)[i] << 16;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    default: return ((const uint8_t *)data)[i]; /* of 8-bit floats: neighbours differ by one */
    }
}

/* One unit in the last place of a type, at x. */
static double unit_at(dnnl_data_type_t type, double x) {
    int digits = type == dnnl_f64    ? 52
                 : type == dnnl_f32  ? 23
                 : type == dnnl_f16  ? 10
                 : type == dnnl_bf16 ? 7
                                     : 0;
    if (digits == 0) return 1;
    return x == 0 ? 0 : ldexp(1, ilogb(x) - digits);
}

/* Two sums of n products of numbers between -1 and 1 differ by at most 2 n u times n, u being half a unit of
 * f32 or f64 at 1; then each is rounded to its type. */
static bool near(dnnl_data_type_t type, double a, double b) {
    enum { LONGEST = 80 }; /* the reduction of inner_product */
    double sums = type == dnnl_s32 ? 0 : ldexp(2.0 * LONGEST * LONGEST, type == dnnl_f64 ? -53 : -24);
    return a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= sums + unit_at(type, a);
}

static bool same_numbers(const void *a, const void *b, dnnl_data_type_t type, size_t bytes) {
    size_t count = bytes / dnnl_data_type_size(type);
    for (size_t i = 0; i < count; i++)
        if (!near(type, number_at(a, type, i), number_at(b, type, i))) return false;
    return true;
}

static bool same(dnnl_memory_t a, dnnl_memory_t b, bool bits) {
    const_dnnl_memory_desc_t md;
    dnnl_data_type_t type;
    void *left, *right;
    assert_ok(dnnl_memory_get_memory_desc(a, &md));
    assert_ok(dnnl_memory_desc_query(md, dnnl_query_data_type, &type));
    assert_ok(dnnl_memory_map_data(a, &left));
    assert_ok(dnnl_memory_map_data(b, &right));
    size_t size = dnnl_memory_desc_get_size(md);
    bool equal = memcmp(left, right, size) == 0 || (!bits && same_numbers(left, right, type, size));
    assert_ok(dnnl_memory_unmap_data(a, left));
    assert_ok(dnnl_memory_unmap_data(b, right));
    return equal;
}

static bool same_kernel(const_dnnl_primitive_desc_t a, const_dnnl_primitive_desc_t b) {
    const char *left, *right;
    assert_ok(dnnl_primitive_desc_query(a, dnnl_query_impl_info_str, 0, &left));
    assert_ok(dnnl_primitive_desc_query(b, dnnl_query_impl_info_str, 0, &right));
    return strcmp(left, right) == 0;
}

enum outcome { SAME, DIFFERENT, NOT_ON_CPU, NOT_HERE };

static enum outcome compare(dnnl_primitive_desc_t on_cpu, dnnl_engine_t cpu, dnnl_primitive_desc_t here,
                            dnnl_engine_t engine, bool same_code) {
    bool bits = same_code && same_kernel(on_cpu, here);
    struct run expected = make_run(on_cpu, cpu), actual = make_run(here, engine);
    enum outcome outcome = SAME;
    assert_int_equal(expected.nargs, actual.nargs);
    assert_ok(execute(on_cpu, cpu, &expected));
    if (execute(here, engine, &actual) != dnnl_success) outcome = NOT_HERE;
    for (int i = 0; i < expected.nargs && outcome == SAME; i++)
        if (!same(expected.args[i].memory, actual.args[i].memory, bits)) outcome = DIFFERENT;
    free_run(&expected);
    free_run(&actual);
    return outcome;
}

static enum outcome run_case(int index, dnnl_engine_t cpu, dnnl_engine_t engine, bool same_code) {
    struct descs descs = {0};
    dnnl_primitive_desc_t on_cpu = NULL, here = NULL;
    enum outcome outcome = SAME;
    dnnl_status_t status = cases[index].create(cpu, &on_cpu, &descs);
    if (status == dnnl_unimplemented)
        outcome = NOT_ON_CPU;
    else
        assert_ok(status);
    if (outcome == SAME && cases[index].create(engine, &here, &descs) != dnnl_success) outcome = NOT_HERE;
    if (outcome == SAME) outcome = compare(on_cpu, cpu, here, engine, same_code);
    dnnl_primitive_desc_destroy(on_cpu);
    dnnl_primitive_desc_destroy(here);
    for (int i = 0; i < descs.count; i++)
        assert_ok(dnnl_memory_desc_destroy(descs.list[i]));
    return outcome;
}

static void same_results(void **state) {
    const struct place *place = place_of(state);
    dnnl_engine_t cpu = test_engine(), engine = make_engine(place);
    int wrong = 0, nmissing = 0;
    const char *missing[COUNT(cases)];
    for (int i = 0; i < COUNT(cases); i++) {
        enum outcome outcome = run_case((int)i, cpu, engine, place->same_code);
        if (outcome == NOT_ON_CPU) missing[nmissing++] = cases[i].name;
        if (outcome == DIFFERENT || outcome == NOT_HERE)
            print_message("%s: %s\n", cases[i].name,
                          outcome == DIFFERENT ? "differs from the CPU engine" : "cannot run here");
        wrong += outcome == DIFFERENT || outcome == NOT_HERE;
    }
    if (nmissing > 0) print_message("SKIP: %s: not on the CPU engine yet:", place->name);
    for (int i = 0; i < nmissing; i++)
        print_message(" %s%s", missing[i], i + 1 < nmissing ? "," : "\n");
    assert_ok(dnnl_engine_destroy(engine));
    assert_ok(dnnl_engine_destroy(cpu));
    assert_int_equal(wrong, 0);
}

const struct test primitive_tests[] = {
        {"same_results", same_results},
        {NULL, NULL},
};
