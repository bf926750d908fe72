/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Modules made by lodecc: kernels/lodecc.cl behaves as OpenCL C specifies.
 */
#include "ze_test.h"

#include <math.h>

static ze_module_handle_t module;
static ze_command_list_handle_t list;

static int load_module(void **state) {
    FILE *file = fopen(TEST_LODECC_MODULE, "rb");
    if (!file) {
        printf("SKIP: lodecc found no clang to build %s\n", TEST_LODECC_MODULE);
        exit(77);
    }
    static uint8_t bytes[1 << 20];
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    if (set_up(state)) return -1;
    const ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                                   .format = ZE_MODULE_FORMAT_NATIVE,
                                   .inputSize = size,
                                   .pInputModule = bytes};
    ze_module_build_log_handle_t log = NULL;
    ze_result_t result = zeModuleCreate(context, device, &desc, &module, &log);
    char text[1000] = "";
    size_t length = sizeof text;
    zeModuleBuildLogGetString(log, &length, text);
    if (result) printf("%s\n", text);
    zeModuleBuildLogDestroy(log);
    list = make_immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    return result;
}

static int unload_module(void **state) {
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeModuleDestroy(module));
    return tear_down(state);
}

struct value {
    size_t size;
    const void *bytes;
};
#define VALUE(x) {sizeof(x), &(x)}

static void launch(const char *name, uint32_t groups, uint32_t size, int count, const struct value *values) {
    ze_kernel_handle_t kernel = make_kernel(module, name);
    for (int i = 0; i < count; i++)
        assert_ok(zeKernelSetArgumentValue(kernel, (uint32_t)i, values[i].size, values[i].bytes));
    assert_ok(zeKernelSetGroupSize(kernel, size, 1, 1));
    const ze_group_count_t count_of_groups = {groups, 1, 1};
    assert_ok(zeCommandListAppendLaunchKernel(list, kernel, &count_of_groups, NULL, 0, NULL));
    assert_ok(zeKernelDestroy(kernel));
}

static void buffers_add(void **state) {
    (void)state;
    enum { N = 1000 };
    float *a = allocate_shared(N * 4), *b = allocate_shared(N * 4), *dst = allocate_shared(1024 * 4);
    uint32_t n = N;
    for (int i = 0; i < N; i++) {
        a[i] = (float)i;
        b[i] = 0.5f;
    }
    launch("add", 16, 64, 4, (struct value[]){VALUE(a), VALUE(b), VALUE(dst), VALUE(n)});
    for (int i = 0; i < 1024; i++)
        assert_true(dst[i] == (i < N ? (float)i + 0.5f : 0));
    zeMemFree(context, a);
    zeMemFree(context, b);
    zeMemFree(context, dst);
}

static void structures_and_vectors_pass_by_value(void **state) {
    (void)state;
    enum { N = 64 };
    struct {
        int32_t factor;
        _Alignas(16) float shift[4];
    } params = {3, {1, 2, 3, 4}};
    static const float weights[4] = {0.5f, 1, 2, 4};
    _Alignas(16) float v[4] = {10, 20, 30, 40}, *src = allocate_shared(N * 16),
                       *dst = allocate_shared(N * 16);
    for (int i = 0; i < N * 4; i++)
        src[i] = (float)(i % 13);
    int *number = NULL;
    size_t size = 0;
    assert_ok(zeModuleGetGlobalPointer(module, "module_number", &size, (void **)&number));
    assert_int_equal(size, 4);
    assert_int_equal(*number, 7);
    launch("vectors", 4, 16, 4, (struct value[]){VALUE(src), VALUE(dst), VALUE(params), VALUE(v)});
    for (int i = 0; i < N; i++) {
        float x[4], sum = 0;
        for (int j = 0; j < 4; j++) {
            x[j] = src[i * 4 + j] * 3 + params.shift[3 - j] + v[j] * weights[i & 3] + 7;
            sum += x[j] * x[j];
        }
        assert_true(dst[i * 4] == x[0] && dst[i * 4 + 1] == x[1]);
        assert_true(fabsf(dst[i * 4 + 2] - sum) <= 1e-5f * sum);
        assert_true(fabsf(dst[i * 4 + 3] - sqrtf(sum - x[3] * x[3])) < 1e-2f);
    }
    zeMemFree(context, src);
    zeMemFree(context, dst);
}

