/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The matrix product of doubles for CPU-class devices: a work-item computes a tile of F64_GEMM_HEIGHT rows by
 * F64_GEMM_WIDTH columns. Every output is one chain of fma over the reduction.
 *
 * Range: tiles of columns, tiles of rows, batches.
 */
#include "kernels/lib/opencl.h"
#include "kernels/params_f64_gemm.h"

/* Eight elements, of which `count` exist. */
INLINE double8 f64_load(global const double *from, i64 count) {
    if (count >= 8) return vload8(0, from);
    double each[8];
    for (int i = 0; i < 8; i++)
        each[i] = i < count ? from[i] : 0.0;
    return vload8(0, each);
}

INLINE void f64_store(double8 x, global double *to, i64 count) {
    if (count >= 8) {
        vstore8(x, 0, to);
        return;
    }
    double each[8];
    vstore8(x, 0, each);
    for (int i = 0; i < count; i++)
        to[i] = each[i];
}

/* acc[r][v]: rows that do not exist are computed as the first one. */
INLINE void f64_reduce(constant struct f64_gemm_params *p, global const double *src,
                       global const double *weights, i64 rows, i64 columns, double8 *acc) {
    i64 row[F64_GEMM_HEIGHT];
    for (int r = 0; r < F64_GEMM_HEIGHT; r++)
        row[r] = r < rows ? r * p->src_row : 0;
    for (int i = 0; i < 2 * F64_GEMM_HEIGHT; i++)
        acc[i] = (double8)(0.0);
    for (i64 k = 0; k < p->depth; k++, src += p->src_depth, weights += p->weights_depth) {
        double8 w0 = f64_load(weights, columns), w1 = f64_load(weights + 8, columns - 8);
#pragma unroll
        for (int r = 0; r < F64_GEMM_HEIGHT; r++) {
            double8 x = (double8)(src[row[r]]);
            acc[2 * r] = fma(x, w0, acc[2 * r]);
            acc[2 * r + 1] = fma(x, w1, acc[2 * r + 1]);
        }
    }
}

#if WANTED(f64_gemm_6x16)
kernel void f64_gemm_6x16(ITEM global const double *src, global const double *weights,
                          global const double *bias, global double *dst, constant struct f64_gemm_params *p) {
    i64 column = get_global_id(0) * F64_GEMM_WIDTH, row = get_global_id(1) * F64_GEMM_HEIGHT;
    i64 columns = p->columns - column, batch = get_global_id(2);
    i64 rows = p->rows - row < F64_GEMM_HEIGHT ? p->rows - row : F64_GEMM_HEIGHT;
    i64 from = p->src_offset + row * p->src_row, with = p->weights_offset + column;
    i64 to = p->dst_offset + row * p->dst_row + column;
    for (int d = GEMM_BATCHES - 1; d >= 0; d--) {
        i64 rest = batch / p->batch[d], index = batch - rest * p->batch[d];
        from += index * p->src_batch[d];
        with += index * p->weights_batch[d];
        to += index * p->dst_batch[d];
        batch = rest;
    }
    double8 acc[2 * F64_GEMM_HEIGHT], added[2];
    f64_reduce(p, src + from, weights + with, rows, columns, acc);
    for (int v = 0; v < 2; v++) {
        added[v] = (double8)(-0.0); /* changes nothing */
        if (p->has_bias) added[v] = f64_load(bias + p->bias_offset + column + 8 * v, columns - 8 * v);
    }
    for (int r = 0; r < rows; r++)
        for (int v = 0; v < 2; v++)
            f64_store(acc[2 * r + v] + added[v], dst + to + r * p->dst_row + 8 * v, columns - 8 * v);
}
#endif
