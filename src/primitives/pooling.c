/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pooling, forward: its creation function and its plans, the universal one and those for CPUs, for images
 * with dense channels or dense rows.
 */
#include "base/round.h"
#include "primitives/epilogue.h"
#include "primitives/tensor.h"
#include "kernels/params_pooling.h"
#include "oneapi/dnnl/dnnl.h"
#include "primitives/apart.h"
#include "primitives/moved.h"
#include "primitives/pooling.h"
#include "primitives/primitives.h"

#include <float.h>

static const char component[] = "pooling";

static dnnl_status_t check_axis(const struct pooling_request *r, int i) {
    struct window_axis axis = window_axis(&r->window, i, r->src->dims[i + 2], r->dst->dims[i + 2]);
    REQUIRE(axis.stride > 0, "stride %d is not positive", i);
    REQUIRE(axis.dilation >= 0, "dilation %d is negative", i);
    REQUIRE(axis.padding_l >= 0, "left padding %d is negative", i);
    REQUIRE(axis.padding_r >= -axis.stride, "right padding %d is below minus the stride", i);
    dnnl_dim_t places, extent;
    REQUIRE(window_places(&axis, &places) && window_extent(&axis, &extent) && places == axis.dst,
            "spatial dimension %d does not match the window", i);
    bool sees_src = axis.padding_l < extent && axis.padding_r < extent && axis.dilation < axis.src;
    REQUIRE(r->alg != dnnl_pooling_avg_exclude_padding || sees_src,
            "a window may be entirely in the padding along dimension %d", i);
    return dnnl_success;
}

dnnl_status_t pooling_check(const struct pooling_request *r) {
    const md_t *src = r->src, *dst = r->dst;
    REQUIRE(src && dst && r->window.strides && r->window.kernel && r->window.padding_l,
            "an argument is NULL");
    REQUIRE(r->alg == dnnl_pooling_max || r->alg == dnnl_pooling_avg_include_padding
                    || r->alg == dnnl_pooling_avg_exclude_padding,
            "unknown algorithm");
    REQUIRE(!prop_is_forward(r->prop) || !md_is_any(src), "the layout of src is undefined");
    TRY(check_no_host_scalars(component, MDS(src, dst)));
    TRY(check_sizes_known(component, MDS(src, dst)));
    REQUIRE(pooling_accumulation_type(src->data_type, dst->data_type) != dnnl_data_type_undef,
            "bad combination of the types of src and dst");
    REQUIRE(src->ndims >= 3 && src->ndims <= 5, "src has %d dimensions", src->ndims);
    REQUIRE(dst->ndims == src->ndims, "src has %d dimensions, dst %d", src->ndims, dst->ndims);
    REQUIRE(src->dims[0] == dst->dims[0] && src->dims[1] == dst->dims[1],
            "batch or channels of src differ from those of dst");
    for (int i = 0; i < src->ndims - 2; i++)
        TRY(check_axis(r, i));
    return dnnl_success;
}

static dnnl_status_t check_request_attr(const struct pooling_request *r, const struct dnnl_engine *engine,
                                        const attr_t *attr) {
    static const struct attr_rules rules = {
            .parts = ATTR_POST_OPS,
            .post_ops = BIT(dnnl_binary) | BIT(dnnl_eltwise),
    };
    TRY(check_attr(component, engine, attr, &rules));
    return check_post_ops(component, engine, attr, &rules, r->dst);
}

/* The workspace for the backward pass: the number of the maximum's tap, u8 if it fits. */
static md_t workspace_md(const md_t *dst, const dnnl_dim_t *kernel) {
    dnnl_dim_t taps = 1;
    bool fits = true;
    for (int i = 0; i < dst->ndims - 2; i++)
        fits = fits && !__builtin_mul_overflow(taps, kernel[i], &taps);
    md_t md = *dst;
    md.data_type = fits && taps <= UINT8_MAX ? dnnl_u8 : dnnl_s32;
    return md;
}

