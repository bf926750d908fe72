/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of a tensor: elements of any type at a fixed distance from each other, loaded as floats and stored
 * from floats, a vector at a time. Arrays of floats that are loaded to must have room for a multiple of 16.
 */
#ifndef LODE_KERNELS_LIB_ROWS_H
#define LODE_KERNELS_LIB_ROWS_H

#include "kernels/lib/convert.h"
#include "kernels/lib/widen.h"

#define LANES 16
#include "kernels/lib/store_lanes.h"
#undef LANES

/* Sixteen 4-bit elements, the first of them in the lower half of its byte. */
INLINE uint16 load_nibbles(global const uchar *from) {
    uchar8 bytes = vload8(0, from);
    uint16 v;
    v.even = convert_uint8(bytes & (uchar)15);
    v.odd = convert_uint8(bytes >> (uchar)4);
    return v;
}

/* Loads a row of elements that are ELEMENT in memory: LOAD_16(i) gives the bits of sixteen consecutive ones
 * from i on, LOAD_1(i) those of one. */
#define ROW_LOAD(to_, stride_, n_, dense_, WIDEN_, LOAD_16_, LOAD_1_)                                        \
    for (int k = 0; k < (n_); k += 16) {                                                                     \
        uint16 bits;                                                                                         \
        if ((dense_) && (n_) - k >= 16) {                                                                    \
            bits = LOAD_16_(k);                                                                              \
        } else {                                                                                             \
            uint each[16];                                                                                   \
            for (int j = 0; j < 16; j++)                                                                     \
                each[j] = k + j < (n_) ? LOAD_1_((k + j) * (stride_)) : 0u;                                  \
            bits = vload16(0, each);                                                                         \
        }                                                                                                    \
        vstore16(WIDEN_(bits), 0, (to_) + k);                                                                \
    }

#define LOAD_32(i) vload16(0, (global const uint *)from + offset + (i))
#define LOAD_32_1(i) ((global const uint *)from)[offset + (i)]
#define LOAD_16(i) convert_uint16(vload16(0, (global const ushort *)from + offset + (i)))
#define LOAD_16_1(i) (uint)((global const ushort *)from)[offset + (i)]
#define LOAD_8(i) convert_uint16(vload16(0, from + offset + (i)))
#define LOAD_8_1(i) (uint) from[offset + (i)]
#define LOAD_4(i) load_nibbles(from + ((offset + (i)) >> 1))
#define LOAD_4_1(i) load_nibble(from, offset + (i))

OUTLINE void row_load_any(float *to, global const uchar *from, int type, i64 offset, i64 stride, int n) {
    const int dense = stride == 1, even = dense && (offset & 1) == 0;
    switch (type) {
    case TYPE_F32: ROW_LOAD(to, stride, n, dense, as_float16, LOAD_32, LOAD_32_1); return;
    case TYPE_S32: ROW_LOAD(to, stride, n, dense, widen_s32, LOAD_32, LOAD_32_1); return;
    case TYPE_F16: ROW_LOAD(to, stride, n, dense, widen_f16, LOAD_16, LOAD_16_1); return;
    case TYPE_BF16: ROW_LOAD(to, stride, n, dense, widen_bf16, LOAD_16, LOAD_16_1); return;
    case TYPE_S8: ROW_LOAD(to, stride, n, dense, widen_s8, LOAD_8, LOAD_8_1); return;
    case TYPE_U8: ROW_LOAD(to, stride, n, dense, widen_unsigned, LOAD_8, LOAD_8_1); return;
    case TYPE_F8_E5M2: ROW_LOAD(to, stride, n, dense, widen_f8_e5m2, LOAD_8, LOAD_8_1); return;
    case TYPE_F8_E4M3: ROW_LOAD(to, stride, n, dense, widen_f8_e4m3, LOAD_8, LOAD_8_1); return;
    case TYPE_S4: ROW_LOAD(to, stride, n, even, widen_s4, LOAD_4, LOAD_4_1); return;
    case TYPE_U4: ROW_LOAD(to, stride, n, even, widen_unsigned, LOAD_4, LOAD_4_1); return;
    case TYPE_F4_E2M1: ROW_LOAD(to, stride, n, even, widen_f4_e2m1, LOAD_4, LOAD_4_1); return;
    case TYPE_F4_E3M0: ROW_LOAD(to, stride, n, even, widen_f4_e3m0, LOAD_4, LOAD_4_1); return;
    }
    for (int k = 0; k < n; k++)
        to[k] = load_f32(from, type, offset + k * stride);
}
#undef LOAD_32
#undef LOAD_32_1
#undef LOAD_16
#undef LOAD_16_1
#undef LOAD_8
#undef LOAD_8_1
#undef LOAD_4
#undef LOAD_4_1

