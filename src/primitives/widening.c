/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Planning for the matrix products of operands of any type: see kernels/widening.cl. Weights are read as they
 * are. src is copied to f32 first if it is not that, not dense, or quantised along the reduction. Blocked
 * layouts become plain ones before, and results for other layouts than rows go through scratchpad.
 */
#include "primitives/tensor.h"
#include "base/round.h"
#include "kernels/params_widening.h"
#include "primitives/check.h"
#include "primitives/gemm.h"
#include "primitives/primitives.h"
#include "primitives/product.h"

#include <stdio.h>

static const md_t *tensor(const struct plan *plan, int arg) {
    return problem_md(&plan->problem, arg);
}

/* Which problems. */

static bool is_bytes(const struct plan *plan) {
    return in_set(TYPES_INT8, tensor(plan, DNNL_ARG_SRC)->data_type);
}

static dnnl_status_t accepts(const struct plan *plan) {
    const uint64_t floats = BIT(dnnl_f32) | BIT(dnnl_bf16) | BIT(dnnl_f16) | TYPES_FP8 | TYPES_FP4;
    const uint64_t integers = TYPES_INT8 | TYPES_INT4;
    dnnl_data_type_t src = tensor(plan, DNNL_ARG_SRC)->data_type,
                     weights = tensor(plan, DNNL_ARG_WEIGHTS)->data_type;
    if (is_bytes(plan) ? !in_set(integers, weights)
                       : !in_set(floats, src) || !in_set(floats | integers, weights))
        return plan_skip(plan, "unsupported types of src and weights");
    return dnnl_success;
}

/* Does a parameter change along dimension d of its argument? */
static bool changes_along(const struct plan *plan, const struct quant *quant, int d) {
    return quant && !quant->host_scalar && quant_size(quant, tensor(plan, quant->arg), d) > 1;
}

/* Are scales applied to elements, because they change along the reduction? */
static bool scales_elements(const struct plan *plan, int arg, int depth_dim) {
    return changes_along(plan, quants_find(&plan->attr.scales, arg), depth_dim);
}

/* Are sums exact integers? Not if a parameter changes along the reduction. */
static bool sums_integers(const struct plan *plan) {
    const attr_t *attr = &plan->attr;
    int k = tensor(plan, DNNL_ARG_SRC)->ndims - 1, depth = tensor(plan, DNNL_ARG_WEIGHTS)->ndims - 2;
    return is_bytes(plan) && !scales_elements(plan, DNNL_ARG_SRC, k)
           && !changes_along(plan, quants_find(&attr->zero_points, DNNL_ARG_SRC), k)
           && (plan->problem.kind != dnnl_matmul
               || (!scales_elements(plan, DNNL_ARG_WEIGHTS, depth)
                   && !changes_along(plan, quants_find(&attr->zero_points, DNNL_ARG_WEIGHTS), depth)));
}

/* src. */

/* Rows of the copy begin at a line of the cache, but not all at the same one. */
static dnnl_dim_t row_of(dnnl_dim_t depth) {
    enum { LINE = 16, PAGE = 256 };
    dnnl_dim_t row = divide_up(depth, LINE) * LINE;
    return row % PAGE == 0 ? row + LINE : row;
}

/* Do rows compete for the same lines of the L1 cache, and are they read often enough to pay for a copy? */
static bool collides(const struct gemm_view *view) {
    enum { LINES = 512, FEW = 8 };
    return view->src.column % LINES == 0 && view->columns >= FEW && view->channels > 64;
}

static bool reads_src(const struct plan *plan, const struct gemm_view *view) {
    const md_t *md = tensor(plan, DNNL_ARG_SRC);
    return md->data_type == dnnl_f32 && !collides(view) && (view->src.channel == 1 || view->depth == 1)
           && !quants_find(&plan->attr.zero_points, DNNL_ARG_SRC)
           && !scales_elements(plan, DNNL_ARG_SRC, md->ndims - 1);
}

