/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Element-wise programs over tensors of any type and layout: see params_rows.h. dst may be one of the
 * operands, if it has the same layout: a block is loaded before it is stored.
 */
#include "kernels/lib/eltwise.h"
#include "kernels/lib/lanes_avx512.h"
#include "kernels/lib/rows.h"
#include "kernels/lib/rows_chain.h"
#include "kernels/lib/rows_loop.h"
#include "kernels/lib/rows_short.h"
#include "kernels/params_rows.h"

#define ROW_ARGS                                                                                             \
    global uchar *b0, global uchar *b1, global uchar *b2, global uchar *b3, global uchar *b4,                \
            global uchar *b5, global uchar *b6, global uchar *b7, global uchar *b8, global uchar *b9,        \
            const struct scalars scalars
#define ROW_STATE(p_) {(p_), {b0, b1, b2, b3, b4, b5, b6, b7, b8, b9}, scalars, 0}

struct row_state {
    constant struct rows_params *p;
    global uchar *buffers[ROW_BUFFERS];
    struct scalars scalars;
    int most; /* see row_most */
};

/* What the operations see of a block: rows of whole vectors, or one row. They compute whole vectors: what is
 * behind the end of a row is in a buffer, and not stored. */
struct row_shape {
    int rows, n;
};

/* Rows shorter than that are one row: operands that are not are loaded as if they were. */
INLINE int row_is_split(const struct row_block *block) {
    return block->rows > 1 && block->n % 16 == 0 && block->n >= CHAIN_STEP;
}

INLINE struct row_shape row_shape(const struct row_block *block) {
    struct row_shape shape = {block->rows, block->n};
    if (!row_is_split(block)) shape.n *= shape.rows, shape.rows = 1;
    return shape;
}

/* A chain and the room that its operands use. */
struct row_chain {
    struct chain chain;
    int used;
};

/* Rows of an operand that are the same in every row of a block, for the blocks that follow. */
enum { ROW_KEPT = 2 };
struct row_kept {
    i64 offset;
    int operand, n, rows; /* its number; 0: none */
};

/* Buffers of floats, and the chain. All are in the kernel's frame: Intel's OpenCL compiler for CPUs lets
 * large structs of other functions overlap with it. */
struct row_space {
    float x[ROW_BLOCK + 16];          /* the accumulator */
    float room[5 * (ROW_BLOCK + 16)]; /* operands of a chain that it does not find where they are */
    float kept[ROW_KEPT * (ROW_BLOCK + 16)];
    struct row_kept keeps[ROW_KEPT];
    struct row_chain chain;
} LINE_ALIGNED;

/* Whole vectors that can be used where they are? */
INLINE int row_is_in_reach(constant struct rows_params *p, const struct row_block *block,
                           constant struct row_operand *operand) {
    if (!ROW_IN_PLACE || operand->buffer < 0 || !chain_has_type(operand->type)) return 0;
    if (block->n * block->rows % 16 != 0) return 0;
    return row_is_split(block) ? operand->strides[p->nloops - 1] == 1 : row_is_dense(p, block, operand);
}

#if ROW_IN_PLACE
INLINE void row_set_in_place(const struct row_state *s, const struct row_block *block,
                             constant struct row_operand *operand, struct row_source *y) {
    const int bytes = type_bytes(operand->type);
    row_source_set(y, s->buffers[operand->buffer] + row_offset(s->p, block, operand) * bytes,
                   operand->strides[s->p->nloops - 2] * bytes, 16 * bytes, operand->type);
}
#else
#define row_set_in_place(s_, block_, operand_, y_) ((void)0)
#endif

/* One number for each row. */
OUTLINE void row_numbers(float *to, global const uchar *from, int type, i64 offset, i64 pitch, int rows) {
    for (int j = 0; j < rows; j++)
        row_fill(to + j * 16, load_f32(from, type, offset + j * pitch), 16);
}

/* Asks for columns that the next block will transpose: far apart, they hide from the hardware. */
INLINE void row_ask(global const uchar *from, int type, i64 offset, i64 stride, int n) {
    const i64 bytes = type_bytes(type);
#pragma nounroll
    for (int i = 0; i < n; i++)
        PREFETCH(from + (offset + i * stride) * bytes);
    (void)bytes;
}

