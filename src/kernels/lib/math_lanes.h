/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of math.h for one vector width LANES. Polynomials are minimax fits of our own; coefficients
 * were rounded to float one after the other.
 */
#include "kernels/lib/lanes.h"

INLINE OVERLOAD VEC f32_abs(VEC x) {
    return AS_VEC(AS_IVEC(x) & 0x7fffffff);
}

/* The magnitude of x with the sign of s. */
INLINE OVERLOAD VEC f32_copysign(VEC x, VEC s) {
    return AS_VEC((AS_UVEC(x) & 0x7fffffffu) | (AS_UVEC(s) & 0x80000000u));
}

/* Nearest integer, ties to even. */
INLINE OVERLOAD VEC f32_round(VEC x) {
    VEC a = f32_abs(x);
    VEC rounded = (a + V(0x1p23f)) - V(0x1p23f);
    return f32_copysign(a < V(0x1p23f) ? rounded : a, x);
}

/* Quotient and square root, correctly rounded. OpenCL allows them an error of some ulp, so there a correction
 * step follows, where its own terms are exact. */
INLINE OVERLOAD VEC f32_div(VEC a, VEC b) {
    VEC q = a / b;
#ifdef __OPENCL_C_VERSION__
    VEC corrected = q + fma(-q, b, a) / b;
    VEC size = f32_abs(q), dividend = f32_abs(a);
    IVEC exact = (size > V(0x1p-100f)) & (size < V(0x1p+126f)) & (dividend > V(0x1p-100f))
                 & (dividend < V(INFINITY));
    q = exact ? corrected : q;
#endif
    return q;
}

INLINE OVERLOAD VEC f32_sqrt(VEC x) {
#ifdef __OPENCL_C_VERSION__
    VEC y = sqrt(x);
    VEC corrected = y + fma(-y, y, x) * (V(0.5f) / y);
    IVEC exact = (x > V(0x1p-100f)) & (x < V(INFINITY));
    return exact ? corrected : y;
#else
    return __builtin_elementwise_sqrt(x);
#endif
}

/* 2^n for -126 <= n <= 127. */
INLINE OVERLOAD VEC f32_power_of_two(IVEC n) {
    return AS_VEC(AS_UVEC(n + 127) << 23);
}

/* x * 2^n, rounded once; n may be up to twice as large as the exponents of normal numbers. */
INLINE OVERLOAD VEC f32_scale(VEC x, IVEC n) {
#if LANES == 16 && defined(NATIVE_AVX512)
    return __builtin_ia32_scalefps512_mask(x, TO_VEC(n), x, (unsigned short)0xffff, 4);
#else
    IVEC first = n >> 1;
    return x * f32_power_of_two(first) * f32_power_of_two(n - first);
#endif
}

/* e^x = 2^n e^r with |r| < 0.35 and e^r = 1 + r + r^2 *p; |x| < 128. Returns a number that has n in its
 * lowest bits. */
INLINE OVERLOAD VEC f32_exp_series(VEC x, VEC *n, VEC *r, VEC *p) {
    VEC shifted = fma(x, V(0x1.715476p+0f), V(0x1.8p23f));
    *n = shifted - V(0x1.8p23f);
    VEC t = fma(*n, V(0x1.05c61p-29f), fma(*n, V(-0x1.62e43p-1f), x));
    VEC q = V(0x1.9e1c8p-13f);
    q = fma(q, t, V(0x1.6d4f3ap-10f));
    q = fma(q, t, V(0x1.1113p-7f));
    q = fma(q, t, V(0x1.5554e6p-5f));
    q = fma(q, t, V(0x1.555554p-3f));
    *p = fma(q, t, V(0.5f));
    *r = t;
    return shifted;
}

/* The same, but returns n. */
INLINE OVERLOAD IVEC f32_exp_parts(VEC x, VEC *r, VEC *p) {
    VEC n, shifted = f32_exp_series(x, &n, r, p);
    return AS_IVEC(AS_UVEC(shifted) - 0x4b400000u);
}

