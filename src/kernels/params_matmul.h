/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of the universal matrix product. */
#ifndef LODE_KERNELS_PARAMS_MATMUL_H
#define LODE_KERNELS_PARAMS_MATMUL_H

#include "kernels/params_product.h"

struct matmul_params {
    struct walk walk; /* dst */
    i64 depth;        /* K */
    i64 group;        /* parts of K with scales of their own have this length; K if all have the same */
    struct product product;
};

#endif
