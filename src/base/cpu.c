/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CPU detection: cpuid on x86-64, the auxiliary vector on AArch64, nothing elsewhere. Also the table of
 * instruction sets that oneDNN has names for; they are all of x86-64.
 */
#define _GNU_SOURCE
#include "base/cpu.h"

#include "base/env.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

enum {
    NEEDS_AVX2 = CPU_SSE41 | CPU_AVX | CPU_AVX2,
    NEEDS_AVX512 = NEEDS_AVX2 | CPU_AVX512,
    NEEDS_BF16 = NEEDS_AVX512 | CPU_AVX512_VNNI | CPU_AVX512_BF16,
    NEEDS_AVX10_1 = NEEDS_BF16 | CPU_AVX_VNNI | CPU_AVX512_FP16,
};

struct isa {
    dnnl_cpu_isa_t value;
    unsigned needs;
    const char *description;
};

/* Best first. */
static const struct isa isas[] = {
        {dnnl_cpu_isa_avx10_2_amx_2, NEEDS_AVX10_1 | CPU_AVX10_2 | CPU_AMX | CPU_AMX_FP16 | CPU_AMX_FP8,
         "Intel AVX10.2 and Intel AMX with float8, float16, bfloat16 and 8-bit integer support"},
        {dnnl_cpu_isa_avx10_2, NEEDS_AVX10_1 | CPU_AVX10_2, "Intel AVX10.2"},
        {dnnl_cpu_isa_avx10_1_512_amx_fp16, NEEDS_AVX10_1 | CPU_AMX | CPU_AMX_FP16,
         "Intel AVX10.1 and Intel AMX with bfloat16, float16 and 8-bit integer support"},
        {dnnl_cpu_isa_avx10_1_512_amx, NEEDS_AVX10_1 | CPU_AMX,
         "Intel AVX10.1 and Intel AMX with bfloat16 and 8-bit integer support"},
        {dnnl_cpu_isa_avx10_1_512, NEEDS_AVX10_1, "Intel AVX 10.1"},
        {dnnl_cpu_isa_avx512_core_bf16, NEEDS_BF16, "Intel AVX-512 with Intel DL Boost and bfloat16 support"},
        {dnnl_cpu_isa_avx512_core_vnni, NEEDS_AVX512 | CPU_AVX512_VNNI, "Intel AVX-512 with Intel DL Boost"},
        {dnnl_cpu_isa_avx512_core, NEEDS_AVX512,
         "Intel AVX-512 with AVX512BW, AVX512VL, and AVX512DQ extensions"},
        {dnnl_cpu_isa_avx2_vnni_2, NEEDS_AVX2 | CPU_AVX_VNNI | CPU_AVX_VNNI_INT8 | CPU_AVX_NE_CONVERT,
         "Intel AVX2 with Intel DL Boost, float16 and bfloat16 support"},
        {dnnl_cpu_isa_avx2_vnni, NEEDS_AVX2 | CPU_AVX_VNNI, "Intel AVX2 with Intel DL Boost"},
        {dnnl_cpu_isa_avx2, NEEDS_AVX2, "Intel AVX2"},
        {dnnl_cpu_isa_avx, CPU_SSE41 | CPU_AVX, "Intel AVX"},
        {dnnl_cpu_isa_sse41, CPU_SSE41, "Intel SSE4.1"},
        {dnnl_cpu_isa_default, 0, "Generic"},
};
enum { ISAS = sizeof(isas) / sizeof(isas[0]) };

