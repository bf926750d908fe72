/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pooling, backward. An element of diff_src is written by one work-item, which adds what the outputs say
 * whose windows the element is in: all of diff_dst for the tap that the workspace names, or diff_dst divided
 * by the number of elements of an average. Sums are in a fixed order.
 */
#include "kernels/lib/convert.h"
#include "kernels/lib/math.h"
#include "kernels/lib/pooling_readers.h"
#include "kernels/lib/rows.h"
#include "kernels/lib/tensor.h"
#include "kernels/params_pooling.h"

/* What an output's gradient is multiplied by for an average. */
INLINE float average_weight(constant struct window *w, int alg, i64 taps, const i64 *place) {
    if (alg == POOLING_AVG_EXCLUDE_PADDING) {
        taps = 1;
#pragma nounroll
        for (int d = 0; d < WINDOW_DIMS; d++)
            taps *= taps_inside(w, d, place[d]);
    }
    return f32_div(1.0f, (float)taps);
}

INLINE float gradient_from(constant struct pooling_backward_params *p, global const uchar *diff_dst,
                           global const uchar *workspace, i64 *position, i64 tap) {
    if (p->alg == POOLING_MAX) {
        const i64 most = load_s32(workspace, p->workspace.type, tensor_offset(&p->workspace, position));
        if (most != tap) return 0.0f;
    }
    const float d = load_f32(diff_dst, p->diff_dst.type, tensor_offset(&p->diff_dst, position));
    return p->alg == POOLING_MAX ? d : d * average_weight(&p->window, p->alg, p->taps, position + 2);
}

INLINE float gradient_at(constant struct pooling_backward_params *p, global const uchar *diff_dst,
                         global const uchar *workspace, const i64 *position) {
    struct readers r[WINDOW_DIMS];
    i64 out[TENSOR_DIMS], *place = out + 2, taps[WINDOW_DIMS];
    float sum = 0.0f;
    out[0] = position[0], out[1] = position[1];
#pragma nounroll
    for (int d = 0; d < WINDOW_DIMS; d++)
        r[d] = readers_of(&p->window, d, position[2 + d], p->places[d]);
    for (place[0] = r[0].first; place[0] < r[0].last; place[0]++)
        for (place[1] = r[1].first; place[1] < r[1].last; place[1]++)
            for (place[2] = r[2].first; place[2] < r[2].last; place[2]++) {
#pragma nounroll
                for (int d = 0; d < WINDOW_DIMS; d++)
                    taps[d] = reading_tap(&p->window, d, &r[d], place[d]);
                if (taps[0] < 0 || taps[1] < 0 || taps[2] < 0) continue;
                const i64 tap = (taps[0] * p->window.taps[1] + taps[1]) * p->window.taps[2] + taps[2];
                sum += gradient_from(p, diff_dst, workspace, out, tap);
            }
    return sum;
}

/* Range: parts of diff_src. */
#if WANTED(pooling_backward_universal)
kernel void pooling_backward_universal(ITEM global const uchar *diff_dst, global const uchar *workspace,
                                       global uchar *diff_src, constant struct pooling_backward_params *p) {
    struct walker w;
    for (walk_begin(&w, &p->walk, get_global_id(0)); w.left > 0; walk_next(&w, &p->walk))
        store_f32(diff_src, p->type, w.offset,
                  w.inside ? gradient_at(p, diff_dst, workspace, w.position) : 0.0f);
}
#endif

INLINE i64 image_offset(constant struct pooling_image *image, i64 batch, i64 channel, const i64 *place) {
    i64 offset = image->offset + batch * image->batch + channel * image->channel;
    for (int d = 0; d < WINDOW_DIMS; d++)
        offset += place[d] * image->stride[d];
    return offset;
}

#include "kernels/lib/lanes_after.h"
#include "kernels/lib/pooling_gather.h"
#include "kernels/lib/pooling_rows.h"

enum { SPREAD_TAPS = 16 }; /* the most taps along a row whose sums are computed in vectors */

