/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Primitives that compute in doubles, against plain loops in long double: layouts, mixed types, sizes that
 * are no multiples of a vector. `u` is 2^-53; a bound counts roundings, those of functions as
 * tests/kernels/math_doubles.c measures them, each of at most u of the largest number in the computation.
 */
#include "primitives/harness.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static const double u = 0x1p-53;

static double largest(double a, double b) {
    return fabs(a) > fabs(b) ? fabs(a) : fabs(b);
}

/* The first implementation, which must be the one of doubles. */
static void run(dnnl_status_t created, dnnl_primitive_desc_t pd, const struct test_run *test) {
    if (created != dnnl_success) {
        failure("%s: creation gives %d", test->what, (int)created);
        return;
    }
    run_implementation(pd, test);
    dnnl_primitive_desc_destroy(pd);
}

/* An element and how far it may be off. Results in other types than f64 are rounded once more by the test. */
static void put(struct array *values, struct array *error, int64_t i, double x, double roundings,
                double size) {
    values->values[i] = x;
    error->values[i] = roundings * u * size;
}

/* -- element-wise functions -- */

static const dnnl_alg_kind_t algorithms[] = {
        dnnl_eltwise_relu,
        dnnl_eltwise_tanh,
        dnnl_eltwise_elu,
        dnnl_eltwise_square,
        dnnl_eltwise_abs,
        dnnl_eltwise_sqrt,
        dnnl_eltwise_linear,
        dnnl_eltwise_soft_relu,
        dnnl_eltwise_logistic,
        dnnl_eltwise_exp,
        dnnl_eltwise_gelu_tanh,
        dnnl_eltwise_hardsigmoid,
        dnnl_eltwise_swish,
        dnnl_eltwise_log,
        dnnl_eltwise_clip,
        dnnl_eltwise_clip_v2,
        dnnl_eltwise_pow,
        dnnl_eltwise_gelu_erf,
        dnnl_eltwise_mish,
        dnnl_eltwise_hardswish,
        dnnl_eltwise_relu_use_dst_for_bwd,
        dnnl_eltwise_tanh_use_dst_for_bwd,
        dnnl_eltwise_exp_use_dst_for_bwd,
};

/* Positive where the function wants that; not near the edges of pieces. */
static void fill_domain(struct array *x, dnnl_alg_kind_t alg, unsigned seed) {
    const bool positive = alg == dnnl_eltwise_sqrt || alg == dnnl_eltwise_log || alg == dnnl_eltwise_pow;
    array_fill_real(x, seed);
    for (int64_t i = 0; i < x->count; i++) {
        const double wide = 3 * x->values[i] + (fabs(x->values[i]) < 0.01 ? 0.02 : 0);
        x->values[i] = positive ? 0.125 + fabs(wide) : wide;
    }
}

static const float alpha = 0.5f, beta = 1.25f;

