/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pooling, backward, of images with dense rows, for windows whose taps and stride along the row are
 * constants. Each element is the sum of what its readers say, for 16 * stride elements of a row at once: with
 * a stride of two, elements at even and at odd positions are two vectors. Vectors of outputs may reach beyond
 * their row, where something else is: those lanes are masked. What a vector writes beyond a row of the image
 * is written again with the next one. Included after pooling_gather.h.
 */
enum { ROWS_TAPS = 3, ROWS_BEFORE = 16, ROWS_AFTER = 32 };
enum { ROWS_LENGTH = ROWS_BEFORE + POOLING_ROW + ROWS_AFTER };

/* What a loop is compiled for. skew: padding modulo stride; type: of both images, or 0: any. */
struct rows_form {
    bool max;
    int taps, stride, skew, type;
};

/* What is the same for all planes. Output o of a row is at ROWS_BEFORE + o. */
struct rows {
    global const uchar *diff_dst, *workspace;
    global uchar *diff_src;
    int first, blocks;          /* the first output that is loaded; blocks of a row */
    float weight[ROWS_LENGTH];  /* of averages: one divided by the taps that are inside along the row, or 0 */
    float weights[POOLING_ROW]; /* the same of rows of outputs */
    uchar outside[ROWS_LENGTH]; /* of maxima: 255 for outputs that are not there */
};

/* A plane: its offsets, and those where the work-item's planes end, if they are dense; else 0. Vectors of the
 * rows of outputs from `first` to `last` - 1 do not reach beyond the tensors. */
struct plane {
    i64 from, named, to, end, first, last;
};

/* The rows of outputs that read a row of the image, from `first` to `last` - 1: the offsets of the first one,
 * and its first tap. */
struct rows_line {
    i64 first, last, from, named;
    int tap;
};

INLINE void rows_begin(constant struct pooling_backward_images_params *p, struct rows *rows) {
    constant struct window *w = &p->window;
    const bool same = p->alg == POOLING_AVG_INCLUDE_PADDING;
    const int n = (int)p->places[2], stride = (int)w->stride[2], size = (int)w->size[2];
    rows->first = (int)(w->padding[2] - w->taps[2] + stride) >> (stride - 1); /* rounded down */
    rows->blocks = (size + 16 * stride - 1) / (16 * stride);
    for (int i = 0; i < ROWS_BEFORE + n + ROWS_AFTER; i++) {
        const bool inside = i >= ROWS_BEFORE && i < ROWS_BEFORE + n;
        rows->outside[i] = (uchar)(inside ? 0 : 255);
        rows->weight[i] = 0.0f;
        if (inside && p->alg != POOLING_MAX)
            rows->weight[i] = f32_div(1.0f, (float)(same ? p->taps : taps_inside(w, 2, i - ROWS_BEFORE)));
    }
    for (i64 o = 0; o < p->places[1] && p->alg != POOLING_MAX; o++)
        rows->weights[o] = same ? 1.0f : f32_div(1.0f, (float)taps_inside(w, 1, o));
}

/* Could a vector of the row of outputs at `at` reach beyond the tensor? */
INLINE bool rows_are_near(constant struct pooling_image *image, i64 at, i64 n) {
    return at - ROWS_BEFORE < image->offset || at + n + ROWS_AFTER > image->end;
}

INLINE bool plane_is_near(constant struct pooling_backward_images_params *p, const struct plane *plane,
                          i64 o) {
    return rows_are_near(&p->diff_dst, plane->from + o * p->diff_dst.stride[1], p->places[2])
           || (p->alg == POOLING_MAX
               && rows_are_near(&p->workspace, plane->named + o * p->workspace.stride[1], p->places[2]));
}

INLINE struct plane plane_of(constant struct pooling_backward_images_params *p, i64 batch, i64 channel,
                             i64 end) {
    const i64 size = p->window.size[1] * p->window.size[2];
    const bool dense =
            p->diff_src.stride[1] == p->window.size[2] && (p->diff_src.channel == size || channel + 1 == end);
    struct plane plane = {
            .from = p->diff_dst.offset + batch * p->diff_dst.batch + channel * p->diff_dst.channel,
            .named = p->workspace.offset + batch * p->workspace.batch + channel * p->workspace.channel,
            .to = p->diff_src.offset + batch * p->diff_src.batch + channel * p->diff_src.channel,
            .last = p->places[1]};
    if (dense) plane.end = plane.to + (end - channel) * size;
    while (plane.first < plane.last && plane_is_near(p, &plane, plane.first))
        plane.first++;
    while (plane.first < plane.last && plane_is_near(p, &plane, plane.last - 1))
        plane.last--;
    return plane;
}

