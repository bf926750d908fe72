/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buffers: unified shared memory. Ours is device memory; the user's may be of any kind. The host accesses it
 * in place where it can, else through a staging copy in host memory that exists from map to unmap.
 */
#include "runtimes/level_zero/level_zero.h"

#include <stdlib.h>

enum { ALIGNMENT = 128 };

ze_result_t lz_alloc(const struct lz_device *d, size_t size, void **pointer) {
    ze_relaxed_allocation_limits_exp_desc_t relaxed = {
            .stype = ZE_STRUCTURE_TYPE_RELAXED_ALLOCATION_LIMITS_EXP_DESC,
            .flags = ZE_RELAXED_ALLOCATION_LIMITS_EXP_FLAG_MAX_SIZE};
    const ze_device_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC,
                                             .pNext = size > d->largest_allocation ? &relaxed : NULL};
    return d->ze->MemAllocDevice(d->context, &desc, size ? size : 1, ALIGNMENT, d->device, pointer);
}

void lz_free(const struct lz_device *d, void *pointer) {
    if (!d->free_policy) {
        d->ze->MemFree(d->context, pointer);
        return;
    }
    const ze_memory_free_ext_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MEMORY_FREE_EXT_DESC,
                                            .freePolicy = d->free_policy};
    d->ze->MemFreeExt(d->context, &desc, pointer);
}

dnnl_status_t lz_buffer_alloc(struct device *device, enum buffer_kind kind, size_t size,
                              struct buffer *buffer) {
    (void)kind;
    void *memory = NULL;
    ze_result_t result = lz_alloc(lz_device_of(device), size, &memory);
    if (result != ZE_RESULT_SUCCESS) return lz_fail(result, "memory", "zeMemAllocDevice");
    *buffer = (struct buffer){.kind = BUFFER_POINTER, .handle = memory, .owned = true};
    return dnnl_success;
}

/* A staging copy in host memory; in the list at buffer->state while it is mapped. */
struct staging {
    struct staging *next;
    void *copy;
    size_t size;
};

static void unstage(const struct lz_device *d, struct staging *staging) {
    if (staging->copy) d->ze->MemFree(d->context, staging->copy);
    free(staging);
}

static void free_retired(struct lz_device *d, void *pointer) {
    lz_free(d, pointer);
}

/* The device may still use the memory. If the driver has no deferred free, the memory is retired (retire.c).
 */
static void free_later(struct lz_device *d, void *pointer) {
    if (d->free_policy == ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_DEFER_FREE)
        lz_free(d, pointer);
    else
        lz_retire(d, free_retired, pointer);
}

void lz_buffer_free(struct device *device, struct buffer *buffer) {
    struct lz_device *d = lz_device_of(device);
    for (struct staging *s = buffer->state, *next; s; s = next) {
        next = s->next;
        unstage(d, s);
    }
    if (buffer->owned) free_later(d, buffer->handle);
}

/* -- the user's memory -- */

static ze_memory_type_t type_of(const struct lz_device *d, const void *pointer) {
    ze_memory_allocation_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES};
    ze_result_t result = d->ze->MemGetAllocProperties(d->context, pointer, &properties, NULL);
    return result == ZE_RESULT_SUCCESS ? properties.type : ZE_MEMORY_TYPE_UNKNOWN;
}

/* False only if the driver knows where the allocation ends and that is too early. */
static bool is_long_enough(const struct lz_device *d, const char *pointer, size_t size) {
    void *base = NULL;
    size_t whole = 0;
    if (d->ze->MemGetAddressRange(d->context, pointer, &base, &whole) != ZE_RESULT_SUCCESS || !base)
        return true;
    size_t before = (size_t)(pointer - (const char *)base);
    return before <= whole && size <= whole - before;
}

