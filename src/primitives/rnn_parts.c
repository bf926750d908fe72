/* SPDX-License-Identifier: Apache-2.0 */
/* What the forward and the backward pass of recurrent networks are made of: see rnn.h. */
#include "base/round.h"
#include "base/verbose.h"
#include "primitives/gemm.h"
#include "primitives/primitives.h"
#include "primitives/rnn.h"
#include "primitives/tensor.h"

#include <stdio.h>

bool rnn_is_gru(dnnl_alg_kind_t cell) {
    return cell == dnnl_vanilla_gru || cell == dnnl_vanilla_augru;
}

bool rnn_is_lbr(dnnl_alg_kind_t cell) {
    return cell == dnnl_lbr_gru || cell == dnnl_lbr_augru;
}

bool rnn_is_empty(const struct rnn *rnn) {
    return rnn->layers == 0 || rnn->time == 0 || rnn->batch == 0 || rnn->dhc == 0 || rnn->dic == 0;
}

/* Sizes and areas. */

enum { ALIGNMENT = 128 }; /* bytes */

/* Rows at a distance of a multiple of 1 KB would compete for the same lines of the cache. */
static dnnl_dim_t row_of(dnnl_dim_t elements) {
    enum { ROW = 16, CACHE = 256 };
    dnnl_dim_t row = divide_up(elements, ROW) * ROW;
    return row % CACHE == 0 ? row + ROW : row;
}

static struct rnn_area area_of(const struct rnn *rnn, dnnl_dim_t slots, dnnl_dim_t row, dnnl_dim_t gate) {
    return (struct rnn_area){.arg = slots > 0 ? ARG_SCRATCHPAD : ARG_NOTHING,
                             .type = dnnl_f32,
                             .cell = slots * rnn->batch * row,
                             .slot = rnn->batch * row,
                             .row = row,
                             .gate = gate,
                             .slots = slots};
}

/* Adds an area for all cells to those that are saved. */
static struct rnn_area save(struct rnn *rnn, dnnl_dim_t slots, dnnl_dim_t gates, dnnl_dim_t width,
                            dnnl_data_type_t type) {
    struct rnn_area area = area_of(rnn, slots, gates == 1 ? row_of(width) : gates * width, width);
    size_t bytes = (size_t)(rnn->layers * rnn->directions * area.cell) * dt_size(type);
    area.type = type;
    area.offset = (dnnl_dim_t)(rnn->saved / dt_size(type));
    if (rnn->training && slots > 0) area.arg = DNNL_ARG_WORKSPACE;
    rnn->saved += divide_up((int64_t)bytes, ALIGNMENT) * ALIGNMENT;
    return area;
}

static void save_areas(struct rnn *rnn) {
    bool lstm = rnn->cell == dnnl_vanilla_lstm, lbr = rnn_is_lbr(rnn->cell), gru = rnn_is_gru(rnn->cell);
    dnnl_dim_t all = rnn->training ? rnn->time : 0, states = rnn->time + 1;
    dnnl_dim_t wide = rnn->sic > rnn->dic ? rnn->sic : rnn->dic;
    dnnl_data_type_t bytes = problem_md(rnn->problem, DNNL_ARG_SRC_LAYER)->data_type;
    rnn->state = save(rnn, states, 1, wide, rnn->int8 ? bytes : dnnl_f32);
    rnn->c = save(rnn, lstm ? (rnn->training ? states : 1) : 0, 1, rnn->dhc, dnnl_f32);
    rnn->gates_after = save(rnn, gru && all == 0 ? 1 : all, rnn->gates, rnn->dhc, dnnl_f32);
    rnn->inner = save(rnn, lbr ? all : 0, 1, rnn->dhc, dnnl_f32);
    rnn->full = save(rnn, rnn->projected ? (rnn->training ? rnn->time : 1) : 0, 1, rnn->dhc,
                     rnn->int8 ? bytes : dnnl_f32);
}

