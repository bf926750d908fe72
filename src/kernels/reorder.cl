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
