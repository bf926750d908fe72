/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Binaries of Level Zero modules: device keys and cache blobs. Native modules are part of the library, so a
 * blob of the embedded driver contains none.
 */
#define _GNU_SOURCE
#include "runtimes/level_zero/level_zero.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_id(FILE *text, const uint8_t *id, size_t size) {
    for (size_t i = 0; i < size; i++)
        fprintf(text, "%02x", id[i]);
    fputc('\n', text);
}

char *lz_device_key(const struct found_driver *driver, ze_device_handle_t handle) {
    ze_driver_properties_t own = {.stype = ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES};
    ze_device_properties_t device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    char *key = NULL;
    size_t size;
    if (driver->ze->DriverGetProperties(driver->handle, &own) != ZE_RESULT_SUCCESS
        || driver->ze->DeviceGetProperties(handle, &device) != ZE_RESULT_SUCCESS)
        return NULL;
    FILE *text = open_memstream(&key, &size);
    if (!text) return NULL;
    fprintf(text, "%sLevel Zero\n%u\n%.255s\n%x:%x\n", binaries_library, own.driverVersion, device.name,
            device.vendorId, device.deviceId);
    write_id(text, own.uuid.id, sizeof own.uuid.id);
    write_id(text, device.uuid.id, sizeof device.uuid.id);
    return fclose(text) == 0 ? key : NULL;
}

static bool is_built(const struct lz_module *module) {
    return module->image == module->kernel->spirv;
}

static dnnl_status_t add_module(struct blob *blob, const struct lz_device *d,
                                const struct lz_module *module) {
    size_t size = 0;
    void *binary = lz_module_binary(d, module->handle, &size);
    return blob_add(blob, d->key, d->options, module->kernel, binary, size);
}

dnnl_status_t lz_kernels_save(struct device *device, int nkernels, const struct kernel *const *kernels,
                              size_t *size, uint8_t *to) {
    struct lz_device *d = lz_device_of(device);
    struct blob blob;
    dnnl_status_t status = blob_begin(&blob);
    if (status != dnnl_success) return status;
    pthread_mutex_lock(&d->programs_lock);
    for (const struct lz_module *m = d->modules; m && status == dnnl_success; m = m->next)
        if (is_built(m) && blob_wants(m->kernel, nkernels, kernels)) status = add_module(&blob, d, m);
    pthread_mutex_unlock(&d->programs_lock);
    return blob_end(&blob, status, size, to);
}

dnnl_status_t lz_kernels_restore(struct device *device, size_t size, const uint8_t *blob) {
    struct lz_device *d = lz_device_of(device);
    pthread_mutex_lock(&d->programs_lock);
    dnnl_status_t status = binaries_restore(&d->binaries, size, blob);
    pthread_mutex_unlock(&d->programs_lock);
    return status;
}

dnnl_status_t lz_blob_id(const struct device *device, size_t *size, uint8_t *id) {
    const char *key = lz_device_of(device)->key;
    return blob_give(key, strlen(key), size, id);
}

dnnl_status_t lz_blob_id_of(ze_driver_handle_t driver, ze_device_handle_t device, size_t *size, uint8_t *id) {
    const struct found_driver *found;
    TRY(lz_check_device(driver, device, &found));
    char *key = lz_device_key(found, device);
    if (!key) return fail(dnnl_runtime_error, "engine", "the device's properties cannot be queried");
    dnnl_status_t status = blob_give(key, strlen(key), size, id);
    free(key);
    return status;
}
