/* SPDX-License-Identifier: Apache-2.0 */
/* What normalisations share, backward: see normalization_backward.h. */
#include "primitives/normalization_backward.h"
#include "base/round.h"
#include "kernels/params_normalization_backward.h"
#include "primitives/image.h"
#include "primitives/moved.h"
#include "primitives/primitives.h"
#include "primitives/reduce.h"
#include "primitives/rows.h"
#include "primitives/tensor.h"
#include "runtimes/runtime.h"

static const uint64_t floats = BIT(dnnl_f32) | BIT(dnnl_bf16) | BIT(dnnl_f16);

dnnl_status_t check_normalization_backward(const struct normalization_request *r, bool same, bool doubles) {
    const char *component = r->component;
    const md_t *const mds[] = {r->src, r->diff_dst, r->diff_src};
    for (int i = 0; i < 3; i++) {
        const bool allowed = in_set(floats, mds[i]->data_type) || (doubles && mds[i]->data_type == dnnl_f64);
        SUPPORT(allowed, "a type that has no gradient here");
        SUPPORT(!same || mds[i]->data_type == r->src->data_type, "tensors of different types");
        SUPPORT(md_is_any(mds[i]) || md_is_blocked(mds[i]), "a layout that is not blocked");
    }
    return dnnl_success;
}

/* Gradients of weights have a descriptor even where only that of src is computed, as oneDNN has it. */
static void add_gradient(struct problem *problem, int arg, const md_t *weights) {
    problem_add(problem, arg, true, weights);
    problem->tensors[problem->ntensors - 1].inside = problem->prop != dnnl_backward;
}

dnnl_status_t normalization_backward_problem(struct problem *problem, dnnl_primitive_kind_t kind,
                                             const struct normalization_request *r, float epsilon,
                                             const md_t *statistics, const md_t *weights,
                                             const md_t *workspace) {
    TRY(problem_init(problem, kind, 10));
    problem->prop = r->prop;
    problem->flags = r->flags;
    problem->epsilon = epsilon;
    problem_add(problem, DNNL_ARG_SRC, false, r->src);
    problem_add(problem, DNNL_ARG_MEAN, false, statistics);
    problem->tensors[problem->ntensors - 1].inside = (r->flags & dnnl_rms_norm) != 0;
    problem_add(problem, DNNL_ARG_VARIANCE, false, statistics);
    problem_add(problem, DNNL_ARG_DIFF_DST, false, r->diff_dst);
    if (r->flags & dnnl_use_scale) problem_add(problem, DNNL_ARG_SCALE, false, weights);
    problem_add(problem, DNNL_ARG_WORKSPACE, false, workspace);
    problem_add(problem, DNNL_ARG_DIFF_SRC, true, r->diff_src);
    if (r->flags & dnnl_use_scale) add_gradient(problem, DNNL_ARG_DIFF_SCALE, weights);
    if (r->flags & dnnl_use_shift) add_gradient(problem, DNNL_ARG_DIFF_SHIFT, weights);
    if (r->flags & dnnl_fuse_norm_add_relu) problem_add(problem, DNNL_ARG_DIFF_SRC_1, true, r->diff_dst);
    return dnnl_success;
}

dnnl_status_t norm_backward_layouts(struct problem *problem) {
    md_t *src = problem_md(problem, DNNL_ARG_SRC), *diff_dst = problem_md(problem, DNNL_ARG_DIFF_DST),
         *added = problem_md(problem, DNNL_ARG_DIFF_SRC_1);
    const md_t *hinted = problem_hint_md(problem, DNNL_ARG_SRC);
    TRY(md_set_any_like(src, hinted && hinted->ndims == src->ndims ? hinted : diff_dst));
    TRY(md_set_any_like(diff_dst, src));
    if (added) TRY(md_set_any_like(added, src));
    return md_set_any_like(problem_md(problem, DNNL_ARG_DIFF_SRC), src);
}

/* Gradients in the layout of src, for which there is a kernel. */
dnnl_status_t norm_build_moved_backward(struct plan *plan) {
    static const char *const row_major[] = {[2] = "ab", [3] = "abc", [4] = "abcd", [5] = "abcde"};
    static const int gradients[] = {DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_SRC};
    struct moved moved = {.plan = plan};
    TRY(plan_takes(plan, &kernel_norm_gradient_dense));
    TRY(norm_backward_layouts(&plan->problem));
    const md_t *src = problem_md(&plan->problem, DNNL_ARG_SRC);
    if (problem_md(&plan->problem, DNNL_ARG_WORKSPACE) || md_nelems(src, false) == 0)
        return plan_skip(plan, "a workspace, or nothing to compute");
    const bool last = src->ndims > 2 && md_matches_tag(src, channels_last(src->ndims));
    const char *tag = last ? channels_last(src->ndims) : row_major[src->ndims];
    if (!md_matches_tag(src, tag)) return plan_skip(plan, "src is neither plain nor channels-last");
    for (int i = 0; i < 2; i++) {
        const md_t *md = problem_md(&plan->problem, gradients[i]);
        if (!md_matches_tag(md, tag)) TRY(moved_add(&moved, gradients[i], md->data_type, tag));
    }
    if (moved.count == 2 && moved.tensors[0].own.data_type == moved.tensors[1].own.data_type)
        moved.tensors[1].own = moved.tensors[0].own; /* in place, while it is in the cache */
    if (moved.count == 0) return plan_skip(plan, "all tensors have the layout of src");
    return moved_build(&moved, primitive_implementations(&plan->problem));
}

