/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A 1x1 convolution with a depthwise one among its post-ops, against plain loops: two convolutions, the
 * results of the first rounded to its own type.
 */
#include "primitives/harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { DW = DNNL_ARG_ATTR_POST_OP_DW };

struct types {
    dnnl_data_type_t src, weights, bias, between, dw_weights, dw_bias, dst;
};

static const struct types types[] = {
        {dnnl_f32, dnnl_f32, dnnl_f32, dnnl_f32, dnnl_f32, dnnl_f32, dnnl_f32},
        {dnnl_bf16, dnnl_bf16, dnnl_f32, dnnl_bf16, dnnl_bf16, dnnl_bf16, dnnl_f32},
        {dnnl_f16, dnnl_f16, dnnl_data_type_undef, dnnl_f16, dnnl_f16, dnnl_f32, dnnl_f16},
        {dnnl_u8, dnnl_s8, dnnl_s32, dnnl_u8, dnnl_s8, dnnl_f32, dnnl_s8},
        {dnnl_s8, dnnl_s8, dnnl_f32, dnnl_f32, dnnl_f32, dnnl_data_type_undef, dnnl_f32},
        {dnnl_u8, dnnl_s8, dnnl_data_type_undef, dnnl_s8, dnnl_s8, dnnl_data_type_undef, dnnl_s32},
};

struct shape {
    dnnl_dim_t batch, groups, inputs, outputs, height, width; /* groups 0: weights have no such dimension */
    dnnl_dim_t stride;                                        /* of the 1x1 convolution */
    dnnl_dim_t kernel, dw_stride, padding;
    const char *tag; /* NULL is `any` */
};

static const struct shape shapes[] = {
        {2, 0, 5, 8, 7, 6, 1, 3, 1, 1, NULL},      {1, 0, 17, 33, 9, 9, 1, 3, 2, 1, NULL},
        {1, 0, 4, 20, 8, 5, 1, 5, 1, 2, "acdb"},   {2, 0, 3, 6, 6, 6, 2, 3, 1, 0, "abcd"},
        {1, 2, 4, 8, 5, 7, 1, 2, 1, 1, "aBcd16b"}, {1, 0, 8, 16, 4, 4, 1, 1, 3, 0, "aBcd8b"},
        {0, 0, 8, 16, 4, 4, 1, 3, 1, 1, "acdb"},   {1, 0, 2, 3, 3, 3, 1, 7, 2, 3, "acdb"},
};

/* Post-ops and scales; 0: none. Scales are for integers only. */
struct extras {
    bool relu_before, add_before, relu_after, add_after;
    float src_scale, weights_scale, between_scale, dw_weights_scale, dst_scale;
};

static const struct extras extras[] = {
        {.relu_before = false},
        {.relu_before = true, .relu_after = true},
        {.add_before = true, .add_after = true},
        {.relu_before = true, .add_after = true, .relu_after = true},
        {.src_scale = 0.5f,
         .weights_scale = 0.5f,
         .between_scale = 2,
         .dw_weights_scale = 0.25f,
         .dst_scale = 4,
         .relu_after = true},
};

struct problem {
    const struct shape *s;
    const struct types *t;
    const struct extras *e;
    struct array src, weights, bias, between, dw_weights, dw_bias, dst, added; /* added: one per channel */
};

static dnnl_dim_t places(dnnl_dim_t size, dnnl_dim_t stride) {
    return (size + stride - 1) / stride;
}

static struct array make(int ndims, const dnnl_dim_t *dims, dnnl_data_type_t type, int range, unsigned seed) {
    struct array array = {0};
    if (type == dnnl_data_type_undef) return array;
    array = array_new(ndims, dims, type);
    array_fill(&array, range, seed);
    return array;
}

