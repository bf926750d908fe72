/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recurrent networks as programs: one matrix product for the inputs of all steps of a layer and direction,
 * then for each step a product of the state and a cell kernel. Steps are iterations of a loop where the
 * products know loops. Directions do not see each other until their results are put together.
 *
 * States, and in training everything that the backward pass needs, lie in areas of scratchpad or workspace.
 * A slot of an area is one step; states have one slot more, for the initial one.
 */
#ifndef LODE_PRIMITIVES_RNN_H
#define LODE_PRIMITIVES_RNN_H

#include "core/plan.h"
#include "kernels/params_rnn.h"

struct rnn_area {
    int arg; /* DNNL_ARG_WORKSPACE or ARG_SCRATCHPAD; ARG_NOTHING: there is none */
    dnnl_data_type_t type;
    dnnl_dim_t offset, cell, slot, row, gate; /* strides in elements; a cell is one layer and direction */
    dnnl_dim_t slots;
};

/* Weights as the products read them: in panels, or plain if the device has no kernels for panels. */
struct rnn_weights {
    int arg;
    bool transposed;
    md_t md; /* layers x directions x inputs x gates x channels */
};

struct rnn {
    struct plan *plan; /* NULL while only sizes are asked for */
    const struct problem *problem;
    dnnl_alg_kind_t cell;
    dnnl_dim_t layers, directions, time, batch;
    dnnl_dim_t slc, sic, dhc, dic, gates;
    dnnl_dim_t width; /* of a gate in the results of products: dhc, rounded up to whole panels */
    bool training, projected, int8;
    struct rnn_area state, c, gates_after, inner, full; /* full: states before their projection */
    size_t saved;                                       /* bytes of all of them */
};

bool rnn_is_gru(dnnl_alg_kind_t cell); /* not linear before reset */
bool rnn_is_lbr(dnnl_alg_kind_t cell);

/* Is there nothing to compute? */
bool rnn_is_empty(const struct rnn *rnn);
/* The sizes and areas of a problem; the areas lie in the workspace in training, else in scratchpad. */
void rnn_init(struct rnn *rnn, const struct problem *problem);
/* The same for a plan, whose layouts are then decided; scratchpad is reserved. */
dnnl_status_t rnn_begin(struct rnn *rnn, struct plan *plan);

/* f32 in scratchpad, `slots` for one cell of `gates` rows of `width` each. */
struct rnn_area rnn_scratch(struct rnn *rnn, dnnl_dim_t slots, dnnl_dim_t gates, dnnl_dim_t width);
/* An area of scratchpad becomes one of states, which may be bytes. */
void rnn_make_states(const struct rnn *rnn, struct rnn_area *area);
/* One slot for each cell. */
struct rnn_area rnn_scratch_cells(struct rnn *rnn, dnnl_dim_t width);
/* A tensor in scratchpad as an area of one slot and one row per cell, such as a bias. */
struct rnn_area rnn_area_of(const md_t *md, int gate_dim);

/* Time runs backwards in the second direction. */
bool rnn_is_reversed(const struct rnn *rnn, dnnl_dim_t direction);
/* The step of a program: which cell, which iteration; loops stays true while its launches can be repeated. */
struct rnn_step {
    dnnl_dim_t layer, direction, number;
    bool backward; /* from the last step to the first */
    bool loops;
};
/* The first slot and how it advances; `before`: of the state before the step. */
struct rnn_operand rnn_operand(const struct rnn *rnn, const struct rnn_area *area,
                               const struct rnn_step *step, bool before);

/* The slots of all steps of a cell, in the order of time, as time x batch x channels or as a matrix.
 * `before`: the states before the steps. */
md_t rnn_sequence(const struct rnn *rnn, const struct rnn_area *area, const struct rnn_step *step,
                  bool before, dnnl_dim_t channels);
md_t rnn_matrix(const struct rnn *rnn, const struct rnn_area *area, const struct rnn_step *step, bool before,
                dnnl_dim_t channels);
/* The slot before the first step, or after the last, of all layers of a direction: layers x 1 x batch x
 * channels. */
