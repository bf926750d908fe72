/* SPDX-License-Identifier: Apache-2.0 */
/* The requests of docs/coverage.md that train: gradients, and forward passes that they need. */
#include "coverage.h"

/* Creates a backward primitive after its forward one, which is its hint. */
#define AFTER(forward_, backward_)                                                                           \
    dnnl_primitive_desc_t hint = NULL;                                                                       \
    if (made && (forward_) != dnnl_success) made = false;                                                    \
    if (made) status = (backward_);                                                                          \
    if (hint) dnnl_primitive_desc_destroy(hint);                                                             \
    for (int i = 0; i < COUNT(md); i++)                                                                      \
        if (md[i]) dnnl_memory_desc_destroy(md[i]);                                                          \
    return status;
#define HINT &hint, engine, dnnl_forward_training

/* Convolutions: the types are those of src, weights and dst or their gradients. */
static const dnnl_dims_t window = {32, 32, 3, 3}, depthwise = {32, 1, 1, 3, 3}, channels = {32};
#define WINDOW one, none, one, one
#define CONVOLUTION_MDS(groups_)                                                                             \
    WITH_MDS(4, SRC(image),                                                                                  \
             (groups_) ? md_new(5, depthwise, r->types.weights, dnnl_format_tag_any)                         \
                       : md_new(4, window, r->types.weights, dnnl_format_tag_any),                           \
             DST(image), md_new(1, channels, r->types.weights, dnnl_a))

static dnnl_status_t by_data(dnnl_primitive_desc_t *pd, const struct request *r, bool groups) {
    CONVOLUTION_MDS(groups)
    END_MDS(dnnl_convolution_backward_data_primitive_desc_create(pd, engine, dnnl_convolution_direct, md[0],
                                                                 md[1], md[2], WINDOW, NULL, r->attr))
}

static dnnl_status_t by_weights(dnnl_primitive_desc_t *pd, const struct request *r, bool groups){
        CONVOLUTION_MDS(groups) END_MDS(dnnl_convolution_backward_weights_primitive_desc_create(
                pd, engine, dnnl_convolution_direct, md[0], md[1], md[3], md[2], WINDOW, NULL, r -> attr))}

dnnl_status_t convolution_by_data(dnnl_primitive_desc_t *pd, const struct request *r) {
    return by_data(pd, r, false);
}

dnnl_status_t convolution_by_weights(dnnl_primitive_desc_t *pd, const struct request *r) {
    return by_weights(pd, r, false);
}

dnnl_status_t depthwise_by_data(dnnl_primitive_desc_t *pd, const struct request *r) {
    return by_data(pd, r, true);
}

dnnl_status_t depthwise_by_weights(dnnl_primitive_desc_t *pd, const struct request *r) {
    return by_weights(pd, r, true);
}

dnnl_status_t deconvolution_by_data(dnnl_primitive_desc_t *pd, const struct request *r){
        CONVOLUTION_MDS(false) END_MDS(dnnl_deconvolution_backward_data_primitive_desc_create(
                pd, engine, dnnl_deconvolution_direct, md[0], md[1], md[2], WINDOW, NULL, r -> attr))}

dnnl_status_t deconvolution_by_weights(dnnl_primitive_desc_t *pd, const struct request *r){
        CONVOLUTION_MDS(false) END_MDS(dnnl_deconvolution_backward_weights_primitive_desc_create(
                pd, engine, dnnl_deconvolution_direct, md[0], md[1], md[3], md[2], WINDOW, NULL, r->attr))}
#define INNER_PRODUCT_MDS                                                                                    \
    WITH_MDS(4, md_new(2, left, r->types.src, r->tag), md_new(2, outputs, r->types.weights, r->tag),         \
             md_new(2, product, r->types.dst, r->tag), md_new(1, channels, r->types.weights, dnnl_a))

dnnl_status_t inner_product_by_data(dnnl_primitive_desc_t *pd, const struct request *r){
        INNER_PRODUCT_MDS END_MDS(dnnl_inner_product_backward_data_primitive_desc_create(pd, engine, md[0],
                                                                                         md[1], md[2], NULL,
                                                                                         r->attr))}

dnnl_status_t inner_product_by_weights(dnnl_primitive_desc_t *pd, const struct request *r){
        INNER_PRODUCT_MDS END_MDS(dnnl_inner_product_backward_weights_primitive_desc_create(
                pd, engine, md[0], md[1], md[3], md[2], NULL, r->attr))}

/* Recurrent networks; gradients are f32. */
#define BACKWARD pd, engine, dnnl_backward
#define NETWORK_GRADIENTS(gates_)                                                                            \
    dnnl_memory_desc_t gradient[] = {                                                                        \
            md_new(3, (dnnl_dims_t){3, 4, 32}, dnnl_f32, dnnl_tnc),                                          \
            md_new(5, (dnnl_dims_t){1, 1, 32, gates_, 32}, dnnl_f32, r->tag),                                \
            md_new(5, (dnnl_dims_t){1, 1, 32, gates_, 32}, dnnl_f32, r->tag),                                \
            md_new(3, (dnnl_dims_t){3, 4, 32}, dnnl_f32, dnnl_tnc),                                          \
    };                                                                                                       \
    NETWORK_MDS(gates_)
