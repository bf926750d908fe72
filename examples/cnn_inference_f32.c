/* SPDX-License-Identifier: Apache-2.0 */
/*
 * AlexNet in f32: builds the network from a table of layers, runs it, prints how long it takes.
 *
 *   cnn_inference_f32 [ENGINE] [BATCH] [RUNS]          defaults: cpu 1 20
 *   cnn_inference_f32 --compare ENGINE,ENGINE... [BATCH] [RUNS]
 *   --fused    relu as a post-op of the previous layer instead of a separate primitive
 *
 * ENGINE is cpu, gpu (the library's default), or a runtime and a device: ze, ocl:1, sycl:0. Uses only the
 * public C API, so it runs on any library that has it. Exit status 77: there is no such engine.
 */
#include "example.h"

#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CLASSES = 1000, MAX_STEPS = 64, MAX_MEMORIES = 128 };

enum layer_kind { CONVOLUTION, RELU, LRN, POOLING, INNER_PRODUCT, SOFTMAX };

struct layer {
    enum layer_kind kind;
    int channels, kernel, stride, padding, groups;
};

static const struct layer alexnet[] = {
        {.kind = CONVOLUTION, .channels = 96, .kernel = 11, .stride = 4, .padding = 0, .groups = 1},
        {.kind = RELU},
        {.kind = LRN},
        {.kind = POOLING, .kernel = 3, .stride = 2},
        {.kind = CONVOLUTION, .channels = 256, .kernel = 5, .stride = 1, .padding = 2, .groups = 2},
        {.kind = RELU},
        {.kind = LRN},
        {.kind = POOLING, .kernel = 3, .stride = 2},
        {.kind = CONVOLUTION, .channels = 384, .kernel = 3, .stride = 1, .padding = 1, .groups = 1},
        {.kind = RELU},
        {.kind = CONVOLUTION, .channels = 384, .kernel = 3, .stride = 1, .padding = 1, .groups = 2},
        {.kind = RELU},
        {.kind = CONVOLUTION, .channels = 256, .kernel = 3, .stride = 1, .padding = 1, .groups = 2},
        {.kind = RELU},
        {.kind = POOLING, .kernel = 3, .stride = 2},
        {.kind = INNER_PRODUCT, .channels = 4096},
        {.kind = RELU},
        {.kind = INNER_PRODUCT, .channels = 4096},
        {.kind = RELU},
        {.kind = INNER_PRODUCT, .channels = CLASSES},
        {.kind = SOFTMAX},
};
enum { LAYERS = sizeof(alexnet) / sizeof(alexnet[0]) };

/* One primitive with everything it needs to run. */
struct step {
    dnnl_primitive_t primitive;
    int nargs;
    dnnl_exec_arg_t args[4];
};

struct network {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    bool fused;
    uint32_t random;

    int nsteps, nmemories;
    struct step steps[MAX_STEPS];
    dnnl_memory_t memories[MAX_MEMORIES]; /* all of them, to be destroyed */
    dnnl_memory_t input, output;          /* plain layouts: nchw and nc */
    dnnl_memory_t current;                /* output of the layers so far */
};

struct result {
    double min_ms, avg_ms;
};

static dnnl_memory_desc_t f32_desc(int ndims, const dnnl_dim_t *dims, dnnl_format_tag_t tag) {
    return make_desc(ndims, dims, dnnl_f32, tag);
}

static dnnl_memory_t add_memory(struct network *net, const_dnnl_memory_desc_t md) {
    dnnl_memory_t *memory = &net->memories[net->nmemories++];
    CHECK(dnnl_memory_create(memory, md, net->engine, DNNL_MEMORY_ALLOCATE));
    return *memory;
}

/* Steps. */

static struct step *add_step(struct network *net, dnnl_primitive_desc_t pd) {
    struct step *step = &net->steps[net->nsteps++];
    CHECK(dnnl_primitive_create(&step->primitive, pd));
    return step;
}

static void add_arg(struct step *step, int arg, dnnl_memory_t memory) {
    step->args[step->nargs++] = (dnnl_exec_arg_t){arg, memory};
}

static struct step *add_reorder(struct network *net, dnnl_memory_t from, dnnl_memory_t to) {
    dnnl_primitive_desc_t pd;
    CHECK(dnnl_reorder_primitive_desc_create(&pd, desc_of(from), net->engine, desc_of(to), net->engine,
                                             NULL));
    struct step *step = add_step(net, pd);
    add_arg(step, DNNL_ARG_FROM, from);
    add_arg(step, DNNL_ARG_TO, to);
    CHECK(dnnl_primitive_desc_destroy(pd));
    return step;
}

