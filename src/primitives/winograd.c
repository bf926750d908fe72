/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plans of Winograd's convolution: transforms of src (and of weights, unless they come transformed), a batch
 * of matrix products, one for each position of a tile, and a transform of the products into dst. Large
 * problems are computed some tiles at a time, in a loop, so that what is between the launches stays in the
 * caches.
 */
#include "primitives/winograd.h"
#include "base/round.h"
#include "base/verbose.h"
#include "kernels/params_winograd.h"
#include "primitives/convolution.h"
#include "primitives/gemm.h"
#include "primitives/primitives.h"
#include "primitives/tensor.h"

#include <stdio.h>

const struct winograd_form winograd_2x2 = {2, &kernel_f32_winograd_src_2, &kernel_f32_winograd_dst_2,
                                           &kernel_f32_winograd_weights_2};
const struct winograd_form winograd_4x4 = {4, &kernel_f32_winograd_src_4, &kernel_f32_winograd_dst_4,
                                           &kernel_f32_winograd_weights_4};

static const struct winograd_form *form_of(const struct plan *plan) {
    return plan->implementation->data;
}

static int positions_of(const struct winograd_form *form) {
    return (form->side + 2) * (form->side + 2);
}

/* The panels of the matrix-product kernel that this device has. */
static int panel_on(const struct plan *plan) {
    const char *why;
    return kernel_runs_on(gemm_14x32.kernel, &plan->device->info, &why) ? gemm_14x32.panel : gemm_6x16.panel;
}

/* Does it fit? */

static bool window_fits(const struct problem *problem) {
    const md_t *src = problem_md(problem, DNNL_ARG_SRC), *weights = problem_md(problem, DNNL_ARG_WEIGHTS);
    if (src->ndims != 4 || weights->ndims != 4) return false;
    for (int i = 0; i < 2; i++)
        if (weights->dims[2 + i] != 3 || problem->strides[i] != 1 || problem->dilates[i] != 0) return false;
    return true;
}

static dnnl_status_t check_types(const struct plan *plan) {
    static const int args[] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_BIAS};
    for (size_t i = 0; i < sizeof args / sizeof args[0]; i++) {
        const md_t *md = problem_md(&plan->problem, args[i]);
        if (md && md->data_type != dnnl_f32) return plan_skip(plan, "src, weights or bias is not f32");
        if (md && !md_is_any(md) && !md_is_blocked(md) && args[i] != DNNL_ARG_WEIGHTS)
            return plan_skip(plan, "a layout is not blocked");
    }
    return dnnl_success;
}

static struct winograd_shape shape_of(const struct plan *plan) {
    const md_t *dst = problem_md(&plan->problem, DNNL_ARG_DST);
    const md_t *weights = problem_md(&plan->problem, DNNL_ARG_WEIGHTS);
    return (struct winograd_shape){.batch = dst->dims[0],
                                   .height = dst->dims[2],
                                   .width = dst->dims[3],
                                   .inputs = weights->dims[1],
                                   .outputs = weights->dims[0],
                                   .transforms = !md_is_any(weights) && !md_is_winograd(weights)};
}

/* Transformed weights have decided. Otherwise the fastest form is taken, or none if the user left the
 * algorithm to us and the direct one is faster. */
static dnnl_status_t check_choice(const struct plan *plan) {
    const md_t *weights = problem_md(&plan->problem, DNNL_ARG_WEIGHTS);
    const struct winograd_shape shape = shape_of(plan);
    if (plan->problem.alg != dnnl_convolution_winograd && plan->problem.alg != dnnl_convolution_auto)
        return plan_skip(plan, "another algorithm is requested");
    if (md_is_winograd(weights)) {
        const bool ours =
                weights->winograd.side == form_of(plan)->side && weights->winograd.panel == panel_on(plan);
        return ours ? dnnl_success : plan_skip(plan, "weights are transformed for another form");
    }
    if (winograd_choose(&shape, plan->problem.alg == dnnl_convolution_auto) != form_of(plan)->side)
        return plan_skip(plan, "another form or algorithm is faster");
    return dnnl_success;
}

static dnnl_status_t accepts(const struct plan *plan) {
    if (!window_fits(&plan->problem)) return plan_skip(plan, "not a window of 3x3 with stride 1");
    TRY(check_choice(plan));
    TRY(check_types(plan));
    TRY(plan_takes(plan, form_of(plan)->src));
    if (!attr_only_has(&plan->attr, ATTR_POST_OPS | ATTR_FPMATH | ATTR_ACCUMULATION))
        return plan_skip(plan, "attributes other than post-ops");
    return dnnl_success;
}

