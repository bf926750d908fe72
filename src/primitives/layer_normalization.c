/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layer normalisation, forward: creation and plans. Rows that fit into the cache are normalised one at a
 * time, and attributes are applied to the results; other rows take statistics first.
 */
#include "base/round.h"
#include "kernels/params_normalization.h"
#include "oneapi/dnnl/dnnl.h"
#include "primitives/apart.h"
#include "primitives/epilogue.h"
#include "primitives/layer_normalization.h"
#include "primitives/moved.h"
#include "primitives/primitives.h"
#include "primitives/reduce.h"
#include "primitives/tensor.h"
#include "runtimes/runtime.h"

static const char component[] = "layer_normalization";
bool layer_statistics_fit(const md_t *src, const md_t *statistics) {
    if (md_is_zero(statistics)) return true;
    if (statistics->ndims != src->ndims - 1) return false;
    for (int d = 0; d < statistics->ndims; d++)
        if (statistics->dims[d] != src->dims[d]) return false;
    return true;
}

dnnl_status_t layer_check_ndims(const md_t *src) {
    REQUIRE(!src || (src->ndims >= 2 && src->ndims <= 5), "src has %d dimensions", src->ndims);
    return dnnl_success;
}

dnnl_status_t layer_describe(const md_t *src, const md_t *given, dnnl_data_type_t weights_type,
                             md_t *statistics, md_t *weights) {
    dnnl_dims_t channels = {src->dims[src->ndims - 1]};
    TRY(md_init_by_string(weights, 1, channels, weights_type, "a"));
    if (md_is_zero(given))
        return md_init(statistics, src->ndims - 1, src->dims, dnnl_f32, dnnl_format_kind_any);
    *statistics = *given;
    return dnnl_success;
}

dnnl_status_t dnnl_layer_normalization_forward_primitive_desc_create_v2(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop, const_dnnl_memory_desc_t src,
        const_dnnl_memory_desc_t dst, const_dnnl_memory_desc_t statistics, dnnl_data_type_t scale_type,
        float epsilon, unsigned flags, const_dnnl_primitive_attr_t attr) {
    struct normalization_request r = {.component = component,
                                      .prop = prop,
                                      .src = src,
                                      .dst = dst,
                                      .statistics = statistics,
                                      .flags = flags,
                                      .known_flags = LAYER_FLAGS};
    TRY(layer_check_ndims(src));
    TRY(check_normalization(&r, true));
    TRY(check_normalization_attr(&r, engine, attr, BIT(dnnl_binary) | BIT(dnnl_eltwise), true));
    SUPPORT(md_is_blocked(src) && (md_is_any(dst) || md_is_blocked(dst)), "a layout that is not blocked");
    SUPPORT(layer_statistics_fit(src, statistics), "statistics that do not have the dimensions of src");

    struct problem problem;
    md_t described, weights;
    TRY(layer_describe(src, statistics, scale_type, &described, &weights));
    TRY(normalization_problem(&problem, dnnl_layer_normalization, &r, epsilon, &described, &weights));
    return create_desc(component, pd, engine, &problem, attr);
}

dnnl_status_t dnnl_layer_normalization_forward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop, const_dnnl_memory_desc_t src,
        const_dnnl_memory_desc_t dst, const_dnnl_memory_desc_t statistics, float epsilon, unsigned flags,
        const_dnnl_primitive_attr_t attr) {
    return dnnl_layer_normalization_forward_primitive_desc_create_v2(pd, engine, prop, src, dst, statistics,
                                                                     dnnl_f32, epsilon, flags, attr);
}

/* Layouts: dst and open statistics follow src. */

dnnl_status_t layer_statistics_layout(const struct problem *problem, const md_t *src) {
    md_t *mean = problem_md(problem, DNNL_ARG_MEAN), *variance = problem_md(problem, DNNL_ARG_VARIANCE);
    if (!variance || !md_is_any(variance)) return dnnl_success;
    md_t rows = *src;
    rows.ndims--;
    rows.blocking.inner_nblks = 0;
    TRY(md_set_any_like(variance, &rows));
    if (mean) *mean = *variance;
    return dnnl_success;
}

