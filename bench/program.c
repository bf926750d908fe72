/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a long program costs: a bidirectional LSTM of two layers, hidden size 512, planned with the cache off,
 * for 100 and for 1000 steps. It looks inside the library, so there is no peer.
 */
#include "bench.h"
#include "core/objects.h"
#include "core/plan.h"

#include <math.h>

enum { RUNS = 200, LAYERS = 2, DIRECTIONS = 2, GATES = 4, SIZE = 512 };

static dnnl_primitive_desc_t make_desc(dnnl_engine_t engine, dnnl_dim_t steps) {
    const dnnl_dim_t data_dims[] = {steps, 1, SIZE}, weights_dims[] = {LAYERS, DIRECTIONS, SIZE, GATES, SIZE},
                     bias_dims[] = {LAYERS, DIRECTIONS, GATES, SIZE};
    dnnl_memory_desc_t data = f32_desc(3, data_dims, dnnl_tnc),
                       weights = f32_desc(5, weights_dims, dnnl_format_tag_any),
                       bias = f32_desc(4, bias_dims, dnnl_ldgo);
    dnnl_primitive_desc_t pd;
    CHECK(dnnl_lstm_forward_primitive_desc_create(&pd, engine, dnnl_forward_inference, dnnl_bidirectional_sum,
                                                  data, NULL, NULL, weights, weights, NULL, NULL, bias, data,
                                                  NULL, NULL, 0, NULL));
    CHECK(dnnl_memory_desc_destroy(data));
    CHECK(dnnl_memory_desc_destroy(weights));
    CHECK(dnnl_memory_desc_destroy(bias));
    return pd;
}

static double create_us(dnnl_engine_t engine, dnnl_dim_t steps) {
    double best = INFINITY;
    for (int i = 0; i < RUNS; i++) {
        dnnl_primitive_t primitive;
        const double start = now_us();
        dnnl_primitive_desc_t pd = make_desc(engine, steps);
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
    for (dnnl_dim_t steps = 100; steps <= 1000; steps *= 10) {
        dnnl_primitive_desc_t pd = make_desc(engine, steps);
        const struct program *program = pd->plan->program;
        printf("program_%d_steps %.1f us, %zu launches, %zu runs, %zu bytes\n", (int)steps,
               create_us(engine, steps), (size_t)program->nlaunches, program->nruns, program_bytes(program));
        CHECK(dnnl_primitive_desc_destroy(pd));
    }
    CHECK(dnnl_engine_destroy(engine));
    return 0;
}
