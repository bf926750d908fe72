/* SPDX-License-Identifier: Apache-2.0 */
/* Reduction: its creation function and plans. */
#include "oneapi/dnnl/dnnl.h"
#include "primitives/check.h"
#include "primitives/primitives.h"
#include "primitives/reduce.h"
#include "primitives/rows.h"

#include <math.h>

static const char component[] = "reduction";

static bool alg_is_norm(dnnl_alg_kind_t alg) {
    return alg == dnnl_reduction_norm_lp_max || alg == dnnl_reduction_norm_lp_sum
           || alg == dnnl_reduction_norm_lp_power_p_max || alg == dnnl_reduction_norm_lp_power_p_sum;
}

static bool alg_is_known(dnnl_alg_kind_t alg) {
    return alg == dnnl_reduction_max || alg == dnnl_reduction_min || alg == dnnl_reduction_sum
           || alg == dnnl_reduction_mul || alg == dnnl_reduction_mean || alg_is_norm(alg);
}

static dnnl_status_t check(dnnl_alg_kind_t alg, const md_t *src, const md_t *dst, float p) {
    REQUIRE(src && dst, "an argument is NULL");
    REQUIRE(!md_is_any(src), "the layout of src is undefined");
    REQUIRE(alg_is_known(alg), "unknown algorithm");
    REQUIRE(!alg_is_norm(alg) || (p >= 1 && !isinf(p)), "p is %g", (double)p);
    REQUIRE(!alg_is_norm(alg) || in_set(BIT(dnnl_f32) | BIT(dnnl_bf16) | BIT(dnnl_f16), src->data_type),
            "a norm of integers");
    TRY(check_no_host_scalars(component, MDS(src, dst)));
    REQUIRE(src->ndims == dst->ndims, "src has %d dimensions, dst %d", src->ndims, dst->ndims);
    for (int d = 0; d < src->ndims; d++)
        REQUIRE(dst->dims[d] == 1 || dst->dims[d] == src->dims[d], "dimension %d is neither kept nor reduced",
                d);
    REQUIRE(!md_same_dims(src, dst), "no dimension is reduced");
    REQUIRE(md_is_blocked(src) && (md_is_blocked(dst) || md_is_any(dst)), "a layout is not blocked");
    return dnnl_success;
}

dnnl_status_t dnnl_reduction_primitive_desc_create(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
                                                   dnnl_alg_kind_t alg, const_dnnl_memory_desc_t src,
                                                   const_dnnl_memory_desc_t dst, float p, float eps,
                                                   const_dnnl_primitive_attr_t attr) {
    static const struct attr_rules rules = {
            .parts = ATTR_POST_OPS,
            .post_ops = BIT(dnnl_binary) | BIT(dnnl_eltwise) | BIT(dnnl_sum),
    };
    TRY(check(alg, src, dst, p));
    TRY(check_attr(component, engine, attr, &rules));
    TRY(check_post_ops(component, engine, attr, &rules, dst));

    struct problem problem;
    TRY(problem_init(&problem, dnnl_reduction, 2));
    problem.alg = alg;
    problem.alpha = p;
    problem.beta = eps;
    problem_add(&problem, DNNL_ARG_SRC, false, src);
    problem_add(&problem, DNNL_ARG_DST, true, dst);
    return create_desc(component, pd, engine, &problem, attr);
}

static const struct {
    dnnl_alg_kind_t kind;
    int alg, finish;
} algorithms[] = {
        {dnnl_reduction_max, REDUCE_MAX, REDUCE_FINISH_NONE},
        {dnnl_reduction_min, REDUCE_MIN, REDUCE_FINISH_NONE},
        {dnnl_reduction_sum, REDUCE_SUM, REDUCE_FINISH_NONE},
        {dnnl_reduction_mul, REDUCE_MUL, REDUCE_FINISH_NONE},
        {dnnl_reduction_mean, REDUCE_SUM, REDUCE_FINISH_MEAN},
        {dnnl_reduction_norm_lp_max, REDUCE_POWER, REDUCE_FINISH_LP_MAX},
        {dnnl_reduction_norm_lp_sum, REDUCE_POWER, REDUCE_FINISH_LP_SUM},
        {dnnl_reduction_norm_lp_power_p_max, REDUCE_POWER, REDUCE_FINISH_POWER_MAX},
        {dnnl_reduction_norm_lp_power_p_sum, REDUCE_POWER, REDUCE_FINISH_POWER_SUM},
};

static struct reduce_request request_of(const struct problem *problem, const md_t *src, const md_t *dst) {
    struct reduce_request r = {.p = problem->alpha,
                               .eps = problem->beta,
                               .src_arg = DNNL_ARG_SRC,
                               .src = src,
                               .dst_arg = DNNL_ARG_DST,
                               .dst = dst};
    for (size_t i = 0; i < sizeof algorithms / sizeof algorithms[0]; i++)
        if (algorithms[i].kind == problem->alg) r.alg = algorithms[i].alg, r.finish = algorithms[i].finish;
    for (int d = 0; d < src->ndims; d++)
        if (dst->dims[d] == src->dims[d]) r.kept |= 1u << d;
    return r;
}

/* Results that dst cannot hold as they are go to scratchpad first. */
static dnnl_status_t build(struct plan *plan) {
    const md_t src = *problem_md(&plan->problem, DNNL_ARG_SRC);
    TRY(md_set_any_like(problem_md(&plan->problem, DNNL_ARG_DST), &src));
    const md_t dst = *problem_md(&plan->problem, DNNL_ARG_DST);
    if (!in_set(TYPES_ELEMENT, src.data_type) || !in_set(TYPES_ELEMENT, dst.data_type))
        return plan_skip(plan, "unsupported types of src and dst");
    if (md_nelems(&dst, true) == 0) return dnnl_success;
    struct reduce_request r = request_of(&plan->problem, &src, &dst);
    if (attr_is_default(&plan->attr) && dst.data_type == dnnl_f32 && reduce_writes(&r))
        return reduce_append(plan, &r);
    md_t between;
    TRY(scratch_tensor(plan, &between, &dst, dst.dims));
    r.dst_arg = ARG_SCRATCHPAD;
    r.dst = &between;
    TRY(reduce_append(plan, &r));
    struct rows rows;
    rows_begin(&rows, plan, DNNL_ARG_DST);
    rows_load(&rows, rows_operand_at(&rows, ARG_SCRATCHPAD, &between), ROW_NONE);
    rows_post_ops(&rows);
    return rows_end(&rows);
}

const struct implementation reduction_implementations[] = {
        {"reduction", build, NULL},
        {NULL, NULL, NULL},
};
