/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An LSTM of two layers in f32, then the same with bytes: data u8, weights s8. Prints how long each takes and
 * how far the results are apart.
 *
 *   lstm_inference [ENGINE] [STEPS] [BATCH] [HIDDEN] [RUNS]    defaults: cpu 20 16 512 20
 *
 * ENGINE is cpu, gpu, or a runtime and a device (ze, ocl:1, sycl:0). Both networks choose the layouts of
 * their weights, and a reorder brings the numbers there; for bytes it also quantises them, with the scales
 * that the attributes of the network have. Exit status 1 if results differ by more than MOST; 77: there is no
 * such engine.
 */
#include "example.h"

#include <math.h>

enum { LAYERS = 2, GATES = 4, MAX_ARGS = 8 };

/* A quantised number is x * scale + shift: what an LSTM gives is between -1 and 1. */
static const float data_scale = 127, data_shift = 128, weights_scale = 500, MOST = 0.1f;

struct sizes {
    dnnl_dim_t steps, batch, hidden;
};

struct network {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_primitive_attr_t attr;
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t primitive;
    int nargs;
    dnnl_exec_arg_t args[MAX_ARGS];
};

static dnnl_primitive_attr_t make_attr(bool bytes) {
    dnnl_primitive_attr_t attr;
    CHECK(dnnl_primitive_attr_create(&attr));
    if (!bytes) return attr;
    CHECK(dnnl_primitive_attr_set_rnn_data_qparams(attr, data_scale, data_shift));
    CHECK(dnnl_primitive_attr_set_rnn_weights_qparams(attr, 1, 0, &weights_scale));
    return attr;
}

static void make_primitive(struct network *net, const struct sizes *s, bool bytes) {
    const dnnl_dim_t data_dims[] = {s->steps, s->batch, s->hidden},
                     bias_dims[] = {LAYERS, 1, GATES, s->hidden};
    const dnnl_dim_t weights_dims[] = {LAYERS, 1, s->hidden, GATES, s->hidden};
    dnnl_memory_desc_t src = make_desc(3, data_dims, bytes ? dnnl_u8 : dnnl_f32, dnnl_tnc);
    dnnl_memory_desc_t dst = make_desc(3, data_dims, dnnl_f32, dnnl_tnc);
    dnnl_memory_desc_t bias = make_desc(4, bias_dims, dnnl_f32, dnnl_ldgo);
    dnnl_memory_desc_t weights = make_desc(5, weights_dims, bytes ? dnnl_s8 : dnnl_f32, dnnl_format_tag_any);
    CHECK(dnnl_lstm_forward_primitive_desc_create(
            &net->pd, net->engine, dnnl_forward_inference, dnnl_unidirectional_left2right, src, NULL, NULL,
            weights, weights, NULL, NULL, bias, dst, NULL, NULL, dnnl_rnn_flags_undef, net->attr));
    CHECK(dnnl_primitive_create(&net->primitive, net->pd));
    dnnl_memory_desc_t all[] = {src, dst, bias, weights};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        CHECK(dnnl_memory_desc_destroy(all[i]));
}

static dnnl_memory_t add_memory(struct network *net, int arg) {
    dnnl_memory_t memory;
    CHECK(dnnl_memory_create(&memory, dnnl_primitive_desc_query_md(net->pd, dnnl_query_exec_arg_md, arg),
                             net->engine, DNNL_MEMORY_ALLOCATE));
    net->args[net->nargs++] = (dnnl_exec_arg_t){arg, memory};
    return memory;
}

/* Copies floats to the layout and type of the network. */
static void add_input(struct network *net, int arg, int ndims, const dnnl_dim_t *dims, dnnl_format_tag_t tag,
                      float limit) {
    dnnl_memory_desc_t md = make_desc(ndims, dims, dnnl_f32, tag);
    dnnl_memory_t from, to = add_memory(net, arg);
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t reorder;
    uint32_t random = (uint32_t)arg;
    CHECK(dnnl_memory_create(&from, md, net->engine, DNNL_MEMORY_ALLOCATE));
    fill(from, limit, &random);
    dnnl_data_type_t type;
    CHECK(dnnl_memory_desc_query(desc_of(to), dnnl_query_data_type, &type));
    CHECK(dnnl_reorder_primitive_desc_create(&pd, md, net->engine, desc_of(to), net->engine,
                                             type == dnnl_f32 ? NULL : net->attr));
    CHECK(dnnl_primitive_create(&reorder, pd));
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}};
    CHECK(dnnl_primitive_execute(reorder, net->stream, 2, args));
    CHECK(dnnl_stream_wait(net->stream));
    CHECK(dnnl_primitive_destroy(reorder));
    CHECK(dnnl_primitive_desc_destroy(pd));
    CHECK(dnnl_memory_destroy(from));
    CHECK(dnnl_memory_desc_destroy(md));
}

