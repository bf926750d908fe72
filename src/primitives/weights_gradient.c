/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Convolution and deconvolution, backward by weights: see kernels/weights_gradient.cl. The window slides over
 * the image, which is the src of a convolution or the diff_dst of a deconvolution; the other one of the two
 * has an element for each position of it, a place. Both are moved to channels-last f32 or f64 where they are
 * not that; with dot products of bf16, the image is copied as pairs (kernels/bf16_weights_gradient.cl). For
 * matrix tiles, see weights_gradient_tiles.c.
 * Results are panels of the channels of places.
 */
#include "base/round.h"
#include "base/verbose.h"
#include "kernels/params_gemm.h"
#include "kernels/params_weights_gradient.h"
#include "primitives/convolution.h"
#include "primitives/f64.h"
#include "primitives/gemm.h"
#include "primitives/primitives.h"
#include "primitives/reduce.h"
#include "primitives/tensor.h"
#include "primitives/weights_gradient.h"

#include <stdio.h>
#include <string.h>

const struct gemm_tile_shape gemm_gradient_14x32 = {&gemm_f32, 14,  32, &kernel_f32_weights_gradient_14x32,
                                                    NULL,      NULL};
const struct gemm_tile_shape gemm_gradient_6x16 = {&gemm_f32, 6,   16, &kernel_f32_weights_gradient_6x16,
                                                   NULL,      NULL};
static const struct gemm_tile_shape f64_6x16 = {&gemm_f64, 6,   16, &kernel_f64_weights_gradient_6x16,
                                                NULL,      NULL};
static const struct gemm_tile_shape f64_6x8 = {&gemm_f64, 6, 8, &kernel_f64_weights_gradient_6x8, NULL, NULL};
static const struct gemm_tile_shape f64_depthwise = {&gemm_f64, 2,   32, &kernel_f64_depthwise_gradient_2x32,
                                                     NULL,      NULL};
static const struct gemm_tile_shape tile_bf16 = {&gemm_f32, 14,  32, &kernel_bf16_weights_gradient_14x32,
                                                 NULL,      NULL};
static const struct gemm_tile_shape matrix_tile = {
        &gemm_f32, MATRIX_TILE, 32, &kernel_bf16_weights_gradient_32x32, NULL, NULL};
static const struct gemm_tile_shape tile_depthwise = {
        &gemm_f32, GRADIENT_TAPS, 32, &kernel_f32_depthwise_gradient_4x32, NULL, NULL};

static const struct type_row type_rows[] = {
        {BIT(dnnl_f32), BIT(dnnl_f32), BIT(dnnl_f32), BIT(dnnl_f32)},
        {BIT(dnnl_bf16), BIT(dnnl_f32) | BIT(dnnl_bf16), BIT(dnnl_f32) | BIT(dnnl_bf16), BIT(dnnl_bf16)},
        {BIT(dnnl_f16), BIT(dnnl_f32) | BIT(dnnl_f16), BIT(dnnl_f32) | BIT(dnnl_f16), BIT(dnnl_f16)},
        {BIT(dnnl_f64), BIT(dnnl_f64), BIT(dnnl_f64), BIT(dnnl_f64)},
};

dnnl_status_t gradient_accepts(struct plan *plan) {
    const struct problem *problem = &plan->problem;
    dnnl_alg_kind_t *alg = &plan->problem.alg;
    if (!types_fit(type_rows, sizeof type_rows / sizeof type_rows[0], problem_md(problem, DNNL_ARG_SRC),
                   problem_md(problem, DNNL_ARG_DIFF_WEIGHTS), problem_md(problem, DNNL_ARG_DIFF_BIAS),
                   problem_md(problem, DNNL_ARG_DIFF_DST)))
        return plan_skip(plan, "unsupported types of src, diff_weights, diff_bias and diff_dst");
    if (*alg == dnnl_convolution_winograd || *alg == dnnl_deconvolution_winograd)
        return plan_skip(plan, "the Winograd algorithm is requested");
    if (*alg == dnnl_convolution_auto) *alg = dnnl_convolution_direct;
    return dnnl_success;
}

