/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end of a tile of int8_gemm.cl: from sums of products to results. The usual attributes are fused: scales
 * and bias of channels, an earlier dst that is added, a relu or clip, one scale and zero point of dst, and
 * results of one byte or f32, in one pass. Everything else takes a pass per step, over the whole tile.
 */
#include "kernels/lib/gemm_end.h"
#include "kernels/lib/gemm_place.h"
#include "kernels/lib/window.h"
#include "kernels/params_int8_gemm.h"

#define LANES 16
#include "kernels/lib/lanes.h"

enum { HEIGHT = INT8_GEMM_HEIGHT, PANEL = 2 * LANES };

/* One work-item's tile. */
struct int8_tile {
    global const uchar *src, *weights, *bias;
    global uchar *dst;
    struct gemm_place at;
    int columns, count[2]; /* at most INT8_GEMM_COLUMNS; channels of each vector that exist */
};

/* What all columns of a tile share. */
struct int8_channels {
    i64 sums;     /* offset of the column sums */
    IVEC less[2]; /* to be subtracted from sums */
    UVEC src_zero;
    VEC src_scale, dst_scale, inverse, dst_zero;
    VEC low, high; /* limits of stored results, if form is INT8_CLIP */
    int form;
    VEC scale[2], bias[2];
};

/* How results are limited and scaled. Where dst_scale is positive and has an inverse, results are multiplied
 * by that, and a clip, which commutes with it, follows. */
enum { INT8_BARE = 0, INT8_CLIP = 1, INT8_ANY = 2 };

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

INLINE float int8_limit(constant struct int8_fused *f, float x) {
    return x > f->least ? (x < f->most ? x : f->most) : f->least;
}

INLINE void int8_limits(constant struct int8_fused *f, float dst_scale, float dst_zero,
                        struct int8_channels *c) {
    const float inverse = f32_div(1.0f, dst_scale);
    const bool invertible = dst_scale > 0x1p-60f && dst_scale < 0x1p60f;
    c->form = !invertible || f->limit == INT8_LIMIT_RELU ? INT8_ANY
              : f->limit == INT8_LIMIT_CLIP              ? INT8_CLIP
                                                         : INT8_BARE;
    c->dst_scale = V(dst_scale);
    c->inverse = V(inverse);
    c->dst_zero = V(dst_zero);
    c->low = V(int8_limit(f, f->low * inverse + dst_zero));
    c->high = V(int8_limit(f, f->high * inverse + dst_zero));
}

/* Scales and zero points that the fused end needs, or the compensation of sums. */
INLINE void int8_channels(constant struct int8_gemm_params *p, const struct int8_tile *t,
                          const struct epilogue_state *e, global const int *sums, const IVEC *own,
                          struct int8_channels *c) {
    constant struct epilogue *ep = &p->gemm.epilogue;
    i64 position[TENSOR_DIMS];
    c->less[0] = c->less[1] = (IVEC)(0);
    c->src_zero = (UVEC)(0);
    if (p->sums == SUMS_NONE && !p->fused.on) return;
    gemm_position(&p->gemm, &t->at, t->at.column, t->at.channel, position);
    if (p->sums != SUMS_NONE) {
        c->src_zero = (UVEC)((uint)quant_integer(e, &p->src_zero_point, position));
        int8_less(p, t, sums, own, c);
    }
    if (!p->fused.on) return;
    int8_limits(&p->fused, quant_value(e, &ep->dst_scale, position, 1.0f),
                quant_value(e, &ep->dst_zero_point, position, -0.0f), c); /* -0 changes nothing */
    c->src_scale = V(quant_value(e, &ep->src_scale, position, 1.0f));
#pragma nounroll
    for (int v = 0; v < 2; v++, position[p->gemm.channel_dim] += LANES) {
        c->bias[v] = V(-0.0f);
        if (p->gemm.has_bias)
            epilogue_bias(&c->bias[v], t->bias, p->gemm.bias_type, t->at.bias + v * LANES, t->count[v]);
        epilogue_quant(&c->scale[v], e, &ep->weights_scale, position, p->gemm.channel_dim, t->count[v], 1.0f);
    }
}

