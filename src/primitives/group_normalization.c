/* SPDX-License-Identifier: Apache-2.0 */
/* Group normalisation: creation and plans. Forward: statistics first, then results. Backward: sums of each
 * channel of each image first. */
#include "kernels/kernel.h"
#include "oneapi/dnnl/dnnl.h"
#include "primitives/epilogue.h"
#include "primitives/normalization_backward.h"
#include "primitives/primitives.h"
#include "primitives/reduce.h"
#include "primitives/tensor.h"

static const char component[] = "group_normalization";
static const unsigned known_flags = dnnl_use_global_stats | dnnl_use_scale | dnnl_use_shift;

static dnnl_status_t check_groups(const md_t *src, dnnl_dim_t groups) {
    REQUIRE(!src || (groups > 0 && groups <= src->dims[1] && src->dims[1] % groups == 0),
            "channels cannot be divided into %lld groups", (long long)groups);
    return dnnl_success;
}

static dnnl_status_t describe(const md_t *src, dnnl_dim_t groups, md_t *statistics, md_t *channels) {
    dnnl_dims_t grouped = {src->dims[0], groups}, dims = {src->dims[1]};
    TRY(md_init_by_string(statistics, 2, grouped, dnnl_f32, "ab"));
    return md_init_by_string(channels, 1, dims, dnnl_f32, "a");
}

dnnl_status_t dnnl_group_normalization_forward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop, const_dnnl_memory_desc_t src,
        const_dnnl_memory_desc_t dst, dnnl_dim_t groups, float epsilon, unsigned flags,
        const_dnnl_primitive_attr_t attr) {
    struct normalization_request r = {.component = component,
                                      .prop = prop,
                                      .src = src,
                                      .dst = dst,
                                      .flags = flags,
                                      .known_flags = known_flags};
    TRY(check_groups(src, groups));
    TRY(check_normalization(&r, true));
    TRY(check_normalization_attr(&r, engine, attr, BIT(dnnl_binary) | BIT(dnnl_eltwise), true));
    SUPPORT(md_is_blocked(src) && (md_is_any(dst) || md_is_blocked(dst)), "a layout that is not blocked");

    struct problem problem;
    md_t statistics, channels;
    TRY(describe(src, groups, &statistics, &channels));
    TRY(normalization_problem(&problem, dnnl_group_normalization, &r, epsilon, &statistics, &channels));
    problem.group_size = groups;
    return create_desc(component, pd, engine, &problem, attr);
}

dnnl_status_t dnnl_group_normalization_backward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop,
        const_dnnl_memory_desc_t diff_src, const_dnnl_memory_desc_t diff_dst, const_dnnl_memory_desc_t src,
        dnnl_dim_t groups, float epsilon, unsigned flags, const_dnnl_primitive_desc_t hint,
        const_dnnl_primitive_attr_t attr) {
    struct normalization_request r = {.component = component,
                                      .prop = prop,
                                      .src = src,
                                      .diff_src = diff_src,
                                      .diff_dst = diff_dst,
                                      .flags = flags,
                                      .known_flags = known_flags};
    TRY(check_groups(src, groups));
    TRY(check_normalization(&r, false));
    TRY(check_normalization_attr(&r, engine, attr, 0, true));
    TRY(check_normalization_backward(&r, false, false));

    struct problem problem;
    md_t statistics, channels;
    TRY(describe(src, groups, &statistics, &channels));
    TRY(normalization_backward_problem(&problem, dnnl_group_normalization, &r, epsilon, &statistics,
                                       &channels, NULL));
    problem.group_size = groups;
    return create_backward_desc(component, pd, engine, &problem, hint, attr);
}

/* src with its channels as two dimensions: groups, and channels of a group. False: its blocks do not nest
 * with groups. */