/* Returns `memory` if it already has the requested layout, else a new one that each run reorders into. */
static dnnl_memory_t in_layout(struct network *net, dnnl_memory_t memory, const_dnnl_memory_desc_t md) {
    if (dnnl_memory_desc_equal(desc_of(memory), md)) return memory;
    dnnl_memory_t to = add_memory(net, md);
    add_reorder(net, memory, to);
    return to;
}

/* Random weights or bias in the user's layout, reordered once into the primitive's layout. */
static dnnl_memory_t constant(struct network *net, dnnl_memory_desc_t user_md, const_dnnl_memory_desc_t md,
                              float limit) {
    dnnl_memory_t user;
    CHECK(dnnl_memory_create(&user, user_md, net->engine, DNNL_MEMORY_ALLOCATE));
    fill(user, limit, &net->random);
    if (dnnl_memory_desc_equal(user_md, md)) return net->memories[net->nmemories++] = user;

    dnnl_memory_t packed = add_memory(net, md);
    struct step *reorder = add_reorder(net, user, packed);
    CHECK(dnnl_primitive_execute(reorder->primitive, net->stream, reorder->nargs, reorder->args));
    CHECK(dnnl_stream_wait(net->stream));
    CHECK(dnnl_primitive_destroy(reorder->primitive));
    *reorder = (struct step){0};
    net->nsteps--;
    CHECK(dnnl_memory_destroy(user));
    return packed;
}

/* Adds a step from the current memory to a new one, which becomes current. */
static struct step *add_layer(struct network *net, dnnl_primitive_desc_t pd) {
    dnnl_memory_t src = in_layout(net, net->current, dnnl_primitive_desc_query_md(pd, dnnl_query_src_md, 0));
    dnnl_memory_t dst = add_memory(net, dnnl_primitive_desc_query_md(pd, dnnl_query_dst_md, 0));
    struct step *step = add_step(net, pd);
    add_arg(step, DNNL_ARG_SRC, src);
    add_arg(step, DNNL_ARG_DST, dst);
    net->current = dst;
    return step;
}

/* Adds a layer with weights. `fan_in` products are summed per output, which limits the size of the
 * weights. */
static void add_weighted_layer(struct network *net, dnnl_primitive_desc_t pd, dnnl_memory_desc_t weights_md,
                               dnnl_memory_desc_t bias_md, dnnl_dim_t fan_in) {
    float limit = sqrtf(6.0f / (float)fan_in);
    dnnl_memory_t weights =
            constant(net, weights_md, dnnl_primitive_desc_query_md(pd, dnnl_query_weights_md, 0), limit);
    dnnl_memory_t bias =
            constant(net, bias_md, dnnl_primitive_desc_query_md(pd, dnnl_query_weights_md, 1), 0.1f);
    struct step *step = add_layer(net, pd);
    add_arg(step, DNNL_ARG_WEIGHTS, weights);
    add_arg(step, DNNL_ARG_BIAS, bias);
}

/* Layers. */

static dnnl_primitive_attr_t make_attr(bool relu) {
    if (!relu) return NULL;
    dnnl_primitive_attr_t attr;
    dnnl_post_ops_t ops;
    CHECK(dnnl_primitive_attr_create(&attr));
    CHECK(dnnl_post_ops_create(&ops));
    CHECK(dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_relu, 0.0f, 0.0f));
    CHECK(dnnl_primitive_attr_set_post_ops(attr, ops));
    CHECK(dnnl_post_ops_destroy(ops));
    return attr;
}

static dnnl_dim_t window_count(dnnl_dim_t size, const struct layer *layer) {
    return (size + 2 * layer->padding - layer->kernel) / layer->stride + 1;
}

