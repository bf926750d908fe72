/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parameters of depthwise convolution: every channel has a window of weights of its own. Weights lie in
 * panels of DEPTHWISE_PANEL channels, tap by tap.
 */
#ifndef LODE_KERNELS_PARAMS_DEPTHWISE_H
#define LODE_KERNELS_PARAMS_DEPTHWISE_H

#include "kernels/params_window.h"

enum {
    DEPTHWISE_BLOCK = 6, /* places in a row that are computed at once, at most */
    DEPTHWISE_PANEL = 16,
    DEPTHWISE_PANELS = 16, /* that a work-item takes */
    DEPTHWISE_PLACES = 28, /* in a row that it takes, at most */
};

struct depthwise_params {
    struct window_images images;
    i64 part;                    /* places in a row that a work-item takes */
    i64 whole_first, whole_last; /* places in a row where all of the window lies inside */
    i64 src_end;                 /* the offset that src ends at */
    i64 weights_offset, weights_panel;
    i64 bias_offset;
    i64 pieces; /* of DEPTHWISE_PANELS panels: batches in the range are multiplied by this */
    struct activation activation;
    i32 has_bias, pad;
    struct epilogue epilogue;
};

#endif
