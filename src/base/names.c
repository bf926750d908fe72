/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dnnl_*2str functions: tables of names. They accept any value and know only the public enums. The
 * strings appear in verbose lines that other programs parse, so we name exactly the values that oneDNN names:
 * a few public ones (f4_e3m0, the opaque and host scalar formats) have no name, and some that are not public
 * have one.
 */
#include "oneapi/dnnl/dnnl_debug.h"

#include <stddef.h>

struct name {
    unsigned value;
    const char *text;
};

/* One row; the text is the enumerator without its prefix. */
#define NAME(prefix, text) {(unsigned)prefix##text, #text}

#define FIND(table, value, unknown)                                                                          \
    find(table, sizeof(table) / sizeof((table)[0]), (unsigned)(value), unknown)

static const char *find(const struct name *table, size_t count, unsigned value, const char *unknown) {
    for (size_t i = 0; i < count; i++)
        if (table[i].value == value) return table[i].text;
    return unknown;
}

static const struct name statuses[] = {
        NAME(dnnl_, success),       NAME(dnnl_, out_of_memory),     NAME(dnnl_, invalid_arguments),
        NAME(dnnl_, unimplemented), NAME(dnnl_, last_impl_reached), NAME(dnnl_, runtime_error),
        NAME(dnnl_, not_required),  NAME(dnnl_, invalid_graph),     NAME(dnnl_, invalid_graph_op),
        NAME(dnnl_, invalid_shape), NAME(dnnl_, invalid_data_type),
};

static const struct name data_types[] = {
        NAME(dnnl_data_type_, undef),
        NAME(dnnl_, f16),
        NAME(dnnl_, bf16),
        NAME(dnnl_, f32),
        NAME(dnnl_, s32),
        NAME(dnnl_, s8),
        NAME(dnnl_, u8),
        NAME(dnnl_, f64),
        NAME(dnnl_, boolean),
        NAME(dnnl_, f8_e5m2),
        NAME(dnnl_, f8_e4m3),
        NAME(dnnl_, s4),
        NAME(dnnl_, u4),
        NAME(dnnl_, e8m0),
        NAME(dnnl_, f4_e2m1),
        NAME(dnnl_, s64),
        NAME(dnnl_, data_type_max),
};

static const struct name fpmath_modes[] = {
        NAME(dnnl_fpmath_mode_, strict), NAME(dnnl_fpmath_mode_, bf16), NAME(dnnl_fpmath_mode_, f16),
        NAME(dnnl_fpmath_mode_, any),    NAME(dnnl_fpmath_mode_, tf32),
};

static const struct name accumulation_modes[] = {
        NAME(dnnl_accumulation_mode_, strict), NAME(dnnl_accumulation_mode_, relaxed),
        NAME(dnnl_accumulation_mode_, any),    NAME(dnnl_accumulation_mode_, s32),
        NAME(dnnl_accumulation_mode_, f32),    NAME(dnnl_accumulation_mode_, f16),
};

static const struct name engine_kinds[] = {{dnnl_any_engine, "any"}, NAME(dnnl_, cpu), NAME(dnnl_, gpu)};

static const struct name sparse_encodings[] = {
        NAME(dnnl_sparse_encoding_, undef),
        NAME(dnnl_, csr),
        NAME(dnnl_, packed),
        NAME(dnnl_, coo),
};

/* oneDNN keeps three opaque formats of its own under values that are not public. */
static const struct name format_kinds[] = {
        NAME(dnnl_format_kind_, undef),
        NAME(dnnl_format_kind_, any),
        NAME(dnnl_, blocked),
        NAME(dnnl_format_kind_, sparse),
        NAME(dnnl_format_kind_, max),
        {0x100, "opaque"},
        {0x101, "opaque"},
        {0x102, "opaque"},
};

static const char *const format_tags[] = {
        [dnnl_format_tag_undef] = "undef",
        [dnnl_format_tag_any] = "any",
        [dnnl_format_tag_last] = "format_tag_last",
#define FORMAT_TAG(x) [dnnl_##x] = #x,
#include "base/format_tags.def"
};

