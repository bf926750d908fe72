/* SPDX-License-Identifier: Apache-2.0 */
/* The tile of a work-item of the matrix-product kernels, for any element type. */
#ifndef LODE_KERNELS_LIB_GEMM_PLACE_H
#define LODE_KERNELS_LIB_GEMM_PLACE_H

#include "kernels/lib/window.h"
#include "kernels/params_gemm.h"

/* Where a tile begins: indices, and offsets in elements. */
struct gemm_place {
    i64 batch[GEMM_BATCHES];
    i64 row, column, channel;
    i64 src, weights, bias, dst;
};

/* Both positions are asked for before one is chosen: PoCL 3.1 does not find choices between its questions. */
INLINE i64 gemm_position_of(i32 exchanged, i64 first, i64 second) {
    return exchanged ? second : first;
}

/* Tile and panel of a work-item. */
#define GEMM_TILE(p) gemm_position_of((p)->panels_first, get_global_id(0), get_global_id(1))
#define GEMM_PANEL(p) gemm_position_of((p)->panels_first, get_global_id(1), get_global_id(0))

INLINE struct gemm_place gemm_place_at(constant struct gemm_params *p, u32 step, i64 row, i64 column,
                                       i64 panel, i64 batch, int width) {
    struct gemm_place at;
    at.row = row;
    at.column = column;
    at.channel = panel * width;
    at.src = p->src_offset + step * p->src_step + at.row * p->src_row + at.column * p->src_column;
    at.weights = p->weights_offset + panel * p->weights_panel;
    at.bias = p->bias_offset + at.channel;
    at.dst =
            p->dst_offset + step * p->dst_step + at.row * p->dst_row + at.column * p->dst_column + at.channel;
    for (int d = GEMM_BATCHES - 1; d >= 0; d--) {
        at.batch[d] = 0;
        if (p->batch[d] == 1) continue; /* most are, and divisions are slow */
        i64 rest = batch / p->batch[d], index = batch - rest * p->batch[d];
        batch = rest;
        at.batch[d] = index;
        at.src += index * p->src_batch[d];
        at.weights += index * p->weights_batch[d];
        at.bias += index * p->bias_batch[d];
        at.dst += index * p->dst_batch[d];
    }
    return at;
}

INLINE struct gemm_place gemm_place(constant struct gemm_params *p, u32 step, i64 tile, i64 panel, i64 batch,
                                    int width) {
    const i64 row = p->rows == 1 ? 0 : tile / p->tiles, before = tile - row * p->tiles,
              column = before * p->tile - (before > p->whole ? before - p->whole : 0);
    return gemm_place_at(p, step, row, column, panel, batch, width);
}

/* Tiles `first` to `last` - 1 of a row: those of a work-item. */
struct gemm_run {
    i64 row, first, last;
};

INLINE struct gemm_run gemm_run(constant struct gemm_params *p, i64 index) {
    struct gemm_run run;
    run.row = p->rows == 1 ? 0 : index / p->runs;
    run.first = (index - run.row * p->runs) * p->run;
    run.last = run.first + p->run < p->tiles ? run.first + p->run : p->tiles;
    return run;
}

INLINE int gemm_columns(constant struct gemm_params *p, i64 tile) {
    return (int)(tile < p->whole ? p->tile : p->tile - 1);
}

/* The taps of the window that a tile computes, except along a row: depths and rows `first` to `last` - 1. */
struct gemm_taps {
    i64 first[2], last[2];
};

INLINE struct gemm_taps gemm_taps_at(constant struct gemm_params *p, i64 plane, i64 row) {
    const i64 place[2] = {plane, row};
    struct gemm_taps t;
    for (int d = 0; d < 2; d++) {
        struct taps in;
        t.first[d] = 0;
        t.last[d] = p->depth > 0 ? p->window[d] : 0; /* without depth, src is null */
        const bool merged = t.last[d] <= 1 && p->edge_depth == 0;
        if (!p->skips || merged) continue;
        window_taps_along(&in, &p->border, d, place[d]);
        t.first[d] = in.first[d];
        t.last[d] = in.last[d];
    }
    return t;
}

INLINE struct gemm_taps gemm_taps(constant struct gemm_params *p, const struct gemm_place *at) {
    return gemm_taps_at(p, at->batch[2], at->row);
}

/* A loop over these taps and so many along a row, with the offsets of what they read as `from` and `by`. */
#define EACH_TAP(p, t) EACH_TAP_ALONG(p, t, (p)->window[2])
#define EACH_TAP_ALONG(p, t, along)                                                                          \
    for (i64 d_ = (t)->first[0]; d_ < (t)->last[0]; d_++)                                                    \
        for (i64 h_ = (t)->first[1]; h_ < (t)->last[1]; h_++)                                                \
            for (i64 s_ = 0, from = d_ * (p)->src_window[0] + h_ * (p)->src_window[1],                       \
                     by = d_ * (p)->weights_window[0] + h_ * (p)->weights_window[1];                         \
                 s_ < (along); s_++, from += (p)->src_window[2], by += (p)->weights_window[2])

