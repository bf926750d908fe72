/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parameters of element-wise programs: a list of operations on an accumulator that starts as an operand and
 * ends as dst. All tensors are visited by the same nested loops, each with strides of its own, 0 where it is
 * broadcast. The two innermost loops are a block that is loaded, computed and stored at once.
 */
#ifndef LODE_KERNELS_PARAMS_ROWS_H
#define LODE_KERNELS_PARAMS_ROWS_H

#include "kernels/params.h"

enum {
    ROW_LOOPS = 12,
    ROW_BUFFERS = 10,
    ROW_OPERANDS = 12, /* the first is dst */
    ROW_OPS = 16,
    ROW_BLOCK = 1024,     /* elements that are computed at once, unless they are all in one row */
    ROW_TRANSPOSED = 128, /* the most rows of a block that is loaded by column */
};

/* A loop along a dimension that does not end with the loops has its number: the sum of index * step over its
 * loops is the position. Other loops have dimension TENSOR_DIMS. */
struct rows_loop {
    i64 size;
    i32 dim, step;
};
PARAMS_SIZE(rows_loop, 16);

struct row_operand {
    i32 buffer, type; /* buffer -1 - i: the scalar i */
    i64 offset;
    i64 strides[ROW_LOOPS];
};
PARAMS_SIZE(row_operand, 112);

/* x is the accumulator, y the operand times its scale, z operand2; -1: none. */
enum {
    ROW_LOAD_OPERAND = 1, /* x = y */
    ROW_ELTWISE,          /* x = alg(x), with alpha and beta */
    ROW_BINARY,           /* x = alg(x, y, z) */
    ROW_SUM,              /* x = x + alpha * (y - beta) */
    ROW_PRELU,            /* x = x > 0 ? x : x * y */
    ROW_NORMALIZE,        /* x = (x - y) * z, plus the element of the operand `scale` */
    ROW_IS_POSITIVE,      /* x = x > 0 ? 1 : 0 */
    ROW_PRELU_BACKWARD,   /* x = z > 0 ? (alpha is 0 ? 0 : x) : x * y */
    ROW_KEEP,             /* x = y > 0 ? x : 0 */
};
struct row_op {
    i32 kind, alg;
    f32 alpha, beta;
    i32 operand, scale, operand2;
    i32 relu; /* of binary, sum and normalize: negative results and NaN become 0 */
};
PARAMS_SIZE(row_op, 32);

struct rows_params {
    i32 nloops, nops, noperands, ntracked; /* ntracked: the number of `tracked` */
    i32 padded;                            /* every operand has the padding of dst */
    i32 streams;                           /* results bypass the caches */
    i32 ahead, pad;                        /* ahead: operands are asked for so many bytes before; 0: not */
    i64 count, span;                       /* blocks, and how many of them a work-item computes */
    i64 rows, length;                      /* of a block: at most this many steps of the last two loops */
    i64 elements;                          /* of all loops */
    i32 tracked[TENSOR_DIMS];              /* dimensions that may end before their loops */
    i64 limits[TENSOR_DIMS + 1];           /* their sizes, */
    i64 extents[TENSOR_DIMS + 1];          /* and the sizes with the padding of dst, which is set to zero */
    struct rows_loop loops[ROW_LOOPS];     /* outermost first; at least two */
    struct row_operand operands[ROW_OPERANDS];
    struct row_op ops[ROW_OPS];
};
PARAMS_SIZE(rows_params, 32 + 40 + 48 + 2 * 104 + 12 * 16 + 12 * 112 + 16 * 32);

#endif
