/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resampling of images: the nearest element, or a weighted mean of the nearest two in each direction.
 * Backward, every element sums up the gradients of the results that it is part of. Both are sums of elements
 * that lie side by side in each direction, with weights that depend on the position along that direction
 * alone: a first launch makes tables of them. Sums are over depth and height first, then over the width, each
 * in the order of positions.
 */
#include "kernels/lib/rows.h"
#include "kernels/params_resampling.h"

#define LANES 16
#include "kernels/lib/lanes.h"
#include "kernels/lib/memory_lanes.h"
#undef LANES

#if defined(NATIVE_AVX2)
#include <immintrin.h>
#endif

/* Tables. */

/* Two elements and the weight of the second one. */
struct pair {
    i64 first, second;
    float weight;
};

INLINE i64 largest_below(float x) {
    const i64 truncated = (i64)x;
    return (float)truncated > x ? truncated - 1 : truncated;
}

INLINE i64 within(i64 x, i64 size) {
    return x < 0 ? 0 : x >= size ? size - 1 : x;
}

/* Where result i of `dst` lies between the elements of `src`. */
INLINE void pair_at(struct pair *pair, int linear, i64 i, i64 dst, i64 src) {
    const float x = ((float)i + 0.5f) * (float)src / (float)dst - 0.5f;
    if (!linear) { /* half-way numbers are rounded away from zero */
        pair->first = within(x < 0.0f ? 0 : largest_below(x + 0.5f), src);
        pair->second = pair->first;
        pair->weight = 0.0f;
        return;
    }
    const i64 low = largest_below(x);
    pair->first = within(low, src);
    pair->second = within((float)low == x ? low : low + 1, src);
    pair->weight = pair->first == pair->second ? 0.0f : x - (float)pair->first;
}

/* The results that element i is part of: from `first` to `last`, none if that is less. */
struct results {
    i64 first, last;
};

INLINE void results_of(struct results *r, int linear, i64 i, i64 dst, i64 src) {
    const float step = (float)dst / (float)src;
    struct pair pair;
    r->first = within((i64)(((float)i - 0.5f) * step - 0.5f), dst);
    r->last = within((i64)(((float)i + 1.5f) * step - 0.5f), dst);
#pragma nounroll
    for (; r->first > 0; r->first--) {
        pair_at(&pair, linear, r->first - 1, dst, src);
        if (pair.second < i) break;
    }
#pragma nounroll
    for (; r->first < dst; r->first++) {
        pair_at(&pair, linear, r->first, dst, src);
        if (pair.second >= i) break;
    }
#pragma nounroll
    for (; r->last + 1 < dst; r->last++) {
        pair_at(&pair, linear, r->last + 1, dst, src);
        if (pair.first > i) break;
    }
#pragma nounroll
    for (; r->last >= r->first; r->last--) {
        pair_at(&pair, linear, r->last, dst, src);
        if (pair.first <= i) break;
    }
}

/* Entry i: `repeat` adjacent numbers of each part of the table. */
INLINE void put_entry(global int *table, constant struct resample_axis *axis, i64 i, i64 first, i64 count) {
#pragma nounroll
    for (i64 r = 0; r < axis->repeat; r++) {
        table[i * axis->repeat + r] = (int)(first * axis->repeat + r);
        table[axis->length + i * axis->repeat + r] = (int)count;
    }
}

INLINE void put_weight(global int *table, constant struct resample_axis *axis, i64 i, i64 tap, float weight) {
#pragma nounroll
    for (i64 r = 0; r < axis->repeat; r++)
        table[(2 + tap) * axis->length + i * axis->repeat + r] = as_int(weight);
}

INLINE void forward_entry(global int *table, constant struct resample_axis *axis, int linear, i64 i) {
    struct pair pair;
    pair_at(&pair, linear, i, axis->to, axis->from);
    put_entry(table, axis, i, pair.first, pair.weight != 0.0f ? 2 : 1);
    put_weight(table, axis, i, 0, 1.0f - pair.weight);
    if (linear) put_weight(table, axis, i, 1, pair.weight);
}