static dnnl_status_t fill_widen(struct plan *plan, struct launch *launch, struct widen_params *p) {
    const md_t *md = tensor(plan, DNNL_ARG_SRC);
    struct epilogue_build quants = {
            .plan = plan, .spec = {.lanes = -1}, .dst = *md, .dst_arg = ARG_SCRATCHPAD};
    p->type = (i32)md->data_type;
    p->row_dim = md->ndims - 2, p->depth_dim = md->ndims - 1;
    if (!sums_integers(plan)) TRY(epilogue_zero_point(&quants, &p->zero_point, DNNL_ARG_SRC, NULL));
    if (scales_elements(plan, DNNL_ARG_SRC, p->depth_dim))
        TRY(epilogue_scale(&quants, &p->scale, DNNL_ARG_SRC, NULL));
    p->quantised = p->zero_point.from != QUANT_NONE || p->scale.from != QUANT_NONE;
    epilogue_bind(&quants, launch);
    return dnnl_success;
}

/* Copies src to f32, and lets the view read the copy. */
static dnnl_status_t widen_src(struct plan *plan, struct gemm_view *view) {
    dnnl_dim_t batches = 1, row = row_of(view->depth), matrix = view->columns * row;
    struct launch *launch;
    struct widen_params *p = plan_launch(plan, &kernel_widen_rows, (struct range){0}, &launch);
    if (!p) return dnnl_out_of_memory;
    launch_bind(launch, view->src.arg);
    p->src_offset = view->src.offset;
    p->rows = view->columns, p->depth = view->depth;
    p->src_row = view->src.column, p->src_depth = view->src.channel, p->dst_row = row;
    for (int d = GEMM_BATCHES - 1; d >= 0; d--) {
        bool own = view->src.batch[d] != 0;
        p->batch[d] = own ? view->batch[d] : 1;
        p->src_batch[d] = view->src.batch[d], p->batch_dim[d] = view->batch_dim[d];
        view->src.batch[d] = own ? matrix * batches : 0;
        batches *= p->batch[d];
    }
    p->dst_offset = (i64)(plan_scratchpad(plan, (size_t)(matrix * batches) * sizeof(float)) / sizeof(float));
    launch->range =
            range_of_groups(divide_up(p->rows, WIDEN_ROWS), divide_up(p->depth, WIDEN_STEPS), batches);
    view->src.arg = ARG_SCRATCHPAD, view->src.offset = p->dst_offset;
    view->src.column = row, view->src.channel = 1;
    return fill_widen(plan, launch, p);
}

/* Few columns by weights whose channels are dense: see kernels/lib/widening_few.h. */

static bool is_nibbles(dnnl_data_type_t type) {
    return dt_bits(type) == 4;
}

static int unit_of(const struct plan *plan) {
    return is_nibbles(tensor(plan, DNNL_ARG_WEIGHTS)->data_type) ? 2 * WIDENING_UNIT : WIDENING_UNIT;
}

/* Only integers have zero points. */
static bool wants_units(const struct plan *plan) {
    const md_t *weights = tensor(plan, DNNL_ARG_WEIGHTS), *dst = tensor(plan, DNNL_ARG_DST);
    return dst->dims[dst->ndims - 2] <= WIDENING_FEW_COLUMNS && dst->dims[dst->ndims - 1] >= WIDENING_UNIT
           && !sums_integers(plan) && weights->data_type != dnnl_f32
           && (!quants_find(&plan->attr.zero_points, DNNL_ARG_WEIGHTS)
               || in_set(TYPES_INT8 | TYPES_INT4, weights->data_type));
}

/* Units one after the other: "Ba64b". */
static void units_tag(const struct plan *plan, char *tag, size_t size) {
    const int ndims = tensor(plan, DNNL_ARG_WEIGHTS)->ndims;
    const char last = (char)('a' + ndims - 1);
    snprintf(tag, size, "%.*s%c%c%d%c", ndims - 2, "abcdefghijkl", last - 'a' + 'A', last - 1, unit_of(plan),
             last);
}

/* Are rows of plain weights whole units, and of 4 bits whole words? */
static bool has_units(const struct plan *plan, const md_t *weights) {
    const dnnl_dim_t *strides = weights->blocking.strides;
    const int n = weights->ndims - 1;
    if (!md_is_plain(weights) || strides[n] != 1 || weights->dims[n] % unit_of(plan) != 0) return false;
    dnnl_dim_t odd = weights->offset0;
    for (int d = 0; d < n; d++)
        odd |= strides[d];
    return odd % 8 == 0 || !is_nibbles(weights->data_type);
}

