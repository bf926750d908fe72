/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Element-wise programs over tensors of any type and layout: see params_rows.h. dst may be one of the
 * operands, if it has the same layout: a block is loaded before it is stored.
 */
#include "kernels/lib/eltwise.h"
#include "kernels/lib/rows.h"
#include "kernels/lib/rows_loop.h"
#include "kernels/lib/rows_short.h"
#include "kernels/params_rows.h"

#define LANES 16
#include "kernels/lib/lanes.h"
#include "kernels/lib/memory_lanes.h"
#undef LANES

#define ROW_ARGS                                                                                             \
    global uchar *b0, global uchar *b1, global uchar *b2, global uchar *b3, global uchar *b4,                \
            global uchar *b5, global uchar *b6, global uchar *b7, global uchar *b8, global uchar *b9,        \
            const struct scalars scalars
#define ROW_STATE(p_) {(p_), {b0, b1, b2, b3, b4, b5, b6, b7, b8, b9}, scalars}

struct row_state {
    constant struct rows_params *p;
    global uchar *buffers[ROW_BUFFERS];
    struct scalars scalars;
};

/* Operands. In native code, floats that lie one after the other are used where they are; other compilers know
 * no pointers to either address space. */
#ifdef __OPENCL_C_VERSION__
#define ROW_IN_PLACE 0
#define row_load_lanes(to, from, left) *(to) = vload16(0, from)
#define row_store_lanes(x, to, left) vstore16(x, 0, to)
#else
#define ROW_IN_PLACE 1
#define row_load_lanes(to, from, left) load_lanes(to, from, left, 0.0f)
#define row_store_lanes(x, to, left) store_lanes(x, to, left)
#endif

INLINE int row_is_floats(constant struct rows_params *p, const struct row_block *block,
                         constant struct row_operand *operand) {
    return ROW_IN_PLACE && operand->buffer >= 0 && operand->type == TYPE_F32
           && row_is_dense(p, block, operand);
}

/* The elements of an operand: in `to`, or where they are. */
INLINE const float *row_view(const struct row_state *s, const struct row_block *block, int index, float *to) {
    constant struct row_operand *operand = &s->p->operands[index];
    if (operand->buffer < 0) {
        row_fill(to, as_float(s->scalars.values[-1 - operand->buffer]), block->n * block->rows);
        return to;
    }
    const i64 offset = row_offset(s->p, block, operand);
#if ROW_IN_PLACE
    if (row_is_floats(s->p, block, operand)) return (const float *)s->buffers[operand->buffer] + offset;
#endif
    const int last = s->p->nloops - 1;
    row_load_block(to, s->buffers[operand->buffer], operand->type, offset, operand->strides[last], block->n,
                   operand->strides[last - 1], block->rows);
    return to;
}

/* Operations. */

#define ROW_LOOP(name, expression)                                                                           \
    case name:                                                                                               \
        for (; left > 0; left -= 16, from += 16, to += 16) {                                                 \
            float16 x;                                                                                       \
            row_load_lanes(&x, from, left);                                                                  \
            row_store_lanes(expression, to, left);                                                           \
        }                                                                                                    \
        break;

OUTLINE void row_eltwise(constant struct row_op *op, float *to, const float *from, int left) {
    const float alpha = op->alpha, beta = op->beta;
    switch (op->alg) { ELTWISE_EACH(ROW_LOOP) }
}

#define ROW_LOOP_2(name, expression)                                                                         \
    case name:                                                                                               \
        for (; left > 0; left -= 16, from += 16, y_from += 16, to += 16) {                                   \
            float16 x, y;                                                                                    \
            row_load_lanes(&x, from, left);                                                                  \
            row_load_lanes(&y, y_from, left);                                                                \
            row_store_lanes(expression, to, left);                                                           \
        }                                                                                                    \
        break;

OUTLINE void row_select(float *to, const float *from, const float *y_from, const float *z_from, int left) {
    for (; left > 0; left -= 16, from += 16, y_from += 16, z_from += 16, to += 16) {
        float16 x, y, z;
        row_load_lanes(&x, from, left);
        row_load_lanes(&y, y_from, left);
        row_load_lanes(&z, z_from, left);
        row_store_lanes(binary_f32(BINARY_SELECT, x, y, z), to, left);
    }
}

