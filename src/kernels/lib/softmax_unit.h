/* SPDX-License-Identifier: Apache-2.0 */
/* The units of softmax over layouts without blocks, forward and backward: see params_softmax.h. */
#ifndef LODE_KERNELS_LIB_SOFTMAX_UNIT_H
#define LODE_KERNELS_LIB_SOFTMAX_UNIT_H

#include "kernels/lib/opencl.h"
#include "kernels/params_softmax.h"

/* The first elements of a unit, and how many lines it has. */
struct softmax_unit {
    i64 offsets[SOFTMAX_TENSORS];
    int width;
};

INLINE struct softmax_unit softmax_unit(constant struct softmax_lines_params *p, i64 unit) {
    struct softmax_unit u;
    for (int t = 0; t < SOFTMAX_TENSORS; t++)
        u.offsets[t] = p->offsets[t];
    u.width = 0;
#pragma nounroll
    for (int l = p->nloops - 1; l >= 0; l--) {
        const i64 rest = unit / p->loops[l].size, i = unit - rest * p->loops[l].size;
        for (int t = 0; t < SOFTMAX_TENSORS; t++)
            u.offsets[t] += i * p->loops[l].strides[t];
        if (l == p->nloops - 1) {
            const i64 left = p->width - i * SOFTMAX_BLOCK;
            u.width = left < SOFTMAX_BLOCK ? (int)left : SOFTMAX_BLOCK;
        }
        unit = rest;
    }
    return u;
}

#endif
