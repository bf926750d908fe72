/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gradients of the weights of depthwise convolutions with windows of 3x3 and strides of 1: the sums of all
 * taps of a native vector of channels at once, in registers, at several rows of places. Each element is
 * loaded once for all taps of a few positions. All channels of these come before the next positions, so that
 * memory is read nearly in order. For depthwise_gradient.h.
 */
#if defined(DOUBLES) && defined(NATIVE_AVX512)
#define NINE double8
#define NINE_LOAD vload8
#define NINE_STORE vstore8
enum { NINE_LANES = 8, NINE_POSITIONS = 4 };
#elif defined(DOUBLES)
#define NINE double4
#define NINE_LOAD vload4
#define NINE_STORE vstore4
enum { NINE_LANES = 4, NINE_POSITIONS = 1 };
#elif defined(NATIVE_AVX512)
#define NINE float16
#define NINE_LOAD vload16
#define NINE_STORE vstore16
enum { NINE_LANES = 16, NINE_POSITIONS = 4 };
#else
#define NINE float8
#define NINE_LOAD vload8
#define NINE_STORE vstore8
enum { NINE_LANES = 8, NINE_POSITIONS = 1 };
#endif

enum { NINE_ROWS = 4 }; /* the most rows of places */

struct depthwise_nine {
    global const REAL *a, *d; /* of the first position and channel */
    i64 a_row, a_step, d_row, d_step;
    bool above, below;                 /* the first and the last row of the image do not exist */
    const struct gradient_span *spans; /* of the taps of a row */
};

/* So many rows of places, and the rows of the image that they read: `first` to `last` - 1 of rows + 2. The
 * first or the last one may be outside. Always constant. */
struct depthwise_shape {
    int rows, first, last;
};

/* Adds what tap t of row k of the image reads to the sums of `rows` rows of places, y. */
INLINE void depthwise_nine_add(const NINE x, const NINE *y, const int k, const int t, const int rows,
                               NINE *acc) {
#pragma unroll
    for (int r = 0; r < rows; r++)
        if (k >= r && k - r < 3) acc[3 * (k - r) + t] = fma(x, y[r], acc[3 * (k - r) + t]);
}

/* sums[row of the window][tap] += some positions where all taps are inside, and *bias += the places. Callers
 * pass `positions` as a constant. */
INLINE void depthwise_nine_block(const struct depthwise_nine *n, global const REAL *a, global const REAL *d,
                                 const struct depthwise_shape shape, const int positions, REAL *sums,
                                 REAL *bias) {
    const int rows = shape.rows;
    NINE acc[9], y[NINE_POSITIONS * NINE_ROWS];
#pragma unroll
    for (int i = 0; i < positions * rows; i++)
        y[i] = NINE_LOAD(0, d + i / rows * n->d_step + i % rows * n->d_row);
    if (bias) {
        NINE all = y[0];
#pragma unroll
        for (int i = 1; i < positions * rows; i++)
            all += y[i];
        NINE_STORE(NINE_LOAD(0, bias) + all, 0, bias);
    }
#pragma unroll
    for (int k = 0; k < 9; k++)
        acc[k] = NINE_LOAD(0, sums + (k / 3 * GRADIENT_TAPS + k % 3) * LANES);
#pragma unroll
    for (int k = shape.first; k < shape.last; k++) {
#pragma unroll
        for (int j = 0; j < positions + 2; j++) {
            const NINE x = NINE_LOAD(0, a + k * n->a_row + j * n->a_step);
#pragma unroll
            for (int t = 0; t < 3; t++)
                if (j >= t && j - t < positions) depthwise_nine_add(x, y + (j - t) * rows, k, t, rows, acc);
        }
    }
#pragma unroll
    for (int k = 0; k < 9; k++)
        NINE_STORE(acc[k], 0, sums + (k / 3 * GRADIENT_TAPS + k % 3) * LANES);
}