/* Values of ONEDNN_MAX_CPU_ISA, case-insensitive. All other values, "all" and "default" too, set no limit. */
static const struct {
    const char *name;
    dnnl_cpu_isa_t value;
} isa_names[] = {
        {"sse41", dnnl_cpu_isa_sse41},
        {"avx", dnnl_cpu_isa_avx},
        {"avx2", dnnl_cpu_isa_avx2},
        {"avx2_vnni", dnnl_cpu_isa_avx2_vnni},
        {"avx2_vnni_2", dnnl_cpu_isa_avx2_vnni_2},
        {"avx512_core", dnnl_cpu_isa_avx512_core},
        {"avx512_core_vnni", dnnl_cpu_isa_avx512_core_vnni},
        {"avx512_core_bf16", dnnl_cpu_isa_avx512_core_bf16},
        {"avx512_core_fp16", dnnl_cpu_isa_avx512_core_fp16},
        {"avx10_1_512", dnnl_cpu_isa_avx10_1_512},
        {"avx512_core_amx", dnnl_cpu_isa_avx512_core_amx},
        {"avx10_1_512_amx", dnnl_cpu_isa_avx10_1_512_amx},
        {"avx512_core_amx_fp16", dnnl_cpu_isa_avx512_core_amx_fp16},
        {"avx10_1_512_amx_fp16", dnnl_cpu_isa_avx10_1_512_amx_fp16},
        {"avx10_2", dnnl_cpu_isa_avx10_2},
        {"avx10_2_512", dnnl_cpu_isa_avx10_2_512},
        {"avx10_2_amx_2", dnnl_cpu_isa_avx10_2_amx_2},
        {"avx10_2_512_amx_2", dnnl_cpu_isa_avx10_2_512_amx_2},
};

#if defined(__x86_64__)
#include <cpuid.h>
#ifdef __linux__
#include <sys/syscall.h>
#include <unistd.h>
#endif

struct leaf {
    unsigned eax, ebx, ecx, edx;
};

static struct leaf cpuid(unsigned leaf, unsigned subleaf) {
    struct leaf result = {0};
    __get_cpuid_count(leaf, subleaf, &result.eax, &result.ebx, &result.ecx, &result.edx);
    return result;
}

