/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which features this CPU has, and which of them we may use. A feature counts only if the operating system
 * saves its registers. The limit (dnnl_set_max_cpu_isa, ONEDNN_MAX_CPU_ISA) can be set until features are
 * first queried; from then on it is fixed. Knows nothing of kernels.
 */
#ifndef LODE_BASE_CPU_H
#define LODE_BASE_CPU_H

#include "oneapi/dnnl/dnnl_types.h"

/* CPU features of all architectures, one bit per feature. */
enum cpu_feature {
    CPU_SSE41 = 1 << 0,
    CPU_AVX = 1 << 1,
    CPU_AVX2 = 1 << 2,
    CPU_FMA = 1 << 3,
    CPU_SMALL_EXTENSIONS = 1 << 4, /* F16C, BMI, LZCNT, MOVBE: compilers assume them with AVX2 */
    CPU_AVX_VNNI = 1 << 5,
    CPU_AVX_VNNI_INT8 = 1 << 6,
    CPU_AVX_NE_CONVERT = 1 << 7,
    CPU_AVX512 = 1 << 8, /* F, BW, CD, DQ and VL */
    CPU_AVX512_VNNI = 1 << 9,
    CPU_AVX512_BF16 = 1 << 10,
    CPU_AVX512_FP16 = 1 << 11,
    CPU_AMX = 1 << 12, /* tiles, int8 and bf16 */
    CPU_AMX_FP16 = 1 << 13,
    CPU_AMX_FP8 = 1 << 14,
    CPU_AVX10_2 = 1 << 15,
    CPU_NEON = 1 << 16,
    CPU_SVE = 1 << 17,
};

/* What compilers call x86-64-v3 and x86-64-v4. */
enum {
    CPU_X86_64_V3 = CPU_SSE41 | CPU_AVX | CPU_AVX2 | CPU_FMA | CPU_SMALL_EXTENSIONS,
    CPU_X86_64_V4 = CPU_X86_64_V3 | CPU_AVX512,
};

/* The features that native code may use: those of the CPU, within the limit. */
unsigned cpu_features(void);

/* The best instruction set, as oneDNN names them, within the limit; dnnl_cpu_isa_default if there is none. */
dnnl_cpu_isa_t cpu_isa(void);
/* Its name in verbose output, such as "Intel AVX2". This query does not fix the limit. */
const char *cpu_isa_description(void);

/* dnnl_invalid_arguments: not an instruction set, or the limit is already fixed. */
dnnl_status_t cpu_limit_isa(dnnl_cpu_isa_t isa);

#endif
