/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a program gets that asks for a GPU without setting any variable: Level Zero, on the embedded driver if
 * there is no other. With "refused", when LODE_CPU_DRIVER=0 forbids it: no device, and an error status.
 */
#define _DEFAULT_SOURCE
#include "test.h"

#include "oneapi/dnnl/dnnl_ze.h"

#include <stdbool.h>
#include <stdio.h>

static bool refused;

static void test_devices(void **state) {
    (void)state;
    size_t count = dnnl_engine_get_count(dnnl_gpu);
    int junk = 0;
    dnnl_engine_t untouched = (dnnl_engine_t)&junk, engine = untouched;
    if (refused && count > 0) {
        print_message("SKIP: the loader finds a device\n");
        skip();
    }
    assert_true(refused == (count == 0));
    assert_true(dnnl_engine_create(&engine, dnnl_gpu, count) != dnnl_success);
    assert_ptr_equal(engine, untouched);
    for (size_t i = 0; i < count; i++) {
        ze_device_handle_t device = NULL;
        assert_ok(dnnl_engine_create(&engine, dnnl_gpu, i));
        assert_ok(dnnl_ze_interop_engine_get_device(engine, &device));
        assert_non_null(device);
        assert_ok(dnnl_engine_destroy(engine));
    }
}

/* Invalid handles are refused, whether a Level Zero library is present or not. */
static void test_foreign_handles(void **state) {
    (void)state;
    char junk[64] = {0};
    dnnl_engine_t untouched = (dnnl_engine_t)junk, engine = untouched;
    size_t size = 77;
    assert_int_equal(dnnl_ze_interop_engine_create(&engine, (ze_driver_handle_t)junk,
                                                   (ze_device_handle_t)junk, (ze_context_handle_t)junk),
                     dnnl_invalid_arguments);
    assert_int_equal(dnnl_ze_interop_engine_get_cache_blob_id((ze_driver_handle_t)junk,
                                                              (ze_device_handle_t)junk, &size, NULL),
                     dnnl_invalid_arguments);
    assert_ptr_equal(engine, untouched);
    assert_int_equal(size, 77);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_devices),
                                       cmocka_unit_test(test_foreign_handles)};
    refused = argc > 1 && strcmp(argv[1], "refused") == 0;
    unsetenv("ONEDNN_GPU_RUNTIME");
    if (DNNL_GPU_RUNTIME != DNNL_RUNTIME_ZE) {
        puts("SKIP: the build has another GPU runtime by default");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