struct gradient gradient_of(const struct problem *problem) {
    const bool convolution = problem->kind == dnnl_convolution;
    const int grouped =
            problem_md(problem, DNNL_ARG_DIFF_WEIGHTS)->ndims - problem_md(problem, DNNL_ARG_SRC)->ndims;
    return (struct gradient){.image_arg = convolution ? DNNL_ARG_SRC : DNNL_ARG_DIFF_DST,
                             .places_arg = convolution ? DNNL_ARG_DIFF_DST : DNNL_ARG_SRC,
                             .grouped = grouped,
                             .input = convolution ? grouped + 1 : grouped,
                             .output = convolution ? grouped : grouped + 1};
}

static bool is_depthwise(const struct plan *plan) {
    return gemm_tile_of(plan) == &tile_depthwise || gemm_tile_of(plan) == &f64_depthwise;
}

/* Of images that are not pairs, and of results. */
static dnnl_data_type_t type_of(const struct plan *plan) {
    return gemm_tile_of(plan)->type->reads;
}

/* For instance "Acdb32a": panels, taps, inputs, outputs of a panel; or "Abcde16a". */
static void panels_tag(const struct plan *plan, const struct gradient *g, char *tag, size_t size) {
    const int ndims = problem_md(&plan->problem, DNNL_ARG_DIFF_WEIGHTS)->ndims;
    if (is_depthwise(plan)) {
        snprintf(tag, size, "A%.*s16a", ndims - 1, "bcdef");
        return;
    }
    char order[DNNL_MAX_NDIMS + 1], *end = order;
    if (g->grouped) *end++ = 'a';
    *end++ = (char)('a' + g->output);
    for (int d = g->grouped + 2; d < ndims; d++)
        *end++ = (char)('a' + d);
    *end++ = (char)('a' + g->input);
    *end = 0;
    gemm_panels_tag(plan, order, g->output, g->input, tag, size);
}

dnnl_status_t gradient_decide_layouts(struct plan *plan, const char *weights) {
    for (int i = 0; i < plan->problem.ntensors; i++) {
        struct problem_tensor *t = &plan->problem.tensors[i];
        if (t->hint) continue;
        TRY(md_set_any(&t->md, t->arg == DNNL_ARG_DIFF_WEIGHTS ? weights
                               : t->arg == DNNL_ARG_DIFF_BIAS  ? "a"
                                                               : channels_last(t->md.ndims)));
        if (!md_is_blocked(&t->md)) return plan_skip(plan, "a layout is not blocked");
    }
    return dnnl_success;
}

/* Do kernels that read this type read the user's tensor? */
static bool is_read(const md_t *user, dnnl_data_type_t type) {
    return user->data_type == type && has_dense_channels(user);
}

/* The user's tensor, or a copy that is channels-last and of this type. */
static dnnl_status_t find_image(struct plan *plan, int arg, dnnl_data_type_t type, struct image *image) {
    const md_t user = *problem_md(&plan->problem, arg);
    md_t moved;
    if (is_read(&user, type)) {
        *image = image_of(arg, &user);
        return dnnl_success;
    }
    TRY(gemm_scratch_md(plan, &user, type, channels_last(user.ndims), &moved));
    *image = image_of(ARG_SCRATCHPAD, &moved);
    return append_reorder(plan, arg, &user, ARG_SCRATCHPAD, &moved, NULL);
}

static struct weights_gradient_params params_of(const struct gradient_product *g) {
    const struct image *image = &g->image, *places = &g->places;
    struct weights_gradient_params p = {.window = g->window,
                                        .image_offset = image->offset,
                                        .image_batch = image->batch_stride,
                                        .places_offset = places->offset,
                                        .places_batch = places->batch_stride,
                                        .groups = g->groups,
                                        .inputs = g->inputs,
                                        .outputs = g->outputs,
                                        .dst_offset = g->results->offset0,
                                        .dst_part = md_nelems(g->results, true),
                                        .dst_group = g->group,
                                        .dst_panel = g->panel};
    memcpy(p.places, places->size, sizeof p.places);
    memcpy(p.image_stride, image->stride, sizeof p.image_stride);
    memcpy(p.places_stride, places->stride, sizeof p.places_stride);
    return p;
}

