/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end of a tile of int8_gemm.cl: from sums of products to results. The usual attributes are fused: scales
 * and bias of channels, an earlier dst that is added, a relu or clip, one scale and zero point of dst, and
 * results of one byte or f32, in one pass. Everything else takes a pass per step, over the whole tile.
 * Includers define HEIGHT, the most columns of a tile.
 */
#include "kernels/lib/gemm_end.h"
#include "kernels/lib/gemm_place.h"
#include "kernels/params_int8_gemm.h"

#define LANES 16
#include "kernels/lib/lanes.h"
#include "kernels/lib/memory_lanes.h"

enum { PANEL = 2 * LANES };

/* One work-item's tile. */
struct int8_tile {
    global const uchar *src, *weights, *bias;
    global uchar *dst;
    struct gemm_place at;
    int columns, count[2]; /* channels of each vector that exist */
    struct gemm_taps taps;
    i64 along, depth; /* taps along a row, and the reduction of each */
    bool adds;        /* to sums that are there already */
};

/* What all columns of a tile share. */
struct int8_channels {
    i64 sums;      /* offset of the column sums */
    IVEC start[2]; /* of sums: the compensation of shift and zero point */
    UVEC src_zero;
    int form;
    VEC src_scale; /* of floats; of bytes it is part of `scale` */
    VEC scale[2], bias[2], sum_scale;
    VEC low, high;           /* limits of stored results, of INT8_BARE and INT8_CLIP */
    VEC dst_scale, dst_zero; /* of INT8_ANY */
};

/* How results are limited and scaled. Bytes: where dst_scale is positive and has an inverse, that and
 * src_scale are part of all other scales, dst_zero is part of the bias, and limits, which commute with them,
 * come last:
 *
 *   limit(sum * scale + bias + earlier dst * sum_scale)
 *
 * INT8_BARE applies the upper limit first, and INT8_CLIP the lower one: that is what becomes of NaN. Floats
 * are scaled in the order that the attributes have. */
enum { INT8_BARE = 0, INT8_CLIP = 1, INT8_ANY = 2 };

/* Where the instruction is missing, one rounding more is better than its emulation. */
INLINE VEC int8_mad(VEC a, VEC b, VEC c) {
#if defined(__FMA__) || defined(__OPENCL_C_VERSION__)
    return fma(a, b, c);
#else
    return a * b + c;
#endif
}

/* Zero times a scale is zero, even where a product of scales overflows. */
INLINE VEC int8_finite(VEC x, float limit) {
    const VEC most = V(limit), y = x > most ? most : x;
    return y < -most ? -most : y;
}

/* The sums of a panel's columns times what is to be subtracted, negated. */
INLINE IVEC int8_less(constant struct int8_gemm_params *p, const struct int8_channels *c, IVEC sums) {
    return AS_IVEC((UVEC)(0) - AS_UVEC(sums) * ((UVEC)((uint)p->shift) + c->src_zero));
}

INLINE void int8_start(constant struct int8_gemm_params *p, const struct int8_tile *t, global const int *sums,
                       struct int8_channels *c) {
    c->sums = t->at.channel;
    for (int d = 0; d < GEMM_BATCHES; d++)
        c->sums += t->at.batch[d] * p->sums_batch[d];
    if (p->sums != SUMS_BUFFER) return;
    for (int v = 0; v < 2; v++)
        c->start[v] = int8_less(p, c, VLOAD(v, sums + p->sums_offset + c->sums));
}

INLINE float int8_limit(constant struct int8_fused *f, float x) {
    return x > f->least ? (x < f->most ? x : f->most) : f->least;
}

/* Returns the factor of all scales. */
INLINE float int8_limits(constant struct int8_fused *f, float dst_scale, float dst_zero,
                         struct int8_channels *c) {
    const float inverse = f32_div(1.0f, dst_scale);
    const bool invertible =
            f->floats ? dst_scale == 1.0f && dst_zero == 0.0f : dst_scale > 0x1p-60f && dst_scale < 0x1p60f;
    const bool clip = f->limit == INT8_LIMIT_CLIP, low_first = clip || (!f->floats && f->nan == f->least);
    c->form = !invertible || f->limit == INT8_LIMIT_RELU ? INT8_ANY : low_first ? INT8_CLIP : INT8_BARE;
    c->dst_scale = V(dst_scale);
    c->dst_zero = V(dst_zero);
    c->low = V(clip ? int8_limit(f, f->low * inverse + dst_zero) : f->least);
    c->high = V(clip ? int8_limit(f, f->high * inverse + dst_zero) : f->most);
    return c->form == INT8_ANY ? 1.0f : inverse;
}

