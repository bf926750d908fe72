/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program on a device: its kernels loaded, its parameter blocks uploaded. Immutable. The caller that loads
 * it owns it; executions name that owner, so that a recording can retain it.
 */
#ifndef LODE_RUNTIMES_EXECUTABLE_H
#define LODE_RUNTIMES_EXECUTABLE_H

#include "runtimes/runtime.h"

struct executable {
    struct device *device;
    struct program *program; /* holds a reference */
    void *params;            /* the runtime's handle, for params_free */
    void **blocks;           /* the parameter block of each launch */
    void *kernels[];         /* the kernel of each launch; the device owns them */
};

/* Loads a finished program. */
dnnl_status_t executable_load(struct executable **executable, struct device *device, struct program *program);
void executable_free(struct executable *executable);

#endif