/* The product. */

/* Scales of sums are in the epilogue, those of elements are the kernel's own. */
static dnnl_status_t find_quants(struct epilogue_build *ep, struct widening_params *p) {
    struct plan *plan = ep->plan;
    struct gemm_dims dims = gemm_dims_of(plan);
    const md_t *src = tensor(plan, DNNL_ARG_SRC), *weights = tensor(plan, DNNL_ARG_WEIGHTS);
    struct epilogue *epilogue = &p->gemm.epilogue;
    p->depth_dim = weights->ndims - 2;
    bool compressed =
            plan->problem.kind == dnnl_matmul && scales_elements(plan, DNNL_ARG_WEIGHTS, p->depth_dim);
    if (!scales_elements(plan, DNNL_ARG_SRC, src->ndims - 1))
        TRY(epilogue_scale(ep, &epilogue->src_scale, DNNL_ARG_SRC, dims.src));
    if (compressed)
        TRY(epilogue_scale(ep, &p->weights_scale, DNNL_ARG_WEIGHTS, NULL));
    else
        TRY(epilogue_scale(ep, &epilogue->weights_scale, DNNL_ARG_WEIGHTS, dims.weights));
    p->integers = sums_integers(plan);
    TRY(epilogue_zero_point(ep, &p->weights_zero_point, DNNL_ARG_WEIGHTS, p->integers ? dims.weights : NULL));
    if (p->integers) TRY(epilogue_zero_point(ep, &p->src_zero_point, DNNL_ARG_SRC, dims.src));
    p->compressed = !p->integers && (compressed || p->weights_zero_point.from != QUANT_NONE);
    p->scaled = epilogue->src_scale.from != QUANT_NONE || epilogue->weights_scale.from != QUANT_NONE;
    return dnnl_success;
}

static bool has_epilogue(const struct epilogue *epilogue) {
    return epilogue->nops > 0 || epilogue->dst_scale.from != QUANT_NONE
           || epilogue->dst_zero_point.from != QUANT_NONE || epilogue->rounding.bits != 0;
}

/* The columns of a work-item: as many as it can take, while enough work-items remain. */
static void set_tiles(const struct plan *plan, const struct gemm_view *view, struct gemm_params *p) {
    enum { ENOUGH = 16 };
    dnnl_dim_t most = sums_integers(plan) ? WIDENING_FEW : WIDENING_COLUMNS, columns = view->columns;
    dnnl_dim_t others = gemm_panels(plan, view->channels) * gemm_product(view->batch, GEMM_VIEW_BATCHES);
    dnnl_dim_t blocks = divide_up(columns, most), limit = divide_up(columns, WIDENING_FEW);
    while (blocks < limit && blocks * others < ENOUGH)
        blocks++;
    p->tile = divide_up(columns, blocks);
    p->tiles = divide_up(columns, p->tile);
}

/* Several panels of a work-item, while enough work-items remain. Few columns use each weight few times, so
 * reading them counts: long rows of several panels are read where panels are not apart. Many columns of f32
 * read src less often. */
static void set_panels(const struct plan *plan, const struct gemm_view *view, struct widening_params *p) {
    enum { ENOUGH = 16 };
    const struct gemm_tile_shape *tile = gemm_tile_of(plan);
    dnnl_dim_t panels = divide_up(view->channels, tile->panel);
    bool dense = view->weights.channel == 1;
    p->panels = 1;
    p->blocked = dense && tensor(plan, DNNL_ARG_WEIGHTS)->data_type == dnnl_f32
                 && 2 * view->columns > WIDENING_FEW
                 && !quants_find(&plan->attr.zero_points, DNNL_ARG_WEIGHTS)
                 && !scales_elements(plan, DNNL_ARG_WEIGHTS, tensor(plan, DNNL_ARG_WEIGHTS)->ndims - 2);
    dnnl_dim_t most = p->blocked ? WIDENING_BLOCK : WIDENING_FEW,
               width = p->blocked ? WIDENING_PANELS * tile->panel : WIDENING_WIDTH;
    while (dense && (p->blocked || view->weights_panel == tile->panel) && 2 * p->panels * tile->panel <= width
           && 2 * p->panels * p->gemm.tile <= most && panels * p->gemm.tiles >= 2 * p->panels * ENOUGH)
        p->panels *= 2;
    p->piece = p->blocked ? WIDENING_PIECE : WIDENING_PIECE / p->panels;
}