/* Can dimension d, with this stride in each tensor, be merged into the one that follows it? */
static bool follows(const struct weights_gradient_params *p, int d, i64 image, i64 places) {
    const struct window *w = &p->window;
    return w->taps[d] == 1 && w->padding[d] == 0 && w->size[d] > (p->places[d] - 1) * w->stride[d]
           && image == p->places[d] * w->stride[d] * p->image_stride[d]
           && places == p->places[d] * p->places_stride[d];
}

/* Makes the last dimension longer by a factor. */
static void lengthen(struct weights_gradient_params *p, i64 times) {
    p->places[2] *= times;
    p->window.size[2] = (p->places[2] - 1) * p->window.stride[2] + 1;
}

/* Positions that are evenly apart in both tensors become one long row. Returns the batch that remains. */
static i64 merge_rows(struct weights_gradient_params *p, i64 batch) {
    struct window *w = &p->window;
    for (int d = 1; d >= 0; d--) {
        if (p->places[d] == 1 && w->taps[d] == 1 && w->padding[d] == 0) continue;
        if (w->taps[d] != 1 || w->padding[d] != 0
            || !follows(p, 2, p->image_stride[d] * w->stride[d], p->places_stride[d]))
            return batch;
        lengthen(p, p->places[d]);
        p->places[d] = w->size[d] = 1;
    }
    if (p->places[0] * p->places[1] != 1 || !follows(p, 2, p->image_batch, p->places_batch)) return batch;
    lengthen(p, batch);
    return 1;
}

/* Rows of a chunk, of at most so many: whole planes, or an even part of one, if possible of four rows or a
 * multiple, which kernels take at a time. */
static i64 rows_each(i64 plane, i64 most) {
    enum { TOGETHER = 4 };
    if (plane <= most) return plane > 0 ? most / plane * plane : most;
    for (i64 rows = most / TOGETHER * TOGETHER; rows >= TOGETHER; rows -= TOGETHER)
        if (plane % rows == 0) return rows;
    for (i64 rows = most; rows >= TOGETHER; rows--)
        if (plane % rows == 0) return rows;
    return most;
}

/* Chunks of whole rows, or pieces of long ones. */
static void set_chunks(struct weights_gradient_params *p, i64 batch, bool depthwise) {
    const i64 length = p->places[2] > 0 ? p->places[2] : 1;
    p->rows = batch * p->places[0] * p->places[1];
    p->pieces = divide_up(length, GRADIENT_POSITIONS);
    p->piece = divide_up(length, p->pieces);
    p->chunk_rows = p->pieces > 1 ? 1 : GRADIENT_POSITIONS / p->piece;
    if (depthwise) p->chunk_rows = rows_each(p->places[1], p->chunk_rows);
    p->chunks = divide_up(p->rows, p->chunk_rows) * p->pieces;
    if (p->chunks < 1) p->chunks = 1;
}

static i64 least(i64 a, i64 b) {
    return a < b ? a : b;
}

static i64 at_least_one(i64 x) {
    return x < 1 ? 1 : x;
}

/* Work-items that are enough for many threads; tiles x taps that are worth one. */
enum { ITEMS = 32, FEW_JOBS = 6 };

/* Tiles x taps of a work-item, of so many, where there are `others` for each. */
static i64 jobs_each(i64 jobs, i64 others) {
    return divide_up(jobs, least(at_least_one(jobs / FEW_JOBS), divide_up(ITEMS, others)));
}

/* Divides the work by the problem alone: first the long sums, into a few parts, then the tiles of a panel. */
static struct range divide_work(struct weights_gradient_params *p, const struct gemm_tile_shape *tile) {
    enum { PARTS = 4 };
    const i64 panels = divide_up(p->outputs, tile->panel), units = panels * p->groups;
    const i64 jobs = p->tiles * gemm_product(p->window.taps, WINDOW_DIMS);
    p->parts = least(least(PARTS, p->chunks), divide_up(ITEMS, units));
    p->jobs = jobs_each(jobs, units * p->parts);
    return range_of_groups(divide_up(jobs, p->jobs), panels, p->groups * p->parts);
}

