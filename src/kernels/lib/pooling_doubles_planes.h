/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gradients of pooling of images of doubles with dense rows, such as nchw: a plane at a time, which stays in
 * the cache while every output adds to the elements that it was computed from. Included by doubles.cl.
 */

/* Where the elements of a window are, one per tap: rows as offsets in the plane, -1 if outside, and columns
 * from the first one of an output at column 0. */
struct plane_taps {
    i64 row[F64_PLANE_TAPS], column[F64_PLANE_TAPS];
};

INLINE bool is_in(i64 at, i64 size) {
    return at >= 0 && at < size;
}

INLINE void plane_taps_of(constant struct f64_pooling_params *p, const struct taps *t,
                          struct plane_taps *at) {
    constant struct window *w = &p->window;
    int tap = 0;
#pragma nounroll
    for (i64 k0 = 0; k0 < w->taps[0]; k0++)
#pragma nounroll
        for (i64 k1 = 0; k1 < w->taps[1]; k1++) {
            const i64 y0 = t->start[0] + k0 * w->step[0], y1 = t->start[1] + k1 * w->step[1];
            const bool inside = is_in(y0, w->size[0]) && is_in(y1, w->size[1]);
            const i64 row = inside ? y0 * p->to.stride[0] + y1 * p->to.stride[1] : -1;
#pragma nounroll
            for (i64 k2 = 0; k2 < w->taps[2]; k2++, tap++)
                at->row[tap] = row, at->column[tap] = k2 * w->step[2] - w->padding[2];
        }
}

/* Each output of a row adds to its maximum. */
INLINE void plane_maxima(constant struct f64_pooling_params *p, const struct taps *t, global const double *d,
                         global const uchar *workspace, i64 named, global double *to) {
    const int bytes = p->workspace_type == TYPE_U8;
    struct plane_taps at;
    plane_taps_of(p, t, &at);
#pragma nounroll
    for (i64 i = 0; i < p->places[2]; i++) {
        const i64 tap = bytes ? workspace[named + i] : load_s32(workspace, p->workspace_type, named + i);
        if (!is_in(tap, p->taps)) continue;
        const i64 x = i * p->window.stride[2] + at.column[tap];
        if (at.row[tap] >= 0 && is_in(x, p->window.size[2])) to[at.row[tap] + x] += d[i];
    }
}

/* What each output of a row gives to each of its elements, between zeros. */
enum { PLANE_MARGIN = 8 };
INLINE void plane_shares(constant struct f64_pooling_params *p, const struct taps *t, global const double *d,
                         double *shares) {
    constant struct window *w = &p->window;
    const double others = (double)((t->last[0] - t->first[0]) * (t->last[1] - t->first[1]));
    const bool all = p->alg == POOLING_AVG_INCLUDE_PADDING;
    const double8 factor = V(1.0 / (all ? (double)p->taps : others * (double)w->taps[2]));
    const i64 n = p->places[2], reach = (w->taps[2] - 1) * w->step[2];
    vstore8(V(0.0), 0, shares - PLANE_MARGIN);
#pragma nounroll
    for (i64 i = 0; i < n; i += 8) {
        vstore8(load_doubles(d + i, n - i, 0.0) * factor, 0, shares + i);
        vstore8(V(0.0), 1, shares + i);
    }
    /* Windows that begin before the row, or end behind it. */
#pragma nounroll
    for (i64 i = 0; i < n && !all && i * w->stride[2] < w->padding[2]; i++)
        shares[i] = d[i] / (others * (double)taps_inside(w, 2, i));
#pragma nounroll
    for (i64 i = n - 1; i >= 0 && !all && i * w->stride[2] - w->padding[2] + reach >= w->size[2]; i--)
        shares[i] = d[i] / (others * (double)taps_inside(w, 2, i));
}

