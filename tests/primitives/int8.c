/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products of bytes on the whole range of bytes: matmul, inner product and convolution, every implementation
 * against plain loops. Sums are exact, so s32 results without attributes must be exact on every instruction
 * set; scales are not powers of two, and scaled results are held to the error bound.
 * Prints a hash of each result, which bits.cmake compares between numbers of threads; with PRINT_ONLY=1, that
 * is all.
 */
#include "primitives/harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char fast[] = "int8_"; /* how the names of the kernels for bytes begin */

/* A product as a convolution: matmul is one over a line of pixels, inner product one window. */
struct shape {
    dnnl_primitive_kind_t kind;
    const char *name;
    int groups; /* of a convolution; 0: none */
    dnnl_dim_t batch, inputs, outputs;
    dnnl_dim_t size, kernel, stride, dilation, padding;
};

static const struct shape shapes[] = {
        {dnnl_matmul, "single", 0, 1, 1, 1, 1, 1, 1, 0, 0},
        {dnnl_matmul, "row", 0, 1, 3, 33, 1, 1, 1, 0, 0},
        {dnnl_matmul, "whole tiles", 0, 1, 64, 64, 24, 1, 1, 0, 0},
        {dnnl_matmul, "odd", 0, 1, 67, 35, 13, 1, 1, 0, 0},
        {dnnl_matmul, "long", 0, 1, 1030, 33, 5, 1, 1, 0, 0},
        {dnnl_matmul, "batches", 0, 3, 20, 17, 5, 1, 1, 0, 0},
        {dnnl_matmul, "many rows", 0, 1, 36, 40, 1500, 1, 1, 0, 0},
        {dnnl_inner_product, "one image", 0, 1, 5, 40, 3, 3, 1, 0, 0},
        {dnnl_inner_product, "images", 0, 14, 12, 33, 2, 2, 1, 0, 0},
        {dnnl_convolution, "1x1", 0, 2, 32, 48, 6, 1, 1, 0, 0},
        {dnnl_convolution, "image", 0, 1, 3, 20, 13, 5, 2, 0, 0},
        {dnnl_convolution, "padded", 0, 2, 12, 35, 9, 3, 1, 0, 1},
        {dnnl_convolution, "dilated", 0, 1, 6, 32, 11, 3, 2, 1, 2},
        {dnnl_convolution, "wide padding", 0, 1, 4, 40, 3, 2, 3, 0, 4},
        {dnnl_convolution, "edges", 0, 1, 256, 33, 7, 3, 1, 0, 1},
        {dnnl_convolution, "edges with strides", 0, 1, 256, 16, 9, 3, 2, 1, 2},
        {dnnl_convolution, "wide edges", 0, 1, 256, 16, 3, 2, 1, 0, 4},
        {dnnl_convolution, "edges of one tap", 0, 1, 256, 40, 4, 1, 1, 0, 1},
        {dnnl_convolution, "several rows", 0, 16, 12, 33, 9, 1, 2, 0, 0},
        {dnnl_convolution, "several padded rows", 0, 16, 9, 16, 5, 3, 1, 0, 1},
        {dnnl_convolution, "several rows with edges", 0, 16, 256, 9, 3, 3, 1, 0, 1},
        {dnnl_convolution, "groups", 2, 1, 8, 24, 7, 3, 1, 0, 1},
        {dnnl_convolution, "depthwise", 10, 1, 1, 1, 7, 3, 1, 0, 1},
        {dnnl_convolution, "depthwise, whole vectors", 32, 2, 1, 1, 11, 3, 1, 0, 1},
        {dnnl_convolution, "depthwise, half a vector", 24, 1, 1, 1, 8, 3, 1, 0, 1},
        {dnnl_convolution, "depthwise without padding", 16, 1, 1, 1, 9, 3, 1, 0, 0},
        {dnnl_convolution, "depthwise, mostly padding", 16, 1, 1, 1, 1, 3, 1, 0, 1},
        {dnnl_convolution, "depthwise, 5x5", 40, 1, 1, 1, 13, 5, 1, 0, 2},
        {dnnl_convolution, "depthwise, 5x5, mostly padding", 16, 1, 1, 1, 2, 5, 1, 0, 2},
        {dnnl_convolution, "depthwise, 5x5 without padding", 24, 2, 1, 1, 11, 5, 1, 0, 0},
        {dnnl_convolution, "depthwise with strides", 16, 1, 1, 1, 9, 3, 2, 0, 1},
};

