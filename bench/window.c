/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One forward primitive with a sliding window, f32 or 8-bit, on the CPU engine:
 *
 *   bench_window KIND CHANNELS SIZE KERNEL STRIDE [LAYOUT]
 *
 * KIND: depthwise, convolution or u8 (a u8 x s8 -> u8 convolution with scales and a relu), with as many
 * output as input channels; max, average or training (max with its workspace). SIZE is the height and width
 * of the image, LAYOUT is nchw, nhwc or any. The image is padded so that the centre of the window can be on
 * its edge.
 *
 * Prints the microseconds of the best run.
 */
#include "bench.h"

#include <math.h>
#include <stdbool.h>

enum { RUNS = 300 };

enum kind { DEPTHWISE, CONVOLUTION, INT8, MAX, AVERAGE, TRAINING, KINDS };
static const char *const kind_names[KINDS] = {"depthwise", "convolution", "u8", "max", "average", "training"};

static const struct {
    const char *name;
    dnnl_format_tag_t tag;
} layouts[] = {{"any", dnnl_format_tag_any}, {"nchw", dnnl_nchw}, {"nhwc", dnnl_nhwc}};
enum { LAYOUTS = sizeof layouts / sizeof layouts[0] };

struct problem {
    enum kind kind;
    dnnl_format_tag_t tag;
    dnnl_dim_t channels, size, kernel, stride;
};

static dnnl_primitive_attr_t int8_attr(void) {
    dnnl_primitive_attr_t attr;
    dnnl_post_ops_t ops;
    CHECK(dnnl_primitive_attr_create(&attr));
    CHECK(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_SRC, 0));
    CHECK(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_WEIGHTS, 1));
    CHECK(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_DST, 0));
    CHECK(dnnl_post_ops_create(&ops));
    CHECK(dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_relu, 0, 0));
    CHECK(dnnl_primitive_attr_set_post_ops(attr, ops));
    CHECK(dnnl_post_ops_destroy(ops));
    return attr;
}

static dnnl_primitive_desc_t desc_of(dnnl_engine_t engine, const struct problem *p) {
    const dnnl_dim_t pad = p->kernel / 2, out = (p->size + 2 * pad - p->kernel) / p->stride + 1;
    const dnnl_dim_t c = p->channels, src_dims[] = {1, c, p->size, p->size}, dst_dims[] = {1, c, out, out};
    const dnnl_dim_t dense[] = {c, c, p->kernel, p->kernel}, narrow[] = {c, 1, 1, p->kernel, p->kernel};
    const dnnl_dims_t strides = {p->stride, p->stride}, kernel = {p->kernel, p->kernel}, pads = {pad, pad},
                      none = {0};
    bool bytes = p->kind == INT8;
    dnnl_memory_desc_t src = bench_desc(4, src_dims, bytes ? dnnl_u8 : dnnl_f32, p->tag),
                       dst = bench_desc(4, dst_dims, bytes ? dnnl_u8 : dnnl_f32, p->tag), weights = NULL,
                       bias = NULL;
    dnnl_primitive_attr_t attr = bytes ? int8_attr() : NULL;
    dnnl_primitive_desc_t pd;
    if (p->kind <= INT8) {
        weights = p->kind == DEPTHWISE
                          ? bench_desc(5, narrow, dnnl_f32, dnnl_format_tag_any)
                          : bench_desc(4, dense, bytes ? dnnl_s8 : dnnl_f32, dnnl_format_tag_any);
        bias = bench_desc(1, &c, dnnl_f32, dnnl_a);
        CHECK(dnnl_convolution_forward_primitive_desc_create(&pd, engine, dnnl_forward_inference,
                                                             dnnl_convolution_direct, src, weights, bias, dst,
                                                             strides, none, pads, pads, attr));
    } else {
        CHECK(dnnl_pooling_forward_primitive_desc_create(
                &pd, engine, p->kind == TRAINING ? dnnl_forward_training : dnnl_forward_inference,
                p->kind == AVERAGE ? dnnl_pooling_avg_exclude_padding : dnnl_pooling_max, src, dst, strides,
                kernel, none, pads, pads, NULL));
    }
    dnnl_memory_desc_t descs[] = {src, dst, weights, bias};
    for (int i = 0; i < 4; i++)
        CHECK(dnnl_memory_desc_destroy(descs[i]));
    if (attr) CHECK(dnnl_primitive_attr_destroy(attr));
    return pd;
}

