/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inner product: its creation functions, and its forward plan as a convolution whose window is the whole
 * image.
 */
#include "oneapi/dnnl/dnnl.h"
#include "primitives/convolution.h"
#include "primitives/gemm.h"
#include "primitives/inner_product.h"
#include "primitives/gpu_gemm.h"
#include "primitives/primitives.h"

static const char component[] = "inner_product";

/* An inner product, forward or backward; tensors have their forward names. */
struct request {
    dnnl_prop_kind_t prop;
    const md_t *src, *weights, *bias, *dst;
};

static dnnl_status_t check_shapes(const struct request *r, bool biased) {
    const md_t *src = r->src, *weights = r->weights, *bias = r->bias, *dst = r->dst;
    REQUIRE(md_nelems(weights, false) > 0, "weights are empty");
    REQUIRE(src->ndims >= 2 && src->ndims <= 5, "src has %d dimensions", src->ndims);
    REQUIRE(dst->ndims == 2, "dst has %d dimensions", dst->ndims);
    REQUIRE(weights->ndims == src->ndims, "weights have %d dimensions, src has %d", weights->ndims,
            src->ndims);
    REQUIRE(!biased || (bias->ndims == 1 && bias->dims[0] == dst->dims[1]),
            "bias is not a vector with one element per output channel");
    REQUIRE(src->dims[0] == dst->dims[0], "batch of src differs from that of dst");
    for (int d = 1; d < src->ndims; d++)
        REQUIRE(src->dims[d] == weights->dims[d], "dimension %d of src differs from that of weights", d);
    REQUIRE(dst->dims[1] == weights->dims[0], "channels of dst differ from the output channels of weights");
    return dnnl_success;
}

static dnnl_status_t check(const struct request *r) {
    REQUIRE(r->src && r->weights && r->dst, "an argument is NULL");
    TRY(check_no_host_scalars(component, MDS(r->src, r->weights, r->bias, r->dst)));
    TRY(check_sizes_known(component, MDS(r->src, r->weights, r->bias, r->dst)));
    REQUIRE(accumulation_type(r->src, r->weights, r->dst, r->prop) != dnnl_data_type_undef,
            "bad combination of the types of src, weights and dst");
    return check_shapes(r, r->bias && r->bias->format_kind != dnnl_format_kind_undef);
}

static dnnl_status_t check_request_attr(const struct request *r, const struct dnnl_engine *engine,
                                        const attr_t *attr) {
    REQUIRE(engine, "the engine is NULL");
    if (!prop_is_forward(r->prop)) {
        struct attr_rules backward = {.parts = ATTR_FPMATH | ATTR_ACCUMULATION};
        return check_attr(component, engine, attr, &backward);
    }
    bool gpu = engine->kind == dnnl_gpu;
    bool int8 = in_set(TYPES_INT8, r->src->data_type)
                || (gpu && in_set(TYPES_INT8 | BIT(dnnl_s32), r->dst->data_type));
    struct attr_rules rules = {
            .parts = ATTR_POST_OPS | ATTR_FPMATH | ATTR_ACCUMULATION | (int8 ? ATTR_SCALES : 0),
            .post_ops = BIT(dnnl_binary) | BIT(dnnl_eltwise) | BIT(dnnl_prelu) | BIT(dnnl_sum),
            .sum_types = true,
            .int8 = int8,
    };
    TRY(check_attr(component, engine, attr, &rules));
    if (!attr) return dnnl_success;
    const struct quants *scales = &attr->scales;
    SUPPORT(MASK_IN(scales, DNNL_ARG_SRC, 0), "a mask of the scales of src");
    SUPPORT(MASK_IN(scales, DNNL_ARG_WEIGHTS, 0, 1), "a mask of the scales of weights");
    SUPPORT(MASK_IN(scales, DNNL_ARG_DST, 0), "a mask of the scales of dst");
    return check_post_ops(component, engine, attr, &rules, r->dst);
}

dnnl_status_t dnnl_inner_product_forward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop, const_dnnl_memory_desc_t src,
        const_dnnl_memory_desc_t weights, const_dnnl_memory_desc_t bias, const_dnnl_memory_desc_t dst,
        const_dnnl_primitive_attr_t attr) {
    REQUIRE(prop_is_forward(prop), "not a forward propagation");
    struct request r = {.prop = prop, .src = src, .weights = weights, .bias = bias, .dst = dst};
    TRY(check(&r));
    TRY(check_request_attr(&r, engine, attr));

    struct problem problem;
    TRY(problem_init(&problem, dnnl_inner_product, 4));
    problem.prop = prop;
    problem_add(&problem, DNNL_ARG_SRC, false, src);
    problem_add(&problem, DNNL_ARG_WEIGHTS, false, weights);
    problem_add(&problem, DNNL_ARG_BIAS, false, bias);
    problem_add(&problem, DNNL_ARG_DST, true, dst);
    return create_desc(component, pd, engine, &problem, attr);
}

