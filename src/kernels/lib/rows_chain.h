/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chains of cheap operations on rows: all of them on a few vectors, in registers, before the next ones. An
 * operation may load an operand, which becomes floats on the way, whatever its type; the last result is
 * stored as elements of any type.
 */
#ifndef LODE_KERNELS_LIB_ROWS_CHAIN_H
#define LODE_KERNELS_LIB_ROWS_CHAIN_H

#include "kernels/lib/eltwise.h"
#include "kernels/lib/rows.h"
#include "kernels/lib/rows_short.h"
#include "kernels/lib/stream.h"

#if defined(__AVX512F__)
enum { CHAIN_VECTORS = 8 };
#elif defined(__AVX2__)
enum { CHAIN_VECTORS = 4 };
#else
enum { CHAIN_VECTORS = 1 };
#endif
enum { CHAIN_STEP = 16 * CHAIN_VECTORS, CHAIN_OPS = 24 };
enum { CHAIN_ASKED = 8 }; /* vectors of each operand that are asked for at once */

/* Vector i of row j is at[j * pitch + i * step]. A step of 0 means that a row is one number, which is there
 * sixteen times. All in bytes. */
struct row_source {
    const uchar *at;
    i64 pitch;
    int step, type;
};

/* `streams`: rows begin lines of the cache, and bypass it. */
struct row_result {
    struct row_source place;
    int streams;
};

/* What an operation does with its operand t: besides these, ELTWISE_* of chain_has_function, and binary ones.
 */
enum {
    CHAIN_X = 1, /* x = t */
    CHAIN_Y,     /* y = t */
    CHAIN_Z,     /* z = t */
    CHAIN_NO_Z,  /* z = 0 */
    CHAIN_SCALE, /* y = y * t; an operation without an operand has y instead */
    CHAIN_FMA,   /* x = x * t + z */
    CHAIN_SUM,   /* these are those of params_rows.h */
    CHAIN_PRELU,
    CHAIN_KEEP,
    CHAIN_SLOPE,
    CHAIN_POSITIVE,
    CHAIN_BINARY = 0x40, /* the first of them */
};

/* Functions that are as fast as a pass of their own, if registers are many. */
#ifdef NATIVE_AVX512
#define CHAIN_FUNCTION_EACH(X) X(ELTWISE_GELU_ERF, eltwise_gelu_erf(x))
#else
#define CHAIN_FUNCTION_EACH(X)
#endif

INLINE int chain_has_function(int alg) {
#define CHAIN_IS_FUNCTION(alg_, expression_) case alg_:
    switch (alg) {
        CHAIN_FUNCTION_EACH(CHAIN_IS_FUNCTION)
        SHORT_ELTWISE_EACH(CHAIN_IS_FUNCTION)
        return 1;
    }
#undef CHAIN_IS_FUNCTION
    return 0;
}

INLINE int chain_binary(int alg) {
    return CHAIN_BINARY + alg - BINARY_ADD;
}

struct chain_op {
    struct row_source y;
    float alpha, beta;
    int code, relu;
};

struct chain {
    struct chain_op ops[CHAIN_OPS];
    int count, ahead;
    float y[CHAIN_STEP], z[CHAIN_STEP]; /* in memory: registers are for x and t */
};

/* Field by field: they are read like that soon. */
INLINE void row_source_set(struct row_source *source, const uchar *at, i64 pitch, int step, int type) {
    source->at = at;
    source->pitch = pitch;
    source->step = step;
    source->type = type;
}

INLINE const uchar *row_at(const struct row_source *source, i64 row, i64 vector) {
    return source->at + row * source->pitch + vector * source->step;
}

INLINE void row_result_streams(struct row_result *result, int rows, int streams) {
    result->streams = streams && STREAMS_ROW(result->place.at, TYPE_U8, 0)
                      && (rows == 1 || result->place.pitch % 64 == 0);
}

enum { CHAIN_KEPT = 0 }; /* the type of an operand that is y, or does not exist */

