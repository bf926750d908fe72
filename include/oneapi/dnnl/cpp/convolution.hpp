/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution and deconvolution: forward, backward by data, backward by weights. */
#ifndef ONEAPI_DNNL_CPP_CONVOLUTION_HPP
#define ONEAPI_DNNL_CPP_CONVOLUTION_HPP

#include "oneapi/dnnl/cpp/primitive_desc.hpp"

namespace dnnl {

namespace detail {

// Convolution and deconvolution differ only in the C functions. There are constructors with and without bias,
// with and without dilation (0 is a dense filter).

template <primitive::kind kind>
struct convolution_forward_desc : public primitive_desc {
    convolution_forward_desc() = default;
    convolution_forward_desc(dnnl_primitive_desc_t pd) : primitive_desc(pd, kind, DNNL_FORWARD_) {}

    convolution_forward_desc(const engine &aengine, prop_kind aprop_kind, algorithm aalgorithm,
                             const desc &src, const desc &weights, const desc &bias, const desc &dst,
                             const dims &strides, const dims &padding_l, const dims &padding_r,
                             const primitive_attr &attr = default_attr(), bool allow_empty = false) {
        init(aengine, aprop_kind, aalgorithm, src, weights, &bias, dst, strides, nullptr, padding_l,
             padding_r, attr, allow_empty);
    }
    convolution_forward_desc(const engine &aengine, prop_kind aprop_kind, algorithm aalgorithm,
                             const desc &src, const desc &weights, const desc &dst, const dims &strides,
                             const dims &padding_l, const dims &padding_r,
                             const primitive_attr &attr = default_attr(), bool allow_empty = false) {
        init(aengine, aprop_kind, aalgorithm, src, weights, nullptr, dst, strides, nullptr, padding_l,
             padding_r, attr, allow_empty);
    }
    convolution_forward_desc(const engine &aengine, prop_kind aprop_kind, algorithm aalgorithm,
                             const desc &src, const desc &weights, const desc &bias, const desc &dst,
                             const dims &strides, const dims &dilates, const dims &padding_l,
                             const dims &padding_r, const primitive_attr &attr = default_attr(),
                             bool allow_empty = false) {
        init(aengine, aprop_kind, aalgorithm, src, weights, &bias, dst, strides, &dilates, padding_l,
             padding_r, attr, allow_empty);
    }
    convolution_forward_desc(const engine &aengine, prop_kind aprop_kind, algorithm aalgorithm,
                             const desc &src, const desc &weights, const desc &dst, const dims &strides,
                             const dims &dilates, const dims &padding_l, const dims &padding_r,
                             const primitive_attr &attr = default_attr(), bool allow_empty = false) {
        init(aengine, aprop_kind, aalgorithm, src, weights, nullptr, dst, strides, &dilates, padding_l,
             padding_r, attr, allow_empty);
    }

    memory::desc bias_desc() const { return weights_desc(1); }

  private:
    void init(const engine &aengine, prop_kind aprop_kind, algorithm aalgorithm, const desc &src,
              const desc &weights, const desc *bias, const desc &dst, const dims &strides,
              const dims *dilates, const dims &padding_l, const dims &padding_r, const primitive_attr &attr,
              bool allow_empty) {
        require_spatial(src, &strides, dilates, &padding_l, &padding_r);
        make(kind == primitive::kind::convolution ? DNNL_CREATION_(convolution_forward)
                                                  : DNNL_CREATION_(deconvolution_forward),
             allow_empty, aengine.get(), convert_to_c(aprop_kind), convert_to_c(aalgorithm), src.get(),
             weights.get(), optional_arg(bias), dst.get(), strides.data(), optional_arg(dilates),
             padding_l.data(), padding_r.data(), attr.get());
    }
};

template <primitive::kind kind, typename forward_desc>
struct convolution_backward_data_desc : public primitive_desc {
    convolution_backward_data_desc() = default;
    convolution_backward_data_desc(dnnl_primitive_desc_t pd)
        : primitive_desc(pd, kind, prop_kind::backward_data) {}

    convolution_backward_data_desc(const engine &aengine, algorithm aalgorithm, const desc &diff_src,
                                   const desc &weights, const desc &diff_dst, const dims &strides,
                                   const dims &padding_l, const dims &padding_r,
                                   const forward_desc &hint_fwd_pd,
                                   const primitive_attr &attr = default_attr(), bool allow_empty = false) {
        init(aengine, aalgorithm, diff_src, weights, diff_dst, strides, nullptr, padding_l, padding_r,
             hint_fwd_pd, attr, allow_empty);
    }
    convolution_backward_data_desc(const engine &aengine, algorithm aalgorithm, const desc &diff_src,
                                   const desc &weights, const desc &diff_dst, const dims &strides,
                                   const dims &dilates, const dims &padding_l, const dims &padding_r,
                                   const forward_desc &hint_fwd_pd,
                                   const primitive_attr &attr = default_attr(), bool allow_empty = false) {
        init(aengine, aalgorithm, diff_src, weights, diff_dst, strides, &dilates, padding_l, padding_r,
             hint_fwd_pd, attr, allow_empty);
    }

