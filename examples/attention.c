/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The attention of a transformer: softmax(q * k^T / sqrt(size)) * v, for all heads at once.
 *
 *   attention [ENGINE]    default: cpu
 *
 * Three primitives. The keys are given as they are, [heads, tokens, size], and described as their transpose:
 * strides say how a tensor lies in memory, no copy is made. The scale and the mask, which hides tokens that
 * come later, are post-ops of the first product. Exit status 1 if results differ from a plain loop; 77: there
 * is no such engine.
 */
#include "example.h"

#include <math.h>

enum { HEADS = 4, TOKENS = 24, SIZE = 32 };

static const float never = -1e9f; /* added to scores of tokens that must not be seen */

static dnnl_memory_t make_memory(dnnl_engine_t engine, dnnl_dim_t heads, dnnl_dim_t rows,
                                 dnnl_dim_t columns) {
    dnnl_memory_desc_t md = make_desc(3, (dnnl_dim_t[]){heads, rows, columns}, dnnl_f32, dnnl_abc);
    dnnl_memory_t memory;
    CHECK(dnnl_memory_create(&memory, md, engine, DNNL_MEMORY_ALLOCATE));
    CHECK(dnnl_memory_desc_destroy(md));
    return memory;
}

/* Runs a primitive and destroys it. */
static void run(dnnl_primitive_desc_t pd, dnnl_stream_t stream, int nargs, const dnnl_exec_arg_t *args) {
    dnnl_primitive_t primitive;
    CHECK(dnnl_primitive_create(&primitive, pd));
    CHECK(dnnl_primitive_execute(primitive, stream, nargs, args));
    CHECK(dnnl_primitive_destroy(primitive));
    CHECK(dnnl_primitive_desc_destroy(pd));
}

/* scores = q * k^T * scale + mask */
static void multiply_by_keys(dnnl_engine_t engine, dnnl_stream_t stream, dnnl_memory_t q, dnnl_memory_t k,
                             dnnl_memory_t mask, dnnl_memory_t scores) {
    dnnl_memory_desc_t transposed;
    dnnl_post_ops_t ops;
    dnnl_primitive_attr_t attr;
    dnnl_primitive_desc_t pd;
    CHECK(dnnl_memory_desc_create_with_strides(&transposed, 3, (dnnl_dims_t){HEADS, SIZE, TOKENS}, dnnl_f32,
                                               (dnnl_dims_t){TOKENS * SIZE, 1, SIZE}));
    CHECK(dnnl_post_ops_create(&ops));
    CHECK(dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_linear, 1.0f / sqrtf((float)SIZE), 0.0f));
    CHECK(dnnl_post_ops_append_binary(ops, dnnl_binary_add, desc_of(mask)));
    CHECK(dnnl_primitive_attr_create(&attr));
    CHECK(dnnl_primitive_attr_set_post_ops(attr, ops));
    CHECK(dnnl_matmul_primitive_desc_create(&pd, engine, desc_of(q), transposed, NULL, desc_of(scores),
                                            attr));
    run(pd, stream, 4,
        (dnnl_exec_arg_t[]){{DNNL_ARG_SRC, q},
                            {DNNL_ARG_WEIGHTS, k},
                            {DNNL_ARG_DST, scores},
                            {DNNL_ARG_ATTR_MULTIPLE_POST_OP(1) | DNNL_ARG_SRC_1, mask}});
    CHECK(dnnl_primitive_attr_destroy(attr));
    CHECK(dnnl_post_ops_destroy(ops));
    CHECK(dnnl_memory_desc_destroy(transposed));
}

/* In place. */
static void softmax(dnnl_engine_t engine, dnnl_stream_t stream, dnnl_memory_t scores) {
    const_dnnl_memory_desc_t md = desc_of(scores);
    dnnl_primitive_desc_t pd;
    CHECK(dnnl_softmax_forward_primitive_desc_create(&pd, engine, dnnl_forward_inference,
                                                     dnnl_softmax_accurate, md, md, 2, NULL));
    run(pd, stream, 2, (dnnl_exec_arg_t[]){{DNNL_ARG_SRC, scores}, {DNNL_ARG_DST, scores}});
}

