/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contexts. With one memory and one device, a context is only a name: objects and memory of all contexts may
 * be used together, and outlive them.
 */
#include "driver/driver.h"

#include <pthread.h>

static struct context *make_context(void) {
    return object_new(OBJECT_CONTEXT, sizeof(struct context), object_delete);
}

ze_result_t ZE_APICALL zeContextCreateEx(ze_driver_handle_t driver, const ze_context_desc_t *desc,
                                         uint32_t count, ze_device_handle_t *devices,
                                         ze_context_handle_t *made) {
    if (!is_driver(driver)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!desc || !made) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (desc->flags & ~(uint32_t)ZE_CONTEXT_FLAG_TBD) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    if (count && !devices) return ZE_RESULT_ERROR_INVALID_SIZE;
    for (uint32_t i = 0; i < count; i++)
        if (!is_device(devices[i])) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    struct context *context = make_context();
    if (!context) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    *made = (ze_context_handle_t)context;
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeContextCreate(ze_driver_handle_t driver, const ze_context_desc_t *desc,
                                       ze_context_handle_t *made) {
    return zeContextCreateEx(driver, desc, 0, NULL, made);
}

static struct context *the_default;

static void make_default(void) {
    the_default = make_context();
}

struct context *default_context(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_default);
    return the_default;
}

ze_context_handle_t ZE_APICALL NEW(zeDriverGetDefaultContext)(ze_driver_handle_t driver) {
    return is_driver(driver) ? (ze_context_handle_t)default_context() : NULL;
}

ze_context_handle_t ZE_APICALL NEW(zerGetDefaultContext)(void) {
    return (ze_context_handle_t)default_context();
}

ze_result_t ZE_APICALL zeContextDestroy(ze_context_handle_t handle) {
    struct context *context = to_context(handle);
    if (!context) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (context == the_default)
        return explain(ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE, "the default context belongs to the driver");
    object_close(context);
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeContextGetStatus(ze_context_handle_t context) {
    return to_context(context) ? device_status() : ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
}

ze_result_t ZE_APICALL zeContextSystemBarrier(ze_context_handle_t context, ze_device_handle_t device) {
    if (!to_context(context) || !is_device(device)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    atomic_thread_fence(memory_order_seq_cst);
    return ZE_RESULT_SUCCESS;
}

/* All memory is always resident. */
static ze_result_t check_residency(ze_context_handle_t context, ze_device_handle_t device, void *pointer,
                                   size_t size) {
    if (!to_context(context) || !is_device(device)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!pointer) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    return size ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_SIZE;
}

ze_result_t ZE_APICALL zeContextMakeMemoryResident(ze_context_handle_t context, ze_device_handle_t device,
                                                   void *pointer, size_t size) {
    return check_residency(context, device, pointer, size);
}

ze_result_t ZE_APICALL zeContextEvictMemory(ze_context_handle_t context, ze_device_handle_t device,
                                            void *pointer, size_t size) {
    return check_residency(context, device, pointer, size);
}
