/* SPDX-License-Identifier: Apache-2.0 */
/* All primitives except convolutions, normalizations with statistics and recurrent networks. */
#ifndef ONEAPI_DNNL_CPP_PRIMITIVES_HPP
#define ONEAPI_DNNL_CPP_PRIMITIVES_HPP

#include "oneapi/dnnl/cpp/primitive_desc.hpp"

namespace dnnl {

/// Copies a tensor and converts its type and layout, also between engines.
struct reorder : public primitive {
    struct primitive_desc : public primitive_desc_base {
        using primitive_desc_base::primitive_desc_base;
        primitive_desc() = default;
        primitive_desc(dnnl_primitive_desc_t pd) : primitive_desc_base(pd, dnnl::primitive::kind::reorder) {}

        primitive_desc(const engine &src_engine, const memory::desc &src_md, const engine &dst_engine,
                       const memory::desc &dst_md, const primitive_attr &attr = default_attr(),
                       bool allow_empty = false) {
            make(DNNL_CREATION_(reorder), allow_empty, src_md.get(), src_engine.get(), dst_md.get(),
                 dst_engine.get(), attr.get());
        }
        primitive_desc(const memory &src, const memory &dst, const primitive_attr &attr = default_attr(),
                       bool allow_empty = false)
            : primitive_desc(src.get_engine(), src.get_desc(), dst.get_engine(), dst.get_desc(), attr,
                             allow_empty) {}

        engine get_src_engine() const { return query_engine(query::reorder_src_engine); }
        engine get_dst_engine() const { return query_engine(query::reorder_dst_engine); }
    };

    DNNL_PRIMITIVE_(reorder)
    reorder(const memory &src, const memory &dst, const primitive_attr &attr = primitive_attr())
        : primitive(primitive_desc(src, dst, attr).get()) {}

    using primitive::execute;
    void execute(const stream &astream, memory &src, memory &dst) const {
        const dnnl_exec_arg_t args[] = {{DNNL_ARG_FROM, src.get(true)}, {DNNL_ARG_TO, dst.get(true)}};
        run(astream, 2, args);
    }
};

/// Concatenates tensors along a dimension.
struct concat : public primitive {
    struct primitive_desc : public primitive_desc_base {
        using primitive_desc_base::primitive_desc_base;
        primitive_desc() = default;
        primitive_desc(dnnl_primitive_desc_t pd) : primitive_desc_base(pd, dnnl::primitive::kind::concat) {}

        primitive_desc(const engine &aengine, const memory::desc &dst, int concat_dimension,
                       const std::vector<memory::desc> &srcs, const primitive_attr &attr = default_attr(),
                       bool allow_empty = false) {
            init(aengine, &dst, concat_dimension, srcs, attr, allow_empty);
        }
        /// The primitive chooses the destination.
        primitive_desc(const engine &aengine, int concat_dimension, const std::vector<memory::desc> &srcs,
                       const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            init(aengine, nullptr, concat_dimension, srcs, attr, allow_empty);
        }

      private:
        void init(const engine &aengine, const desc *dst, int dimension, const std::vector<desc> &srcs,
                  const primitive_attr &attr, bool allow_empty) {
            make(DNNL_CREATION_(concat), allow_empty, aengine.get(), optional_arg(dst),
                 static_cast<int>(srcs.size()), dimension, convert_to_c(srcs).data(), attr.get());
        }
    };

    DNNL_PRIMITIVE_(concat)
};

/// dst = scales[0] * srcs[0] + scales[1] * srcs[1] + ...
struct sum : public primitive {
    struct primitive_desc : public primitive_desc_base {
        using primitive_desc_base::primitive_desc_base;
        primitive_desc() = default;
        primitive_desc(dnnl_primitive_desc_t pd) : primitive_desc_base(pd, dnnl::primitive::kind::sum) {}

        primitive_desc(const engine &aengine, const memory::desc &dst, const std::vector<float> &scales,
                       const std::vector<memory::desc> &srcs, const primitive_attr &attr = default_attr(),
                       bool allow_empty = false) {
            init(aengine, &dst, scales, srcs, attr, allow_empty);
        }
        /// The primitive chooses the destination.
        primitive_desc(const engine &aengine, const std::vector<float> &scales,
                       const std::vector<memory::desc> &srcs, const primitive_attr &attr = default_attr(),
                       bool allow_empty = false) {
            init(aengine, nullptr, scales, srcs, attr, allow_empty);
        }

