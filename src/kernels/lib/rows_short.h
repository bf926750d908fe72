/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Short programs in one pass: a load and one cheap operation, with one scale each and a relu, all tensors of
 * the same type and dense, or one number for all elements. Longer ones are chains (rows_chain.h).
 */
#ifndef LODE_KERNELS_LIB_ROWS_SHORT_H
#define LODE_KERNELS_LIB_ROWS_SHORT_H

#include "kernels/lib/eltwise.h"
#include "kernels/lib/rows.h"
#include "kernels/lib/stream.h"
#include "kernels/params_rows.h"

/* X(alg, expression in x and y). */
#define SHORT_BINARY_EACH(X)                                                                                 \
    X(BINARY_ADD, x + y)                                                                                     \
    X(BINARY_SUB, x - y)                                                                                     \
    X(BINARY_MUL, x *y)                                                                                      \
    X(BINARY_MAX, binary_f32(BINARY_MAX, x, y, y))                                                           \
    X(BINARY_MIN, binary_f32(BINARY_MIN, x, y, y))
#define SHORT_ELTWISE_EACH(X)                                                                                \
    X(ELTWISE_RELU, eltwise_relu(x, alpha))                                                                  \
    X(ELTWISE_LINEAR, eltwise_linear(x, alpha, beta))                                                        \
    X(ELTWISE_CLIP, eltwise_clip(x, alpha, beta))                                                            \
    X(ELTWISE_ABS, f32_abs(x))                                                                               \
    X(ELTWISE_SQUARE, x *x)                                                                                  \
    X(ELTWISE_HARDSWISH, x *eltwise_hardsigmoid(x, alpha, beta))

enum { SHORT_PRELU = -1 }; /* an operation without an algorithm */

INLINE int short_has_alg(int kind, int alg) {
#define SHORT_ALG(alg_, expression_) case alg_:
    switch (alg) {
        SHORT_BINARY_EACH(SHORT_ALG) return kind == ROW_BINARY;
        SHORT_ELTWISE_EACH(SHORT_ALG) return kind == ROW_ELTWISE;
    }
    return kind == ROW_SUM || kind == ROW_PRELU;
#undef SHORT_ALG
}

INLINE int short_has_type(int type) {
    return type == TYPE_F32 || type == TYPE_BF16 || type == TYPE_F16 || type == TYPE_S8 || type == TYPE_U8;
}

/* SPIR-V 1.0 cannot choose between vectors by one condition, which is what compilers make of it: there,
 * everything is scaled. */
#ifdef __OPENCL_C_VERSION__
#define SHORT_SCALED(x_, y_) 1
#else
#define SHORT_SCALED(x_, y_) ((x_) != 1.0f || (y_) != 1.0f)
#endif

/* The first n / 16 * 16 elements; `y_from` is `from` if the operation has one operand, and `same` tells that
 * y is its first element for all. */
#define SHORT_LOOP(condition_, expression_)                                                                  \
    condition_:                                                                                              \
    for (int k = 0; k + 16 <= n; k += 16) {                                                                  \
        float16 x = SHORT_LOAD(from, k), y = first;                                                          \
        if (!same) y = SHORT_LOAD(y_from, k);                                                                \
        if (scaled) x *= x_scale, y *= y_scale;                                                              \
        float16 result = expression_;                                                                        \
        if (op->relu) result = result > (float16)(0.0f) ? result : (float16)(0.0f);                          \
        SHORT_STORE(to, k, result);                                                                          \
        (void)y;                                                                                             \
    }                                                                                                        \
    return;
#define SHORT_CASE(alg_, expression_) SHORT_LOOP(case alg_, expression_)
#define SHORT_FUNCTION(type_name_, element_)                                                                 \
    OUTLINE void short_##type_name_(constant struct row_op *op, global element_ *to,                         \
                                    global const element_ *from, global const element_ *y_from, int same,    \
                                    float x_factor, float y_factor, int n, int streams) {                    \
        const int scaled = SHORT_SCALED(x_factor, y_factor);                                                 \
        const float alpha = op->alpha, beta = op->beta;                                                      \
        const float16 x_scale = (float16)(x_factor), y_scale = (float16)(y_factor);                          \
        const float16 first = (float16)(SHORT_ONE(y_from[0]));                                               \
        switch (op->kind == ROW_PRELU ? SHORT_PRELU : op->alg) {                                             \
            SHORT_CASE(SHORT_PRELU, x > (float16)(0.0f) ? x : x * y)                                         \
            SHORT_BINARY_EACH(SHORT_CASE)                                                                    \
            SHORT_ELTWISE_EACH(SHORT_CASE)                                                                   \
            SHORT_LOOP(default, fma(y - beta, (float16)(alpha), x))                                          \
        }                                                                                                    \
    }