dnnl_status_t dnnl_pooling_forward_primitive_desc_create(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, dnnl_prop_kind_t prop, dnnl_alg_kind_t alg,
        const_dnnl_memory_desc_t src, const_dnnl_memory_desc_t dst, const dnnl_dims_t strides,
        const dnnl_dims_t kernel, const dnnl_dims_t dilation, const dnnl_dims_t padding_l,
        const dnnl_dims_t padding_r, const_dnnl_primitive_attr_t attr) {
    REQUIRE(prop_is_forward(prop), "not a forward propagation");
    struct pooling_request r = {.prop = prop, .alg = alg, .src = src, .dst = dst};
    r.window = (struct window_vectors){kernel, strides, dilation, padding_l, padding_r};
    TRY(pooling_check(&r));
    TRY(check_request_attr(&r, engine, attr));

    struct problem problem;
    TRY(problem_init(&problem, dnnl_pooling, 3));
    problem.prop = prop;
    problem.alg = alg;
    problem_set_window(&problem, &r.window, src->ndims - 2);
    problem_add(&problem, DNNL_ARG_SRC, false, src);
    problem_add(&problem, DNNL_ARG_DST, true, dst);
    if (alg == dnnl_pooling_max && prop == dnnl_forward_training) {
        md_t workspace = workspace_md(dst, kernel);
        problem_add(&problem, DNNL_ARG_WORKSPACE, true, &workspace);
    }
    return create_desc(component, pd, engine, &problem, attr);
}

/* The lowest value of the type: the initial value of a maximum. */
static float lowest(dnnl_data_type_t type) {
    switch (type) {
    case dnnl_f16: return -65504.0f;
    case dnnl_bf16: return -0x1.fep127f;
    case dnnl_f8_e5m2: return -57344.0f;
    case dnnl_f8_e4m3: return -448.0f;
    case dnnl_s32: return -0x1p31f;
    case dnnl_s8: return -128.0f;
    case dnnl_u8: return 0.0f;
    default: return -FLT_MAX;
    }
}

i32 pooling_code(dnnl_alg_kind_t alg) {
    switch (alg) {
    case dnnl_pooling_max: return POOLING_MAX;
    case dnnl_pooling_avg_include_padding: return POOLING_AVG_INCLUDE_PADDING;
    default: return POOLING_AVG_EXCLUDE_PADDING;
    }
}

dnnl_dim_t pooling_taps(const struct window *window) {
    dnnl_dim_t taps = 1;
    for (int i = 0; i < WINDOW_DIMS; i++)
        taps *= window->taps[i] > 0 ? window->taps[i] : 0;
    return taps;
}

dnnl_dim_t pooling_pitch(const md_t *md) {
    const struct md_blocking *b = &md->blocking;
    if (md_is_plain(md)) return md->dims[1] == 1 || b->strides[1] == 1 ? POOLING_LANES : 0;
    const bool blocks = md_is_blocked(md) && b->inner_nblks == 1 && b->inner_idxs[0] == 1
                        && b->inner_blks[0] == POOLING_LANES && !md_has_padding(md);
    return blocks ? b->strides[1] : 0;
}

void pooling_share(i64 rows, i64 length, i64 channels, i64 work, i64 *span, i64 *group) {
    const i64 wanted = channels < work ? work / channels : 1, most = wanted < length ? wanted : length;
    *span = divide_up(length, divide_up(length, most));
    *group = wanted / length > 1 ? wanted / length : 1;
    if (*group > rows) *group = rows;
}

void pooling_set_image(struct pooling_image *to, const md_t *md) {
    const struct image image = image_of(0, md);
    *to = (struct pooling_image){.offset = image.offset,
                                 .batch = image.batch_stride,
                                 .channel = image.channel_stride,
                                 .pitch = pooling_pitch(md),
                                 .end = image_end(&image)};
    for (int d = 0; d < WINDOW_DIMS; d++)
        to->stride[d] = image.stride[d];
}

static dnnl_status_t choose_layouts(struct problem *problem) {
    md_t *src = problem_md(problem, DNNL_ARG_SRC), *dst = problem_md(problem, DNNL_ARG_DST);
    md_t *workspace = problem_md(problem, DNNL_ARG_WORKSPACE);
    TRY(md_set_any_like(dst, src));
    if (!workspace || !md_is_any(workspace)) return dnnl_success;
    dnnl_data_type_t type = workspace->data_type;
    *workspace = *dst;
    workspace->data_type = type;
    return dnnl_success;
}

/* Types of dense rows and of dense channels. */
static const uint64_t vector_types =
        BIT(dnnl_f32) | BIT(dnnl_bf16) | BIT(dnnl_f16) | BIT(dnnl_s32) | TYPES_INT8 | TYPES_FP8;

/* Can vectors of channels be loaded and stored? */
static bool has_vectors(const md_t *md) {
    return in_set(vector_types, md->data_type) && pooling_pitch(md) != 0;
}

/* Floats have too few digits for maxima of s32. */
static bool is_exact(const struct plan *plan) {
    return plan->problem.alg == dnnl_pooling_max && plan->attr.post_ops.len == 0
           && problem_md(&plan->problem, DNNL_ARG_SRC)->data_type == dnnl_s32
           && problem_md(&plan->problem, DNNL_ARG_DST)->data_type == dnnl_s32;
}

