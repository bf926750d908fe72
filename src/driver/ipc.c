/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shares memory and event pools with other processes. A handle names a file in memory by the descriptor and
 * the process that has it open, and by its inode, so that a descriptor which the program passed itself is
 * recognised.
 */
#define _GNU_SOURCE
#include "driver/event.h"
#include "driver/memory.h"
#include "driver/virtual.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define IPC_MAGIC UINT32_C(0x4c697063)

enum ipc_kind { IPC_MEMORY = 1, IPC_EVENTS };

struct ipc_handle {
    int32_t descriptor; /* first, where programs that pass descriptors expect it; they may overwrite it */
    uint32_t magic;
    uint64_t device, inode;
    int32_t process, original; /* where to open the file if `descriptor` is not valid here */
    uint32_t kind, count;      /* events of a pool */
    uint64_t offset, size;     /* memory: where it is in the file */
    uint32_t type, flags;      /* of memory, of pools */
};
_Static_assert(sizeof(struct ipc_handle) <= ZE_MAX_IPC_HANDLE_SIZE, "a handle has 64 bytes");

static bool name_file(int file, enum ipc_kind kind, struct ipc_handle *handle) {
    struct stat status;
    if (fstat(file, &status)) return false;
    *handle = (struct ipc_handle){
            .descriptor = file,
            .magic = IPC_MAGIC,
            .device = status.st_dev,
            .inode = status.st_ino,
            .process = getpid(),
            .original = file,
            .kind = kind,
    };
    return true;
}

static bool is_file(int file, const struct ipc_handle *handle) {
    struct stat status;
    return file >= 0 && !fstat(file, &status) && status.st_dev == handle->device
           && status.st_ino == handle->inode;
}

/* Opens the file of a handle: a new descriptor, or -1. */
static int open_file(const struct ipc_handle *handle) {
    if (is_file(handle->descriptor, handle)) return fcntl(handle->descriptor, F_DUPFD_CLOEXEC, 0);
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)handle->process, (int)handle->original);
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file >= 0 && !is_file(file, handle)) {
        close(file);
        file = -1;
    }
    return file;
}

static ze_result_t read_handle(const void *data, enum ipc_kind kind, struct ipc_handle *handle) {
    memcpy(handle, data, sizeof *handle);
    if (handle->magic != IPC_MAGIC || handle->kind != (uint32_t)kind)
        return explain(ZE_RESULT_ERROR_INVALID_ARGUMENT, "not a handle of this driver");
    return ZE_RESULT_SUCCESS;
}

/* -- memory -- */