/* The same for depthwise convolutions, whose parts are small: work-items have as many channels as leaves
 * enough of them. */
static struct range divide_depthwise(struct weights_gradient_params *p, const struct gemm_tile_shape *tile) {
    const i64 pairs = divide_up(p->outputs, tile->panel), jobs = p->tiles * gemm_product(p->window.taps, 2);
    const i64 parts = least(ITEMS, p->chunks);
    p->jobs = least(jobs_each(jobs, pairs * parts), GRADIENT_JOBS);
    p->pairs = least(least(GRADIENT_PAIRS, GRADIENT_JOBS / p->jobs), at_least_one(pairs * parts / ITEMS));
    const i64 blocks = divide_up(pairs, p->pairs);
    p->parts = least(parts, divide_up(ITEMS, blocks));
    return range_of_groups(divide_up(jobs, p->jobs), blocks, p->parts);
}

/* Columns of each part, from `first` on. */
static dnnl_status_t parts_md(md_t *md, const struct gradient_parts *parts, dnnl_dim_t first,
                              dnnl_dim_t columns) {
    const dnnl_dims_t dims = {parts->count, columns}, strides = {parts->stride, 1};
    TRY(md_init_by_strides(md, 2, dims, dnnl_f32, strides));
    md->offset0 = parts->offset + first;
    return dnnl_success;
}

dnnl_status_t gradient_add_parts(struct plan *plan, const struct gradient_parts *parts,
                                 const struct gradient_product *g) {
    const dnnl_dim_t columns = md_nelems(g->results, true);
    const dnnl_dims_t one = {1, columns};
    md_t partial, sums;
    if (type_of(plan) == dnnl_f64)
        return f64_append_sums(plan, &(struct f64_sums_request){.src_arg = ARG_SCRATCHPAD,
                                                                .dst_arg = g->arg,
                                                                .src_offset = parts->offset,
                                                                .src_row = parts->stride,
                                                                .dst_offset = g->results->offset0,
                                                                .rows = parts->count,
                                                                .columns = columns});
    TRY(parts_md(&partial, parts, 0, columns));
    TRY(md_init_by_string(&sums, 2, one, dnnl_f32, "ab"));
    sums.offset0 = g->results->offset0;
    TRY(reduce_append(plan, &(struct reduce_request){.alg = REDUCE_SUM,
                                                     .finish = REDUCE_FINISH_NONE,
                                                     .src_arg = ARG_SCRATCHPAD,
                                                     .src = &partial,
                                                     .kept = BIT(1),
                                                     .dst_arg = g->arg,
                                                     .dst = &sums}));
    if (!g->bias) return dnnl_success;
    TRY(parts_md(&partial, parts, columns, g->outputs));
    return append_bias_sums(plan, ARG_SCRATCHPAD, &partial);
}

static dnnl_status_t launch(struct plan *plan, const struct weights_gradient_params *made, struct range range,
                            const int args[3]) {
    struct launch *launch;
    struct weights_gradient_params *p = plan_launch(plan, gemm_tile_of(plan)->kernel, range, &launch);
    if (!p) return dnnl_out_of_memory;
    *p = *made;
    for (int i = 0; i < 3; i++)
        launch_bind(launch, args[i]);
    return dnnl_success;
}

/* Results that are stored once bypass the caches if they would fill them: so many floats. */
enum { STREAMED = 1 << 22 };

/* Inputs of a tile, or taps of a row of a depthwise convolution: of doubles, all of a window that
 * lib/depthwise_nine.h takes. */
static i64 most_inputs(const struct plan *plan, const struct weights_gradient_params *p) {
    const struct window *w = &p->window;
    const bool nine = w->taps[1] == 3 && p->inputs == 3 && w->step[1] == 1 && w->step[2] == 1
                      && w->stride[1] == 1 && w->stride[2] == 1 && p->outputs >= 16;
    return gemm_tile_of(plan) == &f64_depthwise && nine ? 3 : gemm_tile_of(plan)->height;
}

