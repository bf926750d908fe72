/* SPDX-License-Identifier: Apache-2.0 */
/* Normalizations that share their queries: batch, group and layer, forward and backward. */
#ifndef ONEAPI_DNNL_CPP_NORMALIZATION_HPP
#define ONEAPI_DNNL_CPP_NORMALIZATION_HPP

#include "oneapi/dnnl/cpp/primitive_desc.hpp"

namespace dnnl {

namespace detail {

/// Queries of the descriptors of normalizations.
struct normalization_desc : public primitive_desc {
    using primitive_desc::primitive_desc;
    normalization_desc() = default;

    normalization_flags get_flags() const { return primitive_desc::get_flags<normalization_flags>(); }
    memory::desc mean_desc() const { return statistics_desc(1); }
    memory::desc variance_desc() const { return statistics_desc(2); }

  private:
    /// Only forward propagation without use_global_stats computes statistics.
    memory::desc statistics_desc(int idx) const {
        const dnnl::prop_kind propagation = get_prop_kind();
        const bool forward = propagation == dnnl::prop_kind::forward_training
                             || propagation == dnnl::prop_kind::forward_inference;
        const bool given = (get_flags() & normalization_flags::use_global_stats) != normalization_flags::none;
        return forward && !given ? dst_desc(idx) : src_desc(idx);
    }
};

} // namespace detail

/// The same for descriptors of normalizations.
#define DNNL_NORMALIZATION_DESC_(...)                                                                        \
    primitive_desc() = default;                                                                              \
    primitive_desc(dnnl_primitive_desc_t pd) : detail::normalization_desc(pd, __VA_ARGS__) {}

#define DNNL_BACKWARD_ dnnl::prop_kind::backward, dnnl::prop_kind::backward_data

/// Normalizes each channel over batch and space.
struct batch_normalization_forward : public primitive {
    struct primitive_desc : public detail::normalization_desc {
        DNNL_NORMALIZATION_DESC_(dnnl::primitive::kind::batch_normalization, DNNL_FORWARD_)

        primitive_desc(const engine &aengine, prop_kind aprop_kind, const desc &src, const desc &dst,
                       float epsilon, normalization_flags flags, const primitive_attr &attr = default_attr(),
                       bool allow_empty = false) {
            make(DNNL_CREATION_(batch_normalization_forward), allow_empty, aengine.get(),
                 convert_to_c(aprop_kind), src.get(), dst.get(), epsilon, convert_to_c(flags), attr.get());
        }
    };

    DNNL_PRIMITIVE_(batch_normalization_forward)
};

struct batch_normalization_backward : public primitive {
    struct primitive_desc : public detail::normalization_desc {
        DNNL_NORMALIZATION_DESC_(dnnl::primitive::kind::batch_normalization, DNNL_BACKWARD_)

        primitive_desc(const engine &aengine, prop_kind aprop_kind, const desc &diff_src,
                       const desc &diff_dst, const desc &src, float epsilon, normalization_flags flags,
                       const batch_normalization_forward::primitive_desc &hint_fwd_pd,
                       const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            make(DNNL_CREATION_(batch_normalization_backward), allow_empty, aengine.get(),
                 convert_to_c(aprop_kind), diff_src.get(), diff_dst.get(), src.get(), epsilon,
                 convert_to_c(flags), hint_fwd_pd.get(), attr.get());
        }
    };

    DNNL_PRIMITIVE_(batch_normalization_backward)
};

/// Normalizes each group of channels of each sample.
struct group_normalization_forward : public primitive {
    struct primitive_desc : public detail::normalization_desc {
        DNNL_NORMALIZATION_DESC_(dnnl::primitive::kind::group_normalization, DNNL_FORWARD_)

        primitive_desc(const engine &aengine, prop_kind aprop_kind, const desc &src, const desc &dst,
                       memory::dim groups, float epsilon, normalization_flags flags,
                       const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            make(DNNL_CREATION_(group_normalization_forward), allow_empty, aengine.get(),
                 convert_to_c(aprop_kind), src.get(), dst.get(), groups, epsilon, convert_to_c(flags),
                 attr.get());
        }
    };

    DNNL_PRIMITIVE_(group_normalization_forward)
};

struct group_normalization_backward : public primitive {
    struct primitive_desc : public detail::normalization_desc {
        DNNL_NORMALIZATION_DESC_(dnnl::primitive::kind::group_normalization, DNNL_BACKWARD_)

        primitive_desc(const engine &aengine, prop_kind aprop_kind, const desc &diff_src,
                       const desc &diff_dst, const desc &src, memory::dim groups, float epsilon,
                       normalization_flags flags,
                       const group_normalization_forward::primitive_desc &hint_fwd_pd,
                       const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            make(DNNL_CREATION_(group_normalization_backward), allow_empty, aengine.get(),
                 convert_to_c(aprop_kind), diff_src.get(), diff_dst.get(), src.get(), groups, epsilon,
                 convert_to_c(flags), hint_fwd_pd.get(), attr.get());
        }
    };

    DNNL_PRIMITIVE_(group_normalization_backward)
};

/// Normalizes over the last dimension. Statistics may have their own descriptor; scale and shift are f32
/// unless their type is given.
struct layer_normalization_forward : public primitive {
    struct primitive_desc : public detail::normalization_desc {
        DNNL_NORMALIZATION_DESC_(dnnl::primitive::kind::layer_normalization, DNNL_FORWARD_)