INLINE uchar16 int8_bytes(global const uchar *from, int count) {
    if (count == LANES) return VLOAD(0, from);
    uchar16 low = (uchar16)(0);
    if (count == 8) {
        low.lo = vload8(0, from);
        return low;
    }
    uchar bytes[LANES];
    for (int k = 0; k < LANES; k++)
        bytes[k] = k < count ? from[k] : 0;
    return VLOAD(0, bytes);
}

/* The earlier results at `dst`, of which `count` exist. */
INLINE VEC int8_earlier(global const uchar *dst, const bool floats, uchar flip, int count) {
    if (floats) {
        if (count == LANES) return VLOAD(0, (global const float *)dst);
        float values[LANES];
        for (int k = 0; k < LANES; k++)
            values[k] = k < count ? ((global const float *)dst)[k] : 0.0f;
        return VLOAD(0, values);
    }
    return TO_VEC(convert_int16(int8_bytes(dst, count) ^ (uchar16)(flip)));
}

INLINE void int8_store_floats(global float *dst, VEC x, int count) {
    float values[LANES];
    if (count == LANES) {
        VSTORE(x, 0, dst);
        return;
    }
    VSTORE(x, 0, values);
#pragma nounroll
    for (int k = 0; k < count; k++)
        dst[k] = values[k];
}

/* `limited`: to the range of the type; then there is no NaN either. */
INLINE void int8_store_bytes(constant struct int8_fused *f, global uchar *dst, VEC x, int count,
                             const bool limited) {
    UVEC whole = AS_UVEC(x + V(0x1.8p23f)) & 0xffu;
    if (!limited) whole = lanes_byte(x, f->least, f->most, f->nan);
    const uchar16 bytes = TO_BYTES(whole);
    uchar values[LANES];
    if (count == LANES) {
        VSTORE(bytes, 0, dst);
        return;
    }
    if (count == 8) {
        vstore8(bytes.lo, 0, dst);
        return;
    }
    VSTORE(bytes, 0, values);
#pragma nounroll
    for (int k = 0; k < count; k++)
        dst[k] = values[k];
}

/* Limits and scales of INT8_ANY. */
INLINE VEC int8_finish_any(constant struct int8_fused *f, const struct int8_channels *c, VEC x) {
    if (f->limit == INT8_LIMIT_CLIP) x = eltwise_clip(x, f->low, f->high);
    if (f->limit == INT8_LIMIT_RELU) x = eltwise_relu(x, f->low);
    return f32_div(x, c->dst_scale) + c->dst_zero;
}

/* Those of the other forms. */
INLINE VEC int8_finish(const struct int8_channels *c, VEC x, const int form) {
    x = x * c->inverse + c->dst_zero;
    if (form != INT8_CLIP) return x;
    const VEC y = x > c->low ? x : c->low;
    return y > c->high ? c->high : y;
}

/* Vector v of all columns. Callers pass the last three as constants. */
INLINE void int8_fused_columns(constant struct int8_gemm_params *p, const struct int8_tile *t,
                               const struct int8_channels *c, const IVEC *out, int v, const bool floats,
                               const bool sum, const int form) {
    constant struct int8_fused *f = &p->fused;
    const int count = t->count[v];
    const i64 step = p->gemm.dst_column * (floats ? 4 : 1);
    const UVEC less = AS_UVEC(c->less[v]);
    const VEC scale = c->scale[v], bias = c->bias[v], sum_scale = V(f->sum_scale), sum_zero = V(f->sum_zero);
    global uchar *dst = t->dst + (t->at.dst + v * LANES) * (floats ? 4 : 1);
#pragma nounroll
    for (int r = 0; r < t->columns; r++, dst += step) {
        VEC x = TO_VEC(AS_IVEC(AS_UVEC(out[2 * r + v]) - less)) * c->src_scale * scale + bias;
        if (sum) x += (int8_earlier(dst, floats, (uchar)f->flip, count) - sum_zero) * sum_scale;
        if (form == INT8_ANY)
            x = int8_finish_any(f, c, x);
        else
            x = int8_finish(c, x, form);
        if (floats)
            int8_store_floats((global float *)dst, x, count);
        else
            int8_store_bytes(f, dst, x, count, form == INT8_CLIP);
    }
}

