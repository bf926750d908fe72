/* SPDX-License-Identifier: Apache-2.0 */
/* Memory descriptors and attributes of requests: build.h. */
#include "build.h"

#include <string.h>

/* Memory descriptors. */

static bool find_tag(const char *name, dnnl_format_tag_t *tag) {
    for (int value = dnnl_a; value < (int)dnnl_format_tag_last; value++)
        if (!strcmp(lib_fmt_tag2str((dnnl_format_tag_t)value), name)) {
            *tag = (dnnl_format_tag_t)value;
            return true;
        }
    return false;
}

/* The tag of a layout that is the same because dimensions of size 1 may stand anywhere: one that has two of
 * them exchanged. */
static bool find_equal_tag(const struct tensor *tensor, dnnl_format_tag_t *tag) {
    char name[TAG_SIZE];
    memcpy(name, tensor->tag, sizeof(name));
    for (int i = 0; i < tensor->ndims && name[i]; i++)
        for (int k = 0; k < i; k++) {
            int first = name[i] - 'a', second = name[k] - 'a';
            if (first < 0 || second < 0 || first >= tensor->ndims || second >= tensor->ndims) continue;
            if (tensor->dims[first] != 1 || tensor->dims[second] != 1) continue;
            name[i] = (char)('a' + second);
            name[k] = (char)('a' + first);
            if (find_tag(name, tag)) return true;
            memcpy(name, tensor->tag, sizeof(name));
        }
    return find_tag(name, tag);
}

/* Dense strides of a plain layout, such as "acdb"; false if it is not plain. */
static bool plain_strides(const struct tensor *tensor, dnnl_dim_t *strides) {
    dnnl_dim_t stride = 1;
    int letters = (int)strspn(tensor->tag, "abcdefghijkl");
    if (letters != tensor->ndims || tensor->tag[letters]) return false;
    for (int i = letters - 1; i >= 0; i--) {
        int d = tensor->tag[i] - 'a';
        if (d >= tensor->ndims) return false;
        strides[d] = stride;
        stride *= tensor->dims[d] > 0 ? tensor->dims[d] : 1;
    }
    return true;
}

static dnnl_memory_desc_t make_md(struct build *build, const struct tensor *tensor) {
    dnnl_memory_desc_t md = NULL;
    dnnl_format_tag_t tag = dnnl_format_tag_any;
    dnnl_dims_t strides;
    bool any = tensor->any && !build->decided, dense = !tensor->tag[0] && !tensor->strided;
    dnnl_status_t status;
    if (any || (!dense && !tensor->strided && find_equal_tag(tensor, &tag))) {
        status = lib_memory_desc_create_with_tag(&md, tensor->ndims, tensor->dims, tensor->type, tag);
    } else if (dense || tensor->strided || plain_strides(tensor, strides)) {
        const dnnl_dim_t *given = dense ? NULL : tensor->strided ? tensor->strides : strides;
        status = lib_memory_desc_create_with_strides(&md, tensor->ndims, tensor->dims, tensor->type, given);
    } else {
        build->why = "a layout has no format tag";
        return NULL;
    }
    if (status != dnnl_success) build->why = "a memory descriptor is refused";
    return md;
}

dnnl_memory_desc_t build_md(struct build *build, const char *name) {
    const struct tensor *tensor = request_tensor(build->request, name);
    if (!tensor) return NULL;
    dnnl_memory_desc_t *md = &build->mds[tensor - build->request->tensors];
    if (!*md) *md = make_md(build, tensor);
    return *md;
}

void build_free(struct build *build) {
    for (int i = 0; i < MAX_TENSORS; i++)
        if (build->mds[i]) lib_memory_desc_destroy(build->mds[i]);
    for (int i = 0; i < MAX_POST_OPS; i++)
        if (build->post_op_mds[i]) lib_memory_desc_destroy(build->post_op_mds[i]);
    if (build->attr) lib_primitive_attr_destroy(build->attr);
}

/* Attributes. */

/* The tensor that post-ops are applied to. */
static const struct tensor *result_tensor(const struct request *request) {
    static const char *const names[] = {"dst", "data", "src"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const struct tensor *tensor = request_tensor(request, names[i]);
        if (tensor) return tensor;
    }
    return NULL;
}

/* The operand of a post-op: the result's shape, 1 where the mask has no bit. */
static dnnl_memory_desc_t make_operand(struct build *build, const struct post_op *op) {
    static const char letters[] = "abcdefghijkl";
    const struct tensor *result = result_tensor(build->request);
    if (!result) return NULL;
    struct tensor operand = {.type = op->type, .ndims = result->ndims};
    operand.any = !strcmp(op->tag, "any");
    memcpy(operand.tag, letters, (size_t)result->ndims);
    if (op->tag[0]) memcpy(operand.tag, op->tag, sizeof(op->tag));
    for (int d = 0; d < result->ndims; d++)
        operand.dims[d] = op->mask >> d & 1 ? result->dims[d] : 1;
    return make_md(build, &operand);
}

