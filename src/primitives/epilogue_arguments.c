/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The execution arguments that attributes add to a problem: quantisation parameters, operands of post-ops,
 * and the seeds and masks of dropout and stochastic rounding. Knows no kernel: epilogue.c decides how they
 * are read.
 */
#include "primitives/epilogue.h"
#include "base/verbose.h"

static dnnl_status_t add_tensor(struct problem *problem, int arg, bool output, const md_t *md) {
    if (problem_md(problem, arg)) return dnnl_success;
    TRY(problem_reserve(problem, 1));
    problem_add(problem, arg, output, md);
    return dnnl_success;
}

static dnnl_status_t add_quant(struct problem *problem, const struct quant *quant, int kind) {
    md_t described;
    const md_t *md = problem_md(problem, quant->arg);
    if (!md) return dnnl_success;
    dnnl_dims_t dims = {1};
    for (int d = 0; d < md->ndims; d++)
        dims[0] *= quant_size(quant, md, d);
    TRY(quant->host_scalar ? md_init_host_scalar(&described, quant->data_type)
                           : md_init_by_string(&described, 1, dims, quant->data_type, "a"));
    return add_tensor(problem, kind | quant->arg, quant_is_dynamic(quant), &described);
}

static dnnl_status_t add_quants(struct problem *problem, const struct quants *quants, int kind) {
    for (int i = 0; i < quants->count; i++)
        TRY(add_quant(problem, &quants->entries[i], kind));
    return dnnl_success;
}

/* Post-ops. */

static dnnl_status_t add_operand(struct problem *problem, int arg, const md_t *md, const md_t *dst) {
    md_t decided = *md;
    for (int d = 0; d < dst->ndims; d++)
        if (md->dims[d] != 1 && md->dims[d] != dst->dims[d])
            return fail(dnnl_invalid_arguments, "attr",
                        "a post-op's operand has size %lld where dst has %lld", (long long)md->dims[d],
                        (long long)dst->dims[d]);
    TRY(md_set_any_like(&decided, dst));
    return add_tensor(problem, arg, false, &decided);
}

/* The slopes of a prelu: dense f32 with the dimensions of dst that are in the mask, channels last. */
static dnnl_status_t add_slopes(struct problem *problem, int arg, int mask, const md_t *dst) {
    static const char *const tags[] = {"a", "ab", "acb", "acdb", "acdeb"};
    md_t slopes;
    dnnl_dims_t dims;
    if (dst->ndims > 5) return dnnl_unimplemented;
    for (int d = 0; d < dst->ndims; d++)
        dims[d] = (mask & (1 << d)) != 0 ? dst->dims[d] : 1;
    TRY(md_init_by_string(&slopes, dst->ndims, dims, dnnl_f32, tags[dst->ndims - 1]));
    return add_tensor(problem, arg, false, &slopes);
}

static dnnl_status_t add_post_op(struct plan *plan, int index, const md_t *dst) {
    const struct post_op *op = &plan->attr.post_ops.entries[index];
    struct problem *problem = &plan->problem;
    switch (op->kind) {
    case dnnl_convolution: return plan_skip(plan, "post-ops contain a convolution");
    case dnnl_prelu: return add_slopes(problem, post_op_arg(index, DNNL_ARG_WEIGHTS), op->prelu.mask, dst);
    case dnnl_binary:
        TRY(add_operand(problem, post_op_arg(index, DNNL_ARG_SRC_1), &op->binary.src1, dst));
        if (op->binary.alg != dnnl_binary_select) return dnnl_success;
        return add_operand(problem, post_op_arg(index, DNNL_ARG_SRC_2), &op->binary.src2, dst);
    default: return dnnl_success;
    }
}

/* Dropout. Random numbers depend on the offset in dst, so dst must be row-major and the mask have its layout.
 */

static bool is_row_major(const md_t *md) {
    static const char *const tags[] = {[2] = "ab", [3] = "abc", [4] = "abcd", [5] = "abcde"};
    return md->ndims >= 2 && md->ndims <= 5 && md_matches_tag(md, tags[md->ndims]);
}

static dnnl_status_t add_value(struct problem *problem, int arg, dnnl_data_type_t type, bool host_scalar) {
    md_t md;
    static const dnnl_dims_t one = {1};
    TRY(host_scalar ? md_init_host_scalar(&md, type) : md_init_by_string(&md, 1, one, type, "a"));
    return add_tensor(problem, arg, false, &md);
}

static dnnl_status_t add_mask(struct plan *plan, const md_t *dst) {
    md_t mask = plan->attr.dropout.mask;
    if (md_is_zero(&mask)) return dnnl_success;
    TRY(md_set_any_like(&mask, dst));
    if (!md_same_dims(&mask, dst) || !is_row_major(&mask))
        return plan_skip(plan, "the dropout mask and dst do not have the same layout");
    return add_tensor(&plan->problem, DNNL_ARG_ATTR_DROPOUT_MASK, true, &mask);
}

static dnnl_status_t add_dropout(struct plan *plan, const md_t *dst) {
    const struct dropout *dropout = &plan->attr.dropout;
    struct problem *problem = &plan->problem;
    if (!dropout->enabled) return dnnl_success;
    if (!is_row_major(dst)) return plan_skip(plan, "dropout into a dst that is not row-major");
    bool scalars = dropout->use_host_scalars;
    TRY(add_value(problem, DNNL_ARG_ATTR_DROPOUT_PROBABILITY, dnnl_f32, scalars));
    TRY(add_value(problem, DNNL_ARG_ATTR_DROPOUT_SEED, dropout->seed_type, scalars));
    if (dropout->use_offset) TRY(add_value(problem, DNNL_ARG_ATTR_DROPOUT_OFFSET, dnnl_s64, scalars));
    return add_mask(plan, dst);
}

dnnl_status_t epilogue_add_arguments(struct plan *plan, const md_t *dst) {
    const attr_t *attr = &plan->attr;
    struct problem *problem = &plan->problem;
    TRY(add_quants(problem, &attr->scales, DNNL_ARG_ATTR_SCALES));
    TRY(add_quants(problem, &attr->zero_points, DNNL_ARG_ATTR_ZERO_POINTS));
    TRY(add_quants(problem, &attr->precomputed_reductions, DNNL_ARG_ATTR_PRECOMPUTED_REDUCTIONS));
    for (int i = 0; i < attr->post_ops.len; i++)
        TRY(add_post_op(plan, i, dst));
    TRY(add_dropout(plan, dst));
    if (!attr_has_stochastic_rounding(attr)) return dnnl_success;
    return add_value(problem, DNNL_ARG_ATTR_ROUNDING_SEED, dnnl_s32, false);
}
