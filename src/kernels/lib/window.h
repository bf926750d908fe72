/* SPDX-License-Identifier: Apache-2.0 */
/* The taps of a window that lie inside the image. */
#ifndef LODE_KERNELS_LIB_WINDOW_H
#define LODE_KERNELS_LIB_WINDOW_H

#include "kernels/lib/opencl.h"
#include "kernels/params_window.h"

/* Taps first[d] to last[d] - 1 lie inside along each dimension; tap k reads position start[d] + k * step. */
struct taps {
    i64 start[WINDOW_DIMS], first[WINDOW_DIMS], last[WINDOW_DIMS];
};

/* Along one dimension, for a window that stands at `place`. */
INLINE void window_taps_along(struct taps *taps, constant struct window *w, int d, i64 place) {
    i64 start = place * w->stride[d] - w->padding[d], step = w->step[d];
    i64 room = w->size[d] - start, first, last;
    if (step == 1) { /* most windows, and divisions take their time */
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

/* `place` is where the window stands, one number a dimension. */
INLINE void window_taps(struct taps *taps, constant struct window *w, const i64 *place) {
#pragma nounroll
    for (int d = 0; d < WINDOW_DIMS; d++)
        window_taps_along(taps, w, d, place[d]);
}

#endif
