/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forward convolution against plain loops: shapes x types x attributes x layouts, on every implementation
 * that takes the problem.
 */
#include "primitives/product.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

struct shape {
    int nspatial, groups;              /* groups 0: weights have no such dimension */
    dnnl_dim_t batch, inputs, outputs; /* channels of a group */
    dnnl_dims_t in, kernel, stride, dilation, left, right;
};

static const struct shape shapes[] = {
        {2, 0, 2, 3, 5, {7, 6}, {3, 3}, {1, 1}, {0, 0}, {1, 1}, {1, 1}},
        {2, 0, 1, 17, 33, {5, 5}, {1, 1}, {1, 1}, {0, 0}, {0, 0}, {0, 0}},
        {2, 0, 1, 4, 6, {9, 11}, {3, 2}, {2, 3}, {1, 2}, {2, 0}, {1, 3}},
        {2, 3, 2, 2, 4, {6, 5}, {2, 3}, {1, 2}, {0, 0}, {0, 1}, {1, 0}},
        {2, 8, 1, 1, 1, {6, 6}, {3, 3}, {1, 1}, {1, 1}, {2, 2}, {2, 2}},
        {1, 0, 2, 5, 3, {12}, {4}, {2}, {0}, {1}, {2}},
        {1, 2, 1, 3, 2, {9}, {3}, {1}, {2}, {0}, {0}},
        {3, 0, 1, 3, 4, {4, 5, 6}, {2, 3, 2}, {1, 2, 1}, {0, 0, 1}, {1, 1, 0}, {0, 1, 1}},
        {3, 2, 2, 2, 3, {3, 3, 4}, {3, 1, 2}, {1, 1, 2}, {0, 0, 0}, {1, 0, 0}, {1, 0, 0}},
        {2, 0, 1, 2, 3, {2, 3}, {3, 4}, {2, 2}, {0, 0}, {0, 0}, {0, 0}}, /* a window larger than the image */
        {2, 0, 0, 2, 3, {4, 4}, {3, 3}, {1, 1}, {0, 0}, {1, 1}, {1, 1}}, /* an empty batch */
        {2, 1, 1, 16, 32, {8, 8}, {3, 3}, {1, 1}, {0, 0}, {1, 1}, {1, 1}},
        {2, 0, 1, 20, 70, {5, 7}, {3, 3}, {1, 1}, {0, 0}, {1, 1}, {1, 1}},
        {2, 2, 2, 6, 34, {5, 6}, {1, 2}, {1, 1}, {0, 0}, {0, 0}, {0, 0}},
        /* depthwise */
        {2, 37, 2, 1, 1, {6, 13}, {3, 3}, {1, 1}, {0, 0}, {1, 1}, {1, 1}},
        {2, 48, 1, 1, 1, {7, 20}, {3, 5}, {2, 2}, {0, 1}, {1, 4}, {2, 3}},
        {2, 17, 1, 1, 1, {2, 45}, {1, 3}, {1, 1}, {0, 0}, {0, 0}, {0, 1}},
        {2, 273, 2, 1, 1, {3, 5}, {3, 2}, {1, 1}, {0, 0}, {1, 1}, {1, 0}},
        {2, 33, 1, 1, 1, {3, 2}, {3, 3}, {1, 1}, {2, 1}, {4, 3}, {4, 5}}, /* some windows see only padding */
        {1, 21, 2, 1, 1, {15}, {4}, {1}, {0}, {2}, {1}},
        {3, 19, 1, 1, 1, {3, 4, 9}, {2, 3, 3}, {1, 2, 1}, {0, 0, 1}, {1, 1, 2}, {1, 1, 2}},
};