static void assert_near(float found, float expected) {
    if (fabsf(found - expected) > 1e-5f * fabsf(expected) + 1e-6f)
        fail_msg("%g instead of %g", found, expected);
}

static void functions_are_correct(void **state) {
    (void)state;
    enum { N = 8 };
    float *src = allocate_shared((N + 1) * 4), *dst = allocate_shared(N * 32);
    for (int i = 0; i <= N; i++)
        src[i] = (float)i - 2.25f;
    launch("functions", 1, N, 2, (struct value[]){VALUE(src), VALUE(dst)});
    for (int i = 0; i < N; i++) {
        float x = src[i], hundred = rintf(x * 100);
        assert_near(dst[i * 8 + 0], sinf(x) + expf(x + 1));
        assert_near(dst[i * 8 + 1], (x < -1 ? -1 : x > 1 ? 1 : x) + 1.5f);
        assert_near(dst[i * 8 + 2], (hundred < 0 ? 0 : hundred > 255 ? 255 : hundred) + floorf(x + 2));
        assert_near(dst[i * 8 + 3], fabsf(x) + fabsf(x + 3));
        assert_near(dst[i * 8 + 4], x + 3); /* the stored vector, reversed */
        assert_near(dst[i * 8 + 5], x + 2);
        assert_near(dst[i * 8 + 6], x + 1);
        assert_near(dst[i * 8 + 7], x + x);
    }
    zeMemFree(context, src);
    zeMemFree(context, dst);
}

static void groups_reduce(void **state) {
    (void)state;
    enum { GROUPS = 50, SIZE = 128 };
    int *src = allocate_shared(GROUPS * SIZE * 4), *dst = allocate_shared(GROUPS * SIZE * 4);
    for (int i = 0; i < GROUPS * SIZE; i++)
        src[i] = i % 31 - 10;
    launch("reduce", GROUPS, SIZE, 3, (struct value[]){VALUE(src), VALUE(dst), {SIZE * 4, NULL}});
    for (int g = 0; g < GROUPS; g++) {
        int sum = 0;
        for (int i = 0; i < SIZE; i++)
            sum += src[g * SIZE + i];
        for (int i = 0; i < SIZE; i++)
            assert_int_equal(dst[g * SIZE + i], sum);
    }
    ze_kernel_handle_t kernel = make_kernel(module, "reduce");
    ze_kernel_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES};
    assert_ok(zeKernelGetProperties(kernel, &properties));
    assert_int_equal(properties.localMemSize, 4);
    assert_ok(zeKernelDestroy(kernel));
    zeMemFree(context, src);
    zeMemFree(context, dst);
}

static void tiles_are_transposed(void **state) {
    (void)state;
    enum { WIDTH = 32, HEIGHT = 24 };
    float *src = allocate_shared(WIDTH * HEIGHT * 4), *dst = allocate_shared(WIDTH * HEIGHT * 4);
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        src[i] = (float)i;
    ze_kernel_handle_t kernel = make_kernel(module, "transpose");
    ze_kernel_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES};
    assert_ok(zeKernelGetProperties(kernel, &properties));
    assert_int_equal(properties.requiredGroupSizeX * 100 + properties.requiredGroupSizeY, 808);
    assert_int_equal(properties.localMemSize, 256);
    assert_ok(zeKernelSetArgumentValue(kernel, 0, 8, &src));
    assert_ok(zeKernelSetArgumentValue(kernel, 1, 8, &dst));
    const ze_group_count_t groups = {WIDTH / 8, HEIGHT / 8, 1};
    assert_ok(zeCommandListAppendLaunchKernel(list, kernel, &groups, NULL, 0, NULL));
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            assert_true(dst[x * HEIGHT + y] == src[y * WIDTH + x]);
    assert_ok(zeKernelDestroy(kernel));
    zeMemFree(context, src);
    zeMemFree(context, dst);
}

