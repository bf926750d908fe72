/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the C examples: checked calls, engines by name, descriptors, memory, random numbers, time. */
#ifndef LODE_EXAMPLES_EXAMPLE_H
#define LODE_EXAMPLES_EXAMPLE_H

#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_debug.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NO_SUCH_ENGINE = 77 }; /* exit status */

/* Ends the program if a call fails. */
#define CHECK(call) check(call, #call, __FILE__, __LINE__)

static inline void check(dnnl_status_t status, const char *call, const char *file, int line) {
    if (status == dnnl_success) return;
    fprintf(stderr, "%s:%d: %.60s...: %s\n", file, line, call, dnnl_status2str(status));
    exit(1);
}

static inline double now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

/* Descriptors. */

static inline dnnl_memory_desc_t make_desc(int ndims, const dnnl_dim_t *dims, dnnl_data_type_t type,
                                           dnnl_format_tag_t tag) {
    dnnl_memory_desc_t md;
    dnnl_dims_t all = {0};
    memcpy(all, dims, (size_t)ndims * sizeof(*dims));
    CHECK(dnnl_memory_desc_create_with_tag(&md, ndims, all, type, tag));
    return md;
}

static inline const_dnnl_memory_desc_t desc_of(const_dnnl_memory_t memory) {
    const_dnnl_memory_desc_t md;
    CHECK(dnnl_memory_get_memory_desc(memory, &md));
    return md;
}

static inline int dims_of(const_dnnl_memory_t memory, const dnnl_dim_t **dims) {
    int ndims;
    CHECK(dnnl_memory_desc_query(desc_of(memory), dnnl_query_ndims_s32, &ndims));
    CHECK(dnnl_memory_desc_query(desc_of(memory), dnnl_query_dims, dims));
    return ndims;
}

/* Floats of a memory, between map and unmap. What was executed on it must be complete. */

static inline float *map(const_dnnl_memory_t memory) {
    float *values;
    CHECK(dnnl_memory_map_data(memory, (void **)&values));
    return values;
}

static inline void unmap(const_dnnl_memory_t memory, float *values) {
    CHECK(dnnl_memory_unmap_data(memory, values));
}

static inline size_t float_count(const_dnnl_memory_t memory) {
    return dnnl_memory_desc_get_size(desc_of(memory)) / sizeof(float);
}

/* Uniform in [-1, 1], the same numbers on every machine. */
static inline float random_float(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) * (2.0f / 16777216.0f) - 1.0f;
}

/* Uniform in [-limit, limit]. */
static inline void fill(dnnl_memory_t memory, float limit, uint32_t *state) {
    float *values = map(memory);
    const size_t count = float_count(memory);
    for (size_t i = 0; i < count; i++)
        values[i] = limit * random_float(state);
    unmap(memory, values);
}

/* Opens "cpu", "gpu" (the library's default), or the index-th device of a runtime (ze, ocl:1, sycl), counting
 * gpu engines before cpu engines. The library reads which runtime an engine kind means at its first call. */
static inline dnnl_engine_t open_engine(const char *name) {
    static const struct {
        const char *name, *gpu_runtime, *cpu_runtime;
        dnnl_engine_kind_t kinds[2];
    } known[] = {
            {"cpu", NULL, NULL, {dnnl_cpu}},
            {"gpu", NULL, NULL, {dnnl_gpu}},
            {"ze", "ZE", NULL, {dnnl_gpu}},
            {"ocl", "OCL", NULL, {dnnl_gpu}},
            {"sycl", "SYCL", "SYCL", {dnnl_gpu, dnnl_cpu}},
    };
    const size_t length = strcspn(name, ":");
    size_t index = name[length] ? strtoul(name + length + 1, NULL, 10) : 0;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (strlen(known[i].name) != length || strncmp(known[i].name, name, length)) continue;
        if (known[i].gpu_runtime) setenv("ONEDNN_GPU_RUNTIME", known[i].gpu_runtime, 1);
        if (known[i].cpu_runtime) setenv("ONEDNN_CPU_RUNTIME", known[i].cpu_runtime, 1);
        for (int k = 0; k < 2 && known[i].kinds[k]; k++) {
            const size_t count = dnnl_engine_get_count(known[i].kinds[k]);
            dnnl_engine_t engine;
            if (index < count) {
                CHECK(dnnl_engine_create(&engine, known[i].kinds[k], index));
                return engine;
            }
            index -= count;
        }
        printf("SKIP: this machine has no engine %s\n", name);
        exit(NO_SUCH_ENGINE);
    }
    fprintf(stderr, "unknown engine: %s\n", name);
    exit(1);
}

#endif
