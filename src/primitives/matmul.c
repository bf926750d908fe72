/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matrix product: its creation function, the accepted combinations of types and attributes, and the plan of
 * its universal implementation. The only primitive whose sizes may be unknown until execution.
 */
#include "primitives/tensor.h"
#include "kernels/params_matmul.h"
#include "oneapi/dnnl/dnnl.h"
#include "primitives/f64.h"
#include "primitives/gemm.h"
#include "primitives/gpu_gemm.h"
#include "primitives/check.h"
#include "primitives/primitives.h"
#include "primitives/product.h"

static const char component[] = "matmul";

#define TYPES_INT (TYPES_INT8 | TYPES_INT4)

static const struct type_row type_rows[] = {
        {TYPES_FLOAT, TYPES_FLOAT, TYPES_RESULT, TYPES_RESULT},
        {BIT(dnnl_f64), BIT(dnnl_f64), TYPES_RESULT, BIT(dnnl_f64)},
        {TYPES_INT8, TYPES_INT, TYPES_RESULT, TYPES_RESULT},
};

/* Integer weights with floating-point src: only if the user allows conversion. */
static const struct type_row decompression_rows[] = {
        {TYPES_FLOAT, TYPES_INT, TYPES_RESULT, TYPES_RESULT},
};

static bool weights_may_become(const attr_t *attr, dnnl_data_type_t src) {
    if (!attr || !attr->fpmath_apply_to_int) return false;
    switch (attr->fpmath_mode) {
    case dnnl_fpmath_mode_strict: return src == dnnl_f32;
    case dnnl_fpmath_mode_any: return true;
    case dnnl_fpmath_mode_bf16: return src == dnnl_bf16 || src == dnnl_f32;
    case dnnl_fpmath_mode_f16: return src == dnnl_f16 || src == dnnl_f32;
    case dnnl_fpmath_mode_tf32: return src == dnnl_f32;
    default: return false;
    }
}

static bool types_are_known(const md_t *src, const md_t *weights, const md_t *bias, const md_t *dst,
                            const attr_t *attr) {
    int count = sizeof type_rows / sizeof type_rows[0];
    if (types_fit(type_rows, count, src, weights, bias, dst)) return true;
    count = sizeof decompression_rows / sizeof decompression_rows[0];
    return weights_may_become(attr, src->data_type)
           && types_fit(decompression_rows, count, src, weights, bias, dst);
}

static bool dim_fits(dnnl_dim_t bias, dnnl_dim_t dst) {
    return bias == 1 || bias == dst;
}

/* Batch dimensions broadcast as in NumPy. If a size is unknown in one tensor, it must be unknown in all. */
static dnnl_status_t check_batch(int d, const md_t *src, const md_t *weights, const md_t *bias,
                                 const md_t *dst) {
    dnnl_dim_t s = src->dims[d], w = weights->dims[d], t = dst->dims[d], b = bias ? bias->dims[d] : 0;
    const dnnl_dim_t open = DNNL_RUNTIME_DIM_VAL;
    if (s == open || w == open || t == open || b == open) {
        REQUIRE(s == open && w == open && t == open, "dimension %d is a run-time value in some tensors only",
                d);
        return dnnl_success;
    }
    REQUIRE(t == (s == 1 ? w : s) && (w == 1 || w == t), "dimension %d does not broadcast", d);
    REQUIRE(!bias || dim_fits(b, t), "dimension %d of bias does not broadcast to dst", d);
    return dnnl_success;
}

