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

#define ROW_ARGS                                                                                             \
    global uchar *b0, global uchar *b1, global uchar *b2, global uchar *b3, global uchar *b4,                \
            global uchar *b5, global uchar *b6, global uchar *b7, global uchar *b8, global uchar *b9,        \
            const struct scalars scalars
#define ROW_STATE(p_) {(p_), {b0, b1, b2, b3, b4, b5, b6, b7, b8, b9}, scalars, row_most(p_)}

/* The most elements of a row that are computed at once: as many as there are, if no buffer holds more than
 * one number of each operand. */
INLINE int row_most(constant struct rows_params *p) {
    if (!ROW_IN_PLACE || p->nops > 2 || p->ops[0].scale >= 0) return ROW_BLOCK;
    if (p->nops == 2 && p->ops[1].scale >= 0 && p->ops[1].kind != ROW_NORMALIZE) return ROW_BLOCK;
#pragma nounroll
    for (int o = 0; o < p->noperands; o++) {
        const i64 stride = p->operands[o].strides[p->nloops - 1];
        if (p->operands[o].buffer < 0 || p->operands[o].type != TYPE_F32 || stride < (o == 0) || stride > 1)
            return ROW_BLOCK;
    }
    return (int)p->length;
}

struct row_state {
    constant struct rows_params *p;
    global uchar *buffers[ROW_BUFFERS];
    struct scalars scalars;
    int most; /* see row_most */
};

/* Rows of floats where they can be read: element (j, i) is at[j * pitch + i * step]. A step of 0 means that
 * a row is one number, which is there sixteen times. */
struct row_view {
    const float *at;
    i64 pitch;
    int step;
};

/* What the operations see of a block: rows of whole vectors, or one row. They compute whole vectors: what is
 * behind the end of a row is in a buffer, and not stored. */
struct row_shape {
    int rows, n;
};

INLINE int row_is_split(const struct row_block *block) {
    return block->rows > 1 && block->n % 16 == 0;
}

INLINE struct row_shape row_shape(const struct row_block *block) {
    struct row_shape shape = {block->rows, block->n};
    if (!row_is_split(block)) shape.n *= shape.rows, shape.rows = 1;
    return shape;
}

INLINE struct row_view row_view_of(const float *at, i64 pitch, int step) {
    struct row_view view = {at, pitch, step};
    return view;
}

/* Floats that can be used where they are? */
INLINE int row_is_floats(constant struct rows_params *p, const struct row_block *block,
                         constant struct row_operand *operand) {
    if (!ROW_IN_PLACE || operand->buffer < 0 || operand->type != TYPE_F32) return 0;
    if (block->n * block->rows % 16 != 0) return 0;
    return row_is_split(block) ? operand->strides[p->nloops - 1] == 1 : row_is_dense(p, block, operand);
}

/* One number for each row. */
OUTLINE void row_numbers(float *to, global const uchar *from, int type, i64 offset, i64 pitch, int rows) {
    for (int j = 0; j < rows; j++)
        row_fill(to + j * 16, load_f32(from, type, offset + j * pitch), 16);
}

/* The elements of an operand: in `to`, or where they are. What is broadcast is there once. */
INLINE struct row_view row_view(const struct row_state *s, const struct row_block *block, int index,
                                float *to) {
    constant struct row_operand *operand = &s->p->operands[index];
    if (operand->buffer < 0) {
        row_fill(to, as_float(s->scalars.values[-1 - operand->buffer]), 16);
        return row_view_of(to, 0, 0);
    }
    const i64 offset = row_offset(s->p, block, operand);
    const int split = row_is_split(block);
    const i64 stride = operand->strides[s->p->nloops - 1], pitch = operand->strides[s->p->nloops - 2];
#if ROW_IN_PLACE
    if (row_is_floats(s->p, block, operand))
        return row_view_of((const float *)s->buffers[operand->buffer] + offset, pitch, 1);
#endif
    global const uchar *from = s->buffers[operand->buffer];
    if (stride == 0 && (block->rows == 1 || pitch == 0 || split)) {
        const int rows = split && pitch != 0 ? block->rows : 1;
        row_numbers(to, from, operand->type, offset, pitch, rows);
        return row_view_of(to, rows > 1 ? 16 : 0, 0);
    }
    const int rows = split && pitch == 0 ? 1 : block->rows;
    row_load_block(to, from, operand->type, offset, stride, block->n, pitch, rows);
    return row_view_of(to, rows > 1 ? block->n : 0, 1);
}