const md_t *norm_wanted(const struct problem *problem, int arg) {
    return problem->prop == dnnl_backward ? problem_md(problem, arg) : NULL;
}

bool norm_wants_weights(const struct problem *problem) {
    return norm_wanted(problem, DNNL_ARG_DIFF_SCALE) || norm_wanted(problem, DNNL_ARG_DIFF_SHIFT);
}

bool norm_mask(const struct problem *problem, md_t *mask) {
    if (!problem_md(problem, DNNL_ARG_WORKSPACE)) return false;
    *mask = *problem_hint_md(problem, DNNL_ARG_DST);
    mask->data_type = dnnl_u8;
    mask->offset0 = 0;
    return true;
}

/* Factors. */

static dnnl_dim_t scratch_floats(struct plan *plan, dnnl_dim_t count) {
    return (dnnl_dim_t)(plan_scratchpad(plan, (size_t)count * sizeof(float)) / sizeof(float));
}

static dnnl_dim_t offset_of(const md_t *md) {
    return md ? md->offset0 : -1;
}

static dnnl_status_t launch_gradient(struct plan *plan, const struct norm_cells *cells,
                                     const struct norm_gradient_params *made) {
    struct launch *launch;
    const dnnl_dim_t items = made->statistics + made->channels;
    struct norm_gradient_params *p = plan_launch(plan, &kernel_norm_gradient,
                                                 range_of_items(items, full_group(plan->device)), &launch);
    if (!p) return dnnl_out_of_memory;
    *p = *made;
    launch_bind(launch, ARG_SCRATCHPAD);
    launch_bind(launch, made->mean_offset >= 0 ? cells->mean_arg : ARG_NOTHING);
    launch_bind(launch, cells->variance_arg);
    launch_bind(launch, made->scale_offset >= 0 ? DNNL_ARG_SCALE : ARG_NOTHING);
    launch_bind(launch, made->diff_scale_offset >= 0 ? DNNL_ARG_DIFF_SCALE : ARG_NOTHING);
    launch_bind(launch, made->diff_shift_offset >= 0 ? DNNL_ARG_DIFF_SHIFT : ARG_NOTHING);
    return dnnl_success;
}

dnnl_status_t norm_append_gradient(struct plan *plan, const struct norm_cells *cells, dnnl_dim_t first,
                                   dnnl_dim_t second, dnnl_dim_t *factors) {
    const struct problem *problem = &plan->problem;
    const bool weighted = cells->channels > 0;
    const dnnl_dim_t count = cells->statistics * cells->share;
    struct norm_gradient_params made = {
            .statistics = cells->statistics,
            .share = cells->share,
            .channels = cells->channels,
            .images = weighted ? count / cells->channels : 0,
            .first = first,
            .second = second,
            .mean_offset = cells->mean_offset,
            .variance_offset = cells->variance_offset,
            .scale_offset = weighted ? offset_of(problem_md(problem, DNNL_ARG_SCALE)) : -1,
            .factors = scratch_floats(plan, 4 * count),
            .cells = count,
            .diff_scale_offset = weighted ? offset_of(norm_wanted(problem, DNNL_ARG_DIFF_SCALE)) : -1,
            .diff_shift_offset = weighted ? offset_of(norm_wanted(problem, DNNL_ARG_DIFF_SHIFT)) : -1,
            .elements = (float)(md_nelems(problem_md(problem, DNNL_ARG_SRC), false) / cells->statistics),
            .eps = problem->epsilon,
            .given = (problem->flags & dnnl_use_global_stats) != 0};
    *factors = made.factors;
    return launch_gradient(plan, cells, &made);
}

dnnl_status_t norm_append_no_gradient(struct plan *plan, dnnl_dim_t channels) {
    const md_t *diff_scale = norm_wanted(&plan->problem, DNNL_ARG_DIFF_SCALE),
               *diff_shift = norm_wanted(&plan->problem, DNNL_ARG_DIFF_SHIFT);
    const bool wanted =
            diff_scale ? diff_scale->data_type == dnnl_f32 : diff_shift && diff_shift->data_type == dnnl_f32;
    if (!wanted || channels == 0) return dnnl_success;
    struct norm_cells cells = {.variance_arg = ARG_NOTHING};
    return launch_gradient(plan, &cells,
                           &(struct norm_gradient_params){.channels = channels,
                                                          .share = 1,
                                                          .mean_offset = -1,
                                                          .scale_offset = -1,
                                                          .diff_scale_offset = offset_of(diff_scale),
                                                          .diff_shift_offset = offset_of(diff_shift)});
}

