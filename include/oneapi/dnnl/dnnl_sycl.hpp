/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Engines, streams and memory from SYCL objects: the C functions of dnnl_sycl.h with SYCL's types.
 */
#ifndef ONEAPI_DNNL_DNNL_SYCL_HPP
#define ONEAPI_DNNL_DNNL_SYCL_HPP

#include <sycl/sycl.hpp>

#include "oneapi/dnnl/dnnl.hpp"
#include "oneapi/dnnl/dnnl_sycl.h"

namespace dnnl {
namespace sycl_interop {

enum class memory_kind {
    usm = dnnl_sycl_interop_usm,
    buffer = dnnl_sycl_interop_buffer,
};

inline dnnl_sycl_interop_memory_kind_t convert_to_c(memory_kind kind) {
    return static_cast<dnnl_sycl_interop_memory_kind_t>(kind);
}

inline engine make_engine(const sycl::device &adevice, const sycl::context &acontext) {
    return engine(detail::made<dnnl_engine_t>("could not create an engine", dnnl_sycl_interop_engine_create,
                                              static_cast<const void *>(&adevice),
                                              static_cast<const void *>(&acontext)));
}

inline sycl::context get_context(const engine &aengine) {
    return *static_cast<sycl::context *>(detail::told<void *>(
            "could not get the context of an engine", dnnl_sycl_interop_engine_get_context, aengine.get()));
}

inline sycl::device get_device(const engine &aengine) {
    return *static_cast<sycl::device *>(detail::told<void *>(
            "could not get the device of an engine", dnnl_sycl_interop_engine_get_device, aengine.get()));
}

inline stream make_stream(const engine &aengine, sycl::queue &aqueue) {
    return stream(detail::made<dnnl_stream_t>("could not create a stream", dnnl_sycl_interop_stream_create,
                                              aengine.get(), static_cast<void *>(&aqueue)));
}

inline sycl::queue get_queue(const stream &astream) {
    return *static_cast<sycl::queue *>(detail::told<void *>(
            "could not get the queue of a stream", dnnl_sycl_interop_stream_get_queue, astream.get()));
}

inline memory_kind get_memory_kind(const memory &amemory) {
    return static_cast<memory_kind>(detail::told<dnnl_sycl_interop_memory_kind_t>(
            "could not get the kind of a memory object", dnnl_sycl_interop_memory_get_memory_kind,
            amemory.get()));
}

/// The buffer of a memory object as elements of T; a buffer of one element if it has none.
template <typename T, int ndims = 1>
sycl::buffer<T, ndims> get_buffer(const memory &amemory) {
    static_assert(ndims == 1, "only buffers of one dimension are supported");
    (void)get_memory_kind(amemory); // throws unless this is memory of SYCL
    auto *bytes = static_cast<sycl::buffer<uint8_t, 1> *>(amemory.get_data_handle());
    if (!bytes) return sycl::buffer<T, ndims>(sycl::range<1>(1));
    return bytes->template reinterpret<T, 1>(sycl::range<1>(bytes->byte_size() / sizeof(T)));
}

template <typename T, int ndims>
void set_buffer(memory &amemory, sycl::buffer<T, ndims> &abuffer) {
    auto bytes = abuffer.template reinterpret<uint8_t, 1>(sycl::range<1>(abuffer.byte_size()));
    error::wrap_c_api(dnnl_sycl_interop_memory_set_buffer(amemory.get(), static_cast<void *>(&bytes)),
                      "could not set the buffer of a memory object");
}

/// Uses USM pointers or buffers, one per part of the descriptor; if none is given the library allocates.
inline memory make_memory(const memory::desc &memory_desc, const engine &aengine, memory_kind kind,
                          std::vector<void *> handles = {}) {
    if (handles.empty()) handles.resize(memory_desc.get_num_handles(), DNNL_MEMORY_ALLOCATE);
    return memory(detail::made<dnnl_memory_t>(
            "could not create a memory object", dnnl_sycl_interop_memory_create_v2, memory_desc.get(),
            aengine.get(), convert_to_c(kind), static_cast<int>(handles.size()), handles.data()));
}

inline memory make_memory(const memory::desc &memory_desc, const engine &aengine, memory_kind kind,
                          void *handle) {
    return make_memory(memory_desc, aengine, kind, std::vector<void *>{handle});
}

template <typename T, int ndims = 1>
memory make_memory(const memory::desc &memory_desc, const engine &aengine, sycl::buffer<T, ndims> &abuffer) {
    memory amemory(memory_desc, aengine, DNNL_MEMORY_NONE);
    set_buffer(amemory, abuffer);
    return amemory;
}

/// Runs after deps.
inline sycl::event execute(const dnnl::primitive &aprimitive, const stream &astream,
                           const std::unordered_map<int, memory> &args,
                           const std::vector<sycl::event> &deps = {}) {
    const std::vector<dnnl_exec_arg_t> c_args = detail::c_args(args, false);
    sycl::event event;
    error::wrap_c_api(dnnl_sycl_interop_primitive_execute(aprimitive.get(), astream.get(),
                                                          static_cast<int>(c_args.size()), c_args.data(),
                                                          &deps, &event),
                      "could not execute a primitive");
    return event;
}

} // namespace sycl_interop
} // namespace dnnl

#endif
