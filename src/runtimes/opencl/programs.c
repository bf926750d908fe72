/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs and kernels of a device: each family is built once, when first asked for, from the best form that
 * the device takes. In this order: a binary from a cache blob, a binary from the disk cache, SPIR-V, source.
 * Programs and kernels live as long as the device.
 */
#include "runtimes/opencl/opencl.h"
#include "base/disk_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Options. Nothing that changes a bit: no fast mathematics, and divisions rounded as IEEE 754 says where the
 * device can. */
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
    free(kernel);
}

static void free_program(struct opencl_program *program) {
    if (program->program) cl.ReleaseProgram(program->program);
    pthread_mutex_destroy(&program->lock);
    free(program);
}

void opencl_programs_close(struct opencl_device *device) {
    for (struct opencl_kernel *k = device->kernels, *next; k; k = next) {
        next = k->next;
        free_kernel(k);
    }
    for (struct opencl_program *p = device->programs, *next; p; p = next) {
        next = p->next;
        free_program(p);
    }
    binaries_free(&device->binaries);
    free(device->key);
}

/* Building. Each function makes a program object of one form, or returns NULL. */

typedef cl_program (*create_with_il)(cl_context context, const void *il, size_t size, cl_int *error);

/* The function that makes programs from SPIR-V, if the device takes any. */
static create_with_il il_function(cl_device_id device) {
    char *version = opencl_device_string(device, CL_DEVICE_IL_VERSION);
    bool takes_spirv = version && strstr(version, "SPIR-V");
    free(version);
    if (!takes_spirv) return NULL;
    cl_platform_id platform;
    if (opencl_device_has(device, "cl_khr_il_program")
        && cl.GetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL) == CL_SUCCESS) {
        create_with_il function;
        *(void **)&function = opencl_extension(platform, "clCreateProgramWithILKHR");
        if (function) return function;
    }
    return cl.CreateProgramWithIL;
}

static cl_program from_spirv(const struct opencl_device *d, const struct kernel_family *family) {
    create_with_il create = il_function(d->device);
    cl_int error;
    size_t size = (size_t)(family->spirv_end - family->spirv);
    return create ? create(d->context, family->spirv, size, &error) : NULL;
}

