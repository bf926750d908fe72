/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layer normalisation, backward: creation and plans. Rows that are dense in all tensors take one pass; others
 * are element-wise programs and reductions.
 */
#include "base/round.h"
#include "kernels/params_doubles.h"
#include "oneapi/dnnl/dnnl.h"
#include "primitives/layer_normalization.h"
#include "primitives/moved.h"
#include "primitives/normalization_backward.h"
#include "primitives/primitives.h"
#include "primitives/reduce.h"
#include "primitives/tensor.h"
#include "runtimes/runtime.h"

static const char component[] = "layer_normalization";

static dnnl_status_t check_statistics(const md_t *src, const md_t *statistics, dnnl_data_type_t weights,
                                      unsigned flags) {
    const uint64_t floats = BIT(dnnl_f32) | BIT(dnnl_bf16) | BIT(dnnl_f16);
    const bool weighted = flags & (dnnl_use_scale | dnnl_use_shift);
    REQUIRE(layer_statistics_fit(src, statistics), "the statistics do not have the dimensions of src");
    SUPPORT(!weighted || in_set(floats, weights), "the type of scale and shift");
    if (md_is_zero(statistics)) return dnnl_success;
    SUPPORT(statistics->data_type == dnnl_f32, "statistics that are not f32");
    SUPPORT(md_is_any(statistics) || md_is_blocked(statistics), "a layout that is not blocked");
    return dnnl_success;
}

dnnl_status_t dnnl_layer_normalization_backward_primitive_desc_create_v2(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop,
        const_dnnl_memory_desc_t diff_src, const_dnnl_memory_desc_t diff_dst, const_dnnl_memory_desc_t src,
        const_dnnl_memory_desc_t statistics, dnnl_data_type_t diff_scale_type, dnnl_data_type_t scale_type,
        float epsilon, unsigned flags, const_dnnl_primitive_desc_t hint, const_dnnl_primitive_attr_t attr) {
    struct normalization_request r = {.component = component,
                                      .prop = prop,
                                      .src = src,
                                      .diff_src = diff_src,
                                      .diff_dst = diff_dst,
                                      .statistics = statistics,
                                      .flags = flags,
                                      .known_flags = LAYER_FLAGS};
    TRY(layer_check_ndims(src));
    TRY(check_normalization(&r, false));
    bool scaled = prop == dnnl_backward && (flags & (dnnl_use_scale | dnnl_use_shift));
    SUPPORT(!scaled || diff_scale_type == scale_type, "scales and gradients of different types");
    TRY(check_statistics(src, statistics, scale_type, flags));
    TRY(check_normalization_attr(&r, engine, attr, 0, true));
    TRY(check_normalization_backward(&r, false, true));

    struct problem problem;
    md_t described, weights;
    TRY(layer_describe(src, statistics, scale_type, &described, &weights));
    TRY(normalization_backward_problem(&problem, dnnl_layer_normalization, &r, epsilon, &described, &weights,
                                       NULL));
    return create_backward_desc(component, pd, engine, &problem, hint, attr);
}

dnnl_status_t dnnl_layer_normalization_backward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop,
        const_dnnl_memory_desc_t diff_src, const_dnnl_memory_desc_t diff_dst, const_dnnl_memory_desc_t src,
        const_dnnl_memory_desc_t statistics, float epsilon, unsigned flags, const_dnnl_primitive_desc_t hint,
        const_dnnl_primitive_attr_t attr) {
    return dnnl_layer_normalization_backward_primitive_desc_create_v2(pd, engine, prop, diff_src, diff_dst,
                                                                      src, statistics, dnnl_f32, dnnl_f32,
                                                                      epsilon, flags, hint, attr);
}

/* Open statistics have the layout of the forward primitive's. */
static dnnl_status_t decide_layouts(struct problem *problem) {
    md_t *mean = problem_md(problem, DNNL_ARG_MEAN), *variance = problem_md(problem, DNNL_ARG_VARIANCE);
    const md_t *hinted = problem_hint_md(problem, DNNL_ARG_VARIANCE);
    TRY(norm_backward_layouts(problem));
    if (md_is_any(variance) && hinted && md_same_dims(hinted, variance)) *mean = *variance = *hinted;
    return layer_statistics_layout(problem, problem_md(problem, DNNL_ARG_SRC));
}

