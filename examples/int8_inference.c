/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inference in bytes: a convolution with ReLU, first in f32, then quantised.
 *
 *   int8_inference [ENGINE]    default: cpu
 *
 * A quantised tensor holds integers q, and stands for q * scale. The image becomes u8 with one scale, the
 * weights s8 with a scale for each output channel, the result u8 again, with a scale that the f32 result
 * tells: what a framework learns from a few sample inputs. Scales are arguments of an execution, so one
 * primitive serves all of them. Exit status 1 if the quantised result is off by more than quantisation
 * explains; 77: there is no such engine.
 */
#include "example.h"

#include <math.h>

enum { IMAGES = 2, INPUTS = 16, OUTPUTS = 32, SIZE = 20, WINDOW = 3 };

static const dnnl_dim_t image_dims[] = {IMAGES, INPUTS, SIZE, SIZE};
static const dnnl_dim_t weights_dims[] = {OUTPUTS, INPUTS, WINDOW, WINDOW};
static const dnnl_dim_t result_dims[] = {IMAGES, OUTPUTS, SIZE, SIZE};

static dnnl_engine_t engine;
static dnnl_stream_t stream;

static dnnl_memory_t make_memory(const_dnnl_memory_desc_t md) {
    dnnl_memory_t memory;
    CHECK(dnnl_memory_create(&memory, md, engine, DNNL_MEMORY_ALLOCATE));
    return memory;
}

static dnnl_memory_t make_tensor(int ndims, const dnnl_dim_t *dims, dnnl_format_tag_t tag) {
    dnnl_memory_desc_t md = make_desc(ndims, dims, dnnl_f32, tag);
    dnnl_memory_t memory = make_memory(md);
    CHECK(dnnl_memory_desc_destroy(md));
    return memory;
}

static void run(dnnl_primitive_desc_t pd, int nargs, const dnnl_exec_arg_t *args) {
    dnnl_primitive_t primitive;
    CHECK(dnnl_primitive_create(&primitive, pd));
    CHECK(dnnl_primitive_execute(primitive, stream, nargs, args));
    CHECK(dnnl_stream_wait(stream));
    CHECK(dnnl_primitive_destroy(primitive));
    CHECK(dnnl_primitive_desc_destroy(pd));
}

/* Converts between types and layouts. `scale` is that of the quantised side, whichever that is; mask as in
 * dnnl_primitive_attr_set_scales_mask. */
static void reorder(dnnl_memory_t from, dnnl_memory_t to, int quantised, int mask, dnnl_memory_t scale) {
    dnnl_primitive_attr_t attr;
    dnnl_primitive_desc_t pd;
    CHECK(dnnl_primitive_attr_create(&attr));
    CHECK(dnnl_primitive_attr_set_scales_mask(attr, quantised, mask));
    CHECK(dnnl_reorder_primitive_desc_create(&pd, desc_of(from), engine, desc_of(to), engine, attr));
    run(pd, 3,
        (dnnl_exec_arg_t[]){
                {DNNL_ARG_SRC, from}, {DNNL_ARG_DST, to}, {DNNL_ARG_ATTR_SCALES | quantised, scale}});
    CHECK(dnnl_primitive_attr_destroy(attr));
}

/* Scales that use the whole range of the type: one for each of `count` equal slices of a tensor. */
static dnnl_memory_t measure(dnnl_memory_t tensor, dnnl_dim_t count, float range) {
    dnnl_memory_t scales = make_tensor(1, &count, dnnl_a);
    float *values = map(tensor), *to = map(scales);
    const size_t slice = float_count(tensor) / (size_t)count;
    for (size_t i = 0; i < (size_t)count; i++) {
        float most = 0.0f;
        for (size_t j = 0; j < slice; j++)
            most = fmaxf(most, fabsf(values[i * slice + j]));
        to[i] = most / range;
    }
    unmap(tensor, values);
    unmap(scales, to);
    return scales;
}

/* ReLU is a part of the convolution. With `scales`, those of src, weights and dst are arguments. */
static dnnl_primitive_attr_t make_attr(bool scales) {
    dnnl_post_ops_t ops;
    dnnl_primitive_attr_t attr;
    CHECK(dnnl_post_ops_create(&ops));
    CHECK(dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_relu, 0.0f, 0.0f));
    CHECK(dnnl_primitive_attr_create(&attr));
    CHECK(dnnl_primitive_attr_set_post_ops(attr, ops));
    CHECK(dnnl_post_ops_destroy(ops));
    if (!scales) return attr;
    CHECK(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_SRC, 0));
    CHECK(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_WEIGHTS, 1 << 0)); /* along output channels */
    CHECK(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_DST, 0));
    return attr;
}

