/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gradient of the weights of a convolution or deconvolution as a forward convolution: the image with
 * batch and channels exchanged is convolved with the places, which are its weights; the window's strides and
 * dilations are exchanged too. Results are the gradient with its input channels as the batch. See
 * weights_gradient.h for the words.
 */
#include "base/verbose.h"
#include "primitives/convolution.h"
#include "primitives/gemm.h"
#include "primitives/primitives.h"
#include "primitives/weights_gradient.h"

/* A tensor that the part uses: the user's, or one in scratchpad. */
struct operand {
    int arg;
    md_t md;
};

struct operands {
    struct operand image, places, results;
};

static dnnl_status_t move_in(struct plan *plan, struct operand *o, const char *tag) {
    const md_t user = o->md;
    TRY(gemm_scratch_md(plan, &user, user.data_type, tag, &o->md));
    TRY(append_reorder(plan, o->arg, &user, ARG_SCRATCHPAD, &o->md, NULL));
    o->arg = ARG_SCRATCHPAD;
    return dnnl_success;
}

/* A group has the whole batch as its input channels. So that channels of groups are one dimension, the batch
 * is the innermost dimension of the image, which the part sees as a block of channels. */
static dnnl_status_t describe_image(struct plan *plan, struct operand *o, dnnl_dim_t groups, md_t *md) {
    static const int exchanged[] = {1, 0, 2, 3, 4};
    static const char *const batch_last[] = {[3] = "bca", [4] = "bcda", [5] = "bcdea"};
    if (groups == 1) return md_permute(md, &o->md, exchanged);
    TRY(move_in(plan, o, batch_last[o->md.ndims]));
    const md_t *from = &o->md;
    const dnnl_dim_t batch = from->dims[0], inputs = from->dims[1] / groups;
    dnnl_dims_t dims = {inputs, groups * batch},
                strides = {from->blocking.strides[1], inputs * from->blocking.strides[1]};
    for (int d = 2; d < from->ndims; d++)
        dims[d] = from->dims[d], strides[d] = from->blocking.strides[d];
    TRY(md_init_by_strides(md, from->ndims, dims, from->data_type, NULL));
    for (int d = 0; d < from->ndims; d++)
        md->blocking.strides[d] = strides[d];
    if (batch > 1) {
        md->blocking.inner_nblks = 1;
        md->blocking.inner_blks[0] = batch;
        md->blocking.inner_idxs[0] = 1;
    }
    md->offset0 = from->offset0;
    return dnnl_success;
}

/* Weights of the part: outputs, batch, positions; the first dimension is the group, if there are any. */
static dnnl_status_t describe_places(struct plan *plan, struct operand *o, dnnl_dim_t groups, md_t *md) {
    static const int exchanged[] = {1, 0, 2, 3, 4};
    if (groups == 1) return md_permute(md, &o->md, exchanged);
    if (!md_is_plain(&o->md)) TRY(move_in(plan, o, channels_last(o->md.ndims)));
    const md_t *from = &o->md;
    const dnnl_dim_t outputs = from->dims[1] / groups, channel = from->blocking.strides[1];
    dnnl_dims_t dims = {groups, outputs, from->dims[0]},
                strides = {outputs * channel, channel, from->blocking.strides[0]};
    for (int d = 2; d < from->ndims; d++)
        dims[d + 1] = from->dims[d], strides[d + 1] = from->blocking.strides[d];
    TRY(md_init_by_strides(md, from->ndims + 1, dims, from->data_type, NULL));
    for (int d = 0; d <= from->ndims; d++)
        md->blocking.strides[d] = strides[d];
    md->offset0 = from->offset0;
    return dnnl_success;
}

/* The order of the gradient's dimensions in which groups and outputs are one. */
static const char *results_tag(const struct gradient *g, int ndims) {
    static const char *const plain[] = {[3] = "abc", [4] = "abcd", [5] = "abcde", [6] = "abcdef"};
    static const char *const inputs_inside[] = {[4] = "acbd", [5] = "acbde", [6] = "acbdef"};
    return g->grouped && g->output > g->input ? inputs_inside[ndims] : plain[ndims];
}

