/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reorders: dst = (src - its zero point) * its scale, then the epilogue. The padding of dst becomes zero.
 */
#include "kernels/lib/epilogue.h"
#include "kernels/lib/rows.h"
#include "kernels/lib/turn_lines.h"
#include "kernels/params_reorder.h"

INLINE void copy_bits(global const uchar *src, i64 from, global uchar *dst, i64 to, int bits) {
    switch (bits) {
    case 4: store_nibble(dst, to, load_nibble(src, from)); break;
    case 8: dst[to] = src[from]; break;
    case 16: ((global ushort *)dst)[to] = ((global const ushort *)src)[from]; break;
    case 32: ((global uint *)dst)[to] = ((global const uint *)src)[from]; break;
    case 64: ((global ulong *)dst)[to] = ((global const ulong *)src)[from]; break;
    }
}

INLINE void zero_bits(global uchar *dst, i64 to, int bits) {
    switch (bits) {
    case 4: store_nibble(dst, to, 0); break;
    case 8: dst[to] = 0; break;
    case 16: ((global ushort *)dst)[to] = 0; break;
    case 32: ((global uint *)dst)[to] = 0; break;
    case 64: ((global ulong *)dst)[to] = 0; break;
    }
}

/* Range: parts of dst. */
#if WANTED(reorder_universal)
kernel void reorder_universal(ITEM global const uchar *src, global uchar *dst, EPILOGUE_ARGS,
                              constant struct reorder_params *p) {
    struct epilogue_state e = EPILOGUE_STATE(&p->epilogue);
    const int src_type = p->src.type, type = p->epilogue.type, travel = p->travel, bits = p->bits;
    struct walker w;
    for (walk_begin(&w, &p->walk, get_global_id(0)); w.left > 0; walk_next(&w, &p->walk)) {
        if (!w.inside) {
            zero_bits(dst, w.offset, bits);
            continue;
        }
        i64 from = tensor_offset(&p->src, w.position);
        if (travel == REORDER_BITS) {
            copy_bits(src, from, dst, w.offset, bits);
        } else if (travel == REORDER_INTEGER) {
            store_s32(dst, type, w.offset, load_s32(src, src_type, from));
        } else if (travel == REORDER_CONVERT) {
            store_f32(dst, type, w.offset, load_f32(src, src_type, from));
        } else {
            float x = load_f32(src, src_type, from) - quant_value(&e, &p->src_zero_point, w.position, 0.0f);
            x = epilogue_finish(&e, epilogue_scale(&e, x, w.position), w.position);
            store_f32(dst, type, w.offset, x);
        }
    }
}
#endif

/* The scale of a group, rounded to its type. A power-of-two scale is the quotient of the largest element and
 * `most`, both with their mantissas cleared. */
INLINE float group_scale(constant struct quantize_params *p, float largest) {
    if (p->scale == SCALE_POWER_OF_TWO) {
        int exponent = (int)e8m0_from_f32(largest);
        if (exponent == 0xff) return e8m0_to_f32(0xffu);
        exponent -= (int)e8m0_from_f32(p->most) - 127;
        return e8m0_to_f32(exponent < 0 ? 0u : (uint)exponent);
    }
    if (largest == 0.0f) return 1.0f;
    const float exact = f32_div(largest, p->most), most = 448.0f, least = 0x1p-9f; /* of f8_e4m3 */
    float scale = f8_e4m3_to_f32(f8_e4m3_from_f32(exact < most ? exact : most));
    return scale < least ? least : scale;
}

/* Element i of the group that begins at `corner`. */
INLINE float group_element(global const uchar *src, constant struct quantize_params *p, const i64 *corner,
                           i64 i, i64 *position) {
    position_of(i, p->ndims, p->sizes, position);
#pragma nounroll
    for (int d = 0; d < p->ndims; d++)
        position[d] += corner[d];
    return ((global const float *)src)[tensor_offset(&p->src, position)];
}

