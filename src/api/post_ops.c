/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dnnl_post_ops_*: chains of operations as objects, and the copy that attributes hold. Getters skip outputs
 * that are NULL.
 */
#include "core/attr.h"
#include "base/verbose.h"
#include "oneapi/dnnl/dnnl.h"

#include <stdlib.h>

dnnl_status_t dnnl_post_ops_create(dnnl_post_ops_t *post_ops) {
    if (!post_ops) return fail_null("attr");
    struct dnnl_post_ops *made = calloc(1, sizeof(*made));
    if (!made) return fail(dnnl_out_of_memory, "attr", "no memory for the object");
    *post_ops = made;
    return dnnl_success;
}

dnnl_status_t dnnl_post_ops_clone(dnnl_post_ops_t *post_ops, const_dnnl_post_ops_t existing) {
    if (!post_ops || !existing) return fail_null("attr");
    struct dnnl_post_ops *made = calloc(1, sizeof(*made));
    if (!made || post_ops_copy(made, existing) != dnnl_success) {
        free(made);
        return fail(dnnl_out_of_memory, "attr", "no memory for the object");
    }
    *post_ops = made;
    return dnnl_success;
}

dnnl_status_t dnnl_post_ops_destroy(dnnl_post_ops_t post_ops) {
    if (post_ops) post_ops_clear(post_ops);
    free(post_ops);
    return dnnl_success;
}

int dnnl_post_ops_len(const_dnnl_post_ops_t post_ops) {
    return post_ops ? post_ops->len : 0;
}

/* The entry at `index` if there is one. */
static const struct post_op *entry(const_dnnl_post_ops_t post_ops, int index) {
    return post_ops && index >= 0 && index < post_ops->len ? &post_ops->entries[index] : NULL;
}

dnnl_primitive_kind_t dnnl_post_ops_get_kind(const_dnnl_post_ops_t post_ops, int index) {
    const struct post_op *op = entry(post_ops, index);
    return op ? op->kind : dnnl_undefined_primitive;
}

