/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parameters of softmax. A line is what one softmax is taken over; rows are the walk through dst without the
 * loops of the axis, and line the walk along the axis alone. Sums of a line have 16 parts, element i in part
 * i % 16. Where lines lie across memory, rows are also without the loop of `lanes`, the dense dimension, and
 * 16 neighbours in it are computed at once.
 */
#ifndef LODE_KERNELS_PARAMS_SOFTMAX_H
#define LODE_KERNELS_PARAMS_SOFTMAX_H

#include "kernels/params.h"

enum { SOFTMAX_PARTS = 16 };

struct softmax_params {
    i32 log, axis;          /* log: the logarithm is asked for */
    i32 plain;              /* the epilogue is empty */
    i32 lanes;              /* the dense dimension, where it is not the axis */
    i64 width;              /* of that dimension */
    i64 length;             /* of a line, without padding */
    i64 src_step, dst_step; /* from one element of a line to the next */
    struct tensor src;
    struct walk rows, line;
    struct epilogue epilogue;
};

/* Lines in layouts without blocks, and no attributes. A group has SOFTMAX_ROWS rows and a work-item for each
 * part of each; rows are counted in loops, outermost first. */
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

#endif
