/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attributes of a primitive: post-ops on its result, scales and zero points, and computation modes.
 */
#ifndef ONEAPI_DNNL_CPP_ATTRIBUTES_HPP
#define ONEAPI_DNNL_CPP_ATTRIBUTES_HPP

#include "oneapi/dnnl/cpp/primitive.hpp"

namespace dnnl {

template <>
struct handle_traits<dnnl_post_ops_t> : detail::destroyed_by<dnnl_post_ops_t, dnnl_post_ops_destroy> {};

template <>
struct handle_traits<dnnl_primitive_attr_t>
    : detail::destroyed_by<dnnl_primitive_attr_t, dnnl_primitive_attr_destroy> {};

/// Operations on the result of a primitive, applied in order before it is stored.
struct post_ops : public handle<dnnl_post_ops_t> {
    using handle<dnnl_post_ops_t>::handle;

    post_ops() { reset(detail::made<dnnl_post_ops_t>("could not create post-ops", dnnl_post_ops_create)); }

    /// Takes ownership of the C object.
    post_ops(dnnl_post_ops_t ops) : handle<dnnl_post_ops_t>(ops) {}

    int len() const { return dnnl_post_ops_len(get()); }

    primitive::kind kind(int index) const {
        error::wrap_c_api(index < len() ? dnnl_success : dnnl_invalid_arguments,
                          "there is no post-op with this index");
        return static_cast<primitive::kind>(dnnl_post_ops_get_kind(get(), index));
    }

    /// dst = scale * (dst_before - zero_point) + result; data_type reinterprets dst_before and has the same
    /// size as dst's type.
    void append_sum(float scale = 1.f, int32_t zero_point = 0,
                    memory::data_type data_type = memory::data_type::undef) {
        error::wrap_c_api(dnnl_post_ops_append_sum(get(), scale, zero_point, memory::convert_to_c(data_type)),
                          "could not append a sum post-op");
    }

    void get_params_sum(int index, float &scale) const { read_sum(index, &scale, nullptr, nullptr); }
    void get_params_sum(int index, float &scale, memory::data_type &data_type) const {
        read_sum(index, &scale, nullptr, &data_type);
    }
    void get_params_sum(int index, float &scale, int32_t &zero_point, memory::data_type &data_type) const {
        read_sum(index, &scale, &zero_point, &data_type);
    }

    void append_eltwise(algorithm aalgorithm, float alpha, float beta) {
        error::wrap_c_api(dnnl_post_ops_append_eltwise(get(), convert_to_c(aalgorithm), alpha, beta),
                          "could not append an eltwise post-op");
    }

    void get_params_eltwise(int index, algorithm &aalgorithm, float &alpha, float &beta) const {
        dnnl_alg_kind_t c_algorithm;
        error::wrap_c_api(dnnl_post_ops_get_params_eltwise(get(), index, &c_algorithm, &alpha, &beta),
                          "could not get the parameters of an eltwise post-op");
        aalgorithm = static_cast<algorithm>(c_algorithm);
    }

    /// A depthwise convolution: weights and bias are execution arguments.
    void append_dw(memory::data_type weights_data_type, memory::data_type bias_data_type,
                   memory::data_type dst_data_type, memory::dim kernel_size, memory::dim stride_size,
                   memory::dim padding_l_size) {
        error::wrap_c_api(dnnl_post_ops_append_dw(get(), memory::convert_to_c(weights_data_type),
                                                  memory::convert_to_c(bias_data_type),
                                                  memory::convert_to_c(dst_data_type), kernel_size,
                                                  stride_size, padding_l_size),
                          "could not append a depthwise post-op");
    }

    void get_params_dw(int index, memory::data_type &weights_data_type, memory::data_type &bias_data_type,
                       memory::data_type &dst_data_type, memory::dim &kernel_size, memory::dim &stride_size,
                       memory::dim &padding_l_size) const {
        dnnl_data_type_t weights, bias, dst;
        dnnl_dim_t kernel, stride, padding;
        error::wrap_c_api(
                dnnl_post_ops_get_params_dw(get(), index, &weights, &bias, &dst, &kernel, &stride, &padding),
                "could not get the parameters of a depthwise post-op");
        weights_data_type = static_cast<memory::data_type>(weights);
        bias_data_type = static_cast<memory::data_type>(bias);
        dst_data_type = static_cast<memory::data_type>(dst);
        kernel_size = kernel;
        stride_size = stride;
        padding_l_size = padding;
    }

