/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums of products on CPUs with matrix tiles (AMX): an instruction multiplies 16 columns of src, 64 bytes of
 * the reduction of each, by 16 channels of weights in panels, whose rows of four bytes per channel are what
 * it takes. Bytes and pairs of bf16 differ in nothing but that instruction, so lengths and strides are in
 * bytes.
 *
 * All tiles of a row have the same number of columns, so that the tile registers are configured once: the
 * last one begins earlier where it would be shorter, and its first columns are those of the tile before,
 * which are not stored again. Two tiles share what is loaded of the weights. At the border of an image
 * without padding, columns are copied, with zeros for those outside.
 */
#ifndef LODE_KERNELS_LIB_MATRIX_TILES_H
#define LODE_KERNELS_LIB_MATRIX_TILES_H

#include <immintrin.h>

enum {
    TILE_BYTES = 64,                 /* of the reduction that an instruction takes */
    TILE_WEIGHTS = 128,              /* a row of a panel: four bytes of 32 channels */
    TILE_STEP = 16 * TILE_WEIGHTS,   /* what it takes of a panel */
    TILE_SUMS = MATRIX_TILE * PANEL, /* of a tile, column by column */
};

/* The instruction: what it multiplies. */
enum tile_type { TILE_UNSIGNED, TILE_SIGNED, TILE_BF16 };

/* Tile registers: the sums of two tiles by two vectors of channels; 64 bytes of columns and of weights; the
 * rest of a length that is no multiple of 64. */
#define SUM_00 0
#define SUM_01 1
#define SUM_10 2
#define SUM_11 3
#define COLUMNS 4
#define WEIGHTS 5
#define REST_COLUMNS 6
#define REST_WEIGHTS 7

struct tile_config {
    uchar palette, start_row, reserved[14];
    ushort row_bytes[16];
    uchar rows[16];
};

/* What a work-item computes, and how its registers are configured. */
struct tile_run {
    i64 first, last; /* tiles, of all rows */
    i64 size;        /* of an element */
    int rest;        /* bytes of REST_COLUMNS; -1: not configured yet */
    bool wide;       /* both vectors of channels exist */
    enum tile_type type;
};

/* One or two tiles that are computed at once. The window has the same rows and depths for both. */
struct tile_pair {
    int count;
    struct gemm_place at[2];
    int known[2]; /* columns that the tile before has, too */
    struct gemm_taps taps;
};

INLINE struct tile_run tile_run(constant struct gemm_params *p, i64 index, i64 size, enum tile_type type,
                                i64 channel) {
    const i64 all = p->rows * p->tiles;
    struct tile_run run = {.first = index * p->run, .size = size, .rest = -1, .type = type};
    run.last = run.first + p->run < all ? run.first + p->run : all;
    run.wide = p->channels - channel > LANES;
    return run;
}

INLINE struct gemm_place tile_place(constant struct gemm_params *p, u32 step, i64 tile, i64 panel, i64 batch,
                                    int *known) {
    const i64 row = p->rows == 1 ? 0 : tile / p->tiles, column = (tile - row * p->tiles) * p->tile;
    const i64 last = p->columns - p->tile, from = column < last ? column : last;
    *known = (int)(column - from);
    return gemm_place_at(p, step, row, from, panel, batch, PANEL);
}

INLINE bool tile_has_taps(const struct gemm_taps *a, const struct gemm_taps *b) {
    return a->first[0] == b->first[0] && a->last[0] == b->last[0] && a->first[1] == b->first[1]
           && a->last[1] == b->last[1];
}

/* The tile `tile`, and the next one if it fits. */
INLINE struct tile_pair tile_pair(constant struct gemm_params *p, const struct tile_run *run, u32 step,
                                  i64 tile, i64 panel, i64 batch) {
    struct tile_pair pair = {.count = 1};
    pair.at[0] = tile_place(p, step, tile, panel, batch, &pair.known[0]);
    pair.at[1] = pair.at[0];
    pair.taps = gemm_taps(p, &pair.at[0]);
    if (tile + 1 == run->last) return pair;
    pair.at[1] = tile_place(p, step, tile + 1, panel, batch, &pair.known[1]);
    const struct gemm_taps other = gemm_taps(p, &pair.at[1]);
    if (tile_has_taps(&pair.taps, &other)) pair.count = 2;
    return pair;
}

