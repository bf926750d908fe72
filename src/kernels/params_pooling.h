/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of the pooling kernels. */
#ifndef LODE_KERNELS_PARAMS_POOLING_H
#define LODE_KERNELS_PARAMS_POOLING_H

#include "kernels/params_window.h"

enum { POOLING_MAX = 0, POOLING_AVG_INCLUDE_PADDING, POOLING_AVG_EXCLUDE_PADDING };

enum { POOLING_PLACES = 8 };                     /* outputs in a row per work-item of the dense kernel */
enum { POOLING_LANES = 16, POOLING_PLANES = 4 }; /* outputs by channels in a block of the planes kernel */

struct pooling_params {
    struct window window;
    i32 alg;              /* POOLING_* */
    i32 workspace_type;   /* type of the workspace, the indices of the maxima's taps; 0: no workspace */
    i32 exact;            /* maxima of s32, which f32 cannot hold exactly */
    f32 lowest;           /* the maximum of no taps */
    i64 taps;             /* in a whole window */
    i64 workspace_offset; /* from an element of dst to that of the workspace */
    struct walk walk;     /* dst; the workspace has the same layout */
    struct tensor src;
    struct epilogue epilogue;
};

struct pooling_dense_params {
    struct window_images images;
    i32 alg;
    f32 lowest;
    i32 workspace_type; /* in training */
    i32 src_type;
    i32 finished, pad;    /* finished: the epilogue has post-ops */
    i64 workspace_offset; /* from an element of dst to that of the workspace */
    i64 taps;
    struct epilogue epilogue;
};

/* f32 images with dense rows; channels have a stride. */
struct pooling_planes_params {
    struct window_images images;
    i64 src_channel, dst_channel;
    i64 src_end;        /* offset of the end of src */
    i64 rows, channels; /* per work-item */
    i64 taps;
    i32 alg;
    f32 lowest;
    i32 workspace_type, pad; /* 0: not in training */
    i64 workspace_offset;    /* from an element of dst to that of the workspace */
};

#endif
