/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pooling of images of doubles with dense rows, such as nchw. The rows that a row of windows covers are
 * folded into one, padded row: maxima, with the first tap of the row that they are from, or sums. Windows of
 * that row are results. Included by doubles.cl.
 */
/* Rows that are folded before the first of them is loaded again: loads that overlap several stores wait for
 * them. */
enum { FOLD_LENGTH = POOLING_ROW + 24, FOLDS = 4 };

/* Element i is at position i - padding of the rows of the image. */
struct fold {
    double value[FOLD_LENGTH], tap[FOLD_LENGTH];
    i64 length;       /* elements that windows cover */
    i64 first, count; /* of them, those inside the image */
    i64 others;       /* taps that are inside, except along the row */
};

/* Fills what is outside, and 16 elements after the end. */
INLINE void fold_begin(constant struct f64_pooling_params *p, struct fold *fold) {
    constant struct window *w = &p->window;
    const double none = p->alg == POOLING_MAX ? -0x1.fffffffffffffp1023 : 0.0;
    fold->length = (p->places[2] - 1) * w->stride[2] + (w->taps[2] - 1) * w->step[2] + 1;
    fold->first = w->padding[2] < fold->length ? w->padding[2] : fold->length;
    fold->count = fold->length - fold->first < w->size[2] ? fold->length - fold->first : w->size[2];
#pragma nounroll
    for (i64 i = 0; i < fold->length + 16; i++)
        fold->value[i] = none, fold->tap[i] = 0.0;
}

/* Folds n vectors of rows of windows whose taps are `t`; from: element i of row 0 of the image. Callers pass
 * n, max and trains as constants. */
INLINE void fold_some(constant struct f64_pooling_params *p, struct fold *fold, const struct taps *t,
                      global const double *from, i64 i, const int n, const bool max, const bool trains) {
    constant struct window *w = &p->window;
    constant i64 *stride = p->from.stride;
    const i64 left = fold->count - i, step = w->step[1] * stride[1];
    double8 x[POOL_VECTORS], tap[POOL_VECTORS], y[POOL_VECTORS];
#pragma unroll
    for (int v = 0; v < n; v++)
        x[v] = V(max ? -0x1.fffffffffffffp1023 : 0.0), tap[v] = V(0.0);
#pragma nounroll
    for (i64 k0 = t->first[0]; k0 < t->last[0]; k0++) {
        i64 at = (t->start[0] + k0 * w->step[0]) * stride[0] + t->start[1] * stride[1] + t->first[1] * step;
#pragma nounroll
        for (i64 k1 = t->first[1]; k1 < t->last[1]; k1++, at += step) {
            pool_load(y, from + at, n, left);
#pragma unroll
            for (int v = 0; v < n; v++) {
                const long8 above = y[v] > x[v];
                if (trains) tap[v] = above ? V((double)((k0 * w->taps[1] + k1) * w->taps[2])) : tap[v];
                x[v] = !max ? x[v] + y[v] : above ? y[v] : x[v];
            }
        }
    }
#pragma unroll
    for (int v = 0; v < n; v++) {
        /* What follows the row is outside. */
        if (n > 1 || left >= 8) {
            vstore8(x[v], v, fold->value + fold->first + i);
            if (trains) vstore8(tap[v], v, fold->tap + fold->first + i);
            continue;
        }
        double values[8], taps[8];
        vstore8(x[v], 0, values);
        vstore8(tap[v], 0, taps);
        for (int k = 0; k < left; k++)
            fold->value[fold->first + i + k] = values[k], fold->tap[fold->first + i + k] = taps[k];
    }
}

INLINE void fold_rows(constant struct f64_pooling_params *p, struct fold *fold, const struct taps *t,
                      global const double *from, const bool max, const bool trains) {
    const i64 count = fold->count;
    i64 i = 0;
#pragma nounroll
    for (; i + 8 * POOL_VECTORS <= count; i += 8 * POOL_VECTORS)
        fold_some(p, fold, t, from + i, i, POOL_VECTORS, max, trains);
#pragma nounroll
    for (; i < count; i += 8) {
        /* The last vector starts early if it can: some are computed twice, with the same bits. */
        if (i + 8 > count && count >= 8) i = count - 8;
        fold_some(p, fold, t, from + i, i, 1, max, trains);
    }
}

/* Eight elements, `stride` apart; with a larger stride than 2, only `count` of them. */
INLINE double8 fold_load(const double *from, i64 stride, i64 count) {
    double8 x = vload8(0, from);
    if (stride == 1) return x;
    if (stride == 2) {
        const double8 y = vload8(1, from);
        double8 even;
        even.lo = x.even, even.hi = y.even;
        return even;
    }
    double each[8];
#pragma nounroll
    for (int i = 0; i < 8; i++)
        each[i] = i < count ? from[i * stride] : 0.0;
    return vload8(0, each);
}

/* What the sums of eight outputs are divided by. */
INLINE double8 fold_divisor(constant struct f64_pooling_params *p, const struct fold *fold, i64 place) {
    constant struct window *w = &p->window;
    if (p->alg == POOLING_AVG_INCLUDE_PADDING) return V((double)p->taps);
    const i64 first = place * w->stride[2], last = first + 7 * w->stride[2] + (w->taps[2] - 1) * w->step[2];
    if (first >= fold->first && last < fold->first + fold->count)
        return V((double)(fold->others * w->taps[2]));
    double each[8];
#pragma nounroll
    for (int i = 0; i < 8; i++)
        each[i] = (double)(fold->others * taps_inside(w, 2, place + i));
    return vload8(0, each);
}

