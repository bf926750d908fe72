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
    const uint64_t floats = BIT(dnnl_f32) | BIT(dnnl_bf16) | BIT(dnnl_f16);
    const md_t *const mds[] = {dst, diff_dst, diff_src};
    for (int i = 0; i < 3; i++) {
        SUPPORT(in_set(floats, mds[i]->data_type), "a type other than f32, bf16 and f16");
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

static dnnl_status_t build_universal(struct plan *plan) {
    const md_t *mds[3];
    struct walk walk, rows, line;
    struct launch *launch;
    const int axis = plan->problem.axis;
    TRY(decide_layouts(plan, mds));
    if (md_nelems(mds[2], true) == 0) return dnnl_success;
    walk_init(&walk, mds[2], plan->device);
    softmax_split_walk(&walk, axis, -1, &rows, &line);
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

/* Are these one loop in all tensors? */
static bool can_merge(const struct softmax_backward_loop *outer, const struct softmax_backward_loop *inner) {
    for (int t = 0; t < 3; t++)
        if (outer->strides[t] != inner->strides[t] * inner->size) return false;
    return true;
}

/* Adds a loop in the order of diff_src's strides. */
static void insert_loop(struct softmax_backward_rows_params *p, const struct softmax_backward_loop *loop) {
    int at = p->nloops++;
    for (; at > 0 && p->loops[at - 1].strides[2] < loop->strides[2]; at--)
        p->loops[at] = p->loops[at - 1];
    p->loops[at] = *loop;
}

static void merge_loops(struct softmax_backward_rows_params *p) {
    int count = 0;
    for (int l = 0; l < p->nloops; l++) {
        const bool merge = count > 0 && can_merge(&p->loops[count - 1], &p->loops[l]);
        const i64 size = merge ? p->loops[--count].size : 1;
        p->loops[count] = p->loops[l];
        p->loops[count++].size *= size;
    }
    p->nloops = count;
}

static void set_lines(struct softmax_backward_rows_params *p, const md_t *const *mds, int axis) {
    *p = (struct softmax_backward_rows_params){.length = mds[0]->dims[axis]};
    for (int t = 0; t < 3; t++) {
        p->types[t] = (i32)mds[t]->data_type;
        p->offsets[t] = mds[t]->offset0;
        p->steps[t] = mds[t]->blocking.strides[axis];
    }
    for (int d = 0; d < mds[0]->ndims; d++) {
        struct softmax_backward_loop loop = {.size = mds[0]->dims[d]};
        for (int t = 0; t < 3; t++)
            loop.strides[t] = mds[t]->blocking.strides[d];
        if (d != axis && loop.size != 1) insert_loop(p, &loop);
    }
    merge_loops(p);
}

/* Turns the innermost loop into blocks of lines. False: these are not next to each other. */
static bool set_blocks(struct softmax_backward_rows_params *p) {
    if (p->nloops == 0) return false;
    struct softmax_backward_loop *last = &p->loops[p->nloops - 1];
    for (int t = 0; t < 3; t++) {
        if (last->strides[t] != 1) return false;
        last->strides[t] = SOFTMAX_BLOCK;
    }
    p->width = last->size;
    last->size = divide_up(p->width, SOFTMAX_BLOCK);
    return true;
}

static bool are_plain(const md_t *const *mds) {
    for (int t = 0; t < 3; t++)
        if (!md_is_plain(mds[t]) || md_has_padding(mds[t])) return false;
    return true;
}

static bool are_along(const md_t *const *mds, int axis) {
    for (int t = 0; t < 3; t++)
        if (!softmax_is_dense(mds[t], axis)) return false;
    return true;
}

/* Is there a dense dimension that a fast kernel can use? Fills the block for it. */
static bool fits(struct softmax_backward_rows_params *p, const md_t *const *mds, int axis, bool across) {
    if (!are_plain(mds) || across == are_along(mds, axis)) return false;
    set_lines(p, mds, axis);
    return !across || set_blocks(p);
}

static dnnl_status_t build_rows(struct plan *plan) {
    enum { WORK = 8192 }; /* elements of a work-item */
    const struct kernel *kernel = plan->implementation->data;
    const bool across = kernel == &kernel_softmax_backward_across_16;
    struct softmax_backward_rows_params made;
    const md_t *mds[3];
    struct launch *launch;
    TRY(plan_takes(plan, kernel));
    TRY(decide_layouts(plan, mds));
    if (!fits(&made, mds, plan->problem.axis, across))
        return plan_skip(plan, across ? "lines are not side by side" : "the axis is not dense");
    made.log = plan->problem.alg == dnnl_softmax_log;
    made.units = 1;
    for (int l = 0; l < made.nloops; l++)
        made.units *= made.loops[l].size;
    if (made.units * made.length == 0) return dnnl_success;
    const i64 lines = made.width < 1 ? 1 : made.width < SOFTMAX_BLOCK ? made.width : SOFTMAX_BLOCK;
    made.span = made.length * lines < WORK ? WORK / (made.length * lines) : 1;
    struct softmax_backward_rows_params *p =
            plan_launch(plan, kernel, range_of_items(divide_up(made.units, made.span), 1), &launch);
    if (!p) return dnnl_out_of_memory;
    *p = made;
    bind(launch);
    return dnnl_success;
}

/* Tensors with other layouts get one with the axis last. */
static dnnl_status_t build_moved(struct plan *plan) {
    struct softmax_backward_rows_params made;
    struct moved moved = {.plan = plan};
    char tag[DNNL_MAX_NDIMS + 1];
    const md_t *mds[3];
    const int axis = plan->problem.axis;
    TRY(plan_takes(plan, &kernel_softmax_backward_along_16));
    TRY(decide_layouts(plan, mds));
    if (fits(&made, mds, axis, false) || fits(&made, mds, axis, true))
        return plan_skip(plan, "a dimension is dense");
    if (md_nelems(mds[2], true) == 0) return dnnl_success;
    softmax_axis_last(tag, mds[0]->ndims, axis);
    for (int t = 0; t < 3; t++)
        if (!softmax_is_dense(mds[t], axis) || md_has_padding(mds[t]))
            TRY(moved_add(&moved, args[t], mds[t]->data_type, tag));
    return moved_build(&moved, softmax_backward);
}

const struct implementation softmax_backward[] = {
        {"softmax_backward_along_16", build_rows, &kernel_softmax_backward_along_16},
        {"softmax_backward_across_16", build_rows, &kernel_softmax_backward_across_16},
        {"softmax_backward_moved", build_moved, NULL},
        {"softmax_backward_universal", build_universal, NULL},
        {NULL, NULL, NULL},
};
