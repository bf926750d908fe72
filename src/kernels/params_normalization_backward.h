/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parameters of normalisations, backward. Elements that share a mean, a variance and a channel are a cell: a
 * channel of batch normalisation, a channel of an image of group normalisation, a row of layer normalisation.
 * The gradient of an element x of a cell is
 *
 *   diff_dst * a + (x - mean) * b + c
 *
 * with a, b and c of the cell, which follow from two sums over it: of diff_dst, and of diff_dst * (x - mean).
 */
#ifndef LODE_KERNELS_PARAMS_NORMALIZATION_BACKWARD_H
#define LODE_KERNELS_PARAMS_NORMALIZATION_BACKWARD_H

#include "kernels/params_normalization.h"

/* What becomes of the sums. Cell i belongs to statistic i / share and to channel i % channels. The factors of
 * all cells are four dense vectors in scratchpad: mean, a, b, c. Offsets of -1: there is no such tensor. */
struct norm_gradient_params {
    i64 statistics, share, channels, images; /* images: cells of a channel */
    i64 first, second;                       /* offsets of the two sums of cell 0 */
    i64 mean_offset, variance_offset, scale_offset;
    i64 factors, cells; /* offset of the factors; from one of the four vectors to the next */
    i64 diff_scale_offset, diff_shift_offset;
    f32 elements; /* of a statistic */
    f32 eps;
    i32 given, pad; /* given: mean and variance do not depend on src */
};
PARAMS_SIZE(norm_gradient_params, 8 * 13 + 16);

/* Tensors in the same dense layout. */
struct norm_gradient_dense_params {
    struct norm_cut cut;
    i32 src_type, diff_dst_type, diff_src_type;
    i32 mask;  /* there is one, of a byte for each element */
    i32 given; /* b and c are 0 */
    i32 pad;
    i64 channels;
    i64 image, share; /* statistics of an image (0: all images share them), channels that share one */
    i64 src_offset, diff_dst_offset, diff_src_offset, mean_offset;
    i64 sums, sums_second; /* of the pieces, dense: pieces of blocks x width */
    i64 factors, cells;    /* as above */
    i64 image_cells;       /* cells of an image, 0 if all images share them */
};
PARAMS_SIZE(norm_gradient_dense_params, 64 + 24 + 8 * 12);

/* Rows of layer normalisation, each dense in all tensors. The sums over rows are those of `span` rows, one
 * after the other: what they add to diff_scale and diff_shift is left in scratchpad, a row for each
 * work-item. A type 0 means that there is no such tensor. */
struct norm_gradient_loop {
    i64 size, src, diff_dst, diff_src, stat;
};
PARAMS_SIZE(norm_gradient_loop, 40);

struct norm_gradient_rows_params {
    i32 src_type, diff_dst_type, diff_src_type, scale_type;
    i32 given, about_zero; /* about_zero: the mean counts as 0 */
    i32 nloops;
    f32 eps;
    i64 rows, span, length;
    i64 src_offset, diff_dst_offset, diff_src_offset, mean_offset, variance_offset, scale_offset;
    i64 diff_scale, diff_shift; /* offsets in scratchpad; a diff_scale of -1: neither is wanted */
    struct norm_gradient_loop loops[NORM_LOOPS];
};
PARAMS_SIZE(norm_gradient_rows_params, 32 + 8 * 11 + 8 * 40);

#endif
