/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products of bytes on x86-64 without VNNI, exact in one of two ways. One instruction multiplies bytes and
 * adds pairs of products, but saturates at 16 bits: it is used where no pair can get there, because of the
 * weights or the src of some columns. Elsewhere, even and odd bytes are widened to 16 bits; then another
 * instruction multiplies and adds pairs.
 *
 * The reduction is cut into pieces, of one tap or of several short ones, each computed for all columns of a
 * work-item, which may be of several rows. Its src is widened for each block of columns; its weights once for
 * all columns, or, if these are few, as they are loaded.
 */
/* Quads at a time, and with widened weights; taps at a time. */
enum { PAIRS_PIECE = 128, PAIRS_WIDENED = 64, PAIRS_PARTS = 16 };

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

enum {
    PAIRS_LANES = sizeof(pairs_vector) / sizeof(int),
    PAIRS_CHANNELS = 2 * PAIRS_LANES, /* at once */
    PAIRS_GROUPS = PANEL / PAIRS_CHANNELS,
    PAIRS_MANY = 24 /* columns: the least that share widened weights; measured 2026-11-19 on Zen 5, AVX2 */
};

/* Sixteen-bit lanes of the same vector. */
typedef short pairs_shorts __attribute__((ext_vector_type(2 * PAIRS_LANES)));
typedef ushort pairs_ushorts __attribute__((ext_vector_type(2 * PAIRS_LANES)));

/* A part of the reduction: offset in src, weights, and length. */
struct pairs_part {
    i64 from;
    global const uchar *weights;
    int quads;
};

struct pairs_piece {
    pairs_vector weights[PAIRS_GROUPS][2][PAIRS_WIDENED][2]; /* even bytes of a group of channels, odd ones */
    struct pairs_part part[PAIRS_PARTS];
    int parts, quads;
    bool fits;    /* no pair of products gets to 16 bits, whatever the src */
    bool widened; /* `weights` are there */
};

/* Columns of a work-item, and which of them are added to: all, or those that a tap is inside for. */
struct pairs_item {
    global const uchar *src[INT8_GEMM_COLUMNS];
    int of[INT8_GEMM_COLUMNS], count, channels;
    const int *start;
    int *sums;  /* PANEL of each column */
    bool fresh; /* they are not there yet: they begin with `start` */
};

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

#if defined(__AVX2__)
/* The sums of adjacent products of bytes, x unsigned and w signed, where they fit 16 bits. */
INLINE pairs_shorts pairs_of_bytes(pairs_vector x, pairs_vector w) {
#if defined(__AVX512BW__)
    return (pairs_shorts)_mm512_maddubs_epi16((__m512i)x, (__m512i)w);
#else
    return (pairs_shorts)_mm256_maddubs_epi16((__m256i)x, (__m256i)w);
#endif
}

/* Do products of these weights fit? They do if no pair adds up to more than 128, either way: 255 * 128 <
 * 2^15. */
INLINE bool pairs_fit(pairs_vector w0, pairs_vector w1) {
    const pairs_vector ones = (pairs_vector)(0x01010101);
    const pairs_shorts a = __builtin_elementwise_abs(pairs_of_bytes(ones, w0)),
                       b = __builtin_elementwise_abs(pairs_of_bytes(ones, w1));
    return __builtin_reduce_or((pairs_vector)(__builtin_elementwise_max(a, b) > 128)) == 0;
}

INLINE pairs_vector pairs_add_bytes(pairs_vector sum, pairs_vector x, pairs_vector w, pairs_vector ones) {
    return pairs_add(sum, (pairs_vector)pairs_of_bytes(x, w), ones);
}

/* Has src no byte above 127? Then weights of any size fit. */
INLINE bool pairs_src_fits(uint8 bits) {
    return (__builtin_reduce_or(bits) & 0x80808080u) == 0;
}
#else
INLINE bool pairs_fit(pairs_vector w0, pairs_vector w1) {
    return false; /* there is no such instruction */
}

