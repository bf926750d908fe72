/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Element-wise functions, forward, against C's mathematics in double: algorithms x types x layouts, on every
 * implementation that takes the problem; then in place, post-ops, and what must be refused.
 */
#include "primitives/harness.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct function {
    dnnl_alg_kind_t alg;
    float alpha, beta;
};

static const struct function functions[] = {
        {dnnl_eltwise_relu, 0, 0},
        {dnnl_eltwise_relu, 0.5f, 0},
        {dnnl_eltwise_tanh, 0, 0},
        {dnnl_eltwise_elu, 0.5f, 0},
        {dnnl_eltwise_square, 0, 0},
        {dnnl_eltwise_abs, 0, 0},
        {dnnl_eltwise_sqrt, 0, 0},
        {dnnl_eltwise_linear, 0.25f, 3},
        {dnnl_eltwise_linear, 2, 0},
        {dnnl_eltwise_soft_relu, 1, 0},
        {dnnl_eltwise_soft_relu, -2, 0},
        {dnnl_eltwise_hardsigmoid, 0.25f, 0.5f},
        {dnnl_eltwise_logistic, 0, 0},
        {dnnl_eltwise_exp, 0, 0},
        {dnnl_eltwise_gelu_tanh, 0, 0},
        {dnnl_eltwise_swish, 1.5f, 0},
        {dnnl_eltwise_log, 0, 0},
        {dnnl_eltwise_clip, -1, 2},
        {dnnl_eltwise_clip, 1, 2},
        {dnnl_eltwise_clip_v2, -1, 2},
        {dnnl_eltwise_pow, 2, 0.5f},
        {dnnl_eltwise_pow, 1, 3},
        {dnnl_eltwise_pow, 0.5f, -1},
        {dnnl_eltwise_gelu_erf, 0, 0},
        {dnnl_eltwise_round, 0, 0},
        {dnnl_eltwise_mish, 0, 0},
        {dnnl_eltwise_hardswish, 0.25f, 0.5f},
        {dnnl_eltwise_relu_use_dst_for_bwd, 0.5f, 0},
        {dnnl_eltwise_tanh_use_dst_for_bwd, 0, 0},
        {dnnl_eltwise_elu_use_dst_for_bwd, 0.5f, 0},
        {dnnl_eltwise_sqrt_use_dst_for_bwd, 0, 0},
        {dnnl_eltwise_logistic_use_dst_for_bwd, 0, 0},
        {dnnl_eltwise_exp_use_dst_for_bwd, 0, 0},
        {dnnl_eltwise_clip_v2_use_dst_for_bwd, -1, 2},
};

static double hardsigmoid(double x, double alpha, double beta) {
    return isnan(x) ? x : fmax(0, fmin(1, alpha * x + beta));
}

static double exact(const struct function *f, double x) {
    double alpha = (double)f->alpha, beta = (double)f->beta;
    switch ((int)f->alg) {
    case dnnl_eltwise_relu:
    case dnnl_eltwise_relu_use_dst_for_bwd: return x > 0 ? x : alpha * x;
    case dnnl_eltwise_tanh:
    case dnnl_eltwise_tanh_use_dst_for_bwd: return tanh(x);
    case dnnl_eltwise_elu:
    case dnnl_eltwise_elu_use_dst_for_bwd: return x > 0 ? x : alpha * expm1(x);
    case dnnl_eltwise_square: return x * x;
    case dnnl_eltwise_abs: return fabs(x);
    case dnnl_eltwise_sqrt:
    case dnnl_eltwise_sqrt_use_dst_for_bwd: return sqrt(x);
    case dnnl_eltwise_linear: return alpha * x + beta;
    case dnnl_eltwise_soft_relu: return alpha * x > 700 ? x : log1p(exp(alpha * x)) / alpha;
    case dnnl_eltwise_hardsigmoid: return hardsigmoid(x, alpha, beta);
    case dnnl_eltwise_logistic:
    case dnnl_eltwise_logistic_use_dst_for_bwd: return 1 / (1 + exp(-x));
    case dnnl_eltwise_exp:
    case dnnl_eltwise_exp_use_dst_for_bwd: return exp(x);
    case dnnl_eltwise_gelu_tanh: return 0.5 * x * (1 + tanh(sqrt(2 / acos(-1)) * x * (1 + 0.044715 * x * x)));
    case dnnl_eltwise_swish: return x / (1 + exp(-alpha * x));
    case dnnl_eltwise_log: return log(x);
    case dnnl_eltwise_clip:
    case dnnl_eltwise_clip_v2:
    case dnnl_eltwise_clip_v2_use_dst_for_bwd: return fmin(fmax(x, alpha), beta);
    case dnnl_eltwise_pow: return alpha * pow(x, beta);
    case dnnl_eltwise_gelu_erf: return 0.5 * x * (1 + erf(x * sqrt(0.5)));
    case dnnl_eltwise_round: return nearbyint(x);
    case dnnl_eltwise_mish: return x * tanh(log1p(exp(x)));
    case dnnl_eltwise_hardswish: return x * hardsigmoid(x, alpha, beta);
    default: abort();
    }
}

