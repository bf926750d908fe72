/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gradients of a whole network: convolution, batch normalisation, ReLU, max pooling, inner product, log
 * softmax and cross entropy. Forward and backward primitives in f32 against finite differences of a plain
 * forward pass in f64, for every element of every parameter and of the input.
 *
 * The bound. A gradient is a sum of products along all paths from the loss; its magnitude is the same sum of
 * absolute values, which a backward pass over absolute values gives (magnitudes). The longest path has about
 * 650 roundings: sums over 18 products, three times over the 144 elements of a channel, over 27, 3 and 144
 * products, and a dozen functions. Errors of forward values enter a product in both factors and in the
 * statistics, hence thrice 650: a gradient may be off by 2048 u, u = 2^-24, of the largest magnitude in its
 * tensor.
 *
 * ReLU and maximum have no derivative at 0 and at ties. The data are chosen so that no input of the network
 * comes near one: MARGIN is far above what STEP or rounding can move.
 */
#include "primitives/harness.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

enum { N = 4, IC = 2, OC = 3, SIZE = 6, HALF = SIZE / 2, KERNEL = 3, CLASSES = 3 };
enum { PIXELS = SIZE * SIZE, INPUTS = OC * HALF * HALF, MAX_ELEMENTS = N * OC * PIXELS };
static const double STEP = 1e-5, MARGIN = 1e-3, ROUNDINGS = 2048;
static const float EPSILON = 1e-3f;

/* What has a gradient that is checked, then what lies between. */
enum tensor { X, W1, B1, SCALE, SHIFT, W2, B2, CHECKED, Y = CHECKED, Z, P, L, S, MEAN, VARIANCE, TENSORS };
enum { D = TENSORS }; /* the gradient of tensor t is memory D + t */

static const struct {
    const char *name;
    int ndims;
    dnnl_dims_t dims;
} shapes[TENSORS] = {
        [X] = {"src", 4, {N, IC, SIZE, SIZE}},
        [W1] = {"weights of the convolution", 4, {OC, IC, KERNEL, KERNEL}},
        [B1] = {"bias of the convolution", 1, {OC}},
        [SCALE] = {"scale", 1, {OC}},
        [SHIFT] = {"shift", 1, {OC}},
        [W2] = {"weights of the inner product", 4, {CLASSES, OC, HALF, HALF}},
        [B2] = {"bias of the inner product", 1, {CLASSES}},
        [Y] = {"convolved", 4, {N, OC, SIZE, SIZE}},
        [Z] = {"normalised, then ReLU", 4, {N, OC, SIZE, SIZE}},
        [P] = {"pooled", 4, {N, OC, HALF, HALF}},
        [L] = {"scores", 2, {N, CLASSES}},
        [S] = {"log softmax", 2, {N, CLASSES}},
        [MEAN] = {"mean", 1, {OC}},
        [VARIANCE] = {"variance", 1, {OC}},
};

static int label_of(int n) {
    return n % CLASSES;
}

/* -- the network in f64 -- */

struct reference {
    double v[TENSORS][MAX_ELEMENTS];
    double hat[MAX_ELEMENTS]; /* normalised, before scale and shift */
    double z[MAX_ELEMENTS];   /* before ReLU */
    int winner[N * INPUTS];   /* index of the maximum in Z */
};

/* The index in x of the element that weight k of an output pixel is multiplied with; -1: padding. */
static int source(int n, int ic, int pixel, int k) {
    const int h = pixel / SIZE + k / KERNEL - 1, w = pixel % SIZE + k % KERNEL - 1;
    if (h < 0 || h >= SIZE || w < 0 || w >= SIZE) return -1;
    return ((n * IC + ic) * SIZE + h) * SIZE + w;
}

static void convolve(struct reference *r) {
    for (int i = 0; i < N * OC * PIXELS; i++) {
        const int n = i / (OC * PIXELS), oc = i / PIXELS % OC;
        double sum = r->v[B1][oc];
        for (int k = 0; k < IC * KERNEL * KERNEL; k++) {
            const int from = source(n, k / (KERNEL * KERNEL), i % PIXELS, k % (KERNEL * KERNEL));
            if (from >= 0) sum += r->v[X][from] * r->v[W1][oc * IC * KERNEL * KERNEL + k];
        }
        r->v[Y][i] = sum;
    }
}

static double channel_mean(const double *values, const double *factors, int oc) {
    double sum = 0;
    for (int i = 0; i < N * PIXELS; i++) {
        const int at = (i / PIXELS * OC + oc) * PIXELS + i % PIXELS;
        sum += values[at] * (factors ? fabs(factors[at]) : 1);
    }
    return sum / (N * PIXELS);
}

