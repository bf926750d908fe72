/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Softmax and its logarithm, backward: creation and plans. Any type and layout; fast kernels for layouts
 * without blocks that have the axis, or another dimension, next to each other in all tensors.
 */
#include "base/round.h"
#include "kernels/params_softmax.h"
#include "oneapi/dnnl/dnnl.h"
#include "primitives/check.h"
#include "primitives/moved.h"
#include "primitives/primitives.h"
#include "primitives/softmax.h"
#include "primitives/tensor.h"

static const char component[] = "softmax";

static dnnl_status_t check_supported(const md_t *dst, const md_t *diff_dst, const md_t *diff_src) {
    const uint64_t floats = BIT(dnnl_f32) | BIT(dnnl_f64) | BIT(dnnl_bf16) | BIT(dnnl_f16);
    const md_t *const mds[] = {dst, diff_dst, diff_src};
    for (int i = 0; i < 3; i++) {
        SUPPORT(in_set(floats, mds[i]->data_type), "a type other than f32, f64, bf16 and f16");
        SUPPORT(md_is_any(mds[i]) || md_is_blocked(mds[i]), "a layout that is not blocked");
    }
    return dnnl_success;
}

dnnl_status_t dnnl_softmax_backward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_alg_kind_t alg,
        const_dnnl_memory_desc_t diff_src, const_dnnl_memory_desc_t diff_dst, const_dnnl_memory_desc_t dst,
        int axis, const_dnnl_primitive_desc_t hint, const_dnnl_primitive_attr_t attr) {
    REQUIRE(dst && diff_src && diff_dst, "an argument is NULL");
    TRY(softmax_check_axis(alg, dst, axis));
    REQUIRE(!md_is_any(dst), "the layout of dst is undefined");
    TRY(check_no_host_scalars(component, MDS(dst, diff_src, diff_dst)));
    TRY(check_sizes_known(component, MDS(dst, diff_src, diff_dst)));
    TRY(check_same_dims(component, "dst", dst, "diff_dst", diff_dst));
    TRY(check_same_dims(component, "diff_src", diff_src, "diff_dst", diff_dst));
    TRY(check_no_attr(component, engine, attr));
    TRY(check_supported(dst, diff_dst, diff_src));

    struct problem problem;
    TRY(problem_init(&problem, dnnl_softmax, 3));
    problem.prop = dnnl_backward_data;
    problem.alg = alg;
    problem.axis = axis;
    problem_add(&problem, DNNL_ARG_DST, false, dst);
    problem_add(&problem, DNNL_ARG_DIFF_DST, false, diff_dst);
    problem_add(&problem, DNNL_ARG_DIFF_SRC, true, diff_src);
    return create_backward_desc(component, pd, engine, &problem, hint, attr);
}

/* The tensors, in the order in which kernels take them. */
static const int args[3] = {DNNL_ARG_DST, DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_SRC};

static dnnl_status_t decide_layouts(struct plan *plan, const md_t **mds) {
    for (int t = 0; t < 3; t++) {
        md_t *md = problem_md(&plan->problem, args[t]);
        if (t > 0) TRY(md_set_any_like(md, mds[0]));
        mds[t] = md;
    }
    return dnnl_success;
}

static void bind(struct launch *launch) {
    for (int t = 0; t < 3; t++)
        launch_bind(launch, args[t]);
}

static bool has_doubles(const md_t *const *mds) {
    return mds[0]->data_type == dnnl_f64 || mds[1]->data_type == dnnl_f64 || mds[2]->data_type == dnnl_f64;
}

static dnnl_status_t build_universal(struct plan *plan) {
    const md_t *mds[3];
    struct walk walk, rows, line;
    struct launch *launch;
    const int axis = plan->problem.axis;
    TRY(decide_layouts(plan, mds));
    if (has_doubles(mds)) return plan_skip(plan, "f64, which the device does not have");
    if (md_nelems(mds[2], true) == 0) return dnnl_success;
    walk_init(&walk, mds[2], plan->device);
    softmax_split_walk(&walk, axis, &rows, &line);
    struct softmax_backward_params *p =
            plan_launch(plan, &kernel_softmax_backward_universal,
                        range_of_items(rows.count, full_group(plan->device)), &launch);
    if (!p) return dnnl_out_of_memory;
    p->log = plan->problem.alg == dnnl_softmax_log;
    p->axis = axis;
    p->type = (i32)mds[2]->data_type;
    p->length = mds[2]->dims[axis];
    p->rows = rows, p->line = line;
    tensor_init(&p->dst, mds[0]);
    tensor_init(&p->diff_dst, mds[1]);
    bind(launch);
    return dnnl_success;
}

static dnnl_status_t build_rows(struct plan *plan) {
    const struct kernel *kernel = plan->implementation->data;
    const bool across = kernel == &kernel_softmax_backward_across_16;
    struct softmax_lines_params made;
    const md_t *mds[3];
    struct launch *launch;
    TRY(plan_takes(plan, kernel));
    TRY(decide_layouts(plan, mds));
    if (!softmax_fits(&made, mds, 3, plan->problem.axis, across))
        return plan_skip(plan, across ? "lines are not side by side" : "the axis is not dense");
    made.log = plan->problem.alg == dnnl_softmax_log;
    if (md_nelems(mds[2], true) == 0) return dnnl_success;
    struct softmax_lines_params *p = plan_launch(plan, kernel, softmax_cut_lines(&made), &launch);
    if (!p) return dnnl_out_of_memory;
    *p = made;
    bind(launch);
    return dnnl_success;
}

