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
 *
 * Tiles are multiplied by a unit of their own, so that the vector units can finish the sums of one pair while
 * those of the next one are computed. Includers define
 *
 *   void tile_finish(const void *how, const int *sums, int columns, global uchar *dst, i64 step)
 *
 * which does so for some columns of a panel; step is in bytes.
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

/* Sums of a pair that are still to be finished. */
struct tile_later {
    const void *how; /* of tile_finish */
    i64 step;
    struct tile_part {
        const int *sums;
        global uchar *dst;
        int columns;
    } part[2];
    int parts; /* the last so many of these */
};

OUTLINE void tile_finish_some(struct tile_later *later, int most) {
    struct tile_part *part = &later->part[2 - later->parts];
    const int columns = part->columns < most ? part->columns : most;
    tile_finish(later->how, part->sums, columns, part->dst, later->step);
    part->sums += columns * PANEL, part->dst += columns * later->step, part->columns -= columns;
    if (part->columns == 0) later->parts--;
}

/* As many as take about as long as a step of the next pair. */
INLINE void tile_finish_few(struct tile_later *later) {
    if (later->parts > 0) tile_finish_some(later, 4);
}

INLINE void tile_finish_all(struct tile_later *later) {
    while (later->parts > 0)
        tile_finish_some(later, MATRIX_TILE);
}

/* What a work-item computes: tiles of all rows, one after the other; and how its registers are configured. */
struct tile_run {
    i64 row, tile, left; /* the next tile, and how many there are with it */
    i64 size;            /* of an element */
    int rest;            /* bytes of REST_COLUMNS; -1: not configured yet */
    bool wide;           /* both vectors of channels exist */
    enum tile_type type;
    i64 src, weights, dst; /* where row 0, column 0 and the panel begin, in elements */
    i64 plane;             /* position along the first dimension of the window */
};

/* A tile. Kept in registers: what is copied through memory waits for all tiles that were stored before. */
struct tile_place {
    i64 row, column, src, dst;
    int known; /* columns that the tile before has, too */
};

INLINE struct tile_run tile_run(constant struct gemm_params *p, const struct gemm_place *base, i64 index,
                                i64 size, enum tile_type type) {
    const i64 first = index * p->run, left = p->rows * p->tiles - first;
    struct tile_run run = {.size = size, .rest = -1, .type = type};
    run.row = p->rows == 1 ? 0 : first / p->tiles;
    run.tile = first - run.row * p->tiles;
    run.left = left < p->run ? left : p->run;
    run.wide = p->channels - base->channel > LANES;
    run.src = base->src, run.weights = base->weights, run.dst = base->dst;
    run.plane = base->batch[2];
    return run;
}

INLINE struct tile_place tile_place(constant struct gemm_params *p, const struct tile_run *run) {
    const i64 column = run->tile * p->tile, last = p->columns - p->tile, from = column < last ? column : last;
    return (struct tile_place){
            .row = run->row,
            .column = from,
            .src = run->src + run->row * p->src_row + from * p->src_column,
            .dst = run->dst + run->row * p->dst_row + from * p->dst_column,
            .known = (int)(column - from),
    };
}

INLINE void tile_advance(constant struct gemm_params *p, struct tile_run *run) {
    run->left--;
    run->tile++;
    if (run->tile < p->tiles) return;
    run->tile = 0;
    run->row++;
}

/* One or two tiles that are computed at once. The window has the same rows and depths for both. */
struct tile_pair {
    bool two, border; /* a tap along the row is outside of the image for some column */
    struct tile_place a, b;
    struct gemm_taps taps;
};

INLINE bool tile_has_taps(const struct gemm_taps *a, const struct gemm_taps *b) {
    return a->first[0] == b->first[0] && a->last[0] == b->last[0] && a->first[1] == b->first[1]
           && a->last[1] == b->last[1];
}

