/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Backward of normalisations with statistics per channel, or per image and channel, where all tensors have
 * the same dense layout: see norm_append_backward_dense in normalization_backward.h.
 */
#include "base/round.h"
#include "kernels/params_normalization_backward.h"
#include "primitives/normalization_backward.h"
#include "primitives/reduce.h"
#include "primitives/tensor.h"
#include "runtimes/runtime.h"

static bool fits(const struct problem *problem, dnnl_dim_t image) {
    const md_t *src = problem_md(problem, DNNL_ARG_SRC);
    md_t mask;
    if (problem->flags & dnnl_fuse_norm_add_relu) return false;
    if (image && md_has_padding(src)) return false;
    if (norm_mask(problem, &mask) && !norm_same_layout(&mask, src)) return false;
    return norm_same_layout(problem_md(problem, DNNL_ARG_DIFF_DST), src)
           && norm_same_layout(problem_md(problem, DNNL_ARG_DIFF_SRC), src);
}

static struct norm_gradient_dense_params describe(const struct problem *problem,
                                                  const struct norm_cells *cells, dnnl_dim_t image) {
    const md_t *src = problem_md(problem, DNNL_ARG_SRC), *diff_dst = problem_md(problem, DNNL_ARG_DIFF_DST),
               *diff_src = problem_md(problem, DNNL_ARG_DIFF_SRC);
    return (struct norm_gradient_dense_params){.src_type = (i32)src->data_type,
                                               .diff_dst_type = (i32)diff_dst->data_type,
                                               .diff_src_type = (i32)diff_src->data_type,
                                               .mask = problem_md(problem, DNNL_ARG_WORKSPACE) != NULL,
                                               .given = (problem->flags & dnnl_use_global_stats) != 0,
                                               .channels = src->dims[1],
                                               .image = image,
                                               .share = cells->share,
                                               .src_offset = src->offset0,
                                               .diff_dst_offset = diff_dst->offset0,
                                               .diff_src_offset = diff_src->offset0,
                                               .mean_offset = cells->mean_offset,
                                               .cells = cells->statistics * cells->share,
                                               .image_cells = image ? src->dims[1] : 0};
}

static dnnl_status_t launch_dense(struct plan *plan, const struct kernel *kernel,
                                  const struct norm_gradient_dense_params *made, struct launch **launch) {
    const i64 items = divide_up(made->cut.blocks * made->cut.pieces, made->cut.span);
    struct norm_gradient_dense_params *p = plan_launch(plan, kernel, range_of_items(items, 1), launch);
    if (!p) return dnnl_out_of_memory;
    *p = *made;
    launch_bind(*launch, DNNL_ARG_SRC);
    launch_bind(*launch, DNNL_ARG_DIFF_DST);
    launch_bind(*launch, made->mask ? DNNL_ARG_WORKSPACE : ARG_NOTHING);
    return dnnl_success;
}

/* The sums of pieces, which are then added up for each cell. */
static dnnl_status_t append_sums(struct plan *plan, const struct norm_cells *cells,
                                 struct norm_gradient_dense_params made, dnnl_dim_t *first,
                                 dnnl_dim_t *second) {
    enum { SUMS = 5 };
    const i64 outer = made.cut.blocks / made.cut.channel_blocks;
    dnnl_dims_t from = {2, outer, made.cut.channel_blocks, made.cut.pieces, made.cut.width},
                to = {2, made.image ? outer : 1, made.cut.channel_blocks, 1, made.cut.width};
    struct launch *launch;
    md_t pieces, sums;
    TRY(md_init_by_strides(&pieces, SUMS, from, dnnl_f32, NULL));
    TRY(md_init_by_strides(&sums, SUMS, to, dnnl_f32, NULL));
    plan_place(plan, &pieces);
    plan_place(plan, &sums);
    made.sums = pieces.offset0;
    made.sums_second = pieces.offset0 + md_nelems(&pieces, false) / 2;
    *first = sums.offset0;
    *second = sums.offset0 + md_nelems(&sums, false) / 2;
    TRY(launch_dense(plan, &kernel_norm_gradient_sums, &made, &launch));
    launch_bind(launch, cells->mean_arg);
    launch_bind(launch, ARG_SCRATCHPAD);
    return reduce_append(plan, &(struct reduce_request){.alg = REDUCE_SUM,
                                                        .finish = REDUCE_FINISH_NONE,
                                                        .src_arg = ARG_SCRATCHPAD,
                                                        .src = &pieces,
                                                        .kept = 1u | (made.image ? 2u : 0u) | 4u | 16u,
                                                        .dst_arg = ARG_SCRATCHPAD,
                                                        .dst = &sums});
}

dnnl_status_t norm_append_backward_dense(struct plan *plan, const struct norm_cells *cells,
                                         dnnl_dim_t image) {
    enum { WORK = 16384, SUM_WORK = 32768 };
    const struct problem *problem = &plan->problem;
    const md_t *src = problem_md(problem, DNNL_ARG_SRC);
    struct norm_gradient_dense_params made = describe(problem, cells, image), sums = made;
    struct launch *launch;
    dnnl_dim_t first = 0, second = 0;
    if (!fits(problem, image) || !norm_cut(&made.cut, src, image != 0, WORK)
        || !norm_cut(&sums.cut, src, image != 0, SUM_WORK))
        return plan_skip(plan, "tensors do not have the same dense layout");
    if (!made.given || norm_wants_weights(problem)) TRY(append_sums(plan, cells, sums, &first, &second));
    TRY(norm_append_gradient(plan, cells, first, second, &made.factors));
    TRY(launch_dense(plan, &kernel_norm_gradient_dense, &made, &launch));
    launch_bind(launch, ARG_SCRATCHPAD);
    launch_bind(launch, DNNL_ARG_DIFF_SRC);
    return dnnl_success;
}
