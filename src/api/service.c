/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Process-wide settings: instruction sets, the default fpmath mode, the primitive cache, verbose output,
 * profilers. Only checks; each setting is stored where it is used.
 */
#include "base/cpu.h"
#include "base/env.h"
#include "core/attr.h"
#include "core/cache.h"
#include "base/verbose.h"
#include "oneapi/dnnl/dnnl.h"

#include <stdatomic.h>
#include <strings.h>

/* Instruction sets */

dnnl_status_t dnnl_set_max_cpu_isa(dnnl_cpu_isa_t isa) {
    if (cpu_limit_isa(isa) == dnnl_success) return dnnl_success;
    return fail(dnnl_invalid_arguments, "service", "cpu isa %#x is unknown or set too late", (unsigned)isa);
}

dnnl_cpu_isa_t dnnl_get_effective_cpu_isa(void) {
    return cpu_isa();
}

/* Hints can be set once, before they are first read. They are only stored and returned: our kernels do not
 * depend on them. */
#define HINTS_OPEN INT64_MIN
static _Atomic int64_t hints = HINTS_OPEN;

/* False if the hints were already fixed. */
static bool fix_hints(dnnl_cpu_isa_hints_t value) {
    int64_t open = HINTS_OPEN;
    return atomic_compare_exchange_strong(&hints, &open, (int64_t)value);
}

dnnl_status_t dnnl_set_cpu_isa_hints(dnnl_cpu_isa_hints_t isa_hints) {
    if (fix_hints(isa_hints)) return dnnl_success;
    return fail_check(dnnl_runtime_error, "service", "cpu isa hints are set too late");
}

dnnl_cpu_isa_hints_t dnnl_get_cpu_isa_hints(void) {
    const char *name = env_get("CPU_ISA_HINTS");
    fix_hints(name && strcasecmp(name, "prefer_ymm") == 0 ? dnnl_cpu_isa_prefer_ymm : dnnl_cpu_isa_no_hints);
    return (dnnl_cpu_isa_hints_t)atomic_load(&hints);
}

/* Defaults */

dnnl_status_t dnnl_set_default_fpmath_mode(dnnl_fpmath_mode_t mode) {
    if (fpmath_set_default(mode) == dnnl_success) return dnnl_success;
    return fail_param("service", "mode");
}

dnnl_status_t dnnl_get_default_fpmath_mode(dnnl_fpmath_mode_t *mode) {
    if (!mode) return fail_null("service");
    *mode = fpmath_default();
    return dnnl_success;
}

/* The primitive cache */

dnnl_status_t dnnl_get_primitive_cache_capacity(int *capacity) {
    if (!capacity) return fail_null("service");
    *capacity = cache_capacity();
    return dnnl_success;
}

dnnl_status_t dnnl_set_primitive_cache_capacity(int capacity) {
    if (capacity < 0) return fail_param("service", "capacity");
    return cache_set_capacity(capacity);
}

/* Verbose output */

dnnl_status_t dnnl_set_verbose(int level) {
    static const unsigned levels[] = {0, VERBOSE_ERROR | VERBOSE_EXEC,
                                      VERBOSE_ERROR | VERBOSE_EXEC | VERBOSE_CREATE};
    if (level < 0 || level > 2) return fail_param("service", "level");
    verbose_set(levels[level]);
    return dnnl_success;
}

dnnl_status_t dnnl_verbose_profiling_enabled(int *enabled) {
    if (!enabled) return fail_null("service");
    *enabled = verbose_on(VERBOSE_CREATE | VERBOSE_EXEC);
    return dnnl_success;
}

/* Profilers of generated code. Our kernels are compiled with the library and have ordinary symbols that
 * profilers see, so there is nothing to dump. */

dnnl_status_t dnnl_set_jit_dump(int enable) {
    (void)enable;
    return dnnl_success;
}

dnnl_status_t dnnl_set_jit_profiling_flags(unsigned flags) {
    const unsigned known =
            DNNL_JIT_PROFILE_VTUNE | DNNL_JIT_PROFILE_LINUX_PERF | DNNL_JIT_PROFILE_LINUX_JITDUMP_USE_TSC;
    if (flags & ~known) return fail_param("service", "flags");
    return dnnl_success;
}

dnnl_status_t dnnl_set_jit_profiling_jitdumpdir(const char *dir) {
    (void)dir;
    return dnnl_success;
}
