/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pooling, backward, of images with dense rows, for windows whose taps and stride along the row are
 * constants. The last rows of outputs are kept as floats, with zeros before and after them. Each element is
 * the sum of what its readers say, for 16 * stride elements of a row at once: with a stride of two, elements
 * at even and at odd positions are two vectors. Included after pooling_gather.h.
 */
enum { ROWS_TAPS = 3, ROWS_KEPT = 4, ROWS_BEFORE = 16, ROWS_LENGTH = ROWS_BEFORE + POOLING_ROW + 48 };

/* What a loop is compiled for. skew: padding modulo stride. */
struct rows_form {
    bool max;
    int taps, stride, skew;
};

/* Output o of a row is at ROWS_BEFORE + o. */
struct output_row {
    float gradient[ROWS_LENGTH]; /* of averages: divided by the number of elements */
    float tap[ROWS_LENGTH];      /* of maxima: its number */
};

/* A plane, and a row of it. */
struct plane {
    global const uchar *diff_dst, *workspace;
    global uchar *diff_src;
    i64 from, named, to;            /* offsets of the plane */
    i64 loaded;                     /* row o of outputs is in kept[o % ROWS_KEPT], for o < loaded */
    struct readers r;               /* of the row */
    float weight[POOLING_ROW + 16]; /* of averages: one divided by the taps that are inside, along the row */
    struct output_row kept[ROWS_KEPT];
};

INLINE void plane_weigh(constant struct pooling_backward_images_params *p, struct plane *plane) {
    const bool same = p->alg == POOLING_AVG_INCLUDE_PADDING;
    for (i64 o = 0; o < p->places[2]; o++)
        plane->weight[o] = f32_div(1.0f, (float)(same ? p->taps : taps_inside(&p->window, 2, o)));
}

/* Loads n outputs of type f32, bf16 or u8, and zeros after them. */
OUTLINE void plane_load_row(float *to, global const uchar *from, int type, i64 offset, int n) {
    for (int i = 0; i < n && n < 16; i++)
        to[i] = load_f32(from, type, offset + i);
    for (int i = 0; i < n && n >= 16; i += 16) {
        const int k = i + 16 < n ? i : n - 16;
        if (type == TYPE_F32)
            vstore16(vload16(0, (global const float *)from + offset + k), 0, to + k);
        else if (type == TYPE_BF16)
            vstore16(widen_bf16(ROW_BITS_16(from, offset + k)), 0, to + k);
        else
            vstore16(widen_unsigned(ROW_BITS_8(from, offset + k)), 0, to + k);
    }
    vstore16((float16)(0.0f), 0, to + n);
    vstore16((float16)(0.0f), 1, to + n);
}

OUTLINE void plane_load(constant struct pooling_backward_images_params *p, struct plane *plane) {
    const i64 o = plane->loaded++;
    const int n = (int)p->places[2];
    struct output_row *row = &plane->kept[o % ROWS_KEPT];
    float *gradient = row->gradient + ROWS_BEFORE;
    plane_load_row(gradient, plane->diff_dst, p->diff_dst_type, plane->from + o * p->diff_dst.stride[1], n);
    if (p->alg == POOLING_MAX) {
        plane_load_row(row->tap + ROWS_BEFORE, plane->workspace, TYPE_U8,
                       plane->named + o * p->workspace.stride[1], n);
        return;
    }
    const bool same = p->alg == POOLING_AVG_INCLUDE_PADDING;
    const float16 each = (float16)(same ? 1.0f : f32_div(1.0f, (float)taps_inside(&p->window, 1, o)));
    for (int i = 0; i < n; i += 16)
        vstore16(vload16(0, gradient + i) * vload16(0, plane->weight + i) * each, 0, gradient + i);
    vstore16((float16)(0.0f), 0, gradient + n);
}

/* Tap t reaches elements j * stride + phase from outputs j + padding / stride + shift. */
INLINE int rows_phase(const struct rows_form f, const int t) {
    return f.stride == 1 ? 0 : (t + f.skew) & 1;
}

INLINE int rows_shift(const struct rows_form f, const int t) {
    return (rows_phase(f, t) + f.skew - t) / f.stride;
}

/* Adds what a row of outputs says to 16 * stride elements. at: the first output without shift; first: its
 * row's first tap. */
INLINE void rows_add(const struct output_row *row, const struct rows_form f, i64 at, float first,
                     float16 *sum) {
#pragma unroll
    for (int t = 0; t < f.taps; t++) {
        const int phase = rows_phase(f, t);
        const float16 d = vload16(0, row->gradient + at + rows_shift(f, t));
        if (f.max) {
            const int16 here = vload16(0, row->tap + at + rows_shift(f, t)) == (float16)(first + (float)t);
            sum[phase] = here ? sum[phase] + d : sum[phase];
        } else {
            sum[phase] += d;
        }
    }
}

OUTLINE void rows_store_end(global uchar *to, int type, i64 at, const float16 *x, int count) {
    if (type == TYPE_F32)
        store_lanes(*x, (global float *)to + at, count);
    else
        store_ushorts(narrow_bf16(*x), (global ushort *)to + at, count);
}

