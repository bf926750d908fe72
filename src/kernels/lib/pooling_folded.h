/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pooling of images of any type with dense rows, such as nchw. For each row of outputs the rows of the image
 * that their windows cover are folded into one row of floats, with padding that does not change results; the
 * windows are then pooled along it, a vector of outputs at a time. In training the rows are not folded but
 * pooled one after the other, because the first of several equal maxima counts. Maxima of s32 are compared as
 * integers, whose bits are in vectors of floats: TYPE_S32 as a constant.
 */
#include "kernels/lib/epilogue_block.h"
#include "kernels/lib/lanes.h"
#include "kernels/lib/pooling_load.h"

enum { FOLDED_PITCH = POOLING_OUTPUTS + LANES };

/* The same part of several rows of outputs, of one channel or of several. All are folded before the first is
 * pooled, so that what was stored as aligned vectors is not loaded at once as others. */
struct folded_rows {
    int count;                  /* rows */
    int n;                      /* outputs of each */
    i64 place;                  /* of the first output */
    i64 start;                  /* position of its tap 0 in a row of the image; may be in the padding */
    int before, inside, length; /* elements of a folded row: padding, those of the image, all */
    i64 channel;                /* the first */
    struct window_row at[POOLING_ROWS]; /* of rows of the same channel, or the one of all channels */
    LINE_ALIGNED float rows[POOLING_SPACE];
    float out[POOLING_ROWS * FOLDED_PITCH];
    int tap[POOLING_ROWS * FOLDED_PITCH]; /* of the maxima */
};

INLINE const struct window_row *folded_at(constant struct pooling_folded_params *p,
                                          const struct folded_rows *r, int c) {
    return &r->at[p->by_channel ? 0 : c];
}

/* The channel of row c. */
INLINE i64 folded_channel(constant struct pooling_folded_params *p, const struct folded_rows *r, int c) {
    return r->channel + (p->by_channel ? c : 0);
}

/* The offset of position 0 of row c in src, at tap 0 along the other dimensions. */
INLINE i64 folded_from(constant struct pooling_folded_params *p, const struct folded_rows *r, int c) {
    return folded_at(p, r, c)->from + folded_channel(p, r, c) * p->src_channel;
}

/* The offset of the first output of row c in dst. */
INLINE i64 folded_to(constant struct pooling_folded_params *p, const struct folded_rows *r, int c) {
    return folded_at(p, r, c)->to + folded_channel(p, r, c) * p->dst_channel + r->place;
}

/* The rows of the image that windows cover: first to last - 1 along both dimensions. */
struct folded_span {
    i64 first[2], last[2];
};

/* Folds the rows of a channel, n vectors at a time, by maximum or sum. Callers pass n, max and type as
 * constants. */
INLINE void folded_fold_by(constant struct pooling_folded_params *p, const struct folded_rows *r,
                           const struct folded_span *s, global const uchar *src, i64 from, float *to,
                           const int n, const bool max, const int type) {
    const int width = n * LANES, inside = r->inside;
    const int loaded = type == TYPE_S32 ? TYPE_F32 : type ? type : p->src_type;
#pragma nounroll
    for (int i = 0; i < inside; i += width) {
        /* The last vectors start early if they can: some elements are folded twice, with the same bits. */
        const int at = i + width > inside && inside >= width ? inside - width : i;
        VEC x[4], y[4];
#pragma unroll
        for (int v = 0; v < n; v++)
            x[v] = V(max ? p->lowest : 0.0f);
#pragma nounroll
        for (i64 k0 = s->first[0]; k0 < s->last[0]; k0++)
#pragma nounroll
            for (i64 k1 = s->first[1]; k1 < s->last[1]; k1++) {
                const i64 row = from + k0 * p->images.src_step[0] + k1 * p->images.src_step[1];
                pool_load(y, src, loaded, row + at, LANES, n, inside - at < LANES ? inside - at : LANES,
                          p->src_end);
#pragma unroll
                for (int v = 0; v < n; v++)
                    x[v] = !max ? x[v] + y[v] : pool_is_above(y[v], x[v], type) ? y[v] : x[v];
            }
#pragma unroll
        for (int v = 0; v < n; v++)
            VSTORE(x[v], v, to + at);
    }
}

