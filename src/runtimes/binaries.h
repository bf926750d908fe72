/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compiled kernels outside the process: keys that say what a binary is for, and cache blobs. A blob is a line
 * that names its format, then one record per program (base/record.h). Binaries whose key does not match are
 * kept and never used. Knows no runtime.
 */
#ifndef LODE_RUNTIMES_BINARIES_H
#define LODE_RUNTIMES_BINARIES_H

#include "base/verbose.h"
#include "kernels/kernel.h"

#include <stdio.h>

/* Keys. A device's key begins with this line; the runtime adds the rest. */
extern const char binaries_library[];
/* The key of a kernel's program: the device's key, the compiler's options, the kernel's name and content. The
 * caller frees it. NULL: out of memory. */
char *binaries_key(const char *device_key, const char *options, const struct kernel *kernel);

/* Binaries from a blob, for the programs that have the same keys. */
struct binary {
    struct binary *next;
    char *key;
    size_t size;
    unsigned char bytes[];
};
struct binaries {
    struct binary *first;
};
/* Adds all binaries of a blob, or none. The caller holds the owner's lock. */
dnnl_status_t binaries_restore(struct binaries *binaries, size_t size, const uint8_t *blob);
/* NULL: there is none. */
const struct binary *binaries_find(const struct binaries *binaries, const char *key);
void binaries_free(struct binaries *binaries);

/* A blob that is being built. */
struct blob {
    FILE *file;
    char *bytes;
    size_t size;
};
dnnl_status_t blob_begin(struct blob *blob);
/* Adds the binary of a kernel. Takes ownership of `binary`, which is from malloc; NULL means out of memory.
 */
dnnl_status_t blob_add(struct blob *blob, const char *device_key, const char *options,
                       const struct kernel *kernel, void *binary, size_t size);
/* Frees the blob; if `made` is dnnl_success, first copies it to the user as blob_give does. */
dnnl_status_t blob_end(struct blob *blob, dnnl_status_t made, size_t *size, uint8_t *to);

/* Is the kernel one of these (NULL: all)? */
bool blob_wants(const struct kernel *kernel, int nkernels, const struct kernel *const *kernels);
/* Copies bytes to the user as the cache-blob functions do: only the size if `to` is NULL. */
dnnl_status_t blob_give(const void *bytes, size_t length, size_t *size, uint8_t *to);

#endif
