/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Depthwise convolution, forward, of f32 or f64 images whose channels come first: see
 * kernels/lib/depthwise_planes.h. Deconvolution with strides of 1 is a convolution with the taps in reverse
 * order. Whatever follows the bias, but an activation, is an element-wise program (apart.h). It is for what
 * takes less time so than with images that are moved to channels-last and back. Measured 2026-11-18 on a Xeon
 * with AMX, one thread, 64 channels: 3x3 of 56x56, 114 us instead of 171; but 5x5 of 28x28, 57 instead of 37,
 * and 3x3 of 28x28, 37 instead of 26.
 */
#include "base/round.h"
#include "base/verbose.h"
#include "kernels/params_depthwise_planes.h"
#include "primitives/apart.h"
#include "primitives/convolution.h"
#include "primitives/gemm.h"
#include "primitives/moved.h"
#include "primitives/primitives.h"
#include "primitives/tensor.h"

enum { MOST_ROWS = 28 };

/* What differs between the kernels: data of the rows of tables. */
struct depthwise_planes {
    const struct kernel *kernel;
    dnnl_data_type_t type;
    int lanes;
    int few; /* columns for which moving the images costs less */
};
const struct depthwise_planes depthwise_planes_f32 = {&kernel_f32_depthwise_planes_16, dnnl_f32, 16, 48};
const struct depthwise_planes depthwise_planes_f64 = {&kernel_f64_depthwise_planes_8, dnnl_f64, 8, 24};

static const struct depthwise_planes *kernel_of(const struct plan *plan) {
    return plan->implementation->data;
}

static dnnl_status_t check_types(const struct plan *plan) {
    static const int args[] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_BIAS, DNNL_ARG_DST};
    const dnnl_data_type_t type = kernel_of(plan)->type;
    const uint64_t floats =
            type == dnnl_f64 ? BIT(dnnl_f64) : BIT(dnnl_f32) | BIT(dnnl_bf16) | BIT(dnnl_f16) | TYPES_FP8;
    for (size_t i = 0; i < sizeof args / sizeof args[0]; i++) {
        const md_t *md = problem_md(&plan->problem, args[i]);
        if (md && !in_set(floats, md->data_type)) return plan_skip(plan, "unsupported type of a tensor");
    }
    if (problem_md(&plan->problem, DNNL_ARG_SRC)->data_type != type)
        return plan_skip(plan, "src has another type");
    if (!attr_only_has(&plan->attr, ATTR_POST_OPS | ATTR_FPMATH | ATTR_ACCUMULATION))
        return plan_skip(plan, "attributes other than post-ops");
    for (int i = 0; i < plan->attr.post_ops.len; i++)
        if (plan->attr.post_ops.entries[i].kind == dnnl_convolution)
            return plan_skip(plan, "a convolution follows");
    return dnnl_success;
}

static bool is_row_major(const md_t *md) {
    char tag[MOVED_TAG];
    return md_is_plain(md) && md_matches_tag(md, row_major_tag(md, tag));
}

static dnnl_status_t check_shape(const struct plan *plan) {
    const md_t *src = problem_md(&plan->problem, DNNL_ARG_SRC),
               *dst = problem_md(&plan->problem, DNNL_ARG_DST),
               *weights = problem_md(&plan->problem, DNNL_ARG_WEIGHTS);
    if (weights->ndims == src->ndims || weights->dims[0] == 1 || weights->dims[1] != 1
        || weights->dims[2] != 1)
        return plan_skip(plan, "not a depthwise convolution");
    if (src->ndims > 4) return plan_skip(plan, "images have a depth");
    if (!is_row_major(src) || !is_row_major(dst)) return plan_skip(plan, "channels do not come first");
    return dnnl_success;
}

/* A row with its padding, and room for whole vectors of outputs. */
static void set_pitch(struct depthwise_planes_params *p, i64 lanes) {
    const struct window *w = &p->window;
    p->front = divide_up(w->padding[2], lanes) * lanes;
    const i64 own = p->front + w->size[2], read = p->front - w->padding[2]
                                                  + divide_up(p->places[1], lanes) * lanes
                                                  + (w->taps[2] - 1) * w->step[2];
    p->pitch = divide_up(own > read ? own : read, lanes) * lanes;
}

/* Rows of src for so many of dst. */
static i64 rows_read(const struct window *w, i64 rows) {
    return (rows - 1) * w->stride[1] + (w->taps[1] - 1) * w->step[1] + 1;
}

/* The window of the convolution that a deconvolution is. */
static void turn_window(struct window *w) {
    for (int d = 0; d < WINDOW_DIMS; d++)
        w->padding[d] = (w->taps[d] - 1) * w->step[d] - w->padding[d];
}

