/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recurrent networks by their definitions, forward and backward, in f64 with error bounds: every cell,
 * direction and option in one plain loop. Errors are those of the same computation in f32 with sums in any
 * order; states are not rounded between steps.
 */
#ifndef LODE_TESTS_PRIMITIVES_NETWORKS_H
#define LODE_TESTS_PRIMITIVES_NETWORKS_H

#include "primitives/harness.h"

enum {
    NET_SRC_LAYER,
    NET_SRC_ITER,
    NET_SRC_ITER_C,
    NET_ATTENTION,
    NET_WEIGHTS_LAYER,
    NET_WEIGHTS_ITER,
    NET_PEEPHOLE,
    NET_PROJECTION,
    NET_BIAS,
    NET_DST_LAYER,
    NET_DST_ITER,
    NET_DST_ITER_C,
    NET_TENSORS
};
extern const int net_args[NET_TENSORS];
enum { NET_DIFF = DNNL_ARG_DIFF_SRC_LAYER - DNNL_ARG_SRC_LAYER };

struct network {
    dnnl_alg_kind_t cell, activation;
    dnnl_rnn_direction_t direction;
    dnnl_dim_t layers, time, batch, slc, dhc, dic; /* dic: 0 without a projection */
    bool states, biased, peephole;
    dnnl_data_type_t type;
    const char *layer_tag, *weights_tag; /* NULL: open */
    const char *backward_tag;            /* of weights in the backward pass, NULL: weights_tag */
    bool overwrite;                      /* gradients of weights replace what is there */
    /* Bytes, of `type`: a state is quantised after each step, x * scale + shift. The scale of weights is the
     * same for all, or one for each gate and channel. */
    float scale, shift;
    bool many_scales;
    dnnl_data_type_t iter_type, dst_type; /* of states and of dst_layer: bytes or f32 */
};
/* Networks of floats have no scale. */
static inline bool net_is_quantised(const struct network *n) {
    return n->scale != 0;
}
/* The scale of the weights of a gate and channel; of a projection, of a channel. */
float net_weights_scale(const struct network *n, dnnl_dim_t gate, dnnl_dim_t channel);
float net_projection_scale(const struct network *n, dnnl_dim_t channel);
/* The scales, as attributes; NULL without any. */
dnnl_primitive_attr_t net_attr(const struct network *n);

enum { NET_ALPHA_PERCENT = 25 }; /* the slope of relu */
int net_gates(const struct network *n);
int net_directions(const struct network *n);

/* Tensors with numbers of either sign, without those that the network does not have; outputs are empty. */
struct net_arrays {
    struct array tensors[NET_TENSORS];
};
void net_fill(const struct network *n, struct net_arrays *arrays, unsigned seed);
void net_free(struct net_arrays *arrays);
/* What the gradients must be: zeros of the same shapes, f32. */
void net_like(const struct net_arrays *arrays, struct net_arrays *like, dnnl_data_type_t type);

/* Results of the forward pass, and how far each may be off. */
void net_forward(const struct network *n, struct net_arrays *arrays, struct net_arrays *errors);
/* Gradients: of results they are given in `diffs`, all others are stored there; those of weights are added to
 * what is there, unless they replace it. */
void net_backward(const struct network *n, const struct net_arrays *arrays, struct net_arrays *diffs,
                  struct net_arrays *errors);

dnnl_status_t net_forward_desc(dnnl_primitive_desc_t *pd, const struct network *n,
                               const struct net_arrays *arrays, dnnl_prop_kind_t prop);
dnnl_status_t net_backward_desc(dnnl_primitive_desc_t *pd, const struct network *n,
                                const struct net_arrays *arrays, const struct net_arrays *diffs,
                                const_dnnl_primitive_desc_t hint);
void net_describe(const struct network *n, char *text, size_t size);

#endif