/* Of vectors: the bits of the lowest s32 are those of -0. */
static float lowest_of(bool exact, dnnl_data_type_t type) {
    return exact ? -0.0f : lowest(type);
}

static dnnl_status_t build_universal(struct plan *plan) {
    TRY(choose_layouts(&plan->problem));
    const md_t src = *problem_md(&plan->problem, DNNL_ARG_SRC),
               dst = *problem_md(&plan->problem, DNNL_ARG_DST);
    if (!in_set(TYPES_ELEMENT, src.data_type) || !in_set(TYPES_ELEMENT, dst.data_type))
        return plan_skip(plan, "unsupported types of src and dst");
    if (!md_is_blocked(&src) || !md_is_blocked(&dst)) return plan_skip(plan, "a layout is not blocked");
    struct epilogue_build ep;
    TRY(epilogue_begin(&ep, plan, &(struct epilogue_spec){.lanes = -1, .whole_bytes = true}));
    if (md_nelems(&ep.dst, true) == 0) return dnnl_success;
    const md_t *workspace = problem_md(&plan->problem, DNNL_ARG_WORKSPACE);
    if (workspace && !ep.direct) return plan_skip(plan, "training, and post-ops need several launches");

    struct launch *launch;
    struct pooling_params *p = plan_launch(plan, &kernel_pooling_universal, (struct range){0}, &launch);
    if (!p) return dnnl_out_of_memory;
    window_init(&p->window, &plan->problem, &src);
    p->taps = pooling_taps(&p->window);
    p->alg = pooling_code(plan->problem.alg);
    p->lowest = lowest(dst.data_type);
    p->exact = is_exact(plan);
    p->workspace_type = workspace ? (i32)workspace->data_type : 0;
    p->workspace_offset = workspace ? workspace->offset0 - dst.offset0 : 0;
    tensor_init(&p->src, &src);
    launch->range = walk_init_cost(&p->walk, &ep.dst, plan->device, p->taps);
    launch_bind(launch, DNNL_ARG_SRC);
    launch_bind(launch, workspace ? DNNL_ARG_WORKSPACE : ARG_NOTHING);
    return epilogue_end(&ep, launch, &p->epilogue);
}

bool pooling_takes_doubles(const md_t *md) {
    return md->data_type == dnnl_f64 && md_is_plain(md) && !md_has_padding(md) && pooling_pitch(md) != 0;
}

void pooling_set_doubles(struct f64_pooling_params *p, const struct problem *problem, const md_t *src,
                         const md_t *dst, const md_t *workspace, bool backward) {
    const struct image images = image_of(0, backward ? src : dst), outputs = image_of(0, dst);
    struct window window;
    window_init(&window, problem, src);
    *p = (struct f64_pooling_params){.window = window_from_last(&window, src->ndims - 2),
                                     .alg = pooling_code(problem->alg),
                                     .workspace_type = workspace ? (i32)workspace->data_type : 0,
                                     .taps = pooling_taps(&window),
                                     .channels = outputs.channels,
                                     .rows = images.batch * images.size[0] * images.size[1]};
    for (int d = 0; d < WINDOW_DIMS; d++)
        p->places[d] = outputs.size[d];
    pooling_set_image(&p->from, backward ? dst : src);
    pooling_set_image(&p->to, backward ? src : dst);
    if (workspace) pooling_set_image(&p->workspace, workspace);
}

static bool has_rows_of_doubles(const md_t *md) {
    return md->data_type == dnnl_f64 && md_is_plain(md) && !md_has_padding(md)
           && md->blocking.strides[md->ndims - 1] == 1;
}