void rnn_init(struct rnn *rnn, const struct problem *problem) {
    const md_t *src = problem_md(problem, DNNL_ARG_SRC_LAYER);
    const md_t *layer = problem_md(problem, DNNL_ARG_WEIGHTS_LAYER);
    const md_t *projection = problem_md(problem, DNNL_ARG_WEIGHTS_PROJECTION);
    *rnn = (struct rnn){.problem = problem,
                        .cell = problem->cell_kind,
                        .layers = layer->dims[0],
                        .directions = layer->dims[1],
                        .time = src->dims[0],
                        .batch = src->dims[1],
                        .slc = src->dims[2],
                        .sic = problem_md(problem, DNNL_ARG_WEIGHTS_ITER)->dims[2],
                        .dhc = layer->dims[4],
                        .dic = projection ? projection->dims[3] : layer->dims[4],
                        .gates = layer->dims[3],
                        .training = problem->prop != dnnl_forward_inference,
                        .projected = projection != NULL,
                        .int8 = layer->data_type == dnnl_s8};
    save_areas(rnn);
}

static void move_area(struct rnn_area *area, size_t bytes) {
    area->offset += (dnnl_dim_t)(bytes / dt_size(area->type));
}

dnnl_status_t rnn_begin(struct rnn *rnn, struct plan *plan) {
    rnn_init(rnn, &plan->problem);
    rnn->plan = plan;
    dnnl_dim_t panel = plan->implementation->data ? gemm_panel(plan) : 1;
    rnn->width = divide_up(rnn->dhc, panel) * panel;
    if (rnn->training) return dnnl_success;
    size_t base = plan_scratchpad(plan, rnn->saved);
    struct rnn_area *areas[] = {&rnn->state, &rnn->c, &rnn->gates_after, &rnn->inner, &rnn->full};
    for (size_t i = 0; i < sizeof areas / sizeof areas[0]; i++)
        move_area(areas[i], base);
    return dnnl_success;
}

struct rnn_area rnn_scratch(struct rnn *rnn, dnnl_dim_t slots, dnnl_dim_t gates, dnnl_dim_t width) {
    struct rnn_area area = area_of(rnn, slots, row_of(gates * width), width);
    size_t bytes = (size_t)area.cell * sizeof(float);
    area.offset = (dnnl_dim_t)(plan_scratchpad(rnn->plan, bytes) / sizeof(float));
    area.cell = 0;
    return area;
}

void rnn_make_states(const struct rnn *rnn, struct rnn_area *area) {
    area->type = rnn->state.type; /* never larger than f32 */
    area->offset *= (dnnl_dim_t)(sizeof(float) / dt_size(area->type));
}

struct rnn_area rnn_scratch_cells(struct rnn *rnn, dnnl_dim_t width) {
    struct rnn_area area = area_of(rnn, 1, row_of(width), width);
    size_t bytes = (size_t)(rnn->layers * rnn->directions * area.cell) * sizeof(float);
    area.offset = (dnnl_dim_t)(plan_scratchpad(rnn->plan, bytes) / sizeof(float));
    return area;
}

struct rnn_area rnn_area_of(const md_t *md, int gate_dim) {
    if (md->ndims == 0) return (struct rnn_area){.arg = ARG_NOTHING};
    return (struct rnn_area){.arg = ARG_SCRATCHPAD,
                             .type = md->data_type,
                             .offset = md->offset0,
                             .cell = md->blocking.strides[1],
                             .gate = md->blocking.strides[gate_dim],
                             .slots = 1};
}

/* Steps. */

bool rnn_is_reversed(const struct rnn *rnn, dnnl_dim_t direction) {
    return direction == 1 || rnn->problem->direction == dnnl_unidirectional_right2left;
}

/* The slot of the first step of the pass, and how it advances. States have one more slot: before the first
 * step of their time. */
static dnnl_dim_t first_slot(const struct rnn *rnn, const struct rnn_area *area, const struct rnn_step *step,
                             bool before, dnnl_dim_t *advance) {
    bool falls = rnn_is_reversed(rnn, step->direction) != step->backward;
    bool late = rnn_is_reversed(rnn, step->direction) == before; /* of two slots of a state */
    *advance = area->slots == 1 ? 0 : falls ? -1 : 1;
    if (area->slots == 1) return 0;
    return (falls ? rnn->time - 1 : 0) + (area->slots > rnn->time && late ? 1 : 0);
}

static dnnl_dim_t cell_offset(const struct rnn *rnn, const struct rnn_area *area,
                              const struct rnn_step *step) {
    return area->offset + (step->layer * rnn->directions + step->direction) * area->cell;
}

