/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Planning shared by the universal kernels of convolution, inner product and matrix product; see
 * params_product.h.
 */
#ifndef LODE_PRIMITIVES_PRODUCT_H
#define LODE_PRIMITIVES_PRODUCT_H

#include "primitives/epilogue.h"
#include "kernels/params_product.h"

/* Checks that a universal kernel supports the attributes and layouts; calls plan_skip with the reason if not.
 * Every layout must be known. */
dnnl_status_t product_accepts(const struct plan *plan);

/* True if the problem is in f64, which has separate kernels. */
bool product_is_f64(const struct plan *plan);

/* Number of operations per result. */
dnnl_dim_t product_cost(const struct plan *plan);

/* Integers only: are sums stored unchanged? */
bool product_keeps_integers(const struct epilogue_build *ep);

/* Fills in the block and binds all buffers; sums run along dimension src_dim of src and weights_dim of
 * weights. */
dnnl_status_t product_end(struct epilogue_build *ep, struct launch *launch, struct product *product,
                          int src_dim, int weights_dim);

#endif