/* Loads such an operand, unless the block before had it. Returns NULL if there is no room. */
INLINE const float *row_keep(const struct row_state *s, const struct row_block *block, int index, i64 offset,
                             struct row_space *space) {
    constant struct row_operand *operand = &s->p->operands[index];
#pragma nounroll
    for (int k = 0; k < ROW_KEPT; k++) {
        struct row_kept *kept = &space->keeps[k];
        float *to = space->kept + k * (ROW_BLOCK + 16);
        if (kept->operand != 0 && kept->operand != index) continue;
        if (kept->operand == index && kept->offset == offset && kept->n == block->n
            && kept->rows == block->rows)
            return to;
        row_load_block(to, s->buffers[operand->buffer], operand->type, offset,
                       operand->strides[s->p->nloops - 1], block->n, 0, block->rows);
        kept->operand = index, kept->offset = offset, kept->n = block->n, kept->rows = block->rows;
        return to;
    }
    return 0;
}

/* Says where the elements of an operand are, if need be after they were loaded to the end of the used room.
 * What is broadcast is there once. */
OUTLINE void row_find(const struct row_state *s, const struct row_block *block, int index,
                      struct row_space *space, int *used, struct row_source *y) {
    constant struct row_operand *operand = &s->p->operands[index];
    float *to = space->room + *used;
    if (operand->buffer < 0) {
        row_fill(to, as_float(s->scalars.values[-1 - operand->buffer]), 16);
        *used += 16;
        row_source_set(y, (const uchar *)to, 0, 0, TYPE_F32);
        return;
    }
    if (row_is_in_reach(s->p, block, operand)) {
        row_set_in_place(s, block, operand, y);
        return;
    }
    const i64 offset = row_offset(s->p, block, operand);
    const int split = row_is_split(block);
    const i64 stride = operand->strides[s->p->nloops - 1], pitch = operand->strides[s->p->nloops - 2];
    global const uchar *from = s->buffers[operand->buffer];
    if (stride == 0 && (block->rows == 1 || pitch == 0 || split)) {
        const int rows = split && pitch != 0 ? block->rows : 1;
        row_numbers(to, from, operand->type, offset, pitch, rows);
        *used += 16 * rows;
        row_source_set(y, (const uchar *)to, rows > 1 ? 64 : 0, 0, TYPE_F32);
        return;
    }
    const int rows = split && pitch == 0 ? 1 : block->rows;
    const float *kept = pitch == 0 && rows > 1 ? row_keep(s, block, index, offset, space) : 0;
    if (kept) {
        row_source_set(y, (const uchar *)kept, 4 * block->n, 64, TYPE_F32);
        return;
    }
    if (pitch == 1 && rows > 1) row_ask(from, operand->type, offset + rows, stride, block->n);
    row_load_block(to, from, operand->type, offset, stride, block->n, pitch, rows);
    *used += ROW_BLOCK + 16;
    row_source_set(y, (const uchar *)to, rows > 1 ? 4 * block->n : 0, 64, TYPE_F32);
}

/* Types whose functions are one pass, from elements to elements. */
INLINE int row_has_functions(int type) {
    return type == TYPE_F32 || (ROW_IN_PLACE && (type == TYPE_BF16 || type == TYPE_F16));
}

INLINE float16 row_function_load(const uchar *at, const int type) {
#if ROW_IN_PLACE
    if (type == TYPE_BF16) return CHAIN_WIDEN_BF16(vload16(0, (const ushort *)at));
    if (type == TYPE_F16) return CHAIN_WIDEN_F16(vload16(0, (const ushort *)at));
#endif
    return vload16(0, (const float *)at);
}

INLINE void row_function_store(uchar *at, const int type, float16 x, int streams) {
#if ROW_IN_PLACE
    if (type == TYPE_BF16) {
        STREAM_OR_STORE(CHAIN_NARROW_BF16(x), (ushort *)at, streams);
        return;
    }
    if (type == TYPE_F16) {
        STREAM_OR_STORE(CHAIN_NARROW_F16(x), (ushort *)at, streams);
        return;
    }
#endif
    STREAM_OR_STORE(x, (float *)at, streams);
}

