/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matrix products and convolutions of bf16 for CPUs with dot products of pairs of bf16: one work-item
 * computes a tile of `tile` columns by one panel of output channels, two vectors of floats. Every output is
 * one chain over the reduction, two steps at a time.
 */
#include "kernels/lib/gemm_end.h"
#include "kernels/lib/gemm_place.h"

#include "kernels/lib/bf16_tile.h"

#include "kernels/lib/bf16_end.h"

/* acc[r][v] += column r of src times vector v of a panel. Callers pass m as a constant, so that loops unroll
 * and acc stays in registers. */
INLINE void bf16_steps(global const ushort *a, const i64 column, global const ushort *w, const i64 depth,
                       const int m, VEC *acc) {
#pragma nounroll
    for (i64 i = 0; i < depth; i += PAIR, w += PAIR * PANEL) {
        const UVEC w0 = AS_UVEC(VLOAD(0, (global const int *)w)),
                   w1 = AS_UVEC(VLOAD(1, (global const int *)w));
#pragma unroll
        for (int r = 0; r < m; r++) {
            const int x = as_int(vload4(0, (global const uchar *)(a + r * column + i)));
            acc[2 * r] = dot2(acc[2 * r], x, w0);
            acc[2 * r + 1] = dot2(acc[2 * r + 1], x, w1);
            KEEP_ORDER_64(acc[2 * r], acc[2 * r + 1]);
        }
    }
}

/* out[r][v]: the whole reduction of m columns, tap by tap of the window. */
INLINE void bf16_reduce(constant struct gemm_params *p, const struct bf16_tile *t, const int m, float *out) {
    VEC acc[2 * HEIGHT];
#pragma unroll
    for (int r = 0; r < 2 * m; r++)
        acc[r] = V(0.0f);
    EACH_TAP(p, &t->taps) {
        bf16_steps(t->src + t->at.src + from, p->src_column, t->weights + by, p->depth, m, acc);
    }
#pragma unroll
    for (int r = 0; r < 2 * m; r++)
        VSTORE(acc[r], r, out);
}

/* out[r][v] += one tap along a row. */
INLINE void bf16_tap(constant struct gemm_params *p, const struct bf16_tile *t, const struct gemm_edge *edge,
                     const int m, float *out) {
    VEC acc[2 * HEIGHT];
#pragma unroll
    for (int r = 0; r < 2 * m; r++)
        acc[r] = VLOAD(r, out);
    bf16_steps(t->src + edge->from, p->src_column, t->weights + edge->by, p->edge_depth, m, acc);
#pragma unroll
    for (int r = 0; r < 2 * m; r++)
        VSTORE(acc[r], r, out);
}

/* The whole reduction of a tile at the border of an image without padding. */
INLINE void bf16_edge(constant struct gemm_params *p, const struct bf16_tile *t, float *out) {
    struct gemm_edge edge;
    for (int i = 0; i < t->columns * PANEL; i++)
        out[i] = 0.0f;
#define ONE_TAP(m) bf16_tap(p, t, &edge, m, out + edge.in.first * PANEL)
    EACH_EDGE(p, &t->taps, &t->at, t->columns, edge) {
        EACH_HEIGHT(edge.in.last - edge.in.first, ONE_TAP)
    }
#undef ONE_TAP
}

/* The same in registers, for m columns of which the first is outside for the first tap along a row if
 * border->left, and the last for the last tap if border->right. */
INLINE void bf16_border(constant struct gemm_params *p, const struct bf16_tile *t,
                        const struct gemm_border *border, const int m, float *out) {
    const i64 column = p->src_column, depth = p->edge_depth, last = p->border.taps[2] - 1;
    VEC acc[2 * HEIGHT];
#pragma unroll
    for (int r = 0; r < 2 * m; r++)
        acc[r] = V(0.0f);
    EACH_TAP_ALONG(p, &t->taps, 1) {
        global const ushort *src = t->src + t->at.src + from, *weights = t->weights + by;
#pragma nounroll
        for (i64 k = 0; k <= last; k++, src += p->edge_src, weights += p->edge_weights)
            if (k == 0 && border->left)
                bf16_steps(src + column, column, weights, depth, m - 1, acc + 2);
            else if (k == last && border->right)
                bf16_steps(src, column, weights, depth, m - 1, acc);
            else
                bf16_steps(src, column, weights, depth, m, acc);
    }
#pragma unroll
    for (int r = 0; r < 2 * m; r++)
        VSTORE(acc[r], r, out);
}

