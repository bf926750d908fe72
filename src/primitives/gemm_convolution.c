/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Convolution, deconvolution and inner product as implicit matrix products over channels-last activations and
 * weights in panels: strides move the window, so nothing is unrolled in memory. Layouts that the kernels do
 * not read need a copy first, and so does padding, unless it is left out by the kernels.
 */
#include "base/round.h"
#include "kernels/params_gemm.h"
#include "primitives/apart.h"
#include "primitives/conv_parts.h"
#include "primitives/convolution.h"
#include "primitives/gemm.h"
#include "primitives/primitives.h"
#include "primitives/wide_columns.h"
#include "primitives/window.h"

#include <stdio.h>
#include <string.h>

struct gemm_conv gemm_conv_of(const struct problem *problem, bool grouped) {
    const md_t *weights = problem_md(problem, DNNL_ARG_WEIGHTS), *src = problem_md(problem, DNNL_ARG_SRC);
    struct window window = window_over(src);
    if (problem->kind != dnnl_inner_product) window_init(&window, problem, src);
    return (struct gemm_conv){.groups = grouped ? weights->dims[0] : 1,
                              .outputs = weights->dims[grouped],
                              .inputs = weights->dims[grouped + 1],
                              .merged = 1,
                              .wide = 1,
                              .window = window_from_last(&window, src->ndims - 2),
                              .transposed = problem->kind == dnnl_deconvolution};
}

bool gemm_clips(const struct gemm_conv *conv, const dnnl_dim_t out[3], dnnl_dim_t need[3]) {
    const struct window *w = &conv->window;
    bool clips = false;
    for (int i = 0; i < 3; i++) {
        need[i] = (out[i] - 1) * w->stride[i] + (w->taps[i] - 1) * w->step[i] + 1;
        clips = clips || w->padding[i] != 0 || need[i] > w->size[i];
    }
    return clips;
}

bool gemm_is_grouped(const struct problem *problem) {
    return problem_md(problem, DNNL_ARG_WEIGHTS)->ndims > problem_md(problem, DNNL_ARG_SRC)->ndims;
}

dnnl_status_t gemm_set_any_layouts(struct plan *plan, const char *panels) {
    static const int args[] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_BIAS, DNNL_ARG_DST};
    for (size_t i = 0; i < sizeof args / sizeof args[0]; i++) {
        md_t *md = problem_md(&plan->problem, args[i]);
        if (!md) continue;
        TRY(md_set_any(md, args[i] == DNNL_ARG_WEIGHTS ? panels
                           : args[i] == DNNL_ARG_BIAS  ? "a"
                                                       : channels_last(md->ndims)));
        if (!md_is_blocked(md)) return plan_skip(plan, "a layout is not blocked");
    }
    return dnnl_success;
}

dnnl_status_t gemm_set_layouts(struct plan *plan, const char *panels) {
    const md_t *src = problem_md(&plan->problem, DNNL_ARG_SRC),
               *dst = problem_md(&plan->problem, DNNL_ARG_DST);
    const md_t *weights = problem_md(&plan->problem, DNNL_ARG_WEIGHTS);
    TRY(gemm_set_any_layouts(plan, panels));
    if (!md_is_plain(src) || !md_is_plain(dst)) return plan_skip(plan, "activations are blocked");
    if (!md_is_plain(weights) && !md_matches_tag(weights, panels))
        return plan_skip(plan, "weights are blocked");
    return dnnl_success;
}

/* The layout of weights: panels, or plain where groups are merged. */
static void weights_tag(const struct plan *plan, const struct gemm_conv *c, bool grouped, char *tag,
                        size_t size) {
    const int ndims = problem_md(&plan->problem, DNNL_ARG_WEIGHTS)->ndims;
    if (c->wide > 1)
        snprintf(tag, size, "%s", wide_columns_tag(ndims));
    else if (c->merged > 1)
        snprintf(tag, size, "%.*s", ndims, "abcdef");
    else
        gemm_weights_tag(plan, ndims, grouped, tag, size);
}

static dnnl_status_t choose_layouts(struct plan *plan, const struct gemm_conv *c, bool grouped) {
    char tag[32];
    weights_tag(plan, c, grouped, tag, sizeof tag);
    return gemm_set_any_layouts(plan, tag);
}

