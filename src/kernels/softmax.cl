/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Softmax and its logarithm, forward: maximum, sum, results. A sum has 16 parts, which are added as a tree: a
 * fixed order, so the bits are the same in every run and for any number of threads.
 */
#include "kernels/lib/epilogue.h"
#include "kernels/lib/softmax_sum.h"
#include "kernels/params_softmax.h"

#define LANES 16
#include "kernels/lib/lanes.h"
#include "kernels/lib/memory_lanes.h"
#undef LANES

/* What the elements of a line share: the results are e^(x - most) * factor, or x - most - log_sum. */
struct softmax_line {
    float most, factor, log_sum;
};

INLINE struct softmax_line softmax_line(float most, float sum, int log) {
    struct softmax_line line = {most, 0.0f, 0.0f};
    if (log)
        line.log_sum = f32_log(sum);
    else
        line.factor = f32_div(1.0f, sum);
    return line;
}

INLINE float softmax_src(global const uchar *src, constant struct softmax_params *p, i64 *position, i64 i) {
    position[p->axis] = i;
    return load_f32(src, p->src.type, tensor_offset(&p->src, position));
}

INLINE struct softmax_line softmax_measure(global const uchar *src, constant struct softmax_params *p,
                                           i64 *position) {
    float most = -INFINITY, parts[SOFTMAX_PARTS];
#pragma nounroll
    for (i64 i = 0; i < p->length; i++) {
        float x = softmax_src(src, p, position, i);
        most = x > most ? x : most;
    }
#pragma nounroll
    for (int i = 0; i < SOFTMAX_PARTS; i++)
        parts[i] = 0.0f;
#pragma nounroll
    for (i64 i = 0; i < p->length; i++)
        parts[i % SOFTMAX_PARTS] += f32_exp(softmax_src(src, p, position, i) - most);
    return softmax_line(most, sum_parts(parts), p->log);
}

/* Range: shares of the rows. */
#if WANTED(softmax_universal)
kernel void softmax_universal(ITEM global const uchar *src, global uchar *dst, EPILOGUE_ARGS,
                              constant struct softmax_params *p) {
    struct epilogue_state e = EPILOGUE_STATE(&p->epilogue);
    struct walker row, at;
    for (walk_begin(&row, &p->rows, get_global_id(0)); row.left > 0; walk_next(&row, &p->rows)) {
        struct softmax_line line = {0.0f, 0.0f, 0.0f};
        if (row.inside) line = softmax_measure(src, p, row.position);
        for (walk_begin(&at, &p->line, 0); at.left > 0; walk_next(&at, &p->line)) {
            float y = 0.0f;
            if (row.inside && at.inside) {
                float x = softmax_src(src, p, row.position, at.position[p->axis]) - line.most;
                y = p->log ? x - line.log_sum : f32_exp(x) * line.factor;
                y = epilogue_finish(&e, epilogue_scale(&e, y, row.position), row.position);
            }
            store_f32(dst, p->epilogue.type, row.offset + at.offset, y);
        }
        row.position[p->axis] = 0;
    }
}
#endif

/* The largest lane; none is NaN. */
INLINE float most_of_lanes(float16 v) {
    const float8 eight = v.lo > v.hi ? v.lo : v.hi;
    const float4 four = eight.lo > eight.hi ? eight.lo : eight.hi;
    const float2 two = four.lo > four.hi ? four.lo : four.hi;
    return two.x > two.y ? two.x : two.y;
}

/* The largest element; NaN is none. */
INLINE float softmax_top(global const float *src, i64 length) {
    const i64 whole = length & ~15l;
    float16 x, most = (float16)(-INFINITY);
    for (i64 i = 0; i < whole; i += 16) {
        x = vload16(0, src + i);
        most = x > most ? x : most;
    }
    if (whole < length) {
        load_lanes(&x, src + whole, length - whole, -INFINITY);
        most = x > most ? x : most;
    }
    return most_of_lanes(most);
}

/* The sum of e^(x - top), which are left in dst if `keep` is not 0. A missing element counts as minus
 * infinity. */
INLINE float softmax_powers(global const float *src, global float *dst, i64 length, float16 top, int keep) {
    const i64 whole = length & ~15l;
    float16 y, sum = (float16)(0.0f);
#pragma nounroll
    for (i64 i = 0; i < whole; i += 16) {
        y = f32_exp(vload16(0, src + i) - top);
        if (keep) vstore16(y, 0, dst + i);
        sum += y;
    }
    if (whole < length) {
        load_lanes(&y, src + whole, length - whole, -INFINITY);
        y = f32_exp(y - top);
        if (keep) store_lanes(y, dst + whole, length - whole);
        sum += y;
    }
    return sum_lanes(sum);
}

/* Rows without an epilogue, a step of all of them before the next: the latency at the end of a row's sum is
 * hidden behind the next row. */
