/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of kernels: every row of kernels.def with the forms that the build made of it. SPIR-V and sources
 * are embedded by the assembler.
 */
#include "kernels/kernel.h"
#include "kernels/params_all.h"

#include <string.h>

#define EMBED(symbol, file)                                                                                  \
    __asm__(".section .rodata." #symbol ",\"a\"\n"                                                           \
            ".balign 16\n" #symbol ":\n.incbin \"" file "\"\n" #symbol "_end:\n.byte 0\n.previous\n");       \
    extern const char symbol[] __attribute__((visibility("hidden")));                                        \
    extern const char symbol##_end[] __attribute__((visibility("hidden")));

EMBED(lode_sources, "sources.txt")
const char *const kernel_sources = lode_sources, *const kernel_sources_end = lode_sources_end;

#if defined(__x86_64__)
#define COMMON_FORMS(X, family)                                                                              \
    X(family, base, ISA_BASE) X(family, avx2, ISA_AVX2) X(family, avx512, ISA_AVX512)
#define VNNI_FORMS(X, family) COMMON_FORMS(X, family) X(family, avx512_vnni, ISA_AVX512_VNNI)
#else
#define COMMON_FORMS(X, family) X(family, base, ISA_BASE)
#define VNNI_FORMS COMMON_FORMS
#endif
#define DECLARE_NATIVE(family, isa, index) extern const struct native_module lode_native_##family##_##isa;
#define NATIVE_ROW(family, isa, index) [index] = &lode_native_##family##_##isa,

#define FAMILY(family_name, forms)                                                                           \
    forms##_FORMS(DECLARE_NATIVE, family_name) static const struct kernel_family family_##family_name = {    \
            .name = #family_name,                                                                            \
            .native = {forms##_FORMS(NATIVE_ROW, family_name)},                                              \
    };
#include "kernels/kernels.def"
#undef FAMILY

#define KERNELS_ALL
#define KERNEL(family_name, kernel_name, nbuffers_, scalars_, params_)                                       \
    EMBED(lode_spirv_##kernel_name, #kernel_name ".spirv")                                                   \
    const struct kernel kernel_##kernel_name = {                                                             \
            .name = #kernel_name,                                                                            \
            .family = &family_##family_name,                                                                 \
            .spirv = lode_spirv_##kernel_name,                                                               \
            .spirv_end = lode_spirv_##kernel_name##_end,                                                     \
            .nbuffers = nbuffers_,                                                                           \
            .scalars = scalars_,                                                                             \
            .params_size = sizeof(struct params_),                                                           \
    };
#include "kernels/kernels.def"
#undef KERNEL

#define KERNEL(family_name, kernel_name, nbuffers_, scalars_, params_) &kernel_##kernel_name,
const struct kernel *const kernel_list[] = {
#include "kernels/kernels.def"
};
const int kernel_count = sizeof kernel_list / sizeof kernel_list[0];

const struct native_kernel *kernel_native(const struct kernel *kernel, enum native_isa isa) {
    for (int i = (int)isa; i >= ISA_BASE; i--) {
        const struct native_module *module = kernel->family->native[i];
        for (uint32_t k = 0; module && k < module->nkernels; k++)
            if (strcmp(module->kernels[k].name, kernel->name) == 0) return &module->kernels[k];
    }
    return NULL;
}
