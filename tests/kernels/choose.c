/* SPDX-License-Identifier: Apache-2.0 */
/* Which kernels a device gets: class, features and forms of the device against a kernel's row. */
#include "kernels/kernel.h"
#include "test.h"

static const struct kernel cpu = {.class = CLASS_CPU, .forms = FORM_NATIVE | FORM_SPIRV},
                           gpu = {.class = CLASS_GPU,
                                  .needs = HAS_SUB_GROUP_16 | HAS_FP16,
                                  .forms = FORM_SPIRV},
                           any = {.class = CLASS_ANY, .forms = FORM_SOURCE};

static void rows(void **state) {
    (void)state;
    static const struct {
        const struct kernel *kernel;
        struct device_info device;
        const char *why; /* NULL: it runs */
    } rows[] = {
            {&cpu, {.class = DEVICE_CPU, .forms = FORM_NATIVE}, NULL},
            {&cpu, {.class = DEVICE_CPU, .forms = FORM_SPIRV | FORM_SOURCE}, NULL},
            {&cpu, {.class = DEVICE_GPU, .forms = FORM_NATIVE}, "the device is not a CPU"},
            {&cpu,
             {.class = DEVICE_CPU, .forms = FORM_SOURCE},
             "the kernel has no form that the device accepts"},
            {&gpu, {.class = DEVICE_CPU, .forms = FORM_SPIRV}, "the device is not a GPU"},
            {&gpu, {.class = DEVICE_GPU, .forms = FORM_SPIRV}, "no sub-groups of 16 on this device"},
            {&gpu,
             {.class = DEVICE_GPU, .forms = FORM_SPIRV, .features = HAS_SUB_GROUP_16},
             "no half precision on this device"},
            {&gpu, {.class = DEVICE_GPU, .forms = FORM_SPIRV, .features = HAS_SUB_GROUP_16 | HAS_FP16}, NULL},
            {&any, {.class = DEVICE_CPU, .forms = FORM_SOURCE}, NULL},
            {&any, {.class = DEVICE_GPU, .forms = FORM_SOURCE}, NULL},
    };
    for (int i = 0; i < COUNT(rows); i++) {
        const char *why = "not set";
        bool runs = kernel_runs_on(rows[i].kernel, &rows[i].device, &why);
        assert_int_equal(runs, rows[i].why == NULL);
        if (rows[i].why)
            assert_string_equal(why, rows[i].why);
        else
            assert_null(why);
    }
}

/* Every feature that a device may lack has a reason for verbose lines. */
static void every_need_has_a_reason(void **state) {
    (void)state;
    const struct device_info bare = {.class = DEVICE_GPU, .forms = ~0u};
    for (unsigned bit = 4; bit <= HAS_BF16_DOT; bit *= 2) {
        const struct kernel needy = {.class = CLASS_ANY, .needs = bit, .forms = FORM_SPIRV};
        const char *why;
        if (bit == 128) continue; /* not a feature */
        assert_false(kernel_runs_on(&needy, &bare, &why));
        assert_non_null(why);
    }
}

/* Every kernel runs on a device of its class that has all features. */
static void every_kernel_has_a_device(void **state) {
    (void)state;
    for (int i = 0; i < kernel_count; i++) {
        const struct device_info device = {.class = kernel_list[i]->class & CLASS_GPU ? DEVICE_GPU
                                                                                      : DEVICE_CPU,
                                           .forms = ~0u,
                                           .features = ~0u};
        const char *why;
        assert_true(kernel_runs_on(kernel_list[i], &device, &why));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows), cmocka_unit_test(every_need_has_a_reason),
                                       cmocka_unit_test(every_kernel_has_a_device)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