/* Operations. Their results are rows of their own length, `pitch` apart. `streams`: they begin lines of the
 * cache, and bypass it. */
struct row_result {
    float *at;
    i64 pitch;
    int streams;
};

INLINE float16 row_clip(float16 x, int relu) {
    if (relu) x = x > (float16)(0.0f) ? x : (float16)(0.0f);
    return x;
}

#define ROW_EACH_STORED(declare, expression, STORE_)                                                         \
    for (int j = 0; j < shape.rows; j++)                                                                     \
        for (int i = 0; i < shape.n; i += 16) {                                                              \
            declare;                                                                                         \
            const float16 result = expression;                                                               \
            STORE_(result, to.at + j * to.pitch + i);                                                        \
        }
#define ROW_PUT(x_, to_) STREAM_OR_STORE(x_, to_, to.streams)
#define ROW_EACH(declare, expression) ROW_EACH_STORED(declare, expression, ROW_PUT)
#define ROW_VALUE(name, view) const float16 name = vload16(0, (view).at + j * (view).pitch + i * (view).step)

#define ROW_LOOP(name, expression)                                                                           \
    case name: ROW_EACH(ROW_VALUE(x, from), expression) break;
/* Functions take longer than memory does. */
#define ROW_PUT_NEAR(x_, to_) vstore16(x_, 0, to_)
#define ROW_ELTWISE_LOOP(name, expression)                                                                   \
    case name: ROW_EACH_STORED(ROW_VALUE(x, from), expression, ROW_PUT_NEAR) break;
OUTLINE void row_eltwise(constant struct row_op *op, struct row_result to, struct row_view from,
                         struct row_shape shape) {
    const float alpha = op->alpha, beta = op->beta;
    switch (op->alg) { ELTWISE_EACH(ROW_ELTWISE_LOOP) }
}

#define ROW_LOOP_2(name, expression)                                                                         \
    case name: ROW_EACH(ROW_VALUE(x, from); ROW_VALUE(y, second), row_clip(expression, relu)) break;
