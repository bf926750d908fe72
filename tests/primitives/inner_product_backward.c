/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inner product backward, by data and by weights, against plain loops: shapes x types x layouts; what must be
 * refused.
 */
#include "primitives/product.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

struct shape {
    int ndims; /* of src */
    dnnl_dim_t outputs;
    dnnl_dims_t src; /* batch, channels, spatial */
};

static const struct shape shapes[] = {
        {2, 7, {3, 5}},         {2, 33, {1, 40}},       {2, 1, {2, 1}},          {3, 5, {2, 3, 4}},
        {4, 6, {2, 3, 2, 3}},   {4, 17, {1, 16, 3, 3}}, {5, 4, {2, 2, 2, 3, 2}}, {4, 3, {0, 2, 2, 2}},
        {4, 70, {19, 6, 2, 3}}, {2, 64, {40, 96}},      {4, 1, {3, 1, 2, 5}},    {2, 2050, {2, 2048}},
};
enum { LARGE = COUNT(shapes) - 1 }; /* whose gradient of weights bypasses the caches */

/* Tensors have their forward names. */
static const struct product_types data_types[] = {
        {dnnl_f32, dnnl_f32, dnnl_data_type_undef, dnnl_f32},
        {dnnl_bf16, dnnl_bf16, dnnl_data_type_undef, dnnl_bf16},
        {dnnl_f32, dnnl_bf16, dnnl_data_type_undef, dnnl_bf16},
        {dnnl_f16, dnnl_f16, dnnl_data_type_undef, dnnl_f16},
        {dnnl_f32, dnnl_f16, dnnl_data_type_undef, dnnl_f16},
        {dnnl_f32, dnnl_bf16, dnnl_data_type_undef, dnnl_f32},
        {dnnl_f64, dnnl_f64, dnnl_data_type_undef, dnnl_f64},
        {dnnl_f32, dnnl_f8_e4m3, dnnl_data_type_undef, dnnl_f8_e5m2},
};

static const struct product_types weights_types[] = {
        {dnnl_f32, dnnl_f32, dnnl_f32, dnnl_f32},
        {dnnl_f32, dnnl_f32, dnnl_data_type_undef, dnnl_f32},
        {dnnl_bf16, dnnl_bf16, dnnl_bf16, dnnl_bf16},
        {dnnl_bf16, dnnl_f32, dnnl_f32, dnnl_bf16},
        {dnnl_f16, dnnl_f16, dnnl_f16, dnnl_f16},
        {dnnl_f16, dnnl_f32, dnnl_f32, dnnl_f16},
        {dnnl_f64, dnnl_f64, dnnl_f64, dnnl_f64},
        {dnnl_f32, dnnl_f32, dnnl_f16, dnnl_f32},
        {dnnl_f8_e4m3, dnnl_f32, dnnl_bf16, dnnl_f8_e4m3},
};

static const char *const src_tags[PRODUCT_LAYOUTS][6] = {{NULL},
                                                         {0, 0, "ab", "abc", "abcd", "abcde"},
                                                         {0, 0, "ba", "acb", "acdb", "acdeb"},
                                                         {0, 0, "aB8b", "aBc16b", "aBcd8b", "aBcde16b"}};
static const char *const weights_tags[PRODUCT_LAYOUTS][6] = {
        {NULL},
        {0, 0, "ab", "abc", "abcd", "abcde"},
        {0, 0, "ba", "cba", "cdba", "cdeba"},
        {0, 0, "AB16b16a", "ABc4b4a", "ABcd8b8a", "aBcde16b"}};

static struct product make(const struct shape *s, const struct product_types *t) {
    dnnl_dims_t weights = {s->outputs}, dst = {s->src[0], s->outputs};
    for (int d = 1; d < s->ndims; d++)
        weights[d] = s->src[d];
    struct product p = {.shape = s,
                        .src = array_new(s->ndims, s->src, t->src),
                        .weights = array_new(s->ndims, weights, t->weights),
                        .dst = array_new(2, dst, t->dst)};
    if (t->bias) p.bias = array_new(1, &s->outputs, t->bias);
    return p;
}

