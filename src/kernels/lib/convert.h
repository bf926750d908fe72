/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts elements of every data type to float and back: round to nearest even, saturate where the type has
 * no infinity. Uses integer arithmetic on the bits, so that no device needs fp16 or fp64.
 *
 * 4-bit types have two elements per byte, the even one in the lower half. Storing one reads and writes the
 * whole byte, which therefore must belong to one work-item (struct walk ensures that).
 */
#ifndef LODE_KERNELS_LIB_CONVERT_H
#define LODE_KERNELS_LIB_CONVERT_H

#include "kernels/lib/opencl.h"

/* v / 2^shift, rounded to nearest even; 0 <= shift < 32. */
INLINE uint round_shift(uint v, uint shift) {
    uint half_way = (1u << shift) >> 1, rest = v & ((1u << shift) - 1u), r = v >> shift;
    return r + (rest > half_way || (rest == half_way && shift != 0 && (r & 1u) != 0));
}

/* Small floating-point types: sign, exponent, mantissa as in IEEE 754, some without infinities. */

/* The value of the bits below the sign, as the bits of a float. The caller handles infinities and NaNs. */
INLINE uint small_to_f32(uint v, uint mantissa_bits, uint bias) {
    uint exponent = v >> mantissa_bits, mantissa = v & ((1u << mantissa_bits) - 1u);
    if (exponent != 0) return ((exponent + 127u - bias) << 23) | (mantissa << (23u - mantissa_bits));
    /* mantissa * 2^(1 - bias - mantissa_bits), exactly. */
    return as_uint(convert_float((int)mantissa) * as_float((127u + 1u - bias - mantissa_bits) << 23));
}

/* The bits below the sign, rounded to nearest, for a float's magnitude; rounding may carry into the exponent.
 * The magnitude must be less than about 2^(31 - bias): callers saturate before or after. */
INLINE uint small_from_f32(uint magnitude, uint mantissa_bits, uint bias) {
    uint smallest_normal = (127u + 1u - bias) << 23;
    if (magnitude >= smallest_normal)
        return round_shift(magnitude - ((127u - bias) << 23), 23u - mantissa_bits);
    /* Denormal in the small type: a multiple of 2^(1 - bias - mantissa_bits). */
    uint exponent = magnitude >> 23, shift = 23u - mantissa_bits + 127u + 1u - bias - exponent;
    uint mantissa = (magnitude & 0x7fffffu) | 0x800000u;
    return exponent == 0 || shift > 25u ? 0u : round_shift(mantissa, shift);
}

INLINE float f16_to_f32(uint v) {
    uint sign = (v & 0x8000u) << 16, magnitude = v & 0x7fffu;
    uint special = 0x7f800000u | ((magnitude & 0x3ffu) << 13);
    return as_float(sign | (magnitude >= 0x7c00u ? special : small_to_f32(magnitude, 10, 15)));
}

INLINE uint f16_from_f32(float x) {
    uint bits = as_uint(x), sign = (bits >> 16) & 0x8000u, magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return sign | 0x7e00u | ((magnitude >> 13) & 0x3ffu);
    if (magnitude >= 0x477ff000u) return sign | 0x7c00u; /* 65520: halfway to 65536, which f16 cannot hold */
    return sign | small_from_f32(magnitude, 10, 15);
}

INLINE float bf16_to_f32(uint v) {
    return as_float(v << 16);
}

INLINE uint bf16_from_f32(float x) {
    uint bits = as_uint(x);
    if ((bits & 0x7fffffffu) > 0x7f800000u) return (bits >> 16) | 0x40u;
    return round_shift(bits, 16);
}

/* f8_e5m2 is the upper byte of an f16. Both 8-bit types are rounded from f16, as oneDNN does. */
INLINE float f8_e5m2_to_f32(uint v) {
    return f16_to_f32(v << 8);
}

INLINE uint f8_e5m2_from_f32(float x) {
    uint v = f16_from_f32(x);
    if ((v & 0x7fffu) > 0x7c00u) return (v >> 8) | 0x02u;
    return round_shift(v, 8);
}

INLINE float f8_e4m3_to_f32(uint v) {
    uint sign = (v & 0x80u) << 24, magnitude = v & 0x7fu;
    return as_float(sign | (magnitude == 0x7fu ? 0x7fc00000u : small_to_f32(magnitude, 3, 7)));
}

INLINE uint f8_e4m3_from_f32(float x) {
    uint v = f16_from_f32(x), sign = (v >> 8) & 0x80u;
    uint magnitude = as_uint(f16_to_f32(v & 0x7fffu));
    if (magnitude > 0x43e80000u)
        return sign | 0x7fu; /* 464: halfway to 480, which the type cannot hold; or NaN */
    return sign | small_from_f32(magnitude, 3, 7);
}

/* A power of two, without sign: the exponent of a float. */
INLINE float e8m0_to_f32(uint v) {
    return as_float(v == 0 ? 0x00400000u : v == 0xffu ? 0x7fc00000u : v << 23);
}

INLINE uint e8m0_from_f32(float x) {
    return (as_uint(x) >> 23) & 0xffu;
}