/* A position where some taps are inside. */
INLINE void depthwise_nine_edge(const struct depthwise_nine *n, global const REAL *a, global const REAL *d,
                                i64 at, const struct depthwise_shape shape, REAL *sums, REAL *bias) {
    const int rows = shape.rows;
    NINE acc[9], y[NINE_ROWS], all = (NINE)(0.0f);
#pragma unroll
    for (int r = 0; r < rows; r++) {
        y[r] = NINE_LOAD(0, d + r * n->d_row);
        all += y[r];
    }
    if (bias) NINE_STORE(NINE_LOAD(0, bias) + all, 0, bias);
#pragma unroll
    for (int t = 0; t < 3; t++) {
        if (at < n->spans[t].first || at >= n->spans[t].last) continue;
#pragma unroll
        for (int k = 0; k < 3; k++)
            acc[3 * k + t] = NINE_LOAD(0, sums + (k * GRADIENT_TAPS + t) * LANES);
#pragma unroll
        for (int k = shape.first; k < shape.last; k++)
            depthwise_nine_add(NINE_LOAD(0, a + k * n->a_row + t * n->a_step), y, k, t, rows, acc);
#pragma unroll
        for (int k = 0; k < 3; k++)
            NINE_STORE(acc[3 * k + t], 0, sums + (k * GRADIENT_TAPS + t) * LANES);
    }
}

/* Channels of the first lane of a vector: the last one may begin earlier. */
INLINE i64 depthwise_vector(constant struct weights_gradient_params *p, i64 channel) {
    return channel + LANES <= p->outputs ? channel : p->outputs - LANES;
}

/* Position `at` and, if all taps are `inside`, those after it, for all channels. */
INLINE void depthwise_nine_channels(constant struct weights_gradient_params *p,
                                    const struct depthwise_nine *n, i64 at, const bool inside, i64 first,
                                    i64 last, const struct depthwise_shape shape, const int positions,
                                    VEC *sums, VEC *bias) {
    for (i64 v = 0; v * LANES < last - first; v++)
        for (int half = 0; half < LANES; half += NINE_LANES) {
            const i64 channel = depthwise_vector(p, first + v * LANES) + half;
            global const REAL *a = n->a + at * n->a_step + channel, *d = n->d + at * n->d_step + channel;
            REAL *to = (REAL *)(sums + v * 3 * GRADIENT_TAPS) + half;
            REAL *places = bias ? (REAL *)(bias + v) + half : 0;
            if (inside)
                depthwise_nine_block(n, a, d, shape, positions, to, places);
            else
                depthwise_nine_edge(n, a, d, at, shape, to, places);
        }
}

/* sums[vector][row of the window][tap] += those of some rows of places, for the channels `first` to `last` -
 * 1, and bias[vector] += the places, unless it is null. All taps are inside from `begin` to `end` - 1. */
#define DEPTHWISE_NINE_OF(name, rows_, above_, below_)                                                       \
    OUTLINE void depthwise_nine_##name(constant struct weights_gradient_params *p,                           \
                                       const struct depthwise_nine *n, i64 begin, i64 end, i64 columns,      \
                                       i64 first, i64 last, VEC *sums, VEC *bias) {                          \
        const struct depthwise_shape shape = {rows_, above_, rows_ + 2 - below_};                            \
        for (i64 i = 0; i < begin; i++)                                                                      \
            depthwise_nine_channels(p, n, i, false, first, last, shape, 1, sums, bias);                      \
        i64 i = begin;                                                                                       \
        for (; i + NINE_POSITIONS <= end; i += NINE_POSITIONS)                                               \
            depthwise_nine_channels(p, n, i, true, first, last, shape, NINE_POSITIONS, sums, bias);          \
        for (; i < end; i++)                                                                                 \
            depthwise_nine_channels(p, n, i, true, first, last, shape, 1, sums, bias);                       \
        for (; i < columns; i++)                                                                             \
            depthwise_nine_channels(p, n, i, false, first, last, shape, 1, sums, bias);                      \
    }