ze_result_t ZE_APICALL zeMemGetIpcHandle(ze_context_handle_t context, const void *pointer,
                                         ze_ipc_mem_handle_t *answer) {
    if (!to_context(context)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!pointer || !answer) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    struct allocation allocation;
    ze_result_t result = find_shareable(pointer, &allocation);
    if (result) return result;
    struct ipc_handle handle;
    if (!name_file(allocation.file, IPC_MEMORY, &handle)) return ZE_RESULT_ERROR_UNKNOWN;
    handle.offset = allocation.offset;
    handle.size = allocation.size;
    handle.type = allocation.type;
    memset(answer, 0, sizeof *answer);
    memcpy(answer->data, &handle, sizeof handle);
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL NEW(zeMemGetIpcHandleWithProperties)(ze_context_handle_t context, const void *pointer,
                                                            void *extensions, ze_ipc_mem_handle_t *answer) {
    const struct ze_ipc_mem_handle_type_ext_desc *type =
            chain_find(extensions, NEW_STYPE_IPC_MEM_HANDLE_TYPE_DESC);
    if (type && type->typeFlags > 1) return ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION;
    return zeMemGetIpcHandle(context, pointer, answer);
}

/* A handle owns nothing, so there is nothing to release. */
ze_result_t ZE_APICALL NEW(zeMemPutIpcHandle)(ze_context_handle_t context, ze_ipc_mem_handle_t data) {
    struct ipc_handle handle;
    if (!to_context(context)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    return read_handle(data.data, IPC_MEMORY, &handle);
}

ze_result_t ZE_APICALL zeMemOpenIpcHandle(ze_context_handle_t context, ze_device_handle_t device,
                                          ze_ipc_mem_handle_t data, ze_ipc_memory_flags_t flags,
                                          void **pointer) {
    if (!to_context(context) || !is_device(device)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!pointer) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (flags > 3) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    struct ipc_handle handle;
    ze_result_t result = read_handle(data.data, IPC_MEMORY, &handle);
    if (result) return result;
    struct stat status;
    int file = open_file(&handle);
    if (file < 0 || fstat(file, &status) || (uint64_t)status.st_size < handle.offset
        || (uint64_t)status.st_size - handle.offset < handle.size || handle.size == 0) {
        if (file >= 0) close(file);
        return explain(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the handle's memory cannot be opened");
    }
    const struct allocation like = {.type = (ze_memory_type_t)handle.type,
                                    .has_device = true,
                                    .imported = true,
                                    .file = file,
                                    .offset = handle.offset};
    result = memory_map(&like, handle.size, 0, pointer);
    if (result) close(file);
    return result;
}

ze_result_t ZE_APICALL zeMemCloseIpcHandle(ze_context_handle_t context, const void *pointer) {
    if (!to_context(context)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!pointer) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    struct allocation *allocation = memory_take((void *)pointer, true);
    if (!allocation) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    memory_dispose(allocation);
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL NEW(zeMemGetFileDescriptorFromIpcHandleExp)(ze_context_handle_t context,
                                                                   ze_ipc_mem_handle_t data,
                                                                   uint64_t *descriptor) {
    if (!to_context(context)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!descriptor) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    struct ipc_handle handle;
    ze_result_t result = read_handle(data.data, IPC_MEMORY, &handle);
    if (!result) *descriptor = (uint64_t)handle.descriptor;
    return result;
}

/* Covers the whole file, whoever created it. */
ze_result_t ZE_APICALL NEW(zeMemGetIpcHandleFromFileDescriptorExp)(ze_context_handle_t context,
                                                                   uint64_t descriptor,
                                                                   ze_ipc_mem_handle_t *answer) {
    if (!to_context(context)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!answer) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    struct ipc_handle handle;
    struct stat status;
    if (descriptor > INT32_MAX || !name_file((int)descriptor, IPC_MEMORY, &handle)
        || fstat((int)descriptor, &status))
        return explain(ZE_RESULT_ERROR_INVALID_ARGUMENT, "not an open descriptor");
    handle.size = (uint64_t)status.st_size;
    handle.type = ZE_MEMORY_TYPE_DEVICE;
    memset(answer, 0, sizeof *answer);
    memcpy(answer->data, &handle, sizeof handle);
    return ZE_RESULT_SUCCESS;
}

/* -- event pools -- */

ze_result_t ZE_APICALL zeEventPoolGetIpcHandle(ze_event_pool_handle_t pool_handle,
                                               ze_ipc_event_pool_handle_t *answer) {
    struct event_pool *pool = to_event_pool(pool_handle);
    if (!pool) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!answer) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    struct ipc_handle handle;
    if (pool->file < 0 || !name_file(pool->file, IPC_EVENTS, &handle))
        return explain(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the pool was not created for IPC");
    handle.count = pool->count;
    handle.flags = pool->flags;
    memset(answer, 0, sizeof *answer);
    memcpy(answer->data, &handle, sizeof handle);
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL NEW(zeEventPoolPutIpcHandle)(ze_context_handle_t context,
                                                    ze_ipc_event_pool_handle_t data) {
    struct ipc_handle handle;
    if (!to_context(context)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    return read_handle(data.data, IPC_EVENTS, &handle);
}

ze_result_t ZE_APICALL zeEventPoolOpenIpcHandle(ze_context_handle_t context, ze_ipc_event_pool_handle_t data,
                                                ze_event_pool_handle_t *made) {
    if (!to_context(context)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!made) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    struct ipc_handle handle;
    ze_result_t result = read_handle(data.data, IPC_EVENTS, &handle);
    if (result) return result;
    struct stat status;
    int file = open_file(&handle);
    if (file < 0 || fstat(file, &status) || handle.count == 0
        || (uint64_t)status.st_size < (uint64_t)handle.count * sizeof(struct event_slot)) {
        if (file >= 0) close(file);
        return explain(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the handle's pool cannot be opened");
    }
    const struct event_pool like = {
            .count = handle.count, .flags = handle.flags, .file = file, .imported = true};
    return event_pool_new(to_context(context), &like, (struct event_pool **)made);
}

ze_result_t ZE_APICALL zeEventPoolCloseIpcHandle(ze_event_pool_handle_t handle) {
    struct event_pool *pool = to_event_pool(handle);
    if (!pool || !pool->imported) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    object_close(pool);
    return ZE_RESULT_SUCCESS;
}
