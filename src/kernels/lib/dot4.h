/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dot products of four bytes in each lane of a vector of integers, unsigned times signed, exact, sums modulo
 * 2^32. Operands are prepared once and used many times: dot4_signed for a vector of weights, dot4_unsigned
 * for four values that all lanes share. The prepared form depends on the instruction set. VNNI takes the
 * bytes unchanged, in one instruction. Elsewhere on x86-64, even and odd bytes are widened to 16 bits, and
 * one instruction multiplies and adds pairs (the one for pairs of bytes saturates). On other architectures
 * each byte is widened to an integer.
 */
#ifndef LODE_KERNELS_LIB_DOT4_H
#define LODE_KERNELS_LIB_DOT4_H

#include "kernels/lib/opencl.h"

#if defined(__AVX512VNNI__) || defined(__AVXVNNI__)
#include <immintrin.h>

typedef int16 dot4_weights;
typedef int16 dot4_values;
typedef int16 dot4_lanes;

INLINE dot4_lanes dot4_each(int16 x) {
    return x;
}

INLINE dot4_weights dot4_signed(int16 w) {
    return w;
}

INLINE dot4_values dot4_unsigned(int four) {
    return (int16)(four);
}

INLINE int16 dot4(int16 sum, dot4_values x, dot4_weights w) {
#if defined(__AVX512VNNI__)
    return (int16)_mm512_dpbusd_epi32((__m512i)sum, (__m512i)x, (__m512i)w);
#else
    int16 r;
    r.lo = (int8)_mm256_dpbusd_avx_epi32((__m256i)sum.lo, (__m256i)x.lo, (__m256i)w.lo);
    r.hi = (int8)_mm256_dpbusd_avx_epi32((__m256i)sum.hi, (__m256i)x.hi, (__m256i)w.hi);
    return r;
#endif
}

INLINE int16 dot4_of_lanes(int16 sum, dot4_lanes x, dot4_weights w) {
    return dot4(sum, x, w);
}

#elif defined(__x86_64__) && !defined(__OPENCL_C_VERSION__)
#include <immintrin.h>

typedef short short32 __attribute__((ext_vector_type(32)));
typedef ushort ushort32 __attribute__((ext_vector_type(32)));
typedef struct {
    short32 even, odd;
} dot4_weights, dot4_values, dot4_lanes;

INLINE dot4_weights dot4_signed(int16 w) {
    return (dot4_weights){(short32)((ushort32)w << 8) >> 8, (short32)w >> 8};
}

INLINE dot4_lanes dot4_each(int16 x) {
    return (dot4_lanes){(short32)((ushort32)x & 255), (short32)((ushort32)x >> 8)};
}

INLINE dot4_values dot4_unsigned(int four) {
    return dot4_each((int16)(four));
}

INLINE int16 dot4_pairs(short32 x, short32 w) {
#if defined(__AVX512BW__)
    return (int16)_mm512_madd_epi16((__m512i)x, (__m512i)w);
#elif defined(__AVX2__)
    int16 r;
    r.lo = (int8)_mm256_madd_epi16((__m256i)x.lo, (__m256i)w.lo);
    r.hi = (int8)_mm256_madd_epi16((__m256i)x.hi, (__m256i)w.hi);
    return r;
#else
    int16 r;
    r.lo.lo = (int4)_mm_madd_epi16((__m128i)x.lo.lo, (__m128i)w.lo.lo);
    r.lo.hi = (int4)_mm_madd_epi16((__m128i)x.lo.hi, (__m128i)w.lo.hi);
    r.hi.lo = (int4)_mm_madd_epi16((__m128i)x.hi.lo, (__m128i)w.hi.lo);
    r.hi.hi = (int4)_mm_madd_epi16((__m128i)x.hi.hi, (__m128i)w.hi.hi);
    return r;
#endif
}

INLINE int16 dot4(int16 sum, dot4_values x, dot4_weights w) {
    return sum + dot4_pairs(x.even, w.even) + dot4_pairs(x.odd, w.odd);
}

INLINE int16 dot4_of_lanes(int16 sum, dot4_lanes x, dot4_weights w) {
    return dot4(sum, x, w);
}

#else

typedef struct {
    int16 byte[4];
} dot4_weights;
typedef int dot4_values;
typedef int16 dot4_lanes;

INLINE dot4_lanes dot4_each(int16 x) {
    return x;
}

INLINE dot4_weights dot4_signed(int16 v) {
    uint16 w = as_uint16(v);
    dot4_weights bytes = {
            {as_int16(w << 24) >> 24, as_int16(w << 16) >> 24, as_int16(w << 8) >> 24, v >> 24}};
    return bytes;
}

INLINE dot4_values dot4_unsigned(int four) {
    return four;
}

INLINE int16 dot4(int16 sum, dot4_values x, dot4_weights w) {
    int16 low = (int16)(x & 255) * w.byte[0] + (int16)(x >> 8 & 255) * w.byte[1];
    int16 high = (int16)(x >> 16 & 255) * w.byte[2] + (int16)(x >> 24 & 255) * w.byte[3];
    return sum + (low + high);
}

INLINE int16 dot4_of_lanes(int16 sum, dot4_lanes x, dot4_weights w) {
    int16 low = (x & 255) * w.byte[0] + (x >> 8 & 255) * w.byte[1];
    int16 high = (x >> 16 & 255) * w.byte[2] + (x >> 24 & 255) * w.byte[3];
    return sum + (low + high);
}

#endif

#endif