static struct problem problem_new(const struct shape *s, const struct types *t, const struct extras *e) {
    struct problem p = {.s = s, .t = t, .e = e};
    dnnl_dim_t groups = s->groups ? s->groups : 1, channels = groups * s->outputs;
    dnnl_dim_t h = places(s->height, s->stride), w = places(s->width, s->stride);
    dnnl_dims_t weights = {groups, s->outputs, s->inputs, 1, 1};
    p.src = make(4, (dnnl_dims_t){s->batch, groups * s->inputs, s->height, s->width}, t->src, 3, 1);
    p.weights = s->groups ? make(5, weights, t->weights, 2, 2) : make(4, weights + 1, t->weights, 2, 2);
    p.bias = make(1, &channels, t->bias, 4, 3);
    p.between = make(4, (dnnl_dims_t){s->batch, channels, h, w}, t->between, 0, 1);
    p.dw_weights = make(5, (dnnl_dims_t){channels, 1, 1, s->kernel, s->kernel}, t->dw_weights, 2, 4);
    p.dw_bias = make(1, &channels, t->dw_bias, 4, 5);
    p.dst = make(4, (dnnl_dims_t){s->batch, channels, places(h, s->dw_stride), places(w, s->dw_stride)},
                 t->dst, 0, 1);
    p.added = make(4, (dnnl_dims_t){1, channels, 1, 1}, dnnl_f32, 3, 6);
    return p;
}

static void problem_free(struct problem *p) {
    struct array *all[] = {&p->src,        &p->weights, &p->bias, &p->between,
                           &p->dw_weights, &p->dw_bias, &p->dst,  &p->added};
    for (int i = 0; i < COUNT(all); i++)
        array_free(all[i]);
}

static double scale_of(float scale) {
    return scale != 0 ? (double)scale : 1;
}

static double relu(double x) {
    return x > 0 ? x : x * 0.5;
}

static void first(struct problem *p) {
    const struct shape *s = p->s;
    dnnl_dims_t out = {0};
    if (p->between.count == 0) return;
    do {
        dnnl_dim_t group = out[1] / s->outputs;
        double sum = 0;
        for (dnnl_dim_t i = 0; i < s->inputs; i++) {
            dnnl_dims_t src = {out[0], group * s->inputs + i, out[2] * s->stride, out[3] * s->stride};
            sum += array_at(&p->src, src) * p->weights.values[out[1] * s->inputs + i];
        }
        sum *= scale_of(p->e->src_scale) * scale_of(p->e->weights_scale);
        if (p->bias.values) sum += p->bias.values[out[1]];
        if (p->e->relu_before) sum = relu(sum);
        if (p->e->add_before) sum += p->added.values[out[1]];
        p->between.values[array_index(&p->between, out)] =
                round_to_type(sum / scale_of(p->e->between_scale), p->t->between);
    } while (next_position(4, p->between.dims, out));
}

static void second(struct problem *p) {
    const struct shape *s = p->s;
    dnnl_dims_t out = {0};
    if (p->dst.count == 0) return;
    do {
        double sum = 0;
        for (dnnl_dim_t y = 0; y < s->kernel; y++)
            for (dnnl_dim_t x = 0; x < s->kernel; x++) {
                dnnl_dims_t at = {out[0], out[1], out[2] * s->dw_stride - s->padding + y,
                                  out[3] * s->dw_stride - s->padding + x};
                bool inside =
                        at[2] >= 0 && at[2] < p->between.dims[2] && at[3] >= 0 && at[3] < p->between.dims[3];
                if (inside)
                    sum += array_at(&p->between, at)
                           * array_at(&p->dw_weights, (dnnl_dims_t){out[1], 0, 0, y, x});
            }
        sum *= scale_of(p->e->between_scale) * scale_of(p->e->dw_weights_scale);
        if (p->dw_bias.values) sum += p->dw_bias.values[out[1]];
        if (p->e->relu_after) sum = relu(sum);
        if (p->e->add_after) sum += p->added.values[out[1]];
        p->dst.values[array_index(&p->dst, out)] = sum / scale_of(p->e->dst_scale);
    } while (next_position(4, p->dst.dims, out));
}

static void set_scale(dnnl_primitive_attr_t attr, int arg, float scale, int mask) {
    if (scale != 0) MUST(dnnl_primitive_attr_set_scales_mask(attr, arg, mask));
}

