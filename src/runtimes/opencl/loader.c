/* SPDX-License-Identifier: Apache-2.0 */
/* Finds libOpenCL's functions through entry_points.def. The library is never closed. */
#include "runtimes/opencl/loader.h"
#include "runtimes/library.h"

#include <dlfcn.h>
#include <pthread.h>

struct opencl_entries cl;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool loaded;

static void load(void) {
    const struct entry entries[] = {
#define ENTRY(name) {"cl" #name, (void **)&cl.name},
#include "runtimes/opencl/entry_points.def"
#undef ENTRY
    };
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) library = dlopen("libOpenCL.so", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fail(dnnl_runtime_error, "opencl", "libOpenCL.so.1 cannot be opened: %s", dlerror());
        return;
    }
    const char *missing = library_bind(library, sizeof entries / sizeof entries[0], entries);
    if (missing) {
        fail(dnnl_runtime_error, "opencl", "libOpenCL has no %s", missing);
        return;
    }
    *(void **)&cl.CreateProgramWithIL = dlsym(library, "clCreateProgramWithIL");
    loaded = true;
}

bool opencl_load(void) {
    pthread_once(&once, load);
    return loaded;
}

void *opencl_extension(cl_platform_id platform, const char *name) {
    return cl.GetExtensionFunctionAddressForPlatform(platform, name);
}

static bool load_extension(cl_platform_id platform, size_t count, const struct entry *entries) {
    for (size_t i = 0; i < count; i++) {
        *entries[i].function = opencl_extension(platform, entries[i].name);
        if (!*entries[i].function) return false;
    }
    return true;
}

bool opencl_load_usm(cl_platform_id platform, struct usm_entries *usm) {
    const struct entry entries[] = {
#define ENTRY_USM(name) {"cl" #name, (void **)&usm->name},
#include "runtimes/opencl/entry_points.def"
#undef ENTRY_USM
    };
    return load_extension(platform, sizeof entries / sizeof entries[0], entries);
}

bool opencl_load_command_buffers(cl_platform_id platform, struct command_buffer_entries *commands) {
    const struct entry entries[] = {
#define ENTRY_COMMAND_BUFFER(name) {"cl" #name, (void **)&commands->name},
#include "runtimes/opencl/entry_points.def"
#undef ENTRY_COMMAND_BUFFER
    };
    return load_extension(platform, sizeof entries / sizeof entries[0], entries);
}

/* Common errors, their status and name. */
static const struct {
    cl_int error;
    dnnl_status_t status;
    const char *name;
} errors[] = {
#define ERROR(error, status) {error, status, #error}
        ERROR(CL_DEVICE_NOT_FOUND, dnnl_runtime_error),
        ERROR(CL_DEVICE_NOT_AVAILABLE, dnnl_runtime_error),
        ERROR(CL_COMPILER_NOT_AVAILABLE, dnnl_runtime_error),
        ERROR(CL_MEM_OBJECT_ALLOCATION_FAILURE, dnnl_out_of_memory),
        ERROR(CL_OUT_OF_RESOURCES, dnnl_out_of_memory),
        ERROR(CL_OUT_OF_HOST_MEMORY, dnnl_out_of_memory),
        ERROR(CL_PROFILING_INFO_NOT_AVAILABLE, dnnl_runtime_error),
        ERROR(CL_BUILD_PROGRAM_FAILURE, dnnl_runtime_error),
        ERROR(CL_MAP_FAILURE, dnnl_runtime_error),
        ERROR(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, dnnl_runtime_error),
        ERROR(CL_INVALID_VALUE, dnnl_runtime_error),
        ERROR(CL_INVALID_PLATFORM, dnnl_invalid_arguments),
        ERROR(CL_INVALID_DEVICE, dnnl_invalid_arguments),
        ERROR(CL_INVALID_CONTEXT, dnnl_invalid_arguments),
        ERROR(CL_INVALID_QUEUE_PROPERTIES, dnnl_invalid_arguments),
        ERROR(CL_INVALID_COMMAND_QUEUE, dnnl_invalid_arguments),
        ERROR(CL_INVALID_MEM_OBJECT, dnnl_invalid_arguments),
        ERROR(CL_INVALID_BINARY, dnnl_runtime_error),
        ERROR(CL_INVALID_BUILD_OPTIONS, dnnl_runtime_error),
        ERROR(CL_INVALID_PROGRAM, dnnl_runtime_error),
        ERROR(CL_INVALID_PROGRAM_EXECUTABLE, dnnl_runtime_error),
        ERROR(CL_INVALID_KERNEL_NAME, dnnl_runtime_error),
        ERROR(CL_INVALID_KERNEL, dnnl_runtime_error),
        ERROR(CL_INVALID_ARG_INDEX, dnnl_runtime_error),
        ERROR(CL_INVALID_ARG_VALUE, dnnl_runtime_error),
        ERROR(CL_INVALID_ARG_SIZE, dnnl_runtime_error),
        ERROR(CL_INVALID_KERNEL_ARGS, dnnl_runtime_error),
        ERROR(CL_INVALID_WORK_DIMENSION, dnnl_runtime_error),
        ERROR(CL_INVALID_WORK_GROUP_SIZE, dnnl_runtime_error),
        ERROR(CL_INVALID_GLOBAL_WORK_SIZE, dnnl_runtime_error),
        ERROR(CL_INVALID_EVENT_WAIT_LIST, dnnl_invalid_arguments),
        ERROR(CL_INVALID_EVENT, dnnl_invalid_arguments),
        ERROR(CL_INVALID_OPERATION, dnnl_runtime_error),
        ERROR(CL_INVALID_BUFFER_SIZE, dnnl_out_of_memory),
        ERROR(CL_INVALID_COMMAND_BUFFER_KHR, dnnl_invalid_arguments),
#undef ERROR
        {-1001, dnnl_runtime_error, "no OpenCL platform"},
};

const char *opencl_error_name(cl_int error) {
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
        if (errors[i].error == error) return errors[i].name;
    return "unknown OpenCL error";
}

dnnl_status_t opencl_status(cl_int error) {
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
        if (errors[i].error == error) return errors[i].status;
    return dnnl_runtime_error;
}
