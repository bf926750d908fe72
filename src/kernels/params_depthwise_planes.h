/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parameters of depthwise convolution of f32 or f64 images whose rows are dense: planes of one channel.
 * Weights lie tap by tap, channel by channel.
 */
#ifndef LODE_KERNELS_PARAMS_DEPTHWISE_PLANES_H
#define LODE_KERNELS_PARAMS_DEPTHWISE_PLANES_H

#include "kernels/params_window.h"

enum { PLANE_ELEMENTS = 4096 }; /* of the padded rows of src that a work-item has, at most */

struct depthwise_planes_params {
    struct window window; /* without depth; the stride of columns is 1 */
    i64 places[2];        /* rows and columns of dst */
    i64 rows;             /* of dst per work-item */
    i64 pitch, front;     /* of padded rows, and of what is before their elements */
    i64 src_offset, src_batch, src_channel, src_row;
    i64 dst_offset, dst_batch, dst_channel, dst_row;
    i64 weights_offset; /* of the first tap of channel 0, from which the next one is `weights_tap` away */
    i64 weights_tap;
    i64 bias_offset, has_bias;
    struct activation activation;
};
PARAMS_SIZE(depthwise_planes_params, 5 * 24 + 17 * 8 + 16);

#endif
