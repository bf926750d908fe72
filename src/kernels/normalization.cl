/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Normalisations: rows that are read once, with their statistics computed in cache; and the factors that
 * other shapes are normalised with (rows.cl). Variances are sums of squared distances from the mean, so that
 * they stay accurate where the mean is large.
 */
#include "kernels/lib/math.h"
#include "kernels/lib/rows.h"
#include "kernels/params_normalization.h"

#define LANES 16
#include "kernels/lib/lanes.h"
#include "kernels/lib/memory_lanes.h"
#undef LANES

/* In native code, floats that lie one after the other are used where they are; other compilers know no
 * pointers to either address space. */
#ifdef __OPENCL_C_VERSION__
#define NORM_IN_PLACE 0
#define norm_load(to, from, left, none) norm_load_private(to, from, left, none)
#define norm_store(x, to, left) vstore16(x, 0, to)
INLINE void norm_load_private(float16 *to, const float *from, i64 left, float none) {
    float values[16];
    for (int i = 0; i < 16; i++)
        values[i] = i < left ? from[i] : none;
    *to = vload16(0, values);
}
#else
#define NORM_IN_PLACE 1
#define norm_load(to, from, left, none) load_lanes(to, from, left, none)
#define norm_store(x, to, left) store_lanes(x, to, left)
#endif

enum { NORM_SUMS = 4 };

INLINE float norm_sum_lanes(const float16 *sums) {
    float16 s = (sums[0] + sums[2]) + (sums[1] + sums[3]);
    s += s.s89abcdef01234567;
    s += s.s45670123cdef89ab;
    s += s.s23016745ab89efcd;
    s += s.s1032547698badcfe;
    return s.s0;
}

/* The sum of a row, or of the squared distances from `mean`. */
INLINE float norm_sum(const float *x, i64 n, const int squares, float mean) {
    const float16 m = (float16)(mean);
    float16 sums[NORM_SUMS], v;
    i64 i = 0;
#pragma unroll
    for (int k = 0; k < NORM_SUMS; k++)
        sums[k] = (float16)(0.0f);
    for (; i + 16 * NORM_SUMS <= n; i += 16 * NORM_SUMS)
#pragma unroll
        for (int k = 0; k < NORM_SUMS; k++) {
            v = vload16(k, x + i);
            if (squares) v -= m;
            sums[k] = squares ? fma(v, v, sums[k]) : sums[k] + v;
        }
#pragma nounroll
    for (; i < n; i += 16) {
        norm_load(&v, x + i, n - i, squares ? mean : 0.0f);
        if (squares) v -= m;
        sums[0] = squares ? fma(v, v, sums[0]) : sums[0] + v;
    }
    return norm_sum_lanes(sums);
}

INLINE float16 norm_result(float16 x, float16 mean, float16 factor, const int scaled, float16 scale,
                           const int shifted, float16 shift) {
    float16 y = (x - mean) * factor;
    if (scaled && shifted) return fma(y, scale, shift);
    return scaled ? y * scale : shifted ? y + shift : y;
}

/* What is read next, `step` bytes for each vector that is computed: it is asked for meanwhile. */
struct norm_ahead {
    global const uchar *at;
    int step;
};

/* Where results go: floats at y, or, if `type` is not 0, elements at `to`. `past`: past the caches. */
struct norm_target {
    float *y;
    global uchar *to;
    int type, past;
};

INLINE void norm_put(float16 x, const struct norm_target *target, const int type, i64 i) {
    const int past = target->past;
    if (type == TYPE_F32)
        STREAM_OR_STORE(x, (global float *)target->to + i, past);
    else if (type == TYPE_BF16)
        STREAM_OR_STORE(narrow_bf16(x), (global ushort *)target->to + i, past);
    else if (type == TYPE_F16)
        STREAM_OR_STORE(narrow_f16(x), (global ushort *)target->to + i, past);
    else
        vstore16(x, 0, target->y + i);
}

