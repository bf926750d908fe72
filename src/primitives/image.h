/* SPDX-License-Identifier: Apache-2.0 */
/* Activations as images: what the kernels for them see of a descriptor. */
#ifndef LODE_PRIMITIVES_IMAGE_H
#define LODE_PRIMITIVES_IMAGE_H

#include "core/memory_desc.h"

/* The layout [batch, spatial..., channels] of an image with 2 to 5 dimensions, for md_set_any. */
const char *channels_last(int ndims);

/* f32 whose channels lie together? */
bool is_dense_image(const md_t *md);

/* Tensors in the order batch, three spatial sizes, channels; missing spatial sizes are 1 in front. */
struct image {
    int arg;
    dnnl_dim_t offset;
    dnnl_dim_t batch, size[3], channels;
    dnnl_dim_t batch_stride, stride[3], channel_stride;
};
/* The descriptor of an execution argument (plain layout). */
struct image image_of(int arg, const md_t *md);
/* The offset behind its last element. */
dnnl_dim_t image_end(const struct image *image);

#endif
