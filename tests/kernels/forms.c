/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The forms of kernels that devices compile: a SPIR-V module contains only its own kernel, because compile
 * time on the device is the user's time, and sources are complete.
 */
#include "kernels/kernel.h"
#include "test.h"

/* Returns the number of entry points of a module, and the name of the last one. */
static int entry_points(const uint32_t *words, size_t count, const char **name) {
    enum { HEADER = 5, OP_ENTRY_POINT = 15, MAGIC = 0x07230203 };
    int found = 0;
    assert_int_equal(words[0], MAGIC);
    for (size_t i = HEADER; i < count; i += words[i] >> 16) {
        assert_true(words[i] >> 16 > 0);
        if ((words[i] & 0xffff) != OP_ENTRY_POINT) continue;
        *name = (const char *)&words[i + 3]; /* after the model and the function */
        found++;
    }
    return found;
}

static void one_kernel_per_module(void **state) {
    (void)state;
    for (int i = 0; i < kernel_count; i++) {
        const char *name = "";
        size_t size;
        if (!(kernel_list[i]->forms & FORM_SPIRV)) continue;
        uint32_t *words = kernel_spirv(kernel_list[i], &size);
        assert_non_null(words);
        int count = entry_points(words, size / sizeof *words, &name);
        if (count != 1)
            fail_msg("%s: %d kernels in its module; is every kernel of the file inside #if WANTED(name)?",
                     kernel_list[i]->name, count);
        assert_string_equal(name, kernel_list[i]->name);
        free(words);
    }
}

/* The compiler leaves a second copy of each kernel in its module, which the build takes out. */
static void no_second_copy(void **state) {
    (void)state;
    enum { HEADER = 5, OP_NAME = 5 };
    static const char prefix[] = "__clang_ocl_kern_imp_";
    for (int i = 0; i < kernel_count; i++) {
        size_t size;
        if (!(kernel_list[i]->forms & FORM_SPIRV)) continue;
        uint32_t *words = kernel_spirv(kernel_list[i], &size);
        assert_non_null(words);
        for (size_t w = HEADER; w < size / sizeof *words; w += words[w] >> 16)
            if ((words[w] & 0xffff) == OP_NAME
                && strncmp((const char *)&words[w + 2], prefix, sizeof prefix - 1) == 0)
                fail_msg("%s is there twice", kernel_list[i]->name);
        free(words);
    }
}

/* All includes of our own are resolved, except those that only other compilers see, and all parts are
 * present. */
static void whole_sources(void **state) {
    (void)state;
    for (int i = 0; i < kernel_count; i++) {
        char *source = kernel_source(kernel_list[i]);
        assert_non_null(source);
        assert_null(strstr(source, "#include \"kernels/lib/"));
        assert_null(strstr(source, "#include \"kernels/params"));
        assert_non_null(strstr(source, "#define WANTED(name)"));
        assert_non_null(strstr(source, "kernel void "));
        free(source);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(one_kernel_per_module),
            cmocka_unit_test(no_second_copy),
            cmocka_unit_test(whole_sources),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