INLINE void rows_store_some(global uchar *to, int type, i64 at, float16 x, i64 count) {
    if (count < 16)
        rows_store_end(to, type, at, &x, (int)count);
    else if (type == TYPE_F32)
        vstore16(x, 0, (global float *)to + at);
    else
        store_vector(to, TYPE_BF16, at, x);
}

/* Stores the first `count` of 16 * stride elements. */
INLINE void rows_store(global uchar *to, int type, const struct rows_form f, i64 at, const float16 *sum,
                       i64 count) {
    float16 x = sum[0], y = sum[1];
    if (f.stride == 2) {
        x.even = sum[0].lo, x.odd = sum[1].lo;
        y.even = sum[0].hi, y.odd = sum[1].hi;
    }
    rows_store_some(to, type, at, x, count);
    if (f.stride == 2 && count > 16) rows_store_some(to, type, at + 16, y, count - 16);
}

/* One row of the image. */
INLINE void rows_row(constant struct pooling_backward_images_params *p, const struct plane *plane,
                     const struct rows_form f, i64 to) {
    constant struct window *w = &p->window;
    const i64 size = w->size[2], block = 16 * f.stride, before = ROWS_BEFORE + w->padding[2] / f.stride;
#pragma nounroll
    for (i64 i = 0; i < size; i += block) {
        /* The last block starts early if it can: some are computed twice, with the same bits. */
        if (i > 0 && i + block > size && size % f.stride == 0) i = size - block;
        float16 sum[2];
        sum[0] = sum[1] = (float16)(0.0f);
#pragma nounroll
        for (i64 o = plane->r.first; o < plane->r.last; o++)
            rows_add(&plane->kept[o % ROWS_KEPT], f, before + i / f.stride,
                     (float)((plane->r.at - o * w->stride[1]) * f.taps), sum);
        rows_store(plane->diff_src, p->diff_src_type, f, to + i, sum, size - i);
    }
}

INLINE void rows_plane(constant struct pooling_backward_images_params *p, struct plane *plane,
                       const struct rows_form f) {
    plane->r = readers_of(&p->window, 1, 0, p->places[1]);
    plane->loaded = 0;
#pragma nounroll
    for (i64 i = 0; i < p->window.size[1]; i++, readers_next(&plane->r, &p->window, 1, p->places[1])) {
        /* One row ahead: loads that overlap a store to which they are not aligned would wait for it. */
        while (plane->loaded <= plane->r.last && plane->loaded < p->places[1])
            plane_load(p, plane);
        rows_row(p, plane, f, plane->to + i * p->diff_src.stride[1]);
    }
}

/* The windows: taps, stride, skew. */
#define ROWS_WINDOWS(X) X(3, 2, 0) X(3, 2, 1) X(2, 2, 0) X(3, 1, 0)

/* Separate functions, so that each has all registers to itself. */
#define ROWS_OF(taps_, stride_, skew_)                                                                       \
    OUTLINE void rows_##taps_##stride_##skew_(constant struct pooling_backward_images_params *p,             \
                                              struct plane *plane) {                                         \
        if (p->alg == POOLING_MAX)                                                                           \
            rows_plane(p, plane, (struct rows_form){true, taps_, stride_, skew_});                           \
        else                                                                                                 \
            rows_plane(p, plane, (struct rows_form){false, taps_, stride_, skew_});                          \
    }
ROWS_WINDOWS(ROWS_OF)

/* Range: shares of the channels, batches. */
#if WANTED(pooling_backward_rows)
kernel void pooling_backward_rows(ITEM global const uchar *diff_dst, global const uchar *workspace,
                                  global uchar *diff_src, constant struct pooling_backward_images_params *p) {
    constant struct window *w = &p->window;
    const i64 begin = (i64)get_global_id(0) * p->span, batch = (i64)get_global_id(1);
    const i64 end = begin + p->span < p->channels ? begin + p->span : p->channels;
    struct plane plane;
    plane.diff_dst = diff_dst, plane.workspace = workspace, plane.diff_src = diff_src;
    for (int i = 0; i < ROWS_KEPT; i++)
        vstore16((float16)(0.0f), 0, plane.kept[i].gradient);
    if (p->alg != POOLING_MAX) plane_weigh(p, &plane);
    for (i64 c = begin; c < end; c++) {
        plane.from = p->diff_dst.offset + batch * p->diff_dst.batch + c * p->diff_dst.channel;
        plane.named = p->workspace.offset + batch * p->workspace.batch + c * p->workspace.channel;
        plane.to = p->diff_src.offset + batch * p->diff_src.batch + c * p->diff_src.channel;
#define ROWS_CALL(taps_, stride_, skew_)                                                                     \
    if (w->taps[2] == taps_ && w->stride[2] == stride_ && w->padding[2] % stride_ == skew_)                  \
        rows_##taps_##stride_##skew_(p, &plane);
        ROWS_WINDOWS(ROWS_CALL)
#undef ROWS_CALL
    }
}
#endif
