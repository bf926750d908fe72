/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of SYCL devices. SYCL allocates USM; the underlying runtime, which knows the same pointers, checks
 * and maps the user's. Buffer objects are copies of the user's, which share their memory.
 */
#include "base/verbose.h"
#include "runtimes/sycl/sycl.h"

#include <stdlib.h>
#include <string.h>

dnnl_status_t sycl_buffer_alloc(struct device *device, enum buffer_kind kind, size_t size,
                                struct buffer *buffer) {
    const struct sycl_layer *layer = sycl_layer();
    void *handle;
    dnnl_status_t status = kind == BUFFER_POINTER
                                   ? layer->usm_alloc(sycl_state(device)->opened.device, size, &handle)
                                   : layer->buffer_make(size, &handle);
    if (status != dnnl_success) return sycl_fail(status, "memory");
    *buffer = (struct buffer){.kind = kind, .handle = handle, .owned = true};
    return dnnl_success;
}

dnnl_status_t sycl_buffer_adopt(struct device *device, enum buffer_kind kind, void *handle, size_t size,
                                struct buffer *buffer) {
    struct device *under = &sycl_state(device)->under;
    if (kind == BUFFER_POINTER)
        return under->runtime->buffer_adopt(under, BUFFER_POINTER, handle, size, buffer);
    void *copy;
    dnnl_status_t status = sycl_layer()->buffer_copy(handle, size, &copy);
    if (status != dnnl_success) return sycl_fail(status, "memory");
    *buffer = (struct buffer){.kind = BUFFER_OBJECT, .handle = copy};
    return dnnl_success;
}

/* The host accessor of a mapped buffer object, shared by all its mappings. */
struct mapping {
    int count;
    void *accessor, *address;
};

static void free_object(struct buffer *buffer) {
    struct mapping *mapping = buffer->state;
    if (mapping) sycl_layer()->buffer_unmap(mapping->accessor);
    free(mapping);
    sycl_layer()->buffer_free(buffer->handle);
}

static void free_pointer(struct sycl_state *s, const struct buffer *buffer) {
    struct buffer borrowed = *buffer;
    borrowed.owned = false;
    s->under.runtime->buffer_free(&s->under, &borrowed);
    if (buffer->owned) sycl_layer()->usm_free(s->opened.device, buffer->handle);
}

void sycl_buffer_free(struct device *device, struct buffer *buffer) {
    if (buffer->kind == BUFFER_OBJECT)
        free_object(buffer);
    else
        free_pointer(sycl_state(device), buffer);
}

static dnnl_status_t open_mapping(struct buffer *buffer) {
    struct mapping *mapping = calloc(1, sizeof *mapping);
    if (!mapping) return dnnl_out_of_memory;
    dnnl_status_t status = sycl_layer()->buffer_map(buffer->handle, &mapping->accessor, &mapping->address);
    if (status != dnnl_success) {
        free(mapping);
        return sycl_fail(status, "memory");
    }
    buffer->state = mapping;
    return dnnl_success;
}

static dnnl_status_t map_object(struct sycl_state *s, struct buffer *buffer, void **address) {
    pthread_mutex_lock(&s->lock);
    dnnl_status_t status = buffer->state ? dnnl_success : open_mapping(buffer);
    if (status == dnnl_success) {
        struct mapping *mapping = buffer->state;
        mapping->count++;
        *address = mapping->address;
    }
    pthread_mutex_unlock(&s->lock);
    return status;
}

static dnnl_status_t unmap_object(struct sycl_state *s, struct buffer *buffer, const void *address) {
    pthread_mutex_lock(&s->lock);
    struct mapping *mapping = buffer->state;
    bool known = mapping && mapping->address == address;
    if (known && --mapping->count == 0) {
        sycl_layer()->buffer_unmap(mapping->accessor);
        free(mapping);
        buffer->state = NULL;
    }
    pthread_mutex_unlock(&s->lock);
    return known ? dnnl_success
                 : fail(dnnl_invalid_arguments, "memory", "the memory is not mapped at this address");
}

dnnl_status_t sycl_buffer_map(struct device *device, struct buffer *buffer, size_t size, void **address) {
    struct sycl_state *s = sycl_state(device);
    if (buffer->kind == BUFFER_OBJECT) return map_object(s, buffer, address);
    return s->under.runtime->buffer_map(&s->under, buffer, size, address);
}

dnnl_status_t sycl_buffer_unmap(struct device *device, struct buffer *buffer, void *address) {
    struct sycl_state *s = sycl_state(device);
    if (buffer->kind == BUFFER_OBJECT) return unmap_object(s, buffer, address);
    return s->under.runtime->buffer_unmap(&s->under, buffer, address);
}

/* Parameter blocks */

dnnl_status_t sycl_params_load(struct device *device, const struct program *program, void **blocks,
                               void **handle) {
    void *image;
    dnnl_status_t status =
            sycl_layer()->usm_alloc(sycl_state(device)->opened.device, program->params_size, &image);
    if (status != dnnl_success) return sycl_fail(status, "primitive");
    memcpy(image, program->params, program->params_size);
    for (int i = 0; i < program->nlaunches; i++)
        blocks[i] = (char *)image + program->launches[i]->offset;
    *handle = image;
    return dnnl_success;
}

void sycl_params_free(struct device *device, int nblocks, void **blocks, void *handle) {
    (void)nblocks, (void)blocks;
    sycl_layer()->usm_free(sycl_state(device)->opened.device, handle);
}