INLINE void backward_entry(global int *table, constant struct resample_axis *axis, int linear, i64 i) {
    struct results r;
    results_of(&r, linear, i, axis->from, axis->to);
    const i64 all = r.last + 1 - r.first, count = all < axis->taps ? all : axis->taps;
    put_entry(table, axis, i, r.first, count);
#pragma nounroll
    for (i64 k = 0; k < axis->taps; k++) {
        struct pair pair;
        float weight = 0.0f;
        if (k < count) {
            pair_at(&pair, linear, r.first + k, axis->from, axis->to);
            weight = pair.first == i ? 1.0f - pair.weight : pair.weight;
        }
        put_weight(table, axis, i, k, weight);
    }
}

/* The entries behind the last one, so that vectors are whole: nothing to sum up. */
INLINE void end_table(global int *table, constant struct resample_axis *axis) {
#pragma nounroll
    for (i64 e = axis->to * axis->repeat; e < axis->length; e++) {
        table[e] = table[axis->to * axis->repeat - 1];
#pragma nounroll
        for (i64 k = 1; k < 2 + axis->taps; k++)
            table[k * axis->length + e] = 0;
    }
}

/* Range: groups of entries of the three tables. */
#if WANTED(resample_tables)
kernel void resample_tables(ITEM global int *tables, constant struct resample_tables_params *p) {
    i64 index = get_global_id(0);
    int a = 0;
#pragma nounroll
    for (; a < 3 && index >= p->items[a]; a++)
        index -= p->items[a];
    if (a == 3) return;
    constant struct resample_axis *axis = &p->axis[a];
    global int *table = tables + axis->table;
    const i64 first = index * RESAMPLE_ENTRIES;
#pragma nounroll
    for (i64 i = first; i < first + RESAMPLE_ENTRIES && i < axis->to; i++) {
        if (p->backward)
            backward_entry(table, axis, p->linear, i);
        else
            forward_entry(table, axis, p->linear, i);
    }
    if (first + RESAMPLE_ENTRIES >= axis->to) end_table(table, axis);
}
#endif

/* A position along one axis: a run of elements, and where their weights are, `step` apart. */
struct run {
    i64 first, step;
    int count;
    global const float *weights;
};

INLINE void run_at(struct run *run, global const int *tables, constant struct resample_axis *axis, i64 at) {
    global const int *table = tables + axis->table + at;
    run->first = table[0];
    run->count = table[axis->length];
    run->weights = (global const float *)(table + 2 * axis->length);
    run->step = axis->length;
}

/* The index of a work-item as positions: of `size` steps in the last of them, and so on. */
INLINE i64 take(i64 *index, i64 size) {
    const i64 rest = *index / size, at = *index - rest * size;
    *index = rest;
    return at;
}

/* One result per work-item, any types, plain layouts. Range: results. */
#if WANTED(resample_items)
INLINE float sum_items(global const uchar *from, int type, i64 at, constant struct resampled *f,
                       const struct run *runs) {
    float sum = 0.0f;
#pragma nounroll
    for (int w = 0; w < runs[2].count; w++) {
        float column = 0.0f;
#pragma nounroll
        for (int d = 0; d < runs[0].count; d++)
#pragma nounroll
            for (int h = 0; h < runs[1].count; h++) {
                const i64 offset = at + (runs[0].first + d) * f->stride[0]
                                   + (runs[1].first + h) * f->stride[1] + (runs[2].first + w) * f->stride[2];
                column = fma(load_f32(from, type, offset),
                             runs[0].weights[d * runs[0].step] * runs[1].weights[h * runs[1].step], column);
            }
        sum = fma(column, runs[2].weights[w * runs[2].step], sum);
    }
    return sum;
}