    /// result = algorithm(result, src1); src1 is an execution argument and is broadcast along dimensions of
    /// size 1.
    void append_binary(algorithm aalgorithm, const memory::desc &src1_desc) {
        error::wrap_c_api(dnnl_post_ops_append_binary(get(), convert_to_c(aalgorithm), src1_desc.get()),
                          "could not append a binary post-op");
    }

    /// The same for algorithms with a third operand.
    void append_binary(algorithm aalgorithm, const memory::desc &src1_desc, const memory::desc &src2_desc) {
        error::wrap_c_api(dnnl_post_ops_append_binary_v2(get(), convert_to_c(aalgorithm), src1_desc.get(),
                                                         src2_desc.get()),
                          "could not append a binary post-op with three operands");
    }

    void get_params_binary(int index, algorithm &aalgorithm, memory::desc &src1_desc) const {
        dnnl_alg_kind_t c_algorithm;
        const_dnnl_memory_desc_t src1;
        error::wrap_c_api(dnnl_post_ops_get_params_binary(get(), index, &c_algorithm, &src1),
                          "could not get the parameters of a binary post-op");
        aalgorithm = static_cast<algorithm>(c_algorithm);
        src1_desc = memory::clone(src1);
    }

    void get_params_binary(int index, algorithm &aalgorithm, memory::desc &src1_desc,
                           memory::desc &src2_desc) const {
        dnnl_alg_kind_t c_algorithm;
        const_dnnl_memory_desc_t src1, src2;
        error::wrap_c_api(dnnl_post_ops_get_params_binary_v2(get(), index, &c_algorithm, &src1, &src2),
                          "could not get the parameters of a binary post-op with three operands");
        aalgorithm = static_cast<algorithm>(c_algorithm);
        src1_desc = memory::clone(src1);
        src2_desc = memory::clone(src2);
    }

    /// Weights are an execution argument with one value per index of the dimensions in mask.
    void append_prelu(int mask) {
        error::wrap_c_api(dnnl_post_ops_append_prelu(get(), mask), "could not append a prelu post-op");
    }

    void get_params_prelu(int index, int &mask) const {
        error::wrap_c_api(dnnl_post_ops_get_params_prelu(get(), index, &mask),
                          "could not get the parameters of a prelu post-op");
    }

  private:
    void read_sum(int index, float *scale, int32_t *zero_point, memory::data_type *data_type) const {
        dnnl_data_type_t c_data_type;
        error::wrap_c_api(dnnl_post_ops_get_params_sum(get(), index, scale, zero_point,
                                                       data_type ? &c_data_type : nullptr),
                          "could not get the parameters of a sum post-op");
        if (data_type) *data_type = static_cast<memory::data_type>(c_data_type);
    }
};

namespace detail {

/// The part of primitive_attr for integer recurrent networks.
template <typename c_attr>
struct rnn_qparams : public handle<c_attr> {
    using handle<c_attr>::handle;

    /// An integer RNN uses round(scale * x + shift) instead of data x.
    void set_rnn_data_qparams(float scale, float shift) {
        error::wrap_c_api(dnnl_primitive_attr_set_rnn_data_qparams(this->get(), scale, shift),
                          "could not set the quantization parameters of RNN data");
    }

    void get_rnn_data_qparams(float &scale, float &shift) {
        error::wrap_c_api(dnnl_primitive_attr_get_rnn_data_qparams(this->get(), &scale, &shift),
                          "could not get the quantization parameters of RNN data");
    }

    void set_rnn_weights_qparams(int mask, const std::vector<float> &scales) {
        set(dnnl_primitive_attr_set_rnn_weights_qparams, mask, scales,
            "could not set the quantization parameters of RNN weights");
    }

    void get_rnn_weights_qparams(int &mask, std::vector<float> &scales) {
        get_from(dnnl_primitive_attr_get_rnn_weights_qparams, mask, scales,
                 "could not get the quantization parameters of RNN weights");
    }

    void set_rnn_weights_projection_qparams(int mask, const std::vector<float> &scales) {
        set(dnnl_primitive_attr_set_rnn_weights_projection_qparams, mask, scales,
            "could not set the quantization parameters of RNN projection weights");
    }

