/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Softmax and its logarithm, backward, from dst and diff_dst: a sum along each line, then the results
 *   dst * (diff_dst - sum of dst * diff_dst), or of the logarithm
 *   diff_dst - e^dst * sum of diff_dst.
 * Sums are in a fixed order. diff_src may be diff_dst: every element is read before it is written.
 */
#include "kernels/lib/math.h"
#include "kernels/lib/rows.h"
#include "kernels/lib/softmax_sum.h"
#include "kernels/lib/softmax_unit.h"
#include "kernels/lib/tensor.h"
#include "kernels/params_softmax.h"

INLINE float element_of(global const uchar *from, constant struct tensor *tensor, int axis, i64 *position,
                        i64 i) {
    position[axis] = i;
    return load_f32(from, tensor->type, tensor_offset(tensor, position));
}

INLINE float sum_of_line(global const uchar *dst, global const uchar *diff_dst,
                         constant struct softmax_backward_params *p, i64 *position) {
    float parts[SOFTMAX_PARTS];
#pragma nounroll
    for (int i = 0; i < SOFTMAX_PARTS; i++)
        parts[i] = 0.0f;
#pragma nounroll
    for (i64 i = 0; i < p->length; i++) {
        const float d = element_of(diff_dst, &p->diff_dst, p->axis, position, i);
        parts[i % SOFTMAX_PARTS] += p->log ? d : d * element_of(dst, &p->dst, p->axis, position, i);
    }
    return sum_parts(parts);
}

/* Range: rows of diff_src. */
#if WANTED(softmax_backward_universal)
kernel void softmax_backward_universal(ITEM global const uchar *dst, global const uchar *diff_dst,
                                       global uchar *diff_src, constant struct softmax_backward_params *p) {
    struct walker row, at;
    for (walk_begin(&row, &p->rows, get_global_id(0)); row.left > 0; walk_next(&row, &p->rows)) {
        const float sum = row.inside ? sum_of_line(dst, diff_dst, p, row.position) : 0.0f;
        for (walk_begin(&at, &p->line, 0); at.left > 0; walk_next(&at, &p->line)) {
            float x = 0.0f;
            if (row.inside && at.inside) {
                const i64 i = at.position[p->axis];
                const float y = element_of(dst, &p->dst, p->axis, row.position, i);
                const float d = element_of(diff_dst, &p->diff_dst, p->axis, row.position, i);
                x = p->log ? d - f32_exp(y) * sum : y * (d - sum);
            }
            store_f32(diff_src, p->type, row.offset + at.offset, x);
        }
        row.position[p->axis] = 0;
    }
}
#endif

/* n elements of diff_src. There is a sum for each element, or, `same`, sixteen equal ones for all. */
INLINE void softmax_results(int log, const float *y, const float *d, float *to, const float *sums, int same,
                            int n) {
#pragma nounroll
    for (int i = 0; i < n; i += 16) {
        const float16 a = vload16(0, y + i), b = vload16(0, d + i), sum = vload16(0, sums + (same ? 0 : i));
        vstore16(log ? b - f32_exp(a) * sum : a * (b - sum), 0, to + i);
    }
}

/* Adds 16 terms at a time; elements beyond the end are zeros. */
INLINE float16 softmax_terms(int log, const float *y, const float *d, int n, float16 sum) {
#pragma nounroll
    for (int i = 0; i < n; i += 16) {
        const float16 b = vload16(0, d + i);
        sum = log ? sum + b : fma(vload16(0, y + i), b, sum);
    }
    return sum;
}

/* Range: shares of the lines, whose elements are next to each other. */
#if WANTED(softmax_backward_along_16)
kernel void softmax_backward_along_16(ITEM global const uchar *dst, global const uchar *diff_dst,
                                      global uchar *diff_src, constant struct softmax_lines_params *p) {
    const i64 first = (i64)get_global_id(0) * p->span, length = p->length;
    const i64 last = first + p->span < p->units ? first + p->span : p->units;
    LINE_ALIGNED float own_y[SOFTMAX_LINE + 16], own_d[SOFTMAX_LINE + 16], parts[16];
#pragma nounroll
    for (i64 unit = first; unit < last; unit++) {
        const struct softmax_unit u = softmax_unit(p, unit);
        const float *y = own_y, *d = own_d;
        float16 sum = (float16)(0.0f);
#pragma nounroll
        for (i64 i = 0; i < length; i += SOFTMAX_LINE) {
            const int n = (int)(length - i < SOFTMAX_LINE ? length - i : SOFTMAX_LINE);
            d = row_floats(own_d, diff_dst, p->types[1], u.offsets[1] + i, n);
            y = row_floats(own_y, dst, p->types[0], u.offsets[0] + i, n);
            sum = softmax_terms(p->log, y, d, n, sum);
        }
        vstore16((float16)(sum_lanes(sum)), 0, parts);
#pragma nounroll
        for (i64 i = 0; i < length; i += SOFTMAX_LINE) {
            const int n = (int)(length - i < SOFTMAX_LINE ? length - i : SOFTMAX_LINE);
            if (length > SOFTMAX_LINE) {
                d = row_floats(own_d, diff_dst, p->types[1], u.offsets[1] + i, n);
                y = row_floats(own_y, dst, p->types[0], u.offsets[0] + i, n);
            }
            float *to = row_results(own_d, diff_src, p->types[2], u.offsets[2] + i, n);
            softmax_results(p->log, y, d, to, parts, 1, n);
            row_put(diff_src, p->types[2], u.offsets[2] + i, to, own_d, n);
        }
    }
}
#endif

/* Range: shares of the blocks of lines side by side. */
#if WANTED(softmax_backward_across_16)
kernel void softmax_backward_across_16(ITEM global const uchar *dst, global const uchar *diff_dst,
                                       global uchar *diff_src, constant struct softmax_lines_params *p) {
    const i64 first = (i64)get_global_id(0) * p->span;
    const i64 last = first + p->span < p->units ? first + p->span : p->units;
    LINE_ALIGNED float own_y[SOFTMAX_BLOCK], own_d[SOFTMAX_BLOCK], sums[SOFTMAX_BLOCK];
#pragma nounroll
    for (i64 unit = first; unit < last; unit++) {
        const struct softmax_unit u = softmax_unit(p, unit);
        const int n = u.width;
        row_fill(sums, 0.0f, n);
#pragma nounroll
        for (i64 i = 0; i < p->length; i++) {
            const float *d = row_floats(own_d, diff_dst, p->types[1], u.offsets[1] + i * p->steps[1], n);
            const float *y = row_floats(own_y, dst, p->types[0], u.offsets[0] + i * p->steps[0], n);
            for (int k = 0; k < n; k += 16)
                vstore16(softmax_terms(p->log, y + k, d + k, 16, vload16(0, sums + k)), 0, sums + k);
        }
#pragma nounroll
        for (i64 i = 0; i < p->length; i++) {
            const i64 at = u.offsets[2] + i * p->steps[2];
            const float *d = row_floats(own_d, diff_dst, p->types[1], u.offsets[1] + i * p->steps[1], n);
            const float *y = row_floats(own_y, dst, p->types[0], u.offsets[0] + i * p->steps[0], n);
            float *to = row_results(own_d, diff_src, p->types[2], at, n);
            softmax_results(p->log, y, d, to, sums, 0, n);
            row_put(diff_src, p->types[2], at, to, own_d, n);
        }
    }
}
#endif