static dnnl_primitive_attr_t attr_new(const struct problem *p) {
    dnnl_primitive_attr_t attr;
    dnnl_post_ops_t ops;
    dnnl_memory_desc_t added = md_of(&p->added, "abcd");
    MUST(dnnl_primitive_attr_create(&attr));
    MUST(dnnl_post_ops_create(&ops));
    if (p->e->relu_before) MUST(dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_relu, 0.5f, 0));
    if (p->e->add_before) MUST(dnnl_post_ops_append_binary(ops, dnnl_binary_add, added));
    MUST(dnnl_post_ops_append_dw(ops, p->t->dw_weights, p->t->dw_bias, p->t->dst, p->s->kernel,
                                 p->s->dw_stride, p->s->padding));
    if (p->e->relu_after) MUST(dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_relu, 0.5f, 0));
    if (p->e->add_after) MUST(dnnl_post_ops_append_binary(ops, dnnl_binary_add, added));
    MUST(dnnl_primitive_attr_set_post_ops(attr, ops));
    set_scale(attr, DNNL_ARG_SRC, p->e->src_scale, 0);
    set_scale(attr, DNNL_ARG_WEIGHTS, p->e->weights_scale, p->s->groups ? 3 : 1);
    set_scale(attr, DNNL_ARG_DST, p->e->between_scale, 0);
    set_scale(attr, DW | DNNL_ARG_WEIGHTS, p->e->dw_weights_scale, 3);
    set_scale(attr, DW | DNNL_ARG_DST, p->e->dst_scale, 0);
    dnnl_memory_desc_destroy(added);
    dnnl_post_ops_destroy(ops);
    return attr;
}

static dnnl_status_t desc_new(dnnl_primitive_desc_t *pd, const struct problem *p) {
    dnnl_primitive_attr_t attr = attr_new(p);
    dnnl_memory_desc_t src = md_of(&p->src, p->s->tag), weights = md_of(&p->weights, NULL);
    dnnl_memory_desc_t bias = p->bias.values ? md_of(&p->bias, NULL) : NULL;
    dnnl_memory_desc_t between = md_of(&p->between, p->s->tag);
    dnnl_status_t status = dnnl_convolution_forward_primitive_desc_create(
            pd, test_engine(), dnnl_forward_inference, dnnl_convolution_direct, src, weights, bias, between,
            (dnnl_dims_t){p->s->stride, p->s->stride}, NULL, (dnnl_dims_t){0}, (dnnl_dims_t){0}, attr);
    dnnl_memory_desc_destroy(src);
    dnnl_memory_desc_destroy(weights);
    dnnl_memory_desc_destroy(bias);
    dnnl_memory_desc_destroy(between);
    dnnl_primitive_attr_destroy(attr);
    return status;
}

static const_dnnl_memory_desc_t md_for(const_dnnl_primitive_desc_t pd, int arg) {
    return dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, arg);
}

static void pass_scale(struct exec *exec, int arg, float scale, dnnl_dim_t count) {
    if (scale == 0) return;
    struct array scales = array_new(1, &count, dnnl_f32);
    for (dnnl_dim_t i = 0; i < count; i++)
        scales.values[i] = (double)scale;
    dnnl_memory_desc_t md = md_of(&scales, "a");
    exec_add(exec, DNNL_ARG_ATTR_SCALES | arg, memory_new(md, &scales));
    dnnl_memory_desc_destroy(md);
    array_free(&scales);
}

static void pass_scales(struct exec *exec, const struct problem *p) {
    pass_scale(exec, DNNL_ARG_SRC, p->e->src_scale, 1);
    pass_scale(exec, DNNL_ARG_WEIGHTS, p->e->weights_scale, p->dst.dims[1]);
    pass_scale(exec, DNNL_ARG_DST, p->e->between_scale, 1);
    pass_scale(exec, DW | DNNL_ARG_WEIGHTS, p->e->dw_weights_scale, p->dst.dims[1]);
    pass_scale(exec, DW | DNNL_ARG_DST, p->e->dst_scale, 1);
}

