/* SPDX-License-Identifier: Apache-2.0 */
/* Planning for the matrix-product kernels, and the parts that are specific to f32: see gemm.h. */
#include "base/round.h"
#include "primitives/tensor.h"
#include "base/verbose.h"
#include "kernels/params_gemm.h"
#include "kernels/params_int8_gemm.h"
#include "kernels/params_pack.h"
#include "primitives/check.h"
#include "primitives/gemm.h"

#include <stdio.h>

const struct gemm_tile_shape gemm_14x32 = {
        &gemm_f32, 14, 32, &kernel_f32_gemm_14x32, &kernel_f32_gemm_deep_14x32, &kernel_f32_gemm_wide_14x32};
const struct gemm_tile_shape gemm_6x16 = {
        &gemm_f32, 6, 16, &kernel_f32_gemm_6x16, &kernel_f32_gemm_deep_6x16, &kernel_f32_gemm_wide_6x16};
const struct gemm_tile_shape gemm_int8_12x32 = {&gemm_int8, 12, 32, &kernel_int8_gemm_12x32, NULL, NULL};
const struct gemm_tile_shape gemm_int8_16x32 = {&gemm_int8_tiles,        MATRIX_TILE, 32,
                                                &kernel_int8_gemm_16x32, NULL,        NULL};
const struct gemm_tile_shape gemm_bf16_14x32 = {&gemm_bf16, 14, 32, &kernel_bf16_gemm_14x32, NULL, NULL};
const struct gemm_tile_shape gemm_bf16_16x32 = {&gemm_bf16_tiles,        MATRIX_TILE, 32,
                                                &kernel_bf16_gemm_16x32, NULL,        NULL};
const struct gemm_tile_shape gemm_moved_16x32 = {&gemm_moved_tiles,       MATRIX_TILE, 32,
                                                 &kernel_bf16_gemm_16x32, NULL,        NULL};
const struct gemm_tile_shape gemm_widening_14x32 = {&gemm_widening, 14,  32, &kernel_widening_gemm_14x32,
                                                    NULL,           NULL};
const struct gemm_tile_shape gemm_widening_6x16 = {&gemm_widening, 6,   16, &kernel_widening_gemm_6x16,
                                                   NULL,           NULL};
const struct gemm_tile_shape gemm_depthwise_6x16 = {&gemm_f32, 6, 16, &kernel_f32_depthwise_6x16, NULL, NULL};

const struct gemm_tile_shape gemm_int8_depthwise_6x16 = {&gemm_int8, 6,   16, &kernel_int8_depthwise_6x16,
                                                         NULL,       NULL};

/* The tile is data of the plan's implementation. */
const struct gemm_tile_shape *gemm_tile_of(const struct plan *plan) {
    return plan->implementation->data;
}

static const struct gemm_type *type_of(const struct plan *plan) {
    return gemm_tile_of(plan)->type;
}

int gemm_panel(const struct plan *plan) {
    return gemm_tile_of(plan)->panel;
}

bool gemm_is_bare(const struct plan *plan) {
    return type_of(plan) == &gemm_f64;
}

dnnl_status_t gemm_accepts(const struct plan *plan) {
    TRY(plan_takes(plan, gemm_tile_of(plan)->kernel));
    return type_of(plan)->accepts(plan);
}

/* Is a matmul so large that its operands are widened once, to scratchpad? Smaller ones are left to the
 * kernels that widen them as they load them. */
static bool widens_once(const struct problem *problem) {
    enum { MANY_ROWS = 256, LARGEST = 1 << 24 };
    const md_t *src = problem_md(problem, DNNL_ARG_SRC), *weights = problem_md(problem, DNNL_ARG_WEIGHTS);
    return src->dims[src->ndims - 2] >= MANY_ROWS && md_nelems(weights, false) <= LARGEST
           && md_nelems(src, false) <= LARGEST;
}

/* Convolutions and large matmuls convert other floating-point types on the way to and from the kernels. */
static bool takes_type(const struct plan *plan, int arg) {
    const uint64_t floats = BIT(dnnl_f32) | BIT(dnnl_bf16) | BIT(dnnl_f16) | TYPES_FP8;
    const md_t *md = problem_md(&plan->problem, arg);
    const bool converts = plan->problem.kind == dnnl_convolution || plan->problem.kind == dnnl_deconvolution
                          || (plan->problem.kind == dnnl_matmul && widens_once(&plan->problem));
    if (!md || md->data_type == dnnl_f32) return true;
    if (!converts) return false;
    return in_set(arg == DNNL_ARG_DST ? floats | TYPES_INT8 : floats, md->data_type);
}