kernel void resample_items(ITEM global const uchar *from, global uchar *to, global const int *tables,
                           constant struct resampling_params *p) {
    constant struct resampled *f = &p->from, *t = &p->to;
    i64 index = get_global_id(0), at[3], plane = 0;
    struct run runs[3];
    if (index >= p->rows) return;
    if (p->channels_first) plane = take(&index, p->planes);
#pragma unroll
    for (int i = 2; i >= 0; i--) {
        at[i] = take(&index, p->axis[i].to);
        run_at(&runs[i], tables, &p->axis[i], at[i]);
    }
    if (!p->channels_first) plane = take(&index, p->planes);
    const i64 out = t->offset + index * t->batch + plane * t->plane + at[0] * t->stride[0]
                    + at[1] * t->stride[1] + at[2] * t->stride[2];
    store_f32(to, t->type, out,
              sum_items(from, f->type, f->offset + index * f->batch + plane * f->plane, f, runs));
}
#endif

/* Rows. */

enum { RESAMPLE_ROWS = 8, RESAMPLE_CONVERTED = 256 };

/* A weight in every lane. The sum keeps clang from making the load a vector of one, which SPIR-V lacks. */
INLINE float16 weight_vector(float weight) {
    return (float16)(weight + 0.0f);
}

/* Rows that are summed at a time, by their offsets. */
struct row_taps {
    int count;
    i64 offset[RESAMPLE_ROWS];
    float weight[RESAMPLE_ROWS];
};

/* Elements of a row of `from`, summed over depth and height; where they are from, if they are one row. */
struct row_sum {
    LINE_ALIGNED float values[RESAMPLE_READ + 64];
    LINE_ALIGNED float rows[RESAMPLE_ROWS][RESAMPLE_CONVERTED];
    i64 source;
};

/* Sixteen results, and eight of them: their first elements are from `first` to `last`; the most elements. */
struct row_vector {
    int first, last, most;
    int half_first[2], half_last[2];
};

/* A part of a row of results: entries of the width from `e` on, n of them, which are sums of `read` elements
 * from `begin` on; or pixels of them. */
struct row_part {
    i64 e, begin;
    int n, read;
    struct row_vector vectors[RESAMPLE_RESULTS / 16]; /* of narrow results */
};

#define FROM global
#define ADD add_global_rows
#include "kernels/lib/resample_row.h"
#define FROM
#define ADD add_private_rows
#define SPREAD spread_pixels_kept
#define TO
#include "kernels/lib/resample_row.h"
#define FROM
#define SPREAD spread_pixels
#define TO global
#include "kernels/lib/resample_row.h"

/* sum += the rows; or = if `again` is 0. */
INLINE void add_rows(float *sum, struct row_sum *space, const struct row_taps *taps, global const uchar *from,
                     int type, int n, int again) {
    if (type == TYPE_F32) {
        add_global_rows(sum, (global const float *)from, taps, n, again);
        return;
    }
#pragma nounroll
    for (int k = 0; k < n; k += RESAMPLE_CONVERTED) {
        const int count = n - k < RESAMPLE_CONVERTED ? n - k : RESAMPLE_CONVERTED;
        struct row_taps local_taps = *taps;
#pragma nounroll
        for (int i = 0; i < taps->count; i++) {
            row_load(space->rows[i], from, type, taps->offset[i] + k, 1, count);
            local_taps.offset[i] = i * RESAMPLE_CONVERTED;
        }
        add_private_rows(sum + k, space->rows[0], &local_taps, count, again);
    }
}

/* n elements from `offset` on of the rows of a run in depth and height. */
INLINE void sum_rows(float *sum, struct row_sum *space, const struct run *depth, const struct run *height,
                     global const uchar *from, constant struct resampled *f, i64 offset, int n) {
    struct row_taps taps;
    int again = 0;
    taps.count = 0;
#pragma nounroll
    for (int d = 0; d < depth->count; d++)
#pragma nounroll
        for (int h = 0; h < height->count; h++) {
            taps.offset[taps.count] =
                    offset + (depth->first + d) * f->stride[0] + (height->first + h) * f->stride[1];
            taps.weight[taps.count++] = depth->weights[d * depth->step] * height->weights[h * height->step];
            if (taps.count < RESAMPLE_ROWS) continue;
            add_rows(sum, space, &taps, from, f->type, n, again);
            taps.count = 0, again = 1;
        }
    if (taps.count > 0 || !again) add_rows(sum, space, &taps, from, f->type, n, again);
}

