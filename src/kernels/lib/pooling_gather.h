/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pooling, backward, of images with vectors of channels: each element of diff_src is the sum of what its
 * readers say. Several vectors of channels are summed at once, in registers.
 */
#define LANES 16
#include "kernels/lib/pooling_load.h"
#undef LANES

enum { GATHER_VECTORS = 4 };

/* A row of outputs that reads a row of the image. */
struct gather_source {
    i64 from, named; /* offsets of its first output, without batch and channel */
    i64 tap;         /* number of the first tap along the row */
    float inside;    /* taps inside the image, except along the row */
    float weight;    /* of outputs whose windows are inside along the row, for averages */
};

/* A part of a row of the image, and some of its channels. */
struct gather {
    global const uchar *diff_dst, *workspace;
    global uchar *diff_src;
    i64 from, named, to; /* offsets of its channels: at output 0, and at element 0 of the row */
    i64 first, last;     /* elements */
    struct readers r;    /* of the first element, along the row */
    bool whole;          /* the windows of readers are inside, except along the row */
    int count;           /* lanes of a single vector that exist */
    int sources;
    struct gather_source source[POOLING_SOURCES];
};

/* Are the windows of all readers inside the image, along one dimension? */
INLINE bool readers_are_whole(constant struct window *w, int d, const struct readers *r) {
    const i64 first = r->first * w->stride[d] - w->padding[d],
              last = (r->last - 1) * w->stride[d] - w->padding[d] + (w->taps[d] - 1) * w->step[d];
    return first >= 0 && last < w->size[d];
}

/* Finds the rows of outputs that read row `at` of the image. */
INLINE void gather_find(struct gather *g, constant struct pooling_backward_images_params *p, const i64 *at) {
    constant struct window *w = &p->window;
    const struct readers r0 = readers_of(w, 0, at[0], p->places[0]),
                         r1 = readers_of(w, 1, at[1], p->places[1]);
    g->sources = 0;
    g->whole = readers_are_whole(w, 0, &r0) && readers_are_whole(w, 1, &r1);
    for (i64 o0 = r0.first; o0 < r0.last; o0++)
        for (i64 o1 = r1.first; o1 < r1.last; o1++) {
            const i64 k0 = reading_tap(w, 0, &r0, o0), k1 = reading_tap(w, 1, &r1, o1);
            if (k0 < 0 || k1 < 0) continue;
            struct gather_source *to = &g->source[g->sources++];
            to->from = o0 * p->diff_dst.stride[0] + o1 * p->diff_dst.stride[1];
            to->named = o0 * p->workspace.stride[0] + o1 * p->workspace.stride[1];
            to->tap = (k0 * w->taps[1] + k1) * w->taps[2];
            to->inside = (float)(taps_inside(w, 0, o0) * taps_inside(w, 1, o1));
            const float taps =
                    p->alg == POOLING_AVG_INCLUDE_PADDING ? (float)p->taps : to->inside * (float)w->taps[2];
            to->weight = f32_div(1.0f, taps);
        }
}

/* Adds the gradients of one output that is read with tap number `tap`, for n vectors of channels. */
INLINE void gather_output(constant struct pooling_backward_images_params *p, const struct gather *g, i64 from,
                          i64 named, i64 tap, float weight, const int n, const bool max, const bool plain,
                          float16 *sum) {
    const i64 pitch = p->diff_dst.pitch, pitch2 = p->workspace.pitch;
    float16 d[GATHER_VECTORS], most[GATHER_VECTORS];
    pool_load(d, g->diff_dst, plain ? TYPE_F32 : p->diff_dst_type, from, pitch, n, plain ? 16 : g->count,
              p->diff_dst.end);
    if (!max) {
#pragma unroll
        for (int i = 0; i < n; i++)
            sum[i] = fma(d[i], (float16)(weight), sum[i]);
        return;
    }
    if (plain) {
#pragma unroll
        for (int i = 0; i < n; i++) {
            const uchar16 taps = vload16(0, g->workspace + named + i * pitch2);
            sum[i] += as_float16(convert_int16(taps == (uchar16)((uchar)tap)) & as_int16(d[i]));
        }
        return;
    }
    pool_load(most, g->workspace, p->workspace_type, named, pitch2, n, g->count, p->workspace.end);
#pragma unroll
    for (int i = 0; i < n; i++)
        sum[i] += as_float16((most[i] == (float16)((float)tap)) & as_int16(d[i]));
}

/* Adds what all readers of an element say; r: along the row. weight: of all outputs; 0: they differ. */
INLINE void gather_sums(constant struct pooling_backward_images_params *p, const struct gather *g,
                        const struct readers *r, float weight, const int n, const bool max, const bool plain,
                        float16 *sum) {
    constant struct window *w = &p->window;
    const i64 from_step = p->diff_dst.stride[2], named_step = p->workspace.stride[2], stride = w->stride[2];
    const i64 from = g->from + r->first * from_step, named = g->named + r->first * named_step,
              distance = r->at - r->first * stride, count = r->last - r->first;
#pragma nounroll
    for (int s = 0; s < g->sources; s++) {
        const struct gather_source *source = &g->source[s];
#pragma nounroll
        for (i64 o = 0; o < count; o++) {
            i64 tap = distance - o * stride;
            if (!plain && w->step[2] != 1) {
                if (tap % w->step[2] != 0) continue;
                tap /= w->step[2];
            }
            float own = weight;
            if (!max && own <= 0.0f)
                own = f32_div(1.0f, source->inside * (float)taps_inside(w, 2, r->first + o));
            gather_output(p, g, from + source->from + o * from_step, named + source->named + o * named_step,
                          source->tap + tap, own, n, max, plain, sum);
        }
    }
}

