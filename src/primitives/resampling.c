/* SPDX-License-Identifier: Apache-2.0 */
/* Resampling: creation and plans. */
#include "base/round.h"
#include "oneapi/dnnl/dnnl.h"
#include "kernels/params_resampling.h"
#include "primitives/check.h"
#include "primitives/image.h"
#include "primitives/primitives.h"
#include "primitives/rows.h"
#include "primitives/tensor.h"

static const char component[] = "resampling";

/* Tensors have their forward names. Without dst, its sizes follow from the factors. */
static dnnl_status_t check(dnnl_prop_kind_t prop, dnnl_alg_kind_t alg, const float *factors, const md_t *src,
                           const md_t *dst) {
    REQUIRE(alg == dnnl_resampling_nearest || alg == dnnl_resampling_linear, "unknown algorithm");
    REQUIRE(src && (dst || factors), "an argument is NULL");
    REQUIRE(src->ndims >= 3 && src->ndims <= 5, "src has %d dimensions", src->ndims);
    TRY(check_no_host_scalars(component, MDS(src, dst)));
    REQUIRE(!prop_is_forward(prop) || !md_is_any(src), "the layout of src is undefined");
    REQUIRE(!md_has_runtime_dims_or_strides(src), "dimensions or strides of src are run-time values");
    if (!dst) return dnnl_success;
    REQUIRE(!md_has_runtime_dims_or_strides(dst), "dimensions or strides of dst are run-time values");
    REQUIRE(src->ndims == dst->ndims, "src has %d dimensions, dst %d", src->ndims, dst->ndims);
    REQUIRE(src->dims[0] == dst->dims[0] && src->dims[1] == dst->dims[1],
            "batch or channels of src differ from those of dst");
    return dnnl_success;
}

/* Without a dst, it has the type of src, sizes that follow from the factors, and an open layout. */
static dnnl_status_t open_dst(md_t *dst, const md_t *src, const float *factors) {
    dnnl_dims_t dims;
    for (int d = 0; d < src->ndims; d++)
        dims[d] = d < 2 || !factors ? src->dims[d] : (dnnl_dim_t)((float)src->dims[d] * factors[d - 2]);
    return md_init(dst, src->ndims, dims, src->data_type, dnnl_format_kind_any);
}

/* What queries answer: the given factors, or those that the sizes have. */
static void set_factors(struct problem *problem, const float *factors, const md_t *src, const md_t *dst) {
    for (int d = 2; d < src->ndims; d++)
        problem->factors[d - 2] = factors ? factors[d - 2] : (float)dst->dims[d] / (float)src->dims[d];
}

dnnl_status_t dnnl_resampling_forward_primitive_desc_create(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
                                                            dnnl_prop_kind_t prop, dnnl_alg_kind_t alg,
                                                            const float *factors,
                                                            const_dnnl_memory_desc_t src,
                                                            const_dnnl_memory_desc_t dst,
                                                            const_dnnl_primitive_attr_t attr) {
    static const struct attr_rules rules = {
            .parts = ATTR_POST_OPS,
            .post_ops = BIT(dnnl_binary) | BIT(dnnl_eltwise) | BIT(dnnl_sum),
    };
    REQUIRE(prop_is_forward(prop), "not a forward propagation");
    TRY(check(prop, alg, factors, src, dst));
    TRY(check_attr(component, engine, attr, &rules));
    TRY(check_post_ops(component, engine, attr, &rules, dst ? dst : src));
    TRY(check_rows_format(component, src));
    if (dst) TRY(check_rows_format(component, dst));
    md_t open;
    TRY(open_dst(&open, src, factors));

    struct problem problem;
    TRY(problem_init(&problem, dnnl_resampling, 2));
    problem.prop = prop;
    problem.alg = alg;
    problem_add(&problem, DNNL_ARG_SRC, false, src);
    problem_add(&problem, DNNL_ARG_DST, true, dst ? dst : &open);
    set_factors(&problem, factors, src, dst ? dst : &open);
    return create_desc(component, pd, engine, &problem, attr);
}

