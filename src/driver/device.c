/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The device handle: properties of the CPU in Level Zero's terms and clocks. It has no peers and no
 * sub-devices.
 */
#include "driver/driver.h"
#include "driver/limits.h"
#include "driver/machine.h"
#include "driver/module.h"
#include "driver/stream.h"
#include "kernels/native.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct device the_device = {.object.identity = OBJECT_MAGIC + OBJECT_DEVICE};

static _Atomic(const char *) lost;

void device_lose(const char *reason) {
    atomic_store(&lost, reason);
}

ze_result_t device_status(void) {
    const char *reason = atomic_load(&lost);
    return reason ? explain(ZE_RESULT_ERROR_DEVICE_LOST, reason) : ZE_RESULT_SUCCESS;
}

ze_device_type_t device_type(void) {
    const char *setting = getenv("LODE_ZE_DEVICE_TYPE");
    return setting && !strcasecmp(setting, "cpu") ? ZE_DEVICE_TYPE_CPU : ZE_DEVICE_TYPE_GPU;
}

/* Equal in all processes on a machine, different between CPU models. Callers can tell from it which native
 * modules fit without asking for module properties, which would load an OpenCL runtime. */
static ze_device_uuid_t device_uuid(void) {
    ze_device_uuid_t uuid;
    const uint64_t native = NATIVE_MAGIC;
    memcpy(uuid.id, &native, sizeof native);
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (const char *c = machine()->name; *c; c++)
        hash = (hash ^ (uint8_t)*c) * UINT64_C(0x100000001b3);
    memcpy(uuid.id + 8, &hash, sizeof hash);
    return uuid;
}

static void fill_device_extension(struct chain *link) {
    switch ((uint32_t)link->stype) {
    case ZE_STRUCTURE_TYPE_EU_COUNT_EXT: ((ze_eu_count_ext_t *)link)->numTotalEUs = machine()->threads; break;
    case NEW_STYPE_DEVICE_IP_VERSION: ((struct ze_device_ip_version_ext *)link)->ipVersion = 0; break;
    case NEW_STYPE_DEVICE_EVENT_PROPERTIES: ((struct ze_device_event_properties *)link)->flags = 0; break;
    case NEW_STYPE_EVENT_QUERY_KERNEL_TIMESTAMPS_PROPERTIES:
        ((struct ze_event_query_kernel_timestamps_properties *)link)->flags =
                NEW_EVENT_QUERY_KERNEL_TIMESTAMPS_KERNEL | NEW_EVENT_QUERY_KERNEL_TIMESTAMPS_SYNCHRONIZED;
        break;
    case NEW_STYPE_DEVICE_READONLY_MEMORY_PROPERTIES:
        ((struct ze_device_readonly_memory_ext_properties *)link)->readonlyCapability = 2;
        break;
    case NEW_STYPE_DEVICE_USABLE_MEMORY_PROPERTIES:
        ((struct ze_device_usablemem_size_ext_properties *)link)->currUsableMemSize = machine_free_memory();
        break;
    case NEW_STYPE_MUTABLE_COMMAND_LIST_PROPERTIES:
        ((struct ze_mutable_command_list_exp_properties *)link)->mutableCommandListFlags = 0;
        ((struct ze_mutable_command_list_exp_properties *)link)->mutableCommandFlags = NEW_MUTABLE_ALL;
        break;
    default: break;
    }
}

