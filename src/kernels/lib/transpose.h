/* SPDX-License-Identifier: Apache-2.0 */
/* Transposes eight vectors of eight in registers. */
#ifndef LODE_KERNELS_LIB_TRANSPOSE_H
#define LODE_KERNELS_LIB_TRANSPOSE_H

#include "kernels/lib/opencl.h"

/* In three rounds, each of which interleaves every row with the row four further on. */
INLINE void transpose_8x8(float8 *rows) {
    float8 next[8];
#pragma unroll
    for (int step = 0; step < 3; step++) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            next[2 * i].even = rows[i].lo;
            next[2 * i].odd = rows[i + 4].lo;
            next[2 * i + 1].even = rows[i].hi;
            next[2 * i + 1].odd = rows[i + 4].hi;
        }
#pragma unroll
        for (int i = 0; i < 8; i++)
            rows[i] = next[i];
    }
}

#endif
