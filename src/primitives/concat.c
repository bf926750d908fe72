/* SPDX-License-Identifier: Apache-2.0 */
/* Concatenation: its creation function. Not implemented yet. */
#include "oneapi/dnnl/dnnl.h"
#include "primitives/check.h"

static const char component[] = "concat";

static dnnl_status_t check_scales(const attr_t *attr, int n) {
    for (int i = 0; attr && i < attr->scales.count; i++) {
        const struct quant *scale = &attr->scales.entries[i];
        bool source = scale->arg >= DNNL_ARG_MULTIPLE_SRC && scale->arg < DNNL_ARG_MULTIPLE_SRC + n;
        SUPPORT(source && scale->mask == 0, "scales other than one value per source");
    }
    return dnnl_success;
}

/* Adds the size of a source along the axis; all other dimensions must be those of the first source. */
static dnnl_status_t check_source(const md_t *first, const md_t *src, int axis, dnnl_dim_t *extent) {
    REQUIRE(src->ndims == first->ndims, "sources have %d and %d dimensions", first->ndims, src->ndims);
    REQUIRE(!md_is_any(src), "the layout of a source is undefined");
    TRY(check_sizes_known(component, MDS(src)));
    for (int d = 0; d < src->ndims; d++)
        REQUIRE(d == axis || src->dims[d] == first->dims[d], "sources differ in dimension %d", d);
    REQUIRE(src->data_type == first->data_type, "sources differ in type");
    REQUIRE(!__builtin_add_overflow(*extent, src->dims[axis], extent), "sources are too long");
    return dnnl_success;
}

static dnnl_status_t check_dst(const md_t *first, const md_t *dst, int axis, dnnl_dim_t extent) {
    REQUIRE(dst->ndims == first->ndims, "sources have %d dimensions, dst %d", first->ndims, dst->ndims);
    REQUIRE(!md_has_runtime_dims_or_strides(dst), "dimensions or strides of dst are run-time values");
    for (int d = 0; d < dst->ndims; d++)
        REQUIRE(dst->dims[d] == (d == axis ? extent : first->dims[d]), "dst differs in dimension %d", d);
    return dnnl_success;
}

dnnl_status_t dnnl_concat_primitive_desc_create(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
                                                const_dnnl_memory_desc_t dst, int n, int axis,
                                                const_dnnl_memory_desc_t const *srcs,
                                                const_dnnl_primitive_attr_t attr) {
    static const struct attr_rules rules = {.parts = ATTR_SCALES};
    REQUIRE(pd && srcs && n > 0, "an argument is NULL");
    TRY(check_attr(component, engine, attr, &rules));
    TRY(check_scales(attr, n));
    for (int i = 0; i < n; i++)
        REQUIRE(srcs[i], "a source is NULL");
    TRY(check_sizes_known(component, MDS(srcs[0])));
    REQUIRE(axis >= 0 && axis < srcs[0]->ndims, "there is no dimension %d", axis);
    dnnl_dim_t extent = 0;
    for (int i = 0; i < n; i++)
        TRY(check_source(srcs[0], srcs[i], axis, &extent));
    if (dst) TRY(check_dst(srcs[0], dst, axis, extent));
    return create_nothing(component, pd);
}