/* The list and the enum have the same rows in the same order. */
enum {
#define FORMAT_TAG(x) row_of_##x,
#include "base/format_tags.def"
    row_count
};
#define FORMAT_TAG(x) _Static_assert((int)row_of_##x == (int)dnnl_##x - (int)dnnl_a, "place of " #x);
#include "base/format_tags.def"
_Static_assert((int)row_count == (int)dnnl_format_tag_last - (int)dnnl_a, "a tag is missing");

static const struct name prop_kinds[] = {
        NAME(dnnl_prop_kind_, undef), NAME(dnnl_, forward_training), NAME(dnnl_, forward_inference),
        NAME(dnnl_, backward),        NAME(dnnl_, backward_data),    NAME(dnnl_, backward_weights),
        NAME(dnnl_, backward_bias),
};

static const struct name primitive_kinds[] = {
        {dnnl_undefined_primitive, "undef"},
        NAME(dnnl_, reorder),
        NAME(dnnl_, shuffle),
        NAME(dnnl_, concat),
        NAME(dnnl_, sum),
        NAME(dnnl_, convolution),
        NAME(dnnl_, deconvolution),
        NAME(dnnl_, eltwise),
        NAME(dnnl_, lrn),
        NAME(dnnl_, batch_normalization),
        NAME(dnnl_, inner_product),
        NAME(dnnl_, rnn),
        NAME(dnnl_, gemm),
        NAME(dnnl_, binary),
        NAME(dnnl_, matmul),
        NAME(dnnl_, resampling),
        NAME(dnnl_, pooling),
        NAME(dnnl_, reduction),
        NAME(dnnl_, prelu),
        NAME(dnnl_, softmax),
        NAME(dnnl_, layer_normalization),
        NAME(dnnl_, group_normalization),
        NAME(dnnl_, primitive_kind_max),
        {0x1001, "sdpa"},
        {0x1002, "gated_mlp"},
};

