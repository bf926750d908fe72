/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end of a tile of sums of products of bf16: a bias and an activation in one pass, everything else by
 * gemm_end.h. Includers define LANES and PANEL, two vectors of that.
 */
#ifndef LODE_KERNELS_LIB_BF16_END_H
#define LODE_KERNELS_LIB_BF16_END_H

#include "kernels/lib/gemm_end.h"
#include "kernels/lib/gemm_place.h"

/* One work-item's tile. */
struct bf16_tile {
    global const ushort *src, *weights;
    global const uchar *bias;
    global uchar *dst;
    struct gemm_place at;
    struct gemm_taps taps;
    int columns;
};

/* A tile of whole vectors that only a bias and an activation are applied to, as bf16 or f32. */
INLINE void bf16_store_plain(constant struct gemm_params *p, const struct bf16_tile *t, const float *out) {
    const bool floats = p->epilogue.type == TYPE_F32;
    i64 dst = t->at.dst;
    VEC bias[2] = {V(-0.0f), V(-0.0f)}; /* change nothing */
    if (p->has_bias)
        for (int v = 0; v < 2; v++)
            epilogue_bias(&bias[v], t->bias, p->bias_type, t->at.bias + v * LANES, LANES);
#pragma nounroll
    for (int r = 0; r < t->columns; r++, dst += p->dst_column)
#pragma unroll
        for (int v = 0; v < 2; v++) {
            VEC x = VLOAD(2 * r + v, out) + bias[v];
            if (p->activation.alg) x = activation_apply(&p->activation, x);
            if (floats)
                VSTORE(x, v, (global float *)t->dst + dst);
            else
                VSTORE(TO_SHORTS(lanes_bf16(x)), v, (global ushort *)t->dst + dst);
        }
}

INLINE void bf16_store(constant struct gemm_params *p, const struct bf16_tile *t,
                       const struct epilogue_state *e, float *out) {
    const i64 left = p->channels - t->at.channel;
    if (p->plain && left >= PANEL) {
        bf16_store_plain(p, t, out);
        return;
    }
    struct result_block b = {.x = out,
                             .rows = t->columns,
                             .count = (int)(left < PANEL ? left : PANEL),
                             .pitch = PANEL,
                             .row_dim = p->column_dim,
                             .lanes = p->channel_dim,
                             .row_step = p->column_step};
    const struct gemm_end end = {t->bias,   t->dst,      t->at.bias,   t->at.dst,
                                 p->scaled, p->finished, p->bias_type, p->epilogue.type};
    gemm_position(p, &t->at, t->at.column, t->at.channel, b.position);
    gemm_end_block(p, e, &end, &b);
}

#endif
