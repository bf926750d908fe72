/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recorded command list: a network is submitted once, and then runs as often as the program likes for the
 * cost of one call.
 *
 *   level_zero_recording
 *
 * A stream on a regular (not immediate) list records: executing a primitive appends its kernels, and nothing
 * runs. The program closes the list, then executes it on a queue for one input after the other, which it
 * writes to the same memory each time. level_zero_interop.c also records kernels and copies of its own, and
 * gives recordings other memory. Exit status 1: a result is wrong; 77: there is no Level Zero device.
 */
#include "example.h"

#include "oneapi/dnnl/dnnl_ze.h"

#include <math.h>

enum { ROWS = 4, SIZE = 64, LAYERS = 3, RUNS = 5 };

/* Level Zero's calls return 0 on success, like the library's. */
#define ZE_CHECK(call)                                                                                       \
    check((call) == ZE_RESULT_SUCCESS ? dnnl_success : dnnl_runtime_error, #call, __FILE__, __LINE__)

struct device {
    ze_driver_handle_t driver;
    ze_device_handle_t device;
    ze_context_handle_t context;
    dnnl_engine_t engine;
};

/* The loader must know the driver that the library uses, since the program calls it as well. */
static void start_level_zero(void) {
    if (zeInit(0) == ZE_RESULT_SUCCESS) return;
    printf("SKIP: Level Zero's loader finds no driver; for that of the CPU: eval \"$(lode-info --env)\"\n");
    exit(NO_SUCH_ENGINE);
}

/* The library's first Level Zero device, in a context of the program. */
static struct device open_device(void) {
    struct device d;
    start_level_zero();
    dnnl_engine_t found = open_engine("ze");
    CHECK(dnnl_ze_interop_engine_get_driver(found, &d.driver));
    CHECK(dnnl_ze_interop_engine_get_device(found, &d.device));
    CHECK(dnnl_engine_destroy(found));
    const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ZE_CHECK(zeContextCreate(d.driver, &desc, &d.context));
    CHECK(dnnl_ze_interop_engine_create(&d.engine, d.driver, d.device, d.context));
    return d;
}

/* Shared memory: the program writes inputs and reads results without a copy. */
static dnnl_memory_t make_memory(const struct device *d, dnnl_dim_t rows, dnnl_dim_t columns,
                                 float **values) {
    const ze_device_mem_alloc_desc_t device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    const ze_host_mem_alloc_desc_t host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    dnnl_memory_desc_t md = make_desc(2, (dnnl_dim_t[]){rows, columns}, dnnl_f32, dnnl_ab);
    dnnl_memory_t memory;
    void *pointer;
    ZE_CHECK(zeMemAllocShared(d->context, &device, &host, (size_t)(rows * columns) * sizeof(float), 64,
                              d->device, &pointer));
    CHECK(dnnl_ze_interop_memory_create(&memory, md, d->engine, 1, &pointer));
    CHECK(dnnl_memory_desc_destroy(md));
    *values = pointer;
    return memory;
}

/* A layer is x = tanh(x * weights). */
static dnnl_primitive_t make_layer(const struct device *d, dnnl_memory_t x, dnnl_memory_t weights) {
    dnnl_post_ops_t ops;
    dnnl_primitive_attr_t attr;
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t layer;
    CHECK(dnnl_post_ops_create(&ops));
    CHECK(dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_tanh, 0.0f, 0.0f));
    CHECK(dnnl_primitive_attr_create(&attr));
    CHECK(dnnl_primitive_attr_set_post_ops(attr, ops));
    CHECK(dnnl_matmul_primitive_desc_create(&pd, d->engine, desc_of(x), desc_of(weights), NULL, desc_of(x),
                                            attr));
    CHECK(dnnl_primitive_create(&layer, pd));
    CHECK(dnnl_primitive_desc_destroy(pd));
    CHECK(dnnl_primitive_attr_destroy(attr));
    CHECK(dnnl_post_ops_destroy(ops));
    return layer;
}