static dnnl_status_t check_shapes(const md_t *src, const md_t *weights, const md_t *bias, const md_t *dst) {
    int ndims = dst->ndims, m = ndims - 2, n = ndims - 1;
    REQUIRE(ndims >= 2 && ndims <= DNNL_MAX_NDIMS, "dst has %d dimensions", ndims);
    REQUIRE(src->ndims == ndims && weights->ndims == ndims, "src has %d dimensions, weights %d, dst %d",
            src->ndims, weights->ndims, ndims);
    REQUIRE(!bias || bias->ndims == ndims, "bias has %d dimensions, dst %d", bias->ndims, ndims);
    REQUIRE(dst->dims[m] == src->dims[m], "rows of dst differ from those of src");
    REQUIRE(dst->dims[n] == weights->dims[n], "columns of dst differ from those of weights");
    REQUIRE(src->dims[n] == weights->dims[m], "columns of src differ from rows of weights");
    REQUIRE(!bias || (dim_fits(bias->dims[n], dst->dims[n]) && dim_fits(bias->dims[m], dst->dims[m])),
            "bias does not broadcast to dst");
    for (int d = 0; d < m; d++)
        TRY(check_batch(d, src, weights, bias, dst));
    return dnnl_success;
}

static dnnl_status_t check_sizes(const struct problem *problem) {
    return check_shapes(problem_md(problem, DNNL_ARG_SRC), problem_md(problem, DNNL_ARG_WEIGHTS),
                        problem_md(problem, DNNL_ARG_BIAS), problem_md(problem, DNNL_ARG_DST));
}

/* As quant_group, but also 1 if the mask does not include the dimension. */
static dnnl_dim_t group_along(const struct quant *quant, int ndims, int back) {
    return quant && (quant->mask >> (ndims - back) & 1) ? quant_group(quant, back) : 1;
}

static bool group_is_fit(dnnl_dim_t group, dnnl_dim_t size, int multiple) {
    return group <= 1 || group >= size || group % multiple == 0;
}

static bool groups_nest(dnnl_dim_t a, dnnl_dim_t b) {
    return a <= 1 || b <= 1 || a % b == 0 || b % a == 0;
}

/* The masks of a matrix: its rows, its columns, all dimensions. */
struct masks {
    int rows, columns, all;
};

static dnnl_status_t check_dynamic_scales(const struct quant *dst, struct masks masks) {
    if (!quant_is_dynamic(dst)) return dnnl_success;
    bool mx = dst->mode == dnnl_quantization_mode_dynamic_mx;
    dnnl_dim_t group = mx ? 32 : 16;
    SUPPORT(dst->mask == masks.all, "dynamic scales without groups");
    SUPPORT(quant_group(dst, 1) == group && quant_group(dst, 2) == 1, "the groups of dynamic scales");
    SUPPORT(dst->data_type == (mx ? dnnl_e8m0 : dnnl_f8_e4m3), "the type of dynamic scales");
    return dnnl_success;
}

static dnnl_status_t check_scales(const struct quants *scales, const md_t *src, const md_t *weights,
                                  struct masks masks) {
    const struct quant *of_src = quants_find(scales, DNNL_ARG_SRC);
    const struct quant *of_weights = quants_find(scales, DNNL_ARG_WEIGHTS);
    int ndims = src->ndims;
    dnnl_dim_t k = weights->dims[ndims - 2], n = weights->dims[ndims - 1];
    SUPPORT(MASK_IN(scales, DNNL_ARG_SRC, 0, masks.rows, masks.columns, masks.rows + masks.columns,
                    masks.all),
            "a mask of the scales of src");
    dnnl_dim_t src_k = group_along(of_src, ndims, 1), weights_k = group_along(of_weights, ndims, 2);
    SUPPORT(group_is_fit(src_k, k, 16), "groups of the scales of src");
    SUPPORT(group_is_fit(weights_k, k, 16) && group_is_fit(group_along(of_weights, ndims, 1), n, 16),
            "groups of the scales of weights");
    SUPPORT(MASK_IN(scales, DNNL_ARG_DST, 0, masks.rows, masks.columns, masks.rows + masks.columns,
                    masks.all),
            "a mask of the scales of dst");
    bool narrow = in_set(TYPES_INT8 | TYPES_FP8 | TYPES_FP4, src->data_type);
    SUPPORT(src_k <= 1 || (narrow && groups_nest(src_k, weights_k)), "groups of the scales of src");
    return check_dynamic_scales(quants_find(scales, DNNL_ARG_DST), masks);
}

