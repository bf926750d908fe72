/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Element-wise functions, backward: creation and plans. The gradient is computed from src, or from dst for
 * the algorithms that use it. Any type and layout, and fast kernels for f32 and f64 with the same layout in
 * all tensors, which others are moved to.
 */
#include "base/round.h"
#include "kernels/params_eltwise.h"
#include "oneapi/dnnl/dnnl.h"
#include "primitives/check.h"
#include "primitives/moved.h"
#include "primitives/primitives.h"
#include "primitives/tensor.h"

static const char component[] = "eltwise";

static bool takes_dst(dnnl_alg_kind_t alg) {
    return alg >= dnnl_eltwise_relu_use_dst_for_bwd;
}

static int data_arg(const struct problem *problem) {
    return takes_dst(problem->alg) ? DNNL_ARG_DST : DNNL_ARG_SRC;
}

static dnnl_status_t check_backward(dnnl_alg_kind_t alg, const md_t *diff_src, const md_t *diff_dst,
                                    const md_t *data, float alpha, float beta) {
    REQUIRE(data && diff_src && diff_dst, "an argument is NULL");
    REQUIRE(eltwise_is_valid(alg, alpha, beta), "unknown algorithm or bad parameters");
    REQUIRE(alg != dnnl_eltwise_round, "rounding has no gradient");
    REQUIRE(eltwise_takes_type(alg, data->data_type), "the algorithm is not for integers");
    TRY(check_no_host_scalars(component, MDS(data, diff_src, diff_dst)));
    TRY(check_sizes_known(component, MDS(data, diff_src, diff_dst)));
    TRY(check_same_dims(component, "data", data, "diff_dst", diff_dst));
    TRY(check_same_dims(component, "diff_src", diff_src, "diff_dst", diff_dst));
    return dnnl_success;
}

static dnnl_status_t check_supported(const md_t *diff_src, const md_t *diff_dst, const md_t *data) {
    const uint64_t floats = BIT(dnnl_f32) | BIT(dnnl_f64) | BIT(dnnl_bf16) | BIT(dnnl_f16);
    const md_t *const mds[] = {diff_src, diff_dst, data};
    for (int i = 0; i < 3; i++) {
        SUPPORT(in_set(floats, mds[i]->data_type), "a type other than f32, f64, bf16 and f16");
        SUPPORT(md_is_any(mds[i]) || md_is_blocked(mds[i]), "a layout that is not blocked");
    }
    SUPPORT(!md_is_any(data), "an undefined layout of src or dst");
    return dnnl_success;
}

dnnl_status_t dnnl_eltwise_backward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_alg_kind_t alg,
        const_dnnl_memory_desc_t diff_src, const_dnnl_memory_desc_t diff_dst, const_dnnl_memory_desc_t data,
        float alpha, float beta, const_dnnl_primitive_desc_t hint, const_dnnl_primitive_attr_t attr) {
    TRY(check_backward(alg, diff_src, diff_dst, data, alpha, beta));
    TRY(check_no_attr(component, engine, attr));
    TRY(check_supported(diff_src, diff_dst, data));

    struct problem problem;
    TRY(problem_init(&problem, dnnl_eltwise, 3));
    problem.prop = dnnl_backward_data;
    problem.alg = alg;
    problem.alpha = alpha;
    problem.beta = beta;
    problem_add(&problem, data_arg(&problem), false, data);
    problem_add(&problem, DNNL_ARG_DIFF_DST, false, diff_dst);
    problem_add(&problem, DNNL_ARG_DIFF_SRC, true, diff_src);
    return create_backward_desc(component, pd, engine, &problem, hint, attr);
}

static dnnl_status_t decide_layouts(struct plan *plan) {
    const md_t *data = problem_md(&plan->problem, data_arg(&plan->problem));
    TRY(md_set_any_like(problem_md(&plan->problem, DNNL_ARG_DIFF_DST), data));
    return md_set_any_like(problem_md(&plan->problem, DNNL_ARG_DIFF_SRC), data);
}

static void bind(const struct plan *plan, struct launch *launch) {
    launch_bind(launch, data_arg(&plan->problem));
    launch_bind(launch, DNNL_ARG_DIFF_DST);
    launch_bind(launch, DNNL_ARG_DIFF_SRC);
}

/* In which type is it computed? */
static dnnl_data_type_t type_of(const struct problem *problem) {
    const bool doubles = problem_md(problem, data_arg(problem))->data_type == dnnl_f64
                         || problem_md(problem, DNNL_ARG_DIFF_DST)->data_type == dnnl_f64
                         || problem_md(problem, DNNL_ARG_DIFF_SRC)->data_type == dnnl_f64;
    return doubles ? dnnl_f64 : dnnl_f32;
}

static const struct kernel *kernel_of(dnnl_data_type_t type) {
    return type == dnnl_f64 ? &kernel_f64_eltwise_backward : &kernel_f32_eltwise_backward_16;
}

