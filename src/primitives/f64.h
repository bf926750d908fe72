/* SPDX-License-Identifier: Apache-2.0 */
/* What products of doubles need and others do not have. */
#ifndef LODE_PRIMITIVES_F64_H
#define LODE_PRIMITIVES_F64_H

#include "core/plan.h"

/* dst[c] = the sum over rows of src[row][c], in doubles. Offsets and strides count elements. */
struct f64_sums_request {
    int src_arg, dst_arg;
    dnnl_dim_t src_offset, src_row, dst_offset;
    dnnl_dim_t rows, columns;
};
dnnl_status_t f64_append_sums(struct plan *plan, const struct f64_sums_request *request);

/* Implementations of matmul: with dense columns of weights and dst, the transposed product. */
dnnl_status_t f64_build_transposed_matmul(struct plan *plan);
/* Blocked tensors, or a dst without dense rows, are moved. */
dnnl_status_t f64_build_moved_matmul(struct plan *plan);

#endif
