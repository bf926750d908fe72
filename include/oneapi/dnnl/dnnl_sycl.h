/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SYCL, for C: sycl::device, context, queue, buffer, event and std::vector<sycl::event> are passed as void *
 * to the object. Objects passed in are copied, as SYCL copies its handles; returned pointers are owned by the
 * object that was queried. C++ programs use dnnl_sycl.hpp.
 */
#ifndef ONEAPI_DNNL_DNNL_SYCL_H
#define ONEAPI_DNNL_DNNL_SYCL_H

#include "oneapi/dnnl/dnnl.h"

#include "oneapi/dnnl/dnnl_sycl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

DNNL_API dnnl_status_t dnnl_sycl_interop_engine_create(dnnl_engine_t *engine, const void *device,
                                                       const void *context);
DNNL_API dnnl_status_t dnnl_sycl_interop_engine_get_context(dnnl_engine_t engine, void **context);
DNNL_API dnnl_status_t dnnl_sycl_interop_engine_get_device(dnnl_engine_t engine, void **device);

DNNL_API dnnl_status_t dnnl_sycl_interop_stream_create(dnnl_stream_t *stream, dnnl_engine_t engine,
                                                       void *queue);
DNNL_API dnnl_status_t dnnl_sycl_interop_stream_get_queue(dnnl_stream_t stream, void **queue);

/* `handle` is a USM pointer or a buffer, depending on `memory_kind`, or DNNL_MEMORY_NONE or
 * DNNL_MEMORY_ALLOCATE. */
DNNL_API dnnl_status_t dnnl_sycl_interop_memory_create(dnnl_memory_t *memory, const_dnnl_memory_desc_t md,
                                                       dnnl_engine_t engine,
                                                       dnnl_sycl_interop_memory_kind_t memory_kind,
                                                       void *handle);
DNNL_API dnnl_status_t dnnl_sycl_interop_memory_create_v2(dnnl_memory_t *memory, const_dnnl_memory_desc_t md,
                                                          dnnl_engine_t engine,
                                                          dnnl_sycl_interop_memory_kind_t memory_kind,
                                                          int nhandles, void **handles);
DNNL_API dnnl_status_t dnnl_sycl_interop_memory_get_memory_kind(const_dnnl_memory_t memory,
                                                                dnnl_sycl_interop_memory_kind_t *memory_kind);
DNNL_API dnnl_status_t dnnl_sycl_interop_memory_set_buffer(dnnl_memory_t memory, void *buffer);

/* `deps` is a std::vector<sycl::event> * or NULL, `return_event` a sycl::event * or NULL. */
DNNL_API dnnl_status_t dnnl_sycl_interop_primitive_execute(const_dnnl_primitive_t primitive,
                                                           dnnl_stream_t stream, int nargs,
                                                           const dnnl_exec_arg_t *args, const void *deps,
                                                           void *return_event);

#ifdef __cplusplus
}
#endif

#endif
