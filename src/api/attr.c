/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dnnl_primitive_attr_*: checks the values of attributes, as oneDNN does. Whether a primitive supports them
 * is decided when its descriptor is created.
 */
#include "core/attr.h"
#include "base/verbose.h"
#include "oneapi/dnnl/dnnl.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

dnnl_status_t dnnl_primitive_attr_create(dnnl_primitive_attr_t *attr) {
    if (!attr) return fail_null("attr");
    attr_t *made = malloc(sizeof(*made));
    if (!made) return fail(dnnl_out_of_memory, "attr", "no memory for the object");
    attr_init(made);
    *attr = made;
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_attr_clone(dnnl_primitive_attr_t *attr, const_dnnl_primitive_attr_t existing) {
    if (!attr || !existing) return fail_null("attr");
    attr_t *made = malloc(sizeof(*made));
    if (!made || attr_copy(made, existing) != dnnl_success) {
        free(made);
        return fail(dnnl_out_of_memory, "attr", "no memory for the object");
    }
    *attr = made;
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_attr_destroy(dnnl_primitive_attr_t attr) {
    if (attr) attr_clear(attr);
    free(attr);
    return dnnl_success;
}

/* Modes */

dnnl_status_t dnnl_primitive_attr_get_fpmath_mode(const_dnnl_primitive_attr_t attr,
                                                  dnnl_fpmath_mode_t *mode) {
    if (!attr || !mode) return fail_null("attr");
    *mode = attr->fpmath_mode;
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_attr_set_fpmath_mode(dnnl_primitive_attr_t attr, dnnl_fpmath_mode_t mode) {
    return dnnl_primitive_attr_set_fpmath_mode_v2(attr, mode, 0);
}

dnnl_status_t dnnl_primitive_attr_get_fpmath_mode_v2(const_dnnl_primitive_attr_t attr,
                                                     dnnl_fpmath_mode_t *mode, int *apply_to_int) {
    if (!attr) return fail_null("attr");
    if (mode) *mode = attr->fpmath_mode;
    if (apply_to_int) *apply_to_int = attr->fpmath_apply_to_int;
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_attr_set_fpmath_mode_v2(dnnl_primitive_attr_t attr, dnnl_fpmath_mode_t mode,
                                                     int apply_to_int) {
    if (!attr) return fail_null("attr");
    if (!fpmath_is_valid(mode)) return fail_param("attr", "mode");
    attr->fpmath_mode = mode;
    attr->fpmath_apply_to_int = apply_to_int != 0;
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_attr_get_deterministic(const_dnnl_primitive_attr_t attr, int *value) {
    if (!attr || !value) return fail_null("attr");
    *value = attr->deterministic;
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_attr_set_deterministic(dnnl_primitive_attr_t attr, int value) {
    if (!attr) return fail_null("attr");
    attr->deterministic = value != 0;
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_attr_get_accumulation_mode(const_dnnl_primitive_attr_t attr,
                                                        dnnl_accumulation_mode_t *mode) {
    if (!attr || !mode) return fail_null("attr");
    *mode = attr->accumulation_mode;
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_attr_set_accumulation_mode(dnnl_primitive_attr_t attr,
                                                        dnnl_accumulation_mode_t mode) {
    if (!attr) return fail_null("attr");
    if ((unsigned)mode > dnnl_accumulation_mode_f16) return fail_param("attr", "mode");
    attr->accumulation_mode = mode;
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_attr_get_scratchpad_mode(const_dnnl_primitive_attr_t attr,
                                                      dnnl_scratchpad_mode_t *mode) {
    if (!attr || !mode) return fail_null("attr");
    *mode = attr->scratchpad_mode;
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_attr_set_scratchpad_mode(dnnl_primitive_attr_t attr,
                                                      dnnl_scratchpad_mode_t mode) {
    if (!attr) return fail_null("attr");
    if ((unsigned)mode > dnnl_scratchpad_mode_user) return fail_param("attr", "mode");
    attr->scratchpad_mode = mode;
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_attr_get_rounding(dnnl_primitive_attr_t attr, int arg,
                                               dnnl_rounding_mode_t *mode) {
    if (!attr || !mode) return fail_null("attr");
    int slot = attr_rounding_slot(arg);
    *mode = slot < 0 ? dnnl_rounding_mode_environment : attr->rounding[slot];
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_attr_set_rounding(dnnl_primitive_attr_t attr, int arg,
                                               dnnl_rounding_mode_t mode) {
    if (!attr) return fail_null("attr");
    int slot = attr_rounding_slot(arg);
    if (slot >= 0) attr->rounding[slot] = mode;
    if (slot < 0 && mode != dnnl_rounding_mode_environment) return fail_param("attr", "arg");
    return dnnl_success;
}

/* Quantisation. What each kind of parameter accepts; types are sets of bits. */

#define TYPE(type) (1u << (type))

struct quant_rule {
    const int *args; /* terminated by 0 */
    bool multiple_src;
    unsigned types;           /* for a single value */
    unsigned types_of_many;   /* for values along dimensions */
    unsigned types_of_result; /* for arguments that accept no groups */
};

static const int scale_args[] = {DNNL_ARG_SRC_0,
                                 DNNL_ARG_SRC_1,
                                 DNNL_ARG_SRC_2,
                                 DNNL_ARG_DST,
                                 DNNL_ARG_WEIGHTS_0,
                                 DNNL_ARG_WEIGHTS_1,
                                 DNNL_ARG_WEIGHTS_2,
                                 DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_SRC,
                                 DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_WEIGHTS,
                                 DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_DST,
                                 0};
static const int zero_point_args[] = {DNNL_ARG_SRC_0,
                                      DNNL_ARG_SRC_2,
                                      DNNL_ARG_DST,
                                      DNNL_ARG_WEIGHTS_0,
                                      DNNL_ARG_WEIGHTS_1,
                                      DNNL_ARG_WEIGHTS_2,
                                      0};
static const int reduction_args[] = {DNNL_ARG_SRC_0, 0};

static const struct quant_rule scale_rule = {
        .args = scale_args,
        .multiple_src = true,
        .types = TYPE(dnnl_f32) | TYPE(dnnl_bf16) | TYPE(dnnl_f16),
        .types_of_many =
                TYPE(dnnl_f32) | TYPE(dnnl_bf16) | TYPE(dnnl_f16) | TYPE(dnnl_e8m0) | TYPE(dnnl_f8_e4m3),
};
static const struct quant_rule zero_point_rule = {
        .args = zero_point_args,
        .types = TYPE(dnnl_s32) | TYPE(dnnl_s8) | TYPE(dnnl_u8),
        .types_of_many = TYPE(dnnl_s32) | TYPE(dnnl_s8) | TYPE(dnnl_u8) | TYPE(dnnl_s4) | TYPE(dnnl_u4),
        .types_of_result = TYPE(dnnl_s32),
};
static const struct quant_rule reduction_rule = {
        .args = reduction_args,
        .types = TYPE(dnnl_s32),
        .types_of_many = TYPE(dnnl_s32),
};

static bool takes_arg(const struct quant_rule *rule, int arg) {
    for (const int *known = rule->args; *known; known++)
        if (*known == arg) return true;
    int source = arg & ~DNNL_ARG_ATTR_POST_OP_DW;
    return rule->multiple_src && source >= DNNL_ARG_MULTIPLE_SRC && source < DNNL_ARG_MULTIPLE_DST;
}

static bool takes_type(const struct quant_rule *rule, const struct quant *quant) {
    if ((unsigned)quant->data_type >= sizeof(unsigned) * CHAR_BIT) return false;
    bool result = quant->arg == DNNL_ARG_DST || quant->arg == DNNL_ARG_SRC_2;
    unsigned types = quant->mask ? rule->types_of_many : rule->types;
    if (result && rule->types_of_result) types = rule->types_of_result;
    return types >> quant->data_type & 1;
}

static dnnl_status_t take_groups(const struct quant_rule *rule, struct quant *quant,
                                 const dnnl_dim_t *groups) {
    if (quant->group_ndims == 0) return dnnl_success;
    if (quant->group_ndims != 2) return fail_param("attr", "ndims");
    if (!groups) return fail_null("attr");
    bool result = quant->arg == DNNL_ARG_DST || quant->arg == DNNL_ARG_SRC_2;
    if (quant->mask == 0 || (result && rule->types_of_result)) return fail_param("attr", "mask for groups");
    for (int d = 0; d < quant->group_ndims; d++)
        if (groups[d] <= 0) return fail_param("attr", "group_dims");
    memcpy(quant->groups, groups, (size_t)quant->group_ndims * sizeof(groups[0]));
    return dnnl_success;
}

/* Checks `quant` (its groups are still empty) and stores it. */
static dnnl_status_t set_quant(struct quants *quants, const struct quant_rule *rule, struct quant quant,
                               const dnnl_dim_t *groups) {
    if (quant.mask < 0) return fail_param("attr", "mask");
    if (!takes_arg(rule, quant.arg)) return fail_param("attr", "arg");
    if (!takes_type(rule, &quant)) return fail_param("attr", "data_type");
    if (quant.host_scalar && (quant.mask != 0 || quant.group_ndims != 0))
        return fail_param("attr", "a host scalar is one value");
    TRY(take_groups(rule, &quant, groups));
    if (quants_set(quants, &quant) == dnnl_success) return dnnl_success;
    return fail(dnnl_out_of_memory, "attr", "no memory for quantization parameters");
}

dnnl_status_t dnnl_primitive_attr_set_scales_mask(dnnl_primitive_attr_t attr, int arg, int mask) {
    return dnnl_primitive_attr_set_scales_v2(attr, arg, mask, 0, NULL, dnnl_f32, 0);
}

dnnl_status_t dnnl_primitive_attr_set_scales(dnnl_primitive_attr_t attr, int arg, int mask, int group_ndims,
                                             const dnnl_dims_t group_dims, dnnl_data_type_t data_type) {
    return dnnl_primitive_attr_set_scales_v2(attr, arg, mask, group_ndims, group_dims, data_type, 0);
}

dnnl_status_t dnnl_primitive_attr_set_scales_v2(dnnl_primitive_attr_t attr, int arg, int mask, int ndims,
                                                const dnnl_dims_t group_dims, dnnl_data_type_t data_type,
                                                int is_on_host) {
    return dnnl_primitive_attr_set_scales_v3(attr, arg, mask, ndims, group_dims, data_type, is_on_host,
                                             dnnl_quantization_mode_static_sazp);
}

dnnl_status_t dnnl_primitive_attr_set_scales_v3(dnnl_primitive_attr_t attr, int arg, int mask, int ndims,
                                                const dnnl_dims_t group_dims, dnnl_data_type_t data_type,
                                                int is_on_host, dnnl_quantization_mode_t qmode) {
    if (!attr) return fail_null("attr");
    if (qmode < dnnl_quantization_mode_static_sazp || qmode > dnnl_quantization_mode_dynamic_fp)
        return fail_param("attr", "qmode");
    struct quant quant = {.arg = arg,
                          .mask = mask,
                          .group_ndims = ndims,
                          .data_type = data_type,
                          .host_scalar = is_on_host != 0,
                          .mode = qmode};
    return set_quant(&attr->scales, &scale_rule, quant, group_dims);
}

dnnl_status_t dnnl_primitive_attr_set_zero_points_mask(dnnl_primitive_attr_t attr, int arg, int mask) {
    return dnnl_primitive_attr_set_zero_points_v2(attr, arg, mask, 0, NULL, dnnl_s32, 0);
}

dnnl_status_t dnnl_primitive_attr_set_zero_points(dnnl_primitive_attr_t attr, int arg, int mask,
                                                  int group_ndims, const dnnl_dims_t group_dims,
                                                  dnnl_data_type_t data_type) {
    return dnnl_primitive_attr_set_zero_points_v2(attr, arg, mask, group_ndims, group_dims, data_type, 0);
}

dnnl_status_t dnnl_primitive_attr_set_zero_points_v2(dnnl_primitive_attr_t attr, int arg, int mask, int ndims,
                                                     const dnnl_dims_t group_dims, dnnl_data_type_t data_type,
                                                     int is_on_host) {
    if (!attr) return fail_null("attr");
    struct quant quant = {.arg = arg,
                          .mask = mask,
                          .group_ndims = ndims,
                          .data_type = data_type,
                          .host_scalar = is_on_host != 0,
                          .mode = dnnl_quantization_mode_static_sazp};
    return set_quant(&attr->zero_points, &zero_point_rule, quant, group_dims);
}

dnnl_status_t dnnl_primitive_attr_set_precomputed_reductions(dnnl_primitive_attr_t attr, int arg, int mask,
                                                             int group_ndims, const dnnl_dims_t group_dims,
                                                             dnnl_data_type_t data_type) {
    if (!attr) return fail_null("attr");
    struct quant quant = {.arg = arg,
                          .mask = mask,
                          .group_ndims = group_ndims,
                          .data_type = data_type,
                          .mode = dnnl_quantization_mode_static_sazp};
    return set_quant(&attr->precomputed_reductions, &reduction_rule, quant, group_dims);
}

/* Dropout */

dnnl_status_t dnnl_primitive_attr_get_dropout(const_dnnl_primitive_attr_t attr,
                                              const_dnnl_memory_desc_t *mask_desc) {
    return dnnl_primitive_attr_get_dropout_v2(attr, mask_desc, NULL, NULL, NULL);
}

dnnl_status_t dnnl_primitive_attr_set_dropout(dnnl_primitive_attr_t attr,
                                              const_dnnl_memory_desc_t mask_desc) {
    return dnnl_primitive_attr_set_dropout_v2(attr, mask_desc, dnnl_s32, 0, 0);
}

dnnl_status_t dnnl_primitive_attr_get_dropout_v2(const_dnnl_primitive_attr_t attr,
                                                 const_dnnl_memory_desc_t *mask_desc,
                                                 dnnl_data_type_t *seed_dt, int *use_offset,
                                                 int *use_host_scalars) {
    if (!attr) return fail_null("attr");
    if (mask_desc) *mask_desc = &attr->dropout.mask;
    if (seed_dt) *seed_dt = attr->dropout.seed_type;
    if (use_offset) *use_offset = attr->dropout.use_offset;
    if (use_host_scalars) *use_host_scalars = attr->dropout.use_host_scalars;
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_attr_set_dropout_v2(dnnl_primitive_attr_t attr,
                                                 const_dnnl_memory_desc_t mask_desc, dnnl_data_type_t seed_dt,
                                                 int use_offset, int use_host_scalars) {
    if (!attr || !mask_desc) return fail_null("attr");
    if (!md_is_zero(mask_desc) && mask_desc->data_type != dnnl_u8)
        return fail(dnnl_invalid_arguments, "attr", "the dropout mask is not u8");
    if (seed_dt != dnnl_s32 && seed_dt != dnnl_s64) return fail_param("attr", "seed_dt");
    attr->dropout = (struct dropout){.enabled = true,
                                     .use_offset = use_offset != 0,
                                     .use_host_scalars = use_host_scalars != 0,
                                     .seed_type = seed_dt,
                                     .mask = *mask_desc};
    return dnnl_success;
}

/* RNN */

dnnl_status_t dnnl_primitive_attr_set_rnn_data_qparams(dnnl_primitive_attr_t attr, const float scale,
                                                       const float shift) {
    if (!attr) return fail_null("attr");
    attr->rnn.scale = scale;
    attr->rnn.shift = shift;
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_attr_get_rnn_data_qparams(const_dnnl_primitive_attr_t attr, float *scale,
                                                       float *shift) {
    if (!attr) return fail_null("attr");
    if (scale) *scale = attr->rnn.scale;
    if (shift) *shift = attr->rnn.shift;
    return dnnl_success;
}

static dnnl_status_t set_rnn_weights(struct rnn_weights_qparams *params, dnnl_dim_t count, int mask,
                                     const float *scales) {
    if (count <= 0) return fail_param("attr", "count");
    if (mask < 0) return fail_param("attr", "mask");
    if (!scales) return fail_null("attr");
    float *copy = (size_t)count > SIZE_MAX / sizeof(float) ? NULL : malloc((size_t)count * sizeof(float));
    if (!copy) return fail(dnnl_out_of_memory, "attr", "no memory for %lld scales", (long long)count);
    memcpy(copy, scales, (size_t)count * sizeof(float));
    free(params->scales);
    *params = (struct rnn_weights_qparams){.mask = count == 1 ? 0 : mask, .count = count, .scales = copy};
    return dnnl_success;
}

static dnnl_status_t get_rnn_weights(const struct rnn_weights_qparams *params, dnnl_dim_t *count, int *mask,
                                     const float **scales) {
    static const float one = 1;
    if (count) *count = params->count;
    if (mask) *mask = params->mask;
    if (scales) *scales = params->scales ? params->scales : &one;
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_attr_set_rnn_weights_qparams(dnnl_primitive_attr_t attr, dnnl_dim_t count,
                                                          int mask, const float *scales) {
    return attr ? set_rnn_weights(&attr->rnn.weights, count, mask, scales) : fail_null("attr");
}

dnnl_status_t dnnl_primitive_attr_get_rnn_weights_qparams(const_dnnl_primitive_attr_t attr, dnnl_dim_t *count,
                                                          int *mask, const float **scales) {
    return attr ? get_rnn_weights(&attr->rnn.weights, count, mask, scales) : fail_null("attr");
}

dnnl_status_t dnnl_primitive_attr_set_rnn_weights_projection_qparams(dnnl_primitive_attr_t attr,
                                                                     dnnl_dim_t count, int mask,
                                                                     const float *scales) {
    return attr ? set_rnn_weights(&attr->rnn.projection, count, mask, scales) : fail_null("attr");
}

dnnl_status_t dnnl_primitive_attr_get_rnn_weights_projection_qparams(const_dnnl_primitive_attr_t attr,
                                                                     dnnl_dim_t *count, int *mask,
                                                                     const float **scales) {
    return attr ? get_rnn_weights(&attr->rnn.projection, count, mask, scales) : fail_null("attr");
}
