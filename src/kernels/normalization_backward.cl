/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Normalisations, backward: the sums of each channel, what follows from them, and the gradient of src; rows
 * of layer normalisation in one pass. See params_normalization_backward.h. The order of a sum depends on the
 * problem alone.
 */
#include "kernels/lib/math.h"
#include "kernels/lib/rows.h"
#include "kernels/params_normalization_backward.h"

/* Sixteen elements of a type that callers pass as a constant. */
INLINE float16 gradient_load(const int type, global const uchar *from, i64 i) {
    if (type == TYPE_F16) return widen_f16(convert_uint16(vload16(0, (global const ushort *)from + i)));
    if (type == TYPE_BF16) return widen_bf16(convert_uint16(vload16(0, (global const ushort *)from + i)));
    return vload16(0, (global const float *)from + i);
}

INLINE void gradient_store(const int type, float16 x, global uchar *to, i64 i) {
    if (type == TYPE_F16)
        vstore16(narrow_f16(x), 0, (global ushort *)to + i);
    else if (type == TYPE_BF16)
        vstore16(narrow_bf16(x), 0, (global ushort *)to + i);
    else
        vstore16(x, 0, (global float *)to + i);
}

/* x where the byte is 1, 0 where it is 0. */
INLINE float16 gradient_masked(float16 x, global const uchar *mask) {
    return as_float16(as_uint16(x) & ((uint16)(0u) - convert_uint16(vload16(0, mask))));
}

/* Up to sixteen elements of any type, and zeros. `mask` may be NULL. */
OUTLINE void gradient_load_some(float16 *to, int type, global const uchar *from, i64 i,
                                global const uchar *mask, int count) {
    float values[16];
    row_load(values, from, type, i, 1, count);
#pragma nounroll
    for (int k = 0; k < count && mask; k++)
        values[k] = mask[k] ? values[k] : 0.0f;
    *to = vload16(0, values);
}

/* A piece of a block of a dense layout. */
struct gradient_run {
    global const uchar *src, *diff_dst, *mask; /* mask NULL: none */
    global uchar *diff_src;
    int src_type, diff_dst_type, diff_src_type;
    i64 from, in, to, place; /* of the first element in src, diff_dst, diff_src and mask */
    i64 n;
    int period;
};

enum { GRADIENT_VECTORS = 4, GRADIENT_TILE = 16 * GRADIENT_VECTORS };

struct gradient_sums {
    float mean[NORM_PERIOD], first[NORM_PERIOD], second[NORM_PERIOD];
};

/* The numbers of `width` channels, of which `exist`; others are 0. They repeat until `period`. */
INLINE void period_fill(float *to, global const float *from, i64 exist, int width, int period) {
    int i = 0;
    for (; i + 16 <= width && i + 16 <= exist; i += 16)
        vstore16(vload16(0, from + i), 0, to + i);
#pragma nounroll
    for (; i < width; i++)
        to[i] = i < exist ? from[i] : 0.0f;
#pragma nounroll
    for (; i < period; i++)
        to[i] = to[i - width];
}

INLINE void sums_begin(struct gradient_sums *s, constant struct norm_gradient_dense_params *p, i64 block,
                       int period, global const float *means) {
    const i64 image = block / p->cut.channel_blocks,
              channel = (block - image * p->cut.channel_blocks) * p->cut.width;
    const int width = p->cut.width < period ? (int)p->cut.width : period;
    if (p->share == 1) {
        period_fill(s->mean, means + p->mean_offset + image * p->image + channel, p->channels - channel,
                    width, period);
    } else {
#pragma nounroll
        for (int i = 0; i < period; i++)
            s->mean[i] = i < width ? means[p->mean_offset + image * p->image + (channel + i) / p->share]
                                   : s->mean[i - width];
    }
#pragma nounroll
    for (int i = 0; i < period; i += 16) {
        vstore16((float16)(0.0f), 0, s->first + i);
        vstore16((float16)(0.0f), 0, s->second + i);
    }
}

