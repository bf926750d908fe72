/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matrix products and convolutions of bytes for CPU-class devices: one work-item computes a tile of `tile`
 * columns by one panel of output channels, two vectors of integers. Sums are exact, so their order does not
 * matter; scales, bias and post-ops follow in a fixed order.
 */
#define HEIGHT INT8_GEMM_HEIGHT
#include "kernels/lib/dot4.h"
#include "kernels/lib/int8_end.h"

enum { STEP = INT8_GEMM_QUAD * PANEL };

#if defined(__x86_64__) && !defined(__OPENCL_C_VERSION__) && !defined(__AVX512VNNI__) && !defined(__AVXVNNI__)
#define INT8_PAIRS 1
#else
#define INT8_PAIRS 0
#endif

/* Columns computed at once: as many as the registers hold. */
#if defined(__AVX512F__)
#define BLOCK 12
#elif defined(__OPENCL_C_VERSION__)
#define BLOCK 4
#else
#define BLOCK 2
#endif

/* Cases of a switch that call f(m) with m as a constant. */
#define UP_TO_2(f)                                                                                           \
    case 1: f(1); break;                                                                                     \
    case 2: f(2); break;
#define UP_TO_4(f)                                                                                           \
    UP_TO_2(f)                                                                                               \
    case 3: f(3); break;                                                                                     \
    case 4: f(4); break;
#define UP_TO_6(f)                                                                                           \
    UP_TO_4(f)                                                                                               \
    case 5: f(5); break;                                                                                     \
    case 6: f(6); break;
#define UP_TO_12(f)                                                                                          \
    UP_TO_6(f)                                                                                               \
    case 7: f(7); break;                                                                                     \
    case 8: f(8); break;                                                                                     \
    case 9: f(9); break;                                                                                     \
    case 10: f(10); break;                                                                                   \
    case 11: f(11); break;                                                                                   \
    case 12: f(12); break;
#if BLOCK == 12
#define EACH_HEIGHT UP_TO_12
#define EACH_PAIRS_HEIGHT UP_TO_12
#elif BLOCK == 4
#define EACH_HEIGHT UP_TO_4
#else
#define EACH_HEIGHT UP_TO_2
#define EACH_PAIRS_HEIGHT UP_TO_6
#endif

INLINE IVEC load_quads(global const uchar *w, int v) {
    return VLOAD(v, (global const int *)w);
}

/* acc[r][v] += column r of src times vector v of a panel, of which the first `vectors` are computed; with
 * `sums`, a column of ones follows the last one. Callers pass constants, so that loops unroll and acc stays
 * in registers. */
INLINE void int8_steps(global const uchar *a, const i64 column, global const uchar *w, const i64 depth,
                       const int m, const int vectors, const bool sums, IVEC *acc) {
    const dot4_values ones = dot4_unsigned(0x01010101);
#pragma nounroll
    for (i64 i = 0; i < depth; i += INT8_GEMM_QUAD, w += STEP) {
        dot4_weights w0 = dot4_signed(load_quads(w, 0)), w1 = w0;
        if (vectors == 2) w1 = dot4_signed(load_quads(w, 1));
#pragma unroll
        for (int r = 0; r < m + sums; r++) {
            dot4_values x = r < m ? dot4_unsigned(as_int(vload4(0, a + r * column + i))) : ones;
            acc[2 * r] = dot4(acc[2 * r], x, w0);
            if (vectors == 1) continue;
            acc[2 * r + 1] = dot4(acc[2 * r + 1], x, w1);
            KEEP_ORDER_64(acc[2 * r], acc[2 * r + 1]);
        }
    }
}

/* out[r][v] = start[v], or out[r][v] itself, + the whole reduction of m columns; with `sums`, that of a
 * column of ones follows. Tap by tap of the window. */
