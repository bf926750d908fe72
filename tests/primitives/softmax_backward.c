/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Softmax and its logarithm, backward, against plain loops in double: axes x types x layouts, on every
 * implementation that takes the problem; what must be refused.
 */
#include "primitives/harness.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct problem {
    dnnl_alg_kind_t alg;
    int axis;
    const char *dst_tag, *diff_dst_tag, *diff_src_tag; /* NULL: open */
    bool in_place;
};

/* The line through `at`. */
static void line(const struct problem *p, const struct array *dst, const struct array *diff_dst,
                 struct array *diff_src, struct array *error, dnnl_dim_t *at) {
    const bool log = p->alg == dnnl_softmax_log;
    dnnl_dim_t *i = &at[p->axis], length = dst->dims[p->axis];
    struct sum sum = {0};
    for (*i = 0; *i < length; ++*i) {
        struct bounded d = exactly(array_at(diff_dst, at));
        sum_add_bounded(&sum, log ? d : bounded_mul(d, exactly(array_at(dst, at))));
    }
    struct bounded total = sum_of_terms(&sum);
    for (*i = 0; *i < length; ++*i) {
        struct bounded y = exactly(array_at(dst, at)), d = exactly(array_at(diff_dst, at));
        struct bounded x = log ? bounded_sub(d, bounded_mul(bounded_function(exp, y, ULPS_EXP), total))
                               : bounded_mul(y, bounded_sub(d, total));
        store_bounded(x, array_index(diff_src, at), diff_src, error);
    }
    *i = 0;
}

static void reference(const struct problem *p, const struct array *dst, const struct array *diff_dst,
                      struct array *diff_src, struct array *error) {
    dnnl_dims_t at = {0}, lines;
    if (dst->count == 0) return;
    memcpy(lines, dst->dims, sizeof lines);
    lines[p->axis] = 1;
    do
        line(p, dst, diff_dst, diff_src, error, at);
    while (next_position(dst->ndims, lines, at));
}

/* The hint is that of a forward primitive with the same dst. */
static dnnl_status_t desc_new(dnnl_primitive_desc_t *pd, const struct problem *p, const struct array *dst,
                              const struct array *diff_dst, const struct array *diff_src) {
    dnnl_memory_desc_t from = md_of(dst, p->dst_tag), in = md_of(diff_dst, p->diff_dst_tag),
                       out = md_of(diff_src, p->diff_src_tag);
    dnnl_primitive_desc_t hint = NULL;
    dnnl_status_t status = dnnl_softmax_forward_primitive_desc_create(
            &hint, test_engine(), dnnl_forward_training, p->alg, from, from, p->axis, NULL);
    if (status == dnnl_success)
        status = dnnl_softmax_backward_primitive_desc_create(pd, test_engine(), p->alg, out, in, from,
                                                             p->axis, hint, NULL);
    dnnl_primitive_desc_destroy(hint);
    dnnl_memory_desc_destroy(from);
    dnnl_memory_desc_destroy(in);
    dnnl_memory_desc_destroy(out);
    return status;
}

/* Every implementation of one problem. */
static void run_problem(const struct problem *p, int ndims, const dnnl_dim_t *dims,
                        const dnnl_data_type_t *types) {
    struct array dst = array_new(ndims, dims, types[0]), diff_dst = array_new(ndims, dims, types[1]),
                 diff_src = array_new(ndims, dims, types[2]), error = array_new(ndims, dims, dnnl_f64);
    array_fill_real(&dst, (unsigned)ndims);
    array_fill_real(&diff_dst, (unsigned)(7 + p->axis));
    reference(p, &dst, &diff_dst, &diff_src, &error);
    char what[256];
    snprintf(what, sizeof what, "algorithm 0x%x, axis %d of %lldx%lld…, types %d %d %d, %s, %s to %s%s",
             (int)p->alg, p->axis, (long long)dims[0], (long long)dims[1], (int)types[0], (int)types[1],
             (int)types[2], p->dst_tag, p->diff_dst_tag ? p->diff_dst_tag : "any",
             p->diff_src_tag ? p->diff_src_tag : "any", p->in_place ? ", in place" : "");
    dnnl_primitive_desc_t pd;
    dnnl_status_t status = desc_new(&pd, p, &dst, &diff_dst, &diff_src);
    run_implementations(
            status, pd,
            &(struct test_run){.what = what,
                               .inputs = {{DNNL_ARG_DST, &dst}, {DNNL_ARG_DIFF_DST, &diff_dst}},
                               .outputs = {{DNNL_ARG_DIFF_SRC, &diff_src, .error = &error,
                                            .in_place_of = p->in_place ? DNNL_ARG_DIFF_DST : 0}}});
    array_free(&dst);
    array_free(&diff_dst);
    array_free(&diff_src);
    array_free(&error);
}

static const dnnl_alg_kind_t algorithms[] = {dnnl_softmax_accurate, dnnl_softmax_log};

