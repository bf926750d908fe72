/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions and deconvolutions as plain loops: see images.h. */
#include "primitives/images.h"

const struct product_types images_types[IMAGES_TYPES] = {
        {dnnl_f32, dnnl_f32, dnnl_f32, dnnl_f32},
        {dnnl_f32, dnnl_f32, dnnl_data_type_undef, dnnl_f32},
        {dnnl_f32, dnnl_f32, dnnl_f32, dnnl_s8},
        {dnnl_f32, dnnl_bf16, dnnl_f32, dnnl_f32},
        {dnnl_f32, dnnl_f32, dnnl_f16, dnnl_bf16},
        {dnnl_bf16, dnnl_f8_e4m3, dnnl_s8, dnnl_f8_e5m2},
        {dnnl_f64, dnnl_f64, dnnl_f32, dnnl_f64},
        {dnnl_s8, dnnl_s8, dnnl_f8_e4m3, dnnl_f8_e4m3},
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

const struct product_attr images_attrs[] = {
        {FOR_ALL, {.name = "plain"}},
        {FOR_ALL, {.name = "relu", .ops = {ELTWISE(dnnl_eltwise_relu, 0.5f, 0)}}},
        {FOR_ALL, {.name = "clip", .ops = {ELTWISE(dnnl_eltwise_clip, -1, 6)}}},
        {FOR_ALL, {.name = "sum", .ops = {{.kind = dnnl_sum, .alpha = 0.5f}}}},
        {FOR_ALL,
         {.name = "whole sum and relu",
          .ops = {{.kind = dnnl_sum, .alpha = 1}, ELTWISE(dnnl_eltwise_relu, 0, 0)}}},
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
          .dst_zero_mask = 2}},
        {FOR_INTEGERS,
         {.name = "host scalars",
          .src_scale = 0.5f,
          .weights_scale = 0.5f,
          .dst_scale = 4,
          .src_zero_point = 1,
          .dst_zero_point = 5,
          .host_scalars = true,
          .ops = {{.kind = dnnl_sum, .alpha = 1}}}},
        {FOR_INTEGERS,
         {.name = "scales of dst by channel", .src_scale = 0.5f, .dst_scale = 0.5f, .dst_mask = 2}},
        {FOR_INTEGERS, {.name = "zero point of weights", .src_zero_point = 1, .weights_zero_point = 1}},
};
_Static_assert(COUNT(images_attrs) == IMAGES_ATTRS, "a row for each of them");