static struct bounded end_sum(const struct sum *sum, dnnl_data_type_t type) {
    return type == dnnl_f64 ? sum_of_products_f64(sum, 0) : sum_of_products(sum, false, 0);
}

/* How far each element of a gradient may be off. */
struct errors {
    struct array src, weights, bias;
};

static void refer_by_data(struct product *p, struct errors *e) {
    const int64_t outputs = p->dst.dims[1], terms = p->weights.count / outputs;
    for (int64_t i = 0; i < p->src.count; i++) {
        struct sum sum = {0};
        for (int64_t o = 0; o < outputs; o++)
            sum_add(&sum, p->dst.values[i / terms * outputs + o] * p->weights.values[o * terms + i % terms]);
        store_bounded(end_sum(&sum, p->dst.type), i, &p->src, &e->src);
    }
}

static void refer_by_weights(struct product *p, struct errors *e) {
    const int64_t batch = p->dst.dims[0], outputs = p->dst.dims[1], terms = p->weights.count / outputs;
    for (int64_t i = 0; i < p->weights.count; i++) {
        struct sum sum = {0};
        for (int64_t n = 0; n < batch; n++)
            sum_add(&sum, p->dst.values[n * outputs + i / terms] * p->src.values[n * terms + i % terms]);
        store_bounded(end_sum(&sum, p->dst.type), i, &p->weights, &e->weights);
    }
    for (int64_t o = 0; o < outputs && p->bias.values; o++) {
        struct sum sum = {0};
        for (int64_t n = 0; n < batch; n++)
            sum_add(&sum, p->dst.values[n * outputs + o]);
        store_bounded(p->dst.type == dnnl_f64 ? sum_of_products_f64(&sum, 0) : sum_of_terms(&sum), o,
                      &p->bias, &e->bias);
    }
}

static dnnl_status_t create(dnnl_primitive_desc_t *pd, bool weights, const struct product_mds *md) {
    if (weights)
        return dnnl_inner_product_backward_weights_primitive_desc_create(
                pd, test_engine(), md->src, md->weights, md->bias, md->dst, NULL, NULL);
    return dnnl_inner_product_backward_data_primitive_desc_create(pd, test_engine(), md->src, md->weights,
                                                                  md->dst, NULL, NULL);
}

static void run_pd(dnnl_status_t status, dnnl_primitive_desc_t pd, bool weights, const struct product *p,
                   const struct errors *e, const char *what) {
    const struct test_run by_data = {
            .what = what,
            .inputs = {{DNNL_ARG_DIFF_DST, &p->dst}, {DNNL_ARG_WEIGHTS, &p->weights}},
            .outputs = {{DNNL_ARG_DIFF_SRC, &p->src, .error = &e->src}}};
    const struct test_run by_weights = {
            .what = what,
            .inputs = {{DNNL_ARG_DIFF_DST, &p->dst}, {DNNL_ARG_SRC, &p->src}},
            .outputs = {{DNNL_ARG_DIFF_WEIGHTS, &p->weights, .error = &e->weights},
                        {DNNL_ARG_DIFF_BIAS, &p->bias, .error = &e->bias}}};
    run_implementations(status, pd, weights ? &by_weights : &by_data);
}

static void run_product(struct product *p, bool weights, int layout, const char *what) {
    const int n = p->src.ndims;
    struct errors e = {array_like(&p->src, dnnl_f64), array_like(&p->weights, dnnl_f64), {0}};
    if (p->bias.values) e.bias = array_like(&p->bias, dnnl_f64);
    struct product_mds md = {md_of(&p->src, src_tags[layout][n]), md_of(&p->weights, weights_tags[layout][n]),
                             p->bias.values ? md_of(&p->bias, layout ? "a" : NULL) : NULL,
                             md_of(&p->dst, src_tags[layout][2])};
    dnnl_primitive_desc_t pd;
    if (weights)
        refer_by_weights(p, &e);
    else
        refer_by_data(p, &e);
    dnnl_status_t status = create(&pd, weights, &md);
    run_pd(status, pd, weights, p, &e, what);
    dnnl_memory_desc_destroy(md.src);
    dnnl_memory_desc_destroy(md.weights);
    dnnl_memory_desc_destroy(md.bias);
    dnnl_memory_desc_destroy(md.dst);
    array_free(&e.src);
    array_free(&e.weights);
    array_free(&e.bias);
}