static dnnl_status_t f32_accepts(const struct plan *plan) {
    static const int args[] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_BIAS, DNNL_ARG_DST};
    for (size_t i = 0; i < sizeof args / sizeof args[0]; i++)
        if (!takes_type(plan, args[i])) return plan_skip(plan, "unsupported type of a tensor");
    if (!attr_only_has(&plan->attr, ATTR_POST_OPS | ATTR_DROPOUT | ATTR_ROUNDING | ATTR_FPMATH
                                            | ATTR_ACCUMULATION | ATTR_SCALES | ATTR_ZERO_POINTS))
        return plan_skip(plan, "attributes that the kernels do not apply");
    if (quants_find(&plan->attr.zero_points, DNNL_ARG_SRC)
        || quants_find(&plan->attr.zero_points, DNNL_ARG_WEIGHTS))
        return plan_skip(plan, "zero points of src or weights");
    if (!gemm_scales_fit(plan)) return plan_skip(plan, "scales change within a sum");
    return dnnl_success;
}

dnnl_dim_t gemm_depth(const struct plan *plan, dnnl_dim_t length) {
    dnnl_dim_t quad = type_of(plan)->quad;
    return divide_up(length, quad) * quad;
}

/* Are signed bytes copied, with the kernels' offset added? */
static bool adds_offset(const struct plan *plan) {
    return problem_md(&plan->problem, DNNL_ARG_SRC)->data_type == dnnl_s8 && !type_of(plan)->reads_signed;
}

bool gemm_reads_src(const struct plan *plan, dnnl_dim_t length) {
    return !adds_offset(plan) && gemm_depth(plan, length) == length;
}

/* Packing takes longer than reading weights several times. Measured 2026-11-18 on a Xeon with AMX (Sapphire
 * Rapids), rows of bf16 by 4096x4096: 8 took 1.7 ms without packing and 4.4 with it, 32 took 14.6 and 11.5.
 */
bool gemm_reads_plain(const struct plan *plan, dnnl_dim_t rows) {
    enum { FEW_FLOATS = 256, FEW_PAIRS = 8, FEW_QUADS = 4 };
    const int quad = type_of(plan)->quad;
    return rows <= (quad == 1 ? FEW_FLOATS : quad == 2 ? FEW_PAIRS : FEW_QUADS);
}

dnnl_dim_t gemm_panels(const struct plan *plan, dnnl_dim_t channels) {
    return divide_up(channels, gemm_panel(plan));
}

dnnl_dim_t gemm_product(const dnnl_dim_t *sizes, int n) {
    dnnl_dim_t p = 1;
    for (int i = 0; i < n; i++)
        p *= sizes[i];
    return p;
}

/* Weights that stay in the L2 cache are all used for a tile of src before the next one is read. Otherwise
 * each panel is used for all tiles. */
static bool panels_first(const struct gemm_view *view, const struct gemm_tile_shape *tile) {
    return view->channels * gemm_product(view->window, 3) * view->depth * tile->type->bytes
           <= gemm_blocks_of(tile)->cached;
}

/* Columns of src that are a multiple of 4 KB apart compete for the same 8 or 12 lines of the L1 cache: fewer
 * of them at a time all stay there. */
static dnnl_dim_t tile_height(const struct gemm_view *view, const struct gemm_tile_shape *tile) {
    enum { APART = 1024 };
    const int most = gemm_blocks_of(tile)->colliding;
    const bool collide = tile->type == &gemm_f32 && view->src.column % APART == 0 && view->src.column != 0;
    return collide && most > 0 && tile->height > most ? tile->height / 2 : tile->height;
}

/* So many tiles of a row by so many panels. */
static struct range range_of(const struct gemm_view *view, const struct gemm_tile_shape *tile,
                             dnnl_dim_t tiles_of_row, dnnl_dim_t panels) {
    dnnl_dim_t tiles = tiles_of_row * view->rows;
    dnnl_dim_t batches = gemm_product(view->batch, GEMM_VIEW_BATCHES);
    return panels_first(view, tile) ? range_of_groups(panels, tiles, batches)
                                    : range_of_groups(tiles, panels, batches);
}

