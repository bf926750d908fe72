/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows of 3x3 and 5x5 taps of int8_depthwise.cl on CPUs with VNNI: dot products of columns of three or
 * four bytes, and of the fifth. Bytes with a sign are made unsigned by adding 128. Padding is read as the
 * zero point, which contributes nothing: a block has all outputs, those at the edges too, and one sum of
 * weights compensates everything.
 */
#include "kernels/lib/dot4.h"

enum { SQUARE_TAPS = 5 }; /* the most */

struct int8_square {
    int possible, taps; /* 3 or 5, of all rows and of this one; 0: it is computed without this */
    /* Rows of the window: from where, with offsets of the first tap of place 0, channel 0. Rows of the
     * padding are `padding`, whatever the place. */
    global const uchar *row[SQUARE_TAPS];
    i64 offset[SQUARE_TAPS], column[SQUARE_TAPS], unit[SQUARE_TAPS];
    int left, right; /* columns of padding */
    uint flip, pad;  /* four bytes; pad is as in src */
    uchar padding[LANES];
};

/* A column is so many vectors of up to four bytes of each channel, one below the other. */
INLINE int square_parts(const int taps) {
    return taps > 4 ? 2 : 1;
}

INLINE UVEC square_column(global const uchar *const *rows, const i64 *steps, const int taps, const int part,
                          i64 i) {
    const int first = 4 * part, count = taps - first < 4 ? taps - first : 4;
    UVEC column = convert_uint16(vload16(0, rows[first] + i * steps[first]));
#pragma unroll
    for (int k = 1; k < count; k++)
        column |= convert_uint16(vload16(0, rows[first + k] + i * steps[first + k])) << (uint)(8 * k);
    return column;
}

/* Weights of all panels, and where their sums start. */
INLINE void square_weights(constant struct depthwise_params *p, global const char *weights, const int taps,
                           int zero, i64 first, i64 last, struct int8_panel *panels) {
    const i64 step[SQUARE_TAPS] = {p->weights_step[2], p->weights_step[2], p->weights_step[2],
                                   p->weights_step[2], p->weights_step[2]};
    const int parts = square_parts(taps);
    for (i64 i = first; i < last; i++, panels++) {
        global const uchar *rows[SQUARE_TAPS];
        IVEC sum = (IVEC)(0);
        for (int k = 0; k < taps; k++)
            rows[k] = (global const uchar *)(weights + i * p->weights_panel + k * p->weights_step[1]);
        for (int k = 0; k < taps; k++)
            for (int part = 0; part < parts; part++) {
                const IVEC column = AS_IVEC(square_column(rows, step, taps, part, k));
                panels->column[k * parts + part] = column;
                sum = dot4(sum, dot4_unsigned(0x01010101), column);
            }
        panels->start = AS_IVEC((UVEC)(0) - AS_UVEC(sum) * (UVEC)((uint)zero));
    }
}

/* Vectors at the end of src may reach beyond it: rows of such items are computed without this. */
INLINE bool square_fits(constant struct depthwise_params *p, const struct depthwise_item *item) {
    const struct taps *t = &item->row.taps;
    const i64 last_row = item->row.from + (t->last[1] - 1) * p->images.src_step[1];
    const i64 last = last_row + (p->images.window.size[2] - 1) * p->images.src_stride[2];
    return t->last[0] > t->first[0] && t->last[1] > t->first[1] && last + item->last * LANES <= p->src_end;
}

/* Prepares the weights of the panels of a work-item. */
INLINE void square_begin(struct int8_square *n, constant struct int8_depthwise_params *q,
                         const struct int8_buffers *f, const struct int8_common *c,
                         const struct depthwise_item *item, struct int8_panel *panels) {
    constant struct depthwise_params *p = &q->depthwise;
    const int shift = q->is_signed ? 128 : 0, zero = c->zero + shift;
    if (c->zero < -shift || c->zero > 255 - shift) return;
    n->possible = q->square;
    n->flip = q->is_signed ? 0x80808080u : 0u;
    n->pad = (uint)zero * 0x01010101u ^ n->flip;
    for (int k = 0; k < LANES; k++)
        n->padding[k] = (uchar)n->pad;
    if (n->possible == 3) square_weights(p, f->weights, 3, zero, item->first, item->last, panels);
    if (n->possible == 5) square_weights(p, f->weights, 5, zero, item->first, item->last, panels);
}

