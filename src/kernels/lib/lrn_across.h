/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Local response normalisation across channels. A line, all channels of one or of sixteen pixels, is loaded
 * as floats; a sum over neighbours is one over elements at a fixed distance. Lines have zeros on both ends
 * for the neighbours that are not there.
 */

/* What a work-item computes with: several lines at a time, so that what was stored as aligned vectors is not
 * loaded at once as others. The zeros around lines of `squares` and `terms` stay. */
struct lrn_line {
    float x[LRN_LINE], squares[LRN_LINE];
};
struct lrn_gradient_line {
    struct lrn_line forward;
    float d[LRN_LINE], terms[LRN_LINE];
};
/* (LRN_LINE is not a multiple of a page: the same element of two arrays would be taken for one address.) */

/* The line of a tensor: where its segments begin, and how many elements of each there are; of the last one
 * only `last`. */
struct lrn_place {
    i64 at, stride, segments, length;
    int count, last, type;
};

INLINE void lrn_place(struct lrn_place *place, constant struct lrn_across_params *p,
                      constant struct lrn_lines *lines, i64 line, i64 batch) {
    const i64 pixel = line * p->step, left = p->pixels - pixel, all = p->segments * p->length;
    place->at = lines->offset + batch * lines->batch + pixel * lines->pixel;
    place->stride = lines->segment;
    place->segments = p->segments, place->length = p->length;
    place->count = (int)(p->step > 1 && left < p->step ? left : p->length);
    place->last = (int)(p->step > 1 ? place->count : p->length - (all - p->channels));
    place->type = lines->type;
}

/* Are segments whole vectors of floats? */
INLINE bool lrn_is_direct(const struct lrn_place *place) {
    return place->type == TYPE_F32 && place->count % 16 == 0 && place->last == place->count;
}

INLINE void lrn_load_line(float *to, global const uchar *from, const struct lrn_place *place) {
    const i64 vectors = lrn_is_direct(place) && place->length == 16 ? place->segments : 0;
    i64 s = 0;
#pragma nounroll
    for (; s < vectors; s++)
        vstore16(vload16(0, (global const float *)from + place->at + s * place->stride), s, to);
#pragma nounroll
    for (; s < place->segments; s++)
        row_load(to + s * place->length, from, place->type, place->at + s * place->stride, 1,
                 s + 1 < place->segments ? place->count : place->last);
}

/* Channels that are only there as padding become zeros. */
INLINE void lrn_store_line(global uchar *to, const struct lrn_place *place, float *from, int padded) {
    const i64 vectors = lrn_is_direct(place) && place->length == 16 ? place->segments : 0;
    i64 s = 0;
    if (padded) {
#pragma nounroll
        for (int i = place->last; i < place->length; i++)
            from[(place->segments - 1) * place->length + i] = 0.0f;
    }
#pragma nounroll
    for (; s < vectors; s++)
        vstore16(vload16(s, from), 0, (global float *)to + place->at + s * place->stride);
#pragma nounroll
    for (; s < place->segments; s++)
        row_store(to, place->type, place->at + s * place->stride, 1, from + s * place->length, place->count);
}

/* The sum over the neighbours of sixteen elements. */
INLINE float16 lrn_sum_line(const float *at, const i64 reach, const i64 step) {
    float16 sum = vload16(0, at - reach * step);
    for (i64 j = 1 - reach; j <= reach; j++)
        sum += vload16(0, at + j * step);
    return sum;
}

/* The distance from the beginning of a line to its first element, and its elements: whole vectors. */
INLINE int lrn_margin(constant struct lrn_across_params *p) {
    return (int)((p->lrn.reach * p->step + 15) / 16 * 16);
}
INLINE int lrn_elements(constant struct lrn_across_params *p) {
    return (int)((p->channels * p->step + 15) / 16 * 16);
}

/* Clears what is in front of, between and behind lines. */
INLINE void lrn_clear_ends(float *line, constant struct lrn_across_params *p) {
    const int margin = lrn_margin(p), pitch = margin + lrn_elements(p);
#pragma nounroll
    for (int i = 0; i <= p->lines; i++)
        row_fill(line + i * pitch, 0.0f, margin);
}

INLINE float16 lrn_power_line(float16 omega, constant struct lrn *l, const int usual) {
    const float16 most = (float16)(3.4028234e38f);
    return usual ? lrn_usual_power(omega > most ? most : omega) : f32_pow(omega, (float16)(-l->beta));
}

INLINE void lrn_square_line(float *to, const float *x, int n) {
#pragma nounroll
    for (int k = 0; k < n; k += 16) {
        const float16 v = vload16(0, x + k);
        vstore16(v * v, 0, to + k);
    }
}

