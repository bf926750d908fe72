/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of OpenCL devices: buffers (cl_mem) and USM pointers. Buffers of the user are retained; USM of the
 * user is borrowed, since there is nothing to retain.
 */
#define _GNU_SOURCE
#include "runtimes/opencl/opencl.h"

#include <stdlib.h>
#include <string.h>

/* USM */

static dnnl_status_t no_usm(void) {
    return fail(dnnl_unimplemented, "memory", "the device has no unified shared memory");
}

static cl_unified_shared_memory_type_intel usm_type(const struct opencl_device *d, const void *pointer) {
    cl_unified_shared_memory_type_intel type = CL_MEM_TYPE_UNKNOWN_INTEL;
    cl_int error = d->usm.GetMemAllocInfoINTEL(d->context, pointer, CL_MEM_ALLOC_TYPE_INTEL, sizeof type,
                                               &type, NULL);
    return error == CL_SUCCESS ? type : CL_MEM_TYPE_UNKNOWN_INTEL;
}

/* Shared memory if the device has it: the host can access it without a copy. */
static void *usm_alloc(const struct opencl_device *d, size_t size) {
    enum { ALIGNMENT = 128 };
    cl_int error;
    void *memory = d->usm.SharedMemAllocINTEL(d->context, d->device, NULL, size, ALIGNMENT, &error);
    if (error != CL_SUCCESS || !memory)
        memory = d->usm.DeviceMemAllocINTEL(d->context, d->device, NULL, size, ALIGNMENT, &error);
    return error == CL_SUCCESS ? memory : NULL;
}

static dnnl_status_t usm_adopt(const struct opencl_device *d, void *pointer, size_t size,
                               struct buffer *buffer) {
    const char *base = NULL;
    size_t length = 0;
    if (usm_type(d, pointer) == CL_MEM_TYPE_UNKNOWN_INTEL) {
        if (!d->system_usm)
            return fail(dnnl_invalid_arguments, "memory", "the pointer is not USM of this context");
    } else if (d->usm.GetMemAllocInfoINTEL(d->context, pointer, CL_MEM_ALLOC_BASE_PTR_INTEL, sizeof base,
                                           &base, NULL)
                       == CL_SUCCESS
               && d->usm.GetMemAllocInfoINTEL(d->context, pointer, CL_MEM_ALLOC_SIZE_INTEL, sizeof length,
                                              &length, NULL)
                          == CL_SUCCESS) {
        size_t left = length - (size_t)((const char *)pointer - base);
        if (left < size)
            return fail(dnnl_invalid_arguments, "memory", "%zu bytes of USM, but %zu are needed", left, size);
    }
    *buffer = (struct buffer){.kind = BUFFER_POINTER, .handle = pointer};
    return dnnl_success;
}

/* The host accesses device USM through a staging copy, which begins with its size. */
enum { COPY_HEAD = 128 };

static dnnl_status_t usm_copy(const struct opencl_device *d, void *to, const void *from, size_t size) {
    cl_int error = d->usm.EnqueueMemcpyINTEL(d->service, CL_TRUE, to, from, size, 0, NULL, NULL);
    return error == CL_SUCCESS ? dnnl_success : opencl_fail(error, "memory", "clEnqueueMemcpyINTEL");
}

static dnnl_status_t usm_map(const struct opencl_device *d, void *pointer, size_t size, void **address) {
    if (usm_type(d, pointer) != CL_MEM_TYPE_DEVICE_INTEL) {
        *address = pointer;
        return dnnl_success;
    }
    void *copy = NULL;
    if (size > SIZE_MAX - COPY_HEAD || posix_memalign(&copy, COPY_HEAD, COPY_HEAD + size))
        return dnnl_out_of_memory;
    memcpy(copy, &size, sizeof size);
    dnnl_status_t status = usm_copy(d, (char *)copy + COPY_HEAD, pointer, size);
    if (status == dnnl_success)
        *address = (char *)copy + COPY_HEAD;
    else
        free(copy);
    return status;
}

