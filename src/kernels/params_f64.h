/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of kernels of doubles, except those that have the parameters of the same kernel of floats. */
#ifndef LODE_KERNELS_PARAMS_F64_H
#define LODE_KERNELS_PARAMS_F64_H

#include "kernels/params.h"

enum {
    F64_DOT_HEIGHT = 16, /* rows of src of a tile whose weights are dense along the reduction */
    F64_DOT_WIDTH = 8,
    F64_WIDEST = 16, /* channels of a panel, at most */
};

/* dst[part][c] = the sum of src[r][c] over the rows r of a part. */
struct f64_sums_params {
    i64 src_offset, src_row; /* stride */
    i64 dst_offset;
    i64 rows, part, parts; /* rows in all, and of a part */
    i64 columns;
};
PARAMS_SIZE(f64_sums_params, 7 * 8);

#endif
