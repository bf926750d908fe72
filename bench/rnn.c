/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recurrent layer of hidden size 512 on the CPU engine, its weights in the layouts that the library
 * prefers:
 *
 *   bench_rnn lstm|gru|int8|training|create|steps [BATCH [STEPS]]    default: batch 1, 20 steps
 *
 * int8 is an LSTM of u8 data and s8 weights; training is forward and backward of an LSTM; create is the
 * creation of an LSTM with the primitive cache off; steps is an LSTM with few inputs, whose time is that of
 * its steps. Prints the best run in microseconds, and for `steps` how much longer that is than to read the
 * packed weights, once per step, on as many threads.
 */
#define _GNU_SOURCE /* sched_getaffinity */
#include "bench.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { HIDDEN = 512, FEW = 16, MAX_ARGS = 20, RUNS = 100 };

/* A quantised number is x * scale + shift. */
static const float data_scale = 127, data_shift = 128, weights_scale = 500;

struct layer {
    bool lstm, bytes, training;
    dnnl_dim_t batch, steps, inputs;
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_primitive_attr_t attr;
};

/* The descriptors of all tensors, before layouts are chosen. */
struct descs {
    dnnl_memory_desc_t src, weights_layer, weights_iter, bias, dst;
};

struct pass {
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t primitive;
    int nargs;
    dnnl_exec_arg_t args[MAX_ARGS];
};

struct sizes {
    dnnl_dim_t src[3], weights_layer[5], weights_iter[5], bias[4], dst[3];
};

static struct sizes sizes_of(const struct layer *layer) {
    const dnnl_dim_t gates = layer->lstm ? 4 : 3;
    return (struct sizes){{layer->steps, layer->batch, layer->inputs},
                          {1, 1, layer->inputs, gates, HIDDEN},
                          {1, 1, HIDDEN, gates, HIDDEN},
                          {1, 1, gates, HIDDEN},
                          {layer->steps, layer->batch, HIDDEN}};
}

static struct descs make_descs(const struct layer *layer) {
    const dnnl_data_type_t weights = layer->bytes ? dnnl_s8 : dnnl_f32;
    const struct sizes s = sizes_of(layer);
    return (struct descs){bench_desc(3, s.src, layer->bytes ? dnnl_u8 : dnnl_f32, dnnl_tnc),
                          bench_desc(5, s.weights_layer, weights, dnnl_format_tag_any),
                          bench_desc(5, s.weights_iter, weights, dnnl_format_tag_any),
                          f32_desc(4, s.bias, dnnl_ldgo), f32_desc(3, s.dst, dnnl_tnc)};
}

static void free_descs(const struct descs *d) {
    CHECK(dnnl_memory_desc_destroy(d->src));
    CHECK(dnnl_memory_desc_destroy(d->weights_layer));
    CHECK(dnnl_memory_desc_destroy(d->weights_iter));
    CHECK(dnnl_memory_desc_destroy(d->bias));
    CHECK(dnnl_memory_desc_destroy(d->dst));
}

static struct pass make_forward(const struct layer *layer, const struct descs *d) {
    const dnnl_prop_kind_t prop = layer->training ? dnnl_forward_training : dnnl_forward_inference;
    struct pass pass = {0};
    if (layer->lstm)
        CHECK(dnnl_lstm_forward_primitive_desc_create(
                &pass.pd, layer->engine, prop, dnnl_unidirectional_left2right, d->src, NULL, NULL,
                d->weights_layer, d->weights_iter, NULL, NULL, d->bias, d->dst, NULL, NULL, 0, layer->attr));
    else
        CHECK(dnnl_gru_forward_primitive_desc_create(
                &pass.pd, layer->engine, prop, dnnl_unidirectional_left2right, d->src, NULL, d->weights_layer,
                d->weights_iter, d->bias, d->dst, NULL, 0, layer->attr));
    CHECK(dnnl_primitive_create(&pass.primitive, pass.pd));
    return pass;
}