static dnnl_status_t set_layouts(struct plan *plan) {
    struct problem *problem = &plan->problem;
    md_t *bias = problem_md(problem, DNNL_ARG_BIAS);
    md_set_any_winograd(problem_md(problem, DNNL_ARG_WEIGHTS), form_of(plan)->side, panel_on(plan));
    TRY(md_set_any(problem_md(problem, DNNL_ARG_SRC), "acdb"));
    TRY(md_set_any(problem_md(problem, DNNL_ARG_DST), "acdb"));
    if (!md_is_blocked(problem_md(problem, DNNL_ARG_DST))) return plan_skip(plan, "a layout is not blocked");
    return bias ? md_set_any(bias, "a") : dnnl_success;
}

/* Weights. */

/* Transformed weights as those of a batch of matrix products, one for each position. */
static dnnl_status_t transformed_md(const struct winograd_form *form, const md_t *weights, int panel,
                                    md_t *md) {
    const dnnl_dims_t dims = {positions_of(form), weights->dims[1], weights->dims[0]};
    char tag[16];
    snprintf(tag, sizeof tag, "aCb%dc", panel);
    return md_init_by_string(md, 3, dims, dnnl_f32, tag);
}

/* Adds the transform of plain weights of f32. */
static dnnl_status_t launch_weights(struct plan *plan, const struct winograd_form *form, int arg,
                                    const md_t *weights, int to_arg, const md_t *to) {
    struct launch *launch;
    const dnnl_dim_t panel = to->blocking.inner_blks[0];
    struct winograd_weights_params *p =
            plan_launch(plan, form->weights,
                        range_of_groups(divide_up(weights->dims[1], WINOGRAD_INPUTS),
                                        divide_up(weights->dims[0], panel), 1),
                        &launch);
    if (!p) return dnnl_out_of_memory;
    const dnnl_dim_t *strides = weights->blocking.strides;
    p->src_offset = weights->offset0, p->dst_offset = to->offset0;
    p->outputs = weights->dims[0], p->inputs = weights->dims[1], p->panel = panel;
    p->output = strides[0], p->input = strides[1], p->tap[0] = strides[2], p->tap[1] = strides[3];
    p->position = to->blocking.strides[0], p->panels = to->blocking.strides[2];
    launch_bind(launch, arg);
    launch_bind(launch, to_arg);
    return dnnl_success;
}

/* The same for weights of any type and layout. */
static dnnl_status_t transform_weights(struct plan *plan, const struct winograd_form *form, int arg,
                                       const md_t *from, int to_arg, const md_t *to) {
    md_t plain;
    if (md_is_plain(from) && from->data_type == dnnl_f32)
        return launch_weights(plan, form, arg, from, to_arg, to);
    TRY(gemm_scratch_md(plan, from, dnnl_f32, "cdba", &plain));
    TRY(append_reorder(plan, arg, from, ARG_SCRATCHPAD, &plain, NULL));
    return launch_weights(plan, form, ARG_SCRATCHPAD, &plain, to_arg, to);
}

/* The user's weights, if they are transformed; or a transformed copy. */
static dnnl_status_t prepare_weights(struct plan *plan, int *arg, md_t *md) {
    const md_t user = *problem_md(&plan->problem, DNNL_ARG_WEIGHTS);
    TRY(transformed_md(form_of(plan), &user, panel_on(plan), md));
    *arg = DNNL_ARG_WEIGHTS;
    if (md_is_winograd(&user)) return dnnl_success;
    *arg = ARG_SCRATCHPAD;
    plan_place(plan, md);
    return transform_weights(plan, form_of(plan), DNNL_ARG_WEIGHTS, &user, ARG_SCRATCHPAD, md);
}

/* Tiles. */

/* How many tiles at a time: as many as stay in the caches, the same number in every iteration. */
static struct winograd_tiles tiles_of(const struct plan *plan) {
    enum { CACHED = 4 << 20 };
    const struct winograd_form *form = form_of(plan);
    const struct winograd_shape shape = shape_of(plan);
    struct winograd_tiles tiles = {.rows = divide_up(shape.height, form->side),
                                   .columns = divide_up(shape.width, form->side)};
    const dnnl_dim_t bytes = (shape.inputs + shape.outputs) * positions_of(form) * (dnnl_dim_t)sizeof(float);
    const dnnl_dim_t most = CACHED / bytes > 64 ? CACHED / bytes : 64;
    tiles.count = shape.batch * tiles.rows * tiles.columns;
    tiles.each = divide_up(tiles.count, divide_up(tiles.count, most));
    return tiles;
}

