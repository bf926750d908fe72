/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forward convolution against plain loops: shapes x types x attributes x layouts, on every implementation
 * that takes the problem.
 */
#include "primitives/images.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const struct shape shapes[] = {
        {2, 0, 2, 3, 5, {7, 6}, {3, 3}, {1, 1}, {0, 0}, {1, 1}, {1, 1}, false},
        {2, 0, 1, 17, 33, {5, 5}, {1, 1}, {1, 1}, {0, 0}, {0, 0}, {0, 0}, false},
        {2, 0, 1, 4, 6, {9, 11}, {3, 2}, {2, 3}, {1, 2}, {2, 0}, {1, 3}, false},
        {2, 3, 2, 2, 4, {6, 5}, {2, 3}, {1, 2}, {0, 0}, {0, 1}, {1, 0}, false},
        {2, 8, 1, 1, 1, {6, 6}, {3, 3}, {1, 1}, {1, 1}, {2, 2}, {2, 2}, false},
        {1, 0, 2, 5, 3, {12}, {4}, {2}, {0}, {1}, {2}, false},
        {1, 2, 1, 3, 2, {9}, {3}, {1}, {2}, {0}, {0}, false},
        {3, 0, 1, 3, 4, {4, 5, 6}, {2, 3, 2}, {1, 2, 1}, {0, 0, 1}, {1, 1, 0}, {0, 1, 1}, false},
        {3, 2, 2, 2, 3, {3, 3, 4}, {3, 1, 2}, {1, 1, 2}, {0, 0, 0}, {1, 0, 0}, {1, 0, 0}, false},
        {2, 0, 1, 2, 3, {2, 3}, {3, 4}, {2, 2}, {0, 0}, {0, 0}, {0, 0}, false}, /* a window larger than the
                                                                                   image */
        {2, 0, 0, 2, 3, {4, 4}, {3, 3}, {1, 1}, {0, 0}, {1, 1}, {1, 1}, false}, /* an empty batch */
        {2, 1, 1, 16, 32, {8, 8}, {3, 3}, {1, 1}, {0, 0}, {1, 1}, {1, 1}, false},
        {2, 0, 1, 20, 70, {5, 7}, {3, 3}, {1, 1}, {0, 0}, {1, 1}, {1, 1}, false},
        {2, 2, 2, 6, 34, {5, 6}, {1, 2}, {1, 1}, {0, 0}, {0, 0}, {0, 0}, false},
        {2, 0, 1, 8, 33, {9, 4}, {3, 1}, {1, 1}, {0, 0}, {1, 0}, {1, 0}, false}, /* padding, and dense rows */
        /* enough inputs for padding to be left out instead of copied */
        {2, 0, 1, 17, 34, {3, 33}, {3, 5}, {1, 2}, {0, 0}, {1, 3}, {1, 2}, false},
        {2, 2, 1, 16, 20, {4, 19}, {3, 3}, {1, 1}, {1, 1}, {2, 2}, {2, 2}, false},
        {2, 0, 1, 128, 32, {2, 6}, {2, 3}, {1, 1}, {0, 0}, {1, 5}, {0, 4}, false}, /* and some columns see no
                                                                                      tap */
        {2, 0, 1, 16, 33, {4, 8}, {1, 3}, {1, 1}, {0, 0}, {1, 1}, {1, 1}, false},  /* and some rows */
        {2, 0, 1, 16, 40, {3, 33}, {3, 3}, {1, 1}, {0, 0}, {1, 1}, {1, 1}, false}, /* many tiles */
        {2, 0, 1, 17, 33, {5, 31}, {3, 3}, {2, 2}, {0, 0}, {1, 1}, {1, 1}, false},
        {3, 0, 1, 16, 33, {2, 2, 8}, {3, 3, 3}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}, {1, 1, 1}, false},
        /* several steps of matrix tiles with a rest, and tiles at both borders */
        {2, 0, 1, 70, 33, {2, 17}, {1, 3}, {1, 1}, {0, 0}, {0, 1}, {0, 1}, false},
        {2, 2, 1, 34, 5, {3, 37}, {2, 5}, {2, 2}, {0, 1}, {1, 4}, {0, 4}, false},
        {1, 0, 2, 66, 40, {18}, {3}, {1}, {0}, {1}, {1}, false},
        /* depthwise */
        {2, 37, 2, 1, 1, {6, 13}, {3, 3}, {1, 1}, {0, 0}, {1, 1}, {1, 1}, false},
        {2, 48, 1, 1, 1, {7, 20}, {3, 5}, {2, 2}, {0, 1}, {1, 4}, {2, 3}, false},
        {2, 24, 1, 1, 1, {6, 33}, {3, 3}, {2, 2}, {0, 0}, {1, 1}, {1, 1}, false},
        {2, 17, 1, 1, 1, {2, 45}, {1, 3}, {1, 1}, {0, 0}, {0, 0}, {0, 1}, false},
        {2, 273, 2, 1, 1, {3, 5}, {3, 2}, {1, 1}, {0, 0}, {1, 1}, {1, 0}, false},
        {2, 33, 1, 1, 1, {3, 2}, {3, 3}, {1, 1}, {2, 1}, {4, 3}, {4, 5}, false}, /* some windows see only
                                                                                    padding */
        {2, 40, 1, 1, 1, {5, 15}, {5, 5}, {1, 1}, {0, 0}, {2, 2}, {2, 2}, false},
        {2, 18, 2, 1, 1, {6, 17}, {5, 5}, {2, 2}, {0, 0}, {2, 2}, {1, 2}, false},
        {2, 33, 1, 1, 1, {4, 10}, {7, 7}, {1, 1}, {0, 0}, {3, 3}, {3, 3}, false},
        /* rows that are long enough to be computed with the channels first */
        {2, 5, 2, 1, 1, {9, 50}, {3, 3}, {2, 1}, {0, 1}, {1, 2}, {2, 2}, false},
        {2, 3, 1, 1, 1, {34, 49}, {3, 3}, {1, 1}, {0, 0}, {1, 1}, {1, 0}, false},
        {1, 21, 2, 1, 1, {15}, {4}, {1}, {0}, {2}, {1}, false},
        {3, 20, 1, 1, 1, {3, 3, 12}, {3, 3, 3}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}, {1, 1, 1}, false},
        {3, 19, 1, 1, 1, {3, 4, 9}, {2, 3, 3}, {1, 2, 1}, {0, 0, 1}, {1, 1, 2}, {1, 1, 2}, false},
};

