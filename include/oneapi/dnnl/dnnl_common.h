/* SPDX-License-Identifier: Apache-2.0 */
/* Engines, streams, default math mode, verbose mode and version. */
#ifndef ONEAPI_DNNL_DNNL_COMMON_H
#define ONEAPI_DNNL_DNNL_COMMON_H

#include "oneapi/dnnl/dnnl_common_types.h"
#include "oneapi/dnnl/dnnl_config.h"
#include "oneapi/dnnl/dnnl_version.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An engine is a device with its library state. `index` is below the count of that kind. It must outlive the
 * streams, memory objects and primitives created with it. */
DNNL_API size_t dnnl_engine_get_count(dnnl_engine_kind_t kind);
DNNL_API dnnl_status_t dnnl_engine_create(dnnl_engine_t *engine, dnnl_engine_kind_t kind, size_t index);
DNNL_API dnnl_status_t dnnl_engine_get_kind(dnnl_engine_t engine, dnnl_engine_kind_t *kind);
DNNL_API dnnl_status_t dnnl_engine_destroy(dnnl_engine_t engine);

/* A stream executes primitives. `flags` is a combination of dnnl_stream_flags_t. */
DNNL_API dnnl_status_t dnnl_stream_create(dnnl_stream_t *stream, dnnl_engine_t engine, unsigned flags);
DNNL_API dnnl_status_t dnnl_stream_get_engine(const_dnnl_stream_t stream, dnnl_engine_t *engine);
DNNL_API dnnl_status_t dnnl_stream_wait(dnnl_stream_t stream);
DNNL_API dnnl_status_t dnnl_stream_destroy(dnnl_stream_t stream);

/* The math mode of attributes created from now on (environment: ONEDNN_DEFAULT_FPMATH_MODE). */
DNNL_API dnnl_status_t dnnl_get_default_fpmath_mode(dnnl_fpmath_mode_t *mode);
DNNL_API dnnl_status_t dnnl_set_default_fpmath_mode(dnnl_fpmath_mode_t mode);

/* Verbose lines on stdout, for the whole process; overrides ONEDNN_VERBOSE. 0: none, 1: executions, 2: also
 * creations. */
DNNL_API dnnl_status_t dnnl_set_verbose(int level);

/* `*enabled` becomes 1 if executions are reported, else 0. */
DNNL_API dnnl_status_t dnnl_verbose_profiling_enabled(int *enabled);

/* A constant of the library: never NULL, must not be freed. */
DNNL_API const dnnl_version_t *dnnl_version(void);

#ifdef __cplusplus
}
#endif

#endif
