/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows that slide over images: what convolution, deconvolution and pooling share. An image is [batch,
 * channels, spatial...] with one to three spatial dimensions; all vectors have one number for each of those.
 */
#ifndef LODE_PRIMITIVES_WINDOW_H
#define LODE_PRIMITIVES_WINDOW_H

#include "kernels/params_window.h"
#include "primitives/check.h"
#include "primitives/gemm.h"

/* A window along one dimension, as the user gave it. */
struct window_axis {
    dnnl_dim_t src, dst, kernel, stride, dilation, padding_l, padding_r;
};

/* From the first tap of the window to the last, in *extent; and the number of places where the window can
 * stand, as oneDNN counts (a window that sticks out by less than a stride stands once). False: overflow. */
bool window_extent(const struct window_axis *axis, dnnl_dim_t *extent);
bool window_places(const struct window_axis *axis, dnnl_dim_t *places);

/* The vectors of a window. NULL dilates: none; NULL padding_r: as padding_l. */
struct window_vectors {
    const dnnl_dim_t *kernel, *strides, *dilates, *padding_l, *padding_r;
};
struct window_axis window_axis(const struct window_vectors *window, int i, dnnl_dim_t src, dnnl_dim_t dst);
void problem_set_window(struct problem *problem, const struct window_vectors *window, int nspatial);
/* The window of a problem for kernels; `src` is the image. */
void window_init(struct window *window, const struct problem *problem, const md_t *src);
/* The window of a problem over images whose channels lie together. */
void window_images_init(struct window_images *images, const struct problem *problem,
                        const struct gemm_image *src, const struct gemm_image *dst);
/* Parts of rows of `length` places each, rows, batches. */
struct range window_images_range(const struct window_images *images, dnnl_dim_t length, dnnl_dim_t batches);
/* The layout [batch, spatial..., channels] of an image with 2 to 5 dimensions, for md_set_any. */
const char *channels_last(int ndims);

/* A convolution or deconvolution, forward or backward, its tensors by their forward names. */
struct convolution_request {
    const char *component;
    dnnl_primitive_kind_t kind;
    dnnl_prop_kind_t prop;
    dnnl_alg_kind_t alg;
    const md_t *src, *weights, *bias, *dst;
    struct window_vectors window; /* its kernel is found in the weights */
};
dnnl_status_t check_convolution(const struct convolution_request *request);
dnnl_status_t check_convolution_attr(const struct convolution_request *request,
                                     const struct dnnl_engine *engine, const attr_t *attr);
/* A plan for a 1x1 convolution with a depthwise one among its post-ops. */
dnnl_status_t fused_depthwise_build(struct plan *plan);
/* Adds the universal kernel for a convolution or inner product whose layouts have been decided. */
dnnl_status_t convolution_universal(struct plan *plan, const struct window *window, int grouped);

#endif
