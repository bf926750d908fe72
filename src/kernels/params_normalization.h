/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of normalisations. */
#ifndef LODE_KERNELS_PARAMS_NORMALIZATION_H
#define LODE_KERNELS_PARAMS_NORMALIZATION_H

#include "kernels/params.h"

enum {
    NORM_LOOPS = 8,
    NORM_ROW = 8192,    /* elements of the longest row that a work-item keeps */
    NORM_PERIOD = 2048, /* the most elements after which channels may repeat */
};

/* Loops over rows, outermost first; `stat` is the stride of mean and variance. */
struct norm_loop {
    i64 size, src, dst, stat;
};

/* Rows that are normalised one at a time. Statistics are read if `given`, else computed, and stored if
 * `training`. A type 0 means that there is no such tensor. */
struct norm_rows_params {
    i32 src_type, dst_type, scale_type, shift_type;
    i32 given, training, about_zero; /* about_zero: the mean counts as 0 */
    i32 nloops;
    f32 eps;
    i32 streams;    /* results bypass the caches */
    i64 rows, span; /* rows, and how many of them a work-item takes */
    i64 length;
    i64 src_offset, dst_offset, mean_offset, variance_offset, scale_offset, shift_offset;
    i64 src_stride, dst_stride; /* within a row */
    struct norm_loop loops[NORM_LOOPS];
};
PARAMS_SIZE(norm_rows_params, 40 + 8 * 11 + 8 * 32);

/* A dense layout, cut into `blocks` of `length` elements each; element i of a block belongs to its channel
 * i % width, or to its only one. Channels repeat after `period` elements, a multiple of 16. Blocks are
 * numbered in memory order: `channel_blocks` of them have all channels, `width` each. */
struct norm_cut {
    i64 blocks, length, width, period;
    i64 pieces, piece; /* of a block: their number, and their size, a multiple of the period */
    i64 span;          /* pieces of a work-item */
    i64 channel_blocks;
};
PARAMS_SIZE(norm_cut, 64);

/* src and dst in the same dense layout. */
struct norm_dense_params {
    struct norm_cut cut;
    i32 src_type, dst_type;
    i32 relu, mask; /* mask: store which results are positive */
    f32 eps;
    i32 streams; /* results bypass the caches */
    i64 channels;
    i64 image, share; /* statistics of an image (0: all images share them), channels that share one */
    i64 src_offset, dst_offset, mean_offset, variance_offset;
    i64 scale_offset, shift_offset; /* -1: none */
};
PARAMS_SIZE(norm_dense_params, 64 + 24 + 8 * 9);

/* factor[i] = scale[i % channels] / sqrt(variance[i / share] + eps), and mean[i / share] next to it. */
struct norm_factors_params {
    i64 count, channels, share;
    i64 mean_offset, variance_offset, scale_offset; /* scale_offset -1: no scale */
    i64 factor_offset, expanded_offset;             /* expanded_offset -1: means are not wanted */
    f32 eps;
    i32 pad;
};
PARAMS_SIZE(norm_factors_params, 72);

#endif
