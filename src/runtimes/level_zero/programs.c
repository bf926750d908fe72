/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Modules and kernels. A module is built once a device, from the family's native form on the embedded driver
 * and from SPIR-V elsewhere. A kernel's arguments are state of its handle, and Level Zero copies them when a
 * launch is appended: so every kernel has as many handles as threads have launched it at the same time.
 */
#include "base/cpu.h"
#include "runtimes/level_zero/level_zero.h"

#include <stdlib.h>
#include <unistd.h>

/* One image: a native module or a family's SPIR-V. */
struct lz_module {
    struct lz_module *next;
    const void *image;
    ze_module_handle_t handle;
};

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
    const struct native_kernel *native = kernel_native(kernel, cpu_native_isa());
    for (int i = 0; native && i < ISA_COUNT; i++) {
        const struct native_module *module = kernel->family->native[i];
        if (module && native >= module->kernels && native < module->kernels + module->nkernels) return module;
    }
    return NULL;
}

static void report_log(const struct lz_device *d, const char *family, ze_module_build_log_handle_t log) {
    size_t size = 0;
    if (d->ze->ModuleBuildLogGetString(log, &size, NULL) != ZE_RESULT_SUCCESS || size == 0) return;
    char *text = malloc(size);
    if (text && d->ze->ModuleBuildLogGetString(log, &size, text) == ZE_RESULT_SUCCESS)
        fail(dnnl_runtime_error, "kernel", "%s: %.*s", family, (int)size, text);
    free(text);
}

static ze_result_t build(const struct lz_device *d, const char *family, const ze_module_desc_t *desc,
                         ze_module_handle_t *module) {
    ze_module_build_log_handle_t log = NULL;
    ze_result_t result = d->ze->ModuleCreate(d->context, d->device, desc, module, &log);
    if (result != ZE_RESULT_SUCCESS && log) report_log(d, family, log);
    if (log) d->ze->ModuleBuildLogDestroy(log);
    return result;
}

static ze_result_t build_native(const struct lz_device *d, const struct kernel_family *family,
                                const struct native_module *native, ze_module_handle_t *module) {
    const struct native_reference reference = {
            .magic = NATIVE_REFERENCE_MAGIC, .process = (uint64_t)getpid(), .module = native};
    const ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                                   .format = ZE_MODULE_FORMAT_NATIVE,
                                   .inputSize = sizeof reference,
                                   .pInputModule = (const uint8_t *)&reference};
    return build(d, family->name, &desc, module);
}

static ze_result_t build_spirv(const struct lz_device *d, const struct kernel_family *family,
                               ze_module_handle_t *module) {
    const ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                                   .format = ZE_MODULE_FORMAT_IL_SPIRV,
                                   .inputSize = (size_t)(family->spirv_end - family->spirv),
                                   .pInputModule = (const uint8_t *)family->spirv};
    return build(d, family->name, &desc, module);
}

static dnnl_status_t add_module(struct lz_device *d, const struct kernel_family *family,
                                const struct native_module *native, ze_module_handle_t *handle) {
    struct lz_module *module = calloc(1, sizeof *module);
    if (!module) return dnnl_out_of_memory;
    ze_result_t result = native ? build_native(d, family, native, &module->handle)
                                : build_spirv(d, family, &module->handle);
    if (result != ZE_RESULT_SUCCESS) {
        free(module);
        return lz_fail(result, "kernel", "zeModuleCreate");
    }
    module->image = native ? (const void *)native : family->spirv;
    module->next = d->modules;
    d->modules = module;
    *handle = module->handle;
    return dnnl_success;
}

static dnnl_status_t find_module(struct lz_device *d, const struct kernel *kernel,
                                 ze_module_handle_t *handle) {
    const struct native_module *native = d->native ? native_module_of(kernel) : NULL;
    const void *image = native ? (const void *)native : kernel->family->spirv;
    for (const struct lz_module *module = d->modules; module; module = module->next)
        if (module->image == image) {
            *handle = module->handle;
            return dnnl_success;
        }
    return add_module(d, kernel->family, native, handle);
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
    pthread_mutex_lock(&d->lock);
    struct lz_kernel *k = d->kernels;
    while (k && k->kernel != kernel)
        k = k->next;
    dnnl_status_t status = k ? dnnl_success : add_kernel(d, kernel, &k);
    pthread_mutex_unlock(&d->lock);
    if (status == dnnl_success) *handle = k;
    return status;
}

/* -- the end -- */

static void free_kernel(struct lz_kernel *kernel) {
    for (struct slot *slot = kernel->instances.first, *next; slot; slot = next) {
        next = slot->next;
        kernel->device->ze->KernelDestroy(((struct lz_instance *)slot)->handle);
        free(slot);
    }
    free(kernel);
}

void lz_kernels_free_all(struct lz_device *d) {
    for (struct lz_kernel *kernel = d->kernels, *next; kernel; kernel = next) {
        next = kernel->next;
        free_kernel(kernel);
    }
    for (struct lz_module *module = d->modules, *next; module; module = next) {
        next = module->next;
        d->ze->ModuleDestroy(module->handle);
        free(module);
    }
}