/* Sums that cancel (1 + tanh, 1 + erf, alpha x + beta) keep the error of their terms, and exponents that of
 * the product they are. */
static double scale_of(const struct function *f, double x, double y) {
    switch ((int)f->alg) {
    case dnnl_eltwise_gelu_tanh:
    case dnnl_eltwise_gelu_erf: return fmax(fabs(y), fabs(x));
    case dnnl_eltwise_swish: return fmax(fabs(y) * (1 + fabs((double)f->alpha * x)), fabs(x) * 0x1p-126);
    case dnnl_eltwise_mish: return fmax(fabs(y), fabs(x) * 0x1p-126);
    case dnnl_eltwise_linear:
    case dnnl_eltwise_hardsigmoid: return fmax(fabs(y), 1);
    default: return fabs(y);
    }
}

static int problems_run;

/* The last place of a float of this size. */
static double unit_of(double x) {
    return ldexp(1, (x != 0 && ilogb(x) > -126 ? ilogb(x) : -126) - 23);
}

static double greatest(dnnl_data_type_t type) {
    return type == dnnl_f16 ? 65504 : type == dnnl_bf16 ? 0x1.fep127 : (double)FLT_MAX;
}

static double stored(double x, dnnl_data_type_t type) {
    double y = round_to_type(x, type);
    return fabs(y) > greatest(type) ? copysign(INFINITY, y) : y;
}

/* Five units of f32 in the computation, before the result is rounded to the type of dst. */
static bool close_enough(const struct function *f, double x, double y, dnnl_data_type_t type, double got) {
    double slack = 5 * unit_of(scale_of(f, x, y));
    if (isnan(y)) return isnan(got);
    if (isinf(y)) return got == y;
    return got >= stored(y - slack, type) && got <= stored(y + slack, type);
}

static dnnl_status_t desc_new(dnnl_primitive_desc_t *pd, const struct function *f, const struct array *src,
                              const char *src_tag, const struct array *dst, const char *dst_tag,
                              const_dnnl_primitive_attr_t attr) {
    dnnl_memory_desc_t from = md_of(src, src_tag), to = md_of(dst, dst_tag);
    dnnl_status_t status = dnnl_eltwise_forward_primitive_desc_create(
            pd, test_engine(), dnnl_forward_inference, f->alg, from, to, f->alpha, f->beta, attr);
    dnnl_memory_desc_destroy(from);
    dnnl_memory_desc_destroy(to);
    return status;
}

static void compare(const char *what, const struct function *f, const struct array *src,
                    const struct array *result) {
    for (int64_t i = 0; i < src->count; i++) {
        double x = src->values[i], y = exact(f, x), got = result->values[i];
        if (close_enough(f, x, y, result->type, got)) continue;
        failure("%s: of %.9g it is %.9g, not %.9g", what, x, got, y);
        return;
    }
}