/* Have all three the same dense layout, wherever each starts? */
static bool are_alike(const md_t *data, const md_t *diff_dst, const md_t *diff_src) {
    md_t a = *data, b = *diff_dst, c = *diff_src;
    a.offset0 = b.offset0 = c.offset0 = 0;
    return md_same_layout(&a, &b) && md_same_layout(&a, &c) && md_is_dense(&a, true);
}

static dnnl_status_t build_dense(struct plan *plan) {
    enum { SPAN = 4096 };
    const struct problem *problem = &plan->problem;
    const struct kernel *kernel = plan->implementation->data;
    const dnnl_data_type_t type = type_of(problem);
    if (kernel != kernel_of(type)) return plan_skip(plan, "another type is computed");
    TRY(plan_takes(plan, kernel));
    TRY(decide_layouts(plan));
    const md_t *data = problem_md(problem, data_arg(problem)),
               *diff_dst = problem_md(problem, DNNL_ARG_DIFF_DST),
               *diff_src = problem_md(problem, DNNL_ARG_DIFF_SRC);
    if (data->data_type != type || diff_dst->data_type != type || diff_src->data_type != type)
        return plan_skip(plan, "a tensor has another type");
    if (!are_alike(data, diff_dst, diff_src)) return plan_skip(plan, "layouts differ or are not dense");
    /* The gradient at 0 may be infinite, and that times 0 is not 0. */
    if (md_has_padding(data)) return plan_skip(plan, "tensors have padding, which must stay zero");
    dnnl_dim_t count = md_nelems(diff_src, true);
    if (count == 0) return dnnl_success;
    struct launch *launch;
    struct eltwise_backward_dense_params *p = plan_launch(
            plan, kernel, range_of_items(divide_up(count, SPAN), full_group(plan->device)), &launch);
    if (!p) return dnnl_out_of_memory;
    p->alg = (i32)problem->alg;
    p->alpha = problem->alpha, p->beta = problem->beta;
    p->data_offset = data->offset0, p->diff_dst_offset = diff_dst->offset0,
    p->diff_src_offset = diff_src->offset0;
    p->count = count, p->span = SPAN;
    bind(plan, launch);
    if (type == dnnl_f32) launch_may_stream_to(launch, DNNL_ARG_DIFF_SRC, &p->streams);
    return dnnl_success;
}

/* Other types and layouts: all tensors move to f32 or f64, in the layout of the data if that is a common one.
 */
static dnnl_status_t build_moved(struct plan *plan) {
    const dnnl_data_type_t type = type_of(&plan->problem);
    TRY(plan_takes(plan, kernel_of(type)));
    TRY(decide_layouts(plan));
    const int args[] = {data_arg(&plan->problem), DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_SRC};
    const md_t *data = problem_md(&plan->problem, args[0]);
    char tag[MOVED_TAG];
    const char *wanted = moved_tag(data, tag);
    struct moved moved = {.plan = plan};
    for (int i = 0; i < 3; i++) {
        const md_t *md = problem_md(&plan->problem, args[i]);
        if (md->data_type == type && md_matches_tag(md, wanted)) continue;
        TRY(moved_add(&moved, args[i], type, wanted));
    }
    if (moved.count == 0) return plan_skip(plan, "one type and one layout");
    if (md_nelems(data, true) == 0) return dnnl_success;
    return moved_build(&moved, eltwise_backward);
}

static dnnl_status_t build_universal(struct plan *plan) {
    TRY(decide_layouts(plan));
    const struct problem *problem = &plan->problem;
    if (type_of(problem) == dnnl_f64) return plan_skip(plan, "f64, which the device does not have");
    const md_t *diff_src = problem_md(problem, DNNL_ARG_DIFF_SRC);
    if (md_nelems(diff_src, true) == 0) return dnnl_success;
    struct launch *launch;
    struct walk walk;
    struct range range = walk_init(&walk, diff_src, plan->device);
    struct eltwise_backward_params *p = plan_launch(plan, &kernel_eltwise_backward_universal, range, &launch);
    if (!p) return dnnl_out_of_memory;
    p->walk = walk;
    p->alg = (i32)problem->alg;
    p->alpha = problem->alpha, p->beta = problem->beta;
    p->diff_src_type = (i32)diff_src->data_type;
    tensor_init(&p->data, problem_md(problem, data_arg(problem)));
    tensor_init(&p->diff_dst, problem_md(problem, DNNL_ARG_DIFF_DST));
    bind(plan, launch);
    return dnnl_success;
}

const struct implementation eltwise_backward[] = {
        {"f32_eltwise_backward_16", build_dense, &kernel_f32_eltwise_backward_16},
        {"f64_eltwise_backward", build_dense, &kernel_f64_eltwise_backward},
        {"eltwise_backward_moved", build_moved, NULL},
        {"eltwise_backward_universal", build_universal, NULL},
        {NULL, NULL, NULL},
};