/* e^x for x < 89: 1 ulp. */
INLINE OVERLOAD VEC f32_exp_limited(VEC x) {
    VEC n, r, p, inside = x < V(-104.0f) ? V(-104.0f) : x;
    VEC shifted = f32_exp_series(inside, &n, &r, &p), y = V(1.0f) + fma(r * r, p, r);
#if LANES == 16 && defined(NATIVE_AVX512)
    (void)shifted;
    return __builtin_ia32_scalefps512_mask(y, n, y, (unsigned short)0xffff, 4);
#else
    return f32_scale(y, AS_IVEC(AS_UVEC(shifted) - 0x4b400000u));
#endif
}

/* e^x: 1 ulp. */
INLINE OVERLOAD VEC f32_exp(VEC x) {
    return f32_exp_limited(x > V(89.0f) ? V(89.0f) : x);
}

/* e^x - 1 for x <= 0: 1 ulp. */
INLINE OVERLOAD VEC f32_expm1_negative(VEC x) {
    VEC r, p, inside = x < V(-30.0f) ? V(-30.0f) : x;
    VEC scale = f32_power_of_two(f32_exp_parts(inside, &r, &p));
    return fma(fma(r * r, p, r), scale, scale - V(1.0f));
}

/* x = 2^e m with sqrt(1/2) <= m < sqrt(2); x > 0 and finite. Returns m. */
INLINE OVERLOAD VEC f32_log_parts(VEC x, VEC *e) {
    VEC tiny = V(-23.0f), none = V(0.0f);
    VEC shift = x < V(0x1p-126f) ? tiny : none;
    VEC normal = x < V(0x1p-126f) ? x * V(0x1p23f) : x;
    UVEC u = AS_UVEC(normal) - 0x3f3504f3u;
    *e = TO_VEC(AS_IVEC(u) >> 23) + shift;
    return AS_VEC((u & 0x007fffffu) + 0x3f3504f3u);
}

/* log x: 1 ulp. */
INLINE OVERLOAD VEC f32_log(VEC x) {
    VEC e, f = f32_log_parts(x, &e) - V(1.0f);
    VEC p = V(0x1.166f6cp-4f);
    p = fma(p, f, V(-0x1.e06044p-4f));
    p = fma(p, f, V(0x1.e71e3ep-4f));
    p = fma(p, f, V(-0x1.fbc28p-4f));
    p = fma(p, f, V(0x1.232ddap-3f));
    p = fma(p, f, V(-0x1.555f02p-3f));
    p = fma(p, f, V(0x1.99a554p-3f));
    p = fma(p, f, V(-0x1p-2f));
    p = fma(p, f, V(0x1.555546p-2f));
    p = fma(p, f, V(-0.5f));
    VEC low = fma(f * f, p, e * V(0x1.7f7d1cp-20f));
    VEC y = fma(e, V(0x1.62e4p-1f), f + low);
    y = x < V(INFINITY) ? y : x;
    y = x < V(0.0f) ? V(NAN) : y;
    return x == V(0.0f) ? V(-INFINITY) : y;
}

/* log(1 + x) for x >= 0 and finite: 2 ulp. */
INLINE OVERLOAD VEC f32_log1p_positive(VEC x) {
    VEC u = V(1.0f) + x;
    VEC lost = x < V(1.0f) ? x - (u - V(1.0f)) : V(1.0f) - (u - x);
    return f32_log(u) + f32_div(lost, u);
}

/* 1 / (1 + e^-x): 2.5 ulp. */
INLINE OVERLOAD VEC f32_logistic(VEC x) {
    VEC z = f32_exp(-f32_abs(x));
    return f32_div(x < V(0.0f) ? z : V(1.0f), V(1.0f) + z);
}

