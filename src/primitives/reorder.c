/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reorders: creation and plans. From any type and layout to any other, with scales, zero points and a sum.
 */
#include "core/epilogue.h"
#include "core/tensor.h"
#include "kernels/params_reorder.h"
#include "oneapi/dnnl/dnnl.h"
#include "primitives/check.h"
#include "primitives/primitives.h"

static const char component[] = "reorder";

static const struct attr_rules rules = {
        .parts = ATTR_SCALES | ATTR_ZERO_POINTS | ATTR_POST_OPS | ATTR_GROUPS,
        .quant_types = true,
        .post_ops = BIT(dnnl_sum),
};

static bool has_groups(const struct quant *quant) {
    return quant && quant->group_ndims > 0;
}

/* Scales are for src and dst; groups divide every dimension of src that has more than one value. */
static dnnl_status_t check_scales(const attr_t *attr, const md_t *src) {
    const struct quant *of_src = quants_find(&attr->scales, DNNL_ARG_SRC);
    const struct quant *of_dst = quants_find(&attr->scales, DNNL_ARG_DST);
    SUPPORT(ONLY_FOR(&attr->scales, DNNL_ARG_SRC, DNNL_ARG_DST), "scales of another argument");
    REQUIRE(!has_groups(of_dst), "groups of scales for dst");
    if (!has_groups(of_src)) return dnnl_success;
    int first = src->ndims - of_src->group_ndims;
    for (int i = 0; i < of_src->group_ndims; i++) {
        REQUIRE((of_src->mask & (1 << (first + i))) != 0,
                "groups of scales along a dimension without scales");
        REQUIRE(src->dims[first + i] % of_src->groups[i] == 0, "groups that do not divide the dimension");
    }
    return dnnl_success;
}

static dnnl_status_t check_zero_points(const attr_t *attr, const md_t *src, const md_t *dst) {
    const uint64_t integers = TYPES_INT8 | TYPES_INT4 | BIT(dnnl_s32);
    REQUIRE(!quants_find(&attr->zero_points, DNNL_ARG_SRC) || in_set(integers, src->data_type),
            "a zero point of src, whose type has none");
    REQUIRE(!quants_find(&attr->zero_points, DNNL_ARG_DST) || in_set(integers, dst->data_type),
            "a zero point of dst, whose type has none");
    return dnnl_success;
}

static dnnl_status_t check_sum(const attr_t *attr) {
    const struct dnnl_post_ops *ops = &attr->post_ops;
    SUPPORT(ops->len <= 1, "more than one post-op");
    SUPPORT(ops->len == 0 || ops->entries[0].kind == dnnl_sum, "a post-op that is no sum");
    SUPPORT(ops->len == 0
                    || (ops->entries[0].sum.zero_point == 0
                        && ops->entries[0].sum.data_type == dnnl_data_type_undef),
            "a sum with a zero point or in another type");
    return dnnl_success;
}

static dnnl_status_t check_attributes(const struct dnnl_engine *engine, const attr_t *attr, const md_t *src,
                                      const md_t *dst) {
    TRY(check_attr(component, engine, attr, &rules));
    if (attr_is_default(attr)) return dnnl_success;
    TRY(check_scales(attr, src));
    TRY(check_zero_points(attr, src, dst));
    return check_sum(attr);
}

/* Sizes that are known at execution must be unknown on both sides. */
static dnnl_status_t check_descriptors(const md_t *src, const md_t *dst) {
    REQUIRE(src && dst, "src or dst is NULL");
    REQUIRE(!md_is_any(src) && !md_is_any(dst), "the layout of src or dst is open");
    TRY(check_no_host_scalars(component, MDS(src, dst)));
    TRY(check_same_dims(component, "src", src, "dst", dst));
    SUPPORT(md_is_zero(src) || (md_is_blocked(src) && md_is_blocked(dst)), "a layout that is not blocked");
    return dnnl_success;
}

dnnl_status_t dnnl_reorder_primitive_desc_create(dnnl_primitive_desc_t *pd, const_dnnl_memory_desc_t src,
                                                 dnnl_engine_t src_engine, const_dnnl_memory_desc_t dst,
                                                 dnnl_engine_t dst_engine, const_dnnl_primitive_attr_t attr) {
    REQUIRE(pd && src_engine && dst_engine, "an argument is NULL");
    TRY(check_descriptors(src, dst));
    SUPPORT(src_engine->device == dst_engine->device, "from one device to another");
    TRY(check_attributes(dst_engine, attr, src, dst));

    struct problem problem;
    TRY(problem_init(&problem, dnnl_reorder, 2));
    problem_add(&problem, DNNL_ARG_FROM, false, src);
    problem_add(&problem, DNNL_ARG_TO, true, dst);
    return create_desc(component, pd, dst_engine, &problem, attr);
}

static bool is_integer(dnnl_data_type_t type) {
    return in_set(TYPES_INT8 | TYPES_INT4 | BIT(dnnl_s32) | BIT(dnnl_s64), type);
}

static i32 travel_of(const struct plan *plan, const md_t *src, const md_t *dst) {
    if (!attr_is_default(&plan->attr)) return REORDER_FLOAT;
    if (src->data_type == dst->data_type) return REORDER_BITS;
    return is_integer(src->data_type) && is_integer(dst->data_type) ? REORDER_INTEGER : REORDER_FLOAT;
}

static dnnl_status_t build_universal(struct plan *plan) {
    struct epilogue_build ep;
    TRY(epilogue_begin(&ep, plan, &(struct epilogue_spec){.lanes = -1, .whole_bytes = true}));
    if (md_nelems(&ep.dst, true) == 0) return dnnl_success;
    const md_t *src = problem_md(&plan->problem, DNNL_ARG_FROM);
    struct launch *launch;
    struct walk walk;
    struct range range = walk_init(&walk, &ep.dst, plan->device);
    struct reorder_params *p = plan_launch(plan, &kernel_reorder_universal, range, &launch);
    if (!p) return dnnl_out_of_memory;
    p->walk = walk;
    p->travel = travel_of(plan, src, &ep.dst);
    p->bits = dt_bits(ep.dst.data_type);
    tensor_init(&p->src, src);
    launch_bind(launch, DNNL_ARG_FROM);
    TRY(epilogue_zero_point(&ep, &p->src_zero_point, DNNL_ARG_FROM, NULL));
    TRY(epilogue_scale(&ep, &p->epilogue.src_scale, DNNL_ARG_FROM, NULL));
    return epilogue_end(&ep, launch, &p->epilogue);
}

const struct implementation reorder_implementations[] = {
        {"reorder_universal", build_universal},
        {NULL, NULL},
};