struct range gemm_range(const struct gemm_view *view, const struct gemm_tile_shape *tile,
                        dnnl_dim_t tiles_of_row) {
    return range_of(view, tile, tiles_of_row, divide_up(view->channels, tile->panel));
}

/* Matrix tiles of a row are equally long. A work-item computes an even number of them, because pairs share
 * what they load, until what it costs to begin hardly counts; but enough work-items remain. Then either all
 * weights are read for each run, or all of src for each panel: whichever is less. */
struct range gemm_tiles_range(const struct gemm_view *view, const struct gemm_tile_shape *tile,
                              struct gemm_params *p) {
    enum { TILE_BYTES = 64 };
    const struct gemm_blocks *blocks = gemm_blocks_of(tile);
    const dnnl_dim_t bytes = view->depth * tile->type->bytes, all = p->tiles * p->rows,
                     panels = divide_up(view->channels, tile->panel),
                     batches = gemm_product(view->batch, GEMM_VIEW_BATCHES),
                     taps = gemm_product(view->window, 3),
                     each = 2 * taps * divide_up(bytes, TILE_BYTES) + blocks->end_products,
                     most = all * panels * batches / blocks->items;
    dnnl_dim_t run = blocks->run_products / each;
    if (run > most) run = most;
    if (run * p->tile * bytes > blocks->cached) run = blocks->cached / (p->tile * bytes);
    run = run > 2 ? run / 2 * 2 : 2;
    p->run = run < all ? run : all > 0 ? all : 1;
    p->runs = divide_up(all, p->run);
    p->panels_first =
            p->runs * view->channels * taps * view->depth <= panels * p->rows * p->columns * p->src_column;
    return p->panels_first ? range_of_groups(panels, p->runs, batches)
                           : range_of_groups(p->runs, panels, batches);
}

/* A product without depth reads nothing: src and weights may be null, and kernels must not move along them.
 */
static void stay_in_place(struct gemm_params *p) {
    p->src_offset = p->src_step = p->src_row = p->src_column = 0;
    p->weights_offset = p->weights_panel = p->weights_depth = 0;
    for (int i = 0; i < GEMM_BATCHES; i++)
        p->src_batch[i] = p->weights_batch[i] = 0;
    for (int i = 0; i < 3; i++)
        p->src_window[i] = p->weights_window[i] = 0;
}

void gemm_fill(struct gemm_params *p, const struct gemm_view *view, const struct gemm_tile_shape *tile) {
    p->src_offset = view->src.offset, p->weights_offset = view->weights.offset;
    p->bias_offset = view->bias.offset, p->dst_offset = view->dst.offset;
    p->src_step = view->src.step, p->dst_step = view->dst.step;
    for (int i = 0; i < GEMM_BATCHES; i++) {
        p->batch[i] = view->batch[i];
        p->src_batch[i] = view->src.batch[i], p->weights_batch[i] = view->weights.batch[i];
        p->bias_batch[i] = view->bias.batch[i], p->dst_batch[i] = view->dst.batch[i];
    }
    p->rows = view->rows, p->columns = view->columns, p->channels = view->channels;
    p->missing = view->missing;
    p->src_row = view->src.row, p->src_column = view->src.column;
    p->dst_row = view->dst.row, p->dst_column = view->dst.column;
    for (int i = 0; i < 3; i++)
        p->window[i] = view->window[i], p->src_window[i] = view->src_window[i],
        p->weights_window[i] = view->weights_window[i];
    p->depth = view->depth;
    p->border = view->border, p->skips = view->skips;
    p->edge_depth = view->edge_depth, p->edge_src = view->edge_src, p->edge_weights = view->edge_weights;
    p->weights_panel = view->weights_panel, p->weights_depth = view->weights_depth;
    p->tiles = divide_up(view->columns, tile_height(view, tile));
    p->tile = divide_up(view->columns, p->tiles ? p->tiles : 1);
    p->whole = view->columns; /* all but the last */
    p->panels_first = panels_first(view, tile);
    p->has_bias = view->bias.arg != ARG_NOTHING;
    p->bias_type = p->has_bias ? view->bias.type : TYPE_F32;
    p->row_dim = view->row_dim, p->column_dim = view->column_dim, p->channel_dim = view->channel_dim;
    p->row_first = view->row_first, p->row_step = 1 + view->row_skip;
    p->column_first = view->column_first, p->column_step = 1 + view->column_skip;
    for (int i = 0; i < GEMM_BATCHES; i++)
        p->batch_dim[i] = view->batch_dim[i], p->batch_first[i] = view->batch_first[i],
        p->batch_step[i] = view->batch_step[i];
    if (p->depth == 0) stay_in_place(p);
}

