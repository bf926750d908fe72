/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of lrn.cl for one vector width LANES: the formula and, for vectors, the dense kernel called NAME.
 */
#include "kernels/lib/lanes.h"

/* omega^(-3/4) for the usual beta: 1.4 ulp for 2^-120 <= omega < 2^128, without division or root. z starts as
 * an estimate of omega^(-1/4) from the bits, within 3.2 %; two Newton steps on 1 / z^4 reduce the error to
 * 1.6e-5, and z^3 is corrected by the last residual. */
INLINE OVERLOAD VEC lrn_power(VEC omega) {
    VEC z = AS_VEC((UVEC)(0x4f586000u) - (AS_UVEC(omega) >> 2)), z2, rest;
    for (int i = 0; i < 2; i++) {
        z2 = z * z;
        rest = fma(-(omega * z2), z2, V(1.0f));
        z = fma(z * 0.25f, rest, z);
    }
    z2 = z * z;
    rest = fma(-(omega * z2), z2, V(1.0f));
    VEC z3 = z * z2;
    return fma(z3 * 0.75f, rest, z3);
}

INLINE OVERLOAD VEC lrn_result(VEC x, VEC sum, constant struct lrn *l) {
    const float most = 3.4028234e38f;
    VEC omega = fma(sum, V(l->scale), V(l->k));
    if (l->beta == 0.75f && l->scale >= 0.0f && l->k >= 0x1p-100f)
        return x * lrn_power(omega > most ? V(most) : omega);
    return x * f32_pow(omega, V(-l->beta));
}

#if LANES > 1
#include "kernels/lib/memory_lanes.h"

/* Channels `at` to `at` + LANES - 1 of a pixel whose channels begin at `row`; zeros where there are none. May
 * read beyond the pixel, but not beyond src. */
INLINE OVERLOAD void lrn_load(VEC *to, constant struct lrn_dense_params *p, global const float *src, i64 row,
                              i64 at) {
    if (row + at >= p->src_first && row + at + LANES <= p->src_last) {
        const float numbers[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
        VEC channel = VLOAD(0, numbers) + (float)at, x = VLOAD(0, src + row + at);
        x = channel >= V(0.0f) ? x : V(0.0f);
        *to = channel < V((float)p->channels) ? x : V(0.0f);
        return;
    }
    float values[LANES];
#pragma nounroll
    for (int i = 0; i < LANES; i++)
        values[i] = at + i >= 0 && at + i < p->channels ? src[row + at + i] : 0.0f;
    *to = VLOAD(0, values);
}

/* The sum of squares of the channels around each of LANES channels, starting at c. */
INLINE OVERLOAD void lrn_sum_across(VEC *result, constant struct lrn_dense_params *p, global const float *src,
                                    i64 row, i64 c) {
    VEC sum = V(0.0f), x;
    i64 first = c - p->lrn.reach, last = c + p->lrn.reach;
    if (first >= 0 && last + LANES <= p->channels) {
        for (i64 at = first; at <= last; at++) {
            x = VLOAD(0, src + row + at);
            sum = fma(x, x, sum);
        }
    } else {
        for (i64 at = first; at <= last; at++) {
            lrn_load(&x, p, src, row, at);
            sum = fma(x, x, sum);
        }
    }
    *result = sum;
}

/* The sum of squares of the pixels around one pixel, for n vectors of channels. Callers pass `n` as a
 * constant; if n is 1, `count` lanes exist. `image` is the first pixel. */
INLINE OVERLOAD void lrn_sum_within(VEC *sums, constant struct lrn_dense_params *p, global const float *image,
                                    const i64 *pixel, const int n, int count) {
    VEC sum[LRN_VECTORS], x;
    i64 first[WINDOW_DIMS], last[WINDOW_DIMS];
    for (int i = 0; i < n; i++)
        sum[i] = V(0.0f);
    for (int d = 0; d < WINDOW_DIMS; d++) {
        first[d] = lrn_first(pixel[d], p->lrn.reach);
        last[d] = lrn_last(pixel[d], p->lrn.reach, p->size[d]);
    }
#pragma nounroll
    for (i64 i0 = first[0]; i0 < last[0]; i0++)
#pragma nounroll
        for (i64 i1 = first[1]; i1 < last[1]; i1++) {
            global const float *row = image + i0 * p->src_stride[0] + i1 * p->src_stride[1];
#pragma nounroll
            for (i64 i2 = first[2]; i2 < last[2]; i2++)
#pragma unroll
                for (int i = 0; i < n; i++) {
                    load_lanes(&x, row + i2 * p->src_stride[2] + i * LANES, n == 1 ? count : LANES, 0.0f);
                    sum[i] = fma(x, x, sum[i]);
                }
        }
    for (int i = 0; i < n; i++)
        sums[i] = sum[i];
}

/* All channels of one pixel. `image`, `from` and `to` are the offsets of its image, of its first channel in
 * src and of its first channel in dst. */
INLINE OVERLOAD void lrn_pixel(VEC *sums, constant struct lrn_dense_params *p, global const float *src,
                               i64 image, i64 from, global float *dst, i64 to, const i64 *pixel) {
    for (i64 c = 0; c < p->channels;) {
        int n = p->channels - c >= LRN_VECTORS * LANES && !p->lrn.across ? LRN_VECTORS : 1;
        int count = p->channels < LANES ? (int)p->channels : LANES;
        /* The last vector starts early if it can: some channels are computed twice, with the same bits. */
        if (c > p->channels - count) c = p->channels - count;
        if (p->lrn.across)
            lrn_sum_across(sums, p, src, from, c);
        else if (n == 1)
            lrn_sum_within(sums, p, src + image + c, pixel, 1, count);
        else
            lrn_sum_within(sums, p, src + image + c, pixel, LRN_VECTORS, LANES);
        for (int i = 0; i < n; i++, c += LANES) {
            VEC x;
            load_lanes(&x, src + from + c, count, 0.0f);
            store_lanes(lrn_result(x, sums[i], &p->lrn), dst + to + c, count);
        }
    }
}

#if WANTED(NAME)
kernel void NAME(ITEM global const float *src, global float *dst, constant struct lrn_dense_params *p) {
    i64 first = get_global_id(0) * LRN_PIXELS, row = get_global_id(1), batch = get_global_id(2);
    i64 last = first + LRN_PIXELS < p->size[2] ? first + LRN_PIXELS : p->size[2];
    i64 image = p->src_offset + batch * p->src_batch, to = p->dst_offset + batch * p->dst_batch;
    i64 pixel[WINDOW_DIMS];
    pixel[0] = p->size[0] == 1 ? 0 : row / p->size[1];
    pixel[1] = row - pixel[0] * p->size[1];
    i64 from = image + pixel[0] * p->src_stride[0] + pixel[1] * p->src_stride[1];
    to += pixel[0] * p->dst_stride[0] + pixel[1] * p->dst_stride[1];
    for (pixel[2] = first; pixel[2] < last; pixel[2]++) {
        VEC sums[LRN_VECTORS];
        lrn_pixel(sums, p, src, image, from + pixel[2] * p->src_stride[2], dst,
                  to + pixel[2] * p->dst_stride[2], pixel);
    }
}
#endif
#endif
