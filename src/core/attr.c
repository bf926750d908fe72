/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attributes as data: copying, comparing, hashing, and what counts as default. The API checks values
 * (api/attr.c, api/post_ops.c); attr_text.c formats them for verbose lines.
 */
#include "core/attr.h"
#include "base/round.h"

#include "base/env.h"
#include "base/hash.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The default fpmath mode, or -1 until the environment has been read. */
static _Atomic int default_fpmath = -1;

static const struct {
    const char *name;
    dnnl_fpmath_mode_t mode;
} fpmath_names[] = {
        {"strict", dnnl_fpmath_mode_strict}, {"bf16", dnnl_fpmath_mode_bf16}, {"f16", dnnl_fpmath_mode_f16},
        {"any", dnnl_fpmath_mode_any},       {"tf32", dnnl_fpmath_mode_tf32},
};
enum { FPMATH_MODES = sizeof(fpmath_names) / sizeof(fpmath_names[0]) };

bool fpmath_is_valid(dnnl_fpmath_mode_t mode) {
    for (int i = 0; i < FPMATH_MODES; i++)
        if (fpmath_names[i].mode == mode) return true;
    return false;
}

static dnnl_fpmath_mode_t fpmath_from_environment(void) {
    const char *name = env_get("DEFAULT_FPMATH_MODE");
    for (int i = 0; name && i < FPMATH_MODES; i++)
        if (strcasecmp(name, fpmath_names[i].name) == 0) return fpmath_names[i].mode;
    return dnnl_fpmath_mode_strict;
}

dnnl_fpmath_mode_t fpmath_default(void) {
    int mode = atomic_load_explicit(&default_fpmath, memory_order_relaxed);
    if (mode >= 0) return (dnnl_fpmath_mode_t)mode;
    int unset = -1;
    atomic_compare_exchange_strong(&default_fpmath, &unset, (int)fpmath_from_environment());
    return (dnnl_fpmath_mode_t)atomic_load(&default_fpmath);
}

dnnl_status_t fpmath_set_default(dnnl_fpmath_mode_t mode) {
    if (!fpmath_is_valid(mode)) return dnnl_invalid_arguments;
    atomic_store(&default_fpmath, (int)mode);
    return dnnl_success;
}

/* Quantisation */

const struct quant *quants_find(const struct quants *quants, int arg) {
    for (int i = 0; i < quants->count; i++)
        if (quants->entries[i].arg == arg) return &quants->entries[i];
    return NULL;
}

dnnl_status_t quants_set(struct quants *quants, const struct quant *quant) {
    int at = 0;
    while (at < quants->count && quants->entries[at].arg < quant->arg)
        at++;
    if (at < quants->count && quants->entries[at].arg == quant->arg) {
        quants->entries[at] = *quant;
        return dnnl_success;
    }
    struct quant *entries = realloc(quants->entries, (size_t)(quants->count + 1) * sizeof(*entries));
    if (!entries) return dnnl_out_of_memory;
    memmove(entries + at + 1, entries + at, (size_t)(quants->count - at) * sizeof(*entries));
    entries[at] = *quant;
    quants->entries = entries;
    quants->count++;
    return dnnl_success;
}

void quants_drop(struct quants *quants, int arg) {
    int count = 0;
    for (int i = 0; i < quants->count; i++)
        if (quants->entries[i].arg != arg) quants->entries[count++] = quants->entries[i];
    quants->count = count;
}

bool quant_is_dynamic(const struct quant *quant) {
    return quant && quant->mode != dnnl_quantization_mode_static_sazp;
}

dnnl_dim_t quant_group(const struct quant *quant, int back) {
    return quant && back <= quant->group_ndims ? quant->groups[quant->group_ndims - back] : 1;
}

dnnl_dim_t quant_size(const struct quant *quant, const md_t *md, int d) {
    if ((quant->mask & (1 << d)) == 0) return 1;
    dnnl_dim_t group = quant_group(quant, md->ndims - d);
    return divide_up(md->dims[d], group);
}

static dnnl_status_t quants_copy(struct quants *to, const struct quants *from) {
    *to = (struct quants){0};
    if (from->count == 0) return dnnl_success;
    size_t bytes = (size_t)from->count * sizeof(*from->entries);
    to->entries = malloc(bytes);
    if (!to->entries) return dnnl_out_of_memory;
    memcpy(to->entries, from->entries, bytes);
    to->count = from->count;
    return dnnl_success;
}

static bool same_quant(const struct quant *a, const struct quant *b) {
    return a->arg == b->arg && a->mask == b->mask && a->group_ndims == b->group_ndims
           && a->data_type == b->data_type && a->host_scalar == b->host_scalar && a->mode == b->mode
           && memcmp(a->groups, b->groups, (size_t)a->group_ndims * sizeof(a->groups[0])) == 0;
}