static void eltwise_case(dnnl_alg_kind_t alg, const char *src_tag, const char *dst_tag,
                         const dnnl_dims_t dims) {
    enum { ROUNDINGS = 64 };
    struct array src = array_new(4, dims, dnnl_f64), diff_dst = array_like(&src, dnnl_f64),
                 dst = array_like(&src, dnnl_f64), diff_src = array_like(&src, dnnl_f64),
                 error = array_like(&src, dnnl_f64), diff_error = array_like(&src, dnnl_f64);
    fill_domain(&src, alg, 3);
    array_fill_real(&diff_dst, 4);
    for (int64_t i = 0; i < src.count; i++) {
        const double x = src.values[i], d = diff_dst.values[i];
        const double y = eltwise_forward(alg, alpha, beta, exactly(x)).value;
        const double slope = eltwise_gradient(alg, alpha, beta, exactly(x)).value;
        put(&dst, &error, i, y, ROUNDINGS, largest(largest(x, y), 1));
        put(&diff_src, &diff_error, i, d * slope, ROUNDINGS, largest(largest(x, slope), 1));
    }
    char what[128];
    snprintf(what, sizeof what, "algorithm 0x%x, %s to %s", (int)alg, src_tag, dst_tag);
    dnnl_memory_desc_t from = md_of(&src, src_tag), to = md_of(&dst, dst_tag);
    dnnl_primitive_desc_t pd = NULL, hint = NULL;
    dnnl_status_t status = dnnl_eltwise_forward_primitive_desc_create(
            &pd, test_engine(), dnnl_forward_training, alg, from, to, alpha, beta, NULL);
    run(status, pd,
        &(struct test_run){.what = what,
                           .inputs = {{DNNL_ARG_SRC, &src}},
                           .outputs = {{DNNL_ARG_DST, &dst, .error = &error}}});
    status = dnnl_eltwise_forward_primitive_desc_create(&hint, test_engine(), dnnl_forward_training, alg,
                                                        from, from, alpha, beta, NULL);
    if (status == dnnl_success)
        status = dnnl_eltwise_backward_primitive_desc_create(&pd, test_engine(), alg, to, to, from, alpha,
                                                             beta, hint, NULL);
    const bool takes_dst = alg >= dnnl_eltwise_relu_use_dst_for_bwd;
    run(status, pd,
        &(struct test_run){
                .what = what,
                .inputs = {{takes_dst ? DNNL_ARG_DST : DNNL_ARG_SRC, &src}, {DNNL_ARG_DIFF_DST, &diff_dst}},
                .outputs = {{DNNL_ARG_DIFF_SRC, &diff_src, .error = &diff_error}}});
    dnnl_primitive_desc_destroy(hint);
    dnnl_memory_desc_destroy(from);
    dnnl_memory_desc_destroy(to);
    struct array *all[] = {&src, &diff_dst, &dst, &diff_src, &error, &diff_error};
    for (int i = 0; i < COUNT(all); i++)
        array_free(all[i]);
}

static void eltwise(void **state) {
    (void)state;
    failures = 0;
    for (int i = 0; i < COUNT(algorithms); i++) {
        eltwise_case(algorithms[i], "abcd", "abcd", (const dnnl_dims_t){2, 19, 3, 5});
        eltwise_case(algorithms[i], "acdb", "abcd", (const dnnl_dims_t){2, 19, 3, 5});
        eltwise_case(algorithms[i], "aBcd8b", "aBcd8b", (const dnnl_dims_t){1, 11, 2, 3});
    }
    assert_int_equal(failures, 0);
}

/* -- softmax -- */

