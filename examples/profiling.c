/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long did each execution take? A stream that was created for profiling knows.
 *
 *   profiling [ENGINE]    default: cpu
 *
 * Times are the device's: they do not contain the time in which the program waited for its turn. Exit status
 * 77: there is no such engine.
 */
#include "example.h"

enum { SIZE = 256, TIMES = 5 };

int main(int argc, char **argv) {
    dnnl_engine_t engine = open_engine(argc > 1 ? argv[1] : "cpu");
    dnnl_memory_desc_t md = make_desc(2, (dnnl_dim_t[]){SIZE, SIZE}, dnnl_f32, dnnl_ab);
    dnnl_stream_t stream;
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t product;
    dnnl_memory_t m[3];
    uint32_t random = 1;
    for (int i = 0; i < 3; i++) {
        CHECK(dnnl_memory_create(&m[i], md, engine, DNNL_MEMORY_ALLOCATE));
        fill(m[i], 1.0f, &random);
    }
    CHECK(dnnl_stream_create(&stream, engine, dnnl_stream_in_order | dnnl_stream_profiling));
    CHECK(dnnl_matmul_primitive_desc_create(&pd, engine, md, md, NULL, md, NULL));
    CHECK(dnnl_primitive_create(&product, pd));

    CHECK(dnnl_reset_profiling(stream));
    for (int i = 0; i < TIMES; i++)
        CHECK(dnnl_primitive_execute(
                product, stream, 3,
                (dnnl_exec_arg_t[]){{DNNL_ARG_SRC, m[0]}, {DNNL_ARG_WEIGHTS, m[1]}, {DNNL_ARG_DST, m[2]}}));
    CHECK(dnnl_stream_wait(stream));

    int count = 0; /* one entry for each execution since the reset */
    uint64_t ns[TIMES];
    CHECK(dnnl_query_profiling_data(stream, dnnl_profiling_data_kind_time, &count, NULL));
    const bool all = count == TIMES;
    if (all) CHECK(dnnl_query_profiling_data(stream, dnnl_profiling_data_kind_time, &count, ns));
    for (int i = 0; all && i < TIMES; i++)
        printf("product %d: %.1f us\n", i, (double)ns[i] / 1000);

    for (int i = 0; i < 3; i++)
        CHECK(dnnl_memory_destroy(m[i]));
    CHECK(dnnl_primitive_destroy(product));
    CHECK(dnnl_primitive_desc_destroy(pd));
    CHECK(dnnl_memory_desc_destroy(md));
    CHECK(dnnl_stream_destroy(stream));
    CHECK(dnnl_engine_destroy(engine));
    return all ? 0 : 1;
}
