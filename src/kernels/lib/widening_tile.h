/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tile of widening.cl for one register file: HEIGHT columns by panels of two vectors of LANES floats.
 * Included once per shape; NAME(x) appends the shape to a name.
 */
#include "kernels/lib/lanes.h"
#include "kernels/lib/gemm_steps.h"

#define PANEL (2 * LANES)

/* A piece of f32, panel after panel. */
INLINE void NAME(widening_copy)(constant struct widening_params *p, const struct widening_tile *t, i64 offset,
                                i64 depth, float *piece) {
    const i64 step = p->gemm.weights_depth;
    for (int n = 0; n < t->channels; n += PANEL, offset += p->gemm.weights_panel) {
        global const float *from = (global const float *)t->weights + offset;
        float *to = piece + n * WIDENING_PIECE;
        if (t->channels - n < PANEL) {
            widen_block(to, PANEL, t->weights, TYPE_F32, offset, step, depth, t->channels - n);
            break;
        }
        for (i64 k = 0; k < depth; k++, from += step, to += PANEL) {
            VSTORE(VLOAD(0, from), 0, to);
            VSTORE(VLOAD(1, from), 1, to);
        }
    }
}

/* A piece of all panels as floats. */
INLINE void NAME(widening_load)(constant struct widening_params *p, const struct widening_tile *t,
                                const struct epilogue_state *e, i64 begin, i64 depth, float *piece) {
    i64 offset = t->at.weights + begin * p->gemm.weights_depth, width = p->panels * PANEL;
    if (p->blocked) {
        NAME(widening_copy)(p, t, offset, depth, piece);
        return;
    }
    if (p->weights_channel == 1)
        widen_block(piece, width, t->weights, p->weights_type, offset, p->gemm.weights_depth, depth,
                    t->channels);
    else
        widening_turn(p, t, offset, depth, width, piece);
    if (t->columns <= HEIGHT) widening_ahead(p, t, begin);
    if (p->compressed) widening_decompress(p, t, e, begin, depth, width, piece);
}

/* The panel of a block that the n-th tile asks for, in the piece that follows step `begin`: the next one, or
 * after the last one that of the next block. NULL: none. */
INLINE global const float *NAME(widening_next)(constant struct widening_params *p,
                                               const struct widening_tile *t, i64 begin, int n) {
    const bool last = begin + p->piece >= p->gemm.depth;
    i64 offset = last ? p->panels * p->gemm.weights_panel : (begin + p->piece) * p->gemm.weights_depth;
    if (!p->blocked || n >= p->panels) return 0;
    return (global const float *)t->weights + t->at.weights + offset + n * p->gemm.weights_panel;
}

/* Asks for dst of a tile, which is there when its sums are. */
INLINE void NAME(widening_ask)(constant struct widening_params *p, const struct widening_tile *t, int panel,
                               int first, int columns) {
    global float *dst = (global float *)t->dst + t->at.dst + first * p->gemm.dst_column + panel * PANEL;
    if (p->gemm.epilogue.type != TYPE_F32) return;
#pragma nounroll
    for (int r = 0; r < columns; r++, dst += p->gemm.dst_column) {
        PREFETCH(dst);
        PREFETCH(dst + LANES);
    }
}

/* Stores the sums of m columns, whole vectors of f32, from registers. */
INLINE void NAME(widening_store)(constant struct widening_params *p, const struct widening_tile *t, int panel,
                                 i64 first, const int m, const VEC *acc) {
    global float *dst = (global float *)t->dst + t->at.dst + first * p->gemm.dst_column + panel * PANEL;
#pragma unroll
    for (int r = 0; r < m; r++) {
        VSTORE(acc[2 * r], 0, dst + r * p->gemm.dst_column);
        VSTORE(acc[2 * r + 1], 1, dst + r * p->gemm.dst_column);
    }
}

/* out[r][v] += columns of src times a piece of one panel. The first piece of floats begins with 0; if it is
 * the only one and nothing follows (`direct`), sums are stored. */
