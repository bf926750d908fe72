/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Softmax and its logarithm, forward, against plain loops in double: axes x types x layouts x attributes, on
 * every implementation that takes the problem.
 */
#include "primitives/harness.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static dnnl_status_t desc_new(dnnl_primitive_desc_t *pd, dnnl_alg_kind_t alg, const struct array *src,
                              const char *src_tag, const struct array *dst, const char *dst_tag, int axis,
                              const_dnnl_primitive_attr_t attr) {
    dnnl_memory_desc_t from = md_of(src, src_tag), to = md_of(dst, dst_tag);
    dnnl_status_t status = dnnl_softmax_forward_primitive_desc_create(
            pd, test_engine(), dnnl_forward_inference, alg, from, to, axis, attr);
    dnnl_memory_desc_destroy(from);
    dnnl_memory_desc_destroy(to);
    return status;
}

/* e^(x - most), and x - most. */
static struct bounded power_of(double x, double most, struct bounded *exponent) {
    *exponent = bounded_sub(exactly(x), exactly(most));
    return bounded_function(exp, *exponent, ULPS_EXP);
}

/* The line through `at`: results before attributes. */
static void softmax_line(struct array *dst, struct array *error, const struct array *src, dnnl_alg_kind_t alg,
                         int axis, dnnl_dim_t *at) {
    double most = -INFINITY;
    struct bounded exponent;
    struct sum sum = {0};
    for (at[axis] = 0; at[axis] < src->dims[axis]; at[axis]++)
        most = fmax(most, array_at(src, at));
    for (at[axis] = 0; at[axis] < src->dims[axis]; at[axis]++)
        sum_add_bounded(&sum, power_of(array_at(src, at), most, &exponent));
    struct bounded total = sum_of_terms(&sum);
    for (at[axis] = 0; at[axis] < src->dims[axis]; at[axis]++) {
        struct bounded power = power_of(array_at(src, at), most, &exponent);
        struct bounded x = alg == dnnl_softmax_log
                                   ? bounded_sub(exponent, bounded_function(log, total, ULPS_LOG))
                                   : bounded_div(power, total);
        store_bounded(x, array_index(dst, at), dst, error);
    }
    at[axis] = 0;
}

static void reference(struct array *dst, struct array *error, const struct array *src, dnnl_alg_kind_t alg,
                      int axis, const struct attr_run *run) {
    dnnl_dims_t at = {0}, lines;
    if (dst->count == 0) return;
    memcpy(lines, src->dims, sizeof lines);
    lines[axis] = 1;
    do
        softmax_line(dst, error, src, alg, axis, at);
    while (next_position(src->ndims, lines, at));
    do {
        int64_t i = array_index(dst, at);
        struct bounded x = {dst->values[i], error->values[i]};
        store_bounded(attr_run_apply(run, x, 0, 0, at), i, dst, error);
    } while (next_position(dst->ndims, dst->dims, at));
}

struct problem {
    dnnl_alg_kind_t alg;
    int axis;
    const char *src_tag, *dst_tag;
    bool in_place;
};

/* Every implementation of one problem. */
static void run_problem(const struct problem *p, const struct array *src, dnnl_data_type_t dst_type,
                        const struct attr_case *c) {
    struct array dst = array_like(src, dst_type), error = array_like(src, dnnl_f64);
    struct attr_run run;
    attr_run_init(&run, c, src, src, &dst);
    reference(&dst, &error, src, p->alg, p->axis, &run);
    char what[256];
    snprintf(what, sizeof what, "algorithm 0x%x, axis %d of %lldx%lld…, %d %s to %d %s, %s%s", (int)p->alg,
             p->axis, (long long)src->dims[0], (long long)src->dims[1], (int)src->type, p->src_tag,
             (int)dst_type, p->dst_tag ? p->dst_tag : "any", c->name, p->in_place ? ", in place" : "");
    dnnl_primitive_desc_t pd;
    dnnl_status_t status = desc_new(&pd, p->alg, src, p->src_tag, &dst, p->dst_tag, p->axis, run.attr);
    run_implementations(status, pd,
                        &(struct test_run){.what = what,
                                           .attr = &run,
                                           .inputs = {{DNNL_ARG_SRC, src}},
                                           .outputs = {{DNNL_ARG_DST, &dst, .error = &error,
                                                        .in_place_of = p->in_place ? DNNL_ARG_SRC : 0}}});
    attr_run_free(&run);
    array_free(&dst);
    array_free(&error);
}

static const struct attr_case plain = {.name = "plain"};
static const dnnl_alg_kind_t algorithms[] = {dnnl_softmax_accurate, dnnl_softmax_log};

