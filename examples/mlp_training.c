/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The smallest training: three layers of neurons learn which arm of a spiral a point lies on. Read this
 * first.
 *
 *   mlp_training [ENGINE] [STEPS]    defaults: cpu 300
 *
 * ENGINE is cpu, gpu, or a runtime and a device (ze, ocl:1, sycl:0). Every tensor has a plain layout, so
 * there is no reorder; cnn_training_f32.c shows how primitives choose layouts.
 *
 * A layer computes y = relu(x * weights^T + bias). The last one has no relu; log softmax turns its outputs
 * into logarithms of probabilities. The loss is the average of -log(probability of the right arm): log(3)
 * = 1.1 for a network that knows nothing. Exit status 1 if it does not end below 0.1; 77: there is no such
 * engine.
 */
#include "example.h"

#include <math.h>

enum { POINTS = 300, ARMS = 3, MAX_STEPS = 32, MAX_TENSORS = 16 };

/* Sizes of the input, of the hidden layers and of the output. */
static const dnnl_dim_t sizes[] = {2, 64, 32, ARMS};
enum { LAYERS = sizeof(sizes) / sizeof(sizes[0]) - 1 };

static const float rate = 0.5f;

/* A value and the gradient of the loss with respect to it. */
struct tensor {
    dnnl_memory_t value, gradient;
};

struct layer {
    struct tensor x, weights, bias, y;
    dnnl_primitive_desc_t product, relu; /* forward; backward primitives want them as hints */
};

/* The primitives of one step of training with their arguments: forward, backward, update. */
struct training {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    int nsteps, ntensors;
    struct {
        dnnl_primitive_t primitive;
        int nargs;
        dnnl_exec_arg_t args[4];
    } steps[MAX_STEPS];
    struct tensor tensors[MAX_TENSORS]; /* all of them, to be destroyed */
};

static struct tensor make_tensor(struct training *t, int ndims, dnnl_dim_t rows, dnnl_dim_t columns) {
    const dnnl_dim_t dims[] = {rows, columns};
    dnnl_memory_desc_t md = make_desc(ndims, dims, dnnl_f32, ndims == 2 ? dnnl_ab : dnnl_a);
    struct tensor *tensor = &t->tensors[t->ntensors++];
    CHECK(dnnl_memory_create(&tensor->value, md, t->engine, DNNL_MEMORY_ALLOCATE));
    CHECK(dnnl_memory_create(&tensor->gradient, md, t->engine, DNNL_MEMORY_ALLOCATE));
    CHECK(dnnl_memory_desc_destroy(md));
    return *tensor;
}

static void add_step(struct training *t, dnnl_primitive_desc_t pd, int nargs, const dnnl_exec_arg_t *args) {
    CHECK(dnnl_primitive_create(&t->steps[t->nsteps].primitive, pd));
    t->steps[t->nsteps].nargs = nargs;
    memcpy(t->steps[t->nsteps++].args, args, (size_t)nargs * sizeof(*args));
}

/* For primitives that are no hints: their descriptors are not needed any more. */
static void add_last_step(struct training *t, dnnl_primitive_desc_t pd, int nargs,
                          const dnnl_exec_arg_t *args) {
    add_step(t, pd, nargs, args);
    CHECK(dnnl_primitive_desc_destroy(pd));
}

/* Forward: a product, and relu in place. */
static void add_forward(struct training *t, struct layer *l, bool hidden) {
    CHECK(dnnl_inner_product_forward_primitive_desc_create(
            &l->product, t->engine, dnnl_forward_training, desc_of(l->x.value), desc_of(l->weights.value),
            desc_of(l->bias.value), desc_of(l->y.value), NULL));
    add_step(t, l->product, 4,
             (dnnl_exec_arg_t[]){{DNNL_ARG_SRC, l->x.value},
                                 {DNNL_ARG_WEIGHTS, l->weights.value},
                                 {DNNL_ARG_BIAS, l->bias.value},
                                 {DNNL_ARG_DST, l->y.value}});
    if (!hidden) return;
    CHECK(dnnl_eltwise_forward_primitive_desc_create(&l->relu, t->engine, dnnl_forward_training,
                                                     dnnl_eltwise_relu_use_dst_for_bwd, desc_of(l->y.value),
                                                     desc_of(l->y.value), 0.0f, 0.0f, NULL));
    add_step(t, l->relu, 2, (dnnl_exec_arg_t[]){{DNNL_ARG_SRC, l->y.value}, {DNNL_ARG_DST, l->y.value}});
}

