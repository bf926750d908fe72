/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Devices: by index in the list of all devices, with a context of our own, or from the user's driver, device
 * and context, which are checked before use.
 */
#include "base/cpu.h"
#include "runtimes/device_class.h"
#include "runtimes/level_zero/level_zero.h"

#include <stdio.h>
#include <stdlib.h>

dnnl_status_t lz_device_count(dnnl_engine_kind_t kind, size_t *count) {
    *count = 0;
    if (kind == dnnl_gpu) lz_devices(count);
    return dnnl_success;
}

/* -- properties -- */

static uint64_t low_bits(uint32_t count) {
    return count >= 64 || count == 0 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
}

/* Level Zero does not report whether a device has the sub-group functions of cl_intel_subgroups. Intel's do.
 */
static unsigned sub_group_features(const struct lz_device *d, uint32_t vendor,
                                   const ze_device_compute_properties_t *compute) {
    enum { INTEL = 0x8086 };
    unsigned sizes = 0;
    for (uint32_t i = 0; i < compute->numSubGroupSizes && i < ZE_SUBGROUPSIZE_COUNT; i++)
        sizes |= compute->subGroupSizes[i] & SUB_GROUP_SIZES;
    if (!sizes) return 0;
    bool intel = vendor == INTEL || d->native;
    return sizes | HAS_SUB_GROUPS | (intel ? HAS_INTEL_SUB_GROUPS | HAS_INTEL_SUB_GROUPS_SHORT : 0);
}

static unsigned module_features(const ze_device_module_properties_t *module) {
    return (module->flags & ZE_DEVICE_MODULE_FLAG_FP16 ? HAS_FP16 : 0)
           | (module->flags & ZE_DEVICE_MODULE_FLAG_FP64 ? HAS_FP64 : 0)
           | (module->flags & ZE_DEVICE_MODULE_FLAG_DP4A ? HAS_INTEGER_DOT : 0);
}

/* If a device reports one cache, it is the last level. */
static void read_caches(const struct lz_device *d, struct device_info *info) {
    enum { LEVELS = sizeof info->cache_bytes / sizeof info->cache_bytes[0] };
    ze_device_cache_properties_t caches[LEVELS] = {{0}};
    uint32_t count = LEVELS;
    for (int i = 0; i < LEVELS; i++)
        caches[i].stype = ZE_STRUCTURE_TYPE_DEVICE_CACHE_PROPERTIES;
    if (d->ze->DeviceGetCacheProperties(d->device, &count, caches) != ZE_RESULT_SUCCESS) return;
    for (uint32_t i = 0; i < count && i < LEVELS; i++)
        info->cache_bytes[count == 1 ? LEVELS - 1 : i] = caches[i].cacheSize;
}

/* The features of the device that SPIR-V kernels can use. */
static ze_result_t read_abilities(const struct lz_device *d, uint32_t vendor, struct device_info *info) {
    ze_device_module_properties_t module = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES};
    ze_device_compute_properties_t compute = {.stype = ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES};
    ze_result_t result = d->ze->DeviceGetModuleProperties(d->device, &module);
    if (result == ZE_RESULT_SUCCESS) result = d->ze->DeviceGetComputeProperties(d->device, &compute);
    if (result != ZE_RESULT_SUCCESS) return result;
    if (module.spirvVersionSupported || !d->native) info->forms |= FORM_SPIRV;
    info->features |= module_features(&module) | sub_group_features(d, vendor, &compute);
    if (compute.maxSharedLocalMemory) info->features |= HAS_LOCAL_MEMORY;
    info->largest_group = compute.maxTotalGroupSize;
    info->local_bytes = compute.maxSharedLocalMemory;
    return ZE_RESULT_SUCCESS;
}

/* The embedded driver runs the same native kernels as the CPU engine, so results have the same bits. It is
 * not queried about SPIR-V unless it reports the class GPU, because the query makes it look for an OpenCL
 * runtime. */
static ze_result_t describe(const struct lz_device *d, const ze_device_properties_t *device,
                            struct device_info *info) {
    uint64_t units = (uint64_t)device->numSlices * device->numSubslicesPerSlice * device->numEUsPerSubslice;
    *info = (struct device_info){.class = device_class_of(d->native || device->type == ZE_DEVICE_TYPE_CPU),
                                 .vector_bytes = 32,
                                 .compute_units = units ? (int)units : 1,
                                 .backend = "Level Zero"};
    snprintf(info->name, sizeof info->name, "%s", device->name);
    if (d->native) native_describe(info, cpu_features());
    read_caches(d, info);
    if (d->native && info->class == DEVICE_CPU) return ZE_RESULT_SUCCESS;
    return read_abilities(d, device->vendorId, info);
}