/* Adds `count` tiles, a period apart, from lane `begin` of the run at `offset` on. Callers pass type and n as
 * constants. */
INLINE void sums_tiles(struct gradient_sums *s, const struct gradient_run *r, const int type, const int n,
                       i64 offset, int begin, i64 count) {
    float16 first[GRADIENT_VECTORS], second[GRADIENT_VECTORS], mean[GRADIENT_VECTORS];
    global const uchar *mask = r->mask ? r->mask + r->place + offset + begin : 0;
    i64 from = r->from + offset + begin, in = r->in + offset + begin;
#pragma unroll
    for (int v = 0; v < n; v++) {
        first[v] = vload16(v, s->first + begin);
        second[v] = vload16(v, s->second + begin);
        mean[v] = vload16(v, s->mean + begin);
    }
    for (i64 i = 0; i < count; i++, from += r->period, in += r->period) {
#pragma unroll
        for (int v = 0; v < n; v++) {
            float16 d = gradient_load(type, r->diff_dst, in + 16 * v);
            if (mask) d = gradient_masked(d, mask + i * r->period + 16 * v);
            first[v] += d;
            second[v] = fma(gradient_load(type, r->src, from + 16 * v) - mean[v], d, second[v]);
        }
    }
#pragma unroll
    for (int v = 0; v < n; v++) {
        vstore16(first[v], v, s->first + begin);
        vstore16(second[v], v, s->second + begin);
    }
}

/* Adds whole periods, a few at a time if they are long, so that memory is read in order; returns how many
 * elements those are. */
INLINE i64 sums_periods(struct gradient_sums *s, const struct gradient_run *r, const int type) {
    enum { SHORT = 128, CHUNK = 4 };
    const i64 count = r->n / r->period, chunk = r->period <= SHORT ? count : CHUNK;
    for (i64 i = 0; i < count; i += chunk) {
        const i64 some = count - i < chunk ? count - i : chunk;
        int begin = 0;
        for (; begin + GRADIENT_TILE <= r->period; begin += GRADIENT_TILE)
            sums_tiles(s, r, type, GRADIENT_VECTORS, i * r->period, begin, some);
        for (; begin < r->period; begin += 16)
            sums_tiles(s, r, type, 1, i * r->period, begin, some);
    }
    return count * r->period;
}

INLINE void sums_run(struct gradient_sums *s, const struct gradient_run *r) {
    i64 i = 0;
    if (r->src_type == r->diff_dst_type && r->n >= r->period) switch (r->src_type) {
        case TYPE_F32: i = sums_periods(s, r, TYPE_F32); break;
        case TYPE_F16: i = sums_periods(s, r, TYPE_F16); break;
        case TYPE_BF16: i = sums_periods(s, r, TYPE_BF16); break;
        }
    for (int at = 0; i < r->n; i += 16, at = at + 16 < r->period ? at + 16 : 0) {
        const int count = r->n - i < 16 ? (int)(r->n - i) : 16;
        float16 x, d;
        gradient_load_some(&x, r->src_type, r->src, r->from + i, 0, count);
        gradient_load_some(&d, r->diff_dst_type, r->diff_dst, r->in + i, r->mask ? r->mask + r->place + i : 0,
                           count);
        vstore16(vload16(0, s->first + at) + d, 0, s->first + at);
        vstore16(fma(x - vload16(0, s->mean + at), d, vload16(0, s->second + at)), 0, s->second + at);
    }
}

INLINE float gradient_sum_lanes(float16 s) {
    s += s.s89abcdef01234567;
    s += s.s45670123cdef89ab;
    s += s.s23016745ab89efcd;
    s += s.s1032547698badcfe;
    return s.s0;
}