struct rnn_operand rnn_operand(const struct rnn *rnn, const struct rnn_area *area,
                               const struct rnn_step *step, bool before) {
    if (area->arg == ARG_NOTHING) return (struct rnn_operand){.area = RNN_ABSENT};
    dnnl_dim_t advance, slot = first_slot(rnn, area, step, before, &advance);
    return (struct rnn_operand){.offset = cell_offset(rnn, area, step)
                                          + (slot + step->number * advance) * area->slot,
                                .step = advance * area->slot,
                                .row = area->row,
                                .gate = area->gate,
                                .area = area->arg == DNNL_ARG_WORKSPACE ? RNN_WORKSPACE : RNN_SCRATCHPAD,
                                .type = (i32)area->type};
}

static md_t strided(const struct rnn_area *area, int ndims, const dnnl_dim_t *dims, const dnnl_dim_t *strides,
                    dnnl_dim_t offset) {
    md_t md = {.ndims = ndims, .data_type = area->type, .format_kind = dnnl_blocked, .offset0 = offset};
    for (int d = 0; d < ndims; d++)
        md.dims[d] = md.padded_dims[d] = dims[d], md.blocking.strides[d] = strides[d];
    return md;
}

/* Where the slots of all steps begin, in the order of time. */
static dnnl_dim_t sequence_offset(const struct rnn *rnn, const struct rnn_area *area,
                                  const struct rnn_step *step, bool before) {
    bool late = area->slots > rnn->time && rnn_is_reversed(rnn, step->direction) == before;
    return cell_offset(rnn, area, step) + (late ? area->slot : 0);
}

md_t rnn_sequence(const struct rnn *rnn, const struct rnn_area *area, const struct rnn_step *step,
                  bool before, dnnl_dim_t channels) {
    return strided(area, 3, (dnnl_dims_t){rnn->time, rnn->batch, channels},
                   (dnnl_dims_t){area->slot, area->row, 1}, sequence_offset(rnn, area, step, before));
}

md_t rnn_matrix(const struct rnn *rnn, const struct rnn_area *area, const struct rnn_step *step, bool before,
                dnnl_dim_t channels) {
    return strided(area, 2, (dnnl_dims_t){rnn->time * rnn->batch, channels}, (dnnl_dims_t){area->row, 1},
                   sequence_offset(rnn, area, step, before));
}

md_t rnn_end_slot(const struct rnn *rnn, const struct rnn_area *area, dnnl_dim_t direction, bool last,
                  dnnl_dim_t channels) {
    bool end = rnn_is_reversed(rnn, direction) != last;
    dnnl_dim_t offset = area->offset + direction * area->cell + (end ? (area->slots - 1) * area->slot : 0);
    return strided(area, 4, (dnnl_dims_t){rnn->layers, 1, rnn->batch, channels},
                   (dnnl_dims_t){rnn->directions * area->cell, area->cell, area->row, 1}, offset);
}

dnnl_status_t rnn_one_direction(md_t *part, const md_t *md, dnnl_dim_t direction) {
    dnnl_dims_t dims, offsets = {0};
    for (int d = 0; d < md->ndims; d++)
        dims[d] = d == 1 ? 1 : md->dims[d];
    offsets[1] = direction;
    return md_submemory(part, md, dims, offsets);
}

/* Weights. */

static void panels_tag(const struct rnn *rnn, bool transposed, char *tag, size_t size) {
    if (!rnn->plan->implementation->data)
        snprintf(tag, size, "%s", transposed ? "abdec" : "abcde");
    else if (transposed)
        gemm_panels_tag(rnn->plan, "abcde", 2, 4, tag, size);
    else
        gemm_panels_tag(rnn->plan, "abdec", 4, 2, tag, size);
}

/* Decides an open layout; a projection becomes a gate of its own. */
static dnnl_status_t user_weights(struct rnn *rnn, int arg, const char *tag, md_t *user) {
    md_t *md = problem_md(&rnn->plan->problem, arg);
    const bool own_type = md->data_type == dnnl_f32 || rnn->int8;
    dnnl_dims_t dims = {md->dims[0], md->dims[1], md->dims[2], 1, md->dims[3]};
    if (md->ndims == 4) {
        TRY(md_set_any(md, "abcd"));
        return md_reshape(user, md, 5, dims);
    }
    TRY(md_set_any(md, own_type ? tag : "abcde"));
    *user = *md;
    return dnnl_success;
}

