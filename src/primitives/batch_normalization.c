/* SPDX-License-Identifier: Apache-2.0 */
/* Batch normalisation: its creation functions. Not implemented yet. */
#include "oneapi/dnnl/dnnl.h"
#include "primitives/normalization.h"

static const char component[] = "batch_normalization";
static const unsigned known_flags = dnnl_use_global_stats | dnnl_use_scale | dnnl_use_shift
                                    | dnnl_fuse_norm_relu | dnnl_fuse_norm_add_relu;

dnnl_status_t dnnl_batch_normalization_forward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop, const_dnnl_memory_desc_t src,
        const_dnnl_memory_desc_t dst, float epsilon, unsigned flags, const_dnnl_primitive_attr_t attr) {
    struct normalization_request r = {.component = component,
                                      .prop = prop,
                                      .src = src,
                                      .dst = dst,
                                      .flags = flags,
                                      .known_flags = known_flags};
    (void)epsilon;
    TRY(check_normalization(&r, true));
    TRY(check_normalization_attr(&r, engine, attr, BIT(dnnl_eltwise), false));
    return create_nothing(component, pd);
}

dnnl_status_t dnnl_batch_normalization_backward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop,
        const_dnnl_memory_desc_t diff_src, const_dnnl_memory_desc_t diff_dst, const_dnnl_memory_desc_t src,
        float epsilon, unsigned flags, const_dnnl_primitive_desc_t hint, const_dnnl_primitive_attr_t attr) {
    struct normalization_request r = {.component = component,
                                      .prop = prop,
                                      .src = src,
                                      .diff_src = diff_src,
                                      .diff_dst = diff_dst,
                                      .flags = flags,
                                      .known_flags = known_flags};
    (void)epsilon, (void)hint;
    TRY(check_normalization(&r, false));
    TRY(check_normalization_attr(&r, engine, attr, 0, false));
    return create_nothing(component, pd);
}
