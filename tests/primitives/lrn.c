/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forward local response normalisation against plain loops in double: shapes x algorithms x types x layouts,
 * on every implementation that takes the problem.
 */
#include "primitives/harness.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

struct shape {
    int ndims;
    dnnl_dims_t dims;
    dnnl_dim_t local_size;
    float alpha, beta, k;
};

static const struct shape shapes[] = {
        {4, {2, 7, 3, 4}, 5, 1e-4f, 0.75f, 1}, {4, {1, 96, 5, 5}, 5, 1, 0.75f, 1},
        {4, {1, 33, 4, 6}, 3, 0.5f, 0.5f, 2},  {4, {1, 16, 6, 6}, 7, 2, 1.3f, 0.5f},
        {3, {2, 20, 9}, 4, 1, 0.75f, 1},       {5, {1, 18, 3, 4, 5}, 3, 1, 0.75f, 1},
        {2, {3, 40}, 9, 1, 0.25f, 1},          {4, {1, 50, 3, 3}, 41, 1, 0.75f, 1},
        {4, {2, 5, 4, 4}, 1, 1, 0.75f, 1},     {4, {0, 5, 4, 4}, 5, 1, 0.75f, 1},
};

static const dnnl_data_type_t types[] = {dnnl_f32, dnnl_bf16, dnnl_f16};
static const dnnl_alg_kind_t algs[] = {dnnl_lrn_across_channels, dnnl_lrn_within_channel};

enum { LAYOUTS = 3 };
static const char *const tags[LAYOUTS][6] = {{0, 0, "ab", "abc", "abcd", "abcde"},
                                             {0, 0, "ab", "acb", "acdb", "acdeb"},
                                             {0, 0, "aB8b", "aBc16b", "aBcd8b", "aBcde16b"}};

static struct bounded sum_of_squares(const struct array *src, const struct shape *s, bool across,
                                     const dnnl_dim_t *center) {
    dnnl_dim_t reach = (s->local_size - 1) / 2;
    dnnl_dims_t size, offset = {0}, at;
    struct sum sum = {0};
    for (int d = 0; d < s->ndims; d++)
        size[d] = (across ? d == 1 : d > 1) ? 2 * reach + 1 : 1;
    do {
        bool inside = true;
        for (int d = 0; d < s->ndims; d++) {
            at[d] = center[d] + offset[d] - (size[d] > 1 ? reach : 0);
            inside = inside && at[d] >= 0 && at[d] < s->dims[d];
        }
        if (inside) sum_add(&sum, array_at(src, at) * array_at(src, at));
    } while (next_position(s->ndims, size, offset));
    return sum_of_products(&sum, false, 0);
}

/* src (k + alpha / n sum)^-beta */
static void reference(const struct array *src, const struct shape *s, bool across, struct array *dst,
                      struct array *error) {
    dnnl_dims_t at = {0};
    double elements = across ? (double)s->local_size : pow((double)s->local_size, s->ndims - 2);
    struct bounded scale = bounded_div(exactly((double)s->alpha), exactly(elements));
    if (dst->count == 0) return;
    do {
        struct bounded sum = sum_of_squares(src, s, across, at);
        struct bounded omega = bounded_add(exactly((double)s->k), bounded_mul(scale, sum));
        struct bounded power = bounded_pow(omega, -(double)s->beta, ULPS_POW);
        int64_t i = array_index(dst, at);
        store_bounded(bounded_mul(exactly(src->values[i]), power), i, dst, error);
    } while (next_position(s->ndims, s->dims, at));
}

static void run_problem(const struct shape *s, int t, int g, int layout) {
    struct array src = array_new(s->ndims, s->dims, types[t]), dst = array_like(&src, types[t]),
                 error = array_like(&src, dnnl_f64);
    char what[128];
    snprintf(what, sizeof what, "%d dimensions, size %d, type %d, algorithm %d, layout %d", s->ndims,
             (int)s->local_size, t, g, layout);
    array_fill_real(&src, 7u + (unsigned)s->local_size);
    reference(&src, s, g == 0, &dst, &error);
    dnnl_memory_desc_t src_md = md_of(&src, tags[layout][s->ndims]);
    dnnl_memory_desc_t dst_md = md_of(&dst, layout == 1 ? NULL : tags[layout][s->ndims]);
    dnnl_primitive_desc_t pd;
    dnnl_status_t status = dnnl_lrn_forward_primitive_desc_create(&pd, test_engine(), dnnl_forward_inference,
                                                                  algs[g], src_md, dst_md, s->local_size,
                                                                  s->alpha, s->beta, s->k, NULL);
    run_implementations(status, pd,
                        &(struct test_run){.what = what,
                                           .inputs = {{DNNL_ARG_SRC, &src}},
                                           .outputs = {{DNNL_ARG_DST, &dst, .error = &error}}});
    dnnl_memory_desc_destroy(src_md);
    dnnl_memory_desc_destroy(dst_md);
    array_free(&src);
    array_free(&dst);
    array_free(&error);
}

static void numbers(void **state) {
    (void)state;
    for (int s = 0; s < COUNT(shapes); s++)
        for (int t = 0; t < COUNT(types); t++)
            for (int g = 0; g < COUNT(algs); g++)
                for (int layout = 0; layout < LAYOUTS; layout++)
                    run_problem(&shapes[s], t, g, layout);
    printf("%d runs\n", implementations_run);
    assert_int_equal(failures, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
