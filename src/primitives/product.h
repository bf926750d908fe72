/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Planning for the universal kernels of convolution, inner product and matrix product: what they share, as
 * params_product.h has it.
 */
#ifndef LODE_PRIMITIVES_PRODUCT_H
#define LODE_PRIMITIVES_PRODUCT_H

#include "primitives/epilogue.h"
#include "kernels/params_product.h"

/* Are attributes and layouts such that a universal kernel takes them? Says why not with plan_skip. Every
 * layout must have been decided. */
dnnl_status_t product_accepts(const struct plan *plan);

/* True if the problem is in f64, which kernels of their own compute. */
bool product_is_f64(const struct plan *plan);

/* Operations that one result takes. */
dnnl_dim_t product_cost(const struct plan *plan);

/* Integers only: do sums go to dst as they are? */
bool product_keeps_integers(const struct epilogue_build *ep);

/* Fills in the block and binds all buffers; sums run along dimension src_dim of src and weights_dim of
 * weights. */
dnnl_status_t product_end(struct epilogue_build *ep, struct launch *launch, struct product *product,
                          int src_dim, int weights_dim);

#endif