/* Sixteen numbers of a row that starts at `begin`: row[first[i] - begin]. */
INLINE float16 pick(const float *row, int begin, global const int *first, const struct row_vector *v) {
#if defined(NATIVE_AVX512)
    if (v->last - v->first < 16) {
        const int16 lanes = vload16(0, first) - (int16)(v->first);
        return (float16)_mm512_permutexvar_ps((__m512i)lanes, (__m512)vload16(0, row + (v->first - begin)));
    }
    if (v->last - v->first < 32) {
        const int16 lanes = vload16(0, first) - (int16)(v->first);
        return (float16)_mm512_permutex2var_ps((__m512)vload16(0, row + (v->first - begin)), (__m512i)lanes,
                                               (__m512)vload16(1, row + (v->first - begin)));
    }
#elif defined(NATIVE_AVX2)
    if (v->half_last[0] - v->half_first[0] < 8 && v->half_last[1] - v->half_first[1] < 8) {
        float16 x;
        const int8 low = vload8(0, first) - (int8)(v->half_first[0]),
                   high = vload8(1, first) - (int8)(v->half_first[1]);
        x.lo = (float8)_mm256_permutevar8x32_ps((__m256)vload8(0, row + (v->half_first[0] - begin)),
                                                (__m256i)low);
        x.hi = (float8)_mm256_permutevar8x32_ps((__m256)vload8(0, row + (v->half_first[1] - begin)),
                                                (__m256i)high);
        return x;
    }
#endif
    float picked[16];
#pragma unroll
    for (int i = 0; i < 16; i++)
        picked[i] = row[first[i] - begin];
    return vload16(0, picked);
}

/* Sixteen results along the width, whose entries begin at `first`. */
INLINE float16 narrow_results(constant struct resampling_params *p, global const int *first,
                              const struct row_vector *v, const float *row, int begin) {
    constant struct resample_axis *axis = &p->axis[2];
    global const float *weights = (global const float *)(first + 2 * axis->length);
    float16 sum = (float16)(0.0f);
    if (p->copy) return pick(row, begin, first, v);
#pragma nounroll
    for (int k = 0; k < v->most; k++) {
        const float16 x = pick(row + k * axis->repeat, begin, first, v), weight = vload16(0, weights);
        sum = fma(weight == (float16)(0.0f) ? (float16)(0.0f) : x, weight, sum);
        weights += axis->length;
    }
    return sum;
}

/* What the rows of a work-item share. */
struct row_space {
    struct row_sum sum;
    struct row_part part;
    LINE_ALIGNED float results[RESAMPLE_RESULTS + 16];
};

/* Rows of results that are still to be stored: `count` elements from `at` on. */
struct row_pending {
    i64 at;
    int count;
};

INLINE void store_pending(struct row_pending *pending, constant struct resampling_params *p,
                          const float *results, global uchar *to) {
    if (pending->count > 0) row_store(to, p->to.type, pending->at, 1, results, pending->count);
    pending->count = 0;
}

/* Results are stored at once if they are many floats, else together with those of the rows that follow. */
INLINE void narrow_row(struct row_space *space, struct row_pending *pending,
                       constant struct resampling_params *p, global const int *table, global uchar *to,
                       i64 out) {
    const struct row_part *part = &space->part;
    const int n = part->n, direct = p->to.type != TYPE_F32 || n < 64 ? 0 : n / 16 * 16;
    if (direct > 0 || out != pending->at + pending->count || pending->count + n > RESAMPLE_RESULTS)
        store_pending(pending, p, space->results, to);
    if (pending->count == 0) pending->at = out + direct;
    float *results = space->results + pending->count;
#pragma nounroll
    for (int k = 0; k < n; k += 16) {
        const float16 x = narrow_results(p, table + part->e + k, &part->vectors[k / 16], space->sum.values,
                                         (int)part->begin);
        if (k < direct)
            vstore16(x, 0, (global float *)to + out + k);
        else
            vstore16(x, 0, results + k - direct);
    }
    pending->count += n - direct;
}