dnnl_status_t gradient_append_product(struct plan *plan, const struct gradient_product *g) {
    struct weights_gradient_params p = params_of(g);
    set_chunks(&p, g->pairs ? g->image.batch : merge_rows(&p, g->image.batch), g->depthwise);
    p.tiles = divide_up(p.inputs, most_inputs(plan, &p));
    p.tile = divide_up(p.inputs, p.tiles);
    const struct range range =
            g->depthwise ? divide_depthwise(&p, gemm_tile_of(plan)) : divide_work(&p, gemm_tile_of(plan));
    p.streams = p.chunks == 1 && p.dst_part >= STREAMED;
    if (g->bias) p.bias = p.dst_part, p.dst_part += g->outputs;
    const bool apart = p.parts > 1 || g->bias;
    const size_t each = (size_t)gemm_tile_of(plan)->type->bytes;
    if (apart) p.dst_offset = (i64)(plan_scratchpad(plan, (size_t)(p.parts * p.dst_part) * each) / each);
    TRY(launch(plan, &p, range, (const int[]){g->image.arg, g->places.arg, apart ? ARG_SCRATCHPAD : g->arg}));
    if (!apart) return dnnl_success;
    const struct gradient_parts all = {p.dst_offset, p.parts, p.dst_part};
    return gradient_add_parts(plan, &all, g);
}

/* Copies a bf16 image as pairs of positions that the window reads one after the other, padded on the left and
 * right. */
static dnnl_status_t pair_columns(struct plan *plan, struct gradient_product *g) {
    struct window *w = &g->window;
    const struct image from = g->image;
    const i64 columns = (g->places.size[2] - 1) * w->stride[2] + (w->taps[2] - 1) * w->step[2] + 1;
    const dnnl_dim_t size[WINDOW_DIMS] = {from.size[0], from.size[1], columns};
    g->image = gemm_scratch_image(plan, from.batch, size, from.channels);
    struct launch *launch;
    struct pair_columns_params *p =
            plan_launch(plan, &kernel_bf16_pair_columns,
                        range_of_groups(from.size[1], from.size[0], from.batch), &launch);
    if (!p) return dnnl_out_of_memory;
    *p = (struct pair_columns_params){.src_offset = from.offset,
                                      .src_batch = from.batch_stride,
                                      .dst_offset = g->image.offset,
                                      .dst_batch = g->image.batch_stride,
                                      .channels = from.channels,
                                      .size = from.size[2],
                                      .columns = columns,
                                      .front = w->padding[2],
                                      .apart = w->stride[2]};
    memcpy(p->src_stride, from.stride, sizeof p->src_stride);
    memcpy(p->dst_stride, g->image.stride, sizeof p->dst_stride);
    launch_bind(launch, from.arg);
    launch_bind(launch, g->image.arg);
    w->size[2] = columns, w->padding[2] = 0;
    return dnnl_success;
}

/* With few input channels, a row of the window becomes one tap with as many inputs: they lie one after the
 * other in an image without padding. */
static bool wants_rows(const struct plan *plan, const struct gradient_product *g) {
    return g->groups == 1 && !g->depthwise && g->window.taps[2] > 1 && g->window.step[2] == 1
           && 2 * g->inputs <= gemm_tile_of(plan)->height;
}

/* Are they so in the user's tensor? */
static bool has_rows(const struct plan *plan, int arg, const struct gradient_product *g) {
    const struct window *w = &g->window;
    const md_t *user = problem_md(&plan->problem, arg);
    bool inside = is_read(user, type_of(plan)) && image_of(arg, user).stride[2] == g->inputs;
    for (int d = 0; d < WINDOW_DIMS; d++) {
        const i64 reach = (g->places.size[d] - 1) * w->stride[d] + (w->taps[d] - 1) * w->step[d];
        inside = inside && w->padding[d] == 0 && reach < w->size[d];
    }
    return inside;
}

static void fold_taps(struct gradient_product *g) {
    g->inputs *= g->window.taps[2];
    g->window.taps[2] = 1;
}

