/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One piece of memory, two runtimes, no copy: a Level Zero device computes a product, then the CPU engine
 * computes a softmax where the product lies.
 *
 *   level_zero_shared_memory
 *
 * Shared memory has one address that the device and the host both understand. A memory object is a
 * descriptor, an engine and an address, so two of them with different engines can stand for the same bytes.
 * The program orders the two engines: it waits for one before the other begins. (Memory that the device
 * alone can reach must be copied instead: cross_engine_reorder.cpp.) Exit status 1: a result is wrong; 77:
 * there is no Level Zero device.
 */
#include "example.h"

#include "oneapi/dnnl/dnnl_ze.h"

#include <math.h>

enum { ROWS = 32, SIZE = 128 };

#define ZE_CHECK(call)                                                                                       \
    check((call) == ZE_RESULT_SUCCESS ? dnnl_success : dnnl_runtime_error, #call, __FILE__, __LINE__)

static ze_context_handle_t context;
static ze_device_handle_t device;

/* The loader must know the driver that the library uses, since the program calls it as well. */
static void start_level_zero(void) {
    if (zeInit(0) == ZE_RESULT_SUCCESS) return;
    printf("SKIP: Level Zero's loader finds no driver; for that of the CPU: eval \"$(lode-info --env)\"\n");
    exit(NO_SUCH_ENGINE);
}

/* Shared memory of the device that an engine uses. */
static float *allocate(size_t count) {
    const ze_device_mem_alloc_desc_t on_device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    const ze_host_mem_alloc_desc_t on_host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    void *pointer;
    ZE_CHECK(zeMemAllocShared(context, &on_device, &on_host, count * sizeof(float), 64, device, &pointer));
    return pointer;
}

static dnnl_memory_t make_memory(dnnl_engine_t engine, dnnl_dim_t rows, dnnl_dim_t columns, float *values) {
    dnnl_memory_desc_t md = make_desc(2, (dnnl_dim_t[]){rows, columns}, dnnl_f32, dnnl_ab);
    dnnl_memory_t memory;
    CHECK(dnnl_memory_create(&memory, md, engine, values));
    CHECK(dnnl_memory_desc_destroy(md));
    return memory;
}

/* Executes a primitive on its engine and waits, so that the other engine may read the result. */
static void run(dnnl_engine_t engine, dnnl_primitive_desc_t pd, int nargs, const dnnl_exec_arg_t *args) {
    dnnl_primitive_t primitive;
    dnnl_stream_t stream;
    CHECK(dnnl_primitive_create(&primitive, pd));
    CHECK(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
    CHECK(dnnl_primitive_execute(primitive, stream, nargs, args));
    CHECK(dnnl_stream_wait(stream));
    CHECK(dnnl_stream_destroy(stream));
    CHECK(dnnl_primitive_destroy(primitive));
    CHECK(dnnl_primitive_desc_destroy(pd));
}

static void multiply(dnnl_engine_t engine, float *values, float *weights, float *scores) {
    dnnl_memory_t src = make_memory(engine, ROWS, SIZE, values),
                  wei = make_memory(engine, SIZE, SIZE, weights),
                  dst = make_memory(engine, ROWS, SIZE, scores);
    dnnl_primitive_desc_t pd;
    CHECK(dnnl_matmul_primitive_desc_create(&pd, engine, desc_of(src), desc_of(wei), NULL, desc_of(dst),
                                            NULL));
    run(engine, pd, 3,
        (dnnl_exec_arg_t[]){{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, wei}, {DNNL_ARG_DST, dst}});
    CHECK(dnnl_memory_destroy(src)); /* the objects go, the bytes stay */
    CHECK(dnnl_memory_destroy(wei));
    CHECK(dnnl_memory_destroy(dst));
}

static void normalise(dnnl_engine_t engine, float *scores) {
    dnnl_memory_t x = make_memory(engine, ROWS, SIZE, scores);
    dnnl_primitive_desc_t pd;
    CHECK(dnnl_softmax_forward_primitive_desc_create(&pd, engine, dnnl_forward_inference,
                                                     dnnl_softmax_accurate, desc_of(x), desc_of(x), 1, NULL));
    run(engine, pd, 2, (dnnl_exec_arg_t[]){{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, x}});
    CHECK(dnnl_memory_destroy(x));
}

/* The largest difference from the same in plain C. */
static double largest_error(const float *values, const float *weights, const float *scores) {
    double error = 0;
    for (int r = 0; r < ROWS; r++) {
        double product[SIZE], largest = -INFINITY, sum = 0;
        for (int j = 0; j < SIZE; j++) {
            product[j] = 0;
            for (int i = 0; i < SIZE; i++)
                product[j] += (double)values[r * SIZE + i] * (double)weights[i * SIZE + j];
            largest = fmax(largest, product[j]);
        }
        for (int j = 0; j < SIZE; j++)
            sum += product[j] = exp(product[j] - largest);
        for (int j = 0; j < SIZE; j++)
            error = fmax(error, fabs(product[j] / sum - (double)scores[r * SIZE + j]));
    }
    return error;
}

int main(void) {
    start_level_zero();
    dnnl_engine_t on_device = open_engine("ze"), on_cpu;
    uint32_t random = 1;
    CHECK(dnnl_ze_interop_engine_get_context(on_device, &context));
    CHECK(dnnl_ze_interop_engine_get_device(on_device, &device));
    CHECK(dnnl_engine_create(&on_cpu, dnnl_cpu, 0));
    float *values = allocate(ROWS * SIZE), *weights = allocate(SIZE * SIZE), *scores = allocate(ROWS * SIZE);
    for (int i = 0; i < ROWS * SIZE; i++)
        values[i] = random_float(&random);
    for (int i = 0; i < SIZE * SIZE; i++)
        weights[i] = random_float(&random);

    multiply(on_device, values, weights, scores);
    normalise(on_cpu, scores);
    const double error = largest_error(values, weights, scores);
    printf("a product on Level Zero, a softmax on the CPU engine, at %p: largest error %.1e\n",
           (void *)scores, error);

    ZE_CHECK(zeMemFree(context, values));
    ZE_CHECK(zeMemFree(context, weights));
    ZE_CHECK(zeMemFree(context, scores));
    CHECK(dnnl_engine_destroy(on_cpu));
    CHECK(dnnl_engine_destroy(on_device));
    return error < 1e-5 ? 0 : 1;
}