static bool about_zero(const struct plan *plan) {
    return (plan->problem.flags & dnnl_rms_norm) != 0;
}

static const int data_args[] = {DNNL_ARG_SRC, DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_SRC};

static bool has_doubles(const struct problem *problem) {
    for (int i = 0; i < 3; i++)
        if (problem_md(problem, data_args[i])->data_type == dnnl_f64) return true;
    return false;
}

/* One row at a time. */

/* Adds the loops over rows. False: they do not fit. */
static bool cut_rows(struct norm_gradient_rows_params *p, const md_t *src, const md_t *diff_dst,
                     const md_t *diff_src, const md_t *statistics) {
    struct walk walk;
    const int axis = src->ndims - 1;
    i64 row[3] = {1, 1, 1};
    if (md_has_padding(src) || md_has_padding(diff_dst) || md_has_padding(diff_src)
        || md_has_padding(statistics))
        return false;
    walk_cut(&walk, src);
    p->rows = 1;
    for (int l = 0; l < walk.nloops; l++) {
        const struct walk_loop *from = &walk.loops[l];
        struct norm_gradient_loop loop = {.size = from->size, .src = from->stride};
        if (!walk_distance(diff_dst, from->dim, from->step, from->size, &loop.diff_dst)
            || !walk_distance(diff_src, from->dim, from->step, from->size, &loop.diff_src))
            return false;
        if (from->dim == axis) {
            if (from->size != p->length) return false;
            row[0] = loop.src, row[1] = loop.diff_dst, row[2] = loop.diff_src;
            continue;
        }
        if (!walk_distance(statistics, from->dim, from->step, from->size, &loop.stat)) return false;
        if (p->nloops == NORM_LOOPS) return false;
        p->loops[p->nloops++] = loop;
        p->rows *= loop.size;
    }
    return row[0] == 1 && row[1] == 1 && row[2] == 1;
}

static void describe(struct norm_gradient_rows_params *p, const struct problem *problem) {
    const md_t *src = problem_md(problem, DNNL_ARG_SRC), *diff_dst = problem_md(problem, DNNL_ARG_DIFF_DST),
               *diff_src = problem_md(problem, DNNL_ARG_DIFF_SRC),
               *scale = problem_md(problem, DNNL_ARG_SCALE);
    *p = (struct norm_gradient_rows_params){.src_type = (i32)src->data_type,
                                            .diff_dst_type = (i32)diff_dst->data_type,
                                            .diff_src_type = (i32)diff_src->data_type,
                                            .scale_type = scale ? (i32)scale->data_type : 0,
                                            .given = (problem->flags & dnnl_use_global_stats) != 0,
                                            .about_zero = (problem->flags & dnnl_rms_norm) != 0,
                                            .eps = problem->epsilon,
                                            .length = src->dims[src->ndims - 1],
                                            .src_offset = src->offset0,
                                            .diff_dst_offset = diff_dst->offset0,
                                            .diff_src_offset = diff_src->offset0,
                                            .mean_offset = problem_md(problem, DNNL_ARG_MEAN)->offset0,
                                            .variance_offset =
                                                    problem_md(problem, DNNL_ARG_VARIANCE)->offset0,
                                            .scale_offset = scale ? scale->offset0 : 0,
                                            .diff_scale = -1};
}

static void bind_inputs(struct launch *launch, const struct norm_gradient_rows_params *made) {
    launch_bind(launch, DNNL_ARG_SRC);
    launch_bind(launch, DNNL_ARG_DIFF_DST);
    launch_bind(launch, made->scale_type ? DNNL_ARG_SCALE : ARG_NOTHING);
    launch_bind(launch, made->about_zero ? ARG_NOTHING : DNNL_ARG_MEAN);
    launch_bind(launch, DNNL_ARG_VARIANCE);
}

static dnnl_status_t launch_rows(struct plan *plan, const struct norm_gradient_rows_params *made) {
    struct launch *launch;
    const struct range range = range_of_items(divide_up(made->rows, made->span), 1);
    struct norm_gradient_rows_params *p = plan_launch(plan, &kernel_norm_gradient_rows, range, &launch);
    if (!p) return dnnl_out_of_memory;
    *p = *made;
    bind_inputs(launch, made);
    launch_bind(launch, made->diff_scale >= 0 ? ARG_SCRATCHPAD : ARG_NOTHING);
    launch_bind(launch, DNNL_ARG_DIFF_SRC);
    return dnnl_success;
}