#if ROW_IN_PLACE && defined(NATIVE_AVX512)
/* gelu_tanh is x / (1 + 2^t) with t = -2 y / log 2 for a tanh of y. The instructions know 2^n: t = n + r with
 * 0 <= r <= 1. */
INLINE float16 row_gelu_tanh(float16 x) {
    const float16 t = x * fma(x * x, (float16)(-0x1.a5a7dp-4f), (float16)(-0x1.26aec2p+1f));
    const float16 r = __builtin_ia32_reduceps512_mask(t, 1, t, (ushort)0xffff, 4);
    const float16 p = power_of_fraction(r);
    return x / ((float16)(1.0f) + __builtin_ia32_scalefps512_mask(p, t, p, (ushort)0xffff, 4));
}
#define ROW_GELU_TANH(x_) row_gelu_tanh(x_)

/* Two vectors of bf16 at a time, those with even and those with odd numbers: the bits of one are half of a
 * float away from those of the other. What functions make of bf16 has no NaN that rounding would change. */
#define ROW_FUNCTION_PAIRS(expression)                                                                       \
    for (; pairs && 16 * i + 32 <= shape.n; i += 2) {                                                        \
        const uint16 bits = vload16(0, (const uint *)row_at(&from, j, i));                                   \
        float16 x = as_float16(bits << 16);                                                                  \
        const uint16 even = rounded_to_bf16(expression);                                                     \
        x = as_float16(bits & 0xffff0000u);                                                                  \
        const uint16 odd = rounded_to_bf16(expression);                                                      \
        STREAM_OR_STORE(even >> 16 | (odd & 0xffff0000u), (uint *)row_at(&to.place, j, i), to.streams);      \
    }
#else
#define ROW_GELU_TANH(x_) eltwise_gelu_tanh(x_)
#define ROW_FUNCTION_PAIRS(expression)
#endif

/* Functions, which take longer than memory does: one at a time. Callers pass a constant for `type`. */
#define ROW_FUNCTION_LOOP(name, expression)                                                                  \
    case name:                                                                                               \
        for (int j = 0; j < shape.rows; j++) {                                                               \
            int i = 0;                                                                                       \
            ROW_FUNCTION_PAIRS(expression)                                                                   \
            for (; 16 * i < shape.n; i++) {                                                                  \
                const float16 x = row_function_load(row_at(&from, j, i), type);                              \
                row_function_store((uchar *)row_at(&to.place, j, i), type, expression, to.streams);          \
            }                                                                                                \
        }                                                                                                    \
        break;
INLINE void row_function_of(constant struct row_op *op, const struct row_result *result,
                            const struct row_source *x_from, struct row_shape shape, const int type) {
    const struct row_result to = *result;
    const struct row_source from = *x_from;
    const float alpha = op->alpha, beta = op->beta;
    const int pairs =
            type == TYPE_BF16 && to.place.step == 32 && from.step == 32 && alpha == alpha && beta == beta;
    (void)pairs;
    switch (op->alg) {
        ROW_FUNCTION_LOOP(ELTWISE_GELU_TANH, ROW_GELU_TANH(x))
    default:
        switch (op->alg) { ELTWISE_EACH(ROW_FUNCTION_LOOP) }
    }
}

#define ROW_FUNCTION(name_, type_)                                                                           \
    OUTLINE void name_(constant struct row_op *op, const struct row_result *result,                          \
                       const struct row_source *from, struct row_shape shape) {                              \
        row_function_of(op, result, from, shape, type_);                                                     \
    }
ROW_FUNCTION(row_function, TYPE_F32)
#if ROW_IN_PLACE
ROW_FUNCTION(row_function_bf16, TYPE_BF16)
ROW_FUNCTION(row_function_f16, TYPE_F16)
#else
#define row_function_bf16 row_function
#define row_function_f16 row_function
#endif

/* A pass of its own? Alone, on floats, any function is: that is faster than a chain. */
INLINE int row_is_function(constant struct rows_params *p, constant struct row_op *op) {
    const int alone = p->nops == 2 && p->operands[0].type == TYPE_F32;
    return op->kind == ROW_ELTWISE
           && !(alone ? short_has_alg(ROW_ELTWISE, op->alg) : chain_has_function(op->alg));
}

