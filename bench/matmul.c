/* SPDX-License-Identifier: Apache-2.0 */
/*
 * matmul N x N x N (default 1024) on the CPU engine, weights packed in the layout that the library prefers:
 *
 *   bench_matmul [N [TYPE]]    TYPE is f32, or u8 or s8 for that source type with s8 weights and s32 result
 *
 * Prints billions of operations per second of the best run.
 */
#include "bench.h"

#include <math.h>

enum { RUNS = 40 };

static const struct {
    const char *name;
    dnnl_data_type_t src, weights, dst;
} types[] = {{"f32", dnnl_f32, dnnl_f32, dnnl_f32},
             {"u8", dnnl_u8, dnnl_s8, dnnl_s32},
             {"s8", dnnl_s8, dnnl_s8, dnnl_s32}};
enum { TYPES = sizeof types / sizeof types[0] };

/* Filled with arbitrary bytes, or with small floats. */
static dnnl_memory_t filled(dnnl_engine_t engine, const_dnnl_memory_desc_t md, dnnl_data_type_t type) {
    if (type == dnnl_f32) return f32_memory(engine, md);
    dnnl_memory_t memory;
    unsigned char *bytes;
    CHECK(dnnl_memory_create(&memory, md, engine, DNNL_MEMORY_ALLOCATE));
    CHECK(dnnl_memory_map_data(memory, (void **)&bytes));
    for (size_t i = 0; i < dnnl_memory_desc_get_size(md); i++)
        bytes[i] = (unsigned char)(i * 37);
    CHECK(dnnl_memory_unmap_data(memory, bytes));
    return memory;
}

int main(int argc, char **argv) {
    const dnnl_dim_t n = argc > 1 ? atoll(argv[1]) : 1024;
    int t = 0;
    while (argc > 2 && t < TYPES && strcmp(types[t].name, argv[2]) != 0)
        t++;
    if (n < 1 || t == TYPES) return 1;
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    CHECK(dnnl_engine_create(&engine, dnnl_cpu, 0));
    CHECK(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));

    const dnnl_dim_t dims[] = {n, n};
    dnnl_memory_desc_t src_md = bench_desc(2, dims, types[t].src, dnnl_ab),
                       dst_md = bench_desc(2, dims, types[t].dst, dnnl_ab),
                       plain = bench_desc(2, dims, types[t].weights, dnnl_ab),
                       any = bench_desc(2, dims, types[t].weights, dnnl_format_tag_any);
    dnnl_primitive_desc_t pd, reorder_pd;
    CHECK(dnnl_matmul_primitive_desc_create(&pd, engine, src_md, any, NULL, dst_md, NULL));
    const_dnnl_memory_desc_t packed_md = dnnl_primitive_desc_query_md(pd, dnnl_query_weights_md, 0);
    CHECK(dnnl_reorder_primitive_desc_create(&reorder_pd, plain, engine, packed_md, engine, NULL));
    dnnl_primitive_t matmul, reorder;
    CHECK(dnnl_primitive_create(&matmul, pd));
    CHECK(dnnl_primitive_create(&reorder, reorder_pd));

    dnnl_memory_t src = filled(engine, src_md, types[t].src), dst = filled(engine, dst_md, types[t].dst);
    dnnl_memory_t weights = filled(engine, plain, types[t].weights),
                  packed = filled(engine, packed_md, types[t].weights);
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
    printf("matmul_%s_%lld %.1f %s/s\n", types[t].name, (long long)n,
           2.0 * (double)n * (double)n * (double)n / best * 1e-3, types[t].src == dnnl_f32 ? "GFLOP" : "GOP");

    dnnl_memory_t memories[] = {src, weights, packed, dst};
    for (int i = 0; i < 4; i++)
        CHECK(dnnl_memory_destroy(memories[i]));
    CHECK(dnnl_primitive_destroy(matmul));
    CHECK(dnnl_primitive_destroy(reorder));
    CHECK(dnnl_primitive_desc_destroy(pd));
    CHECK(dnnl_primitive_desc_destroy(reorder_pd));
    CHECK(dnnl_memory_desc_destroy(src_md));
    CHECK(dnnl_memory_desc_destroy(dst_md));
    CHECK(dnnl_memory_desc_destroy(plain));
    CHECK(dnnl_memory_desc_destroy(any));
    CHECK(dnnl_stream_destroy(stream));
    CHECK(dnnl_engine_destroy(engine));
    return 0;
}
