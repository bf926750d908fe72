/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Planning for the matrix products of bytes: see gemm.h. The kernels multiply unsigned bytes by signed
 * weights. Signed src is copied with 128 added, but not for matrix tiles, which take it as it is. That
 * offset, and a zero point of src, are compensated with the sums of the columns of weights, which a separate
 * launch computes.
 */
#include "primitives/tensor.h"
#include "base/round.h"
#include "kernels/params_int8_gemm.h"
#include "primitives/check.h"
#include "primitives/gemm.h"
#include "primitives/product.h"

#include <math.h>

static const md_t *tensor(const struct plan *plan, int arg) {
    return problem_md(&plan->problem, arg);
}

static bool zero_points_fit(const struct quants *zero_points) {
    const struct quant *of_src = quants_find(zero_points, DNNL_ARG_SRC);
    return (!of_src || of_src->mask == 0) && !quants_find(zero_points, DNNL_ARG_WEIGHTS);
}

static dnnl_status_t accepts(const struct plan *plan) {
    enum { PARTS = ATTR_POST_OPS | ATTR_SCALES | ATTR_ZERO_POINTS | ATTR_FPMATH | ATTR_ACCUMULATION };
    const unsigned results = BIT(dnnl_f32) | BIT(dnnl_s32) | TYPES_INT8 | BIT(dnnl_bf16) | BIT(dnnl_f16);
    const md_t *bias = tensor(plan, DNNL_ARG_BIAS);
    if (!in_set(TYPES_INT8, tensor(plan, DNNL_ARG_SRC)->data_type)
        || tensor(plan, DNNL_ARG_WEIGHTS)->data_type != dnnl_s8)
        return plan_skip(plan, "src is not s8 or u8, or weights are not s8");
    if (!in_set(results, tensor(plan, DNNL_ARG_DST)->data_type)
        || (bias && !in_set(results, bias->data_type)))
        return plan_skip(plan, "unsupported type of dst or bias");
    if (!attr_only_has(&plan->attr, PARTS))
        return plan_skip(plan, "attributes other than post-ops, scales and zero points");
    if (!gemm_scales_fit(plan)) return plan_skip(plan, "scales change within a sum");
    if (!zero_points_fit(&plan->attr.zero_points))
        return plan_skip(plan, "zero points of weights, or several of src");
    return dnnl_success;
}

/* Tiles are no faster for one column, and do not sum the weights together with the product. Measured
 * 2026-11-18 on a Xeon with AMX: 1x4096 by 4096x4096 with a zero point took 1240 us instead of 570. */
static dnnl_status_t accepts_tiles(const struct plan *plan) {
    const md_t *dst = tensor(plan, DNNL_ARG_DST);
    const int channel = plan->problem.kind == dnnl_matmul ? dst->ndims - 1 : 1;
    dnnl_dim_t columns = 1;
    for (int d = 0; d < dst->ndims; d++)
        if (d != channel) columns *= dst->dims[d];
    if (columns == 1) return plan_skip(plan, "a single column");
    return accepts(plan);
}

static bool is_tiles(const struct plan *plan) {
    return gemm_tile_of(plan)->type->tiles;
}

static i32 shift_of(const struct plan *plan) {
    return tensor(plan, DNNL_ARG_SRC)->data_type == dnnl_s8 && !is_tiles(plan) ? 128 : 0;
}

/* Weights that are dense along the reduction are not packed for few rows. */
enum { DOT_WIDTH = 32 };
static const struct gemm_tile_shape dot_12x32 = {&gemm_int8, 12,  DOT_WIDTH, &kernel_int8_dot_12x32,
                                                 NULL,       NULL};

static bool is_dots(const struct gemm_view *view) {
    return view->weights_depth == 1;
}

/* If weights are used for only one column or are not packed, they are summed together with the product. */
static i32 sums_of(const struct plan *plan, const struct gemm_view *view) {
    bool needed = shift_of(plan) != 0 || quants_find(&plan->attr.zero_points, DNNL_ARG_SRC);
    bool single = !view->clipped && view->rows == 1 && view->columns == 1 && !is_tiles(plan);
    for (int d = 0; d < GEMM_VIEW_BATCHES; d++)
        single = single && (view->batch[d] == 1 || view->weights.batch[d] != 0);
    return !needed ? SUMS_NONE : single || is_dots(view) ? SUMS_OWN : SUMS_BUFFER;
}

