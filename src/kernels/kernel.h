/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of kernels, as the host sees it. Made from kernels.def, the one list, which is also read by the
 * native build of each family. A kernel's name is its specification: the same string in source, symbol,
 * verbose line and benchmark row.
 */
#ifndef LODE_KERNELS_KERNEL_H
#define LODE_KERNELS_KERNEL_H

#include "kernels/native.h"

#include <stdbool.h>
#include <stddef.h>

/* Instruction sets that native code is built for, plainest first. */
enum native_isa { ISA_BASE, ISA_AVX2, ISA_AVX512, ISA_AVX512_VNNI, ISA_COUNT };

/* One .cl file, and its native form. */
struct kernel_family {
    const char *name;
    const struct native_module *native[ISA_COUNT]; /* NULL: not built for that one */
};

struct kernel {
    const char *name;
    const struct kernel_family *family;
    const char *spirv, *spirv_end; /* a module of its own; kernel_spirv reads it */
    int nbuffers;                  /* buffer arguments, those of the epilogue among them */
    bool scalars;                  /* takes the block of scalars, by value, after the buffers */
    size_t params_size; /* of the parameter block: the last argument, a pointer to constant memory */
};

/* kernel_<name> for every row of kernels.def. */
#define KERNEL(family_, kernel_name, nbuffers_, scalars_, params_)                                           \
    extern const struct kernel kernel_##kernel_name;
#define KERNELS_ALL
#include "kernels/kernels.def"
#undef KERNELS_ALL
#undef KERNEL

/* Every kernel, and how many there are. */
extern const struct kernel *const kernel_list[];
extern const int kernel_count;

/* The words of a kernel's SPIR-V, `size` bytes, to be freed; NULL: no memory. */
uint32_t *kernel_spirv(const struct kernel *kernel, size_t *size);

/* The texts that sources are made of: source.c. */
extern const char *const kernel_sources, *const kernel_sources_end;
/* The source of a kernel, with everything it includes, to be freed; NULL: no memory. Compiled with
 * KERNEL_OPTIONS, in which %s is the kernel's name, it gives that kernel alone. */
char *kernel_source(const struct kernel *kernel);
#define KERNEL_OPTIONS "-DONE_KERNEL -DWANTED_%s=1"

/* The best native form of a kernel that `isa` can run. */
const struct native_kernel *kernel_native(const struct kernel *kernel, enum native_isa isa);

#endif
