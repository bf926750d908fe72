/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Softmax and its logarithm, forward: maximum, sum, results. A sum has a fixed order, so the bits are the
 * same in every run and for any number of threads.
 */
#include "kernels/lib/epilogue.h"
#include "kernels/lib/rows.h"
#include "kernels/lib/softmax_roll.h"
#include "kernels/lib/softmax_sum.h"
#include "kernels/lib/softmax_unit.h"
#include "kernels/params_softmax.h"

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

/* Steps of a line, or of a part of one. n is a multiple of 16: a missing element is minus infinity. */

/* The largest elements, each of a lane; NaN is none. */
INLINE float16 softmax_top(const float *from, int n, float16 most) {
    float16 other = most;
    int i = 0;
    for (; i + 32 <= n; i += 32) {
        const float16 x = vload16(0, from + i), y = vload16(1, from + i);
        most = x > most ? x : most;
        other = y > other ? y : other;
    }
    for (; i < n; i += 16) {
        const float16 x = vload16(0, from + i);
        most = x > most ? x : most;
    }
    return most > other ? most : other;
}

/* What is read next, `step` bytes for each vector that is computed: it is asked for meanwhile. 0: nothing. */
struct softmax_ahead {
    global const uchar *at;
    int step;
};

/* Adds e^(x - top) to the sum, and leaves them in `to` if `keep` is not 0. */
INLINE float16 softmax_powers_ahead(const float *from, float *to, int n, float16 top, int keep, float16 sum,
                                    struct softmax_ahead ahead) {
#pragma nounroll
    for (int i = 0; i < n; i += 16) {
        if (ahead.step) PREFETCH(ahead.at + (i >> 4) * ahead.step);
        const float16 y = softmax_power(vload16(0, from + i) - top);
        if (keep) vstore16(y, 0, to + i);
        sum += y;
    }
    return sum;
}

INLINE float16 softmax_powers(const float *from, float *to, int n, float16 top, int keep, float16 sum) {
    const struct softmax_ahead nothing = {0, 0};
    return softmax_powers_ahead(from, to, n, top, keep, sum, nothing);
}

INLINE void softmax_multiply(const float *from, float *to, int n, float16 factor) {
    for (int i = 0; i < n; i += 16)
        vstore16(vload16(0, from + i) * factor, 0, to + i);
}

INLINE void softmax_subtract(const float *from, float *to, int n, float16 top, float16 log_sum) {
    for (int i = 0; i < n; i += 16)
        vstore16(vload16(0, from + i) - top - log_sum, 0, to + i);
}

INLINE int whole_vectors(i64 n) {
    return (int)((n + 15) & ~15l);
}

/* Loads a line, or a part of one, to `own`, unless it can be used where it is. */
INLINE const float *softmax_load(float *own, global const uchar *src, int type, i64 offset, int n) {
    const float *x = row_floats(own, src, type, offset, n);
    if (n % 16 != 0)
        for (int i = n; i < whole_vectors(n); i++)
            own[i] = -INFINITY;
    return x;
}

/* Lines that fit into SOFTMAX_CHUNK together, a step of all of them before the next: the latency at the end
 * of a line's sum is hidden behind the next line. Line r is x[from[r]] and results are y[to[r]].
 */
struct softmax_batch {
    i64 from[SOFTMAX_BATCH], to[SOFTMAX_BATCH];
    float tops[SOFTMAX_BATCH], ends[SOFTMAX_BATCH]; /* ends: the factors, or the logarithms of the sums */
};

/* `powers`: the results are left as powers, for softmax_store. */
INLINE void softmax_rows(struct softmax_batch *b, const float *x, float *y, int rows, int n, int log,
                         int powers, struct softmax_ahead ahead) {
#pragma nounroll
    for (int r = 0; r < rows; r++)
        b->tops[r] = most_of_lanes(softmax_top(x + b->from[r], n, (float16)(-INFINITY)));
#pragma nounroll
    for (int r = 0; r < rows; r++) {
        const float16 sums = softmax_powers_ahead(x + b->from[r], y + b->to[r], n, (float16)(b->tops[r]),
                                                  !log, (float16)(0.0f), ahead);
        ahead.at += n / 16 * ahead.step;
        const struct softmax_line line = softmax_line(0.0f, sum_lanes(sums), log);
        b->ends[r] = log ? line.log_sum : line.factor;
    }
#pragma nounroll
    for (int r = 0; r < rows && !powers; r++)
        if (log)
            softmax_subtract(x + b->from[r], y + b->to[r], n, (float16)(b->tops[r]), (float16)(b->ends[r]));
        else
            softmax_multiply(y + b->to[r], y + b->to[r], n, (float16)(b->ends[r]));
}

