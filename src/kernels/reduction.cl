/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reductions: sums and the like, and means with variances, over any set of dimensions. The order of a sum is
 * that of the loops, in 16 or 64 parts: it depends on the problem alone.
 */
#include "kernels/lib/math.h"
#include "kernels/lib/rows.h"
#include "kernels/params_reduction.h"

#define LANES 16
#include "kernels/lib/lanes.h"
#include "kernels/lib/memory_lanes.h"
#undef LANES

#define LEAST (-0x1.fffffep127f)

/* What a missing element counts as. */
INLINE float reduce_identity(int alg) {
    return alg == REDUCE_MAX ? LEAST : alg == REDUCE_MIN ? -LEAST : alg == REDUCE_MUL ? 1.0f : 0.0f;
}

INLINE float16 reduce_pair(int alg, float16 a, float16 b) {
    if (alg == REDUCE_MAX) return a > b ? a : b;
    if (alg == REDUCE_MIN) return a < b ? a : b;
    return alg == REDUCE_MUL ? a * b : a + b;
}

OUTLINE void reduce_pow(float16 *x, float p) {
    *x = f32_pow(*x, (float16)(p));
}

INLINE float16 reduce_power(float16 x, float p) {
    if (p == 2.0f) return x * x;
    float16 y = f32_abs(x);
    if (p != 1.0f) reduce_pow(&y, p);
    return y;
}

/* A result after all of its elements. */
OUTLINE void reduce_finish(float16 *x, constant struct reduction_params *p) {
    const float16 eps = (float16)(p->eps);
    switch (p->finish) {
    case REDUCE_FINISH_MEAN: *x = f32_div(*x, (float16)((float)p->count)); return;
    case REDUCE_FINISH_LP_MAX:
    case REDUCE_FINISH_POWER_MAX: *x = *x > eps ? *x : eps; break;
    case REDUCE_FINISH_LP_SUM:
    case REDUCE_FINISH_POWER_SUM: *x += eps; break;
    default: return;
    }
    if (p->finish == REDUCE_FINISH_POWER_MAX || p->finish == REDUCE_FINISH_POWER_SUM || p->p == 1.0f) return;
    *x = p->p == 2.0f ? f32_sqrt(*x) : f32_pow(*x, (float16)(f32_div(1.0f, p->p)));
}

/* The offsets of an index of nested loops; the position is that of the dimension with padding. */
struct reduce_place {
    i64 src, dst, position;
};

INLINE struct reduce_place reduce_place(constant struct reduce_loop *loops, int n, i64 index) {
    struct reduce_place at = {0, 0, 0};
#pragma nounroll
    for (int l = n - 1; l >= 0; l--) {
        i64 rest = l > 0 ? index / loops[l].size : 0, i = index - rest * loops[l].size;
        at.src += i * loops[l].src;
        at.dst += i * loops[l].dst;
        at.position += i * loops[l].step;
        index = rest;
    }
    return at;
}

/* The number of lanes, at most `most`, that exist from index `begin` of the loop of lanes on. */
INLINE i64 lanes_left(constant struct reduce_loop *lanes, i64 begin, i64 most, i64 position, i64 limit) {
    i64 left = lanes->size - begin;
    if (lanes->step == 0 && position >= limit) return 0;
    if (lanes->step != 0) {
        i64 inside = (limit - position - begin * lanes->step + lanes->step - 1) / lanes->step;
        left = left < inside ? left : inside;
    }
    return left < most ? left : most;
}

/* Adds vectors to the parts of a sum. Moments: squared distances from `mean`, one vector of it for each part.
 */
INLINE float16 reduce_step(const int alg, float power, float16 part, float16 x, float16 mean) {
    if (alg == REDUCE_POWER) return part + reduce_power(x, power);
    if (alg != REDUCE_MOMENTS) return reduce_pair(alg, part, x);
    float16 d = x - mean;
    return fma(d, d, part);
}

/* Where the vectors of tiles are: vector v of tile i at `at` + i * tile + v * vector. */
struct reduce_tiles {
    global const uchar *src;
    int type;
    float power;
    i64 at, tile, vector, count;
};

#define REDUCE_LOOP(LOAD)                                                                                    \
    for (i64 i = 0; i < t->count; i++, at += t->tile) {                                                      \
        _Pragma("unroll") for (int v = 0; v < REDUCE_VECTORS; v++) parts[v] =                                \
                reduce_step(alg, t->power, parts[v], LOAD(at + v * t->vector), mean[v]);                     \
    }
