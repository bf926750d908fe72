/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Modules and kernels. A module is built once per device: on the embedded driver from a family's native form;
 * elsewhere from a binary of a cache blob or of the disk cache, or else from SPIR-V. A kernel's arguments are
 * state of its handle, and Level Zero copies them when a launch is appended. So every kernel has as many
 * handles as threads have launched it at the same time.
 */
#include "base/cpu.h"
#include "base/disk_cache.h"
#include "runtimes/level_zero/level_zero.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct lz_kernel {
    struct lz_kernel *next;
    const struct kernel *kernel;
    const struct lz_device *device;
    ze_module_handle_t module;
    struct slots instances;
};

/* -- modules -- */

/* The native module that has the best form of a kernel, or NULL. */
static const struct native_module *native_module_of(const struct kernel *kernel) {
    const struct native_module *module;
    return kernel_native(kernel, cpu_features(), &module) ? module : NULL;
}

static void report_log(const struct lz_device *d, const char *name, ze_module_build_log_handle_t log) {
    size_t size = 0;
    if (d->ze->ModuleBuildLogGetString(log, &size, NULL) != ZE_RESULT_SUCCESS || size == 0) return;
    char *text = malloc(size + 1), *line;
    if (text && d->ze->ModuleBuildLogGetString(log, &size, text) == ZE_RESULT_SUCCESS) {
        text[size] = 0;
        while ((line = strchr(text, '\n')))
            *line = ' ';
        fail(dnnl_runtime_error, "kernel", "kernels %s cannot be built: %.800s", name, text);
    }
    free(text);
}

/* Builds a module of one form. If `name` is NULL, a failure is not reported. */
static ze_result_t build(const struct lz_device *d, ze_module_format_t format, const void *input, size_t size,
                         const char *name, ze_module_handle_t *module) {
    const ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                                   .format = format,
                                   .inputSize = size,
                                   .pInputModule = input,
                                   .pBuildFlags = d->options};
    ze_module_build_log_handle_t log = NULL;
    ze_result_t result = d->ze->ModuleCreate(d->context, d->device, &desc, module, &log);
    if (result != ZE_RESULT_SUCCESS && log && name) report_log(d, name, log);
    if (log) d->ze->ModuleBuildLogDestroy(log);
    return result;
}

static ze_result_t build_native(const struct lz_device *d, const char *name,
                                const struct native_module *native, ze_module_handle_t *module) {
    const struct native_reference reference = {
            .magic = NATIVE_REFERENCE_MAGIC, .process = (uint64_t)getpid(), .module = native};
    return build(d, ZE_MODULE_FORMAT_NATIVE, &reference, sizeof reference, name, module);
}

static bool build_offered(const struct lz_device *d, const char *key, ze_module_handle_t *module) {
    const struct binary *b = binaries_find(&d->binaries, key);
    return b && build(d, ZE_MODULE_FORMAT_NATIVE, b->bytes, b->size, NULL, module) == ZE_RESULT_SUCCESS;
}

static bool build_stored(const struct lz_device *d, const char *key, ze_module_handle_t *module) {
    void *bytes;
    size_t size;
    if (!disk_cache_find(key, &bytes, &size)) return false;
    ze_result_t result = build(d, ZE_MODULE_FORMAT_NATIVE, bytes, size, NULL, module);
    free(bytes);
    return result == ZE_RESULT_SUCCESS;
}

void *lz_module_binary(const struct lz_device *d, ze_module_handle_t module, size_t *size) {
    void *bytes = NULL;
    if (d->ze->ModuleGetNativeBinary(module, size, NULL) == ZE_RESULT_SUCCESS && *size > 0)
        bytes = malloc(*size);
    if (!bytes || d->ze->ModuleGetNativeBinary(module, size, bytes) == ZE_RESULT_SUCCESS) return bytes;
    free(bytes);
    return NULL;
}

static void store(const struct lz_device *d, const char *key, ze_module_handle_t module) {
    size_t size = 0;
    void *bytes = lz_module_binary(d, module, &size);
    if (bytes) disk_cache_store(key, bytes, size);
    free(bytes);
}

static ze_result_t build_spirv(const struct lz_device *d, const struct kernel *kernel,
                               ze_module_handle_t *module) {
    size_t size;
    uint32_t *words = kernel_spirv(kernel, &size);
    if (!words) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    ze_result_t result = build(d, ZE_MODULE_FORMAT_IL_SPIRV, words, size, kernel->name, module);
    free(words);
    return result;
}

static ze_result_t build_program(const struct lz_device *d, const struct kernel *kernel,
                                 ze_module_handle_t *module) {
    char *key = binaries_key(d->key, d->options, kernel);
    if (!key) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    ze_result_t result = ZE_RESULT_SUCCESS;
    if (!build_offered(d, key, module) && !build_stored(d, key, module)) {
        result = build_spirv(d, kernel, module);
        if (result == ZE_RESULT_SUCCESS) store(d, key, *module);
    }
    free(key);
    return result;
}

