/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens libze_loader.so.1 and, where that finds no device, the embedded driver itself. Functions come from
 * entry_points.def.
 */
#include "runtimes/level_zero/loader.h"
#include "base/pool.h"
#include "kernels/native.h"
#include "runtimes/library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define LOADER_NAME "libze_loader.so.1"
#define DRIVER_NAME "libze_lode_cpu.so.1"

enum { MAX_DRIVERS = 16, MAX_DEVICES = 64 };

/* One library and what it offers. */
struct source {
    struct level_zero ze;
    int ndrivers;
    struct found_driver drivers[MAX_DRIVERS];
};

static struct source loader, embedded;
static struct found_device devices[MAX_DEVICES];
static size_t ndevices;

/* -- functions -- */

static bool bind_functions(struct level_zero *ze) {
    const struct entry entries[] = {
#define ENTRY(name) {"ze" #name, (void **)&ze->name},
#include "runtimes/level_zero/entry_points.def"
#undef ENTRY
    };
    const char *missing = library_bind(ze->library, sizeof entries / sizeof entries[0], entries);
    if (missing) {
        fail_check(dnnl_runtime_error, "level_zero", "a Level Zero library has no %s", missing);
        return false;
    }
#define ENTRY_OPTIONAL(name) *(void **)&ze->name = dlsym(ze->library, "ze" #name);
#include "runtimes/level_zero/entry_points.def"
#undef ENTRY_OPTIONAL
    *(void **)&ze->TranslateHandle = dlsym(ze->library, "zelLoaderTranslateHandle");
    return true;
}

static void *ask_driver(const struct found_driver *driver, const char *name) {
    void *function = NULL;
    if (!driver->ze->DriverGetExtensionFunctionAddress) return NULL;
    ze_result_t result = driver->ze->DriverGetExtensionFunctionAddress(driver->handle, name, &function);
    return result == ZE_RESULT_SUCCESS ? function : NULL;
}

/* All functions come from one library: the loader if it is new enough to have the first, else the driver. */
static void bind_newer(struct found_driver *driver) {
    const struct entry entries[] = {
#define ENTRY_NEWER(name, parameters) {"ze" #name, (void **)&driver->newer.name},
#include "runtimes/level_zero/entry_points.def"
#undef ENTRY_NEWER
    };
    void *library = driver->ze->library;
    driver->newer.inner = !dlsym(library, entries[0].name);
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++)
        *entries[i].function =
                driver->newer.inner ? ask_driver(driver, entries[i].name) : dlsym(library, entries[i].name);
}

/* Our own driver then runs on the threads of this library, instead of starting as many again. */
static void lend_pool(const struct found_driver *driver) {
    void (*use_pool)(const struct pool_functions *);
    *(void **)&use_pool = ask_driver(driver, "lodeDriverUsePool");
    if (use_pool) use_pool(&pool_functions);
}

void *lz_newer_handle(const struct found_driver *driver, zel_handle_type_t type, void *handle) {
    void *inner = NULL;
    if (!driver->newer.inner || !driver->ze->TranslateHandle) return handle;
    return driver->ze->TranslateHandle(type, handle, &inner) == ZE_RESULT_SUCCESS ? inner : NULL;
}

/* -- libraries -- */

static void open_source(struct source *source, void *library) {
    struct level_zero *ze = &source->ze;
    ze->library = library;
    if (!library || !bind_functions(ze) || ze->Init(0) != ZE_RESULT_SUCCESS) return;
    ze_driver_handle_t handles[MAX_DRIVERS];
    uint32_t count = MAX_DRIVERS;
    if (ze->DriverGet(&count, handles) != ZE_RESULT_SUCCESS) return;
    for (uint32_t i = 0; i < count && i < MAX_DRIVERS; i++) {
        struct found_driver *driver = &source->drivers[source->ndrivers++];
        *driver = (struct found_driver){.ze = ze, .handle = handles[i]};
        bind_newer(driver);
        lend_pool(driver);
    }
    ze->usable = source->ndrivers > 0;
}

/* LODE_CPU_DRIVER=0 turns the embedded driver off; any other value is its path. */
static void *open_embedded(void) {
    const char *wish = getenv("LODE_CPU_DRIVER");
    if (wish && strcmp(wish, "0") == 0) return NULL;
    if (wish && strchr(wish, '/')) return dlopen(wish, RTLD_NOW | RTLD_LOCAL);
    void *library = library_open_sibling(DRIVER_NAME);
    return library ? library : dlopen(DRIVER_NAME, RTLD_NOW | RTLD_LOCAL);
}

/* -- devices -- */

/* Decides by the device's id: a query of module properties makes the embedded driver look for an OpenCL
 * runtime. */
bool lz_is_native(const ze_device_properties_t *properties) {
    const uint64_t ours = NATIVE_MAGIC;
    return memcmp(properties->uuid.id, &ours, sizeof ours) == 0;
}

/* GPUs first, then other devices, then those of the embedded driver. */
static int rank(const struct found_driver *driver, ze_device_handle_t device) {
    ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    if (driver->ze->DeviceGetProperties(device, &properties) != ZE_RESULT_SUCCESS) return 1;
    if (lz_is_native(&properties)) return 2;
    return properties.type == ZE_DEVICE_TYPE_GPU ? 0 : 1;
}

