/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs and kernels of a device. Each kernel is built once, on first use, in a program of its own, because
 * device compilers are slow. It is built from the first of these that the device accepts: a binary from a
 * cache blob, a binary from the disk cache, SPIR-V, source. Kernels exist as long as the device.
 */
#include "runtimes/opencl/opencl.h"
#include "base/disk_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Options. No fast math, which would change results; division is rounded as in IEEE 754 if the device can. */
static const char *choose_options(cl_device_id device) {
    cl_device_fp_config config = 0;
    cl.GetDeviceInfo(device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof config, &config, NULL);
    return config & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT ? "-cl-fp32-correctly-rounded-divide-sqrt" : "";
}

dnnl_status_t opencl_programs_open(struct opencl_device *device) {
    device->options = choose_options(device->device);
    device->key = opencl_device_key(device->device);
    return device->key ? dnnl_success : dnnl_out_of_memory;
}

static void free_kernel(struct opencl_kernel *kernel) {
    for (struct slot *slot = kernel->instances.first, *next; slot; slot = next) {
        next = slot->next;
        cl.ReleaseKernel(((struct opencl_instance *)slot)->kernel);
        free(slot);
    }
    if (kernel->program) cl.ReleaseProgram(kernel->program);
    pthread_mutex_destroy(&kernel->lock);
    free(kernel);
}

void opencl_programs_close(struct opencl_device *device) {
    for (struct opencl_kernel *k = device->kernels, *next; k; k = next) {
        next = k->next;
        free_kernel(k);
    }
    binaries_free(&device->binaries);
    free(device->key);
}

/* Building. Each function makes a program object of one form, or returns NULL. */

typedef cl_program (*create_with_il)(cl_context context, const void *il, size_t size, cl_int *error);

/* The function that creates programs from SPIR-V, if the device accepts SPIR-V. */
static create_with_il il_function(cl_device_id device) {
    if (!opencl_takes_spirv(device)) return NULL;
    cl_platform_id platform;
    if (opencl_device_has(device, "cl_khr_il_program")
        && cl.GetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL) == CL_SUCCESS) {
        create_with_il function;
        *(void **)&function = opencl_extension(platform, "clCreateProgramWithILKHR");
        if (function) return function;
    }
    return cl.CreateProgramWithIL;
}

static cl_program from_spirv(const struct opencl_device *d, const struct kernel *kernel) {
    create_with_il create = il_function(d->device);
    size_t size;
    cl_int error;
    uint32_t *words = create ? kernel_spirv(kernel, &size) : NULL;
    cl_program program = words ? create(d->context, words, size, &error) : NULL;
    free(words);
    return program;
}

static cl_program from_source(const struct opencl_device *d, const struct kernel *kernel) {
    char *source = kernel_source(kernel);
    const char *text = source;
    cl_int error;
    cl_program program = source ? cl.CreateProgramWithSource(d->context, 1, &text, NULL, &error) : NULL;
    free(source);
    return program;
}

static cl_program from_binary(const struct opencl_device *d, const void *bytes, size_t size) {
    const unsigned char *binary = bytes;
    cl_int error, status;
    cl_program program =
            cl.CreateProgramWithBinary(d->context, 1, &d->device, &size, &binary, &status, &error);
    if (error == CL_SUCCESS && status == CL_SUCCESS) return program;
    if (error == CL_SUCCESS) cl.ReleaseProgram(program);
    return NULL;
}