/* The elements of the part, summed over the rows that results at a position in depth and height are from;
 * not again if they are one row that is there already. */
INLINE void sum_part(struct row_space *space, constant struct resampling_params *p, const struct run *depth,
                     const struct run *height, global const uchar *from, i64 in, i64 channels) {
    constant struct resampled *f = &p->from;
    const i64 source = in + depth->first * f->stride[0] + height->first * f->stride[1];
    const int read = space->part.read, narrow = p->inner < RESAMPLE_NARROW;
    if (p->copy && source == space->sum.source) return;
    space->sum.source = source;
    if (channels == p->inner) {
        sum_rows(space->sum.values, &space->sum, depth, height, from, f, in,
                 narrow ? read : (int)(read * channels));
        return;
    }
#pragma nounroll
    for (int i = 0; i < read; i++)
        sum_rows(space->sum.values + i * channels, &space->sum, depth, height, from, f, in + i * p->inner,
                 (int)channels);
}

/* The position of a row of results. */
struct row_at {
    i64 batch, plane, depth, height;
};

#if ROW_IN_PLACE
/* The elements of the part where they are, if vectors that begin there may be read. */
INLINE const float *floats_in_place(constant struct resampling_params *p, const struct row_part *part,
                                    const uchar *from, i64 source) {
    const int in_place = p->from.type == TYPE_F32 && source + part->read + 32 <= p->readable;
    return in_place ? (const float *)from + source : NULL;
}

/* Copies of floats: one row to all rows of results that it is for, `left` at most. Returns how many. */
INLINE int copy_row(struct row_space *space, constant struct resampling_params *p, const int *tables,
                    const struct row_at *at, const struct run *depth, const struct run *height,
                    const uchar *from, i64 in, float *to, i64 left) {
    const struct row_part *part = &space->part;
    const int *entries = tables + p->axis[2].table + part->e,
              *heights = tables + p->axis[1].table + at->height;
    const i64 pitch = p->to.stride[1], below = p->axis[1].to - at->height, most = left < below ? left : below;
    const int past = p->streams && pitch % 16 == 0 && STREAMS_ROW((uchar *)to, TYPE_F32, 0);
    const float *row = floats_in_place(
            p, part, from, in + depth->first * p->from.stride[0] + height->first * p->from.stride[1]);
    int rows = 1, k = 0;
    for (; rows < most && heights[rows] == heights[0];)
        rows++;
    if (!row) {
        sum_part(space, p, depth, height, from, in, p->inner);
        row = space->sum.values;
    }
    for (; k + 16 <= part->n; k += 16) {
        const float16 x = pick(row, (int)part->begin, entries + k, &part->vectors[k / 16]);
        for (int r = 0; r < rows; r++)
            STREAM_OR_STORE(x, to + r * pitch + k, past);
    }
    if (k < part->n) {
        const float16 x = pick(row, (int)part->begin, entries + k, &part->vectors[k / 16]);
        for (int r = 0; r < rows; r++)
            store_lanes(x, to + r * pitch + k, part->n - k);
    }
    return rows;
}
#endif

/* The pixels of a part of a row, each of which is another pixel. */
INLINE void copy_pixels(global float *to, global const float *from, i64 step, global const int *table,
                        const struct row_part *part, int channels, int streams) {
    global const int *first = table + part->e;
    const int past =
            streams && step % 16 == 0 && channels % 16 == 0 && STREAMS_ROW((global uchar *)to, TYPE_F32, 0);
#pragma nounroll
    for (int i = 0; i < part->n; i++, to += step) {
        global const float *pixel = from + (first[i] - part->begin) * step;
        if (channels < 16) {
            vstore8(vload8(0, pixel), 0, to);
            vstore8(vload8(0, pixel + channels - 8), 0, to + channels - 8);
            continue;
        }
        STREAM_OR_STORE(vload16(0, pixel), to, past);
#pragma nounroll
        for (int c = 16; c < channels; c += 16) {
            const int at = c + 16 > channels ? channels - 16 : c;
            STREAM_OR_STORE(vload16(0, pixel + at), to + at, past);
        }
    }
}

