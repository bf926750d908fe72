/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Level Zero. The user's handles are borrowed: they must outlive the objects created from them. The loader is
 * opened when the first of these functions is called.
 */
#ifndef ONEAPI_DNNL_DNNL_ZE_H
#define ONEAPI_DNNL_DNNL_ZE_H

#include "oneapi/dnnl/dnnl.h"

#include "level_zero/ze_api.h"

#ifdef __cplusplus
extern "C" {
#endif

DNNL_API dnnl_status_t dnnl_ze_interop_engine_create(dnnl_engine_t *engine, ze_driver_handle_t driver,
                                                     ze_device_handle_t device, ze_context_handle_t context);
DNNL_API dnnl_status_t dnnl_ze_interop_engine_get_context(dnnl_engine_t engine, ze_context_handle_t *context);
DNNL_API dnnl_status_t dnnl_ze_interop_engine_get_device(dnnl_engine_t engine, ze_device_handle_t *device);
DNNL_API dnnl_status_t dnnl_ze_interop_engine_get_driver(dnnl_engine_t engine, ze_driver_handle_t *driver);

/* A blob holds the kernels that an engine has built; the id tells whether a blob fits driver, device and
 * library. If the buffer is NULL, only `*size` is written. */
DNNL_API dnnl_status_t dnnl_ze_interop_engine_get_cache_blob_id(ze_driver_handle_t driver,
                                                                ze_device_handle_t device, size_t *size,
                                                                uint8_t *cache_blob_id);
DNNL_API dnnl_status_t dnnl_ze_interop_engine_get_cache_blob(dnnl_engine_t engine, size_t *size,
                                                             uint8_t *cache_blob);
DNNL_API dnnl_status_t dnnl_ze_interop_engine_create_from_cache_blob(dnnl_engine_t *engine,
                                                                     ze_driver_handle_t driver,
                                                                     ze_device_handle_t device,
                                                                     ze_context_handle_t context, size_t size,
                                                                     const uint8_t *cache_blob);

/* A stream on the user's command list: immediate, or regular, where primitives are recorded until the user
 * closes it. Nonzero `profiling` times primitives. */
DNNL_API dnnl_status_t dnnl_ze_interop_stream_create(dnnl_stream_t *stream, dnnl_engine_t engine,
                                                     ze_command_list_handle_t list, int profiling);
DNNL_API dnnl_status_t dnnl_ze_interop_stream_get_list(dnnl_stream_t stream, ze_command_list_handle_t *list);

/* `handles` are USM pointers, DNNL_MEMORY_NONE or DNNL_MEMORY_ALLOCATE. */
DNNL_API dnnl_status_t dnnl_ze_interop_memory_create(dnnl_memory_t *memory, const_dnnl_memory_desc_t md,
                                                     dnnl_engine_t engine, int nhandles, void **handles);

/* The USM pointer behind a memory object. */
DNNL_API dnnl_status_t dnnl_ze_interop_memory_get_mem_object(const_dnnl_memory_t memory, void **mem_object);
DNNL_API dnnl_status_t dnnl_ze_interop_memory_set_mem_object(dnnl_memory_t memory, void *mem_object);

/* Runs after `deps`. Unless `return_event` is NULL, `*return_event` is signalled on completion; the event is
 * owned by the stream. */
DNNL_API dnnl_status_t dnnl_ze_interop_primitive_execute(const_dnnl_primitive_t primitive,
                                                         dnnl_stream_t stream, int nargs,
                                                         const dnnl_exec_arg_t *args, int ndeps,
                                                         const ze_event_handle_t *deps,
                                                         ze_event_handle_t *return_event);

/* Gives an execution recorded on a mutable command list other memory. `event` is the one it returned, `args`
 * are the arguments to replace, with the same descriptors. The list must be closed and not running, and must
 * be closed again before it runs. dnnl_unimplemented: the driver has no mutable lists. */
DNNL_API dnnl_status_t dnnl_ze_interop_stream_update(dnnl_stream_t stream, ze_event_handle_t event, int nargs,
                                                     const dnnl_exec_arg_t *args);

#ifdef __cplusplus
}
#endif

#endif
