/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Initialisation and the driver handle: versions, extensions, the description of the last error.
 */
#define _GNU_SOURCE
#include "driver/driver.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define DRIVER_VERSION (1u << 24)
/* The newest whose core functions all exist, apart from images: 1.15 has counter-based events shared between
 * processes. */
#define API_VERSION ZE_MAKE_VERSION(1, 14)

struct driver the_driver = {.object.identity = OBJECT_MAGIC + OBJECT_DRIVER};
static _Atomic bool initialised;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void set_dispatch_tables(void) {
    memcpy(the_driver.object.dispatch, object_dispatch, sizeof the_driver.object.dispatch);
    memcpy(the_device.object.dispatch, object_dispatch, sizeof the_device.object.dispatch);
}

static ze_result_t initialise(bool wanted) {
    if (!wanted) return explain(ZE_RESULT_ERROR_UNINITIALIZED, "no device of the requested type");
    pthread_once(&once, set_dispatch_tables);
    atomic_store(&initialised, true);
    return ZE_RESULT_SUCCESS;
}

/* Loaders that enumerate every driver set all bits. */
ze_result_t ZE_APICALL zeInit(ze_init_flags_t flags) {
    if (flags != UINT32_MAX && flags & ~(uint32_t)(ZE_INIT_FLAG_GPU_ONLY | ZE_INIT_FLAG_VPU_ONLY))
        return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    bool gpu = device_type() == ZE_DEVICE_TYPE_GPU;
    return initialise(flags == 0 || flags == UINT32_MAX || (gpu && flags & ZE_INIT_FLAG_GPU_ONLY));
}

