/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of math.h for double8, under the same names, so that eltwise_lanes.h and gradient_lanes.h
 * serve both. Polynomials are fits of our own through Chebyshev nodes. tests/kernels/math_doubles.c checks
 * the stated accuracies; without the instruction, fma rounds twice and each may be off by another ulp. Long
 * ones are functions, because size matters more here than speed.
 */
#ifndef LODE_KERNELS_LIB_MATH_DOUBLES_H
#define LODE_KERNELS_LIB_MATH_DOUBLES_H

#include "kernels/lib/gradient.h"

#ifdef __OPENCL_C_VERSION__
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define DOUBLES
#define LANES 8
#include "kernels/lib/lanes.h"

/* coefficients[0] x^(terms - 1) + … + coefficients[terms - 1]. */
#define POLYNOMIAL(y, x, coefficients)                                                                       \
    VEC y = V((coefficients)[0]);                                                                            \
    _Pragma("unroll") for (uint k_ = 1; k_ < sizeof(coefficients) / sizeof((coefficients)[0]); k_++) y =     \
            fma(y, x, V((coefficients)[k_]));

INLINE OVERLOAD VEC f32_abs(VEC x) {
    return AS_VEC(AS_UVEC(x) & 0x7fffffffffffffffUL);
}

INLINE OVERLOAD VEC f32_copysign(VEC x, VEC s) {
    return AS_VEC((AS_UVEC(x) & 0x7fffffffffffffffUL) | (AS_UVEC(s) & 0x8000000000000000UL));
}

INLINE OVERLOAD VEC f32_round(VEC x) {
    VEC a = f32_abs(x), rounded = (a + V(0x1p52)) - V(0x1p52);
    return f32_copysign(a < V(0x1p52) ? rounded : a, x);
}

INLINE OVERLOAD VEC f32_div(VEC a, VEC b) {
    return a / b;
}

INLINE OVERLOAD VEC f32_sqrt(VEC x) {
#ifdef __OPENCL_C_VERSION__
    return sqrt(x);
#else
    return __builtin_elementwise_sqrt(x);
#endif
}

/* 2^n for -1022 <= n <= 1023. */
INLINE OVERLOAD VEC f32_power_of_two(IVEC n) {
    return AS_VEC(AS_UVEC(n + 1023) << 52);
}

INLINE OVERLOAD VEC f32_scale(VEC x, IVEC n) {
#if defined(__AVX512DQ__) && !defined(__OPENCL_C_VERSION__)
    const VEC power = __builtin_convertvector(n, VEC);
    return __builtin_ia32_scalefpd512_mask(x, power, x, (unsigned char)-1, 4); /* as the mode says */
#else
    IVEC first = n >> 1;
    return x * f32_power_of_two(first) * f32_power_of_two(n - first);
#endif
}

/* Added to a number, this leaves its nearest integer in the lowest bits. */
#define SHIFT_TO_INTEGER 0x1.8p52
#define BITS_OF_SHIFT 0x4338000000000000UL

/* e^x = 2^n e^r with |r| < 0.35 and e^r = 1 + r + r^2 *p; |x| < 1000. Returns n. */
INLINE OVERLOAD IVEC f32_exp_parts(VEC x, VEC *r, VEC *p) {
    const double terms[] = {0x1.1f730349868cep-29,
                            0x1.af4de97ca4194p-26,
                            0x1.27e4db646b17ep-22,
                            0x1.71de0231960ebp-19,
                            0x1.a01a01a6d889cp-16,
                            0x1.a01a01abe7fe1p-13,
                            0x1.6c16c16c162d4p-10,
                            0x1.11111111100dcp-7,
                            0x1.5555555555556p-5,
                            0x1.5555555555557p-3,
                            0.5};
    VEC shifted = fma(x, V(0x1.71547652b82fep+0), V(SHIFT_TO_INTEGER));
    VEC n = shifted - V(SHIFT_TO_INTEGER);
    VEC t = fma(n, V(-0x1.ef35793c7673p-45), fma(n, V(-0x1.62e42fefa38p-1), x));
    POLYNOMIAL(q, t, terms)
    *p = q;
    *r = t;
    return AS_IVEC(AS_UVEC(shifted) - BITS_OF_SHIFT);
}