/* In doubles, where rows are dense. */
static dnnl_status_t build_rows_of_doubles(struct plan *plan) {
    enum { ELEMENTS = 16384 };
    struct launch *launch;
    TRY(plan_takes(plan, &kernel_f64_pooling_rows));
    TRY(choose_layouts(&plan->problem));
    const md_t *src = problem_md(&plan->problem, DNNL_ARG_SRC),
               *dst = problem_md(&plan->problem, DNNL_ARG_DST),
               *workspace = problem_md(&plan->problem, DNNL_ARG_WORKSPACE);
    if (!has_rows_of_doubles(src) || !has_rows_of_doubles(dst)
        || (workspace && workspace->blocking.strides[dst->ndims - 1] != 1))
        return plan_skip(plan, "not f64 with dense rows");
    if (pooling_takes_doubles(src) && pooling_takes_doubles(dst)) return plan_skip(plan, "channels are last");
    if (plan->attr.post_ops.len > 0) return apart_build(plan, pooling_forward);
    if (md_nelems(dst, true) == 0) return dnnl_success;
    struct f64_pooling_params *p = plan_launch(plan, &kernel_f64_pooling_rows, (struct range){0}, &launch);
    if (!p) return dnnl_out_of_memory;
    pooling_set_doubles(p, &plan->problem, src, dst, workspace, false);
    if (pooling_outputs_at_once(&p->window) < p->places[2]) return plan_skip(plan, "rows are too long");
    const i64 rows = p->places[0] * p->places[1], cost = p->places[2] * p->taps;
    p->rows = ELEMENTS / (cost > 0 ? cost : 1) + 4;
    launch->range = range_of_groups(divide_up(rows, p->rows), p->channels, dst->dims[0]);
    launch_bind(launch, DNNL_ARG_SRC);
    launch_bind(launch, workspace ? DNNL_ARG_WORKSPACE : ARG_NOTHING);
    launch_bind(launch, DNNL_ARG_DST);
    return dnnl_success;
}

/* In doubles, with channels last, which other types and layouts are moved to. */
static dnnl_status_t build_doubles(struct plan *plan) {
    struct moved moved = {.plan = plan};
    struct launch *launch;
    TRY(plan_takes(plan, &kernel_f64_pooling));
    TRY(choose_layouts(&plan->problem));
    const md_t *src = problem_md(&plan->problem, DNNL_ARG_SRC),
               *dst = problem_md(&plan->problem, DNNL_ARG_DST),
               *workspace = problem_md(&plan->problem, DNNL_ARG_WORKSPACE);
    if (src->data_type != dnnl_f64 && dst->data_type != dnnl_f64) return plan_skip(plan, "no tensor is f64");
    if (!md_is_blocked(src) || !md_is_blocked(dst)) return plan_skip(plan, "a layout is not blocked");
    if (plan->attr.post_ops.len > 0) return apart_build(plan, pooling_forward);
    if (md_nelems(dst, true) == 0) return dnnl_success;
    const char *tag = channels_last(src->ndims);
    const bool moves_dst = !pooling_takes_doubles(dst);
    if (!pooling_takes_doubles(src)) TRY(moved_add(&moved, DNNL_ARG_SRC, dnnl_f64, tag));
    if (moves_dst) TRY(moved_add(&moved, DNNL_ARG_DST, dnnl_f64, tag));
    if (moves_dst && workspace) TRY(moved_add(&moved, DNNL_ARG_WORKSPACE, workspace->data_type, tag));
    if (moved.count > 0) return moved_build(&moved, pooling_forward);
    struct f64_pooling_params *p = plan_launch(plan, &kernel_f64_pooling, (struct range){0}, &launch);
    if (!p) return dnnl_out_of_memory;
    pooling_set_doubles(p, &plan->problem, src, dst, workspace, false);
    launch->range = range_of_items(p->rows, full_group(plan->device));
    launch_bind(launch, DNNL_ARG_SRC);
    launch_bind(launch, workspace ? DNNL_ARG_WORKSPACE : ARG_NOTHING);
    launch_bind(launch, DNNL_ARG_DST);
    return dnnl_success;
}

/* Bytes whose results are bytes of the same type, and whose sums fit into 16 bits. */
static bool is_of_bytes(const struct pooling_dense_params *p, dnnl_data_type_t src, dnnl_data_type_t dst) {
    return in_set(TYPES_INT8, src) && src == dst && !p->finished
           && (p->alg == POOLING_MAX || p->taps <= UINT8_MAX);
}

/* Rows of large channels-last images are asked for before they are read. */
static i64 lines_ahead(const struct pooling_dense_params *p, const md_t *src, size_t cache) {
    enum { LINE = 64, VECTORS = 4 };
    const i64 *stride = p->images.window.stride, *strides = p->images.src_stride;
    const bool dense = p->src_pitch == POOLING_LANES && strides[2] == p->images.channels;
    if (!dense || cache == 0 || md_size(src, 0) < cache) return 0;
    return stride[1] * stride[2] * VECTORS * POOLING_LANES * (i64)dt_size(src->data_type) / LINE;
}

/* Are results whole lines of the cache, one after the other? */
static bool has_lines(const struct pooling_dense_params *p, const md_t *dst) {
    enum { LINE = 64 };
    return !p->finished
           && (!md_is_plain(dst) || p->images.channels * (i64)dt_size(dst->data_type) % LINE == 0);
}

