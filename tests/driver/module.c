/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Modules: references into this process, ELF images, and invalid input.
 */
#include "ze_test.h"

#include <elf.h>

static unsigned char *image;
static size_t image_size;

static uint32_t random_state = 1;

static uint32_t next_random(void) {
    random_state = random_state * 1664525 + 1013904223;
    return random_state >> 8;
}

/* Writes the checksum at its end. */
static void seal_image(void) {
    const struct native_seal seal = {NATIVE_SEAL_MAGIC, native_checksum(image, image_size - sizeof seal)};
    memcpy(image + image_size - sizeof seal, &seal, sizeof seal);
}

static int read_image(void **state) {
    if (getenv("LODE_TEST_SEED")) random_state = (uint32_t)strtoul(getenv("LODE_TEST_SEED"), NULL, 10);
    FILE *file = fopen(TEST_ELF_MODULE, "rb");
    if (!file || fseek(file, 0, SEEK_END)) return -1;
    image_size = (size_t)ftell(file);
    rewind(file);
    image = malloc(image_size + sizeof(struct native_seal));
    if (!image || fread(image, 1, image_size, file) != image_size) return -1;
    fclose(file);
    image_size += sizeof(struct native_seal);
    seal_image();
    return set_up(state);
}

static int free_image(void **state) {
    free(image);
    return tear_down(state);
}

static ze_result_t try_module(const void *bytes, size_t size, ze_module_handle_t *made,
                              ze_module_build_log_handle_t *log) {
    const ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                                   .format = ZE_MODULE_FORMAT_NATIVE,
                                   .inputSize = size,
                                   .pInputModule = bytes};
    return zeModuleCreate(context, device, &desc, made, log);
}

static void run_count(ze_module_handle_t module, uint32_t expected) {
    ze_kernel_handle_t kernel = make_kernel(module, "count");
    ze_command_list_handle_t list = make_immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    uint32_t *dst = allocate_shared(40 * 4);
    const ze_group_count_t groups = {10, 1, 1};
    assert_ok(zeKernelSetGroupSize(kernel, 4, 1, 1));
    assert_ok(zeKernelSetArgumentValue(kernel, 0, 8, &dst));
    assert_ok(zeCommandListAppendLaunchKernel(list, kernel, &groups, NULL, 0, NULL));
    for (uint32_t i = 0; i < 40; i++)
        assert_int_equal(dst[i], expected + i / 4);
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeKernelDestroy(kernel));
    assert_ok(zeMemFree(context, dst));
}

static void images_run(void **state) {
    (void)state;
    ze_module_handle_t module = NULL;
    ze_module_build_log_handle_t log = NULL;
    assert_ok(try_module(image, image_size, &module, &log));
    assert_ok(zeModuleBuildLogDestroy(log));
    run_count(module, 5);
    size_t size = 0;
    uint32_t *counter = NULL;
    assert_ok(zeModuleGetGlobalPointer(module, "module_counter", &size, (void **)&counter));
    assert_int_equal(size, 4);
    *counter = 100;
    run_count(module, 100);
    assert_int_equal(zeModuleGetGlobalPointer(module, "no_such_thing", &size, (void **)&counter),
                     ZE_RESULT_ERROR_INVALID_GLOBAL_NAME);
    void *function = NULL;
    assert_ok(zeModuleGetFunctionPointer(module, "count", &function));
    assert_non_null(function);
    assert_int_equal(zeModuleGetFunctionPointer(module, "no_such_thing", &function),
                     ZE_RESULT_ERROR_INVALID_FUNCTION_NAME);
    /* Symbols of other libraries are not found, and a global is not a function. */
    assert_int_equal(zeModuleGetFunctionPointer(module, "malloc", &function),
                     ZE_RESULT_ERROR_INVALID_FUNCTION_NAME);
    assert_int_equal(zeModuleGetFunctionPointer(module, "module_counter", &function),
                     ZE_RESULT_ERROR_INVALID_FUNCTION_NAME);
    assert_int_equal(zeModuleGetGlobalPointer(module, "environ", &size, (void **)&counter),
                     ZE_RESULT_ERROR_INVALID_GLOBAL_NAME);
    uint32_t count = 0;
    const char *names[1] = {NULL};
    assert_ok(zeModuleGetKernelNames(module, &count, NULL));
    assert_int_equal(count, 1);
    assert_ok(zeModuleGetKernelNames(module, &count, names));
    assert_string_equal(names[0], "count");
    ze_module_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_MODULE_PROPERTIES};
    assert_ok(zeModuleGetProperties(module, &properties));
    assert_ok(zeModuleDynamicLink(1, &module, NULL));
    ze_linkage_inspection_ext_desc_t inspection = {.stype = ZE_STRUCTURE_TYPE_LINKAGE_INSPECTION_EXT_DESC,
                                                   .flags = ZE_LINKAGE_INSPECTION_EXT_FLAG_IMPORTS};
    size_t length = 0;
    assert_ok(zeModuleInspectLinkageExt(&inspection, 1, &module, &log));
    assert_ok(zeModuleBuildLogGetString(log, &length, NULL));
    assert_true(length > 1);
    assert_ok(zeModuleBuildLogDestroy(log));
    assert_ok(zeModuleDestroy(module));
}