static void add_convolution(struct network *net, const struct layer *layer, bool relu) {
    const dnnl_dim_t *src;
    dims_of(net->current, &src);
    const dnnl_dim_t n = src[0], ic = src[1], oc = layer->channels, k = layer->kernel, g = layer->groups;
    const dnnl_dim_t dst[] = {n, oc, window_count(src[2], layer), window_count(src[3], layer)};
    const dnnl_dim_t grouped[] = {g, oc / g, ic / g, k, k}, plain[] = {oc, ic, k, k}, bias[] = {oc};
    const bool groups = g > 1;
    dnnl_memory_desc_t src_any = f32_desc(4, src, dnnl_format_tag_any);
    dnnl_memory_desc_t dst_any = f32_desc(4, dst, dnnl_format_tag_any);
    dnnl_memory_desc_t bias_md = f32_desc(1, bias, dnnl_a);
    dnnl_memory_desc_t weights_any =
            groups ? f32_desc(5, grouped, dnnl_format_tag_any) : f32_desc(4, plain, dnnl_format_tag_any);
    dnnl_memory_desc_t weights_md = groups ? f32_desc(5, grouped, dnnl_goihw) : f32_desc(4, plain, dnnl_oihw);
    dnnl_dims_t strides = {layer->stride, layer->stride}, dilates = {0, 0};
    dnnl_dims_t padding = {layer->padding, layer->padding};
    dnnl_primitive_attr_t attr = make_attr(relu);

    dnnl_primitive_desc_t pd;
    CHECK(dnnl_convolution_forward_primitive_desc_create(&pd, net->engine, dnnl_forward_inference,
                                                         dnnl_convolution_auto, src_any, weights_any, bias_md,
                                                         dst_any, strides, dilates, padding, padding, attr));
    add_weighted_layer(net, pd, weights_md, bias_md, ic / g * k * k);

    CHECK(dnnl_primitive_desc_destroy(pd));
    if (attr) CHECK(dnnl_primitive_attr_destroy(attr));
    dnnl_memory_desc_t mds[] = {src_any, dst_any, bias_md, weights_any, weights_md};
    for (int i = 0; i < 5; i++)
        CHECK(dnnl_memory_desc_destroy(mds[i]));
}

static void add_inner_product(struct network *net, const struct layer *layer, bool relu) {
    const dnnl_dim_t *src;
    const int ndims = dims_of(net->current, &src);
    const dnnl_dim_t oc = layer->channels, dst[] = {src[0], oc}, bias[] = {oc};
    dnnl_dims_t weights = {oc, src[1]};
    for (int d = 2; d < ndims; d++)
        weights[d] = src[d];
    dnnl_dim_t fan_in = 1;
    for (int d = 1; d < ndims; d++)
        fan_in *= src[d];
    dnnl_memory_desc_t src_any = f32_desc(ndims, src, dnnl_format_tag_any);
    dnnl_memory_desc_t weights_any = f32_desc(ndims, weights, dnnl_format_tag_any);
    dnnl_memory_desc_t weights_md = f32_desc(ndims, weights, ndims == 4 ? dnnl_oihw : dnnl_oi);
    dnnl_memory_desc_t bias_md = f32_desc(1, bias, dnnl_a);
    dnnl_memory_desc_t dst_any = f32_desc(2, dst, dnnl_format_tag_any);
    dnnl_primitive_attr_t attr = make_attr(relu);

    dnnl_primitive_desc_t pd;
    CHECK(dnnl_inner_product_forward_primitive_desc_create(&pd, net->engine, dnnl_forward_inference, src_any,
                                                           weights_any, bias_md, dst_any, attr));
    add_weighted_layer(net, pd, weights_md, bias_md, fan_in);

    CHECK(dnnl_primitive_desc_destroy(pd));
    if (attr) CHECK(dnnl_primitive_attr_destroy(attr));
    dnnl_memory_desc_t mds[] = {src_any, weights_any, weights_md, bias_md, dst_any};
    for (int i = 0; i < 5; i++)
        CHECK(dnnl_memory_desc_destroy(mds[i]));
}

/* In place: source and destination are the same memory. */
static void add_relu(struct network *net) {
    const_dnnl_memory_desc_t md = desc_of(net->current);
    dnnl_primitive_desc_t pd;
    CHECK(dnnl_eltwise_forward_primitive_desc_create(&pd, net->engine, dnnl_forward_inference,
                                                     dnnl_eltwise_relu, md, md, 0.0f, 0.0f, NULL));
    struct step *step = add_step(net, pd);
    add_arg(step, DNNL_ARG_SRC, net->current);
    add_arg(step, DNNL_ARG_DST, net->current);
    CHECK(dnnl_primitive_desc_destroy(pd));
}

static void add_lrn(struct network *net) {
    const_dnnl_memory_desc_t md = desc_of(net->current);
    dnnl_primitive_desc_t pd;
    CHECK(dnnl_lrn_forward_primitive_desc_create(&pd, net->engine, dnnl_forward_inference,
                                                 dnnl_lrn_across_channels, md, md, 5, 1e-4f, 0.75f, 1.0f,
                                                 NULL));
    add_layer(net, pd);
    CHECK(dnnl_primitive_desc_destroy(pd));
}