static cl_program from_source(const struct opencl_device *d, const struct kernel_family *family) {
    const char *text = family->source;
    size_t size = (size_t)(family->source_end - family->source);
    cl_int error;
    return cl.CreateProgramWithSource(d->context, 1, &text, &size, &error);
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

/* Says why a program could not be built: the beginning of the compiler's log. */
static void report(const struct opencl_device *d, cl_program program, const char *name, const char *form) {
    char log[4096] = "", *line;
    cl.GetProgramBuildInfo(program, d->device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    log[sizeof log - 1] = 0;
    while ((line = strchr(log, '\n')))
        *line = ' ';
    fail(dnnl_runtime_error, "opencl", "kernels %s cannot be built from %s: %.800s", name, form, log);
}

/* Builds a program object and passes it on; releases it and returns NULL if it cannot be built. */
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

static cl_program build_anew(const struct opencl_device *d, const struct kernel_family *family) {
    char options[128];
    cl_program program = build(d, from_spirv(d, family), d->options, family->name, "SPIR-V");
    if (program) return program;
    snprintf(options, sizeof options, "-cl-std=CL1.2 %s", d->options);
    return build(d, from_source(d, family), options, family->name, "source");
}

void *opencl_program_binary(const struct opencl_device *device, const struct opencl_program *program,
                            size_t *size) {
    enum { MAX_DEVICES = 64 };
    cl_device_id devices[MAX_DEVICES];
    size_t sizes[MAX_DEVICES], bytes = 0, n;
    unsigned char *binaries[MAX_DEVICES] = {NULL}, *binary = NULL;
    cl_program p = program->program;
    if (cl.GetProgramInfo(p, CL_PROGRAM_DEVICES, sizeof devices, devices, &bytes) != CL_SUCCESS
        || cl.GetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, NULL) != CL_SUCCESS)
        return NULL;
    n = bytes / sizeof devices[0];
    /* The others have not been built: a null pointer means that theirs is not wanted. */
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

static void store(const struct opencl_device *d, const struct opencl_program *program, const char *key) {
    size_t size;
    void *binary = opencl_program_binary(d, program, &size);
    if (binary) disk_cache_store(key, binary, size);
    free(binary);
}

static dnnl_status_t build_locked(struct opencl_device *d, struct opencl_program *p) {
    char *key = binaries_key(d->key, d->options, p->family);
    if (!key) return dnnl_out_of_memory;
    p->program = build_offered(d, key);
    if (!p->program) p->program = build_stored(d, key);
    if (!p->program) {
        p->program = build_anew(d, p->family);
        if (p->program) store(d, p, key);
    }
    free(key);
    if (p->program) return dnnl_success;
    return fail(dnnl_runtime_error, "opencl", "the device takes no form of kernels %s", p->family->name);
}

static struct opencl_program *find_program(struct opencl_device *d, const struct kernel_family *family) {
    pthread_mutex_lock(&d->lock);
    struct opencl_program *p = d->programs;
    while (p && p->family != family)
        p = p->next;
    if (!p && (p = calloc(1, sizeof *p))) {
        p->family = family;
        pthread_mutex_init(&p->lock, NULL);
        p->next = d->programs;
        d->programs = p;
    }
    pthread_mutex_unlock(&d->lock);
    return p;
}

static dnnl_status_t built_program(struct opencl_device *d, const struct kernel_family *family,
                                   struct opencl_program **program) {
    struct opencl_program *p = find_program(d, family);
    if (!p) return dnnl_out_of_memory;
    pthread_mutex_lock(&p->lock);
    dnnl_status_t status = p->program ? dnnl_success : build_locked(d, p);
    pthread_mutex_unlock(&p->lock);
    *program = p;
    return status;
}

/* Kernels */

static struct opencl_instance *add_instance(struct opencl_kernel *k, bool taken) {
    cl_int error;
    struct opencl_instance *instance = calloc(1, sizeof *instance);
    if (!instance) return NULL;
    instance->kernel = cl.CreateKernel(k->program->program, k->kernel->name, &error);
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

static struct opencl_kernel *find_kernel(struct opencl_device *d, const struct kernel *kernel) {
    struct opencl_kernel *k = d->kernels;
    while (k && k->kernel != kernel)
        k = k->next;
    return k;
}

/* Adds a kernel, unless another thread was faster. */
static struct opencl_kernel *keep_kernel(struct opencl_device *d, struct opencl_kernel *made) {
    pthread_mutex_lock(&d->lock);
    struct opencl_kernel *k = find_kernel(d, made->kernel);
    if (!k) {
        made->next = d->kernels;
        d->kernels = made;
    }
    pthread_mutex_unlock(&d->lock);
    if (!k) return made;
    free_kernel(made);
    return k;
}

static dnnl_status_t make_kernel(struct opencl_device *d, const struct kernel *kernel,
                                 struct opencl_kernel **made) {
    struct opencl_program *program;
    dnnl_status_t status = built_program(d, kernel->family, &program);
    if (status != dnnl_success) return status;
    struct opencl_kernel *k = calloc(1, sizeof *k);
    if (!k) return dnnl_out_of_memory;
    *k = (struct opencl_kernel){.kernel = kernel, .program = program};
    if (!add_instance(k, false)) {
        free(k);
        return dnnl_runtime_error;
    }
    *made = keep_kernel(d, k);
    return dnnl_success;
}

dnnl_status_t opencl_kernel_load(struct device *device, const struct kernel *kernel, void **handle) {
    struct opencl_device *d = opencl_device(device);
    pthread_mutex_lock(&d->lock);
    struct opencl_kernel *k = find_kernel(d, kernel);
    pthread_mutex_unlock(&d->lock);
    dnnl_status_t status = k ? dnnl_success : make_kernel(d, kernel, &k);
    if (status == dnnl_success) *handle = k;
    return status;
}

/* The instance stays taken. */
dnnl_status_t opencl_kernel_export(void *handle, void **module, void **kernel) {
    struct opencl_instance *instance = opencl_kernel_take(handle);
    if (!instance) return dnnl_out_of_memory;
    *module = NULL;
    *kernel = instance->kernel;
    return dnnl_success;
}
