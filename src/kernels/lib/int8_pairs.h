/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products of bytes on x86-64 without VNNI, exact in one of two ways. One instruction multiplies bytes and
 * adds pairs of products, but saturates at 16 bits: it is used where no pair can get there, because of the
 * weights of the tile or the src of the columns. Elsewhere, even and odd bytes are widened to 16 bits: those
 * of src a piece of the reduction at a time, those of weights as they are loaded; then another instruction
 * multiplies and adds pairs.
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

/* sum + the products of pairs of 16-bit values. */
INLINE pairs_vector pairs_add(pairs_vector sum, pairs_vector x, pairs_vector w) {
#if defined(__AVX512BW__)
    return sum + (pairs_vector)_mm512_madd_epi16((__m512i)x, (__m512i)w);
#elif defined(__AVX2__)
    return sum + (pairs_vector)_mm256_madd_epi16((__m256i)x, (__m256i)w);
#else
    return sum + (pairs_vector)_mm_madd_epi16((__m128i)x, (__m128i)w);
#endif
}

/* Two vectors of each of m columns, from and to rows of PANEL sums. */
INLINE void pairs_get(pairs_vector *acc, const int *sums, const int m) {
#pragma unroll
    for (int i = 0; i < 2 * m; i++)
        __builtin_memcpy(&acc[i], sums + (i >> 1) * PANEL + (i & 1) * PAIRS_LANES, sizeof acc[i]);
}

INLINE void pairs_put(const pairs_vector *acc, int *sums, const int m) {
#pragma unroll
    for (int i = 0; i < 2 * m; i++)
        __builtin_memcpy(sums + (i >> 1) * PANEL + (i & 1) * PAIRS_LANES, &acc[i], sizeof acc[i]);
}

#if defined(__AVX2__)
/* The sums of adjacent products of bytes, x unsigned and w signed, where they fit 16 bits. */
INLINE pairs_shorts pairs_of_bytes(pairs_vector x, pairs_vector w) {
#if defined(__AVX512BW__)
    return (pairs_shorts)_mm512_maddubs_epi16((__m512i)x, (__m512i)w);
#else
    return (pairs_shorts)_mm256_maddubs_epi16((__m256i)x, (__m256i)w);
#endif
}

/* Do all these weights fit? They do if no pair adds up to more than 128, either way: 255 * 128 < 2^15. */
INLINE bool pairs_weights_fit(constant struct gemm_params *p, const struct int8_tile *t) {
    const pairs_vector ones = (pairs_vector)(0x01010101);
    EACH_TAP_ALONG(p, &t->taps, t->along) {
        pairs_shorts most = (pairs_shorts)(0);
        for (i64 i = 0; i < t->depth * PANEL; i += (i64)sizeof(pairs_vector)) {
            const pairs_shorts sum = pairs_of_bytes(ones, pairs_load(t->weights + by + i));
            most = __builtin_elementwise_max(most, __builtin_elementwise_abs(sum));
        }
        if (__builtin_reduce_max(most) > 128) return false;
    }
    return true;
}

/* Has a piece of a column no byte above 127? Then weights of any size fit. */
INLINE bool pairs_src_fits(global const uchar *src, i64 depth) {
    UVEC bits = (UVEC)(0);
    uint more = 0;
    i64 i = 0;
    for (; i + (i64)sizeof bits <= depth; i += (i64)sizeof bits) {
        UVEC x; /* not aligned */
        __builtin_memcpy(&x, src + i, sizeof x);
        bits |= x;
    }
    for (; i < depth; i += INT8_GEMM_QUAD)
        more |= (uint)as_int(vload4(0, src + i));
    return ((__builtin_reduce_or(bits) | more) & 0x80808080u) == 0;
}

INLINE bool pairs_columns_fit(constant struct gemm_params *p, const struct int8_tile *t, int first, int m) {
    const i64 column = t->at.src + first * p->src_column;
    EACH_TAP_ALONG(p, &t->taps, t->along) {
        for (int r = 0; r < m; r++)
            if (!pairs_src_fits(t->src + column + r * p->src_column + from, t->depth)) return false;
    }
    return true;
}

