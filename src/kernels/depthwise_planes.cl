/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Depthwise convolution of channels-first f32 images, forward, for CPU-class devices. A work-item computes
 * some rows of one channel: it copies the rows of src that they read to where they have their padding and
 * stay in the L1 cache, and goes over them with vectors of adjacent outputs. Every output is one chain of fma
 * over the taps in their order.
 */
#include "kernels/lib/convert.h"
#include "kernels/params_depthwise_planes.h"

#define LANES 16
#include "kernels/lib/lanes.h"
#include "kernels/lib/memory_lanes.h"

INLINE void plane_clear(float *to, i64 count) {
#pragma nounroll
    for (i64 i = 0; i < count; i += LANES)
        VSTORE(V(0.0f), 0, to + i);
}

/* One row with its padding; what is stored behind it is overwritten by the next one. */
INLINE void plane_row(constant struct depthwise_planes_params *p, global const float *from, float *to) {
    const i64 size = p->window.size[2], front = p->window.padding[2];
    plane_clear(to, front);
#pragma nounroll
    for (i64 i = 0; i + LANES <= size; i += LANES)
        VSTORE(VLOAD(0, from + i), 0, to + front + i);
    if (size >= LANES)
        VSTORE(VLOAD(0, from + size - LANES), 0, to + front + size - LANES);
    else
#pragma nounroll
        for (i64 i = 0; i < size; i++)
            to[front + i] = from[i];
    plane_clear(to + front + size, p->pitch - front - size);
}

/* The rows that outputs from row `first` on read, `count` of them. */
INLINE void plane_rows(constant struct depthwise_planes_params *p, global const float *src, i64 first,
                       i64 count, float *to) {
    const i64 top = first * p->window.stride[1] - p->window.padding[1];
    for (i64 y = top; y < top + count; y++, to += p->pitch)
        if (y >= 0 && y < p->window.size[1])
            plane_row(p, src + y * p->src_row, to);
        else
            plane_clear(to, p->pitch);
}

/* m rows by the vectors at columns x[0] and x[1], or the first alone; `count` of its columns exist. Callers
 * pass m and `vectors` as constants. */
INLINE void plane_block(constant struct depthwise_planes_params *p, const float *rows,
                        global const float *weights, float bias, const i64 *x, const int m, const int vectors,
                        i64 count, global float *dst) {
    constant struct window *w = &p->window;
    const i64 row = w->stride[1] * p->pitch;
    VEC acc[8];
#pragma unroll
    for (int i = 0; i < m * vectors; i++)
        acc[i] = V(bias);
#pragma nounroll
    for (i64 k = 0; k < w->taps[1]; k++) {
        const float *from = rows + k * w->step[1] * p->pitch;
#pragma nounroll
        for (i64 t = 0; t < w->taps[2]; t++, from += w->step[2], weights++) {
            const VEC tap = V(*weights);
#pragma unroll
            for (int i = 0; i < m * vectors; i++)
                acc[i] = fma(VLOAD(0, from + i / vectors * row + x[i % vectors]), tap, acc[i]);
        }
    }
#pragma unroll
    for (int i = 0; i < m * vectors; i++)
        store_lanes(acc[i], dst + i / vectors * p->dst_row + x[i % vectors], count);
}

/* m rows of outputs. Vectors at the end of a row begin where they are whole, if the row is so long. */
INLINE void plane_outputs(constant struct depthwise_planes_params *p, const float *rows,
                          global const float *weights, float bias, const int m, global float *dst) {
    const i64 columns = p->places[1], last = columns - LANES;
    i64 x[2] = {0, 0};
    if (last <= 0) {
        plane_block(p, rows, weights, bias, x, m, 1, columns, dst);
        return;
    }
    for (i64 begin = 0; begin < columns; begin += 2 * LANES) {
        x[0] = begin < last - LANES || last < LANES ? begin : last - LANES;
        x[1] = begin + LANES < last ? begin + LANES : last;
        plane_block(p, rows, weights, bias, x, m, 2, LANES, dst);
    }
}

/* Range: groups of rows, channels, batches. */
#if WANTED(f32_depthwise_planes_16)
kernel void f32_depthwise_planes_16(ITEM global const float *src, global const float *weights,
                                    global const float *bias, global float *dst,
                                    constant struct depthwise_planes_params *p) {
    constant struct window *w = &p->window;
    LINE_ALIGNED float rows[PLANE_FLOATS + 2 * LANES];
    const i64 first = get_global_id(0) * p->rows, channel = get_global_id(1), batch = get_global_id(2);
    const i64 last = first + p->rows < p->places[0] ? first + p->rows : p->places[0];
    const float b = p->has_bias ? bias[p->bias_offset + channel] : 0.0f;
    const i64 count = (last - first - 1) * w->stride[1] + (w->taps[1] - 1) * w->step[1] + 1;
    src += p->src_offset + batch * p->src_batch + channel * p->src_channel;
    weights += p->weights_offset + channel * w->taps[1] * w->taps[2];
    dst += p->dst_offset + batch * p->dst_batch + channel * p->dst_channel;
    plane_rows(p, src, first, count, rows);
    i64 y = first;
    for (; y + 4 <= last; y += 4)
        plane_outputs(p, rows + (y - first) * w->stride[1] * p->pitch, weights, b, 4, dst + y * p->dst_row);
    for (; y < last; y++)
        plane_outputs(p, rows + (y - first) * w->stride[1] * p->pitch, weights, b, 1, dst + y * p->dst_row);
}
#endif
