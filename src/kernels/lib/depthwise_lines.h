/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Depthwise convolution of channels-last images of f32, or f64 with DOUBLES, with 3, 5 or 7 adjacent taps in
 * a row of the window and outputs one or two pixels apart. A block of DEPTHWISE_RUN adjacent outputs by a
 * vector of channels, in one row or two, is computed at once, in registers: a pixel is loaded once for all
 * outputs of the block that read it. Blocks at the edges are like the others: columns of the padding are
 * zeros. All channels of a block come before the next block, so that memory is read and written in its order.
 */
#include "kernels/lib/depthwise_block.h"

#ifdef DOUBLES
#define LINES_BYTES 8
#else
#define LINES_BYTES 4
#endif
#if defined(__AVX512F__)
#define LANES (64 / LINES_BYTES)
#else
#define LANES (32 / LINES_BYTES) /* 16 registers hold the outputs and the weights of a row */
#endif
#include "kernels/lib/lanes.h"
#ifdef DOUBLES
#include "kernels/lib/doubles_lanes.h"
#else
#include "kernels/lib/memory_lanes.h"
#endif

enum { LINES_VECTORS = DEPTHWISE_PANEL / LANES }; /* in a panel */

struct depthwise_buffers {
    global const REAL *src, *weights;
    global const uchar *bias;
    global uchar *dst;
};

/* What a block reads and writes, at channel 0. */
struct depthwise_lines {
    global const REAL *src, *weights; /* the first tap of the first output, even if it is in the padding */
    global const REAL *bias;          /* where there is one */
    global REAL *dst;
    i64 planes, plane, weights_plane; /* taps along the first dimension: those inside, and their strides */
    i64 first, last;                  /* rows of the window that are inside */
    i64 row, column, weights_row, weights_column, dst_row, dst_column;
    int left, right; /* columns of the padding */
};

/* Adds a row of the window to m outputs, or, with weights y2, to those of the row above as well. */
INLINE void lines_row(const struct depthwise_lines *l, global const REAL *a, const VEC *y, const VEC *y2,
                      const int taps, const int stride, const bool edge, VEC *acc, VEC *acc2) {
    const int columns = (DEPTHWISE_RUN - 1) * stride + taps, most = taps / 2;
#pragma unroll
    for (int c = 0; c < columns; c++) {
        if (edge && ((c < most && c < l->left) || (c >= columns - most && c >= columns - l->right))) continue;
        const VEC x = VLOAD(0, a + c * l->column);
#pragma unroll
        for (int t = 0; t < taps; t++) {
            if ((c - t) % stride != 0 || c < t || c - t > (DEPTHWISE_RUN - 1) * stride) continue;
            const int r = (c - t) / stride;
            if (y) acc[r] = fma(x, y[t], acc[r]);
            if (y2) acc2[r] = fma(x, y2[t], acc2[r]);
        }
    }
}

/* The sums of one row of outputs. */
INLINE void lines_sums(const struct depthwise_lines *l, global const REAL *src, global const REAL *weights,
                       const int taps, const int stride, const bool edge, VEC *acc) {
#pragma unroll
    for (int r = 0; r < DEPTHWISE_RUN; r++)
        acc[r] = V(0.0f);
#pragma nounroll
    for (i64 k0 = 0; k0 < l->planes; k0++)
#pragma nounroll
        for (i64 k1 = l->first; k1 < l->last; k1++) {
            global const REAL *w = weights + k0 * l->weights_plane + k1 * l->weights_row;
            VEC y[7];
#pragma unroll
            for (int t = 0; t < taps; t++)
                y[t] = VLOAD(0, w + t * l->weights_column);
            lines_row(l, src + k0 * l->plane + k1 * l->row, y, 0, taps, stride, edge, acc, 0);
        }
}

/* The sums of two rows of outputs of a 3x3 window. */
INLINE void lines_pair_sums(const struct depthwise_lines *l, global const REAL *src,
                            global const REAL *weights, const bool edge, VEC *acc) {
    VEC y[9];
#pragma unroll
    for (int k = 0; k < 9; k++)
        y[k] = VLOAD(0, weights + k / 3 * l->weights_row + k % 3 * l->weights_column);
#pragma unroll
    for (int r = 0; r < 2 * DEPTHWISE_RUN; r++)
        acc[r] = V(0.0f);
#pragma unroll
    for (int i = 0; i < 4; i++)
        if (i >= l->first && i < l->last)
            lines_row(l, src + i * l->row, i < 3 ? y + 3 * i : 0, i > 0 ? y + 3 * (i - 1) : 0, 3, 1, edge,
                      acc, acc + DEPTHWISE_RUN);
}