/* The sums of windows that are two elements apart: of even elements and of odd ones. */
INLINE void plane_sums_of_two(const double *shares, i64 taps, double *sums, i64 length) {
#pragma nounroll
    for (i64 i = 0; 2 * i < length; i += 8) {
        double8 even = V(0.0), odd = V(0.0), low, high;
#pragma nounroll
        for (i64 k = 0; k < taps; k += 2)
            even += vload8(0, shares + i - k / 2);
#pragma nounroll
        for (i64 k = 1; k < taps; k += 2)
            odd += vload8(0, shares + i - k / 2);
        low.even = even.lo, low.odd = odd.lo;
        high.even = even.hi, high.odd = odd.hi;
        vstore8(low, 0, sums + 2 * i);
        vstore8(high, 1, sums + 2 * i);
    }
}

/* sums[i * stride + k * step] = the sum of all such shares[i]. */
INLINE void plane_sums(constant struct window *w, const double *shares, i64 n, double *sums, i64 length) {
    const i64 stride = w->stride[2], step = w->step[2];
    if (stride == 2 && step == 1 && w->taps[2] <= PLANE_MARGIN) {
        plane_sums_of_two(shares, w->taps[2], sums, length);
        return;
    }
#pragma nounroll
    for (i64 i = 0; i < length; i += 8)
        vstore8(V(0.0), 0, sums + i);
    /* The sums of neighbours do not wait for each other. */
#pragma nounroll
    for (i64 k = 0; k < w->taps[2]; k++)
#pragma nounroll
        for (i64 i = 0; i < n; i++)
            sums[i * stride + k * step] += shares[i];
}

/* Each output of a row adds its share to all of its elements: first to a row of their sums, then that to each
 * row of the windows. */
INLINE void plane_averages(constant struct f64_pooling_params *p, const struct taps *t, struct fold *fold,
                           global const double *d, global double *to) {
    constant struct window *w = &p->window;
    double *shares = fold->tap + PLANE_MARGIN;
    plane_shares(p, t, d, shares);
    plane_sums(w, shares, p->places[2], fold->value, fold->length);
#pragma nounroll
    for (i64 k0 = t->first[0]; k0 < t->last[0]; k0++)
#pragma nounroll
        for (i64 k1 = t->first[1]; k1 < t->last[1]; k1++) {
            global double *row = to + (t->start[0] + k0 * w->step[0]) * p->to.stride[0]
                                 + (t->start[1] + k1 * w->step[1]) * p->to.stride[1];
#pragma nounroll
            for (i64 i = 0; i < fold->count; i += 8) {
                const double8 sum = vload8(0, fold->value + fold->first + i);
                store_doubles(load_doubles(row + i, fold->count - i, 0.0) + sum, row + i, fold->count - i);
            }
        }
}

INLINE void plane_clear(constant struct f64_pooling_params *p, global double *to) {
    constant i64 *size = p->window.size;
#pragma nounroll
    for (i64 row = 0; row < size[0] * size[1]; row++) {
        global double *at = to + row / size[1] * p->to.stride[0] + row % size[1] * p->to.stride[1];
#pragma nounroll
        for (i64 i = 0; i < size[2]; i += 8)
            store_doubles(V(0.0), at + i, size[2] - i);
    }
}

INLINE void plane_gradient(constant struct f64_pooling_params *p, struct fold *fold, i64 batch, i64 channel,
                           global const double *diff_dst, global const uchar *workspace,
                           global double *diff_src) {
    global double *to = diff_src + p->to.offset + batch * p->to.batch + channel * p->to.channel;
    fold_begin(p, fold);
    plane_clear(p, to);
#pragma nounroll
    for (i64 row = 0; row < p->places[0] * p->places[1]; row++) {
        const i64 place[] = {row / p->places[1], row % p->places[1], 0};
        global const double *d = diff_dst + pixel(&p->from, batch, place) + channel * p->from.channel;
        struct taps t;
        window_taps(&t, &p->window, place);
        if (p->alg == POOLING_MAX)
            plane_maxima(p, &t, d, workspace,
                         pixel(&p->workspace, batch, place) + channel * p->workspace.channel, to);
        else
            plane_averages(p, &t, fold, d, to);
    }
}