static void normalise(struct reference *r) {
    for (int oc = 0; oc < OC; oc++) {
        const double mean = channel_mean(r->v[Y], NULL, oc);
        double squares = 0;
        for (int i = 0; i < N * PIXELS; i++) {
            const int at = (i / PIXELS * OC + oc) * PIXELS + i % PIXELS;
            r->hat[at] = r->v[Y][at] - mean;
            squares += r->hat[at] * r->hat[at];
        }
        r->v[VARIANCE][oc] = squares / (N * PIXELS);
    }
    for (int i = 0; i < N * OC * PIXELS; i++) {
        const int oc = i / PIXELS % OC;
        r->hat[i] /= sqrt(r->v[VARIANCE][oc] + (double)EPSILON);
        r->z[i] = r->hat[i] * r->v[SCALE][oc] + r->v[SHIFT][oc];
        r->v[Z][i] = fmax(r->z[i], 0);
    }
}

/* Index in Z of element k of a window. */
static int window(int i, int k) {
    const int plane = i / (HALF * HALF), h = i / HALF % HALF * 2 + k / 2, w = i % HALF * 2 + k % 2;
    return plane * PIXELS + h * SIZE + w;
}

static void pool(struct reference *r) {
    for (int i = 0; i < N * INPUTS; i++) {
        int best = window(i, 0);
        for (int k = 1; k < 4; k++)
            if (r->v[Z][window(i, k)] > r->v[Z][best]) best = window(i, k);
        r->winner[i] = best;
        r->v[P][i] = r->v[Z][best];
    }
}

static void classify(struct reference *r) {
    for (int n = 0; n < N; n++) {
        double sum = 0;
        for (int c = 0; c < CLASSES; c++) {
            double score = r->v[B2][c];
            for (int i = 0; i < INPUTS; i++)
                score += r->v[P][n * INPUTS + i] * r->v[W2][c * INPUTS + i];
            r->v[L][n * CLASSES + c] = score;
            sum += exp(score);
        }
        for (int c = 0; c < CLASSES; c++)
            r->v[S][n * CLASSES + c] = r->v[L][n * CLASSES + c] - log(sum);
    }
}

static double forward(struct reference *r) {
    convolve(r);
    normalise(r);
    pool(r);
    classify(r);
    double loss = 0;
    for (int n = 0; n < N; n++)
        loss -= r->v[S][n * CLASSES + label_of(n)] / N;
    return loss;
}

/* How near the network is to a point without a derivative. */
static double distance_to_kink(const struct reference *r) {
    double least = INFINITY;
    for (int i = 0; i < N * OC * PIXELS; i++)
        least = fmin(least, fabs(r->z[i]));
    for (int i = 0; i < N * INPUTS; i++)
        for (int k = 0; k < 4; k++)
            if (r->v[P][i] > 0 && window(i, k) != r->winner[i])
                least = fmin(least, r->v[P][i] - r->v[Z][window(i, k)]);
    return least;
}

static double difference(struct reference *r, int tensor, int index) {
    const double value = r->v[tensor][index];
    r->v[tensor][index] = value + STEP;
    const double above = forward(r);
    r->v[tensor][index] = value - STEP;
    const double below = forward(r);
    r->v[tensor][index] = value;
    return (above - below) / (2 * STEP);
}

/* -- magnitudes: the backward pass over absolute values -- */

static void magnitudes_of_classes(const struct reference *r, double m[TENSORS][MAX_ELEMENTS]) {
    for (int i = 0; i < N * CLASSES; i++) {
        const int n = i / CLASSES, c = i % CLASSES;
        const double score = (exp(r->v[S][i]) + (c == label_of(n))) / N;
        m[B2][c] += score;
        for (int k = 0; k < INPUTS; k++) {
            m[W2][c * INPUTS + k] += score * r->v[P][n * INPUTS + k];
            m[P][n * INPUTS + k] += score * fabs(r->v[W2][c * INPUTS + k]);
        }
    }
    for (int i = 0; i < N * INPUTS; i++)
        if (r->v[P][i] > 0) m[Z][r->winner[i]] = m[P][i];
}

