/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pooling, backward: its creation function and its plans, the universal one and those for CPUs, for images
 * with dense channels or dense rows. A maximum needs the workspace of the forward primitive, whose
 * descriptor must be given as a hint.
 */
#include "base/round.h"
#include "kernels/params_pooling.h"
#include "oneapi/dnnl/dnnl.h"
#include "primitives/moved.h"
#include "primitives/pooling.h"
#include "primitives/primitives.h"
#include "primitives/tensor.h"

static const char component[] = "pooling";

static dnnl_status_t check_supported(const md_t *diff_src, const md_t *diff_dst) {
    const uint64_t floats = BIT(dnnl_f32) | BIT(dnnl_f64) | BIT(dnnl_bf16) | BIT(dnnl_f16);
    const md_t *const mds[] = {diff_src, diff_dst};
    for (int i = 0; i < 2; i++) {
        SUPPORT(in_set(floats, mds[i]->data_type), "a type other than f32, f64, bf16 and f16");
        SUPPORT(md_is_any(mds[i]) || md_is_blocked(mds[i]), "a layout that is not blocked");
    }
    return dnnl_success;
}

/* The workspace that the forward primitive has filled. */
static dnnl_status_t find_workspace(const md_t **workspace, const struct dnnl_primitive_desc *hint,
                                    const md_t *diff_dst) {
    SUPPORT(hint && hint->plan->problem.kind == dnnl_pooling, "a maximum without a hint");
    *workspace = problem_md(&hint->plan->problem, DNNL_ARG_WORKSPACE);
    SUPPORT(*workspace && md_same_dims(*workspace, diff_dst), "a hint without a workspace of this shape");
    return dnnl_success;
}

dnnl_status_t dnnl_pooling_backward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_alg_kind_t alg,
        const_dnnl_memory_desc_t diff_src, const_dnnl_memory_desc_t diff_dst, const dnnl_dims_t strides,
        const dnnl_dims_t kernel, const dnnl_dims_t dilation, const dnnl_dims_t padding_l,
        const dnnl_dims_t padding_r, const_dnnl_primitive_desc_t hint, const_dnnl_primitive_attr_t attr) {
    struct pooling_request r = {.prop = dnnl_backward_data, .alg = alg, .src = diff_src, .dst = diff_dst};
    r.window = (struct window_vectors){kernel, strides, dilation, padding_l, padding_r};
    const md_t *workspace = NULL;
    TRY(pooling_check(&r));
    TRY(check_no_attr(component, engine, attr));
    TRY(check_supported(diff_src, diff_dst));
    if (alg == dnnl_pooling_max) TRY(find_workspace(&workspace, hint, diff_dst));

    struct problem problem;
    TRY(problem_init(&problem, dnnl_pooling, 3));
    problem.prop = dnnl_backward_data;
    problem.alg = alg;
    problem_set_window(&problem, &r.window, diff_src->ndims - 2);
    problem_add(&problem, DNNL_ARG_DIFF_DST, false, diff_dst);
    problem_add(&problem, DNNL_ARG_WORKSPACE, false, workspace);
    problem_add(&problem, DNNL_ARG_DIFF_SRC, true, diff_src);
    return create_backward_desc(component, pd, engine, &problem, hint, attr);
}

/* The tensors of a problem; no workspace for averages. */
struct tensors {
    const md_t *diff_dst, *workspace, *diff_src;
};

static dnnl_status_t decide_layouts(struct plan *plan, struct tensors *t) {
    const struct problem *problem = &plan->problem;
    md_t *diff_dst = problem_md(problem, DNNL_ARG_DIFF_DST),
         *diff_src = problem_md(problem, DNNL_ARG_DIFF_SRC);
    const md_t *dst = problem_hint_md(problem, DNNL_ARG_DST);
    TRY(md_set_any_like(diff_dst, dst && dst->ndims == diff_dst->ndims ? dst : diff_src));
    TRY(md_set_any_like(diff_src, diff_dst));
    *t = (struct tensors){diff_dst, problem_md(problem, DNNL_ARG_WORKSPACE), diff_src};
    return dnnl_success;
}