static dnnl_status_t check_zero_points(const attr_t *attr, const md_t *src, const md_t *weights,
                                       struct masks masks) {
    const struct quants *zps = &attr->zero_points;
    const struct quant *of_src = quants_find(zps, DNNL_ARG_SRC),
                       *of_weights = quants_find(zps, DNNL_ARG_WEIGHTS);
    int ndims = src->ndims;
    dnnl_dim_t k = weights->dims[ndims - 2], n = weights->dims[ndims - 1];
    SUPPORT(MASK_IN(zps, DNNL_ARG_SRC, 0, masks.columns, masks.rows + masks.columns, masks.all),
            "a mask of the zero points of src");
    bool whole = of_src && of_src->mask == masks.all;
    SUPPORT(!whole || ndims == 2 || (ndims == 3 && src->dims[0] == 1), "a mask of the zero points of src");
    dnnl_dim_t src_k = group_along(of_src, ndims, 1), weights_k = group_along(of_weights, ndims, 2);
    dnnl_dim_t weights_n = group_along(of_weights, ndims, 1);
    SUPPORT(group_is_fit(src_k, k, 32), "groups of the zero points of src");
    SUPPORT(weights_n <= 1 || attr->fpmath_apply_to_int, "groups of the zero points of weights");
    SUPPORT(group_is_fit(weights_k, k, 16) && group_is_fit(weights_n, n, 16),
            "groups of the zero points of weights");
    if (of_weights && in_set(TYPES_INT4, of_weights->data_type)) {
        SUPPORT(!(of_weights->mask & masks.rows) || k % 2 == 0, "an odd number of 4-bit zero points");
        SUPPORT(!(of_weights->mask & masks.columns) || n % 2 == 0, "an odd number of 4-bit zero points");
    }
    SUPPORT(MASK_IN(zps, DNNL_ARG_DST, 0, ndims == 2 ? 2 : 0), "a mask of the zero points of dst");
    SUPPORT(src_k <= 1 || (in_set(TYPES_INT8, src->data_type) && groups_nest(src_k, weights_k)),
            "groups of the zero points of src");
    return dnnl_success;
}

/* Precomputed sums of src are accepted, as in oneDNN, but not read: zero points are applied to each element.
 */
static dnnl_status_t check_precomputed(const attr_t *attr, const md_t *src, struct masks masks) {
    const struct quants *sums = &attr->precomputed_reductions;
    if (quants_are_default(sums)) return dnnl_success;
    const struct quant *of_src = quants_find(sums, DNNL_ARG_SRC);
    SUPPORT(of_src && ONLY_FOR(sums, DNNL_ARG_SRC), "precomputed reductions of arguments other than src");
    const struct quant *zps = quants_find(&attr->zero_points, DNNL_ARG_WEIGHTS);
    SUPPORT(zps, "precomputed reductions without zero points of weights");
    SUPPORT(of_src->mask == masks.all && of_src->data_type == dnnl_s32,
            "the mask or type of precomputed reductions");
    dnnl_dim_t group = quant_group(of_src, 1);
    if (group <= 1) return dnnl_success;
    const struct {
        const struct quants *quants;
        int arg, back;
    } others[] = {{&attr->zero_points, DNNL_ARG_WEIGHTS, 2},
                  {&attr->zero_points, DNNL_ARG_SRC, 1},
                  {&attr->scales, DNNL_ARG_WEIGHTS, 2},
                  {&attr->scales, DNNL_ARG_SRC, 1}};
    REQUIRE(in_set(TYPES_INT8, src->data_type), "grouped reductions of a type other than int8");
    REQUIRE(groups_nest(group, quant_group(zps, 2)), "groups of precomputed reductions");
    for (int i = 0; i < 4; i++) {
        const struct quant *other = quants_find(others[i].quants, others[i].arg);
        REQUIRE(!other || !other->group_ndims || group <= quant_group(other, others[i].back),
                "groups of precomputed reductions are not the smallest ones");
    }
    return dnnl_success;
}

