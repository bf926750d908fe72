/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parameters of the matrix products of bytes. As in params_gemm.h, but the reduction takes INT8_GEMM_QUAD
 * values at a time, which lie side by side, for a panel of channels: depth is a multiple of it. src has bytes
 * without sign:
 *
 *   dst = sum of src * weights - (shift + zero point of src) * column sum
 *
 * where `shift` is what was added to signed bytes to make them so, and a column sum is that of all weights of
 * a channel. The zero point is not subtracted from padding: where there is any, the sums of the taps that lie
 * in it are needed, too.
 */
#ifndef LODE_KERNELS_PARAMS_INT8_GEMM_H
#define LODE_KERNELS_PARAMS_INT8_GEMM_H

#include "kernels/params_gemm.h"
#include "kernels/params_window.h"

enum { INT8_GEMM_QUAD = 4 };
/* Where column sums are found: nowhere, they are not needed; in a buffer; or they are made together with the
 * product, which is of one column of src only. */
enum { SUMS_NONE = 0, SUMS_BUFFER = 1, SUMS_OWN = 2 };

struct int8_gemm_params {
    i64 sums_offset, sums_batch[GEMM_BATCHES]; /* of column sums, in integers */
    i32 sums;                                  /* SUMS_* */
    i32 shift;
    i32 bias_type;
    i32 bare;        /* sums go to dst, which is s32, as they are */
    i32 by_position; /* something after the sums depends on a result's position */
    i32 clipped;     /* taps may lie in the padding; their sums follow each other, panel by panel */
    i32 bytes;       /* results are bytes, and neither of these two is the case */
    f32 least, most; /* of those bytes */
    f32 nan;         /* what NaN becomes */
    i64 taps_offset, taps;
    struct window window;
    struct quant_source src_zero_point;
    struct gemm_params gemm;
};

/* dst[b][n / panel][tap][n % panel] = sum over all steps of weights[b][n / panel][tap][step][n % panel][0..3]
 */
struct column_sums_params {
    i64 weights_offset, dst_offset;
    i64 weights_panel, steps; /* stride of a panel; quads of a tap */
    i64 batch[GEMM_BATCHES], weights_batch[GEMM_BATCHES];
};
PARAMS_SIZE(column_sums_params, 8 * 12);

#endif
