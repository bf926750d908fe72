/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that creation functions share: see check.h. */
#include "primitives/check.h"
#include "primitives/primitives.h"

dnnl_status_t check_no_host_scalars(const char *component, struct md_list list) {
    for (int i = 0; i < list.count; i++)
        REQUIRE(!list.mds[i] || !md_is_host_scalar(list.mds[i]), "a tensor cannot be a host scalar");
    return dnnl_success;
}

dnnl_status_t check_sizes_known(const char *component, struct md_list list) {
    for (int i = 0; i < list.count; i++)
        SUPPORT(!list.mds[i] || !md_has_runtime_dims_or_strides(list.mds[i]),
                "dimensions or strides that are known only at execution");
    return dnnl_success;
}

dnnl_status_t check_same_dims(const char *component, const char *a_name, const md_t *a, const char *b_name,
                              const md_t *b) {
    REQUIRE(a->ndims == b->ndims, "%s has %d dimensions, %s has %d", a_name, a->ndims, b_name, b->ndims);
    for (int d = 0; d < a->ndims; d++)
        REQUIRE(a->dims[d] == b->dims[d], "dimension %d of %s is %lld, of %s %lld", d, a_name,
                (long long)a->dims[d], b_name, (long long)b->dims[d]);
    return dnnl_success;
}

/* Forward products that sum in s32: integers by integers. */
static bool product_is_integer(dnnl_data_type_t src, dnnl_data_type_t weights) {
    return in_set(TYPES_INT8, src) && in_set(TYPES_INT8 | TYPES_INT4, weights);
}

static bool product_is_decompression(dnnl_data_type_t src, dnnl_data_type_t weights) {
    return in_set(BIT(dnnl_bf16) | BIT(dnnl_f32), src) && in_set(TYPES_INT8 | TYPES_INT4, weights);
}

dnnl_data_type_t accumulation_type(const md_t *src_md, const md_t *weights_md, const md_t *dst_md,
                                   dnnl_prop_kind_t prop) {
    dnnl_data_type_t src = src_md->data_type, weights = weights_md->data_type, dst = dst_md->data_type;
    if (src == weights && (src == dnnl_f32 || src == dnnl_f64)) return src;
    if (prop_is_forward(prop)) {
        if (product_is_integer(src, weights)) return dnnl_s32;
        if (product_is_decompression(src, weights)) return dnnl_f32;
    }
    if (prop == dnnl_backward_data) {
        if (in_set(TYPES_INT8 | BIT(dnnl_f32) | BIT(dnnl_s32), src) && weights == dnnl_s8
            && in_set(TYPES_INT8 | BIT(dnnl_s32), dst))
            return dnnl_s32;
        if (dst == dnnl_f32 && weights == dnnl_f32 && in_set(TYPES_INT8, src)) return dnnl_f32;
    }
    const uint64_t narrow = TYPES_FP4 | TYPES_FP8 | BIT(dnnl_bf16) | BIT(dnnl_f16);
    bool any = in_set(narrow, src) || in_set(narrow, weights) || in_set(narrow, dst);
    return any ? dnnl_f32 : dnnl_data_type_undef;
}

dnnl_data_type_t pooling_accumulation_type(dnnl_data_type_t src, dnnl_data_type_t dst) {
    const uint64_t integers = TYPES_INT8 | TYPES_INT4;
    const uint64_t floats = TYPES_FP4 | TYPES_FP8 | BIT(dnnl_f16) | BIT(dnnl_bf16) | BIT(dnnl_f32);
    if (in_set(integers, src) && dst != dnnl_f32) return dnnl_s32;
    if (in_set(floats, src) || in_set(floats, dst)) return dnnl_f32;
    if (src == dnnl_f64 || dst == dnnl_f64) return dnnl_f64;
    if (in_set(integers | BIT(dnnl_s32), src) || in_set(integers | BIT(dnnl_s32), dst)) return dnnl_s32;
    return dnnl_data_type_undef;
}

bool types_fit(const struct type_row *rows, int count, const md_t *src, const md_t *weights, const md_t *bias,
               const md_t *dst) {
    for (int i = 0; i < count; i++)
        if (in_set(rows[i].src, src->data_type) && in_set(rows[i].weights, weights->data_type)
            && in_set(rows[i].dst, dst->data_type)
            && (md_is_zero(bias) || in_set(rows[i].bias, bias->data_type)))
            return true;
    return false;
}

/* Modes that only permit something, such as lower precision, are accepted by every primitive. */
static bool attr_within(const attr_t *attr, unsigned parts) {
    bool demands_fpmath = attr->fpmath_apply_to_int && attr->fpmath_mode != dnnl_fpmath_mode_strict;
    bool demands_accumulation = attr->accumulation_mode != dnnl_accumulation_mode_strict
                                && attr->accumulation_mode != dnnl_accumulation_mode_relaxed
                                && attr->accumulation_mode != dnnl_accumulation_mode_any;
    if (!demands_fpmath) parts |= ATTR_FPMATH;
    if (!demands_accumulation) parts |= ATTR_ACCUMULATION;
    return attr_only_has(attr, parts);
}

bool attr_is_default(const attr_t *attr) {
    return !attr || attr_within(attr, 0);
}

bool quants_are_default(const struct quants *quants) {
    return quants->count == 0;
}

static bool contains(const int *list, int end, int value) {
    for (; *list != end; list++)
        if (*list == value) return true;
    return false;
}

bool quants_only_for(const struct quants *quants, const int *args) {
    for (int i = 0; i < quants->count; i++)
        if (!contains(args, 0, quants->entries[i].arg)) return false;
    return true;
}