static dnnl_status_t set_window(struct plan *plan, struct depthwise_planes_params *p) {
    enum { MANY = 9 };
    const bool turned = plan->problem.kind == dnnl_deconvolution;
    const md_t *src = problem_md(&plan->problem, DNNL_ARG_SRC),
               *dst = problem_md(&plan->problem, DNNL_ARG_DST);
    struct window window;
    window_init(&window, &plan->problem, src);
    const struct window *w = &p->window;
    p->window = window_from_last(&window, src->ndims - 2);
    p->places[0] = src->ndims == 4 ? dst->dims[2] : 1;
    p->places[1] = dst->dims[dst->ndims - 1];
    if (turned) turn_window(&p->window);
    if (turned && w->stride[1] != 1) return plan_skip(plan, "a deconvolution with strides");
    if (w->stride[2] != 1 || w->padding[1] < 0 || w->padding[2] < 0)
        return plan_skip(plan, "strides along rows, or negative padding");
    if (p->places[1] < kernel_of(plan)->few || w->taps[1] * w->taps[2] > MANY)
        return plan_skip(plan, "rows are short or windows large: moving the images costs less");
    set_pitch(p, kernel_of(plan)->lanes);
    if (rows_read(w, 4) > PLANE_ELEMENTS / p->pitch)
        return plan_skip(plan, "the window or its rows are long");
    p->rows = p->places[0] < MOST_ROWS ? p->places[0] : MOST_ROWS;
    while (p->rows > 4 && rows_read(w, p->rows) > PLANE_ELEMENTS / p->pitch)
        p->rows -= p->rows % 4 ? p->rows % 4 : 4;
    return dnnl_success;
}

/* The user's tensor, or a copy that is row-major and of the kernel's type. */
static dnnl_status_t prepare(struct plan *plan, int *arg, md_t *md) {
    const md_t user = *md;
    const int from = *arg;
    char tag[MOVED_TAG];
    if (user.data_type == kernel_of(plan)->type && is_row_major(&user)) return dnnl_success;
    *arg = ARG_SCRATCHPAD;
    TRY(gemm_scratch_md(plan, &user, kernel_of(plan)->type, row_major_tag(&user, tag), md));
    return append_reorder(plan, from, &user, ARG_SCRATCHPAD, md, NULL);
}

static void set_image(const md_t *md, i64 *offset, i64 *batch, i64 *channel, i64 *row) {
    const dnnl_dim_t *strides = md->blocking.strides;
    *offset = md->offset0, *batch = strides[0], *channel = strides[1];
    *row = md->ndims == 4 ? strides[2] : 0;
}

static dnnl_status_t launch_planes(struct plan *plan, const struct depthwise_planes_params *made,
                                   const md_t *dst, const int args[4]) {
    const dnnl_dim_t *dims = dst->dims;
    struct launch *launch;
    struct depthwise_planes_params *p =
            plan_launch(plan, kernel_of(plan)->kernel,
                        range_of_groups(divide_up(made->places[0], made->rows), dims[1], dims[0]), &launch);
    if (!p) return dnnl_out_of_memory;
    *p = *made;
    for (int i = 0; i < 4; i++)
        launch_bind(launch, args[i]);
    return dnnl_success;
}

static dnnl_status_t build(struct plan *plan, struct depthwise_planes_params *p) {
    const md_t *user_bias = problem_md(&plan->problem, DNNL_ARG_BIAS),
               *user_dst = problem_md(&plan->problem, DNNL_ARG_DST);
    md_t src = *problem_md(&plan->problem, DNNL_ARG_SRC), dst = *user_dst,
         weights = *problem_md(&plan->problem, DNNL_ARG_WEIGHTS), bias;
    int args[4] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, user_bias ? DNNL_ARG_BIAS : ARG_NOTHING, DNNL_ARG_DST};
    const bool activates = epilogue_is_activation(&plan->attr) && dst.data_type == kernel_of(plan)->type;
    const bool apart = !activates && (apart_has_rest(&plan->attr) || dst.data_type != kernel_of(plan)->type);
    if (activates) p->activation = post_op_activation(&plan->attr.post_ops.entries[0]);
    TRY(prepare(plan, &args[0], &src));
    TRY(prepare(plan, &args[1], &weights));
    if (user_bias) {
        bias = *user_bias;
        TRY(prepare(plan, &args[2], &bias));
        p->has_bias = 1, p->bias_offset = bias.offset0;
    }
    if (apart) args[3] = apart_place(plan, &dst);
    p->weights_offset = weights.offset0, p->weights_tap = 1;
    if (plan->problem.kind == dnnl_deconvolution)
        p->weights_offset += p->window.taps[1] * p->window.taps[2] - 1, p->weights_tap = -1;
    set_image(&src, &p->src_offset, &p->src_batch, &p->src_channel, &p->src_row);
    set_image(&dst, &p->dst_offset, &p->dst_batch, &p->dst_channel, &p->dst_row);
    TRY(launch_planes(plan, p, &dst, args));
    return apart ? apart_finish(plan, args[3], &dst, 0) : dnnl_success;
}

dnnl_status_t depthwise_build_planes(struct plan *plan) {
    struct depthwise_planes_params p = {0};
    char tag[MOVED_TAG];
    TRY(plan_takes(plan, kernel_of(plan)->kernel));
    TRY(check_shape(plan));
    TRY(check_types(plan));
    TRY(convolution_accepts(plan));
    TRY(set_window(plan, &p));
    md_t *weights = problem_md(&plan->problem, DNNL_ARG_WEIGHTS);
    TRY(gemm_set_any_layouts(plan, row_major_tag(weights, tag)));
    if (md_nelems(problem_md(&plan->problem, DNNL_ARG_DST), false) == 0) return dnnl_success;
    return build(plan, &p);
}
