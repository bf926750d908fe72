/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which implementations each kind of primitive has. A table runs from best to plainest and ends with a row
 * without a name. To add a primitive: one file, one line here, one row in primitives.c.
 */
#ifndef LODE_PRIMITIVES_PRIMITIVES_H
#define LODE_PRIMITIVES_PRIMITIVES_H

#include "core/plan.h"

extern const struct implementation convolution_implementations[];
extern const struct implementation eltwise_implementations[];
extern const struct implementation inner_product_implementations[];
extern const struct implementation lrn_implementations[];
extern const struct implementation matmul_implementations[];
extern const struct implementation pooling_implementations[];
extern const struct implementation reorder_implementations[];
extern const struct implementation softmax_implementations[];

/* The table of a kind; an empty one for kinds that have no implementation. */
const struct implementation *primitive_implementations(dnnl_primitive_kind_t kind);

#endif