static dnnl_status_t decide_layouts(struct problem *problem) {
    const md_t *src = problem_md(problem, DNNL_ARG_SRC);
    TRY(md_set_any_like(problem_md(problem, DNNL_ARG_DST), src));
    return layer_statistics_layout(problem, src);
}

static const uint64_t usual_types = BIT(dnnl_f32) | BIT(dnnl_bf16) | BIT(dnnl_f16) | TYPES_INT8;

static dnnl_status_t check_types(struct plan *plan, uint64_t data) {
    static const uint64_t weights = BIT(dnnl_f32) | BIT(dnnl_bf16) | BIT(dnnl_f16);
    const struct problem *problem = &plan->problem;
    const md_t *scale = problem_md(problem, DNNL_ARG_SCALE), *shift = problem_md(problem, DNNL_ARG_SHIFT),
               *variance = problem_md(problem, DNNL_ARG_VARIANCE);
    if (!in_set(data, problem_md(problem, DNNL_ARG_SRC)->data_type)
        || !in_set(data, problem_md(problem, DNNL_ARG_DST)->data_type))
        return plan_skip(plan, "unsupported types of src and dst");
    if ((scale && !in_set(weights, scale->data_type)) || (shift && !in_set(weights, shift->data_type)))
        return plan_skip(plan, "unsupported type of scale and shift");
    if (variance && (variance->data_type != dnnl_f32 || !md_is_blocked(variance)))
        return plan_skip(plan, "statistics are not f32");
    return dnnl_success;
}

/* One row at a time. */

/* Adds the loops over rows. False: they do not fit. */
static bool cut_rows(struct norm_rows_params *p, const md_t *src, const md_t *dst, const md_t *statistics) {
    struct walk walk;
    const int axis = src->ndims - 1;
    if (md_has_padding(src) || md_has_padding(dst) || (statistics && md_has_padding(statistics)))
        return false;
    walk_cut(&walk, src);
    p->rows = 1;
    p->src_stride = p->dst_stride = 1;
    for (int l = 0; l < walk.nloops; l++) {
        const struct walk_loop *from = &walk.loops[l];
        struct norm_loop loop = {.size = from->size, .src = from->stride};
        if (!walk_distance(dst, from->dim, from->step, from->size, &loop.dst)) return false;
        if (from->dim == axis && from->size != p->length) return false;
        if (from->dim == axis) {
            p->src_stride = loop.src, p->dst_stride = loop.dst;
            continue;
        }
        if (statistics && !walk_distance(statistics, from->dim, from->step, from->size, &loop.stat))
            return false;
        if (p->nloops == NORM_LOOPS) return false;
        p->loops[p->nloops++] = loop;
        p->rows *= loop.size;
    }
    return true;
}

static void set_types(struct norm_rows_params *p, const struct problem *problem, const md_t *dst) {
    const md_t *src = problem_md(problem, DNNL_ARG_SRC), *scale = problem_md(problem, DNNL_ARG_SCALE),
               *shift = problem_md(problem, DNNL_ARG_SHIFT), *mean = problem_md(problem, DNNL_ARG_MEAN),
               *variance = problem_md(problem, DNNL_ARG_VARIANCE);
    p->src_type = (i32)src->data_type, p->src_offset = src->offset0;
    p->dst_type = (i32)dst->data_type, p->dst_offset = dst->offset0;
    if (scale) p->scale_type = (i32)scale->data_type, p->scale_offset = scale->offset0;
    if (shift) p->shift_type = (i32)shift->data_type, p->shift_offset = shift->offset0;
    if (mean) p->mean_offset = mean->offset0;
    if (variance) p->variance_offset = variance->offset0;
}

static struct norm_rows_params rows_of(const struct problem *problem) {
    const md_t *src = problem_md(problem, DNNL_ARG_SRC);
    return (struct norm_rows_params){.length = src->dims[src->ndims - 1],
                                     .given = norm_statistics(problem) == NORM_GIVEN,
                                     .training = norm_statistics(problem) == NORM_STORED,
                                     .about_zero = (problem->flags & dnnl_rms_norm) != 0,
                                     .eps = problem->epsilon};
}