/* Adds an operation, and returns its operand. */
INLINE struct row_source *chain_add(struct chain *chain, int code, float alpha, float beta) {
    struct chain_op *op = &chain->ops[chain->count++];
    op->code = code;
    op->alpha = alpha;
    op->beta = beta;
    op->relu = 0;
    op->y.type = CHAIN_KEPT;
    return &op->y;
}

/* x is what the result of another one was. */
INLINE void chain_begin(struct chain *chain, const struct row_result *x) {
    chain->count = 0;
    row_source_set(chain_add(chain, CHAIN_X, 0.0f, 0.0f), x->place.at, x->place.pitch, x->place.step,
                   x->place.type);
}

/* Does it do nothing but load? */
INLINE int chain_is_bare(const struct chain *chain) {
    return chain->count == 1 && chain->ops[0].code == CHAIN_X && !chain->ops[0].relu;
}

/* Does it begin with elements of this type? */
INLINE int chain_is_of(const struct chain *chain, int type) {
    return chain->ops[0].y.type == type;
}

/* Does it do nothing to floats? */
INLINE int chain_is_floats(const struct chain *chain) {
    return chain_is_bare(chain) && chain_is_of(chain, TYPE_F32);
}

/* Are these floats one after the other? */
INLINE int chain_is_dense(const struct chain *chain, int rows, int n) {
    const struct row_source *x = &chain->ops[0].y;
    return x->step == 64 && (rows == 1 || x->pitch == 4 * n);
}

INLINE int chain_has_type(int type) {
    return short_has_type(type) || type == TYPE_S32 || type == TYPE_F8_E5M2 || type == TYPE_F8_E4M3
           || type == TYPE_F64;
}

#define CHAIN_EACH _Pragma("unroll") for (int i = 0; i < vectors; i++)
#define CHAIN_LOAD(type_, element_, WIDEN_)                                                                  \
    case type_: CHAIN_EACH t[i] = WIDEN_(vload16(0, (const element_ *)(at + i * from->step))); break;
#define CHAIN_STORE(type_, element_, NARROW_)                                                                \
    case type_:                                                                                              \
        CHAIN_EACH STREAM_OR_STORE(NARROW_(x[i]), (element_ *)(at + i * to->place.step), to->streams);       \
        break;
#define CHAIN_CASE(code_, expression_)                                                                       \
    case code_:                                                                                              \
        CHAIN_EACH {                                                                                         \
            const float16 x = a[i], y = CHAIN_T(i);                                                          \
            a[i] = expression_;                                                                              \
            (void)x, (void)y;                                                                                \
        }                                                                                                    \
        break;
#define CHAIN_BINARY_CASE(alg_)                                                                              \
    CHAIN_CASE(CHAIN_BINARY + alg_ - BINARY_ADD, binary_f32(alg_, x, y, vload16(i, chain->z)))
#define CHAIN_SAME(v_) (v_)
#define CHAIN_T(i_) (in_place ? vload16(0, floats + (i_) * step) : t[i_])

/* Operands of types other than f32 are used where they are in native code only. */
#if ROW_IN_PLACE
#define CHAIN_WIDEN_BF16(v_) widen_bf16(convert_uint16(v_))
#define CHAIN_WIDEN_F16(v_) widen_f16(convert_uint16(v_))
#define CHAIN_WIDEN_S8(v_) widen_s8(convert_uint16(v_))
#define CHAIN_WIDEN_U8(v_) widen_unsigned(convert_uint16(v_))
#define CHAIN_WIDEN_F8_E5M2(v_) widen_f8_e5m2(convert_uint16(v_))
#define CHAIN_WIDEN_F8_E4M3(v_) widen_f8_e4m3(convert_uint16(v_))
#define CHAIN_WIDEN_S32(v_) widen_s32(v_)
#define CHAIN_NARROW_BF16(v_) narrow_bf16(v_)
#define CHAIN_NARROW_F16(v_) narrow_f16(v_)
#define CHAIN_NARROW_S8(v_) convert_uchar16(lanes_s8(v_))
#define CHAIN_NARROW_U8(v_) convert_uchar16(lanes_u8(v_))
#define CHAIN_NARROW_F8_E5M2(v_) convert_uchar16(lanes_f8_e5m2(v_))
#define CHAIN_NARROW_F8_E4M3(v_) convert_uchar16(lanes_f8_e4m3(v_))
#define CHAIN_NARROW_S32(v_) as_uint16(lanes_s32(v_))
#define CHAIN_WIDEN_F64(v_) __builtin_convertvector(v_, float16)
#define CHAIN_NARROW_F64(v_) __builtin_convertvector(v_, double16)
#define CHAIN_OTHERS(each_)                                                                                  \
    each_(BF16, ushort) each_(F16, ushort) each_(S8, uchar) each_(U8, uchar) each_(F8_E5M2, uchar)           \
            each_(F8_E4M3, uchar) each_(S32, uint) each_(F64, double)
