/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forward inner product against plain loops: shapes x types x attributes x layouts, on every implementation
 * that takes the problem.
 */
#include "primitives/harness.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

struct shape {
    int ndims; /* of src */
    dnnl_dim_t outputs;
    dnnl_dims_t src; /* batch, channels, spatial */
};

static const struct shape shapes[] = {
        {2, 7, {3, 5}},       {2, 33, {1, 40}},       {2, 1, {2, 1}},          {3, 5, {2, 3, 4}},
        {4, 6, {2, 3, 2, 3}}, {4, 17, {1, 16, 3, 3}}, {5, 4, {2, 2, 2, 3, 2}}, {4, 3, {0, 2, 2, 2}},
};

static const struct {
    dnnl_data_type_t src, weights, bias, dst;
} types[] = {
        {dnnl_f32, dnnl_f32, dnnl_f32, dnnl_f32},
        {dnnl_f32, dnnl_f32, dnnl_data_type_undef, dnnl_f32},
        {dnnl_bf16, dnnl_bf16, dnnl_f32, dnnl_bf16},
        {dnnl_f16, dnnl_f16, dnnl_f16, dnnl_f32},
        {dnnl_f8_e5m2, dnnl_f8_e5m2, dnnl_f32, dnnl_f32},
        {dnnl_f64, dnnl_f64, dnnl_f64, dnnl_f64},
        {dnnl_u8, dnnl_s8, dnnl_f32, dnnl_s8},
        {dnnl_s8, dnnl_s8, dnnl_s32, dnnl_s32},
        {dnnl_s8, dnnl_s8, dnnl_data_type_undef, dnnl_s32},
        {dnnl_u8, dnnl_s8, dnnl_u8, dnnl_bf16},
};

static const struct {
    bool quantised; /* for integers only */
    struct attr_case c;
} attrs[] = {
        {false, {.name = "plain"}},
        {false,
         {.name = "relu, sum",
          .ops = {{.kind = dnnl_eltwise, .alg = dnnl_eltwise_relu, .alpha = 0.5f},
                  {.kind = dnnl_sum, .alpha = 2}}}},
        {false,
         {.name = "binary, prelu",
          .ops = {{.kind = dnnl_binary, .alg = dnnl_binary_add, .mask = 2},
                  {.kind = dnnl_prelu, .mask = 2}}}},
        {true,
         {.name = "scales",
          .src_scale = 0.5f,
          .weights_scale = 0.25f,
          .weights_mask = 1,
          .dst_scale = 2,
          .ops = {{.kind = dnnl_eltwise, .alg = dnnl_eltwise_linear, .alpha = 2, .beta = 1}}}},
        {true,
         {.name = "host scalars",
          .src_scale = 4,
          .weights_scale = 0.25f,
          .dst_scale = 0.5f,
          .host_scalars = true}},
};

enum { LAYOUTS = 4 };
static const char *const src_tags[LAYOUTS][6] = {{NULL},
                                                 {0, 0, "ab", "abc", "abcd", "abcde"},
                                                 {0, 0, "ba", "acb", "acdb", "acdeb"},
                                                 {0, 0, "aB8b", "aBc16b", "aBcd8b", "aBcde16b"}};
static const char *const weights_tags[LAYOUTS][6] = {{NULL},
                                                     {0, 0, "ab", "abc", "abcd", "abcde"},
                                                     {0, 0, "ba", "cba", "cdba", "cdeba"},
                                                     {0, 0, "AB16b16a", "ABc4b4a", "ABcd8b8a", "aBcde16b"}};

struct problem {
    struct array src, weights, bias, dst;
};

/* Fills dst and its tolerance, as in convolution.c. */
static void reference(struct problem *p, const struct attr_run *run, struct array *tolerance) {
    int64_t batch = p->dst.dims[0], outputs = p->dst.dims[1], terms = p->weights.count / outputs;
    for (int64_t n = 0; n < batch; n++)
        for (int64_t o = 0; o < outputs; o++) {
            dnnl_dims_t position = {n, o};
            double sum = 0, magnitude = 0, bias = p->bias.values ? p->bias.values[o] : 0;
            for (int64_t i = 0; i < terms; i++) {
                double product = p->src.values[n * terms + i] * p->weights.values[o * terms + i];
                sum += product;
                magnitude += fabs(product);
            }
            p->dst.values[n * outputs + o] = attr_run_apply(run, sum, bias, o, position);
            tolerance->values[n * outputs + o] = ((double)terms + 4) * 0x1p-24 * (magnitude + fabs(bias) + 4);
        }
}