      private:
        void init(const engine &aengine, const desc *dst, const std::vector<float> &scales,
                  const std::vector<desc> &srcs, const primitive_attr &attr, bool allow_empty) {
            const int n = static_cast<int>(srcs.size());
            validate_container_size(scales, "there must be one scale for each source", n, n);
            make(DNNL_CREATION_(sum), allow_empty, aengine.get(), optional_arg(dst), n, scales.data(),
                 convert_to_c(srcs).data(), attr.get());
        }
    };

    DNNL_PRIMITIVE_(sum)
};

/// Local response normalization over local_size neighbours.
struct lrn_forward : public primitive {
    struct primitive_desc : public dnnl::primitive_desc {
        DNNL_PRIMITIVE_DESC_(dnnl::primitive::kind::lrn, DNNL_FORWARD_)

        primitive_desc(const engine &aengine, prop_kind aprop_kind, algorithm aalgorithm, const desc &src,
                       const desc &dst, memory::dim local_size, float alpha, float beta, float k,
                       const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            make(DNNL_CREATION_(lrn_forward), allow_empty, aengine.get(), convert_to_c(aprop_kind),
                 convert_to_c(aalgorithm), src.get(), dst.get(), local_size, alpha, beta, k, attr.get());
        }
    };

    DNNL_PRIMITIVE_(lrn_forward)
};

struct lrn_backward : public primitive {
    struct primitive_desc : public dnnl::primitive_desc {
        DNNL_PRIMITIVE_DESC_(dnnl::primitive::kind::lrn, dnnl::prop_kind::backward_data)

        primitive_desc(const engine &aengine, algorithm aalgorithm, const desc &diff_src,
                       const desc &diff_dst, const desc &src, memory::dim local_size, float alpha, float beta,
                       float k, const lrn_forward::primitive_desc &hint_fwd_pd,
                       const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            make(DNNL_CREATION_(lrn_backward), allow_empty, aengine.get(), convert_to_c(aalgorithm),
                 diff_src.get(), diff_dst.get(), src.get(), local_size, alpha, beta, k, hint_fwd_pd.get(),
                 attr.get());
        }
    };

    DNNL_PRIMITIVE_(lrn_backward)
};

/// A function of each element; the meaning of alpha and beta depends on the algorithm, and both default to 0.
struct eltwise_forward : public primitive {
    struct primitive_desc : public dnnl::primitive_desc {
        DNNL_PRIMITIVE_DESC_(dnnl::primitive::kind::eltwise, DNNL_FORWARD_)

        primitive_desc(const engine &aengine, prop_kind aprop_kind, algorithm aalgorithm, const desc &src,
                       const desc &dst, const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, aalgorithm, src, dst, 0.f, 0.f, attr, allow_empty) {}
        primitive_desc(const engine &aengine, prop_kind aprop_kind, algorithm aalgorithm, const desc &src,
                       const desc &dst, float alpha, const primitive_attr &attr = default_attr(),
                       bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, aalgorithm, src, dst, alpha, 0.f, attr, allow_empty) {}
        primitive_desc(const engine &aengine, prop_kind aprop_kind, algorithm aalgorithm, const desc &src,
                       const desc &dst, float alpha, float beta, const primitive_attr &attr = default_attr(),
                       bool allow_empty = false) {
            make(DNNL_CREATION_(eltwise_forward), allow_empty, aengine.get(), convert_to_c(aprop_kind),
                 convert_to_c(aalgorithm), src.get(), dst.get(), alpha, beta, attr.get());
        }
    };

    DNNL_PRIMITIVE_(eltwise_forward)
};

/// data is the source of the forward pass, or its destination for the *_use_dst_for_bwd algorithms.
struct eltwise_backward : public primitive {
    struct primitive_desc : public dnnl::primitive_desc {
        DNNL_PRIMITIVE_DESC_(dnnl::primitive::kind::eltwise, dnnl::prop_kind::backward_data)

