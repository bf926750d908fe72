/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matrix products and convolutions of bytes for CPU-class devices: one work-item computes a tile of `tile`
 * columns by one panel of output channels, two vectors of integers. Sums are exact, so their order does not
 * matter; scales, bias and post-ops follow in a fixed order.
 */
#include "kernels/lib/dot4.h"
#include "kernels/lib/epilogue.h"
#include "kernels/lib/gemm_place.h"
#include "kernels/lib/window.h"
#include "kernels/params_int8_gemm.h"

#define LANES 16
#include "kernels/lib/store_lanes.h"

enum { HEIGHT = 12, PANEL = 2 * LANES, STEP = INT8_GEMM_QUAD * PANEL };

/* Columns computed at once: as many as the registers hold. */
#if defined(__AVX512F__)
#define BLOCK 12
#elif defined(__OPENCL_C_VERSION__)
#define BLOCK 4
#else
#define BLOCK 2
#endif

/* One work-item's tile. */
struct int8_tile {
    global const uchar *src, *weights, *bias;
    global uchar *dst;
    struct gemm_place at;
};

/* What all columns of a tile share. */
struct int8_channels {
    int count[2];
    i64 sums;     /* offset of the column sums */
    IVEC less[2]; /* to be subtracted from sums */
    UVEC src_zero;
    VEC src_scale, scale[2], bias[2], dst_scale, dst_zero;
};

INLINE IVEC load_quads(global const uchar *w, int v) {
    return VLOAD(v, (global const int *)w);
}

/* acc[r][v] += column r of src times vector v of a panel; with `sums`, a column of ones follows the last one.
 * Callers pass `m` and `sums` as constants, so that loops unroll and acc stays in registers. */
INLINE void int8_steps(global const uchar *a, const i64 column, global const uchar *w, const i64 depth,
                       const int m, const bool sums, IVEC *acc) {
    const dot4_values ones = dot4_unsigned(0x01010101);
#pragma nounroll
    for (i64 i = 0; i < depth; i += INT8_GEMM_QUAD, w += STEP) {
        dot4_weights w0 = dot4_signed(load_quads(w, 0)), w1 = dot4_signed(load_quads(w, 1));
#pragma unroll
        for (int r = 0; r < m + sums; r++) {
            dot4_values x = r < m ? dot4_unsigned(as_int(vload4(0, a + r * column + i))) : ones;
            acc[2 * r] = dot4(acc[2 * r], x, w0);
            acc[2 * r + 1] = dot4(acc[2 * r + 1], x, w1);
            KEEP_ORDER_64(acc[2 * r], acc[2 * r + 1]);
        }
    }
}

/* out[r][v]: the whole reduction of m columns, and of a column of ones, tap by tap of the window. */
INLINE void int8_reduce(constant struct gemm_params *p, const struct int8_tile *t, int first, const int m,
                        const bool sums, IVEC *out) {
    /* Without depth, src is null. */
    const i64 taps = p->depth > 0 ? p->window[0] * p->window[1] * p->window[2] : 0;
    const i64 column = t->at.src + first * p->src_column;
    i64 d = 0, h = 0, s = 0;
    IVEC acc[2 * BLOCK];
#pragma unroll
    for (int r = 0; r < 2 * (m + sums); r++)
        acc[r] = (IVEC)(0);
    for (i64 tap = 0; tap < taps; tap++) {
        int8_steps(t->src + column + d * p->src_window[0] + h * p->src_window[1] + s * p->src_window[2],
                   p->src_column,
                   t->weights + d * p->weights_window[0] + h * p->weights_window[1]
                           + s * p->weights_window[2],
                   p->depth, m, sums, acc);
        if (++s < p->window[2]) continue;
        s = 0;
        if (++h < p->window[1]) continue;
        h = 0;
        d++;
    }
#pragma unroll
    for (int r = 0; r < 2 * (m + sums); r++)
        out[2 * first + r] = acc[r];
}