    void get_rnn_weights_projection_qparams(int &mask, std::vector<float> &scales) {
        get_from(dnnl_primitive_attr_get_rnn_weights_projection_qparams, mask, scales,
                 "could not get the quantization parameters of RNN projection weights");
    }

  private:
    template <typename F>
    void set(F *c_set, int mask, const std::vector<float> &scales, const char *failure) {
        error::wrap_c_api(c_set(this->get(), static_cast<dnnl_dim_t>(scales.size()), mask, scales.data()),
                          failure);
    }

    template <typename F>
    void get_from(F *c_get, int &mask, std::vector<float> &scales, const char *failure) {
        dnnl_dim_t count = 0;
        const float *values = nullptr;
        error::wrap_c_api(c_get(this->get(), &count, &mask, &values), failure);
        scales.assign(values, values + count);
    }
};

} // namespace detail

/// Everything about a primitive except its problem. An argument `arg` is one of DNNL_ARG_*. Bit i of a mask
/// stands for dimension i: there is one scale or zero point per index of the dimensions in the mask.
struct primitive_attr : public detail::rnn_qparams<dnnl_primitive_attr_t> {
    using detail::rnn_qparams<dnnl_primitive_attr_t>::rnn_qparams;

    primitive_attr() {
        reset(detail::made<dnnl_primitive_attr_t>("could not create primitive attributes",
                                                  dnnl_primitive_attr_create));
    }

    /// Takes ownership of the C object.
    primitive_attr(dnnl_primitive_attr_t attr) { reset(attr); }

    void get_dropout(memory::desc &mask_desc) const {
        mask_desc = memory::clone(detail::told<const_dnnl_memory_desc_t>(
                "could not get the dropout attribute", dnnl_primitive_attr_get_dropout, get()));
    }

    void get_dropout(memory::desc &mask_desc, memory::data_type &seed_dt, bool &use_offset,
                     bool &use_host_scalars) const {
        const_dnnl_memory_desc_t mask;
        dnnl_data_type_t seed;
        int offset, host_scalars;
        error::wrap_c_api(dnnl_primitive_attr_get_dropout_v2(get(), &mask, &seed, &offset, &host_scalars),
                          "could not get the dropout attribute");
        mask_desc = memory::clone(mask);
        seed_dt = static_cast<memory::data_type>(seed);
        use_offset = offset != 0;
        use_host_scalars = host_scalars != 0;
    }

    /// mask_desc describes the output mask; a zero descriptor means no mask output.
    void set_dropout(const memory::desc &mask_desc) {
        check(dnnl_primitive_attr_set_dropout(get(), mask_desc.get()), "could not set the dropout attribute");
    }

    void set_dropout(const memory::desc &mask_desc, memory::data_type seed_dt, bool use_offset,
                     bool use_host_scalars) {
        check(dnnl_primitive_attr_set_dropout_v2(get(), mask_desc.get(), memory::convert_to_c(seed_dt),
                                                 use_offset, use_host_scalars),
              "could not set the dropout attribute");
    }

    fpmath_mode get_fpmath_mode() const {
        return static_cast<fpmath_mode>(detail::told<dnnl_fpmath_mode_t>(
                "could not get the fpmath mode attribute", dnnl_primitive_attr_get_fpmath_mode, get()));
    }

    void get_fpmath_mode(fpmath_mode &mode, bool &apply_to_int) const {
        dnnl_fpmath_mode_t c_mode;
        int c_apply_to_int;
        check(dnnl_primitive_attr_get_fpmath_mode_v2(get(), &c_mode, &c_apply_to_int),
              "could not get the fpmath mode attribute");
        mode = static_cast<fpmath_mode>(c_mode);
        apply_to_int = c_apply_to_int != 0;
    }

    /// With apply_to_int, integer operands may be converted to the mode's type too.
    void set_fpmath_mode(fpmath_mode mode, bool apply_to_int = false) {
        check(dnnl_primitive_attr_set_fpmath_mode_v2(get(), dnnl::convert_to_c(mode), apply_to_int),
              "could not set the fpmath mode attribute");
    }

    accumulation_mode get_accumulation_mode() const {
        return static_cast<accumulation_mode>(
                detail::told<dnnl_accumulation_mode_t>("could not get the accumulation mode attribute",
                                                       dnnl_primitive_attr_get_accumulation_mode, get()));
    }

    void set_accumulation_mode(accumulation_mode mode) {
        check(dnnl_primitive_attr_set_accumulation_mode(get(), dnnl::convert_to_c(mode)),
              "could not set the accumulation mode attribute");
    }

