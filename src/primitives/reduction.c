/* SPDX-License-Identifier: Apache-2.0 */
/* Reduction: its creation function. Not implemented yet. */
#include "oneapi/dnnl/dnnl.h"
#include "primitives/check.h"

#include <math.h>

static const char component[] = "reduction";

static bool alg_is_norm(dnnl_alg_kind_t alg) {
    return alg == dnnl_reduction_norm_lp_max || alg == dnnl_reduction_norm_lp_sum
           || alg == dnnl_reduction_norm_lp_power_p_max || alg == dnnl_reduction_norm_lp_power_p_sum;
}

static bool alg_is_known(dnnl_alg_kind_t alg) {
    return alg == dnnl_reduction_max || alg == dnnl_reduction_min || alg == dnnl_reduction_sum
           || alg == dnnl_reduction_mul || alg == dnnl_reduction_mean || alg_is_norm(alg);
}

static dnnl_status_t check(dnnl_alg_kind_t alg, const md_t *src, const md_t *dst, float p) {
    REQUIRE(src && dst, "an argument is NULL");
    REQUIRE(!md_is_any(src), "the layout of src is undefined");
    REQUIRE(alg_is_known(alg), "unknown algorithm");
    REQUIRE(!alg_is_norm(alg) || (p >= 1 && !isinf(p)), "p is %g", (double)p);
    REQUIRE(!alg_is_norm(alg) || in_set(BIT(dnnl_f32) | BIT(dnnl_bf16) | BIT(dnnl_f16), src->data_type),
            "a norm of integers");
    TRY(check_no_host_scalars(component, MDS(src, dst)));
    REQUIRE(src->ndims == dst->ndims, "src has %d dimensions, dst %d", src->ndims, dst->ndims);
    for (int d = 0; d < src->ndims; d++)
        REQUIRE(dst->dims[d] == 1 || dst->dims[d] == src->dims[d], "dimension %d is neither kept nor reduced",
                d);
    REQUIRE(!md_same_dims(src, dst), "no dimension is reduced");
    REQUIRE(md_is_blocked(src) && (md_is_blocked(dst) || md_is_any(dst)), "a layout is not blocked");
    return dnnl_success;
}

dnnl_status_t dnnl_reduction_primitive_desc_create(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
                                                   dnnl_alg_kind_t alg, const_dnnl_memory_desc_t src,
                                                   const_dnnl_memory_desc_t dst, float p, float eps,
                                                   const_dnnl_primitive_attr_t attr) {
    static const struct attr_rules rules = {
            .parts = ATTR_POST_OPS,
            .post_ops = BIT(dnnl_binary) | BIT(dnnl_eltwise) | BIT(dnnl_sum),
    };
    (void)eps;
    TRY(check(alg, src, dst, p));
    TRY(check_attr(component, engine, attr, &rules));
    TRY(check_post_ops(component, engine, attr, &rules, dst));
    return create_nothing(component, pd);
}
