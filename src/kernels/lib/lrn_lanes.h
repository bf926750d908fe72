/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of lrn.cl for one vector width LANES: the formula and, for vectors, the kernels for sums within
 * channels. */
#include "kernels/lib/lanes.h"

/* For the usual beta and 2^-120 <= omega < 2^128, without division or root: z is an estimate of omega^(-1/4),
 * and z^3 and z^4 are corrected by the residual of 1 / z^4, `rest`. */
#if LANES == 16 && defined(NATIVE_AVX2)
/* omega^(-1/2) within 4e-4. */
INLINE VEC lrn_root(VEC omega) {
#if defined(NATIVE_AVX512)
    return (VEC)_mm512_rsqrt14_ps((__m512)omega);
#else
    VEC root;
    root.lo = (float8)_mm256_rsqrt_ps((__m256)omega.lo);
    root.hi = (float8)_mm256_rsqrt_ps((__m256)omega.hi);
    return root;
#endif
}

/* The estimate is within 6e-4. */
INLINE OVERLOAD VEC lrn_estimate(VEC omega) {
    const VEC root = lrn_root(omega);
    return root * lrn_root(root);
}
#else
/* From the bits, within 3.2 %; two Newton steps reduce the error to 1.6e-5. */
INLINE OVERLOAD VEC lrn_estimate(VEC omega) {
    VEC z = AS_VEC((UVEC)(0x4f586000u) - (AS_UVEC(omega) >> 2));
    for (int i = 0; i < 2; i++) {
        const VEC z2 = z * z;
        z = fma(z * 0.25f, fma(-(omega * z2), z2, V(1.0f)), z);
    }
    return z;
}
#endif

/* omega^(-3/4), 2 ulp; z2 and rest are of its estimate. */
INLINE OVERLOAD VEC lrn_usual_power(VEC omega, VEC *z2, VEC *rest) {
    const VEC z = lrn_estimate(omega);
    *z2 = z * z;
    *rest = fma(-(omega * *z2), *z2, V(1.0f));
    const VEC z3 = z * *z2;
    return fma(z3 * *rest, fma(*rest, V(0.65625f), V(0.75f)), z3);
}

INLINE OVERLOAD VEC lrn_usual_power(VEC omega) {
    VEC z2, rest;
    return lrn_usual_power(omega, &z2, &rest);
}

/* x / omega, 3 ulp. The square of omega^(-1/2) may be denormal: it is not computed. */
INLINE OVERLOAD VEC lrn_usual_quotient(VEC x, VEC z2, VEC rest) {
    return x * z2 * fma(z2 * rest, rest + V(1.0f), z2);
}

INLINE OVERLOAD VEC lrn_omega(VEC sum, constant struct lrn *l) {
    return fma(sum, V(l->scale), V(l->k));
}

/* omega^-beta */
INLINE OVERLOAD VEC lrn_power(VEC omega, constant struct lrn *l) {
    const float most = 3.4028234e38f;
    if (lrn_is_usual(l)) return lrn_usual_power(omega > most ? V(most) : omega);
    return f32_pow(omega, V(-l->beta));
}

#if LANES > 1
#include "kernels/lib/memory_lanes.h"

INLINE OVERLOAD VEC lrn_add(VEC x, const int squares, VEC sum) {
    return squares ? fma(x, x, sum) : sum + x;
}

/* The sum over the pixels around one pixel, for n vectors of channels from c on. Callers pass `n` as a
 * constant; if n is 1, `count` lanes exist. */
INLINE OVERLOAD void lrn_sum_within(VEC *sums, constant struct lrn_space *s, const struct lrn_pixel *pixel,
                                    i64 c, const int squares, const int n, int count) {
    constant struct lrn_image *layout = pixel->layout;
    global const float *image = pixel->summed + pixel->image + c;
    VEC sum[LRN_VECTORS], x;
    i64 first[WINDOW_DIMS], last[WINDOW_DIMS];
    for (int i = 0; i < n; i++)
        sum[i] = V(0.0f);
    for (int d = 0; d < WINDOW_DIMS; d++) {
        first[d] = lrn_first(pixel->position[d], s->lrn.reach);
        last[d] = lrn_last(pixel->position[d], s->lrn.reach, s->size[d]);
    }
#pragma nounroll
    for (i64 i0 = first[0]; i0 < last[0]; i0++)
#pragma nounroll
        for (i64 i1 = first[1]; i1 < last[1]; i1++) {
            global const float *row = image + i0 * layout->stride[0] + i1 * layout->stride[1];
#pragma nounroll
            for (i64 i2 = first[2]; i2 < last[2]; i2++)
#pragma unroll
                for (int i = 0; i < n; i++) {
                    load_lanes(&x, row + i2 * layout->stride[2] + i * LANES, n == 1 ? count : LANES, 0.0f);
                    sum[i] = lrn_add(x, squares, sum[i]);
                }
        }
    for (int i = 0; i < n; i++)
        sums[i] = sum[i];
}

