/* SPDX-License-Identifier: Apache-2.0 */
/* Primitive descriptors of recurrent cells. */
#include "kinds.h"

/* Arguments that all cells but LSTM have in the same order. */
#define FORWARD_MDS                                                                                          \
    MD("src_layer"), MD("src_iter"), MD("wei_layer"), MD("wei_iter"), MD("bias"), MD("dst_layer"),           \
            MD("dst_iter")
#define BACKWARD_MDS                                                                                         \
    FORWARD_MDS, MD("diff_src_layer"), MD("diff_src_iter"), MD("diff_wei_layer"), MD("diff_wei_iter"),       \
            MD("diff_bias"), MD("diff_dst_layer"), MD("diff_dst_iter")

static dnnl_status_t make_vanilla_rnn(const struct call *c) {
    const struct request *r = c->r;
    if (c->backward)
        return lib_vanilla_rnn_backward_primitive_desc_create(c->pd, c->engine, c->direction, r->activation,
                                                              r->rnn_direction, BACKWARD_MDS, r->flags, 0, 0,
                                                              c->hint, c->attr);
    return lib_vanilla_rnn_forward_primitive_desc_create(c->pd, c->engine, c->direction, r->activation,
                                                         r->rnn_direction, FORWARD_MDS, r->flags, 0, 0,
                                                         c->attr);
}

static dnnl_status_t make_gru(const struct call *c) {
    const struct request *r = c->r;
    if (c->backward)
        return lib_gru_backward_primitive_desc_create(c->pd, c->engine, c->direction, r->rnn_direction,
                                                      BACKWARD_MDS, r->flags, c->hint, c->attr);
    return lib_gru_forward_primitive_desc_create(c->pd, c->engine, c->direction, r->rnn_direction,
                                                 FORWARD_MDS, r->flags, c->attr);
}

static dnnl_status_t make_lbr_gru(const struct call *c) {
    const struct request *r = c->r;
    if (c->backward)
        return lib_lbr_gru_backward_primitive_desc_create(c->pd, c->engine, c->direction, r->rnn_direction,
                                                          BACKWARD_MDS, r->flags, c->hint, c->attr);
    return lib_lbr_gru_forward_primitive_desc_create(c->pd, c->engine, c->direction, r->rnn_direction,
                                                     FORWARD_MDS, r->flags, c->attr);
}

#define LSTM_MDS                                                                                             \
    MD("src_layer"), MD("src_iter"), MD("src_iter_c"), MD("wei_layer"), MD("wei_iter"), MD("wei_peephole"),  \
            MD("wei_proj"), MD("bias"), MD("dst_layer"), MD("dst_iter"), MD("dst_iter_c")

static dnnl_status_t make_lstm(const struct call *c) {
    const struct request *r = c->r;
    if (c->backward)
        return lib_lstm_backward_primitive_desc_create(
                c->pd, c->engine, c->direction, r->rnn_direction, LSTM_MDS, MD("diff_src_layer"),
                MD("diff_src_iter"), MD("diff_src_iter_c"), MD("diff_wei_layer"), MD("diff_wei_iter"),
                MD("diff_wei_peephole"), MD("diff_wei_proj"), MD("diff_bias"), MD("diff_dst_layer"),
                MD("diff_dst_iter"), MD("diff_dst_iter_c"), r->flags, c->hint, c->attr);
    return lib_lstm_forward_primitive_desc_create(c->pd, c->engine, c->direction, r->rnn_direction, LSTM_MDS,
                                                  r->flags, c->attr);
}

dnnl_status_t make_rnn(const struct call *c) {
    switch (c->r->alg) {
    case dnnl_vanilla_rnn: return make_vanilla_rnn(c);
    case dnnl_vanilla_gru: return make_gru(c);
    case dnnl_lbr_gru: return make_lbr_gru(c);
    case dnnl_vanilla_lstm: return make_lstm(c);
    default: c->build->why = "this recurrent cell is not supported"; return dnnl_unimplemented;
    }
}
