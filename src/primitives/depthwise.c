/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Depthwise convolution and deconvolution of floats, forward: each group has one input and one output
 * channel. Activations are f32 and channels-last, or moved to that; weights are in panels of channels.
 */
#include "base/round.h"
#include "primitives/tensor.h"
#include "kernels/params_depthwise.h"
#include "primitives/conv_parts.h"
#include "primitives/convolution.h"
#include "primitives/gemm.h"

static const char *panels_of(const md_t *weights) {
    static const char *const tags[] = {[4] = "Abcd16a", [5] = "Abcde16a", [6] = "Abcdef16a"};
    return tags[weights->ndims];
}

/* Weights in panels: the user's, or a copy in scratchpad. */
static dnnl_status_t prepare_weights(struct plan *plan, struct depthwise_params *p, int *arg) {
    const md_t *md = problem_md(&plan->problem, DNNL_ARG_WEIGHTS);
    md_t user = *md, moved = *md;
    *arg = DNNL_ARG_WEIGHTS;
    if (md->data_type != dnnl_f32 || !md_matches_tag(md, panels_of(md))) {
        *arg = ARG_SCRATCHPAD;
        TRY(gemm_scratch_md(plan, &user, dnnl_f32, panels_of(md), &moved));
        TRY(gemm_reorder(plan, DNNL_ARG_WEIGHTS, &user, ARG_SCRATCHPAD, &moved));
    }
    p->weights_offset = moved.offset0;
    p->weights_panel = moved.blocking.strides[0];
    for (int d = 3; d < moved.ndims; d++)
        p->weights_step[d - moved.ndims + WINDOW_DIMS] = moved.blocking.strides[d];
    return dnnl_success;
}

/* The outputs in a row whose whole window is inside the image. */
static void find_whole_places(struct depthwise_params *p) {
    const struct window *w = &p->images.window;
    i64 room = w->size[2] - (w->taps[2] - 1) * w->step[2] + w->padding[2];
    p->whole_first = w->padding[2] > 0 ? divide_up(w->padding[2], w->stride[2]) : 0;
    p->whole_last = room > 0 ? divide_up(room, w->stride[2]) : 0;
}

/* The part's window, taps and places instead of those of the whole. */
static void set_part(struct depthwise_params *p, const struct conv_part *part) {
    p->images.window = part->window;
    for (int d = 0; d < WINDOW_DIMS; d++) {
        p->weights_offset += part->tap[d] * p->weights_step[d];
        p->weights_step[d] *= part->tap_step[d];
        p->images.places[d] = part->places[d];
        p->images.dst_offset += part->first[d] * p->images.dst_stride[d];
        p->images.dst_stride[d] *= part->step[d];
        p->images.src_step[d] = p->images.src_stride[d] * part->window.step[d];
        p->place_first[d] = part->first[d];
        p->place_step[d] = part->step[d];
    }
    find_whole_places(p);
    p->part = divide_up(part->places[2], divide_up(part->places[2], DEPTHWISE_PLACES));
}

static void set_bias(struct depthwise_params *p, const md_t *bias) {
    p->has_bias = bias != NULL;
    p->bias_offset = bias ? bias->offset0 : 0;
    p->bias_type = bias ? (i32)bias->data_type : TYPE_F32;
}

static dnnl_status_t launch_part(struct epilogue_build *ep, const struct depthwise_params *whole,
                                 const struct conv_part *part, int src, int weights) {
    struct plan *plan = ep->plan;
    struct launch *launch;
    struct depthwise_params *p = plan_launch(plan, gemm_tile_of(plan)->kernel, (struct range){0}, &launch);
    if (!p) return dnnl_out_of_memory;
    *p = *whole;
    set_part(p, part);
    launch->range = window_images_range(&p->images, p->part, ep->dst.dims[0] * p->pieces);
    launch_bind(launch, src);
    launch_bind(launch, weights);
    launch_bind(launch, p->has_bias ? DNNL_ARG_BIAS : ARG_NOTHING);
    TRY(gemm_find_scales(ep, &p->epilogue));
    TRY(epilogue_end_activation(ep, launch, &p->epilogue, &p->activation));
    gemm_describe_end(&p->epilogue, &p->scaled, &p->finished);
    p->plain = !p->scaled && !p->finished && p->epilogue.type == TYPE_F32 && p->bias_type == TYPE_F32;
    return dnnl_success;
}

/* The image that the kernel reads: the user's src, or a channels-last copy in f32. */
static dnnl_status_t prepare_src(struct plan *plan, struct image *src) {
    static const dnnl_dim_t nothing[3] = {0};
    const md_t *md = problem_md(&plan->problem, DNNL_ARG_SRC);
    if (!is_dense_image(md)) return gemm_move_padded(plan, DNNL_ARG_SRC, nothing, nothing, src);
    *src = image_of(DNNL_ARG_SRC, md);
    return dnnl_success;
}

static dnnl_status_t build(struct epilogue_build *ep) {
    struct plan *plan = ep->plan;
    struct image src, dst = image_of(ep->dst_arg, &ep->dst);
    struct depthwise_params whole = {.pieces = divide_up(dst.channels, DEPTHWISE_PANELS * DEPTHWISE_PANEL)};
    int weights;
    TRY(prepare_src(plan, &src));
    TRY(prepare_weights(plan, &whole, &weights));
    window_images_init(&whole.images, &plan->problem, &src, &dst);
    set_bias(&whole, problem_md(&plan->problem, DNNL_ARG_BIAS));
    whole.src_end = image_end(&src);
    const struct conv_parts parts = {.window = whole.images.window,
                                     .dst = {dst.size[0], dst.size[1], dst.size[2]},
                                     .transposed = plan->problem.kind == dnnl_deconvolution};
    const dnnl_dim_t count = conv_parts_count(&parts);
    if (count > CONV_MOST_PARTS) return plan_skip(plan, "large strides need too many launches");
    for (dnnl_dim_t i = 0; i < count; i++) {
        const struct conv_part part = conv_part_at(&parts, i);
        struct epilogue_build one = *ep;
        one.more = i + 1 < count;
        TRY(launch_part(&one, &whole, &part, src.arg, weights));
    }
    return dnnl_success;
}

/* For a dst that is not channels-last, see gemm_convolution.c. */
dnnl_status_t gemm_build_depthwise(struct plan *plan) {
    const md_t *src = problem_md(&plan->problem, DNNL_ARG_SRC),
               *weights = problem_md(&plan->problem, DNNL_ARG_WEIGHTS);
    TRY(gemm_accepts(plan));
    if (weights->ndims == src->ndims || weights->dims[0] == 1 || weights->dims[1] != 1
        || weights->dims[2] != 1)
        return plan_skip(plan, "not a depthwise convolution");
    TRY(convolution_accepts(plan));
    TRY(gemm_set_any_layouts(plan, panels_of(weights)));
    struct epilogue_build ep;
    TRY(gemm_begin(&ep, plan, 1));
    if (md_nelems(&ep.dst, true) == 0) return dnnl_success;
    struct gemm_results results;
    TRY(gemm_move_results(&ep, &results));
    TRY(build(&ep));
    return gemm_deliver_results(&ep, &results);
}
