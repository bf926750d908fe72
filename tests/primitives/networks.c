/* SPDX-License-Identifier: Apache-2.0 */
/* The tensors and descriptors of recurrent networks for tests: see networks.h. */
#include "primitives/networks.h"

#include <stdio.h>
#include <string.h>

const int net_args[NET_TENSORS] = {
        [NET_SRC_LAYER] = DNNL_ARG_SRC_LAYER,
        [NET_SRC_ITER] = DNNL_ARG_SRC_ITER,
        [NET_SRC_ITER_C] = DNNL_ARG_SRC_ITER_C,
        [NET_ATTENTION] = DNNL_ARG_AUGRU_ATTENTION,
        [NET_WEIGHTS_LAYER] = DNNL_ARG_WEIGHTS_LAYER,
        [NET_WEIGHTS_ITER] = DNNL_ARG_WEIGHTS_ITER,
        [NET_PEEPHOLE] = DNNL_ARG_WEIGHTS_PEEPHOLE,
        [NET_PROJECTION] = DNNL_ARG_WEIGHTS_PROJECTION,
        [NET_BIAS] = DNNL_ARG_BIAS,
        [NET_DST_LAYER] = DNNL_ARG_DST_LAYER,
        [NET_DST_ITER] = DNNL_ARG_DST_ITER,
        [NET_DST_ITER_C] = DNNL_ARG_DST_ITER_C,
};

int net_gates(const struct network *n) {
    return n->cell == dnnl_vanilla_rnn ? 1 : n->cell == dnnl_vanilla_lstm ? 4 : 3;
}

int net_directions(const struct network *n) {
    return n->direction == dnnl_bidirectional_concat || n->direction == dnnl_bidirectional_sum ? 2 : 1;
}

float net_weights_scale(const struct network *n, dnnl_dim_t gate, dnnl_dim_t channel) {
    return 64 + (n->many_scales ? (float)((gate * n->dhc + channel) % 50) : 0);
}

float net_projection_scale(const struct network *n, dnnl_dim_t channel) {
    return 80 + (n->many_scales ? (float)(channel % 31) : 0);
}

static bool has_attention(const struct network *n) {
    return n->cell == dnnl_vanilla_augru || n->cell == dnnl_lbr_augru;
}

static void make(struct net_arrays *arrays, int which, bool wanted, int ndims, const dnnl_dim_t *dims,
                 dnnl_data_type_t type) {
    arrays->tensors[which] = (struct array){0};
    if (wanted) arrays->tensors[which] = array_new(ndims, dims, type);
}

/* Bytes use their whole range, weights a part of it. */
static void fill(struct array *array, unsigned seed) {
    if (!is_integer(array->type)) {
        array_fill_real(array, seed);
        return;
    }
    array_fill(array, array->type == dnnl_u8 ? 127 : array->ndims == 3 ? 100 : 20, seed);
}

void net_fill(const struct network *n, struct net_arrays *arrays, unsigned seed) {
    bool lstm = n->cell == dnnl_vanilla_lstm;
    bool lbr = n->cell == dnnl_lbr_gru || n->cell == dnnl_lbr_augru;
    dnnl_dim_t l = n->layers, d = net_directions(n), g = net_gates(n), dic = n->dic ? n->dic : n->dhc;
    dnnl_dim_t wide = n->direction == dnnl_bidirectional_concat ? 2 * dic : dic;
    bool bytes = net_is_quantised(n);
    dnnl_data_type_t weights = bytes ? dnnl_s8 : n->type, iter = bytes ? n->iter_type : n->type;
    make(arrays, NET_SRC_LAYER, true, 3, (dnnl_dim_t[]){n->time, n->batch, n->slc}, n->type);
    make(arrays, NET_SRC_ITER, n->states, 4, (dnnl_dim_t[]){l, d, n->batch, dic}, iter);
    make(arrays, NET_SRC_ITER_C, n->states && lstm, 4, (dnnl_dim_t[]){l, d, n->batch, n->dhc}, dnnl_f32);
    make(arrays, NET_ATTENTION, has_attention(n), 3, (dnnl_dim_t[]){n->time, n->batch, 1}, n->type);
    make(arrays, NET_WEIGHTS_LAYER, true, 5, (dnnl_dim_t[]){l, d, n->slc, g, n->dhc}, weights);
    make(arrays, NET_WEIGHTS_ITER, true, 5, (dnnl_dim_t[]){l, d, dic, g, n->dhc}, weights);
    make(arrays, NET_PEEPHOLE, n->peephole, 4, (dnnl_dim_t[]){l, d, 3, n->dhc}, dnnl_f32);
    make(arrays, NET_PROJECTION, n->dic != 0, 4, (dnnl_dim_t[]){l, d, n->dhc, dic}, weights);
    make(arrays, NET_BIAS, n->biased, 4, (dnnl_dim_t[]){l, d, g + lbr, n->dhc}, dnnl_f32);
    make(arrays, NET_DST_LAYER, true, 3, (dnnl_dim_t[]){n->time, n->batch, wide},
         bytes ? n->dst_type : n->type);
    make(arrays, NET_DST_ITER, n->states, 4, (dnnl_dim_t[]){l, d, n->batch, dic}, iter);
    make(arrays, NET_DST_ITER_C, n->states && lstm, 4, (dnnl_dim_t[]){l, d, n->batch, n->dhc}, dnnl_f32);
    for (int i = 0; i < NET_DST_LAYER; i++)
        if (arrays->tensors[i].values) fill(&arrays->tensors[i], seed + (unsigned)i);
}

