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
        bf16_edge(p, &t, out);
    else
        EACH_HEIGHT(t.columns, WHOLE_TILE)
#undef WHOLE_TILE
    bf16_store(p, &t, &e, out);
}
#endif