#define LOAD_F32(i) vload16(0, (global const float *)src + (i))
#define LOAD_S32(i) convert_float16(vload16(0, (global const int *)src + (i)))
#define LOAD_F16(i) widen_f16(convert_uint16(vload16(0, (global const ushort *)src + (i))))
#define LOAD_BF16(i) widen_bf16(convert_uint16(vload16(0, (global const ushort *)src + (i))))
#define LOAD_S8(i) widen_s8(convert_uint16(vload16(0, src + (i))))
#define LOAD_U8(i) widen_unsigned(convert_uint16(vload16(0, src + (i))))

/* Whole tiles of 16 consecutive elements for each vector. */
INLINE void reduce_tiles(const int alg, const struct reduce_tiles *t, float16 *to, const float16 *means) {
    global const uchar *src = t->src;
    float16 parts[REDUCE_VECTORS], mean[REDUCE_VECTORS];
    i64 at = t->at;
#pragma unroll
    for (int v = 0; v < REDUCE_VECTORS; v++)
        parts[v] = to[v], mean[v] = means[v];
    switch (t->type) {
    case TYPE_F32: REDUCE_LOOP(LOAD_F32) break;
    case TYPE_S32: REDUCE_LOOP(LOAD_S32) break;
    case TYPE_F16: REDUCE_LOOP(LOAD_F16) break;
    case TYPE_BF16: REDUCE_LOOP(LOAD_BF16) break;
    case TYPE_S8: REDUCE_LOOP(LOAD_S8) break;
    case TYPE_U8: REDUCE_LOOP(LOAD_U8) break;
    }
#pragma unroll
    for (int v = 0; v < REDUCE_VECTORS; v++)
        to[v] = parts[v];
}

#define TILES_OF(name, alg)                                                                                  \
    OUTLINE void name(const struct reduce_tiles *t, float16 *parts, const float16 *mean) {                   \
        reduce_tiles(alg, t, parts, mean);                                                                   \
    }
TILES_OF(tiles_max, REDUCE_MAX)
TILES_OF(tiles_min, REDUCE_MIN)
TILES_OF(tiles_sum, REDUCE_SUM)
TILES_OF(tiles_mul, REDUCE_MUL)
TILES_OF(tiles_power, REDUCE_POWER)
TILES_OF(tiles_moments, REDUCE_MOMENTS)

INLINE void add_tiles(int alg, const struct reduce_tiles *t, float16 *parts, const float16 *mean) {
    switch (alg) {
    case REDUCE_MAX: tiles_max(t, parts, mean); return;
    case REDUCE_MIN: tiles_min(t, parts, mean); return;
    case REDUCE_SUM: tiles_sum(t, parts, mean); return;
    case REDUCE_MUL: tiles_mul(t, parts, mean); return;
    case REDUCE_POWER: tiles_power(t, parts, mean); return;
    case REDUCE_MOMENTS: tiles_moments(t, parts, mean); return;
    }
}

/* Up to 64 elements that are `stride` apart: what is less than a tile, or not dense. Missing elements do not
 * change the parts. */
OUTLINE void add_some(int alg, const struct reduce_tiles *t, i64 stride, int count, float16 *parts,
                      const float16 *mean) {
    float values[REDUCE_TILE];
    row_load(values, t->src, t->type, t->at, stride, count);
#pragma nounroll
    for (int v = 0; v * 16 < count; v++) {
        float16 x = vload16(v, values), part = parts[v];
        part = reduce_step(alg, t->power, part, x, mean[v]);
        if (count - v * 16 < 16) {
            float before[16], after[16];
            vstore16(parts[v], 0, before);
            vstore16(part, 0, after);
#pragma nounroll
            for (int i = count - v * 16; i < 16; i++)
                after[i] = before[i];
            part = vload16(0, after);
        }
        parts[v] = part;
    }
}

INLINE void reduce_start(float16 *parts, float value) {
#pragma unroll
    for (int v = 0; v < REDUCE_VECTORS; v++)
        parts[v] = (float16)(value);
}

/* Lane i becomes the result of all lanes i, i + period, i + 2 * period …, and so does each of these. The
 * period is a power of two below 64. */
