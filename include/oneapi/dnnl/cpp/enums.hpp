/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The enumerations of the C++ API outside classes, and their conversion to C. An enumerator has the C name
 * without its prefix, and the same value; dnnl_types.h explains each one.
 */
#ifndef ONEAPI_DNNL_CPP_ENUMS_HPP
#define ONEAPI_DNNL_CPP_ENUMS_HPP

#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_common.hpp"

namespace dnnl {

#define DNNL_SAME_(name) name = dnnl_##name,
#define DNNL_SAME_QUERY_(name) name = dnnl_query_##name,
#define DNNL_SAME_ISA_(name) name = dnnl_cpu_isa_##name,

enum class status {
    success = dnnl_success,
    out_of_memory = dnnl_out_of_memory,
    invalid_arguments = dnnl_invalid_arguments,
    unimplemented = dnnl_unimplemented,
    last_impl_reached = dnnl_last_impl_reached,
    runtime_error = dnnl_runtime_error,
    not_required = dnnl_not_required,
};

/// Who provides temporary memory: see primitive_attr::set_scratchpad_mode().
enum class scratchpad_mode {
    library = dnnl_scratchpad_mode_library,
    user = dnnl_scratchpad_mode_user, ///< as execution argument DNNL_ARG_SCRATCHPAD
};

enum class rounding_mode {
    environment = dnnl_rounding_mode_environment,
    stochastic = dnnl_rounding_mode_stochastic,
};

enum class quantization_mode {
    undef = dnnl_quantization_mode_undef,
    static_sazp = dnnl_quantization_mode_static_sazp, ///< scales and zero points are given
    dynamic_mx = dnnl_quantization_mode_dynamic_mx,   ///< the primitive computes scales, as OCP MX says
    dynamic_fp = dnnl_quantization_mode_dynamic_fp,
};

enum class prop_kind {
    undef = dnnl_prop_kind_undef,
    forward_training = dnnl_forward_training,
    forward_inference = dnnl_forward_inference,
    forward = dnnl_forward, ///< training
    backward = dnnl_backward,
    backward_data = dnnl_backward_data,
    backward_weights = dnnl_backward_weights,
    backward_bias = dnnl_backward_bias,
};

// clang-format off
enum class algorithm {
    undef = dnnl_alg_kind_undef,
    DNNL_SAME_(convolution_auto) DNNL_SAME_(convolution_direct) DNNL_SAME_(convolution_winograd)
    DNNL_SAME_(deconvolution_direct) DNNL_SAME_(deconvolution_winograd)

    DNNL_SAME_(eltwise_relu) DNNL_SAME_(eltwise_tanh) DNNL_SAME_(eltwise_elu) DNNL_SAME_(eltwise_square)
    DNNL_SAME_(eltwise_abs) DNNL_SAME_(eltwise_sqrt) DNNL_SAME_(eltwise_swish) DNNL_SAME_(eltwise_linear)
    DNNL_SAME_(eltwise_soft_relu) DNNL_SAME_(eltwise_mish) DNNL_SAME_(eltwise_logistic)
    DNNL_SAME_(eltwise_exp) DNNL_SAME_(eltwise_gelu_tanh) DNNL_SAME_(eltwise_gelu_erf) DNNL_SAME_(eltwise_log)
    DNNL_SAME_(eltwise_clip) DNNL_SAME_(eltwise_clip_v2) DNNL_SAME_(eltwise_pow) DNNL_SAME_(eltwise_round)
    DNNL_SAME_(eltwise_hardswish) DNNL_SAME_(eltwise_hardsigmoid)
    // The backward pass uses the destination of the forward pass instead of its source.
    DNNL_SAME_(eltwise_relu_use_dst_for_bwd) DNNL_SAME_(eltwise_tanh_use_dst_for_bwd)
    DNNL_SAME_(eltwise_elu_use_dst_for_bwd) DNNL_SAME_(eltwise_sqrt_use_dst_for_bwd)
    DNNL_SAME_(eltwise_logistic_use_dst_for_bwd) DNNL_SAME_(eltwise_exp_use_dst_for_bwd)
    DNNL_SAME_(eltwise_clip_v2_use_dst_for_bwd)