/* y = (x - mean) * factor * scale + shift */
INLINE void norm_apply_with(const struct norm_target *target, const int type, const float *x, i64 n,
                            float mean, float factor, const int scaled, const float *scale, const int shifted,
                            const float *shift, struct norm_ahead ahead) {
    const float16 m = (float16)(mean), f = (float16)(factor), none = (float16)(0.0f);
    i64 i = 0;
    for (; i + 16 <= n; i += 16) {
        PREFETCH(ahead.at);
        ahead.at += ahead.step;
        norm_put(norm_result(vload16(0, x + i), m, f, scaled, scaled ? vload16(0, scale + i) : none, shifted,
                             shifted ? vload16(0, shift + i) : none),
                 target, type, i);
    }
    if (i == n) return;
    float16 v, s = none, b = none;
    norm_load(&v, x + i, n - i, 0.0f);
    if (scaled) norm_load(&s, scale + i, n - i, 0.0f);
    if (shifted) norm_load(&b, shift + i, n - i, 0.0f);
    norm_store(norm_result(v, m, f, scaled, s, shifted, b), target->y + i, n - i);
}

/* The same; scale and shift may be NULL. */
INLINE void norm_apply_as(const struct norm_target *target, const int type, const float *x, i64 n, float mean,
                          float factor, const float *scale, const float *shift, struct norm_ahead ahead) {
    if (scale && shift)
        norm_apply_with(target, type, x, n, mean, factor, 1, scale, 1, shift, ahead);
    else if (scale)
        norm_apply_with(target, type, x, n, mean, factor, 1, scale, 0, 0, ahead);
    else if (shift)
        norm_apply_with(target, type, x, n, mean, factor, 0, 0, 1, shift, ahead);
    else
        norm_apply_with(target, type, x, n, mean, factor, 0, 0, 0, 0, ahead);
}

INLINE void norm_apply(const struct norm_target *target, const float *x, i64 n, float mean, float factor,
                       const float *scale, const float *shift, struct norm_ahead ahead) {
    switch (target->type) {
    case TYPE_F32: norm_apply_as(target, TYPE_F32, x, n, mean, factor, scale, shift, ahead); return;
    case TYPE_BF16: norm_apply_as(target, TYPE_BF16, x, n, mean, factor, scale, shift, ahead); return;
    case TYPE_F16: norm_apply_as(target, TYPE_F16, x, n, mean, factor, scale, shift, ahead); return;
    }
    norm_apply_as(target, 0, x, n, mean, factor, scale, shift, ahead);
}

/* Whole vectors of the usual types are stored where they are computed, and so are floats where they are.
 * Registers are too few to round to bf16 there with less than AVX-512. */
#ifdef NATIVE_AVX512
enum { NORM_STORES_BF16 = 1 };
#else
enum { NORM_STORES_BF16 = 0 };
#endif
INLINE int norm_stores(constant struct norm_rows_params *p) {
    if (p->length % 16 != 0 || p->dst_stride != 1) return 0;
    return p->dst_type == TYPE_F16 || (p->dst_type == TYPE_BF16 && NORM_STORES_BF16)
           || (p->dst_type == TYPE_F32 && STREAMED(p->streams));
}

/* Scale or shift as floats: in `to`, where they are, or NULL if there is none. */
INLINE const float *norm_weights(float *to, global const uchar *from, int type, i64 offset, i64 n) {
    if (type == 0) return 0;
#if NORM_IN_PLACE
    if (type == TYPE_F32) return (const float *)from + offset;
#endif
    row_load(to, from, type, offset, 1, (int)n);
    return to;
}

struct norm_space {
    LINE_ALIGNED float row[NORM_ROW + 16], scale[NORM_ROW + 16], shift[NORM_ROW + 16];
};

