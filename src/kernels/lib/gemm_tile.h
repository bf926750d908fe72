/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tile of gemm.cl for one register file: HEIGHT columns by two vectors of LANES floats. Included once per
 * shape; NAME(x) appends the shape to a name.
 */
#include "kernels/lib/lanes.h"
#include "kernels/lib/memory_lanes.h"

#define SPACE global
#include "kernels/lib/gemm_steps.h"

/* gemm_steps for the first vector of a panel alone. */
INLINE void NAME(gemm_half_steps)(global const float *a, const i64 column, global const float *w,
                                  const i64 step, const i64 depth, const int m, VEC *acc) {
#pragma nounroll
    for (i64 i = 0; i < depth; i++, w += step) {
        const VEC w0 = VLOAD(0, w);
#pragma unroll
        for (int r = 0; r < m; r++)
            acc[2 * r] = fma((VEC)(a[r * column + i]), w0, acc[2 * r]);
    }
}

/* acc[panel][r][v]: the whole reduction, tap by tap of the window. `one`: v is 0. */
INLINE void NAME(gemm_sums)(constant struct gemm_params *p, const struct gemm_tile *t,
                            const struct gemm_taps *taps, const int m, const int panels, const bool one,
                            VEC *acc) {
#pragma unroll
    for (int r = 0; r < 2 * m * panels; r++)
        acc[r] = (VEC)(0.0f);
    EACH_TAP(p, taps) {
        global const float *src = t->src + (t->at.src + from);
        if (one)
            NAME(gemm_half_steps)(src, p->src_column, t->weights + by, p->weights_depth, p->depth, m, acc);
        else
            NAME(gemm_steps)(src, p->src_column, t->weights + by, p->weights_depth, p->weights_panel,
                             p->depth, 0, 0, 0, m, panels, acc);
    }
}

/* out[r][v] += some taps along a row, one after the other. */
INLINE void NAME(gemm_along)(constant struct gemm_params *p, global const float *src,
                             global const float *weights, i64 taps, const int m, const bool one, VEC *out) {
    const i64 column = p->src_column, step = p->weights_depth, depth = p->edge_depth;
    VEC acc[2 * HEIGHT];
    NAME(gemm_move)(acc, out, 2 * m);
#pragma nounroll
    for (i64 k = 0; k < taps; k++, src += p->edge_src, weights += p->edge_weights) {
        if (one)
            NAME(gemm_half_steps)(src, column, weights, step, depth, m, acc);
        else
            NAME(gemm_steps)(src, column, weights, step, 0, depth, 0, 0, 0, m, 1, acc);
    }
    NAME(gemm_move)(out, acc, 2 * m);
}

/* out[r][v]: the whole reduction of a tile at the border of an image without padding. Taps along a row
 * are computed for the columns that have them. */
INLINE void NAME(gemm_edge)(constant struct gemm_params *p, const struct gemm_tile *t,
                            const struct gemm_taps *taps, int columns, bool one, VEC *out) {
    for (int r = 0; r < 2 * columns; r++)
        out[r] = (VEC)(0.0f);
    struct gemm_edge edge;
#define WHOLE_TAP(m)                                                                                         \
    NAME(gemm_along)(p, t->src + edge.from, t->weights + edge.by, edge.taps, m, false,                       \
                     out + 2 * edge.in.first)
#define HALF_TAP(m)                                                                                          \
    NAME(gemm_along)(p, t->src + edge.from, t->weights + edge.by, edge.taps, m, true, out + 2 * edge.in.first)
    EACH_EDGE_RUN(p, taps, &t->at, columns, edge) {
        if (one)
            EACH_HEIGHT(edge.in.last - edge.in.first, HALF_TAP)
        else
            EACH_HEIGHT(edge.in.last - edge.in.first, WHOLE_TAP)
    }
#undef HALF_TAP
#undef WHOLE_TAP
}

/* The sums of a tile at the border of an image with windows of three taps along a row, of which the first is
 * outside for the first column if `left`, and the last for the last column if `right`. */