/* A row of outputs that is being averaged. */
struct average_row {
    float count[POOLING_ROW + 16]; /* taps of each output that are inside along the row */
    /* What each output gives to each element of its window, after SPREAD_TAPS zeros. */
    float each[SPREAD_TAPS + POOLING_ROW + 32];
    float spread[POOLING_ROW + 48]; /* sums along the part of the padded image that the windows cover */
};

INLINE void count_taps(constant struct pooling_backward_images_params *p, struct average_row *row, i64 first,
                       int n) {
    const int all = p->alg == POOLING_AVG_INCLUDE_PADDING;
    for (int i = 0; i < n; i++)
        row->count[i] = (float)(all ? p->taps : taps_inside(&p->window, 2, first + i));
    for (int i = n; i < 16; i++)
        row->count[i] = 1.0f;
}

/* to[i * stride] += from[i * from_stride], where from_stride is 0 or 1. */
INLINE void add_run(float *to, int stride, const float *from, int from_stride, int n) {
    int i = 0;
    for (; stride == 1 && i + 16 <= n; i += 16) {
        const float16 x = from_stride ? vload16(0, from + i) : (float16)(from[0]);
        vstore16(vload16(0, to + i) + x, 0, to + i);
    }
    for (; i < n; i++)
        to[i * stride] += from[i * from_stride];
}

/* The sum of what outputs j, j - 1 … give to 16 elements, `stride` elements apart, with taps k, k + stride …
 */
INLINE float16 spread_sum(const struct average_row *row, int j, int k, int stride, int taps) {
    const float *from = row->each + SPREAD_TAPS + j;
    float16 sum = (float16)(0.0f);
    for (; k < taps; k += stride, from--)
        sum += vload16(0, from);
    return sum;
}

/* Sums for windows of few taps, one or two elements apart, without dilation. */
INLINE void spread_vectors(struct average_row *row, int stride, int taps, int n, int length) {
    vstore16((float16)(0.0f), 0, row->each);
    for (int i = 0; i < 2; i++)
        vstore16((float16)(0.0f), i, row->each + SPREAD_TAPS + n);
    for (int j = 0; j * stride < length; j += 16) {
        const float16 a = spread_sum(row, j, 0, stride, taps);
        if (stride == 1) {
            vstore16(a, 0, row->spread + j);
            continue;
        }
        const float16 b = spread_sum(row, j, 1, stride, taps);
        float16 x, y;
        x.even = a.lo, x.odd = b.lo;
        y.even = a.hi, y.odd = b.hi;
        vstore16(x, 0, row->spread + 2 * j);
        vstore16(y, 1, row->spread + 2 * j);
    }
}

/* The gradients of n outputs, divided by the number of taps. */
INLINE void divide_row(float *each, global const float *from, const float *count, float others, int n) {
    float16 x;
    if (n < 16) {
        load_lanes(&x, from, n, 0.0f);
        vstore16(f32_div(x, vload16(0, count) * (float16)(others)), 0, each);
        return;
    }
    for (int i = 0; i < n; i += 16) {
        /* The last vector starts early: some are computed twice, with the same bits. */
        const int at = i + 16 > n ? n - 16 : i;
        x = f32_div(vload16(0, from + at), vload16(0, count + at) * (float16)(others));
        vstore16(x, 0, each + at);
    }
}

/* Returns the length of `spread`. */
INLINE int spread_row(constant struct window *w, struct average_row *row, global const float *from,
                      float others, int n) {
    const int taps = (int)w->taps[2], stride = (int)w->stride[2], step = (int)w->step[2];
    const int length = (n - 1) * stride + (taps - 1) * step + 1;
    float *each = row->each + SPREAD_TAPS;
    divide_row(each, from, row->count, others, n);
    if (step == 1 && stride <= 2 && taps <= SPREAD_TAPS) {
        spread_vectors(row, stride, taps, n, length);
        return length;
    }
    row_fill(row->spread, 0.0f, length);
    for (int k = 0; k < taps && taps <= n; k++)
        add_run(row->spread + k * step, stride, each, 1, n);
    for (int o = 0; o < n && taps > n; o++)
        add_run(row->spread + o * stride, step, each + o, 0, taps);
    return length;
}