INLINE void row_link(struct row_chain *c, int code, constant struct row_op *op) {
    chain_add(&c->chain, code, op->alpha, op->beta);
}

INLINE void row_link_operand(const struct row_state *s, const struct row_block *block, struct row_chain *c,
                             struct row_space *space, int code, int index, constant struct row_op *op) {
    row_find(s, block, index, space, &c->used, chain_add(&c->chain, code, op->alpha, op->beta));
}

INLINE void row_link_normalize(const struct row_state *s, const struct row_block *block,
                               constant struct row_op *op, struct row_chain *c, struct row_space *space) {
    if (op->operand >= 0) row_link_operand(s, block, c, space, chain_binary(BINARY_SUB), op->operand, op);
    if (op->scale >= 0)
        row_link_operand(s, block, c, space, CHAIN_Z, op->scale, op);
    else
        row_link(c, CHAIN_NO_Z, op);
    row_link_operand(s, block, c, space, CHAIN_FMA, op->operand2, op);
}

INLINE int row_code(constant struct row_op *op) {
    switch (op->kind) {
    case ROW_BINARY: return chain_binary(op->alg);
    case ROW_SUM: return CHAIN_SUM;
    case ROW_PRELU: return CHAIN_PRELU;
    case ROW_KEEP: return CHAIN_KEEP;
    case ROW_PRELU_BACKWARD: return CHAIN_SLOPE;
    }
    return CHAIN_X;
}

/* Adds an operation, other than a function, to a chain. */
OUTLINE void row_link_op(const struct row_state *s, const struct row_block *block, constant struct row_op *op,
                         struct row_chain *c, struct row_space *space) {
    if (op->kind == ROW_ELTWISE) {
        row_link(c, op->alg, op);
    } else if (op->kind == ROW_IS_POSITIVE) {
        row_link(c, CHAIN_POSITIVE, op);
    } else if (op->kind == ROW_NORMALIZE) {
        row_link_normalize(s, block, op, c, space);
    } else {
        const int code = row_code(op);
        if (code == CHAIN_SLOPE || code == chain_binary(BINARY_SELECT))
            row_link_operand(s, block, c, space, CHAIN_Z, op->operand2, op);
        if (op->scale < 0) {
            row_link_operand(s, block, c, space, code, op->operand, op);
        } else {
            row_link_operand(s, block, c, space, CHAIN_Y, op->operand, op);
            row_link_operand(s, block, c, space, CHAIN_SCALE, op->scale, op);
            row_link(c, code, op);
        }
    }
    c->chain.ops[c->chain.count - 1].relu = op->relu;
}

INLINE int row_chain_is_full(const struct row_chain *c) {
    return c->used > 2 * (ROW_BLOCK + 16) || c->chain.count > CHAIN_OPS - 4;
}

/* Elements in place become floats, and nothing else happens? */
INLINE int row_is_conversion(const struct row_chain *c, const struct row_result *to, struct row_shape shape) {
    return ROW_IN_PLACE && chain_is_bare(&c->chain) && c->chain.ops[0].y.type != TYPE_F32 && !to->streams
           && to->place.type == TYPE_F32 && (shape.rows == 1 || to->place.pitch == 4 * shape.n);
}

/* Computes what was added so far. The chain that follows begins with the result. */
INLINE void row_run(struct row_chain *c, const struct row_result *to, struct row_shape shape) {
#if ROW_IN_PLACE
    const struct row_source *x = &c->chain.ops[0].y;
    if (row_is_conversion(c, to, shape))
        row_load_rows((float *)to->place.at, shape.n, x->at, x->type, 0, 1, shape.n,
                      x->pitch / type_bytes(x->type), shape.rows);
    else
#endif
        chain_run(&c->chain, to, shape.rows, shape.n);
    c->used = 0;
    chain_begin(&c->chain, to);
}