        primitive_desc(const engine &aengine, algorithm aalgorithm, const desc &diff_src,
                       const desc &diff_dst, const desc &data,
                       const eltwise_forward::primitive_desc &hint_fwd_pd,
                       const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aalgorithm, diff_src, diff_dst, data, 0.f, 0.f, hint_fwd_pd, attr,
                             allow_empty) {}
        primitive_desc(const engine &aengine, algorithm aalgorithm, const desc &diff_src,
                       const desc &diff_dst, const desc &data, float alpha,
                       const eltwise_forward::primitive_desc &hint_fwd_pd,
                       const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aalgorithm, diff_src, diff_dst, data, alpha, 0.f, hint_fwd_pd, attr,
                             allow_empty) {}
        primitive_desc(const engine &aengine, algorithm aalgorithm, const desc &diff_src,
                       const desc &diff_dst, const desc &data, float alpha, float beta,
                       const eltwise_forward::primitive_desc &hint_fwd_pd,
                       const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            make(DNNL_CREATION_(eltwise_backward), allow_empty, aengine.get(), convert_to_c(aalgorithm),
                 diff_src.get(), diff_dst.get(), data.get(), alpha, beta, hint_fwd_pd.get(), attr.get());
        }
    };

    DNNL_PRIMITIVE_(eltwise_backward)
};

/// Softmax or its logarithm along an axis.
struct softmax_forward : public primitive {
    struct primitive_desc : public dnnl::primitive_desc {
        DNNL_PRIMITIVE_DESC_(dnnl::primitive::kind::softmax, DNNL_FORWARD_)

        primitive_desc(const engine &aengine, prop_kind aprop_kind, algorithm aalgorithm, const desc &src,
                       const desc &dst, int axis, const primitive_attr &attr = default_attr(),
                       bool allow_empty = false) {
            make(DNNL_CREATION_(softmax_forward), allow_empty, aengine.get(), convert_to_c(aprop_kind),
                 convert_to_c(aalgorithm), src.get(), dst.get(), axis, attr.get());
        }
    };

    DNNL_PRIMITIVE_(softmax_forward)
};

struct softmax_backward : public primitive {
    struct primitive_desc : public dnnl::primitive_desc {
        DNNL_PRIMITIVE_DESC_(dnnl::primitive::kind::softmax, dnnl::prop_kind::backward_data)

        primitive_desc(const engine &aengine, algorithm aalgorithm, const desc &diff_src,
                       const desc &diff_dst, const desc &dst, int axis,
                       const softmax_forward::primitive_desc &hint_fwd_pd,
                       const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            make(DNNL_CREATION_(softmax_backward), allow_empty, aengine.get(), convert_to_c(aalgorithm),
                 diff_src.get(), diff_dst.get(), dst.get(), axis, hint_fwd_pd.get(), attr.get());
        }
    };

    DNNL_PRIMITIVE_(softmax_backward)
};

/// A fully connected layer.
struct inner_product_forward : public primitive {
    struct primitive_desc : public dnnl::primitive_desc {
        DNNL_PRIMITIVE_DESC_(dnnl::primitive::kind::inner_product, DNNL_FORWARD_)

        primitive_desc(const engine &aengine, prop_kind aprop_kind, const desc &src, const desc &weights,
                       const desc &bias, const desc &dst, const primitive_attr &attr = default_attr(),
                       bool allow_empty = false) {
            init(aengine, aprop_kind, src, weights, &bias, dst, attr, allow_empty);
        }
        primitive_desc(const engine &aengine, prop_kind aprop_kind, const desc &src, const desc &weights,
                       const desc &dst, const primitive_attr &attr = default_attr(),
                       bool allow_empty = false) {
            init(aengine, aprop_kind, src, weights, nullptr, dst, attr, allow_empty);
        }

        memory::desc bias_desc() const { return weights_desc(1); }

      private:
        void init(const engine &aengine, prop_kind aprop_kind, const desc &src, const desc &weights,
                  const desc *bias, const desc &dst, const primitive_attr &attr, bool allow_empty) {
            make(DNNL_CREATION_(inner_product_forward), allow_empty, aengine.get(), convert_to_c(aprop_kind),
                 src.get(), weights.get(), optional_arg(bias), dst.get(), attr.get());
        }
    };

    DNNL_PRIMITIVE_(inner_product_forward)
};

struct inner_product_backward_data : public primitive {
    struct primitive_desc : public dnnl::primitive_desc {
        DNNL_PRIMITIVE_DESC_(dnnl::primitive::kind::inner_product, dnnl::prop_kind::backward_data)

        primitive_desc(const engine &aengine, const desc &diff_src, const desc &weights, const desc &diff_dst,
                       const inner_product_forward::primitive_desc &hint_fwd_pd,
                       const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            make(DNNL_CREATION_(inner_product_backward_data), allow_empty, aengine.get(), diff_src.get(),
                 weights.get(), diff_dst.get(), hint_fwd_pd.get(), attr.get());
        }
    };