/* n vectors of channels of all elements. `plain`: f32, a workspace of u8, whole vectors, no dilation along
 * the row. Callers pass n, max and plain as constants. */
INLINE void gather_vectors(constant struct pooling_backward_images_params *p, const struct gather *g,
                           const int n, const bool max, const bool plain) {
    const bool same = p->alg == POOLING_AVG_INCLUDE_PADDING;
    const float weight = f32_div(1.0f, (float)p->taps);
    const i64 pitch = p->diff_src.pitch;
    struct readers r = g->r;
#pragma nounroll
    for (i64 i = g->first; i < g->last; i++, readers_next(&r, &p->window, 2, p->places[2])) {
        const bool whole = same || (!max && g->whole && readers_are_whole(&p->window, 2, &r));
        const i64 to = g->to + i * p->diff_src.stride[2];
        float16 sum[GATHER_VECTORS];
#pragma unroll
        for (int v = 0; v < n; v++)
            sum[v] = (float16)(0.0f);
        gather_sums(p, g, &r, whole ? weight : 0.0f, n, max, plain, sum);
#pragma unroll
        for (int v = 0; v < n; v++)
            pool_store(g->diff_src, plain ? TYPE_F32 : p->diff_src_type, to + v * pitch, sum[v],
                       plain ? 16 : g->count);
    }
}

/* Separate functions, so that each has all registers to itself. */
#define GATHER_OF(name_, n_, plain_)                                                                         \
    OUTLINE void name_##n_(constant struct pooling_backward_images_params *p, const struct gather *g) {      \
        if (p->alg == POOLING_MAX)                                                                           \
            gather_vectors(p, g, n_, true, plain_);                                                          \
        else                                                                                                 \
            gather_vectors(p, g, n_, false, plain_);                                                         \
    }
GATHER_OF(gather_plain_, 1, true)
GATHER_OF(gather_plain_, 4, true)
GATHER_OF(gather_any_, 1, false)
GATHER_OF(gather_any_, 4, false)

#ifdef NATIVE_AVX2
#include "kernels/lib/pooling_short.h"
#endif

/* Returns the number of vectors, of which `left` channels remain. */
INLINE int gather_some(constant struct pooling_backward_images_params *p, const struct gather *g, i64 left) {
#define GATHER_CALL(condition_, f_, n_)                                                                      \
    if (condition_) {                                                                                        \
        f_##n_(p, g);                                                                                        \
        return n_;                                                                                           \
    }
    const bool plain = p->plain && g->count == 16;
#ifdef NATIVE_AVX2
    const int some = p->brief && g->count == 16 ? short_some(p, g, left) : 0;
    if (some) return some;
#endif
    GATHER_CALL(plain && left >= 4 * 16, gather_plain_, 4)
    GATHER_CALL(plain, gather_plain_, 1)
    GATHER_CALL(left >= 4 * 16, gather_any_, 4)
#undef GATHER_CALL
    gather_any_1(p, g);
    return 1;
}

/* All channels of a part of row number `row`. */
INLINE void gather_row(constant struct pooling_backward_images_params *p, struct gather *g, i64 row,
                       i64 batch) {
    constant struct window *w = &p->window;
    i64 at[WINDOW_DIMS];
    at[0] = row / w->size[1];
    at[1] = row - at[0] * w->size[1];
    at[2] = 0;
    gather_find(g, p, at);
    g->r = readers_of(w, 2, g->first, p->places[2]);
    g->count = p->channels < 16 ? (int)p->channels : 16;
    const i64 to = image_offset(&p->diff_src, batch, 0, at);
    for (i64 c = 0; c < p->channels;) {
        /* The last vector starts early if it can: some channels are computed twice, with the same bits. */
        if (c + g->count > p->channels) c = p->channels - g->count;
        g->from = p->diff_dst.offset + batch * p->diff_dst.batch + pool_channel(c, p->diff_dst.pitch);
        g->named = p->workspace.offset + batch * p->workspace.batch + pool_channel(c, p->workspace.pitch);
        g->to = to + pool_channel(c, p->diff_src.pitch);
        c += gather_some(p, g, p->channels - c) * 16;
    }
}

/* Range: parts of rows of diff_src, groups of rows, batches. */
#if WANTED(pooling_backward_16)
kernel void pooling_backward_16(ITEM global const uchar *diff_dst, global const uchar *workspace,
                                global uchar *diff_src, constant struct pooling_backward_images_params *p) {
    constant struct window *w = &p->window;
    const i64 rows = w->size[0] * w->size[1], row = (i64)get_global_id(1) * p->rows;
    const i64 first = (i64)get_global_id(0) * p->span;
    struct gather g;
    g.diff_dst = diff_dst, g.workspace = workspace, g.diff_src = diff_src, g.first = first;
    g.last = first + p->span < w->size[2] ? first + p->span : w->size[2];
    for (i64 i = row; i < row + p->rows && i < rows; i++)
        gather_row(p, &g, i, (i64)get_global_id(2));
}
#endif
