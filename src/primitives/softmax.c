/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Softmax and its logarithm, forward: creation and plans. Any type and layout, and fast kernels for f32.
 */
#include "base/round.h"
#include "primitives/epilogue.h"
#include "primitives/tensor.h"
#include "kernels/params_softmax.h"
#include "oneapi/dnnl/dnnl.h"
#include "primitives/check.h"
#include "primitives/moved.h"
#include "primitives/primitives.h"
#include "primitives/softmax.h"

static const char component[] = "softmax";

static const struct attr_rules forward_rules = {
        .parts = ATTR_SCALES | ATTR_POST_OPS | ATTR_DROPOUT,
        .post_ops = BIT(dnnl_binary) | BIT(dnnl_eltwise),
};

dnnl_status_t softmax_check_axis(dnnl_alg_kind_t alg, const md_t *md, int axis) {
    REQUIRE(alg == dnnl_softmax_accurate || alg == dnnl_softmax_log, "unknown algorithm");
    REQUIRE(axis >= 0 && axis < md->ndims, "axis %d of %d dimensions", axis, md->ndims);
    return dnnl_success;
}

static dnnl_status_t check_scales(const attr_t *attr, const md_t *src, const md_t *dst) {
    if (attr_is_default(attr)) return dnnl_success;
    SUPPORT(ONLY_FOR(&attr->scales, DNNL_ARG_SRC, DNNL_ARG_DST), "scales of another argument");
    SUPPORT(MASK_IN(&attr->scales, DNNL_ARG_SRC, 0) && MASK_IN(&attr->scales, DNNL_ARG_DST, 0),
            "scales that are not one value");
    SUPPORT(quants_are_default(&attr->scales) || in_set(TYPES_INT8 | TYPES_FP8, src->data_type)
                    || in_set(TYPES_INT8 | TYPES_FP8, dst->data_type),
            "scales of types that do not have 8 bits");
    return dnnl_success;
}

dnnl_status_t dnnl_softmax_forward_primitive_desc_create(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
                                                         dnnl_prop_kind_t prop, dnnl_alg_kind_t alg,
                                                         const_dnnl_memory_desc_t src,
                                                         const_dnnl_memory_desc_t dst, int axis,
                                                         const_dnnl_primitive_attr_t attr) {
    REQUIRE(prop_is_forward(prop), "not a forward propagation");
    REQUIRE(src && dst, "src or dst is NULL");
    TRY(softmax_check_axis(alg, src, axis));
    REQUIRE(!md_is_any(src), "the layout of src is undefined");
    TRY(check_no_host_scalars(component, MDS(src, dst)));
    TRY(check_sizes_known(component, MDS(src, dst)));
    TRY(check_same_dims(component, "src", src, "dst", dst));
    SUPPORT(md_is_blocked(src) && (md_is_any(dst) || md_is_blocked(dst)), "a layout that is not blocked");
    TRY(check_attr(component, engine, attr, &forward_rules));
    TRY(check_scales(attr, src, dst));
    TRY(check_post_ops(component, engine, attr, &forward_rules, dst));

    struct problem problem;
    TRY(problem_init(&problem, dnnl_softmax, 2));
    problem.prop = prop;
    problem.alg = alg;
    problem.axis = axis;
    problem_add(&problem, DNNL_ARG_SRC, false, src);
    problem_add(&problem, DNNL_ARG_DST, true, dst);
    return create_desc(component, pd, engine, &problem, attr);
}

static dnnl_status_t decide_layouts(struct plan *plan) {
    const md_t *src = problem_md(&plan->problem, DNNL_ARG_SRC);
    return md_set_any_like(problem_md(&plan->problem, DNNL_ARG_DST), src);
}

void softmax_split_walk(const struct walk *walk, int axis, int lanes, struct walk *rows, struct walk *line) {
    *rows = *line = *walk;
    rows->nloops = line->nloops = 0;
    rows->count = line->count = 1;
    line->offset = 0;
    for (int i = 0; i < walk->nloops; i++) {
        if (walk->loops[i].dim == lanes) continue;
        struct walk *to = walk->loops[i].dim == axis ? line : rows;
        to->loops[to->nloops++] = walk->loops[i];
        to->count *= walk->loops[i].size;
    }
    rows->span = 1;
    line->span = line->count;
}

