/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory: descriptors, with all named data types and layouts, and memory objects. Depends on engines, not on
 * primitives.
 */
#ifndef ONEAPI_DNNL_CPP_MEMORY_HPP
#define ONEAPI_DNNL_CPP_MEMORY_HPP

#include "oneapi/dnnl/cpp/enums.hpp"

namespace dnnl {

template <>
struct handle_traits<dnnl_memory_desc_t>
    : detail::destroyed_by<dnnl_memory_desc_t, dnnl_memory_desc_destroy> {};

template <>
struct handle_traits<dnnl_memory_t> : detail::destroyed_by<dnnl_memory_t, dnnl_memory_destroy> {};

/// Throws dnnl_invalid_arguments unless v has min_size to max_size elements; a negative max_size means no
/// limit.
template <typename T>
void validate_container_size(const T &v, const char *error_message, int min_size = 1, int max_size = -1) {
    const int size = static_cast<int>(v.size());
    if (size < min_size || (max_size >= 0 && size > max_size))
        DNNL_THROW_ERROR(dnnl_invalid_arguments, error_message);
}

namespace detail {

/// The part of memory::desc that returns lists.
template <typename c_desc>
struct memory_desc_lists : public handle<c_desc> {
    using handle<c_desc>::handle;

    // Queries that do not apply return an empty list.
    std::vector<dnnl_dim_t> get_dims() const { return ask(dnnl_query_dims, dnnl_query_ndims_s32); }
    std::vector<dnnl_dim_t> get_padded_dims() const {
        return ask(dnnl_query_padded_dims, dnnl_query_ndims_s32);
    }
    std::vector<dnnl_dim_t> get_padded_offsets() const {
        return ask(dnnl_query_padded_offsets, dnnl_query_ndims_s32);
    }
    std::vector<dnnl_dim_t> get_strides() const { return ask(dnnl_query_strides, dnnl_query_ndims_s32); }
    std::vector<dnnl_dim_t> get_inner_blks() const {
        return ask(dnnl_query_inner_blks, dnnl_query_inner_nblks_s32);
    }
    std::vector<dnnl_dim_t> get_inner_idxs() const {
        return ask(dnnl_query_inner_idxs, dnnl_query_inner_nblks_s32);
    }

    /// A serialised copy, valid for the same version of the library.
    std::vector<uint8_t> get_blob() {
        return read_blob("could not serialise a memory descriptor", [this](size_t *size, uint8_t *bytes) {
            return dnnl_memory_desc_get_blob(bytes, size, this->get());
        });
    }

  private:
    std::vector<dnnl_dim_t> ask(dnnl_query_t what, dnnl_query_t what_length) const {
        const dnnl_dim_t *first = nullptr;
        int length = 0;
        if (dnnl_memory_desc_query(this->get(), what, &first) != dnnl_success
            || dnnl_memory_desc_query(this->get(), what_length, &length) != dnnl_success)
            return std::vector<dnnl_dim_t>();
        return std::vector<dnnl_dim_t>(first, first + length);
    }
};

} // namespace detail

/// A tensor: a buffer on an engine, or a scalar on the host, with a descriptor of its layout.
struct memory : public handle<dnnl_memory_t> {
    using handle::handle;

    using dim = dnnl_dim_t;
    using dims = std::vector<dim>;

    /// Throws unless v is a valid list of at least min_size dimensions.
    template <typename T>
    static void validate_dims(const std::vector<T> &v, int min_size = 0) {
        validate_container_size(v, "the number of dimensions is invalid", min_size, DNNL_MAX_NDIMS);
    }

    enum class data_type {
        undef = dnnl_data_type_undef,
        f4_e3m0 = dnnl_f4_e3m0,
        f4_e2m1 = dnnl_f4_e2m1,
        e8m0 = dnnl_e8m0,
        f8_e5m2 = dnnl_f8_e5m2,
        f8_e4m3 = dnnl_f8_e4m3,
        f16 = dnnl_f16,
        bf16 = dnnl_bf16,
        f32 = dnnl_f32,
        f64 = dnnl_f64,
        s64 = dnnl_s64,
        s32 = dnnl_s32,
        s8 = dnnl_s8,
        u8 = dnnl_u8,
        s4 = dnnl_s4,
        u4 = dnnl_u4,
    };

    /// Bytes per element: 1 for types smaller than a byte, size_t(-1) for unknown ones.
    static size_t data_type_size(data_type adata_type) {
        return dnnl_data_type_size(convert_to_c(adata_type));
    }

    enum class format_kind {
        undef = dnnl_format_kind_undef,
        any = dnnl_format_kind_any, ///< the primitive chooses
        blocked = dnnl_blocked,     ///< strides and blocks
        sparse = dnnl_format_kind_sparse,
        host_scalar = dnnl_format_kind_host_scalar,
        opaque = dnnl_format_kind_opaque, ///< known to the primitive alone
    };

