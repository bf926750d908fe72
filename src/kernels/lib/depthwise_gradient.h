/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gradients of the weights of depthwise convolutions: up to GRADIENT_TAPS taps (three of doubles) of a row of
 * the window by one or two vectors of channels at a time, in registers. If the last channels do not fill a
 * vector, the vector begins earlier, and what was computed before is left out. A row of places meets all rows
 * of the window while it is in the L1 cache; the sums of each lie in memory in between. DEPTHWISE_GRADIENT is
 * the kernel; of f32, or f64 with DOUBLES.
 */
#define LANES 16
#include "kernels/lib/lanes.h"

/* Some taps of a row of the window. */
struct depthwise_job {
    int taps;
    i64 first;                                 /* of them */
    i64 reach[2];                              /* of the row, along the first two dimensions */
    i64 image;                                 /* offset of the first of them */
    struct gradient_span spans[GRADIENT_TAPS]; /* of each of them */
    i64 begin, end;                            /* positions where all are inside */
    i64 dst;                                   /* taps before the first */
};

INLINE struct depthwise_job depthwise_job(constant struct weights_gradient_params *p,
                                          const struct gradient_chunk *c, i64 index) {
    constant struct window *w = &p->window;
    const i64 row = index / p->tiles, k2 = (index - row * p->tiles) * p->tile;
    const i64 k0 = row / w->taps[1], k1 = row - k0 * w->taps[1];
    struct depthwise_job j = {.first = k2, .end = c->columns, .dst = row * p->inputs + k2};
    j.taps = (int)(p->inputs - k2 < p->tile ? p->inputs - k2 : p->tile);
    j.reach[0] = k0 * w->step[0], j.reach[1] = k1 * w->step[1];
    j.image = j.reach[0] * p->image_stride[0] + j.reach[1] * p->image_stride[1]
              + k2 * w->step[2] * p->image_stride[2];
    for (int t = 0; t < j.taps; t++) {
        j.spans[t] = gradient_span(p, c, k2 + t);
        if (j.spans[t].first > j.begin) j.begin = j.spans[t].first;
        if (j.spans[t].last < j.end) j.end = j.spans[t].last;
    }
    if (j.end <= j.begin) j.begin = j.end = 0;
    return j;
}

/* A vector of which `count` elements exist; the others are zeros. */
INLINE VEC depthwise_gradient_load(global const REAL *from, const int count) {
    if (count == LANES) return VLOAD(0, from);
    REAL each[LANES];
#pragma nounroll
    for (int i = 0; i < LANES; i++)
        each[i] = i < count ? from[i] : 0.0f;
    return VLOAD(0, each);
}

/* One tap at positions `first` to `last` - 1 of a row. */
INLINE void depthwise_gradient_tap(global const REAL *a, i64 a_step, global const REAL *d, i64 d_step,
                                   i64 first, i64 last, const int vectors, int count, VEC *acc) {
#pragma nounroll
    for (i64 i = first; i < last; i++)
#pragma unroll
        for (int v = 0; v < vectors; v++)
            acc[v] = fma(depthwise_gradient_load(a + i * a_step + v * LANES, count),
                         depthwise_gradient_load(d + i * d_step + v * LANES, count), acc[v]);
}

/* out[vector][tap] += the sums of a row, which begins at `a` and `d`; those of the second vector are `apart`
 * further on. Callers pass `taps` and `vectors` as constants. */
INLINE void depthwise_gradient_row(constant struct weights_gradient_params *p,
                                   const struct depthwise_job *job, global const REAL *a,
                                   global const REAL *d, const int taps, const int vectors, int count,
                                   int apart, VEC *out) {
    const i64 a_step = p->window.stride[2] * p->image_stride[2], d_step = p->places_stride[2];
    const i64 a_tap = p->window.step[2] * p->image_stride[2];
    VEC acc[2 * GRADIENT_TAPS];
#pragma unroll
    for (int i = 0; i < taps * vectors; i++)
        acc[i] = out[i % vectors * apart + i / vectors];
#pragma unroll
    for (int t = 0; t < taps; t++) {
        const i64 left = job->spans[t].last < job->begin ? job->spans[t].last : job->begin;
        depthwise_gradient_tap(a + t * a_tap, a_step, d, d_step, job->spans[t].first, left, vectors, count,
                               acc + t * vectors);
    }
#pragma nounroll
    for (i64 i = job->begin; i < job->end; i++)
#pragma unroll
        for (int v = 0; v < vectors; v++) {
            const VEC y = depthwise_gradient_load(d + i * d_step + v * LANES, count);
#pragma unroll
            for (int t = 0; t < taps; t++)
                acc[t * vectors + v] =
                        fma(depthwise_gradient_load(a + i * a_step + t * a_tap + v * LANES, count), y,
                            acc[t * vectors + v]);
        }
#pragma unroll
    for (int t = 0; t < taps; t++) {
        const i64 right = job->spans[t].first > job->end ? job->spans[t].first : job->end;
        depthwise_gradient_tap(a + t * a_tap, a_step, d, d_step, right, job->spans[t].last, vectors, count,
                               acc + t * vectors);
    }
#pragma unroll
    for (int i = 0; i < taps * vectors; i++)
        out[i % vectors * apart + i / vectors] = acc[i];
}

