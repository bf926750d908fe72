/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recurrent product, the skeleton of an RNN: h[0] = x * A, then h[t] = (h[t - 1] * B) * A for every further
 * step. A plan of two packing launches, one product and a loop of two, built on the library's own matrix
 * products. Not a primitive: tests make it from their own table of implementations.
 */
#ifndef LODE_TESTS_PROGRAM_RECURRENT_H
#define LODE_TESTS_PROGRAM_RECURRENT_H

#include "core/objects.h"

struct recurrent {
    dnnl_dim_t batch, size, steps;
};

/* A descriptor of its primitive. Arguments: DNNL_ARG_SRC is x (batch, size), DNNL_ARG_WEIGHTS_0 and _1 are A
 * and B (size, size), DNNL_ARG_DST is h (steps, batch, size). dnnl_unimplemented: not on this device. */
dnnl_status_t recurrent_desc_create(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
                                    const struct recurrent *r);

#endif