/* What the lanes of a channel sum up to. */
INLINE void sums_fold(global float *to, float *sums, i64 period, i64 width) {
    for (i64 middle = period / 2; middle >= width && middle % 16 == 0 && middle % width == 0; middle /= 2) {
        for (i64 i = 0; i < middle; i += 16)
            vstore16(vload16(0, sums + i) + vload16(0, sums + middle + i), 0, sums + i);
        period = middle;
    }
    if (width == 1 && period == 16) {
        to[0] = gradient_sum_lanes(vload16(0, sums));
        return;
    }
#pragma nounroll
    for (i64 c = 0; c < width; c++) {
        float sum = 0.0f;
#pragma nounroll
        for (i64 i = c; i < period; i += width)
            sum += sums[i];
        to[c] = sum;
    }
}

/* Range: pieces of all blocks / span. */
#if WANTED(norm_gradient_sums)
kernel void norm_gradient_sums(ITEM global const uchar *src, global const uchar *diff_dst,
                               global const uchar *mask, global const float *means, global float *sums,
                               constant struct norm_gradient_dense_params *p) {
    struct gradient_sums s;
    int period = (int)p->cut.period;
    while (period < GRADIENT_TILE)
        period *= 2;
    const i64 first = (i64)get_global_id(0) * p->cut.span, all = p->cut.blocks * p->cut.pieces,
              last = first + p->cut.span < all ? first + p->cut.span : all;
    for (i64 piece = first; piece < last; piece++) {
        const i64 block = piece / p->cut.pieces, begin = (piece - block * p->cut.pieces) * p->cut.piece,
                  left = p->cut.length - begin, at = block * p->cut.length + begin;
        const struct gradient_run r = {src,
                                       diff_dst,
                                       p->mask ? mask : 0,
                                       0,
                                       p->src_type,
                                       p->diff_dst_type,
                                       0,
                                       p->src_offset + at,
                                       p->diff_dst_offset + at,
                                       0,
                                       at,
                                       left < p->cut.piece ? left : p->cut.piece,
                                       period};
        sums_begin(&s, p, block, period, means);
        sums_run(&s, &r);
        sums_fold(sums + p->sums + piece * p->cut.width, s.first, period, p->cut.width);
        sums_fold(sums + p->sums_second + piece * p->cut.width, s.second, period, p->cut.width);
    }
}
#endif

INLINE float gradient_factor(constant struct norm_gradient_params *p, global const float *variances,
                             i64 stat) {
    return f32_div(1.0f, f32_sqrt(variances[p->variance_offset + stat] + p->eps));
}

/* The factors of the cells of a statistic. */
INLINE void gradient_cells(constant struct norm_gradient_params *p, i64 stat, global float *scratch,
                           global const float *means, global const float *variances,
                           global const float *scales) {
    const float factor = gradient_factor(p, variances, stat),
                mean = p->mean_offset >= 0 ? means[p->mean_offset + stat] : 0.0f;
    const i64 begin = stat * p->share, channel = p->scale_offset >= 0 ? begin % p->channels : 0;
    float first = 0.0f, second = 0.0f;
#pragma nounroll
    for (i64 i = 0; i < p->share && !p->given; i++) {
        const float scale = p->scale_offset >= 0 ? scales[p->scale_offset + channel + i] : 1.0f;
        first = fma(scratch[p->first + begin + i], scale, first);
        second = fma(scratch[p->second + begin + i], scale, second);
    }
    const float c = p->mean_offset >= 0 ? -f32_div(first, p->elements) * factor : 0.0f,
                b = -f32_div(second, p->elements) * factor * factor * factor;
#pragma nounroll
    for (i64 i = 0; i < p->share; i++) {
        global float *to = scratch + p->factors + begin + i;
        const float scale = p->scale_offset >= 0 ? scales[p->scale_offset + channel + i] : 1.0f;
        to[0] = mean;
        to[p->cells] = scale * factor;
        to[2 * p->cells] = p->given ? 0.0f : b;
        to[3 * p->cells] = p->given ? 0.0f : c;
    }
}

