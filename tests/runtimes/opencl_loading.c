/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loading libOpenCL: without it, without platforms, and with a stub that has devices of every kind. The
 * program's argument selects one of these.
 */
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#include "runtimes/opencl_stub.h"

#include "oneapi/dnnl/dnnl_ocl.h"
#include "test.h"

#include <stdio.h>
#include <unistd.h>

#define UNTOUCHED ((void *)(uintptr_t)0x5a5a)

/* Returns what a call prints: verbose lines go to stdout. */
static const char *output_of(void (*call)(void)) {
    static char text[8192];
    FILE *file = tmpfile();
    assert_non_null(file);
    fflush(stdout);
    int before = dup(STDOUT_FILENO);
    dup2(fileno(file), STDOUT_FILENO);
    call();
    fflush(stdout);
    dup2(before, STDOUT_FILENO);
    close(before);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    return text;
}

static void query_engines(void) {
    dnnl_engine_t engine = UNTOUCHED;
    assert_int_equal(dnnl_engine_get_count(dnnl_gpu), 0);
    assert_int_not_equal(dnnl_engine_create(&engine, dnnl_gpu, 0), dnnl_success);
    assert_ptr_equal(engine, UNTOUCHED);
}

/* Nothing is opened before it is needed, and interop functions return an error status. */
static void absent(void **state) {
    (void)state;
    dnnl_engine_t engine = UNTOUCHED, cpu = test_engine();
    size_t size;
    assert_ok(dnnl_engine_destroy(cpu));
    assert_non_null(strstr(output_of(query_engines), "libOpenCL.so.1 cannot be opened"));
    assert_int_equal(dnnl_ocl_interop_engine_create(&engine, STUB_DEVICE(1), STUB_CONTEXT(1)),
                     dnnl_runtime_error);
    assert_ptr_equal(engine, UNTOUCHED);
    assert_int_equal(dnnl_ocl_interop_engine_get_cache_blob_id(STUB_DEVICE(1), &size, NULL),
                     dnnl_runtime_error);
}

static void empty(void **state) {
    (void)state;
    assert_non_null(strstr(output_of(query_engines), "no OpenCL platform"));
}

/* GPUs first, then accelerators, then CPUs; only devices with a compiler. */
static void order_of_devices(void **state) {
    (void)state;
    static const int order[] = {GPU, ACCELERATOR, FIRST_CPU, SECOND_CPU};
    assert_int_equal(dnnl_engine_get_count(dnnl_gpu), 4);
    for (size_t i = 0; i < 4; i++) {
        dnnl_engine_t engine;
        cl_device_id device;
        assert_ok(dnnl_engine_create(&engine, dnnl_gpu, i));
        assert_ok(dnnl_ocl_interop_get_device(engine, &device));
        assert_int_equal(STUB_NUMBER(device), order[i]);
        assert_ok(dnnl_engine_destroy(engine));
    }
}

static void make_engine_without_compiler(void) {
    dnnl_engine_t engine = UNTOUCHED;
    assert_int_equal(dnnl_ocl_interop_engine_create(&engine, STUB_DEVICE(GPU_WITHOUT_COMPILER),
                                                    STUB_CONTEXT(GPU_WITHOUT_COMPILER)),
                     dnnl_unimplemented);
    assert_ptr_equal(engine, UNTOUCHED);
}

static void no_compiler(void **state) {
    (void)state;
    assert_non_null(strstr(output_of(make_engine_without_compiler), "has no compiler"));
}

static void record_without_extension(void) {
    dnnl_engine_t engine;
    dnnl_stream_t stream = UNTOUCHED;
    assert_ok(dnnl_ocl_interop_engine_create(&engine, STUB_DEVICE(GPU), STUB_CONTEXT(GPU)));
    assert_int_equal(dnnl_ocl_interop_stream_create_recording(&stream, engine, STUB_QUEUE(GPU), UNTOUCHED),
                     dnnl_unimplemented);
    assert_ptr_equal(stream, UNTOUCHED);
    assert_ok(dnnl_engine_destroy(engine));
}

static void no_command_buffers(void **state) {
    (void)state;
    assert_non_null(strstr(output_of(record_without_extension), "no cl_khr_command_buffer"));
}

static void unknown_handles(void **state) {
    (void)state;
    dnnl_engine_t engine = UNTOUCHED;
    dnnl_stream_t stream = UNTOUCHED;
    assert_int_equal(dnnl_ocl_interop_engine_create(&engine, STUB_DEVICE(GPU), STUB_CONTEXT(FIRST_CPU)),
                     dnnl_invalid_arguments);
    assert_ptr_equal(engine, UNTOUCHED);
    assert_ok(dnnl_ocl_interop_engine_create(&engine, STUB_DEVICE(GPU), STUB_CONTEXT(GPU)));
    assert_int_equal(dnnl_ocl_interop_stream_create(&stream, engine, STUB_QUEUE(ACCELERATOR)),
                     dnnl_invalid_arguments);
    assert_ptr_equal(stream, UNTOUCHED);
    assert_ok(dnnl_ocl_interop_stream_create(&stream, engine, STUB_QUEUE(GPU)));
    assert_ok(dnnl_stream_destroy(stream));
    assert_ok(dnnl_engine_destroy(engine));
}

int main(int argc, char **argv) {
    const struct CMUnitTest without[] = {cmocka_unit_test(absent)};
    const struct CMUnitTest without_platforms[] = {cmocka_unit_test(empty)};
    const struct CMUnitTest with_devices[] = {
            cmocka_unit_test(order_of_devices), cmocka_unit_test(no_compiler),
            cmocka_unit_test(no_command_buffers), cmocka_unit_test(unknown_handles)};
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "absent") == 0) return cmocka_run_group_tests(without, NULL, NULL);
    if (strcmp(what, "empty") == 0) return cmocka_run_group_tests(without_platforms, NULL, NULL);
    return cmocka_run_group_tests(with_devices, NULL, NULL);
}
