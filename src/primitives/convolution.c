/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Convolution: its creation functions, the layouts it prefers and the plan of its universal implementation.
 */
#include "oneapi/dnnl/dnnl.h"
#include "primitives/gemm.h"
#include "primitives/primitives.h"
#include "primitives/window.h"

static const char component[] = "convolution";

dnnl_status_t dnnl_convolution_forward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop, dnnl_alg_kind_t alg,
        const_dnnl_memory_desc_t src, const_dnnl_memory_desc_t weights, const_dnnl_memory_desc_t bias,
        const_dnnl_memory_desc_t dst, const dnnl_dims_t strides, const dnnl_dims_t dilates,
        const dnnl_dims_t padding_l, const dnnl_dims_t padding_r, const_dnnl_primitive_attr_t attr) {
    REQUIRE(prop_is_forward(prop), "not a forward propagation");
    struct convolution_request r = {
            .component = component,
            .kind = dnnl_convolution,
            .prop = prop,
            .alg = alg,
            .src = src,
            .weights = weights,
            .bias = bias,
            .dst = dst,
            .window = {.strides = strides,
                       .dilates = dilates,
                       .padding_l = padding_l,
                       .padding_r = padding_r},
    };
    TRY(check_convolution(&r));
    TRY(check_convolution_attr(&r, engine, attr));

    struct problem problem;
    TRY(problem_init(&problem, dnnl_convolution, 4));
    problem.prop = prop;
    problem.alg = alg;
    int grouped = weights->ndims - src->ndims;
    r.window.kernel = &weights->dims[grouped + 2];
    problem_set_window(&problem, &r.window, src->ndims - 2);
    problem_add(&problem, DNNL_ARG_SRC, false, src);
    problem_add(&problem, DNNL_ARG_WEIGHTS, false, weights);
    problem_add(&problem, DNNL_ARG_BIAS, false, bias);
    problem_add(&problem, DNNL_ARG_DST, true, dst);
    return create_desc(component, pd, engine, &problem, attr);
}

dnnl_status_t dnnl_convolution_backward_data_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_alg_kind_t alg,
        const_dnnl_memory_desc_t diff_src, const_dnnl_memory_desc_t weights,
        const_dnnl_memory_desc_t diff_dst, const dnnl_dims_t strides, const dnnl_dims_t dilates,
        const dnnl_dims_t padding_l, const dnnl_dims_t padding_r, const_dnnl_primitive_desc_t hint,
        const_dnnl_primitive_attr_t attr) {
    struct convolution_request r = {
            .component = component,
            .kind = dnnl_convolution,
            .prop = dnnl_backward_data,
            .alg = alg,
            .src = diff_src,
            .weights = weights,
            .dst = diff_dst,
            .window = {.strides = strides,
                       .dilates = dilates,
                       .padding_l = padding_l,
                       .padding_r = padding_r},
    };
    (void)hint;
    TRY(check_convolution(&r));
    TRY(check_convolution_attr(&r, engine, attr));
    return create_nothing(component, pd);
}

dnnl_status_t dnnl_convolution_backward_weights_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_alg_kind_t alg, const_dnnl_memory_desc_t src,
        const_dnnl_memory_desc_t diff_weights, const_dnnl_memory_desc_t diff_bias,
        const_dnnl_memory_desc_t diff_dst, const dnnl_dims_t strides, const dnnl_dims_t dilates,
        const dnnl_dims_t padding_l, const dnnl_dims_t padding_r, const_dnnl_primitive_desc_t hint,
        const_dnnl_primitive_attr_t attr) {
    struct convolution_request r = {
            .component = component,
            .kind = dnnl_convolution,
            .prop = dnnl_backward_weights,
            .alg = alg,
            .src = src,
            .weights = diff_weights,
            .bias = diff_bias,
            .dst = diff_dst,
            .window = {.strides = strides,
                       .dilates = dilates,
                       .padding_l = padding_l,
                       .padding_r = padding_r},
    };
    (void)hint;
    TRY(check_convolution(&r));
    TRY(check_convolution_attr(&r, engine, attr));
    return create_nothing(component, pd);
}

const struct implementation convolution_implementations[] = {
        {"gemm:f32", gemm_build_convolution},
        {NULL, NULL},
};