/* The gradient through relu, in place: it stays where the output is positive. */
static void add_backward_relu(struct training *t, struct layer *l) {
    const_dnnl_memory_desc_t md = desc_of(l->y.value);
    dnnl_primitive_desc_t pd;
    CHECK(dnnl_eltwise_backward_primitive_desc_create(&pd, t->engine, dnnl_eltwise_relu_use_dst_for_bwd, md,
                                                      md, md, 0.0f, 0.0f, l->relu, NULL));
    add_last_step(t, pd, 3,
                  (dnnl_exec_arg_t[]){{DNNL_ARG_DST, l->y.value},
                                      {DNNL_ARG_DIFF_DST, l->y.gradient},
                                      {DNNL_ARG_DIFF_SRC, l->y.gradient}});
}

/* From the gradient of y those of weights and bias, and of x unless that is the input. */
static void add_backward_product(struct training *t, struct layer *l, bool first) {
    dnnl_primitive_desc_t pd;
    CHECK(dnnl_inner_product_backward_weights_primitive_desc_create(
            &pd, t->engine, desc_of(l->x.value), desc_of(l->weights.value), desc_of(l->bias.value),
            desc_of(l->y.value), l->product, NULL));
    add_last_step(t, pd, 4,
                  (dnnl_exec_arg_t[]){{DNNL_ARG_SRC, l->x.value},
                                      {DNNL_ARG_DIFF_DST, l->y.gradient},
                                      {DNNL_ARG_DIFF_WEIGHTS, l->weights.gradient},
                                      {DNNL_ARG_DIFF_BIAS, l->bias.gradient}});
    if (first) return;
    CHECK(dnnl_inner_product_backward_data_primitive_desc_create(&pd, t->engine, desc_of(l->x.value),
                                                                 desc_of(l->weights.value),
                                                                 desc_of(l->y.value), l->product, NULL));
    add_last_step(t, pd, 3,
                  (dnnl_exec_arg_t[]){{DNNL_ARG_DIFF_DST, l->y.gradient},
                                      {DNNL_ARG_WEIGHTS, l->weights.value},
                                      {DNNL_ARG_DIFF_SRC, l->x.gradient}});
}

/* Log softmax forward, then backward: from scores.gradient to y.gradient. */
static void add_log_softmax(struct training *t, struct tensor y, struct tensor scores) {
    const_dnnl_memory_desc_t md = desc_of(y.value);
    dnnl_primitive_desc_t forward, backward;
    CHECK(dnnl_softmax_forward_primitive_desc_create(&forward, t->engine, dnnl_forward_training,
                                                     dnnl_softmax_log, md, md, 1, NULL));
    CHECK(dnnl_softmax_backward_primitive_desc_create(&backward, t->engine, dnnl_softmax_log, md, md, md, 1,
                                                      forward, NULL));
    add_last_step(t, forward, 2, (dnnl_exec_arg_t[]){{DNNL_ARG_SRC, y.value}, {DNNL_ARG_DST, scores.value}});
    add_last_step(t, backward, 3,
                  (dnnl_exec_arg_t[]){{DNNL_ARG_DST, scores.value},
                                      {DNNL_ARG_DIFF_DST, scores.gradient},
                                      {DNNL_ARG_DIFF_SRC, y.gradient}});
}

/* value = value - rate * gradient. */
static void add_update(struct training *t, struct tensor tensor) {
    const float scales[] = {1.0f, -rate};
    const_dnnl_memory_desc_t md = desc_of(tensor.value), mds[] = {md, md};
    dnnl_primitive_desc_t pd;
    CHECK(dnnl_sum_primitive_desc_create(&pd, t->engine, md, 2, scales, mds, NULL));
    add_last_step(t, pd, 3,
                  (dnnl_exec_arg_t[]){{DNNL_ARG_MULTIPLE_SRC, tensor.value},
                                      {DNNL_ARG_MULTIPLE_SRC + 1, tensor.gradient},
                                      {DNNL_ARG_DST, tensor.value}});
}