#define ROW_BINARY_CASE(alg_) ROW_LOOP_2(alg_, binary_f32(alg_, x, y, x))
OUTLINE void row_binary(int alg, int relu, struct row_result to, struct row_view from, struct row_view second,
                        struct row_shape shape) {
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

OUTLINE void row_sum_or_prelu(constant struct row_op *op, struct row_result to, struct row_view from,
                              struct row_view second, struct row_shape shape) {
    const float16 alpha = (float16)(op->alpha), beta = (float16)(op->beta);
    const int relu = op->relu;
    switch (op->kind) {
        ROW_LOOP_2(ROW_SUM, fma(y - beta, alpha, x))
        ROW_LOOP_2(ROW_PRELU, x > (float16)(0.0f) ? x : x * y)
        ROW_LOOP_2(ROW_KEEP, y > (float16)(0.0f) ? x : (float16)(0.0f))
    }
}

#define ROW_LOOP_3(name, expression)                                                                         \
    case name: ROW_EACH(ROW_VALUE(x, from); ROW_VALUE(y, second); ROW_VALUE(z, third), expression) break;
OUTLINE void row_select_or_slope(constant struct row_op *op, struct row_result to, struct row_view from,
                                 struct row_view second, struct row_view third, struct row_shape shape) {
    const uint16 kept = (uint16)(op->alpha == 0.0f ? 0u : 0xffffffffu);
    switch (op->kind) {
        ROW_LOOP_3(ROW_BINARY, row_clip(binary_f32(BINARY_SELECT, x, y, z), op->relu))
        ROW_LOOP_3(ROW_PRELU_BACKWARD, z > (float16)(0.0f) ? as_float16(as_uint16(x) & kept) : x * y)
    }
}

/* Operations without operands and parameters: `from` to `to`. */
OUTLINE void row_copy_or_sign(int kind, struct row_result to, struct row_view from, struct row_shape shape) {
    switch (kind) {
        ROW_LOOP(ROW_IS_POSITIVE, x > (float16)(0.0f) ? (float16)(1.0f) : (float16)(0.0f))
        ROW_LOOP(ROW_LOAD_OPERAND, x)
        ROW_LOOP(ROW_ELTWISE, row_clip(x, 1)) /* a plain relu */
    }
}

struct row_space {
    float x[ROW_BLOCK + 16], y[ROW_BLOCK + 16], z[ROW_BLOCK + 16], w[ROW_BLOCK + 16];
    float loaded[ROW_BLOCK + 16]; /* what the first operation loads: a view, where no result may go */
} LINE_ALIGNED;

OUTLINE void row_normalize(int relu, struct row_result to, struct row_view from, struct row_view mean,
                           struct row_view factor, struct row_view shift, struct row_shape shape) {
    ROW_EACH(ROW_VALUE(x, from); ROW_VALUE(y, mean); ROW_VALUE(z, factor);
             ROW_VALUE(w, shift), row_clip(fma(x - y, z, w), relu))
}

INLINE void row_apply_normalize(const struct row_state *s, const struct row_block *block,
                                constant struct row_op *op, struct row_view x, struct row_result to,
                                struct row_space *space) {
    struct row_view mean = row_view_of(space->y, 0, 0), shift = row_view_of(space->w, 0, 0);
    row_fill(space->y, 0.0f, 16);
    row_fill(space->w, 0.0f, 16);
    if (op->operand >= 0) mean = row_view(s, block, op->operand, space->y);
    if (op->scale >= 0) shift = row_view(s, block, op->scale, space->w);
    const struct row_view factor = row_view(s, block, op->operand2, space->z);
    row_normalize(op->relu, to, x, mean, factor, shift, row_shape(block));
}

/* y times its scale. What was loaded to `own` and has one scale stays there, and stays as short as it is. */
INLINE struct row_view row_scaled(const struct row_state *s, const struct row_block *block, int scale_index,
                                  struct row_view y, float *own, float *other, struct row_space *space) {
    const struct row_view scale = row_view(s, block, scale_index, space->z);
    struct row_shape shape = row_shape(block);
    struct row_result to = {other, shape.n, 0};
    if (y.at == own && scale.step == 0 && scale.pitch == 0) {
        if (y.pitch == 0) shape.rows = 1;
        if (y.step == 0) shape.n = 16;
        to.at = own, to.pitch = y.pitch;
        row_binary(BINARY_MUL, 0, to, row_view_of(own, y.pitch, 1), scale, shape);
        return y;
    }
    row_binary(BINARY_MUL, 0, to, y, scale, shape);
    return row_view_of(other, shape.n, 1);
}

/* Can an operand be loaded to `to`, which is in dst, without anything left to do? Only whole vectors: others
 * are loaded past their end. */
INLINE int row_fills(constant struct rows_params *p, const struct row_block *block,
                     constant struct row_operand *operand, struct row_result to,
                     const struct row_space *space) {
    const int one = block->rows == 1;
    return block->n % 16 == 0 && to.at != space->x && !to.streams && operand->buffer >= 0
           && operand->strides[p->nloops - 1] != 0
           && (one || (operand->strides[p->nloops - 2] != 0 && to.pitch == block->n));
}

/* One operation from `x` to `to`, unless it only replaces x: returns where the result is. */
INLINE struct row_view row_apply(const struct row_state *s, const struct row_block *block,
                                 constant struct row_op *op, struct row_view x, struct row_result to,
                                 struct row_space *space) {
    const struct row_shape shape = row_shape(block);
    const struct row_view result = row_view_of(to.at, to.pitch, 1);
    const int load = op->kind == ROW_LOAD_OPERAND;
    if (op->kind == ROW_ELTWISE && !is_plain_relu(op, 1.0f)) {
        row_eltwise(op, to, x, shape);
        return result;
    }
    if (op->kind == ROW_IS_POSITIVE || op->kind == ROW_ELTWISE) {
        row_copy_or_sign(op->kind, to, x, shape);
        return result;
    }
    if (op->kind == ROW_NORMALIZE) {
        row_apply_normalize(s, block, op, x, to, space);
        return result;
    }
    float *own = !load                                                             ? space->y
                 : row_fills(s->p, block, &s->p->operands[op->operand], to, space) ? to.at
                                                                                   : space->loaded;
    struct row_view y = row_view(s, block, op->operand, own);
    if (op->scale >= 0) y = row_scaled(s, block, op->scale, y, own, load ? space->x : space->w, space);
    if (load) return y;
    if (op->kind == ROW_PRELU_BACKWARD || (op->kind == ROW_BINARY && op->alg == BINARY_SELECT))
        row_select_or_slope(op, to, x, y, row_view(s, block, op->operand2, space->z), shape);
    else if (op->kind != ROW_BINARY)
        row_sum_or_prelu(op, to, x, y, shape);
    else
        row_binary(op->alg, op->relu, to, x, y, shape);
    return result;
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
    const struct row_shape shape = row_shape(block);
    const struct row_result between = {space->x, shape.n, 0};
    struct row_result last = between;
#if ROW_IN_PLACE
    if (!edge && row_is_floats(p, block, dst)) {
        last.at = (float *)s->buffers[dst->buffer] + offset;
        last.pitch = dst->strides[p->nloops - 2];
        last.streams = p->streams && STREAMS_ROW(s->buffers[dst->buffer], TYPE_F32, offset)
                       && (shape.rows == 1 || last.pitch % 16 == 0);
    }
#endif
    struct row_view x = row_view_of(space->x, shape.n, 1);
    for (int i = 0; i < p->nops; i++)
        x = row_apply(s, block, &p->ops[i], x, i + 1 < p->nops ? between : last, space);
    const int dense = x.step == 1 && (shape.rows == 1 || x.pitch == shape.n);
    if (x.at != last.at && (edge || !dense || last.at != space->x)) {
        row_copy_or_sign(ROW_LOAD_OPERAND, last, x, shape);
        x.at = last.at;
    }
    if (last.at != space->x) return;
    if (edge) row_mask(p, block, space->x);
    row_store_block(s->buffers[dst->buffer], dst->type, offset, dst->strides[p->nloops - 1], x.at, block->n,
                    dst->strides[p->nloops - 2], block->rows, p->streams);
}

/* One number for the whole tensor, or no operand? */
INLINE int row_is_number(constant struct rows_params *p, int index) {
    if (index < 0 || p->operands[index].buffer < 0) return 1;
    i64 any = 0;
#pragma nounroll
    for (int l = 0; l < p->nloops; l++)
        any |= p->operands[index].strides[l];
    return any == 0;
}

INLINE float row_number(const struct row_state *s, int index) {
    if (index < 0) return 1.0f;
    constant struct row_operand *operand = &s->p->operands[index];
    if (operand->buffer < 0) return as_float(s->scalars.values[-1 - operand->buffer]);
    return load_f32(s->buffers[operand->buffer], operand->type, operand->offset);
}

/* A load and an operation that can be one pass? */
INLINE int row_is_short(constant struct rows_params *p) {
    constant struct row_op *load = &p->ops[0], *op = &p->ops[1];
    const int type = p->operands[0].type;
    return p->nops == 2 && short_has_type(type) && p->operands[load->operand].buffer >= 0
           && p->operands[load->operand].type == type && short_has_alg(op->kind, op->alg)
           && (op->kind == ROW_ELTWISE || p->operands[op->operand].type == type)
           && row_is_number(p, load->scale) && row_is_number(p, op->scale);
}

#if SHORT_NUMBERS
/* Can the program be a pass of numbers? Then says which. */
INLINE int row_numbers_of(const struct row_state *s, struct number_ops *ops) {
    constant struct rows_params *p = s->p;
    constant struct row_op *load = &p->ops[0];
    ops->count = 0;
    if (load->kind != ROW_LOAD_OPERAND || p->nops >= NUMBER_OPS || p->operands[load->operand].buffer < 0)
        return 0;
    if (!number_type(p->operands[0].type) || !number_type(p->operands[load->operand].type)) return 0;
    if (!row_is_number(p, load->scale)) return 0;
    if (load->scale >= 0) number_add(ops, BINARY_MUL, row_number(s, load->scale));
#pragma nounroll
    for (int i = 1; i < p->nops; i++) {
        constant struct row_op *op = &p->ops[i];
        if (op->kind != ROW_BINARY || !number_has_alg(op->alg) || op->relu || op->scale >= 0) return 0;
        if (!row_is_number(p, op->operand)) return 0;
        number_add(ops, op->alg, row_number(s, op->operand));
    }
    return 1;
}

/* Like row_compute_short. */
INLINE int row_compute_numbers(const struct row_state *s, struct row_block *block,
                               const struct number_ops *ops) {
    constant struct rows_params *p = s->p;
    constant struct row_operand *dst = &p->operands[0], *x = &p->operands[p->ops[0].operand];
    const int n = block->n * block->rows, whole = n / NUMBER_STEP * NUMBER_STEP;
    if (!row_is_dense(p, block, dst) || !row_is_dense(p, block, x)) return 0;
    if (whole != n && block->rows > 1) return 0;
    const i64 to = row_offset(p, block, dst), from = row_offset(p, block, x);
    global uchar *target = s->buffers[dst->buffer];
    number_pass(ops, dst->type, target, to, x->type, s->buffers[x->buffer], from, whole,
                p->streams && STREAMS_ROW(target, dst->type, to));
    block->index[p->nloops - 1] += whole;
    block->n = block->rows > 1 ? 0 : n - whole;
    return block->n == 0;
}
#else
#define row_numbers_of(s_, ops_) ((ops_)->count = 0)
#define row_compute_numbers(s_, block_, ops_) 0
#endif

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
    if (y->buffer < 0 || (!dense && !row_repeats(p, block, y))) return 0;
    if (whole != n && block->rows > 1) return 0;
    const int rows = dense ? 1 : block->rows, length = whole / rows;
    const float x_factor = row_number(s, p->ops[0].scale), y_factor = row_number(s, op->scale);
    const i64 to = row_offset(p, block, dst), from = row_offset(p, block, x);
    i64 y_from = row_offset(p, block, y);
    global uchar *target = s->buffers[dst->buffer];
    const int streams = p->streams && STREAMS_ROW(target, dst->type, to);
    for (int j = 0; j < rows; j++, y_from += y->strides[p->nloops - 2])
        row_short(op, dst->type, target, to + j * length, s->buffers[x->buffer], from + j * length,
                  s->buffers[y->buffer], y_from, !dense && y->strides[p->nloops - 1] == 0, x_factor, y_factor,
                  length, streams);
    block->index[p->nloops - 1] += whole;
    block->n = block->rows > 1 ? 0 : n - whole;
    return block->n == 0;
}