struct types {
    dnnl_data_type_t src, bias, dst;
};

static const struct types types[] = {
        {dnnl_u8, dnnl_data_type_undef, dnnl_s32},
        {dnnl_s8, dnnl_data_type_undef, dnnl_s32},
        {dnnl_u8, dnnl_f32, dnnl_u8},
        {dnnl_s8, dnnl_s32, dnnl_s8},
        {dnnl_s8, dnnl_bf16, dnnl_f32},
        {dnnl_u8, dnnl_s8, dnnl_bf16},
        {dnnl_s8, dnnl_f32, dnnl_f16},
        {dnnl_u8, dnnl_f32, dnnl_f32},
};

/* Masks are given as 1 and set to what the primitive takes. */
static const struct {
    bool slow; /* not for the fast kernel */
    struct attr_case c;
} attrs[] = {
        {false, {.name = "plain"}},
        {false, {.name = "scales", .src_scale = 0.011f, .weights_scale = 0.37f, .dst_scale = 0.7f}},
        {false,
         {.name = "zero points",
          .src_scale = 0.0037f,
          .weights_scale = 0.21f,
          .weights_mask = 1,
          .src_zero_point = 113,
          .dst_zero_point = -5,
          .ops = {{.kind = dnnl_eltwise, .alg = dnnl_eltwise_relu, .alpha = 0.3f}}}},
        {false,
         {.name = "post-ops",
          .src_scale = 0.0019f,
          .weights_scale = 0.13f,
          .weights_mask = 1,
          .host_scalars = true,
          .ops = {{.kind = dnnl_sum, .alpha = 0.3f},
                  {.kind = dnnl_binary, .alg = dnnl_binary_add, .mask = 3},
                  {.kind = dnnl_eltwise, .alg = dnnl_eltwise_relu}}}},
        {false,
         {.name = "sum and relu",
          .src_scale = 0.0023f,
          .weights_scale = 0.17f,
          .weights_mask = 1,
          .dst_scale = 0.6f,
          .ops = {{.kind = dnnl_sum, .alpha = 0.7f}, ELTWISE(dnnl_eltwise_relu, 0, 0)}}},
        {false,
         {.name = "sum and clip",
          .src_scale = 0.0031f,
          .weights_scale = 0.11f,
          .src_zero_point = 9,
          .dst_zero_point = 7,
          .dst_scale = -0.45f,
          .ops = {{.kind = dnnl_sum, .alpha = -0.3f, .zero_point = 11},
                  ELTWISE(dnnl_eltwise_clip, -20, 40)}}},
        {false,
         {.name = "sum of s8 and leaky relu",
          .src_scale = 0.0041f,
          .weights_scale = 0.23f,
          .ops = {{.kind = dnnl_sum, .alpha = 0.9f, .type = dnnl_s8}, ELTWISE(dnnl_eltwise_relu, 0.1f, 0)}}},
        {false,
         {.name = "relu before sum",
          .src_scale = 0.0017f,
          .dst_scale = 1.9f,
          .ops = {ELTWISE(dnnl_eltwise_relu, 0.2f, 0), {.kind = dnnl_sum, .alpha = 0.4f}}}},
        {false, {.name = "tiny scales", .src_scale = 0x1.3p-70f, .dst_scale = 0x1p-72f}},
        {false, {.name = "relu", .ops = {{.kind = dnnl_eltwise, .alg = dnnl_eltwise_relu}}}},
        {false, {.name = "src by row", .src_scale = 0.0029f, .src_mask = 1, .dst_scale = 1.3f}},
        {true, {.name = "zero point of weights", .weights_zero_point = 3}},
};

/* Bytes that tensors are filled with: at most so far from the middle of the type for weights, and from its
 * least value for src. Instruction sets whose products of bytes saturate take other ways for smaller ones:
 * these are as large as they may be, and one larger. */
static const struct range {
    const char *name;
    int src, weights;
} ranges[] = {
        {"all bytes", 255, 128}, {"half weights", 255, 64},   {"over half", 255, 65},
        {"half src", 127, 128},  {"over half src", 128, 128},
};