static void softmax_case(dnnl_alg_kind_t alg, int axis, const char *tag, const char *other,
                         const dnnl_data_type_t *types, const dnnl_dims_t dims) {
    const bool log = alg == dnnl_softmax_log;
    struct array src = array_new(3, dims, types[0]), dst = array_new(3, dims, types[1]),
                 error = array_new(3, dims, dnnl_f64), y = array_new(3, dims, dnnl_f64),
                 diff_dst = array_new(3, dims, types[0]), diff_src = array_new(3, dims, types[1]),
                 diff_error = array_new(3, dims, dnnl_f64);
    array_fill_real(&src, 5);
    array_fill_real(&y, 6);
    array_fill_real(&diff_dst, 7);
    dnnl_dims_t at = {0}, lines = {dims[0], dims[1], dims[2]};
    const dnnl_dim_t length = dims[axis];
    const double roundings = (double)length + 16;
    lines[axis] = 1;
    do {
        long double sum = 0, product = 0, size = 0;
        for (dnnl_dim_t i = 0; i < length; i++) {
            at[axis] = i;
            const long double d = array_at(&diff_dst, at), v = array_at(&y, at);
            sum += expl(array_at(&src, at));
            product += log ? d : d * v;
            size += fabsl(d);
        }
        for (dnnl_dim_t i = 0; i < length; i++) {
            at[axis] = i;
            const int64_t k = array_index(&src, at);
            const long double e = array_at(&src, at), d = array_at(&diff_dst, at), v = array_at(&y, at);
            put(&dst, &error, k, (double)(log ? e - logl(sum) : expl(e) / sum), roundings, log ? 8 : 1);
            put(&diff_src, &diff_error, k, (double)(log ? d - expl(v) * product : v * (d - product)),
                roundings, (double)(1 + 3 * size));
        }
        at[axis] = 0;
    } while (next_position(3, lines, at));
    char what[128];
    snprintf(what, sizeof what, "softmax 0x%x, axis %d, %s to %s, types %d %d", (int)alg, axis, tag, other,
             (int)types[0], (int)types[1]);
    dnnl_memory_desc_t from = md_of(&src, tag), to = md_of(&dst, other), data = md_of(&y, tag);
    dnnl_primitive_desc_t pd = NULL, hint = NULL;
    dnnl_status_t status = dnnl_softmax_forward_primitive_desc_create(
            &pd, test_engine(), dnnl_forward_inference, alg, from, to, axis, NULL);
    run(status, pd,
        &(struct test_run){.what = what,
                           .inputs = {{DNNL_ARG_SRC, &src}},
                           .outputs = {{DNNL_ARG_DST, &dst, .error = &error}}});
    status = dnnl_softmax_forward_primitive_desc_create(&hint, test_engine(), dnnl_forward_training, alg,
                                                        data, data, axis, NULL);
    if (status == dnnl_success)
        status = dnnl_softmax_backward_primitive_desc_create(&pd, test_engine(), alg, to, from, data, axis,
                                                             hint, NULL);
    run(status, pd,
        &(struct test_run){.what = what,
                           .inputs = {{DNNL_ARG_DST, &y}, {DNNL_ARG_DIFF_DST, &diff_dst}},
                           .outputs = {{DNNL_ARG_DIFF_SRC, &diff_src, .error = &diff_error}}});
    dnnl_primitive_desc_destroy(hint);
    dnnl_memory_desc_destroy(from);
    dnnl_memory_desc_destroy(to);
    dnnl_memory_desc_destroy(data);
    struct array *all[] = {&src, &dst, &error, &y, &diff_dst, &diff_src, &diff_error};
    for (int i = 0; i < COUNT(all); i++)
        array_free(all[i]);
}

static void softmax(void **state) {
    (void)state;
    failures = 0;
    static const dnnl_data_type_t types[][2] = {
            {dnnl_f64, dnnl_f64}, {dnnl_f32, dnnl_f64}, {dnnl_f64, dnnl_bf16}};
    for (int t = 0; t < COUNT(types); t++)
        for (int axis = 0; axis < 3; axis++)
            for (int a = 0; a < 2; a++) {
                const dnnl_alg_kind_t alg = a ? dnnl_softmax_log : dnnl_softmax_accurate;
                softmax_case(alg, axis, "abc", "abc", types[t], (const dnnl_dims_t){3, 21, 10});
                softmax_case(alg, axis, "acb", "abc", types[t], (const dnnl_dims_t){3, 21, 10});
                /* more lines side by side than are computed at once */
                if (axis == 1)
                    softmax_case(alg, axis, "abc", "abc", types[t], (const dnnl_dims_t){2, 700, 45});
                softmax_case(alg, axis, "aBc16b", "aBc16b", types[t], (const dnnl_dims_t){2, 13, 3});
            }
    assert_int_equal(failures, 0);
}

/* -- layer normalisation -- */

/* A row's mean and variance, as the primitives have them. */
static void moments(const double *x, dnnl_dim_t length, bool rms, long double *mean, long double *variance) {
    *mean = *variance = 0;
    for (dnnl_dim_t i = 0; i < length && !rms; i++)
        *mean += x[i] / (long double)length;
    for (dnnl_dim_t i = 0; i < length; i++)
        *variance += (x[i] - *mean) * (x[i] - *mean) / (long double)length;
}

struct layer {
    struct array src, dst, error, mean, variance, scale, shift, statistics_error;
    struct array diff_dst, diff_src, diff_error, diff_scale, diff_shift, weights_error;
};

static const float epsilon = 1e-3f;

