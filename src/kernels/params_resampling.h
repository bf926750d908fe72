/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of resampling. Both tensors are plain; spatial sizes are depth, height, width. */
#ifndef LODE_KERNELS_PARAMS_RESAMPLING_H
#define LODE_KERNELS_PARAMS_RESAMPLING_H

#include "kernels/params.h"

struct resampled {
    i32 type, pad;
    i64 offset, batch, channel; /* the last two are strides */
    i64 stride[3], size[3];
};
PARAMS_SIZE(resampled, 80);

/* Backward, src is diff_src and dst diff_dst. */
struct resampling_params {
    i32 linear, pad; /* 0: the nearest element */
    i64 batch, channels;
    i64 count; /* work-items: rows of what is computed, along channels or along the width */
    i64 piece; /* elements of such a row that are computed at once */
    struct resampled src, dst;
};
PARAMS_SIZE(resampling_params, 40 + 2 * 80);

#endif