DEPTHWISE_NINE_OF(1, 1, 0, 0)
DEPTHWISE_NINE_OF(2, 2, 0, 0)
DEPTHWISE_NINE_OF(4, 4, 0, 0)
DEPTHWISE_NINE_OF(above_4, 4, 1, 0)
DEPTHWISE_NINE_OF(below_2, 2, 0, 1)
DEPTHWISE_NINE_OF(below_3, 3, 0, 1)
DEPTHWISE_NINE_OF(below_4, 4, 0, 1)

/* Rows of places that lie one after the other, and whether the window's first row is outside the image for
 * the first of them, and its last row for the last one. 0 rows: there are none, or the window is another one.
 */
struct depthwise_rows {
    int count;
    bool above, below;
};

INLINE bool depthwise_is_nine(constant struct weights_gradient_params *p, const struct depthwise_job *jobs,
                              int count) {
    constant struct window *w = &p->window;
    return p->outputs >= LANES && count == 3 && w->taps[2] == 3 && w->taps[1] == 3 && jobs[0].taps == 3
           && w->stride[2] == 1 && w->step[2] == 1 && w->stride[1] == 1 && w->step[1] == 1
           && jobs[2].reach[0] == jobs[0].reach[0];
}

/* At most `most` rows from `row` on. */
INLINE struct depthwise_rows depthwise_rows(constant struct weights_gradient_params *p,
                                            const struct gradient_chunk *c, const struct depthwise_job *jobs,
                                            int row, int most) {
    struct depthwise_rows rows = {0, false, false};
    for (int r = row; r < c->rows && rows.count < most && !rows.below; r++, rows.count++) {
        const bool above = !gradient_row_is_inside(p, c, jobs[0].reach, r);
        if (!gradient_row_is_inside(p, c, jobs[1].reach, r) || (above && r > row)
            || c->start[1][r] != c->start[1][row] + r - row)
            break;
        rows.above = rows.above || above;
        rows.below = !gradient_row_is_inside(p, c, jobs[2].reach, r);
    }
    return rows;
}

/* For all channels of a work-item. Returns the number of rows of places: 0 if there is no function for them.
 */
INLINE int depthwise_nine(constant struct weights_gradient_params *p, const struct gradient_chunk *c,
                          const struct depthwise_job *jobs, int row, i64 first, i64 last,
                          global const REAL *image, global const REAL *places, VEC *sums, VEC *bias) {
    struct depthwise_rows rows = depthwise_rows(p, c, jobs, row, NINE_ROWS);
    if (rows.count == 3 && !rows.below) rows = depthwise_rows(p, c, jobs, row, 2);
    const struct depthwise_nine n = {.a = image + (p->image_offset + c->image[row] + jobs->image),
                                     .d = places + (p->places_offset + c->places[row]),
                                     .a_row = p->image_stride[1],
                                     .a_step = p->image_stride[2],
                                     .d_row = p->places_stride[1],
                                     .d_step = p->places_stride[2],
                                     .spans = jobs->spans};
#define DEPTHWISE_NINE(name, rows_, above_, below_)                                                          \
    if (rows.count == rows_ && rows.above == above_ && rows.below == below_) {                               \
        depthwise_nine_##name(p, &n, jobs->begin, jobs->end, c->columns, first, last, sums, bias);           \
        return rows_;                                                                                        \
    }
    DEPTHWISE_NINE(4, 4, false, false)
    DEPTHWISE_NINE(above_4, 4, true, false)
    DEPTHWISE_NINE(below_4, 4, false, true)
    DEPTHWISE_NINE(2, 2, false, false)
    DEPTHWISE_NINE(below_3, 3, false, true)
    DEPTHWISE_NINE(below_2, 2, false, true)
    DEPTHWISE_NINE(1, 1, false, false)
#undef DEPTHWISE_NINE
    return 0;
}
#undef NINE
#undef NINE_LOAD
#undef NINE_STORE
