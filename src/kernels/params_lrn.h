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

/* Across channels, a line at a time: all channels of one pixel or, where those of a channel are adjacent, of
 * sixteen. A line is made of segments of adjacent elements. */
enum { LRN_LINE = 6224 }; /* the most elements of lines, with what sums reach to on their ends */

struct lrn_lines {
    i32 type, reserved;
    i64 offset, batch, pixel, segment;
};
PARAMS_SIZE(lrn_lines, 40);

struct lrn_across_params {
    struct lrn lrn;
    i64 channels, pixels;
    i64 step; /* from one channel to the next in a line: its pixels */
    i64 segments, length;
    i64 share, lines; /* of a work-item, and how many of them at a time */
    struct lrn_lines src, diff_dst, to;
};
PARAMS_SIZE(lrn_across_params, 24 + 56 + 3 * 40);

enum { LRN_PIXELS = 8 }; /* pixels of a row per work-item of the kernels for sums within channels */

/* Channels-last f32. Spatial dimensions are aligned at the last one: missing ones come first. */
struct lrn_image {
    i64 offset, batch, stride[WINDOW_DIMS];
};
PARAMS_SIZE(lrn_image, 40);

struct lrn_space {
    struct lrn lrn;
    i64 size[WINDOW_DIMS], channels;
};
PARAMS_SIZE(lrn_space, 56);

struct lrn_dense_params {
    struct lrn_space space;
    struct lrn_image src, dst;
};
PARAMS_SIZE(lrn_dense_params, 56 + 2 * 40);

/* Backward: `second` as above. */
struct lrn_dense_backward_params {
    struct lrn_space space;
    struct lrn_image src, diff_dst, diff_src, terms;
    i64 second;
};
PARAMS_SIZE(lrn_dense_backward_params, 56 + 4 * 40 + 8);

#endif
