/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of normalisations. */
#ifndef LODE_KERNELS_PARAMS_NORMALIZATION_H
#define LODE_KERNELS_PARAMS_NORMALIZATION_H

#include "kernels/params.h"

enum {
    NORM_LOOPS = 8,
    NORM_ROW = 4096, /* elements of the longest row that a work-item keeps */
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
    i32 pad;
    i64 rows, span; /* rows, and how many of them a work-item takes */
    i64 length;
    i64 src_offset, dst_offset, mean_offset, variance_offset, scale_offset, shift_offset;
    i64 src_stride, dst_stride; /* within a row */
    struct norm_loop loops[NORM_LOOPS];
};
PARAMS_SIZE(norm_rows_params, 40 + 8 * 11 + 8 * 32);

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
