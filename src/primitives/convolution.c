/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Convolution: its creation functions, and for deconvolution too the layouts that the universal
 * implementation prefers and its plan.
 */
#include "primitives/tensor.h"
#include "kernels/params_convolution.h"
#include "oneapi/dnnl/dnnl.h"
#include "primitives/convolution.h"
#include "primitives/gemm.h"
#include "primitives/gpu_gemm.h"
#include "primitives/moved.h"
#include "primitives/primitives.h"
#include "primitives/product.h"
#include "primitives/winograd.h"

static const char component[] = "convolution";

dnnl_status_t dnnl_convolution_forward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop, dnnl_alg_kind_t alg,
        const_dnnl_memory_desc_t src, const_dnnl_memory_desc_t weights, const_dnnl_memory_desc_t bias,
        const_dnnl_memory_desc_t dst, const dnnl_dims_t strides, const dnnl_dims_t dilates,
        const dnnl_dims_t padding_l, const dnnl_dims_t padding_r, const_dnnl_primitive_attr_t attr) {
    REQUIRE(prop_is_forward(prop), "not a forward propagation");
    struct convolution_request r = {
            .kind = dnnl_convolution,
            .prop = prop,
            .alg = alg,
            .src = src,
            .weights = weights,
            .bias = bias,
            .dst = dst,
            .window = {NULL, strides, dilates, padding_l, padding_r},
    };
    return create_convolution_forward(pd, engine, &r, attr);
}

dnnl_status_t dnnl_convolution_backward_data_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_alg_kind_t alg,
        const_dnnl_memory_desc_t diff_src, const_dnnl_memory_desc_t weights,
        const_dnnl_memory_desc_t diff_dst, const dnnl_dims_t strides, const dnnl_dims_t dilates,
        const dnnl_dims_t padding_l, const dnnl_dims_t padding_r, const_dnnl_primitive_desc_t hint,
        const_dnnl_primitive_attr_t attr) {
    struct convolution_request r = {
            .kind = dnnl_convolution,
            .prop = dnnl_backward_data,
            .alg = alg,
            .src = diff_src,
            .weights = weights,
            .dst = diff_dst,
            .window = {NULL, strides, dilates, padding_l, padding_r},
    };
    return create_convolution_backward_data(pd, engine, &r, hint, attr);
}

dnnl_status_t dnnl_convolution_backward_weights_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_alg_kind_t alg, const_dnnl_memory_desc_t src,
        const_dnnl_memory_desc_t diff_weights, const_dnnl_memory_desc_t diff_bias,
        const_dnnl_memory_desc_t diff_dst, const dnnl_dims_t strides, const dnnl_dims_t dilates,
        const dnnl_dims_t padding_l, const dnnl_dims_t padding_r, const_dnnl_primitive_desc_t hint,
        const_dnnl_primitive_attr_t attr) {
    struct convolution_request r = {
            .kind = dnnl_convolution,
            .prop = dnnl_backward_weights,
            .alg = alg,
            .src = src,
            .weights = diff_weights,
            .bias = diff_bias,
            .dst = diff_dst,
            .window = {NULL, strides, dilates, padding_l, padding_r},
    };
    return create_convolution_backward_weights(pd, engine, &r, hint, attr);
}

static const struct type_row type_rows[] = {
        {TYPES_FLOAT, TYPES_FLOAT, TYPES_RESULT, TYPES_RESULT},
        {BIT(dnnl_f64), BIT(dnnl_f64), TYPES_RESULT, BIT(dnnl_f64)},
        {TYPES_INT8, BIT(dnnl_s8), TYPES_RESULT, TYPES_RESULT},
};

/* Output channels, then the window, then input channels, so that the weights of one output are contiguous. */
static const char *plain_weights(int nspatial, bool grouped) {
    static const char *const tags[2][WINDOW_DIMS + 1] = {{"ab", "acb", "acdb", "acdeb"},
                                                         {"abc", "abdc", "abdec", "abdefc"}};
    return tags[grouped][nspatial];
}

static dnnl_status_t choose_layouts(struct problem *problem, bool grouped) {
    md_t *src = problem_md(problem, DNNL_ARG_SRC), *weights = problem_md(problem, DNNL_ARG_WEIGHTS);
    md_t *bias = problem_md(problem, DNNL_ARG_BIAS), *dst = problem_md(problem, DNNL_ARG_DST);
    TRY(md_set_any(src, channels_last(src->ndims)));
    TRY(md_set_any(weights, plain_weights(src->ndims - 2, grouped)));
    if (bias) TRY(md_set_any(bias, "a"));
    return md_set_any(dst, channels_last(dst->ndims));
}

dnnl_status_t convolution_accepts(struct plan *plan) {
    const struct problem *problem = &plan->problem;
    dnnl_alg_kind_t *alg = &plan->problem.alg;
    if (!types_fit(type_rows, sizeof type_rows / sizeof type_rows[0], problem_md(problem, DNNL_ARG_SRC),
                   problem_md(problem, DNNL_ARG_WEIGHTS), problem_md(problem, DNNL_ARG_BIAS),
                   problem_md(problem, DNNL_ARG_DST)))
        return plan_skip(plan, "unsupported types of src, weights, bias and dst");
    if (*alg == dnnl_deconvolution_winograd
        && in_set(TYPES_INT8, problem_md(problem, DNNL_ARG_SRC)->data_type))
        *alg = dnnl_deconvolution_direct; /* as in oneDNN */
    if (*alg == dnnl_convolution_winograd || *alg == dnnl_deconvolution_winograd)
        return plan_skip(plan, "the Winograd algorithm is requested");
    if (*alg == dnnl_convolution_auto) *alg = dnnl_convolution_direct;
    return dnnl_success;
}

