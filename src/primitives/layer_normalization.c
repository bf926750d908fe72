/* SPDX-License-Identifier: Apache-2.0 */
/* Layer normalisation: its creation functions. Not implemented yet. */
#include "oneapi/dnnl/dnnl.h"
#include "primitives/normalization.h"

static const char component[] = "layer_normalization";
static const unsigned known_flags = dnnl_use_global_stats | dnnl_use_scale | dnnl_use_shift | dnnl_rms_norm;

/* Mean and variance have the dimensions of src except the last. */
static dnnl_status_t check_statistics(const md_t *src, const md_t *statistics) {
    if (md_is_zero(statistics)) return dnnl_success;
    REQUIRE(statistics->ndims == src->ndims - 1, "src has %d dimensions, the statistics %d", src->ndims,
            statistics->ndims);
    for (int d = 0; d < statistics->ndims; d++)
        REQUIRE(statistics->dims[d] == src->dims[d], "the statistics differ from src in dimension %d", d);
    return dnnl_success;
}

static dnnl_status_t check_ndims(const md_t *src) {
    REQUIRE(!src || (src->ndims >= 2 && src->ndims <= 5), "src has %d dimensions", src->ndims);
    return dnnl_success;
}

dnnl_status_t dnnl_layer_normalization_forward_primitive_desc_create_v2(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop, const_dnnl_memory_desc_t src,
        const_dnnl_memory_desc_t dst, const_dnnl_memory_desc_t statistics, dnnl_data_type_t scale_type,
        float epsilon, unsigned flags, const_dnnl_primitive_attr_t attr) {
    struct normalization_request r = {.component = component,
                                      .prop = prop,
                                      .src = src,
                                      .dst = dst,
                                      .statistics = statistics,
                                      .flags = flags,
                                      .known_flags = known_flags};
    (void)epsilon, (void)scale_type;
    TRY(check_ndims(src));
    TRY(check_normalization(&r, true));
    TRY(check_normalization_attr(&r, engine, attr, BIT(dnnl_binary) | BIT(dnnl_eltwise), true));
    return create_nothing(component, pd);
}

dnnl_status_t dnnl_layer_normalization_forward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop, const_dnnl_memory_desc_t src,
        const_dnnl_memory_desc_t dst, const_dnnl_memory_desc_t statistics, float epsilon, unsigned flags,
        const_dnnl_primitive_attr_t attr) {
    return dnnl_layer_normalization_forward_primitive_desc_create_v2(pd, engine, prop, src, dst, statistics,
                                                                     dnnl_f32, epsilon, flags, attr);
}

dnnl_status_t dnnl_layer_normalization_backward_primitive_desc_create_v2(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop,
        const_dnnl_memory_desc_t diff_src, const_dnnl_memory_desc_t diff_dst, const_dnnl_memory_desc_t src,
        const_dnnl_memory_desc_t statistics, dnnl_data_type_t diff_scale_type, dnnl_data_type_t scale_type,
        float epsilon, unsigned flags, const_dnnl_primitive_desc_t hint, const_dnnl_primitive_attr_t attr) {
    struct normalization_request r = {.component = component,
                                      .prop = prop,
                                      .src = src,
                                      .diff_src = diff_src,
                                      .diff_dst = diff_dst,
                                      .statistics = statistics,
                                      .flags = flags,
                                      .known_flags = known_flags};
    (void)epsilon, (void)hint;
    TRY(check_ndims(src));
    TRY(check_normalization(&r, false));
    bool scaled = prop == dnnl_backward && (flags & (dnnl_use_scale | dnnl_use_shift));
    SUPPORT(!scaled || diff_scale_type == scale_type, "scales and gradients of different types");
    TRY(check_statistics(src, statistics));
    TRY(check_normalization_attr(&r, engine, attr, 0, true));
    return create_nothing(component, pd);
}

dnnl_status_t dnnl_layer_normalization_backward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop,
        const_dnnl_memory_desc_t diff_src, const_dnnl_memory_desc_t diff_dst, const_dnnl_memory_desc_t src,
        const_dnnl_memory_desc_t statistics, float epsilon, unsigned flags, const_dnnl_primitive_desc_t hint,
        const_dnnl_primitive_attr_t attr) {
    return dnnl_layer_normalization_backward_primitive_desc_create_v2(pd, engine, prop, diff_src, diff_dst,
                                                                      src, statistics, dnnl_f32, dnnl_f32,
                                                                      epsilon, flags, hint, attr);
}
