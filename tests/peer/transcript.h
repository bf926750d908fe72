/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the transcripts: calls whose result is printed, calls that must succeed, and objects. */
#ifndef LODE_TESTS_PEER_TRANSCRIPT_H
#define LODE_TESTS_PEER_TRANSCRIPT_H

#include "count.h"
#include "oneapi/dnnl/dnnl.h"

#include <stdio.h>
#include <stdlib.h>

#define SHOW(call) printf("%s -> %d\n", #call, (int)(call))
#define MUST(call)                                                                                           \
    do {                                                                                                     \
        if ((call) != dnnl_success) abort();                                                                 \
    } while (0)

/* If there is none, prints a line that compare_transcripts.cmake looks for, and exits. */
static inline dnnl_engine_t cpu_engine(void) {
    dnnl_engine_t engine;
    if (dnnl_engine_create(&engine, dnnl_cpu, 0) == dnnl_success) return engine;
    printf("no CPU engine\n");
    exit(0);
}

static inline dnnl_memory_desc_t tagged(int ndims, const dnnl_dims_t dims, dnnl_data_type_t type,
                                        dnnl_format_tag_t tag) {
    dnnl_memory_desc_t md = NULL;
    MUST(dnnl_memory_desc_create_with_tag(&md, ndims, dims, type, tag));
    return md;
}

static inline dnnl_memory_desc_t strided(int ndims, const dnnl_dims_t dims, dnnl_data_type_t type,
                                         const dnnl_dims_t strides) {
    dnnl_memory_desc_t md = NULL;
    MUST(dnnl_memory_desc_create_with_strides(&md, ndims, dims, type, strides));
    return md;
}

/* Descriptors that live until release_all. */
static dnnl_memory_desc_t kept[512];
static int nkept;

static inline dnnl_memory_desc_t keep(dnnl_memory_desc_t md) {
    return kept[nkept++] = md;
}
static inline void release_all(void) {
    while (nkept > 0)
        dnnl_memory_desc_destroy(kept[--nkept]);
}
#define MD(tag, type, ...)                                                                                   \
    keep(tagged(COUNT(((dnnl_dim_t[]){__VA_ARGS__})), (dnnl_dims_t){__VA_ARGS__}, dnnl_##type, dnnl_##tag))

#endif