dnnl_status_t convolution_build_universal(struct plan *plan) {
    struct problem *problem = &plan->problem;
    const md_t *src = problem_md(problem, DNNL_ARG_SRC), *weights = problem_md(problem, DNNL_ARG_WEIGHTS);
    int grouped = weights->ndims - src->ndims;
    TRY(convolution_accepts(plan));
    TRY(choose_layouts(problem, grouped));
    struct window window;
    window_init(&window, problem, src);
    return convolution_universal(plan, &window, grouped);
}

dnnl_status_t convolution_universal(struct plan *plan, const struct window *window, int grouped) {
    TRY(product_accepts(plan));
    struct epilogue_build ep;
    TRY(epilogue_begin(&ep, plan, &(struct epilogue_spec){.lanes = -1, .whole_bytes = true}));
    if (md_nelems(&ep.dst, true) == 0) return dnnl_success;
    const struct kernel *kernel =
            product_is_f64(plan) ? &kernel_convolution_universal_f64 : &kernel_convolution_universal;
    struct launch *launch;
    struct convolution_params *p = plan_launch(plan, kernel, (struct range){0}, &launch);
    if (!p) return dnnl_out_of_memory;
    const md_t *weights = problem_md(&plan->problem, DNNL_ARG_WEIGHTS);
    launch->range = walk_init_cost(&p->walk, &ep.dst, plan->device, product_cost(plan));
    p->window = *window;
    p->outputs = weights->dims[grouped];
    p->inputs = weights->dims[grouped + 1];
    p->grouped = grouped;
    p->transposed = plan->problem.kind == dnnl_deconvolution;
    return product_end(&ep, launch, &p->product, 1, grouped + 1);
}

/* Zero points that no kernel of 8-bit types takes: src and weights become f32 without them. */
static dnnl_status_t build_shifted(struct plan *plan) {
    struct problem *problem = &plan->problem;
    const struct quants *zero_points = &plan->attr.zero_points;
    const int nspatial = problem_md(problem, DNNL_ARG_SRC)->ndims - 2;
    const bool grouped = gemm_is_grouped(problem);
    struct moved moved = {.plan = plan};
    if (!in_set(TYPES_FLOAT | TYPES_INT8, problem_md(problem, DNNL_ARG_SRC)->data_type)
        || (!quants_find(zero_points, DNNL_ARG_SRC) && !quants_find(zero_points, DNNL_ARG_WEIGHTS)))
        return plan_skip(plan, "no zero points of src or weights");
    TRY(convolution_accepts(plan));
    TRY(choose_layouts(problem, grouped));
    TRY(moved_add(&moved, DNNL_ARG_SRC, dnnl_f32, channels_last(nspatial + 2)));
    TRY(moved_add(&moved, DNNL_ARG_WEIGHTS, dnnl_f32, plain_weights(nspatial, grouped)));
    return moved_build(&moved, convolution_forward);
}

const struct implementation convolution_forward[] = {
        {"f32_winograd_4x4", winograd_build_convolution, &winograd_4x4},
        {"f32_winograd_2x2", winograd_build_convolution, &winograd_2x2},
        {"f32_depthwise_planes_16", depthwise_build_planes, &depthwise_planes_f32},
        {"f32_depthwise_6x16", gemm_build_depthwise, &gemm_depthwise_6x16},
        {"int8_depthwise_6x16", gemm_build_depthwise, &gemm_int8_depthwise_6x16},
        {"bf16_gemm_16x32", gemm_build_convolution, &gemm_bf16_16x32},
        {"bf16_gemm_moved", gemm_build_convolution, &gemm_moved_16x32},
        {"bf16_gemm_14x32", gemm_build_convolution, &gemm_bf16_14x32},
        {"f32_gemm_14x32", gemm_build_convolution, &gemm_14x32},
        {"f32_gemm_6x16", gemm_build_convolution, &gemm_6x16},
        {"int8_gemm_16x32", gemm_build_convolution, &gemm_int8_16x32},
        {"int8_gemm_12x32", gemm_build_convolution, &gemm_int8_12x32},
        {"f64_depthwise_planes_8", depthwise_build_planes, &depthwise_planes_f64},
        {"f64_depthwise_6x16", gemm_build_depthwise, &gemm_f64_depthwise_6x16},
        {"f64_gemm_14x16", gemm_build_convolution, &gemm_f64_14x16},
        {"f64_gemm_6x8", gemm_build_convolution, &gemm_f64_6x8},
        {"f32_gpu_gemm_16x32", gpu_gemm_build_convolution, &gpu_gemm_f32},
        {"f16_gpu_gemm_16x32", gpu_gemm_build_convolution, &gpu_gemm_f16},
        {"convolution_shifted", build_shifted, NULL},
        {"convolution_universal", convolution_build_universal, NULL},
        {"convolution_then_depthwise", fused_depthwise_build, NULL},
        {NULL, NULL, NULL},
};