INLINE void reduce_fold(int alg, int period, float16 *parts) {
    float16 even = reduce_pair(alg, parts[0], parts[2]), odd = reduce_pair(alg, parts[1], parts[3]);
    if (period <= 16) even = odd = reduce_pair(alg, even, odd);
    if (period <= 8) even = odd = reduce_pair(alg, even, even.s89abcdef01234567);
    if (period <= 4) even = odd = reduce_pair(alg, even, even.s45670123cdef89ab);
    if (period <= 2) even = odd = reduce_pair(alg, even, even.s23016745ab89efcd);
    if (period <= 1) even = odd = reduce_pair(alg, even, even.s1032547698badcfe);
    parts[0] = parts[2] = even;
    parts[1] = parts[3] = odd;
}

/* `n` elements that are `stride` apart, in memory order. */
INLINE void add_run(int alg, struct reduce_tiles *t, i64 stride, i64 n, float16 *parts, const float16 *mean) {
    i64 done = 0;
    if (stride == 1) {
        t->tile = REDUCE_TILE, t->vector = 16, t->count = n / REDUCE_TILE;
        add_tiles(alg, t, parts, mean);
        done = t->count * REDUCE_TILE;
        t->at += done;
    }
#pragma nounroll
    for (; done < n; done += REDUCE_TILE, t->at += REDUCE_TILE * stride)
        add_some(alg, t, stride, n - done < REDUCE_TILE ? (int)(n - done) : REDUCE_TILE, parts, mean);
}

/* `n` lines that are `step` apart, each with `count` lanes. */
INLINE void add_lines(int alg, struct reduce_tiles *t, i64 stride, i64 step, i64 n, int count, float16 *parts,
                      const float16 *mean) {
    if (stride == 1 && count == REDUCE_TILE) {
        t->tile = step, t->vector = 16, t->count = n;
        add_tiles(alg, t, parts, mean);
        return;
    }
#pragma nounroll
    for (i64 i = 0; i < n; i++, t->at += step)
        add_some(alg, t, stride, count, parts, mean);
}

/* The same one vector at a time, four lines at once: for fewer lanes than a tile has, a multiple of 16. */
INLINE void add_narrow_lines(int alg, const struct reduce_tiles *from, i64 step, i64 n, int count,
                             float16 *parts, const float16 *mean) {
    struct reduce_tiles t = *from;
#pragma nounroll
    for (int v = 0; v * 16 < count; v++) {
        float16 all[REDUCE_VECTORS], means[REDUCE_VECTORS];
        reduce_start(all, reduce_identity(alg));
#pragma unroll
        for (int i = 0; i < REDUCE_VECTORS; i++)
            means[i] = mean[v];
        t.at = from->at + v * 16;
        t.tile = REDUCE_VECTORS * step, t.vector = step, t.count = n / REDUCE_VECTORS;
        add_tiles(alg, &t, all, means);
        t.at += t.count * t.tile;
#pragma nounroll
        for (i64 i = t.count * REDUCE_VECTORS; i < n; i++, t.at += step)
            add_some(alg, &t, 1, 16, all, means);
        parts[v] = reduce_pair(
                alg, parts[v],
                reduce_pair(alg, reduce_pair(alg, all[0], all[1]), reduce_pair(alg, all[2], all[3])));
    }
}

/* The lines [begin, end) of a tile with `count` lanes. */
OUTLINE void across_lines(int alg, constant struct reduction_params *p, global const uchar *src, i64 from,
                          int count, i64 begin, i64 end, const float16 *mean, float16 *parts) {
    const int inner = p->nreduced - 1;
    const i64 size = inner >= 0 ? p->reduced[inner].size : 1, step = inner >= 0 ? p->reduced[inner].src : 0,
              stride = p->lanes.src, width = p->lanes.size;
    /* Short lines that lie one after the other are a run in which the lanes repeat. */
    const int repeats = stride == 1 && step == width && width < REDUCE_TILE && REDUCE_TILE % width == 0;
    struct reduce_tiles t = {src, p->type, p->p, 0, 0, 0, 0};
    reduce_start(parts, reduce_identity(alg));
    while (begin < end) {
        i64 next = (begin / size + 1) * size, n = (next < end ? next : end) - begin;
        t.at = from + reduce_place(p->reduced, p->nreduced, begin).src;
        if (repeats)
            add_run(alg, &t, 1, n * width, parts, mean);
        else if (stride == 1 && count % 16 == 0 && count < REDUCE_TILE)
            add_narrow_lines(alg, &t, step, n, count, parts, mean);
        else
            add_lines(alg, &t, stride, step, n, count, parts, mean);
        begin += n;
    }
    if (repeats) reduce_fold(alg, (int)width, parts);
}