static void run_problem(struct problem *p, const struct attr_case *c, int layout, bool exact,
                        const char *what) {
    struct attr_run run;
    struct array tolerance = array_new(2, p->dst.dims, dnnl_f32);
    attr_run_init(&run, c, &p->src, &p->weights, &p->dst);
    reference(p, &run, &tolerance);
    int n = p->src.ndims;
    dnnl_memory_desc_t src = md_of(&p->src, src_tags[layout][n]),
                       weights = md_of(&p->weights, weights_tags[layout][n]);
    dnnl_memory_desc_t bias = p->bias.values ? md_of(&p->bias, "a") : NULL,
                       dst = md_of(&p->dst, src_tags[layout][2]);
    dnnl_primitive_desc_t pd;
    dnnl_status_t status = dnnl_inner_product_forward_primitive_desc_create(
            &pd, test_engine(), dnnl_forward_training, src, weights, bias, dst, run.attr);
    const struct input inputs[] = {
            {DNNL_ARG_SRC, &p->src}, {DNNL_ARG_WEIGHTS, &p->weights}, {DNNL_ARG_BIAS, &p->bias}};
    if (status != dnnl_success)
        failure("%s: creation gives %d", what, (int)status);
    else
        run_implementations(pd, &run, inputs, COUNT(inputs), &p->dst, exact ? NULL : &tolerance, what);
    dnnl_memory_desc_destroy(src);
    dnnl_memory_desc_destroy(weights);
    dnnl_memory_desc_destroy(bias);
    dnnl_memory_desc_destroy(dst);
    attr_run_free(&run);
    array_free(&tolerance);
}

static struct problem problem_new(const struct shape *s, int t) {
    dnnl_dims_t weights = {s->outputs}, dst = {s->src[0], s->outputs};
    for (int d = 1; d < s->ndims; d++)
        weights[d] = s->src[d];
    struct problem p = {.src = array_new(s->ndims, s->src, types[t].src),
                        .weights = array_new(s->ndims, weights, types[t].weights),
                        .dst = array_new(2, dst, types[t].dst)};
    if (types[t].bias) p.bias = array_new(1, &s->outputs, types[t].bias);
    return p;
}

static void problem_free(struct problem *p) {
    array_free(&p->src);
    array_free(&p->weights);
    array_free(&p->bias);
    array_free(&p->dst);
}

static void numbers(void **state) {
    (void)state;
    for (int t = 0; t < COUNT(types); t++)
        for (int s = 0; s < COUNT(shapes); s++)
            for (int a = 0; a < COUNT(attrs); a++) {
                bool int8 = types[t].src == dnnl_s8 || types[t].src == dnnl_u8;
                if (attrs[a].quantised && !int8) continue;
                struct problem p = problem_new(&shapes[s], t);
                array_fill(&p.src, 3, 1u + (unsigned)s);
                array_fill(&p.weights, 2, 2u + (unsigned)t);
                if (p.bias.values) array_fill(&p.bias, 4, 3);
                char what[128];
                int layout = (t + s + a) % LAYOUTS;
                snprintf(what, sizeof what, "shape %d, types %d, layout %d, %s", s, t, layout,
                         attrs[a].c.name);
                run_problem(&p, &attrs[a].c, layout, true, what);
                problem_free(&p);
            }
    printf("%d runs\n", implementations_run);
    assert_int_equal(failures, 0);
}

static void real_numbers(void **state) {
    (void)state;
    for (int s = 0; s < COUNT(shapes); s++)
        for (int layout = 0; layout < LAYOUTS; layout++) {
            struct problem p = problem_new(&shapes[s], 0);
            array_fill_real(&p.src, 1u + (unsigned)s);
            array_fill_real(&p.weights, 2);
            array_fill_real(&p.bias, 3);
            char what[128];
            snprintf(what, sizeof what, "real numbers, shape %d, layout %d", s, layout);
            run_problem(&p, &attrs[0].c, layout, false, what);
            problem_free(&p);
        }
    assert_int_equal(failures, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers), cmocka_unit_test(real_numbers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