    DNNL_PRIMITIVE_(inner_product_backward_data)
};

struct inner_product_backward_weights : public primitive {
    struct primitive_desc : public dnnl::primitive_desc {
        DNNL_PRIMITIVE_DESC_(dnnl::primitive::kind::inner_product, dnnl::prop_kind::backward_weights)

        primitive_desc(const engine &aengine, const desc &src, const desc &diff_weights,
                       const desc &diff_bias, const desc &diff_dst,
                       const inner_product_forward::primitive_desc &hint_fwd_pd,
                       const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            init(aengine, src, diff_weights, &diff_bias, diff_dst, hint_fwd_pd, attr, allow_empty);
        }
        primitive_desc(const engine &aengine, const desc &src, const desc &diff_weights, const desc &diff_dst,
                       const inner_product_forward::primitive_desc &hint_fwd_pd,
                       const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            init(aengine, src, diff_weights, nullptr, diff_dst, hint_fwd_pd, attr, allow_empty);
        }

        memory::desc diff_bias_desc() const { return diff_weights_desc(1); }

      private:
        void init(const engine &aengine, const desc &src, const desc &diff_weights, const desc *diff_bias,
                  const desc &diff_dst, const inner_product_forward::primitive_desc &hint_fwd_pd,
                  const primitive_attr &attr, bool allow_empty) {
            make(DNNL_CREATION_(inner_product_backward_weights), allow_empty, aengine.get(), src.get(),
                 diff_weights.get(), optional_arg(diff_bias), diff_dst.get(), hint_fwd_pd.get(), attr.get());
        }
    };

    DNNL_PRIMITIVE_(inner_product_backward_weights)
};

/// Transposes an axis as a matrix with rows of group_size.
struct shuffle_forward : public primitive {
    struct primitive_desc : public dnnl::primitive_desc {
        DNNL_PRIMITIVE_DESC_(dnnl::primitive::kind::shuffle, DNNL_FORWARD_)

        primitive_desc(const engine &aengine, prop_kind aprop_kind, const desc &src, const desc &dst,
                       int axis, int group_size, const primitive_attr &attr = default_attr(),
                       bool allow_empty = false) {
            make(DNNL_CREATION_(shuffle_forward), allow_empty, aengine.get(), convert_to_c(aprop_kind),
                 src.get(), dst.get(), axis, group_size, attr.get());
        }
    };

    DNNL_PRIMITIVE_(shuffle_forward)
};

struct shuffle_backward : public primitive {
    struct primitive_desc : public dnnl::primitive_desc {
        DNNL_PRIMITIVE_DESC_(dnnl::primitive::kind::shuffle, dnnl::prop_kind::backward_data)

        primitive_desc(const engine &aengine, const desc &diff_src, const desc &diff_dst, int axis,
                       int group_size, const shuffle_forward::primitive_desc &hint_fwd_pd,
                       const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            make(DNNL_CREATION_(shuffle_backward), allow_empty, aengine.get(), diff_src.get(), diff_dst.get(),
                 axis, group_size, hint_fwd_pd.get(), attr.get());
        }
    };

    DNNL_PRIMITIVE_(shuffle_backward)
};

/// An elementwise operation on two tensors, or three for algorithm::binary_select. Sources are broadcast.
struct binary : public primitive {
    struct primitive_desc : public dnnl::primitive_desc {
        DNNL_PRIMITIVE_DESC_(dnnl::primitive::kind::binary)

        primitive_desc(const engine &aengine, algorithm aalgorithm, const desc &src0, const desc &src1,
                       const desc &dst, const primitive_attr &attr = default_attr(),
                       bool allow_empty = false) {
            make(DNNL_CREATION_(binary), allow_empty, aengine.get(), convert_to_c(aalgorithm), src0.get(),
                 src1.get(), dst.get(), attr.get());
        }
        primitive_desc(const engine &aengine, algorithm aalgorithm, const desc &src0, const desc &src1,
                       const desc &src2, const desc &dst, const primitive_attr &attr = default_attr(),
                       bool allow_empty = false) {
            make(DNNL_CREATION_BY_(dnnl_binary_primitive_desc_create_v2, "binary with three sources"),
                 allow_empty, aengine.get(), convert_to_c(aalgorithm), src0.get(), src1.get(), src2.get(),
                 dst.get(), attr.get());
        }

        memory::desc src0_desc() const { return src_desc(0); }
        memory::desc src1_desc() const { return src_desc(1); }
        memory::desc src2_desc() const { return src_desc(2); }
    };

