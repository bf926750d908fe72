/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of the element-wise kernels. `alg` is one of ELTWISE_*. */
#ifndef LODE_KERNELS_PARAMS_ELTWISE_H
#define LODE_KERNELS_PARAMS_ELTWISE_H

#include "kernels/params.h"

struct eltwise_params {
    i32 alg, pad;
    f32 alpha, beta;
    struct tensor src;
    struct walk walk; /* of dst */
    struct epilogue epilogue;
};

/* Backward: diff_src = diff_dst * f'(data), where data is src, or dst for ELTWISE_*_DST. */
struct eltwise_backward_params {
    i32 alg, diff_src_type;
    f32 alpha, beta;
    struct tensor data, diff_dst;
    struct walk walk; /* of diff_src */
};

/* All three tensors are dense f32 and have the same layout. */
struct eltwise_backward_dense_params {
    i32 alg;
    i32 streams; /* results bypass the caches; not those of doubles */
    f32 alpha, beta;
    i64 data_offset, diff_dst_offset, diff_src_offset, count;
    i64 span; /* elements per work-item */
};

#endif
