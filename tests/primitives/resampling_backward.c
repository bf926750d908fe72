/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resampling, backward, against plain loops: both algorithms, one to three dimensions, growing and shrinking,
 * types, layouts. Positions are computed in f32, as the forward pass computes them; every gradient of a
 * result goes to the elements that the result is a mean of.
 */
#include "primitives/harness.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static float position_in(dnnl_dim_t i, dnnl_dim_t to, dnnl_dim_t from) {
    return ((float)i + 0.5f) * (float)from / (float)to - 0.5f;
}

static dnnl_dim_t within(double x, dnnl_dim_t size) {
    const double last = (double)(size - 1);
    return (dnnl_dim_t)fmin(fmax(x, 0), last);
}

/* Adds the gradient of the result at `at` to those of its elements. A weight is rounded once in each
 * dimension, and once more for each product of weights. */
static void spread(dnnl_alg_kind_t alg, const struct array *diff_src, const struct array *diff_dst,
                   const dnnl_dim_t *at, struct sum *sums) {
    const int spatial = diff_src->ndims - 2, corners = alg == dnnl_resampling_linear ? 1 << spatial : 1,
              roundings = 2 * spatial - 1;
    for (int corner = 0; corner < corners; corner++) {
        dnnl_dims_t from = {at[0], at[1]};
        double weight = 1;
        for (int d = 2; d < diff_src->ndims; d++) {
            const float x = position_in(at[d], diff_dst->dims[d], diff_src->dims[d]);
            const double low = floor((double)x);
            const bool second = (corner >> (d - 2) & 1) != 0;
            from[d] = within(corners == 1 ? round((double)x) : low + second, diff_src->dims[d]);
            if (corners > 1) weight *= second ? (double)x - low : 1 - ((double)x - low);
        }
        const double term = weight * array_at(diff_dst, at);
        sum_add_bounded(&sums[array_index(diff_src, from)],
                        (struct bounded){term, corners > 1 ? roundings * 0x1p-24 * fabs(term) : 0});
    }
}

static void reference(dnnl_alg_kind_t alg, const struct array *diff_dst, struct array *diff_src,
                      struct array *error) {
    struct sum *sums = calloc((size_t)diff_src->count + 1, sizeof *sums);
    dnnl_dims_t at = {0};
    if (diff_dst->count > 0) do
            spread(alg, diff_src, diff_dst, at, sums);
        while (next_position(diff_dst->ndims, diff_dst->dims, at));
    for (int64_t i = 0; i < diff_src->count; i++)
        store_bounded(sum_of_products(&sums[i], false, 0), i, diff_src, error);
    free(sums);
}

struct shape {
    int ndims;
    dnnl_dims_t src, dst;
    const char *tags[3];
};

static const struct shape shapes[] = {
        {3, {2, 3, 7}, {2, 3, 14}, {"abc", "acb", "aBc8b"}},
        {3, {1, 17, 3000}, {1, 17, 11}, {"abc", "acb", "aBc16b"}},
        {3, {1, 2, 11}, {1, 2, 3000}, {"abc", "acb", "aBc16b"}},
        {3, {1, 2, 700}, {1, 2, 1900}, {"abc", "acb", "aBc16b"}},
        {4, {2, 19, 5, 7}, {2, 19, 10, 14}, {"abcd", "acdb", "aBcd16b"}},
        {4, {1, 300, 6, 9}, {1, 300, 4, 3}, {"abcd", "acdb", "aBcd8b"}},
        {4, {1, 3, 6, 9}, {1, 3, 6, 9}, {"abcd", "acdb", "aBcd8b"}},
        {4, {1, 1, 1, 1}, {1, 1, 5, 3}, {"abcd", "acdb", "aBcd8b"}},
        {4, {0, 2, 4, 4}, {0, 2, 8, 8}, {"abcd", "acdb", "aBcd8b"}},
        {5, {1, 5, 3, 4, 5}, {1, 5, 6, 7, 4}, {"abcde", "acdeb", "aBcde16b"}},
        {4, {1, 520, 2, 3}, {1, 520, 3, 5}, {"abcd", "acdb", "aBcd8b"}},
};

static dnnl_status_t desc_new(dnnl_primitive_desc_t *pd, dnnl_alg_kind_t alg, const struct array *diff_src,
                              const char *src_tag, const struct array *diff_dst, const char *dst_tag) {
    dnnl_memory_desc_t from = md_of(diff_dst, dst_tag), to = md_of(diff_src, src_tag);
    dnnl_status_t status = dnnl_resampling_backward_primitive_desc_create(pd, test_engine(), alg, NULL, to,
                                                                          from, NULL, NULL);
    dnnl_memory_desc_destroy(from);
    dnnl_memory_desc_destroy(to);
    return status;
}

