/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The derivatives of the element-wise algorithms, for float and float16. `x` is the input of the function or,
 * for ELTWISE_*_DST, its output.
 */
#ifndef LODE_KERNELS_LIB_GRADIENT_H
#define LODE_KERNELS_LIB_GRADIENT_H

#include "kernels/lib/eltwise.h"

/* X(name, expression in x, alpha and beta), once for every algorithm that has a derivative. */
#define GRADIENT_EACH(X)                                                                                     \
    X(ELTWISE_RELU, gradient_relu(x, alpha))                                                                 \
    X(ELTWISE_RELU_DST, gradient_relu(x, alpha))                                                             \
    X(ELTWISE_LINEAR, gradient_constant(x, alpha))                                                           \
    X(ELTWISE_CLIP, gradient_clip(x, alpha, beta))                                                           \
    X(ELTWISE_CLIP_V2, gradient_clip_v2(x, alpha, beta))                                                     \
    X(ELTWISE_CLIP_V2_DST, gradient_clip_v2(x, alpha, beta))                                                 \
    X(ELTWISE_SQUARE, x + x)                                                                                 \
    X(ELTWISE_ABS, gradient_abs(x))                                                                          \
    X(ELTWISE_SQRT, gradient_sqrt(f32_sqrt(x)))                                                              \
    X(ELTWISE_SQRT_DST, gradient_sqrt(x))                                                                    \
    X(ELTWISE_HARDSIGMOID, gradient_hardsigmoid(x, alpha, beta))                                             \
    X(ELTWISE_HARDSWISH, gradient_hardswish(x, alpha, beta))                                                 \
    X(ELTWISE_EXP, f32_exp(x))                                                                               \
    X(ELTWISE_EXP_DST, x)                                                                                    \
    X(ELTWISE_LOG, f32_div(gradient_constant(x, 1.0f), x))                                                   \
    X(ELTWISE_LOGISTIC, gradient_logistic(f32_logistic(x)))                                                  \
    X(ELTWISE_LOGISTIC_DST, gradient_logistic(x))                                                            \
    X(ELTWISE_TANH, gradient_tanh_of(x))                                                                     \
    X(ELTWISE_TANH_DST, gradient_tanh(x))                                                                    \
    X(ELTWISE_ELU, gradient_elu(x, alpha))                                                                   \
    X(ELTWISE_ELU_DST, gradient_elu_dst(x, alpha))                                                           \
    X(ELTWISE_SOFT_RELU, f32_logistic(x *alpha))                                                             \
    X(ELTWISE_SWISH, gradient_swish(x, alpha))                                                               \
    X(ELTWISE_MISH, gradient_mish(x))                                                                        \
    X(ELTWISE_GELU_TANH, gradient_gelu_tanh(x))                                                              \
    X(ELTWISE_GELU_ERF, gradient_gelu_erf(x))                                                                \
    X(ELTWISE_POW, gradient_pow(x, alpha, beta))

#define LANES 1
#include "kernels/lib/gradient_lanes.h"
#undef LANES
#define LANES 16
#include "kernels/lib/gradient_lanes.h"
#undef LANES

#endif