static dnnl_status_t pad_image(struct plan *plan, int arg, struct gradient_product *g) {
    struct window *w = &g->window;
    dnnl_dim_t size[WINDOW_DIMS];
    for (int d = 0; d < WINDOW_DIMS; d++)
        size[d] = (g->places.size[d] - 1) * w->stride[d] + (w->taps[d] - 1) * w->step[d] + 1;
    TRY(gemm_move_padded(plan, arg, w->padding, size, &g->image));
    for (int d = 0; d < WINDOW_DIMS; d++)
        w->size[d] = g->image.size[d], w->padding[d] = 0;
    return dnnl_success;
}

/* Matrix tiles read copies of it, which need no padding. */
static dnnl_status_t find_tiles_image(struct plan *plan, int arg, struct gradient_product *g) {
    TRY(find_image(plan, arg, dnnl_bf16, &g->image));
    g->folds = wants_rows(plan, g) && g->image.stride[2] == g->inputs;
    if (g->folds) fold_taps(g);
    return dnnl_success;
}

/* Image and places as the kernel reads them. */
static dnnl_status_t find_images(struct plan *plan, const struct gradient *g,
                                 struct gradient_product *product) {
    const dnnl_data_type_t type = product->pairs || product->tiles ? dnnl_bf16 : type_of(plan);
    const bool folds = wants_rows(plan, product);
    TRY(find_image(plan, g->places_arg, type, &product->places));
    if (product->tiles) return find_tiles_image(plan, g->image_arg, product);
    const bool empty = product->places.batch == 0;
    if (folds && !empty && !product->pairs && !has_rows(plan, g->image_arg, product))
        TRY(pad_image(plan, g->image_arg, product));
    else
        TRY(find_image(plan, g->image_arg, type, &product->image));
    if (product->pairs && !empty) TRY(pair_columns(plan, product));
    if (folds && !empty) fold_taps(product);
    return dnnl_success;
}

/* Does the kernel that reads diff_dst also compute the gradient of the bias? */
static bool sums_bias(const struct plan *plan) {
    const struct problem *problem = &plan->problem;
    return gemm_tile_of(plan) == &tile_depthwise && problem->kind == dnnl_convolution
           && problem_md(problem, DNNL_ARG_DIFF_BIAS)
           && md_nelems(problem_md(problem, DNNL_ARG_DIFF_DST), false) > 0;
}

/* Adds the product; results are in panels. */
static dnnl_status_t append_product(struct plan *plan, const struct gradient *g, int arg,
                                    const md_t *results) {
    const dnnl_dim_t *dims = results->dims, *strides = results->blocking.strides;
    const bool depthwise = is_depthwise(plan);
    struct window window;
    window_init(&window, &plan->problem, problem_md(&plan->problem, g->image_arg));
    struct gradient_product product = {.window = window_from_last(&window, results->ndims - g->grouped - 2),
                                       .depthwise = depthwise,
                                       .bias = sums_bias(plan),
                                       .pairs = gemm_tile_of(plan) == &tile_bf16,
                                       .tiles = gemm_tile_of(plan) == &matrix_tile,
                                       .groups = g->grouped && !depthwise ? dims[0] : 1,
                                       .inputs = dims[g->input],
                                       .outputs = dims[depthwise ? 0 : g->output],
                                       .group = g->grouped ? strides[0] : 0,
                                       .panel = strides[depthwise ? 0 : g->output],
                                       .arg = arg,
                                       .results = results};
    if (depthwise) product.inputs = product.window.taps[2];
    TRY(find_images(plan, g, &product));
    return product.tiles ? gradient_append_tiles(plan, &product) : gradient_append_product(plan, &product);
}

/* Outputs that fill less of a panel are computed by a narrower kernel: of f32, those of half a vector.
 * Measured 2026-11-18 on a Xeon with AMX, 64 channels of 56x56 and 16 outputs: 518 us instead of 768, 12
 * outputs 600 instead of 767, 8 outputs 597 instead of 575. */