/* The gradients of a channel's scale and shift. */
INLINE void gradient_weights(constant struct norm_gradient_params *p, i64 channel,
                             global const float *scratch, global const float *variances,
                             global float *diff_scale, global float *diff_shift) {
    float first = 0.0f, second = 0.0f;
#pragma nounroll
    for (i64 i = 0; i < p->images; i++) {
        const i64 cell = i * p->channels + channel;
        first += scratch[p->first + cell];
        second = fma(scratch[p->second + cell], gradient_factor(p, variances, cell / p->share), second);
    }
    if (p->diff_scale_offset >= 0) diff_scale[p->diff_scale_offset + channel] = second;
    if (p->diff_shift_offset >= 0) diff_shift[p->diff_shift_offset + channel] = first;
}

/* Range: statistics, then channels, one work-item each. */
#if WANTED(norm_gradient)
kernel void norm_gradient(ITEM global float *scratch, global const float *means,
                          global const float *variances, global const float *scales, global float *diff_scale,
                          global float *diff_shift, constant struct norm_gradient_params *p) {
    const i64 id = get_global_id(0), channel = id - p->statistics;
    if (id < p->statistics)
        gradient_cells(p, id, scratch, means, variances, scales);
    else if (channel < p->channels && (p->diff_scale_offset >= 0 || p->diff_shift_offset >= 0))
        gradient_weights(p, channel, scratch, variances, diff_scale, diff_shift);
}
#endif

/* The factors of a block's channels, for one period. Channels that do not exist give 0. */
struct gradient_period {
    float mean[NORM_PERIOD], a[NORM_PERIOD], b[NORM_PERIOD], c[NORM_PERIOD];
};

INLINE void gradient_period(struct gradient_period *to, constant struct norm_gradient_dense_params *p,
                            i64 block, global const float *scratch) {
    const i64 image = block / p->cut.channel_blocks,
              channel = (block - image * p->cut.channel_blocks) * p->cut.width;
    const int period = (int)p->cut.period, width = p->cut.width < period ? (int)p->cut.width : period;
    global const float *from = scratch + p->factors + image * p->image_cells + channel;
    const i64 exist = p->channels - channel;
    period_fill(to->mean, from, exist, width, period);
    period_fill(to->a, from + p->cells, exist, width, period);
    period_fill(to->b, from + 2 * p->cells, exist, width, period);
    period_fill(to->c, from + 3 * p->cells, exist, width, period);
}

INLINE float16 gradient_result(const struct gradient_period *f, int at, float16 x, float16 d) {
    const float16 y = fma(x - vload16(0, f->mean + at), vload16(0, f->b + at), vload16(0, f->c + at));
    return fma(d, vload16(0, f->a + at), y);
}

/* Whole vectors; returns how many elements those are. If `given`, src is not read. */
INLINE i64 gradient_vectors(const struct gradient_period *f, const struct gradient_run *r, const int type,
                            const int given) {
    i64 i = 0;
    for (int at = 0; i + 16 <= r->n; i += 16, at = at + 16 < r->period ? at + 16 : 0) {
        float16 d = gradient_load(type, r->diff_dst, r->in + i);
        if (r->mask) d = gradient_masked(d, r->mask + r->place + i);
        if (given)
            d *= vload16(0, f->a + at);
        else
            d = gradient_result(f, at, gradient_load(type, r->src, r->from + i), d);
        gradient_store(type, d, r->diff_src, r->to + i);
    }
    return i;
}

INLINE i64 gradient_run_vectors(const struct gradient_period *f, const struct gradient_run *r,
                                const int given) {
    if (r->src_type != r->diff_dst_type || r->src_type != r->diff_src_type) return 0;
    switch (r->src_type) {
    case TYPE_F32: return gradient_vectors(f, r, TYPE_F32, given);
    case TYPE_F16: return gradient_vectors(f, r, TYPE_F16, given);
    case TYPE_BF16: return gradient_vectors(f, r, TYPE_BF16, given);
    }
    return 0;
}

