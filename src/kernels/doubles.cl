/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory-bound primitives in doubles, for every class of device: tensors that are dense in the way that a
 * kernel wants, everything else is moved to that before. A family of its own, because devices without doubles
 * cannot use a module with doubles.
 */
#include "kernels/lib/convert.h"
#include "kernels/lib/math_doubles.h"
#include "kernels/lib/pooling_readers.h"
#include "kernels/lib/softmax_unit.h"
#include "kernels/params_doubles.h"
#include "kernels/params_eltwise.h"
#include "kernels/params_normalization_backward.h"

#define DOUBLES
#define LANES 8
#include "kernels/lib/lanes.h"
#undef LANES
#undef DOUBLES

/* The end of a line: fewer than 8 elements. */
OUTLINE double8 load_last(global const double *from, i64 count, double none) {
    double values[8];
#pragma nounroll
    for (int i = 0; i < 8; i++)
        values[i] = i < count ? from[i] : none;
    return vload8(0, values);
}

OUTLINE void store_last(double8 x, global double *to, i64 count) {
    double values[8];
    vstore8(x, 0, values);
#pragma nounroll
    for (int i = 0; i < count; i++)
        to[i] = values[i];
}

/* The first `count` of 8 elements; the other lanes are `none`. */
INLINE double8 load_doubles(global const double *from, i64 count, double none) {
    return count >= 8 ? vload8(0, from) : load_last(from, count, none);
}

INLINE void store_doubles(double8 x, global double *to, i64 count) {
    if (count >= 8)
        vstore8(x, 0, to);
    else
        store_last(x, to, count);
}

OUTLINE double8 load_slowly(global const uchar *from, int type, i64 at, i64 count) {
    double values[8];
#pragma nounroll
    for (int i = 0; i < 8; i++)
        values[i] = i < count ? (double)load_f32(from, type, at + i) : 0.0;
    return vload8(0, values);
}

/* The first `count` of 8 elements of any type but f64, `none` if there is no such tensor. */
INLINE double8 load_others(global const uchar *from, int type, i64 at, i64 count, double none) {
    if (type == 0) return V(none);
    if (type == TYPE_F32 && count >= 8) return convert_double8(vload8(0, (global const float *)from + at));
    return load_slowly(from, type, at, count);
}

INLINE double sum_of(double8 x) {
    return ((x.s0 + x.s4) + (x.s2 + x.s6)) + ((x.s1 + x.s5) + (x.s3 + x.s7));
}

/* Range: count / span. */
#if WANTED(f64_eltwise)
kernel void f64_eltwise(ITEM global const double *src, global double *dst,
                        constant struct f64_eltwise_params *p) {
    const i64 begin = (i64)get_global_id(0) * p->span;
    i64 left = p->count - begin < p->span ? p->count - begin : p->span;
    src += p->src_offset + begin;
    dst += p->dst_offset + begin;
#pragma nounroll
    for (; left > 0; left -= 8, src += 8, dst += 8)
        store_doubles(eltwise_f32(p->alg, load_doubles(src, left, 0.0), p->alpha, p->beta), dst, left);
}
#endif

/* Range: count / span. */
#if WANTED(f64_eltwise_backward)
kernel void f64_eltwise_backward(ITEM global const double *data, global const double *diff_dst,
                                 global double *diff_src, constant struct eltwise_backward_dense_params *p) {
    const i64 begin = (i64)get_global_id(0) * p->span;
    i64 left = p->count - begin < p->span ? p->count - begin : p->span;
    data += p->data_offset + begin;
    diff_dst += p->diff_dst_offset + begin;
    diff_src += p->diff_src_offset + begin;
#pragma nounroll
    for (; left > 0; left -= 8, data += 8, diff_dst += 8, diff_src += 8) {
        const double8 slope = gradient_f32(p->alg, load_doubles(data, left, 0.0), p->alpha, p->beta);
        store_doubles(load_doubles(diff_dst, left, 0.0) * slope, diff_src, left);
    }
}
#endif