/* A tile at the border, in the way that suits it. */
OUTLINE void bf16_outer(constant struct gemm_params *p, const struct bf16_tile *t, float *out) {
    const struct gemm_border border = gemm_border(p, t->at.column, t->columns, true);
    if (!border.simple) {
        bf16_edge(p, t, out);
        return;
    }
#define BORDER(m) bf16_border(p, t, &border, m, out)
    EACH_HEIGHT(t->columns, BORDER)
#undef BORDER
}

/* Range: tiles of a row x rows, panels, batches. */
#if WANTED(bf16_gemm_14x32)
kernel void bf16_gemm_14x32(ITEM global const ushort *src, global const ushort *weights,
                            global const uchar *bias, global uchar *dst, EPILOGUE_ARGS,
                            constant struct gemm_params *p) {
    struct epilogue_state e = EPILOGUE_STATE(&p->epilogue);
    struct bf16_tile t = {.src = src, .bias = bias, .dst = dst};
    t.at = gemm_place(p, scalars.step, GEMM_TILE(p), GEMM_PANEL(p), get_global_id(2), PANEL);
    t.taps = gemm_taps(p, &t.at);
    t.weights = weights + t.at.weights;
    t.columns = (int)(p->columns - t.at.column < p->tile ? p->columns - t.at.column : p->tile);
    float out[HEIGHT * PANEL];
#define WHOLE_TILE(m) bf16_reduce(p, &t, m, out)
    if (p->edge_depth > 0 && !gemm_is_inside(p, t.at.column, t.columns))
        bf16_outer(p, &t, out);
    else
        EACH_HEIGHT(t.columns, WHOLE_TILE)
#undef WHOLE_TILE
    bf16_store(p, &t, &e, out);
}
#endif

/* Few columns by weights that are dense along the reduction: some channels by some columns at a time. Steps
 * of several columns come in pieces, which stay in the L1 cache for all channels of a panel. */
enum { DOT_CHANNELS = 4, DOT_COLUMNS = 4, DOT_STEPS = 2 * LANES, DOT_PIECE = 512, DOT_AHEAD = 512 };

/* Fewer than DOT_STEPS, an even number, and zeros. */
INLINE UVEC bf16_last(global const ushort *from, i64 count) {
    ushort values[DOT_STEPS];
#pragma nounroll
    for (int i = 0; i < DOT_STEPS; i++)
        values[i] = i < count ? from[i] : 0;
    return AS_UVEC(VLOAD(0, (const int *)values));
}

/* Some channels, columns from `src` on, and steps. */
struct bf16_dots {
    global const ushort *src, *weights[DOT_CHANNELS];
    i64 column, begin, end;
};

/* acc[r][c] += column r times channel c. Callers pass m and `whole` as constants. The loads of one column run
 * far enough ahead by themselves: asking for more only delays them. */
INLINE void bf16_dot_step(const struct bf16_dots *d, i64 k, const int m, const bool whole, VEC *acc) {
    UVEC w[DOT_CHANNELS];
#pragma unroll
    for (int c = 0; c < DOT_CHANNELS; c++) {
        global const ushort *from = d->weights[c] + k;
        w[c] = whole ? AS_UVEC(VLOAD(0, (global const int *)from)) : bf16_last(from, d->end - k);
        if (whole && m > 1) PREFETCH_FAR(from + DOT_AHEAD);
    }
#pragma unroll
    for (int r = 0; r < m; r++) {
        global const ushort *from = d->src + r * d->column + k;
        const UVEC x = whole ? AS_UVEC(VLOAD(0, (global const int *)from)) : bf16_last(from, d->end - k);
#pragma unroll
        for (int c = 0; c < DOT_CHANNELS; c++)
            acc[r * DOT_CHANNELS + c] = dot2_each(acc[r * DOT_CHANNELS + c], x, w[c]);
    }
}

