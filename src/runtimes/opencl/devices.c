/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenCL devices: those of all platforms that have a compiler, GPUs first, then accelerators, then CPUs.
 * Each is opened in a context of its own, or in the user's.
 */
#include "runtimes/device_class.h"
#include "runtimes/opencl/opencl.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_PLATFORMS = 32, MAX_DEVICES = 256 };

static struct {
    pthread_once_t once;
    size_t count;
    cl_device_id devices[MAX_DEVICES];
} found = {.once = PTHREAD_ONCE_INIT};

/* Queries */

char *opencl_device_string(cl_device_id device, cl_device_info property) {
    size_t size;
    if (cl.GetDeviceInfo(device, property, 0, NULL, &size) != CL_SUCCESS) return NULL;
    char *text = malloc(size + 1);
    if (!text) return NULL;
    text[size] = 0;
    if (cl.GetDeviceInfo(device, property, size, text, NULL) == CL_SUCCESS) return text;
    free(text);
    return NULL;
}

bool opencl_device_has(cl_device_id device, const char *extension) {
    char *all = opencl_device_string(device, CL_DEVICE_EXTENSIONS);
    size_t length = strlen(extension);
    bool has = false;
    for (const char *p = all; p && (p = strstr(p, extension)) && !has; p += length)
        has = (p == all || p[-1] == ' ') && (p[length] == ' ' || p[length] == 0);
    free(all);
    return has;
}

/* A numeric property; 0 if the device does not know it. Those that we query have at most 64 bits. */
static cl_ulong number(cl_device_id device, cl_device_info property) {
    union {
        cl_uint u32;
        cl_ulong u64;
    } value = {.u64 = 0};
    size_t size = 0;
    if (cl.GetDeviceInfo(device, property, sizeof value, &value, &size) != CL_SUCCESS) return 0;
    return size == sizeof value.u32 ? value.u32 : value.u64;
}

/* The list */

static int rank(cl_device_id device) {
    cl_device_type type = number(device, CL_DEVICE_TYPE);
    return type & CL_DEVICE_TYPE_GPU ? 0 : type & CL_DEVICE_TYPE_ACCELERATOR ? 1 : 2;
}

static bool is_usable(cl_device_id device) {
    return number(device, CL_DEVICE_AVAILABLE) && number(device, CL_DEVICE_COMPILER_AVAILABLE);
}

static void add_devices(cl_platform_id platform, int wanted) {
    cl_device_id devices[MAX_DEVICES];
    cl_uint count = 0;
    if (cl.GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, MAX_DEVICES, devices, &count) != CL_SUCCESS) return;
    for (cl_uint i = 0; i < count && i < MAX_DEVICES && found.count < MAX_DEVICES; i++)
        if (rank(devices[i]) == wanted && is_usable(devices[i])) found.devices[found.count++] = devices[i];
}

static void find_devices(void) {
    cl_platform_id platforms[MAX_PLATFORMS];
    cl_uint count = 0;
    if (!opencl_load()) return;
    cl_int error = cl.GetPlatformIDs(MAX_PLATFORMS, platforms, &count);
    if (error != CL_SUCCESS) {
        opencl_fail(error, "opencl", "clGetPlatformIDs");
        return;
    }
    for (int wanted = 0; wanted < 3; wanted++)
        for (cl_uint i = 0; i < count && i < MAX_PLATFORMS; i++)
            add_devices(platforms[i], wanted);
    if (found.count == 0) fail(dnnl_runtime_error, "opencl", "no device on %u platforms", count);
}

dnnl_status_t opencl_device_count(dnnl_engine_kind_t kind, size_t *count) {
    pthread_once(&found.once, find_devices);
    *count = kind == dnnl_gpu ? found.count : 0;
    return dnnl_success;
}

static size_t index_of(cl_device_id device) {
    size_t count;
    opencl_device_count(dnnl_gpu, &count);
    for (size_t i = 0; i < count; i++)
        if (found.devices[i] == device) return i;
    return count;
}

/* Opening */

static int vector_bytes(cl_device_id device) {
    cl_ulong bytes = 4 * number(device, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT);
    return bytes >= 64 ? 64 : bytes >= 32 ? 32 : 16;
}

bool opencl_takes_spirv(cl_device_id device) {
    char *version = opencl_device_string(device, CL_DEVICE_IL_VERSION);
    bool takes = version && strstr(version, "SPIR-V");
    free(version);
    return takes;
}

static unsigned sub_group_sizes(cl_device_id device) {
    size_t sizes[16], bytes = 0;
    unsigned set = 0;
    if (!opencl_device_has(device, "cl_intel_required_subgroup_size")) return 0;
    if (cl.GetDeviceInfo(device, CL_DEVICE_SUB_GROUP_SIZES_INTEL, sizeof sizes, sizes, &bytes) != CL_SUCCESS)
        return 0;
    for (size_t i = 0; i < bytes / sizeof sizes[0]; i++)
        set |= (unsigned)sizes[i] & SUB_GROUP_SIZES;
    return set;
}

static unsigned features(cl_device_id device) {
    static const struct {
        const char *extension;
        unsigned feature;
    } rows[] = {
            {"cl_khr_subgroups", HAS_SUB_GROUPS},
            {"cl_intel_subgroups", HAS_SUB_GROUPS | HAS_INTEL_SUB_GROUPS},
            {"cl_intel_subgroups_short", HAS_INTEL_SUB_GROUPS_SHORT},
            {"cl_khr_fp16", HAS_FP16},
            {"cl_khr_integer_dot_product", HAS_INTEGER_DOT},
            {"cl_intel_subgroup_matrix_multiply_accumulate", HAS_MATRIX_ENGINE},
    };
    unsigned set = sub_group_sizes(device);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (opencl_device_has(device, rows[i].extension)) set |= rows[i].feature;
    if (number(device, CL_DEVICE_DOUBLE_FP_CONFIG)) set |= HAS_FP64;
    if (number(device, CL_DEVICE_LOCAL_MEM_SIZE)) set |= HAS_LOCAL_MEMORY;
    return set | (vector_bytes(device) >= 64 ? HAS_WIDE_VECTORS : 0);
}

