/* SPDX-License-Identifier: Apache-2.0 */
/* Wrappers of the functions in entry_points.def that the runtime calls after loading. */
#include "runtimes/fake.h"
#include "count.h"
#include "kernels/kernel.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct fake fake;
static struct level_zero real, *patched;
static struct newer_functions real_newer;
static struct found_driver *driver;

static bool fails(void) {
    return ++fake.calls == fake.fail_at;
}

static ze_result_t count_created(ze_result_t result) {
    if (result == ZE_RESULT_SUCCESS) fake.live++;
    return result;
}

static ze_result_t count_destroyed(ze_result_t result) {
    if (result == ZE_RESULT_SUCCESS) fake.live--;
    return result;
}

/* The second device forwards to the first. */
static char second;

ze_device_handle_t fake_second_device(void) {
    return (ze_device_handle_t)&second;
}

static ze_device_handle_t real_device(ze_device_handle_t device) {
    return device == fake_second_device() ? fake.device : device;
}

/* PLAIN forwards; MAKES and ENDS also count objects. An object whose destruction "fails" is destroyed anyway,
 * as on a driver that lost its device: the runtime cannot try again. */
#define FORWARD(name, parameters, arguments, count)                                                          \
    static ze_result_t ZE_APICALL fake_##name parameters {                                                   \
        return fails() ? fake.failure : count(real.name arguments);                                          \
    }
#define PLAIN(name, parameters, arguments) FORWARD(name, parameters, arguments, )
#define MAKES(name, parameters, arguments) FORWARD(name, parameters, arguments, count_created)
#define ENDS(name, parameters, arguments)                                                                    \
    static ze_result_t ZE_APICALL fake_##name parameters {                                                   \
        bool failed = fails();                                                                               \
        ze_result_t result = count_destroyed(real.name arguments);                                           \
        return failed ? fake.failure : result;                                                               \
    }

PLAIN(DriverGetProperties, (ze_driver_handle_t d, ze_driver_properties_t *p), (d, p))
PLAIN(DeviceGetSubDevices, (ze_device_handle_t d, uint32_t *n, ze_device_handle_t *p), (real_device(d), n, p))
PLAIN(DeviceGetCacheProperties, (ze_device_handle_t d, uint32_t *n, ze_device_cache_properties_t *p),
      (real_device(d), n, p))
PLAIN(DeviceGetModuleProperties, (ze_device_handle_t d, ze_device_module_properties_t *p),
      (real_device(d), p))
MAKES(ContextCreate, (ze_driver_handle_t d, const ze_context_desc_t *desc, ze_context_handle_t *c),
      (d, desc, c))
ENDS(ContextDestroy, (ze_context_handle_t handle), (handle))
MAKES(MemAllocDevice,
      (ze_context_handle_t c, const ze_device_mem_alloc_desc_t *desc, size_t size, size_t alignment,
       ze_device_handle_t d, void **p),
      (c, desc, size, alignment, real_device(d), p))
MAKES(MemAllocHost,
      (ze_context_handle_t c, const ze_host_mem_alloc_desc_t *desc, size_t size, size_t alignment, void **p),
      (c, desc, size, alignment, p))
ENDS(MemFree, (ze_context_handle_t c, void *p), (c, p))
ENDS(MemFreeExt, (ze_context_handle_t c, const ze_memory_free_ext_desc_t *desc, void *p), (c, desc, p))
PLAIN(MemGetAllocProperties,
      (ze_context_handle_t c, const void *p, ze_memory_allocation_properties_t *m, ze_device_handle_t *d),
      (c, p, m, d))
PLAIN(MemGetAddressRange, (ze_context_handle_t c, const void *p, void **base, size_t *size),
      (c, p, base, size))
ENDS(ModuleDestroy, (ze_module_handle_t handle), (handle))
PLAIN(ModuleBuildLogGetString, (ze_module_build_log_handle_t l, size_t *n, char *s), (l, n, s))
ENDS(ModuleBuildLogDestroy, (ze_module_build_log_handle_t handle), (handle))
MAKES(KernelCreate, (ze_module_handle_t m, const ze_kernel_desc_t *desc, ze_kernel_handle_t *k), (m, desc, k))
ENDS(KernelDestroy, (ze_kernel_handle_t handle), (handle))
PLAIN(KernelSetGroupSize, (ze_kernel_handle_t k, uint32_t x, uint32_t y, uint32_t z), (k, x, y, z))
PLAIN(KernelSetArgumentValue, (ze_kernel_handle_t k, uint32_t i, size_t size, const void *v), (k, i, size, v))
ENDS(EventPoolDestroy, (ze_event_pool_handle_t handle), (handle))
MAKES(EventCreate, (ze_event_pool_handle_t p, const ze_event_desc_t *desc, ze_event_handle_t *e),
      (p, desc, e))
