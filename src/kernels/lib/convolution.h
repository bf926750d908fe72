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

/* Moves the operands to tap (k0, k1, k2). */
INLINE void convolution_tap(constant struct convolution_params *p, struct operands *o, const struct taps *t,
                            i64 k0, i64 k1, i64 k2) {
    i64 *s = o->src_position + 2, *w = o->weights_position + p->grouped + 2;
    s[0] = t->start[0] + k0 * p->window.step[0], w[0] = k0;
    s[1] = t->start[1] + k1 * p->window.step[1], w[1] = k1;
    s[2] = t->start[2] + k2 * p->window.step[2], w[2] = k2;
}

#endif
