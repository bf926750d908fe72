/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Element-wise functions, forward: creation, and plans that are element-wise programs. Doubles have a kernel
 * of their own, because programs compute in f32; so do post-ops.
 */
#include "base/round.h"
#include "kernels/params_doubles.h"
#include "kernels/params_eltwise.h"
#include "oneapi/dnnl/dnnl.h"
#include "primitives/apart.h"
#include "primitives/check.h"
#include "primitives/epilogue.h"
#include "primitives/moved.h"
#include "primitives/primitives.h"
#include "primitives/rows.h"
#include "primitives/tensor.h"

static const char component[] = "eltwise";

static const struct attr_rules forward_rules = {.parts = ATTR_POST_OPS | ATTR_DROPOUT,
                                                .post_ops = BIT(dnnl_binary)};

static dnnl_status_t check_forward(dnnl_prop_kind_t prop, dnnl_alg_kind_t alg, const md_t *src,
                                   const md_t *dst, float alpha, float beta) {
    REQUIRE(prop_is_forward(prop), "not a forward propagation");
    REQUIRE(src && dst, "src or dst is NULL");
    REQUIRE(eltwise_is_valid(alg, alpha, beta), "no such algorithm, or not with these parameters");
    REQUIRE(eltwise_takes_type(alg, src->data_type), "the algorithm does not take this type");
    REQUIRE(alg != dnnl_eltwise_round || dst->data_type == dnnl_f32, "results of rounding are not f32");
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

static dnnl_status_t build_rows(struct plan *plan) {
    struct rows rows;
    const struct problem *problem = &plan->problem;
    TRY(decide_layouts(plan));
    rows_begin(&rows, plan, DNNL_ARG_DST);
    rows_load(&rows, rows_operand(&rows, DNNL_ARG_SRC), ROW_NONE);
    rows_eltwise(&rows, problem->alg, problem->alpha, problem->beta);
    rows_post_ops(&rows);
    return rows_end(&rows);
}

static bool is_dense(const md_t *src, const md_t *dst) {
    md_t a = *src, b = *dst;
    a.offset0 = b.offset0 = 0;
    return md_same_layout(&a, &b) && md_is_dense(&a, true) && !md_has_padding(&a);
}

static dnnl_status_t launch_doubles(struct plan *plan, const md_t *src, const md_t *dst) {
    enum { SPAN = 2048 };
    struct launch *launch;
    const dnnl_dim_t count = md_nelems(dst, true);
    struct f64_eltwise_params *p =
            plan_launch(plan, &kernel_f64_eltwise,
                        range_of_items(divide_up(count, SPAN), full_group(plan->device)), &launch);
    if (!p) return dnnl_out_of_memory;
    *p = (struct f64_eltwise_params){.alg = eltwise_code(plan->problem.alg),
                                     .alpha = plan->problem.alpha,
                                     .beta = plan->problem.beta,
                                     .src_offset = src->offset0,
                                     .dst_offset = dst->offset0,
                                     .count = count,
                                     .span = SPAN};
    launch_bind(launch, DNNL_ARG_SRC);
    launch_bind(launch, DNNL_ARG_DST);
    return dnnl_success;
}

/* Is the function of a number, rounded to f32, that of the rounded number? Post-ops round in any case. */
static bool rounds_first(const struct problem *problem) {
    switch (eltwise_code(problem->alg)) {
    case ELTWISE_RELU: return problem->alpha == 0;
    case ELTWISE_ABS:
    case ELTWISE_CLIP: return true;
    default: return false;
    }
}

/* Tensors of other types, or in other layouts, are moved. */
static dnnl_status_t build_doubles(struct plan *plan) {
    struct moved moved = {.plan = plan};
    char tag[MOVED_TAG];
    TRY(plan_takes(plan, &kernel_f64_eltwise));
    TRY(decide_layouts(plan));
    const md_t *src = problem_md(&plan->problem, DNNL_ARG_SRC),
               *dst = problem_md(&plan->problem, DNNL_ARG_DST);
    const bool from = src->data_type == dnnl_f64, to = dst->data_type == dnnl_f64;
    if (!from && !to) return plan_skip(plan, "no tensor is f64");
    if (plan->attr.dropout.enabled) return plan_skip(plan, "random numbers");
    if (plan->attr.post_ops.len > 0 && rounds_first(&plan->problem))
        return plan_skip(plan, "programs compute the same");
    if (plan->attr.post_ops.len > 0) return apart_build(plan, eltwise_forward);
    if (md_nelems(dst, true) == 0) return dnnl_success;
    if (from && to && is_dense(src, dst)) return launch_doubles(plan, src, dst);
    const char *wanted = moved_tag(src, tag);
    if (!from || !md_matches_tag(src, wanted)) TRY(moved_add(&moved, DNNL_ARG_SRC, dnnl_f64, wanted));
    if (!to || !md_matches_tag(dst, wanted)) TRY(moved_add(&moved, DNNL_ARG_DST, dnnl_f64, wanted));
    return moved_build(&moved, eltwise_forward);
}

/* With random numbers, which depend on the position. */
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
        {"f64_eltwise", build_doubles, NULL},
        {"eltwise_rows", build_rows, NULL},
        {"eltwise_universal", build_universal, NULL},
        {NULL, NULL, NULL},
};
