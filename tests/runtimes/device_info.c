/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What runtimes say of their devices: nothing that cannot be, and the class that LODE_TEST_DEVICE_CLASS asks
 * for. All engines of one runtime, which the environment names; the CPU engine too.
 */
#include "core/objects.h"
#include "runtimes/runtime.h"
#include "test.h"

#include <stdio.h>

static void print(const struct device_info *info) {
    printf("%s %s: class %d, forms %#x, features %#x, vectors of %d, %d units, groups of %zu, local %zu, "
           "caches %zu %zu %zu\n",
           info->backend ? info->backend : "null", info->name, (int)info->class, info->forms, info->features,
           info->vector_bytes, info->compute_units, info->largest_group, info->local_bytes,
           info->cache_bytes[0], info->cache_bytes[1], info->cache_bytes[2]);
}

static void check(const struct device_info *info) {
    const char *wanted = getenv("LODE_TEST_DEVICE_CLASS"), *why;
    if (wanted && strcmp(wanted, "GPU") == 0) assert_int_equal(info->class, DEVICE_GPU);
    assert_true(info->forms != 0);
    assert_in_range(info->compute_units, 1, 1 << 20);
    assert_in_range(info->largest_group, 64, 1 << 20);
    if (info->class == DEVICE_CPU) assert_in_range(info->vector_bytes, 16, 64);
    assert_int_equal((info->features & HAS_LOCAL_MEMORY) != 0, info->local_bytes > 0);
    if (info->features & SUB_GROUP_SIZES) assert_true(info->features & HAS_SUB_GROUPS);
    assert_true(kernel_runs_on(&kernel_eltwise_universal, info, &why));
    assert_int_equal(kernel_runs_on(&kernel_rows, info, &why), info->class == DEVICE_CPU);
    assert_int_equal(kernel_runs_on(&kernel_softmax_groups, info, &why),
                     info->class == DEVICE_GPU && info->features & HAS_LOCAL_MEMORY);
}

static int check_engines(dnnl_engine_kind_t kind) {
    int count = (int)dnnl_engine_get_count(kind);
    for (int i = 0; i < count; i++) {
        dnnl_engine_t engine;
        assert_ok(dnnl_engine_create(&engine, kind, (size_t)i));
        print(&engine->device->info);
        check(&engine->device->info);
        dnnl_engine_destroy(engine);
    }
    return count;
}

static void cpu_engines(void **state) {
    (void)state;
    assert_int_equal(check_engines(dnnl_cpu), 1);
}

static void gpu_engines(void **state) {
    (void)state;
    if (check_engines(dnnl_gpu) > 0) return;
    printf("SKIP: no device of this runtime\n");
    skip();
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(cpu_engines), cmocka_unit_test(gpu_engines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
