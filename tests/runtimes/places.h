/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Places: where the conformance suite runs. A place is one device of one runtime on this machine. A backend
 * is the set of functions with which a user of that runtime creates engines, streams, memory and events.
 * Tests know places, never runtimes: to test a new runtime, write a backend and add it to the table in
 * places.c. A NULL slot means that users of this runtime have no such thing.
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
    void *native[4]; /* private to the backend */
    bool same_code;  /* runs the CPU engine's own native kernels: the same kernel gives the same bits */
    const char *profiling_grows; /* why the runtime itself uses more memory when profiling; or NULL */
};

struct backend {
    const char *name;
    /* Finds the devices and returns how many. If there are none, prints "SKIP: why" and returns 0. */
    int (*find)(struct place *places, int room);
    void (*close)(struct place *place);

    dnnl_status_t (*engine)(const struct place *place, dnnl_engine_t *engine);
    /* A stream on a queue of the user, which only the stream keeps alive. NULL: only dnnl_stream_create. */
    dnnl_status_t (*stream)(const struct place *place, dnnl_engine_t engine, unsigned flags,
                            dnnl_stream_t *stream);

    /* Kinds of memory besides those of dnnl_memory_create: names, NULL-terminated. `memory` creates with
     * DNNL_MEMORY_ALLOCATE, DNNL_MEMORY_NONE or a handle from native_alloc; unimplemented: not on this
     * device. `user_only`: the library cannot allocate this kind. */
    const char *kinds[MAX_MEMORY_KINDS];
    bool user_only[MAX_MEMORY_KINDS];
    bool copied[MAX_MEMORY_KINDS]; /* memory objects hold a copy of the handle */
    bool (*has_kind)(const struct place *place, int kind);
    dnnl_status_t (*memory)(const struct place *place, int kind, const_dnnl_memory_desc_t md,
                            dnnl_engine_t engine, void *handle, dnnl_memory_t *memory);
    void *(*native_alloc)(const struct place *place, int kind, size_t size);
    void (*native_free)(const struct place *place, int kind, void *handle);

    /* Execution with dependencies, with the runtime's events. `lasting`: every stream returns events, not
     * only out-of-order ones. `ends_with_stream`: events must not be used after their stream is destroyed. */
    bool lasting, ends_with_stream;
    dnnl_status_t (*execute)(const_dnnl_primitive_t primitive, dnnl_stream_t stream, int nargs,
                             const dnnl_exec_arg_t *args, void *const *deps, int ndeps, void **event);
    void (*event_wait)(void *event);
    bool (*event_done)(void *event);
    void (*event_release)(void *event);
    /* An event that the test completes by opening it. */
    void *(*gate)(const struct place *place);
    void (*gate_open)(void *gate);
};

/* Finds every place whose name begins with `prefix` (NULL: all except plain GPU engines). */
int places_find(struct place *places, const char *prefix);
void places_close(struct place *places, int count);

#endif
