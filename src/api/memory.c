/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dnnl_memory_*: memory objects. A memory keeps its engine alive; it owns the buffers that it allocated and
 * borrows the user's. Host scalars have no engine and no buffer: the value is in the object.
 */
#include "api/undeclared.h"
#include "core/memory.h"
#include "base/verbose.h"

#include <stdlib.h>
#include <string.h>

static dnnl_status_t not_for_scalars(void) {
    return fail(dnnl_invalid_arguments, "memory", "a host scalar has no data handle");
}

/* Creation */

static dnnl_status_t create(dnnl_memory_t *memory, const md_t *md, dnnl_engine_t engine, int nhandles,
                            void **handles) {
    if (!memory) return fail(dnnl_invalid_arguments, "memory", "memory is NULL");
    enum buffer_kind kind = engine ? engine_runtime(engine)->buffer_kind : BUFFER_NONE;
    return memory_create(memory, md, engine, kind, nhandles, handles);
}

dnnl_status_t dnnl_memory_create(dnnl_memory_t *memory, const_dnnl_memory_desc_t md, dnnl_engine_t engine,
                                 void *handle) {
    bool address = handle != DNNL_MEMORY_ALLOCATE && handle != DNNL_MEMORY_NONE;
    void *handles[MD_MAX_HANDLES] = {handle, handle,
                                     handle}; /* of a sparse tensor, what is not an address counts for all */
    return create(memory, md, engine, !md || md_is_zero(md) || address ? 1 : md_handles(md), handles);
}

dnnl_status_t dnnl_memory_create_v2(dnnl_memory_t *memory, const_dnnl_memory_desc_t md, dnnl_engine_t engine,
                                    int nhandles, void **handles) {
    if (!handles) return fail(dnnl_invalid_arguments, "memory", "handles is NULL");
    return create(memory, md, engine, nhandles, handles);
}

dnnl_status_t dnnl_memory_create_host_scalar(dnnl_memory_t *memory, const_dnnl_memory_desc_t md,
                                             void *value) {
    if (!memory || !md || !value)
        return fail(dnnl_invalid_arguments, "memory", "%s is NULL",
                    !memory ? "memory"
                    : !md   ? "memory_desc"
                            : "scalar_ptr");
    if (!md_is_host_scalar(md)) return fail(dnnl_invalid_arguments, "memory", "not a host scalar");
    if (!dt_is_valid(md->data_type)) return fail(dnnl_invalid_arguments, "memory", "unsupported data type");
    struct dnnl_memory *made = calloc(1, sizeof(*made));
    if (!made) return fail(dnnl_out_of_memory, "memory", "no memory for the object");
    made->md = *md;
    made->nhandles = 1;
    memcpy(&made->scalar, value, dt_size(md->data_type));
    *memory = made;
    return dnnl_success;
}

dnnl_status_t dnnl_memory_destroy(dnnl_memory_t memory) {
    if (memory) memory_destroy(memory);
    return dnnl_success;
}

/* Queries */

dnnl_status_t dnnl_memory_get_memory_desc(const_dnnl_memory_t memory, const_dnnl_memory_desc_t *md) {
    if (!memory || !md)
        return fail(dnnl_invalid_arguments, "memory", "%s is NULL", memory ? "memory_desc" : "memory");
    *md = &memory->md;
    return dnnl_success;
}

dnnl_status_t dnnl_memory_get_engine(const_dnnl_memory_t memory, dnnl_engine_t *engine) {
    if (!memory || !engine)
        return fail(dnnl_invalid_arguments, "memory", "%s is NULL", memory ? "engine" : "memory");
    *engine = memory->engine;
    return dnnl_success;
}

dnnl_status_t dnnl_memory_get_data_handle_v2(const_dnnl_memory_t memory, void **handle, int index) {
    if (!handle) return fail(dnnl_invalid_arguments, "memory", "handle is NULL");
    if (!memory) {
        *handle = NULL;
        return dnnl_success;
    }
    if (md_is_host_scalar(&memory->md)) return not_for_scalars();
    struct buffer *buffer = memory_buffer(memory, index);
    if (!buffer) return dnnl_invalid_arguments;
    *handle = buffer->handle;
    return dnnl_success;
}

dnnl_status_t dnnl_memory_get_data_handle(const_dnnl_memory_t memory, void **handle) {
    return dnnl_memory_get_data_handle_v2(memory, handle, 0);
}

dnnl_status_t dnnl_memory_set_data_handle_v2(dnnl_memory_t memory, void *handle, int index) {
    if (!memory) return fail(dnnl_invalid_arguments, "memory", "memory is NULL");
    if (md_is_host_scalar(&memory->md)) return not_for_scalars();
    return memory_set_handle(memory, index, handle);
}

dnnl_status_t dnnl_memory_set_data_handle(dnnl_memory_t memory, void *handle) {
    return dnnl_memory_set_data_handle_v2(memory, handle, 0);
}

/* Host scalars */

dnnl_status_t dnnl_memory_get_host_scalar_value(const_dnnl_memory_t memory, void *value) {
    if (!memory || !value)
        return fail(dnnl_invalid_arguments, "memory", "%s is NULL", memory ? "value" : "memory");
    if (!md_is_host_scalar(&memory->md)) return fail(dnnl_invalid_arguments, "memory", "not a host scalar");
    memcpy(value, &memory->scalar, dt_size(memory->md.data_type));
    return dnnl_success;
}

dnnl_status_t dnnl_memory_set_host_scalar_value(dnnl_memory_t memory, const void *value) {
    if (!memory || !value)
        return fail(dnnl_invalid_arguments, "memory", "%s is NULL", memory ? "value" : "memory");
    if (!md_is_host_scalar(&memory->md)) return fail(dnnl_invalid_arguments, "memory", "not a host scalar");
    memcpy(&memory->scalar, value, dt_size(memory->md.data_type));
    return dnnl_success;
}

/* Host access */

dnnl_status_t dnnl_memory_map_data_v2(const_dnnl_memory_t memory, void **mapped, int index) {
    if (!memory || !mapped)
        return fail(dnnl_invalid_arguments, "memory", "%s is NULL", memory ? "mapped_ptr" : "memory");
    if (!md_is_host_scalar(&memory->md)) return memory_map(memory, index, mapped);
    if (!memory_buffer(memory, index)) return dnnl_invalid_arguments;
    *mapped = (void *)&memory->scalar;
    return dnnl_success;
}

dnnl_status_t dnnl_memory_map_data(const_dnnl_memory_t memory, void **mapped) {
    return dnnl_memory_map_data_v2(memory, mapped, 0);
}

dnnl_status_t dnnl_memory_unmap_data_v2(const_dnnl_memory_t memory, void *mapped, int index) {
    if (!memory) return fail(dnnl_invalid_arguments, "memory", "memory is NULL");
    return memory_unmap(memory, index, mapped);
}

dnnl_status_t dnnl_memory_unmap_data(const_dnnl_memory_t memory, void *mapped) {
    return dnnl_memory_unmap_data_v2(memory, mapped, 0);
}

dnnl_status_t dnnl_impl_zero_pad(const_dnnl_memory_t memory, dnnl_stream_t stream) {
    if (!memory || !stream)
        return fail(dnnl_invalid_arguments, "memory", "%s is NULL", memory ? "stream" : "memory");
    return memory_zero_padding(memory, stream);
}