static bool group_view(md_t *to, const md_t *src, dnnl_dim_t groups) {
    const dnnl_dim_t size = src->dims[1] / groups, stride = src->blocking.strides[1];
    const int blocks = src->blocking.inner_nblks;
    const dnnl_dim_t block = blocks ? src->blocking.inner_blks[0] : 1;
    if (blocks > 1 || (blocks && src->blocking.inner_idxs[0] != 1) || md_has_padding(src)) return false;
    bool outside = size % block == 0; /* blocks are within groups, not groups within blocks */
    if (!outside && block % size != 0) return false;
    *to = *src;
    to->ndims++;
    for (int d = src->ndims - 1; d >= 2; d--) {
        to->dims[d + 1] = src->dims[d];
        to->padded_dims[d + 1] = src->dims[d];
        to->blocking.strides[d + 1] = src->blocking.strides[d];
    }
    to->dims[1] = to->padded_dims[1] = groups;
    to->dims[2] = to->padded_dims[2] = size;
    to->blocking.strides[1] = outside ? stride * (size / block) : stride;
    to->blocking.strides[2] = stride;
    if (outside && blocks) to->blocking.inner_idxs[0] = 2;
    if (outside) return true;
    to->blocking.inner_nblks = 2;
    to->blocking.inner_blks[0] = block / size, to->blocking.inner_idxs[0] = 1;
    to->blocking.inner_blks[1] = size, to->blocking.inner_idxs[1] = 2;
    return true;
}

/* Moments of each channel, which are then combined. */
static dnnl_status_t append_by_channel(struct plan *plan, const struct norm_moments *m) {
    const md_t src = *problem_md(&plan->problem, DNNL_ARG_SRC);
    const dnnl_dim_t groups = plan->problem.group_size;
    dnnl_dims_t dims = {src.dims[0], src.dims[1], 1, 1, 1, 1};
    struct norm_moments channels = {0};
    dnnl_dim_t each = 1;
    for (int d = 2; d < src.ndims; d++)
        each *= src.dims[d];
    TRY(norm_scratch_moments(plan, &channels, src.ndims, dims));
    TRY(norm_append_moments(plan, DNNL_ARG_SRC, &src, BIT(0) | BIT(1), &channels));
    return reduce_append_combine(plan, &(struct combine_request){.mean = channels.mean.offset0,
                                                                 .variance = channels.variance.offset0,
                                                                 .results = src.dims[0] * groups,
                                                                 .parts = src.dims[1] / groups,
                                                                 .each = each,
                                                                 .mean_arg = m->mean_arg,
                                                                 .variance_arg = m->variance_arg,
                                                                 .mean_offset = m->mean.offset0,
                                                                 .variance_offset = m->variance.offset0});
}

/* Groups whose channels are a few neighbours are slow to sum up one by one. */
static dnnl_status_t append_moments(struct plan *plan, const struct norm_moments *m) {
    enum { FEW = 64 };
    const md_t *src = problem_md(&plan->problem, DNNL_ARG_SRC);
    const dnnl_dim_t groups = plan->problem.group_size;
    struct walk walk;
    md_t view;
    walk_cut(&walk, src);
    bool last = walk.nloops > 0 && walk.loops[walk.nloops - 1].dim == 1;
    if ((last && groups > 1 && src->dims[1] / groups < FEW) || !group_view(&view, src, groups))
        return append_by_channel(plan, m);
    return norm_append_moments(plan, DNNL_ARG_SRC, &view, BIT(0) | BIT(1), m);
}

/* Statistics are the user's, or lie in scratchpad if they stay inside. */
static dnnl_status_t append_statistics(struct plan *plan, struct norm_moments *m) {
    const md_t *src = problem_md(&plan->problem, DNNL_ARG_SRC);
    enum norm_statistics from = norm_statistics(&plan->problem);
    dnnl_dims_t dims = {src->dims[0], plan->problem.group_size, 1, 1, 1, 1};
    if (from == NORM_INSIDE) {
        TRY(norm_scratch_moments(plan, m, src->ndims + 1, dims));
    } else {
        TRY(md_init_by_strides(&m->mean, src->ndims + 1, dims, dnnl_f32, NULL));
        m->variance = m->mean;
        m->mean_arg = DNNL_ARG_MEAN;
        m->variance_arg = DNNL_ARG_VARIANCE;
    }
    return from == NORM_GIVEN ? dnnl_success : append_moments(plan, m);
}

static dnnl_status_t check_types(const struct plan *plan) {
    static const uint64_t known = BIT(dnnl_f32) | BIT(dnnl_bf16) | BIT(dnnl_f16) | TYPES_INT8;
    const struct problem *problem = &plan->problem;
    if (!in_set(known, problem_md(problem, DNNL_ARG_SRC)->data_type)
        || !in_set(known, problem_md(problem, DNNL_ARG_DST)->data_type))
        return plan_skip(plan, "unsupported types of src and dst");
    return dnnl_success;
}

