/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Depthwise convolution of channels-first images, forward, for CPU-class devices: DEPTHWISE_PLANES is the
 * kernel, of f32, or of f64 with DOUBLES. A work-item computes some rows of one channel: it copies the rows
 * of src that they read to where they have their padding and stay in the L1 cache, and goes over them with
 * vectors of adjacent outputs. Every output is one chain of fma over the taps in their order.
 */
#include "kernels/lib/epilogue.h"
#include "kernels/params_depthwise_planes.h"

#ifdef DOUBLES
#define LANES 8
#include "kernels/lib/lanes.h"
#include "kernels/lib/doubles_lanes.h"
#else
#define LANES 16
#include "kernels/lib/lanes.h"
#include "kernels/lib/memory_lanes.h"
#endif

INLINE void plane_clear(REAL *to, i64 count) {
#pragma nounroll
    for (i64 i = 0; i < count; i += LANES)
        VSTORE(V(0.0f), 0, to + i);
}

/* One row with its padding, whose elements begin where stores are aligned; what is stored behind it is
 * overwritten by the next one. */
INLINE void plane_row(constant struct depthwise_planes_params *p, global const REAL *from, REAL *to) {
    const i64 size = p->window.size[2], front = p->front;
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

/* Rows `first` to `last` - 1 of the image, which may be outside. */
INLINE void plane_rows(constant struct depthwise_planes_params *p, global const REAL *src, i64 first,
                       i64 last, REAL *to) {
    for (i64 y = first; y < last; y++, to += p->pitch)
        if (y >= 0 && y < p->window.size[1])
            plane_row(p, src + y * p->src_row, to);
        else
            plane_clear(to, p->pitch);
}

/* m rows by the vectors at columns x[0] and x[1], or the first alone; `count` of its columns exist. Callers
 * pass m and `vectors` as constants. */
INLINE void plane_block(constant struct depthwise_planes_params *p, const REAL *rows,
                        global const REAL *weights, REAL bias, const i64 *x, const int m, const int vectors,
                        i64 count, global REAL *dst) {
    constant struct window *w = &p->window;
    const i64 row = w->stride[1] * p->pitch;
    VEC acc[8];
#pragma unroll
    for (int i = 0; i < m * vectors; i++)
        acc[i] = V(bias);
#pragma nounroll
    for (i64 k = 0; k < w->taps[1]; k++) {
        const REAL *from = rows + k * w->step[1] * p->pitch;
#pragma nounroll
        for (i64 t = 0; t < w->taps[2]; t++, from += w->step[2], weights += p->weights_tap) {
            const VEC tap = V(*weights);
#pragma unroll
            for (int i = 0; i < m * vectors; i++)
                acc[i] = fma(VLOAD(0, from + i / vectors * row + x[i % vectors]), tap, acc[i]);
        }
    }
    if (p->activation.alg) {
#pragma unroll
        for (int i = 0; i < m * vectors; i++)
            acc[i] = activation_apply(&p->activation, acc[i]);
    }
#pragma unroll
    for (int i = 0; i < m * vectors; i++)
        store_lanes(acc[i], dst + i / vectors * p->dst_row + x[i % vectors], count);
}

#ifdef __AVX512F__ /* and 32 registers */
/* The same for windows of 3x3 with steps of 1: what is loaded serves all rows of outputs that read it. */
INLINE void plane_nine(constant struct depthwise_planes_params *p, const REAL *rows,
                       global const REAL *weights, REAL bias, const i64 *x, const int m, global REAL *dst) {
    VEC acc[8], taps[9];
#pragma unroll
    for (int t = 0; t < 9; t++)
        taps[t] = V(weights[t * p->weights_tap]);
#pragma unroll
    for (int i = 0; i < 2 * m; i++)
        acc[i] = V(bias);
#pragma unroll
    for (int y = 0; y < m + 2; y++)
#pragma unroll
        for (int t = 0; t < 3; t++)
#pragma unroll
            for (int v = 0; v < 2; v++) {
                const VEC from = VLOAD(0, rows + y * p->pitch + t + x[v]);
#pragma unroll
                for (int k = 0; k < 3; k++)
                    if (y >= k && y - k < m)
                        acc[2 * (y - k) + v] = fma(from, taps[3 * k + t], acc[2 * (y - k) + v]);
            }
    if (p->activation.alg) {
#pragma unroll
        for (int i = 0; i < 2 * m; i++)
            acc[i] = activation_apply(&p->activation, acc[i]);
    }
#pragma unroll
    for (int i = 0; i < 2 * m; i++)
        VSTORE(acc[i], 0, dst + i / 2 * p->dst_row + x[i % 2]);
}
#endif

INLINE bool plane_is_nine(constant struct depthwise_planes_params *p) {
    constant struct window *w = &p->window;
    return w->taps[1] == 3 && w->taps[2] == 3 && w->step[1] == 1 && w->step[2] == 1 && w->stride[1] == 1;
}

/* m rows of outputs. Vectors at the end of a row begin where they are whole, if the row is so long. */
INLINE void plane_outputs(constant struct depthwise_planes_params *p, const REAL *rows,
                          global const REAL *weights, REAL bias, const int m, global REAL *dst) {
    const i64 columns = p->places[1], last = columns - LANES;
    i64 x[2] = {0, 0};
    if (last <= 0) {
        plane_block(p, rows, weights, bias, x, m, 1, columns, dst);
        return;
    }
    for (i64 begin = 0; begin < columns; begin += 2 * LANES) {
        x[0] = begin < last - LANES || last < LANES ? begin : last - LANES;
        x[1] = begin + LANES < last ? begin + LANES : last;
#ifdef __AVX512F__
        if (m == 4 && plane_is_nine(p)) {
            plane_nine(p, rows, weights, bias, x, m, dst);
            continue;
        }
#endif
        plane_block(p, rows, weights, bias, x, m, 2, LANES, dst);
    }
}

/* Range: groups of rows, channels, batches. */
#if WANTED(DEPTHWISE_PLANES)
kernel void DEPTHWISE_PLANES(ITEM global const REAL *src, global const REAL *weights, global const REAL *bias,
                             global REAL *dst, constant struct depthwise_planes_params *p) {
    constant struct window *w = &p->window;
    LINE_ALIGNED REAL rows[PLANE_ELEMENTS + 2 * LANES];
    const i64 first = get_global_id(0) * p->rows, channel = get_global_id(1), batch = get_global_id(2);
    const i64 last = first + p->rows < p->places[0] ? first + p->rows : p->places[0];
    const REAL b = p->has_bias ? bias[p->bias_offset + channel] : 0.0f;
    const i64 top = first * w->stride[1] - w->padding[1], reach = (w->taps[1] - 1) * w->step[1] + 1;
    src += p->src_offset + batch * p->src_batch + channel * p->src_channel;
    weights += p->weights_offset + channel * w->taps[1] * w->taps[2];
    dst += p->dst_offset + batch * p->dst_batch + channel * p->dst_channel;
    plane_rows(p, src, top, top + (last - first - 1) * w->stride[1] + reach, rows);
    for (i64 y = first, m; y < last; y += m) {
        const REAL *from = rows + p->front - w->padding[2] + (y - first) * w->stride[1] * p->pitch;
        m = last - y >= 4 ? 4 : 1;
        if (m == 4)
            plane_outputs(p, from, weights, b, 4, dst + y * p->dst_row);
        else
            plane_outputs(p, from, weights, b, 1, dst + y * p->dst_row);
    }
}
#endif
