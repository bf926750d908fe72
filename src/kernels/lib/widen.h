/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sixteen elements of a small type as floats, from their bits, without branches. Exactly what load_f32 gives,
 * one element at a time.
 */
#ifndef LODE_KERNELS_LIB_WIDEN_H
#define LODE_KERNELS_LIB_WIDEN_H

#include "kernels/lib/opencl.h"

/* In native code, vectors of the hardware's own f16, where it has conversions. They make signalling NaNs
 * quiet, as any operation would. */
#if defined(__F16C__) && !defined(__OPENCL_C_VERSION__)
#define HAVE_F16_VECTORS 1
typedef _Float16 native_half16 __attribute__((ext_vector_type(16)));
#endif

/* A floating-point type of `mantissa` bits, without its sign, whose exponent is `bias` less than a float's.
 * The caller handles infinities and NaNs. Denormals are the difference of two normal numbers, because a
 * device may flush denormal floats. */
INLINE uint16 widen_magnitude(uint16 v, int mantissa, uint bias) {
    const uint one = (bias + 1u) << 23;
    uint16 bits = v << (uint)(23 - mantissa);
    uint16 denormal = as_uint16(as_float16(bits + one) - as_float(one));
    return (v >> (uint)mantissa) == 0u ? denormal : bits + (bias << 23);
}

INLINE float16 widen_f16(uint16 v) {
#ifdef HAVE_F16_VECTORS
    const ushort16 halves = __builtin_convertvector(v, ushort16);
    return __builtin_convertvector(__builtin_bit_cast(native_half16, halves), float16);
#else
    uint16 magnitude = v & 0x7fffu;
    uint16 special = (magnitude << 13) + (224u << 23);
    uint16 bits = magnitude >= 0x7c00u ? special : widen_magnitude(magnitude, 10, 112);
    return as_float16(bits | (v & 0x8000u) << 16);
#endif
}

INLINE float16 widen_bf16(uint16 v) {
    return as_float16(v << 16);
}

INLINE float16 widen_f8_e5m2(uint16 v) {
    return widen_f16(v << 8);
}

INLINE float16 widen_f8_e4m3(uint16 v) {
#ifdef HAVE_F16_VECTORS
    /* An f16 whose exponent is 8 too small; f16 has room for the denormals. */
    const ushort16 bits = __builtin_convertvector(v, ushort16), magnitude = (bits << 7) & (ushort16)(0x3f80);
    const ushort16 number = magnitude == (ushort16)(0x3f80) ? (ushort16)(0x7e00) : magnitude;
    const ushort16 halves = number | ((bits << 8) & (ushort16)(0x8000));
    return __builtin_convertvector(__builtin_bit_cast(native_half16, halves), float16) * 256.0f;
#else
    uint16 magnitude = v & 0x7fu;
    uint16 bits = magnitude == 0x7fu ? (uint16)(0x7fc00000u) : widen_magnitude(magnitude, 3, 120);
    return as_float16(bits | (v & 0x80u) << 24);
#endif
}

INLINE float16 widen_f4_e2m1(uint16 v) {
    return as_float16(widen_magnitude(v & 7u, 1, 126) | (v & 8u) << 28);
}

INLINE float16 widen_f4_e3m0(uint16 v) {
    uint16 magnitude = v & 7u;
    return as_float16((magnitude == 0u ? (uint16)(0u) : (magnitude + 124u) << 23) | (v & 8u) << 28);
}

INLINE float16 widen_s32(uint16 v) {
    return convert_float16(as_int16(v));
}

INLINE float16 widen_s8(uint16 v) {
    return convert_float16(as_int16(v << 24) >> 24);
}

/* u8 and u4. */
INLINE float16 widen_unsigned(uint16 v) {
    return convert_float16(as_int16(v));
}

INLINE float16 widen_s4(uint16 v) {
    return convert_float16(as_int16(v << 28) >> 28);
}

#endif
