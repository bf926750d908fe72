/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A GRU learns to remember: at every step it must give what it was shown DELAY steps ago.
 *
 *   rnn_training [ENGINE] [ITERATIONS]    defaults: cpu 400
 *
 * ENGINE is cpu, gpu, or a runtime and a device (ze, ocl:1, sycl:0). Weights are kept in a plain layout,
 * where they are updated; the forward and the backward primitive each choose a layout of their own, and
 * reorders bring the weights there. The loss is the average squared distance of the first channel from what
 * was shown. Exit status 1 if it does not fall to a twentieth; 77: there is no such engine.
 */
#include "example.h"

#include <math.h>

enum { STEPS = 8, BATCH = 32, HIDDEN = 24, GATES = 3, DELAY = 2, MAX_ARGS = 16, PARAMETERS = 3 };

static const float RATE = 0.3f, MOMENTUM = 0.9f, AMPLITUDE = 0.5f;

/* Weights of the inputs, of the state, and bias: values, gradients and how they move, in plain layouts. */
static const struct {
    int arg, ndims;
    dnnl_dim_t dims[5];
    dnnl_format_tag_t tag;
} parameters[PARAMETERS] = {
        {DNNL_ARG_WEIGHTS_LAYER, 5, {1, 1, 1, GATES, HIDDEN}, dnnl_ldigo},
        {DNNL_ARG_WEIGHTS_ITER, 5, {1, 1, HIDDEN, GATES, HIDDEN}, dnnl_ldigo},
        {DNNL_ARG_BIAS, 4, {1, 1, GATES, HIDDEN}, dnnl_ldgo},
};
enum { DIFF = DNNL_ARG_DIFF_SRC_LAYER - DNNL_ARG_SRC_LAYER };

/* One direction: the primitive, its arguments, and the reorders that bring the weights to its layouts. */
struct pass {
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t primitive, reorders[PARAMETERS];
    dnnl_exec_arg_t reorder_args[PARAMETERS][2];
    int nargs;
    dnnl_exec_arg_t args[MAX_ARGS];
};

struct training {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_memory_t src, dst, diff_src, diff_dst, workspace;
    dnnl_memory_t values[PARAMETERS], gradients[PARAMETERS], speeds[PARAMETERS];
    struct pass forward, backward;
    uint32_t random;
};

static dnnl_memory_t make_memory(const struct training *t, const_dnnl_memory_desc_t md) {
    dnnl_memory_t memory;
    CHECK(dnnl_memory_create(&memory, md, t->engine, DNNL_MEMORY_ALLOCATE));
    return memory;
}

static void make_descriptors(struct training *t) {
    dnnl_memory_desc_t src = make_desc(3, (dnnl_dim_t[]){STEPS, BATCH, 1}, dnnl_f32, dnnl_tnc);
    dnnl_memory_desc_t dst = make_desc(3, (dnnl_dim_t[]){STEPS, BATCH, HIDDEN}, dnnl_f32, dnnl_tnc);
    dnnl_memory_desc_t plain[PARAMETERS], any[PARAMETERS];
    for (int i = 0; i < PARAMETERS; i++) {
        plain[i] = make_desc(parameters[i].ndims, parameters[i].dims, dnnl_f32, parameters[i].tag);
        any[i] = make_desc(parameters[i].ndims, parameters[i].dims, dnnl_f32, dnnl_format_tag_any);
        t->values[i] = make_memory(t, plain[i]);
        t->gradients[i] = make_memory(t, plain[i]);
        t->speeds[i] = make_memory(t, plain[i]);
        fill(t->speeds[i], 0, &t->random);
        fill(t->values[i], parameters[i].arg == DNNL_ARG_BIAS ? 0 : 0.3f, &t->random);
    }
    t->src = make_memory(t, src), t->diff_src = make_memory(t, src);
    t->dst = make_memory(t, dst), t->diff_dst = make_memory(t, dst);
    CHECK(dnnl_gru_forward_primitive_desc_create(&t->forward.pd, t->engine, dnnl_forward_training,
                                                 dnnl_unidirectional_left2right, src, NULL, any[0], any[1],
                                                 any[2], dst, NULL, dnnl_rnn_flags_undef, NULL));
    CHECK(dnnl_gru_backward_primitive_desc_create(
            &t->backward.pd, t->engine, dnnl_backward, dnnl_unidirectional_left2right, src, NULL, any[0],
            any[1], any[2], dst, NULL, src, NULL, plain[0], plain[1], plain[2], dst, NULL,
            dnnl_rnn_flags_diff_weights_overwrite, t->forward.pd, NULL));
    for (int i = 0; i < PARAMETERS; i++) {
        CHECK(dnnl_memory_desc_destroy(plain[i]));
        CHECK(dnnl_memory_desc_destroy(any[i]));
    }
    CHECK(dnnl_memory_desc_destroy(src));
    CHECK(dnnl_memory_desc_destroy(dst));
    t->workspace = make_memory(t, dnnl_primitive_desc_query_md(t->forward.pd, dnnl_query_workspace_md, 0));
}

static void add(struct pass *pass, int arg, dnnl_memory_t memory) {
    pass->args[pass->nargs++] = (dnnl_exec_arg_t){arg, memory};
}

