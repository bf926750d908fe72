/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Virtual and physical memory: reserved addresses, files in memory, and mappings of files at addresses.
 */
#define _GNU_SOURCE
#include "driver/machine.h"
#include "driver/memory.h"
#include "driver/virtual.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct physical {
    struct object object;
    struct context *context;
    size_t size;
    uint64_t id;
    int file;
    bool on_host;
};

/* A reservation, or a mapping inside one with its physical memory and access. */
struct region {
    struct span span;
    uint32_t context;
    struct physical *physical;
    uint64_t offset;
    ze_memory_access_attribute_t access;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects both trees */
static struct span *reservations, *mappings;

static struct physical *to_physical(ze_physical_mem_handle_t handle) {
    return object_is(handle, OBJECT_PHYSICAL_MEMORY) ? (struct physical *)handle : NULL;
}

static int protection(ze_memory_access_attribute_t access) {
    return access == ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE  ? PROT_READ | PROT_WRITE
           : access == ZE_MEMORY_ACCESS_ATTRIBUTE_READONLY ? PROT_READ
                                                           : PROT_NONE;
}

static ze_result_t check_range(ze_context_handle_t context, const void *pointer, size_t size) {
    if (!to_context(context)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!pointer) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if ((uintptr_t)pointer % machine()->page) return ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT;
    return size == 0 || size % machine()->page ? ZE_RESULT_ERROR_UNSUPPORTED_SIZE : ZE_RESULT_SUCCESS;
}

/* -- reservations -- */

ze_result_t ZE_APICALL zeVirtualMemQueryPageSize(ze_context_handle_t context, ze_device_handle_t device,
                                                 size_t size, size_t *page) {
    if (!to_context(context) || !is_device(device)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!page) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (size == 0) return ZE_RESULT_ERROR_UNSUPPORTED_SIZE;
    *page = machine()->page;
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeVirtualMemReserve(ze_context_handle_t context, const void *start, size_t size,
                                           void **pointer) {
    if (!to_context(context)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!pointer) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (size == 0 || size % machine()->page) return ZE_RESULT_ERROR_UNSUPPORTED_SIZE;
    struct region *region = calloc(1, sizeof *region);
    if (!region) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    void *base = mmap((void *)start, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) {
        free(region);
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    *region = (struct region){.span = {.base = (uintptr_t)base, .length = size},
                              .context = to_context(context)->number};
    pthread_mutex_lock(&lock);
    spans_insert(&reservations, &region->span);
    pthread_mutex_unlock(&lock);
    *pointer = base;
    return ZE_RESULT_SUCCESS;
}

/* The region that contains the whole range, if it belongs to the context. Caller holds the lock. */
static struct region *find_region(struct span *tree, const struct context *context, const void *pointer,
                                  size_t size) {
    struct region *region = (struct region *)spans_find(tree, (uintptr_t)pointer);
    if (!region || region->context != context->number) return NULL;
    return size <= region->span.base + region->span.length - (uintptr_t)pointer ? region : NULL;
}

static bool is_mapped(const void *pointer, size_t size) {
    struct span *next = spans_after(mappings, (uintptr_t)pointer);
    return next && next->base < (uintptr_t)pointer + size;
}

ze_result_t ZE_APICALL zeVirtualMemFree(ze_context_handle_t context, const void *pointer, size_t size) {
    ze_result_t result = check_range(context, pointer, size);
    if (result) return result;
    pthread_mutex_lock(&lock);
    struct region *region = find_region(reservations, to_context(context), pointer, size);
    if (!region || region->span.base != (uintptr_t)pointer || region->span.length != size)
        result = explain(ZE_RESULT_ERROR_INVALID_ARGUMENT, "not a reservation");
    else if (is_mapped(pointer, size))
        result = explain(ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE, "memory is still mapped there");
    else
        spans_remove(&reservations, &region->span);
    pthread_mutex_unlock(&lock);
    if (result) return result;
    munmap((void *)pointer, size);
    free(region);
    return ZE_RESULT_SUCCESS;
}

static struct region *any_of(struct span *tree, uint32_t context) {
    if (!tree) return NULL;
    if (((struct region *)tree)->context == context) return (struct region *)tree;
    struct region *left = any_of(tree->left, context);
    return left ? left : any_of(tree->right, context);
}

/* Nothing is mapped there any more: a context with mapped memory cannot be destroyed. */
void virtual_dispose_all(const struct context *context) {
    struct region *region;
    pthread_mutex_lock(&lock);
    while ((region = any_of(reservations, context->number))) {
        spans_remove(&reservations, &region->span);
        munmap((void *)region->span.base, region->span.length);
        free(region);
    }
    pthread_mutex_unlock(&lock);
}

/* -- physical memory -- */

static int make_file(const ze_physical_mem_desc_t *desc) {
    const ze_external_memory_import_fd_t *import =
            chain_find(desc->pNext, ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMPORT_FD);
    if (import) return memory_import_file(import, desc->size);
    int file = memfd_create("lode-physical", MFD_CLOEXEC);
    if (file >= 0 && ftruncate(file, (off_t)desc->size)) {
        close(file);
        return -1;
    }
    return file;
}

/* Creates its file and counts its memory. */
static ze_result_t back_with_file(struct physical *physical, const ze_physical_mem_desc_t *desc) {
    bool imported = chain_find(desc->pNext, ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMPORT_FD) != NULL;
    const ze_result_t no_memory =
            physical->on_host ? ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY : ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY;
    if (!memory_reserve(physical->size)) return explain(no_memory, "more than this machine has");
    physical->file = make_file(desc);
    if (physical->file >= 0) return ZE_RESULT_SUCCESS;
    memory_unreserve(physical->size);
    return imported ? explain(ZE_RESULT_ERROR_INVALID_ARGUMENT, "not a descriptor, or its file is too small")
                    : no_memory;
}

ze_result_t ZE_APICALL zePhysicalMemCreate(ze_context_handle_t context, ze_device_handle_t device,
                                           ze_physical_mem_desc_t *desc, ze_physical_mem_handle_t *made) {
    static _Atomic uint64_t numbers;
    if (!to_context(context) || (device && !is_device(device))) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!desc || !made) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    bool on_host = desc->flags & NEW_PHYSICAL_MEM_FLAG_ALLOCATE_ON_HOST;
    if (!device && !on_host) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (desc->flags > 3) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    if (desc->size == 0 || desc->size % machine()->page || desc->size > machine()->memory)
        return ZE_RESULT_ERROR_UNSUPPORTED_SIZE;
    struct physical *physical = object_new(OBJECT_PHYSICAL_MEMORY, sizeof *physical);
    if (!physical) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    physical->context = to_context(context);
    physical->size = desc->size;
    physical->id = atomic_fetch_add(&numbers, 1) + 1;
    physical->on_host = on_host;
    ze_result_t result = back_with_file(physical, desc);
    if (result) {
        object_delete(physical);
        return result;
    }
    object_lend(physical->context);
    *made = (ze_physical_mem_handle_t)physical;
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zePhysicalMemDestroy(ze_context_handle_t context, ze_physical_mem_handle_t handle) {
    struct physical *physical = to_physical(handle);
    if (!to_context(context) || !physical || physical->context != to_context(context))
        return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (object_in_use(physical))
        return explain(ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE, "the physical memory is still mapped");
    close(physical->file);
    memory_unreserve(physical->size);
    object_return(physical->context);
    object_delete(physical);
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL NEW(zePhysicalMemGetProperties)(ze_context_handle_t context,
                                                       ze_physical_mem_handle_t handle,
                                                       struct ze_physical_mem_properties *properties) {
    struct physical *physical = to_physical(handle);
    if (!to_context(context) || !physical || physical->context != to_context(context))
        return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!properties) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    properties->id = physical->id;
    properties->size = physical->size;
    ze_external_memory_export_fd_t *export =
            (void *)chain_find(properties->pNext, ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_FD);
    if (export) export->fd = fcntl(physical->file, F_DUPFD_CLOEXEC, 0);
    return ZE_RESULT_SUCCESS;
}

/* -- mappings -- */

static struct region *region_new(const struct region *like, uintptr_t base, size_t length, uint64_t offset) {
    struct region *region = malloc(sizeof *region);
    if (!region) return NULL;
    *region = *like;
    region->span = (struct span){.base = base, .length = length};
    region->offset = offset;
    return region;
}

/* Maps the memory and records the mapping. Caller holds the lock. */
static ze_result_t map(const struct context *context, const struct region *like, struct region *region) {
    void *base = (void *)like->span.base;
    if (!find_region(reservations, context, base, like->span.length))
        return explain(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the addresses are not reserved");
    if (is_mapped(base, like->span.length))
        return explain(ZE_RESULT_ERROR_INVALID_ARGUMENT, "memory is already mapped there");
    void *mapped = mmap(base, like->span.length, protection(like->access), MAP_SHARED | MAP_FIXED,
                        like->physical->file, (off_t)like->offset);
    if (mapped == MAP_FAILED) return ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY;
    spans_insert(&mappings, &region->span);
    object_lend(region->physical);
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeVirtualMemMap(ze_context_handle_t context, const void *pointer, size_t size,
                                       ze_physical_mem_handle_t handle, size_t offset,
                                       ze_memory_access_attribute_t access) {
    ze_result_t result = check_range(context, pointer, size);
    if (result) return result;
    struct physical *physical = to_physical(handle);
    if (!physical || physical->context != to_context(context)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if ((uint32_t)access > ZE_MEMORY_ACCESS_ATTRIBUTE_READONLY) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    if (offset % machine()->page) return ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT;
    if (offset > physical->size || size > physical->size - offset) return ZE_RESULT_ERROR_UNSUPPORTED_SIZE;
    const struct region like = {.span = {.base = (uintptr_t)pointer, .length = size},
                                .context = to_context(context)->number,
                                .physical = physical,
                                .offset = offset,
                                .access = access};
    struct region *region = region_new(&like, like.span.base, size, offset);
    if (!region) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    pthread_mutex_lock(&lock);
    result = map(to_context(context), &like, region);
    pthread_mutex_unlock(&lock);
    if (result) free(region);
    return result;
}

/* Splits a mapping at an address inside it. Caller holds the lock. */
static bool split_region(struct region *region, uintptr_t at) {
    if (at <= region->span.base || at >= region->span.base + region->span.length) return true;
    size_t first = at - region->span.base;
    struct region *rest = region_new(region, at, region->span.length - first, region->offset + first);
    if (!rest) return false;
    region->span.length = first;
    object_lend(region->physical);
    spans_insert(&mappings, &rest->span);
    return true;
}

/* Splits mappings so that the range is a whole number of them. False if part of it is not mapped or belongs
 * to another reservation, or when out of memory. */
static bool isolate(const struct context *context, uintptr_t base, size_t size) {
    if (!find_region(reservations, context, (void *)base, size)) return false;
    for (uintptr_t at = base; at < base + size;) {
        struct region *region = (struct region *)spans_find(mappings, at);
        if (!region || region->context != context->number) return false;
        if (!split_region(region, at)) return false;
        region = (struct region *)spans_find(mappings, at);
        if (!split_region(region, base + size)) return false;
        at = region->span.base + region->span.length;
    }
    return true;
}

ze_result_t ZE_APICALL zeVirtualMemUnmap(ze_context_handle_t context, const void *pointer, size_t size) {
    ze_result_t result = check_range(context, pointer, size);
    if (result) return result;
    uintptr_t base = (uintptr_t)pointer, end = base + size;
    pthread_mutex_lock(&lock);
    if (!isolate(to_context(context), base, size))
        result = explain(ZE_RESULT_ERROR_INVALID_ARGUMENT, "not mapped");
    for (struct span *span; !result && (span = spans_after(mappings, base)) && span->base < end;) {
        spans_remove(&mappings, span);
        object_return(((struct region *)span)->physical);
        free(span);
    }
    if (!result)
        mmap((void *)pointer, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
             0);
    pthread_mutex_unlock(&lock);
    return result;
}

bool virtual_look_up(const struct context *context, const void *pointer, struct allocation *found) {
    pthread_mutex_lock(&lock);
    const struct region *region = find_region(mappings, context, pointer, 1);
    if (region)
        *found = (struct allocation){.span = region->span,
                                     .size = region->span.length,
                                     .type = region->physical->on_host ? ZE_MEMORY_TYPE_HOST
                                                                       : ZE_MEMORY_TYPE_DEVICE,
                                     .context = context->number,
                                     .has_device = !region->physical->on_host,
                                     .id = region->physical->id,
                                     .file = -1};
    pthread_mutex_unlock(&lock);
    return region != NULL;
}

ze_result_t ZE_APICALL zeVirtualMemSetAccessAttribute(ze_context_handle_t context, const void *pointer,
                                                      size_t size, ze_memory_access_attribute_t access) {
    ze_result_t result = check_range(context, pointer, size);
    if (result) return result;
    if ((uint32_t)access > ZE_MEMORY_ACCESS_ATTRIBUTE_READONLY) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    uintptr_t base = (uintptr_t)pointer, end = base + size;
    pthread_mutex_lock(&lock);
    if (!isolate(to_context(context), base, size))
        result = explain(ZE_RESULT_ERROR_INVALID_ARGUMENT, "not mapped");
    if (!result && mprotect((void *)pointer, size, protection(access))) result = ZE_RESULT_ERROR_UNKNOWN;
    for (struct span *span = spans_after(mappings, base); !result && span && span->base < end;
         span = spans_after(mappings, span->base + span->length))
        ((struct region *)span)->access = access;
    pthread_mutex_unlock(&lock);
    return result;
}

/* Returns the access of the first page and how much of the range, from its start, has the same. */
ze_result_t ZE_APICALL zeVirtualMemGetAccessAttribute(ze_context_handle_t context, const void *pointer,
                                                      size_t size, ze_memory_access_attribute_t *access,
                                                      size_t *extent) {
    ze_result_t result = check_range(context, pointer, size);
    if (result) return result;
    if (!access || !extent) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    uintptr_t base = (uintptr_t)pointer, at = base;
    pthread_mutex_lock(&lock);
    const struct region *first = find_region(mappings, to_context(context), pointer, 1);
    if (!first) result = explain(ZE_RESULT_ERROR_INVALID_ARGUMENT, "not mapped");
    for (const struct region *next = first; next && next->access == first->access && at < base + size;
         next = find_region(mappings, to_context(context), (void *)at, 1))
        at = next->span.base + next->span.length;
    if (!result) {
        *access = first->access;
        *extent = at - base < size ? at - base : size;
    }
    pthread_mutex_unlock(&lock);
    return result;
}
