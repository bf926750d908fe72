/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Level Zero runtime on imperfect drivers: every call fails once, newer functions are missing, the device
 * is a GPU with its own memory that accepts only SPIR-V. Also checks the commands appended to lists.
 */
#define _GNU_SOURCE
#include "count_allocations.h"
#include "runtimes/fake.h"
#include "runtimes/world.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* -- every call fails once -- */

/* Typical use of a device, from the first object to the last. A failure ends it early; everything created is
 * destroyed. */
struct scenario {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_memory_desc_t md;
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t primitive;
    dnnl_memory_t src, dst;
    bool wrong; /* everything succeeded, but the result is wrong */
};

#define try(call)                                                                                            \
    do {                                                                                                     \
        dnnl_status_t status = call;                                                                         \
        if (status != dnnl_success) return status;                                                           \
    } while (0)

static dnnl_status_t put(dnnl_memory_t memory) {
    float *data = NULL;
    try(dnnl_memory_map_data(memory, (void **)&data));
    for (int i = 0; i < N; i++)
        data[i] = (float)i;
    return dnnl_memory_unmap_data(memory, data);
}

static dnnl_status_t check(struct scenario *s) {
    float *data = NULL;
    try(dnnl_memory_map_data(s->dst, (void **)&data));
    for (int i = 0; i < N; i++)
        if (data[i] != 3 * (3 * (float)i + 1) + 1) s->wrong = true;
    return dnnl_memory_unmap_data(s->dst, data);
}

static dnnl_status_t execute_twice(struct scenario *s, unsigned flags) {
    ze_event_handle_t event = NULL;
    const dnnl_exec_arg_t first[] = {{DNNL_ARG_SRC, s->src}, {DNNL_ARG_DST, s->dst}};
    const dnnl_exec_arg_t second[] = {{DNNL_ARG_SRC, s->dst}, {DNNL_ARG_DST, s->dst}};
    try(dnnl_ze_interop_primitive_execute(s->primitive, s->stream, 2, first, 0, NULL, &event));
    try(dnnl_ze_interop_primitive_execute(s->primitive, s->stream, 2, second, 1, &event, NULL));
    try(dnnl_stream_wait(s->stream));
    if (!(flags & dnnl_stream_profiling)) return dnnl_success;
    int count = 2;
    uint64_t ns[2];
    try(dnnl_query_profiling_data(s->stream, dnnl_profiling_data_kind_time, &count, ns));
    return dnnl_reset_profiling(s->stream);
}

static dnnl_status_t run_scenario(struct scenario *s, unsigned flags) {
    try(dnnl_engine_create(&s->engine, dnnl_gpu, 0));
    try(dnnl_stream_create(&s->stream, s->engine, flags));
    try(dnnl_memory_desc_create_with_tag(&s->md, 1, (dnnl_dims_t){N}, dnnl_f32, dnnl_a));
    try(dnnl_eltwise_forward_primitive_desc_create(&s->pd, s->engine, dnnl_forward_inference,
                                                   dnnl_eltwise_linear, s->md, s->md, 3, 1, NULL));
    try(dnnl_primitive_create(&s->primitive, s->pd));
    try(dnnl_memory_create(&s->src, s->md, s->engine, DNNL_MEMORY_ALLOCATE));
    try(dnnl_memory_create(&s->dst, s->md, s->engine, DNNL_MEMORY_ALLOCATE));
    try(put(s->src));
    try(execute_twice(s, flags));
    return check(s);
}

static void clean_up(struct scenario *s) {
    dnnl_memory_destroy(s->src);
    dnnl_memory_destroy(s->dst);
    dnnl_primitive_destroy(s->primitive);
    dnnl_primitive_desc_destroy(s->pd);
    dnnl_memory_desc_destroy(s->md);
    dnnl_stream_destroy(s->stream);
    dnnl_engine_destroy(s->engine);
}

static dnnl_status_t run_and_clean_up(unsigned flags) {
    struct scenario s = {0};
    dnnl_status_t status = run_scenario(&s, flags);
    clean_up(&s);
    assert_false(status == dnnl_success && s.wrong);
    return status;
}