    enum class sparse_encoding {
        undef = dnnl_sparse_encoding_undef,
        csr = dnnl_csr,
        packed = dnnl_packed,
        coo = dnnl_coo,
#if DNNL_EXPERIMENTAL_GROUPED_MEMORY
        grouped = dnnl_grouped,
#endif
    };

#define DNNL_T_(tag) tag = dnnl_##tag,
    // clang-format off
    /// Named layouts; dnnl_types.h explains the names.
    enum class format_tag {
        undef = dnnl_format_tag_undef,
        any = dnnl_format_tag_any, ///< the primitive chooses: ask its descriptor, then reorder
        // plain, in order
        DNNL_T_(a) DNNL_T_(ab) DNNL_T_(abc) DNNL_T_(abcd) DNNL_T_(abcde) DNNL_T_(abcdef) DNNL_T_(abcdefg)
        DNNL_T_(abcdefgh) DNNL_T_(abcdefghi) DNNL_T_(abcdefghij) DNNL_T_(abcdefghijk) DNNL_T_(abcdefghijkl)
        // plain, permuted
        DNNL_T_(ba) DNNL_T_(acb) DNNL_T_(bac) DNNL_T_(bca) DNNL_T_(cab) DNNL_T_(cba) DNNL_T_(abdc)
        DNNL_T_(acbd) DNNL_T_(acdb) DNNL_T_(adbc) DNNL_T_(adcb) DNNL_T_(bacd) DNNL_T_(bcda) DNNL_T_(cdab)
        DNNL_T_(cdba) DNNL_T_(dcab) DNNL_T_(abced) DNNL_T_(abdec) DNNL_T_(acbde) DNNL_T_(acdeb) DNNL_T_(adecb)
        DNNL_T_(bacde) DNNL_T_(bcdea) DNNL_T_(cdeab) DNNL_T_(cdeba) DNNL_T_(decab) DNNL_T_(abcdfe)
        DNNL_T_(abdefc) DNNL_T_(abdfce) DNNL_T_(acbdef) DNNL_T_(adefcb) DNNL_T_(defcab) DNNL_T_(abcdegf)
        DNNL_T_(abcdefhg) DNNL_T_(abcdefgih) DNNL_T_(abcdefghji) DNNL_T_(abcdefghikj) DNNL_T_(abcdefghijlk)
        // blocked, in the order they were added
        DNNL_T_(Abc16a) DNNL_T_(ABc16a16b) DNNL_T_(ABc32a32b) DNNL_T_(ABc4a4b) DNNL_T_(aBc16b)
        DNNL_T_(ABc16b16a) DNNL_T_(Abc4a) DNNL_T_(aBc32b) DNNL_T_(aBc4b) DNNL_T_(ABc4b16a4b)
        DNNL_T_(ABc2b8a4b) DNNL_T_(ABc16b16a4b) DNNL_T_(ABc16b16a2b) DNNL_T_(ABc4b4a) DNNL_T_(ABc8a16b2a)
        DNNL_T_(ABc8a8b) DNNL_T_(ABc8a4b) DNNL_T_(aBc8b) DNNL_T_(ABc8b16a2b) DNNL_T_(BAc8a16b2a)
        DNNL_T_(ABc8b8a) DNNL_T_(Abcd16a) DNNL_T_(Abcd8a) DNNL_T_(ABcd16a16b) DNNL_T_(Abcd32a)
        DNNL_T_(ABcd32a32b) DNNL_T_(aBcd16b) DNNL_T_(ABcd16b16a) DNNL_T_(aBCd16b16c) DNNL_T_(aBCd16c16b)
        DNNL_T_(Abcd4a) DNNL_T_(aBcd32b) DNNL_T_(aBcd4b) DNNL_T_(ABcd4b16a4b) DNNL_T_(ABcd16b16a4b)
        DNNL_T_(ABcd16b16a2b) DNNL_T_(ABcd4b4a) DNNL_T_(ABcd4a4b) DNNL_T_(aBCd2c4b2c) DNNL_T_(aBCd4b8c2b)
        DNNL_T_(aBCd4c16b4c) DNNL_T_(aBCd2c8b4c) DNNL_T_(aBCd16c16b4c) DNNL_T_(aBCd16c16b2c) DNNL_T_(aBCd4c4b)
        DNNL_T_(aBCd4b4c) DNNL_T_(ABcd8a16b2a) DNNL_T_(ABcd2b8a4b) DNNL_T_(ABcd8a8b) DNNL_T_(ABcd8a4b)
        DNNL_T_(aBcd8b) DNNL_T_(aBCd4c8b2c) DNNL_T_(ABcd8b16a2b) DNNL_T_(aBCd8b16c2b) DNNL_T_(BAcd8a16b2a)
        DNNL_T_(ABcd8b8a) DNNL_T_(aBCd8b8c) DNNL_T_(aBCd8b4c) DNNL_T_(aBCd8c16b2c) DNNL_T_(ABcde8a16b2a)
        DNNL_T_(aCBd8b16c2b) DNNL_T_(aBCd8c8b) DNNL_T_(Abcde16a) DNNL_T_(Abcde32a) DNNL_T_(ABcde16a16b)
        DNNL_T_(BAcde8a16b2a) DNNL_T_(aBCd2b4c2b) DNNL_T_(ABcde4b16a4b) DNNL_T_(ABcde2b8a4b) DNNL_T_(aBcde16b)
        DNNL_T_(ABcde16b16a) DNNL_T_(aBCde16b16c) DNNL_T_(aBCde16c16b) DNNL_T_(aBCde2c8b4c) DNNL_T_(Abcde4a)
        DNNL_T_(aBcde32b) DNNL_T_(aBcde4b) DNNL_T_(ABcde4b4a) DNNL_T_(ABcde4a4b) DNNL_T_(aBCde4b4c)
        DNNL_T_(aBCde2c4b2c) DNNL_T_(aBCde4b8c2b) DNNL_T_(aBCde4c16b4c) DNNL_T_(aBCde16c16b4c)
        DNNL_T_(aBCde16c16b2c) DNNL_T_(aBCde4c4b) DNNL_T_(Abcde8a) DNNL_T_(ABcde8a8b) DNNL_T_(ABcde8a4b)
        DNNL_T_(BAcde16b16a) DNNL_T_(aBcde8b) DNNL_T_(ABcde8b16a2b) DNNL_T_(aBCde8b16c2b) DNNL_T_(aBCde4c8b2c)
        DNNL_T_(aCBde8b16c2b) DNNL_T_(ABcde8b8a) DNNL_T_(ABcde32a32b) DNNL_T_(aBCde8b8c) DNNL_T_(aBCde8b4c)
        DNNL_T_(ABc4a8b8a4b) DNNL_T_(ABcd4a8b8a4b) DNNL_T_(ABcde4a8b8a4b) DNNL_T_(BAc4b8a8b4a)
        DNNL_T_(BAcd4b8a8b4a) DNNL_T_(BAcde4b8a8b4a) DNNL_T_(ABcd2a8b8a2b) DNNL_T_(aBCd4b8c8b4c)
        DNNL_T_(aBCde4b8c8b4c) DNNL_T_(aBCde2b8c8b2c) DNNL_T_(aBCde8c16b2c) DNNL_T_(aBCde8c8b)
        DNNL_T_(aBCde2b4c2b) DNNL_T_(aBcdef16b) DNNL_T_(aBCdef16b16c) DNNL_T_(aBCdef16c16b)
        DNNL_T_(aBCdef4c16b4c) DNNL_T_(aBCdef2c8b4c) DNNL_T_(aBCdef4c8b2c) DNNL_T_(aBCdef2b4c2b)
        DNNL_T_(aBcdef4b) DNNL_T_(aBCdef4c4b) DNNL_T_(aBCdef4b4c) DNNL_T_(aBCdef2c4b2c) DNNL_T_(aBCdef4b8c2b)
        DNNL_T_(aBCdef8b8c) DNNL_T_(aBCdef8b4c) DNNL_T_(aBCdef8c16b2c) DNNL_T_(aBCdef4b8c8b4c)
        DNNL_T_(aBCdef8b16c2b) DNNL_T_(aCBdef8b16c2b) DNNL_T_(aBCdef8c8b) DNNL_T_(aBdc16b) DNNL_T_(aBdC16b2c)
        DNNL_T_(aBdC16b4c) DNNL_T_(aBdc4b) DNNL_T_(aBdc8b) DNNL_T_(aBdec16b) DNNL_T_(aBdeC16b2c)
        DNNL_T_(aBdeC16b4c) DNNL_T_(aBdec32b) DNNL_T_(aBdec4b) DNNL_T_(aBdec8b) DNNL_T_(aBdefc16b)
        DNNL_T_(aBdefC16b2c) DNNL_T_(aCBdef16c16b) DNNL_T_(aBdefc4b) DNNL_T_(aBdefc8b) DNNL_T_(Abcdef16a)
        DNNL_T_(Abcdef32a) DNNL_T_(aBedc16b) DNNL_T_(Acb16a) DNNL_T_(AcB16a2b) DNNL_T_(AcB16a4b)
        DNNL_T_(Acb4a) DNNL_T_(Acb8a) DNNL_T_(aCBd16b16c) DNNL_T_(aCBd16c16b) DNNL_T_(aCBde16b16c)
        DNNL_T_(aCBde16c16b) DNNL_T_(Acdb16a) DNNL_T_(AcdB16a2b) DNNL_T_(AcdB16a4b) DNNL_T_(Acdb32a)
        DNNL_T_(Acdb4a) DNNL_T_(Acdb8a) DNNL_T_(Acdeb16a) DNNL_T_(AcdeB16a2b) DNNL_T_(Acdeb4a)
        DNNL_T_(Acdeb8a) DNNL_T_(Adcb16a) DNNL_T_(BAc16a16b) DNNL_T_(BAc16b16a) DNNL_T_(BAcd16a16b)
        DNNL_T_(BAcd16b16a) DNNL_T_(aCBd4c8b8c4b) DNNL_T_(aCBde4c8b8c4b) DNNL_T_(aCBdef4c8b8c4b)
        DNNL_T_(BAcde16a16b) DNNL_T_(aCBdef16b16c) DNNL_T_(ABc16b32a) DNNL_T_(ABc16b64a) DNNL_T_(ABc4b32a4b)
        DNNL_T_(ABc4b64a4b) DNNL_T_(ABc8b32a2b) DNNL_T_(ABc8b64a2b) DNNL_T_(AB16b16a) DNNL_T_(AB16b32a)
        DNNL_T_(AB16b64a) DNNL_T_(AB8b16a2b) DNNL_T_(AB8b32a2b) DNNL_T_(AB8b64a2b) DNNL_T_(AB4b16a4b)
        DNNL_T_(AB4b32a4b) DNNL_T_(AB4b64a4b) DNNL_T_(AB16b16a4b) DNNL_T_(ABcd16b32a) DNNL_T_(ABcd16b64a)
        DNNL_T_(ABcd4b32a4b) DNNL_T_(ABcd4b64a4b) DNNL_T_(ABcd8b32a2b) DNNL_T_(ABcd8b64a2b)
        DNNL_T_(ABcde4b32a4b) DNNL_T_(ABcde4b64a4b) DNNL_T_(ABcde16b16a4b) DNNL_T_(ABcde16b16a2b)
        DNNL_T_(ABcde16b32a) DNNL_T_(ABcde16b64a) DNNL_T_(ABcde8b32a2b) DNNL_T_(ABcde8b64a2b)
        DNNL_T_(aBCdef16c16b4c) DNNL_T_(aBCdef16c16b2c) DNNL_T_(AB32a32b8a4b) DNNL_T_(AB8a4b)
        DNNL_T_(AB32a32b8a2b) DNNL_T_(AB8a2b) DNNL_T_(abDc32d) DNNL_T_(abDC32d4c) DNNL_T_(abdEc32e)
        DNNL_T_(abdEC32e2c) DNNL_T_(abdEC32e4c) DNNL_T_(aBdefC16b4c) DNNL_T_(AcdeB16a4b) DNNL_T_(ABcd16a16b2a)
        DNNL_T_(ABc16a16b2a) DNNL_T_(aBCd16b16c2b) DNNL_T_(aBCde16b16c2b) DNNL_T_(Acb32a) DNNL_T_(AcB32a2b)
        DNNL_T_(AcB32a4b) DNNL_T_(Acb48a) DNNL_T_(AcB48a2b) DNNL_T_(AcB48a4b) DNNL_T_(Acb64a)
        DNNL_T_(AcB64a2b) DNNL_T_(AcB64a4b) DNNL_T_(cBa2b) DNNL_T_(cBa4b) DNNL_T_(aBdc32b) DNNL_T_(aBdC32b2c)
        DNNL_T_(aBdC32b4c) DNNL_T_(aBdc48b) DNNL_T_(aBdC48b2c) DNNL_T_(aBdC48b4c) DNNL_T_(aBdc64b)
        DNNL_T_(aBdC64b2c) DNNL_T_(aBdC64b4c) DNNL_T_(adCb2c) DNNL_T_(adCb4c) DNNL_T_(AcdB32a2b)
        DNNL_T_(AcdB32a4b) DNNL_T_(Acdb48a) DNNL_T_(AcdB48a2b) DNNL_T_(AcdB48a4b) DNNL_T_(Acdb64a)
        DNNL_T_(AcdB64a2b) DNNL_T_(AcdB64a4b) DNNL_T_(cdBa2b) DNNL_T_(cdBa4b) DNNL_T_(aBdeC32b2c)
        DNNL_T_(aBdeC32b4c) DNNL_T_(aBdec48b) DNNL_T_(aBdeC48b2c) DNNL_T_(aBdeC48b4c) DNNL_T_(aBdec64b)
        DNNL_T_(aBdeC64b2c) DNNL_T_(aBdeC64b4c) DNNL_T_(adeCb2c) DNNL_T_(adeCb4c) DNNL_T_(Acdeb32a)
        DNNL_T_(AcdeB32a2b) DNNL_T_(AcdeB32a4b) DNNL_T_(Acdeb48a) DNNL_T_(AcdeB48a2b) DNNL_T_(AcdeB48a4b)
        DNNL_T_(Acdeb64a) DNNL_T_(AcdeB64a2b) DNNL_T_(AcdeB64a4b) DNNL_T_(cdeBa2b) DNNL_T_(cdeBa4b)
        DNNL_T_(aBdefc32b) DNNL_T_(aBdefC32b2c) DNNL_T_(aBdefC32b4c) DNNL_T_(aBdefc48b) DNNL_T_(aBdefC48b2c)
        DNNL_T_(aBdefC48b4c) DNNL_T_(aBdefc64b) DNNL_T_(aBdefC64b2c) DNNL_T_(aBdefC64b4c) DNNL_T_(adefCb2c)
        DNNL_T_(adefCb4c) DNNL_T_(AB16b32a4b) DNNL_T_(AB16b48a4b) DNNL_T_(AB16b64a4b) DNNL_T_(AB16b16a2b)
        DNNL_T_(AB16b32a2b) DNNL_T_(AB16b48a2b) DNNL_T_(AB16b64a2b) DNNL_T_(ABc16b32a4b) DNNL_T_(ABc16b48a4b)
        DNNL_T_(ABc16b64a4b) DNNL_T_(ABc16b32a2b) DNNL_T_(ABc16b48a2b) DNNL_T_(ABc16b64a2b)
        DNNL_T_(ABcd16b32a4b) DNNL_T_(ABcd16b48a4b) DNNL_T_(ABcd16b64a4b) DNNL_T_(ABcd16b32a2b)
        DNNL_T_(ABcd16b48a2b) DNNL_T_(ABcd16b64a2b) DNNL_T_(ABcde16b32a4b) DNNL_T_(ABcde16b48a4b)
        DNNL_T_(ABcde16b64a4b) DNNL_T_(ABcde16b32a2b) DNNL_T_(ABcde16b48a2b) DNNL_T_(ABcde16b64a2b)
        DNNL_T_(ABc32a16b) DNNL_T_(ABcd32a16b) DNNL_T_(ABcde32a16b) DNNL_T_(AB48a16b) DNNL_T_(AB48a32b)
        DNNL_T_(ABc40a16b) DNNL_T_(ABc40a32b) DNNL_T_(aBC48b16c) DNNL_T_(aBC48b32c) DNNL_T_(ABcd40a16b)
        DNNL_T_(ABcd40a32b) DNNL_T_(abCd32c) DNNL_T_(abdCe32c) DNNL_T_(abdCE32c2e) DNNL_T_(BA16a16b2a)
        DNNL_T_(BA16a32b2a) DNNL_T_(BA16a48b2a) DNNL_T_(BA16a64b2a) DNNL_T_(BA16a16b4a) DNNL_T_(BA16a32b4a)
        DNNL_T_(BA16a48b4a) DNNL_T_(BA16a64b4a) DNNL_T_(ABcd8a2b) DNNL_T_(aBdeC16c16b2c)
        DNNL_T_(aBdeC16c16b4c) DNNL_T_(aBdefC16c16b2c) DNNL_T_(AcB16b16a2b) DNNL_T_(AcB16b16a4b)
        DNNL_T_(AcdB16b16a2b) DNNL_T_(AcdB16b16a4b) DNNL_T_(AcdeB16b16a2b) DNNL_T_(aBdefC16c16b4c)
        DNNL_T_(AcdeB16b16a4b) DNNL_T_(AcB16b32a2b) DNNL_T_(AcB16b32a4b) DNNL_T_(AcB16b48a2b)
        DNNL_T_(AcB16b48a4b) DNNL_T_(AcB16b64a2b) DNNL_T_(AcB16b64a4b) DNNL_T_(aBdC16c16b2c)
        DNNL_T_(aBdC16c16b4c) DNNL_T_(aBdC16c32b2c) DNNL_T_(aBdC16c32b4c) DNNL_T_(aBdC16c48b2c)
        DNNL_T_(aBdC16c48b4c) DNNL_T_(aBdC16c64b2c) DNNL_T_(aBdC16c64b4c) DNNL_T_(AcdB16b32a2b)
        DNNL_T_(AcdB16b32a4b) DNNL_T_(AcdB16b48a2b) DNNL_T_(AcdB16b48a4b) DNNL_T_(AcdB16b64a2b)
        DNNL_T_(AcdB16b64a4b) DNNL_T_(aBdeC16c32b2c) DNNL_T_(aBdeC16c32b4c) DNNL_T_(aBdeC16c48b2c)
        DNNL_T_(aBdeC16c48b4c) DNNL_T_(aBdeC16c64b2c) DNNL_T_(aBdeC16c64b4c) DNNL_T_(AcdeB16b32a2b)
        DNNL_T_(AcdeB16b32a4b) DNNL_T_(AcdeB16b48a2b) DNNL_T_(AcdeB16b48a4b) DNNL_T_(AcdeB16b64a2b)
        DNNL_T_(AcdeB16b64a4b) DNNL_T_(aBdefC16c32b2c) DNNL_T_(aBdefC16c32b4c) DNNL_T_(aBdefC16c48b2c)
        DNNL_T_(aBdefC16c48b4c) DNNL_T_(aBdefC16c64b2c) DNNL_T_(aBdefC16c64b4c) DNNL_T_(decbA16a)
        DNNL_T_(ABc4a2b) DNNL_T_(ABc8a2b) DNNL_T_(aBCd8b2c) DNNL_T_(ABcde4a2b) DNNL_T_(ABcde8a2b)
        DNNL_T_(ABcde40a16b) DNNL_T_(ABcde40a32b) DNNL_T_(aBCde8b2c) DNNL_T_(ABcde4a8b8a2b)
        DNNL_T_(ABcd4a8b8a2b) DNNL_T_(ABc4a8b8a2b) DNNL_T_(aBCdef4b8c8b2c) DNNL_T_(aBCde4b8c8b2c)
        DNNL_T_(aBCd4b8c8b2c) DNNL_T_(BAcde4b8a8b2a) DNNL_T_(BAcd4b8a8b2a) DNNL_T_(BAc4b8a8b2a)
        DNNL_T_(aCBdef4c8b8c2b) DNNL_T_(aCBde4c8b8c2b) DNNL_T_(aCBd4c8b8c2b) DNNL_T_(aBCdef8b2c)
        DNNL_T_(AB32a16b) DNNL_T_(AB32a32b) DNNL_T_(BA4b8a8b2a) DNNL_T_(BA4b8a8b4a) DNNL_T_(aBC32b16c)
        DNNL_T_(aBC32b32c) DNNL_T_(aCB4c8b8c2b) DNNL_T_(aCB4c8b8c4b) DNNL_T_(ABcd4a2b) DNNL_T_(ABc2b8a16b4a)
        DNNL_T_(ABcd2b8a16b4a) DNNL_T_(ABcde2b8a16b4a) DNNL_T_(ABc2a8b16a4b) DNNL_T_(ABc2a8b16a2b)
        DNNL_T_(ABc2b32a8b) DNNL_T_(ABcd2a8b16a4b) DNNL_T_(ABcd2a8b16a2b) DNNL_T_(aCBd2c8b16c2b)
        DNNL_T_(ABcd2b32a8b) DNNL_T_(aBCd2c8b16c2b) DNNL_T_(ABcde2a8b16a4b) DNNL_T_(ABcde2a8b16a2b)
        DNNL_T_(aCBde2c8b16c2b) DNNL_T_(ABcde2b32a8b) DNNL_T_(aBC2b8c16b2c) DNNL_T_(aBCd2b8c16b2c)
        DNNL_T_(aBCde2b8c16b2c) DNNL_T_(aBCdef2b8c16b2c) DNNL_T_(BAcde2b8a16b4a) DNNL_T_(BAcd2b8a16b4a)
        DNNL_T_(BAc2b8a16b4a) DNNL_T_(BAcde2b8a16b2a) DNNL_T_(BAcd2b8a16b2a) DNNL_T_(BAc2b8a16b2a)
        DNNL_T_(aBCde2c8b16c2b) DNNL_T_(aBCdef2c8b16c2b) DNNL_T_(aCBdef2c8b16c2b) DNNL_T_(aBCd2b8c16b4c)
        DNNL_T_(aBCde2b8c16b4c) DNNL_T_(BA4b8a16b2a) DNNL_T_(BA4b8a16b4a) DNNL_T_(aCB4c8b16c2b)
        DNNL_T_(aCB4c8b16c4b) DNNL_T_(BA16a16b) DNNL_T_(BA16a32b) DNNL_T_(BA16a48b) DNNL_T_(BA16a64b)
        DNNL_T_(aCB16c2b) DNNL_T_(aCB16c4b) DNNL_T_(BA16b2a) DNNL_T_(BA16b4a) DNNL_T_(aBC16b16c)
        DNNL_T_(aBC16b32c) DNNL_T_(AB16a16b) DNNL_T_(AB16a32b) DNNL_T_(ABcde16a16b2a) DNNL_T_(aBCdef16b16c2b)
        DNNL_T_(Acedb16a) DNNL_T_(aBdfec16b) DNNL_T_(abdEC64e2c) DNNL_T_(abdEC64e4c) DNNL_T_(aCB16b16c)
        DNNL_T_(aCB16b32c) DNNL_T_(aCB16b48c) DNNL_T_(aCB16b64c) DNNL_T_(aCB16b16c2b) DNNL_T_(aCB16b32c2b)
        DNNL_T_(aCB16b48c2b) DNNL_T_(aCB16b64c2b) DNNL_T_(aCB16b16c4b) DNNL_T_(aCB16b32c4b)
        DNNL_T_(aCB16b48c4b) DNNL_T_(aCB16b64c4b) DNNL_T_(abCd4c) DNNL_T_(abCde4c) DNNL_T_(abCdef4c)
        DNNL_T_(abCde32c) DNNL_T_(abCdef32c) DNNL_T_(ABcd16a32b) DNNL_T_(decbA8a) DNNL_T_(aCdefB16b32c2b)
        DNNL_T_(aCdefB16b32c4b) DNNL_T_(aCdefB16b48c2b) DNNL_T_(aCdefB16b48c4b) DNNL_T_(aCdefB16b64c2b)
        DNNL_T_(aCdefB16b64c4b) DNNL_T_(BcdeA16a32b2a) DNNL_T_(BcdeA16a32b4a) DNNL_T_(BcdeA16a48b2a)
        DNNL_T_(BcdeA16a48b4a) DNNL_T_(BcdeA16a64b2a) DNNL_T_(BcdeA16a64b4a) DNNL_T_(aCdefb32c)
        DNNL_T_(aCdefB32c2b) DNNL_T_(aCdefB32c4b) DNNL_T_(aCdefb48c) DNNL_T_(aCdefB48c2b) DNNL_T_(aCdefB48c4b)
        DNNL_T_(aCdefb64c) DNNL_T_(aCdefB64c2b) DNNL_T_(aCdefB64c4b) DNNL_T_(Bcdea32b) DNNL_T_(BcdeA32b2a)
        DNNL_T_(BcdeA32b4a) DNNL_T_(Bcdea48b) DNNL_T_(BcdeA48b2a) DNNL_T_(BcdeA48b4a) DNNL_T_(Bcdea64b)
        DNNL_T_(BcdeA64b2a) DNNL_T_(BcdeA64b4a) DNNL_T_(Bca32b) DNNL_T_(BcA32b2a) DNNL_T_(BcA32b4a)
        DNNL_T_(Bca48b) DNNL_T_(BcA48b2a) DNNL_T_(BcA48b4a) DNNL_T_(Bca64b) DNNL_T_(BcA64b2a)
        DNNL_T_(BcA64b4a) DNNL_T_(aCdb32c) DNNL_T_(aCdB32c2b) DNNL_T_(aCdB32c4b) DNNL_T_(aCdb48c)
        DNNL_T_(aCdB48c2b) DNNL_T_(aCdB48c4b) DNNL_T_(aCdb64c) DNNL_T_(aCdB64c2b) DNNL_T_(aCdB64c4b)
        DNNL_T_(BcA16a16b2a) DNNL_T_(BcA16a16b4a) DNNL_T_(BcdA16a16b2a) DNNL_T_(BcdA16a16b4a)
        DNNL_T_(BcdeA16a16b2a) DNNL_T_(BcdeA16a16b4a) DNNL_T_(aCdB16b16c2b) DNNL_T_(aCdB16b16c4b)
        DNNL_T_(aCdeB16b16c2b) DNNL_T_(aCdeB16b16c4b) DNNL_T_(aCdefB16b16c2b) DNNL_T_(aCdefB16b16c4b)
        DNNL_T_(BcA16a32b2a) DNNL_T_(BcA16a32b4a) DNNL_T_(BcA16a48b2a) DNNL_T_(BcA16a48b4a)
        DNNL_T_(BcA16a64b2a) DNNL_T_(BcA16a64b4a) DNNL_T_(aCdB16b32c2b) DNNL_T_(aCdB16b32c4b)
        DNNL_T_(aCdB16b48c2b) DNNL_T_(aCdB16b48c4b) DNNL_T_(aCdB16b64c2b) DNNL_T_(aCdB16b64c4b)
        DNNL_T_(BcdA16a32b2a) DNNL_T_(BcdA16a32b4a) DNNL_T_(BcdA16a48b2a) DNNL_T_(BcdA16a48b4a)
        DNNL_T_(BcdA16a64b2a) DNNL_T_(BcdA16a64b4a) DNNL_T_(aCdeB16b32c2b) DNNL_T_(aCdeB16b32c4b)
        DNNL_T_(aCdeB16b48c2b) DNNL_T_(aCdeB16b48c4b) DNNL_T_(aCdeB16b64c2b) DNNL_T_(aCdeB16b64c4b)
        DNNL_T_(Bca16b) DNNL_T_(BcA16b2a) DNNL_T_(BcA16b4a) DNNL_T_(Bcda16b) DNNL_T_(BcdA16b2a)
        DNNL_T_(BcdA16b4a) DNNL_T_(Bcdea16b) DNNL_T_(BcdeA16b2a) DNNL_T_(BcdeA16b4a) DNNL_T_(aCdb16c)
        DNNL_T_(aCdB16c2b) DNNL_T_(aCdB16c4b) DNNL_T_(aCdeb16c) DNNL_T_(aCdeB16c2b) DNNL_T_(aCdeB16c4b)
        DNNL_T_(aCdefb16c) DNNL_T_(aCdefB16c2b) DNNL_T_(aCdefB16c4b) DNNL_T_(Bcda32b) DNNL_T_(BcdA32b2a)
        DNNL_T_(BcdA32b4a) DNNL_T_(Bcda48b) DNNL_T_(BcdA48b2a) DNNL_T_(BcdA48b4a) DNNL_T_(Bcda64b)
        DNNL_T_(BcdA64b2a) DNNL_T_(BcdA64b4a) DNNL_T_(aCdeb32c) DNNL_T_(aCdeB32c2b) DNNL_T_(aCdeB32c4b)
        DNNL_T_(aCdeb48c) DNNL_T_(aCdeB48c2b) DNNL_T_(aCdeB48c4b) DNNL_T_(aCdeb64c) DNNL_T_(aCdeB64c2b)
        DNNL_T_(aCdeB64c4b) DNNL_T_(Acb24a) DNNL_T_(Acdb24a) DNNL_T_(Acdeb24a) DNNL_T_(aBdc24b)
        DNNL_T_(aBdec24b) DNNL_T_(aBdefc24b) DNNL_T_(abDc16d) DNNL_T_(abdEc16e) DNNL_T_(abdCe16c)
        DNNL_T_(AcB24a2b) DNNL_T_(AcdB24a2b) DNNL_T_(AcdeB24a2b) DNNL_T_(aBdC24b2c) DNNL_T_(aBdeC24b2c)
        DNNL_T_(aBdefC24b2c) DNNL_T_(AcB8a2b) DNNL_T_(AcdB8a2b) DNNL_T_(AcdeB8a2b) DNNL_T_(aBdC8b2c)
        DNNL_T_(aBdeC8b2c) DNNL_T_(aBdefC8b2c) DNNL_T_(AB8b32a) DNNL_T_(ABc8b32a) DNNL_T_(ABcd8b32a)
        DNNL_T_(ABcde8b32a) DNNL_T_(AB8b24a) DNNL_T_(ABc8b24a) DNNL_T_(ABcd8b24a) DNNL_T_(ABcde8b24a)
        DNNL_T_(AB8b16a) DNNL_T_(ABc8b16a) DNNL_T_(ABcd8b16a) DNNL_T_(ABcde8b16a) DNNL_T_(AB8b8a)
        DNNL_T_(AB4b8a4b) DNNL_T_(AB4b24a4b) DNNL_T_(ABc4b8a4b) DNNL_T_(ABc4b24a4b) DNNL_T_(ABcd4b8a4b)
        DNNL_T_(ABcd4b24a4b) DNNL_T_(ABcde4b8a4b) DNNL_T_(ABcde4b24a4b) DNNL_T_(AB8b24a2b) DNNL_T_(ABc8b24a2b)
        DNNL_T_(ABcd8b24a2b) DNNL_T_(ABcde8b24a2b) DNNL_T_(AB8b8a2b) DNNL_T_(ABc8b8a2b) DNNL_T_(ABcd8b8a2b)
        DNNL_T_(ABcde8b8a2b) DNNL_T_(AcB24a4b) DNNL_T_(AcdB24a4b) DNNL_T_(AcdeB24a4b) DNNL_T_(aBdC24b4c)
        DNNL_T_(aBdeC24b4c) DNNL_T_(aBdefC24b4c) DNNL_T_(AcB8a4b) DNNL_T_(AcdB8a4b) DNNL_T_(AcdeB8a4b)
        DNNL_T_(aBdC8b4c) DNNL_T_(aBdeC8b4c) DNNL_T_(aBdefC8b4c) DNNL_T_(Bca8b) DNNL_T_(BcA8b2a)
        DNNL_T_(Bcda8b) DNNL_T_(BcdA8b2a) DNNL_T_(Bcdea8b) DNNL_T_(BcdeA8b2a) DNNL_T_(aCdb8c)
        DNNL_T_(aCdB8c2b) DNNL_T_(aCdeb8c) DNNL_T_(aCdeB8c2b) DNNL_T_(aCdefb8c) DNNL_T_(aCdefB8c2b)
        DNNL_T_(Bca24b) DNNL_T_(BcA24b2a) DNNL_T_(Bcda24b) DNNL_T_(BcdA24b2a) DNNL_T_(Bcdea24b)
        DNNL_T_(BcdeA24b2a) DNNL_T_(aCdb24c) DNNL_T_(aCdB24c2b) DNNL_T_(aCdeb24c) DNNL_T_(aCdeB24c2b)
        DNNL_T_(aCdefb24c) DNNL_T_(aCdefB24c2b) DNNL_T_(BcA8b4a) DNNL_T_(BcdA8b4a) DNNL_T_(BcdeA8b4a)
        DNNL_T_(aCdB8c4b) DNNL_T_(aCdeB8c4b) DNNL_T_(aCdefB8c4b) DNNL_T_(BcA24b4a) DNNL_T_(BcdA24b4a)
        DNNL_T_(BcdeA24b4a) DNNL_T_(aCdB24c4b) DNNL_T_(aCdeB24c4b) DNNL_T_(aCdefB24c4b) DNNL_T_(AB16b48a)
        DNNL_T_(ABc16b48a) DNNL_T_(ABcd16b48a) DNNL_T_(ABcde16b48a) DNNL_T_(ABc16a4b) DNNL_T_(ABcd16a4b)
        DNNL_T_(ABcde16a4b) DNNL_T_(defcbA16a) DNNL_T_(defcbA8a) DNNL_T_(AcB16b64a) DNNL_T_(AcdB16b64a)
        DNNL_T_(AcdeB16b64a) DNNL_T_(AcB16b48a) DNNL_T_(AcdB16b48a) DNNL_T_(AcdeB16b48a) DNNL_T_(AcB16b32a)
        DNNL_T_(AcdB16b32a) DNNL_T_(AcdeB16b32a) DNNL_T_(AcB16b16a) DNNL_T_(AcdB16b16a) DNNL_T_(AcdeB16b16a)
        DNNL_T_(AcB8b32a) DNNL_T_(AcdB8b32a) DNNL_T_(AcdeB8b32a) DNNL_T_(AcB8b24a) DNNL_T_(AcdB8b24a)
        DNNL_T_(AcdeB8b24a) DNNL_T_(AcB8b16a) DNNL_T_(AcdB8b16a) DNNL_T_(AcdeB8b16a) DNNL_T_(AcB8b8a)
        DNNL_T_(AcdB8b8a) DNNL_T_(AcdeB8b8a) DNNL_T_(AcB8b64a2b) DNNL_T_(AcdB8b64a2b) DNNL_T_(AcdeB8b64a2b)
        DNNL_T_(AcB8b32a2b) DNNL_T_(AcdB8b32a2b) DNNL_T_(AcdeB8b32a2b) DNNL_T_(AcB8b24a2b)
        DNNL_T_(AcdB8b24a2b) DNNL_T_(AcdeB8b24a2b) DNNL_T_(AcB8b16a2b) DNNL_T_(AcdB8b16a2b)
        DNNL_T_(AcdeB8b16a2b) DNNL_T_(AcB8b8a2b) DNNL_T_(AcdB8b8a2b) DNNL_T_(AcdeB8b8a2b) DNNL_T_(AcB4b64a4b)
        DNNL_T_(AcdB4b64a4b) DNNL_T_(AcdeB4b64a4b) DNNL_T_(AcB4b32a4b) DNNL_T_(AcdB4b32a4b)
        DNNL_T_(AcdeB4b32a4b) DNNL_T_(AcB4b24a4b) DNNL_T_(AcdB4b24a4b) DNNL_T_(AcdeB4b24a4b)
        DNNL_T_(AcB4b16a4b) DNNL_T_(AcdB4b16a4b) DNNL_T_(AcdeB4b16a4b) DNNL_T_(AcB4b8a4b) DNNL_T_(AcdB4b8a4b)
        DNNL_T_(AcdeB4b8a4b) DNNL_T_(Ab4a) DNNL_T_(Ab8a) DNNL_T_(BA4b4a) DNNL_T_(BA8b4a) DNNL_T_(BA2a24b)
        DNNL_T_(aCB2b24c) DNNL_T_(BA2a8b) DNNL_T_(aCB2b8c) DNNL_T_(BA8a24b) DNNL_T_(aCB8b24c) DNNL_T_(BA8a16b)
        DNNL_T_(aCB8b16c) DNNL_T_(BA8a8b) DNNL_T_(aCB8b8c) DNNL_T_(bcad) DNNL_T_(cabd) DNNL_T_(dabc)
        DNNL_T_(Ab32a) DNNL_T_(aCBd8b8c) DNNL_T_(aCBde8b8c) DNNL_T_(BAc8a8b) DNNL_T_(BAcd8a8b)
        DNNL_T_(BAcde8a8b) DNNL_T_(aCBdef8b8c) DNNL_T_(abdEC16e4c) DNNL_T_(abDC16d4c) DNNL_T_(BA24b8a)
        DNNL_T_(aCB24c8b) DNNL_T_(abDC24d8c) DNNL_T_(decbA4a) DNNL_T_(defcbA4a) DNNL_T_(abDC8d8c)
        DNNL_T_(abDC16d8c) DNNL_T_(aCB8c8b) DNNL_T_(aCB16c8b) DNNL_T_(BA8b8a) DNNL_T_(BA16b8a) DNNL_T_(AB2a4b)
        DNNL_T_(aCBd4b4c) DNNL_T_(aCBde4b4c) DNNL_T_(aCBdef4b4c) DNNL_T_(BAc4a4b) DNNL_T_(BAcd4a4b)
        DNNL_T_(BAcde4a4b) DNNL_T_(BA12b8a) DNNL_T_(aCB12c8b) DNNL_T_(abDC12d8c) DNNL_T_(BA4b8a)
        DNNL_T_(aCB4c8b) DNNL_T_(abDC4d8c) DNNL_T_(Abc8a) DNNL_T_(Abc32a) DNNL_T_(aBcdef8b) DNNL_T_(aBcdef32b)
        format_tag_last = dnnl_format_tag_last,
        // how many values there are, not a layout
        // Aliases for activations: n batch, c channels, d h w space.
        DNNL_T_(x) DNNL_T_(nc) DNNL_T_(cn) DNNL_T_(ncw) DNNL_T_(nwc) DNNL_T_(nchw) DNNL_T_(nhwc) DNNL_T_(chwn)
        DNNL_T_(ncdhw) DNNL_T_(ndhwc) DNNL_T_(nCdhw32c) DNNL_T_(nCdhw16c) DNNL_T_(nCdhw4c) DNNL_T_(nCdhw8c)
        DNNL_T_(NCdhw16n16c) DNNL_T_(NCdhw32n16c) DNNL_T_(NCdhw32n32c) DNNL_T_(NCdhw40n16c)
        DNNL_T_(NCdhw40n32c) DNNL_T_(NCdhw2c32n8c) DNNL_T_(nChw32c) DNNL_T_(nChw16c) DNNL_T_(nChw4c)
        DNNL_T_(nChw8c) DNNL_T_(NChw16n16c) DNNL_T_(NChw32n16c) DNNL_T_(NChw16n32c) DNNL_T_(NChw32n32c)
        DNNL_T_(NChw40n16c) DNNL_T_(NChw40n32c) DNNL_T_(NChw2c32n8c) DNNL_T_(nCw32c) DNNL_T_(nCw16c)
        DNNL_T_(nCw4c) DNNL_T_(nCw8c) DNNL_T_(NCw16n16c) DNNL_T_(NCw32n16c) DNNL_T_(NCw32n32c)
        DNNL_T_(NCw40n16c) DNNL_T_(NCw40n32c) DNNL_T_(NCw2c32n8c)
        // Aliases for weights: o output channels, i input channels.
        DNNL_T_(oi) DNNL_T_(io) DNNL_T_(oiw) DNNL_T_(owi) DNNL_T_(wio) DNNL_T_(woi) DNNL_T_(iwo) DNNL_T_(oihw)
        DNNL_T_(hwio) DNNL_T_(hwoi) DNNL_T_(ohwi) DNNL_T_(ihwo) DNNL_T_(iohw) DNNL_T_(oidhw) DNNL_T_(iodhw)
        DNNL_T_(dhwio) DNNL_T_(dhwoi) DNNL_T_(odhwi) DNNL_T_(idhwo) DNNL_T_(OI16i16o) DNNL_T_(OI16i32o)
        DNNL_T_(OI16i48o) DNNL_T_(OI16i64o) DNNL_T_(OI8i8o2i) DNNL_T_(OI8i16o2i) DNNL_T_(OI8i24o2i)
        DNNL_T_(OI8i32o2i) DNNL_T_(OI8i64o2i) DNNL_T_(OI4i8o4i) DNNL_T_(OI4i16o4i) DNNL_T_(OI4i24o4i)
        DNNL_T_(OI4i32o4i) DNNL_T_(OI4i64o4i) DNNL_T_(OI16i16o4i) DNNL_T_(OI8i32o) DNNL_T_(OI8i24o)
        DNNL_T_(OI8i16o) DNNL_T_(OI8i8o) DNNL_T_(OI16i32o4i) DNNL_T_(OI16i48o4i) DNNL_T_(OI16i64o4i)
        DNNL_T_(OI16i16o2i) DNNL_T_(OI16i32o2i) DNNL_T_(OI16i48o2i) DNNL_T_(OI16i64o2i) DNNL_T_(IOw4o4i)
        DNNL_T_(IOw8o8i) DNNL_T_(IOw16o16i) DNNL_T_(IOw16i16o) DNNL_T_(IOw8o16i2o) DNNL_T_(IOw4i8o8i4o)
        DNNL_T_(IOw4i8o8i2o) DNNL_T_(IOw2i8o16i4o) DNNL_T_(IOw2i8o16i2o) DNNL_T_(OIw16i16o) DNNL_T_(OIw16i32o)
        DNNL_T_(OIw16i48o) DNNL_T_(OIw16i64o) DNNL_T_(OIw16o16i) DNNL_T_(OIw4i8o4i) DNNL_T_(OIw4i16o4i)
        DNNL_T_(OIw4i24o4i) DNNL_T_(OIw4i32o4i) DNNL_T_(OIw4i64o4i) DNNL_T_(OIw2i8o4i) DNNL_T_(OIw16i16o4i)
        DNNL_T_(OIw16i16o2i) DNNL_T_(OIw16o16i2o) DNNL_T_(OIw4i4o) DNNL_T_(OIw4o4i) DNNL_T_(OIw8i8o2i)
        DNNL_T_(OIw8i16o2i) DNNL_T_(OIw8i24o2i) DNNL_T_(OIw8i32o2i) DNNL_T_(OIw8i64o2i) DNNL_T_(OIw8i8o)
        DNNL_T_(OIw8o16i2o) DNNL_T_(OIw8o8i) DNNL_T_(OIw8o4i) DNNL_T_(OIw8i32o) DNNL_T_(OIw8i24o)
        DNNL_T_(OIw8i16o) DNNL_T_(OIw4o8i8o4i) DNNL_T_(OIw16i32o4i) DNNL_T_(OIw16i48o4i) DNNL_T_(OIw16i64o4i)
        DNNL_T_(OIw16i32o2i) DNNL_T_(OIw16i48o2i) DNNL_T_(OIw16i64o2i) DNNL_T_(OIw4o8i8o2i)
        DNNL_T_(OIw2i8o16i4o) DNNL_T_(OIw2o8i16o4i) DNNL_T_(OIw2o8i16o2i) DNNL_T_(Oiw16o) DNNL_T_(Oiw32o)
        DNNL_T_(Oiw4o) DNNL_T_(Oiw8o) DNNL_T_(OwI16i16o) DNNL_T_(OwI16i32o) DNNL_T_(OwI16i48o)
        DNNL_T_(OwI16i64o) DNNL_T_(OwI4i8o4i) DNNL_T_(OwI4i16o4i) DNNL_T_(OwI4i24o4i) DNNL_T_(OwI4i32o4i)
        DNNL_T_(OwI4i64o4i) DNNL_T_(OwI8i8o2i) DNNL_T_(OwI8i16o2i) DNNL_T_(OwI8i24o2i) DNNL_T_(OwI8i32o2i)
        DNNL_T_(OwI8i64o2i) DNNL_T_(OwI8i8o) DNNL_T_(OwI16o2i) DNNL_T_(OwI16o4i) DNNL_T_(OwI8o2i)
        DNNL_T_(OwI8i32o) DNNL_T_(OwI8i24o) DNNL_T_(OwI8i16o) DNNL_T_(OwI8o4i) DNNL_T_(OwI24o2i)
        DNNL_T_(OwI24o4i) DNNL_T_(OwI32o2i) DNNL_T_(OwI32o4i) DNNL_T_(OwI48o2i) DNNL_T_(OwI48o4i)
        DNNL_T_(OwI64o2i) DNNL_T_(OwI64o4i) DNNL_T_(OwI16i16o2i) DNNL_T_(OwI16i16o4i) DNNL_T_(OwI16i32o2i)
        DNNL_T_(OwI16i32o4i) DNNL_T_(OwI16i48o2i) DNNL_T_(OwI16i48o4i) DNNL_T_(OwI16i64o2i)
        DNNL_T_(OwI16i64o4i) DNNL_T_(Owi16o) DNNL_T_(Owi4o) DNNL_T_(Owi8o) DNNL_T_(Owi24o) DNNL_T_(Owi32o)
        DNNL_T_(Owi48o) DNNL_T_(Owi64o) DNNL_T_(Iwo8i) DNNL_T_(Iwo16i) DNNL_T_(Iwo24i) DNNL_T_(Iwo32i)
        DNNL_T_(Iwo48i) DNNL_T_(Iwo64i) DNNL_T_(IwO8i2o) DNNL_T_(IwO8i4o) DNNL_T_(IwO16i2o) DNNL_T_(IwO16i4o)
        DNNL_T_(IwO24i2o) DNNL_T_(IwO24i4o) DNNL_T_(IwO32i2o) DNNL_T_(IwO32i4o) DNNL_T_(IwO48i2o)
        DNNL_T_(IwO48i4o) DNNL_T_(IwO64i2o) DNNL_T_(IwO64i4o) DNNL_T_(IwO16o16i2o) DNNL_T_(IwO16o16i4o)
        DNNL_T_(IwO16o32i2o) DNNL_T_(IwO16o32i4o) DNNL_T_(IwO16o48i2o) DNNL_T_(IwO16o48i4o)
        DNNL_T_(IwO16o64i2o) DNNL_T_(IwO16o64i4o) DNNL_T_(IOhw16i16o) DNNL_T_(IOhw4o4i) DNNL_T_(IOhw8o8i)
        DNNL_T_(IOhw16o16i) DNNL_T_(IOhw8o16i2o) DNNL_T_(IOhw4i8o8i4o) DNNL_T_(IOhw4i8o8i2o)
        DNNL_T_(IOhw2i8o16i4o) DNNL_T_(IOhw2i8o16i2o) DNNL_T_(Ohwi16o) DNNL_T_(Ohwi24o) DNNL_T_(Ohwi32o)
        DNNL_T_(Ohwi4o) DNNL_T_(Ohwi8o) DNNL_T_(Ohwi48o) DNNL_T_(Ohwi64o) DNNL_T_(OhwI16o2i)
        DNNL_T_(OhwI16o4i) DNNL_T_(OhwI8o2i) DNNL_T_(OhwI8o4i) DNNL_T_(OhwI16i16o) DNNL_T_(OhwI16i32o)
        DNNL_T_(OhwI16i48o) DNNL_T_(OhwI16i64o) DNNL_T_(OhwI4i8o4i) DNNL_T_(OhwI4i16o4i) DNNL_T_(OhwI4i24o4i)
        DNNL_T_(OhwI4i32o4i) DNNL_T_(OhwI4i64o4i) DNNL_T_(OhwI8i8o2i) DNNL_T_(OhwI8i16o2i)
        DNNL_T_(OhwI8i32o2i) DNNL_T_(OhwI8i24o2i) DNNL_T_(OhwI8i64o2i) DNNL_T_(OhwI8i8o) DNNL_T_(OhwI8i32o)
        DNNL_T_(OhwI8i24o) DNNL_T_(OhwI8i16o) DNNL_T_(OhwI24o) DNNL_T_(OhwI24o2i) DNNL_T_(OhwI24o4i)
        DNNL_T_(OhwI32o) DNNL_T_(OhwI32o2i) DNNL_T_(OhwI32o4i) DNNL_T_(OhwI48o2i) DNNL_T_(OhwI48o4i)
        DNNL_T_(OhwI64o2i) DNNL_T_(OhwI64o4i) DNNL_T_(OhwI16i16o2i) DNNL_T_(OhwI16i16o4i)
        DNNL_T_(OhwI16i32o2i) DNNL_T_(OhwI16i32o4i) DNNL_T_(OhwI16i48o2i) DNNL_T_(OhwI16i48o4i)
        DNNL_T_(OhwI16i64o2i) DNNL_T_(OhwI16i64o4i) DNNL_T_(Ihwo8i) DNNL_T_(Ihwo16i) DNNL_T_(Ihwo24i)
        DNNL_T_(Ihwo32i) DNNL_T_(Ihwo48i) DNNL_T_(Ihwo64i) DNNL_T_(IhwO8i2o) DNNL_T_(IhwO8i4o)
        DNNL_T_(IhwO16i2o) DNNL_T_(IhwO16i4o) DNNL_T_(IhwO24i2o) DNNL_T_(IhwO24i4o) DNNL_T_(IhwO32i2o)
        DNNL_T_(IhwO32i4o) DNNL_T_(IhwO48i2o) DNNL_T_(IhwO48i4o) DNNL_T_(IhwO64i2o) DNNL_T_(IhwO64i4o)
        DNNL_T_(IhwO16o16i2o) DNNL_T_(IhwO16o16i4o) DNNL_T_(IhwO16o32i2o) DNNL_T_(IhwO16o32i4o)
        DNNL_T_(IhwO16o48i2o) DNNL_T_(IhwO16o48i4o) DNNL_T_(IhwO16o64i2o) DNNL_T_(IhwO16o64i4o)
        DNNL_T_(OIhw16i16o) DNNL_T_(OIhw16i32o) DNNL_T_(OIhw16i48o) DNNL_T_(OIhw16i64o) DNNL_T_(OIhw16o16i)
        DNNL_T_(OIhw4i8o4i) DNNL_T_(OIhw4i16o4i) DNNL_T_(OIhw4i24o4i) DNNL_T_(OIhw4i32o4i)
        DNNL_T_(OIhw4i64o4i) DNNL_T_(OIhw16i16o4i) DNNL_T_(OIhw16i16o2i) DNNL_T_(OIhw16o16i2o)
        DNNL_T_(OIhw4i4o) DNNL_T_(OIhw4o4i) DNNL_T_(OIhw8i8o2i) DNNL_T_(OIhw8i16o2i) DNNL_T_(OIhw8i32o2i)
        DNNL_T_(OIhw8i24o2i) DNNL_T_(OIhw8i64o2i) DNNL_T_(OIhw8i8o) DNNL_T_(OIhw8o16i2o) DNNL_T_(OIhw2i8o4i)
        DNNL_T_(OIhw8o8i) DNNL_T_(OIhw8o4i) DNNL_T_(OIhw8i32o) DNNL_T_(OIhw8i24o) DNNL_T_(OIhw8i16o)
        DNNL_T_(OIhw4o8i8o4i) DNNL_T_(OIhw2o8i8o2i) DNNL_T_(OIhw16i32o4i) DNNL_T_(OIhw16i48o4i)
        DNNL_T_(OIhw16i64o4i) DNNL_T_(OIhw16i32o2i) DNNL_T_(OIhw16i48o2i) DNNL_T_(OIhw16i64o2i)
        DNNL_T_(OIhw4o8i8o2i) DNNL_T_(OIhw2i8o16i4o) DNNL_T_(OIhw2o8i16o4i) DNNL_T_(OIhw2o8i16o2i)
        DNNL_T_(Oihw16o) DNNL_T_(Oihw32o) DNNL_T_(Oihw4o) DNNL_T_(Oihw8o) DNNL_T_(Owhi16o) DNNL_T_(Odhwi16o)
        DNNL_T_(Odhwi4o) DNNL_T_(Odhwi8o) DNNL_T_(Odhwi24o) DNNL_T_(Odhwi32o) DNNL_T_(Odhwi48o)
        DNNL_T_(Odhwi64o) DNNL_T_(OdhwI16o2i) DNNL_T_(OdhwI16o4i) DNNL_T_(OdhwI8o2i) DNNL_T_(OdhwI8o4i)
        DNNL_T_(OdhwI16i16o) DNNL_T_(OdhwI16i32o) DNNL_T_(OdhwI16i48o) DNNL_T_(OdhwI16i64o)
        DNNL_T_(OdhwI8i8o2i) DNNL_T_(OdhwI8i16o2i) DNNL_T_(OdhwI8i32o2i) DNNL_T_(OdhwI8i24o2i)
        DNNL_T_(OdhwI8i64o2i) DNNL_T_(OdhwI8i8o) DNNL_T_(OdhwI4i8o4i) DNNL_T_(OdhwI4i16o4i)
        DNNL_T_(OdhwI4i24o4i) DNNL_T_(OdhwI4i32o4i) DNNL_T_(OdhwI4i64o4i) DNNL_T_(OdhwI8i32o)
        DNNL_T_(OdhwI8i24o) DNNL_T_(OdhwI8i16o) DNNL_T_(OdhwI24o2i) DNNL_T_(OdhwI24o4i) DNNL_T_(OdhwI32o2i)
        DNNL_T_(OdhwI32o4i) DNNL_T_(OdhwI48o2i) DNNL_T_(OdhwI48o4i) DNNL_T_(OdhwI64o2i) DNNL_T_(OdhwI64o4i)
        DNNL_T_(OdhwI16i16o2i) DNNL_T_(OdhwI16i16o4i) DNNL_T_(OdhwI16i32o2i) DNNL_T_(OdhwI16i32o4i)
        DNNL_T_(OdhwI16i48o2i) DNNL_T_(OdhwI16i48o4i) DNNL_T_(OdhwI16i64o2i) DNNL_T_(OdhwI16i64o4i)
        DNNL_T_(Idhwo8i) DNNL_T_(Idhwo16i) DNNL_T_(Idhwo24i) DNNL_T_(Idhwo32i) DNNL_T_(Idhwo48i)
        DNNL_T_(Idhwo64i) DNNL_T_(IdhwO8i2o) DNNL_T_(IdhwO8i4o) DNNL_T_(IdhwO16i2o) DNNL_T_(IdhwO16i4o)
        DNNL_T_(IdhwO24i2o) DNNL_T_(IdhwO24i4o) DNNL_T_(IdhwO32i2o) DNNL_T_(IdhwO32i4o) DNNL_T_(IdhwO48i2o)
        DNNL_T_(IdhwO48i4o) DNNL_T_(IdhwO64i2o) DNNL_T_(IdhwO64i4o) DNNL_T_(IdhwO16o16i2o)
        DNNL_T_(IdhwO16o16i4o) DNNL_T_(IdhwO16o32i2o) DNNL_T_(IdhwO16o32i4o) DNNL_T_(IdhwO16o48i2o)
        DNNL_T_(IdhwO16o48i4o) DNNL_T_(IdhwO16o64i2o) DNNL_T_(IdhwO16o64i4o) DNNL_T_(Odwhi16o)
        DNNL_T_(OIdhw16i16o) DNNL_T_(OIdhw16i32o) DNNL_T_(OIdhw16i48o) DNNL_T_(OIdhw16i64o)
        DNNL_T_(OIdhw16o16i) DNNL_T_(OIdhw4i4o) DNNL_T_(OIdhw4o4i) DNNL_T_(OIdhw8i8o2i) DNNL_T_(OIdhw8i16o2i)
        DNNL_T_(OIdhw8i32o2i) DNNL_T_(OIdhw8i24o2i) DNNL_T_(OIdhw8i64o2i) DNNL_T_(OIdhw8i8o)
        DNNL_T_(OIdhw8o16i2o) DNNL_T_(OIdhw4i8o4i) DNNL_T_(OIdhw4i16o4i) DNNL_T_(OIdhw4i24o4i)
        DNNL_T_(OIdhw4i32o4i) DNNL_T_(OIdhw4i64o4i) DNNL_T_(OIdhw16i16o4i) DNNL_T_(OIdhw16i16o2i)
        DNNL_T_(OIdhw2i8o4i) DNNL_T_(OIdhw8o8i) DNNL_T_(OIdhw8o4i) DNNL_T_(OIdhw4o8i8o4i)
        DNNL_T_(OIdhw16o16i2o) DNNL_T_(OIdhw8i32o) DNNL_T_(OIdhw8i24o) DNNL_T_(OIdhw8i16o)
        DNNL_T_(OIdhw16i32o4i) DNNL_T_(OIdhw16i48o4i) DNNL_T_(OIdhw16i64o4i) DNNL_T_(OIdhw16i32o2i)
        DNNL_T_(OIdhw16i48o2i) DNNL_T_(OIdhw16i64o2i) DNNL_T_(OIdhw4o8i8o2i) DNNL_T_(OIdhw2i8o16i4o)
        DNNL_T_(OIdhw2o8i16o4i) DNNL_T_(OIdhw2o8i16o2i) DNNL_T_(Oidhw16o) DNNL_T_(Oidhw32o) DNNL_T_(Oidhw4o)
        DNNL_T_(Oidhw8o) DNNL_T_(IOdhw8o16i2o) DNNL_T_(IOdhw16i16o) DNNL_T_(IOdhw4o4i) DNNL_T_(IOdhw8o8i)
        DNNL_T_(IOdhw16o16i) DNNL_T_(IOdhw4i8o8i4o) DNNL_T_(IOdhw4i8o8i2o) DNNL_T_(IOdhw2i8o16i4o)
        DNNL_T_(IOdhw2i8o16i2o) DNNL_T_(wIo2i) DNNL_T_(wIo4i) DNNL_T_(hwIo2i) DNNL_T_(hwIo4i) DNNL_T_(dhwIo2i)
        DNNL_T_(dhwIo4i) DNNL_T_(hwioG16g) DNNL_T_(hwioG8g) DNNL_T_(hwioG4g) DNNL_T_(dhwioG16g)
        DNNL_T_(dhwioG8g) DNNL_T_(dhwioG4g)
        // Aliases for weights with groups g.
        DNNL_T_(goiw) DNNL_T_(gowi) DNNL_T_(wigo) DNNL_T_(goihw) DNNL_T_(gohwi) DNNL_T_(hwigo) DNNL_T_(giohw)
        DNNL_T_(goidhw) DNNL_T_(godhwi) DNNL_T_(giodhw) DNNL_T_(dhwigo) DNNL_T_(gwio) DNNL_T_(ghwio)
        DNNL_T_(gdhwio) DNNL_T_(Goiw16g) DNNL_T_(Goiw8g) DNNL_T_(Goiw4g) DNNL_T_(Goiw32g) DNNL_T_(gOIw16i16o)
        DNNL_T_(gOIw16o16i) DNNL_T_(gOIw4i16o4i) DNNL_T_(gOIw2i8o4i) DNNL_T_(gOIw16i16o4i)
        DNNL_T_(gOIw16i16o2i) DNNL_T_(gOIw16o16i2o) DNNL_T_(gOIw4i4o) DNNL_T_(gOIw4o4i) DNNL_T_(gOIw8i16o2i)
        DNNL_T_(gOIw8i8o) DNNL_T_(gOIw8o16i2o) DNNL_T_(gOIw8o8i) DNNL_T_(gOIw8o4i) DNNL_T_(gOIw2i4o2i)
        DNNL_T_(gOIw2o4i2o) DNNL_T_(gOIw4i8o2i) DNNL_T_(gOIw4o8i2o) DNNL_T_(gOIw4o8i8o4i)
        DNNL_T_(gOIw4o8i8o2i) DNNL_T_(gOIw2o8i16o2i) DNNL_T_(gOIw2o8i16o4i) DNNL_T_(gOiw16o) DNNL_T_(gOiw32o)
        DNNL_T_(gOiw4o) DNNL_T_(gOiw8o) DNNL_T_(goIw4i) DNNL_T_(goIw32i) DNNL_T_(gIOw4o4i) DNNL_T_(gIOw8o8i)
        DNNL_T_(gIOw16o16i) DNNL_T_(gIOw16i16o) DNNL_T_(gIOw8o16i2o) DNNL_T_(gIOw4i8o8i4o)
        DNNL_T_(gIOw4i8o8i2o) DNNL_T_(gIOw2i8o16i2o) DNNL_T_(gOwi16o) DNNL_T_(gOwi4o) DNNL_T_(gOwi8o)
        DNNL_T_(gOwi24o) DNNL_T_(gOwi32o) DNNL_T_(gOwi48o) DNNL_T_(gOwi64o) DNNL_T_(gOwI16o2i)
        DNNL_T_(gOwI16o4i) DNNL_T_(gOwI8o2i) DNNL_T_(gOwI8o4i) DNNL_T_(gOwI24o2i) DNNL_T_(gOwI24o4i)
        DNNL_T_(gOwI32o2i) DNNL_T_(gOwI32o4i) DNNL_T_(gOwI48o2i) DNNL_T_(gOwI48o4i) DNNL_T_(gOwI64o2i)
        DNNL_T_(gOwI64o4i) DNNL_T_(gOwI16i16o2i) DNNL_T_(gOwI16i16o4i) DNNL_T_(gOwI16i32o2i)
        DNNL_T_(gOwI16i32o4i) DNNL_T_(gOwI16i48o2i) DNNL_T_(gOwI16i48o4i) DNNL_T_(gOwI16i64o2i)
        DNNL_T_(gOwI16i64o4i) DNNL_T_(gIwo8i) DNNL_T_(gIwo16i) DNNL_T_(gIwo24i) DNNL_T_(gIwo32i)
        DNNL_T_(gIwo48i) DNNL_T_(gIwo64i) DNNL_T_(gIwO8i2o) DNNL_T_(gIwO8i4o) DNNL_T_(gIwO16i2o)
        DNNL_T_(gIwO16i4o) DNNL_T_(gIwO24i2o) DNNL_T_(gIwO24i4o) DNNL_T_(gIwO32i2o) DNNL_T_(gIwO32i4o)
        DNNL_T_(gIwO48i2o) DNNL_T_(gIwO48i4o) DNNL_T_(gIwO64i2o) DNNL_T_(gIwO64i4o) DNNL_T_(gIwO16o16i2o)
        DNNL_T_(gIwO16o16i4o) DNNL_T_(gIwO16o32i2o) DNNL_T_(gIwO16o32i4o) DNNL_T_(gIwO16o48i2o)
        DNNL_T_(gIwO16o48i4o) DNNL_T_(gIwO16o64i2o) DNNL_T_(gIwO16o64i4o) DNNL_T_(gIOhw16i16o)
        DNNL_T_(gIOhw4o4i) DNNL_T_(gIOhw8o8i) DNNL_T_(gIOhw16o16i) DNNL_T_(gIOhw8o16i2o)
        DNNL_T_(gIOhw4i8o8i4o) DNNL_T_(gIOhw4i8o8i2o) DNNL_T_(gIOhw2i8o16i2o) DNNL_T_(gOhwi16o)
        DNNL_T_(gOhwi32o) DNNL_T_(gOhwi24o) DNNL_T_(gOhwi4o) DNNL_T_(gOhwi8o) DNNL_T_(gOhwi48o)
        DNNL_T_(gOhwi64o) DNNL_T_(gOhwI16o2i) DNNL_T_(gOhwI16o4i) DNNL_T_(gOhwI24o2i) DNNL_T_(gOhwI24o4i)
        DNNL_T_(gOhwI8o2i) DNNL_T_(gOhwI8o4i) DNNL_T_(gOhwI24o) DNNL_T_(gOhwI32o) DNNL_T_(gOhwI32o2i)
        DNNL_T_(gOhwI32o4i) DNNL_T_(gOhwI48o2i) DNNL_T_(gOhwI48o4i) DNNL_T_(gOhwI64o2i) DNNL_T_(gOhwI64o4i)
        DNNL_T_(gOhwI16i16o2i) DNNL_T_(gOhwI16i16o4i) DNNL_T_(gOhwI16i32o2i) DNNL_T_(gOhwI16i32o4i)
        DNNL_T_(gOhwI16i48o2i) DNNL_T_(gOhwI16i48o4i) DNNL_T_(gOhwI16i64o2i) DNNL_T_(gOhwI16i64o4i)
        DNNL_T_(gIhwo8i) DNNL_T_(gIhwo16i) DNNL_T_(gIhwo24i) DNNL_T_(gIhwo32i) DNNL_T_(gIhwo48i)
        DNNL_T_(gIhwo64i) DNNL_T_(gIhwO8i2o) DNNL_T_(gIhwO8i4o) DNNL_T_(gIhwO16i2o) DNNL_T_(gIhwO16i4o)
        DNNL_T_(gIhwO24i2o) DNNL_T_(gIhwO24i4o) DNNL_T_(gIhwO32i2o) DNNL_T_(gIhwO32i4o) DNNL_T_(gIhwO48i2o)
        DNNL_T_(gIhwO48i4o) DNNL_T_(gIhwO64i2o) DNNL_T_(gIhwO64i4o) DNNL_T_(gIhwO16o16i2o)
        DNNL_T_(gIhwO16o16i4o) DNNL_T_(gIhwO16o32i2o) DNNL_T_(gIhwO16o32i4o) DNNL_T_(gIhwO16o48i2o)
        DNNL_T_(gIhwO16o48i4o) DNNL_T_(gIhwO16o64i2o) DNNL_T_(gIhwO16o64i4o) DNNL_T_(Goihw16g)
        DNNL_T_(Goihw8g) DNNL_T_(Goihw4g) DNNL_T_(Goihw32g) DNNL_T_(gOIhw16i16o) DNNL_T_(gOIhw16o16i)
        DNNL_T_(gOIhw2i8o4i) DNNL_T_(gOIhw4i16o4i) DNNL_T_(gOIhw16i16o4i) DNNL_T_(gOIhw16i16o2i)
        DNNL_T_(gOIhw16o16i2o) DNNL_T_(gOIhw4i4o) DNNL_T_(gOIhw4o4i) DNNL_T_(gOIhw8i16o2i) DNNL_T_(gOIhw8i8o)
        DNNL_T_(gOIhw8o16i2o) DNNL_T_(gOIhw8o8i) DNNL_T_(gOIhw8o4i) DNNL_T_(gOIhw4o8i8o4i)
        DNNL_T_(gOIhw2o8i8o2i) DNNL_T_(gOIhw2i4o2i) DNNL_T_(gOIhw2o4i2o) DNNL_T_(gOIhw4i8o2i)
        DNNL_T_(gOIhw4o8i2o) DNNL_T_(gOIhw4o8i8o2i) DNNL_T_(gOIhw2o8i16o2i) DNNL_T_(gOIhw2o8i16o4i)
        DNNL_T_(gOihw16o) DNNL_T_(gOihw32o) DNNL_T_(gOihw4o) DNNL_T_(gOihw8o) DNNL_T_(goIhw4i)
        DNNL_T_(goIhw32i) DNNL_T_(gOwhi16o) DNNL_T_(gOIdhw4o8i8o4i) DNNL_T_(gOIdhw16i16o)
        DNNL_T_(gOIdhw4i16o4i) DNNL_T_(gOIdhw16i16o4i) DNNL_T_(gOIdhw2i8o4i) DNNL_T_(gOIdhw16i16o2i)
        DNNL_T_(gOIdhw16o16i) DNNL_T_(gOIdhw16o16i2o) DNNL_T_(gOIdhw4i4o) DNNL_T_(gOIdhw4o4i)
        DNNL_T_(gOIdhw8i16o2i) DNNL_T_(gOIdhw8i8o) DNNL_T_(gOIdhw8o16i2o) DNNL_T_(gOIdhw8o8i)
        DNNL_T_(gOIdhw8o4i) DNNL_T_(gOIdhw2i4o2i) DNNL_T_(gOIdhw4i8o2i) DNNL_T_(gOIdhw2o4i2o)
        DNNL_T_(gOIdhw4o8i2o) DNNL_T_(gOIdhw4o8i8o2i) DNNL_T_(gOIdhw2o8i16o2i) DNNL_T_(gOidhw16o)
        DNNL_T_(gOidhw32o) DNNL_T_(gOidhw4o) DNNL_T_(gOidhw8o) DNNL_T_(Goidhw16g) DNNL_T_(Goidhw32g)
        DNNL_T_(goIdhw4i) DNNL_T_(goIdhw32i) DNNL_T_(gIOdhw4i8o8i4o) DNNL_T_(gIOdhw16i16o) DNNL_T_(gIOdhw4o4i)
        DNNL_T_(gIOdhw8o8i) DNNL_T_(gIOdhw16o16i) DNNL_T_(gIOdhw8o16i2o) DNNL_T_(gIOdhw4i8o8i2o)
        DNNL_T_(gIOdhw2i8o16i2o) DNNL_T_(gOdhwi16o) DNNL_T_(gOdhwi4o) DNNL_T_(gOdhwi8o) DNNL_T_(gOdhwi24o)
        DNNL_T_(gOdhwi32o) DNNL_T_(gOdhwi48o) DNNL_T_(gOdhwi64o) DNNL_T_(gOdhwI16o2i) DNNL_T_(gOdhwI16o4i)
        DNNL_T_(gOdhwI8o2i) DNNL_T_(gOdhwI8o4i) DNNL_T_(gOdhwI24o2i) DNNL_T_(gOdhwI24o4i) DNNL_T_(gOdhwI32o2i)
        DNNL_T_(gOdhwI32o4i) DNNL_T_(gOdhwI48o2i) DNNL_T_(gOdhwI48o4i) DNNL_T_(gOdhwI64o2i)
        DNNL_T_(gOdhwI64o4i) DNNL_T_(gOdhwI16i16o2i) DNNL_T_(gOdhwI16i16o4i) DNNL_T_(gOdhwI16i32o2i)
        DNNL_T_(gOdhwI16i32o4i) DNNL_T_(gOdhwI16i48o2i) DNNL_T_(gOdhwI16i48o4i) DNNL_T_(gOdhwI16i64o2i)
        DNNL_T_(gOdhwI16i64o4i) DNNL_T_(gIdhwo8i) DNNL_T_(gIdhwo16i) DNNL_T_(gIdhwo24i) DNNL_T_(gIdhwo32i)
        DNNL_T_(gIdhwo48i) DNNL_T_(gIdhwo64i) DNNL_T_(gIdhwO8i2o) DNNL_T_(gIdhwO8i4o) DNNL_T_(gIdhwO16i2o)
        DNNL_T_(gIdhwO16i4o) DNNL_T_(gIdhwO24i2o) DNNL_T_(gIdhwO24i4o) DNNL_T_(gIdhwO32i2o)
        DNNL_T_(gIdhwO32i4o) DNNL_T_(gIdhwO48i2o) DNNL_T_(gIdhwO48i4o) DNNL_T_(gIdhwO64i2o)
        DNNL_T_(gIdhwO64i4o) DNNL_T_(gIdhwO16o16i2o) DNNL_T_(gIdhwO16o16i4o) DNNL_T_(gIdhwO16o32i2o)
        DNNL_T_(gIdhwO16o32i4o) DNNL_T_(gIdhwO16o48i2o) DNNL_T_(gIdhwO16o48i4o) DNNL_T_(gIdhwO16o64i2o)
        DNNL_T_(gIdhwO16o64i4o) DNNL_T_(gOdwhi16o) DNNL_T_(gwIo2i) DNNL_T_(gwIo4i) DNNL_T_(ghwIo2i)
        DNNL_T_(ghwIo4i) DNNL_T_(gdhwIo2i) DNNL_T_(gdhwIo4i)
        // Aliases for recurrent networks: t time, l layers, d directions, g gates.
        DNNL_T_(tn) DNNL_T_(nt) DNNL_T_(tnc) DNNL_T_(ntc) DNNL_T_(ldnc) DNNL_T_(ldigo) DNNL_T_(ldgoi)
        DNNL_T_(ldio) DNNL_T_(ldoi) DNNL_T_(ldgo) DNNL_T_(ldOi16o) DNNL_T_(ldOi32o) DNNL_T_(ldOI16o4i)
        DNNL_T_(ldOI32o4i) DNNL_T_(ldIo32i) DNNL_T_(ldgOi16o) DNNL_T_(ldgOi32o) DNNL_T_(ldgOI16o4i)
        DNNL_T_(ldgOI32o2i) DNNL_T_(ldgOI32o4i) DNNL_T_(ldgOI64o2i) DNNL_T_(ldgOI64o4i) DNNL_T_(ldgIo16i)
        DNNL_T_(ldgIo32i) DNNL_T_(ldgIO32i2o)
    };
// clang-format on
#undef DNNL_T_

