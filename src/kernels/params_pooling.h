/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of the pooling kernels. */
#ifndef LODE_KERNELS_PARAMS_POOLING_H
#define LODE_KERNELS_PARAMS_POOLING_H

#include "kernels/params_window.h"

enum { POOLING_MAX = 0, POOLING_AVG_INCLUDE_PADDING, POOLING_AVG_EXCLUDE_PADDING };

enum { POOLING_PLACES = 8 }; /* of the window, in a row, that a work-item of the dense kernel takes */
enum { POOLING_LANES = 16, POOLING_PLANES = 4 }; /* places by channels of the other kernel's blocks */

struct pooling_params {
    struct window window;
    i32 alg;            /* POOLING_* */
    i32 workspace_type; /* of the numbers of the taps with the maxima; 0: they are not wanted */
    i32 exact;          /* maxima of s32, which floats cannot hold */
    f32 lowest;         /* the maximum of no taps */
    i64 taps;           /* in a whole window */
    struct walk walk;   /* dst; the workspace has the same layout */
    struct tensor src;
    struct epilogue epilogue;
};

struct pooling_dense_params {
    struct window_images images;
    i32 alg;
    f32 lowest;
    i32 workspace_type, pad; /* in training */
    i64 taps;
    struct epilogue epilogue;
};

/* f32 images whose rows lie together: channels have strides of their own. */
struct pooling_planes_params {
    struct window_images images;
    i64 src_channel, dst_channel;
    i64 src_end;        /* the offset that src ends at */
    i64 rows, channels; /* that a work-item takes */
    i64 taps;
    i32 alg;
    f32 lowest;
    i32 workspace_type, pad; /* 0: not in training */
};

#endif