/* Adds the launch that sums the columns of weights into scratchpad: whole columns, or tap by tap. */
static dnnl_status_t add_sums(struct plan *plan, const struct gemm_view *view, dnnl_dim_t taps, i64 *offset,
                              i64 strides[GEMM_BATCHES]) {
    dnnl_dim_t panels = gemm_panels(plan, view->channels), stride = panels * gemm_panel(plan), batches = 1;
    struct launch *launch;
    struct column_sums_params *p = plan_launch(plan, &kernel_int8_column_sums_32, (struct range){0}, &launch);
    if (!p) return dnnl_out_of_memory;
    p->weights_offset = view->weights.offset;
    p->weights_panel = view->weights_panel;
    p->depth = view->depth;
    for (int i = 0; i < 3; i++)
        p->window[i] = view->window[i], p->weights_window[i] = view->weights_window[i];
    for (int d = GEMM_BATCHES - 1; d >= 0; d--) {
        bool own = view->weights.batch[d] != 0;
        p->batch[d] = own ? view->batch[d] : 1;
        p->weights_batch[d] = view->weights.batch[d];
        strides[d] = own ? stride * batches : 0;
        batches *= p->batch[d];
    }
    size_t size = (size_t)(stride * batches * taps) * sizeof(i32);
    p->dst_offset = (i64)(plan_scratchpad(plan, size) / sizeof(i32));
    *offset = p->dst_offset;
    launch->range = range_of_groups(taps, panels, batches);
    launch_bind(launch, view->weights.arg);
    launch_bind(launch, ARG_SCRATCHPAD);
    return dnnl_success;
}

static dnnl_status_t find_quants(struct epilogue_build *ep, struct int8_gemm_params *p) {
    const struct gemm_dims dims = gemm_dims_of(ep->plan);
    TRY(gemm_find_scales(ep, &p->gemm.epilogue));
    return epilogue_zero_point(ep, &p->src_zero_point, DNNL_ARG_SRC, dims.src);
}

/* A relu or clip as limits; false: another function. */
static bool limit_of(const struct post_op *op, struct int8_fused *fused) {
    int alg = op->kind == dnnl_eltwise ? eltwise_code(op->eltwise.alg) : 0;
    if (alg != ELTWISE_RELU && alg != ELTWISE_CLIP) return false;
    bool clip = alg == ELTWISE_CLIP || op->eltwise.alpha == 0;
    fused->limit = clip ? INT8_LIMIT_CLIP : INT8_LIMIT_RELU;
    fused->low = op->eltwise.alpha;
    fused->high = alg == ELTWISE_CLIP ? op->eltwise.beta : INFINITY;
    return true;
}

/* The sum of the results and the earlier dst; false: that has another kind of type, or floats have a zero
 * point. */
static bool sum_of(const struct post_op *op, const md_t *dst, struct int8_fused *fused) {
    dnnl_data_type_t type = op->sum.data_type == dnnl_data_type_undef ? dst->data_type : op->sum.data_type;
    bool sign = type == dnnl_s8;
    if (fused->floats ? type != dnnl_f32 || op->sum.zero_point != 0 : !in_set(TYPES_INT8, type)) return false;
    fused->sum = 1;
    fused->flip = sign ? 0x80 : 0;
    fused->sum_scale = op->sum.scale;
    fused->sum_zero = (float)op->sum.zero_point + (sign ? 128 : 0);
    return true;
}

static void describe_types(const md_t *dst, struct int8_fused *fused) {
    bool sign = dst->data_type == dnnl_s8;
    fused->floats = dst->data_type == dnnl_f32;
    fused->on = fused->floats || in_set(TYPES_INT8, dst->data_type);
    fused->least = fused->floats ? -INFINITY : sign ? -128 : 0;
    fused->most = fused->floats ? INFINITY : sign ? 127 : 255;
    fused->nan = sign ? -128 : 255;
}

static bool varies(const struct quants *quants, int arg) {
    const struct quant *quant = quants_find(quants, arg);
    return quant && quant->mask != 0;
}

/* The end of a tile in one pass, if the attributes allow it: see struct int8_fused. */
static struct int8_fused fuse(const struct plan *plan) {
    const attr_t *attr = &plan->attr;
    const struct post_op *op = attr->post_ops.entries, *end = op + attr->post_ops.len;
    const md_t *dst = tensor(plan, DNNL_ARG_DST);
    const int channel = plan->problem.kind == dnnl_matmul ? dst->ndims - 1 : 1;
    const bool dense = md_is_plain(dst) && (dst->blocking.strides[channel] == 1 || dst->dims[channel] == 1);
    struct int8_fused fused = {0};
    describe_types(dst, &fused);
    if (op < end && op->kind == dnnl_sum && dense && sum_of(op, dst, &fused)) op++;
    if (op < end && limit_of(op, &fused)) op++;
    fused.on = fused.on && op == end && !varies(&attr->scales, DNNL_ARG_SRC)
               && !varies(&attr->scales, DNNL_ARG_DST) && !varies(&attr->zero_points, DNNL_ARG_DST);
    return fused;
}

static bool fuses(const struct plan *plan) {
    return fuse(plan).on;
}

/* What follows the sums of a tile, once the epilogue is complete. */
static void describe_end(const struct epilogue_build *ep, struct int8_gemm_params *p) {
    p->bare = product_keeps_integers(ep);
    p->fused = fuse(ep->plan);
    p->fused.on = p->fused.on && ep->direct && !p->bare && !p->clipped;
    gemm_describe_end(&p->gemm.epilogue, &p->gemm.scaled, &p->gemm.finished);
}

