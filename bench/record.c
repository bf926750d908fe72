/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recorded against executed, on the first Level Zero device: 40 tiny primitives, and the eight layers of
 * AlexNet that have weights, one image. Executed: each is submitted to an immediate list; then the stream is
 * waited for. Recorded: a closed list is executed on a queue. Prints the best of several series for each, and
 * their ratio. The loader must find the library's driver: eval "$(lode-info --env)". Status 77: there is no
 * device.
 */
#include "bench.h"

#include "oneapi/dnnl/dnnl_ze.h"

#include <math.h>

enum { TINY = 40, MOST = 40, NO_DEVICE = 77 };

#define ZE_CHECK(call)                                                                                       \
    bench_check((call) == ZE_RESULT_SUCCESS ? dnnl_success : dnnl_runtime_error, __FILE__, __LINE__)

struct device {
    dnnl_engine_t engine;
    ze_context_handle_t context;
    ze_device_handle_t device;
};

struct step {
    dnnl_primitive_t primitive;
    int narg;
    dnnl_exec_arg_t args[4];
};

struct work {
    const char *name;
    int count;
    struct step steps[MOST];
};

static struct device open_device(void) {
    struct device d;
    if (zeInit(0) != ZE_RESULT_SUCCESS || !dnnl_engine_get_count(dnnl_gpu)) {
        printf("SKIP: no Level Zero device\n");
        exit(NO_DEVICE);
    }
    CHECK(dnnl_engine_create(&d.engine, dnnl_gpu, 0));
    CHECK(dnnl_ze_interop_engine_get_context(d.engine, &d.context));
    CHECK(dnnl_ze_interop_engine_get_device(d.engine, &d.device));
    return d;
}

/* A primitive of this descriptor with new memory for src, weights and dst. */
static void add_step(struct work *work, dnnl_engine_t engine, dnnl_primitive_desc_t pd) {
    static const struct {
        dnnl_query_t query;
        int arg;
    } rows[] = {{dnnl_query_src_md, DNNL_ARG_SRC},
                {dnnl_query_weights_md, DNNL_ARG_WEIGHTS},
                {dnnl_query_dst_md, DNNL_ARG_DST}};
    struct step *step = &work->steps[work->count++];
    for (int i = 0; i < 3; i++) {
        const_dnnl_memory_desc_t md = dnnl_primitive_desc_query_md(pd, rows[i].query, 0);
        if (!md || !dnnl_memory_desc_get_size(md)) continue;
        step->args[step->narg++] = (dnnl_exec_arg_t){rows[i].arg, f32_memory(engine, md)};
    }
    CHECK(dnnl_primitive_create(&step->primitive, pd));
    CHECK(dnnl_primitive_desc_destroy(pd));
}

static void add_tiny(struct work *work, dnnl_engine_t engine) {
    dnnl_memory_desc_t md = f32_desc(1, (dnnl_dim_t[]){16}, dnnl_a);
    dnnl_primitive_desc_t pd;
    for (int i = 0; i < TINY; i++) {
        CHECK(dnnl_eltwise_forward_primitive_desc_create(&pd, engine, dnnl_forward_inference,
                                                         dnnl_eltwise_relu, md, md, 0, 0, NULL));
        add_step(work, engine, pd);
    }
    CHECK(dnnl_memory_desc_destroy(md));
}

static void add_convolution(struct work *work, dnnl_engine_t engine, const dnnl_dim_t *shape) {
    const dnnl_dim_t ic = shape[0], oc = shape[1], in = shape[2], k = shape[3], stride = shape[4],
                     pad = shape[5];
    const dnnl_dim_t out = (in + 2 * pad - k) / stride + 1;
    dnnl_memory_desc_t src = f32_desc(4, (dnnl_dim_t[]){1, ic, in, in}, dnnl_format_tag_any),
                       weights = f32_desc(4, (dnnl_dim_t[]){oc, ic, k, k}, dnnl_format_tag_any),
                       dst = f32_desc(4, (dnnl_dim_t[]){1, oc, out, out}, dnnl_format_tag_any);
    const dnnl_dims_t strides = {stride, stride}, dilates = {0, 0}, padding = {pad, pad};
    dnnl_primitive_desc_t pd;
    CHECK(dnnl_convolution_forward_primitive_desc_create(&pd, engine, dnnl_forward_inference,
                                                         dnnl_convolution_direct, src, weights, NULL, dst,
                                                         strides, dilates, padding, padding, NULL));
    add_step(work, engine, pd);
    CHECK(dnnl_memory_desc_destroy(src));
    CHECK(dnnl_memory_desc_destroy(weights));
    CHECK(dnnl_memory_desc_destroy(dst));
}

