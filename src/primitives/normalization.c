/* SPDX-License-Identifier: Apache-2.0 */
/* What normalisations share: see normalization.h. */
#include "primitives/normalization.h"
#include "base/round.h"
#include "kernels/params_normalization.h"
#include "primitives/reduce.h"
#include "primitives/rows.h"
#include "primitives/tensor.h"
#include "runtimes/runtime.h"

static dnnl_status_t check_tensors(const struct normalization_request *r, bool forward) {
    const char *component = r->component;
    REQUIRE(r->src, "an argument is NULL");
    REQUIRE((r->flags & ~r->known_flags) == 0, "unknown flags %#x", r->flags);
    REQUIRE(forward ? r->dst != NULL : r->diff_src && r->diff_dst, "an argument is NULL");
    REQUIRE(!forward || !md_is_any(r->src), "the layout of src is undefined");
    TRY(check_no_host_scalars(component, MDS(r->src, r->dst, r->statistics, r->diff_src, r->diff_dst)));
    return check_sizes_known(component, MDS(r->src, r->dst, r->statistics, r->diff_src, r->diff_dst));
}

dnnl_status_t check_normalization(const struct normalization_request *r, bool forward) {
    const char *component = r->component;
    REQUIRE(forward ? prop_is_forward(r->prop) : r->prop == dnnl_backward || r->prop == dnnl_backward_data,
            "bad propagation kind");
    TRY(check_tensors(r, forward));
    REQUIRE(r->src->ndims >= 2, "src has %d dimensions", r->src->ndims);
    if (forward) return check_same_dims(component, "src", r->src, "dst", r->dst);
    TRY(check_same_dims(component, "src", r->src, "diff_dst", r->diff_dst));
    return check_same_dims(component, "diff_src", r->diff_src, "diff_dst", r->diff_dst);
}

dnnl_status_t check_normalization_attr(const struct normalization_request *r,
                                       const struct dnnl_engine *engine, const attr_t *attr,
                                       uint64_t post_ops, bool scales) {
    const char *component = r->component;
    bool forward = prop_is_forward(r->prop);
    bool int8 = in_set(TYPES_INT8, r->src->data_type) || (forward && in_set(TYPES_INT8, r->dst->data_type));
    struct attr_rules rules = {
            .parts = (forward ? ATTR_POST_OPS : 0) | (forward && scales && int8 ? ATTR_SCALES : 0),
            .post_ops = post_ops,
    };
    TRY(check_attr(component, engine, attr, &rules));
    if (!attr || !forward) return dnnl_success;
    SUPPORT(ONLY_FOR(&attr->scales, DNNL_ARG_SRC, DNNL_ARG_DST),
            "scales of arguments other than src and dst");
    SUPPORT(MASK_IN(&attr->scales, DNNL_ARG_SRC, 0) && MASK_IN(&attr->scales, DNNL_ARG_DST, 0),
            "a mask of scales");
    SUPPORT(engine->kind != dnnl_gpu || !quants_have_host_scalars(&attr->scales),
            "scales that are host scalars");
    return check_post_ops(component, engine, attr, &rules, r->dst);
}

/* Problems. */

static enum norm_statistics statistics_of(dnnl_prop_kind_t prop, unsigned flags) {
    if (flags & dnnl_use_global_stats) return NORM_GIVEN;
    return prop == dnnl_forward_training ? NORM_STORED : NORM_INSIDE;
}

enum norm_statistics norm_statistics(const struct problem *problem) {
    return statistics_of(problem->prop, problem->flags);
}

dnnl_status_t normalization_problem(struct problem *problem, dnnl_primitive_kind_t kind,
                                    const struct normalization_request *r, float epsilon,
                                    const md_t *statistics, const md_t *weights) {
    enum norm_statistics from = statistics_of(r->prop, r->flags);
    TRY(problem_init(problem, kind, 8));
    problem->prop = r->prop;
    problem->flags = r->flags;
    problem->epsilon = epsilon;
    problem_add(problem, DNNL_ARG_SRC, false, r->src);
    if (from != NORM_INSIDE) {
        problem_add(problem, DNNL_ARG_MEAN, from == NORM_STORED, statistics);
        problem->tensors[problem->ntensors - 1].inside = (r->flags & dnnl_rms_norm) != 0;
        problem_add(problem, DNNL_ARG_VARIANCE, from == NORM_STORED, statistics);
    }
    if (r->flags & dnnl_use_scale) problem_add(problem, DNNL_ARG_SCALE, false, weights);
    if (r->flags & dnnl_use_shift) problem_add(problem, DNNL_ARG_SHIFT, false, weights);
    problem_add(problem, DNNL_ARG_DST, true, r->dst);
    return dnnl_success;
}

/* Statistics. */

dnnl_status_t norm_vector(md_t *md, const md_t *like, int dim, dnnl_data_type_t type) {
    dnnl_dims_t dims;
    for (int d = 0; d < like->ndims; d++)
        dims[d] = d == dim ? like->dims[d] : 1;
    return md_init_by_strides(md, like->ndims, dims, type, NULL);
}

static dnnl_dim_t scratch_floats(struct plan *plan, dnnl_dim_t count) {
    return (dnnl_dim_t)(plan_scratchpad(plan, (size_t)count * sizeof(float)) / sizeof(float));
}

