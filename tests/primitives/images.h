/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of convolution and deconvolution share: shapes, layouts and the plain loop. */
#ifndef LODE_TESTS_PRIMITIVES_IMAGES_H
#define LODE_TESTS_PRIMITIVES_IMAGES_H

#include "primitives/product.h"

struct shape {
    int nspatial, groups;              /* groups 0: weights have no such dimension */
    dnnl_dim_t batch, inputs, outputs; /* channels of a group */
    dnnl_dims_t in, kernel, stride, dilation, left, right;
    bool transposed; /* a deconvolution */
};

/* For all backward passes. Sizes have their forward names. */
enum { BACKWARD_SHAPES = 40 };
extern const struct shape backward_shapes[BACKWARD_SHAPES];

/* Types and attributes of forward passes. The last attributes are for convolutions alone. */
enum { IMAGES_TYPES = 21, IMAGES_ATTRS = 16, DECONVOLUTION_ATTRS = IMAGES_ATTRS - 2 };
extern const struct product_types images_types[IMAGES_TYPES];
extern const struct product_attr images_attrs[IMAGES_ATTRS];

/* Members of struct product_suite. */
struct product images_make(const struct shape *shape, const struct product_types *types);
struct sum images_sum(const struct product *p, const struct attr_run *run, const dnnl_dim_t *out);
struct product_tags images_tags(const struct product *p, int layout);

/* The loop below every position of dst: the sizes of input channels and window, and for one tap the positions
 * of src and weights that it multiplies. False: it is outside src. */
void images_taps(const struct shape *shape, dnnl_dim_t *taps);
bool images_tap(const struct shape *shape, const dnnl_dim_t *out, const dnnl_dim_t *tap, dnnl_dim_t *src,
                dnnl_dim_t *weights);

#endif