/* Where src has no padding: is every tap along the row inside the image for all columns of a tile? */
INLINE bool gemm_is_inside(constant struct gemm_params *p, i64 column, int columns) {
    constant struct window *w = &p->border;
    const i64 first = column * w->stride[2] - w->padding[2];
    const i64 last = first + (columns - 1) * w->stride[2] + (w->taps[2] - 1) * w->step[2];
    return first >= 0 && last < w->size[2];
}

/* The columns `first` to `last` - 1 of a tile for which tap k along the row is inside the image. */
struct gemm_columns {
    int first, last;
};

INLINE struct gemm_columns gemm_columns_inside(constant struct gemm_params *p, i64 column, int columns,
                                               i64 k) {
    constant struct window *w = &p->border;
    const i64 stride = w->stride[2], before = w->padding[2] - column * stride - k * w->step[2];
    const i64 room = before + w->size[2]; /* column c reads position c * stride - before */
    const bool dense = stride == 1;       /* divisions are slow */
    const i64 first = before <= 0 ? 0 : dense ? before : (before + stride - 1) / stride;
    const i64 last = room <= 0 ? 0 : dense ? room : (room - 1) / stride + 1;
    return (struct gemm_columns){(int)(first < columns ? first : columns),
                                 (int)(last < columns ? last : columns)};
}

/* Tiles at the border with windows of three taps along a row, of which at most the first is outside for the
 * first column, and the last for the last column. */
struct gemm_border {
    bool simple, left, right;
};

INLINE struct gemm_border gemm_border(constant struct gemm_params *p, i64 column, int columns, bool asked) {
    struct gemm_border border = {false, false, false};
    if (!asked || p->border.taps[2] != 3) return border;
    const struct gemm_columns first = gemm_columns_inside(p, column, columns, 0),
                              middle = gemm_columns_inside(p, column, columns, 1),
                              last = gemm_columns_inside(p, column, columns, 2);
    border.left = first.first > 0;
    border.right = last.last < columns;
    border.simple = first.first <= 1 && first.last == columns && middle.first == 0 && middle.last == columns
                    && last.first == 0 && last.last >= columns - 1;
    return border;
}

/* Tap (d, h, k) of a tile at the border: its columns, and the offsets of what the first of them reads. */
struct gemm_edge {
    struct gemm_columns in;
    i64 from, by, taps; /* taps from this one on that these columns have, if asked for */
};

INLINE struct gemm_edge gemm_edge_at(constant struct gemm_params *p, const struct gemm_place *at, int columns,
                                     i64 d, i64 h, i64 k) {
    struct gemm_edge edge = {.in = gemm_columns_inside(p, at->column, columns, k), .taps = 1};
    edge.from = at->src + d * p->src_window[0] + h * p->src_window[1] + k * p->edge_src
                + edge.in.first * p->src_column;
    edge.by = d * p->weights_window[0] + h * p->weights_window[1] + k * p->edge_weights;
    return edge;
}

/* A loop over the taps of such a tile. */
#define EACH_EDGE(p, t, at, columns, edge)                                                                   \
    for (i64 d_ = (t)->first[0]; d_ < (t)->last[0]; d_++)                                                    \
        for (i64 h_ = (t)->first[1]; h_ < (t)->last[1]; h_++)                                                \
            for (i64 k_ = 0;                                                                                 \
                 k_ < (p)->border.taps[2] && (edge = gemm_edge_at(p, at, columns, d_, h_, k_), true); k_++)

INLINE struct gemm_edge gemm_edge_run(constant struct gemm_params *p, const struct gemm_place *at,
                                      int columns, i64 d, i64 h, i64 k) {
    struct gemm_edge edge = gemm_edge_at(p, at, columns, d, h, k);
    for (; k + edge.taps < p->border.taps[2]; edge.taps++) {
        const struct gemm_columns next = gemm_columns_inside(p, at->column, columns, k + edge.taps);
        if (next.first != edge.in.first || next.last != edge.in.last) break;
    }
    return edge;
}

/* A loop over runs of taps along a row that the same columns have. */
#define EACH_EDGE_RUN(p, t, at, columns, edge)                                                               \
    for (i64 d_ = (t)->first[0]; d_ < (t)->last[0]; d_++)                                                    \
        for (i64 h_ = (t)->first[1]; h_ < (t)->last[1]; h_++)                                                \
            for (i64 k_ = 0;                                                                                 \
                 k_ < (p)->border.taps[2] && (edge = gemm_edge_run(p, at, columns, d_, h_, k_), true);       \
                 k_ += edge.taps)

/* The logical position in dst of a tile's column and channel, for the epilogue. */
INLINE void gemm_position(constant struct gemm_params *p, const struct gemm_place *at, i64 column,
                          i64 channel, i64 *position) {
    for (int d = 0; d < TENSOR_DIMS; d++)
        position[d] = 0;
    for (int d = 0; d < GEMM_BATCHES; d++)
        position[p->batch_dim[d]] += p->batch_first[d] + at->batch[d] * p->batch_step[d];
    position[p->row_dim] += p->row_first + at->row * p->row_step;
    position[p->column_dim] += p->column_first + column * p->column_step;
    position[p->channel_dim] += channel;
}

#endif
