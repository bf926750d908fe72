/* SPDX-License-Identifier: Apache-2.0 */
/* The table of backends, and the backends that need only the library: plain CPU and GPU engines. */
#include "runtimes/places.h"
#include "count.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct backend opencl_backend __attribute__((weak));
extern const struct backend level_zero_backend __attribute__((weak));
extern const struct backend sycl_backend __attribute__((weak));

static int find_kind(struct place *places, int room, const struct backend *backend, dnnl_engine_kind_t kind) {
    int count = (int)dnnl_engine_get_count(kind);
    if (count == 0) printf("SKIP: no plain %s engine\n", backend->name);
    for (int i = 0; i < count && i < room; i++) {
        places[i] = (struct place){.backend = backend, .index = (size_t)i, .same_code = kind == dnnl_cpu};
        snprintf(places[i].name, sizeof places[i].name, "%s:%d", backend->name, i);
    }
    return count < room ? count : room;
}

static dnnl_status_t cpu_engine(const struct place *place, dnnl_engine_t *engine) {
    return dnnl_engine_create(engine, dnnl_cpu, place->index);
}

static dnnl_status_t gpu_engine(const struct place *place, dnnl_engine_t *engine) {
    return dnnl_engine_create(engine, dnnl_gpu, place->index);
}

static dnnl_status_t host_memory(const struct place *place, int kind, const_dnnl_memory_desc_t md,
                                 dnnl_engine_t engine, void *handle, dnnl_memory_t *memory) {
    (void)place, (void)kind;
    return dnnl_memory_create(memory, md, engine, handle);
}

static bool has_host_kind(const struct place *place, int kind) {
    (void)place, (void)kind;
    return true;
}

static void *host_alloc(const struct place *place, int kind, size_t size) {
    (void)place, (void)kind;
    return malloc(size);
}

static void host_free(const struct place *place, int kind, void *handle) {
    (void)place, (void)kind;
    free(handle);
}

static int find_cpu(struct place *places, int room);
static int find_gpu(struct place *places, int room);

static const struct backend cpu_backend = {
        .name = "cpu",
        .find = find_cpu,
        .engine = cpu_engine,
        .kinds = {"malloc"},
        .has_kind = has_host_kind,
        .memory = host_memory,
        .native_alloc = host_alloc,
        .native_free = host_free,
};

/* The runtime that ONEDNN_GPU_RUNTIME names. */
static const struct backend gpu_backend = {
        .name = "gpu",
        .find = find_gpu,
        .engine = gpu_engine,
};

static int find_cpu(struct place *places, int room) {
    return find_kind(places, room, &cpu_backend, dnnl_cpu);
}

static int find_gpu(struct place *places, int room) {
    return find_kind(places, room, &gpu_backend, dnnl_gpu);
}

static const struct {
    const char *name;
    const struct backend *backend; /* NULL: this build of the tests lacks its headers or library */
    bool on_request;
} backends[] = {
        {"cpu", &cpu_backend, false},   {"ocl", &opencl_backend, false}, {"ze", &level_zero_backend, false},
        {"sycl", &sycl_backend, false}, {"gpu", &gpu_backend, true},
};

int places_find(struct place *places, const char *prefix) {
    int count = 0;
    for (int i = 0; i < COUNT(backends); i++) {
        size_t length = strlen(backends[i].name);
        if (prefix ? strncmp(prefix, backends[i].name, length) != 0 : backends[i].on_request) continue;
        if (backends[i].backend)
            count += backends[i].backend->find(places + count, MAX_PLACES - count);
        else
            printf("SKIP: places of %s: not in this build of the tests\n", backends[i].name);
    }
    return count;
}

void places_close(struct place *places, int count) {
    for (int i = 0; i < count; i++)
        if (places[i].backend->close) places[i].backend->close(&places[i]);
}