static struct product make(int shape, const struct product_types *t) {
    return images_make(&shapes[shape], t);
}

static dnnl_status_t create(dnnl_primitive_desc_t *pd, const struct product *p, const struct product_mds *md,
                            const_dnnl_primitive_attr_t attr) {
    const struct shape *s = p->shape;
    return dnnl_convolution_forward_primitive_desc_create(
            pd, test_engine(), dnnl_forward_inference, dnnl_convolution_direct, md->src, md->weights,
            md->bias, md->dst, s->stride, s->dilation, s->left, s->right, attr);
}

static const struct product_suite suite = {.ntypes = IMAGES_TYPES,
                                           .nshapes = COUNT(shapes),
                                           .nattrs = IMAGES_ATTRS,
                                           .fp8_is_quantised = true,
                                           .types = images_types,
                                           .attrs = images_attrs,
                                           .make = make,
                                           .sum = images_sum,
                                           .tags = images_tags,
                                           .create = create};

/* Large enough to be rounded to bf16 where the math mode allows it. */
static const struct shape rounded_shapes[] = {
        {2, 0, 1, 34, 40, {9, 11}, {3, 3}, {1, 1}, {0, 0}, {1, 1}, {1, 1}, false},
        {2, 2, 2, 32, 33, {9, 12}, {3, 2}, {2, 1}, {0, 1}, {2, 0}, {0, 3}, false},
};

static struct product make_rounded(int shape, const struct product_types *t) {
    return images_make(&rounded_shapes[shape], t);
}

static const struct product_suite rounded_suite = {.ntypes = PRODUCT_ROUNDED,
                                                   .nshapes = COUNT(rounded_shapes),
                                                   .nattrs = 4,
                                                   .rounds = true,
                                                   .types = product_rounded,
                                                   .attrs = images_attrs,
                                                   .make = make_rounded,
                                                   .sum = images_sum,
                                                   .tags = images_tags,
                                                   .create = create};

int main(void) {
    const struct CMUnitTest tests[] = {PRODUCT_TESTS(&suite), PRODUCT_TESTS(&rounded_suite)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
