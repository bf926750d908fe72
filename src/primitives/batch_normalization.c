/* SPDX-License-Identifier: Apache-2.0 */
/* Batch normalisation: creation and plans. Forward: statistics first, then results. Backward: sums of each
 * channel first. */
#include "kernels/kernel.h"
#include "oneapi/dnnl/dnnl.h"
#include "primitives/epilogue.h"
#include "primitives/normalization_backward.h"
#include "primitives/primitives.h"

static const char component[] = "batch_normalization";
static const unsigned known_flags = dnnl_use_global_stats | dnnl_use_scale | dnnl_use_shift
                                    | dnnl_fuse_norm_relu | dnnl_fuse_norm_add_relu;

/* One byte for each element of dst in memory, padding included. */
static dnnl_status_t add_workspace(struct problem *problem, const md_t *dst) {
    md_t md;
    dnnl_dims_t dims = {md_nelems(dst, true)};
    TRY(md_init_by_string(&md, 1, dims, dnnl_u8, "a"));
    problem_add(problem, DNNL_ARG_WORKSPACE, true, &md);
    return dnnl_success;
}

static dnnl_status_t fill_problem(struct problem *problem, const struct normalization_request *r,
                                  float epsilon) {
    md_t channels;
    dnnl_dims_t dims = {r->src->dims[1]};
    TRY(md_init_by_string(&channels, 1, dims, dnnl_f32, "a"));
    TRY(normalization_problem(problem, dnnl_batch_normalization, r, epsilon, &channels, &channels));
    if (r->flags & dnnl_fuse_norm_add_relu) problem_add(problem, DNNL_ARG_SRC_1, false, r->dst);
    bool relu = r->flags & (dnnl_fuse_norm_relu | dnnl_fuse_norm_add_relu);
    if (!relu || r->prop != dnnl_forward_training) return dnnl_success;
    return add_workspace(problem, md_is_any(r->dst) ? r->src : r->dst);
}

dnnl_status_t dnnl_batch_normalization_forward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop, const_dnnl_memory_desc_t src,
        const_dnnl_memory_desc_t dst, float epsilon, unsigned flags, const_dnnl_primitive_attr_t attr) {
    struct normalization_request r = {.component = component,
                                      .prop = prop,
                                      .src = src,
                                      .dst = dst,
                                      .flags = flags,
                                      .known_flags = known_flags};
    TRY(check_normalization(&r, true));
    TRY(check_normalization_attr(&r, engine, attr, BIT(dnnl_eltwise), false));
    SUPPORT(md_is_blocked(src) && (md_is_any(dst) || md_is_blocked(dst)), "a layout that is not blocked");

    struct problem problem;
    TRY(fill_problem(&problem, &r, epsilon));
    return create_desc(component, pd, engine, &problem, attr);
}

/* The workspace that the forward primitive has filled. */
static dnnl_status_t find_workspace(const md_t **workspace, const struct dnnl_primitive_desc *hint,
                                    const md_t *src) {
    SUPPORT(hint && hint->plan->problem.kind == dnnl_batch_normalization, "a ReLU without a hint");
    *workspace = problem_md(&hint->plan->problem, DNNL_ARG_WORKSPACE);
    const md_t *dst = problem_md(&hint->plan->problem, DNNL_ARG_DST);
    SUPPORT(*workspace && md_same_dims(dst, src), "a hint without a workspace of this shape");
    return dnnl_success;
}

dnnl_status_t dnnl_batch_normalization_backward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop,
        const_dnnl_memory_desc_t diff_src, const_dnnl_memory_desc_t diff_dst, const_dnnl_memory_desc_t src,
        float epsilon, unsigned flags, const_dnnl_primitive_desc_t hint, const_dnnl_primitive_attr_t attr) {
    struct normalization_request r = {.component = component,
                                      .prop = prop,
                                      .src = src,
                                      .diff_src = diff_src,
                                      .diff_dst = diff_dst,
                                      .flags = flags,
                                      .known_flags = known_flags};
    const md_t *workspace = NULL;
    TRY(check_normalization(&r, false));
    TRY(check_normalization_attr(&r, engine, attr, 0, false));
    TRY(check_normalization_backward(&r, true, false));
    if (flags & (dnnl_fuse_norm_relu | dnnl_fuse_norm_add_relu)) TRY(find_workspace(&workspace, hint, src));

    struct problem problem;
    md_t channels;
    dnnl_dims_t dims = {src->dims[1]};
    TRY(md_init_by_string(&channels, 1, dims, dnnl_f32, "a"));
    TRY(normalization_backward_problem(&problem, dnnl_batch_normalization, &r, epsilon, &channels, &channels,
                                       workspace));
    return create_backward_desc(component, pd, engine, &problem, hint, attr);
}

