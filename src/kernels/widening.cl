/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matrix products of operands of any type for CPU-class devices, computed in f32. A work-item computes some
 * columns by one panel of output channels. It converts weights to f32 a piece of the reduction at a time,
 * into memory that stays in the L1 cache, and multiplies all its columns by each piece. Zero points of
 * weights, and scales that change along the reduction, are applied while they are converted. Every output is
 * one chain of fma over the reduction, so the bits are the same in every run and for any number of threads.
 */
#include "kernels/lib/epilogue.h"
#include "kernels/lib/gemm_place.h"
#include "kernels/params_widening.h"

/* A work-item's tile. */
struct widening_tile {
    global const float *src;
    global const uchar *weights, *bias;
    global uchar *dst;
    int columns, channels;
    struct gemm_place at;
};

/* The first step after `k` at which a parameter may change. */
INLINE i64 next_group(constant struct quant_source *q, int dim, i64 k, i64 end) {
    if (q->from != QUANT_BUFFER || q->stride[dim] == 0) return end;
    i64 next = (k / q->group[dim] + 1) * q->group[dim];
    return next < end ? next : end;
}

#define SPACE private
#define LANES 16
#define NAME(name) name##_14x32
#define HEIGHT 14
#define KEEP KEEP_ORDER_64
#include "kernels/lib/widening_tile.h"

#define LANES 8
#define NAME(name) name##_6x16
#define HEIGHT 6
#define KEEP KEEP_ORDER_32
#include "kernels/lib/widening_tile.h"

#define LANES 8
#define NAME(name) name##_rows
#include "kernels/lib/lanes.h"
#include "kernels/lib/widen_lanes.h"

/* The position of a row in src. */
INLINE i64 widen_place(constant struct widen_params *p, i64 batch, i64 row, i64 *position) {
    i64 offset = p->src_offset + row * p->src_row;
    for (int d = 0; d < TENSOR_DIMS; d++)
        position[d] = 0;
    for (int d = GEMM_BATCHES - 1; d >= 0; d--) {
        if (p->batch[d] == 1) continue;
        i64 rest = batch / p->batch[d], index = batch - rest * p->batch[d];
        position[p->batch_dim[d]] += index;
        offset += index * p->src_batch[d];
        batch = rest;
    }
    position[p->row_dim] += row;
    return offset;
}

/* Steps `first` to `first` + count - 1 of some rows, WIDEN_STEPS apart. */
INLINE void widen_load(constant struct widen_params *p, global const uchar *src, i64 offset, i64 rows,
                       i64 count, float *to) {
    if (p->src_depth == 1) {
        widen_block_rows(to, WIDEN_STEPS, src, p->type, offset, p->src_row, rows, count);
        return;
    }
    if (p->src_row != 1) {
        for (i64 r = 0; r < rows; r++)
            widen_each_rows(to + r * WIDEN_STEPS, src, p->type, offset + r * p->src_row, p->src_depth, 0,
                            count);
        return;
    }
    float across[WIDEN_ROWS];
    for (i64 k = 0; k < count; k++) {
        widen_block_rows(across, 0, src, p->type, offset + k * p->src_depth, 0, 1, rows);
        for (i64 r = 0; r < rows; r++)
            to[r * WIDEN_STEPS + k] = across[r];
    }
}

/* Zero points and scales of one row. */
INLINE void widen_quantised(constant struct widen_params *p, const struct epilogue_state *e, i64 *position,
                            i64 first, i64 count, float *row) {
    const int dim = p->depth_dim;
    for (i64 k = first, next; k < first + count; k = next) {
        position[dim] = k;
        next = next_group(&p->scale, dim, k, next_group(&p->zero_point, dim, k, first + count));
        float zero = quant_value(e, &p->zero_point, position, 0.0f);
        float scale = quant_value(e, &p->scale, position, 1.0f);
        for (i64 i = k - first; i < next - first; i++)
            row[i] = (row[i] - zero) * scale;
    }
}

/* Range: blocks of rows, blocks of steps, batches. */
#if WANTED(widen_rows)
kernel void widen_rows(ITEM global const uchar *src, global float *dst, EPILOGUE_ARGS,
                       constant struct widen_params *p) {
    struct epilogue_state e = EPILOGUE_STATE((constant struct epilogue *)0);
    i64 row = get_global_id(0) * WIDEN_ROWS, first = get_global_id(1) * WIDEN_STEPS;
    i64 rows = p->rows - row < WIDEN_ROWS ? p->rows - row : WIDEN_ROWS;
    i64 count = p->depth - first < WIDEN_STEPS ? p->depth - first : WIDEN_STEPS;
    i64 position[TENSOR_DIMS];
    float values[WIDEN_ROWS * WIDEN_STEPS];
    i64 offset = widen_place(p, get_global_id(2), row, position);
    widen_load(p, src, offset + first * p->src_depth, rows, count, values);
    dst += p->dst_offset + (get_global_id(2) * p->rows + row) * p->dst_row + first;
    for (i64 r = 0; r < rows; r++, position[p->row_dim]++, dst += p->dst_row) {
        if (p->quantised) widen_quantised(p, &e, position, first, count, values + r * WIDEN_STEPS);
        for (i64 k = 0; k < count; k++)
            dst[k] = values[r * WIDEN_STEPS + k];
    }
}
#endif
#undef LANES
#undef NAME
