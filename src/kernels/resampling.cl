/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resampling of images: the nearest element, or a weighted mean of the nearest two in each direction. A row
 * of results at a time, along channels or along the width, whichever is dense. Backward, every element sums
 * up the gradients of the results that it is part of, in their order.
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

/* Backward: `src` and `dst` are the sizes of diff_src and diff_dst. */

/* The results that element i is part of: from `first` to `last`, none if that is less. */
struct results {
    i64 first, last;
};

INLINE void results_of(struct results *r, int linear, i64 i, i64 to, i64 from) {
    const float step = (float)to / (float)from;
    struct pair pair;
    r->first = within((i64)(((float)i - 0.5f) * step - 0.5f), to);
    r->last = within((i64)(((float)i + 1.5f) * step - 0.5f), to);
#pragma nounroll
    for (; r->first > 0; r->first--) {
        pair_at(&pair, linear, r->first - 1, to, from);
        if (pair.second < i) break;
    }
#pragma nounroll
    for (; r->first < to; r->first++) {
        pair_at(&pair, linear, r->first, to, from);
        if (pair.second >= i) break;
    }
#pragma nounroll
    for (; r->last + 1 < to; r->last++) {
        pair_at(&pair, linear, r->last + 1, to, from);
        if (pair.first > i) break;
    }
#pragma nounroll
    for (; r->last >= r->first; r->last--) {
        pair_at(&pair, linear, r->last, to, from);
        if (pair.first <= i) break;
    }
}

/* The weight of element i in one of its results. */
INLINE float weight_in(int linear, i64 i, i64 result, i64 to, i64 from) {
    struct pair pair;
    pair_at(&pair, linear, result, to, from);
    return pair.first == i ? 1.0f - pair.weight : pair.weight;
}

struct backward_space {
    float row[TAP_BLOCK + 16], sum[TAP_BLOCK + 16];
};

/* sum += weight * n elements that are `stride` apart. */
INLINE void add_row(struct backward_space *space, float weight, global const uchar *from, int type,
                    i64 offset, i64 stride, int n) {
    row_load(space->row, from, type, offset, stride, n);
    const float16 w = (float16)(weight);
#pragma nounroll
    for (int k = 0; k < n; k += 16)
        vstore16(fma(vload16(0, space->row + k), w, vload16(0, space->sum + k)), 0, space->sum + k);
}

/* Elements of diff_dst by their position in depth and height. */
struct backward_rows {
    struct results depth, height;
    i64 d, h; /* of diff_src */
};

INLINE void backward_rows(struct backward_rows *r, constant struct resampling_params *p, i64 d, i64 h) {
    results_of(&r->depth, p->linear, d, p->dst.size[0], p->src.size[0]);
    results_of(&r->height, p->linear, h, p->dst.size[1], p->src.size[1]);
    r->d = d, r->h = h;
}

/* Adds n elements from `offset` on of every row that the element is part of. */
INLINE void add_rows(struct backward_space *space, const struct backward_rows *r,
                     constant struct resampling_params *p, float weight, global const uchar *from, i64 offset,
                     i64 stride, int n) {
    constant struct resampled *to = &p->dst;
#pragma nounroll
    for (i64 d = r->depth.first; d <= r->depth.last; d++) {
        const float deep = weight * weight_in(p->linear, r->d, d, to->size[0], p->src.size[0]);
#pragma nounroll
        for (i64 h = r->height.first; h <= r->height.last; h++)
            add_row(space, deep * weight_in(p->linear, r->h, h, to->size[1], p->src.size[1]), from, to->type,
                    offset + d * to->stride[0] + h * to->stride[1], stride, n);
    }
}