INLINE void int8_less(constant struct int8_gemm_params *p, const struct int8_tile *t, global const int *sums,
                      const IVEC *own, struct int8_channels *c) {
    const UVEC zero = (UVEC)((uint)p->shift) + c->src_zero;
    c->sums = t->at.channel;
    for (int d = 0; d < GEMM_BATCHES; d++)
        c->sums += t->at.batch[d] * p->sums_batch[d];
    for (int v = 0; v < 2; v++) {
        IVEC sum = p->sums == SUMS_OWN ? own[v] : VLOAD(v, sums + p->sums_offset + c->sums);
        c->less[v] = AS_IVEC(AS_UVEC(sum) * zero);
    }
}

INLINE void int8_channels(constant struct int8_gemm_params *p, const struct int8_tile *t,
                          const struct epilogue_state *e, global const int *sums, const IVEC *own,
                          struct int8_channels *c) {
    constant struct epilogue *ep = &p->gemm.epilogue;
    i64 left = p->gemm.channels - t->at.channel, position[TENSOR_DIMS];
    c->count[0] = (int)(left < LANES ? left : LANES);
    c->count[1] = (int)(left < LANES ? 0 : left < PANEL ? left - LANES : LANES);
    c->less[0] = c->less[1] = (IVEC)(0);
    if (p->sums == SUMS_NONE && p->bare) return;
    gemm_position(&p->gemm, &t->at, t->at.column, t->at.channel, position);
    c->src_zero = (UVEC)((uint)quant_integer(e, &p->src_zero_point, position));
    if (p->sums != SUMS_NONE) int8_less(p, t, sums, own, c);
    c->src_scale = V(quant_value(e, &ep->src_scale, position, 1.0f));
    c->dst_scale = V(quant_value(e, &ep->dst_scale, position, 1.0f));
    c->dst_zero = V(quant_value(e, &ep->dst_zero_point, position, 0.0f));
#pragma nounroll
    for (int v = 0; v < 2; v++, position[p->gemm.channel_dim] += LANES) {
        c->bias[v] = V(0.0f);
        if (p->gemm.has_bias)
            epilogue_bias(&c->bias[v], t->bias, p->gemm.bias_type, t->at.bias + v * LANES, c->count[v]);
        epilogue_quant(&c->scale[v], e, &ep->weights_scale, position, p->gemm.channel_dim, c->count[v], 1.0f);
    }
}

/* The sums of the taps that are in the padding when the window is at column r. */
INLINE UVEC int8_outside(constant struct int8_gemm_params *p, const struct int8_tile *t,
                         const struct int8_channels *c, global const int *sums, int r, int v) {
    const i64 place[WINDOW_DIMS] = {t->at.batch[2], t->at.row, t->at.column + r};
    constant struct window *w = &p->window;
    UVEC total = (UVEC)(0);
    struct taps in;
    bool whole = true;
    window_taps(&in, w, place);
    for (int d = 0; d < WINDOW_DIMS; d++)
        whole = whole && in.first[d] == 0 && in.last[d] == w->taps[d];
    if (whole) return total;
    sums += p->taps_offset + c->sums * p->taps;
    for (i64 k0 = 0; k0 < w->taps[0]; k0++)
        for (i64 k1 = 0; k1 < w->taps[1]; k1++)
            for (i64 k2 = 0; k2 < w->taps[2]; k2++, sums += PANEL) {
                bool inside = k0 >= in.first[0] && k0 < in.last[0] && k1 >= in.first[1] && k1 < in.last[1]
                              && k2 >= in.first[2] && k2 < in.last[2];
                if (!inside) total += AS_UVEC(VLOAD(v, sums));
            }
    return total;
}