/* Separate functions, so that each has all registers to itself. */
#define DEPTHWISE_SUMS_OF(taps_)                                                                             \
    OUTLINE void depthwise_gradient_##taps_(                                                                 \
            constant struct weights_gradient_params *p, const struct depthwise_job *job,                     \
            global const REAL *a, global const REAL *d, int vectors, int count, int apart, VEC *out) {       \
        if (vectors == 2)                                                                                    \
            depthwise_gradient_row(p, job, a, d, taps_, 2, LANES, apart, out);                               \
        else if (count == LANES)                                                                             \
            depthwise_gradient_row(p, job, a, d, taps_, 1, LANES, apart, out);                               \
        else                                                                                                 \
            depthwise_gradient_row(p, job, a, d, taps_, 1, count, apart, out);                               \
    }
DEPTHWISE_SUMS_OF(1)
DEPTHWISE_SUMS_OF(2)
DEPTHWISE_SUMS_OF(3)
#ifndef DOUBLES
DEPTHWISE_SUMS_OF(4)
#endif

/* One or two vectors of channels. Lanes from `skipped` on are the first ones of their panel. */
struct depthwise_strip {
    i64 channel; /* of the first lane */
    int vectors, count, skipped;
};

INLINE struct depthwise_strip depthwise_strip(constant struct weights_gradient_params *p, i64 channel) {
    const i64 left = p->outputs - channel;
    struct depthwise_strip s = {.channel = channel, .vectors = 1, .count = LANES};
    if (left >= 2 * LANES && channel % (2 * LANES) == 0) s.vectors = 2;
    if (left >= LANES) return s;
    if (p->outputs < LANES) {
        s.count = (int)left;
        return s;
    }
    s.channel = p->outputs - LANES;
    s.skipped = (int)(LANES - left);
    return s;
}

#ifdef NATIVE_AVX2
#include "kernels/lib/depthwise_nine.h"
#endif

INLINE void depthwise_gradient_write(global REAL *dst, int skipped, VEC sums) {
    REAL each[2 * LANES] = {0.0f};
    VSTORE(sums, 0, each);
    VSTORE(VLOAD(0, each + skipped), 0, dst);
}

/* All jobs of a work-item at a row of places, for one strip. */
INLINE void depthwise_gradient_jobs(constant struct weights_gradient_params *p,
                                    const struct gradient_chunk *c, const struct depthwise_job *jobs,
                                    int count, const struct depthwise_strip *s, global const REAL *image,
                                    global const REAL *places, int row, VEC *sums) {
    global const REAL *d = places + (p->places_offset + s->channel + c->places[row]);
    for (int j = 0; j < count; j++, sums += GRADIENT_TAPS) {
        const struct depthwise_job *job = jobs + j;
        if (!gradient_row_is_inside(p, c, job->reach, row)) continue;
        global const REAL *a = image + (p->image_offset + s->channel + c->image[row] + job->image);
#define DEPTHWISE_SUMS(taps_)                                                                                \
    case taps_:                                                                                              \
        depthwise_gradient_##taps_(p, job, a, d, s->vectors, s->count, count *GRADIENT_TAPS, sums);          \
        break;
        switch (job->taps) {
            DEPTHWISE_SUMS(1)
            DEPTHWISE_SUMS(2)
            DEPTHWISE_SUMS(3)
#ifndef DOUBLES
            DEPTHWISE_SUMS(4)
#endif
        }
#undef DEPTHWISE_SUMS
    }
}

/* bias[vector] += the places of a row. */
INLINE void depthwise_gradient_bias(constant struct weights_gradient_params *p,
                                    const struct gradient_chunk *c, const struct depthwise_strip *s,
                                    global const REAL *places, int row, VEC *bias) {
    global const REAL *d = places + (p->places_offset + s->channel + c->places[row]);
#pragma nounroll
    for (i64 i = 0; i < c->columns; i++, d += p->places_stride[2])
        for (int v = 0; v < s->vectors; v++)
            bias[v] += depthwise_gradient_load(d + v * LANES, s->count);
}