static dnnl_status_t decide_layouts(struct problem *problem) {
    const md_t *src = problem_md(problem, DNNL_ARG_SRC);
    md_t *added = problem_md(problem, DNNL_ARG_SRC_1);
    if (added) TRY(md_set_any_like(added, src));
    return md_set_any_like(problem_md(problem, DNNL_ARG_DST), src);
}

static dnnl_status_t check_types(const struct plan *plan) {
    static const uint64_t known = BIT(dnnl_f32) | BIT(dnnl_bf16) | BIT(dnnl_f16) | BIT(dnnl_s8);
    const struct problem *problem = &plan->problem;
    dnnl_data_type_t type = problem_md(problem, DNNL_ARG_SRC)->data_type;
    if (!in_set(known, type) || problem_md(problem, DNNL_ARG_DST)->data_type != type)
        return plan_skip(plan, "unsupported types of src and dst");
    if (type == dnnl_s8 && norm_statistics(problem) != NORM_GIVEN) return plan_skip(plan, "statistics of s8");
    return dnnl_success;
}

/* Statistics are the user's, or lie in scratchpad if they stay inside. */
static dnnl_status_t append_statistics(struct plan *plan, const md_t *src, struct norm_moments *m) {
    enum norm_statistics from = norm_statistics(&plan->problem);
    TRY(norm_vector(&m->mean, src, 1, dnnl_f32));
    if (from == NORM_INSIDE) {
        TRY(norm_scratch_moments(plan, m, src->ndims, m->mean.dims));
    } else {
        m->variance = m->mean;
        m->mean_arg = DNNL_ARG_MEAN;
        m->variance_arg = DNNL_ARG_VARIANCE;
    }
    return from == NORM_GIVEN ? dnnl_success : norm_append_moments(plan, DNNL_ARG_SRC, src, BIT(1), m);
}

static dnnl_status_t build(struct plan *plan) {
    struct norm_moments m = {0};
    TRY(decide_layouts(&plan->problem));
    TRY(check_types(plan));
    const md_t src = *problem_md(&plan->problem, DNNL_ARG_SRC);
    if (md_nelems(&src, true) == 0)
        return epilogue_add_arguments(plan, problem_md(&plan->problem, DNNL_ARG_DST));
    TRY(append_statistics(plan, &src, &m));
    bool done;
    TRY(norm_append_dense(plan, &m, 0, 1, &done));
    if (done) return dnnl_success;
    struct norm_factors f = {.mean_arg = m.mean_arg, .mean = m.mean, .factor_arg = ARG_SCRATCHPAD};
    TRY(norm_vector(&f.factor, &src, 1, dnnl_f32));
    TRY(norm_append_factors(plan, &m, src.dims[1], 1, src.dims[1], &f.factor.offset0, NULL));
    if (problem_md(&plan->problem, DNNL_ARG_SHIFT)) f.shift_arg = DNNL_ARG_SHIFT;
    TRY(norm_vector(&f.shift, &src, 1, dnnl_f32));
    return norm_append_apply(plan, &f);
}

const struct implementation batch_normalization_forward[] = {
        {"batch_normalization", build, NULL},
        {NULL, NULL, NULL},
};

/* Backward: a cell is a channel. */
static dnnl_status_t build_backward(struct plan *plan) {
    TRY(norm_backward_layouts(&plan->problem));
    const md_t *src = problem_md(&plan->problem, DNNL_ARG_SRC);
    if (md_nelems(src, false) == 0) return norm_append_no_gradient(plan, src->dims[1]);
    struct norm_cells cells = {.kept = BIT(1),
                               .statistics = src->dims[1],
                               .share = 1,
                               .channels = src->dims[1],
                               .mean_arg = DNNL_ARG_MEAN,
                               .variance_arg = DNNL_ARG_VARIANCE,
                               .cell_mean_arg = DNNL_ARG_MEAN};
    TRY(norm_vector(&cells.cell_mean, src, 1, dnnl_f32));
    if (!plan->implementation->data) return norm_append_backward(plan, &cells);
    TRY(plan_takes(plan, &kernel_norm_gradient_dense));
    return norm_append_backward_dense(plan, &cells, 0);
}

const struct implementation batch_normalization_backward[] = {
        {"norm_gradient_dense", build_backward, &kernel_norm_gradient_dense},
        {"norm_gradient_moved", norm_build_moved_backward, NULL},
        {"batch_normalization_backward", build_backward, NULL},
        {NULL, NULL, NULL},
};
