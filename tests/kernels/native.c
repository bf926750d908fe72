/* SPDX-License-Identifier: Apache-2.0 */
/* The native forms of kernels: which one a CPU gets, and which features the limit leaves. */
#define _GNU_SOURCE
#include "base/cpu.h"
#include "kernels/kernel.h"
#include "test.h"

#include <sys/wait.h>
#include <unistd.h>

enum { AVX512_VNNI = CPU_X86_64_V4 | CPU_AVX512_VNNI, AVX2_VNNI = CPU_X86_64_V3 | CPU_AVX_VNNI };

/* Every kernel whose row says so has a native form for every CPU that has the vectors, the dot products of
 * bf16 and the tiles that it needs; the others have none. */
static bool has_form(const struct kernel *kernel, unsigned cpu_features) {
    struct device_info cpu = {0};
    native_describe(&cpu, cpu_features);
    return (kernel->forms & FORM_NATIVE)
           && !(kernel->needs & (HAS_BF16_DOT | HAS_MATRIX_TILES | HAS_WIDE_VECTORS) & ~cpu.features);
}

static void every_kernel(void **state) {
    (void)state;
    static const unsigned cpus[] = {0, CPU_X86_64_V3, AVX2_VNNI, CPU_X86_64_V4, AVX512_VNNI, ~0u};
    for (int k = 0; k < kernel_count; k++)
        for (int i = 0; i < COUNT(cpus); i++) {
            const struct native_kernel *native = kernel_native(kernel_list[k], cpus[i], NULL);
            assert_int_equal(native != NULL, has_form(kernel_list[k], cpus[i]));
            if (!native) continue;
            assert_string_equal(native->name, kernel_list[k]->name);
            assert_int_equal((native->flags & NATIVE_USES_BARRIER) != 0,
                             (kernel_list[k]->needs & HAS_LOCAL_MEMORY) != 0);
        }
}

static const struct native_module *module_for(const struct kernel *kernel, unsigned cpu_features) {
    const struct native_module *module = NULL;
    assert_non_null(kernel_native(kernel, cpu_features, &module));
    return module;
}

/* A CPU gets the best of the family's forms that it can run. */
static void best_form(void **state) {
    (void)state;
#if defined(__x86_64__)
    const struct kernel *int8 = &kernel_int8_gemm_12x32, *f32 = &kernel_f32_gemm_6x16;
    static const struct {
        unsigned cpu;
        enum native_form of_int8, of_f32;
    } rows[] = {
            {0, NATIVE_base, NATIVE_base},
            {CPU_X86_64_V3 & ~CPU_FMA, NATIVE_base, NATIVE_base},
            {CPU_X86_64_V3, NATIVE_avx2, NATIVE_avx2},
            {AVX2_VNNI, NATIVE_avx2_vnni, NATIVE_avx2},
            {CPU_X86_64_V4, NATIVE_avx512, NATIVE_avx512},
            {CPU_X86_64_V4 | CPU_AVX_VNNI, NATIVE_avx512, NATIVE_avx512},
            {AVX512_VNNI, NATIVE_avx512_vnni, NATIVE_avx512},
            {~0u, NATIVE_avx512_vnni, NATIVE_avx512},
    };
    for (int i = 0; i < COUNT(rows); i++) {
        assert_ptr_equal(module_for(int8, rows[i].cpu), int8->family->native[rows[i].of_int8]);
        assert_ptr_equal(module_for(f32, rows[i].cpu), f32->family->native[rows[i].of_f32]);
    }
#endif
}

static void vector_bytes(void **state) {
    (void)state;
    static const struct {
        unsigned cpu;
        int bytes;
    } rows[] = {{0, 16}, {CPU_X86_64_V3, 32}, {AVX2_VNNI, 32}, {CPU_X86_64_V4, 64}, {AVX512_VNNI, 64}};
    for (int i = 0; i < COUNT(rows); i++) {
        struct device_info info = {0};
        native_describe(&info, rows[i].cpu);
        assert_int_equal(info.vector_bytes, rows[i].bytes);
        assert_int_equal((info.features & HAS_WIDE_VECTORS) != 0, rows[i].bytes == 64);
    }
}

/* The features that a process with this limit may use. */
static unsigned features_with(const char *limit) {
    unsigned features = 0;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        setenv("ONEDNN_MAX_CPU_ISA", limit, 1);
        features = cpu_features();
        _exit(write(ends[1], &features, sizeof features) != sizeof features);
    }
    int status = 1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(read(ends[0], &features, sizeof features), sizeof features);
    close(ends[0]), close(ends[1]);
    return features;
}

/* A limit removes the features above it and no others. */
static void limits(void **state) {
    (void)state;
    static const struct {
        const char *limit;
        unsigned most;
    } rows[] = {{"SSE41", CPU_SSE41},
                {"AVX", CPU_SSE41 | CPU_AVX},
                {"AVX2", CPU_X86_64_V3},
                {"AVX2_VNNI", AVX2_VNNI},
                {"AVX512_CORE", CPU_X86_64_V4},
                {"AVX512_CORE_VNNI", AVX512_VNNI},
                {"AVX512_CORE_BF16", AVX512_VNNI | CPU_AVX512_BF16}};
    unsigned arm = CPU_NEON | CPU_SVE, all = features_with("ALL");
    for (int i = 0; i < COUNT(rows); i++)
        assert_int_equal(features_with(rows[i].limit), all & (rows[i].most | arm));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_kernel), cmocka_unit_test(best_form),
                                       cmocka_unit_test(vector_bytes), cmocka_unit_test(limits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
