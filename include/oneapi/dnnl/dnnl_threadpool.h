/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work on a user's thread pool, in place of the library's. `threadpool` is a
 * dnnl::threadpool_interop::threadpool_iface (dnnl_threadpool_iface.hpp) built with libstdc++; NULL stands
 * for the library's own threads. Results have the same bits on either. An execution has ended when it
 * returns, on asynchronous pools, too.
 */
#ifndef ONEAPI_DNNL_DNNL_THREADPOOL_H
#define ONEAPI_DNNL_DNNL_THREADPOOL_H

#include "oneapi/dnnl/dnnl_config.h"
#include "oneapi/dnnl/dnnl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The engine must be a CPU engine of the host runtime. */
DNNL_API dnnl_status_t dnnl_threadpool_interop_stream_create(dnnl_stream_t *stream, dnnl_engine_t engine,
                                                             void *threadpool);
DNNL_API dnnl_status_t dnnl_threadpool_interop_stream_get_threadpool(dnnl_stream_t stream, void **threadpool);
/* The number of threads that pools of the calling thread will have. Nothing depends on it here. */
DNNL_API dnnl_status_t dnnl_threadpool_interop_set_max_concurrency(int max_concurrency);
DNNL_API dnnl_status_t dnnl_threadpool_interop_get_max_concurrency(int *max_concurrency);
DNNL_API dnnl_status_t dnnl_threadpool_interop_sgemm(char transa, char transb, dnnl_dim_t M, dnnl_dim_t N,
                                                     dnnl_dim_t K, float alpha, const float *A,
                                                     dnnl_dim_t lda, const float *B, dnnl_dim_t ldb,
                                                     float beta, float *C, dnnl_dim_t ldc, void *threadpool);
DNNL_API dnnl_status_t dnnl_threadpool_interop_gemm_u8s8s32(char transa, char transb, char offsetc,
                                                            dnnl_dim_t M, dnnl_dim_t N, dnnl_dim_t K,
                                                            float alpha, const uint8_t *A, dnnl_dim_t lda,
                                                            uint8_t ao, const int8_t *B, dnnl_dim_t ldb,
                                                            int8_t bo, float beta, int32_t *C, dnnl_dim_t ldc,
                                                            const int32_t *co, void *threadpool);
DNNL_API dnnl_status_t dnnl_threadpool_interop_gemm_s8s8s32(char transa, char transb, char offsetc,
                                                            dnnl_dim_t M, dnnl_dim_t N, dnnl_dim_t K,
                                                            float alpha, const int8_t *A, dnnl_dim_t lda,
                                                            int8_t ao, const int8_t *B, dnnl_dim_t ldb,
                                                            int8_t bo, float beta, int32_t *C, dnnl_dim_t ldc,
                                                            const int32_t *co, void *threadpool);

#ifdef __cplusplus
}
#endif

#endif
