/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of the universal convolution, which also computes deconvolutions and inner products. */
#ifndef LODE_KERNELS_PARAMS_CONVOLUTION_H
#define LODE_KERNELS_PARAMS_CONVOLUTION_H

#include "kernels/params_product.h"
#include "kernels/params_window.h"

/* An inner product is a convolution whose window is the whole image; its dst has no spatial dimensions. A
 * transposed convolution exchanges the images: the window slides over dst, so the result at `o` sums the
 * positions i of src and the taps k for which o = i * stride + k * step - padding. */
struct convolution_params {
    struct walk walk; /* dst */
    struct window window;
    i64 inputs, outputs; /* channels of a group */
    i32 grouped;         /* the first dimension of weights is the group */
    i32 transposed;
    struct product product;
};

#endif