INLINE void int8_reduce(constant struct gemm_params *p, const struct int8_tile *t, const IVEC *start,
                        int first, const int m, const int vectors, const bool sums, IVEC *out) {
    const i64 column = t->at.src + first * p->src_column;
    IVEC acc[2 * BLOCK];
    if (t->adds)
#pragma unroll
        for (int r = 0; r < 2 * (m + sums); r++)
            acc[r] = out[r];
    else
#pragma unroll
        for (int r = 0; r < 2 * (m + sums); r++)
            acc[r] = start[r & 1];
    EACH_TAP_ALONG(p, &t->taps, t->along) {
        int8_steps(t->src + column + from, p->src_column, t->weights + by, t->depth, m, vectors, sums, acc);
    }
#pragma unroll
    for (int r = 0; r < 2 * (m + sums); r++)
        out[r] = acc[r];
}

#if !INT8_PAIRS
/* out[r][v] = start[v], or out[r][v] itself, + the products of `columns` columns, at most HEIGHT, from
 * `first` on. */
OUTLINE void int8_product(constant struct gemm_params *p, const struct int8_tile *t, const IVEC *start,
                          int first, int columns, IVEC *out) {
    const int blocks = (columns + BLOCK - 1) / BLOCK, block = (columns + blocks - 1) / blocks;
#define REDUCE_1(m) int8_reduce(p, t, start, first + done, m, 1, false, out + 2 * done)
#define REDUCE_2(m) int8_reduce(p, t, start, first + done, m, 2, false, out + 2 * done)
    for (int done = 0; done < columns; done += block) {
        const int m = columns - done < block ? columns - done : block;
        if (t->count[1] == 0) switch (m) {
                EACH_HEIGHT(REDUCE_1)
            }
        else
            switch (m) { EACH_HEIGHT(REDUCE_2) }
    }
#undef REDUCE_1
#undef REDUCE_2
}

/* The same at the border of an image without padding: tap by tap, each for the columns that it is inside for.
 */
INLINE void int8_edge(constant struct gemm_params *p, const struct int8_tile *t, const IVEC *start, int first,
                      int columns, IVEC *out) {
    struct int8_tile tap = *t;
    struct gemm_place at = t->at;
    struct gemm_edge edge;
    at.column += first, at.src += first * p->src_column;
    tap.taps = (struct gemm_taps){{0, 0}, {1, 1}};
    tap.along = 1, tap.depth = p->edge_depth, tap.adds = true;
    for (int i = 0; i < 2 * columns; i++)
        out[i] = start[i & 1];
    EACH_EDGE(p, &t->taps, &at, columns, edge) {
        tap.at.src = edge.from;
        tap.weights = t->weights + edge.by;
        if (edge.in.last > edge.in.first)
            int8_product(p, &tap, start, 0, edge.in.last - edge.in.first, out + 2 * edge.in.first);
    }
}

#if BLOCK == 12 && defined(__AVX512VNNI__)
/* The same in registers, for m columns of which the first is outside for the first tap along a row if
 * border->left, and the last for the last tap if border->right. */
INLINE void int8_border(constant struct gemm_params *p, const struct int8_tile *t, const IVEC *start,
                        int first, const struct gemm_border *border, const int m, IVEC *out) {
    const i64 column = p->src_column, depth = p->edge_depth, last = p->border.taps[2] - 1;
    IVEC acc[2 * BLOCK];
#pragma unroll
    for (int r = 0; r < 2 * m; r++)
        acc[r] = start[r & 1];
    EACH_TAP_ALONG(p, &t->taps, 1) {
        global const uchar *src = t->src + t->at.src + first * column + from, *weights = t->weights + by;
#pragma nounroll
        for (i64 k = 0; k <= last; k++, src += p->edge_src, weights += p->edge_weights)
            if (k == 0 && border->left)
                int8_steps(src + column, column, weights, depth, m - 1, 2, false, acc + 2);
            else if (k == last && border->right)
                int8_steps(src, column, weights, depth, m - 1, 2, false, acc);
            else
                int8_steps(src, column, weights, depth, m, 2, false, acc);
    }
#pragma unroll
    for (int r = 0; r < 2 * m; r++)
        out[r] = acc[r];
}