dnnl_status_t rnn_weights(struct rnn *rnn, int arg, bool transposed, dnnl_dim_t first_gate, dnnl_dim_t gates,
                          struct rnn_weights *weights) {
    char tag[32];
    md_t user;
    panels_tag(rnn, transposed, tag, sizeof tag);
    TRY(user_weights(rnn, arg, tag, &user));
    dnnl_data_type_t type = rnn->int8 ? dnnl_s8 : dnnl_f32;
    bool all = gates == user.dims[3];
    *weights = (struct rnn_weights){.arg = arg, .transposed = transposed, .md = user};
    if (all && user.data_type == type && md_matches_tag(&user, tag)) return dnnl_success;
    if (!md_is_blocked(&user)) return plan_skip(rnn->plan, "weights in an opaque layout");
    dnnl_dims_t dims, offsets = {0};
    for (int d = 0; d < 5; d++)
        dims[d] = d == 3 ? gates : user.dims[d];
    offsets[3] = first_gate;
    TRY(md_submemory(&user, &user, dims, offsets));
    TRY(md_init_by_string(&weights->md, 5, dims, type, tag));
    plan_place(rnn->plan, &weights->md);
    weights->arg = ARG_SCRATCHPAD;
    return append_reorder(rnn->plan, arg, &user, ARG_SCRATCHPAD, &weights->md, NULL);
}

dnnl_status_t rnn_weights_view(const struct rnn *rnn, const struct rnn_weights *weights,
                               const struct rnn_step *step, dnnl_dim_t gate, dnnl_dim_t gates, md_t *view) {
    const md_t *md = &weights->md;
    const dnnl_dim_t *strides = md->blocking.strides;
    dnnl_dim_t width = md->padded_dims[4], inputs = md->dims[2];
    dnnl_dims_t dims = {inputs, gates == 1 ? md->dims[4] : gates * width};
    if (weights->transposed) dims[0] = md->dims[3] * md->dims[4], dims[1] = inputs;
    if (!rnn->plan->implementation->data) {
        dnnl_dims_t apart = {weights->transposed ? inputs : md->dims[3] * md->dims[4], 1};
        TRY(md_init_by_strides(view, 2, dims, md->data_type, apart));
    } else {
        char tag[32];
        gemm_panels_tag(rnn->plan, "ba", 1, 0, tag, sizeof tag);
        TRY(md_init_by_string(view, 2, dims, md->data_type, tag));
    }
    view->offset0 = md->offset0 + step->layer * strides[0] + step->direction * strides[1]
                    + (weights->transposed ? 0 : gate * strides[3]);
    return dnnl_success;
}

/* Products and launches. */

static int product_arg(int arg, const void *data) {
    const struct rnn_product *product = data;
    return arg == DNNL_ARG_SRC       ? product->src_arg
           : arg == DNNL_ARG_WEIGHTS ? product->weights_arg
                                     : product->dst_arg;
}

dnnl_status_t rnn_append_product(struct rnn *rnn, const struct rnn_product *product) {
    struct problem problem;
    struct post_op sum = {.kind = dnnl_sum, .sum = {.scale = 1}};
    attr_t attr;
    TRY(problem_init(&problem, dnnl_matmul, 3));
    problem_add(&problem, DNNL_ARG_SRC, false, product->src);
    problem_add(&problem, DNNL_ARG_WEIGHTS, false, product->weights);
    problem_add(&problem, DNNL_ARG_DST, true, product->dst);
    attr_init(&attr);
    if (product->add) attr.post_ops = (struct dnnl_post_ops){1, &sum};
    dnnl_status_t status =
            plan_append(rnn->plan, matmul_implementations, &problem, &attr, product_arg, product);
    problem_clear(&problem);
    return status;
}

/* The rows of a step, from a gate on. */
static md_t rows_of(const struct rnn *rnn, const struct rnn_area *area, const struct rnn_operand *operand,
                    dnnl_dim_t gate, dnnl_dim_t channels) {
    return strided(area, 2, (dnnl_dims_t){rnn->batch, channels}, (dnnl_dims_t){area->row, 1},
                   operand->offset + gate * area->gate);
}

