/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pooling of f32 images with dense rows, such as nchw: a vector of adjacent outputs in a row, for several
 * channels at a time. Lanes whose tap is in the padding get a value that does not change the result.
 */
#include "kernels/lib/lanes.h"
#include "kernels/lib/lanes_after.h"

/* LANES adjacent outputs in a row: tap k of lane i reads position start + k * step + i * stride. */
struct planes_block {
    int count;               /* number of outputs that exist */
    i64 src[POOLING_PLANES]; /* offsets of position 0 of the row, at tap 0 along the other dimensions */
    i64 start;               /* position of tap 0 of the first output */
    bool whole;              /* along the row, all taps of all outputs are inside */
};

/* Which positions are inside the row, for tap k of each output. */
INLINE IVEC planes_inside(constant struct window *w, const struct planes_block *b, i64 k) {
    int lanes[LANES];
#pragma unroll
    for (int i = 0; i < LANES; i++)
        lanes[i] = i;
    IVEC position = VLOAD(0, lanes) * (IVEC)((int)w->stride[2]) + (IVEC)((int)(b->start + k * w->step[2]));
    return AS_UVEC(position) < (UVEC)((uint)w->size[2]);
}

/* LANES consecutive elements, or every second one. */
INLINE void planes_load(VEC *to, global const float *from, i64 stride) {
    VEC a = VLOAD(0, from), x;
    *to = a;
    if (stride == 1) return;
    VEC b = VLOAD(1, from);
    x.lo = a.even;
    x.hi = b.even;
    *to = x;
}

/* Do the strides allow vector loads, and do those stay within src? */
INLINE bool planes_readable(constant struct pooling_planes_params *p, const struct planes_block *b,
                            const struct taps *t) {
    constant struct window_images *w = &p->images;
    i64 first = b->src[0] + b->start, last = b->src[POOLING_PLANES - 1] + b->start;
    for (int d = 0; d < 2; d++) {
        first += t->first[d] * w->src_step[d];
        last += (t->last[d] - 1) * w->src_step[d];
    }
    last += (w->window.taps[2] - 1) * w->src_step[2] + w->window.stride[2] * LANES;
    return w->window.stride[2] <= 2 && first >= w->src_offset && last <= p->src_end;
}

/* The elements at tap k, in the rows at distance `row` from those of the block; `none` in the padding.
 */
INLINE void planes_tap(VEC *to, constant struct window *w, const struct planes_block *b,
                       global const float *src, i64 row, i64 k, float none) {
    const i64 stride = w->stride[2], at = b->start + k * w->step[2];
    for (int i = 0; i < POOLING_PLANES; i++)
        planes_load(&to[i], src + b->src[i] + row + at, stride);
    if (at >= 0 && at + stride * LANES <= w->size[2]) return;
    IVEC mask = planes_inside(w, b, k);
    for (int i = 0; i < POOLING_PLANES; i++)
        to[i] = mask ? to[i] : V(none);
}

/* The number of taps inside the image for each output: the divisor of its sum. */
INLINE void planes_divisor(VEC *to, constant struct pooling_planes_params *p, const struct planes_block *b,
                           const struct taps *t) {
    constant struct window *w = &p->images.window;
    const float others = (float)((t->last[0] - t->first[0]) * (t->last[1] - t->first[1]));
    VEC inside = V((float)w->taps[2]);
    *to = V((float)p->taps);
    if (p->alg == POOLING_AVG_INCLUDE_PADDING) return;
    if (!b->whole) {
        inside = V(0.0f);
#pragma nounroll
        for (i64 k = 0; k < w->taps[2]; k++)
            inside += planes_inside(w, b, k) ? V(1.0f) : V(0.0f);
    }
    *to = inside * V(others);
}

/* The sums of a block, or its maxima and the taps where they are. Callers pass `max` as a constant.
 */
INLINE void planes_pool(constant struct pooling_planes_params *p, const struct planes_block *b,
                        const struct taps *t, global const float *src, const bool max, VEC *out, IVEC *at) {
    constant struct window_images *w = &p->images;
    const float none = max ? p->lowest : 0.0f;
    VEC x[POOLING_PLANES], y[POOLING_PLANES];
    IVEC tap[POOLING_PLANES];
    for (int i = 0; i < POOLING_PLANES; i++)
        x[i] = V(none), tap[i] = (IVEC)(0);
#pragma nounroll
    for (i64 k0 = t->first[0]; k0 < t->last[0]; k0++)
#pragma nounroll
        for (i64 k1 = t->first[1]; k1 < t->last[1]; k1++) {
            const i64 row = k0 * w->src_step[0] + k1 * w->src_step[1];
            const i64 before = (k0 * w->window.taps[1] + k1) * w->window.taps[2];
#pragma nounroll
            for (i64 k2 = 0; k2 < w->window.taps[2]; k2++) {
                planes_tap(y, &w->window, b, src, row, k2, none);
                for (int i = 0; i < POOLING_PLANES; i++) {
                    if (max) tap[i] = y[i] > x[i] ? (IVEC)((int)(before + k2)) : tap[i];
                    x[i] = !max ? x[i] + y[i] : y[i] > x[i] ? y[i] : x[i];
                }
            }
        }
    for (int i = 0; i < POOLING_PLANES; i++) {
        out[i] = x[i];
        if (max) at[i] = tap[i];
    }
}