/* The lines of a work-item: from `first` on, p->lines at a time. */
INLINE int lrn_lines_at(constant struct lrn_across_params *p, i64 first, i64 end) {
    const i64 all = (p->pixels + p->step - 1) / p->step, last = end < all ? end : all;
    return (int)(last - first < p->lines ? last - first : p->lines);
}

/* Vectors of a line that are at a fixed distance from each other; 0: they are not. */
INLINE i64 lrn_distance(const struct lrn_place *place) {
    if (!lrn_is_direct(place) || place->length % 16 != 0) return 0;
    if (place->segments == 1) return 16;
    return place->length == 16 ? place->stride : 0;
}

/* The sum over two neighbours on both sides. */
INLINE float16 lrn_sum_lanes(float16 before, float16 at, float16 after) {
    return LANES_AFTER(before, at, 14) + LANES_AFTER(before, at, 15) + at + LANES_AFTER(at, after, 1)
           + LANES_AFTER(at, after, 2);
}

#if WANTED(lrn_across_16)
/* Callers pass usual values as constants. */
INLINE float16 lrn_result(float16 x, const float *squares, constant struct lrn_across_params *p,
                          const int usual, const i64 reach) {
    const float16 omega = lrn_omega(lrn_sum_line(squares, reach, p->step), &p->lrn);
    return x * lrn_power_line(omega, &p->lrn, usual);
}

/* From segments of whole vectors of floats to others. */
INLINE void lrn_direct_results(global float *to, const struct lrn_place *to_place, global const float *from,
                               const struct lrn_place *place, const float *squares,
                               constant struct lrn_across_params *p, const int usual, const i64 reach) {
#pragma nounroll
    for (i64 s = 0; s < place->segments; s++)
#pragma nounroll
        for (i64 k = 0; k < place->length; k += 16)
            vstore16(lrn_result(vload16(0, from + place->at + s * place->stride + k),
                                squares + s * place->length + k, p, usual, reach),
                     0, to + to_place->at + s * to_place->stride + k);
}

INLINE void lrn_direct_squares(float *to, global const float *from, const struct lrn_place *place) {
#pragma nounroll
    for (i64 s = 0; s < place->segments; s++)
#pragma nounroll
        for (i64 k = 0; k < place->length; k += 16) {
            const float16 x = vload16(0, from + place->at + s * place->stride + k);
            vstore16(x * x, 0, to + s * place->length + k);
        }
}

/* x becomes the results. */
INLINE void lrn_results(float *x, const float *squares, constant struct lrn_across_params *p, const int usual,
                        const i64 reach) {
    const int n = lrn_elements(p);
#pragma nounroll
    for (int k = 0; k < n; k += 16)
        vstore16(lrn_result(vload16(0, x + k), squares + k, p, usual, reach), 0, x + k);
}

/* The results of a line whose squares are known. */
INLINE void lrn_finish_line(global uchar *dst, const struct lrn_place *to, global const uchar *src,
                            const struct lrn_place *from, float *x, const float *squares,
                            constant struct lrn_across_params *p) {
    const int usual = lrn_is_usual(&p->lrn), direct = lrn_is_direct(from) && lrn_is_direct(to);
    if (direct && usual && p->lrn.reach == 2) {
        lrn_direct_results((global float *)dst, to, (global const float *)src, from, squares, p, 1, 2);
        return;
    }
    if (!direct && usual)
        lrn_results(x, squares, p, 1, p->lrn.reach);
    else if (!direct)
        lrn_results(x, squares, p, 0, p->lrn.reach);
    if (!direct)
        lrn_store_line(dst, to, x, p->step == 1);
    else if (usual)
        lrn_direct_results((global float *)dst, to, (global const float *)src, from, squares, p, 1,
                           p->lrn.reach);
    else
        lrn_direct_results((global float *)dst, to, (global const float *)src, from, squares, p, 0,
                           p->lrn.reach);
}

#ifdef NATIVE_AVX2
/* A line that is computed in registers. */
INLINE void lrn_register_results(global float *to, i64 to_step, global const float *from, i64 from_step,
                                 i64 vectors, constant struct lrn *l) {
    float16 x = vload16(0, from), before = (float16)(0.0f), squares = x * x;
#pragma nounroll
    for (i64 v = 1; v < vectors; v++, to += to_step) {
        const float16 next = vload16(0, from += from_step), after = next * next;
        vstore16(x * lrn_power_line(lrn_omega(lrn_sum_lanes(before, squares, after), l), l, 1), 0, to);
        x = next, before = squares, squares = after;
    }
    vstore16(x * lrn_power_line(lrn_omega(lrn_sum_lanes(before, squares, (float16)(0.0f)), l), l, 1), 0, to);
}