/* The primitive, weights in its layouts, and the arguments that both directions have. */
static void make_pass(const struct training *t, struct pass *pass) {
    CHECK(dnnl_primitive_create(&pass->primitive, pass->pd));
    for (int i = 0; i < PARAMETERS; i++) {
        const int arg = parameters[i].arg;
        dnnl_memory_t own =
                make_memory(t, dnnl_primitive_desc_query_md(pass->pd, dnnl_query_exec_arg_md, arg));
        dnnl_primitive_desc_t pd;
        CHECK(dnnl_reorder_primitive_desc_create(&pd, desc_of(t->values[i]), t->engine, desc_of(own),
                                                 t->engine, NULL));
        CHECK(dnnl_primitive_create(&pass->reorders[i], pd));
        CHECK(dnnl_primitive_desc_destroy(pd));
        pass->reorder_args[i][0] = (dnnl_exec_arg_t){DNNL_ARG_FROM, t->values[i]};
        pass->reorder_args[i][1] = (dnnl_exec_arg_t){DNNL_ARG_TO, own};
        add(pass, arg, own);
    }
    add(pass, DNNL_ARG_SRC_LAYER, t->src);
    add(pass, DNNL_ARG_DST_LAYER, t->dst);
    add(pass, DNNL_ARG_WORKSPACE, t->workspace);
}

static void run_pass(const struct training *t, const struct pass *pass) {
    for (int i = 0; i < PARAMETERS; i++)
        CHECK(dnnl_primitive_execute(pass->reorders[i], t->stream, 2, pass->reorder_args[i]));
    CHECK(dnnl_primitive_execute(pass->primitive, t->stream, pass->nargs, pass->args));
    CHECK(dnnl_stream_wait(t->stream));
}

static void make_training(struct training *t) {
    CHECK(dnnl_stream_create(&t->stream, t->engine, dnnl_stream_default_flags));
    make_descriptors(t);
    make_pass(t, &t->forward);
    make_pass(t, &t->backward);
    add(&t->backward, DNNL_ARG_DIFF_DST_LAYER, t->diff_dst);
    add(&t->backward, DNNL_ARG_DIFF_SRC_LAYER, t->diff_src);
    for (int i = 0; i < PARAMETERS; i++)
        add(&t->backward, parameters[i].arg + DIFF, t->gradients[i]);
}

/* The loss, and its gradient with respect to the results. */
static float set_loss(const struct training *t) {
    float *x = map(t->src), *y = map(t->dst), *diff = map(t->diff_dst), loss = 0;
    const float count = (STEPS - DELAY) * BATCH;
    memset(diff, 0, float_count(t->diff_dst) * sizeof(float));
    for (int s = DELAY; s < STEPS; s++)
        for (int n = 0; n < BATCH; n++) {
            const int at = (s * BATCH + n) * HIDDEN;
            const float error = y[at] - x[(s - DELAY) * BATCH + n];
            loss += error * error / count;
            diff[at] = 2 * error / count;
        }
    unmap(t->src, x);
    unmap(t->dst, y);
    unmap(t->diff_dst, diff);
    return loss;
}

static void update(const struct training *t) {
    for (int i = 0; i < PARAMETERS; i++) {
        float *value = map(t->values[i]), *gradient = map(t->gradients[i]), *speed = map(t->speeds[i]);
        for (size_t k = 0; k < float_count(t->values[i]); k++) {
            speed[k] = MOMENTUM * speed[k] - RATE * gradient[k];
            value[k] += speed[k];
        }
        unmap(t->speeds[i], speed);
        unmap(t->values[i], value);
        unmap(t->gradients[i], gradient);
    }
}

static void free_pass(struct pass *pass) {
    for (int i = 0; i < PARAMETERS; i++) {
        CHECK(dnnl_memory_destroy(pass->reorder_args[i][1].memory));
        CHECK(dnnl_primitive_destroy(pass->reorders[i]));
    }
    CHECK(dnnl_primitive_destroy(pass->primitive));
    CHECK(dnnl_primitive_desc_destroy(pass->pd));
}

static void free_training(struct training *t) {
    free_pass(&t->forward);
    free_pass(&t->backward);
    dnnl_memory_t all[] = {t->src, t->dst, t->diff_src, t->diff_dst, t->workspace};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        CHECK(dnnl_memory_destroy(all[i]));
    for (int i = 0; i < PARAMETERS; i++) {
        CHECK(dnnl_memory_destroy(t->values[i]));
        CHECK(dnnl_memory_destroy(t->gradients[i]));
        CHECK(dnnl_memory_destroy(t->speeds[i]));
    }
    CHECK(dnnl_stream_destroy(t->stream));
    CHECK(dnnl_engine_destroy(t->engine));
}

int main(int argc, char **argv) {
    struct training t = {.engine = open_engine(argc > 1 ? argv[1] : "cpu"), .random = 1};
    const int iterations = argc > 2 ? atoi(argv[2]) : 400;
    float first = 0, loss = 0;
    make_training(&t);
    for (int i = 0; i <= iterations; i++) {
        fill(t.src, AMPLITUDE, &t.random);
        run_pass(&t, &t.forward);
        loss = set_loss(&t);
        if (i == 0) first = loss;
        if (i % 50 == 0) printf("iteration %4d: loss %.5f\n", i, (double)loss);
        run_pass(&t, &t.backward);
        update(&t);
    }
    free_training(&t);
    return loss < first / 20 ? 0 : 1;
}