/* Range: batch x depth x height of diff_src. */
#if WANTED(resample_backward_channels)
kernel void resample_backward_channels(ITEM global const uchar *diff_dst, global uchar *diff_src,
                                       constant struct resampling_params *p) {
    constant struct resampled *from = &p->src, *to = &p->dst;
    struct backward_space space;
    struct backward_rows rows;
    struct results width;
    i64 index = get_global_id(0);
    if (index >= p->count) return;
    const i64 h = take(&index, from->size[1]), d = take(&index, from->size[0]), batch = index;
    backward_rows(&rows, p, d, h);
#pragma nounroll
    for (i64 w = 0; w < from->size[2]; w++) {
        const i64 out = from->offset + batch * from->batch + d * from->stride[0] + h * from->stride[1]
                        + w * from->stride[2];
        results_of(&width, p->linear, w, to->size[2], from->size[2]);
#pragma nounroll
        for (i64 c = 0; c < p->channels; c += TAP_BLOCK) {
            const int n = p->channels - c < TAP_BLOCK ? (int)(p->channels - c) : TAP_BLOCK;
            row_fill(space.sum, 0.0f, n);
#pragma nounroll
            for (i64 i = width.first; i <= width.last; i++)
                add_rows(&space, &rows, p, weight_in(p->linear, w, i, to->size[2], from->size[2]), diff_dst,
                         to->offset + batch * to->batch + c * to->channel + i * to->stride[2], to->channel,
                         n);
            row_store(diff_src, from->type, out + c * from->channel, from->channel, space.sum, n);
        }
    }
}
#endif

/* What n summed results from `begin` on add to the elements w to w + count - 1 of a row. */
INLINE void spread(float *row, constant struct resampling_params *p, i64 w, int count, const float *sums,
                   i64 begin, int n) {
#pragma nounroll
    for (int k = 0; k < n; k++) {
        struct pair pair;
        pair_at(&pair, p->linear, begin + k, p->dst.size[2], p->src.size[2]);
        const i64 first = pair.first - w, second = pair.second - w;
        if (first >= 0 && first < count) row[first] = fma(sums[k], 1.0f - pair.weight, row[first]);
        if (pair.weight != 0.0f && second >= 0 && second < count)
            row[second] = fma(sums[k], pair.weight, row[second]);
    }
}

/* Range: batch x channels x depth x height of diff_src. */
#if WANTED(resample_backward_width)
kernel void resample_backward_width(ITEM global const uchar *diff_dst, global uchar *diff_src,
                                    constant struct resampling_params *p) {
    constant struct resampled *from = &p->src, *to = &p->dst;
    struct backward_space space;
    struct backward_rows rows;
    float results[TAP_BLOCK + 16];
    i64 index = get_global_id(0);
    if (index >= p->count) return;
    const i64 h = take(&index, from->size[1]), d = take(&index, from->size[0]);
    const i64 channel = take(&index, p->channels), batch = index;
    const i64 in = to->offset + batch * to->batch + channel * to->channel,
              out = from->offset + batch * from->batch + channel * from->channel + d * from->stride[0]
                    + h * from->stride[1];
    backward_rows(&rows, p, d, h);
#pragma nounroll
    for (i64 w = 0; w < from->size[2]; w += TAP_BLOCK) {
        const int count = from->size[2] - w < TAP_BLOCK ? (int)(from->size[2] - w) : TAP_BLOCK;
        struct results left, right;
        results_of(&left, p->linear, w, to->size[2], from->size[2]);
        results_of(&right, p->linear, w + count - 1, to->size[2], from->size[2]);
        row_fill(results, 0.0f, count);
#pragma nounroll
        for (i64 i = left.first; i <= right.last; i += TAP_BLOCK) {
            const int n = right.last + 1 - i < TAP_BLOCK ? (int)(right.last + 1 - i) : TAP_BLOCK;
            row_fill(space.sum, 0.0f, n);
            add_rows(&space, &rows, p, 1.0f, diff_dst, in + i * to->stride[2], to->stride[2], n);
            spread(results, p, w, count, space.sum, i, n);
        }
        row_store(diff_src, from->type, out + w * from->stride[2], from->stride[2], results, count);
    }
}
#endif