/* Does a quantisation parameter change along a dimension other than output channels? */
static bool varies(const struct plan *plan, const struct quant *quant) {
    int channel = problem_md(&plan->problem, DNNL_ARG_DST)->ndims - 1;
    if (quant->arg != DNNL_ARG_WEIGHTS) return quant->mask != 0;
    return plan->problem.kind == dnnl_matmul && (quant->mask & ~(1 << channel)) != 0;
}

bool gemm_needs_positions(const struct plan *plan) {
    const struct quants *lists[] = {&plan->attr.scales, &plan->attr.zero_points};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < lists[k]->count; i++)
            if (varies(plan, &lists[k]->entries[i])) return true;
    bool (*fuses)(const struct plan *plan) = type_of(plan)->fuses;
    if (plan->attr.dropout.enabled || attr_has_stochastic_rounding(&plan->attr)) return true;
    return plan->attr.post_ops.len > 0 && !epilogue_is_activation(&plan->attr) && !(fuses && fuses(plan));
}

dnnl_status_t gemm_begin(struct epilogue_build *ep, struct plan *plan, int channel_dim) {
    return epilogue_begin(ep, plan, &(struct epilogue_spec){.lanes = channel_dim});
}

/* A long reduction that reads its weights once is bound by memory, for which the deep and wide kernels are
 * made. With few columns and weights that no L2 cache holds, shorter ones are too. */
static bool is_long(const struct gemm_view *view, const struct gemm_blocks *blocks) {
    dnnl_dim_t weights = view->channels * view->depth;
    for (int i = 0; i < GEMM_VIEW_BATCHES; i++)
        if (view->weights.batch[i] != 0) weights *= view->batch[i];
    const bool large = weights >= blocks->large && view->columns <= blocks->few_columns;
    return view->depth >= (large ? blocks->deep_if_large : blocks->deep);
}

static bool is_matrix(const struct gemm_view *view) {
    return view->rows == 1 && gemm_product(view->window, 3) == 1 && view->edge_depth == 0;
}

static bool wants_wide(const struct gemm_view *view) {
    return is_matrix(view) && view->columns == 1;
}

static bool wants_deep(const struct gemm_view *view, const struct gemm_tile_shape *tile) {
    return is_matrix(view) && view->columns > tile->height && view->columns <= GEMM_DEEP_COLUMNS
           && is_long(view, gemm_blocks_of(tile));
}

/* Rows of src at a distance of a multiple of 1 KB compete for the same lines of the L1 cache: a copy moves
 * them apart by one line each. Measured 2026-11 on an AVX-512 server, 64 x 9216 by 9216 x 4096: 38 ms instead
 * of 56. */
static dnnl_status_t move_rows_apart(struct plan *plan, struct gemm_view *view) {
    enum { LINE = 16 };
    if (view->src.column % 256 != 0 || gemm_product(view->batch, GEMM_VIEW_BATCHES) != 1) return dnnl_success;
    struct image rows = {.arg = view->src.arg,
                         .offset = view->src.offset,
                         .batch = 1,
                         .size = {1, view->columns, 1},
                         .stride = {0, view->src.column, 0},
                         .channels = view->depth,
                         .channel_stride = 1};
    struct image apart = rows;
    size_t bytes = (size_t)(view->columns * (view->depth + LINE)) * sizeof(float);
    apart.arg = ARG_SCRATCHPAD;
    apart.offset = (dnnl_dim_t)(plan_scratchpad(plan, bytes) / sizeof(float));
    apart.stride[1] = view->depth + LINE;
    view->src.arg = apart.arg;
    view->src.offset = apart.offset;
    view->src.column = apart.stride[1];
    return gemm_copy(plan, &rows, &apart);
}