ENDS(EventDestroy, (ze_event_handle_t handle), (handle))
PLAIN(EventHostSignal, (ze_event_handle_t e), (e))
PLAIN(EventHostReset, (ze_event_handle_t e), (e))
PLAIN(EventHostSynchronize, (ze_event_handle_t e, uint64_t timeout), (e, timeout))
PLAIN(EventQueryStatus, (ze_event_handle_t e), (e))
PLAIN(EventQueryKernelTimestamp, (ze_event_handle_t e, ze_kernel_timestamp_result_t *t), (e, t))
ENDS(CommandListDestroy, (ze_command_list_handle_t handle), (handle))

/* -- devices and queues -- */

static ze_result_t ZE_APICALL fake_DeviceGet(ze_driver_handle_t d, uint32_t *n, ze_device_handle_t *p) {
    if (fails()) return fake.failure;
    uint32_t room = *n;
    ze_result_t result = real.DeviceGet(d, n, p);
    if (p && room > *n) p[(*n)++] = fake_second_device();
    return result;
}

static ze_result_t ZE_APICALL fake_EventPoolCreate(ze_context_handle_t c, const ze_event_pool_desc_t *desc,
                                                   uint32_t n, ze_device_handle_t *d,
                                                   ze_event_pool_handle_t *p) {
    if (fails()) return fake.failure;
    ze_device_handle_t one = real_device(d[0]);
    return count_created(real.EventPoolCreate(c, desc, n < 1 ? n : 1, &one, p));
}

static ze_result_t ZE_APICALL fake_DeviceGetCommandQueueGroupProperties(
        ze_device_handle_t d, uint32_t *n, ze_command_queue_group_properties_t *p) {
    if (fails()) return fake.failure;
    if (!fake.copies_first) return real.DeviceGetCommandQueueGroupProperties(real_device(d), n, p);
    uint32_t one = 1;
    p[0].flags = ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY;
    *n = 2;
    return real.DeviceGetCommandQueueGroupProperties(real_device(d), &one, &p[1]);
}

/* -- behaviour of a GPU -- */

static ze_result_t ZE_APICALL fake_DeviceGetProperties(ze_device_handle_t d, ze_device_properties_t *p) {
    if (fails()) return fake.failure;
    ze_result_t result = real.DeviceGetProperties(real_device(d), p);
    if (fake.timer_hertz) p->timerResolution = fake.timer_hertz;
    if (fake.gpu) p->uuid = (ze_device_uuid_t){{0}};
    return result;
}

/* Its modules are native code of the CPU, which has no sub-groups. */
static ze_result_t ZE_APICALL fake_DeviceGetComputeProperties(ze_device_handle_t d,
                                                              ze_device_compute_properties_t *p) {
    if (fails()) return fake.failure;
    ze_result_t result = real.DeviceGetComputeProperties(real_device(d), p);
    if (fake.gpu) p->numSubGroupSizes = 0;
    return result;
}

static ze_result_t ZE_APICALL fake_DeviceGetMemoryAccessProperties(ze_device_handle_t d,
                                                                   ze_device_memory_access_properties_t *p) {
    if (fails()) return fake.failure;
    ze_result_t result = real.DeviceGetMemoryAccessProperties(real_device(d), p);
    if (fake.gpu) p->sharedSystemAllocCapabilities = 0;
    return result;
}

/* Stands for the compiled binary of a family. */
struct fake_binary {
    char magic[16];
    const struct kernel_family *family;
    long process;
};
static const char binary_magic[16] = "fake binary";

static bool is_spirv_of(const struct kernel *kernel, const ze_module_desc_t *desc) {
    size_t size;
    uint32_t *words = kernel_spirv(kernel, &size);
    bool same = words && size == desc->inputSize && memcmp(words, desc->pInputModule, size) == 0;
    free(words);
    return same;
}