/* The statistics of the backward pass are those of the forward pass, rounded to f32. */
static void layer_reference(struct layer *l, bool rms) {
    const dnnl_dim_t rows = l->mean.count, length = l->scale.count;
    const double roundings = 4 * (double)length + 64, size = 64; /* 1 / sqrt(variance + epsilon) is below 4 */
    for (dnnl_dim_t r = 0; r < rows; r++) {
        const double *x = l->src.values + r * length, *d = l->diff_dst.values + r * length;
        long double mean, variance, sum = 0, product = 0;
        moments(x, length, rms, &mean, &variance);
        const long double factor = 1 / sqrtl(variance + epsilon);
        for (dnnl_dim_t i = 0; i < length; i++)
            put(&l->dst, &l->error, r * length + i,
                (double)((x[i] - mean) * factor * l->scale.values[i] + l->shift.values[i]), roundings, size);
        put(&l->mean, &l->statistics_error, r, (double)mean, roundings, 1);
        put(&l->variance, &l->statistics_error, r, (double)variance, roundings, 1);
        const long double m = (float)mean, f = 1 / sqrtl((long double)(float)variance + epsilon);
        for (dnnl_dim_t i = 0; i < length; i++) {
            sum += d[i] * l->scale.values[i];
            product += d[i] * l->scale.values[i] * (x[i] - m);
            l->diff_scale.values[i] += (double)(d[i] * (x[i] - m) * f);
            l->diff_shift.values[i] += d[i];
        }
        for (dnnl_dim_t i = 0; i < length; i++) {
            const long double share = rms ? 0 : sum / (long double)length;
            const long double bent = (x[i] - m) * product * f * f / (long double)length;
            put(&l->diff_src, &l->diff_error, r * length + i,
                (double)(f * (d[i] * l->scale.values[i] - share - bent)), roundings, size);
        }
    }
    for (dnnl_dim_t i = 0; i < length; i++)
        l->weights_error.values[i] = 4 * (double)(rows + 16) * u * size * (double)rows;
}

