/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entry points of unified shared memory: allocation, query, and freeing at once, when idle or deferred.
 */
#define _GNU_SOURCE
#include "driver/deferred.h"
#include "driver/machine.h"
#include "driver/memory.h"
#include "driver/note.h"
#include "driver/stream.h"
#include "driver/virtual.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define MAX_ALIGNMENT ((size_t)1 << 30)

static ze_result_t check_request(size_t size, size_t alignment, void **pointer) {
    if (!pointer) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (size == 0) return ZE_RESULT_ERROR_UNSUPPORTED_SIZE;
    if (size > machine()->memory)
        return explain(ZE_RESULT_ERROR_UNSUPPORTED_SIZE, "larger than the device's largest allocation");
    return alignment > MAX_ALIGNMENT ? ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT : ZE_RESULT_SUCCESS;
}

/* The next power of two. */
static size_t round_alignment(size_t alignment) {
    if (is_alignment(alignment)) return alignment;
    NOTE_ONCE("an alignment that is not a power of two, rounded up: %zu", alignment);
    return (size_t)2 << (63 - __builtin_clzll(alignment));
}

static ze_result_t check_device_desc(const ze_device_mem_alloc_desc_t *desc) {
    if (!desc) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (desc->flags > 7) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    if (desc->ordinal) NOTE_ONCE("a memory ordinal that the device does not have: %u", desc->ordinal);
    return ZE_RESULT_SUCCESS;
}

static ze_result_t check_host_desc(const ze_host_mem_alloc_desc_t *desc) {
    if (!desc) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    return desc->flags > 31 ? ZE_RESULT_ERROR_INVALID_ENUMERATION : ZE_RESULT_SUCCESS;
}

/* Imports memory from a descriptor, which the program still owns. */
static ze_result_t import_file(const struct allocation *like, const ze_external_memory_import_fd_t *import,
                               size_t size, size_t alignment, void **pointer) {
    if (import->flags & ~(uint32_t)ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD)
        return ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION;
    struct allocation imported = *like;
    imported.file = memory_import_file(import, size);
    if (imported.file < 0)
        return explain(ZE_RESULT_ERROR_INVALID_ARGUMENT, "not a descriptor, or its file is too small");
    ze_result_t result = memory_map(&imported, size, alignment, pointer);
    if (result) close(imported.file);
    return result;
}

/* Imports memory of the program. */
static ze_result_t import_pointer(const struct ze_external_memmap_sysmem_ext_desc *desc, size_t size,
                                  void **pointer) {
    if (!desc->pSystemMemory || !desc->size) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (size > desc->size || desc->size > UINTPTR_MAX - (uintptr_t)desc->pSystemMemory)
        return explain(ZE_RESULT_ERROR_INVALID_ARGUMENT, "larger than the memory that the program imports");
    ze_result_t result =
            memory_borrow(desc->pSystemMemory, desc->size, (ze_memory_type_t)NEW_MEMORY_TYPE_HOST_IMPORTED);
    if (!result) *pointer = desc->pSystemMemory;
    return result;
}

static ze_result_t allocate(const struct allocation *like, const void *extensions, size_t size,
                            size_t alignment, void **pointer) {
    ze_result_t result = check_request(size, alignment, pointer);
    if (result) return result;
    alignment = round_alignment(alignment);
    deferred_reap();
    const ze_external_memory_import_fd_t *import =
            chain_find(extensions, ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMPORT_FD);
    const void *mapped = chain_find(extensions, NEW_STYPE_EXTERNAL_MEMMAP_SYSMEM_DESC);
    const ze_external_memory_export_desc_t *export =
            chain_find(extensions, ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_DESC);
    if (export && export->flags & ~(uint32_t)ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD)
        return explain(ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION,
                       "memory is exported as an opaque descriptor only");
    if (import) return import_file(like, import, size, alignment, pointer);
    if (mapped) return import_pointer(mapped, size, pointer);
    return memory_map(like, size, alignment, pointer);
}

