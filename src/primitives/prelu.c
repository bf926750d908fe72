/* SPDX-License-Identifier: Apache-2.0 */
/* Parametric ReLU: its creation functions. Not implemented yet. */
#include "oneapi/dnnl/dnnl.h"
#include "primitives/check.h"

static const char component[] = "prelu";

/* Checks for both directions; `images` are the other tensors that have the shape of src; the sizes of `known`
 * must not be run-time values. */
static dnnl_status_t check(const md_t *src, const md_t *weights, struct md_list images, struct md_list known,
                           bool forward) {
    REQUIRE(src && weights, "an argument is NULL");
    for (int i = 0; i < images.count; i++)
        REQUIRE(images.mds[i], "an argument is NULL");
    REQUIRE(!forward || !md_is_any(src), "the layout of src is undefined");
    TRY(check_no_host_scalars(component, MDS(src, weights)));
    TRY(check_no_host_scalars(component, images));
    TRY(check_sizes_known(component, known));
    REQUIRE(src->ndims <= 5 && src->ndims == weights->ndims, "src has %d dimensions, weights %d", src->ndims,
            weights->ndims);
    for (int d = 0; d < src->ndims; d++)
        REQUIRE(weights->dims[d] == 1 || weights->dims[d] == src->dims[d],
                "dimension %d of weights does not broadcast", d);
    for (int i = 0; i < images.count; i++)
        TRY(check_same_dims(component, "src", src, "another tensor", images.mds[i]));
    return dnnl_success;
}

dnnl_status_t dnnl_prelu_forward_primitive_desc_create(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
                                                       dnnl_prop_kind_t prop, const_dnnl_memory_desc_t src,
                                                       const_dnnl_memory_desc_t weights,
                                                       const_dnnl_memory_desc_t dst,
                                                       const_dnnl_primitive_attr_t attr) {
    REQUIRE(prop_is_forward(prop), "not a forward propagation");
    TRY(check(src, weights, MDS(dst), MDS(src, weights), true));
    TRY(check_no_attr(component, engine, attr));
    return create_nothing(component, pd);
}

dnnl_status_t dnnl_prelu_backward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, const_dnnl_memory_desc_t src,
        const_dnnl_memory_desc_t weights, const_dnnl_memory_desc_t diff_src,
        const_dnnl_memory_desc_t diff_weights, const_dnnl_memory_desc_t diff_dst,
        const_dnnl_primitive_desc_t hint, const_dnnl_primitive_attr_t attr) {
    (void)hint;
    REQUIRE(diff_weights, "an argument is NULL");
    TRY(check_no_host_scalars(component, MDS(diff_weights)));
    TRY(check(src, weights, MDS(diff_src, diff_dst), MDS(src, weights, diff_src, diff_weights), false));
    TRY(check_no_attr(component, engine, attr));
    return create_nothing(component, pd);
}
