/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Softmax of lines with AVX-512, 32 elements at a time. Those of bf16 with even and those with odd numbers
 * are a vector each, because the bits of one are half of a float away from those of the other.
 */
#ifndef LODE_KERNELS_LIB_SOFTMAX_ROLL_H
#define LODE_KERNELS_LIB_SOFTMAX_ROLL_H

#include "kernels/lib/lanes_avx512.h"
#include "kernels/lib/math.h"
#include "kernels/lib/rows.h"
#include "kernels/params_softmax.h"

/* e^x for x <= 0: 1 ulp. With AVX-512, 2^n p(r), where r is between 0 and 1, or as good as that. */
INLINE float16 softmax_power(float16 x) {
#ifdef NATIVE_AVX512
    const float16 by_log2 = (float16)(0x1.715476p+0f);
    const float16 inside = x < (float16)(-104.0f) ? (float16)(-104.0f) : x, t = inside * by_log2;
    const float16 n = __builtin_elementwise_floor(t);
    const float16 r = fma(inside, (float16)(0x1.4ae0cp-26f), fma(inside, by_log2, -n));
    const float16 p = power_of_fraction(r);
    return __builtin_ia32_scalefps512_mask(p, n, p, (ushort)0xffff, 4);
#else
    return f32_exp_limited(x);
#endif
}

#ifdef NATIVE_AVX512
#define SOFTMAX_ROLLS 1

/* 32 elements. */
INLINE void roll_load(const int type, const uchar *at, float16 *x, float16 *y) {
    if (type == TYPE_BF16) {
        const uint16 bits = vload16(0, (const uint *)at);
        *x = as_float16(bits << 16), *y = as_float16(bits & 0xffff0000u);
    } else if (type == TYPE_F16) {
        *x = widen_f16(convert_uint16(vload16(0, (const ushort *)at)));
        *y = widen_f16(convert_uint16(vload16(1, (const ushort *)at)));
    } else {
        *x = vload16(0, (const float *)at), *y = vload16(1, (const float *)at);
    }
}

/* No NaN comes here that rounding to bf16 would change. */
INLINE void roll_store(const int type, uchar *at, float16 x, float16 y, int past) {
    if (type == TYPE_BF16) {
        STREAM_OR_STORE(rounded_to_bf16(x) >> 16 | (rounded_to_bf16(y) & 0xffff0000u), (uint *)at, past);
    } else if (type == TYPE_F16) {
        STREAM_OR_STORE(narrow_f16(x), (ushort *)at, past);
        STREAM_OR_STORE(narrow_f16(y), (ushort *)at + 16, past);
    } else {
        STREAM_OR_STORE(x, (float *)at, past);
        STREAM_OR_STORE(y, (float *)at + 16, past);
    }
}

/* The largest of n elements; NaN is none. */
INLINE float16 roll_top(const int type, const uchar *from, int n) {
    float16 x, y, even = (float16)(-INFINITY), odd = even;
    for (int i = 0; i < n; i += 32) {
        roll_load(type, from + i * type_bytes(type), &x, &y);
        even = x > even ? x : even;
        odd = y > odd ? y : odd;
    }
    return even > odd ? even : odd;
}

/* Powers of a line, that are to be multiplied and stored. */
struct roll_line {
    const float *powers;
    uchar *to; /* NULL: none */
    float factor;
    int past;
};

INLINE void roll_end(const int type, const struct roll_line *line, int i) {
    const float16 factor = (float16)(line->factor);
    roll_store(type, line->to + i * type_bytes(type), vload16(0, line->powers + i) * factor,
               vload16(1, line->powers + i) * factor, line->past);
}

/* Leaves the powers of a line in `to`, and returns their sum. Meanwhile the line before it is stored, and the
 * one at `ahead` asked for, so that memory is read and written all the time. */
INLINE float16 roll_powers(const int type, const uchar *from, float *to, int n, float16 top,
                           const uchar *ahead, const struct roll_line *before) {
    const int bytes = type_bytes(type);
    const struct roll_line line = *before;
    float16 x, y, even = (float16)(0.0f), odd = even;
#pragma nounroll
    for (int i = 0; i < n; i += 32) {
        PREFETCH(ahead + i * bytes);
        if (bytes == 4) PREFETCH(ahead + i * bytes + LINE_BYTES);
        roll_load(type, from + i * bytes, &x, &y);
        x = softmax_power(x - top), y = softmax_power(y - top);
        vstore16(x, 0, to + i);
        vstore16(y, 1, to + i);
        even += x;
        odd += y;
        if (line.to) roll_end(type, &line, i);
    }
    return even + odd;
}
#else
#define SOFTMAX_ROLLS 0
#endif

#endif
