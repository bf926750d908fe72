/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of convolution, inner product and matmul: products of src and weights, perhaps with a bias, over all
 * types, shapes, attributes and layouts. A suite holds what differs between them.
 */
#ifndef LODE_TESTS_PRIMITIVES_PRODUCT_H
#define LODE_TESTS_PRIMITIVES_PRODUCT_H

#include "primitives/harness.h"

enum { PRODUCT_LAYOUTS = 4 };

struct product_types {
    dnnl_data_type_t src, weights, bias, dst; /* bias 0: there is none */
};

/* Which numbers an attribute is for: quantisation is for integers and, in some suites, 8-bit floats;
 * functions are not exact, not even on small numbers. */
enum product_numbers { FOR_ALL, FOR_REALS, FOR_INTEGERS };

struct product_attr {
    enum product_numbers numbers; /* those for integers come last in a list */
    struct attr_case c;           /* weights_mask -1: a scale for each output channel */
};

/* One problem: its tensors. */
struct product {
    struct array src, weights, bias, dst;
    struct sum *sums; /* of each element of dst, without zero points; NULL: not known yet */
    const void *shape;
    int channels;   /* the dimension of dst that bias and scales of weights run along */
    int by_channel; /* the mask of scales of weights for each output channel */
    bool rounds;    /* the math mode lets f32 become bf16 */
};

/* Its layouts; NULL is `any`. */
struct product_tags {
    const char *src, *weights, *bias, *dst;
};

/* A row of attributes for real numbers: post-ops of functions, each with an error bound of its own. */
#define PRODUCT_FUNCTIONS                                                                                    \
    {                                                                                                        \
        FOR_REALS, {                                                                                         \
            .name = "functions", .ops = {                                                                    \
                ELTWISE(dnnl_eltwise_linear, 0.75f, -0.25f),                                                 \
                ELTWISE(dnnl_eltwise_tanh, 0, 0),                                                            \
                BINARY(dnnl_binary_mul, 2),                                                                  \
                ELTWISE(dnnl_eltwise_swish, 1.5f, 0),                                                        \
                ELTWISE(dnnl_eltwise_elu, 0.7f, 0),                                                          \
                {.kind = dnnl_sum, .alpha = 0.3f},                                                           \
                ELTWISE(dnnl_eltwise_gelu_erf, 0, 0)                                                         \
            }                                                                                                \
        }                                                                                                    \
    }

struct product_mds {
    dnnl_memory_desc_t src, weights, bias, dst;
};

struct product_suite {
    int ntypes, nshapes, nattrs;
    bool fp8_is_quantised;
    bool rounds; /* the math mode lets f32 become bf16 */
    const struct product_types *types;
    const struct product_attr *attrs;
    struct product (*make)(int shape, const struct product_types *types);
    /* The sum at one position of dst. */
    struct sum (*sum)(const struct product *p, const struct attr_run *run, const dnnl_dim_t *out);
    struct product_tags (*tags)(const struct product *p, int layout);
    dnnl_status_t (*create)(dnnl_primitive_desc_t *pd, const struct product *p, const struct product_mds *md,
                            const_dnnl_primitive_attr_t attr);
};

/* Types of suites that round. */
enum { PRODUCT_ROUNDED = 3 };
extern const struct product_types product_rounded[PRODUCT_ROUNDED];

void product_free(struct product *p);
/* Small whole numbers and halves. */
void product_fill(struct product *p, unsigned seed);

/* The math mode: products of floats by integers are computed only where it allows that. */
void product_allow(dnnl_primitive_attr_t attr, const struct product *p);

/* Fills dst, and how far off each result may be. */
void product_reference(const struct product_suite *suite, struct product *p, const struct attr_run *run,
                       struct array *error);

dnnl_status_t product_create(dnnl_primitive_desc_t *pd, const struct product_suite *suite,
                             const struct product *p, int layout, const_dnnl_primitive_attr_t attr);

/* Does the CPU have matrix tiles, and not pass for a GPU? Then the kernels for them have really run. */
bool product_has_tiles(void);
void product_check_tiles(const char *kernel);

/* Every implementation of every problem on exact numbers, where results must be exact; and on real numbers,
 * within the error bound. Their state is the suite: PRODUCT_TESTS(&suite) in a list of tests. */
void product_exact_numbers(void **state);
void product_real_numbers(void **state);
#define PRODUCT_TESTS(suite)                                                                                 \
    cmocka_unit_test_prestate(product_exact_numbers, (void *)(suite)),                                       \
            cmocka_unit_test_prestate(product_real_numbers, (void *)(suite))

#endif