/* Results of the part: inputs, outputs of all groups, taps. */
static dnnl_status_t describe_results(const struct gradient *g, const md_t *from, md_t *md) {
    const int ndims = from->ndims - g->grouped;
    dnnl_dims_t dims = {from->dims[g->input], from->dims[g->output]},
                strides = {from->blocking.strides[g->input], from->blocking.strides[g->output]};
    if (g->grouped) dims[1] *= from->dims[0];
    for (int d = 2; d < ndims; d++)
        dims[d] = from->dims[g->grouped + d], strides[d] = from->blocking.strides[g->grouped + d];
    TRY(md_init_by_strides(md, ndims, dims, from->data_type, NULL));
    for (int d = 0; d < ndims; d++)
        md->blocking.strides[d] = strides[d];
    md->offset0 = from->offset0;
    return dnnl_success;
}

/* Tap k of the gradient reads position k * (1 + dilation) + o * stride - padding of the image: places are the
 * window, and taps its positions. */
static void set_window(struct problem *part, const struct problem *whole, const md_t *image,
                       const md_t *places) {
    dnnl_dims_t strides, dilates, padding_r;
    const int spatial = image->ndims - 2;
    for (int d = 0; d < spatial; d++) {
        strides[d] = whole->dilates[d] + 1;
        dilates[d] = whole->strides[d] - 1;
        padding_r[d] = (whole->kernel[d] - 1) * strides[d] + (places->dims[d + 2] - 1) * whole->strides[d] + 1
                       - image->dims[d + 2] - whole->padding_l[d];
    }
    problem_set_window(part,
                       &(struct window_vectors){.kernel = places->dims + 2,
                                                .strides = strides,
                                                .dilates = dilates,
                                                .padding_l = whole->padding_l,
                                                .padding_r = padding_r},
                       spatial);
}

static int whole_arg(int arg, const void *data) {
    const struct operands *o = data;
    switch (arg) {
    case DNNL_ARG_SRC: return o->image.arg;
    case DNNL_ARG_WEIGHTS: return o->places.arg;
    case DNNL_ARG_DST: return o->results.arg;
    default: return arg;
    }
}

static dnnl_status_t append_convolution(struct plan *plan, const struct gradient *g, struct operands *o) {
    const dnnl_dim_t groups = g->grouped ? o->results.md.dims[0] : 1;
    struct problem part;
    md_t image, places, results;
    TRY(describe_image(plan, &o->image, groups, &image));
    TRY(describe_places(plan, &o->places, groups, &places));
    TRY(describe_results(g, &o->results.md, &results));
    TRY(problem_init(&part, dnnl_convolution, 3));
    part.prop = dnnl_forward_inference;
    part.alg = dnnl_convolution_direct;
    set_window(&part, &plan->problem, &o->image.md, &o->places.md);
    problem_add(&part, DNNL_ARG_SRC, false, &image);
    problem_add(&part, DNNL_ARG_WEIGHTS, false, &places);
    problem_add(&part, DNNL_ARG_DST, true, &results);
    dnnl_status_t status = plan_append(plan, convolution_forward, &part, &plan->attr, whole_arg, o);
    problem_clear(&part);
    return status;
}

/* Can groups and outputs be seen as one dimension? */
static bool has_merged_groups(const struct gradient *g, const md_t *md) {
    return md_is_plain(md)
           && (!g->grouped || md->dims[0] == 1
               || md->blocking.strides[0] == md->dims[g->output] * md->blocking.strides[g->output]);
}

dnnl_status_t gradient_build_by_convolution(struct plan *plan) {
    TRY(gradient_accepts(plan));
    const struct gradient g = gradient_of(&plan->problem);
    const char *tag = results_tag(&g, problem_md(&plan->problem, DNNL_ARG_DIFF_WEIGHTS)->ndims);
    TRY(gradient_decide_layouts(plan, tag));
    const md_t user = *problem_md(&plan->problem, DNNL_ARG_DIFF_WEIGHTS);
    struct operands o = {{g.image_arg, *problem_md(&plan->problem, g.image_arg)},
                         {g.places_arg, *problem_md(&plan->problem, g.places_arg)},
                         {DNNL_ARG_DIFF_WEIGHTS, user}};
    const bool moved = !has_merged_groups(&g, &user);
    if (moved) {
        TRY(gemm_scratch_md(plan, &user, user.data_type, tag, &o.results.md));
        o.results.arg = ARG_SCRATCHPAD;
    }
    TRY(append_convolution(plan, &g, &o));
    if (moved) TRY(append_reorder(plan, ARG_SCRATCHPAD, &o.results.md, DNNL_ARG_DIFF_WEIGHTS, &user, NULL));
    return append_bias_gradient(plan);
}