/* Every implementation of one problem. */
static void run_problem(const struct function *f, const struct array *src, const char *src_tag,
                        dnnl_data_type_t dst_type, const char *dst_tag, bool in_place) {
    struct array result = array_new(src->ndims, src->dims, dst_type);
    char what[256];
    snprintf(what, sizeof what, "algorithm 0x%x(%g, %g), %d %s to %d %s%s", (int)f->alg, (double)f->alpha,
             (double)f->beta, (int)src->type, src_tag, (int)dst_type, dst_tag ? dst_tag : "any",
             in_place ? " in place" : "");
    dnnl_primitive_desc_t pd;
    dnnl_status_t status = desc_new(&pd, f, src, src_tag, &result, dst_tag, NULL);
    if (status != dnnl_success) failure("%s: creation gives %d", what, (int)status);
    for (; status == dnnl_success; status = dnnl_primitive_desc_next_impl(pd)) {
        run_unary(pd, NULL, src, in_place, &result, what);
        compare(what, f, src, &result);
        problems_run++;
    }
    if (status == dnnl_last_impl_reached) dnnl_primitive_desc_destroy(pd);
    array_free(&result);
}

/* Numbers of all sizes, of both signs, many near 0. */
static void fill(struct array *src, unsigned seed) {
    array_fill_real(src, seed);
    for (int64_t i = 0; i < src->count; i++) {
        double x = src->values[i] * (i % 3 == 0 ? 0.5 : i % 3 == 1 ? 6 : 100);
        src->values[i] = round_to_type(x, src->type);
    }
    array_fill(&(struct array){.type = src->type, .count = src->count > 8 ? 8 : 0, .values = src->values}, 3,
               seed);
}

static void floats(void **state) {
    (void)state;
    failures = 0;
    static const dnnl_dims_t dims = {2, 19, 5, 7};
    static const char *const tags[] = {"abcd", "acdb", "aBcd16b", "cdba"};
    static const dnnl_data_type_t types[] = {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_f8_e5m2, dnnl_f8_e4m3};
    for (int f = 0; f < COUNT(functions); f++)
        for (int t = 0; t < COUNT(types); t++)
            for (int k = 0; k < COUNT(tags); k++) {
                struct array src = array_new(4, dims, types[t]);
                if (t < 3)
                    fill(&src, (unsigned)(f + k));
                else
                    array_fill(&src, 4, (unsigned)(f + k));
                run_problem(&functions[f], &src, tags[k], t < 3 ? types[t] : dnnl_f32, tags[k], false);
                if (t == 0) run_problem(&functions[f], &src, tags[k], types[t], NULL, true);
                if (t == 1) run_problem(&functions[f], &src, tags[k], dnnl_f32, tags[(k + 1) % 4], false);
                array_free(&src);
            }
    printf("%d problems\n", problems_run);
    assert_int_equal(failures, 0);
}

static void integers(void **state) {
    (void)state;
    failures = 0;
    static const dnnl_dims_t dims = {3, 5, 4};
    static const dnnl_data_type_t types[] = {dnnl_s8, dnnl_u8, dnnl_s32};
    static const struct function both[] = {{dnnl_eltwise_relu, 0, 0},
                                           {dnnl_eltwise_relu, 0.5f, 0},
                                           {dnnl_eltwise_linear, 2, 1},
                                           {dnnl_eltwise_linear, -0.5f, 0}};
    for (int f = 0; f < COUNT(both); f++)
        for (int t = 0; t < COUNT(types); t++) {
            struct array src = array_new(3, dims, types[t]);
            array_fill(&src, 100, (unsigned)t);
            run_problem(&both[f], &src, "abc", types[t], "abc", false);
            run_problem(&both[f], &src, "aBc16b", types[t], "aBc16b", false);
            run_problem(&both[f], &src, "abc", types[t], "abc", true);
            array_free(&src);
        }
    assert_int_equal(failures, 0);
}