/* The operand of a binary post-op before or after the depthwise convolution. */
static struct input added(const struct problem *p, bool present, int index) {
    static const struct array none;
    return (struct input){DNNL_ARG_ATTR_MULTIPLE_POST_OP(index) | DNNL_ARG_SRC_1, present ? &p->added : &none,
                          NULL};
}

static void compute(const char *what, const_dnnl_primitive_desc_t pd, const struct problem *p) {
    struct exec scales = {0};
    int before = p->e->relu_before, after = before + p->e->add_before + 1 + p->e->relu_after;
    pass_scales(&scales, p);
    run_implementation(pd, &(struct test_run){.what = what,
                                              .extra = &scales,
                                              .reorder_inputs = true,
                                              .inputs = {{DNNL_ARG_SRC, &p->src},
                                                         {DNNL_ARG_WEIGHTS, &p->weights},
                                                         {DNNL_ARG_BIAS, &p->bias},
                                                         {DW | DNNL_ARG_WEIGHTS, &p->dw_weights},
                                                         {DW | DNNL_ARG_BIAS, &p->dw_bias},
                                                         added(p, p->e->add_before, before),
                                                         added(p, p->e->add_after, after)},
                                              .outputs = {{DNNL_ARG_DST, &p->dst}}});
    exec_free(&scales);
}

static void expect_dims(const char *what, const_dnnl_memory_desc_t md, const struct array *array) {
    int ndims = 0;
    dnnl_dims_t *dims;
    dnnl_data_type_t type = dnnl_data_type_undef;
    MUST(dnnl_memory_desc_query(md, dnnl_query_ndims_s32, &ndims));
    if (!array->values) {
        assert_int_equal(ndims, 0);
        return;
    }
    MUST(dnnl_memory_desc_query(md, dnnl_query_dims, &dims));
    MUST(dnnl_memory_desc_query(md, dnnl_query_data_type, &type));
    if (ndims != array->ndims || type != array->type
        || memcmp(dims, array->dims, (size_t)ndims * sizeof(dnnl_dim_t)) != 0)
        failure("%s: a query gives another descriptor: %d dims of type %d, not %d of %d", what, ndims,
                (int)type, array->ndims, (int)array->type);
}

static void check_queries(const char *what, const_dnnl_primitive_desc_t pd, const struct problem *p) {
    expect_dims(what, dnnl_primitive_desc_query_md(pd, dnnl_query_src_md, 0), &p->src);
    expect_dims(what, dnnl_primitive_desc_query_md(pd, dnnl_query_weights_md, 0), &p->weights);
    expect_dims(what, dnnl_primitive_desc_query_md(pd, dnnl_query_weights_md, 1), &p->bias);
    expect_dims(what, dnnl_primitive_desc_query_md(pd, dnnl_query_dst_md, 0), &p->dst);
    expect_dims(what, md_for(pd, DW | DNNL_ARG_SRC), &p->between);
    expect_dims(what, md_for(pd, DW | DNNL_ARG_WEIGHTS), &p->dw_weights);
    expect_dims(what, md_for(pd, DW | DNNL_ARG_BIAS), &p->dw_bias);
    int inputs =
            3 + (p->bias.values != NULL) + (p->dw_bias.values != NULL) + p->e->add_before + p->e->add_after;
    if (dnnl_primitive_desc_query_s32(pd, dnnl_query_num_of_inputs_s32, 0) != inputs)
        failure("%s: not %d inputs", what, inputs);
}

/* The peer does not always describe the second convolution's weights. */
static bool peer_is_silent(const_dnnl_primitive_desc_t pd) {
    return test_peer() && dnnl_memory_desc_get_size(md_for(pd, DW | DNNL_ARG_WEIGHTS)) == 0;
}

