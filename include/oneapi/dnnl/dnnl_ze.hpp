/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Engines, streams and memory from Level Zero objects. Handles are borrowed: they must outlive what was
 * created from them.
 */
#ifndef ONEAPI_DNNL_DNNL_ZE_HPP
#define ONEAPI_DNNL_DNNL_ZE_HPP

#include "oneapi/dnnl/dnnl.hpp"
#include "oneapi/dnnl/dnnl_ze.h"

namespace dnnl {
namespace ze_interop {

/// Tells whether a cache blob fits: equal for equal drivers, devices and libraries.
inline std::vector<uint8_t> get_engine_cache_blob_id(ze_driver_handle_t driver, ze_device_handle_t device) {
    return detail::read_blob("could not get the id of an engine's cache blob",
                             [=](size_t *size, uint8_t *bytes) {
                                 return dnnl_ze_interop_engine_get_cache_blob_id(driver, device, size, bytes);
                             });
}

/// The kernels that an engine has built, for make_engine() in another process.
inline std::vector<uint8_t> get_engine_cache_blob(const engine &aengine) {
    return detail::read_blob("could not get the cache blob of an engine", [&](size_t *size, uint8_t *bytes) {
        return dnnl_ze_interop_engine_get_cache_blob(aengine.get(), size, bytes);
    });
}

inline engine make_engine(ze_driver_handle_t driver, ze_device_handle_t device, ze_context_handle_t context,
                          const std::vector<uint8_t> &cache_blob) {
    return engine(detail::made<dnnl_engine_t>("could not create an engine from a cache blob",
                                              dnnl_ze_interop_engine_create_from_cache_blob, driver, device,
                                              context, cache_blob.size(), cache_blob.data()));
}

inline engine make_engine(ze_driver_handle_t driver, ze_device_handle_t device, ze_context_handle_t context) {
    return engine(detail::made<dnnl_engine_t>("could not create an engine", dnnl_ze_interop_engine_create,
                                              driver, device, context));
}

inline ze_context_handle_t get_context(const engine &aengine) {
    return detail::told<ze_context_handle_t>("could not get the context of an engine",
                                             dnnl_ze_interop_engine_get_context, aengine.get());
}

inline ze_device_handle_t get_device(const engine &aengine) {
    return detail::told<ze_device_handle_t>("could not get the device of an engine",
                                            dnnl_ze_interop_engine_get_device, aengine.get());
}

inline ze_driver_handle_t get_driver(const engine &aengine) {
    return detail::told<ze_driver_handle_t>("could not get the driver of an engine",
                                            dnnl_ze_interop_engine_get_driver, aengine.get());
}

/// Uses an immediate command list, or a regular one, on which primitives are recorded.
inline stream make_stream(const engine &aengine, ze_command_list_handle_t list, bool profiling = false) {
    return stream(detail::made<dnnl_stream_t>("could not create a stream", dnnl_ze_interop_stream_create,
                                              aengine.get(), list, profiling));
}

inline ze_command_list_handle_t get_list(const stream &astream) {
    return detail::told<ze_command_list_handle_t>("could not get the command list of a stream",
                                                  dnnl_ze_interop_stream_get_list, astream.get());
}

/// Uses USM pointers, one per part of the descriptor; if none is given the library allocates.
inline memory make_memory(const memory::desc &memory_desc, const engine &aengine,
                          std::vector<void *> handles = {}) {
    if (handles.empty()) handles.resize(memory_desc.get_num_handles(), DNNL_MEMORY_ALLOCATE);
    return memory(detail::made<dnnl_memory_t>("could not create a memory object",
                                              dnnl_ze_interop_memory_create, memory_desc.get(), aengine.get(),
                                              static_cast<int>(handles.size()), handles.data()));
}

inline memory make_memory(const memory::desc &memory_desc, const engine &aengine, void *handle) {
    return make_memory(memory_desc, aengine, std::vector<void *>{handle});
}

/// Runs after deps. The returned event is signalled on completion and owned by the stream.
inline ze_event_handle_t execute(const dnnl::primitive &aprimitive, const stream &astream,
                                 const std::unordered_map<int, memory> &args,
                                 const std::vector<ze_event_handle_t> &deps = {}) {
    const std::vector<dnnl_exec_arg_t> c_args = detail::c_args(args, false);
    ze_event_handle_t event = nullptr;
    error::wrap_c_api(dnnl_ze_interop_primitive_execute(
                              aprimitive.get(), astream.get(), static_cast<int>(c_args.size()), c_args.data(),
                              static_cast<int>(deps.size()), deps.empty() ? nullptr : deps.data(), &event),
                      "could not execute a primitive");
    return event;
}

/// Gives the execution that returned this event, recorded on a mutable command list, other memory for these
/// arguments. The list must be closed and not running, and must be closed again before it runs.
inline void update(const stream &astream, ze_event_handle_t event,
                   const std::unordered_map<int, memory> &args) {
    const std::vector<dnnl_exec_arg_t> c_args = detail::c_args(args, false);
    error::wrap_c_api(dnnl_ze_interop_stream_update(astream.get(), event, static_cast<int>(c_args.size()),
                                                    c_args.data()),
                      "could not update a recorded execution");
}

} // namespace ze_interop
} // namespace dnnl

#endif