/* Range: count / span. */
#if WANTED(f64_add)
kernel void f64_add(ITEM global const double *first, global const double *second, global double *dst,
                    constant struct f64_add_params *p) {
    const i64 begin = (i64)get_global_id(0) * p->span;
    const i64 count = p->count - begin < p->span ? p->count - begin : p->span;
    const double8 a = V(p->scales[0]), b = V(p->scales[1]);
    dst += p->dst_offset + begin;
#pragma nounroll
    for (i64 i = 0; i < count; i += 8) {
        double8 x = load_doubles(first + (p->first_offset + begin + i), count - i, 0.0) * a;
        if (p->both) x = fma(load_doubles(second + (p->second_offset + begin + i), count - i, 0.0), b, x);
        store_doubles(x, dst + i, count - i);
    }
}
#endif

#include "kernels/lib/softmax_doubles_across.h"

INLINE double8 softmax_most(global const double *x, i64 length) {
    double8 most = V(-INFINITY);
#pragma nounroll
    for (i64 i = 0; i < length; i += 8) {
        const double8 y = load_doubles(x + i, length - i, -INFINITY);
        most = y > most ? y : most;
    }
    most.lo = most.lo > most.hi ? most.lo : most.hi;
    most.lo.lo = most.lo.lo > most.lo.hi ? most.lo.lo : most.lo.hi;
    return V(most.s0 > most.s1 ? most.s0 : most.s1);
}

/* One line. dst may be src: every element is read before it is written. */
INLINE void softmax_line(int log, global const double *x, global double *y, i64 length) {
    const double8 most = softmax_most(x, length);
    double8 parts = V(0.0);
    i64 whole = 0;
    /* Two at a time, which do not wait for each other. */
#pragma nounroll
    for (; whole + 16 <= length; whole += 16) {
        const double8 a = f64_exp_below(vload8(0, x + whole) - most);
        const double8 b = f64_exp_below(vload8(1, x + whole) - most);
        parts = parts + a + b;
        if (log) continue;
        vstore8(a, 0, y + whole);
        vstore8(b, 1, y + whole);
    }
#pragma nounroll
    for (i64 i = whole; i < length; i += 8) {
        const double8 e = f32_exp(load_doubles(x + i, length - i, -INFINITY) - most);
        parts += e;
        if (!log) store_doubles(e, y + i, length - i);
    }
    const double8 sum = V(sum_of(parts)), last = log ? most + f32_log(sum) : V(1.0) / sum;
#pragma nounroll
    for (i64 i = 0; i < length; i += 8) {
        const i64 left = length - i;
        store_doubles(log ? load_doubles(x + i, left, 0.0) - last : load_doubles(y + i, left, 0.0) * last,
                      y + i, left);
    }
}

/* Range: shares of the units: lines, or blocks of lines that lie side by side. */
#if WANTED(f64_softmax)
kernel void f64_softmax(ITEM global const double *src, global double *dst,
                        constant struct softmax_lines_params *p) {
    const i64 first = (i64)get_global_id(0) * p->span;
    const i64 last = first + p->span < p->units ? first + p->span : p->units;
#pragma nounroll
    for (i64 unit = first; unit < last; unit++) {
        const struct softmax_unit u = softmax_unit(p, unit);
        if (u.width > 0)
            softmax_across(p, &u, src, dst);
        else
            softmax_line(p->log, src + u.offsets[0], dst + u.offsets[1], p->length);
    }
}
#endif

INLINE void softmax_gradient(int log, global const double *y, global const double *d, global double *to,
                             i64 length) {
    double8 parts = V(0.0);
#pragma nounroll
    for (i64 i = 0; i < length; i += 8) {
        const double8 b = load_doubles(d + i, length - i, 0.0);
        parts = log ? parts + b : fma(load_doubles(y + i, length - i, 0.0), b, parts);
    }
    const double8 sum = V(sum_of(parts));
#pragma nounroll
    for (i64 i = 0; i < length; i += 8) {
        const i64 left = length - i;
        const double8 a = load_doubles(y + i, left, 0.0), b = load_doubles(d + i, left, 0.0);
        store_doubles(log ? b - f32_exp(a) * sum : a * (b - sum), to + i, left);
    }
}