/* Windows that share columns want long parts of rows, if there are enough for all threads. */
static void share_outputs(struct pooling_dense_params *p, struct launch *launch, dnnl_dim_t batches,
                          i64 threads) {
    enum { OUTPUTS = 2048, MANY = 16384, PARTS = 4 };
    const struct window *w = &p->images.window;
    const i64 *places = p->images.places, rows = places[0] * places[1];
    const bool slides = p->alg == POOLING_MAX && w->taps[2] == 3 && w->stride[2] == 1 && w->step[2] == 1;
    const bool enough = batches * rows * places[2] * p->images.channels / MANY >= threads * PARTS;
    pooling_share(rows, places[2], p->images.channels, slides && enough ? MANY : OUTPUTS, &p->span, &p->rows);
    launch->range = range_of_groups(divide_up(places[2], p->span), divide_up(rows, p->rows), batches);
}

static dnnl_status_t build_dense(struct plan *plan) {
    const struct kernel *kernel = plan->implementation->data;
    TRY(plan_takes(plan, kernel));
    bool trains = kernel == &kernel_pooling_training_16;
    if (trains != (problem_md(&plan->problem, DNNL_ARG_WORKSPACE) != NULL))
        return plan_skip(plan, trains ? "no workspace" : "there is a workspace");
    TRY(choose_layouts(&plan->problem));
    const md_t src = *problem_md(&plan->problem, DNNL_ARG_SRC),
               dst = *problem_md(&plan->problem, DNNL_ARG_DST);
    if (!has_vectors(&src) || !has_vectors(&dst))
        return plan_skip(plan, "channels are neither last nor in blocks of 16, or are f64");
    struct epilogue_build ep;
    TRY(epilogue_begin(&ep, plan, &(struct epilogue_spec){.lanes = 1}));
    if (md_nelems(&ep.dst, true) == 0) return dnnl_success;
    if (trains && !ep.direct) return plan_skip(plan, "training, and post-ops need several launches");

    struct launch *launch;
    struct pooling_dense_params *p = plan_launch(plan, kernel, (struct range){0}, &launch);
    if (!p) return dnnl_out_of_memory;
    struct image from = image_of(DNNL_ARG_SRC, &src), to = image_of(ep.dst_arg, &ep.dst);
    window_images_init(&p->images, &plan->problem, &from, &to);
    p->taps = pooling_taps(&p->images.window);
    p->alg = pooling_code(plan->problem.alg);
    p->exact = is_exact(plan);
    p->lowest = lowest_of(p->exact, dst.data_type);
    p->src_type = (i32)src.data_type;
    p->src_pitch = pooling_pitch(&src);
    p->dst_pitch = pooling_pitch(&ep.dst);
    p->src_end = image_end(&from);
    share_outputs(p, launch, to.batch, plan->device->info.compute_units);
    launch_bind(launch, DNNL_ARG_SRC);
    if (trains) {
        const md_t *workspace = problem_md(&plan->problem, DNNL_ARG_WORKSPACE);
        p->workspace_type = (i32)workspace->data_type;
        p->workspace_offset = workspace->offset0 - ep.dst.offset0;
        launch_bind(launch, DNNL_ARG_WORKSPACE);
    }
    TRY(epilogue_end(&ep, launch, &p->epilogue));
    p->finished = p->epilogue.nops > 0;
    p->bytes = is_of_bytes(p, src.data_type, ep.dst.data_type);
    p->lines_ahead = lines_ahead(p, &src, plan_cache(plan));
    if (has_lines(p, &ep.dst)) launch_may_stream_to(launch, ep.dst_arg, &p->streams);
    return dnnl_success;
}

/* Are rows of the image dense? */
static bool has_dense_rows(const md_t *md) {
    return in_set(vector_types, md->data_type) && md_is_plain(md) && md->blocking.strides[md->ndims - 1] == 1;
}

i64 pooling_outputs_at_once(const struct window *w) {
    i64 reach;
    if (__builtin_mul_overflow(w->taps[2] - 1, w->step[2], &reach) || reach >= POOLING_ROW) return 0;
    return (POOLING_ROW - 1 - reach) / w->stride[2] + 1;
}

/* Are windows short enough for the folded kernel? In training it pools one row of a window
 * after the other, which is slow for many. */
static bool folded_fits(const struct window *w, bool trains) {
    enum { ROWS = 9 };
    return pooling_outputs_at_once(w) > 0
           && (!trains || (w->taps[0] <= ROWS && w->taps[1] <= ROWS && w->taps[0] * w->taps[1] <= ROWS));
}