/* Each module has its own code and globals, even if made from the same image. */
static void modules_are_independent(void **state) {
    (void)state;
    enum { MODULES = 5 };
    ze_module_handle_t modules[MODULES] = {0};
    uint32_t *counters[MODULES];
    for (uint32_t i = 0; i < MODULES; i++) {
        size_t size = 0;
        assert_ok(try_module(image, image_size, &modules[i], NULL));
        assert_ok(zeModuleGetGlobalPointer(modules[i], "module_counter", &size, (void **)&counters[i]));
        assert_int_equal(*counters[i], 5);
        *counters[i] = 100 * i;
    }
    for (uint32_t i = 0; i < MODULES; i++)
        run_count(modules[i], 100 * i);
    for (uint32_t i = 0; i < MODULES; i++)
        assert_ok(zeModuleDestroy(modules[i]));
}

static void native_binaries_are_returned(void **state) {
    (void)state;
    ze_module_handle_t module = NULL, again = NULL;
    assert_ok(try_module(image, image_size, &module, NULL));
    size_t size = 0;
    assert_ok(zeModuleGetNativeBinary(module, &size, NULL));
    uint8_t *binary = malloc(size);
    assert_ok(zeModuleGetNativeBinary(module, &size, binary));
    assert_ok(zeModuleDestroy(module));
    assert_ok(try_module(binary, size, &again, NULL));
    run_count(again, 5);
    assert_ok(zeModuleDestroy(again));
    free(binary);
}

static void unknown_kernel_names_are_refused(void **state) {
    (void)state;
    ze_module_handle_t module = NULL;
    assert_ok(try_module(image, image_size, &module, NULL));
    ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = "no_such_kernel"};
    ze_kernel_handle_t kernel = NULL;
    assert_int_equal(zeKernelCreate(module, &desc, &kernel), ZE_RESULT_ERROR_INVALID_KERNEL_NAME);
    desc.pKernelName = NULL;
    assert_int_equal(zeKernelCreate(module, &desc, &kernel), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_null(kernel);
    assert_ok(zeModuleDestroy(module));
}

/* The log of a failed build says why, and is destroyed separately. */
static void assert_refused(const void *bytes, size_t size) {
    ze_module_handle_t module = NULL;
    ze_module_build_log_handle_t log = NULL;
    assert_int_equal(try_module(bytes, size, &module, &log), ZE_RESULT_ERROR_INVALID_NATIVE_BINARY);
    assert_null(module);
    size_t length = 0;
    assert_ok(zeModuleBuildLogGetString(log, &length, NULL));
    assert_true(length > 10);
    char *text = malloc(length);
    assert_ok(zeModuleBuildLogGetString(log, &length, text));
    assert_int_equal(strlen(text) + 1, length);
    free(text);
    assert_ok(zeModuleBuildLogDestroy(log));
}

static void truncated_images_are_refused(void **state) {
    (void)state;
    for (size_t size = 1; size < image_size; size++)
        assert_refused(image, size);
}

/* Sealed, but not for this machine, or nothing to load. */
static void foreign_images_are_refused(void **state) {
    (void)state;
    Elf64_Ehdr *header = (Elf64_Ehdr *)image, kept = *header;
    header->e_machine = EM_RISCV;
    seal_image();
    assert_refused(image, image_size);
    *header = kept;
    header->e_type = ET_EXEC;
    seal_image();
    assert_refused(image, image_size);
    *header = kept;
    header->e_ident[EI_CLASS] = ELFCLASS32;
    seal_image();
    assert_refused(image, image_size);
    *header = kept;
    seal_image();
    assert_refused("not a module at all, not even close to it, really", 50);
}

