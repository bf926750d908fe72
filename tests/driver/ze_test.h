/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the tests of the driver. They are plain Level Zero programs, each linked with the official loader
 * and with the driver itself. CALL() looks up by name the entry points that an old loader does not export.
 */
#ifndef LODE_TESTS_DRIVER_ZE_TEST_H
#define LODE_TESTS_DRIVER_ZE_TEST_H

#define _GNU_SOURCE
#include "driver/ze_new.h"
#include "driver/tracer.h"
#include "kernels/native.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static ze_driver_handle_t driver;
static ze_device_handle_t device;
static ze_context_handle_t context;

/* Finds the driver by name, since the machine may also have a GPU. */
static int find_device(void) {
    uint32_t ndrivers = 0;
    if (zeInit(0) || zeDriverGet(&ndrivers, NULL)) return -1;
    ze_driver_handle_t drivers[16];
    if (ndrivers > 16) ndrivers = 16;
    if (zeDriverGet(&ndrivers, drivers)) return -1;
    for (uint32_t i = 0; i < ndrivers; i++) {
        uint32_t one = 1;
        ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
        if (zeDeviceGet(drivers[i], &one, &device) || zeDeviceGetProperties(device, &properties)) continue;
        driver = drivers[i];
        if (!strncmp(properties.name, "Lode CPU", 8)) return 0;
    }
    return -1;
}

static int set_up(void **state) {
    (void)state;
    if (find_device() || start_tracer()) return -1;
    const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    return zeContextCreate(driver, &desc, &context);
}

static int tear_down(void **state) {
    (void)state;
    return zeContextDestroy(context) || stop_tracer();
}

#define assert_ok(call) assert_int_equal(call, ZE_RESULT_SUCCESS)

static inline void *function_by_name(const char *name) {
    void *function = dlsym(RTLD_DEFAULT, name);
    if (!function) assert_ok(zeDriverGetExtensionFunctionAddress(driver, name, &function));
    return function;
}
#define CALL(name) ((__typeof__(&NEW(name)))function_by_name(#name))

/* Is the validation layer on? It checks first and may return another code, or none. */
static inline int validated(void) {
    const char *on = getenv("ZE_ENABLE_VALIDATION_LAYER");
    return on && on[0] == '1';
}

static inline void *allocate_shared(size_t size) {
    const ze_device_mem_alloc_desc_t device_desc = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    const ze_host_mem_alloc_desc_t host_desc = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    void *pointer = NULL;
    assert_ok(zeMemAllocShared(context, &device_desc, &host_desc, size, 0, device, &pointer));
    return pointer;
}

static inline ze_command_list_handle_t make_immediate(ze_command_queue_mode_t mode) {
    const ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                          .flags = NEW_COMMAND_QUEUE_FLAG_IN_ORDER,
                                          .mode = mode};
    const ze_command_queue_desc_t old = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC, .mode = mode};
    ze_command_list_handle_t list = NULL;
    assert_ok(zeCommandListCreateImmediate(context, device, validated() ? &old : &desc, &list));
    return list;
}

static inline ze_command_list_handle_t make_list(void) {
    const ze_command_list_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
    ze_command_list_handle_t list = NULL;
    assert_ok(zeCommandListCreate(context, device, &desc, &list));
    return list;
}

static inline ze_command_queue_handle_t make_queue(ze_command_queue_mode_t mode) {
    const ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC, .mode = mode};
    ze_command_queue_handle_t queue = NULL;
    assert_ok(zeCommandQueueCreate(context, device, &desc, &queue));
    return queue;
}

static inline ze_event_pool_handle_t make_pool(uint32_t count, ze_event_pool_flags_t flags) {
    const ze_event_pool_desc_t desc = {
            .stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .flags = flags, .count = count};
    ze_event_pool_handle_t pool = NULL;
    assert_ok(zeEventPoolCreate(context, &desc, 1, &device, &pool));
    return pool;
}

static inline ze_event_handle_t make_event(ze_event_pool_handle_t pool, uint32_t index) {
    const ze_event_desc_t desc = {
            .stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .index = index, .signal = ZE_EVENT_SCOPE_FLAG_HOST};
    ze_event_handle_t event = NULL;
    assert_ok(zeEventCreate(pool, &desc, &event));
    return event;
}

static inline ze_module_handle_t make_module(const struct native_module *table) {
    const struct native_reference reference = {NATIVE_REFERENCE_MAGIC, (uint64_t)getpid(), table};
    const ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                                   .format = ZE_MODULE_FORMAT_NATIVE,
                                   .inputSize = sizeof reference,
                                   .pInputModule = (const uint8_t *)&reference};
    ze_module_handle_t module = NULL;
    assert_ok(zeModuleCreate(context, device, &desc, &module, NULL));
    return module;
}

static inline ze_kernel_handle_t make_kernel(ze_module_handle_t module, const char *name) {
    const ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = name};
    ze_kernel_handle_t kernel = NULL;
    assert_ok(zeKernelCreate(module, &desc, &kernel));
    return kernel;
}

#endif