static void shapes(void **state) {
    (void)state;
    failures = 0;
    static const dnnl_data_type_t f32[] = {dnnl_f32, dnnl_f32, dnnl_f32};
    static const struct {
        int ndims;
        dnnl_dims_t dims;
        const char *tags[6];
    } cases[] = {
            {1, {37}, {"a", "A16a"}},
            {2, {5, 2500}, {"ab", "ba", "aB16b"}},
            {2, {40, 3}, {"ab", "ba", "Ab16a"}},
            {2, {3, 16}, {"ab", "ba"}},
            {2, {4, 1}, {"ab", "ba"}},
            {2, {0, 4}, {"ab"}},
            {2, {4, 0}, {"ab"}},
            {4, {2, 19, 3, 5}, {"abcd", "acdb", "aBcd16b", "cdba", "aBcd8b"}},
            {3, {2, 3, 530}, {"abc", "cba"}},
            {3, {600, 2, 30}, {"abc", "bca"}},
    };
    for (int s = 0; s < COUNT(cases); s++)
        for (int t = 0; cases[s].tags[t]; t++)
            for (int axis = 0; axis < cases[s].ndims; axis++)
                for (int a = 0; a < 2; a++) {
                    const char *tag = cases[s].tags[t], *other = cases[s].tags[0];
                    const struct problem problems[] = {
                            {algorithms[a], axis, tag, tag, tag, false},
                            {algorithms[a], axis, tag, NULL, NULL, true},
                            {algorithms[a], axis, other, tag, other, false},
                            {algorithms[a], axis, tag, other, NULL, false},
                    };
                    for (int i = 0; i < COUNT(problems); i++)
                        run_problem(&problems[i], cases[s].ndims, cases[s].dims, f32);
                }
    printf("%d runs\n", implementations_run);
    assert_int_equal(failures, 0);
}

static void types(void **state) {
    (void)state;
    failures = 0;
    static const dnnl_dims_t dims = {3, 21, 4};
    static const char *const tags[] = {"abc", "acb", "aBc16b"};
    static const dnnl_data_type_t list[] = {dnnl_f32, dnnl_bf16, dnnl_f16};
    for (int i = 0; i < 27; i++)
        for (int k = 0; k < COUNT(tags); k++)
            for (int a = 0; a < 2; a++) {
                const dnnl_data_type_t each[] = {list[i % 3], list[i / 3 % 3], list[i / 9]};
                run_problem(&(struct problem){algorithms[a], 1, tags[k], tags[k], tags[k], false}, 3, dims,
                            each);
            }
    assert_int_equal(failures, 0);
}

static void refusals(void **state) {
    (void)state;
    static const dnnl_dims_t dims = {2, 3}, other = {2, 4};
    dnnl_memory_desc_t md = md_new(2, dims, dnnl_f32, "ab"), any = md_new(2, dims, dnnl_f32, NULL),
                       wrong = md_new(2, other, dnnl_f32, "ab"), bytes = md_new(2, dims, dnnl_s8, "ab");
    dnnl_primitive_desc_t pd = (dnnl_primitive_desc_t)&pd, untouched = pd;
    const struct {
        dnnl_alg_kind_t alg;
        dnnl_memory_desc_t diff_src, diff_dst, dst;
        int axis;
        dnnl_status_t status;
    } cases[] = {
            {dnnl_eltwise_relu, md, md, md, 1, dnnl_invalid_arguments},
            {dnnl_softmax_log, NULL, md, md, 1, dnnl_invalid_arguments},
            {dnnl_softmax_log, md, NULL, md, 1, dnnl_invalid_arguments},
            {dnnl_softmax_log, md, md, NULL, 1, dnnl_invalid_arguments},
            {dnnl_softmax_log, md, md, any, 1, dnnl_invalid_arguments},
            {dnnl_softmax_log, wrong, md, md, 1, dnnl_invalid_arguments},
            {dnnl_softmax_log, md, wrong, md, 1, dnnl_invalid_arguments},
            {dnnl_softmax_log, md, md, md, 2, dnnl_invalid_arguments},
            {dnnl_softmax_log, md, md, md, -1, dnnl_invalid_arguments},
            {dnnl_softmax_log, md, md, bytes, 1, dnnl_unimplemented},
    };
    for (int i = 0; i < COUNT(cases); i++)
        assert_int_equal(dnnl_softmax_backward_primitive_desc_create(&pd, test_engine(), cases[i].alg,
                                                                     cases[i].diff_src, cases[i].diff_dst,
                                                                     cases[i].dst, cases[i].axis, NULL, NULL),
                         cases[i].status);
    assert_ptr_equal(pd, untouched);
    dnnl_memory_desc_destroy(md);
    dnnl_memory_desc_destroy(any);
    dnnl_memory_desc_destroy(wrong);
    dnnl_memory_desc_destroy(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(shapes),
            cmocka_unit_test(types),
            cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