/* All lines of a work-item; false: they are not direct. */
INLINE bool lrn_register_lines(global const uchar *src, global uchar *dst, i64 first, i64 end, i64 batch,
                               constant struct lrn_across_params *p) {
    if (p->step != 1 || p->lrn.reach != 2 || !lrn_is_usual(&p->lrn)) return false;
    struct lrn_place from, to;
    lrn_place(&from, p, &p->src, first, batch);
    lrn_place(&to, p, &p->to, first, batch);
    const i64 from_step = lrn_distance(&from), to_step = lrn_distance(&to);
    if (from_step == 0 || to_step == 0) return false;
    for (i64 i = 0; i < end - first && first + i < p->pixels; i++)
        lrn_register_results((global float *)dst + to.at + i * p->to.pixel, to_step,
                             (global const float *)src + from.at + i * p->src.pixel, from_step,
                             p->segments * p->length / 16, &p->lrn);
    return true;
}
#endif

kernel void lrn_across_16(ITEM global const uchar *src, global uchar *dst,
                          constant struct lrn_across_params *p) {
    struct lrn_line line;
    struct lrn_place from, to;
    const i64 batch = get_global_id(1), first = (i64)get_global_id(0) * p->share, end = first + p->share;
    const int margin = lrn_margin(p), n = lrn_elements(p), pitch = n + margin;
    float *squares = line.squares + margin;
    int count;
#ifdef NATIVE_AVX2
    if (lrn_register_lines(src, dst, first, end, batch, p)) return;
#endif
    lrn_clear_ends(line.squares, p);
#pragma nounroll
    for (i64 at = first; (count = lrn_lines_at(p, at, end)) > 0; at += count) {
#pragma nounroll
        for (int i = 0; i < count; i++) {
            lrn_place(&from, p, &p->src, at + i, batch);
            lrn_place(&to, p, &p->to, at + i, batch);
            if (lrn_is_direct(&from) && lrn_is_direct(&to)) {
                lrn_direct_squares(squares + i * pitch, (global const float *)src, &from);
            } else {
                lrn_load_line(line.x + i * n, src, &from);
                lrn_square_line(squares + i * pitch, line.x + i * n, n);
            }
        }
#pragma nounroll
        for (int i = 0; i < count; i++) {
            lrn_place(&from, p, &p->src, at + i, batch);
            lrn_place(&to, p, &p->to, at + i, batch);
            lrn_finish_line(dst, &to, src, &from, line.x + i * n, squares + i * pitch, p);
        }
    }
}
#endif

#if WANTED(lrn_across_backward_16)
/* What a gradient is without the sum, in place of d; and what the sums are of. */
INLINE void lrn_term(float16 *d, float16 *term, float16 x, float16 omega, constant struct lrn *l,
                     const int usual) {
    const float16 most = (float16)(3.4028234e38f);
    if (usual) {
        float16 z2, rest;
        *d *= lrn_usual_power(omega > most ? most : omega, &z2, &rest);
        *term = lrn_usual_quotient(*d * x, z2, rest);
    } else {
        *d *= f32_pow(omega, (float16)(-l->beta));
        *term = f32_div(*d * x, omega);
    }
}

/* The same for a line. */
INLINE void lrn_terms(float *terms, float *d, const float *x, const float *squares,
                      constant struct lrn_across_params *p, const int usual, const i64 reach) {
    const int n = lrn_elements(p);
#pragma nounroll
    for (int k = 0; k < n; k += 16) {
        const float16 omega = lrn_omega(lrn_sum_line(squares + k, reach, p->step), &p->lrn);
        float16 y = vload16(0, d + k), term;
        lrn_term(&y, &term, vload16(0, x + k), omega, &p->lrn, usual);
        vstore16(y, 0, d + k);
        vstore16(term, 0, terms + k);
    }
#pragma nounroll
    for (int k = (int)(p->channels * p->step); k < n; k++)
        terms[k] = 0.0f; /* not a number, if omega is 0 */
}

INLINE void lrn_terms_of(float *terms, float *d, const float *x, const float *squares,
                         constant struct lrn_across_params *p) {
    const int usual = lrn_is_usual(&p->lrn);
    if (usual && p->lrn.reach == 2)
        lrn_terms(terms, d, x, squares, p, 1, 2);
    else if (usual)
        lrn_terms(terms, d, x, squares, p, 1, p->lrn.reach);
    else
        lrn_terms(terms, d, x, squares, p, 0, p->lrn.reach);
}

/* d becomes the gradients. Callers pass usual values of `reach` as constants. */
INLINE void lrn_gradients(float *d, const float *terms, const float *x, constant struct lrn_across_params *p,
                          const i64 reach) {
    const int n = lrn_elements(p);
    const float16 factor = (float16)(-2.0f * p->lrn.scale * p->lrn.beta);
#pragma nounroll
    for (int k = 0; k < n; k += 16) {
        const float16 sum = lrn_sum_line(terms + k, reach, p->step);
        vstore16(fma(sum, vload16(0, x + k) * factor, vload16(0, d + k)), 0, d + k);
    }
}