/* The same, one output of one channel at a time. */
OUTLINE void planes_each(constant struct pooling_planes_params *p, const struct planes_block *b,
                         const struct taps *t, global const float *row, VEC *out, IVEC *at) {
    constant struct window_images *w = &p->images;
    float values[LANES];
    int taps[LANES];
    for (int i = 0; i < LANES; i++) {
        float x = p->alg == POOLING_MAX ? p->lowest : 0.0f;
        int tap = 0;
        for (i64 k0 = t->first[0]; k0 < t->last[0]; k0++)
            for (i64 k1 = t->first[1]; k1 < t->last[1]; k1++)
#pragma nounroll
                for (i64 k2 = 0; k2 < w->window.taps[2] && i < b->count; k2++) {
                    i64 position = b->start + k2 * w->window.step[2] + i * w->window.stride[2];
                    if (position < 0 || position >= w->window.size[2]) continue;
                    float y = row[k0 * w->src_step[0] + k1 * w->src_step[1] + position];
                    if (p->alg != POOLING_MAX)
                        x += y;
                    else if (y > x)
                        x = y, tap = (int)((k0 * w->window.taps[1] + k1) * w->window.taps[2] + k2);
                }
        values[i] = x;
        taps[i] = tap;
    }
    *out = VLOAD(0, values);
    *at = VLOAD(0, taps);
}

INLINE void planes_block(constant struct pooling_planes_params *p, const struct planes_block *b,
                         const struct taps *t, global const float *src, VEC *x, IVEC *taps) {
    if (!planes_readable(p, b, t))
        for (int i = 0; i < POOLING_PLANES; i++)
            planes_each(p, b, t, src + b->src[i], &x[i], &taps[i]);
    else if (p->alg == POOLING_MAX)
        planes_pool(p, b, t, src, true, x, taps);
    else
        planes_pool(p, b, t, src, false, x, taps);
    if (p->alg == POOLING_MAX) return;
    VEC divisor;
    planes_divisor(&divisor, p, b, t);
    for (int i = 0; i < POOLING_PLANES; i++)
        x[i] = f32_div(x[i], divisor);
}

/* One row of dst for POOLING_PLANES channels, starting at `channel`. If there are fewer, the last one is
 * computed several times. */
INLINE void planes_row(constant struct pooling_planes_params *p, const struct window_row *r, i64 channel,
                       global const float *src, global uchar *workspace, global float *dst) {
    constant struct window *w = &p->images.window;
    const i64 places = p->images.places[2], last = p->images.channels - 1;
    const int count = places < LANES ? (int)places : LANES;
    const i64 reach = (w->taps[2] - 1) * w->step[2] + (count - 1) * w->stride[2];
    struct planes_block b = {.count = count};
    VEC x[POOLING_PLANES];
    IVEC taps[POOLING_PLANES];
    for (int i = 0; i < POOLING_PLANES; i++)
        b.src[i] = r->from + (channel + i < last ? channel + i : last) * p->src_channel;
    for (i64 place = 0; place < places; place += LANES) {
        /* The last vector starts early if it can: some outputs are computed twice, with the same bits. */
        if (place + LANES > places) place = places - count;
        b.start = place * w->stride[2] - w->padding[2];
        b.whole = b.start >= 0 && b.start + reach < w->size[2];
        planes_block(p, &b, &r->taps, src, x, taps);
#pragma nounroll
        for (int i = 0; i < POOLING_PLANES && channel + i <= last; i++) {
            i64 to = r->to + (channel + i) * p->dst_channel + place;
            store_lanes(x[i], dst + to, count);
            if (p->workspace_type)
                pool_store_taps(taps[i], workspace, p->workspace_type, to + p->workspace_offset, count);
        }
    }
}

