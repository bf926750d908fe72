/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Local response normalisation. Universal kernels take any layout and type; across channels, fast ones take
 * any type and most layouts; within channels, channels-last f32 images, a vector of channels at a time.
 * Backward, what gradients are sums of is computed first: by a launch of its own, or for all channels of a
 * pixel. Squares are summed in the order of positions, so the bits are the same in every run and for any
 * number of threads.
 *
 * Ranges: parts of dst; lines, batches; parts of rows of dst, rows, batches.
 */
#include "kernels/lib/convert.h"
#include "kernels/lib/lanes_after.h"
#include "kernels/lib/math.h"
#include "kernels/lib/rows.h"
#include "kernels/lib/tensor.h"
#include "kernels/params_lrn.h"

#if defined(NATIVE_AVX2)
#include <immintrin.h>
#endif

/* Does lrn_usual_power compute it? */
INLINE bool lrn_is_usual(constant struct lrn *l) {
    return l->beta == 0.75f && l->scale >= 0.0f && l->k >= 0x1p-100f;
}

#define LANES 1
#include "kernels/lib/lrn_lanes.h"
#undef LANES

/* The part of [at - reach, at + reach] that is in [0, size). */
INLINE i64 lrn_first(i64 at, i64 reach) {
    return at > reach ? at - reach : 0;
}
INLINE i64 lrn_last(i64 at, i64 reach, i64 size) {
    return at + reach < size ? at + reach + 1 : size;
}

/* The sum over the neighbours of `center`: of their squares, or of themselves. */
struct lrn_source {
    constant struct lrn *lrn;
    constant struct tensor *tensor;
    global const uchar *elements;
};

INLINE float lrn_add_at(const struct lrn_source *from, const i64 *position, const int squares, float sum) {
    float x = load_f32(from->elements, from->tensor->type, tensor_offset(from->tensor, position));
    return squares ? fma(x, x, sum) : sum + x;
}

INLINE float lrn_sum(const struct lrn_source *from, const i64 *center, const int squares) {
    i64 at[TENSOR_DIMS], *s = at + 2, first[WINDOW_DIMS], last[WINDOW_DIMS];
    const i64 reach = from->lrn->reach;
    float sum = 0.0f;
#pragma nounroll
    for (int d = 0; d < TENSOR_DIMS; d++)
        at[d] = center[d];
    if (from->lrn->across) {
        for (at[1] = lrn_first(center[1], reach); at[1] < lrn_last(center[1], reach, from->tensor->dims[1]);
             at[1]++)
            sum = lrn_add_at(from, at, squares, sum);
        return sum;
    }
    for (int d = 0; d < WINDOW_DIMS; d++) {
        bool there = d + 2 < from->tensor->ndims;
        first[d] = there ? lrn_first(center[d + 2], reach) : 0;
        last[d] = there ? lrn_last(center[d + 2], reach, from->tensor->dims[d + 2]) : 1;
    }
    for (s[0] = first[0]; s[0] < last[0]; s[0]++)
        for (s[1] = first[1]; s[1] < last[1]; s[1]++)
            for (s[2] = first[2]; s[2] < last[2]; s[2]++)
                sum = lrn_add_at(from, at, squares, sum);
    return sum;
}

#if WANTED(lrn_universal)
kernel void lrn_universal(ITEM global const uchar *src, global uchar *dst, constant struct lrn_params *p) {
    const struct lrn_source from = {&p->lrn, &p->src, src};
    struct walker out;
    for (walk_begin(&out, &p->walk, get_global_id(0)); out.left > 0; walk_next(&out, &p->walk)) {
        float y = 0.0f;
        if (out.inside) {
            float x = load_f32(src, p->src.type, tensor_offset(&p->src, out.position));
            y = x * lrn_power(lrn_omega(lrn_sum(&from, out.position, 1), &p->lrn), &p->lrn);
        }
        store_f32(dst, p->src.type, out.offset, y);
    }
}
#endif

#if WANTED(lrn_backward_terms)
kernel void lrn_backward_terms(ITEM global const uchar *src, global const uchar *diff_dst,
                               global float *terms, constant struct lrn_backward_params *p) {
    const struct lrn_source from = {&p->lrn, &p->src, src};
    struct walker out;
    for (walk_begin(&out, &p->walk, get_global_id(0)); out.left > 0; walk_next(&out, &p->walk)) {
        const float omega = lrn_omega(lrn_sum(&from, out.position, 1), &p->lrn);
        const float x = load_f32(src, p->src.type, tensor_offset(&p->src, out.position)),
                    d = load_f32(diff_dst, p->diff_dst.type, tensor_offset(&p->diff_dst, out.position))
                        * lrn_power(omega, &p->lrn);
        terms[out.offset] = f32_div(d * x, omega);
        terms[out.offset + p->second] = d;
    }
}
#endif

#if WANTED(lrn_backward_universal)
kernel void lrn_backward_universal(ITEM global const uchar *src, global const float *terms,
                                   global uchar *diff_src, constant struct lrn_backward_params *p) {
    const struct lrn_source from = {&p->lrn, &p->terms, (global const uchar *)terms};
    const float factor = -2.0f * p->lrn.scale * p->lrn.beta;
    struct walker out;
    for (walk_begin(&out, &p->walk, get_global_id(0)); out.left > 0; walk_next(&out, &p->walk)) {
        float y = 0.0f;
        if (out.inside) {
            const float x = load_f32(src, p->src.type, tensor_offset(&p->src, out.position));
            y = fma(lrn_sum(&from, out.position, 0), x * factor,
                    terms[tensor_offset(&p->terms, out.position) + p->second]);
        }
        store_f32(diff_src, p->src.type, out.offset, y);
    }
}
#endif

enum { LRN_VECTORS = 4 }; /* vectors kept in registers */

/* What is computed of a pixel: results; what gradients are sums of; gradients. */
enum { LRN_RESULTS, LRN_TERMS, LRN_GRADIENTS };

/* A pixel, by its position and the offsets of its first channel in each tensor: x is src, `other` diff_dst or
 * the second terms. Sums are over `summed`, whose image begins at `image`. */
struct lrn_pixel {
    i64 position[WINDOW_DIMS];
    i64 image, summed_at, x_at, other_at, to_at, second_at;
    constant struct lrn_image *layout; /* of `summed` */
    global const float *summed, *x, *other;
    global float *to;
};

INLINE i64 lrn_offset(constant struct lrn_image *image, const i64 *position, i64 batch) {
    return image->offset + batch * image->batch + position[0] * image->stride[0]
           + position[1] * image->stride[1] + position[2] * image->stride[2];
}

/* The pixels of a work-item: of row `row`, from `first` to `last` - 1. */
struct lrn_part {
    i64 first, last, row, batch;
};

INLINE struct lrn_part lrn_part(constant struct lrn_space *s, i64 x, i64 row, i64 batch) {
    const i64 first = x * LRN_PIXELS;
    struct lrn_part part = {first, first + LRN_PIXELS < s->size[2] ? first + LRN_PIXELS : s->size[2], row,
                            batch};
    return part;
}

INLINE void lrn_set_position(struct lrn_pixel *pixel, constant struct lrn_space *s,
                             const struct lrn_part *part, i64 at) {
    pixel->position[0] = s->size[0] == 1 ? 0 : part->row / s->size[1];
    pixel->position[1] = part->row - pixel->position[0] * s->size[1];
    pixel->position[2] = at;
}

#define LANES 16
#include "kernels/lib/lrn_lanes.h"
#include "kernels/lib/lrn_across.h"
#undef LANES