/* e^x for x <= 710: 1 ulp. NaN stays NaN, whatever it is multiplied by. */
INLINE VEC f64_exp_below(VEC x) {
    VEC r, p, inside = x < V(-746.0) ? V(-746.0) : x;
    IVEC n = f32_exp_parts(inside, &r, &p);
    VEC sum = V(1.0) + r, lost = (V(1.0) - sum) + r;
    return f32_scale(sum + fma(r * r, p, lost), n);
}

OUTLINE OVERLOAD VEC f32_exp(VEC x) {
    return f64_exp_below(x > V(710.0) ? V(710.0) : x);
}

/* e^x - 1 for x <= 0: 1.5 ulp. */
OUTLINE OVERLOAD VEC f32_expm1_negative(VEC x) {
    VEC r, p, inside = x < V(-60.0) ? V(-60.0) : x;
    VEC scale = f32_power_of_two(f32_exp_parts(inside, &r, &p));
    return x == x ? fma(fma(r * r, p, r), scale, scale - V(1.0)) : x;
}

/* x = 2^e m with sqrt(1/2) <= m < sqrt(2); x > 0 and finite. Returns m. */
INLINE OVERLOAD VEC f32_log_parts(VEC x, VEC *e) {
    VEC tiny = V(-54.0), none = V(0.0);
    VEC shift = x < V(0x1p-1022) ? tiny : none;
    VEC normal = x < V(0x1p-1022) ? x * V(0x1p54) : x;
    UVEC u = AS_UVEC(normal) - 0x3fe6a09e667f3bcdUL;
    *e = (AS_VEC(AS_UVEC(AS_IVEC(u) >> 52) + BITS_OF_SHIFT) - V(SHIFT_TO_INTEGER)) + shift;
    return AS_VEC((u & 0x000fffffffffffffUL) + 0x3fe6a09e667f3bcdUL);
}

/* log x: 1 ulp. With f = m - 1 and s = f / (2 + f), log m = f - f^2 / 2 + s (f^2 / 2 + s^2 p). */
OUTLINE OVERLOAD VEC f32_log(VEC x) {
    const double terms[] = {0x1.0c04595972ab8p-3, 0x1.0fbe83c2cbcf3p-3, 0x1.3b1c360763b8ap-3,
                            0x1.745cf901605f7p-3, 0x1.c71c720160b47p-3, 0x1.2492492476c87p-2,
                            0x1.9999999999a38p-2, 0x1.5555555555555p-1};
    VEC e, f = f32_log_parts(x, &e) - V(1.0);
    VEC s = f / (f + V(2.0)), z = s * s, square = f * f * V(0.5);
    POLYNOMIAL(p, z, terms)
    VEC low = fma(s, fma(z, p, square), e * V(0x1.ef35793c7673p-45));
    VEC y = fma(e, V(0x1.62e42fefa38p-1), f - (square - low));
    y = x < V(INFINITY) ? y : x;
    y = x < V(0.0) ? V(NAN) : y;
    return x == V(0.0) ? V(-INFINITY) : y;
}

/* log(1 + x) for x >= 0 and finite: 2 ulp. */
INLINE OVERLOAD VEC f32_log1p_positive(VEC x) {
    VEC u = V(1.0) + x;
    VEC lost = x < V(1.0) ? x - (u - V(1.0)) : V(1.0) - (u - x);
    return f32_log(u) + lost / u;
}

/* 1 / (1 + e^-x): 2.5 ulp. */
OUTLINE OVERLOAD VEC f32_logistic(VEC x) {
    VEC z = f32_exp(-f32_abs(x));
    return (x < V(0.0) ? z : V(1.0)) / (V(1.0) + z);
}

