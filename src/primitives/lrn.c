/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Local response normalisation, forward: its creation function and its plans, the universal one and the one
 * for channels-last images on CPUs.
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
    struct lrn_image made = {.offset = image.offset,
                             .batch = image.batch_stride,
                             .first = image.offset,
                             .last = image_end(&image)};
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

static dnnl_status_t build_dense(struct plan *plan) {
    struct problem *problem = &plan->problem;
    md_t *src = problem_md(problem, DNNL_ARG_SRC), *dst = problem_md(problem, DNNL_ARG_DST);
    const struct kernel *kernel = plan->implementation->data;
    TRY(plan_takes(plan, kernel));
    if (src->ndims > 5) return plan_skip(plan, "more than five dimensions");
    TRY(md_set_any_like(dst, src));
    if (!is_dense_image(src) || !is_dense_image(dst)) return plan_skip(plan, "not f32 with channels last");
    if (md_nelems(dst, true) == 0) return dnnl_success;

    struct launch *launch;
    struct lrn_dense_params *p = plan_launch(plan, kernel, (struct range){0}, &launch);
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
    TRY(plan_takes(plan, &kernel_f32_lrn_x8));
    TRY(check_types(plan));
    TRY(md_set_any_like(dst, src));
    if (is_dense_image(src) && is_dense_image(dst)) return plan_skip(plan, "f32 with channels last");
    if (md_nelems(dst, true) == 0) return dnnl_success;
    if (!is_dense_image(src)) TRY(moved_add(&moved, DNNL_ARG_SRC, dnnl_f32, channels_last(src->ndims)));
    if (!is_dense_image(dst)) TRY(moved_add(&moved, DNNL_ARG_DST, dnnl_f32, channels_last(dst->ndims)));
    return moved_build(&moved, lrn_forward);
}

const struct implementation lrn_forward[] = {
        {"f32_lrn_x16", build_dense, &kernel_f32_lrn_x16},
        {"f32_lrn_x8", build_dense, &kernel_f32_lrn_x8},
        {"lrn_moved", build_moved, NULL},
        {"lrn_universal", build_universal, NULL},
        {NULL, NULL, NULL},
};