static void magnitudes_of_norm(const struct reference *r, double m[TENSORS][MAX_ELEMENTS]) {
    for (int i = 0; i < N * OC * PIXELS; i++) {
        const int oc = i / PIXELS % OC;
        const double factor = fabs(r->v[SCALE][oc]) / sqrt(r->v[VARIANCE][oc] + (double)EPSILON);
        m[SHIFT][oc] += m[Z][i];
        m[SCALE][oc] += m[Z][i] * fabs(r->hat[i]);
        m[Y][i] =
                factor
                * (m[Z][i] + channel_mean(m[Z], NULL, oc) + fabs(r->hat[i]) * channel_mean(m[Z], r->hat, oc));
    }
}

static void magnitudes_of_convolution(const struct reference *r, double m[TENSORS][MAX_ELEMENTS]) {
    for (int i = 0; i < N * OC * PIXELS; i++) {
        const int n = i / (OC * PIXELS), oc = i / PIXELS % OC;
        m[B1][oc] += m[Y][i];
        for (int k = 0; k < IC * KERNEL * KERNEL; k++) {
            const int from = source(n, k / (KERNEL * KERNEL), i % PIXELS, k % (KERNEL * KERNEL));
            const int weight = oc * IC * KERNEL * KERNEL + k;
            if (from < 0) continue;
            m[W1][weight] += m[Y][i] * fabs(r->v[X][from]);
            m[X][from] += m[Y][i] * fabs(r->v[W1][weight]);
        }
    }
}

static void magnitudes(const struct reference *r, double m[TENSORS][MAX_ELEMENTS]) {
    magnitudes_of_classes(r, m);
    magnitudes_of_norm(r, m);
    magnitudes_of_convolution(r, m);
}

/* -- the network in f32 -- */

enum hint { CONVOLUTION, NORM, RELU, POOLING, PRODUCT, SOFTMAX, HINTS };
enum { WORKSPACE = 2 * TENSORS, MEMORIES, END = -1 };

struct network {
    dnnl_memory_t memory[MEMORIES];
    dnnl_memory_desc_t md[TENSORS];
    dnnl_primitive_desc_t hint[HINTS];
};

static const dnnl_dims_t one = {1, 1}, zero = {0, 0}, two = {2, 2};
static const unsigned flags = dnnl_use_scale | dnnl_use_shift;

/* Pairs of an argument and a memory. */
#define ARGS(...)                                                                                            \
    (const int[][2]) {                                                                                       \
        __VA_ARGS__, {                                                                                       \
            END, END                                                                                         \
        }                                                                                                    \
    }

static void run(struct network *net, const_dnnl_primitive_desc_t pd, const int (*args)[2]) {
    struct exec exec = {0};
    for (; (*args)[0] != END; args++)
        exec_borrow(&exec, (*args)[0], net->memory[(*args)[1]]);
    MUST(exec_run(&exec, pd));
    exec_free(&exec);
}

static void run_once(struct network *net, dnnl_primitive_desc_t pd, const int (*args)[2]) {
    run(net, pd, args);
    MUST(dnnl_primitive_desc_destroy(pd));
}

static void forward_hints(struct network *net) {
    dnnl_memory_desc_t *md = net->md;
    dnnl_engine_t engine = test_engine();
    const dnnl_prop_kind_t training = dnnl_forward_training;
    MUST(dnnl_convolution_forward_primitive_desc_create(&net->hint[CONVOLUTION], engine, training,
                                                        dnnl_convolution_direct, md[X], md[W1], md[B1], md[Y],
                                                        one, zero, one, one, NULL));
    MUST(dnnl_batch_normalization_forward_primitive_desc_create(&net->hint[NORM], engine, training, md[Y],
                                                                md[Z], EPSILON, flags, NULL));
    MUST(dnnl_eltwise_forward_primitive_desc_create(
            &net->hint[RELU], engine, training, dnnl_eltwise_relu_use_dst_for_bwd, md[Z], md[Z], 0, 0, NULL));
    MUST(dnnl_pooling_forward_primitive_desc_create(&net->hint[POOLING], engine, training, dnnl_pooling_max,
                                                    md[Z], md[P], two, two, zero, zero, zero, NULL));
    MUST(dnnl_inner_product_forward_primitive_desc_create(&net->hint[PRODUCT], engine, training, md[P],
                                                          md[W2], md[B2], md[L], NULL));
    MUST(dnnl_softmax_forward_primitive_desc_create(&net->hint[SOFTMAX], engine, training, dnnl_softmax_log,
                                                    md[L], md[S], 1, NULL));
}