/* Range: as above. */
#if WANTED(f64_softmax_backward)
kernel void f64_softmax_backward(ITEM global const double *dst, global const double *diff_dst,
                                 global double *diff_src, constant struct softmax_lines_params *p) {
    const i64 first = (i64)get_global_id(0) * p->span;
    const i64 last = first + p->span < p->units ? first + p->span : p->units;
#pragma nounroll
    for (i64 unit = first; unit < last; unit++) {
        const struct softmax_unit u = softmax_unit(p, unit);
        if (u.width > 0)
            softmax_gradient_across(p, &u, dst, diff_dst, diff_src);
        else
            softmax_gradient(p->log, dst + u.offsets[0], diff_dst + u.offsets[1], diff_src + u.offsets[2],
                             p->length);
    }
}
#endif

/* Layer normalisation. */

enum { NORM_SUMS = 4 }; /* that do not wait for each other */

/* Adds x, or (x - mean)^2. */
INLINE double8 mean_add(double8 sum, double8 x, const double *mean) {
    const double8 d = mean ? x - V(*mean) : x;
    return mean ? fma(d, d, sum) : sum + d;
}

/* The sum of (x - mean)^2 / length, or of x / length if `mean` is NULL. */
INLINE double mean_of(global const double *x, i64 length, const double *mean) {
    double8 parts[NORM_SUMS];
    i64 i = 0;
#pragma unroll
    for (int k = 0; k < NORM_SUMS; k++)
        parts[k] = V(0.0);
#pragma nounroll
    for (; i + 8 * NORM_SUMS <= length; i += 8 * NORM_SUMS)
        _Pragma("unroll") for (int k = 0; k < NORM_SUMS; k++) parts[k] =
                mean_add(parts[k], vload8(k, x + i), mean);
#pragma nounroll
    for (; i < length; i += 8)
        parts[0] = mean_add(parts[0], load_doubles(x + i, length - i, mean ? *mean : 0.0), mean);
    return sum_of((parts[0] + parts[1]) + (parts[2] + parts[3])) / (double)length;
}

/* Results of a row from element i on. Callers pass a constant for `left` where it is 8. */
INLINE void normalize_some(constant struct norm_rows_params *p, global const double *src,
                           global const uchar *scale, global const uchar *shift, global double *dst,
                           double mean, double8 factor, i64 i, i64 left) {
    const double8 a = load_others(scale, p->scale_type, p->scale_offset + i, left, 1.0);
    const double8 b = load_others(shift, p->shift_type, p->shift_offset + i, left, 0.0);
    const double8 x = load_doubles(src + i, left, 0.0) - V(mean);
    store_doubles(fma(x * factor, a, b), dst + i, left);
}

INLINE double inverse_root(double x) {
    return (V(1.0) / f32_sqrt(V(x))).s0;
}

/* Range: rows / span. */
#if WANTED(f64_normalize_rows)
kernel void f64_normalize_rows(ITEM global const double *src, global const uchar *scale,
                               global const uchar *shift, global float *mean, global float *variance,
                               global double *dst, constant struct norm_rows_params *p) {
    const i64 first = (i64)get_global_id(0) * p->span, length = p->length;
    const i64 last = first + p->span < p->rows ? first + p->span : p->rows;
#pragma nounroll
    for (i64 row = first; row < last; row++) {
        i64 from = p->src_offset, to = p->dst_offset, stat = 0, rest = row;
#pragma nounroll
        for (int l = p->nloops - 1; l >= 0; l--) {
            const i64 i = rest % p->loops[l].size;
            rest /= p->loops[l].size;
            from += i * p->loops[l].src, to += i * p->loops[l].dst, stat += i * p->loops[l].stat;
        }
        double m = 0.0, v;
        if (p->given) {
            if (!p->about_zero) m = mean[p->mean_offset + stat];
            v = variance[p->variance_offset + stat];
        } else {
            if (!p->about_zero) m = mean_of(src + from, length, 0);
            v = mean_of(src + from, length, &m);
        }
        if (p->training) {
            if (!p->about_zero) mean[p->mean_offset + stat] = (float)m;
            variance[p->variance_offset + stat] = (float)v;
        }
        const double8 factor = V(inverse_root(v + p->eps));
        i64 i = 0;
#pragma nounroll
        for (; i + 8 <= length; i += 8)
            normalize_some(p, src + from, scale, shift, dst + to, m, factor, i, 8);
        if (i < length) normalize_some(p, src + from, scale, shift, dst + to, m, factor, i, length - i);
    }
}
#endif