/* The same in plain C, with sums in f64. */
static double expected_error(const float *input, const float *weights, const float *result) {
    double x[SIZE], y[SIZE], error = 0;
    for (int r = 0; r < ROWS; r++) {
        for (int i = 0; i < SIZE; i++)
            x[i] = (double)input[r * SIZE + i];
        for (int l = 0; l < LAYERS; l++) {
            for (int j = 0; j < SIZE; j++) {
                y[j] = 0;
                for (int i = 0; i < SIZE; i++)
                    y[j] += x[i] * (double)weights[i * SIZE + j];
            }
            for (int j = 0; j < SIZE; j++)
                x[j] = tanh(y[j]);
        }
        for (int i = 0; i < SIZE; i++)
            error = fmax(error, fabs(x[i] - (double)result[r * SIZE + i]));
    }
    return error;
}

/* Appends the layers to a list, from x[0] to x[1], x[2] and so on. In-order lists need no events. */
static dnnl_stream_t record(const struct device *d, ze_command_list_handle_t list, dnnl_primitive_t layer,
                            const dnnl_memory_t x[LAYERS + 1], dnnl_memory_t weights) {
    dnnl_stream_t stream;
    CHECK(dnnl_ze_interop_stream_create(&stream, d->engine, list, 0));
    for (int l = 0; l < LAYERS; l++)
        CHECK(dnnl_primitive_execute(layer, stream, 3,
                                     (dnnl_exec_arg_t[]){{DNNL_ARG_SRC, x[l]},
                                                         {DNNL_ARG_WEIGHTS, weights},
                                                         {DNNL_ARG_DST, x[l + 1]}}));
    ZE_CHECK(zeCommandListClose(list));
    return stream;
}

/* Runs the list for one input after the other; returns the largest error. */
static double replay(ze_command_queue_handle_t queue, ze_command_list_handle_t list, dnnl_memory_t input,
                     float *const values[LAYERS + 1], const float *weights, uint32_t *random) {
    double error = 0;
    for (int i = 0; i < RUNS; i++) {
        fill(input, 1.0f, random); /* a new input, in the memory that was recorded */
        const double start = now_ms();
        ZE_CHECK(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
        ZE_CHECK(zeCommandQueueSynchronize(queue, UINT64_MAX));
        printf("run %d: %.3f ms\n", i, now_ms() - start);
        error = fmax(error, expected_error(values[0], weights, values[LAYERS]));
    }
    return error;
}

int main(void) {
    struct device d = open_device();
    dnnl_memory_t x[LAYERS + 1], w;
    float *values[LAYERS + 1], *weights;
    uint32_t random = 1;
    for (int l = 0; l <= LAYERS; l++)
        x[l] = make_memory(&d, ROWS, SIZE, &values[l]);
    w = make_memory(&d, SIZE, SIZE, &weights);
    fill(w, 0.3f, &random);
    dnnl_primitive_t layer = make_layer(&d, x[0], w);

    const ze_command_list_desc_t list_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
    const ze_command_queue_desc_t queue_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                                .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    ze_command_list_handle_t list;
    ze_command_queue_handle_t queue;
    ZE_CHECK(zeCommandListCreate(d.context, d.device, &list_desc, &list));
    ZE_CHECK(zeCommandQueueCreate(d.context, d.device, &queue_desc, &queue));
    dnnl_stream_t stream = record(&d, list, layer, x, w);
    CHECK(dnnl_primitive_destroy(layer)); /* the stream keeps what the list needs */

    const double error = replay(queue, list, x[0], values, weights, &random);
    printf("%d layers recorded once, run %d times: largest error %.1e\n", LAYERS, RUNS, error);

    ZE_CHECK(zeCommandQueueDestroy(queue));
    ZE_CHECK(zeCommandListDestroy(list));
    CHECK(dnnl_stream_destroy(stream)); /* after the last run */
    for (int l = 0; l <= LAYERS; l++)
        CHECK(dnnl_memory_destroy(x[l]));
    CHECK(dnnl_memory_destroy(w));
    for (int l = 0; l <= LAYERS; l++)
        ZE_CHECK(zeMemFree(d.context, values[l]));
    ZE_CHECK(zeMemFree(d.context, weights));
    CHECK(dnnl_engine_destroy(d.engine));
    ZE_CHECK(zeContextDestroy(d.context));
    return error < 1e-4 ? 0 : 1;
}