static void run(dnnl_alg_kind_t alg, const struct shape *s, const char *src_tag, const char *dst_tag,
                dnnl_data_type_t src_type, dnnl_data_type_t dst_type) {
    struct array diff_src = array_new(s->ndims, s->src, src_type),
                 diff_dst = array_new(s->ndims, s->dst, dst_type), error = array_like(&diff_src, dnnl_f64);
    char what[160];
    snprintf(what, sizeof what, "%s, %d dimensions, %lld to %lld, type %d %s to %d %s",
             alg == dnnl_resampling_linear ? "linear" : "nearest", s->ndims, (long long)s->src[s->ndims - 1],
             (long long)s->dst[s->ndims - 1], (int)dst_type, dst_tag ? dst_tag : "any", (int)src_type,
             src_tag ? src_tag : "any");
    if (is_integer(dst_type))
        array_fill(&diff_dst, 6, 1);
    else
        array_fill_real(&diff_dst, 1);
    reference(alg, &diff_dst, &diff_src, &error);
    dnnl_primitive_desc_t pd;
    dnnl_status_t status = desc_new(&pd, alg, &diff_src, src_tag, &diff_dst, dst_tag);
    run_implementations(status, pd,
                        &(struct test_run){.what = what,
                                           .inputs = {{DNNL_ARG_DIFF_DST, &diff_dst}},
                                           .outputs = {{DNNL_ARG_DIFF_SRC, &diff_src, .error = &error}}});
    array_free(&diff_src);
    array_free(&diff_dst);
    array_free(&error);
}

static void numbers(void **state) {
    (void)state;
    failures = 0;
    static const dnnl_data_type_t types[] = {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_s32, dnnl_s8, dnnl_u8};
    for (int linear = 0; linear < 2; linear++)
        for (int i = 0; i < COUNT(shapes); i++) {
            dnnl_alg_kind_t alg = linear ? dnnl_resampling_linear : dnnl_resampling_nearest;
            const char *const *tags = shapes[i].tags;
            for (int t = 0; t < 3; t++) {
                run(alg, &shapes[i], NULL, tags[t], dnnl_f32, dnnl_f32);
                run(alg, &shapes[i], tags[t], NULL, dnnl_f32, dnnl_f32);
                run(alg, &shapes[i], tags[t], tags[(t + 1) % 3], dnnl_f32, dnnl_f32);
                for (int k = 0; k < COUNT(types) * COUNT(types); k++)
                    if (shapes[i].ndims > 3)
                        run(alg, &shapes[i], tags[t], tags[t], types[k % COUNT(types)],
                            types[k / COUNT(types)]);
            }
        }
    printf("%d runs\n", implementations_run);
    assert_int_equal(failures, 0);
}

/* Sizes of diff_dst that follow from factors; and what must be refused. */
static void factors_and_refusals(void **state) {
    (void)state;
    static const dnnl_dims_t dims = {1, 2, 5, 6}, other = {1, 3, 5, 6};
    static const float by[] = {1.5f, 2};
    dnnl_memory_desc_t md = md_new(4, dims, dnnl_f32, "abcd"), wrong = md_new(4, other, dnnl_f32, "abcd"),
                       wide = md_new(4, dims, dnnl_f64, "abcd");
    const dnnl_dims_t *sizes;
    dnnl_primitive_desc_t pd, untouched;
    assert_int_equal(dnnl_resampling_backward_primitive_desc_create(
                             &pd, test_engine(), dnnl_resampling_nearest, by, md, NULL, NULL, NULL),
                     dnnl_success);
    const_dnnl_memory_desc_t diff_dst = dnnl_primitive_desc_query_md(pd, dnnl_query_diff_dst_md, 0);
    assert_int_equal(dnnl_memory_desc_query(diff_dst, dnnl_query_dims, &sizes), dnnl_success);
    assert_int_equal((*sizes)[2], 7);
    assert_int_equal((*sizes)[3], 12);
    dnnl_primitive_desc_destroy(pd);
    pd = untouched = (dnnl_primitive_desc_t)&pd;
    const struct {
        dnnl_alg_kind_t alg;
        dnnl_memory_desc_t diff_src, diff_dst;
        dnnl_status_t status;
    } cases[] = {
            {dnnl_eltwise_relu, md, md, dnnl_invalid_arguments},
            {dnnl_resampling_linear, NULL, md, dnnl_invalid_arguments},
            {dnnl_resampling_linear, md, NULL, dnnl_invalid_arguments},
            {dnnl_resampling_linear, md, wrong, dnnl_invalid_arguments},
            {dnnl_resampling_linear, wide, wide, dnnl_unimplemented},
    };
    for (int i = 0; i < COUNT(cases); i++)
        assert_int_equal(dnnl_resampling_backward_primitive_desc_create(&pd, test_engine(), cases[i].alg,
                                                                        NULL, cases[i].diff_src,
                                                                        cases[i].diff_dst, NULL, NULL),
                         cases[i].status);
    assert_ptr_equal(pd, untouched);
    dnnl_memory_desc_destroy(md);
    dnnl_memory_desc_destroy(wrong);
    dnnl_memory_desc_destroy(wide);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers), cmocka_unit_test(factors_and_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