/* Normalises the row at `from`. Statistics go in or out through `mean` and `variance`. */
INLINE void norm_row(constant struct norm_rows_params *p, global const uchar *src, i64 from,
                     global uchar *dst, i64 to, float *mean, float *variance, const float *scale,
                     const float *shift, float *space) {
    const float *x = space;
    const int direct = norm_stores(p);
    struct norm_target target = {space, dst + to * type_bytes(p->dst_type), direct ? p->dst_type : 0, 0};
    target.past = p->streams && STREAMS_ROW(target.to, TYPE_U8, 0);
#if NORM_IN_PLACE
    if (p->src_type == TYPE_F32 && p->src_stride == 1) x = (const float *)src + from;
    if (!direct && p->dst_type == TYPE_F32 && p->dst_stride == 1) target.y = (float *)dst + to;
#endif
    if (x == space) row_load(space, src, p->src_type, from, p->src_stride, (int)p->length);
    if (!p->given) {
        const float n = (float)p->length;
        *mean = p->about_zero ? 0.0f : f32_div(norm_sum(x, p->length, 0, 0.0f), n);
        *variance = f32_div(norm_sum(x, p->length, 1, *mean), n);
    }
    const float factor = f32_div(1.0f, f32_sqrt(*variance + p->eps));
    const int bytes = type_bytes(p->src_type);
    const i64 next = p->nloops > 0 ? from + p->loops[p->nloops - 1].src : from;
    const struct norm_ahead ahead = {src + next * bytes, 16 * bytes};
    norm_apply(&target, x, p->length, *mean, factor, scale, shift, ahead);
    if (!direct && target.y == space)
        row_store_rows(dst, p->dst_type, to, p->dst_stride, space, (int)p->length, 0, 1, p->streams);
}

/* Range: rows / span. dst may be src. */
#if WANTED(normalize_rows)
kernel void normalize_rows(ITEM global const uchar *src, global const uchar *scales,
                           global const uchar *shifts, global float *means, global float *variances,
                           global uchar *dst, constant struct norm_rows_params *p) {
    struct norm_space space;
    const i64 first = (i64)get_global_id(0) * p->span,
              last = first + p->span < p->rows ? first + p->span : p->rows;
    const float *scale = norm_weights(space.scale, scales, p->scale_type, p->scale_offset, p->length);
    const float *shift = norm_weights(space.shift, shifts, p->shift_type, p->shift_offset, p->length);
    for (i64 row = first; row < last; row++) {
        i64 from = p->src_offset, to = p->dst_offset, stat = 0, rest = row;
#pragma nounroll
        for (int l = p->nloops - 1; l >= 0; l--) {
            i64 outer = l > 0 ? rest / p->loops[l].size : 0, i = rest - outer * p->loops[l].size;
            from += i * p->loops[l].src;
            to += i * p->loops[l].dst;
            stat += i * p->loops[l].stat;
            rest = outer;
        }
        float mean = 0.0f, variance = 0.0f;
        if (p->given && !p->about_zero) mean = means[p->mean_offset + stat];
        if (p->given) variance = variances[p->variance_offset + stat];
        norm_row(p, src, from, dst, to, &mean, &variance, scale, shift, space.row);
        if (p->training && !p->about_zero) means[p->mean_offset + stat] = mean;
        if (p->training) variances[p->variance_offset + stat] = variance;
    }
    if (STREAMED(p->streams)) STREAM_END();
}
#endif

/* What the channels of a block are normalised with, for one period. Channels that do not exist give 0. */
struct norm_period {
    float mean[NORM_PERIOD], factor[NORM_PERIOD], shift[NORM_PERIOD];
};

/* The first `width` values, again and again up to `period`, a multiple of 16. */
INLINE void norm_repeat(float *values, int width, int period) {
    if (width == 1) { /* no load of a vector of one, which SPIR-V does not have */
        const float same = values[0];
        for (int i = 1; i < period; i++)
            values[i] = same;
        return;
    }
#pragma nounroll
    for (int i = width; i < period; i++)
        values[i] = values[i - width];
}

/* scale / sqrt(variance + eps) of the channels from `first` on: factor has their variances. */
INLINE void norm_factor(constant struct norm_dense_params *p, float *factor, i64 first, int width,
                        global const float *scales) {
#pragma nounroll
    for (int i = 0; i < width; i += 16) {
        float16 root = f32_sqrt(vload16(0, factor + i) + (float16)(p->eps));
        vstore16(f32_div((float16)(1.0f), root), 0, factor + i);
    }
    if (p->scale_offset < 0 && first + width <= p->channels) return;
#pragma nounroll
    for (int i = 0; i < width; i++) {
        const int exists = first + i < p->channels;
        float scale = exists && p->scale_offset >= 0 ? scales[p->scale_offset + first + i] : 1.0f;
        factor[i] = exists ? factor[i] * scale : 0.0f;
    }
}

