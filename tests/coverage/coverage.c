/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints docs/coverage.md: for every primitive, type and layout, whether fast kernels compute it, a universal
 * one takes part, or none does. Nothing is executed: the kernels of the plan tell. The test compares the page
 * with the one in docs/, and fails if a universal kernel is planned.
 */
#include "core/objects.h" /* first: it has parameters that are named like the engine of coverage.h */

#include "coverage.h"
#include "kernels/kernel.h"
#include "oneapi/dnnl/dnnl_debug.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

dnnl_engine_t engine;

enum attributes { NOTHING, POST_OPS, SCALES, ZERO_POINTS, STOCHASTIC };

/* What a column of a table asks for. */
struct column {
    const char *title;
    dnnl_format_tag_t tag;
    enum attributes attributes;
};

static const struct column image_columns[] = {
        {"plain", dnnl_abcd, NOTHING},
        {"channels last", dnnl_acdb, NOTHING},
        {"blocked by 16", dnnl_aBcd16b, NOTHING},
        {"blocked by 8", dnnl_aBcd8b, NOTHING},
        {"plain, post-ops", dnnl_abcd, POST_OPS},
        {"channels last, post-ops", dnnl_acdb, POST_OPS},
        {"blocked by 16, post-ops", dnnl_aBcd16b, POST_OPS},
        {"channels last, scales", dnnl_acdb, SCALES},
        /* of convolutions alone */
        {"channels last, zero points", dnnl_acdb, ZERO_POINTS},
        {"channels last, stochastic rounding", dnnl_acdb, STOCHASTIC},
};
enum { OF_CONVOLUTIONS = 2 };
static const struct column matrix_columns[] = {
        {"any", dnnl_format_tag_any, NOTHING}, {"plain", dnnl_ab, NOTHING},
        {"transposed", dnnl_ba, NOTHING},      {"plain, post-ops", dnnl_ab, POST_OPS},
        {"plain, scales", dnnl_ab, SCALES},
};

/* Backward: without attributes. */
static const struct column gradient_columns[] = {
        {"plain", dnnl_abcd, NOTHING},
        {"channels last", dnnl_acdb, NOTHING},
        {"blocked by 16", dnnl_aBcd16b, NOTHING},
        {"blocked by 8", dnnl_aBcd8b, NOTHING},
};
static const struct column matrix_gradient_columns[] = {
        {"any", dnnl_format_tag_any, NOTHING}, {"plain", dnnl_ab, NOTHING}, {"transposed", dnnl_ba, NOTHING}};

/* Layouts of weights. */
static const struct column network_columns[] = {{"any", dnnl_format_tag_any, NOTHING},
                                                {"ldigo", dnnl_ldigo, NOTHING},
                                                {"ldgoi", dnnl_ldgoi, NOTHING}};

/* Which columns a table has. */
enum columns { IMAGES, CONVOLUTIONS, MATRICES, NETWORKS, GRADIENTS, MATRIX_GRADIENTS };
static const struct {
    const struct column *list;
    int count;
} column_lists[] = {[IMAGES] = {image_columns, COUNT(image_columns) - OF_CONVOLUTIONS},
                    [CONVOLUTIONS] = {image_columns, COUNT(image_columns)},
                    [MATRICES] = {matrix_columns, COUNT(matrix_columns)},
                    [NETWORKS] = {network_columns, COUNT(network_columns)},
                    [GRADIENTS] = {gradient_columns, COUNT(gradient_columns)},
                    [MATRIX_GRADIENTS] = {matrix_gradient_columns, COUNT(matrix_gradient_columns)}};

/* Attributes. */

static void add_post_ops(dnnl_primitive_attr_t attr) {
    dnnl_post_ops_t ops;
    dnnl_memory_desc_t operand;
    static const dnnl_dims_t channels = {1, 32, 1, 1};
    dnnl_post_ops_create(&ops);
    dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_tanh, 0, 0);
    dnnl_memory_desc_create_with_tag(&operand, 4, channels, dnnl_f32, dnnl_abcd);
    dnnl_post_ops_append_binary(ops, dnnl_binary_mul, operand);
    dnnl_primitive_attr_set_post_ops(attr, ops);
    dnnl_memory_desc_destroy(operand);
    dnnl_post_ops_destroy(ops);
}

