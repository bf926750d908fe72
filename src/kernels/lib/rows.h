/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of a tensor: elements of any type at a fixed distance from each other, loaded as floats and stored
 * from floats, a vector at a time. Arrays of floats that are loaded to must have room for a multiple of 16.
 */
#ifndef LODE_KERNELS_LIB_ROWS_H
#define LODE_KERNELS_LIB_ROWS_H

#include "kernels/lib/convert.h"
#include "kernels/lib/stream.h"
#include "kernels/lib/transpose.h"
#include "kernels/lib/widen.h"
#include "kernels/params_rows.h"

#define LANES 16
#include "kernels/lib/store_lanes.h"
#undef LANES

/* In native code, floats that lie one after the other are used where they are; other compilers know no
 * pointers to either address space. */
#ifdef __OPENCL_C_VERSION__
#define ROW_IN_PLACE 0
#else
#define ROW_IN_PLACE 1
#endif

/* Sixteen 4-bit elements, the first of them in the lower half of its byte. */
INLINE uint16 load_nibbles(global const uchar *from) {
    uchar8 bytes = vload8(0, from);
    uchar16 v;
    v.even = bytes & (uchar)15;
    v.odd = bytes >> (uchar)4;
    return convert_uint16(v);
}

/* The bits of up to sixteen elements at any distance from each other, and zeros for the others. */
OUTLINE void row_gather(uint *each, global const uchar *from, int bits, i64 offset, i64 stride, int n) {
    vstore16((uint16)(0u), 0, each);
#define GATHER(element_)                                                                                     \
    for (int j = 0; j < n; j++)                                                                              \
        each[j] = ((global const element_ *)from)[offset + j * stride];
    switch (bits) {
    case 32: GATHER(uint) return;
    case 16: GATHER(ushort) return;
    case 8: GATHER(uchar) return;
    }
#undef GATHER
    for (int j = 0; j < n; j++)
        each[j] = load_nibble(from, offset + j * stride);
}

OUTLINE void row_scatter(global uchar *to, int bits, i64 offset, i64 stride, const uint *each, int n) {
#define SCATTER(element_)                                                                                    \
    for (int j = 0; j < n; j++)                                                                              \
        ((global element_ *)to)[offset + j * stride] = (element_)each[j];
    switch (bits) {
    case 32: SCATTER(uint) return;
    case 16: SCATTER(ushort) return;
    case 8: SCATTER(uchar) return;
    }
#undef SCATTER
}

/* Sixteen consecutive elements. */
#define ROW_BITS_32(from_, i_) vload16(0, (global const uint *)(from_) + (i_))
#define ROW_BITS_16(from_, i_) convert_uint16(vload16(0, (global const ushort *)(from_) + (i_)))
#define ROW_BITS_8(from_, i_) convert_uint16(vload16(0, (from_) + (i_)))
#define ROW_BITS_4(from_, i_) load_nibbles((from_) + ((i_) >> 1))