/* Any layouts. */

/* A plan that is being built: diff_dst as it counts (masked by the ReLU, times the scale of its element), and
 * the factors of each cell. */
struct gradient {
    struct plan *plan;
    const struct norm_cells *cells;
    md_t src, counted, cell; /* cell: dims of src, 1 where a cell has many elements */
    int counted_arg;
    dnnl_dim_t factors;
};

/* The scale of layer normalisation, which elements of a cell do not share. */
static const md_t *element_scale(const struct gradient *g, md_t *view) {
    const md_t *scale = problem_md(&g->plan->problem, DNNL_ARG_SCALE);
    if (!scale || g->cells->channels > 0) return NULL;
    return norm_vector(view, &g->src, g->src.ndims - 1, scale->data_type) == dnnl_success ? view : NULL;
}

/* diff_dst, masked. */
static void load_diff_dst(struct rows *rows) {
    md_t mask;
    rows_load(rows, rows_operand(rows, DNNL_ARG_DIFF_DST), ROW_NONE);
    if (norm_mask(&rows->plan->problem, &mask))
        rows_keep(rows, rows_operand_at(rows, DNNL_ARG_WORKSPACE, &mask));
}

static dnnl_status_t append_counted(struct gradient *g) {
    struct rows rows;
    md_t view;
    const md_t *scale = element_scale(g, &view);
    g->counted_arg = DNNL_ARG_DIFF_DST;
    g->counted = *problem_md(&g->plan->problem, DNNL_ARG_DIFF_DST);
    if (!scale && !problem_md(&g->plan->problem, DNNL_ARG_WORKSPACE)) return dnnl_success;
    TRY(scratch_tensor(g->plan, &g->counted, &g->src, g->src.dims));
    g->counted_arg = ARG_SCRATCHPAD;
    rows_begin_at(&rows, g->plan, ARG_SCRATCHPAD, &g->counted);
    load_diff_dst(&rows);
    if (scale)
        rows_binary(&rows, dnnl_binary_mul, rows_operand_at(&rows, DNNL_ARG_SCALE, scale), ROW_NONE,
                    ROW_NONE);
    return rows_end(&rows);
}

/* What went into the sum before the ReLU has the gradient behind it. */
static dnnl_status_t append_added(struct plan *plan) {
    struct rows rows;
    if (!problem_md(&plan->problem, DNNL_ARG_DIFF_SRC_1)) return dnnl_success;
    rows_begin(&rows, plan, DNNL_ARG_DIFF_SRC_1);
    load_diff_dst(&rows);
    return rows_end(&rows);
}

static int cell_mean(struct rows *rows, const struct norm_cells *cells) {
    return cells->cell_mean_arg == ARG_NOTHING
                   ? ROW_NONE
                   : rows_operand_at(rows, cells->cell_mean_arg, &cells->cell_mean);
}

/* (src - mean) * operand, for every element. */
static dnnl_status_t append_products(const struct gradient *g, const md_t *to, int arg, const md_t *operand) {
    struct rows rows;
    rows_begin_at(&rows, g->plan, ARG_SCRATCHPAD, to);
    rows_load(&rows, rows_operand(&rows, DNNL_ARG_SRC), ROW_NONE);
    const int mean = cell_mean(&rows, g->cells);
    rows_normalize(&rows, mean, rows_operand_at(&rows, arg, operand), ROW_NONE);
    return rows_end(&rows);
}

static dnnl_status_t append_sum(struct plan *plan, int arg, const md_t *terms, unsigned kept, int to_arg,
                                const md_t *to) {
    return reduce_append(plan, &(struct reduce_request){.alg = REDUCE_SUM,
                                                        .finish = REDUCE_FINISH_NONE,
                                                        .src_arg = arg,
                                                        .src = terms,
                                                        .kept = kept,
                                                        .dst_arg = to_arg,
                                                        .dst = to});
}

