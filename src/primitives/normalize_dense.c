/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Applies statistics per channel, or per image and channel, to tensors whose src and dst have the same dense
 * layout: see norm_append_dense in normalization.h.
 */
#include "base/round.h"
#include "kernels/params_normalization.h"
#include "primitives/normalization.h"
#include "primitives/tensor.h"
#include "runtimes/runtime.h"

/* A ReLU of the flags, or as the only post-op. */
static bool activation_fits(const struct plan *plan, bool *relu) {
    const attr_t *attr = &plan->attr;
    *relu = plan->problem.flags & dnnl_fuse_norm_relu;
    if (plan->problem.flags & dnnl_fuse_norm_add_relu) return false;
    if (attr_is_default(attr)) return true;
    const struct post_op *op = attr->post_ops.entries;
    bool only = attr->post_ops.len == 1 && quants_are_default(&attr->scales) && op->kind == dnnl_eltwise
                && op->eltwise.alg == dnnl_eltwise_relu && op->eltwise.alpha == 0;
    *relu = *relu || only;
    return only;
}

/* Cuts the layout at its loops of channels: at most one outside, and one that is innermost. */
static bool cut_channels(struct norm_dense_params *p, const md_t *md, bool images) {
    struct walk walk;
    walk_cut(&walk, md);
    int n = walk.nloops, outer = -1;
    p->width = n > 0 && walk.loops[n - 1].dim == 1 ? walk.loops[--n].size : 1;
    for (int l = 0; l < n; l++) {
        if (walk.loops[l].dim != 1) continue;
        if (outer >= 0 || walk.loops[l].step != p->width) return false;
        outer = l;
    }
    p->channel_blocks = outer >= 0 ? walk.loops[outer].size : 1;
    /* Images with statistics of their own must be outermost. */
    bool batch = n > 0 && walk.loops[0].dim == 0;
    if (images && md->dims[0] > 1 && (!batch || outer > 1)) return false;
    if (images && outer < 0) outer = batch ? 0 : -1;
    p->blocks = p->length = 1;
    for (int l = 0; l < n; l++)
        *(l <= outer ? &p->blocks : &p->length) *= walk.loops[l].size;
    p->length *= p->width;
    return true;
}

static bool set_period(struct norm_dense_params *p) {
    enum { WORK = 8192, REUSE = 4 };
    p->period = p->width;
    while (p->period % 16 != 0 && p->period <= NORM_PERIOD)
        p->period *= 2;
    if (p->period > NORM_PERIOD) return false;
    i64 least = p->period * REUSE, wanted = WORK / p->period * p->period;
    p->piece = wanted > least ? wanted : least;
    p->pieces = divide_up(p->length, p->piece);
    i64 size = p->length < p->piece ? p->length : p->piece;
    p->span = WORK / size > 1 ? WORK / size : 1;
    return true;
}

static bool layouts_fit(const md_t *src, const md_t *dst) {
    md_t moved = *src;
    moved.offset0 = dst->offset0;
    return md_same_layout(&moved, dst) && md_is_dense(src, true);
}

static dnnl_status_t launch_dense(struct plan *plan, const struct norm_moments *m,
                                  const struct norm_dense_params *made) {
    struct launch *launch;
    i64 items = divide_up(made->blocks * made->pieces, made->span);
    struct norm_dense_params *p =
            plan_launch(plan, &kernel_normalize_dense, range_of_items(items, 1), &launch);
    if (!p) return dnnl_out_of_memory;
    *p = *made;
    launch_bind(launch, DNNL_ARG_SRC);
    launch_bind(launch, m->mean_arg);
    launch_bind(launch, m->variance_arg);
    launch_bind(launch, made->scale_offset >= 0 ? DNNL_ARG_SCALE : ARG_NOTHING);
    launch_bind(launch, made->shift_offset >= 0 ? DNNL_ARG_SHIFT : ARG_NOTHING);
    launch_bind(launch, DNNL_ARG_DST);
    launch_bind(launch, made->mask ? DNNL_ARG_WORKSPACE : ARG_NOTHING);
    return dnnl_success;
}

dnnl_status_t norm_append_dense(struct plan *plan, const struct norm_moments *m, dnnl_dim_t image,
                                dnnl_dim_t share, bool *fits) {
    const struct problem *problem = &plan->problem;
    const md_t *src = problem_md(problem, DNNL_ARG_SRC), *dst = problem_md(problem, DNNL_ARG_DST),
               *scale = problem_md(problem, DNNL_ARG_SCALE), *shift = problem_md(problem, DNNL_ARG_SHIFT);
    bool relu;
    struct norm_dense_params made = {.src_type = (i32)src->data_type,
                                     .dst_type = (i32)dst->data_type,
                                     .mask = problem_md(problem, DNNL_ARG_WORKSPACE) != NULL,
                                     .eps = problem->epsilon,
                                     .channels = src->dims[1],
                                     .image = image,
                                     .share = share,
                                     .src_offset = src->offset0,
                                     .dst_offset = dst->offset0,
                                     .mean_offset = m->mean.offset0,
                                     .variance_offset = m->variance.offset0,
                                     .scale_offset = scale ? scale->offset0 : -1,
                                     .shift_offset = shift ? shift->offset0 : -1};
    *fits = plan->device->info.class == DEVICE_CPU && layouts_fit(src, dst) && activation_fits(plan, &relu)
            && cut_channels(&made, dst, image != 0) && set_period(&made);
    if (!*fits) return dnnl_success;
    made.relu = relu;
    return launch_dense(plan, m, &made);
}