enum { SRC, WEIGHTS, BIAS, DST, ARRAYS };
struct problem {
    const struct shape *shape;
    struct array arrays[ARRAYS];
};

static dnnl_dim_t out_size(const struct shape *s) {
    return (s->size + 2 * s->padding - (s->kernel - 1) * (s->dilation + 1) - 1) / s->stride + 1;
}

/* Every byte from least to most, these two more often. */
static void fill_range(struct array *array, int least, int most, unsigned seed) {
    for (int64_t i = 0; i < array->count; i++) {
        seed = seed * 1664525u + 1013904223u;
        array->values[i] = seed >> 29 == 0   ? least
                           : seed >> 29 == 1 ? most
                                             : least + (int)(seed >> 16) % (most - least + 1);
    }
}

static void fill_bytes(struct array *array, unsigned seed) {
    int least = array->type == dnnl_u8 ? 0 : -128;
    fill_range(array, least, least + 255, seed);
}

static void fill_operands(struct problem *p, const struct range *range, unsigned seed) {
    int least = p->arrays[SRC].type == dnnl_u8 ? 0 : -128, most = range->weights;
    fill_range(&p->arrays[SRC], least, least + range->src, seed);
    fill_range(&p->arrays[WEIGHTS], -most, most < 128 ? most : 127, seed + 1);
}

static struct problem problem_new(const struct shape *s, const struct types *t, const struct range *range,
                                  unsigned seed) {
    struct problem p = {.shape = s};
    dnnl_dim_t groups = s->groups ? s->groups : 1, out = out_size(s);
    int g = s->groups ? 1 : 0, line = s->batch > 1 ? 1 : 0;
    dnnl_dims_t src = {s->batch, groups * s->inputs, s->size, s->size};
    dnnl_dims_t dst = {s->batch, groups * s->outputs, out, out}, bias = {groups * s->outputs};
    dnnl_dims_t weights = {groups};
    int src_dims = 4, weights_dims = 4 + g, dst_dims = 4, bias_dims = 1;
    memcpy(weights + g, (dnnl_dims_t){s->outputs, s->inputs, s->kernel, s->kernel}, 4 * sizeof(dnnl_dim_t));
    if (s->kind == dnnl_inner_product) dst_dims = 2;
    if (s->kind == dnnl_matmul) {
        src_dims = weights_dims = dst_dims = bias_dims = 2 + line;
        memcpy(src, (dnnl_dims_t){s->batch, s->size, s->inputs} + 1 - line, 3 * sizeof(dnnl_dim_t));
        memcpy(weights, (dnnl_dims_t){s->batch, s->inputs, s->outputs} + 1 - line, 3 * sizeof(dnnl_dim_t));
        memcpy(dst, (dnnl_dims_t){s->batch, s->size, s->outputs} + 1 - line, 3 * sizeof(dnnl_dim_t));
        memcpy(bias, (dnnl_dims_t){1, 1, s->outputs} + 1 - line, 3 * sizeof(dnnl_dim_t));
    }
    p.arrays[SRC] = array_new(src_dims, src, t->src);
    p.arrays[WEIGHTS] = array_new(weights_dims, weights, dnnl_s8);
    p.arrays[DST] = array_new(dst_dims, dst, t->dst);
    fill_operands(&p, range, seed);
    if (t->bias) p.arrays[BIAS] = array_new(bias_dims, bias, t->bias);
    if (t->bias) array_fill(&p.arrays[BIAS], 100, seed + 2);
    return p;
}

static void problem_free(struct problem *p) {
    for (int i = 0; i < ARRAYS; i++)
        array_free(&p->arrays[i]);
}

static double product(const struct problem *p, const struct attr_run *run, const dnnl_dim_t *src,
                      const dnnl_dim_t *weights) {
    return (array_at(&p->arrays[SRC], src) - attr_run_src_zero(run, src))
           * (array_at(&p->arrays[WEIGHTS], weights) - run->c->weights_zero_point);
}