    /// Describes a tensor: dimensions, data type, layout. The zero descriptor means "no tensor". If
    /// allow_empty is true, a failure leaves an empty handle instead of throwing.
    struct desc : public detail::memory_desc_lists<dnnl_memory_desc_t> {
        using detail::memory_desc_lists<dnnl_memory_desc_t>::memory_desc_lists;

        /// The zero descriptor.
        desc() {
            adopt("could not create a zero memory descriptor", false, dnnl_memory_desc_create_with_tag, 0,
                  nullptr, dnnl_data_type_undef, dnnl_format_tag_undef);
        }

        desc(const dims &adims, data_type adata_type, format_tag aformat_tag, bool allow_empty = false) {
            validate_dims(adims);
            adopt("could not create a memory descriptor from a format tag", allow_empty,
                  dnnl_memory_desc_create_with_tag, count(adims), adims.data(), convert_to_c(adata_type),
                  convert_to_c(aformat_tag));
        }

        /// Strides are in elements; without strides the layout is dense, with the last dimension innermost.
        desc(const dims &adims, data_type adata_type, const dims &strides, bool allow_empty = false) {
            validate_dims(adims);
            if (!strides.empty()) validate_dims(strides, count(adims));
            adopt("could not create a memory descriptor from strides", allow_empty,
                  dnnl_memory_desc_create_with_strides, count(adims), adims.data(), convert_to_c(adata_type),
                  strides.empty() ? nullptr : strides.data());
        }