/* The average of a plane of n elements, by 16 sums. */
INLINE float planes_average(global const float *src, i64 n) {
    VEC sum = V(0.0f), x;
    i64 i = 0;
    for (; i + LANES <= n; i += LANES)
        sum += VLOAD(0, src + i);
    if (i < n) {
        load_lanes(&x, src + i, n - i, 0.0f);
        sum += x;
    }
    const float8 eight = sum.lo + sum.hi;
    const float4 four = eight.lo + eight.hi;
    const float2 two = four.lo + four.hi;
    return f32_div(two.x + two.y, (float)n);
}

/* The maxima of columns of windows, of LANES elements of a row. */
INLINE VEC planes_column(constant struct pooling_planes_params *p, const struct taps *t,
                         global const float *at) {
    VEC x = V(p->lowest);
#pragma nounroll
    for (i64 k0 = t->first[0]; k0 < t->last[0]; k0++) {
        global const float *from = at + k0 * p->images.src_step[0] + t->first[1] * p->images.src_step[1];
#pragma nounroll
        for (i64 k1 = t->first[1]; k1 < t->last[1]; k1++, from += p->images.src_step[1]) {
            const VEC y = VLOAD(0, from);
            x = y > x ? y : x;
        }
    }
    return x;
}

INLINE VEC planes_most(VEC x, VEC y, VEC z) {
    x = y > x ? y : x;
    return z > x ? z : x;
}

/* A row of results, whose length is that of rows of src. */
INLINE void planes_slide(constant struct pooling_planes_params *p, const struct taps *t,
                         global const float *from, global float *to, int streams) {
    const i64 n = p->images.places[2];
    const VEC none = V(p->lowest);
    VEC before = none, x = planes_column(p, t, from), after = none;
    i64 i = 0;
#pragma nounroll
    for (; i + 2 * LANES <= n; i += LANES) {
        after = planes_column(p, t, from + i + LANES);
        STREAM_OR_STORE(planes_most(LANES_AFTER(before, x, 15), x, LANES_AFTER(x, after, 1)), to + i,
                        streams);
        before = x, x = after;
    }
    const i64 last = n - LANES;
    after = i < last ? planes_column(p, t, from + i + 1) : LANES_AFTER(x, none, 1);
    STREAM_OR_STORE(planes_most(LANES_AFTER(before, x, 15), x, after), to + i, streams);
    if (i == last) return;
    /* The last vector starts early: some are computed twice, with the same bits. */
    x = planes_column(p, t, from + last);
    VSTORE(planes_most(planes_column(p, t, from + last - 1), x, LANES_AFTER(x, none, 1)), 0, to + last);
}

/* Range: groups of rows, groups of channels, batches. */
INLINE void planes_slide_item(constant struct pooling_planes_params *p, global const float *src,
                              global float *dst, i64 first, i64 channel, i64 batch) {
    constant struct window_images *w = &p->images;
    const i64 rows = w->places[0] * w->places[1];
    for (i64 c = channel; c < channel + p->channels && c < w->channels; c++)
        for (i64 i = first; i < first + p->rows && i < rows; i++) {
            const struct window_row r = window_row(w, 0, 0, i, batch);
            global float *to = dst + r.to + c * p->dst_channel;
            planes_slide(p, &r.taps, src + r.from + c * p->src_channel, to,
                         p->streams && w->places[2] % LANES == 0
                                 && STREAMS_ROW((global uchar *)to, TYPE_F32, 0));
        }
    if (STREAMED(p->streams)) STREAM_END();
}

#if WANTED(f32_pooling_planes_16)
kernel void f32_pooling_planes_16(ITEM global const float *src, global uchar *workspace, global float *dst,
                                  constant struct pooling_planes_params *p) {
    constant struct window_images *w = &p->images;
    const i64 rows = w->places[0] * w->places[1], row = get_global_id(0) * p->rows,
              channel = get_global_id(1) * p->channels;
    if (p->global_average) {
        const i64 from = w->src_offset + get_global_id(2) * w->src_batch,
                  to = w->dst_offset + get_global_id(2) * w->dst_batch;
        for (i64 c = channel; c < channel + p->channels && c < w->channels; c++)
            dst[to + c * p->dst_channel] = planes_average(src + from + c * p->src_channel, p->taps);
        return;
    }
    if (p->slides) {
        planes_slide_item(p, src, dst, row, channel, get_global_id(2));
        return;
    }
    for (i64 i = row; i < row + p->rows && i < rows; i++) {
        struct window_row r = window_row(w, 0, 0, i, get_global_id(2));
        for (i64 c = channel; c < channel + p->channels && c < w->channels; c += POOLING_PLANES)
            planes_row(p, &r, c, src, workspace, dst);
    }
}
#endif