/* tanh x = -t / (t + 2) with t = e^-2x - 1 and x >= 0: 3 ulp. */
OUTLINE OVERLOAD VEC f32_tanh(VEC x) {
    VEC t = f32_expm1_negative(V(-2.0) * f32_abs(x));
    return f32_copysign(t / (t + V(2.0)), x);
}

/* erf x: 2 ulp. A polynomial in x^2; from 1 on 1 - e^(-x^2) p / (1 + 2 x), with a polynomial p in
 * (x - 3) / (x + 3). */
OUTLINE OVERLOAD VEC f32_erf(VEC x) {
    const double near[] = {0x1.05ffd737fb32ep-34,  -0x1.389d4f2641625p-30, 0x1.f7b4bf3b13964p-27,
                           -0x1.5f1ecb6f0764cp-23, 0x1.b9df224ca4b97p-20,  -0x1.f4d1e3183f7aep-17,
                           0x1.f9a321d5b8e1ep-14,  -0x1.c02db3dac435fp-11, 0x1.565bcd0dbaa38p-8,
                           -0x1.b82ce31284ep-6,    0x1.ce2f21a042b3p-4,    -0x1.812746b0379e6p-2,
                           0x1.06eba8214db69p-3};
    const double far[] = {-0x1.3ccda7cd5678ep-22, 0x1.dcdd8bc09a42fp-22,  0x1.c3118550f30e8p-19,
                          -0x1.a70ce38ce612ep-21, -0x1.50fd2d18ca8afp-16, 0x1.4cf120fa5bf9dp-18,
                          0x1.0659dde03ec66p-13,  -0x1.b913d366312abp-14, -0x1.98db51c3b4954p-11,
                          0x1.ef1bdea85d88ap-10,  0x1.4b884e4a82be6p-9,   -0x1.8574c40ca63d3p-6,
                          0x1.17ca2877ef64ep-4,   -0x1.e88b803a48012p-4,  0x1.098366a5b46e7p-3,
                          -0x1.85a15c58aa62fp-5,  -0x1.15c084bb9e8f3p-3,  0x1.40c522d7e4987p+0};
    VEC a = f32_abs(x), z = x * x, inside = a > V(6.0) ? V(6.0) : a;
    POLYNOMIAL(p, z, near)
    VEC small = fma(x, p, x);
    /* t = (x - 3) / (x + 3), and what q is divided by: one division for both. */
    VEC divisor = fma(inside, V(2.0), V(1.0)), sum = inside + V(3.0), inverse = V(1.0) / (sum * divisor);
    VEC t = (inside - V(3.0)) * (divisor * inverse);
    POLYNOMIAL(q, t, far)
    VEC large = V(1.0) - f64_exp_below(-inside * inside) * q * (sum * inverse);
    VEC y = a < V(1.0) ? small : f32_copysign(large, x);
    return x == x ? y : x;
}

/* The standard normal distribution function, within 2e-16. */
OUTLINE OVERLOAD VEC f32_normal(VEC x) {
    return fma(f32_erf(x * V(0x1.6a09e667f3bcdp-1)), V(0.5), V(0.5)); /* sqrt(1 / 2) */
}

