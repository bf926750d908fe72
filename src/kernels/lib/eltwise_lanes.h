/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of eltwise.h for one vector width LANES. */
#include "kernels/lib/lanes.h"

/* With alpha 0, everything that is not positive becomes +0, as in oneDNN: -inf and NaN too. */
INLINE OVERLOAD VEC eltwise_relu(VEC x, float alpha) {
    const UVEC kept = (UVEC)(alpha == 0.0f ? 0 : -1);
    return x > V(0.0f) ? x : AS_VEC(AS_UVEC(x * V(alpha)) & kept);
}

INLINE OVERLOAD VEC eltwise_linear(VEC x, float alpha, float beta) {
    return fma(x, V(alpha), V(beta));
}

INLINE OVERLOAD VEC eltwise_clip(VEC x, float alpha, float beta) {
    VEC y = x > V(alpha) ? x : V(alpha);
    return y > V(beta) ? V(beta) : y;
}

INLINE OVERLOAD VEC eltwise_hardsigmoid(VEC x, float alpha, float beta) {
    VEC y = fma(x, V(alpha), V(beta));
    y = y < V(0.0f) ? V(0.0f) : y;
    return y > V(1.0f) ? V(1.0f) : y;
}

INLINE OVERLOAD VEC eltwise_elu(VEC x, float alpha) {
    VEC negative = V(alpha) * f32_expm1_negative(x > V(0.0f) ? V(0.0f) : x);
    return x > V(0.0f) ? x : negative;
}

/* log(1 + e^(alpha x)) / alpha, without overflow. */
INLINE OVERLOAD VEC eltwise_soft_relu(VEC x, float alpha) {
    VEC t = x * V(alpha);
    VEC soft = f32_log1p_positive(f32_exp(t > V(MOST_EXP) ? V(MOST_EXP) : t));
    return t > V(MOST_EXP) ? x : f32_div(soft, V(alpha));
}

INLINE OVERLOAD VEC eltwise_swish(VEC x, float alpha) {
    return x * f32_logistic(x * V(alpha));
}

/* x tanh(log(1 + e^x)) = x w / (w + 2) with w = e^x (e^x + 2). */
INLINE OVERLOAD VEC eltwise_mish(VEC x) {
    VEC e = f32_exp(x > V(MOST_MISH) ? V(MOST_MISH) : x), w = e * (e + V(2.0f));
    return x * f32_div(w, w + V(2.0f));
}

/* (1 + tanh y) / 2 = 1 / (1 + e^-2y) */
INLINE OVERLOAD VEC eltwise_gelu_tanh(VEC x) {
    VEC twice = x * V(2.0f * SQRT_2_BY_PI) * fma(x * x, V(GELU_CUBE), V(1.0f));
    return f32_div(x, V(1.0f) + f32_exp(-twice));
}

INLINE OVERLOAD VEC eltwise_gelu_erf(VEC x) {
    return x * f32_normal(x);
}

INLINE OVERLOAD VEC eltwise_pow(VEC x, float alpha, float beta) {
    return V(alpha) * f32_pow(x, V(beta));
}

INLINE OVERLOAD VEC eltwise_f32(int alg, VEC x, float alpha, float beta) {
#define ELTWISE_CASE(name, expression)                                                                       \
    case name: return expression;
    switch (alg) { ELTWISE_EACH(ELTWISE_CASE) }
#undef ELTWISE_CASE
    return x;
}

/* Binary algorithms. Comparisons give 1 or 0; z is the condition of a select. */
INLINE OVERLOAD VEC binary_f32(int alg, VEC x, VEC y, VEC z) {
    switch (alg) {
    case BINARY_ADD: return x + y;
    case BINARY_MUL: return x * y;
    case BINARY_MAX: return x > y ? x : y;
    case BINARY_MIN: return x < y ? x : y;
    case BINARY_DIV: return f32_div(x, y);
    case BINARY_SUB: return x - y;
    case BINARY_GE: return x >= y ? V(1.0f) : V(0.0f);
    case BINARY_GT: return x > y ? V(1.0f) : V(0.0f);
    case BINARY_LE: return x <= y ? V(1.0f) : V(0.0f);
    case BINARY_LT: return x < y ? V(1.0f) : V(0.0f);
    case BINARY_EQ: return x == y ? V(1.0f) : V(0.0f);
    case BINARY_NE: return x == y ? V(0.0f) : V(1.0f);
    case BINARY_SELECT: return z == V(0.0f) ? y : x;
    }
    return x;
}
