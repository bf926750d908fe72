/* SPDX-License-Identifier: Apache-2.0 */
/* Level Zero for tests. */
#define _GNU_SOURCE
#include "runtimes/ze.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

struct ze_functions ze;
ze_driver_handle_t ze_driver;
ze_device_handle_t ze_device;

static bool bind_functions(void *library) {
#define ZE_FIND(name)                                                                                        \
    *(void **)&ze.name = dlsym(library, #name);                                                              \
    if (!ze.name) return false;
    ZE_FUNCTIONS(ZE_FIND)
    return true;
}

static bool has_device(const char *name) {
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    uint32_t drivers = 1, devices = 1;
    return library && bind_functions(library) && ze.zeInit(0) == ZE_RESULT_SUCCESS
           && ze.zeDriverGet(&drivers, &ze_driver) == ZE_RESULT_SUCCESS && drivers > 0
           && ze.zeDeviceGet(ze_driver, &devices, &ze_device) == ZE_RESULT_SUCCESS && devices > 0;
}

bool ze_open(void) {
    const char *driver = getenv("LODE_TEST_DRIVER");
    return has_device("libze_loader.so.1") || has_device(driver ? driver : "libze_lode_cpu.so.1");
}

ze_context_handle_t ze_make_context(void) {
    const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_context_handle_t context;
    ze_ok(ze.zeContextCreate(ze_driver, &desc, &context));
    return context;
}

ze_command_list_handle_t ze_make_immediate(ze_context_handle_t context, unsigned flags, bool synchronous) {
    const ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                          .flags = flags,
                                          .mode = synchronous ? ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS
                                                              : ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    ze_command_list_handle_t list = NULL;
    ze_result_t result = ze.zeCommandListCreateImmediate(context, ze_device, &desc, &list);
    /* An older validation layer refuses the flag. */
    if (result == ZE_RESULT_ERROR_INVALID_ENUMERATION && flags)
        return ze_make_immediate(context, 0, synchronous);
    ze_ok(result);
    return list;
}

ze_command_list_handle_t ze_make_regular(ze_context_handle_t context, const void *extensions) {
    const ze_command_list_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC, .pNext = extensions};
    ze_command_list_handle_t list;
    ze_ok(ze.zeCommandListCreate(context, ze_device, &desc, &list));
    return list;
}

ze_command_list_handle_t ze_make_mutable(ze_context_handle_t context) {
    enum { STYPE_MUTABLE_COMMAND_LIST_EXP_DESC = 0x20016 };
    const struct {
        ze_structure_type_t stype;
        const void *pNext;
        uint32_t flags;
    } extension = {.stype = (ze_structure_type_t)STYPE_MUTABLE_COMMAND_LIST_EXP_DESC};
    const ze_command_list_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC, .pNext = &extension};
    ze_command_list_handle_t list = NULL;
    return ze.zeCommandListCreate(context, ze_device, &desc, &list) == ZE_RESULT_SUCCESS ? list : NULL;
}

ze_command_queue_handle_t ze_make_queue(ze_context_handle_t context) {
    const ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                          .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    ze_command_queue_handle_t queue;
    ze_ok(ze.zeCommandQueueCreate(context, ze_device, &desc, &queue));
    return queue;
}

void ze_run(ze_command_queue_handle_t queue, ze_command_list_handle_t list) {
    ze_ok(ze.zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
    ze_ok(ze.zeCommandQueueSynchronize(queue, UINT64_MAX));
}

void *ze_alloc(ze_context_handle_t context, ze_memory_type_t type, size_t size) {
    const ze_device_mem_alloc_desc_t device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    const ze_host_mem_alloc_desc_t host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    void *pointer = NULL;
    if (type == ZE_MEMORY_TYPE_HOST)
        ze_ok(ze.zeMemAllocHost(context, &host, size, 64, &pointer));
    else if (type == ZE_MEMORY_TYPE_SHARED)
        ze_ok(ze.zeMemAllocShared(context, &device, &host, size, 64, ze_device, &pointer));
    else
        ze_ok(ze.zeMemAllocDevice(context, &device, size, 64, ze_device, &pointer));
    return pointer;
}
