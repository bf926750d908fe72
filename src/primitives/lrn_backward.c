/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Local response normalisation, backward: its creation function and its plans, the universal one and those
 * for CPUs, across and within channels. Except across channels, a first launch computes, for every element,
 * what it adds to the gradients of its neighbours; a second one sums up.
 */
#include "kernels/kernel.h"
#include "oneapi/dnnl/dnnl.h"
#include "primitives/lrn.h"
#include "primitives/moved.h"
#include "primitives/primitives.h"
#include "primitives/tensor.h"

static const char component[] = "lrn";

static dnnl_status_t check_supported(struct md_list list) {
    const uint64_t floats = BIT(dnnl_f32) | BIT(dnnl_bf16) | BIT(dnnl_f16);
    for (int i = 0; i < list.count; i++) {
        SUPPORT(in_set(floats, list.mds[i]->data_type), "a type other than f32, bf16 and f16");
        SUPPORT(list.mds[i]->data_type == list.mds[0]->data_type, "tensors of different types");
        SUPPORT(md_is_any(list.mds[i]) || md_is_blocked(list.mds[i]), "a layout that is not blocked");
        SUPPORT(list.mds[i]->ndims <= 5, "more than five dimensions");
    }
    return dnnl_success;
}

dnnl_status_t dnnl_lrn_backward_primitive_desc_create(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
                                                      dnnl_alg_kind_t alg, const_dnnl_memory_desc_t diff_src,
                                                      const_dnnl_memory_desc_t diff_dst,
                                                      const_dnnl_memory_desc_t src, dnnl_dim_t local_size,
                                                      float alpha, float beta, float k,
                                                      const_dnnl_primitive_desc_t hint,
                                                      const_dnnl_primitive_attr_t attr) {
    TRY(lrn_check(alg, src, local_size, MDS(diff_src, diff_dst), false));
    TRY(check_no_attr(component, engine, attr));
    TRY(check_supported(MDS(src, diff_dst, diff_src)));

    struct problem problem;
    TRY(problem_init(&problem, dnnl_lrn, 3));
    problem.prop = dnnl_backward_data;
    problem.alg = alg;
    problem.local_size = local_size;
    problem.alpha = alpha;
    problem.beta = beta;
    problem.k = k;
    problem_add(&problem, DNNL_ARG_SRC, false, src);
    problem_add(&problem, DNNL_ARG_DIFF_DST, false, diff_dst);
    problem_add(&problem, DNNL_ARG_DIFF_SRC, true, diff_src);
    return create_backward_desc(component, pd, engine, &problem, hint, attr);
}

struct tensors {
    const md_t *src, *diff_dst, *diff_src;
};

/* Open layouts become that of src, which becomes that of the forward primitive or of diff_dst if it is open.
 */
static dnnl_status_t decide_layouts(struct plan *plan, struct tensors *t) {
    const struct problem *problem = &plan->problem;
    md_t *src = problem_md(problem, DNNL_ARG_SRC), *diff_dst = problem_md(problem, DNNL_ARG_DIFF_DST),
         *diff_src = problem_md(problem, DNNL_ARG_DIFF_SRC);
    const md_t *hinted = problem_hint_md(problem, DNNL_ARG_SRC);
    TRY(md_set_any_like(src, hinted && hinted->ndims == src->ndims ? hinted : diff_dst));
    TRY(md_set_any_like(diff_dst, src));
    TRY(md_set_any_like(diff_src, src));
    *t = (struct tensors){src, diff_dst, diff_src};
    return dnnl_success;
}

/* Reserves both sets of terms; returns how far apart they are. */
static dnnl_status_t place_terms(struct plan *plan, md_t *terms, const md_t *like, const char *tag,
                                 i64 *second) {
    md_t others;
    TRY(md_init_by_string(terms, like->ndims, like->dims, dnnl_f32, tag));
    others = *terms;
    plan_place(plan, terms);
    plan_place(plan, &others);
    *second = others.offset0 - terms->offset0;
    return dnnl_success;
}

static void bind_terms(struct launch *launch) {
    launch_bind(launch, DNNL_ARG_SRC);
    launch_bind(launch, DNNL_ARG_DIFF_DST);
    launch_bind(launch, ARG_SCRATCHPAD);
}

static void bind_sums(struct launch *launch) {
    launch_bind(launch, DNNL_ARG_SRC);
    launch_bind(launch, ARG_SCRATCHPAD);
    launch_bind(launch, DNNL_ARG_DIFF_SRC);
}