/* Everything after the sum of column r, where some of it depends on the position. */
INLINE VEC int8_finish_at(constant struct int8_gemm_params *p, const struct int8_tile *t,
                          const struct epilogue_state *e, const struct int8_channels *c, VEC x, int r,
                          int v) {
    constant struct epilogue *ep = &p->gemm.epilogue;
    i64 position[TENSOR_DIMS];
    gemm_position(&p->gemm, &t->at, t->at.column + r, t->at.channel + v * LANES, position);
    x = x * V(quant_value(e, &ep->src_scale, position, 1.0f)) * c->scale[v];
    if (p->gemm.has_bias) x += c->bias[v];
    x = activation_apply(&p->gemm.activation, x);
    epilogue_apply(e, &x, position, p->gemm.channel_dim, c->count[v]);
    return x;
}

/* The same where nothing depends on the position. */
INLINE VEC int8_finish(constant struct int8_gemm_params *p, const struct int8_channels *c, VEC x, int v) {
    constant struct epilogue *ep = &p->gemm.epilogue;
    x = x * c->src_scale * c->scale[v];
    if (p->gemm.has_bias) x += c->bias[v];
    x = activation_apply(&p->gemm.activation, x);
    if (ep->dst_scale.from != QUANT_NONE) x = f32_div(x, c->dst_scale);
    if (ep->dst_zero_point.from != QUANT_NONE) x += c->dst_zero;
    return x;
}

/* Finishes and stores one vector. */
INLINE void int8_store(constant struct int8_gemm_params *p, const struct int8_tile *t,
                       const struct epilogue_state *e, const struct int8_channels *c, global const int *sums,
                       IVEC sum, int r, int v) {
    i64 offset = t->at.dst + r * p->gemm.dst_column + v * LANES;
    sum = AS_IVEC(AS_UVEC(sum) - AS_UVEC(c->less[v]));
    if (p->clipped) sum = AS_IVEC(AS_UVEC(sum) + int8_outside(p, t, c, sums, r, v) * c->src_zero);
    if (p->bare) {
        store_lanes((global int *)t->dst, offset, sum, c->count[v]);
        return;
    }
    VEC x = TO_VEC(sum);
    x = p->by_position ? int8_finish_at(p, t, e, c, x, r, v) : int8_finish(p, c, x, v);
    store_lanes(t->dst, p->gemm.epilogue.type, offset, x, c->count[v]);
}

/* The same for bytes, which have no negative zero: absent terms are 0 and can simply be added.
 */
INLINE VEC int8_finish_byte(constant struct int8_gemm_params *p, const struct int8_channels *c, VEC x,
                            int v) {
    x = activation_apply(&p->gemm.activation, x * c->src_scale * c->scale[v] + c->bias[v]);
    if (p->gemm.epilogue.dst_scale.from != QUANT_NONE) x = f32_div(x, c->dst_scale);
    return x + c->dst_zero;
}

/* All columns of a tile without a channel tail, where results are bytes and do not depend on the position.
 */
INLINE void int8_store_bytes(constant struct int8_gemm_params *p, const struct int8_tile *t,
                             const struct int8_channels *c, int columns, const IVEC *out) {
    global uchar *dst = t->dst + t->at.dst;
#pragma nounroll
    for (int r = 0; r < columns; r++, dst += p->gemm.dst_column)
#pragma unroll
        for (int v = 0; v < 2; v++) {
            VEC x = TO_VEC(AS_IVEC(AS_UVEC(out[2 * r + v]) - AS_UVEC(c->less[v])));
            VSTORE(TO_BYTES(lanes_byte(int8_finish_byte(p, c, x, v), p->least, p->most, p->nan)), v, dst);
        }
}

/* Cases of a switch that call f(m) with m as a constant. */
#define UP_TO_2(f)                                                                                           \
    case 1: f(1); break;                                                                                     \
    case 2: f(2); break;
#define UP_TO_4(f)                                                                                           \
    UP_TO_2(f)                                                                                               \
    case 3: f(3); break;                                                                                     \
    case 4: f(4); break;