/* Range: parts of the list of groups. */
#if WANTED(quantize_groups)
kernel void quantize_groups(ITEM global const uchar *src, global uchar *dst, global uchar *scales,
                            global const uchar *seed, constant struct quantize_params *p) {
    i64 corner[TENSOR_DIMS], position[TENSOR_DIMS];
    const i64 first = (i64)get_global_id(0) * p->span;
    for (i64 g = first; g < first + p->span && g < p->groups; g++) {
        position_of(g, p->ndims, p->counts, corner);
#pragma nounroll
        for (int d = 0; d < p->ndims; d++)
            corner[d] *= p->sizes[d];
        float largest = 0.0f;
        for (i64 i = 0; i < p->elements; i++) {
            float x = group_element(src, p, corner, i, position);
            largest = x > largest ? x : -x > largest ? -x : largest;
        }
        const float scale = group_scale(p, largest), inverse = f32_div(1.0f, scale);
        store_f32(scales, p->scale_type, g, scale);
        for (i64 i = 0; i < p->elements; i++) {
            float x = group_element(src, p, corner, i, position) * inverse;
            x = x > p->most ? p->most : x < -p->most ? -p->most : x;
            if (p->rounding.bits != 0) x = round_stochastically(&p->rounding, seed, x, position);
            store_f32(dst, p->dst.type, tensor_offset(&p->dst, position), x);
        }
    }
}
#endif

/* Tiles: shared by both kernels that use them. */

/* The state of the loops around the tiles: offsets in src and dst, and the position. */
struct tile_place {
    i64 src, dst;
    int inside; /* 0: padding of dst */
    i64 position[TENSOR_DIMS + 1];
};

/* One part of a tile: x0 to x1 and y0 to y1, of which the elements below x_valid and y_valid come from src.
 */
struct tile_part {
    i64 src, dst; /* offsets */
    i64 x0, x1, x_valid, y0, y1, y_valid;
};

/* Clips a loop from `begin` to `end`, of which `left` steps are within the limit: returns where dst ends, and
 * sets *valid to where src ends. */
INLINE i64 tile_end(i64 begin, i64 end, i64 left, int pads, i64 *valid) {
    *valid = left < end ? (left > begin ? left : begin) : end;
    return pads ? end : *valid;
}

/* Does a position exist along dimension d of dst? *inside becomes 0 where it is padding. */
INLINE int tile_exists(constant struct reorder_tiles_params *p, const i64 *position, int d, int *inside) {
    if (position[d] < p->limits[d]) return 1;
    *inside = 0;
    return p->pads[d];
}

/* Returns 0 if dst has nothing there. */
INLINE int tile_outer(constant struct reorder_tiles_params *p, i64 index, struct tile_place *place) {
    const int xd = p->x.dim, yd = p->y.dim;
    place->src = p->src_offset;
    place->dst = p->dst_offset;
    place->inside = 1;
#pragma nounroll
    for (int d = 0; d <= TENSOR_DIMS; d++)
        place->position[d] = 0;
#pragma nounroll
    for (int l = p->nouter - 1; l >= 0; l--) {
        constant struct tile_loop *loop = &p->loops[l];
        i64 rest = index / loop->size, i = index - rest * loop->size;
        place->src += i * loop->src_stride;
        place->dst += i * loop->dst_stride;
        place->position[loop->dim] += i * loop->step;
        index = rest;
    }
#pragma nounroll
    for (int d = 0; d <= TENSOR_DIMS; d++)
        if (d != xd && d != yd && !tile_exists(p, place->position, d, &place->inside)) return 0;
    return 1;
}

/* The part of a tile that ends at x1 and y1, at one z. Returns 0 if dst has nothing there. */
INLINE int tile_inner(constant struct reorder_tiles_params *p, const struct tile_place *place, i64 z, i64 x1,
                      i64 y1, struct tile_part *t) {
    const int xd = p->x.dim, yd = p->y.dim, zd = p->z.dim;
    i64 at[TENSOR_DIMS + 1];
    int inside = place->inside;
    at[xd] = place->position[xd], at[yd] = place->position[yd], at[zd] = place->position[zd];
    at[zd] += z * p->z.step;
    if (zd != xd && zd != yd && !tile_exists(p, at, zd, &inside)) return 0;
    t->src = place->src + z * p->z.src_stride;
    t->dst = place->dst + z * p->z.dst_stride;
    t->x0 = x1 - p->tile_x;
    t->y0 = y1 - p->tile_y;
    t->x1 = tile_end(t->x0, x1 < p->x.size ? x1 : p->x.size, p->limits[xd] - at[xd], p->pads[xd],
                     &t->x_valid);
    i64 y_left = p->limits[yd] - at[yd];
    if (p->y.step != 1) y_left = (y_left + p->y.step - 1) / p->y.step;
    t->y1 = tile_end(t->y0, y1 < p->y.size ? y1 : p->y.size, y_left, p->pads[yd], &t->y_valid);
    if (!inside) t->y_valid = t->y0;
    return 1;
}

