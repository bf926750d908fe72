/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Local response normalisation, forward: its creation function and its plans, the universal one and those for
 * CPUs, across and within channels.
 */
#include "base/round.h"
#include "primitives/tensor.h"
#include "oneapi/dnnl/dnnl.h"
#include "primitives/lrn.h"
#include "primitives/moved.h"
#include "primitives/primitives.h"

static const char component[] = "lrn";

dnnl_status_t lrn_check(dnnl_alg_kind_t alg, const md_t *src, dnnl_dim_t local_size, struct md_list others,
                        bool forward) {
    REQUIRE(src, "src is NULL");
    REQUIRE(alg == dnnl_lrn_across_channels || alg == dnnl_lrn_within_channel, "unknown algorithm");
    REQUIRE(local_size >= 0, "the local size is negative");
    for (int i = 0; i < others.count; i++)
        REQUIRE(others.mds[i], "an argument is NULL");
    REQUIRE(!forward || !md_is_any(src), "the layout of src is undefined");
    TRY(check_no_host_scalars(component, MDS(src)));
    TRY(check_no_host_scalars(component, others));
    TRY(check_sizes_known(component, MDS(src)));
    TRY(check_sizes_known(component, others));
    REQUIRE(src->ndims >= 2, "src has %d dimensions", src->ndims);
    for (int i = 0; i < others.count; i++)
        TRY(check_same_dims(component, "src", src, "another tensor", others.mds[i]));
    return dnnl_success;
}

dnnl_status_t dnnl_lrn_forward_primitive_desc_create(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
                                                     dnnl_prop_kind_t prop, dnnl_alg_kind_t alg,
                                                     const_dnnl_memory_desc_t src,
                                                     const_dnnl_memory_desc_t dst, dnnl_dim_t local_size,
                                                     float alpha, float beta, float k,
                                                     const_dnnl_primitive_attr_t attr) {
    REQUIRE(prop_is_forward(prop), "not a forward propagation");
    TRY(lrn_check(alg, src, local_size, MDS(dst), true));
    TRY(check_no_attr(component, engine, attr));

    struct problem problem;
    TRY(problem_init(&problem, dnnl_lrn, 2));
    problem.prop = prop;
    problem.alg = alg;
    problem.local_size = local_size;
    problem.alpha = alpha;
    problem.beta = beta;
    problem.k = k;
    problem_add(&problem, DNNL_ARG_SRC, false, src);
    problem_add(&problem, DNNL_ARG_DST, true, dst);
    return create_desc(component, pd, engine, &problem, attr);
}

static float scale(const struct problem *problem, const md_t *src) {
    double size = (double)problem->local_size, elements = 1;
    bool across = problem->alg == dnnl_lrn_across_channels;
    for (int d = across ? src->ndims - 1 : 2; d < src->ndims; d++)
        elements *= size;
    return (float)(problem->alpha / elements);
}

/* The neighbourhood as in oneDNN: an even size covers as many elements as the odd size below it, but alpha is
 * divided by the even size. */
struct lrn lrn_of(const struct problem *problem, const md_t *src) {
    return (struct lrn){.reach = problem->local_size > 0 ? (problem->local_size - 1) / 2 : 0,
                        .across = problem->alg == dnnl_lrn_across_channels,
                        .scale = scale(problem, src),
                        .k = problem->k,
                        .beta = problem->beta};
}

static dnnl_status_t check_types(const struct plan *plan) {
    const md_t *src = problem_md(&plan->problem, DNNL_ARG_SRC),
               *dst = problem_md(&plan->problem, DNNL_ARG_DST);
    bool known = in_set(BIT(dnnl_f32) | BIT(dnnl_bf16) | BIT(dnnl_f16), src->data_type);
    if (!known || src->data_type != dst->data_type)
        return plan_skip(plan, "unsupported types of src and dst");
    if (src->ndims > 5) return plan_skip(plan, "more than five dimensions");
    return dnnl_success;
}

static dnnl_status_t build_universal(struct plan *plan) {
    struct problem *problem = &plan->problem;
    md_t *src = problem_md(problem, DNNL_ARG_SRC), *dst = problem_md(problem, DNNL_ARG_DST);
    TRY(check_types(plan));
    TRY(md_set_any_like(dst, src));
    if (!md_is_blocked(src) || !md_is_blocked(dst)) return plan_skip(plan, "a layout is not blocked");
    if (md_nelems(dst, true) == 0) return dnnl_success;

    struct launch *launch;
    struct lrn_params *p = plan_launch(plan, &kernel_lrn_universal, (struct range){0}, &launch);
    if (!p) return dnnl_out_of_memory;
    p->lrn = lrn_of(problem, src);
    tensor_init(&p->src, src);
    launch->range = walk_init_cost(&p->walk, dst, plan->device, problem->local_size);
    launch_bind(launch, DNNL_ARG_SRC);
    launch_bind(launch, DNNL_ARG_DST);
    return dnnl_success;
}

