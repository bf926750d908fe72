/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work-items on stacks of their own, so that they can meet at a barrier. All items of a group run in the
 * calling thread, in turns from barrier to barrier.
 */
#ifndef LODE_DRIVER_FIBER_H
#define LODE_DRIVER_FIBER_H

#include "kernels/native.h"

/* Runs one group of a kernel that has NATIVE_USES_BARRIER. */
void fibers_run_group(const struct native_kernel *kernel, const struct native_group *group,
                      void *const *args);

#endif