static void layer_case(bool rms, const char *tag, const char *other, const dnnl_data_type_t *types,
                       dnnl_data_type_t weights, const dnnl_dims_t dims) {
    const dnnl_dim_t channels = dims[2];
    const unsigned flags = dnnl_use_scale | dnnl_use_shift | (rms ? dnnl_rms_norm : 0);
    struct layer l = {.src = array_new(3, dims, types[0]),
                      .dst = array_new(3, dims, types[1]),
                      .error = array_new(3, dims, dnnl_f64),
                      .mean = array_new(2, dims, dnnl_f32),
                      .variance = array_new(2, dims, dnnl_f32),
                      .statistics_error = array_new(2, dims, dnnl_f64),
                      .scale = array_new(1, &channels, weights),
                      .shift = array_new(1, &channels, weights),
                      .diff_dst = array_new(3, dims, types[0]),
                      .diff_src = array_new(3, dims, types[1]),
                      .diff_error = array_new(3, dims, dnnl_f64),
                      .diff_scale = array_new(1, &channels, weights),
                      .diff_shift = array_new(1, &channels, weights),
                      .weights_error = array_new(1, &channels, dnnl_f64)};
    array_fill_real(&l.src, 8);
    array_fill_real(&l.diff_dst, 9);
    array_fill_real(&l.scale, 10);
    array_fill_real(&l.shift, 11);
    layer_reference(&l, rms);
    char what[128];
    snprintf(what, sizeof what, "layer norm%s, %s to %s, types %d %d, weights %d", rms ? " about zero" : "",
             tag, other, (int)types[0], (int)types[1], (int)weights);
    dnnl_memory_desc_t from = md_of(&l.src, tag), to = md_of(&l.dst, other), stats = md_of(&l.mean, "ab");
    dnnl_primitive_desc_t pd = NULL, hint = NULL;
    dnnl_status_t status = dnnl_layer_normalization_forward_primitive_desc_create_v2(
            &hint, test_engine(), dnnl_forward_training, from, to, stats, weights, epsilon, flags, NULL);
    struct output mean = {DNNL_ARG_MEAN, &l.mean, .error = &l.statistics_error};
    struct test_run forward = {
            .what = what,
            .inputs = {{DNNL_ARG_SRC, &l.src}, {DNNL_ARG_SCALE, &l.scale}, {DNNL_ARG_SHIFT, &l.shift}},
            .outputs = {{DNNL_ARG_DST, &l.dst, .error = &l.error},
                        {DNNL_ARG_VARIANCE, &l.variance, .error = &l.statistics_error}}};
    if (!rms) forward.outputs[2] = mean;
    assert_int_equal(status, dnnl_success);
    run_implementation(hint, &forward);
    for (int64_t i = 0; i < l.mean.count; i++) {
        l.mean.values[i] = (float)l.mean.values[i];
        l.variance.values[i] = (float)l.variance.values[i];
    }
    status = dnnl_layer_normalization_backward_primitive_desc_create_v2(&pd, test_engine(), dnnl_backward, to,
                                                                        from, from, stats, weights, weights,
                                                                        epsilon, flags, hint, NULL);
    struct test_run backward = {.what = what,
                                .inputs = {{DNNL_ARG_SRC, &l.src},
                                           {DNNL_ARG_DIFF_DST, &l.diff_dst},
                                           {DNNL_ARG_SCALE, &l.scale},
                                           {DNNL_ARG_VARIANCE, &l.variance}},
                                .outputs = {{DNNL_ARG_DIFF_SRC, &l.diff_src, .error = &l.diff_error},
                                            {DNNL_ARG_DIFF_SCALE, &l.diff_scale, .error = &l.weights_error},
                                            {DNNL_ARG_DIFF_SHIFT, &l.diff_shift, .error = &l.weights_error}}};
    if (!rms) backward.inputs[4] = (struct input){DNNL_ARG_MEAN, &l.mean, NULL};
    run(status, pd, &backward);
    dnnl_primitive_desc_destroy(hint);
    dnnl_memory_desc_destroy(from);
    dnnl_memory_desc_destroy(to);
    dnnl_memory_desc_destroy(stats);
    struct array *all[] = {&l.src,        &l.dst,        &l.error,      &l.mean,         &l.variance,
                           &l.scale,      &l.shift,      &l.diff_dst,   &l.diff_src,     &l.statistics_error,
                           &l.diff_error, &l.diff_scale, &l.diff_shift, &l.weights_error};
    for (int i = 0; i < COUNT(all); i++)
        array_free(all[i]);
}

static void layer_normalization(void **state) {
    (void)state;
    failures = 0;
    static const dnnl_data_type_t types[][2] = {
            {dnnl_f64, dnnl_f64}, {dnnl_f32, dnnl_f64}, {dnnl_f64, dnnl_f16}};
    static const dnnl_data_type_t weights[] = {dnnl_f32, dnnl_bf16};
    for (int t = 0; t < COUNT(types); t++)
        for (int w = 0; w < COUNT(weights); w++)
            for (int rms = 0; rms < 2; rms++) {
                layer_case(rms, "abc", "abc", types[t], weights[w], (const dnnl_dims_t){3, 4, 27});
                layer_case(rms, "abc", "abc", types[t], weights[w], (const dnnl_dims_t){3, 2, 75});
                layer_case(rms, "bac", "abc", types[t], weights[w], (const dnnl_dims_t){3, 4, 16});
                layer_case(rms, "acb", "acb", types[t], weights[w], (const dnnl_dims_t){2, 3, 9});
            }
    assert_int_equal(failures, 0);
}

/* -- pooling -- */

enum { TAPS = 3, STRIDE = 2, PADDING = 1 };