INLINE void gradient_run(const struct gradient_period *f, const struct gradient_run *r, int given) {
    i64 i = given ? gradient_run_vectors(f, r, 1) : gradient_run_vectors(f, r, 0);
    for (int at = (int)(i % r->period); i < r->n; i += 16, at = at + 16 < r->period ? at + 16 : 0) {
        const int count = r->n - i < 16 ? (int)(r->n - i) : 16;
        float16 x = (float16)(0.0f), d;
        float values[16];
        if (!given) gradient_load_some(&x, r->src_type, r->src, r->from + i, 0, count);
        gradient_load_some(&d, r->diff_dst_type, r->diff_dst, r->in + i, r->mask ? r->mask + r->place + i : 0,
                           count);
        vstore16(gradient_result(f, at, x, d), 0, values);
        row_store(r->diff_src, r->diff_src_type, r->to + i, 1, values, count);
    }
}

/* Range: pieces of all blocks / span. diff_src may be diff_dst. */
#if WANTED(norm_gradient_dense)
kernel void norm_gradient_dense(ITEM global const uchar *src, global const uchar *diff_dst,
                                global const uchar *mask, global const float *scratch, global uchar *diff_src,
                                constant struct norm_gradient_dense_params *p) {
    struct gradient_period factors;
    const i64 first = (i64)get_global_id(0) * p->cut.span, all = p->cut.blocks * p->cut.pieces,
              last = first + p->cut.span < all ? first + p->cut.span : all;
    i64 ready = -1;
    for (i64 piece = first; piece < last; piece++) {
        const i64 block = piece / p->cut.pieces, begin = (piece - block * p->cut.pieces) * p->cut.piece,
                  left = p->cut.length - begin, at = block * p->cut.length + begin;
        const struct gradient_run r = {src,
                                       diff_dst,
                                       p->mask ? mask : 0,
                                       diff_src,
                                       p->src_type,
                                       p->diff_dst_type,
                                       p->diff_src_type,
                                       p->src_offset + at,
                                       p->diff_dst_offset + at,
                                       p->diff_src_offset + at,
                                       at,
                                       left < p->cut.piece ? left : p->cut.piece,
                                       (int)p->cut.period};
        if (block != ready) gradient_period(&factors, p, block, scratch);
        ready = block;
        gradient_run(&factors, &r, p->given);
    }
}
#endif

/* Rows of layer normalisation. */

enum { GRADIENT_ROWS = 4 }; /* rows at a time, so that sums over rows are stored less often */

/* Numbers are there sixteen times, as vectors. */
struct gradient_row {
    i64 from, in, to; /* offsets in src, diff_dst and diff_src */
    float mean[16], factor[16], b[16], c[16];
};

struct gradient_rows {
    constant struct norm_gradient_rows_params *p;
    global const uchar *src, *diff_dst;
    global uchar *diff_src;
    global float *diff_scale, *diff_shift; /* sums over rows */
    const float *scale;
    struct gradient_row rows[GRADIENT_ROWS];
};

/* A type of 0: elements may have any type, or be less than a vector. */
INLINE void gradient_row_load(float16 *to, const int type, int actual, global const uchar *from, i64 i,
                              int count) {
    if (type)
        *to = gradient_load(type, from, i);
    else
        gradient_load_some(to, actual, from, i, 0, count);
}

/* Adds `count` columns from i on to the sums of n rows, and to those over rows. */
INLINE void gradient_add_columns(const struct gradient_rows *g, const int type, const int n,
                                 const int weights, i64 i, int count, float16 *first, float16 *second) {
    const float16 scale = vload16(0, g->scale + i);
    float16 diff_scale = (float16)(0.0f), diff_shift = (float16)(0.0f);
#pragma unroll
    for (int k = 0; k < n; k++) {
        float16 x, d;
        gradient_row_load(&x, type, g->p->src_type, g->src, g->rows[k].from + i, count);
        gradient_row_load(&d, type, g->p->diff_dst_type, g->diff_dst, g->rows[k].in + i, count);
        x -= vload16(0, g->rows[k].mean);
        if (weights) {
            diff_scale = fma(d, x * vload16(0, g->rows[k].factor), diff_scale);
            diff_shift += d;
        }
        d *= scale;
        first[k] += d;
        second[k] = fma(d, x, second[k]);
    }
    if (!weights) return;
    if (type) {
        vstore16(vload16(0, g->diff_scale + i) + diff_scale, 0, g->diff_scale + i);
        vstore16(vload16(0, g->diff_shift + i) + diff_shift, 0, g->diff_shift + i);
        return;
    }
    float scales[16], shifts[16];
    vstore16(diff_scale, 0, scales);
    vstore16(diff_shift, 0, shifts);
#pragma nounroll
    for (int k = 0; k < count; k++) {
        g->diff_scale[i + k] += scales[k];
        g->diff_shift[i + k] += shifts[k];
    }
}