/* The name of a module's kernel: NULL if it has none. */
static const char *entry_point(const ze_module_desc_t *desc) {
    enum { HEADER = 5, OP_ENTRY_POINT = 15, NAME = 3 };
    const uint32_t *words = (const uint32_t *)desc->pInputModule;
    for (size_t i = HEADER; i < desc->inputSize / 4 && words[i] >> 16; i += words[i] >> 16)
        if ((words[i] & 0xffff) == OP_ENTRY_POINT) return (const char *)&words[i + NAME];
    return NULL;
}

static const struct kernel_family *family_of(const ze_module_desc_t *desc) {
    struct fake_binary binary;
    const char *name = desc->format == ZE_MODULE_FORMAT_IL_SPIRV ? entry_point(desc) : NULL;
    for (int i = 0; name && i < kernel_count; i++)
        if (strcmp(kernel_list[i]->name, name) == 0 && is_spirv_of(kernel_list[i], desc))
            return kernel_list[i]->family;
    if (desc->format != ZE_MODULE_FORMAT_NATIVE || desc->inputSize != sizeof binary) return NULL;
    memcpy(&binary, desc->pInputModule, sizeof binary);
    if (memcmp(binary.magic, binary_magic, sizeof binary_magic) || binary.process != getpid()) return NULL;
    return binary.family;
}

/* The families of live modules. */
enum { MAX_MODULES = 64 };
static struct {
    ze_module_handle_t handle;
    const struct kernel_family *family;
} modules[MAX_MODULES];

static ze_result_t create_for_gpu(ze_context_handle_t c, ze_device_handle_t d, const ze_module_desc_t *desc,
                                  ze_module_handle_t *m, ze_module_build_log_handle_t *log) {
    const struct kernel_family *family = family_of(desc);
    if (!family) return ZE_RESULT_ERROR_INVALID_NATIVE_BINARY;
    const struct native_reference reference = {NATIVE_REFERENCE_MAGIC, (uint64_t)getpid(),
                                               family->native[NATIVE_base]};
    const ze_module_desc_t native = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                                     .format = ZE_MODULE_FORMAT_NATIVE,
                                     .inputSize = sizeof reference,
                                     .pInputModule = (const uint8_t *)&reference};
    ze_result_t result = real.ModuleCreate(c, d, &native, m, log);
    if (result != ZE_RESULT_SUCCESS) return result;
    *(desc->format == ZE_MODULE_FORMAT_NATIVE ? &fake.modules_from_binary : &fake.modules_from_spirv) += 1;
    for (int i = 0; i < MAX_MODULES; i++)
        if (!modules[i].family || modules[i].handle == *m) {
            modules[i].handle = *m, modules[i].family = family;
            break;
        }
    return result;
}

static ze_result_t ZE_APICALL fake_ModuleCreate(ze_context_handle_t c, ze_device_handle_t d,
                                                const ze_module_desc_t *desc, ze_module_handle_t *m,
                                                ze_module_build_log_handle_t *log) {
    if (fails()) return fake.failure;
    ze_result_t result = (fake.gpu ? create_for_gpu : real.ModuleCreate)(c, real_device(d), desc, m, log);
    if (log && *log) fake.live++;
    return count_created(result);
}

static ze_result_t ZE_APICALL fake_ModuleGetNativeBinary(ze_module_handle_t m, size_t *size, uint8_t *bytes) {
    if (fails()) return fake.failure;
    struct fake_binary binary = {.process = getpid()};
    memcpy(binary.magic, binary_magic, sizeof binary_magic);
    for (int i = 0; i < MAX_MODULES; i++)
        if (modules[i].handle == m) binary.family = modules[i].family;
    *size = sizeof binary;
    if (bytes) memcpy(bytes, &binary, sizeof binary);
    return ZE_RESULT_SUCCESS;
}

/* -- lists -- */

static bool hides_newer; /* functions and flags newer than 1.0 */

static ze_result_t ZE_APICALL fake_CommandListCreateImmediate(ze_context_handle_t c, ze_device_handle_t d,
                                                              const ze_command_queue_desc_t *desc,
                                                              ze_command_list_handle_t *l) {
    if (fails()) return fake.failure;
    if (hides_newer && desc->flags > 1) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    ze_command_queue_desc_t plain = *desc;
    if (fake.copies_first && desc->ordinal != 1) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    plain.ordinal = 0;
    return count_created(real.CommandListCreateImmediate(c, real_device(d), &plain, l));
}