#define ROW_BINARY_CASE(alg_) ROW_LOOP_2(alg_, binary_f32(alg_, x, y, x))
OUTLINE void row_binary(int alg, float *to, const float *from, const float *y_from, int left) {
    switch (alg) {
        ROW_BINARY_CASE(BINARY_ADD)
        ROW_BINARY_CASE(BINARY_MUL)
        ROW_BINARY_CASE(BINARY_MAX)
        ROW_BINARY_CASE(BINARY_MIN)
        ROW_BINARY_CASE(BINARY_DIV)
        ROW_BINARY_CASE(BINARY_SUB)
        ROW_BINARY_CASE(BINARY_GE)
        ROW_BINARY_CASE(BINARY_GT)
        ROW_BINARY_CASE(BINARY_LE)
        ROW_BINARY_CASE(BINARY_LT)
        ROW_BINARY_CASE(BINARY_EQ)
        ROW_BINARY_CASE(BINARY_NE)
    }
}

OUTLINE void row_sum_or_prelu(constant struct row_op *op, float *to, const float *from, const float *y_from,
                              int left) {
    const float16 alpha = (float16)(op->alpha), beta = (float16)(op->beta);
    switch (op->kind) {
        ROW_LOOP_2(ROW_SUM, fma(y - beta, alpha, x))
        ROW_LOOP_2(ROW_PRELU, x > (float16)(0.0f) ? x : x * y)
        ROW_LOOP_2(ROW_KEEP, y > (float16)(0.0f) ? x : (float16)(0.0f))
    }
}

OUTLINE void row_prelu_backward(float *to, const float *from, const float *y_from, const float *z_from,
                                float alpha, int left) {
    const uint kept = alpha == 0.0f ? 0u : 0xffffffffu;
    for (; left > 0; left -= 16, from += 16, y_from += 16, z_from += 16, to += 16) {
        float16 x, y, z;
        row_load_lanes(&x, from, left);
        row_load_lanes(&y, y_from, left);
        row_load_lanes(&z, z_from, left);
        const float16 positive = as_float16(as_uint16(x) & (uint16)(kept));
        row_store_lanes(z > (float16)(0.0f) ? positive : x * y, to, left);
    }
}

struct row_space {
    float x[ROW_BLOCK + 16], y[ROW_BLOCK + 16], z[ROW_BLOCK + 16], w[ROW_BLOCK + 16];
};

OUTLINE void row_is_positive(float *to, const float *from, int left) {
    for (; left > 0; left -= 16, from += 16, to += 16) {
        float16 x;
        row_load_lanes(&x, from, left);
        row_store_lanes(x > (float16)(0.0f) ? (float16)(1.0f) : (float16)(0.0f), to, left);
    }
}

/* A mean or shift of NULL is 0. */
OUTLINE void row_normalize(float *to, const float *from, const float *mean, const float *factor,
                           const float *shift, int left) {
    for (int i = 0; left > 0; left -= 16, i += 16) {
        float16 x, y = (float16)(0.0f), z, w = (float16)(0.0f);
        row_load_lanes(&x, from + i, left);
        row_load_lanes(&z, factor + i, left);
        if (mean) row_load_lanes(&y, mean + i, left);
        if (shift) row_load_lanes(&w, shift + i, left);
        row_store_lanes(fma(x - y, z, w), to + i, left);
    }
}

INLINE void row_apply_normalize(const struct row_state *s, const struct row_block *block,
                                constant struct row_op *op, const float *x, float *to,
                                struct row_space *space) {
    const float *mean = op->operand < 0 ? 0 : row_view(s, block, op->operand, space->y);
    const float *shift = op->scale < 0 ? 0 : row_view(s, block, op->scale, space->w);
    row_normalize(to, x, mean, row_view(s, block, op->operand2, space->z), shift, block->n * block->rows);
}

/* One operation from `x` to `to`, unless it only replaces x: returns where the result is. */
INLINE const float *row_apply(const struct row_state *s, const struct row_block *block,
                              constant struct row_op *op, const float *x, float *to,
                              struct row_space *space) {
    const int n = block->n * block->rows;
    if (op->kind == ROW_ELTWISE) {
        row_eltwise(op, to, x, n);
        return to;
    }
    if (op->kind == ROW_IS_POSITIVE) {
        row_is_positive(to, x, n);
        return to;
    }
    if (op->kind == ROW_NORMALIZE) {
        row_apply_normalize(s, block, op, x, to, space);
        return to;
    }
    /* What becomes the accumulator must not lie where the next operand is loaded. Whole vectors can be loaded
     * to dst itself. */
    float *own = op->kind != ROW_LOAD_OPERAND ? space->y : block->n % 16 == 0 ? to : space->x;
    const float *y = row_view(s, block, op->operand, own);
    if (op->scale >= 0) {
        row_binary(BINARY_MUL, own, y, row_view(s, block, op->scale, space->z), n);
        y = own;
    }
    if (op->kind == ROW_LOAD_OPERAND) return y;
    if (op->kind == ROW_PRELU_BACKWARD)
        row_prelu_backward(to, x, y, row_view(s, block, op->operand2, space->z), op->alpha, n);
    else if (op->kind != ROW_BINARY)
        row_sum_or_prelu(op, to, x, y, n);
    else if (op->alg == BINARY_SELECT)
        row_select(to, x, y, row_view(s, block, op->operand2, space->z), n);
    else
        row_binary(op->alg, to, x, y, n);
    return to;
}

