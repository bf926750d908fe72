/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs native kernels. Here kernel_code.backend is a struct native_kernel.
 */
#ifndef LODE_DRIVER_NATIVE_LAUNCH_H
#define LODE_DRIVER_NATIVE_LAUNCH_H

#include <stdint.h>

struct launch_command;

void native_launch(const struct launch_command *launch, const uint32_t groups[3]);

#endif
