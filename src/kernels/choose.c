/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which kernels a device gets, and which native form of them: the one place that reads the classes, needs and
 * forms of kernels.def and the features and ranks of forms.def.
 */
#include "kernels/kernel.h"
#include "kernels/fiber.h"
#include "base/cpu.h"

#include <string.h>

static const struct {
    unsigned features;
    int rank, vector_bytes;
} native_forms[NATIVE_FORMS] = {
#define FORM(form, architecture, features_, rank_, vector_bytes_, ...)                                       \
    [NATIVE_##form] = {features_, rank_, vector_bytes_},
#include "kernels/forms.def"
#undef FORM
};

/* The text of dispatch lines for each feature that a device may lack. */
static const struct {
    unsigned feature;
    const char *why;
} missing[] = {
        {HAS_SUB_GROUP_4, "no sub-groups of 4 on this device"},
        {HAS_SUB_GROUP_8, "no sub-groups of 8 on this device"},
        {HAS_SUB_GROUP_16, "no sub-groups of 16 on this device"},
        {HAS_SUB_GROUP_32, "no sub-groups of 32 on this device"},
        {HAS_SUB_GROUP_64, "no sub-groups of 64 on this device"},
        {HAS_SUB_GROUPS, "no sub-groups on this device"},
        {HAS_INTEL_SUB_GROUPS, "no block reads on this device"},
        {HAS_INTEL_SUB_GROUPS_SHORT, "no block reads of 16-bit elements on this device"},
        {HAS_LOCAL_MEMORY, "no local memory on this device"},
        {HAS_FP16, "no half precision on this device"},
        {HAS_FP64, "no doubles on this device"},
        {HAS_INTEGER_DOT, "no dot products of integers on this device"},
        {HAS_MATRIX_ENGINE, "no matrix engine on this device"},
        {HAS_WIDE_VECTORS, "no 64-byte vector registers on this device"},
        {HAS_BF16_DOT, "no dot products of bf16 on this device"},
        {HAS_MATRIX_TILES, "no matrix tiles on this device"},
};

static const char *first_missing(unsigned features) {
    for (size_t i = 0; i < sizeof missing / sizeof missing[0]; i++)
        if (features & missing[i].feature) return missing[i].why;
    return NULL;
}

bool kernel_runs_on(const struct kernel *kernel, const struct device_info *device, const char **why) {
    *why = NULL;
    if (!(kernel->class & 1u << device->class))
        *why = kernel->class == CLASS_CPU ? "the device is not a CPU" : "the device is not a GPU";
    else if (kernel->needs & ~device->features)
        *why = first_missing(kernel->needs & ~device->features);
    else if (!(kernel->forms & device->forms))
        *why = "the kernel has no form that the device accepts";
    return !*why;
}

static const struct native_kernel *find_kernel(const struct native_module *module, const char *name) {
    for (uint32_t k = 0; k < module->nkernels; k++)
        if (strcmp(module->kernels[k].name, name) == 0) return &module->kernels[k];
    return NULL;
}

/* The highest-ranked form whose features are all present, of those built for `family` (NULL: of all); -1:
 * none.
 */
static int best_form(const struct kernel_family *family, unsigned cpu_features) {
    int best = -1;
    for (int i = 0; i < NATIVE_FORMS; i++) {
        if (native_forms[i].features & ~cpu_features) continue;
        if (family && !family->native[i]) continue;
        if (best < 0 || native_forms[i].rank > native_forms[best].rank) best = i;
    }
    return best;
}

const struct native_kernel *kernel_native(const struct kernel *kernel, unsigned cpu_features,
                                          const struct native_module **module) {
    int form = best_form(kernel->family, cpu_features);
    if (form < 0) return NULL;
    if (module) *module = kernel->family->native[form];
    return find_kernel(kernel->family->native[form], kernel->name);
}

const char *kernel_form_name(const struct kernel *kernel, const struct device_info *device,
                             unsigned cpu_features) {
    static const char *const names[NATIVE_FORMS] = {
#define FORM(form, ...) [NATIVE_##form] = #form,
#include "kernels/forms.def"
#undef FORM
    };
    unsigned forms = kernel->forms & device->forms;
    int native = forms & FORM_NATIVE ? best_form(kernel->family, cpu_features) : -1;
    if (native >= 0) return names[native];
    return forms & FORM_SPIRV ? "spirv" : "source";
}

void native_describe(struct device_info *device, unsigned cpu_features) {
    device->forms = FORM_NATIVE;
    device->vector_bytes = native_forms[best_form(NULL, cpu_features)].vector_bytes;
    device->features = HAS_FP64 | (HAVE_FIBERS ? HAS_LOCAL_MEMORY : 0)
                       | (device->vector_bytes >= 64 ? HAS_WIDE_VECTORS : 0)
                       | (cpu_features & (CPU_AVX_VNNI | CPU_AVX512_VNNI) ? HAS_INTEGER_DOT : 0)
                       | (cpu_features & CPU_AVX512_BF16 ? HAS_BF16_DOT : 0)
                       | (cpu_features & CPU_AMX ? HAS_MATRIX_TILES : 0);
    device->largest_group = 1024;
    device->local_bytes = 65536;
}