/* Can groups be merged while their weights are packed? */
static bool merges_groups(const struct plan *plan) {
    const struct gemm_type *type = gemm_tile_of(plan)->type;
    return type->bytes != 2;
}

/* Are these plain weights packed by the kernels of pack.cl? Two bytes that are dense neither along inputs nor
 * along outputs are packed by reorders, and so are eight bytes, unless groups are merged. */
static bool packs_weights(const struct plan *plan, const struct gemm_conv *c, const md_t *md, bool grouped) {
    const struct gemm_type *type = gemm_tile_of(plan)->type;
    const dnnl_dim_t *strides = md->blocking.strides;
    return (type->pack || c->merged > 1)
           && (type->bytes != 2 || strides[grouped] == 1 || strides[grouped + 1] == 1);
}

/* Groups that do not fill a panel, or whose input channels the kernels cannot read alone, are merged until
 * they do. */
static dnnl_status_t merge_groups(const struct plan *plan, struct gemm_conv *c) {
    enum { MOST_PANELS = 4 };
    const dnnl_dim_t panel = gemm_panel(plan), all = c->groups;
    bool fit = c->outputs >= panel / 2 && gemm_depth(plan, c->inputs) == c->inputs;
    if (all == 1 || fit) return dnnl_success;
    if (!merges_groups(plan)) return plan_skip(plan, "groups are narrow");
    dnnl_dim_t n = 2;
    while (n < all
           && (all % n != 0 || c->outputs * n < panel || gemm_depth(plan, c->inputs * n) != c->inputs * n))
        n++;
    if (c->outputs * n > MOST_PANELS * panel && c->outputs < panel / 2)
        return plan_skip(plan, "groups are narrow, and their number has no suitable divisor");
    c->merged = n;
    c->groups /= n, c->outputs *= n, c->inputs *= n;
    return dnnl_success;
}

static struct gemm_operand bias_of(const struct plan *plan) {
    const md_t *bias = problem_md(&plan->problem, DNNL_ARG_BIAS);
    if (!bias) return (struct gemm_operand){.arg = ARG_NOTHING};
    return (struct gemm_operand){.arg = DNNL_ARG_BIAS, .offset = bias->offset0, .type = (int)bias->data_type};
}

/* Do the kernels read the user's types? */
static bool keeps_types(const struct plan *plan) {
    return gemm_tile_of(plan)->type->reads == dnnl_data_type_undef;
}

/* The type that the kernels read. */
static dnnl_data_type_t type_read(const struct plan *plan, const md_t *md) {
    return keeps_types(plan) ? md->data_type : gemm_tile_of(plan)->type->reads;
}

static struct conv_parts parts_of(const struct gemm_conv *c, const dnnl_dim_t dst[3]) {
    return (struct conv_parts){.window = c->window,
                               .dst = {dst[0], dst[1], dst[2]},
                               .transposed = c->transposed,
                               .wide = c->wide};
}

/* Is src one that the kernels read, apart from padding? */
static bool is_dense(const struct plan *plan, const md_t *src) {
    bool ours = md_is_plain(src) && src->data_type == type_read(plan, src);
    return ours && (src->blocking.strides[1] == 1 || src->dims[1] == 1);
}

/* Windows whose border the kernels of bf16 and of bytes with VNNI compute in registers. */
static bool is_simple_border(const struct plan *plan, const struct gemm_conv *c) {
    const unsigned dots = HAS_WIDE_VECTORS | HAS_INTEGER_DOT;
    const struct device_info *device = &plan->device->info;
    const struct gemm_type *type = gemm_tile_of(plan)->type;
    const bool has =
            type == &gemm_bf16
            || (type == &gemm_int8 && device->forms & FORM_NATIVE && (device->features & dots) == dots);
    const struct window *w = &c->window;
    return has && w->taps[2] == 3 && w->padding[2] == 1 && w->step[2] == 1
           && (w->stride[2] == 1 || !c->transposed);
}