static bool same_quants(const struct quants *a, const struct quants *b) {
    if (a->count != b->count) return false;
    for (int i = 0; i < a->count; i++)
        if (!same_quant(&a->entries[i], &b->entries[i])) return false;
    return true;
}

static uint64_t hash_quants(const struct quants *quants, uint64_t hash) {
    hash = hash_word(hash, (uint64_t)quants->count);
    for (int i = 0; i < quants->count; i++) {
        const struct quant *quant = &quants->entries[i];
        hash = hash_word(hash, (uint64_t)quant->arg << 32 | (uint32_t)quant->mask);
        hash = hash_word(hash, (uint64_t)quant->data_type << 32 | (uint64_t)quant->mode << 8
                                       | (uint64_t)quant->host_scalar);
        for (int d = 0; d < quant->group_ndims; d++)
            hash = hash_word(hash, (uint64_t)quant->groups[d]);
    }
    return hash;
}

static bool has_groups(const struct quants *quants) {
    for (int i = 0; i < quants->count; i++)
        if (quants->entries[i].group_ndims > 0) return true;
    return false;
}

/* Post-ops */

dnnl_status_t post_ops_copy(struct dnnl_post_ops *to, const struct dnnl_post_ops *from) {
    *to = (struct dnnl_post_ops){0};
    if (from->len == 0) return dnnl_success;
    size_t bytes = (size_t)from->len * sizeof(*from->entries);
    to->entries = malloc(bytes);
    if (!to->entries) return dnnl_out_of_memory;
    memcpy(to->entries, from->entries, bytes);
    to->len = from->len;
    return dnnl_success;
}

void post_ops_clear(struct dnnl_post_ops *ops) {
    free(ops->entries);
    *ops = (struct dnnl_post_ops){0};
}

dnnl_status_t post_ops_append(struct dnnl_post_ops *ops, const struct post_op *op) {
    if (ops->len == POST_OPS_MAX) return dnnl_out_of_memory;
    struct post_op *entries = realloc(ops->entries, (size_t)(ops->len + 1) * sizeof(*entries));
    if (!entries) return dnnl_out_of_memory;
    entries[ops->len] = *op;
    ops->entries = entries;
    ops->len++;
    return dnnl_success;
}

static bool same_float(float a, float b) {
    return memcmp(&a, &b, sizeof(a)) == 0;
}

static bool same_post_op(const struct post_op *a, const struct post_op *b) {
    if (a->kind != b->kind) return false;
    switch (a->kind) {
    case dnnl_sum:
        return same_float(a->sum.scale, b->sum.scale) && a->sum.zero_point == b->sum.zero_point
               && a->sum.data_type == b->sum.data_type;
    case dnnl_eltwise:
        return a->eltwise.alg == b->eltwise.alg && same_float(a->eltwise.alpha, b->eltwise.alpha)
               && same_float(a->eltwise.beta, b->eltwise.beta);
    case dnnl_binary:
        return a->binary.alg == b->binary.alg && md_equal(&a->binary.src1, &b->binary.src1)
               && md_equal(&a->binary.src2, &b->binary.src2);
    case dnnl_prelu: return a->prelu.mask == b->prelu.mask;
    default:
        return a->depthwise.weights_type == b->depthwise.weights_type
               && a->depthwise.bias_type == b->depthwise.bias_type
               && a->depthwise.dst_type == b->depthwise.dst_type && a->depthwise.kernel == b->depthwise.kernel
               && a->depthwise.stride == b->depthwise.stride && a->depthwise.padding == b->depthwise.padding;
    }
}

static bool same_post_ops(const struct dnnl_post_ops *a, const struct dnnl_post_ops *b) {
    if (a->len != b->len) return false;
    for (int i = 0; i < a->len; i++)
        if (!same_post_op(&a->entries[i], &b->entries[i])) return false;
    return true;
}

static uint64_t hash_post_op(const struct post_op *op, uint64_t hash) {
    hash = hash_word(hash, (uint64_t)op->kind);
    switch (op->kind) {
    case dnnl_sum:
        hash = hash_float(hash, op->sum.scale);
        return hash_word(hash, (uint64_t)(uint32_t)op->sum.zero_point << 32 | (uint32_t)op->sum.data_type);
    case dnnl_eltwise:
        hash = hash_float(hash_word(hash, (uint64_t)op->eltwise.alg), op->eltwise.alpha);
        return hash_float(hash, op->eltwise.beta);
    case dnnl_binary:
        hash = md_hash(&op->binary.src1, hash_word(hash, (uint64_t)op->binary.alg));
        return md_hash(&op->binary.src2, hash);
    case dnnl_prelu: return hash_word(hash, (uint32_t)op->prelu.mask);
    default:
        hash = hash_word(hash, (uint64_t)op->depthwise.weights_type << 32
                                       | (uint64_t)op->depthwise.bias_type << 16
                                       | (uint64_t)op->depthwise.dst_type);
        hash = hash_word(hash, (uint64_t)op->depthwise.kernel);
        return hash_word(hash, (uint64_t)op->depthwise.stride << 32 ^ (uint64_t)op->depthwise.padding);
    }
}

