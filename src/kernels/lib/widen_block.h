/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks of a matrix of any type as floats: like rows of lib/rows.h, but the type is looked at once for all
 * rows of a block, because they are short.
 */
#ifndef LODE_KERNELS_LIB_WIDEN_BLOCK_H
#define LODE_KERNELS_LIB_WIDEN_BLOCK_H

#include "kernels/lib/rows.h"

/* `count` elements, `step` elements apart, one by one. */
INLINE void widen_each(float *to, global const uchar *from, int type, i64 offset, i64 step, i64 count) {
#pragma nounroll
    for (i64 k = 0; k < count; k++)
        to[k] = load_f32(from, type, offset + k * step);
}

#define WIDEN_BLOCK(value_)                                                                                  \
    for (i64 r = 0; r < rows; r++)                                                                           \
        for (i64 k = 0; k < whole; k += 16) {                                                                \
            i64 at = offset + r * step + k;                                                                  \
            vstore16(value_, 0, to + r * pitch + k);                                                         \
        }                                                                                                    \
    break
#define BYTES_AT convert_uint16(vload16(0, from + at))
#define SHORTS_AT convert_uint16(vload16(0, (global const ushort *)from + at))
#define NIBBLES_AT load_nibbles(from + (at >> 1))

/* `rows` rows of `count` consecutive elements: `step` elements apart from element `offset` on, and `pitch`
 * floats apart in `to`. */
OUTLINE void widen_block(float *to, i64 pitch, global const uchar *from, int type, i64 offset, i64 step,
                         i64 rows, i64 count) {
    i64 whole = count & ~(i64)15;
    bool nibbles = type == TYPE_S4 || type == TYPE_U4 || type == TYPE_F4_E2M1 || type == TYPE_F4_E3M0;
    switch (nibbles && ((offset | step) & 1) != 0 ? 0 : type) {
    case TYPE_F32: WIDEN_BLOCK(vload16(0, (global const float *)from + at));
    case TYPE_BF16: WIDEN_BLOCK(widen_bf16(SHORTS_AT));
    case TYPE_F16: WIDEN_BLOCK(widen_f16(SHORTS_AT));
    case TYPE_F8_E5M2: WIDEN_BLOCK(widen_f8_e5m2(BYTES_AT));
    case TYPE_F8_E4M3: WIDEN_BLOCK(widen_f8_e4m3(BYTES_AT));
    case TYPE_S8: WIDEN_BLOCK(widen_s8(BYTES_AT));
    case TYPE_U8: WIDEN_BLOCK(widen_unsigned(BYTES_AT));
    case TYPE_S4: WIDEN_BLOCK(widen_s4(NIBBLES_AT));
    case TYPE_U4: WIDEN_BLOCK(widen_unsigned(NIBBLES_AT));
    case TYPE_F4_E2M1: WIDEN_BLOCK(widen_f4_e2m1(NIBBLES_AT));
    case TYPE_F4_E3M0: WIDEN_BLOCK(widen_f4_e3m0(NIBBLES_AT));
    default: whole = 0;
    }
#pragma nounroll
    for (i64 r = 0; r < rows && whole < count; r++)
        widen_each(to + r * pitch + whole, from, type, offset + r * step + whole, 1, count - whole);
}
#undef WIDEN_BLOCK
#undef BYTES_AT
#undef SHORTS_AT
#undef NIBBLES_AT

/* The halves of two vectors, element by element in turn. */
INLINE float16 widen_zip(float8 a, float8 b) {
    float16 r;
    r.even = a;
    r.odd = b;
    return r;
}

/* A square of sixteen rows of `from` as columns of `to`. */
INLINE void widen_transpose(float *to, i64 to_pitch, const float *from, i64 from_pitch) {
    float16 v[2][16];
#pragma unroll
    for (int i = 0; i < 16; i++)
        v[0][i] = vload16(0, from + i * from_pitch);
#pragma unroll
    for (int s = 0; s < 4; s++)
#pragma unroll
        for (int i = 0; i < 8; i++) {
            v[1 - (s & 1)][2 * i] = widen_zip(v[s & 1][i].lo, v[s & 1][i + 8].lo);
            v[1 - (s & 1)][2 * i + 1] = widen_zip(v[s & 1][i].hi, v[s & 1][i + 8].hi);
        }
#pragma unroll
    for (int i = 0; i < 16; i++)
        vstore16(v[0][i], 0, to + i * to_pitch);
}

#endif