#define SHORT_ONE(v_) (v_)
#define SHORT_LOAD(from_, k_) vload16(0, (from_) + (k_))
#define SHORT_STORE(to_, k_, x_) STREAM_OR_STORE(x_, (to_) + (k_), streams)
SHORT_FUNCTION(f32, float)
#undef SHORT_ONE
#undef SHORT_LOAD
#undef SHORT_STORE
#define SHORT_ONE(v_) bf16_to_f32(v_)
#define SHORT_LOAD(from_, k_) widen_bf16(convert_uint16(vload16(0, (from_) + (k_))))
#define SHORT_STORE(to_, k_, x_) STREAM_OR_STORE(narrow_bf16(x_), (to_) + (k_), streams)
SHORT_FUNCTION(bf16, ushort)
#undef SHORT_ONE
#undef SHORT_LOAD
#undef SHORT_STORE
#define SHORT_ONE(v_) f16_to_f32(v_)
#define SHORT_LOAD(from_, k_) widen_f16(convert_uint16(vload16(0, (from_) + (k_))))
#define SHORT_STORE(to_, k_, x_) STREAM_OR_STORE(narrow_f16(x_), (to_) + (k_), streams)
SHORT_FUNCTION(f16, ushort)
#undef SHORT_ONE
#undef SHORT_LOAD
#undef SHORT_STORE
#define SHORT_ONE(v_) (float)(char)(v_)
#define SHORT_LOAD(from_, k_) widen_s8(convert_uint16(vload16(0, (from_) + (k_))))
#define SHORT_STORE(to_, k_, x_) STREAM_OR_STORE(convert_uchar16(lanes_s8(x_)), (to_) + (k_), streams)
SHORT_FUNCTION(s8, uchar)
#undef SHORT_ONE
#undef SHORT_LOAD
#undef SHORT_STORE
#define SHORT_ONE(v_) (float)(v_)
#define SHORT_LOAD(from_, k_) widen_unsigned(convert_uint16(vload16(0, (from_) + (k_))))
#define SHORT_STORE(to_, k_, x_) STREAM_OR_STORE(convert_uchar16(lanes_u8(x_)), (to_) + (k_), streams)
SHORT_FUNCTION(u8, uchar)
#undef SHORT_ONE
#undef SHORT_LOAD
#undef SHORT_STORE

/* A plain relu keeps the bits from 1 to `most`. Native code works on 64 bytes at a time. */
#define RELU_LOOP(lanes_, type_, VALUE_, RESULT_)                                                            \
    for (; k + lanes_ <= n; k += lanes_) {                                                                   \
        type_ x;                                                                                             \
        VALUE_;                                                                                              \
        x = x - (type_)(1) < (type_)(limit) ? x : (type_)(0);                                                \
        RESULT_;                                                                                             \
    }
#ifdef __OPENCL_C_VERSION__
#define RELU_WIDE(element_, lanes_)
#else
typedef uchar uchar64 __attribute__((ext_vector_type(64)));
typedef ushort ushort32 __attribute__((ext_vector_type(32)));
#define RELU_WIDE(element_, lanes_)                                                                          \
    RELU_LOOP(lanes_, element_##lanes_, __builtin_memcpy(&x, from + k, 64),                                  \
              if (!STREAMS_LINE(x, to + k, streams)) __builtin_memcpy(to + k, &x, 64))
#endif
#define SHORT_RELU(bits_, element_, lanes_)                                                                  \
    OUTLINE void short_relu_##bits_(global element_ *to, global const element_ *from, uint most, int n,      \
                                    int streams) {                                                           \
        const element_ limit = (element_)most;                                                               \
        int k = 0;                                                                                           \
        RELU_WIDE(element_, lanes_)                                                                          \
        RELU_LOOP(16, element_##16, x = vload16(0, from + k), vstore16(x, 0, to + k))                        \
    }
SHORT_RELU(16, ushort, 32)
SHORT_RELU(8, uchar, 64)

OUTLINE void short_relu_f32(global float *to, global const float *from, int n, int streams) {
    for (int k = 0; k + 16 <= n; k += 16) {
        const float16 x = vload16(0, from + k), y = x > (float16)(0.0f) ? x : (float16)(0.0f);
        STREAM_OR_STORE(y, to + k, streams);
    }
}

INLINE int is_plain_relu(constant struct row_op *op, float factor) {
    return op->kind == ROW_ELTWISE && op->alg == ELTWISE_RELU && op->alpha == 0.0f && factor == 1.0f;
}

INLINE void row_short_relu(int type, global uchar *to, i64 to_offset, global const uchar *from, i64 offset,
                           int n, int streams) {
#define RELU_CALL(bits_, element_, most_)                                                                    \
    short_relu_##bits_((global element_ *)to + to_offset, (global const element_ *)from + offset, most_, n,  \
                       streams)
    switch (type) {
    case TYPE_F32:
        short_relu_f32((global float *)to + to_offset, (global const float *)from + offset, n, streams);
        return;
    case TYPE_BF16: RELU_CALL(16, ushort, 0x7f80u); return;
    case TYPE_F16: RELU_CALL(16, ushort, 0x7c00u); return;
    case TYPE_S8: RELU_CALL(8, uchar, 0x7fu); return;
    case TYPE_U8: RELU_CALL(8, uchar, 0xffu); return;
    }
#undef RELU_CALL
}

/* Offsets in elements. `streams`: results are whole lines of the cache, and bypass it. */
INLINE void row_short(constant struct row_op *op, int type, global uchar *to, i64 to_offset,
                      global const uchar *from, i64 offset, global const uchar *y_from, i64 y_offset,
                      int same, float x_factor, float y_factor, int n, int streams) {
    if (is_plain_relu(op, x_factor)) {
        row_short_relu(type, to, to_offset, from, offset, n, streams);
        return;
    }
#define SHORT_CALL(name_, element_)                                                                          \
    short_##name_(op, (global element_ *)to + to_offset, (global const element_ *)from + offset,             \
                  (global const element_ *)y_from + y_offset, same, x_factor, y_factor, n, streams)
    switch (type) {
    case TYPE_F32: SHORT_CALL(f32, float); return;
    case TYPE_BF16: SHORT_CALL(bf16, ushort); return;
    case TYPE_F16: SHORT_CALL(f16, ushort); return;
    case TYPE_S8: SHORT_CALL(s8, uchar); return;
    case TYPE_U8: SHORT_CALL(u8, uchar); return;
    }
#undef SHORT_CALL
}

#endif
