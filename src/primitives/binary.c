/* SPDX-License-Identifier: Apache-2.0 */
/* Binary operations with broadcast: creation, and plans that are element-wise programs. */
#include "oneapi/dnnl/dnnl.h"
#include "primitives/check.h"
#include "primitives/epilogue.h"
#include "primitives/primitives.h"
#include "primitives/rows.h"

static const char component[] = "binary";

static bool alg_is_known(dnnl_alg_kind_t alg) {
    static const dnnl_alg_kind_t known[] = {
            dnnl_binary_add, dnnl_binary_mul, dnnl_binary_max,   dnnl_binary_min, dnnl_binary_div,
            dnnl_binary_sub, dnnl_binary_ge,  dnnl_binary_gt,    dnnl_binary_le,  dnnl_binary_lt,
            dnnl_binary_eq,  dnnl_binary_ne,  dnnl_binary_select};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (known[i] == alg) return true;
    return false;
}

static dnnl_status_t check_dim(const md_t *src0, const md_t *src1, const md_t *src2, const md_t *dst, int d) {
    dnnl_dim_t size = dst->dims[d];
    REQUIRE(src0->dims[d] == 1 || src0->dims[d] == size, "dimension %d of src0 does not broadcast", d);
    REQUIRE(src1->dims[d] == 1 || src1->dims[d] == size, "dimension %d of src1 does not broadcast", d);
    REQUIRE(src0->dims[d] == size || src1->dims[d] == size, "dimension %d of dst matches no source", d);
    REQUIRE(!src2 || src2->dims[d] == 1 || src2->dims[d] == size, "dimension %d of src2 does not broadcast",
            d);
    return dnnl_success;
}

static dnnl_status_t check(dnnl_alg_kind_t alg, const md_t *src0, const md_t *src1, const md_t *src2,
                           const md_t *dst) {
    REQUIRE(alg_is_known(alg), "unknown algorithm");
    REQUIRE(src0 && src1 && dst && (alg != dnnl_binary_select || src2), "an argument is NULL");
    TRY(check_no_host_scalars(component, MDS(src0, src1, src2, dst)));
    REQUIRE(!md_is_any(src0), "the layout of src0 is undefined");
    TRY(check_sizes_known(component, MDS(src0, src1, dst)));
    REQUIRE(src0->ndims == dst->ndims && src1->ndims == dst->ndims, "src0 has %d dimensions, src1 %d, dst %d",
            src0->ndims, src1->ndims, dst->ndims);
    TRY(check_sizes_known(component, MDS(src2)));
    REQUIRE(!src2 || (src2->ndims == dst->ndims && src2->data_type == dnnl_s8),
            "src2 is not an s8 tensor with the dimensions of dst");
    for (int d = 0; d < dst->ndims; d++)
        TRY(check_dim(src0, src1, src2, dst, d));
    TRY(check_rows_format(component, src0));
    TRY(check_rows_format(component, src1));
    TRY(check_rows_format(component, dst));
    return src2 ? check_rows_format(component, src2) : dnnl_success;
}

static dnnl_status_t check_binary_attr(const struct dnnl_engine *engine, const attr_t *attr,
                                       const md_t *dst) {
    static const struct attr_rules rules = {
            .parts = ATTR_POST_OPS | ATTR_SCALES,
            .post_ops = BIT(dnnl_binary) | BIT(dnnl_eltwise) | BIT(dnnl_sum),
    };
    TRY(check_attr(component, engine, attr, &rules));
    if (!attr) return dnnl_success;
    const struct quants *scales = &attr->scales;
    SUPPORT(engine->kind != dnnl_gpu || !quants_have_host_scalars(scales), "scales that are host scalars");
    SUPPORT(ONLY_FOR(scales, DNNL_ARG_SRC_0, DNNL_ARG_SRC_1), "scales of arguments other than the sources");
    SUPPORT(MASK_IN(scales, DNNL_ARG_SRC_0, 0) && MASK_IN(scales, DNNL_ARG_SRC_1, 0), "a mask of scales");
    return check_post_ops(component, engine, attr, &rules, dst);
}

dnnl_status_t dnnl_binary_primitive_desc_create_v2(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
                                                   dnnl_alg_kind_t alg, const_dnnl_memory_desc_t src0,
                                                   const_dnnl_memory_desc_t src1,
                                                   const_dnnl_memory_desc_t src2,
                                                   const_dnnl_memory_desc_t dst,
                                                   const_dnnl_primitive_attr_t attr) {
    TRY(check(alg, src0, src1, src2, dst));
    TRY(check_binary_attr(engine, attr, dst));
    struct problem problem;
    TRY(problem_init(&problem, dnnl_binary, 4));
    problem.alg = alg;
    problem_add(&problem, DNNL_ARG_SRC_0, false, src0);
    problem_add(&problem, DNNL_ARG_SRC_1, false, src1);
    if (alg == dnnl_binary_select) problem_add(&problem, DNNL_ARG_SRC_2, false, src2);
    problem_add(&problem, DNNL_ARG_DST, true, dst);
    return create_desc(component, pd, engine, &problem, attr);
}

dnnl_status_t dnnl_binary_primitive_desc_create(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
                                                dnnl_alg_kind_t alg, const_dnnl_memory_desc_t src0,
                                                const_dnnl_memory_desc_t src1, const_dnnl_memory_desc_t dst,
                                                const_dnnl_primitive_attr_t attr) {
    return dnnl_binary_primitive_desc_create_v2(pd, engine, alg, src0, src1, NULL, dst, attr);
}

/* Open layouts become that of src0. */
static dnnl_status_t decide_layouts(struct problem *problem) {
    const md_t *src0 = problem_md(problem, DNNL_ARG_SRC_0);
    TRY(md_set_any_like(problem_md(problem, DNNL_ARG_SRC_1), src0));
    if (problem->alg == dnnl_binary_select) TRY(md_set_any_like(problem_md(problem, DNNL_ARG_SRC_2), src0));
    return md_set_any_like(problem_md(problem, DNNL_ARG_DST), src0);
}

static dnnl_status_t build(struct plan *plan) {
    struct rows rows;
    struct problem *problem = &plan->problem;
    TRY(decide_layouts(problem));
    rows_begin(&rows, plan, DNNL_ARG_DST);
    rows_load(&rows, rows_operand(&rows, DNNL_ARG_SRC_0), rows_scale(&rows, DNNL_ARG_SRC_0, NULL));
    int src1 = rows_operand(&rows, DNNL_ARG_SRC_1), scale = rows_scale(&rows, DNNL_ARG_SRC_1, NULL);
    int condition = problem->alg == dnnl_binary_select ? rows_operand(&rows, DNNL_ARG_SRC_2) : ROW_NONE;
    rows_binary(&rows, problem->alg, src1, scale, condition);
    rows_post_ops(&rows);
    return rows_end(&rows);
}

const struct implementation binary_implementations[] = {
        {"binary_rows", build, NULL},
        {NULL, NULL, NULL},
};
