/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vectors of channels of images of any type, for pooling. Vectors are `pitch` elements apart: LANES in
 * channels-last images, the size of a block of channels in blocked ones. Included where LANES is 16.
 */
#ifndef LODE_KERNELS_LIB_POOLING_LOAD_H
#define LODE_KERNELS_LIB_POOLING_LOAD_H

#include "kernels/lib/rows.h"
#include "kernels/lib/lanes.h"
#include "kernels/lib/memory_lanes.h"
#include "kernels/params_pooling.h"

/* The types whose conversions are long. */
OUTLINE void pool_load_other(float16 *y, global const uchar *src, int type, i64 at, i64 pitch, int n,
                             int count) {
    for (int i = 0; i < n; i++) {
        float each[16];
        row_load_any(each, src, type, at + i * pitch, 1, count);
        y[i] = vload16(0, each);
    }
}

/* n vectors, from element `at` on. Of a single one only `count` lanes are used: the others are whatever
 * follows, or zeros where the tensor ends at `end`. Callers pass n as a constant. */
INLINE void pool_load(float16 *y, global const uchar *src, int type, i64 at, i64 pitch, const int n,
                      int count, i64 end) {
    if (n == 1 && count < 16 && at + 16 > end) {
        pool_load_other(y, src, type, at, pitch, n, count);
        return;
    }
#define POOL_LOAD(type_, bits_, WIDEN_)                                                                      \
    case type_:                                                                                              \
        _Pragma("unroll") for (int i = 0; i < n; i++) y[i] = WIDEN_(ROW_BITS_##bits_(src, at + i * pitch));  \
        return;
    switch (type) {
        POOL_LOAD(TYPE_F32, 32, as_float16)
        POOL_LOAD(TYPE_BF16, 16, widen_bf16)
#ifdef HAVE_F16_VECTORS
        POOL_LOAD(TYPE_F16, 16, widen_f16)
#endif
        POOL_LOAD(TYPE_S32, 32, widen_s32)
        POOL_LOAD(TYPE_S8, 8, widen_s8)
        POOL_LOAD(TYPE_U8, 8, widen_unsigned)
    }
#undef POOL_LOAD
    pool_load_other(y, src, type, at, pitch, n, 16);
}

/* The first `count` of sixteen elements. */
#define STORE_SOME(name_, element_)                                                                          \
    INLINE void name_(element_##16 x, global element_ *to, int count) {                                      \
        element_ each[16];                                                                                   \
        vstore16(x, 0, each);                                                                                \
        if (count & 8) vstore8(x.lo, 0, to);                                                                 \
        _Pragma("nounroll") for (int i = count & 8; i < count; i++) to[i] = each[i];                         \
    }
STORE_SOME(store_ushorts, ushort)
STORE_SOME(store_uchars, uchar)
#undef STORE_SOME

/* Stores the first `count` lanes. */
OUTLINE void pool_store_other(global uchar *dst, int type, i64 at, const float16 *x, int count) {
    if (count == 16 && store_vector(dst, type, at, *x)) return;
    switch (type) {
    case TYPE_F32: store_lanes(*x, (global float *)dst + at, count); return;
    case TYPE_BF16: store_ushorts(narrow_bf16(*x), (global ushort *)dst + at, count); return;
    case TYPE_F16: store_ushorts(convert_ushort16(lanes_f16(*x)), (global ushort *)dst + at, count); return;
    case TYPE_S8: store_uchars(convert_uchar16(lanes_s8(*x)), dst + at, count); return;
    case TYPE_U8: store_uchars(convert_uchar16(lanes_u8(*x)), dst + at, count); return;
    }
    store_lanes(dst, type, at, *x, count);
}

INLINE void pool_store(global uchar *dst, int type, i64 at, float16 x, int count) {
    if (type == TYPE_F32 && count == 16)
        vstore16(x, 0, (global float *)dst + at);
    else
        pool_store_other(dst, type, at, &x, count);
}

/* The same, past the caches if `streams`. `exact`: bf16 needs no rounding. */
INLINE void pool_store_past(global uchar *dst, int type, i64 at, float16 x, int count, int streams,
                            const bool exact) {
    if (type == TYPE_F32 && count == 16)
        STREAM_OR_STORE(x, (global float *)dst + at, streams);
    else if (exact && type == TYPE_BF16 && count == 16)
        STREAM_OR_STORE(convert_ushort16(as_uint16(x) >> 16u), (global ushort *)dst + at, streams);
    else if (type == TYPE_BF16 && count == 16)
        STREAM_OR_STORE(narrow_bf16(x), (global ushort *)dst + at, streams);
    else
        pool_store_other(dst, type, at, &x, count);
}

/* Where channel c is in a tensor, from channel 0 on. */
INLINE i64 pool_channel(i64 c, i64 pitch) {
    return (c >> 4) * pitch + (c & 15);
}

#endif