static void add_matrix_post_ops(dnnl_primitive_attr_t attr) {
    dnnl_post_ops_t ops;
    dnnl_memory_desc_t operand;
    static const dnnl_dims_t columns = {1, 32};
    dnnl_post_ops_create(&ops);
    dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_tanh, 0, 0);
    dnnl_memory_desc_create_with_tag(&operand, 2, columns, dnnl_f32, dnnl_ab);
    dnnl_post_ops_append_binary(ops, dnnl_binary_mul, operand);
    dnnl_primitive_attr_set_post_ops(attr, ops);
    dnnl_memory_desc_destroy(operand);
    dnnl_post_ops_destroy(ops);
}

static void add_scales(dnnl_primitive_attr_t attr, const int *args) {
    for (; *args; args++)
        dnnl_primitive_attr_set_scales_mask(attr, *args, 0);
}

static dnnl_primitive_attr_t attr_of(enum attributes attributes, enum columns columns, const int *scaled) {
    dnnl_primitive_attr_t attr;
    dnnl_primitive_attr_create(&attr);
    if (attributes == POST_OPS && columns == MATRICES) add_matrix_post_ops(attr);
    if (attributes == POST_OPS && (columns == IMAGES || columns == CONVOLUTIONS)) add_post_ops(attr);
    if (attributes == SCALES) add_scales(attr, scaled);
    if (attributes == ZERO_POINTS) {
        dnnl_primitive_attr_set_zero_points_mask(attr, DNNL_ARG_SRC, 0);
        dnnl_primitive_attr_set_zero_points_mask(attr, DNNL_ARG_DST, 0);
    }
    if (attributes == STOCHASTIC)
        dnnl_primitive_attr_set_rounding(attr, DNNL_ARG_DST, dnnl_rounding_mode_stochastic);
    return attr;
}

/* Descriptors: NULL if the library refuses the type. */

dnnl_memory_desc_t md_new(int ndims, const dnnl_dims_t dims, dnnl_data_type_t type, dnnl_format_tag_t tag) {
    dnnl_memory_desc_t md = NULL;
    if (type != dnnl_data_type_undef) dnnl_memory_desc_create_with_tag(&md, ndims, dims, type, tag);
    return md;
}

const dnnl_dims_t image = {2, 32, 8, 8}, small = {2, 32, 4, 4}, large = {2, 32, 16, 16},
                  pixel = {2, 32, 1, 1}, per_channel = {1, 32, 1, 1}, doubled = {2, 64, 8, 8};
const dnnl_dims_t one = {1, 1}, two = {2, 2}, none = {0, 0};
const dnnl_dims_t left = {16, 64}, right = {64, 32}, product = {16, 32}, outputs = {32, 64};

static dnnl_status_t eltwise(dnnl_primitive_desc_t *pd, const struct request *r) {
    WITH_MDS(2, SRC(image), DST(image))
    END_MDS(dnnl_eltwise_forward_primitive_desc_create(pd, engine, dnnl_forward_inference, dnnl_eltwise_relu,
                                                       md[0], md[1], 0, 0, r->attr))
}

static dnnl_status_t binary(dnnl_primitive_desc_t *pd, const struct request *r) {
    WITH_MDS(3, SRC(image), md_new(4, per_channel, r->types.src, dnnl_abcd), DST(image))
    END_MDS(dnnl_binary_primitive_desc_create(pd, engine, dnnl_binary_add, md[0], md[1], md[2], r->attr))
}

static dnnl_status_t sum(dnnl_primitive_desc_t *pd, const struct request *r) {
    static const float scales[] = {1, 2};
    WITH_MDS(3, SRC(image), SRC(image), DST(image))
    END_MDS(dnnl_sum_primitive_desc_create(pd, engine, md[2], 2, scales, (const_dnnl_memory_desc_t const *)md,
                                           r->attr))
}