/* Objects destroyed while in use are released a little later. */
static void wait_until_live(long wanted) {
    for (int i = 0; i < 10000 && fake.live != wanted; i++)
        usleep(1000);
    if (fake.live != wanted) fail_msg("%ld objects left", fake.live - wanted);
}

/* Some failures are not reported: of calls that have a fallback, and of destruction, which then leaks the
 * object. Nothing else may leak. */
static void fail_every_call(unsigned flags, ze_result_t failure) {
    fake_reset();
    assert_int_equal(run_and_clean_up(flags), dnnl_success);
    const long calls = fake.calls;
    long refusals = 0;
    assert_true(calls > 20);
    for (long n = 1; n <= calls; n++) {
        fake_reset();
        fake.fail_at = n;
        fake.failure = failure;
        long live = fake.live;
        refusals += run_and_clean_up(flags) != dnnl_success;
        wait_until_live(live);
        fake_reset();
        assert_int_equal(run_and_clean_up(flags), dnnl_success); /* the next run works */
    }
    print_message("%ld calls, %ld of them return an error status when they fail\n", calls, refusals);
    assert_true(refusals > calls / 3);
}

static void test_failures(void **state) {
    (void)state;
    static const unsigned flags[] = {dnnl_stream_in_order, dnnl_stream_out_of_order,
                                     dnnl_stream_in_order | dnnl_stream_profiling};
    for (int pretend = 0; pretend < 2; pretend++)
        for (int i = 0; i < COUNT(flags); i++) {
            fake.gpu = pretend;
            fail_every_call(flags[i], ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
            fail_every_call(flags[i], ZE_RESULT_ERROR_UNKNOWN);
        }
    fake.gpu = false;
}

/* Out of memory has its own status. */
static void test_statuses(void **state) {
    (void)state;
    static const struct {
        ze_result_t failure;
        dnnl_status_t status;
    } cases[] = {{ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY, dnnl_out_of_memory},
                 {ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, dnnl_out_of_memory},
                 {ZE_RESULT_ERROR_DEVICE_LOST, dnnl_runtime_error},
                 {ZE_RESULT_ERROR_UNKNOWN, dnnl_runtime_error}};
    struct world w = make_world();
    for (int i = 0; i < COUNT(cases); i++) {
        void *handle = DNNL_MEMORY_ALLOCATE;
        dnnl_memory_t untouched = (dnnl_memory_t)&w, memory = untouched;
        fake_reset();
        fake.fail_at = 1;
        fake.failure = cases[i].failure;
        assert_int_equal(dnnl_ze_interop_memory_create(&memory, w.vector, w.engine, 1, &handle),
                         cases[i].status);
        assert_ptr_equal(memory, untouched);
    }
    fake_reset();
    free_world(&w);
}

/* No object of the library outlives its owners. */
static void test_nothing_leaks(void **state) {
    (void)state;
    fake_reset();
    assert_int_equal(run_and_clean_up(dnnl_stream_in_order), dnnl_success);
    long live = fake.live;
    for (int i = 0; i < 20; i++)
        assert_int_equal(run_and_clean_up(i % 2 ? dnnl_stream_in_order : dnnl_stream_out_of_order),
                         dnnl_success);
    assert_int_equal(fake.live, live);
}

/* -- objects destroyed while an execution is blocked -- */

/* Where the blocked execution is: on a user's list, or on a plain stream. */
static const struct {
    bool users;
    unsigned order; /* of the list, or of the stream */
} held[] = {{true, ZE_IN_ORDER}, {true, 0}, {false, dnnl_stream_in_order}, {false, dnnl_stream_out_of_order}};
enum { HELD = COUNT(held) };

static dnnl_stream_t make_blocked_stream(const struct world *w, int k, ze_command_list_handle_t *list) {
    dnnl_stream_t stream;
    *list = held[k].users ? ze_make_immediate(w->context, held[k].order, false) : NULL;
    if (*list) return make_stream(w, *list);
    assert_ok(dnnl_stream_create(&stream, w->engine, held[k].order));
    return stream;
}

/* Everything is destroyed, even the engine. The execution still takes place, and then no object is left. */
static void destroy_all_while_blocked(int k) {
    struct world w = {.context = ze_make_context()};
    struct user_events gates = make_events(&w);
    float *dst = ze_alloc(w.context, ZE_MEMORY_TYPE_SHARED, N * sizeof *dst);
    long live = fake.live;
    assert_ok(dnnl_ze_interop_engine_create(&w.engine, ze_driver, ze_device, w.context));
    assert_ok(dnnl_memory_desc_create_with_tag(&w.vector, 1, (dnnl_dims_t){N}, dnnl_f32, dnnl_a));
    dnnl_primitive_t linear = make_linear(&w, 3, 1);
    dnnl_memory_t from = make_vector(&w, DNNL_MEMORY_ALLOCATE), to = make_vector(&w, dst);
    ze_command_list_handle_t list;
    dnnl_stream_t stream = make_blocked_stream(&w, k, &list);
    ze_event_handle_t event;
    fill(from, 1);
    fill(to, 0);
    assert_ok(run(linear, stream, from, to, 1, &gates.events[0], &event));
    assert_ok(dnnl_memory_destroy(from));
    assert_ok(dnnl_memory_destroy(to));
    assert_ok(dnnl_primitive_destroy(linear));
    assert_ok(dnnl_stream_destroy(stream));
    dnnl_memory_desc_destroy(w.vector);
    assert_ok(dnnl_engine_destroy(w.engine));
    assert_true(fake.live > live);
    ze_ok(ze.zeEventHostSignal(gates.events[0]));
    wait_until_live(live);
    for (int i = 0; i < N; i++)
        assert_float_equal(dst[i], 3 * (1 + i) + 1, 0);
    if (list) ze_ok(ze.zeCommandListDestroy(list));
    free_events(&gates);
    ze_ok(ze.zeMemFree(w.context, dst));
    ze_ok(ze.zeContextDestroy(w.context));
}

/* Only streams are destroyed; the engine stays in use. Their leftovers are released when the next stream
 * ends. */
static void destroy_streams_while_blocked(int k) {
    enum { STREAMS = 5 };
    struct world w = make_world();
    struct user_events gates = make_events(&w);
    dnnl_primitive_t linear = make_linear(&w, 1, 1);
    dnnl_memory_t memories[STREAMS];
    ze_command_list_handle_t lists[STREAMS];
    for (int i = 0; i < STREAMS; i++) {
        memories[i] = make_vector(&w, DNNL_MEMORY_ALLOCATE);
        fill(memories[i], (float)i);
    }
    long live = fake.live;
    for (int i = 0; i < STREAMS; i++) {
        ze_event_handle_t event;
        dnnl_stream_t stream = make_blocked_stream(&w, k, &lists[i]);
        assert_ok(run(linear, stream, memories[i], memories[i], 1, &gates.events[0], &event));
        assert_ok(run(linear, stream, memories[i], memories[i], 1, &event, NULL));
        assert_ok(dnnl_stream_destroy(stream));
    }
    assert_true(fake.live > live);
    ze_ok(ze.zeEventHostSignal(gates.events[0]));
    for (int round = 0; round < 10000 && fake.live != live; round++) {
        dnnl_stream_t next;
        usleep(1000);
        assert_ok(dnnl_stream_create(&next, w.engine, dnnl_stream_in_order));
        assert_ok(dnnl_stream_destroy(next));
    }
    assert_int_equal(fake.live, live);
    for (int i = 0; i < STREAMS; i++) {
        expect_linear(memories[i], (float)i, 1, 2);
        dnnl_memory_destroy(memories[i]);
        if (lists[i]) ze_ok(ze.zeCommandListDestroy(lists[i]));
    }
    dnnl_primitive_destroy(linear);
    free_events(&gates);
    free_world(&w);
}

static void test_destroyed_while_blocked(void **state) {
    (void)state;
    fake_reset();
    for (int forget = 0; forget < 2; forget++) {
        fake_hide_newer(forget);
        for (int k = 0; k < HELD; k++) {
            destroy_streams_while_blocked(k);
            destroy_all_while_blocked(k);
        }
    }
    fake_hide_newer(false);
}

/* -- execution -- */

static void execute_often(const struct product *p, dnnl_primitive_t linear, dnnl_stream_t stream,
                          dnnl_memory_t memory, int times, bool events) {
    ze_event_handle_t event;
    for (int i = 0; i < times; i++) {
        assert_ok(run(linear, stream, memory, memory, 0, NULL, events ? &event : NULL));
        if (i % 4 == 0) multiply(p, stream, events ? &event : NULL);
        if (i % 64 == 63) assert_ok(dnnl_stream_wait(stream));
    }
}

/* Execution allocates neither memory nor driver objects, once a stream has its pool of events. */
static void test_execution_allocates_nothing(void **state) {
    (void)state;
    static const unsigned orders[] = {dnnl_stream_in_order, dnnl_stream_out_of_order};
    fake_reset();
    struct world w = make_world();
    struct product p = make_product(&w);
    dnnl_primitive_t linear = make_linear(&w, 1, 0);
    dnnl_memory_t memory = make_vector(&w, DNNL_MEMORY_ALLOCATE);
    for (int o = 0; o < 2; o++)
        for (int events = 0; events < 2; events++) {
            dnnl_stream_t stream;
            assert_ok(dnnl_stream_create(&stream, w.engine, orders[o]));
            execute_often(&p, linear, stream, memory, events || o ? 40000 : 10, events);
            long allocated = allocations, live = fake.live;
            execute_often(&p, linear, stream, memory, 1000, events);
            assert_int_equal(allocations, allocated);
            assert_int_equal(fake.live, live);
            assert_ok(dnnl_stream_wait(stream));
            dnnl_stream_destroy(stream);
        }
    assert_true(allocations > 0);
    dnnl_primitive_destroy(linear);
    dnnl_memory_destroy(memory);
    free_product(&p);
    free_world(&w);
}

/* -- other devices -- */

/* Two devices in one context, sharing one allocation. */
static void test_two_devices(void **state) {
    (void)state;
    fake_reset();
    struct world w = make_world(), v = w;
    ze_device_handle_t device;
    dnnl_stream_t first, second;
    assert_ok(dnnl_ze_interop_engine_create(&v.engine, ze_driver, fake_second_device(), w.context));
    assert_ok(dnnl_ze_interop_engine_get_device(v.engine, &device));
    assert_ptr_equal(device, fake_second_device());
    assert_ok(dnnl_stream_create(&first, w.engine, dnnl_stream_in_order));
    assert_ok(dnnl_stream_create(&second, v.engine, dnnl_stream_in_order));
    dnnl_primitive_t twice = make_linear(&w, 2, 0), more = make_linear(&v, 1, 1);
    void *pointer = ze_alloc(w.context, ZE_MEMORY_TYPE_DEVICE, N * sizeof(float));
    dnnl_memory_t here = make_vector(&w, pointer), there = make_vector(&v, pointer);
    fill(here, 3);
    ze_event_handle_t doubled, done;
    for (int i = 0; i < STEPS; i++) { /* events of one device's stream order the other's */
        assert_ok(run(twice, first, here, here, i > 0, &done, &doubled));
        assert_ok(run(more, second, there, there, 1, &doubled, &done));
    }
    assert_ok(dnnl_stream_wait(second));
    expect_steps(here, 3);
    assert_bad(run(twice, second, here, here, 0, NULL, NULL));
    assert_bad(run(twice, first, there, there, 0, NULL, NULL));
    dnnl_primitive_destroy(twice);
    dnnl_primitive_destroy(more);
    dnnl_memory_destroy(here);
    dnnl_memory_destroy(there);
    dnnl_stream_destroy(first);
    dnnl_stream_destroy(second);
    ze_ok(ze.zeMemFree(w.context, pointer));
    assert_ok(dnnl_engine_destroy(v.engine));
    free_world(&w);
}

/* Kernels run on the first queue group that supports compute. */
static void test_copy_only_group(void **state) {
    (void)state;
    fake_reset();
    fake.copies_first = true;
    assert_int_equal(run_and_clean_up(dnnl_stream_in_order), dnnl_success);
    fake.gpu = true;
    assert_int_equal(run_and_clean_up(dnnl_stream_out_of_order), dnnl_success);
    fake.gpu = fake.copies_first = false;
}

/* -- other drivers -- */

static void test_without_newer_functions(void **state) {
    (void)state;
    fake_hide_newer(true);
    for (int pretend = 0; pretend < 2; pretend++) {
        fake.gpu = pretend;
        fake_reset();
        assert_int_equal(run_and_clean_up(dnnl_stream_in_order), dnnl_success);
        assert_int_equal(run_and_clean_up(dnnl_stream_out_of_order), dnnl_success);
        assert_int_equal(run_and_clean_up(dnnl_stream_in_order | dnnl_stream_profiling), dnnl_success);
    }
    fake.gpu = false;
    fake_hide_newer(false);
}

static void expect_no_update(void) {
    struct world w = make_world();
    ze_command_list_handle_t list = ze_make_mutable(w.context);
    assert_non_null(list);
    dnnl_stream_t stream = make_stream(&w, list);
    dnnl_primitive_t linear = make_linear(&w, 1, 1);
    dnnl_memory_t memory = make_vector(&w, DNNL_MEMORY_ALLOCATE);
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, memory}};
    ze_event_handle_t event;
    assert_ok(run(linear, stream, memory, memory, 0, NULL, &event));
    ze_ok(ze.zeCommandListClose(list));
    assert_int_equal(dnnl_ze_interop_stream_update(stream, event, 1, args), dnnl_unimplemented);
    dnnl_memory_destroy(memory);
    dnnl_primitive_destroy(linear);
    dnnl_stream_destroy(stream);
    ze_ok(ze.zeCommandListDestroy(list));
    free_world(&w);
}