static void bind(struct launch *launch, const struct tensors *t) {
    launch_bind(launch, DNNL_ARG_DIFF_DST);
    launch_bind(launch, t->workspace ? DNNL_ARG_WORKSPACE : ARG_NOTHING);
    launch_bind(launch, DNNL_ARG_DIFF_SRC);
}

static bool has_doubles(const struct tensors *t) {
    return t->diff_dst->data_type == dnnl_f64 || t->diff_src->data_type == dnnl_f64;
}

static dnnl_status_t build_universal(struct plan *plan) {
    struct tensors t;
    struct launch *launch;
    TRY(decide_layouts(plan, &t));
    if (has_doubles(&t)) return plan_skip(plan, "f64, which the device does not have");
    if (md_nelems(t.diff_src, true) == 0) return dnnl_success;
    struct pooling_backward_params *p =
            plan_launch(plan, &kernel_pooling_backward_universal, (struct range){0}, &launch);
    if (!p) return dnnl_out_of_memory;
    window_init(&p->window, &plan->problem, t.diff_src);
    p->alg = pooling_code(plan->problem.alg);
    p->type = (i32)t.diff_src->data_type;
    p->taps = pooling_taps(&p->window);
    for (int d = 0; d < WINDOW_DIMS; d++)
        p->places[d] = d + 2 < t.diff_dst->ndims ? t.diff_dst->dims[d + 2] : 1;
    tensor_init(&p->diff_dst, t.diff_dst);
    if (t.workspace) tensor_init(&p->workspace, t.workspace);
    launch->range = walk_init_cost(&p->walk, t.diff_src, plan->device, p->taps);
    bind(launch, &t);
    return dnnl_success;
}

static void set_images(struct pooling_backward_images_params *p, const struct problem *problem,
                       const struct tensors *t) {
    const struct image places = image_of(0, t->diff_dst);
    struct window window;
    window_init(&window, problem, t->diff_src);
    *p = (struct pooling_backward_images_params){
            .window = window_from_last(&window, t->diff_src->ndims - 2),
            .alg = pooling_code(problem->alg),
            .workspace_type = t->workspace ? (i32)t->workspace->data_type : 0,
            .diff_src_type = (i32)t->diff_src->data_type,
            .diff_dst_type = (i32)t->diff_dst->data_type,
            .taps = pooling_taps(&window),
            .channels = places.channels,
    };
    for (int d = 0; d < WINDOW_DIMS; d++)
        p->places[d] = places.size[d];
    pooling_set_image(&p->diff_src, t->diff_src);
    pooling_set_image(&p->diff_dst, t->diff_dst);
    if (t->workspace) pooling_set_image(&p->workspace, t->workspace);
}

static bool is_dense(const md_t *md, int dim) {
    return !md
           || (md_is_plain(md) && !md_has_padding(md)
               && (md->dims[dim] == 1 || md->blocking.strides[dim] == 1));
}

/* The most outputs that read an element, along one dimension. */
static dnnl_dim_t most_readers(const struct window *w, int d) {
    return w->step[d] == 1 ? divide_up(w->taps[d], w->stride[d]) : w->taps[d];
}

/* The numbers of taps are compared as floats, and the rows of outputs that read an element are listed. */
static bool taps_fit(const struct problem *problem, const struct tensors *t) {
    struct window all;
    window_init(&all, problem, t->diff_src);
    const struct window w = window_from_last(&all, t->diff_src->ndims - 2);
    dnnl_dim_t rows;
    if (__builtin_mul_overflow(most_readers(&w, 0), most_readers(&w, 1), &rows)) return false;
    return rows <= POOLING_SOURCES && (!t->workspace || pooling_taps(&w) < 1 << 24);
}

static void share_rows(struct pooling_backward_images_params *p, struct launch *launch, dnnl_dim_t batches) {
    enum { ELEMENTS = 4096 };
    const i64 rows = p->window.size[0] * p->window.size[1], length = p->window.size[2];
    pooling_share(rows, length, p->channels, ELEMENTS, &p->span, &p->rows);
    launch->range = range_of_groups(divide_up(length, p->span), divide_up(rows, p->rows), batches);
}

