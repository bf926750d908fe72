/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of weights: what convolution, deconvolution and inner product share. */
#ifndef LODE_PRIMITIVES_WEIGHTS_GRADIENT_H
#define LODE_PRIMITIVES_WEIGHTS_GRADIENT_H

#include "primitives/gemm.h"

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

/* For CPUs. The plan's implementation has one of these as its data. */
extern const struct gemm_tile_shape gemm_gradient_14x32, gemm_gradient_6x16;

/* dst[group][output / panel][tap][input][output % panel] = sum over batch and positions of image * places. */
struct gradient_product {
    struct image image, places; /* with dense channels; f32, or pairs of bf16 and bf16, or bf16 */
    bool pairs, tiles, folds;   /* folds: a row of the window is one tap of as many inputs */
    struct window window;       /* over the image; missing dimensions come first */
    bool depthwise;             /* see params_weights_gradient.h */
    bool bias;                  /* depthwise: places are diff_dst, whose sums are the gradient of the bias */
    dnnl_dim_t groups, inputs, outputs;
    dnnl_dim_t group, panel; /* strides of results, which are f32 */
    int arg;
    const md_t *results;
};
dnnl_status_t gradient_append_product(struct plan *plan, const struct gradient_product *product);
/* The same by matrix tiles. Calls plan_skip where most of what they multiply would be padding. */
dnnl_status_t gradient_append_tiles(struct plan *plan, const struct gradient_product *product);
/* Results of parts of the positions, one after the other in scratchpad; those of the bias follow each. */
struct gradient_parts {
    dnnl_dim_t offset, count, stride;
};
/* Adds their sum. */
dnnl_status_t gradient_add_parts(struct plan *plan, const struct gradient_parts *parts,
                                 const struct gradient_product *product);

/* For every device: the gradient as another convolution. */
dnnl_status_t gradient_build_by_convolution(struct plan *plan);

#endif
