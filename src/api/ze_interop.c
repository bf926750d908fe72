/* SPDX-License-Identifier: Apache-2.0 */
/* dnnl_ze_interop_*: engines, streams and memory from the user's Level Zero objects, and those objects back.
 */
#include "oneapi/dnnl/dnnl_ze.h"
#include "core/memory.h"
#include "core/stream.h"
#include "base/verbose.h"
#include "runtimes/level_zero/level_zero.h"

/* -- engines -- */

static struct device_origin origin_of(ze_driver_handle_t driver, ze_device_handle_t device,
                                      ze_context_handle_t context) {
    struct device_origin origin = {.kind = dnnl_gpu};
    origin.handles[HANDLE_DEVICE] = device;
    origin.handles[HANDLE_CONTEXT] = context;
    origin.handles[HANDLE_DRIVER] = driver;
    return origin;
}

dnnl_status_t dnnl_ze_interop_engine_create(dnnl_engine_t *engine, ze_driver_handle_t driver,
                                            ze_device_handle_t device, ze_context_handle_t context) {
    if (!engine || !driver || !device || !context) return fail_null("engine");
    struct device_origin origin = origin_of(driver, device, context);
    return engine_create(engine, &level_zero_runtime, &origin);
}

dnnl_status_t dnnl_ze_interop_engine_create_from_cache_blob(dnnl_engine_t *engine, ze_driver_handle_t driver,
                                                            ze_device_handle_t device,
                                                            ze_context_handle_t context, size_t size,
                                                            const uint8_t *cache_blob) {
    if (!engine || !driver || !device || !context || size == 0 || !cache_blob) return fail_null("engine");
    struct device_origin origin = origin_of(driver, device, context);
    return engine_create_restored(engine, &level_zero_runtime, &origin, size, cache_blob);
}

static bool is_ours(const struct dnnl_engine *engine) {
    return engine && engine_runtime(engine) == &level_zero_runtime;
}

static dnnl_status_t fail_foreign(const char *component) {
    return fail(dnnl_invalid_arguments, component, "not an object of the Level Zero runtime");
}

static dnnl_status_t get_handle(const struct dnnl_engine *engine, int which, void **handle) {
    if (!engine || !handle) return fail_null("engine");
    if (!is_ours(engine)) return fail_foreign("engine");
    *handle = engine->device->handles[which];
    return dnnl_success;
}

dnnl_status_t dnnl_ze_interop_engine_get_context(dnnl_engine_t engine, ze_context_handle_t *context) {
    return get_handle(engine, HANDLE_CONTEXT, (void **)context);
}

dnnl_status_t dnnl_ze_interop_engine_get_device(dnnl_engine_t engine, ze_device_handle_t *device) {
    return get_handle(engine, HANDLE_DEVICE, (void **)device);
}

dnnl_status_t dnnl_ze_interop_engine_get_driver(dnnl_engine_t engine, ze_driver_handle_t *driver) {
    return get_handle(engine, HANDLE_DRIVER, (void **)driver);
}

dnnl_status_t dnnl_ze_interop_engine_get_cache_blob_id(ze_driver_handle_t driver, ze_device_handle_t device,
                                                       size_t *size, uint8_t *cache_blob_id) {
    if (!driver || !device || !size) return fail_null("engine");
    return lz_blob_id_of(driver, device, size, cache_blob_id);
}

dnnl_status_t dnnl_ze_interop_engine_get_cache_blob(dnnl_engine_t engine, size_t *size, uint8_t *cache_blob) {
    if (!engine || !size) return fail_null("engine");
    if (!is_ours(engine)) return fail_foreign("engine");
    return lz_kernels_save(engine->device, 0, NULL, size, cache_blob);
}

/* -- streams -- */

dnnl_status_t dnnl_ze_interop_stream_create(dnnl_stream_t *stream, dnnl_engine_t engine,
                                            ze_command_list_handle_t list, int profiling) {
    if (!stream || !engine || !list) return fail_null("stream");
    if (!is_ours(engine)) return fail_foreign("stream");
    struct dnnl_stream *made = stream_new(engine, profiling ? dnnl_stream_profiling : 0);
    if (!made) return dnnl_out_of_memory;
    return stream_hand_out(stream, made, lz_stream_open_on(&made->base, list));
}