/* 0, 1/2, 1, 3/2, 2, 3, 4, 6. */
INLINE float f4_e2m1_to_f32(uint v) {
    return as_float(((v & 8u) << 28) | small_to_f32(v & 7u, 1, 1));
}

INLINE uint f4_e2m1_from_f32(float x) {
    uint sign = (as_uint(x) >> 28) & 8u, magnitude = as_uint(x) & 0x7fffffffu;
    return sign | (magnitude >= 0x40a00001u ? 7u : small_from_f32(magnitude, 1, 1)); /* above 5: 6 */
}

/* 0, 1/4, 1/2, 1, 2, 4, 8, 16. */
INLINE float f4_e3m0_to_f32(uint v) {
    return as_float(((v & 8u) << 28) | ((v & 7u) == 0 ? 0u : ((v & 7u) + 124u) << 23));
}

INLINE uint f4_e3m0_from_f32(float x) {
    uint sign = (as_uint(x) >> 28) & 8u, magnitude = as_uint(x) & 0x7fffffffu;
    if (magnitude > 0x41400000u) return sign | 7u;                        /* above 12: 16 */
    if (magnitude < 0x3e800000u) return sign | (magnitude > 0x3e000000u); /* above 1/8: 1/4 */
    return sign | round_shift(magnitude - (124u << 23), 23);
}

INLINE float f64_to_f32(ulong v) {
    uint sign = (uint)(v >> 32) & 0x80000000u;
    ulong magnitude = v & 0x7ffffffffffffffful;
    if (magnitude > 0x7ff0000000000000ul)
        return as_float(sign | 0x7fc00000u | ((uint)(magnitude >> 29) & 0x3fffffu));
    if (magnitude >= 0x47effffff0000000ul) return as_float(sign | 0x7f800000u);
    /* Keep the upper 30 bits and one sticky bit for the rest, which decide the rounding. */
    int exponent = (int)(magnitude >> 52) - 896; /* with the bias of a float */
    uint upper = (uint)(magnitude >> 22) & 0x3fffffffu;
    uint mantissa = (upper | 0x40000000u) | ((magnitude & 0x3ffffful) != 0);
    if (exponent > 0) return as_float(sign | (((uint)(exponent - 1) << 23) + round_shift(mantissa, 7)));
    return as_float(sign | (exponent < -23 ? 0u : round_shift(mantissa, (uint)(8 - exponent))));
}

INLINE ulong f64_from_f32(float x) {
    uint bits = as_uint(x), magnitude = bits & 0x7fffffffu;
    ulong sign = (ulong)(bits & 0x80000000u) << 32;
    if (magnitude >= 0x7f800000u) return sign | 0x7ff0000000000000ul | ((ulong)(magnitude & 0x7fffffu) << 29);
    if (magnitude >= 0x00800000u) return sign | (((ulong)magnitude << 29) + (896ul << 52));
    if (magnitude == 0) return sign;
    /* Denormal as a float: a multiple of 2^-149. */
    ulong mantissa = (ulong)magnitude << 29;
    ulong exponent = 897;
    for (; (mantissa >> 52) == 0; exponent--)
        mantissa <<= 1;
    return sign | (exponent << 52) | (mantissa & 0xffffffffffffful);
}

/* The nearest integer, saturated to the floats that fit in an s32. NaN gives the minimum. */
INLINE int s32_from_f32(float x) {
    float a = as_float(as_uint(x) & 0x7fffffffu);
    float whole = a < 0x1p23f ? (a + 0x1p23f) - 0x1p23f : a;
    if (!(a < 0x1p31f)) return x > 0.0f ? 0x7fffff80 : -0x7fffffff - 1;
    return x < 0.0f ? -(int)whole : (int)whole;
}

INLINE int limit_s32(int x, int least, int most) {
    return x < least ? least : x > most ? most : x;
}

/* oneDNN converts NaN to the minimum of s8 and the maximum of u8. */
INLINE int s8_from_f32(float x) {
    return limit_s32(s32_from_f32(x), -128, 127);
}

INLINE int u8_from_f32(float x) {
    return x != x ? 255 : limit_s32(s32_from_f32(x), 0, 255);
}

INLINE uint load_nibble(global const uchar *buffer, i64 i) {
    uint byte = buffer[i >> 1];
    return (i & 1) != 0 ? byte >> 4 : byte & 15u;
}

INLINE void store_nibble(global uchar *buffer, i64 i, uint v) {
    uint byte = buffer[i >> 1];
    buffer[i >> 1] = (uchar)((i & 1) != 0 ? (byte & 15u) | (v << 4) : (byte & 0xf0u) | (v & 15u));
}

