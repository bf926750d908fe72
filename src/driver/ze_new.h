/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of the Level Zero specification that are newer than the headers we build with (1.4). Everything here
 * is spelled differently (NEW_ constants, tags without underscore, functions through NEW()), so that this
 * file also compiles with newer headers. Layouts and values are the specification's ABI.
 */
#ifndef LODE_DRIVER_ZE_NEW_H
#define LODE_DRIVER_ZE_NEW_H

#include <level_zero/ze_api.h>

/* A function that old headers do not declare: written NEW(zeInitDrivers) in C, exported as zeInitDrivers. */
#define NEW(name) new_##name
#define NEW_FUNCTION(name, parameters)                                                                       \
    ZE_DLLEXPORT ze_result_t ZE_APICALL NEW(name)                                                            \
    parameters __asm__(#name)

enum new_structure_type {
    NEW_STYPE_DEVICE_IP_VERSION = 0x1000f,
    NEW_STYPE_EVENT_QUERY_KERNEL_TIMESTAMPS_PROPERTIES = 0x10011,
    NEW_STYPE_EVENT_QUERY_KERNEL_TIMESTAMPS_RESULTS = 0x10012,
    NEW_STYPE_KERNEL_MAX_GROUP_SIZE_PROPERTIES = 0x10013,
    NEW_STYPE_DEVICE_READONLY_MEMORY_PROPERTIES = 0x10015,
    NEW_STYPE_RELAXED_ALLOCATION_LIMITS_EXT_DESC = 0x10016,
    NEW_STYPE_MEMORY_SUB_ALLOCATIONS = 0x2000d,
    NEW_STYPE_COUNTER_BASED_EVENT_POOL_DESC = 0x20014,
    NEW_STYPE_MUTABLE_COMMAND_LIST_PROPERTIES = 0x20015,
    NEW_STYPE_MUTABLE_COMMAND_LIST_DESC = 0x20016,
    NEW_STYPE_MUTABLE_COMMAND_ID_DESC = 0x20017,
    NEW_STYPE_MUTABLE_COMMANDS_DESC = 0x20018,
    NEW_STYPE_MUTABLE_KERNEL_ARGUMENT_DESC = 0x20019,
    NEW_STYPE_MUTABLE_GROUP_COUNT_DESC = 0x2001a,
    NEW_STYPE_MUTABLE_GROUP_SIZE_DESC = 0x2001b,
    NEW_STYPE_MUTABLE_GLOBAL_OFFSET_DESC = 0x2001c,
    NEW_STYPE_INIT_DRIVER_TYPE_DESC = 0x20021,
    NEW_STYPE_DRIVER_DDI_HANDLES_PROPERTIES = 0x20027,
    NEW_STYPE_DEVICE_CACHE_LINE_SIZE = 0x20028,
    NEW_STYPE_DEVICE_VECTOR_WIDTH_PROPERTIES = 0x20029,
    NEW_STYPE_LAUNCH_COOPERATIVE_DESC = 0x20036,
    NEW_STYPE_EXTERNAL_MEMMAP_SYSMEM_DESC = 0x20037,
    NEW_STYPE_KERNEL_ALLOCATION_PROPERTIES = 0x20039,
    NEW_STYPE_EVENT_COUNTER_BASED_DESC = 0x2003a,
    NEW_STYPE_EVENT_EXTERNAL_SYNC_ALLOCATION_DESC = 0x2003b,
    NEW_STYPE_EVENT_SYNC_MODE_DESC = 0x2003c,
    NEW_STYPE_IPC_MEM_HANDLE_TYPE_DESC = 0x2003d,
    NEW_STYPE_DEVICE_EVENT_PROPERTIES = 0x2003e,
    NEW_STYPE_EVENT_EXTERNAL_AGGREGATE_STORAGE_DESC = 0x2003f,
    NEW_STYPE_PHYSICAL_MEM_PROPERTIES = 0x20040,
    NEW_STYPE_DEVICE_USABLE_MEMORY_PROPERTIES = 0x20041,
};

enum new_result {
    NEW_RESULT_ERROR_ADDRESS_NOT_FOUND = 0x78000021,
    NEW_RESULT_QUERY_FALSE = 0x78000023,
};

enum new_memory_type { NEW_MEMORY_TYPE_HOST_IMPORTED = 4 };

#define NEW_EVENT_POOL_FLAG_KERNEL_MAPPED_TIMESTAMP (1u << 3)
#define NEW_COMMAND_QUEUE_FLAG_IN_ORDER (1u << 1)
#define NEW_COMMAND_QUEUE_FLAG_COPY_OFFLOAD_HINT (1u << 2)
#define NEW_COMMAND_LIST_FLAG_IN_ORDER (1u << 3)
#define NEW_COMMAND_LIST_FLAG_CLONEABLE (1u << 4)
#define NEW_COMMAND_LIST_FLAG_COPY_OFFLOAD_HINT (1u << 5)

/* -- drivers and devices -- */

#define NEW_INIT_DRIVER_TYPE_GPU (1u << 0)
#define NEW_INIT_DRIVER_TYPE_NPU (1u << 1)
struct ze_init_driver_type_desc {
    ze_structure_type_t stype;
    const void *pNext;
    uint32_t flags;
};

#define NEW_DRIVER_DDI_HANDLES_SUPPORTED (1u << 0)
struct ze_driver_ddi_handles_ext_properties {
    ze_structure_type_t stype;
    void *pNext;
    uint32_t flags;
};

struct ze_device_ip_version_ext {
    ze_structure_type_t stype;
    const void *pNext;
    uint32_t ipVersion;
};

struct ze_device_cache_line_size_ext {
    ze_structure_type_t stype;
    const void *pNext;
    size_t cacheLineSize;
};

struct ze_device_vector_width_properties_ext {
    ze_structure_type_t stype;
    void *pNext;
    uint32_t vector_width_size; /* bytes of the vectors that the widths below are for */
    uint32_t preferred_vector_width_char, preferred_vector_width_short, preferred_vector_width_int;
    uint32_t preferred_vector_width_long, preferred_vector_width_float, preferred_vector_width_double;
    uint32_t preferred_vector_width_half;
    uint32_t native_vector_width_char, native_vector_width_short, native_vector_width_int;
    uint32_t native_vector_width_long, native_vector_width_float, native_vector_width_double;
    uint32_t native_vector_width_half;
};

struct ze_device_event_properties {
    ze_structure_type_t stype;
    void *pNext;
    uint32_t flags;
};

#define NEW_EVENT_QUERY_KERNEL_TIMESTAMPS_KERNEL (1u << 0)
#define NEW_EVENT_QUERY_KERNEL_TIMESTAMPS_SYNCHRONIZED (1u << 1)
struct ze_event_query_kernel_timestamps_properties {
    ze_structure_type_t stype;
    void *pNext;
    uint32_t flags;
};

struct ze_device_usablemem_size_ext_properties {
    ze_structure_type_t stype;
    void *pNext;
    uint64_t currUsableMemSize;
};

struct ze_device_readonly_memory_ext_properties {
    ze_structure_type_t stype;
    void *pNext;
    uint32_t readonlyCapability; /* 2: enforced */
};

NEW_FUNCTION(zeInitDrivers, (uint32_t *, ze_driver_handle_t *, struct ze_init_driver_type_desc *));
NEW_FUNCTION(zeDriverGetLastErrorDescription, (ze_driver_handle_t, const char **));
/* Returns the context itself, or NULL, instead of a result. */
ZE_DLLEXPORT ze_context_handle_t ZE_APICALL
        NEW(zeDriverGetDefaultContext)(ze_driver_handle_t) __asm__("zeDriverGetDefaultContext");
NEW_FUNCTION(zeDeviceGetRootDevice, (ze_device_handle_t, ze_device_handle_t *));
NEW_FUNCTION(zeDeviceGetVectorWidthPropertiesExt,
             (ze_device_handle_t, uint32_t *, struct ze_device_vector_width_properties_ext *));
NEW_FUNCTION(zeDeviceSynchronize, (ze_device_handle_t));
NEW_FUNCTION(zeDeviceGetCounterBasedEventMaxValue, (ze_device_handle_t, uint64_t *));

/* -- the runtime namespace (zer): one default driver, devices by number -- */

NEW_FUNCTION(zerGetLastErrorDescription, (const char **));
ZE_DLLEXPORT uint32_t ZE_APICALL NEW(zerTranslateDeviceHandleToIdentifier)(ze_device_handle_t) __asm__(
        "zerTranslateDeviceHandleToIdentifier");
ZE_DLLEXPORT ze_device_handle_t ZE_APICALL
        NEW(zerTranslateIdentifierToDeviceHandle)(uint32_t) __asm__("zerTranslateIdentifierToDeviceHandle");
ZE_DLLEXPORT ze_context_handle_t ZE_APICALL NEW(zerGetDefaultContext)(void) __asm__("zerGetDefaultContext");

/* -- system management (zes): uses the core's handles -- */

NEW_FUNCTION(zesInit, (uint32_t));
NEW_FUNCTION(zesDriverGet, (uint32_t *, ze_driver_handle_t *));
NEW_FUNCTION(zesDeviceGet, (ze_driver_handle_t, uint32_t *, ze_device_handle_t *));

/* -- events -- */

#define NEW_COUNTER_BASED_IMMEDIATE (1u << 0)
#define NEW_COUNTER_BASED_NON_IMMEDIATE (1u << 1)
#define NEW_COUNTER_BASED_HOST_VISIBLE (1u << 2)
#define NEW_COUNTER_BASED_IPC (1u << 3)
#define NEW_COUNTER_BASED_DEVICE_TIMESTAMP (1u << 4)
#define NEW_COUNTER_BASED_HOST_TIMESTAMP (1u << 5)
struct ze_event_pool_counter_based_exp_desc {
    ze_structure_type_t stype;
    const void *pNext;
    uint32_t flags;
};
struct ze_event_counter_based_desc {
    ze_structure_type_t stype;
    const void *pNext;
    uint32_t flags;
    ze_event_scope_flags_t signal, wait;
};

struct ze_synchronized_timestamp {
    uint64_t kernelStart, kernelEnd;
};
struct ze_synchronized_timestamp_result {
    struct ze_synchronized_timestamp global, context;
};
struct ze_event_query_kernel_timestamps_results {
    ze_structure_type_t stype;
    void *pNext;
    ze_kernel_timestamp_result_t *pKernelTimestampsBuffer;
    struct ze_synchronized_timestamp_result *pSynchronizedTimestampsBuffer;
};

NEW_FUNCTION(zeEventPoolGetContextHandle, (ze_event_pool_handle_t, ze_context_handle_t *));
NEW_FUNCTION(zeEventPoolGetFlags, (ze_event_pool_handle_t, ze_event_pool_flags_t *));
NEW_FUNCTION(zeEventPoolPutIpcHandle, (ze_context_handle_t, ze_ipc_event_pool_handle_t));
NEW_FUNCTION(zeEventCounterBasedCreate, (ze_context_handle_t, ze_device_handle_t,
                                         const struct ze_event_counter_based_desc *, ze_event_handle_t *));
NEW_FUNCTION(zeEventCounterBasedGetDeviceAddress, (ze_event_handle_t, uint64_t *, uint64_t *));
NEW_FUNCTION(zeEventGetEventPool, (ze_event_handle_t, ze_event_pool_handle_t *));
NEW_FUNCTION(zeEventGetSignalScope, (ze_event_handle_t, ze_event_scope_flags_t *));
NEW_FUNCTION(zeEventGetWaitScope, (ze_event_handle_t, ze_event_scope_flags_t *));
NEW_FUNCTION(zeEventGetCounterBasedFlags, (ze_event_handle_t, uint32_t *));
NEW_FUNCTION(zeEventQueryKernelTimestampsExt, (ze_event_handle_t, ze_device_handle_t, uint32_t *,
                                               struct ze_event_query_kernel_timestamps_results *));

/* -- command queues and lists -- */

NEW_FUNCTION(zeCommandQueueGetOrdinal, (ze_command_queue_handle_t, uint32_t *));
NEW_FUNCTION(zeCommandQueueGetIndex, (ze_command_queue_handle_t, uint32_t *));
NEW_FUNCTION(zeCommandQueueGetFlags, (ze_command_queue_handle_t, ze_command_queue_flags_t *));
NEW_FUNCTION(zeCommandQueueGetMode, (ze_command_queue_handle_t, ze_command_queue_mode_t *));
NEW_FUNCTION(zeCommandQueueGetPriority, (ze_command_queue_handle_t, ze_command_queue_priority_t *));
NEW_FUNCTION(zeCommandListHostSynchronize, (ze_command_list_handle_t, uint64_t));
NEW_FUNCTION(zeCommandListGetDeviceHandle, (ze_command_list_handle_t, ze_device_handle_t *));
NEW_FUNCTION(zeCommandListGetContextHandle, (ze_command_list_handle_t, ze_context_handle_t *));
NEW_FUNCTION(zeCommandListGetOrdinal, (ze_command_list_handle_t, uint32_t *));
NEW_FUNCTION(zeCommandListImmediateGetIndex, (ze_command_list_handle_t, uint32_t *));
NEW_FUNCTION(zeCommandListIsImmediate, (ze_command_list_handle_t, ze_bool_t *));
NEW_FUNCTION(zeCommandListGetFlags, (ze_command_list_handle_t, ze_command_list_flags_t *));
NEW_FUNCTION(zeCommandListImmediateGetFlags, (ze_command_list_handle_t, ze_command_queue_flags_t *));
NEW_FUNCTION(zeCommandListImmediateGetMode, (ze_command_list_handle_t, ze_command_queue_mode_t *));
NEW_FUNCTION(zeCommandListImmediateGetPriority, (ze_command_list_handle_t, ze_command_queue_priority_t *));
NEW_FUNCTION(zeCommandListImmediateAppendCommandListsExp,
             (ze_command_list_handle_t, uint32_t, ze_command_list_handle_t *, ze_event_handle_t, uint32_t,
              ze_event_handle_t *));
NEW_FUNCTION(zeCommandListImmediateAppendCommandListsWithParameters,
             (ze_command_list_handle_t, uint32_t, ze_command_list_handle_t *, const void *, ze_event_handle_t,
              uint32_t, ze_event_handle_t *));
NEW_FUNCTION(zeCommandListAppendMemoryCopyWithParameters,
             (ze_command_list_handle_t, void *, const void *, size_t, const void *, ze_event_handle_t,
              uint32_t, ze_event_handle_t *));
NEW_FUNCTION(zeCommandListAppendMemoryFillWithParameters,
             (ze_command_list_handle_t, void *, const void *, size_t, size_t, const void *, ze_event_handle_t,
              uint32_t, ze_event_handle_t *));
NEW_FUNCTION(zeCommandListAppendHostFunction,
             (ze_command_list_handle_t, void (*)(void *), void *, const void *, ze_event_handle_t, uint32_t,
              ze_event_handle_t *));

/* -- kernels -- */

struct ze_group_size {
    uint32_t groupSizeX, groupSizeY, groupSizeZ;
};
struct ze_launch_cooperative_desc {
    ze_structure_type_t stype;
    const void *pNext;
    ze_bool_t isCooperative;
};
struct ze_kernel_max_group_size_properties_ext {
    ze_structure_type_t stype;
    void *pNext;
    uint32_t maxGroupSize;
};

NEW_FUNCTION(zeCommandListAppendLaunchKernelWithParameters,
             (ze_command_list_handle_t, ze_kernel_handle_t, const ze_group_count_t *, const void *,
              ze_event_handle_t, uint32_t, ze_event_handle_t *));
NEW_FUNCTION(zeCommandListAppendLaunchKernelWithArguments,
             (ze_command_list_handle_t, ze_kernel_handle_t, const ze_group_count_t,
              const struct ze_group_size, void **, const void *, ze_event_handle_t, uint32_t,
              ze_event_handle_t *));

/* -- mutable command lists -- */

#define NEW_MUTABLE_KERNEL_ARGUMENTS (1u << 0)
#define NEW_MUTABLE_GROUP_COUNT (1u << 1)
#define NEW_MUTABLE_GROUP_SIZE (1u << 2)
#define NEW_MUTABLE_GLOBAL_OFFSET (1u << 3)
#define NEW_MUTABLE_SIGNAL_EVENT (1u << 4)
#define NEW_MUTABLE_WAIT_EVENTS (1u << 5)
#define NEW_MUTABLE_KERNEL_INSTRUCTION (1u << 6)
#define NEW_MUTABLE_ALL 0x7fu
struct ze_mutable_command_list_exp_properties {
    ze_structure_type_t stype;
    void *pNext;
    uint32_t mutableCommandListFlags;
    uint32_t mutableCommandFlags;
};
struct ze_mutable_command_list_exp_desc {
    ze_structure_type_t stype;
    const void *pNext;
    uint32_t flags;
};
struct ze_mutable_command_id_exp_desc {
    ze_structure_type_t stype;
    const void *pNext;
    uint32_t flags;
};
struct ze_mutable_commands_exp_desc {
    ze_structure_type_t stype;
    const void *pNext; /* one structure per change */
    uint32_t flags;
};
struct ze_mutable_kernel_argument_exp_desc {
    ze_structure_type_t stype;
    const void *pNext;
    uint64_t commandId;
    uint32_t argIndex;
    size_t argSize;
    const void *pArgValue;
};
struct ze_mutable_group_count_exp_desc {
    ze_structure_type_t stype;
    const void *pNext;
    uint64_t commandId;
    const ze_group_count_t *pGroupCount;
};
struct ze_mutable_group_size_exp_desc {
    ze_structure_type_t stype;
    const void *pNext;
    uint64_t commandId;
    uint32_t groupSizeX, groupSizeY, groupSizeZ;
};
struct ze_mutable_global_offset_exp_desc {
    ze_structure_type_t stype;
    const void *pNext;
    uint64_t commandId;
    uint32_t offsetX, offsetY, offsetZ;
};

NEW_FUNCTION(zeCommandListGetNextCommandIdExp,
             (ze_command_list_handle_t, const struct ze_mutable_command_id_exp_desc *, uint64_t *));
NEW_FUNCTION(zeCommandListGetNextCommandIdWithKernelsExp,
             (ze_command_list_handle_t, const struct ze_mutable_command_id_exp_desc *, uint32_t,
              ze_kernel_handle_t *, uint64_t *));
NEW_FUNCTION(zeCommandListUpdateMutableCommandsExp,
             (ze_command_list_handle_t, const struct ze_mutable_commands_exp_desc *));
NEW_FUNCTION(zeCommandListUpdateMutableCommandSignalEventExp,
             (ze_command_list_handle_t, uint64_t, ze_event_handle_t));
NEW_FUNCTION(zeCommandListUpdateMutableCommandWaitEventsExp,
             (ze_command_list_handle_t, uint64_t, uint32_t, ze_event_handle_t *));
NEW_FUNCTION(zeCommandListUpdateMutableCommandKernelsExp,
             (ze_command_list_handle_t, uint32_t, uint64_t *, ze_kernel_handle_t *));
NEW_FUNCTION(zeCommandListCreateCloneExp, (ze_command_list_handle_t, ze_command_list_handle_t *));
NEW_FUNCTION(zeCommandListIsMutableExp, (ze_command_list_handle_t, ze_bool_t *));

/* -- memory -- */

struct ze_external_memmap_sysmem_ext_desc {
    ze_structure_type_t stype;
    const void *pNext;
    void *pSystemMemory;
    uint64_t size;
};
struct ze_ipc_mem_handle_type_ext_desc {
    ze_structure_type_t stype;
    const void *pNext;
    uint32_t typeFlags;
};
#define NEW_PHYSICAL_MEM_FLAG_ALLOCATE_ON_HOST (1u << 1)
struct ze_physical_mem_properties {
    ze_structure_type_t stype;
    void *pNext;
    uint64_t id, size;
};

NEW_FUNCTION(zeMemPutIpcHandle, (ze_context_handle_t, ze_ipc_mem_handle_t));
NEW_FUNCTION(zeMemGetIpcHandleWithProperties,
             (ze_context_handle_t, const void *, void *, ze_ipc_mem_handle_t *));
NEW_FUNCTION(zeMemGetFileDescriptorFromIpcHandleExp, (ze_context_handle_t, ze_ipc_mem_handle_t, uint64_t *));
NEW_FUNCTION(zeMemGetIpcHandleFromFileDescriptorExp, (ze_context_handle_t, uint64_t, ze_ipc_mem_handle_t *));
NEW_FUNCTION(zePhysicalMemGetProperties,
             (ze_context_handle_t, ze_physical_mem_handle_t, struct ze_physical_mem_properties *));

#endif
