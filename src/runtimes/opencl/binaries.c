/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Binaries of programs outside the process: their keys, and cache blobs. A blob is a line that names its kind
 * and then one record a program (base/record.h). Records whose key does not fit are kept and never used.
 */
#define _GNU_SOURCE
#include "runtimes/opencl/opencl.h"
#include "base/hash.h"
#include "base/record.h"
#include "oneapi/dnnl/dnnl_version.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char blob_magic[16] = "lode-ocl-blob-1\n";

/* Keys */

#define TEXT(x) #x
#define VERSION_TEXT(major, minor, patch) TEXT(major) "." TEXT(minor) "." TEXT(patch)
static const char library_version[] =
        "lode " VERSION_TEXT(DNNL_VERSION_MAJOR, DNNL_VERSION_MINOR, DNNL_VERSION_PATCH);

/* Platforms and devices answer with strings in the same way. */
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
    fprintf(text, "%s\n", library_version);
    if (cl.GetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL) == CL_SUCCESS)
        for (size_t i = 0; i < sizeof platform_parts / sizeof platform_parts[0]; i++)
            add_platform(text, platform, platform_parts[i]);
    for (size_t i = 0; i < sizeof device_parts / sizeof device_parts[0]; i++)
        add_device(text, device, device_parts[i]);
    return fclose(text) == 0 ? key : NULL;
}

/* Kernels of the same name differ between builds of one version, so their content counts. */
char *opencl_program_key(const struct opencl_device *device, const struct kernel_family *family) {
    char *key = NULL;
    size_t size, source_size = (size_t)(family->source_end - family->source),
                 spirv_size = (size_t)(family->spirv_end - family->spirv);
    uint64_t content = hash_bytes(hash_bytes(1, family->source, source_size), family->spirv, spirv_size);
    FILE *text = open_memstream(&key, &size);
    if (!text) return NULL;
    fprintf(text, "%s%s\n%s %016llx\n", device->key, device->options, family->name,
            (unsigned long long)content);
    return fclose(text) == 0 ? key : NULL;
}

/* Blobs */

dnnl_status_t opencl_give_bytes(const void *bytes, size_t length, size_t *size, uint8_t *to) {
    if (to && *size != length)
        return fail(dnnl_invalid_arguments, "opencl", "the blob has %zu bytes, not %zu", length, *size);
    if (to) memcpy(to, bytes, length);
    *size = length;
    return dnnl_success;
}

static bool is_wanted(const struct kernel_family *family, int nkernels, const struct kernel *const *kernels) {
    for (int i = 0; i < nkernels && kernels; i++)
        if (kernels[i]->family == family) return true;
    return !kernels;
}

static dnnl_status_t write_program(FILE *blob, const struct opencl_device *d,
                                   const struct opencl_program *program) {
    size_t size;
    void *binary = opencl_program_binary(d, program, &size);
    char *key = opencl_program_key(d, program->family);
    struct record record = {key, key ? strlen(key) : 0, binary, binary ? size : 0};
    uint8_t *bytes = key && binary ? malloc(record_size(&record)) : NULL;
    if (bytes) {
        record_write(&record, bytes);
        fwrite(bytes, record_size(&record), 1, blob);
    }
    free(key);
    free(binary);
    dnnl_status_t status = bytes ? dnnl_success : dnnl_out_of_memory;
    free(bytes);
    return status;
}

dnnl_status_t opencl_kernels_save(struct device *device, int nkernels, const struct kernel *const *kernels,
                                  size_t *size, uint8_t *blob) {
    struct opencl_device *d = opencl_device(device);
    char *bytes = NULL;
    size_t length;
    FILE *text = open_memstream(&bytes, &length);
    if (!text) return dnnl_out_of_memory;
    dnnl_status_t status = dnnl_success;
    fwrite(blob_magic, sizeof blob_magic, 1, text);
    pthread_mutex_lock(&d->lock);
    struct opencl_program *p = d->programs;
    pthread_mutex_unlock(&d->lock);
    for (; p && status == dnnl_success; p = p->next) {
        pthread_mutex_lock(&p->lock);
        if (p->program && is_wanted(p->family, nkernels, kernels)) status = write_program(text, d, p);
        pthread_mutex_unlock(&p->lock);
    }
    if (fclose(text) != 0 && status == dnnl_success) status = dnnl_out_of_memory;
    if (status == dnnl_success) status = opencl_give_bytes(bytes, length, size, blob);
    free(bytes);
    return status;
}

static bool is_known(const struct opencl_device *d, const struct record *record) {
    for (const struct opencl_binary *b = d->binaries; b; b = b->next)
        if (strlen(b->key) == record->key_size && memcmp(b->key, record->key, record->key_size) == 0)
            return true;
    return false;
}

static dnnl_status_t keep_binary(struct opencl_device *d, const struct record *record) {
    if (is_known(d, record)) return dnnl_success;
    struct opencl_binary *b = malloc(sizeof *b + record->data_size);
    char *key = strndup(record->key, record->key_size);
    if (!b || !key) {
        free(b);
        free(key);
        return dnnl_out_of_memory;
    }
    *b = (struct opencl_binary){.next = d->binaries, .key = key, .size = record->data_size};
    memcpy(b->bytes, record->data, record->data_size);
    d->binaries = b;
    return dnnl_success;
}

/* All records of a blob are whole? Then nothing is kept of one that is not. */
static bool is_whole(const uint8_t *bytes, size_t size) {
    struct record record;
    size_t taken = 1;
    for (; size > 0 && taken > 0; bytes += taken, size -= taken)
        taken = record_read(&record, bytes, size);
    return size == 0;
}

dnnl_status_t opencl_kernels_restore(struct device *device, size_t size, const uint8_t *blob) {
    struct opencl_device *d = opencl_device(device);
    size_t head = sizeof blob_magic;
    if (size < head || memcmp(blob, blob_magic, head) != 0 || !is_whole(blob + head, size - head))
        return fail(dnnl_invalid_arguments, "opencl", "not a cache blob, or a damaged one");
    struct record record;
    dnnl_status_t status = dnnl_success;
    pthread_mutex_lock(&d->lock);
    for (size_t at = head; at < size && status == dnnl_success;) {
        at += record_read(&record, blob + at, size - at);
        status = keep_binary(d, &record);
    }
    pthread_mutex_unlock(&d->lock);
    return status;
}

dnnl_status_t opencl_blob_id(const struct device *device, size_t *size, uint8_t *id) {
    const char *key = opencl_device(device)->key;
    return opencl_give_bytes(key, strlen(key), size, id);
}
