/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of the matrix product of doubles. Offsets and strides count elements. */
#ifndef LODE_KERNELS_PARAMS_F64_GEMM_H
#define LODE_KERNELS_PARAMS_F64_GEMM_H

#include "kernels/params_gemm.h"

enum { F64_GEMM_HEIGHT = 6, F64_GEMM_WIDTH = 16 };

/* dst[b][m][n] = bias[n] + sum over k of src[b][m][k] * weights[b][k][n]; n is dense in weights and dst. */
struct f64_gemm_params {
    i64 batch[GEMM_BATCHES], src_batch[GEMM_BATCHES], weights_batch[GEMM_BATCHES], dst_batch[GEMM_BATCHES];
    i64 src_offset, weights_offset, bias_offset, dst_offset;
    i64 rows, columns, depth;
    i64 src_row, src_depth, weights_depth, dst_row;
    i64 has_bias;
};
PARAMS_SIZE(f64_gemm_params, 8 * 28);

#endif