struct lrn_image lrn_image_of(const md_t *md) {
    const struct image image = image_of(ARG_NOTHING, md);
    struct lrn_image made = {.offset = image.offset, .batch = image.batch_stride};
    for (int i = 0; i < WINDOW_DIMS; i++)
        made.stride[i] = image.stride[i];
    return made;
}

struct lrn_space lrn_space_of(const struct problem *problem, const md_t *src) {
    const struct image image = image_of(ARG_NOTHING, src);
    struct lrn_space made = {.lrn = lrn_of(problem, src), .channels = image.channels};
    for (int i = 0; i < WINDOW_DIMS; i++)
        made.size[i] = image.size[i];
    return made;
}

struct range lrn_range(const struct lrn_space *space, dnnl_dim_t batch) {
    return range_of_groups(divide_up(space->size[2], LRN_PIXELS), space->size[0] * space->size[1], batch);
}

/* The distance between pixels, if it is the same for all that follow each other; else 0. */
static dnnl_dim_t pixel_stride(const md_t *md) {
    dnnl_dim_t stride = 0, pixels = 1;
    for (int d = md->ndims - 1; d >= 2; d--) {
        if (md->dims[d] == 1) continue;
        if (stride == 0) stride = md->blocking.strides[d];
        if (md->blocking.strides[d] != stride * pixels) return 0;
        pixels *= md->dims[d];
    }
    return pixels == 1 ? 1 : stride;
}

/* How the lines of a tensor are made. */
struct line_shape {
    i64 step, segments, length;
};

static struct line_shape line_shape_of(const md_t *md) {
    enum { VECTOR = 16 };
    const dnnl_dim_t pixel = md_is_blocked(md) ? pixel_stride(md) : 0, channels = md->dims[1];
    if (pixel == 0) return (struct line_shape){0};
    if (md_is_plain(md)) {
        if (channels == 1 || md->blocking.strides[1] == 1) return (struct line_shape){1, 1, channels};
        return pixel == 1 ? (struct line_shape){VECTOR, channels, VECTOR} : (struct line_shape){0};
    }
    const dnnl_dim_t block = md->blocking.inner_blks[0], blocks = divide_up(channels, block);
    const bool by_channels = md->blocking.inner_nblks == 1 && md->blocking.inner_idxs[0] == 1;
    return by_channels && md->padded_dims[1] == blocks * block ? (struct line_shape){1, blocks, block}
                                                               : (struct line_shape){0};
}

static struct lrn_lines lines_of(const md_t *md) {
    return (struct lrn_lines){.type = (i32)md->data_type,
                              .offset = md->offset0,
                              .batch = md->blocking.strides[0],
                              .pixel = pixel_stride(md),
                              .segment = md->blocking.strides[1]};
}

/* How many lines fit with everything that sums reach to? No more than are good for a cache. */
static dnnl_dim_t lines_at_a_time(const struct lrn *lrn, i64 channels, i64 step) {
    enum { VECTOR = 16, ENOUGH = 2048 };
    if (!lrn->across || lrn->reach > LRN_LINE || channels > LRN_LINE) return 0;
    const dnnl_dim_t margin = divide_up(lrn->reach * step, VECTOR) * VECTOR,
                     pitch = divide_up(channels * step, VECTOR) * VECTOR + margin,
                     rest = LRN_LINE - margin - VECTOR;
    return pitch > rest ? 0 : pitch > ENOUGH ? 1 : ENOUGH / pitch;
}

bool lrn_lines_fit(const struct problem *problem, const md_t *src) {
    const struct lrn lrn = lrn_of(problem, src);
    return lines_at_a_time(&lrn, src->dims[1], 1) > 0;
}