/* Adds up what the work-items have left in scratchpad. */
static dnnl_status_t append_weights(struct plan *plan, const md_t *parts, int arg) {
    const md_t *to = norm_wanted(&plan->problem, arg);
    dnnl_dims_t dims = {1, parts->dims[1]};
    md_t sums;
    if (!to) return dnnl_success;
    const bool direct = to->data_type == dnnl_f32;
    TRY(md_init_by_strides(&sums, 2, dims, dnnl_f32, NULL));
    if (!direct) plan_place(plan, &sums);
    TRY(reduce_append(plan, &(struct reduce_request){.alg = REDUCE_SUM,
                                                     .finish = REDUCE_FINISH_NONE,
                                                     .src_arg = ARG_SCRATCHPAD,
                                                     .src = parts,
                                                     .kept = BIT(1),
                                                     .dst_arg = direct ? arg : ARG_SCRATCHPAD,
                                                     .dst = &sums}));
    if (direct) return dnnl_success;
    md_t vector = *to;
    vector.data_type = dnnl_f32;
    vector.offset0 = sums.offset0;
    return append_reorder(plan, ARG_SCRATCHPAD, &vector, arg, to, NULL);
}

static dnnl_status_t build_rows(struct plan *plan) {
    enum { WORK = 32768, LEAST = 4 };
    const struct problem *problem = &plan->problem;
    struct norm_gradient_rows_params made;
    md_t scales, shifts;
    TRY(plan_takes(plan, &kernel_norm_gradient_rows));
    TRY(decide_layouts(&plan->problem));
    if (has_doubles(problem)) return plan_skip(plan, "a tensor is f64");
    describe(&made, problem);
    const md_t *src = problem_md(problem, DNNL_ARG_SRC);
    if (md_nelems(src, false) == 0) return norm_append_no_gradient(plan, made.length);
    if (made.length > NORM_ROW) return plan_skip(plan, "rows are too long");
    if (!cut_rows(&made, src, problem_md(problem, DNNL_ARG_DIFF_DST), problem_md(problem, DNNL_ARG_DIFF_SRC),
                  problem_md(problem, DNNL_ARG_VARIANCE)))
        return plan_skip(plan, "rows are not dense, or not at regular distances");
    made.span = WORK / made.length / LEAST * LEAST;
    if (made.span < LEAST) made.span = LEAST;
    if (!norm_wants_weights(problem)) return launch_rows(plan, &made);
    dnnl_dims_t dims = {divide_up(made.rows, made.span), made.length};
    TRY(md_init_by_strides(&scales, 2, dims, dnnl_f32, NULL));
    shifts = scales;
    plan_place(plan, &scales);
    plan_place(plan, &shifts);
    made.diff_scale = scales.offset0;
    made.diff_shift = shifts.offset0;
    TRY(launch_rows(plan, &made));
    TRY(append_weights(plan, &scales, DNNL_ARG_DIFF_SCALE));
    return append_weights(plan, &shifts, DNNL_ARG_DIFF_SHIFT);
}

/* In doubles. */

static dnnl_status_t append_doubles(struct plan *plan, struct norm_gradient_rows_params *made) {
    enum { WORK = 8192 };
    struct launch *launch;
    made->span = WORK / made->length > 1 ? WORK / made->length : 1;
    const struct range range = range_of_items(divide_up(made->rows, made->span), full_group(plan->device));
    struct norm_gradient_rows_params *p = plan_launch(plan, &kernel_f64_norm_gradient_rows, range, &launch);
    if (!p) return dnnl_out_of_memory;
    *p = *made;
    bind_inputs(launch, made);
    launch_bind(launch, DNNL_ARG_DIFF_SRC);
    return dnnl_success;
}