static dnnl_status_t concat(dnnl_primitive_desc_t *pd, const struct request *r) {
    WITH_MDS(3, SRC(image), SRC(image), DST(doubled))
    END_MDS(dnnl_concat_primitive_desc_create(pd, engine, md[2], 2, 1, (const_dnnl_memory_desc_t const *)md,
                                              r->attr))
}

static dnnl_status_t reorder(dnnl_primitive_desc_t *pd, const struct request *r) {
    WITH_MDS(2, md_new(4, image, r->types.src, dnnl_abcd), DST(image))
    END_MDS(dnnl_reorder_primitive_desc_create(pd, md[0], engine, md[1], engine, r->attr))
}

static dnnl_status_t pooling(dnnl_primitive_desc_t *pd, const struct request *r) {
    WITH_MDS(2, SRC(image), DST(small))
    END_MDS(dnnl_pooling_forward_primitive_desc_create(pd, engine, dnnl_forward_inference, dnnl_pooling_max,
                                                       md[0], md[1], two, two, none, none, none, r->attr))
}

static dnnl_status_t softmax(dnnl_primitive_desc_t *pd, const struct request *r) {
    WITH_MDS(2, SRC(image), DST(image))
    END_MDS(dnnl_softmax_forward_primitive_desc_create(pd, engine, dnnl_forward_inference,
                                                       dnnl_softmax_accurate, md[0], md[1], 1, r->attr))
}

static dnnl_status_t lrn(dnnl_primitive_desc_t *pd, const struct request *r) {
    WITH_MDS(2, SRC(image), DST(image))
    END_MDS(dnnl_lrn_forward_primitive_desc_create(pd, engine, dnnl_forward_inference,
                                                   dnnl_lrn_across_channels, md[0], md[1], 5, 1e-4f, 0.75f, 1,
                                                   r->attr))
}

static dnnl_status_t reduction(dnnl_primitive_desc_t *pd, const struct request *r) {
    WITH_MDS(2, SRC(image), DST(pixel))
    END_MDS(dnnl_reduction_primitive_desc_create(pd, engine, dnnl_reduction_sum, md[0], md[1], 0, 0, r->attr))
}

static dnnl_status_t resampling(dnnl_primitive_desc_t *pd, const struct request *r) {
    WITH_MDS(2, SRC(image), DST(large))
    END_MDS(dnnl_resampling_forward_primitive_desc_create(
            pd, engine, dnnl_forward_inference, dnnl_resampling_linear, NULL, md[0], md[1], r->attr))
}

static dnnl_status_t shuffle(dnnl_primitive_desc_t *pd, const struct request *r) {
    WITH_MDS(2, SRC(image), DST(image))
    END_MDS(dnnl_shuffle_forward_primitive_desc_create(pd, engine, dnnl_forward_inference, md[0], md[1], 1, 4,
                                                       r->attr))
}

static dnnl_status_t prelu(dnnl_primitive_desc_t *pd, const struct request *r) {
    WITH_MDS(3, SRC(image), md_new(4, per_channel, r->types.src, dnnl_abcd), DST(image))
    END_MDS(dnnl_prelu_forward_primitive_desc_create(pd, engine, dnnl_forward_inference, md[0], md[1], md[2],
                                                     r->attr))
}

static dnnl_status_t batch_normalization(dnnl_primitive_desc_t *pd, const struct request *r) {
    const unsigned flags = dnnl_use_global_stats | dnnl_use_scale | dnnl_use_shift;
    WITH_MDS(2, SRC(image), DST(image))
    END_MDS(dnnl_batch_normalization_forward_primitive_desc_create(pd, engine, dnnl_forward_inference, md[0],
                                                                   md[1], 1e-5f, flags, r->attr))
}

static dnnl_status_t layer_normalization(dnnl_primitive_desc_t *pd, const struct request *r) {
    WITH_MDS(2, SRC(image), DST(image))
    END_MDS(dnnl_layer_normalization_forward_primitive_desc_create(
            pd, engine, dnnl_forward_inference, md[0], md[1], NULL, 1e-5f, dnnl_use_scale, r->attr))
}