#define UP_TO_12(f)                                                                                          \
    UP_TO_4(f)                                                                                               \
    case 5: f(5); break;                                                                                     \
    case 6: f(6); break;                                                                                     \
    case 7: f(7); break;                                                                                     \
    case 8: f(8); break;                                                                                     \
    case 9: f(9); break;                                                                                     \
    case 10: f(10); break;                                                                                   \
    case 11: f(11); break;                                                                                   \
    case 12: f(12); break;
#if BLOCK == 12
#define EACH_HEIGHT UP_TO_12
#elif BLOCK == 4
#define EACH_HEIGHT UP_TO_4
#else
#define EACH_HEIGHT UP_TO_2
#endif

/* Range: tiles of a row x rows, panels, batches. */
#if WANTED(int8_gemm_12x32)
kernel void int8_gemm_12x32(ITEM global const uchar *src, global const uchar *weights,
                            global const uchar *bias, global const int *sums, global uchar *dst,
                            EPILOGUE_ARGS, constant struct int8_gemm_params *p) {
    constant struct gemm_params *g = &p->gemm;
    struct epilogue_state e = EPILOGUE_STATE(&p->gemm.epilogue);
    struct int8_tile t = {.src = src, .bias = bias, .dst = dst};
    t.at = gemm_place(g, scalars.step, GEMM_TILE(g), GEMM_PANEL(g), get_global_id(2), PANEL);
    t.weights = weights + t.at.weights;
    int columns = (int)(g->columns - t.at.column < g->tile ? g->columns - t.at.column : g->tile);
    IVEC out[2 * HEIGHT];
#define REDUCE(m) int8_reduce(g, &t, first, m, false, out)
    for (int first = 0; first < columns; first += BLOCK)
        switch (p->sums == SUMS_OWN ? 0 : columns - first < BLOCK ? columns - first : BLOCK) {
        case 0:
            int8_reduce(g, &t, 0, 1, true, out);
            break;
            EACH_HEIGHT(REDUCE)
        }
#undef REDUCE
    struct int8_channels c;
    int8_channels(p, &t, &e, sums, out + 2, &c);
    if (p->bytes && c.count[1] == LANES) {
        int8_store_bytes(p, &t, &c, columns, out);
        return;
    }
#pragma nounroll
    for (int i = 0; i < 2 * columns; i++)
        if (c.count[i & 1] > 0) int8_store(p, &t, &e, &c, sums, out[i], i >> 1, i & 1);
}
#endif

/* Range: taps, panels, batches. */
#if WANTED(int8_column_sums_32)
kernel void int8_column_sums_32(ITEM global const uchar *weights, global int *dst,
                                constant struct column_sums_params *p) {
    i64 tap = get_global_id(0), panel = get_global_id(1), batch = get_global_id(2);
    i64 taps = get_global_size(0), panels = get_global_size(1);
    dst += p->dst_offset + ((batch * panels + panel) * taps + tap) * PANEL;
    weights += p->weights_offset + panel * p->weights_panel;
    for (int d = GEMM_BATCHES - 1; d >= 0; d--) {
        i64 rest = batch / p->batch[d];
        weights += (batch - rest * p->batch[d]) * p->weights_batch[d];
        batch = rest;
    }
    IVEC sums[2] = {(IVEC)(0), (IVEC)(0)};
    const i64 all = p->window[0] * p->window[1] * p->window[2], each = p->depth > 0 ? all / taps : 0;
    for (i64 k = tap * each; k < (tap + 1) * each; k++) {
        i64 rows = k / p->window[2], d = rows / p->window[1];
        i64 at = d * p->weights_window[0] + (rows - d * p->window[1]) * p->weights_window[1]
                 + (k - rows * p->window[2]) * p->weights_window[2];
        int8_steps(weights + at, 0, weights + at, p->depth, 0, true, sums);
    }
    VSTORE(sums[0], 0, dst);
    VSTORE(sums[1], 1, dst);
}
#endif
