/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The host's table of kernels, made from kernels.def, which the native build of each family reads too. A
 * kernel's name is its specification: the same string in source, symbol, verbose line and benchmark row.
 */
#ifndef LODE_KERNELS_KERNEL_H
#define LODE_KERNELS_KERNEL_H

#include "kernels/device_info.h"
#include "kernels/native.h"

#include <stdbool.h>
#include <stddef.h>

/* NATIVE_<name> for every row of forms.def. */
enum native_form {
#define FORM(form, ...) NATIVE_##form,
#include "kernels/forms.def"
#undef FORM
    NATIVE_FORMS,
};

/* One .cl file, and its native code. */
struct kernel_family {
    const char *name;
    const struct native_module *native[NATIVE_FORMS]; /* NULL: not built in that form */
};

enum kernel_class {
    CLASS_CPU = 1 << DEVICE_CPU,
    CLASS_GPU = 1 << DEVICE_GPU,
    CLASS_ANY = CLASS_CPU | CLASS_GPU,
};

struct kernel {
    const char *name;
    const struct kernel_family *family;
    enum kernel_class class;
    unsigned needs;                /* set of enum device_feature */
    unsigned forms;                /* set of enum kernel_form */
    const char *spirv, *spirv_end; /* a module of its own, shrunk; NULL: it has none */
    int nbuffers;                  /* buffer arguments, including those of the epilogue */
    bool scalars;                  /* takes the block of scalars, by value, after the buffers */
    size_t params_size; /* of the parameter block: the last argument, a pointer to constant memory */
};

/* kernel_<name> for every row of kernels.def. */
#define KERNEL(family_, kernel_name, ...) extern const struct kernel kernel_##kernel_name;
#define KERNELS_ALL
#include "kernels/kernels.def"
#undef KERNELS_ALL
#undef KERNEL

/* Every kernel, and how many there are. */
extern const struct kernel *const kernel_list[];
extern const int kernel_count;

/* True if the device can run the kernel. If not, *why says what is missing. */
bool kernel_runs_on(const struct kernel *kernel, const struct device_info *device, const char **why);

/* The words of a kernel's SPIR-V, `size` bytes; the caller frees them. NULL: out of memory. */
uint32_t *kernel_spirv(const struct kernel *kernel, size_t *size);

/* The texts from which source.c assembles sources, shrunk. */
extern const char *const kernel_sources, *const kernel_sources_end;
/* The source of a kernel, with everything it includes; the caller frees it. NULL: out of memory. Compiled
 * with KERNEL_OPTIONS, in which %s is the kernel's name, it gives that kernel alone. */
char *kernel_source(const struct kernel *kernel);
#define KERNEL_OPTIONS "-DONE_KERNEL -DWANTED_%s=1"

/* The best native form of a kernel for a CPU with these features (base/cpu.h); NULL: there is none. Sets
 * *module to the module that contains it, unless `module` is NULL. */
const struct native_kernel *kernel_native(const struct kernel *kernel, unsigned cpu_features,
                                          const struct native_module **module);

/* The name of the form in which a device runs a kernel: that of a native form, "spirv" or "source". */
const char *kernel_form_name(const struct kernel *kernel, const struct device_info *device,
                             unsigned cpu_features);

/* Describes a CPU with these features as a device for native code: fills in forms, features, vector_bytes,
 * largest_group and local_bytes, and nothing else. */
void native_describe(struct device_info *device, unsigned cpu_features);

#endif