static bool is_activation(const struct epilogue_op *op) {
    return op->kind == POST_ELTWISE && (op->alg == ELTWISE_RELU || op->alg == ELTWISE_CLIP);
}

/* Is the epilogue a sum with dst, as it is, with at most an activation after it? */
static bool only_adds(const struct epilogue *epilogue) {
    const struct epilogue_op *op = &epilogue->ops[0];
    return (epilogue->nops == 1 || (epilogue->nops == 2 && is_activation(op + 1))) && op->kind == POST_SUM
           && op->alpha == 1 && op->zero_point == 0 && op->src1.type == TYPE_F32 && epilogue->type == TYPE_F32
           && epilogue->rounding.bits == 0 && epilogue->dst_scale.from == QUANT_NONE
           && epilogue->dst_zero_point.from == QUANT_NONE;
}

static struct activation activation_after(const struct epilogue *epilogue) {
    const struct epilogue_op *op = &epilogue->ops[1];
    if (epilogue->nops < 2) return (struct activation){0};
    return (struct activation){.alg = op->alg, .alpha = op->alpha, .beta = op->beta};
}

/* Only a bias, a sum with dst and an activation are left to do, all of f32. Results that are moved later are
 * not stored where the sum reads. */
static void describe_plain(const struct epilogue_build *ep, struct gemm_params *p) {
    struct activation *a = &p->activation;
    const bool plain = !p->scaled && p->epilogue.type == TYPE_F32 && p->bias_type == TYPE_F32;
    p->adds = plain && ep->dst_arg == ep->spec.dst_arg && only_adds(&p->epilogue);
    p->plain = plain && (!p->finished || p->adds);
    if (p->adds) *a = activation_after(&p->epilogue);
    const bool relu = a->alg == ELTWISE_RELU && a->alpha == 0;
    p->limits = relu ? 1 : a->alg == ELTWISE_CLIP ? 2 : 0;
    p->low = relu ? 0 : a->alpha, p->high = a->beta;
    p->direct = p->plain && p->missing == 0 && (p->limits > 0 || a->alg == 0);
}

/* Tiles that a work-item computes one after the other: as many as share their part of src in the L1 cache
 * between all panels, or many where a panel is used for all tiles first; but enough work-items remain. */
static dnnl_dim_t run_length(const struct gemm_params *p, const struct gemm_blocks *blocks,
                             dnnl_dim_t others) {
    const dnnl_dim_t tile = p->tile * p->depth * gemm_product(p->window, 3),
                     most = p->tiles * p->rows * others / blocks->items;
    dnnl_dim_t run = tile > 0 ? blocks->run_floats / tile : 1;
    if (!p->panels_first && run < blocks->run_tiles) run = blocks->run_tiles;
    if (run > most) run = most;
    if (run > p->tiles) run = p->tiles;
    return run > 1 ? run : 1;
}

/* Panels that a work-item computes one after the other: a divisor of their number. Several rows of tiles use
 * a panel together instead. */
static dnnl_dim_t panels_each(const struct gemm_params *p, const struct gemm_blocks *blocks,
                              dnnl_dim_t panels, dnnl_dim_t others) {
    if (p->tile > 0 && p->columns / p->tiles <= GEMM_FEW_COLUMNS) return panels % 2 == 0 ? 2 : 1;
    const dnnl_dim_t room = blocks->run_tiles / p->run, most = panels * p->runs * others / blocks->items;
    dnnl_dim_t each = p->panels_first || p->rows > 1 ? 1 : room < most ? room : most;
    while (each > 1 && panels % each != 0)
        each--;
    return each > 1 ? each : 1;
}

/* Tiles of nearly the same size, because a small one at the end would not fill the pipelines; and how many
 * of them a work-item computes. */
static struct range set_runs(const struct gemm_view *view, const struct gemm_tile_shape *tile,
                             struct gemm_params *p) {
    const dnnl_dim_t panels = divide_up(view->channels, tile->panel),
                     batches = gemm_product(view->batch, GEMM_VIEW_BATCHES);
    const struct gemm_blocks *blocks = gemm_blocks_of(tile);
    p->whole = p->columns - p->tiles * (p->tile - 1);
    p->run = run_length(p, blocks, panels * batches);
    p->runs = divide_up(p->tiles, p->run);
    p->panels = (i32)panels_each(p, blocks, panels, batches);
    return range_of(view, tile, p->runs, panels / p->panels);
}

