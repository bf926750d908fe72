/* SPDX-License-Identifier: Apache-2.0 */
/* Recurrent networks, forward: the program that rnn.h describes. */
#include "base/verbose.h"
#include "primitives/gemm.h"
#include "primitives/primitives.h"
#include "primitives/rnn.h"
#include "primitives/rows.h"

#include <stdlib.h>

/* What all cells share. */
struct forward {
    struct rnn rnn;
    struct rnn_weights layer, iter, projection;
    struct rnn_area input;                   /* of the first layer, if it had to be copied */
    struct rnn_area gates_layer, gates_iter; /* products */
    struct rnn_area before_reset;            /* r * the state before */
    struct rnn_area bias, peephole, attention;
    /* Bytes: the scales of products, sums of weights for the shift, and what both need. */
    struct rnn_area scales, sums, projection_scales, projection_sums;
    struct rnn_area ones, projected;
};

static dnnl_status_t prepare_weights(struct forward *f) {
    struct rnn *rnn = &f->rnn;
    md_t bias, peephole;
    TRY(rnn_weights(rnn, DNNL_ARG_WEIGHTS_LAYER, false, 0, rnn->gates, &f->layer));
    TRY(rnn_weights(rnn, DNNL_ARG_WEIGHTS_ITER, false, 0, rnn->gates, &f->iter));
    if (rnn->projected) TRY(rnn_weights(rnn, DNNL_ARG_WEIGHTS_PROJECTION, false, 0, 1, &f->projection));
    TRY(rnn_fetch(rnn, DNNL_ARG_BIAS, "abcd", &bias));
    TRY(rnn_fetch(rnn, DNNL_ARG_WEIGHTS_PEEPHOLE, "abcd", &peephole));
    f->bias = rnn_area_of(&bias, 2);
    f->peephole = rnn_area_of(&peephole, 2);
    return dnnl_success;
}

/* The scales of products: those of data and weights, inverted. */
static dnnl_status_t prepare_scales(struct rnn *rnn, const struct rnn_weights_qparams *weights, int mask,
                                    dnnl_dim_t channels, dnnl_dim_t gates, struct rnn_area *scales) {
    dnnl_dim_t count = weights->mask == 0 ? 1 : gates * channels;
    if ((weights->mask != 0 && weights->mask != mask) || weights->count != count)
        return plan_skip(rnn->plan, "a mask or number of the scales of weights");
    float *inverse = malloc((size_t)count * sizeof *inverse);
    if (!inverse) return dnnl_out_of_memory;
    for (dnnl_dim_t i = 0; i < count; i++)
        inverse[i] = 1 / (rnn->plan->attr.rnn.scale * (weights->scales ? weights->scales[i] : 1));
    *scales = (struct rnn_area){.arg = ARG_SCRATCHPAD, .type = dnnl_f32, .gate = channels, .slots = 1};
    dnnl_status_t status = rnn_constants(rnn->plan, inverse, count, gates * channels, &scales->offset);
    free(inverse);
    return status;
}

static struct rnn_area row_of_floats(struct rnn *rnn, dnnl_dim_t gates, dnnl_dim_t width) {
    struct rnn_area row = rnn_scratch(rnn, 1, gates, width);
    row.row = 0; /* the same for all rows of the batch */
    return row;
}

static dnnl_status_t prepare_bytes(struct forward *f) {
    struct rnn *rnn = &f->rnn;
    const struct rnn_qparams *qparams = &rnn->plan->attr.rnn;
    dnnl_dim_t longest = rnn->slc > rnn->sic ? rnn->slc : rnn->sic;
    if (rnn->dhc > longest) longest = rnn->dhc;
    if (!rnn->int8) return dnnl_success;
    TRY(prepare_scales(rnn, &qparams->weights, 1 << 3 | 1 << 4, rnn->dhc, rnn->gates, &f->scales));
    f->sums = row_of_floats(rnn, rnn->gates, rnn->width);
    f->ones = rnn_scratch(rnn, 1, 1, longest);
    rnn_make_states(rnn, &f->ones);
    struct rnn_params *p = rnn_launch(rnn, RNN_CLEAR, longest);
    if (!p) return dnnl_out_of_memory;
    p->shift = 1;
    rnn_bind(rnn, p, &(struct rnn_step){0}, &(struct rnn_binding){RNN_STATE, &f->ones, false}, 1);
    if (!rnn->projected) return dnnl_success;
    f->projected = rnn_scratch(rnn, 1, 1, rnn->dic);
    f->projected.type = dnnl_s32;
    f->projection_sums = row_of_floats(rnn, 1, rnn->dic);
    return prepare_scales(rnn, &qparams->projection, 1 << 3, rnn->dic, 1, &f->projection_scales);
}