INLINE void norm_period(struct norm_period *to, constant struct norm_dense_params *p, i64 block,
                        global const float *means, global const float *variances, global const float *scales,
                        global const float *shifts) {
    const i64 image = block / p->cut.channel_blocks,
              first = (block - image * p->cut.channel_blocks) * p->cut.width;
    const int period = (int)p->cut.period, width = p->cut.width < p->cut.period ? (int)p->cut.width : period;
#pragma nounroll
    for (int i = 0; i < width; i++) {
        const i64 c = first + i, stat = image * p->image + (p->share == 1 ? c : c / p->share);
        const int exists = c < p->channels;
        to->mean[i] = exists ? means[p->mean_offset + stat] : 0.0f;
        to->factor[i] = exists ? variances[p->variance_offset + stat] : 1.0f;
        to->shift[i] = exists && p->shift_offset >= 0 ? shifts[p->shift_offset + c] : 0.0f;
    }
#pragma nounroll
    for (int i = width; i % 16 != 0; i++)
        to->factor[i] = 1.0f;
    norm_factor(p, to->factor, first, width, scales);
    norm_repeat(to->mean, width, period);
    norm_repeat(to->factor, width, period);
    norm_repeat(to->shift, width, period);
}

struct norm_run {
    global const uchar *src;
    global uchar *dst, *mask; /* mask NULL: none */
    i64 from, to, place;      /* of the first element in src, dst and mask */
    i64 n;
    float least; /* results are at least this */
    int period;
    int streams; /* results bypass the caches */
};

#define NORM_LOOP(LOAD, STORE)                                                                               \
    for (; i + 16 <= r->n; i += 16) {                                                                        \
        float16 y = fma(LOAD(r->from + i) - vload16(0, c->mean + at), vload16(0, c->factor + at),            \
                        vload16(0, c->shift + at));                                                          \
        if (r->mask)                                                                                         \
            vstore16(convert_uchar16(y > 0.0f ? (uint16)(1u) : (uint16)(0u)), 0, r->mask + r->place + i);    \
        y = y < least ? least : y;                                                                           \
        STORE(y, r->to + i);                                                                                 \
        at = at + 16 < r->period ? at + 16 : 0;                                                              \
    }

/* Whole periods, a few of them at a time, and of these NORM_GROUP vectors of channels: what they are
 * normalised with stays in registers. Reading it again for every vector takes longer than the memory. */
#ifdef __AVX512F__
enum { NORM_GROUP = 4 };
#else
enum { NORM_GROUP = 2 };
#endif
struct norm_group {
    float16 mean[NORM_GROUP], factor[NORM_GROUP], shift[NORM_GROUP];
};

INLINE struct norm_group norm_group(const struct norm_period *c, int at) {
    struct norm_group g;
#pragma unroll
    for (int k = 0; k < NORM_GROUP; k++) {
        g.mean[k] = vload16(k, c->mean + at);
        g.factor[k] = vload16(k, c->factor + at);
        g.shift[k] = vload16(k, c->shift + at);
    }
    return g;
}

INLINE i64 norm_periods(const struct norm_run *r, i64 i) {
    enum { TILE = 1024, LEAST = 4 };
    if (r->mask || r->period % (16 * NORM_GROUP) != 0) return 0;
    const i64 most = TILE / r->period > LEAST ? TILE / r->period : LEAST, left = (r->n - i) / r->period;
    return left < most ? left : most;
}