    DNNL_PRIMITIVE_(binary)
};

/// A matrix product, or a batch of them.
struct matmul : public primitive {
    struct primitive_desc : public dnnl::primitive_desc {
        DNNL_PRIMITIVE_DESC_(dnnl::primitive::kind::matmul)

        primitive_desc(const engine &aengine, const desc &src, const desc &weights, const desc &dst,
                       const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            init(aengine, src, weights, nullptr, dst, attr, allow_empty);
        }
        primitive_desc(const engine &aengine, const desc &src, const desc &weights, const desc &bias,
                       const desc &dst, const primitive_attr &attr = default_attr(),
                       bool allow_empty = false) {
            init(aengine, src, weights, &bias, dst, attr, allow_empty);
        }

        memory::desc bias_desc() const { return weights_desc(1); }

      private:
        void init(const engine &aengine, const desc &src, const desc &weights, const desc *bias,
                  const desc &dst, const primitive_attr &attr, bool allow_empty) {
            make(DNNL_CREATION_(matmul), allow_empty, aengine.get(), src.get(), weights.get(),
                 optional_arg(bias), dst.get(), attr.get());
        }
    };

    DNNL_PRIMITIVE_(matmul)
};

/// Resizes the spatial dimensions by factors, by the ratio of dst to src, or by factors that dst must match.
struct resampling_forward : public primitive {
    struct primitive_desc : public dnnl::primitive_desc {
        DNNL_PRIMITIVE_DESC_(dnnl::primitive::kind::resampling, DNNL_FORWARD_)

        primitive_desc(const engine &aengine, prop_kind aprop_kind, algorithm aalgorithm, const desc &src,
                       const desc &dst, const primitive_attr &attr = default_attr(),
                       bool allow_empty = false) {
            init(aengine, aprop_kind, aalgorithm, nullptr, src, &dst, attr, allow_empty);
        }
        primitive_desc(const engine &aengine, prop_kind aprop_kind, algorithm aalgorithm,
                       const std::vector<float> &factors, const desc &src,
                       const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            init(aengine, aprop_kind, aalgorithm, &factors, src, nullptr, attr, allow_empty);
        }
        primitive_desc(const engine &aengine, prop_kind aprop_kind, algorithm aalgorithm,
                       const std::vector<float> &factors, const desc &src, const desc &dst,
                       const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            init(aengine, aprop_kind, aalgorithm, &factors, src, &dst, attr, allow_empty);
        }

      private:
        void init(const engine &aengine, prop_kind aprop_kind, algorithm aalgorithm,
                  const std::vector<float> *factors, const desc &src, const desc *dst,
                  const primitive_attr &attr, bool allow_empty) {
            require_spatial(src, factors);
            make(DNNL_CREATION_(resampling_forward), allow_empty, aengine.get(), convert_to_c(aprop_kind),
                 convert_to_c(aalgorithm), optional_arg(factors), src.get(), optional_arg(dst), attr.get());
        }
    };

    DNNL_PRIMITIVE_(resampling_forward)
};

struct resampling_backward : public primitive {
    struct primitive_desc : public dnnl::primitive_desc {
        DNNL_PRIMITIVE_DESC_(dnnl::primitive::kind::resampling, dnnl::prop_kind::backward_data)

        primitive_desc(const engine &aengine, algorithm aalgorithm, const desc &diff_src,
                       const desc &diff_dst, const resampling_forward::primitive_desc &hint_fwd_pd,
                       const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            init(aengine, aalgorithm, nullptr, diff_src, diff_dst, hint_fwd_pd, attr, allow_empty);
        }
        primitive_desc(const engine &aengine, algorithm aalgorithm, const std::vector<float> &factors,
                       const desc &diff_src, const desc &diff_dst,
                       const resampling_forward::primitive_desc &hint_fwd_pd,
                       const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            init(aengine, aalgorithm, &factors, diff_src, diff_dst, hint_fwd_pd, attr, allow_empty);
        }

      private:
        void init(const engine &aengine, algorithm aalgorithm, const std::vector<float> *factors,
                  const desc &diff_src, const desc &diff_dst,
                  const resampling_forward::primitive_desc &hint_fwd_pd, const primitive_attr &attr,
                  bool allow_empty) {
            require_spatial(diff_src, factors);
            make(DNNL_CREATION_(resampling_backward), allow_empty, aengine.get(), convert_to_c(aalgorithm),
                 optional_arg(factors), diff_src.get(), diff_dst.get(), hint_fwd_pd.get(), attr.get());
        }
    };