static void run_case(int shape, const struct product_types *t, bool weights, int layout, bool exact) {
    struct product p = make(&shapes[shape], t);
    char what[96];
    snprintf(what, sizeof what, "by %s, %s numbers, shape %d, types %d %d %d, layout %d",
             weights ? "weights" : "data", exact ? "exact" : "real", shape, t->src, t->weights, t->dst,
             layout);
    struct array *inputs[] = {&p.dst, weights ? &p.src : &p.weights};
    for (int i = 0; i < 2; i++)
        if (exact)
            array_fill(inputs[i], 3 - i, (unsigned)(10 * shape + i));
        else
            array_fill_real(inputs[i], (unsigned)(10 * shape + i));
    run_product(&p, weights, layout, what);
    product_free(&p);
}

static void run_all(bool weights) {
    const struct product_types *types = weights ? weights_types : data_types;
    const int ntypes = weights ? COUNT(weights_types) : COUNT(data_types);
    int before = implementations_run;
    failures = 0;
    for (int s = 0; s < LARGE; s++)
        for (int t = 0; t < ntypes; t++)
            for (int layout = 0; layout < PRODUCT_LAYOUTS; layout++) {
                run_case(s, &types[t], weights, layout, true);
                run_case(s, &types[t], weights, layout, false);
            }
    printf("%d runs\n", implementations_run - before);
    assert_int_equal(failures, 0);
}

static void by_data(void **state) {
    (void)state;
    run_all(false);
}

static void by_weights(void **state) {
    (void)state;
    run_all(true);
}

static void large_weights(void **state) {
    (void)state;
    failures = 0;
    run_case(LARGE, &weights_types[0], true, 0, false);
    assert_int_equal(failures, 0);
}

static void refusals(void **state) {
    (void)state;
    const dnnl_dims_t rows = {2, 3}, matrix = {4, 3}, results = {2, 4};
    const dnnl_dim_t outputs = 4;
    dnnl_memory_desc_t src = md_new(2, rows, dnnl_f32, NULL), weights = md_new(2, matrix, dnnl_f32, NULL),
                       bias = md_new(1, &outputs, dnnl_f32, NULL), dst = md_new(2, results, dnnl_f32, NULL);
    dnnl_primitive_desc_t pd = (dnnl_primitive_desc_t)&pd, untouched = pd;
    const struct {
        bool weights;
        struct product_mds md;
        dnnl_status_t status;
    } cases[] = {
            {false, {NULL, weights, NULL, dst}, dnnl_invalid_arguments},
            {false, {src, NULL, NULL, dst}, dnnl_invalid_arguments},
            {false, {src, weights, NULL, NULL}, dnnl_invalid_arguments},
            {false, {dst, weights, NULL, src}, dnnl_invalid_arguments},
            {true, {NULL, weights, bias, dst}, dnnl_invalid_arguments},
            {true, {src, NULL, bias, dst}, dnnl_invalid_arguments},
            {true, {src, weights, bias, NULL}, dnnl_invalid_arguments},
            {true, {src, weights, src, dst}, dnnl_invalid_arguments},
    };
    for (int i = 0; i < COUNT(cases); i++)
        assert_int_equal(create(&pd, cases[i].weights, &cases[i].md), cases[i].status);
    assert_ptr_equal(pd, untouched);
    dnnl_memory_desc_t all[] = {src, weights, bias, dst};
    for (int i = 0; i < COUNT(all); i++)
        dnnl_memory_desc_destroy(all[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_data), cmocka_unit_test(by_weights),
                                       cmocka_unit_test(large_weights), cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
