/* SPDX-License-Identifier: Apache-2.0 */
/* Cache blobs of primitives. The runtime defines their contents. */
#include "core/objects.h"
#include "core/report.h"
#include "base/verbose.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static dnnl_status_t no_blobs(const struct runtime *runtime) {
    return fail(dnnl_unimplemented, "primitive", "runtime %s has no cache blobs: it compiles nothing",
                runtime->name);
}

dnnl_status_t primitive_save(const struct dnnl_primitive *primitive, size_t *size, uint8_t *blob) {
    const struct plan *plan = primitive->desc.plan;
    const struct runtime *runtime = plan->device->runtime;
    const struct program *program = plan->program;
    if (!runtime->kernels_save) return no_blobs(runtime);
    const struct kernel **kernels = malloc((size_t)program->nlaunches * sizeof *kernels + 1);
    if (!kernels) return dnnl_out_of_memory;
    for (int i = 0; i < program->nlaunches; i++)
        kernels[i] = program->launches[i]->kernel;
    dnnl_status_t status = runtime->kernels_save(plan->device, program->nlaunches, kernels, size, blob);
    free(kernels);
    return status;
}

/* The device's id, which includes the library's version; a description of what the plan computes; and a hash
 * of everything that the description leaves out. */
static dnnl_status_t make_id(struct plan *plan) {
    char words[REPORT_LINE];
    report_describe(plan, words, sizeof words);
    size_t device_size, room = strlen(words) + 32;
    TRY(plan->device->runtime->blob_id(plan->device, &device_size, NULL));
    uint8_t *id = malloc(device_size + room);
    if (!id) return dnnl_out_of_memory;
    dnnl_status_t status = plan->device->runtime->blob_id(plan->device, &device_size, id);
    uint64_t hash = attr_hash(&plan->attr, problem_hash(&plan->request, 0));
    plan->blob_id_size =
            device_size + (size_t)snprintf((char *)id + device_size, room, "%s,%016" PRIx64, words, hash);
    if (status == dnnl_success)
        plan->blob_id = id;
    else
        free(id);
    return status;
}

dnnl_status_t plan_blob_id(struct plan *plan, const uint8_t **id, size_t *size) {
    dnnl_status_t status = dnnl_success;
    pthread_mutex_lock(&plan->lock);
    if (!plan->blob_id && plan->device->runtime->blob_id) status = make_id(plan);
    if (status == dnnl_success) {
        *id = plan->blob_id;
        *size = plan->blob_id ? plan->blob_id_size : 0;
    }
    pthread_mutex_unlock(&plan->lock);
    return status;
}

dnnl_status_t device_restore(struct device *device, size_t size, const uint8_t *blob) {
    if (!device->runtime->kernels_restore) return no_blobs(device->runtime);
    return device->runtime->kernels_restore(device, size, blob);
}

dnnl_status_t engine_create_restored(struct dnnl_engine **engine, const struct runtime *runtime,
                                     const struct device_origin *origin, size_t size, const uint8_t *blob) {
    struct dnnl_engine *made;
    TRY(engine_create(&made, runtime, origin));
    dnnl_status_t status = blob ? device_restore(made->device, size, blob) : dnnl_success;
    if (status == dnnl_success)
        *engine = made;
    else
        engine_release(made);
    return status;
}
