/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Element-wise functions, forward, against C's mathematics in double: algorithms x types x layouts, on every
 * implementation that takes the problem; then in place, post-ops, and what must be refused.
 */
#include "primitives/harness.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

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

/* Every implementation of one problem. */
static void run_problem(const struct function *f, const struct array *src, const char *src_tag,
                        dnnl_data_type_t dst_type, const char *dst_tag, bool in_place) {
    struct array dst = array_like(src, dst_type), error = array_like(src, dnnl_f64);
    char what[256];
    snprintf(what, sizeof what, "algorithm 0x%x(%g, %g), %d %s to %d %s%s", (int)f->alg, (double)f->alpha,
             (double)f->beta, (int)src->type, src_tag, (int)dst_type, dst_tag ? dst_tag : "any",
             in_place ? " in place" : "");
    for (int64_t i = 0; i < src->count; i++)
        store_bounded(eltwise_forward(f->alg, f->alpha, f->beta, exactly(src->values[i])), i, &dst, &error);
    dnnl_primitive_desc_t pd;
    dnnl_status_t status = desc_new(&pd, f, src, src_tag, &dst, dst_tag, NULL);
    run_implementations(status, pd,
                        &(struct test_run){.what = what,
                                           .inputs = {{DNNL_ARG_SRC, src}},
                                           .outputs = {{DNNL_ARG_DST, &dst, .error = &error,
                                                        .in_place_of = in_place ? DNNL_ARG_SRC : 0}}});
    array_free(&dst);
    array_free(&error);
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
        for (int t = 0; t < (functions[f].alg == dnnl_eltwise_round ? 1 : COUNT(types)); t++)
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
    printf("%d runs\n", implementations_run);
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
        /* Far from 0 the formulas of these give 0 * inf, not their limit. */
        if (functions[f].alg == dnnl_eltwise_gelu_tanh || functions[f].alg == dnnl_eltwise_gelu_erf
            || functions[f].alg == dnnl_eltwise_mish || functions[f].alg == dnnl_eltwise_hardswish
            || functions[f].alg == dnnl_eltwise_swish)
            src.values[0] = src.values[1] = src.values[11] = src.values[12] = src.values[13] =
                    src.values[14] = 1;
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

/* A relu and post-ops: exact on small numbers, within the bound on real ones. */
static void run_post_ops(const struct attr_case *c, const char *tag, dnnl_data_type_t type, bool real) {
    static const dnnl_dims_t dims = {2, 5, 3, 4};
    struct array src = array_new(4, dims, type), dst = array_new(4, dims, type),
                 error = array_new(4, dims, dnnl_f64);
    struct attr_run run;
    if (real)
        array_fill_real(&src, 1);
    else
        array_fill(&src, 6, 1);
    attr_run_init(&run, c, &src, &src, &dst);
    dnnl_dims_t at = {0};
    do {
        struct bounded x = leaky_relu(exactly(array_at(&src, at)), 0);
        store_bounded(attr_run_apply(&run, x, 0, 0, at), array_index(&dst, at), &dst, &error);
    } while (next_position(4, dims, at));
    dnnl_primitive_desc_t pd;
    dnnl_status_t status = desc_new(&pd, &functions[0], &src, tag, &dst, tag, run.attr);
    run_implementations(status, pd,
                        &(struct test_run){.what = c->name,
                                           .attr = &run,
                                           .inputs = {{DNNL_ARG_SRC, &src}},
                                           .outputs = {{DNNL_ARG_DST, &dst, .error = real ? &error : NULL}}});
    attr_run_free(&run);
    array_free(&src);
    array_free(&dst);
    array_free(&error);
}

static void post_ops(void **state) {
    (void)state;
    failures = 0;
    static const char *const tags[] = {"abcd", "acdb", "aBcd16b"};
    static const dnnl_data_type_t types[] = {dnnl_f32, dnnl_s8};
    for (int c = 0; c < COUNT(post_op_cases); c++)
        for (int t = 0; t < COUNT(tags); t++)
            for (int k = 0; k < COUNT(types); k++)
                for (int real = 0; real < 2; real++)
                    if (!real || types[k] == dnnl_f32)
                        run_post_ops(&post_op_cases[c], tags[t], types[k], real);
    assert_int_equal(failures, 0);
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
                       const struct array *condition) {
    const int post_op = DNNL_ARG_ATTR_MULTIPLE_POST_OP(0);
    const struct function identity = {dnnl_eltwise_linear, 1, 0};
    struct array dst = array_like(src, dnnl_f32), error = array_like(src, dnnl_f64), none = {0};
    dnnl_memory_desc_t md = md_of(src, "ab"), condition_md = md_of(condition, "ab");
    dnnl_primitive_attr_t attr = binary_attr(alg, md, condition_md);
    dnnl_primitive_desc_t pd;
    char what[64];
    bool select = alg == dnnl_binary_select, divide = alg == dnnl_binary_div;
    snprintf(what, sizeof what, "binary 0x%x", alg);
    for (int64_t i = 0; i < src->count; i++)
        store_bounded(binary_forward((dnnl_alg_kind_t)alg, exactly(src->values[i]),
                                     exactly(operand->values[i]), condition->values[i % condition->count]),
                      i, &dst, &error);
    dnnl_status_t status = desc_new(&pd, &identity, src, "ab", &dst, "ab", attr);
    run_implementations(
            status, pd,
            &(struct test_run){.what = what,
                               .inputs = {{DNNL_ARG_SRC, src},
                                          {post_op | DNNL_ARG_SRC_1, operand},
                                          {post_op | DNNL_ARG_SRC_2, select ? condition : &none}},
                               .outputs = {{DNNL_ARG_DST, &dst, .error = divide ? &error : NULL}}});
    dnnl_primitive_attr_destroy(attr);
    dnnl_memory_desc_destroy(md);
    dnnl_memory_desc_destroy(condition_md);
    array_free(&dst);
    array_free(&error);
}

/* Every binary algorithm as a post-op, the condition of a select broadcast and of bytes. Small numbers: all
 * but quotients are exact. */
static void binary_algorithms(void **state) {
    (void)state;
    failures = 0;
    static const dnnl_dims_t dims = {3, 20}, row = {1, 20};
    struct array src = array_new(2, dims, dnnl_f32), operand = array_new(2, dims, dnnl_f32),
                 condition = array_new(2, row, dnnl_s8);
    array_fill(&src, 3, 1);
    array_fill(&operand, 3, 2);
    array_fill(&condition, 1, 3);
    for (int alg = dnnl_binary_add; alg <= dnnl_binary_select; alg++)
        run_binary(alg, &src, &operand, &condition);
    array_free(&src);
    array_free(&operand);
    array_free(&condition);
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
