/* SPDX-License-Identifier: Apache-2.0 */
/* What a work-item of the gradients of weights computes, for any element type: see weights_gradient.cl. */
#ifndef LODE_KERNELS_LIB_WEIGHTS_GRADIENT_H
#define LODE_KERNELS_LIB_WEIGHTS_GRADIENT_H

#include "kernels/lib/opencl.h"
#include "kernels/params_weights_gradient.h"

/* What a work-item computes; offsets in elements. */
struct gradient_item {
    i64 image, places, dst, outputs;
    i64 first_job, last_job, first_chunk, last_chunk;
};

/* The first chunk of a part. Parts are nearly of the same size. */
INLINE i64 gradient_chunk_of(constant struct weights_gradient_params *p, i64 part) {
    return part * p->chunks / p->parts;
}

INLINE struct gradient_item gradient_item(constant struct weights_gradient_params *p, i64 jobs, i64 panel,
                                          i64 index, int width) {
    const i64 part = index / p->groups, group = index - part * p->groups;
    const i64 all = p->tiles * p->window.taps[0] * p->window.taps[1] * p->window.taps[2];
    struct gradient_item t = {.outputs = p->outputs - panel * width};
    t.image = p->image_offset + group * p->inputs;
    t.places = p->places_offset + group * p->outputs + panel * width;
    t.dst = p->dst_offset + part * p->dst_part + group * p->dst_group + panel * p->dst_panel;
    t.first_job = jobs * p->jobs;
    t.last_job = t.first_job + p->jobs < all ? t.first_job + p->jobs : all;
    t.first_chunk = gradient_chunk_of(p, part);
    t.last_chunk = gradient_chunk_of(p, part + 1);
    return t;
}

/* Some rows, or a piece of one row. */
struct gradient_chunk {
    int rows;
    i64 column, columns; /* positions column to column + columns - 1 of each row */
    /* Of each row: the offsets of its first position, and where the first tap reads along the first two
     * dimensions. */
    i64 image[GRADIENT_POSITIONS], places[GRADIENT_POSITIONS];
    i64 start[2][GRADIENT_POSITIONS];
};

INLINE void gradient_locate(struct gradient_chunk *c, constant struct weights_gradient_params *p, i64 chunk) {
    constant struct window *w = &p->window;
    const i64 first = chunk / p->pieces * p->chunk_rows, left = p->rows - first;
    c->rows = (int)(left < p->chunk_rows ? left : p->chunk_rows);
    c->column = chunk % p->pieces * p->piece;
    c->columns = p->places[2] - c->column < p->piece ? p->places[2] - c->column : p->piece;
    for (int r = 0; r < c->rows; r++) {
        const i64 above = (first + r) / p->places[1], h = first + r - above * p->places[1];
        const i64 n = above / p->places[0], d = above - n * p->places[0];
        c->start[0][r] = d * w->stride[0] - w->padding[0];
        c->start[1][r] = h * w->stride[1] - w->padding[1];
        c->image[r] = n * p->image_batch + c->start[0][r] * p->image_stride[0]
                      + c->start[1][r] * p->image_stride[1]
                      + (c->column * w->stride[2] - w->padding[2]) * p->image_stride[2];
        c->places[r] = n * p->places_batch + d * p->places_stride[0] + h * p->places_stride[1]
                       + c->column * p->places_stride[2];
    }
}

/* The positions of a row, counted from the column of the chunk on, where tap k of the last dimension is
 * inside the image. */
struct gradient_span {
    i64 first, last;
};

INLINE struct gradient_span gradient_span(constant struct weights_gradient_params *p,
                                          const struct gradient_chunk *c, i64 k) {
    constant struct window *w = &p->window;
    const i64 stride = w->stride[2], start = c->column * stride + k * w->step[2] - w->padding[2];
    const i64 room = w->size[2] - start;
    struct gradient_span s = {start < 0 ? (stride - 1 - start) / stride : 0,
                              room > 0 ? (room - 1) / stride + 1 : 0};
    if (s.last > c->columns) s.last = c->columns;
    return s;
}

/* A tile of inputs for one tap. */
struct gradient_job {
    int inputs;
    i64 reach[2];    /* of the tap, along the first two dimensions */
    i64 image;       /* offset of the group, the input and the tap, at position `first` */
    i64 first, last; /* where the tap is inside */
    i64 dst;         /* taps and inputs before this tile */
};

INLINE struct gradient_job gradient_job(constant struct weights_gradient_params *p,
                                        const struct gradient_item *own, const struct gradient_chunk *c,
                                        i64 index) {
    constant struct window *w = &p->window;
    const i64 tap = index / p->tiles, input = (index - tap * p->tiles) * p->tile;
    const i64 above = tap / w->taps[2], k2 = tap - above * w->taps[2];
    const i64 k0 = above / w->taps[1], k1 = above - k0 * w->taps[1];
    const struct gradient_span span = gradient_span(p, c, k2);
    struct gradient_job j = {.reach = {k0 * w->step[0], k1 * w->step[1]}, .dst = tap * p->inputs + input};
    j.inputs = (int)(p->inputs - input < p->tile ? p->inputs - input : p->tile);
    j.first = span.first, j.last = span.last;
    j.image = own->image + input + j.reach[0] * p->image_stride[0] + j.reach[1] * p->image_stride[1]
              + (k2 * w->step[2] + j.first * w->stride[2]) * p->image_stride[2];
    return j;
}

INLINE bool gradient_row_is_inside(constant struct weights_gradient_params *p, const struct gradient_chunk *c,
                                   const i64 *reach, int row) {
    const i64 d = c->start[0][row] + reach[0], h = c->start[1][row] + reach[1];
    return d >= 0 && d < p->window.size[0] && h >= 0 && h < p->window.size[1];
}

#endif