/* Tap t reaches elements j * stride + phase from outputs rows->first + j + shift. */
INLINE int rows_phase(const struct rows_form f, const int t) {
    return f.stride == 1 ? 0 : (t + f.skew) & 1;
}

INLINE int rows_shift(const struct rows_form f, const int t) {
    const int last = f.taps - 1;
    return (rows_phase(f, t) - t - rows_phase(f, last) + last) / f.stride;
}

INLINE float16 rows_load(constant struct pooling_backward_images_params *p, const struct rows *rows,
                         const struct rows_form f, i64 at) {
    if (f.type == TYPE_F32 || p->diff_dst_type == TYPE_F32)
        return vload16(0, (global const float *)rows->diff_dst + at);
    const uint16 bits = ROW_BITS_16(rows->diff_dst, at);
    if (p->diff_dst_type == TYPE_F16) return widen_f16(bits);
    return widen_bf16(bits);
}

/* What the outputs from o on give to the elements that they read, one vector for each tap; of averages, one
 * for all taps. */
INLINE void rows_averages(constant struct pooling_backward_images_params *p, const struct rows *rows,
                          const struct rows_line *l, const struct rows_form f, i64 o, float16 *given) {
    const float16 none = (float16)(0.0f), weight = vload16(0, rows->weight + ROWS_BEFORE + o);
    i64 from = l->from + o;
    float16 sum = none;
#pragma nounroll
    for (i64 row = l->first; row < l->last; row++, from += p->diff_dst.stride[1])
        sum = fma(rows_load(p, rows, f, from), (float16)(rows->weights[row]), sum);
    given[0] = weight > none ? sum * weight : none;
}

INLINE void rows_maxima(constant struct pooling_backward_images_params *p, const struct rows *rows,
                        const struct rows_line *l, const struct rows_form f, i64 o, float16 *given) {
    const uchar16 outside = vload16(0, rows->outside + ROWS_BEFORE + o);
    const int tap_step = (int)p->window.stride[1] * f.taps;
    i64 from = l->from + o, named = l->named + o;
    int tap = l->tap;
#pragma unroll
    for (int t = 0; t < f.taps; t++)
        given[t] = (float16)(0.0f);
#pragma nounroll
    for (i64 row = l->first; row < l->last; row++, tap -= tap_step) {
        const uchar16 taps = vload16(0, rows->workspace + named) | outside;
        const float16 d = rows_load(p, rows, f, from);
#pragma unroll
        for (int t = 0; t < f.taps; t++) {
            const int16 here = convert_int16(taps == (uchar16)((uchar)(tap + t)));
            given[t] = here ? given[t] + d : given[t];
        }
        from += p->diff_dst.stride[1];
        named += p->workspace.stride[1];
    }
}

/* The same for the block of outputs from o on; those after the last give nothing. */
INLINE void rows_given(constant struct pooling_backward_images_params *p, const struct rows *rows,
                       const struct rows_line *l, const struct rows_form f, i64 o, float16 *given) {
#pragma unroll
    for (int t = 0; t < ROWS_TAPS; t++)
        given[t] = (float16)(0.0f);
    if (o >= p->places[2]) return;
    if (f.max)
        rows_maxima(p, rows, l, f, o, given);
    else
        rows_averages(p, rows, l, f, o, given);
}

/* The sums of 16 * stride elements, from what this block of outputs gives and the next one. */
INLINE void rows_sums(const struct rows_form f, const float16 *given, const float16 *next, float16 *sum) {
    sum[0] = sum[1] = (float16)(-0.0f);
#pragma unroll
    for (int t = 0; t < f.taps; t++) {
        const int k = f.max ? t : 0, shift = rows_shift(f, t);
        float16 x = given[k];
        if (shift == 1) x = LANES_AFTER(given[k], next[k], 1);
        if (shift == 2) x = LANES_AFTER(given[k], next[k], 2);
        sum[rows_phase(f, t)] += x;
    }
}