/* Stores factor * x as elements: whole vectors, of types that softmax_stores. */
#define SOFTMAX_STORE(type_, element_, NARROW_)                                                              \
    case type_:                                                                                              \
        for (int i = 0; i < n; i += 16) {                                                                    \
            const float16 y = vload16(0, from + i) * factor;                                                 \
            STREAM_OR_STORE(NARROW_(y), (global element_ *)to + offset + i, past);                           \
        }                                                                                                    \
        break;
#define SOFTMAX_SAME(y_) (y_)
INLINE void softmax_store(global uchar *to, int type, i64 offset, const float *from, int n, float16 factor,
                          int streams) {
    const int past = streams && n * type_bytes(type) >= 4 * LINE_BYTES && STREAMS_ROW(to, type, offset);
    switch (type) {
        SOFTMAX_STORE(TYPE_F32, float, SOFTMAX_SAME)
        SOFTMAX_STORE(TYPE_BF16, ushort, narrow_bf16)
        SOFTMAX_STORE(TYPE_F16, ushort, narrow_f16)
    }
}

INLINE int softmax_stores(int type, int length) {
    return length % 16 == 0 && (type == TYPE_F32 || type == TYPE_BF16 || type == TYPE_F16);
}

/* Loads the lines of a batch, computes and stores them. */
INLINE void softmax_short(constant struct softmax_lines_params *p, global const uchar *src, global uchar *dst,
                          i64 unit, int rows, float *own) {
    const int length = (int)p->length, n = whole_vectors(length);
    const int from_src = row_is_in_place(p->types[0], length),
              to_dst = row_is_in_place(p->types[1], length) && !STREAMED(p->streams);
    const int powers = !to_dst && !p->log && softmax_stores(p->types[1], length);
    const int bytes = type_bytes(p->types[0]);
    const struct softmax_ahead ahead = {src + softmax_unit(p, unit + rows).offsets[0] * bytes, 16 * bytes};
    struct softmax_batch b;
    i64 offsets[SOFTMAX_BATCH];
    const float *x = own;
    float *y = own;
#if ROW_IN_PLACE
    if (from_src) x = (const float *)src;
    if (to_dst) y = (float *)dst;
#endif
#pragma nounroll
    for (int r = 0; r < rows; r++) {
        const struct softmax_unit u = softmax_unit(p, unit + r);
        softmax_load(own + r * n, src, p->types[0], u.offsets[0], length);
        b.from[r] = from_src ? u.offsets[0] : r * n;
        b.to[r] = to_dst ? u.offsets[1] : r * n;
        offsets[r] = u.offsets[1];
    }
    softmax_rows(&b, x, y, rows, n, p->log, powers, ahead);
#pragma nounroll
    for (int r = 0; r < rows && !to_dst; r++)
        if (powers)
            softmax_store(dst, p->types[1], offsets[r], own + r * n, n, (float16)(b.ends[r]), p->streams);
        else
            row_store_rows(dst, p->types[1], offsets[r], 1, own + r * n, length, 0, 1, p->streams);
}

/* Lines of whole pairs of vectors, long enough to hide the latency at their ends. */
INLINE int softmax_rolls(constant struct softmax_lines_params *p) {
    enum { LEAST = 512 };
    return SOFTMAX_ROLLS && !p->log && p->types[0] == p->types[1] && softmax_stores(p->types[0], 0)
           && p->length >= LEAST && p->length <= SOFTMAX_CHUNK / 2 && p->length % 32 == 0;
}