#define FOLDED_FOLD(name_, max_, type_)                                                                      \
    OUTLINE void name_(constant struct pooling_folded_params *p, const struct folded_rows *r,                \
                       const struct folded_span *s, global const uchar *src, i64 from, float *to) {          \
        if (r->inside >= 4 * LANES)                                                                          \
            folded_fold_by(p, r, s, src, from, to, 4, max_, type_);                                          \
        else                                                                                                 \
            folded_fold_by(p, r, s, src, from, to, 1, max_, type_);                                          \
    }
#define FOLDED_FOLDS(name_, type_)                                                                           \
    FOLDED_FOLD(folded_max_##name_, true, type_)                                                             \
    FOLDED_FOLD(folded_sum_##name_, false, type_)
FOLDED_FOLDS(bf16, TYPE_BF16)
FOLDED_FOLDS(any, 0)
FOLDED_FOLD(folded_max_s32, true, TYPE_S32)

INLINE void folded_fold(constant struct pooling_folded_params *p, const struct folded_rows *r,
                        const struct folded_span *s, global const uchar *src, i64 from, float *row) {
    const bool max = p->alg == POOLING_MAX;
    const float none = max ? p->lowest : 0.0f;
    float *to = row + r->before;
    from += r->start > 0 ? r->start : 0;
    row_fill(row, none, r->before);
    const bool bf16 = p->src_type == TYPE_BF16;
    if (p->exact)
        folded_max_s32(p, r, s, src, from, to);
    else if (max && bf16)
        folded_max_bf16(p, r, s, src, from, to);
    else if (max)
        folded_max_any(p, r, s, src, from, to);
    else if (bf16)
        folded_sum_bf16(p, r, s, src, from, to);
    else
        folded_sum_any(p, r, s, src, from, to);
    /* Up to the end of the last vector that is read. */
    row_fill(to + r->inside, none, r->length - r->before - r->inside + 2 * LANES);
}

INLINE void folded_fold_all(constant struct pooling_folded_params *p, struct folded_rows *r,
                            global const uchar *src) {
    for (int i = 0; i < r->count; i++) {
        const struct taps *t = &folded_at(p, r, i)->taps;
        const struct folded_span all = {{t->first[0], t->first[1]}, {t->last[0], t->last[1]}};
        folded_fold(p, r, &all, src, folded_from(p, r, i), r->rows + i * p->pitch);
    }
}

/* The elements of a tap for LANES outputs, `stride` apart. */
INLINE VEC folded_tap(const float *from, const int stride) {
    const VEC a = VLOAD(0, from);
    if (stride == 1) return a;
    VEC x;
    const VEC b = VLOAD(1, from);
    x.lo = a.even;
    x.hi = b.even;
    return x;
}

/* Pools folded row c; in training adds it to what is there, where tap `first` is its first one. Callers pass
 * the last four as constants. */
INLINE void folded_across(constant struct pooling_folded_params *p, struct folded_rows *r, int c, int first,
                          const int stride, const bool max, const int type, const bool trains) {
    const int taps = (int)p->images.window.taps[2], step = (int)p->images.window.step[2];
    const float *row = r->rows + c * p->pitch;
    float *out = r->out + c * FOLDED_PITCH;
    int *tap = r->tap + c * FOLDED_PITCH;
#pragma nounroll
    for (int i = 0; i < r->n; i += LANES) {
        VEC x = V(max ? p->lowest : 0.0f);
        IVEC most = (IVEC)(0);
        if (trains) x = VLOAD(0, out + i), most = VLOAD(0, tap + i);
#pragma nounroll
        for (int k = 0; k < taps; k++) {
            const VEC y = folded_tap(row + i * stride + k * step, stride);
            const IVEC above = pool_is_above(y, x, type);
            if (trains) most = above ? (IVEC)(first + k) : most;
            x = !max ? x + y : above ? y : x;
        }
        VSTORE(x, 0, out + i);
        if (trains) VSTORE(most, 0, tap + i);
    }
}

/* The same for any stride, one output at a time. */
OUTLINE void folded_each(constant struct pooling_folded_params *p, struct folded_rows *r, int c, int first) {
    constant struct window *w = &p->images.window;
    const bool max = p->alg == POOLING_MAX, trains = p->workspace_type != 0;
    float *out = r->out + c * FOLDED_PITCH;
#pragma nounroll
    for (int i = 0; i < r->n; i++) {
        const float *from = r->rows + c * p->pitch + i * (int)w->stride[2];
        float x = trains ? out[i] : max ? p->lowest : 0.0f;
#pragma nounroll
        for (int k = 0; k < (int)w->taps[2]; k++, from += w->step[2]) {
            const bool above = p->exact ? as_int(*from) > as_int(x) : *from > x;
            if (trains && above) r->tap[c * FOLDED_PITCH + i] = first + k;
            x = !max ? x + *from : above ? *from : x;
        }
        out[i] = x;
    }
}

#define FOLDED_ACROSS(name_, max_, type_, trains_)                                                           \
    OUTLINE void name_(constant struct pooling_folded_params *p, struct folded_rows *r, int c, int first) {  \
        if (p->images.window.stride[2] == 1)                                                                 \
            folded_across(p, r, c, first, 1, max_, type_, trains_);                                          \
        else if (p->images.window.stride[2] == 2)                                                            \
            folded_across(p, r, c, first, 2, max_, type_, trains_);                                          \
        else                                                                                                 \
            folded_each(p, r, c, first);                                                                     \
    }
FOLDED_ACROSS(folded_max, true, 0, false)
FOLDED_ACROSS(folded_max_s32_along, true, TYPE_S32, false)
FOLDED_ACROSS(folded_sum, false, 0, false)
FOLDED_ACROSS(folded_train, true, 0, true)
FOLDED_ACROSS(folded_train_s32, true, TYPE_S32, true)

/* Which lanes are among the first `count`? */
INLINE IVEC folded_lanes(i64 count) {
    int lanes[LANES];
#pragma unroll
    for (int i = 0; i < LANES; i++)
        lanes[i] = i;
    return VLOAD(0, lanes) < (IVEC)((int)count);
}

/* Divides sums by the number of taps: of all windows, or of those inside the image. */
INLINE void folded_divide(constant struct pooling_folded_params *p, const struct folded_rows *r, int c,
                          float *out) {
    constant struct window *w = &p->images.window;
    const struct taps *t = &folded_at(p, r, c)->taps;
    const i64 others = (t->last[0] - t->first[0]) * (t->last[1] - t->first[1]);
    const bool all = p->alg == POOLING_AVG_INCLUDE_PADDING;
    const VEC divisor = V((float)(all ? p->taps : others * w->taps[2]));
#pragma nounroll
    for (int i = 0; i < r->n; i += LANES) {
        const i64 start = r->start + i * w->stride[2],
                  reach = (LANES - 1) * w->stride[2] + (w->taps[2] - 1) * w->step[2];
        VEC x = VLOAD(0, out + i);
        if (all || (start >= 0 && start + reach < w->size[2])) {
            VSTORE(f32_div(x, divisor), 0, out + i);
            continue;
        }
        float inside[LANES];
#pragma nounroll
        for (int j = 0; j < LANES; j++)
            inside[j] = (float)(others * taps_inside(w, 2, r->place + i + j));
        VSTORE(f32_div(x, VLOAD(0, inside)), 0, out + i);
    }
}

/* The maxima and their taps: the rows of a window one after the other. */
INLINE void folded_train_row(constant struct pooling_folded_params *p, struct folded_rows *r,
                             global const uchar *src, int c) {
    const struct taps *t = &folded_at(p, r, c)->taps;
    row_fill(r->out + c * FOLDED_PITCH, p->lowest, r->n);
#pragma nounroll
    for (int i = 0; i < r->n; i += LANES)
        VSTORE((IVEC)(0), 0, r->tap + c * FOLDED_PITCH + i);
#pragma nounroll
    for (i64 k0 = t->first[0]; k0 < t->last[0]; k0++)
#pragma nounroll
        for (i64 k1 = t->first[1]; k1 < t->last[1]; k1++) {
            const struct folded_span one = {{k0, k1}, {k0 + 1, k1 + 1}};
            folded_fold(p, r, &one, src, folded_from(p, r, c), r->rows + c * p->pitch);
            const int first = (int)((k0 * p->images.window.taps[1] + k1) * p->images.window.taps[2]);
            if (p->exact)
                folded_train_s32(p, r, c, first);
            else
                folded_train(p, r, c, first);
        }
}

/* Results of one row. */
INLINE void folded_store(constant struct pooling_folded_params *p, global uchar *dst, i64 to,
                         const float *out, int n) {
    const int type = p->exact ? TYPE_F32 : p->epilogue.type;
#pragma nounroll
    for (int i = 0; i < n; i += LANES) {
        pool_store(dst, type, to + i, VLOAD(0, out + i), n - i < LANES ? n - i : LANES);
    }
}

INLINE void folded_store_taps(constant struct pooling_folded_params *p, global uchar *workspace, i64 to,
                              const int *taps, int n) {
#pragma nounroll
    for (int i = 0; i < n; i += LANES) {
        pool_store_taps(VLOAD(0, taps + i), workspace, p->workspace_type, to + i + p->workspace_offset,
                        n - i < LANES ? n - i : LANES);
    }
}

/* Post-ops. */
INLINE void folded_finish(constant struct pooling_folded_params *p, EPILOGUE_ARGS, struct folded_rows *r) {
    const struct window_row *row = &r->at[0];
    const struct epilogue_state e = EPILOGUE_STATE(&p->epilogue);
    const i64 at[WINDOW_DIMS] = {row->place[0], row->place[1], r->place};
    const int lanes = 1 + WINDOW_DIMS - (int)p->images.missing;
    struct result_block b = {.rows = r->count,
                             .pitch = FOLDED_PITCH,
                             .row_dim = p->by_channel ? 1 : lanes - 1,
                             .lanes = lanes,
                             .row_step = 1};
    window_position(&p->images, row->batch, r->channel, at, b.position);
#pragma nounroll
    for (int i = 0; i < r->n; i += BLOCK_WIDTH, b.position[lanes] += BLOCK_WIDTH) {
        b.x = r->out + i;
        b.count = r->n - i < BLOCK_WIDTH ? r->n - i : BLOCK_WIDTH;
        block_finish(&e, &b);
    }
}

/* The average of a plane whose elements are one run, by 16 sums. */
INLINE float folded_average(constant struct pooling_folded_params *p, global const uchar *src, i64 from) {
    VEC sum = V(0.0f), x;
    i64 i = 0;
#pragma nounroll
    for (; i + LANES <= p->taps; i += LANES) {
        pool_load(&x, src, p->src_type, from + i, LANES, 1, LANES, p->src_end);
        sum += x;
    }
    if (i < p->taps) {
        pool_load(&x, src, p->src_type, from + i, LANES, 1, (int)(p->taps - i), p->src_end);
        sum += folded_lanes(p->taps - i) ? x : V(0.0f);
    }
    const float8 eight = sum.lo + sum.hi;
    const float4 four = eight.lo + eight.hi;
    const float2 two = four.lo + four.hi;
    return f32_div(two.x + two.y, (float)p->taps);
}

/* The results of row c. */
INLINE void folded_pool(constant struct pooling_folded_params *p, struct folded_rows *r, int c,
                        global const uchar *src) {
    const bool max = p->alg == POOLING_MAX;
    float *out = r->out + c * FOLDED_PITCH;
    if (p->global_average) {
        out[0] = folded_average(p, src, folded_from(p, r, c));
        return;
    }
    if (p->workspace_type)
        folded_train_row(p, r, src, c);
    else if (p->exact)
        folded_max_s32_along(p, r, c, 0);
    else if (max)
        folded_max(p, r, c, 0);
    else
        folded_sum(p, r, c, 0);
    if (!max) folded_divide(p, r, c, out);
}

/* The part of rows from output `place` on. */
INLINE void folded_part(constant struct pooling_folded_params *p, struct folded_rows *r, i64 place) {
    constant struct window *w = &p->images.window;
    const i64 left = p->images.places[2] - place;
    r->n = left < p->outputs ? (int)left : (int)p->outputs;
    r->place = place;
    r->start = place * w->stride[2] - w->padding[2];
    r->length = (int)((r->n - 1) * w->stride[2] + (w->taps[2] - 1) * w->step[2] + 1);
    const i64 end = w->size[2] - r->start < r->length ? w->size[2] - r->start : r->length;
    r->before = r->start >= 0 ? 0 : -r->start < r->length ? (int)-r->start : r->length;
    r->inside = end > r->before ? (int)end - r->before : 0;
}

/* The part of r->count rows from row number `row` on, or of the same row of so many channels. */
INLINE void folded_rows(constant struct pooling_folded_params *p, struct folded_rows *r, i64 row, i64 batch,
                        global const uchar *src, global uchar *workspace, global uchar *dst, EPILOGUE_ARGS) {
    for (int i = 0; i < (p->by_channel ? 1 : r->count); i++)
        r->at[i] = window_row(&p->images, 0, 0, row + i, batch);
    if (!p->workspace_type && !p->global_average) folded_fold_all(p, r, src);
    for (int c = 0; c < r->count; c++)
        folded_pool(p, r, c, src);
    if (p->finished) folded_finish(p, EPILOGUE_PASS, r);
    for (int c = 0; c < r->count; c++) {
        folded_store(p, dst, folded_to(p, r, c), r->out + c * FOLDED_PITCH, r->n);
        if (p->workspace_type)
            folded_store_taps(p, workspace, folded_to(p, r, c), r->tap + c * FOLDED_PITCH, r->n);
    }
}

/* Range: groups of rows, groups of channels, batches. */
#if WANTED(pooling_folded_16)
kernel void pooling_folded_16(ITEM global const uchar *src, global uchar *workspace, global uchar *dst,
                              EPILOGUE_ARGS, constant struct pooling_folded_params *p) {
    constant struct window_images *w = &p->images;
    const i64 rows = w->places[0] * w->places[1], row = get_global_id(0) * p->rows,
              channel = get_global_id(1) * p->channels;
    const i64 last = row + p->rows < rows ? row + p->rows : rows,
              end = channel + p->channels < w->channels ? channel + p->channels : w->channels;
    struct folded_rows r;
    for (i64 place = 0; place < w->places[2]; place += p->outputs) {
        folded_part(p, &r, place);
        for (i64 c = channel; c < end; c += p->by_channel ? r.count : 1)
            for (i64 i = row; i < last; i += p->by_channel ? 1 : r.count) {
                /* Rows of the same depth. */
                const i64 left = p->by_channel ? end - c : last - i,
                          same = w->places[0] == 1 ? left : w->places[1] - i % w->places[1];
                const i64 most = p->by_channel || left < same ? left : same;
                r.count = most < p->together ? (int)most : (int)p->together;
                r.channel = c;
                folded_rows(p, &r, i, get_global_id(2), src, workspace, dst, EPILOGUE_PASS);
            }
    }
}
#endif
