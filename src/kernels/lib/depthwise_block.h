/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of adjacent outputs of a depthwise convolution, for any element type. */
#ifndef LODE_KERNELS_LIB_DEPTHWISE_BLOCK_H
#define LODE_KERNELS_LIB_DEPTHWISE_BLOCK_H

#include "kernels/lib/window.h"
#include "kernels/params_depthwise.h"

/* Adjacent outputs in a row that have the same taps: their offsets and strides. */
struct depthwise_block {
    int count;
    i64 src, weights, dst;         /* offsets of the first tap inside the image, channel 0 */
    i64 src_end;                   /* the end of the last vector that is read for channel 0 */
    i64 taps[WINDOW_DIMS];         /* number of taps inside the image */
    i64 step[WINDOW_DIMS], column; /* strides of src: between taps, and between outputs */
    i64 weights_step[WINDOW_DIMS], dst_column;
    i64 batch, place[WINDOW_DIMS];
};

/* What the blocks of a row share. */
INLINE struct depthwise_block depthwise_begin(constant struct depthwise_params *p,
                                              const struct window_row *row) {
    constant struct window_images *w = &p->images;
    struct depthwise_block b = {.batch = row->batch, .place = {row->place[0], row->place[1], 0}};
    b.column = w->window.stride[2] * w->src_stride[2];
    b.dst_column = w->dst_stride[2];
    for (int d = 0; d < WINDOW_DIMS; d++)
        b.weights_step[d] = p->weights_step[d];
    b.step[2] = w->src_step[2];
    for (int d = 0; d < 2; d++) {
        b.step[d] = w->src_step[d];
        b.taps[d] = row->taps.last[d] > row->taps.first[d] ? row->taps.last[d] - row->taps.first[d] : 0;
    }
    return b;
}

/* Moves to the block that begins at `place`. */
INLINE void depthwise_move(struct depthwise_block *b, constant struct depthwise_params *p,
                           const struct window_row *row, i64 place) {
    constant struct window_images *w = &p->images;
    i64 end = row->last < p->whole_last ? row->last : p->whole_last;
    struct taps t = row->taps;
    b->count = 1;
    t.first[2] = 0;
    t.last[2] = w->window.taps[2];
    if (place < p->whole_first || place >= end)
        window_taps_along(&t, &w->window, 2, place);
    else
        b->count = end - place >= 6 ? 6 : end - place >= 4 ? 4 : (int)(end - place);
    b->taps[2] = t.last[2] > t.first[2] ? t.last[2] - t.first[2] : 0;
    b->src = row->from + place * b->column - w->window.padding[2] * w->src_stride[2];
    b->src_end = (b->count - 1) * b->column + DEPTHWISE_PANEL;
    b->weights = 0;
    for (int d = 0; d < WINDOW_DIMS; d++) {
        b->weights += t.first[d] * b->weights_step[d];
        b->src += t.first[d] * b->step[d];
        b->src_end += (b->taps[d] - 1) * b->step[d];
    }
    b->src_end += b->src;
    b->dst = row->to + place * b->dst_column;
    b->place[2] = place;
}

/* The logical position in dst of channel `channel` of output r of a block. */
INLINE void depthwise_position(constant struct depthwise_params *p, const struct depthwise_block *b, int r,
                               i64 channel, i64 *position) {
    i64 place[WINDOW_DIMS];
    for (int d = 0; d < WINDOW_DIMS; d++)
        place[d] = p->place_first[d] + (b->place[d] + (d == 2 ? r : 0)) * p->place_step[d];
    window_position(&p->images, b->batch, channel, place, position);
}

/* What a work-item computes: some places of a row, and panels `first` to `last` - 1. */
struct depthwise_item {
    struct window_row row;
    i64 first, last;
};

INLINE struct depthwise_item depthwise_item(constant struct depthwise_params *p, i64 part, i64 row,
                                            i64 index) {
    struct depthwise_item item;
    i64 batch = p->pieces == 1 ? index : index / p->pieces;
    i64 panels = (p->images.channels + DEPTHWISE_PANEL - 1) / DEPTHWISE_PANEL;
    item.first = (index - batch * p->pieces) * p->panels;
    item.last = item.first + p->panels < panels ? item.first + p->panels : panels;
    item.row = window_row(&p->images, part, p->part, row, batch);
    return item;
}

#endif