#define END_NETWORK                                                                                          \
    if (hint) dnnl_primitive_desc_destroy(hint);                                                             \
    for (int i = 0; i < COUNT(md); i++)                                                                      \
        if (md[i]) dnnl_memory_desc_destroy(md[i]);                                                          \
    for (int i = 0; i < COUNT(gradient); i++)                                                                \
        if (gradient[i]) dnnl_memory_desc_destroy(gradient[i]);                                              \
    return status;

dnnl_status_t vanilla_rnn_gradient(dnnl_primitive_desc_t *pd, const struct request *r) {
    dnnl_primitive_desc_t hint = NULL;
    NETWORK_GRADIENTS(1)
    if (made
        && dnnl_vanilla_rnn_forward_primitive_desc_create(HINT, dnnl_eltwise_tanh, LEFT_TO_RIGHT, md[0], NULL,
                                                          md[1], md[2], NULL, md[3], NULL, 0, 0, 0, r->attr)
                   == dnnl_success)
        status = dnnl_vanilla_rnn_backward_primitive_desc_create(
                BACKWARD, dnnl_eltwise_tanh, LEFT_TO_RIGHT, md[0], NULL, md[1], md[2], NULL, md[3], NULL,
                gradient[0], NULL, gradient[1], gradient[2], NULL, gradient[3], NULL, 0, 0, 0, hint, r->attr);
    END_NETWORK
}

dnnl_status_t lstm_gradient(dnnl_primitive_desc_t *pd, const struct request *r) {
    dnnl_primitive_desc_t hint = NULL;
    NETWORK_GRADIENTS(4)
    if (made
        && dnnl_lstm_forward_primitive_desc_create(HINT, LEFT_TO_RIGHT, md[0], NULL, NULL, md[1], md[2], NULL,
                                                   NULL, NULL, md[3], NULL, NULL, 0, r->attr)
                   == dnnl_success)
        status = dnnl_lstm_backward_primitive_desc_create(
                BACKWARD, LEFT_TO_RIGHT, md[0], NULL, NULL, md[1], md[2], NULL, NULL, NULL, md[3], NULL, NULL,
                gradient[0], NULL, NULL, gradient[1], gradient[2], NULL, NULL, NULL, gradient[3], NULL, NULL,
                0, hint, r->attr);
    END_NETWORK
}

dnnl_status_t gru_gradient(dnnl_primitive_desc_t *pd, const struct request *r) {
    dnnl_primitive_desc_t hint = NULL;
    NETWORK_GRADIENTS(3)
    if (made
        && dnnl_gru_forward_primitive_desc_create(HINT, LEFT_TO_RIGHT, md[0], NULL, md[1], md[2], NULL, md[3],
                                                  NULL, 0, r->attr)
                   == dnnl_success)
        status = dnnl_gru_backward_primitive_desc_create(
                BACKWARD, LEFT_TO_RIGHT, md[0], NULL, md[1], md[2], NULL, md[3], NULL, gradient[0], NULL,
                gradient[1], gradient[2], NULL, gradient[3], NULL, 0, hint, r->attr);
    END_NETWORK
}

/* The others. */

dnnl_status_t eltwise_gradient(dnnl_primitive_desc_t *pd, const struct request *r){
        WITH_MDS(3, SRC(image), DST(image), SRC(image))
                AFTER(dnnl_eltwise_forward_primitive_desc_create(HINT, dnnl_eltwise_tanh, md[0], md[1], 0, 0,
                                                                 NULL),
                      dnnl_eltwise_backward_primitive_desc_create(pd, engine, dnnl_eltwise_tanh, md[2], md[1],
                                                                  md[0], 0, 0, hint, r -> attr))}

dnnl_status_t pooling_training(dnnl_primitive_desc_t *pd, const struct request *r) {
    WITH_MDS(2, SRC(image), DST(small))
    END_MDS(dnnl_pooling_forward_primitive_desc_create(pd, engine, dnnl_forward_training, dnnl_pooling_max,
                                                       md[0], md[1], two, two, none, none, none, r->attr))
}

static dnnl_status_t pooling_gradient(dnnl_primitive_desc_t *pd, const struct request *r,
                                      dnnl_alg_kind_t alg){WITH_MDS(2, SRC(image), DST(small)) AFTER(
        dnnl_pooling_forward_primitive_desc_create(HINT, alg, md[0], md[1], two, two, none, none, none, NULL),
        dnnl_pooling_backward_primitive_desc_create(pd, engine, alg, md[0], md[1], two, two, none, none, none,
                                                    hint, r -> attr))}

dnnl_status_t max_pooling_gradient(dnnl_primitive_desc_t *pd, const struct request *r) {
    return pooling_gradient(pd, r, dnnl_pooling_max);
}

dnnl_status_t average_pooling_gradient(dnnl_primitive_desc_t *pd, const struct request *r) {
    return pooling_gradient(pd, r, dnnl_pooling_avg_exclude_padding);
}

