/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of kernels: every row of kernels.def with the forms that the build made of it. SPIR-V and sources
 * are embedded by the assembler. built_forms.h, which the build writes, lists the native forms:
 * NATIVE_FORMS_OF_<family>(X) is X(family, form) for each.
 */
#include "kernels/kernel.h"
#include "kernels/params_all.h"
#include "built_forms.h"

#define EMBED(symbol, file)                                                                                  \
    __asm__(".section .rodata." #symbol ",\"a\"\n"                                                           \
            ".balign 16\n" #symbol ":\n.incbin \"" file "\"\n" #symbol "_end:\n.byte 0\n.previous\n");       \
    extern const char symbol[] __attribute__((visibility("hidden")));                                        \
    extern const char symbol##_end[] __attribute__((visibility("hidden")));

EMBED(lode_sources, "sources.shrunk")
const char *const kernel_sources = lode_sources, *const kernel_sources_end = lode_sources_end;

#define DECLARE_NATIVE(family, form) extern const struct native_module lode_native_##family##_##form;
#define NATIVE_ROW(family, form) [NATIVE_##form] = &lode_native_##family##_##form,
#define FAMILY(family_name, forms_)                                                                          \
    NATIVE_FORMS_OF_##family_name(DECLARE_NATIVE) static const struct kernel_family family_##family_name = { \
            .name = #family_name,                                                                            \
            .native = {NATIVE_FORMS_OF_##family_name(NATIVE_ROW)},                                           \
    };
#include "kernels/kernels.def"
#undef FAMILY

enum {
    NATIVE_FORM = FORM_NATIVE,
    DEVICE_FORMS = FORM_SPIRV | FORM_SOURCE,
    ALL_FORMS = NATIVE_FORM | DEVICE_FORMS,
};

#define EMBED_ALL_FORMS(name) EMBED(lode_spirv_##name, #name ".spirv")
#define EMBED_DEVICE_FORMS EMBED_ALL_FORMS
#define EMBED_NATIVE_FORM(name)
#define SPIRV_ALL_FORMS(name) .spirv = lode_spirv_##name, .spirv_end = lode_spirv_##name##_end,
#define SPIRV_DEVICE_FORMS SPIRV_ALL_FORMS
#define SPIRV_NATIVE_FORM(name)

#define KERNELS_ALL
#define KERNEL(family_name, kernel_name, class_, needs_, forms_, nbuffers_, scalars_, params_)               \
    EMBED_##forms_(kernel_name) const struct kernel kernel_##kernel_name = {                                 \
            .name = #kernel_name,                                                                            \
            .family = &family_##family_name,                                                                 \
            .class = CLASS_##class_,                                                                         \
            .needs = needs_,                                                                                 \
            .forms = forms_,                                                                                 \
            SPIRV_##forms_(kernel_name).nbuffers = nbuffers_,                                                \
            .scalars = scalars_,                                                                             \
            .params_size = sizeof(struct params_),                                                           \
    };
#include "kernels/kernels.def"
#undef KERNEL

#define KERNEL(family_name, kernel_name, ...) &kernel_##kernel_name,
const struct kernel *const kernel_list[] = {
#include "kernels/kernels.def"
};
const int kernel_count = sizeof kernel_list / sizeof kernel_list[0];