INLINE bool tile_is_border(constant struct gemm_params *p, const struct tile_place *at) {
    return p->edge_depth > 0 && !gemm_is_inside(p, at->column, (int)p->tile);
}

/* The next tile, and the one after it if that fits. */
INLINE struct tile_pair tile_pair(constant struct gemm_params *p, struct tile_run *run) {
    struct tile_pair pair;
    pair.a = pair.b = tile_place(p, run);
    pair.taps = gemm_taps_at(p, run->plane, run->row);
    tile_advance(p, run);
    const struct gemm_taps other = gemm_taps_at(p, run->plane, run->row);
    pair.two = run->left > 0 && tile_has_taps(&pair.taps, &other);
    pair.border = tile_is_border(p, &pair.a);
    if (!pair.two) return pair;
    pair.b = tile_place(p, run);
    pair.border = pair.border || tile_is_border(p, &pair.b);
    tile_advance(p, run);
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

/* Where the columns of a tile are, and the distance from one to the next. */
struct tile_columns {
    global const uchar *at;
    i64 stride;
};

/* A step of the reduction: of one tile or two, by one vector of channels or two. */
#define TILE_STEP_OF(type, two, wide, columns, weights, a, b, w)                                             \
    do {                                                                                                     \
        _tile_loadd(columns, (a)->at, (a)->stride);                                                          \
        _tile_loadd(weights, w, TILE_WEIGHTS);                                                               \
        TILE_MULTIPLY(type, SUM_00, columns, weights);                                                       \
        if (wide) {                                                                                          \
            _tile_loadd(weights, (w) + TILE_BYTES, TILE_WEIGHTS);                                            \
            TILE_MULTIPLY(type, SUM_01, columns, weights);                                                   \
        }                                                                                                    \
        if (two) {                                                                                           \
            _tile_loadd(columns, (b)->at, (b)->stride);                                                      \
            if (wide) {                                                                                      \
                TILE_MULTIPLY(type, SUM_11, columns, weights);                                               \
                _tile_loadd(weights, w, TILE_WEIGHTS);                                                       \
            }                                                                                                \
            TILE_MULTIPLY(type, SUM_10, columns, weights);                                                   \
        }                                                                                                    \
    } while (0)

/* The same of two tiles by both vectors where no length has a rest: its registers serve, too, and nothing is
 * loaded twice. */
#define TILE_STEP_WHOLE(type, a, b, w)                                                                       \
    do {                                                                                                     \
        _tile_loadd(COLUMNS, (a)->at, (a)->stride);                                                          \
        _tile_loadd(WEIGHTS, w, TILE_WEIGHTS);                                                               \
        TILE_MULTIPLY(type, SUM_00, COLUMNS, WEIGHTS);                                                       \
        _tile_loadd(REST_WEIGHTS, (w) + TILE_BYTES, TILE_WEIGHTS);                                           \
        TILE_MULTIPLY(type, SUM_01, COLUMNS, REST_WEIGHTS);                                                  \
        _tile_loadd(REST_COLUMNS, (b)->at, (b)->stride);                                                     \
        TILE_MULTIPLY(type, SUM_10, REST_COLUMNS, WEIGHTS);                                                  \
        TILE_MULTIPLY(type, SUM_11, REST_COLUMNS, REST_WEIGHTS);                                             \
    } while (0)

/* Sums += the products of a step of `bytes`, at most TILE_BYTES, where `rest` is that of the whole length.
 * Callers pass the last three as constants. */
INLINE void tile_step(const struct tile_columns *a, const struct tile_columns *b, global const uchar *w,
                      i64 bytes, bool rest, const enum tile_type type, const bool two, const bool wide) {
    if (two && wide && !rest)
        TILE_STEP_WHOLE(type, a, b, w);
    else if (bytes == TILE_BYTES)
        TILE_STEP_OF(type, two, wide, COLUMNS, WEIGHTS, a, b, w);
    else
        TILE_STEP_OF(type, two, wide, REST_COLUMNS, REST_WEIGHTS, a, b, w);
}

/* Sums += columns of `a` and, of the second tile, `b`, times a panel's weights. Callers pass the last three
 * as constants. */
INLINE void tile_steps(struct tile_columns a, struct tile_columns b, global const uchar *w, i64 length,
                       struct tile_later *later, const enum tile_type type, const bool two, const bool wide) {
    const i64 last = length % TILE_BYTES;
#pragma nounroll
    for (; last == 0 && length > 0; length -= TILE_BYTES) {
        tile_step(&a, &b, w, TILE_BYTES, false, type, two, wide);
        a.at += TILE_BYTES, b.at += TILE_BYTES, w += TILE_STEP;
        tile_finish_few(later);
    }
#pragma nounroll
    for (; length > 0; length -= TILE_BYTES) {
        tile_step(&a, &b, w, length < TILE_BYTES ? length : TILE_BYTES, true, type, two, wide);
        a.at += TILE_BYTES, b.at += TILE_BYTES, w += TILE_STEP;
        tile_finish_few(later);
    }
}

/* A tile of which only the columns `in` are inside the image: `from` is where the first one of all would be.
 */
struct tile_border {
    global const uchar *from;
    struct gemm_columns in;
};

INLINE bool tile_is_whole(const struct tile_border *border, int columns) {
    return border->in.first == 0 && border->in.last == columns;
}

/* The columns of such a tile for a step of `bytes` from `at` on: those of src, or a copy with zeros for those
 * outside. */
INLINE struct tile_columns tile_bordered(const struct tile_border *border, i64 stride, i64 at, i64 bytes,
                                         int columns, uchar *copy) {
    if (tile_is_whole(border, columns)) return (struct tile_columns){border->from + at, stride};
    const __mmask64 some = bytes == TILE_BYTES ? ~(__mmask64)0 : ((__mmask64)1 << bytes) - 1;
    global const uchar *from = border->from + (border->in.first * stride + at);
    uchar *row = copy, *const first = copy + border->in.first * TILE_BYTES,
          *const last = copy + border->in.last * TILE_BYTES, *const end = copy + columns * TILE_BYTES;
#pragma nounroll
    for (; row < first; row += TILE_BYTES)
        _mm512_store_si512(row, _mm512_setzero_si512());
#pragma nounroll
    for (; row < last; row += TILE_BYTES, from += stride)
        _mm512_store_si512(row, _mm512_maskz_loadu_epi8(some, from));
#pragma nounroll
    for (; row < end; row += TILE_BYTES)
        _mm512_store_si512(row, _mm512_setzero_si512());
    return (struct tile_columns){copy, TILE_BYTES};
}

INLINE void tile_border_steps(const struct tile_border *a, const struct tile_border *b, i64 stride,
                              global const uchar *w, i64 length, int columns, struct tile_later *later,
                              const enum tile_type type, const bool two, const bool wide) {
    LINE_ALIGNED uchar copies[2][MATRIX_TILE * TILE_BYTES];
    const bool rest = length % TILE_BYTES != 0;
#pragma nounroll
    for (i64 at = 0; at < length; at += TILE_BYTES, w += TILE_STEP) {
        const i64 bytes = length - at < TILE_BYTES ? length - at : TILE_BYTES;
        const struct tile_columns first = tile_bordered(a, stride, at, bytes, columns, copies[0]),
                                  second = two ? tile_bordered(b, stride, at, bytes, columns, copies[1])
                                               : first;
        tile_step(&first, &second, w, bytes, rest, type, two, wide);
        tile_finish_few(later);
    }
}

/* The whole reduction of a pair, tap by tap of the window. Callers pass the last three as constants. */
INLINE void tile_sums(constant struct gemm_params *p, const struct tile_run *run,
                      const struct tile_pair *pair, global const uchar *src, global const uchar *weights,
                      struct tile_later *later, const enum tile_type type, const bool two, const bool wide) {
    const i64 size = run->size;
    EACH_TAP(p, &pair->taps) {
        const struct tile_columns a = {src + (pair->a.src + from) * size, p->src_column * size},
                                  b = {src + (pair->b.src + from) * size, p->src_column * size};
        tile_steps(a, b, weights + (run->weights + by) * size, p->depth * size, later, type, two, wide);
    }
}

/* The same at the border of an image without padding: first all taps of a column of the window. */
INLINE void tile_edge_sums(constant struct gemm_params *p, const struct tile_run *run,
                           const struct tile_pair *pair, global const uchar *src, global const uchar *weights,
                           struct tile_later *later, const enum tile_type type, const bool two,
                           const bool wide) {
    const i64 size = run->size, stride = p->src_column * size, length = p->edge_depth * size;
    const struct gemm_taps *taps = &pair->taps;
    const int columns = (int)p->tile;
    for (i64 k = 0; k < p->border.taps[2]; k++) {
        struct tile_border a, b;
        a.in = gemm_columns_inside(p, pair->a.column, columns, k);
        b.in = two ? gemm_columns_inside(p, pair->b.column, columns, k) : a.in;
        for (i64 d = taps->first[0]; d < taps->last[0]; d++)
            for (i64 h = taps->first[1]; h < taps->last[1]; h++) {
                const i64 from = d * p->src_window[0] + h * p->src_window[1] + k * p->edge_src,
                          by = d * p->weights_window[0] + h * p->weights_window[1] + k * p->edge_weights;
                a.from = src + (pair->a.src + from) * size;
                b.from = src + (pair->b.src + from) * size;
                tile_border_steps(&a, &b, stride, weights + (run->weights + by) * size, length, columns,
                                  later, type, two, wide);
            }
    }
}

/* The sums of a pair. */
#define TILE_PAIR_SUMS(type, two, wide)                                                                      \
    if (pair->border)                                                                                        \
        tile_edge_sums(p, run, pair, src, weights, later, type, two, wide);                                  \
    else                                                                                                     \
        tile_sums(p, run, pair, src, weights, later, type, two, wide);
#define TILE_PAIR_OF(type)                                                                                   \
    do {                                                                                                     \
        if (pair->two && run->wide) {                                                                        \
            TILE_PAIR_SUMS(type, true, true)                                                                 \
        } else if (pair->two) {                                                                              \
            TILE_PAIR_SUMS(type, true, false)                                                                \
        } else if (run->wide) {                                                                              \
            TILE_PAIR_SUMS(type, false, true)                                                                \
        } else {                                                                                             \
            TILE_PAIR_SUMS(type, false, false)                                                               \
        }                                                                                                    \
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
    if (!pair->two) return;
    _tile_stored(SUM_10, to + next, pitch);
    if (wide) _tile_stored(SUM_11, to + next + TILE_BYTES, pitch);
}

INLINE struct tile_part tile_part(constant struct gemm_params *p, const struct tile_place *at,
                                  const int *sums, global uchar *dst, i64 size) {
    return (struct tile_part){.sums = sums + at->known * PANEL,
                              .dst = dst + (at->dst + at->known * p->dst_column) * size,
                              .columns = (int)p->tile - at->known};
}

/* Leaves what was stored to tile_finish. Elements of dst have so many bytes. */
INLINE void tile_postpone(constant struct gemm_params *p, const struct tile_pair *pair, const int *out,
                          global uchar *dst, i64 size, struct tile_later *later) {
    later->step = p->dst_column * size;
    later->parts = 1 + pair->two;
    later->part[2 - later->parts] = tile_part(p, &pair->a, out, dst, size);
    if (pair->two) later->part[1] = tile_part(p, &pair->b, out + TILE_SUMS, dst, size);
}

#endif