dnnl_status_t dnnl_inner_product_backward_data_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, const_dnnl_memory_desc_t diff_src,
        const_dnnl_memory_desc_t weights, const_dnnl_memory_desc_t diff_dst, const_dnnl_primitive_desc_t hint,
        const_dnnl_primitive_attr_t attr) {
    struct request r = {.prop = dnnl_backward_data, .src = diff_src, .weights = weights, .dst = diff_dst};
    TRY(check(&r));
    TRY(check_request_attr(&r, engine, attr));

    struct problem problem;
    TRY(problem_init(&problem, dnnl_inner_product, 3));
    problem.prop = dnnl_backward_data;
    problem_add(&problem, DNNL_ARG_DIFF_DST, false, diff_dst);
    problem_add(&problem, DNNL_ARG_WEIGHTS, false, weights);
    problem_add(&problem, DNNL_ARG_DIFF_SRC, true, diff_src);
    return create_backward_desc(component, pd, engine, &problem, hint, attr);
}

dnnl_status_t dnnl_inner_product_backward_weights_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, const_dnnl_memory_desc_t src,
        const_dnnl_memory_desc_t diff_weights, const_dnnl_memory_desc_t diff_bias,
        const_dnnl_memory_desc_t diff_dst, const_dnnl_primitive_desc_t hint,
        const_dnnl_primitive_attr_t attr) {
    struct request r = {.prop = dnnl_backward_weights,
                        .src = src,
                        .weights = diff_weights,
                        .bias = diff_bias,
                        .dst = diff_dst};
    TRY(check(&r));
    TRY(check_request_attr(&r, engine, attr));

    struct problem problem;
    TRY(problem_init(&problem, dnnl_inner_product, 4));
    problem.prop = dnnl_backward_weights;
    problem_add(&problem, DNNL_ARG_SRC, false, src);
    problem_add(&problem, DNNL_ARG_DIFF_DST, false, diff_dst);
    problem_add(&problem, DNNL_ARG_DIFF_WEIGHTS, true, diff_weights);
    problem_add(&problem, DNNL_ARG_DIFF_BIAS, true, diff_bias);
    return create_backward_desc(component, pd, engine, &problem, hint, attr);
}

static const struct type_row type_rows[] = {
        {TYPES_FLOAT, TYPES_FLOAT, TYPES_RESULT, TYPES_RESULT},
        {BIT(dnnl_f64), BIT(dnnl_f64), TYPES_RESULT, BIT(dnnl_f64)},
        {TYPES_INT8, BIT(dnnl_s8), TYPES_RESULT, TYPES_RESULT},
};

static dnnl_status_t check_types(const struct plan *plan) {
    const struct problem *problem = &plan->problem;
    if (!types_fit(type_rows, sizeof type_rows / sizeof type_rows[0], problem_md(problem, DNNL_ARG_SRC),
                   problem_md(problem, DNNL_ARG_WEIGHTS), problem_md(problem, DNNL_ARG_BIAS),
                   problem_md(problem, DNNL_ARG_DST)))
        return plan_skip(plan, "unsupported types of src, weights, bias and dst");
    return dnnl_success;
}

static dnnl_status_t build_widening(struct plan *plan) {
    TRY(check_types(plan));
    return widening_build_inner_product(plan);
}

static dnnl_status_t build_universal(struct plan *plan) {
    struct problem *problem = &plan->problem;
    md_t *src = problem_md(problem, DNNL_ARG_SRC), *weights = problem_md(problem, DNNL_ARG_WEIGHTS);
    md_t *bias = problem_md(problem, DNNL_ARG_BIAS), *dst = problem_md(problem, DNNL_ARG_DST);
    TRY(check_types(plan));
    TRY(md_set_any(src, channels_last(src->ndims)));
    TRY(md_set_any(weights, channels_last(src->ndims)));
    TRY(md_set_any(dst, "ab"));
    if (bias) TRY(md_set_any(bias, "a"));
    struct window window = window_over(src);
    return convolution_universal(plan, &window, 0);
}

const struct implementation inner_product_forward[] = {
        {"matmul_few", inner_product_build_few, &inner_product_of_few},
        {"bf16_gemm_moved", gemm_build_inner_product, &gemm_moved_16x32},
        {"f32_gemm_14x32", gemm_build_inner_product, &gemm_14x32},
        {"int8_gemm_16x32", gemm_build_inner_product, &gemm_int8_16x32},
        {"int8_gemm_12x32", gemm_build_inner_product, &gemm_int8_12x32},
        {"bf16_gemm_16x32", gemm_build_inner_product, &gemm_bf16_16x32},
        {"bf16_gemm_14x32", gemm_build_inner_product, &gemm_bf16_14x32},
        {"widening_gemm_14x32", build_widening, &gemm_widening_14x32},
        {"f32_gemm_6x16", gemm_build_inner_product, &gemm_6x16},
        {"widening_gemm_6x16", build_widening, &gemm_widening_6x16},
        {"f32_gpu_gemm_16x32", gpu_gemm_build_inner_product, &gpu_gemm_f32},
        {"f16_gpu_gemm_16x32", gpu_gemm_build_inner_product, &gpu_gemm_f16},
        {"f64_gemm_14x16", gemm_build_inner_product, &gemm_f64_14x16},
        {"f64_gemm_6x8", gemm_build_inner_product, &gemm_f64_6x8},
        {"matmul", inner_product_build_by_matmul, &inner_product_by_matmul},
        {"convolution_universal", build_universal, NULL},
        {NULL, NULL, NULL},
};