static void add_devices(const struct source *source, int wanted) {
    for (int d = 0; d < source->ndrivers; d++) {
        ze_device_handle_t handles[MAX_DEVICES];
        uint32_t count = MAX_DEVICES;
        const struct found_driver *driver = &source->drivers[d];
        if (driver->ze->DeviceGet(driver->handle, &count, handles) != ZE_RESULT_SUCCESS) continue;
        for (uint32_t i = 0; i < count && ndevices < MAX_DEVICES; i++)
            if (rank(driver, handles[i]) == wanted)
                devices[ndevices++] = (struct found_device){driver, handles[i]};
    }
}

static void add_all_devices(const struct source *source) {
    for (int wanted = 0; wanted <= 2; wanted++)
        add_devices(source, wanted);
}

static void look_around(void) {
    open_source(&loader, dlopen(LOADER_NAME, RTLD_NOW | RTLD_LOCAL));
    add_all_devices(&loader);
    if (ndevices == 0) {
        open_source(&embedded, open_embedded());
        add_all_devices(&embedded);
    }
    if (ndevices == 0)
        fail_check(dnnl_runtime_error, "level_zero", "%s, and %s",
                   loader.ze.library ? LOADER_NAME " finds no device" : "no " LOADER_NAME,
                   embedded.ze.library ? DRIVER_NAME " has no device" : "no " DRIVER_NAME);
}

static pthread_once_t looked = PTHREAD_ONCE_INIT;

const struct found_device *lz_devices(size_t *count) {
    pthread_once(&looked, look_around);
    *count = ndevices;
    return devices;
}

/* The program may have opened the embedded driver itself, although the loader finds devices. */
static void look_for_embedded(void) {
    if (!embedded.ze.library) open_source(&embedded, dlopen(DRIVER_NAME, RTLD_NOW | RTLD_NOLOAD));
}

static const struct found_driver *find_driver(const struct source *source, ze_driver_handle_t handle) {
    for (int i = 0; i < source->ndrivers; i++)
        if (source->drivers[i].handle == handle) return &source->drivers[i];
    return NULL;
}

const struct found_driver *lz_driver(ze_driver_handle_t handle) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&looked, look_around);
    const struct found_driver *driver = find_driver(&loader, handle);
    if (driver) return driver;
    pthread_once(&once, look_for_embedded);
    return find_driver(&embedded, handle);
}

/* -- results -- */

static const struct {
    ze_result_t result;
    dnnl_status_t status;
    const char *name;
} results[] = {
#define RESULT(name, status) {ZE_RESULT_##name, status, #name}
        RESULT(NOT_READY, dnnl_runtime_error),
        RESULT(ERROR_DEVICE_LOST, dnnl_runtime_error),
        RESULT(ERROR_OUT_OF_HOST_MEMORY, dnnl_out_of_memory),
        RESULT(ERROR_OUT_OF_DEVICE_MEMORY, dnnl_out_of_memory),
        RESULT(ERROR_MODULE_BUILD_FAILURE, dnnl_runtime_error),
        RESULT(ERROR_MODULE_LINK_FAILURE, dnnl_runtime_error),
        RESULT(ERROR_INSUFFICIENT_PERMISSIONS, dnnl_runtime_error),
        RESULT(ERROR_NOT_AVAILABLE, dnnl_runtime_error),
        RESULT(ERROR_DEPENDENCY_UNAVAILABLE, dnnl_runtime_error),
        RESULT(ERROR_UNINITIALIZED, dnnl_runtime_error),
        RESULT(ERROR_UNSUPPORTED_VERSION, dnnl_runtime_error),
        RESULT(ERROR_UNSUPPORTED_FEATURE, dnnl_runtime_error),
        RESULT(ERROR_INVALID_ARGUMENT, dnnl_invalid_arguments),
        RESULT(ERROR_INVALID_NULL_HANDLE, dnnl_invalid_arguments),
        RESULT(ERROR_HANDLE_OBJECT_IN_USE, dnnl_runtime_error),
        RESULT(ERROR_INVALID_NULL_POINTER, dnnl_invalid_arguments),
        RESULT(ERROR_INVALID_SIZE, dnnl_runtime_error),
        RESULT(ERROR_UNSUPPORTED_SIZE, dnnl_out_of_memory),
        RESULT(ERROR_UNSUPPORTED_ALIGNMENT, dnnl_runtime_error),
        RESULT(ERROR_INVALID_SYNCHRONIZATION_OBJECT, dnnl_invalid_arguments),
        RESULT(ERROR_INVALID_ENUMERATION, dnnl_runtime_error),
        RESULT(ERROR_UNSUPPORTED_ENUMERATION, dnnl_runtime_error),
        RESULT(ERROR_INVALID_NATIVE_BINARY, dnnl_runtime_error),
        RESULT(ERROR_INVALID_KERNEL_NAME, dnnl_runtime_error),
        RESULT(ERROR_INVALID_GROUP_SIZE_DIMENSION, dnnl_runtime_error),
        RESULT(ERROR_INVALID_KERNEL_ARGUMENT_INDEX, dnnl_runtime_error),
        RESULT(ERROR_INVALID_KERNEL_ARGUMENT_SIZE, dnnl_runtime_error),
        RESULT(ERROR_INVALID_COMMAND_LIST_TYPE, dnnl_invalid_arguments),
#undef RESULT
};

const char *lz_result_name(ze_result_t result) {
    for (size_t i = 0; i < sizeof results / sizeof results[0]; i++)
        if (results[i].result == result) return results[i].name;
    return "unknown Level Zero error";
}

dnnl_status_t lz_status(ze_result_t result) {
    for (size_t i = 0; i < sizeof results / sizeof results[0]; i++)
        if (results[i].result == result) return results[i].status;
    return dnnl_runtime_error;
}
