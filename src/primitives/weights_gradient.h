/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the implementations of convolution and deconvolution backward by weights. */
#ifndef LODE_PRIMITIVES_WEIGHTS_GRADIENT_H
#define LODE_PRIMITIVES_WEIGHTS_GRADIENT_H

#include "core/plan.h"

/* A problem in terms of the tensor that the window slides over, the image, and the one that has an element
 * for each position of the window, the places. */
struct gradient {
    int image_arg, places_arg;
    int grouped;       /* weights have a dimension for groups */
    int input, output; /* dimensions of weights: the channels of the image and of places */
};
struct gradient gradient_of(const struct problem *problem);

/* Checks types and algorithm, and resolves `auto`. */
dnnl_status_t gradient_accepts(struct plan *plan);
/* Sets the `any` layouts: images channels-last, weights as said. Calls plan_skip for layouts without blocks.
 */
dnnl_status_t gradient_decide_layouts(struct plan *plan, const char *weights);

/* For every device: the gradient as another convolution. */
dnnl_status_t gradient_build_by_convolution(struct plan *plan);

#endif
