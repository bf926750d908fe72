/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the compilers of devices made of kernels, outside the process: keys that say what a binary is for, and
 * cache blobs. A blob is a line that names its kind and then one record a program (base/record.h). Binaries
 * whose key does not fit are kept and never used. Knows no runtime.
 */
#ifndef LODE_RUNTIMES_BINARIES_H
#define LODE_RUNTIMES_BINARIES_H

#include "base/verbose.h"
#include "kernels/kernel.h"

#include <stdio.h>

/* Keys. A device's key begins with this line; what follows is the runtime's. */
extern const char binaries_library[];
/* The key of a kernel's program: the device's key, the compiler's options, the kernel's name and content. To
 * be freed; NULL: no memory. */
char *binaries_key(const char *device_key, const char *options, const struct kernel *kernel);

/* Binaries that came in a blob, to be used by the programs that have their keys. */
struct binary {
    struct binary *next;
    char *key;
    size_t size;
    unsigned char bytes[];
};
struct binaries {
    struct binary *first;
};
/* Keeps what is in a blob, all of it or nothing. Under the owner's lock. */
dnnl_status_t binaries_restore(struct binaries *binaries, size_t size, const uint8_t *blob);
/* NULL: there is none. */
const struct binary *binaries_find(const struct binaries *binaries, const char *key);
void binaries_free(struct binaries *binaries);

/* A blob in the making. */
struct blob {
    FILE *file;
    char *bytes;
    size_t size;
};
dnnl_status_t blob_begin(struct blob *blob);
/* Adds what a device made of a kernel; `binary`, from malloc, is taken over, NULL: there was no memory. */
dnnl_status_t blob_add(struct blob *blob, const char *device_key, const char *options,
                       const struct kernel *kernel, void *binary, size_t size);
/* Ends it and, unless the making has failed, gives it to the user as blob_give does. */
dnnl_status_t blob_end(struct blob *blob, dnnl_status_t made, size_t *size, uint8_t *to);

/* Is a kernel's program wanted, if these kernels are (NULL: all)? */
bool blob_wants(const struct kernel *kernel, int nkernels, const struct kernel *const *kernels);
/* Writes bytes to the user as the cache-blob functions do: only the size if `to` is NULL. */
dnnl_status_t blob_give(const void *bytes, size_t length, size_t *size, uint8_t *to);

#endif