static struct pass make_backward(const struct layer *layer, const struct descs *d,
                                 const struct pass *forward) {
    struct pass pass = {0};
    CHECK(dnnl_lstm_backward_primitive_desc_create(
            &pass.pd, layer->engine, dnnl_backward, dnnl_unidirectional_left2right, d->src, NULL, NULL,
            d->weights_layer, d->weights_iter, NULL, NULL, d->bias, d->dst, NULL, NULL, d->src, NULL, NULL,
            d->weights_layer, d->weights_iter, NULL, NULL, d->bias, d->dst, NULL, NULL, 0, forward->pd,
            layer->attr));
    CHECK(dnnl_primitive_create(&pass.primitive, pass.pd));
    return pass;
}

/* Arguments. */

static dnnl_memory_t add_memory(const struct layer *layer, struct pass *pass, int arg) {
    dnnl_memory_t memory;
    CHECK(dnnl_memory_create(&memory, dnnl_primitive_desc_query_md(pass->pd, dnnl_query_exec_arg_md, arg),
                             layer->engine, DNNL_MEMORY_ALLOCATE));
    pass->args[pass->nargs++] = (dnnl_exec_arg_t){arg, memory};
    return memory;
}

/* Floats, reordered to the layout and type of the argument. */
static void add_input(const struct layer *layer, struct pass *pass, int arg, dnnl_memory_desc_t plain) {
    dnnl_memory_t from = f32_memory(layer->engine, plain), to = add_memory(layer, pass, arg);
    const_dnnl_memory_desc_t md = dnnl_primitive_desc_query_md(pass->pd, dnnl_query_exec_arg_md, arg);
    dnnl_data_type_t type;
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t reorder;
    CHECK(dnnl_memory_desc_query(md, dnnl_query_data_type, &type));
    CHECK(dnnl_reorder_primitive_desc_create(&pd, plain, layer->engine, md, layer->engine,
                                             type == dnnl_f32 ? NULL : layer->attr));
    CHECK(dnnl_primitive_create(&reorder, pd));
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}};
    CHECK(dnnl_primitive_execute(reorder, layer->stream, 2, args));
    CHECK(dnnl_stream_wait(layer->stream));
    CHECK(dnnl_primitive_destroy(reorder));
    CHECK(dnnl_primitive_desc_destroy(pd));
    CHECK(dnnl_memory_destroy(from));
    CHECK(dnnl_memory_desc_destroy(plain));
}

static void add_inputs(const struct layer *layer, struct pass *pass) {
    const struct sizes s = sizes_of(layer);
    add_input(layer, pass, DNNL_ARG_SRC_LAYER, f32_desc(3, s.src, dnnl_tnc));
    add_input(layer, pass, DNNL_ARG_WEIGHTS_LAYER, f32_desc(5, s.weights_layer, dnnl_ldigo));
    add_input(layer, pass, DNNL_ARG_WEIGHTS_ITER, f32_desc(5, s.weights_iter, dnnl_ldigo));
    add_input(layer, pass, DNNL_ARG_BIAS, f32_desc(4, s.bias, dnnl_ldgo));
}

static struct pass forward_pass(const struct layer *layer) {
    const struct descs descs = make_descs(layer);
    struct pass pass = make_forward(layer, &descs);
    free_descs(&descs);
    add_inputs(layer, &pass);
    add_memory(layer, &pass, DNNL_ARG_DST_LAYER);
    if (layer->training) add_memory(layer, &pass, DNNL_ARG_WORKSPACE);
    return pass;
}

static struct pass backward_pass(const struct layer *layer, const struct pass *forward) {
    const struct descs descs = make_descs(layer);
    const struct sizes s = sizes_of(layer);
    struct pass pass = make_backward(layer, &descs, forward);
    free_descs(&descs);
    add_inputs(layer, &pass);
    for (int i = 0; i < forward->nargs; i++) /* what the forward pass wrote */
        if (forward->args[i].arg == DNNL_ARG_DST_LAYER || forward->args[i].arg == DNNL_ARG_WORKSPACE)
            pass.args[pass.nargs++] = forward->args[i];
    add_input(layer, &pass, DNNL_ARG_DIFF_DST_LAYER, f32_desc(3, s.dst, dnnl_tnc));
    add_memory(layer, &pass, DNNL_ARG_DIFF_SRC_LAYER);
    add_memory(layer, &pass, DNNL_ARG_DIFF_WEIGHTS_LAYER);
    add_memory(layer, &pass, DNNL_ARG_DIFF_WEIGHTS_ITER);
    add_memory(layer, &pass, DNNL_ARG_DIFF_BIAS);
    return pass;
}

