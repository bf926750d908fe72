/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory objects on the buffers of any runtime. Knows only the interface of runtime.h.
 */
#include "core/memory.h"
#include "base/verbose.h"

#include <stdlib.h>
#include <string.h>

static const struct runtime *runtime_of(const struct dnnl_memory *memory) {
    return engine_runtime(memory->engine);
}

/* Buffers */

static dnnl_status_t allocate(struct buffer *buffer, struct dnnl_engine *engine, enum buffer_kind kind,
                              size_t size) {
    if (size == 0) return dnnl_success;
    dnnl_status_t status = engine_runtime(engine)->buffer_alloc(engine->device, kind, size, buffer);
    return status == dnnl_success ? status : fail(status, "memory", "%zu bytes cannot be allocated", size);
}

/* Prepares one buffer from the user's handle. */
static dnnl_status_t buffer_prepare(struct buffer *buffer, struct dnnl_engine *engine, enum buffer_kind kind,
                                    size_t size, void *handle) {
    const struct runtime *runtime = engine_runtime(engine);
    *buffer = (struct buffer){0};
    if (handle == DNNL_MEMORY_NONE) return dnnl_success;
    if (handle == DNNL_MEMORY_ALLOCATE) return allocate(buffer, engine, kind, size);
    if (runtime->buffer_adopt) return runtime->buffer_adopt(engine->device, kind, handle, size, buffer);
    *buffer = (struct buffer){.kind = BUFFER_POINTER, .handle = handle};
    return dnnl_success;
}

void buffer_release(struct buffer *buffer, struct dnnl_engine *engine) {
    const struct runtime *runtime = engine_runtime(engine);
    if (buffer->kind != BUFFER_NONE && (buffer->owned || runtime->buffer_adopt))
        runtime->buffer_free(engine->device, buffer);
    *buffer = (struct buffer){0};
}

/* Creation */

/* Checks that a memory object can have this descriptor and this number of handles. */
static dnnl_status_t check(const md_t *md, const struct dnnl_engine *engine, int nhandles) {
    if (!md || !engine)
        return fail(dnnl_invalid_arguments, "memory", "%s is NULL", md ? "engine" : "memory_desc");
    if (nhandles < 1 || nhandles > MD_MAX_HANDLES)
        return fail(dnnl_invalid_arguments, "memory", "bad number of handles: %d", nhandles);
    if (md_is_any(md)) return fail(dnnl_invalid_arguments, "memory", "the layout is undefined: format any");
    if (md_has_runtime_dims_or_strides(md))
        return fail(dnnl_invalid_arguments, "memory", "run-time dimensions or strides");
    if (!md_is_zero(md) && nhandles < md_handles(md))
        return fail(dnnl_invalid_arguments, "memory", "%d handles for a sparse tensor of %d buffers",
                    nhandles, md_handles(md));
    if (md_is_host_scalar(md)) return fail(dnnl_invalid_arguments, "memory", "a host scalar has no engine");
    if (!md_is_zero(md) && !dt_is_valid(md->data_type))
        return fail(dnnl_invalid_arguments, "memory", "unsupported data type: %d", (int)md->data_type);
    return dnnl_success;
}

size_t memory_size(const md_t *md, int handle) {
    size_t size = md_size(md, handle), lead;
    if (md->offset0 == 0 || size == 0 || size == DNNL_RUNTIME_SIZE_VAL) return size;
    if (__builtin_mul_overflow((size_t)md->offset0, (size_t)dt_bits(md->data_type), &lead)) return SIZE_MAX;
    lead = lead / 8 + (lead % 8 != 0);
    return __builtin_add_overflow(size, lead, &size) ? SIZE_MAX : size;
}

static dnnl_status_t create_with_buffers(struct dnnl_memory **memory, const md_t *md,
                                         struct dnnl_engine *engine, enum buffer_kind kind, int nbuffers,
                                         const struct buffer *buffers) {
    struct dnnl_memory *made = calloc(1, sizeof(*made));
    if (!made) return fail(dnnl_out_of_memory, "memory", "no memory for the object");
    made->md = *md;
    made->kind = kind;
    made->nhandles = nbuffers;
    memcpy(made->buffers, buffers, (size_t)nbuffers * sizeof(buffers[0]));
    made->engine = engine_retain(engine);
    *memory = made;
    return dnnl_success;
}