static struct range set_range(const struct gemm_view *view, const struct gemm_tile_shape *tile,
                              const struct kernel *kernel, struct gemm_params *p) {
    const dnnl_dim_t panels = divide_up(view->channels, tile->panel),
                     batches = gemm_product(view->batch, GEMM_VIEW_BATCHES);
    if (kernel == tile->kernel) return set_runs(view, tile, p);
    return range_of_groups(1, kernel == tile->wide ? divide_up(panels, GEMM_WIDE_PANELS) : panels, batches);
}

static dnnl_status_t launch_kernel(struct epilogue_build *ep, const struct gemm_view *view,
                                   const struct gemm_tile_shape *tile, const struct kernel *kernel) {
    struct launch *launch;
    struct gemm_params *p = plan_launch(ep->plan, kernel, (struct range){0}, &launch);
    if (!p) return dnnl_out_of_memory;
    gemm_fill(p, view, tile);
    launch->range = set_range(view, tile, kernel, p);
    launch_bind(launch, view->src.arg);
    launch_bind(launch, view->weights.arg);
    launch_bind(launch, view->bias.arg);
    TRY(gemm_find_scales(ep, &p->epilogue));
    TRY(epilogue_end_activation(ep, launch, &p->epilogue, &p->activation));
    gemm_describe_end(&p->epilogue, &p->scaled, &p->finished);
    describe_plain(ep, p);
    return dnnl_success;
}

static dnnl_status_t f32_launch(struct epilogue_build *ep, struct gemm_view *view) {
    const struct gemm_tile_shape *tile = gemm_tile_of(ep->plan);
    if (wants_wide(view)) return launch_kernel(ep, view, tile, tile->wide);
    if (!wants_deep(view, tile)) return launch_kernel(ep, view, tile, tile->kernel);
    TRY(move_rows_apart(ep->plan, view));
    return launch_kernel(ep, view, tile, tile->deep);
}

const struct gemm_type gemm_f32 = {.bytes = sizeof(float),
                                   .quad = 1,
                                   .pack = &kernel_f32_pack_panels,
                                   .accepts = f32_accepts,
                                   .launch = f32_launch,
                                   .reads = dnnl_f32};

dnnl_status_t gemm_launch(struct epilogue_build *ep, struct gemm_view *view) {
    return type_of(ep->plan)->launch(ep, view);
}

static bool is_of(const struct launch *launch, const struct gemm_tile_shape *tile) {
    return launch->kernel == tile->kernel || launch->kernel == tile->deep || launch->kernel == tile->wide;
}

bool gemm_set_steps(struct launch *launch, dnnl_dim_t src, dnnl_dim_t dst) {
    struct gemm_params *p = NULL;
    if (is_of(launch, &gemm_14x32) || is_of(launch, &gemm_6x16)) p = launch->params;
    if (is_of(launch, &gemm_int8_12x32) || is_of(launch, &gemm_int8_16x32))
        p = &((struct int8_gemm_params *)launch->params)->gemm;
    if (!p) return false;
    p->src_step = src, p->dst_step = dst;
    return true;
}

static void fill_copy(struct copy_params *p, const struct image *from, const struct image *to,
                      const dnnl_dim_t front[3]) {
    p->src_offset = from->offset, p->dst_offset = to->offset;
    p->batch = to->batch, p->channels = to->channels;
    p->src_batch = from->batch_stride, p->dst_batch = to->batch_stride;
    p->src_channel = from->channel_stride, p->dst_channel = to->channel_stride;
    for (int i = 0; i < 3; i++) {
        p->size[i] = to->size[i], p->src_size[i] = from->size[i], p->front[i] = front[i];
        p->src_stride[i] = from->stride[i], p->dst_stride[i] = to->stride[i];
    }
}

/* An image whose channels are dense or one, and whose elements are `times` as long as those that are copied.
 */