static void pooling_case(dnnl_alg_kind_t alg, const char *tag, const char *other, dnnl_data_type_t dst_type) {
    const dnnl_dims_t in = {2, 11, 7, 22}, out = {2, 11, 4, 11};
    const dnnl_dims_t strides = {STRIDE, STRIDE}, kernel = {TAPS, TAPS}, dilation = {0},
                      padding = {PADDING, PADDING}, padding_r = {PADDING, 0};
    const bool max = alg == dnnl_pooling_max;
    struct array src = array_new(4, in, dnnl_f64), dst = array_new(4, out, dst_type),
                 error = array_new(4, out, dnnl_f64), taps = array_new(4, out, dnnl_u8),
                 diff_dst = array_new(4, out, dnnl_f64), diff_src = array_new(4, in, dnnl_f64),
                 diff_error = array_new(4, in, dnnl_f64), none = {0};
    array_fill_real(&src, 12);
    array_fill_real(&diff_dst, 13);
    for (int64_t i = 0; i < src.count; i++)
        src.values[i] *= 1 + 0x1p-40; /* not a float */
    dnnl_dims_t at = {0};
    do {
        const int64_t k = array_index(&dst, at);
        double best = -INFINITY, sum = 0;
        int best_tap = 0, inside = 0;
        int64_t where = 0;
        for (int pass = 0; pass < 2; pass++)
            for (int tap = 0; tap < TAPS * TAPS; tap++) {
                const dnnl_dims_t from = {at[0], at[1], at[2] * STRIDE + tap / TAPS - PADDING,
                                          at[3] * STRIDE + tap % TAPS - PADDING};
                if (from[2] < 0 || from[2] >= in[2] || from[3] < 0 || from[3] >= in[3]) continue;
                const int64_t i = array_index(&src, from);
                const double divisor = alg == dnnl_pooling_avg_include_padding ? TAPS * TAPS : inside;
                if (pass == 1 && !max) diff_src.values[i] += diff_dst.values[k] / divisor;
                if (pass == 1) continue;
                inside++;
                sum += src.values[i];
                if (src.values[i] > best) best = src.values[i], best_tap = tap, where = i;
            }
        const double divisor = alg == dnnl_pooling_avg_include_padding ? TAPS * TAPS : inside;
        put(&dst, &error, k, max ? best : sum / divisor, max ? 0 : 2 * TAPS * TAPS, 1);
        taps.values[k] = best_tap;
        if (max) diff_src.values[where] += diff_dst.values[k];
    } while (next_position(4, out, at));
    for (int64_t i = 0; i < diff_src.count; i++)
        diff_error.values[i] = 2 * TAPS * TAPS * u;
    char what[128];
    snprintf(what, sizeof what, "pooling 0x%x, %s to %s, dst %d", (int)alg, tag, other, (int)dst_type);
    const bool trains = dst_type == dnnl_f64;
    dnnl_memory_desc_t from = md_of(&src, tag), to = md_of(&dst, other);
    dnnl_primitive_desc_t pd = NULL, hint = NULL;
    dnnl_status_t status = dnnl_pooling_forward_primitive_desc_create(
            &hint, test_engine(), trains ? dnnl_forward_training : dnnl_forward_inference, alg, from, to,
            strides, kernel, dilation, padding, padding_r, NULL);
    assert_int_equal(status, dnnl_success);
    struct test_run forward = {.what = what,
                               .inputs = {{DNNL_ARG_SRC, &src}},
                               .outputs = {{DNNL_ARG_DST, &dst, .error = max ? NULL : &error},
                                           {DNNL_ARG_WORKSPACE, max && trains ? &taps : &none}}};
    run_implementation(hint, &forward);
    if (trains) {
        status = dnnl_pooling_backward_primitive_desc_create(
                &pd, test_engine(), alg, from, to, strides, kernel, dilation, padding, padding_r, hint, NULL);
        run(status, pd,
            &(struct test_run){
                    .what = what,
                    .inputs = {{DNNL_ARG_DIFF_DST, &diff_dst}, {DNNL_ARG_WORKSPACE, max ? &taps : &none}},
                    .outputs = {{DNNL_ARG_DIFF_SRC, &diff_src, .error = &diff_error}}});
    }
    dnnl_primitive_desc_destroy(hint);
    dnnl_memory_desc_destroy(from);
    dnnl_memory_desc_destroy(to);
    struct array *all[] = {&src, &dst, &error, &taps, &diff_dst, &diff_src, &diff_error};
    for (int i = 0; i < COUNT(all); i++)
        array_free(all[i]);
}

