/* SPDX-License-Identifier: Apache-2.0 */
/* Engines, memory and streams made from the user's handles: ownership and errors. */
#define _GNU_SOURCE
#include "runtimes/world.h"

#include <stdio.h>

/* -- engines -- */

static void test_engine_handles(void **state) {
    (void)state;
    ze_context_handle_t context = ze_make_context(), got_context = NULL;
    ze_driver_handle_t driver = NULL;
    ze_device_handle_t device = NULL;
    dnnl_engine_t engine;
    dnnl_engine_kind_t kind;
    assert_ok(dnnl_ze_interop_engine_create(&engine, ze_driver, ze_device, context));
    assert_ok(dnnl_ze_interop_engine_get_driver(engine, &driver));
    assert_ok(dnnl_ze_interop_engine_get_device(engine, &device));
    assert_ok(dnnl_ze_interop_engine_get_context(engine, &got_context));
    assert_ptr_equal(driver, ze_driver);
    assert_ptr_equal(device, ze_device);
    assert_ptr_equal(got_context, context);
    assert_ok(dnnl_engine_get_kind(engine, &kind));
    assert_int_equal(kind, dnnl_gpu);
    assert_ok(dnnl_engine_destroy(engine));
    ze_ok(ze.zeContextGetStatus(context)); /* still the user's */
    ze_ok(ze.zeContextDestroy(context));
}

static void test_plain_engine_has_handles(void **state) {
    (void)state;
    ze_context_handle_t context = NULL;
    ze_driver_handle_t driver = NULL;
    ze_device_handle_t device = NULL;
    dnnl_engine_t plain, same;
    assert_true(dnnl_engine_get_count(dnnl_gpu) > 0);
    assert_bad(dnnl_engine_create(&plain, dnnl_gpu, dnnl_engine_get_count(dnnl_gpu)));
    assert_ok(dnnl_engine_create(&plain, dnnl_gpu, 0));
    assert_ok(dnnl_ze_interop_engine_get_driver(plain, &driver));
    assert_ok(dnnl_ze_interop_engine_get_device(plain, &device));
    assert_ok(dnnl_ze_interop_engine_get_context(plain, &context));
    assert_ok(dnnl_ze_interop_engine_create(&same, driver, device, context));
    assert_ok(dnnl_engine_destroy(plain));
    ze_ok(ze.zeContextGetStatus(context)); /* the other engine keeps it */
    assert_ok(dnnl_engine_destroy(same));
}

static void test_engine_bad_input(void **state) {
    (void)state;
    int junk[64] = {0};
    ze_context_handle_t context = ze_make_context();
    dnnl_engine_t untouched = (dnnl_engine_t)junk, engine = untouched, cpu;
    assert_bad(dnnl_ze_interop_engine_create(NULL, ze_driver, ze_device, context));
    assert_bad(dnnl_ze_interop_engine_create(&engine, NULL, ze_device, context));
    assert_bad(dnnl_ze_interop_engine_create(&engine, ze_driver, NULL, context));
    assert_bad(dnnl_ze_interop_engine_create(&engine, ze_driver, ze_device, NULL));
    assert_bad(dnnl_ze_interop_engine_create(&engine, (ze_driver_handle_t)junk, ze_device, context));
    assert_bad(dnnl_ze_interop_engine_create(&engine, ze_driver, (ze_device_handle_t)junk, context));
    assert_ptr_equal(engine, untouched);

    ze_context_handle_t got = (ze_context_handle_t)junk;
    assert_ok(dnnl_engine_create(&cpu, dnnl_cpu, 0));
    assert_bad(dnnl_ze_interop_engine_get_context(cpu, &got));
    assert_bad(dnnl_ze_interop_engine_get_context(NULL, &got));
    assert_bad(dnnl_ze_interop_engine_get_device(cpu, (ze_device_handle_t *)&got));
    assert_bad(dnnl_ze_interop_engine_get_driver(cpu, (ze_driver_handle_t *)&got));
    assert_ptr_equal(got, junk);
    assert_ok(dnnl_engine_destroy(cpu));
    ze_ok(ze.zeContextDestroy(context));
}