/* Drivers pack their version as major, minor and build. */
static void read_version(const struct lz_device *d, struct device_info *info) {
    ze_driver_properties_t driver = {.stype = ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES};
    if (d->ze->DriverGetProperties(d->driver->handle, &driver) != ZE_RESULT_SUCCESS) return;
    snprintf(info->driver, sizeof info->driver, "%u.%u.%u", driver.driverVersion >> 24,
             driver.driverVersion >> 16 & 0xff, driver.driverVersion & 0xffff);
}

static ze_result_t read_properties(struct lz_device *d, struct device_info *info) {
    ze_device_properties_t device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2};
    ze_device_memory_access_properties_t access = {.stype =
                                                           ZE_STRUCTURE_TYPE_DEVICE_MEMORY_ACCESS_PROPERTIES};
    ze_result_t result = d->ze->DeviceGetProperties(d->device, &device);
    if (result == ZE_RESULT_SUCCESS) result = d->ze->DeviceGetMemoryAccessProperties(d->device, &access);
    if (result != ZE_RESULT_SUCCESS) return result;
    d->native = lz_is_native(&device);
    d->system_memory = access.sharedSystemAllocCapabilities & ZE_MEMORY_ACCESS_CAP_FLAG_RW;
    d->largest_allocation = device.maxMemAllocSize;
    d->timer_hertz = device.timerResolution ? device.timerResolution : 1000000000;
    d->timer_mask = low_bits(device.kernelTimestampValidBits);
    return describe(d, &device, info);
}

/* The first queue group that runs kernels. */
static bool find_ordinal(struct lz_device *d) {
    enum { MAX_GROUPS = 16 };
    ze_command_queue_group_properties_t groups[MAX_GROUPS] = {{0}};
    uint32_t count = MAX_GROUPS;
    for (int i = 0; i < MAX_GROUPS; i++)
        groups[i].stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES;
    if (d->ze->DeviceGetCommandQueueGroupProperties(d->device, &count, groups) != ZE_RESULT_SUCCESS)
        return false;
    for (d->ordinal = 0; d->ordinal < count && d->ordinal < MAX_GROUPS; d->ordinal++)
        if (groups[d->ordinal].flags & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE) return true;
    return false;
}

/* The policy for freeing memory that the device may still use; 0: the driver has none. */
static uint32_t free_policy(const struct lz_device *d) {
    ze_driver_memory_free_ext_properties_t policies = {
            .stype = ZE_STRUCTURE_TYPE_DRIVER_MEMORY_FREE_EXT_PROPERTIES};
    ze_driver_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES, .pNext = &policies};
    if (!d->ze->MemFreeExt) return 0;
    if (d->ze->DriverGetProperties(d->driver->handle, &properties) != ZE_RESULT_SUCCESS) return 0;
    uint32_t deferred = policies.freePolicies & ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_DEFER_FREE;
    return deferred ? deferred : policies.freePolicies & ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_BLOCKING_FREE;
}

static dnnl_status_t query_device(struct lz_device *d, struct device *device) {
    ze_result_t result = read_properties(d, &device->info);
    if (result != ZE_RESULT_SUCCESS) return lz_fail(result, "engine", "a query of the device's properties");
    if (!find_ordinal(d)) return fail(dnnl_runtime_error, "engine", "the device has no compute queue");
    d->free_policy = free_policy(d);
    read_version(d, &device->info);
    return dnnl_success;
}

/* -- the user's handles -- */

static bool is_among(const struct level_zero *ze, ze_device_handle_t wanted, uint32_t count,
                     const ze_device_handle_t *devices) {
    enum { MAX_SUB_DEVICES = 64 };
    for (uint32_t i = 0; i < count; i++) {
        if (devices[i] == wanted) return true;
        ze_device_handle_t subs[MAX_SUB_DEVICES];
        uint32_t nsubs = MAX_SUB_DEVICES;
        if (ze->DeviceGetSubDevices(devices[i], &nsubs, subs) == ZE_RESULT_SUCCESS
            && is_among(ze, wanted, nsubs < MAX_SUB_DEVICES ? nsubs : MAX_SUB_DEVICES, subs))
            return true;
    }
    return false;
}

static bool has_device(const struct found_driver *driver, ze_device_handle_t device) {
    enum { MAX_DEVICES = 64 };
    ze_device_handle_t devices[MAX_DEVICES];
    uint32_t count = MAX_DEVICES;
    return driver->ze->DeviceGet(driver->handle, &count, devices) == ZE_RESULT_SUCCESS
           && is_among(driver->ze, device, count < MAX_DEVICES ? count : MAX_DEVICES, devices);
}

dnnl_status_t lz_check_device(ze_driver_handle_t driver, ze_device_handle_t device,
                              const struct found_driver **found) {
    const struct found_driver *known = lz_driver(driver);
    if (!known) return fail(dnnl_invalid_arguments, "engine", "no Level Zero library has this driver handle");
    if (!has_device(known, device))
        return fail(dnnl_invalid_arguments, "engine", "the device does not belong to the driver");
    *found = known;
    return dnnl_success;
}

