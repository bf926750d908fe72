/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens the layer that calls SYCL: from the folder of this library, or wherever the dynamic linker finds it.
 * The layer needs libsycl; programs that do not use SYCL run without it.
 */
#include "base/verbose.h"

#include <pthread.h>
#include "runtimes/library.h"
#include "runtimes/sycl/sycl.h"

#include <dlfcn.h>
#include <stdio.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const struct sycl_layer *layer;
static char reason[512];

/* Keeps the first reason: why the layer in our own folder cannot be opened says more than that there is none
 * elsewhere. */
static void *open_layer(void) {
    void *library = library_open_sibling(SYCL_LAYER_LIBRARY);
    const char *error = library ? NULL : dlerror();
    snprintf(reason, sizeof reason, "%s", error ? error : "");
    if (!library) library = dlopen(SYCL_LAYER_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    error = library ? NULL : dlerror();
    if (error && !reason[0]) snprintf(reason, sizeof reason, "%s", error);
    return library;
}

static void load(void) {
    void *library = open_layer();
    if (!library) return;
    sycl_layer_function function;
    *(void **)&function = dlsym(library, SYCL_LAYER_SYMBOL);
    const struct sycl_layer *found = function ? function() : NULL;
    if (found && found->version == SYCL_LAYER_VERSION)
        layer = found;
    else
        snprintf(reason, sizeof reason, "%s belongs to another release", SYCL_LAYER_LIBRARY);
}

const struct sycl_layer *sycl_layer(void) {
    pthread_once(&once, load);
    if (!layer) fail(dnnl_runtime_error, "engine", "the SYCL layer cannot be opened: %s", reason);
    return layer;
}