static void record(enum appended what, ze_event_handle_t signal, uint32_t nwaits,
                   const ze_event_handle_t *waits) {
    if (fake.nappended == COUNT(fake.appended)) return;
    fake.appended[fake.nappended].what = what;
    fake.appended[fake.nappended].signal = signal;
    fake.appended[fake.nappended].nwaits = nwaits;
    fake.appended[fake.nappended++].wait = nwaits ? waits[0] : NULL;
}

static ze_result_t ZE_APICALL fake_CommandListAppendBarrier(ze_command_list_handle_t l, ze_event_handle_t s,
                                                            uint32_t n, ze_event_handle_t *w) {
    if (fails()) return fake.failure;
    record(APPENDED_BARRIER, s, n, w);
    return real.CommandListAppendBarrier(l, s, n, w);
}

static ze_result_t ZE_APICALL fake_CommandListAppendEventReset(ze_command_list_handle_t l,
                                                               ze_event_handle_t e) {
    if (fails()) return fake.failure;
    record(APPENDED_RESET, e, 0, NULL);
    return real.CommandListAppendEventReset(l, e);
}

static ze_result_t ZE_APICALL fake_CommandListAppendLaunchKernel(ze_command_list_handle_t l,
                                                                 ze_kernel_handle_t k,
                                                                 const ze_group_count_t *groups,
                                                                 ze_event_handle_t s, uint32_t n,
                                                                 ze_event_handle_t *w) {
    if (fails()) return fake.failure;
    record(APPENDED_LAUNCH, s, n, w);
    return real.CommandListAppendLaunchKernel(l, k, groups, s, n, w);
}

static ze_result_t ZE_APICALL fake_CommandListAppendMemoryCopy(ze_command_list_handle_t l, void *dst,
                                                               const void *src, size_t size,
                                                               ze_event_handle_t s, uint32_t n,
                                                               ze_event_handle_t *w) {
    if (fails()) return fake.failure;
    record(APPENDED_COPY, s, n, w);
    return real.CommandListAppendMemoryCopy(l, dst, src, size, s, n, w);
}

static ze_result_t ZE_APICALL fake_CommandListHostSynchronize(ze_command_list_handle_t l, uint64_t timeout) {
    return fails() ? fake.failure : real_newer.CommandListHostSynchronize(l, timeout);
}

/* -- control -- */

/* Init and DriverGet are called before the wrappers are installed. */
static ze_result_t ZE_APICALL fake_Init(ze_init_flags_t flags) {
    return real.Init(flags);
}
static ze_result_t ZE_APICALL fake_DriverGet(uint32_t *n, ze_driver_handle_t *p) {
    return real.DriverGet(n, p);
}

bool fake_install(void) {
    size_t count;
    const struct found_device *devices = lz_devices(&count);
    if (count == 0) return false;
    driver = (struct found_driver *)devices[0].driver;
    patched = (struct level_zero *)driver->ze;
    real = *patched;
    real_newer = driver->newer;
    fake.device = devices[0].handle;
#define ENTRY(name) patched->name = fake_##name;
#include "runtimes/level_zero/entry_points.def"
#undef ENTRY
    fake_hide_newer(false);
    fake_reset();
    return true;
}

void fake_hide_newer(bool hide) {
    hides_newer = hide;
    driver->newer = hide ? (struct newer_functions){0} : real_newer;
    if (driver->newer.CommandListHostSynchronize)
        driver->newer.CommandListHostSynchronize = fake_CommandListHostSynchronize;
    patched->MemFreeExt = hide ? NULL : fake_MemFreeExt;
}

void fake_hide_mutable(bool hide) {
    driver->newer.CommandListGetNextCommandIdExp = hide ? NULL : real_newer.CommandListGetNextCommandIdExp;
    driver->newer.CommandListUpdateMutableCommandsExp =
            hide ? NULL : real_newer.CommandListUpdateMutableCommandsExp;
}

static ze_result_t ZE_APICALL unsupported(ze_command_list_handle_t list, const void *desc, uint64_t *number) {
    (void)list, (void)desc, (void)number;
    return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
}

void fake_refuse_mutable(void) {
    driver->newer.CommandListGetNextCommandIdExp = unsupported;
}

void fake_reset(void) {
    fake.fail_at = 0;
    fake.nappended = 0;
    fake.calls = 0;
}
