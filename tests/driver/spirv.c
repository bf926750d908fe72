/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SPIR-V modules: run if an OpenCL runtime accepts them, otherwise refused with a reason.
 */
#include "ze_test.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* Sanitizers also report leaks and races inside the OpenCL runtime. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
__attribute__((visibility("default"))) const char *__tsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
    return "leak:libintelocl.so\nleak:libpocl.so\n";
}
const char *__tsan_default_suppressions(void) {
    return "race:libintelocl.so\nmutex:__run_exit_handlers\n";
}

static ze_command_list_handle_t list;
static bool can_compile;

static uint8_t *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file) {
        printf("SKIP: %s was not built: clang or spirv-as is missing\n", path);
        exit(77);
    }
    uint8_t *bytes = malloc(1 << 20);
    *size = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    return bytes;
}

static int set_up_list(void **state) {
    if (set_up(state)) return -1;
    list = make_immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    ze_device_module_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES};
    assert_ok(zeDeviceGetModuleProperties(device, &properties));
    can_compile = properties.spirvVersionSupported != 0;
    if (!can_compile) printf("no OpenCL runtime for the CPU accepts SPIR-V here: only errors are tested\n");
    return 0;
}

static int tear_down_list(void **state) {
    assert_ok(zeCommandListDestroy(list));
    return tear_down(state);
}

static ze_result_t try_module(const void *bytes, size_t size, const char *flags,
                              const ze_module_constants_t *constants, ze_module_handle_t *module, char *text,
                              size_t text_size) {
    const ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                                   .format = ZE_MODULE_FORMAT_IL_SPIRV,
                                   .inputSize = size,
                                   .pInputModule = bytes,
                                   .pBuildFlags = flags,
                                   .pConstants = constants};
    ze_module_build_log_handle_t log = NULL;
    ze_result_t result = zeModuleCreate(context, device, &desc, module, &log);
    assert_non_null(log);
    assert_ok(zeModuleBuildLogGetString(log, &text_size, text));
    assert_ok(zeModuleBuildLogDestroy(log));
    return result;
}

/* Builds a module from a file; must succeed. */
static ze_module_handle_t compile(const char *path) {
    size_t size = 0;
    uint8_t *bytes = read_file(path, &size);
    char text[1000] = "";
    ze_module_handle_t module = NULL;
    assert_ok(try_module(bytes, size, NULL, NULL, &module, text, sizeof text));
    free(bytes);
    return module;
}

/* The native binary of a module, which the caller frees, and a descriptor to create a module from it. */
static uint8_t *native_form(ze_module_handle_t module, ze_module_desc_t *desc) {
    size_t size = 0;
    assert_ok(zeModuleGetNativeBinary(module, &size, NULL));
    uint8_t *native = malloc(size);
    assert_ok(zeModuleGetNativeBinary(module, &size, native));
    *desc = (ze_module_desc_t){.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                               .format = ZE_MODULE_FORMAT_NATIVE,
                               .inputSize = size,
                               .pInputModule = native};
    return native;
}