dnnl_status_t rnn_append_step_product(struct rnn *rnn, struct rnn_step *step,
                                      const struct rnn_step_product *product) {
    const struct rnn_operand from = rnn_operand(rnn, product->src, step, product->before),
                             to = rnn_operand(rnn, product->dst, step, false);
    md_t weights;
    TRY(rnn_weights_view(rnn, product->weights, step, product->gate, product->gates, &weights));
    const md_t src = rows_of(rnn, product->src, &from, product->src_gate, weights.dims[0]),
               dst = rows_of(rnn, product->dst, &to, product->dst_gate, weights.dims[1]);
    const struct program *program = rnn->plan->program;
    int before = program->nlaunches;
    TRY(rnn_append_product(rnn, &(struct rnn_product){product->src->arg, product->weights->arg,
                                                      product->dst->arg, &src, &weights, &dst, false}));
    step->loops = step->loops && program->nlaunches == before + 1
                  && gemm_set_steps(program->launches[before], from.step, to.step);
    return dnnl_success;
}

struct rnn_params *rnn_launch(struct rnn *rnn, int op, dnnl_dim_t channels) {
    struct plan *plan = rnn->plan;
    const struct problem *problem = rnn->problem;
    bool lanes = plan->implementation->data != NULL;
    dnnl_dim_t items = rnn->batch * (lanes ? divide_up(channels, RNN_CHUNK) : channels);
    struct launch *launch;
    struct rnn_params *p = plan_launch(plan, lanes ? &kernel_rnn_cell_16 : &kernel_rnn_cell_items,
                                       range_of_items(items, full_group(plan->device)), &launch);
    if (!p) return NULL;
    p->op = op;
    p->activation = problem->activation_kind == dnnl_eltwise_tanh       ? RNN_TANH
                    : problem->activation_kind == dnnl_eltwise_logistic ? RNN_LOGISTIC
                                                                        : RNN_RELU;
    p->alpha = problem->alpha;
    p->scale = plan->attr.rnn.scale, p->shift = plan->attr.rnn.shift;
    p->rows = rnn->batch, p->channels = channels;
    launch_bind(launch, ARG_SCRATCHPAD);
    launch_bind(launch, rnn->training ? DNNL_ARG_WORKSPACE : ARG_NOTHING);
    return p;
}

dnnl_status_t rnn_constants(struct plan *plan, const float *values, dnnl_dim_t period, dnnl_dim_t count,
                            dnnl_dim_t *offset) {
    const dnnl_dim_t most = period == 1 ? count : RNN_CONSTANTS;
    *offset = (dnnl_dim_t)(plan_scratchpad(plan, (size_t)count * sizeof(float)) / sizeof(float));
    for (dnnl_dim_t first = 0; first < count; first += most) {
        struct launch *launch;
        const dnnl_dim_t piece = count - first < most ? count - first : most;
        struct rnn_constants_params *p = plan_launch(
                plan, &kernel_rnn_constants,
                range_of_items(divide_up(piece, RNN_CONSTANTS_EACH), full_group(plan->device)), &launch);
        if (!p) return dnnl_out_of_memory;
        p->offset = *offset + first, p->count = piece, p->period = period == 1 ? 1 : piece;
        for (dnnl_dim_t i = 0; i < p->period; i++)
            p->values[i] = values[(first + i) % period];
        launch_bind(launch, ARG_SCRATCHPAD);
    }
    return dnnl_success;
}

void rnn_bind(const struct rnn *rnn, struct rnn_params *p, const struct rnn_step *step,
              const struct rnn_binding *bindings, size_t count) {
    for (size_t i = 0; i < count; i++)
        p->operands[bindings[i].operand] = rnn_operand(rnn, bindings[i].area, step, bindings[i].before);
}

dnnl_status_t rnn_fetch(struct rnn *rnn, int arg, const char *tag, md_t *md) {
    md_t *user = problem_md(&rnn->plan->problem, arg);
    *md = (md_t){0};
    if (!user) return dnnl_success;
    TRY(md_set_any(user, tag));
    TRY(md_init_by_string(md, user->ndims, user->dims, dnnl_f32, tag));
    plan_place(rnn->plan, md);
    return append_reorder(rnn->plan, arg, user, ARG_SCRATCHPAD, md, NULL);
}