INLINE bool pairs_src_fits(uint8 bits) {
    return false;
}
#endif

INLINE void pairs_clear(struct pairs_piece *piece) {
    piece->parts = piece->quads = 0;
    piece->fits = true;
}

/* Do products of these weights fit, and are there so many columns that it is worth a look? */
INLINE bool pairs_weights_fit(const struct pairs_item *item, global const uchar *weights, int quads) {
    bool fit = item->count >= PAIRS_COLUMNS;
    for (i64 i = 0; i < quads * STEP && fit; i += 2 * (i64)sizeof(pairs_vector))
        fit = pairs_fit(pairs_load(weights + i), pairs_load(weights + i + sizeof(pairs_vector)));
    return fit;
}

/* Widens more weights of a piece. */
INLINE void pairs_widen_weights(struct pairs_piece *piece, global const uchar *weights, int quads,
                                int channels) {
    for (int n = 0; n * PAIRS_CHANNELS < channels; n++) {
        global const uchar *from = weights + n * PAIRS_CHANNELS * INT8_GEMM_QUAD;
        pairs_vector(*to)[PAIRS_WIDENED][2] = piece->weights[n];
#pragma nounroll
        for (int q = piece->quads; q < piece->quads + quads; q++, from += STEP) {
            const pairs_vector w0 = pairs_load(from), w1 = pairs_load(from + sizeof w0);
            to[0][q][0] = pairs_half(w0, 0), to[0][q][1] = pairs_half(w1, 0);
            to[1][q][0] = pairs_half(w0, 1), to[1][q][1] = pairs_half(w1, 1);
        }
    }
}

/* Some quads of src: even bytes, and PAIRS_PIECE further on the odd ones, or all as they are. */
INLINE uint8 pairs_eight(global const uchar *from, bool widen, int *to) {
    uint8 x; /* not aligned */
    __builtin_memcpy(&x, from, sizeof x);
    const uint8 even = widen ? x & 0x00ff00ffu : x, odd = (uint8)((ushort16)x >> 8);
    __builtin_memcpy(to, &even, sizeof even);
    if (widen) __builtin_memcpy(to + PAIRS_PIECE, &odd, sizeof odd);
    return x;
}

INLINE uint4 pairs_four(global const uchar *from, bool widen, int *to) {
    uint4 x;
    __builtin_memcpy(&x, from, sizeof x);
    const uint4 even = widen ? x & 0x00ff00ffu : x, odd = (uint4)((ushort8)x >> 8);
    __builtin_memcpy(to, &even, sizeof even);
    if (widen) __builtin_memcpy(to + PAIRS_PIECE, &odd, sizeof odd);
    return x;
}

INLINE uint pairs_one(global const uchar *from, bool widen, int *to) {
    const uint x = (uint)as_int(vload4(0, from));
    to[0] = (int)(widen ? x & 0x00ff00ffu : x);
    if (widen) to[PAIRS_PIECE] = (int)((x >> 8) & 0x00ff00ffu);
    return x;
}

/* A part of a column. The last vector of several overlaps. Returns the union of the bits. */
INLINE uint8 pairs_src(global const uchar *from, const int quads, const bool widen, int *to) {
    uint8 bits = (uint8)(0);
    int q = 0;
    for (; q + 8 <= quads; q += 8)
        bits |= pairs_eight(from + INT8_GEMM_QUAD * q, widen, to + q);
    if (q == quads) return bits;
    if (quads >= 8) return bits | pairs_eight(from + INT8_GEMM_QUAD * (quads - 8), widen, to + quads - 8);
    if (quads >= 4) {
        bits.lo = pairs_four(from, widen, to);
        bits.hi = pairs_four(from + INT8_GEMM_QUAD * (quads - 4), widen, to + quads - 4);
        return bits;
    }
    for (; q < quads; q++)
        bits.s0 |= pairs_one(from + INT8_GEMM_QUAD * q, widen, to + q);
    return bits;
}