/* Handles of two drivers cannot be mixed. */
static void test_two_drivers(void **state) {
    (void)state;
    ze_driver_handle_t drivers[2];
    ze_device_handle_t devices[2];
    ze_context_handle_t contexts[2];
    const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    uint32_t count = 2, one = 1;
    ze_ok(ze.zeDriverGet(&count, drivers));
    if (count < 2) {
        print_message("SKIP: there is only one driver\n");
        skip();
    }
    for (int i = 0; i < 2; i++) {
        ze_ok(ze.zeDeviceGet(drivers[i], &one, &devices[i]));
        ze_ok(ze.zeContextCreate(drivers[i], &desc, &contexts[i]));
    }
    dnnl_engine_t untouched = (dnnl_engine_t)&count, engine = untouched;
    for (int mix = 1; mix < 7; mix++) /* all mixes except the two of one driver */
        assert_bad(dnnl_ze_interop_engine_create(&engine, drivers[mix & 1], devices[mix >> 1 & 1],
                                                 contexts[mix >> 2 & 1]));
    assert_ptr_equal(engine, untouched);
    for (int i = 0; i < 2; i++) {
        assert_ok(dnnl_ze_interop_engine_create(&engine, drivers[i], devices[i], contexts[i]));
        assert_ok(dnnl_engine_destroy(engine));
        ze_ok(ze.zeContextDestroy(contexts[i]));
    }
}

static void test_cache_blobs(void **state) {
    (void)state;
    struct world w = make_world();
    dnnl_primitive_t linear = make_linear(&w, 1, 1);
    dnnl_engine_t untouched = (dnnl_engine_t)&w, engine = untouched;
    size_t id_size = 0, size = 0, wrong;
    int junk[64] = {0};
    assert_ok(dnnl_ze_interop_engine_get_cache_blob_id(ze_driver, ze_device, &id_size, NULL));
    assert_ok(dnnl_ze_interop_engine_get_cache_blob(w.engine, &size, NULL));
    assert_true(id_size > 0 && size > 0);
    uint8_t *id = calloc(1, id_size), *blob = calloc(1, size);
    assert_ok(dnnl_ze_interop_engine_get_cache_blob_id(ze_driver, ze_device, &id_size, id));
    assert_ok(dnnl_ze_interop_engine_get_cache_blob(w.engine, &size, blob));
    wrong = size - 1;
    assert_bad(dnnl_ze_interop_engine_get_cache_blob(w.engine, &wrong, blob));
    assert_bad(dnnl_ze_interop_engine_get_cache_blob_id(NULL, ze_device, &id_size, NULL));
    assert_bad(dnnl_ze_interop_engine_get_cache_blob_id(ze_driver, NULL, &id_size, NULL));
    assert_bad(dnnl_ze_interop_engine_get_cache_blob_id(ze_driver, ze_device, NULL, NULL));
    assert_bad(dnnl_ze_interop_engine_get_cache_blob_id(ze_driver, (ze_device_handle_t)junk, &id_size, NULL));
    assert_bad(dnnl_ze_interop_engine_get_cache_blob(NULL, &size, NULL));
    assert_bad(dnnl_ze_interop_engine_get_cache_blob(w.engine, NULL, blob));

    assert_bad(
            dnnl_ze_interop_engine_create_from_cache_blob(&engine, ze_driver, ze_device, w.context, 0, blob));
    assert_bad(dnnl_ze_interop_engine_create_from_cache_blob(&engine, ze_driver, ze_device, w.context, size,
                                                             NULL));
    assert_bad(
            dnnl_ze_interop_engine_create_from_cache_blob(&engine, ze_driver, ze_device, NULL, size, blob));
    assert_bad(dnnl_ze_interop_engine_create_from_cache_blob(&engine, ze_driver, ze_device, w.context,
                                                             size - 1, blob));
    blob[0] ^= 1;
    assert_bad(dnnl_ze_interop_engine_create_from_cache_blob(&engine, ze_driver, ze_device, w.context, size,
                                                             blob));
    assert_ptr_equal(engine, untouched);
    blob[0] ^= 1;
    assert_ok(dnnl_ze_interop_engine_create_from_cache_blob(&engine, ze_driver, ze_device, w.context, size,
                                                            blob));
    assert_ok(dnnl_engine_destroy(engine));
    free(id);
    free(blob);
    dnnl_primitive_destroy(linear);
    free_world(&w);
}

