/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parameters of bf16_gradient_tiles.cl, the gradients of the weights of convolutions by matrix tiles:
 *
 *   dst[group][o / 32][tap][i][o % 32] = sum over flat positions of
 *                                        image[phase of tap][i][position + offset of tap] *
 * places[position][o]
 *
 * Flat positions run through the batch and the three spatial dimensions with a pitch along each that leaves
 * room for padding, so that a tap of the window is an offset. Between places there are zeros, and so there
 * are around the image. Where the window has a stride, the image has several phases: of one every
 * stride-th row or column.
 *
 * A zero is multiplied with what a tap reads there: numbers of the image that are infinite make results
 * NaN that would not depend on them.
 */
#ifndef LODE_KERNELS_PARAMS_GRADIENT_TILES_H
#define LODE_KERNELS_PARAMS_GRADIENT_TILES_H

#include "kernels/params_window.h"

enum { FLAT_BLOCK = 64, FLAT_PANELS = 8 }; /* positions and panels that a work-item copies */

/* Copies: what is at flat position (n, x[0], x[1], x[2]) is element x * stride + phase * phase_step - padding
 * of image n. */
struct flat_params {
    i64 src_offset, src_batch, src_stride[WINDOW_DIMS];
    i64 batch, size[WINDOW_DIMS];
    i64 stride[WINDOW_DIMS], padding[WINDOW_DIMS];
    i64 phases[WINDOW_DIMS], phase_step[WINDOW_DIMS];
    i64 pitch[WINDOW_DIMS];
    i64 length;         /* of a row of dst, with zeros at its end: a multiple of 32 */
    i64 channels;       /* of all groups, or of one in panels */
    i64 groups, panels; /* of a group */
    i64 folds;          /* channels are those of a row of the window */
    i64 dst_offset;
};
PARAMS_SIZE(flat_params, 9 * 8 + 7 * 24);

struct gradient_tiles_params {
    i64 taps[WINDOW_DIMS], tap_step[WINDOW_DIMS], phases[WINDOW_DIMS];
    i64 pitch[2];                          /* of the last two dimensions */
    i64 image_offset, image_phase, length; /* length: of a row of the image */
    i64 places_offset;
    i64 groups, inputs, outputs, panels; /* of a group */
    i64 tiles, jobs;                     /* of 32 inputs; tiles x taps of a work-item */
    i64 steps, chunk, chunks,
            parts; /* of 32 positions; of a chunk; chunks in all; parts they are divided into */
    i64 dst_offset, dst_part, dst_group, dst_panel;
};
PARAMS_SIZE(gradient_tiles_params, 3 * 24 + 20 * 8);

#endif