dnnl_status_t dnnl_resampling_backward_primitive_desc_create(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
                                                             dnnl_alg_kind_t alg, const float *factors,
                                                             const_dnnl_memory_desc_t diff_src,
                                                             const_dnnl_memory_desc_t diff_dst,
                                                             const_dnnl_primitive_desc_t hint,
                                                             const_dnnl_primitive_attr_t attr) {
    TRY(check(dnnl_backward_data, alg, factors, diff_src, diff_dst));
    TRY(check_no_attr(component, engine, attr));
    TRY(check_rows_format(component, diff_src));
    if (diff_dst) TRY(check_rows_format(component, diff_dst));
    md_t open;
    TRY(open_dst(&open, diff_src, factors));

    struct problem problem;
    TRY(problem_init(&problem, dnnl_resampling, 2));
    problem.prop = dnnl_backward_data;
    problem.alg = alg;
    problem_add(&problem, DNNL_ARG_DIFF_DST, false, diff_dst ? diff_dst : &open);
    problem_add(&problem, DNNL_ARG_DIFF_SRC, true, diff_src);
    set_factors(&problem, factors, diff_src, diff_dst ? diff_dst : &open);
    return create_backward_desc(component, pd, engine, &problem, hint, attr);
}

/* Plans. */

/* One direction: where it is computed from and to. */
struct direction {
    int from_arg, to_arg;
};
static const struct direction forward = {DNNL_ARG_SRC, DNNL_ARG_DST},
                              backward = {DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_SRC};

/* A tensor and where it is. */
struct side {
    int arg;
    md_t md;
};

/* How the rows of a tensor are dense: pixels of `inner` channels, in `planes` planes; no planes: they are
 * not.
 */
struct view {
    dnnl_dim_t planes, inner;
};

static struct view view_of(const md_t *md) {
    const int width = md->ndims - 1;
    const dnnl_dim_t channels = md->padded_dims[1], *strides = md->blocking.strides;
    if (!md_is_blocked(md)) return (struct view){0};
    if (md_is_plain(md)) {
        const bool one_column = md->dims[width] == 1;
        if (one_column || strides[width] == 1) return (struct view){channels, 1};
        const bool last = channels == 1 || strides[1] == 1;
        return last && strides[width] == channels ? (struct view){1, channels} : (struct view){0};
    }
    const dnnl_dim_t block = md->blocking.inner_blks[0];
    const bool by_channels = md->blocking.inner_nblks == 1 && md->blocking.inner_idxs[0] == 1;
    return by_channels && strides[width] == block ? (struct view){channels / block, block} : (struct view){0};
}

static bool same_view(struct view a, struct view b) {
    return a.planes > 0 && a.planes == b.planes && a.inner == b.inner;
}

static struct resampled resampled_of(const md_t *md) {
    const struct image image = image_of(ARG_NOTHING, md);
    struct resampled r = {.type = (i32)md->data_type,
                          .offset = image.offset,
                          .batch = image.batch_stride,
                          .plane = image.channel_stride};
    for (int i = 0; i < 3; i++)
        r.stride[i] = image.stride[i];
    return r;
}

/* The most elements that a result is the sum of. Backward, an element is part of the results up to one step
 * before and after it; positions are rounded. */
static dnnl_dim_t most_taps(bool linear, bool is_forward, dnnl_dim_t from, dnnl_dim_t to) {
    const int reach = linear ? 2 : 1;
    return is_forward ? reach : divide_up(reach * from, to) + 2;
}

/* Reserves a table. */
static void set_axis(struct plan *plan, struct resample_axis *axis, dnnl_dim_t taps, dnnl_dim_t repeat) {
    enum { VECTOR = 16 };
    axis->taps = taps;
    axis->repeat = repeat;
    axis->length = divide_up(axis->to * repeat, VECTOR) * VECTOR;
    axis->table =
            (i64)(plan_scratchpad(plan, (size_t)(axis->length * (taps + 2)) * sizeof(i32)) / sizeof(i32));
}

