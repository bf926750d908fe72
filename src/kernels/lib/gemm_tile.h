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

/* out[panel][r][v]: the whole reduction, tap by tap of the window. `one`: v is 0. */
INLINE void NAME(gemm_tile)(constant struct gemm_params *p, const struct gemm_tile *t, const int m,
                            const int panels, const bool one, VEC *out) {
    const struct gemm_taps taps = gemm_taps(p, &t->at);
    VEC acc[2 * HEIGHT];
#pragma unroll
    for (int r = 0; r < 2 * m * panels; r++)
        acc[r] = (VEC)(0.0f);
    EACH_TAP(p, &taps) {
        if (one)
            NAME(gemm_half_steps)(t->src + from, p->src_column, t->weights + by, p->weights_depth, p->depth,
                                  m, acc);
        else
            NAME(gemm_steps)(t->src + from, p->src_column, t->weights + by, p->weights_depth,
                             p->weights_panel, p->depth, 0, 0, m, panels, acc);
    }
    NAME(gemm_move)(out, acc, 2 * m * panels);
}

/* out[r][v] += a piece of the reduction, starting at step `begin`. */
INLINE void NAME(gemm_piece)(constant struct gemm_params *p, const struct gemm_tile *t, i64 first, i64 begin,
                             i64 depth, const int m, VEC *out) {
    VEC acc[2 * HEIGHT];
    NAME(gemm_move)(acc, out, 2 * m);
    global const float *weights = t->weights + begin * p->weights_depth;
    NAME(gemm_steps)(t->src + first * p->src_column + begin, p->src_column, weights, p->weights_depth, 0,
                     depth, weights + GEMM_DEEP_PIECE * p->weights_depth, p->weights_depth, m, 1, acc);
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
        if (p->activation.alg) {
            x0 = activation_apply(&p->activation, x0);
            x1 = activation_apply(&p->activation, x1);
        }
        if (p->adds) {
            x0 = activation_apply(&p->after, x0 + VLOAD(0, dst));
            x1 = activation_apply(&p->after, x1 + VLOAD(1, dst));
        }
        VSTORE(x0, 0, dst);
        VSTORE(x1, 1, dst);
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
            VEC x = activation_apply(&p->activation, out[v] + bias[v]);
            if (left <= 0) break;
            if (p->adds && left >= LANES) x = activation_apply(&p->after, x + VLOAD(v, dst));
            if (!p->adds || left >= LANES) {
                store_lanes(x, dst + v * LANES, left);
                continue;
            }
            float more[LANES];
            VSTORE(x, 0, more);
#pragma nounroll
            for (int i = 0; i < left; i++)
                dst[v * LANES + i] = activation_apply(&p->after, more[i] + dst[v * LANES + i]);
        }
}

INLINE void NAME(gemm_store_tile)(constant struct gemm_params *p, const struct gemm_tile *t,
                                  const struct epilogue_state *e, int columns, VEC *out) {
    const i64 left = p->channels - t->at.channel;
    if (p->plain && left >= 2 * LANES)
        NAME(gemm_store_plain)(p, t, columns, out);
    else if (p->plain)
        NAME(gemm_store_edge)(p, t, columns, (int)left, out);
    else
        gemm_store_block(p, t, e, columns, 2 * LANES, (private float *)out);
}

/* Asks for the dst of a tile, which is there when its sums are. */
INLINE void NAME(gemm_ask)(constant struct gemm_params *p, const struct gemm_tile *t, int columns) {
    global float *dst = (global float *)t->dst + t->at.dst;
    if (!p->plain) return;
#pragma nounroll
    for (int r = 0; r < columns; r++, dst += p->dst_column) {
        PREFETCH(dst);
        PREFETCH(dst + LANES);
    }
}

/* Range: tiles of a row x rows, panels, batches. */
#if WANTED(NAME(f32_gemm))
kernel void NAME(f32_gemm)(ITEM global const float *src, global const float *weights,
                           global const uchar *bias, global uchar *dst, EPILOGUE_ARGS,
                           constant struct gemm_params *p) {
    struct epilogue_state e = EPILOGUE_STATE(&p->epilogue);
    struct gemm_tile t = gemm_locate(p, scalars.step, src, weights, bias, dst, GEMM_TILE(p), GEMM_PANEL(p),
                                     get_global_id(2), 2 * LANES);
    int columns = (int)(p->columns - t.at.column < p->tile ? p->columns - t.at.column : p->tile);
    VEC out[2 * HEIGHT];
    NAME(gemm_ask)(p, &t, columns);
#define WHOLE_TILE(m) NAME(gemm_tile)(p, &t, m, 1, false, out)
#define HALF_TILE(m) NAME(gemm_tile)(p, &t, m, 1, true, out)
    if (p->channels - t.at.channel > LANES)
        EACH_HEIGHT(columns, WHOLE_TILE)
    else
        EACH_HEIGHT(columns, HALF_TILE)
#undef HALF_TILE
#undef WHOLE_TILE
    NAME(gemm_store_tile)(p, &t, &e, columns, out);
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
    for (i64 begin = 0; begin < p->depth; begin += GEMM_DEEP_PIECE) {
        i64 depth = p->depth - begin < GEMM_DEEP_PIECE ? p->depth - begin : GEMM_DEEP_PIECE;
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
    VEC out[2 * GEMM_WIDE_PANELS];
    if (panels >= GEMM_WIDE_PANELS) {
        panels = GEMM_WIDE_PANELS;
        NAME(gemm_tile)(p, &t, 1, GEMM_WIDE_PANELS, false, out);
    } else {
        for (int i = 0; i < panels; i++) {
            struct gemm_tile one = t;
            one.weights += i * p->weights_panel;
            NAME(gemm_tile)(p, &one, 1, 1, false, out + 2 * i);
        }
    }
    for (int i = 0; i < panels; i++, t.at.channel += 2 * LANES, t.at.dst += 2 * LANES, t.at.bias += 2 * LANES)
        NAME(gemm_store_tile)(p, &t, &e, 1, out + 2 * i);
}
#endif

#undef EACH_HEIGHT
#undef SPACE
#undef LANES
#undef NAME
#undef HEIGHT
#undef KEEP
