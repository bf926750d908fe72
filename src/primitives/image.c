/* SPDX-License-Identifier: Apache-2.0 */
/* Images: see image.h. */
#include "primitives/image.h"

const char *channels_last(int ndims) {
    static const char *const tags[] = {[2] = "ab", [3] = "acb", [4] = "acdb", [5] = "acdeb"};
    return tags[ndims];
}

bool has_dense_channels(const md_t *md) {
    return md_is_plain(md) && (md->dims[1] == 1 || md->blocking.strides[1] == 1);
}

bool is_dense_image(const md_t *md) {
    return md->data_type == dnnl_f32 && has_dense_channels(md);
}

struct image image_of(int arg, const md_t *md) {
    struct image image = {.arg = arg,
                          .offset = md->offset0,
                          .batch = md->dims[0],
                          .channels = md->dims[1],
                          .size = {1, 1, 1},
                          .batch_stride = md->blocking.strides[0],
                          .channel_stride = md->blocking.strides[1]};
    int spatial = md->ndims - 2;
    for (int i = 0; i < spatial; i++) {
        image.size[3 - spatial + i] = md->dims[2 + i];
        image.stride[3 - spatial + i] = md->blocking.strides[2 + i];
    }
    return image;
}

dnnl_dim_t image_end(const struct image *image) {
    dnnl_dim_t last = image->offset + (image->batch - 1) * image->batch_stride
                      + (image->channels - 1) * image->channel_stride;
    for (int i = 0; i < 3; i++)
        last += (image->size[i] - 1) * image->stride[i];
    return last + 1;
}

bool md_is_run(const md_t *md, const char *tag) {
    md_t image = *md, dense;
    image.dims[0] = image.padded_dims[0] = 1;
    if (!md_is_plain(md)
        || md_init_by_string(&dense, md->ndims, image.dims, md->data_type, tag) != dnnl_success)
        return false;
    for (int d = 1; d < md->ndims; d++)
        if (md->dims[d] != 1 && md->blocking.strides[d] != dense.blocking.strides[d]) return false;
    return true;
}