/* tanh x: 2 ulp. */
INLINE OVERLOAD VEC f32_tanh(VEC x) {
    VEC a = f32_abs(x), z = x * x;
    VEC p = V(0x1.fbfb5ep-10f);
    p = fma(p, z, V(-0x1.04c022p-7f));
    p = fma(p, z, V(0x1.6229b8p-6f));
    p = fma(p, z, V(-0x1.b9d17cp-5f));
    p = fma(p, z, V(0x1.110fe8p-3f));
    p = fma(p, z, V(-0x1.555552p-2f));
    VEC small = fma(x * z, p, x);
    VEC large = V(1.0f) - f32_div(V(2.0f), f32_exp(a + a) + V(1.0f));
    return f32_copysign(a < V(0.625f) ? small : large, x); /* the sign of -0 is lost in the sum */
}

/* erf x: 2 ulp. A polynomial in x^2, and one in the distance from the middle of [1.25, 3.88]. */
INLINE OVERLOAD VEC f32_erf(VEC x) {
    VEC a = f32_abs(x), z = x * x;
    VEC p = V(0x1.03818ep-14f);
    p = fma(p, z, V(-0x1.84f2b2p-11f));
    p = fma(p, z, V(0x1.4ecc12p-8f));
    p = fma(p, z, V(-0x1.b726cep-6f));
    p = fma(p, z, V(0x1.ce1dd6p-4f));
    p = fma(p, z, V(-0x1.8126d6p-2f));
    p = fma(p, z, V(0x1.06eba4p-3f));
    VEC small = fma(x, p, x);
    VEC t = fma(a, V(0x1.855a86p-1f), V(-0x1.f35894p+0f));
    VEC q = V(-0x1.00b89p-12f);
    q = fma(q, t, V(0x1.145bfep-12f));
    q = fma(q, t, V(0x1.2e24fp-10f));
    q = fma(q, t, V(-0x1.62684p-9f));
    q = fma(q, t, V(0x1.3df8b4p-10f));
    q = fma(q, t, V(0x1.2b6e36p-8f));
    q = fma(q, t, V(-0x1.acc5a8p-7f));
    q = fma(q, t, V(0x1.463786p-6f));
    q = fma(q, t, V(-0x1.4d6064p-6f));
    q = fma(q, t, V(0x1.d97ebep-7f));
    q = fma(q, t, V(-0x1.c795f4p-8f));
    q = fma(q, t, V(0x1.0e1922p-9f));
    q = fma(q, t, V(0x1.ffda7cp-1f));
    VEC large = a > V(3.88f) ? V(1.0f) : q;
    return a < V(1.25f) ? small : f32_copysign(large, x);
}

/* The standard normal distribution function, within 8e-8. */
#ifdef NATIVE_AVX2
/* The entry of a row of normal_table for each of the pieces n. */
INLINE OVERLOAD VEC normal_entry(const float *row, IVEC n) {
#if LANES == 16 && defined(NATIVE_AVX512)
    VEC twice;
    twice.lo = twice.hi = vload8(0, row);
    return __builtin_ia32_permvarsf512(twice, n);
#elif LANES == 16
    VEC entry;
    entry.lo = normal_entry(row, n.lo);
    entry.hi = normal_entry(row, n.hi);
    return entry;
#elif LANES == 8
    return __builtin_ia32_permvarsf256(vload8(0, row), n);
#else
    return row[n & 7];
#endif
}

INLINE OVERLOAD VEC f32_normal(VEC x) {
    VEC a = f32_abs(x), inside = a > V(5.6f) ? V(5.6f) : a;
    VEC shifted = fma(inside, V(0x1.555556p+0f), V(0x1p23f));
    VEC t = fma(shifted - V(0x1p23f), V(-0.75f), inside);
    IVEC n = AS_IVEC(shifted); /* in the lowest three bits, which are all that counts */
    VEC half = normal_entry(normal_table[0], n);
#pragma unroll
    for (int i = 1; i < NORMAL_TERMS; i++)
        half = fma(half, t, normal_entry(normal_table[i], n));
    return V(0.5f) + AS_VEC(AS_UVEC(half) ^ (AS_UVEC(x) & 0x80000000u));
}
#else
INLINE OVERLOAD VEC f32_normal(VEC x) {
    return fma(f32_erf(x * V(0x1.6a09e6p-1f)), V(0.5f), V(0.5f)); /* sqrt(1 / 2) */
}
#endif