/* Two vectors of each of m columns, from the start of sums or from them, and to them. */
INLINE void pairs_get(pairs_vector *acc, const struct pairs_item *item, int n, const int *of, const int m) {
    const int *from = (item->fresh ? item->start : item->sums) + n * PAIRS_CHANNELS;
    const int step = item->fresh ? 0 : PANEL;
#pragma unroll
    for (int i = 0; i < 2 * m; i++)
        __builtin_memcpy(&acc[i], from + of[i >> 1] * step + (i & 1) * PAIRS_LANES, sizeof acc[i]);
}

INLINE void pairs_put(const pairs_vector *acc, const struct pairs_item *item, int n, const int *of,
                      const int m) {
    int *sums = item->sums + n * PAIRS_CHANNELS;
#pragma unroll
    for (int i = 0; i < 2 * m; i++)
        __builtin_memcpy(sums + of[i >> 1] * PANEL + (i & 1) * PAIRS_LANES, &acc[i], sizeof acc[i]);
}

/* Adds a piece with widened weights to m columns and the channels from group n on. Callers pass m as a
 * constant, so that sums stay in registers. */
INLINE void pairs_wide_steps(const struct pairs_piece *piece, const struct pairs_item *item, const int *x,
                             int n, const int *of, const int m) {
    const int quads = piece->quads;
    pairs_vector acc[2 * PAIRS_COLUMNS];
    pairs_get(acc, item, n, of, m);
#pragma nounroll
    for (int odd = 0; odd < 2; odd++, x += PAIRS_PIECE) {
        const pairs_vector(*w)[2] = piece->weights[n][odd];
#pragma nounroll
        for (int q = 0; q < quads; q++) {
            const pairs_vector w0 = w[q][0], w1 = w[q][1];
#pragma unroll
            for (int r = 0; r < m; r++) {
                const pairs_vector both = (pairs_vector)(x[2 * r * PAIRS_PIECE + q]);
                acc[2 * r] = pairs_add(acc[2 * r], both, w0);
                acc[2 * r + 1] = pairs_add(acc[2 * r + 1], both, w1);
                PAIRS_KEEP(acc[2 * r], acc[2 * r + 1]);
            }
        }
    }
    pairs_put(acc, item, n, of, m);
}

/* The same, widening weights in registers. */
INLINE void pairs_steps(const struct pairs_piece *piece, const struct pairs_item *item, const int *x, int n,
                        const int *of, const int m) {
    pairs_vector acc[2 * PAIRS_COLUMNS];
    pairs_get(acc, item, n, of, m);
#pragma nounroll
    for (int i = 0; i < piece->parts; i++) {
        global const uchar *w = piece->part[i].weights + n * PAIRS_CHANNELS * INT8_GEMM_QUAD;
#pragma nounroll
        for (const int *end = x + piece->part[i].quads; x < end; x++, w += STEP)
#pragma unroll
            for (int odd = 0; odd < 2; odd++) {
                const pairs_vector w0 = pairs_half(pairs_load(w), odd),
                                   w1 = pairs_half(pairs_load(w + sizeof w0), odd);
#pragma unroll
                for (int r = 0; r < m; r++) {
                    const pairs_vector both = (pairs_vector)(x[(2 * r + odd) * PAIRS_PIECE]);
                    acc[2 * r] = pairs_add(acc[2 * r], both, w0);
                    acc[2 * r + 1] = pairs_add(acc[2 * r + 1], both, w1);
                    PAIRS_KEEP(acc[2 * r], acc[2 * r + 1]);
                }
            }
    }
    pairs_put(acc, item, n, of, m);
}

