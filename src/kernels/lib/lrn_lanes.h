/* SPDX-License-Identifier: Apache-2.0 */
/* What lrn.cl has for each vector width LANES: the formula, and, for vectors, the dense kernel called NAME.
 */
#include "kernels/lib/lanes.h"

/* The usual exponent is taken by roots. */
INLINE OVERLOAD VEC lrn_result(VEC x, VEC sum, float scale, float k, float beta) {
    VEC omega = fma(sum, V(scale), V(k));
    if (beta == 0.75f) return x * f32_sqrt(f32_div(V(1.0f), f32_sqrt(omega) * omega));
    return x * f32_pow(omega, V(-beta));
}

#if LANES > 1
#include "kernels/lib/memory_lanes.h"

/* Squares of the channels around each of `count` channels from c on. `row` is the pixel's first channel. */
INLINE OVERLOAD void lrn_sum_across(VEC *result, constant struct lrn_dense_params *p, global const float *row,
                                    i64 c, int count) {
    VEC sum = V(0.0f), x;
    int reach = (int)p->reach;
    if (c >= reach && c + LANES + reach <= p->channels) {
        for (int j = -reach; j <= reach; j++) {
            x = VLOAD(0, row + c + j);
            sum = fma(x, x, sum);
        }
    } else {
        /* At the ends, a copy with zeros around it. */
        float near[LANES + 2 * LRN_REACH];
#pragma nounroll
        for (int i = 0; i < count + 2 * reach; i++) {
            i64 at = c + i - reach;
            near[i] = at >= 0 && at < p->channels ? row[at] : 0.0f;
        }
        for (int j = 0; j <= 2 * reach; j++) {
            x = VLOAD(0, near + j);
            sum = fma(x, x, sum);
        }
    }
    *result = sum;
}

/* Squares of the pixels around one, each with the same channels. `image` is the first pixel. */
INLINE OVERLOAD void lrn_sum_within(VEC *result, constant struct lrn_dense_params *p,
                                    global const float *image, const i64 *pixel, int count) {
    VEC sum = V(0.0f), x;
    i64 first[WINDOW_DIMS], last[WINDOW_DIMS];
    for (int d = 0; d < WINDOW_DIMS; d++) {
        first[d] = lrn_first(pixel[d], p->reach);
        last[d] = lrn_last(pixel[d], p->reach, p->size[d]);
    }
    for (i64 i0 = first[0]; i0 < last[0]; i0++)
        for (i64 i1 = first[1]; i1 < last[1]; i1++)
            for (i64 i2 = first[2]; i2 < last[2]; i2++) {
                i64 offset = i0 * p->src_stride[0] + i1 * p->src_stride[1] + i2 * p->src_stride[2];
                load_lanes(&x, image + offset, count, 0.0f);
                sum = fma(x, x, sum);
            }
    *result = sum;
}

kernel void NAME(ITEM global const float *src, global float *dst, constant struct lrn_dense_params *p) {
    i64 index = get_global_id(0), batch = get_global_id(1), pixel[WINDOW_DIMS];
    if (index >= p->size[0] * p->size[1] * p->size[2]) return;
    position_of(index, WINDOW_DIMS, p->size, pixel);
    i64 image = p->src_offset + batch * p->src_batch, from = image;
    i64 to = p->dst_offset + batch * p->dst_batch;
    for (int d = 0; d < WINDOW_DIMS; d++) {
        from += pixel[d] * p->src_stride[d];
        to += pixel[d] * p->dst_stride[d];
    }
    for (i64 c = 0; c < p->channels; c += LANES) {
        /* The last vector begins earlier if it can: some channels are then computed twice, to the same bits.
         */
        if (c > p->channels - LANES && p->channels >= LANES) c = p->channels - LANES;
        int count = p->channels < LANES ? (int)p->channels : LANES;
        VEC x, sum;
        load_lanes(&x, src + from + c, count, 0.0f);
        if (p->across)
            lrn_sum_across(&sum, p, src + from, c, count);
        else
            lrn_sum_within(&sum, p, src + image + c, pixel, count);
        store_lanes(lrn_result(x, sum, p->scale, p->k, p->beta), dst + to + c, count);
    }
}
#endif