static void free_pass(struct pass *pass, bool shares) {
    for (int i = 0; i < pass->nargs; i++) {
        const int arg = pass->args[i].arg;
        if (!shares || (arg != DNNL_ARG_DST_LAYER && arg != DNNL_ARG_WORKSPACE))
            CHECK(dnnl_memory_destroy(pass->args[i].memory));
    }
    CHECK(dnnl_primitive_destroy(pass->primitive));
    CHECK(dnnl_primitive_desc_destroy(pass->pd));
}

/* Times. */

static double run_us(const struct layer *layer, const struct pass *passes, int count) {
    double best = INFINITY;
    for (int run = 0; run < RUNS; run++) {
        const double start = now_us();
        for (int i = 0; i < count; i++)
            CHECK(dnnl_primitive_execute(passes[i].primitive, layer->stream, passes[i].nargs,
                                         passes[i].args));
        CHECK(dnnl_stream_wait(layer->stream));
        best = fmin(best, now_us() - start);
    }
    return best;
}

/* The time to read memory: threads read a share each and wait for each other after every part, as the steps
 * of a network do. */
enum { PARTS = 2, MAX_THREADS = 256 };
struct readers {
    int threads;
    struct {
        const uint64_t *words;
        size_t count;
        dnnl_dim_t times;
    } parts[PARTS];
    _Atomic int number;   /* of the next thread */
    _Atomic int arrivals; /* at all barriers so far */
    _Atomic uint64_t sum; /* so that no read is left out */
    double best;
};

/* One word of every cache line: what limits it is how fast lines come. */
static uint64_t read_lines(const uint64_t *words, size_t count) {
    enum { LINE = 8, LINES = 4 };
    uint64_t sums[LINES] = {0};
    for (size_t i = 0; i + LINE * LINES <= count; i += LINE * LINES)
        for (size_t j = 0; j < LINES; j++)
            sums[j] += words[i + LINE * j];
    return sums[0] + sums[1] + sums[2] + sums[3];
}

static void meet(struct readers *r, int *met) {
    ++*met;
    atomic_fetch_add(&r->arrivals, 1);
    while (atomic_load(&r->arrivals) < *met * r->threads)
        ;
}

static void read_parts(struct readers *r, int number, int *met) {
    for (int p = 0; p < PARTS; p++) {
        const size_t share = r->parts[p].count / (size_t)r->threads;
        for (dnnl_dim_t i = 0; i < r->parts[p].times; i++) {
            atomic_fetch_add(&r->sum, read_lines(r->parts[p].words + (size_t)number * share, share));
            meet(r, met);
        }
    }
}

static void *read_share(void *data) {
    struct readers *r = data;
    const int number = atomic_fetch_add(&r->number, 1);
    int met = 0;
    for (int run = 0; run < RUNS; run++) {
        meet(r, &met);
        const double start = now_us();
        read_parts(r, number, &met);
        if (number == 0) r->best = fmin(r->best, now_us() - start);
    }
    return NULL;
}

static int thread_count(void) {
    const char *wanted = getenv("OMP_NUM_THREADS");
    cpu_set_t cpus;
    int count = wanted ? atoi(wanted) : 0;
    if (count < 1 && sched_getaffinity(0, sizeof cpus, &cpus) == 0) count = CPU_COUNT(&cpus);
    return count < 1 ? 1 : count > MAX_THREADS ? MAX_THREADS : count;
}

