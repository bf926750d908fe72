/* SPDX-License-Identifier: Apache-2.0 */
/* OpenCL as its users see it: their own context on every device of every platform, queues, buffers, USM. */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include "oneapi/dnnl/dnnl_ocl.h"
#include "runtimes/places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEVICE, CONTEXT, PLATFORM }; /* indices in place->native */
enum { BUFFER, SUB_BUFFER, USM_SHARED, USM_HOST, USM_DEVICE };

extern const struct backend opencl_backend;

static bool has_usm(cl_device_id device) {
    char extensions[8192] = "";
    clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL);
    return strstr(extensions, "cl_intel_unified_shared_memory");
}

static bool add_device(struct place *place, cl_platform_id platform, cl_device_id device, cl_uint index) {
    char name[64] = "";
    cl_int error;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    if (error != CL_SUCCESS) return false;
    clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, NULL);
    for (char *p = name; *p; p++)
        if (*p == ' ' || *p == '(' || *p == ')') *p = '_';
    *place = (struct place){.backend = &opencl_backend, .native = {device, context, platform}};
    snprintf(place->name, sizeof place->name, "ocl:%s:%u", name, index);
    return true;
}

static int find(struct place *places, int room) {
    cl_platform_id platforms[8];
    cl_device_id devices[8];
    cl_uint nplatforms = 0, ndevices;
    int count = 0;
    if (clGetPlatformIDs(8, platforms, &nplatforms) != CL_SUCCESS) nplatforms = 0;
    for (cl_uint p = 0; p < nplatforms && p < 8; p++) {
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 8, devices, &ndevices) != CL_SUCCESS) continue;
        for (cl_uint d = 0; d < ndevices && d < 8 && count < room; d++)
            count += add_device(&places[count], platforms[p], devices[d], d);
    }
    if (count == 0) printf("SKIP: no OpenCL device\n");
    return count;
}

static void close_place(struct place *place) {
    clReleaseContext(place->native[CONTEXT]);
}

static dnnl_status_t make_engine(const struct place *place, dnnl_engine_t *engine) {
    return dnnl_ocl_interop_engine_create(engine, place->native[DEVICE], place->native[CONTEXT]);
}

static dnnl_status_t make_stream(const struct place *place, dnnl_engine_t engine, unsigned flags,
                                 dnnl_stream_t *stream) {
    cl_command_queue_properties properties = 0;
    if (flags & dnnl_stream_out_of_order) properties |= CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    if (flags & dnnl_stream_profiling) properties |= CL_QUEUE_PROFILING_ENABLE;
    cl_int error;
    cl_command_queue queue =
            clCreateCommandQueue(place->native[CONTEXT], place->native[DEVICE], properties, &error);
    if (error != CL_SUCCESS) return dnnl_runtime_error;
    dnnl_status_t status = dnnl_ocl_interop_stream_create(stream, engine, queue);
    clReleaseCommandQueue(queue);
    return status;
}

/* Memory. A sub-buffer is the second half of a buffer. */

static bool has_kind(const struct place *place, int kind) {
    return kind < USM_SHARED || has_usm(place->native[DEVICE]);
}

static dnnl_status_t make_memory(const struct place *place, int kind, const_dnnl_memory_desc_t md,
                                 dnnl_engine_t engine, void *handle, dnnl_memory_t *memory) {
    (void)place;
    return dnnl_ocl_interop_memory_create(
            memory, md, engine, kind < USM_SHARED ? dnnl_ocl_interop_buffer : dnnl_ocl_interop_usm, handle);
}

static void *extension(const struct place *place, const char *name) {
    return clGetExtensionFunctionAddressForPlatform(place->native[PLATFORM], name);
}

static void *alloc_sub_buffer(cl_context context, size_t size) {
    cl_int error;
    size_t half = (size + 4095) / 4096 * 4096; /* sub-buffers start at the device's alignment */
    cl_buffer_region region = {half, size};
    cl_mem whole = clCreateBuffer(context, CL_MEM_READ_WRITE, 2 * half, NULL, &error);
    if (error != CL_SUCCESS) return NULL;
    cl_mem part = clCreateSubBuffer(whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    clReleaseMemObject(whole);
    return error == CL_SUCCESS ? part : NULL;
}

static void *native_alloc(const struct place *place, int kind, size_t size) {
    cl_int error;
    cl_context context = place->native[CONTEXT];
    cl_device_id device = place->native[DEVICE];
    clSharedMemAllocINTEL_fn shared = extension(place, "clSharedMemAllocINTEL");
    clHostMemAllocINTEL_fn host = extension(place, "clHostMemAllocINTEL");
    clDeviceMemAllocINTEL_fn on_device = extension(place, "clDeviceMemAllocINTEL");
    switch (kind) {
    case BUFFER: return clCreateBuffer(context, CL_MEM_READ_WRITE, size, NULL, &error);
    case SUB_BUFFER: return alloc_sub_buffer(context, size);
    case USM_SHARED: return shared(context, device, NULL, size, 0, &error);
    case USM_HOST: return host(context, NULL, size, 0, &error);
    default: return on_device(context, device, NULL, size, 0, &error);
    }
}

static void native_free(const struct place *place, int kind, void *handle) {
    clMemBlockingFreeINTEL_fn free_usm = extension(place, "clMemBlockingFreeINTEL");
    if (kind < USM_SHARED)
        clReleaseMemObject(handle);
    else
        free_usm(place->native[CONTEXT], handle);
}

/* Events */

static dnnl_status_t execute(const_dnnl_primitive_t primitive, dnnl_stream_t stream, int nargs,
                             const dnnl_exec_arg_t *args, void *const *deps, int ndeps, void **event) {
    return dnnl_ocl_interop_primitive_execute(primitive, stream, nargs, args, (const cl_event *)deps, ndeps,
                                              (cl_event *)event);
}

static void event_wait(void *event) {
    cl_event e = event;
    clWaitForEvents(1, &e);
}

static bool event_done(void *event) {
    cl_int status = CL_QUEUED;
    clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    return status == CL_COMPLETE;
}

static void event_release(void *event) {
    clReleaseEvent(event);
}

static void *gate(const struct place *place) {
    cl_int error;
    return clCreateUserEvent(place->native[CONTEXT], &error);
}

static void gate_open(void *event) {
    clSetUserEventStatus(event, CL_COMPLETE);
}

const struct backend opencl_backend = {
        .name = "ocl",
        .find = find,
        .close = close_place,
        .engine = make_engine,
        .stream = make_stream,
        .kinds = {"buffer", "sub-buffer", "usm-shared", "usm-host", "usm-device"},
        .user_only = {[SUB_BUFFER] = true, [USM_HOST] = true, [USM_DEVICE] = true},
        .has_kind = has_kind,
        .memory = make_memory,
        .native_alloc = native_alloc,
        .native_free = native_free,
        .execute = execute,
        .event_wait = event_wait,
        .event_done = event_done,
        .event_release = event_release,
        .gate = gate,
        .gate_open = gate_open,
};