/* The two sums of each cell, and the factors that follow from them. */
static dnnl_status_t append_factors(struct gradient *g, const md_t *products) {
    const bool given = g->plan->problem.flags & dnnl_use_global_stats;
    md_t first, second;
    dnnl_dims_t dims;
    for (int d = 0; d < g->src.ndims; d++)
        dims[d] = in_set(g->cells->kept, d) ? g->src.dims[d] : 1;
    TRY(md_init_by_strides(&g->cell, g->src.ndims, dims, dnnl_f32, NULL));
    first = second = g->cell;
    if (!given || (g->cells->channels > 0 && norm_wants_weights(&g->plan->problem))) {
        plan_place(g->plan, &first);
        plan_place(g->plan, &second);
        TRY(append_products(g, products, g->counted_arg, &g->counted));
        TRY(append_sum(g->plan, g->counted_arg, &g->counted, g->cells->kept, ARG_SCRATCHPAD, &first));
        TRY(append_sum(g->plan, ARG_SCRATCHPAD, products, g->cells->kept, ARG_SCRATCHPAD, &second));
    }
    return norm_append_gradient(g->plan, g->cells, first.offset0, second.offset0, &g->factors);
}

static md_t factor(const struct gradient *g, int index) {
    md_t md = g->cell;
    md.offset0 = g->factors + index * md_nelems(&md, false);
    return md;
}

static dnnl_status_t append_diff_src(const struct gradient *g) {
    const md_t a = factor(g, 1), b = factor(g, 2), c = factor(g, 3);
    struct rows rows;
    rows_begin(&rows, g->plan, DNNL_ARG_DIFF_SRC);
    if (g->plan->problem.flags & dnnl_use_global_stats) {
        rows_load(&rows, rows_operand_at(&rows, g->counted_arg, &g->counted),
                  rows_operand_at(&rows, ARG_SCRATCHPAD, &a));
        return rows_end(&rows);
    }
    rows_load(&rows, rows_operand(&rows, DNNL_ARG_SRC), ROW_NONE);
    const int mean = cell_mean(&rows, g->cells);
    rows_normalize(&rows, mean, rows_operand_at(&rows, ARG_SCRATCHPAD, &b),
                   rows_operand_at(&rows, ARG_SCRATCHPAD, &c));
    rows_binary(&rows, dnnl_binary_add, rows_operand_at(&rows, g->counted_arg, &g->counted),
                rows_operand_at(&rows, ARG_SCRATCHPAD, &a), ROW_NONE);
    return rows_end(&rows);
}

/* The gradient of a vector along the last dimension. */
static dnnl_status_t append_column_sum(const struct gradient *g, int arg, const md_t *terms, int to_arg) {
    const md_t *to = norm_wanted(&g->plan->problem, to_arg);
    const int axis = g->src.ndims - 1;
    md_t sums;
    if (!to) return dnnl_success;
    TRY(norm_vector(&sums, &g->src, axis, dnnl_f32));
    if (to->data_type == dnnl_f32) return append_sum(g->plan, arg, terms, 1u << axis, to_arg, &sums);
    plan_place(g->plan, &sums);
    TRY(append_sum(g->plan, arg, terms, 1u << axis, ARG_SCRATCHPAD, &sums));
    md_t vector = *to;
    vector.data_type = dnnl_f32;
    vector.offset0 = sums.offset0;
    return append_reorder(g->plan, ARG_SCRATCHPAD, &vector, to_arg, to, NULL);
}

/* Gradients of scale and shift of layer normalisation: sums over all cells. */
static dnnl_status_t append_weights(const struct gradient *g, const md_t *products) {
    const md_t diff_dst = *problem_md(&g->plan->problem, DNNL_ARG_DIFF_DST);
    if (norm_wanted(&g->plan->problem, DNNL_ARG_DIFF_SCALE)) {
        struct rows rows;
        const md_t a = factor(g, 1);
        rows_begin_at(&rows, g->plan, ARG_SCRATCHPAD, products);
        rows_load(&rows, rows_operand(&rows, DNNL_ARG_SRC), ROW_NONE);
        const int mean = cell_mean(&rows, g->cells);
        rows_normalize(&rows, mean, rows_operand_at(&rows, ARG_SCRATCHPAD, &a), ROW_NONE);
        rows_binary(&rows, dnnl_binary_mul, rows_operand(&rows, DNNL_ARG_DIFF_DST), ROW_NONE, ROW_NONE);
        TRY(rows_end(&rows));
    }
    TRY(append_column_sum(g, ARG_SCRATCHPAD, products, DNNL_ARG_DIFF_SCALE));
    return append_column_sum(g, DNNL_ARG_DIFF_DST, &diff_dst, DNNL_ARG_DIFF_SHIFT);
}

dnnl_status_t norm_append_backward(struct plan *plan, const struct norm_cells *cells) {
    struct gradient g = {.plan = plan, .cells = cells, .src = *problem_md(&plan->problem, DNNL_ARG_SRC)};
    md_t products;
    TRY(append_counted(&g));
    TRY(scratch_tensor(plan, &products, &g.src, g.src.dims));
    TRY(append_factors(&g, &products));
    if (cells->channels == 0) TRY(append_weights(&g, &products));
    TRY(append_added(plan));
    return append_diff_src(&g);
}
