/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of convolution, inner product and matmul: products of src and weights, perhaps with a bias, over all
 * types, shapes, attributes and layouts. A suite says what tells one of them apart from the others.
 */
#ifndef LODE_TESTS_PRIMITIVES_PRODUCT_H
#define LODE_TESTS_PRIMITIVES_PRODUCT_H

#include "primitives/harness.h"

enum { PRODUCT_LAYOUTS = 4 };

struct product_types {
    dnnl_data_type_t src, weights, bias, dst; /* bias 0: there is none */
};

struct product_attr {
    bool quantised;     /* for integers only */
    struct attr_case c; /* weights_mask -1: a scale for each output channel */
};

/* One problem: its tensors. */
struct product {
    struct array src, weights, bias, dst;
    const void *shape;
    int by_channel; /* the mask of scales of weights for each output channel */
};

/* Its layouts; NULL is `any`. */
struct product_tags {
    const char *src, *weights, *bias, *dst;
};

struct product_mds {
    dnnl_memory_desc_t src, weights, bias, dst;
};

struct product_suite {
    int ntypes, nshapes, nattrs;
    int nreal; /* attributes, the first ones, that are tried with numbers that are not exact */
    const struct product_types *types;
    const struct product_attr *attrs;
    struct product (*make)(int shape, const struct product_types *types);
    /* Fills dst, and how far off each result may be where numbers are not exact. */
    void (*reference)(struct product *p, const struct attr_run *run, struct array *tolerance);
    struct product_tags (*tags)(const struct product *p, int layout);
    dnnl_status_t (*create)(dnnl_primitive_desc_t *pd, const struct product *p, const struct product_mds *md,
                            const_dnnl_primitive_attr_t attr);
};

void product_free(struct product *p);
/* Small whole numbers and halves. */
void product_fill(struct product *p, unsigned seed);

/* Products of floats by integers are computed only where the math mode allows it. */
void product_allow(dnnl_primitive_attr_t attr, const struct product *p);

/* A sum in the making; the magnitude is that of the absolute values. */
struct product_sum {
    double value, magnitude;
};
void product_add(struct product_sum *sum, double term);
/* Stores the result at a position of dst, and its tolerance: a chain of n fused steps is off by n * 2^-24 of
 * the magnitude of its terms. What the attributes of the tests add is of size 4 at most and rounded a few
 * times. */
void product_store(struct product *p, const struct attr_run *run, const struct product_sum *sum, double steps,
                   double bias, int64_t channel, const dnnl_dim_t *position, struct array *tolerance);

dnnl_status_t product_create(dnnl_primitive_desc_t *pd, const struct product_suite *suite,
                             const struct product *p, int layout, const_dnnl_primitive_attr_t attr);

/* Every implementation of every problem, on exact numbers; and on others, where they must agree to the bit.
 * Their state is the suite: PRODUCT_TESTS(&suite) in a list of tests. */
void product_numbers(void **state);
void product_real_numbers(void **state);
#define PRODUCT_TESTS(suite)                                                                                 \
    cmocka_unit_test_prestate(product_numbers, (void *)(suite)),                                             \
            cmocka_unit_test_prestate(product_real_numbers, (void *)(suite))

#endif