static void lengthen(struct copy_params *p, i64 times) {
    if (times == 1) return;
    p->src_channel = p->dst_channel = 1;
    p->src_offset *= times, p->dst_offset *= times;
    p->src_batch *= times, p->dst_batch *= times;
    p->channels *= times;
    for (int i = 0; i < 3; i++)
        p->src_stride[i] *= times, p->dst_stride[i] *= times;
}

dnnl_status_t gemm_clear_border(struct plan *plan, const struct image *image, const dnnl_dim_t front[3],
                                const md_t *inside) {
    const struct image nothing = image_of(ARG_NOTHING, inside);
    struct launch *launch;
    struct copy_params *p =
            plan_launch(plan, &kernel_f32_clear_border,
                        range_of_groups(image->size[1], image->size[0], image->batch), &launch);
    if (!p) return dnnl_out_of_memory;
    fill_copy(p, &nothing, image, front);
    lengthen(p, type_of(plan)->bytes / (int)sizeof(float));
    launch_bind(launch, image->arg);
    return dnnl_success;
}

static dnnl_status_t copy_image(struct plan *plan, const struct image *from, const struct image *to,
                                const dnnl_dim_t front[3]) {
    const int bytes = type_of(plan)->bytes;
    const bool small = bytes < (int)sizeof(float);
    const struct kernel *kernel = small ? &kernel_int8_copy_padded : &kernel_f32_copy_padded;
    struct launch *launch;
    void *params = plan_launch(plan, kernel, range_of_groups(to->size[1], to->size[0], to->batch), &launch);
    if (!params) return dnnl_out_of_memory;
    struct int8_copy_params *p = params;
    fill_copy(small ? &p->copy : params, from, to, front);
    if (small) {
        p->padded = gemm_depth(plan, to->channels) * bytes;
        p->flip = adds_offset(plan) ? 0x80 : 0;
        lengthen(&p->copy, bytes);
    } else {
        lengthen(params, bytes / (int)sizeof(float));
    }
    launch_bind(launch, from->arg);
    launch_bind(launch, to->arg);
    return dnnl_success;
}

struct image gemm_scratch_image(struct plan *plan, dnnl_dim_t batch, const dnnl_dim_t size[3],
                                dnnl_dim_t channels) {
    struct image image = {.arg = ARG_SCRATCHPAD, .batch = batch, .channels = channels, .channel_stride = 1};
    const size_t bytes = (size_t)type_of(plan)->bytes;
    dnnl_dim_t stride = gemm_depth(plan, channels);
    for (int i = 2; i >= 0; i--) {
        image.size[i] = size[i];
        image.stride[i] = stride;
        stride *= size[i];
    }
    image.batch_stride = stride;
    image.offset = (dnnl_dim_t)(plan_scratchpad(plan, (size_t)(stride * batch) * bytes) / bytes);
    return image;
}

dnnl_status_t gemm_copy_padded(struct plan *plan, const struct image *image, const dnnl_dim_t front[3],
                               const dnnl_dim_t size[3], struct image *copy) {
    *copy = gemm_scratch_image(plan, image->batch, size, image->channels);
    return copy_image(plan, image, copy, front);
}

dnnl_status_t gemm_copy(struct plan *plan, const struct image *from, const struct image *to) {
    static const dnnl_dim_t nothing[3] = {0};
    return copy_image(plan, from, to, nothing);
}

/* Inputs that a work-item packs: so few that they stay in the L1 cache while one tap after the other is
 * packed. */
static dnnl_dim_t inputs_each(const struct gemm_weights *w) {
    enum { FEW = 16, MANY = 256 };
    return gemm_product(w->size, 3) > 1 ? FEW : MANY;
}

/* Outputs that are dense, of more weights than an L2 cache holds. */
static bool packs_panels_first(const struct plan *plan, const struct gemm_weights *w) {
    return w->output == 1
           && w->inputs * w->outputs * type_of(plan)->bytes > gemm_blocks_of(gemm_tile_of(plan))->large;
}

/* Panels that a work-item packs: of outputs that are dense, as many as a line of the cache has. */
static int packs_together(const struct plan *plan, const struct gemm_weights *w, dnnl_dim_t width) {
    enum { LINE = 64 };
    const dnnl_dim_t bytes = width * type_of(plan)->bytes;
    return w->output == 1 && w->input != 1 && bytes < LINE ? (int)(LINE / bytes) : 1;
}