static bool has_vectors(const md_t *md) {
    return !md || pooling_pitch(md) != 0;
}

static dnnl_status_t build_channels(struct plan *plan) {
    struct tensors t;
    struct launch *launch;
    TRY(plan_takes(plan, &kernel_pooling_backward_16));
    TRY(decide_layouts(plan, &t));
    if (!has_vectors(t.diff_dst) || !has_vectors(t.workspace) || !has_vectors(t.diff_src))
        return plan_skip(plan, "channels are neither last nor in blocks of 16");
    if (!taps_fit(&plan->problem, &t)) return plan_skip(plan, "too many taps");
    if (md_nelems(t.diff_src, true) == 0) return dnnl_success;
    struct pooling_backward_images_params *p =
            plan_launch(plan, &kernel_pooling_backward_16, (struct range){0}, &launch);
    if (!p) return dnnl_out_of_memory;
    set_images(p, &plan->problem, &t);
    p->brief = p->window.step[2] == 1 && (!t.workspace || p->workspace_type == TYPE_U8);
    p->plain = p->brief && p->diff_dst_type == TYPE_F32 && p->diff_src_type == TYPE_F32;
    share_rows(p, launch, t.diff_src->dims[0]);
    bind(launch, &t);
    return dnnl_success;
}

/* The planes of images, `work` elements per work-item. */
static void share_planes(struct pooling_backward_images_params *p, struct launch *launch, i64 work,
                         dnnl_dim_t batches) {
    const i64 plane = p->window.size[0] * p->window.size[1] * p->window.size[2];
    p->span = plane < work ? work / plane : 1;
    launch->range = range_of_groups(divide_up(p->channels, p->span), batches, 1);
}

static bool rows_are_dense(const struct tensors *t) {
    const int last = t->diff_src->ndims - 1;
    return is_dense(t->diff_dst, last) && is_dense(t->workspace, last) && is_dense(t->diff_src, last);
}

/* Is there a loop for rows of this window, and are few rows of outputs read by one of the image? */
static bool is_short(const struct window *w) {
    static const struct {
        int taps, stride, skew;
    } windows[] = {{3, 2, 0}, {3, 2, 1}, {2, 2, 0}, {3, 1, 0}};
    if (w->size[0] != 1 || w->taps[0] != 1 || w->padding[0] != 0 || w->step[2] != 1
        || w->padding[2] >= w->taps[2] || w->step[1] != 1 || most_readers(w, 1) > 3)
        return false;
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++)
        if (w->taps[2] == windows[i].taps && w->stride[2] == windows[i].stride
            && w->padding[2] % windows[i].stride == windows[i].skew)
            return true;
    return false;
}

/* The same, of rows that are not too long. */
static bool rows_fit(const struct window *w, const md_t *diff_dst) {
    const struct image places = image_of(0, diff_dst);
    return is_short(w) && places.size[1] <= POOLING_ROW && places.size[2] <= POOLING_ROW;
}

static dnnl_status_t build_rows(struct plan *plan) {
    enum { WORK = 16384 };
    struct tensors t;
    struct launch *launch;
    TRY(plan_takes(plan, &kernel_pooling_backward_rows));
    TRY(decide_layouts(plan, &t));
    if (has_doubles(&t)) return plan_skip(plan, "a tensor is f64");
    if (!rows_are_dense(&t)) return plan_skip(plan, "rows are not dense");
    if (t.workspace && t.workspace->data_type != dnnl_u8) return plan_skip(plan, "too many taps");
    if (md_nelems(t.diff_src, true) == 0) return dnnl_success;
    struct pooling_backward_images_params *p =
            plan_launch(plan, &kernel_pooling_backward_rows, (struct range){0}, &launch);
    if (!p) return dnnl_out_of_memory;
    set_images(p, &plan->problem, &t);
    if (!rows_fit(&p->window, t.diff_dst)) return plan_skip(plan, "no loop for such rows or windows");
    share_planes(p, launch, WORK, t.diff_src->dims[0]);
    bind(launch, &t);
    return dnnl_success;
}

