/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process that uses the CPU engine and the Level Zero driver for the CPU has one thread pool: the driver
 * runs on the library's. The environment sets OMP_NUM_THREADS to THREADS and names the driver.
 */
#define _DEFAULT_SOURCE
#include "test.h"

#include <dirent.h>
#include <stdlib.h>

enum { THREADS = 4, COUNT = 1 << 20 };

static int threads_of_process(void) {
    DIR *folder = opendir("/proc/self/task");
    assert_non_null(folder);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(folder));)
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

/* Large enough that every thread of a pool is wanted. */
static void run_relu(dnnl_engine_kind_t kind) {
    dnnl_engine_t engine;
    assert_ok(dnnl_engine_create(&engine, kind, 0));
    dnnl_stream_t stream = test_stream(engine);
    dnnl_memory_desc_t md = test_desc(1, (dnnl_dims_t){COUNT}, dnnl_a);
    dnnl_memory_t memory = test_memory(md, engine, DNNL_MEMORY_ALLOCATE);
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t relu;
    assert_ok(dnnl_eltwise_forward_primitive_desc_create(&pd, engine, dnnl_forward_inference,
                                                         dnnl_eltwise_relu, md, md, 0, 0, NULL));
    assert_ok(dnnl_primitive_create(&relu, pd));
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, memory}, {DNNL_ARG_DST, memory}};
    assert_ok(dnnl_primitive_execute(relu, stream, 2, args));
    assert_ok(dnnl_stream_wait(stream));
    assert_ok(dnnl_primitive_destroy(relu));
    assert_ok(dnnl_primitive_desc_destroy(pd));
    assert_ok(dnnl_memory_destroy(memory));
    assert_ok(dnnl_memory_desc_destroy(md));
    assert_ok(dnnl_stream_destroy(stream));
    assert_ok(dnnl_engine_destroy(engine));
}

/* The driver may add threads that run command lists, but not a pool of its own. */
static void test_threads(void **state) {
    (void)state;
    int before = threads_of_process();
    run_relu(dnnl_cpu);
    int with_cpu = threads_of_process();
    run_relu(dnnl_gpu);
    int with_both = threads_of_process();
    print_message("threads: %d, with the CPU engine %d, with the driver too %d\n", before, with_cpu,
                  with_both);
    assert_int_equal(with_cpu - before, THREADS - 1);
    assert_true(with_both - with_cpu < THREADS - 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_threads)};
    setenv("ONEDNN_GPU_RUNTIME", "ZE", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
