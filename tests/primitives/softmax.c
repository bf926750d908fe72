/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Softmax and its logarithm, forward, against long double: axes x types x layouts x attributes, on every
 * implementation that takes the problem. Implementations must agree to the bit.
 */
#include "primitives/harness.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static int problems_run;

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

/* The line through `at`: results before attributes. */
static void softmax_line(struct array *dst, const struct array *src, dnnl_alg_kind_t alg, int axis,
                         dnnl_dim_t *at) {
    long double most = -INFINITY, sum = 0;
    for (at[axis] = 0; at[axis] < src->dims[axis]; at[axis]++)
        most = fmaxl(most, array_at(src, at));
    for (at[axis] = 0; at[axis] < src->dims[axis]; at[axis]++)
        sum += expl((long double)array_at(src, at) - most);
    for (at[axis] = 0; at[axis] < src->dims[axis]; at[axis]++) {
        long double x = (long double)array_at(src, at) - most;
        dst->values[array_index(dst, at)] = (double)(alg == dnnl_softmax_log ? x - logl(sum) : expl(x) / sum);
    }
    at[axis] = 0;
}

static void reference(struct array *dst, const struct array *src, dnnl_alg_kind_t alg, int axis,
                      const struct attr_run *run) {
    dnnl_dims_t at = {0}, lines;
    if (dst->count == 0) return;
    memcpy(lines, src->dims, sizeof lines);
    lines[axis] = 1;
    do
        softmax_line(dst, src, alg, axis, at);
    while (next_position(src->ndims, lines, at));
    do {
        double *x = &dst->values[array_index(dst, at)];
        *x = attr_run_apply(run, *x, 0, 0, at);
    } while (next_position(dst->ndims, dst->dims, at));
}

/* The exponent's argument carries half a unit of its own, the sum some more; `size` is that of the terms of
 * which a result is the sum. */
static void check_close(const char *what, const struct array *expected, const struct array *actual,
                        double span, double size) {
    for (int64_t i = 0; i < expected->count; i++) {
        double e = expected->values[i], a = actual->values[i];
        double slack = (fabs(e) + size) * (5e-7 + span * 1e-7) + 1e-37;
        if (isnan(e) && isnan(a)) continue;
        if (a >= round_to_type(e - slack, actual->type) && a <= round_to_type(e + slack, actual->type))
            continue;
        failure("%s: element %lld is %.9g, not %.9g", what, (long long)i, a, e);
        return;
    }
}

struct problem {
    dnnl_alg_kind_t alg;
    int axis;
    const char *src_tag, *dst_tag;
    bool in_place;
};

static double span_of(const struct array *src) {
    double least = INFINITY, most = -INFINITY;
    for (int64_t i = 0; i < src->count; i++)
        least = fmin(least, src->values[i]), most = fmax(most, src->values[i]);
    return src->count ? most - least : 0;
}

/* Every implementation of one problem. */
static void run_problem(const struct problem *p, const struct array *src, dnnl_data_type_t dst_type,
                        const struct attr_case *c) {
    struct array dst = array_new(src->ndims, src->dims, dst_type),
                 first = array_new(src->ndims, src->dims, dst_type);
    struct attr_run run;
    attr_run_init(&run, c, src, src, &dst);
    reference(&dst, src, p->alg, p->axis, &run);
    char what[256];
    snprintf(what, sizeof what, "algorithm 0x%x, axis %d of %lldx%lld…, %d %s to %d %s, %s%s", (int)p->alg,
             p->axis, (long long)src->dims[0], (long long)src->dims[1], (int)src->type, p->src_tag,
             (int)dst_type, p->dst_tag ? p->dst_tag : "any", c->name, p->in_place ? ", in place" : "");
    dnnl_primitive_desc_t pd;
    dnnl_status_t status = desc_new(&pd, p->alg, src, p->src_tag, &dst, p->dst_tag, p->axis, run.attr);
    if (status != dnnl_success) failure("%s: creation gives %d", what, (int)status);
    for (int i = 0; status == dnnl_success; i++, status = dnnl_primitive_desc_next_impl(pd)) {
        struct array result = array_new(src->ndims, src->dims, dst_type);
        run_unary(pd, &run, src, p->in_place, &result, what);
        bool log = p->alg == dnnl_softmax_log;
        check_close(what, &dst, &result, log ? 0 : span_of(src), log ? 1 : run.nops ? 4 : 0);
        if (i == 0) memcpy(first.values, result.values, (size_t)result.count * sizeof *result.values);
        if (memcmp(first.values, result.values, (size_t)result.count * sizeof *result.values))
            failure("%s: implementations differ", what);
        array_free(&result);
        problems_run++;
    }
    if (status == dnnl_last_impl_reached) dnnl_primitive_desc_destroy(pd);
    attr_run_free(&run);
    array_free(&dst);
    array_free(&first);
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
    printf("%d problems\n", problems_run);
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

/* Large numbers do not overflow; minus infinity counts for nothing; NaN spoils its line and no other. */
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
    struct array result = array_new(2, dims, dnnl_f32);
    dnnl_primitive_desc_t pd;
    assert_int_equal(desc_new(&pd, dnnl_softmax_accurate, &src, "ab", &src, "ab", 1, NULL), dnnl_success);
    struct attr_run run;
    attr_run_init(&run, &plain, &src, &src, &src);
    for (dnnl_status_t status = dnnl_success; status == dnnl_success;
         status = dnnl_primitive_desc_next_impl(pd)) {
        double sums[4] = {0};
        run_unary(pd, &run, &src, false, &result, "special values");
        for (int i = 0; i < 80; i++)
            sums[i / 20] += result.values[i];
        assert_true(fabs(sums[0] - 1) < 1e-5 && fabs(sums[1] - 1) < 1e-5 && isnan(sums[2])
                    && fabs(sums[3] - 1) < 1e-5);
        assert_true(result.values[21] == 0);
    }
    dnnl_primitive_desc_destroy(pd);
    attr_run_free(&run);
    array_free(&src);
    array_free(&result);
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
            cmocka_unit_test(shapes),         cmocka_unit_test(types),    cmocka_unit_test(attributes),
            cmocka_unit_test(special_values), cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