/* A work-item computes several tiles, because what they share costs as much as a tile of short sums; the more
 * of them, the more work-items there are. */
static dnnl_dim_t tiles_each(const struct gemm_view *view, dnnl_dim_t tiles, dnnl_dim_t panels) {
    enum { ITEMS = 8 };
    dnnl_dim_t items = tiles * panels * view->rows * gemm_product(view->batch, GEMM_VIEW_BATCHES);
    dnnl_dim_t each = INT8_GEMM_COLUMNS / INT8_GEMM_HEIGHT;
    while (each > 1 && items / each < ITEMS * each)
        each /= 2;
    return each;
}

/* Short rows: a work-item computes several, because the weights are what it loads or widens most. */
static dnnl_dim_t rows_each(const struct gemm_view *view, dnnl_dim_t tiles, dnnl_dim_t panels) {
    enum { ENOUGH_ITEMS = 16 };
    const dnnl_dim_t others = panels * gemm_product(view->batch, GEMM_VIEW_BATCHES),
                     parts = divide_up(ENOUGH_ITEMS, others ? others : 1), /* of the rows, at least */
            enough = view->rows / parts, columns = view->columns ? view->columns : 1;
    const dnnl_dim_t most = tiles == 1 ? INT8_GEMM_COLUMNS / columns : 1,
                     each = enough < most ? enough : most;
    return each > 1 ? divide_up(view->rows, divide_up(view->rows, each)) : 1;
}

static void set_range(struct gemm_params *p, const struct gemm_view *view, const struct gemm_tile_shape *tile,
                      struct launch *launch) {
    dnnl_dim_t panels = divide_up(view->channels, tile->panel);
    dnnl_dim_t spans = divide_up(p->tiles, tiles_each(view, p->tiles, panels));
    dnnl_dim_t span = divide_up(view->columns, spans ? spans : 1);
    p->tile = span;
    p->tiles = divide_up(view->columns, span ? span : 1);
    p->run = rows_each(view, p->tiles, panels);
    struct gemm_view runs = *view;
    runs.rows = divide_up(view->rows, p->run);
    launch->range = gemm_range(&runs, tile, p->tiles);
}

static dnnl_status_t launch_product(struct epilogue_build *ep, struct gemm_view *view) {
    struct plan *plan = ep->plan;
    const struct gemm_tile_shape *tile = is_dots(view) ? &dot_12x32 : gemm_tile_of(plan);
    i32 sums = sums_of(plan, view);
    bool clipped = view->clipped && quants_find(&plan->attr.zero_points, DNNL_ARG_SRC);
    dnnl_dim_t taps = clipped ? gemm_product(view->border.taps, WINDOW_DIMS) : 1;
    i64 offset = 0, taps_offset = 0, strides[GEMM_BATCHES] = {0};
    if (sums == SUMS_BUFFER) TRY(add_sums(plan, view, 1, &offset, strides));
    if (clipped) TRY(add_sums(plan, view, taps, &taps_offset, strides));
    struct launch *launch;
    struct int8_gemm_params *p = plan_launch(plan, tile->kernel, (struct range){0}, &launch);
    if (!p) return dnnl_out_of_memory;
    gemm_fill(&p->gemm, view, tile);
    if (is_tiles(plan))
        launch->range = gemm_tiles_range(view, tile, &p->gemm);
    else if (is_dots(view))
        launch->range = gemm_range(view, tile, p->gemm.tiles);
    else
        set_range(&p->gemm, view, tile, launch);
    p->sums = sums;
    p->sums_offset = offset;
    p->clipped = clipped;
    p->taps_offset = taps_offset;
    p->taps = taps;
    for (int d = 0; d < GEMM_BATCHES; d++)
        p->sums_batch[d] = strides[d];
    p->shift = shift_of(plan);
    p->is_signed = tensor(plan, DNNL_ARG_SRC)->data_type == dnnl_s8;
    p->gemm.skips = view->skips && p->shift == 0;
    launch_bind(launch, view->src.arg);
    launch_bind(launch, view->weights.arg);
    launch_bind(launch, view->bias.arg);
    launch_bind(launch, sums == SUMS_BUFFER ? ARG_SCRATCHPAD : ARG_NOTHING);
    TRY(find_quants(ep, p));
    TRY(epilogue_end_activation(ep, launch, &p->gemm.epilogue, &p->gemm.activation));
    describe_end(ep, p);
    return dnnl_success;
}

const struct gemm_type gemm_int8 = {.bytes = 1,
                                    .quad = INT8_GEMM_QUAD,
                                    .pack = &kernel_int8_pack_panels,
                                    .accepts = accepts,
                                    .launch = launch_product,
                                    .fuses = fuses,
                                    .dot = DOT_WIDTH};

const struct gemm_type gemm_int8_tiles = {.bytes = 1,
                                          .quad = INT8_GEMM_QUAD,
                                          .pack = &kernel_int8_pack_panels,
                                          .accepts = accepts_tiles,
                                          .launch = launch_product,
                                          .fuses = fuses,
                                          .reads_signed = true,
                                          .tiles = true};