/* Forward, a pixel is the sum of one or two columns. Of one or two rows of floats, they are summed without a
 * row of sums in memory: a column stays in registers for all pixels next to it. */

/* One row, or two, that results at a position in depth and height are from; 0: more. */
INLINE int few_rows(struct row_taps *taps, const struct run *depth, const struct run *height,
                    constant struct resampled *f, i64 offset) {
    taps->count = 0;
    if (depth->count * height->count > 2) return 0;
#pragma nounroll
    for (int d = 0; d < depth->count; d++)
#pragma nounroll
        for (int h = 0; h < height->count; h++) {
            taps->offset[taps->count] =
                    offset + (depth->first + d) * f->stride[0] + (height->first + h) * f->stride[1];
            taps->weight[taps->count++] = depth->weights[d * depth->step] * height->weights[h * height->step];
        }
    return taps->count;
}

/* Two rows and their weights; of one row, only the first is read. */
struct row_pair {
    global const float *rows[2];
    float16 weights[2];
};

INLINE void load_column(float16 *column, const struct row_pair *pair, const int rows, const int vectors,
                        i64 at) {
#pragma unroll
    for (int v = 0; v < vectors; v++) {
        float16 x = fma(vload16(v, pair->rows[0] + at), pair->weights[0], (float16)(-0.0f));
        if (rows == 2) x = fma(vload16(v, pair->rows[1] + at), pair->weights[1], x);
        column[v] = x;
    }
}

/* SPIR-V 1.0 cannot choose between vectors by one condition: there, columns are loaded again. */
#ifdef __OPENCL_C_VERSION__
#define BLEND_MOVES 0
#else
#define BLEND_MOVES 1
#endif

/* `vectors` of the channels of every pixel of a part. Callers pass constants for `rows` and `vectors`. */
INLINE void blend_columns(global float *to, i64 step, const struct row_pair *given, const int rows,
                          const int vectors, global const int *entry, i64 pitch, i64 begin, int n) {
    const struct row_pair copy = *given, *pair = &copy; /* no store changes it */
    float16 low[4], high[4];
    i64 low_at = -1, high_at = -1;
#pragma nounroll
    for (int i = 0; i < n; i++, to += step, entry++) {
        const i64 first = entry[0];
        const float16 weight = weight_vector(as_float(entry[2 * pitch]));
        if (BLEND_MOVES && low_at != first && high_at == first) {
#pragma unroll
            for (int v = 0; v < vectors; v++)
                low[v] = high[v];
        } else if (low_at != first) {
            load_column(low, pair, rows, vectors, (first - begin) * step);
        }
        low_at = first;
        if (entry[pitch] == 1) {
#pragma unroll
            for (int v = 0; v < vectors; v++)
                vstore16(fma(low[v], weight, (float16)(-0.0f)), v, to);
            continue;
        }
        if (high_at != first + 1) load_column(high, pair, rows, vectors, (first + 1 - begin) * step);
        high_at = first + 1;
        const float16 second = weight_vector(as_float(entry[3 * pitch]));
#pragma unroll
        for (int v = 0; v < vectors; v++)
            vstore16(fma(high[v], second, fma(low[v], weight, (float16)(-0.0f))), v, to);
    }
}

#ifdef __AVX512F__
enum { BLEND_VECTORS = 4 };
#else
enum { BLEND_VECTORS = 2 };
#endif

/* Functions of their own, which keep columns in registers. */
#define BLEND(name_, rows_, vectors_)                                                                        \
    OUTLINE void name_(global float *to, i64 step, const struct row_pair *pair, global const int *entry,     \
                       i64 pitch, i64 begin, int n) {                                                        \
        blend_columns(to, step, pair, rows_, vectors_, entry, pitch, begin, n);                              \
    }
BLEND(blend_row, 1, 1)
BLEND(blend_row_wide, 1, BLEND_VECTORS)
BLEND(blend_rows, 2, 1)
BLEND(blend_rows_wide, 2, BLEND_VECTORS)