/* Lengths around the width of vectors and the share of a work-item. */
static void lengths(void **state) {
    (void)state;
    failures = 0;
    static const dnnl_dim_t sizes[] = {0, 1, 2, 15, 16, 17, 31, 33, 4095, 4096, 4097, 10000};
    for (int i = 0; i < COUNT(sizes); i++) {
        struct array src = array_new(1, &sizes[i], dnnl_f32);
        array_fill_real(&src, (unsigned)i);
        run_problem(&functions[2], &src, "a", dnnl_f32, "a", false);
        run_problem(&functions[0], &src, "a", dnnl_f32, "a", true);
        array_free(&src);
    }
    assert_int_equal(failures, 0);
}

static void special_values(void **state) {
    (void)state;
    failures = 0;
    static const double values[] = {INFINITY, -INFINITY, NAN,  0.0,  -0.0,  1e-40, -1e-40, 89,
                                    -89,      104,       -104, 1e30, -1e30, 3e38,  -3e38};
    static const dnnl_dims_t dims = {COUNT(values)};
    for (int f = 0; f < COUNT(functions); f++) {
        struct array src = array_new(1, dims, dnnl_f32);
        for (int i = 0; i < COUNT(values); i++)
            src.values[i] = (double)(float)values[i];
        /* Limits of these at -inf are not what the formula says: 0 * inf. */
        if (functions[f].alg == dnnl_eltwise_gelu_tanh || functions[f].alg == dnnl_eltwise_gelu_erf
            || functions[f].alg == dnnl_eltwise_mish || functions[f].alg == dnnl_eltwise_hardswish
            || functions[f].alg == dnnl_eltwise_swish)
            src.values[0] = src.values[1] = src.values[11] = src.values[12] = src.values[13] =
                    src.values[14] = 1;
        if (functions[f].alg == dnnl_eltwise_relu && functions[f].alpha == 0) src.values[1] = -1;
        run_problem(&functions[f], &src, "a", dnnl_f32, "a", false);
        array_free(&src);
    }
    assert_int_equal(failures, 0);
}

/* Binary post-ops, more of them than one launch holds, also with operands whose layout is open. */
static const struct attr_case post_op_cases[] = {
        {.name = "one", .ops = {BINARY(dnnl_binary_add, 2)}},
        {.name = "four",
         .ops = {BINARY(dnnl_binary_add, 2),
                 {.kind = dnnl_binary, .alg = dnnl_binary_max, .mask = -1, .type = dnnl_s8},
                 BINARY(dnnl_binary_mul, 0),
                 {.kind = dnnl_binary, .alg = dnnl_binary_min, .mask = 12, .type = dnnl_bf16}}},
        {.name = "twelve",
         .ops = {BINARY(dnnl_binary_add, 2), BINARY(dnnl_binary_sub, 4), BINARY(dnnl_binary_add, 8),
                 BINARY(dnnl_binary_max, -1), BINARY(dnnl_binary_add, 1), BINARY(dnnl_binary_sub, 3),
                 BINARY(dnnl_binary_add, 5), BINARY(dnnl_binary_min, 9), BINARY(dnnl_binary_add, 14),
                 BINARY(dnnl_binary_sub, 0), BINARY(dnnl_binary_add, 6), BINARY(dnnl_binary_max, 2)}},
};

static void run_post_ops(const struct attr_case *c, const char *tag, dnnl_data_type_t type) {
    static const dnnl_dims_t dims = {2, 5, 3, 4};
    struct array src = array_new(4, dims, type), dst = array_new(4, dims, type),
                 result = array_new(4, dims, type);
    struct attr_run run;
    array_fill(&src, 6, 1);
    attr_run_init(&run, c, &src, &src, &dst);
    dnnl_dims_t at = {0};
    do {
        double x = array_at(&src, at);
        dst.values[array_index(&dst, at)] = attr_run_apply(&run, x > 0 ? x : 0, 0, 0, at);
    } while (next_position(4, dims, at));
    dnnl_primitive_desc_t pd;
    assert_int_equal(desc_new(&pd, &functions[0], &src, tag, &dst, tag, run.attr), dnnl_success);
    run_unary(pd, &run, &src, false, &result, c->name);
    check_equal(c->name, &dst, &result);
    dnnl_primitive_desc_destroy(pd);
    attr_run_free(&run);
    array_free(&src);
    array_free(&dst);
    array_free(&result);
}