static void add_inner_product(struct work *work, dnnl_engine_t engine, dnnl_dim_t ic, dnnl_dim_t oc) {
    dnnl_memory_desc_t src = f32_desc(2, (dnnl_dim_t[]){1, ic}, dnnl_format_tag_any),
                       weights = f32_desc(2, (dnnl_dim_t[]){oc, ic}, dnnl_format_tag_any),
                       dst = f32_desc(2, (dnnl_dim_t[]){1, oc}, dnnl_format_tag_any);
    dnnl_primitive_desc_t pd;
    CHECK(dnnl_inner_product_forward_primitive_desc_create(&pd, engine, dnnl_forward_inference, src, weights,
                                                           NULL, dst, NULL));
    add_step(work, engine, pd);
    CHECK(dnnl_memory_desc_destroy(src));
    CHECK(dnnl_memory_desc_destroy(weights));
    CHECK(dnnl_memory_desc_destroy(dst));
}

static void add_alexnet(struct work *work, dnnl_engine_t engine) {
    /* inputs, outputs, size, kernel, stride, padding */
    static const dnnl_dim_t convolutions[][6] = {{3, 96, 227, 11, 4, 0},
                                                 {96, 256, 27, 5, 1, 2},
                                                 {256, 384, 13, 3, 1, 1},
                                                 {384, 384, 13, 3, 1, 1},
                                                 {384, 256, 13, 3, 1, 1}};
    for (int i = 0; i < 5; i++)
        add_convolution(work, engine, convolutions[i]);
    add_inner_product(work, engine, 9216, 4096);
    add_inner_product(work, engine, 4096, 4096);
    add_inner_product(work, engine, 4096, 1000);
}

static void submit(const struct work *work, dnnl_stream_t stream) {
    for (int i = 0; i < work->count; i++)
        CHECK(dnnl_primitive_execute(work->steps[i].primitive, stream, work->steps[i].narg,
                                     work->steps[i].args));
}

static void measure(const struct work *work, const struct device *d, int series) {
    const ze_command_list_desc_t list_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
    const ze_command_queue_desc_t queue_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                                .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    ze_command_list_handle_t list;
    ze_command_queue_handle_t queue;
    dnnl_stream_t recorder, stream;
    double executed = INFINITY, recorded = INFINITY;
    ZE_CHECK(zeCommandListCreate(d->context, d->device, &list_desc, &list));
    ZE_CHECK(zeCommandQueueCreate(d->context, d->device, &queue_desc, &queue));
    CHECK(dnnl_ze_interop_stream_create(&recorder, d->engine, list, 0));
    CHECK(dnnl_stream_create(&stream, d->engine, dnnl_stream_default_flags));
    submit(work, recorder);
    ZE_CHECK(zeCommandListClose(list));
    for (int s = 0; s < series; s++) {
        double start = now_us();
        submit(work, stream);
        CHECK(dnnl_stream_wait(stream));
        executed = fmin(executed, now_us() - start);
        start = now_us();
        ZE_CHECK(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
        ZE_CHECK(zeCommandQueueSynchronize(queue, UINT64_MAX));
        recorded = fmin(recorded, now_us() - start);
    }
    printf("%s executed %.2f us, recorded %.2f us, ratio %.3f\n", work->name, executed, recorded,
           recorded / executed);
    ZE_CHECK(zeCommandQueueDestroy(queue));
    ZE_CHECK(zeCommandListDestroy(list));
    CHECK(dnnl_stream_destroy(recorder));
    CHECK(dnnl_stream_destroy(stream));
}

static void end(struct work *work) {
    for (int i = 0; i < work->count; i++) {
        for (int k = 0; k < work->steps[i].narg; k++)
            CHECK(dnnl_memory_destroy(work->steps[i].args[k].memory));
        CHECK(dnnl_primitive_destroy(work->steps[i].primitive));
    }
}

int main(void) {
    static struct work tiny = {.name = "tiny"}, alexnet = {.name = "alexnet"};
    struct device d = open_device();
    add_tiny(&tiny, d.engine);
    add_alexnet(&alexnet, d.engine);
    measure(&tiny, &d, 2000);
    measure(&alexnet, &d, 30);
    end(&tiny);
    end(&alexnet);
    CHECK(dnnl_engine_destroy(d.engine));
    return 0;
}