#define NORM_TILES(LOAD, STORE)                                                                              \
    for (i64 rows; (rows = norm_periods(r, i)) > 0; i += rows * r->period)                                   \
        for (int column = 0; column < r->period; column += 16 * NORM_GROUP) {                                \
            const struct norm_group g = norm_group(c, column);                                               \
            for (i64 row = 0; row < rows; row++) {                                                           \
                const i64 begin = i + row * r->period + column;                                              \
                _Pragma("unroll") for (int k = 0; k < NORM_GROUP; k++) {                                     \
                    float16 y = fma(LOAD(r->from + begin + k * 16) - g.mean[k], g.factor[k], g.shift[k]);    \
                    y = y < least ? least : y;                                                               \
                    STORE(y, r->to + begin + k * 16);                                                        \
                }                                                                                            \
            }                                                                                                \
        }
#define NORM_ALL(LOAD, STORE)                                                                                \
    NORM_TILES(LOAD, STORE)                                                                                  \
    NORM_LOOP(LOAD, STORE)
#define LOAD_F32(i) vload16(0, (global const float *)r->src + (i))
#define LOAD_F16(i) widen_f16(convert_uint16(vload16(0, (global const ushort *)r->src + (i))))
#define LOAD_BF16(i) widen_bf16(convert_uint16(vload16(0, (global const ushort *)r->src + (i))))
#define LOAD_S8(i) widen_s8(convert_uint16(vload16(0, r->src + (i))))
#define STORE_F32(y, i) STREAM_OR_STORE(y, (global float *)r->dst + (i), streams)
#define STORE_F16(y, i) STREAM_OR_STORE(narrow_f16(y), (global ushort *)r->dst + (i), streams)
#define STORE_BF16(y, i) STREAM_OR_STORE(narrow_bf16(y), (global ushort *)r->dst + (i), streams)
#define STORE_S8(y, i) STREAM_OR_STORE(convert_uchar16(lanes_s8(y)), r->dst + (i), streams)

/* What the vectors of a run have left over, or all of it if the types have no loop of their own. */
OUTLINE void norm_rest(const struct norm_run *r, const struct norm_period *c, int src_type, int dst_type,
                       i64 i, int at) {
    for (; i < r->n; i += 16) {
        const int count = r->n - i < 16 ? (int)(r->n - i) : 16;
        float values[16];
        row_load(values, r->src, src_type, r->from + i, 1, count);
        float16 y = fma(vload16(0, values) - vload16(0, c->mean + at), vload16(0, c->factor + at),
                        vload16(0, c->shift + at));
        vstore16(y, 0, values);
        for (int k = 0; k < count && r->mask; k++)
            r->mask[r->place + i + k] = values[k] > 0.0f;
        vstore16(y < r->least ? (float16)(r->least) : y, 0, values);
        row_store(r->dst, dst_type, r->to + i, 1, values, count);
        at = at + 16 < r->period ? at + 16 : 0;
    }
}

INLINE void norm_run(const struct norm_run *given, const struct norm_period *c, int src_type, int dst_type) {
    const struct norm_run copy = *given, *r = &copy; /* no store changes it */
    const float16 least = (float16)(r->least);
    const int streams = r->streams && STREAMS_ROW(r->dst, dst_type, r->to);
    i64 i = 0;
    int at = 0;
    if (src_type == dst_type) switch (src_type) {
        case TYPE_F32: NORM_ALL(LOAD_F32, STORE_F32) break;
        case TYPE_F16: NORM_ALL(LOAD_F16, STORE_F16) break;
        case TYPE_BF16: NORM_ALL(LOAD_BF16, STORE_BF16) break;
        case TYPE_S8: NORM_ALL(LOAD_S8, STORE_S8) break;
        }
    if (i < given->n) norm_rest(given, c, src_type, dst_type, i, at);
}

/* A block that is a small image of f32 with a channel of its own: filling a period would take longer than the
 * image. */
INLINE int norm_is_plane(constant struct norm_dense_params *p) {
    enum { SMALL = 256 };
    return p->cut.width == 1 && p->cut.length <= SMALL && p->cut.pieces == 1 && !p->mask
           && p->src_type == TYPE_F32 && p->dst_type == TYPE_F32;
}

