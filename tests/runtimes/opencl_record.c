/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recording with cl_khr_command_buffer: a replay gives the same bits as execution, with new contents of the
 * same memory, after everything but stream and memory was destroyed.
 */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_ENABLE_BETA_EXTENSIONS
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include "oneapi/dnnl/dnnl_ocl.h"
#include "runtimes/conformance.h"
#include "runtimes/lstm.h"

enum { SIDE = 96, LENGTH = SIDE * SIDE, ROUNDS = 3 };
enum { DEVICE, CONTEXT, PLATFORM }; /* indices in place->native */
#define UNTOUCHED ((void *)(uintptr_t)0x5a5a)

/* The extension's functions, a queue, and a command buffer on it. */
struct recorder {
    clCreateCommandBufferKHR_fn create;
    clFinalizeCommandBufferKHR_fn finalize;
    clReleaseCommandBufferKHR_fn release;
    clGetCommandBufferInfoKHR_fn info;
    clEnqueueCommandBufferKHR_fn enqueue;
    cl_command_queue queue;
    cl_command_buffer_khr buffer;
};

static void *extension(const struct place *place, const char *name) {
    return clGetExtensionFunctionAddressForPlatform(place->native[PLATFORM], name);
}

static cl_device_command_buffer_capabilities_khr capabilities(const struct place *place) {
    cl_device_command_buffer_capabilities_khr bits = 0;
    clGetDeviceInfo(place->native[DEVICE], CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR, sizeof bits, &bits,
                    NULL);
    return bits;
}

static bool can_record(const struct place *place) {
    char extensions[16384] = "";
    clGetDeviceInfo(place->native[DEVICE], CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL);
    return strstr(extensions, "cl_khr_command_buffer");
}

static struct recorder make_recorder(const struct place *place, cl_context context,
                                     cl_command_queue_properties properties, bool simultaneous) {
    const cl_command_buffer_properties_khr flags[] = {CL_COMMAND_BUFFER_FLAGS_KHR,
                                                      CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR, 0};
    struct recorder r = {.create = extension(place, "clCreateCommandBufferKHR"),
                         .finalize = extension(place, "clFinalizeCommandBufferKHR"),
                         .release = extension(place, "clReleaseCommandBufferKHR"),
                         .info = extension(place, "clGetCommandBufferInfoKHR"),
                         .enqueue = extension(place, "clEnqueueCommandBufferKHR")};
    cl_int error;
    r.queue = clCreateCommandQueue(context, place->native[DEVICE], properties, &error);
    assert_int_equal(error, CL_SUCCESS);
    r.buffer = r.create(1, &r.queue, simultaneous ? flags : NULL, &error);
    assert_int_equal(error, CL_SUCCESS);
    return r;
}

static void free_recorder(struct recorder *r) {
    assert_int_equal(r->release(r->buffer), CL_SUCCESS);
    assert_int_equal(clReleaseCommandQueue(r->queue), CL_SUCCESS);
}

static void replay(const struct recorder *r, int times) {
    for (int i = 0; i < times; i++)
        assert_int_equal(r->enqueue(0, NULL, r->buffer, 0, NULL, NULL), CL_SUCCESS);
    assert_int_equal(clFinish(r->queue), CL_SUCCESS);
}

/* A chain: d = 2 (a * b) + 1, then e = 2 d + 1. The product repacks b in the scratchpad; both steps use the
 * same primitive with different memory. */
struct chain {
    dnnl_engine_t engine;
    dnnl_memory_desc_t md, transposed;
    dnnl_primitive_t product, step;
    dnnl_memory_t a, b, c, d, e;
};

static dnnl_memory_t chain_memory(const struct place *place, const struct chain *chain, int kind,
                                  const_dnnl_memory_desc_t md) {
    dnnl_memory_t memory;
    assert_ok(place->backend->memory(place, kind, md, chain->engine, DNNL_MEMORY_ALLOCATE, &memory));
    return memory;
}

static struct chain make_chain(const struct place *place, int kind) {
    struct chain chain = {.engine = make_engine(place),
                          .md = test_desc(2, (dnnl_dims_t){SIDE, SIDE}, dnnl_ab),
                          .transposed = test_desc(2, (dnnl_dims_t){SIDE, SIDE}, dnnl_ba)};
    dnnl_primitive_desc_t pd;
    assert_ok(dnnl_matmul_primitive_desc_create(&pd, chain.engine, chain.md, chain.transposed, NULL, chain.md,
                                                NULL));
    assert_ok(dnnl_primitive_create(&chain.product, pd));
    assert_ok(dnnl_primitive_desc_destroy(pd));
    assert_ok(dnnl_eltwise_forward_primitive_desc_create(
            &pd, chain.engine, dnnl_forward_inference, dnnl_eltwise_linear, chain.md, chain.md, 2, 1, NULL));
    assert_ok(dnnl_primitive_create(&chain.step, pd));
    assert_ok(dnnl_primitive_desc_destroy(pd));
    chain.a = chain_memory(place, &chain, kind, chain.md);
    chain.b = chain_memory(place, &chain, kind, chain.transposed);
    chain.c = chain_memory(place, &chain, kind, chain.md);
    chain.d = chain_memory(place, &chain, kind, chain.md);
    chain.e = chain_memory(place, &chain, kind, chain.md);
    return chain;
}

