/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stores LANES consecutive results, starting at element i; `count` of them exist. Rounds and saturates
 * exactly as store_f32 and store_s32 do.
 */
#include "kernels/lib/convert.h"
#include "kernels/lib/lanes.h"
#include "kernels/lib/widen.h"

/* The nearest integer, saturated, as in s32_from_f32. */
INLINE OVERLOAD IVEC lanes_s32(VEC x) {
#if LANES > 1 && defined(NATIVE_AVX2)
    const VEC least = V(-0x1p31f), most = V(0x7fffff80);
    VEC limited = x > least ? x : least; /* and so is NaN */
    limited = limited < most ? limited : most;
    return TO_IVEC(__builtin_elementwise_roundeven(limited));
#else
    VEC a = AS_VEC(AS_UVEC(x) & 0x7fffffffu);
    VEC whole = a < V(0x1p23f) ? (a + V(0x1p23f)) - V(0x1p23f) : a;
    IVEC v = TO_IVEC(a < V(0x1p31f) ? whole : V(0.0f));
    IVEC limit = x > V(0.0f) ? (IVEC)(0x7fffff80) : (IVEC)(-0x7fffffff - 1);
    return a < V(0x1p31f) ? (x < V(0.0f) ? -v : v) : limit;
#endif
}

/* The same, saturated to the limits of a byte type; NaN becomes `nan`. */
INLINE OVERLOAD UVEC lanes_byte(VEC x, float least, float most, float nan) {
    VEC limited = x > V(most) ? V(most) : x;
    limited = limited < V(least) ? V(least) : limited;
    limited = x == x ? limited : V(nan);
    return (AS_UVEC(limited + V(0x1.8p23f)) - as_uint(0x1.8p23f)) & 0xffu;
}

/* The two types themselves. The order of the limits decides what NaN becomes: -128, and 255. */
INLINE OVERLOAD UVEC lanes_s8(VEC x) {
    VEC limited = x > V(-128.0f) ? x : V(-128.0f);
    limited = limited < V(127.0f) ? limited : V(127.0f);
    return AS_UVEC(limited + V(0x1.8p23f)) & 0xffu;
}

INLINE OVERLOAD UVEC lanes_u8(VEC x) {
    VEC limited = x < V(255.0f) ? x : V(255.0f);
    limited = limited > V(0.0f) ? limited : V(0.0f);
    return AS_UVEC(limited + V(0x1.8p23f)) & 0xffu;
}

INLINE OVERLOAD UVEC lanes_bf16(VEC x) {
    UVEC bits = AS_UVEC(x), more = (bits & 0x10000u) == 0u ? (UVEC)(0x7fffu) : (UVEC)(0x8000u);
    return (x == x ? bits + more : bits | 0x400000u) >> 16;
}

#if LANES == 16
/* The same sixteen numbers as shorts. */
INLINE ushort16 narrow_bf16(float16 x) {
#ifdef NATIVE_AVX512
    typedef short short32 __attribute__((ext_vector_type(32)));
    const short32 odd = {1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31,
                         1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31};
    enum { QUIET_NANS = 0x22 };
    const uint16 bits = as_uint16(x), more = (bits & 0x10000u) == 0u ? (uint16)(0x7fffu) : (uint16)(0x8000u);
    const float16 rounded = __builtin_ia32_fixupimmps512_mask(as_float16(bits + more), x, (int16)(QUIET_NANS),
                                                              0, (ushort)0xffff, 4);
    const short32 upper = __builtin_ia32_permvarhi512(__builtin_bit_cast(short32, rounded), odd);
    return __builtin_bit_cast(ushort16, __builtin_shufflevector(upper, upper, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
                                                                10, 11, 12, 13, 14, 15));
#else
    return convert_ushort16(lanes_bf16(x));
#endif
}
#endif

INLINE OVERLOAD UVEC lanes_f16(VEC x) {
#if LANES == 16 && defined(HAVE_F16_VECTORS)
    const native_half16 halves = __builtin_convertvector(x, native_half16);
    return __builtin_convertvector(__builtin_bit_cast(ushort16, halves), uint16);
#else
    UVEC bits = AS_UVEC(x), magnitude = bits & 0x7fffffffu, rebased = magnitude - (112u << 23);
    UVEC normal = (rebased + 0xfffu + ((rebased >> 13) & 1u)) >> 13;
    UVEC denormal = AS_UVEC(AS_VEC(magnitude) + V(0.5f)) - (126u << 23); /* the sum has their last bit */
    UVEC v = magnitude >= 0x38800000u ? normal : denormal;
    v = magnitude >= 0x477ff000u ? (UVEC)(0x7c00u) : v; /* 65520, as in f16_from_f32 */
    v = magnitude > 0x7f800000u ? 0x7e00u | ((magnitude >> 13) & 0x3ffu) : v;
    return v | ((bits >> 16) & 0x8000u);
#endif
}