static dnnl_status_t adopt_handles(struct lz_device *d, void *const *handles) {
    d->device = handles[HANDLE_DEVICE];
    d->context = handles[HANDLE_CONTEXT];
    dnnl_status_t status = lz_check_device(handles[HANDLE_DRIVER], d->device, &d->driver);
    if (status == dnnl_success) d->ze = d->driver->ze;
    return status;
}

/* Does the context report this memory as that of our device? A driver that does not validate device handles
 * accepts one of another driver, but then reports a device of its own. */
static bool is_of_driver(const struct lz_device *d, const void *pointer) {
    ze_memory_allocation_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES};
    ze_device_handle_t owner = NULL;
    ze_result_t result = d->ze->MemGetAllocProperties(d->context, pointer, &properties, &owner);
    return result != ZE_RESULT_SUCCESS || !owner || has_device(d->driver, owner);
}

/* A context cannot be queried for its driver, so this allocates memory to find out. */
static dnnl_status_t check_context(const struct lz_device *d) {
    void *probe = NULL;
    ze_result_t result = lz_alloc(d, 1, &probe);
    if (result == ZE_RESULT_SUCCESS) {
        bool ours = is_of_driver(d, probe);
        d->ze->MemFree(d->context, probe);
        return ours ? dnnl_success
                    : fail(dnnl_invalid_arguments, "engine", "the context does not belong to the driver");
    }
    bool full = lz_status(result) == dnnl_out_of_memory;
    return fail(full ? dnnl_out_of_memory : dnnl_invalid_arguments, "engine",
                "the context cannot allocate device memory: %s", lz_result_name(result));
}

/* -- opening -- */

static dnnl_status_t choose_found(struct lz_device *d, size_t index) {
    size_t count;
    const struct found_device *found = &lz_devices(&count)[index];
    if (index >= count) return fail(dnnl_invalid_arguments, "engine", "no device %zu", index);
    d->driver = found->driver;
    d->ze = found->driver->ze;
    d->device = found->handle;
    const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_result_t result = d->ze->ContextCreate(d->driver->handle, &desc, &d->context);
    if (result != ZE_RESULT_SUCCESS) return lz_fail(result, "engine", "zeContextCreate");
    d->owns_context = true;
    return dnnl_success;
}

static size_t index_of(const struct lz_device *d) {
    size_t count, i = 0;
    const struct found_device *devices = lz_devices(&count);
    while (i < count && devices[i].handle != d->device)
        i++;
    return i < count ? i : 0;
}

static void discard(struct lz_device *d) {
    lz_programs_close(d);
    if (d->owns_context) d->ze->ContextDestroy(d->context);
    pthread_mutex_destroy(&d->lock);
    pthread_mutex_destroy(&d->programs_lock);
    free(d);
}

dnnl_status_t lz_device_open(struct device *device, const struct device_origin *origin) {
    struct lz_device *d = calloc(1, sizeof *d);
    if (!d) return dnnl_out_of_memory;
    pthread_mutex_init(&d->lock, NULL);
    pthread_mutex_init(&d->programs_lock, NULL);
    bool users = origin->handles[HANDLE_DEVICE] != NULL;
    dnnl_status_t status = users ? adopt_handles(d, origin->handles) : choose_found(d, origin->index);
    if (status == dnnl_success) status = query_device(d, device);
    if (status == dnnl_success && users) status = check_context(d);
    if (status == dnnl_success) status = lz_programs_open(d, &device->info);
    if (status != dnnl_success) {
        discard(d);
        return status;
    }
    device->index = index_of(d);
    device->handles[HANDLE_DEVICE] = d->device;
    device->handles[HANDLE_CONTEXT] = d->context;
    device->handles[HANDLE_DRIVER] = d->driver->handle;
    device->state = d;
    return dnnl_success;
}

/* -- closing -- */

static void close_now(struct lz_device *d) {
    lz_retire_pending(d);
    if (d->copies) d->ze->CommandListDestroy(d->copies);
    lz_params_free_all(d);
    discard(d);
}

static bool all_settled(struct lz_device *d) {
    bool settled = true;
    for (struct lz_stream *s = d->streams; s; s = s->next)
        settled &= lz_stream_settle(s);
    return settled;
}

static void *close_later(void *device) {
    struct lz_device *d = device;
    for (struct lz_stream *s = d->streams; s; s = s->next)
        lz_stream_join(s);
    close_now(d);
    return NULL;
}

static bool start_detached(void *(*function)(void *), void *argument) {
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    bool started = pthread_create(&thread, &attributes, function, argument) == 0;
    pthread_attr_destroy(&attributes);
    return started;
}

/* Remaining streams were destroyed while their commands were held back by an event. Nothing else refers to
 * the device now. A thread waits for the streams, because the calling thread may be the one that must signal.
 */
void lz_device_close(struct device *device) {
    struct lz_device *d = lz_device_of(device);
    if (all_settled(d))
        close_now(d);
    else if (!start_detached(close_later, d))
        close_later(d);
}
