/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parameters of softmax. A line is the set of elements of one softmax. `rows` is the walk through dst without
 * the loops of the axis, `line` the walk along the axis alone. Sums of a line have 16 parts; element i is in
 * part i % 16. If the axis is not dense, `rows` also leaves out the loop of `lanes`, the dense dimension, and
 * 16 neighbours along it are computed at once.
 */
#ifndef LODE_KERNELS_PARAMS_SOFTMAX_H
#define LODE_KERNELS_PARAMS_SOFTMAX_H

#include "kernels/params.h"

enum { SOFTMAX_PARTS = 16 };

struct softmax_params {
    i32 log, axis;          /* log: compute the logarithm of softmax */
    i32 plain;              /* the epilogue is empty */
    i32 lanes;              /* the dense dimension, if it is not the axis */
    i64 width;              /* of that dimension */
    i64 length;             /* of a line, without padding */
    i64 src_step, dst_step; /* from one element of a line to the next */
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

/* Backward: layouts without blocks. Arrays of three are for dst, diff_dst and diff_src. A unit is a line, or
 * lines side by side, at most SOFTMAX_BLOCK of them: then the last loop is over such blocks. */
enum { SOFTMAX_BLOCK = 256, SOFTMAX_LINE = 1024 }; /* SOFTMAX_LINE: elements that are loaded at once */
struct softmax_backward_loop {
    i64 size, strides[3];
};
struct softmax_backward_rows_params {
    i32 log, nloops;
    i32 types[3], pad;
    i64 offsets[3], steps[3]; /* steps: from one element of a line to the next */
    i64 length, width;        /* of a line; lines side by side */
    i64 units, span;          /* span: units of a work-item */
    struct softmax_backward_loop loops[TENSOR_DIMS];
};

#endif
