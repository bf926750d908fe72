/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenCL interop: a program's own kernel fills a tensor, a primitive reads it, and the program reads the
 * result, all on the program's own out-of-order queue and ordered only by events. Done twice: with buffers
 * (cl_mem) and, if the device has it, with unified shared memory. Then, if the device has command buffers,
 * both are recorded once and replayed.
 *
 *   opencl_interop [index of the platform]
 */
#define CL_TARGET_OPENCL_VERSION 120
#define CL_ENABLE_BETA_EXTENSIONS
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include "oneapi/dnnl/dnnl_debug.h"
#include "oneapi/dnnl/dnnl_ocl.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 1000, SKIPPED = 77 };

#define CHECK(call) check(call, #call, __LINE__)
static void check(dnnl_status_t status, const char *call, int line) {
    if (status == dnnl_success) return;
    fprintf(stderr, "line %d: %s: %s\n", line, call, dnnl_status2str(status));
    exit(1);
}

#define CL_CHECK(call) cl_check(call, #call, __LINE__)
static void cl_check(cl_int error, const char *call, int line) {
    if (error == CL_SUCCESS) return;
    fprintf(stderr, "line %d: %s: error %d\n", line, call, (int)error);
    exit(1);
}

/* The program's OpenCL objects. */
struct program {
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program code;
    cl_kernel fill;
};

/* x[i] = i - 500: half of it negative. */
static const char source[] = "kernel void fill(global float *x) { size_t i = get_global_id(0);"
                             " x[i] = (float)i - 500.0f; }";

static void open_device(struct program *p, cl_uint index) {
    cl_platform_id platforms[16];
    cl_uint count = 0;
    if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS || index >= count || index >= 16
        || clGetDeviceIDs(platforms[index], CL_DEVICE_TYPE_ALL, 1, &p->device, NULL) != CL_SUCCESS) {
        printf("SKIP: no OpenCL device\n");
        exit(SKIPPED);
    }
    p->platform = platforms[index];
}

static struct program open_program(cl_uint index) {
    struct program p;
    cl_int error;
    const char *text = source;
    open_device(&p, index);
    p.context = clCreateContext(NULL, 1, &p.device, NULL, NULL, &error);
    CL_CHECK(error);
    p.queue = clCreateCommandQueue(p.context, p.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &error);
    CL_CHECK(error);
    p.code = clCreateProgramWithSource(p.context, 1, &text, NULL, &error);
    CL_CHECK(error);
    CL_CHECK(clBuildProgram(p.code, 1, &p.device, "", NULL, NULL));
    p.fill = clCreateKernel(p.code, "fill", &error);
    CL_CHECK(error);
    return p;
}

static void close_program(struct program *p) {
    CL_CHECK(clReleaseKernel(p->fill));
    CL_CHECK(clReleaseProgram(p->code));
    CL_CHECK(clReleaseCommandQueue(p->queue));
    CL_CHECK(clReleaseContext(p->context));
}

/* The library's objects: an engine and a stream on the program's objects, and a primitive. */
struct library {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_memory_desc_t md;
    dnnl_primitive_t relu;
};

static struct library open_library(const struct program *p) {
    struct library l;
    dnnl_primitive_desc_t pd;
    CHECK(dnnl_ocl_interop_engine_create(&l.engine, p->device, p->context));
    CHECK(dnnl_ocl_interop_stream_create(&l.stream, l.engine, p->queue));
    CHECK(dnnl_memory_desc_create_with_tag(&l.md, 1, (dnnl_dims_t){COUNT}, dnnl_f32, dnnl_a));
    CHECK(dnnl_eltwise_forward_primitive_desc_create(&pd, l.engine, dnnl_forward_inference, dnnl_eltwise_relu,
                                                     l.md, l.md, 0, 0, NULL));
    CHECK(dnnl_primitive_create(&l.relu, pd));
    CHECK(dnnl_primitive_desc_destroy(pd));
    return l;
}

static void close_library(struct library *l) {
    CHECK(dnnl_primitive_destroy(l->relu));
    CHECK(dnnl_memory_desc_destroy(l->md));
    CHECK(dnnl_stream_destroy(l->stream));
    CHECK(dnnl_engine_destroy(l->engine));
}

/* Submits the program's kernel, then the primitive after its event. Returns the primitive's event, which the
 * caller owns. */
static cl_event submit(const struct program *p, const struct library *l, dnnl_memory_t src,
                       dnnl_memory_t dst) {
    const size_t size = COUNT;
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}};
    cl_event filled, done;
    CL_CHECK(clEnqueueNDRangeKernel(p->queue, p->fill, 1, NULL, &size, NULL, 0, NULL, &filled));
    CHECK(dnnl_ocl_interop_primitive_execute(l->relu, l->stream, 2, args, &filled, 1, &done));
    CL_CHECK(clReleaseEvent(filled));
    return done;
}

static void compare(const char *what, const float *result) {
    for (int i = 0; i < COUNT; i++) {
        float expected = i > 500 ? (float)i - 500.0f : 0.0f;
        if (result[i] == expected) continue;
        fprintf(stderr, "%s: number %d is %g, not %g\n", what, i, result[i], expected);
        exit(1);
    }
    printf("%s: right\n", what);
}