static dnnl_status_t build_universal(struct plan *plan) {
    static const char *const tags[] = {[2] = "ab", [3] = "abc", [4] = "abcd", [5] = "abcde"};
    const dnnl_dim_t cost = plan->problem.local_size;
    struct tensors t;
    struct launch *launch;
    struct lrn_backward_params made = {0};
    md_t terms;
    TRY(decide_layouts(plan, &t));
    if (md_nelems(t.src, true) == 0) return dnnl_success;
    TRY(place_terms(plan, &terms, t.src, tags[t.src->ndims], &made.second));
    made.lrn = lrn_of(&plan->problem, t.src);
    tensor_init(&made.src, t.src);
    tensor_init(&made.diff_dst, t.diff_dst);
    tensor_init(&made.terms, &terms);

    struct lrn_backward_params *p = plan_launch(plan, &kernel_lrn_backward_terms, (struct range){0}, &launch);
    if (!p) return dnnl_out_of_memory;
    *p = made;
    launch->range = walk_init_cost(&p->walk, &terms, plan->device, cost);
    bind_terms(launch);
    p = plan_launch(plan, &kernel_lrn_backward_universal, (struct range){0}, &launch);
    if (!p) return dnnl_out_of_memory;
    *p = made;
    launch->range = walk_init_cost(&p->walk, t.diff_src, plan->device, cost);
    bind_sums(launch);
    return dnnl_success;
}

static dnnl_status_t build_across(struct plan *plan) {
    struct tensors t;
    struct launch *launch;
    TRY(decide_layouts(plan, &t));
    if (md_nelems(t.src, true) == 0) return dnnl_success;
    TRY(lrn_launch_across(plan, &kernel_lrn_across_backward_16, MDS(t.src, t.diff_dst, t.diff_src), &launch));
    launch_bind(launch, DNNL_ARG_SRC);
    launch_bind(launch, DNNL_ARG_DIFF_DST);
    launch_bind(launch, DNNL_ARG_DIFF_SRC);
    return dnnl_success;
}

static bool are_dense(const struct tensors *t) {
    return is_dense_image(t->src) && is_dense_image(t->diff_dst) && is_dense_image(t->diff_src);
}

static dnnl_status_t launch_dense(struct plan *plan, const struct kernel *kernel,
                                  const struct lrn_dense_backward_params *made, struct launch **launch) {
    const struct range range = lrn_range(&made->space, problem_md(&plan->problem, DNNL_ARG_SRC)->dims[0]);
    struct lrn_dense_backward_params *p = plan_launch(plan, kernel, range, launch);
    if (!p) return dnnl_out_of_memory;
    *p = *made;
    return dnnl_success;
}

static dnnl_status_t build_within(struct plan *plan) {
    struct tensors t;
    struct launch *launch;
    md_t terms;
    TRY(plan_takes(plan, &kernel_f32_lrn_within_backward_16));
    if (plan->problem.alg != dnnl_lrn_within_channel) return plan_skip(plan, "across channels");
    TRY(decide_layouts(plan, &t));
    if (!are_dense(&t)) return plan_skip(plan, "not f32 with channels last");
    if (md_nelems(t.src, true) == 0) return dnnl_success;
    struct lrn_dense_backward_params made = {.space = lrn_space_of(&plan->problem, t.src),
                                             .src = lrn_image_of(t.src),
                                             .diff_dst = lrn_image_of(t.diff_dst),
                                             .diff_src = lrn_image_of(t.diff_src)};
    TRY(place_terms(plan, &terms, t.src, channels_last(t.src->ndims), &made.second));
    made.terms = lrn_image_of(&terms);
    TRY(launch_dense(plan, &kernel_f32_lrn_within_terms_16, &made, &launch));
    bind_terms(launch);
    TRY(launch_dense(plan, &kernel_f32_lrn_within_backward_16, &made, &launch));
    bind_sums(launch);
    return dnnl_success;
}

/* Images of other types, or with channels elsewhere. */
static dnnl_status_t build_moved(struct plan *plan) {
    struct moved moved = {.plan = plan};
    struct tensors t;
    TRY(plan_takes(plan, &kernel_f32_lrn_within_backward_16));
    TRY(decide_layouts(plan, &t));
    if (plan->problem.alg == dnnl_lrn_across_channels && !lrn_lines_fit(&plan->problem, t.src))
        return plan_skip(plan, "too many channels");
    if (are_dense(&t)) return plan_skip(plan, "f32 with channels last");
    if (md_nelems(t.src, true) == 0) return dnnl_success;
    const char *tag = channels_last(t.src->ndims);
    if (!is_dense_image(t.src)) TRY(moved_add(&moved, DNNL_ARG_SRC, dnnl_f32, tag));
    if (!is_dense_image(t.diff_dst)) TRY(moved_add(&moved, DNNL_ARG_DIFF_DST, dnnl_f32, tag));
    if (!is_dense_image(t.diff_src)) TRY(moved_add(&moved, DNNL_ARG_DIFF_SRC, dnnl_f32, tag));
    return moved_build(&moved, lrn_backward);
}

const struct implementation lrn_backward[] = {
        {"lrn_across_backward_16", build_across, NULL},
        {"f32_lrn_within_backward_16", build_within, NULL},
        {"lrn_backward_moved", build_moved, NULL},
        {"lrn_backward_universal", build_universal, NULL},
        {NULL, NULL, NULL},
};