INLINE void store_tile(global float *dst, i64 at, i64 stride, i64 count, const float16 *tile) {
    float lanes[REDUCE_TILE];
#pragma unroll
    for (int v = 0; v < REDUCE_VECTORS; v++)
        vstore16(tile[v], v, lanes);
#pragma nounroll
    for (i64 i = 0; i < count; i++)
        dst[at + i * stride] = lanes[i];
}

/* Mean and squared distances of the lines of a tile. */
INLINE void across_moments(constant struct reduction_params *p, global const uchar *src, i64 at, int count,
                           i64 begin, i64 end, float16 *mean, float16 *squares) {
    const float16 n = (float16)((float)(end - begin));
    reduce_start(mean, 0.0f);
    if (!p->about_zero) {
        float16 sums[REDUCE_VECTORS];
        across_lines(REDUCE_SUM, p, src, at, count, begin, end, mean, sums);
#pragma unroll
        for (int v = 0; v < REDUCE_VECTORS; v++)
            mean[v] = f32_div(sums[v], n);
    }
    across_lines(REDUCE_MOMENTS, p, src, at, count, begin, end, mean, squares);
}

/* Range: spans of tiles x chunks. */
#if WANTED(reduce_across)
kernel void reduce_across(ITEM global const uchar *src, global float *dst, global float *second,
                          constant struct reduction_params *p) {
    const i64 spans = (p->units + p->span - 1) / p->span, id = get_global_id(0), chunk = id / spans;
    const i64 tiles = (p->lanes.size + REDUCE_TILE - 1) / REDUCE_TILE;
    const i64 first = (id - chunk * spans) * p->span,
              last = first + p->span < p->units ? first + p->span : p->units;
    const i64 begin = chunk * p->chunk, end = begin + p->chunk < p->total ? begin + p->chunk : p->total;
    if (chunk >= p->chunks) return;
    for (i64 unit = first; unit < last; unit++) {
        const i64 outer = unit / tiles, lane = (unit - outer * tiles) * REDUCE_TILE;
        struct reduce_place at = reduce_place(p->kept, p->nkept, outer);
        const int count = (int)lanes_left(&p->lanes, lane, REDUCE_TILE, at.position, p->limit);
        const i64 from = p->src_offset + at.src + lane * p->lanes.src,
                  to = at.dst + lane * p->lanes.dst + chunk * p->dst_chunk;
        float16 parts[REDUCE_VECTORS], squares[REDUCE_VECTORS];
        if (p->alg == REDUCE_MOMENTS) {
            across_moments(p, src, from, count, begin, end, parts, squares);
#pragma unroll
            for (int v = 0; v < REDUCE_VECTORS; v++)
                reduce_finish(&squares[v], p);
            store_tile(second, p->second_offset + to, p->lanes.dst, count, squares);
        } else {
            reduce_start(squares, 0.0f);
            across_lines(p->alg, p, src, from, count, begin, end, squares, parts);
#pragma unroll
            for (int v = 0; v < REDUCE_VECTORS; v++)
                reduce_finish(&parts[v], p);
        }
        if (!p->about_zero || p->chunks > 1) store_tile(dst, p->dst_offset + to, p->lanes.dst, count, parts);
    }
}
#endif

/* The elements [begin, end) of one result. */
OUTLINE float along_runs(int alg, constant struct reduction_params *p, global const uchar *src, i64 from,
                         i64 begin, i64 end, float mean) {
    const i64 length = p->lanes.size, stride = p->lanes.src;
    float16 parts[REDUCE_VECTORS], means[REDUCE_VECTORS];
    struct reduce_tiles t = {src, p->type, p->p, 0, 0, 0, 0};
    reduce_start(parts, reduce_identity(alg));
    reduce_start(means, mean);
    while (begin < end) {
        i64 line = begin / length, in = begin - line * length;
        i64 run = length - in < end - begin ? length - in : end - begin;
        t.at = from + reduce_place(p->reduced, p->nreduced, line).src + in * stride;
        add_run(alg, &t, stride, run, parts, means);
        begin += run;
    }
    reduce_fold(alg, 1, parts);
    return parts[0].s0;
}

