/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products of bytes on x86-64 without VNNI. Even and odd bytes are widened to 16 bits: those of src a piece
 * of the reduction at a time, those of weights as they are loaded. Then one instruction multiplies and adds
 * pairs. The one for pairs of bytes saturates; this one is exact.
 */
enum { PAIRS_PIECE = 64 /* quads at a time */ };

#if defined(__AVX512BW__)
#define PAIRS_COLUMNS 12
typedef int16 pairs_vector;
#define PAIRS_KEEP KEEP_ORDER_64
#elif defined(__AVX2__)
#define PAIRS_COLUMNS 6
typedef int8 pairs_vector;
#define PAIRS_KEEP KEEP_ORDER_32
#else
#define PAIRS_COLUMNS 6
typedef int4 pairs_vector;
#define PAIRS_KEEP(a, b)
#endif

enum { PAIRS_LANES = sizeof(pairs_vector) / sizeof(int), PAIRS_SRC = PAIRS_COLUMNS * 2 * PAIRS_PIECE };

/* Sixteen-bit lanes of the same vector. */
typedef short pairs_shorts __attribute__((ext_vector_type(2 * PAIRS_LANES)));
typedef ushort pairs_ushorts __attribute__((ext_vector_type(2 * PAIRS_LANES)));

INLINE pairs_vector pairs_load(global const uchar *from) {
    pairs_vector v;
    __builtin_memcpy(&v, from, sizeof v);
    return v;
}

INLINE pairs_vector pairs_half(pairs_vector bytes, const int odd) {
    if (odd == 1) return (pairs_vector)((pairs_shorts)bytes >> 8);
    return (pairs_vector)((pairs_shorts)((pairs_ushorts)bytes << 8) >> 8);
}

INLINE pairs_vector pairs_add(pairs_vector sum, int x, pairs_vector w) {
    const pairs_vector same = (pairs_vector)(x);
#if defined(__AVX512BW__)
    return sum + (pairs_vector)_mm512_madd_epi16((__m512i)same, (__m512i)w);
#elif defined(__AVX2__)
    return sum + (pairs_vector)_mm256_madd_epi16((__m256i)same, (__m256i)w);
#else
    return sum + (pairs_vector)_mm_madd_epi16((__m128i)same, (__m128i)w);
#endif
}

/* The even bytes of a column, and PAIRS_PIECE further on the odd ones. */
INLINE void pairs_widen_src(global const uchar *from, i64 quads, int *to) {
    const uint mask = 0x00ff00ffu;
    i64 q = 0;
    for (; q + LANES <= quads; q += LANES) {
        UVEC x; /* not aligned */
        __builtin_memcpy(&x, from + INT8_GEMM_QUAD * q, sizeof x);
        VSTORE(AS_IVEC(x & mask), 0, to + q);
        VSTORE(AS_IVEC((x >> 8) & mask), 0, to + PAIRS_PIECE + q);
    }
    for (; q < quads; q++) {
        const uint x = (uint)as_int(vload4(0, from + INT8_GEMM_QUAD * q));
        to[q] = (int)(x & mask);
        to[PAIRS_PIECE + q] = (int)((x >> 8) & mask);
    }
}

/* sums[r][0 .. 1] += m columns by two vectors of channels. Callers pass m as a constant, so that sums stay in
 * registers. */
INLINE void pairs_steps(const int *x, global const uchar *weights, i64 quads, const int m, int *sums) {
    pairs_vector acc[2 * PAIRS_COLUMNS];
#pragma unroll
    for (int r = 0; r < m; r++) {
        __builtin_memcpy(&acc[2 * r], sums + r * PANEL, sizeof(pairs_vector));
        __builtin_memcpy(&acc[2 * r + 1], sums + r * PANEL + PAIRS_LANES, sizeof(pairs_vector));
    }
#pragma nounroll
    for (i64 q = 0; q < quads; q++, weights += STEP, x++)
#pragma unroll
        for (int odd = 0; odd < 2; odd++) {
            const pairs_vector w0 = pairs_half(pairs_load(weights), odd);
            const pairs_vector w1 = pairs_half(pairs_load(weights + sizeof(pairs_vector)), odd);
#pragma unroll
            for (int r = 0; r < m; r++) {
                const int both = x[(2 * r + odd) * PAIRS_PIECE];
                acc[2 * r] = pairs_add(acc[2 * r], both, w0);
                acc[2 * r + 1] = pairs_add(acc[2 * r + 1], both, w1);
                PAIRS_KEEP(acc[2 * r], acc[2 * r + 1]);
            }
        }
#pragma unroll
    for (int r = 0; r < m; r++) {
        __builtin_memcpy(sums + r * PANEL, &acc[2 * r], sizeof(pairs_vector));
        __builtin_memcpy(sums + r * PANEL + PAIRS_LANES, &acc[2 * r + 1], sizeof(pairs_vector));
    }
}

/* Adds one piece to the sums of m columns. */
INLINE void pairs_piece(constant struct gemm_params *p, const struct int8_tile *t, global const uchar *src,
                        global const uchar *weights, i64 quads, int m, int *sums) {
    const int channels = t->count[0] + t->count[1];
    int x[PAIRS_SRC];
    for (int r = 0; r < m; r++)
        pairs_widen_src(src + r * p->src_column, quads, x + r * 2 * PAIRS_PIECE);
    for (int n = 0; n < channels; n += 2 * PAIRS_LANES)
#define PAIRS_STEPS(m_) pairs_steps(x, weights + INT8_GEMM_QUAD * n, quads, m_, sums + n)
        switch (m) { EACH_PAIRS_HEIGHT(PAIRS_STEPS) }
#undef PAIRS_STEPS
}

/* sums[r] += the whole reduction of m columns. */
INLINE void pairs_columns(constant struct gemm_params *p, const struct int8_tile *t, int first, int m,
                          int *sums) {
    const i64 quads = p->depth / INT8_GEMM_QUAD;
    const i64 column = t->at.src + first * p->src_column;
    EACH_TAP(p, &t->taps) {
        for (i64 q = 0; q < quads; q += PAIRS_PIECE)
            pairs_piece(p, t, t->src + column + from + q * INT8_GEMM_QUAD, t->weights + by + q * STEP,
                        quads - q < PAIRS_PIECE ? quads - q : PAIRS_PIECE, m, sums);
    }
}

/* The same for any number of columns. */
INLINE void pairs_product(constant struct gemm_params *p, const struct int8_tile *t, int first, int columns,
                          int *sums) {
    const int blocks = (columns + PAIRS_COLUMNS - 1) / PAIRS_COLUMNS, block = (columns + blocks - 1) / blocks;
    for (int done = 0; done < columns; done += block)
        pairs_columns(p, t, first + done, columns - done < block ? columns - done : block,
                      sums + done * PANEL);
}