/* -- memory -- */

static void test_memory_kinds(void **state) {
    (void)state;
    static const ze_memory_type_t types[] = {ZE_MEMORY_TYPE_DEVICE, ZE_MEMORY_TYPE_HOST,
                                             ZE_MEMORY_TYPE_SHARED};
    struct world w = make_world();
    dnnl_stream_t stream;
    assert_ok(dnnl_stream_create(&stream, w.engine, dnnl_stream_default_flags));
    dnnl_primitive_t linear = make_linear(&w, 2, 1);
    for (int t = 0; t < COUNT(types); t++) {
        void *pointer = ze_alloc(w.context, types[t], 2 * N * sizeof(float)), *got = NULL;
        dnnl_memory_t src = make_vector(&w, pointer), dst = make_vector(&w, (float *)pointer + N);
        assert_ok(dnnl_ze_interop_memory_get_mem_object(src, &got));
        assert_ptr_equal(got, pointer);
        assert_ok(dnnl_memory_get_data_handle(dst, &got));
        assert_ptr_equal(got, (float *)pointer + N);
        fill(src, 3);
        assert_ok(run(linear, stream, src, dst, 0, NULL, NULL));
        assert_ok(dnnl_stream_wait(stream));
        expect_linear(dst, 3, 2, 1);
        dnnl_memory_destroy(src);
        dnnl_memory_destroy(dst);
        ze_ok(ze.zeMemFree(w.context, pointer)); /* still the user's */
    }
    dnnl_primitive_destroy(linear);
    dnnl_stream_destroy(stream);
    free_world(&w);
}

static void test_memory_handles(void **state) {
    (void)state;
    struct world w = make_world();
    void *pointer = ze_alloc(w.context, ZE_MEMORY_TYPE_SHARED, N * sizeof(float)), *got = &got;
    dnnl_memory_t none = make_vector(&w, DNNL_MEMORY_NONE), own = make_vector(&w, DNNL_MEMORY_ALLOCATE);
    assert_ok(dnnl_ze_interop_memory_get_mem_object(none, &got));
    assert_null(got);
    assert_ok(dnnl_ze_interop_memory_get_mem_object(own, &got));
    assert_non_null(got);
    assert_ok(dnnl_ze_interop_memory_set_mem_object(none, pointer));
    assert_ok(dnnl_ze_interop_memory_get_mem_object(none, &got));
    assert_ptr_equal(got, pointer);
    assert_ok(dnnl_memory_set_data_handle(own, pointer)); /* frees its own allocation */
    fill(own, 7);
    expect_linear(none, 7, 1, 0);

    /* A pointer into an allocation is valid if enough bytes follow. */
    assert_bad(dnnl_ze_interop_memory_set_mem_object(none, (char *)pointer + 4096 - sizeof(float)));
    assert_ok(dnnl_ze_interop_memory_get_mem_object(none, &got));
    assert_ptr_equal(got, pointer);

    dnnl_memory_destroy(none);
    dnnl_memory_destroy(own);
    ze_ok(ze.zeMemFree(w.context, pointer));
    free_world(&w);
}

