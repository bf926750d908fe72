/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The epilogue of one vector of LANES consecutive results along dimension `lanes`, starting at `position`;
 * `count` of them exist, and nothing is read for the others.
 */
#include "kernels/lib/lanes.h"

/* The operand's elements that belong to these results. */
INLINE OVERLOAD void epilogue_operand(VEC *to, const struct epilogue_state *e, int buffer,
                                      constant struct tensor *t, int mode, const i64 *position, int lanes,
                                      int count) {
    global const uchar *from = e->buffers[buffer];
#if LANES == 1
    *to = load_f32(from, t->type, tensor_offset(t, position));
#else
    if (mode == LANES_SAME) {
        *to = V(load_f32(from, t->type, tensor_offset(t, position)));
        return;
    }
    if (mode == LANES_DENSE && count == LANES) {
        *to = VLOAD(0, (global const float *)from + tensor_offset(t, position));
        return;
    }
    float values[LANES];
    i64 at[TENSOR_DIMS];
#pragma nounroll
    for (int d = 0; d < t->ndims; d++)
        at[d] = position[d];
#pragma nounroll
    for (int i = 0; i < LANES; i++, at[lanes]++)
        values[i] = i < count ? load_f32(from, t->type, tensor_offset(t, at)) : 0.0f;
    *to = VLOAD(0, values);
#endif
}

INLINE OVERLOAD void epilogue_quant(VEC *to, const struct epilogue_state *e, constant struct quant_source *q,
                                    const i64 *position, int lanes, int count, float none) {
#if LANES == 1
    *to = quant_value(e, q, position, none);
#else
    if (q->from != QUANT_BUFFER || q->lanes == LANES_SAME) {
        *to = V(quant_value(e, q, position, none));
        return;
    }
    if (q->lanes == LANES_DENSE && count == LANES) {
        *to = VLOAD(0, (global const float *)e->buffers[q->index] + quant_offset(q, position));
        return;
    }
    float values[LANES];
    i64 at[TENSOR_DIMS];
#pragma nounroll
    for (int d = 0; d < q->ndims; d++)
        at[d] = position[d];
#pragma nounroll
    for (int i = 0; i < LANES; i++, at[lanes]++)
        values[i] = i < count ? quant_value(e, q, at, none) : 1.0f;
    *to = VLOAD(0, values);
#endif
}

#if LANES > 1
/* Biases from element i on; those that do not exist are 0. */
INLINE OVERLOAD void epilogue_bias(VEC *to, global const uchar *bias, int type, i64 i, int count) {
    if (type == TYPE_F32 && count == LANES) {
        *to = VLOAD(0, (global const float *)bias + i);
        return;
    }
    float values[LANES];
#pragma nounroll
    for (int k = 0; k < LANES; k++)
        values[k] = k < count ? load_f32(bias, type, i + k) : 0.0f;
    *to = VLOAD(0, values);
}
#endif

INLINE OVERLOAD VEC activation_apply(constant struct activation *a, VEC x) {
    if (a->alg == ELTWISE_RELU) return eltwise_relu(x, a->alpha);
    if (a->alg == ELTWISE_CLIP) return eltwise_clip(x, a->alpha, a->beta);
    return x;
}

/* x times the scales of src and weights. */
OUTLINE OVERLOAD void epilogue_scale(const struct epilogue_state *e, VEC *x, const i64 *position, int lanes,
                                     int count) {
    VEC scale;
    epilogue_quant(&scale, e, &e->epilogue->src_scale, position, lanes, count, 1.0f);
    VEC y = *x * scale;
    epilogue_quant(&scale, e, &e->epilogue->weights_scale, position, lanes, count, 1.0f);
    *x = y * scale;
}

/* The results one at a time. */
INLINE OVERLOAD VEC epilogue_each(const struct epilogue_state *e, constant struct epilogue_op *dropout, VEC x,
                                  const i64 *position, int lanes, int count) {
#if LANES == 1
    return dropout ? epilogue_dropout(e, dropout, x, position) : epilogue_round(e, x, position);
#else
    float values[LANES];
    i64 at[TENSOR_DIMS];
#pragma nounroll
    for (int d = 0; d < (dropout ? dropout->src1.ndims : e->epilogue->rounding.dst.ndims); d++)
        at[d] = position[d];
    VSTORE(x, 0, values);
#pragma nounroll
    for (int i = 0; i < count; i++, at[lanes]++)
        values[i] = dropout ? epilogue_dropout(e, dropout, values[i], at) : epilogue_round(e, values[i], at);
    return VLOAD(0, values);
#endif
}

INLINE OVERLOAD VEC epilogue_op(const struct epilogue_state *e, constant struct epilogue_op *op, VEC x,
                                const i64 *position, int lanes, int count) {
    if (op->kind == POST_ELTWISE) return eltwise_f32(op->alg, x, op->alpha, op->beta);
    if (op->kind == POST_DROPOUT) return epilogue_each(e, op, x, position, lanes, count);
    VEC y, z = V(0.0f);
    epilogue_operand(&y, e, op->buffer, &op->src1, op->lanes, position, lanes, count);
    if (op->kind == POST_SUM) return fma(y - V((float)op->zero_point), V(op->alpha), x);
    if (op->kind == POST_PRELU) return x > V(0.0f) ? x : x * y;
    if (op->alg == BINARY_SELECT)
        epilogue_operand(&z, e, op->buffer2, &op->src2, op->lanes2, position, lanes, count);
    return binary_f32(op->alg, x, y, z);
}

/* Post-ops in their order, then the scale and the zero point of dst. */
OUTLINE OVERLOAD void epilogue_apply(const struct epilogue_state *e, VEC *result, const i64 *position,
                                     int lanes, int count) {
    constant struct epilogue *ep = e->epilogue;
    VEC x = *result, parameter;
#pragma nounroll
    for (int i = 0; i < ep->nops; i++)
        x = epilogue_op(e, &ep->ops[i], x, position, lanes, count);
    if (ep->dst_scale.from != QUANT_NONE) {
        epilogue_quant(&parameter, e, &ep->dst_scale, position, lanes, count, 1.0f);
        x = f32_div(x, parameter);
    }
    if (ep->dst_zero_point.from != QUANT_NONE) {
        epilogue_quant(&parameter, e, &ep->dst_zero_point, position, lanes, count, 0.0f);
        x += parameter;
    }
    if (ep->rounding.bits != 0) x = epilogue_each(e, 0, x, position, lanes, count);
    *result = x;
}