        /// Takes ownership of the C descriptor.
        desc(dnnl_memory_desc_t md) { reset(md); }

        /// Restores the result of get_blob().
        desc(const std::vector<uint8_t> &blob) {
            adopt("could not create a memory descriptor from a blob", false,
                  dnnl_memory_desc_create_with_blob, blob.data());
        }

        /// Compressed sparse rows: values, column indices, row pointers.
        static desc csr(const dims &adims, data_type adata_type, dim nnz, data_type index_dt,
                        data_type pointer_dt, bool allow_empty = false) {
            validate_dims(adims);
            return made_from("could not create a memory descriptor for the CSR encoding", allow_empty,
                             dnnl_memory_desc_create_with_csr_encoding, count(adims), adims.data(),
                             convert_to_c(adata_type), nnz, convert_to_c(index_dt), convert_to_c(pointer_dt));
        }

        /// Coordinates: values, then the indices of each dimension.
        static desc coo(const dims &adims, data_type adata_type, dim nnz, data_type index_dt,
                        bool allow_empty = false) {
            validate_dims(adims);
            return made_from("could not create a memory descriptor for the COO encoding", allow_empty,
                             dnnl_memory_desc_create_with_coo_encoding, count(adims), adims.data(),
                             convert_to_c(adata_type), nnz, convert_to_c(index_dt));
        }