/* Attributes keep a copy; passing their own copy to the setter changes nothing. */
dnnl_status_t dnnl_primitive_attr_get_post_ops(const_dnnl_primitive_attr_t attr,
                                               const_dnnl_post_ops_t *post_ops) {
    if (!attr || !post_ops) return fail_null("attr");
    *post_ops = &attr->post_ops;
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_attr_set_post_ops(dnnl_primitive_attr_t attr, const_dnnl_post_ops_t post_ops) {
    if (!attr || !post_ops) return fail_null("attr");
    struct dnnl_post_ops copy;
    if (post_ops_copy(&copy, post_ops) != dnnl_success)
        return fail(dnnl_out_of_memory, "attr", "no memory for post-ops");
    post_ops_clear(&attr->post_ops);
    attr->post_ops = copy;
    return dnnl_success;
}

/* Appending. If the chain is full, returns dnnl_out_of_memory before any other check, as oneDNN does. */

static dnnl_status_t check_room(const struct dnnl_post_ops *post_ops) {
    if (!post_ops) return fail_null("attr");
    if (post_ops->len < POST_OPS_MAX) return dnnl_success;
    return fail_check(dnnl_out_of_memory, "attr", "more than %d post-ops", POST_OPS_MAX);
}

static dnnl_status_t append(struct dnnl_post_ops *post_ops, const struct post_op *op) {
    if (post_ops_append(post_ops, op) == dnnl_success) return dnnl_success;
    return fail(dnnl_out_of_memory, "attr", "no memory for post-ops");
}

dnnl_status_t dnnl_post_ops_append_sum(dnnl_post_ops_t post_ops, float scale, int32_t zero_point,
                                       dnnl_data_type_t data_type) {
    TRY(check_room(post_ops));
    struct post_op op = {.kind = dnnl_sum,
                         .sum = {.scale = scale, .zero_point = zero_point, .data_type = data_type}};
    return append(post_ops, &op);
}

dnnl_status_t dnnl_post_ops_append_eltwise(dnnl_post_ops_t post_ops, dnnl_alg_kind_t alg_kind, float alpha,
                                           float beta) {
    TRY(check_room(post_ops));
    if (!eltwise_is_valid(alg_kind, alpha, beta))
        return fail(dnnl_invalid_arguments, "attr", "bad eltwise algorithm %#x with alpha %g and beta %g",
                    (unsigned)alg_kind, (double)alpha, (double)beta);
    struct post_op op = {.kind = dnnl_eltwise, .eltwise = {.alg = alg_kind, .alpha = alpha, .beta = beta}};
    return append(post_ops, &op);
}

dnnl_status_t dnnl_post_ops_append_dw(dnnl_post_ops_t post_ops, dnnl_data_type_t weights_data_type,
                                      dnnl_data_type_t bias_data_type, dnnl_data_type_t dst_data_type,
                                      dnnl_dim_t kernel_size, dnnl_dim_t stride_size,
                                      dnnl_dim_t padding_l_size) {
    TRY(check_room(post_ops));
    if (weights_data_type == dnnl_data_type_undef) return fail_param("attr", "weights_data_type");
    if (dst_data_type == dnnl_data_type_undef) return fail_param("attr", "dst_data_type");
    if (kernel_size <= 0) return fail_param("attr", "kernel_size");
    if (stride_size <= 0) return fail_param("attr", "stride_size");
    if (padding_l_size >= kernel_size) return fail_param("attr", "padding_l_size");
    struct post_op op = {.kind = dnnl_convolution,
                         .depthwise = {.weights_type = weights_data_type,
                                       .bias_type = bias_data_type,
                                       .dst_type = dst_data_type,
                                       .kernel = kernel_size,
                                       .stride = stride_size,
                                       .padding = padding_l_size}};
    return append(post_ops, &op);
}

dnnl_status_t dnnl_post_ops_append_binary(dnnl_post_ops_t post_ops, dnnl_alg_kind_t alg_kind,
                                          const_dnnl_memory_desc_t src1_desc) {
    return dnnl_post_ops_append_binary_v2(post_ops, alg_kind, src1_desc, NULL);
}

dnnl_status_t dnnl_post_ops_append_binary_v2(dnnl_post_ops_t post_ops, dnnl_alg_kind_t alg_kind,
                                             const_dnnl_memory_desc_t src1_desc,
                                             const_dnnl_memory_desc_t src2_desc) {
    TRY(check_room(post_ops));
    bool select = alg_kind == dnnl_binary_select;
    if (alg_kind < dnnl_binary_add || alg_kind > dnnl_binary_select) return fail_param("attr", "alg_kind");
    if (!src1_desc || (select && !src2_desc)) return fail_null("attr");
    if (md_has_runtime_dims_or_strides(src1_desc) || (select && md_has_runtime_dims_or_strides(src2_desc)))
        return fail(dnnl_invalid_arguments, "attr", "run-time dimensions in a binary post-op");
    struct post_op op = {.kind = dnnl_binary, .binary = {.alg = alg_kind, .src1 = *src1_desc}};
    if (select) op.binary.src2 = *src2_desc;
    return append(post_ops, &op);
}

dnnl_status_t dnnl_post_ops_append_prelu(dnnl_post_ops_t post_ops, int mask) {
    TRY(check_room(post_ops));
    struct post_op op = {.kind = dnnl_prelu, .prelu = {.mask = mask}};
    return append(post_ops, &op);
}

/* Reading back. */

/* NULL, with a verbose line, if there is no post-op of this kind at `index`. */
static const struct post_op *find(const_dnnl_post_ops_t post_ops, int index, dnnl_primitive_kind_t kind) {
    const struct post_op *op = entry(post_ops, index);
    if (op && op->kind == kind) return op;
    fail(dnnl_invalid_arguments, "attr", "no such post-op at index %d", index);
    return NULL;
}

dnnl_status_t dnnl_post_ops_get_params_sum(const_dnnl_post_ops_t post_ops, int index, float *scale,
                                           int32_t *zero_point, dnnl_data_type_t *data_type) {
    const struct post_op *op = find(post_ops, index, dnnl_sum);
    if (!op) return dnnl_invalid_arguments;
    if (scale) *scale = op->sum.scale;
    if (zero_point) *zero_point = op->sum.zero_point;
    if (data_type) *data_type = op->sum.data_type;
    return dnnl_success;
}

dnnl_status_t dnnl_post_ops_get_params_eltwise(const_dnnl_post_ops_t post_ops, int index,
                                               dnnl_alg_kind_t *alg_kind, float *alpha, float *beta) {
    const struct post_op *op = find(post_ops, index, dnnl_eltwise);
    if (!op) return dnnl_invalid_arguments;
    if (alg_kind) *alg_kind = op->eltwise.alg;
    if (alpha) *alpha = op->eltwise.alpha;
    if (beta) *beta = op->eltwise.beta;
    return dnnl_success;
}

dnnl_status_t dnnl_post_ops_get_params_dw(const_dnnl_post_ops_t post_ops, int index,
                                          dnnl_data_type_t *weights_data_type,
                                          dnnl_data_type_t *bias_data_type, dnnl_data_type_t *dst_data_type,
                                          dnnl_dim_t *kernel_size, dnnl_dim_t *stride_size,
                                          dnnl_dim_t *padding_l_size) {
    const struct post_op *op = find(post_ops, index, dnnl_convolution);
    if (!op) return dnnl_invalid_arguments;
    if (weights_data_type) *weights_data_type = op->depthwise.weights_type;
    if (bias_data_type) *bias_data_type = op->depthwise.bias_type;
    if (dst_data_type) *dst_data_type = op->depthwise.dst_type;
    if (kernel_size) *kernel_size = op->depthwise.kernel;
    if (stride_size) *stride_size = op->depthwise.stride;
    if (padding_l_size) *padding_l_size = op->depthwise.padding;
    return dnnl_success;
}

dnnl_status_t dnnl_post_ops_get_params_binary(const_dnnl_post_ops_t post_ops, int index,
                                              dnnl_alg_kind_t *alg_kind,
                                              const_dnnl_memory_desc_t *src1_desc) {
    return dnnl_post_ops_get_params_binary_v2(post_ops, index, alg_kind, src1_desc, NULL);
}

dnnl_status_t dnnl_post_ops_get_params_binary_v2(const_dnnl_post_ops_t post_ops, int index,
                                                 dnnl_alg_kind_t *alg_kind,
                                                 const_dnnl_memory_desc_t *src1_desc,
                                                 const_dnnl_memory_desc_t *src2_desc) {
    const struct post_op *op = find(post_ops, index, dnnl_binary);
    if (!op) return dnnl_invalid_arguments;
    if (alg_kind) *alg_kind = op->binary.alg;
    if (src1_desc) *src1_desc = &op->binary.src1;
    if (src2_desc) *src2_desc = &op->binary.src2;
    return dnnl_success;
}

dnnl_status_t dnnl_post_ops_get_params_prelu(const_dnnl_post_ops_t post_ops, int index, int *mask) {
    const struct post_op *op = find(post_ops, index, dnnl_prelu);
    if (!op) return dnnl_invalid_arguments;
    if (mask) *mask = op->prelu.mask;
    return dnnl_success;
}
