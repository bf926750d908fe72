/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of a bias: the sum of diff_dst over everything but channels. See convolution.h. */
#include "base/verbose.h"
#include "primitives/convolution.h"
#include "primitives/primitives.h"
#include "primitives/reduce.h"

/* A vector with as many dimensions as diff_dst: all sizes but that of channels are 1. */
static dnnl_status_t spread(md_t *to, const md_t *vector, int ndims) {
    dnnl_dims_t dims, strides;
    for (int d = 0; d < ndims; d++)
        dims[d] = 1, strides[d] = vector->dims[0] * vector->blocking.strides[0];
    dims[1] = vector->dims[0], strides[1] = vector->blocking.strides[0];
    TRY(md_init_by_strides(to, ndims, dims, dnnl_f32, strides));
    to->offset0 = vector->offset0;
    return dnnl_success;
}

static dnnl_status_t append_sum(struct plan *plan, int arg, const md_t *vector) {
    const md_t *diff_dst = problem_md(&plan->problem, DNNL_ARG_DIFF_DST);
    md_t sums;
    TRY(spread(&sums, vector, diff_dst->ndims));
    return reduce_append(plan, &(struct reduce_request){.alg = REDUCE_SUM,
                                                        .finish = REDUCE_FINISH_NONE,
                                                        .src_arg = DNNL_ARG_DIFF_DST,
                                                        .src = diff_dst,
                                                        .kept = BIT(1),
                                                        .dst_arg = arg,
                                                        .dst = &sums});
}

dnnl_status_t append_bias_gradient(struct plan *plan) {
    md_t *user = problem_md(&plan->problem, DNNL_ARG_DIFF_BIAS), sums;
    if (!user) return dnnl_success;
    TRY(md_set_any(user, "a"));
    if (user->data_type == dnnl_f32 && md_is_plain(user)) return append_sum(plan, DNNL_ARG_DIFF_BIAS, user);
    TRY(md_init_by_string(&sums, 1, user->dims, dnnl_f32, "a"));
    plan_place(plan, &sums);
    TRY(append_sum(plan, ARG_SCRATCHPAD, &sums));
    return append_reorder(plan, ARG_SCRATCHPAD, &sums, DNNL_ARG_DIFF_BIAS, user, NULL);
}