static dnnl_dim_t step_of(const md_t *md, int dim) {
    return md_is_plain(md) ? md->blocking.strides[dim] : 0;
}

/* Rows of a work-item: short ones are not worth one each, unless there are few. */
static dnnl_dim_t span_of(const struct walk *rows, dnnl_dim_t length, const struct device *device) {
    enum { WORK = 4096, ITEMS = 64 };
    dnnl_dim_t span = WORK / length, most = rows->count / ITEMS;
    if (device->info.class != DEVICE_CPU || span < 1) return 1;
    return span < most ? span : most > 1 ? most : 1;
}

/* `lanes`: the other dimension, besides the axis, that the kernel iterates over itself, or -1. */
static dnnl_status_t build_lines(struct plan *plan, const struct kernel *kernel, int lanes,
                                 const struct epilogue_spec *spec) {
    struct epilogue_build ep;
    struct walk walk, rows, line;
    struct launch *launch;
    int axis = plan->problem.axis;
    TRY(epilogue_begin(&ep, plan, spec));
    if (md_nelems(&ep.dst, true) == 0) return dnnl_success;
    const md_t *src = problem_md(&plan->problem, DNNL_ARG_SRC);
    walk_init(&walk, &ep.dst, plan->device);
    softmax_split_walk(&walk, axis, lanes, &rows, &line);
    rows.span = span_of(&rows, ep.dst.dims[axis] * (lanes >= 0 ? ep.dst.dims[lanes] : 1), plan->device);
    struct range range = range_of_items(divide_up(rows.count, rows.span), full_group(plan->device));
    struct softmax_params *p = plan_launch(plan, kernel, range, &launch);
    if (!p) return dnnl_out_of_memory;
    p->log = plan->problem.alg == dnnl_softmax_log;
    p->axis = axis;
    p->length = ep.dst.dims[axis];
    p->lanes = lanes;
    p->width = lanes >= 0 ? ep.dst.dims[lanes] : 1;
    p->src_step = step_of(src, axis);
    p->dst_step = step_of(&ep.dst, axis);
    p->plain = attr_is_default(&plan->attr) || !ep.direct;
    p->rows = rows, p->line = line;
    tensor_init(&p->src, src);
    launch_bind(launch, DNNL_ARG_SRC);
    TRY(epilogue_scale(&ep, &p->epilogue.src_scale, DNNL_ARG_SRC, NULL));
    if (p->epilogue.src_scale.from != QUANT_NONE) p->plain = 0;
    return epilogue_end(&ep, launch, &p->epilogue);
}

bool softmax_is_dense(const md_t *md, int dim) {
    return md_is_plain(md) && (md->blocking.strides[dim] == 1 || md->dims[dim] == 1);
}

/* The last dimension that is dense in both; -1: none. */
static int dense_dim(const md_t *src, const md_t *dst) {
    int dim = src->ndims - 1;
    while (dim >= 0 && !(src->dims[dim] > 1 && softmax_is_dense(src, dim) && softmax_is_dense(dst, dim)))
        dim--;
    return dim;
}

static dnnl_status_t build_f32(struct plan *plan) {
    const struct kernel *kernel = plan->implementation->data;
    bool across = kernel == &kernel_f32_softmax_across_16;
    TRY(plan_takes(plan, kernel));
    TRY(decide_layouts(plan));
    const md_t *src = problem_md(&plan->problem, DNNL_ARG_SRC),
               *dst = problem_md(&plan->problem, DNNL_ARG_DST);
    int axis = plan->problem.axis, dense = dense_dim(src, dst);
    bool along = softmax_is_dense(src, axis) && softmax_is_dense(dst, axis);
    if (src->data_type != dnnl_f32) return plan_skip(plan, "src is not f32");
    if (!across && !along) return plan_skip(plan, "the axis is not dense");
    if (across && (along || dense < 0)) return plan_skip(plan, "no dense dimension other than the axis");
    return build_lines(plan, kernel, across ? dense : -1,
                       &(struct epilogue_spec){.lanes = across ? dense : axis, .f32_only = true});
}

