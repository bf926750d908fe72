/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Process-wide settings. Many can be set only once or are read from the environment only once, so each case
 * runs in a child process. The exit code tells which check failed.
 */
#define _GNU_SOURCE
#include "test.h"
#include "oneapi/dnnl/dnnl_version.h"

#include <sys/wait.h>
#include <unistd.h>

/* In a child: exits with the line of the failed check. */
#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        if (!(condition)) return __LINE__;                                                                   \
    } while (0)
#define BAD(call) CHECK((call) == dnnl_invalid_arguments)
#define OK(call) CHECK((call) == dnnl_success)

/* The line of the check that failed in the child, or 0. */
static int in_child(int (*check)(void), const char *name, const char *value) {
    int ends[2], line = -1, status;
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        if (name) setenv(name, value, 1);
        line = check();
        _exit(write(ends[1], &line, sizeof(line)) != sizeof(line));
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_int_equal(read(ends[0], &line, sizeof(line)), sizeof(line));
    close(ends[0]);
    close(ends[1]);
    return line;
}

static int version_is_right(void) {
    const dnnl_version_t *version = dnnl_version();
    CHECK(version->major == DNNL_VERSION_MAJOR && version->minor == DNNL_VERSION_MINOR);
    CHECK(version->patch == DNNL_VERSION_PATCH && version->hash != NULL);
    CHECK(version->cpu_runtime == DNNL_CPU_RUNTIME && version->gpu_runtime == DNNL_GPU_RUNTIME);
    CHECK(dnnl_version() == version);
    return 0;
}

static int fpmath_is_strict(void) {
    dnnl_fpmath_mode_t mode = 99;
    OK(dnnl_get_default_fpmath_mode(&mode));
    CHECK(mode == dnnl_fpmath_mode_strict);
    BAD(dnnl_get_default_fpmath_mode(NULL));
    BAD(dnnl_set_default_fpmath_mode((dnnl_fpmath_mode_t)5));
    OK(dnnl_set_default_fpmath_mode(dnnl_fpmath_mode_any));
    BAD(dnnl_set_default_fpmath_mode((dnnl_fpmath_mode_t)-1));
    dnnl_primitive_attr_t attr;
    OK(dnnl_primitive_attr_create(&attr));
    OK(dnnl_primitive_attr_get_fpmath_mode(attr, &mode));
    CHECK(mode == dnnl_fpmath_mode_any);
    OK(dnnl_primitive_attr_destroy(attr));
    return 0;
}

static int fpmath_is_bf16(void) {
    dnnl_fpmath_mode_t mode = 99;
    OK(dnnl_get_default_fpmath_mode(&mode));
    CHECK(mode == dnnl_fpmath_mode_bf16);
    return 0;
}

static int fpmath_is_set(void) {
    dnnl_fpmath_mode_t mode = 99;
    OK(dnnl_set_default_fpmath_mode(dnnl_fpmath_mode_tf32));
    OK(dnnl_get_default_fpmath_mode(&mode));
    CHECK(mode == dnnl_fpmath_mode_tf32);
    return 0;
}

static int capacity_is(int expected) {
    int capacity = -7;
    OK(dnnl_get_primitive_cache_capacity(&capacity));
    CHECK(capacity == expected);
    return 0;
}

static int capacity_default(void) {
    CHECK(capacity_is(1024) == 0);
    BAD(dnnl_get_primitive_cache_capacity(NULL));
    BAD(dnnl_set_primitive_cache_capacity(-1));
    CHECK(capacity_is(1024) == 0);
    OK(dnnl_set_primitive_cache_capacity(0));
    CHECK(capacity_is(0) == 0);
    OK(dnnl_set_primitive_cache_capacity(INT32_MAX));
    return capacity_is(INT32_MAX);
}

static int capacity_from_environment(void) {
    return capacity_is(5);
}

static int isa_once(void) {
    BAD(dnnl_set_max_cpu_isa((dnnl_cpu_isa_t)0x5));
    BAD(dnnl_set_max_cpu_isa((dnnl_cpu_isa_t)-1));
    OK(dnnl_set_max_cpu_isa(dnnl_cpu_isa_sse41));
    BAD(dnnl_set_max_cpu_isa(dnnl_cpu_isa_avx2));
    dnnl_cpu_isa_t isa = dnnl_get_effective_cpu_isa();
    CHECK((isa & ~dnnl_cpu_isa_sse41) == 0);
    BAD(dnnl_set_max_cpu_isa(dnnl_cpu_isa_sse41));
    CHECK(dnnl_get_effective_cpu_isa() == isa);
    return 0;
}

static int isa_late(void) {
    dnnl_cpu_isa_t isa = dnnl_get_effective_cpu_isa();
    BAD(dnnl_set_max_cpu_isa(dnnl_cpu_isa_default));
    CHECK(dnnl_get_effective_cpu_isa() == isa);
    return 0;
}