/* Runs PART for each part `t` of a work-item's tile. z is the slowest: threads then have images of their own,
 * as in the launches before and after. */
#define FOR_TILE_PARTS(p_, PART)                                                                             \
    struct tile_place place;                                                                                 \
    if (!tile_outer(p_, get_global_id(2), &place)) return;                                                   \
    const i64 tiles_y = ((p_)->y.size + (p_)->tile_y - 1) / (p_)->tile_y, tile = get_global_id(1);           \
    const i64 z0 = tile / tiles_y * (p_)->tile_z;                                                            \
    const i64 x1 = (i64)(get_global_id(0) + 1) * (p_)->tile_x, y1 = (tile % tiles_y + 1) * (p_)->tile_y;     \
    for (i64 z = z0; z < z0 + (p_)->tile_z && z < (p_)->z.size; z++) {                                       \
        struct tile_part t;                                                                                  \
        if (tile_inner(p_, &place, z, x1, y1, &t)) PART;                                                     \
    }                                                                                                        \
    if (STREAMED((p_)->streams)) STREAM_END();

/* 32-bit elements that keep their type. */

#define WORD float
#define QUAD float4
#define NAME(name) name##_32
#define SIDE 8
#define TURN TRANSPOSE_8X8
#ifdef NATIVE_AVX512
#define TURN_SQUARE transpose_16x16
#define SQUARE 16
#endif
#define RUN_VECTOR float16
#define RUN_LOAD vload16
#define RUN_STORE vstore16
#define RUN_LENGTH 16
#include "kernels/lib/reorder_part.h"

/* Range: tiles of x, tiles of y and z, iterations of the loops around them. */
#if WANTED(x32_reorder_tiles)
kernel void x32_reorder_tiles(ITEM global const float *src, global float *dst,
                              constant struct reorder_tiles_params *p){
        FOR_TILE_PARTS(p, reorder_part_32(p, &t, src, dst))}
#endif

/* Rows of several sources, side by side: dst is written once, from its beginning to its end. */

#define DEFINE_CONCAT_ROWS(bits, WORD)                                                                       \
    INLINE void concat_run_##bits(global const WORD *from, global WORD *to, i64 run, int streams) {          \
        i64 i = 0;                                                                                           \
        if (from == to) return; /* the source lies in place */                                               \
        if (STREAMED(streams) && run * (i64)sizeof(WORD) >= 256) {                                           \
            stream_bytes((uchar *)to, (const uchar *)from, run * (i64)sizeof(WORD));                         \
            return;                                                                                          \
        }                                                                                                    \
        for (; i + 16 <= run; i += 16)                                                                       \
            vstore16(vload16(0, from + i), 0, to + i);                                                       \
        for (; i < run; i++)                                                                                 \
            to[i] = from[i];                                                                                 \
    }                                                                                                        \
                                                                                                             \
    kernel void x##bits##_concat_rows(ITEM global const WORD *src0, global const WORD *src1,                 \
                                      global const WORD *src2, global const WORD *src3,                      \
                                      global const WORD *src4, global const WORD *src5,                      \
                                      global const WORD *src6, global const WORD *src7, global WORD *dst,    \
                                      constant struct concat_rows_params *p) {                               \
        global const WORD *const srcs[CONCAT_SOURCES] = {src0, src1, src2, src3, src4, src5, src6, src7};    \
        const i64 first = (i64)get_global_id(0) * p->span;                                                   \
        for (i64 row = first; row < first + p->span && row < p->rows; row++)                                 \
            _Pragma("nounroll") for (int i = 0; i < p->count; i++) {                                         \
                constant struct concat_source *source = &p->sources[i];                                      \
                concat_run_##bits(srcs[i] + source->src_offset + row * source->src_stride,                   \
                                  dst + source->dst_offset + row * p->dst_stride, source->run, p->streams);  \
            }                                                                                                \
        if (STREAMED(p->streams)) STREAM_END();                                                              \
    }

