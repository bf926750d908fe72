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
    struct physical *next; /* in the list of all */
    size_t size;
    uint64_t id;
    int file;
    bool on_host;
};

/* A reservation, or a mapping inside one with its physical memory and access. */
struct region {
    struct span span;
    struct physical *physical; /* held by the mapping */
    uint64_t offset;
    ze_memory_access_attribute_t access;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects everything below */
static struct span *reservations, *mappings;
static struct physical *physicals; /* those that the program has not destroyed */

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
    *region = (struct region){.span = {.base = (uintptr_t)base, .length = size}};
    pthread_mutex_lock(&lock);
    spans_insert(&reservations, &region->span);
    pthread_mutex_unlock(&lock);
    *pointer = base;
    return ZE_RESULT_SUCCESS;
}

/* The region that contains the whole range. Caller holds the lock. */
static struct region *find_region(struct span *tree, const void *pointer, size_t size) {
    struct region *region = (struct region *)spans_find(tree, (uintptr_t)pointer);
    return region && size <= region->span.base + region->span.length - (uintptr_t)pointer ? region : NULL;
}

static bool is_mapped(const void *pointer, size_t size) {
    struct span *next = spans_after(mappings, (uintptr_t)pointer);
    return next && next->base < (uintptr_t)pointer + size;
}