/* Transformed tiles in scratchpad. Rows whose distance is a multiple of 1 KB, and positions at multiples of 4
 * KB, would compete for the same lines of the L1 cache. */
static dnnl_status_t place_parts(struct plan *plan, const struct winograd_tiles *tiles, dnnl_dim_t channels,
                                 md_t *md) {
    enum { LINE = 16, ROW = 256, POSITION = 1024 };
    const dnnl_dims_t dims = {positions_of(form_of(plan)), tiles->each, channels};
    dnnl_dims_t strides = {0, divide_up(channels, LINE) * LINE, 1};
    if (strides[1] % ROW == 0) strides[1] += LINE;
    strides[0] = tiles->each * strides[1];
    if (strides[0] % POSITION == 0) strides[0] += LINE;
    TRY(md_init_by_strides(md, 3, dims, dnnl_f32, strides));
    plan_place(plan, md);
    return dnnl_success;
}

static struct winograd_parts parts_of(const md_t *md) {
    return (struct winograd_parts){md->offset0, md->blocking.strides[0], md->blocking.strides[1]};
}

static struct winograd_image winograd_image_of(const md_t *md) {
    const dnnl_dim_t *strides = md->blocking.strides;
    return (struct winograd_image){md->offset0, strides[0],  strides[2], strides[3],
                                   md->dims[2], md->dims[3], md->dims[1]};
}

static struct range range_of(const struct winograd_tiles *tiles, dnnl_dim_t channels) {
    return range_of_groups(divide_up(channels, WINOGRAD_CHANNELS), tiles->each, 1);
}

/* src as the kernels read it: f32 with dense channels. */
static dnnl_status_t prepare_src(struct plan *plan, int *arg, md_t *md) {
    const md_t user = *problem_md(&plan->problem, DNNL_ARG_SRC);
    *arg = DNNL_ARG_SRC;
    *md = user;
    if (is_dense_image(&user)) return dnnl_success;
    *arg = ARG_SCRATCHPAD;
    TRY(gemm_scratch_md(plan, &user, dnnl_f32, "acdb", md));
    return append_reorder(plan, DNNL_ARG_SRC, &user, ARG_SCRATCHPAD, md, NULL);
}

static dnnl_status_t launch_src(struct plan *plan, const struct winograd_tiles *tiles, int arg,
                                const md_t *src, const md_t *parts) {
    struct launch *launch;
    struct winograd_src_params *p =
            plan_launch(plan, form_of(plan)->src, range_of(tiles, src->dims[1]), &launch);
    if (!p) return dnnl_out_of_memory;
    p->tiles = *tiles, p->image = winograd_image_of(src), p->parts = parts_of(parts);
    for (int i = 0; i < 2; i++)
        p->padding[i] = plan->problem.padding_l[i];
    launch_bind(launch, arg);
    launch_bind(launch, ARG_SCRATCHPAD);
    return dnnl_success;
}

/* Products. */

static int product_arg(int arg, const void *weights_arg) {
    return arg == DNNL_ARG_WEIGHTS ? *(const int *)weights_arg : ARG_SCRATCHPAD;
}

static dnnl_status_t append_products(struct plan *plan, const md_t *src, int weights_arg, const md_t *weights,
                                     const md_t *dst) {
    struct problem part;
    attr_t none;
    TRY(problem_init(&part, dnnl_matmul, 3));
    problem_add(&part, DNNL_ARG_SRC, false, src);
    problem_add(&part, DNNL_ARG_WEIGHTS, false, weights);
    problem_add(&part, DNNL_ARG_DST, true, dst);
    attr_init(&none);
    dnnl_status_t status = plan_append(plan, matmul_implementations, &part, &none, product_arg, &weights_arg);
    attr_clear(&none);
    problem_clear(&part);
    return status;
}

/* Results. */

/* Are the post-ops a sum with dst, as it is, and perhaps an activation after it? The kernel does that. */
static bool only_adds(const struct plan *plan) {
    const struct dnnl_post_ops *ops = &plan->attr.post_ops;
    const struct post_op *op = ops->entries;
    const md_t *dst = problem_md(&plan->problem, DNNL_ARG_DST);
    if (ops->len < 1 || ops->len > 2 || op->kind != dnnl_sum || !is_dense_image(dst)) return false;
    if (op->sum.scale != 1 || op->sum.zero_point != 0) return false;
    if (op->sum.data_type != dnnl_data_type_undef && op->sum.data_type != dnnl_f32) return false;
    return ops->len == 1 || post_op_is_activation(op + 1);
}

