/* SPDX-License-Identifier: Apache-2.0 */
/* Activations as images: the part of a descriptor that image kernels need. */
#ifndef LODE_PRIMITIVES_IMAGE_H
#define LODE_PRIMITIVES_IMAGE_H

#include "core/memory_desc.h"

/* The layout [batch, spatial..., channels] of an image with 2 to 5 dimensions, for md_set_any. */
const char *channels_last(int ndims);

bool has_dense_channels(const md_t *md);
/* Is it f32 with dense channels? */
bool is_dense_image(const md_t *md);

/* Is what follows the first dimension one dense run in this order? */
bool md_is_run(const md_t *md, const char *tag);

/* A tensor in the order batch, three spatial sizes, channels; missing spatial sizes come first and are 1. */
struct image {
    int arg;
    dnnl_dim_t offset;
    dnnl_dim_t batch, size[3], channels;
    dnnl_dim_t batch_stride, stride[3], channel_stride;
};
/* The image of an execution argument, which must have a plain layout. */
struct image image_of(int arg, const md_t *md);
/* One past the offset of its last element. */
dnnl_dim_t image_end(const struct image *image);

#endif