static void test_memory_bad_input(void **state) {
    (void)state;
    struct world w = make_world();
    int junk = 0;
    dnnl_memory_t untouched = (dnnl_memory_t)&junk, memory = untouched;
    void *handle = DNNL_MEMORY_ALLOCATE, *handles[64] = {NULL};
    dnnl_engine_t cpu;
    dnnl_memory_desc_t any, open;
    assert_ok(dnnl_engine_create(&cpu, dnnl_cpu, 0));
    assert_ok(dnnl_memory_desc_create_with_tag(&any, 1, (dnnl_dims_t){N}, dnnl_f32, dnnl_format_tag_any));
    assert_ok(dnnl_memory_desc_create_with_tag(&open, 1, (dnnl_dims_t){DNNL_RUNTIME_DIM_VAL}, dnnl_f32,
                                               dnnl_a));
    assert_bad(dnnl_ze_interop_memory_create(NULL, w.vector, w.engine, 1, &handle));
    assert_bad(dnnl_ze_interop_memory_create(&memory, NULL, w.engine, 1, &handle));
    assert_bad(dnnl_ze_interop_memory_create(&memory, w.vector, NULL, 1, &handle));
    assert_bad(dnnl_ze_interop_memory_create(&memory, w.vector, cpu, 1, &handle));
    assert_bad(dnnl_ze_interop_memory_create(&memory, w.vector, w.engine, 0, &handle));
    assert_bad(dnnl_ze_interop_memory_create(&memory, w.vector, w.engine, -1, &handle));
    assert_bad(dnnl_ze_interop_memory_create(&memory, w.vector, w.engine, 64, handles));
    assert_bad(dnnl_ze_interop_memory_create(&memory, w.vector, w.engine, 1, NULL));
    assert_bad(dnnl_ze_interop_memory_create(&memory, any, w.engine, 1, &handle));
    assert_bad(dnnl_ze_interop_memory_create(&memory, open, w.engine, 1, &handle));
    assert_ptr_equal(memory, untouched);

    void *got = &junk;
    assert_ok(dnnl_memory_create(&memory, w.vector, cpu, DNNL_MEMORY_NONE));
    assert_bad(dnnl_ze_interop_memory_get_mem_object(memory, &got));
    assert_bad(dnnl_ze_interop_memory_get_mem_object(NULL, &got));
    assert_bad(dnnl_ze_interop_memory_set_mem_object(memory, NULL));
    assert_bad(dnnl_ze_interop_memory_set_mem_object(NULL, NULL));
    assert_ptr_equal(got, &junk);
    dnnl_memory_destroy(memory);
    dnnl_memory_desc_destroy(any);
    dnnl_memory_desc_destroy(open);
    assert_ok(dnnl_engine_destroy(cpu));
    free_world(&w);
}

/* System memory, where the device can access any pointer; refused elsewhere. */
static void test_system_memory(void **state) {
    (void)state;
    struct world w = make_world();
    float *system = malloc(N * sizeof *system);
    void *handle = system;
    ze_device_memory_access_properties_t access = {.stype =
                                                           ZE_STRUCTURE_TYPE_DEVICE_MEMORY_ACCESS_PROPERTIES};
    dnnl_memory_t untouched = (dnnl_memory_t)&w, memory = untouched;
    ze_ok(ze.zeDeviceGetMemoryAccessProperties(ze_device, &access));
    if (access.sharedSystemAllocCapabilities & ZE_MEMORY_ACCESS_CAP_FLAG_RW) {
        dnnl_stream_t stream;
        dnnl_primitive_t linear = make_linear(&w, 2, 1);
        assert_ok(dnnl_ze_interop_memory_create(&memory, w.vector, w.engine, 1, &handle));
        assert_ok(dnnl_stream_create(&stream, w.engine, dnnl_stream_default_flags));
        fill(memory, 4);
        assert_ok(run(linear, stream, memory, memory, 0, NULL, NULL));
        assert_ok(dnnl_stream_wait(stream));
        assert_true(system[1] == 2 * 5 + 1);
        dnnl_primitive_destroy(linear);
        dnnl_stream_destroy(stream);
        dnnl_memory_destroy(memory);
    } else {
        assert_bad(dnnl_ze_interop_memory_create(&memory, w.vector, w.engine, 1, &handle));
        assert_ptr_equal(memory, untouched);
    }
    free(system);
    free_world(&w);
}

