/* SPDX-License-Identifier: Apache-2.0 */
/* The one list of primitives that can be computed. */
#include "primitives/primitives.h"

static const struct implementation none[] = {{NULL, NULL, NULL}};

static const struct {
    dnnl_primitive_kind_t kind;
    const struct implementation *implementations;
} kinds[] = {
        {dnnl_convolution, convolution_implementations},
        {dnnl_eltwise, eltwise_implementations},
        {dnnl_inner_product, inner_product_implementations},
        {dnnl_lrn, lrn_implementations},
        {dnnl_matmul, matmul_implementations},
        {dnnl_pooling, pooling_implementations},
        {dnnl_reorder, reorder_implementations},
        {dnnl_softmax, softmax_implementations},
};

const struct implementation *primitive_implementations(dnnl_primitive_kind_t kind) {
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (kinds[i].kind == kind) return kinds[i].implementations;
    return none;
}