/* Its last buffer, dst, is left to the epilogue. */
static dnnl_status_t launch_dst(const struct epilogue_build *ep, const struct winograd_tiles *tiles,
                                const md_t *parts, bool adds, struct launch **made) {
    struct plan *plan = ep->plan;
    const md_t *bias = problem_md(&plan->problem, DNNL_ARG_BIAS);
    const struct dnnl_post_ops *ops = &plan->attr.post_ops;
    struct launch *launch;
    struct winograd_dst_params *p =
            plan_launch(plan, form_of(plan)->dst, range_of(tiles, ep->dst.dims[1]), &launch);
    if (!p) return dnnl_out_of_memory;
    p->tiles = *tiles, p->image = winograd_image_of(&ep->dst), p->parts = parts_of(parts);
    p->has_bias = bias != NULL;
    p->bias_offset = bias ? bias->offset0 : 0;
    p->adds = adds;
    if (!adds) p->activation = epilogue_plain_activation(ep);
    if (adds && ops->len > 1) p->after = post_op_activation(&ops->entries[1]);
    launch_bind(launch, ARG_SCRATCHPAD);
    launch_bind(launch, bias ? DNNL_ARG_BIAS : ARG_NOTHING);
    *made = launch;
    return dnnl_success;
}

/* The loop over tiles. */
static dnnl_status_t build_tiles(struct epilogue_build *ep, bool adds) {
    struct plan *plan = ep->plan;
    const struct winograd_tiles tiles = tiles_of(plan);
    md_t src, weights, before, after;
    int src_arg, weights_arg;
    struct launch *last;
    TRY(prepare_src(plan, &src_arg, &src));
    TRY(prepare_weights(plan, &weights_arg, &weights));
    TRY(place_parts(plan, &tiles, src.dims[1], &before));
    TRY(place_parts(plan, &tiles, ep->dst.dims[1], &after));
    const int first = plan->program->nlaunches;
    TRY(launch_src(plan, &tiles, src_arg, &src, &before));
    TRY(append_products(plan, &before, weights_arg, &weights, &after));
    TRY(launch_dst(ep, &tiles, &after, adds, &last));
    if (tiles.each < tiles.count)
        program_repeat(plan->program, plan->program->nlaunches - first,
                       (size_t)divide_up(tiles.count, tiles.each));
    return epilogue_end_plain(ep, last);
}

dnnl_status_t winograd_build_convolution(struct plan *plan) {
    TRY(accepts(plan));
    plan->problem.alg = dnnl_convolution_winograd;
    TRY(set_layouts(plan));
    const bool adds = only_adds(plan);
    struct epilogue_build ep;
    struct gemm_results results;
    TRY(epilogue_begin(&ep, plan, &(struct epilogue_spec){.lanes = 1, .f32_only = true, .plain = !adds}));
    if (md_nelems(&ep.dst, true) == 0) return dnnl_success;
    TRY(gemm_move_results(&ep, &results));
    TRY(build_tiles(&ep, adds));
    return gemm_deliver_results(&ep, &results);
}

/* Reorders. */

/* The part of a tensor that reorders copy: all of it, or the weights that follow transformed ones. */
static dnnl_status_t copied_part(const md_t *md, md_t *part) {
    *part = *md;
    return md_is_winograd(md) ? md_winograd_plain(md, part) : dnnl_success;
}

static dnnl_status_t build_reorder(struct plan *plan) {
    const md_t from = *problem_md(&plan->problem, DNNL_ARG_FROM),
               to = *problem_md(&plan->problem, DNNL_ARG_TO);
    md_t source, copy, transformed;
    if (!attr_is_default(&plan->attr)) return plan_skip(plan, "attributes");
    TRY(copied_part(&from, &source));
    TRY(copied_part(&to, &copy));
    TRY(append_reorder(plan, DNNL_ARG_FROM, &source, DNNL_ARG_TO, &copy, NULL));
    if (!md_is_winograd(&to)) return dnnl_success;
    const struct winograd_form *form = to.winograd.side == 2 ? &winograd_2x2 : &winograd_4x4;
    TRY(plan_takes(plan, form->weights));
    TRY(transformed_md(form, &to, to.winograd.panel, &transformed));
    return transform_weights(plan, form, DNNL_ARG_FROM, &source, DNNL_ARG_TO, &transformed);
}

const struct implementation winograd_reorders[] = {
        {"f32_winograd_weights", build_reorder, NULL},
        {NULL, NULL, NULL},
};