static void free_primitives(struct chain *chain) {
    assert_ok(dnnl_primitive_destroy(chain->product));
    assert_ok(dnnl_primitive_destroy(chain->step));
    chain->product = chain->step = NULL;
}

static void free_chain(struct chain *chain) {
    dnnl_memory_t memories[] = {chain->a, chain->b, chain->c, chain->d, chain->e};
    for (int i = 0; i < 5; i++)
        assert_ok(dnnl_memory_destroy(memories[i]));
    free_primitives(chain);
    assert_ok(dnnl_memory_desc_destroy(chain->md));
    assert_ok(dnnl_memory_desc_destroy(chain->transposed));
    assert_ok(dnnl_engine_destroy(chain->engine));
}

static void run_chain(const struct chain *chain, dnnl_stream_t stream) {
    const dnnl_exec_arg_t product[] = {
            {DNNL_ARG_SRC, chain->a}, {DNNL_ARG_WEIGHTS, chain->b}, {DNNL_ARG_DST, chain->c}};
    assert_ok(dnnl_primitive_execute(chain->product, stream, 3, product));
    assert_ok(dnnl_primitive_execute(chain->step, stream, 2, args_of(chain->c, chain->d).list));
    assert_ok(dnnl_primitive_execute(chain->step, stream, 2, args_of(chain->d, chain->e).list));
}

static void fill_chain(const struct chain *chain, int round) {
    static float a[LENGTH], b[LENGTH];
    for (int i = 0; i < LENGTH; i++) {
        a[i] = (float)((i * 37 + round * 11) % 101 - 50) / 7;
        b[i] = (float)((i * 53 + round * 29) % 89 - 44) / 3;
    }
    memory_put(chain->a, a, LENGTH);
    memory_put(chain->b, b, LENGTH);
    memory_set_all(chain->e, 0, LENGTH);
}

/* Executes the chain to get the expected result of each round. */
static void execute_rounds(const struct chain *chain, float expected[ROUNDS][LENGTH]) {
    dnnl_stream_t stream = test_stream(chain->engine);
    for (int round = 0; round < ROUNDS; round++) {
        fill_chain(chain, round);
        run_chain(chain, stream);
        assert_ok(dnnl_stream_wait(stream));
        memory_get(chain->e, expected[round], LENGTH);
    }
    assert_ok(dnnl_stream_destroy(stream));
}

static void assert_replays(const struct place *place, int kind, cl_command_queue_properties properties,
                           bool simultaneous) {
    static float expected[ROUNDS][LENGTH], result[LENGTH];
    struct chain chain = make_chain(place, kind);
    struct recorder r = make_recorder(place, place->native[CONTEXT], properties, simultaneous);
    dnnl_stream_t stream;
    int capacity;
    execute_rounds(&chain, expected);
    fill_chain(&chain, 0);
    assert_ok(dnnl_ocl_interop_stream_create_recording(&stream, chain.engine, r.queue, r.buffer));
    run_chain(&chain, stream);
    assert_ok(dnnl_stream_wait(stream));
    assert_memory_is(chain.e, 0, LENGTH); /* nothing has run yet */
    assert_int_equal(r.finalize(r.buffer), CL_SUCCESS);

    /* The recording needs neither the primitives nor the cache. */
    free_primitives(&chain);
    assert_ok(dnnl_get_primitive_cache_capacity(&capacity));
    assert_ok(dnnl_set_primitive_cache_capacity(0));
    for (int round = 0; round < ROUNDS; round++) {
        fill_chain(&chain, round);
        replay(&r, simultaneous ? 4 : 1);
        memory_get(chain.e, result, LENGTH);
        assert_memory_equal(result, expected[round], sizeof result);
    }
    assert_ok(dnnl_set_primitive_cache_capacity(capacity));
    free_recorder(&r);
    assert_ok(dnnl_stream_destroy(stream));
    free_chain(&chain);
}

