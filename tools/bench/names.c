/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of names of values: names.h. */
#include "names.h"

#include "oneapi/dnnl/dnnl_types.h"

#include <stddef.h>
#include <string.h>

#define NAME(x) {#x, (int)dnnl_##x}

const struct name kind_names[] = {
        NAME(reorder),
        NAME(shuffle),
        NAME(concat),
        NAME(sum),
        NAME(convolution),
        NAME(deconvolution),
        NAME(eltwise),
        NAME(lrn),
        NAME(batch_normalization),
        NAME(inner_product),
        NAME(rnn),
        NAME(binary),
        NAME(matmul),
        NAME(resampling),
        NAME(pooling),
        NAME(reduction),
        NAME(prelu),
        NAME(softmax),
        NAME(layer_normalization),
        NAME(group_normalization),
        {0},
};

const struct name direction_names[] = {
        {"undef", dnnl_prop_kind_undef},
        NAME(forward_training),
        NAME(forward_inference),
        NAME(backward),
        NAME(backward_data),
        NAME(backward_weights),
        NAME(backward_bias),
        {0},
};

const struct name type_names[] = {
        {"undef", dnnl_data_type_undef},
        NAME(f32),
        NAME(f16),
        NAME(bf16),
        NAME(s32),
        NAME(s8),
        NAME(u8),
        NAME(f64),
        NAME(boolean),
        NAME(f8_e5m2),
        NAME(f8_e4m3),
        NAME(s4),
        NAME(u4),
        NAME(e8m0),
        NAME(f4_e2m1),
        NAME(s64),
        {0},
};

const struct name alg_names[] = {
        NAME(convolution_direct),
        NAME(convolution_winograd),
        NAME(convolution_auto),
        NAME(deconvolution_direct),
        NAME(deconvolution_winograd),
        NAME(eltwise_relu),
        NAME(eltwise_tanh),
        NAME(eltwise_elu),
        NAME(eltwise_square),
        NAME(eltwise_abs),
        NAME(eltwise_sqrt),
        NAME(eltwise_linear),
        NAME(eltwise_soft_relu),
        NAME(eltwise_hardsigmoid),
        NAME(eltwise_logistic),
        NAME(eltwise_exp),
        NAME(eltwise_gelu_tanh),
        NAME(eltwise_swish),
        NAME(eltwise_log),
        NAME(eltwise_clip),
        NAME(eltwise_clip_v2),
        NAME(eltwise_pow),
        NAME(eltwise_gelu_erf),
        NAME(eltwise_round),
        NAME(eltwise_mish),
        NAME(eltwise_hardswish),
        NAME(eltwise_relu_use_dst_for_bwd),
        NAME(eltwise_tanh_use_dst_for_bwd),
        NAME(eltwise_elu_use_dst_for_bwd),
        NAME(eltwise_sqrt_use_dst_for_bwd),
        NAME(eltwise_logistic_use_dst_for_bwd),
        NAME(eltwise_exp_use_dst_for_bwd),
        NAME(eltwise_clip_v2_use_dst_for_bwd),
        NAME(pooling_max),
        NAME(pooling_avg_include_padding),
        NAME(pooling_avg_exclude_padding),
        NAME(lrn_across_channels),
        NAME(lrn_within_channel),
        NAME(vanilla_rnn),
        NAME(vanilla_lstm),
        NAME(vanilla_gru),
        NAME(lbr_gru),
        NAME(vanilla_augru),
        NAME(lbr_augru),
        NAME(binary_add),
        NAME(binary_mul),
        NAME(binary_max),
        NAME(binary_min),
        NAME(binary_div),
        NAME(binary_sub),
        NAME(binary_ge),
        NAME(binary_gt),
        NAME(binary_le),
        NAME(binary_lt),
        NAME(binary_eq),
        NAME(binary_ne),
        NAME(binary_select),
        NAME(resampling_nearest),
        NAME(resampling_linear),
        NAME(reduction_max),
        NAME(reduction_min),
        NAME(reduction_sum),
        NAME(reduction_mul),
        NAME(reduction_mean),
        NAME(reduction_norm_lp_max),
        NAME(reduction_norm_lp_sum),
        NAME(reduction_norm_lp_power_p_max),
        NAME(reduction_norm_lp_power_p_sum),
        NAME(softmax_accurate),
        NAME(softmax_log),
        {"undef", dnnl_alg_kind_undef},
        {0},
};

const struct name argument_names[] = {
        {"src0", DNNL_ARG_SRC_0},
        {"src", DNNL_ARG_SRC},
        {"src1", DNNL_ARG_SRC_1},
        {"src2", DNNL_ARG_SRC_2},
        {"wei", DNNL_ARG_WEIGHTS},
        {"dst", DNNL_ARG_DST},
        {"diff_src", DNNL_ARG_DIFF_SRC},
        {"diff_wei", DNNL_ARG_DIFF_WEIGHTS},
        {"attr_post_op_dw_src", DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_SRC},
        {"attr_post_op_dw_wei", DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_WEIGHTS},
        {"attr_post_op_dw_dst", DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_DST},
        {0},
};

const struct name fpmath_names[] = {
        {"strict", dnnl_fpmath_mode_strict}, {"bf16", dnnl_fpmath_mode_bf16}, {"f16", dnnl_fpmath_mode_f16},
        {"any", dnnl_fpmath_mode_any},       {"tf32", dnnl_fpmath_mode_tf32}, {0},
};

const struct name accumulation_names[] = {
        {"strict", dnnl_accumulation_mode_strict},
        {"relaxed", dnnl_accumulation_mode_relaxed},
        {"any", dnnl_accumulation_mode_any},
        {"s32", dnnl_accumulation_mode_s32},
        {"f32", dnnl_accumulation_mode_f32},
        {"f16", dnnl_accumulation_mode_f16},
        {0},
};

const struct name rnn_direction_names[] = {
        NAME(unidirectional_left2right),
        NAME(unidirectional_right2left),
        NAME(bidirectional_concat),
        NAME(bidirectional_sum),
        {0},
};

bool name_value(const struct name *table, const char *text, int *value) {
    for (; table->text; table++)
        if (!strcmp(table->text, text)) return *value = table->value, true;
    return false;
}

const char *value_name(const struct name *table, int value) {
    for (; table->text; table++)
        if (table->value == value) return table->text;
    return "?";
}
