/* SPDX-License-Identifier: Apache-2.0 */
/* dlopen and dlsym: see library.h. */
#define _GNU_SOURCE
#include "runtimes/library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

void *library_open_sibling(const char *name) {
    Dl_info self;
    char path[4096];
    if (!dladdr((void *)library_open_sibling, &self) || !self.dli_fname) return NULL;
    const char *slash = strrchr(self.dli_fname, '/');
    if (!slash) return NULL;
    int folder = (int)(slash - self.dli_fname);
    int length = snprintf(path, sizeof path, "%.*s/%s", folder, self.dli_fname, name);
    return length < (int)sizeof path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
}

const char *library_bind(void *library, size_t count, const struct entry *entries) {
    for (size_t i = 0; i < count; i++) {
        *entries[i].function = dlsym(library, entries[i].name);
        if (!*entries[i].function) return entries[i].name;
    }
    return NULL;
}