/* Adds bias, applies the activation and stores a row of results; `lanes` channels exist. */
INLINE void lines_end(constant struct depthwise_params *p, const struct depthwise_lines *l, VEC *acc,
                      VEC bias, global REAL *dst, i64 lanes) {
#pragma unroll
    for (int r = 0; r < DEPTHWISE_RUN; r++)
        acc[r] += bias;
    if (LINES_BYTES == 4 && p->activation.alg == ELTWISE_RELU && p->activation.alpha == 0.0f) {
#pragma unroll
        for (int r = 0; r < DEPTHWISE_RUN; r++)
            acc[r] = acc[r] > V(0.0f) ? acc[r] : V(0.0f);
    } else if (p->activation.alg) {
#pragma unroll
        for (int r = 0; r < DEPTHWISE_RUN; r++)
            acc[r] = activation_apply(&p->activation, acc[r]);
    }
    if (lanes >= LANES) {
#pragma unroll
        for (int r = 0; r < DEPTHWISE_RUN; r++)
            VSTORE(acc[r], 0, dst + r * l->dst_column);
        return;
    }
#pragma unroll
    for (int r = 0; r < DEPTHWISE_RUN; r++)
        store_lanes(acc[r], dst + r * l->dst_column, lanes);
}

/* Pixels that the next row of outputs is the first to read: rows are too long for the hardware to see it. */
INLINE void lines_prefetch(const struct depthwise_lines *l, global const REAL *src) {
    global const REAL *next = src + l->last * l->row;
#pragma unroll
    for (int r = 0; r < DEPTHWISE_RUN; r++)
        PREFETCH(next + r * l->column);
}

/* Vectors of channels from `first` on, up to channel `end`. Callers pass `taps`, `stride` and `rows` as
 * constants. */
INLINE void lines_block(constant struct depthwise_params *p, const struct depthwise_lines *l, i64 first,
                        i64 end, const int taps, const int stride, const int rows) {
    const bool edge = l->left + l->right > 0;
#pragma nounroll
    for (i64 v = first; v * LANES < end; v++) {
        global const REAL *src = l->src + v * LANES;
        global const REAL *weights =
                l->weights + v / LINES_VECTORS * p->weights_panel + v % LINES_VECTORS * LANES;
        VEC acc[2 * DEPTHWISE_RUN], bias = V(-0.0f); /* changes nothing */
        if (p->has_bias) load_lanes(&bias, l->bias + v * LANES, end - v * LANES, 0.0f);
        if (p->large && stride == 1 && v % LINES_VECTORS == 0) lines_prefetch(l, src);
        if (rows == 2 && edge)
            lines_pair_sums(l, src, weights, true, acc);
        else if (rows == 2)
            lines_pair_sums(l, src, weights, false, acc);
        else if (edge)
            lines_sums(l, src, weights, taps, stride, true, acc);
        else
            lines_sums(l, src, weights, taps, stride, false, acc);
#pragma unroll
        for (int q = 0; q < rows; q++)
            lines_end(p, l, acc + q * DEPTHWISE_RUN, bias, l->dst + v * LANES + q * l->dst_row,
                      end - v * LANES);
    }
}

/* Separate functions, so that each has all registers to itself. */
#define LINES_OF(name_, taps_, stride_, rows_)                                                               \
    OUTLINE void lines_##name_(constant struct depthwise_params *p, const struct depthwise_lines *l,         \
                               i64 first, i64 end) {                                                         \
        lines_block(p, l, first, end, taps_, stride_, rows_);                                                \
    }
LINES_OF(3, 3, 1, 1)
LINES_OF(3_by_2, 3, 2, 1)
LINES_OF(5, 5, 1, 1)
LINES_OF(5_by_2, 5, 2, 1)
LINES_OF(7, 7, 1, 1)
LINES_OF(pair, 3, 1, 2)

