/* SPDX-License-Identifier: Apache-2.0 */
/* The taps of a window that are inside the image, and the positions of the window. */
#ifndef LODE_KERNELS_LIB_WINDOW_H
#define LODE_KERNELS_LIB_WINDOW_H

#include "kernels/lib/opencl.h"
#include "kernels/params_window.h"

/* Along dimension d, taps first[d] to last[d] - 1 are inside; tap k reads position start[d] + k * step. */
struct taps {
    i64 start[WINDOW_DIMS], first[WINDOW_DIMS], last[WINDOW_DIMS];
};

/* Along one dimension, for the window at output position `place`. */
INLINE void window_taps_along(struct taps *taps, constant struct window *w, int d, i64 place) {
    i64 start = place * w->stride[d] - w->padding[d], step = w->step[d];
    i64 room = w->size[d] - start, first, last;
    if (step == 1) { /* the usual case: avoids divisions, which are slow */
        first = start >= 0 ? 0 : -start;
        last = room > 0 ? room : 0;
    } else {
        first = start >= 0 ? 0 : (step - 1 - start) / step;
        last = room > 0 ? (room - 1) / step + 1 : 0;
    }
    taps->start[d] = start;
    taps->first[d] = first;
    taps->last[d] = last < w->taps[d] ? last : w->taps[d];
}

/* How many taps of the window at output `place` are inside the image. */
INLINE i64 taps_inside(constant struct window *w, int d, i64 place) {
    struct taps taps;
    window_taps_along(&taps, w, d, place);
    return taps.last[d] > taps.first[d] ? taps.last[d] - taps.first[d] : 0;
}

/* `place` is the output position of the window, one number per dimension. */
INLINE void window_taps(struct taps *taps, constant struct window *w, const i64 *place) {
#pragma nounroll
    for (int d = 0; d < WINDOW_DIMS; d++)
        window_taps_along(taps, w, d, place[d]);
}

/* A part of a row of dst: `from` and `to` are its first offsets in src and dst. */
struct window_row {
    i64 from, to, first, last, batch;
    i64 place[WINDOW_DIMS];
    struct taps taps; /* except along the row */
};

/* Part number `part` of a row that is divided into parts of `length` outputs. */
INLINE struct window_row window_row(constant struct window_images *w, i64 part, i64 length, i64 row,
                                    i64 batch) {
    struct window_row r = {.batch = batch};
    r.first = part * length;
    r.last = r.first + length < w->places[2] ? r.first + length : w->places[2];
    r.from = w->src_offset + batch * w->src_batch;
    r.to = w->dst_offset + batch * w->dst_batch;
    r.place[0] = w->places[0] == 1 ? 0 : row / w->places[1];
    r.place[1] = row - r.place[0] * w->places[1];
    for (int d = 0; d < 2; d++) {
        window_taps_along(&r.taps, &w->window, d, r.place[d]);
        r.from += r.taps.start[d] * w->src_stride[d];
        r.to += r.place[d] * w->dst_stride[d];
    }
    return r;
}

/* The logical position in dst of a channel at output position `place`. */
INLINE void window_position(constant struct window_images *w, i64 batch, i64 channel, const i64 *place,
                            i64 *position) {
    position[0] = batch;
    position[1] = channel;
    for (i64 d = w->missing; d < WINDOW_DIMS; d++)
        position[2 + d - w->missing] = place[d];
}

#endif