/* The CPU engine and Level Zero take turns on one allocation. */
static void share_with_cpu(ze_memory_type_t type) {
    struct world w = make_world(), c = w;
    dnnl_stream_t stream, host;
    assert_ok(dnnl_engine_create(&c.engine, dnnl_cpu, 0));
    assert_ok(dnnl_stream_create(&stream, w.engine, dnnl_stream_default_flags));
    assert_ok(dnnl_stream_create(&host, c.engine, dnnl_stream_default_flags));
    void *pointer = ze_alloc(w.context, type, N * sizeof(float));
    dnnl_memory_t here = make_vector(&w, pointer), there;
    assert_ok(dnnl_memory_create(&there, w.vector, c.engine, pointer));
    dnnl_primitive_t twice = make_linear(&w, 2, 0), more = make_linear(&c, 1, 1);
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, there}, {DNNL_ARG_DST, there}};
    fill(here, 0);
    for (int i = 0; i < 3; i++) { /* ((x*2+1)*2+1)*2+1 = 8x+7 */
        assert_ok(run(twice, stream, here, here, 0, NULL, NULL));
        assert_ok(dnnl_stream_wait(stream));
        assert_ok(dnnl_primitive_execute(more, host, 2, args));
        assert_ok(dnnl_stream_wait(host));
    }
    expect_linear(here, 0, 8, 7);
    dnnl_primitive_destroy(twice);
    dnnl_primitive_destroy(more);
    dnnl_memory_destroy(here);
    dnnl_memory_destroy(there);
    dnnl_stream_destroy(stream);
    dnnl_stream_destroy(host);
    assert_ok(dnnl_engine_destroy(c.engine));
    ze_ok(ze.zeMemFree(w.context, pointer));
    free_world(&w);
}

static void test_memory_shared_with_cpu(void **state) {
    (void)state;
    share_with_cpu(ZE_MEMORY_TYPE_SHARED);
    share_with_cpu(ZE_MEMORY_TYPE_HOST);
}

/* -- streams and execution -- */

static void test_stream_bad_input(void **state) {
    (void)state;
    struct world w = make_world(), other = make_world();
    int junk = 0;
    dnnl_stream_t untouched = (dnnl_stream_t)&junk, stream = untouched;
    ze_command_list_handle_t list = ze_make_immediate(w.context, 0, false);
    ze_command_list_handle_t foreign = ze_make_immediate(other.context, 0, false);
    ze_command_list_handle_t closed = ze_make_regular(w.context, NULL), got = (ze_command_list_handle_t)&junk;
    dnnl_engine_t cpu;
    dnnl_stream_t host;
    ze_ok(ze.zeCommandListClose(closed));
    assert_ok(dnnl_engine_create(&cpu, dnnl_cpu, 0));
    assert_ok(dnnl_stream_create(&host, cpu, dnnl_stream_default_flags));
    assert_bad(dnnl_ze_interop_stream_create(NULL, w.engine, list, 0));
    assert_bad(dnnl_ze_interop_stream_create(&stream, NULL, list, 0));
    assert_bad(dnnl_ze_interop_stream_create(&stream, w.engine, NULL, 0));
    assert_bad(dnnl_ze_interop_stream_create(&stream, cpu, list, 0));
    assert_bad(dnnl_ze_interop_stream_create(&stream, w.engine, foreign, 0));
    assert_bad(dnnl_ze_interop_stream_create(&stream, w.engine, closed, 0));
    assert_bad(dnnl_stream_create(&stream, w.engine, dnnl_stream_in_order | dnnl_stream_out_of_order));
    assert_ptr_equal(stream, untouched);
    assert_bad(dnnl_ze_interop_stream_get_list(host, &got));
    assert_bad(dnnl_ze_interop_stream_get_list(NULL, &got));
    assert_ptr_equal(got, &junk);
    dnnl_stream_destroy(host);
    assert_ok(dnnl_engine_destroy(cpu));
    ze_ok(ze.zeCommandListDestroy(list));
    ze_ok(ze.zeCommandListDestroy(foreign));
    ze_ok(ze.zeCommandListDestroy(closed));
    free_world(&other);
    free_world(&w);
}

