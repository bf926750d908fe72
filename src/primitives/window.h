/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows that slide over images, for convolution, deconvolution and pooling. An image is [batch, channels,
 * spatial...] with one to three spatial dimensions; all vectors have one number per spatial dimension.
 */
#ifndef LODE_PRIMITIVES_WINDOW_H
#define LODE_PRIMITIVES_WINDOW_H

#include "kernels/params_window.h"
#include "primitives/check.h"
#include "primitives/image.h"

/* A window along one dimension, as the user gave it. */
struct window_axis {
    dnnl_dim_t src, dst, kernel, stride, dilation, padding_l, padding_r;
};

/* *extent: the distance from the first to the last tap. *places: the number of positions of the window, as
 * oneDNN counts them (a window that extends past the end by less than a stride has one position). False:
 * overflow. */
bool window_extent(const struct window_axis *axis, dnnl_dim_t *extent);
bool window_places(const struct window_axis *axis, dnnl_dim_t *places);

/* The vectors of a window. NULL dilates: none; NULL padding_r: as padding_l. */
struct window_vectors {
    const dnnl_dim_t *kernel, *strides, *dilates, *padding_l, *padding_r;
};
struct window_axis window_axis(const struct window_vectors *window, int i, dnnl_dim_t src, dnnl_dim_t dst);
void problem_set_window(struct problem *problem, const struct window_vectors *window, int nspatial);
/* The window of a problem, for kernels; `src` is the image. */
void window_init(struct window *window, const struct problem *problem, const md_t *src);
/* The window that covers a whole image, for inner products. */
struct window window_over(const md_t *src);
/* The same window with missing dimensions first instead of last. */
struct window window_from_last(const struct window *window, int nspatial);
/* The window of a problem over channels-last images. */
void window_images_init(struct window_images *images, const struct problem *problem, const struct image *src,
                        const struct image *dst);
/* The range: parts of rows of `length` outputs each, rows, batches. */
struct range window_images_range(const struct window_images *images, dnnl_dim_t length, dnnl_dim_t batches);

#endif