    bool get_deterministic() const {
        return detail::told<int>("could not get the deterministic attribute",
                                 dnnl_primitive_attr_get_deterministic, get())
               != 0;
    }

    void set_deterministic(bool value) {
        check(dnnl_primitive_attr_set_deterministic(get(), value),
              "could not set the deterministic attribute");
    }

    rounding_mode get_rounding_mode(int arg) const {
        return static_cast<rounding_mode>(detail::told<dnnl_rounding_mode_t>(
                "could not get the rounding mode attribute", dnnl_primitive_attr_get_rounding, get(), arg));
    }

    void set_rounding_mode(int arg, rounding_mode mode) {
        check(dnnl_primitive_attr_set_rounding(get(), arg, convert_to_c(mode)),
              "could not set the rounding mode attribute");
    }

    scratchpad_mode get_scratchpad_mode() const {
        return static_cast<scratchpad_mode>(
                detail::told<dnnl_scratchpad_mode_t>("could not get the scratchpad mode attribute",
                                                     dnnl_primitive_attr_get_scratchpad_mode, get()));
    }

    void set_scratchpad_mode(scratchpad_mode mode) {
        check(dnnl_primitive_attr_set_scratchpad_mode(get(), dnnl::convert_to_c(mode)),
              "could not set the scratchpad mode attribute");
    }

    void set_scales_mask(int arg, int mask) {
        check(dnnl_primitive_attr_set_scales_mask(get(), arg, mask), "could not set the scales attribute");
    }

    /// groups are block sizes along the last two dimensions: each block has one scale.
    void set_scales(int arg, int mask, const memory::dims &groups,
                    memory::data_type data_type = memory::data_type::f32, bool is_on_host = false,
                    quantization_mode qmode = quantization_mode::static_sazp) {
        check(dnnl_primitive_attr_set_scales_v3(get(), arg, mask, static_cast<int>(groups.size()),
                                                groups.data(), memory::convert_to_c(data_type), is_on_host,
                                                convert_to_c(qmode)),
              "could not set the scales attribute");
    }

    /// One scale, passed at execution as a host scalar.
    void set_host_scale(int arg, memory::data_type data_type = memory::data_type::f32) {
        set_scales(arg, 0, memory::dims(), data_type, true);
    }

    void set_zero_points_mask(int arg, int mask) {
        check(dnnl_primitive_attr_set_zero_points_mask(get(), arg, mask),
              "could not set the zero points attribute");
    }

    void set_zero_points(int arg, int mask, const memory::dims &groups,
                         memory::data_type data_type = memory::data_type::s32, bool is_on_host = false) {
        check(dnnl_primitive_attr_set_zero_points_v2(get(), arg, mask, static_cast<int>(groups.size()),
                                                     groups.data(), memory::convert_to_c(data_type),
                                                     is_on_host),
              "could not set the zero points attribute");
    }

    /// One zero point, passed at execution as a host scalar.
    void set_host_zero_point(int arg, memory::data_type data_type = memory::data_type::s32) {
        set_zero_points(arg, 0, memory::dims(), data_type, true);
    }

    /// Sums of the argument, computed by the user, for the zero points of the other operand.
    void set_precomputed_reductions(int arg, int mask, const memory::dims &groups,
                                    memory::data_type data_type = memory::data_type::s32) {
        check(dnnl_primitive_attr_set_precomputed_reductions(get(), arg, mask,
                                                             static_cast<int>(groups.size()), groups.data(),
                                                             memory::convert_to_c(data_type)),
              "could not set the precomputed reductions attribute");
    }

    /// A copy of the post-ops.
    post_ops get_post_ops() const {
        const const_dnnl_post_ops_t ops = detail::told<const_dnnl_post_ops_t>(
                "could not get the post-ops attribute", dnnl_primitive_attr_get_post_ops, get());
        return post_ops(detail::made<dnnl_post_ops_t>("could not clone post-ops", dnnl_post_ops_clone, ops));
    }

    void set_post_ops(const post_ops &ops) {
        check(dnnl_primitive_attr_set_post_ops(get(), ops.get()), "could not set the post-ops attribute");
    }

  private:
    static void check(dnnl_status_t result, const char *failure) { error::wrap_c_api(result, failure); }
};

} // namespace dnnl

#endif
