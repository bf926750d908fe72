/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Element-wise functions: creation and plans. Forward: any type and layout, and a fast path for f32 that has
 * the same layout in src and dst.
 */
#include "base/round.h"
#include "primitives/epilogue.h"
#include "primitives/tensor.h"
#include "kernels/params_eltwise.h"
#include "oneapi/dnnl/dnnl.h"
#include "primitives/check.h"
#include "primitives/primitives.h"
#include "runtimes/runtime.h"

static const char component[] = "eltwise";

static const struct attr_rules forward_rules = {.parts = ATTR_POST_OPS | ATTR_DROPOUT,
                                                .post_ops = BIT(dnnl_binary)};

static dnnl_status_t check_forward(dnnl_prop_kind_t prop, dnnl_alg_kind_t alg, const md_t *src,
                                   const md_t *dst, float alpha, float beta) {
    REQUIRE(prop_is_forward(prop), "not a forward propagation");
    REQUIRE(src && dst, "src or dst is NULL");
    REQUIRE(eltwise_is_valid(alg, alpha, beta), "no such algorithm, or not with these parameters");
    REQUIRE(eltwise_takes_type(alg, src->data_type), "the algorithm does not take integers");
    REQUIRE(!md_is_any(src), "the layout of src is open");
    TRY(check_no_host_scalars(component, MDS(src, dst)));
    TRY(check_sizes_known(component, MDS(src, dst)));
    TRY(check_same_dims(component, "src", src, "dst", dst));
    SUPPORT(md_is_blocked(src) && (md_is_any(dst) || md_is_blocked(dst)), "a layout that is not blocked");
    return dnnl_success;
}

dnnl_status_t dnnl_eltwise_forward_primitive_desc_create(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
                                                         dnnl_prop_kind_t prop, dnnl_alg_kind_t alg,
                                                         const_dnnl_memory_desc_t src,
                                                         const_dnnl_memory_desc_t dst, float alpha,
                                                         float beta, const_dnnl_primitive_attr_t attr) {
    TRY(check_forward(prop, alg, src, dst, alpha, beta));
    TRY(check_attr(component, engine, attr, &forward_rules));
    TRY(check_post_ops(component, engine, attr, &forward_rules, dst));

    struct problem problem;
    TRY(problem_init(&problem, dnnl_eltwise, 2));
    problem.prop = prop;
    problem.alg = alg;
    problem.alpha = alpha;
    problem.beta = beta;
    problem_add(&problem, DNNL_ARG_SRC, false, src);
    problem_add(&problem, DNNL_ARG_DST, true, dst);
    return create_desc(component, pd, engine, &problem, attr);
}

static dnnl_status_t decide_layouts(struct plan *plan) {
    const md_t *src = problem_md(&plan->problem, DNNL_ARG_SRC);
    return md_set_any_like(problem_md(&plan->problem, DNNL_ARG_DST), src);
}

/* Does the function leave the zeros of the padding alone? */
static bool keeps_zero(const struct problem *problem) {
    switch (eltwise_code(problem->alg)) {
    case ELTWISE_RELU:
    case ELTWISE_TANH:
    case ELTWISE_ELU:
    case ELTWISE_SQUARE:
    case ELTWISE_ABS:
    case ELTWISE_SQRT:
    case ELTWISE_GELU_TANH:
    case ELTWISE_GELU_ERF:
    case ELTWISE_SWISH:
    case ELTWISE_ROUND:
    case ELTWISE_MISH:
    case ELTWISE_HARDSWISH: return true;
    case ELTWISE_LINEAR: return problem->beta == 0;
    case ELTWISE_CLIP: return problem->alpha <= 0 && problem->beta >= 0;
    default: return false;
    }
}

/* src and dst have the same layout, and nothing else goes into a result. */
static dnnl_status_t check_dense(const struct plan *plan) {
    const md_t *src = problem_md(&plan->problem, DNNL_ARG_SRC),
               *dst = problem_md(&plan->problem, DNNL_ARG_DST);
    if (!attr_is_default(&plan->attr)) return plan_skip(plan, "attributes");
    if (!md_same_layout(src, dst) || !md_is_dense(src, true))
        return plan_skip(plan, "src and dst differ in layout or have gaps");
    if (md_has_padding(dst) && !keeps_zero(&plan->problem))
        return plan_skip(plan, "padding that must stay zero");
    return dnnl_success;
}