/* Registers for tiles of so many columns. It takes longer than 20 products. */
INLINE void tile_configure(struct tile_run *run, i64 columns, i64 length) {
    const int rest = (int)(length % TILE_BYTES);
    struct tile_config config = {.palette = 1};
    if (rest == run->rest) return;
    run->rest = rest;
    for (int k = 0; k < 8; k++)
        config.row_bytes[k] = TILE_BYTES, config.rows[k] = (uchar)columns;
    config.rows[WEIGHTS] = TILE_BYTES / 4;
    config.row_bytes[REST_COLUMNS] = (ushort)(rest ? rest : TILE_BYTES);
    config.rows[REST_WEIGHTS] = (uchar)(rest ? rest / 4 : TILE_BYTES / 4);
    _tile_loadconfig(&config);
}

/* The product of one tile of columns and one of weights. Callers pass constants. */
#define TILE_MULTIPLY(type, sum, columns, weights)                                                           \
    do {                                                                                                     \
        if ((type) == TILE_UNSIGNED)                                                                         \
            _tile_dpbusd(sum, columns, weights);                                                             \
        else if ((type) == TILE_SIGNED)                                                                      \
            _tile_dpbssd(sum, columns, weights);                                                             \
        else                                                                                                 \
            _tile_dpbf16ps(sum, columns, weights);                                                           \
    } while (0)

/* A step of the reduction: of one tile or two, by one vector of channels or two. */
#define TILE_STEP_OF(type, two, wide, columns, weights, a, b, stride, w)                                     \
    do {                                                                                                     \
        _tile_loadd(columns, a, stride);                                                                     \
        _tile_loadd(weights, w, TILE_WEIGHTS);                                                               \
        TILE_MULTIPLY(type, SUM_00, columns, weights);                                                       \
        if (wide) {                                                                                          \
            _tile_loadd(weights, (w) + TILE_BYTES, TILE_WEIGHTS);                                            \
            TILE_MULTIPLY(type, SUM_01, columns, weights);                                                   \
        }                                                                                                    \
        if (two) {                                                                                           \
            _tile_loadd(columns, b, stride);                                                                 \
            if (wide) {                                                                                      \
                TILE_MULTIPLY(type, SUM_11, columns, weights);                                               \
                _tile_loadd(weights, w, TILE_WEIGHTS);                                                       \
            }                                                                                                \
            TILE_MULTIPLY(type, SUM_10, columns, weights);                                                   \
        }                                                                                                    \
    } while (0)

/* Sums += columns from `a` and, of the second tile, `b`, times a panel's weights. Callers pass the last three
 * as constants. */
INLINE void tile_steps(global const uchar *a, global const uchar *b, i64 stride, global const uchar *w,
                       i64 length, const enum tile_type type, const bool two, const bool wide) {
#pragma nounroll
    for (; length >= TILE_BYTES; length -= TILE_BYTES, a += TILE_BYTES, b += TILE_BYTES, w += TILE_STEP)
        TILE_STEP_OF(type, two, wide, COLUMNS, WEIGHTS, a, b, stride, w);
    if (length > 0) TILE_STEP_OF(type, two, wide, REST_COLUMNS, REST_WEIGHTS, a, b, stride, w);
}

/* A step of columns of which only `in` are inside the image. */
struct tile_border {
    global const uchar *from; /* of the first column, which may be outside */
    struct gemm_columns in;
};

INLINE void tile_copy(const struct tile_border *border, i64 stride, i64 at, int bytes, int columns,
                      uchar *to) {
    const __mmask64 some = bytes == TILE_BYTES ? ~(__mmask64)0 : ((__mmask64)1 << bytes) - 1;
    for (int r = 0; r < columns; r++) {
        const bool inside = r >= border->in.first && r < border->in.last;
        __m512i x = _mm512_setzero_si512();
        if (inside) x = _mm512_maskz_loadu_epi8(some, border->from + r * stride + at);
        _mm512_store_si512(to + r * TILE_BYTES, x);
    }
}

INLINE void tile_border_steps(const struct tile_border border[2], i64 stride, global const uchar *w,
                              i64 length, int columns, const enum tile_type type, bool two, bool wide) {
    LINE_ALIGNED uchar copy[2][MATRIX_TILE * TILE_BYTES];
    for (i64 at = 0; at < length; at += TILE_BYTES, w += TILE_STEP) {
        const int bytes = (int)(length - at < TILE_BYTES ? length - at : TILE_BYTES);
        tile_copy(&border[0], stride, at, bytes, columns, copy[0]);
        if (two) tile_copy(&border[1], stride, at, bytes, columns, copy[1]);
        if (bytes == TILE_BYTES)
            TILE_STEP_OF(type, two, wide, COLUMNS, WEIGHTS, copy[0], copy[1], TILE_BYTES, w);
        else
            TILE_STEP_OF(type, two, wide, REST_COLUMNS, REST_WEIGHTS, copy[0], copy[1], TILE_BYTES, w);
    }
}