/* Where a row is, backward, and its statistics. */
struct norm_row {
    i64 src, diff_dst, diff_src;
    double mean, factor;
};

INLINE struct norm_row norm_row_at(constant struct norm_gradient_rows_params *p, global const float *mean,
                                   global const float *variance, i64 row) {
    struct norm_row r = {p->src_offset, p->diff_dst_offset, p->diff_src_offset, 0.0, 0.0};
    i64 stat = 0;
#pragma nounroll
    for (int l = p->nloops - 1; l >= 0; l--) {
        constant struct norm_gradient_loop *loop = &p->loops[l];
        const i64 rest = l > 0 ? row / loop->size : 0, i = row - rest * loop->size;
        row = rest;
        r.src += i * loop->src, r.diff_dst += i * loop->diff_dst, r.diff_src += i * loop->diff_src;
        stat += i * loop->stat;
    }
    if (!p->about_zero) r.mean = mean[p->mean_offset + stat];
    r.factor = inverse_root((double)variance[p->variance_offset + stat] + p->eps);
    return r;
}

/* The sums of a row of gradients, and of their products with src. */
struct norm_sums {
    double8 sum, product;
};

/* Callers of these pass a constant for `left` where it is 8. */
INLINE double8 norm_gradient(constant struct norm_gradient_rows_params *p, global const double *diff_dst,
                             global const uchar *scale, i64 i, i64 left) {
    return load_doubles(diff_dst + i, left, 0.0)
           * load_others(scale, p->scale_type, p->scale_offset + i, left, 1.0);
}

INLINE void norm_add(constant struct norm_gradient_rows_params *p, struct norm_sums *s,
                     global const double *src, global const double *diff_dst, global const uchar *scale,
                     const struct norm_row *r, i64 i, i64 left) {
    const double8 d = norm_gradient(p, diff_dst + r->diff_dst, scale, i, left);
    s->sum += d;
    s->product = fma(d, load_doubles(src + r->src + i, left, r->mean) - V(r->mean), s->product);
}

INLINE void norm_give(constant struct norm_gradient_rows_params *p, global const double *src,
                      global const double *diff_dst, global const uchar *scale, global double *diff_src,
                      const struct norm_row *r, double8 a, double8 b, i64 i, i64 left) {
    const double8 d = norm_gradient(p, diff_dst + r->diff_dst, scale, i, left);
    const double8 x = load_doubles(src + r->src + i, left, 0.0) - V(r->mean);
    store_doubles((d - a - x * b) * V(r->factor), diff_src + r->diff_src + i, left);
}

