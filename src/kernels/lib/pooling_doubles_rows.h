/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pooling of images of doubles with dense rows, such as nchw. The rows that a row of windows covers are
 * folded into one, padded row: maxima, with the first tap of the row that they are from, or sums. Windows of
 * that row are results. Included by doubles.cl.
 */
enum { FOLD_LENGTH = POOLING_ROW + 24 };

/* Element i is at position i - padding of the rows of the image. */
struct fold {
    double value[FOLD_LENGTH], tap[FOLD_LENGTH];
    i64 length;       /* elements that windows cover */
    i64 first, count; /* of them, those inside the image */
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

/* Folds the rows of windows whose taps are `t`; from: element 0 of row 0 of the image. Callers pass max and
 * trains as constants. */
INLINE void fold_rows(constant struct f64_pooling_params *p, struct fold *fold, const struct taps *t,
                      global const double *from, const bool max, const bool trains) {
    constant struct window *w = &p->window;
    constant i64 *stride = p->from.stride;
#pragma nounroll
    for (i64 i = 0; i < fold->count; i += 8) {
        /* The last vector starts early if it can: some are computed twice, with the same bits. */
        if (i + 8 > fold->count && fold->count >= 8) i = fold->count - 8;
        double8 x = V(max ? -0x1.fffffffffffffp1023 : 0.0), tap = V(0.0);
#pragma nounroll
        for (i64 k0 = t->first[0]; k0 < t->last[0]; k0++)
#pragma nounroll
            for (i64 k1 = t->first[1]; k1 < t->last[1]; k1++) {
                const i64 at = (t->start[0] + k0 * w->step[0]) * stride[0]
                               + (t->start[1] + k1 * w->step[1]) * stride[1];
                const double8 y =
                        load_doubles(from + at + i, fold->count - i, max ? -0x1.fffffffffffffp1023 : 0.0);
                const long8 above = y > x;
                if (trains) tap = above ? V((double)((k0 * w->taps[1] + k1) * w->taps[2])) : tap;
                x = !max ? x + y : above ? y : x;
            }
        vstore8(x, 0, fold->value + fold->first + i);
        if (trains) vstore8(tap, 0, fold->tap + fold->first + i);
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

/* What the sums of eight outputs are divided by; others: taps that are inside, except along the row. */
INLINE double8 fold_divisor(constant struct f64_pooling_params *p, const struct fold *fold, i64 place,
                            i64 others) {
    constant struct window *w = &p->window;
    if (p->alg == POOLING_AVG_INCLUDE_PADDING) return V((double)p->taps);
    const i64 first = place * w->stride[2], last = first + 7 * w->stride[2] + (w->taps[2] - 1) * w->step[2];
    if (first >= fold->first && last < fold->first + fold->count) return V((double)(others * w->taps[2]));
    double each[8];
#pragma nounroll
    for (int i = 0; i < 8; i++)
        each[i] = (double)(others * taps_inside(w, 2, place + i));
    return vload8(0, each);
}

/* The results of a row; named: offset of the first in the workspace. */
INLINE void fold_pool(constant struct f64_pooling_params *p, const struct fold *fold, i64 others,
                      global double *to, global uchar *workspace, i64 named, const bool max,
                      const bool trains) {
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
        if (!max) x = x / fold_divisor(p, fold, place, others);
        store_doubles(x, to + place, n - place);
        if (trains) store_taps(convert_long8(best), workspace, p->workspace_type, named + place, n - place);
    }
}

/* Ranges: groups of rows of outputs, channels, batches. */
#if WANTED(f64_pooling_rows)
kernel void f64_pooling_rows(ITEM global const double *src, global uchar *workspace, global double *dst,
                             constant struct f64_pooling_params *p) {
    const i64 all = p->places[0] * p->places[1], begin = (i64)get_global_id(0) * p->rows,
              channel = (i64)get_global_id(1), batch = (i64)get_global_id(2);
    const i64 end = begin + p->rows < all ? begin + p->rows : all;
    global const double *from = src + p->from.offset + batch * p->from.batch + channel * p->from.channel;
    struct fold fold;
    fold_begin(p, &fold);
#pragma nounroll
    for (i64 row = begin; row < end; row++) {
        const i64 place[] = {row / p->places[1], row % p->places[1], 0};
        global double *to = dst + pixel(&p->to, batch, place) + channel * p->to.channel;
        const i64 named =
                p->workspace_type ? pixel(&p->workspace, batch, place) + channel * p->workspace.channel : 0;
        struct taps t;
        window_taps(&t, &p->window, place);
        const i64 others = (t.last[0] - t.first[0]) * (t.last[1] - t.first[1]);
        if (p->workspace_type) {
            fold_rows(p, &fold, &t, from, true, true);
            fold_pool(p, &fold, others, to, workspace, named, true, true);
        } else if (p->alg == POOLING_MAX) {
            fold_rows(p, &fold, &t, from, true, false);
            fold_pool(p, &fold, others, to, workspace, named, true, false);
        } else {
            fold_rows(p, &fold, &t, from, false, false);
            fold_pool(p, &fold, others, to, workspace, named, false, false);
        }
    }
}
#endif