/* sums[r][c] += m columns, or = for the first steps. */
INLINE void bf16_dots(const struct bf16_dots *d, const int m, VEC *sums) {
    VEC acc[DOT_COLUMNS * DOT_CHANNELS];
    i64 k = d->begin;
#pragma unroll
    for (int i = 0; i < m * DOT_CHANNELS; i++)
        acc[i] = k == 0 ? V(0.0f) : sums[i / DOT_CHANNELS * PANEL + i % DOT_CHANNELS];
#pragma nounroll
    for (; k + DOT_STEPS <= d->end; k += DOT_STEPS)
        bf16_dot_step(d, k, m, true, acc);
    if (k < d->end) bf16_dot_step(d, k, m, false, acc);
#pragma unroll
    for (int i = 0; i < m * DOT_CHANNELS; i++)
        sums[i / DOT_CHANNELS * PANEL + i % DOT_CHANNELS] = acc[i];
}

/* A piece of the sums of all channels of a tile. Those beyond the last one repeat it. */
INLINE void bf16_dot_piece(constant struct gemm_params *p, const struct bf16_tile *t, int channels, i64 begin,
                           i64 end, VEC *sums) {
    const i64 step = p->weights_panel / PANEL;
    struct bf16_dots d = {.column = p->src_column, .begin = begin, .end = end};
    for (int n = 0; n < channels; n += DOT_CHANNELS) {
        d.src = t->src + t->at.src;
        for (int c = 0; c < DOT_CHANNELS; c++)
            d.weights[c] = t->weights + t->at.weights + (n + c < channels ? n + c : channels - 1) * step;
        for (int r = 0; r < t->columns; r += DOT_COLUMNS, d.src += DOT_COLUMNS * d.column)
            switch (t->columns - r) {
            case 1: bf16_dots(&d, 1, sums + r * PANEL + n); break;
            case 2: bf16_dots(&d, 2, sums + r * PANEL + n); break;
            case 3: bf16_dots(&d, 3, sums + r * PANEL + n); break;
            default: bf16_dots(&d, 4, sums + r * PANEL + n); break;
            }
    }
}

INLINE float bf16_total(VEC x) {
    const float8 eight = x.lo + x.hi;
    const float4 four = eight.lo + eight.hi;
    const float2 two = four.lo + four.hi;
    return two.x + two.y;
}

/* Range: as above. weights_panel is the stride of PANEL channels. */
#if WANTED(bf16_dot_14x32)
kernel void bf16_dot_14x32(ITEM global const ushort *src, global const ushort *weights,
                           global const uchar *bias, global uchar *dst, EPILOGUE_ARGS,
                           constant struct gemm_params *p) {
    struct epilogue_state e = EPILOGUE_STATE(&p->epilogue);
    struct bf16_tile t = {.src = src, .weights = weights, .bias = bias, .dst = dst};
    t.at = gemm_place(p, scalars.step, GEMM_TILE(p), GEMM_PANEL(p), get_global_id(2), PANEL);
    t.columns = (int)(p->columns - t.at.column < p->tile ? p->columns - t.at.column : p->tile);
    const i64 left = p->channels - t.at.channel, piece = t.columns > DOT_COLUMNS ? DOT_PIECE : p->depth;
    const int channels = (int)(left < PANEL ? left : PANEL);
    VEC sums[HEIGHT * PANEL];
    float out[HEIGHT * PANEL];
    i64 k = 0;
    do {
        bf16_dot_piece(p, &t, channels, k, p->depth - k < piece ? p->depth : k + piece, sums);
        k += piece;
    } while (k < p->depth);
#pragma nounroll
    for (int i = 0; i < t.columns * PANEL; i++)
        out[i] = i % PANEL < channels ? bf16_total(sums[i]) : 0.0f;
    bf16_store(p, &t, &e, out);
}
#endif