enum { SOFTMAX_BATCH = 8, SOFTMAX_SHORT = 512 };
struct softmax_batch {
    i64 from[SOFTMAX_BATCH], to[SOFTMAX_BATCH];     /* offsets in src and dst */
    float tops[SOFTMAX_BATCH], ends[SOFTMAX_BATCH]; /* ends: the factors, or the logarithms of the sums */
};

INLINE void softmax_multiply(global float *to, float16 factor, i64 length) {
    const i64 whole = length & ~15l;
    for (i64 i = 0; i < whole; i += 16)
        vstore16(vload16(0, to + i) * factor, 0, to + i);
    if (whole < length) {
        float16 y;
        load_lanes(&y, to + whole, length - whole, 0.0f);
        store_lanes(y * factor, to + whole, length - whole);
    }
}

INLINE void softmax_subtract(global const float *from, global float *to, float16 top, float16 log_sum,
                             i64 length) {
#pragma nounroll
    for (i64 i = 0; i < length; i += 16) {
        float16 y;
        load_lanes(&y, from + i, length - i, 0.0f);
        store_lanes(y - top - log_sum, to + i, length - i);
    }
}

INLINE void softmax_rows(struct softmax_batch *b, global const float *src, global float *dst, int n,
                         i64 length, int log) {
#pragma nounroll
    for (int r = 0; r < n; r++)
        b->tops[r] = softmax_top(src + b->from[r], length);
#pragma nounroll
    for (int r = 0; r < n; r++) {
        const float sum =
                softmax_powers(src + b->from[r], dst + b->to[r], length, (float16)(b->tops[r]), !log);
        const struct softmax_line line = softmax_line(0.0f, sum, log);
        b->ends[r] = log ? line.log_sum : line.factor;
    }
#pragma nounroll
    for (int r = 0; r < n; r++)
        if (log)
            softmax_subtract(src + b->from[r], dst + b->to[r], (float16)(b->tops[r]), (float16)(b->ends[r]),
                             length);
        else
            softmax_multiply(dst + b->to[r], (float16)(b->ends[r]), length);
}

/* One row with an epilogue. */
INLINE void softmax_row(const struct epilogue_state *e, constant struct softmax_params *p, i64 *position,
                        global const float *from, global float *to) {
    const float top = softmax_top(from, p->length);
    const struct softmax_line line =
            softmax_line(top, softmax_powers(from, to, p->length, (float16)(top), 0), p->log);
#pragma nounroll
    for (i64 i = 0; i < p->length; i += 16) {
        const i64 left = p->length - i;
        const int count = left < 16 ? (int)left : 16;
        float16 y;
        load_lanes(&y, from + i, left, 0.0f);
        y -= (float16)(line.most);
        if (p->log)
            y -= (float16)(line.log_sum);
        else
            y = f32_exp(y) * (float16)(line.factor);
        position[p->axis] = i;
        epilogue_scale(e, &y, position, p->axis, count);
        epilogue_apply(e, &y, position, p->axis, count);
        store_lanes(y, to + i, left);
    }
    position[p->axis] = 0;
}

/* Range: shares of the rows. dst may be src. */
#if WANTED(f32_softmax_16)
kernel void f32_softmax_16(ITEM global const float *src, global float *dst, EPILOGUE_ARGS,
                           constant struct softmax_params *p) {
    const struct epilogue_state e = EPILOGUE_STATE(&p->epilogue);
    const int most = p->length <= SOFTMAX_SHORT ? SOFTMAX_BATCH : 1;
    struct softmax_batch batch;
    struct walker row;
    int n = 0;
    for (walk_begin(&row, &p->rows, get_global_id(0)); row.left > 0; walk_next(&row, &p->rows)) {
        global const float *from = src + tensor_offset(&p->src, row.position);
        if (!p->plain) {
            softmax_row(&e, p, row.position, from, dst + row.offset);
            continue;
        }
        batch.from[n] = from - src, batch.to[n] = row.offset;
        if (++n < most && row.left > 1) continue;
        softmax_rows(&batch, src, dst, n, p->length, p->log);
        n = 0;
    }
}
#endif

/* The same for 16 adjacent lines. */
struct softmax_lines {
    float16 most, factor, log_sum;
};

/* Leaves e^(x - maximum) in dst if `keep` is not 0. */
INLINE struct softmax_lines softmax_measure_across(constant struct softmax_params *p, global const float *src,
                                                   global float *dst, i64 lines, int keep) {
    struct softmax_lines l;
    float16 x, parts[SOFTMAX_PARTS];
    l.most = (float16)(-INFINITY);
#pragma nounroll
    for (i64 i = 0; i < p->length; i++) {
        load_lanes(&x, src + i * p->src_step, lines, 0.0f);
        l.most = x > l.most ? x : l.most;
    }
#pragma nounroll
    for (int i = 0; i < SOFTMAX_PARTS; i++)
        parts[i] = (float16)(0.0f);
#pragma nounroll
    for (i64 i = 0; i < p->length; i++) {
        load_lanes(&x, src + i * p->src_step, lines, 0.0f);
        x = f32_exp(x - l.most);
        if (keep) store_lanes(x, dst + i * p->dst_step, lines);
        parts[i % SOFTMAX_PARTS] += x;
    }
#pragma nounroll
    for (int step = SOFTMAX_PARTS / 2; step > 0; step /= 2)
#pragma nounroll
        for (int i = 0; i < step; i++)
            parts[i] += parts[i + step];
    l.factor = f32_div((float16)(1.0f), parts[0]);
    l.log_sum = p->log ? f32_log(parts[0]) : (float16)(0.0f);
    return l;
}

