/* SPDX-License-Identifier: Apache-2.0 */
/* Shuffle: its creation functions. Not implemented yet. */
#include "oneapi/dnnl/dnnl.h"
#include "primitives/check.h"

static const char component[] = "shuffle";

static dnnl_status_t create(dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop,
                            const md_t *src, const md_t *dst, int axis, dnnl_dim_t group_size,
                            const attr_t *attr) {
    REQUIRE(src && dst, "an argument is NULL");
    REQUIRE(!prop_is_forward(prop) || !md_is_any(src), "the layout of src is undefined");
    REQUIRE(axis >= 0 && axis < src->ndims, "there is no dimension %d", axis);
    REQUIRE(group_size > 0 && group_size <= src->dims[axis], "bad group size");
    TRY(check_no_host_scalars(component, MDS(src, dst)));
    TRY(check_sizes_known(component, MDS(src, dst)));
    REQUIRE(src->dims[axis] % group_size == 0, "the group size does not divide the dimension");
    TRY(check_same_dims(component, "src", src, "dst", dst));
    TRY(check_no_attr(component, engine, attr));
    return create_nothing(component, pd);
}

dnnl_status_t dnnl_shuffle_forward_primitive_desc_create(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
                                                         dnnl_prop_kind_t prop, const_dnnl_memory_desc_t src,
                                                         const_dnnl_memory_desc_t dst, int axis,
                                                         dnnl_dim_t group_size,
                                                         const_dnnl_primitive_attr_t attr) {
    REQUIRE(prop_is_forward(prop), "not a forward propagation");
    return create(pd, engine, prop, src, dst, axis, group_size, attr);
}

dnnl_status_t dnnl_shuffle_backward_primitive_desc_create(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
                                                          const_dnnl_memory_desc_t diff_src,
                                                          const_dnnl_memory_desc_t diff_dst, int axis,
                                                          dnnl_dim_t group_size,
                                                          const_dnnl_primitive_desc_t hint,
                                                          const_dnnl_primitive_attr_t attr) {
    (void)hint;
    return create(pd, engine, dnnl_backward_data, diff_src, diff_dst, axis, group_size, attr);
}
