/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several devices in one context: a batch is cut into one part for each, and all compute at the same time.
 *
 *   opencl_devices [index of the platform]    default: the one with the most devices
 *
 * An engine is a device in a context. Buffers belong to the context, so the weights are there once, for every
 * engine; each engine has its own stream and writes its own part of the result. On a machine with one device
 * there is one part. PoCL can act as two: POCL_DEVICES="pthread basic". Exit status 1: a result is wrong; 77:
 * there is no such platform.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "example.h"

#include "oneapi/dnnl/dnnl_ocl.h"

#include <math.h>

enum { MAX_DEVICES = 8, ROWS = 48, SIZE = 96 }; /* ROWS of each device's part */

#define CL_CHECK(call)                                                                                       \
    check((call) == CL_SUCCESS ? dnnl_success : dnnl_runtime_error, #call, __FILE__, __LINE__)

static void skip(void) {
    printf("SKIP: no such OpenCL platform\n");
    exit(NO_SUCH_ENGINE);
}

/* The devices of a platform; those of different platforms cannot share a context. */
static cl_uint find_devices(int wanted, cl_device_id devices[MAX_DEVICES]) {
    cl_platform_id platforms[16];
    cl_uint count = 0, most = 0, here;
    if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS || wanted >= (int)count) skip();
    for (int i = 0; i < (int)count && i < 16; i++) {
        cl_device_id found[MAX_DEVICES];
        if (wanted >= 0 && wanted != i) continue;
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, MAX_DEVICES, found, &here) != CL_SUCCESS)
            continue;
        if (here > MAX_DEVICES) here = MAX_DEVICES;
        if (here > most) memcpy(devices, found, here * sizeof(found[0]));
        if (here > most) most = here;
    }
    if (!most) skip();
    return most;
}

static cl_mem make_buffer(cl_context context, const float *values, size_t count) {
    cl_int error;
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | (values ? CL_MEM_COPY_HOST_PTR : 0),
                                   count * sizeof(float), (void *)values, &error);
    CL_CHECK(error);
    return buffer;
}

/* What one device has: its engine, its stream, and its part of the work. */
struct worker {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_memory_t src, weights, dst;
    dnnl_primitive_t product;
};

static dnnl_memory_t make_memory(dnnl_engine_t engine, dnnl_dim_t rows, void *buffer) {
    dnnl_memory_desc_t md = make_desc(2, (dnnl_dim_t[]){rows, SIZE}, dnnl_f32, dnnl_ab);
    dnnl_memory_t memory;
    CHECK(dnnl_ocl_interop_memory_create(&memory, md, engine, dnnl_ocl_interop_buffer, buffer));
    CHECK(dnnl_memory_desc_destroy(md));
    return memory;
}

static struct worker make_worker(cl_device_id device, cl_context context, cl_mem weights, const float *part) {
    struct worker w;
    dnnl_primitive_desc_t pd;
    cl_mem src = make_buffer(context, part, ROWS * SIZE);
    CHECK(dnnl_ocl_interop_engine_create(&w.engine, device, context));
    CHECK(dnnl_stream_create(&w.stream, w.engine, dnnl_stream_default_flags));
    w.src = make_memory(w.engine, ROWS, src);
    w.weights = make_memory(w.engine, SIZE, weights); /* the same buffer for all */
    w.dst = make_memory(w.engine, ROWS, DNNL_MEMORY_ALLOCATE);
    CHECK(dnnl_matmul_primitive_desc_create(&pd, w.engine, desc_of(w.src), desc_of(w.weights), NULL,
                                            desc_of(w.dst), NULL));
    CHECK(dnnl_primitive_create(&w.product, pd));
    CHECK(dnnl_primitive_desc_destroy(pd));
    CL_CHECK(clReleaseMemObject(src)); /* the memory object retains it */
    return w;
}

static void free_worker(struct worker *w) {
    CHECK(dnnl_primitive_destroy(w->product));
    CHECK(dnnl_memory_destroy(w->src));
    CHECK(dnnl_memory_destroy(w->weights));
    CHECK(dnnl_memory_destroy(w->dst));
    CHECK(dnnl_stream_destroy(w->stream));
    CHECK(dnnl_engine_destroy(w->engine));
}

/* The largest difference from a plain loop. */
static double largest_error(const float *values, const float *weights, dnnl_memory_t dst) {
    double error = 0;
    float *result = map(dst);
    for (int r = 0; r < ROWS; r++)
        for (int j = 0; j < SIZE; j++) {
            double sum = 0;
            for (int i = 0; i < SIZE; i++)
                sum += (double)values[r * SIZE + i] * (double)weights[i * SIZE + j];
            error = fmax(error, fabs(sum - (double)result[r * SIZE + j]));
        }
    unmap(dst, result);
    return error;
}

int main(int argc, char **argv) {
    cl_device_id devices[MAX_DEVICES];
    struct worker workers[MAX_DEVICES];
    static float values[MAX_DEVICES * ROWS * SIZE], weights[SIZE * SIZE];
    uint32_t random = 1;
    cl_int error;
    const cl_uint count = find_devices(argc > 1 ? atoi(argv[1]) : -1, devices);
    cl_context context = clCreateContext(NULL, count, devices, NULL, NULL, &error);
    CL_CHECK(error);
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
        values[i] = random_float(&random);
    for (size_t i = 0; i < sizeof(weights) / sizeof(weights[0]); i++)
        weights[i] = random_float(&random);
    cl_mem shared = make_buffer(context, weights, SIZE * SIZE);
    for (cl_uint i = 0; i < count; i++)
        workers[i] = make_worker(devices[i], context, shared, values + i * ROWS * SIZE);

    for (cl_uint i = 0; i < count; i++) /* all are submitted before the first is waited for */
        CHECK(dnnl_primitive_execute(workers[i].product, workers[i].stream, 3,
                                     (dnnl_exec_arg_t[]){{DNNL_ARG_SRC, workers[i].src},
                                                         {DNNL_ARG_WEIGHTS, workers[i].weights},
                                                         {DNNL_ARG_DST, workers[i].dst}}));
    bool right = true;
    for (cl_uint i = 0; i < count; i++) {
        char name[256] = "";
        CHECK(dnnl_stream_wait(workers[i].stream));
        CL_CHECK(clGetDeviceInfo(devices[i], CL_DEVICE_NAME, sizeof(name), name, NULL));
        const double off = largest_error(values + i * ROWS * SIZE, weights, workers[i].dst);
        printf("device %u of %u, %s: largest error %.1e\n", i + 1, count, name, off);
        right = right && off < 1e-4;
        free_worker(&workers[i]);
    }
    CL_CHECK(clReleaseMemObject(shared));
    CL_CHECK(clReleaseContext(context));
    return right ? 0 : 1;
}