/* Prints why a program could not be built: the beginning of the compiler's log. */
static void report(const struct opencl_device *d, cl_program program, const char *name, const char *form) {
    char log[4096] = "", *line;
    cl.GetProgramBuildInfo(program, d->device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    log[sizeof log - 1] = 0;
    while ((line = strchr(log, '\n')))
        *line = ' ';
    fail(dnnl_runtime_error, "opencl", "kernel %s cannot be built from %s: %.800s", name, form, log);
}

/* Builds a program object and returns it; releases it and returns NULL if it cannot be built. */
static cl_program build(const struct opencl_device *d, cl_program program, const char *options,
                        const char *name, const char *form) {
    if (!program) return NULL;
    if (cl.BuildProgram(program, 1, &d->device, options, NULL, NULL) == CL_SUCCESS) return program;
    if (name) report(d, program, name, form);
    cl.ReleaseProgram(program);
    return NULL;
}

static cl_program build_offered(struct opencl_device *d, const char *key) {
    pthread_mutex_lock(&d->lock);
    const struct binary *b = binaries_find(&d->binaries, key);
    pthread_mutex_unlock(&d->lock);
    return b ? build(d, from_binary(d, b->bytes, b->size), d->options, NULL, NULL) : NULL;
}

static cl_program build_stored(const struct opencl_device *d, const char *key) {
    void *bytes;
    size_t size;
    if (!disk_cache_find(key, &bytes, &size)) return NULL;
    cl_program program = build(d, from_binary(d, bytes, size), d->options, NULL, NULL);
    free(bytes);
    return program;
}

static cl_program build_anew(const struct opencl_device *d, const struct kernel *kernel) {
    char options[256];
    cl_program program = build(d, from_spirv(d, kernel), d->options, kernel->name, "SPIR-V");
    if (program) return program;
    snprintf(options, sizeof options, "-cl-std=CL1.2 %s " KERNEL_OPTIONS, d->options, kernel->name);
    return build(d, from_source(d, kernel), options, kernel->name, "source");
}

void *opencl_kernel_binary(const struct opencl_device *device, const struct opencl_kernel *kernel,
                           size_t *size) {
    enum { MAX_DEVICES = 64 };
    cl_device_id devices[MAX_DEVICES];
    size_t sizes[MAX_DEVICES], bytes = 0, n;
    unsigned char *binaries[MAX_DEVICES] = {NULL}, *binary = NULL;
    cl_program p = kernel->program;
    if (cl.GetProgramInfo(p, CL_PROGRAM_DEVICES, sizeof devices, devices, &bytes) != CL_SUCCESS
        || cl.GetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, NULL) != CL_SUCCESS)
        return NULL;
    n = bytes / sizeof devices[0];
    /* Only our device's binary is needed: a null pointer skips the others. */
    for (size_t i = 0; i < n; i++)
        if (devices[i] == device->device && sizes[i] > 0) {
            binaries[i] = binary = malloc(sizes[i]);
            *size = sizes[i];
        }
    if (!binary) return NULL;
    if (cl.GetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof binaries, binaries, NULL) == CL_SUCCESS)
        return binary;
    free(binary);
    return NULL;
}

static void store(const struct opencl_device *d, const struct opencl_kernel *kernel, const char *key) {
    size_t size;
    void *binary = opencl_kernel_binary(d, kernel, &size);
    if (binary) disk_cache_store(key, binary, size);
    free(binary);
}

static dnnl_status_t build_program(struct opencl_device *d, struct opencl_kernel *k) {
    char *key = binaries_key(d->key, d->options, k->kernel);
    if (!key) return dnnl_out_of_memory;
    k->program = build_offered(d, key);
    if (!k->program) k->program = build_stored(d, key);
    if (!k->program) {
        k->program = build_anew(d, k->kernel);
        if (k->program) store(d, k, key);
    }
    free(key);
    if (k->program) return dnnl_success;
    return fail(dnnl_runtime_error, "opencl", "the device accepts no form of kernel %s", k->kernel->name);
}

/* Kernels */

static struct opencl_instance *add_instance(struct opencl_kernel *k, bool taken) {
    cl_int error;
    struct opencl_instance *instance = calloc(1, sizeof *instance);
    if (!instance) return NULL;
    instance->kernel = cl.CreateKernel(k->program, k->kernel->name, &error);
    if (error == CL_SUCCESS) {
        slots_add(&k->instances, &instance->slot, taken);
        return instance;
    }
    free(instance);
    opencl_fail(error, "opencl", "clCreateKernel");
    return NULL;
}

struct opencl_instance *opencl_kernel_take(struct opencl_kernel *kernel) {
    struct slot *slot = slots_take(&kernel->instances);
    return slot ? (struct opencl_instance *)slot : add_instance(kernel, true);
}

/* The device's kernel, perhaps not built yet; NULL: out of memory. */
static struct opencl_kernel *find_kernel(struct opencl_device *d, const struct kernel *kernel) {
    pthread_mutex_lock(&d->lock);
    struct opencl_kernel *k = d->kernels;
    while (k && k->kernel != kernel)
        k = k->next;
    if (!k && (k = calloc(1, sizeof *k))) {
        k->kernel = kernel;
        pthread_mutex_init(&k->lock, NULL);
        k->next = d->kernels;
        d->kernels = k;
    }
    pthread_mutex_unlock(&d->lock);
    return k;
}

static dnnl_status_t build_locked(struct opencl_device *d, struct opencl_kernel *k) {
    dnnl_status_t status = k->program ? dnnl_success : build_program(d, k);
    if (status != dnnl_success || k->instances.first) return status;
    return add_instance(k, false) ? dnnl_success : dnnl_runtime_error;
}

dnnl_status_t opencl_kernel_load(struct device *device, const struct kernel *kernel, void **handle) {
    struct opencl_device *d = opencl_device(device);
    struct opencl_kernel *k = find_kernel(d, kernel);
    if (!k) return dnnl_out_of_memory;
    pthread_mutex_lock(&k->lock);
    dnnl_status_t status = build_locked(d, k);
    pthread_mutex_unlock(&k->lock);
    if (status == dnnl_success) *handle = k;
    return status;
}

/* The instance is never given back. */
dnnl_status_t opencl_kernel_export(void *handle, void **module, void **kernel) {
    struct opencl_instance *instance = opencl_kernel_take(handle);
    if (!instance) return dnnl_out_of_memory;
    *module = NULL;
    *kernel = instance->kernel;
    return dnnl_success;
}