INLINE void NAME(gemm_border_sums)(constant struct gemm_params *p, const struct gemm_tile *t,
                                   const struct gemm_taps *taps, const struct gemm_border *border,
                                   const int m, VEC *acc) {
    const i64 column = p->src_column, step = p->weights_depth, depth = p->edge_depth;
#pragma unroll
    for (int r = 0; r < 2 * m; r++)
        acc[r] = (VEC)(0.0f);
    EACH_TAP_ALONG(p, taps, 1) {
        global const float *src = t->src + (t->at.src + from), *weights = t->weights + by;
        if (border->left)
            NAME(gemm_steps)(src + column, column, weights, step, 0, depth, 0, 0, 0, m - 1, 1, acc + 2);
        else
            NAME(gemm_steps)(src, column, weights, step, 0, depth, 0, 0, 0, m, 1, acc);
        src += p->edge_src, weights += p->edge_weights;
        NAME(gemm_steps)(src, column, weights, step, 0, depth, 0, 0, 0, m, 1, acc);
        src += p->edge_src, weights += p->edge_weights;
        if (border->right)
            NAME(gemm_steps)(src, column, weights, step, 0, depth, 0, 0, 0, m - 1, 1, acc);
        else
            NAME(gemm_steps)(src, column, weights, step, 0, depth, 0, 0, 0, m, 1, acc);
    }
}

/* A loop over both vectors, or the first alone, of m columns. */
#define EACH_SUM(m, one)                                                                                     \
    _Pragma("unroll") for (int c = 0; c < (m); c++)                                                          \
            _Pragma("unroll") for (int v = 0; v < ((one) ? 1 : 2); v++)

/* Bias, the sum with dst, limits and stores of a tile whose vectors are whole, from registers. */
INLINE void NAME(gemm_store_direct)(constant struct gemm_params *p, const struct gemm_tile *t, const int m,
                                    const bool one, VEC *acc) {
    global float *dst = (global float *)t->dst + t->at.dst;
    const i64 column = p->dst_column;
    if (p->has_bias) {
        global const float *bias = (global const float *)t->bias + t->at.bias;
        EACH_SUM(m, one) acc[2 * c + v] += VLOAD(v, bias);
    }
    if (p->adds) EACH_SUM(m, one) acc[2 * c + v] += VLOAD(v, dst + c * column);
    if (p->limits > 0) {
        const VEC low = V(p->low);
        EACH_SUM(m, one) acc[2 * c + v] = acc[2 * c + v] > low ? acc[2 * c + v] : low;
    }
    if (p->limits > 1) {
        const VEC high = V(p->high);
        EACH_SUM(m, one) acc[2 * c + v] = acc[2 * c + v] > high ? high : acc[2 * c + v];
    }
    EACH_SUM(m, one) VSTORE(acc[2 * c + v], v, dst + c * column);
}
#undef EACH_SUM

/* A tile of one panel: stored if `direct`, otherwise out[r][v]. */
INLINE void NAME(gemm_tile)(constant struct gemm_params *p, const struct gemm_tile *t,
                            const struct gemm_taps *taps, const int m, const bool one, const bool direct,
                            VEC *out) {
    VEC acc[2 * HEIGHT];
    NAME(gemm_sums)(p, t, taps, m, 1, one, acc);
    if (direct)
        NAME(gemm_store_direct)(p, t, m, one, acc);
    else
        NAME(gemm_move)(out, acc, 2 * m);
}

/* The same at the border. */
INLINE void NAME(gemm_border_tile)(constant struct gemm_params *p, const struct gemm_tile *t,
                                   const struct gemm_taps *taps, const struct gemm_border *border,
                                   const int m, const bool direct, VEC *out) {
    VEC acc[2 * HEIGHT];
    NAME(gemm_border_sums)(p, t, taps, border, m, acc);
    if (direct)
        NAME(gemm_store_direct)(p, t, m, false, acc);
    else
        NAME(gemm_move)(out, acc, 2 * m);
}

/* Steps of the reduction at a time: 16 KB of a panel. */
enum { NAME(DEEP_PIECE) = 2048 / LANES };

