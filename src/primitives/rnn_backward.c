/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recurrent networks, backward: a loop over the steps gives the gradients of all gates; products of these
 * with weights, inputs and states give the rest, for all steps at once. Everything is f32.
 */
#include "base/verbose.h"
#include "primitives/check.h"
#include "primitives/gemm.h"
#include "primitives/primitives.h"
#include "primitives/reduce.h"
#include "primitives/rnn.h"
#include "primitives/rows.h"

struct backward {
    struct rnn rnn;
    struct rnn_weights layer, iter, candidate, projection; /* transposed; the third gate of a GRU is apart */
    struct rnn_area input, peephole, attention;
    struct rnn_area from_above;                   /* gradients of the results of a layer */
    struct rnn_area to_below[2];                  /* of its inputs, for each direction */
    struct rnn_area diff_iter, diff_rest, diff_c; /* of the state of the step before */
    struct rnn_area gates, gates_iter;            /* gradients of gates, all steps; the second for LBR */
    struct rnn_area terms;                        /* of peepholes or attention, all steps */
    struct rnn_area reset;                        /* GRU: r * the state before, all steps */
    struct rnn_area candidate_product;            /* GRU: of a step */
    struct rnn_packed {
        const struct rnn_area *area;
        dnnl_dim_t first, count;
        md_t md;
    } packed;                        /* gradients that were last used in products for weights */
    struct rnn_area projected, full; /* LSTM: diff of projected states; of a step before that */
};

/* The transposed weights. */
static dnnl_status_t prepare_weights(struct backward *b) {
    struct rnn *rnn = &b->rnn;
    bool gru = rnn_is_gru(rnn->cell);
    md_t peephole;
    TRY(rnn_weights(rnn, DNNL_ARG_WEIGHTS_LAYER, true, 0, rnn->gates, &b->layer));
    TRY(rnn_weights(rnn, DNNL_ARG_WEIGHTS_ITER, true, 0, gru ? 2 : rnn->gates, &b->iter));
    if (gru) TRY(rnn_weights(rnn, DNNL_ARG_WEIGHTS_ITER, true, 2, 1, &b->candidate));
    if (rnn->projected) TRY(rnn_weights(rnn, DNNL_ARG_WEIGHTS_PROJECTION, true, 0, 1, &b->projection));
    TRY(rnn_fetch(rnn, DNNL_ARG_WEIGHTS_PEEPHOLE, "abcd", &peephole));
    b->peephole = rnn_area_of(&peephole, 2);
    return dnnl_success;
}

static void reserve(struct backward *b) {
    struct rnn *rnn = &b->rnn;
    bool lstm = rnn->cell == dnnl_vanilla_lstm, gru = rnn_is_gru(rnn->cell), lbr = rnn_is_lbr(rnn->cell);
    b->diff_iter = rnn_scratch_cells(rnn, rnn->sic > rnn->dic ? rnn->sic : rnn->dic);
    if (gru || lbr) b->diff_rest = rnn_scratch_cells(rnn, rnn->dhc);
    if (lstm) b->diff_c = rnn_scratch_cells(rnn, rnn->dhc);
    b->gates = rnn_scratch(rnn, rnn->time, rnn->gates, rnn->dhc);
    if (lbr) b->gates_iter = rnn_scratch(rnn, rnn->time, rnn->gates, rnn->dhc);
    if (b->peephole.arg != ARG_NOTHING) b->terms = rnn_scratch(rnn, rnn->time, 3, rnn->dhc);
    if (b->attention.arg != ARG_NOTHING) b->terms = rnn_scratch(rnn, rnn->time, 1, rnn->dhc);
    if (gru) b->reset = rnn_scratch(rnn, rnn->time, 1, rnn->dhc);
    if (gru) b->candidate_product = rnn_scratch(rnn, 1, 1, rnn->dhc);
    if (rnn->projected) b->projected = rnn_scratch(rnn, rnn->time, 1, rnn->dic);
    if (rnn->projected) b->full = rnn_scratch(rnn, 1, 1, rnn->dhc);
    for (dnnl_dim_t d = 0; d < rnn->directions; d++)
        b->to_below[d] = rnn_scratch(rnn, rnn->time, 1, rnn->slc);
}

