/* SPDX-License-Identifier: Apache-2.0 */
/* dnnl_threadpool_interop_*: streams and matrix products on a user's threads. NULL stands for the library's.
 */
#include "oneapi/dnnl/dnnl_threadpool.h"
#include "base/team.h"
#include "base/verbose.h"
#include "core/objects.h"
#include "core/stream.h"
#include "oneapi/dnnl/dnnl.h"
#include "runtimes/host/threadpool.h"

static const char component[] = "threadpool";

dnnl_status_t dnnl_threadpool_interop_stream_create(dnnl_stream_t *stream, dnnl_engine_t engine,
                                                    void *threadpool) {
    if (!stream || !engine) return fail(dnnl_invalid_arguments, component, "null argument to create");
    if (!engine_runtime(engine)->synchronous)
        return fail(dnnl_invalid_arguments, component, "the engine does not run on threads of the host");
    TRY(dnnl_stream_create(stream, engine, dnnl_stream_in_order));
    if (!threadpool) return dnnl_success;
    (*stream)->guest = threadpool_guest(threadpool);
    (*stream)->base.threads = &(*stream)->guest;
    return dnnl_success;
}

dnnl_status_t dnnl_threadpool_interop_stream_get_threadpool(dnnl_stream_t stream, void **threadpool) {
    if (!stream || !threadpool)
        return fail(dnnl_invalid_arguments, component, "null argument to get_threadpool");
    *threadpool = stream->guest.object;
    return dnnl_success;
}

/* How many threads a user's pools will have, as this thread has said. Plans do not depend on it. */
static _Thread_local int max_concurrency;

dnnl_status_t dnnl_threadpool_interop_set_max_concurrency(int n) {
    if (n < 1) return fail(dnnl_invalid_arguments, component, "max_concurrency is %d", n);
    max_concurrency = n;
    return dnnl_success;
}

dnnl_status_t dnnl_threadpool_interop_get_max_concurrency(int *n) {
    if (!n) return fail(dnnl_invalid_arguments, component, "max_concurrency is NULL");
    *n = max_concurrency ? max_concurrency : team_current()->available;
    return dnnl_success;
}

/* The matrix products: the plain functions, while the calling thread borrows the user's threads. */

struct borrowed {
    struct pool_guest guest;
    const struct pool_guest *before;
};

static void borrow(struct borrowed *b, void *threadpool) {
    b->guest = threadpool_guest(threadpool);
    b->before = pool_borrow(threadpool ? &b->guest : NULL);
}

static dnnl_status_t give_back(struct borrowed *b, dnnl_status_t status) {
    pool_borrow(b->before);
    return status;
}

dnnl_status_t dnnl_threadpool_interop_sgemm(char transa, char transb, dnnl_dim_t M, dnnl_dim_t N,
                                            dnnl_dim_t K, float alpha, const float *A, dnnl_dim_t lda,
                                            const float *B, dnnl_dim_t ldb, float beta, float *C,
                                            dnnl_dim_t ldc, void *threadpool) {
    struct borrowed b;
    borrow(&b, threadpool);
    return give_back(&b, dnnl_sgemm(transa, transb, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc));
}

dnnl_status_t dnnl_threadpool_interop_gemm_u8s8s32(char transa, char transb, char offsetc, dnnl_dim_t M,
                                                   dnnl_dim_t N, dnnl_dim_t K, float alpha, const uint8_t *A,
                                                   dnnl_dim_t lda, uint8_t ao, const int8_t *B,
                                                   dnnl_dim_t ldb, int8_t bo, float beta, int32_t *C,
                                                   dnnl_dim_t ldc, const int32_t *co, void *threadpool) {
    struct borrowed b;
    borrow(&b, threadpool);
    return give_back(&b, dnnl_gemm_u8s8s32(transa, transb, offsetc, M, N, K, alpha, A, lda, ao, B, ldb, bo,
                                           beta, C, ldc, co));
}

dnnl_status_t dnnl_threadpool_interop_gemm_s8s8s32(char transa, char transb, char offsetc, dnnl_dim_t M,
                                                   dnnl_dim_t N, dnnl_dim_t K, float alpha, const int8_t *A,
                                                   dnnl_dim_t lda, int8_t ao, const int8_t *B, dnnl_dim_t ldb,
                                                   int8_t bo, float beta, int32_t *C, dnnl_dim_t ldc,
                                                   const int32_t *co, void *threadpool) {
    struct borrowed b;
    borrow(&b, threadpool);
    return give_back(&b, dnnl_gemm_s8s8s32(transa, transb, offsetc, M, N, K, alpha, A, lda, ao, B, ldb, bo,
                                           beta, C, ldc, co));
}
