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
static bool cut_channels(struct norm_cut *cut, const md_t *md, bool images) {
    struct walk walk;
    walk_cut(&walk, md);
    int n = walk.nloops, outer = -1;
    cut->width = n > 0 && walk.loops[n - 1].dim == 1 ? walk.loops[--n].size : 1;
    for (int l = 0; l < n; l++) {
        if (walk.loops[l].dim != 1) continue;
        if (outer >= 0 || walk.loops[l].step != cut->width) return false;
        outer = l;
    }
    cut->channel_blocks = outer >= 0 ? walk.loops[outer].size : 1;
    /* Images with statistics of their own must be outermost. */
    bool batch = n > 0 && walk.loops[0].dim == 0;
    if (images && md->dims[0] > 1 && (!batch || outer > 1)) return false;
    if (images && outer < 0) outer = batch ? 0 : -1;
    cut->blocks = cut->length = 1;
    for (int l = 0; l < n; l++)
        *(l <= outer ? &cut->blocks : &cut->length) *= walk.loops[l].size;
    cut->length *= cut->width;
    return true;
}

/* Vectors, or four of them where that makes no long periods. */
static bool set_period(struct norm_cut *cut, dnnl_dim_t work) {
    enum { REUSE = 4, LONG = 256 };
    cut->period = cut->width;
    while (cut->period % 16 != 0 && cut->period <= NORM_PERIOD)
        cut->period *= 2;
    while (cut->period % 64 != 0 && cut->period < LONG)
        cut->period *= 2;
    if (cut->period > NORM_PERIOD) return false;
    i64 least = cut->period * REUSE, wanted = work / cut->period * cut->period;
    cut->piece = wanted > least ? wanted : least;
    cut->pieces = divide_up(cut->length, cut->piece);
    i64 size = cut->length < cut->piece ? cut->length : cut->piece;
    cut->span = work / size > 1 ? work / size : 1;
    return true;
}

/* Only the padding of channels is known to kernels. */
static bool padding_fits(const md_t *md) {
    for (int d = 0; d < md->ndims; d++)
        if (d != 1 && md->padded_dims[d] != md->dims[d]) return false;
    return true;
}

bool norm_cut(struct norm_cut *cut, const md_t *md, bool images, dnnl_dim_t work) {
    return padding_fits(md) && md_is_dense(md, true) && cut_channels(cut, md, images)
           && set_period(cut, work);
}

bool norm_same_layout(const md_t *a, const md_t *b) {
    md_t moved = *a;
    moved.offset0 = b->offset0;
    moved.data_type = b->data_type;
    return md_same_layout(&moved, b);
}

static dnnl_status_t launch_dense(struct plan *plan, const struct norm_moments *m,
                                  const struct norm_dense_params *made) {
    struct launch *launch;
    i64 items = divide_up(made->cut.blocks * made->cut.pieces, made->cut.span);
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
    launch_may_stream_to(launch, DNNL_ARG_DST, &p->streams);
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
    const dnnl_dim_t work = work_of_item(plan->device, md_nelems(dst, true));
    *fits = plan->device->info.class == DEVICE_CPU && norm_same_layout(src, dst)
            && activation_fits(plan, &relu) && norm_cut(&made.cut, dst, image != 0, work);
    if (!*fits) return dnnl_success;
    made.relu = relu;
    return launch_dense(plan, m, &made);
}
