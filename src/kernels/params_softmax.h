/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parameters of softmax. A line is the set of elements of one softmax. Sums of a line have 16 parts; element
 * i is in part i % 16, unless lines are computed side by side or in pairs of vectors (lib/softmax_roll.h).
 */
#ifndef LODE_KERNELS_PARAMS_SOFTMAX_H
#define LODE_KERNELS_PARAMS_SOFTMAX_H

#include "kernels/params.h"

enum { SOFTMAX_PARTS = 16 };

/* Any layout. `rows` is the walk through dst without the loops of the axis, `line` the walk along the axis
 * alone. */
struct softmax_params {
    i32 log, axis; /* log: compute the logarithm of softmax */
    i64 length;    /* of a line, without padding */
    struct tensor src;
    struct walk rows, line;
    struct epilogue epilogue;
};

/* Layouts without blocks, and no attributes. A work-group takes SOFTMAX_ROWS rows, with one work-item for
 * each part of a row; loops over rows are listed outermost first. */
enum { SOFTMAX_ROWS = 4 };
struct row_loop {
    i64 size, src_stride, dst_stride;
};

struct softmax_groups_params {
    i32 log, src_type, dst_type, nloops;
    i64 rows, length;
    i64 src_offset, dst_offset;
    i64 src_step, dst_step; /* from one element of a line to the next */
    struct row_loop loops[TENSOR_DIMS];
};

/* Backward: any layout. `rows` and `line` are walks through diff_src. */
struct softmax_backward_params {
    i32 log, axis;
    i32 type, pad; /* of diff_src */
    i64 length;
    struct tensor dst, diff_dst;
    struct walk rows, line;
};

/* Layouts without blocks. Arrays of three are for src and dst, or dst, diff_dst and diff_src. A unit is a
 * line, or lines side by side, at most SOFTMAX_BLOCK of them: then the last loop is over such blocks. */
enum {
    SOFTMAX_TENSORS = 3,
    SOFTMAX_BLOCK = 256,
    SOFTMAX_LINE = 1024,  /* elements that are loaded at once, backward, */
    SOFTMAX_CHUNK = 4096, /* and forward: */
    SOFTMAX_BATCH = 8,    /* so many lines, if they are short */
};
struct softmax_loop {
    i64 size, strides[SOFTMAX_TENSORS];
};
struct softmax_lines_params {
    i32 log, nloops;
    i32 types[SOFTMAX_TENSORS];
    i32 streams;                                          /* short lines that are stored bypass the caches */
    i64 offsets[SOFTMAX_TENSORS], steps[SOFTMAX_TENSORS]; /* steps: from one element of a line to the next */
    i64 length, width;                                    /* of a line; lines side by side */
    i64 units, span;                                      /* span: units of a work-item */
    struct softmax_loop loops[TENSOR_DIMS];
};

#endif