static double read_us(struct readers *r) {
    pthread_t threads[MAX_THREADS];
    r->threads = thread_count();
    r->best = INFINITY;
    for (int i = 1; i < r->threads; i++)
        if (pthread_create(&threads[i], NULL, read_share, r) != 0) exit(1);
    read_share(r);
    for (int i = 1; i < r->threads; i++)
        pthread_join(threads[i], NULL);
    return r->best;
}

/* Reading the weights of a forward pass, which its network does at least. */
static double read_weights_us(const struct layer *layer, const struct pass *pass) {
    static const int args[PARTS] = {DNNL_ARG_WEIGHTS_LAYER, DNNL_ARG_WEIGHTS_ITER};
    struct readers readers = {.parts[0].times = 1, .parts[1].times = layer->steps};
    for (int p = 0; p < PARTS; p++) {
        void *words = NULL;
        for (int i = 0; i < pass->nargs; i++)
            if (pass->args[i].arg == args[p])
                CHECK(dnnl_memory_get_data_handle(pass->args[i].memory, &words));
        readers.parts[p].words = words;
        readers.parts[p].count = dnnl_memory_desc_get_size(dnnl_primitive_desc_query_md(
                                         pass->pd, dnnl_query_exec_arg_md, args[p]))
                                 / sizeof(uint64_t);
    }
    return read_us(&readers);
}

static void measure(const struct layer *layer, const char *name) {
    struct pass passes[2] = {forward_pass(layer)};
    if (layer->training) passes[1] = backward_pass(layer, &passes[0]);
    const double us = run_us(layer, passes, layer->training ? 2 : 1);
    printf("rnn_%s_%lld %.1f us\n", name, (long long)layer->batch, us);
    if (strcmp(name, "steps") == 0) {
        const double reading = read_weights_us(layer, &passes[0]);
        printf("rnn_reading %.1f us, the network takes %.3f times as long\n", reading, us / reading);
    }
    if (layer->training) free_pass(&passes[1], true);
    free_pass(&passes[0], false);
}

static void measure_creation(const struct layer *layer) {
    double best = INFINITY;
    const struct descs descs = make_descs(layer);
    CHECK(dnnl_set_primitive_cache_capacity(0));
    for (int run = 0; run < RUNS; run++) {
        const double start = now_us();
        struct pass pass = make_forward(layer, &descs);
        best = fmin(best, now_us() - start);
        free_pass(&pass, false);
    }
    free_descs(&descs);
    printf("rnn_create_%lld %.1f us\n", (long long)layer->steps, best);
}

static dnnl_primitive_attr_t make_attr(bool bytes) {
    dnnl_primitive_attr_t attr;
    CHECK(dnnl_primitive_attr_create(&attr));
    if (!bytes) return attr;
    CHECK(dnnl_primitive_attr_set_rnn_data_qparams(attr, data_scale, data_shift));
    CHECK(dnnl_primitive_attr_set_rnn_weights_qparams(attr, 1, 0, &weights_scale));
    return attr;
}

int main(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "lstm";
    const bool create = strcmp(name, "create") == 0;
    struct layer layer = {.lstm = strcmp(name, "gru") != 0,
                          .bytes = strcmp(name, "int8") == 0,
                          .training = strcmp(name, "training") == 0,
                          .batch = argc > 2 ? atoll(argv[2]) : 1,
                          .steps = argc > 3 ? atoll(argv[3]) : 20,
                          .inputs = strcmp(name, "steps") == 0 ? FEW : HIDDEN};
    if (layer.batch < 1 || layer.steps < 1) return 1;
    layer.attr = make_attr(layer.bytes);
    CHECK(dnnl_engine_create(&layer.engine, dnnl_cpu, 0));
    CHECK(dnnl_stream_create(&layer.stream, layer.engine, dnnl_stream_default_flags));
    if (create)
        measure_creation(&layer);
    else
        measure(&layer, name);
    CHECK(dnnl_stream_destroy(layer.stream));
    CHECK(dnnl_engine_destroy(layer.engine));
    CHECK(dnnl_primitive_attr_destroy(layer.attr));
    return 0;
}