/* `span`: elements of a work-item. */
static dnnl_status_t launch_dense(struct plan *plan, const struct kernel *kernel, dnnl_dim_t span) {
    const struct problem *problem = &plan->problem;
    const md_t *src = problem_md(problem, DNNL_ARG_SRC), *dst = problem_md(problem, DNNL_ARG_DST);
    dnnl_dim_t count = md_nelems(dst, true);
    if (count == 0) return dnnl_success;
    struct launch *launch;
    struct range range = range_of_items(divide_up(count, span), full_group(plan->device));
    struct eltwise_dense_params *p = plan_launch(plan, kernel, range, &launch);
    if (!p) return dnnl_out_of_memory;
    p->alg = eltwise_code(problem->alg);
    p->alpha = problem->alpha, p->beta = problem->beta;
    p->src_type = (i32)src->data_type, p->dst_type = (i32)dst->data_type;
    p->src_offset = src->offset0, p->dst_offset = dst->offset0;
    p->count = count, p->span = span;
    launch_bind(launch, DNNL_ARG_SRC);
    launch_bind(launch, DNNL_ARG_DST);
    return dnnl_success;
}

static dnnl_status_t build_dense(struct plan *plan) {
    enum { SPAN = 4096 };
    TRY(plan_takes(plan, &kernel_f32_eltwise_16));
    TRY(decide_layouts(plan));
    if (problem_md(&plan->problem, DNNL_ARG_SRC)->data_type != dnnl_f32
        || problem_md(&plan->problem, DNNL_ARG_DST)->data_type != dnnl_f32)
        return plan_skip(plan, "a tensor is not f32");
    TRY(check_dense(plan));
    return launch_dense(plan, &kernel_f32_eltwise_16, SPAN);
}

/* Work-items that are the lanes take more than one element once all compute units are busy. */
static dnnl_status_t build_items(struct plan *plan) {
    enum { MOST = 16, ITEMS = 1024 };
    TRY(plan_takes(plan, &kernel_eltwise_items));
    TRY(decide_layouts(plan));
    const md_t *src = problem_md(&plan->problem, DNNL_ARG_SRC),
               *dst = problem_md(&plan->problem, DNNL_ARG_DST);
    if (dt_bits(src->data_type) < 8 || dt_bits(dst->data_type) < 8)
        return plan_skip(plan, "elements of less than a byte");
    TRY(check_dense(plan));
    dnnl_dim_t span = md_nelems(dst, true) / plan->device->info.compute_units / ITEMS;
    return launch_dense(plan, &kernel_eltwise_items, span < 1 ? 1 : span > MOST ? MOST : span);
}

static dnnl_status_t build_universal(struct plan *plan) {
    struct epilogue_build ep;
    TRY(decide_layouts(plan));
    TRY(epilogue_begin(&ep, plan, &(struct epilogue_spec){.lanes = -1, .whole_bytes = true}));
    if (md_nelems(&ep.dst, true) == 0) return dnnl_success;
    struct launch *launch;
    struct walk walk;
    struct range range = walk_init(&walk, &ep.dst, plan->device);
    struct eltwise_params *p = plan_launch(plan, &kernel_eltwise_universal, range, &launch);
    if (!p) return dnnl_out_of_memory;
    p->walk = walk;
    p->alg = eltwise_code(plan->problem.alg);
    p->alpha = plan->problem.alpha, p->beta = plan->problem.beta;
    tensor_init(&p->src, problem_md(&plan->problem, DNNL_ARG_SRC));
    launch_bind(launch, DNNL_ARG_SRC);
    return epilogue_end(&ep, launch, &p->epilogue);
}

const struct implementation eltwise_forward[] = {
        {"f32_eltwise_16", build_dense, NULL},
        {"eltwise_items", build_items, NULL},
        {"eltwise_universal", build_universal, NULL},
        {NULL, NULL, NULL},
};
