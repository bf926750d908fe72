/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forward deconvolution against plain loops: shapes x types x attributes x layouts, on every implementation
 * that takes the problem.
 */
#include "primitives/images.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const struct shape shapes[] = {
        {2, 0, 2, 3, 5, {4, 5}, {3, 3}, {1, 1}, {0, 0}, {1, 1}, {1, 1}, true},
        {2, 0, 1, 20, 35, {3, 4}, {4, 4}, {2, 2}, {0, 0}, {1, 1}, {1, 1}, true},
        {2, 0, 2, 17, 33, {3, 2}, {2, 2}, {2, 2}, {0, 0}, {0, 0}, {0, 0}, true},
        {2, 0, 1, 4, 6, {4, 3}, {3, 2}, {2, 3}, {1, 2}, {2, 0}, {1, 1}, true},
        {2, 0, 1, 8, 34, {3, 4}, {3, 5}, {2, 4}, {1, 1}, {2, 3}, {1, 0}, true},
        {2, 0, 1, 5, 20, {3, 3}, {1, 1}, {2, 2}, {0, 0}, {0, 0}, {0, -1}, true}, /* most see no tap */
        {2, 3, 2, 2, 4, {3, 4}, {2, 3}, {1, 2}, {0, 0}, {0, 1}, {1, 0}, true},
        {2, 2, 1, 8, 34, {3, 4}, {4, 3}, {2, 1}, {0, 0}, {1, 1}, {1, 1}, true},
        {2, 0, 1, 17, 34, {3, 16}, {3, 3}, {1, 1}, {0, 0}, {1, 1}, {1, 1}, true},
        {1, 0, 1, 70, 33, {18}, {4}, {2}, {0}, {1}, {1}, true},
        {1, 0, 2, 5, 19, {6}, {4}, {2}, {0}, {1}, {2}, true},
        {1, 2, 1, 4, 18, {5}, {3}, {3}, {2}, {0}, {1}, true},
        {3, 0, 1, 3, 20, {2, 3, 3}, {2, 3, 2}, {1, 2, 2}, {0, 0, 1}, {1, 1, 0}, {0, 1, 1}, true},
        {3, 2, 2, 4, 17, {2, 2, 3}, {3, 1, 4}, {2, 1, 2}, {0, 0, 0}, {1, 0, 1}, {1, 0, 1}, true},
        {2, 0, 0, 2, 3, {4, 4}, {3, 3}, {1, 1}, {0, 0}, {1, 1}, {1, 1}, true}, /* an empty batch */
        {2, 0, 1, 3, 4, {1, 1}, {2, 3}, {7, 5}, {0, 0}, {0, 1}, {1, 1}, true}, /* one result */
        /* depthwise */
        {2, 37, 2, 1, 1, {4, 7}, {4, 4}, {2, 2}, {0, 0}, {1, 1}, {1, 1}, true},
        {2, 17, 1, 1, 1, {3, 9}, {3, 3}, {1, 1}, {0, 1}, {1, 2}, {1, 2}, true},
        {2, 3, 2, 1, 1, {9, 50}, {3, 2}, {1, 1}, {0, 1}, {1, 2}, {2, 1}, true}, /* long rows */
        {2, 33, 1, 1, 1, {2, 5}, {3, 2}, {2, 3}, {1, 0}, {0, 0}, {1, 0}, true},
        {1, 21, 2, 1, 1, {7}, {5}, {3}, {0}, {2}, {1}, true},
        {3, 19, 1, 1, 1, {2, 3, 4}, {2, 3, 3}, {1, 2, 2}, {0, 0, 1}, {1, 1, 2}, {0, 1, 1}, true},
};

static struct product make(int shape, const struct product_types *t) {
    return images_make(&shapes[shape], t);
}

static dnnl_status_t create(dnnl_primitive_desc_t *pd, const struct product *p, const struct product_mds *md,
                            const_dnnl_primitive_attr_t attr) {
    const struct shape *s = p->shape;
    return dnnl_deconvolution_forward_primitive_desc_create(
            pd, test_engine(), dnnl_forward_inference, dnnl_deconvolution_direct, md->src, md->weights,
            md->bias, md->dst, s->stride, s->dilation, s->left, s->right, attr);
}

static const struct product_suite suite = {.ntypes = IMAGES_TYPES,
                                           .nshapes = COUNT(shapes),
                                           .nattrs = DECONVOLUTION_ATTRS,
                                           .types = images_types,
                                           .attrs = images_attrs,
                                           .make = make,
                                           .sum = images_sum,
                                           .tags = images_tags,
                                           .create = create};

int main(void) {
    const struct CMUnitTest tests[] = {PRODUCT_TESTS(&suite)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