/* Does a parameter of weights change along the reduction only where a block of steps ends, or in a way that
 * the blocks of 4-bit weights take? */
static bool fits_blocks(const struct plan *plan, const struct quants *quants, dnnl_dim_t block) {
    enum { QUARTER = 32 };
    const md_t *weights = tensor(plan, DNNL_ARG_WEIGHTS);
    const struct quant *quant = quants_find(quants, DNNL_ARG_WEIGHTS);
    const int k = weights->ndims - 2;
    if (!changes_along(plan, quant, k)) return true;
    dnnl_dim_t group = weights->dims[k] / quant_size(quant, weights, k);
    return group % block == 0 || (group % QUARTER == 0 && block % group == 0);
}

/* Are rows multiplied without a copy as floats? */
static bool runs_along(const struct plan *plan, const struct gemm_view *view) {
    const md_t *weights = tensor(plan, DNNL_ARG_WEIGHTS);
    const bool nibbles = is_nibbles(weights->data_type);
    const bool wide = plan->device->info.features & HAS_WIDE_VECTORS;
    const dnnl_dim_t block = nibbles ? 128 : 32;
    if (plan->problem.kind != dnnl_matmul || sums_integers(plan) || in_set(TYPES_FP8, weights->data_type)
        || view->depth % block != 0
        || view->columns > (wide ? WIDENING_ALONG_COLUMNS : WIDENING_ALONG_NARROW))
        return false;
    dnnl_dim_t odd = view->weights.offset | view->weights.channel;
    for (int i = 0; i < GEMM_VIEW_BATCHES; i++)
        odd |= view->weights.batch[i];
    return (odd % 8 == 0 || !nibbles) && fits_blocks(plan, &plan->attr.scales, block)
           && fits_blocks(plan, &plan->attr.zero_points, block)
           && (!quants_find(&plan->attr.zero_points, DNNL_ARG_WEIGHTS)
               || in_set(TYPES_INT8 | TYPES_INT4, weights->data_type));
}

/* Few columns by weights that are dense along the reduction: rows are multiplied without turning them. Zero
 * points of integers need sums that this kernel does not have. */
static bool wants_dots(const struct plan *plan, const struct gemm_view *view) {
    const struct quants *zeros = &plan->attr.zero_points;
    const bool few = view->columns <= WIDENING_DOTS || runs_along(plan, view);
    return few && view->weights_depth == 1 && view->weights.channel != 1
           && (!sums_integers(plan)
               || (!quants_find(zeros, DNNL_ARG_SRC) && !quants_find(zeros, DNNL_ARG_WEIGHTS)));
}

/* Several units of a work-item, while enough work-items remain. */
static struct range set_units(const struct plan *plan, const struct gemm_view *view,
                              struct widening_params *p) {
    enum { ENOUGH = 16 };
    const dnnl_dim_t unit = unit_of(plan), units = divide_up(view->channels, unit),
                     batches = gemm_product(view->batch, GEMM_VIEW_BATCHES);
    p->way = WIDENING_BY_UNITS;
    p->width = unit_of(plan);
    p->panels = 1;
    while (2 * p->panels * unit <= WIDENING_WIDTH && units * batches >= 2 * p->panels * ENOUGH)
        p->panels *= 2;
    return range_of_groups(1, divide_up(units, p->panels), batches);
}

static struct range set_dots(const struct plan *plan, const struct gemm_view *view,
                             struct widening_params *p) {
    p->way = runs_along(plan, view) ? WIDENING_BY_VECTORS : WIDENING_BY_ROWS;
    p->width = p->way == WIDENING_BY_VECTORS ? WIDENING_ALONG : 16;
    p->panels = 1;
    p->gemm.weights_panel = p->width * view->weights.channel;
    return range_of_groups(1, divide_up(view->channels, p->width),
                           gemm_product(view->batch, GEMM_VIEW_BATCHES));
}

