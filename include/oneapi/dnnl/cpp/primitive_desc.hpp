/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Primitive descriptors: all their queries, and the base of the descriptors in primitives.hpp and rnn.hpp.
 */
#ifndef ONEAPI_DNNL_CPP_PRIMITIVE_DESC_HPP
#define ONEAPI_DNNL_CPP_PRIMITIVE_DESC_HPP

#include "oneapi/dnnl/cpp/attributes.hpp"

namespace dnnl {

template <>
struct handle_traits<dnnl_primitive_desc_t>
    : detail::destroyed_by<dnnl_primitive_desc_t, dnnl_primitive_desc_destroy> {};

namespace detail {

/// A C function that creates a descriptor, and its error message.
template <typename F>
struct creation {
    F *create;
    const char *failure;
};

template <typename F>
creation<F> creation_by(F *create, const char *failure) {
    return creation<F>{create, failure};
}

#define DNNL_CREATION_BY_(function, name)                                                                    \
    ::dnnl::detail::creation_by(function, "could not create a primitive descriptor for " name                \
                                          "; run with ONEDNN_VERBOSE=all to learn the reason")

/// The function dnnl_<name>_primitive_desc_create.
#define DNNL_CREATION_(name) DNNL_CREATION_BY_(dnnl_##name##_primitive_desc_create, #name)

} // namespace detail

inline std::vector<const_dnnl_memory_desc_t> convert_to_c(const std::vector<memory::desc> &mds) {
    std::vector<const_dnnl_memory_desc_t> result(mds.size());
    for (size_t i = 0; i < mds.size(); ++i)
        result[i] = mds[i].get();
    return result;
}

namespace detail {

/// The part of primitive_desc_base that returns lists: one value per spatial dimension, or an empty list.
template <typename c_primitive_desc>
struct primitive_desc_lists : public handle<c_primitive_desc> {
    using handle<c_primitive_desc>::handle;

    std::vector<dnnl_dim_t> get_strides() const { return ask<dnnl_dim_t>(dnnl_query_strides); }
    std::vector<dnnl_dim_t> get_dilations() const { return ask<dnnl_dim_t>(dnnl_query_dilations); }
    std::vector<dnnl_dim_t> get_padding_l() const { return ask<dnnl_dim_t>(dnnl_query_padding_l); }
    std::vector<dnnl_dim_t> get_padding_r() const { return ask<dnnl_dim_t>(dnnl_query_padding_r); }
    std::vector<dnnl_dim_t> get_kernel() const { return ask<dnnl_dim_t>(dnnl_query_kernel); }
    std::vector<float> get_factors() const { return ask<float>(dnnl_query_factors); }

    /// Identifies matching cache blobs: equal for equal descriptors on equal devices.
    std::vector<uint8_t> get_cache_blob_id() const {
        dnnl_dim_t size = 0;
        const uint8_t *id = nullptr;
        const char *failure = "could not get the cache blob id of a primitive descriptor";
        error::wrap_c_api(dnnl_primitive_desc_query(this->get(), dnnl_query_cache_blob_id_size_s64, 0, &size),
                          failure);
        error::wrap_c_api(dnnl_primitive_desc_query(this->get(), dnnl_query_cache_blob_id, 0, &id), failure);
        return std::vector<uint8_t>(id, id + size);
    }

  private:
    template <typename T>
    std::vector<T> ask(dnnl_query_t what) const {
        const T *first = nullptr;
        int ndims = 0;
        if (dnnl_primitive_desc_query(this->get(), what, 0, &first) != dnnl_success
            || dnnl_memory_desc_query(result_desc(), dnnl_query_ndims_s32, &ndims) != dnnl_success
            || ndims < 3)
            return std::vector<T>();
        return std::vector<T>(first, first + (ndims - 2));
    }

    const_dnnl_memory_desc_t result_desc() const {
        dnnl_prop_kind_t kind = dnnl_prop_kind_undef;
        dnnl_primitive_desc_query(this->get(), dnnl_query_prop_kind, 0, &kind);
        const bool forward = kind == dnnl_forward_training || kind == dnnl_forward_inference;
        return dnnl_primitive_desc_query_md(this->get(), forward ? dnnl_query_dst_md : dnnl_query_diff_dst_md,
                                            0);
    }
};

} // namespace detail

/// A descriptor of any primitive. Queries that do not apply return 0, undef, an empty list or a zero
/// descriptor.
struct primitive_desc_base : public detail::primitive_desc_lists<dnnl_primitive_desc_t> {
    using detail::primitive_desc_lists<dnnl_primitive_desc_t>::primitive_desc_lists;
    primitive_desc_base() = default;