static struct sum matmul_sum(const struct problem *p, const struct attr_run *run, const dnnl_dim_t *out) {
    int n = p->arrays[DST].ndims - 1;
    struct sum sum = {0};
    for (dnnl_dim_t k = 0; k < p->shape->inputs; k++) {
        dnnl_dims_t src = {out[0], out[1]}, weights = {out[0], out[1], out[2]};
        src[n] = weights[n - 1] = k;
        weights[n] = out[n];
        sum_add(&sum, product(p, run, src, weights));
    }
    return sum;
}

static struct sum window_sum(const struct problem *p, const struct attr_run *run, const dnnl_dim_t *out) {
    const struct shape *s = p->shape;
    bool spatial = s->kind == dnnl_convolution;
    dnnl_dim_t group = out[1] / s->outputs, y = spatial ? out[2] * s->stride - s->padding : 0,
               x = spatial ? out[3] * s->stride - s->padding : 0;
    struct sum sum = {0};
    for (dnnl_dim_t i = 0; i < s->inputs; i++)
        for (dnnl_dim_t h = 0; h < s->kernel; h++)
            for (dnnl_dim_t w = 0; w < s->kernel; w++) {
                dnnl_dims_t src = {out[0], group * s->inputs + i, y + h * (s->dilation + 1),
                                   x + w * (s->dilation + 1)};
                dnnl_dims_t weights = {group};
                memcpy(weights + (s->groups ? 1 : 0), (dnnl_dims_t){out[1] % s->outputs, i, h, w},
                       4 * sizeof(dnnl_dim_t));
                if (src[2] < 0 || src[2] >= s->size || src[3] < 0 || src[3] >= s->size) continue;
                sum_add(&sum, product(p, run, src, weights));
            }
    return sum;
}

/* True if the results are the sums themselves. */
static bool is_bare(const struct problem *p, const struct attr_run *run) {
    return !p->arrays[BIAS].values && !strcmp(run->c->name, "plain");
}

static void reference(struct problem *p, const struct attr_run *run, struct array *error) {
    struct array *dst = &p->arrays[DST];
    bool matmul = p->shape->kind == dnnl_matmul;
    dnnl_dims_t out = {0};
    do {
        struct sum sum = matmul ? matmul_sum(p, run, out) : window_sum(p, run, out);
        dnnl_dim_t channel = out[matmul ? dst->ndims - 1 : 1];
        double bias = p->arrays[BIAS].values ? p->arrays[BIAS].values[channel] : 0;
        struct bounded x = sum_of_products(&sum, true, bias);
        store_bounded(attr_run_apply(run, x, bias, channel, out), array_index(dst, out), dst, error);
    } while (next_position(dst->ndims, dst->dims, out));
}

static void accept_anything(struct array *error) {
    for (int64_t i = 0; i < error->count; i++)
        error->values[i] = INFINITY;
}

static dnnl_status_t desc_new(dnnl_primitive_desc_t *pd, const struct problem *p, bool plain,
                              const_dnnl_primitive_attr_t attr) {
    static const char *const tags[] = {"a", "ab", "abc", "abcd", "abcde"};
    const struct shape *s = p->shape;
    dnnl_memory_desc_t md[ARRAYS] = {0};
    for (int i = 0; i < ARRAYS; i++) {
        const struct array *array = &p->arrays[i];
        bool decided = i == BIAS || (plain && i == WEIGHTS);
        if (array->values) md[i] = md_of(array, decided ? tags[array->ndims - 1] : NULL);
    }
    dnnl_status_t status;
    if (s->kind == dnnl_matmul)
        status = dnnl_matmul_primitive_desc_create(pd, test_engine(), md[SRC], md[WEIGHTS], md[BIAS], md[DST],
                                                   attr);
    else if (s->kind == dnnl_inner_product)
        status = dnnl_inner_product_forward_primitive_desc_create(
                pd, test_engine(), dnnl_forward_inference, md[SRC], md[WEIGHTS], md[BIAS], md[DST], attr);
    else
        status = dnnl_convolution_forward_primitive_desc_create(
                pd, test_engine(), dnnl_forward_inference, dnnl_convolution_direct, md[SRC], md[WEIGHTS],
                md[BIAS], md[DST], (dnnl_dims_t){s->stride, s->stride},
                (dnnl_dims_t){s->dilation, s->dilation}, (dnnl_dims_t){s->padding, s->padding},
                (dnnl_dims_t){s->padding, s->padding}, attr);
    for (int i = 0; i < ARRAYS; i++)
        dnnl_memory_desc_destroy(md[i]);
    return status;
}

