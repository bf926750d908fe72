/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of lib/product.h for f64. Only for families that run on devices with doubles. */
#ifndef LODE_KERNELS_LIB_PRODUCT_F64_H
#define LODE_KERNELS_LIB_PRODUCT_F64_H

#include "kernels/lib/product.h"

INLINE double product_f64(constant struct product *p, struct operands *o, i64 shift, i64 first, i64 last,
                          double sum) {
    o->src_position[p->src_dim] = o->weights_position[p->weights_dim] = 0;
    i64 src = tensor_offset(&p->src, o->src_position);
    i64 weights = tensor_offset(&p->weights, o->weights_position);
#pragma nounroll
    for (i64 i = first; i < last; i++) {
        i64 s = offset_along(&p->src, src, o->src_position, p->src_dim, shift + i);
        i64 w = offset_along(&p->weights, weights, o->weights_position, p->weights_dim, i);
        sum = fma(((global const double *)o->src)[s], ((global const double *)o->weights)[w], sum);
    }
    return sum;
}

INLINE double product_scale_f64(constant struct product *p, const struct epilogue_state *e,
                                const struct operands *o, double sum) {
    sum *= (double)quant_value(e, &p->src_scale, o->src_position, 1.0f);
    return sum * (double)quant_value(e, &p->weights_scale, o->weights_position, 1.0f);
}

/* Post-ops are computed in f32, as in all kernels. */
INLINE void product_store_f64(constant struct product *p, const struct epilogue_state *e,
                              global const uchar *bias, const i64 *bias_position, global uchar *dst,
                              i64 offset, const i64 *position, double x) {
    if (p->has_bias) {
        const i64 at = tensor_offset(&p->bias, bias_position);
        x += p->bias.type == TYPE_F64 ? ((global const double *)bias)[at]
                                      : (double)load_f32(bias, p->bias.type, at);
    }
    if (p->bare)
        ((global double *)dst)[offset] = x;
    else
        store_f32(dst, p->epilogue.type, offset, epilogue_finish(e, (float)x, position));
}

#endif
