/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stub of libOpenCL.so.1 with devices of every kind. It creates engines and streams and computes nothing.
 * With LODE_STUB_EMPTY there is no platform. The other functions are in opencl_stub_rest.c.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include "runtimes/opencl_stub.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_PLATFORM = 0x301, SECOND_PLATFORM, NO_PLATFORM = -1001 };

static const struct {
    uintptr_t platform;
    cl_device_type type;
    cl_bool has_compiler;
} devices[STUB_DEVICES] = {
        [FIRST_CPU] = {FIRST_PLATFORM, CL_DEVICE_TYPE_CPU, CL_TRUE},
        [GPU_WITHOUT_COMPILER] = {FIRST_PLATFORM, CL_DEVICE_TYPE_GPU, CL_FALSE},
        [ACCELERATOR] = {FIRST_PLATFORM, CL_DEVICE_TYPE_ACCELERATOR, CL_TRUE},
        [GPU] = {SECOND_PLATFORM, CL_DEVICE_TYPE_GPU, CL_TRUE},
        [SECOND_CPU] = {SECOND_PLATFORM, CL_DEVICE_TYPE_CPU, CL_TRUE},
};

cl_int clGetPlatformIDs(cl_uint room, cl_platform_id *platforms, cl_uint *count) {
    if (getenv("LODE_STUB_EMPTY")) return NO_PLATFORM;
    for (cl_uint i = 0; i < room && i < 2; i++)
        platforms[i] = (cl_platform_id)(uintptr_t)(FIRST_PLATFORM + i);
    *count = 2;
    return CL_SUCCESS;
}

cl_int clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint room, cl_device_id *found,
                      cl_uint *count) {
    *count = 0;
    for (int i = 1; i < STUB_DEVICES; i++)
        if (devices[i].platform == (uintptr_t)platform && devices[i].type & type && *count < room)
            found[(*count)++] = STUB_DEVICE(i);
    return CL_SUCCESS;
}

static cl_int answer(const void *value, size_t size, size_t room, void *to, size_t *size_out) {
    if (to && room < size) return CL_INVALID_VALUE;
    if (to) memcpy(to, value, size);
    if (size_out) *size_out = size;
    return CL_SUCCESS;
}

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t room, void *to, size_t *size) {
    int i = STUB_NUMBER(device);
    cl_bool yes = CL_TRUE;
    switch (what) {
    case CL_DEVICE_TYPE: return answer(&devices[i].type, sizeof devices[i].type, room, to, size);
    case CL_DEVICE_AVAILABLE: return answer(&yes, sizeof yes, room, to, size);
    case CL_DEVICE_COMPILER_AVAILABLE:
        return answer(&devices[i].has_compiler, sizeof devices[i].has_compiler, room, to, size);
    case CL_DEVICE_PLATFORM: return answer(&devices[i].platform, sizeof(cl_platform_id), room, to, size);
    case CL_DEVICE_NAME: return answer("stand-in", sizeof "stand-in", room, to, size);
    case CL_DEVICE_EXTENSIONS: return answer("", 1, room, to, size);
    default: return CL_INVALID_VALUE;
    }
}

cl_context clCreateContext(const cl_context_properties *properties, cl_uint count, const cl_device_id *list,
                           void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *data,
                           cl_int *error) {
    (void)properties, (void)count, (void)notify, (void)data;
    *error = CL_SUCCESS;
    return STUB_CONTEXT(STUB_NUMBER(list[0]));
}

cl_int clGetContextInfo(cl_context context, cl_context_info what, size_t room, void *to, size_t *size) {
    cl_device_id device = STUB_DEVICE(STUB_NUMBER(context));
    return what == CL_CONTEXT_DEVICES ? answer(&device, sizeof device, room, to, size) : CL_INVALID_VALUE;
}

cl_command_queue clCreateCommandQueue(cl_context context, cl_device_id device,
                                      cl_command_queue_properties properties, cl_int *error) {
    (void)context, (void)properties;
    *error = CL_SUCCESS;
    return STUB_QUEUE(STUB_NUMBER(device));
}

cl_int clGetCommandQueueInfo(cl_command_queue queue, cl_command_queue_info what, size_t room, void *to,
                             size_t *size) {
    cl_context context = STUB_CONTEXT(STUB_NUMBER(queue));
    cl_device_id device = STUB_DEVICE(STUB_NUMBER(queue));
    cl_command_queue_properties properties = 0;
    switch (what) {
    case CL_QUEUE_CONTEXT: return answer(&context, sizeof context, room, to, size);
    case CL_QUEUE_DEVICE: return answer(&device, sizeof device, room, to, size);
    case CL_QUEUE_PROPERTIES: return answer(&properties, sizeof properties, room, to, size);
    default: return CL_INVALID_VALUE;
    }
}
