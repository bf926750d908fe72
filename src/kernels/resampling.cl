/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resampling of images: the nearest element, or a weighted mean of the nearest two in each direction. A row
 * of results at a time, along channels or along the width, whichever is dense.
 */
#include "kernels/lib/rows.h"
#include "kernels/params_resampling.h"

enum { TAPS = 8, TAP_BLOCK = 256, WIDTH_BLOCK = 1024 };

/* Two elements and the weight of the second one. */
struct pair {
    i64 first, second;
    float weight;
};

INLINE i64 largest_below(float x) {
    const i64 truncated = (i64)x;
    return (float)truncated > x ? truncated - 1 : truncated;
}

INLINE i64 within(i64 x, i64 size) {
    return x < 0 ? 0 : x >= size ? size - 1 : x;
}

/* Where result i of `to` lies between the elements of `from`. */
INLINE void pair_at(struct pair *pair, int linear, i64 i, i64 to, i64 from) {
    const float x = ((float)i + 0.5f) * (float)from / (float)to - 0.5f;
    if (!linear) { /* half-way numbers are rounded away from zero */
        pair->first = within(x < 0.0f ? 0 : largest_below(x + 0.5f), from);
        pair->second = pair->first;
        pair->weight = 0.0f;
        return;
    }
    const i64 low = largest_below(x);
    pair->first = within(low, from);
    pair->second = within((float)low == x ? low : low + 1, from);
    pair->weight = pair->first == pair->second ? 0.0f : x - (float)pair->first;
}

/* The elements that a result is a mean of, as offsets from the image, and their weights. */
struct taps {
    int count;
    i64 offset[TAPS];
    float weight[TAPS];
};

INLINE void taps_begin(struct taps *taps) {
    taps->count = 1;
    taps->offset[0] = 0;
    taps->weight[0] = 1.0f;
}

/* Doubles the taps, unless the pair is one element. */
INLINE void taps_add(struct taps *taps, const struct pair *pair, i64 stride) {
    const int count = taps->count, both = pair->weight != 0.0f;
#pragma nounroll
    for (int i = 0; i < count; i++) {
        if (both) {
            taps->offset[count + i] = taps->offset[i] + pair->second * stride;
            taps->weight[count + i] = taps->weight[i] * pair->weight;
        }
        taps->offset[i] += pair->first * stride;
        taps->weight[i] *= 1.0f - pair->weight;
    }
    taps->count = both ? 2 * count : count;
}

struct tap_space {
    float rows[TAPS][TAP_BLOCK + 16], sum[WIDTH_BLOCK + 16];
};

/* sum[k] = the weighted sum of n elements from each tap on, `stride` apart. */
INLINE void taps_sum(const struct taps *taps, global const uchar *src, int type, i64 offset, i64 stride,
                     int n, float *sum, struct tap_space *space) {
    if (taps->count == 1) {
        row_load(sum, src, type, offset + taps->offset[0], stride, n);
        return;
    }
#pragma nounroll
    for (int i = 0; i < taps->count; i++)
        row_load(space->rows[i], src, type, offset + taps->offset[i], stride, n);
#pragma nounroll
    for (int k = 0; k < n; k += 16) {
        float16 x = (float16)(0.0f);
#pragma nounroll
        for (int i = 0; i < taps->count; i++)
            x = fma(vload16(0, space->rows[i] + k), (float16)(taps->weight[i]), x);
        vstore16(x, 0, sum + k);
    }
}

/* The index of a work-item as positions: of `size` steps in the last of them, and so on. */
INLINE i64 take(i64 *index, i64 size) {
    const i64 rest = *index / size, at = *index - rest * size;
    *index = rest;
    return at;
}