/* The sums of n rows, and the factors that follow from them. */
INLINE void gradient_add_rows(struct gradient_rows *g, const int type, const int n, const int weights) {
    const i64 length = g->p->length;
    float16 first[GRADIENT_ROWS], second[GRADIENT_ROWS];
    i64 i = 0;
#pragma unroll
    for (int k = 0; k < n; k++)
        first[k] = second[k] = (float16)(0.0f);
    for (; type && i + 16 <= length; i += 16)
        gradient_add_columns(g, type, n, weights, i, 16, first, second);
    for (; i < length; i += 16)
        gradient_add_columns(g, 0, n, weights, i, length - i < 16 ? (int)(length - i) : 16, first, second);
#pragma unroll
    for (int k = 0; k < n; k++) {
        struct gradient_row *row = &g->rows[k];
        const float16 factor = vload16(0, row->factor), count = (float16)((float)length);
        const float16 b = f32_div((float16)(gradient_sum_lanes(second[k])), count) * factor,
                      c = f32_div((float16)(gradient_sum_lanes(first[k])), count) * factor;
        vstore16(-b * factor * factor, 0, row->b);
        if (!g->p->about_zero) vstore16(-c, 0, row->c);
    }
}

/* What the results of a row are made of. */
struct gradient_factors {
    float16 mean, factor, b, c;
    i64 from, in, to;
};

INLINE void gradient_row_results(const struct gradient_rows *g, const struct gradient_factors *row,
                                 const int type, const int given, i64 i, int count) {
    float16 x, d, y = (float16)(0.0f);
    gradient_row_load(&d, type, g->p->diff_dst_type, g->diff_dst, row->in + i, count);
    d *= vload16(0, g->scale + i);
    if (!given) {
        gradient_row_load(&x, type, g->p->src_type, g->src, row->from + i, count);
        y = fma(x - row->mean, row->b, row->c);
    }
    y = fma(d, row->factor, y);
    if (type) {
        gradient_store(type, y, g->diff_src, row->to + i);
        return;
    }
    float values[16];
    vstore16(y, 0, values);
    row_store(g->diff_src, g->p->diff_src_type, row->to + i, 1, values, count);
}

INLINE void gradient_one_row(const struct gradient_rows *g, const struct gradient_row *row, const int type,
                             const int given) {
    const i64 length = g->p->length;
    struct gradient_factors f;
    i64 i = 0;
    f.factor = vload16(0, row->factor);
    f.mean = f.b = f.c = f.factor;
    f.from = row->from, f.in = row->in, f.to = row->to;
    if (!given) {
        f.mean = vload16(0, row->mean);
        f.b = vload16(0, row->b);
        f.c = vload16(0, row->c);
    }
    for (; type && i + 16 <= length; i += 16)
        gradient_row_results(g, &f, type, given, i, 16);
    for (; i < length; i += 16)
        gradient_row_results(g, &f, 0, given, i, length - i < 16 ? (int)(length - i) : 16);
}

/* n rows, one type for all tensors or 0. */
INLINE void gradient_some_rows(struct gradient_rows *g, const int type, const int n) {
    if (g->p->diff_scale >= 0)
        gradient_add_rows(g, type, n, 1);
    else if (!g->p->given)
        gradient_add_rows(g, type, n, 0);
#pragma nounroll
    for (int k = 0; k < n; k++) {
        if (g->p->given)
            gradient_one_row(g, &g->rows[k], type, 1);
        else
            gradient_one_row(g, &g->rows[k], type, 0);
    }
}

