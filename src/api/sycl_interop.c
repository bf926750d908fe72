/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dnnl_sycl_interop_*: engines, streams and memory objects from the user's SYCL objects, and those objects
 * back. Checks arguments; the calls of SYCL are in runtimes/sycl.
 */
#include "core/memory.h"
#include "core/stream.h"
#include "base/verbose.h"
#include "oneapi/dnnl/dnnl_sycl.h"
#include "runtimes/sycl/sycl.h"

static bool is_ours(const struct dnnl_engine *engine) {
    return engine && engine_runtime(engine) == &sycl_runtime;
}

/* Engines */

/* Takes ownership of the device, unless one with the same handles is already open. */
static dnnl_status_t create_engine(dnnl_engine_t *engine, struct sycl_device *device) {
    struct sycl_opened opened;
    TRY(sycl_query_native(device, &opened));
    struct device_origin origin = {.kind = opened.native.is_cpu ? dnnl_cpu : dnnl_gpu, .objects = &opened};
    origin.handles[SYCL_DEVICE] = opened.native.device_identity;
    origin.handles[SYCL_CONTEXT] = opened.native.context_identity;
    dnnl_status_t status = engine_create(engine, &sycl_runtime, &origin);
    bool taken = status == dnnl_success && sycl_state((*engine)->device)->opened.device == device;
    if (!taken) sycl_opened_close(&opened);
    return status;
}

dnnl_status_t dnnl_sycl_interop_engine_create(dnnl_engine_t *engine, const void *device,
                                              const void *context) {
    if (!engine || !device || !context) return fail_null("engine");
    if (!sycl_layer()) return dnnl_runtime_error;
    struct sycl_device *adopted;
    dnnl_status_t status = sycl_layer()->device_adopt(device, context, &adopted);
    if (status != dnnl_success) return sycl_fail(status, "engine");
    return create_engine(engine, adopted);
}

dnnl_status_t dnnl_sycl_interop_engine_get_context(dnnl_engine_t engine, void **context) {
    if (!is_ours(engine) || !context)
        return fail(dnnl_invalid_arguments, "engine", "null, or not a SYCL engine");
    *context = (void *)sycl_state(engine->device)->opened.native.sycl_context;
    return dnnl_success;
}

dnnl_status_t dnnl_sycl_interop_engine_get_device(dnnl_engine_t engine, void **device) {
    if (!is_ours(engine) || !device)
        return fail(dnnl_invalid_arguments, "engine", "null, or not a SYCL engine");
    *device = (void *)sycl_state(engine->device)->opened.native.sycl_device;
    return dnnl_success;
}

/* Streams */

dnnl_status_t dnnl_sycl_interop_stream_create(dnnl_stream_t *stream, dnnl_engine_t engine, void *queue) {
    if (!stream || !is_ours(engine) || !queue)
        return fail(dnnl_invalid_arguments, "stream", "null, or not a SYCL engine");
    struct dnnl_stream *made = stream_new(engine, 0);
    if (!made) return dnnl_out_of_memory;
    return stream_hand_out(stream, made, sycl_stream_adopt(&made->base, queue));
}

dnnl_status_t dnnl_sycl_interop_stream_get_queue(dnnl_stream_t stream, void **queue) {
    if (!stream || !is_ours(stream->engine) || !queue)
        return fail(dnnl_invalid_arguments, "stream", "null, or not a SYCL stream");
    *queue = sycl_layer()->queue_native(stream->base.state);
    return dnnl_success;
}

/* Memory */

dnnl_status_t dnnl_sycl_interop_memory_create_v2(dnnl_memory_t *memory, const_dnnl_memory_desc_t md,
                                                 dnnl_engine_t engine,
                                                 dnnl_sycl_interop_memory_kind_t memory_kind, int nhandles,
                                                 void **handles) {
    if (!memory || !md || !handles || !is_ours(engine))
        return fail(dnnl_invalid_arguments, "memory", "null, or not a SYCL engine");
    if (memory_kind != dnnl_sycl_interop_usm && memory_kind != dnnl_sycl_interop_buffer)
        return fail(dnnl_invalid_arguments, "memory", "bad memory kind: %d", (int)memory_kind);
    bool usm = memory_kind == dnnl_sycl_interop_usm;
    return memory_create(memory, md, engine, usm ? BUFFER_POINTER : BUFFER_OBJECT, nhandles, handles);
}

dnnl_status_t dnnl_sycl_interop_memory_create(dnnl_memory_t *memory, const_dnnl_memory_desc_t md,
                                              dnnl_engine_t engine,
                                              dnnl_sycl_interop_memory_kind_t memory_kind, void *handle) {
    return dnnl_sycl_interop_memory_create_v2(memory, md, engine, memory_kind, 1, &handle);
}

dnnl_status_t dnnl_sycl_interop_memory_get_memory_kind(const_dnnl_memory_t memory,
                                                       dnnl_sycl_interop_memory_kind_t *memory_kind) {
    if (!memory || !is_ours(memory->engine) || !memory_kind)
        return fail(dnnl_invalid_arguments, "memory", "null, or not SYCL memory");
    *memory_kind = memory->kind == BUFFER_POINTER ? dnnl_sycl_interop_usm : dnnl_sycl_interop_buffer;
    return dnnl_success;
}

/* Turns USM memory into buffer memory if necessary: its handle is a buffer from now on. */
dnnl_status_t dnnl_sycl_interop_memory_set_buffer(dnnl_memory_t memory, void *buffer) {
    if (!memory || !is_ours(memory->engine) || !buffer)
        return fail(dnnl_invalid_arguments, "memory", "null, or not SYCL memory");
    enum buffer_kind before = memory->kind;
    memory->kind = BUFFER_OBJECT;
    dnnl_status_t status = memory_set_handle(memory, 0, buffer);
    if (status != dnnl_success) memory->kind = before;
    return status;
}

/* Execution */

dnnl_status_t dnnl_sycl_interop_primitive_execute(const_dnnl_primitive_t primitive, dnnl_stream_t stream,
                                                  int nargs, const dnnl_exec_arg_t *args, const void *deps,
                                                  void *return_event) {
    if (!stream || !is_ours(stream->engine))
        return fail(dnnl_invalid_arguments, "primitive", "null, or not a SYCL stream");
    return primitive_execute(
            &(struct call){primitive, stream, nargs, args, deps ? 1 : 0, deps, return_event});
}