static bool takes(const struct shape *s, const struct types *t, const struct attr_case *c) {
    bool matmul = s->kind == dnnl_matmul;
    if (c->ops[0].type && t->dst != dnnl_u8 && t->dst != dnnl_s8) return false;
    if (c->ops[0].zero_point && !is_integer(t->dst)) return false;
    if (s->kind == dnnl_inner_product && (c->src_zero_point || c->dst_zero_point)) return false;
    if (c->weights_zero_point && s->kind == dnnl_inner_product) return false;
    return matmul || !c->src_mask;
}

static struct attr_case with_masks(const struct attr_case *c, const struct shape *s) {
    struct attr_case result = *c;
    int ndims = s->batch > 1 ? 3 : 2;
    bool matmul = s->kind == dnnl_matmul;
    if (c->weights_mask) result.weights_mask = matmul ? 1 << (ndims - 1) : s->groups ? 3 : 1;
    if (c->src_mask) result.src_mask = 1 << (ndims - 2);
    return result;
}

/* For few rows, weights are not copied for the kernel for bytes. */
static bool is_few(const struct shape *s) {
    enum { FEW = 4 };
    return s->kind == dnnl_matmul && s->size <= FEW;
}

static void run(const struct shape *s, int t, int a, const struct range *range, bool plain) {
    struct attr_case c = with_masks(&attrs[a].c, s);
    struct problem p = problem_new(s, &types[t], range, (unsigned)(t + 10 * a));
    struct array error = array_like(&p.arrays[DST], dnnl_f64);
    struct attr_run attr;
    char what[128];
    const char *info = "";
    dnnl_primitive_desc_t pd = NULL;
    snprintf(what, sizeof what, "%s, types %d, %s, %s%s", s->name, t, c.name, range->name,
             plain ? ", plain weights" : "");
    attr_run_init(&attr, &c, &p.arrays[SRC], &p.arrays[WEIGHTS], &p.arrays[DST]);
    if (p.arrays[DST].type == dnnl_u8 || p.arrays[DST].type == dnnl_s8)
        fill_bytes(&attr.previous, (unsigned)(s->inputs + a));
    const bool print_only = getenv("PRINT_ONLY");
    if (print_only)
        accept_anything(&error);
    else
        reference(&p, &attr, &error);
    bool exact = !print_only && is_bare(&p, &attr) && p.arrays[DST].type == dnnl_s32;
    dnnl_status_t status = desc_new(&pd, &p, plain, attr.attr);
    dnnl_primitive_desc_query(pd, dnnl_query_impl_info_str, 0, &info);
    bool slow = attrs[a].slow || (plain && is_few(s));
    if ((strncmp(info, fast, strlen(fast)) == 0) == slow) failure("%s is computed by %s", what, info);
    results_hash = 0;
    run_implementations(
            status, pd,
            &(struct test_run){.what = what,
                               .attr = &attr,
                               .inputs = {{DNNL_ARG_SRC, &p.arrays[SRC]},
                                          {DNNL_ARG_WEIGHTS, &p.arrays[WEIGHTS]},
                                          {DNNL_ARG_BIAS, &p.arrays[BIAS]}},
                               .outputs = {{DNNL_ARG_DST, &p.arrays[DST], .error = exact ? NULL : &error,
                                            .before = attr_run_before(&attr)}}});
    printf("%s: %016llx\n", what, (unsigned long long)results_hash);
    attr_run_free(&attr);
    array_free(&error);
    problem_free(&p);
}

int main(void) {
    for (int s = 0; s < COUNT(shapes); s++)
        for (int t = 0; t < COUNT(types); t++)
            for (int a = 0; a < COUNT(attrs); a++)
                if ((s + t + a) % 2 == 0 && takes(&shapes[s], &types[t], &attrs[a].c))
                    run(&shapes[s], t, a, &ranges[0], (s + t + a) % 3 == 0);
    for (int s = 0; s < COUNT(shapes); s++)
        for (int r = 1; r < COUNT(ranges); r++)
            run(&shapes[s], r % 2, 0, &ranges[r], false);
    return failures ? 1 : 0;
}