/* Range: parts of the rows. */
#if WANTED(x8_concat_rows)
DEFINE_CONCAT_ROWS(8, uchar)
#endif
#if WANTED(x16_concat_rows)
        DEFINE_CONCAT_ROWS(16, ushort)
#endif
#if WANTED(x32_concat_rows)
                DEFINE_CONCAT_ROWS(32, uint)
#endif

/* 64 bits. */

/* Whole lines of the cache on both sides: rows that are pages apart drive each other out of the L1 cache. */
#ifdef NATIVE_AVX512
                        INLINE void turn_8x8_64(const ulong *from, i64 from_pitch, ulong *to, i64 to_pitch) {
#pragma unroll
    for (int c = 0; c < 8; c += 2) {
        __m512d rows[2]; /* two columns of the even rows, and of the odd ones */
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const double *at = (const double *)(from + i * from_pitch + c);
            rows[i] = _mm512_castpd128_pd512(_mm_loadu_pd(at));
            rows[i] = _mm512_insertf64x2(rows[i], _mm_loadu_pd(at + 2 * from_pitch), 1);
            rows[i] = _mm512_insertf64x2(rows[i], _mm_loadu_pd(at + 4 * from_pitch), 2);
            rows[i] = _mm512_insertf64x2(rows[i], _mm_loadu_pd(at + 6 * from_pitch), 3);
        }
        KEEP_ORDER_64(rows[0], rows[1]);
        _mm512_storeu_pd(to + c * to_pitch, _mm512_unpacklo_pd(rows[0], rows[1]));
        _mm512_storeu_pd(to + (c + 1) * to_pitch, _mm512_unpackhi_pd(rows[0], rows[1]));
    }
}
#else
INLINE void turn_8x8_64(global const ulong *from, i64 from_pitch, global ulong *to, i64 to_pitch) {
    for (int i = 0; i < 8; i += 4)
        for (int k = 0; k < 8; k += 4)
            TRANSPOSE_4X4_64(from + i * from_pitch + k, from_pitch, to + k * to_pitch + i, to_pitch)
}
#endif

#define WORD ulong
#define QUAD ulong4
#define NAME(name) name##_64
#define SIDE 4
#define TURN TRANSPOSE_4X4_64
#define TURN_SQUARE turn_8x8_64
#define SQUARE 8
#define RUN_VECTOR ulong8
#define RUN_LOAD vload8
#define RUN_STORE vstore8
#define RUN_LENGTH 8
#include "kernels/lib/reorder_part.h"

#if WANTED(x64_reorder_tiles)
kernel void x64_reorder_tiles(ITEM global const ulong *src, global ulong *dst,
                              constant struct reorder_tiles_params *p){
        FOR_TILE_PARTS(p, reorder_part_64(p, &t, src, dst))}
#endif

/* 16 and 8 bits, in the kernel that also converts. */

#define WORD ushort
#define QUAD ushort4
#define NAME(name) name##_16
#define SIDE 8
#define TURN TRANSPOSE_8X8_16
#define TURN_LINE turn_line_16
#define RUN_VECTOR ushort16
#define RUN_LOAD vload16
#define RUN_STORE vstore16
#define RUN_LENGTH 16
#include "kernels/lib/reorder_part.h"

#define WORD uchar
#define QUAD uchar4
#define NAME(name) name##_8
#define SIDE 16
#define TURN TRANSPOSE_16X16_8
#define TURN_LINE turn_line_8
#define RUN_VECTOR uchar16
#define RUN_LOAD vload16
#define RUN_STORE vstore16
#define RUN_LENGTH 16
#include "kernels/lib/reorder_part.h"

/* Elements that change their type: a run at a time, as floats. */

enum {
    RUN = 64,
    TRANSPOSED = 16
}; /* rows of dst in one run of a transposing tile */