ze_result_t ZE_APICALL zeDeviceGetProperties(ze_device_handle_t device, ze_device_properties_t *properties) {
    if (!is_device(device)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!properties) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    const struct machine *m = machine();
    bool cycles = properties->stype == ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2;
    ze_device_properties_t answer = {
            .stype = properties->stype,
            .pNext = properties->pNext,
            .type = device_type(),
            .vendorId = m->vendor,
            .deviceId = m->model,
            .flags = ZE_DEVICE_PROPERTY_FLAG_INTEGRATED | ZE_DEVICE_PROPERTY_FLAG_ONDEMANDPAGING,
            .coreClockRate = m->mhz,
            .maxMemAllocSize = m->memory,
            .maxHardwareContexts = MAX_CONTEXTS,
            .numThreadsPerEU = 1,
            .physicalEUSimdWidth = m->vector_bytes / 4,
            .numEUsPerSubslice = m->threads,
            .numSubslicesPerSlice = 1,
            .numSlices = 1,
            .timerResolution = cycles ? 1000000000 : 1, /* cycles per second, or nanoseconds per cycle */
            .timestampValidBits = TIMESTAMP_BITS,
            .kernelTimestampValidBits = TIMESTAMP_BITS,
            .uuid = device_uuid(),
    };
    snprintf(answer.name, sizeof answer.name, "Lode CPU: %s", m->name);
    *properties = answer;
    for (struct chain *link = properties->pNext; link; link = link->pNext)
        fill_device_extension(link);
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeDeviceGetComputeProperties(ze_device_handle_t device,
                                                    ze_device_compute_properties_t *properties) {
    if (!is_device(device)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!properties) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    *properties = (ze_device_compute_properties_t){
            .stype = properties->stype,
            .pNext = properties->pNext,
            .maxTotalGroupSize = MAX_GROUP_SIZE,
            .maxGroupSizeX = MAX_GROUP_SIZE,
            .maxGroupSizeY = MAX_GROUP_SIZE,
            .maxGroupSizeZ = MAX_GROUP_SIZE,
            .maxGroupCountX = UINT32_MAX,
            .maxGroupCountY = UINT32_MAX,
            .maxGroupCountZ = UINT32_MAX,
            .maxSharedLocalMemory = MAX_LOCAL_MEMORY,
            .numSubGroupSizes = 1,
            .subGroupSizes = {1}, /* of native kernels */
    };
    properties->numSubGroupSizes +=
            spirv_sub_groups(ZE_SUBGROUPSIZE_COUNT - 1, &properties->subGroupSizes[1]);
    return ZE_RESULT_SUCCESS;
}

static void fill_float_atomics(ze_float_atomic_ext_properties_t *properties) {
    properties->fp16Flags =
            ZE_DEVICE_FP_ATOMIC_EXT_FLAG_GLOBAL_LOAD_STORE | ZE_DEVICE_FP_ATOMIC_EXT_FLAG_LOCAL_LOAD_STORE;
    properties->fp32Flags = properties->fp64Flags =
            ZE_DEVICE_FP_ATOMIC_EXT_FLAG_GLOBAL_LOAD_STORE | ZE_DEVICE_FP_ATOMIC_EXT_FLAG_LOCAL_LOAD_STORE
            | ZE_DEVICE_FP_ATOMIC_EXT_FLAG_GLOBAL_ADD | ZE_DEVICE_FP_ATOMIC_EXT_FLAG_LOCAL_ADD
            | ZE_DEVICE_FP_ATOMIC_EXT_FLAG_GLOBAL_MIN_MAX | ZE_DEVICE_FP_ATOMIC_EXT_FLAG_LOCAL_MIN_MAX;
}

ze_result_t ZE_APICALL zeDeviceGetModuleProperties(ze_device_handle_t device,
                                                   ze_device_module_properties_t *properties) {
    if (!is_device(device)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!properties) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    const ze_device_fp_flags_t ieee = ZE_DEVICE_FP_FLAG_DENORM | ZE_DEVICE_FP_FLAG_INF_NAN
                                      | ZE_DEVICE_FP_FLAG_ROUND_TO_NEAREST | ZE_DEVICE_FP_FLAG_ROUND_TO_ZERO
                                      | ZE_DEVICE_FP_FLAG_ROUND_TO_INF | ZE_DEVICE_FP_FLAG_FMA
                                      | ZE_DEVICE_FP_FLAG_ROUNDED_DIVIDE_SQRT;
    ze_device_module_properties_t answer = {
            .stype = properties->stype,
            .pNext = properties->pNext,
            .spirvVersionSupported = spirv_version(),
            .flags = ZE_DEVICE_MODULE_FLAG_FP64 | ZE_DEVICE_MODULE_FLAG_INT64_ATOMICS,
            .fp32flags = ieee,
            .fp64flags = ieee,
            .maxArgumentsSize = MAX_ARGUMENTS_SIZE,
    };
    if (machine()->has_half) {
        answer.flags |= ZE_DEVICE_MODULE_FLAG_FP16;
        answer.fp16flags = ieee & ~(uint32_t)ZE_DEVICE_FP_FLAG_FMA;
    }
    const uint64_t native = NATIVE_MAGIC;
    memcpy(answer.nativeKernelSupported.id, &native, sizeof native);
    *properties = answer;
    ze_float_atomic_ext_properties_t *atomics =
            (void *)chain_find(properties->pNext, ZE_STRUCTURE_TYPE_FLOAT_ATOMIC_EXT_PROPERTIES);
    if (atomics) fill_float_atomics(atomics);
    ze_scheduling_hint_exp_properties_t *hints =
            (void *)chain_find(properties->pNext, ZE_STRUCTURE_TYPE_SCHEDULING_HINT_EXP_PROPERTIES);
    if (hints)
        hints->schedulingHintFlags = ZE_SCHEDULING_HINT_EXP_FLAG_OLDEST_FIRST
                                     | ZE_SCHEDULING_HINT_EXP_FLAG_ROUND_ROBIN
                                     | ZE_SCHEDULING_HINT_EXP_FLAG_STALL_BASED_ROUND_ROBIN;
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeDeviceGetCommandQueueGroupProperties(
        ze_device_handle_t device, uint32_t *count, ze_command_queue_group_properties_t *properties) {
    if (!is_device(device)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!count) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    static const ze_command_queue_group_property_flags_t flags[QUEUE_GROUPS] = {
            [COMPUTE_GROUP] = ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE
                              | ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY
                              | ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COOPERATIVE_KERNELS,
            [COPY_GROUP] = ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY,
    };
    for (uint32_t i = 0; properties && i < *count && i < QUEUE_GROUPS; i++) {
        properties[i].flags = flags[i];
        properties[i].maxMemoryFillPatternSize = MAX_FILL_PATTERN;
        properties[i].numQueues = QUEUES;
    }
    if (!properties || *count == 0 || *count > QUEUE_GROUPS) *count = QUEUE_GROUPS;
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeDeviceGetMemoryProperties(ze_device_handle_t device, uint32_t *count,
                                                   ze_device_memory_properties_t *properties) {
    if (!is_device(device)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!count) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (properties && *count) {
        properties->flags = 0;
        properties->maxClockRate = 0;
        properties->maxBusWidth = 64;
        properties->totalSize = machine()->memory;
        snprintf(properties->name, sizeof properties->name, "system memory");
    }
    *count = 1;
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeDeviceGetMemoryAccessProperties(ze_device_handle_t device,
                                                         ze_device_memory_access_properties_t *properties) {
    if (!is_device(device)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!properties) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    const ze_memory_access_cap_flags_t all = ZE_MEMORY_ACCESS_CAP_FLAG_RW | ZE_MEMORY_ACCESS_CAP_FLAG_ATOMIC
                                             | ZE_MEMORY_ACCESS_CAP_FLAG_CONCURRENT
                                             | ZE_MEMORY_ACCESS_CAP_FLAG_CONCURRENT_ATOMIC;
    properties->hostAllocCapabilities = all;
    properties->deviceAllocCapabilities = all;
    properties->sharedSingleDeviceAllocCapabilities = all;
    properties->sharedCrossDeviceAllocCapabilities = all;
    properties->sharedSystemAllocCapabilities = all;
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeDeviceGetCacheProperties(ze_device_handle_t device, uint32_t *count,
                                                  ze_device_cache_properties_t *properties) {
    if (!is_device(device)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!count) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    const struct machine *m = machine();
    for (uint32_t i = 0; properties && i < *count && i < m->ncaches; i++) {
        properties[i].flags = 0;
        properties[i].cacheSize = (size_t)m->caches[i].size;
        struct ze_device_cache_line_size_ext *line =
                (void *)chain_find(properties[i].pNext, NEW_STYPE_DEVICE_CACHE_LINE_SIZE);
        if (line) line->cacheLineSize = m->cache_line;
    }
    if (!properties || *count == 0 || *count > m->ncaches) *count = m->ncaches;
    return ZE_RESULT_SUCCESS;
}

/* There is no image support: every limit is zero. */
ze_result_t ZE_APICALL zeDeviceGetImageProperties(ze_device_handle_t device,
                                                  ze_device_image_properties_t *properties) {
    if (!is_device(device)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!properties) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    *properties = (ze_device_image_properties_t){.stype = properties->stype, .pNext = properties->pNext};
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeDeviceGetExternalMemoryProperties(
        ze_device_handle_t device, ze_device_external_memory_properties_t *properties) {
    if (!is_device(device)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!properties) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    properties->memoryAllocationImportTypes = ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD;
    properties->memoryAllocationExportTypes = ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD;
    properties->imageImportTypes = 0;
    properties->imageExportTypes = 0;
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeDeviceGetSubDevices(ze_device_handle_t device, uint32_t *count,
                                             ze_device_handle_t *devices) {
    (void)devices;
    if (!is_device(device)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!count) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    *count = 0;
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL NEW(zeDeviceGetRootDevice)(ze_device_handle_t device, ze_device_handle_t *root) {
    if (!is_device(device)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!root) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    *root = NULL; /* the device is its own root */
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeDeviceGetP2PProperties(ze_device_handle_t device, ze_device_handle_t peer,
                                                ze_device_p2p_properties_t *properties) {
    if (!is_device(device) || !is_device(peer)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!properties) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    properties->flags = ZE_DEVICE_P2P_PROPERTY_FLAG_ACCESS | ZE_DEVICE_P2P_PROPERTY_FLAG_ATOMICS;
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeDeviceCanAccessPeer(ze_device_handle_t device, ze_device_handle_t peer,
                                             ze_bool_t *value) {
    if (!is_device(device) || !is_device(peer)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!value) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    *value = 1;
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeDeviceGetStatus(ze_device_handle_t device) {
    return is_device(device) ? device_status() : ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
}

ze_result_t ZE_APICALL zeDeviceGetGlobalTimestamps(ze_device_handle_t device, uint64_t *host, uint64_t *own) {
    if (!is_device(device)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!host || !own) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    *host = *own = device_clock();
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL NEW(zeDeviceSynchronize)(ze_device_handle_t device) {
    if (!is_device(device)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    streams_wait_all();
    return device_status();
}

ze_result_t ZE_APICALL
NEW(zeDeviceGetVectorWidthPropertiesExt)(ze_device_handle_t device, uint32_t *count,
                                         struct ze_device_vector_width_properties_ext *properties) {
    if (!is_device(device)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!count) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (properties && *count) {
        uint32_t bytes = machine()->vector_bytes;
        *properties = (struct ze_device_vector_width_properties_ext){
                .stype = properties->stype,
                .pNext = properties->pNext,
                .vector_width_size = bytes,
                .preferred_vector_width_char = bytes,
                .preferred_vector_width_short = bytes / 2,
                .preferred_vector_width_int = bytes / 4,
                .preferred_vector_width_long = bytes / 8,
                .preferred_vector_width_float = bytes / 4,
                .preferred_vector_width_double = bytes / 8,
                .preferred_vector_width_half = bytes / 4, /* computed as float */
                .native_vector_width_char = bytes,
                .native_vector_width_short = bytes / 2,
                .native_vector_width_int = bytes / 4,
                .native_vector_width_long = bytes / 8,
                .native_vector_width_float = bytes / 4,
                .native_vector_width_double = bytes / 8,
                .native_vector_width_half = bytes / 4,
        };
    }
    *count = 1;
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL NEW(zeDeviceGetCounterBasedEventMaxValue)(ze_device_handle_t device, uint64_t *value) {
    if (!is_device(device)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!value) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    *value = UINT64_MAX;
    return ZE_RESULT_SUCCESS;
}

uint32_t ZE_APICALL NEW(zerTranslateDeviceHandleToIdentifier)(ze_device_handle_t device) {
    return is_device(device) ? 0 : UINT32_MAX;
}

ze_device_handle_t ZE_APICALL NEW(zerTranslateIdentifierToDeviceHandle)(uint32_t identifier) {
    return identifier == 0 ? (ze_device_handle_t)&the_device : NULL;
}