static dnnl_status_t check_matmul_attr(const struct dnnl_engine *engine, const attr_t *attr, const md_t *src,
                                       const md_t *weights, const md_t *dst) {
    bool narrow_weights = in_set(TYPES_INT | TYPES_FP8 | TYPES_FP4, weights->data_type);
    bool narrow_src = in_set(TYPES_INT8 | TYPES_FP8 | TYPES_FP4, src->data_type);
    bool narrow_dst = in_set(TYPES_FP8 | TYPES_FP4, dst->data_type);
    bool int8 = in_set(TYPES_INT8, src->data_type);
    struct attr_rules rules = {
            .parts = ATTR_POST_OPS | ATTR_DROPOUT | ATTR_ROUNDING | ATTR_SCALES | ATTR_FPMATH
                     | ATTR_ACCUMULATION | (narrow_weights || narrow_src ? ATTR_ZERO_POINTS : 0)
                     | (narrow_weights || narrow_dst ? ATTR_GROUPS : 0) | (int8 ? ATTR_PRECOMPUTED : 0),
            .quant_types = true,
            .post_ops = BIT(dnnl_binary) | BIT(dnnl_eltwise) | BIT(dnnl_prelu) | BIT(dnnl_sum),
            .sum_types = true,
            .int8 = int8,
    };
    TRY(check_attr(component, engine, attr, &rules));
    if (!attr) return dnnl_success;
    int ndims = src->ndims;
    struct masks masks = {.rows = 1 << (ndims - 2), .columns = 1 << (ndims - 1), .all = (1 << ndims) - 1};
    TRY(check_scales(&attr->scales, src, weights, masks));
    TRY(check_zero_points(attr, src, weights, masks));
    TRY(check_precomputed(attr, src, masks));
    return check_post_ops(component, engine, attr, &rules, dst);
}

dnnl_status_t dnnl_matmul_primitive_desc_create(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
                                                const_dnnl_memory_desc_t src,
                                                const_dnnl_memory_desc_t weights,
                                                const_dnnl_memory_desc_t bias, const_dnnl_memory_desc_t dst,
                                                const_dnnl_primitive_attr_t attr) {
    REQUIRE(src && weights && dst, "an argument is NULL");
    TRY(check_no_host_scalars(component, MDS(src, weights, bias, dst)));
    if (md_is_zero(bias)) bias = NULL;
    TRY(check_shapes(src, weights, bias, dst));
    REQUIRE(accumulation_type(src, weights, dst, dnnl_forward) != dnnl_data_type_undef,
            "bad combination of the types of src, weights and dst");
    TRY(check_matmul_attr(engine, attr, src, weights, dst));
    REQUIRE(pd, "an argument is NULL");
    SUPPORT(types_are_known(src, weights, bias, dst, attr), "types of src, weights, bias and dst");

    struct problem problem;
    TRY(problem_init(&problem, dnnl_matmul, 4));
    problem_add(&problem, DNNL_ARG_SRC, false, src);
    problem_add(&problem, DNNL_ARG_WEIGHTS, false, weights);
    problem_add(&problem, DNNL_ARG_BIAS, false, bias);
    problem_add(&problem, DNNL_ARG_DST, true, dst);
    problem.check_sizes = check_sizes;
    return create_desc(component, pd, engine, &problem, attr);
}

static dnnl_status_t choose_layouts(struct problem *problem) {
    static const char plain[] = "abcdefghijkl";
    for (int i = 0; i < problem->ntensors; i++) {
        md_t *md = &problem->tensors[i].md;
        char tag[sizeof plain] = {0};
        for (int d = 0; d < md->ndims; d++)
            tag[d] = plain[d];
        TRY(md_set_any(md, tag));
    }
    return dnnl_success;
}

