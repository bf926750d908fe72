/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles of sums of products of pairs of bf16, for CPUs with an instruction for them. */
#ifndef LODE_KERNELS_LIB_BF16_TILE_H
#define LODE_KERNELS_LIB_BF16_TILE_H

#include "kernels/lib/opencl.h"

#define LANES 16
#include "kernels/lib/lanes.h"

enum { HEIGHT = 14, PANEL = 2 * LANES, PAIR = 2 };

/* sum + the products of two adjacent steps of x and w. */
#if defined(__AVX512BF16__)
#include <immintrin.h>
INLINE VEC dot2_each(VEC sum, UVEC x, UVEC w) {
    return (VEC)_mm512_dpbf16_ps((__m512)sum, (__m512bh)x, (__m512bh)w);
}
#else
INLINE VEC dot2_each(VEC sum, UVEC x, UVEC w) {
    const uint odd = 0xffff0000u;
    return fma(AS_VEC(x << 16), AS_VEC(w << 16), fma(AS_VEC(x & odd), AS_VEC(w & odd), sum));
}
#endif

/* The same of an x that all lanes share. */
INLINE VEC dot2(VEC sum, int x, UVEC w) {
    return dot2_each(sum, (UVEC)((uint)x), w);
}

/* Calls f(m) with the constant that equals `columns`. */
#define EACH_HEIGHT(columns, f)                                                                              \
    switch (columns) {                                                                                       \
    case 1: f(1); break;                                                                                     \
    case 2: f(2); break;                                                                                     \
    case 3: f(3); break;                                                                                     \
    case 4: f(4); break;                                                                                     \
    case 5: f(5); break;                                                                                     \
    case 6: f(6); break;                                                                                     \
    case 7: f(7); break;                                                                                     \
    case 8: f(8); break;                                                                                     \
    case 9: f(9); break;                                                                                     \
    case 10: f(10); break;                                                                                   \
    case 11: f(11); break;                                                                                   \
    case 12: f(12); break;                                                                                   \
    case 13: f(13); break;                                                                                   \
    case 14: f(14); break;                                                                                   \
    }

#endif
