/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Softmax and its logarithm, forward: creation and plans. Any type and layout; fast kernels for layouts
 * without blocks that have the axis, or another dimension, next to each other in src and in the results.
 */
#include "base/round.h"
#include "kernels/params_softmax.h"
#include "oneapi/dnnl/dnnl.h"
#include "primitives/apart.h"
#include "primitives/check.h"
#include "primitives/epilogue.h"
#include "primitives/moved.h"
#include "primitives/primitives.h"
#include "primitives/softmax.h"
#include "primitives/tensor.h"

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

void softmax_split_walk(const struct walk *walk, int axis, struct walk *rows, struct walk *line) {
    *rows = *line = *walk;
    rows->nloops = line->nloops = 0;
    rows->count = line->count = 1;
    line->offset = 0;
    for (int i = 0; i < walk->nloops; i++) {
        struct walk *to = walk->loops[i].dim == axis ? line : rows;
        to->loops[to->nloops++] = walk->loops[i];
        to->count *= walk->loops[i].size;
    }
    rows->span = 1;
    line->span = line->count;
}

/* Results that no kernel can store as they are wanted go through scratchpad, in the layout of src. */
static dnnl_status_t build_lines(struct plan *plan) {
    const struct kernel *kernel = plan->implementation->data;
    const bool across = kernel == &kernel_softmax_across_16;
    struct softmax_lines_params made;
    struct epilogue_build ep;
    struct launch *launch;
    TRY(plan_takes(plan, kernel));
    TRY(decide_layouts(plan));
    const md_t src = *problem_md(&plan->problem, DNNL_ARG_SRC);
    TRY(epilogue_begin(
            &ep, plan,
            &(struct epilogue_spec){.lanes = -1, .bare = true, .scale_arg = DNNL_ARG_SRC, .like = &src}));
    if (!softmax_fits(&made, (const md_t *[]){&src, &ep.dst}, 2, plan->problem.axis, across))
        return plan_skip(plan, across ? "lines are not side by side" : "the axis is not dense");
    if (md_nelems(&ep.dst, true) == 0) return dnnl_success;
    made.log = plan->problem.alg == dnnl_softmax_log;
    struct softmax_lines_params *p = plan_launch(plan, kernel, softmax_cut_lines(&made), &launch);
    if (!p) return dnnl_out_of_memory;
    *p = made;
    launch_bind(launch, DNNL_ARG_SRC);
    TRY(epilogue_end_plain(&ep, launch));
    if (!across && made.length <= SOFTMAX_CHUNK) launch_may_stream_to(launch, ep.dst_arg, &p->streams);
    return dnnl_success;
}

