/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums and the like over a set of dimensions, as launches of any plan: reductions, and the statistics of
 * normalisations. How the work is divided depends on the problem alone.
 */
#ifndef LODE_PRIMITIVES_REDUCE_H
#define LODE_PRIMITIVES_REDUCE_H

#include "core/plan.h"
#include "kernels/params_reduction.h"

struct reduce_request {
    int alg, finish; /* REDUCE_*, REDUCE_FINISH_* */
    float p, eps;
    bool about_zero; /* moments: the mean is taken to be 0, and is not stored */
    int src_arg;
    const md_t *src;
    unsigned kept; /* BIT(d) of each dimension of src that results have */
    /* Results, f32, with as many dimensions as src; both have the same layout but for their offsets. Moments:
     * the mean and the variance. Padding is not written. */
    int dst_arg, second_arg;
    const md_t *dst, *second;
};

/* Can results be written to this layout as they are? */
bool reduce_writes(const struct reduce_request *request);
/* Adds the launches. src is converted first, if its layout does not fit. */
dnnl_status_t reduce_append(struct plan *plan, const struct reduce_request *request);

/* Adds the launch that combines moments in scratchpad, of `each` elements, `parts` neighbours at a time. */
struct combine_request {
    dnnl_dim_t mean, variance; /* offsets of what is combined */
    dnnl_dim_t results, parts, each;
    int mean_arg, variance_arg; /* dense results */
    dnnl_dim_t mean_offset, variance_offset;
};
dnnl_status_t reduce_append_combine(struct plan *plan, const struct combine_request *request);

/* f32 in scratchpad with these sizes, dense, in the order of the dimensions of `like`. */
dnnl_status_t scratch_tensor(struct plan *plan, md_t *md, const md_t *like, const dnnl_dim_t *dims);

#endif