static void the_log_reports_a_missing_runtime(void **state) {
    (void)state;
    size_t size = 0;
    uint8_t *bytes = read_file(TEST_SPIRV, &size);
    char text[1000] = "";
    ze_module_handle_t module = NULL;
    ze_result_t result = try_module(bytes, size, NULL, NULL, &module, text, sizeof text);
    if (can_compile) {
        assert_ok(result);
        assert_ok(zeModuleDestroy(module));
    } else {
        assert_int_equal(result, ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
        assert_non_null(strstr(text, "OpenCL"));
        assert_null(module);
    }
    free(bytes);
}

static void garbage_is_refused(void **state) {
    (void)state;
    size_t size = 0;
    uint8_t *bytes = read_file(TEST_SPIRV, &size);
    char text[1000] = "";
    ze_module_handle_t module = NULL;
    int whole = 0;
    for (size_t cut = 1; cut < size; cut++) {
        ze_result_t result = try_module(bytes, cut, NULL, NULL, &module, text, sizeof text);
        if (result != ZE_RESULT_SUCCESS) {
            assert_int_equal(result, ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
            assert_true(strlen(text) > 0);
            continue;
        }
        whole++; /* truncated between functions: still a valid module */
        assert_ok(zeModuleDestroy(module));
    }
    assert_true(whole <= 4);
    bytes[0] ^= 1;
    assert_int_equal(try_module(bytes, size, NULL, NULL, &module, text, sizeof text),
                     ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    free(bytes);
}

/* Damage that leaves instructions whole is found by the compiler, which may crash: this process must not. */
static void damage(uint32_t *words, size_t count, unsigned seed) {
    uint64_t state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    for (unsigned i = 0; i <= seed % 3; i++) {
        state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
        uint32_t *word = &words[5 + (state >> 33) % (count - 5)];
        *word = i % 2 ? (uint32_t)(state >> 40) % 200 : *word ^ UINT32_C(1) << (state >> 59);
    }
}

static void invalid_modules_are_refused(void **state) {
    (void)state;
    if (!can_compile) skip();
    enum { ROUNDS = 18 };
    size_t size = 0;
    uint8_t *bytes = read_file(TEST_SPIRV, &size), *damaged = malloc(size);
    int refused = 0;
    for (unsigned seed = 0; seed < ROUNDS; seed++) {
        char text[4000] = "";
        ze_module_handle_t module = NULL;
        memcpy(damaged, bytes, size);
        damage((uint32_t *)damaged, size / 4, seed);
        ze_result_t result = try_module(damaged, size, NULL, NULL, &module, text, sizeof text);
        if (result == ZE_RESULT_SUCCESS) {
            assert_ok(zeModuleDestroy(module));
            continue;
        }
        assert_int_equal(result, ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
        assert_null(module);
        assert_true(strlen(text) > 0);
        refused++;
    }
    assert_in_range(refused, ROUNDS / 4, ROUNDS);
    free(damaged);
    free(bytes);
}

/* Compiling in another process does not affect the program's own children and files. */
static void compiling_does_not_affect_the_program(void **state) {
    (void)state;
    if (!can_compile) skip();
    void (*handler)(int) = signal(SIGCHLD, SIG_IGN);
    int input = dup(STDIN_FILENO);
    close(STDIN_FILENO);
    ze_module_handle_t module = compile(TEST_SPIRV);
    dup2(input, STDIN_FILENO);
    close(input);
    signal(SIGCHLD, handler);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_ok(zeModuleDestroy(module));
}

/* A module may be at any address. */
static void modules_need_no_alignment(void **state) {
    (void)state;
    if (!can_compile) skip();
    size_t size = 0;
    uint8_t *bytes = read_file(TEST_SPIRV, &size), *shifted = malloc(size + 1);
    char text[1000] = "";
    ze_module_handle_t module = NULL;
    memcpy(shifted + 1, bytes, size);
    assert_ok(try_module(shifted + 1, size, NULL, NULL, &module, text, sizeof text));
    assert_ok(zeModuleDestroy(module));
    free(shifted);
    free(bytes);
}

struct params {
    int32_t factor;
    _Alignas(16) float shift[4];
    int16_t small;
};

static void check_scale(ze_module_handle_t module) {
    enum { N = 256, GROUP = 32 };
    ze_kernel_handle_t kernel = make_kernel(module, "scale");
    ze_kernel_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES};
    assert_ok(zeKernelGetProperties(kernel, &properties));
    assert_int_equal(properties.numKernelArgs, 5);
    float *src = allocate_shared(N * 4), *dst = allocate_shared(N * 4);
    for (int i = 0; i < N; i++)
        src[i] = (float)i;
    const struct params params = {3, {1, 2, 4, 8}, 100};
    const uint32_t bias = 7; /* wider than the kernel's parameter: truncated */
    const ze_group_count_t groups = {N / GROUP, 1, 1};
    assert_ok(zeKernelSetGroupSize(kernel, GROUP, 1, 1));
    assert_ok(zeKernelSetArgumentValue(kernel, 0, 8, &dst));
    assert_ok(zeKernelSetArgumentValue(kernel, 1, 8, &src));
    assert_ok(zeKernelSetArgumentValue(kernel, 2, sizeof params, &params));
    assert_ok(zeKernelSetArgumentValue(kernel, 3, 4, &bias));
    assert_ok(zeKernelSetArgumentValue(kernel, 4, GROUP * 4, NULL));
    assert_ok(zeCommandListAppendLaunchKernel(list, kernel, &groups, NULL, 0, NULL));
    for (int i = 0; i < N; i++) {
        int mirrored = i / GROUP * GROUP + GROUP - 1 - i % GROUP;
        assert_true(dst[i] == (float)mirrored * 3 + 4 + 100 + 7);
    }
    assert_ok(zeKernelDestroy(kernel));
    zeMemFree(context, src);
    zeMemFree(context, dst);
}

static void kernels_run(void **state) {
    (void)state;
    if (!can_compile) skip();
    size_t size = 0;
    uint8_t *bytes = read_file(TEST_SPIRV, &size);
    char text[1000] = "";
    ze_module_handle_t module = NULL;
    assert_ok(try_module(bytes, size, "-ze-opt-disable -ze-opt-large-register-file", NULL, &module, text,
                         sizeof text));
    assert_non_null(strstr(text, "-ze-opt-large-register-file"));
    check_scale(module);
    uint32_t count = 0;
    assert_ok(zeModuleGetKernelNames(module, &count, NULL));
    assert_int_equal(count, 4);
    ze_kernel_handle_t kernel = make_kernel(module, "sixteen");
    uint32_t *dst = allocate_shared(64 * 4);
    const ze_group_count_t groups = {4, 1, 1};
    assert_int_equal(zeKernelSetGroupSize(kernel, 8, 1, 1), ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION);
    assert_ok(zeKernelSetArgumentValue(kernel, 0, 8, &dst));
    assert_ok(zeCommandListAppendLaunchKernel(list, kernel, &groups, NULL, 0, NULL));
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(dst[i], i / 16);
    uint32_t together = 0;
    assert_ok(zeKernelSuggestMaxCooperativeGroupCount(kernel, &together));
    assert_int_equal(together, 1);
    assert_int_equal(zeCommandListAppendLaunchCooperativeKernel(list, kernel, &groups, NULL, 0, NULL),
                     ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_ok(zeKernelDestroy(kernel));
    /* The kernel follows pointers stored in memory. */
    kernel = make_kernel(module, "follow");
    uint32_t **pointers = allocate_shared(4 * sizeof *pointers), *target = allocate_shared(100);
    target[1] = 5;
    target[2] = 6;
    for (int i = 0; i < 4; i++)
        pointers[i] = target + i % 2;
    assert_ok(zeKernelSetGroupSize(kernel, 4, 1, 1));
    assert_ok(zeKernelSetIndirectAccess(kernel, ZE_KERNEL_INDIRECT_ACCESS_FLAG_SHARED));
    assert_ok(zeKernelSetArgumentValue(kernel, 0, 8, &pointers));
    assert_ok(zeKernelSetArgumentValue(kernel, 1, 8, &dst));
    const ze_group_count_t one = {1, 1, 1};
    assert_ok(zeCommandListAppendLaunchKernel(list, kernel, &one, NULL, 0, NULL));
    assert_int_equal(dst[0], 5);
    assert_int_equal(dst[3], 6);
    assert_ok(zeKernelDestroy(kernel));
    assert_ok(zeModuleDestroy(module));
    zeMemFree(context, pointers);
    zeMemFree(context, target);
    zeMemFree(context, dst);
    free(bytes);
}

static void native_binaries_are_returned(void **state) {
    (void)state;
    if (!can_compile) skip();
    ze_module_handle_t module = compile(TEST_SPIRV);
    ze_module_desc_t desc;
    uint8_t *native = native_form(module, &desc);
    const size_t native_size = desc.inputSize;
    assert_ok(zeModuleDestroy(module));
    assert_ok(zeModuleCreate(context, device, &desc, &module, NULL));
    check_scale(module);
    assert_ok(zeModuleDestroy(module));
    for (size_t cut = 8; cut < native_size; cut += 997) {
        desc.inputSize = cut;
        assert_int_equal(zeModuleCreate(context, device, &desc, &module, NULL),
                         ZE_RESULT_ERROR_INVALID_NATIVE_BINARY);
    }
    desc.inputSize = native_size;
    for (size_t place = 8; place < native_size; place += 499) {
        native[place] ^= 1;
        assert_int_equal(zeModuleCreate(context, device, &desc, &module, NULL),
                         ZE_RESULT_ERROR_INVALID_NATIVE_BINARY);
        native[place] ^= 1;
    }
    free(native);
}

static int run_count_up(ze_module_handle_t module) {
    ze_kernel_handle_t kernel = make_kernel(module, "count_up");
    int *dst = allocate_shared(sizeof *dst);
    const ze_group_count_t one = {1, 1, 1};
    assert_ok(zeKernelSetArgumentValue(kernel, 0, 8, &dst));
    assert_ok(zeCommandListAppendLaunchKernel(list, kernel, &one, NULL, 0, NULL));
    int result = *dst;
    assert_ok(zeKernelDestroy(kernel));
    assert_ok(zeMemFree(context, dst));
    return result;
}

/* Globals and functions are found if the OpenCL runtime finds them, otherwise the name is refused. */
static void pointers_are_found_or_refused(void **state) {
    (void)state;
    if (!can_compile) skip();
    size_t global_size = 0;
    ze_module_handle_t module = compile(TEST_SPIRV);
    int *counter = NULL;
    void *function = NULL;
    ze_result_t result = zeModuleGetGlobalPointer(module, "counter", &global_size, (void **)&counter);
    if (result == ZE_RESULT_SUCCESS) {
        assert_int_equal(global_size, 4);
        assert_int_equal(*counter, 40);
        *counter = 100;
        assert_int_equal(run_count_up(module), 102);
        assert_int_equal(*counter, 102);
    } else {
        assert_int_equal(result, ZE_RESULT_ERROR_INVALID_GLOBAL_NAME);
        assert_null(counter);
        assert_int_equal(run_count_up(module), 42);
    }
    result = zeModuleGetFunctionPointer(module, "count_up", &function);
    if (result) assert_int_equal(result, ZE_RESULT_ERROR_INVALID_FUNCTION_NAME);
    assert_int_equal(function != NULL, result == ZE_RESULT_SUCCESS);
    void *unchanged = function;
    assert_int_equal(zeModuleGetFunctionPointer(module, "no_such_thing", &function),
                     ZE_RESULT_ERROR_INVALID_FUNCTION_NAME);
    assert_ptr_equal(function, unchanged);
    assert_int_equal(zeModuleGetGlobalPointer(module, "no_such_thing", NULL, &function),
                     ZE_RESULT_ERROR_INVALID_GLOBAL_NAME);
    assert_ptr_equal(function, unchanged);
    assert_ok(zeModuleDestroy(module));
}

static void run_constants(ze_module_handle_t module, uint64_t first, uint64_t second) {
    ze_kernel_handle_t kernel = make_kernel(module, "constants");
    uint64_t *dst = allocate_shared(16);
    const ze_group_count_t one = {1, 1, 1};
    assert_ok(zeKernelSetArgumentValue(kernel, 0, 8, &dst));
    assert_ok(zeCommandListAppendLaunchKernel(list, kernel, &one, NULL, 0, NULL));
    assert_int_equal(dst[0], first);
    assert_int_equal(dst[1], second);
    assert_ok(zeKernelDestroy(kernel));
    assert_ok(zeModuleDestroy(module));
    zeMemFree(context, dst);
}

static void constants_are_specialized(void **state) {
    (void)state;
    if (!can_compile) skip();
    size_t size = 0;
    uint8_t *bytes = read_file(TEST_SPIRV_CONSTANTS, &size);
    char text[1000] = "";
    ze_module_handle_t module = NULL;
    assert_ok(try_module(bytes, size, NULL, NULL, &module, text, sizeof text));
    run_constants(module, 10, 20);
    const uint32_t ids[2] = {7, 3}, small = 111;
    const uint64_t large = UINT64_C(1) << 40;
    const void *values[2] = {&large, &small};
    const ze_module_constants_t constants = {2, ids, values};
    assert_ok(try_module(bytes, size, NULL, &constants, &module, text, sizeof text));
    run_constants(module, 111, large);
    const uint32_t wrong[1] = {99};
    const ze_module_constants_t unknown = {1, wrong, values};
    assert_int_equal(try_module(bytes, size, NULL, &unknown, &module, text, sizeof text),
                     ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    assert_non_null(strstr(text, "99"));
    free(bytes);
}

static void check_use(ze_module_handle_t module) {
    enum { N = 32 };
    ze_kernel_handle_t kernel = make_kernel(module, "use");
    int *dst = allocate_shared(N * sizeof *dst);
    const ze_group_count_t groups = {N / 8, 1, 1};
    for (int i = 0; i < N; i++)
        dst[i] = i;
    assert_ok(zeKernelSetGroupSize(kernel, 8, 1, 1));
    assert_ok(zeKernelSetArgumentValue(kernel, 0, 8, &dst));
    assert_ok(zeCommandListAppendLaunchKernel(list, kernel, &groups, NULL, 0, NULL));
    for (int i = 0; i < N; i++)
        assert_int_equal(dst[i], 3 * i);
    assert_ok(zeKernelDestroy(kernel));
    zeMemFree(context, dst);
}

static void import_and_check_use(ze_module_handle_t module) {
    ze_module_desc_t desc;
    ze_module_handle_t copy;
    uint8_t *native = native_form(module, &desc);
    assert_ok(zeModuleCreate(context, device, &desc, &copy, NULL));
    check_use(copy);
    assert_ok(zeModuleDestroy(copy));
    free(native);
}

/* One input defines what another uses. */
static void inputs_are_linked(void **state) {
    (void)state;
    if (!can_compile) skip();
    size_t sizes[2] = {0};
    uint8_t *inputs[2] = {read_file(TEST_SPIRV_USE, &sizes[0]), read_file(TEST_SPIRV_TRIPLE, &sizes[1])};
    ze_module_program_exp_desc_t program = {.stype = ZE_STRUCTURE_TYPE_MODULE_PROGRAM_EXP_DESC,
                                            .count = 2,
                                            .inputSizes = sizes,
                                            .pInputModules = (const uint8_t **)inputs};
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                             .pNext = &program,
                             .format = ZE_MODULE_FORMAT_IL_SPIRV,
                             .inputSize = sizes[0],
                             .pInputModule = inputs[0]};
    ze_module_handle_t module = NULL;
    assert_ok(zeModuleCreate(context, device, &desc, &module, NULL));
    check_use(module);
    import_and_check_use(module);
    assert_ok(zeModuleDestroy(module));
    sizes[1] -= 4;
    assert_int_equal(zeModuleCreate(context, device, &desc, &module, NULL),
                     ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    program.count = 0;
    assert_int_equal(zeModuleCreate(context, device, &desc, &module, NULL), ZE_RESULT_ERROR_INVALID_SIZE);
    program.count = 2;
    desc.format = ZE_MODULE_FORMAT_NATIVE;
    assert_int_equal(zeModuleCreate(context, device, &desc, &module, NULL),
                     ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    free(inputs[0]);
    free(inputs[1]);
}

static void missing_symbols_are_refused(void **state) {
    (void)state;
    if (!can_compile) skip();
    size_t size = 0;
    uint8_t *bytes = read_file(TEST_SPIRV_USE, &size);
    char text[4000] = "";
    ze_module_handle_t module = NULL;
    assert_int_equal(try_module(bytes, size, NULL, NULL, &module, text, sizeof text),
                     ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    assert_non_null(strstr(text, "triple"));
    free(bytes);
}

/* OpenCL C 2.0's atomics on generic pointers. */
static void generic_atomics_run(void **state) {
    (void)state;
    if (!can_compile) skip();
    ze_module_handle_t module = compile(TEST_SPIRV_FEATURES);
    ze_kernel_handle_t kernel = make_kernel(module, "tally");
    uint32_t *counts = allocate_shared(64);
    const ze_group_count_t groups = {10, 1, 1};
    counts[0] = counts[1] = 0;
    assert_ok(zeKernelSetGroupSize(kernel, 16, 1, 1));
    assert_ok(zeKernelSetArgumentValue(kernel, 0, 8, &counts));
    assert_ok(zeKernelSetArgumentValue(kernel, 1, 16, NULL));
    assert_ok(zeCommandListAppendLaunchKernel(list, kernel, &groups, NULL, 0, NULL));
    assert_int_equal(counts[0], 10 * 12);
    assert_int_equal(counts[1], 4);
    assert_ok(zeMemFree(context, counts));
    assert_ok(zeKernelDestroy(kernel));
    assert_ok(zeModuleDestroy(module));
}

static void check_attributes(ze_module_handle_t module, const char *name, const char *expected) {
    ze_kernel_handle_t kernel = make_kernel(module, name);
    char text[128] = "unchanged", *place = text;
    uint32_t size = sizeof text;
    if (!validated()) { /* the layer refuses to ask for the size alone */
        size = 0;
        assert_ok(zeKernelGetSourceAttributes(kernel, &size, NULL));
        assert_int_equal(size, strlen(expected) + 1);
    }
    assert_ok(zeKernelGetSourceAttributes(kernel, &size, &place));
    assert_string_equal(text, expected);
    assert_ok(zeKernelDestroy(kernel));
}

static void attributes_are_told(void **state) {
    (void)state;
    if (!can_compile) skip();
    ze_module_handle_t module = compile(TEST_SPIRV_FEATURES);
    check_attributes(module, "hinted", "work_group_size_hint(8,2,1) vec_type_hint(float4)");
    check_attributes(module, "required", "reqd_work_group_size(4,1,1)");
    check_attributes(module, "tally", "");
    assert_ok(zeModuleDestroy(module));
}

static void wrong_arguments_are_refused(void **state) {
    (void)state;
    if (!can_compile) skip();
    ze_module_handle_t module = compile(TEST_SPIRV_FEATURES);
    ze_kernel_handle_t kernel = make_kernel(module, "tally");
    ze_device_compute_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES};
    assert_ok(zeDeviceGetComputeProperties(device, &properties));
    uint32_t *counts = allocate_shared(64);
    const ze_group_count_t one = {1, 1, 1};
    static const size_t wrong[] = {0, 1, 4, 7, 9, 16};
    for (int i = 0; i < 6; i++)
        assert_int_equal(zeKernelSetArgumentValue(kernel, 0, wrong[i], &counts),
                         ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE);
    assert_int_equal(zeCommandListAppendLaunchKernel(list, kernel, &one, NULL, 1, NULL),
                     ZE_RESULT_ERROR_INVALID_SIZE);
    assert_ok(zeKernelSetArgumentValue(kernel, 0, 8, &counts));
    assert_ok(zeKernelSetArgumentValue(kernel, 1, properties.maxSharedLocalMemory + 4, NULL));
    assert_int_equal(zeCommandListAppendLaunchKernel(list, kernel, &one, NULL, 0, NULL),
                     ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
    /* As much as the device says is there. */
    assert_ok(zeKernelSetArgumentValue(kernel, 1, properties.maxSharedLocalMemory, NULL));
    assert_ok(zeCommandListAppendLaunchKernel(list, kernel, &one, NULL, 0, NULL));
    assert_ok(zeContextGetStatus(context));
    assert_ok(zeMemFree(context, counts));
    assert_ok(zeKernelDestroy(kernel));
    assert_ok(zeModuleDestroy(module));
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(the_log_reports_a_missing_runtime),
            cmocka_unit_test(garbage_is_refused),
            cmocka_unit_test(invalid_modules_are_refused),
            cmocka_unit_test(compiling_does_not_affect_the_program),
            cmocka_unit_test(modules_need_no_alignment),
            cmocka_unit_test(kernels_run),
            cmocka_unit_test(native_binaries_are_returned),
            cmocka_unit_test(inputs_are_linked),
            cmocka_unit_test(missing_symbols_are_refused),
            cmocka_unit_test(constants_are_specialized),
            cmocka_unit_test(pointers_are_found_or_refused),
            cmocka_unit_test(generic_atomics_run),
            cmocka_unit_test(attributes_are_told),
            cmocka_unit_test(wrong_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up_list, tear_down_list);
}