static void post_ops(void **state) {
    (void)state;
    failures = 0;
    static const char *const tags[] = {"abcd", "acdb", "aBcd16b"};
    static const dnnl_data_type_t types[] = {dnnl_f32, dnnl_s8};
    for (int c = 0; c < COUNT(post_op_cases); c++)
        for (int t = 0; t < COUNT(tags); t++)
            for (int k = 0; k < COUNT(types); k++)
                run_post_ops(&post_op_cases[c], tags[t], types[k]);
    assert_int_equal(failures, 0);
}

static double binary(int alg, double x, double y, double condition) {
    switch (alg) {
    case dnnl_binary_add: return x + y;
    case dnnl_binary_mul: return x * y;
    case dnnl_binary_max: return x > y ? x : y;
    case dnnl_binary_min: return x < y ? x : y;
    case dnnl_binary_div: return x / y;
    case dnnl_binary_sub: return x - y;
    case dnnl_binary_ge: return x >= y;
    case dnnl_binary_gt: return x > y;
    case dnnl_binary_le: return x <= y;
    case dnnl_binary_lt: return x < y;
    case dnnl_binary_eq: return x == y;
    case dnnl_binary_ne: return x != y;
    default: return condition != 0 ? x : y;
    }
}

static dnnl_primitive_attr_t binary_attr(int alg, const_dnnl_memory_desc_t operand,
                                         const_dnnl_memory_desc_t condition) {
    dnnl_post_ops_t ops;
    dnnl_primitive_attr_t attr;
    assert_int_equal(dnnl_post_ops_create(&ops), dnnl_success);
    assert_int_equal(dnnl_post_ops_append_binary_v2(ops, (dnnl_alg_kind_t)alg, operand,
                                                    alg == dnnl_binary_select ? condition : NULL),
                     dnnl_success);
    assert_int_equal(dnnl_primitive_attr_create(&attr), dnnl_success);
    assert_int_equal(dnnl_primitive_attr_set_post_ops(attr, ops), dnnl_success);
    dnnl_post_ops_destroy(ops);
    return attr;
}

static void run_binary(int alg, const struct array *src, const struct array *operand,
                       const struct array *condition, struct array *dst, struct array *result) {
    const int post_op = DNNL_ARG_ATTR_MULTIPLE_POST_OP(0);
    const struct function identity = {dnnl_eltwise_linear, 1, 0};
    dnnl_memory_desc_t md = md_of(src, "ab"), condition_md = md_of(condition, "ab");
    dnnl_primitive_attr_t attr = binary_attr(alg, md, condition_md);
    dnnl_primitive_desc_t pd;
    struct exec exec = {0};
    char what[64];
    snprintf(what, sizeof what, "binary 0x%x", alg);
    for (int64_t i = 0; i < src->count; i++)
        dst->values[i] =
                binary(alg, src->values[i], operand->values[i], condition->values[i % condition->count]);
    assert_int_equal(desc_new(&pd, &identity, src, "ab", dst, "ab", attr), dnnl_success);
    exec_add_array(&exec, DNNL_ARG_SRC, src, "ab");
    exec_add(&exec, DNNL_ARG_DST, memory_new(md, NULL));
    exec_add_array(&exec, post_op | DNNL_ARG_SRC_1, operand, "ab");
    if (alg == dnnl_binary_select) exec_add_array(&exec, post_op | DNNL_ARG_SRC_2, condition, "ab");
    assert_int_equal(exec_run(&exec, pd), dnnl_success);
    memory_read(exec_find(&exec, DNNL_ARG_DST), result);
    check_equal(what, dst, result);
    exec_free(&exec);
    dnnl_primitive_desc_destroy(pd);
    dnnl_primitive_attr_destroy(attr);
    dnnl_memory_desc_destroy(md);
    dnnl_memory_desc_destroy(condition_md);
}