/* Columns at the border, in the way that suits them. */
OUTLINE void int8_outer(constant struct gemm_params *p, const struct int8_tile *t, const IVEC *start,
                        int first, int columns, IVEC *out) {
    const struct gemm_border border = gemm_border(p, t->at.column + first, columns, t->count[1] > 0);
    if (!border.simple) {
        int8_edge(p, t, start, first, columns, out);
        return;
    }
#define BORDER(m) int8_border(p, t, start, first, &border, m, out)
    switch (columns) { UP_TO_12(BORDER) }
#undef BORDER
}
#else
#define int8_outer int8_edge
#endif

/* Some columns of one of the rows of a work-item. */
INLINE const IVEC *int8_block(constant struct gemm_params *p, const struct int8_tile *t, const IVEC *start,
                              int row, int first, int columns, const IVEC *products, IVEC *own) {
    if (p->edge_depth > 0 && !gemm_is_inside(p, t->at.column + first, columns))
        int8_outer(p, t, start, first, columns, own);
    else
        int8_product(p, t, start, first, columns, own);
    return own;
}
#else
#include "kernels/lib/int8_pairs.h"

/* They have been computed already. */
INLINE const IVEC *int8_block(constant struct gemm_params *p, const struct int8_tile *t, const IVEC *start,
                              int row, int first, int columns, const IVEC *products, IVEC *own) {
    return products + 2 * (row * t->columns + first);
}
#endif

/* The only column of a tile, together with the sums of its weights. */
INLINE void int8_product_and_sums(constant struct int8_gemm_params *p, const struct int8_tile *t,
                                  const struct int8_channels *c, IVEC *out) {
    int8_reduce(&p->gemm, t, c->start, 0, 1, 2, true, out);
    for (int v = 0; v < 2; v++)
        out[v] = AS_IVEC(AS_UVEC(out[v]) + AS_UVEC(int8_less(p, c, out[2 + v])));
}

/* One of the rows of a work-item, some columns at a time. */
INLINE void int8_row(constant struct int8_gemm_params *p, const struct int8_tile *t,
                     const struct epilogue_state *e, const struct int8_channels *c, global const int *sums,
                     int row, const IVEC *products) {
    const int blocks = (t->columns + HEIGHT - 1) / HEIGHT, block = (t->columns + blocks - 1) / blocks;
    for (int first = 0; first < t->columns; first += block) {
        const int columns = t->columns - first < block ? t->columns - first : block;
        IVEC own[2 * HEIGHT];
        const IVEC *out = own;
        if (p->sums == SUMS_OWN)
            int8_product_and_sums(p, t, c, own);
        else
            out = int8_block(&p->gemm, t, c->start, row, first, columns, products, own);
        int8_end(p, t, e, c, sums, out, first, columns);
    }
}

/* Range: tiles of a row x rows, or runs of rows of one tile each; panels, batches. */
#if WANTED(int8_gemm_12x32)
kernel void int8_gemm_12x32(ITEM global const uchar *src, global const uchar *weights,
                            global const uchar *bias, global const int *sums, global uchar *dst,
                            EPILOGUE_ARGS, constant struct int8_gemm_params *p) {
    constant struct gemm_params *g = &p->gemm;
    struct epilogue_state e = EPILOGUE_STATE(&p->gemm.epilogue);
    struct int8_tile t = {.src = src, .bias = bias, .dst = dst};
    struct int8_channels c;
    t.at = gemm_place(g, scalars.step, GEMM_TILE(g) * g->run, GEMM_PANEL(g), get_global_id(2), PANEL);
    t.weights = weights + t.at.weights;
    const i64 left = g->channels - t.at.channel, after = g->columns - t.at.column;
    t.columns = (int)(after < g->tile ? after : g->tile);
    t.count[0] = (int)(left < LANES ? left : LANES);
    t.count[1] = (int)(left < LANES ? 0 : left < PANEL ? left - LANES : LANES);
    t.taps = gemm_taps(g, &t.at);
    t.along = g->window[2], t.depth = g->depth;
    int8_channels(p, &t, &e, sums, &c);
    const int rows = (int)(g->rows - t.at.row < g->run ? g->rows - t.at.row : g->run);
#if INT8_PAIRS
    IVEC products[2 * INT8_GEMM_COLUMNS];
    if (p->sums != SUMS_OWN) pairs_product(g, &t, c.start, rows, (int *)products);
#else
    const IVEC *products = 0;
#endif
    for (int row = 0; row < rows; row++) {
        t.taps = gemm_taps(g, &t.at);
        int8_row(p, &t, &e, &c, sums, row, products);
        t.at.row++, t.at.src += g->src_row, t.at.dst += g->dst_row;
    }
}
#endif