/* Gradients of the results. */
static dnnl_status_t fetch_results(struct backward *b) {
    struct rnn *rnn = &b->rnn;
    md_t md;
    TRY(rnn_fetch(rnn, DNNL_ARG_DIFF_DST_LAYER, "abc", &md));
    b->from_above = (struct rnn_area){.arg = ARG_SCRATCHPAD,
                                      .type = dnnl_f32,
                                      .offset = md.offset0,
                                      .slot = rnn->batch * md.dims[2],
                                      .row = md.dims[2],
                                      .slots = rnn->time};
    if (rnn->problem->direction == dnnl_bidirectional_concat) b->from_above.cell = rnn->dic;
    TRY(rnn_begin_state(rnn, DNNL_ARG_DIFF_DST_ITER, &b->diff_iter, RNN_STATE, rnn->dic));
    if (b->diff_rest.arg != ARG_NOTHING) TRY(rnn_begin_state(rnn, 0, &b->diff_rest, RNN_STATE, rnn->dhc));
    if (b->diff_c.arg == ARG_NOTHING) return dnnl_success;
    return rnn_begin_state(rnn, DNNL_ARG_DIFF_DST_ITER_C, &b->diff_c, RNN_C, rnn->dhc);
}

/* Steps. */

/* The gradient that comes from the layer above: the user's for the last layer. Its cells are directions. */
static struct rnn_area above(const struct backward *b, const struct rnn_step *step) {
    if (step->layer < b->rnn.layers - 1) return b->to_below[step->direction];
    struct rnn_area area = b->from_above;
    area.offset += step->direction * area.cell;
    area.cell = 0;
    return area;
}

static dnnl_status_t append_cell(struct backward *b, const struct rnn_step *step, int op,
                                 const struct rnn_area *from_above, const struct rnn_area *diff_iter) {
    struct rnn *rnn = &b->rnn;
    struct rnn_params *p = rnn_launch(rnn, op, rnn->dhc);
    if (!p) return dnnl_out_of_memory;
    const struct rnn_binding rows[] = {
            {RNN_PEEPHOLE, &b->peephole, false},
            {RNN_ATTENTION, &b->attention, false},
            {RNN_STATE_BEFORE, &rnn->state, true},
            {RNN_C_BEFORE, &rnn->c, true},
            {RNN_C, &rnn->c, false},
            {RNN_GATES, &rnn->gates_after, false},
            {RNN_EXTRA, rnn_is_gru(rnn->cell) ? &b->reset : &rnn->inner, false},
            {RNN_DIFF_LAYER, from_above, false},
            {RNN_DIFF_ITER, diff_iter, false},
            {RNN_DIFF_REST, &b->diff_rest, false},
            {RNN_DIFF_C, &b->diff_c, false},
            {RNN_DIFF_GATES, &b->gates, false},
            {RNN_DIFF_GATES_ITER, &b->gates_iter, false},
            {RNN_DIFF_TERMS, &b->terms, false},
    };
    rnn_bind(rnn, p, step, rows, sizeof rows / sizeof rows[0]);
    return dnnl_success;
}

/* From the gradients of projected states to those of the states themselves. */
static dnnl_status_t append_projection(struct backward *b, struct rnn_step *step,
                                       const struct rnn_area *from_above) {
    struct rnn *rnn = &b->rnn;
    struct rnn_params *p = rnn_launch(rnn, RNN_ADD, rnn->dic);
    if (!p) return dnnl_out_of_memory;
    const struct rnn_binding rows[] = {{RNN_DIFF_LAYER, from_above, false},
                                       {RNN_DIFF_ITER, &b->diff_iter, false},
                                       {RNN_STATE, &b->projected, false}};
    rnn_bind(rnn, p, step, rows, sizeof rows / sizeof rows[0]);
    return rnn_append_step_product(
            rnn, step,
            &(struct rnn_step_product){.src = &b->projected, .weights = &b->projection, .dst = &b->full});
}

