/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A convolution in parts, each an ordinary convolution that computes an even grid of the positions of dst. A
 * forward convolution has one part. A transposed one (deconvolution forward, convolution backward by
 * data) has one part for each remainder of a position divided by the stride, because all positions with the
 * same remainder use the same taps. Where places along a row are several positions wide, their outputs are
 * those of all these positions, and weights have a tap for each position of src that one of them uses: see
 * wide_columns.h. Knows neither kernels nor layouts.
 */
#ifndef LODE_PRIMITIVES_CONV_PARTS_H
#define LODE_PRIMITIVES_CONV_PARTS_H

#include "kernels/params_window.h"
#include "primitives/window.h"

struct conv_parts {
    struct window window; /* of the whole; over src, or over dst if transposed; size is that of src */
    dnnl_dim_t dst[3];    /* sizes */
    bool transposed;
    dnnl_dim_t wide; /* if more than 1: positions of a place along a row, a multiple of the stride */
};

/* Relative to the first, src's positions along a row that a place uses. */
struct conv_span {
    dnnl_dim_t first, taps;
};
struct conv_span conv_wide_span(const struct window *window, dnnl_dim_t wide);

/* Tap k of the window is tap `tap + k * tap_step` of weights; its place i is position `first + i * step` of
 * dst. A part without taps has results too. */
struct conv_part {
    struct window window; /* over src */
    dnnl_dim_t places[3];
    dnnl_dim_t tap[3], tap_step[3];
    dnnl_dim_t first[3], step[3];
};

/* Each part is a launch: with more of them, an implementation gives up, unless each has much to do. */
enum { CONV_MOST_PARTS = 64, CONV_MOST_LARGE_PARTS = 1024 };
dnnl_dim_t conv_parts_count(const struct conv_parts *parts);
struct conv_part conv_part_at(const struct conv_parts *parts, dnnl_dim_t index);
bool conv_part_has_taps(const struct conv_part *part);

/* The box of src that all parts read: front[d] positions before its first one, and size[d] in all. */
struct conv_reach {
    dnnl_dim_t front[3], size[3];
    bool clipped; /* the box is larger than src */
};
struct conv_reach conv_parts_reach(const struct conv_parts *parts);

#endif
