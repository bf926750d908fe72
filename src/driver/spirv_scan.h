/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads names, arguments, attributes and specialization constants of a SPIR-V module's kernels. An OpenCL
 * runtime compiles the module but does not report kinds and sizes of arguments.
 */
#ifndef LODE_DRIVER_SPIRV_SCAN_H
#define LODE_DRIVER_SPIRV_SCAN_H

#include "kernels/native.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SPIRV_MAGIC UINT32_C(0x07230203)

struct spirv_kernel {
    char *name;
    struct native_arg *args;
    uint32_t nargs;
    uint32_t group_size[3]; /* required, or zeros */
    char attributes[128];   /* as OpenCL C spells them, separated by spaces */
    bool unsupported;       /* takes images or samplers */
};

struct spirv_constant {
    uint32_t id;   /* as programs specify it */
    uint32_t size; /* bytes */
};

struct spirv_scan {
    uint32_t version; /* as in the module's header: 0x00010200 for 1.2 */
    struct spirv_kernel *kernels;
    uint32_t nkernels;
    struct spirv_constant *constants;
    uint32_t nconstants;
};

/* NULL on success, else what is wrong; then there is nothing to free. */
const char *spirv_scan(const void *bytes, size_t size, struct spirv_scan *scan);
void spirv_scan_free(struct spirv_scan *scan);

#endif
