/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries that runtimes open when they are first asked for. */
#ifndef LODE_RUNTIMES_LIBRARY_H
#define LODE_RUNTIMES_LIBRARY_H

#include <stddef.h>

/* Opens a library that was installed with this one, in the same folder. NULL: dlerror says why, if it can. */
void *library_open_beside(const char *name);

/* A function and where its address goes: rows come from a runtime's entry_points.def. */
struct entry {
    const char *name;
    void **function;
};
/* Finds all of them. The name of the first that the library lacks, or NULL. */
const char *library_bind(void *library, size_t count, const struct entry *entries);

#endif