#if SOFTMAX_ROLLS
INLINE void softmax_roll(constant struct softmax_lines_params *p, const int type, const uchar *src,
                         uchar *dst, i64 unit, i64 last, float *own) {
    const int length = (int)p->length, bytes = type_bytes(type);
    struct roll_line before = {0};
    struct softmax_unit u = softmax_unit(p, unit);
#pragma nounroll
    for (; unit < last; unit++) {
        const struct softmax_unit next = softmax_unit(p, unit + 1);
        const uchar *from = src + u.offsets[0] * bytes;
        float *powers = own + (unit & 1) * (SOFTMAX_CHUNK / 2);
        const float16 top = (float16)(most_of_lanes(roll_top(type, from, length)));
        const float sum = sum_lanes(
                roll_powers(type, from, powers, length, top, src + next.offsets[0] * bytes, &before));
        before.powers = powers;
        before.to = dst + u.offsets[1] * bytes;
        before.factor = f32_div(1.0f, sum);
        before.past = STREAMED(p->streams) && STREAMS_ROW(before.to, TYPE_U8, 0);
        u = next;
    }
    for (int i = 0; i < length; i += 32)
        roll_end(type, &before, i);
}

OUTLINE void softmax_roll_any(constant struct softmax_lines_params *p, const uchar *src, uchar *dst, i64 unit,
                              i64 last, float *own) {
    switch (p->types[0]) {
    case TYPE_F32: softmax_roll(p, TYPE_F32, src, dst, unit, last, own); break;
    case TYPE_BF16: softmax_roll(p, TYPE_BF16, src, dst, unit, last, own); break;
    case TYPE_F16: softmax_roll(p, TYPE_F16, src, dst, unit, last, own); break;
    }
}
#else
#define softmax_roll_any(p_, src_, dst_, unit_, last_, own_) ((void)0)
#endif

/* A line of any length, in parts. Powers that are stored as they are need not be computed again. */
INLINE void softmax_long(constant struct softmax_lines_params *p, global const uchar *src, global uchar *dst,
                         i64 from, i64 to, float *own) {
    const int keep = !p->log && p->types[1] == TYPE_F32;
    const i64 length = p->length;
    float16 tops = (float16)(-INFINITY), sums = (float16)(0.0f);
#pragma nounroll
    for (i64 i = 0; i < length; i += SOFTMAX_CHUNK) {
        const int n = (int)(length - i < SOFTMAX_CHUNK ? length - i : SOFTMAX_CHUNK);
        tops = softmax_top(softmax_load(own, src, p->types[0], from + i, n), whole_vectors(n), tops);
    }
    const float16 top = (float16)(most_of_lanes(tops));
#pragma nounroll
    for (i64 i = 0; i < length; i += SOFTMAX_CHUNK) {
        const int n = (int)(length - i < SOFTMAX_CHUNK ? length - i : SOFTMAX_CHUNK);
        const float *x = softmax_load(own, src, p->types[0], from + i, n);
        float *y = row_results(own, dst, p->types[1], to + i, n);
        sums = softmax_powers(x, y, whole_vectors(n), top, keep, sums);
        if (keep) row_put(dst, p->types[1], to + i, y, own, n);
    }
    const struct softmax_line line = softmax_line(0.0f, sum_lanes(sums), p->log);
#pragma nounroll
    for (i64 i = 0; i < length; i += SOFTMAX_CHUNK) {
        const int n = (int)(length - i < SOFTMAX_CHUNK ? length - i : SOFTMAX_CHUNK);
        const float *x = keep ? softmax_load(own, dst, TYPE_F32, to + i, n)
                              : softmax_load(own, src, p->types[0], from + i, n);
        float *y = row_results(own, dst, p->types[1], to + i, n);
        if (p->log)
            softmax_subtract(x, y, whole_vectors(n), top, (float16)(line.log_sum));
        else if (!keep)
            softmax_powers(x, y = own, whole_vectors(n), top, 1, sums);
        if (!p->log) softmax_multiply(keep ? x : y, y, whole_vectors(n), (float16)(line.factor));
        row_put(dst, p->types[1], to + i, y, own, n);
    }
}

/* Range: shares of the lines, whose elements are next to each other. dst may be src. */
#if WANTED(softmax_along_16)
kernel void softmax_along_16(ITEM global const uchar *src, global uchar *dst,
                             constant struct softmax_lines_params *p) {
    const i64 first = (i64)get_global_id(0) * p->span;
    const i64 last = first + p->span < p->units ? first + p->span : p->units;
    const i64 fit = p->length <= SOFTMAX_CHUNK ? SOFTMAX_CHUNK / p->length : 0;
    LINE_ALIGNED float own[SOFTMAX_CHUNK + 16 * SOFTMAX_BATCH];
    const int rolls = softmax_rolls(p);
    if (rolls && first < last) softmax_roll_any(p, src, dst, first, last, own);
#pragma nounroll
    for (i64 unit = rolls ? last : first; unit < last;) {
        if (fit > 0) {
            const int most = fit < SOFTMAX_BATCH ? (int)fit : SOFTMAX_BATCH;
            const int rows = last - unit < most ? (int)(last - unit) : most;
            softmax_short(p, src, dst, unit, rows, own);
            unit += rows;
            continue;
        }
        const struct softmax_unit u = softmax_unit(p, unit++);
        softmax_long(p, src, dst, u.offsets[0], u.offsets[1], own);
    }
    if (STREAMED(p->streams)) STREAM_END();
}
#endif

