/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows of 3x3 taps of int8_depthwise.cl on CPUs with VNNI: dot products of columns of three bytes. Bytes
 * with a sign are made unsigned by adding 128. Padding is read as the zero point, which contributes nothing:
 * a block has all outputs, those at the edges too, and one sum of weights compensates everything.
 */
#include "kernels/lib/dot4.h"

struct int8_nine {
    int on;
    /* Rows of the window: from where, with offsets of the first tap of place 0, channel 0. Rows of the
     * padding are `padding`, whatever the place. */
    global const uchar *row[3];
    i64 offset[3], column[3], unit[3];
    bool left, right; /* the first or last column is padding */
    uint flip, pad;   /* three bytes; pad is as in src */
    uchar padding[LANES];
};

/* Three bytes of each channel, one below the other. */
INLINE UVEC nine_column(global const uchar *a, global const uchar *b, global const uchar *c) {
    return convert_uint16(vload16(0, a)) | convert_uint16(vload16(0, b)) << 8
           | convert_uint16(vload16(0, c)) << 16;
}

/* Weights of all panels, and where their sums start. */
INLINE void nine_weights(constant struct depthwise_params *p, global const char *weights, int zero, i64 first,
                         i64 last, struct int8_panel *panels) {
    const i64 row = p->weights_step[1];
    for (i64 i = first; i < last; i++, panels++) {
        global const uchar *w = (global const uchar *)(weights + i * p->weights_panel);
        IVEC sum = (IVEC)(0);
        for (int k = 0; k < 3; k++, w += p->weights_step[2]) {
            panels->column[k] = AS_IVEC(nine_column(w, w + row, w + 2 * row));
            sum = dot4(sum, dot4_unsigned(0x01010101), panels->column[k]);
        }
        panels->start = AS_IVEC((UVEC)(0) - AS_UVEC(sum) * (UVEC)((uint)zero));
    }
}

/* Vectors at the end of src may reach beyond it: rows of such items are computed without this. */
INLINE bool nine_fits(constant struct depthwise_params *p, const struct depthwise_item *item) {
    const struct taps *t = &item->row.taps;
    const i64 last_row = item->row.from + (t->last[1] - 1) * p->images.src_step[1];
    const i64 last = last_row + (p->images.window.size[2] - 1) * p->images.src_stride[2];
    return t->last[0] > t->first[0] && t->last[1] > t->first[1] && last + item->last * LANES <= p->src_end;
}

INLINE void nine_begin(struct int8_nine *n, constant struct int8_depthwise_params *q,
                       const struct int8_buffers *f, const struct int8_common *c,
                       const struct depthwise_item *item, struct int8_panel *panels) {
    constant struct depthwise_params *p = &q->depthwise;
    const int shift = q->is_signed ? 128 : 0, zero = c->zero + shift;
    if (!q->nine || c->zero < -shift || c->zero > 255 - shift || !nine_fits(p, item)) return;
    n->on = 1;
    n->flip = q->is_signed ? 0x808080u : 0u;
    n->pad = (uint)zero * 0x010101u ^ n->flip;
    for (int k = 0; k < LANES; k++)
        n->padding[k] = (uchar)n->pad;
    for (int k = 0; k < 3; k++) {
        const bool inside = k >= item->row.taps.first[1] && k < item->row.taps.last[1];
        n->unit[k] = inside ? 1 : 0;
        n->row[k] = inside ? f->src : n->padding;
        n->column[k] = inside ? p->images.src_stride[2] : 0;
        n->offset[k] = inside ? item->row.from + k * p->images.src_step[1]
                                        - p->images.window.padding[2] * p->images.src_stride[2]
                              : 0;
    }
    nine_weights(p, f->weights, zero, item->first, item->last, panels);
}

/* Moves to the block that begins at `place`. */
INLINE void nine_move(struct int8_nine *n, struct depthwise_block *b, constant struct depthwise_params *p,
                      const struct window_row *row, i64 place) {
    const i64 left = row->last - place, first = place - p->images.window.padding[2];
    b->count = left >= 9 || left == 6 ? 6 : left >= 4 ? 4 : (int)left;
    b->dst = row->to + place * b->dst_column;
    b->place[2] = place;
    n->left = first < 0;
    n->right = first + b->count + 1 >= p->images.window.size[2];
}

/* Columns that m outputs read, from `a` on. */
INLINE void nine_columns(const struct int8_nine *n, global const uchar *const *a, const int m, IVEC *x) {
#pragma unroll
    for (int r = 0; r < m + 2; r++)
        if ((r == 0 && n->left) || (r == m + 1 && n->right))
            x[r] = (IVEC)((int)n->pad);
        else
            x[r] = AS_IVEC(
                    nine_column(a[0] + r * n->column[0], a[1] + r * n->column[1], a[2] + r * n->column[2]));
    if (n->flip == 0) return;
#pragma unroll
    for (int r = 0; r < m + 2; r++)
        x[r] = AS_IVEC(AS_UVEC(x[r]) ^ (UVEC)(n->flip));
}

/* Separate functions, so that each has all registers to itself. */
#define NINE(m)                                                                                              \
    OUTLINE void nine_##m(const struct int8_nine *n, constant struct int8_depthwise_params *q,               \
                          const struct int8_common *c, const struct int8_panel *panel,                       \
                          global const uchar *const *a, i64 column, global uchar *dst, IVEC *out) {          \
        IVEC x[m + 2], acc[m];                                                                               \
        nine_columns(n, a, m, x);                                                                            \
        _Pragma("unroll") for (int r = 0; r < m; r++) acc[r] = panel->start;                                 \
        _Pragma("unroll") for (int k = 0; k < 3; k++) {                                                      \
            const IVEC y = panel->column[k];                                                                 \
            _Pragma("unroll") for (int r = 0; r < m; r++) acc[r] = dot4(acc[r], x[r + k], y);                \
        }                                                                                                    \
        int8_deliver(q, c, panel, acc, m, column, dst, out);                                                 \
    }
NINE(1)
NINE(2)
NINE(3)
NINE(4)
NINE(6)

/* A block of one panel: stores bytes to `dst`, or sums to `out`. */
INLINE void nine_block(const struct int8_nine *n, constant struct int8_depthwise_params *q,
                       const struct int8_common *c, const struct int8_panel *panel,
                       const struct depthwise_block *b, i64 channel, global uchar *dst, IVEC *out) {
    global const uchar *a[3];
    for (int k = 0; k < 3; k++)
        a[k] = n->row[k] + (n->offset[k] + b->place[2] * n->column[k] + channel * n->unit[k]);
    switch (b->count) {
    case 1: nine_1(n, q, c, panel, a, b->dst_column, dst, out); break;
    case 2: nine_2(n, q, c, panel, a, b->dst_column, dst, out); break;
    case 3: nine_3(n, q, c, panel, a, b->dst_column, dst, out); break;
    case 4: nine_4(n, q, c, panel, a, b->dst_column, dst, out); break;
    case 6: nine_6(n, q, c, panel, a, b->dst_column, dst, out); break;
    }
}