/* log2 of x > 0 and finite, as high + *low. */
INLINE OVERLOAD VEC f32_log2_parts(VEC x, VEC *low) {
    const double terms[] = {0x1.82aab217db0bep-3, 0x1.880b4408a2f65p-3, 0x1.c69ba0c733d1cp-3,
                            0x1.0c9a6ec3ee6ap-2,  0x1.484b1401c7f94p-2, 0x1.a61762a7863ffp-2,
                            0x1.2776c50ef9c71p-1, 0x1.ec709dc3a03fdp-1};
    VEC e, m = f32_log_parts(x, &e);
    /* s = f / (2 + f), and the rounding error of the division. */
    VEC f = m - V(1.0), d = f + V(2.0), d_low = f - (d - V(2.0));
    VEC s = f / d;
    VEC s_low = fma(-s, d_low, fma(-s, d, f)) / d;
    VEC z = s * s;
    s_low = fma(s_low, z, s_low); /* its share in s^3, too */
    POLYNOMIAL(p, z, terms)
    /* e + (2 / ln 2) (s + s_low) + s^3 p, largest first. */
    VEC product = s * V(0x1.71547652b82fep+1);
    VEC rest = fma(s, V(0x1.71547652b82fep+1), -product);
    rest = fma(s, V(0x1.777d0ffda0d24p-55), fma(s_low, V(0x1.71547652b82fep+1), rest));
    rest = fma(s * z, p, rest);
    VEC sum = e + product;
    VEC lost = f32_abs(e) > f32_abs(product) ? product - (sum - e) : e - (sum - product);
    rest = rest + lost;
    VEC high = sum + rest;
    *low = rest - (high - sum);
    return high;
}

/* 2^(high + low). */
INLINE OVERLOAD VEC f32_exp2_parts(VEC high, VEC low) {
    const double terms[] = {0x1.c4a308a6fefb4p-36, 0x1.e9ecb42c532a9p-32, 0x1.e4cf109c96efp-28,
                            0x1.b524eb7daec92p-24, 0x1.62c02242c55a8p-20, 0x1.ffcbfc6dc7729p-17,
                            0x1.430912f86b7bap-13, 0x1.5d87fe78a3f4bp-10, 0x1.3b2ab6fba4e79p-7,
                            0x1.c6b08d704a0c6p-5,  0x1.ebfbdff82c58fp-3,  0x1.62e42fefa39efp-1};
    VEC inside = high > V(-1100.0) ? high : V(-1100.0);
    inside = inside > V(1040.0) ? V(1040.0) : inside;
    VEC shifted = inside + V(SHIFT_TO_INTEGER), n = shifted - V(SHIFT_TO_INTEGER);
    VEC r = (inside - n) + low;
    POLYNOMIAL(p, r, terms)
    return f32_scale(fma(p, r, V(1.0)), AS_IVEC(AS_UVEC(shifted) - BITS_OF_SHIFT));
}

/* x^y with the special cases of C's pow: 16 ulp, and fewer the closer the result is to 1. */
OUTLINE OVERLOAD VEC f32_pow(VEC x, VEC y) {
    VEC a = f32_abs(x), size = f32_abs(y), halved = y * V(0.5);
    IVEC whole = f32_round(y) == y, even = f32_round(halved) == halved, finite = a < V(INFINITY);
    IVEC negative = (x < V(0.0)) & finite, usual = (a > V(0.0)) & finite;
    VEC low, high = f32_log2_parts(usual ? a : V(1.0), &low);
    VEC limited = size > V(0x1p70) ? f32_copysign(V(0x1p70), y) : y;
    VEC product = limited * high;
    VEC rest = fma(limited, high, -product) + limited * low;
    rest = f32_abs(product) > V(1080.0) ? V(0.0) : rest;
    VEC r = f32_exp2_parts(product, rest);
    r = a == V(0.0) ? (y < V(0.0) ? V(INFINITY) : V(0.0)) : r;
    r = a == V(INFINITY) ? (y < V(0.0) ? V(0.0) : V(INFINITY)) : r;
    r = whole ? (even ? r : f32_copysign(r, x)) : (negative ? V(NAN) : r);
    r = x == x ? (y == y ? r : y) : x;
    r = size == V(INFINITY) ? (a == V(1.0) ? V(1.0) : r) : r;
    r = x == V(1.0) ? V(1.0) : r;
    return y == V(0.0) ? V(1.0) : r;
}

#undef POLYNOMIAL
#undef SHIFT_TO_INTEGER
#undef BITS_OF_SHIFT

#include "kernels/lib/eltwise_lanes.h"
#include "kernels/lib/gradient_lanes.h"
#undef LANES
#undef DOUBLES

#endif