static void replays(void **state) {
    const struct place *place = place_of(state);
    enum { BUFFER = 0, USM_SHARED = 2 }; /* indices in the backend's kinds of memory */
    if (!can_record(place)) leave_out(place, "has no cl_khr_command_buffer");
    assert_replays(place, BUFFER, 0, false);
    if (place->backend->has_kind(place, USM_SHARED)) assert_replays(place, USM_SHARED, 0, false);
}

static void replays_out_of_order(void **state) {
    const struct place *place = place_of(state);
    if (!can_record(place) || !(capabilities(place) & CL_COMMAND_BUFFER_CAPABILITY_OUT_OF_ORDER_KHR))
        leave_out(place, "has no command buffers on out-of-order queues");
    assert_replays(place, 0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, false);
}

static void replays_simultaneously(void **state) {
    const struct place *place = place_of(state);
    if (!can_record(place) || !(capabilities(place) & CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR))
        leave_out(place, "has no command buffers for simultaneous use");
    assert_replays(place, 0, 0, true);
}

/* A whole LSTM: loops, scratchpad and many launches. */
static void replays_lstm(void **state) {
    static struct lstm lstm;
    const struct place *place = place_of(state);
    if (!can_record(place)) leave_out(place, "has no cl_khr_command_buffer");
    dnnl_engine_t engine = make_engine(place);
    struct recorder r = make_recorder(place, place->native[CONTEXT], 0, false);
    dnnl_stream_t stream;
    lstm_make(&lstm, engine);
    assert_ok(dnnl_ocl_interop_stream_create_recording(&stream, engine, r.queue, r.buffer));
    lstm_record(&lstm, stream);
    assert_int_equal(r.finalize(r.buffer), CL_SUCCESS);
    for (int i = 0; i < 2 * LSTM_ROUNDS; i++) {
        lstm_fill(&lstm, i % LSTM_ROUNDS);
        replay(&r, 1);
        lstm_expect(&lstm, i % LSTM_ROUNDS);
    }
    free_recorder(&r);
    assert_ok(dnnl_stream_destroy(stream));
    lstm_free(&lstm);
    assert_ok(dnnl_engine_destroy(engine));
}

/* Ownership: the stream retains buffer and queue, the getter does not. */

static cl_uint buffer_references(const struct recorder *r) {
    cl_uint count = 0;
    r->info(r->buffer, CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR, sizeof count, &count, NULL);
    return count;
}

static cl_uint queue_references(cl_command_queue queue) {
    cl_uint count = 0;
    clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT, sizeof count, &count, NULL);
    return count;
}

static void ownership(void **state) {
    const struct place *place = place_of(state);
    if (!can_record(place)) leave_out(place, "has no cl_khr_command_buffer");
    dnnl_engine_t engine = make_engine(place);
    struct recorder r = make_recorder(place, place->native[CONTEXT], 0, false);
    dnnl_stream_t stream;
    cl_command_queue queue;
    cl_uint before = buffer_references(&r), queue_before = queue_references(r.queue);
    assert_ok(dnnl_ocl_interop_stream_create_recording(&stream, engine, r.queue, r.buffer));
    assert_int_equal(buffer_references(&r), before + 1);
    assert_ok(dnnl_ocl_interop_stream_get_command_queue(stream, &queue));
    assert_ptr_equal(queue, r.queue);
    assert_int_equal(queue_references(r.queue), queue_before + 1);
    assert_ok(dnnl_engine_destroy(engine));
    assert_ok(dnnl_stream_destroy(stream));
    assert_int_equal(buffer_references(&r), before);
    assert_int_equal(queue_references(r.queue), queue_before);
    free_recorder(&r);
}

/* Errors: objects of other contexts, events, a finalized command buffer. */

static void refused_streams(void **state) {
    const struct place *place = place_of(state);
    dnnl_engine_t engine = make_engine(place), cpu = test_engine();
    dnnl_stream_t stream = UNTOUCHED;
    cl_int error;
    if (!can_record(place)) {
        cl_command_queue queue =
                clCreateCommandQueue(place->native[CONTEXT], place->native[DEVICE], 0, &error);
        assert_int_equal(dnnl_ocl_interop_stream_create_recording(&stream, engine, queue, UNTOUCHED),
                         dnnl_unimplemented);
        clReleaseCommandQueue(queue);
    } else {
        cl_device_id device = place->native[DEVICE];
        cl_context other = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
        struct recorder own = make_recorder(place, place->native[CONTEXT], 0, false);
        struct recorder foreign = make_recorder(place, other, 0, false);
        assert_bad(dnnl_ocl_interop_stream_create_recording(NULL, engine, own.queue, own.buffer));
        assert_bad(dnnl_ocl_interop_stream_create_recording(&stream, NULL, own.queue, own.buffer));
        assert_bad(dnnl_ocl_interop_stream_create_recording(&stream, cpu, own.queue, own.buffer));
        assert_bad(dnnl_ocl_interop_stream_create_recording(&stream, engine, own.queue, NULL));
        assert_bad(dnnl_ocl_interop_stream_create_recording(&stream, engine, NULL, own.buffer));
        assert_bad(dnnl_ocl_interop_stream_create_recording(&stream, engine, foreign.queue, foreign.buffer));
        assert_int_equal(own.finalize(own.buffer), CL_SUCCESS);
        assert_bad(dnnl_ocl_interop_stream_create_recording(&stream, engine, own.queue, own.buffer));
        free_recorder(&own);
        free_recorder(&foreign);
        clReleaseContext(other);
    }
    assert_ptr_equal(stream, UNTOUCHED);
    assert_ok(dnnl_engine_destroy(cpu));
    assert_ok(dnnl_engine_destroy(engine));
}