dnnl_status_t norm_scratch_moments(struct plan *plan, struct norm_moments *m, int ndims,
                                   const dnnl_dim_t *dims) {
    m->mean_arg = m->variance_arg = ARG_SCRATCHPAD;
    TRY(md_init_by_strides(&m->mean, ndims, dims, dnnl_f32, NULL));
    m->variance = m->mean;
    m->mean.offset0 = scratch_floats(plan, md_nelems(&m->mean, true));
    m->variance.offset0 = scratch_floats(plan, md_nelems(&m->mean, true));
    return dnnl_success;
}

dnnl_status_t norm_append_moments(struct plan *plan, int src_arg, const md_t *src, unsigned kept,
                                  const struct norm_moments *m) {
    return reduce_append(plan, &(struct reduce_request){.alg = REDUCE_MOMENTS,
                                                        .about_zero = m->about_zero,
                                                        .src_arg = src_arg,
                                                        .src = src,
                                                        .kept = kept,
                                                        .dst_arg = m->mean_arg,
                                                        .dst = &m->mean,
                                                        .second_arg = m->variance_arg,
                                                        .second = &m->variance});
}

/* Application. */

dnnl_status_t norm_append_factors(struct plan *plan, const struct norm_moments *m, dnnl_dim_t count,
                                  dnnl_dim_t share, dnnl_dim_t channels, dnnl_dim_t *factor,
                                  dnnl_dim_t *expanded) {
    const md_t *scale = channels ? problem_md(&plan->problem, DNNL_ARG_SCALE) : NULL;
    struct norm_factors_params made = {.count = count,
                                       .channels = channels,
                                       .share = share,
                                       .mean_offset = m->mean.offset0,
                                       .variance_offset = m->variance.offset0,
                                       .scale_offset = scale ? scale->offset0 : -1,
                                       .factor_offset = scratch_floats(plan, count),
                                       .expanded_offset = expanded ? scratch_floats(plan, count) : -1,
                                       .eps = plan->problem.epsilon};
    struct launch *launch;
    struct norm_factors_params *p =
            plan_launch(plan, &kernel_normalization_factors,
                        range_of_items(divide_up(count, 16), full_group(plan->device)), &launch);
    if (!p) return dnnl_out_of_memory;
    *p = made;
    launch_bind(launch, expanded ? m->mean_arg : ARG_NOTHING);
    launch_bind(launch, m->variance_arg);
    launch_bind(launch, scale ? DNNL_ARG_SCALE : ARG_NOTHING);
    launch_bind(launch, ARG_SCRATCHPAD);
    *factor = made.factor_offset;
    if (expanded) *expanded = made.expanded_offset;
    return dnnl_success;
}

static int operand_or_none(struct rows *rows, int arg, const md_t *md) {
    return arg == ARG_NOTHING ? ROW_NONE : rows_operand_at(rows, arg, md);
}

/* What comes before the activation. */
static void normalize(struct rows *rows, const struct norm_factors *f) {
    const struct problem *problem = &rows->plan->problem;
    rows_load(rows, rows_operand(rows, DNNL_ARG_SRC), ROW_NONE);
    int mean = operand_or_none(rows, f->mean_arg, &f->mean),
        factor = operand_or_none(rows, f->factor_arg, &f->factor),
        shift = operand_or_none(rows, f->shift_arg, &f->shift);
    if (f->scale_arg == ARG_NOTHING) {
        rows_normalize(rows, mean, factor, shift);
    } else {
        rows_normalize(rows, mean, factor, ROW_NONE);
        rows_normalize(rows, ROW_NONE, operand_or_none(rows, f->scale_arg, &f->scale), shift);
    }
    if (problem->flags & dnnl_fuse_norm_add_relu)
        rows_binary(rows, dnnl_binary_add, rows_operand(rows, DNNL_ARG_SRC_1), ROW_NONE, ROW_NONE);
}

/* The workspace says which results the ReLU passes on, in the order of dst in memory. */
static dnnl_status_t append_workspace(struct plan *plan, const struct norm_factors *f) {
    struct rows rows;
    md_t mask = *problem_md(&plan->problem, DNNL_ARG_DST);
    mask.data_type = dnnl_u8;
    mask.offset0 = 0;
    rows_begin_at(&rows, plan, DNNL_ARG_WORKSPACE, &mask);
    normalize(&rows, f);
    rows_is_positive(&rows);
    return rows_end(&rows);
}

/* dst may be src, so the workspace is written first. */
dnnl_status_t norm_append_apply(struct plan *plan, const struct norm_factors *f) {
    struct rows rows;
    if (problem_md(&plan->problem, DNNL_ARG_WORKSPACE)) TRY(append_workspace(plan, f));
    rows_begin(&rows, plan, DNNL_ARG_DST);
    normalize(&rows, f);
    if (plan->problem.flags & (dnnl_fuse_norm_relu | dnnl_fuse_norm_add_relu))
        rows_eltwise(&rows, dnnl_eltwise_relu, 0, 0);
    int scale = rows_scale(&rows, DNNL_ARG_SRC, NULL);
    if (scale != ROW_NONE) rows_binary(&rows, dnnl_binary_mul, scale, ROW_NONE, ROW_NONE);
    rows_post_ops(&rows);
    return rows_end(&rows);
}
