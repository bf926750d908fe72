/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parameters of the matrix products of bytes. As in params_gemm.h, but the reduction takes INT8_GEMM_QUAD
 * adjacent values at a time, for a panel of channels: depth is a multiple of it. src has unsigned bytes:
 *
 *   dst = sum of src * weights - (shift + zero point of src) * column sum
 *
 * where `shift` was added to signed bytes to make them unsigned, and a column sum is the sum of all weights
 * of a channel. The zero point is not subtracted from padding: where there is padding, the sums of the taps
 * in it are needed too.
 */
#ifndef LODE_KERNELS_PARAMS_INT8_GEMM_H
#define LODE_KERNELS_PARAMS_INT8_GEMM_H

#include "kernels/params_gemm.h"

enum {
    INT8_GEMM_QUAD = 4,
    INT8_GEMM_HEIGHT = 12,  /* columns of a tile */
    INT8_GEMM_COLUMNS = 96, /* most columns of a work-item: a multiple of that */
};
/* The source of column sums: none, because they are not needed; a buffer; or computed together with the
 * product, if src has only one column. */
enum { SUMS_NONE = 0, SUMS_BUFFER = 1, SUMS_OWN = 2 };

/* The end of a tile in one pass, where nothing but channels matters:
 *   limit(x * scale + bias + (earlier dst - sum_zero) * sum_scale) / dst_scale + dst_zero */
enum { INT8_LIMIT_NONE = 0, INT8_LIMIT_CLIP = 1, INT8_LIMIT_RELU = 2 };
struct int8_fused {
    i32 on;
    i32 floats; /* dst and what is added to it are f32; otherwise bytes */
    i32 sum;    /* the earlier dst is added; each byte is first xored with `flip` */
    i32 flip;
    f32 sum_scale, sum_zero;
    i32 limit; /* INT8_LIMIT_*: to low and high, or a relu whose slope is `low` */
    f32 low, high;
    f32 least, most; /* limits of the type of dst */
    f32 nan;         /* replaces NaN */
};
PARAMS_SIZE(int8_fused, 48);

struct int8_gemm_params {
    i64 sums_offset, sums_batch[GEMM_BATCHES]; /* of column sums, in integers */
    i32 sums;                                  /* SUMS_* */
    i32 shift;
    i32 is_signed; /* src, for kernels that read it as it is */
    i32 unused;
    i32 bare;    /* sums are stored unchanged; dst is s32 */
    i32 clipped; /* taps may be in the padding; their sums are consecutive, panel by panel */
    struct int8_fused fused;
    i64 taps_offset, taps;
    struct quant_source src_zero_point;
    struct gemm_params gemm;
};

/* dst[b][n / panel][tap][n % panel] = sum over i of weights[b][n / panel][tap][i / 4][n % panel][i % 4]; or
 * over the taps too, if the range has one tap only. */
struct column_sums_params {
    i64 weights_offset, dst_offset;
    i64 weights_panel; /* stride */
    i64 window[3], depth, weights_window[3];
    i64 batch[GEMM_BATCHES], weights_batch[GEMM_BATCHES];
};
PARAMS_SIZE(column_sums_params, 8 * 18);

#endif