/* XCR0: the register files that the operating system saves. */
static uint64_t saved_state(void) {
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

/* A process must request AMX tiles before use: for all its threads, and once and for all. Linux refuses where
 * a thread has a signal stack that is too small for them. */
static bool tiles_granted(void) {
#if defined(__linux__) && defined(SYS_arch_prctl)
    enum { REQUEST_PERMISSION = 0x1023, TILE_DATA = 18 };
    return syscall(SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA) == 0;
#else
    return false;
#endif
}

static unsigned when(bool condition, unsigned feature) {
    return condition ? feature : 0;
}
static bool has(unsigned word, int bit) {
    return word >> bit & 1;
}

static unsigned detect(void) {
    enum { YMM = 0x6, ZMM = 0xe6, TILES = 0x60000 };
    struct leaf one = cpuid(1, 0), seven = cpuid(7, 0), more = {0}, extended = cpuid(0x80000001, 0);
    if (seven.eax >= 1) more = cpuid(7, 1);
    unsigned found = when(has(one.ecx, 19), CPU_SSE41);
    if (!has(one.ecx, 27)) return found; /* no xgetbv */
    uint64_t state = saved_state();
    if ((state & YMM) != YMM) return found;
    found |= when(has(one.ecx, 28), CPU_AVX) | when(has(one.ecx, 12), CPU_FMA)
             | when(has(seven.ebx, 5), CPU_AVX2);
    bool small = has(one.ecx, 29) && has(one.ecx, 22) && has(seven.ebx, 3) && has(seven.ebx, 8)
                 && has(extended.ecx, 5);
    found |= when(small, CPU_SMALL_EXTENSIONS);
    found |= when(has(more.eax, 4), CPU_AVX_VNNI) | when(has(more.edx, 4), CPU_AVX_VNNI_INT8)
             | when(has(more.edx, 5), CPU_AVX_NE_CONVERT);
    if ((state & ZMM) != ZMM) return found;
    bool core = has(seven.ebx, 16) && has(seven.ebx, 17) && has(seven.ebx, 28) && has(seven.ebx, 30)
                && has(seven.ebx, 31);
    found |= when(core, CPU_AVX512) | when(has(seven.ecx, 11), CPU_AVX512_VNNI)
             | when(has(more.eax, 5), CPU_AVX512_BF16) | when(has(seven.edx, 23), CPU_AVX512_FP16);
    if (has(more.edx, 19)) found |= when((cpuid(0x24, 0).ebx & 0xff) >= 2, CPU_AVX10_2);
    bool amx = has(seven.edx, 22) && has(seven.edx, 24) && has(seven.edx, 25);
    if (!amx || (state & TILES) != TILES) return found;
    return found | CPU_AMX | when(has(more.eax, 21), CPU_AMX_FP16)
           | when(has(cpuid(0x1e, 1).eax, 4), CPU_AMX_FP8);
}
#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>

static unsigned detect(void) {
    enum { ASIMD = 1 << 1, SVE = 1 << 22 }; /* bits of AT_HWCAP */
    unsigned long capabilities = getauxval(AT_HWCAP);
    return (capabilities & ASIMD ? CPU_NEON : 0) | (capabilities & SVE ? CPU_SVE : 0);
}
#else
static unsigned detect(void) {
    return 0;
}
#endif
#ifndef __x86_64__
static bool tiles_granted(void) {
    return false;
}
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned features;         /* guarded by the lock until `fixed` is set */
static dnnl_cpu_isa_t limit = ~0; /* all bits: no limit */
static bool limited;              /* the program has set the limit */
static _Atomic(const struct isa *) fixed;

static dnnl_cpu_isa_t limit_from_environment(void) {
    const char *name = env_get("MAX_CPU_ISA");
    for (size_t i = 0; name && i < sizeof(isa_names) / sizeof(isa_names[0]); i++)
        if (strcasecmp(name, isa_names[i].name) == 0) return isa_names[i].value;
    return ~0;
}

static const struct isa *best(void) {
    for (int i = 0; i < ISAS; i++)
        if ((isas[i].value & ~limit) == 0 && (isas[i].needs & ~features) == 0) return &isas[i];
    return &isas[ISAS - 1];
}

/* The features that the limit allows: those of every instruction set within it, plus the small extensions
 * that compilers assume with AVX2. Features that oneDNN has no name for are not limited. */
static unsigned allowed(void) {
    unsigned named = 0, within = 0;
    for (int i = 0; i < ISAS; i++) {
        named |= isas[i].needs;
        if ((isas[i].value & ~limit) == 0) within |= isas[i].needs;
    }
    if (within & CPU_AVX2) within |= CPU_FMA | CPU_SMALL_EXTENSIONS;
    named |= CPU_FMA | CPU_SMALL_EXTENSIONS;
    return within | ~named;
}

/* The best instruction set within the limit. The caller holds the lock. */
static const struct isa *choose(void) {
    const struct isa *isa = atomic_load(&fixed);
    if (isa) return isa;
    features = detect();
    if (!limited) limit = limit_from_environment();
    if ((features & allowed() & CPU_AMX) && !tiles_granted())
        features &= ~(unsigned)(CPU_AMX | CPU_AMX_FP16 | CPU_AMX_FP8);
    return best();
}

static const struct isa *decide(void) {
    const struct isa *isa = atomic_load(&fixed);
    if (isa) return isa;
    pthread_mutex_lock(&lock);
    isa = choose();
    atomic_store(&fixed, isa);
    pthread_mutex_unlock(&lock);
    return isa;
}

static bool is_isa(dnnl_cpu_isa_t value) {
    for (int i = 0; i < ISAS; i++)
        if (isas[i].value == value) return true;
    return false;
}

dnnl_status_t cpu_limit_isa(dnnl_cpu_isa_t isa) {
    if (!is_isa(isa)) return dnnl_invalid_arguments;
    pthread_mutex_lock(&lock);
    bool late = limited || atomic_load(&fixed);
    if (!late) {
        limited = true;
        limit = isa == dnnl_cpu_isa_default ? (dnnl_cpu_isa_t)~0 : isa;
    }
    pthread_mutex_unlock(&lock);
    return late ? dnnl_invalid_arguments : dnnl_success;
}

dnnl_cpu_isa_t cpu_isa(void) {
    return decide()->value;
}

const char *cpu_isa_description(void) {
    pthread_mutex_lock(&lock);
    const struct isa *isa = choose();
    pthread_mutex_unlock(&lock);
    return isa->description;
}

unsigned cpu_features(void) {
    decide();
    return features & allowed();
}