static uint64_t hash_post_ops(const struct dnnl_post_ops *ops, uint64_t hash) {
    hash = hash_word(hash, (uint64_t)ops->len);
    for (int i = 0; i < ops->len; i++)
        hash = hash_post_op(&ops->entries[i], hash);
    return hash;
}

bool eltwise_is_valid(dnnl_alg_kind_t alg, float alpha, float beta) {
    bool plain = alg >= dnnl_eltwise_relu && alg <= dnnl_eltwise_hardswish;
    bool from_dst = alg >= dnnl_eltwise_relu_use_dst_for_bwd && alg <= dnnl_eltwise_clip_v2_use_dst_for_bwd;
    switch (alg) {
    case dnnl_eltwise_relu_use_dst_for_bwd:
    case dnnl_eltwise_elu_use_dst_for_bwd:
        return alpha >= 0; /* else the sign of src cannot be told from dst */
    case dnnl_eltwise_clip:
    case dnnl_eltwise_clip_v2:
    case dnnl_eltwise_clip_v2_use_dst_for_bwd: return beta >= alpha;
    default: return plain || from_dst;
    }
}

/* RNN scales */

static dnnl_status_t rnn_copy(struct rnn_weights_qparams *to, const struct rnn_weights_qparams *from) {
    *to = (struct rnn_weights_qparams){.count = 1};
    if (!from->scales) return dnnl_success;
    size_t bytes = (size_t)from->count * sizeof(*from->scales);
    float *scales = malloc(bytes);
    if (!scales) return dnnl_out_of_memory;
    memcpy(scales, from->scales, bytes);
    *to = (struct rnn_weights_qparams){.mask = from->mask, .count = from->count, .scales = scales};
    return dnnl_success;
}

static float rnn_scale(const struct rnn_weights_qparams *params, dnnl_dim_t i) {
    return params->scales ? params->scales[i] : 1;
}

static bool same_rnn(const struct rnn_weights_qparams *a, const struct rnn_weights_qparams *b) {
    if (a->mask != b->mask || a->count != b->count) return false;
    for (dnnl_dim_t i = 0; i < a->count; i++)
        if (!same_float(rnn_scale(a, i), rnn_scale(b, i))) return false;
    return true;
}

static uint64_t hash_rnn(const struct rnn_weights_qparams *params, uint64_t hash) {
    hash = hash_word(hash, (uint64_t)params->mask << 32 ^ (uint64_t)params->count);
    for (dnnl_dim_t i = 0; i < params->count; i++)
        hash = hash_float(hash, rnn_scale(params, i));
    return hash;
}

/* The whole */

void attr_init(attr_t *attr) {
    *attr = (attr_t){
            .scratchpad_mode = dnnl_scratchpad_mode_library,
            .fpmath_mode = fpmath_default(),
            .rnn = {.scale = 1, .weights.count = 1, .projection.count = 1},
    };
}

dnnl_status_t attr_copy(attr_t *to, const attr_t *from) {
    *to = *from;
    to->scales = to->zero_points = to->precomputed_reductions = (struct quants){0};
    to->rnn.weights = to->rnn.projection = (struct rnn_weights_qparams){.count = 1};
    to->post_ops = (struct dnnl_post_ops){0};
    bool copied = quants_copy(&to->scales, &from->scales) == dnnl_success
                  && quants_copy(&to->zero_points, &from->zero_points) == dnnl_success
                  && quants_copy(&to->precomputed_reductions, &from->precomputed_reductions) == dnnl_success
                  && rnn_copy(&to->rnn.weights, &from->rnn.weights) == dnnl_success
                  && rnn_copy(&to->rnn.projection, &from->rnn.projection) == dnnl_success
                  && post_ops_copy(&to->post_ops, &from->post_ops) == dnnl_success;
    if (copied) return dnnl_success;
    attr_clear(to);
    return dnnl_out_of_memory;
}

void attr_clear(attr_t *attr) {
    free(attr->scales.entries);
    free(attr->zero_points.entries);
    free(attr->precomputed_reductions.entries);
    free(attr->rnn.weights.scales);
    free(attr->rnn.projection.scales);
    post_ops_clear(&attr->post_ops);
    attr_init(attr);
}

static bool same_dropout(const struct dropout *a, const struct dropout *b) {
    return a->enabled == b->enabled && a->use_offset == b->use_offset
           && a->use_host_scalars == b->use_host_scalars && a->seed_type == b->seed_type
           && md_equal(&a->mask, &b->mask);
}