/* y is dense in src, x in dst. */
INLINE void convert_transposed(constant struct reorder_tiles_params *p, const struct tile_part *t,
                               global const uchar *src, global uchar *dst) {
    float transposed[TRANSPOSED * RUN + 16];
    const i64 src_x = p->x.src_stride, dst_y = p->y.dst_stride;
    for (i64 y = t->y0; y < t->y_valid; y += TRANSPOSED)
        for (i64 x = t->x0; x < t->x_valid; x += RUN) {
            const int n = t->x_valid - x < RUN ? (int)(t->x_valid - x) : RUN;
            const int rows = t->y_valid - y < TRANSPOSED ? (int)(t->y_valid - y) : TRANSPOSED;
            row_load_transposed(transposed, src, p->src_type, t->src + x * src_x + y, src_x, n, rows);
            row_store_rows(dst, p->dst_type, t->dst + y * dst_y + x, 1, transposed, n, dst_y, rows, 0);
        }
}

INLINE void convert_rows(constant struct reorder_tiles_params *p, const struct tile_part *t,
                         global const uchar *src, global uchar *dst) {
    const i64 src_x = p->x.src_stride;
    float run[RUN];
    for (i64 y = t->y0; y < t->y_valid; y++)
        for (i64 x = t->x0; x < t->x_valid; x += RUN) {
            const i64 from = t->src + y * p->y.src_stride + x * src_x, to = t->dst + y * p->y.dst_stride + x;
            int n = t->x_valid - x < RUN ? (int)(t->x_valid - x) : RUN;
            row_load(run, src, p->src_type, from, src_x, n);
            row_store(dst, p->dst_type, to, 1, run, n);
        }
}

/* Groups of 32 bits, each from rows of src that are `step` elements apart: one element of each, or 0. */
#define GROUP_ROWS(type_, bits_, rows_)                                                                      \
    for (; y + 16 <= t->y_valid; y += 16) {                                                                  \
        uint16 group = (uint16)(0);                                                                          \
        for (int k = 0; k < (rows_); k++)                                                                    \
            group |= convert_uint16(vload16(0, (global const type_ *)src + from + k * step + y))             \
                     << (uint)(bits_ * k);                                                                   \
        group_store(group, (global uint *)dst + to + y * dst_y, dst_y);                                      \
    }                                                                                                        \
    for (; y < t->y_valid; y++) {                                                                            \
        uint group = 0;                                                                                      \
        for (int k = 0; k < (rows_); k++)                                                                    \
            group |= (uint)((global const type_ *)src)[from + k * step + y] << (bits_ * k);                  \
        ((global uint *)dst)[to + y * dst_y] = group;                                                        \
    }

INLINE void group_store(uint16 groups, global uint *dst, i64 step) {
    uint each[16];
    if (step == 1) {
        vstore16(groups, 0, dst);
        return;
    }
    vstore16(groups, 0, each);
#pragma unroll
    for (int i = 0; i < 16; i++)
        dst[i * step] = each[i];
}

INLINE void copy_groups(constant struct reorder_tiles_params *p, const struct tile_part *t,
                        global const uchar *src, global uchar *dst) {
    const i64 size = p->x.size, from = t->src, step = p->x.src_stride;
    const i64 to = t->dst / size, dst_y = p->y.dst_stride / size;
    const int rows = (int)t->x_valid;
    i64 y = t->y0;
    if (size == 2) {
        GROUP_ROWS(ushort, 16, rows)
    } else if (rows == 4) {
        GROUP_ROWS(uchar, 8, 4)
    } else {
        GROUP_ROWS(uchar, 8, rows)
    }
}

/* Pixels of two or three bytes, one after the other in dst? */
INLINE int has_pixels(constant struct reorder_tiles_params *p, const struct tile_part *t) {
    const i64 size = p->x.size;
    return p->copy_bits == 8 && p->transpose && (size == 2 || size == 3) && p->y.dst_stride == size
           && t->x0 == 0 && t->x_valid == size;
}