/* The results of a row; named: offset of the first in the workspace. */
INLINE void fold_pool(constant struct f64_pooling_params *p, const struct fold *fold, global double *to,
                      global uchar *workspace, i64 named, const bool max, const bool trains) {
    constant struct window *w = &p->window;
    const i64 n = p->places[2], stride = w->stride[2];
#pragma nounroll
    for (i64 place = 0; place < n; place += 8) {
        if (place + 8 > n && n >= 8) place = n - 8;
        double8 x = V(max ? -0x1.fffffffffffffp1023 : 0.0), best = V(0.0);
        i64 at = place * stride;
#pragma nounroll
        for (i64 k = 0; k < w->taps[2]; k++, at += w->step[2]) {
            const double8 y = fold_load(fold->value + at, stride, n - place);
            if (trains) {
                const double8 tap = fold_load(fold->tap + at, stride, n - place) + V((double)k);
                best = (y > x) | ((y == x) & (tap < best)) ? tap : best;
            }
            x = !max ? x + y : y > x ? y : x;
        }
        if (!max) x = x / fold_divisor(p, fold, place);
        store_doubles(x, to + place, n - place);
        if (trains) store_taps(convert_long8(best), workspace, p->workspace_type, named + place, n - place);
    }
}

/* Asks for the rows that windows FOLDS rows below end with. */
INLINE void fold_ask(constant struct f64_pooling_params *p, const struct taps *t, global const double *from) {
    constant struct window *w = &p->window;
    const i64 rows = w->stride[1] < w->taps[1] ? w->stride[1] : w->taps[1];
    i64 row = t->start[1] + FOLDS * w->stride[1] + (w->taps[1] - rows) * w->step[1];
#pragma nounroll
    for (i64 k = 0; k < rows && row < w->size[1]; k++, row += w->step[1])
#pragma nounroll
        for (i64 i = 0; i < w->size[2] && row >= 0; i += 8)
            PREFETCH_FAR(from + t->start[0] * p->from.stride[0] + row * p->from.stride[1] + i);
}

INLINE void fold_row(constant struct f64_pooling_params *p, struct fold *fold, i64 row,
                     global const double *from) {
    const i64 place[] = {row / p->places[1], row % p->places[1], 0};
    struct taps t;
    window_taps(&t, &p->window, place);
    if (t.start[0] >= 0) fold_ask(p, &t, from);
    fold->others = (t.last[0] - t.first[0]) * (t.last[1] - t.first[1]);
    if (p->workspace_type)
        fold_rows(p, fold, &t, from, true, true);
    else if (p->alg == POOLING_MAX)
        fold_rows(p, fold, &t, from, true, false);
    else
        fold_rows(p, fold, &t, from, false, false);
}

INLINE void fold_finish(constant struct f64_pooling_params *p, const struct fold *fold, global double *to,
                        global uchar *workspace, i64 named) {
    if (p->workspace_type)
        fold_pool(p, fold, to, workspace, named, true, true);
    else if (p->alg == POOLING_MAX)
        fold_pool(p, fold, to, workspace, named, true, false);
    else
        fold_pool(p, fold, to, workspace, named, false, false);
}

#include "kernels/lib/pooling_doubles_planes.h"

/* Ranges: groups of rows of outputs, or one for gradients; channels; batches. `src` and `dst` are diff_dst
 * and diff_src then. */
#if WANTED(f64_pooling_rows)
kernel void f64_pooling_rows(ITEM global const double *src, global uchar *workspace, global double *dst,
                             constant struct f64_pooling_params *p) {
    const i64 all = p->places[0] * p->places[1], begin = (i64)get_global_id(0) * p->rows,
              channel = (i64)get_global_id(1), batch = (i64)get_global_id(2);
    const i64 end = begin + p->rows < all ? begin + p->rows : all;
    global const double *from = src + p->from.offset + batch * p->from.batch + channel * p->from.channel;
    struct fold folds[FOLDS];
    if (p->backward) {
        plane_gradient(p, &folds[0], batch, channel, src, workspace, dst);
        return;
    }
    for (int i = 0; i < FOLDS; i++)
        fold_begin(p, &folds[i]);
#pragma nounroll
    for (i64 row = begin; row < end; row += FOLDS) {
        const int count = end - row < FOLDS ? (int)(end - row) : FOLDS;
#pragma nounroll
        for (int i = 0; i < count; i++)
            fold_row(p, &folds[i], row + i, from);
#pragma nounroll
        for (int i = 0; i < count; i++) {
            const i64 place[] = {(row + i) / p->places[1], (row + i) % p->places[1], 0};
            const i64 named = p->workspace_type
                                      ? pixel(&p->workspace, batch, place) + channel * p->workspace.channel
                                      : 0;
            fold_finish(p, &folds[i], dst + pixel(&p->to, batch, place) + channel * p->to.channel, workspace,
                        named);
        }
    }
}
#endif