static void test_execute_bad_input(void **state) {
    (void)state;
    struct world w = make_world(), other = make_world();
    struct user_events theirs = make_events(&other);
    int junk = 0;
    dnnl_stream_t stream, strange;
    assert_ok(dnnl_stream_create(&stream, w.engine, dnnl_stream_default_flags));
    assert_ok(dnnl_stream_create(&strange, other.engine, dnnl_stream_default_flags));
    dnnl_primitive_t linear = make_linear(&w, 1, 1);
    dnnl_memory_t memory = make_vector(&w, DNNL_MEMORY_ALLOCATE),
                  alien = make_vector(&other, DNNL_MEMORY_ALLOCATE);
    dnnl_memory_t none = make_vector(&w, DNNL_MEMORY_NONE);
    ze_event_handle_t untouched = (ze_event_handle_t)&junk, event = untouched, null = NULL;
    fill(memory, 0);
    assert_bad(run(NULL, stream, memory, memory, 0, NULL, &event));
    assert_bad(run(linear, NULL, memory, memory, 0, NULL, &event));
    assert_bad(run(linear, strange, memory, memory, 0, NULL, &event));
    assert_bad(run(linear, stream, memory, memory, 1, NULL, &event));
    assert_bad(run(linear, stream, memory, memory, -1, &null, &event));
    assert_bad(run(linear, stream, memory, memory, 1, &null, &event));
    assert_bad(run(linear, stream, memory, alien, 0, NULL, &event));
    assert_bad(run(linear, stream, none, memory, 0, NULL, &event));
    assert_bad(dnnl_ze_interop_primitive_execute(linear, stream, 2, NULL, 0, NULL, &event));
    assert_bad(dnnl_ze_interop_primitive_execute(linear, stream, -1, NULL, 0, NULL, &event));
    assert_bad(dnnl_ze_interop_primitive_execute(linear, stream, 0, NULL, 0, NULL, &event));
    assert_ptr_equal(event, untouched);
    assert_ok(dnnl_stream_wait(stream));
    expect_linear(memory, 0, 1, 0);
    assert_ok(run(linear, stream, memory, memory, 0, NULL, &event)); /* errors left no damage */
    ze_ok(ze.zeEventHostSynchronize(event, UINT64_MAX));
    expect_linear(memory, 0, 1, 1);
    ze_ok(ze.zeEventHostSignal(theirs.events[0])); /* the driver decides; ours takes events of any context */
    assert_ok(run(linear, stream, memory, memory, 1, &theirs.events[0], &event));
    ze_ok(ze.zeEventHostSynchronize(event, UINT64_MAX));
    expect_linear(memory, 0, 1, 2);
    dnnl_primitive_destroy(linear);
    dnnl_memory_destroy(memory);
    dnnl_memory_destroy(alien);
    dnnl_memory_destroy(none);
    dnnl_stream_destroy(stream);
    dnnl_stream_destroy(strange);
    free_events(&theirs);
    free_world(&other);
    free_world(&w);
}
int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_engine_handles),   cmocka_unit_test(test_plain_engine_has_handles),
            cmocka_unit_test(test_engine_bad_input), cmocka_unit_test(test_two_drivers),
            cmocka_unit_test(test_cache_blobs),      cmocka_unit_test(test_memory_kinds),
            cmocka_unit_test(test_memory_handles),   cmocka_unit_test(test_memory_bad_input),
            cmocka_unit_test(test_system_memory),    cmocka_unit_test(test_memory_shared_with_cpu),
            cmocka_unit_test(test_stream_bad_input), cmocka_unit_test(test_execute_bad_input),
    };
    setenv("ONEDNN_GPU_RUNTIME", "ZE", 1);
    if (!ze_open()) {
        puts("SKIP: no Level Zero device");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
