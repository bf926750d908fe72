/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs work-items on separate stacks, so that they can wait at barriers. All items of a group run in the
 * calling thread, in turn from barrier to barrier.
 */
#ifndef LODE_DRIVER_FIBER_H
#define LODE_DRIVER_FIBER_H

#include "kernels/native.h"

/* Runs one group of a kernel that has NATIVE_USES_BARRIER. */
void fibers_run_group(const struct native_kernel *kernel, const struct native_group *group,
                      void *const *args);

#endif
