/* SPDX-License-Identifier: Apache-2.0 */
/* The native forms of kernels: every kernel has one for every instruction set, and the limit chooses. */
#define _GNU_SOURCE
#include "base/cpu.h"
#include "kernels/kernel.h"
#include "test.h"

#include <sys/wait.h>
#include <unistd.h>

static void every_kernel(void **state) {
    (void)state;
    for (int k = 0; k < kernel_count; k++)
        for (int isa = ISA_BASE; isa < ISA_COUNT; isa++) {
            const struct native_kernel *native = kernel_native(kernel_list[k], (enum native_isa)isa);
            assert_non_null(native);
            assert_string_equal(native->name, kernel_list[k]->name);
        }
}

/* Families that do not profit from VNNI have no code of their own for it. */
static void vnni(void **state) {
    (void)state;
#if defined(__x86_64__)
    assert_ptr_not_equal(kernel_native(&kernel_int8_gemm_12x32, ISA_AVX512_VNNI),
                         kernel_native(&kernel_int8_gemm_12x32, ISA_AVX512));
    assert_ptr_equal(kernel_native(&kernel_f32_gemm_14x32, ISA_AVX512_VNNI),
                     kernel_native(&kernel_f32_gemm_14x32, ISA_AVX512));
#endif
}

/* What a process with this limit runs. */
static int native_isa_with(const char *limit) {
    pid_t child = fork();
    if (child == 0) {
        setenv("ONEDNN_MAX_CPU_ISA", limit, 1);
        _exit((int)cpu_native_isa());
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void limits(void **state) {
    (void)state;
    static const struct {
        const char *limit;
        int most;
    } rows[] = {{"SSE41", ISA_BASE},
                {"AVX2", ISA_AVX2},
                {"AVX512_CORE", ISA_AVX512},
                {"AVX512_CORE_VNNI", ISA_AVX512_VNNI},
                {"AVX512_CORE_BF16", ISA_AVX512_VNNI}};
    int best = native_isa_with("ALL");
    for (int i = 0; i < COUNT(rows); i++)
        assert_int_equal(native_isa_with(rows[i].limit), best < rows[i].most ? best : rows[i].most);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_kernel), cmocka_unit_test(vnni),
                                       cmocka_unit_test(limits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
