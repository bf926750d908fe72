/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Normalisations: rows that are read once, with their statistics computed in cache; and the factors that
 * other shapes are normalised with (rows.cl). Variances are sums of squared distances from the mean, so that
 * they stay accurate where the mean is large.
 */
#include "kernels/lib/math.h"
#include "kernels/lib/rows.h"
#include "kernels/params_normalization.h"

#define LANES 16
#include "kernels/lib/lanes.h"
#include "kernels/lib/memory_lanes.h"
#undef LANES

/* In native code, floats that lie one after the other are used where they are; other compilers know no
 * pointers to either address space. */
#ifdef __OPENCL_C_VERSION__
#define NORM_IN_PLACE 0
#define norm_load(to, from, left, none) norm_load_private(to, from, left, none)
#define norm_store(x, to, left) vstore16(x, 0, to)
INLINE void norm_load_private(float16 *to, const float *from, i64 left, float none) {
    float values[16];
    for (int i = 0; i < 16; i++)
        values[i] = i < left ? from[i] : none;
    *to = vload16(0, values);
}
#else
#define NORM_IN_PLACE 1
#define norm_load(to, from, left, none) load_lanes(to, from, left, none)
#define norm_store(x, to, left) store_lanes(x, to, left)
#endif

enum { NORM_SUMS = 4 };

INLINE float norm_sum_lanes(const float16 *sums) {
    float16 s = (sums[0] + sums[2]) + (sums[1] + sums[3]);
    s += s.s89abcdef01234567;
    s += s.s45670123cdef89ab;
    s += s.s23016745ab89efcd;
    s += s.s1032547698badcfe;
    return s.s0;
}

/* The sum of a row, or of the squared distances from `mean`. */
INLINE float norm_sum(const float *x, i64 n, const int squares, float mean) {
    const float16 m = (float16)(mean);
    float16 sums[NORM_SUMS], v;
    i64 i = 0;
#pragma unroll
    for (int k = 0; k < NORM_SUMS; k++)
        sums[k] = (float16)(0.0f);
    for (; i + 16 * NORM_SUMS <= n; i += 16 * NORM_SUMS)
#pragma unroll
        for (int k = 0; k < NORM_SUMS; k++) {
            v = vload16(k, x + i);
            if (squares) v -= m;
            sums[k] = squares ? fma(v, v, sums[k]) : sums[k] + v;
        }
#pragma nounroll
    for (; i < n; i += 16) {
        norm_load(&v, x + i, n - i, squares ? mean : 0.0f);
        if (squares) v -= m;
        sums[0] = squares ? fma(v, v, sums[0]) : sums[0] + v;
    }
    return norm_sum_lanes(sums);
}

/* y = (x - mean) * factor * scale + shift; scale and shift may be NULL. */
INLINE void norm_apply(float *y, const float *x, i64 n, float mean, float factor, const float *scale,
                       const float *shift) {
    const float16 m = (float16)(mean), f = (float16)(factor);
    float16 v, s, b;
#pragma nounroll
    for (i64 i = 0; i < n; i += 16) {
        norm_load(&v, x + i, n - i, 0.0f);
        v = (v - m) * f;
        if (scale) norm_load(&s, scale + i, n - i, 0.0f);
        if (shift) norm_load(&b, shift + i, n - i, 0.0f);
        if (scale && shift) v = fma(v, s, b);
        if (scale && !shift) v *= s;
        if (!scale && shift) v += b;
        norm_store(v, y + i, n - i);
    }
}

/* Scale or shift as floats: in `to`, where they are, or NULL if there is none. */
INLINE const float *norm_weights(float *to, global const uchar *from, int type, i64 offset, i64 n) {
    if (type == 0) return 0;
#if NORM_IN_PLACE
    if (type == TYPE_F32) return (const float *)from + offset;
#endif
    row_load(to, from, type, offset, 1, (int)n);
    return to;
}

struct norm_space {
    float row[NORM_ROW + 16], scale[NORM_ROW + 16], shift[NORM_ROW + 16];
};