/* Steps. */

static int first_op(const struct rnn *rnn) {
    if (rnn->cell == dnnl_vanilla_rnn) return RNN_VANILLA;
    if (rnn->cell == dnnl_vanilla_lstm) return RNN_LSTM;
    return rnn_is_lbr(rnn->cell) ? RNN_LBR_GRU : RNN_GRU_GATES;
}

static dnnl_status_t append_cell(struct forward *f, const struct rnn_step *step, int op) {
    struct rnn *rnn = &f->rnn;
    struct rnn_params *p = rnn_launch(rnn, op, rnn->dhc);
    if (!p) return dnnl_out_of_memory;
    const struct rnn_binding rows[] = {
            {RNN_GATES_LAYER, &f->gates_layer, false},
            {RNN_GATES_ITER, &f->gates_iter, false},
            {RNN_BIAS, &f->bias, false},
            {RNN_PEEPHOLE, &f->peephole, false},
            {RNN_ATTENTION, &f->attention, false},
            {RNN_SCALE, &f->scales, false},
            {RNN_SUMS, &f->sums, false},
            {RNN_STATE_BEFORE, &rnn->state, true},
            {RNN_C_BEFORE, &rnn->c, true},
            {RNN_STATE, rnn->projected ? &rnn->full : &rnn->state, false},
            {RNN_C, &rnn->c, false},
            {RNN_GATES, &rnn->gates_after, false},
            {RNN_EXTRA, rnn_is_gru(rnn->cell) ? &f->before_reset : &rnn->inner, false},
    };
    rnn_bind(rnn, p, step, rows, sizeof rows / sizeof rows[0]);
    return dnnl_success;
}

/* Projected bytes are products that become states only when they are quantised. */
static dnnl_status_t append_projection(struct forward *f, struct rnn_step *step) {
    struct rnn *rnn = &f->rnn;
    TRY(rnn_append_step_product(rnn, step,
                                &(struct rnn_step_product){.src = &rnn->full,
                                                           .weights = &f->projection,
                                                           .gates = 1,
                                                           .dst = rnn->int8 ? &f->projected : &rnn->state}));
    if (!rnn->int8) return dnnl_success;
    struct rnn_params *p = rnn_launch(rnn, RNN_QUANTIZE, rnn->dic);
    if (!p) return dnnl_out_of_memory;
    const struct rnn_binding rows[] = {{RNN_GATES_ITER, &f->projected, false},
                                       {RNN_SCALE, &f->projection_scales, false},
                                       {RNN_SUMS, &f->projection_sums, false},
                                       {RNN_STATE, &rnn->state, false}};
    rnn_bind(rnn, p, step, rows, sizeof rows / sizeof rows[0]);
    return dnnl_success;
}

static dnnl_status_t append_step(struct forward *f, struct rnn_step *step) {
    struct rnn *rnn = &f->rnn;
    bool gru = rnn_is_gru(rnn->cell);
    dnnl_dim_t gates = gru ? 2 : rnn->gates;
    TRY(rnn_append_step_product(rnn, step,
                                &(struct rnn_step_product){.src = &rnn->state,
                                                           .before = true,
                                                           .weights = &f->iter,
                                                           .gates = gates,
                                                           .dst = &f->gates_iter}));
    TRY(append_cell(f, step, first_op(rnn)));
    if (gru) {
        TRY(rnn_append_step_product(rnn, step,
                                    &(struct rnn_step_product){.src = &f->before_reset,
                                                               .weights = &f->iter,
                                                               .gate = 2,
                                                               .gates = 1,
                                                               .dst = &f->gates_iter,
                                                               .dst_gate = 2}));
        TRY(append_cell(f, step, RNN_GRU_STATE));
    }
    return rnn->projected ? append_projection(f, step) : dnnl_success;
}

