/* SPDX-License-Identifier: Apache-2.0 */
/*
 * f32 matrix products and convolutions for CPU-class devices: one work-item computes a tile of `tile` columns
 * by one panel of output channels, in registers. Every output is one chain of fma over (h, w, i) in that
 * order, so the bits are the same in every run and for any number of threads.
 *
 * Range: tiles of a row x rows, panels, batches.
 */
#include "kernels/lib/epilogue.h"
#include "kernels/lib/gemm_end.h"
#include "kernels/lib/gemm_place.h"

/* Stores of any type, outside of the loops. */
OUTLINE void store_any(global uchar *to, int type, i64 i, float16 x, int count) {
    store_lanes(to, type, i, x, count);
}

/* Where a work-item's tile begins. */
struct gemm_tile {
    global const float *weights;
    global const float *src; /* these at the offsets in `at`; bias and dst of any type */
    global const uchar *bias;
    global uchar *dst;
    struct gemm_place at;
};

INLINE struct gemm_tile gemm_locate(constant struct gemm_params *p, u32 step, global const float *src,
                                    global const float *weights, global const uchar *bias, global uchar *dst,
                                    i64 tile, i64 panel, i64 batch, int width) {
    struct gemm_tile t = {
            .src = src, .bias = bias, .dst = dst, .at = gemm_place(p, step, tile, panel, batch, width)};
    t.weights = weights + t.at.weights;
    return t;
}

/* To the tile of the next columns. */
INLINE void gemm_move_on(constant struct gemm_params *p, struct gemm_tile *t, int columns) {
    t->at.src += columns * p->src_column;
    t->at.dst += columns * p->dst_column;
    t->at.column += columns;
}

/* To the same columns of another panel, so many panels of this width away. */
INLINE void gemm_move_across(constant struct gemm_params *p, struct gemm_tile *t, i64 panels, int width) {
    t->weights += panels * p->weights_panel;
    t->at.channel += panels * width;
    t->at.bias += panels * width;
    t->at.dst += panels * width;
}

/* Calls f(m) with the constant that equals `columns`. */
#define EACH_FEW(columns, f)                                                                                 \
    switch (columns) {                                                                                       \
    case 1: f(1); break;                                                                                     \
    case 2: f(2); break;                                                                                     \
    case 3: f(3); break;                                                                                     \
    }

/* Scales, bias, post-ops and stores of `count` channels of a tile, whose rows are `width` floats apart. */
OUTLINE void gemm_store_block(constant struct gemm_params *p, const struct gemm_tile *t,
                              const struct epilogue_state *e, int columns, int count, int width, float *out) {
    struct result_block b = {.x = out,
                             .rows = columns,
                             .count = count,
                             .pitch = width,
                             .row_dim = p->column_dim,
                             .lanes = p->channel_dim,
                             .row_step = p->column_step};
    const struct gemm_end end = {t->bias,   t->dst,      t->at.bias,   t->at.dst,
                                 p->scaled, p->finished, p->bias_type, p->epilogue.type};
    if (p->scaled | p->finished) gemm_position(p, &t->at, t->at.column, t->at.channel, b.position);
    gemm_end_block(p, e, &end, &b);
}

#include "kernels/lib/depthwise.h"

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