/* Adds the launch; returns where it packs to. */
static struct pack_params *launch_pack(struct plan *plan, const struct gemm_weights *w, dnnl_dim_t width,
                                       dnnl_dim_t depth, struct launch **launch) {
    const struct gemm_type *type = type_of(plan);
    const dnnl_dim_t blocks = divide_up(w->inputs, inputs_each(w)),
                     panels = divide_up(w->outputs * w->merged,
                                        width * (w->merged == 1 ? packs_together(plan, w, width) : 1));
    if (w->merged == 1)
        return plan_launch(plan, type->pack,
                           packs_panels_first(plan, w) ? range_of_groups(panels, blocks, w->groups)
                                                       : range_of_groups(blocks, panels, w->groups),
                           launch);
    struct diagonal_params *p =
            plan_launch(plan, &kernel_pack_diagonal,
                        range_of_groups(gemm_product(w->size, 3), panels, w->groups / w->merged), launch);
    if (!p) return NULL;
    p->blocks = w->merged, p->depth = depth;
    p->bytes = type->bytes, p->quad = type->quad;
    return &p->pack;
}

dnnl_status_t gemm_pack(struct plan *plan, const struct gemm_weights *w, struct gemm_view *view,
                        dnnl_dim_t *group) {
    dnnl_dim_t width = w->width ? w->width : gemm_panel(plan);
    dnnl_dim_t panels = divide_up(w->outputs * w->merged, width);
    dnnl_dim_t depth = gemm_depth(plan, w->inputs * w->merged), tap = depth * width;
    struct launch *launch;
    struct pack_params *p = launch_pack(plan, w, width, depth, &launch);
    if (!p) return dnnl_out_of_memory;
    *group = panels * gemm_product(w->size, 3) * tap;
    size_t bytes = (size_t)type_of(plan)->bytes, size = (size_t)(w->groups / w->merged * *group) * bytes;
    p->src_offset = w->offset;
    p->dst_offset = (dnnl_dim_t)(plan_scratchpad(plan, size) / bytes);
    p->groups = w->groups, p->outputs = w->outputs, p->inputs = w->inputs, p->width = width;
    p->src_group = w->group, p->src_output = w->output, p->src_input = w->input;
    for (int i = 0; i < 3; i++)
        p->size[i] = w->size[i], p->src_stride[i] = w->stride[i];
    p->each = inputs_each(w);
    p->panels_first = packs_panels_first(plan, w);
    p->panels = packs_together(plan, w, width);
    launch_bind(launch, view->weights.arg);
    launch_bind(launch, ARG_SCRATCHPAD);
    view->weights.arg = ARG_SCRATCHPAD;
    view->weights.offset = p->dst_offset;
    view->weights_depth = width;
    for (int i = 2; i >= 0; tap *= w->size[i], i--)
        view->weights_window[i] = tap;
    view->weights_panel = tap;
    return dnnl_success;
}

void gemm_panels_tag(const struct plan *plan, const char *order, int output, int input, char *tag,
                     size_t size) {
    char letters[DNNL_MAX_NDIMS + 1];
    int quad = type_of(plan)->quad;
    snprintf(letters, sizeof letters, "%s", order);
    for (char *c = letters; *c; c++)
        if (*c == 'a' + output || (*c == 'a' + input && quad > 1)) *c = (char)(*c - 'a' + 'A');
    if (quad > 1)
        snprintf(tag, size, "%s%d%c%d%c", letters, gemm_panel(plan), 'a' + output, quad, 'a' + input);
    else
        snprintf(tag, size, "%s%d%c", letters, gemm_panel(plan), 'a' + output);
}

void gemm_weights_tag(const struct plan *plan, int ndims, bool grouped, char *tag, size_t size) {
    int output = grouped ? 1 : 0, input = output + 1;
    char order[DNNL_MAX_NDIMS + 1], *end = order;
    if (grouped) *end++ = 'a';
    *end++ = (char)('a' + output);
    for (int d = input + 1; d < ndims; d++)
        *end++ = (char)('a' + d);
    *end++ = (char)('a' + input);
    *end = 0;
    gemm_panels_tag(plan, order, output, input, tag, size);
}
