/* SPDX-License-Identifier: Apache-2.0 */
/* The forward pass of inner products as a matmul: an implementation and its data. */
#ifndef LODE_PRIMITIVES_INNER_PRODUCT_H
#define LODE_PRIMITIVES_INNER_PRODUCT_H

#include "core/plan.h"

extern const struct direction inner_product_by_matmul;
dnnl_status_t inner_product_build_by_matmul(struct plan *plan);

#endif