        /// Weights whose sparse layout is chosen by the primitive.
        static desc packed(const dims &adims, data_type adata_type, dim nnz, bool allow_empty = false) {
            validate_dims(adims);
            return made_from("could not create a memory descriptor for the packed encoding", allow_empty,
                             dnnl_memory_desc_create_with_packed_encoding, count(adims), adims.data(),
                             convert_to_c(adata_type), nnz);
        }

#if DNNL_EXPERIMENTAL_GROUPED_MEMORY
        /// Groups of different lengths along one dimension, stored one after the other: values, then offsets.
        static desc grouped(const dims &adims, data_type adata_type, int variable_dim_idx, dim group_count,
                            data_type offsets_dt = data_type::s32, bool allow_empty = false) {
            validate_dims(adims);
            return made_from("could not create a memory descriptor for the grouped encoding", allow_empty,
                             dnnl_memory_desc_create_with_grouped_encoding, count(adims), adims.data(),
                             convert_to_c(adata_type), variable_dim_idx, group_count,
                             convert_to_c(offsets_dt));
        }
#endif

        /// One element, stored in the memory object itself.
        static desc host_scalar(data_type adata_type) {
            return made_from("could not create a memory descriptor for a host scalar", false,
                             dnnl_memory_desc_create_host_scalar, convert_to_c(adata_type));
        }