static int first_op(const struct rnn *rnn) {
    if (rnn->cell == dnnl_vanilla_rnn) return RNN_VANILLA_BACK;
    if (rnn->cell == dnnl_vanilla_lstm) return RNN_LSTM_BACK;
    return rnn_is_lbr(rnn->cell) ? RNN_LBR_GRU_BACK : RNN_GRU_STATE_BACK;
}

static dnnl_status_t append_step(struct backward *b, struct rnn_step *step) {
    struct rnn *rnn = &b->rnn;
    const struct rnn_area nothing = {.arg = ARG_NOTHING};
    struct rnn_area from_above = above(b, step);
    if (rnn->projected) {
        TRY(append_projection(b, step, &from_above));
        TRY(append_cell(b, step, RNN_LSTM_BACK, &nothing, &b->full));
    } else
        TRY(append_cell(b, step, first_op(rnn), &from_above, &b->diff_iter));
    if (rnn_is_gru(rnn->cell)) {
        TRY(rnn_append_step_product(rnn, step,
                                    &(struct rnn_step_product){.src = &b->gates,
                                                               .src_gate = 2,
                                                               .weights = &b->candidate,
                                                               .dst = &b->candidate_product}));
        TRY(append_cell(b, step, RNN_GRU_GATES_BACK, &nothing, &b->candidate_product));
    }
    return rnn_append_step_product(
            rnn, step,
            &(struct rnn_step_product){.src = rnn_is_lbr(rnn->cell) ? &b->gates_iter : &b->gates,
                                       .weights = &b->iter,
                                       .dst = &b->diff_iter});
}

static dnnl_status_t append_steps(struct backward *b, struct rnn_step *step) {
    struct program *program = b->rnn.plan->program;
    int before = program->nlaunches;
    for (; step->number < b->rnn.time; step->number++) {
        TRY(append_step(b, step));
        if (!step->loops) continue;
        program_repeat(program, program->nlaunches - before, (size_t)b->rnn.time);
        break;
    }
    return dnnl_success;
}

/* Gradients of weights. */

/* One cell of a tensor, whose other dimensions stay; `first` and `count` along the dimension of gates. */
static dnnl_status_t cell_of(md_t *part, const md_t *md, const struct rnn_step *step, int gate_dim,
                             dnnl_dim_t first, dnnl_dim_t count) {
    dnnl_dims_t dims, offsets = {step->layer, step->direction};
    for (int d = 0; d < md->ndims; d++)
        dims[d] = d < 2 ? 1 : md->dims[d];
    dims[gate_dim] = count, offsets[gate_dim] = first;
    return md_submemory(part, md, dims, offsets);
}

/* Adds what lies in scratchpad to a part of the user's tensor, or replaces it. */
static dnnl_status_t append_to_user(struct rnn *rnn, int arg, const md_t *part, const md_t *from) {
    struct rows rows;
    rows_begin_at(&rows, rnn->plan, arg, part);
    rows_load(&rows, rows_operand_at(&rows, ARG_SCRATCHPAD, from), ROW_NONE);
    if (!(rnn->problem->flags & dnnl_rnn_flags_diff_weights_overwrite))
        rows_binary(&rows, dnnl_binary_add, rows_operand_at(&rows, arg, part), ROW_NONE, ROW_NONE);
    return rows_end(&rows);
}

/* The product over all steps of an area of `inputs` with gradients of `count` gates, into the user's tensor.
 */
struct gradient {
    int arg;
    const struct rnn_area *src, *diff;
    int src_arg;
    bool before;
    dnnl_dim_t inputs, first, count, width;
};

/* Weights of a cell as a matrix of inputs by gates and channels, if their layout allows it. */
static bool as_matrix(const md_t *part, md_t *matrix) {
    const int last = part->ndims - 1;
    const dnnl_dim_t *dims = part->dims, *strides = part->blocking.strides;
    const dnnl_dim_t gates = part->ndims == 5 ? dims[3] : 1, width = gates * dims[last];
    if (!md_is_plain(part) || strides[last] != 1 || strides[2] < width) return false;
    if (gates > 1 && strides[3] != dims[last]) return false;
    dnnl_dims_t all = {dims[2], width}, apart = {strides[2], 1};
    if (md_init_by_strides(matrix, 2, all, dnnl_f32, apart) != dnnl_success) return false;
    matrix->offset0 = part->offset0;
    return true;
}

