/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tile of widening.cl for one register file: HEIGHT columns by two vectors of LANES floats. Included once
 * per shape; NAME(x) appends the shape to a name.
 */
#include "kernels/lib/lanes.h"
#include "kernels/lib/store_lanes.h"
#include "kernels/lib/gemm_steps.h"
#include "kernels/lib/widen_lanes.h"

#define PANEL (2 * LANES)

/* Weights whose channels are not dense: rows along the reduction are transposed. */
INLINE void NAME(widening_transpose)(constant struct widening_params *p, const struct widening_tile *t,
                                     i64 offset, i64 depth, float *piece) {
    float along[WIDENING_PIECE];
    for (int n = 0; n < t->channels; n++, offset += p->weights_channel) {
        if (p->gemm.weights_depth == 1)
            NAME(widen_block)(along, 0, t->weights, p->weights_type, offset, 0, 1, depth);
        else
            NAME(widen_each)(along, t->weights, p->weights_type, offset, p->gemm.weights_depth, 0, depth);
#pragma nounroll
        for (i64 k = 0; k < depth; k++)
            piece[k * PANEL + n] = along[k];
    }
}

/* A parameter of the panel's channels at one step. */
INLINE void NAME(widening_quant)(const struct widening_tile *t, const struct epilogue_state *e,
                                 constant struct quant_source *q, const i64 *position, int dim, float none,
                                 float *to) {
    if (q->from != QUANT_BUFFER || q->stride[dim] == 0) {
        float value = quant_value(e, q, position, none);
        VSTORE(V(value), 0, to);
        VSTORE(V(value), 1, to);
        return;
    }
    i64 first = quant_offset(q, position), group = q->group[dim], start = position[dim] % group;
    if (group == 1 && q->stride[dim] == 1) {
        NAME(widen_block)(to, 0, e->buffers[q->index], q->type, first, 0, 1, t->channels);
        return;
    }
#pragma nounroll
    for (int n = 0; n < t->channels; n++)
        to[n] = load_f32(e->buffers[q->index], q->type, first + (start + n) / group * q->stride[dim]);
}

/* Zero points and scales of a piece. */
INLINE void NAME(widening_decompress)(constant struct widening_params *p, const struct widening_tile *t,
                                      const struct epilogue_state *e, i64 begin, i64 depth, float *piece) {
    const int dim = p->depth_dim, channel_dim = p->gemm.channel_dim;
    i64 position[TENSOR_DIMS];
    float zero[PANEL], scale[PANEL];
    gemm_position(&p->gemm, &t->at, 0, t->at.channel, position);
    VSTORE(V(0.0f), 0, zero);
    VSTORE(V(0.0f), 1, zero);
    VSTORE(V(0.0f), 0, scale);
    VSTORE(V(0.0f), 1, scale);
    for (i64 k = begin, next; k < begin + depth; k = next) {
        position[dim] = k;
        next = next_group(&p->weights_scale, dim, k,
                          next_group(&p->weights_zero_point, dim, k, begin + depth));
        NAME(widening_quant)(t, e, &p->weights_zero_point, position, channel_dim, 0.0f, zero);
        NAME(widening_quant)(t, e, &p->weights_scale, position, channel_dim, 1.0f, scale);
        for (float *row = piece + (k - begin) * PANEL; row < piece + (next - begin) * PANEL; row += LANES) {
            int side = (int)((row - piece) & LANES);
            VSTORE((VLOAD(0, row) - VLOAD(0, zero + side)) * VLOAD(0, scale + side), 0, row);
        }
    }
}

/* A piece of the panel as floats. */
INLINE void NAME(widening_load)(constant struct widening_params *p, const struct widening_tile *t,
                                const struct epilogue_state *e, i64 begin, i64 depth, float *piece) {
    i64 offset = t->at.weights + begin * p->gemm.weights_depth;
    for (i64 i = 0; t->channels < PANEL && i < depth * PANEL; i += LANES)
        VSTORE(V(0.0f), 0, piece + i);
    if (p->weights_channel == 1)
        NAME(widen_block)(piece, PANEL, t->weights, p->weights_type, offset, p->gemm.weights_depth, depth,
                          t->channels);
    else
        NAME(widening_transpose)(p, t, offset, depth, piece);
    if (p->compressed) NAME(widening_decompress)(p, t, e, begin, depth, piece);
}

