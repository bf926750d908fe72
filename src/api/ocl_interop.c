/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dnnl_ocl_interop_*: engines, streams and memory objects from the user's OpenCL objects, and those objects
 * back. Checks arguments; the calls of OpenCL are in runtimes/opencl.
 */
#include "runtimes/opencl/opencl.h" /* first: it sets the version of OpenCL */
#include "core/memory.h"
#include "core/stream.h"
#include "base/verbose.h"
#include "oneapi/dnnl/dnnl_ocl.h"

#include <stdlib.h>
#include <string.h>

static bool is_ours(const struct dnnl_engine *engine) {
    return engine && engine_runtime(engine) == &opencl_runtime;
}

/* Engines */

static dnnl_status_t create_engine(dnnl_engine_t *engine, cl_device_id device, cl_context context,
                                   size_t size, const uint8_t *blob) {
    if (!engine || !device || !context) return fail_null("engine");
    struct device_origin origin = {.kind = dnnl_gpu};
    origin.handles[OPENCL_DEVICE] = device;
    origin.handles[OPENCL_CONTEXT] = context;
    return engine_create_restored(engine, &opencl_runtime, &origin, size, blob);
}

dnnl_status_t dnnl_ocl_interop_engine_create(dnnl_engine_t *engine, cl_device_id device, cl_context context) {
    return create_engine(engine, device, context, 0, NULL);
}

dnnl_status_t dnnl_ocl_interop_engine_create_from_cache_blob(dnnl_engine_t *engine, cl_device_id device,
                                                             cl_context context, size_t size,
                                                             const uint8_t *cache_blob) {
    if (size == 0 || !cache_blob) return fail_null("engine");
    return create_engine(engine, device, context, size, cache_blob);
}

dnnl_status_t dnnl_ocl_interop_engine_get_context(dnnl_engine_t engine, cl_context *context) {
    if (!is_ours(engine) || !context)
        return fail(dnnl_invalid_arguments, "engine", "null, or not an OpenCL engine");
    *context = engine->device->handles[OPENCL_CONTEXT];
    return dnnl_success;
}

dnnl_status_t dnnl_ocl_interop_get_device(dnnl_engine_t engine, cl_device_id *device) {
    if (!is_ours(engine) || !device)
        return fail(dnnl_invalid_arguments, "engine", "null, or not an OpenCL engine");
    *device = engine->device->handles[OPENCL_DEVICE];
    return dnnl_success;
}

dnnl_status_t dnnl_ocl_interop_engine_get_cache_blob_id(cl_device_id device, size_t *size,
                                                        uint8_t *cache_blob_id) {
    if (!device || !size) return fail_null("engine");
    if (!opencl_load()) return dnnl_runtime_error;
    char *key = opencl_device_key(device);
    if (!key) return dnnl_out_of_memory;
    dnnl_status_t status = blob_give(key, strlen(key), size, cache_blob_id);
    free(key);
    return status;
}

dnnl_status_t dnnl_ocl_interop_engine_get_cache_blob(dnnl_engine_t engine, size_t *size,
                                                     uint8_t *cache_blob) {
    if (!is_ours(engine) || !size)
        return fail(dnnl_invalid_arguments, "engine", "null, or not an OpenCL engine");
    return opencl_kernels_save(engine->device, 0, NULL, size, cache_blob);
}

/* Streams */

static dnnl_status_t check_new_stream(const dnnl_stream_t *stream, const struct dnnl_engine *engine,
                                      cl_command_queue queue) {
    if (stream && is_ours(engine) && queue) return dnnl_success;
    return fail(dnnl_invalid_arguments, "stream", "null, or not an OpenCL engine");
}

/* A stream on the user's queue; with a command buffer for that queue, the stream records. */
static dnnl_status_t create_stream(dnnl_stream_t *stream, dnnl_engine_t engine, cl_command_queue queue,
                                   cl_command_buffer_khr record) {
    struct dnnl_stream *made = stream_new(engine, 0);
    if (!made) return dnnl_out_of_memory;
    dnnl_status_t status = record ? opencl_stream_record(&made->base, queue, record)
                                  : opencl_stream_adopt(&made->base, queue);
    return stream_hand_out(stream, made, status);
}

dnnl_status_t dnnl_ocl_interop_stream_create(dnnl_stream_t *stream, dnnl_engine_t engine,
                                             cl_command_queue queue) {
    TRY(check_new_stream(stream, engine, queue));
    return create_stream(stream, engine, queue, NULL);
}

dnnl_status_t dnnl_ocl_interop_stream_create_recording(dnnl_stream_t *stream, dnnl_engine_t engine,
                                                       cl_command_queue queue,
                                                       cl_command_buffer_khr command_buffer) {
    TRY(check_new_stream(stream, engine, queue));
    if (!command_buffer) return fail_null("stream");
    return create_stream(stream, engine, queue, command_buffer);
}