/* Every binary algorithm as a post-op, the condition of a select broadcast and of bytes. */
static void binary_algorithms(void **state) {
    (void)state;
    failures = 0;
    static const dnnl_dims_t dims = {3, 20}, row = {1, 20};
    struct array src = array_new(2, dims, dnnl_f32), operand = array_new(2, dims, dnnl_f32),
                 condition = array_new(2, row, dnnl_s8), dst = array_new(2, dims, dnnl_f32),
                 result = array_new(2, dims, dnnl_f32);
    array_fill(&src, 3, 1);
    array_fill(&operand, 3, 2);
    array_fill(&condition, 1, 3);
    for (int alg = dnnl_binary_add; alg <= dnnl_binary_select; alg++)
        run_binary(alg, &src, &operand, &condition, &dst, &result);
    struct array *arrays[] = {&src, &operand, &condition, &dst, &result};
    for (int i = 0; i < COUNT(arrays); i++)
        array_free(arrays[i]);
    assert_int_equal(failures, 0);
}

static void refusals(void **state) {
    (void)state;
    failures = 0;
    static const dnnl_dims_t dims = {2, 3}, other = {2, 4};
    dnnl_memory_desc_t md = md_new(2, dims, dnnl_f32, "ab"), any = md_new(2, dims, dnnl_f32, NULL),
                       wrong = md_new(2, other, dnnl_f32, "ab"), bytes = md_new(2, dims, dnnl_s8, "ab");
    dnnl_primitive_desc_t pd = (dnnl_primitive_desc_t)&pd, untouched = pd;
    const struct {
        dnnl_prop_kind_t prop;
        dnnl_alg_kind_t alg;
        dnnl_memory_desc_t src, dst;
        float alpha, beta;
    } cases[] = {
            {dnnl_backward, dnnl_eltwise_relu, md, md, 0, 0},
            {dnnl_forward_inference, dnnl_eltwise_relu, NULL, md, 0, 0},
            {dnnl_forward_inference, dnnl_eltwise_relu, md, NULL, 0, 0},
            {dnnl_forward_inference, dnnl_eltwise_relu, any, md, 0, 0},
            {dnnl_forward_inference, dnnl_eltwise_relu, md, wrong, 0, 0},
            {dnnl_forward_inference, dnnl_pooling_max, md, md, 0, 0},
            {dnnl_forward_inference, dnnl_eltwise_clip, md, md, 2, 1},
            {dnnl_forward_inference, dnnl_eltwise_tanh, bytes, bytes, 0, 0},
            {dnnl_forward_inference, dnnl_eltwise_relu_use_dst_for_bwd, md, md, -1, 0},
    };
    for (int i = 0; i < COUNT(cases); i++)
        assert_int_equal(dnnl_eltwise_forward_primitive_desc_create(&pd, test_engine(), cases[i].prop,
                                                                    cases[i].alg, cases[i].src, cases[i].dst,
                                                                    cases[i].alpha, cases[i].beta, NULL),
                         dnnl_invalid_arguments);
    assert_int_equal(dnnl_eltwise_forward_primitive_desc_create(NULL, test_engine(), dnnl_forward_inference,
                                                                dnnl_eltwise_relu, md, md, 0, 0, NULL),
                     dnnl_invalid_arguments);
    assert_int_equal(dnnl_eltwise_forward_primitive_desc_create(&pd, NULL, dnnl_forward_inference,
                                                                dnnl_eltwise_relu, md, md, 0, 0, NULL),
                     dnnl_invalid_arguments);
    assert_ptr_equal(pd, untouched);
    dnnl_memory_desc_destroy(md);
    dnnl_memory_desc_destroy(any);
    dnnl_memory_desc_destroy(wrong);
    dnnl_memory_desc_destroy(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(floats),         cmocka_unit_test(integers), cmocka_unit_test(lengths),
            cmocka_unit_test(special_values), cmocka_unit_test(post_ops), cmocka_unit_test(binary_algorithms),
            cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