/* OpenCL reports one cache without its level; we take it as the last level. */
static struct device_info describe(cl_device_id device) {
    cl_device_type type = number(device, CL_DEVICE_TYPE);
    int units = (int)number(device, CL_DEVICE_MAX_COMPUTE_UNITS);
    struct device_info info = {.class = device_class_of(type & CL_DEVICE_TYPE_CPU),
                               .forms = FORM_SOURCE | (opencl_takes_spirv(device) ? FORM_SPIRV : 0),
                               .features = features(device),
                               .vector_bytes = vector_bytes(device),
                               .compute_units = units > 0 ? units : 1,
                               .largest_group = number(device, CL_DEVICE_MAX_WORK_GROUP_SIZE),
                               .local_bytes = number(device, CL_DEVICE_LOCAL_MEM_SIZE),
                               .cache_bytes = {0, 0, number(device, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE)},
                               .backend = "OpenCL"};
    if (cl.GetDeviceInfo(device, CL_DEVICE_NAME, sizeof info.name, info.name, NULL) != CL_SUCCESS)
        info.name[0] = '\0';
    char *version = opencl_device_string(device, CL_DRIVER_VERSION);
    snprintf(info.driver, sizeof info.driver, "%s", version ? version : "");
    free(version);
    return info;
}

static void find_extensions(struct opencl_device *d) {
    cl_platform_id platform;
    if (cl.GetDeviceInfo(d->device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL) != CL_SUCCESS)
        return;
    d->has_command_buffers = opencl_device_has(d->device, "cl_khr_command_buffer")
                             && opencl_load_command_buffers(platform, &d->commands);
    d->has_usm = opencl_device_has(d->device, "cl_intel_unified_shared_memory")
                 && opencl_load_usm(platform, &d->usm);
    d->system_usm = d->has_usm && number(d->device, CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL) != 0;
}

static dnnl_status_t check_context(cl_device_id device, cl_context context) {
    cl_device_id devices[MAX_DEVICES];
    size_t size = 0;
    cl_int error = cl.GetContextInfo(context, CL_CONTEXT_DEVICES, sizeof devices, devices, &size);
    if (error != CL_SUCCESS) return opencl_fail(error, "engine", "clGetContextInfo");
    for (size_t i = 0; i < size / sizeof devices[0]; i++)
        if (devices[i] == device) return dnnl_success;
    return fail(dnnl_invalid_arguments, "engine", "the device does not belong to the context");
}

/* Sets device and context: the user's, retained, or the listed device in a context of our own. */
static dnnl_status_t take_handles(struct opencl_device *d, const struct device_origin *origin) {
    cl_int error;
    if (!origin->handles[OPENCL_DEVICE]) {
        d->device = found.devices[origin->index];
        d->context = cl.CreateContext(NULL, 1, &d->device, NULL, NULL, &error);
        return error == CL_SUCCESS ? dnnl_success : opencl_fail(error, "engine", "clCreateContext");
    }
    d->device = origin->handles[OPENCL_DEVICE];
    cl_context context = origin->handles[OPENCL_CONTEXT];
    TRY(check_context(d->device, context));
    if (!is_usable(d->device))
        return fail(dnnl_unimplemented, "engine", "the device is not available or has no compiler");
    error = cl.RetainContext(context);
    if (error != CL_SUCCESS) return opencl_fail(error, "engine", "clRetainContext");
    d->context = context;
    return dnnl_success;
}

static dnnl_status_t open_parts(struct opencl_device *d, const struct device_origin *origin) {
    TRY(take_handles(d, origin));
    cl.RetainDevice(d->device);
    cl_int error;
    d->service = cl.CreateCommandQueue(d->context, d->device, 0, &error);
    if (error != CL_SUCCESS) return opencl_fail(error, "engine", "clCreateCommandQueue");
    find_extensions(d);
    return opencl_programs_open(d);
}

static void close_parts(struct opencl_device *d) {
    opencl_programs_close(d);
    if (d->service) cl.ReleaseCommandQueue(d->service);
    if (d->context) {
        cl.ReleaseContext(d->context);
        cl.ReleaseDevice(d->device);
    }
    pthread_mutex_destroy(&d->lock);
    free(d);
}

dnnl_status_t opencl_device_open(struct device *device, const struct device_origin *origin) {
    if (!opencl_load()) return dnnl_runtime_error;
    struct opencl_device *d = calloc(1, sizeof *d);
    if (!d) return dnnl_out_of_memory;
    pthread_mutex_init(&d->lock, NULL);
    dnnl_status_t status = open_parts(d, origin);
    if (status != dnnl_success) {
        close_parts(d);
        return status;
    }
    device->state = d;
    device->handles[OPENCL_DEVICE] = d->device;
    device->handles[OPENCL_CONTEXT] = d->context;
    device->index = index_of(d->device);
    device->info = describe(d->device);
    d->is_cpu = number(d->device, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU;
    return dnnl_success;
}

void opencl_device_close(struct device *device) {
    close_parts(opencl_device(device));
}

void opencl_handles_release(void *const *handles) {
    if (!opencl_load()) return;
    cl.ReleaseContext(handles[OPENCL_CONTEXT]);
    cl.ReleaseDevice(handles[OPENCL_DEVICE]);
}
