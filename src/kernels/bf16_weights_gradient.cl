/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gradients of the weights of convolutions of bf16, for CPUs with dot products of pairs of bf16: as
 * weights_gradient.cl, but two positions of a row at a time. For that, the image is copied: a word has a
 * value in its low half and the one that is a stride of the window further on in its high half, so that words
 * are where floats would be, and any position begins a pair.
 */
#include "kernels/lib/bf16_tile.h"
#include "kernels/lib/weights_gradient.h"

/* Some values, up to a vector; zeros after them. */
INLINE UVEC bf16_some(global const ushort *from, i64 count) {
    if (count >= LANES) return convert_uint16(vload16(0, from));
    ushort each[LANES];
#pragma nounroll
    for (int i = 0; i < LANES; i++)
        each[i] = i < count ? from[i] : 0;
    return convert_uint16(vload16(0, each));
}

/* Range: rows, depth and batch of the image. */
#if WANTED(bf16_pair_columns)
kernel void bf16_pair_columns(ITEM global const ushort *src, global uint *dst,
                              constant struct pair_columns_params *p) {
    const i64 row = get_global_id(0), depth = get_global_id(1), batch = get_global_id(2);
    src += p->src_offset + batch * p->src_batch + depth * p->src_stride[0] + row * p->src_stride[1];
    dst += p->dst_offset + batch * p->dst_batch + depth * p->dst_stride[0] + row * p->dst_stride[1];
    for (i64 c = 0; c < p->columns; c++, dst += p->dst_stride[2]) {
        const i64 low = c - p->front, high = low + p->apart;
        for (i64 i = 0; i < p->channels; i += LANES) {
            const i64 count = p->channels - i < LANES ? p->channels - i : LANES;
            UVEC x = (UVEC)(0u);
            if (low >= 0 && low < p->size) x = bf16_some(src + low * p->src_stride[2] + i, count);
            if (high >= 0 && high < p->size)
                x = x | bf16_some(src + high * p->src_stride[2] + i, count) << 16;
            if (count == LANES) {
                vstore16(x, 0, dst + i);
                continue;
            }
            uint each[LANES];
            vstore16(x, 0, each);
            for (int k = 0; k < count; k++)
                dst[i + k] = each[k];
        }
    }
}
#endif

/* Copies a panel of the positions of a chunk, by pairs; zeros where there are no outputs or positions. */
INLINE void bf16_gradient_pack(constant struct weights_gradient_params *p, const struct gradient_chunk *c,
                               global const ushort *places, const struct gradient_item *own, UVEC *packed) {
    const i64 column = p->places_stride[2];
    for (int r = 0; r < c->rows; r++) {
        global const ushort *from = places + (own->places + c->places[r]);
#pragma nounroll
        for (i64 i = 0; i < c->columns; i += PAIR, from += PAIR * column, packed += 2)
#pragma nounroll
            for (int v = 0; v < 2; v++) {
                const i64 count = own->outputs - v * LANES;
                UVEC x = bf16_some(from + v * LANES, count);
                if (i + 1 < c->columns) x = x | bf16_some(from + column + v * LANES, count) << 16;
                packed[v] = x;
            }
    }
}

/* acc[r][v] += a pair of positions of m inputs times that of outputs. Of a last single one, `mask` leaves the
 * low half. */
INLINE void bf16_gradient_step(global const int *a, const UVEC *w, const int mask, const int m, VEC *acc) {
    const UVEC w0 = w[0], w1 = w[1];
#pragma unroll
    for (int r = 0; r < m; r++) {
        const int x = a[r] & mask;
        acc[2 * r] = dot2(acc[2 * r], x, w0);
        acc[2 * r + 1] = dot2(acc[2 * r + 1], x, w1);
        KEEP_ORDER_64(acc[2 * r], acc[2 * r + 1]);
    }
}

/* The sums of a chunk for m inputs: stored if it is the first of its part, otherwise added to what is there.
 * Callers pass m as a constant, so that the sums stay in registers. */
INLINE void bf16_gradient_sums(constant struct weights_gradient_params *p, const struct gradient_chunk *c,
                               const struct gradient_job *job, global const int *image, const UVEC *packed,
                               bool first, const int m, global float *dst) {
    const i64 column = p->window.stride[2] * p->image_stride[2];
    VEC acc[2 * HEIGHT];
#pragma unroll
    for (int r = 0; r < 2 * m; r++)
        acc[r] = V(0.0f);
    if (!first)
#pragma unroll
        for (int r = 0; r < 2 * m; r++)
            acc[r] = VLOAD(r, dst);
    for (int row = 0; row < c->rows; row++) {
        if (!gradient_row_is_inside(p, c, job->reach, row)) continue;
        global const int *a = image + (c->image[row] + job->image);
        const UVEC *w = packed + 2 * row * ((c->columns + 1) / PAIR);
#pragma nounroll
        for (i64 i = 0; i < c->columns / PAIR; i++, a += PAIR * column, w += 2)
            bf16_gradient_step(a, w, -1, m, acc);
        if (c->columns % PAIR) bf16_gradient_step(a, w, 0xffff, m, acc);
    }
#pragma unroll
    for (int r = 0; r < 2 * m; r++)
        VSTORE(acc[r], r, dst);
}

/* Range: groups of jobs, panels, groups x parts. */
#if WANTED(bf16_weights_gradient_14x32)
kernel void bf16_weights_gradient_14x32(ITEM global const int *image, global const ushort *places,
                                        global float *dst, constant struct weights_gradient_params *p) {
    const struct gradient_item own =
            gradient_item(p, get_global_id(0), get_global_id(1), get_global_id(2), PANEL);
    struct gradient_chunk c;
    UVEC packed[2 * GRADIENT_POSITIONS];
    for (i64 chunk = own.first_chunk; chunk < own.last_chunk; chunk++) {
        gradient_locate(&c, p, chunk);
        bf16_gradient_pack(p, &c, places, &own, packed);
        for (i64 j = own.first_job; j < own.last_job; j++) {
            const struct gradient_job job = gradient_job(p, &own, &c, j);
            global float *to = dst + own.dst + job.dst * PANEL;
#define ALL_SUMS(m) bf16_gradient_sums(p, &c, &job, image, packed, chunk == own.first_chunk, m, to)
            EACH_HEIGHT(job.inputs, ALL_SUMS)
#undef ALL_SUMS
        }
    }
}
#endif