static dnnl_status_t add_module(struct lz_device *d, const struct kernel *kernel,
                                const struct native_module *native, ze_module_handle_t *handle) {
    struct lz_module *module = calloc(1, sizeof *module);
    if (!module) return dnnl_out_of_memory;
    ze_result_t result = native ? build_native(d, kernel->family->name, native, &module->handle)
                                : build_program(d, kernel, &module->handle);
    if (result != ZE_RESULT_SUCCESS) {
        free(module);
        return lz_fail(result, "kernel", "zeModuleCreate");
    }
    module->kernel = kernel;
    module->image = native ? (const void *)native : kernel->spirv;
    module->next = d->modules;
    d->modules = module;
    *handle = module->handle;
    return dnnl_success;
}

static dnnl_status_t find_module(struct lz_device *d, const struct kernel *kernel,
                                 ze_module_handle_t *handle) {
    const struct native_module *native = d->native ? native_module_of(kernel) : NULL;
    const void *image = native ? (const void *)native : kernel->spirv;
    for (const struct lz_module *module = d->modules; module; module = module->next)
        if (module->image == image) {
            *handle = module->handle;
            return dnnl_success;
        }
    return add_module(d, kernel, native, handle);
}

/* -- kernels -- */

static struct lz_instance *add_instance(struct lz_kernel *kernel, bool taken, ze_result_t *result) {
    const struct level_zero *ze = kernel->device->ze;
    const ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC,
                                   .pKernelName = kernel->kernel->name};
    struct lz_instance *instance = calloc(1, sizeof *instance);
    *result = instance ? ze->KernelCreate(kernel->module, &desc, &instance->handle)
                       : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    if (*result != ZE_RESULT_SUCCESS) {
        free(instance);
        return NULL;
    }
    slots_add(&kernel->instances, &instance->slot, taken);
    return instance;
}

struct lz_instance *lz_kernel_take(struct lz_kernel *kernel, ze_result_t *result) {
    struct slot *slot = slots_take(&kernel->instances);
    *result = ZE_RESULT_SUCCESS;
    return slot ? (struct lz_instance *)slot : add_instance(kernel, true, result);
}

static dnnl_status_t add_kernel(struct lz_device *d, const struct kernel *kernel, struct lz_kernel **made) {
    struct lz_kernel *k = calloc(1, sizeof *k);
    if (!k) return dnnl_out_of_memory;
    k->kernel = kernel;
    k->device = d;
    ze_result_t result = ZE_RESULT_SUCCESS;
    dnnl_status_t status = find_module(d, kernel, &k->module);
    if (status == dnnl_success && !add_instance(k, false, &result))
        status = lz_fail(result, "kernel", "zeKernelCreate");
    if (status != dnnl_success) {
        free(k);
        return status;
    }
    k->next = d->kernels;
    d->kernels = k;
    *made = k;
    return dnnl_success;
}

dnnl_status_t lz_kernel_load(struct device *device, const struct kernel *kernel, void **handle) {
    struct lz_device *d = lz_device_of(device);
    pthread_mutex_lock(&d->programs_lock);
    struct lz_kernel *k = d->kernels;
    while (k && k->kernel != kernel)
        k = k->next;
    dnnl_status_t status = k ? dnnl_success : add_kernel(d, kernel, &k);
    pthread_mutex_unlock(&d->programs_lock);
    if (status == dnnl_success) *handle = k;
    return status;
}

dnnl_status_t lz_kernel_export(void *handle, void **module, void **kernel) {
    struct lz_kernel *k = handle;
    ze_result_t result;
    struct lz_instance *instance = lz_kernel_take(k, &result);
    if (!instance) return lz_fail(result, "kernel", "zeKernelCreate");
    *module = k->module;
    *kernel = instance->handle;
    return dnnl_success;
}

/* -- beginning and end -- */

/* Buffers may be larger than 4 GB, where a GPU's 32-bit offsets end. */
dnnl_status_t lz_programs_open(struct lz_device *d, const struct device_info *info) {
    d->options = info->class == DEVICE_GPU ? "-ze-opt-greater-than-4GB-buffer-required" : "";
    d->key = lz_device_key(d->driver, d->device);
    return d->key ? dnnl_success : dnnl_out_of_memory;
}

static void free_kernel(struct lz_kernel *kernel) {
    for (struct slot *slot = kernel->instances.first, *next; slot; slot = next) {
        next = slot->next;
        kernel->device->ze->KernelDestroy(((struct lz_instance *)slot)->handle);
        free(slot);
    }
    free(kernel);
}

void lz_programs_close(struct lz_device *d) {
    for (struct lz_kernel *kernel = d->kernels, *next; kernel; kernel = next) {
        next = kernel->next;
        free_kernel(kernel);
    }
    for (struct lz_module *module = d->modules, *next; module; module = next) {
        next = module->next;
        d->ze->ModuleDestroy(module->handle);
        free(module);
    }
    binaries_free(&d->binaries);
    free(d->key);
}