/* Images that have channels elsewhere. If src can be pooled as it is, only results move. */
static dnnl_status_t build_moved(struct plan *plan) {
    struct moved moved = {.plan = plan};
    TRY(plan_takes(plan, &kernel_pooling_16));
    TRY(choose_layouts(&plan->problem));
    const md_t *src = problem_md(&plan->problem, DNNL_ARG_SRC),
               *dst = problem_md(&plan->problem, DNNL_ARG_DST),
               *workspace = problem_md(&plan->problem, DNNL_ARG_WORKSPACE);
    if (!in_set(vector_types, src->data_type) || !in_set(vector_types, dst->data_type))
        return plan_skip(plan, "unsupported types of src and dst");
    struct window window;
    window_init(&window, &plan->problem, src);
    window = window_from_last(&window, src->ndims - 2);
    const bool planes = has_dense_rows(src) && !has_vectors(src) && in_set(vector_types, dst->data_type)
                        && folded_fits(&window, workspace != NULL);
    static const char *const row_major[] = {[3] = "abc", [4] = "abcd", [5] = "abcde"};
    const char *tag = planes ? row_major[src->ndims] : channels_last(src->ndims);
    const bool moves_src = !planes && !has_vectors(src),
               moves_dst = planes ? !has_dense_rows(dst) : !has_vectors(dst);
    if (!moves_src && !moves_dst) return plan_skip(plan, "a kernel takes both layouts");
    if (md_nelems(dst, true) == 0) return dnnl_success;
    if (moves_src) TRY(moved_add(&moved, DNNL_ARG_SRC, src->data_type, tag));
    if (moves_dst) TRY(moved_add(&moved, DNNL_ARG_DST, dst->data_type, tag));
    if (moves_dst && workspace) TRY(moved_add(&moved, DNNL_ARG_WORKSPACE, workspace->data_type, tag));
    return moved_build(&moved, pooling_forward);
}

/* Chooses how many outputs of how many rows are computed at once. */
static void set_part(struct pooling_folded_params *p) {
    const struct window *w = &p->images.window;
    const i64 most = pooling_outputs_at_once(w), wanted = p->images.places[2];
    p->outputs = most < POOLING_OUTPUTS ? most : POOLING_OUTPUTS;
    const i64 outputs = wanted < p->outputs ? wanted : p->outputs;
    const i64 length = (outputs - 1) * w->stride[2] + (w->taps[2] - 1) * w->step[2] + 1;
    p->pitch = divide_up(length, POOLING_LANES) * POOLING_LANES
               + 3 * POOLING_LANES; /* up to the end of the last vectors */
    p->together = POOLING_SPACE / p->pitch < POOLING_ROWS ? POOLING_SPACE / p->pitch : POOLING_ROWS;
}

/* Divides the work so that a work-item reads about ELEMENTS elements of src. */
static void share_folded(struct pooling_folded_params *p, struct launch *launch, dnnl_dim_t batches) {
    enum { ELEMENTS = 32768 };
    const i64 rows = p->images.places[0] * p->images.places[1], cost = p->images.places[2] * p->taps;
    const i64 wanted = cost < ELEMENTS ? ELEMENTS / (cost > 0 ? cost : 1) : 1;
    p->by_channel = p->images.places[1] == 1;
    p->rows = wanted < rows ? wanted : rows;
    p->channels = wanted / rows > 1 ? wanted / rows : 1;
    launch->range =
            range_of_groups(divide_up(rows, p->rows), divide_up(p->images.channels, p->channels), batches);
}

/* The kernel uses 32-bit positions along a row. */
static bool rows_are_short(const struct window_images *images) {
    const struct window *w = &images->window;
    const i64 most = 1 << 28;
    i64 reach;
    return w->size[2] < most && w->padding[2] < most && w->stride[2] < most / POOLING_LANES
           && !__builtin_mul_overflow(w->taps[2], w->step[2], &reach) && reach < most;
}

/* Divides the work so that a work-item reads about ELEMENTS elements of src. */
static void share_planes(struct pooling_planes_params *p, struct launch *launch, dnnl_dim_t batches) {
    enum { ELEMENTS = 8192 };
    const i64 rows = p->images.places[0] * p->images.places[1],
              cost = p->images.places[2] * p->taps * POOLING_PLANES;
    const i64 wanted = cost < ELEMENTS ? ELEMENTS / (cost > 0 ? cost : 1) : 1;
    p->rows = wanted < rows ? wanted : rows;
    p->channels = (wanted / rows > 1 ? wanted / rows : 1) * POOLING_PLANES;
    launch->range =
            range_of_groups(divide_up(rows, p->rows), divide_up(p->images.channels, p->channels), batches);
}