/* Gradients as the products read them fastest; those of the product before are there already. */
static dnnl_status_t pack_gradient(struct backward *b, const struct gradient *g, const md_t *diff, md_t *own,
                                   int *arg) {
    struct rnn *rnn = &b->rnn;
    struct rnn_packed *packed = &b->packed;
    char tag[32];
    *own = *diff, *arg = g->diff->arg;
    if (!rnn->plan->implementation->data) return dnnl_success;
    *arg = ARG_SCRATCHPAD;
    if (packed->area != g->diff || packed->first != g->first || packed->count != g->count) {
        gemm_panels_tag(rnn->plan, "ba", 1, 0, tag, sizeof tag);
        *packed = (struct rnn_packed){g->diff, g->first, g->count, {0}};
        TRY(md_init_by_string(&packed->md, 2, diff->dims, dnnl_f32, tag));
        plan_place(rnn->plan, &packed->md);
        TRY(append_reorder(rnn->plan, g->diff->arg, diff, ARG_SCRATCHPAD, &packed->md, NULL));
    }
    *own = packed->md;
    return dnnl_success;
}

static dnnl_status_t append_gradient(struct backward *b, const struct rnn_step *step,
                                     const struct gradient *g) {
    struct rnn *rnn = &b->rnn;
    const md_t *user = problem_md(&rnn->plan->problem, g->arg);
    const int gate_dim = user->ndims == 5 ? 3 : 2; /* a projection has no gates: its rows are counted */
    md_t src = rnn_matrix(rnn, g->src, step, g->before, g->inputs), result, part;
    md_t diff = rnn_matrix(rnn, g->diff, step, false, g->count * g->width);
    md_t own;
    struct rnn_product product = {g->src_arg, 0, ARG_SCRATCHPAD, &src, &own, &result, false};
    TRY(md_permute(&src, &src, (const int[]){1, 0}));
    diff.offset0 += g->first * g->diff->gate;
    TRY(pack_gradient(b, g, &diff, &own, &product.weights_arg));
    TRY(cell_of(&part, user, step, gate_dim, user->ndims == 5 ? g->first : 0,
                user->ndims == 5 ? g->count : g->inputs));
    if (as_matrix(&part, &result)) {
        product.dst_arg = g->arg;
        product.add = !(rnn->problem->flags & dnnl_rnn_flags_diff_weights_overwrite);
        return rnn_append_product(rnn, &product);
    }
    TRY(md_init_by_strides(&result, 2, (dnnl_dims_t){g->inputs, g->count * g->width}, dnnl_f32, NULL));
    plan_place(rnn->plan, &result);
    TRY(rnn_append_product(rnn, &product));
    TRY(md_reshape(&result, &result, user->ndims, part.dims));
    return append_to_user(rnn, g->arg, &part, &result);
}

/* The sum over all rows of some gates of an area, into the user's tensor: bias and peepholes. */
static dnnl_status_t append_sums(struct rnn *rnn, const struct rnn_step *step, int arg,
                                 const struct rnn_area *area, dnnl_dim_t first, dnnl_dim_t count,
                                 dnnl_dim_t to) {
    const md_t *user = problem_md(&rnn->plan->problem, arg);
    md_t src, sums, part;
    if (!user) return dnnl_success;
    TRY(md_init_by_strides(&src, 4, (dnnl_dims_t){rnn->time * rnn->batch, 1, count, rnn->dhc}, dnnl_f32,
                           (dnnl_dims_t){area->row, area->row, area->gate, 1}));
    src.offset0 = area->offset + first * area->gate;
    TRY(md_init_by_strides(&sums, 4, (dnnl_dims_t){1, 1, count, rnn->dhc}, dnnl_f32, NULL));
    plan_place(rnn->plan, &sums);
    TRY(reduce_append(rnn->plan, &(struct reduce_request){.alg = REDUCE_SUM,
                                                          .src_arg = ARG_SCRATCHPAD,
                                                          .src = &src,
                                                          .kept = BIT(2) | BIT(3),
                                                          .dst_arg = ARG_SCRATCHPAD,
                                                          .dst = &sums}));
    TRY(cell_of(&part, user, step, 2, to, count));
    return append_to_user(rnn, arg, &part, &sums);
}

