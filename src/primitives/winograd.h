/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Winograd's algorithm for convolutions of f32 with a window of 3x3 and stride 1, on CPU-class devices: see
 * kernels/winograd.cl.
 */
#ifndef LODE_PRIMITIVES_WINOGRAD_H
#define LODE_PRIMITIVES_WINOGRAD_H

#include "core/plan.h"

/* Tiles of 2x2 or 4x4 results. Rows of convolution_forward have one as their data. */
struct winograd_form {
    int side;
    const struct kernel *src, *dst, *weights;
};
extern const struct winograd_form winograd_2x2, winograd_4x4;

dnnl_status_t winograd_build_convolution(struct plan *plan);

/* The numbers that decide which algorithm is fastest. */
struct winograd_shape {
    dnnl_dim_t batch, height, width; /* of dst */
    dnnl_dim_t inputs, outputs;
    bool transforms; /* weights are transformed at each execution */
};
/* The side of the tiles that is fastest; 0: the direct algorithm is, and `direct` allows it. */
int winograd_choose(const struct winograd_shape *shape, bool direct);

/* Reorders of weights [o, i, 3, 3] into transformed ones: struct md_winograd. */
extern const struct implementation winograd_reorders[];

#endif