INLINE void lines_any(constant struct depthwise_params *p, const struct depthwise_lines *l, i64 first,
                      i64 end, int rows) {
    const bool apart = p->images.window.stride[2] == 2;
    if (rows == 2)
        lines_pair(p, l, first, end);
    else if (p->images.window.taps[2] == 3)
        apart ? lines_3_by_2(p, l, first, end) : lines_3(p, l, first, end);
    else if (p->images.window.taps[2] == 5)
        apart ? lines_5_by_2(p, l, first, end) : lines_5(p, l, first, end);
    else
        lines_7(p, l, first, end);
}

/* What the blocks of a row share. */
INLINE struct depthwise_lines lines_begin(constant struct depthwise_params *p,
                                          const struct depthwise_buffers *f, const struct window_row *row) {
    constant struct window_images *w = &p->images;
    const struct taps *t = &row->taps;
    struct depthwise_lines l = {.first = t->first[1], .last = t->last[1]};
    l.plane = w->src_step[0], l.weights_plane = p->weights_step[0];
    l.row = w->src_step[1], l.weights_row = p->weights_step[1];
    l.column = w->src_stride[2], l.weights_column = p->weights_step[2];
    l.dst_row = w->dst_stride[1], l.dst_column = w->dst_stride[2];
    l.planes = t->last[0] > t->first[0] ? t->last[0] - t->first[0] : 0;
    l.weights = f->weights + t->first[0] * l.weights_plane;
    l.bias = (global const REAL *)f->bias;
    if (p->has_bias) l.bias += p->bias_offset;
    return l;
}

/* One row of outputs or two, of channels from `channel` on, up to `end`. The last block starts early: some
 * outputs are computed twice, with the same bits. */
INLINE void depthwise_lines(constant struct depthwise_params *p, const struct depthwise_buffers *f,
                            const struct window_row *row, i64 channel, i64 end, int rows) {
    constant struct window *w = &p->images.window;
    const i64 columns = (DEPTHWISE_RUN - 1) * w->stride[2] + w->taps[2];
    struct depthwise_lines l = lines_begin(p, f, row);
    if (rows == 2) l.last = w->size[1] - row->taps.start[1];
#pragma nounroll
    for (i64 i = row->first; i < row->last; i += DEPTHWISE_RUN) {
        const i64 place = i + DEPTHWISE_RUN < row->last ? i : row->last - DEPTHWISE_RUN;
        const i64 start = place * w->stride[2] - w->padding[2];
        l.left = start < 0 ? (int)-start : 0;
        l.right = start + columns > w->size[2] ? (int)(start + columns - w->size[2]) : 0;
        l.src = f->src + row->from + row->taps.first[0] * l.plane + start * l.column;
        l.dst = (global REAL *)f->dst + row->to + place * l.dst_column;
        lines_any(p, &l, channel / LANES, end, rows);
    }
}

/* The end of the last vector of channels up to `end` that `rows` rows of outputs read. */
INLINE i64 lines_reach(constant struct depthwise_params *p, const struct window_row *row, i64 end, int rows) {
    constant struct window_images *w = &p->images;
    const i64 last = row->taps.last[1] + rows - 1, room = w->window.size[1] - row->taps.start[1];
    return row->from + (row->taps.last[0] - 1) * w->src_step[0]
           + ((last < room ? last : room) - 1) * w->src_step[1] + (w->window.size[2] - 1) * w->src_stride[2]
           + (end + DEPTHWISE_PANEL - 1) / DEPTHWISE_PANEL * DEPTHWISE_PANEL;
}

/* Row number `row` of the outputs, and the next one if both can be computed at once. The last panel may end
 * where src ends: then it is left out, and *whole is false. Returns the number of rows. */
INLINE int depthwise_some_lines(constant struct depthwise_params *p, const struct depthwise_buffers *f,
                                i64 part, i64 row, i64 last, i64 index, bool *whole) {
    const struct depthwise_item item = depthwise_item(p, part, row, index);
    const i64 left = p->images.places[1] - item.row.place[1];
    const int rows = p->lines == 2 && row + 1 < last && left > 1 && item.row.taps.last[0] > 0 ? 2 : 1;
    const i64 all = item.last * DEPTHWISE_PANEL, channels = p->images.channels;
    *whole = all <= channels || lines_reach(p, &item.row, channels, rows) <= p->src_end;
    const i64 end = all <= channels ? all : *whole ? channels : all - DEPTHWISE_PANEL;
    depthwise_lines(p, f, &item.row, item.first * DEPTHWISE_PANEL, end, rows);
    return rows;
}
#undef LANES