/* The last elements of a long row are loaded and stored with some that come before them. */
#define ROW_LOAD(type_, bits_, WIDEN_)                                                                       \
    case type_:                                                                                              \
        for (int j = 0; j < rows; j++, to += to_pitch, offset += pitch) {                                    \
            const int dense = bits_ < 8 && (offset & 1) ? 0 : whole;                                         \
            int k = 0;                                                                                       \
            for (; k < dense; k += 16)                                                                       \
                vstore16(WIDEN_(ROW_BITS_##bits_(from, offset + k)), 0, to + k);                             \
            if (dense > 0 && k < n && bits_ >= 8) {                                                          \
                vstore16((float16)(0.0f), 0, to + k);                                                        \
                vstore16(WIDEN_(ROW_BITS_##bits_(from, offset + n - 16)), 0, to + n - 16);                   \
                continue;                                                                                    \
            }                                                                                                \
            for (; k < n; k += 16) {                                                                         \
                row_gather(each, from, bits_, offset + k * stride, stride, n - k < 16 ? n - k : 16);         \
                vstore16(WIDEN_(vload16(0, each)), 0, to + k);                                               \
            }                                                                                                \
        }                                                                                                    \
        return;

/* Doubles, where the compiler has them. */
#if ROW_IN_PLACE
OUTLINE void row_load_doubles(float *to, int to_pitch, const double *from, i64 stride, int n, i64 pitch,
                              int rows) {
    for (int j = 0; j < rows; j++, to += to_pitch, from += pitch) {
        int k = 0;
        for (; stride == 1 && k + 16 <= n; k += 16)
            vstore16(__builtin_convertvector(vload16(0, from + k), float16), 0, to + k);
        for (; k < n; k++)
            to[k] = (float)from[k * stride];
    }
}

OUTLINE void row_store_doubles(double *to, i64 stride, const float *from, int n, i64 pitch, int rows) {
    for (int j = 0; j < rows; j++, to += pitch, from += n) {
        int k = 0;
        for (; stride == 1 && k + 16 <= n; k += 16)
            vstore16(__builtin_convertvector(vload16(0, from + k), double16), 0, to + k);
        for (; k < n; k++)
            to[k * stride] = (double)from[k];
    }
}
#endif

/* Rows of n elements that are `stride` apart, each row `pitch` elements behind the one before it, and
 * `to_pitch` floats in `to`: at least n. */
OUTLINE void row_load_rows(float *to, int to_pitch, global const uchar *from, int type, i64 offset,
                           i64 stride, int n, i64 pitch, int rows) {
    const int whole = stride != 1 ? 0 : n / 16 * 16;
    uint each[16];
    switch (type) {
        ROW_LOAD(TYPE_F32, 32, as_float16)
        ROW_LOAD(TYPE_S32, 32, widen_s32)
        ROW_LOAD(TYPE_F16, 16, widen_f16)
        ROW_LOAD(TYPE_BF16, 16, widen_bf16)
        ROW_LOAD(TYPE_S8, 8, widen_s8)
        ROW_LOAD(TYPE_U8, 8, widen_unsigned)
        ROW_LOAD(TYPE_F8_E5M2, 8, widen_f8_e5m2)
        ROW_LOAD(TYPE_F8_E4M3, 8, widen_f8_e4m3)
        ROW_LOAD(TYPE_S4, 4, widen_s4)
        ROW_LOAD(TYPE_U4, 4, widen_unsigned)
        ROW_LOAD(TYPE_F4_E2M1, 4, widen_f4_e2m1)
        ROW_LOAD(TYPE_F4_E3M0, 4, widen_f4_e3m0)
#if ROW_IN_PLACE
    case TYPE_F64:
        row_load_doubles(to, to_pitch, (const double *)from + offset, stride, n, pitch, rows);
        return;
#endif
    }
    for (int j = 0; j < rows; j++)
        for (int k = 0; k < n; k++)
            to[j * to_pitch + k] = load_f32(from, type, offset + j * pitch + k * stride);
}

INLINE void row_load_any(float *to, global const uchar *from, int type, i64 offset, i64 stride, int n) {
    row_load_rows(to, 0, from, type, offset, stride, n, 0, 1);
}

INLINE int row_is_in_place(int type, i64 n) {
    return ROW_IN_PLACE && type == TYPE_F32 && n % 16 == 0;
}

/* n consecutive elements as floats: in `own`, or, whole vectors of floats, where they are. */
INLINE const float *row_floats(float *own, global const uchar *from, int type, i64 offset, int n) {
#if ROW_IN_PLACE
    if (row_is_in_place(type, n)) return (const float *)from + offset;
#endif
    row_load_any(own, from, type, offset, 1, n);
    return own;
}

/* Where n results are put before row_put stores them: in `own`, or where they belong. */
INLINE float *row_results(float *own, global uchar *to, int type, i64 offset, int n) {
#if ROW_IN_PLACE
    if (row_is_in_place(type, n)) return (float *)to + offset;
#endif
    return own;
}

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

/* Elements are turned as they are, before they become floats: rows of n that lie one after the other. */
#if ROW_IN_PLACE
#define ROW_TURN(bits_, element_, side_, TURN_)                                                              \
    OUTLINE void row_turn_##bits_(element_ *to, const element_ *from, i64 stride, int n, int count) {        \
        for (int j = 0; j < count; j += side_)                                                               \
            for (int i = 0; i < n; i += side_) {                                                             \
                const int x = i + side_ <= n ? i : n - side_, y = j + side_ <= count ? j : count - side_;    \
                TURN_(from + x * stride + y, stride, to + y * n + x, n)                                      \
            }                                                                                                \
    }
ROW_TURN(32, float, 8, TRANSPOSE_8X8)
ROW_TURN(16, ushort, 8, TRANSPOSE_8X8_16)
ROW_TURN(8, uchar, 16, TRANSPOSE_16X16_8)
ROW_TURN(64, ulong, 4, TRANSPOSE_4X4_64)

/* The bits of a type that can be turned; 0: it has others. */
INLINE int row_turned_bits(int type) {
    switch (type) {
    case TYPE_F64: return 64;
    case TYPE_F32:
    case TYPE_S32: return 32;
    case TYPE_BF16:
    case TYPE_F16: return 16;
    case TYPE_S8:
    case TYPE_U8:
    case TYPE_F8_E5M2:
    case TYPE_F8_E4M3: return 8;
    }
    return 0;
}

/* Returns 0 if there is no whole tile. */
INLINE int row_load_turned(float *to, const uchar *from, int type, i64 offset, i64 stride, int n, int count) {
    LINE_ALIGNED double turned[ROW_BLOCK];
    const int bits = row_turned_bits(type), side = bits == 8 ? 16 : 8;
    if (bits == 0 || n < side || count < side || n * count > ROW_BLOCK) return 0;
    switch (bits) {
    case 64: row_turn_64((ulong *)turned, (const ulong *)from + offset, stride, n, count); break;
    case 32:
        row_turn_32(type == TYPE_F32 ? to : (float *)turned, (const float *)from + offset, stride, n, count);
        break;
    case 16: row_turn_16((ushort *)turned, (const ushort *)from + offset, stride, n, count); break;
    case 8: row_turn_8((uchar *)turned, from + offset, stride, n, count); break;
    }
    if (type != TYPE_F32) row_load_any(to, (const uchar *)turned, type, 0, 1, n * count);
    return 1;
}
#else
#define row_load_turned(to_, from_, type_, offset_, stride_, n_, count_) 0
#endif

/* Rows whose elements are far apart, while those of the same column lie one after the other: loaded by
 * column.
 */
OUTLINE void row_load_transposed(float *to, global const uchar *from, int type, i64 offset, i64 stride, int n,
                                 int count) {
    enum { PITCH = ROW_TRANSPOSED + 16 };
    LINE_ALIGNED float columns[8 * PITCH];
    if (row_load_turned(to, from, type, offset, stride, n, count)) return;
    for (int i = 0; i < n; i += 8) {
        const int width = n - i < 8 ? n - i : 8;
        row_load_rows(columns, PITCH, from, type, offset + i * stride, 1, count, stride, width);
        int j = 0;
        /* What is behind a short row is overwritten by the next one. */
        for (int c = width; n < 8 && c < 8; c++)
            row_fill(columns + c * PITCH, 0.0f, count);
        const int turned = width == 8 ? count : n < 8 ? (count * n - (8 - n)) / n : 0;
        for (; j + 8 <= turned; j += 8)
            TRANSPOSE_8X8(columns + j, PITCH, to + j * n + i, n)
        for (; j < count; j++)
            for (int c = 0; c < width; c++)
                to[j * n + i + c] = columns[c * PITCH + j];
    }
}

/* `count` rows of n elements each, `pitch` elements apart in the buffer, one after the other in `to`. */
INLINE void row_load_block(float *to, global const uchar *from, int type, i64 offset, i64 stride, int n,
                           i64 pitch, int count) {
    if (count == 1 || pitch == stride * n) {
        row_load(to, from, type, offset, stride, n * count);
        return;
    }
    if (pitch == 1 && stride > 1 && n > 1 && count <= ROW_TRANSPOSED) {
        row_load_transposed(to, from, type, offset, stride, n, count);
        return;
    }
    if (pitch != 0 && stride != 0) {
        row_load_rows(to, n, from, type, offset, stride, n, pitch, count);
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

/* The next floats of a row, of which `count` are left: nothing beyond is read. */
INLINE float16 row_next(const float *from, int count) {
    if (count >= 16) return vload16(0, from);
    float last[16];
#pragma nounroll
    for (int j = 0; j < 16; j++)
        last[j] = j < count ? from[j] : 0.0f;
    return vload16(0, last);
}

/* Stores what row_load loads: x as elements, or as numbers of 32 bits. */
#define ROW_STORE(type_, bits_, element_, elements_, numbers_)                                               \
    case type_:                                                                                              \
        for (int j = 0; j < rows; j++, from += n, offset += pitch) {                                         \
            int k = 0;                                                                                       \
            const int past = streams && dense * bits_ >= 2048 && STREAMS_ROW(to, type_, offset);             \
            for (; k < dense; k += 16) {                                                                     \
                const float16 x = vload16(0, from + k);                                                      \
                STREAM_OR_STORE(elements_, (global element_ *)to + offset + k, past);                        \
            }                                                                                                \
            if (dense > 0 && k < n) {                                                                        \
                const float16 x = vload16(0, from + n - 16);                                                 \
                vstore16(elements_, 0, (global element_ *)to + offset + n - 16);                             \
                continue;                                                                                    \
            }                                                                                                \
            for (; k < n; k += 16) {                                                                         \
                const float16 x = row_next(from + k, n - k);                                                 \
                vstore16(numbers_, 0, each);                                                                 \
                row_scatter(to, bits_, offset + k * stride, stride, each, n - k < 16 ? n - k : 16);          \
            }                                                                                                \
        }                                                                                                    \
        return;

/* Rows of n elements, one after the other in `from`, `pitch` elements apart in the buffer. `streams`:
 * long ones that begin lines of the cache bypass it. */
OUTLINE void row_store_rows(global uchar *to, int type, i64 offset, i64 stride, const float *from, int n,
                            i64 pitch, int rows, int streams) {
    const int dense = stride != 1 ? 0 : n / 16 * 16;
    uint each[16];
    switch (type) {
        ROW_STORE(TYPE_F32, 32, uint, as_uint16(x), as_uint16(x))
        ROW_STORE(TYPE_S32, 32, uint, as_uint16(lanes_s32(x)), as_uint16(lanes_s32(x)))
        ROW_STORE(TYPE_F16, 16, ushort, narrow_f16(x), lanes_f16(x))
        ROW_STORE(TYPE_BF16, 16, ushort, narrow_bf16(x), lanes_bf16(x))
        ROW_STORE(TYPE_S8, 8, uchar, convert_uchar16(lanes_s8(x)), lanes_s8(x))
        ROW_STORE(TYPE_U8, 8, uchar, convert_uchar16(lanes_u8(x)), lanes_u8(x))
        ROW_STORE(TYPE_F8_E5M2, 8, uchar, convert_uchar16(lanes_f8_e5m2(x)), lanes_f8_e5m2(x))
        ROW_STORE(TYPE_F8_E4M3, 8, uchar, convert_uchar16(lanes_f8_e4m3(x)), lanes_f8_e4m3(x))
#if ROW_IN_PLACE
    case TYPE_F64: row_store_doubles((double *)to + offset, stride, from, n, pitch, rows); return;
#endif
    }
    for (int j = 0; j < rows; j++)
        for (int k = 0; k < n; k++)
            store_f32(to, type, offset + j * pitch + k * stride, from[j * n + k]);
}

INLINE void row_store(global uchar *to, int type, i64 offset, i64 stride, const float *from, int n) {
    row_store_rows(to, type, offset, stride, from, n, 0, 1, 0);
}

INLINE void row_store_block(global uchar *to, int type, i64 offset, i64 stride, const float *from, int n,
                            i64 pitch, int count, int streams) {
    if (count == 1 || pitch == stride * n) n *= count, count = 1;
    row_store_rows(to, type, offset, stride, from, n, pitch, count, streams);
}

/* Stores what row_results gave room for, unless it is there. */
INLINE void row_put(global uchar *to, int type, i64 offset, const float *results, const float *own, int n) {
    if (!ROW_IN_PLACE || results == own) row_store(to, type, offset, 1, results, n);
}

#endif
