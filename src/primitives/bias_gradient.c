/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of a bias: the sum of diff_dst, or of parts of that sum, over everything but channels. See
 * convolution.h. */
#include "base/verbose.h"
#include "primitives/convolution.h"
#include "primitives/f64.h"
#include "primitives/gemm.h"
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

/* What is summed: diff_dst, or sums of parts of it. */
struct terms {
    int arg;
    const md_t *md;
};

static dnnl_status_t append_sum(struct plan *plan, const struct terms *terms, int arg, const md_t *vector) {
    md_t sums;
    TRY(spread(&sums, vector, terms->md->ndims));
    return reduce_append(plan, &(struct reduce_request){.alg = REDUCE_SUM,
                                                        .finish = REDUCE_FINISH_NONE,
                                                        .src_arg = terms->arg,
                                                        .src = terms->md,
                                                        .kept = BIT(1),
                                                        .dst_arg = arg,
                                                        .dst = &sums});
}

/* The same in doubles: rows of channels that are evenly apart. */
static dnnl_status_t append_sum_f64(struct plan *plan, const struct terms *terms, int arg,
                                    const md_t *vector) {
    const char *rows = channels_last(terms->md->ndims);
    md_t moved = *terms->md;
    int from = terms->arg;
    if (!md_matches_tag(&moved, rows)) {
        TRY(gemm_scratch_md(plan, terms->md, dnnl_f64, rows, &moved));
        TRY(append_reorder(plan, from, terms->md, ARG_SCRATCHPAD, &moved, NULL));
        from = ARG_SCRATCHPAD;
    }
    const dnnl_dim_t channels = moved.dims[1];
    return f64_append_sums(
            plan, &(struct f64_sums_request){.src_arg = from,
                                             .dst_arg = arg,
                                             .src_offset = moved.offset0,
                                             .src_row = channels,
                                             .dst_offset = vector->offset0,
                                             .rows = channels > 0 ? md_nelems(&moved, false) / channels : 0,
                                             .columns = channels});
}

dnnl_status_t append_bias_sums(struct plan *plan, int terms_arg, const md_t *terms_md) {
    md_t *user = problem_md(&plan->problem, DNNL_ARG_DIFF_BIAS), sums;
    if (!user) return dnnl_success;
    TRY(md_set_any(user, "a"));
    const struct terms terms = {terms_arg, terms_md};
    const bool doubles = user->data_type == dnnl_f64;
    const dnnl_data_type_t type = doubles ? dnnl_f64 : dnnl_f32;
    dnnl_status_t (*append)(struct plan *plan, const struct terms *terms, int arg, const md_t *vector) =
            doubles ? append_sum_f64 : append_sum;
    if (user->data_type == type && md_is_plain(user) && (!doubles || user->blocking.strides[0] == 1))
        return append(plan, &terms, DNNL_ARG_DIFF_BIAS, user);
    TRY(md_init_by_string(&sums, 1, user->dims, type, "a"));
    plan_place(plan, &sums);
    TRY(append(plan, &terms, ARG_SCRATCHPAD, &sums));
    return append_reorder(plan, ARG_SCRATCHPAD, &sums, DNNL_ARG_DIFF_BIAS, user, NULL);
}

dnnl_status_t append_bias_gradient(struct plan *plan) {
    return append_bias_sums(plan, DNNL_ARG_DIFF_DST, problem_md(&plan->problem, DNNL_ARG_DIFF_DST));
}