#if defined(__AVX2__)
/* The same of bytes, where all products fit. */
INLINE void pairs_byte_steps(const struct pairs_piece *piece, const struct pairs_item *item, const int *x,
                             int n, const int *of, const int m) {
    pairs_vector ones = (pairs_vector)(0x00010001), same = ones, acc[2 * PAIRS_COLUMNS];
    PAIRS_KEEP(ones, same); /* in a register */
    pairs_get(acc, item, n, of, m);
#pragma nounroll
    for (int i = 0; i < piece->parts; i++) {
        global const uchar *w = piece->part[i].weights + n * PAIRS_CHANNELS * INT8_GEMM_QUAD;
#pragma nounroll
        for (const int *end = x + piece->part[i].quads; x < end; x++, w += STEP) {
            const pairs_vector w0 = pairs_load(w);
#pragma unroll
            for (int r = 0; r < m; r++) {
                const pairs_vector both = (pairs_vector)(x[2 * r * PAIRS_PIECE]);
                const pairs_vector w1 = pairs_load(w + sizeof w0); /* registers are short */
                acc[2 * r] = pairs_add_bytes(acc[2 * r], both, w0, ones);
                acc[2 * r + 1] = pairs_add_bytes(acc[2 * r + 1], both, w1, ones);
                PAIRS_KEEP(acc[2 * r], acc[2 * r + 1]);
            }
        }
    }
    pairs_put(acc, item, n, of, m);
}
#endif

#if defined(__AVX2__)
#define PAIRS_FIT(m_) pairs_byte_steps(piece, item, x, n, of, m_)
#else
#define PAIRS_FIT(m_) (void)0
#endif
#define PAIRS_WIDE(m_) pairs_wide_steps(piece, item, x, n, of, m_)
#define PAIRS_ANY(m_) pairs_steps(piece, item, x, n, of, m_)

/* The src of m columns. */
INLINE uint8 pairs_columns(const struct pairs_piece *piece, const struct pairs_item *item, const int *of,
                           int m, const bool widen, int *x) {
    uint8 bits = (uint8)(0);
    for (int r = 0; r < m; r++) {
        int *to = x + 2 * r * PAIRS_PIECE;
        for (int i = 0; i < piece->parts; to += piece->part[i++].quads)
            bits |= pairs_src(item->src[of[r]] + piece->part[i].from, piece->part[i].quads, widen, to);
    }
    return bits;
}

/* Adds a piece to m columns. */
INLINE void pairs_block(const struct pairs_piece *piece, const struct pairs_item *item, const int *of,
                        int m) {
    LINE_ALIGNED int x[PAIRS_COLUMNS * 2 * PAIRS_PIECE];
    const bool fits = piece->fits || pairs_src_fits(pairs_columns(piece, item, of, m, true, x));
    if (fits) pairs_columns(piece, item, of, m, false, x);
    for (int n = 0; n * PAIRS_CHANNELS < item->channels; n++) {
        if (fits) {
            switch (m) { EACH_PAIRS_HEIGHT(PAIRS_FIT) }
        } else if (piece->widened) {
            switch (m) { EACH_PAIRS_HEIGHT(PAIRS_WIDE) }
        } else {
            switch (m) { EACH_PAIRS_HEIGHT(PAIRS_ANY) }
        }
    }
}

/* Adds a piece, and empties it. */
OUTLINE void pairs_flush(struct pairs_piece *piece, struct pairs_item *item) {
    const int blocks = (item->count + PAIRS_COLUMNS - 1) / PAIRS_COLUMNS,
              block = (item->count + blocks - 1) / blocks;
    for (int done = 0; done < item->count; done += block)
        pairs_block(piece, item, item->of + done, item->count - done < block ? item->count - done : block);
    pairs_clear(piece);
    item->fresh = false;
}

/* Appends a tap to a piece, or to several. */
INLINE void pairs_tap(struct pairs_piece *piece, struct pairs_item *item, i64 from,
                      global const uchar *weights, i64 depth) {
    const bool many = item->count >= PAIRS_MANY;
    const int most = many ? PAIRS_WIDENED : PAIRS_PIECE;
    for (i64 left = depth / INT8_GEMM_QUAD; left > 0;) {
        const int room = most - piece->quads, quads = (int)(left < room ? left : room);
        piece->fits = piece->fits && pairs_weights_fit(item, weights, quads);
        piece->widened = many;
        if (many) pairs_widen_weights(piece, weights, quads, item->channels);
        piece->part[piece->parts++] = (struct pairs_part){from, weights, quads};
        piece->quads += quads;
        from += quads * INT8_GEMM_QUAD, weights += quads * STEP, left -= quads;
        if (piece->quads == most || piece->parts == PAIRS_PARTS) pairs_flush(piece, item);
    }
}