static dnnl_status_t launch_doubles(struct plan *plan, struct softmax_lines_params *made) {
    struct launch *launch;
    softmax_cut_lines(made);
    const struct range range = range_of_items(divide_up(made->units, made->span), full_group(plan->device));
    struct softmax_lines_params *p = plan_launch(plan, &kernel_f64_softmax_backward, range, &launch);
    if (!p) return dnnl_out_of_memory;
    *p = *made;
    p->log = plan->problem.alg == dnnl_softmax_log;
    bind(launch);
    return dnnl_success;
}

/* In doubles, which all other types and layouts are moved to. */
static dnnl_status_t build_doubles(struct plan *plan) {
    struct softmax_lines_params made;
    struct moved moved = {.plan = plan};
    char tag[DNNL_MAX_NDIMS + 1];
    const md_t *mds[3];
    const int axis = plan->problem.axis;
    TRY(plan_takes(plan, &kernel_f64_softmax_backward));
    TRY(decide_layouts(plan, mds));
    if (!has_doubles(mds)) return plan_skip(plan, "no tensor is f64");
    if (md_nelems(mds[2], true) == 0) return dnnl_success;
    softmax_axis_last(tag, mds[0]->ndims, axis);
    for (int t = 0; t < 3; t++)
        if (mds[t]->data_type != dnnl_f64 || !softmax_is_dense(mds[t], axis) || md_has_padding(mds[t]))
            TRY(moved_add(&moved, args[t], dnnl_f64, tag));
    if (moved.count > 0) return moved_build(&moved, softmax_backward);
    if (!softmax_fits(&made, mds, 3, axis, false)) return plan_skip(plan, "the axis is not dense");
    return launch_doubles(plan, &made);
}

/* A layout that all tensors get: with the axis last, or with lines side by side. */
struct moved_layout {
    char tag[DNNL_MAX_NDIMS + 1];
    bool across;
    int axis, count; /* tensors that move */
};

static bool stays(const struct moved_layout *layout, const md_t *md) {
    if (layout->across) return md_matches_tag(md, layout->tag);
    return softmax_is_dense(md, layout->axis) && !md_has_padding(md);
}

static void count_moved(struct moved_layout *layout, const md_t *const *mds) {
    for (int t = 0; t < 3; t++)
        layout->count += !stays(layout, mds[t]);
}

/* The layout of `like`, if the kernel for lines side by side takes it. */
static bool has_lines(struct moved_layout *layout, const md_t *like) {
    const md_t *const mds[3] = {like, like, like};
    struct softmax_lines_params made;
    layout->across = true;
    return softmax_fits(&made, mds, 3, layout->axis, true)
           && md_tag_to_string(like, layout->tag, sizeof(layout->tag)) > 0
           && md_matches_tag(like, layout->tag);
}

/* The layout with the axis last, unless fewer tensors move to that of one of them. */
static struct moved_layout choose_moved(const md_t *const *mds, int axis) {
    struct moved_layout best = {.axis = axis};
    softmax_axis_last(best.tag, mds[0]->ndims, axis);
    count_moved(&best, mds);
    for (int t = 0; t < 3; t++) {
        struct moved_layout other = {.axis = axis};
        if (!has_lines(&other, mds[t])) continue;
        count_moved(&other, mds);
        if (other.count < best.count) best = other;
    }
    return best;
}

/* Tensors of other layouts than most move. */
static dnnl_status_t build_moved(struct plan *plan) {
    struct softmax_lines_params made;
    struct moved moved = {.plan = plan};
    const md_t *mds[3];
    const int axis = plan->problem.axis;
    TRY(plan_takes(plan, &kernel_softmax_backward_along_16));
    TRY(decide_layouts(plan, mds));
    if (softmax_fits(&made, mds, 3, axis, false) || softmax_fits(&made, mds, 3, axis, true))
        return plan_skip(plan, "a dimension is dense");
    if (md_nelems(mds[2], true) == 0) return dnnl_success;
    const struct moved_layout layout = choose_moved(mds, axis);
    for (int t = 0; t < 3; t++)
        if (!stays(&layout, mds[t])) TRY(moved_add(&moved, args[t], mds[t]->data_type, layout.tag));
    return moved_build(&moved, softmax_backward);
}

const struct implementation softmax_backward[] = {
        {"f64_softmax_backward", build_doubles, NULL},
        {"softmax_backward_along_16", build_rows, &kernel_softmax_backward_along_16},
        {"softmax_backward_across_16", build_rows, &kernel_softmax_backward_across_16},
        {"softmax_backward_moved", build_moved, NULL},
        {"softmax_backward_universal", build_universal, NULL},
        {NULL, NULL, NULL},
};