static void multiply_by_values(dnnl_engine_t engine, dnnl_stream_t stream, dnnl_memory_t scores,
                               dnnl_memory_t v, dnnl_memory_t y) {
    dnnl_primitive_desc_t pd;
    CHECK(dnnl_matmul_primitive_desc_create(&pd, engine, desc_of(scores), desc_of(v), NULL, desc_of(y),
                                            NULL));
    run(pd, stream, 3, (dnnl_exec_arg_t[]){{DNNL_ARG_SRC, scores}, {DNNL_ARG_WEIGHTS, v}, {DNNL_ARG_DST, y}});
}

/* A token sees itself and those before it. */
static void fill_mask(dnnl_memory_t mask) {
    float *values = map(mask);
    for (int row = 0; row < TOKENS; row++)
        for (int column = 0; column < TOKENS; column++)
            values[row * TOKENS + column] = column > row ? never : 0.0f;
    unmap(mask, values);
}

/* One row of the result, in double. */
static void expect_row(const float *q, const float *k, const float *v, int row, double y[SIZE]) {
    double weights[TOKENS], sum = 0;
    for (int t = 0; t <= row; t++) {
        double score = 0;
        for (int i = 0; i < SIZE; i++)
            score += (double)q[row * SIZE + i] * (double)k[t * SIZE + i];
        sum += weights[t] = exp(score / sqrt(SIZE));
    }
    for (int i = 0; i < SIZE; i++) {
        y[i] = 0;
        for (int t = 0; t <= row; t++)
            y[i] += weights[t] / sum * (double)v[t * SIZE + i];
    }
}

static double largest_difference(const float *q, const float *k, const float *v, const float *y) {
    double largest = 0;
    for (int head = 0; head < HEADS; head++)
        for (int row = 0; row < TOKENS; row++) {
            double expected[SIZE];
            const int at = head * TOKENS * SIZE;
            expect_row(q + at, k + at, v + at, row, expected);
            for (int i = 0; i < SIZE; i++)
                largest = fmax(largest, fabs(expected[i] - (double)y[at + row * SIZE + i]));
        }
    return largest;
}

int main(int argc, char **argv) {
    enum { Q, K, V, MASK, SCORES, Y, TENSORS };
    dnnl_engine_t engine = open_engine(argc > 1 ? argv[1] : "cpu");
    dnnl_stream_t stream;
    dnnl_memory_t m[TENSORS];
    uint32_t random = 1;
    CHECK(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
    for (int i = 0; i < TENSORS; i++)
        m[i] = make_memory(engine, i == MASK ? 1 : HEADS, TOKENS, i == MASK || i == SCORES ? TOKENS : SIZE);
    for (int i = Q; i <= V; i++)
        fill(m[i], 1.0f, &random);
    fill_mask(m[MASK]);

    multiply_by_keys(engine, stream, m[Q], m[K], m[MASK], m[SCORES]);
    softmax(engine, stream, m[SCORES]);
    multiply_by_values(engine, stream, m[SCORES], m[V], m[Y]);
    CHECK(dnnl_stream_wait(stream));

    float *values[TENSORS];
    for (int i = 0; i < TENSORS; i++)
        values[i] = map(m[i]);
    const double difference = largest_difference(values[Q], values[K], values[V], values[Y]);
    for (int i = 0; i < TENSORS; i++) {
        unmap(m[i], values[i]);
        CHECK(dnnl_memory_destroy(m[i]));
    }
    CHECK(dnnl_stream_destroy(stream));
    CHECK(dnnl_engine_destroy(engine));
    printf("%d heads of %d tokens: largest difference from a plain loop %g\n", HEADS, TOKENS, difference);
    return difference < 1e-5 ? 0 : 1;
}