/* Sets the padding in a block of results to zero. */
INLINE void row_mask(constant struct rows_params *p, struct row_block *block, float *x) {
    for (int j = 0; j < block->rows; j++) {
        block->index[p->nloops - 2] += j;
        for (int k = row_end(p, block, p->limits, block->n); k < block->n; k++)
            x[j * block->n + k] = 0.0f;
        block->index[p->nloops - 2] -= j;
    }
}

/* Only the last operation writes to dst itself: dst may be an operand of an earlier one. `edge`: the block
 * has padding, in every operand. */
INLINE void row_compute(const struct row_state *s, struct row_block *block, struct row_space *space,
                        int edge) {
    constant struct rows_params *p = s->p;
    constant struct row_operand *dst = &p->operands[0];
    const i64 offset = row_offset(p, block, dst);
    float *last = space->x;
#if ROW_IN_PLACE
    if (!edge && row_is_floats(p, block, dst)) last = (float *)s->buffers[dst->buffer] + offset;
#endif
    const float *x = space->x;
    for (int i = 0; i < p->nops; i++)
        x = row_apply(s, block, &p->ops[i], x, i + 1 < p->nops ? space->x : last, space);
    if (x == last && last != space->x) return;
    if (edge) row_mask(p, block, space->x);
    row_store_block(s->buffers[dst->buffer], dst->type, offset, dst->strides[p->nloops - 1], x, block->n,
                    dst->strides[p->nloops - 2], block->rows);
}

/* A load and an operation that can be one pass? */
INLINE int row_is_short(constant struct rows_params *p) {
    constant struct row_op *load = &p->ops[0], *op = &p->ops[1];
    const int type = p->operands[0].type;
    return p->nops == 2 && load->scale < 0 && op->scale < 0 && p->operands[load->operand].buffer >= 0
           && p->operands[load->operand].type == type && short_has_type(type)
           && short_has_alg(op->kind, op->alg)
           && (op->kind == ROW_ELTWISE || p->operands[op->operand].type == type);
}

/* Is an operand one number for each row of a block, or rows of its own? */
INLINE int row_repeats(constant struct rows_params *p, const struct row_block *block,
                       constant struct row_operand *operand) {
    const i64 stride = operand->strides[p->nloops - 1];
    return (stride == 0 || stride == 1) && (block->rows == 1 || block->n % 16 == 0);
}

/* Computes the whole vectors of a dense block, and leaves the rest, if any, in `block`. */
INLINE int row_compute_short(const struct row_state *s, struct row_block *block) {
    constant struct rows_params *p = s->p;
    constant struct row_op *op = &p->ops[1];
    constant struct row_operand *dst = &p->operands[0], *x = &p->operands[p->ops[0].operand];
    constant struct row_operand *y = op->kind == ROW_ELTWISE ? x : &p->operands[op->operand];
    const int n = block->n * block->rows, whole = n / 16 * 16, dense = row_is_dense(p, block, y);
    if (!row_is_dense(p, block, dst) || !row_is_dense(p, block, x)) return 0;
    if (!dense && (y->buffer < 0 || !row_repeats(p, block, y))) return 0;
    if (whole != n && block->rows > 1) return 0;
    const int rows = dense ? 1 : block->rows, length = whole / rows;
    const i64 to = row_offset(p, block, dst), from = row_offset(p, block, x);
    i64 y_from = row_offset(p, block, y);
    for (int j = 0; j < rows; j++, y_from += y->strides[p->nloops - 2])
        row_short(op, dst->type, s->buffers[dst->buffer], to + j * length, s->buffers[x->buffer],
                  from + j * length, s->buffers[y->buffer], y_from, !dense && y->strides[p->nloops - 1] == 0,
                  length);
    block->index[p->nloops - 1] += whole;
    block->n = block->rows > 1 ? 0 : n - whole;
    return block->n == 0;
}

INLINE void row_compute_pieces(const struct row_state *s, struct row_block *block, struct row_space *space,
                               int edge) {
    int left = block->n;
    for (; left > ROW_BLOCK; left -= ROW_BLOCK) {
        block->n = ROW_BLOCK;
        row_compute(s, block, space, edge);
        block->index[s->p->nloops - 1] += ROW_BLOCK;
    }
    block->n = left;
    row_compute(s, block, space, edge);
}

