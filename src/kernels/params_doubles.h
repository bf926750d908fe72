/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of the kernels of doubles that have no counterpart for other types. Offsets count elements. */
#ifndef LODE_KERNELS_PARAMS_DOUBLES_H
#define LODE_KERNELS_PARAMS_DOUBLES_H

#include "kernels/params_normalization_backward.h"
#include "kernels/params_pooling.h"

/* Dense tensors with the same layout. */
struct f64_eltwise_params {
    i32 alg, pad;
    f32 alpha, beta;
    i64 src_offset, dst_offset, count;
    i64 span; /* elements per work-item */
};

/* dst = scales[0] * first + scales[1] * second, or the first alone. Dense tensors with the same layout; dst
 * may be one of the others. */
struct f64_add_params {
    f32 scales[2];
    i32 both, pad;
    i64 first_offset, second_offset, dst_offset, count;
    i64 span; /* elements per work-item */
};

/* The most taps of windows whose gradients are added plane by plane. */
enum { F64_PLANE_TAPS = 64 };

/* Pooling of images whose channels are last. Forward, `from` is src and `to` dst; backward, diff_dst and
 * diff_src. */
struct f64_pooling_params {
    struct window window; /* missing spatial dimensions come first */
    i32 alg, workspace_type;
    i32 backward, pad;
    i64 taps, channels;
    i64 places[WINDOW_DIMS]; /* the spatial sizes of dst */
    i64 rows;                /* of all images of `to` */
    struct pooling_image from, to, workspace;
};

/* The gradients of scale and shift of layer normalisation, from all rows. A work-item takes some columns. */
enum { F64_NORM_COLUMNS = 64 };
struct f64_norm_weights_params {
    struct norm_gradient_rows_params rows;
    i64 diff_scale_offset, diff_shift_offset;
    i32 diff_scale_type, diff_shift_type; /* 0: not wanted */
};

#endif
