/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernel handles: kernel code plus group size, global offset and argument values. A launch copies all of
 * them.
 */
#ifndef LODE_DRIVER_KERNEL_H
#define LODE_DRIVER_KERNEL_H

#include "driver/module.h"

struct kernel {
    struct object object;
    struct module *module; /* held */
    const struct kernel_code *code;
    uint32_t group_size[3], offset[3];
    ze_kernel_indirect_access_flags_t indirect_access;
    unsigned char *values; /* code->block_size bytes, arguments at code->offsets */
    struct argument_state {
        bool set;
        uint32_t local_size;
    } *states;
};

static inline struct kernel *to_kernel(ze_kernel_handle_t handle) {
    return object_is(handle, OBJECT_KERNEL) ? (struct kernel *)handle : NULL;
}

/* Is the value valid for that argument? */
ze_result_t argument_check(const struct kernel_code *code, uint32_t index, size_t size, const void *value);
/* Checks one argument and writes it into a block of values. */
ze_result_t argument_write(const struct kernel_code *code, uint32_t index, size_t size, const void *value,
                           unsigned char *values, uint32_t *local_size);
ze_result_t check_group_size(const struct kernel_code *code, const uint32_t size[3]);

/* Runs that many groups of a launch; returns when all are done. */
static inline void launch_groups(const struct launch_command *launch, const uint32_t groups[3]) {
    launch->code->launch(launch, groups);
}

#endif