/* out[r][v] += a piece of the reduction, starting at step `begin`. Meanwhile the next piece is asked for: by
 * each of the first tiles one line of every step, so that not one of them waits for all. */
INLINE void NAME(gemm_piece)(constant struct gemm_params *p, const struct gemm_tile *t, i64 first, i64 begin,
                             i64 depth, const int m, VEC *out) {
    enum { LINE = 16 };
    VEC acc[2 * HEIGHT];
    NAME(gemm_move)(acc, out, 2 * m);
    global const float *weights = t->weights + begin * p->weights_depth;
    const i64 line = first / p->tile * LINE;
    NAME(gemm_steps)(t->src + (t->at.src + first * p->src_column + begin), p->src_column, weights,
                     p->weights_depth, 0, depth,
                     line < 2 * LANES ? weights + NAME(DEEP_PIECE) * p->weights_depth + line : 0,
                     p->weights_depth, 1, m, 1, acc);
    NAME(gemm_move)(out, acc, 2 * m);
}

/* A tile of whole vectors of f32 that only a bias and an activation are applied to. */
INLINE void NAME(gemm_store_plain)(constant struct gemm_params *p, const struct gemm_tile *t, int columns,
                                   const VEC *out) {
    global float *dst = (global float *)t->dst + t->at.dst;
    VEC b0 = V(-0.0f), b1 = V(-0.0f); /* change nothing */
    if (p->has_bias) {
        global const float *bias = (global const float *)t->bias + t->at.bias;
        b0 = VLOAD(0, bias), b1 = VLOAD(1, bias);
    }
#pragma nounroll
    for (int r = 0; r < columns; r++, dst += p->dst_column, out += 2) {
        VEC x0 = out[0] + b0, x1 = out[1] + b1;
        if (p->adds) {
            x0 += VLOAD(0, dst);
            x1 += VLOAD(1, dst);
        }
        VSTORE(activation_apply(&p->activation, x0), 0, dst);
        VSTORE(activation_apply(&p->activation, x1), 1, dst);
    }
}

/* The same for the last panel, of which `count` channels exist. */
INLINE void NAME(gemm_store_edge)(constant struct gemm_params *p, const struct gemm_tile *t, int columns,
                                  int count, const VEC *out) {
    global float *dst = (global float *)t->dst + t->at.dst;
    VEC bias[2] = {V(-0.0f), V(-0.0f)};
    for (int v = 0; v < 2 && p->has_bias && v * LANES < count; v++)
        load_lanes(&bias[v], (global const float *)t->bias + t->at.bias + v * LANES, count - v * LANES, 0.0f);
#pragma nounroll
    for (int r = 0; r < columns; r++, dst += p->dst_column, out += 2)
#pragma unroll
        for (int v = 0; v < 2; v++) {
            const int left = count - v * LANES;
            VEC x = out[v] + bias[v], before;
            if (left <= 0) break;
            if (p->adds) {
                load_lanes(&before, dst + v * LANES, left, 0.0f);
                x += before;
            }
            store_lanes(activation_apply(&p->activation, x), dst + v * LANES, left);
        }
}

/* Columns of which `left` channels exist. */
INLINE void NAME(gemm_store_columns)(constant struct gemm_params *p, const struct gemm_tile *t,
                                     const struct epilogue_state *e, int columns, i64 left, VEC *out) {
    if (p->plain && left >= 2 * LANES)
        NAME(gemm_store_plain)(p, t, columns, out);
    else if (p->plain)
        NAME(gemm_store_edge)(p, t, columns, (int)left, out);
    else
        gemm_store_block(p, t, e, columns, (int)(left < 2 * LANES ? left : 2 * LANES), 2 * LANES,
                         (private float *)out);
}

/* The last column of a row may have fewer channels. */
INLINE void NAME(gemm_store_tile)(constant struct gemm_params *p, const struct gemm_tile *t,
                                  const struct epilogue_state *e, int columns, VEC *out) {
    const i64 left = p->channels - t->at.channel, rest = left - p->missing;
    struct gemm_tile last = *t;
    if (p->missing == 0 || t->at.column + columns < p->columns) {
        NAME(gemm_store_columns)(p, t, e, columns, left, out);
        return;
    }
    gemm_move_on(p, &last, columns - 1);
    if (columns > 1) NAME(gemm_store_columns)(p, t, e, columns - 1, left, out);
    if (rest > 0) NAME(gemm_store_columns)(p, &last, e, 1, rest, out + 2 * (columns - 1));
}

