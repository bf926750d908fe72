/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The element-wise algorithms of oneDNN, forward, and the binary ones, for float, float8 and float16.
 */
#ifndef LODE_KERNELS_LIB_ELTWISE_H
#define LODE_KERNELS_LIB_ELTWISE_H

#include "kernels/lib/math.h"

/* X(name, expression in x, alpha and beta), once for every algorithm. */
#define ELTWISE_EACH(X)                                                                                      \
    X(ELTWISE_RELU, eltwise_relu(x, alpha))                                                                  \
    X(ELTWISE_LINEAR, eltwise_linear(x, alpha, beta))                                                        \
    X(ELTWISE_CLIP, eltwise_clip(x, alpha, beta))                                                            \
    X(ELTWISE_SQUARE, x *x)                                                                                  \
    X(ELTWISE_ABS, f32_abs(x))                                                                               \
    X(ELTWISE_SQRT, f32_sqrt(x))                                                                             \
    X(ELTWISE_ROUND, f32_round(x))                                                                           \
    X(ELTWISE_HARDSIGMOID, eltwise_hardsigmoid(x, alpha, beta))                                              \
    X(ELTWISE_HARDSWISH, x *eltwise_hardsigmoid(x, alpha, beta))                                             \
    X(ELTWISE_EXP, f32_exp(x))                                                                               \
    X(ELTWISE_LOG, f32_log(x))                                                                               \
    X(ELTWISE_LOGISTIC, f32_logistic(x))                                                                     \
    X(ELTWISE_TANH, f32_tanh(x))                                                                             \
    X(ELTWISE_ELU, eltwise_elu(x, alpha))                                                                    \
    X(ELTWISE_SOFT_RELU, eltwise_soft_relu(x, alpha))                                                        \
    X(ELTWISE_SWISH, eltwise_swish(x, alpha))                                                                \
    X(ELTWISE_MISH, eltwise_mish(x))                                                                         \
    X(ELTWISE_GELU_TANH, eltwise_gelu_tanh(x))                                                               \
    X(ELTWISE_GELU_ERF, eltwise_gelu_erf(x))                                                                 \
    X(ELTWISE_POW, eltwise_pow(x, alpha, beta))

#define LANES 1
#include "kernels/lib/eltwise_lanes.h"
#undef LANES
#define LANES 8
#include "kernels/lib/eltwise_lanes.h"
#undef LANES
#define LANES 16
#include "kernels/lib/eltwise_lanes.h"
#undef LANES

#endif