INLINE void NAME(widening_piece)(constant struct widening_params *p, const struct widening_tile *t, int panel,
                                 i64 first, i64 begin, i64 depth, private const float *piece,
                                 global const float *ahead, bool direct, const int m, VEC *out) {
    constant struct gemm_params *g = &p->gemm;
    const bool integers = p->integers != 0;
    VEC acc[2 * HEIGHT];
#pragma unroll
    for (int i = 0; i < 2 * m; i++)
        acc[i] = integers || begin == 0 ? V(0.0f) : out[i];
    NAME(gemm_steps)(t->src + t->at.src + first * g->src_column + begin, g->src_column, piece,
                     p->blocked ? PANEL : p->panels * PANEL, 0, depth, ahead, g->weights_depth, PANEL / 16, m,
                     1, acc);
    if (direct) {
        NAME(widening_store)(p, t, panel, first, m, acc);
        return;
    }
#pragma unroll
    for (int i = 0; i < 2 * m; i++)
        out[i] = integers ? AS_VEC(AS_IVEC(out[i]) + TO_IVEC(acc[i])) : acc[i];
}

/* Range: blocks of columns, groups of panels, batches. */
#if WANTED(NAME(widening_gemm))
kernel void NAME(widening_gemm)(ITEM global const float *src, global const uchar *weights,
                                global const uchar *bias, global uchar *dst, EPILOGUE_ARGS,
                                constant struct widening_params *p) {
    constant struct gemm_params *g = &p->gemm;
    struct epilogue_state e = EPILOGUE_STATE(&g->epilogue);
    struct widening_tile t = {.src = src, .weights = weights, .bias = bias, .dst = dst};
    const int width = (int)p->panels * PANEL;
    t.at = gemm_place(g, scalars.step, get_global_id(0), get_global_id(1) * p->panels, get_global_id(2),
                      PANEL);
    t.columns = (int)(g->columns - t.at.column < g->tile ? g->columns - t.at.column : g->tile);
    t.channels = (int)(g->channels - t.at.channel < width ? g->channels - t.at.channel : width);
    VEC out[2 * WIDENING_BLOCK], space[2 * WIDENING_PIECE * WIDENING_PANELS];
    struct widening_sums sums;
    if (p->integers) widening_count_begin(&sums);
    const bool direct = p->direct && t.channels == width;
    for (int i = 0; i < 2 * t.columns * (int)p->panels && (p->integers || g->depth == 0); i++)
        out[i] = V(0.0f);
    for (int i = 0; i < 2 * WIDENING_PIECE * WIDENING_PANELS && t.channels < width; i++)
        space[i] = V(0.0f);
    for (i64 begin = 0; begin < g->depth; begin += p->piece) {
        i64 depth = g->depth - begin < p->piece ? g->depth - begin : p->piece;
        int tile = 0;
        NAME(widening_load)(p, &t, &e, begin, depth, (private float *)space);
        if (p->integers) widening_count(p, &t, begin, depth, width, (private float *)space, &sums);
        for (int panel = 0; panel * PANEL < t.channels; panel++)
            for (int first = 0, columns; first < t.columns; first += columns, tile++) {
                int tiles = (t.columns - first + HEIGHT - 1) / HEIGHT;
              private
                const float *piece =
                        (private float *)space + panel * PANEL * (p->blocked ? WIDENING_PIECE : 1);
                global const float *ahead = NAME(widening_next)(p, &t, begin, tile);
                VEC *to = out + 2 * (panel * t.columns + first);
                columns = (t.columns - first + tiles - 1) / tiles;
                if (begin + p->piece >= g->depth) NAME(widening_ask)(p, &t, panel, first, columns);
#define ONE_PIECE(m) NAME(widening_piece)(p, &t, panel, first, begin, depth, piece, ahead, direct, m, to)
                EACH_HEIGHT(columns, ONE_PIECE)
#undef ONE_PIECE
            }
    }
    for (int panel = 0; panel * PANEL < t.channels && !direct; panel++)
        widening_finish(p, &t, &e, panel * PANEL, PANEL, &sums,
                        (private float *)(out + 2 * panel * t.columns));
}
#endif

#undef PANEL
#undef EACH_HEIGHT
#undef LANES
#undef NAME
#undef HEIGHT
#undef KEEP