/* Range: taps, panels, batches. */
#if WANTED(int8_column_sums_32)
kernel void int8_column_sums_32(ITEM global const uchar *weights, global int *dst,
                                constant struct column_sums_params *p) {
    i64 tap = get_global_id(0), panel = get_global_id(1), batch = get_global_id(2);
    i64 taps = get_global_size(0), panels = get_global_size(1);
    dst += p->dst_offset + ((batch * panels + panel) * taps + tap) * PANEL;
    weights += p->weights_offset + panel * p->weights_panel;
    for (int d = GEMM_BATCHES - 1; d >= 0; d--) {
        i64 rest = batch / p->batch[d];
        weights += (batch - rest * p->batch[d]) * p->weights_batch[d];
        batch = rest;
    }
    IVEC sums[2] = {(IVEC)(0), (IVEC)(0)};
    const i64 all = p->window[0] * p->window[1] * p->window[2], each = p->depth > 0 ? all / taps : 0;
    for (i64 k = tap * each; k < (tap + 1) * each; k++) {
        i64 rows = k / p->window[2], d = rows / p->window[1];
        i64 at = d * p->weights_window[0] + (rows - d * p->window[1]) * p->weights_window[1]
                 + (k - rows * p->window[2]) * p->weights_window[2];
        int8_steps(weights + at, 0, weights + at, p->depth, 0, 2, true, sums);
    }
    VSTORE(sums[0], 0, dst);
    VSTORE(sums[1], 1, dst);
}
#endif

/* Few columns by weights that are dense along the reduction: some channels by some columns at a time. */
enum { DOT_CHANNELS = 4, DOT_COLUMNS = 4, DOT_STEPS = INT8_GEMM_QUAD * LANES, DOT_AHEAD = 1024 };

/* Fewer than DOT_STEPS, and zeros. */
INLINE IVEC int8_last(global const uchar *from, i64 count) {
    uchar values[DOT_STEPS];
#pragma nounroll
    for (int i = 0; i < DOT_STEPS; i++)
        values[i] = i < count ? from[i] : 0;
    return VLOAD(0, (const int *)values);
}

/* Some channels, and columns from `src` on, so far apart. */
struct int8_dots {
    global const uchar *src, *weights[DOT_CHANNELS];
    i64 column, depth;
    bool sums; /* of weights, too */
};

/* acc[r][c] += column r times channel c; after the columns, one of ones. Callers pass m and `whole` as
 * constants. */
INLINE void int8_dot_step(const struct int8_dots *d, i64 k, const int m, const bool whole, const bool sums,
                          IVEC *acc) {
    dot4_weights w[DOT_CHANNELS];
#pragma unroll
    for (int c = 0; c < DOT_CHANNELS; c++) {
        global const uchar *from = d->weights[c] + k;
        w[c] = dot4_signed(whole ? VLOAD(0, (global const int *)from) : int8_last(from, d->depth - k));
        if (whole) PREFETCH_FAR(from + DOT_AHEAD);
    }
#pragma unroll
    for (int r = 0; r < m + sums; r++) {
        global const uchar *from = d->src + r * d->column + k;
        IVEC x = (IVEC)(0x01010101);
        if (r < m) x = whole ? VLOAD(0, (global const int *)from) : int8_last(from, d->depth - k);
        const dot4_lanes lanes = dot4_each(x);
#pragma unroll
        for (int c = 0; c < DOT_CHANNELS; c++)
            acc[r * DOT_CHANNELS + c] = dot4_of_lanes(acc[r * DOT_CHANNELS + c], lanes, w[c]);
    }
}

