/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of binaries, and cache blobs. */
#define _GNU_SOURCE
#include "runtimes/binaries.h"
#include "base/hash.h"
#include "base/record.h"
#include "oneapi/dnnl/dnnl_version.h"

#include <stdlib.h>

static const char magic[16] = "lode-binaries-1";

/* Keys */

#define TEXT(x) #x
#define VERSION_TEXT(major, minor, patch) TEXT(major) "." TEXT(minor) "." TEXT(patch)
const char binaries_library[] =
        "lode " VERSION_TEXT(DNNL_VERSION_MAJOR, DNNL_VERSION_MINOR, DNNL_VERSION_PATCH) "\n";

/* Kernels of the same name differ between builds of one version, so their content is part of the key. */
static uint64_t content_of(const struct kernel *kernel) {
    size_t sources_size = (size_t)(kernel_sources_end - kernel_sources);
    size_t spirv_size = (size_t)(kernel->spirv_end - kernel->spirv);
    return hash_bytes(hash_bytes(1, kernel_sources, sources_size), kernel->spirv, spirv_size);
}

char *binaries_key(const char *device_key, const char *options, const struct kernel *kernel) {
    char *key = NULL;
    int length = asprintf(&key, "%s%s\n%s %016llx\n", device_key, options, kernel->name,
                          (unsigned long long)content_of(kernel));
    return length < 0 ? NULL : key;
}

/* Binaries from blobs */

const struct binary *binaries_find(const struct binaries *binaries, const char *key) {
    const struct binary *b = binaries->first;
    while (b && strcmp(b->key, key) != 0)
        b = b->next;
    return b;
}

static dnnl_status_t keep(struct binaries *binaries, const struct record *record) {
    struct binary *b = malloc(sizeof *b + record->data_size);
    char *key = strndup(record->key, record->key_size);
    if (!b || !key || binaries_find(binaries, key)) {
        dnnl_status_t status = b && key ? dnnl_success : dnnl_out_of_memory;
        free(b);
        free(key);
        return status;
    }
    *b = (struct binary){.next = binaries->first, .key = key, .size = record->data_size};
    memcpy(b->bytes, record->data, record->data_size);
    binaries->first = b;
    return dnnl_success;
}

static bool is_whole(const uint8_t *bytes, size_t size) {
    struct record record;
    size_t taken = 1;
    for (; size > 0 && taken > 0; bytes += taken, size -= taken)
        taken = record_read(&record, bytes, size);
    return size == 0;
}

dnnl_status_t binaries_restore(struct binaries *binaries, size_t size, const uint8_t *blob) {
    size_t head = sizeof magic;
    if (size < head || memcmp(blob, magic, head) != 0 || !is_whole(blob + head, size - head))
        return fail(dnnl_invalid_arguments, "engine", "not a cache blob, or damaged");
    struct record record;
    dnnl_status_t status = dnnl_success;
    for (size_t at = head; at < size && status == dnnl_success;) {
        at += record_read(&record, blob + at, size - at);
        status = keep(binaries, &record);
    }
    return status;
}

void binaries_free(struct binaries *binaries) {
    for (struct binary *b = binaries->first, *next; b; b = next) {
        next = b->next;
        free(b->key);
        free(b);
    }
    binaries->first = NULL;
}

/* Making blobs */

dnnl_status_t blob_begin(struct blob *blob) {
    *blob = (struct blob){0};
    blob->file = open_memstream(&blob->bytes, &blob->size);
    if (!blob->file) return dnnl_out_of_memory;
    fwrite(magic, sizeof magic, 1, blob->file);
    return dnnl_success;
}

static dnnl_status_t add_record(struct blob *blob, const char *key, const void *binary, size_t size) {
    struct record record = {key, strlen(key), binary, size};
    uint8_t *bytes = malloc(record_size(&record));
    if (!bytes) return dnnl_out_of_memory;
    record_write(&record, bytes);
    fwrite(bytes, record_size(&record), 1, blob->file);
    free(bytes);
    return dnnl_success;
}

dnnl_status_t blob_add(struct blob *blob, const char *device_key, const char *options,
                       const struct kernel *kernel, void *binary, size_t size) {
    char *key = binaries_key(device_key, options, kernel);
    dnnl_status_t status = key && binary ? add_record(blob, key, binary, size) : dnnl_out_of_memory;
    free(key);
    free(binary);
    return status;
}

dnnl_status_t blob_end(struct blob *blob, dnnl_status_t made, size_t *size, uint8_t *to) {
    if (fclose(blob->file) != 0 && made == dnnl_success) made = dnnl_out_of_memory;
    if (made == dnnl_success) made = blob_give(blob->bytes, blob->size, size, to);
    free(blob->bytes);
    return made;
}

bool blob_wants(const struct kernel *kernel, int nkernels, const struct kernel *const *kernels) {
    for (int i = 0; i < nkernels && kernels; i++)
        if (kernels[i] == kernel) return true;
    return !kernels;
}

dnnl_status_t blob_give(const void *bytes, size_t length, size_t *size, uint8_t *to) {
    if (to && *size != length)
        return fail(dnnl_invalid_arguments, "engine", "the blob has %zu bytes, not %zu", length, *size);
    if (to) memcpy(to, bytes, length);
    *size = length;
    return dnnl_success;
}