/* Range: rows / span. */
#if WANTED(f64_norm_gradient_rows)
kernel void f64_norm_gradient_rows(ITEM global const double *src, global const double *diff_dst,
                                   global const uchar *scale, global const float *mean,
                                   global const float *variance, global double *diff_src,
                                   constant struct norm_gradient_rows_params *p) {
    const i64 first = (i64)get_global_id(0) * p->span, length = p->length;
    const i64 last = first + p->span < p->rows ? first + p->span : p->rows;
#pragma nounroll
    for (i64 row = first; row < last; row++) {
        const struct norm_row r = norm_row_at(p, mean, variance, row);
        struct norm_sums s[2] = {{V(0.0), V(0.0)}, {V(0.0), V(0.0)}};
        i64 i = 0;
#pragma nounroll
        for (; i + 16 <= length && !p->given; i += 16) {
            norm_add(p, &s[0], src, diff_dst, scale, &r, i, 8);
            norm_add(p, &s[1], src, diff_dst, scale, &r, i + 8, 8);
        }
#pragma nounroll
        for (; i < length && !p->given; i += 8)
            norm_add(p, &s[0], src, diff_dst, scale, &r, i, length - i);
        const double8 a = V(p->about_zero ? 0.0 : sum_of(s[0].sum + s[1].sum) / (double)length);
        const double8 b = V(sum_of(s[0].product + s[1].product) / (double)length * r.factor * r.factor);
#pragma nounroll
        for (i = 0; i + 8 <= length; i += 8)
            norm_give(p, src, diff_dst, scale, diff_src, &r, a, b, i, 8);
        if (i < length) norm_give(p, src, diff_dst, scale, diff_src, &r, a, b, i, length - i);
    }
}
#endif

OUTLINE void store_others(double8 x, global uchar *to, int type, i64 at, i64 count) {
    double values[8];
    vstore8(x, 0, values);
#pragma nounroll
    for (int i = 0; i < 8 && i < count && type; i++)
        store_f32(to, type, at + i, (float)values[i]);
}

INLINE void norm_weigh(const struct norm_row *r, global const double *src, global const double *diff_dst,
                       i64 left, double8 *scale, double8 *shift) {
    const double8 d = load_doubles(diff_dst, left, 0.0), x = load_doubles(src, left, 0.0) - V(r->mean);
    *scale = fma(d, x * V(r->factor), *scale);
    *shift += d;
}

/* The gradients of scale and shift. Range: length / F64_NORM_COLUMNS. */
#if WANTED(f64_norm_gradient_weights)
kernel void f64_norm_gradient_weights(ITEM global const double *src, global const double *diff_dst,
                                      global const float *mean, global const float *variance,
                                      global uchar *diff_scale, global uchar *diff_shift,
                                      constant struct f64_norm_weights_params *w) {
    constant struct norm_gradient_rows_params *p = &w->rows;
    enum { VECTORS = F64_NORM_COLUMNS / 8 };
    const i64 at = (i64)get_global_id(0) * F64_NORM_COLUMNS, left = p->length - at;
    double8 scales[VECTORS], shifts[VECTORS];
    if (left <= 0) return;
#pragma unroll
    for (int v = 0; v < VECTORS; v++)
        scales[v] = shifts[v] = V(0.0);
#pragma nounroll
    for (i64 row = 0; row < p->rows; row++) {
        const struct norm_row r = norm_row_at(p, mean, variance, row);
        global const double *x = src + r.src + at, *d = diff_dst + r.diff_dst + at;
        if (left >= F64_NORM_COLUMNS)
            _Pragma("unroll") for (int v = 0; v < VECTORS; v++)
                    norm_weigh(&r, x + 8 * v, d + 8 * v, 8, &scales[v], &shifts[v]);
        else
            _Pragma("unroll") for (int v = 0; v < VECTORS; v++)
                    norm_weigh(&r, x + 8 * v, d + 8 * v, left - 8 * v, &scales[v], &shifts[v]);
    }
#pragma unroll
    for (int v = 0; v < VECTORS; v++) {
        const i64 first = at + 8 * v;
        store_others(scales[v], diff_scale, w->diff_scale_type, w->diff_scale_offset + first, left - 8 * v);
        store_others(shifts[v], diff_shift, w->diff_shift_type, w->diff_shift_offset + first, left - 8 * v);
    }
}
#endif

/* Pooling. */

/* The offset of an image's element, without the channel. */
INLINE i64 pixel(constant struct pooling_image *image, i64 batch, const i64 *place) {
    return image->offset + batch * image->batch + place[0] * image->stride[0] + place[1] * image->stride[1]
           + place[2] * image->stride[2];
}