INLINE void row_compute_pieces(const struct row_state *s, struct row_block *block, struct row_space *space,
                               int edge) {
    int left = block->n;
    const int most = edge ? ROW_BLOCK : s->most;
    for (; left > most; left -= most) {
        block->n = most;
        row_compute(s, block, space, edge);
        block->index[s->p->nloops - 1] += most;
    }
    /* Whole vectors can be used where they are. */
    if (block->rows == 1 && left > 16 && left % 16 != 0) {
        block->n = left / 16 * 16;
        row_compute(s, block, space, edge);
        block->index[s->p->nloops - 1] += block->n;
        left %= 16;
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
    struct row_block next;
    const i64 first = (i64)get_global_id(0) * p->span;
    const int is_short = row_is_short(p);
    struct number_ops numbers;
    const int has_numbers = !is_short && row_numbers_of(&s, &numbers);
    row_block_begin(&next, p, first);
    for (i64 i = first; i < first + p->span && i < p->count; i++, row_block_next(&next, p)) {
        struct row_block block = next;
        const int edge = !row_block_is_whole(p, &block);
        if (edge && !p->padded) {
            row_edge(&s, &block, &space);
            continue;
        }
        if (is_short && !edge && row_compute_short(&s, &block)) continue;
        if (has_numbers && !edge && row_compute_numbers(&s, &block, &numbers)) continue;
        row_compute_pieces(&s, &block, &space, edge);
    }
    if (STREAMED(p->streams)) STREAM_END();
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

INLINE float item_clip(float x, int relu) {
    return relu && !(x > 0.0f) ? 0.0f : x;
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
                x = item_clip(item_apply(&s, &block, &p->ops[o], x), p->ops[o].relu);
        store_f32(s.buffers[dst->buffer], dst->type, row_offset(p, &block, dst), x);
    }
}
#endif
