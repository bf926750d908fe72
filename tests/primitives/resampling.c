/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resampling against plain loops: both algorithms, one to three dimensions, growing and shrinking, types,
 * layouts, post-ops. Positions are computed in f32, as oneDNN computes them.
 */
#include "primitives/harness.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static float position_in(dnnl_dim_t i, dnnl_dim_t to, dnnl_dim_t from) {
    return ((float)i + 0.5f) * (float)from / (float)to - 0.5f;
}

static dnnl_dim_t within(double x, dnnl_dim_t size) {
    return x<0 ? 0 : x>(double)(size - 1) ? size - 1 : (dnnl_dim_t)x;
}

/* The element, or the weighted mean of two, four or eight. */
static struct bounded resample(dnnl_alg_kind_t alg, const struct array *src, const struct array *dst,
                               const dnnl_dim_t *at) {
    struct sum sum = {0};
    const int spatial = src->ndims - 2, corners = alg == dnnl_resampling_linear ? 1 << spatial : 1;
    for (int corner = 0; corner < corners; corner++) {
        dnnl_dims_t from = {at[0], at[1]};
        double weight = 1;
        for (int d = 2; d < src->ndims; d++) {
            const float x = position_in(at[d], dst->dims[d], src->dims[d]);
            const double low = floor((double)x);
            const bool second = (corner >> (d - 2) & 1) != 0;
            from[d] = within(corners == 1 ? round((double)x) : low + second, src->dims[d]);
            if (corners > 1) weight *= second ? (double)x - low : 1 - ((double)x - low);
        }
        sum_add_bounded(&sum, (struct bounded){weight * array_at(src, from),
                                               4 * 0x1p-24 * fabs(weight * array_at(src, from))});
    }
    return corners == 1 ? exactly(sum.value) : sum_of_products(&sum, false, 0);
}

static dnnl_status_t desc_new(dnnl_primitive_desc_t *pd, dnnl_alg_kind_t alg, const struct array *src,
                              const char *tag, const struct array *dst, const char *dst_tag,
                              const_dnnl_primitive_attr_t attr) {
    dnnl_memory_desc_t from = md_of(src, tag), to = md_of(dst, dst_tag);
    dnnl_status_t status = dnnl_resampling_forward_primitive_desc_create(
            pd, test_engine(), dnnl_forward_inference, alg, NULL, from, to, attr);
    dnnl_memory_desc_destroy(from);
    dnnl_memory_desc_destroy(to);
    return status;
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
        {4, {2, 19, 5, 7}, {2, 19, 10, 14}, {"abcd", "acdb", "aBcd16b"}},
        {4, {1, 300, 6, 9}, {1, 300, 4, 3}, {"abcd", "acdb", "aBcd8b"}},
        {4, {1, 1, 1, 1}, {1, 1, 5, 3}, {"abcd", "acdb", "aBcd8b"}},
        {4, {0, 2, 4, 4}, {0, 2, 8, 8}, {"abcd", "acdb", "aBcd8b"}},
        {5, {1, 5, 3, 4, 5}, {1, 5, 6, 7, 4}, {"abcde", "acdeb", "aBcde16b"}},
        {4, {1, 520, 2, 3}, {1, 520, 3, 5}, {"abcd", "acdb", "aBcd8b"}},
        {4, {1, 192, 3, 4}, {1, 192, 6, 7}, {"abcd", "acdb", "aBcd16b"}}, /* whole lines of the cache */
};

static const struct attr_case plain = {.name = "none"};
static const struct attr_case post_ops = {.name = "post-ops",
                                          .ops = {ELTWISE(dnnl_eltwise_linear, 2, 1),
                                                  BINARY(dnnl_binary_add, 2),
                                                  {.kind = dnnl_sum, .alpha = 0.5f}}};