/* Element i of the row of the image, near the ends of tensors: one output at a time. */
INLINE float rows_element(constant struct pooling_backward_images_params *p, const struct rows *rows,
                          const struct rows_line *l, const struct readers *r) {
    const bool max = p->alg == POOLING_MAX;
    float sum = 0.0f;
#pragma nounroll
    for (i64 j = r->first; j < r->last; j++) {
        const int t = (int)(r->at - j * p->window.stride[2]);
        float column = 0.0f;
#pragma nounroll
        for (i64 o = l->first; o < l->last; o++) {
            const i64 k = o - l->first, at = l->named + k * p->workspace.stride[1] + j;
            const int tap = l->tap + t - (int)(k * p->window.stride[1] * p->window.taps[2]);
            if (max && rows->workspace[at] != tap) continue;
            const float d =
                    load_f32(rows->diff_dst, p->diff_dst_type, l->from + k * p->diff_dst.stride[1] + j);
            column = max ? column + d : fma(d, rows->weights[o], column);
        }
        sum += max ? column : column * rows->weight[ROWS_BEFORE + j];
    }
    return sum;
}

OUTLINE void rows_slowly(constant struct pooling_backward_images_params *p, const struct rows *rows,
                         const struct rows_line *l, i64 to) {
    struct readers r = readers_of(&p->window, 2, 0, p->places[2]);
#pragma nounroll
    for (i64 i = 0; i < p->window.size[2]; i++, readers_next(&r, &p->window, 2, p->places[2]))
        store_f32(rows->diff_src, p->diff_src_type, to + i, rows_element(p, rows, l, &r));
}

/* Stores `count` of the elements. */
OUTLINE void rows_store_some(global uchar *to, int type, i64 at, const float16 *x, i64 count) {
    for (int i = 0; count > 0; i++, at += 16, count -= 16) {
        const int n = count < 16 ? (int)count : 16;
        if (type == TYPE_F32)
            store_lanes(x[i], (global float *)to + at, n);
        else if (n == 16)
            store_vector(to, type, at, x[i]);
        else if (type == TYPE_F16)
            store_ushorts(convert_ushort16(lanes_f16(x[i])), (global ushort *)to + at, n);
        else
            store_ushorts(narrow_bf16(x[i]), (global ushort *)to + at, n);
    }
}

/* Stores 16 * stride elements, of which `count` may be written. */
INLINE void rows_store(global uchar *to, int type, const struct rows_form f, i64 at, const float16 *sum,
                       i64 count) {
    float16 x = sum[0], y = sum[1];
    if (f.stride == 2) {
        x.even = sum[0].lo, x.odd = sum[1].lo;
        y.even = sum[0].hi, y.odd = sum[1].hi;
    }
    if (count < 16 * f.stride) {
        float16 each[2];
        each[0] = x, each[1] = y;
        rows_store_some(to, type, at, each, count);
    } else if (type == TYPE_F32) {
        vstore16(x, 0, (global float *)to + at);
        if (f.stride == 2) vstore16(y, 1, (global float *)to + at);
    } else if (type == TYPE_F16) {
        store_vector(to, TYPE_F16, at, x);
        if (f.stride == 2) store_vector(to, TYPE_F16, at + 16, y);
    } else {
        store_vector(to, TYPE_BF16, at, x);
        if (f.stride == 2) store_vector(to, TYPE_BF16, at + 16, y);
    }
}

/* One row of the image, at offset `to`; `room` elements may be written. */
INLINE void rows_row(constant struct pooling_backward_images_params *p, const struct rows *rows,
                     const struct rows_line *l, const struct rows_form f, i64 to, i64 room) {
    const int blocks = rows->blocks;
    i64 o = rows->first;
    float16 given[ROWS_TAPS], next[ROWS_TAPS], sum[2];
    rows_given(p, rows, l, f, o, given);
#pragma nounroll
    for (int i = 0; i < blocks; i++, to += 16 * f.stride, room -= 16 * f.stride) {
        rows_given(p, rows, l, f, o += 16, next);
        rows_sums(f, given, next, sum);
        rows_store(rows->diff_src, f.type ? f.type : p->diff_src_type, f, to, sum, room);
#pragma unroll
        for (int t = 0; t < ROWS_TAPS; t++)
            given[t] = next[t];
    }
}

