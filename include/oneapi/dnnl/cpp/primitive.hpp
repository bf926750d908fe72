/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The base class of all primitives. primitive_desc.hpp describes and creates them.
 */
#ifndef ONEAPI_DNNL_CPP_PRIMITIVE_HPP
#define ONEAPI_DNNL_CPP_PRIMITIVE_HPP

#include "oneapi/dnnl/cpp/memory.hpp"

namespace dnnl {

template <>
struct handle_traits<dnnl_primitive_t> : detail::destroyed_by<dnnl_primitive_t, dnnl_primitive_destroy> {};

struct primitive_desc;

namespace detail {

/// Execution arguments as a C array.
template <typename Arg = dnnl_exec_arg_t, typename Map>
std::vector<Arg> c_args(const Map &args, bool allow_empty) {
    std::vector<Arg> result(args.size());
    Arg *next = result.data();
    for (const auto &arg : args)
        *next++ = {arg.first, arg.second.get(allow_empty)};
    return result;
}

/// The part of primitive that uses containers.
template <typename c_primitive>
struct executable : public handle<c_primitive> {
    using handle<c_primitive>::handle;

    /// Submits the computation. args maps DNNL_ARG_* to memory; results are available after astream.wait().
    void execute(const stream &astream, const std::unordered_map<int, memory> &args) const {
        const auto c_args = detail::c_args(args, true);
        run(astream, static_cast<int>(c_args.size()), c_args.data());
    }

    /// Bytes from which another process can create this primitive on the same device without compiling.
    std::vector<uint8_t> get_cache_blob() const {
        return read_blob("could not get the cache blob of a primitive", [this](size_t *size, uint8_t *bytes) {
            return dnnl_primitive_get_cache_blob(this->get(), size, bytes);
        });
    }

  protected:
    void run(const stream &astream, int nargs, const dnnl_exec_arg_t *args) const {
        error::wrap_c_api(dnnl_primitive_execute(this->get(), astream.get(), nargs, args),
                          "could not execute a primitive");
    }
};

} // namespace detail

struct primitive : public detail::executable<dnnl_primitive_t> {
    enum class kind {
        undef = dnnl_undefined_primitive,
        reorder = dnnl_reorder,
        shuffle = dnnl_shuffle,
        concat = dnnl_concat,
        sum = dnnl_sum,
        convolution = dnnl_convolution,
        deconvolution = dnnl_deconvolution,
        eltwise = dnnl_eltwise,
        lrn = dnnl_lrn,
        batch_normalization = dnnl_batch_normalization,
        inner_product = dnnl_inner_product,
        rnn = dnnl_rnn,
        binary = dnnl_binary,
        matmul = dnnl_matmul,
        resampling = dnnl_resampling,
        pooling = dnnl_pooling,
        reduction = dnnl_reduction,
        prelu = dnnl_prelu,
        softmax = dnnl_softmax,
        layer_normalization = dnnl_layer_normalization,
        group_normalization = dnnl_group_normalization,
    };

    using detail::executable<dnnl_primitive_t>::executable;
    primitive() = default;

    primitive(const_dnnl_primitive_desc_t c_pd) {
        reset(detail::made<dnnl_primitive_t>("could not create a primitive", dnnl_primitive_create, c_pd));
    }
    primitive(const primitive_desc &pd);

    /// From the result of get_cache_blob() for an equal descriptor.
    primitive(const_dnnl_primitive_desc_t c_pd, const std::vector<uint8_t> &cache_blob) {
        reset(detail::made<dnnl_primitive_t>("could not create a primitive from a cache blob",
                                             dnnl_primitive_create_from_cache_blob, c_pd, cache_blob.size(),
                                             cache_blob.data()));
    }
    primitive(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob);

    /// Owned by the primitive.
    const_dnnl_primitive_desc_t get_primitive_desc() const {
        return detail::told<const_dnnl_primitive_desc_t>("could not get the descriptor of a primitive",
                                                         dnnl_primitive_get_primitive_desc, get());
    }

    kind get_kind() const {
        dnnl_primitive_kind_t result;
        error::wrap_c_api(
                dnnl_primitive_desc_query(get_primitive_desc(), dnnl_query_primitive_kind, 0, &result),
                "could not get the kind of a primitive");
        return static_cast<kind>(result);
    }
};

inline dnnl_primitive_kind_t convert_to_c(primitive::kind kind) {
    return static_cast<dnnl_primitive_kind_t>(kind);
}

} // namespace dnnl

#endif
