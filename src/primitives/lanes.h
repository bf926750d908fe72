/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fast kernels for CPU-class devices come in one form a vector width. Rows of an implementation table have
 * one of these as their data, widest first.
 */
#ifndef LODE_PRIMITIVES_LANES_H
#define LODE_PRIMITIVES_LANES_H

#include "core/plan.h"

struct lanes {
    int vector_bytes; /* the device's vectors must be at least this wide */
    const struct kernel *kernel;
};

/* Is the plan's device a CPU, its vectors at least so many bytes wide? */
static inline dnnl_status_t cpu_accepts(const struct plan *plan, int vector_bytes) {
    if (plan->device->info.class != DEVICE_CPU) return plan_skip(plan, "the device is not a CPU");
    if (plan->device->info.vector_bytes < vector_bytes)
        return plan_skip(plan, "the device's vectors are narrower");
    return dnnl_success;
}

/* Is the plan's device for this row? */
static inline dnnl_status_t lanes_accept(const struct plan *plan, const struct lanes *lanes) {
    return cpu_accepts(plan, lanes->vector_bytes);
}

#endif
