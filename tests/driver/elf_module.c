/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A native module as a build would produce it: a shared object that exports a kernel table. Tests add its
 * checksum, and load it and damaged copies of it.
 */
#include "kernels/native.h"

uint32_t module_counter = 5; /* a global, found by name */

static void count_group(const struct native_group *group, void *const *args) {
    uint32_t *dst = *(uint32_t **)args[0];
    for (uint32_t i = 0; i < group->size[0]; i++)
        dst[group->id[0] * group->size[0] + i] = module_counter + group->id[0];
}

static const struct native_arg count_args[] = {{NATIVE_ARG_BUFFER, 8}};
static const struct native_kernel kernels[] = {
        {.name = "count", .run_group = count_group, .args = count_args, .nargs = 1},
};

const struct native_module lode_native_module = {NATIVE_MAGIC, NATIVE_VERSION, 1, kernels};
