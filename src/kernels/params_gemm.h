/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parameters of the matrix-product kernels, which also compute convolutions. With batch b, row y, column x
 * and output channel n:
 *
 *   dst[b][y][x][n] = sum over d, h, w, i of  src[b][y][x][d][h][w][i] * weights[n / panel][d][h][w][i][n %
 * panel]
 *
 * where each index has its own stride, except the last, which is dense. A convolution has d,
 * h, w = its window and i = its input channels; a matrix product has one row, x = m, d = h = w = 1 and i = k.
 */
#ifndef LODE_KERNELS_PARAMS_GEMM_H
#define LODE_KERNELS_PARAMS_GEMM_H

#include "kernels/params_window.h"

enum {
    GEMM_BATCHES = 4,       /* batch, group and depth dimensions that a launch can have */
    GEMM_DEEP_COLUMNS = 64, /* most columns of the deep kernels */
    GEMM_WIDE_PANELS = 4,
    GEMM_FEW_COLUMNS = 3, /* so few need two panels at a time to hide the latency of fma */
    MATRIX_TILE = 16,     /* columns of a tile of CPUs with matrix tiles */
};

struct gemm_params {
    i64 src_offset, weights_offset, bias_offset, dst_offset;
    i64 src_step, dst_step;  /* added to the offsets by each iteration of a loop */
    i64 batch[GEMM_BATCHES]; /* sizes, outermost first; unused ones are 1 */
    i64 src_batch[GEMM_BATCHES], weights_batch[GEMM_BATCHES], bias_batch[GEMM_BATCHES],
            dst_batch[GEMM_BATCHES];
    i64 rows, columns, channels; /* y, x, n */
    i64 missing;                 /* f32: so many channels does the last column of a row not have */
    i64 src_row, src_column;     /* strides of y and x */
    i64 dst_row, dst_column;
    i64 window[3], depth; /* d, h, w; i */
    i64 src_window[3];    /* strides of d, h and w */
    struct window border; /* over src, without padding; its dimensions are batch 2, y and x */
    /* f32, bf16 and u8: src has no padding, so that columns whose window reaches over its border are computed
     * tap by tap along the row. The i of such a tap, or 0 if src is padded; strides of taps. */
    i64 edge_depth, edge_src, edge_weights;
    i64 weights_window[3];
    i64 weights_panel, weights_depth; /* strides of n / panel and of one step of (d, h, w, i) */
    i64 tile;                         /* columns of a tile, at most the kernel's height */
    i64 tiles;                        /* columns / tile, rounded up */
    i64 whole;                        /* tiles of a row before the first that has one column less */
    /* f32: tiles of a row that a work-item computes; tiles / run, rounded up. Matrix tiles: of all rows.
     * Other kernels of bytes: rows that a work-item computes, several only if each is one tile. */
    i64 run, runs;
    struct activation activation; /* instead of the epilogue's post-ops; if `adds`, after the sum with dst */
    f32 low, high;                /* the first `limits` of these */
    i32 has_bias, bias_type;
    i32 scaled;       /* src or weights have scales */
    i32 finished;     /* the epilogue has anything but scales of src and weights */
    i32 panels_first; /* the first two dimensions of the range are exchanged: GEMM_TILE and GEMM_PANEL */
    i32 plain;        /* neither scaled nor finished, or only added to dst; bias and dst are f32 */
    i32 skips;        /* depths and rows of taps in the padding add nothing and may be left out */
    i32 direct;       /* plain, and the activation is none or limits: stored from registers */
    i32 limits;       /* of the activation: 1 for a relu without a slope, 2 for a clip, 0 for others */
    i32 panels;       /* f32: panels of a work-item; 2 where columns are few */
    i32 adds;         /* results are added to dst; where they are not whole vectors, the epilogue does it */
    i32 row_dim, column_dim, channel_dim; /* dimensions of the logical dst, for the epilogue */
    i32 batch_dim[GEMM_BATCHES];
    /* The position of index i along its dimension is first + i * step. */
    i64 row_first, row_step, column_first, column_step;
    i64 batch_first[GEMM_BATCHES], batch_step[GEMM_BATCHES];
    struct epilogue epilogue;
};

#endif