static void shapes(void **state) {
    (void)state;
    failures = 0;
    static const struct {
        int ndims;
        dnnl_dims_t dims;
        const char *tags[6];
    } cases[] = {
            {1, {37}, {"a", "A16a"}},
            {2, {5, 1000}, {"ab", "ba", "aB16b"}},
            {2, {40, 3}, {"ab", "ba", "Ab16a"}},
            {2, {3, 16}, {"ab", "ba"}},
            {2, {3, 33}, {"ab", "aB16b"}},
            {2, {4, 1}, {"ab", "ba"}},
            {2, {0, 4}, {"ab"}},
            {4, {2, 19, 3, 5}, {"abcd", "acdb", "aBcd16b", "cdba", "aBcd8b"}},
            {3, {2, 3, 130}, {"abc", "cba"}},
    };
    for (int s = 0; s < COUNT(cases); s++)
        for (int t = 0; cases[s].tags[t]; t++)
            for (int axis = 0; axis < cases[s].ndims; axis++)
                for (int a = 0; a < 2; a++) {
                    struct array src = array_new(cases[s].ndims, cases[s].dims, dnnl_f32);
                    array_fill_real(&src, (unsigned)(s + t));
                    for (int64_t i = 0; i < src.count; i++)
                        src.values[i] = (double)(float)(src.values[i] * 20);
                    const char *tag = cases[s].tags[t];
                    run_problem(&(struct problem){algorithms[a], axis, tag, tag, false}, &src, dnnl_f32,
                                &plain);
                    run_problem(&(struct problem){algorithms[a], axis, tag, NULL, true}, &src, dnnl_f32,
                                &plain);
                    run_problem(&(struct problem){algorithms[a], axis, tag, cases[s].tags[0], false}, &src,
                                dnnl_f32, &plain);
                    array_free(&src);
                }
    printf("%d runs\n", implementations_run);
    assert_int_equal(failures, 0);
}

static void types(void **state) {
    (void)state;
    failures = 0;
    static const dnnl_dims_t dims = {3, 21, 4};
    static const dnnl_data_type_t list[] = {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_s8, dnnl_u8, dnnl_f8_e5m2};
    for (int i = 0; i < COUNT(list); i++)
        for (int k = 0; k < COUNT(list); k++)
            for (int a = 0; a < 2; a++) {
                struct array src = array_new(3, dims, list[i]);
                array_fill(&src, 4, (unsigned)(i + k));
                dnnl_data_type_t to = list[k] == dnnl_f8_e5m2 ? dnnl_f32 : list[k];
                run_problem(&(struct problem){algorithms[a], 1, "abc", "abc", false}, &src, to, &plain);
                run_problem(&(struct problem){algorithms[a], 1, "acb", "acb", false}, &src, to, &plain);
                array_free(&src);
            }
    assert_int_equal(failures, 0);
}

/* Lines that are stored while the next one is computed, of the types that this is for. */
static void long_lines(void **state) {
    (void)state;
    failures = 0;
    static const dnnl_dims_t dims[] = {{5, 512}, {1, 1024}, {4, 2048}, {70, 544}, {3, 1040}};
    static const dnnl_data_type_t list[] = {dnnl_f32, dnnl_bf16, dnnl_f16};
    for (int s = 0; s < COUNT(dims); s++)
        for (int i = 0; i < COUNT(list); i++)
            for (int in_place = 0; in_place < 2; in_place++) {
                struct array src = array_new(2, dims[s], list[i]);
                array_fill(&src, 30, (unsigned)(s + i));
                run_problem(
                        &(struct problem){dnnl_softmax_accurate, 1, "ab", in_place ? NULL : "ab", in_place},
                        &src, list[i], &plain);
                array_free(&src);
            }
    assert_int_equal(failures, 0);
}

static const struct {
    dnnl_data_type_t src, dst;
    struct attr_case c;
} attr_cases[] = {
        {dnnl_f32,
         dnnl_f32,
         {.name = "post-ops",
          .ops = {ELTWISE(dnnl_eltwise_linear, 2, 1),
                  BINARY(dnnl_binary_mul, 2),
                  BINARY(dnnl_binary_add, 1),
                  {.kind = dnnl_binary, .alg = dnnl_binary_sub, .mask = 3, .type = dnnl_s8}}}},
        {dnnl_f32, dnnl_u8, {.name = "scale of dst", .dst_scale = 1.0f / 256}},
        {dnnl_f32, dnnl_f8_e4m3, {.name = "scale of an f8 dst", .dst_scale = 1.0f / 256}},
        {dnnl_f8_e5m2, dnnl_bf16, {.name = "scale of an f8 src", .src_scale = 0.5f}},
        {dnnl_s8, dnnl_f32, {.name = "scale of src", .src_scale = 0.5f}},
        {dnnl_u8, dnnl_s8, {.name = "both", .src_scale = 2, .dst_scale = 1.0f / 128}},
        {dnnl_f32,
         dnnl_s8,
         {.name = "host scalars", .src_scale = 2, .dst_scale = 1.0f / 64, .host_scalars = true}},
        {dnnl_bf16,
         dnnl_bf16,
         {.name = "many",
          .ops = {BINARY(dnnl_binary_add, 1), BINARY(dnnl_binary_add, 2), BINARY(dnnl_binary_add, 3),
                  BINARY(dnnl_binary_sub, 1), BINARY(dnnl_binary_sub, 2), BINARY(dnnl_binary_max, 0),
                  BINARY(dnnl_binary_sub, 3), BINARY(dnnl_binary_add, 1), BINARY(dnnl_binary_add, 2),
                  ELTWISE(dnnl_eltwise_abs, 0, 0)}}},
};