INLINE void int8_fused(constant struct int8_gemm_params *p, const struct int8_tile *t,
                       const struct int8_channels *c, const IVEC *out) {
#define FUSED_FORM(floats, sum, form_)                                                                       \
    case form_: int8_fused_columns(p, t, c, out, v, floats, sum, form_); break;
#define FUSED(floats, sum)                                                                                   \
    switch (c->form) {                                                                                       \
        FUSED_FORM(floats, sum, INT8_BARE)                                                                   \
        FUSED_FORM(floats, sum, INT8_CLIP)                                                                   \
        FUSED_FORM(floats, sum, INT8_ANY)                                                                    \
    }
#pragma nounroll
    for (int v = 0; v < 2 && t->count[v] > 0; v++)
        if (p->fused.floats) {
            if (p->fused.sum)
                FUSED(true, true)
            else
                FUSED(true, false)
        } else {
            if (p->fused.sum)
                FUSED(false, true)
            else
                FUSED(false, false)
        }
#undef FUSED_FORM
#undef FUSED
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

/* Some columns, from column `first` on. */
INLINE void int8_unfused(constant struct int8_gemm_params *p, const struct int8_tile *t,
                         const struct epilogue_state *e, const struct int8_channels *c,
                         global const int *sums, const IVEC *out, int first) {
    constant struct gemm_params *g = &p->gemm;
    const int columns = t->columns - first < HEIGHT ? t->columns - first : HEIGHT;
    const i64 dst = t->at.dst + first * g->dst_column;
    float x[HEIGHT * PANEL];
#pragma nounroll
    for (int i = 0; i < 2 * columns; i++) {
        const int r = i >> 1, v = i & 1;
        UVEC sum = AS_UVEC(out[2 * first + i]) - AS_UVEC(c->less[v]);
        if (t->count[v] == 0) continue;
        if (p->clipped) sum += int8_outside(p, t, c, sums, first + r, v) * c->src_zero;
        if (p->bare)
            store_lanes((global int *)t->dst, dst + r * g->dst_column + v * LANES, AS_IVEC(sum), t->count[v]);
        else
            VSTORE(TO_VEC(AS_IVEC(sum)), i, x);
    }
    if (p->bare) return;
    struct result_block b = {.x = x,
                             .rows = columns,
                             .count = t->count[0] + t->count[1],
                             .pitch = PANEL,
                             .row_dim = g->column_dim,
                             .lanes = g->channel_dim,
                             .row_step = g->column_step};
    const struct gemm_end end = {t->bias,   t->dst,      t->at.bias,   dst,
                                 g->scaled, g->finished, g->bias_type, g->epilogue.type};
    gemm_position(g, &t->at, t->at.column + first, t->at.channel, b.position);
    gemm_end_block(g, e, &end, &b);
}

/* Finishes and stores the tile; own: the sums of its weights, if SUMS_OWN. */
INLINE void int8_end(constant struct int8_gemm_params *p, const struct int8_tile *t,
                     const struct epilogue_state *e, global const int *sums, const IVEC *out,
                     const IVEC *own) {
    struct int8_channels c;
    int8_channels(p, t, e, sums, own, &c);
    if (p->fused.on) {
        int8_fused(p, t, &c, out);
        return;
    }
    for (int first = 0; first < t->columns; first += HEIGHT)
        int8_unfused(p, t, e, &c, sums, out, first);
}
