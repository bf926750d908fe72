/* SPDX-License-Identifier: Apache-2.0 */
/*
 * With the loader's tracing layer on (ZE_ENABLE_TRACING_LAYER=1), traces every call of the test program. It
 * only checks that each call that begins also ends.
 */
#ifndef LODE_TESTS_DRIVER_TRACER_H
#define LODE_TESTS_DRIVER_TRACER_H

#include <level_zero/layers/zel_tracing_api.h>

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static zel_tracer_handle_t tracer;
static atomic_long calls_begun, calls_ended;

typedef void (*tracer_callback)(void *, ze_result_t, void *, void **);

static void call_begins(void *params, ze_result_t result, void *user, void **instance) {
    (void)params, (void)result, (void)user, (void)instance;
    atomic_fetch_add(&calls_begun, 1);
}

static void call_ends(void *params, ze_result_t result, void *user, void **instance) {
    (void)params, (void)result, (void)user, (void)instance;
    atomic_fetch_add(&calls_ended, 1);
}

/* A table of callbacks with the same one in every slot. */
static zel_core_callbacks_t callbacks_of(tracer_callback callback) {
    enum { SLOTS = sizeof(zel_core_callbacks_t) / sizeof callback };
    union {
        zel_core_callbacks_t callbacks;
        tracer_callback slots[SLOTS];
    } table;
    for (size_t i = 0; i < SLOTS; i++)
        table.slots[i] = callback;
    return table.callbacks;
}

#define LOADERS(name) ((__typeof__(&name))dlsym(RTLD_DEFAULT, #name))

static int start_tracer(void) {
    if (!getenv("ZE_ENABLE_TRACING_LAYER")) return 0;
    const zel_tracer_desc_t desc = {.stype = ZEL_STRUCTURE_TYPE_TRACER_DESC};
    zel_core_callbacks_t prologues = callbacks_of(call_begins), epilogues = callbacks_of(call_ends);
    return LOADERS(zelTracerCreate)(&desc, &tracer) || LOADERS(zelTracerSetPrologues)(tracer, &prologues)
           || LOADERS(zelTracerSetEpilogues)(tracer, &epilogues) || LOADERS(zelTracerSetEnabled)(tracer, 1);
}

/* Did every call that began end, and was there at least one? */
static int stop_tracer(void) {
    if (!tracer) return 0;
    int result = LOADERS(zelTracerSetEnabled)(tracer, 0) || LOADERS(zelTracerDestroy)(tracer);
    tracer = NULL;
    printf("%ld calls traced\n", atomic_load(&calls_begun));
    return result || calls_begun == 0 || calls_begun != calls_ended;
}

#endif