static struct network make_network(dnnl_engine_t engine, const struct sizes *s, bool bytes) {
    struct network net = {.engine = engine, .attr = make_attr(bytes)};
    const float limit = 1 / sqrtf((float)s->hidden);
    const dnnl_dim_t weights_dims[] = {LAYERS, 1, s->hidden, GATES, s->hidden};
    CHECK(dnnl_stream_create(&net.stream, engine, dnnl_stream_default_flags));
    make_primitive(&net, s, bytes);
    add_input(&net, DNNL_ARG_SRC_LAYER, 3, (const dnnl_dim_t[]){s->steps, s->batch, s->hidden}, dnnl_tnc, 1);
    add_input(&net, DNNL_ARG_WEIGHTS_LAYER, 5, weights_dims, dnnl_ldigo, limit);
    add_input(&net, DNNL_ARG_WEIGHTS_ITER, 5, weights_dims, dnnl_ldigo, limit);
    add_input(&net, DNNL_ARG_BIAS, 4, (const dnnl_dim_t[]){LAYERS, 1, GATES, s->hidden}, dnnl_ldgo, limit);
    add_memory(&net, DNNL_ARG_DST_LAYER);
    return net;
}

static void free_network(struct network *net) {
    for (int i = 0; i < net->nargs; i++)
        CHECK(dnnl_memory_destroy(net->args[i].memory));
    CHECK(dnnl_primitive_destroy(net->primitive));
    CHECK(dnnl_primitive_desc_destroy(net->pd));
    CHECK(dnnl_primitive_attr_destroy(net->attr));
    CHECK(dnnl_stream_destroy(net->stream));
}

static double best_time(const struct network *net, int runs) {
    double best = HUGE_VAL;
    for (int i = 0; i <= runs; i++) { /* one to warm up */
        const double begin = now_ms();
        CHECK(dnnl_primitive_execute(net->primitive, net->stream, net->nargs, net->args));
        CHECK(dnnl_stream_wait(net->stream));
        if (i > 0 && now_ms() - begin < best) best = now_ms() - begin;
    }
    return best;
}

static float largest_difference(const struct network *a, const struct network *b) {
    dnnl_memory_t one = a->args[a->nargs - 1].memory, two = b->args[b->nargs - 1].memory;
    float *x = map(one), *y = map(two), most = 0;
    for (size_t i = 0; i < float_count(one); i++)
        most = fmaxf(most, fabsf(x[i] - y[i]));
    unmap(one, x);
    unmap(two, y);
    return most;
}

int main(int argc, char **argv) {
    long numbers[] = {20, 16, 512, 20};
    for (int i = 2; i < argc && i < 6; i++)
        numbers[i - 2] = strtol(argv[i], NULL, 10);
    const struct sizes sizes = {numbers[0], numbers[1], numbers[2]};
    const int runs = (int)numbers[3];
    dnnl_engine_t engine = open_engine(argc > 1 ? argv[1] : "cpu");
    struct network floats = make_network(engine, &sizes, false), bytes = make_network(engine, &sizes, true);
    printf("%d layers, %ld steps, batch %ld, hidden size %ld\n", LAYERS, numbers[0], numbers[1], numbers[2]);
    printf("f32    %8.3f ms\n", best_time(&floats, runs));
    printf("u8/s8  %8.3f ms\n", best_time(&bytes, runs));
    const float difference = largest_difference(&floats, &bytes);
    printf("largest difference %.4f\n", (double)difference);
    free_network(&floats);
    free_network(&bytes);
    CHECK(dnnl_engine_destroy(engine));
    return difference <= MOST ? 0 : 1;
}
