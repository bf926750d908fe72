/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parameters of the matrix-product kernels for GPUs, which also compute convolutions. With batch b, result m
 * and output channel n:
 *
 *   dst[b][m][n] = activation(bias[b][n] + scales[n] * sum over d, h, w, i of  src[b][m][d][h][w][i]
 *                                                                              * weights[b][n][d][h][w][i])
 *
 * where m counts the places of a window through, m = y * columns + x, and every index has a stride of its
 * own. A matrix product has one row and one tap. Strides are in elements; those within a batch are 32-bit
 * numbers, since GPUs have no others in hardware: offsets within a batch must fit, too.
 */
#ifndef LODE_KERNELS_PARAMS_GPU_GEMM_H
#define LODE_KERNELS_PARAMS_GPU_GEMM_H

#include "kernels/params.h"

enum {
    GPU_GEMM_BATCHES = 4,
    GPU_GEMM_LANES = 16,    /* work-items of a sub-group */
    GPU_GEMM_HEIGHT = 16,   /* results m of a tile: one for each lane */
    GPU_GEMM_PANEL = 32,    /* channels of a tile: two for each lane */
    GPU_GEMM_SUBGROUPS = 4, /* of a work-group: neighbours along m, which read the same weights */
};

struct gpu_gemm_batch {
    i64 src, weights, bias, dst; /* strides */
    i32 size, step;              /* step: what one more adds to the window's place along depth */
};
PARAMS_SIZE(gpu_gemm_batch, 40);

/* A window along depth, height or width. Tap k of place o reads position o * stride + k * step - padding of
 * the image, which is `size` long. */
struct gpu_gemm_window {
    i32 taps, src, weights; /* strides from tap to tap */
    i32 size, stride, step, padding;
};
PARAMS_SIZE(gpu_gemm_window, 28);

enum { GPU_GEMM_UNSCALED = 0, GPU_GEMM_SCALED = 1, GPU_GEMM_SCALED_BY_CHANNEL = 2 };

struct gpu_gemm_params {
    i64 src_offset, weights_offset, bias_offset, dst_offset;
    struct gpu_gemm_batch batch[GPU_GEMM_BATCHES];     /* outermost first */
    struct gpu_gemm_window window[3];                  /* depth, height, width */
    i32 rows, columns, channels, depth;                /* y, x, n, i */
    i32 src_row, src_column, src_channel;              /* strides of y, x, i */
    i32 dst_row, dst_column, dst_channel;              /* of y, x, n */
    i32 weights_panel, weights_depth, weights_channel; /* of n / GPU_GEMM_PANEL, i, n % GPU_GEMM_PANEL */
    i32 dense;               /* four values of src that follow each other along i can be loaded at once */
    i32 blocks;              /* weights of a panel lie side by side, where block reads may begin */
    i32 padded;              /* the last panel of weights is as long as the others */
    i32 clipped;             /* taps may lie outside the image */
    i32 bias_type, dst_type; /* f32, f16 in kernels of f16; bias: 0 if there is none */
    i32 src_scaled;          /* by one number */
    i32 weights_scaled;      /* by one number, or by one for each channel: enum below */
    i32 clips;               /* the activation: limits, or negative numbers times slope; 1: there is none */
    f32 slope, least, most;
};
PARAMS_SIZE(gpu_gemm_params, 32 + 4 * 40 + 3 * 28 + 25 * 4);

#endif