/* The same of windows that share the maxima of columns: long runs of whole rows. */
static void share_slides(struct pooling_planes_params *p, struct launch *launch, dnnl_dim_t batches) {
    enum { ELEMENTS = 16384 };
    const i64 rows = p->images.places[0] * p->images.places[1], wanted = ELEMENTS / p->images.places[2] + 1;
    p->rows = wanted < rows ? wanted : rows;
    p->channels = wanted / rows > 1 ? wanted / rows : 1;
    launch->range =
            range_of_groups(divide_up(rows, p->rows), divide_up(p->images.channels, p->channels), batches);
}

static bool has_slides(const struct pooling_planes_params *p) {
    const struct window *w = &p->images.window;
    return p->alg == POOLING_MAX && p->workspace_type == 0 && w->taps[2] == 3 && w->stride[2] == 1
           && w->step[2] == 1 && w->padding[2] == 1 && p->images.places[2] == w->size[2]
           && w->size[2] >= POOLING_LANES;
}

/* Is there one window, which is the whole plane, and is that a dense run? */
static bool is_global(const struct window_images *images) {
    const struct window *w = &images->window;
    i64 run = 1;
    for (int d = WINDOW_DIMS - 1; d >= 0; d--) {
        if (images->places[d] != 1 || w->padding[d] != 0 || w->taps[d] != w->size[d]) return false;
        if (w->size[d] != 1 && (w->step[d] != 1 || images->src_stride[d] != run)) return false;
        run *= w->size[d];
    }
    return true;
}

static dnnl_status_t build_planes(struct plan *plan) {
    const struct kernel *kernel = plan->implementation->data;
    TRY(plan_takes(plan, kernel));
    if (plan->attr.post_ops.len > 0) return plan_skip(plan, "post-ops");
    TRY(choose_layouts(&plan->problem));
    const md_t src = *problem_md(&plan->problem, DNNL_ARG_SRC),
               dst = *problem_md(&plan->problem, DNNL_ARG_DST),
               *workspace = problem_md(&plan->problem, DNNL_ARG_WORKSPACE);
    if (src.data_type != dnnl_f32 || dst.data_type != dnnl_f32 || !has_dense_rows(&src)
        || !has_dense_rows(&dst))
        return plan_skip(plan, "not f32 with dense rows");
    if (md_nelems(&dst, true) == 0) return dnnl_success;
    struct image from = image_of(DNNL_ARG_SRC, &src), to = image_of(DNNL_ARG_DST, &dst);
    struct launch *launch;
    struct pooling_planes_params *p = plan_launch(plan, kernel, (struct range){0}, &launch);
    if (!p) return dnnl_out_of_memory;
    window_images_init(&p->images, &plan->problem, &from, &to);
    if (!rows_are_short(&p->images)) return plan_skip(plan, "rows are too long");
    p->src_channel = from.channel_stride;
    p->dst_channel = to.channel_stride;
    p->src_end = image_end(&from);
    p->taps = pooling_taps(&p->images.window);
    p->alg = pooling_code(plan->problem.alg);
    p->lowest = lowest(dnnl_f32);
    p->global_average = p->alg != POOLING_MAX && is_global(&p->images);
    p->workspace_type = workspace ? (i32)workspace->data_type : 0;
    p->workspace_offset = workspace ? workspace->offset0 - dst.offset0 : 0;
    p->slides = has_slides(p);
    if (p->slides)
        share_slides(p, launch, to.batch);
    else
        share_planes(p, launch, to.batch);
    launch_bind(launch, DNNL_ARG_SRC);
    launch_bind(launch, workspace ? DNNL_ARG_WORKSPACE : ARG_NOTHING);
    launch_bind(launch, DNNL_ARG_DST);
    if (p->slides) launch_may_stream_to(launch, DNNL_ARG_DST, &p->streams);
    return dnnl_success;
}

