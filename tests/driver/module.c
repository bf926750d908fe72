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

static int read_image(void **state) {
    if (getenv("LODE_TEST_SEED")) random_state = (uint32_t)strtoul(getenv("LODE_TEST_SEED"), NULL, 10);
    FILE *file = fopen(TEST_ELF_MODULE, "rb");
    if (!file || fseek(file, 0, SEEK_END)) return -1;
    image_size = (size_t)ftell(file);
    rewind(file);
    image = malloc(image_size);
    if (!image || fread(image, 1, image_size, file) != image_size) return -1;
    fclose(file);
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

static void foreign_images_are_refused(void **state) {
    (void)state;
    Elf64_Ehdr *header = (Elf64_Ehdr *)image, kept = *header;
    header->e_machine = EM_RISCV;
    assert_refused(image, image_size);
    *header = kept;
    header->e_type = ET_EXEC;
    assert_refused(image, image_size);
    *header = kept;
    header->e_ident[EI_CLASS] = ELFCLASS32;
    assert_refused(image, image_size);
    *header = kept;
    assert_refused("not a module at all, not even close to it, really", 50);
}

/* A sealed image is refused if any byte has changed. */
static void sealed_images_are_checked(void **state) {
    (void)state;
    unsigned char *sealed = malloc(image_size + sizeof(struct native_seal));
    memcpy(sealed, image, image_size);
    const struct native_seal seal = {NATIVE_SEAL_MAGIC, native_checksum(image, image_size)};
    memcpy(sealed + image_size, &seal, sizeof seal);
    ze_module_handle_t module = NULL;
    assert_ok(try_module(sealed, image_size + sizeof seal, &module, NULL));
    run_count(module, 5);
    assert_ok(zeModuleDestroy(module));
    for (int i = 0; i < 300; i++) {
        size_t place = next_random() % image_size;
        sealed[place] ^= (unsigned char)(1 << next_random() % 8);
        assert_refused(sealed, image_size + sizeof seal);
        memcpy(sealed, image, image_size);
    }
    free(sealed);
}

static bool is_code(const unsigned char *bytes, size_t place) {
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)bytes;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(bytes + header->e_shoff);
    for (int i = 0; i < header->e_shnum; i++)
        if (sections[i].sh_flags & SHF_EXECINSTR && place >= sections[i].sh_offset
            && place - sections[i].sh_offset < sections[i].sh_size)
            return true;
    return false;
}

static void damage(const unsigned char *bytes, size_t size, size_t end, int times) {
    unsigned char *damaged = malloc(size);
    for (int i = 0; i < times; i++) {
        memcpy(damaged, bytes, size);
        for (uint32_t n = next_random() % 3 + 1; n > 0;) {
            size_t place = next_random() % end;
            if (is_code(bytes, place)) continue;
            damaged[place] ^= (unsigned char)(1 << next_random() % 8);
            n--;
        }
        ze_module_handle_t module = NULL;
        if (try_module(damaged, size, &module, NULL) == ZE_RESULT_SUCCESS) assert_ok(zeModuleDestroy(module));
    }
    free(damaged);
}

static size_t offset_of_tables(const unsigned char *bytes) {
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)bytes;
    return header->e_phoff + (size_t)header->e_phnum * sizeof(Elf64_Phdr);
}

/* A damaged image without a seal must not crash the process while it is loaded: headers first, then
 * everything except code. */
static void damaged_images_do_not_crash(void **state) {
    (void)state;
    damage(image, image_size, offset_of_tables(image), 2000);
    damage(image, image_size, image_size, 3000);
}

/* The same for an image that needs libraries and versioned symbols. */
static void damaged_dependencies_do_not_crash(void **state) {
    (void)state;
    FILE *file = fopen(TEST_LODECC_MODULE, "rb");
    if (!file) skip(); /* lodecc found no clang */
    static _Alignas(8) unsigned char bytes[1 << 20];
    size_t size = fread(bytes, 1, sizeof bytes, file) - sizeof(struct native_seal);
    fclose(file);
    ze_module_handle_t module = NULL;
    assert_ok(try_module(bytes, size, &module, NULL));
    assert_ok(zeModuleDestroy(module));
    damage(bytes, size, offset_of_tables(bytes), 500);
    damage(bytes, size, size, 3000);
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
            cmocka_unit_test(sealed_images_are_checked),
            cmocka_unit_test(damaged_images_do_not_crash),
            cmocka_unit_test(damaged_dependencies_do_not_crash),
            cmocka_unit_test(bad_references_are_refused),
            cmocka_unit_test(descriptors_are_checked),
    };
    return cmocka_run_group_tests(tests, read_image, free_image);
}