static dnnl_status_t group_normalization(dnnl_primitive_desc_t *pd, const struct request *r) {
    WITH_MDS(2, SRC(image), DST(image))
    END_MDS(dnnl_group_normalization_forward_primitive_desc_create(pd, engine, dnnl_forward_inference, md[0],
                                                                   md[1], 8, 1e-5f, dnnl_use_scale, r->attr))
}

static dnnl_status_t convolve(dnnl_primitive_desc_t *pd, const struct request *r, dnnl_dim_t groups,
                              bool transposed) {
    const dnnl_dims_t weights = {32, 32, 3, 3}, grouped = {groups, 32 / groups, 32 / groups, 3, 3};
    WITH_MDS(3, SRC(image),
             groups == 1 ? md_new(4, weights, r->types.weights, dnnl_format_tag_any)
                         : md_new(5, grouped, r->types.weights, dnnl_format_tag_any),
             DST(image))
    END_MDS(transposed ? dnnl_deconvolution_forward_primitive_desc_create(
                                 pd, engine, dnnl_forward_inference, dnnl_deconvolution_direct, md[0], md[1],
                                 NULL, md[2], one, none, one, one, r->attr)
                       : dnnl_convolution_forward_primitive_desc_create(
                                 pd, engine, dnnl_forward_inference, dnnl_convolution_direct, md[0], md[1],
                                 NULL, md[2], one, none, one, one, r->attr))
}

static dnnl_status_t convolution(dnnl_primitive_desc_t *pd, const struct request *r) {
    return convolve(pd, r, 1, false);
}

static dnnl_status_t grouped_convolution(dnnl_primitive_desc_t *pd, const struct request *r) {
    return convolve(pd, r, 8, false);
}

static dnnl_status_t depthwise_convolution(dnnl_primitive_desc_t *pd, const struct request *r) {
    return convolve(pd, r, 32, false);
}

static dnnl_status_t deconvolution(dnnl_primitive_desc_t *pd, const struct request *r) {
    return convolve(pd, r, 1, true);
}

static dnnl_status_t matmul(dnnl_primitive_desc_t *pd, const struct request *r) {
    WITH_MDS(3, md_new(2, left, r->types.src, r->tag), md_new(2, right, r->types.weights, r->tag),
             md_new(2, product, r->types.dst, r->tag))
    END_MDS(dnnl_matmul_primitive_desc_create(pd, engine, md[0], md[1], NULL, md[2], r->attr))
}

static dnnl_status_t inner_product(dnnl_primitive_desc_t *pd, const struct request *r){
        WITH_MDS(3, md_new(2, left, r -> types.src, r->tag), md_new(2, outputs, r->types.weights, r->tag),
                 md_new(2, product, r->types.dst, r->tag))
                END_MDS(dnnl_inner_product_forward_primitive_desc_create(pd, engine, dnnl_forward_inference,
                                                                         md[0], md[1], NULL, md[2], r->attr))}
#define NETWORK pd, engine, dnnl_forward_inference
#define LEFT_TO_RIGHT dnnl_unidirectional_left2right

static dnnl_status_t vanilla_rnn(dnnl_primitive_desc_t *pd, const struct request *r) {
    NETWORK_MDS(1)
    END_MDS(dnnl_vanilla_rnn_forward_primitive_desc_create(NETWORK, dnnl_eltwise_tanh, LEFT_TO_RIGHT, md[0],
                                                           NULL, md[1], md[2], NULL, md[3], NULL, 0, 0, 0,
                                                           r->attr))
}

static dnnl_status_t lstm(dnnl_primitive_desc_t *pd, const struct request *r) {
    NETWORK_MDS(4)
    END_MDS(dnnl_lstm_forward_primitive_desc_create(NETWORK, LEFT_TO_RIGHT, md[0], NULL, NULL, md[1], md[2],
                                                    NULL, NULL, NULL, md[3], NULL, NULL, 0, r->attr))
}