/* Zeros for the rest of a row. */
INLINE void row_zero(const struct row_state *s, const struct row_block *block, struct row_space *space) {
    constant struct row_operand *dst = &s->p->operands[0];
    const i64 stride = dst->strides[s->p->nloops - 1];
    i64 offset = row_offset(s->p, block, dst);
    row_fill(space->x, 0.0f, block->n < ROW_BLOCK ? block->n : ROW_BLOCK);
    for (int left = block->n; left > 0; left -= ROW_BLOCK, offset += ROW_BLOCK * stride)
        row_store(s->buffers[dst->buffer], dst->type, offset, stride, space->x,
                  left < ROW_BLOCK ? left : ROW_BLOCK);
}

/* A block at the end of a dimension: row by row, the part that exists and the padding behind it. */
OUTLINE void row_edge(const struct row_state *s, struct row_block *block, struct row_space *space) {
    const int n = block->n, rows = block->rows;
    block->rows = 1;
    for (int j = 0; j < rows; j++, block->index[s->p->nloops - 2]++) {
        int exists = row_end(s->p, block, s->p->extents, n), valid = row_end(s->p, block, s->p->limits, n);
        block->n = valid;
        const i64 begin = block->index[s->p->nloops - 1];
        if (valid > 0) row_compute_pieces(s, block, space, 0);
        block->index[s->p->nloops - 1] = begin + valid;
        block->n = exists - valid;
        if (exists > valid) row_zero(s, block, space);
        block->index[s->p->nloops - 1] = begin;
    }
}

/* Range: count / span. */
#if WANTED(rows)
kernel void rows(ITEM ROW_ARGS, constant struct rows_params *p) {
    struct row_state s = ROW_STATE(p);
    struct row_space space;
    struct row_block block;
    const i64 first = (i64)get_global_id(0) * p->span;
    const int is_short = row_is_short(p);
    for (i64 i = first; i < first + p->span && i < p->count; i++) {
        row_block_begin(&block, p, i);
        const int edge = !row_block_is_whole(p, &block);
        if (is_short && !edge && row_compute_short(&s, &block)) continue;
        if (edge && !p->padded)
            row_edge(&s, &block, &space);
        else
            row_compute_pieces(&s, &block, &space, edge);
    }
}
#endif

/* One element at a time, for work-items that are the lanes. */
INLINE float item_operand(const struct row_state *s, const struct row_block *block, int index) {
    constant struct row_operand *operand = &s->p->operands[index];
    if (operand->buffer < 0) return as_float(s->scalars.values[-1 - operand->buffer]);
    return load_f32(s->buffers[operand->buffer], operand->type, row_offset(s->p, block, operand));
}

INLINE float item_apply(const struct row_state *s, const struct row_block *block, constant struct row_op *op,
                        float x) {
    if (op->kind == ROW_ELTWISE) return eltwise_f32(op->alg, x, op->alpha, op->beta);
    if (op->kind == ROW_IS_POSITIVE) return x > 0.0f ? 1.0f : 0.0f;
    if (op->kind == ROW_NORMALIZE)
        return fma(x - (op->operand < 0 ? 0.0f : item_operand(s, block, op->operand)),
                   item_operand(s, block, op->operand2),
                   op->scale < 0 ? 0.0f : item_operand(s, block, op->scale));
    float y = item_operand(s, block, op->operand);
    if (op->scale >= 0) y *= item_operand(s, block, op->scale);
    switch (op->kind) {
    case ROW_SUM: return fma(y - op->beta, op->alpha, x);
    case ROW_PRELU: return x > 0.0f ? x : x * y;
    case ROW_KEEP: return y > 0.0f ? x : 0.0f;
    case ROW_PRELU_BACKWARD:
        return item_operand(s, block, op->operand2) > 0.0f ? (op->alpha == 0.0f ? 0.0f : x) : x * y;
    case ROW_BINARY:
        return binary_f32(op->alg, x, y, op->operand2 < 0 ? 0.0f : item_operand(s, block, op->operand2));
    }
    return y;
}

/* Range: elements, or fewer work-items that take elements as far apart as there are work-items. */
#if WANTED(row_items)
kernel void row_items(ITEM ROW_ARGS, constant struct rows_params *p) {
    struct row_state s = ROW_STATE(p);
    constant struct row_operand *dst = &p->operands[0];
    const i64 step = get_global_size(0);
    for (i64 i = get_global_id(0); i < p->elements; i += step) {
        struct row_block block;
        row_block_element(&block, p, i);
        if (row_end(p, &block, p->extents, 1) == 0) continue;
        float x = 0.0f;
        if (row_end(p, &block, p->limits, 1) != 0)
            for (int o = 0; o < p->nops; o++)
                x = item_apply(&s, &block, &p->ops[o], x);
        store_f32(s.buffers[dst->buffer], dst->type, row_offset(p, &block, dst), x);
    }
}
#endif