static dnnl_dim_t few_outputs(const struct plan *plan) {
    const struct gemm_tile_shape *tile = gemm_tile_of(plan);
    return tile == &gemm_gradient_14x32 ? 8 : tile == &tile_bf16 ? 16 : 0;
}

static dnnl_status_t check_channels(const struct plan *plan, const struct gradient *g) {
    const dnnl_dim_t *dims = problem_md(&plan->problem, DNNL_ARG_DIFF_WEIGHTS)->dims;
    const bool depthwise = g->grouped && dims[0] > 1 && dims[1] == 1 && dims[2] == 1;
    if (is_depthwise(plan)) return depthwise ? dnnl_success : plan_skip(plan, "not a depthwise convolution");
    if (dims[g->output] <= few_outputs(plan))
        return plan_skip(plan, "few output channels: a narrower tile wastes less");
    return dnnl_success;
}

/* Operands of bf16, or for matrix tiles those of f32 that are rounded. */
static dnnl_status_t check_pairs(const struct plan *plan, const struct gradient *g) {
    const struct problem *problem = &plan->problem;
    const bool tiles = gemm_tile_of(plan) == &matrix_tile;
    if (gemm_tile_of(plan) != &tile_bf16 && !tiles) return dnnl_success;
    const md_t *places = problem_md(problem, g->places_arg);
    const dnnl_data_type_t type = problem_md(problem, DNNL_ARG_SRC)->data_type;
    const dnnl_dim_t columns = places->dims[1] > 0 ? md_nelems(places, false) / places->dims[1] : 0,
                     products = columns * md_nelems(problem_md(problem, DNNL_ARG_DIFF_WEIGHTS), false);
    if (type == dnnl_bf16 || (tiles && type == dnnl_f32 && gemm_rounds(plan, columns, products)))
        return dnnl_success;
    return plan_skip(plan, "src is not bf16");
}

static dnnl_status_t build(struct plan *plan) {
    TRY(plan_takes(plan, gemm_tile_of(plan)->kernel));
    TRY(gradient_accepts(plan));
    if ((problem_md(&plan->problem, DNNL_ARG_SRC)->data_type == dnnl_f64) != (type_of(plan) == dnnl_f64))
        return plan_skip(plan, "tensors are f64, or kernels are");
    const struct gradient g = gradient_of(&plan->problem);
    char panels[32];
    TRY(check_pairs(plan, &g));
    TRY(check_channels(plan, &g));
    panels_tag(plan, &g, panels, sizeof panels);
    TRY(gradient_decide_layouts(plan, panels));
    const md_t user = *problem_md(&plan->problem, DNNL_ARG_DIFF_WEIGHTS);
    if (md_nelems(&user, false) == 0) return append_bias_gradient(plan);
    if (user.data_type == type_of(plan) && md_matches_tag(&user, panels)) {
        TRY(append_product(plan, &g, DNNL_ARG_DIFF_WEIGHTS, &user));
        return sums_bias(plan) ? dnnl_success : append_bias_gradient(plan);
    }
    md_t own;
    TRY(gemm_scratch_md(plan, &user, type_of(plan), panels, &own));
    TRY(append_product(plan, &g, ARG_SCRATCHPAD, &own));
    TRY(append_reorder(plan, ARG_SCRATCHPAD, &own, DNNL_ARG_DIFF_WEIGHTS, &user, NULL));
    return sums_bias(plan) ? dnnl_success : append_bias_gradient(plan);
}

const struct implementation convolution_backward_weights[] = {
        {"f32_depthwise_gradient_4x32", build, &tile_depthwise},
        {"bf16_weights_gradient_32x32", build, &matrix_tile},
        {"bf16_weights_gradient_14x32", build, &tile_bf16},
        {"f32_weights_gradient_14x32", build, &gemm_gradient_14x32},
        {"f32_weights_gradient_6x16", build, &gemm_gradient_6x16},
        {"f64_depthwise_gradient_2x32", build, &f64_depthwise},
        {"f64_weights_gradient_6x16", build, &f64_6x16},
        {"f64_weights_gradient_6x8", build, &f64_6x8},
        {"convolution", gradient_build_by_convolution, NULL},
        {NULL, NULL, NULL},
};