static void test_without_mutable_lists(void **state) {
    (void)state;
    fake_hide_mutable(true);
    expect_no_update();
    fake_hide_mutable(false);
    fake_refuse_mutable();
    expect_no_update();
    fake_hide_mutable(false);
}

/* A GPU: SPIR-V is compiled once, then the binary comes from the disk cache or a blob. */
static void test_gpu(void **state) {
    (void)state;
    char folder[] = "/tmp/lode-test-XXXXXX", command[64];
    assert_non_null(mkdtemp(folder));
    setenv("LODE_CACHE_DIR", folder, 1);
    unsetenv("LODE_CACHE");
    fake.gpu = true;
    fake.modules_from_spirv = fake.modules_from_binary = 0;
    assert_int_equal(run_and_clean_up(dnnl_stream_in_order), dnnl_success);
    assert_int_equal(fake.modules_from_spirv, 1);
    assert_int_equal(fake.modules_from_binary, 0);
    assert_int_equal(run_and_clean_up(dnnl_stream_in_order), dnnl_success);
    assert_int_equal(fake.modules_from_spirv, 1);
    assert_int_equal(fake.modules_from_binary, 1);

    struct scenario s = {0};
    size_t size = 0;
    assert_int_equal(run_scenario(&s, dnnl_stream_in_order), dnnl_success);
    assert_ok(dnnl_ze_interop_engine_get_cache_blob(s.engine, &size, NULL));
    uint8_t *blob = malloc(size);
    assert_ok(dnnl_ze_interop_engine_get_cache_blob(s.engine, &size, blob));
    clean_up(&s);
    setenv("LODE_CACHE", "0", 1);
    fake.modules_from_spirv = fake.modules_from_binary = 0;
    struct world w = {.context = ze_make_context()};
    assert_ok(dnnl_ze_interop_engine_create_from_cache_blob(&w.engine, ze_driver, ze_device, w.context, size,
                                                            blob));
    assert_ok(dnnl_memory_desc_create_with_tag(&w.vector, 1, (dnnl_dims_t){N}, dnnl_f32, dnnl_a));
    dnnl_primitive_t linear = make_linear(&w, 3, 1);
    assert_int_equal(fake.modules_from_spirv, 0);
    assert_int_equal(fake.modules_from_binary, 1);
    dnnl_primitive_destroy(linear);
    free_world(&w);
    free(blob);
    fake.gpu = false;
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

/* GPU memory is copied to be read; a host-only pointer is refused. */
static void test_gpu_memory(void **state) {
    (void)state;
    fake.gpu = true;
    struct world w = make_world();
    dnnl_memory_t device = make_vector(&w, DNNL_MEMORY_ALLOCATE), untouched = (dnnl_memory_t)&w,
                  memory = untouched;
    void *shared = ze_alloc(w.context, ZE_MEMORY_TYPE_SHARED, N * sizeof(float)),
         *host = malloc(N * sizeof(float));
    void *own = NULL, *first = NULL, *second = NULL;
    assert_ok(dnnl_memory_get_data_handle(device, &own));
    fill(device, 1);
    fake_reset();
    assert_ok(dnnl_memory_map_data(device, &first));
    assert_ok(dnnl_memory_map_data(device, &second)); /* another copy */
    assert_ptr_not_equal(first, own);
    assert_ptr_not_equal(first, second);
    assert_int_equal(fake.nappended, 2);
    assert_ok(dnnl_memory_unmap_data(device, second));
    assert_ok(dnnl_memory_unmap_data(device, first));
    assert_bad(dnnl_memory_unmap_data(device, first));
    expect_linear(device, 1, 1, 0);
    assert_ok(dnnl_memory_map_data(device, &first)); /* still mapped when it is destroyed */
    dnnl_memory_destroy(device);

    assert_bad(dnnl_ze_interop_memory_create(&memory, w.vector, w.engine, 1, &host));
    assert_ptr_equal(memory, untouched);
    memory = make_vector(&w, shared);
    assert_ok(dnnl_memory_map_data(memory, &first));
    assert_ptr_equal(first, shared);
    assert_ok(dnnl_memory_unmap_data(memory, first));
    assert_bad(dnnl_ze_interop_memory_set_mem_object(memory, host));
    dnnl_memory_destroy(memory);
    ze_ok(ze.zeMemFree(w.context, shared));
    free(host);
    free_world(&w);
    fake.gpu = false;
}

/* -- appended commands -- */

static void test_commands_in_order(void **state) {
    (void)state;
    struct world w = make_world();
    struct product p = make_product(&w);
    dnnl_stream_t stream;
    assert_ok(dnnl_stream_create(&stream, w.engine, dnnl_stream_in_order));
    fake_reset();
    multiply(&p, stream, NULL);
    ze_event_handle_t event = NULL;
    multiply(&p, stream, &event);
    assert_ok(dnnl_stream_wait(stream));
    assert_true(fake.nappended >= 2);
    for (int i = 0; i < fake.nappended; i++) { /* only the requested event is used */
        assert_int_equal(fake.appended[i].what, APPENDED_LAUNCH);
        assert_int_equal(fake.appended[i].nwaits, 0);
        assert_ptr_equal(fake.appended[i].signal, i == fake.nappended - 1 ? event : NULL);
    }
    dnnl_stream_destroy(stream);
    free_product(&p);
    free_world(&w);
}

/* Each launch waits for the previous one. An execution with a scratchpad waits for the last one that used
 * it. */
static void test_commands_out_of_order(void **state) {
    (void)state;
    struct world w = make_world();
    struct product p = make_product(&w);
    dnnl_stream_t stream;
    ze_event_handle_t first = NULL, second = NULL;
    assert_ok(dnnl_stream_create(&stream, w.engine, dnnl_stream_out_of_order));
    fake_reset();
    multiply(&p, stream, &first);
    int launches = fake.nappended;
    multiply(&p, stream, &second);
    assert_ok(dnnl_stream_wait(stream));
    assert_int_equal(fake.nappended, 2 * launches);
    assert_true(launches > 1);
    assert_int_equal(fake.appended[0].nwaits, 0);
    for (int i = 1; i < 2 * launches; i++) {
        assert_int_equal(fake.appended[i].what, APPENDED_LAUNCH);
        assert_int_equal(fake.appended[i].nwaits, 1);
        assert_non_null(fake.appended[i - 1].signal);
        assert_ptr_equal(fake.appended[i].wait, fake.appended[i - 1].signal);
    }
    assert_ptr_equal(fake.appended[launches - 1].signal, first);
    assert_ptr_equal(fake.appended[2 * launches - 1].signal, second);

    fake_reset();
    multiply(&p, stream, NULL); /* returns no event to order it by, so it runs after everything before it */
    assert_int_equal(fake.appended[0].what, APPENDED_BARRIER);
    assert_ok(dnnl_stream_wait(stream));
    dnnl_stream_destroy(stream);
    free_product(&p);
    free_world(&w);
}

/* Times in cycles of the device's timer, at any frequency: of an execution, and of the last run of a
 * recording. */
static void check_cycles(const struct world *w, ze_command_list_handle_t list,
                         ze_command_queue_handle_t queue) {
    const dnnl_profiling_data_kind_t cycles_kind = (dnnl_profiling_data_kind_t)0x101;
    enum { RUNS = 2 };
    struct product p = make_product(w);
    dnnl_stream_t stream;
    uint64_t ns[RUNS], cycles[RUNS];
    int count = RUNS;
    assert_ok(dnnl_ze_interop_stream_create(&stream, w->engine, list, 1));
    for (int i = 0; i < RUNS; i++)
        multiply(&p, stream, NULL);
    if (queue) {
        ze_ok(ze.zeCommandListClose(list));
        ze_run(queue, list);
        ze_run(queue, list);
    }
    assert_ok(dnnl_query_profiling_data(stream, dnnl_profiling_data_kind_time, &count, ns));
    assert_ok(dnnl_query_profiling_data(stream, cycles_kind, &count, cycles));
    assert_int_equal(count, RUNS);
    for (int i = 0; i < RUNS; i++) {
        assert_true(cycles[i] > 0);
        assert_int_equal(ns[i], cycles[i] * 1000000000 / fake.timer_hertz);
    }
    count = RUNS - 1;
    assert_bad(dnnl_query_profiling_data(stream, cycles_kind, &count, cycles));
    dnnl_stream_destroy(stream);
    ze_ok(ze.zeCommandListDestroy(list));
    free_product(&p);
}

static void test_cycles(void **state) {
    (void)state;
    fake.timer_hertz = 19200000;
    struct world w = make_world();
    ze_command_queue_handle_t queue = ze_make_queue(w.context);
    check_cycles(&w, ze_make_immediate(w.context, ZE_IN_ORDER, false), NULL);
    check_cycles(&w, ze_make_immediate(w.context, 0, false), NULL);
    check_cycles(&w, ze_make_regular(w.context, NULL), queue);
    ze_ok(ze.zeCommandQueueDestroy(queue));
    free_world(&w);
    fake.timer_hertz = 0;
}

/* On a regular out-of-order list: the event is reset, and every launch follows a barrier. */
static void test_commands_recorded(void **state) {
    (void)state;
    struct world w = make_world();
    struct product p = make_product(&w);
    ze_command_list_handle_t list = ze_make_regular(w.context, NULL);
    dnnl_stream_t stream = make_stream(&w, list);
    ze_event_handle_t event = NULL;
    fake_reset();
    multiply(&p, stream, &event);
    assert_int_equal(fake.nappended % 2, 1);
    assert_int_equal(fake.appended[0].what, APPENDED_RESET);
    assert_ptr_equal(fake.appended[0].signal, event);
    for (int i = 1; i < fake.nappended; i++) {
        assert_int_equal(fake.appended[i].what, i % 2 ? APPENDED_BARRIER : APPENDED_LAUNCH);
        assert_ptr_equal(fake.appended[i].signal, i == fake.nappended - 1 ? event : NULL);
    }
    dnnl_stream_destroy(stream);
    ze_ok(ze.zeCommandListDestroy(list));
    free_product(&p);
    free_world(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_failures),
            cmocka_unit_test(test_statuses),
            cmocka_unit_test(test_nothing_leaks),
            cmocka_unit_test(test_destroyed_while_blocked),
            cmocka_unit_test(test_execution_allocates_nothing),
            cmocka_unit_test(test_two_devices),
            cmocka_unit_test(test_copy_only_group),
            cmocka_unit_test(test_without_newer_functions),
            cmocka_unit_test(test_without_mutable_lists),
            cmocka_unit_test(test_gpu),
            cmocka_unit_test(test_gpu_memory),
            cmocka_unit_test(test_commands_in_order),
            cmocka_unit_test(test_commands_out_of_order),
            cmocka_unit_test(test_commands_recorded),
            cmocka_unit_test(test_cycles),
    };
    setenv("ONEDNN_GPU_RUNTIME", "ZE", 1);
    setenv("ONEDNN_VERBOSE", "none", 0);
    setenv("LODE_CACHE", "0", 1);
    if (!ze_open() || !fake_install()) {
        puts("SKIP: no Level Zero device");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