enum { POOL_VECTORS = 4 }; /* vectors of channels kept in registers */

/* n vectors of 8 elements; of a single one only the first `left` exist. */
INLINE void pool_load(double8 *x, global const double *from, const int n, i64 left) {
#pragma unroll
    for (int i = 0; i < n; i++)
        x[i] = n == 1 ? load_doubles(from, left, 0.0) : vload8(i, from);
}

/* One window, and n vectors of channels. Callers pass n, max and trains as constants. */
INLINE void pool_window(constant struct f64_pooling_params *p, const struct taps *t,
                        global const double *from, i64 left, const int n, const bool max, const bool trains,
                        double8 *x, long8 *best) {
    constant struct window *w = &p->window;
    constant i64 *stride = p->from.stride;
    const i64 step = w->step[2] * stride[2];
#pragma unroll
    for (int i = 0; i < n; i++)
        x[i] = V(max ? -0x1.fffffffffffffp1023 : 0.0), best[i] = (long8)(0);
#pragma nounroll
    for (i64 k0 = t->first[0]; k0 < t->last[0]; k0++)
#pragma nounroll
        for (i64 k1 = t->first[1]; k1 < t->last[1]; k1++) {
            i64 tap = (k0 * w->taps[1] + k1) * w->taps[2] + t->first[2];
            i64 at = (t->start[0] + k0 * w->step[0]) * stride[0] + (t->start[1] + k1 * w->step[1]) * stride[1]
                     + t->start[2] * stride[2] + t->first[2] * step;
#pragma nounroll
            for (i64 k2 = t->first[2]; k2 < t->last[2]; k2++, tap++, at += step) {
                double8 y[POOL_VECTORS];
                pool_load(y, from + at, n, left);
#pragma unroll
                for (int i = 0; i < n; i++) {
                    const long8 above = y[i] > x[i];
                    if (trains) best[i] = above ? (long8)(tap) : best[i];
                    x[i] = !max ? x[i] + y[i] : above ? y[i] : x[i];
                }
            }
        }
}

INLINE double pool_divisor(constant struct f64_pooling_params *p, const struct taps *t) {
    if (p->alg == POOLING_MAX) return 1.0;
    if (p->alg == POOLING_AVG_INCLUDE_PADDING) return (double)p->taps;
    double inside = 1.0;
    for (int d = 0; d < WINDOW_DIMS; d++)
        inside *= (double)(t->last[d] - t->first[d]);
    return inside;
}

INLINE void store_taps(long8 taps, global uchar *workspace, int type, i64 at, i64 count) {
    if (type == TYPE_U8 && count >= 8) {
        vstore8(convert_uchar8(taps), 0, workspace + at);
        return;
    }
    long values[8];
    *(long8 *)values = taps;
#pragma nounroll
    for (int i = 0; i < 8 && i < count; i++)
        store_s32(workspace, type, at + i, (int)values[i]);
}

INLINE void pool_average(constant struct f64_pooling_params *p, const struct taps *t,
                         global const double *from, i64 left, const int n, double8 *x, long8 *best) {
    const double8 divisor = V(pool_divisor(p, t));
    pool_window(p, t, from, left, n, false, false, x, best);
#pragma unroll
    for (int i = 0; i < n; i++)
        x[i] = x[i] / divisor;
}

/* n vectors of channels of one output. */
INLINE void pool_output(constant struct f64_pooling_params *p, const struct taps *t,
                        global const double *from, global uchar *workspace, global double *to, i64 named,
                        i64 left, const int n) {
    double8 x[POOL_VECTORS];
    long8 best[POOL_VECTORS];
    if (p->workspace_type)
        pool_window(p, t, from, left, n, true, true, x, best);
    else if (p->alg == POOLING_MAX)
        pool_window(p, t, from, left, n, true, false, x, best);
    else
        pool_average(p, t, from, left, n, x, best);
#pragma unroll
    for (int i = 0; i < n; i++) {
        store_doubles(x[i], to + 8 * i, n == 1 ? left : 8);
        if (p->workspace_type)
            store_taps(best[i], workspace, p->workspace_type, named + 8 * i, n == 1 ? left : 8);
    }
}

