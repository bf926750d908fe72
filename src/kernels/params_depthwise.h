/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parameters of depthwise convolution: every channel has its own window of weights. Weights are in panels of
 * DEPTHWISE_PANEL channels, tap by tap.
 */
#ifndef LODE_KERNELS_PARAMS_DEPTHWISE_H
#define LODE_KERNELS_PARAMS_DEPTHWISE_H

#include "kernels/params_window.h"

enum {
    DEPTHWISE_BLOCK = 6, /* at most so many adjacent outputs are computed at once */
    DEPTHWISE_PANEL = 16,
    DEPTHWISE_PANELS = 16, /* panels per work-item, at most */
    DEPTHWISE_PLACES = 28, /* outputs in a row per work-item, at most */
    DEPTHWISE_RUN = 7,     /* adjacent outputs in a row that lib/depthwise_lines.h computes at once */
    DEPTHWISE_LINE = 112,  /* and how many of them a work-item has, at most */
};

struct depthwise_params {
    struct window_images images;
    i64 part, rows, panels;      /* per work-item: outputs in a row, rows, panels */
    i64 whole_first, whole_last; /* outputs in a row whose whole window is inside the image */
    i64 src_end;                 /* offset of the end of src */
    i64 weights_offset, weights_panel, weights_step[WINDOW_DIMS]; /* strides of panels and taps */
    i64 bias_offset;
    i64 pieces; /* groups of `panels` panels: the range has batches * pieces */
    /* Place i is position first + i * step of dst, for the epilogue. */
    i64 place_first[WINDOW_DIMS], place_step[WINDOW_DIMS];
    struct activation activation;
    i32 has_bias, bias_type;
    i32 scaled, finished; /* as in params_gemm.h */
    i32 plain;            /* everything is f32, or f64, and neither scaled nor finished */
    i32 large;            /* src does not fit into a core's caches */
    i32 lines;            /* so many rows are computed at once by lib/depthwise_lines.h; 0: it does not fit */
    i32 pad;
    struct epilogue epilogue;
};

/* The same for bytes, with weights of s8: (src - its zero point) * weights, summed exactly. */
struct int8_depthwise_params {
    i32 is_signed;   /* src is s8 */
    i32 bare;        /* sums are stored unchanged; dst is s32 */
    i32 by_position; /* some step after the sum depends on more than the channel */
    i32 bytes;       /* results are bytes, and by_position is not set */
    f32 least, most; /* limits of the byte type */
    f32 nan;         /* replaces NaN */
    i32 limited;     /* the activation is a clip to low and high, or there is none */
    f32 low, high;
    i32 square; /* 3 or 5: taps along both sides, adjacent in a row, at most half of them in the padding */
    i32 pad;
    struct quant_source src_zero_point;
    struct depthwise_params depthwise;
};

#endif
