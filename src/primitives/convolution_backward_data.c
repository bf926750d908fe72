/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Convolution and deconvolution, backward by data: each is the other one's forward pass. The gradient of src
 * of a convolution is a deconvolution of that of dst, with the input and output channels of weights
 * exchanged, and the reverse. Knows neither kernels nor layouts: an implementation of the forward pass plans
 * it.
 */
#include "base/verbose.h"
#include "primitives/convolution.h"
#include "primitives/gemm.h"
#include "primitives/gpu_gemm.h"
#include "primitives/primitives.h"

/* Types of diff_dst, weights, no bias and diff_src. */
static const struct type_row type_rows[] = {
        {TYPES_FLOAT, TYPES_FLOAT, 0, TYPES_RESULT},
        {BIT(dnnl_f64), BIT(dnnl_f64), 0, BIT(dnnl_f64)},
        {TYPES_INT8, BIT(dnnl_s8), 0, TYPES_RESULT},
};

static dnnl_status_t accepts(struct plan *plan) {
    const struct problem *problem = &plan->problem;
    dnnl_alg_kind_t *alg = &plan->problem.alg;
    if (!types_fit(type_rows, sizeof type_rows / sizeof type_rows[0], problem_md(problem, DNNL_ARG_DIFF_DST),
                   problem_md(problem, DNNL_ARG_WEIGHTS), NULL, problem_md(problem, DNNL_ARG_DIFF_SRC)))
        return plan_skip(plan, "unsupported types of diff_dst, weights and diff_src");
    if (*alg == dnnl_convolution_winograd || *alg == dnnl_deconvolution_winograd)
        return plan_skip(plan, "the Winograd algorithm is requested");
    if (*alg == dnnl_convolution_auto) *alg = dnnl_convolution_direct;
    return dnnl_success;
}

/* Weights with input and output channels exchanged; `to` and `from` may be the same. */
static dnnl_status_t exchange_channels(md_t *to, const md_t *from, bool grouped) {
    static const int exchanged[2][DNNL_MAX_NDIMS] = {{1, 0, 2, 3, 4}, {0, 2, 1, 3, 4, 5}};
    return md_permute(to, from, exchanged[grouped]);
}

static bool is_grouped(const struct problem *problem) {
    return problem_md(problem, DNNL_ARG_WEIGHTS)->ndims > problem_md(problem, DNNL_ARG_DIFF_SRC)->ndims;
}

/* The forward pass of the other kind that gives diff_src; the window is the same. */
static dnnl_status_t describe_part(struct problem *part, const struct problem *whole) {
    const bool convolution = whole->kind == dnnl_convolution;
    md_t weights;
    TRY(exchange_channels(&weights, problem_md(whole, DNNL_ARG_WEIGHTS), is_grouped(whole)));
    TRY(problem_init(part, convolution ? dnnl_deconvolution : dnnl_convolution, 3));
    part->prop = dnnl_forward_inference;
    part->alg = convolution ? dnnl_deconvolution_direct : dnnl_convolution_direct;
    problem_set_window(part,
                       &(struct window_vectors){.kernel = whole->kernel,
                                                .strides = whole->strides,
                                                .dilates = whole->dilates,
                                                .padding_l = whole->padding_l,
                                                .padding_r = whole->padding_r},
                       problem_md(whole, DNNL_ARG_DIFF_SRC)->ndims - 2);
    problem_add(part, DNNL_ARG_SRC, false, problem_md(whole, DNNL_ARG_DIFF_DST));
    problem_add(part, DNNL_ARG_WEIGHTS, false, &weights);
    problem_add(part, DNNL_ARG_DST, true, problem_md(whole, DNNL_ARG_DIFF_SRC));
    return dnnl_success;
}

static int whole_arg(int arg, const void *data) {
    (void)data;
    switch (arg) {
    case DNNL_ARG_SRC: return DNNL_ARG_DIFF_DST;
    case DNNL_ARG_DST: return DNNL_ARG_DIFF_SRC;
    default: return arg;
    }
}

/* The row's data is the forward implementation. A layout of weights that it has chosen is one of the
 * exchanged weights. */
