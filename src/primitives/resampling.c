/* SPDX-License-Identifier: Apache-2.0 */
/* Resampling: its creation functions. Not implemented yet. */
#include "oneapi/dnnl/dnnl.h"
#include "primitives/check.h"

static const char component[] = "resampling";

/* Tensors have their forward names. Without dst, its sizes follow from the factors. */
static dnnl_status_t check(dnnl_prop_kind_t prop, dnnl_alg_kind_t alg, const float *factors, const md_t *src,
                           const md_t *dst) {
    REQUIRE(alg == dnnl_resampling_nearest || alg == dnnl_resampling_linear, "unknown algorithm");
    REQUIRE(src && (dst || factors), "an argument is NULL");
    REQUIRE(src->ndims >= 3 && src->ndims <= 5, "src has %d dimensions", src->ndims);
    TRY(check_no_host_scalars(component, MDS(src, dst)));
    REQUIRE(!prop_is_forward(prop) || !md_is_any(src), "the layout of src is undefined");
    REQUIRE(!md_has_runtime_dims_or_strides(src), "dimensions or strides of src are run-time values");
    if (!dst) return dnnl_success;
    REQUIRE(!md_has_runtime_dims_or_strides(dst), "dimensions or strides of dst are run-time values");
    REQUIRE(src->ndims == dst->ndims, "src has %d dimensions, dst %d", src->ndims, dst->ndims);
    REQUIRE(src->dims[0] == dst->dims[0] && src->dims[1] == dst->dims[1],
            "batch or channels of src differ from those of dst");
    return dnnl_success;
}

dnnl_status_t dnnl_resampling_forward_primitive_desc_create(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
                                                            dnnl_prop_kind_t prop, dnnl_alg_kind_t alg,
                                                            const float *factors,
                                                            const_dnnl_memory_desc_t src,
                                                            const_dnnl_memory_desc_t dst,
                                                            const_dnnl_primitive_attr_t attr) {
    static const struct attr_rules rules = {
            .parts = ATTR_POST_OPS,
            .post_ops = BIT(dnnl_binary) | BIT(dnnl_eltwise) | BIT(dnnl_sum),
    };
    REQUIRE(prop_is_forward(prop), "not a forward propagation");
    TRY(check(prop, alg, factors, src, dst));
    TRY(check_attr(component, engine, attr, &rules));
    TRY(check_post_ops(component, engine, attr, &rules, dst ? dst : src));
    return create_nothing(component, pd);
}

dnnl_status_t dnnl_resampling_backward_primitive_desc_create(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
                                                             dnnl_alg_kind_t alg, const float *factors,
                                                             const_dnnl_memory_desc_t diff_src,
                                                             const_dnnl_memory_desc_t diff_dst,
                                                             const_dnnl_primitive_desc_t hint,
                                                             const_dnnl_primitive_attr_t attr) {
    (void)hint;
    TRY(check(dnnl_backward_data, alg, factors, diff_src, diff_dst));
    TRY(check_no_attr(component, engine, attr));
    return create_nothing(component, pd);
}