static void add_pooling(struct network *net, const struct layer *layer) {
    const dnnl_dim_t *src;
    dims_of(net->current, &src);
    const dnnl_dim_t dst[] = {src[0], src[1], window_count(src[2], layer), window_count(src[3], layer)};
    dnnl_memory_desc_t dst_any = f32_desc(4, dst, dnnl_format_tag_any);
    dnnl_dims_t strides = {layer->stride, layer->stride}, kernel = {layer->kernel, layer->kernel};
    dnnl_dims_t none = {0, 0};

    dnnl_primitive_desc_t pd;
    CHECK(dnnl_pooling_forward_primitive_desc_create(&pd, net->engine, dnnl_forward_inference,
                                                     dnnl_pooling_max, desc_of(net->current), dst_any,
                                                     strides, kernel, none, none, none, NULL));
    add_layer(net, pd);
    CHECK(dnnl_primitive_desc_destroy(pd));
    CHECK(dnnl_memory_desc_destroy(dst_any));
}

static void add_softmax(struct network *net) {
    const_dnnl_memory_desc_t md = desc_of(net->current);
    dnnl_primitive_desc_t pd;
    CHECK(dnnl_softmax_forward_primitive_desc_create(&pd, net->engine, dnnl_forward_inference,
                                                     dnnl_softmax_accurate, md, md, 1, NULL));
    add_layer(net, pd);
    CHECK(dnnl_primitive_desc_destroy(pd));
}

/* The network. */

static void build(struct network *net, dnnl_dim_t batch) {
    const dnnl_dim_t image[] = {batch, 3, 227, 227};
    dnnl_memory_desc_t image_md = f32_desc(4, image, dnnl_nchw);
    net->current = net->input = add_memory(net, image_md);
    CHECK(dnnl_memory_desc_destroy(image_md));
    fill(net->input, 1.0f, &net->random);

    for (int i = 0; i < LAYERS; i++) {
        const struct layer *layer = &alexnet[i];
        const bool relu = net->fused && i + 1 < LAYERS && alexnet[i + 1].kind == RELU;
        switch (layer->kind) {
        case CONVOLUTION: add_convolution(net, layer, relu); break;
        case INNER_PRODUCT: add_inner_product(net, layer, relu); break;
        case POOLING: add_pooling(net, layer); break;
        case SOFTMAX: add_softmax(net); break;
        case LRN: add_lrn(net); break;
        case RELU:
            if (!net->fused) add_relu(net);
            break;
        }
    }
    const dnnl_dim_t classes[] = {batch, CLASSES};
    dnnl_memory_desc_t classes_md = f32_desc(2, classes, dnnl_nc);
    net->output = in_layout(net, net->current, classes_md);
    CHECK(dnnl_memory_desc_destroy(classes_md));
}

static void run(const struct network *net) {
    for (int i = 0; i < net->nsteps; i++) {
        const struct step *step = &net->steps[i];
        CHECK(dnnl_primitive_execute(step->primitive, net->stream, step->nargs, step->args));
    }
    CHECK(dnnl_stream_wait(net->stream));
}

static void destroy(struct network *net) {
    for (int i = 0; i < net->nsteps; i++)
        CHECK(dnnl_primitive_destroy(net->steps[i].primitive));
    for (int i = 0; i < net->nmemories; i++)
        CHECK(dnnl_memory_destroy(net->memories[i]));
    CHECK(dnnl_stream_destroy(net->stream));
    CHECK(dnnl_engine_destroy(net->engine));
}

static struct result measure(const struct network *net, int runs) {
    struct result result = {.min_ms = INFINITY};
    run(net);
    for (int i = 0; i < runs; i++) {
        const double start = now_ms();
        run(net);
        const double ms = now_ms() - start;
        result.min_ms = fmin(result.min_ms, ms);
        result.avg_ms += ms / runs;
    }
    return result;
}

/* Builds, runs and frees the network on one engine; writes batch * CLASSES probabilities to `output`. */
static struct result infer(const char *engine, int batch, int runs, bool fused, float *output) {
    struct network net = {.engine = open_engine(engine), .fused = fused, .random = 1};
    CHECK(dnnl_stream_create(&net.stream, net.engine, dnnl_stream_default_flags));
    build(&net, batch);
    struct result result = measure(&net, runs);

    float *values;
    CHECK(dnnl_memory_map_data(net.output, (void **)&values));
    memcpy(output, values, (size_t)batch * CLASSES * sizeof(float));
    CHECK(dnnl_memory_unmap_data(net.output, values));
    destroy(&net);
    return result;
}

