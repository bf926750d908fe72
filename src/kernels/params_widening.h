/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parameters of the matrix products of operands of any type: see widening.cl. Weights are read as they are,
 * with any strides, and converted to f32 a piece at a time; src is f32 and dense along the reduction, copied
 * by widen_rows where the user's is not. Products of bytes are exact in f32 for a piece, whose sums are added
 * up as integers.
 */
#ifndef LODE_KERNELS_PARAMS_WIDENING_H
#define LODE_KERNELS_PARAMS_WIDENING_H

#include "kernels/params_gemm.h"

enum {
    WIDENING_COLUMNS = 252, /* most columns of a work-item */
    WIDENING_FEW = 60, /* most columns times panels, of integers or where rows of several panels are read */
    WIDENING_BLOCK = 256,        /* the same for blocks of f32 */
    WIDENING_PANELS = 4,         /* of a block */
    WIDENING_PIECE = 128,        /* steps of the reduction at a time: 16 KB or 8 KB of a panel, as floats */
    WIDENING_WIDTH = 256,        /* most channels of a work-item */
    WIDENING_DOTS = 4,           /* most columns of the kernel that multiplies rows */
    WIDENING_FEW_COLUMNS = 8,    /* most columns of the kernel that reads units of weights */
    WIDENING_UNIT = 64,          /* channels of a unit; twice as many of 4 bits */
    WIDENING_ALONG = 32,         /* rows of weights of a work-item that multiplies them as they are */
    WIDENING_ALONG_COLUMNS = 16, /* and most columns, */
    WIDENING_ALONG_NARROW = 4,   /* with vectors of fewer than 64 bytes */
    WIDEN_ROWS = 16,             /* of a work-item */
    WIDEN_STEPS = 256,
};

/* Few columns: rows of weights become floats in memory; or, in registers, units of channels or vectors along
 * the reduction do. */
enum { WIDENING_BY_ROWS = 0, WIDENING_BY_UNITS = 1, WIDENING_BY_VECTORS = 2 };

struct widening_params {
    struct gemm_params gemm; /* `tile` and `tiles` are those of a work-item; depth has no window */
    i64 panels;              /* of a work-item: more than 1 only for channels that are dense */
    i64 piece; /* steps of the reduction at a time: WIDENING_PIECE, divided by the panels unless blocked */
    i64 weights_channel; /* stride of channels within a panel */
    i32 weights_type, weights_bits, bias_type;
    i32 scaled;     /* scales of src or weights are applied to sums */
    i32 finished;   /* more follows than the activation */
    i32 compressed; /* zero points, or scales that change along the reduction, of weights */
    i32 depth_dim;  /* of weights, for these */
    i32 integers;   /* sums are exact in s32, and zero points are applied to them */
    i32 bare;       /* integers that are stored unchanged */
    i32 blocked;    /* weights are dense f32: a piece is all steps of a panel, then those of the next one */
    i32 direct;     /* sums of f32 that are one piece long and are stored as they are */
    i32 way, width; /* of few columns: how they are computed, and channels of a panel */
    struct quant_source weights_scale, weights_zero_point; /* by position in weights, or in dst if integers */
    struct quant_source src_zero_point;                    /* of integers, by position in dst */
};

/* dst[b][row][k] = (src[b][row][k] - zero point) * scale. */
struct widen_params {
    i64 src_offset, dst_offset;
    i64 batch[GEMM_BATCHES], src_batch[GEMM_BATCHES];
    i64 rows, depth, src_row, src_depth, dst_row;
    i32 type, quantised;
    i32 row_dim, depth_dim, batch_dim[GEMM_BATCHES]; /* dimensions of src */
    struct quant_source scale, zero_point;           /* by position in src */
};
PARAMS_SIZE(widen_params, 8 * 15 + 4 * 8 + 2 * 216);

#endif