/* Every channel of every image has a factor of its own. */
static dnnl_status_t build(struct plan *plan) {
    struct norm_moments m = {0};
    struct problem *problem = &plan->problem;
    const md_t src = *problem_md(problem, DNNL_ARG_SRC);
    TRY(md_set_any_like(problem_md(problem, DNNL_ARG_DST), &src));
    TRY(check_types(plan));
    if (md_nelems(&src, true) == 0)
        return epilogue_add_arguments(plan, problem_md(&plan->problem, DNNL_ARG_DST));
    TRY(append_statistics(plan, &m));
    const dnnl_dim_t channels = src.dims[1];
    bool done;
    TRY(norm_append_dense(plan, &m, problem->group_size, channels / problem->group_size, &done));
    if (done) return dnnl_success;
    struct norm_factors f = {.mean_arg = ARG_SCRATCHPAD, .factor_arg = ARG_SCRATCHPAD};
    dnnl_dims_t dims = {src.dims[0], channels, 1, 1, 1, 1};
    TRY(md_init_by_strides(&f.mean, src.ndims, dims, dnnl_f32, NULL));
    f.factor = f.mean;
    TRY(norm_append_factors(plan, &m, src.dims[0] * channels, channels / problem->group_size, channels,
                            &f.factor.offset0, &f.mean.offset0));
    if (problem_md(&plan->problem, DNNL_ARG_SHIFT)) f.shift_arg = DNNL_ARG_SHIFT;
    TRY(norm_vector(&f.shift, &src, 1, dnnl_f32));
    return norm_append_apply(plan, &f);
}

const struct implementation group_normalization_forward[] = {
        {"group_normalization", build, NULL},
        {NULL, NULL, NULL},
};

/* Backward: a cell is a channel of an image. */

/* The mean of each cell. */
static dnnl_status_t append_cell_means(struct plan *plan, const md_t *src, struct norm_cells *cells) {
    const struct norm_moments m = {.mean_arg = DNNL_ARG_MEAN,
                                   .variance_arg = DNNL_ARG_VARIANCE,
                                   .mean = *problem_md(&plan->problem, DNNL_ARG_MEAN),
                                   .variance = *problem_md(&plan->problem, DNNL_ARG_VARIANCE)};
    dnnl_dims_t dims = {src->dims[0], src->dims[1], 1, 1, 1, 1};
    dnnl_dim_t factor;
    TRY(md_init_by_strides(&cells->cell_mean, src->ndims, dims, dnnl_f32, NULL));
    cells->cell_mean_arg = ARG_SCRATCHPAD;
    return norm_append_factors(plan, &m, src->dims[0] * src->dims[1], cells->share, 0, &factor,
                               &cells->cell_mean.offset0);
}

static dnnl_status_t build_backward(struct plan *plan) {
    const dnnl_dim_t groups = plan->problem.group_size;
    TRY(norm_backward_layouts(&plan->problem));
    const md_t src = *problem_md(&plan->problem, DNNL_ARG_SRC);
    if (md_nelems(&src, false) == 0) return norm_append_no_gradient(plan, src.dims[1]);
    struct norm_cells cells = {.kept = BIT(0) | BIT(1),
                               .statistics = src.dims[0] * groups,
                               .share = src.dims[1] / groups,
                               .channels = src.dims[1],
                               .mean_arg = DNNL_ARG_MEAN,
                               .variance_arg = DNNL_ARG_VARIANCE};
    if (plan->implementation->data) {
        TRY(plan_takes(plan, &kernel_norm_gradient_dense));
        return norm_append_backward_dense(plan, &cells, groups);
    }
    TRY(append_cell_means(plan, &src, &cells));
    return norm_append_backward(plan, &cells);
}

const struct implementation group_normalization_backward[] = {
        {"norm_gradient_dense", build_backward, &kernel_norm_gradient_dense},
        {"norm_gradient_moved", norm_build_moved_backward, NULL},
        {"group_normalization_backward", build_backward, NULL},
        {NULL, NULL, NULL},
};
