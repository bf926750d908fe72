/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenCL. The library retains the user's objects while it holds them; returned objects are not retained. Any
 * device is accepted, also a CPU.
 */
#ifndef ONEAPI_DNNL_DNNL_OCL_H
#define ONEAPI_DNNL_DNNL_OCL_H

#include "oneapi/dnnl/dnnl.h"

#include "oneapi/dnnl/dnnl_ocl_types.h"

#include <CL/cl.h>

#ifdef __cplusplus
extern "C" {
#endif

struct _cl_command_buffer_khr;

DNNL_API dnnl_status_t dnnl_ocl_interop_engine_create(dnnl_engine_t *engine, cl_device_id device,
                                                      cl_context context);
DNNL_API dnnl_status_t dnnl_ocl_interop_engine_get_context(dnnl_engine_t engine, cl_context *context);
DNNL_API dnnl_status_t dnnl_ocl_interop_get_device(dnnl_engine_t engine, cl_device_id *device);

/* A blob holds the kernels that an engine has built; the id tells whether a blob fits device and library. If
 * the buffer is NULL, only `*size` is written. */
DNNL_API dnnl_status_t dnnl_ocl_interop_engine_get_cache_blob_id(cl_device_id device, size_t *size,
                                                                 uint8_t *cache_blob_id);
DNNL_API dnnl_status_t dnnl_ocl_interop_engine_get_cache_blob(dnnl_engine_t engine, size_t *size,
                                                              uint8_t *cache_blob);
DNNL_API dnnl_status_t dnnl_ocl_interop_engine_create_from_cache_blob(dnnl_engine_t *engine,
                                                                      cl_device_id device, cl_context context,
                                                                      size_t size, const uint8_t *cache_blob);

/* In-order and out-of-order queues both work; profiling follows the queue's properties. */
DNNL_API dnnl_status_t dnnl_ocl_interop_stream_create(dnnl_stream_t *stream, dnnl_engine_t engine,
                                                      cl_command_queue queue);
/* A recording stream: executions become commands of a cl_command_buffer_khr created for `queue`. The user
 * finalizes it and enqueues it any number of times while the stream exists. (Not every CL/cl.h declares that
 * type.) */
DNNL_API dnnl_status_t
dnnl_ocl_interop_stream_create_recording(dnnl_stream_t *stream, dnnl_engine_t engine, cl_command_queue queue,
                                         struct _cl_command_buffer_khr *command_buffer);
DNNL_API dnnl_status_t dnnl_ocl_interop_stream_get_command_queue(dnnl_stream_t stream,
                                                                 cl_command_queue *queue);

/* `handle` is a USM pointer or a cl_mem, depending on `memory_kind`, or DNNL_MEMORY_NONE or
 * DNNL_MEMORY_ALLOCATE. */
DNNL_API dnnl_status_t dnnl_ocl_interop_memory_create(dnnl_memory_t *memory, const_dnnl_memory_desc_t md,
                                                      dnnl_engine_t engine,
                                                      dnnl_ocl_interop_memory_kind_t memory_kind,
                                                      void *handle);
DNNL_API dnnl_status_t dnnl_ocl_interop_memory_create_v2(dnnl_memory_t *memory, const_dnnl_memory_desc_t md,
                                                         dnnl_engine_t engine,
                                                         dnnl_ocl_interop_memory_kind_t memory_kind,
                                                         int nhandles, void **handles);
DNNL_API dnnl_status_t dnnl_ocl_interop_memory_get_memory_kind(const_dnnl_memory_t memory,
                                                               dnnl_ocl_interop_memory_kind_t *memory_kind);

/* Only for memory of the kind dnnl_ocl_interop_buffer. */
DNNL_API dnnl_status_t dnnl_ocl_interop_memory_get_mem_object(const_dnnl_memory_t memory, cl_mem *mem_object);
DNNL_API dnnl_status_t dnnl_ocl_interop_memory_set_mem_object(dnnl_memory_t memory, cl_mem mem_object);

/* Runs after `deps`. `return_event` may be NULL; the user must release a returned event. */
DNNL_API dnnl_status_t dnnl_ocl_interop_primitive_execute(const_dnnl_primitive_t primitive,
                                                          dnnl_stream_t stream, int nargs,
                                                          const dnnl_exec_arg_t *args, const cl_event *deps,
                                                          int ndeps, cl_event *return_event);

#ifdef __cplusplus
}
#endif

#endif