/* Scales, bias and limits of the fused end, at the first channel's position. */
INLINE void int8_scales(constant struct int8_gemm_params *p, const struct int8_tile *t,
                        const struct epilogue_state *e, i64 *position, struct int8_channels *c) {
    constant struct epilogue *ep = &p->gemm.epilogue;
    const float factor = int8_limits(&p->fused, quant_value(e, &ep->dst_scale, position, 1.0f),
                                     quant_value(e, &ep->dst_zero_point, position, -0.0f), c);
    const float src_scale = quant_value(e, &ep->src_scale, position, 1.0f) * factor;
    const float inner = p->fused.floats ? 1.0f : src_scale,
                most = p->fused.floats ? INFINITY : 0x1.fffffep127f;
    const float zero = c->form == INT8_ANY ? -0.0f : c->dst_zero.s0; /* -0 changes nothing */
    c->src_scale = V(p->fused.floats ? src_scale : 1.0f);
    c->sum_scale = int8_finite(V(p->fused.sum_scale * factor), most);
#pragma nounroll
    for (int v = 0; v < 2; v++, position[p->gemm.channel_dim] += LANES) {
        VEC bias = V(-0.0f), scale;
        if (p->gemm.has_bias)
            epilogue_bias(&bias, t->bias, p->gemm.bias_type, t->at.bias + v * LANES, t->count[v]);
        epilogue_quant(&scale, e, &ep->weights_scale, position, p->gemm.channel_dim, t->count[v], 1.0f);
        c->scale[v] = int8_finite(scale * V(inner), most);
        c->bias[v] = bias * V(factor) + V(zero) - V(p->fused.sum_zero) * c->sum_scale;
    }
}