INLINE void square_row(struct int8_square *n, constant struct depthwise_params *p,
                       const struct int8_buffers *f, const struct depthwise_item *item) {
    n->taps = square_fits(p, item) ? n->possible : 0;
    for (int k = 0; k < n->taps; k++) {
        const bool inside = k >= item->row.taps.first[1] && k < item->row.taps.last[1];
        n->unit[k] = inside ? 1 : 0;
        n->row[k] = inside ? f->src : n->padding;
        n->column[k] = inside ? p->images.src_stride[2] : 0;
        n->offset[k] = inside ? item->row.from + k * p->images.src_step[1]
                                        - p->images.window.padding[2] * p->images.src_stride[2]
                              : 0;
    }
}

/* Moves to the block that begins at `place`. */
INLINE void square_move(struct int8_square *n, struct depthwise_block *b, constant struct depthwise_params *p,
                        const struct window_row *row, i64 place) {
    const i64 left = row->last - place, first = place - p->images.window.padding[2];
    b->count = left >= 9 || left == 6 ? 6 : left >= 4 ? 4 : (int)left;
    b->dst = row->to + place * b->dst_column;
    b->place[2] = place;
    const i64 beyond = first + b->count + n->taps - 1 - p->images.window.size[2];
    n->left = first < 0 ? (int)-first : 0;
    n->right = beyond > 0 ? (int)beyond : 0;
}

/* Columns that m outputs read, from `a` on. */
INLINE void square_columns(const struct int8_square *n, global const uchar *const *a, const int taps,
                           const int m, IVEC *x) {
    const int columns = m + taps - 1, most = taps / 2, parts = square_parts(taps);
#pragma unroll
    for (int r = 0; r < columns; r++)
#pragma unroll
        for (int part = 0; part < parts; part++)
            if ((r < most && r < n->left) || (r >= columns - most && r >= columns - n->right))
                x[r * parts + part] = (IVEC)((int)n->pad);
            else
                x[r * parts + part] = AS_IVEC(square_column(a, n->column, taps, part, r));
    if (n->flip == 0) return;
#pragma unroll
    for (int r = 0; r < columns * parts; r++)
        x[r] = AS_IVEC(AS_UVEC(x[r]) ^ (UVEC)(n->flip));
}

/* Separate functions, so that each has all registers to itself. */
#define SQUARE(taps, m)                                                                                      \
    OUTLINE void square_##taps##_##m(const struct int8_square *n, constant struct int8_depthwise_params *q,  \
                                     const struct int8_common *c, const struct int8_panel *panel,            \
                                     global const uchar *const *a, i64 column, global uchar *dst,            \
                                     IVEC *out) {                                                            \
        const int parts = square_parts(taps);                                                                \
        IVEC x[2 * (m + taps - 1)], acc[m];                                                                  \
        square_columns(n, a, taps, m, x);                                                                    \
        _Pragma("unroll") for (int r = 0; r < m; r++) acc[r] = panel->start;                                 \
        _Pragma("unroll") for (int k = 0; k < taps * parts; k++) {                                           \
            const IVEC y = panel->column[k];                                                                 \
            _Pragma("unroll") for (int r = 0; r < m; r++) acc[r] = dot4(acc[r], x[r * parts + k], y);        \
        }                                                                                                    \
        int8_deliver(q, c, panel, acc, m, column, dst, out);                                                 \
    }
#define EACH_SQUARE(X) X(3, 1) X(3, 2) X(3, 3) X(3, 4) X(3, 6) X(5, 1) X(5, 2) X(5, 3) X(5, 4) X(5, 6)
EACH_SQUARE(SQUARE)

/* A block of one panel: stores bytes to `dst`, or sums to `out`. */
INLINE void square_block(const struct int8_square *n, constant struct int8_depthwise_params *q,
                         const struct int8_common *c, const struct int8_panel *panel,
                         const struct depthwise_block *b, i64 channel, global uchar *dst, IVEC *out) {
    global const uchar *a[SQUARE_TAPS];
    for (int k = 0; k < n->taps; k++)
        a[k] = n->row[k] + (n->offset[k] + b->place[2] * n->column[k] + channel * n->unit[k]);
    switch (n->taps * 8 + b->count) {
#define SQUARE_CASE(taps, m)                                                                                 \
    case taps * 8 + m: square_##taps##_##m(n, q, c, panel, a, b->dst_column, dst, out); break;
        EACH_SQUARE(SQUARE_CASE)
#undef SQUARE_CASE
    }
}