/* Scales, whose descriptors not every library returns. */
static int scales_of(dnnl_engine_t engine, const struct problem *p, dnnl_exec_arg_t *args) {
    const dnnl_dim_t one = 1;
    const int names[] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST};
    for (int i = 0; i < 3; i++) {
        dnnl_memory_desc_t md = f32_desc(1, names[i] == DNNL_ARG_WEIGHTS ? &p->channels : &one, dnnl_a);
        args[i] = (dnnl_exec_arg_t){DNNL_ARG_ATTR_SCALES | names[i], f32_memory(engine, md)};
        CHECK(dnnl_memory_desc_destroy(md));
    }
    return 3;
}

/* Every argument of the primitive, filled with small numbers. */
static int arguments_of(dnnl_engine_t engine, const_dnnl_primitive_desc_t pd, dnnl_exec_arg_t *args) {
    static const int names[] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_BIAS, DNNL_ARG_DST,
                                DNNL_ARG_WORKSPACE};
    int count = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const_dnnl_memory_desc_t md = dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, names[i]);
        if (!md || dnnl_memory_desc_get_size(md) == 0) continue;
        args[count++] = (dnnl_exec_arg_t){names[i], f32_memory(engine, md)};
    }
    return count;
}

static double best_run(dnnl_stream_t stream, const_dnnl_primitive_desc_t pd, int nargs,
                       const dnnl_exec_arg_t *args) {
    dnnl_primitive_t primitive;
    double best = INFINITY;
    CHECK(dnnl_primitive_create(&primitive, pd));
    for (int run = 0; run < RUNS; run++) {
        const double start = now_us();
        CHECK(dnnl_primitive_execute(primitive, stream, nargs, args));
        CHECK(dnnl_stream_wait(stream));
        best = fmin(best, now_us() - start);
    }
    CHECK(dnnl_primitive_destroy(primitive));
    return best;
}

/* The index of a name, or `count` if unknown. */
static int find_kind(const char *name) {
    int i = 0;
    while (i < KINDS && strcmp(kind_names[i], name) != 0)
        i++;
    return i;
}

static int find_layout(const char *name) {
    int i = 0;
    while (i < LAYOUTS && strcmp(layouts[i].name, name) != 0)
        i++;
    return i;
}

int main(int argc, char **argv) {
    if (argc < 6) return 1;
    int kind = find_kind(argv[1]), layout = find_layout(argc > 6 ? argv[6] : "any");
    if (kind == KINDS || layout == LAYOUTS) return 1;
    const struct problem p = {(enum kind)kind, layouts[layout].tag, atoll(argv[2]),
                              atoll(argv[3]),  atoll(argv[4]),      atoll(argv[5])};
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_exec_arg_t args[8];
    CHECK(dnnl_engine_create(&engine, dnnl_cpu, 0));
    CHECK(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
    dnnl_primitive_desc_t pd = desc_of(engine, &p);
    int nargs = arguments_of(engine, pd, args);
    if (kind == INT8) nargs += scales_of(engine, &p, args + nargs);
    printf("%s %.1f us\n", kind_names[kind], best_run(stream, pd, nargs, args));
    for (int i = 0; i < nargs; i++)
        CHECK(dnnl_memory_destroy(args[i].memory));
    CHECK(dnnl_primitive_desc_destroy(pd));
    CHECK(dnnl_stream_destroy(stream));
    CHECK(dnnl_engine_destroy(engine));
    return 0;
}