  private:
    void init(const engine &aengine, algorithm aalgorithm, const desc &diff_src, const desc &weights,
              const desc &diff_dst, const dims &strides, const dims *dilates, const dims &padding_l,
              const dims &padding_r, const primitive_desc &hint_fwd_pd, const primitive_attr &attr,
              bool allow_empty) {
        require_spatial(diff_src, &strides, dilates, &padding_l, &padding_r);
        make(kind == primitive::kind::convolution ? DNNL_CREATION_(convolution_backward_data)
                                                  : DNNL_CREATION_(deconvolution_backward_data),
             allow_empty, aengine.get(), convert_to_c(aalgorithm), diff_src.get(), weights.get(),
             diff_dst.get(), strides.data(), optional_arg(dilates), padding_l.data(), padding_r.data(),
             hint_fwd_pd.get(), attr.get());
    }
};

template <primitive::kind kind, typename forward_desc>
struct convolution_backward_weights_desc : public primitive_desc {
    convolution_backward_weights_desc() = default;
    convolution_backward_weights_desc(dnnl_primitive_desc_t pd)
        : primitive_desc(pd, kind, prop_kind::backward_weights) {}

    convolution_backward_weights_desc(const engine &aengine, algorithm aalgorithm, const desc &src,
                                      const desc &diff_weights, const desc &diff_bias, const desc &diff_dst,
                                      const dims &strides, const dims &padding_l, const dims &padding_r,
                                      const forward_desc &hint_fwd_pd,
                                      const primitive_attr &attr = default_attr(), bool allow_empty = false) {
        init(aengine, aalgorithm, src, diff_weights, &diff_bias, diff_dst, strides, nullptr, padding_l,
             padding_r, hint_fwd_pd, attr, allow_empty);
    }
    convolution_backward_weights_desc(const engine &aengine, algorithm aalgorithm, const desc &src,
                                      const desc &diff_weights, const desc &diff_dst, const dims &strides,
                                      const dims &padding_l, const dims &padding_r,
                                      const forward_desc &hint_fwd_pd,
                                      const primitive_attr &attr = default_attr(), bool allow_empty = false) {
        init(aengine, aalgorithm, src, diff_weights, nullptr, diff_dst, strides, nullptr, padding_l,
             padding_r, hint_fwd_pd, attr, allow_empty);
    }
    convolution_backward_weights_desc(const engine &aengine, algorithm aalgorithm, const desc &src,
                                      const desc &diff_weights, const desc &diff_bias, const desc &diff_dst,
                                      const dims &strides, const dims &dilates, const dims &padding_l,
                                      const dims &padding_r, const forward_desc &hint_fwd_pd,
                                      const primitive_attr &attr = default_attr(), bool allow_empty = false) {
        init(aengine, aalgorithm, src, diff_weights, &diff_bias, diff_dst, strides, &dilates, padding_l,
             padding_r, hint_fwd_pd, attr, allow_empty);
    }
    convolution_backward_weights_desc(const engine &aengine, algorithm aalgorithm, const desc &src,
                                      const desc &diff_weights, const desc &diff_dst, const dims &strides,
                                      const dims &dilates, const dims &padding_l, const dims &padding_r,
                                      const forward_desc &hint_fwd_pd,
                                      const primitive_attr &attr = default_attr(), bool allow_empty = false) {
        init(aengine, aalgorithm, src, diff_weights, nullptr, diff_dst, strides, &dilates, padding_l,
             padding_r, hint_fwd_pd, attr, allow_empty);
    }

    memory::desc diff_bias_desc() const { return diff_weights_desc(1); }

  private:
    void init(const engine &aengine, algorithm aalgorithm, const desc &src, const desc &diff_weights,
              const desc *diff_bias, const desc &diff_dst, const dims &strides, const dims *dilates,
              const dims &padding_l, const dims &padding_r, const primitive_desc &hint_fwd_pd,
              const primitive_attr &attr, bool allow_empty) {
        require_spatial(src, &strides, dilates, &padding_l, &padding_r);
        make(kind == primitive::kind::convolution ? DNNL_CREATION_(convolution_backward_weights)
                                                  : DNNL_CREATION_(deconvolution_backward_weights),
             allow_empty, aengine.get(), convert_to_c(aalgorithm), src.get(), diff_weights.get(),
             optional_arg(diff_bias), diff_dst.get(), strides.data(), optional_arg(dilates), padding_l.data(),
             padding_r.data(), hint_fwd_pd.get(), attr.get());
    }
};

} // namespace detail

DNNL_PRIMITIVE_WITH_(convolution_forward, convolution_forward_desc, primitive::kind::convolution)
DNNL_PRIMITIVE_WITH_(convolution_backward_data, convolution_backward_data_desc, primitive::kind::convolution,
                     convolution_forward::primitive_desc)
DNNL_PRIMITIVE_WITH_(convolution_backward_weights, convolution_backward_weights_desc,
                     primitive::kind::convolution, convolution_forward::primitive_desc)
DNNL_PRIMITIVE_WITH_(deconvolution_forward, convolution_forward_desc, primitive::kind::deconvolution)
DNNL_PRIMITIVE_WITH_(deconvolution_backward_data, convolution_backward_data_desc,
                     primitive::kind::deconvolution, deconvolution_forward::primitive_desc)
DNNL_PRIMITIVE_WITH_(deconvolution_backward_weights, convolution_backward_weights_desc,
                     primitive::kind::deconvolution, deconvolution_forward::primitive_desc)

} // namespace dnnl

#endif