static dnnl_status_t gru(dnnl_primitive_desc_t *pd, const struct request *r) {
    NETWORK_MDS(3)
    END_MDS(dnnl_gru_forward_primitive_desc_create(NETWORK, LEFT_TO_RIGHT, md[0], NULL, md[1], md[2], NULL,
                                                   md[3], NULL, 0, r->attr))
}

static dnnl_status_t lbr_gru(dnnl_primitive_desc_t *pd, const struct request *r) {
    NETWORK_MDS(3)
    END_MDS(dnnl_lbr_gru_forward_primitive_desc_create(NETWORK, LEFT_TO_RIGHT, md[0], NULL, md[1], md[2],
                                                       NULL, md[3], NULL, 0, r->attr))
}

static dnnl_status_t augru(dnnl_primitive_desc_t *pd, const struct request *r) {
    NETWORK_MDS(3)
    END_MDS(dnnl_augru_forward_primitive_desc_create(NETWORK, LEFT_TO_RIGHT, md[0], NULL, md[4], md[1], md[2],
                                                     NULL, md[3], NULL, 0, r->attr))
}

static dnnl_status_t lbr_augru(dnnl_primitive_desc_t *pd, const struct request *r) {
    NETWORK_MDS(3)
    END_MDS(dnnl_lbr_augru_forward_primitive_desc_create(NETWORK, LEFT_TO_RIGHT, md[0], NULL, md[4], md[1],
                                                         md[2], NULL, md[3], NULL, 0, r->attr))
}

/* Types. */

static const struct types same[] = {
        {dnnl_f32, 0, dnnl_f32},         {dnnl_bf16, 0, dnnl_bf16},       {dnnl_f16, 0, dnnl_f16},
        {dnnl_s32, 0, dnnl_s32},         {dnnl_s8, 0, dnnl_s8},           {dnnl_u8, 0, dnnl_u8},
        {dnnl_f8_e5m2, 0, dnnl_f8_e5m2}, {dnnl_f8_e4m3, 0, dnnl_f8_e4m3}, {dnnl_f64, 0, dnnl_f64},
        {dnnl_f32, 0, dnnl_bf16},        {dnnl_f32, 0, dnnl_s8},          {dnnl_s8, 0, dnnl_f32},
        {dnnl_bf16, 0, dnnl_f32},        {dnnl_u8, 0, dnnl_s8},
};
static const struct types products[] = {
        {dnnl_f32, dnnl_f32, dnnl_f32},
        {dnnl_bf16, dnnl_bf16, dnnl_bf16},
        {dnnl_bf16, dnnl_bf16, dnnl_f32},
        {dnnl_f16, dnnl_f16, dnnl_f16},
        {dnnl_f16, dnnl_f16, dnnl_f32},
        {dnnl_u8, dnnl_s8, dnnl_u8},
        {dnnl_s8, dnnl_s8, dnnl_s8},
        {dnnl_u8, dnnl_s8, dnnl_f32},
        {dnnl_s8, dnnl_s8, dnnl_s32},
        {dnnl_f8_e5m2, dnnl_f8_e5m2, dnnl_f32},
        {dnnl_f8_e4m3, dnnl_f8_e4m3, dnnl_bf16},
        {dnnl_f64, dnnl_f64, dnnl_f64},
        {dnnl_f32, dnnl_bf16, dnnl_f32},
        {dnnl_f32, dnnl_f16, dnnl_f32},
};

/* The page. */

struct kind {
    const char *name;
    create_t *create;
    bool product;
    enum columns columns;
    int scaled[4]; /* arguments that have a scale in the columns with scales */
};