/* Range: shares of the rows. dst may be src. */
#if WANTED(f32_softmax_across_16)
kernel void f32_softmax_across_16(ITEM global const float *src, global float *dst, EPILOGUE_ARGS,
                                  constant struct softmax_params *p) {
    struct epilogue_state e = EPILOGUE_STATE(&p->epilogue);
    const int log = p->log, keep = !log && p->plain;
    struct walker row;
    for (walk_begin(&row, &p->rows, get_global_id(0)); row.left > 0; walk_next(&row, &p->rows)) {
        global const float *from = src + tensor_offset(&p->src, row.position);
        global float *to = dst + row.offset;
#pragma nounroll
        for (i64 at = 0; at < p->width; at += 16) {
            i64 lines = p->width - at;
            struct softmax_lines l = softmax_measure_across(p, from + at, to + at, lines, keep);
            row.position[p->lanes] = at;
#pragma nounroll
            for (i64 i = 0; i < p->length; i++) {
                float16 y;
                load_lanes(&y, keep ? to + at + i * p->dst_step : from + at + i * p->src_step, lines, 0.0f);
                if (!keep) y -= l.most;
                if (!keep && !log) y = f32_exp(y);
                y = log ? y - l.log_sum : y * l.factor;
                if (!p->plain) {
                    int count = lines < 16 ? (int)lines : 16;
                    row.position[p->axis] = i;
                    epilogue_scale(&e, &y, row.position, p->lanes, count);
                    epilogue_apply(&e, &y, row.position, p->lanes, count);
                }
                store_lanes(y, to + at + i * p->dst_step, lines);
            }
        }
        row.position[p->axis] = row.position[p->lanes] = 0;
    }
}
#endif

/* The largest of the parts of a line, and their sum. */
INLINE float most_of_parts(local const float *parts) {
    float most = parts[0];
#pragma nounroll
    for (int i = 1; i < SOFTMAX_PARTS; i++)
        most = parts[i] > most ? parts[i] : most;
    return most;
}

INLINE float sum_local_parts(local const float *parts) {
    float s[SOFTMAX_PARTS];
#pragma unroll
    for (int i = 0; i < SOFTMAX_PARTS; i++)
        s[i] = parts[i];
#pragma unroll
    for (int step = SOFTMAX_PARTS / 2; step > 0; step /= 2)
#pragma unroll
        for (int i = 0; i < step; i++)
            s[i] += s[i + step];
    return s[0];
}

/* Range: a group has SOFTMAX_PARTS work-items for each of SOFTMAX_ROWS rows: one for each part of the sum.
 * dst may be src. */
#if WANTED(softmax_groups)
kernel void softmax_groups(ITEM global const uchar *src, global uchar *dst,
                           constant struct softmax_groups_params *p) {
    LOCAL(float, all_parts, SOFTMAX_ROWS *SOFTMAX_PARTS);
    local float *parts = all_parts + get_local_id(1) * SOFTMAX_PARTS;
    const int part = (int)get_local_id(0), type = p->src_type;
    i64 row = get_global_id(1), from = p->src_offset, to = p->dst_offset;
    const i64 length =
            row < p->rows ? p->length : 0; /* work-items without a row must reach the barriers too */
#pragma nounroll
    for (int l = p->nloops - 1; l >= 0; l--) {
        const i64 rest = row / p->loops[l].size, i = row - rest * p->loops[l].size;
        from += i * p->loops[l].src_stride;
        to += i * p->loops[l].dst_stride;
        row = rest;
    }

    float most = -INFINITY, sum = 0.0f;
    for (i64 i = part; i < length; i += SOFTMAX_PARTS) {
        float x = load_f32(src, type, from + i * p->src_step);
        most = x > most ? x : most;
    }
    parts[part] = most;
    barrier(CLK_LOCAL_MEM_FENCE);
    most = most_of_parts(parts);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (i64 i = part; i < length; i += SOFTMAX_PARTS)
        sum += f32_exp(load_f32(src, type, from + i * p->src_step) - most);
    parts[part] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    const struct softmax_line line = softmax_line(most, sum_local_parts(parts), p->log);
    for (i64 i = part; i < length; i += SOFTMAX_PARTS) {
        float x = load_f32(src, type, from + i * p->src_step) - line.most;
        float y = p->log ? x - line.log_sum : f32_exp(x) * line.factor;
        store_f32(dst, p->dst_type, to + i * p->dst_step, y);
    }
}
#endif