        /// A box of adims elements starting at offsets, in the same buffer.
        desc submemory_desc(const dims &adims, const dims &offsets, bool allow_empty = false) const {
            validate_dims(adims, get_ndims());
            validate_dims(offsets, get_ndims());
            return made_from("could not create a descriptor of a part of memory", allow_empty,
                             dnnl_memory_desc_create_submemory, get(), adims.data(), offsets.data());
        }

        /// The same elements in the same order, with other dimensions.
        desc reshape(const dims &adims, bool allow_empty = false) const {
            if (get_ndims()) validate_dims(adims, 1);
            return made_from("could not reshape a memory descriptor", allow_empty, dnnl_memory_desc_reshape,
                             get(), count(adims), adims.data());
        }

        /// The same bytes, dimension i renamed to permutation[i].
        desc permute_axes(const std::vector<int> &permutation, bool allow_empty = false) const {
            validate_dims(permutation, get_ndims());
            return made_from("could not permute the axes of a memory descriptor", allow_empty,
                             dnnl_memory_desc_permute_axes, get(), permutation.data());
        }

        // Queries. One that does not apply returns 0 or undef. Queries that return lists are above.
        int get_ndims() const { return ask<int>(query::ndims_s32); }
        int get_inner_nblks() const { return ask<int>(query::inner_nblks_s32); }
        memory::dim get_submemory_offset() const { return ask<memory::dim>(query::submemory_offset_s64); }
        int get_num_handles() const { return ask<int>(query::num_handles_s32); }
        dim get_nnz() const { return ask<dim>(query::nnz_s64); }
        memory::format_kind get_format_kind() const {
            return static_cast<memory::format_kind>(ask<dnnl_format_kind_t>(query::format_kind));
        }
        memory::sparse_encoding get_sparse_encoding() const {
            return static_cast<memory::sparse_encoding>(ask<dnnl_sparse_encoding_t>(query::sparse_encoding));
        }
        /// Type of the values or, for sparse encodings, of the buffer with this index.
        memory::data_type get_data_type(int index = 0) const {
            return static_cast<memory::data_type>(ask<dnnl_data_type_t>(query::data_type, index));
        }
        /// Bytes of the buffer with this index; DNNL_RUNTIME_SIZE_VAL if they depend on run-time dimensions.
        size_t get_size(int index = 0) const { return dnnl_memory_desc_get_size_v2(get(), index); }

