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
        } else {
            float x = load_f32(src, src_type, from) - quant_value(&e, &p->src_zero_point, w.position, 0.0f);
            x = epilogue_finish(&e, epilogue_scale(&e, x, w.position), w.position);
            store_f32(dst, type, w.offset, x);
        }
    }
}

/* Elements x0 to x1 of a row: those below `valid` come from src, the others are padding. */
INLINE void copy_row(global const uint *src, i64 src_stride, global uint *dst, i64 x0, i64 x1, i64 valid) {
    i64 x = x0, last = valid < x1 ? valid : x1;
    if (src_stride == 1) {
        for (; x < last; x++)
            dst[x] = src[x];
    } else {
        for (; x < last; x++)
            dst[x] = src[x * src_stride];
    }
#pragma nounroll
    for (; x < x1; x++)
        dst[x] = 0;
}

/* Does a position exist along dimension d of dst? *inside becomes 0 where it is padding. */
INLINE int tile_exists(constant struct reorder_tiles_params *p, const i64 *position, int d, int *inside) {
    if (position[d] < p->limits[d]) return 1;
    *inside = 0;
    return p->pads[d];
}

/* Range: tiles of x, tiles of y and z, what is around them. */
kernel void x32_reorder_tiles(ITEM global const uint *src, global uint *dst,
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
        if (d != xd && !tile_exists(p, position, d, &inside)) return;

    const i64 tiles_z = (p->z.size + p->tile_z - 1) / p->tile_z, tile = get_global_id(1);
    const i64 x0 = (i64)get_global_id(0) * p->tile_x, y0 = tile / tiles_z * p->tile_y,
              z0 = tile % tiles_z * p->tile_z;
    const i64 x1 = x0 + p->tile_x < p->x.size ? x0 + p->tile_x : p->x.size;
    const i64 y1 = y0 + p->tile_y < p->y.size ? y0 + p->tile_y : p->y.size;
    const i64 z1 = z0 + p->tile_z < p->z.size ? z0 + p->tile_z : p->z.size;
#pragma nounroll
    for (i64 y = y0; y < y1; y++)
#pragma nounroll
        for (i64 z = z0; z < z1; z++) {
            i64 at[TENSOR_DIMS + 1];
            at[xd] = position[xd], at[yd] = position[yd], at[zd] = position[zd];
            at[yd] += y * p->y.step;
            at[zd] += z * p->z.step;
            int row_inside = inside;
            if (yd != xd && !tile_exists(p, at, yd, &row_inside)) continue;
            if (zd != xd && !tile_exists(p, at, zd, &row_inside)) continue;
            i64 left = p->limits[xd] - at[xd];
            copy_row(src + y * p->y.src_stride + z * p->z.src_stride, p->x.src_stride,
                     dst + y * p->y.dst_stride + z * p->z.dst_stride, x0,
                     p->pads[xd] || x1 < left ? x1 : left, row_inside ? left : 0);
        }
}