/* The same for lines side by side: a step of one element of each. */

INLINE void softmax_tops_across(const float *from, float *tops, int n) {
    for (int k = 0; k < n; k += 16)
        vstore16(softmax_top(from + k, 16, vload16(0, tops + k)), 0, tops + k);
}

INLINE void softmax_powers_across(const float *from, float *to, const float *tops, float *sums, int n) {
#pragma nounroll
    for (int k = 0; k < n; k += 16)
        vstore16(softmax_powers(from + k, to + k, 16, vload16(0, tops + k), 1, vload16(0, sums + k)), 0,
                 sums + k);
}

/* What softmax_line computes: the factors, or the logarithms, in place of the sums. */
INLINE void softmax_ends_across(float *sums, int log, int n) {
#pragma nounroll
    for (int k = 0; k < n; k += 16) {
        const float16 sum = vload16(0, sums + k);
        if (log)
            vstore16(f32_log(sum), 0, sums + k);
        else
            vstore16(f32_div((float16)(1.0f), sum), 0, sums + k);
    }
}

/* `keep`: `from` has the powers. */
INLINE void softmax_results_across(const float *from, float *to, const float *tops, const float *ends,
                                   int log, int keep, int n) {
#pragma nounroll
    for (int k = 0; k < n; k += 16) {
        const float16 x = vload16(0, from + k), top = vload16(0, tops + k), end = vload16(0, ends + k);
        if (log)
            vstore16(x - top - end, 0, to + k);
        else if (keep)
            vstore16(x * end, 0, to + k);
        else
            vstore16(softmax_power(x - top) * end, 0, to + k);
    }
}

/* Range: shares of the blocks of lines side by side. dst may be src. */
#if WANTED(softmax_across_16)
kernel void softmax_across_16(ITEM global const uchar *src, global uchar *dst,
                              constant struct softmax_lines_params *p) {
    const i64 first = (i64)get_global_id(0) * p->span;
    const i64 last = first + p->span < p->units ? first + p->span : p->units;
    const int log = p->log, keep = !log && p->types[1] == TYPE_F32;
    LINE_ALIGNED float own[SOFTMAX_BLOCK], tops[SOFTMAX_BLOCK], sums[SOFTMAX_BLOCK];
#pragma nounroll
    for (i64 unit = first; unit < last; unit++) {
        const struct softmax_unit u = softmax_unit(p, unit);
        const int n = u.width;
        row_fill(tops, -INFINITY, n);
        row_fill(sums, 0.0f, n);
#pragma nounroll
        for (i64 i = 0; i < p->length; i++)
            softmax_tops_across(row_floats(own, src, p->types[0], u.offsets[0] + i * p->steps[0], n), tops,
                                n);
#pragma nounroll
        for (i64 i = 0; i < p->length; i++) {
            const i64 at = u.offsets[1] + i * p->steps[1];
            const float *x = row_floats(own, src, p->types[0], u.offsets[0] + i * p->steps[0], n);
            float *y = keep ? row_results(own, dst, TYPE_F32, at, n) : own;
            softmax_powers_across(x, y, tops, sums, n);
            if (keep) row_put(dst, TYPE_F32, at, y, own, n);
        }
        softmax_ends_across(sums, log, n);
#pragma nounroll
        for (i64 i = 0; i < p->length; i++) {
            const i64 at = u.offsets[1] + i * p->steps[1];
            const float *x = keep ? row_floats(own, dst, TYPE_F32, at, n)
                                  : row_floats(own, src, p->types[0], u.offsets[0] + i * p->steps[0], n);
            float *y = row_results(own, dst, p->types[1], at, n);
            softmax_results_across(x, y, tops, sums, log, keep, n);
            row_put(dst, p->types[1], at, y, own, n);
        }
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