/* The least steps per tap for which columns at the border are worth computing; 0: none are. */
static int steps_at_edges(const struct plan *plan, const struct gemm_conv *c) {
    enum { STEPS = 16, STEPS_TAP_BY_TAP = 64 };
    const struct gemm_type *type = gemm_tile_of(plan)->type;
    if (type == &gemm_f32 || is_simple_border(plan, c)) return STEPS;
    return type == &gemm_bf16 || type == &gemm_int8 ? STEPS_TAP_BY_TAP : 0;
}

/* Is padding left to the kernels, instead of copying src? With few steps per tap, the copy costs less than
 * computing columns at the border tap by tap; few columns would wait for each other's sums. Measured
 * 2026-11-18 on an EPYC (Zen 4), f32: 512 channels of 7x7 took 829 us instead of 914, 128 of 5x5 591 instead
 * of 677, but with AVX2, where 7 columns are tiles of 4 and 3, 1234 instead of 976. bf16 and u8 tap
 * by tap need more steps: u8 with 64 and 128 channels was slower, with 256 at most as slow, with 512 of 7x7
 * 0.91 of the time; in registers u8 with 64 and 128 takes 0.94 to 0.97 of it, bf16 0.95 (EPYC, Zen 5). Matrix
 * tiles at the border cost hardly more than others. */
static bool computes_edges(const struct plan *plan, const struct gemm_conv *c, const struct conv_reach *reach,
                           const struct image *dst) {
    const struct gemm_tile_shape *tile = gemm_tile_of(plan);
    const int steps = steps_at_edges(plan, c);
    const dnnl_dim_t apart = c->wide > 1     ? c->wide
                             : c->transposed ? c->window.stride[2]
                                             : 1,
                     columns = divide_up(dst->size[2], apart);
    const bool deep = steps > 0 && c->inputs / tile->type->quad >= steps;
    const bool many = deep && columns > 0 && columns / divide_up(columns, tile->height) > GEMM_FEW_COLUMNS;
    const bool dense = is_dense(plan, problem_md(&plan->problem, DNNL_ARG_SRC));
    return (many || tile->type->tiles) && reach->clipped && columns > 0 && gemm_reads_src(plan, c->inputs)
           && (dense || (tile->type->tiles && !keeps_types(plan)));
}

/* The image that the kernel reads: the user's src, or a padded channels-last copy. */
static dnnl_status_t prepare_src(struct plan *plan, const struct gemm_conv *c, const struct conv_reach *reach,
                                 struct image *src) {
    const md_t user = *problem_md(&plan->problem, DNNL_ARG_SRC);
    const bool dense = is_dense(plan, &user);
    md_t moved = user;
    if (!dense && !keeps_types(plan))
        return gemm_move_padded(plan, DNNL_ARG_SRC, reach->front, reach->size, src);
    if (!dense) {
        TRY(gemm_scratch_md(plan, &user, user.data_type, channels_last(user.ndims), &moved));
        TRY(append_reorder(plan, DNNL_ARG_SRC, &user, ARG_SCRATCHPAD, &moved, NULL));
    }
    *src = image_of(dense ? DNNL_ARG_SRC : ARG_SCRATCHPAD, &moved);
    if (!reach->clipped && gemm_reads_src(plan, c->inputs)) return dnnl_success;
    struct image unpadded = *src;
    return gemm_copy_padded(plan, &unpadded, reach->front, reach->size, src);
}

/* Weights in panels. */
static void use_panels(const struct plan *plan, int arg, const md_t *md, bool grouped,
                       struct gemm_view *view) {
    const dnnl_dim_t *strides = md->blocking.strides;
    const int spatial = md->ndims - grouped - 2;
    view->weights = (struct gemm_operand){.arg = arg, .offset = md->offset0};
    view->weights_depth = gemm_panel(plan);
    view->weights_panel = strides[grouped];
    view->weights.batch[1] = grouped ? strides[0] : 0;
    for (int i = 0; i < spatial; i++)
        view->weights_window[3 - spatial + i] = strides[grouped + 2 + i];
}