static dnnl_status_t append_weights_of_doubles(struct plan *plan,
                                               const struct norm_gradient_rows_params *made) {
    struct launch *launch;
    const md_t *scale = norm_wanted(&plan->problem, DNNL_ARG_DIFF_SCALE),
               *shift = norm_wanted(&plan->problem, DNNL_ARG_DIFF_SHIFT);
    const struct range range =
            range_of_items(divide_up(made->length, F64_NORM_COLUMNS), full_group(plan->device));
    struct f64_norm_weights_params *p = plan_launch(plan, &kernel_f64_norm_gradient_weights, range, &launch);
    if (!p) return dnnl_out_of_memory;
    p->rows = *made;
    if (scale) p->diff_scale_type = (i32)scale->data_type, p->diff_scale_offset = scale->offset0;
    if (shift) p->diff_shift_type = (i32)shift->data_type, p->diff_shift_offset = shift->offset0;
    launch_bind(launch, DNNL_ARG_SRC);
    launch_bind(launch, DNNL_ARG_DIFF_DST);
    launch_bind(launch, made->about_zero ? ARG_NOTHING : DNNL_ARG_MEAN);
    launch_bind(launch, DNNL_ARG_VARIANCE);
    launch_bind(launch, scale ? DNNL_ARG_DIFF_SCALE : ARG_NOTHING);
    launch_bind(launch, shift ? DNNL_ARG_DIFF_SHIFT : ARG_NOTHING);
    return dnnl_success;
}

/* Other types and layouts are moved. */
static dnnl_status_t build_doubles(struct plan *plan) {
    const struct problem *problem = &plan->problem;
    struct norm_gradient_rows_params made;
    struct moved moved = {.plan = plan};
    char tag[MOVED_TAG];
    TRY(plan_takes(plan, &kernel_f64_norm_gradient_rows));
    TRY(decide_layouts(&plan->problem));
    if (!has_doubles(problem)) return plan_skip(plan, "no tensor is f64");
    describe(&made, problem);
    const md_t *src = problem_md(problem, DNNL_ARG_SRC);
    if (md_nelems(src, false) == 0) return norm_append_no_gradient(plan, made.length);
    for (int i = 0; i < 3; i++) {
        const md_t *md = problem_md(problem, data_args[i]);
        if (md->data_type != dnnl_f64 || !md_matches_tag(md, row_major_tag(md, tag)))
            TRY(moved_add(&moved, data_args[i], dnnl_f64, row_major_tag(md, tag)));
    }
    if (moved.count > 0) return moved_build(&moved, layer_normalization_backward);
    if (!cut_rows(&made, src, problem_md(problem, DNNL_ARG_DIFF_DST), problem_md(problem, DNNL_ARG_DIFF_SRC),
                  problem_md(problem, DNNL_ARG_VARIANCE)))
        return plan_skip(plan, "statistics are not at regular distances");
    TRY(append_doubles(plan, &made));
    return norm_wants_weights(problem) ? append_weights_of_doubles(plan, &made) : dnnl_success;
}

/* Any layouts: a cell is a row. */

static dnnl_status_t build_split(struct plan *plan) {
    struct norm_moments m = {.about_zero = about_zero(plan)};
    TRY(decide_layouts(&plan->problem));
    if (has_doubles(&plan->problem)) return plan_skip(plan, "a tensor is f64");
    const md_t src = *problem_md(&plan->problem, DNNL_ARG_SRC);
    const int axis = src.ndims - 1;
    if (md_nelems(&src, false) == 0) return norm_append_no_gradient(plan, src.dims[axis]);
    dnnl_dims_t dims;
    for (int d = 0; d < src.ndims; d++)
        dims[d] = d == axis ? 1 : src.dims[d];
    TRY(norm_scratch_moments(plan, &m, src.ndims, dims));
    TRY(layer_copy_statistics(plan, &m, false));
    struct norm_cells cells = {.kept = (1u << axis) - 1,
                               .statistics = md_nelems(&m.mean, false),
                               .share = 1,
                               .mean_arg = ARG_SCRATCHPAD,
                               .variance_arg = ARG_SCRATCHPAD,
                               .mean_offset = m.about_zero ? -1 : m.mean.offset0,
                               .variance_offset = m.variance.offset0,
                               .cell_mean_arg = m.about_zero ? ARG_NOTHING : ARG_SCRATCHPAD,
                               .cell_mean = m.mean};
    return norm_append_backward(plan, &cells);
}

const struct implementation layer_normalization_backward[] = {
        {"norm_gradient_rows", build_rows, NULL},
        {"layer_normalization_backward", build_split, NULL},
        {"f64_norm_gradient_rows", build_doubles, NULL},
        {NULL, NULL, NULL},
};
