/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vectors of channels of images of any type, for pooling. Vectors are `pitch` elements apart: LANES in
 * channels-last images, the size of a block of channels in blocked ones.
 */
#ifndef LODE_KERNELS_LIB_POOLING_LOAD_H
#define LODE_KERNELS_LIB_POOLING_LOAD_H

#include "kernels/lib/rows.h"
#include "kernels/params_pooling.h"

/* n vectors, from element `at` on. Of a single one only `count` lanes are used: the others are whatever
 * follows, or zeros where the tensor ends at `end`. Callers pass n as a constant. */
INLINE void pool_load(float16 *y, global const uchar *src, int type, i64 at, i64 pitch, const int n,
                      int count, i64 end) {
    if (n == 1 && count < 16 && at + 16 > end) {
        float each[16];
        row_load_any(each, src, type, at, 1, count);
        y[0] = vload16(0, each);
        return;
    }
#define POOL_LOAD(type_, bits_, WIDEN_)                                                                      \
    case type_:                                                                                              \
        _Pragma("unroll") for (int i = 0; i < n; i++) y[i] = WIDEN_(ROW_BITS_##bits_(src, at + i * pitch));  \
        return;
    switch (type) {
        POOL_LOAD(TYPE_F32, 32, as_float16)
        POOL_LOAD(TYPE_BF16, 16, widen_bf16)
        POOL_LOAD(TYPE_F16, 16, widen_f16)
        POOL_LOAD(TYPE_S8, 8, widen_s8)
        POOL_LOAD(TYPE_U8, 8, widen_unsigned)
        POOL_LOAD(TYPE_S32, 32, widen_s32)
        POOL_LOAD(TYPE_F8_E5M2, 8, widen_f8_e5m2)
        POOL_LOAD(TYPE_F8_E4M3, 8, widen_f8_e4m3)
    }
#undef POOL_LOAD
}

/* Where channel c is in a tensor, from channel 0 on. */
INLINE i64 pool_channel(i64 c, i64 pitch) {
    return (c >> 4) * pitch + (c & 15);
}

#endif
