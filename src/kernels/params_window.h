/* SPDX-License-Identifier: Apache-2.0 */
/* A window that slides over an image, for kernels: what convolution and pooling share. */
#ifndef LODE_KERNELS_PARAMS_WINDOW_H
#define LODE_KERNELS_PARAMS_WINDOW_H

#include "kernels/params.h"

enum { WINDOW_DIMS = 3 };

/* Along spatial dimension d, tap k of the window at output o reads position o * stride + k * step - padding.
 * Missing dimensions have one tap at position 0. */
struct window {
    i64 size[WINDOW_DIMS]; /* of the image */
    i64 taps[WINDOW_DIMS]; /* of the window */
    i64 stride[WINDOW_DIMS], step[WINDOW_DIMS], padding[WINDOW_DIMS];
};
PARAMS_SIZE(window, 5 * 24);

/* A window over channels-last f32 images. Spatial dimensions are aligned at the last one: missing ones come
 * first. */
struct window_images {
    struct window window;
    i64 channels;
    i64 missing;             /* number of missing spatial dimensions */
    i64 places[WINDOW_DIMS]; /* positions of the window: the spatial sizes of dst */
    i64 src_offset, dst_offset;
    i64 src_batch, dst_batch;
    i64 src_stride[WINDOW_DIMS], dst_stride[WINDOW_DIMS];
    i64 src_step[WINDOW_DIMS]; /* from tap to tap */
};
PARAMS_SIZE(window_images, 5 * 24 + 6 * 8 + 4 * 24);

#endif