/* Asks for the dst that a tile is added to, which is there when its sums are. */
INLINE void NAME(gemm_ask)(constant struct gemm_params *p, const struct gemm_tile *t, int columns) {
    global float *dst = (global float *)t->dst + t->at.dst;
#pragma nounroll
    for (int r = 0; r < columns; r++, dst += p->dst_column) {
        PREFETCH(dst);
        PREFETCH(dst + LANES);
    }
}

/* A tile of m columns by two whole panels, stored from registers. */
INLINE void NAME(gemm_two)(constant struct gemm_params *p, const struct gemm_tile *t,
                           const struct gemm_taps *taps, const int m) {
    struct gemm_tile next = *t;
    VEC acc[2 * HEIGHT];
    NAME(gemm_sums)(p, t, taps, m, 2, false, acc);
    NAME(gemm_store_direct)(p, t, m, false, acc);
    gemm_move_across(p, &next, 1, 2 * LANES);
    NAME(gemm_store_direct)(p, &next, m, false, acc + 2 * m);
}

/* A run of tiles of one panel. Those of few columns also compute the next panel if `two`, and are left out if
 * that has been done. */
INLINE void NAME(gemm_tiles)(constant struct gemm_params *p, struct gemm_tile t,
                             const struct epilogue_state *e, const struct gemm_run *run, bool two,
                             bool done) {
    const struct gemm_taps taps = gemm_taps(p, &t.at);
    const i64 left = p->channels - t.at.channel;
    const bool direct = p->direct && (left >= 2 * LANES || left == LANES);
    VEC out[2 * HEIGHT];
    for (i64 i = run->first; i < run->last; i++) {
        const int columns = gemm_columns(p, i);
        const bool outside = p->edge_depth > 0 && !gemm_is_inside(p, t.at.column, columns);
        const struct gemm_border border = gemm_border(p, t.at.column, columns, outside && left > LANES);
        const bool edge = outside && !border.simple;
        if (p->adds) NAME(gemm_ask)(p, &t, columns);
#define TWO_PANELS(m) NAME(gemm_two)(p, &t, &taps, m)
#define BORDER_TILE(m) NAME(gemm_border_tile)(p, &t, &taps, &border, m, direct, out)
#define WHOLE_TILE(m) NAME(gemm_tile)(p, &t, &taps, m, false, direct, out)
#define HALF_TILE(m) NAME(gemm_tile)(p, &t, &taps, m, true, direct, out)
        if (edge) {
            NAME(gemm_edge)(p, &t, &taps, columns, left <= LANES, out);
        } else if (outside) {
            EACH_HEIGHT(columns, BORDER_TILE)
        } else if (two && columns <= GEMM_FEW_COLUMNS) {
            if (!done) EACH_FEW(columns, TWO_PANELS)
        } else if (left > LANES) {
            EACH_HEIGHT(columns, WHOLE_TILE)
        } else {
            EACH_HEIGHT(columns, HALF_TILE)
        }
#undef HALF_TILE
#undef WHOLE_TILE
#undef BORDER_TILE
#undef TWO_PANELS
        if (edge || !direct) NAME(gemm_store_tile)(p, &t, e, columns, out);
        gemm_move_on(p, &t, columns);
    }
}

/* Range: runs of tiles of a row x rows, panels or pairs of them, batches. */
#if WANTED(NAME(f32_gemm))
kernel void NAME(f32_gemm)(ITEM global const float *src, global const float *weights,
                           global const uchar *bias, global uchar *dst, EPILOGUE_ARGS,
                           constant struct gemm_params *p) {
    struct epilogue_state e = EPILOGUE_STATE(&p->epilogue);
    const struct gemm_run run = gemm_run(p, GEMM_TILE(p));
    struct gemm_tile t = gemm_locate(p, scalars.step, src, weights, bias, dst, run.row * p->tiles + run.first,
                                     GEMM_PANEL(p) * p->panels, get_global_id(2), 2 * LANES);
    const bool two = p->panels == 2 && p->direct && p->channels - t.at.channel >= 4 * LANES;
    for (i32 n = 0; n < p->panels; n++, gemm_move_across(p, &t, 1, 2 * LANES))
        NAME(gemm_tiles)(p, t, &e, &run, two, n > 0);
}
#endif