        bool is_zero() const { return get_ndims() == 0; }

        /// True if the descriptors are equal, even as two objects.
        bool operator==(const desc &other) const { return dnnl_memory_desc_equal(get(), other.get()) != 0; }
        bool operator!=(const desc &other) const { return !operator==(other); }

      private:
        static int count(const dims &v) { return static_cast<int>(v.size()); }

        template <typename F, typename... Args>
        void adopt(const char *failure, bool allow_empty, F *create, Args... args) {
            dnnl_memory_desc_t md = nullptr;
            const dnnl_status_t result = create(&md, args...);
            if (!allow_empty) error::wrap_c_api(result, failure);
            reset(md);
        }

        template <typename F, typename... Args>
        static desc made_from(const char *failure, bool allow_empty, F *create, Args... args) {
            desc result{dnnl_memory_desc_t()};
            result.adopt(failure, allow_empty, create, args...);
            return result;
        }

        template <typename T>
        T ask(query what, int index = 0) const {
            T answer = T();
            const dnnl_query_t c_what = dnnl::convert_to_c(what);
            return dnnl_memory_desc_query_v2(get(), c_what, index, &answer) == dnnl_success ? answer : T();
        }
    };

    memory() = default;

    /// Uses a buffer of the user (for some runtimes a handle of another type), one that the library allocates
    /// (DNNL_MEMORY_ALLOCATE), or none yet (DNNL_MEMORY_NONE).
    memory(const desc &md, const engine &aengine, void *buffer) { init(md, aengine, 1, &buffer); }