static dnnl_status_t append_post_op(struct build *build, dnnl_post_ops_t ops, int index) {
    const struct post_op *op = &build->request->attributes.post_ops[index];
    const struct tensor *weights = request_tensor(build->request, "wei");
    bool has_operand = op->kind == dnnl_binary || op->kind == dnnl_prelu;
    if (has_operand && !(build->post_op_mds[index] = make_operand(build, op))) return dnnl_invalid_arguments;
    switch (op->kind) {
    case dnnl_sum: return lib_post_ops_append_sum(ops, op->scale, op->zero_point, op->type);
    case dnnl_eltwise: return lib_post_ops_append_eltwise(ops, op->alg, op->alpha, op->beta);
    case dnnl_binary: return lib_post_ops_append_binary(ops, op->alg, build->post_op_mds[index]);
    case dnnl_prelu: return lib_post_ops_append_prelu(ops, op->mask);
    default:
        return lib_post_ops_append_dw(ops, weights ? weights->type : dnnl_f32, dnnl_data_type_undef, op->type,
                                      op->kernel, op->stride, op->padding);
    }
}

static dnnl_status_t set_post_ops(struct build *build) {
    int count = build->request->attributes.post_op_count;
    dnnl_post_ops_t ops;
    if (count == 0) return dnnl_success;
    dnnl_status_t status = lib_post_ops_create(&ops);
    for (int i = 0; status == dnnl_success && i < count; i++)
        status = append_post_op(build, ops, i);
    if (status == dnnl_success) status = lib_primitive_attr_set_post_ops(build->attr, ops);
    lib_post_ops_destroy(ops);
    return status;
}

static dnnl_status_t set_scales(struct build *build, const struct quant *quant) {
    bool plain = quant->type == dnnl_f32 && quant->group_ndims == 0 && !quant->host_scalar;
    if (plain) return lib_primitive_attr_set_scales_mask(build->attr, quant->arg, quant->mask);
    if (quant->host_scalar && lib_primitive_attr_set_scales_v2)
        return lib_primitive_attr_set_scales_v2(build->attr, quant->arg, quant->mask, quant->group_ndims,
                                                quant->groups, quant->type, 1);
    if (quant->host_scalar || !lib_primitive_attr_set_scales) return dnnl_unimplemented;
    return lib_primitive_attr_set_scales(build->attr, quant->arg, quant->mask, quant->group_ndims,
                                         quant->groups, quant->type);
}

static dnnl_status_t set_zero_points(struct build *build, const struct quant *quant) {
    bool plain = quant->type == dnnl_s32 && quant->group_ndims == 0 && !quant->host_scalar;
    if (plain) return lib_primitive_attr_set_zero_points_mask(build->attr, quant->arg, quant->mask);
    if (quant->host_scalar && lib_primitive_attr_set_zero_points_v2)
        return lib_primitive_attr_set_zero_points_v2(build->attr, quant->arg, quant->mask, quant->group_ndims,
                                                     quant->groups, quant->type, 1);
    if (quant->host_scalar || !lib_primitive_attr_set_zero_points) return dnnl_unimplemented;
    return lib_primitive_attr_set_zero_points(build->attr, quant->arg, quant->mask, quant->group_ndims,
                                              quant->groups, quant->type);
}

static dnnl_status_t set_quants(struct build *build) {
    const struct attributes *attributes = &build->request->attributes;
    dnnl_status_t status = dnnl_success;
    for (int i = 0; status == dnnl_success && i < attributes->scale_count; i++)
        status = set_scales(build, &attributes->scales[i]);
    for (int i = 0; status == dnnl_success && i < attributes->zero_point_count; i++)
        status = set_zero_points(build, &attributes->zero_points[i]);
    return status;
}

static dnnl_status_t set_accumulation(struct build *build) {
    dnnl_accumulation_mode_t mode = build->request->attributes.accumulation;
    if (mode == dnnl_accumulation_mode_strict) return dnnl_success;
    if (!lib_primitive_attr_set_accumulation_mode) return dnnl_unimplemented;
    return lib_primitive_attr_set_accumulation_mode(build->attr, mode);
}

static dnnl_status_t set_modes(struct build *build) {
    const struct attributes *attributes = &build->request->attributes;
    dnnl_status_t status = dnnl_success;
    if (attributes->user_scratchpad)
        status = lib_primitive_attr_set_scratchpad_mode(build->attr, dnnl_scratchpad_mode_user);
    if (status == dnnl_success && attributes->fpmath_for_integers)
        status = lib_primitive_attr_set_fpmath_mode_v2
                         ? lib_primitive_attr_set_fpmath_mode_v2(build->attr, attributes->fpmath, 1)
                         : dnnl_unimplemented;
    else if (status == dnnl_success)
        status = lib_primitive_attr_set_fpmath_mode(build->attr, attributes->fpmath);
    if (status == dnnl_success && attributes->deterministic)
        status = lib_primitive_attr_set_deterministic ? lib_primitive_attr_set_deterministic(build->attr, 1)
                                                      : dnnl_unimplemented;
    return status;
}

dnnl_status_t build_attributes(struct build *build) {
    dnnl_status_t status = lib_primitive_attr_create(&build->attr);
    if (status == dnnl_success) status = set_modes(build);
    if (status == dnnl_success) status = set_accumulation(build);
    if (status == dnnl_success) status = set_quants(build);
    if (status == dnnl_success) status = set_post_ops(build);
    return status;
}