/* The tables of all axes, made by a launch of their own. */
static dnnl_status_t make_tables(struct plan *plan, const struct resampling_params *params, bool is_forward) {
    struct resample_tables_params made = {.linear = plan->problem.alg == dnnl_resampling_linear,
                                          .backward = !is_forward};
    struct launch *launch;
    dnnl_dim_t items = 0;
    for (int i = 0; i < 3; i++) {
        made.axis[i] = params->axis[i];
        made.items[i] = divide_up(made.axis[i].to, RESAMPLE_ENTRIES);
        items += made.items[i];
    }
    struct resample_tables_params *p = plan_launch(plan, &kernel_resample_tables,
                                                   range_of_items(items, full_group(plan->device)), &launch);
    if (!p) return dnnl_out_of_memory;
    *p = made;
    launch_bind(launch, ARG_SCRATCHPAD);
    return dnnl_success;
}

/* Pixels of a row of results that fit the kernel's buffers, with as many channels; 0: none. */
static dnnl_dim_t pixels_at_a_time(const struct resample_axis *width, dnnl_dim_t channels) {
    const dnnl_dim_t ends = 2 * width->taps + 2, most = RESAMPLE_READ / channels - ends,
                     pixels = most * width->to / width->from, results = RESAMPLE_RESULTS / channels;
    return most <= 0 ? 0 : pixels < results ? pixels : results;
}

/* How much of a row is computed at a time: narrow pixels by whole vectors of a row. */
static bool cut_row(struct resampling_params *p) {
    enum { VECTOR = 16, CHANNELS = 512 };
    const bool narrow = p->inner < RESAMPLE_NARROW;
    p->block = narrow || p->inner < CHANNELS ? p->inner : CHANNELS;
    dnnl_dim_t pixels = pixels_at_a_time(&p->axis[2], p->block);
    for (; !narrow && pixels == 0 && p->block > RESAMPLE_NARROW;
         pixels = pixels_at_a_time(&p->axis[2], p->block))
        p->block = divide_up(p->block, 2 * RESAMPLE_NARROW) * RESAMPLE_NARROW;
    p->piece = narrow ? (pixels - 2) * p->inner / VECTOR * VECTOR : pixels;
    return p->piece > 0;
}

static dnnl_status_t launch(struct plan *plan, const struct kernel *kernel,
                            const struct resampling_params *made, dnnl_dim_t items, const struct side *from,
                            const struct side *to) {
    enum { VECTOR = 16 };
    struct launch *launch;
    struct resampling_params *p =
            plan_launch(plan, kernel, range_of_items(items, full_group(plan->device)), &launch);
    if (!p) return dnnl_out_of_memory;
    *p = *made;
    launch_bind(launch, from->arg);
    launch_bind(launch, to->arg);
    launch_bind(launch, ARG_SCRATCHPAD);
    if (p->copy && p->axis[2].to * p->inner % VECTOR == 0) launch_may_stream_to(launch, to->arg, &p->streams);
    return dnnl_success;
}

static void set_sizes(struct resampling_params *p, const struct side *from, const struct side *to) {
    const struct image read = image_of(ARG_NOTHING, &from->md), made = image_of(ARG_NOTHING, &to->md);
    for (int i = 0; i < 3; i++)
        p->axis[i].from = read.size[i], p->axis[i].to = made.size[i];
    p->from = resampled_of(&from->md);
    p->to = resampled_of(&to->md);
}

/* Copies of elements are copies of four bytes, if those are enough for vectors. */
static void copy_bytes(struct resampling_params *p, dnnl_dim_t size) {
    const dnnl_dim_t per = (dnnl_dim_t)sizeof(float) / size;
    struct resampled *const both[] = {&p->from, &p->to};
    if (p->from.type != p->to.type || size > (dnnl_dim_t)sizeof(float) || p->inner < RESAMPLE_NARROW * per
        || p->inner % per != 0)
        return;
    for (int i = 0; i < 2; i++) {
        i64 *const numbers[] = {&both[i]->offset,    &both[i]->batch,     &both[i]->plane,
                                &both[i]->stride[0], &both[i]->stride[1], &both[i]->stride[2]};
        for (int k = 0; k < 6; k++)
            if (*numbers[k] % per != 0) return;
    }
    for (int i = 0; i < 2; i++) {
        both[i]->type = (i32)dnnl_f32;
        both[i]->offset /= per, both[i]->batch /= per, both[i]->plane /= per;
        for (int d = 0; d < 3; d++)
            both[i]->stride[d] /= per;
    }
    p->inner /= per;
}