#else
#define CHAIN_OTHERS(each_)
#endif
#define CHAIN_LOAD_OTHER(name_, element_) CHAIN_LOAD(TYPE_##name_, element_, CHAIN_WIDEN_##name_)
#define CHAIN_STORE_OTHER(name_, element_) CHAIN_STORE(TYPE_##name_, element_, CHAIN_NARROW_##name_)

INLINE float16 chain_slope(float16 x, float16 y, float16 z, float alpha) {
    const uint16 kept = (uint16)(alpha == 0.0f ? 0u : 0xffffffffu);
    return z > (float16)(0.0f) ? as_float16(as_uint16(x) & kept) : x * y;
}

/* Operands that are not floats. */
INLINE void chain_load(float16 *t, const struct row_source *from, i64 row, i64 first, const int vectors) {
    const uchar *at = row_at(from, row, first);
    switch (from->type) { CHAIN_OTHERS(CHAIN_LOAD_OTHER) }
}

INLINE void chain_store(const struct row_result *to, i64 row, i64 first, const float16 *x,
                        const int vectors) {
    uchar *at = (uchar *)row_at(&to->place, row, first);
    switch (to->place.type) {
        CHAIN_STORE(TYPE_F32, float, CHAIN_SAME)
        CHAIN_OTHERS(CHAIN_STORE_OTHER)
    }
}

/* An operation, whose operand is in t, or in place: at `floats`. */
INLINE void chain_apply(struct chain *chain, const struct chain_op *op, float16 *a, const float16 *t,
                        const float *floats, int step, const int in_place, const int vectors) {
    const float alpha = op->alpha, beta = op->beta;
    switch (op->code) {
        CHAIN_CASE(CHAIN_X, y)
    case CHAIN_Y: CHAIN_EACH vstore16(CHAIN_T(i), i, chain->y); break;
    case CHAIN_Z: CHAIN_EACH vstore16(CHAIN_T(i), i, chain->z); break;
    case CHAIN_NO_Z: CHAIN_EACH vstore16((float16)(0.0f), i, chain->z); break;
    case CHAIN_SCALE:
        CHAIN_EACH vstore16(vload16(i, chain->y) * CHAIN_T(i), i, chain->y);
        break;
        CHAIN_CASE(CHAIN_FMA, fma(x, y, vload16(i, chain->z)))
        CHAIN_CASE(CHAIN_SUM, fma(y - beta, (float16)(alpha), x))
        CHAIN_CASE(CHAIN_PRELU, x > (float16)(0.0f) ? x : x * y)
        CHAIN_CASE(CHAIN_KEEP, y > (float16)(0.0f) ? x : (float16)(0.0f))
        CHAIN_CASE(CHAIN_SLOPE, chain_slope(x, y, vload16(i, chain->z), alpha))
        CHAIN_CASE(CHAIN_POSITIVE, x > (float16)(0.0f) ? (float16)(1.0f) : (float16)(0.0f))
        SHORT_ELTWISE_EACH(CHAIN_CASE)
        CHAIN_FUNCTION_EACH(CHAIN_CASE)
        CHAIN_BINARY_CASE(BINARY_ADD)
        CHAIN_BINARY_CASE(BINARY_MUL)
        CHAIN_BINARY_CASE(BINARY_MAX)
        CHAIN_BINARY_CASE(BINARY_MIN)
        CHAIN_BINARY_CASE(BINARY_DIV)
        CHAIN_BINARY_CASE(BINARY_SUB)
        CHAIN_BINARY_CASE(BINARY_GE)
        CHAIN_BINARY_CASE(BINARY_GT)
        CHAIN_BINARY_CASE(BINARY_LE)
        CHAIN_BINARY_CASE(BINARY_LT)
        CHAIN_BINARY_CASE(BINARY_EQ)
        CHAIN_BINARY_CASE(BINARY_NE)
        CHAIN_BINARY_CASE(BINARY_SELECT)
    }
    if (op->relu) CHAIN_EACH a[i] = a[i] > (float16)(0.0f) ? a[i] : (float16)(0.0f);
}

