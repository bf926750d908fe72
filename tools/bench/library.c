/* SPDX-License-Identifier: Apache-2.0 */
/* Loads the library under test: library.h. */
#define _GNU_SOURCE
#include "library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define FUNCTION(name) __typeof__(dnnl_##name) *lib_##name;
#include "functions.def"

static const struct {
    const char *name;
    void *place; /* a function pointer */
    bool optional;
} functions[] = {
#define FUNCTION(name) {"dnnl_" #name, &lib_##name, false},
#define OPTIONAL(name) {"dnnl_" #name, &lib_##name, true},
#include "functions.def"
};

bool library_load(const char *path, char *why, size_t size) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        snprintf(why, size, "%s", dlerror());
        return false;
    }
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        void *function = dlsym(library, functions[i].name);
        memcpy(functions[i].place, &function, sizeof(function));
        if (function || functions[i].optional) continue;
        snprintf(why, size, "%s has no %s", path, functions[i].name);
        return false;
    }
    return true;
}

void library_path(char *path, size_t size) {
    Dl_info info;
    void *function;
    memcpy(&function, &lib_version, sizeof(function));
    snprintf(path, size, "%s", dladdr(function, &info) ? info.dli_fname : "?");
}
