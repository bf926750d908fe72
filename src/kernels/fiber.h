/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs one group of a native kernel in the calling thread. Work-items that wait at barriers run on separate
 * stacks, in turn from barrier to barrier. Used by the host runtime and by the Level Zero driver; knows
 * neither.
 */
#ifndef LODE_KERNELS_FIBER_H
#define LODE_KERNELS_FIBER_H

#include "kernels/native.h"

#include <stdbool.h>

/* Architectures with a stack switch. On others, kernels with barriers have no native form. */
#if defined(__x86_64__) || defined(__aarch64__)
#define HAVE_FIBERS 1
#else
#define HAVE_FIBERS 0
#endif

/* Runs one group of a kernel that has NATIVE_USES_BARRIER. False: out of memory for the stacks, nothing ran.
 */
bool fibers_run_group(const struct native_kernel *kernel, const struct native_group *group,
                      void *const *args);

static inline bool native_run(const struct native_kernel *kernel, const struct native_group *group,
                              void *const *args) {
    if (kernel->flags & NATIVE_USES_BARRIER) return fibers_run_group(kernel, group, args);
    kernel->run_group(group, args);
    return true;
}

#endif