        primitive_desc(const engine &aengine, prop_kind aprop_kind, const desc &src, const desc &dst,
                       const desc &stat, float epsilon, normalization_flags flags,
                       const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            init(aengine, aprop_kind, src, dst, &stat, memory::data_type::f32, epsilon, flags, attr,
                 allow_empty);
        }
        primitive_desc(const engine &aengine, prop_kind aprop_kind, const desc &src, const desc &dst,
                       float epsilon, normalization_flags flags, const primitive_attr &attr = default_attr(),
                       bool allow_empty = false) {
            init(aengine, aprop_kind, src, dst, nullptr, memory::data_type::f32, epsilon, flags, attr,
                 allow_empty);
        }
        primitive_desc(const engine &aengine, prop_kind aprop_kind, const desc &src, const desc &dst,
                       const desc &stat, memory::data_type scale_shift_data_type, float epsilon,
                       normalization_flags flags, const primitive_attr &attr = default_attr(),
                       bool allow_empty = false) {
            init(aengine, aprop_kind, src, dst, &stat, scale_shift_data_type, epsilon, flags, attr,
                 allow_empty);
        }
        primitive_desc(const engine &aengine, prop_kind aprop_kind, const desc &src, const desc &dst,
                       memory::data_type scale_shift_data_type, float epsilon, normalization_flags flags,
                       const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            init(aengine, aprop_kind, src, dst, nullptr, scale_shift_data_type, epsilon, flags, attr,
                 allow_empty);
        }

      private:
        void init(const engine &aengine, prop_kind aprop_kind, const desc &src, const desc &dst,
                  const desc *stat, memory::data_type scale_shift, float epsilon, normalization_flags flags,
                  const primitive_attr &attr, bool allow_empty) {
            make(DNNL_CREATION_BY_(dnnl_layer_normalization_forward_primitive_desc_create_v2,
                                   "layer_normalization_forward"),
                 allow_empty, aengine.get(), convert_to_c(aprop_kind), src.get(), dst.get(),
                 optional_arg(stat), memory::convert_to_c(scale_shift), epsilon, convert_to_c(flags),
                 attr.get());
        }
    };

    DNNL_PRIMITIVE_(layer_normalization_forward)
};

struct layer_normalization_backward : public primitive {
    struct primitive_desc : public detail::normalization_desc {
        DNNL_NORMALIZATION_DESC_(dnnl::primitive::kind::layer_normalization, DNNL_BACKWARD_)

        primitive_desc(const engine &aengine, prop_kind aprop_kind, const desc &diff_src,
                       const desc &diff_dst, const desc &src, const desc &stat, float epsilon,
                       normalization_flags flags,
                       const layer_normalization_forward::primitive_desc &hint_fwd_pd,
                       const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            init(aengine, aprop_kind, diff_src, diff_dst, src, &stat, memory::data_type::f32,
                 memory::data_type::f32, epsilon, flags, hint_fwd_pd, attr, allow_empty);
        }
        primitive_desc(const engine &aengine, prop_kind aprop_kind, const desc &diff_src,
                       const desc &diff_dst, const desc &src, float epsilon, normalization_flags flags,
                       const layer_normalization_forward::primitive_desc &hint_fwd_pd,
                       const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            init(aengine, aprop_kind, diff_src, diff_dst, src, nullptr, memory::data_type::f32,
                 memory::data_type::f32, epsilon, flags, hint_fwd_pd, attr, allow_empty);
        }
        primitive_desc(const engine &aengine, prop_kind aprop_kind, const desc &diff_src,
                       const desc &diff_dst, const desc &src, const desc &stat,
                       memory::data_type diff_scale_shift_data_type, memory::data_type scale_shift_data_type,
                       float epsilon, normalization_flags flags,
                       const layer_normalization_forward::primitive_desc &hint_fwd_pd,
                       const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            init(aengine, aprop_kind, diff_src, diff_dst, src, &stat, diff_scale_shift_data_type,
                 scale_shift_data_type, epsilon, flags, hint_fwd_pd, attr, allow_empty);
        }
        primitive_desc(const engine &aengine, prop_kind aprop_kind, const desc &diff_src,
                       const desc &diff_dst, const desc &src, memory::data_type diff_scale_shift_data_type,
                       memory::data_type scale_shift_data_type, float epsilon, normalization_flags flags,
                       const layer_normalization_forward::primitive_desc &hint_fwd_pd,
                       const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            init(aengine, aprop_kind, diff_src, diff_dst, src, nullptr, diff_scale_shift_data_type,
                 scale_shift_data_type, epsilon, flags, hint_fwd_pd, attr, allow_empty);
        }

      private:
        void init(const engine &aengine, prop_kind aprop_kind, const desc &diff_src, const desc &diff_dst,
                  const desc &src, const desc *stat, memory::data_type diff_scale_shift,
                  memory::data_type scale_shift, float epsilon, normalization_flags flags,
                  const layer_normalization_forward::primitive_desc &hint_fwd_pd, const primitive_attr &attr,
                  bool allow_empty) {
            make(DNNL_CREATION_BY_(dnnl_layer_normalization_backward_primitive_desc_create_v2,
                                   "layer_normalization_backward"),
                 allow_empty, aengine.get(), convert_to_c(aprop_kind), diff_src.get(), diff_dst.get(),
                 src.get(), optional_arg(stat), memory::convert_to_c(diff_scale_shift),
                 memory::convert_to_c(scale_shift), epsilon, convert_to_c(flags), hint_fwd_pd.get(),
                 attr.get());
        }
    };

    DNNL_PRIMITIVE_(layer_normalization_backward)
};

#undef DNNL_NORMALIZATION_DESC_
#undef DNNL_BACKWARD_

} // namespace dnnl

#endif