/* The probabilities of each image must sum to one. */
static bool plausible(const float *output, int batch) {
    for (int n = 0; n < batch; n++) {
        double sum = 0;
        for (int c = 0; c < CLASSES; c++)
            sum += output[n * CLASSES + c];
        if (!(fabs(sum - 1) < 1e-4)) return false;
    }
    return true;
}

static void print_result(const char *engine, int batch, struct result result, const float *output) {
    int best = 0;
    for (int c = 1; c < CLASSES; c++)
        if (output[c] > output[best]) best = c;
    printf("%s: batch %d, min %.3f ms, avg %.3f ms, first image: class %d, probability %.7g\n", engine, batch,
           result.min_ms, result.avg_ms, best, (double)output[best]);
}

/* Each engine runs in a separate process, because "gpu" means one runtime per process. */
static int infer_in_child(const char *engine, int batch, int runs, bool fused, float *output) {
    int ends[2];
    if (pipe(ends)) return 1;
    fflush(stdout);
    const pid_t child = fork();
    if (child < 0) return 1;
    const size_t size = (size_t)batch * CLASSES * sizeof(float);
    if (child == 0) {
        struct result result = infer(engine, batch, runs, fused, output);
        print_result(engine, batch, result, output);
        fflush(stdout);
        for (size_t sent = 0; sent < size;) {
            ssize_t n = write(ends[1], (char *)output + sent, size - sent);
            if (n <= 0) _exit(1);
            sent += (size_t)n;
        }
        _exit(plausible(output, batch) ? 0 : 1);
    }
    close(ends[1]);
    for (size_t got = 0; got < size;) {
        ssize_t n = read(ends[0], (char *)output + got, size - got);
        if (n <= 0) break;
        got += (size_t)n;
    }
    close(ends[0]);
    int status;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* Largest difference relative to the largest probability: 0 if the bits are equal. */
static float difference(const float *a, const float *b, size_t count) {
    float largest = 0, scale = 0;
    for (size_t i = 0; i < count; i++) {
        largest = fmaxf(largest, fabsf(a[i] - b[i]));
        scale = fmaxf(scale, fabsf(a[i]));
    }
    return largest / scale;
}

/* Runs on every engine of a comma-separated list and compares each output with the first one's. */
static int compare(char *engines, int batch, int runs, bool fused) {
    const size_t count = (size_t)batch * CLASSES;
    float *first = calloc(count, sizeof(float)), *other = calloc(count, sizeof(float));
    const char *first_name = NULL;
    int status = first && other ? 0 : 1;
    for (char *name = strtok(engines, ","); name && !status; name = strtok(NULL, ",")) {
        float *output = first_name ? other : first;
        status = infer_in_child(name, batch, runs, fused, output);
        if (status) break;
        if (!first_name) {
            first_name = name;
            continue;
        }
        const float worst = difference(first, other, count);
        const bool same = !memcmp(first, other, count * sizeof(float));
        printf("%s and %s: %s, largest relative difference %g\n", first_name, name,
               same ? "equal bits" : "different bits", (double)worst);
        if (!(worst < 1e-4f)) status = 1;
    }
    free(first);
    free(other);
    return status;
}

static int infer_one(const char *engine, int batch, int runs, bool fused) {
    float *output = calloc((size_t)batch * CLASSES, sizeof(float));
    if (!output) return 1;
    const struct result result = infer(engine, batch, runs, fused, output);
    print_result(engine, batch, result, output);
    const bool good = plausible(output, batch);
    if (!good) fprintf(stderr, "the output is wrong: probabilities do not sum to one\n");
    free(output);
    return good ? 0 : 1;
}

int main(int argc, char **argv) {
    char *positional[3] = {"cpu", "1", "20"}, *engines = NULL;
    int npositional = 0;
    bool fused = false;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--fused")) {
            fused = true;
        } else if (!strcmp(argv[i], "--compare") && i + 1 < argc) {
            engines = argv[++i];
            npositional = 1;
        } else if (npositional < 3 && argv[i][0] != '-') {
            positional[npositional++] = argv[i];
        } else {
            fprintf(stderr, "usage: %s [--fused] [ENGINE | --compare ENGINE,...] [BATCH] [RUNS]\n", argv[0]);
            return 1;
        }
    }
    const int batch = atoi(positional[1]), runs = atoi(positional[2]);
    if (batch < 1 || batch > 4096 || runs < 1) {
        fprintf(stderr, "BATCH must be 1 to 4096, RUNS at least 1\n");
        return 1;
    }
    return engines ? compare(engines, batch, runs, fused) : infer_one(positional[0], batch, runs, fused);
}