    /// Uses one buffer per part of a sparse descriptor.
    memory(const desc &md, const engine &aengine, std::vector<void *> handles) {
        init(md, aengine, static_cast<int>(handles.size()), handles.data());
    }

    /// Uses buffers that the library allocates.
    memory(const desc &md, const engine &aengine) {
        void *buffers[DNNL_MAX_NDIMS
                      + 1]; // of values and, if sparse, at most one of indices for each dimension
        for (void *&buffer : buffers)
            buffer = DNNL_MEMORY_ALLOCATE;
        init(md, aengine, md.get_num_handles(), buffers);
    }

    /// A scalar on the host: md comes from desc::host_scalar() and T has the size of its type.
    template <typename T>
    memory(const desc &md, const T value) {
        require_scalar<T>(md.get());
        reset(detail::made<dnnl_memory_t>("could not create a memory object", dnnl_memory_create_host_scalar,
                                          md.get(), const_cast<void *>(static_cast<const void *>(&value))));
    }

    /// A copy of the descriptor.
    desc get_desc() const { return clone(get_c_desc()); }

    engine get_engine() const {
        return engine(detail::told<dnnl_engine_t>("could not get the engine of a memory object",
                                                  dnnl_memory_get_engine, get()),
                      true);
    }

    void *get_data_handle(int index = 0) const {
        void *result = nullptr;
        error::wrap_c_api(dnnl_memory_get_data_handle_v2(get(), &result, index),
                          "could not get the buffer of a memory object");
        return result;
    }

    void set_data_handle(void *buffer, int index = 0) const {
        error::wrap_c_api(dnnl_memory_set_data_handle_v2(get(), buffer, index),
                          "could not set the buffer of a memory object");
    }

    template <typename T>
    T get_host_scalar_value() const {
        require_scalar<T>(get_c_desc());
        T value;
        error::wrap_c_api(dnnl_memory_get_host_scalar_value(get(), &value),
                          "could not get the value of a host scalar");
        return value;
    }

    template <typename T>
    void set_host_scalar_value(const T value) const {
        require_scalar<T>(get_c_desc());
        error::wrap_c_api(dnnl_memory_set_host_scalar_value(get(), &value),
                          "could not set the value of a host scalar");
    }

    /// Makes a buffer accessible to the host until unmap_data() with the same pointer.
    template <typename T = void>
    T *map_data(int index = 0) const {
        void *mapped = nullptr;
        error::wrap_c_api(dnnl_memory_map_data_v2(get(), &mapped, index), "could not map a memory object");
        return static_cast<T *>(mapped);
    }

    void unmap_data(void *mapped_ptr, int index = 0) const {
        error::wrap_c_api(dnnl_memory_unmap_data_v2(get(), mapped_ptr, index),
                          "could not unmap a memory object");
    }

    static dnnl_data_type_t convert_to_c(data_type adata_type) {
        return static_cast<dnnl_data_type_t>(adata_type);
    }
    static dnnl_format_tag_t convert_to_c(format_tag format) {
        return static_cast<dnnl_format_tag_t>(format);
    }

  private:
    friend struct post_ops;
    friend struct primitive_attr;
    friend struct primitive_desc_base;

    void init(const desc &md, const engine &aengine, int count, void **buffers) {
        reset(detail::made<dnnl_memory_t>("could not create a memory object", dnnl_memory_create_v2, md.get(),
                                          aengine.get(), count, buffers));
    }

    static desc clone(const_dnnl_memory_desc_t md) {
        if (!md) return desc();
        return desc(detail::made<dnnl_memory_desc_t>("could not clone a memory descriptor",
                                                     dnnl_memory_desc_clone, md));
    }

    const_dnnl_memory_desc_t get_c_desc() const {
        return detail::told<const_dnnl_memory_desc_t>("could not get the descriptor of a memory object",
                                                      dnnl_memory_get_memory_desc, get());
    }

    template <typename T>
    static void require_scalar(const_dnnl_memory_desc_t md) {
        if (sizeof(T) != dnnl_memory_desc_get_size_v2(md, 0))
            DNNL_THROW_ERROR(dnnl_invalid_arguments,
                             "the scalar's size differs from that of the memory's data type");
    }
};

// Comparison of a C++ enumerator with its C value.
#define DNNL_COMPARE_WITH_C_(c_type, type)                                                                   \
    inline bool operator==(c_type a, type b) {                                                               \
        return a == memory::convert_to_c(b);                                                                 \
    }                                                                                                        \
    inline bool operator!=(c_type a, type b) {                                                               \
        return !(a == b);                                                                                    \
    }                                                                                                        \
    inline bool operator==(type a, c_type b) {                                                               \
        return b == a;                                                                                       \
    }                                                                                                        \
    inline bool operator!=(type a, c_type b) {                                                               \
        return !(a == b);                                                                                    \
    }
DNNL_COMPARE_WITH_C_(dnnl_data_type_t, memory::data_type)
DNNL_COMPARE_WITH_C_(dnnl_format_tag_t, memory::format_tag)
#undef DNNL_COMPARE_WITH_C_

} // namespace dnnl

#endif