static const struct kind kinds[] = {
        {"convolution", convolution, true, CONVOLUTIONS, {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST}},
        {"convolution, 8 groups",
         grouped_convolution,
         true,
         CONVOLUTIONS,
         {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST}},
        {"convolution, depthwise",
         depthwise_convolution,
         true,
         CONVOLUTIONS,
         {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST}},
        {"deconvolution", deconvolution, true, CONVOLUTIONS, {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST}},
        {"matmul", matmul, true, MATRICES, {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST}},
        {"inner product", inner_product, true, MATRICES, {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST}},
        {"vanilla RNN", vanilla_rnn, true, NETWORKS, {0}},
        {"LSTM", lstm, true, NETWORKS, {0}},
        {"GRU", gru, true, NETWORKS, {0}},
        {"GRU, linear before reset", lbr_gru, true, NETWORKS, {0}},
        {"AUGRU", augru, true, NETWORKS, {0}},
        {"AUGRU, linear before reset", lbr_augru, true, NETWORKS, {0}},
        {"eltwise", eltwise, false, IMAGES, {0}},
        {"binary", binary, false, IMAGES, {DNNL_ARG_SRC_0, DNNL_ARG_SRC_1}},
        {"sum", sum, false, IMAGES, {0}},
        {"concat", concat, false, IMAGES, {DNNL_ARG_MULTIPLE_SRC}},
        {"reorder, from plain", reorder, false, IMAGES, {DNNL_ARG_SRC, DNNL_ARG_DST}},
        {"pooling", pooling, false, IMAGES, {0}},
        {"softmax", softmax, false, IMAGES, {DNNL_ARG_SRC, DNNL_ARG_DST}},
        {"LRN", lrn, false, IMAGES, {0}},
        {"reduction", reduction, false, IMAGES, {0}},
        {"resampling", resampling, false, IMAGES, {0}},
        {"shuffle", shuffle, false, IMAGES, {0}},
        {"PReLU", prelu, false, IMAGES, {0}},
        {"batch normalization", batch_normalization, false, IMAGES, {0}},
        {"layer normalization", layer_normalization, false, IMAGES, {DNNL_ARG_SRC, DNNL_ARG_DST}},
        {"group normalization", group_normalization, false, IMAGES, {DNNL_ARG_SRC, DNNL_ARG_DST}},
        {"convolution, backward by data", convolution_by_data, true, GRADIENTS, {0}},
        {"convolution, backward by weights and bias", convolution_by_weights, true, GRADIENTS, {0}},
        {"depthwise convolution, backward by data", depthwise_by_data, true, GRADIENTS, {0}},
        {"depthwise convolution, backward by weights and bias", depthwise_by_weights, true, GRADIENTS, {0}},
        {"deconvolution, backward by data", deconvolution_by_data, true, GRADIENTS, {0}},
        {"deconvolution, backward by weights and bias", deconvolution_by_weights, true, GRADIENTS, {0}},
        {"inner product, backward by data", inner_product_by_data, true, MATRIX_GRADIENTS, {0}},
        {"inner product, backward by weights and bias",
         inner_product_by_weights,
         true,
         MATRIX_GRADIENTS,
         {0}},
        {"vanilla RNN, backward", vanilla_rnn_gradient, true, NETWORKS, {0}},
        {"LSTM, backward", lstm_gradient, true, NETWORKS, {0}},
        {"GRU, backward", gru_gradient, true, NETWORKS, {0}},
        {"eltwise, backward", eltwise_gradient, false, GRADIENTS, {0}},
        {"pooling (maximum), training", pooling_training, false, GRADIENTS, {0}},
        {"pooling (maximum), backward", max_pooling_gradient, false, GRADIENTS, {0}},
        {"pooling (average), backward", average_pooling_gradient, false, GRADIENTS, {0}},
        {"softmax, backward", softmax_gradient, false, GRADIENTS, {0}},
        {"LRN across channels, backward", lrn_gradient, false, GRADIENTS, {0}},
        {"LRN within channels, backward", lrn_within_gradient, false, GRADIENTS, {0}},
        {"resampling (linear), backward", resampling_gradient, false, GRADIENTS, {0}},
        {"shuffle, backward", shuffle_gradient, false, GRADIENTS, {0}},
        {"PReLU, backward", prelu_gradient, false, GRADIENTS, {0}},
        {"batch normalization, training", batch_normalization_training, false, GRADIENTS, {0}},
        {"batch normalization, backward", batch_normalization_gradient, false, GRADIENTS, {0}},
        {"layer normalization, backward", layer_normalization_gradient, false, GRADIENTS, {0}},
        {"group normalization, backward", group_normalization_gradient, false, GRADIENTS, {0}},
};