static void run_forward(struct network *net) {
    run(net, net->hint[CONVOLUTION],
        ARGS({DNNL_ARG_SRC, X}, {DNNL_ARG_WEIGHTS, W1}, {DNNL_ARG_BIAS, B1}, {DNNL_ARG_DST, Y}));
    run(net, net->hint[NORM],
        ARGS({DNNL_ARG_SRC, Y}, {DNNL_ARG_SCALE, SCALE}, {DNNL_ARG_SHIFT, SHIFT}, {DNNL_ARG_DST, Z},
             {DNNL_ARG_MEAN, MEAN}, {DNNL_ARG_VARIANCE, VARIANCE}));
    run(net, net->hint[RELU], ARGS({DNNL_ARG_SRC, Z}, {DNNL_ARG_DST, Z}));
    run(net, net->hint[POOLING], ARGS({DNNL_ARG_SRC, Z}, {DNNL_ARG_DST, P}, {DNNL_ARG_WORKSPACE, WORKSPACE}));
    run(net, net->hint[PRODUCT],
        ARGS({DNNL_ARG_SRC, P}, {DNNL_ARG_WEIGHTS, W2}, {DNNL_ARG_BIAS, B2}, {DNNL_ARG_DST, L}));
    run(net, net->hint[SOFTMAX], ARGS({DNNL_ARG_SRC, L}, {DNNL_ARG_DST, S}));
}

static void backward_classes(struct network *net) {
    dnnl_memory_desc_t *md = net->md;
    dnnl_engine_t engine = test_engine();
    dnnl_primitive_desc_t pd;
    MUST(dnnl_softmax_backward_primitive_desc_create(&pd, engine, dnnl_softmax_log, md[L], md[S], md[S], 1,
                                                     net->hint[SOFTMAX], NULL));
    run_once(net, pd, ARGS({DNNL_ARG_DST, S}, {DNNL_ARG_DIFF_DST, D + S}, {DNNL_ARG_DIFF_SRC, D + L}));
    MUST(dnnl_inner_product_backward_weights_primitive_desc_create(&pd, engine, md[P], md[W2], md[B2], md[L],
                                                                   net->hint[PRODUCT], NULL));
    run_once(net, pd,
             ARGS({DNNL_ARG_SRC, P}, {DNNL_ARG_DIFF_DST, D + L}, {DNNL_ARG_DIFF_WEIGHTS, D + W2},
                  {DNNL_ARG_DIFF_BIAS, D + B2}));
    MUST(dnnl_inner_product_backward_data_primitive_desc_create(&pd, engine, md[P], md[W2], md[L],
                                                                net->hint[PRODUCT], NULL));
    run_once(net, pd, ARGS({DNNL_ARG_WEIGHTS, W2}, {DNNL_ARG_DIFF_DST, D + L}, {DNNL_ARG_DIFF_SRC, D + P}));
}

static void backward_images(struct network *net) {
    dnnl_memory_desc_t *md = net->md;
    dnnl_engine_t engine = test_engine();
    dnnl_primitive_desc_t pd;
    MUST(dnnl_pooling_backward_primitive_desc_create(&pd, engine, dnnl_pooling_max, md[Z], md[P], two, two,
                                                     zero, zero, zero, net->hint[POOLING], NULL));
    run_once(net, pd,
             ARGS({DNNL_ARG_DIFF_DST, D + P}, {DNNL_ARG_DIFF_SRC, D + Z}, {DNNL_ARG_WORKSPACE, WORKSPACE}));
    MUST(dnnl_eltwise_backward_primitive_desc_create(&pd, engine, dnnl_eltwise_relu_use_dst_for_bwd, md[Z],
                                                     md[Z], md[Z], 0, 0, net->hint[RELU], NULL));
    run_once(net, pd, ARGS({DNNL_ARG_DST, Z}, {DNNL_ARG_DIFF_DST, D + Z}, {DNNL_ARG_DIFF_SRC, D + Z}));
    MUST(dnnl_batch_normalization_backward_primitive_desc_create(
            &pd, engine, dnnl_backward, md[Y], md[Z], md[Y], EPSILON, flags, net->hint[NORM], NULL));
    run_once(net, pd,
             ARGS({DNNL_ARG_SRC, Y}, {DNNL_ARG_MEAN, MEAN}, {DNNL_ARG_VARIANCE, VARIANCE},
                  {DNNL_ARG_SCALE, SCALE}, {DNNL_ARG_DIFF_DST, D + Z}, {DNNL_ARG_DIFF_SRC, D + Y},
                  {DNNL_ARG_DIFF_SCALE, D + SCALE}, {DNNL_ARG_DIFF_SHIFT, D + SHIFT}));
}

