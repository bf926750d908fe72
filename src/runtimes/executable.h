/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program on a device: its kernels loaded, its parameter blocks uploaded. Immutable. It belongs to whoever
 * loaded it; executions name that owner, so that a recording can keep it.
 */
#ifndef LODE_RUNTIMES_EXECUTABLE_H
#define LODE_RUNTIMES_EXECUTABLE_H

#include "runtimes/runtime.h"

struct executable {
    struct device *device;
    struct program *program; /* holds a reference */
    void *params;            /* the runtime's, for params_free */
    void **blocks;           /* what each launch passes as its parameter block */
    void *kernels[];         /* of each launch; the device's */
};

/* Loads a finished program. */
dnnl_status_t executable_load(struct executable **executable, struct device *device, struct program *program);
void executable_free(struct executable *executable);

#endif
