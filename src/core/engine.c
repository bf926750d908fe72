/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Engines and their devices. Engines created from the same runtime and index, or from the same native
 * handles, share one device, its kernels and its cached plans. CPU devices are never closed, so that plans
 * outlive the engines that created them.
 */
#include "core/objects.h"
#include "core/cache.h"
#include "core/report.h"
#include "core/scratchpad.h"
#include "runtimes/runtimes.h"

#include <stdlib.h>
#include <string.h>

/* Open devices, found by their origin or by their handles. */
struct open_device {
    struct device device;
    struct scratch scratch[SCRATCH_SLOTS];
    struct open_device *next;
    struct device_origin origin;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct open_device *devices;

static bool comes_from(const struct open_device *d, const struct device_origin *origin) {
    if (origin->handles[0]) return memcmp(d->device.handles, origin->handles, sizeof origin->handles) == 0;
    return !d->origin.handles[0] && d->origin.kind == origin->kind && d->origin.index == origin->index;
}

static struct device *find_device(const struct runtime *runtime, const struct device_origin *origin) {
    for (struct open_device *d = devices; d; d = d->next)
        if (d->device.runtime == runtime && comes_from(d, origin)) return &d->device;
    return NULL;
}

static dnnl_status_t open_device(const struct runtime *runtime, const struct device_origin *origin,
                                 struct device **device) {
    struct open_device *d = calloc(1, sizeof *d);
    if (!d) return dnnl_out_of_memory;
    d->device.runtime = runtime;
    d->device.kind = origin->kind;
    d->device.scratch = d->scratch;
    d->origin = *origin;
    dnnl_status_t status = runtime->device_open(&d->device, origin);
    if (status != dnnl_success) {
        free(d);
        return status;
    }
    if (origin->kind == dnnl_cpu && !origin->handles[0]) d->device.references = 1; /* ours: never released */
    d->next = devices;
    devices = d;
    *device = &d->device;
    report_device(&d->device);
    return dnnl_success;
}

static dnnl_status_t take_device(const struct runtime *runtime, const struct device_origin *origin,
                                 struct device **device) {
    pthread_mutex_lock(&lock);
    *device = find_device(runtime, origin);
    dnnl_status_t status = *device ? dnnl_success : open_device(runtime, origin, device);
    if (status == dnnl_success) (*device)->references++;
    pthread_mutex_unlock(&lock);
    return status;
}

/* Releases a reference; removes the device from the list and returns it if that was the last one. */
static struct open_device *give_back(struct device *device) {
    struct open_device *closed = NULL;
    pthread_mutex_lock(&lock);
    if (--device->references == 0) {
        struct open_device **link = &devices;
        while (&(*link)->device != device)
            link = &(*link)->next;
        closed = *link;
        *link = closed->next;
    }
    pthread_mutex_unlock(&lock);
    return closed;
}

static void release_device(struct device *device) {
    struct open_device *closed = give_back(device);
    if (!closed) return;
    cache_purge(device);
    scratch_free_all(device);
    device->runtime->device_close(device);
    free(closed);
}

dnnl_status_t engine_create(struct dnnl_engine **engine, const struct runtime *runtime,
                            const struct device_origin *origin) {
    struct dnnl_engine *e = calloc(1, sizeof *e);
    if (!e) return dnnl_out_of_memory;
    *e = (struct dnnl_engine){.references = 1, .kind = origin->kind};
    dnnl_status_t status = take_device(runtime, origin, &e->device);
    if (status == dnnl_success)
        *engine = e;
    else
        free(e);
    return status;
}

struct dnnl_engine *engine_retain(struct dnnl_engine *engine) {
    atomic_fetch_add_explicit(&engine->references, 1, memory_order_relaxed);
    return engine;
}

void engine_release(struct dnnl_engine *engine) {
    if (!engine || atomic_fetch_sub(&engine->references, 1) != 1) return;
    release_device(engine->device);
    free(engine);
}