    // About the implementation.
    engine get_engine() const { return query_engine(query::engine); }
    dnnl::primitive::kind get_kind() const {
        return static_cast<dnnl::primitive::kind>(require<dnnl_primitive_kind_t>(
                query::primitive_kind, "could not get the primitive kind of a primitive descriptor"));
    }
    /// The implementation's name; owned by the descriptor.
    const char *impl_info_str() const {
        return require<const char *>(query::impl_info_str,
                                     "could not get the name of a primitive descriptor's implementation");
    }
    /// A copy of the attributes.
    primitive_attr get_primitive_attr() const {
        const const_dnnl_primitive_attr_t attr = detail::told<const_dnnl_primitive_attr_t>(
                "could not get the attributes of a primitive descriptor", dnnl_primitive_desc_get_attr,
                get());
        return primitive_attr(detail::made<dnnl_primitive_attr_t>("could not clone primitive attributes",
                                                                  dnnl_primitive_attr_clone, attr));
    }

    // About the problem.
    dnnl::prop_kind get_prop_kind() const {
        return static_cast<dnnl::prop_kind>(ask<dnnl_prop_kind_t>(query::prop_kind));
    }
    dnnl::algorithm get_algorithm() const { return ask_algorithm(query::alg_kind); }
    dnnl::algorithm get_cell_kind() const { return ask_algorithm(query::cell_kind); }
    dnnl::algorithm get_activation_kind() const { return ask_algorithm(query::activation_kind); }
    dnnl::rnn_direction get_direction() const {
        return static_cast<dnnl::rnn_direction>(ask<dnnl_rnn_direction_t>(query::direction));
    }
    template <typename T = unsigned>
    T get_flags() const {
        return static_cast<T>(ask<unsigned>(query::flags));
    }
    float get_alpha() const { return ask<float>(query::alpha_f32); }
    float get_beta() const { return ask<float>(query::beta_f32); }
    float get_epsilon() const { return ask<float>(query::epsilon_f32); }
    float get_k() const { return ask<float>(query::k_f32); }
    float get_p() const { return ask<float>(query::p_f32); }
    int get_axis() const { return ask<int>(query::axis_s32, -1); }
    memory::dim get_local_size() const { return query_s64(query::local_size_s64); }
    memory::dim get_group_size() const { return query_s64(query::group_size_s64); }
    memory::dim query_s64(query what) const { return ask<memory::dim>(what); }

    // About the arguments.
    memory::desc src_desc(int idx) const { return query_md(query::src_md, idx); }
    memory::desc dst_desc(int idx) const { return query_md(query::dst_md, idx); }
    memory::desc weights_desc(int idx) const { return query_md(query::weights_md, idx); }
    memory::desc diff_src_desc(int idx) const { return query_md(query::diff_src_md, idx); }
    memory::desc diff_dst_desc(int idx) const { return query_md(query::diff_dst_md, idx); }
    memory::desc diff_weights_desc(int idx) const { return query_md(query::diff_weights_md, idx); }
    memory::desc src_desc() const { return src_desc(0); }
    memory::desc dst_desc() const { return dst_desc(0); }
    memory::desc weights_desc() const { return weights_desc(0); }
    memory::desc diff_src_desc() const { return diff_src_desc(0); }
    memory::desc diff_dst_desc() const { return diff_dst_desc(0); }
    memory::desc diff_weights_desc() const { return diff_weights_desc(0); }
    memory::desc workspace_desc() const { return query_md(query::workspace_md); }
    memory::desc scratchpad_desc() const { return query_md(query::scratchpad_md); }
    engine scratchpad_engine() const { return query_engine(query::scratchpad_engine); }

    /// Returns a copy. `what` is one of query::*_md; idx is an index, or DNNL_ARG_* with query::exec_arg_md.
    memory::desc query_md(query what, int idx = 0) const {
        switch (what) {
        case query::src_md:
        case query::diff_src_md:
        case query::weights_md:
        case query::diff_weights_md:
        case query::dst_md:
        case query::diff_dst_md:
        case query::workspace_md:
        case query::scratchpad_md:
        case query::exec_arg_md: break;
        default: DNNL_THROW_ERROR(dnnl_invalid_arguments, "the query is not for a memory descriptor");
        }
        return memory::clone(dnnl_primitive_desc_query_md(get(), dnnl::convert_to_c(what), idx));
    }

  protected:
    using base = primitive_desc_base;
    using desc = memory::desc;
    using dims = memory::dims;

    /// Copies a C descriptor of this kind with one of two propagation kinds; undef for primitives that have
    /// none.
    primitive_desc_base(dnnl_primitive_desc_t pd, dnnl::primitive::kind kind,
                        dnnl::prop_kind propagation = dnnl::prop_kind::undef)
        : primitive_desc_base(pd, kind, propagation, propagation) {}

