/* SPDX-License-Identifier: Apache-2.0 */
/* Sum of tensors: its creation function. Not implemented yet. */
#include "oneapi/dnnl/dnnl.h"
#include "primitives/check.h"

static const char component[] = "sum";

static dnnl_status_t check_source(const md_t *first, const md_t *src) {
    REQUIRE(src, "a source is NULL");
    TRY(check_sizes_known(component, MDS(src)));
    REQUIRE(!md_is_any(src), "the layout of a source is undefined");
    return check_same_dims(component, "the first source", first, "another one", src);
}

dnnl_status_t dnnl_sum_primitive_desc_create(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
                                             const_dnnl_memory_desc_t dst, int n, const float *scales,
                                             const_dnnl_memory_desc_t const *srcs,
                                             const_dnnl_primitive_attr_t attr) {
    REQUIRE(pd && srcs && scales && n > 0, "an argument is NULL");
    TRY(check_no_attr(component, engine, attr));
    for (int i = 0; i < n; i++)
        TRY(check_source(srcs[0], srcs[i]));
    if (dst) {
        TRY(check_same_dims(component, "src", srcs[0], "dst", dst));
        REQUIRE(!md_has_runtime_dims_or_strides(dst), "dimensions or strides of dst are run-time values");
    }
    return create_nothing(component, pd);
}
