/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of the universal matrix product. */
#ifndef LODE_KERNELS_PARAMS_MATMUL_H
#define LODE_KERNELS_PARAMS_MATMUL_H

#include "kernels/params_product.h"

struct matmul_params {
    struct walk walk; /* dst */
    i64 depth;        /* K */
    i64 group;        /* length of the parts of K that have scales of their own; K if there is one scale */
    struct product product;
};

#endif