/* The length of the parts of K within which scales do not change: the smallest group along K. Zero points,
 * and the scales of decompressed weights, are applied to each element anyway. */
static dnnl_dim_t scale_group(const struct plan *plan, dnnl_dim_t k, int ndims, bool decompress) {
    const struct quant *src = quants_find(&plan->attr.scales, DNNL_ARG_SRC);
    const struct quant *weights = quants_find(&plan->attr.scales, DNNL_ARG_WEIGHTS);
    dnnl_dim_t group = k;
    if (src && (src->mask >> (ndims - 1) & 1) && quant_group(src, 1) < group) group = quant_group(src, 1);
    if (!decompress && weights && (weights->mask >> (ndims - 2) & 1) && quant_group(weights, 2) < group)
        group = quant_group(weights, 2);
    return group > 0 ? group : 1;
}

static dnnl_status_t build_universal(struct plan *plan) {
    const md_t *src = problem_md(&plan->problem, DNNL_ARG_SRC);
    int ndims = src->ndims;
    dnnl_dim_t k = src->dims[ndims - 1];
    TRY(choose_layouts(&plan->problem));
    TRY(product_accepts(plan));
    struct epilogue_build ep;
    TRY(epilogue_begin(&ep, plan, &(struct epilogue_spec){.lanes = -1, .whole_bytes = true}));
    if (md_nelems(&ep.dst, true) == 0) return dnnl_success;
    bool f64 = product_is_f64(plan);
    struct launch *launch;
    struct matmul_params *p = plan_launch(plan, f64 ? &kernel_matmul_universal_f64 : &kernel_matmul_universal,
                                          (struct range){0}, &launch);
    if (!p) return dnnl_out_of_memory;
    launch->range = walk_init_cost(&p->walk, &ep.dst, plan->device, product_cost(plan));
    p->depth = k;
    TRY(product_end(&ep, launch, &p->product, ndims - 1, ndims - 2));
    p->group = scale_group(plan, k, ndims, p->product.sum == SUM_DECOMPRESS);
    if (f64 && p->group < k) return plan_skip(plan, "scales along K in f64");
    return dnnl_success;
}

const struct implementation matmul_implementations[] = {
        {"bf16_gemm_moved", gemm_build_matmul, &gemm_moved_16x32},
        {"bf16_gemm_16x32", gemm_build_matmul, &gemm_bf16_16x32},
        {"bf16_gemm_14x32", gemm_build_matmul, &gemm_bf16_14x32},
        {"f32_gemm_14x32", gemm_build_matmul, &gemm_14x32},
        {"int8_gemm_16x32", gemm_build_matmul, &gemm_int8_16x32},
        {"int8_gemm_12x32", gemm_build_matmul, &gemm_int8_12x32},
        {"widening_gemm_14x32", widening_build_matmul, &gemm_widening_14x32},
        {"f32_gemm_6x16", gemm_build_matmul, &gemm_6x16},
        {"widening_gemm_6x16", widening_build_matmul, &gemm_widening_6x16},
        {"f32_gpu_gemm_16x32", gpu_gemm_build_matmul, &gpu_gemm_f32},
        {"f16_gpu_gemm_16x32", gpu_gemm_build_matmul, &gpu_gemm_f16},
        {"f64_gemm_14x16", gemm_build_matmul, &gemm_f64_14x16},
        {"f64_gemm_6x8", gemm_build_matmul, &gemm_f64_6x8},
        {"f64_gemm_transposed", f64_build_transposed_matmul, NULL},
        {"f64_gemm_moved", f64_build_moved_matmul, NULL},
        {"sparse_matmul", sparse_build_matmul, NULL},
        {"matmul_universal", build_universal, NULL},
        {NULL, NULL, NULL},
};