static dnnl_status_t append_iter_gradients(struct backward *b, const struct rnn_step *step) {
    struct rnn *rnn = &b->rnn;
    bool gru = rnn_is_gru(rnn->cell), lbr = rnn_is_lbr(rnn->cell);
    struct gradient iter = {.arg = DNNL_ARG_DIFF_WEIGHTS_ITER,
                            .src = &rnn->state,
                            .src_arg = rnn->state.arg,
                            .before = true,
                            .diff = lbr ? &b->gates_iter : &b->gates,
                            .inputs = rnn->sic,
                            .count = gru ? 2 : rnn->gates,
                            .width = rnn->dhc};
    TRY(append_gradient(b, step, &iter));
    if (!gru) return dnnl_success;
    iter.src = &b->reset, iter.src_arg = ARG_SCRATCHPAD, iter.before = false;
    iter.first = 2, iter.count = 1;
    return append_gradient(b, step, &iter);
}

static dnnl_status_t append_weights(struct backward *b, const struct rnn_step *step) {
    struct rnn *rnn = &b->rnn;
    struct rnn_area below = b->input;
    if (step->layer > 0) {
        below = rnn->state;
        below.offset -= rnn->directions * below.cell;
    }
    struct gradient layer = {.arg = DNNL_ARG_DIFF_WEIGHTS_LAYER,
                             .src = &below,
                             .src_arg = below.arg,
                             .diff = &b->gates,
                             .inputs = rnn->slc,
                             .count = rnn->gates,
                             .width = rnn->dhc};
    struct gradient projection = {.arg = DNNL_ARG_DIFF_WEIGHTS_PROJECTION,
                                  .src = &rnn->full,
                                  .src_arg = rnn->full.arg,
                                  .diff = &b->projected,
                                  .inputs = rnn->dhc,
                                  .count = 1,
                                  .width = rnn->dic};
    b->packed.area = NULL;
    TRY(append_gradient(b, step, &layer));
    TRY(append_iter_gradients(b, step));
    if (rnn->projected) TRY(append_gradient(b, step, &projection));
    TRY(append_sums(rnn, step, DNNL_ARG_DIFF_BIAS, &b->gates, 0, rnn->gates, 0));
    if (rnn_is_lbr(rnn->cell))
        TRY(append_sums(rnn, step, DNNL_ARG_DIFF_BIAS, &b->gates_iter, 2, 1, rnn->gates));
    return append_sums(rnn, step, DNNL_ARG_DIFF_WEIGHTS_PEEPHOLE, &b->terms, 0, 3, 0);
}

/* Gradients of inputs and of the first states. */

static dnnl_status_t append_inputs(struct backward *b, const struct rnn_step *step) {
    struct rnn *rnn = &b->rnn;
    const struct rnn_area *to = &b->to_below[step->direction];
    const md_t src = rnn_matrix(rnn, &b->gates, step, false, rnn->gates * rnn->dhc),
               dst = rnn_matrix(rnn, to, step, false, rnn->slc);
    md_t weights;
    TRY(rnn_weights_view(rnn, &b->layer, step, 0, rnn->gates, &weights));
    return rnn_append_product(
            rnn, &(struct rnn_product){b->gates.arg, b->layer.arg, to->arg, &src, &weights, &dst, false});
}

/* The sum of two tensors in scratchpad, or a copy of one, to the user's. */
static dnnl_status_t deliver(struct rnn *rnn, int arg, const md_t *to, const md_t *one, const md_t *two) {
    struct rows rows;
    rows_begin_at(&rows, rnn->plan, arg, to);
    rows_load(&rows, rows_operand_at(&rows, ARG_SCRATCHPAD, one), ROW_NONE);
    if (two)
        rows_binary(&rows, dnnl_binary_add, rows_operand_at(&rows, ARG_SCRATCHPAD, two), ROW_NONE, ROW_NONE);
    return rows_end(&rows);
}