INLINE void rows_plane(constant struct pooling_backward_images_params *p, const struct rows *rows,
                       const struct plane *plane, const struct rows_form f) {
    constant struct window *w = &p->window;
    const i64 height = w->size[1], length = w->size[2], stride = w->stride[1], places = p->places[1];
    const struct readers r = readers_of(w, 1, 0, places);
    struct rows_line l = {.first = r.first,
                          .last = r.last,
                          .from = plane->from + r.first * p->diff_dst.stride[1],
                          .named = plane->named + r.first * p->workspace.stride[1],
                          .tap = (int)((r.at - r.first * stride) * f.taps)};
    /* For how many more rows the first reader reads, and after how many there is one more. */
    i64 stays = r.first * stride + w->taps[1] - r.at, comes = r.last * stride - r.at, to = plane->to;
#pragma nounroll
    for (i64 i = 0; i < height; i++, to += p->diff_src.stride[1]) {
        const i64 room = plane->end - to;
        if (l.first >= plane->first && l.last <= plane->last)
            rows_row(p, rows, &l, f, to, room > length ? room : length);
        else
            rows_slowly(p, rows, &l, to);
        l.tap += f.taps;
        if (--stays == 0) {
            stays = stride;
            l.first++;
            l.from += p->diff_dst.stride[1];
            l.named += p->workspace.stride[1];
            l.tap -= (int)stride * f.taps;
        }
        if (--comes == 0) {
            comes = stride;
            l.last += l.last < places;
        }
    }
}

/* The windows: taps, stride, skew. */
#define ROWS_WINDOWS(X) X(3, 2, 0) X(3, 2, 1) X(2, 2, 0) X(3, 1, 0)

/* Separate functions, so that each has all registers to itself. */
#define ROWS_OF(taps_, stride_, skew_)                                                                       \
    OUTLINE void rows_##taps_##stride_##skew_(constant struct pooling_backward_images_params *p,             \
                                              const struct rows *rows, const struct plane *plane) {          \
        const bool max = p->alg == POOLING_MAX,                                                              \
                   f32 = p->diff_dst_type == TYPE_F32 && p->diff_src_type == TYPE_F32;                       \
        if (max && f32)                                                                                      \
            rows_plane(p, rows, plane, (struct rows_form){true, taps_, stride_, skew_, TYPE_F32});           \
        else if (max)                                                                                        \
            rows_plane(p, rows, plane, (struct rows_form){true, taps_, stride_, skew_, 0});                  \
        else if (f32)                                                                                        \
            rows_plane(p, rows, plane, (struct rows_form){false, taps_, stride_, skew_, TYPE_F32});          \
        else                                                                                                 \
            rows_plane(p, rows, plane, (struct rows_form){false, taps_, stride_, skew_, 0});                 \
    }
ROWS_WINDOWS(ROWS_OF)

/* Range: shares of the channels, batches. */
#if WANTED(pooling_backward_rows)
kernel void pooling_backward_rows(ITEM global const uchar *diff_dst, global const uchar *workspace,
                                  global uchar *diff_src, constant struct pooling_backward_images_params *p) {
    constant struct window *w = &p->window;
    const i64 begin = (i64)get_global_id(0) * p->span;
    const i64 end = begin + p->span < p->channels ? begin + p->span : p->channels;
    struct rows rows;
    rows.diff_dst = diff_dst, rows.workspace = workspace, rows.diff_src = diff_src;
    rows_begin(p, &rows);
    for (i64 c = begin; c < end; c++) {
        const struct plane plane = plane_of(p, (i64)get_global_id(1), c, end);
#define ROWS_CALL(taps_, stride_, skew_)                                                                     \
    if (w->taps[2] == taps_ && w->stride[2] == stride_ && w->padding[2] % stride_ == skew_)                  \
        rows_##taps_##stride_##skew_(p, &rows, &plane);
        ROWS_WINDOWS(ROWS_CALL)
#undef ROWS_CALL
    }
}
#endif
