/* SPDX-License-Identifier: Apache-2.0 */
/* Transpositions whose results bypass the caches: what they need besides reorder_part.h. */
#ifndef LODE_KERNELS_LIB_TURN_LINES_H
#define LODE_KERNELS_LIB_TURN_LINES_H

#include "kernels/lib/stream.h"

enum {
    PIECE_LINES = 16,
    TURNED_BYTES = 320, /* of a row of dst that are turned */
    FEW_BYTES = 8192,   /* of few rows, or columns */
};

#if STREAMS
#include <immintrin.h>

#ifdef __AVX512BW__
typedef __m512i turned_lanes;
#define LANES_(name_) _mm512_##name_
#else
typedef __m256i turned_lanes;
#define LANES_(name_) _mm256_##name_
#endif

/* As TRANSPOSE_16X16_8 and TRANSPOSE_8X8_16, in each lane of longer rows; dst_pitch is in bytes. Then a line
 * of the cache of each row: whole, because rows that are pages apart drive each other out of the L1 cache. */
#define TURN_LANES(bits_, element_, side_, rounds_)                                                          \
    INLINE void turn_lanes_##bits_(const element_ *src, i64 src_pitch, uchar *dst, i64 dst_pitch) {          \
        enum { LANES = sizeof(turned_lanes) / 16 };                                                          \
        turned_lanes rows[side_], next[side_];                                                               \
        uchar16 lanes[LANES];                                                                                \
        _Pragma("unroll") for (int i = 0; i < side_; i++)                                                    \
                __builtin_memcpy(&rows[i], src + i * src_pitch, sizeof rows[i]);                             \
        _Pragma("unroll") for (int round = 0; round < rounds_; round++) {                                    \
            _Pragma("unroll") for (int i = 0; i < side_ / 2; i++) {                                          \
                next[2 * i] = LANES_(unpacklo_epi##bits_)(rows[i], rows[i + side_ / 2]);                     \
                next[2 * i + 1] = LANES_(unpackhi_epi##bits_)(rows[i], rows[i + side_ / 2]);                 \
            }                                                                                                \
            _Pragma("unroll") for (int i = 0; i < side_; i++) rows[i] = next[i];                             \
        }                                                                                                    \
        _Pragma("unroll") for (int i = 0; i < side_; i++) {                                                  \
            __builtin_memcpy(lanes, &rows[i], sizeof rows[i]);                                               \
            _Pragma("unroll") for (int lane = 0; lane < LANES; lane++)                                       \
                    vstore16(lanes[lane], 0, dst + (lane * side_ + i) * dst_pitch);                          \
        }                                                                                                    \
    }                                                                                                        \
    INLINE void turn_line_##bits_(const element_ *src, i64 src_pitch, element_ *dst, i64 dst_pitch) {        \
        const i64 step = sizeof(turned_lanes) / sizeof(element_), line = LINE_BYTES / sizeof(element_);      \
        for (i64 k = 0; k < line; k += step)                                                                 \
            turn_lanes_##bits_(src + k, src_pitch, (uchar *)(dst + k * dst_pitch),                           \
                               dst_pitch * (i64)sizeof(element_));                                           \
    }
TURN_LANES(8, uchar, 16, 4)
TURN_LANES(16, ushort, 8, 3)

/* `rows` rows of n bytes, whole lines that begin lines of dst, one after the other in src. */
INLINE void stream_lines(uchar *dst, i64 dst_pitch, const uchar *src, i64 n, i64 rows) {
    stream_line line;
    for (i64 i = 0; i < rows; i++)
        for (i64 k = 0; k < n; k += LINE_BYTES, src += LINE_BYTES) {
            __builtin_memcpy(&line, src, sizeof line);
            STREAM(line, 0, dst + i * dst_pitch + k);
        }
}
#endif

#endif
