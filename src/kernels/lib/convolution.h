/* SPDX-License-Identifier: Apache-2.0 */
/* Which elements of src and weights a convolution multiplies: what its universal kernels share. */
#ifndef LODE_KERNELS_LIB_CONVOLUTION_H
#define LODE_KERNELS_LIB_CONVOLUTION_H

#include "kernels/lib/product.h"
#include "kernels/lib/window.h"
#include "kernels/params_convolution.h"

/* Batch, group and output channel of the result at `position`. Returns the group's first input channel. */
INLINE i64 convolution_begin(constant struct convolution_params *p, struct operands *o, const i64 *position) {
    i64 channel = position[1], group = channel / p->outputs;
    o->src_position[0] = position[0];
    o->weights_position[0] = group;
    o->weights_position[p->grouped] = channel - group * p->outputs;
    return group * p->inputs;
}

/* The taps that may be inside the image for the result at `place`. */
INLINE void convolution_taps(constant struct convolution_params *p, struct taps *t, const i64 *place) {
    if (!p->transposed) {
        window_taps(t, &p->window, place);
        return;
    }
    for (int d = 0; d < WINDOW_DIMS; d++) {
        t->start[d] = place[d] + p->window.padding[d];
        t->first[d] = 0;
        t->last[d] = p->window.taps[d];
    }
}

/* Moves src to the position that tap k of a transposed window reads. Returns 0 if there is none. */
INLINE int convolution_find(constant struct convolution_params *p, const struct taps *t, int d, i64 k,
                            i64 *position) {
    i64 at = t->start[d] - k * p->window.step[d], stride = p->window.stride[d];
    *position = stride == 1 ? at : at / stride;
    return at >= 0 && *position * stride == at && *position < p->window.size[d];
}

/* Moves the operands to tap (k0, k1, k2). Returns 0 if it is not inside the image. */
INLINE int convolution_tap(constant struct convolution_params *p, struct operands *o, const struct taps *t,
                           i64 k0, i64 k1, i64 k2) {
    i64 *s = o->src_position + 2, *w = o->weights_position + p->grouped + 2;
    w[0] = k0, w[1] = k1, w[2] = k2;
    if (p->transposed)
        return convolution_find(p, t, 0, k0, s) & convolution_find(p, t, 1, k1, s + 1)
               & convolution_find(p, t, 2, k2, s + 2);
    s[0] = t->start[0] + k0 * p->window.step[0];
    s[1] = t->start[1] + k1 * p->window.step[1];
    s[2] = t->start[2] + k2 * p->window.step[2];
    return 1;
}

#endif