/* Asks for what is `ahead` bytes behind these vectors of all operands. */
INLINE void chain_ask(const struct chain *chain, i64 row, i64 first, const int vectors) {
#pragma nounroll
    for (int o = 0; o < chain->count; o++) {
        const struct row_source *from = &chain->ops[o].y;
        const int bytes = from->type == CHAIN_KEPT ? 0 : vectors * from->step;
        if (!from->at) continue; /* the operation has no operand */
        const uchar *at = from->at + row * from->pitch + first * from->step + chain->ahead;
#pragma nounroll
        for (int k = 0; k < bytes; k += LINE_BYTES)
            PREFETCH(at + k);
        (void)at;
    }
}

/* Everything on the vectors of a row from `first` on. Floats are used where they are: registers are few. */
INLINE void chain_group(struct chain *chain, const struct row_result *to, i64 row, i64 first,
                        const int vectors) {
    float16 a[CHAIN_VECTORS], t[CHAIN_VECTORS];
    const int count = chain->count;
    CHAIN_EACH a[i] = (float16)(0.0f);
#pragma nounroll
    for (int o = 0; o < count; o++) {
        const struct chain_op *op = &chain->ops[o];
        const int kept = op->y.type == CHAIN_KEPT, step = kept ? 16 : op->y.step / 4;
        const float *floats = kept ? chain->y : (const float *)row_at(&op->y, row, first);
        if (kept || op->y.type == TYPE_F32) {
            chain_apply(chain, op, a, t, floats, step, 1, vectors);
        } else {
            chain_load(t, &op->y, row, first, vectors);
            chain_apply(chain, op, a, t, floats, step, 0, vectors);
        }
    }
    chain_store(to, row, first, a, vectors);
}

/* The vectors of some rows from `first` to `last`. */
OUTLINE void chain_run_part(struct chain *chain, const struct row_result *to, int row, int rows, int first,
                            int last) {
    for (int j = row; j < row + rows; j++) {
        int i = first;
        for (; i + CHAIN_VECTORS <= last; i += CHAIN_VECTORS)
            chain_group(chain, to, j, i, CHAIN_VECTORS);
        for (; CHAIN_VECTORS > 1 && i < last; i++)
            chain_group(chain, to, j, i, 1);
    }
}

/* Rows of n elements, rounded up to whole vectors. */
INLINE void chain_run(struct chain *chain, const struct row_result *to, int rows, int n) {
    const int count = (n + 15) / 16;
    if (!chain->ahead) {
        chain_run_part(chain, to, 0, rows, 0, count);
        return;
    }
#pragma nounroll
    for (int j = 0; j < rows; j++)
#pragma nounroll
        for (int i = 0; i < count; i += CHAIN_ASKED) {
            chain_ask(chain, j, i, CHAIN_ASKED);
            chain_run_part(chain, to, j, 1, i, count - i < CHAIN_ASKED ? count : i + CHAIN_ASKED);
        }
}

#endif