/* Scales and zero points that the fused end needs, or the compensation of sums. */
INLINE void int8_channels(constant struct int8_gemm_params *p, const struct int8_tile *t,
                          const struct epilogue_state *e, global const int *sums, struct int8_channels *c) {
    i64 position[TENSOR_DIMS];
    c->start[0] = c->start[1] = (IVEC)(0);
    c->src_zero = (UVEC)(0);
    if (p->sums == SUMS_NONE && !p->fused.on) return;
    gemm_position(&p->gemm, &t->at, t->at.column, t->at.channel, position);
    if (p->sums != SUMS_NONE) {
        c->src_zero = (UVEC)((uint)quant_integer(e, &p->src_zero_point, position));
        int8_start(p, t, sums, c);
    }
    if (p->fused.on) int8_scales(p, t, e, position, c);
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

INLINE void int8_store_bytes(global uchar *dst, UVEC whole, int count) {
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
INLINE VEC int8_finish(VEC x, VEC low, VEC high, const bool floats, const int form) {
    if (form == INT8_CLIP) x = x > low ? x : low;
    if (form == INT8_CLIP || !floats) x = x < high ? x : high;
    if (form == INT8_BARE && !floats) x = x > low ? x : low;
    return x;
}

/* Whole vectors v of some columns. Callers pass the last three as constants. */
INLINE void int8_fused_whole(constant struct int8_fused *f, const struct int8_channels *c, const IVEC *out,
                             int columns, int v, global uchar *dst, i64 step, const bool floats,
                             const bool sum, const int form) {
    const VEC scale = c->scale[v], bias = c->bias[v], sum_scale = c->sum_scale;
    const VEC src_scale = c->src_scale, low = c->low, high = c->high;
    const uchar flip = (uchar)f->flip;
#pragma nounroll
    for (int r = 0; r < columns; r++, dst += step) {
        VEC x = TO_VEC(out[2 * r + v]);
        if (floats) x = x * src_scale;
        x = int8_mad(x, scale, bias);
        if (sum) x = int8_mad(int8_earlier(dst, floats, flip, LANES), sum_scale, x);
        x = int8_finish(x, low, high, floats, form);
        if (floats)
            VSTORE(x, 0, (global float *)dst);
        else
            VSTORE(TO_BYTES(AS_UVEC(x + V(0x1.8p23f)) & 0xffu), 0, dst);
    }
}

#ifdef NATIVE_AVX512
/* Bytes of whole panels: two columns at a time, because instructions that narrow take two vectors. They also
 * apply the lower limit of INT8_BARE, whose bytes have no sign. */
INLINE void int8_store_two(const VEC *x, const int form, global uchar *first, global uchar *second) {
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    __m512i words[2], bytes;
#pragma unroll
    for (int k = 0; k < 2; k++) {
        words[k] = _mm512_packs_epi32(_mm512_cvtps_epi32((__m512)x[2 * k]),
                                      _mm512_cvtps_epi32((__m512)x[2 * k + 1]));
        if (form == INT8_CLIP) words[k] = _mm512_and_si512(words[k], _mm512_set1_epi16(0xff));
    }
    bytes = _mm512_permutexvar_epi32(order, _mm512_packus_epi16(words[0], words[1]));
    _mm256_storeu_si256((__m256i *)second, _mm512_extracti64x4_epi64(bytes, 1));
    _mm256_storeu_si256((__m256i *)first, _mm512_castsi512_si256(bytes));
}

/* Callers pass the last two as constants. */
INLINE void int8_fused_panel(constant struct int8_fused *f, const struct int8_channels *c, const IVEC *out,
                             int columns, global uchar *dst, i64 step, const bool sum, const int form) {
    const VEC sum_scale = c->sum_scale, low = c->low, high = c->high;
    const VEC scale[2] = {c->scale[0], c->scale[1]}, bias[2] = {c->bias[0], c->bias[1]};
    const uchar flip = (uchar)f->flip;
#pragma nounroll
    for (int r = 0; r < columns; r += 2, dst += 2 * step, out += 4) {
        const int more = r + 1 < columns; /* otherwise the last column is computed twice */
        global uchar *second = dst + more * step;
        VEC x[4];
#pragma unroll
        for (int k = 0; k < 4; k++) {
            const int v = k & 1;
            x[k] = int8_mad(TO_VEC(k < 2 ? out[v] : out[2 * more + v]), scale[v], bias[v]);
            if (sum)
                x[k] = int8_mad(int8_earlier((k < 2 ? dst : second) + v * LANES, false, flip, LANES),
                                sum_scale, x[k]);
            if (form == INT8_CLIP) x[k] = x[k] > low ? x[k] : low;
            x[k] = x[k] < high ? x[k] : high;
        }
        int8_store_two(x, form, dst, second);
    }
}

/* Are results bytes of whole panels, limited and scaled in the usual way? */
INLINE bool int8_is_panel(constant struct int8_fused *f, const struct int8_tile *t,
                          const struct int8_channels *c) {
    return f->on && !f->floats && t->count[1] == LANES && c->form != INT8_ANY;
}

INLINE void int8_fused_panels(constant struct int8_fused *f, const struct int8_channels *c, const IVEC *out,
                              int columns, global uchar *dst, i64 step) {
    if (f->sum && c->form == INT8_CLIP)
        int8_fused_panel(f, c, out, columns, dst, step, true, INT8_CLIP);
    else if (f->sum)
        int8_fused_panel(f, c, out, columns, dst, step, true, INT8_BARE);
    else if (c->form == INT8_CLIP)
        int8_fused_panel(f, c, out, columns, dst, step, false, INT8_CLIP);
    else
        int8_fused_panel(f, c, out, columns, dst, step, false, INT8_BARE);
}
#endif

/* Vectors of any number of channels. Callers pass a constant `clip`: form is INT8_CLIP. */
INLINE void int8_fused_part(constant struct int8_fused *f, const struct int8_channels *c, const IVEC *out,
                            int columns, int v, int count, global uchar *dst, i64 step, const bool clip) {
#pragma nounroll
    for (int r = 0; r < columns; r++, dst += step) {
        VEC x = int8_mad(TO_VEC(out[2 * r + v]) * c->src_scale, c->scale[v], c->bias[v]);
        if (f->sum) x = int8_mad(int8_earlier(dst, f->floats, (uchar)f->flip, count), c->sum_scale, x);
        if (clip)
            x = int8_finish(x, c->low, c->high, false, INT8_CLIP);
        else if (c->form == INT8_ANY)
            x = int8_finish_any(f, c, x);
        if (f->floats)
            store_lanes(x, (global float *)dst, count);
        else
            int8_store_bytes(dst, lanes_byte(x, f->least, f->most, f->nan), count);
    }
}

INLINE void int8_fused(constant struct int8_gemm_params *p, const struct int8_tile *t,
                       const struct int8_channels *c, const IVEC *out, int first, int columns) {
    constant struct int8_fused *f = &p->fused;
    const int size = f->floats ? 4 : 1;
    const i64 step = p->gemm.dst_column * size;
    global uchar *dst = t->dst + (t->at.dst + first * p->gemm.dst_column) * size;
#ifdef NATIVE_AVX512
    if (int8_is_panel(f, t, c)) {
        int8_fused_panels(f, c, out, columns, dst, step);
        return;
    }
#endif
#define FUSED(floats, sum)                                                                                   \
    if (c->form == INT8_CLIP)                                                                                \
        int8_fused_whole(f, c, out, columns, v, dst, step, floats, sum, INT8_CLIP);                          \
    else                                                                                                     \
        int8_fused_whole(f, c, out, columns, v, dst, step, floats, sum, INT8_BARE);
#pragma nounroll
    for (int v = 0; v < 2 && t->count[v] > 0; v++, dst += LANES * size)
        if (t->count[v] < LANES || c->form == INT8_ANY) {
            if (c->form == INT8_CLIP)
                int8_fused_part(f, c, out, columns, v, t->count[v], dst, step, true);
            else
                int8_fused_part(f, c, out, columns, v, t->count[v], dst, step, false);
        } else if (f->floats) {
            if (f->sum) {
                FUSED(true, true)
            } else {
                FUSED(true, false)
            }
        } else {
            if (f->sum) {
                FUSED(false, true)
            } else {
                FUSED(false, false)
            }
        }
#undef FUSED
}

/* The sums of the taps that are in the padding when the window is at column r. */
INLINE UVEC int8_outside(constant struct int8_gemm_params *p, const struct int8_tile *t,
                         const struct int8_channels *c, global const int *sums, int r, int v) {
    const i64 place[WINDOW_DIMS] = {t->at.batch[2], t->at.row, t->at.column + r};
    constant struct window *w = &p->gemm.border;
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

/* Sums that are stored unchanged, of whole panels. */
INLINE void int8_store_sums(const IVEC *out, int columns, global int *dst, i64 step) {
#pragma nounroll
    for (int r = 0; r < columns; r++, dst += step, out += 2) {
        VSTORE(out[0], 0, dst);
        VSTORE(out[1], 1, dst);
    }
}

/* Some columns, from column `first` on. */
INLINE void int8_unfused(constant struct int8_gemm_params *p, const struct int8_tile *t,
                         const struct epilogue_state *e, const struct int8_channels *c,
                         global const int *sums, const IVEC *out, int first, int columns) {
    constant struct gemm_params *g = &p->gemm;
    const i64 dst = t->at.dst + first * g->dst_column;
    float x[HEIGHT * PANEL];
    if (p->bare && !p->clipped && t->count[1] == LANES) {
        int8_store_sums(out, columns, (global int *)t->dst + dst, g->dst_column);
        return;
    }
#pragma nounroll
    for (int i = 0; i < 2 * columns; i++) {
        const int r = i >> 1, v = i & 1;
        UVEC sum = AS_UVEC(out[i]);
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

/* Finishes and stores at most HEIGHT columns of the tile, from `first` on. */
INLINE void int8_end(constant struct int8_gemm_params *p, const struct int8_tile *t,
                     const struct epilogue_state *e, const struct int8_channels *c, global const int *sums,
                     const IVEC *out, int first, int columns) {
    if (p->fused.on)
        int8_fused(p, t, c, out, first, columns);
    else
        int8_unfused(p, t, e, c, sums, out, first, columns);
}