static dnnl_status_t deliver_inputs(struct backward *b) {
    struct rnn *rnn = &b->rnn;
    const struct rnn_step first = {0};
    const md_t one = rnn_sequence(rnn, &b->to_below[0], &first, false, rnn->slc);
    md_t two = one;
    if (rnn->directions == 2) two = rnn_sequence(rnn, &b->to_below[1], &first, false, rnn->slc);
    return deliver(rnn, DNNL_ARG_DIFF_SRC_LAYER, problem_md(&rnn->plan->problem, DNNL_ARG_DIFF_SRC_LAYER),
                   &one, rnn->directions == 2 ? &two : NULL);
}

static dnnl_status_t deliver_states(struct backward *b) {
    struct rnn *rnn = &b->rnn;
    const md_t *user = problem_md(&rnn->plan->problem, DNNL_ARG_DIFF_SRC_ITER);
    for (dnnl_dim_t d = 0; user && d < rnn->directions; d++) {
        bool rest = b->diff_rest.arg != ARG_NOTHING;
        md_t to, one = rnn_end_slot(rnn, &b->diff_iter, d, true, rnn->sic), two = one;
        if (rest) two = rnn_end_slot(rnn, &b->diff_rest, d, true, rnn->sic);
        TRY(rnn_one_direction(&to, user, d));
        TRY(deliver(rnn, DNNL_ARG_DIFF_SRC_ITER, &to, &one, rest ? &two : NULL));
    }
    return rnn_end_state(rnn, DNNL_ARG_DIFF_SRC_ITER_C, &b->diff_c, rnn->dhc);
}

/* Attention has one value for all channels. */
static dnnl_status_t deliver_attention(struct backward *b) {
    struct rnn *rnn = &b->rnn;
    const md_t *user = problem_md(&rnn->plan->problem, DNNL_ARG_DIFF_AUGRU_ATTENTION);
    if (!user) return dnnl_success;
    const md_t src = rnn_sequence(rnn, &b->terms, &(struct rnn_step){0}, false, rnn->dhc);
    md_t sums;
    TRY(md_init_by_strides(&sums, 3, user->dims, dnnl_f32, NULL));
    plan_place(rnn->plan, &sums);
    TRY(reduce_append(rnn->plan, &(struct reduce_request){.alg = REDUCE_SUM,
                                                          .src_arg = ARG_SCRATCHPAD,
                                                          .src = &src,
                                                          .kept = BIT(0) | BIT(1),
                                                          .dst_arg = ARG_SCRATCHPAD,
                                                          .dst = &sums}));
    return append_reorder(rnn->plan, ARG_SCRATCHPAD, &sums, DNNL_ARG_DIFF_AUGRU_ATTENTION, user, NULL);
}

static dnnl_status_t append_layer(struct backward *b, dnnl_dim_t layer, dnnl_dim_t direction) {
    struct rnn_step step = {.layer = layer, .direction = direction, .backward = true, .loops = true};
    TRY(append_steps(b, &step));
    TRY(append_inputs(b, &step));
    return append_weights(b, &step);
}

static dnnl_status_t build(struct plan *plan) {
    struct backward b = {0};
    struct rnn *rnn = &b.rnn;
    const struct gemm_tile_shape *tile = plan->implementation->data;
    if (tile) TRY(plan_takes(plan, tile->kernel));
    TRY(rnn_decide_layouts(plan));
    TRY(rnn_begin(rnn, plan));
    TRY(prepare_weights(&b));
    if (rnn_is_empty(rnn)) return dnnl_success;
    TRY(rnn_input(rnn, &b.input));
    TRY(rnn_spread_attention(rnn, &b.attention));
    reserve(&b);
    TRY(fetch_results(&b));
    for (dnnl_dim_t d = 0; d < rnn->directions; d++)
        for (dnnl_dim_t l = rnn->layers - 1; l >= 0; l--)
            TRY(append_layer(&b, l, d));
    TRY(deliver_inputs(&b));
    TRY(deliver_states(&b));
    return deliver_attention(&b);
}

const struct implementation rnn_backward[] = {
        {"f32_rnn_14x32", build, &gemm_14x32},
        {"f32_rnn_6x16", build, &gemm_6x16},
        {"rnn_universal", build, NULL},
        {NULL, NULL, NULL},
};