static ze_result_t return_one(uint32_t *count, void **handles, void *handle) {
    if (!count) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (handles && *count) handles[0] = handle;
    if (*count == 0 || *count > 1 || !handles) *count = 1;
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL NEW(zeInitDrivers)(uint32_t *count, ze_driver_handle_t *drivers,
                                          struct ze_init_driver_type_desc *desc) {
    if (!count || !desc) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (desc->flags == 0) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    bool gpu = device_type() == ZE_DEVICE_TYPE_GPU;
    ze_result_t result =
            initialise(desc->flags == UINT32_MAX || (gpu && desc->flags & NEW_INIT_DRIVER_TYPE_GPU));
    return result ? result : return_one(count, (void **)drivers, &the_driver);
}

ze_result_t ZE_APICALL zeDriverGet(uint32_t *count, ze_driver_handle_t *drivers) {
    if (!atomic_load(&initialised)) return ZE_RESULT_ERROR_UNINITIALIZED;
    return return_one(count, (void **)drivers, &the_driver);
}

ze_result_t ZE_APICALL zeDeviceGet(ze_driver_handle_t driver, uint32_t *count, ze_device_handle_t *devices) {
    if (!is_driver(driver)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    return return_one(count, (void **)devices, &the_device);
}

ze_result_t ZE_APICALL zeDriverGetApiVersion(ze_driver_handle_t driver, ze_api_version_t *version) {
    if (!is_driver(driver)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!version) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    *version = (ze_api_version_t)API_VERSION;
    return ZE_RESULT_SUCCESS;
}

/* -- the same driver and device for system management (zes) -- */

ze_result_t ZE_APICALL NEW(zesInit)(uint32_t flags) {
    return flags ? ZE_RESULT_ERROR_INVALID_ENUMERATION : initialise(true);
}

ze_result_t ZE_APICALL NEW(zesDriverGet)(uint32_t *count, ze_driver_handle_t *drivers) {
    return zeDriverGet(count, drivers);
}

ze_result_t ZE_APICALL NEW(zesDeviceGet)(ze_driver_handle_t driver, uint32_t *count,
                                         ze_device_handle_t *devices) {
    return zeDeviceGet(driver, count, devices);
}

const void *chain_find(const void *pNext, uint32_t stype) {
    const struct chain *link = pNext;
    while (link && (uint32_t)link->stype != stype)
        link = link->pNext;
    return link;
}

ze_result_t ZE_APICALL zeDriverGetProperties(ze_driver_handle_t driver, ze_driver_properties_t *properties) {
    if (!is_driver(driver)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!properties) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    properties->uuid = (ze_driver_uuid_t){.id = "Lode CPU driver"};
    properties->driverVersion = DRIVER_VERSION;
    ze_driver_memory_free_ext_properties_t *free_policies =
            (void *)chain_find(properties->pNext, ZE_STRUCTURE_TYPE_DRIVER_MEMORY_FREE_EXT_PROPERTIES);
    if (free_policies)
        free_policies->freePolicies = ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_BLOCKING_FREE
                                      | ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_DEFER_FREE;
    struct ze_driver_ddi_handles_ext_properties *handles =
            (void *)chain_find(properties->pNext, NEW_STYPE_DRIVER_DDI_HANDLES_PROPERTIES);
    if (handles) handles->flags = loader_reads_handles() ? NEW_DRIVER_DDI_HANDLES_SUPPORTED : 0;
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeDriverGetIpcProperties(ze_driver_handle_t driver,
                                                ze_driver_ipc_properties_t *properties) {
    if (!is_driver(driver)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!properties) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    properties->flags = ZE_IPC_PROPERTY_FLAG_MEMORY | ZE_IPC_PROPERTY_FLAG_EVENT_POOL;
    return ZE_RESULT_SUCCESS;
}

/* Only what works. */
#define ONE ZE_MAKE_VERSION(1, 0)
static const ze_driver_extension_properties_t extensions[] = {
        {"ZE_extension_driver_ddi_handles", ZE_MAKE_VERSION(1, 1)},
        {"ZE_extension_device_cache_line_size", ONE},
        {"ZE_extension_device_ip_version", ONE},
        {"ZE_extension_device_usablemem_size_properties", ONE},
        {"ZE_extension_device_vector_sizes", ONE},
        {"ZE_extension_eu_count", ONE},
        {"ZE_extension_event_query_kernel_timestamps", ONE},
        {"ZE_extension_external_memmap_sysmem", ONE},
        {"ZE_extension_float_atomics", ONE},
        {"ZE_extension_ipc_mem_handle_type", ONE},
        {"ZE_extension_kernel_max_group_size_properties", ONE},
        {"ZE_extension_linkage_inspection", ONE},
        {"ZE_extension_memory_free_policies", ONE},
        {"ZE_extension_relaxed_allocation_limits", ONE},
        {"ZE_extension_virtual_mem_readonly_properties", ONE},
        {"ZE_experimental_command_list_clone", ONE},
        {"ZE_experimental_event_pool_counter_based", ONE},
        {"ZE_experimental_event_query_timestamps", ONE},
        {"ZE_experimental_global_offset", ONE},
        {"ZE_experimental_immediate_command_list_append", ONE},
        {"ZE_experimental_module_program", ONE},
        {"ZE_experimental_mutable_command_list", ZE_MAKE_VERSION(1, 1)},
        {"ZE_experimental_relaxed_allocation_limits", ONE},
        {"ZE_experimental_scheduling_hints", ONE},
};

ze_result_t ZE_APICALL zeDriverGetExtensionProperties(ze_driver_handle_t driver, uint32_t *count,
                                                      ze_driver_extension_properties_t *properties) {
    if (!is_driver(driver)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!count) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    uint32_t have = sizeof extensions / sizeof extensions[0];
    if (properties && *count)
        memcpy(properties, extensions, (*count < have ? *count : have) * sizeof *extensions);
    if (!properties || *count == 0 || *count > have) *count = have;
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeDriverGetExtensionFunctionAddress(ze_driver_handle_t driver, const char *name,
                                                           void **address) {
    if (!is_driver(driver)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!name || !address) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    void *found = entry_by_name(name);
    if (!found) return explain(ZE_RESULT_ERROR_INVALID_ARGUMENT, "no extension function of that name");
    *address = found;
    return ZE_RESULT_SUCCESS;
}

static _Thread_local const char *last_reason = "";
static _Thread_local char last_text[256];

ze_result_t explain(ze_result_t result, const char *reason) {
    last_reason = reason;
    return result;
}

ze_result_t explain_with(ze_result_t result, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(last_text, sizeof last_text, format, arguments);
    va_end(arguments);
    return explain(result, last_text);
}

ze_result_t ZE_APICALL NEW(zeDriverGetLastErrorDescription)(ze_driver_handle_t driver, const char **text) {
    if (!is_driver(driver)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    return NEW(zerGetLastErrorDescription)(text);
}

ze_result_t ZE_APICALL NEW(zerGetLastErrorDescription)(const char **text) {
    if (!text) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    *text = last_reason;
    return ZE_RESULT_SUCCESS;
}

uint64_t device_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
    return ns & ((UINT64_C(1) << TIMESTAMP_BITS) - 1);
}