INLINE void norm_plane(constant struct norm_dense_params *p, const struct norm_run *r, i64 block,
                       global const float *means, global const float *variances, global const float *scales,
                       global const float *shifts) {
    const i64 image = block / p->cut.channel_blocks, c = block - image * p->cut.channel_blocks,
              stat = image * p->image + (p->share == 1 ? c : c / p->share);
    const float mean = means[p->mean_offset + stat],
                shift = p->shift_offset < 0 ? 0.0f : shifts[p->shift_offset + c],
                inverse = f32_div(1.0f, f32_sqrt(variances[p->variance_offset + stat] + p->eps)),
                factor = p->scale_offset < 0 ? inverse : inverse * scales[p->scale_offset + c];
    global const float *src = (global const float *)r->src + r->from;
    global float *dst = (global float *)r->dst + r->to;
    i64 i = 0;
#pragma nounroll
    for (; i + 16 <= r->n; i += 16) {
        const float16 y = fma(vload16(0, src + i) - mean, (float16)(factor), (float16)(shift));
        vstore16(y < r->least ? (float16)(r->least) : y, 0, dst + i);
    }
#pragma nounroll
    for (; i < r->n; i++) {
        const float y = fma(src[i] - mean, factor, shift);
        dst[i] = y < r->least ? r->least : y;
    }
}

/* Range: pieces of all blocks / span. dst may be src. */
#if WANTED(normalize_dense)
kernel void normalize_dense(ITEM global const uchar *src, global const float *means,
                            global const float *variances, global const float *scales,
                            global const float *shifts, global uchar *dst, global uchar *mask,
                            constant struct norm_dense_params *p) {
    struct norm_period period;
    const i64 first = (i64)get_global_id(0) * p->cut.span, all = p->cut.blocks * p->cut.pieces,
              last = first + p->cut.span < all ? first + p->cut.span : all;
    struct norm_run r = {
            src,       dst, p->mask ? mask : 0, 0, 0, 0, 0, p->relu ? 0.0f : -INFINITY, (int)p->cut.period,
            p->streams};
    const int planes = norm_is_plane(p);
    i64 ready = -1;
    for (i64 piece = first; piece < last; piece++) {
        const i64 block = piece / p->cut.pieces, begin = (piece - block * p->cut.pieces) * p->cut.piece,
                  left = p->cut.length - begin, at = block * p->cut.length + begin;
        r.from = p->src_offset + at;
        r.to = p->dst_offset + at;
        r.n = left < p->cut.piece ? left : p->cut.piece;
        r.place = at;
        if (planes) {
            norm_plane(p, &r, block, means, variances, scales, shifts);
            continue;
        }
        if (block != ready) norm_period(&period, p, block, means, variances, scales, shifts);
        ready = block;
        norm_run(&r, &period, p->src_type, p->dst_type);
    }
    if (STREAMED(p->streams)) STREAM_END();
}
#endif

/* Range: count / 16. */
#if WANTED(normalization_factors)
kernel void normalization_factors(ITEM global const float *mean, global const float *variance,
                                  global const float *scale, global float *factor,
                                  constant struct norm_factors_params *p) {
    const i64 begin = (i64)get_global_id(0) * 16;
    const i64 left = p->count - begin < 16 ? p->count - begin : 16;
    float v[16], s[16];
#pragma nounroll
    for (i64 k = 0; k < 16; k++)
        v[k] = s[k] = 1.0f;
#pragma nounroll
    for (i64 k = 0; k < left; k++) {
        const i64 i = begin + k, stat = p->share == 1 ? i : i / p->share;
        v[k] = variance[p->variance_offset + stat];
        if (p->scale_offset >= 0) s[k] = scale[p->scale_offset + i % p->channels];
        if (p->expanded_offset >= 0) factor[p->expanded_offset + i] = mean[p->mean_offset + stat];
    }
    vstore16(f32_div(vload16(0, s), f32_sqrt(vload16(0, v) + (float16)(p->eps))), 0, v);
#pragma nounroll
    for (i64 k = 0; k < left; k++)
        factor[p->factor_offset + begin + k] = v[k];
}
#endif
