/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the universal convolution, inner product and matrix product share: sums of products of src and
 * weights, and what happens around them.
 */
#ifndef LODE_KERNELS_PARAMS_PRODUCT_H
#define LODE_KERNELS_PARAMS_PRODUCT_H

#include "kernels/params.h"

/* How sums are computed. */
enum {
    SUM_F32 = 0,    /* chains of fma over operands of any type */
    SUM_F32_DENSE,  /* the same order of summation; both operands are f32 without blocks or zero points */
    SUM_S32,        /* exact; overflow wraps */
    SUM_DECOMPRESS, /* SUM_F32, but zero point and scale of weights are applied to each element first */
    SUM_F64,
};

/* Scales and zero points of src and weights are indexed by positions in their own tensor. */
struct product {
    struct tensor src, weights, bias;
    i32 src_dim, weights_dim; /* dimensions of src and weights that a chain runs along */
    i32 sum;                  /* SUM_* */
    i32 has_bias;
    i32 bare; /* SUM_S32: sums are stored unchanged. SUM_F64: only scales and bias are applied */
    i32 pad;
    struct quant_source src_scale, weights_scale, src_zero_point, weights_zero_point;
    struct epilogue epilogue;
};

#endif