static const struct product_types types[] = {
        {dnnl_f32, dnnl_f32, dnnl_f32, dnnl_f32},
        {dnnl_f32, dnnl_f32, dnnl_data_type_undef, dnnl_f32},
        {dnnl_f32, dnnl_f32, dnnl_f32, dnnl_s8},
        {dnnl_f32, dnnl_bf16, dnnl_f32, dnnl_f32},
        {dnnl_bf16, dnnl_bf16, dnnl_bf16, dnnl_bf16},
        {dnnl_bf16, dnnl_bf16, dnnl_f32, dnnl_f32},
        {dnnl_f16, dnnl_f16, dnnl_f16, dnnl_f16},
        {dnnl_f16, dnnl_f16, dnnl_f32, dnnl_f32},
        {dnnl_f16, dnnl_f16, dnnl_f32, dnnl_u8},
        {dnnl_f64, dnnl_f64, dnnl_f64, dnnl_f64},
        {dnnl_f8_e5m2, dnnl_f8_e4m3, dnnl_f32, dnnl_f32},
        {dnnl_f8_e4m3, dnnl_f8_e4m3, dnnl_f16, dnnl_bf16},
        {dnnl_s8, dnnl_s8, dnnl_s32, dnnl_s32},
        {dnnl_u8, dnnl_s8, dnnl_data_type_undef, dnnl_s32},
        {dnnl_u8, dnnl_s8, dnnl_f32, dnnl_u8},
        {dnnl_s8, dnnl_s8, dnnl_s8, dnnl_s8},
        {dnnl_u8, dnnl_s8, dnnl_bf16, dnnl_f32},
};

static const struct product_attr attrs[] = {
        {FOR_ALL, {.name = "plain"}},
        {FOR_ALL, {.name = "relu", .ops = {ELTWISE(dnnl_eltwise_relu, 0.5f, 0)}}},
        {FOR_ALL, {.name = "clip", .ops = {ELTWISE(dnnl_eltwise_clip, -1, 6)}}},
        {FOR_ALL, {.name = "sum", .ops = {{.kind = dnnl_sum, .alpha = 0.5f}}}},
        {FOR_ALL, {.name = "binary", .ops = {BINARY(dnnl_binary_add, 2), BINARY(dnnl_binary_max, -1)}}},
        {FOR_ALL, {.name = "prelu", .ops = {{.kind = dnnl_prelu, .mask = 2}}}},
        {FOR_ALL,
         {.name = "many",
          .ops = {ELTWISE(dnnl_eltwise_linear, 0.5f, 1),
                  BINARY(dnnl_binary_sub, 0),
                  BINARY(dnnl_binary_min, 3),
                  BINARY(dnnl_binary_add, -1),
                  BINARY(dnnl_binary_add, 2),
                  BINARY(dnnl_binary_sub, 6),
                  BINARY(dnnl_binary_max, 1),
                  BINARY(dnnl_binary_add, 5),
                  BINARY(dnnl_binary_add, 7),
                  {.kind = dnnl_sum, .alpha = 2},
                  ELTWISE(dnnl_eltwise_abs, 0, 0)}}},
        PRODUCT_FUNCTIONS,
        {FOR_INTEGERS, {.name = "scales", .src_scale = 0.5f, .weights_scale = 0.25f, .dst_scale = 2}},
        {FOR_INTEGERS,
         {.name = "scales by channel",
          .src_scale = 0.5f,
          .weights_scale = 0.25f,
          .weights_mask = -1,
          .dst_scale = 0.5f,
          .dst_mask = 2,
          .ops = {ELTWISE(dnnl_eltwise_relu, 0, 0)}}},
        {FOR_INTEGERS,
         {.name = "zero points",
          .src_zero_point = 2,
          .dst_zero_point = 3,
          .src_scale = 0.5f,
          .dst_scale = 2}},
        {FOR_INTEGERS,
         {.name = "zero points by channel",
          .src_zero_point = 1,
          .src_zero_mask = 2,
          .dst_zero_point = -2,
          .dst_zero_mask = 2,
          .weights_zero_point = 1}},
        {FOR_INTEGERS,
         {.name = "host scalars",
          .src_scale = 0.5f,
          .weights_scale = 0.5f,
          .dst_scale = 4,
          .src_zero_point = 1,
          .dst_zero_point = 5,
          .host_scalars = true,
          .ops = {{.kind = dnnl_sum, .alpha = 1}}}},
};

/* Layouts of src, weights and dst by number of spatial dimensions; NULL is `any`. */
static const char *const image_tags[PRODUCT_LAYOUTS][4] = {{NULL},
                                                           {0, "abc", "abcd", "abcde"},
                                                           {0, "acb", "acdb", "acdeb"},
                                                           {0, "aBc16b", "aBcd8b", "aBcde16b"}};
static const char *const weights_tags[2][PRODUCT_LAYOUTS][4] = {
        {{NULL},
         {0, "abc", "abcd", "abcde"},
         {0, "bca", "cdba", "cdeba"},
         {0, "ABc16b16a", "ABcd8b8a", "ABcde4b4a"}},
        {{NULL},
         {0, "abcd", "abcde", "abcdef"},
         {0, "adcb", "decab", "abdefc"},
         {0, "aBCd4c4b", "aBCde8b8c", "aBcdef16b"}},
};