static void on_buffers(const struct program *p, const struct library *l) {
    cl_int error;
    float result[COUNT];
    cl_mem input = clCreateBuffer(p->context, CL_MEM_READ_WRITE, sizeof result, NULL, &error), output;
    CL_CHECK(error);
    dnnl_memory_t src, dst;
    CHECK(dnnl_memory_create(&src, l->md, l->engine, input)); /* the program's buffer; the library retains
                                                               * it */
    CHECK(dnnl_memory_create(&dst, l->md, l->engine, DNNL_MEMORY_ALLOCATE));
    CL_CHECK(clSetKernelArg(p->fill, 0, sizeof input, &input));
    cl_event done = submit(p, l, src, dst);
    CHECK(dnnl_ocl_interop_memory_get_mem_object(dst, &output)); /* the library's buffer; the getter does not
                                                                  * retain it */
    CL_CHECK(clEnqueueReadBuffer(p->queue, output, CL_TRUE, 0, sizeof result, result, 1, &done, NULL));
    compare("buffers", result);
    CL_CHECK(clReleaseEvent(done));
    CHECK(dnnl_memory_destroy(src));
    CHECK(dnnl_memory_destroy(dst));
    CL_CHECK(clReleaseMemObject(input));
}

static bool has(const struct program *p, const char *extension) {
    char extensions[16384] = "";
    clGetDeviceInfo(p->device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL);
    return strstr(extensions, extension);
}

static void on_usm(const struct program *p, const struct library *l) {
    clSetKernelArgMemPointerINTEL_fn set_pointer =
            clGetExtensionFunctionAddressForPlatform(p->platform, "clSetKernelArgMemPointerINTEL");
    dnnl_memory_t src, dst;
    void *pointer;
    float *mapped;
    CHECK(dnnl_ocl_interop_memory_create(&src, l->md, l->engine, dnnl_ocl_interop_usm, DNNL_MEMORY_ALLOCATE));
    CHECK(dnnl_ocl_interop_memory_create(&dst, l->md, l->engine, dnnl_ocl_interop_usm, DNNL_MEMORY_ALLOCATE));
    CHECK(dnnl_memory_get_data_handle(src, &pointer));
    CL_CHECK(set_pointer(p->fill, 0, pointer));
    cl_event done = submit(p, l, src, dst);
    CL_CHECK(clWaitForEvents(1, &done));
    CHECK(dnnl_memory_map_data(dst, (void **)&mapped));
    compare("unified shared memory", mapped);
    CHECK(dnnl_memory_unmap_data(dst, mapped));
    CL_CHECK(clReleaseEvent(done));
    CHECK(dnnl_memory_destroy(src));
    CHECK(dnnl_memory_destroy(dst));
}

/* Records the program's kernel and the primitive into one command buffer. The library's stream records until
 * the program finalizes the buffer, and must live as long as the buffer may run. */
static void record(const struct program *p, const struct library *l, cl_command_queue queue,
                   cl_command_buffer_khr commands, dnnl_memory_t x, dnnl_stream_t *stream) {
    clCommandNDRangeKernelKHR_fn add_kernel =
            clGetExtensionFunctionAddressForPlatform(p->platform, "clCommandNDRangeKernelKHR");
    clFinalizeCommandBufferKHR_fn finalize =
            clGetExtensionFunctionAddressForPlatform(p->platform, "clFinalizeCommandBufferKHR");
    const size_t size = COUNT;
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, x}};
    CL_CHECK(add_kernel(commands, NULL, NULL, p->fill, 1, NULL, &size, NULL, 0, NULL, NULL, NULL));
    CHECK(dnnl_ocl_interop_stream_create_recording(stream, l->engine, queue, commands));
    CHECK(dnnl_primitive_execute(l->relu, *stream, 2, args));
    CL_CHECK(finalize(commands));
}

static void replayed(const struct program *p, const struct library *l) {
    clCreateCommandBufferKHR_fn create =
            clGetExtensionFunctionAddressForPlatform(p->platform, "clCreateCommandBufferKHR");
    clEnqueueCommandBufferKHR_fn enqueue =
            clGetExtensionFunctionAddressForPlatform(p->platform, "clEnqueueCommandBufferKHR");
    clReleaseCommandBufferKHR_fn release =
            clGetExtensionFunctionAddressForPlatform(p->platform, "clReleaseCommandBufferKHR");
    cl_int error;
    cl_mem buffer;
    float result[COUNT];
    dnnl_memory_t x;
    dnnl_stream_t stream;
    cl_command_queue queue = clCreateCommandQueue(p->context, p->device, 0, &error); /* in order */
    CL_CHECK(error);
    cl_command_buffer_khr commands = create(1, &queue, NULL, &error);
    CL_CHECK(error);
    CHECK(dnnl_memory_create(&x, l->md, l->engine, DNNL_MEMORY_ALLOCATE));
    CHECK(dnnl_ocl_interop_memory_get_mem_object(x, &buffer));
    CL_CHECK(clSetKernelArg(p->fill, 0, sizeof buffer, &buffer));
    record(p, l, queue, commands, x, &stream);
    for (int i = 0; i < 3; i++) {
        CL_CHECK(enqueue(0, NULL, commands, 0, NULL, NULL));
        CL_CHECK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof result, result, 0, NULL, NULL));
        compare("replayed", result);
    }
    CL_CHECK(release(commands));
    CHECK(dnnl_stream_destroy(stream));
    CHECK(dnnl_memory_destroy(x));
    CL_CHECK(clReleaseCommandQueue(queue));
}

int main(int argc, char **argv) {
    struct program p = open_program(argc > 1 ? (cl_uint)atoi(argv[1]) : 0);
    struct library l = open_library(&p);
    on_buffers(&p, &l);
    if (has(&p, "cl_intel_unified_shared_memory"))
        on_usm(&p, &l);
    else
        printf("unified shared memory: not on this device\n");
    if (has(&p, "cl_khr_command_buffer"))
        replayed(&p, &l);
    else
        printf("command buffers: not on this device\n");
    close_library(&l);
    close_program(&p);
    return 0;
}