static dnnl_status_t build_planes(struct plan *plan) {
    enum { WORK = 8192 };
    struct tensors t;
    struct launch *launch;
    TRY(plan_takes(plan, &kernel_f32_pooling_backward_planes));
    TRY(decide_layouts(plan, &t));
    if (t.diff_dst->data_type != dnnl_f32 || t.diff_src->data_type != dnnl_f32)
        return plan_skip(plan, "a tensor is not f32");
    if (!rows_are_dense(&t)) return plan_skip(plan, "rows are not dense");
    if (t.workspace && t.workspace->data_type != dnnl_u8) return plan_skip(plan, "too many taps");
    if (md_nelems(t.diff_src, true) == 0) return dnnl_success;
    struct pooling_backward_images_params *p =
            plan_launch(plan, &kernel_f32_pooling_backward_planes, (struct range){0}, &launch);
    if (!p) return dnnl_out_of_memory;
    set_images(p, &plan->problem, &t);
    p->block = pooling_outputs_at_once(&p->window);
    if (p->block == 0) return plan_skip(plan, "windows are too long");
    share_planes(p, launch, WORK, t.diff_src->dims[0]);
    bind(launch, &t);
    return dnnl_success;
}

/* In doubles, where rows of diff_src are dense; the smaller tensors are moved to that. */
static dnnl_status_t build_planes_of_doubles(struct plan *plan) {
    struct moved moved = {.plan = plan};
    struct tensors t;
    struct launch *launch;
    char tag[MOVED_TAG];
    TRY(plan_takes(plan, &kernel_f64_pooling_rows));
    TRY(decide_layouts(plan, &t));
    if (!pooling_has_rows_of_doubles(t.diff_src) || pooling_takes_doubles(t.diff_src))
        return plan_skip(plan, "not f64 with dense rows");
    if (md_nelems(t.diff_src, true) == 0) return dnnl_success;
    row_major_tag(t.diff_src, tag);
    struct window all;
    window_init(&all, &plan->problem, t.diff_src);
    const struct window w = window_from_last(&all, t.diff_src->ndims - 2);
    if (pooling_taps(&w) > F64_PLANE_TAPS
        || pooling_outputs_at_once(&w) < t.diff_dst->dims[t.diff_dst->ndims - 1])
        return plan_skip(plan, "windows or rows are too long");
    if (!pooling_has_rows_of_doubles(t.diff_dst)) TRY(moved_add(&moved, DNNL_ARG_DIFF_DST, dnnl_f64, tag));
    if (!is_dense(t.workspace, t.diff_src->ndims - 1))
        TRY(moved_add(&moved, DNNL_ARG_WORKSPACE, t.workspace->data_type, tag));
    if (moved.count > 0) return moved_build(&moved, pooling_backward);
    struct f64_pooling_params *p =
            plan_launch(plan, &kernel_f64_pooling_rows,
                        range_of_groups(1, t.diff_src->dims[1], t.diff_src->dims[0]), &launch);
    if (!p) return dnnl_out_of_memory;
    pooling_set_doubles(p, &plan->problem, t.diff_src, t.diff_dst, t.workspace, true);
    bind(launch, &t);
    return dnnl_success;
}

/* In doubles, with channels last, which other types and layouts are moved to. */
static dnnl_status_t build_doubles(struct plan *plan) {
    struct moved moved = {.plan = plan};
    struct tensors t;
    struct launch *launch;
    TRY(plan_takes(plan, &kernel_f64_pooling_backward));
    TRY(decide_layouts(plan, &t));
    if (!has_doubles(&t)) return plan_skip(plan, "no tensor is f64");
    if (md_nelems(t.diff_src, true) == 0) return dnnl_success;
    const char *tag = channels_last(t.diff_src->ndims);
    if (!pooling_takes_doubles(t.diff_dst)) TRY(moved_add(&moved, DNNL_ARG_DIFF_DST, dnnl_f64, tag));
    if (t.workspace && !is_dense(t.workspace, 1))
        TRY(moved_add(&moved, DNNL_ARG_WORKSPACE, t.workspace->data_type, tag));
    if (!pooling_takes_doubles(t.diff_src)) TRY(moved_add(&moved, DNNL_ARG_DIFF_SRC, dnnl_f64, tag));
    if (moved.count > 0) return moved_build(&moved, pooling_backward);
    struct f64_pooling_params *p =
            plan_launch(plan, &kernel_f64_pooling_backward, (struct range){0}, &launch);
    if (!p) return dnnl_out_of_memory;
    pooling_set_doubles(p, &plan->problem, t.diff_src, t.diff_dst, t.workspace, true);
    launch->range = range_of_items(p->rows, full_group(plan->device));
    bind(launch, &t);
    return dnnl_success;
}

