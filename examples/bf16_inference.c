/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inference in bf16: two layers of neurons, first in f32, then in bf16.
 *
 *   bf16_inference [ENGINE]    default: cpu
 *
 * A bf16 is the upper half of an f32: the same range with 8 bits of precision, so no scales are needed,
 * unlike for bytes (int8_inference.c). Weights and what flows between layers take half the memory; sums are
 * in f32. Biases stay f32. Exit status 1 if the result is off by more than the roundings explain; 77: there
 * is no such engine.
 */
#include "example.h"

#include <math.h>

enum { IMAGES = 8, INPUTS = 256, HIDDEN = 128, OUTPUTS = 16 };

static dnnl_engine_t engine;
static dnnl_stream_t stream;

static dnnl_memory_t make_memory(const_dnnl_memory_desc_t md) {
    dnnl_memory_t memory;
    CHECK(dnnl_memory_create(&memory, md, engine, DNNL_MEMORY_ALLOCATE));
    return memory;
}

/* A tensor of f32 in the order in which a program keeps it. */
static dnnl_memory_t make_tensor(int ndims, dnnl_dim_t rows, dnnl_dim_t columns) {
    dnnl_memory_desc_t md =
            make_desc(ndims, (dnnl_dim_t[]){rows, columns}, dnnl_f32, ndims == 1 ? dnnl_a : dnnl_ab);
    dnnl_memory_t memory = make_memory(md);
    CHECK(dnnl_memory_desc_destroy(md));
    return memory;
}

static void run(dnnl_primitive_desc_t pd, int nargs, const dnnl_exec_arg_t *args) {
    dnnl_primitive_t primitive;
    CHECK(dnnl_primitive_create(&primitive, pd));
    CHECK(dnnl_primitive_execute(primitive, stream, nargs, args));
    CHECK(dnnl_primitive_destroy(primitive));
    CHECK(dnnl_primitive_desc_destroy(pd));
}

/* A copy with another type and layout: a reorder converts both at once. */
static dnnl_memory_t converted(dnnl_memory_t from, const_dnnl_memory_desc_t md) {
    dnnl_memory_t to = make_memory(md);
    dnnl_primitive_desc_t pd;
    CHECK(dnnl_reorder_primitive_desc_create(&pd, desc_of(from), engine, md, engine, NULL));
    run(pd, 2, (dnnl_exec_arg_t[]){{DNNL_ARG_SRC, from}, {DNNL_ARG_DST, to}});
    return to;
}

/* relu(src * weights + bias). The library chooses the layout of the weights, which are converted once; a
 * program that runs a network many times keeps them. */
static dnnl_memory_t layer(dnnl_memory_t src, dnnl_memory_t weights, dnnl_memory_t bias, dnnl_dim_t inputs,
                           dnnl_dim_t outputs, dnnl_data_type_t type) {
    dnnl_memory_desc_t weights_md = make_desc(2, (dnnl_dim_t[]){outputs, inputs}, type, dnnl_format_tag_any);
    dnnl_memory_desc_t dst_md = make_desc(2, (dnnl_dim_t[]){IMAGES, outputs}, type, dnnl_ab);
    dnnl_post_ops_t ops;
    dnnl_primitive_attr_t attr;
    dnnl_primitive_desc_t pd;
    CHECK(dnnl_post_ops_create(&ops));
    CHECK(dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_relu, 0.0f, 0.0f));
    CHECK(dnnl_primitive_attr_create(&attr));
    CHECK(dnnl_primitive_attr_set_post_ops(attr, ops));
    CHECK(dnnl_inner_product_forward_primitive_desc_create(&pd, engine, dnnl_forward_inference, desc_of(src),
                                                           weights_md, desc_of(bias), dst_md, attr));
    dnnl_memory_t own = converted(weights, dnnl_primitive_desc_query_md(pd, dnnl_query_weights_md, 0));
    dnnl_memory_t dst = make_memory(dst_md);
    run(pd, 4,
        (dnnl_exec_arg_t[]){
                {DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, own}, {DNNL_ARG_BIAS, bias}, {DNNL_ARG_DST, dst}});
    CHECK(dnnl_stream_wait(stream)); /* before memory that it uses is destroyed */
    CHECK(dnnl_memory_destroy(own));
    CHECK(dnnl_primitive_attr_destroy(attr));
    CHECK(dnnl_post_ops_destroy(ops));
    CHECK(dnnl_memory_desc_destroy(weights_md));
    CHECK(dnnl_memory_desc_destroy(dst_md));
    return dst;
}

struct network {
    dnnl_memory_t image, weights[2], bias[2];
};

/* The whole network with tensors of a type; the result is f32 again. */
static dnnl_memory_t infer(const struct network *n, dnnl_data_type_t type) {
    dnnl_memory_desc_t image_md = make_desc(2, (dnnl_dim_t[]){IMAGES, INPUTS}, type, dnnl_ab);
    dnnl_memory_t image = converted(n->image, image_md);
    dnnl_memory_t hidden = layer(image, n->weights[0], n->bias[0], INPUTS, HIDDEN, type);
    dnnl_memory_t scores = layer(hidden, n->weights[1], n->bias[1], HIDDEN, OUTPUTS, type);
    dnnl_memory_desc_t result_md = make_desc(2, (dnnl_dim_t[]){IMAGES, OUTPUTS}, dnnl_f32, dnnl_ab);
    dnnl_memory_t result = converted(scores, result_md);
    CHECK(dnnl_stream_wait(stream));
    CHECK(dnnl_memory_destroy(image));
    CHECK(dnnl_memory_destroy(hidden));
    CHECK(dnnl_memory_destroy(scores));
    CHECK(dnnl_memory_desc_destroy(image_md));
    CHECK(dnnl_memory_desc_destroy(result_md));
    return result;
}

/* The largest difference, relative to the largest value. */
static double relative_error(dnnl_memory_t a, dnnl_memory_t b) {
    double error = 0, most = 0;
    float *x = map(a), *y = map(b);
    for (size_t i = 0; i < float_count(a); i++) {
        error = fmax(error, fabs((double)x[i] - (double)y[i]));
        most = fmax(most, fabs((double)x[i]));
    }
    unmap(a, x);
    unmap(b, y);
    return error / most;
}

int main(int argc, char **argv) {
    uint32_t random = 1;
    engine = open_engine(argc > 1 ? argv[1] : "cpu");
    CHECK(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
    struct network n = {make_tensor(2, IMAGES, INPUTS),
                        {make_tensor(2, HIDDEN, INPUTS), make_tensor(2, OUTPUTS, HIDDEN)},
                        {make_tensor(1, HIDDEN, 0), make_tensor(1, OUTPUTS, 0)}};
    fill(n.image, 1.0f, &random);
    for (int i = 0; i < 2; i++) {
        fill(n.weights[i], 0.1f, &random);
        fill(n.bias[i], 0.1f, &random);
    }
    dnnl_memory_t exact = infer(&n, dnnl_f32), result = infer(&n, dnnl_bf16);
    const double error = relative_error(exact, result);
    printf("bf16 against f32: relative error %.2f %%\n", 100 * error);

    dnnl_memory_t made[] = {n.image, n.weights[0], n.weights[1], n.bias[0], n.bias[1], exact, result};
    for (size_t i = 0; i < sizeof(made) / sizeof(made[0]); i++)
        CHECK(dnnl_memory_destroy(made[i]));
    CHECK(dnnl_stream_destroy(stream));
    CHECK(dnnl_engine_destroy(engine));
    return error < 0.02 ? 0 : 1; /* a few roundings of 1/256 each */
}