    DNNL_SAME_(lrn_across_channels) DNNL_SAME_(lrn_within_channel)
    DNNL_SAME_(pooling_max) DNNL_SAME_(pooling_avg_include_padding) DNNL_SAME_(pooling_avg_exclude_padding)
    DNNL_SAME_(softmax_accurate) DNNL_SAME_(softmax_log)
    DNNL_SAME_(resampling_nearest) DNNL_SAME_(resampling_linear)

    DNNL_SAME_(vanilla_rnn) DNNL_SAME_(vanilla_lstm) DNNL_SAME_(vanilla_gru) DNNL_SAME_(lbr_gru)
    DNNL_SAME_(vanilla_augru) DNNL_SAME_(lbr_augru)

    DNNL_SAME_(binary_add) DNNL_SAME_(binary_mul) DNNL_SAME_(binary_max) DNNL_SAME_(binary_min)
    DNNL_SAME_(binary_div) DNNL_SAME_(binary_sub) DNNL_SAME_(binary_ge) DNNL_SAME_(binary_gt)
    DNNL_SAME_(binary_le) DNNL_SAME_(binary_lt) DNNL_SAME_(binary_eq) DNNL_SAME_(binary_ne)
    DNNL_SAME_(binary_select)

    DNNL_SAME_(reduction_max) DNNL_SAME_(reduction_min) DNNL_SAME_(reduction_sum) DNNL_SAME_(reduction_mul)
    DNNL_SAME_(reduction_mean) DNNL_SAME_(reduction_norm_lp_max) DNNL_SAME_(reduction_norm_lp_sum)
    DNNL_SAME_(reduction_norm_lp_power_p_max) DNNL_SAME_(reduction_norm_lp_power_p_sum)
};

/// Queries of primitive_desc_base::query_md() and similar functions. The suffix is the type of the answer.
enum class query {
    DNNL_SAME_QUERY_(undef)
    DNNL_SAME_QUERY_(engine) DNNL_SAME_QUERY_(primitive_kind) DNNL_SAME_QUERY_(num_of_inputs_s32)
    DNNL_SAME_QUERY_(num_of_outputs_s32) DNNL_SAME_QUERY_(time_estimate_f64)
    DNNL_SAME_QUERY_(memory_consumption_s64) DNNL_SAME_QUERY_(scratchpad_engine)
    DNNL_SAME_QUERY_(reorder_src_engine) DNNL_SAME_QUERY_(reorder_dst_engine) DNNL_SAME_QUERY_(impl_info_str)
    DNNL_SAME_QUERY_(prop_kind) DNNL_SAME_QUERY_(cache_blob_id_size_s64) DNNL_SAME_QUERY_(cache_blob_id)

    DNNL_SAME_QUERY_(strides) DNNL_SAME_QUERY_(dilations) DNNL_SAME_QUERY_(padding_l)
    DNNL_SAME_QUERY_(padding_r) DNNL_SAME_QUERY_(epsilon_f32) DNNL_SAME_QUERY_(flags)
    DNNL_SAME_QUERY_(alg_kind) DNNL_SAME_QUERY_(alpha_f32) DNNL_SAME_QUERY_(beta_f32)
    DNNL_SAME_QUERY_(axis_s32) DNNL_SAME_QUERY_(local_size_s64) DNNL_SAME_QUERY_(k_f32)
    DNNL_SAME_QUERY_(p_f32) DNNL_SAME_QUERY_(factors) DNNL_SAME_QUERY_(cell_kind) DNNL_SAME_QUERY_(direction)
    DNNL_SAME_QUERY_(activation_kind) DNNL_SAME_QUERY_(kernel) DNNL_SAME_QUERY_(group_size_s64)

    DNNL_SAME_QUERY_(src_md) DNNL_SAME_QUERY_(diff_src_md) DNNL_SAME_QUERY_(weights_md)
    DNNL_SAME_QUERY_(diff_weights_md) DNNL_SAME_QUERY_(dst_md) DNNL_SAME_QUERY_(diff_dst_md)
    DNNL_SAME_QUERY_(workspace_md) DNNL_SAME_QUERY_(scratchpad_md) DNNL_SAME_QUERY_(exec_arg_md)