static dnnl_status_t build_folded(struct plan *plan) {
    const struct kernel *kernel = plan->implementation->data;
    TRY(plan_takes(plan, kernel));
    TRY(choose_layouts(&plan->problem));
    const md_t src = *problem_md(&plan->problem, DNNL_ARG_SRC),
               dst = *problem_md(&plan->problem, DNNL_ARG_DST),
               *workspace = problem_md(&plan->problem, DNNL_ARG_WORKSPACE);
    if (!has_dense_rows(&src) || !has_dense_rows(&dst)) return plan_skip(plan, "rows are not dense");
    struct epilogue_build ep;
    TRY(epilogue_begin(&ep, plan, &(struct epilogue_spec){.lanes = dst.ndims - 1}));
    if (md_nelems(&ep.dst, true) == 0) return dnnl_success;
    if (workspace && !ep.direct) return plan_skip(plan, "training, and post-ops need several launches");
    const struct image from = image_of(DNNL_ARG_SRC, &src), to = image_of(ep.dst_arg, &ep.dst);
    struct launch *launch;
    struct pooling_folded_params *p = plan_launch(plan, kernel, (struct range){0}, &launch);
    if (!p) return dnnl_out_of_memory;
    window_images_init(&p->images, &plan->problem, &from, &to);
    if (!folded_fits(&p->images.window, workspace != NULL)) return plan_skip(plan, "windows are too large");
    set_part(p);
    p->src_channel = from.channel_stride;
    p->dst_channel = to.channel_stride;
    p->src_end = image_end(&from);
    p->taps = pooling_taps(&p->images.window);
    p->alg = pooling_code(plan->problem.alg);
    p->exact = is_exact(plan);
    p->lowest = lowest_of(p->exact, dst.data_type);
    p->src_type = (i32)src.data_type;
    p->global_average = p->alg != POOLING_MAX && is_global(&p->images);
    p->workspace_type = workspace ? (i32)workspace->data_type : 0;
    p->workspace_offset = workspace ? workspace->offset0 - ep.dst.offset0 : 0;
    share_folded(p, launch, to.batch);
    launch_bind(launch, DNNL_ARG_SRC);
    launch_bind(launch, workspace ? DNNL_ARG_WORKSPACE : ARG_NOTHING);
    TRY(epilogue_end(&ep, launch, &p->epilogue));
    p->finished = p->epilogue.nops > 0;
    return dnnl_success;
}

/* Vectors of 16 lanes suit all widths: on narrower CPUs they are two or four registers. */
/* With a workspace, and with more post-ops than fit into one launch. */
static dnnl_status_t build_apart(struct plan *plan) {
    if (!problem_md(&plan->problem, DNNL_ARG_WORKSPACE) || !apart_has_rest(&plan->attr))
        return plan_skip(plan, "no workspace, or no post-ops");
    TRY(choose_layouts(&plan->problem));
    return apart_build(plan, pooling_forward);
}

/* 8-bit floats become f32 once, instead of once for every window that they are in. */
static dnnl_status_t build_widened(struct plan *plan) {
    static const char *const plain[] = {[3] = "abc", [4] = "abcd", [5] = "abcde"};
    struct moved moved = {.plan = plan};
    TRY(plan_takes(plan, &kernel_pooling_16));
    TRY(choose_layouts(&plan->problem));
    const md_t *src = problem_md(&plan->problem, DNNL_ARG_SRC),
               *dst = problem_md(&plan->problem, DNNL_ARG_DST),
               *workspace = problem_md(&plan->problem, DNNL_ARG_WORKSPACE);
    if (!in_set(TYPES_FP8, src->data_type)) return plan_skip(plan, "src is not of 8-bit floats");
    if (!md_is_blocked(src) || !md_is_blocked(dst)) return plan_skip(plan, "a layout is not blocked");
    const char *tag = md_matches_tag(src, plain[src->ndims]) ? plain[src->ndims] : channels_last(src->ndims);
    TRY(moved_add(&moved, DNNL_ARG_SRC, dnnl_f32, tag));
    TRY(moved_add(&moved, DNNL_ARG_DST, dnnl_f32, tag));
    if (workspace) TRY(moved_add(&moved, DNNL_ARG_WORKSPACE, workspace->data_type, tag));
    return moved_build(&moved, pooling_forward);
}

const struct implementation pooling_forward[] = {
        {"f64_pooling_rows", build_rows_of_doubles, NULL},
        {"f64_pooling", build_doubles, NULL},
        {"pooling_widened", build_widened, NULL},
        {"f32_pooling_planes_16", build_planes, &kernel_f32_pooling_planes_16},
        {"pooling_folded_16", build_folded, &kernel_pooling_folded_16},
        {"pooling_16", build_dense, &kernel_pooling_16},
        {"pooling_training_16", build_dense, &kernel_pooling_training_16},
        {"pooling_moved", build_moved, NULL},
        {"pooling_universal", build_universal, NULL},
        {"pooling_apart", build_apart, NULL},
        {NULL, NULL, NULL},
};
