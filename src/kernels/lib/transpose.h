/* SPDX-License-Identifier: Apache-2.0 */
/* Transposes tiles, in memory or in registers. */
#ifndef LODE_KERNELS_LIB_TRANSPOSE_H
#define LODE_KERNELS_LIB_TRANSPOSE_H

#include "kernels/lib/opencl.h"

INLINE float8 interleave_low(float8 a, float8 b) {
    float8 r;
    r.even = a.s0145;
    r.odd = b.s0145;
    return r;
}

INLINE float8 interleave_high(float8 a, float8 b) {
    float8 r;
    r.even = a.s2367;
    r.odd = b.s2367;
    return r;
}

INLINE float8 pairs_low(float8 a, float8 b) {
    float8 r;
    r.s0145 = a.s0145;
    r.s2367 = b.s0145;
    return r;
}

INLINE float8 pairs_high(float8 a, float8 b) {
    float8 r;
    r.s0145 = a.s2367;
    r.s2367 = b.s2367;
    return r;
}

/* 4 x 4 in each half. Compilers would join its steps, and those that put the halves together, into dearer
 * instructions. */
INLINE void transpose_halves(float8 *rows) {
    KEEP_ORDER_32(rows[0], rows[1]);
    KEEP_ORDER_32(rows[2], rows[3]);
    float8 a = interleave_low(rows[0], rows[1]), b = interleave_high(rows[0], rows[1]);
    float8 c = interleave_low(rows[2], rows[3]), d = interleave_high(rows[2], rows[3]);
    KEEP_ORDER_32(a, b);
    KEEP_ORDER_32(c, d);
    rows[0] = pairs_low(a, c);
    rows[1] = pairs_high(a, c);
    rows[2] = pairs_low(b, d);
    rows[3] = pairs_high(b, d);
}

/* A tile of 8 x 8 floats: a macro because it is for pointers of any address space. Four columns of all eight
 * rows at a time, rows 0 to 3 in the lower halves of the vectors, so that no element changes its half. */
#define TRANSPOSE_8X8(from_, from_pitch_, to_, to_pitch_)                                                    \
    for (int half_ = 0; half_ < 8; half_ += 4) {                                                             \
        float8 rows_[4];                                                                                     \
        for (int i_ = 0; i_ < 4; i_++) {                                                                     \
            rows_[i_].lo = vload4(0, (from_) + i_ * (from_pitch_) + half_);                                  \
            rows_[i_].hi = vload4(0, (from_) + (i_ + 4) * (from_pitch_) + half_);                            \
        }                                                                                                    \
        transpose_halves(rows_);                                                                             \
        for (int i_ = 0; i_ < 4; i_++)                                                                       \
            vstore8(rows_[i_], 0, (to_) + (half_ + i_) * (to_pitch_));                                       \
    }

/* A tile of 16 x 16: as above, in vectors of four rows. */
#ifdef NATIVE_AVX512
#include <immintrin.h>

INLINE void transpose_16x16(const float *from, i64 from_pitch, float *to, i64 to_pitch) {
    __m512 rows[4], next[4];
    for (int c = 0; c < 16; c += 4) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const float *at = from + i * from_pitch + c;
            rows[i] = _mm512_castps128_ps512(_mm_loadu_ps(at));
            rows[i] = _mm512_insertf32x4(rows[i], _mm_loadu_ps(at + 4 * from_pitch), 1);
            rows[i] = _mm512_insertf32x4(rows[i], _mm_loadu_ps(at + 8 * from_pitch), 2);
            rows[i] = _mm512_insertf32x4(rows[i], _mm_loadu_ps(at + 12 * from_pitch), 3);
        }
        KEEP_ORDER_64(rows[0], rows[1]);
        KEEP_ORDER_64(rows[2], rows[3]);
        next[0] = _mm512_unpacklo_ps(rows[0], rows[1]), next[1] = _mm512_unpackhi_ps(rows[0], rows[1]);
        next[2] = _mm512_unpacklo_ps(rows[2], rows[3]), next[3] = _mm512_unpackhi_ps(rows[2], rows[3]);
        KEEP_ORDER_64(next[0], next[1]);
        KEEP_ORDER_64(next[2], next[3]);
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const __m512d even = _mm512_castps_pd(next[i / 2]), odd = _mm512_castps_pd(next[i / 2 + 2]);
            const __m512d column = i % 2 ? _mm512_unpackhi_pd(even, odd) : _mm512_unpacklo_pd(even, odd);
            _mm512_storeu_ps(to + (c + i) * to_pitch, _mm512_castpd_ps(column));
        }
    }
}
#endif

/* The same in registers, in rounds: each interleaves every row with the one half the rows further on. */
#define TRANSPOSE_ROWS(name_, vector_, side_, rounds_)                                                       \
    INLINE void name_(vector_ *rows) {                                                                       \
        vector_ next[side_];                                                                                 \
        _Pragma("unroll") for (int step = 0; step < rounds_; step++) {                                       \
            _Pragma("unroll") for (int i = 0; i < side_ / 2; i++) {                                          \
                next[2 * i].even = rows[i].lo;                                                               \
                next[2 * i].odd = rows[i + side_ / 2].lo;                                                    \
                next[2 * i + 1].even = rows[i].hi;                                                           \
                next[2 * i + 1].odd = rows[i + side_ / 2].hi;                                                \
            }                                                                                                \
            _Pragma("unroll") for (int i = 0; i < side_; i++) rows[i] = next[i];                             \
        }                                                                                                    \
    }
TRANSPOSE_ROWS(transpose_8x8, float8, 8, 3)
TRANSPOSE_ROWS(transpose_4x4, ulong4, 4, 2)
TRANSPOSE_ROWS(transpose_words, ushort8, 8, 3)
TRANSPOSE_ROWS(transpose_bytes, uchar16, 16, 4)

/* Tiles in memory, by these functions. */
#define TRANSPOSE_TILE(transpose_, vector_, side_, from_, from_pitch_, to_, to_pitch_)                       \
    {                                                                                                        \
        vector_ rows_[side_];                                                                                \
        _Pragma("unroll") for (int i_ = 0; i_ < side_; i_++) rows_[i_] =                                     \
                vload##side_(0, (from_) + i_ * (from_pitch_));                                               \
        transpose_(rows_);                                                                                   \
        _Pragma("unroll") for (int i_ = 0; i_ < side_; i_++)                                                 \
                vstore##side_(rows_[i_], 0, (to_) + i_ * (to_pitch_));                                       \
    }
#define TRANSPOSE_4X4_64(from_, from_pitch_, to_, to_pitch_)                                                 \
    TRANSPOSE_TILE(transpose_4x4, ulong4, 4, from_, from_pitch_, to_, to_pitch_)
#define TRANSPOSE_8X8_16(from_, from_pitch_, to_, to_pitch_)                                                 \
    TRANSPOSE_TILE(transpose_words, ushort8, 8, from_, from_pitch_, to_, to_pitch_)
#define TRANSPOSE_16X16_8(from_, from_pitch_, to_, to_pitch_)                                                \
    TRANSPOSE_TILE(transpose_bytes, uchar16, 16, from_, from_pitch_, to_, to_pitch_)

#endif
