/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parameters of the gradients of the weights of convolutions, over channels-last f32 images: `image` is the
 * tensor that the window slides over, `places` the one that has an element for each position of the window.
 *
 *   dst[group][o / width][tap][i][o % width] = sum over batch and positions of
 *                                              image[position * stride + tap][i] * places[position][o]
 *
 * A row is a run of positions along the last dimension. Rows are taken in chunks, chunks in parts; each part
 * has a dst of its own.
 *
 * Of depthwise convolutions, channels are outputs, in panels of 16, and the taps along a row take the place
 * of inputs:
 *
 *   dst[c / 16][tap][c % 16] = sum over batch and positions of image[position * stride + tap][c] *
 * places[position][c]
 */
#ifndef LODE_KERNELS_PARAMS_WEIGHTS_GRADIENT_H
#define LODE_KERNELS_PARAMS_WEIGHTS_GRADIENT_H

#include "kernels/params_window.h"

enum {
    GRADIENT_POSITIONS = 256, /* of a chunk, at most: 32 KB or 16 KB of a panel */
    GRADIENT_TAPS = 4,        /* of a depthwise convolution that are summed at a time */
    GRADIENT_PAIRS = 8,       /* of vectors of channels of a depthwise work-item, at most */
    GRADIENT_JOBS = 32,       /* groups of so many taps of a work-item, at most; times pairs of vectors */
};

struct weights_gradient_params {
    struct window window; /* over the image; missing dimensions come first */
    i64 places[WINDOW_DIMS];
    i64 image_offset, image_batch, image_stride[WINDOW_DIMS];
    i64 places_offset, places_batch, places_stride[WINDOW_DIMS];
    i64 groups, inputs, outputs; /* channels i and o of a group */
    i64 rows, chunk_rows;        /* in all, and in a chunk */
    i64 pieces, piece;           /* of a row that is longer than a chunk, and the positions of one */
    i64 chunks, parts;           /* in all; parts that they are divided into */
    i64 tiles, tile;             /* tiles of inputs, and the inputs of one */
    i64 jobs;                    /* tiles x taps of a work-item */
    i64 pairs;                   /* depthwise: pairs of vectors of channels of a work-item */
    i64 dst_offset, dst_part, dst_group, dst_panel; /* strides; the others are dense */
    i64 streams;                                    /* results are large and stored once */
    i64 bias; /* depthwise: where in a part the sums of `places` begin, or 0 if there are none */
};
PARAMS_SIZE(weights_gradient_params, 5 * 24 + 3 * 24 + 23 * 8);

/* bf16_pair_columns: word c of a row of dst has position c - front of a row of src and the one `apart`
 * further on, zeros where there is none. */
struct pair_columns_params {
    i64 src_offset, src_batch, src_stride[WINDOW_DIMS];
    i64 dst_offset, dst_batch, dst_stride[WINDOW_DIMS];
    i64 channels, size, columns; /* columns of src and of dst */
    i64 front, apart;
};
PARAMS_SIZE(pair_columns_params, 15 * 8);

#endif