static dnnl_status_t launch_rows(struct plan *plan, const struct kernel *kernel,
                                 struct norm_rows_params *made, int to) {
    enum { WORK = 8192 };
    made->span = WORK / made->length > 1 ? WORK / made->length : 1;
    struct launch *launch;
    const struct range range = range_of_items(divide_up(made->rows, made->span), full_group(plan->device));
    struct norm_rows_params *p = plan_launch(plan, kernel, range, &launch);
    if (!p) return dnnl_out_of_memory;
    *p = *made;
    const bool kept = norm_statistics(&plan->problem) != NORM_INSIDE;
    launch_bind(launch, DNNL_ARG_SRC);
    launch_bind(launch, made->scale_type ? DNNL_ARG_SCALE : ARG_NOTHING);
    launch_bind(launch, made->shift_type ? DNNL_ARG_SHIFT : ARG_NOTHING);
    launch_bind(launch, kept && !made->about_zero ? DNNL_ARG_MEAN : ARG_NOTHING);
    launch_bind(launch, kept ? DNNL_ARG_VARIANCE : ARG_NOTHING);
    launch_bind(launch, to);
    launch_may_stream_to(launch, to, &p->streams);
    return dnnl_success;
}

static dnnl_status_t build_rows(struct plan *plan) {
    const struct problem *problem = &plan->problem;
    TRY(plan_takes(plan, &kernel_normalize_rows));
    TRY(decide_layouts(&plan->problem));
    TRY(check_types(plan, usual_types));
    const md_t *src = problem_md(problem, DNNL_ARG_SRC), *dst = problem_md(problem, DNNL_ARG_DST);
    struct norm_rows_params made = rows_of(problem);
    if (made.length > NORM_ROW) return plan_skip(plan, "rows are too long");
    md_t normalized = *dst;
    const int to = attr_is_default(&plan->attr) ? DNNL_ARG_DST : apart_place(plan, &normalized);
    set_types(&made, problem, &normalized);
    if (!cut_rows(&made, src, &normalized, problem_md(problem, DNNL_ARG_VARIANCE)))
        return plan_skip(plan, "rows are not at regular distances");
    if (made.src_stride != 1 || made.dst_stride != 1) return plan_skip(plan, "rows are not dense");
    if (md_nelems(src, true) == 0) return epilogue_add_arguments(plan, dst);
    TRY(launch_rows(plan, &kernel_normalize_rows, &made, to));
    return attr_is_default(&plan->attr) ? dnnl_success : apart_finish(plan, to, &normalized, DNNL_ARG_SRC);
}

static bool has_dense_rows(const md_t *md) {
    return md->data_type == dnnl_f64 && md_is_plain(md) && !md_has_padding(md)
           && (md->blocking.strides[md->ndims - 1] == 1 || md->dims[md->ndims - 1] == 1);
}

/* In doubles, which other types and layouts are moved to. */
static dnnl_status_t build_doubles(struct plan *plan) {
    const struct problem *problem = &plan->problem;
    struct moved moved = {.plan = plan};
    char tag[MOVED_TAG];
    TRY(plan_takes(plan, &kernel_f64_normalize_rows));
    TRY(decide_layouts(&plan->problem));
    TRY(check_types(plan, usual_types | BIT(dnnl_f64)));
    const md_t *src = problem_md(problem, DNNL_ARG_SRC), *dst = problem_md(problem, DNNL_ARG_DST);
    if (src->data_type != dnnl_f64 && dst->data_type != dnnl_f64) return plan_skip(plan, "no tensor is f64");
    if (apart_has_rest(&plan->attr)) return apart_build(plan, layer_normalization_forward);
    if (!attr_is_default(&plan->attr)) return plan_skip(plan, "src has a scale");
    if (md_nelems(src, true) == 0) return dnnl_success;
    if (!has_dense_rows(src)) TRY(moved_add(&moved, DNNL_ARG_SRC, dnnl_f64, row_major_tag(src, tag)));
    if (!has_dense_rows(dst)) TRY(moved_add(&moved, DNNL_ARG_DST, dnnl_f64, row_major_tag(dst, tag)));
    if (moved.count > 0) return moved_build(&moved, layer_normalization_forward);
    struct norm_rows_params made = rows_of(problem);
    set_types(&made, problem, dst);
    if (!cut_rows(&made, src, dst, problem_md(problem, DNNL_ARG_VARIANCE)))
        return plan_skip(plan, "rows are not at regular distances");
    return launch_rows(plan, &kernel_f64_normalize_rows, &made, DNNL_ARG_DST);
}