INLINE int int8_total(IVEC x) {
    const uint8 eight = as_uint8(x.lo) + as_uint8(x.hi);
    const uint4 four = eight.lo + eight.hi;
    const uint2 two = four.lo + four.hi;
    return (int)(two.x + two.y);
}

/* out[r][c]: m columns, then, if `sums`, the sums of weights. */
INLINE void int8_dots_of(const struct int8_dots *d, const int m, const bool sums, int *out, int *weights) {
    IVEC acc[(DOT_COLUMNS + 1) * DOT_CHANNELS];
    i64 k = 0;
#pragma unroll
    for (int i = 0; i < (m + sums) * DOT_CHANNELS; i++)
        acc[i] = (IVEC)(0);
#pragma nounroll
    for (; k + DOT_STEPS <= d->depth; k += DOT_STEPS)
        int8_dot_step(d, k, m, true, sums, acc);
    if (k < d->depth) int8_dot_step(d, k, m, false, sums, acc);
#pragma unroll
    for (int r = 0; r < m + sums; r++)
#pragma unroll
        for (int c = 0; c < DOT_CHANNELS; c++)
            (r < m ? out + r * PANEL : weights)[c] = int8_total(acc[r * DOT_CHANNELS + c]);
}

OUTLINE void int8_dots(struct int8_dots *d, int columns, int *out, int *weights) {
#define DOTS(m_)                                                                                             \
    if (d->sums && r == 0)                                                                                   \
        int8_dots_of(d, m_, true, out, weights);                                                             \
    else                                                                                                     \
        int8_dots_of(d, m_, false, out, weights);                                                            \
    break;
    for (int r = 0; r < columns;
         r += DOT_COLUMNS, d->src += DOT_COLUMNS * d->column, out += DOT_COLUMNS * PANEL)
        switch (columns - r) {
        case 1: DOTS(1)
        case 2: DOTS(2)
        case 3: DOTS(3)
        default: DOTS(4)
        }
#undef DOTS
}

/* Range: tiles of a row x rows, panels, batches. weights_panel is the stride of PANEL channels. */
#if WANTED(int8_dot_12x32)
kernel void int8_dot_12x32(ITEM global const uchar *src, global const uchar *weights,
                           global const uchar *bias, global const int *sums, global uchar *dst, EPILOGUE_ARGS,
                           constant struct int8_gemm_params *p) {
    constant struct gemm_params *g = &p->gemm;
    struct epilogue_state e = EPILOGUE_STATE(&p->gemm.epilogue);
    struct int8_tile t = {.src = src, .weights = weights, .bias = bias, .dst = dst};
    struct int8_channels c;
    t.at = gemm_place(g, scalars.step, GEMM_TILE(g), GEMM_PANEL(g), get_global_id(2), PANEL);
    const i64 left = g->channels - t.at.channel, after = g->columns - t.at.column,
              step = g->weights_panel / PANEL;
    t.columns = (int)(after < g->tile ? after : g->tile);
    t.count[0] = (int)(left < LANES ? left : LANES);
    t.count[1] = (int)(left < LANES ? 0 : left < PANEL ? left - LANES : LANES);
    int8_channels(p, &t, &e, sums, &c);
    const int channels = t.count[0] + t.count[1];
    IVEC out[2 * HEIGHT], of_weights[2] = {(IVEC)(0), (IVEC)(0)};
    for (int n = 0; n < channels; n += DOT_CHANNELS) {
        struct int8_dots d = {src + t.at.src, {0}, g->src_column, g->depth, p->sums == SUMS_OWN};
        for (int i = 0; i < DOT_CHANNELS; i++)
            d.weights[i] = weights + t.at.weights + (n + i < channels ? n + i : channels - 1) * step;
        int8_dots(&d, t.columns, (int *)out + n, (int *)of_weights + n);
    }
    for (int i = 0; i < 2 * t.columns && p->sums == SUMS_OWN; i++)
        out[i] = AS_IVEC(AS_UVEC(out[i]) + AS_UVEC(int8_less(p, &c, of_weights[i & 1])));
    int8_end(p, &t, &e, &c, sums, out, 0, t.columns);
}
#endif
