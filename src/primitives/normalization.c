/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of normalisations: see normalization.h. */
#include "primitives/normalization.h"

static dnnl_status_t check_tensors(const struct normalization_request *r, bool forward) {
    const char *component = r->component;
    REQUIRE(r->src, "an argument is NULL");
    REQUIRE((r->flags & ~r->known_flags) == 0, "unknown flags %#x", r->flags);
    REQUIRE(forward ? r->dst != NULL : r->diff_src && r->diff_dst, "an argument is NULL");
    REQUIRE(!forward || !md_is_any(r->src), "the layout of src is undefined");
    TRY(check_no_host_scalars(component, MDS(r->src, r->dst, r->statistics, r->diff_src, r->diff_dst)));
    return check_sizes_known(component, MDS(r->src, r->dst, r->statistics, r->diff_src, r->diff_dst));
}

dnnl_status_t check_normalization(const struct normalization_request *r, bool forward) {
    const char *component = r->component;
    REQUIRE(forward ? prop_is_forward(r->prop) : r->prop == dnnl_backward || r->prop == dnnl_backward_data,
            "bad propagation kind");
    TRY(check_tensors(r, forward));
    REQUIRE(r->src->ndims >= 2, "src has %d dimensions", r->src->ndims);
    if (forward) return check_same_dims(component, "src", r->src, "dst", r->dst);
    TRY(check_same_dims(component, "src", r->src, "diff_dst", r->diff_dst));
    return check_same_dims(component, "diff_src", r->diff_src, "diff_dst", r->diff_dst);
}

dnnl_status_t check_normalization_attr(const struct normalization_request *r,
                                       const struct dnnl_engine *engine, const attr_t *attr,
                                       uint64_t post_ops, bool scales) {
    const char *component = r->component;
    bool forward = prop_is_forward(r->prop);
    bool int8 = in_set(TYPES_INT8, r->src->data_type) || (forward && in_set(TYPES_INT8, r->dst->data_type));
    struct attr_rules rules = {
            .parts = (forward ? ATTR_POST_OPS : 0) | (forward && scales && int8 ? ATTR_SCALES : 0),
            .post_ops = post_ops,
    };
    TRY(check_attr(component, engine, attr, &rules));
    if (!attr || !forward) return dnnl_success;
    SUPPORT(ONLY_FOR(&attr->scales, DNNL_ARG_SRC, DNNL_ARG_DST),
            "scales of arguments other than src and dst");
    SUPPORT(MASK_IN(&attr->scales, DNNL_ARG_SRC, 0) && MASK_IN(&attr->scales, DNNL_ARG_DST, 0),
            "a mask of scales");
    SUPPORT(engine->kind != dnnl_gpu || !quants_have_host_scalars(&attr->scales),
            "scales that are host scalars");
    return check_post_ops(component, engine, attr, &rules, r->dst);
}