#ifdef NATIVE_AVX512
/* A line that is computed in registers: gradients follow one vector behind the terms. */
INLINE void lrn_direct_gradients(global float *to, i64 to_step, global const float *x, i64 x_step,
                                 global const float *d, i64 d_step, i64 vectors, constant struct lrn *l) {
    const float16 none = (float16)(0.0f), factor = (float16)(-2.0f * l->scale * l->beta);
    float16 x0 = none, x1 = vload16(0, x), squares0 = none,
            squares1 = x1 * x1;                    /* the last vector, this one */
    float16 term0 = none, term1 = none, d0 = none; /* the last but one, the last */
#pragma nounroll
    for (i64 v = 0; v < vectors; v++) {
        const float16 x2 = v + 1 < vectors ? vload16(0, x + (v + 1) * x_step) : none, squares2 = x2 * x2;
        float16 d1 = vload16(0, d + v * d_step), term2;
        lrn_term(&d1, &term2, x1, lrn_omega(lrn_sum_lanes(squares0, squares1, squares2), l), l, 1);
        if (v > 0)
            vstore16(fma(lrn_sum_lanes(term0, term1, term2), x0 * factor, d0), 0, to + (v - 1) * to_step);
        x0 = x1, x1 = x2, squares0 = squares1, squares1 = squares2;
        term0 = term1, term1 = term2, d0 = d1;
    }
    vstore16(fma(lrn_sum_lanes(term0, term1, none), x0 * factor, d0), 0, to + (vectors - 1) * to_step);
}

/* All lines of a work-item; false: they are not direct. */
INLINE bool lrn_direct_lines(global const uchar *src, global const uchar *diff_dst, global uchar *diff_src,
                             i64 first, i64 end, i64 batch, constant struct lrn_across_params *p) {
    if (p->step != 1 || p->lrn.reach != 2 || !lrn_is_usual(&p->lrn)) return false;
    struct lrn_place x, d, to;
    lrn_place(&x, p, &p->src, first, batch);
    lrn_place(&d, p, &p->diff_dst, first, batch);
    lrn_place(&to, p, &p->to, first, batch);
    const i64 x_step = lrn_distance(&x), d_step = lrn_distance(&d), to_step = lrn_distance(&to);
    if (x_step == 0 || d_step == 0 || to_step == 0) return false;
    for (i64 i = 0; i < end - first && first + i < p->pixels; i++)
        lrn_direct_gradients((global float *)diff_src + to.at + i * p->to.pixel, to_step,
                             (global const float *)src + x.at + i * p->src.pixel, x_step,
                             (global const float *)diff_dst + d.at + i * p->diff_dst.pixel, d_step,
                             p->segments * p->length / 16, &p->lrn);
    return true;
}
#endif

/* diff_src may be diff_dst. */
kernel void lrn_across_backward_16(ITEM global const uchar *src, global const uchar *diff_dst,
                                   global uchar *diff_src, constant struct lrn_across_params *p) {
    struct lrn_gradient_line line;
    struct lrn_place place;
    const i64 batch = get_global_id(1), first = (i64)get_global_id(0) * p->share, end = first + p->share;
    const int margin = lrn_margin(p), n = lrn_elements(p), pitch = n + margin;
    float *squares = line.forward.squares + margin, *x = line.forward.x, *terms = line.terms + margin;
    int count;
#ifdef NATIVE_AVX512
    if (lrn_direct_lines(src, diff_dst, diff_src, first, end, batch, p)) return;
#endif
    lrn_clear_ends(line.forward.squares, p);
    lrn_clear_ends(line.terms, p);
#pragma nounroll
    for (i64 at = first; (count = lrn_lines_at(p, at, end)) > 0; at += count) {
#pragma nounroll
        for (int i = 0; i < count; i++) {
            lrn_place(&place, p, &p->src, at + i, batch);
            lrn_load_line(x + i * n, src, &place);
            lrn_place(&place, p, &p->diff_dst, at + i, batch);
            lrn_load_line(line.d + i * n, diff_dst, &place);
            lrn_square_line(squares + i * pitch, x + i * n, n);
        }
#pragma nounroll
        for (int i = 0; i < count; i++)
            lrn_terms_of(terms + i * pitch, line.d + i * n, x + i * n, squares + i * pitch, p);
#pragma nounroll
        for (int i = 0; i < count; i++) {
            if (p->lrn.reach == 2)
                lrn_gradients(line.d + i * n, terms + i * pitch, x + i * n, p, 2);
            else
                lrn_gradients(line.d + i * n, terms + i * pitch, x + i * n, p, p->lrn.reach);
            lrn_place(&place, p, &p->to, at + i, batch);
            lrn_store_line(diff_src, &place, line.d + i * n, p->step == 1);
        }
    }
}
#endif