static void attributes(void **state) {
    (void)state;
    failures = 0;
    static const dnnl_dims_t dims = {4, 35};
    for (int c = 0; c < COUNT(attr_cases); c++)
        for (int axis = 0; axis < 2; axis++) {
            struct array src = array_new(2, dims, attr_cases[c].src);
            array_fill(&src, 3, (unsigned)c);
            run_problem(&(struct problem){dnnl_softmax_accurate, axis, "ab", "ab", false}, &src,
                        attr_cases[c].dst, &attr_cases[c].c);
            run_problem(&(struct problem){dnnl_softmax_accurate, axis, "ba", "ab", false}, &src,
                        attr_cases[c].dst, &attr_cases[c].c);
            array_free(&src);
        }
    assert_int_equal(failures, 0);
}

/* Large numbers do not overflow; minus infinity counts for nothing; NaN makes its own line NaN and no other.
 */
static void special_values(void **state) {
    (void)state;
    failures = 0;
    static const dnnl_dims_t dims = {4, 20};
    struct array src = array_new(2, dims, dnnl_f32);
    for (int i = 0; i < 20; i++) {
        src.values[i] = 1e38 * (i % 3);
        src.values[20 + i] = i % 4 ? -INFINITY : i;
        src.values[40 + i] = i == 7 ? NAN : 1;
        src.values[60 + i] = -3e38 + i * 1e33;
    }
    for (int i = 0; i < 80; i++)
        src.values[i] = (double)(float)src.values[i];
    for (int a = 0; a < COUNT(algorithms); a++)
        run_problem(&(struct problem){algorithms[a], 1, "ab", "ab", false}, &src, dnnl_f32, &plain);
    array_free(&src);
    assert_int_equal(failures, 0);
}

static void refusals(void **state) {
    (void)state;
    static const dnnl_dims_t dims = {2, 3}, other = {2, 4};
    dnnl_memory_desc_t md = md_new(2, dims, dnnl_f32, "ab"), any = md_new(2, dims, dnnl_f32, NULL),
                       wrong = md_new(2, other, dnnl_f32, "ab");
    dnnl_primitive_desc_t pd = (dnnl_primitive_desc_t)&pd, untouched = pd;
    const struct {
        dnnl_prop_kind_t prop;
        dnnl_alg_kind_t alg;
        dnnl_memory_desc_t src, dst;
        int axis;
    } cases[] = {
            {dnnl_backward, dnnl_softmax_log, md, md, 1},
            {dnnl_forward_inference, dnnl_eltwise_relu, md, md, 1},
            {dnnl_forward_inference, dnnl_softmax_log, NULL, md, 1},
            {dnnl_forward_inference, dnnl_softmax_log, md, NULL, 1},
            {dnnl_forward_inference, dnnl_softmax_log, any, md, 1},
            {dnnl_forward_inference, dnnl_softmax_log, md, wrong, 1},
            {dnnl_forward_inference, dnnl_softmax_log, md, md, 2},
            {dnnl_forward_inference, dnnl_softmax_log, md, md, -1},
    };
    for (int i = 0; i < COUNT(cases); i++)
        assert_int_equal(dnnl_softmax_forward_primitive_desc_create(&pd, test_engine(), cases[i].prop,
                                                                    cases[i].alg, cases[i].src, cases[i].dst,
                                                                    cases[i].axis, NULL),
                         dnnl_invalid_arguments);
    assert_ptr_equal(pd, untouched);
    dnnl_memory_desc_destroy(md);
    dnnl_memory_desc_destroy(any);
    dnnl_memory_desc_destroy(wrong);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(shapes),     cmocka_unit_test(types),          cmocka_unit_test(long_lines),
            cmocka_unit_test(attributes), cmocka_unit_test(special_values), cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