/* All channels, at least 16 of them: the last vectors start early. */
INLINE void blend_pixels(global float *to, i64 step, global const float *from, const struct row_taps *taps,
                         global const int *entry, i64 pitch, const struct row_part *part, int channels) {
    const int wide = channels >= 16 * BLEND_VECTORS, width = wide ? 16 * BLEND_VECTORS : 16;
#pragma nounroll
    for (int done = 0; done < channels; done += width) {
        const int c = done + width < channels ? done : channels - width, second = taps->count - 1;
        const struct row_pair pair = {{from + taps->offset[0] + c, from + taps->offset[second] + c},
                                      {weight_vector(taps->weight[0]), weight_vector(taps->weight[second])}};
        if (second == 0 && wide)
            blend_row_wide(to + c, step, &pair, entry, pitch, part->begin, part->n);
        else if (second == 0)
            blend_row(to + c, step, &pair, entry, pitch, part->begin, part->n);
        else if (wide)
            blend_rows_wide(to + c, step, &pair, entry, pitch, part->begin, part->n);
        else
            blend_rows(to + c, step, &pair, entry, pitch, part->begin, part->n);
    }
}

/* Pixels with at least eight channels, `channels` of them from c on. */
INLINE void wide_row(struct row_space *space, constant struct resampling_params *p, global const int *table,
                     const struct run *depth, const struct run *height, global const uchar *from, i64 in,
                     global uchar *to, i64 out, i64 channels) {
    constant struct resample_axis *axis = &p->axis[2];
    const struct row_part *part = &space->part;
    const int direct = p->to.type == TYPE_F32;
    if (direct && p->copy && p->from.type == TYPE_F32) {
        const i64 row = in + depth->first * p->from.stride[0] + height->first * p->from.stride[1];
        copy_pixels((global float *)to + out, (global const float *)from + row, p->inner, table, part,
                    (int)channels, p->streams);
        return;
    }
    struct row_taps taps;
    if (direct && p->from.type == TYPE_F32 && axis->taps <= 2 && channels >= 16
        && few_rows(&taps, depth, height, &p->from, in) > 0) {
        blend_pixels((global float *)to + out, p->inner, (global const float *)from, &taps, table + part->e,
                     axis->length, part, (int)channels);
        return;
    }
    sum_part(space, p, depth, height, from, in, channels);
    if (direct) {
        spread_pixels((global float *)to + out, p->inner, space->sum.values, channels, table, axis->length,
                      part, (int)channels);
        return;
    }
    spread_pixels_kept(space->results, channels, space->sum.values, channels, table, axis->length, part,
                       (int)channels);
    row_store_block(to, p->to.type, out, 1, space->results, (int)channels, p->inner, part->n, 0);
}

INLINE void row_at(struct row_at *at, constant struct resampling_params *p, i64 row) {
    at->height = take(&row, p->axis[1].to);
    at->depth = take(&row, p->axis[0].to);
    at->plane = take(&row, p->planes);
    at->batch = row;
}

INLINE void next_row(struct row_at *at, constant struct resampling_params *p) {
    if (++at->height < p->axis[1].to) return;
    at->height = 0;
    if (++at->depth < p->axis[0].to) return;
    at->depth = 0;
    if (++at->plane < p->planes) return;
    at->plane = 0, at->batch++;
}