/* Four bytes are stored for each pixel: those behind it are the next pixel's, which is stored after it. */
INLINE void copy_pixels(constant struct reorder_tiles_params *p, const struct tile_part *t,
                        global const uchar *src, global uchar *dst) {
    const i64 size = p->x.size, step = p->x.src_stride;
    global const uchar *from = src + t->src;
    global uchar *to = dst + t->dst;
    uint each[16];
    i64 y = t->y0;
    for (; y + 16 < t->y_valid; y += 16) {
        uint16 pixels =
                convert_uint16(vload16(0, from + y)) | convert_uint16(vload16(0, from + step + y)) << 8u;
        if (size == 3) pixels |= convert_uint16(vload16(0, from + 2 * step + y)) << 16u;
        vstore16(pixels, 0, each);
#pragma unroll
        for (int i = 0; i < 16; i++)
            vstore4(vload4(0, (private const uchar *)(each + i)), 0, to + (y + i) * size);
    }
    for (; y < t->y_valid; y++)
        for (i64 x = 0; x < size; x++)
            to[y * size + x] = from[x * step + y];
}

INLINE void convert_part(constant struct reorder_tiles_params *p, const struct tile_part *t,
                         global const uchar *src, global uchar *dst) {
    const int groups = p->groups && t->x1 == p->x.size, pixels = has_pixels(p, t);
    if (p->copy_bits != 0 && !groups && !pixels) {
        if (p->copy_bits == 8)
            reorder_part_8(p, t, src, dst);
        else
            reorder_part_16(p, t, (global const ushort *)src, (global ushort *)dst);
        return;
    }
    if (groups)
        copy_groups(p, t, src, dst);
    else if (pixels)
        copy_pixels(p, t, src, dst);
    else if (p->transpose)
        convert_transposed(p, t, src, dst);
    else
        convert_rows(p, t, src, dst);
    if (t->x_valid == t->x1 && t->y_valid == t->y1) return;
#pragma nounroll
    for (i64 y = t->y0; y < t->y1; y++)
#pragma nounroll
        for (i64 x = y < t->y_valid ? t->x_valid : t->x0; x < t->x1; x++)
            zero_bits(dst, t->dst + y * p->y.dst_stride + x, p->dst_bits);
}

#if WANTED(convert_tiles)
kernel void convert_tiles(ITEM global const uchar *src, global uchar *dst,
                          constant struct reorder_tiles_params *p) {
    FOR_TILE_PARTS(p, convert_part(p, &t, src, dst))
}
#endif

/* The offsets and position of an element. Vectors, not arrays: GPU registers cannot be indexed. */
struct reorder_item {
    i64 src, dst;
    int4 beyond; /* -1 for dimensions that end before it */
};

INLINE struct reorder_item reorder_item(constant struct reorder_items_params *p, uint index) {
    struct reorder_item place;
    int4 numbers, at = (int4)(0);
    numbers.x = 0, numbers.y = 1, numbers.z = 2, numbers.w = 3;
    place.src = p->src_offset;
    place.dst = p->dst_offset;
#pragma nounroll
    for (int l = p->nloops - 1; l >= 0; l--) {
        constant struct item_loop *loop = &p->loops[l];
        const uint rest = index / loop->size, i = index - rest * loop->size;
        place.src += i * loop->src_stride;
        place.dst += i * loop->dst_stride;
        at += (numbers == (int4)(loop->blocked)) & (int4)((int)i * loop->step);
        index = rest;
    }
    place.beyond = at >= vload4(0, p->limits);
    return place;
}

INLINE int any_lane(int4 v) {
    return v.x | v.y | v.z | v.w;
}

/* Range: count / elements per work-item. The elements of one work-item are as far apart as there are
 * work-items, so adjacent work-items write adjacent elements. */
#if WANTED(reorder_items)
kernel void reorder_items(ITEM global const uchar *src, global uchar *dst,
                          constant struct reorder_items_params *p) {
    const int4 nowhere = ~vload4(0, p->pads);
    const uint step = (uint)get_global_size(0);
#pragma nounroll
    for (uint i = (uint)get_global_id(0); i < p->count; i += step) {
        const struct reorder_item at = reorder_item(p, i);
        if (any_lane(at.beyond & nowhere)) continue;
        if (any_lane(at.beyond)) {
            zero_bits(dst, at.dst, p->dst_bits);
        } else if (p->copy_bits != 0) {
            copy_bits(src, at.src, dst, at.dst, p->copy_bits);
        } else {
            store_f32(dst, p->dst_type, at.dst, load_f32(src, p->src_type, at.src));
        }
    }
}
#endif