ze_result_t ZE_APICALL zeMemAllocDevice(ze_context_handle_t context, const ze_device_mem_alloc_desc_t *desc,
                                        size_t size, size_t alignment, ze_device_handle_t device,
                                        void **pointer) {
    if (!to_context(context) || !is_device(device)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    ze_result_t result = check_device_desc(desc);
    if (result) return result;
    const struct allocation like = {.type = ZE_MEMORY_TYPE_DEVICE, .has_device = true, .file = -1};
    return allocate(&like, desc->pNext, size, alignment, pointer);
}

ze_result_t ZE_APICALL zeMemAllocHost(ze_context_handle_t context, const ze_host_mem_alloc_desc_t *desc,
                                      size_t size, size_t alignment, void **pointer) {
    if (!to_context(context)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    ze_result_t result = check_host_desc(desc);
    if (result) return result;
    const struct allocation like = {.type = ZE_MEMORY_TYPE_HOST, .file = -1};
    return allocate(&like, desc->pNext, size, alignment, pointer);
}

ze_result_t ZE_APICALL zeMemAllocShared(ze_context_handle_t context,
                                        const ze_device_mem_alloc_desc_t *device_desc,
                                        const ze_host_mem_alloc_desc_t *host_desc, size_t size,
                                        size_t alignment, ze_device_handle_t device, void **pointer) {
    if (!to_context(context) || (device && !is_device(device))) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    ze_result_t result = check_device_desc(device_desc);
    if (!result) result = check_host_desc(host_desc);
    if (result) return result;
    const struct allocation like = {.type = ZE_MEMORY_TYPE_SHARED, .has_device = device != NULL, .file = -1};
    return allocate(&like, device_desc->pNext, size, alignment, pointer);
}

ze_result_t ZE_APICALL zeMemFree(ze_context_handle_t context, void *pointer) {
    if (!to_context(context)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!pointer) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    struct allocation *allocation = memory_take(pointer, false);
    if (!allocation) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    memory_dispose(allocation);
    deferred_reap();
    return ZE_RESULT_SUCCESS;
}

static void dispose(void *allocation) {
    memory_dispose(allocation);
}

ze_result_t ZE_APICALL zeMemFreeExt(ze_context_handle_t context, const ze_memory_free_ext_desc_t *desc,
                                    void *pointer) {
    if (!to_context(context)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!desc || !pointer) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (desc->freePolicy > 3) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    if (desc->freePolicy == 0) return zeMemFree(context, pointer);
    struct allocation *allocation = memory_take(pointer, false);
    if (!allocation) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    if (desc->freePolicy & ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_BLOCKING_FREE) {
        streams_wait_all();
        memory_dispose(allocation);
    } else
        defer(dispose, allocation);
    return ZE_RESULT_SUCCESS;
}

static bool look_up(const void *pointer, struct allocation *found) {
    return memory_look_up(pointer, found) || virtual_look_up(pointer, found);
}

/* Exports a descriptor, which the program must close. */
static ze_result_t export_file(const void *pointer, ze_external_memory_export_fd_t *export) {
    if (export->flags & ~(uint32_t)ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD)
        return ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION;
    struct allocation found;
    ze_result_t result = find_shareable(pointer, &found);
    if (!result) export->fd = fcntl(found.file, F_DUPFD_CLOEXEC, 0);
    return result;
}

ze_result_t ZE_APICALL zeMemGetAllocProperties(ze_context_handle_t context, const void *pointer,
                                               ze_memory_allocation_properties_t *properties,
                                               ze_device_handle_t *device) {
    if (!to_context(context)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!pointer || !properties) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    struct allocation found = {.type = ZE_MEMORY_TYPE_UNKNOWN};
    bool is_known = look_up(pointer, &found);
    properties->type = found.type;
    properties->id = found.id;
    properties->pageSize = is_known ? machine()->page : 0;
    if (device) *device = found.has_device ? (ze_device_handle_t)&the_device : NULL;
    ze_external_memory_export_fd_t *export =
            (void *)chain_find(properties->pNext, ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_FD);
    return export && is_known ? export_file(pointer, export) : ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeMemGetAddressRange(ze_context_handle_t context, const void *pointer, void **base,
                                            size_t *size) {
    if (!to_context(context)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!pointer) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    struct allocation found;
    if (!look_up(pointer, &found))
        return explain((ze_result_t)NEW_RESULT_ERROR_ADDRESS_NOT_FOUND, "no allocation at that address");
    if (base) *base = (void *)found.span.base;
    if (size) *size = found.size;
    return ZE_RESULT_SUCCESS;
}