INLINE void row_fill(float *to, float value, int n) {
    for (int k = 0; k < n; k += 16)
        vstore16((float16)(value), 0, to + k);
}

/* n elements, from element `offset` of the buffer on, `stride` elements apart; 0: the same element n times.
 */
INLINE void row_load(float *to, global const uchar *from, int type, i64 offset, i64 stride, int n) {
    if (stride == 0)
        row_fill(to, load_f32(from, type, offset), n);
    else
        row_load_any(to, from, type, offset, stride, n);
}

/* `count` rows of n elements each, `pitch` elements apart in the buffer, one after the other in `to`. */
INLINE void row_load_block(float *to, global const uchar *from, int type, i64 offset, i64 stride, int n,
                           i64 pitch, int count) {
    if (count == 1 || pitch == stride * n) {
        row_load(to, from, type, offset, stride, n * count);
        return;
    }
    if (pitch != 0) {
        for (int j = 0; j < count; j++)
            row_load(to + j * n, from, type, offset + j * pitch, stride, n);
        return;
    }
    row_load(to, from, type, offset, stride, n);
    for (int done = n; done < n * count; done *= 2)
        for (int k = 0; k < done && done + k < n * count; k += 16)
            vstore16(vload16(0, to + k), 0, to + done + k);
}

/* Stores what row_load loads. */
#define ROW_STORE(element_, bits_)                                                                           \
    for (int k = 0; k < n; k += 16) {                                                                        \
        const float16 x = vload16(0, from + k);                                                              \
        if (stride == 1 && n - k >= 16) {                                                                    \
            vstore16(bits_, 0, (global element_ *)to + offset + k);                                          \
        } else {                                                                                             \
            element_ each[16];                                                                               \
            vstore16(bits_, 0, each);                                                                        \
            for (int j = 0; j < 16 && k + j < n; j++)                                                        \
                ((global element_ *)to)[offset + (k + j) * stride] = each[j];                                \
        }                                                                                                    \
    }

OUTLINE void row_store(global uchar *to, int type, i64 offset, i64 stride, const float *from, int n) {
    switch (type) {
    case TYPE_F32: ROW_STORE(float, x); return;
    case TYPE_S32: ROW_STORE(int, lanes_s32(x)); return;
    case TYPE_F16: ROW_STORE(ushort, convert_ushort16(lanes_f16(x))); return;
    case TYPE_BF16: ROW_STORE(ushort, convert_ushort16(lanes_bf16(x))); return;
    case TYPE_S8: ROW_STORE(uchar, convert_uchar16(lanes_byte(x, -128.0f, 127.0f, -128.0f))); return;
    case TYPE_U8: ROW_STORE(uchar, convert_uchar16(lanes_byte(x, 0.0f, 255.0f, 255.0f))); return;
    case TYPE_F8_E5M2: ROW_STORE(uchar, convert_uchar16(lanes_f8_e5m2(x))); return;
    case TYPE_F8_E4M3: ROW_STORE(uchar, convert_uchar16(lanes_f8_e4m3(x))); return;
    }
    for (int k = 0; k < n; k++)
        store_f32(to, type, offset + k * stride, from[k]);
}

INLINE void row_store_block(global uchar *to, int type, i64 offset, i64 stride, const float *from, int n,
                            i64 pitch, int count) {
    if (count == 1 || pitch == stride * n) {
        row_store(to, type, offset, stride, from, n * count);
        return;
    }
    for (int j = 0; j < count; j++)
        row_store(to, type, offset + j * pitch, stride, from + j * n, n);
}

#endif
