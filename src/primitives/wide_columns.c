/* SPDX-License-Identifier: Apache-2.0 */
/* Wide columns of matrix products: see wide_columns.h. */
#include "primitives/wide_columns.h"
#include "base/round.h"
#include "primitives/conv_parts.h"

/* Vectors that the sums of a row take for each input and row of taps: `taps` of `outputs` for each column.
 * Tiles of fewer than 8 vectors wait for the latency of fma. */
static dnnl_dim_t row_cost(const struct gemm_tile_shape *tile, dnnl_dim_t taps, dnnl_dim_t columns,
                           dnnl_dim_t outputs) {
    enum { LATENCY = 8 };
    const dnnl_dim_t vectors = divide_up(outputs, tile->panel / 2), panels = divide_up(vectors, 2),
                     tiles = divide_up(columns, tile->height), all = columns * vectors,
                     least = tiles * panels * LATENCY;
    return taps * (all > least ? all : least);
}

static dnnl_dim_t wide_cost(const struct gemm_tile_shape *tile, const struct gemm_conv *c, dnnl_dim_t wide,
                            dnnl_dim_t positions) {
    const dnnl_dim_t taps = conv_wide_span(&c->window, wide).taps;
    return row_cost(tile, taps, divide_up(positions, wide), wide * c->outputs);
}

/* Results are stored as they are, and adjacent positions are dense: in the user's dst, or before it is moved.
 */
static bool fits(const struct plan *plan, const struct gemm_conv *c) {
    const md_t *dst = problem_md(&plan->problem, DNNL_ARG_DST);
    const bool ours = md_is_plain(dst) && (dst->blocking.strides[1] == 1 || dst->dims[1] == 1),
               bare = attr_only_has(&plan->attr, ATTR_FPMATH | ATTR_ACCUMULATION);
    return c->transposed && c->groups == 1 && c->merged == 1 && c->outputs > 0 && c->window.step[2] == 1
           && bare && !problem_md(&plan->problem, DNNL_ARG_BIAS)
           && (!ours || dst->blocking.strides[dst->ndims - 1] == dst->dims[1]);
}

static dnnl_dim_t positions_of(const struct plan *plan) {
    const md_t *dst = problem_md(&plan->problem, DNNL_ARG_DST);
    return dst->dims[dst->ndims - 1];
}

static dnnl_dim_t plain_cost(const struct gemm_tile_shape *tile, const struct gemm_conv *c,
                             dnnl_dim_t positions) {
    return row_cost(tile, c->window.taps[2], divide_up(positions, c->window.stride[2]), c->outputs);
}

/* Columns of more vectors would repeat src for fewer positions each. */
static dnnl_dim_t best_count(const struct gemm_tile_shape *tile, const struct gemm_conv *c,
                             dnnl_dim_t positions, dnnl_dim_t *cost) {
    enum { MOST_VECTORS = 8 };
    const dnnl_dim_t stride = c->window.stride[2], most = MOST_VECTORS * tile->panel / 2;
    dnnl_dim_t best = 1;
    *cost = plain_cost(tile, c, positions);
    for (dnnl_dim_t wide = stride; wide <= positions && wide * c->outputs <= most; wide += stride) {
        const dnnl_dim_t now = wide > 1 ? wide_cost(tile, c, wide, positions) : *cost;
        if (now < *cost) best = wide, *cost = now;
    }
    return best;
}

dnnl_dim_t wide_columns_count(const struct plan *plan, const struct gemm_conv *c) {
    const struct gemm_tile_shape *tile = gemm_tile_of(plan);
    dnnl_dim_t cost;
    return tile->type == &gemm_f32 && fits(plan, c) ? best_count(tile, c, positions_of(plan), &cost) : 1;
}

/* Pairs take about two thirds of the time of f32. Measured 2026-11-19 on a Zen 5. */
bool wide_columns_beat_pairs(const struct plan *plan, const struct gemm_conv *c) {
    const struct gemm_tile_shape *tile = gemm_tile_of(plan);
    const dnnl_dim_t positions = positions_of(plan);
    dnnl_dim_t cost;
    if (tile != &gemm_bf16_14x32 || !fits(plan, c)) return false;
    best_count(&gemm_14x32, c, positions, &cost);
    return 3 * cost < 2 * plain_cost(tile, c, positions);
}

const char *wide_columns_tag(int ndims) {
    static const char *const inputs_first[] = {[3] = "bca", [4] = "bcda", [5] = "bcdea"};
    return inputs_first[ndims];
}

/* Weights as an image of each input, whose channels are the outputs, with zeros around rows. */
static dnnl_status_t pad_weights(struct plan *plan, dnnl_dim_t front, dnnl_dim_t length,
                                 struct image *padded) {
    static const int exchanged[] = {1, 0, 2, 3, 4};
    const md_t *user = problem_md(&plan->problem, DNNL_ARG_WEIGHTS);
    md_t md;
    TRY(md_permute(&md, user, exchanged));
    *padded = image_of(DNNL_ARG_WEIGHTS, &md);
    const dnnl_dim_t own = padded->size[2], outputs = padded->channels, before[3] = {0, 0, front},
                     size[3] = {padded->size[0], padded->size[1], length};
    const bool dense = is_dense_image(&md) && (own == 1 || padded->stride[2] == outputs);
    if (dense && length == own) return dnnl_success;
    if (!dense) return gemm_move_image(plan, DNNL_ARG_WEIGHTS, &md, before, size, padded);
    struct image unpadded = *padded;
    return gemm_copy_padded(plan, &unpadded, before, size, padded);
}

/* Position r of a place uses, `t` positions of src after the first, tap r + padding - (first + t) * stride.
 * So where the outputs of taps lie one after the other, those of the positions do, too. */
dnnl_status_t wide_columns_pack(struct plan *plan, const struct gemm_conv *c, struct gemm_view *view) {
    const struct window *w = &c->window;
    const struct conv_span span = conv_wide_span(w, c->wide);
    const dnnl_dim_t origin = w->padding[2] - span.first * w->stride[2],
                     lowest = origin - (span.taps - 1) * w->stride[2], front = lowest < 0 ? -lowest : 0,
                     end = origin + c->wide, lanes = gemm_panel(plan) / 2, outputs = c->wide * c->outputs;
    struct image padded;
    dnnl_dim_t group;
    TRY(pad_weights(plan, front, front + (end > w->taps[2] ? end : w->taps[2]), &padded));
    const struct gemm_weights weights = {
            .groups = 1,
            .outputs = outputs,
            .inputs = c->inputs,
            .size = {w->taps[0], w->taps[1], span.taps},
            .merged = 1,
            .offset = padded.offset + (front + origin) * c->outputs,
            .output = 1,
            .input = padded.batch_stride,
            .stride = {padded.stride[0], padded.stride[1], -w->stride[2] * c->outputs},
            .width = outputs <= lanes ? lanes : 0};
    view->weights = (struct gemm_operand){.arg = padded.arg, .offset = padded.offset};
    return gemm_pack(plan, &weights, view, &group);
}