INLINE void add_to_row(global float *to, const float *from, i64 n) {
    i64 i = 0;
    for (; i + 16 <= n; i += 16)
        vstore16(vload16(0, to + i) + vload16(0, from + i), 0, to + i);
    if (i + 8 <= n) {
        vstore8(vload8(0, to + i) + vload8(0, from + i), 0, to + i);
        i += 8;
    }
    for (; i < n; i++)
        to[i] += from[i];
}

/* The averages of n outputs, from position `place` on. */
INLINE void add_averages(constant struct pooling_backward_images_params *p, struct average_row *row,
                         global const float *from, global float *plane, const i64 *place, int n) {
    constant struct window *w = &p->window;
    constant i64 *stride = p->diff_src.stride;
    struct taps t;
    window_taps_along(&t, w, 0, place[0]);
    window_taps_along(&t, w, 1, place[1]);
    const i64 inside = (t.last[0] - t.first[0]) * (t.last[1] - t.first[1]);
    const int length =
            spread_row(w, row, from, p->alg == POOLING_AVG_INCLUDE_PADDING ? 1.0f : (float)inside, n);
    const i64 start = place[2] * w->stride[2] - w->padding[2];
    const i64 first = start < 0 ? -start : 0,
              last = w->size[2] - start < length ? w->size[2] - start : length;
    for (i64 k0 = t.first[0]; k0 < t.last[0]; k0++)
        for (i64 k1 = t.first[1]; k1 < t.last[1]; k1++) {
            const i64 at = (t.start[0] + k0 * w->step[0]) * stride[0]
                           + (t.start[1] + k1 * w->step[1]) * stride[1] + start;
            add_to_row(plane + at + first, row->spread + first, last - first);
        }
}

/* The coordinates of each tap, and its distance from the first one in diff_src. */
struct tap_table {
    uchar k[WINDOW_DIMS][POOLING_TABLE];
    i64 distance[POOLING_TABLE];
    i64 first, last; /* outputs in a row whose whole window is inside the image */
};

INLINE void tap_table_fill(struct tap_table *table, constant struct pooling_backward_images_params *p) {
    constant struct window *w = &p->window;
    const i64 room = w->size[2] + w->padding[2] - (w->taps[2] - 1) * w->step[2];
    int k[WINDOW_DIMS] = {0, 0, 0};
    table->first = (w->padding[2] + w->stride[2] - 1) / w->stride[2];
    table->last = room > 0 ? (room - 1) / w->stride[2] + 1 : 0;
    for (int tap = 0; tap < (int)p->taps; tap++) {
        table->distance[tap] = 0;
        for (int d = 0; d < WINDOW_DIMS; d++) {
            table->k[d][tap] = (uchar)k[d];
            table->distance[tap] += k[d] * w->step[d] * p->diff_src.stride[d];
        }
        for (int d = WINDOW_DIMS - 1; d >= 0; d--) {
            if (++k[d] < (int)w->taps[d]) break;
            k[d] = 0;
        }
    }
}

/* Adds the gradient of one output to the element that was the maximum. A window without elements has none.
 */
INLINE void add_maximum(constant struct pooling_backward_images_params *p, const struct tap_table *table,
                        float gradient, int tap, global float *plane, const i64 *start) {
    constant struct window *w = &p->window;
    i64 at = 0;
    for (int d = 0; d < WINDOW_DIMS; d++) {
        const i64 i = start[d] + table->k[d][tap] * w->step[d];
        if (i < 0 || i >= w->size[d]) return;
        at += i * p->diff_src.stride[d];
    }
    plane[at] += gradient;
}

/* Is the window at output `place` inside the image along dimension d? */
INLINE bool window_is_inside(constant struct window *w, int d, i64 place) {
    const i64 start = place * w->stride[d] - w->padding[d];
    return start >= 0 && start + (w->taps[d] - 1) * w->step[d] < w->size[d];
}