/* The columns of a row that tap k along it is inside for. */
INLINE void pairs_choose(constant struct gemm_params *p, const struct int8_tile *t, int row, i64 h, i64 k,
                         struct pairs_item *item) {
    const struct gemm_taps taps = gemm_taps_at(p, t->at.batch[2], t->at.row + row);
    const struct gemm_columns in = gemm_columns_inside(p, t->at.column, t->columns, k);
    if (h < taps.first[1] || h >= taps.last[1]) return;
    for (int c = in.first; c < in.last; c++)
        item->of[item->count++] = row * t->columns + c;
}

/* Adds the reduction at the border of an image without padding, tap by tap, each for the columns that it is
 * inside for. */
INLINE void pairs_edge(constant struct gemm_params *p, const struct int8_tile *t, int rows,
                       struct pairs_piece *piece, struct pairs_item *item) {
    for (i64 d = t->taps.first[0]; d < t->taps.last[0]; d++)
        for (i64 h = 0; h < p->window[1]; h++)
            for (i64 k = 0; k < p->border.taps[2]; k++) {
                item->count = 0;
                for (int row = 0; row < rows; row++)
                    pairs_choose(p, t, row, h, k, item);
                if (item->count == 0) continue;
                pairs_tap(piece, item, d * p->src_window[0] + h * p->src_window[1] + k * p->edge_src,
                          t->weights + d * p->weights_window[0] + h * p->weights_window[1]
                                  + k * p->edge_weights,
                          p->edge_depth);
                if (piece->quads > 0) pairs_flush(piece, item);
            }
}

/* Adds the reduction of all columns of these rows. Of taps in the padding of a copy, all are computed if one
 * row needs them. */
INLINE void pairs_inside(constant struct gemm_params *p, const struct int8_tile *t, int rows,
                         struct pairs_piece *piece, struct pairs_item *item) {
    struct gemm_taps taps = t->taps;
    for (int row = 1; row < rows; row++) {
        const struct gemm_taps more = gemm_taps_at(p, t->at.batch[2], t->at.row + row);
        if (more.first[1] < taps.first[1]) taps.first[1] = more.first[1];
        if (more.last[1] > taps.last[1]) taps.last[1] = more.last[1];
    }
    EACH_TAP(p, &taps) {
        pairs_tap(piece, item, from, t->weights + by, p->depth);
    }
    if (piece->quads > 0) pairs_flush(piece, item);
}

/* Sums before the first product. */
INLINE void pairs_start(struct pairs_item *item) {
    for (int i = 0; i < item->count * PANEL; i++)
        item->sums[i] = item->start[i % PANEL];
    item->fresh = false;
}

/* sums[row][column] = start + the products of these rows. */
INLINE void pairs_product(constant struct gemm_params *p, const struct int8_tile *t, const IVEC *start,
                          int rows, int *sums) {
    struct pairs_piece piece;
    struct pairs_item item = {.count = rows * t->columns,
                              .channels = t->count[0] + t->count[1],
                              .start = (const int *)start,
                              .sums = sums,
                              .fresh = true};
    for (int i = 0; i < item.count; i++) {
        const int row = i / t->columns, column = i - row * t->columns;
        item.of[i] = i;
        item.src[i] = t->src + t->at.src + row * p->src_row + column * p->src_column;
    }
    pairs_clear(&piece);
    if (p->edge_depth > 0 && (rows > 1 || !gemm_is_inside(p, t->at.column, t->columns))) {
        pairs_start(&item);
        pairs_edge(p, t, rows, &piece, &item);
    } else {
        pairs_inside(p, t, rows, &piece, &item);
        if (item.fresh) pairs_start(&item); /* there are no taps */
    }
}
