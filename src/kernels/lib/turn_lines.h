/* SPDX-License-Identifier: Apache-2.0 */
/* Transpositions whose results bypass the caches: what they need besides reorder_part.h. */
#ifndef LODE_KERNELS_LIB_TURN_LINES_H
#define LODE_KERNELS_LIB_TURN_LINES_H

#include "kernels/lib/stream.h"

enum { PIECE_LINES = 16, TURNED_BYTES = 320 }; /* of a row of dst that are turned */

#if STREAMS
#include <immintrin.h>

#ifdef __AVX512BW__
typedef __m512i byte_lanes;
#define LANES_LOW _mm512_unpacklo_epi8
#define LANES_HIGH _mm512_unpackhi_epi8
#else
typedef __m256i byte_lanes;
#define LANES_LOW _mm256_unpacklo_epi8
#define LANES_HIGH _mm256_unpackhi_epi8
#endif

/* As TRANSPOSE_16X16_8, in each lane of longer rows. */
INLINE void turn_byte_lanes(const uchar *src, i64 src_pitch, uchar *dst, i64 dst_pitch) {
    enum { SIDE_BYTES = 16, LANES = sizeof(byte_lanes) / SIDE_BYTES };
    byte_lanes rows[SIDE_BYTES], next[SIDE_BYTES];
    uchar16 lanes[LANES];
#pragma unroll
    for (int i = 0; i < SIDE_BYTES; i++)
        __builtin_memcpy(&rows[i], src + i * src_pitch, sizeof rows[i]);
#pragma unroll
    for (int round = 0; round < 4; round++) {
#pragma unroll
        for (int i = 0; i < SIDE_BYTES / 2; i++) {
            next[2 * i] = LANES_LOW(rows[i], rows[i + SIDE_BYTES / 2]);
            next[2 * i + 1] = LANES_HIGH(rows[i], rows[i + SIDE_BYTES / 2]);
        }
#pragma unroll
        for (int i = 0; i < SIDE_BYTES; i++)
            rows[i] = next[i];
    }
#pragma unroll
    for (int i = 0; i < SIDE_BYTES; i++) {
        __builtin_memcpy(lanes, &rows[i], sizeof rows[i]);
#pragma unroll
        for (int lane = 0; lane < LANES; lane++)
            vstore16(lanes[lane], 0, dst + (lane * SIDE_BYTES + i) * dst_pitch);
    }
}

/* A line of the cache of each of 16 rows: whole, because rows that are pages apart drive each other out of
 * the L1 cache. */
INLINE void turn_line_of_bytes(const uchar *src, i64 src_pitch, uchar *dst, i64 dst_pitch) {
    const i64 size = sizeof(byte_lanes);
    for (i64 k = 0; k < LINE_BYTES; k += size)
        turn_byte_lanes(src + k, src_pitch, dst + k * dst_pitch, dst_pitch);
}
#endif

#endif
