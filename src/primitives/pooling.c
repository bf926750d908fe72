/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pooling: its creation functions and its plans, the universal one and the one for channels-last images on
 * CPUs.
 */
#include "oneapi/dnnl/dnnl.h"
#include "primitives/primitives.h"
#include "primitives/window.h"

static const char component[] = "pooling";

/* Pooling, forward or backward, its tensors by their forward names. */
struct request {
    dnnl_prop_kind_t prop;
    dnnl_alg_kind_t alg;
    const md_t *src, *dst;
    struct window window;
};

static dnnl_status_t check_axis(const struct request *r, int i) {
    struct window_axis axis = window_axis(&r->window, i, r->src->dims[i + 2], r->dst->dims[i + 2]);
    REQUIRE(axis.stride > 0, "stride %d is not positive", i);
    REQUIRE(axis.dilation >= 0, "dilation %d is negative", i);
    REQUIRE(axis.padding_l >= 0, "left padding %d is negative", i);
    REQUIRE(axis.padding_r >= -axis.stride, "right padding %d is below minus the stride", i);
    dnnl_dim_t places, extent;
    REQUIRE(window_places(&axis, &places) && window_extent(&axis, &extent) && places == axis.dst,
            "spatial dimension %d does not follow from the window", i);
    bool sees_src = axis.padding_l < extent && axis.padding_r < extent && axis.dilation < axis.src;
    REQUIRE(r->alg != dnnl_pooling_avg_exclude_padding || sees_src,
            "a window may lie in the padding altogether along dimension %d", i);
    return dnnl_success;
}

static dnnl_status_t check(const struct request *r) {
    const md_t *src = r->src, *dst = r->dst;
    REQUIRE(src && dst && r->window.strides && r->window.kernel && r->window.padding_l,
            "an argument is NULL");
    REQUIRE(r->alg == dnnl_pooling_max || r->alg == dnnl_pooling_avg_include_padding
                    || r->alg == dnnl_pooling_avg_exclude_padding,
            "unknown algorithm");
    REQUIRE(!prop_is_forward(r->prop) || !md_is_any(src), "the layout of src is open");
    TRY(check_no_host_scalars(component, MDS(src, dst)));
    TRY(check_sizes_known(component, MDS(src, dst)));
    REQUIRE(pooling_accumulation_type(src->data_type, dst->data_type) != dnnl_data_type_undef,
            "types of src and dst do not go together");
    REQUIRE(src->ndims >= 3 && src->ndims <= 5, "src has %d dimensions", src->ndims);
    REQUIRE(dst->ndims == src->ndims, "src has %d dimensions, dst %d", src->ndims, dst->ndims);
    REQUIRE(src->dims[0] == dst->dims[0] && src->dims[1] == dst->dims[1],
            "batch or channels of src differ from those of dst");
    for (int i = 0; i < src->ndims - 2; i++)
        TRY(check_axis(r, i));
    return dnnl_success;
}

static dnnl_status_t check_request_attr(const struct request *r, const struct dnnl_engine *engine,
                                        const attr_t *attr) {
    bool forward = prop_is_forward(r->prop);
    struct attr_rules rules = {
            .parts = forward ? ATTR_POST_OPS : 0,
            .post_ops = BIT(dnnl_binary) | BIT(dnnl_eltwise),
    };
    TRY(check_attr(component, engine, attr, &rules));
    return check_post_ops(component, engine, attr, &rules, r->dst);
}

/* Where the maximum was, for the backward pass: the number of the tap, in bytes if it fits. */
static md_t workspace_md(const md_t *dst, const dnnl_dim_t *kernel) {
    dnnl_dim_t taps = 1;
    bool fits = true;
    for (int i = 0; i < dst->ndims - 2; i++)
        fits = fits && !__builtin_mul_overflow(taps, kernel[i], &taps);
    md_t md = *dst;
    md.data_type = fits && taps <= UINT8_MAX ? dnnl_u8 : dnnl_s32;
    return md;
}

dnnl_status_t dnnl_pooling_forward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop, dnnl_alg_kind_t alg,
        const_dnnl_memory_desc_t src, const_dnnl_memory_desc_t dst, const dnnl_dims_t strides,
        const dnnl_dims_t kernel, const dnnl_dims_t dilation, const dnnl_dims_t padding_l,
        const dnnl_dims_t padding_r, const_dnnl_primitive_attr_t attr) {
    REQUIRE(prop_is_forward(prop), "not a forward propagation");
    struct request r = {.prop = prop, .alg = alg, .src = src, .dst = dst};
    r.window = (struct window){kernel, strides, dilation, padding_l, padding_r};
    TRY(check(&r));
    TRY(check_request_attr(&r, engine, attr));

    struct problem problem;
    TRY(problem_init(&problem, dnnl_pooling, 3));
    problem.prop = prop;
    problem.alg = alg;
    problem_set_window(&problem, &r.window, src->ndims - 2);
    problem_add(&problem, DNNL_ARG_SRC, false, src);
    problem_add(&problem, DNNL_ARG_DST, true, dst);
    if (alg == dnnl_pooling_max && prop == dnnl_forward_training) {
        md_t workspace = workspace_md(dst, kernel);
        problem_add(&problem, DNNL_ARG_WORKSPACE, true, &workspace);
    }
    return create_desc(component, pd, engine, &problem, attr);
}

dnnl_status_t dnnl_pooling_backward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_alg_kind_t alg,
        const_dnnl_memory_desc_t diff_src, const_dnnl_memory_desc_t diff_dst, const dnnl_dims_t strides,
        const dnnl_dims_t kernel, const dnnl_dims_t dilation, const dnnl_dims_t padding_l,
        const dnnl_dims_t padding_r, const_dnnl_primitive_desc_t hint, const_dnnl_primitive_attr_t attr) {
    struct request r = {.prop = dnnl_backward_data, .alg = alg, .src = diff_src, .dst = diff_dst};
    r.window = (struct window){kernel, strides, dilation, padding_l, padding_r};
    (void)hint;
    TRY(check(&r));
    TRY(check_request_attr(&r, engine, attr));
    return create_nothing(component, pd);
}

const struct implementation pooling_implementations[] = {
        {NULL, NULL},
};