const struct shape backward_shapes[BACKWARD_SHAPES] = {
        {2, 0, 1, 1, 1, {3, 3}, {1, 1}, {1, 1}, {0, 0}, {0, 0}, {0, 0}, false},
        {2, 0, 2, 3, 5, {6, 5}, {3, 3}, {1, 1}, {0, 0}, {1, 1}, {1, 1}, false},
        {2, 0, 2, 35, 20, {7, 9}, {3, 3}, {1, 1}, {0, 0}, {1, 1}, {1, 1}, false},
        {2, 0, 1, 20, 17, {9, 8}, {3, 3}, {2, 2}, {0, 0}, {1, 1}, {1, 1}, false}, /* a row is never read */
        {2, 0, 2, 33, 17, {6, 4}, {1, 1}, {2, 2}, {0, 0}, {0, 0}, {0, 0}, false}, /* most are never read */
        {2, 0, 1, 16, 32, {10, 12}, {3, 2}, {1, 3}, {1, 2}, {2, 0}, {1, 3}, false},
        {2, 0, 1, 34, 8, {7, 15}, {3, 5}, {2, 4}, {1, 1}, {2, 3}, {1, 0}, false},
        {2, 3, 2, 4, 2, {5, 8}, {2, 3}, {1, 2}, {0, 0}, {0, 1}, {1, 0}, false},
        {2, 2, 1, 34, 8, {7, 6}, {4, 3}, {2, 1}, {0, 0}, {1, 1}, {1, 1}, false},
        {1, 0, 2, 19, 5, {13}, {4}, {2}, {0}, {1}, {2}, false},
        {1, 2, 1, 18, 4, {17}, {3}, {3}, {2}, {0}, {1}, false},
        {3, 0, 1, 20, 3, {4, 6, 7}, {2, 3, 2}, {1, 2, 2}, {0, 0, 1}, {1, 1, 0}, {0, 1, 1}, false},
        {3, 2, 2, 17, 4, {5, 2, 7}, {3, 1, 4}, {2, 1, 2}, {0, 0, 0}, {1, 0, 1}, {1, 0, 1}, false},
        {2, 0, 0, 2, 3, {4, 4}, {3, 3}, {1, 1}, {0, 0}, {1, 1}, {1, 1}, false}, /* an empty batch */
        {2, 0, 1, 3, 4, {3, 2}, {5, 4}, {7, 5}, {0, 0}, {1, 2}, {1, 0}, false}, /* one position of dst */
        /* few input channels */
        {2, 0, 2, 3, 17, {23, 27}, {11, 11}, {4, 4}, {0, 0}, {0, 0}, {0, 0}, false},
        {2, 0, 1, 3, 20, {11, 30}, {7, 7}, {2, 2}, {0, 0}, {3, 3}, {2, 2}, false},
        {2, 0, 1, 3, 18, {32, 51}, {16, 16}, {16, 16}, {0, 0}, {0, 0}, {0, 0}, false},
        {2, 0, 1, 3, 16, {6, 70}, {3, 3}, {1, 1}, {0, 0}, {1, 1}, {1, 1}, false},
        {2, 0, 1, 1, 20, {5, 48}, {5, 5}, {1, 1}, {0, 0}, {2, 2}, {2, 2}, false},
        {2, 0, 1, 8, 16, {4, 39}, {2, 9}, {3, 2}, {1, 0}, {0, 1}, {1, 3}, false},
        {1, 0, 2, 2, 19, {29}, {5}, {3}, {0}, {6}, {2}, false},
        {3, 0, 1, 3, 5, {4, 5, 9}, {3, 3, 3}, {2, 2, 2}, {0, 1, 0}, {1, 1, 1}, {1, 1, 1}, false},
        {2, 0, 1, 5, 17, {6, 2}, {3, 6}, {2, 4}, {0, 0}, {1, 2}, {1, 2}, false}, /* shorter than a stride */
        {2, 0, 1, 16, 20, {36, 32}, {9, 8}, {9, 8}, {0, 0}, {0, 0}, {0, 0}, false}, /* 72 parts of some size
                                                                                     */
        /* depthwise */
        {2, 37, 2, 1, 1, {8, 14}, {4, 4}, {2, 2}, {0, 0}, {1, 1}, {1, 1}, false},
        {2, 17, 1, 1, 1, {5, 11}, {3, 3}, {1, 1}, {0, 1}, {1, 2}, {1, 2}, false},
        {2, 3, 2, 1, 1, {9, 51}, {3, 3}, {1, 1}, {0, 0}, {1, 2}, {0, 1}, false}, /* long rows */
        {1, 21, 2, 1, 1, {17}, {5}, {3}, {0}, {2}, {1}, false},
        {3, 19, 1, 1, 1, {3, 5, 8}, {2, 3, 3}, {1, 2, 2}, {0, 0, 1}, {1, 1, 2}, {0, 1, 1}, false},
        /* deconvolution */
        {2, 0, 2, 5, 3, {4, 5}, {3, 3}, {1, 1}, {0, 0}, {1, 1}, {1, 1}, true},
        {2, 0, 1, 35, 20, {3, 4}, {4, 4}, {2, 2}, {0, 0}, {1, 1}, {1, 1}, true},
        {2, 0, 1, 6, 4, {4, 3}, {3, 2}, {2, 3}, {1, 2}, {2, 0}, {1, 1}, true},
        {2, 2, 1, 34, 8, {3, 4}, {4, 3}, {2, 1}, {0, 0}, {1, 1}, {1, 1}, true},
        {2, 3, 2, 4, 2, {3, 4}, {2, 3}, {1, 2}, {0, 0}, {0, 1}, {1, 0}, true},
        {1, 0, 2, 19, 5, {6}, {4}, {2}, {0}, {1}, {2}, true},
        {3, 2, 2, 17, 4, {2, 2, 3}, {3, 1, 4}, {2, 1, 2}, {0, 0, 0}, {1, 0, 1}, {1, 0, 1}, true},
        {2, 0, 0, 2, 3, {4, 4}, {3, 3}, {1, 1}, {0, 0}, {1, 1}, {1, 1}, true}, /* an empty batch */
        {2, 37, 2, 1, 1, {4, 7}, {4, 4}, {2, 2}, {0, 0}, {1, 1}, {1, 1}, true},
        {1, 21, 2, 1, 1, {7}, {5}, {3}, {0}, {2}, {1}, true},
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
    if (s->transposed) return (s->in[i] - 1) * s->stride[i] + extent - s->left[i] - s->right[i];
    return (s->in[i] - extent + s->left[i] + s->right[i]) / s->stride[i] + 1;
}