dnnl_status_t dnnl_ocl_interop_stream_get_command_queue(dnnl_stream_t stream, cl_command_queue *queue) {
    if (!stream || !is_ours(stream->engine) || !queue)
        return fail(dnnl_invalid_arguments, "stream", "null, or not an OpenCL stream");
    *queue = ((struct opencl_stream *)stream->base.state)->queue;
    return dnnl_success;
}

/* Memory */

dnnl_status_t dnnl_ocl_interop_memory_create_v2(dnnl_memory_t *memory, const_dnnl_memory_desc_t md,
                                                dnnl_engine_t engine,
                                                dnnl_ocl_interop_memory_kind_t memory_kind, int nhandles,
                                                void **handles) {
    if (!memory || !md || !handles || !is_ours(engine))
        return fail(dnnl_invalid_arguments, "memory", "null, or not an OpenCL engine");
    if (memory_kind != dnnl_ocl_interop_usm && memory_kind != dnnl_ocl_interop_buffer)
        return fail(dnnl_invalid_arguments, "memory", "bad memory kind: %d", (int)memory_kind);
    bool usm = memory_kind == dnnl_ocl_interop_usm;
    if (usm && !opencl_device(engine->device)->has_usm)
        return fail(dnnl_unimplemented, "memory", "the device has no unified shared memory");
    return memory_create(memory, md, engine, usm ? BUFFER_POINTER : BUFFER_OBJECT, nhandles, handles);
}

dnnl_status_t dnnl_ocl_interop_memory_create(dnnl_memory_t *memory, const_dnnl_memory_desc_t md,
                                             dnnl_engine_t engine, dnnl_ocl_interop_memory_kind_t memory_kind,
                                             void *handle) {
    return dnnl_ocl_interop_memory_create_v2(memory, md, engine, memory_kind, 1, &handle);
}

dnnl_status_t dnnl_ocl_interop_memory_get_memory_kind(const_dnnl_memory_t memory,
                                                      dnnl_ocl_interop_memory_kind_t *memory_kind) {
    if (!memory || !is_ours(memory->engine) || !memory_kind)
        return fail(dnnl_invalid_arguments, "memory", "null, or not OpenCL memory");
    *memory_kind = memory->kind == BUFFER_POINTER ? dnnl_ocl_interop_usm : dnnl_ocl_interop_buffer;
    return dnnl_success;
}

static dnnl_status_t check_buffer(const struct dnnl_memory *memory) {
    if (!memory || !is_ours(memory->engine))
        return fail(dnnl_invalid_arguments, "memory", "null, or not OpenCL memory");
    if (memory->kind != BUFFER_OBJECT)
        return fail(dnnl_invalid_arguments, "memory", "USM memory has no cl_mem");
    return dnnl_success;
}

dnnl_status_t dnnl_ocl_interop_memory_get_mem_object(const_dnnl_memory_t memory, cl_mem *mem_object) {
    if (!mem_object) return fail_null("memory");
    dnnl_status_t status = check_buffer(memory);
    if (status == dnnl_success) *mem_object = memory->buffers[0].handle;
    return status;
}

dnnl_status_t dnnl_ocl_interop_memory_set_mem_object(dnnl_memory_t memory, cl_mem mem_object) {
    TRY(check_buffer(memory));
    return memory_set_handle(memory, 0, mem_object);
}

/* Execution */

/* Drivers may crash on events of another context. */
static dnnl_status_t check_events(const struct dnnl_stream *stream, const cl_event *events, int count) {
    cl_context expected = opencl_device(stream->engine->device)->context, context;
    for (int i = 0; events && i < count; i++) {
        if (!events[i])
            return fail_exec(dnnl_invalid_arguments, "opencl", "dependency %d is a null event", i);
        if (cl.GetEventInfo(events[i], CL_EVENT_CONTEXT, sizeof context, &context, NULL) != CL_SUCCESS
            || context != expected)
            return fail_exec(dnnl_invalid_arguments, "opencl", "dependency %d is of another context", i);
    }
    return dnnl_success;
}

dnnl_status_t dnnl_ocl_interop_primitive_execute(const_dnnl_primitive_t primitive, dnnl_stream_t stream,
                                                 int nargs, const dnnl_exec_arg_t *args, const cl_event *deps,
                                                 int ndeps, cl_event *return_event) {
    if (!stream || !is_ours(stream->engine))
        return fail(dnnl_invalid_arguments, "primitive", "null, or not an OpenCL stream");
    TRY(check_events(stream, deps, ndeps));
    return primitive_execute(&(struct call){primitive, stream, nargs, args, ndeps, deps, return_event});
}