static dnnl_status_t build(struct plan *plan) {
    md_t *weights = problem_md(&plan->problem, DNNL_ARG_WEIGHTS);
    const bool open = md_is_any(weights);
    struct problem part;
    TRY(accepts(plan));
    if (!open && !md_is_blocked(weights)) return plan_skip(plan, "a layout is not blocked");
    TRY(describe_part(&part, &plan->problem));
    dnnl_status_t status = plan_append(plan, plan->implementation->data, &part, &plan->attr, whole_arg, NULL);
    problem_clear(&part);
    TRY(status);
    return open ? exchange_channels(weights, weights, is_grouped(&plan->problem)) : dnnl_success;
}

/* One forward implementation, as a row of a table. */
#define BY(name, build_forward, data)                                                                        \
    {                                                                                                        \
        name, build, (const struct implementation[]) {                                                       \
            {name, build_forward, data}, {                                                                   \
                NULL, NULL, NULL                                                                             \
            }                                                                                                \
        }                                                                                                    \
    }

const struct implementation convolution_backward_data[] = {
        BY("f32_depthwise_planes_16", depthwise_build_planes, &depthwise_planes_f32),
        BY("f32_depthwise_6x16", gemm_build_depthwise, &gemm_depthwise_6x16),
        BY("bf16_gemm_16x32", gemm_build_convolution, &gemm_bf16_16x32),
        BY("bf16_gemm_moved", gemm_build_convolution, &gemm_moved_16x32),
        BY("bf16_gemm_14x32", gemm_build_convolution, &gemm_bf16_14x32),
        BY("f32_gemm_14x32", gemm_build_convolution, &gemm_14x32),
        BY("f32_gemm_6x16", gemm_build_convolution, &gemm_6x16),
        BY("int8_depthwise_6x16", gemm_build_depthwise, &gemm_int8_depthwise_6x16),
        BY("int8_gemm_16x32", gemm_build_convolution, &gemm_int8_16x32),
        BY("int8_gemm_12x32", gemm_build_convolution, &gemm_int8_12x32),
        BY("f64_depthwise_planes_8", depthwise_build_planes, &depthwise_planes_f64),
        BY("f64_depthwise_6x16", gemm_build_depthwise, &gemm_f64_depthwise_6x16),
        BY("f64_gemm_14x16", gemm_build_convolution, &gemm_f64_14x16),
        BY("f64_gemm_6x8", gemm_build_convolution, &gemm_f64_6x8),
        BY("convolution_universal", convolution_build_universal, NULL),
        {NULL, NULL, NULL},
};

const struct implementation deconvolution_backward_data[] = {
        BY("f32_depthwise_planes_16", depthwise_build_planes, &depthwise_planes_f32),
        BY("f32_depthwise_6x16", gemm_build_depthwise, &gemm_depthwise_6x16),
        BY("bf16_gemm_16x32", gemm_build_convolution, &gemm_bf16_16x32),
        BY("bf16_gemm_moved", gemm_build_convolution, &gemm_moved_16x32),
        BY("bf16_gemm_14x32", gemm_build_convolution, &gemm_bf16_14x32),
        BY("f32_gemm_14x32", gemm_build_convolution, &gemm_14x32),
        BY("f32_gemm_6x16", gemm_build_convolution, &gemm_6x16),
        BY("int8_depthwise_6x16", gemm_build_depthwise, &gemm_int8_depthwise_6x16),
        BY("int8_gemm_16x32", gemm_build_convolution, &gemm_int8_16x32),
        BY("int8_gemm_12x32", gemm_build_convolution, &gemm_int8_12x32),
        BY("f64_depthwise_planes_8", depthwise_build_planes, &depthwise_planes_f64),
        BY("f64_depthwise_6x16", gemm_build_depthwise, &gemm_f64_depthwise_6x16),
        BY("f64_gemm_14x16", gemm_build_convolution, &gemm_f64_14x16),
        BY("f64_gemm_6x8", gemm_build_convolution, &gemm_f64_6x8),
        BY("f32_gpu_gemm_16x32", gpu_gemm_build_convolution, &gpu_gemm_f32),
        BY("f16_gpu_gemm_16x32", gpu_gemm_build_convolution, &gpu_gemm_f16),
        BY("convolution_universal", convolution_build_universal, NULL),
        {NULL, NULL, NULL},
};
