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

/* Backward, with terms in scratchpad: first those that other gradients are sums of, then, `second` elements
 * behind, the gradients without these sums. */
struct lrn_backward_params {
    struct lrn lrn;
    i64 second;
    struct walk walk; /* of the terms, or of diff_src */
    struct tensor src, diff_dst, terms;
};

enum { LRN_PIXELS = 8 }; /* pixels of a row per work-item of the dense kernel */

/* Channels-last f32. Spatial dimensions are aligned at the last one: missing ones come first. */
struct lrn_image {
    i64 offset, batch, stride[WINDOW_DIMS];
    i64 first, last; /* where the elements begin and end */
};
PARAMS_SIZE(lrn_image, 56);

struct lrn_space {
    struct lrn lrn;
    i64 size[WINDOW_DIMS], channels;
};
PARAMS_SIZE(lrn_space, 56);

struct lrn_dense_params {
    struct lrn_space space;
    struct lrn_image src, dst;
};
PARAMS_SIZE(lrn_dense_params, 56 + 2 * 56);

/* Backward: `second` as above. */
struct lrn_dense_backward_params {
    struct lrn_space space;
    struct lrn_image src, diff_dst, diff_src, terms;
    i64 second;
};
PARAMS_SIZE(lrn_dense_backward_params, 56 + 4 * 56 + 8);

#endif
