/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of the pooling kernels. */
#ifndef LODE_KERNELS_PARAMS_POOLING_H
#define LODE_KERNELS_PARAMS_POOLING_H

#include "kernels/params_window.h"

enum { POOLING_MAX = 0, POOLING_AVG_INCLUDE_PADDING, POOLING_AVG_EXCLUDE_PADDING };

enum { POOLING_PLACES = 8 }; /* of the window, in a row, that a work-item of the dense kernel takes */

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

/* Channels-last f32. Spatial dimensions are counted from the last one: those that are not there come first.
 */
struct pooling_dense_params {
    struct window window;
    i32 alg;
    f32 lowest;
    i32 workspace_type, pad; /* in training */
    i64 taps;
    i64 channels;
    i64 missing;             /* spatial dimensions */
    i64 places[WINDOW_DIMS]; /* of the window; sizes of dst */
    i64 src_offset, dst_offset;
    i64 src_batch, dst_batch;
    i64 src_stride[WINDOW_DIMS], dst_stride[WINDOW_DIMS];
    i64 src_step[WINDOW_DIMS]; /* from tap to tap */
    struct epilogue epilogue;
};

#endif