dnnl_status_t dnnl_ze_interop_stream_get_list(dnnl_stream_t stream, ze_command_list_handle_t *list) {
    if (!stream || !list) return fail_null("stream");
    if (!is_ours(stream->engine)) return fail_foreign("stream");
    *list = lz_stream_of(&stream->base)->list;
    return dnnl_success;
}

/* -- memory -- */

dnnl_status_t dnnl_ze_interop_memory_create(dnnl_memory_t *memory, const_dnnl_memory_desc_t md,
                                            dnnl_engine_t engine, int nhandles, void **handles) {
    if (!memory || !engine || (nhandles > 0 && !handles)) return fail_null("memory");
    if (!is_ours(engine)) return fail_foreign("memory");
    return memory_create(memory, md, engine, BUFFER_POINTER, nhandles, handles);
}

static dnnl_status_t check_memory(const struct dnnl_memory *memory) {
    if (!memory) return fail_null("memory");
    return is_ours(memory->engine) ? dnnl_success : fail_foreign("memory");
}

dnnl_status_t dnnl_ze_interop_memory_get_mem_object(const_dnnl_memory_t memory, void **mem_object) {
    TRY(check_memory(memory));
    if (!mem_object) return fail_null("memory");
    *mem_object = memory->buffers[0].handle;
    return dnnl_success;
}

dnnl_status_t dnnl_ze_interop_memory_set_mem_object(dnnl_memory_t memory, void *mem_object) {
    TRY(check_memory(memory));
    return memory_set_handle(memory, 0, mem_object);
}

/* -- execution -- */

static dnnl_status_t check_deps(int ndeps, const ze_event_handle_t *deps) {
    if (ndeps < 0 || (ndeps > 0 && !deps))
        return fail_exec(dnnl_invalid_arguments, "primitive", "%d dependencies, but the array is %s", ndeps,
                         deps ? "there" : "nullptr");
    for (int i = 0; i < ndeps; i++)
        if (!deps[i]) return fail_exec(dnnl_invalid_arguments, "primitive", "dependency %d is nullptr", i);
    return dnnl_success;
}

dnnl_status_t dnnl_ze_interop_primitive_execute(const_dnnl_primitive_t primitive, dnnl_stream_t stream,
                                                int nargs, const dnnl_exec_arg_t *args, int ndeps,
                                                const ze_event_handle_t *deps,
                                                ze_event_handle_t *return_event) {
    if (!primitive || !stream) return fail_null("primitive");
    if (!is_ours(stream->engine)) return fail_foreign("stream");
    TRY(check_deps(ndeps, deps));
    return primitive_execute(&(struct call){primitive, stream, nargs, args, ndeps, deps, return_event});
}

static dnnl_status_t update(struct stream *stream, ze_event_handle_t event, const struct plan *plan,
                            int nargs, const dnnl_exec_arg_t *args) {
    const struct program *program = plan->program;
    const struct buffer *buffers[program->nslots];
    uint32_t values[program->nscalars + 1];
    const uint32_t *scalars[program->nscalars + 1];
    TRY(execution_bind_update(plan, nargs, args, buffers, scalars, values));
    return lz_stream_update(stream, event, buffers, scalars);
}

dnnl_status_t dnnl_ze_interop_stream_update(dnnl_stream_t stream, ze_event_handle_t event, int nargs,
                                            const dnnl_exec_arg_t *args) {
    if (!stream || !event || (nargs > 0 && !args)) return fail_null("stream");
    if (nargs < 0) return fail(dnnl_invalid_arguments, "stream", "%d arguments", nargs);
    if (!is_ours(stream->engine)) return fail_foreign("stream");
    struct counted *owner;
    TRY(lz_stream_recorded(&stream->base, event, &owner));
    dnnl_status_t status = update(&stream->base, event, (struct plan *)owner, nargs, args);
    counted_release(owner);
    return status;
}
