/* SPDX-License-Identifier: Apache-2.0 */
/* What the forward and the backward requests of docs/coverage.md share. */
#ifndef LODE_TESTS_COVERAGE_H
#define LODE_TESTS_COVERAGE_H

#include "count.h"
#include "oneapi/dnnl/dnnl.h"

#include <stdbool.h>
#include <stddef.h>

extern dnnl_engine_t engine;

struct types {
    dnnl_data_type_t src, weights, dst;
};

/* Each function creates the descriptor of one primitive; the tensors are of the given types and layout. */
struct request {
    struct types types;
    dnnl_format_tag_t tag;
    const_dnnl_primitive_attr_t attr;
};
typedef dnnl_status_t create_t(dnnl_primitive_desc_t *pd, const struct request *r);

/* NULL if the library refuses the type. */
dnnl_memory_desc_t md_new(int ndims, const dnnl_dims_t dims, dnnl_data_type_t type, dnnl_format_tag_t tag);

extern const dnnl_dims_t image, small, large, pixel, per_channel, doubled;
extern const dnnl_dims_t one, two, none;
extern const dnnl_dims_t left, right, product, outputs;

/* A list of descriptors that are destroyed together. */
#define WITH_MDS(count_, ...)                                                                                \
    dnnl_memory_desc_t md[] = {__VA_ARGS__};                                                                 \
    dnnl_status_t status = dnnl_unimplemented;                                                               \
    bool made = true;                                                                                        \
    for (int i = 0; i < (count_); i++)                                                                       \
        made = made && md[i];
#define END_MDS(call_)                                                                                       \
    if (made) status = call_;                                                                                \
    for (int i = 0; i < COUNT(md); i++)                                                                      \
        if (md[i]) dnnl_memory_desc_destroy(md[i]);                                                          \
    return status;
#define SRC(dims_) md_new(4, dims_, r->types.src, r->tag)
#define DST(dims_) md_new(4, dims_, r->types.dst, r->tag)

/* Recurrent networks; `gates` of weights. */
#define NETWORK_MDS(gates_)                                                                                  \
    WITH_MDS(5, md_new(3, (dnnl_dims_t){3, 4, 32}, r->types.src, dnnl_tnc),                                  \
             md_new(5, (dnnl_dims_t){1, 1, 32, gates_, 32}, r->types.weights, r->tag),                       \
             md_new(5, (dnnl_dims_t){1, 1, 32, gates_, 32}, r->types.weights, r->tag),                       \
             md_new(3, (dnnl_dims_t){3, 4, 32}, r->types.dst, dnnl_tnc),                                     \
             md_new(3, (dnnl_dims_t){3, 4, 1}, r->types.src, dnnl_tnc))
#define LEFT_TO_RIGHT dnnl_unidirectional_left2right

/* Backward, and forward for training: backward.c. */
create_t convolution_by_data, convolution_by_weights, depthwise_by_data, depthwise_by_weights,
        deconvolution_by_data, deconvolution_by_weights, inner_product_by_data, inner_product_by_weights,
        vanilla_rnn_gradient, lstm_gradient, gru_gradient, eltwise_gradient, pooling_training,
        max_pooling_gradient, average_pooling_gradient, softmax_gradient, lrn_gradient, lrn_within_gradient,
        resampling_gradient, shuffle_gradient, prelu_gradient, batch_normalization_training,
        batch_normalization_gradient, layer_normalization_gradient, group_normalization_gradient;

#endif