    primitive_desc_base(dnnl_primitive_desc_t pd, dnnl::primitive::kind kind, dnnl::prop_kind propagation,
                        dnnl::prop_kind other_propagation) {
        if (!pd) return;
        const primitive_desc_base given(pd, true);
        if (given.get_kind() != kind)
            DNNL_THROW_ERROR(dnnl_invalid_arguments, "the descriptor is one of another kind of primitive");
        const dnnl::prop_kind found = given.get_prop_kind();
        if (found != propagation && found != other_propagation)
            DNNL_THROW_ERROR(dnnl_invalid_arguments, "the descriptor is one of another propagation kind");
        reset_with_clone(pd);
    }

    void reset_with_clone(const_dnnl_primitive_desc_t pd) {
        reset(detail::made<dnnl_primitive_desc_t>("could not clone a primitive descriptor",
                                                  dnnl_primitive_desc_clone, pd));
    }

    /// Creates the C descriptor; a failure throws, or leaves this one empty if that is allowed.
    template <typename F, typename... Args>
    void make(detail::creation<F> by, bool allow_empty, Args... args) {
        dnnl_primitive_desc_t pd = nullptr;
        const dnnl_status_t result = by.create(&pd, args...);
        if (!allow_empty) error::wrap_c_api(result, by.failure);
        reset(result == dnnl_success ? pd : nullptr);
    }

    static const_dnnl_memory_desc_t optional_arg(const memory::desc *md) { return md ? md->get() : nullptr; }
    template <typename T>
    static const T *optional_arg(const std::vector<T> *list) {
        return list ? list->data() : nullptr;
    }

    /// Throws unless every list has one value per spatial dimension of md; lists may be null.
    template <typename... Lists>
    static void require_spatial(const memory::desc &md, const Lists *...lists) {
        const int spatial = md.get_ndims() - 2;
        const int checked[] = {(lists ? memory::validate_dims(*lists, spatial) : void(), 0)...};
        (void)checked;
    }

    template <typename T>
    T require(query what, const char *failure) const {
        T answer = T();
        error::wrap_c_api(put(what, &answer), failure);
        return answer;
    }

    engine query_engine(query what) const {
        return engine(require<dnnl_engine_t>(what, "could not get an engine of a primitive descriptor"),
                      true);
    }

    /// Used when the user gives no attributes. Never destroyed: it may be needed at exit.
    static const primitive_attr &default_attr() {
        static const primitive_attr *const shared = new primitive_attr();
        return *shared;
    }

  private:
    template <typename T>
    dnnl_status_t put(query what, T *answer) const {
        return dnnl_primitive_desc_query(get(), dnnl::convert_to_c(what), 0, answer);
    }

    template <typename T>
    T ask(query what, T otherwise = T()) const {
        T answer = T();
        return put(what, &answer) == dnnl_success ? answer : otherwise;
    }

    dnnl::algorithm ask_algorithm(query what) const {
        return static_cast<dnnl::algorithm>(ask<dnnl_alg_kind_t>(what));
    }
};

/// A descriptor that may have several implementations.
struct primitive_desc : public primitive_desc_base {
    using primitive_desc_base::primitive_desc_base;
    primitive_desc() = default;

    /// Moves to the next implementation; returns false, without a change, if this was the last.
    bool next_impl() {
        const dnnl_status_t result = dnnl_primitive_desc_next_impl(get());
        if (result == dnnl_last_impl_reached) return false;
        error::wrap_c_api(result, "could not go to the next implementation");
        return true;
    }
};

inline primitive::primitive(const primitive_desc &pd) : primitive(pd.get()) {}
inline primitive::primitive(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
    : primitive(pd.get(), cache_blob) {}

/// The constructors that every primitive has.
#define DNNL_PRIMITIVE_(name)                                                                                \
    name() = default;                                                                                        \
    name(const primitive_desc &pd) : primitive(pd.get()) {}                                                  \
    name(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)                                   \
        : primitive(pd.get(), cache_blob) {}

/// The constructors of every descriptor: empty, and a copy of a C descriptor. The arguments are the primitive
/// kind and its propagation kinds, if any.
#define DNNL_PRIMITIVE_DESC_(...)                                                                            \
    primitive_desc() = default;                                                                              \
    primitive_desc(dnnl_primitive_desc_t pd) : dnnl::primitive_desc(pd, __VA_ARGS__) {}

#define DNNL_FORWARD_ dnnl::prop_kind::forward_training, dnnl::prop_kind::forward_inference

/// A primitive whose descriptor has the constructors of a class template.
#define DNNL_PRIMITIVE_WITH_(name, base_name, ...)                                                           \
    struct name : public primitive {                                                                         \
        struct primitive_desc : public detail::base_name<__VA_ARGS__> {                                      \
            using detail::base_name<__VA_ARGS__>::base_name;                                                 \
            primitive_desc() = default;                                                                      \
        };                                                                                                   \
        DNNL_PRIMITIVE_(name)                                                                                \
    };

} // namespace dnnl

#endif