static void run(dnnl_alg_kind_t alg, const struct shape *s, const char *tag, const char *dst_tag,
                dnnl_data_type_t type, dnnl_data_type_t dst_type, const struct attr_case *c) {
    struct array src = array_new(s->ndims, s->src, type), dst = array_new(s->ndims, s->dst, dst_type),
                 error = array_like(&dst, dnnl_f64);
    struct attr_run attr;
    dnnl_dims_t at = {0};
    char what[128];
    snprintf(what, sizeof what, "%s, %d dimensions, type %d %s to %d %s, %s",
             alg == dnnl_resampling_linear ? "linear" : "nearest", s->ndims, (int)type, tag, (int)dst_type,
             dst_tag ? dst_tag : "any", c->name);
    array_fill(&src, 6, 1);
    attr_run_init(&attr, c, &src, &src, &dst);
    if (dst.count > 0) do {
            struct bounded x = resample(alg, &src, &dst, at);
            store_bounded(attr_run_apply(&attr, x, 0, 0, at), array_index(&dst, at), &dst, &error);
        } while (next_position(s->ndims, s->dst, at));
    dnnl_primitive_desc_t pd;
    dnnl_status_t status = desc_new(&pd, alg, &src, tag, &dst, dst_tag, attr.attr);
    run_implementations(status, pd,
                        &(struct test_run){.what = what,
                                           .attr = &attr,
                                           .inputs = {{DNNL_ARG_SRC, &src}},
                                           .outputs = {{DNNL_ARG_DST, &dst, .error = &error,
                                                        .before = attr_run_before(&attr)}}});
    attr_run_free(&attr);
    array_free(&src);
    array_free(&dst);
    array_free(&error);
}

static void numbers(void **state) {
    (void)state;
    failures = 0;
    static const dnnl_data_type_t types[] = {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_s32,
                                             dnnl_s8,  dnnl_u8,   dnnl_s4};
    for (int linear = 0; linear < 2; linear++)
        for (int i = 0; i < COUNT(shapes); i++) {
            dnnl_alg_kind_t alg = linear ? dnnl_resampling_linear : dnnl_resampling_nearest;
            const char *const *tags = shapes[i].tags;
            for (int t = 0; t < 3; t++) {
                run(alg, &shapes[i], tags[t], NULL, dnnl_f32, dnnl_f32, &plain);
                run(alg, &shapes[i], tags[t], tags[(t + 1) % 3], dnnl_f32, dnnl_f32, &post_ops);
                for (int k = 0; k < COUNT(types) * COUNT(types); k++)
                    if (i != 1 && i != 2)
                        run(alg, &shapes[i], tags[t], tags[t], types[k % COUNT(types)],
                            types[k / COUNT(types)], k % 5 ? &plain : &post_ops);
            }
        }
    printf("%d runs\n", implementations_run);
    assert_int_equal(failures, 0);
}

/* Sizes of dst that follow from factors. */
static void factors(void **state) {
    (void)state;
    static const dnnl_dims_t dims = {1, 2, 5, 6};
    static const float by[] = {1.5f, 2};
    dnnl_memory_desc_t src = md_new(4, dims, dnnl_f32, "abcd");
    const_dnnl_memory_desc_t dst;
    const dnnl_dims_t *sizes;
    dnnl_primitive_desc_t pd;
    assert_int_equal(dnnl_resampling_forward_primitive_desc_create(&pd, test_engine(), dnnl_forward_training,
                                                                   dnnl_resampling_nearest, by, src, NULL,
                                                                   NULL),
                     dnnl_success);
    dst = dnnl_primitive_desc_query_md(pd, dnnl_query_dst_md, 0);
    assert_int_equal(dnnl_memory_desc_query(dst, dnnl_query_dims, &sizes), dnnl_success);
    assert_int_equal((*sizes)[2], 7);
    assert_int_equal((*sizes)[3], 12);
    dnnl_primitive_desc_destroy(pd);
    dnnl_memory_desc_destroy(src);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers), cmocka_unit_test(factors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