/* The convolution of these types; the library chooses the layouts. */
static dnnl_primitive_desc_t make_convolution(dnnl_data_type_t image, dnnl_data_type_t weights,
                                              dnnl_data_type_t result, bool scales) {
    dnnl_memory_desc_t mds[] = {make_desc(4, image_dims, image, dnnl_format_tag_any),
                                make_desc(4, weights_dims, weights, dnnl_format_tag_any),
                                make_desc(4, result_dims, result, dnnl_format_tag_any)};
    const dnnl_dims_t ones = {1, 1}, none = {0, 0};
    dnnl_primitive_attr_t attr = make_attr(scales);
    dnnl_primitive_desc_t pd;
    CHECK(dnnl_convolution_forward_primitive_desc_create(&pd, engine, dnnl_forward_inference,
                                                         dnnl_convolution_direct, mds[0], mds[1], NULL,
                                                         mds[2], ones, none, ones, ones, attr));
    for (int i = 0; i < 3; i++)
        CHECK(dnnl_memory_desc_destroy(mds[i]));
    CHECK(dnnl_primitive_attr_destroy(attr));
    return pd;
}

static dnnl_memory_t memory_for(dnnl_primitive_desc_t pd, int arg) {
    return make_memory(dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, arg));
}

/* Scales of one value that is 1: for tensors that are not quantised. */
static dnnl_memory_t one(void) {
    const dnnl_dim_t count = 1;
    dnnl_memory_t memory = make_tensor(1, &count, dnnl_a);
    float *value = map(memory);
    value[0] = 1.0f;
    unmap(memory, value);
    return memory;
}

struct scales {
    dnnl_memory_t image, weights, result;
};

/* result = relu(image * weights), where all three are plain f32; NULL: computes in f32. */
static void convolve(dnnl_memory_t image, dnnl_memory_t weights, dnnl_memory_t result,
                     const struct scales *quantised) {
    const struct scales plain = {one(), one(), one()}, *s = quantised ? quantised : &plain;
    dnnl_primitive_desc_t pd = quantised ? make_convolution(dnnl_u8, dnnl_s8, dnnl_u8, true)
                                         : make_convolution(dnnl_f32, dnnl_f32, dnnl_f32, false);
    dnnl_memory_t src = memory_for(pd, DNNL_ARG_SRC), own = memory_for(pd, DNNL_ARG_WEIGHTS),
                  dst = memory_for(pd, DNNL_ARG_DST);
    reorder(image, src, DNNL_ARG_DST, 0, s->image);
    reorder(weights, own, DNNL_ARG_DST, quantised ? 1 << 0 : 0, s->weights);
    run(pd, quantised ? 6 : 3,
        (dnnl_exec_arg_t[]){{DNNL_ARG_SRC, src},
                            {DNNL_ARG_WEIGHTS, own},
                            {DNNL_ARG_DST, dst},
                            {DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC, s->image},
                            {DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS, s->weights},
                            {DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST, s->result}});
    reorder(dst, result, DNNL_ARG_SRC, 0, s->result);
    dnnl_memory_t made[] = {src, own, dst, plain.image, plain.weights, plain.result};
    for (size_t i = 0; i < sizeof(made) / sizeof(made[0]); i++)
        CHECK(dnnl_memory_destroy(made[i]));
}

/* The square root of the mean square of the difference, relative to that of a. */
static double relative_error(dnnl_memory_t a, dnnl_memory_t b) {
    double error = 0, size = 0;
    float *x = map(a), *y = map(b);
    for (size_t i = 0; i < float_count(a); i++) {
        error += (double)(x[i] - y[i]) * (double)(x[i] - y[i]);
        size += (double)x[i] * (double)x[i];
    }
    unmap(a, x);
    unmap(b, y);
    return sqrt(error / size);
}

/* Images are positive, as after a ReLU. */
static void fill_image(dnnl_memory_t image, uint32_t *random) {
    float *values = map(image);
    for (size_t i = 0; i < float_count(image); i++)
        values[i] = fabsf(random_float(random));
    unmap(image, values);
}

int main(int argc, char **argv) {
    uint32_t random = 1;
    engine = open_engine(argc > 1 ? argv[1] : "cpu");
    CHECK(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
    dnnl_memory_t image = make_tensor(4, image_dims, dnnl_abcd),
                  weights = make_tensor(4, weights_dims, dnnl_abcd),
                  exact = make_tensor(4, result_dims, dnnl_abcd),
                  result = make_tensor(4, result_dims, dnnl_abcd);
    fill_image(image, &random);
    fill(weights, 0.1f, &random);

    convolve(image, weights, exact, NULL);
    struct scales scales = {measure(image, 1, 255), measure(weights, OUTPUTS, 127), measure(exact, 1, 255)};
    convolve(image, weights, result, &scales);
    const double error = relative_error(exact, result);

    dnnl_memory_t made[] = {image, weights, exact, result, scales.image, scales.weights, scales.result};
    for (size_t i = 0; i < sizeof(made) / sizeof(made[0]); i++)
        CHECK(dnnl_memory_destroy(made[i]));
    CHECK(dnnl_stream_destroy(stream));
    CHECK(dnnl_engine_destroy(engine));
    printf("u8 and s8 against f32: relative error %.2f %%\n", 100 * error);
    return error < 0.01 ? 0 : 1;
}