dnnl_status_t lrn_launch_across(struct plan *plan, const struct kernel *kernel, struct md_list tensors,
                                struct launch **launch) {
    enum { WORK = 8192 }; /* results of a work-item */
    const md_t *src = tensors.mds[0], *to = tensors.mds[tensors.count - 1];
    const struct line_shape shape = line_shape_of(src);
    TRY(plan_takes(plan, kernel));
    struct lrn_across_params made = {.lrn = lrn_of(&plan->problem, src),
                                     .channels = src->dims[1],
                                     .pixels = 1,
                                     .step = shape.step,
                                     .segments = shape.segments,
                                     .length = shape.length,
                                     .src = lines_of(src),
                                     .diff_dst = lines_of(tensors.mds[1]),
                                     .to = lines_of(to)};
    if (shape.step == 0) return plan_skip(plan, "a layout without lines of channels");
    for (int i = 1; i < tensors.count; i++) {
        const struct line_shape other = line_shape_of(tensors.mds[i]);
        if (other.step != shape.step || other.length != shape.length)
            return plan_skip(plan, "tensors of different layouts");
    }
    made.lines = lines_at_a_time(&made.lrn, made.channels, shape.step);
    if (made.lines == 0) return plan_skip(plan, "within channels, or too many of them");
    for (int d = 2; d < src->ndims; d++)
        made.pixels *= src->dims[d];
    made.share = WORK / (made.channels * shape.step) + 1;
    const dnnl_dim_t lines = divide_up(made.pixels, shape.step);
    struct lrn_across_params *p =
            plan_launch(plan, kernel, range_of_groups(divide_up(lines, made.share), src->dims[0], 1), launch);
    if (!p) return dnnl_out_of_memory;
    *p = made;
    return dnnl_success;
}

static dnnl_status_t build_across(struct plan *plan) {
    md_t *src = problem_md(&plan->problem, DNNL_ARG_SRC), *dst = problem_md(&plan->problem, DNNL_ARG_DST);
    struct launch *launch;
    TRY(check_types(plan));
    TRY(md_set_any_like(dst, src));
    if (md_nelems(dst, true) == 0) return dnnl_success;
    TRY(lrn_launch_across(plan, &kernel_lrn_across_16, MDS(src, dst), &launch));
    launch_bind(launch, DNNL_ARG_SRC);
    launch_bind(launch, DNNL_ARG_DST);
    return dnnl_success;
}

static dnnl_status_t build_within(struct plan *plan) {
    struct problem *problem = &plan->problem;
    md_t *src = problem_md(problem, DNNL_ARG_SRC), *dst = problem_md(problem, DNNL_ARG_DST);
    TRY(plan_takes(plan, &kernel_f32_lrn_within_16));
    if (problem->alg != dnnl_lrn_within_channel) return plan_skip(plan, "across channels");
    if (src->ndims > 5) return plan_skip(plan, "more than five dimensions");
    TRY(md_set_any_like(dst, src));
    if (!is_dense_image(src) || !is_dense_image(dst)) return plan_skip(plan, "not f32 with channels last");
    if (md_nelems(dst, true) == 0) return dnnl_success;

    struct launch *launch;
    struct lrn_dense_params *p = plan_launch(plan, &kernel_f32_lrn_within_16, (struct range){0}, &launch);
    if (!p) return dnnl_out_of_memory;
    p->space = lrn_space_of(problem, src);
    p->src = lrn_image_of(src);
    p->dst = lrn_image_of(dst);
    launch->range = lrn_range(&p->space, dst->dims[0]);
    launch_bind(launch, DNNL_ARG_SRC);
    launch_bind(launch, DNNL_ARG_DST);
    return dnnl_success;
}

/* Images of other types, or with channels elsewhere. */
static dnnl_status_t build_moved(struct plan *plan) {
    struct moved moved = {.plan = plan};
    const md_t *src = problem_md(&plan->problem, DNNL_ARG_SRC);
    md_t *dst = problem_md(&plan->problem, DNNL_ARG_DST);
    TRY(plan_takes(plan, &kernel_f32_lrn_within_16));
    TRY(check_types(plan));
    if (plan->problem.alg == dnnl_lrn_across_channels && !lrn_lines_fit(&plan->problem, src))
        return plan_skip(plan, "too many channels");
    TRY(md_set_any_like(dst, src));
    if (is_dense_image(src) && is_dense_image(dst)) return plan_skip(plan, "f32 with channels last");
    if (md_nelems(dst, true) == 0) return dnnl_success;
    if (!is_dense_image(src)) TRY(moved_add(&moved, DNNL_ARG_SRC, dnnl_f32, channels_last(src->ndims)));
    if (!is_dense_image(dst)) TRY(moved_add(&moved, DNNL_ARG_DST, dnnl_f32, channels_last(dst->ndims)));
    return moved_build(&moved, lrn_forward);
}

const struct implementation lrn_forward[] = {
        {"lrn_across_16", build_across, NULL},
        {"f32_lrn_within_16", build_within, NULL},
        {"lrn_moved", build_moved, NULL},
        {"lrn_universal", build_universal, NULL},
        {NULL, NULL, NULL},
};
