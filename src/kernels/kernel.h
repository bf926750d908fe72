/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of kernels, as the host sees it. Made from kernels.def, the one list, which is also read by the
 * native build of each family. A kernel's name is its specification: the same string in source, symbol,
 * verbose line and benchmark row.
 */
#ifndef LODE_KERNELS_KERNEL_H
#define LODE_KERNELS_KERNEL_H

#include "kernels/device_info.h"
#include "kernels/native.h"

#include <stdbool.h>
#include <stddef.h>

/* What native code can be built for: NATIVE_<name> for every row of forms.def. */
enum native_form {
#define FORM(form, ...) NATIVE_##form,
#include "kernels/forms.def"
#undef FORM
    NATIVE_FORMS,
};

/* One .cl file, and its native code. */
struct kernel_family {
    const char *name;
    const struct native_module *native[NATIVE_FORMS]; /* NULL: not built for that one */
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
    const char *spirv, *spirv_end; /* a module of its own; kernel_spirv reads it */
    int nbuffers;                  /* buffer arguments, those of the epilogue among them */
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

/* Is the kernel for this device? If not, *why says what is missing. */
bool kernel_runs_on(const struct kernel *kernel, const struct device_info *device, const char **why);

/* The words of a kernel's SPIR-V, `size` bytes, to be freed; NULL: no memory. */
uint32_t *kernel_spirv(const struct kernel *kernel, size_t *size);

/* The texts that sources are made of: source.c. */
extern const char *const kernel_sources, *const kernel_sources_end;
/* The source of a kernel, with everything it includes, to be freed; NULL: no memory. Compiled with
 * KERNEL_OPTIONS, in which %s is the kernel's name, it gives that kernel alone. */
char *kernel_source(const struct kernel *kernel);
#define KERNEL_OPTIONS "-DONE_KERNEL -DWANTED_%s=1"

/* The best native form of a kernel for a CPU with these features (base/cpu.h), and the module that it is in,
 * unless `module` is NULL. NULL: there is none. */
const struct native_kernel *kernel_native(const struct kernel *kernel, unsigned cpu_features,
                                          const struct native_module **module);

/* What a CPU with these features is to native code: forms, features, vector_bytes, largest_group and
 * local_bytes are filled in, and nothing else. */
void native_describe(struct device_info *device, unsigned cpu_features);

#endif
