/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of gradient.h for one vector width LANES. */
#include "kernels/lib/lanes.h"

INLINE OVERLOAD VEC gradient_constant(VEC x, float value) {
    (void)x; /* only its type is used, to select the width */
    return V(value);
}

INLINE OVERLOAD VEC gradient_relu(VEC x, float alpha) {
    return x > V(0.0f) ? V(1.0f) : V(alpha);
}

INLINE OVERLOAD VEC gradient_abs(VEC x) {
    VEC negative = x < V(0.0f) ? V(-1.0f) : V(0.0f);
    return x > V(0.0f) ? V(1.0f) : negative;
}

/* Of y = sqrt(x). */
INLINE OVERLOAD VEC gradient_sqrt(VEC y) {
    return f32_div(V(0.5f), y);
}

/* The upper limit is inside. */
INLINE OVERLOAD VEC gradient_clip(VEC x, float alpha, float beta) {
    VEC below = x <= V(beta) ? V(1.0f) : V(0.0f);
    return x > V(alpha) ? below : V(0.0f);
}

INLINE OVERLOAD VEC gradient_clip_v2(VEC x, float alpha, float beta) {
    VEC below = x < V(beta) ? V(1.0f) : V(0.0f);
    return x > V(alpha) ? below : V(0.0f);
}

INLINE OVERLOAD VEC gradient_hardsigmoid(VEC x, float alpha, float beta) {
    VEC y = fma(x, V(alpha), V(beta)), below = y < V(1.0f) ? V(alpha) : V(0.0f);
    return y > V(0.0f) ? below : V(0.0f);
}

INLINE OVERLOAD VEC gradient_hardswish(VEC x, float alpha, float beta) {
    VEC y = fma(x, V(alpha), V(beta)), inside = fma(x, V(2.0f * alpha), V(beta));
    VEC above = y < V(1.0f) ? inside : V(1.0f);
    return y > V(0.0f) ? above : V(0.0f);
}

/* Of y = logistic(x). */
INLINE OVERLOAD VEC gradient_logistic(VEC y) {
    return y * (V(1.0f) - y);
}

/* 1 - tanh(x)^2 = 4 z / (1 + z)^2 with z = e^(-2 |x|) */
INLINE OVERLOAD VEC gradient_tanh_of(VEC x) {
    const VEC z = f32_exp(V(-2.0f) * f32_abs(x)), sum = V(1.0f) + z;
    return f32_div(V(4.0f) * z, sum * sum);
}

/* Of y = tanh(x). */
INLINE OVERLOAD VEC gradient_tanh(VEC y) {
    return (V(1.0f) - y) * (V(1.0f) + y);
}

INLINE OVERLOAD VEC gradient_elu(VEC x, float alpha) {
    VEC negative = V(alpha) * f32_exp(x > V(0.0f) ? V(0.0f) : x);
    return x > V(0.0f) ? V(1.0f) : negative;
}

INLINE OVERLOAD VEC gradient_elu_dst(VEC y, float alpha) {
    return y > V(0.0f) ? V(1.0f) : y + V(alpha);
}

INLINE OVERLOAD VEC gradient_swish(VEC x, float alpha) {
    VEC v = f32_logistic(x * V(alpha));
    return fma(x * V(alpha) * v, V(1.0f) - v, v);
}

/* With t = tanh(log(1 + e^x)) = w / (w + 2), w = e^x (e^x + 2): t + x (1 - t)(1 + t) logistic(x), 1 - t being
 * 2 / (w + 2). */
INLINE OVERLOAD VEC gradient_mish(VEC x) {
    VEC e = f32_exp(x > V(MOST_MISH) ? V(MOST_MISH) : x), w = e * (e + V(2.0f));
    VEC t = f32_div(w, w + V(2.0f)), rest = f32_div(V(2.0f), w + V(2.0f));
    return fma(x * rest * (V(1.0f) + t), f32_logistic(x), t);
}

INLINE OVERLOAD VEC gradient_gelu_tanh(VEC x) {
    const REAL k = SQRT_2_BY_PI, c = GELU_CUBE;
    VEC square = x * x, inner = x * V(k) * fma(square, V(c), V(1.0f));
    VEC slope = V(k) * fma(square, V(3.0f * c), V(1.0f)), t = f32_tanh(inner);
    return V(0.5f) * (V(1.0f) + t) * fma(x * slope, V(1.0f) - t, V(1.0f));
}

INLINE OVERLOAD VEC gradient_gelu_erf(VEC x) {
    VEC bell = V(SQRT_2_BY_PI * 0.5f) * f32_exp(x * x * V(-0.5f));
    return fma(x, bell, f32_normal(x));
}

INLINE OVERLOAD VEC gradient_pow(VEC x, float alpha, float beta) {
    if (beta == 0.0f) return V(0.0f);
    return V((REAL)alpha * beta) * f32_pow(x, V((REAL)beta - 1.0f));
}

INLINE OVERLOAD VEC gradient_f32(int alg, VEC x, float alpha, float beta) {
#define GRADIENT_CASE(name, expression)                                                                      \
    case name: return expression;
    switch (alg) { GRADIENT_EACH(GRADIENT_CASE) }
#undef GRADIENT_CASE
    return x;
}