/* Packs plain weights of the kernels' type. */
static dnnl_status_t pack_weights(struct plan *plan, const struct gemm_conv *c, int arg, const md_t *md,
                                  bool grouped, struct gemm_view *view) {
    const dnnl_dim_t *strides = md->blocking.strides;
    const int spatial = md->ndims - grouped - 2;
    struct gemm_weights w = {.groups = c->groups * c->merged,
                             .outputs = c->outputs / c->merged,
                             .inputs = c->inputs / c->merged,
                             .merged = c->merged,
                             .offset = md->offset0,
                             .group = grouped ? strides[0] : 0,
                             .output = strides[grouped],
                             .input = strides[grouped + 1]};
    memcpy(w.size, c->window.taps, sizeof w.size);
    for (int i = 0; i < spatial; i++)
        w.stride[3 - spatial + i] = strides[grouped + 2 + i];
    view->weights = (struct gemm_operand){.arg = arg, .offset = md->offset0};
    dnnl_status_t status = gemm_pack(plan, &w, view, &view->weights.batch[1]);
    if (!grouped) view->weights.batch[1] = 0;
    return status;
}

/* The user's weights, if they are in panels; or a copy. */
static dnnl_status_t set_weights(struct plan *plan, const struct gemm_conv *c, bool grouped,
                                 struct gemm_view *view) {
    const md_t user = *problem_md(&plan->problem, DNNL_ARG_WEIGHTS);
    const bool ours = user.data_type == type_read(plan, &user);
    md_t moved;
    char panels[32];
    if (c->wide > 1) return wide_columns_pack(plan, c, view);
    weights_tag(plan, c, grouped, panels, sizeof panels);
    if (ours && md_is_plain(&user) && packs_weights(plan, c, &user, grouped))
        return pack_weights(plan, c, DNNL_ARG_WEIGHTS, &user, grouped, view);
    if (ours && md_matches_tag(&user, panels)) {
        use_panels(plan, DNNL_ARG_WEIGHTS, &user, grouped, view);
        return dnnl_success;
    }
    TRY(gemm_scratch_md(plan, &user, type_read(plan, &user), panels, &moved));
    TRY(append_reorder(plan, DNNL_ARG_WEIGHTS, &user, ARG_SCRATCHPAD, &moved, NULL));
    if (c->merged > 1) return pack_weights(plan, c, ARG_SCRATCHPAD, &moved, grouped, view);
    use_panels(plan, ARG_SCRATCHPAD, &moved, grouped, view);
    return dnnl_success;
}

/* Window and depth of the reduction, once src and weights are known. */
static void set_reduction(struct gemm_view *view, const struct plan *plan, const struct gemm_conv *c,
                          const struct conv_part *part, const struct conv_reach *reach,
                          const struct image *src) {
    view->depth = gemm_depth(plan, c->inputs);
    view->border = part->window;
    for (int i = 0; i < 3; i++) {
        view->window[i] = part->window.taps[i];
        view->src_window[i] = src->stride[i] * part->window.step[i];
        view->src.offset += (reach->front[i] - part->window.padding[i]) * src->stride[i];
        view->weights.offset += part->tap[i] * view->weights_window[i];
        view->weights_window[i] *= part->tap_step[i];
    }
}

/* Taps along a row as they are before merge_taps, for columns at the border. */
static void set_edges(struct gemm_view *view) {
    view->edge_depth = view->depth;
    view->edge_src = view->src_window[2], view->edge_weights = view->weights_window[2];
}

/* A row of the window that is contiguous in src and weights becomes one long step, and so do rows and planes
 * of an image that has its padding. */
static void merge_taps(struct gemm_view *view) {
    for (int i = 2; i >= (view->edge_depth > 0 ? 2 : 0); i--) {
        bool long_step = view->src_window[i] == view->depth
                         && view->weights_window[i] == view->depth * view->weights_depth;
        if (view->window[i] != 1 && !long_step) break;
        view->depth *= view->window[i];
        view->window[i] = 1;
    }
}

static void set_batches(struct gemm_view *view, const struct gemm_conv *c, const struct conv_part *part,
                        const struct image *src, const struct image *dst) {
    view->batch[0] = dst->batch, view->src.batch[0] = src->batch_stride,
    view->dst.batch[0] = dst->batch_stride;
    view->batch[1] = c->groups, view->src.batch[1] = c->inputs, view->dst.batch[1] = c->outputs;
    view->bias.batch[1] = c->outputs;
    view->batch[2] = part->places[0], view->src.batch[2] = part->window.stride[0] * src->stride[0];
    view->dst.batch[2] = part->step[0] * dst->stride[0];
    view->batch[3] = 1;
    view->batch_dim[1] = 1, view->batch_step[0] = 1, view->batch_step[1] = c->outputs;
    view->batch_dim[2] = 2, view->batch_first[2] = part->first[0], view->batch_step[2] = part->step[0];
}