/* The same for a row of n outputs. */
INLINE void add_maxima(constant struct pooling_backward_images_params *p, const struct tap_table *table,
                       global const float *from, global const uchar *workspace, global float *plane,
                       const i64 *place, int n) {
    constant struct window *w = &p->window;
    const bool inside = window_is_inside(w, 0, place[0]) && window_is_inside(w, 1, place[1]);
    i64 start[WINDOW_DIMS];
    for (int d = 0; d < WINDOW_DIMS; d++)
        start[d] = place[d] * w->stride[d] - w->padding[d];
    const i64 first = start[0] * p->diff_src.stride[0] + start[1] * p->diff_src.stride[1];
    for (int o = 0; o < n; o++, start[2] += w->stride[2]) {
        const int tap = workspace[o];
        if (tap >= (int)p->taps) continue;
        if (inside && place[2] + o >= table->first && place[2] + o < table->last)
            plane[first + start[2] + table->distance[tap]] += from[o];
        else
            add_maximum(p, table, from[o], tap, plane, start);
    }
}

INLINE void clear_plane(constant struct pooling_backward_images_params *p, global float *plane) {
    constant struct window *w = &p->window;
    for (i64 i0 = 0; i0 < w->size[0]; i0++)
        for (i64 i1 = 0; i1 < w->size[1]; i1++) {
            global float *row = plane + i0 * p->diff_src.stride[0] + i1 * p->diff_src.stride[1];
            i64 i = 0;
            for (; i + 16 <= w->size[2]; i += 16)
                vstore16((float16)(0.0f), 0, row + i);
            for (; i < w->size[2]; i++)
                row[i] = 0.0f;
        }
}

/* The outputs of channel c: all rows, `n` outputs of each from `first` on. */
INLINE void add_plane(constant struct pooling_backward_images_params *p, struct average_row *row,
                      const struct tap_table *table, global const float *diff_dst,
                      global const uchar *workspace, global float *plane, i64 batch, i64 c, i64 first,
                      int n) {
    i64 place[WINDOW_DIMS];
    place[2] = first;
    for (place[0] = 0; place[0] < p->places[0]; place[0]++)
        for (place[1] = 0; place[1] < p->places[1]; place[1]++) {
            global const float *from = diff_dst + image_offset(&p->diff_dst, batch, c, place);
            if (p->alg == POOLING_MAX)
                add_maxima(p, table, from, workspace + image_offset(&p->workspace, batch, c, place), plane,
                           place, n);
            else
                add_averages(p, row, from, plane, place, n);
        }
}

/* Range: shares of the channels, batches. Elements of rows are next to each other. */
#if WANTED(f32_pooling_backward_planes)
kernel void f32_pooling_backward_planes(ITEM global const float *diff_dst, global const uchar *workspace,
                                        global float *diff_src,
                                        constant struct pooling_backward_images_params *p) {
    const i64 begin = (i64)get_global_id(0) * p->span, batch = (i64)get_global_id(1);
    const i64 end = begin + p->span < p->channels ? begin + p->span : p->channels;
    const i64 origin[WINDOW_DIMS] = {0, 0, 0};
    struct average_row row;
    struct tap_table table;
    if (p->alg == POOLING_MAX) tap_table_fill(&table, p);
    for (i64 c = begin; c < end; c++)
        clear_plane(p, diff_src + image_offset(&p->diff_src, batch, c, origin));
    for (i64 first = 0; first < p->places[2]; first += p->block) {
        const int n = (int)(p->places[2] - first < p->block ? p->places[2] - first : p->block);
        if (p->alg != POOLING_MAX) count_taps(p, &row, first, n);
        for (i64 c = begin; c < end; c++)
            add_plane(p, &row, &table, diff_dst, workspace,
                      diff_src + image_offset(&p->diff_src, batch, c, origin), batch, c, first, n);
    }
}
#endif
