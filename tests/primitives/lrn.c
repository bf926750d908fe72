/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forward local response normalisation against plain loops in double: shapes x algorithms x types x layouts,
 * on every implementation that takes the problem; implementations must agree to the bit.
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
static const double half_units[] = {0x1p-24, 0x1p-8, 0x1p-11};
static const dnnl_alg_kind_t algs[] = {dnnl_lrn_across_channels, dnnl_lrn_within_channel};

enum { LAYOUTS = 3 };
static const char *const tags[LAYOUTS][6] = {{0, 0, "ab", "abc", "abcd", "abcde"},
                                             {0, 0, "ab", "acb", "acdb", "acdeb"},
                                             {0, 0, "aB8b", "aBc16b", "aBcd8b", "aBcde16b"}};

static double sum_of_squares(const struct array *src, const struct shape *s, bool across,
                             const dnnl_dim_t *center) {
    dnnl_dim_t reach = (s->local_size - 1) / 2;
    dnnl_dims_t size, offset = {0}, at;
    double sum = 0;
    for (int d = 0; d < s->ndims; d++)
        size[d] = (across ? d == 1 : d > 1) ? 2 * reach + 1 : 1;
    do {
        bool inside = true;
        for (int d = 0; d < s->ndims; d++) {
            at[d] = center[d] + offset[d] - (size[d] > 1 ? reach : 0);
            inside = inside && at[d] >= 0 && at[d] < s->dims[d];
        }
        if (inside) sum += array_at(src, at) * array_at(src, at);
    } while (next_position(s->ndims, size, offset));
    return sum;
}

/* The error of a chain of n fused steps over positive terms is n units of 2^-24 at most, of the exponent that
 * of its logarithm times beta; roots and powers add a few more. */
static void reference(const struct array *src, const struct shape *s, bool across, double half_unit,
                      struct array *dst, struct array *tolerance) {
    dnnl_dims_t at = {0};
    double elements = across ? (double)s->local_size : pow((double)s->local_size, s->ndims - 2);
    double steps = fmin(elements, across ? (double)s->dims[1] : 1e3);
    if (dst->count == 0) return;
    do {
        double omega = (double)s->k + (double)s->alpha / elements * sum_of_squares(src, s, across, at);
        int64_t i = array_index(dst, at);
        dst->values[i] = src->values[i] * pow(omega, -(double)s->beta);
        tolerance->values[i] =
                fabs(dst->values[i]) * (half_unit + ((steps + 2) * (double)s->beta + 6) * 0x1p-24);
    } while (next_position(s->ndims, s->dims, at));
}

static void run_problem(const struct shape *s, int t, int g, int layout) {
    static const struct attr_case plain = {.name = "plain"};
    struct attr_run run;
    struct array src = array_new(s->ndims, s->dims, types[t]), dst = array_new(s->ndims, s->dims, types[t]);
    struct array tolerance = array_new(s->ndims, s->dims, dnnl_f32);
    char what[128];
    snprintf(what, sizeof what, "%d dimensions, size %d, type %d, algorithm %d, layout %d", s->ndims,
             (int)s->local_size, t, g, layout);
    array_fill_real(&src, 7u + (unsigned)s->local_size);
    reference(&src, s, g == 0, half_units[t], &dst, &tolerance);
    attr_run_init(&run, &plain, &src, &src, &dst);
    dnnl_memory_desc_t src_md = md_of(&src, tags[layout][s->ndims]);
    dnnl_memory_desc_t dst_md = md_of(&dst, layout == 1 ? NULL : tags[layout][s->ndims]);
    dnnl_primitive_desc_t pd;
    dnnl_status_t status = dnnl_lrn_forward_primitive_desc_create(&pd, test_engine(), dnnl_forward_inference,
                                                                  algs[g], src_md, dst_md, s->local_size,
                                                                  s->alpha, s->beta, s->k, run.attr);
    const struct input inputs[] = {{DNNL_ARG_SRC, &src}};
    if (status != dnnl_success)
        failure("%s: creation gives %d", what, (int)status);
    else
        run_implementations(pd, &run, inputs, COUNT(inputs), &dst, &tolerance, what);
    dnnl_memory_desc_destroy(src_md);
    dnnl_memory_desc_destroy(dst_md);
    attr_run_free(&run);
    array_free(&src);
    array_free(&dst);
    array_free(&tolerance);
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