/* The number of the element behind the last one of `from`. */
static i64 end_of_rows(const struct resampling_params *p, dnnl_dim_t batch) {
    const struct resampled *f = &p->from;
    return f->offset + (batch - 1) * f->batch + (p->planes - 1) * f->plane
           + (p->axis[0].from - 1) * f->stride[0] + (p->axis[1].from - 1) * f->stride[1]
           + p->axis[2].from * p->inner;
}

/* Rows of tensors that have the same view. */
static dnnl_status_t launch_rows(struct plan *plan, const struct direction *way, const struct side *from,
                                 const struct side *to) {
    const uint64_t whole_bytes =
            BIT(dnnl_f32) | BIT(dnnl_s32) | BIT(dnnl_bf16) | BIT(dnnl_f16) | BIT(dnnl_s8) | BIT(dnnl_u8);
    const bool linear = plan->problem.alg == dnnl_resampling_linear, is_forward = way == &forward;
    const struct view view = view_of(&to->md);
    struct resampling_params p = {.planes = view.planes, .inner = view.inner, .copy = is_forward && !linear};
    set_sizes(&p, from, to);
    if (view.planes == 1) p.from.plane = p.to.plane = 0;
    if (p.copy && in_set(whole_bytes, to->md.data_type))
        copy_bytes(&p, (dnnl_dim_t)dt_size(to->md.data_type));
    for (int i = 0; i < 3; i++)
        set_axis(plan, &p.axis[i], most_taps(linear, is_forward, p.axis[i].from, p.axis[i].to),
                 i == 2 && p.inner < RESAMPLE_NARROW ? p.inner : 1);
    if (!cut_row(&p)) return plan_skip(plan, "results that are sums of very many elements");
    p.rows = to->md.dims[0] * p.planes * p.axis[0].to * p.axis[1].to;
    p.readable = end_of_rows(&p, from->md.dims[0]);
    p.share = work_of_item(plan->device, md_nelems(&to->md, false)) / (p.axis[2].to * p.inner) + 1;
    TRY(make_tables(plan, &p, is_forward));
    return launch(plan, &kernel_resample_rows, &p, divide_up(p.rows, p.share), from, to);
}

/* Any plain layouts, one result at a time. */
static dnnl_status_t launch_items(struct plan *plan, const struct direction *way, const struct side *from,
                                  const struct side *to) {
    const bool linear = plan->problem.alg == dnnl_resampling_linear, is_forward = way == &forward;
    struct resampling_params p = {.planes = to->md.dims[1],
                                  .rows = md_nelems(&to->md, false),
                                  .channels_first = to->md.blocking.strides[1] == 1};
    set_sizes(&p, from, to);
    for (int i = 0; i < 3; i++)
        set_axis(plan, &p.axis[i], most_taps(linear, is_forward, p.axis[i].from, p.axis[i].to), 1);
    TRY(make_tables(plan, &p, is_forward));
    return launch(plan, &kernel_resample_items, &p, p.rows, from, to);
}

/* From scratchpad to where results belong, with post-ops. */
static dnnl_status_t finish(struct plan *plan, int to_arg, const md_t *results) {
    struct rows rows;
    rows_begin(&rows, plan, to_arg);
    rows_load(&rows, rows_operand_at(&rows, ARG_SCRATCHPAD, results), ROW_NONE);
    rows_post_ops(&rows);
    return rows_end(&rows);
}