static struct range set_range(const struct plan *plan, const struct gemm_view *view, bool dots,
                              struct widening_params *p) {
    gemm_fill(&p->gemm, view, gemm_tile_of(plan));
    if (view->units) return set_units(plan, view, p);
    set_tiles(plan, view, &p->gemm);
    if (dots) return set_dots(plan, view, p);
    set_panels(plan, view, p);
    return range_of_groups(p->gemm.tiles, divide_up(gemm_panels(plan, view->channels), p->panels),
                           gemm_product(view->batch, GEMM_VIEW_BATCHES));
}

static dnnl_status_t launch_product(struct epilogue_build *ep, struct gemm_view *view) {
    struct plan *plan = ep->plan;
    const md_t *bias = tensor(plan, DNNL_ARG_BIAS);
    bool dots = wants_dots(plan, view);
    if (!reads_src(plan, view)) TRY(widen_src(plan, view));
    const struct kernel *kernel = view->units || dots ? &kernel_widening_dot_16 : gemm_tile_of(plan)->kernel;
    struct launch *launch;
    struct widening_params *p = plan_launch(plan, kernel, (struct range){0}, &launch);
    if (!p) return dnnl_out_of_memory;
    launch->range = set_range(plan, view, dots, p);
    p->weights_channel = view->weights.channel;
    p->weights_type = (i32)tensor(plan, DNNL_ARG_WEIGHTS)->data_type;
    p->weights_bits = dt_bits(tensor(plan, DNNL_ARG_WEIGHTS)->data_type);
    p->bias_type = bias ? (i32)bias->data_type : 0;
    launch_bind(launch, view->src.arg);
    launch_bind(launch, view->weights.arg);
    launch_bind(launch, view->bias.arg);
    TRY(find_quants(ep, p));
    TRY(epilogue_end_activation(ep, launch, &p->gemm.epilogue, &p->gemm.activation));
    p->finished = has_epilogue(&p->gemm.epilogue);
    p->bare = p->integers && product_keeps_integers(ep) && !ep->moved;
    p->direct = !p->integers && !p->scaled && !p->finished && !p->gemm.has_bias && p->gemm.activation.alg == 0
                && p->gemm.epilogue.type == TYPE_F32 && p->gemm.depth > 0 && p->gemm.depth <= p->piece;
    return dnnl_success;
}

const struct gemm_type gemm_widening = {
        .bytes = sizeof(float), .quad = 1, .accepts = accepts, .launch = launch_product};

/* Layouts. */

/* An operand as the launches read it. */
struct operand {
    int arg;
    md_t md;
};

/* Copies an operand to another layout in scratchpad. */
static dnnl_status_t move(struct plan *plan, struct operand *o, const char *tag) {
    struct operand moved = {.arg = ARG_SCRATCHPAD};
    TRY(md_init_by_string(&moved.md, o->md.ndims, o->md.dims, o->md.data_type, tag));
    size_t place = plan_scratchpad(plan, md_size(&moved.md, 0));
    moved.md.offset0 = (dnnl_dim_t)(place * 8 / (size_t)dt_bits(moved.md.data_type));
    TRY(append_reorder(plan, o->arg, &o->md, moved.arg, &moved.md, NULL));
    *o = moved;
    return dnnl_success;
}

static dnnl_status_t begin(struct epilogue_build *ep, struct plan *plan, int channel_dim, bool bias) {
    return epilogue_begin(ep, plan,
                          &(struct epilogue_spec){.lanes = channel_dim, .row_major = true, .bias = bias});
}

static struct gemm_operand bias_of(const struct epilogue_build *ep) {
    const md_t *bias = tensor(ep->plan, DNNL_ARG_BIAS);
    if (!bias || ep->spec.bias) return (struct gemm_operand){.arg = ARG_NOTHING};
    return (struct gemm_operand){.arg = DNNL_ARG_BIAS, .offset = bias->offset0};
}

/* matmul. */