dnnl_status_t softmax_gradient(dnnl_primitive_desc_t *pd, const struct request *r) {
    WITH_MDS(2, SRC(image), DST(image))
    AFTER(dnnl_softmax_forward_primitive_desc_create(HINT, dnnl_softmax_accurate, md[0], md[1], 1, NULL),
          dnnl_softmax_backward_primitive_desc_create(pd, engine, dnnl_softmax_accurate, md[0], md[1], md[1],
                                                      1, hint, r->attr))
}

static dnnl_status_t lrn_by(dnnl_primitive_desc_t *pd, const struct request *r, dnnl_alg_kind_t alg){
        WITH_MDS(2, SRC(image), DST(image))
                AFTER(dnnl_lrn_forward_primitive_desc_create(HINT, alg, md[0], md[1], 5, 1e-4f, 0.75f, 1,
                                                             NULL),
                      dnnl_lrn_backward_primitive_desc_create(pd, engine, alg, md[0], md[1], md[0], 5, 1e-4f,
                                                              0.75f, 1, hint, r -> attr))}

dnnl_status_t lrn_gradient(dnnl_primitive_desc_t *pd, const struct request *r) {
    return lrn_by(pd, r, dnnl_lrn_across_channels);
}

dnnl_status_t lrn_within_gradient(dnnl_primitive_desc_t *pd, const struct request *r) {
    return lrn_by(pd, r, dnnl_lrn_within_channel);
}

dnnl_status_t resampling_gradient(dnnl_primitive_desc_t *pd, const struct request *r){
        WITH_MDS(2, SRC(image), DST(large))
                AFTER(dnnl_resampling_forward_primitive_desc_create(HINT, dnnl_resampling_linear, NULL, md[0],
                                                                    md[1], NULL),
                      dnnl_resampling_backward_primitive_desc_create(pd, engine, dnnl_resampling_linear, NULL,
                                                                     md[0], md[1], hint, r -> attr))}

dnnl_status_t shuffle_gradient(dnnl_primitive_desc_t *pd, const struct request *r){
        WITH_MDS(2, SRC(image), DST(image))
                AFTER(dnnl_shuffle_forward_primitive_desc_create(HINT, md[0], md[1], 1, 4, NULL),
                      dnnl_shuffle_backward_primitive_desc_create(pd, engine, md[0], md[1], 1, 4, hint,
                                                                  r->attr))}

dnnl_status_t prelu_gradient(dnnl_primitive_desc_t *pd, const struct request *r) {
    WITH_MDS(3, SRC(image), md_new(4, per_channel, r->types.src, dnnl_abcd), DST(image))
    AFTER(dnnl_prelu_forward_primitive_desc_create(HINT, md[0], md[1], md[2], NULL),
          dnnl_prelu_backward_primitive_desc_create(pd, engine, md[0], md[1], md[0], md[1], md[2], hint,
                                                    r->attr))
}

static const unsigned normalization_flags = dnnl_use_scale | dnnl_use_shift;

dnnl_status_t batch_normalization_training(dnnl_primitive_desc_t *pd, const struct request *r){
        WITH_MDS(2, SRC(image), DST(image)) END_MDS(dnnl_batch_normalization_forward_primitive_desc_create(
                pd, engine, dnnl_forward_training, md[0], md[1], 1e-5f, normalization_flags, r -> attr))}

dnnl_status_t batch_normalization_gradient(dnnl_primitive_desc_t *pd, const struct request *r){
        WITH_MDS(2, SRC(image), DST(image))
                AFTER(dnnl_batch_normalization_forward_primitive_desc_create(HINT, md[0], md[1], 1e-5f,
                                                                             normalization_flags, NULL),
                      dnnl_batch_normalization_backward_primitive_desc_create(pd, engine, dnnl_backward,
                                                                              md[0], md[1], md[0], 1e-5f,
                                                                              normalization_flags, hint,
                                                                              r->attr))}

dnnl_status_t layer_normalization_gradient(dnnl_primitive_desc_t *pd, const struct request *r){
        WITH_MDS(2, SRC(image), DST(image))
                AFTER(dnnl_layer_normalization_forward_primitive_desc_create(HINT, md[0], md[1], NULL, 1e-5f,
                                                                             normalization_flags, NULL),
                      dnnl_layer_normalization_backward_primitive_desc_create(pd, engine, dnnl_backward,
                                                                              md[0], md[1], md[0], NULL,
                                                                              1e-5f, normalization_flags,
                                                                              hint, r->attr))}

dnnl_status_t group_normalization_gradient(dnnl_primitive_desc_t *pd, const struct request *r) {
    WITH_MDS(2, SRC(image), DST(image))
    AFTER(dnnl_group_normalization_forward_primitive_desc_create(HINT, md[0], md[1], 8, 1e-5f,
                                                                 normalization_flags, NULL),
          dnnl_group_normalization_backward_primitive_desc_create(pd, engine, dnnl_backward, md[0], md[1],
                                                                  md[0], 8, 1e-5f, normalization_flags, hint,
                                                                  r->attr))
}