/* For few columns and long reductions, which are bound by reading the weights: each work-item reads its panel
 * once, in pieces that stay in the L1 cache while all tiles use them. Range: 1, panels, batches. */
#if WANTED(NAME(f32_gemm_deep))
kernel void NAME(f32_gemm_deep)(ITEM global const float *src, global const float *weights,
                                global const uchar *bias, global uchar *dst, EPILOGUE_ARGS,
                                constant struct gemm_params *p) {
    struct epilogue_state e = EPILOGUE_STATE(&p->epilogue);
    struct gemm_tile t = gemm_locate(p, scalars.step, src, weights, bias, dst, 0, get_global_id(1),
                                     get_global_id(2), 2 * LANES);
    VEC out[2 * GEMM_DEEP_COLUMNS];
    for (int i = 0; i < 2 * p->columns; i++)
        out[i] = (VEC)(0.0f);
    for (i64 begin = 0; begin < p->depth; begin += NAME(DEEP_PIECE)) {
        i64 depth = p->depth - begin < NAME(DEEP_PIECE) ? p->depth - begin : NAME(DEEP_PIECE);
        for (i64 first = 0; first < p->columns; first += p->tile) {
            int columns = (int)(p->columns - first < p->tile ? p->columns - first : p->tile);
#define ONE_PIECE(m) NAME(gemm_piece)(p, &t, first, begin, depth, m, out + 2 * first)
            EACH_HEIGHT(columns, ONE_PIECE)
#undef ONE_PIECE
        }
    }
    NAME(gemm_store_tile)(p, &t, &e, (int)p->columns, out);
}
#endif

/* One column by GEMM_WIDE_PANELS panels: enough independent chains to hide the latency of fma.
 * Range: 1, groups of panels, batches. */
#if WANTED(NAME(f32_gemm_wide))
kernel void NAME(f32_gemm_wide)(ITEM global const float *src, global const float *weights,
                                global const uchar *bias, global uchar *dst, EPILOGUE_ARGS,
                                constant struct gemm_params *p) {
    struct epilogue_state e = EPILOGUE_STATE(&p->epilogue);
    i64 panel = get_global_id(1) * GEMM_WIDE_PANELS;
    struct gemm_tile t =
            gemm_locate(p, scalars.step, src, weights, bias, dst, 0, panel, get_global_id(2), 2 * LANES);
    i64 panels = (p->channels - t.at.channel + 2 * LANES - 1) / (2 * LANES);
    const struct gemm_taps taps = gemm_taps(p, &t.at);
    VEC out[2 * GEMM_WIDE_PANELS];
    if (panels >= GEMM_WIDE_PANELS) {
        VEC acc[2 * GEMM_WIDE_PANELS];
        panels = GEMM_WIDE_PANELS;
        NAME(gemm_sums)(p, &t, &taps, 1, GEMM_WIDE_PANELS, false, acc);
        NAME(gemm_move)(out, acc, 2 * GEMM_WIDE_PANELS);
    } else {
        for (int i = 0; i < panels; i++, gemm_move_across(p, &t, 1, 2 * LANES))
            NAME(gemm_tile)(p, &t, &taps, 1, false, false, out + 2 * i);
        gemm_move_across(p, &t, -panels, 2 * LANES);
    }
    for (int i = 0; i < panels; i++, gemm_move_across(p, &t, 1, 2 * LANES))
        NAME(gemm_store_tile)(p, &t, &e, 1, out + 2 * i);
}
#endif

#undef EACH_HEIGHT
#undef SPACE
#undef LANES
#undef NAME
#undef HEIGHT
#undef KEEP