/* out[r][v] += columns of src times a piece. */
INLINE void NAME(widening_piece)(constant struct gemm_params *g, const struct widening_tile *t, i64 first,
                                 i64 begin, i64 depth, private const float *piece, const int m, VEC *out) {
    VEC acc[2 * HEIGHT];
    NAME(gemm_move)(acc, out, 2 * m);
    NAME(gemm_steps)(t->src + t->at.src + first * g->src_column + begin, g->src_column, piece, PANEL, 0,
                     depth, 0, m, 1, acc);
    NAME(gemm_move)(out, acc, 2 * m);
}

INLINE VEC NAME(widening_bias)(constant struct widening_params *p, const struct widening_tile *t, int v,
                               int count) {
    float lanes[LANES];
    VSTORE(V(0.0f), 0, lanes);
    NAME(widen_block)(lanes, 0, t->bias, p->bias_type, t->at.bias + v * LANES, 0, 1, count);
    return VLOAD(0, lanes);
}

/* Finishes and stores vector v of column r. */
INLINE void NAME(widening_store)(constant struct widening_params *p, const struct widening_tile *t,
                                 const struct epilogue_state *e, VEC bias, VEC x, int r, int v) {
    constant struct gemm_params *g = &p->gemm;
    int count = t->channels - v * LANES < LANES ? t->channels - v * LANES : LANES;
    i64 position[TENSOR_DIMS];
    if (p->scaled || p->finished)
        gemm_position(g, &t->at, t->at.column + r, t->at.channel + v * LANES, position);
    if (p->scaled) epilogue_scale(e, &x, position, g->channel_dim, count);
    if (g->has_bias) x += bias;
    x = activation_apply(&g->activation, x);
    if (p->finished) epilogue_apply(e, &x, position, g->channel_dim, count);
    store_lanes(t->dst, g->epilogue.type, t->at.dst + r * g->dst_column + v * LANES, x, count);
}

/* Range: blocks of columns, panels, batches. */
#if WANTED(NAME(widening_gemm))
kernel void NAME(widening_gemm)(ITEM global const float *src, global const uchar *weights,
                                global const uchar *bias, global uchar *dst, EPILOGUE_ARGS,
                                constant struct widening_params *p) {
    constant struct gemm_params *g = &p->gemm;
    struct epilogue_state e = EPILOGUE_STATE(&g->epilogue);
    struct widening_tile t = {.src = src, .weights = weights, .bias = bias, .dst = dst};
    t.at = gemm_place(g, scalars.step, get_global_id(0), get_global_id(1), get_global_id(2), PANEL);
    t.columns = (int)(g->columns - t.at.column < g->tile ? g->columns - t.at.column : g->tile);
    t.channels = (int)(g->channels - t.at.channel < PANEL ? g->channels - t.at.channel : PANEL);
    VEC out[2 * WIDENING_COLUMNS], piece[2 * WIDENING_PIECE];
    for (int i = 0; i < 2 * t.columns; i++)
        out[i] = V(0.0f);
    for (i64 begin = 0; begin < g->depth; begin += WIDENING_PIECE) {
        i64 depth = g->depth - begin < WIDENING_PIECE ? g->depth - begin : WIDENING_PIECE;
        NAME(widening_load)(p, &t, &e, begin, depth, (float *)piece);
        for (int first = 0; first < t.columns; first += (int)p->height) {
            int columns = t.columns - first < p->height ? t.columns - first : (int)p->height;
#define ONE_PIECE(m)                                                                                         \
    NAME(widening_piece)(g, &t, first, begin, depth, (private float *)piece, m, out + 2 * first)
            EACH_HEIGHT(columns, ONE_PIECE)
#undef ONE_PIECE
        }
    }
    for (int v = 0; v < 2 && v * LANES < t.channels; v++) {
        int count = t.channels - v * LANES < LANES ? t.channels - v * LANES : LANES;
        VEC added = g->has_bias ? NAME(widening_bias)(p, &t, v, count) : V(0.0f);
        for (int r = 0; r < t.columns; r++)
            NAME(widening_store)(p, &t, &e, added, out[2 * r + v], r, v);
    }
}
#endif

#undef PANEL
#undef EACH_HEIGHT
#undef LANES
#undef NAME
#undef HEIGHT
#undef KEEP