/* Is the image, which is the largest tensor, computed by rows if the others move? With wide vectors, that of
 * bf16 with channels last is faster, with its move (2026-11-19, Zen 5: 0.33 ms instead of 0.42). */
static bool moves_to_rows(const struct plan *plan, const struct tensors *t) {
    const int last = t->diff_src->ndims - 1;
    const bool wide = plan->device->info.features & HAS_WIDE_VECTORS;
    struct window all;
    if (wide && t->diff_src->data_type == dnnl_bf16) return false;
    window_init(&all, &plan->problem, t->diff_src);
    const struct window w = window_from_last(&all, t->diff_src->ndims - 2);
    return is_dense(t->diff_src, last) && !has_vectors(t->diff_src) && rows_fit(&w, t->diff_dst)
           && (!t->workspace || t->workspace->data_type == dnnl_u8) && !rows_are_dense(t);
}

/* The tensors without dense rows. */
static dnnl_status_t move_to_rows(struct plan *plan, const struct tensors *t) {
    struct moved moved = {.plan = plan};
    char tag[MOVED_TAG];
    const int last = t->diff_src->ndims - 1;
    row_major_tag(t->diff_src, tag);
    if (!is_dense(t->diff_dst, last)) TRY(moved_add(&moved, DNNL_ARG_DIFF_DST, t->diff_dst->data_type, tag));
    if (!is_dense(t->workspace, last))
        TRY(moved_add(&moved, DNNL_ARG_WORKSPACE, t->workspace->data_type, tag));
    return moved_build(&moved, pooling_backward);
}

/* Images that have channels elsewhere. */
static dnnl_status_t build_moved(struct plan *plan) {
    struct moved moved = {.plan = plan};
    struct tensors t;
    TRY(plan_takes(plan, &kernel_pooling_backward_16));
    TRY(decide_layouts(plan, &t));
    const char *tag = channels_last(t.diff_src->ndims);
    if (has_vectors(t.diff_dst) && has_vectors(t.workspace) && has_vectors(t.diff_src))
        return plan_skip(plan, "channels are last");
    if (!taps_fit(&plan->problem, &t)) return plan_skip(plan, "too many taps");
    if (md_nelems(t.diff_src, true) == 0) return dnnl_success;
    if (moves_to_rows(plan, &t)) return move_to_rows(plan, &t);
    if (!has_vectors(t.diff_dst)) TRY(moved_add(&moved, DNNL_ARG_DIFF_DST, t.diff_dst->data_type, tag));
    if (!has_vectors(t.workspace)) TRY(moved_add(&moved, DNNL_ARG_WORKSPACE, t.workspace->data_type, tag));
    if (!has_vectors(t.diff_src)) TRY(moved_add(&moved, DNNL_ARG_DIFF_SRC, t.diff_src->data_type, tag));
    return moved_build(&moved, pooling_backward);
}

const struct implementation pooling_backward[] = {
        {"f64_pooling_backward_rows", build_planes_of_doubles, NULL},
        {"f64_pooling_backward", build_doubles, NULL},
        {"pooling_backward_16", build_channels, NULL},
        {"pooling_backward_rows", build_rows, NULL},
        {"f32_pooling_backward_planes", build_planes, NULL},
        {"pooling_backward_moved", build_moved, NULL},
        {"pooling_backward_universal", build_universal, NULL},
        {NULL, NULL, NULL},
};