    DNNL_SAME_QUERY_(ndims_s32) DNNL_SAME_QUERY_(dims) DNNL_SAME_QUERY_(data_type)
    DNNL_SAME_QUERY_(submemory_offset_s64) DNNL_SAME_QUERY_(padded_dims) DNNL_SAME_QUERY_(padded_offsets)
    DNNL_SAME_QUERY_(format_kind) DNNL_SAME_QUERY_(inner_nblks_s32) DNNL_SAME_QUERY_(inner_blks)
    DNNL_SAME_QUERY_(inner_idxs) DNNL_SAME_QUERY_(sparse_encoding) DNNL_SAME_QUERY_(nnz_s64)
    DNNL_SAME_QUERY_(num_handles_s32)
};
// clang-format on

enum class normalization_flags : unsigned {
    none = dnnl_normalization_flags_none,
    use_global_stats = dnnl_use_global_stats, ///< mean and variance are inputs
    use_scale = dnnl_use_scale,
    use_shift = dnnl_use_shift,
    fuse_norm_relu = dnnl_fuse_norm_relu,
    fuse_norm_add_relu = dnnl_fuse_norm_add_relu,
    rms_norm = dnnl_rms_norm, ///< the mean is taken for zero
};
DNNL_DEFINE_BITMASK_OPS(normalization_flags)

enum class rnn_flags : unsigned {
    undef = dnnl_rnn_flags_undef,
    diff_weights_overwrite = dnnl_rnn_flags_diff_weights_overwrite, ///< instead of adding to them
};
DNNL_DEFINE_BITMASK_OPS(rnn_flags)

enum class rnn_direction {
    undef = dnnl_rnn_direction_undef,
    unidirectional_left2right = dnnl_unidirectional_left2right,
    unidirectional_right2left = dnnl_unidirectional_right2left,
    bidirectional_concat = dnnl_bidirectional_concat,
    bidirectional_sum = dnnl_bidirectional_sum,
};

// clang-format off
/// Instruction sets, each including those before it in its line.
enum class cpu_isa {
    isa_default = dnnl_cpu_isa_default,
    DNNL_SAME_ISA_(sse41) DNNL_SAME_ISA_(avx) DNNL_SAME_ISA_(avx2) DNNL_SAME_ISA_(avx2_vnni)
    DNNL_SAME_ISA_(avx2_vnni_2)
    DNNL_SAME_ISA_(avx512_core) DNNL_SAME_ISA_(avx512_core_vnni) DNNL_SAME_ISA_(avx512_core_bf16)
    DNNL_SAME_ISA_(avx512_core_fp16) DNNL_SAME_ISA_(avx512_core_amx) DNNL_SAME_ISA_(avx512_core_amx_fp16)
    DNNL_SAME_ISA_(avx10_1_512) DNNL_SAME_ISA_(avx10_1_512_amx) DNNL_SAME_ISA_(avx10_1_512_amx_fp16)
    DNNL_SAME_ISA_(avx10_2) DNNL_SAME_ISA_(avx10_2_512) DNNL_SAME_ISA_(avx10_2_amx_2)
    DNNL_SAME_ISA_(avx10_2_512_amx_2)
};
// clang-format on

enum class cpu_isa_hints {
    no_hints = dnnl_cpu_isa_no_hints,
    prefer_ymm = dnnl_cpu_isa_prefer_ymm,
};

#undef DNNL_SAME_QUERY_
#undef DNNL_SAME_ISA_

inline dnnl_scratchpad_mode_t convert_to_c(scratchpad_mode mode) {
    return static_cast<dnnl_scratchpad_mode_t>(mode);
}
inline dnnl_rounding_mode_t convert_to_c(rounding_mode mode) {
    return static_cast<dnnl_rounding_mode_t>(mode);
}
inline dnnl_quantization_mode_t convert_to_c(quantization_mode mode) {
    return static_cast<dnnl_quantization_mode_t>(mode);
}
inline dnnl_prop_kind_t convert_to_c(prop_kind kind) {
    return static_cast<dnnl_prop_kind_t>(kind);
}
inline dnnl_alg_kind_t convert_to_c(algorithm kind) {
    return static_cast<dnnl_alg_kind_t>(kind);
}
inline dnnl_normalization_flags_t convert_to_c(normalization_flags flags) {
    return static_cast<dnnl_normalization_flags_t>(flags);
}
inline dnnl_rnn_flags_t convert_to_c(rnn_flags flags) {
    return static_cast<dnnl_rnn_flags_t>(flags);
}
inline dnnl_rnn_direction_t convert_to_c(rnn_direction direction) {
    return static_cast<dnnl_rnn_direction_t>(direction);
}
inline dnnl_query_t convert_to_c(query what) {
    return static_cast<dnnl_query_t>(what);
}

} // namespace dnnl

#endif
