/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The universal matrix product: any layout, any types except f64, any attributes. A work-item computes the
 * outputs in its part of dst's memory, one after the other. Every output is one chain over K or, where scales
 * change along K, a sum of such chains, one for each part of K.
 *
 * Range: parts of dst.
 */
#include "kernels/lib/product.h"
#include "kernels/params_matmul.h"

/* The scaled sum of one part of K. */
INLINE float matmul_part(constant struct matmul_params *p, const struct epilogue_state *e, struct operands *o,
                         i64 first, i64 last) {
    float x;
    if (p->product.sum == SUM_S32)
        x = (float)product_s32(&p->product, e, o, 0, first, last, 0);
    else
        x = product_f32(&p->product, e, o, 0, first, last, 0.0f);
    o->src_position[p->product.src_dim] = o->weights_position[p->product.weights_dim] = first;
    return product_scale(&p->product, e, o, x);
}

#if WANTED(matmul_universal)
kernel void matmul_universal(ITEM global const uchar *src, global const uchar *weights,
                             global const uchar *bias, global uchar *dst, EPILOGUE_ARGS,
                             constant struct matmul_params *p) {
    struct epilogue_state e = EPILOGUE_STATE(&p->product.epilogue);
    struct operands o = {.src = src, .weights = weights};
    struct walker out;
    for (walk_begin(&out, &p->walk, get_global_id(0)); out.left > 0; walk_next(&out, &p->walk)) {
        if (!out.inside) {
            store_f32(dst, p->product.epilogue.type, out.offset, 0.0f);
            continue;
        }
        operands_at(&o, out.position, p->walk.ndims);
        if (p->product.bare) {
            store_s32(dst, p->product.epilogue.type, out.offset,
                      product_s32(&p->product, &e, &o, 0, 0, p->depth, 0));
            continue;
        }
        float x = 0.0f;
        for (i64 first = 0; first < p->depth; first += p->group) {
            i64 last = first + p->group < p->depth ? first + p->group : p->depth;
            float part = matmul_part(p, &e, &o, first, last);
            x = first == 0 ? part : x + part;
        }
        product_store(&p->product, &e, bias, out.position, dst, out.offset, out.position, x);
    }
}
#endif