static int isa_at_most_avx2(void) {
    CHECK((dnnl_get_effective_cpu_isa() & ~dnnl_cpu_isa_avx2) == 0);
    return 0;
}

/* What a program sets takes precedence over the environment. */
static int isa_set_over_avx2(void) {
    OK(dnnl_set_max_cpu_isa(dnnl_cpu_isa_sse41));
    CHECK((dnnl_get_effective_cpu_isa() & ~dnnl_cpu_isa_sse41) == 0);
    return 0;
}

static int hints_once(void) {
    OK(dnnl_set_cpu_isa_hints(dnnl_cpu_isa_prefer_ymm));
    CHECK(dnnl_set_cpu_isa_hints(dnnl_cpu_isa_no_hints) == dnnl_runtime_error);
    CHECK(dnnl_get_cpu_isa_hints() == dnnl_cpu_isa_prefer_ymm);
    return 0;
}

static int hints_late(void) {
    CHECK(dnnl_get_cpu_isa_hints() == dnnl_cpu_isa_no_hints);
    CHECK(dnnl_set_cpu_isa_hints(dnnl_cpu_isa_prefer_ymm) == dnnl_runtime_error);
    CHECK(dnnl_get_cpu_isa_hints() == dnnl_cpu_isa_no_hints);
    return 0;
}

static int hints_from_environment(void) {
    CHECK(dnnl_get_cpu_isa_hints() == dnnl_cpu_isa_prefer_ymm);
    return 0;
}

static int profilers(void) {
    OK(dnnl_set_jit_dump(1));
    OK(dnnl_set_jit_dump(0));
    OK(dnnl_set_jit_profiling_flags(DNNL_JIT_PROFILE_NONE));
    OK(dnnl_set_jit_profiling_flags(DNNL_JIT_PROFILE_VTUNE | DNNL_JIT_PROFILE_LINUX_PERF
                                    | DNNL_JIT_PROFILE_LINUX_JITDUMP_USE_TSC));
    BAD(dnnl_set_jit_profiling_flags(16));
    BAD(dnnl_set_jit_profiling_flags(~0u));
    OK(dnnl_set_jit_profiling_jitdumpdir("."));
    return 0;
}

static int verbose_levels(void) {
    int enabled = -1;
    OK(dnnl_set_verbose(2));
    OK(dnnl_verbose_profiling_enabled(&enabled));
    CHECK(enabled != 0);
    BAD(dnnl_set_verbose(3));
    BAD(dnnl_set_verbose(-1));
    OK(dnnl_set_verbose(0));
    OK(dnnl_verbose_profiling_enabled(&enabled));
    CHECK(enabled == 0);
    BAD(dnnl_verbose_profiling_enabled(NULL));
    return 0;
}

static const struct setting {
    int (*check)(void);
    const char *name, *value;
} settings[] = {
        {version_is_right, NULL, NULL},
        {fpmath_is_strict, NULL, NULL},
        {fpmath_is_strict, "ONEDNN_DEFAULT_FPMATH_MODE", "nonsense"},
        {fpmath_is_bf16, "ONEDNN_DEFAULT_FPMATH_MODE", "BF16"},
        {fpmath_is_bf16, "DNNL_DEFAULT_FPMATH_MODE", "bf16"},
        {fpmath_is_set, "ONEDNN_DEFAULT_FPMATH_MODE", "BF16"},
        {capacity_default, NULL, NULL},
        {capacity_from_environment, "ONEDNN_PRIMITIVE_CACHE_CAPACITY", "5"},
        {isa_once, NULL, NULL},
        {isa_late, NULL, NULL},
        {isa_at_most_avx2, "ONEDNN_MAX_CPU_ISA", "AVX2"},
        {isa_at_most_avx2, "DNNL_MAX_CPU_ISA", "avx2"},
        {isa_set_over_avx2, "ONEDNN_MAX_CPU_ISA", "AVX2"},
        {hints_once, NULL, NULL},
        {hints_once, "ONEDNN_CPU_ISA_HINTS", "NO_HINTS"},
        {hints_late, NULL, NULL},
        {hints_from_environment, "ONEDNN_CPU_ISA_HINTS", "prefer_ymm"},
        {profilers, NULL, NULL},
        {verbose_levels, NULL, NULL},
};

static void all_settings(void **state) {
    (void)state;
    for (int i = 0; i < COUNT(settings); i++) {
        int line = in_child(settings[i].check, settings[i].name, settings[i].value);
        if (line) fail_msg("line %d, with %s=%s", line, settings[i].name, settings[i].value);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_settings)};
    return cmocka_run_group_tests_name("api.service", tests, NULL, NULL);
}