static void pooling(void **state) {
    (void)state;
    failures = 0;
    static const dnnl_alg_kind_t kinds[] = {dnnl_pooling_max, dnnl_pooling_avg_include_padding,
                                            dnnl_pooling_avg_exclude_padding};
    for (int k = 0; k < COUNT(kinds); k++) {
        pooling_case(kinds[k], "abcd", "abcd", dnnl_f64);
        pooling_case(kinds[k], "acdb", "acdb", dnnl_f64);
        pooling_case(kinds[k], "abcd", "acdb", dnnl_f64);
        pooling_case(kinds[k], "acdb", "abcd", dnnl_f64);
        pooling_case(kinds[k], "aBcd16b", "abcd", dnnl_f64);
        pooling_case(kinds[k], "acdb", "acdb", dnnl_f32);
    }
    assert_int_equal(failures, 0);
}

/* -- sums -- */

static void sum_case(int n, const char *const *tags, const dnnl_data_type_t *types, const char *dst_tag) {
    enum { MOST = 3 };
    const dnnl_dims_t dims = {3, 17, 5};
    const float scales[MOST] = {1, -0.75f, 3};
    struct array srcs[MOST], dst = array_new(3, dims, dnnl_f64), error = array_like(&dst, dnnl_f64);
    dnnl_memory_desc_t mds[MOST], to = md_of(&dst, dst_tag);
    char what[128];
    snprintf(what, sizeof what, "sum of %d, the second %s of type %d, to %s", n, tags[1], (int)types[1],
             dst_tag ? dst_tag : "any");
    struct test_run test = {.what = what, .outputs = {{DNNL_ARG_DST, &dst, .error = &error}}};
    for (int s = 0; s < n; s++) {
        srcs[s] = array_new(3, dims, types[s]);
        array_fill_real(&srcs[s], (unsigned)(14 + s));
        mds[s] = md_of(&srcs[s], tags[s]);
        test.inputs[s] = (struct input){DNNL_ARG_MULTIPLE_SRC + s, &srcs[s], NULL};
    }
    for (int64_t i = 0; i < dst.count; i++) {
        long double sum = 0;
        for (int s = 0; s < n; s++)
            sum += (long double)scales[s] * srcs[s].values[i];
        put(&dst, &error, i, (double)sum, 2 * MOST, 4);
    }
    dnnl_primitive_desc_t pd = NULL;
    dnnl_status_t status = dnnl_sum_primitive_desc_create(&pd, test_engine(), to, n, scales,
                                                          (const_dnnl_memory_desc_t *)mds, NULL);
    run(status, pd, &test);
    for (int s = 0; s < n; s++) {
        array_free(&srcs[s]);
        dnnl_memory_desc_destroy(mds[s]);
    }
    dnnl_memory_desc_destroy(to);
    array_free(&dst);
    array_free(&error);
}

static void sum(void **state) {
    (void)state;
    failures = 0;
    static const dnnl_data_type_t doubles[] = {dnnl_f64, dnnl_f64, dnnl_f64},
                                  mixed[] = {dnnl_f64, dnnl_f32, dnnl_s8};
    static const char *const same[] = {"abc", "abc", "abc"}, *const others[] = {"abc", "acb", "aBc16b"};
    for (int n = 1; n <= 3; n++) {
        sum_case(n, same, doubles, "abc");
        sum_case(n, same, mixed, NULL);
        sum_case(n, others, doubles, "acb");
        sum_case(n, others, mixed, "aBc8b");
    }
    assert_int_equal(failures, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(eltwise), cmocka_unit_test(softmax), cmocka_unit_test(layer_normalization),
            cmocka_unit_test(pooling), cmocka_unit_test(sum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
