/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by batch, layer and group normalisation: the checks of their arguments, their problems, and the
 * launches that compute and apply statistics.
 */
#ifndef LODE_PRIMITIVES_NORMALIZATION_H
#define LODE_PRIMITIVES_NORMALIZATION_H

#include "core/plan.h"
#include "kernels/params_normalization.h"
#include "primitives/check.h"

/* A normalisation, forward (dst) or backward (diff_src, diff_dst). */
struct normalization_request {
    const char *component;
    dnnl_prop_kind_t prop;
    const md_t *src, *dst, *diff_src, *diff_dst;
    const md_t *statistics; /* layer normalisation; may be NULL */
    unsigned flags, known_flags;
};

/* Checks propagation kinds, NULLs, layouts, flags, run-time sizes and shapes. `forward`: the creation
 * function is the forward one. */
dnnl_status_t check_normalization(const struct normalization_request *request, bool forward);
/* Checks attributes: none for backward; for forward `post_ops` and, if `scales`, single scales of src and dst
 * for 8-bit integers. */
dnnl_status_t check_normalization_attr(const struct normalization_request *request,
                                       const struct dnnl_engine *engine, const attr_t *attr,
                                       uint64_t post_ops, bool scales);

/* The forward problem. Mean and variance have the layout of `statistics`, scale and shift that of `weights`.
 */
dnnl_status_t normalization_problem(struct problem *problem, dnnl_primitive_kind_t kind,
                                    const struct normalization_request *request, float epsilon,
                                    const md_t *statistics, const md_t *weights);

/* Are statistics read (NORM_GIVEN), or computed and stored (NORM_STORED), or neither? */
enum norm_statistics { NORM_INSIDE, NORM_GIVEN, NORM_STORED };
enum norm_statistics norm_statistics(const struct problem *problem);

/* Statistics, f32, described with the dimensions of src: 1 where it is reduced. */
struct norm_moments {
    int mean_arg, variance_arg; /* ARG_SCRATCHPAD: at the offset of the descriptor */
    md_t mean, variance;
    bool about_zero; /* the mean counts as 0, and does not exist */
};

/* The md of a vector along dimension `dim` of tensors like `like`. */
dnnl_status_t norm_vector(md_t *md, const md_t *like, int dim, dnnl_data_type_t type);

/* Moments of f32 in scratchpad with these dimensions. */
dnnl_status_t norm_scratch_moments(struct plan *plan, struct norm_moments *m, int ndims,
                                   const dnnl_dim_t *dims);
/* Adds the launches that compute the moments of `src` over the dimensions that are not `kept`. */
dnnl_status_t norm_append_moments(struct plan *plan, int src_arg, const md_t *src, unsigned kept,
                                  const struct norm_moments *m);

/* Adds the launch that applies moments where src and dst have the same dense layout; false: it does not fit.
 * `image`: statistics of an image, 0 if all share them; `share`: consecutive channels that have the same. */
dnnl_status_t norm_append_dense(struct plan *plan, const struct norm_moments *m, dnnl_dim_t image,
                                dnnl_dim_t share, bool *fits);

/* Cuts a dense layout for kernels that take `work` elements at a time, if they can. `images`: those have
 * statistics of their own. */
bool norm_cut(struct norm_cut *cut, const md_t *md, bool images, dnnl_dim_t work);
/* Are elements of the same position in the same place? Types and offsets may differ. */
bool norm_same_layout(const md_t *a, const md_t *b);

/* How a normalisation is applied: dst = (src - mean) * factor + shift. */
struct norm_factors {
    int mean_arg, factor_arg, shift_arg; /* ARG_NOTHING: there is none */
    md_t mean, factor, shift;            /* dimensions of src, 1 where they are broadcast */
    int scale_arg;                       /* a scale that `factor` does not contain; ARG_NOTHING: none */
    md_t scale;
};
/* Adds the launch that computes factors: `count` of them, which `share` a statistic in groups of that size.
 * With DNNL_ARG_SCALE, if the problem has it and `channels` is not 0, its elements repeating after
 * `channels`. Returns offsets in scratchpad; the means are repeated to match if `expanded` is not NULL. */
dnnl_status_t norm_append_factors(struct plan *plan, const struct norm_moments *m, dnnl_dim_t count,
                                  dnnl_dim_t share, dnnl_dim_t channels, dnnl_dim_t *factor,
                                  dnnl_dim_t *expanded);
/* Adds the launches that apply them, with all flags and attributes of the problem. */
dnnl_status_t norm_append_apply(struct plan *plan, const struct norm_factors *f);

#endif
