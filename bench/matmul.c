/* SPDX-License-Identifier: Apache-2.0 */
/*
 * f32 matmul N x N x N (default 1024) on the CPU engine, weights packed in the layout that the library
 * prefers. Prints GFLOP/s of the best run.
 */
#include "bench.h"

#include <math.h>

enum { RUNS = 40 };

int main(int argc, char **argv) {
    const dnnl_dim_t n = argc > 1 ? atoll(argv[1]) : 1024;
    if (n < 1) return 1;
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    CHECK(dnnl_engine_create(&engine, dnnl_cpu, 0));
    CHECK(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));

    const dnnl_dim_t dims[] = {n, n};
    dnnl_memory_desc_t plain = f32_desc(2, dims, dnnl_ab), any = f32_desc(2, dims, dnnl_format_tag_any);
    dnnl_primitive_desc_t pd, reorder_pd;
    CHECK(dnnl_matmul_primitive_desc_create(&pd, engine, plain, any, NULL, plain, NULL));
    const_dnnl_memory_desc_t packed_md = dnnl_primitive_desc_query_md(pd, dnnl_query_weights_md, 0);
    CHECK(dnnl_reorder_primitive_desc_create(&reorder_pd, plain, engine, packed_md, engine, NULL));
    dnnl_primitive_t matmul, reorder;
    CHECK(dnnl_primitive_create(&matmul, pd));
    CHECK(dnnl_primitive_create(&reorder, reorder_pd));

    dnnl_memory_t src = f32_memory(engine, plain), weights = f32_memory(engine, plain);
    dnnl_memory_t packed = f32_memory(engine, packed_md), dst = f32_memory(engine, plain);
    dnnl_exec_arg_t pack[] = {{DNNL_ARG_FROM, weights}, {DNNL_ARG_TO, packed}};
    dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, packed}, {DNNL_ARG_DST, dst}};
    CHECK(dnnl_primitive_execute(reorder, stream, 2, pack));

    double best = INFINITY;
    for (int run = 0; run < RUNS; run++) {
        const double start = now_us();
        CHECK(dnnl_primitive_execute(matmul, stream, 3, args));
        CHECK(dnnl_stream_wait(stream));
        best = fmin(best, now_us() - start);
    }
    printf("matmul_f32_%lld %.1f GFLOP/s\n", (long long)n,
           2.0 * (double)n * (double)n * (double)n / best * 1e-3);

    dnnl_memory_t memories[] = {src, weights, packed, dst};
    for (int i = 0; i < 4; i++)
        CHECK(dnnl_memory_destroy(memories[i]));
    CHECK(dnnl_primitive_destroy(matmul));
    CHECK(dnnl_primitive_destroy(reorder));
    CHECK(dnnl_primitive_desc_destroy(pd));
    CHECK(dnnl_primitive_desc_destroy(reorder_pd));
    CHECK(dnnl_memory_desc_destroy(plain));
    CHECK(dnnl_memory_desc_destroy(any));
    CHECK(dnnl_stream_destroy(stream));
    CHECK(dnnl_engine_destroy(engine));
    return 0;
}