INLINE void gradient_rows_of_type(struct gradient_rows *g, int n) {
    constant struct norm_gradient_rows_params *p = g->p;
    const int type = p->src_type == p->diff_dst_type && p->src_type == p->diff_src_type ? p->src_type : 0;
#define ROWS_OF(type_)                                                                                       \
    if (n == GRADIENT_ROWS)                                                                                  \
        gradient_some_rows(g, type_, GRADIENT_ROWS);                                                         \
    else                                                                                                     \
        gradient_some_rows(g, type_, 1);
    switch (type) {
    case TYPE_F32: ROWS_OF(TYPE_F32) return;
    case TYPE_F16: ROWS_OF(TYPE_F16) return;
    case TYPE_BF16: ROWS_OF(TYPE_BF16) return;
    }
    ROWS_OF(0)
#undef ROWS_OF
}

INLINE void gradient_row_at(struct gradient_row *row, constant struct norm_gradient_rows_params *p, i64 index,
                            global const float *means, global const float *variances) {
    i64 stat = 0;
    row->from = p->src_offset, row->in = p->diff_dst_offset, row->to = p->diff_src_offset;
#pragma nounroll
    for (int l = p->nloops - 1; l >= 0; l--) {
        const i64 outer = l > 0 ? index / p->loops[l].size : 0, i = index - outer * p->loops[l].size;
        row->from += i * p->loops[l].src;
        row->in += i * p->loops[l].diff_dst;
        row->to += i * p->loops[l].diff_src;
        stat += i * p->loops[l].stat;
        index = outer;
    }
    const float factor = f32_div(1.0f, f32_sqrt(variances[p->variance_offset + stat] + p->eps));
    vstore16((float16)(p->about_zero ? 0.0f : means[p->mean_offset + stat]), 0, row->mean);
    vstore16((float16)(factor), 0, row->factor);
    vstore16((float16)(0.0f), 0, row->c);
}

INLINE void gradient_clear(global float *to, i64 n) {
    i64 i = 0;
    for (; i + 16 <= n; i += 16)
        vstore16((float16)(0.0f), 0, to + i);
#pragma nounroll
    for (; i < n; i++)
        to[i] = 0.0f;
}

/* Range: rows / span. diff_src may be diff_dst. */
#if WANTED(norm_gradient_rows)
kernel void norm_gradient_rows(ITEM global const uchar *src, global const uchar *diff_dst,
                               global const uchar *scales, global const float *means,
                               global const float *variances, global float *scratch, global uchar *diff_src,
                               constant struct norm_gradient_rows_params *p) {
    float scale[NORM_ROW + 16];
    const i64 id = get_global_id(0), first = id * p->span,
              last = first + p->span < p->rows ? first + p->span : p->rows;
    struct gradient_rows g;
    g.p = p;
    g.src = src, g.diff_dst = diff_dst, g.diff_src = diff_src;
    g.scale = scale;
    g.diff_scale = g.diff_shift = 0;
    if (p->scale_type)
        row_load(scale, scales, p->scale_type, p->scale_offset, 1, (int)p->length);
    else
        row_fill(scale, 1.0f, (int)p->length);
    if (p->diff_scale >= 0) {
        g.diff_scale = scratch + p->diff_scale + id * p->length;
        g.diff_shift = scratch + p->diff_shift + id * p->length;
        gradient_clear(g.diff_scale, p->length);
        gradient_clear(g.diff_shift, p->length);
    }
    for (i64 row = first; row < last;) {
        const int n = last - row < GRADIENT_ROWS ? 1 : GRADIENT_ROWS;
#pragma nounroll
        for (int k = 0; k < n; k++)
            gradient_row_at(&g.rows[k], p, row + k, means, variances);
        gradient_rows_of_type(&g, n);
        row += n;
    }
}
#endif
