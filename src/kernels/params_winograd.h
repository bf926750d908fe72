/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parameters of Winograd's convolution with a window of 3x3 and stride 1: see winograd.cl. A tile is a square
 * of `n` x `n` results; its positions are the (n + 2) x (n + 2) numbers that are multiplied for each pair of
 * input and output channel. Images are channels-last.
 */
#ifndef LODE_KERNELS_PARAMS_WINOGRAD_H
#define LODE_KERNELS_PARAMS_WINOGRAD_H

#include "kernels/params.h"

enum {
    WINOGRAD_CHANNELS = 128, /* that a work-item transforms: a multiple of 16 */
    WINOGRAD_INPUTS = 16,    /* input channels of weights that a work-item transforms */
};

/* One image of a batch after the other, rows of tiles, tiles of a row. */
struct winograd_tiles {
    i64 rows, columns; /* of an image */
    i64 count;         /* in all */
    i64 each;          /* at a time: iteration i of the loop begins with tile i * each */
};
PARAMS_SIZE(winograd_tiles, 32);

struct winograd_image {
    i64 offset, batch, row, column; /* strides; channels are dense */
    i64 height, width, channels;
};
PARAMS_SIZE(winograd_image, 56);

/* Transformed tiles: [position][tile][channel]. There is room for whole vectors of 16 channels. */
struct winograd_parts {
    i64 offset, position, tile; /* strides */
};
PARAMS_SIZE(winograd_parts, 24);

struct winograd_src_params {
    struct winograd_tiles tiles;
    struct winograd_image image;
    struct winograd_parts parts;
    i64 padding[2]; /* before rows and columns */
};
PARAMS_SIZE(winograd_src_params, 128);

struct winograd_dst_params {
    struct winograd_tiles tiles;
    struct winograd_image image;
    struct winograd_parts parts;
    i64 bias_offset;
    i32 has_bias;
    i32 adds; /* results are added to dst, and `after` is applied to the sum */
    struct activation activation, after;
};
PARAMS_SIZE(winograd_dst_params, 160);

/* dst[position][o / panel][i][o % panel], 0 where o is past the end. */
struct winograd_weights_params {
    i64 src_offset, dst_offset;
    i64 outputs, inputs, panel;
    i64 output, input, tap[2]; /* strides of src */
    i64 position, panels;      /* strides of dst: of positions and of panels */
};
PARAMS_SIZE(winograd_weights_params, 88);

#endif