ze_result_t ZE_APICALL zeVirtualMemFree(ze_context_handle_t context, const void *pointer, size_t size) {
    ze_result_t result = check_range(context, pointer, size);
    if (result) return result;
    pthread_mutex_lock(&lock);
    struct region *region = find_region(reservations, pointer, size);
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

static void physical_dispose(void *pointer) {
    struct physical *physical = pointer;
    if (physical->file >= 0) {
        close(physical->file);
        memory_unreserve(physical->size);
    }
    object_delete(physical);
}

static void list_physical(struct physical *physical) {
    pthread_mutex_lock(&lock);
    physical->next = physicals;
    physicals = physical;
    pthread_mutex_unlock(&lock);
}

static void unlist_physical(struct physical *physical) {
    pthread_mutex_lock(&lock);
    struct physical **link = &physicals;
    while (*link && *link != physical)
        link = &(*link)->next;
    if (*link) *link = physical->next;
    pthread_mutex_unlock(&lock);
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
    struct physical *physical = object_new(OBJECT_PHYSICAL_MEMORY, sizeof *physical, physical_dispose);
    if (!physical) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    physical->size = desc->size;
    physical->file = -1;
    physical->id = atomic_fetch_add(&numbers, 1) + 1;
    physical->on_host = on_host;
    ze_result_t result = back_with_file(physical, desc);
    if (result) {
        object_close(physical);
        return result;
    }
    list_physical(physical);
    *made = (ze_physical_mem_handle_t)physical;
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zePhysicalMemDestroy(ze_context_handle_t context, ze_physical_mem_handle_t handle) {
    struct physical *physical = to_physical(handle);
    if (!to_context(context) || !physical) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    unlist_physical(physical);
    object_close(physical);
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL NEW(zePhysicalMemGetProperties)(ze_context_handle_t context,
                                                       ze_physical_mem_handle_t handle,
                                                       struct ze_physical_mem_properties *properties) {
    struct physical *physical = to_physical(handle);
    if (!to_context(context) || !physical) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
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
static ze_result_t map(const struct region *like, struct region *region) {
    void *base = (void *)like->span.base;
    if (!find_region(reservations, base, like->span.length))
        return explain(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the addresses are not reserved");
    if (is_mapped(base, like->span.length))
        return explain(ZE_RESULT_ERROR_INVALID_ARGUMENT, "memory is already mapped there");
    void *mapped = mmap(base, like->span.length, protection(like->access), MAP_SHARED | MAP_FIXED,
                        like->physical->file, (off_t)like->offset);
    if (mapped == MAP_FAILED) return ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY;
    spans_insert(&mappings, &region->span);
    object_hold(region->physical);
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeVirtualMemMap(ze_context_handle_t context, const void *pointer, size_t size,
                                       ze_physical_mem_handle_t handle, size_t offset,
                                       ze_memory_access_attribute_t access) {
    ze_result_t result = check_range(context, pointer, size);
    if (result) return result;
    struct physical *physical = to_physical(handle);
    if (!physical) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if ((uint32_t)access > ZE_MEMORY_ACCESS_ATTRIBUTE_READONLY) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    if (offset % machine()->page) return ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT;
    if (offset > physical->size || size > physical->size - offset) return ZE_RESULT_ERROR_UNSUPPORTED_SIZE;
    const struct region like = {.span = {.base = (uintptr_t)pointer, .length = size},
                                .physical = physical,
                                .offset = offset,
                                .access = access};
    struct region *region = region_new(&like, like.span.base, size, offset);
    if (!region) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    pthread_mutex_lock(&lock);
    result = map(&like, region);
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
    object_hold(region->physical);
    spans_insert(&mappings, &rest->span);
    return true;
}

static bool split_at(uintptr_t at) {
    struct region *region = (struct region *)spans_find(mappings, at);
    return !region || split_region(region, at);
}

/* Splits mappings at the ends of the range. It must be inside one reservation. Caller holds the lock. */
static ze_result_t isolate(uintptr_t base, size_t size) {
    if (!find_region(reservations, (void *)base, size))
        return explain(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the addresses are not reserved");
    return split_at(base) && split_at(base + size) ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
}

static bool is_wholly_mapped(uintptr_t base, size_t size) {
    for (uintptr_t at = base; at < base + size;) {
        const struct span *mapping = spans_find(mappings, at);
        if (!mapping) return false;
        at = mapping->base + mapping->length;
    }
    return true;
}

ze_result_t ZE_APICALL zeVirtualMemUnmap(ze_context_handle_t context, const void *pointer, size_t size) {
    ze_result_t result = check_range(context, pointer, size);
    if (result) return result;
    uintptr_t base = (uintptr_t)pointer, end = base + size;
    pthread_mutex_lock(&lock);
    if (!is_wholly_mapped(base, size)) result = explain(ZE_RESULT_ERROR_INVALID_ARGUMENT, "not mapped");
    if (!result) result = isolate(base, size);
    for (struct span *span; !result && (span = spans_after(mappings, base)) && span->base < end;) {
        spans_remove(&mappings, span);
        object_release(((struct region *)span)->physical);
        free(span);
    }
    if (!result)
        mmap((void *)pointer, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
             0);
    pthread_mutex_unlock(&lock);
    return result;
}

static struct allocation describe(const struct physical *physical) {
    return (struct allocation){.size = physical->size,
                               .type = physical->on_host ? ZE_MEMORY_TYPE_HOST : ZE_MEMORY_TYPE_DEVICE,
                               .has_device = !physical->on_host,
                               .id = physical->id,
                               .file = physical->file};
}

bool virtual_look_up(const void *pointer, struct allocation *found) {
    pthread_mutex_lock(&lock);
    const struct region *region = find_region(mappings, pointer, 1);
    if (region) {
        *found = describe(region->physical);
        found->span = region->span;
        found->size = region->span.length;
        found->offset = region->offset;
    }
    pthread_mutex_unlock(&lock);
    return region != NULL;
}

/* Compares addresses only: `handle` may be any pointer. */
static bool physical_look_up(const void *handle, struct allocation *found) {
    pthread_mutex_lock(&lock);
    const struct physical *physical = physicals;
    while (physical && physical != handle)
        physical = physical->next;
    if (physical) *found = describe(physical);
    pthread_mutex_unlock(&lock);
    return physical != NULL;
}

ze_result_t find_shareable(const void *pointer, struct allocation *found) {
    ze_result_t result = memory_make_shareable(pointer, found);
    if (result != ZE_RESULT_ERROR_INVALID_ARGUMENT) return result;
    return virtual_look_up(pointer, found) || physical_look_up(pointer, found) ? ZE_RESULT_SUCCESS : result;
}

/* -- access: addresses that are reserved but not mapped have none -- */

ze_result_t ZE_APICALL zeVirtualMemSetAccessAttribute(ze_context_handle_t context, const void *pointer,
                                                      size_t size, ze_memory_access_attribute_t access) {
    ze_result_t result = check_range(context, pointer, size);
    if (result) return result;
    if ((uint32_t)access > ZE_MEMORY_ACCESS_ATTRIBUTE_READONLY) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    uintptr_t base = (uintptr_t)pointer, end = base + size;
    pthread_mutex_lock(&lock);
    result = isolate(base, size);
    for (struct span *span = spans_after(mappings, base); !result && span && span->base < end;
         span = spans_after(mappings, span->base + span->length)) {
        if (mprotect((void *)span->base, span->length, protection(access))) result = ZE_RESULT_ERROR_UNKNOWN;
        if (!result) ((struct region *)span)->access = access;
    }
    pthread_mutex_unlock(&lock);
    return result;
}

/* The access at an address, and where that may change. False if it is not reserved. Caller holds the lock. */
static bool access_at(uintptr_t at, ze_memory_access_attribute_t *access, uintptr_t *end) {
    const struct region *reservation = find_region(reservations, (void *)at, 1);
    if (!reservation) return false;
    const struct region *next = (struct region *)spans_after(mappings, at);
    bool mapped = next && next->span.base <= at;
    *access = mapped ? next->access : ZE_MEMORY_ACCESS_ATTRIBUTE_NONE;
    *end = reservation->span.base + reservation->span.length;
    if (mapped)
        *end = next->span.base + next->span.length;
    else if (next && next->span.base < *end)
        *end = next->span.base;
    return true;
}

/* Returns the access of the first page and how much of the range, from its start, has the same. */
ze_result_t ZE_APICALL zeVirtualMemGetAccessAttribute(ze_context_handle_t context, const void *pointer,
                                                      size_t size, ze_memory_access_attribute_t *access,
                                                      size_t *extent) {
    ze_result_t result = check_range(context, pointer, size);
    if (result) return result;
    if (!access || !extent) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    uintptr_t base = (uintptr_t)pointer, end = base, next_end;
    ze_memory_access_attribute_t first, next;
    pthread_mutex_lock(&lock);
    bool reserved = access_at(base, &first, &end);
    while (reserved && end - base < size && access_at(end, &next, &next_end) && next == first)
        end = next_end;
    pthread_mutex_unlock(&lock);
    if (!reserved) return explain(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the addresses are not reserved");
    *access = first;
    *extent = end - base < size ? end - base : size;
    return ZE_RESULT_SUCCESS;
}
