/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reorders that quantise data and weights of recurrent networks, with the scales in their attributes:
 * data * scale + shift, or weights * scale. Weights have five dimensions, or four if they are s8 and there
 * are scales of a projection. Data and weights that are bytes already are copied.
 */
#include "base/verbose.h"
#include "primitives/rnn.h"
#include "primitives/rows.h"

static bool is_byte(dnnl_data_type_t type) {
    return type == dnnl_u8 || type == dnnl_s8;
}

/* An operand with the scales of the last two dimensions, or the last. */
static dnnl_status_t multiply(struct rows *rows, const md_t *dst, const struct rnn_weights_qparams *weights,
                              int mask) {
    const int ndims = dst->ndims;
    dnnl_dims_t dims;
    dnnl_dim_t count = 1;
    md_t md;
    for (int d = 0; d < ndims; d++) {
        dims[d] = mask >> d & 1 ? dst->dims[d] : 1;
        count *= dims[d];
    }
    if (weights->mask != mask || weights->count != count)
        return plan_skip(rows->plan, "a mask or number of the scales of weights");
    TRY(md_init_by_strides(&md, ndims, dims, dnnl_f32, NULL));
    TRY(rnn_constants(rows->plan, weights->scales, count, count, &md.offset0));
    rows_binary(rows, dnnl_binary_mul, rows_operand_at(rows, ARG_SCRATCHPAD, &md), ROW_NONE, ROW_NONE);
    return dnnl_success;
}

dnnl_status_t rnn_build_reorder(struct plan *plan) {
    const struct rnn_qparams *rnn = &plan->attr.rnn;
    const md_t *dst = problem_md(&plan->problem, DNNL_ARG_TO);
    const bool projection = dst->ndims == 4 && dst->data_type == dnnl_s8 && rnn->projection.scales;
    const struct rnn_weights_qparams *weights = projection ? &rnn->projection : &rnn->weights;
    if (attr_only_has(&plan->attr, ~(unsigned)ATTR_RNN)) return plan_skip(plan, "no scales of networks");
    if (!attr_only_has(&plan->attr, ATTR_RNN)) return plan_skip(plan, "other attributes");
    if (!is_byte(dst->data_type)) return plan_skip(plan, "dst has no bytes");
    const bool quantised = is_byte(problem_md(&plan->problem, DNNL_ARG_FROM)->data_type);
    struct rows rows;
    rows_begin(&rows, plan, DNNL_ARG_TO);
    rows_load(&rows, rows_operand(&rows, DNNL_ARG_FROM), ROW_NONE);
    if (quantised) return rows_end(&rows);
    if (dst->ndims != 5 && !projection)
        rows_eltwise(&rows, dnnl_eltwise_linear, rnn->scale, rnn->shift);
    else if (weights->mask == 0 && weights->scales)
        rows_eltwise(&rows, dnnl_eltwise_linear, weights->scales[0], 0);
    else if (weights->mask != 0)
        TRY(multiply(&rows, dst, weights, projection ? 1 << 3 : 1 << 3 | 1 << 4));
    return rows_end(&rows);
}
