/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vectors at the end of a row, where fewer elements exist than a vector has lanes: nothing beyond is read or
 * written.
 */
#ifndef LODE_KERNELS_LIB_EDGE_H
#define LODE_KERNELS_LIB_EDGE_H

#include "kernels/lib/opencl.h"

/* The first `count` of n floats, or all; `none` in the lanes that are missing. */
#define EDGE(n)                                                                                              \
    INLINE float##n edge_load##n(global const float *from, i64 count, float none) {                          \
        float values[n];                                                                                     \
        if (count >= n) return vload##n(0, from);                                                            \
        _Pragma("nounroll") for (int i = 0; i < n; i++) values[i] = i < count ? from[i] : none;              \
        return vload##n(0, values);                                                                          \
    }                                                                                                        \
    INLINE void edge_store##n(float##n x, global float *to, i64 count) {                                     \
        float values[n];                                                                                     \
        if (count >= n) {                                                                                    \
            vstore##n(x, 0, to);                                                                             \
            return;                                                                                          \
        }                                                                                                    \
        vstore##n(x, 0, values);                                                                             \
        _Pragma("nounroll") for (int i = 0; i < count; i++) to[i] = values[i];                               \
    }
EDGE(8)
EDGE(16)
#undef EDGE

#endif