/* Range: rows of dst. */
#if WANTED(f64_pooling)
kernel void f64_pooling(ITEM global const double *src, global uchar *workspace, global double *dst,
                        constant struct f64_pooling_params *p) {
    const i64 row = (i64)get_global_id(0), planes = p->places[0] * p->places[1];
    if (row >= p->rows) return;
    const i64 batch = row / planes;
    i64 place[] = {row % planes / p->places[1], row % p->places[1], 0};
    global const double *from = src + p->from.offset + batch * p->from.batch;
    struct taps t;
    window_taps(&t, &p->window, place);
#pragma nounroll
    for (; place[2] < p->places[2]; place[2]++) {
        global double *to = dst + pixel(&p->to, batch, place);
        const i64 named = p->workspace_type ? pixel(&p->workspace, batch, place) : 0;
        window_taps_along(&t, &p->window, 2, place[2]);
        i64 c = 0;
#pragma nounroll
        for (; c + 8 * POOL_VECTORS <= p->channels; c += 8 * POOL_VECTORS)
            pool_output(p, &t, from + c, workspace, to + c, named + c, 8, POOL_VECTORS);
#pragma nounroll
        for (; c < p->channels; c += 8)
            pool_output(p, &t, from + c, workspace, to + c, named + c, p->channels - c, 1);
    }
}
#endif

#include "kernels/lib/pooling_doubles_rows.h"

/* Outputs that read an element: their offsets, the tap that reads it, and what they are multiplied by. */
enum { POOL_READERS = 32 };
struct pool_readers {
    int count;
    struct {
        i64 from, workspace, tap;
        double weight;
    } each[POOL_READERS];
};

/* What the gradient of an output is multiplied by. Most windows are inside the image. */
INLINE double pool_weight(constant struct f64_pooling_params *p, const i64 *place) {
    constant struct window *w = &p->window;
    bool whole = true;
    for (int d = 0; d < WINDOW_DIMS; d++) {
        const i64 start = place[d] * w->stride[d] - w->padding[d];
        whole = whole && start >= 0 && start + (w->taps[d] - 1) * w->step[d] < w->size[d];
    }
    if (whole) return 1.0 / (double)p->taps;
    struct taps t;
    window_taps(&t, w, place);
    return 1.0 / pool_divisor(p, &t);
}

INLINE void pool_readers_add(struct pool_readers *list, constant struct f64_pooling_params *p, i64 batch,
                             const i64 *place, i64 tap) {
    const int k = list->count++;
    list->each[k].from = pixel(&p->from, batch, place);
    list->each[k].workspace = pixel(&p->workspace, batch, place);
    list->each[k].tap = tap;
    if (p->alg != POOLING_MAX) list->each[k].weight = pool_weight(p, place);
}

/* Which of 8 channels of an output are the maximum that the list says? */
INLINE long8 pool_chosen(constant struct f64_pooling_params *p, const struct pool_readers *list, int k,
                         global const uchar *workspace, i64 c, i64 left) {
    const i64 at = list->each[k].workspace + c, tap = list->each[k].tap;
    if (p->workspace_type == TYPE_U8 && left >= 8)
        return convert_long8(vload8(0, workspace + at)) == (long8)(tap);
    double chosen[8];
#pragma nounroll
    for (int i = 0; i < 8; i++)
        chosen[i] = i < left && load_s32(workspace, p->workspace_type, at + i) == tap ? 1.0 : 0.0;
    return vload8(0, chosen) == V(1.0);
}