/* Range: spans of results x chunks. */
#if WANTED(reduce_along)
kernel void reduce_along(ITEM global const uchar *src, global float *dst, global float *second,
                         constant struct reduction_params *p) {
    const i64 spans = (p->units + p->span - 1) / p->span, id = get_global_id(0), chunk = id / spans;
    const i64 first = (id - chunk * spans) * p->span,
              last = first + p->span < p->units ? first + p->span : p->units;
    const i64 begin = chunk * p->chunk, end = begin + p->chunk < p->total ? begin + p->chunk : p->total;
    if (chunk >= p->chunks) return;
    for (i64 unit = first; unit < last; unit++) {
        struct reduce_place at = reduce_place(p->kept, p->nkept, unit);
        const i64 from = p->src_offset + at.src, to = at.dst + chunk * p->dst_chunk;
        float16 result;
        float value = 0.0f;
        if (at.position >= p->limit) continue;
        if (p->alg == REDUCE_MOMENTS) {
            if (!p->about_zero)
                value = f32_div(along_runs(REDUCE_SUM, p, src, from, begin, end, 0.0f), (float)(end - begin));
            result = (float16)(along_runs(REDUCE_MOMENTS, p, src, from, begin, end, value));
            reduce_finish(&result, p);
            second[p->second_offset + to] = result.s0;
        } else {
            value = along_runs(p->alg, p, src, from, begin, end, 0.0f);
            result = (float16)(value);
            reduce_finish(&result, p);
            value = result.s0;
        }
        if (!p->about_zero || p->chunks > 1) dst[p->dst_offset + to] = value;
    }
}
#endif

/* The moments of 16 results, `left` of which exist, for one chunk. */
INLINE float16 chunk_moments(constant struct moments_params *p, global const float *from, i64 at, i64 left) {
    float16 x;
    if (p->result_stride == 1) {
        load_lanes(&x, from + at, left, 0.0f);
        return x;
    }
    float values[16];
#pragma nounroll
    for (int i = 0; i < 16; i++)
        values[i] = i < left ? from[at + i * p->result_stride] : 0.0f;
    return vload16(0, values);
}

/* The mean of all chunks; then what each chunk's own distances and the distance of its mean add. */
INLINE void combine_chunks(constant struct moments_params *p, global const float *partial, i64 i, i64 left,
                           float16 *mean, float16 *variance) {
    const float16 count = (float16)((float)p->count);
    const i64 at = i * p->result_stride;
    float16 m = (float16)(0.0f), squares = (float16)(0.0f);
#pragma nounroll
    for (i64 k = 0; k < p->chunks; k++) {
        const i64 rest = p->count - k * p->chunk;
        const float16 n = (float16)((float)(rest < p->chunk ? rest : p->chunk));
        m = fma(chunk_moments(p, partial, p->mean_offset + at + k * p->chunk_stride, left), n, m);
    }
    m = f32_div(m, count);
#pragma nounroll
    for (i64 k = 0; k < p->chunks; k++) {
        const i64 rest = p->count - k * p->chunk, place = at + k * p->chunk_stride;
        const float size = (float)(rest < p->chunk ? rest : p->chunk), weight = p->variances ? size : 1.0f;
        float16 d = chunk_moments(p, partial, p->mean_offset + place, left) - m,
                own = chunk_moments(p, partial, p->second_offset + place, left);
        squares = fma(d * d, (float16)(size), squares) + own * (float16)(weight);
    }
    *mean = m;
    *variance = f32_div(squares, count);
}

/* Range: vectors of results along the lanes. */
#if WANTED(combine_moments)
kernel void combine_moments(ITEM global const float *partial, global float *mean, global float *variance,
                            constant struct moments_params *p) {
    const i64 tiles = (p->lanes.size + 15) / 16, id = get_global_id(0), outer = id / tiles,
              lane = (id - outer * tiles) * 16, i = outer * p->lanes.size + lane;
    if (i >= p->results) return;
    struct reduce_place at = reduce_place(p->kept, p->nkept, outer);
    const i64 count = lanes_left(&p->lanes, lane, 16, at.position, p->limit);
    float16 m, v;
    float means[16], variances[16];
    combine_chunks(p, partial, i, p->lanes.size - lane, &m, &v);
    vstore16(m, 0, means);
    vstore16(v, 0, variances);
#pragma nounroll
    for (i64 l = 0; l < count; l++) {
        const i64 to = at.dst + (lane + l) * p->lanes.dst;
        if (!p->about_zero) mean[p->dst_offset + to] = means[l];
        variance[p->variance_offset + to] = variances[l];
    }
}
#endif
