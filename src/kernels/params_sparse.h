/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parameters of products with one sparse matrix: see sparse.cl. A sparse matrix is its values, the index of
 * the column of each, and for each row the number of values before it: compressed rows (CSR).
 */
#ifndef LODE_KERNELS_PARAMS_SPARSE_H
#define LODE_KERNELS_PARAMS_SPARSE_H

#include "kernels/params.h"

enum {
    SPARSE_ROWS = 16,  /* of a work-item, if src is sparse */
    SPARSE_STEPS = 64, /* rows of weights that are used for all of these before the next ones */
    SPARSE_WIDTH = 64, /* columns of a work-item, if src is sparse */
    SPARSE_LANES = 16, /* rows of a work-item, if weights are sparse */
};

struct sparse_params {
    i64 values, indices, pointers; /* offsets in their buffers, in elements */
    i64 dense_offset, dense_row, dst_offset, dst_row;
    i64 rows, columns, depth; /* M, N, K */
    i64 count;                /* of values: no pointer may be larger */
    i64 sums;                 /* if weights are sparse: offset in scratchpad, in floats */
    i32 values_type, dense_type, dst_type, pad;
};
PARAMS_SIZE(sparse_params, 8 * 12 + 16);

/* Coordinates (COO), in any order, to compressed rows: values become f32. */
struct sparse_compress_params {
    i64 rows, columns, count; /* of the matrix; number of values */
    i64 values, indices, pointers;
    i32 type, pad;
};
PARAMS_SIZE(sparse_compress_params, 8 * 7);

#endif
