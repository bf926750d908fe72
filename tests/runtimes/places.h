/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Places: where the conformance suite runs. A place is one device of one runtime on this machine; a backend
 * is the handful of functions by which a user of that runtime makes engines, streams, memory and events. The
 * tests know places, never runtimes: to bring a new runtime under the suite, write a backend and add it to
 * the table in places.c. A slot that is NULL means that users of this runtime have no such thing.
 */
#ifndef LODE_TESTS_RUNTIMES_PLACES_H
#define LODE_TESTS_RUNTIMES_PLACES_H

#include "oneapi/dnnl/dnnl.h"

#include <stdbool.h>
#include <stddef.h>

enum { MAX_PLACES = 16, MAX_MEMORY_KINDS = 6 };

struct backend;

struct place {
    char name[96]; /* "cpu", "ocl:Portable Computing Language" */
    const struct backend *backend;
    size_t index;    /* of the device */
    void *native[4]; /* the backend's own */
    const char
            *profiling_grows; /* why memory grows with profiling, through no fault of the library; or NULL */
};

struct backend {
    const char *name;
    /* Finds the devices; returns how many. None: prints "SKIP: why" and returns 0. */
    int (*find)(struct place *places, int room);
    void (*close)(struct place *place);

    dnnl_status_t (*engine)(const struct place *place, dnnl_engine_t *engine);
    /* A stream on a queue of the user's own, which the stream alone keeps alive. NULL: only
     * dnnl_stream_create. */
    dnnl_status_t (*stream)(const struct place *place, dnnl_engine_t engine, unsigned flags,
                            dnnl_stream_t *stream);

    /* Kinds of memory besides what dnnl_memory_create makes: names, NULL-terminated. memory creates with
     * DNNL_MEMORY_ALLOCATE, DNNL_MEMORY_NONE or what native_alloc returned; unimplemented: not on this
     * device. A kind that cannot be allocated by the library says so in `brought`. */
    const char *kinds[MAX_MEMORY_KINDS];
    bool brought[MAX_MEMORY_KINDS];
    bool copied[MAX_MEMORY_KINDS]; /* memory objects have a copy of the handle, at another address */
    bool (*has_kind)(const struct place *place, int kind);
    dnnl_status_t (*memory)(const struct place *place, int kind, const_dnnl_memory_desc_t md,
                            dnnl_engine_t engine, void *handle, dnnl_memory_t *memory);
    void *(*native_alloc)(const struct place *place, int kind, size_t size);
    void (*native_free)(const struct place *place, int kind, void *handle);

    /* Execution with dependencies. Events are the runtime's own. `lasting` says that every stream returns
     * one; else only out-of-order streams do. `ends_with_stream`: nobody may touch them after that. */
    bool lasting, ends_with_stream;
    dnnl_status_t (*execute)(const_dnnl_primitive_t primitive, dnnl_stream_t stream, int nargs,
                             const dnnl_exec_arg_t *args, void *const *deps, int ndeps, void **event);
    void (*event_wait)(void *event);
    bool (*event_done)(void *event);
    void (*event_release)(void *event);
    /* An event that completes when the test opens it. */
    void *(*gate)(const struct place *place);
    void (*gate_open)(void *gate);
};

/* Finds every place whose name begins with `prefix` (NULL: all but plain GPU engines). */
int places_find(struct place *places, const char *prefix);
void places_close(struct place *places, int count);

#endif
