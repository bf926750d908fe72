/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The host's cost of one call of execute: an eltwise of 16 elements. With ONEDNN_CPU_RUNTIME=NULL nothing is
 * computed, so the time is the library's overhead. Prints nanoseconds per call, the best of several series.
 */
#include "bench.h"

#include <math.h>

enum { SERIES = 10, CALLS = 2000 };

int main(void) {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    CHECK(dnnl_engine_create(&engine, dnnl_cpu, 0));
    CHECK(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
    const dnnl_dim_t dims[] = {16};
    dnnl_memory_desc_t md = f32_desc(1, dims, dnnl_a);
    dnnl_memory_t src = f32_memory(engine, md), dst = f32_memory(engine, md);
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t primitive;
    CHECK(dnnl_eltwise_forward_primitive_desc_create(&pd, engine, dnnl_forward_inference, dnnl_eltwise_relu,
                                                     md, md, 0.0f, 0.0f, NULL));
    CHECK(dnnl_primitive_create(&primitive, pd));
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}};

    double best = INFINITY;
    for (int s = 0; s < SERIES; s++) {
        const double start = now_us();
        for (int i = 0; i < CALLS; i++)
            CHECK(dnnl_primitive_execute(primitive, stream, 2, args));
        best = fmin(best, (now_us() - start) * 1e3 / CALLS);
        CHECK(dnnl_stream_wait(stream));
    }
    printf("execute %.0f ns\n", best);

    CHECK(dnnl_primitive_destroy(primitive));
    CHECK(dnnl_primitive_desc_destroy(pd));
    CHECK(dnnl_memory_destroy(src));
    CHECK(dnnl_memory_destroy(dst));
    CHECK(dnnl_memory_desc_destroy(md));
    CHECK(dnnl_stream_destroy(stream));
    CHECK(dnnl_engine_destroy(engine));
    return 0;
}
