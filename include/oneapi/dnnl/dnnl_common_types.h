/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The types that every part of the API shares: statuses, data types, dimensions, math modes, engines,
 * streams, the version. Names and values are oneDNN's.
 */
#ifndef ONEAPI_DNNL_DNNL_COMMON_TYPES_H
#define ONEAPI_DNNL_DNNL_COMMON_TYPES_H

#ifdef __cplusplus
extern "C" {
#endif

#include <stddef.h>
#include <stdint.h>

#include "oneapi/dnnl/dnnl_config.h"

/* The result of nearly every function. Unless it is dnnl_success, no output was written. */
typedef enum {
    dnnl_success = 0,
    dnnl_out_of_memory = 1,
    dnnl_invalid_arguments = 2,
    dnnl_unimplemented = 3,     /* no implementation supports this combination of arguments */
    dnnl_last_impl_reached = 4, /* dnnl_primitive_desc_next_impl() has no further one */
    dnnl_runtime_error = 5,     /* the engine's runtime failed */
    dnnl_not_required = 6,      /* the query does not apply to the primitive */
    dnnl_invalid_graph = 7,
    dnnl_invalid_graph_op = 8,
    dnnl_invalid_shape = 9,
    dnnl_invalid_data_type = 10,
} dnnl_status_t;

/* Types of elements. */
typedef enum {
    dnnl_data_type_undef = 0,
    dnnl_f16 = 1,  /* IEEE half */
    dnnl_bf16 = 2, /* the upper half of an f32 */
    dnnl_f32 = 3,
    dnnl_s32 = 4,
    dnnl_s8 = 5,
    dnnl_u8 = 6,
    dnnl_f64 = 7,
    dnnl_boolean = 8,
    dnnl_f8_e5m2 = 9, /* OCP 8-bit floats */
    dnnl_f8_e4m3 = 10,
    dnnl_s4 = 11, /* two to a byte, the low half first */
    dnnl_u4 = 12,
    dnnl_e8m0 = 13,    /* OCP MX scale: a power of two */
    dnnl_f4_e2m1 = 14, /* OCP MX 4-bit float */
    dnnl_f4_e3m0 = 15, /* deprecated by oneDNN */
    dnnl_s64 = 16,
    dnnl_data_type_max = 0x7fff,
} dnnl_data_type_t;

/* Tensors have 1 to DNNL_MAX_NDIMS dimensions; 0 dimensions mean "no tensor". */
#define DNNL_MAX_NDIMS 12
typedef int64_t dnnl_dim_t;
typedef dnnl_dim_t dnnl_dims_t[DNNL_MAX_NDIMS];

/* Which shorter types may be used for f32 computations. */
typedef enum {
    dnnl_fpmath_mode_strict, /* none */
    dnnl_fpmath_mode_bf16,
    dnnl_fpmath_mode_f16,
    dnnl_fpmath_mode_any, /* bf16, f16 or tf32 */
    dnnl_fpmath_mode_tf32,
} dnnl_fpmath_mode_t;

/* The type in which sums are accumulated. */
typedef enum {
    dnnl_accumulation_mode_strict,  /* f32 or f64 for floats, s32 for integers */
    dnnl_accumulation_mode_relaxed, /* partial sums may use the type of source or destination */
    dnnl_accumulation_mode_any,     /* whatever is fastest */
    dnnl_accumulation_mode_s32,
    dnnl_accumulation_mode_f32,
    dnnl_accumulation_mode_f16
} dnnl_accumulation_mode_t;

/* Kinds of engines. */
typedef enum {
    dnnl_any_engine,
    dnnl_cpu,
    dnnl_gpu, /* a device of Level Zero, OpenCL or SYCL */
} dnnl_engine_kind_t;

struct dnnl_engine;
typedef struct dnnl_engine *dnnl_engine_t;

/* Flags of streams. */
typedef enum {
    dnnl_stream_in_order = 0x1U,
    dnnl_stream_out_of_order = 0x2U, /* only dependencies given at execution order the primitives */
    dnnl_stream_default_flags = dnnl_stream_in_order,
#ifdef DNNL_EXPERIMENTAL_PROFILING
    dnnl_stream_profiling = 0x4U, /* times every primitive: see dnnl_query_profiling_data() */
#endif
    dnnl_stream_flags_max = 0x7fff,
} dnnl_stream_flags_t;

struct dnnl_stream;
typedef struct dnnl_stream *dnnl_stream_t;
typedef const struct dnnl_stream *const_dnnl_stream_t;

/* The version of a library. */
typedef struct {
    int major;
    int minor;
    int patch;
    const char *hash;     /* commit of the sources */
    unsigned cpu_runtime; /* one of DNNL_RUNTIME_* */
    unsigned gpu_runtime;
} dnnl_version_t;

/* Handles for a new memory object: no buffer yet, or one that the library allocates and owns. */
#define DNNL_MEMORY_NONE (NULL)
#define DNNL_MEMORY_ALLOCATE ((void *)(size_t)-1)

#ifdef __cplusplus
}
#endif

#endif