bool quant_mask_in(const struct quants *quants, int arg, const int *masks) {
    const struct quant *quant = quants_find(quants, arg);
    return !quant || contains(masks, -1, quant->mask);
}

bool quants_have_host_scalars(const struct quants *quants) {
    for (int i = 0; i < quants->count; i++)
        if (quants->entries[i].host_scalar) return true;
    return false;
}

static bool quants_have_type(const struct quants *quants, dnnl_data_type_t type) {
    for (int i = 0; i < quants->count; i++)
        if (quants->entries[i].data_type != type) return false;
    return true;
}

static dnnl_data_type_t sum_type(const struct post_op *op, const md_t *dst) {
    return op->sum.data_type == dnnl_data_type_undef ? dst->data_type : op->sum.data_type;
}

static dnnl_status_t check_sum(const char *component, const struct post_op *op,
                               const struct attr_rules *rules, const md_t *dst, bool first) {
    dnnl_data_type_t type = sum_type(op, dst);
    SUPPORT(rules->sum_types || type == dst->data_type, "a sum whose type differs from that of dst");
    SUPPORT(!first || dst->data_type == dnnl_data_type_undef || dt_size(type) == dt_size(dst->data_type),
            "a sum whose type differs in size from that of dst");
    bool integer = in_set(TYPES_INT8 | BIT(dnnl_s32), type);
    SUPPORT(op->sum.zero_point == 0 || (rules->int8 && integer), "a sum with a zero point");
    return dnnl_success;
}

static dnnl_status_t check_binary_operand(const char *component, const struct dnnl_engine *engine,
                                          const md_t *operand, const md_t *dst) {
    REQUIRE(operand->ndims == dst->ndims, "a binary post-op has %d dimensions, dst has %d", operand->ndims,
            dst->ndims);
    REQUIRE(engine->kind != dnnl_cpu || operand->data_type != dnnl_f64, "a binary post-op of type f64");
    return dnnl_success;
}

static dnnl_status_t check_binary(const char *component, const struct dnnl_engine *engine,
                                  const struct post_op *op, const md_t *dst) {
    TRY(check_binary_operand(component, engine, &op->binary.src1, dst));
    if (op->binary.alg != dnnl_binary_select) return dnnl_success;
    return check_binary_operand(component, engine, &op->binary.src2, dst);
}

dnnl_status_t check_attr(const char *component, const struct dnnl_engine *engine, const attr_t *attr,
                         const struct attr_rules *rules) {
    REQUIRE(engine, "the engine is NULL");
    if (attr_is_default(attr)) return dnnl_success;
    SUPPORT(attr_within(attr, rules->parts), "an attribute");
    SUPPORT(rules->quant_types
                    || (quants_have_type(&attr->scales, dnnl_f32)
                        && quants_have_type(&attr->zero_points, dnnl_s32)),
            "the type of scales or zero points");
    return dnnl_success;
}

dnnl_status_t check_no_attr(const char *component, const struct dnnl_engine *engine, const attr_t *attr) {
    return check_attr(component, engine, attr, &(struct attr_rules){.parts = 0});
}

dnnl_status_t check_post_ops(const char *component, const struct dnnl_engine *engine, const attr_t *attr,
                             const struct attr_rules *rules, const md_t *dst) {
    if (!attr) return dnnl_success;
    const struct dnnl_post_ops *ops = &attr->post_ops;
    for (int i = 0; i < ops->len; i++)
        SUPPORT(in_set(rules->post_ops, ops->entries[i].kind), "the kind of post-op %d", i);
    bool first = true;
    for (int i = 0; i < ops->len; i++) {
        if (ops->entries[i].kind != dnnl_sum) continue;
        TRY(check_sum(component, &ops->entries[i], rules, dst, first));
        first = false;
    }
    for (int i = 0; i < ops->len; i++)
        if (ops->entries[i].kind == dnnl_binary) TRY(check_binary(component, engine, &ops->entries[i], dst));
    return dnnl_success;
}

bool eltwise_takes_type(dnnl_alg_kind_t alg, dnnl_data_type_t type) {
    if (alg == dnnl_eltwise_round) return type == dnnl_f32;
    if (!in_set(TYPES_INT8 | BIT(dnnl_s32), type)) return true;
    return alg == dnnl_eltwise_relu || alg == dnnl_eltwise_linear || alg == dnnl_eltwise_clip
           || alg >= dnnl_eltwise_relu_use_dst_for_bwd;
}

dnnl_status_t create_desc(const char *component, dnnl_primitive_desc_t *pd, struct dnnl_engine *engine,
                          struct problem *problem, const attr_t *attr) {
    dnnl_status_t status =
            pd && engine
                    ? primitive_desc_create(pd, engine, primitive_implementations(problem), problem, attr)
                    : fail(dnnl_invalid_arguments, component, "an argument is NULL");
    problem_clear(problem);
    return status;
}

dnnl_status_t create_backward_desc(const char *component, dnnl_primitive_desc_t *pd,
                                   struct dnnl_engine *engine, struct problem *problem,
                                   const struct dnnl_primitive_desc *hint, const attr_t *attr) {
    dnnl_status_t status = hint ? problem_add_hint(problem, &hint->plan->problem) : dnnl_success;
    if (status == dnnl_success) return create_desc(component, pd, engine, problem, attr);
    problem_clear(problem);
    return status;
}

dnnl_status_t create_nothing(const char *component, const dnnl_primitive_desc_t *pd) {
    REQUIRE(pd, "an argument is NULL");
    SUPPORT(false, "this primitive is not implemented yet");
    return dnnl_success;
}