/* Range: batch x depth x height of dst. */
#if WANTED(resample_channels)
kernel void resample_channels(ITEM global const uchar *src, global uchar *dst,
                              constant struct resampling_params *p) {
    constant struct resampled *from = &p->src, *to = &p->dst;
    struct tap_space space;
    i64 index = get_global_id(0);
    if (index >= p->count) return;
    const i64 h = take(&index, to->size[1]), d = take(&index, to->size[0]), batch = index;
    struct pair depth;
    pair_at(&depth, p->linear, d, to->size[0], from->size[0]);
    struct pair height;
    pair_at(&height, p->linear, h, to->size[1], from->size[1]);
#pragma nounroll
    for (i64 w = 0; w < to->size[2]; w++) {
        struct taps taps;
        struct pair width;
        pair_at(&width, p->linear, w, to->size[2], from->size[2]);
        taps_begin(&taps);
        taps_add(&taps, &depth, from->stride[0]);
        taps_add(&taps, &height, from->stride[1]);
        taps_add(&taps, &width, from->stride[2]);
        const i64 in = from->offset + batch * from->batch;
        const i64 out =
                to->offset + batch * to->batch + d * to->stride[0] + h * to->stride[1] + w * to->stride[2];
#pragma nounroll
        for (i64 c = 0; c < p->channels; c += TAP_BLOCK) {
            const int n = p->channels - c < TAP_BLOCK ? (int)(p->channels - c) : TAP_BLOCK;
            taps_sum(&taps, src, from->type, in + c * from->channel, from->channel, n, space.sum, &space);
            row_store(dst, to->type, out + c * to->channel, to->channel, space.sum, n);
        }
    }
}
#endif

/* Elements begin to begin + n - 1 along the width of src, summed over depth and height. */
INLINE void width_sum(const struct taps *taps, global const uchar *src, constant struct resampled *from,
                      i64 offset, i64 begin, int n, struct tap_space *space) {
#pragma nounroll
    for (int k = 0; k < n; k += TAP_BLOCK)
        taps_sum(taps, src, from->type, offset + (begin + k) * from->stride[2], from->stride[2],
                 n - k < TAP_BLOCK ? n - k : TAP_BLOCK, space->sum + k, space);
}

/* Range: batch x channels x depth x height of dst. */
#if WANTED(resample_width)
kernel void resample_width(ITEM global const uchar *src, global uchar *dst,
                           constant struct resampling_params *p) {
    constant struct resampled *from = &p->src, *to = &p->dst;
    struct tap_space space;
    struct taps taps;
    float results[TAP_BLOCK + 16];
    i64 index = get_global_id(0);
    if (index >= p->count) return;
    const i64 h = take(&index, to->size[1]), d = take(&index, to->size[0]);
    const i64 channel = take(&index, p->channels), batch = index;
    struct pair depth;
    pair_at(&depth, p->linear, d, to->size[0], from->size[0]);
    struct pair height;
    pair_at(&height, p->linear, h, to->size[1], from->size[1]);
    const i64 in = from->offset + batch * from->batch + channel * from->channel;
    const i64 out =
            to->offset + batch * to->batch + channel * to->channel + d * to->stride[0] + h * to->stride[1];
    taps_begin(&taps);
    taps_add(&taps, &depth, from->stride[0]);
    taps_add(&taps, &height, from->stride[1]);
#pragma nounroll
    for (i64 w = 0; w < to->size[2]; w += p->piece) {
        const int n = to->size[2] - w < p->piece ? (int)(to->size[2] - w) : (int)p->piece;
        struct pair ends[2];
        pair_at(&ends[0], p->linear, w, to->size[2], from->size[2]);
        pair_at(&ends[1], p->linear, w + n - 1, to->size[2], from->size[2]);
        const i64 begin = ends[0].first, last = ends[1].second;
        width_sum(&taps, src, from, in, begin, (int)(last - begin + 1), &space);
#pragma nounroll
        for (int k = 0; k < n; k++) {
            struct pair pair;
            pair_at(&pair, p->linear, w + k, to->size[2], from->size[2]);
            const float x = space.sum[pair.first - begin], y = space.sum[pair.second - begin];
            results[k] = pair.weight == 0.0f ? x : fma(y, pair.weight, x * (1.0f - pair.weight));
        }
        row_store(dst, to->type, out + w * to->stride[2], to->stride[2], results, n);
    }
}
#endif
