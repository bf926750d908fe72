/* SPDX-License-Identifier: Apache-2.0 */
/*
 * f32 matrix products and convolutions for CPU-class devices: one work-item computes a tile of `tile` columns
 * by one panel of output channels, in registers. Every output is one chain of fma over (h, w, i) in that
 * order, so the height of the tile, the width of the panel and the number of threads never change a bit.
 *
 * Range: tiles of a row x rows, panels, batches.
 */
#include "kernels/lib/epilogue.h"
#include "kernels/params_gemm.h"

/* Where a work-item's tile begins. */
struct gemm_tile {
    global const float *src, *weights, *bias;
    global float *dst;
    i64 batch[GEMM_BATCHES];
    i64 row, column, channel;
};

/* The logical position in dst of a tile's column and channel, for the epilogue. */
INLINE void gemm_position(constant struct gemm_params *p, const struct gemm_tile *t, i64 column, i64 channel,
                          i64 *position) {
    for (int d = 0; d < TENSOR_DIMS; d++)
        position[d] = 0;
    for (int d = 0; d < GEMM_BATCHES; d++)
        position[p->batch_dim[d]] += t->batch[d] * p->batch_step[d];
    position[p->row_dim] += t->row;
    position[p->column_dim] += column;
    position[p->channel_dim] += channel;
}

INLINE struct gemm_tile gemm_locate(constant struct gemm_params *p, global const float *src,
                                    global const float *weights, global const float *bias, global float *dst,
                                    i64 tile, i64 panel, i64 batch, int width) {
    struct gemm_tile t;
    t.row = tile / p->tiles;
    t.column = (tile - t.row * p->tiles) * p->tile;
    t.channel = panel * width;
    t.src = src + p->src_offset + t.row * p->src_row + t.column * p->src_column;
    t.weights = weights + p->weights_offset + panel * p->weights_panel;
    t.bias = bias + p->bias_offset + t.channel;
    t.dst = dst + p->dst_offset + t.row * p->dst_row + t.column * p->dst_column + t.channel;
    for (int d = GEMM_BATCHES - 1; d >= 0; d--) {
        i64 rest = batch / p->batch[d], index = batch - rest * p->batch[d];
        batch = rest;
        t.batch[d] = index;
        t.src += index * p->src_batch[d];
        t.weights += index * p->weights_batch[d];
        t.bias += index * p->bias_batch[d];
        t.dst += index * p->dst_batch[d];
    }
    return t;
}

#define LANES 16
#define NAME(name) name##_14x32
#define HEIGHT 14
#define KEEP KEEP_ORDER_64
#include "kernels/lib/gemm_tile.h"

#define LANES 8
#define NAME(name) name##_6x16
#define HEIGHT 6
#define KEEP KEEP_ORDER_32
#include "kernels/lib/gemm_tile.h"