/* acc[r][0 .. 1] += m columns by two vectors of channels. */
INLINE void pairs_byte_steps(global const uchar *a, const i64 column, global const uchar *w, const i64 depth,
                             const int m, pairs_vector *acc) {
    pairs_vector ones = (pairs_vector)(0x00010001), same = ones;
    PAIRS_KEEP(ones, same); /* in a register */
#pragma nounroll
    for (i64 i = 0; i < depth; i += INT8_GEMM_QUAD, w += STEP) {
        const pairs_vector w0 = pairs_load(w);
#pragma unroll
        for (int r = 0; r < m; r++) {
            const pairs_vector x = (pairs_vector)(as_int(vload4(0, a + r * column + i)));
            const pairs_vector w1 = pairs_load(w + sizeof(pairs_vector)); /* registers are short */
            acc[2 * r] = pairs_add(acc[2 * r], (pairs_vector)pairs_of_bytes(x, w0), ones);
            acc[2 * r + 1] = pairs_add(acc[2 * r + 1], (pairs_vector)pairs_of_bytes(x, w1), ones);
            PAIRS_KEEP(acc[2 * r], acc[2 * r + 1]);
        }
    }
}

/* sums[r] += the whole reduction of m columns, of which all products fit. Callers pass m as a constant. */
INLINE void pairs_bytes(constant struct gemm_params *p, const struct int8_tile *t, int first, const int m,
                        int n, int *sums) {
    global const uchar *src = t->src + t->at.src + first * p->src_column;
    pairs_vector acc[2 * PAIRS_COLUMNS];
    pairs_get(acc, sums + n, m);
    EACH_TAP_ALONG(p, &t->taps, t->along) {
        pairs_byte_steps(src + from, p->src_column, t->weights + by + INT8_GEMM_QUAD * n, t->depth, m, acc);
    }
    pairs_put(acc, sums + n, m);
}

INLINE void pairs_bytes_columns(constant struct gemm_params *p, const struct int8_tile *t, int first, int m,
                                int *sums) {
    for (int n = 0; n < t->count[0] + t->count[1]; n += 2 * PAIRS_LANES)
#define PAIRS_BYTES(m_) pairs_bytes(p, t, first, m_, n, sums)
        switch (m) { EACH_PAIRS_HEIGHT(PAIRS_BYTES) }
#undef PAIRS_BYTES
}
#endif

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
    pairs_get(acc, sums, m);
#pragma nounroll
    for (i64 q = 0; q < quads; q++, weights += STEP, x++)
#pragma unroll
        for (int odd = 0; odd < 2; odd++) {
            const pairs_vector w0 = pairs_half(pairs_load(weights), odd);
            const pairs_vector w1 = pairs_half(pairs_load(weights + sizeof(pairs_vector)), odd);
#pragma unroll
            for (int r = 0; r < m; r++) {
                const pairs_vector both = (pairs_vector)(x[(2 * r + odd) * PAIRS_PIECE]);
                acc[2 * r] = pairs_add(acc[2 * r], both, w0);
                acc[2 * r + 1] = pairs_add(acc[2 * r + 1], both, w1);
                PAIRS_KEEP(acc[2 * r], acc[2 * r + 1]);
            }
        }
    pairs_put(acc, sums, m);
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
    const i64 quads = t->depth / INT8_GEMM_QUAD;
    const i64 column = t->at.src + first * p->src_column;
    EACH_TAP_ALONG(p, &t->taps, t->along) {
        for (i64 q = 0; q < quads; q += PAIRS_PIECE)
            pairs_piece(p, t, t->src + column + from + q * INT8_GEMM_QUAD, t->weights + by + q * STEP,
                        quads - q < PAIRS_PIECE ? quads - q : PAIRS_PIECE, m, sums);
    }
}

/* The same, in the faster way if that is exact. */
INLINE void pairs_block(constant struct gemm_params *p, const struct int8_tile *t, int first, int m,
                        int *sums) {
#if defined(__AVX2__)
    if (t->fits || pairs_columns_fit(p, t, first, m)) {
        pairs_bytes_columns(p, t, first, m, sums);
        return;
    }
#endif
    pairs_columns(p, t, first, m, sums);
}

/* The same for any number of columns. */
INLINE void pairs_product(constant struct gemm_params *p, const struct int8_tile *t, int first, int columns,
                          int *sums) {
    const int blocks = (columns + PAIRS_COLUMNS - 1) / PAIRS_COLUMNS, block = (columns + blocks - 1) / blocks;
    for (int done = 0; done < columns; done += block)
        pairs_block(p, t, first + done, columns - done < block ? columns - done : block, sums + done * PANEL);
}

/* Are the weights worth a look, and do they fit? */
INLINE bool pairs_fit(constant struct gemm_params *p, const struct int8_tile *t) {
#if defined(__AVX2__)
    return t->columns >= PAIRS_COLUMNS && pairs_weights_fit(p, t);
#else
    return false;
#endif
}
