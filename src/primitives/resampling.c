/* SPDX-License-Identifier: Apache-2.0 */
/* Resampling: creation and plans. */
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

static struct resampled resampled_of(const md_t *md) {
    const struct image image = image_of(ARG_NOTHING, md);
    struct resampled r = {.type = (i32)md->data_type,
                          .offset = image.offset,
                          .batch = image.batch_stride,
                          .channel = image.channel_stride};
    for (int i = 0; i < 3; i++)
        r.stride[i] = image.stride[i], r.size[i] = image.size[i];
    return r;
}

/* Results along the width whose sources fit the kernel's buffer. */
static dnnl_dim_t width_piece(dnnl_dim_t from, dnnl_dim_t to) {
    enum { MOST = 256, SOURCES = 1024, ENDS = 4 };
    dnnl_dim_t piece = (SOURCES - ENDS) * to / (from > 0 ? from : 1);
    return piece < 1 ? 1 : piece > MOST ? MOST : piece;
}

/* One direction: what its kernels are called, and where it is computed from and to. */
struct direction {
    const struct kernel *channels, *width;
    int from_arg, to_arg;
};
static const struct direction forward = {&kernel_resample_channels, &kernel_resample_width, DNNL_ARG_SRC,
                                         DNNL_ARG_DST},
                              backward = {&kernel_resample_backward_channels, &kernel_resample_backward_width,
                                          DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_SRC};

static dnnl_status_t launch(struct plan *plan, const struct direction *way, int from_arg, const md_t *from,
                            int to_arg, const md_t *to) {
    const bool along_channels = from->blocking.strides[1] == 1 && to->blocking.strides[1] == 1;
    const struct resampled computed = resampled_of(to);
    struct launch *launch;
    struct resampling_params made = {.linear = plan->problem.alg == dnnl_resampling_linear,
                                     .batch = to->dims[0],
                                     .channels = to->dims[1],
                                     .src = way == &forward ? resampled_of(from) : computed,
                                     .dst = way == &forward ? computed : resampled_of(from)};
    made.piece = width_piece(made.src.size[2], made.dst.size[2]);
    made.count = made.batch * computed.size[0] * computed.size[1] * (along_channels ? 1 : made.channels);
    struct resampling_params *p = plan_launch(plan, along_channels ? way->channels : way->width,
                                              range_of_items(made.count, full_group(plan->device)), &launch);
    if (!p) return dnnl_out_of_memory;
    *p = made;
    launch_bind(launch, from_arg);
    launch_bind(launch, to_arg);
    return dnnl_success;
}

/* A tensor in scratchpad, dense and without blocks: in the order of `like`, or channels last if that has
 * blocks. */
static dnnl_status_t scratch_image(struct plan *plan, md_t *md, const md_t *like, dnnl_data_type_t type) {
    TRY(md_init(md, like->ndims, like->dims, type, dnnl_format_kind_any));
    TRY(md_is_plain(like) ? md_set_any_like(md, like) : md_set_any(md, channels_last(md->ndims)));
    plan_place(plan, md);
    return dnnl_success;
}

/* From scratchpad to where results belong, with post-ops. */
static dnnl_status_t finish(struct plan *plan, int to_arg, const md_t *results) {
    struct rows rows;
    rows_begin(&rows, plan, to_arg);
    rows_load(&rows, rows_operand_at(&rows, ARG_SCRATCHPAD, results), ROW_NONE);
    rows_post_ops(&rows);
    return rows_end(&rows);
}

static dnnl_status_t append(struct plan *plan, const struct direction *way) {
    const md_t user_from = *problem_md(&plan->problem, way->from_arg),
               user_to = *problem_md(&plan->problem, way->to_arg);
    md_t from = user_from, to = user_to;
    int from_arg = way->from_arg;
    const bool direct = attr_is_default(&plan->attr) && md_is_plain(&user_to);
    if (md_nelems(&user_to, true) == 0) return dnnl_success;
    if (md_nelems(&user_from, false) == 0) return plan_skip(plan, "nothing to take elements from");
    if (!md_is_plain(&user_from)) {
        TRY(scratch_image(plan, &from, &user_from, user_from.data_type));
        TRY(append_reorder(plan, from_arg, &user_from, ARG_SCRATCHPAD, &from, NULL));
        from_arg = ARG_SCRATCHPAD;
    }
    if (direct) return launch(plan, way, from_arg, &from, way->to_arg, &to);
    TRY(scratch_image(plan, &to, &user_to, dnnl_f32));
    TRY(launch(plan, way, from_arg, &from, ARG_SCRATCHPAD, &to));
    return finish(plan, way->to_arg, &to);
}

static dnnl_status_t build_forward(struct plan *plan) {
    TRY(md_set_any_like(problem_md(&plan->problem, DNNL_ARG_DST), problem_md(&plan->problem, DNNL_ARG_SRC)));
    return append(plan, &forward);
}

const struct implementation resampling_forward[] = {
        {"resampling_rows", build_forward, NULL},
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
        {"resampling_backward_rows", build_backward, NULL},
        {NULL, NULL, NULL},
};