static dnnl_status_t append_inputs(struct forward *f, const struct rnn_step *step) {
    struct rnn *rnn = &f->rnn;
    md_t src, weights, dst;
    struct rnn_step below = *step;
    below.layer--;
    if (step->layer == 0)
        src = rnn_matrix(rnn, &f->input, step, false, rnn->slc);
    else
        src = rnn_matrix(rnn, &rnn->state, &below, false, rnn->slc);
    TRY(rnn_weights_view(rnn, &f->layer, step, 0, rnn->gates, &weights));
    dst = rnn_matrix(rnn, &f->gates_layer, step, false, weights.dims[1]);
    return rnn_append_product(rnn, &(struct rnn_product){step->layer == 0 ? f->input.arg : rnn->state.arg,
                                                         f->layer.arg, f->gates_layer.arg, &src, &weights,
                                                         &dst, false});
}

/* The sums of weights of a cell, or what they add to others: their product with a row of ones. */
static dnnl_status_t append_sums(struct forward *f, const struct rnn_step *step,
                                 const struct rnn_weights *weights, dnnl_dim_t gates,
                                 const struct rnn_area *sums, bool add) {
    struct rnn *rnn = &f->rnn;
    md_t view, src, dst;
    TRY(rnn_weights_view(rnn, weights, step, 0, gates, &view));
    TRY(md_init_by_strides(&src, 2, (dnnl_dims_t){1, view.dims[0]}, f->ones.type, NULL));
    TRY(md_init_by_strides(&dst, 2, (dnnl_dims_t){1, view.dims[1]}, dnnl_f32, NULL));
    src.offset0 = f->ones.offset, dst.offset0 = sums->offset;
    return rnn_append_product(
            rnn, &(struct rnn_product){ARG_SCRATCHPAD, weights->arg, ARG_SCRATCHPAD, &src, &view, &dst, add});
}

static dnnl_status_t append_all_sums(struct forward *f, const struct rnn_step *step) {
    if (!f->rnn.int8) return dnnl_success;
    TRY(append_sums(f, step, &f->layer, f->rnn.gates, &f->sums, false));
    TRY(append_sums(f, step, &f->iter, f->rnn.gates, &f->sums, true));
    if (!f->rnn.projected) return dnnl_success;
    return append_sums(f, step, &f->projection, 1, &f->projection_sums, false);
}

static dnnl_status_t append_layer(struct forward *f, dnnl_dim_t layer, dnnl_dim_t direction) {
    struct rnn *rnn = &f->rnn;
    struct program *program = rnn->plan->program;
    struct rnn_step step = {.layer = layer, .direction = direction, .loops = true};
    TRY(append_all_sums(f, &step));
    TRY(append_inputs(f, &step));
    int before = program->nlaunches;
    for (; step.number < rnn->time; step.number++) {
        TRY(append_step(f, &step));
        if (!step.loops) continue;
        program_repeat(program, program->nlaunches - before, (size_t)rnn->time);
        break;
    }
    return dnnl_success;
}

/* Results. */