static dnnl_dim_t out_size(const struct shape *s, int i) {
    dnnl_dim_t extent = (s->kernel[i] - 1) * (s->dilation[i] + 1) + 1;
    return (s->in[i] - extent + s->left[i] + s->right[i]) / s->stride[i] + 1;
}

static struct product make(int shape, const struct product_types *t) {
    const struct shape *s = &shapes[shape];
    struct product p = {.shape = s, .by_channel = s->groups ? 3 : 1};
    int n = s->nspatial, g = s->groups ? 1 : 0;
    dnnl_dim_t groups = s->groups ? s->groups : 1;
    dnnl_dims_t src = {s->batch, groups * s->inputs}, dst = {s->batch, groups * s->outputs},
                weights = {groups};
    weights[g] = s->outputs;
    weights[g + 1] = s->inputs;
    for (int i = 0; i < n; i++) {
        src[2 + i] = s->in[i];
        dst[2 + i] = out_size(s, i);
        weights[g + 2 + i] = s->kernel[i];
    }
    p.src = array_new(n + 2, src, t->src);
    p.weights = array_new(n + 2 + g, weights, t->weights);
    p.dst = array_new(n + 2, dst, t->dst);
    if (t->bias) p.bias = array_new(1, &dst[1], t->bias);
    return p;
}

/* The sum at one position of dst. */
static struct sum convolve(const struct product *p, const struct attr_run *run, const dnnl_dim_t *out) {
    const struct shape *s = p->shape;
    dnnl_dim_t group = out[1] / s->outputs;
    dnnl_dims_t src = {out[0]}, weights = {group}, tap = {0};
    dnnl_dim_t taps[4] = {s->inputs, 1, 1, 1}, *w = weights + (s->groups ? 1 : 0);
    struct sum sum = {0};
    for (int i = 0; i < s->nspatial; i++)
        taps[1 + i] = s->kernel[i];
    do {
        bool inside = true;
        w[0] = out[1] - group * s->outputs;
        w[1] = tap[0];
        src[1] = group * s->inputs + tap[0];
        for (int i = 0; i < s->nspatial; i++) {
            w[2 + i] = tap[1 + i];
            src[2 + i] = out[2 + i] * s->stride[i] - s->left[i] + tap[1 + i] * (s->dilation[i] + 1);
            inside = inside && src[2 + i] >= 0 && src[2 + i] < s->in[i];
        }
        if (!inside) continue;
        double x = array_at(&p->src, src) - attr_run_src_zero(run, src);
        sum_add(&sum, x * (array_at(&p->weights, weights) - run->c->weights_zero_point));
    } while (next_position(1 + s->nspatial, taps, tap));
    return sum;
}

static void reference(struct product *p, const struct attr_run *run, struct array *error) {
    dnnl_dims_t out = {0};
    if (p->dst.count == 0) return;
    do {
        struct sum sum = convolve(p, run, out);
        double bias = p->bias.values ? p->bias.values[out[1]] : 0;
        product_store(p, run, &sum, bias, out[1], out, error);
    } while (next_position(p->dst.ndims, p->dst.dims, out));
}

static struct product_tags tags_of(const struct product *p, int layout) {
    const struct shape *s = p->shape;
    const char *image = image_tags[layout][s->nspatial];
    return (struct product_tags){image, weights_tags[s->groups > 0][layout][s->nspatial], layout ? "a" : NULL,
                                 image};
}

static dnnl_status_t create(dnnl_primitive_desc_t *pd, const struct product *p, const struct product_mds *md,
                            const_dnnl_primitive_attr_t attr) {
    const struct shape *s = p->shape;
    return dnnl_convolution_forward_primitive_desc_create(
            pd, test_engine(), dnnl_forward_inference, dnnl_convolution_direct, md->src, md->weights,
            md->bias, md->dst, s->stride, s->dilation, s->left, s->right, attr);
}

static const struct product_suite suite = {.ntypes = COUNT(types),
                                           .nshapes = COUNT(shapes),
                                           .nattrs = COUNT(attrs),
                                           .types = types,
                                           .attrs = attrs,
                                           .make = make,
                                           .reference = reference,
                                           .tags = tags_of,
                                           .create = create};

int main(void) {
    const struct CMUnitTest tests[] = {PRODUCT_TESTS(&suite)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
