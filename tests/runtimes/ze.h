/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Level Zero for tests: the library that Lode itself uses, found in the same way (the loader if it has a
 * device, else the embedded driver), and the calls that tests share.
 */
#ifndef LODE_TESTS_RUNTIMES_ZE_H
#define LODE_TESTS_RUNTIMES_ZE_H

#include <level_zero/ze_api.h>
#include <stdbool.h>

/* Rows of macros, which clang-format would indent further on every run. */
/* clang-format off */
#define ZE_FUNCTIONS(X) \
    X(zeInit) \
    X(zeDriverGet) \
    X(zeDeviceGet) \
    X(zeDeviceGetProperties) \
    X(zeDeviceGetMemoryAccessProperties) \
    X(zeContextCreate) \
    X(zeContextDestroy) \
    X(zeContextGetStatus) \
    X(zeMemAllocDevice) \
    X(zeMemAllocHost) \
    X(zeMemAllocShared) \
    X(zeMemFree) \
    X(zeCommandListCreate) \
    X(zeCommandListCreateImmediate) \
    X(zeCommandListClose) \
    X(zeCommandListReset) \
    X(zeCommandListDestroy) \
    X(zeCommandListAppendMemoryCopy) \
    X(zeCommandListAppendMemoryFill) \
    X(zeCommandListAppendBarrier) \
    X(zeCommandListAppendSignalEvent) \
    X(zeCommandQueueCreate) \
    X(zeCommandQueueExecuteCommandLists) \
    X(zeCommandQueueSynchronize) \
    X(zeCommandQueueDestroy) \
    X(zeEventPoolCreate) \
    X(zeEventPoolDestroy) \
    X(zeEventCreate) \
    X(zeEventDestroy) \
    X(zeEventHostSignal) \
    X(zeEventHostReset) \
    X(zeEventHostSynchronize) \
    X(zeEventQueryStatus)
/* clang-format on */

/* ze.zeInit(0) */
extern struct ze_functions {
#define ZE_MEMBER(name) __typeof__(name) *name;
    ZE_FUNCTIONS(ZE_MEMBER)
} ze;

/* False if there is no Level Zero device. */
bool ze_open(void);
extern ze_driver_handle_t ze_driver;
extern ze_device_handle_t ze_device;

#define ze_ok(call) assert_int_equal(call, ZE_RESULT_SUCCESS)

enum { ZE_IN_ORDER = 2 }; /* specification 1.7's flag for in-order immediate lists */

ze_context_handle_t ze_make_context(void);
ze_command_list_handle_t ze_make_immediate(ze_context_handle_t context, unsigned flags, bool synchronous);
ze_command_list_handle_t ze_make_regular(ze_context_handle_t context, const void *extensions);
/* NULL if the driver has no mutable lists. */
ze_command_list_handle_t ze_make_mutable(ze_context_handle_t context);
ze_command_queue_handle_t ze_make_queue(ze_context_handle_t context);
/* Runs a closed list and waits. */
void ze_run(ze_command_queue_handle_t queue, ze_command_list_handle_t list);
void *ze_alloc(ze_context_handle_t context, ze_memory_type_t type, size_t size);

#endif