/* Adds the shares of all of them to n vectors of channels of an element, which are 0 if `fresh`. */
INLINE void pool_give_some(constant struct f64_pooling_params *p, const struct pool_readers *list, int fresh,
                           global const double *diff_dst, global const uchar *workspace, global double *to,
                           i64 c, i64 left, const int n, const bool max) {
    double8 sum[POOL_VECTORS], d[POOL_VECTORS];
#pragma unroll
    for (int i = 0; i < n; i++)
        sum[i] = V(0.0);
    if (!fresh) pool_load(sum, to + c, n, left);
#pragma nounroll
    for (int k = 0; k < list->count; k++) {
        pool_load(d, diff_dst + list->each[k].from + c, n, left);
#pragma unroll
        for (int i = 0; i < n; i++) {
            if (max) {
                const long8 chosen = pool_chosen(p, list, k, workspace, c + 8 * i, n == 1 ? left : 8);
                sum[i] = chosen ? sum[i] + d[i] : sum[i];
            } else {
                sum[i] = fma(d[i], V(list->each[k].weight), sum[i]);
            }
        }
    }
#pragma unroll
    for (int i = 0; i < n; i++)
        store_doubles(sum[i], to + c + 8 * i, n == 1 ? left : 8);
}

/* The same for all channels. Empties the list. */
INLINE void pool_give(constant struct f64_pooling_params *p, struct pool_readers *list, int fresh,
                      global const double *diff_dst, global const uchar *workspace, global double *to) {
    const bool max = p->alg == POOLING_MAX;
    i64 c = 0;
#pragma nounroll
    for (; c + 8 * POOL_VECTORS <= p->channels; c += 8 * POOL_VECTORS)
        if (max)
            pool_give_some(p, list, fresh, diff_dst, workspace, to, c, 8, POOL_VECTORS, true);
        else
            pool_give_some(p, list, fresh, diff_dst, workspace, to, c, 8, POOL_VECTORS, false);
#pragma nounroll
    for (; c < p->channels; c += 8)
        if (max)
            pool_give_some(p, list, fresh, diff_dst, workspace, to, c, p->channels - c, 1, true);
        else
            pool_give_some(p, list, fresh, diff_dst, workspace, to, c, p->channels - c, 1, false);
    list->count = 0;
}

/* Range: rows of diff_src. */
#if WANTED(f64_pooling_backward)
kernel void f64_pooling_backward(ITEM global const double *diff_dst, global const uchar *workspace,
                                 global double *diff_src, constant struct f64_pooling_params *p) {
    constant struct window *w = &p->window;
    const i64 row = (i64)get_global_id(0), planes = w->size[0] * w->size[1];
    if (row >= p->rows) return;
    const i64 batch = row / planes;
    i64 at[] = {row % planes / w->size[1], row % w->size[1], 0}, place[WINDOW_DIMS];
    struct readers r[WINDOW_DIMS];
    struct pool_readers list;
    list.count = 0;
    for (int d = 0; d < 2; d++)
        r[d] = readers_of(w, d, at[d], p->places[d]);
#pragma nounroll
    for (; at[2] < w->size[2]; at[2]++) {
        global double *to = diff_src + pixel(&p->to, batch, at);
        int fresh = 1;
        r[2] = readers_of(w, 2, at[2], p->places[2]);
        for (place[0] = r[0].first; place[0] < r[0].last; place[0]++)
            for (place[1] = r[1].first; place[1] < r[1].last; place[1]++)
                for (place[2] = r[2].first; place[2] < r[2].last; place[2]++) {
                    i64 taps[WINDOW_DIMS];
                    for (int d = 0; d < WINDOW_DIMS; d++)
                        taps[d] = reading_tap(w, d, &r[d], place[d]);
                    if (taps[0] < 0 || taps[1] < 0 || taps[2] < 0) continue;
                    if (list.count == POOL_READERS) {
                        pool_give(p, &list, fresh, diff_dst, workspace, to);
                        fresh = 0;
                    }
                    pool_readers_add(&list, p, batch, place,
                                     (taps[0] * w->taps[1] + taps[1]) * w->taps[2] + taps[2]);
                }
        if (fresh || list.count > 0) pool_give(p, &list, fresh, diff_dst, workspace, to);
    }
}
#endif
