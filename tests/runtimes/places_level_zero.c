/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Level Zero as its users see it: their own context, immediate lists, USM of every kind, events. Level Zero
 * has no reference counts: lists and gates live until their place is closed.
 */
#include "runtimes/places.h"
#include "runtimes/ze.h"
#include "test.h"

#include "oneapi/dnnl/dnnl_ze.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { CONTEXT, KEPT }; /* indices in place->native */
static const ze_memory_type_t memory_types[] = {ZE_MEMORY_TYPE_DEVICE, ZE_MEMORY_TYPE_HOST,
                                                ZE_MEMORY_TYPE_SHARED};

extern const struct backend level_zero_backend;

/* Destroyed with the place: a list, or an event and its pool. */
struct kept {
    struct kept *next;
    ze_command_list_handle_t list;
    ze_event_handle_t event;
    ze_event_pool_handle_t pool;
};

/* Threads of a test share their place. */
static struct kept *keep(const struct place *place) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    void **first = &((struct place *)place)->native[KEPT];
    struct kept *kept = malloc(sizeof *kept);
    pthread_mutex_lock(&lock);
    *kept = (struct kept){.next = *first};
    *first = kept;
    pthread_mutex_unlock(&lock);
    return kept;
}

static int find(struct place *places, int room) {
    if (room == 0 || !ze_open()) {
        printf("SKIP: no Level Zero device\n");
        return 0;
    }
    ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    ze.zeDeviceGetProperties(ze_device, &properties);
    *places = (struct place){.name = "ze:0",
                             .backend = &level_zero_backend,
                             .same_code = properties.type == ZE_DEVICE_TYPE_CPU};
    places->native[CONTEXT] = ze_make_context();
    return 1;
}

static void close_place(struct place *place) {
    for (struct kept *k = place->native[KEPT], *next; k; k = next) {
        next = k->next;
        if (k->list) ze.zeCommandListDestroy(k->list);
        if (k->event) ze.zeEventDestroy(k->event);
        if (k->pool) ze.zeEventPoolDestroy(k->pool);
        free(k);
    }
    ze.zeContextDestroy(place->native[CONTEXT]);
}

static dnnl_status_t make_engine(const struct place *place, dnnl_engine_t *engine) {
    return dnnl_ze_interop_engine_create(engine, ze_driver, ze_device, place->native[CONTEXT]);
}

static dnnl_status_t make_stream(const struct place *place, dnnl_engine_t engine, unsigned flags,
                                 dnnl_stream_t *stream) {
    unsigned order = flags & dnnl_stream_out_of_order ? 0 : ZE_IN_ORDER;
    ze_command_list_handle_t list = ze_make_immediate(place->native[CONTEXT], order, false);
    keep(place)->list = list;
    return dnnl_ze_interop_stream_create(stream, engine, list, flags & dnnl_stream_profiling ? 1 : 0);
}

/* Memory */

static bool has_kind(const struct place *place, int kind) {
    (void)place, (void)kind;
    return true;
}

static dnnl_status_t make_memory(const struct place *place, int kind, const_dnnl_memory_desc_t md,
                                 dnnl_engine_t engine, void *handle, dnnl_memory_t *memory) {
    (void)place, (void)kind;
    return dnnl_ze_interop_memory_create(memory, md, engine, 1, &handle);
}

static void *native_alloc(const struct place *place, int kind, size_t size) {
    return ze_alloc(place->native[CONTEXT], memory_types[kind], size);
}

static void native_free(const struct place *place, int kind, void *handle) {
    (void)kind;
    ze.zeMemFree(place->native[CONTEXT], handle);
}

/* Events */

static dnnl_status_t execute(const_dnnl_primitive_t primitive, dnnl_stream_t stream, int nargs,
                             const dnnl_exec_arg_t *args, void *const *deps, int ndeps, void **event) {
    return dnnl_ze_interop_primitive_execute(primitive, stream, nargs, args, ndeps,
                                             (const ze_event_handle_t *)deps, (ze_event_handle_t *)event);
}

static void event_wait(void *event) {
    ze.zeEventHostSynchronize(event, UINT64_MAX);
}

static bool event_done(void *event) {
    return ze.zeEventQueryStatus(event) == ZE_RESULT_SUCCESS;
}

/* A stream's events are destroyed with it, gates with their place. */
static void event_release(void *event) {
    (void)event;
}

static void *gate(const struct place *place) {
    const ze_event_pool_desc_t pool = {
            .stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE, .count = 1};
    const ze_event_desc_t event = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC,
                                   .signal = ZE_EVENT_SCOPE_FLAG_HOST,
                                   .wait = ZE_EVENT_SCOPE_FLAG_HOST};
    struct kept *kept = keep(place);
    ze_ok(ze.zeEventPoolCreate(place->native[CONTEXT], &pool, 1, &ze_device, &kept->pool));
    ze_ok(ze.zeEventCreate(kept->pool, &event, &kept->event));
    return kept->event;
}

static void gate_open(void *event) {
    ze_ok(ze.zeEventHostSignal(event));
}

const struct backend level_zero_backend = {
        .name = "ze",
        .find = find,
        .close = close_place,
        .engine = make_engine,
        .stream = make_stream,
        .kinds = {"usm-device", "usm-host", "usm-shared"},
        .user_only = {false, true, true},
        .has_kind = has_kind,
        .memory = make_memory,
        .native_alloc = native_alloc,
        .native_free = native_free,
        .lasting = true,
        .ends_with_stream = true,
        .execute = execute,
        .event_wait = event_wait,
        .event_done = event_done,
        .event_release = event_release,
        .gate = gate,
        .gate_open = gate_open,
};
