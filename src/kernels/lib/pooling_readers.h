/* SPDX-License-Identifier: Apache-2.0 */
/* The outputs of pooling that read an element of the image, for gradients. */
#ifndef LODE_KERNELS_LIB_POOLING_READERS_H
#define LODE_KERNELS_LIB_POOLING_READERS_H

#include "kernels/lib/window.h"

/* Along one dimension, the outputs `first` to `last` - 1 may read an element. */
struct readers {
    i64 at, first, last; /* at: the element's position in the padded image */
};

INLINE struct readers readers_of(constant struct window *w, int d, i64 position, i64 places) {
    struct readers r;
    r.at = position + w->padding[d];
    const i64 before = r.at - (w->taps[d] - 1) * w->step[d];
    r.first = before <= 0 ? 0 : (before + w->stride[d] - 1) / w->stride[d];
    r.last = r.at / w->stride[d] + 1;
    r.last = r.last < places ? r.last : places;
    return r;
}

/* The readers of the next element. */
INLINE void readers_next(struct readers *r, constant struct window *w, int d, i64 places) {
    r->at++;
    if (r->first * w->stride[d] + (w->taps[d] - 1) * w->step[d] < r->at) r->first++;
    if (r->last < places && r->last * w->stride[d] <= r->at) r->last++;
}

/* The tap with which output `place` reads the element; -1: the element is between two taps. */
INLINE i64 reading_tap(constant struct window *w, int d, const struct readers *r, i64 place) {
    const i64 distance = r->at - place * w->stride[d];
    if (w->step[d] == 1) return distance;
    return distance % w->step[d] == 0 ? distance / w->step[d] : -1;
}

#endif