void net_free(struct net_arrays *arrays) {
    for (int i = 0; i < NET_TENSORS; i++)
        array_free(&arrays->tensors[i]);
}

void net_like(const struct net_arrays *arrays, struct net_arrays *like, dnnl_data_type_t type) {
    for (int i = 0; i < NET_TENSORS; i++) {
        like->tensors[i] = (struct array){0};
        if (arrays->tensors[i].values) like->tensors[i] = array_like(&arrays->tensors[i], type);
    }
}

/* Descriptors. */

static const char *tag_of(const struct network *n, int i) {
    if (i == NET_SRC_LAYER || i == NET_DST_LAYER) return n->layer_tag;
    if (i == NET_WEIGHTS_LAYER || i == NET_WEIGHTS_ITER) return n->weights_tag;
    if (i == NET_PROJECTION)
        return !n->weights_tag ? NULL : strcmp(n->weights_tag, "abcde") == 0 ? "abcd" : "abdc";
    return i == NET_ATTENTION ? "abc" : "abcd";
}

static void descs_new(const struct network *n, const struct net_arrays *arrays, dnnl_memory_desc_t *mds) {
    for (int i = 0; i < NET_TENSORS; i++)
        mds[i] = arrays->tensors[i].values ? md_of(&arrays->tensors[i], tag_of(n, i)) : NULL;
}

static void descs_free(dnnl_memory_desc_t *mds) {
    for (int i = 0; i < NET_TENSORS; i++)
        dnnl_memory_desc_destroy(mds[i]);
}

#define ALPHA ((float)NET_ALPHA_PERCENT / 100)
#define BEGIN m[NET_SRC_LAYER], m[NET_SRC_ITER]
#define WEIGHTS m[NET_WEIGHTS_LAYER], m[NET_WEIGHTS_ITER]
#define END m[NET_BIAS], m[NET_DST_LAYER], m[NET_DST_ITER]
#define D_BEGIN x[NET_SRC_LAYER], x[NET_SRC_ITER]
#define D_WEIGHTS x[NET_WEIGHTS_LAYER], x[NET_WEIGHTS_ITER]
#define D_END x[NET_BIAS], x[NET_DST_LAYER], x[NET_DST_ITER]
#define ENGINE_AND(prop_) test_engine(), prop_

dnnl_primitive_attr_t net_attr(const struct network *n) {
    dnnl_primitive_attr_t attr = NULL;
    float scales[1024];
    if (!net_is_quantised(n)) return NULL;
    MUST(dnnl_primitive_attr_create(&attr));
    MUST(dnnl_primitive_attr_set_rnn_data_qparams(attr, n->scale, n->shift));
    dnnl_dim_t count = n->many_scales ? net_gates(n) * n->dhc : 1, channels = n->many_scales ? n->dic : 1;
    for (dnnl_dim_t i = 0; i < count; i++)
        scales[i] = net_weights_scale(n, i / n->dhc, i % n->dhc);
    MUST(dnnl_primitive_attr_set_rnn_weights_qparams(attr, count, n->many_scales ? 1 << 3 | 1 << 4 : 0,
                                                     scales));
    for (dnnl_dim_t i = 0; n->dic && i < channels; i++)
        scales[i] = net_projection_scale(n, i);
    if (n->dic)
        MUST(dnnl_primitive_attr_set_rnn_weights_projection_qparams(attr, channels,
                                                                    n->many_scales ? 1 << 3 : 0, scales));
    return attr;
}

static dnnl_status_t forward_of(dnnl_primitive_desc_t *pd, const struct network *n, dnnl_prop_kind_t prop,
                                dnnl_memory_desc_t *m, const_dnnl_primitive_attr_t attr) {
    switch (n->cell) {
    case dnnl_vanilla_rnn:
        return dnnl_vanilla_rnn_forward_primitive_desc_create(
                pd, ENGINE_AND(prop), n->activation, n->direction, BEGIN, WEIGHTS, END, 0, ALPHA, 0, attr);
    case dnnl_vanilla_lstm:
        return dnnl_lstm_forward_primitive_desc_create(pd, ENGINE_AND(prop), n->direction, BEGIN,
                                                       m[NET_SRC_ITER_C], WEIGHTS, m[NET_PEEPHOLE],
                                                       m[NET_PROJECTION], END, m[NET_DST_ITER_C], 0, attr);
    case dnnl_vanilla_gru:
        return dnnl_gru_forward_primitive_desc_create(pd, ENGINE_AND(prop), n->direction, BEGIN, WEIGHTS, END,
                                                      0, attr);
    case dnnl_lbr_gru:
        return dnnl_lbr_gru_forward_primitive_desc_create(pd, ENGINE_AND(prop), n->direction, BEGIN, WEIGHTS,
                                                          END, 0, attr);
    case dnnl_vanilla_augru:
        return dnnl_augru_forward_primitive_desc_create(pd, ENGINE_AND(prop), n->direction, BEGIN,
                                                        m[NET_ATTENTION], WEIGHTS, END, 0, attr);
    default:
        return dnnl_lbr_augru_forward_primitive_desc_create(pd, ENGINE_AND(prop), n->direction, BEGIN,
                                                            m[NET_ATTENTION], WEIGHTS, END, 0, attr);
    }
}