/* One part of the width of all rows of a work-item, `channels` of them from c on. */
INLINE void part_of_rows(struct row_space *space, constant struct resampling_params *p,
                         global const int *tables, global const uchar *from, global uchar *to, i64 first,
                         i64 c, i64 channels) {
    constant struct resampled *f = &p->from, *t = &p->to;
    const struct row_part *part = &space->part;
    const int narrow = p->inner < RESAMPLE_NARROW;
    const i64 scale = narrow ? 1 : p->inner, end = first + p->share < p->rows ? first + p->share : p->rows;
    struct row_pending pending = {0, 0};
    struct run depth, height;
    struct row_at at;
    row_at(&at, p, first);
    space->sum.source = -1;
#pragma nounroll
    for (i64 row = first; row < end; row++, next_row(&at, p)) {
        const i64 in = f->offset + at.batch * f->batch + at.plane * f->plane + part->begin * scale + c,
                  out = t->offset + at.batch * t->batch + at.plane * t->plane + at.depth * t->stride[0]
                        + at.height * t->stride[1] + part->e * scale + c;
        run_at(&depth, tables, &p->axis[0], at.depth);
        run_at(&height, tables, &p->axis[1], at.height);
#if ROW_IN_PLACE
        if (narrow && p->copy && p->to.type == TYPE_F32) {
            int more =
                    copy_row(space, p, tables, &at, &depth, &height, from, in, (float *)to + out, end - row);
            for (; more > 1; more--, row++)
                next_row(&at, p);
            continue;
        }
#endif
        if (narrow) {
            sum_part(space, p, &depth, &height, from, in, p->inner);
            narrow_row(space, &pending, p, tables + p->axis[2].table, to, out);
        } else {
            wide_row(space, p, tables + p->axis[2].table, &depth, &height, from, in, to, out, channels);
        }
    }
    store_pending(&pending, p, space->results, to);
}

/* What vectors of results are sums of, and zeros behind what is read: lanes without an element read them. */
INLINE void begin_vectors(struct row_space *space, constant struct resample_axis *axis,
                          global const int *entries) {
    struct row_part *part = &space->part;
#pragma nounroll
    for (int k = 0; k < axis->taps * axis->repeat + 32; k += 16)
        vstore16((float16)(0.0f), 0, space->sum.values + part->read + k);
#pragma nounroll
    for (int k = 0; k < (part->n + 15) / 16 * 16; k++) {
        struct row_vector *v = &part->vectors[k / 16];
        const int side = k / 8 % 2, first = entries[k], count = entries[axis->length + k];
        if (k % 16 == 0) v->most = 0;
        if (k % 8 == 0) v->half_first[side] = v->half_last[side] = first;
        if (first < v->half_first[side]) v->half_first[side] = first;
        if (first > v->half_last[side]) v->half_last[side] = first;
        if (count > v->most) v->most = count;
        v->first = side && v->half_first[0] < v->half_first[1] ? v->half_first[0] : v->half_first[side];
        v->last = side && v->half_last[0] > v->half_last[1] ? v->half_last[0] : v->half_last[side];
    }
}

/* The part from entry e of the width on. */
INLINE void begin_part(struct row_space *space, constant struct resampling_params *p,
                       global const int *tables, i64 e) {
    constant struct resample_axis *axis = &p->axis[2];
    global const int *table = tables + axis->table;
    struct row_part *part = &space->part;
    const i64 all = axis->to * axis->repeat, last = e + p->piece < all ? e + p->piece - 1 : all - 1;
    part->e = e, part->n = (int)(last + 1 - e);
    part->begin = table[e] / axis->repeat * axis->repeat;
    const i64 end = (table[last] / axis->repeat + table[axis->length + last]) * axis->repeat;
    part->read = (int)(end > part->begin ? end - part->begin : 0);
    if (p->inner < RESAMPLE_NARROW) begin_vectors(space, axis, table + e);
}

/* Range: rows of results, `share` of them each. */
#if WANTED(resample_rows)
kernel void resample_rows(ITEM global const uchar *from, global uchar *to, global const int *tables,
                          constant struct resampling_params *p) {
    struct row_space space;
    const i64 first = (i64)get_global_id(0) * p->share;
#pragma nounroll
    for (i64 e = 0; e < p->axis[2].to * p->axis[2].repeat; e += p->piece) {
        begin_part(&space, p, tables, e);
#pragma nounroll
        for (i64 c = 0; c < p->inner; c += p->block) /* the last block starts early */
            part_of_rows(&space, p, tables, from, to, first,
                         c + p->block > p->inner ? p->inner - p->block : c, p->block);
    }
    if (STREAMED(p->streams)) STREAM_END();
}
#endif
