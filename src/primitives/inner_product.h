/* SPDX-License-Identifier: Apache-2.0 */
/* The forward pass of inner products as a matmul: implementations and their data. */
#ifndef LODE_PRIMITIVES_INNER_PRODUCT_H
#define LODE_PRIMITIVES_INNER_PRODUCT_H

#include "core/plan.h"

extern const struct direction inner_product_by_matmul;
dnnl_status_t inner_product_build_by_matmul(struct plan *plan);
extern const struct direction inner_product_of_few;
dnnl_status_t inner_product_build_few(struct plan *plan);

#endif
