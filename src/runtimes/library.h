/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries that runtimes open on first use. */
#ifndef LODE_RUNTIMES_LIBRARY_H
#define LODE_RUNTIMES_LIBRARY_H

#include <stddef.h>

/* Opens a library in the folder of this one. NULL: dlerror may say why. */
void *library_open_sibling(const char *name);

/* The name of a function and where its address is stored: rows come from a runtime's entry_points.def. */
struct entry {
    const char *name;
    void **function;
};
/* Finds all of them. Returns the name of the first that the library lacks, or NULL. */
const char *library_bind(void *library, size_t count, const struct entry *entries);

#endif
