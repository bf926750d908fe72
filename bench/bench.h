/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the benchmarks: checked calls, a clock, short ways to make descriptors. Uses only the public C
 * API, so that a program runs on any library that has it. Each program prints lines "name value unit".
 */
#ifndef LODE_BENCH_BENCH_H
#define LODE_BENCH_BENCH_H

#define _POSIX_C_SOURCE 200809L
#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_debug.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CHECK(call) bench_check(call, __FILE__, __LINE__)

static inline void bench_check(dnnl_status_t status, const char *file, int line) {
    if (status == dnnl_success) return;
    fprintf(stderr, "%s:%d: %s\n", file, line, dnnl_status2str(status));
    exit(1);
}

static inline double now_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

static inline dnnl_memory_desc_t bench_desc(int ndims, const dnnl_dim_t *dims, dnnl_data_type_t type,
                                            dnnl_format_tag_t tag) {
    dnnl_memory_desc_t md;
    dnnl_dims_t all = {0};
    memcpy(all, dims, (size_t)ndims * sizeof(*dims));
    CHECK(dnnl_memory_desc_create_with_tag(&md, ndims, all, type, tag));
    return md;
}

static inline dnnl_memory_desc_t f32_desc(int ndims, const dnnl_dim_t *dims, dnnl_format_tag_t tag) {
    return bench_desc(ndims, dims, dnnl_f32, tag);
}

/* A memory of that descriptor, filled with small numbers. */
static inline dnnl_memory_t f32_memory(dnnl_engine_t engine, const_dnnl_memory_desc_t md) {
    dnnl_memory_t memory;
    float *values;
    CHECK(dnnl_memory_create(&memory, md, engine, DNNL_MEMORY_ALLOCATE));
    CHECK(dnnl_memory_map_data(memory, (void **)&values));
    const size_t count = dnnl_memory_desc_get_size(md) / sizeof(float);
    for (size_t i = 0; i < count; i++)
        values[i] = (float)(i % 17) / 16.0f - 0.5f;
    CHECK(dnnl_memory_unmap_data(memory, values));
    return memory;
}

#endif