static const struct name alg_kinds[] = {
        NAME(dnnl_alg_kind_, undef),
        NAME(dnnl_, convolution_direct),
        NAME(dnnl_, convolution_winograd),
        NAME(dnnl_, convolution_auto),
        NAME(dnnl_, deconvolution_direct),
        NAME(dnnl_, deconvolution_winograd),
        NAME(dnnl_, eltwise_relu),
        NAME(dnnl_, eltwise_tanh),
        NAME(dnnl_, eltwise_elu),
        NAME(dnnl_, eltwise_square),
        NAME(dnnl_, eltwise_abs),
        NAME(dnnl_, eltwise_sqrt),
        NAME(dnnl_, eltwise_linear),
        NAME(dnnl_, eltwise_soft_relu),
        NAME(dnnl_, eltwise_hardsigmoid),
        NAME(dnnl_, eltwise_logistic),
        NAME(dnnl_, eltwise_exp),
        NAME(dnnl_, eltwise_gelu_tanh),
        NAME(dnnl_, eltwise_swish),
        NAME(dnnl_, eltwise_log),
        NAME(dnnl_, eltwise_clip),
        NAME(dnnl_, eltwise_clip_v2),
        NAME(dnnl_, eltwise_pow),
        NAME(dnnl_, eltwise_gelu_erf),
        NAME(dnnl_, eltwise_round),
        NAME(dnnl_, eltwise_mish),
        NAME(dnnl_, eltwise_hardswish),
        NAME(dnnl_, eltwise_relu_use_dst_for_bwd),
        NAME(dnnl_, eltwise_tanh_use_dst_for_bwd),
        NAME(dnnl_, eltwise_elu_use_dst_for_bwd),
        NAME(dnnl_, eltwise_sqrt_use_dst_for_bwd),
        NAME(dnnl_, eltwise_logistic_use_dst_for_bwd),
        NAME(dnnl_, eltwise_exp_use_dst_for_bwd),
        NAME(dnnl_, eltwise_clip_v2_use_dst_for_bwd),
        NAME(dnnl_, pooling_max),
        NAME(dnnl_, pooling_avg_include_padding),
        NAME(dnnl_, pooling_avg_exclude_padding),
        NAME(dnnl_, lrn_across_channels),
        NAME(dnnl_, lrn_within_channel),
        NAME(dnnl_, vanilla_rnn),
        NAME(dnnl_, vanilla_lstm),
        NAME(dnnl_, vanilla_gru),
        NAME(dnnl_, lbr_gru),
        NAME(dnnl_, vanilla_augru),
        NAME(dnnl_, lbr_augru),
        NAME(dnnl_, binary_add),
        NAME(dnnl_, binary_mul),
        NAME(dnnl_, binary_max),
        NAME(dnnl_, binary_min),
        NAME(dnnl_, binary_div),
        NAME(dnnl_, binary_sub),
        NAME(dnnl_, binary_ge),
        NAME(dnnl_, binary_gt),
        NAME(dnnl_, binary_le),
        NAME(dnnl_, binary_lt),
        NAME(dnnl_, binary_eq),
        NAME(dnnl_, binary_ne),
        NAME(dnnl_, binary_select),
        NAME(dnnl_, resampling_nearest),
        NAME(dnnl_, resampling_linear),
        NAME(dnnl_, reduction_max),
        NAME(dnnl_, reduction_min),
        NAME(dnnl_, reduction_sum),
        NAME(dnnl_, reduction_mul),
        NAME(dnnl_, reduction_mean),
        NAME(dnnl_, reduction_norm_lp_max),
        NAME(dnnl_, reduction_norm_lp_sum),
        NAME(dnnl_, reduction_norm_lp_power_p_max),
        NAME(dnnl_, reduction_norm_lp_power_p_sum),
        NAME(dnnl_, softmax_accurate),
        NAME(dnnl_, softmax_log),
        {0x1002, "softmax_accurate_inf_as_zero"},
};

static const struct name rnn_flags[] = {
        NAME(dnnl_rnn_flags_, undef),
        NAME(dnnl_, rnn_flags_diff_weights_overwrite),
};

static const struct name rnn_directions[] = {
        NAME(dnnl_rnn_direction_, undef),       NAME(dnnl_, unidirectional_left2right),
        NAME(dnnl_, unidirectional_right2left), NAME(dnnl_, bidirectional_concat),
        NAME(dnnl_, bidirectional_sum),
};

static const struct name scratchpad_modes[] = {
        NAME(dnnl_scratchpad_mode_, library),
        NAME(dnnl_scratchpad_mode_, user),
};

static const struct name rounding_modes[] = {
        NAME(dnnl_rounding_mode_, environment),
        NAME(dnnl_rounding_mode_, stochastic),
};

static const struct name quantization_modes[] = {
        NAME(dnnl_quantization_mode_, undef),
        NAME(dnnl_quantization_mode_, static_sazp),
        NAME(dnnl_quantization_mode_, dynamic_mx),
        NAME(dnnl_quantization_mode_, dynamic_fp),
};

static const struct name cpu_isas[] = {
        NAME(dnnl_, cpu_isa_default),
        NAME(dnnl_, cpu_isa_sse41),
        NAME(dnnl_, cpu_isa_avx),
        NAME(dnnl_, cpu_isa_avx2),
        NAME(dnnl_, cpu_isa_avx2_vnni),
        NAME(dnnl_, cpu_isa_avx2_vnni_2),
        NAME(dnnl_, cpu_isa_avx512_core),
        NAME(dnnl_, cpu_isa_avx512_core_vnni),
        NAME(dnnl_, cpu_isa_avx512_core_bf16),
        NAME(dnnl_, cpu_isa_avx10_1_512),
        NAME(dnnl_, cpu_isa_avx10_1_512_amx),
        NAME(dnnl_, cpu_isa_avx10_1_512_amx_fp16),
        NAME(dnnl_, cpu_isa_avx10_2),
        NAME(dnnl_, cpu_isa_avx10_2_amx_2),
};

