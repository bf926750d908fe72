/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by batch, layer and group normalisation, backward: their problems, and the launches that compute
 * gradients. Kinds differ in how elements are divided into cells (kernels/params_normalization_backward.h);
 * what follows from that is the same for all.
 */
#ifndef LODE_PRIMITIVES_NORMALIZATION_BACKWARD_H
#define LODE_PRIMITIVES_NORMALIZATION_BACKWARD_H

#include "primitives/normalization.h"

/* Checks types and layouts, after check_normalization. `same`: all tensors must have one type; `doubles`:
 * they may be f64. */
dnnl_status_t check_normalization_backward(const struct normalization_request *request, bool same,
                                           bool doubles);
/* The backward problem. Mean and variance have the layout of `statistics`, scale, shift and their gradients
 * that of `weights`; `workspace` may be NULL. */
dnnl_status_t normalization_backward_problem(struct problem *problem, dnnl_primitive_kind_t kind,
                                             const struct normalization_request *request, float epsilon,
                                             const md_t *statistics, const md_t *weights,
                                             const md_t *workspace);

/* Open layouts become that of src, which becomes that of the forward primitive or of diff_dst if it is open.
 */
dnnl_status_t norm_backward_layouts(struct problem *problem);

/* How elements are divided into cells. Cell i belongs to statistic i / share and, if `channels` is not 0, to
 * channel i % channels, which has a scale. */
struct norm_cells {
    unsigned kept; /* BIT(d) of each dimension of src that tells cells apart */
    dnnl_dim_t statistics, share, channels;
    int mean_arg, variance_arg;              /* dense vectors, f32; */
    dnnl_dim_t mean_offset, variance_offset; /* a mean_offset of -1: means are 0, and do not exist */
    int cell_mean_arg; /* the mean of each cell, with the dimensions of src: ARG_NOTHING if there is none */
    md_t cell_mean;
};

/* The gradient of scale or shift (DNNL_ARG_DIFF_*); NULL if it is not computed. */
const md_t *norm_wanted(const struct problem *problem, int arg);
/* Does the primitive also compute the gradients of scale or shift? */
bool norm_wants_weights(const struct problem *problem);

/* Adds the launch that turns the two sums of each cell, at these offsets of scratchpad, into factors and, if
 * cells have channels, into the gradients of scale and shift. Returns the offset of the factors. */
dnnl_status_t norm_append_gradient(struct plan *plan, const struct norm_cells *cells, dnnl_dim_t first,
                                   dnnl_dim_t second, dnnl_dim_t *factors);

/* Adds the launches for tensors of no elements: the gradients of scale and shift are 0. */
dnnl_status_t norm_append_no_gradient(struct plan *plan, dnnl_dim_t channels);

/* Adds the launches for any layouts, as element-wise programs and reductions. */
dnnl_status_t norm_append_backward(struct plan *plan, const struct norm_cells *cells);

/* The same where all tensors have the same dense layout; else says why not. `image`: statistics of an image,
 * 0 if all share them. */
dnnl_status_t norm_append_backward_dense(struct plan *plan, const struct norm_cells *cells, dnnl_dim_t image);

/* An implementation that moves gradients to the layout of src. */
dnnl_status_t norm_build_moved_backward(struct plan *plan);

/* Where the workspace says which elements the ReLU has passed on, in the layout of the forward primitive's
 * dst. False: there is none. */
bool norm_mask(const struct problem *problem, md_t *mask);

#endif