/* Rows and columns of the output. Rows that are contiguous in both tensors become one long row. */
static void set_rows(struct gemm_view *view, const struct conv_part *part, const struct image *src,
                     const struct image *dst, int ndims, bool keep) {
    view->row_dim = ndims >= 4 ? ndims - 2 : 0, view->column_dim = ndims - 1, view->channel_dim = 1;
    view->row_first = part->first[1], view->row_skip = part->step[1] - 1;
    view->column_first = part->first[2], view->column_skip = part->step[2] - 1;
    view->rows = part->places[1], view->columns = part->places[2];
    view->src.row = part->window.stride[1] * src->stride[1];
    view->src.column = part->window.stride[2] * src->stride[2];
    view->dst.row = part->step[1] * dst->stride[1], view->dst.column = part->step[2] * dst->stride[2];
    for (int i = 0; i < 3; i++)
        view->dst.offset += part->first[i] * dst->stride[i];
    bool one_row = view->src.row == view->columns * view->src.column
                   && view->dst.row == view->columns * view->dst.column;
    const bool merges = !keep && one_row && view->rows > 1;
    view->skips = view->clipped && !merges;
    if (!merges) return;
    view->columns *= view->rows;
    view->rows = 1;
}

/* Padding has no zero point: then neither rows nor taps can be merged. */
static bool needs_border(const struct plan *plan, bool clipped) {
    return clipped && quants_find(&plan->attr.zero_points, DNNL_ARG_SRC);
}

/* Would the universal kernel be faster? A launch costs about as much as so many products there. */
static bool is_scattered(const struct gemm_conv *c, dnnl_dim_t batch, dnnl_dim_t parts) {
    enum { PRODUCTS = 4096 };
    const struct window *w = &c->window;
    const double taps = (double)gemm_product(w->taps, 3) * (double)gemm_product(w->size, 3),
                 products = taps * (double)(batch * c->groups) * (double)(c->inputs * c->outputs);
    return parts > CONV_MOST_PARTS
           && (parts > CONV_MOST_LARGE_PARTS || products < (double)(parts * PRODUCTS));
}

static dnnl_status_t build(struct epilogue_build *ep, const struct gemm_conv *c, bool grouped) {
    struct plan *plan = ep->plan;
    struct image src;
    struct image dst = image_of(ep->dst_arg, &ep->dst);
    const struct conv_parts parts = parts_of(c, dst.size);
    struct conv_reach reach = conv_parts_reach(&parts);
    const dnnl_dim_t count = conv_parts_count(&parts);
    const bool clipped = reach.clipped, edges = computes_edges(plan, c, &reach, &dst);
    const bool border = needs_border(plan, clipped);
    if (edges) reach = (struct conv_reach){0}; /* src is read as it is */
    if (is_scattered(c, dst.batch, count)) return plan_skip(plan, "large strides need too many launches");
    TRY(prepare_src(plan, c, &reach, &src));
    struct gemm_view whole = {.channels = c->outputs * c->wide,
                              .missing = (c->wide - 1 - (dst.size[2] - 1) % c->wide) * c->outputs,
                              .clipped = clipped,
                              .src = {.arg = src.arg, .offset = src.offset},
                              .bias = bias_of(plan),
                              .dst = {.arg = dst.arg, .offset = dst.offset}};
    TRY(set_weights(plan, c, grouped, &whole));
    for (dnnl_dim_t i = 0; i < count; i++) {
        const struct conv_part part = conv_part_at(&parts, i);
        struct epilogue_build one = *ep;
        struct gemm_view view = whole;
        one.more = i + 1 < count;
        set_reduction(&view, plan, c, &part, &reach, &src);
        if (edges) set_edges(&view);
        if (!border) merge_taps(&view);
        set_rows(&view, &part, &src, &dst, ep->dst.ndims, border || edges || gemm_needs_positions(plan));
        set_batches(&view, c, &part, &src, &dst);
        TRY(gemm_launch(&one, &view));
    }
    return dnnl_success;
}