static int universal;

/* The first universal kernel of a plan; NULL: it has none. */
static const char *universal_kernel(const_dnnl_primitive_desc_t pd) {
    const struct program *program = pd->plan->program;
    for (int i = 0; i < program->nlaunches; i++)
        if (strstr(program->launches[i]->kernel->name, "universal"))
            return program->launches[i]->kernel->name;
    return NULL;
}

static const char *answer(const struct kind *kind, const struct types *types, const struct column *column) {
    dnnl_primitive_desc_t pd;
    dnnl_primitive_attr_t attr = attr_of(column->attributes, kind->columns, kind->scaled);
    bool possible = column->attributes != SCALES || kind->scaled[0];
    struct request request = {*types, column->tag, attr};
    dnnl_status_t status = possible ? kind->create(&pd, &request) : dnnl_unimplemented;
    dnnl_primitive_attr_destroy(attr);
    if (status != dnnl_success) return "–";
    const char *kernel = universal_kernel(pd);
    dnnl_primitive_desc_destroy(pd);
    if (kernel) {
        fprintf(stderr, "%s, %s, %s: %s\n", kind->name, dnnl_dt2str(types->src), column->title, kernel);
        universal++;
    }
    return kernel ? "universal" : "fast";
}

static void print_types(const struct kind *kind, const struct types *types) {
    if (kind->product)
        printf("| %s × %s → %s |", dnnl_dt2str(types->src), dnnl_dt2str(types->weights),
               dnnl_dt2str(types->dst));
    else if (types->src == types->dst)
        printf("| %s |", dnnl_dt2str(types->src));
    else
        printf("| %s → %s |", dnnl_dt2str(types->src), dnnl_dt2str(types->dst));
}

/* Types that are refused in every column have no row. */
static void print_row(const struct kind *kind, const struct types *types, const struct column *columns,
                      int ncolumns) {
    const char *answers[16];
    bool any = false;
    for (int c = 0; c < ncolumns; c++) {
        answers[c] = answer(kind, types, &columns[c]);
        any = any || strcmp(answers[c], "–") != 0;
    }
    if (!any) return;
    printf("\n");
    print_types(kind, types);
    for (int c = 0; c < ncolumns; c++)
        printf(" %s |", answers[c]);
}

static void print_kind(const struct kind *kind) {
    const struct column *columns = column_lists[kind->columns].list;
    const int ncolumns = column_lists[kind->columns].count;
    const struct types *rows = kind->product ? products : same;
    const int nrows = kind->product ? COUNT(products) : COUNT(same);
    printf("\n## %s\n| |", kind->name);
    for (int c = 0; c < ncolumns; c++)
        printf(" %s |", columns[c].title);
    printf("\n|---|");
    for (int c = 0; c < ncolumns; c++)
        printf("---|");
    for (int i = 0; i < nrows; i++)
        print_row(kind, &rows[i], columns, ncolumns);
    printf("\n");
}

int main(void) {
    if (dnnl_engine_create(&engine, dnnl_cpu, 0) != dnnl_success) return 1;
    printf("<!-- Made by tests/coverage/coverage.c; the test `coverage` holds this page to what the library "
           "does. -->\n"
           "# Which requests are fast\n"
           "On CPUs. *fast*: all kernels work on vectors, conversions included. *universal*: one of them "
           "computes one\n"
           "element at a time. –: refused, with the reason in verbose lines; so are types without a row.\n");
    for (int k = 0; k < COUNT(kinds); k++)
        print_kind(&kinds[k]);
    dnnl_engine_destroy(engine);
    if (universal) fprintf(stderr, "%d universal kernels\n", universal);
    return universal ? 2 : 0;
}