static dnnl_dim_t step_of(const md_t *md, int dim) {
    return md_is_plain(md) ? md->blocking.strides[dim] : 0;
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

static dnnl_status_t launch_doubles(struct plan *plan, struct softmax_lines_params *made) {
    struct launch *launch;
    softmax_cut_lines(made);
    const struct range range = range_of_items(divide_up(made->units, made->span), full_group(plan->device));
    struct softmax_lines_params *p = plan_launch(plan, &kernel_f64_softmax, range, &launch);
    if (!p) return dnnl_out_of_memory;
    *p = *made;
    p->log = plan->problem.alg == dnnl_softmax_log;
    launch_bind(launch, DNNL_ARG_SRC);
    launch_bind(launch, DNNL_ARG_DST);
    return dnnl_success;
}

static bool is_ready(const md_t *md, int axis) {
    return md->data_type == dnnl_f64 && softmax_is_dense(md, axis) && !md_has_padding(md);
}

/* In doubles, which other types and layouts are moved to. */
static dnnl_status_t build_doubles(struct plan *plan) {
    struct softmax_lines_params made;
    struct moved moved = {.plan = plan};
    char tag[DNNL_MAX_NDIMS + 1];
    const int axis = plan->problem.axis;
    TRY(plan_takes(plan, &kernel_f64_softmax));
    TRY(decide_layouts(plan));
    const md_t *src = problem_md(&plan->problem, DNNL_ARG_SRC),
               *dst = problem_md(&plan->problem, DNNL_ARG_DST);
    if (src->data_type != dnnl_f64 && dst->data_type != dnnl_f64) return plan_skip(plan, "no tensor is f64");
    if (plan->attr.dropout.enabled) return plan_skip(plan, "random numbers");
    if (apart_has_rest(&plan->attr)) return apart_build(plan, softmax_forward);
    if (!attr_is_default(&plan->attr)) return plan_skip(plan, "src has a scale");
    if (md_nelems(dst, true) == 0) return dnnl_success;
    const md_t *const mds[] = {src, dst};
    if (src->data_type == dst->data_type && softmax_fits(&made, mds, 2, axis, true))
        return launch_doubles(plan, &made);
    softmax_axis_last(tag, src->ndims, axis);
    if (!is_ready(src, axis)) TRY(moved_add(&moved, DNNL_ARG_SRC, dnnl_f64, tag));
    if (!is_ready(dst, axis)) TRY(moved_add(&moved, DNNL_ARG_DST, dnnl_f64, tag));
    if (moved.count > 0) return moved_build(&moved, softmax_forward);
    if (!softmax_fits(&made, mds, 2, axis, false)) return plan_skip(plan, "the axis is not dense");
    return launch_doubles(plan, &made);
}

static dnnl_status_t build_universal(struct plan *plan) {
    struct epilogue_build ep;
    struct walk walk, rows, line;
    struct launch *launch;
    const int axis = plan->problem.axis;
    TRY(decide_layouts(plan));
    TRY(epilogue_begin(&ep, plan, &(struct epilogue_spec){.lanes = -1}));
    if (md_nelems(&ep.dst, true) == 0) return dnnl_success;
    walk_init(&walk, &ep.dst, plan->device);
    softmax_split_walk(&walk, axis, &rows, &line);
    struct softmax_params *p = plan_launch(plan, &kernel_softmax_universal,
                                           range_of_items(rows.count, full_group(plan->device)), &launch);
    if (!p) return dnnl_out_of_memory;
    p->log = plan->problem.alg == dnnl_softmax_log;
    p->axis = axis;
    p->length = ep.dst.dims[axis];
    p->rows = rows, p->line = line;
    tensor_init(&p->src, problem_md(&plan->problem, DNNL_ARG_SRC));
    launch_bind(launch, DNNL_ARG_SRC);
    TRY(epilogue_scale(&ep, &p->epilogue.src_scale, DNNL_ARG_SRC, NULL));
    return epilogue_end(&ep, launch, &p->epilogue);
}

/* Tensors with other layouts get one with the axis last; with attributes, any dst will do. */
static dnnl_status_t build_moved(struct plan *plan) {
    struct moved moved = {.plan = plan};
    char tag[DNNL_MAX_NDIMS + 1];
    const int axis = plan->problem.axis;
    TRY(plan_takes(plan, &kernel_softmax_along_16));
    TRY(decide_layouts(plan));
    const md_t *src = problem_md(&plan->problem, DNNL_ARG_SRC),
               *dst = problem_md(&plan->problem, DNNL_ARG_DST);
    const bool move_src = !softmax_is_dense(src, axis) || md_has_padding(src),
               move_dst =
                       attr_is_default(&plan->attr) && (!softmax_is_dense(dst, axis) || md_has_padding(dst));
    if (!move_src && !move_dst) return plan_skip(plan, "the axis is dense");
    if (md_nelems(dst, true) == 0) return dnnl_success;
    softmax_axis_last(tag, src->ndims, axis);
    if (move_src) TRY(moved_add(&moved, DNNL_ARG_SRC, src->data_type, tag));
    if (move_dst) TRY(moved_add(&moved, DNNL_ARG_DST, dst->data_type, tag));
    return moved_build(&moved, softmax_forward);
}

const struct implementation softmax_forward[] = {
        {"f64_softmax", build_doubles, NULL},
        {"softmax_along_16", build_lines, &kernel_softmax_along_16},
        {"softmax_across_16", build_lines, &kernel_softmax_across_16},
        {"softmax_moved", build_moved, NULL},
        {"softmax_groups", build_groups, NULL},
        {"softmax_universal", build_universal, NULL},
        {NULL, NULL, NULL},
};