/* An image is refused if any byte has changed, and without its seal. */
static void damaged_images_are_refused(void **state) {
    (void)state;
    for (int i = 0; i < 3000; i++) {
        size_t place = next_random() % image_size;
        unsigned char flipped = (unsigned char)(1 << next_random() % 8);
        image[place] ^= flipped;
        assert_refused(image, image_size);
        image[place] ^= flipped;
    }
    assert_refused(image, image_size - sizeof(struct native_seal));
    ze_module_handle_t module = NULL;
    assert_ok(try_module(image, image_size, &module, NULL));
    run_count(module, 5);
    assert_ok(zeModuleDestroy(module));
}

/* -- references -- */

static void nothing(const struct native_group *group, void *const *args) {
    (void)group, (void)args;
}

static const struct native_arg no_size[1] = {{NATIVE_ARG_VALUE, 0}},
                               odd_pointer[1] = {{NATIVE_ARG_BUFFER, 4}}, no_kind[1] = {{9, 8}},
                               too_large[1] = {{NATIVE_ARG_VALUE, 1 << 20}};
static const struct native_kernel wrong_kernels[] = {
        {.name = NULL},
        {.name = "no code"},
        {.name = "no items", .run_group = nothing, .flags = NATIVE_USES_BARRIER},
        {.name = "flags", .run_group = nothing, .flags = 0x100},
        {.name = "no arguments", .run_group = nothing, .nargs = 1},
        {.name = "no size", .run_group = nothing, .nargs = 1, .args = no_size},
        {.name = "odd pointer", .run_group = nothing, .nargs = 1, .args = odd_pointer},
        {.name = "no kind", .run_group = nothing, .nargs = 1, .args = no_kind},
        {.name = "too large", .run_group = nothing, .nargs = 1, .args = too_large},
        {.name = "half a size", .run_group = nothing, .group_size = {8, 0, 1}},
        {.name = "large group", .run_group = nothing, .group_size = {1024, 2, 1}},
        {.name = "huge group", .run_group = nothing, .group_size = {1u << 31, 1u << 31, 4}},
};

static void bad_references_are_refused(void **state) {
    (void)state;
    const struct native_module wrong[] = {
            {.magic = 1},
            {.magic = NATIVE_MAGIC, .version = NATIVE_VERSION + 1},
            {.magic = NATIVE_MAGIC, .version = NATIVE_VERSION, .nkernels = 1},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const struct native_reference reference = {NATIVE_REFERENCE_MAGIC, (uint64_t)getpid(), &wrong[i]};
        assert_refused(&reference, sizeof reference);
    }
    for (size_t i = 0; i < sizeof wrong_kernels / sizeof wrong_kernels[0]; i++) {
        const struct native_module one = {NATIVE_MAGIC, NATIVE_VERSION, 1, &wrong_kernels[i]};
        const struct native_reference reference = {NATIVE_REFERENCE_MAGIC, (uint64_t)getpid(), &one};
        assert_refused(&reference, sizeof reference);
    }
    const struct native_module empty = {.magic = NATIVE_MAGIC, .version = NATIVE_VERSION};
    const struct native_reference elsewhere = {NATIVE_REFERENCE_MAGIC, (uint64_t)getpid() + 1, &empty};
    assert_refused(&elsewhere, sizeof elsewhere);
    ze_module_handle_t module = make_module(&empty);
    assert_ok(zeModuleDestroy(module));
}

static void descriptors_are_checked(void **state) {
    (void)state;
    ze_module_handle_t module = NULL;
    assert_int_equal(try_module(NULL, 10, &module, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_int_equal(try_module(image, 0, &module, NULL), ZE_RESULT_ERROR_INVALID_SIZE);
    assert_int_equal(try_module(image, image_size, NULL, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                             .format = (ze_module_format_t)7,
                             .inputSize = image_size,
                             .pInputModule = image};
    assert_int_equal(zeModuleCreate(context, device, &desc, &module, NULL),
                     ZE_RESULT_ERROR_INVALID_ENUMERATION);
    assert_int_equal(zeModuleCreate(context, device, NULL, &module, NULL),
                     ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_null(module);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(images_run),
            cmocka_unit_test(modules_are_independent),
            cmocka_unit_test(native_binaries_are_returned),
            cmocka_unit_test(unknown_kernel_names_are_refused),
            cmocka_unit_test(truncated_images_are_refused),
            cmocka_unit_test(foreign_images_are_refused),
            cmocka_unit_test(damaged_images_are_refused),
            cmocka_unit_test(bad_references_are_refused),
            cmocka_unit_test(descriptors_are_checked),
    };
    return cmocka_run_group_tests(tests, read_image, free_image);
}