dnnl_status_t lz_buffer_adopt(struct device *device, enum buffer_kind kind, void *handle, size_t size,
                              struct buffer *buffer) {
    (void)kind;
    const struct lz_device *d = lz_device_of(device);
    bool known = type_of(d, handle) != ZE_MEMORY_TYPE_UNKNOWN;
    if (!known && !d->system_memory)
        return fail(dnnl_invalid_arguments, "memory",
                    "the pointer is not a Level Zero allocation, and the device cannot access system memory");
    if (known && !is_long_enough(d, handle, size))
        return fail(dnnl_invalid_arguments, "memory", "the allocation has fewer than %zu bytes", size);
    *buffer = (struct buffer){.kind = BUFFER_POINTER, .handle = handle};
    return dnnl_success;
}

/* -- access by the host -- */

static ze_result_t make_copy_list(struct lz_device *d) {
    if (d->copies) return ZE_RESULT_SUCCESS;
    const ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                          .ordinal = d->ordinal,
                                          .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    return d->ze->CommandListCreateImmediate(d->context, d->device, &desc, &d->copies);
}

dnnl_status_t lz_copy(struct lz_device *d, void *dst, const void *src, size_t size) {
    pthread_mutex_lock(&d->lock);
    ze_result_t result = make_copy_list(d);
    if (result == ZE_RESULT_SUCCESS)
        result = d->ze->CommandListAppendMemoryCopy(d->copies, dst, src, size, NULL, 0, NULL);
    pthread_mutex_unlock(&d->lock);
    return result == ZE_RESULT_SUCCESS ? dnnl_success
                                       : lz_fail(result, "memory", "zeCommandListAppendMemoryCopy");
}

static bool is_host_visible(const struct lz_device *d, const void *pointer) {
    return d->native || type_of(d, pointer) != ZE_MEMORY_TYPE_DEVICE;
}

static dnnl_status_t stage(struct lz_device *d, const void *from, size_t size, struct staging **made) {
    const ze_host_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    struct staging *s = calloc(1, sizeof *s);
    if (!s) return dnnl_out_of_memory;
    s->size = size;
    ze_result_t result = d->ze->MemAllocHost(d->context, &desc, size, ALIGNMENT, &s->copy);
    dnnl_status_t status = result == ZE_RESULT_SUCCESS ? lz_copy(d, s->copy, from, size)
                                                       : lz_fail(result, "memory", "zeMemAllocHost");
    if (status == dnnl_success)
        *made = s;
    else
        unstage(d, s);
    return status;
}

dnnl_status_t lz_buffer_map(struct device *device, struct buffer *buffer, size_t size, void **address) {
    struct lz_device *d = lz_device_of(device);
    if (is_host_visible(d, buffer->handle)) {
        *address = buffer->handle;
        return dnnl_success;
    }
    struct staging *staging;
    TRY(stage(d, buffer->handle, size, &staging));
    pthread_mutex_lock(&d->lock);
    staging->next = buffer->state;
    buffer->state = staging;
    pthread_mutex_unlock(&d->lock);
    *address = staging->copy;
    return dnnl_success;
}

static struct staging *take_staging(struct lz_device *d, struct buffer *buffer, const void *address) {
    pthread_mutex_lock(&d->lock);
    struct staging **link = (struct staging **)&buffer->state, *found;
    while (*link && (*link)->copy != address)
        link = &(*link)->next;
    found = *link;
    if (found) *link = found->next;
    pthread_mutex_unlock(&d->lock);
    return found;
}

dnnl_status_t lz_buffer_unmap(struct device *device, struct buffer *buffer, void *address) {
    struct lz_device *d = lz_device_of(device);
    if (address == buffer->handle) return dnnl_success;
    struct staging *staging = take_staging(d, buffer, address);
    if (!staging) return fail(dnnl_invalid_arguments, "memory", "the memory is not mapped at this address");
    dnnl_status_t status = lz_copy(d, buffer->handle, staging->copy, staging->size);
    unstage(d, staging);
    return status;
}