dnnl_status_t net_forward_desc(dnnl_primitive_desc_t *pd, const struct network *n,
                               const struct net_arrays *arrays, dnnl_prop_kind_t prop) {
    dnnl_memory_desc_t mds[NET_TENSORS];
    descs_new(n, arrays, mds);
    dnnl_primitive_attr_t attr = net_attr(n);
    dnnl_status_t status = forward_of(pd, n, prop, mds, attr);
    dnnl_primitive_attr_destroy(attr);
    descs_free(mds);
    return status;
}

static dnnl_status_t backward_of(dnnl_primitive_desc_t *pd, const struct network *n, dnnl_memory_desc_t *m,
                                 dnnl_memory_desc_t *x, const_dnnl_primitive_desc_t hint) {
    const unsigned flags = n->overwrite ? dnnl_rnn_flags_diff_weights_overwrite : dnnl_rnn_flags_undef;
    switch (n->cell) {
    case dnnl_vanilla_rnn:
        return dnnl_vanilla_rnn_backward_primitive_desc_create(pd, ENGINE_AND(dnnl_backward), n->activation,
                                                               n->direction, BEGIN, WEIGHTS, END, D_BEGIN,
                                                               D_WEIGHTS, D_END, flags, ALPHA, 0, hint, NULL);
    case dnnl_vanilla_lstm:
        return dnnl_lstm_backward_primitive_desc_create(
                pd, ENGINE_AND(dnnl_backward), n->direction, BEGIN, m[NET_SRC_ITER_C], WEIGHTS,
                m[NET_PEEPHOLE], m[NET_PROJECTION], END, m[NET_DST_ITER_C], D_BEGIN, x[NET_SRC_ITER_C],
                D_WEIGHTS, x[NET_PEEPHOLE], x[NET_PROJECTION], D_END, x[NET_DST_ITER_C], flags, hint, NULL);
    case dnnl_vanilla_gru:
        return dnnl_gru_backward_primitive_desc_create(pd, ENGINE_AND(dnnl_backward), n->direction, BEGIN,
                                                       WEIGHTS, END, D_BEGIN, D_WEIGHTS, D_END, flags, hint,
                                                       NULL);
    case dnnl_lbr_gru:
        return dnnl_lbr_gru_backward_primitive_desc_create(pd, ENGINE_AND(dnnl_backward), n->direction, BEGIN,
                                                           WEIGHTS, END, D_BEGIN, D_WEIGHTS, D_END, flags,
                                                           hint, NULL);
    case dnnl_vanilla_augru:
        return dnnl_augru_backward_primitive_desc_create(
                pd, ENGINE_AND(dnnl_backward), n->direction, BEGIN, m[NET_ATTENTION], WEIGHTS, END, D_BEGIN,
                x[NET_ATTENTION], D_WEIGHTS, D_END, flags, hint, NULL);
    default:
        return dnnl_lbr_augru_backward_primitive_desc_create(
                pd, ENGINE_AND(dnnl_backward), n->direction, BEGIN, m[NET_ATTENTION], WEIGHTS, END, D_BEGIN,
                x[NET_ATTENTION], D_WEIGHTS, D_END, flags, hint, NULL);
    }
}

dnnl_status_t net_backward_desc(dnnl_primitive_desc_t *pd, const struct network *n,
                                const struct net_arrays *arrays, const struct net_arrays *diffs,
                                const_dnnl_primitive_desc_t hint) {
    dnnl_memory_desc_t mds[NET_TENSORS], x[NET_TENSORS];
    struct network other = *n;
    if (n->backward_tag) other.weights_tag = n->backward_tag;
    descs_new(&other, arrays, mds);
    descs_new(n, diffs, x);
    dnnl_status_t status = backward_of(pd, n, mds, x, hint);
    descs_free(mds);
    descs_free(x);
    return status;
}

void net_describe(const struct network *n, char *text, size_t size) {
    snprintf(text, size,
             "cell 0x%x, activation 0x%x, direction %d, l%lld t%lld mb%lld slc%lld dhc%lld dic%lld,%s%s%s "
             "type %d, %s, weights %s",
             (unsigned)n->cell, (unsigned)n->activation, (int)n->direction, (long long)n->layers,
             (long long)n->time, (long long)n->batch, (long long)n->slc, (long long)n->dhc, (long long)n->dic,
             n->states ? " states," : "", n->biased ? " bias," : "", n->peephole ? " peephole," : "",
             (int)n->type, n->layer_tag ? n->layer_tag : "any", n->weights_tag ? n->weights_tag : "any");
}