bool attr_equal(const attr_t *a, const attr_t *b) {
    return a->scratchpad_mode == b->scratchpad_mode && a->fpmath_mode == b->fpmath_mode
           && a->fpmath_apply_to_int == b->fpmath_apply_to_int && a->accumulation_mode == b->accumulation_mode
           && a->deterministic == b->deterministic && same_quants(&a->scales, &b->scales)
           && same_quants(&a->zero_points, &b->zero_points)
           && same_quants(&a->precomputed_reductions, &b->precomputed_reductions)
           && memcmp(a->rounding, b->rounding, sizeof(a->rounding)) == 0
           && same_dropout(&a->dropout, &b->dropout) && same_float(a->rnn.scale, b->rnn.scale)
           && same_float(a->rnn.shift, b->rnn.shift) && same_rnn(&a->rnn.weights, &b->rnn.weights)
           && same_rnn(&a->rnn.projection, &b->rnn.projection) && same_post_ops(&a->post_ops, &b->post_ops);
}

uint64_t attr_hash(const attr_t *attr, uint64_t seed) {
    uint64_t hash = hash_word(seed, (uint64_t)attr->scratchpad_mode | (uint64_t)attr->fpmath_mode << 8
                                            | (uint64_t)attr->fpmath_apply_to_int << 16
                                            | (uint64_t)attr->accumulation_mode << 24
                                            | (uint64_t)attr->deterministic << 32);
    hash = hash_quants(&attr->scales, hash);
    hash = hash_quants(&attr->zero_points, hash);
    hash = hash_quants(&attr->precomputed_reductions, hash);
    for (int i = 0; i < ATTR_ROUNDINGS; i++)
        hash = hash_word(hash, (uint64_t)attr->rounding[i]);
    if (attr->dropout.enabled) hash = md_hash(&attr->dropout.mask, hash_word(hash, attr->dropout.seed_type));
    hash = hash_float(hash_float(hash, attr->rnn.scale), attr->rnn.shift);
    hash = hash_rnn(&attr->rnn.projection, hash_rnn(&attr->rnn.weights, hash));
    return hash_post_ops(&attr->post_ops, hash);
}

const int attr_rounding_args[ATTR_ROUNDINGS] = {DNNL_ARG_DST, DNNL_ARG_DIFF_SRC, DNNL_ARG_DIFF_WEIGHTS};

int attr_rounding_slot(int arg) {
    for (int i = 0; i < ATTR_ROUNDINGS; i++)
        if (attr_rounding_args[i] == arg) return i;
    return -1;
}

bool attr_has_stochastic_rounding(const attr_t *attr) {
    return attr->rounding[attr_rounding_slot(DNNL_ARG_DST)] == dnnl_rounding_mode_stochastic;
}

bool attr_has_sum(const attr_t *attr) {
    for (int i = 0; i < attr->post_ops.len; i++)
        if (attr->post_ops.entries[i].kind == dnnl_sum) return true;
    return false;
}

static bool roundings_within(const attr_t *attr, dnnl_rounding_mode_t last) {
    for (int i = 0; i < ATTR_ROUNDINGS; i++)
        if ((unsigned)attr->rounding[i] > (unsigned)last) return false;
    return true;
}

static bool rnn_is_default(const struct rnn_qparams *rnn) {
    static const struct rnn_weights_qparams one = {.count = 1};
    return rnn->scale == 1 && rnn->shift == 0 && same_rnn(&rnn->weights, &one)
           && same_rnn(&rnn->projection, &one);
}

bool attr_only_has(const attr_t *attr, unsigned parts) {
    unsigned present = 0;
    if (attr->scales.count) present |= ATTR_SCALES;
    if (attr->zero_points.count) present |= ATTR_ZERO_POINTS;
    if (attr->precomputed_reductions.count) present |= ATTR_PRECOMPUTED;
    if (has_groups(&attr->scales) || has_groups(&attr->zero_points)) present |= ATTR_GROUPS;
    if (attr->post_ops.len) present |= ATTR_POST_OPS;
    if (attr->fpmath_mode != dnnl_fpmath_mode_strict || attr->fpmath_apply_to_int) present |= ATTR_FPMATH;
    if (attr->accumulation_mode != dnnl_accumulation_mode_strict) present |= ATTR_ACCUMULATION;
    if (attr->dropout.enabled) present |= ATTR_DROPOUT;
    if (!roundings_within(attr, dnnl_rounding_mode_environment)) present |= ATTR_ROUNDING;
    if (!rnn_is_default(&attr->rnn)) present |= ATTR_RNN;
    /* Unknown modes are rejected here, because the setter accepts them, as oneDNN's does. */
    return (present & ~parts) == 0 && roundings_within(attr, dnnl_rounding_mode_stochastic);
}