md_t rnn_end_slot(const struct rnn *rnn, const struct rnn_area *area, dnnl_dim_t direction, bool last,
                  dnnl_dim_t channels);
/* One direction of a tensor whose second dimension is directions. */
dnnl_status_t rnn_one_direction(md_t *part, const md_t *md, dnnl_dim_t direction);

/* Some gates of the weights of an argument for products: the user's, or a copy. Transposed: gates and
 * channels are rows. */
dnnl_status_t rnn_weights(struct rnn *rnn, int arg, bool transposed, dnnl_dim_t first_gate, dnnl_dim_t gates,
                          struct rnn_weights *weights);
/* Their matrix in a cell: of some gates, or, transposed, of all. */
dnnl_status_t rnn_weights_view(const struct rnn *rnn, const struct rnn_weights *weights,
                               const struct rnn_step *step, dnnl_dim_t gate, dnnl_dim_t gates, md_t *view);

/* A matrix product dst = src x weights. Tensors that are not of the problem lie in scratchpad or workspace at
 * their offset0. */
struct rnn_product {
    int src_arg, weights_arg, dst_arg;
    const md_t *src, *weights, *dst;
    bool add; /* to what dst has */
};
dnnl_status_t rnn_append_product(struct rnn *rnn, const struct rnn_product *product);
/* A product of rows of the batch in a step: the slot of an area times weights. */
struct rnn_step_product {
    const struct rnn_area *src, *dst;
    bool before; /* src is the state before the step */
    const struct rnn_weights *weights;
    dnnl_dim_t gate, gates;        /* of weights, forward */
    dnnl_dim_t src_gate, dst_gate; /* where the operands begin */
};
dnnl_status_t rnn_append_step_product(struct rnn *rnn, struct rnn_step *step,
                                      const struct rnn_step_product *product);
/* A launch of the cell kernel over `channels`; its block is filled in but for the operands. */
struct rnn_params *rnn_launch(struct rnn *rnn, int op, dnnl_dim_t channels);
/* Writes numbers to scratchpad: `count` of them, which repeat with the period. Returns where they begin, in
 * floats. */
dnnl_status_t rnn_constants(struct plan *plan, const float *values, dnnl_dim_t period, dnnl_dim_t count,
                            dnnl_dim_t *offset);
/* Sets its operands. */
struct rnn_binding {
    int operand;
    const struct rnn_area *area;
    bool before;
};
void rnn_bind(const struct rnn *rnn, struct rnn_params *p, const struct rnn_step *step,
              const struct rnn_binding *bindings, size_t count);

/* The tensor of an argument as f32 in scratchpad, dense; nothing if there is no such tensor. */
dnnl_status_t rnn_fetch(struct rnn *rnn, int arg, const char *tag, md_t *md);

/* Copies a tensor between floats and quantised bytes, either way. */
dnnl_status_t rnn_copy(struct rnn *rnn, int from_arg, const md_t *from, int to_arg, const md_t *to);
/* Decides the open layouts of all tensors but weights. */
dnnl_status_t rnn_decide_layouts(struct plan *plan);
/* Copies the tensor of an argument, layers x directions x batch x channels, to the slot before the first
 * step, or clears that if there is none; and the slot after the last to such a tensor. `operand`: RNN_STATE
 * or RNN_C. */
dnnl_status_t rnn_begin_state(struct rnn *rnn, int arg, const struct rnn_area *area, int operand,
                              dnnl_dim_t channels);
dnnl_status_t rnn_end_state(struct rnn *rnn, int arg, const struct rnn_area *area, dnnl_dim_t channels);
/* Inputs of the first layer: the user's, or a copy. */
dnnl_status_t rnn_input(struct rnn *rnn, struct rnn_area *input);
/* A reorder of data or weights with the scales of recurrent networks in its attributes. */
dnnl_status_t rnn_build_reorder(struct plan *plan);
/* Attention of every row, for all channels. */
dnnl_status_t rnn_spread_attention(struct rnn *rnn, struct rnn_area *attention);

#endif
