/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that the library exports but no public header declares: entry points of oneDNN that users' tools
 * declare themselves. Their names and types are as fixed as those of the public ones.
 */
#ifndef LODE_API_UNDECLARED_H
#define LODE_API_UNDECLARED_H

#include "oneapi/dnnl/dnnl.h"

/* A descriptor whose layout is spelled like a format tag, of any length: "aBcd24b". */
DNNL_API dnnl_status_t dnnl_memory_desc_create_with_string_tag(dnnl_memory_desc_t *md, int ndims,
                                                               const dnnl_dims_t dims,
                                                               dnnl_data_type_t data_type, const char *tag);

/* Changes only the type, in place. */
DNNL_API dnnl_status_t dnnl_memory_desc_set_data_type(dnnl_memory_desc_t md, dnnl_data_type_t data_type);

/* Writes zeros to the padding of `memory`, in the order of `stream`. */
DNNL_API dnnl_status_t dnnl_impl_zero_pad(const_dnnl_memory_t memory, dnnl_stream_t stream);

/* Another kind for dnnl_query_profiling_data(): cycles of the device's timer; 0 if the runtime does not know
 * them. */
enum { PROFILING_DATA_KIND_CYCLES = 0x101 };

/* Tells a profiling stream that its measured part is over; dnnl_unimplemented on a CPU engine. */
DNNL_API dnnl_status_t dnnl_impl_notify_profiling_complete(dnnl_stream_t stream);

/* As dnnl_sgemm(), but A and B are bf16. */
DNNL_API dnnl_status_t dnnl_gemm_bf16bf16f32(char transa, char transb, dnnl_dim_t M, dnnl_dim_t N,
                                             dnnl_dim_t K, float alpha, const uint16_t *A, dnnl_dim_t lda,
                                             const uint16_t *B, dnnl_dim_t ldb, float beta, float *C,
                                             dnnl_dim_t ldc);

#endif
