/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of the universal convolution, which also computes inner products. */
#ifndef LODE_KERNELS_PARAMS_CONVOLUTION_H
#define LODE_KERNELS_PARAMS_CONVOLUTION_H

#include "kernels/params_product.h"
#include "kernels/params_window.h"

/* An inner product is a convolution whose window is the whole image; its dst has no spatial dimensions. */
struct convolution_params {
    struct walk walk; /* dst */
    struct window window;
    i64 inputs, outputs; /* channels of a group */
    i32 grouped, pad;    /* grouped: the first dimension of weights is the group */
    struct product product;
};

#endif