static dnnl_status_t usm_unmap(const struct opencl_device *d, void *pointer, void *address) {
    if (address == pointer) return dnnl_success;
    void *copy = (char *)address - COPY_HEAD;
    size_t size;
    memcpy(&size, copy, sizeof size);
    dnnl_status_t status = usm_copy(d, pointer, address, size);
    free(copy);
    return status;
}

/* Buffers */

static dnnl_status_t mem_adopt(const struct opencl_device *d, cl_mem mem, size_t size,
                               struct buffer *buffer) {
    cl_mem_object_type type = 0;
    cl_context context = NULL;
    size_t length = 0;
    cl_int error = cl.GetMemObjectInfo(mem, CL_MEM_TYPE, sizeof type, &type, NULL);
    if (error == CL_SUCCESS) error = cl.GetMemObjectInfo(mem, CL_MEM_CONTEXT, sizeof context, &context, NULL);
    if (error == CL_SUCCESS) error = cl.GetMemObjectInfo(mem, CL_MEM_SIZE, sizeof length, &length, NULL);
    if (error != CL_SUCCESS) return opencl_fail(error, "memory", "clGetMemObjectInfo");
    if (type != CL_MEM_OBJECT_BUFFER) return fail(dnnl_invalid_arguments, "memory", "not a buffer");
    if (context != d->context)
        return fail(dnnl_invalid_arguments, "memory", "the buffer belongs to another context");
    if (length < size)
        return fail(dnnl_invalid_arguments, "memory", "a buffer of %zu bytes, but %zu are needed", length,
                    size);
    error = cl.RetainMemObject(mem);
    if (error != CL_SUCCESS) return opencl_fail(error, "memory", "clRetainMemObject");
    *buffer = (struct buffer){.kind = BUFFER_OBJECT, .handle = mem};
    return dnnl_success;
}

/* The host access that the user's flags allow. */
static cl_map_flags host_access(cl_mem mem) {
    cl_mem_flags flags = 0;
    cl.GetMemObjectInfo(mem, CL_MEM_FLAGS, sizeof flags, &flags, NULL);
    if (flags & CL_MEM_HOST_NO_ACCESS) return 0;
    return flags & CL_MEM_HOST_READ_ONLY    ? CL_MAP_READ
           : flags & CL_MEM_HOST_WRITE_ONLY ? CL_MAP_WRITE
                                            : CL_MAP_READ | CL_MAP_WRITE;
}

static dnnl_status_t mem_map(const struct opencl_device *d, cl_mem mem, size_t size, void **address) {
    cl_map_flags access = host_access(mem);
    cl_int error;
    if (!access) return fail(dnnl_invalid_arguments, "memory", "the buffer's flags allow no host access");
    void *mapped = cl.EnqueueMapBuffer(d->service, mem, CL_TRUE, access, 0, size, 0, NULL, NULL, &error);
    if (error != CL_SUCCESS) return opencl_fail(error, "memory", "clEnqueueMapBuffer");
    *address = mapped;
    return dnnl_success;
}

static dnnl_status_t mem_unmap(const struct opencl_device *d, cl_mem mem, void *address) {
    cl_int error = cl.EnqueueUnmapMemObject(d->service, mem, address, 0, NULL, NULL);
    if (error == CL_SUCCESS) error = cl.Finish(d->service);
    return error == CL_SUCCESS ? dnnl_success : opencl_fail(error, "memory", "clEnqueueUnmapMemObject");
}

/* The slots of the runtime */