/* Are vectors of 64 bytes too wide? One of them takes as long as two of 32 bytes where the CPU computes it in
 * halves, but more columns hide the latency of fma. Measured 2026-11-18 on a Xeon with AMX, 64 channels of
 * 56x56 to 16: 431 us instead of 711; to 8, which are one vector of 32 bytes: 433 instead of 489. CPUs with
 * matrix tiles compute 64 bytes at once. */
static bool wants_narrow(const struct plan *plan, const struct gemm_conv *c) {
    enum { NARROW = 8 };
    const bool halves = !(plan->device->info.features & HAS_MATRIX_TILES);
    return gemm_tile_of(plan) == &gemm_14x32 && (c->merged > 1 || (halves && c->outputs * c->wide <= NARROW));
}

dnnl_status_t gemm_build_convolution(struct plan *plan) {
    TRY(gemm_accepts(plan));
    TRY(convolution_accepts(plan));
    bool grouped = gemm_is_grouped(&plan->problem);
    struct gemm_conv c = gemm_conv_of(&plan->problem, grouped);
    TRY(merge_groups(plan, &c));
    if (wide_columns_beat_pairs(plan, &c))
        return plan_skip(plan, "few output channels: several positions at once, of f32, are faster");
    c.wide = wide_columns_count(plan, &c);
    if (wants_narrow(plan, &c)) return plan_skip(plan, "few output channels: a narrower tile wastes less");
    struct epilogue_build ep;
    TRY(choose_layouts(plan, &c, grouped));
    if (gemm_is_bare(plan) && apart_has_rest(&plan->attr))
        return apart_build(plan, primitive_implementations(&plan->problem));
    TRY(gemm_begin(&ep, plan, 1));
    struct gemm_results results;
    TRY(gemm_move_results(&ep, &results));
    TRY(build(&ep, &c, grouped));
    return gemm_deliver_results(&ep, &results);
}

/* The batch becomes the columns: image n of src is column n of a single row. */
dnnl_status_t gemm_build_inner_product(struct plan *plan) {
    TRY(gemm_accepts(plan));
    const struct gemm_conv c = gemm_conv_of(&plan->problem, false);
    TRY(choose_layouts(plan, &c, false));
    const md_t *out = problem_md(&plan->problem, DNNL_ARG_DST);
    if (!md_is_plain(out) || (out->blocking.strides[1] != 1 && out->dims[1] != 1))
        return plan_skip(plan, "dst is not dense");
    const bool pairs = gemm_tile_of(plan)->type->quad == 2;
    if ((gemm_depth(plan, 1) == 1 || (pairs && gemm_reads_plain(plan, out->dims[0])))
        && md_is_plain(problem_md(&plan->problem, DNNL_ARG_WEIGHTS)))
        return plan_skip(plan, "plain weights, which are faster without a copy");
    if (gemm_is_bare(plan) && apart_has_rest(&plan->attr)) return apart_build(plan, inner_product_forward);
    struct epilogue_build ep;
    TRY(gemm_begin(&ep, plan, 1));
    struct image src;
    struct image dst = image_of(ep.dst_arg, &ep.dst);
    const struct conv_parts parts = parts_of(&c, (const dnnl_dim_t[]){1, 1, 1});
    const struct conv_part part = conv_part_at(&parts, 0);
    const struct conv_reach reach = conv_parts_reach(&parts);
    TRY(prepare_src(plan, &c, &reach, &src));
    struct gemm_view view = {.channels = c.outputs,
                             .batch = {1, 1, 1, 1},
                             .rows = 1,
                             .columns = dst.batch,
                             .channel_dim = 1,
                             .src = {.arg = src.arg, .offset = src.offset, .column = src.batch_stride},
                             .bias = bias_of(plan),
                             .dst = {.arg = dst.arg, .offset = dst.offset, .column = dst.batch_stride}};
    TRY(set_weights(plan, &c, false, &view));
    set_reduction(&view, plan, &c, &part, &reach, &src);
    merge_taps(&view);
    return gemm_launch(&ep, &view);
}