static void atomics_count(void **state) {
    (void)state;
    enum { N = 1 << 16 };
    uint8_t *src = allocate_shared(N);
    int *bins = allocate_shared(256 * 4), expected[256] = {0};
    for (int i = 0; i < N; i++)
        expected[src[i] = (uint8_t)((unsigned)i * (unsigned)i >> 5)]++;
    launch("histogram", N / 64, 64, 2, (struct value[]){VALUE(src), VALUE(bins)});
    assert_memory_equal(bins, expected, sizeof expected);
    zeMemFree(context, src);
    zeMemFree(context, bins);
}

static void reported_float_atomics_work(void **state) {
    (void)state;
    enum { GROUPS = 500, SIZE = 16 };
    float *floats = allocate_shared(64), *dst = allocate_shared(GROUPS * 16);
    double *doubles = allocate_shared(64);
    uint16_t *halves = allocate_shared(64);
    launch("float_atomics", GROUPS, SIZE, 4,
           (struct value[]){VALUE(floats), VALUE(doubles), VALUE(halves), VALUE(dst)});
    assert_true(floats[0] == GROUPS * SIZE && floats[1] == 1 - GROUPS * SIZE
                && floats[2] == GROUPS * SIZE - 1);
    assert_true(doubles[0] == GROUPS * SIZE * 0.5);
    assert_true(doubles[1] == 1 - GROUPS * SIZE && doubles[2] == GROUPS * SIZE - 1);
    for (int i = 0; i < GROUPS; i++) {
        assert_true(dst[4 * i] == 2 * SIZE && dst[4 * i + 1] == 1 - SIZE && dst[4 * i + 2] == SIZE - 1);
        assert_true(dst[4 * i + 3] == 3.0f);
    }
    zeMemFree(context, floats);
    zeMemFree(context, doubles);
    zeMemFree(context, halves);
    zeMemFree(context, dst);
}

static void groups_compute_together(void **state) {
    (void)state;
    int *src = allocate_shared(32), *dst = allocate_shared(8 * 16);
    static const int given[8] = {1, 2, 3, 4, 5, -6, 7, 8};
    memcpy(src, given, sizeof given);
    launch("together", 2, 4, 2, (struct value[]){VALUE(src), VALUE(dst)});
    for (int i = 0; i < 8; i++) {
        int first = i / 4 * 4, sum = 0, scan = 0;
        for (int j = first; j < first + 4; j++) {
            sum += given[j];
            if (j <= i) scan += given[j];
        }
        assert_int_equal(dst[i * 4], sum);
        assert_int_equal(dst[i * 4 + 1], scan);
        assert_int_equal(dst[i * 4 + 2], given[first + 2]);
        assert_int_equal(dst[i * 4 + 3], first == 0 ? 2 : 1);
    }
    zeMemFree(context, src);
    zeMemFree(context, dst);
}

static void work_item_functions_are_correct(void **state) {
    (void)state;
    uint32_t *dst = allocate_shared(64);
    ze_kernel_handle_t kernel = make_kernel(module, "where");
    assert_ok(zeKernelSetArgumentValue(kernel, 0, 8, &dst));
    assert_ok(zeKernelSetGroupSize(kernel, 4, 2, 1));
    assert_ok(zeKernelSetGlobalOffsetExp(kernel, 5, 6, 7));
    const ze_group_count_t groups = {3, 5, 2};
    assert_ok(zeCommandListAppendLaunchKernel(list, kernel, &groups, NULL, 0, NULL));
    const uint32_t expected[13] = {3, 12, 10, 2, 3, 5, 2, 5, 6, 7, 5, 6, 7};
    assert_memory_equal(dst, expected, sizeof expected);
    assert_ok(zeKernelDestroy(kernel));
    zeMemFree(context, dst);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(buffers_add),
            cmocka_unit_test(structures_and_vectors_pass_by_value),
            cmocka_unit_test(functions_are_correct),
            cmocka_unit_test(groups_reduce),
            cmocka_unit_test(tiles_are_transposed),
            cmocka_unit_test(atomics_count),
            cmocka_unit_test(reported_float_atomics_work),
            cmocka_unit_test(groups_compute_together),
            cmocka_unit_test(work_item_functions_are_correct),
    };
    return cmocka_run_group_tests(tests, load_module, unload_module);
}
