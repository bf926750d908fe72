/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Depthwise convolution and deconvolution, forward: each group has one input and one output channel.
 * Activations are channels-last, and f32, f64 or bytes, or moved to that; weights are in panels of channels.
 */
#include "base/round.h"
#include "primitives/tensor.h"
#include "kernels/params_depthwise.h"
#include "primitives/apart.h"
#include "primitives/conv_parts.h"
#include "primitives/convolution.h"
#include "primitives/gemm.h"
#include "primitives/primitives.h"
#include "primitives/product.h"

#include <math.h>

static const char *panels_of(const md_t *weights) {
    static const char *const tags[] = {[4] = "Abcd16a", [5] = "Abcde16a", [6] = "Abcdef16a"};
    return tags[weights->ndims];
}

static bool takes_bytes(const struct plan *plan) {
    return gemm_tile_of(plan)->type->bytes == 1;
}

/* The type that the kernels read. */
static dnnl_data_type_t type_read(const struct plan *plan, const md_t *md) {
    return takes_bytes(plan) ? md->data_type : gemm_tile_of(plan)->type->reads;
}

/* Weights in panels: the user's, or a copy in scratchpad. */
static dnnl_status_t prepare_weights(struct plan *plan, struct depthwise_params *p, int *arg) {
    const md_t *md = problem_md(&plan->problem, DNNL_ARG_WEIGHTS);
    md_t user = *md, moved = *md;
    *arg = DNNL_ARG_WEIGHTS;
    if (user.data_type != type_read(plan, &user) || !md_matches_tag(md, panels_of(md))) {
        *arg = ARG_SCRATCHPAD;
        TRY(gemm_scratch_md(plan, &user, type_read(plan, &user), panels_of(&user), &moved));
        TRY(append_reorder(plan, DNNL_ARG_WEIGHTS, &user, ARG_SCRATCHPAD, &moved, NULL));
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
}

/* Is the window one that lib/depthwise_lines.h takes? */
static bool has_lines(const struct depthwise_params *p) {
    const struct window *w = &p->images.window;
    const i64 taps = w->taps[2], stride = w->stride[2], most = taps / 2, places = p->images.places[2];
    const i64 beyond = (places - 1) * stride - w->padding[2] + taps - w->size[2];
    return p->plain && w->step[2] == 1 && places >= DEPTHWISE_RUN
           && (taps == 3 || taps == 5 || (taps == 7 && stride == 1)) && (stride == 1 || stride == 2)
           && w->padding[2] >= 0 && w->padding[2] <= most && beyond <= most;
}

/* Two rows of 3x3 taps are computed at once. */
static bool has_pairs(const struct depthwise_params *p) {
    const struct window *w = &p->images.window;
    return w->taps[0] == 1 && w->taps[1] == 3 && w->taps[2] == 3 && w->step[1] == 1 && w->stride[1] == 1
           && w->stride[2] == 1;
}

/* Parts of a row, of which none is shorter than what is computed at once. */
static i64 part_of_line(i64 places) {
    i64 part = divide_up(places, divide_up(places, DEPTHWISE_LINE));
    while (places % part != 0 && places % part < DEPTHWISE_RUN)
        part--;
    return part;
}

/* Outputs in a row per work-item: of bytes, more if there are few panels, whose scales are prepared for each
 * work-item. */
static i64 most_places(const struct depthwise_params *p, bool bytes) {
    const i64 panels = divide_up(p->images.channels, DEPTHWISE_PANEL);
    return bytes && panels < DEPTHWISE_PANELS ? DEPTHWISE_PLACES * DEPTHWISE_PANELS / panels
                                              : DEPTHWISE_PLACES;
}

/* Do the kernels of floats or doubles store what they compute with at most a bias and an activation? */
static bool is_plain(const struct depthwise_params *p, dnnl_data_type_t type) {
    return !p->scaled && !p->finished && p->epilogue.type == (i32)type && p->bias_type == (i32)type;
}

/* What a work-item computes. The rows that it reads several times fit into the L1 cache, if it computes one
 * panel after the other. */
static void share(struct depthwise_params *p, const struct plan *plan, dnnl_dim_t batch) {
    enum { FEW = 64 }; /* work-items */
    const bool bytes = takes_bytes(plan);
    const i64 places = p->images.places[2], rows = p->images.places[0] * p->images.places[1];
    const bool wide = plan->device->info.features & HAS_WIDE_VECTORS; /* and 32 of them */
    p->lines = bytes || !has_lines(p) ? 0 : has_pairs(p) && wide ? 2 : 1;
    p->panels = bytes || p->lines ? DEPTHWISE_PANELS : 4;
    p->pieces = divide_up(p->images.channels, p->panels * DEPTHWISE_PANEL);
    p->part = p->lines ? part_of_line(places) : divide_up(places, divide_up(places, most_places(p, bytes)));
    p->rows = 4;
    if ((p->lines || bytes) && divide_up(places, p->part) * divide_up(rows, 4) * batch * p->pieces < FEW)
        p->rows = 2;
}

/* The bias as floats, where the kernel adds nothing but floats: the user's, or a copy in scratchpad. */
static dnnl_status_t prepare_bias(struct plan *plan, struct depthwise_params *p, int *arg) {
    const md_t *md = problem_md(&plan->problem, DNNL_ARG_BIAS);
    *arg = ARG_NOTHING;
    p->bias_type = (i32)gemm_tile_of(plan)->type->reads;
    if (!md) return dnnl_success;
    md_t bias = *md;
    *arg = DNNL_ARG_BIAS;
    if (gemm_tile_of(plan)->type->reads == dnnl_f32 && !takes_bytes(plan) && bias.data_type != dnnl_f32) {
        const md_t user = bias;
        *arg = ARG_SCRATCHPAD;
        TRY(gemm_scratch_md(plan, &user, dnnl_f32, "a", &bias));
        TRY(append_reorder(plan, DNNL_ARG_BIAS, &user, ARG_SCRATCHPAD, &bias, NULL));
    }
    p->has_bias = 1;
    p->bias_offset = bias.offset0;
    p->bias_type = (i32)bias.data_type;
    return dnnl_success;
}

/* What only the kernel for bytes has. */
static dnnl_status_t find_zero_point(struct epilogue_build *ep, struct int8_depthwise_params *p) {
    const struct gemm_dims dims = gemm_dims_of(ep->plan);
    p->is_signed = problem_md(&ep->plan->problem, DNNL_ARG_SRC)->data_type == dnnl_s8;
    p->bare = product_keeps_integers(ep);
    return epilogue_zero_point(ep, &p->src_zero_point, DNNL_ARG_SRC, dims.src);
}

static void describe_bytes(struct int8_depthwise_params *p, bool by_position) {
    const i32 type = p->depthwise.epilogue.type;
    p->by_position = by_position;
    p->bytes = (type == TYPE_S8 || type == TYPE_U8) && !by_position;
    p->least = type == TYPE_S8 ? -128 : 0;
    p->most = type == TYPE_S8 ? 127 : 255;
    p->nan = type == TYPE_S8 ? -128 : 255;
}

/* The activation as limits, if it is a relu or clip, or none. */
static void describe_limits(struct int8_depthwise_params *p) {
    const struct activation *a = &p->depthwise.activation;
    p->limited = a->alg == 0 || a->alg == ELTWISE_CLIP || (a->alg == ELTWISE_RELU && a->alpha == 0);
    p->low = a->alg == 0 ? -INFINITY : a->alpha;
    p->high = a->alg == ELTWISE_CLIP ? a->beta : INFINITY;
}

static void describe_window(struct int8_depthwise_params *p) {
    const struct window_images *images = &p->depthwise.images;
    const struct window *w = &images->window;
    const i64 taps = w->taps[2], most = taps / 2;
    const bool fits = w->taps[0] == 1 && w->taps[1] == taps && (taps == 3 || taps == 5) && w->stride[2] == 1
                      && w->step[2] == 1 && w->padding[2] >= 0 && w->padding[2] <= most
                      && images->places[2] + taps - 1 - most - w->padding[2] <= w->size[2];
    p->square = fits ? (i32)taps : 0;
}

static dnnl_status_t launch_part(struct epilogue_build *ep, const struct depthwise_params *whole,
                                 const struct conv_part *part, int src, int weights, int bias) {
    struct plan *plan = ep->plan;
    const bool bytes = takes_bytes(plan);
    struct launch *launch;
    void *params = plan_launch(plan, gemm_tile_of(plan)->kernel, (struct range){0}, &launch);
    if (!params) return dnnl_out_of_memory;
    struct int8_depthwise_params *own = params;
    struct depthwise_params *p = bytes ? &own->depthwise : params;
    *p = *whole;
    set_part(p, part);
    launch_bind(launch, src);
    launch_bind(launch, weights);
    launch_bind(launch, bias);
    TRY(gemm_find_scales(ep, &p->epilogue));
    if (bytes) TRY(find_zero_point(ep, own));
    TRY(epilogue_end_activation(ep, launch, &p->epilogue, &p->activation));
    gemm_describe_end(&p->epilogue, &p->scaled, &p->finished);
    p->plain = !bytes && is_plain(p, gemm_tile_of(plan)->type->reads);
    share(p, plan, ep->dst.dims[0]);
    launch->range = range_of_groups(divide_up(p->images.places[2], p->part),
                                    divide_up(p->images.places[0] * p->images.places[1], p->rows),
                                    ep->dst.dims[0] * p->pieces);
    if (!bytes) return dnnl_success;
    describe_bytes(own, gemm_is_by_position(plan, &p->epilogue));
    describe_limits(own);
    describe_window(own);
    return dnnl_success;
}

/* The image that the kernel reads: the user's src, or a channels-last copy. */
static dnnl_status_t prepare_src(struct plan *plan, struct image *src) {
    const md_t user = *problem_md(&plan->problem, DNNL_ARG_SRC);
    md_t moved;
    if (user.data_type == type_read(plan, &user) && md_is_plain(&user) && user.blocking.strides[1] == 1) {
        *src = image_of(DNNL_ARG_SRC, &user);
        return dnnl_success;
    }
    TRY(gemm_scratch_md(plan, &user, type_read(plan, &user), channels_last(user.ndims), &moved));
    *src = image_of(ARG_SCRATCHPAD, &moved);
    return append_reorder(plan, DNNL_ARG_SRC, &user, ARG_SCRATCHPAD, &moved, NULL);
}

static dnnl_status_t build(struct epilogue_build *ep) {
    enum { LARGE = 1 << 21 }; /* bytes */
    struct plan *plan = ep->plan;
    struct image src, dst = image_of(ep->dst_arg, &ep->dst);
    struct depthwise_params whole = {0};
    int weights, bias;
    TRY(prepare_src(plan, &src));
    TRY(prepare_weights(plan, &whole, &weights));
    window_images_init(&whole.images, &plan->problem, &src, &dst);
    TRY(prepare_bias(plan, &whole, &bias));
    whole.src_end = image_end(&src);
    whole.large = whole.src_end * gemm_tile_of(plan)->type->bytes > LARGE;
    const struct conv_parts parts = {.window = whole.images.window,
                                     .dst = {dst.size[0], dst.size[1], dst.size[2]},
                                     .transposed = plan->problem.kind == dnnl_deconvolution};
    const dnnl_dim_t count = conv_parts_count(&parts);
    if (count > CONV_MOST_PARTS) return plan_skip(plan, "large strides need too many launches");
    for (dnnl_dim_t i = 0; i < count; i++) {
        const struct conv_part part = conv_part_at(&parts, i);
        struct epilogue_build one = *ep;
        one.more = i + 1 < count;
        TRY(launch_part(&one, &whole, &part, src.arg, weights, bias));
    }
    return dnnl_success;
}

/* Sums of so many products of bytes fit into 32 bits. */
enum { MOST_TAPS = 1 << 15 };

/* Is there more to do than an activation? The kernel of floats is quick where it stores floats. */
static bool has_slow_end(const struct plan *plan) {
    if (attr_has_stochastic_rounding(&plan->attr)) return false; /* not one of an element-wise program */
    if (gemm_is_bare(plan))
        return apart_has_rest(&plan->attr)
               && (plan->attr.scales.count > 0 || !epilogue_is_activation(&plan->attr));
    if (!takes_bytes(plan) && problem_md(&plan->problem, DNNL_ARG_DST)->data_type != dnnl_f32) return true;
    if (apart_takes_scales(plan)) return true;
    return plan->attr.post_ops.len > 0 && !epilogue_is_activation(&plan->attr);
}

/* For a dst that is not channels-last, see gemm_convolution.c. */
dnnl_status_t gemm_build_depthwise(struct plan *plan) {
    const md_t *src = problem_md(&plan->problem, DNNL_ARG_SRC),
               *weights = problem_md(&plan->problem, DNNL_ARG_WEIGHTS);
    TRY(gemm_accepts(plan));
    if (weights->ndims == src->ndims || weights->dims[0] == 1 || weights->dims[1] != 1
        || weights->dims[2] != 1)
        return plan_skip(plan, "not a depthwise convolution");
    if (gemm_product(plan->problem.kernel, src->ndims - 2) > MOST_TAPS)
        return plan_skip(plan, "the window is very large");
    TRY(convolution_accepts(plan));
    TRY(gemm_set_any_layouts(plan, panels_of(weights)));
    if (has_slow_end(plan))
        return apart_build(plan, plan->problem.kind == dnnl_convolution ? convolution_forward
                                                                        : deconvolution_forward);
    struct epilogue_build ep;
    TRY(gemm_begin(&ep, plan, 1));
    if (md_nelems(&ep.dst, true) == 0) return dnnl_success;
    struct gemm_results results;
    TRY(gemm_move_results(&ep, &results));
    TRY(build(&ep));
    return gemm_deliver_results(&ep, &results);
}
