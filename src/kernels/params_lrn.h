/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of the LRN kernels. */
#ifndef LODE_KERNELS_PARAMS_LRN_H
#define LODE_KERNELS_PARAMS_LRN_H

#include "kernels/params_window.h"

/* y = x * (k + scale * sum of squares nearby) ^ -beta */
struct lrn {
    i64 reach;          /* number of elements to either side in the sum */
    i32 across;         /* sums over channels; else over spatial positions */
    f32 scale, k, beta; /* scale is alpha divided by the size of a whole neighbourhood */
};
PARAMS_SIZE(lrn, 24);

struct lrn_params {
    struct lrn lrn;
    struct walk walk; /* dst */
    struct tensor src;
};

enum { LRN_PIXELS = 8 }; /* pixels of a row per work-item of the dense kernel */

/* Channels-last f32. Spatial dimensions are aligned at the last one: missing ones come first.
 */
struct lrn_dense_params {
    struct lrn lrn;
    i64 src_offset, dst_offset;
    i64 src_first, src_last; /* where the elements of src begin and end */
    i64 src_batch, dst_batch;
    i64 size[WINDOW_DIMS], channels;
    i64 src_stride[WINDOW_DIMS], dst_stride[WINDOW_DIMS];
};

#endif