/* A function of what the chain has computed, to `to`: floats, or elements of the type that it begins with. */
INLINE void row_apply(constant struct row_op *op, struct row_chain *c, const struct row_result *to,
                      const struct row_result *between, struct row_shape shape) {
    const int type = to->place.type;
    if (type == TYPE_F32 && !chain_is_floats(&c->chain)) row_run(c, between, shape);
    if (type == TYPE_BF16)
        row_function_bf16(op, to, &c->chain.ops[0].y, shape);
    else if (type == TYPE_F16)
        row_function_f16(op, to, &c->chain.ops[0].y, shape);
    else
        row_function(op, to, &c->chain.ops[0].y, shape);
    c->used = 0;
    chain_begin(&c->chain, to);
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

/* May a function be the last operation, from what the chain has to the result? */
INLINE int row_may_end(const struct chain *chain, const struct row_result *last) {
    const int type = last->place.type;
    return type == TYPE_F32 || (row_has_functions(type) && chain_is_bare(chain) && chain_is_of(chain, type));
}

/* Only the last operation writes to dst itself: dst may be an operand of an earlier one. `edge`: the block
 * has padding, in every operand. */
OUTLINE void row_compute(const struct row_state *s, struct row_block *block, struct row_space *space,
                         int edge) {
    constant struct rows_params *p = s->p;
    constant struct row_operand *dst = &p->operands[0];
    const i64 offset = row_offset(p, block, dst);
    const struct row_shape shape = row_shape(block);
    const struct row_result between = {{(const uchar *)space->x, 4 * shape.n, 64, TYPE_F32}, 0};
    struct row_result last = between;
    struct row_chain *c = &space->chain;
    c->used = c->chain.count = 0;
    c->chain.ahead = p->ahead;
    const int direct = !edge && row_is_in_reach(p, block, dst);
    if (direct) {
        row_set_in_place(s, block, dst, &last.place);
        row_result_streams(&last, shape.rows, p->streams);
    }
    for (int i = 0; i < p->nops; i++) {
        constant struct row_op *op = &p->ops[i];
        if (row_is_function(p, op)) {
            const int ends = i + 1 == p->nops && row_may_end(&c->chain, &last);
            row_apply(op, c, ends ? &last : &between, &between, shape);
        } else {
            if (row_chain_is_full(c)) row_run(c, &between, shape);
            row_link_op(s, block, op, c, space);
        }
    }
    const uchar *x = c->chain.ops[0].y.at;
    if (direct && chain_is_bare(&c->chain) && x == last.place.at && chain_is_of(&c->chain, last.place.type))
        return;
    const int there = x == between.place.at || (!edge && chain_is_dense(&c->chain, shape.rows, shape.n));
    if (!chain_is_floats(&c->chain) || !there) {
        row_run(c, &last, shape);
        if (direct) return;
        x = last.place.at;
    }
    if (edge) row_mask(p, block, space->x);
    row_store_block(s->buffers[dst->buffer], dst->type, offset, dst->strides[p->nloops - 1], (const float *)x,
                    block->n, dst->strides[p->nloops - 2], block->rows, p->streams);
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

/* The most elements of a row that are computed at once: as many as there are, if no buffer holds more than
 * one number of each operand. */
INLINE int row_most(constant struct rows_params *p) {
    int functions = 0;
#pragma nounroll
    for (int o = 0; o < p->nops; o++)
        functions += row_is_function(p, &p->ops[o]);
    /* A function to elements of the same type needs no buffer. */
    if (functions > 0 && (p->nops > 2 || p->ops[0].scale >= 0)) return ROW_BLOCK;
#pragma nounroll
    for (int o = 0; o < p->noperands; o++) {
        constant struct row_operand *operand = &p->operands[o];
        const i64 stride = operand->strides[p->nloops - 1];
        if (o > 0 && (operand->buffer < 0 || stride == 0)) continue;
        if (!ROW_IN_PLACE || stride != 1 || !chain_has_type(operand->type)) return ROW_BLOCK;
        if (functions > 0 && (!row_has_functions(operand->type) || operand->type != p->operands[0].type))
            return ROW_BLOCK;
    }
    return (int)p->length;
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
    s.most = row_most(p);
    for (int k = 0; k < ROW_KEPT; k++)
        space.keeps[k].operand = 0;
    row_block_begin(&next, p, first);
    for (i64 i = first; i < first + p->span && i < p->count; i++, row_block_next(&next, p)) {
        struct row_block block = next;
        const int edge = !row_block_is_whole(p, &block);
        if (edge && !p->padded) {
            row_edge(&s, &block, &space);
            continue;
        }
        if (is_short && !edge && row_compute_short(&s, &block)) continue;
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