dnnl_status_t memory_create(struct dnnl_memory **memory, const md_t *md, struct dnnl_engine *engine,
                            enum buffer_kind kind, int nhandles, void **handles) {
    dnnl_status_t status = check(md, engine, nhandles);
    if (status != dnnl_success) return status;
    struct buffer buffers[MD_MAX_HANDLES] = {{0}};
    for (int i = 0; i < nhandles && status == dnnl_success; i++)
        status = buffer_prepare(&buffers[i], engine, kind, memory_size(md, i), handles[i]);
    if (status == dnnl_success) status = create_with_buffers(memory, md, engine, kind, nhandles, buffers);
    for (int i = 0; i < nhandles && status != dnnl_success; i++)
        buffer_release(&buffers[i], engine);
    return status;
}

void memory_destroy(struct dnnl_memory *memory) {
    if (memory->engine) {
        for (int i = 0; i < memory->nhandles; i++)
            buffer_release(&memory->buffers[i], memory->engine);
        engine_release(memory->engine);
    }
    free(memory);
}

/* Handles */

struct buffer *memory_buffer(const struct dnnl_memory *memory, int index) {
    if (index >= 0 && index < memory->nhandles) return (struct buffer *)&memory->buffers[index];
    fail(dnnl_invalid_arguments, "memory", "bad handle index: %d of %d", index, memory->nhandles);
    return NULL;
}

dnnl_status_t memory_set_handle(struct dnnl_memory *memory, int index, void *handle) {
    struct buffer *old = memory_buffer(memory, index), fresh;
    if (!old) return dnnl_invalid_arguments;
    if (handle == old->handle) return dnnl_success;
    if (handle == DNNL_MEMORY_ALLOCATE)
        return fail(dnnl_invalid_arguments, "memory", "a new handle cannot be DNNL_MEMORY_ALLOCATE");
    TRY(buffer_prepare(&fresh, memory->engine, memory->kind, memory_size(&memory->md, index), handle));
    buffer_release(old, memory->engine);
    *old = fresh;
    return dnnl_success;
}

dnnl_status_t memory_map(const struct dnnl_memory *memory, int index, void **address) {
    struct buffer *buffer = memory_buffer(memory, index);
    if (!buffer) return dnnl_invalid_arguments;
    size_t size = memory_size(&memory->md, index);
    if (buffer->kind == BUFFER_NONE || size == 0) {
        *address = NULL;
        return dnnl_success;
    }
    return runtime_of(memory)->buffer_map(memory->engine->device, buffer, size, address);
}

dnnl_status_t memory_unmap(const struct dnnl_memory *memory, int index, void *address) {
    struct buffer *buffer = memory_buffer(memory, index);
    if (!buffer) return dnnl_invalid_arguments;
    if (!address || buffer->kind == BUFFER_NONE) return dnnl_success;
    return runtime_of(memory)->buffer_unmap(memory->engine->device, buffer, address);
}

/* Zero padding */

static void zero_element(unsigned char *data, dnnl_dim_t offset, int bits) {
    if (bits == 4)
        data[offset / 2] &= offset % 2 == 0 ? 0xf0 : 0x0f; /* the first element is the low half */
    else
        memset(data + offset * (bits / 8), 0, (size_t)bits / 8);
}

/* Zeroes the elements whose position along every dimension d is in [first[d], end[d]). */
static void zero_box(const md_t *md, void *data, const dnnl_dims_t first, const dnnl_dims_t end) {
    dnnl_dims_t position;
    int bits = dt_bits(md->data_type), d;
    for (d = 0; d < md->ndims; d++)
        if (first[d] >= end[d]) return;
    memcpy(position, first, sizeof(position));
    do {
        zero_element(data, md_offset(md, position), bits);
        for (d = md->ndims - 1; d >= 0; d--) {
            if (++position[d] < end[d]) break;
            position[d] = first[d];
        }
    } while (d >= 0);
}

/* The padding is divided into one box per padded dimension, so that each element is visited once: positions
 * past the end of that dimension, inside the data along earlier dimensions, and anywhere along later ones. */
void md_zero_padding(const md_t *md, void *data) {
    dnnl_dims_t first = {0}, end = {0};
    memcpy(end, md->padded_dims, sizeof(end));
    for (int d = 0; d < md->ndims; d++) {
        first[d] = md->dims[d];
        zero_box(md, data, first, end);
        first[d] = 0;
        end[d] = md->dims[d];
    }
}

dnnl_status_t memory_zero_padding(const struct dnnl_memory *memory, struct dnnl_stream *stream) {
    const md_t *md = &memory->md;
    if (md_is_zero(md) || !md_is_blocked(md) || !md_has_padding(md)) return dnnl_success;
    if (memory->buffers[0].kind == BUFFER_NONE) return dnnl_success;

    TRY(engine_runtime(stream->engine)->stream_wait(&stream->base));
    void *data;
    dnnl_status_t status = memory_map(memory, 0, &data);
    if (status != dnnl_success || !data) return status;
    md_zero_padding(md, data);
    return memory_unmap(memory, 0, data);
}