/* log2 of x > 0 and finite, as high + *low. */
INLINE OVERLOAD VEC f32_log2_parts(VEC x, VEC *low) {
    VEC e, m = f32_log_parts(x, &e);
    /* s = f / (2 + f), and the rounding error of the division. */
    VEC f = m - V(1.0f), d = f + V(2.0f), d_low = f - (d - V(2.0f));
    VEC s = f32_div(f, d);
    VEC s_low = f32_div(fma(-s, d_low, fma(-s, d, f)), d);
    VEC z = s * s;
    s_low = fma(s_low, z, s_low); /* its share in s^3, too */
    VEC p = V(0x1.58b4b8p-2f);
    p = fma(p, z, V(0x1.a5cebcp-2f));
    p = fma(p, z, V(0x1.2776e2p-1f));
    p = fma(p, z, V(0x1.ec709ep-1f));
    /* e + (2 / ln 2) (s + s_low) + s^3 p, largest first. */
    VEC product = s * V(0x1.715476p+1f);
    VEC rest = fma(s, V(0x1.715476p+1f), -product);
    rest = fma(s, V(0x1.4ae0cp-25f), fma(s_low, V(0x1.715476p+1f), rest));
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
    /* The order of operands makes NaN a limit too, because NaN has no integer value. */
    VEC inside = high > V(-180.0f) ? high : V(-180.0f);
    inside = inside > V(160.0f) ? V(160.0f) : inside;
    VEC n = f32_round(inside);
    VEC r = (inside - n) + low;
    VEC p = V(0x1.e42f1ap-17f);
    p = fma(p, r, V(0x1.44113cp-13f));
    p = fma(p, r, V(0x1.5da2c2p-10f));
    p = fma(p, r, V(0x1.3b2a5ap-7f));
    p = fma(p, r, V(0x1.c6b07p-5f));
    p = fma(p, r, V(0x1.ebfbep-3f));
    p = fma(p, r, V(0x1.62e43p-1f));
    return f32_scale(fma(p, r, V(1.0f)), TO_IVEC(n));
}

/* x^y with the special cases of C's powf: 2.5 ulp. */
INLINE OVERLOAD VEC f32_pow(VEC x, VEC y) {
    VEC a = f32_abs(x), size = f32_abs(y), halved = y * V(0.5f);
    IVEC whole = f32_round(y) == y, even = f32_round(halved) == halved, finite = a < V(INFINITY);
    IVEC negative = (x < V(0.0f)) & finite, usual = (a > V(0.0f)) & finite;
    VEC low, high = f32_log2_parts(usual ? a : V(1.0f), &low);
    VEC limited = size > V(0x1p40f) ? f32_copysign(V(0x1p40f), y) : y;
    VEC product = limited * high;
    VEC rest = fma(limited, high, -product) + limited * low;
    rest = f32_abs(product) > V(160.0f) ? V(0.0f) : rest;
    VEC r = f32_exp2_parts(product, rest);
    r = a == V(0.0f) ? (y < V(0.0f) ? V(INFINITY) : V(0.0f)) : r;
    r = a == V(INFINITY) ? (y < V(0.0f) ? V(0.0f) : V(INFINITY)) : r;
    r = whole ? (even ? r : f32_copysign(r, x)) : (negative ? V(NAN) : r);
    r = x == x ? (y == y ? r : y) : x;
    r = size == V(INFINITY) ? (a == V(1.0f) ? V(1.0f) : r) : r;
    r = x == V(1.0f) ? V(1.0f) : r;
    return y == V(0.0f) ? V(1.0f) : r;
}
