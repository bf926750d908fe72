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

/* The bias of a panel's channels. */
struct bf16_bias {
    VEC of[2];
};

INLINE struct bf16_bias bf16_bias(constant struct gemm_params *p, global const uchar *bias, i64 at) {
    struct bf16_bias b = {{V(-0.0f), V(-0.0f)}}; /* change nothing */
    for (int v = 0; v < 2 && p->has_bias; v++)
        epilogue_bias(&b.of[v], bias, p->bias_type, at + v * LANES, LANES);
    return b;
}

/* Are only a bias and an activation applied to sums, which become bf16 or f32 of whole vectors? */
INLINE bool bf16_is_plain(constant struct gemm_params *p, i64 channel) {
    return p->plain && p->channels - channel >= PANEL;
}

/* Such columns; step is in bytes. */
INLINE void bf16_store_plain(constant struct gemm_params *p, const struct bf16_bias *bias, const float *sums,
                             int columns, global uchar *dst, i64 step) {
    const bool floats = p->epilogue.type == TYPE_F32;
#pragma nounroll
    for (int r = 0; r < columns; r++, dst += step)
#pragma unroll
        for (int v = 0; v < 2; v++) {
            VEC x = VLOAD(2 * r + v, sums) + bias->of[v];
            if (p->activation.alg) x = activation_apply(&p->activation, x);
            if (floats)
                VSTORE(x, v, (global float *)dst);
            else
                VSTORE(TO_SHORTS(lanes_bf16(x)), v, (global ushort *)dst);
        }
}

INLINE void bf16_store(constant struct gemm_params *p, const struct bf16_tile *t,
                       const struct epilogue_state *e, float *out) {
    const i64 left = p->channels - t->at.channel;
    if (bf16_is_plain(p, t->at.channel)) {
        const struct bf16_bias bias = bf16_bias(p, t->bias, t->at.bias);
        const i64 size = p->epilogue.type == TYPE_F32 ? sizeof(float) : sizeof(ushort);
        bf16_store_plain(p, &bias, out, t->columns, t->dst + t->at.dst * size, p->dst_column * size);
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
