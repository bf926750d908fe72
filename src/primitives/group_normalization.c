/* SPDX-License-Identifier: Apache-2.0 */
/* Group normalisation: its creation functions. Not implemented yet. */
#include "oneapi/dnnl/dnnl.h"
#include "primitives/normalization.h"

static const char component[] = "group_normalization";
static const unsigned known_flags = dnnl_use_global_stats | dnnl_use_scale | dnnl_use_shift;

static dnnl_status_t check_groups(const md_t *src, dnnl_dim_t groups) {
    REQUIRE(!src || (groups > 0 && groups <= src->dims[1] && src->dims[1] % groups == 0),
            "channels cannot be divided into %lld groups", (long long)groups);
    return dnnl_success;
}

dnnl_status_t dnnl_group_normalization_forward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop, const_dnnl_memory_desc_t src,
        const_dnnl_memory_desc_t dst, dnnl_dim_t groups, float epsilon, unsigned flags,
        const_dnnl_primitive_attr_t attr) {
    struct normalization_request r = {.component = component,
                                      .prop = prop,
                                      .src = src,
                                      .dst = dst,
                                      .flags = flags,
                                      .known_flags = known_flags};
    (void)epsilon;
    TRY(check_groups(src, groups));
    TRY(check_normalization(&r, true));
    TRY(check_normalization_attr(&r, engine, attr, BIT(dnnl_binary) | BIT(dnnl_eltwise), true));
    return create_nothing(component, pd);
}

dnnl_status_t dnnl_group_normalization_backward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop,
        const_dnnl_memory_desc_t diff_src, const_dnnl_memory_desc_t diff_dst, const_dnnl_memory_desc_t src,
        dnnl_dim_t groups, float epsilon, unsigned flags, const_dnnl_primitive_desc_t hint,
        const_dnnl_primitive_attr_t attr) {
    struct normalization_request r = {.component = component,
                                      .prop = prop,
                                      .src = src,
                                      .diff_src = diff_src,
                                      .diff_dst = diff_dst,
                                      .flags = flags,
                                      .known_flags = known_flags};
    (void)epsilon, (void)hint;
    TRY(check_groups(src, groups));
    TRY(check_normalization(&r, false));
    TRY(check_normalization_attr(&r, engine, attr, 0, true));
    return create_nothing(component, pd);
}
