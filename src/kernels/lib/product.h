/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums of products along one dimension of src and weights, and what is done with a sum: the parts of the
 * universal kernels. Positions are logical, each in its own tensor; the coordinate along the dimension of the
 * sum is overwritten.
 */
#ifndef LODE_KERNELS_LIB_PRODUCT_H
#define LODE_KERNELS_LIB_PRODUCT_H

#include "kernels/lib/epilogue.h"
#include "kernels/params_product.h"

/* The operands of a chain. */
struct operands {
    global const uchar *src, *weights;
    i64 src_position[TENSOR_DIMS], weights_position[TENSOR_DIMS];
};

/* Sets both positions to that of a result. */
INLINE void operands_at(struct operands *o, const i64 *position, int ndims) {
#pragma nounroll
    for (int d = 0; d < ndims; d++)
        o->src_position[d] = o->weights_position[d] = position[d];
}

/* The offset of element `at` along dimension `dim`; `base` is the offset of element 0. */
INLINE i64 offset_along(constant struct tensor *t, i64 base, i64 *position, int dim, i64 at) {
    position[dim] = at;
    return t->nblocks == 0 ? base + at * t->strides[dim] : tensor_offset(t, position);
}

/* The chains: `sum` plus the products of elements first to last - 1. src and weights may count from different
 * elements: `shift` is added to the position in src. */

INLINE float product_f32_dense(constant struct product *p, struct operands *o, i64 shift, i64 first, i64 last,
                               float sum) {
    if (first >= last) return sum; /* src may be NULL */
    o->src_position[p->src_dim] = shift;
    o->weights_position[p->weights_dim] = 0;
    global const float *src = (global const float *)o->src + tensor_offset(&p->src, o->src_position);
    global const float *weights =
            (global const float *)o->weights + tensor_offset(&p->weights, o->weights_position);
    i64 src_step = p->src.strides[p->src_dim], weights_step = p->weights.strides[p->weights_dim];
#pragma nounroll
    for (i64 i = first; i < last; i++)
        sum = fma(src[i * src_step], weights[i * weights_step], sum);
    return sum;
}

INLINE float product_f32_any(constant struct product *p, const struct epilogue_state *e, struct operands *o,
                             i64 shift, i64 first, i64 last, float sum) {
    o->src_position[p->src_dim] = o->weights_position[p->weights_dim] = 0;
    i64 src = tensor_offset(&p->src, o->src_position);
    i64 weights = tensor_offset(&p->weights, o->weights_position);
#pragma nounroll
    for (i64 i = first; i < last; i++) {
        i64 s = offset_along(&p->src, src, o->src_position, p->src_dim, shift + i);
        i64 w = offset_along(&p->weights, weights, o->weights_position, p->weights_dim, i);
        float x = load_f32(o->src, p->src.type, s), y = load_f32(o->weights, p->weights.type, w);
        x -= quant_value(e, &p->src_zero_point, o->src_position, 0.0f);
        y -= quant_value(e, &p->weights_zero_point, o->weights_position, 0.0f);
        if (p->sum == SUM_DECOMPRESS) y *= quant_value(e, &p->weights_scale, o->weights_position, 1.0f);
        sum = fma(x, y, sum);
    }
    return sum;
}

INLINE float product_f32(constant struct product *p, const struct epilogue_state *e, struct operands *o,
                         i64 shift, i64 first, i64 last, float sum) {
    if (p->sum == SUM_F32_DENSE) return product_f32_dense(p, o, shift, first, last, sum);
    return product_f32_any(p, e, o, shift, first, last, sum);
}

INLINE int product_s32(constant struct product *p, const struct epilogue_state *e, struct operands *o,
                       i64 shift, i64 first, i64 last, int sum) {
    o->src_position[p->src_dim] = o->weights_position[p->weights_dim] = 0;
    i64 src = tensor_offset(&p->src, o->src_position);
    i64 weights = tensor_offset(&p->weights, o->weights_position);
#pragma nounroll
    for (i64 i = first; i < last; i++) {
        i64 s = offset_along(&p->src, src, o->src_position, p->src_dim, shift + i);
        i64 w = offset_along(&p->weights, weights, o->weights_position, p->weights_dim, i);
        int x = load_s32(o->src, p->src.type, s), y = load_s32(o->weights, p->weights.type, w);
        x -= quant_integer(e, &p->src_zero_point, o->src_position);
        y -= quant_integer(e, &p->weights_zero_point, o->weights_position);
        sum = (int)((uint)x * (uint)y + (uint)sum);
    }
    return sum;
}

/* A sum times the scales of src and weights. */
INLINE float product_scale(constant struct product *p, const struct epilogue_state *e,
                           const struct operands *o, float sum) {
    sum *= quant_value(e, &p->src_scale, o->src_position, 1.0f);
    if (p->sum == SUM_DECOMPRESS) return sum;
    return sum * quant_value(e, &p->weights_scale, o->weights_position, 1.0f);
}

/* Bias, epilogue and store of a scaled sum. `bias_position` is the result's position in bias. */
INLINE void product_store(constant struct product *p, const struct epilogue_state *e,
                          global const uchar *bias, const i64 *bias_position, global uchar *dst, i64 offset,
                          const i64 *position, float x) {
    if (p->has_bias) x += load_f32(bias, p->bias.type, tensor_offset(&p->bias, bias_position));
    store_f32(dst, p->epilogue.type, offset, epilogue_finish(e, x, position));
}

#endif