    DNNL_PRIMITIVE_(resampling_backward)
};

/// The maximum or average of each window. A dilation of 0 is a dense window.
struct pooling_forward : public primitive {
    struct primitive_desc : public dnnl::primitive_desc {
        DNNL_PRIMITIVE_DESC_(dnnl::primitive::kind::pooling, DNNL_FORWARD_)

        primitive_desc(const engine &aengine, prop_kind aprop_kind, algorithm aalgorithm, const desc &src,
                       const desc &dst, const dims &strides, const dims &kernel, const dims &dilation,
                       const dims &padding_l, const dims &padding_r,
                       const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            require_spatial(src, &strides, &kernel, &dilation, &padding_l, &padding_r);
            make(DNNL_CREATION_(pooling_forward), allow_empty, aengine.get(), convert_to_c(aprop_kind),
                 convert_to_c(aalgorithm), src.get(), dst.get(), strides.data(), kernel.data(),
                 dilation.data(), padding_l.data(), padding_r.data(), attr.get());
        }
    };

    DNNL_PRIMITIVE_(pooling_forward)
};

struct pooling_backward : public primitive {
    struct primitive_desc : public dnnl::primitive_desc {
        DNNL_PRIMITIVE_DESC_(dnnl::primitive::kind::pooling, dnnl::prop_kind::backward_data)

        primitive_desc(const engine &aengine, algorithm aalgorithm, const desc &diff_src,
                       const desc &diff_dst, const dims &strides, const dims &kernel, const dims &dilation,
                       const dims &padding_l, const dims &padding_r,
                       const pooling_forward::primitive_desc &hint_fwd_pd,
                       const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            require_spatial(diff_src, &strides, &kernel, &dilation, &padding_l, &padding_r);
            make(DNNL_CREATION_(pooling_backward), allow_empty, aengine.get(), convert_to_c(aalgorithm),
                 diff_src.get(), diff_dst.get(), strides.data(), kernel.data(), dilation.data(),
                 padding_l.data(), padding_r.data(), hint_fwd_pd.get(), attr.get());
        }
    };

    DNNL_PRIMITIVE_(pooling_backward)
};

/// Leaky ReLU with a learned slope; the weights are broadcast.
struct prelu_forward : public primitive {
    struct primitive_desc : public dnnl::primitive_desc {
        DNNL_PRIMITIVE_DESC_(dnnl::primitive::kind::prelu, DNNL_FORWARD_)

        primitive_desc(const engine &aengine, prop_kind aprop_kind, const desc &src, const desc &weights,
                       const desc &dst, const primitive_attr &attr = default_attr(),
                       bool allow_empty = false) {
            make(DNNL_CREATION_(prelu_forward), allow_empty, aengine.get(), convert_to_c(aprop_kind),
                 src.get(), weights.get(), dst.get(), attr.get());
        }
    };

    DNNL_PRIMITIVE_(prelu_forward)
};

struct prelu_backward : public primitive {
    struct primitive_desc : public dnnl::primitive_desc {
        DNNL_PRIMITIVE_DESC_(dnnl::primitive::kind::prelu, dnnl::prop_kind::backward)

        primitive_desc(const engine &aengine, const desc &src, const desc &weights, const desc &diff_src,
                       const desc &diff_weights, const desc &diff_dst,
                       const prelu_forward::primitive_desc &hint_fwd_pd,
                       const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            make(DNNL_CREATION_(prelu_backward), allow_empty, aengine.get(), src.get(), weights.get(),
                 diff_src.get(), diff_weights.get(), diff_dst.get(), hint_fwd_pd.get(), attr.get());
        }
    };

    DNNL_PRIMITIVE_(prelu_backward)
};

/// Reduces the dimensions whose size in dst is 1. p and eps apply to the norms.
struct reduction : public primitive {
    struct primitive_desc : public dnnl::primitive_desc {
        DNNL_PRIMITIVE_DESC_(dnnl::primitive::kind::reduction)

        primitive_desc(const engine &aengine, algorithm aalgorithm, const desc &src, const desc &dst, float p,
                       float eps, const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            make(DNNL_CREATION_(reduction), allow_empty, aengine.get(), convert_to_c(aalgorithm), src.get(),
                 dst.get(), p, eps, attr.get());
        }
    };

    DNNL_PRIMITIVE_(reduction)
};

} // namespace dnnl

#endif
