/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a block of sums of the matrix-product kernels, as floats: every attribute, every type of dst. */
#ifndef LODE_KERNELS_LIB_GEMM_END_H
#define LODE_KERNELS_LIB_GEMM_END_H

#include "kernels/lib/epilogue_block.h"
#include "kernels/params_gemm.h"

/* Which parts of the end a block has, and where it is stored. */
struct gemm_end {
    global const uchar *bias;
    global uchar *dst;
    i64 bias_offset, dst_offset;
    i32 scaled, finished, bias_type, type;
};

/* Whole vectors of f32 are stored as they are. */
INLINE void gemm_end_store(const struct gemm_end *end, i64 step, const struct result_block *b) {
    const bool whole = end->type == TYPE_F32 && b->count % 16 == 0;
    global float *dst = (global float *)end->dst + end->dst_offset;
    for (int r = 0; r < b->rows && whole; r++)
        for (int n = 0; n < b->count; n += 16)
            vstore16(vload16(0, b->x + r * b->pitch + n), 0, dst + r * step + n);
    for (int r = 0; r < b->rows && !whole; r++)
        row_store(end->dst, end->type, end->dst_offset + r * step, 1, b->x + r * b->pitch, b->count);
}

/* Scales, bias, post-ops and stores; the columns of the block are its rows. */
INLINE void gemm_end_block(constant struct gemm_params *p, const struct epilogue_state *e,
                           const struct gemm_end *end, const struct result_block *b) {
    LINE_ALIGNED float bias[BLOCK_WIDTH];
    if (end->scaled) block_scale(e, b);
    row_fill(bias, 0.0f, b->count);
    if (p->has_bias) row_load(bias, end->bias, end->bias_type, end->bias_offset, 1, b->count);
    for (int r = 0; r < b->rows && (p->has_bias || p->activation.alg != 0); r++)
        EACH_VECTOR(b, r, activation_apply(&p->activation, x + vload16(0, bias + n)))
    if (end->finished) block_finish(e, b);
    gemm_end_store(end, p->dst_column, b);
}

#endif