#if LANES == 16
/* The same as shorts. By name: of a conversion and a store past the caches, compilers make a plain store. */
INLINE ushort16 narrow_f16(float16 x) {
#if defined(HAVE_F16_VECTORS) && defined(NATIVE_AVX512)
    typedef short short16_lanes __attribute__((vector_size(32)));
    const short16_lanes none = {0};
    return __builtin_bit_cast(ushort16, __builtin_ia32_vcvtps2ph512_mask(x, 4, none, (unsigned short)0xffff));
#elif defined(HAVE_F16_VECTORS)
    ushort16 halves;
    halves.lo = __builtin_bit_cast(ushort8, __builtin_ia32_vcvtps2ph256(x.lo, 4));
    halves.hi = __builtin_bit_cast(ushort8, __builtin_ia32_vcvtps2ph256(x.hi, 4));
    return halves;
#else
    return convert_ushort16(lanes_f16(x));
#endif
}
#endif

INLINE OVERLOAD UVEC lanes_f8_e5m2(VEC x) {
#if LANES == 16 && defined(HAVE_F16_VECTORS)
    const ushort16 h = __builtin_bit_cast(ushort16, __builtin_convertvector(x, native_half16));
    const ushort16 nan = (h >> 8) | (ushort16)(2),
                   rounded = (h + (ushort16)(0x7f) + ((h >> 8) & (ushort16)(1))) >> 8;
    return __builtin_convertvector((h & (ushort16)(0x7fff)) > (ushort16)(0x7c00) ? nan : rounded, uint16);
#else
    UVEC v = lanes_f16(x);
    return (v & 0x7fffu) > 0x7c00u ? (v >> 8) | 0x02u : (v + 0x7fu + ((v >> 8) & 1u)) >> 8;
#endif
}

/* Rounded to f16 first, as f8_e4m3_from_f32 does. Every finite f16 that is denormal as a float is far below
 * the smallest f8. */
INLINE OVERLOAD UVEC lanes_f8_e4m3(VEC x) {
#if LANES == 16 && defined(HAVE_F16_VECTORS)
    const native_half16 half = __builtin_convertvector(x, native_half16);
    const ushort16 h = __builtin_bit_cast(ushort16, half), magnitude = h & (ushort16)(0x7fff);
    const ushort16 rebased = magnitude - (ushort16)(8 << 10);
    const ushort16 normal = (rebased + (ushort16)(0x3f) + ((rebased >> 7) & (ushort16)(1))) >> 7;
    const float16 exact = as_float16(as_uint16(__builtin_convertvector(half, float16)) & 0x7fffffffu);
    const uint16 last = as_uint16(exact + (float16)(0x1p14f)) - as_uint(0x1p14f); /* of denormals */
    ushort16 v = magnitude >= (ushort16)(0x2400) ? normal : __builtin_convertvector(last, ushort16);
    v = magnitude > (ushort16)(0x5f40) ? (ushort16)(0x7f) : v; /* above 464, or NaN */
    return __builtin_convertvector(v | ((h >> 8) & (ushort16)(0x80)), uint16);
#else
    UVEC sixteen = lanes_f16(x) & 0x7fffu;
    UVEC magnitude = sixteen < 0x400u ? (UVEC)(0u) : (sixteen << 13) + (112u << 23);
    UVEC rebased = magnitude - (120u << 23);
    UVEC normal = (rebased + 0x7ffffu + ((rebased >> 20) & 1u)) >> 20;
    UVEC denormal = AS_UVEC(AS_VEC(magnitude) + V(0x1p14f)) - as_uint(0x1p14f);
    UVEC v = magnitude >= 0x3c800000u ? normal : denormal;
    return (sixteen > 0x5f40u ? (UVEC)(0x7fu) : v) | ((AS_UVEC(x) >> 24) & 0x80u); /* above 464, or NaN */
#endif
}

/* Stores a full vector. False: this type has no vector store. */
INLINE OVERLOAD bool store_vector(global uchar *buffer, int type, i64 i, VEC x) {
    switch (type) {
    case TYPE_F32: VSTORE(x, 0, (global float *)buffer + i); return true;
    case TYPE_S32: VSTORE(lanes_s32(x), 0, (global int *)buffer + i); return true;
    case TYPE_S8: VSTORE(TO_BYTES(lanes_s8(x)), 0, buffer + i); return true;
    case TYPE_U8: VSTORE(TO_BYTES(lanes_u8(x)), 0, buffer + i); return true;
    case TYPE_BF16: VSTORE(TO_SHORTS(lanes_bf16(x)), 0, (global ushort *)buffer + i); return true;
    case TYPE_F16: VSTORE(TO_SHORTS(lanes_f16(x)), 0, (global ushort *)buffer + i); return true;
    case TYPE_F8_E5M2: VSTORE(TO_BYTES(lanes_f8_e5m2(x)), 0, buffer + i); return true;
    case TYPE_F8_E4M3: VSTORE(TO_BYTES(lanes_f8_e4m3(x)), 0, buffer + i); return true;
    }
    return false;
}

INLINE OVERLOAD void store_lanes(global uchar *buffer, int type, i64 i, VEC x, int count) {
    if (count == LANES && store_vector(buffer, type, i, x)) return;
    float values[LANES];
    VSTORE(x, 0, values);
#pragma nounroll
    for (int k = 0; k < count; k++)
        store_f32(buffer, type, i + k, values[k]);
}

/* Integers, to a buffer of s32. */
INLINE OVERLOAD void store_lanes(global int *buffer, i64 i, IVEC x, int count) {
    if (count == LANES) {
        VSTORE(x, 0, buffer + i);
        return;
    }
    int values[LANES];
    VSTORE(x, 0, values);
#pragma nounroll
    for (int k = 0; k < count; k++)
        buffer[i + k] = values[k];
}
