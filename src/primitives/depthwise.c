/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Depthwise convolution of f32, forward: each group has one input and one output channel. Activations are
 * channels-last, or copied to that layout; weights are in panels of channels.
 */
#include "base/round.h"
#include "primitives/tensor.h"
#include "kernels/params_depthwise.h"
#include "primitives/gemm.h"
#include "primitives/window.h"

static const char *panels_of(const md_t *weights) {
    static const char *const tags[] = {[4] = "Abcd16a", [5] = "Abcde16a", [6] = "Abcdef16a"};
    return tags[weights->ndims];
}

/* Weights in panels: the user's, or a copy in scratchpad. */
static dnnl_status_t prepare_weights(struct plan *plan, struct gemm_view *view) {
    const md_t *md = problem_md(&plan->problem, DNNL_ARG_WEIGHTS);
    const dnnl_dim_t *strides = md->blocking.strides;
    view->weights = (struct gemm_operand){.arg = DNNL_ARG_WEIGHTS, .offset = md->offset0};
    view->weights_panel = strides[0];
    if (!md_is_plain(md)) return dnnl_success;
    struct gemm_weights w = {.groups = 1,
                             .outputs = md->dims[0],
                             .inputs = 1,
                             .size = {1, 1, 1},
                             .offset = md->offset0,
                             .output = strides[0]};
    int spatial = md->ndims - 3;
    for (int i = 0; i < spatial; i++) {
        w.size[3 - spatial + i] = md->dims[3 + i];
        w.stride[3 - spatial + i] = strides[3 + i];
    }
    dnnl_dim_t group;
    return gemm_pack(plan, &w, view, &group);
}

/* The outputs in a row whose whole window is inside the image. */
static void find_whole_places(struct depthwise_params *p) {
    const struct window *w = &p->images.window;
    i64 room = w->size[2] - (w->taps[2] - 1) * w->step[2] + w->padding[2];
    p->whole_first = divide_up(w->padding[2], w->stride[2]);
    p->whole_last = room > 0 ? divide_up(room, w->stride[2]) : 0;
}

/* src and dst are channels-last. */
static dnnl_status_t launch_dense(struct epilogue_build *ep, const struct image *src,
                                  const struct image *dst) {
    struct plan *plan = ep->plan;
    const md_t *bias = problem_md(&plan->problem, DNNL_ARG_BIAS);
    struct gemm_view view = {0};
    TRY(prepare_weights(plan, &view));
    struct launch *launch;
    struct depthwise_params *p = plan_launch(plan, gemm_tile_of(plan)->kernel, (struct range){0}, &launch);
    if (!p) return dnnl_out_of_memory;
    window_images_init(&p->images, &plan->problem, src, dst);
    find_whole_places(p);
    p->src_end = image_end(src);
    p->weights_offset = view.weights.offset;
    p->weights_panel = view.weights_panel;
    p->has_bias = bias != NULL;
    p->bias_offset = bias ? bias->offset0 : 0;
    p->pieces = divide_up(dst->channels, DEPTHWISE_PANELS * DEPTHWISE_PANEL);
    p->part = divide_up(dst->size[2], divide_up(dst->size[2], DEPTHWISE_PLACES));
    launch->range = window_images_range(&p->images, p->part, dst->batch * p->pieces);
    launch_bind(launch, src->arg);
    launch_bind(launch, view.weights.arg);
    launch_bind(launch, bias ? DNNL_ARG_BIAS : ARG_NOTHING);
    return epilogue_end_activation(ep, launch, &p->epilogue, &p->activation);
}

static dnnl_status_t build(struct epilogue_build *ep) {
    static const dnnl_dim_t nothing[3] = {0};
    struct plan *plan = ep->plan;
    struct image user = image_of(DNNL_ARG_SRC, problem_md(&plan->problem, DNNL_ARG_SRC));
    struct image src = user, user_dst = image_of(ep->dst_arg, &ep->dst), dst = user_dst;
    if (user.channel_stride != 1) TRY(gemm_copy_padded(plan, &user, nothing, user.size, &src));
    if (dst.channel_stride == 1) return launch_dense(ep, &src, &dst);
    if (!ep->direct) return plan_skip(plan, "dst is not channels-last and is written by several launches");
    TRY(gemm_move_dst(ep, &dst));
    TRY(launch_dense(ep, &src, &dst));
    return gemm_copy(plan, &dst, &user_dst);
}

dnnl_status_t gemm_build_depthwise(struct plan *plan) {
    const md_t *src = problem_md(&plan->problem, DNNL_ARG_SRC),
               *weights = problem_md(&plan->problem, DNNL_ARG_WEIGHTS);
    TRY(gemm_accepts(plan));
    if (weights->ndims == src->ndims || weights->dims[0] == 1 || weights->dims[1] != 1
        || weights->dims[2] != 1)
        return plan_skip(plan, "not a depthwise convolution");
    if (plan->problem.alg == dnnl_convolution_winograd)
        return plan_skip(plan, "the Winograd algorithm is requested");
    plan->problem.alg = dnnl_convolution_direct;
    TRY(gemm_set_layouts(plan, panels_of(weights)));
    struct epilogue_build ep;
    TRY(gemm_begin(&ep, plan, 1));
    if (md_nelems(&ep.dst, true) == 0) return dnnl_success;
    return build(&ep);
}