static const struct name cpu_isa_hints[] = {
        NAME(dnnl_, cpu_isa_no_hints),
        NAME(dnnl_, cpu_isa_prefer_ymm),
};

static const struct name runtimes[] = {
        {DNNL_RUNTIME_NONE, "none"},  {DNNL_RUNTIME_SEQ, "sequential"},
        {DNNL_RUNTIME_OMP, "OpenMP"}, {DNNL_RUNTIME_TBB, "TBB"},
        {DNNL_RUNTIME_OCL, "OpenCL"}, {DNNL_RUNTIME_THREADPOOL, "threadpool"},
        {DNNL_RUNTIME_SYCL, "SYCL"},  {DNNL_RUNTIME_ZE, "Level Zero"},
};

const char *dnnl_status2str(dnnl_status_t v) {
    return FIND(statuses, v, "unknown status");
}

const char *dnnl_dt2str(dnnl_data_type_t v) {
    return FIND(data_types, v, "unknown dt");
}

const char *dnnl_fpmath_mode2str(dnnl_fpmath_mode_t v) {
    return FIND(fpmath_modes, v, "unknown fpmath_mode");
}

const char *dnnl_accumulation_mode2str(dnnl_accumulation_mode_t v) {
    return FIND(accumulation_modes, v, "unknown accumulation_mode");
}

const char *dnnl_engine_kind2str(dnnl_engine_kind_t v) {
    return FIND(engine_kinds, v, "unknown engine_kind");
}

const char *dnnl_sparse_encoding2str(dnnl_sparse_encoding_t v) {
    return FIND(sparse_encodings, v, "unknown sparse_encoding");
}

const char *dnnl_fmt_kind2str(dnnl_format_kind_t v) {
    return FIND(format_kinds, v, "unknown fmt_kind");
}

const char *dnnl_fmt_tag2str(dnnl_format_tag_t v) {
    return (unsigned)v <= dnnl_format_tag_last ? format_tags[v] : "unknown fmt_tag";
}

const char *dnnl_prop_kind2str(dnnl_prop_kind_t v) {
    return FIND(prop_kinds, v, "unknown prop_kind");
}

const char *dnnl_prim_kind2str(dnnl_primitive_kind_t v) {
    return FIND(primitive_kinds, v, "unknown prim_kind");
}

const char *dnnl_alg_kind2str(dnnl_alg_kind_t v) {
    return FIND(alg_kinds, v, "unknown alg_kind");
}

const char *dnnl_rnn_flags2str(dnnl_rnn_flags_t v) {
    return FIND(rnn_flags, v, "unknown rnn_flags");
}

const char *dnnl_rnn_direction2str(dnnl_rnn_direction_t v) {
    return FIND(rnn_directions, v, "unknown rnn_direction");
}

const char *dnnl_scratchpad_mode2str(dnnl_scratchpad_mode_t v) {
    return FIND(scratchpad_modes, v, "unknown scratchpad_mode");
}

const char *dnnl_rounding_mode2str(dnnl_rounding_mode_t v) {
    return FIND(rounding_modes, v, "unknown rounding_mode");
}

const char *dnnl_quantization_mode2str(dnnl_quantization_mode_t v) {
    return FIND(quantization_modes, v, "unknown quantization_mode");
}

const char *dnnl_cpu_isa2str(dnnl_cpu_isa_t v) {
    return FIND(cpu_isas, v, "unknown cpu_isa");
}

const char *dnnl_cpu_isa_hints2str(dnnl_cpu_isa_hints_t v) {
    return FIND(cpu_isa_hints, v, "unknown cpu_isa_hints");
}

const char *dnnl_runtime2str(unsigned v) {
    return FIND(runtimes, v, "unknown");
}
