/* SPDX-License-Identifier: Apache-2.0 */
/* Cache blobs of primitives. What is in a blob is the runtime's business. */
#include "core/objects.h"
#include "core/verbose.h"

static dnnl_status_t no_blobs(const struct runtime *runtime) {
    return fail(dnnl_unimplemented, "primitive", "runtime %s has no cache blobs: it compiles nothing",
                runtime->name);
}

dnnl_status_t primitive_save(const struct dnnl_primitive *primitive, size_t *size, uint8_t *blob) {
    const struct plan *plan = primitive->desc.plan;
    const struct runtime *runtime = plan->device->runtime;
    const struct kernel *kernels[PLAN_MAX_LAUNCHES];
    if (!runtime->kernels_save) return no_blobs(runtime);
    for (int i = 0; i < plan->nlaunches; i++)
        kernels[i] = plan->launches[i].kernel;
    return runtime->kernels_save(plan->device, plan->nlaunches, kernels, size, blob);
}

dnnl_status_t device_restore(struct device *device, size_t size, const uint8_t *blob) {
    if (!device->runtime->kernels_restore) return no_blobs(device->runtime);
    return device->runtime->kernels_restore(device, size, blob);
}