static dnnl_status_t append_sum(struct rnn *rnn, const md_t *user) {
    const float scale = rnn->plan->attr.rnn.scale, shift = rnn->plan->attr.rnn.shift;
    struct rows rows;
    const struct rnn_step one = {.layer = rnn->layers - 1}, two = {.layer = rnn->layers - 1, .direction = 1};
    const md_t a = rnn_sequence(rnn, &rnn->state, &one, false, rnn->dic),
               b = rnn_sequence(rnn, &rnn->state, &two, false, rnn->dic);
    rows_begin_at(&rows, rnn->plan, DNNL_ARG_DST_LAYER, user);
    rows_load(&rows, rows_operand_at(&rows, rnn->state.arg, &a), ROW_NONE);
    rows_binary(&rows, dnnl_binary_add, rows_operand_at(&rows, rnn->state.arg, &b), ROW_NONE, ROW_NONE);
    if (rnn->int8 && user->data_type == dnnl_f32) /* bytes are added up as they are, as in oneDNN */
        rows_eltwise(&rows, dnnl_eltwise_linear, 1 / scale, -2 * shift / scale);
    return rows_end(&rows);
}

static dnnl_status_t append_results(struct rnn *rnn) {
    const md_t *user = problem_md(&rnn->plan->problem, DNNL_ARG_DST_LAYER);
    if (rnn->problem->direction == dnnl_bidirectional_sum) return append_sum(rnn, user);
    for (dnnl_dim_t d = 0; d < rnn->directions; d++) {
        const struct rnn_step step = {.layer = rnn->layers - 1, .direction = d};
        md_t to, from = rnn_sequence(rnn, &rnn->state, &step, false, rnn->dic);
        TRY(md_submemory(&to, user, (dnnl_dims_t){rnn->time, rnn->batch, rnn->dic},
                         (dnnl_dims_t){0, 0, d * rnn->dic}));
        TRY(rnn_copy(rnn, rnn->state.arg, &from, DNNL_ARG_DST_LAYER, &to));
    }
    return dnnl_success;
}

static dnnl_status_t build(struct plan *plan) {
    struct forward f = {0};
    struct rnn *rnn = &f.rnn;
    const struct gemm_tile_shape *tile = plan->implementation->data;
    if (tile) TRY(plan_takes(plan, tile->kernel));
    TRY(rnn_decide_layouts(plan));
    TRY(rnn_begin(rnn, plan));
    if (tile && rnn->int8 != (tile->type->quad == 4)) return plan_skip(plan, "types of another kernel");
    TRY(prepare_weights(&f));
    if (rnn_is_empty(rnn)) return dnnl_success;
    TRY(rnn_input(rnn, &f.input));
    TRY(rnn_spread_attention(rnn, &f.attention));
    f.gates_layer = rnn_scratch(rnn, rnn->time, rnn->gates, rnn->width);
    f.gates_iter = rnn_scratch(rnn, 1, rnn->gates, rnn->width);
    if (rnn->int8) f.gates_layer.type = f.gates_iter.type = dnnl_s32;
    if (rnn_is_gru(rnn->cell)) {
        f.before_reset = rnn_scratch(rnn, 1, 1, rnn->dhc);
        rnn_make_states(rnn, &f.before_reset);
    }
    TRY(prepare_bytes(&f));
    TRY(rnn_begin_state(rnn, DNNL_ARG_SRC_ITER, &rnn->state, RNN_STATE, rnn->sic));
    if (rnn->c.arg != ARG_NOTHING) TRY(rnn_begin_state(rnn, DNNL_ARG_SRC_ITER_C, &rnn->c, RNN_C, rnn->dhc));
    for (dnnl_dim_t d = 0; d < rnn->directions; d++)
        for (dnnl_dim_t l = 0; l < rnn->layers; l++)
            TRY(append_layer(&f, l, d));
    TRY(append_results(rnn));
    TRY(rnn_end_state(rnn, DNNL_ARG_DST_ITER, &rnn->state, rnn->dic));
    return rnn_end_state(rnn, DNNL_ARG_DST_ITER_C, &rnn->c, rnn->dhc);
}

const struct implementation rnn_forward[] = {
        {"f32_rnn_14x32", build, &gemm_14x32},
        {"int8_rnn_16x32", build, &gemm_int8_16x32},
        {"int8_rnn_12x32", build, &gemm_int8_12x32},
        {"f32_rnn_6x16", build, &gemm_6x16},
        {"rnn_universal", build, NULL},
        {NULL, NULL, NULL},
};
