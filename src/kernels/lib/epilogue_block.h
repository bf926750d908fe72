/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The epilogue of a block of results: rows along one dimension of dst, each of consecutive results along
 * another. Each operation runs over the whole block before the next one, so that finding its operand is paid
 * for once per row or block, and operands of every type are loaded a vector at a time.
 */
#ifndef LODE_KERNELS_LIB_EPILOGUE_BLOCK_H
#define LODE_KERNELS_LIB_EPILOGUE_BLOCK_H

#include "kernels/lib/epilogue.h"
#include "kernels/lib/rows.h"

enum { BLOCK_WIDTH = 32 };

struct result_block {
    float *x;
    int rows, count,
            pitch;      /* `count` results in each row, rows `pitch` floats apart: multiples of 16 exist */
    int row_dim, lanes; /* dimensions of dst */
    i64 row_step;       /* from one row to the next along row_dim */
    i64 position[TENSOR_DIMS];
};

/* The position of row r. */
INLINE void block_position(const struct result_block *b, int r, i64 *position) {
#pragma nounroll
    for (int d = 0; d < TENSOR_DIMS; d++)
        position[d] = b->position[d];
    position[b->row_dim] += r * b->row_step;
}

/* An operand's elements for row r. `first` is the offset for row 0 of a tensor without blocks. */
INLINE void block_operand(const struct epilogue_state *e, const struct result_block *b, int buffer,
                          constant struct tensor *t, i64 first, int r, float *to) {
    global const uchar *from = e->buffers[buffer];
    if (t->nblocks == 0) {
        row_load(to, from, t->type, first + r * b->row_step * t->strides[b->row_dim], t->strides[b->lanes],
                 b->count);
        return;
    }
    i64 at[TENSOR_DIMS];
    block_position(b, r, at);
#pragma nounroll
    for (int n = 0; n < b->count; n++, at[b->lanes]++)
        to[n] = load_f32(from, t->type, tensor_offset(t, at));
}

/* The values of a quantisation parameter for row r. */
INLINE void block_quant(const struct epilogue_state *e, const struct result_block *b,
                        constant struct quant_source *q, int r, float *to) {
    i64 at[TENSOR_DIMS];
    block_position(b, r, at);
    if (q->from != QUANT_BUFFER || q->stride[b->lanes] == 0) {
        row_fill(to, quant_value(e, q, at, 0.0f), b->count);
        return;
    }
    if (q->group[b->lanes] == 1) {
        row_load(to, e->buffers[q->index], q->type, quant_offset(q, at), q->stride[b->lanes], b->count);
        return;
    }
#pragma nounroll
    for (int n = 0; n < b->count; n++, at[b->lanes]++)
        to[n] = quant_value(e, q, at, 0.0f);
}

/* Runs the statements over all vectors x of row r; `n` is the offset of a vector in it. */
#define EACH_VECTOR(b_, r_, value_)                                                                          \
    for (int n = 0; n < (b_)->count; n += 16) {                                                              \
        const float16 x = vload16(0, (b_)->x + (r_) * (b_)->pitch + n);                                      \
        vstore16(value_, 0, (b_)->x + (r_) * (b_)->pitch + n);                                               \
    }

/* x times, divided by or plus a parameter. */
OUTLINE void block_apply_quant(const struct epilogue_state *e, const struct result_block *b,
                               constant struct quant_source *q, int alg) {
    LINE_ALIGNED float y[BLOCK_WIDTH];
    if (q->from == QUANT_NONE) return;
    for (int r = 0; r < b->rows; r++) {
        if (r == 0 || (q->from == QUANT_BUFFER && q->stride[b->row_dim] != 0)) block_quant(e, b, q, r, y);
        EACH_VECTOR(b, r, binary_f32(alg, x, vload16(0, y + n), x))
    }
}

/* x times the scales of src and weights. */
INLINE void block_scale(const struct epilogue_state *e, const struct result_block *b) {
    block_apply_quant(e, b, &e->epilogue->src_scale, BINARY_MUL);
    block_apply_quant(e, b, &e->epilogue->weights_scale, BINARY_MUL);
}

/* Dropout, or stochastic rounding if `op` is NULL: one result after the other. */
INLINE void block_each(const struct epilogue_state *e, const struct result_block *b,
                       constant struct epilogue_op *op) {
    i64 at[TENSOR_DIMS];
    for (int r = 0; r < b->rows; r++) {
        float *x = b->x + r * b->pitch;
        block_position(b, r, at);
        for (int n = 0; n < b->count; n++, at[b->lanes]++)
            x[n] = op ? epilogue_dropout(e, op, x[n], at) : epilogue_round(e, x[n], at);
    }
}

INLINE float16 block_combine(constant struct epilogue_op *op, float16 x, float16 y, float16 z) {
    if (op->kind == POST_SUM) return fma(y - (float16)((float)op->zero_point), (float16)(op->alpha), x);
    if (op->kind == POST_PRELU) return x > (float16)(0.0f) ? x : x * y;
    return binary_f32(op->alg, x, y, z);
}

OUTLINE void block_op(const struct epilogue_state *e, const struct result_block *b,
                      constant struct epilogue_op *op) {
    LINE_ALIGNED float y[BLOCK_WIDTH], z[BLOCK_WIDTH];
    if (op->kind == POST_DROPOUT) {
        block_each(e, b, op);
        return;
    }
    if (op->kind == POST_ELTWISE) {
        for (int r = 0; r < b->rows; r++)
            EACH_VECTOR(b, r, eltwise_f32(op->alg, x, op->alpha, op->beta))
        return;
    }
    bool select = op->kind == POST_BINARY && op->alg == BINARY_SELECT;
    i64 first = tensor_offset(&op->src1, b->position), first2 = tensor_offset(&op->src2, b->position);
    row_fill(z, 0.0f, b->count);
    for (int r = 0; r < b->rows; r++) {
        if (r == 0 || op->src1.nblocks != 0 || op->src1.strides[b->row_dim] != 0)
            block_operand(e, b, op->buffer, &op->src1, first, r, y);
        if (select) block_operand(e, b, op->buffer2, &op->src2, first2, r, z);
        EACH_VECTOR(b, r, block_combine(op, x, vload16(0, y + n), vload16(0, z + n)))
    }
}

/* Post-ops in their order, then the scale and the zero point of dst. */
INLINE void block_finish(const struct epilogue_state *e, const struct result_block *b) {
    constant struct epilogue *ep = e->epilogue;
#pragma nounroll
    for (int i = 0; i < ep->nops; i++)
        block_op(e, b, &ep->ops[i]);
    block_apply_quant(e, b, &ep->dst_scale, BINARY_DIV);
    block_apply_quant(e, b, &ep->dst_zero_point, BINARY_ADD);
    if (ep->rounding.bits != 0) block_each(e, b, 0);
}

#endif
