/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reorders: dst = (src - its zero point) * its scale, then the epilogue. The padding of dst becomes zero.
 */
#include "kernels/lib/epilogue.h"
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

/* Range: shares of the walk through dst. */
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

/* The scale of a group, as its type holds it. A power of two is what is left of the largest element and of
 * `most` without their fractions. */
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

/* Range: shares of the groups. */
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
            if (p->rounding.bits != 0) x = round_by_chance(&p->rounding, seed, x, position);
            store_f32(dst, p->dst.type, tensor_offset(&p->dst, position), x);
        }
    }
}
#endif

/* One part of a tile: x0 to x1 and y0 to y1, of which the elements below x_valid and y_valid come from src.
 */
struct tile_part {
    global const float *src;
    global float *dst;
    i64 x0, x1, x_valid, y0, y1, y_valid;
};

/* Eight rows of src become eight rows of dst: three times, every row is interleaved with the one four further
 * on. */
INLINE void turn_8x8(global const float *src, i64 src_x, global float *dst, i64 dst_y) {
    float8 a[8], b[8];
#pragma unroll
    for (int i = 0; i < 8; i++)
        a[i] = vload8(0, src + i * src_x);
#pragma unroll
    for (int step = 0; step < 3; step++) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            b[2 * i].even = a[i].lo;
            b[2 * i].odd = a[i + 4].lo;
            b[2 * i + 1].even = a[i].hi;
            b[2 * i + 1].odd = a[i + 4].hi;
        }
#pragma unroll
        for (int i = 0; i < 8; i++)
            a[i] = b[i];
    }
#pragma unroll
    for (int i = 0; i < 8; i++)
        vstore8(a[i], 0, dst + i * dst_y);
}

/* y is dense in src, x in dst. */
INLINE void turn_part(const struct tile_part *t, i64 src_x, i64 dst_y) {
    const i64 x8 = t->x0 + (t->x_valid - t->x0) / 8 * 8, y8 = t->y0 + (t->y_valid - t->y0) / 8 * 8;
    for (i64 y = t->y0; y < y8; y += 8)
        for (i64 x = t->x0; x < x8; x += 8)
            turn_8x8(t->src + x * src_x + y, src_x, t->dst + y * dst_y + x, dst_y);
    for (i64 x = x8; x < t->x_valid; x++)
        for (i64 y = t->y0; y < y8; y++)
            t->dst[y * dst_y + x] = t->src[x * src_x + y];
    for (i64 y = y8; y < t->y_valid; y++)
        for (i64 x = t->x0; x < t->x_valid; x++)
            t->dst[y * dst_y + x] = t->src[x * src_x + y];
}

/* x is dense in both, or nothing is dense in src. */
INLINE void copy_part(const struct tile_part *t, i64 src_x, i64 src_y, i64 dst_y) {
    for (i64 y = t->y0; y < t->y_valid; y++) {
        global const float *from = t->src + y * src_y;
        global float *to = t->dst + y * dst_y;
        if (src_x == 1)
            for (i64 x = t->x0; x < t->x_valid; x++)
                to[x] = from[x];
        else
            for (i64 x = t->x0; x < t->x_valid; x++)
                to[x] = from[x * src_x];
    }
}

INLINE void zero_padding(const struct tile_part *t, i64 dst_y) {
#pragma nounroll
    for (i64 y = t->y0; y < t->y1; y++)
#pragma nounroll
        for (i64 x = y < t->y_valid ? t->x_valid : t->x0; x < t->x1; x++)
            t->dst[y * dst_y + x] = 0.0f;
}

/* How far a loop goes that begins at `begin` and would end at `end`: *valid is where src ends, and the result
 * where dst does. `left` is what the limit leaves. */
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

/* Range: tiles of x, tiles of y and z, what is around them. */
#if WANTED(x32_reorder_tiles)
kernel void x32_reorder_tiles(ITEM global const float *src, global float *dst,
                              constant struct reorder_tiles_params *p) {
    const int xd = p->x.dim, yd = p->y.dim, zd = p->z.dim;
    i64 index = get_global_id(2), position[TENSOR_DIMS + 1];
    src += p->src_offset;
    dst += p->dst_offset;
#pragma nounroll
    for (int d = 0; d <= TENSOR_DIMS; d++)
        position[d] = 0;
#pragma nounroll
    for (int l = p->nouter - 1; l >= 0; l--) {
        constant struct tile_loop *loop = &p->loops[l];
        i64 rest = index / loop->size, i = index - rest * loop->size;
        src += i * loop->src_stride;
        dst += i * loop->dst_stride;
        position[loop->dim] += i * loop->step;
        index = rest;
    }
    int inside = 1;
#pragma nounroll
    for (int d = 0; d <= TENSOR_DIMS; d++)
        if (d != xd && d != yd && !tile_exists(p, position, d, &inside)) return;

    const i64 tiles_z = (p->z.size + p->tile_z - 1) / p->tile_z, tile = get_global_id(1);
    const i64 z0 = tile % tiles_z * p->tile_z;
    const i64 x1 = (i64)(get_global_id(0) + 1) * p->tile_x, y1 = (tile / tiles_z + 1) * p->tile_y;
    struct tile_part t;
    t.x0 = x1 - p->tile_x;
    t.y0 = y1 - p->tile_y;
#pragma nounroll
    for (i64 z = z0; z < z0 + p->tile_z && z < p->z.size; z++) {
        i64 at[TENSOR_DIMS + 1];
        int z_inside = inside;
        at[xd] = position[xd], at[yd] = position[yd], at[zd] = position[zd];
        at[zd] += z * p->z.step;
        if (zd != xd && zd != yd && !tile_exists(p, at, zd, &z_inside)) continue;
        t.src = src + z * p->z.src_stride;
        t.dst = dst + z * p->z.dst_stride;
        t.x1 = tile_end(t.x0, x1 < p->x.size ? x1 : p->x.size, p->limits[xd] - at[xd], p->pads[xd],
                        &t.x_valid);
        i64 y_left = p->limits[yd] - at[yd];
        if (p->y.step != 1) y_left = (y_left + p->y.step - 1) / p->y.step;
        t.y1 = tile_end(t.y0, y1 < p->y.size ? y1 : p->y.size, y_left, p->pads[yd], &t.y_valid);
        if (!z_inside) t.y_valid = t.y0;
        if (p->turn)
            turn_part(&t, p->x.src_stride, p->y.dst_stride);
        else
            copy_part(&t, p->x.src_stride, p->y.src_stride, p->y.dst_stride);
        if (t.x_valid < t.x1 || t.y_valid < t.y1) zero_padding(&t, p->y.dst_stride);
    }
}
#endif