/* Makes all tensors and primitives. The points go to layer 0's x. Returns the scores. */
static struct tensor build(struct training *t, struct layer *layers) {
    uint32_t random = 1;
    for (int i = 0; i < LAYERS; i++) {
        struct layer *l = &layers[i];
        l->x = i ? layers[i - 1].y : make_tensor(t, 2, POINTS, sizes[0]);
        l->weights = make_tensor(t, 2, sizes[i + 1], sizes[i]);
        l->bias = make_tensor(t, 1, sizes[i + 1], 1);
        l->y = make_tensor(t, 2, POINTS, sizes[i + 1]);
        fill(l->weights.value, sqrtf(3.0f / (float)sizes[i]), &random);
        fill(l->bias.value, 0.0f, &random);
        add_forward(t, l, i + 1 < LAYERS);
    }
    struct tensor scores = make_tensor(t, 2, POINTS, ARMS);
    add_log_softmax(t, layers[LAYERS - 1].y, scores);
    for (int i = LAYERS - 1; i >= 0; i--) {
        if (layers[i].relu) add_backward_relu(t, &layers[i]);
        add_backward_product(t, &layers[i], i == 0);
    }
    for (int i = 0; i < LAYERS; i++) {
        add_update(t, layers[i].weights);
        add_update(t, layers[i].bias);
    }
    return scores;
}

static int arm_of(int point) {
    return point % ARMS;
}

/* Points on the arms of a spiral; and the gradient of the loss, which is the same in every step: the loss is
 * the sum of -1/POINTS times the score of each point's arm. */
static void make_data(dnnl_memory_t points, dnnl_memory_t gradient) {
    float *xy = map(points), *diff = map(gradient);
    memset(diff, 0, float_count(gradient) * sizeof(float));
    for (int i = 0; i < POINTS; i++) {
        const float radius = (float)(i / ARMS + 1) * ARMS / POINTS;
        const float angle = 4.0f * radius + 2.0943951f * (float)arm_of(i);
        xy[2 * i] = radius * cosf(angle);
        xy[2 * i + 1] = radius * sinf(angle);
        diff[i * ARMS + arm_of(i)] = -1.0f / POINTS;
    }
    unmap(points, xy);
    unmap(gradient, diff);
}

static double loss_of(dnnl_memory_t scores) {
    double loss = 0;
    float *values = map(scores);
    for (int i = 0; i < POINTS; i++)
        loss -= (double)values[i * ARMS + arm_of(i)] / POINTS;
    unmap(scores, values);
    return loss;
}

/* One step; the loss is that before the update. */
static double train(const struct training *t, dnnl_memory_t scores) {
    for (int i = 0; i < t->nsteps; i++)
        CHECK(dnnl_primitive_execute(t->steps[i].primitive, t->stream, t->steps[i].nargs, t->steps[i].args));
    CHECK(dnnl_stream_wait(t->stream));
    return loss_of(scores);
}

static void destroy(struct training *t, struct layer *layers) {
    for (int i = 0; i < t->nsteps; i++)
        CHECK(dnnl_primitive_destroy(t->steps[i].primitive));
    for (int i = 0; i < t->ntensors; i++) {
        CHECK(dnnl_memory_destroy(t->tensors[i].value));
        CHECK(dnnl_memory_destroy(t->tensors[i].gradient));
    }
    for (int i = 0; i < LAYERS; i++) {
        CHECK(dnnl_primitive_desc_destroy(layers[i].product));
        if (layers[i].relu) CHECK(dnnl_primitive_desc_destroy(layers[i].relu));
    }
    CHECK(dnnl_stream_destroy(t->stream));
    CHECK(dnnl_engine_destroy(t->engine));
}

int main(int argc, char **argv) {
    const int steps = argc > 2 ? atoi(argv[2]) : 300;
    struct training t = {.engine = open_engine(argc > 1 ? argv[1] : "cpu")};
    struct layer layers[LAYERS] = {0};
    CHECK(dnnl_stream_create(&t.stream, t.engine, dnnl_stream_default_flags));
    struct tensor scores = build(&t, layers);
    make_data(layers[0].x.value, scores.gradient);

    double first = 0, last = 0;
    for (int step = 0; step < steps; step++) {
        last = train(&t, scores.value);
        if (step == 0) first = last;
        if (step % 100 == 0 || step == steps - 1) printf("step %3d: loss %.4f\n", step, last);
    }
    destroy(&t, layers);
    const bool learned = first > 0.8 && first < 1.4 && last < 0.1;
    if (!learned) fprintf(stderr, "expected the loss to fall from about 1.1 to less than 0.1\n");
    return learned ? 0 : 1;
}