/* A tensor in scratchpad, dense, in the layout of `like` or, without one, with channels last. */
static dnnl_status_t scratch_image(struct plan *plan, struct side *side, const md_t *like,
                                   dnnl_data_type_t type) {
    const md_t user = side->md;
    TRY(md_init(&side->md, user.ndims, user.dims, type, dnnl_format_kind_any));
    TRY(like ? md_set_any_like(&side->md, like) : md_set_any(&side->md, channels_last(user.ndims)));
    plan_place(plan, &side->md);
    side->arg = ARG_SCRATCHPAD;
    return dnnl_success;
}

/* How rows are computed: a kind of launch, and which layouts it takes. */
struct method {
    dnnl_status_t (*launch)(struct plan *, const struct direction *, const struct side *from,
                            const struct side *to);
    bool (*takes)(const md_t *md);                    /* a layout */
    bool (*takes_both)(const md_t *a, const md_t *b); /* two that it takes */
};

static bool has_view(const md_t *md) {
    return view_of(md).planes > 0;
}

static bool have_same_view(const md_t *a, const md_t *b) {
    return same_view(view_of(a), view_of(b));
}

static bool any_two(const md_t *a, const md_t *b) {
    (void)a, (void)b;
    return true;
}

static const struct method by_rows = {launch_rows, has_view, have_same_view},
                           by_items = {launch_items, md_is_plain, any_two};

/* Tensors in layouts that a method does not take are moved: to the layout of the results if it takes that,
 * else to that of what is read, else channels last. */
static dnnl_status_t append(struct plan *plan, const struct direction *way) {
    enum { MOST_PIXELS = 1 << 27 }; /* of narrow pixels: entries are of 32 bits */
    const struct method *method = plan->implementation->data;
    const md_t *user_from = problem_md(&plan->problem, way->from_arg),
               *user_to = problem_md(&plan->problem, way->to_arg);
    struct side from = {way->from_arg, *user_from}, to = {way->to_arg, *user_to};
    const md_t *like = method->takes(user_to) ? user_to : method->takes(user_from) ? user_from : NULL;
    const bool direct = like == user_to && attr_is_default(&plan->attr) && dt_bits(user_to->data_type) >= 8;
    if (md_nelems(user_to, true) == 0 || md_nelems(user_from, false) == 0) return dnnl_success;
    for (int d = 2; d < user_to->ndims; d++)
        if (user_from->dims[d] > MOST_PIXELS || user_to->dims[d] > MOST_PIXELS)
            return plan_skip(plan, "more pixels than tables can count");
    if (!direct) TRY(scratch_image(plan, &to, like, dnnl_f32));
    if (!method->takes(user_from) || !method->takes_both(user_from, &to.md)) {
        TRY(scratch_image(plan, &from, like, user_from->data_type));
        TRY(append_reorder(plan, way->from_arg, user_from, ARG_SCRATCHPAD, &from.md, NULL));
    }
    TRY(method->launch(plan, way, &from, &to));
    return direct ? dnnl_success : finish(plan, way->to_arg, &to.md);
}

static dnnl_status_t build_forward(struct plan *plan) {
    TRY(md_set_any_like(problem_md(&plan->problem, DNNL_ARG_DST), problem_md(&plan->problem, DNNL_ARG_SRC)));
    return append(plan, &forward);
}

const struct implementation resampling_forward[] = {
        {"resampling_rows", build_forward, &by_rows},
        {"resampling_items", build_forward, &by_items},
        {NULL, NULL, NULL},
};

/* An open diff_dst has the layout of the forward primitive's dst, or that of diff_src. */
static dnnl_status_t build_backward(struct plan *plan) {
    md_t *diff_dst = problem_md(&plan->problem, DNNL_ARG_DIFF_DST),
         *diff_src = problem_md(&plan->problem, DNNL_ARG_DIFF_SRC);
    const md_t *dst = problem_hint_md(&plan->problem, DNNL_ARG_DST);
    TRY(md_set_any_like(diff_dst, dst && dst->ndims == diff_dst->ndims ? dst : diff_src));
    TRY(md_set_any_like(diff_src, diff_dst));
    return append(plan, &backward);
}

const struct implementation resampling_backward[] = {
        {"resampling_backward_rows", build_backward, &by_rows},
        {"resampling_backward_items", build_backward, &by_items},
        {NULL, NULL, NULL},
};