INLINE bool tile_is_border(constant struct gemm_params *p, const struct tile_pair *pair) {
    if (p->edge_depth == 0) return false;
    for (int k = 0; k < pair->count; k++)
        if (!gemm_is_inside(p, pair->at[k].column, (int)p->tile)) return true;
    return false;
}

/* The whole reduction of a pair, tap by tap of the window. Callers pass the last three as constants. */
INLINE void tile_sums(constant struct gemm_params *p, const struct tile_run *run,
                      const struct tile_pair *pair, global const uchar *src, global const uchar *weights,
                      const enum tile_type type, const bool two, const bool wide) {
    const i64 size = run->size;
    EACH_TAP(p, &pair->taps) {
        tile_steps(src + (pair->at[0].src + from) * size, src + (pair->at[1].src + from) * size,
                   p->src_column * size, weights + (pair->at[0].weights + by) * size, p->depth * size, type,
                   two, wide);
    }
}

/* The same at the border of an image without padding. */
INLINE void tile_edge_sums(constant struct gemm_params *p, const struct tile_run *run,
                           const struct tile_pair *pair, global const uchar *src, global const uchar *weights,
                           const enum tile_type type) {
    const i64 size = run->size, stride = p->src_column * size, length = p->edge_depth * size;
    const int columns = (int)p->tile;
    const bool two = pair->count == 2;
    for (i64 d = pair->taps.first[0]; d < pair->taps.last[0]; d++)
        for (i64 h = pair->taps.first[1]; h < pair->taps.last[1]; h++)
            for (i64 k = 0; k < p->border.taps[2]; k++) {
                const i64 from = d * p->src_window[0] + h * p->src_window[1] + k * p->edge_src,
                          by = d * p->weights_window[0] + h * p->weights_window[1] + k * p->edge_weights;
                struct tile_border border[2];
                bool inside = true;
                for (int i = 0; i < 2; i++) {
                    border[i].from = src + (pair->at[i].src + from) * size;
                    border[i].in = gemm_columns_inside(p, pair->at[i].column, columns, k);
                    inside = inside && border[i].in.first == 0 && border[i].in.last == columns;
                }
                global const uchar *w = weights + (pair->at[0].weights + by) * size;
                if (inside && two && run->wide)
                    tile_steps(border[0].from, border[1].from, stride, w, length, type, true, true);
                else
                    tile_border_steps(border, stride, w, length, columns, type, two, run->wide);
            }
}

/* The sums of a pair, without those of edges. */
#define TILE_PAIR_OF(type)                                                                                   \
    do {                                                                                                     \
        if (tile_is_border(p, pair))                                                                         \
            tile_edge_sums(p, run, pair, src, weights, type);                                                \
        else if (pair->count == 2 && run->wide)                                                              \
            tile_sums(p, run, pair, src, weights, type, true, true);                                         \
        else if (pair->count == 2)                                                                           \
            tile_sums(p, run, pair, src, weights, type, true, false);                                        \
        else if (run->wide)                                                                                  \
            tile_sums(p, run, pair, src, weights, type, false, true);                                        \
        else                                                                                                 \
            tile_sums(p, run, pair, src, weights, type, false, false);                                       \
    } while (0)

/* The first value of each channel's sums; null: zero. */
INLINE void tile_start(const void *start, const bool wide) {
    if (!start) {
        _tile_zero(SUM_00);
        _tile_zero(SUM_01);
        _tile_zero(SUM_10);
        _tile_zero(SUM_11);
        return;
    }
    _tile_loadd(SUM_00, start, 0);
    _tile_loadd(SUM_10, start, 0);
    if (!wide) return;
    _tile_loadd(SUM_01, (const uchar *)start + TILE_BYTES, 0);
    _tile_loadd(SUM_11, (const uchar *)start + TILE_BYTES, 0);
}

/* out[tile][column][channel] = the sums of a pair. */
INLINE void tile_store(const struct tile_pair *pair, const bool wide, void *out) {
    uchar *to = out;
    const i64 pitch = PANEL * 4, next = TILE_SUMS * 4;
    _tile_stored(SUM_00, to, pitch);
    if (wide) _tile_stored(SUM_01, to + TILE_BYTES, pitch);
    if (pair->count == 1) return;
    _tile_stored(SUM_10, to + next, pitch);
    if (wide) _tile_stored(SUM_11, to + next + TILE_BYTES, pitch);
}

#endif