static dnnl_status_t set_any_layouts(struct plan *plan, const char *plain, const char *panels) {
    for (int i = 0; i < plan->problem.ntensors; i++) {
        struct problem_tensor *t = &plan->problem.tensors[i];
        TRY(md_set_any(&t->md, t->arg == DNNL_ARG_WEIGHTS ? panels : plain));
    }
    return dnnl_success;
}

static void set_batches(struct gemm_view *view, const struct gemm_batches *b) {
    for (int i = 0; i < b->count; i++) {
        view->batch[i] = b->size[i];
        view->src.batch[i] = b->src[i], view->weights.batch[i] = b->weights[i],
        view->dst.batch[i] = b->dst[i];
        view->batch_dim[i] = b->dim[i], view->batch_step[i] = 1;
    }
}

/* Does a vector of elements along the rows or the columns of a matrix lie in one piece? */
static bool is_dense_matrix(const md_t *md) {
    if (!md_is_plain(md)) return false;
    for (int d = md->ndims - 2; d < md->ndims; d++)
        if (md->dims[d] == 1 || md->blocking.strides[d] == 1) return true;
    return false;
}

static dnnl_status_t build_matmul(struct epilogue_build *ep, const struct operand *src,
                                  const struct operand *weights, bool units) {
    struct plan *plan = ep->plan;
    const md_t *dst = &ep->dst;
    int m = dst->ndims - 2, n = dst->ndims - 1;
    const dnnl_dim_t *strides = weights->md.blocking.strides;
    bool plain = md_is_plain(&weights->md);
    int panel = units ? unit_of(plan) : gemm_panel(plan);
    struct gemm_batches b =
            gemm_merge_batches(&src->md, &weights->md, dst, ep->spec.bias || gemm_needs_positions(plan));
    if (b.count > GEMM_VIEW_BATCHES) return plan_skip(plan, "too many batch dimensions");
    struct gemm_view view = {
            .rows = 1,
            .columns = dst->dims[m],
            .channels = dst->dims[n],
            .depth = src->md.dims[n],
            .window = {1, 1, 1},
            .batch = {1, 1, 1, 1},
            .column_dim = m,
            .channel_dim = n,
            .src = {.arg = src->arg,
                    .offset = src->md.offset0,
                    .column = src->md.blocking.strides[m],
                    .channel = src->md.blocking.strides[n]},
            .weights = {.arg = weights->arg,
                        .offset = weights->md.offset0,
                        .channel = plain ? strides[n] : 1},
            .weights_depth = plain ? strides[m] : panel,
            .weights_panel = plain ? strides[n] * panel : strides[n],
            .units = units,
            .bias = bias_of(ep),
            .dst = {ep->dst_arg, .offset = dst->offset0, .column = dst->blocking.strides[m]}};
    set_batches(&view, &b);
    return gemm_launch(ep, &view);
}

/* Does the product read results in other layouts than rows? They move before: random numbers depend on where
 * results are. */
static bool moves_dst(const struct plan *plan) {
    return attr_has_sum(&plan->attr) && !gemm_has_rows(tensor(plan, DNNL_ARG_DST))
           && !plan->attr.dropout.enabled && !attr_has_stochastic_rounding(&plan->attr);
}

dnnl_status_t widening_build_matmul(struct plan *plan) {
    struct epilogue_build ep;
    char plain[DNNL_MAX_NDIMS + 1], panels[32];
    int ndims = tensor(plan, DNNL_ARG_DST)->ndims;
    TRY(gemm_accepts(plan));
    snprintf(plain, sizeof plain, "%.*s", ndims, "abcdefghijkl");
    const bool few = wants_units(plan);
    if (few)
        units_tag(plan, panels, sizeof panels);
    else
        gemm_matmul_tag(plan, panels, sizeof panels);
    TRY(set_any_layouts(plan, plain, panels));
    TRY(product_accepts(plan));
    if (moves_dst(plan)) return gemm_move_matmul(plan);
    TRY(begin(&ep, plan, ndims - 1, !gemm_bias_is_row(plan)));
    if (md_nelems(&ep.dst, true) == 0) return dnnl_success;
    struct operand src = {DNNL_ARG_SRC, *tensor(plan, DNNL_ARG_SRC)},
                   weights = {DNNL_ARG_WEIGHTS, *tensor(plan, DNNL_ARG_WEIGHTS)};
    if (!is_dense_matrix(&src.md)) TRY(move(plan, &src, plain));
    if (!is_dense_matrix(&weights.md) && !md_matches_tag(&weights.md, panels))
        TRY(move(plan, &weights, panels));
    const bool units = few && (has_units(plan, &weights.md) || md_matches_tag(&weights.md, panels));
    return build_matmul(&ep, &src, &weights, units);
}

