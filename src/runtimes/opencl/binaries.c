/* SPDX-License-Identifier: Apache-2.0 */
/* Binaries of OpenCL programs: device keys and cache blobs. */
#define _GNU_SOURCE
#include "runtimes/opencl/opencl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Keys */

static void add_platform(FILE *text, cl_platform_id platform, cl_platform_info property) {
    char value[512] = "";
    cl.GetPlatformInfo(platform, property, sizeof value, value, NULL);
    fprintf(text, "%.511s\n", value);
}

static void add_device(FILE *text, cl_device_id device, cl_device_info property) {
    char *value = opencl_device_string(device, property);
    fprintf(text, "%s\n", value ? value : "");
    free(value);
}

char *opencl_device_key(cl_device_id device) {
    static const cl_platform_info platform_parts[] = {CL_PLATFORM_NAME, CL_PLATFORM_VERSION};
    static const cl_device_info device_parts[] = {CL_DEVICE_NAME, CL_DEVICE_VENDOR, CL_DEVICE_VERSION,
                                                  CL_DRIVER_VERSION};
    char *key = NULL;
    size_t size;
    cl_platform_id platform = NULL;
    FILE *text = open_memstream(&key, &size);
    if (!text) return NULL;
    fputs(binaries_library, text);
    if (cl.GetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL) == CL_SUCCESS)
        for (size_t i = 0; i < sizeof platform_parts / sizeof platform_parts[0]; i++)
            add_platform(text, platform, platform_parts[i]);
    for (size_t i = 0; i < sizeof device_parts / sizeof device_parts[0]; i++)
        add_device(text, device, device_parts[i]);
    return fclose(text) == 0 ? key : NULL;
}

/* Blobs */

static dnnl_status_t add_kernel(struct blob *blob, const struct opencl_device *d,
                                const struct opencl_kernel *kernel) {
    size_t size = 0;
    void *binary = opencl_kernel_binary(d, kernel, &size);
    return blob_add(blob, d->key, d->options, kernel->kernel, binary, size);
}

dnnl_status_t opencl_kernels_save(struct device *device, int nkernels, const struct kernel *const *kernels,
                                  size_t *size, uint8_t *to) {
    struct opencl_device *d = opencl_device(device);
    struct blob blob;
    dnnl_status_t status = blob_begin(&blob);
    if (status != dnnl_success) return status;
    pthread_mutex_lock(&d->lock);
    struct opencl_kernel *k = d->kernels;
    pthread_mutex_unlock(&d->lock);
    for (; k && status == dnnl_success; k = k->next) {
        pthread_mutex_lock(&k->lock);
        if (k->program && blob_wants(k->kernel, nkernels, kernels)) status = add_kernel(&blob, d, k);
        pthread_mutex_unlock(&k->lock);
    }
    return blob_end(&blob, status, size, to);
}

dnnl_status_t opencl_kernels_restore(struct device *device, size_t size, const uint8_t *blob) {
    struct opencl_device *d = opencl_device(device);
    pthread_mutex_lock(&d->lock);
    dnnl_status_t status = binaries_restore(&d->binaries, size, blob);
    pthread_mutex_unlock(&d->lock);
    return status;
}

dnnl_status_t opencl_blob_id(const struct device *device, size_t *size, uint8_t *id) {
    const char *key = opencl_device(device)->key;
    return blob_give(key, strlen(key), size, id);
}
