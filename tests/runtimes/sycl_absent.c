/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program linked with libdnnl and nothing of SYCL, on a machine without libsycl: CPU engines work, SYCL
 * interop functions return dnnl_runtime_error. sycl_absent.cmake sets this up and checks the verbose lines.
 */
#define _GNU_SOURCE
#include "oneapi/dnnl/dnnl_sycl.h"
#include "test.h"

#include <dlfcn.h>
#include <stdio.h>

static void cpu_works(void **state) {
    (void)state;
    float values[4] = {-1, 2, -3, 4}, sizes[4] = {1, 2, 3, 4};
    dnnl_engine_t engine = test_engine();
    dnnl_stream_t stream = test_stream(engine);
    dnnl_memory_desc_t md = test_desc(1, (dnnl_dims_t){4}, dnnl_a);
    dnnl_memory_t memory = test_memory(md, engine, values);
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t primitive;
    assert_ok(dnnl_eltwise_forward_primitive_desc_create(&pd, engine, dnnl_forward_inference,
                                                         dnnl_eltwise_abs, md, md, 0, 0, NULL));
    assert_ok(dnnl_primitive_create(&primitive, pd));
    dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, memory}, {DNNL_ARG_DST, memory}};
    assert_ok(dnnl_primitive_execute(primitive, stream, 2, args));
    assert_ok(dnnl_stream_wait(stream));
    assert_memory_equal(values, sizes, sizeof values);
    dnnl_primitive_destroy(primitive);
    dnnl_primitive_desc_destroy(pd);
    dnnl_memory_destroy(memory);
    dnnl_memory_desc_destroy(md);
    dnnl_stream_destroy(stream);
    dnnl_engine_destroy(engine);
}

/* Every call reports the reason, not only the first. */
static void sycl_reports_why(void **state) {
    (void)state;
    int device = 0, context = 0;
    dnnl_engine_t untouched = (dnnl_engine_t)&device, engine = untouched;
    for (int i = 0; i < 2; i++)
        assert_int_equal(dnnl_sycl_interop_engine_create(&engine, &device, &context), dnnl_runtime_error);
    assert_ptr_equal(engine, untouched);
}

/* ONEDNN_GPU_RUNTIME=SYCL */
static void no_gpu_engines(void **state) {
    (void)state;
    dnnl_engine_t engine;
    assert_int_equal(dnnl_engine_get_count(dnnl_gpu), 0);
    assert_int_not_equal(dnnl_engine_create(&engine, dnnl_gpu, 0), dnnl_success);
}

int main(void) {
    if (dlopen("libsycl.so", RTLD_NOW | RTLD_LOCAL)) {
        printf("SKIP: the dynamic linker finds libsycl here\n");
        return 77;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(cpu_works), cmocka_unit_test(sycl_reports_why),
                                       cmocka_unit_test(no_gpu_engines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