static void refused_executions(void **state) {
    const struct place *place = place_of(state);
    if (!can_record(place)) leave_out(place, "has no cl_khr_command_buffer");
    dnnl_engine_t engine = make_engine(place);
    struct step step = make_step(engine, LENGTH);
    dnnl_memory_t src = make_memory(&step, engine), dst = make_memory(&step, engine);
    struct recorder r = make_recorder(place, place->native[CONTEXT], 0, false);
    dnnl_stream_t stream;
    cl_int error;
    cl_event gate = clCreateUserEvent(place->native[CONTEXT], &error), event = UNTOUCHED;
    clSetUserEventStatus(gate, CL_COMPLETE);
    assert_ok(dnnl_ocl_interop_stream_create_recording(&stream, engine, r.queue, r.buffer));
    assert_bad(dnnl_ocl_interop_primitive_execute(step.primitive, stream, 2, args_of(src, dst).list, &gate, 1,
                                                  &event));
    assert_ptr_equal(event, UNTOUCHED);
    assert_ok(dnnl_ocl_interop_primitive_execute(step.primitive, stream, 2, args_of(src, dst).list, NULL, 0,
                                                 &event));
    assert_null(event);
    assert_int_equal(r.finalize(r.buffer), CL_SUCCESS);
    assert_int_not_equal(run_step(&step, stream, src, dst), dnnl_success);
    memory_set_all(src, 1, LENGTH);
    replay(&r, 1);
    assert_memory_is(dst, 3, LENGTH); /* ran once */
    clReleaseEvent(gate);
    free_recorder(&r);
    assert_ok(dnnl_stream_destroy(stream));
    assert_ok(dnnl_memory_destroy(src));
    assert_ok(dnnl_memory_destroy(dst));
    free_step(&step);
    assert_ok(dnnl_engine_destroy(engine));
}

/* A cross-device reorder goes through the host, so it cannot be recorded. */
static void cross_device_is_refused(void **state) {
    const struct place *place = place_of(state);
    if (!can_record(place)) leave_out(place, "has no cl_khr_command_buffer");
    dnnl_engine_t engine = make_engine(place), host;
    struct step step = make_step(engine, LENGTH);
    assert_ok(dnnl_engine_create(&host, dnnl_cpu, 0));
    dnnl_memory_t src = make_memory(&step, host), dst = make_memory(&step, engine);
    struct recorder r = make_recorder(place, place->native[CONTEXT], 0, false);
    dnnl_stream_t stream;
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t reorder;
    assert_ok(dnnl_ocl_interop_stream_create_recording(&stream, engine, r.queue, r.buffer));
    assert_ok(dnnl_reorder_primitive_desc_create(&pd, step.md, host, step.md, engine, NULL));
    assert_ok(dnnl_primitive_create(&reorder, pd));
    assert_int_equal(dnnl_primitive_execute(reorder, stream, 2, args_of(src, dst).list), dnnl_unimplemented);
    assert_ok(dnnl_primitive_destroy(reorder));
    assert_ok(dnnl_primitive_desc_destroy(pd));
    assert_ok(dnnl_stream_destroy(stream));
    free_recorder(&r);
    assert_ok(dnnl_memory_destroy(src));
    assert_ok(dnnl_memory_destroy(dst));
    free_step(&step);
    assert_ok(dnnl_engine_destroy(host));
    assert_ok(dnnl_engine_destroy(engine));
}

const struct test record_tests[] = {
        {"record_replays", replays},
        {"record_replays_out_of_order", replays_out_of_order},
        {"record_replays_simultaneously", replays_simultaneously},
        {"record_replays_lstm", replays_lstm},
        {"record_ownership", ownership},
        {"record_refused_streams", refused_streams},
        {"record_refused_executions", refused_executions},
        {"record_cross_device_is_refused", cross_device_is_refused},
        {NULL, NULL},
};