/* Inner product: the batch is the columns, and the whole image is the reduction. */

/* Sets strides along the reduction; copies operands that do not have one. */
static dnnl_status_t align(struct plan *plan, struct operand *src, struct operand *weights,
                           const char *panels) {
    static const char *const plain[] = {[2] = "ab", [3] = "abc", [4] = "abcd", [5] = "abcde"};
    const char *last = channels_last(src->md.ndims), *first = plain[src->md.ndims];
    bool matrix = src->md.ndims == 2 && md_is_plain(&src->md) && md_is_plain(&weights->md);
    if (matrix || (md_is_run(&src->md, first) && md_is_run(&weights->md, first))) return dnnl_success;
    if (!md_is_run(&src->md, last)) TRY(move(plan, src, last));
    if (!md_is_run(&weights->md, last) && !md_matches_tag(&weights->md, panels))
        TRY(move(plan, weights, panels));
    return dnnl_success;
}

static dnnl_status_t build_inner_product(struct epilogue_build *ep, const struct operand *src,
                                         const struct operand *weights) {
    const dnnl_dim_t *strides = weights->md.blocking.strides;
    bool plain = md_is_plain(&weights->md), matrix = src->md.ndims == 2;
    int panel = gemm_panel(ep->plan);
    struct gemm_view view = {
            .rows = 1,
            .columns = ep->dst.dims[0],
            .channels = ep->dst.dims[1],
            .depth = gemm_product(src->md.dims + 1, src->md.ndims - 1),
            .window = {1, 1, 1},
            .batch = {1, 1, 1, 1},
            .channel_dim = 1,
            .src = {.arg = src->arg,
                    .offset = src->md.offset0,
                    .column = src->md.blocking.strides[0],
                    .channel = matrix ? src->md.blocking.strides[1] : 1},
            .weights = {.arg = weights->arg,
                        .offset = weights->md.offset0,
                        .channel = plain ? strides[0] : 1},
            .weights_depth = !plain   ? panel
                             : matrix ? strides[1]
                                      : 1,
            .weights_panel = plain ? strides[0] * panel : strides[0],
            .bias = bias_of(ep),
            .dst = {ep->dst_arg, .offset = ep->dst.offset0, .column = ep->dst.blocking.strides[0]}};
    return gemm_launch(ep, &view);
}

dnnl_status_t widening_build_inner_product(struct plan *plan) {
    struct epilogue_build ep;
    char panels[32];
    int ndims = tensor(plan, DNNL_ARG_SRC)->ndims;
    TRY(gemm_accepts(plan));
    gemm_weights_tag(plan, ndims, false, panels, sizeof panels);
    TRY(md_set_any(problem_md(&plan->problem, DNNL_ARG_DST), "ab"));
    if (tensor(plan, DNNL_ARG_BIAS)) TRY(md_set_any(problem_md(&plan->problem, DNNL_ARG_BIAS), "a"));
    TRY(set_any_layouts(plan, channels_last(ndims), panels));
    TRY(product_accepts(plan));
    const md_t *bias = tensor(plan, DNNL_ARG_BIAS);
    if (bias && bias->dims[0] > 1 && bias->blocking.strides[0] != 1)
        return plan_skip(plan, "bias is not dense");
    TRY(begin(&ep, plan, 1, false));
    if (md_nelems(&ep.dst, true) == 0) return dnnl_success;
    struct operand src = {DNNL_ARG_SRC, *tensor(plan, DNNL_ARG_SRC)},
                   weights = {DNNL_ARG_WEIGHTS, *tensor(plan, DNNL_ARG_WEIGHTS)};
    TRY(align(plan, &src, &weights, panels));
    return build_inner_product(&ep, &src, &weights);
}
