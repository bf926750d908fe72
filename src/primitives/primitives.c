/* SPDX-License-Identifier: Apache-2.0 */
/* The one list of primitives that can be computed. */
#include "primitives/primitives.h"
#include "primitives/winograd.h"

static const struct implementation none[] = {{NULL, NULL, NULL}};

/* Kinds of primitives without propagation count as forward. */
enum direction { FORWARD, BACKWARD_DATA, BACKWARD_WEIGHTS, BACKWARD_ALL };

static enum direction direction_of(dnnl_prop_kind_t prop) {
    switch (prop) {
    case dnnl_backward: return BACKWARD_ALL;
    case dnnl_backward_data: return BACKWARD_DATA;
    case dnnl_backward_weights:
    case dnnl_backward_bias: return BACKWARD_WEIGHTS;
    default: return FORWARD;
    }
}

static const struct {
    dnnl_primitive_kind_t kind;
    enum direction direction;
    const struct implementation *implementations;
} rows[] = {
        {dnnl_batch_normalization, FORWARD, batch_normalization_forward},
        {dnnl_batch_normalization, BACKWARD_ALL, batch_normalization_backward},
        {dnnl_batch_normalization, BACKWARD_DATA, batch_normalization_backward},
        {dnnl_binary, FORWARD, binary_implementations},
        {dnnl_concat, FORWARD, concat_implementations},
        {dnnl_convolution, FORWARD, convolution_forward},
        {dnnl_convolution, BACKWARD_DATA, convolution_backward_data},
        {dnnl_convolution, BACKWARD_WEIGHTS, convolution_backward_weights},
        {dnnl_deconvolution, FORWARD, deconvolution_forward},
        {dnnl_deconvolution, BACKWARD_DATA, deconvolution_backward_data},
        {dnnl_deconvolution, BACKWARD_WEIGHTS, convolution_backward_weights},
        {dnnl_eltwise, FORWARD, eltwise_forward},
        {dnnl_eltwise, BACKWARD_DATA, eltwise_backward},
        {dnnl_group_normalization, FORWARD, group_normalization_forward},
        {dnnl_group_normalization, BACKWARD_ALL, group_normalization_backward},
        {dnnl_group_normalization, BACKWARD_DATA, group_normalization_backward},
        {dnnl_inner_product, FORWARD, inner_product_forward},
        {dnnl_inner_product, BACKWARD_DATA, inner_product_backward_data},
        {dnnl_inner_product, BACKWARD_WEIGHTS, inner_product_backward_weights},
        {dnnl_layer_normalization, FORWARD, layer_normalization_forward},
        {dnnl_layer_normalization, BACKWARD_ALL, layer_normalization_backward},
        {dnnl_layer_normalization, BACKWARD_DATA, layer_normalization_backward},
        {dnnl_lrn, FORWARD, lrn_forward},
        {dnnl_lrn, BACKWARD_DATA, lrn_backward},
        {dnnl_matmul, FORWARD, matmul_implementations},
        {dnnl_pooling, FORWARD, pooling_forward},
        {dnnl_pooling, BACKWARD_DATA, pooling_backward},
        {dnnl_prelu, FORWARD, prelu_forward},
        {dnnl_prelu, BACKWARD_ALL, prelu_backward},
        {dnnl_reduction, FORWARD, reduction_implementations},
        {dnnl_reorder, FORWARD, reorder_implementations},
        {dnnl_resampling, FORWARD, resampling_forward},
        {dnnl_rnn, FORWARD, rnn_forward},
        {dnnl_rnn, BACKWARD_ALL, rnn_backward},
        {dnnl_resampling, BACKWARD_DATA, resampling_backward},
        {dnnl_shuffle, FORWARD, shuffle_implementations},
        {dnnl_shuffle, BACKWARD_DATA, shuffle_implementations},
        {dnnl_softmax, FORWARD, softmax_forward},
        {dnnl_softmax, BACKWARD_DATA, softmax_backward},
        {dnnl_sum, FORWARD, sum_implementations},
};

/* Reorders into transformed weights have nothing in common with others. */
static bool is_winograd_reorder(const struct problem *problem) {
    return problem->kind == dnnl_reorder
           && (md_is_winograd(problem_md(problem, DNNL_ARG_FROM))
               || md_is_winograd(problem_md(problem, DNNL_ARG_TO)));
}

const struct implementation *primitive_implementations(const struct problem *problem) {
    enum direction direction = direction_of(problem->prop);
    if (is_winograd_reorder(problem)) return winograd_reorders;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].kind == problem->kind && rows[i].direction == direction) return rows[i].implementations;
    return none;
}
