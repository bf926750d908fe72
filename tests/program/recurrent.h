/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recurrent product, the skeleton of an LSTM: several layers in one or both directions over many steps.
 * Each layer and direction computes h[t] = in[t] * A        in one product for all steps, of which the first
 * step stays h[t] = (h[t'] * B) * A  for every further step t in order, t' being the step before it where
 * `in` is x for the first layer and h of the layer below, in the same direction, for the others. Built on the
 * library's own matrix products; not a primitive: tests and benchmarks make it from a table of their own.
 */
#ifndef LODE_TESTS_PROGRAM_RECURRENT_H
#define LODE_TESTS_PROGRAM_RECURRENT_H

#include "core/objects.h"

struct recurrent {
    dnnl_dim_t layers, directions, steps, batch, size;
};

/* A descriptor of its primitive. Arguments: DNNL_ARG_SRC is x (steps, batch, size), DNNL_ARG_WEIGHTS_0 and _1
 * are A and B (layers, directions, size, size), DNNL_ARG_DST is h (layers, directions, steps, batch, size).
 * dnnl_unimplemented: not on this device. */
dnnl_status_t recurrent_desc_create(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
                                    const struct recurrent *r);

#endif