/* Statistics first, then results. */

/* Copies one statistic between the user's tensor and scratchpad. */
static dnnl_status_t copy_statistic(struct plan *plan, int arg, const md_t *inside, bool out) {
    const md_t users = *problem_md(&plan->problem, arg);
    md_t view;
    TRY(md_init_by_strides(&view, users.ndims, users.dims, dnnl_f32, NULL));
    view.offset0 = inside->offset0;
    if (out) return append_reorder(plan, ARG_SCRATCHPAD, &view, arg, &users, NULL);
    return append_reorder(plan, arg, &users, ARG_SCRATCHPAD, &view, NULL);
}

dnnl_status_t layer_copy_statistics(struct plan *plan, const struct norm_moments *m, bool out) {
    if (!m->about_zero) TRY(copy_statistic(plan, DNNL_ARG_MEAN, &m->mean, out));
    return copy_statistic(plan, DNNL_ARG_VARIANCE, &m->variance, out);
}

static dnnl_status_t append_statistics(struct plan *plan, struct norm_moments *m) {
    const md_t src = *problem_md(&plan->problem, DNNL_ARG_SRC);
    const int axis = src.ndims - 1;
    dnnl_dims_t dims;
    for (int d = 0; d < src.ndims; d++)
        dims[d] = d == axis ? 1 : src.dims[d];
    TRY(norm_scratch_moments(plan, m, src.ndims, dims));
    enum norm_statistics from = norm_statistics(&plan->problem);
    if (from == NORM_GIVEN) return layer_copy_statistics(plan, m, false);
    TRY(norm_append_moments(plan, DNNL_ARG_SRC, &src, (1u << axis) - 1, m));
    return from == NORM_STORED ? layer_copy_statistics(plan, m, true) : dnnl_success;
}

static dnnl_status_t build_split(struct plan *plan) {
    struct norm_moments m = {.about_zero = (plan->problem.flags & dnnl_rms_norm) != 0};
    TRY(decide_layouts(&plan->problem));
    TRY(check_types(plan, usual_types));
    const md_t src = *problem_md(&plan->problem, DNNL_ARG_SRC);
    const md_t *scale = problem_md(&plan->problem, DNNL_ARG_SCALE),
               *shift = problem_md(&plan->problem, DNNL_ARG_SHIFT);
    struct norm_factors f = {.factor_arg = ARG_SCRATCHPAD};
    if (scale) f.scale_arg = DNNL_ARG_SCALE;
    if (scale) TRY(norm_vector(&f.scale, &src, src.ndims - 1, scale->data_type));
    if (shift) f.shift_arg = DNNL_ARG_SHIFT;
    if (shift) TRY(norm_vector(&f.shift, &src, src.ndims - 1, shift->data_type));
    if (md_nelems(&src, true) == 0)
        return epilogue_add_arguments(plan, problem_md(&plan->problem, DNNL_ARG_DST));
    TRY(append_statistics(plan, &m));
    f.factor = f.mean = m.mean;
    if (!m.about_zero) f.mean_arg = m.mean_arg;
    TRY(norm_append_factors(plan, &m, md_nelems(&m.mean, true), 1, 0, &f.factor.offset0, NULL));
    return norm_append_apply(plan, &f);
}

const struct implementation layer_normalization_forward[] = {
        {"normalize_rows", build_rows, NULL},
        {"layer_normalization", build_split, NULL},
        {"f64_normalize_rows", build_doubles, NULL},
        {NULL, NULL, NULL},
};
