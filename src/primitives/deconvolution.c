/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deconvolution: its creation functions. Checked like a convolution with source and destination exchanged.
 */
#include "oneapi/dnnl/dnnl.h"
#include "primitives/convolution.h"
#include "primitives/gemm.h"
#include "primitives/primitives.h"

static const char component[] = "deconvolution";

dnnl_status_t dnnl_deconvolution_forward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop, dnnl_alg_kind_t alg,
        const_dnnl_memory_desc_t src, const_dnnl_memory_desc_t weights, const_dnnl_memory_desc_t bias,
        const_dnnl_memory_desc_t dst, const dnnl_dims_t strides, const dnnl_dims_t dilates,
        const dnnl_dims_t padding_l, const dnnl_dims_t padding_r, const_dnnl_primitive_attr_t attr) {
    REQUIRE(prop_is_forward(prop), "not a forward propagation");
    struct convolution_request r = {
            .kind = dnnl_deconvolution,
            .prop = prop,
            .alg = alg,
            .src = src,
            .weights = weights,
            .bias = bias,
            .dst = dst,
            .window = {NULL, strides, dilates, padding_l, padding_r},
    };
    return create_convolution_forward(pd, engine, &r, attr);
}

dnnl_status_t dnnl_deconvolution_backward_data_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_alg_kind_t alg,
        const_dnnl_memory_desc_t diff_src, const_dnnl_memory_desc_t weights,
        const_dnnl_memory_desc_t diff_dst, const dnnl_dims_t strides, const dnnl_dims_t dilates,
        const dnnl_dims_t padding_l, const dnnl_dims_t padding_r, const_dnnl_primitive_desc_t hint,
        const_dnnl_primitive_attr_t attr) {
    struct convolution_request r = {
            .kind = dnnl_deconvolution,
            .prop = dnnl_backward_data,
            .alg = alg,
            .src = diff_src,
            .weights = weights,
            .dst = diff_dst,
            .window = {NULL, strides, dilates, padding_l, padding_r},
    };
    return create_convolution_backward_data(pd, engine, &r, hint, attr);
}

dnnl_status_t dnnl_deconvolution_backward_weights_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_alg_kind_t alg, const_dnnl_memory_desc_t src,
        const_dnnl_memory_desc_t diff_weights, const_dnnl_memory_desc_t diff_bias,
        const_dnnl_memory_desc_t diff_dst, const dnnl_dims_t strides, const dnnl_dims_t dilates,
        const dnnl_dims_t padding_l, const dnnl_dims_t padding_r, const_dnnl_primitive_desc_t hint,
        const_dnnl_primitive_attr_t attr) {
    struct convolution_request r = {
            .kind = dnnl_deconvolution,
            .prop = dnnl_backward_weights,
            .alg = alg,
            .src = src,
            .weights = diff_weights,
            .bias = diff_bias,
            .dst = diff_dst,
            .window = {NULL, strides, dilates, padding_l, padding_r},
    };
    return create_convolution_backward_weights(pd, engine, &r, hint, attr);
}

const struct implementation deconvolution_forward[] = {
        {"f32_depthwise_planes_16", depthwise_build_planes, &depthwise_planes_f32},
        {"f32_depthwise_6x16", gemm_build_depthwise, &gemm_depthwise_6x16},
        {"int8_depthwise_6x16", gemm_build_depthwise, &gemm_int8_depthwise_6x16},
        {"bf16_gemm_16x32", gemm_build_convolution, &gemm_bf16_16x32},
        {"bf16_gemm_moved", gemm_build_convolution, &gemm_moved_16x32},
        {"bf16_gemm_14x32", gemm_build_convolution, &gemm_bf16_14x32},
        {"f32_gemm_14x32", gemm_build_convolution, &gemm_14x32},
        {"f32_gemm_6x16", gemm_build_convolution, &gemm_6x16},
        {"int8_gemm_16x32", gemm_build_convolution, &gemm_int8_16x32},
        {"int8_gemm_12x32", gemm_build_convolution, &gemm_int8_12x32},
        {"f64_depthwise_planes_8", depthwise_build_planes, &depthwise_planes_f64},
        {"f64_depthwise_6x16", gemm_build_depthwise, &gemm_f64_depthwise_6x16},
        {"f64_gemm_14x16", gemm_build_convolution, &gemm_f64_14x16},
        {"f64_gemm_6x8", gemm_build_convolution, &gemm_f64_6x8},
        {"convolution_universal", convolution_build_universal, NULL},
        {NULL, NULL, NULL},
};