static void backward_convolution(struct network *net) {
    dnnl_memory_desc_t *md = net->md;
    dnnl_engine_t engine = test_engine();
    dnnl_primitive_desc_t pd;
    MUST(dnnl_convolution_backward_weights_primitive_desc_create(&pd, engine, dnnl_convolution_direct, md[X],
                                                                 md[W1], md[B1], md[Y], one, zero, one, one,
                                                                 net->hint[CONVOLUTION], NULL));
    run_once(net, pd,
             ARGS({DNNL_ARG_SRC, X}, {DNNL_ARG_DIFF_DST, D + Y}, {DNNL_ARG_DIFF_WEIGHTS, D + W1},
                  {DNNL_ARG_DIFF_BIAS, D + B1}));
    MUST(dnnl_convolution_backward_data_primitive_desc_create(&pd, engine, dnnl_convolution_direct, md[X],
                                                              md[W1], md[Y], one, zero, one, one,
                                                              net->hint[CONVOLUTION], NULL));
    run_once(net, pd, ARGS({DNNL_ARG_WEIGHTS, W1}, {DNNL_ARG_DIFF_DST, D + Y}, {DNNL_ARG_DIFF_SRC, D + X}));
}

/* -- the comparison -- */

static struct array array_of(int tensor) {
    return array_new(shapes[tensor].ndims, shapes[tensor].dims, dnnl_f32);
}

/* Parameters and input of both networks: floats between -1 and 1. */
static void choose_data(struct reference *r, unsigned seed) {
    for (int t = 0; t < CHECKED; t++) {
        struct array array = array_of(t);
        array_fill_real(&array, seed * CHECKED + (unsigned)t);
        memcpy(r->v[t], array.values, (size_t)array.count * sizeof(double));
        array_free(&array);
    }
}

static void create(struct network *net, const struct reference *r) {
    static const char *const tags[] = {"", "a", "ab", "abc", "abcd"};
    for (int t = 0; t < TENSORS; t++) {
        struct array array = array_of(t), gradient = array_of(t);
        memcpy(array.values, r->v[t], (size_t)array.count * sizeof(double));
        for (int n = 0; t == S && n < N; n++)
            gradient.values[n * CLASSES + label_of(n)] = -1.0 / N;
        net->md[t] = md_of(&array, tags[array.ndims]);
        net->memory[t] = memory_new(net->md[t], t < CHECKED ? &array : NULL);
        net->memory[D + t] = memory_new(net->md[t], t == S ? &gradient : NULL);
        array_free(&array);
        array_free(&gradient);
    }
    forward_hints(net);
    net->memory[WORKSPACE] =
            memory_new(dnnl_primitive_desc_query_md(net->hint[POOLING], dnnl_query_workspace_md, 0), NULL);
}

static void destroy(struct network *net) {
    for (int i = 0; i < MEMORIES; i++)
        MUST(dnnl_memory_destroy(net->memory[i]));
    for (int i = 0; i < TENSORS; i++)
        MUST(dnnl_memory_desc_destroy(net->md[i]));
    for (int i = 0; i < HINTS; i++)
        MUST(dnnl_primitive_desc_destroy(net->hint[i]));
}

static void check_gradient(struct network *net, struct reference *r, int tensor, const double *magnitude) {
    struct array found = array_of(tensor);
    double largest = 0, worst = 0;
    assert_true(memory_read(net->memory[D + tensor], &found));
    for (int i = 0; i < found.count; i++)
        largest = fmax(largest, magnitude[i]);
    const double bound = ROUNDINGS * 0x1p-24 * largest;
    for (int i = 0; i < found.count; i++) {
        const double expected = difference(r, tensor, i), error = fabs(found.values[i] - expected);
        worst = fmax(worst, error);
        if (!(error <= bound))
            failure("%s, element %d: %g, expected %g, may be off by %g", shapes[tensor].name, i,
                    found.values[i], expected, bound);
    }
    printf("%s: off by %.2g of what it may be\n", shapes[tensor].name, worst / bound);
    array_free(&found);
}

static void gradients_agree_with_differences(void **state) {
    (void)state;
    static struct reference r;
    static double m[TENSORS][MAX_ELEMENTS];
    unsigned seed = 0;
    do {
        choose_data(&r, ++seed);
        forward(&r);
    } while (distance_to_kink(&r) < MARGIN);
    magnitudes(&r, m);

    struct network net = {0};
    create(&net, &r);
    run_forward(&net);
    backward_classes(&net);
    backward_images(&net);
    backward_convolution(&net);
    for (int t = 0; t < CHECKED; t++)
        check_gradient(&net, &r, t, m[t]);
    destroy(&net);
    assert_int_equal(failures, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(gradients_agree_with_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
