/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a long program costs: one of the size of a bidirectional LSTM of two layers, hidden size 512, planned
 * with the cache off, for 100 and for 1000 steps; and what it costs to execute on the null runtime
 * (ONEDNN_CPU_RUNTIME=NULL). It looks inside the library, so there is no peer.
 */
#include "bench.h"
#include "program/recurrent.h"

#include <math.h>

enum { RUNS = 200 };

static double create_us(dnnl_engine_t engine, const struct recurrent *r) {
    double best = INFINITY;
    for (int i = 0; i < RUNS; i++) {
        dnnl_primitive_desc_t pd;
        dnnl_primitive_t primitive;
        const double start = now_us();
        CHECK(recurrent_desc_create(&pd, engine, r));
        CHECK(dnnl_primitive_create(&primitive, pd));
        best = fmin(best, now_us() - start);
        CHECK(dnnl_primitive_destroy(primitive));
        CHECK(dnnl_primitive_desc_destroy(pd));
    }
    return best;
}

int main(void) {
    dnnl_engine_t engine;
    CHECK(dnnl_engine_create(&engine, dnnl_cpu, 0));
    CHECK(dnnl_set_primitive_cache_capacity(0));
    struct recurrent r = {.layers = 2, .directions = 2, .steps = 100, .batch = 1, .size = 512};
    for (; r.steps <= 1000; r.steps *= 10) {
        dnnl_primitive_desc_t pd;
        CHECK(recurrent_desc_create(&pd, engine, &r));
        const struct program *program = pd->plan->program;
        printf("program_%d_steps %.1f us, %zu launches, %zu runs, %zu bytes\n", (int)r.steps,
               create_us(engine, &r), (size_t)program->nlaunches, program->nruns, program_bytes(program));
        CHECK(dnnl_primitive_desc_destroy(pd));
    }
    CHECK(dnnl_engine_destroy(engine));
    return 0;
}