static void run_problem(const char *what, struct problem *p) {
    dnnl_primitive_desc_t pd;
    dnnl_status_t status = desc_new(&pd, p);
    if (status == dnnl_unimplemented && test_peer()) return;
    if (status != dnnl_success) {
        failure("%s: creation gives %d", what, (int)status);
        return;
    }
    if (peer_is_silent(pd)) {
        dnnl_primitive_desc_destroy(pd);
        return;
    }
    check_queries(what, pd, p);
    first(p);
    second(p);
    compute(what, pd, p);
    dnnl_primitive_desc_destroy(pd);
}

static void numbers(void **state) {
    (void)state;
    for (int t = 0; t < COUNT(types); t++)
        for (int s = 0; s < COUNT(shapes); s++)
            for (int e = 0; e < COUNT(extras); e++) {
                bool integers = types[t].src == dnnl_u8 || types[t].src == dnnl_s8;
                if (extras[e].src_scale != 0 && !integers) continue;
                if (shapes[s].batch == 0 && test_peer()) continue; /* it crashes */
                struct problem p = problem_new(&shapes[s], &types[t], &extras[e]);
                char what[96];
                snprintf(what, sizeof what, "types %d, shape %d, extras %d", t, s, e);
                run_problem(what, &p);
                problem_free(&p);
            }
    printf("%d runs\n", implementations_run);
    assert_true(implementations_run > 0);
    assert_int_equal(failures, 0);
}

/* Creation with one thing changed. */
static dnnl_status_t create(const struct shape *s, const struct types *t, dnnl_primitive_kind_t other) {
    static const struct extras none;
    struct problem p = problem_new(s, t, &none);
    dnnl_primitive_attr_t attr = attr_new(&p);
    const_dnnl_post_ops_t had;
    dnnl_post_ops_t ops;
    MUST(dnnl_primitive_attr_get_post_ops(attr, &had));
    MUST(dnnl_post_ops_clone(&ops, had));
    if (other == dnnl_sum) MUST(dnnl_post_ops_append_sum(ops, 1, 0, dnnl_data_type_undef));
    if (other == dnnl_prelu) MUST(dnnl_post_ops_append_prelu(ops, 2));
    if (other == dnnl_convolution)
        MUST(dnnl_post_ops_append_dw(ops, t->dw_weights, t->dw_bias, t->dst, 3, 1, 1));
    MUST(dnnl_primitive_attr_set_post_ops(attr, ops));
    dnnl_memory_desc_t src = md_of(&p.src, NULL), weights = md_of(&p.weights, NULL),
                       dst = md_of(&p.between, NULL);
    dnnl_primitive_desc_t pd = NULL;
    dnnl_status_t status = dnnl_convolution_forward_primitive_desc_create(
            &pd, test_engine(), dnnl_forward_inference, dnnl_convolution_direct, src, weights, NULL, dst,
            (dnnl_dims_t){1, 1}, NULL, (dnnl_dims_t){0}, (dnnl_dims_t){0}, attr);
    dnnl_primitive_desc_destroy(pd);
    dnnl_memory_desc_destroy(src);
    dnnl_memory_desc_destroy(weights);
    dnnl_memory_desc_destroy(dst);
    dnnl_post_ops_destroy(ops);
    dnnl_primitive_attr_destroy(attr);
    problem_free(&p);
    return status;
}

static void refusals(void **state) {
    (void)state;
    struct shape good = shapes[0], negative = good;
    negative.padding = -1;
    struct types mixed = types[0];
    mixed.dw_weights = dnnl_s8;
    assert_int_equal(create(&good, &types[0], dnnl_undefined_primitive), dnnl_success);
    assert_int_equal(create(&good, &types[0], dnnl_sum), dnnl_unimplemented);
    assert_int_equal(create(&good, &types[0], dnnl_prelu), dnnl_unimplemented);
    assert_int_equal(create(&good, &types[0], dnnl_convolution), dnnl_unimplemented);
    assert_int_equal(create(&negative, &types[0], dnnl_undefined_primitive), dnnl_unimplemented);
    assert_int_equal(create(&good, &mixed, dnnl_undefined_primitive), dnnl_unimplemented);
}

int main(void) {
    if (test_peer_is_narrow()) return 0;
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers), cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