/* Normalises the row at `from`. Statistics go in or out through `mean` and `variance`. */
INLINE void norm_row(constant struct norm_rows_params *p, global const uchar *src, i64 from,
                     global uchar *dst, i64 to, float *mean, float *variance, const float *scale,
                     const float *shift, float *space) {
    const float *x = space;
    float *y = space;
#if NORM_IN_PLACE
    if (p->src_type == TYPE_F32 && p->src_stride == 1) x = (const float *)src + from;
    if (p->dst_type == TYPE_F32 && p->dst_stride == 1) y = (float *)dst + to;
#endif
    if (x == space) row_load(space, src, p->src_type, from, p->src_stride, (int)p->length);
    if (!p->given) {
        const float n = (float)p->length;
        *mean = p->about_zero ? 0.0f : f32_div(norm_sum(x, p->length, 0, 0.0f), n);
        *variance = f32_div(norm_sum(x, p->length, 1, *mean), n);
    }
    const float factor = f32_div(1.0f, f32_sqrt(*variance + p->eps));
    norm_apply(y, x, p->length, *mean, factor, scale, shift);
    if (y == space) row_store(dst, p->dst_type, to, p->dst_stride, space, (int)p->length);
}

/* Range: rows / span. dst may be src. */
#if WANTED(normalize_rows)
kernel void normalize_rows(ITEM global const uchar *src, global const uchar *scales,
                           global const uchar *shifts, global float *means, global float *variances,
                           global uchar *dst, constant struct norm_rows_params *p) {
    struct norm_space space;
    const i64 first = (i64)get_global_id(0) * p->span,
              last = first + p->span < p->rows ? first + p->span : p->rows;
    const float *scale = norm_weights(space.scale, scales, p->scale_type, p->scale_offset, p->length);
    const float *shift = norm_weights(space.shift, shifts, p->shift_type, p->shift_offset, p->length);
    for (i64 row = first; row < last; row++) {
        i64 from = p->src_offset, to = p->dst_offset, stat = 0, rest = row;
#pragma nounroll
        for (int l = p->nloops - 1; l >= 0; l--) {
            i64 outer = l > 0 ? rest / p->loops[l].size : 0, i = rest - outer * p->loops[l].size;
            from += i * p->loops[l].src;
            to += i * p->loops[l].dst;
            stat += i * p->loops[l].stat;
            rest = outer;
        }
        float mean = 0.0f, variance = 0.0f;
        if (p->given && !p->about_zero) mean = means[p->mean_offset + stat];
        if (p->given) variance = variances[p->variance_offset + stat];
        norm_row(p, src, from, dst, to, &mean, &variance, scale, shift, space.row);
        if (p->training && !p->about_zero) means[p->mean_offset + stat] = mean;
        if (p->training) variances[p->variance_offset + stat] = variance;
    }
}
#endif

/* Range: count / 16. */
#if WANTED(normalization_factors)
kernel void normalization_factors(ITEM global const float *mean, global const float *variance,
                                  global const float *scale, global float *factor,
                                  constant struct norm_factors_params *p) {
    const i64 begin = (i64)get_global_id(0) * 16;
    const i64 left = p->count - begin < 16 ? p->count - begin : 16;
    float v[16], s[16];
#pragma nounroll
    for (i64 k = 0; k < 16; k++)
        v[k] = s[k] = 1.0f;
#pragma nounroll
    for (i64 k = 0; k < left; k++) {
        const i64 i = begin + k, stat = p->share == 1 ? i : i / p->share;
        v[k] = variance[p->variance_offset + stat];
        if (p->scale_offset >= 0) s[k] = scale[p->scale_offset + i % p->channels];
        if (p->expanded_offset >= 0) factor[p->expanded_offset + i] = mean[p->mean_offset + stat];
    }
    vstore16(f32_div(vload16(0, s), f32_sqrt(vload16(0, v) + (float16)(p->eps))), 0, v);
#pragma nounroll
    for (i64 k = 0; k < left; k++)
        factor[p->factor_offset + begin + k] = v[k];
}
#endif
