/* SPDX-License-Identifier: Apache-2.0 */
/* Engines, streams and memory from OpenCL objects, which they retain. */
#ifndef ONEAPI_DNNL_DNNL_OCL_HPP
#define ONEAPI_DNNL_DNNL_OCL_HPP

#include "oneapi/dnnl/dnnl.hpp"
#include "oneapi/dnnl/dnnl_ocl.h"

namespace dnnl {
namespace ocl_interop {

enum class memory_kind {
    usm = dnnl_ocl_interop_usm,
    buffer = dnnl_ocl_interop_buffer,
};

inline dnnl_ocl_interop_memory_kind_t convert_to_c(memory_kind kind) {
    return static_cast<dnnl_ocl_interop_memory_kind_t>(kind);
}

/// Tells whether a cache blob fits: equal for equal devices and libraries.
inline std::vector<uint8_t> get_engine_cache_blob_id(cl_device_id device) {
    return detail::read_blob("could not get the id of an engine's cache blob",
                             [=](size_t *size, uint8_t *bytes) {
                                 return dnnl_ocl_interop_engine_get_cache_blob_id(device, size, bytes);
                             });
}

/// The kernels that an engine has built, for make_engine() in another process.
inline std::vector<uint8_t> get_engine_cache_blob(const engine &aengine) {
    return detail::read_blob("could not get the cache blob of an engine", [&](size_t *size, uint8_t *bytes) {
        return dnnl_ocl_interop_engine_get_cache_blob(aengine.get(), size, bytes);
    });
}

inline engine make_engine(cl_device_id device, cl_context context, const std::vector<uint8_t> &cache_blob) {
    return engine(detail::made<dnnl_engine_t>("could not create an engine from a cache blob",
                                              dnnl_ocl_interop_engine_create_from_cache_blob, device, context,
                                              cache_blob.size(), cache_blob.data()));
}

inline engine make_engine(cl_device_id device, cl_context context) {
    return engine(detail::made<dnnl_engine_t>("could not create an engine", dnnl_ocl_interop_engine_create,
                                              device, context));
}

inline cl_context get_context(const engine &aengine) {
    return detail::told<cl_context>("could not get the context of an engine",
                                    dnnl_ocl_interop_engine_get_context, aengine.get());
}

inline cl_device_id get_device(const engine &aengine) {
    return detail::told<cl_device_id>("could not get the device of an engine", dnnl_ocl_interop_get_device,
                                      aengine.get());
}

inline stream make_stream(const engine &aengine, cl_command_queue queue) {
    return stream(detail::made<dnnl_stream_t>("could not create a stream", dnnl_ocl_interop_stream_create,
                                              aengine.get(), queue));
}

/// Records executions into a cl_command_buffer_khr created for the queue.
inline stream make_recording_stream(const engine &aengine, cl_command_queue queue,
                                    struct _cl_command_buffer_khr *command_buffer) {
    return stream(detail::made<dnnl_stream_t>("could not create a stream that records",
                                              dnnl_ocl_interop_stream_create_recording, aengine.get(), queue,
                                              command_buffer));
}

inline cl_command_queue get_command_queue(const stream &astream) {
    return detail::told<cl_command_queue>("could not get the command queue of a stream",
                                          dnnl_ocl_interop_stream_get_command_queue, astream.get());
}

inline cl_mem get_mem_object(const memory &amemory) {
    return detail::told<cl_mem>("could not get the OpenCL buffer of a memory object",
                                dnnl_ocl_interop_memory_get_mem_object, amemory.get());
}

inline void set_mem_object(memory &amemory, cl_mem mem_object) {
    error::wrap_c_api(dnnl_ocl_interop_memory_set_mem_object(amemory.get(), mem_object),
                      "could not set the OpenCL buffer of a memory object");
}

inline memory_kind get_memory_kind(const memory &amemory) {
    return static_cast<memory_kind>(detail::told<dnnl_ocl_interop_memory_kind_t>(
            "could not get the kind of a memory object", dnnl_ocl_interop_memory_get_memory_kind,
            amemory.get()));
}

/// Uses USM pointers or buffers, one per part of the descriptor; if none is given the library allocates.
inline memory make_memory(const memory::desc &memory_desc, const engine &aengine, memory_kind kind,
                          std::vector<void *> handles = {}) {
    if (handles.empty()) handles.resize(memory_desc.get_num_handles(), DNNL_MEMORY_ALLOCATE);
    return memory(detail::made<dnnl_memory_t>(
            "could not create a memory object", dnnl_ocl_interop_memory_create_v2, memory_desc.get(),
            aengine.get(), convert_to_c(kind), static_cast<int>(handles.size()), handles.data()));
}

inline memory make_memory(const memory::desc &memory_desc, const engine &aengine, memory_kind kind,
                          void *handle) {
    return make_memory(memory_desc, aengine, kind, std::vector<void *>{handle});
}

inline memory make_memory(const memory::desc &memory_desc, const engine &aengine,
                          std::vector<cl_mem> mem_objects) {
    return make_memory(memory_desc, aengine, memory_kind::buffer,
                       std::vector<void *>(mem_objects.begin(), mem_objects.end()));
}

inline memory make_memory(const memory::desc &memory_desc, const engine &aengine, cl_mem mem_object) {
    return make_memory(memory_desc, aengine, memory_kind::buffer, std::vector<void *>{mem_object});
}

/// Runs after deps. The user must release the returned event.
inline cl_event execute(const dnnl::primitive &aprimitive, const stream &astream,
                        const std::unordered_map<int, memory> &args, const std::vector<cl_event> &deps = {}) {
    const std::vector<dnnl_exec_arg_t> c_args = detail::c_args(args, false);
    cl_event event = nullptr;
    error::wrap_c_api(dnnl_ocl_interop_primitive_execute(
                              aprimitive.get(), astream.get(), static_cast<int>(c_args.size()), c_args.data(),
                              deps.empty() ? nullptr : deps.data(), static_cast<int>(deps.size()), &event),
                      "could not execute a primitive");
    return event;
}

} // namespace ocl_interop
} // namespace dnnl

#endif