static void fill_groups(struct softmax_groups_params *p, const md_t *src, const md_t *dst, int axis) {
    p->src_type = (i32)src->data_type, p->dst_type = (i32)dst->data_type;
    p->src_offset = src->offset0, p->dst_offset = dst->offset0;
    p->src_step = step_of(src, axis), p->dst_step = step_of(dst, axis);
    p->length = dst->dims[axis], p->rows = 1;
    for (int d = 0; d < dst->ndims; d++) {
        if (d == axis || dst->dims[d] == 1) continue;
        p->rows *= dst->dims[d];
        p->loops[p->nloops++] =
                (struct row_loop){dst->dims[d], src->blocking.strides[d], dst->blocking.strides[d]};
    }
}

static dnnl_status_t build_groups(struct plan *plan) {
    TRY(plan_takes(plan, &kernel_softmax_groups));
    TRY(decide_layouts(plan));
    const md_t *src = problem_md(&plan->problem, DNNL_ARG_SRC),
               *dst = problem_md(&plan->problem, DNNL_ARG_DST);
    int axis = plan->problem.axis;
    if (!attr_is_default(&plan->attr)) return plan_skip(plan, "attributes");
    if (dt_bits(src->data_type) < 8 || dt_bits(dst->data_type) < 8) return plan_skip(plan, "4-bit elements");
    if (!softmax_is_dense(src, axis) || !softmax_is_dense(dst, axis))
        return plan_skip(plan, "the axis is not dense");
    if (md_has_padding(dst)) return plan_skip(plan, "dst has padding, which must be zeroed");
    if (md_nelems(dst, true) == 0) return dnnl_success;
    struct softmax_groups_params made = {.log = plan->problem.alg == dnnl_softmax_log};
    fill_groups(&made, src, dst, axis);
    struct launch *launch;
    const struct range range = {.groups = {1, (size_t)divide_up(made.rows, SOFTMAX_ROWS), 1},
                                .group_size = {SOFTMAX_PARTS, SOFTMAX_ROWS, 1}};
    struct softmax_groups_params *p = plan_launch(plan, &kernel_softmax_groups, range, &launch);
    if (!p) return dnnl_out_of_memory;
    *p = made;
    launch_bind(launch, DNNL_ARG_SRC);
    launch_bind(launch, DNNL_ARG_DST);
    return dnnl_success;
}

static dnnl_status_t build_universal(struct plan *plan) {
    TRY(decide_layouts(plan));
    return build_lines(plan, &kernel_softmax_universal, -1, &(struct epilogue_spec){.lanes = -1});
}

void softmax_axis_last(char *tag, int ndims, int axis) {
    int n = 0;
    for (int d = 0; d < ndims; d++)
        if (d != axis) tag[n++] = (char)('a' + d);
    tag[n++] = (char)('a' + axis);
    tag[n] = 0;
}

/* Other types of src, and axes that nothing dense goes along or across. */
static dnnl_status_t build_moved(struct plan *plan) {
    struct moved moved = {.plan = plan};
    char tag[DNNL_MAX_NDIMS + 1];
    TRY(plan_takes(plan, &kernel_f32_softmax_16));
    TRY(decide_layouts(plan));
    const md_t *src = problem_md(&plan->problem, DNNL_ARG_SRC),
               *dst = problem_md(&plan->problem, DNNL_ARG_DST);
    const bool dense = dense_dim(src, dst) >= 0;
    if (dense && src->data_type == dnnl_f32) return plan_skip(plan, "a dimension is dense");
    if (md_nelems(dst, true) == 0) return dnnl_success;
    softmax_axis_last(tag, src->ndims, plan->problem.axis);
    TRY(moved_add(&moved, DNNL_ARG_SRC, dnnl_f32, tag));
    if (!softmax_is_dense(dst, plan->problem.axis)) TRY(moved_add(&moved, DNNL_ARG_DST, dst->data_type, tag));
    return moved_build(&moved, softmax_forward);
}

const struct implementation softmax_forward[] = {
        {"f32_softmax_16", build_f32, &kernel_f32_softmax_16},
        {"f32_softmax_across_16", build_f32, &kernel_f32_softmax_across_16},
        {"softmax_moved", build_moved, NULL},
        {"softmax_groups", build_groups, NULL},
        {"softmax_universal", build_universal, NULL},
        {NULL, NULL, NULL},
};