struct product images_make(const struct shape *s, const struct product_types *t) {
    struct product p = {.shape = s, .channels = 1, .by_channel = s->groups ? 3 : 1};
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

/* The position of src that tap k reads for position `out` of dst, along dimension i; -1: none. */
static dnnl_dim_t in_position(const struct shape *s, int i, dnnl_dim_t out, dnnl_dim_t k) {
    dnnl_dim_t reach = k * (s->dilation[i] + 1) - s->left[i];
    dnnl_dim_t at = s->transposed ? (out - reach) / s->stride[i] : out * s->stride[i] + reach;
    if (s->transposed && at * s->stride[i] != out - reach) return -1;
    return at < s->in[i] ? at : -1;
}

bool images_tap(const struct shape *s, const dnnl_dim_t *out, const dnnl_dim_t *tap, dnnl_dim_t *src,
                dnnl_dim_t *weights) {
    dnnl_dim_t group = out[1] / s->outputs, *w = weights + (s->groups ? 1 : 0);
    bool inside = true;
    weights[0] = group;
    w[0] = out[1] - group * s->outputs;
    w[1] = tap[0];
    src[0] = out[0];
    src[1] = group * s->inputs + tap[0];
    for (int i = 0; i < s->nspatial; i++) {
        w[2 + i] = tap[1 + i];
        src[2 + i] = in_position(s, i, out[2 + i], tap[1 + i]);
        inside = inside && src[2 + i] >= 0;
    }
    return inside;
}

void images_taps(const struct shape *s, dnnl_dim_t *taps) {
    taps[0] = s->inputs;
    for (int i = 0; i < s->nspatial; i++)
        taps[1 + i] = s->kernel[i];
}

struct sum images_sum(const struct product *p, const struct attr_run *run, const dnnl_dim_t *out) {
    const struct shape *s = p->shape;
    dnnl_dims_t src, weights, taps, tap = {0};
    struct sum sum = {0};
    images_taps(s, taps);
    do {
        if (!images_tap(s, out, tap, src, weights)) continue;
        double x = array_at(&p->src, src) - attr_run_src_zero(run, src);
        sum_add(&sum, x * (array_at(&p->weights, weights) - run->c->weights_zero_point));
    } while (next_position(1 + s->nspatial, taps, tap));
    return sum;
}

struct product_tags images_tags(const struct product *p, int layout) {
    const struct shape *s = p->shape;
    const char *image = image_tags[layout][s->nspatial];
    return (struct product_tags){image, weights_tags[s->groups > 0][layout][s->nspatial], layout ? "a" : NULL,
                                 image};
}