/* All jobs at a row of places, or more, for the channels `first` to `last` - 1. Returns the number of rows.
 */
INLINE int depthwise_gradient_rows(constant struct weights_gradient_params *p, const struct gradient_chunk *c,
                                   const struct depthwise_job *jobs, int count, i64 first, i64 last,
                                   global const REAL *image, global const REAL *places, int row, VEC *sums,
                                   VEC *bias) {
#ifdef NATIVE_AVX2
    const int rows = depthwise_is_nine(p, jobs, count)
                             ? depthwise_nine(p, c, jobs, row, first, last, image, places, sums, bias)
                             : 0;
    if (rows > 0) return rows;
#endif
    for (i64 channel = first; channel < last;) {
        const struct depthwise_strip s = depthwise_strip(p, channel);
        depthwise_gradient_jobs(p, c, jobs, count, &s, image, places, row, sums);
        if (bias) depthwise_gradient_bias(p, c, &s, places, row, bias);
        bias += bias ? s.vectors : 0;
        sums += count * s.vectors * GRADIENT_TAPS;
        channel += s.vectors * LANES;
    }
    return 1;
}

/* Stores the sums of a work-item: sums[vector][job][tap]. */
INLINE void depthwise_gradient_end(constant struct weights_gradient_params *p,
                                   const struct depthwise_job *jobs, int count, i64 first, i64 last,
                                   const VEC *sums, global REAL *dst) {
    for (i64 channel = first; channel < last; channel += LANES, dst += p->dst_panel) {
        const struct depthwise_strip s = depthwise_strip(p, channel);
        for (int j = 0; j < count; j++, sums += GRADIENT_TAPS)
            for (int t = 0; t < jobs[j].taps; t++)
                depthwise_gradient_write(dst + (jobs[j].dst + t) * LANES, s.skipped, sums[t]);
    }
}

/* Stores the sums of places: bias[vector]. */
INLINE void depthwise_gradient_bias_end(constant struct weights_gradient_params *p, i64 first, i64 last,
                                        const VEC *bias, global REAL *dst) {
    for (i64 channel = first; channel < last; channel += LANES, bias++) {
        const struct depthwise_strip s = depthwise_strip(p, channel);
        REAL each[LANES];
        VSTORE(*bias, 0, each);
        for (int i = s.skipped; i < s.count; i++)
            dst[s.channel + i] = each[i];
    }
}

/* Range: groups of jobs, blocks of channels, parts. */
#if WANTED(DEPTHWISE_GRADIENT)
kernel void DEPTHWISE_GRADIENT(ITEM global const REAL *image, global const REAL *places, global REAL *dst,
                               constant struct weights_gradient_params *p) {
    const i64 part = get_global_id(2), width = p->pairs * 2 * LANES, block = get_global_id(1) * width;
    const i64 end = block + width < p->outputs ? block + width : p->outputs;
    const i64 all = p->tiles * p->window.taps[0] * p->window.taps[1];
    const i64 first_job = get_global_id(0) * p->jobs;
    const int count = (int)(all - first_job < p->jobs ? all - first_job : p->jobs);
    const i64 last = gradient_chunk_of(p, part + 1);
    struct gradient_chunk c;
    struct depthwise_job jobs[GRADIENT_JOBS];
    VEC sums[GRADIENT_JOBS * 2 * GRADIENT_TAPS], bias[2 * GRADIENT_PAIRS];
    const bool with_bias = p->bias > 0 && first_job == 0;
    for (int i = 0; i < count * 2 * (int)p->pairs * GRADIENT_TAPS; i++)
        sums[i] = V(0.0f);
    for (int i = 0; i < 2 * (int)p->pairs; i++)
        bias[i] = V(0.0f);
    for (i64 chunk = gradient_chunk_of(p, part); chunk < last; chunk++) {
        gradient_locate(&c, p, chunk);
        for (int j = 0; j < count; j++)
            jobs[j] = depthwise_job(p, &c, first_job + j);
        for (int row = 0; row < c.rows;)
            row += depthwise_gradient_rows(p, &c, jobs, count, block, end, image, places, row, sums,
                                           with_bias ? bias : 0);
    }
    depthwise_gradient_end(p, jobs, count, block, end, sums,
                           dst + p->dst_offset + part * p->dst_part + block / LANES * p->dst_panel);
    if (with_bias)
        depthwise_gradient_bias_end(p, block, end, bias, dst + p->dst_offset + part * p->dst_part + p->bias);
}
#endif
#undef LANES