dnnl_status_t opencl_buffer_alloc(struct device *device, enum buffer_kind kind, size_t size,
                                  struct buffer *buffer) {
    const struct opencl_device *d = opencl_device(device);
    cl_int error = CL_SUCCESS;
    void *handle;
    if (size == 0) size = 1;
    if (kind == BUFFER_POINTER && !d->has_usm) return no_usm();
    if (kind == BUFFER_POINTER)
        handle = usm_alloc(d, size);
    else
        handle = cl.CreateBuffer(d->context, CL_MEM_READ_WRITE, size, NULL, &error);
    if (error != CL_SUCCESS || !handle) return dnnl_out_of_memory;
    *buffer = (struct buffer){.kind = kind, .handle = handle, .owned = true};
    return dnnl_success;
}

void opencl_buffer_free(struct device *device, struct buffer *buffer) {
    const struct opencl_device *d = opencl_device(device);
    if (buffer->state) cl.ReleaseEvent(buffer->state);
    if (buffer->kind == BUFFER_OBJECT)
        cl.ReleaseMemObject(buffer->handle);
    else if (buffer->owned)
        d->usm.MemBlockingFreeINTEL(d->context, buffer->handle);
}

dnnl_status_t opencl_buffer_adopt(struct device *device, enum buffer_kind kind, void *handle, size_t size,
                                  struct buffer *buffer) {
    const struct opencl_device *d = opencl_device(device);
    if (kind == BUFFER_OBJECT) return mem_adopt(d, handle, size, buffer);
    return d->has_usm ? usm_adopt(d, handle, size, buffer) : no_usm();
}

dnnl_status_t opencl_buffer_map(struct device *device, struct buffer *buffer, size_t size, void **address) {
    const struct opencl_device *d = opencl_device(device);
    return buffer->kind == BUFFER_OBJECT ? mem_map(d, buffer->handle, size, address)
                                         : usm_map(d, buffer->handle, size, address);
}

dnnl_status_t opencl_buffer_unmap(struct device *device, struct buffer *buffer, void *address) {
    const struct opencl_device *d = opencl_device(device);
    return buffer->kind == BUFFER_OBJECT ? mem_unmap(d, buffer->handle, address)
                                         : usm_unmap(d, buffer->handle, address);
}

/* Parameter blocks: one buffer for all and a sub-buffer for each, because kernels get a buffer from its
 * start.
 */

/* A device that wants sub-buffers aligned further than PARAMS_ALIGNMENT gets a buffer for each block. */
static cl_mem block_buffer(cl_context context, cl_mem image, const struct launch *launch, cl_int *error) {
    const cl_buffer_region region = {.origin = launch->offset, .size = launch->kernel->params_size};
    cl_mem block = cl.CreateSubBuffer(image, CL_MEM_READ_ONLY, CL_BUFFER_CREATE_TYPE_REGION, &region, error);
    if (*error != CL_MISALIGNED_SUB_BUFFER_OFFSET) return block;
    return cl.CreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, region.size, launch->params,
                           error);
}

dnnl_status_t opencl_params_load(struct device *device, const struct program *program, void **blocks,
                                 void **handle) {
    const struct opencl_device *d = opencl_device(device);
    cl_int error;
    cl_mem image = cl.CreateBuffer(d->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, program->params_size,
                                   program->params, &error);
    if (error != CL_SUCCESS) return opencl_fail(error, "opencl", "clCreateBuffer for parameters");
    blocks[0] = image;
    for (int i = 0; program->nlaunches > 1 && i < program->nlaunches; i++) {
        blocks[i] = block_buffer(d->context, image, program->launches[i], &error);
        if (error == CL_SUCCESS) continue;
        opencl_params_free(device, i, blocks, image);
        return opencl_fail(error, "opencl", "clCreateSubBuffer for parameters");
    }
    *handle = image;
    return dnnl_success;
}

void opencl_params_free(struct device *device, int nblocks, void **blocks, void *handle) {
    (void)device;
    for (int i = 0; i < nblocks; i++)
        if (blocks[i] != handle) cl.ReleaseMemObject(blocks[i]);
    cl.ReleaseMemObject(handle);
}