/* What follows from the sum of `count` channels. */
INLINE OVERLOAD void lrn_finish(const int mode, constant struct lrn *l, const struct lrn_pixel *pixel, i64 c,
                                VEC sum, int count) {
    VEC x, d;
    load_lanes(&x, pixel->x + pixel->x_at + c, count, 0.0f);
    if (mode == LRN_RESULTS) {
        store_lanes(x * lrn_power(lrn_omega(sum, l), l), pixel->to + pixel->to_at + c, count);
        return;
    }
    load_lanes(&d, pixel->other + pixel->other_at + c, count, 0.0f);
    if (mode == LRN_GRADIENTS) {
        store_lanes(fma(sum, x * (-2.0f * l->scale * l->beta), d), pixel->to + pixel->to_at + c, count);
        return;
    }
    const VEC omega = lrn_omega(sum, l);
    d *= lrn_power(omega, l);
    store_lanes(f32_div(d * x, omega), pixel->to + pixel->to_at + c, count);
    store_lanes(d, pixel->to + pixel->second_at + c, count);
}

/* All channels of one pixel. */
INLINE OVERLOAD void lrn_channels(VEC *sums, const int mode, constant struct lrn_space *s,
                                  const struct lrn_pixel *pixel) {
    const int squares = mode != LRN_GRADIENTS;
    for (i64 c = 0; c < s->channels;) {
        int n = s->channels - c >= LRN_VECTORS * LANES ? LRN_VECTORS : 1;
        int count = s->channels < LANES ? (int)s->channels : LANES;
        /* The last vector starts early if it can: some channels are computed twice, with the same bits. */
        if (c > s->channels - count) c = s->channels - count;
        if (n == 1)
            lrn_sum_within(sums, s, pixel, c, squares, 1, count);
        else
            lrn_sum_within(sums, s, pixel, c, squares, LRN_VECTORS, LANES);
        for (int i = 0; i < n; i++, c += LANES)
            lrn_finish(mode, &s->lrn, pixel, c, sums[i], count);
    }
}

#if WANTED(f32_lrn_within_16)
kernel void f32_lrn_within_16(ITEM global const float *src, global float *dst,
                              constant struct lrn_dense_params *p) {
    const struct lrn_part part = lrn_part(&p->space, get_global_id(0), get_global_id(1), get_global_id(2));
    struct lrn_pixel pixel = {.layout = &p->src, .summed = src, .x = src, .to = dst};
    pixel.image = p->src.offset + part.batch * p->src.batch;
    for (i64 i = part.first; i < part.last; i++) {
        VEC sums[LRN_VECTORS];
        lrn_set_position(&pixel, &p->space, &part, i);
        pixel.summed_at = pixel.x_at = lrn_offset(&p->src, pixel.position, part.batch);
        pixel.to_at = lrn_offset(&p->dst, pixel.position, part.batch);
        lrn_channels(sums, LRN_RESULTS, &p->space, &pixel);
    }
}
#endif

#if WANTED(f32_lrn_within_terms_16)
kernel void f32_lrn_within_terms_16(ITEM global const float *src, global const float *diff_dst,
                                    global float *terms, constant struct lrn_dense_backward_params *p) {
    const struct lrn_part part = lrn_part(&p->space, get_global_id(0), get_global_id(1), get_global_id(2));
    struct lrn_pixel pixel = {.layout = &p->src, .summed = src, .x = src, .other = diff_dst, .to = terms};
    pixel.image = p->src.offset + part.batch * p->src.batch;
    for (i64 i = part.first; i < part.last; i++) {
        VEC sums[LRN_VECTORS];
        lrn_set_position(&pixel, &p->space, &part, i);
        pixel.summed_at = pixel.x_at = lrn_offset(&p->src, pixel.position, part.batch);
        pixel.other_at = lrn_offset(&p->diff_dst, pixel.position, part.batch);
        pixel.to_at = lrn_offset(&p->terms, pixel.position, part.batch);
        pixel.second_at = pixel.to_at + p->second;
        lrn_channels(sums, LRN_TERMS, &p->space, &pixel);
    }
}
#endif

/* diff_src may be diff_dst. */
#if WANTED(f32_lrn_within_backward_16)
kernel void f32_lrn_within_backward_16(ITEM global const float *src, global const float *terms,
                                       global float *diff_src, constant struct lrn_dense_backward_params *p) {
    const struct lrn_part part = lrn_part(&p->space, get_global_id(0), get_global_id(1), get_global_id(2));
    struct lrn_pixel pixel = {.layout = &p->terms, .summed = terms, .x = src, .other = terms, .to = diff_src};
    pixel.image = p->terms.offset + part.batch * p->terms.batch;
    for (i64 i = part.first; i < part.last; i++) {
        VEC sums[LRN_VECTORS];
        lrn_set_position(&pixel, &p->space, &part, i);
        pixel.summed_at = lrn_offset(&p->terms, pixel.position, part.batch);
        pixel.other_at = pixel.summed_at + p->second;
        pixel.x_at = lrn_offset(&p->src, pixel.position, part.batch);
        pixel.to_at = lrn_offset(&p->diff_src, pixel.position, part.batch);
        lrn_channels(sums, LRN_GRADIENTS, &p->space, &pixel);
    }
}
#endif
#endif