/* Element i of a buffer. */
OUTLINE float load_f32(global const uchar *buffer, int type, i64 i) {
    switch (type) {
    case TYPE_F32: return ((global const float *)buffer)[i];
    case TYPE_F16: return f16_to_f32(((global const ushort *)buffer)[i]);
    case TYPE_BF16: return bf16_to_f32(((global const ushort *)buffer)[i]);
    case TYPE_S32: return (float)((global const int *)buffer)[i];
    case TYPE_S8: return (float)((global const char *)buffer)[i];
    case TYPE_U8: return (float)buffer[i];
    case TYPE_S4: return (float)((int)(load_nibble(buffer, i) ^ 8u) - 8);
    case TYPE_U4: return (float)load_nibble(buffer, i);
    case TYPE_F8_E5M2: return f8_e5m2_to_f32(buffer[i]);
    case TYPE_F8_E4M3: return f8_e4m3_to_f32(buffer[i]);
    case TYPE_E8M0: return e8m0_to_f32(buffer[i]);
    case TYPE_F4_E2M1: return f4_e2m1_to_f32(load_nibble(buffer, i));
    case TYPE_F4_E3M0: return f4_e3m0_to_f32(load_nibble(buffer, i));
    case TYPE_F64: return f64_to_f32(((global const ulong *)buffer)[i]);
    case TYPE_S64: return (float)((global const long *)buffer)[i];
    case TYPE_BOOLEAN: return buffer[i] != 0 ? 1.0f : 0.0f;
    }
    return 0.0f;
}

/* Element i of a buffer of integers, exactly. s64 is truncated to s32. */
OUTLINE int load_s32(global const uchar *buffer, int type, i64 i) {
    switch (type) {
    case TYPE_S32: return ((global const int *)buffer)[i];
    case TYPE_S8: return ((global const char *)buffer)[i];
    case TYPE_U8: return buffer[i];
    case TYPE_S4: return (int)(load_nibble(buffer, i) ^ 8u) - 8;
    case TYPE_U4: return (int)load_nibble(buffer, i);
    case TYPE_S64: {
        long v = ((global const long *)buffer)[i];
        return v > 0x7fffffffl ? 0x7fffffff : v < -0x80000000l ? -0x7fffffff - 1 : (int)v;
    }
    case TYPE_BOOLEAN: return buffer[i] != 0;
    }
    return s32_from_f32(load_f32(buffer, type, i));
}

/* Stores x as element i of a buffer of integers, saturated. Returns 0 if `type` is not an integer type. */
INLINE int store_integer(global uchar *buffer, int type, i64 i, int x) {
    switch (type) {
    case TYPE_S32: ((global int *)buffer)[i] = x; return 1;
    case TYPE_S8: ((global char *)buffer)[i] = (char)limit_s32(x, -128, 127); return 1;
    case TYPE_U8: buffer[i] = (uchar)limit_s32(x, 0, 255); return 1;
    case TYPE_S4: store_nibble(buffer, i, (uint)limit_s32(x, -8, 7)); return 1;
    case TYPE_U4: store_nibble(buffer, i, (uint)limit_s32(x, 0, 15)); return 1;
    case TYPE_S64: ((global long *)buffer)[i] = x; return 1;
    }
    return 0;
}

/* Stores x as element i, rounded and saturated. */
OUTLINE void store_f32(global uchar *buffer, int type, i64 i, float x) {
    switch (type) {
    case TYPE_F32: ((global float *)buffer)[i] = x; return;
    case TYPE_F16: ((global ushort *)buffer)[i] = (ushort)f16_from_f32(x); return;
    case TYPE_BF16: ((global ushort *)buffer)[i] = (ushort)bf16_from_f32(x); return;
    case TYPE_F8_E5M2: buffer[i] = (uchar)f8_e5m2_from_f32(x); return;
    case TYPE_F8_E4M3: buffer[i] = (uchar)f8_e4m3_from_f32(x); return;
    case TYPE_E8M0: buffer[i] = (uchar)e8m0_from_f32(x); return;
    case TYPE_F4_E2M1: store_nibble(buffer, i, f4_e2m1_from_f32(x)); return;
    case TYPE_F4_E3M0: store_nibble(buffer, i, f4_e3m0_from_f32(x)); return;
    case TYPE_F64: ((global ulong *)buffer)[i] = f64_from_f32(x); return;
    case TYPE_BOOLEAN: buffer[i] = x != 0.0f; return;
    }
    /* oneDNN converts NaN to the minimum of s32 and s8, the maximum of u8, and zero in 4-bit types.
     */
    int v = s32_from_f32(x);
    if (x != x && type != TYPE_S32 && type != TYPE_S8) v = type == TYPE_U8 ? 255 : 0;
    store_integer(buffer, type, i, v);
}

/* Stores x as element i, saturated; exact for integer types. */
OUTLINE void store_s32(global uchar *buffer, int type, i64 i, int x) {
    if (store_integer(buffer, type, i, x) == 0) store_f32(buffer, type, i, (float)x);
}

/* Stores the first `count` of eight floats, count < 8, in halves. */
INLINE void store_some(float8 x, global float *to, i64 count) {
    float4 four = x.lo;
    if (count & 4) {
        vstore4(x.lo, 0, to);
        four = x.hi;
    }
    to += count & 4;
    float2 two = four.lo;
    if (count & 2) {
        vstore2(four.lo, 0, to);
        two = four.hi;
    }
    to += count & 2;
    if (count & 1) to[0] = two.x;
}

#endif
