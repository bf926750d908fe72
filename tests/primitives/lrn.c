/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forward local response normalisation against plain loops in double: shapes x algorithms x types x layouts,
 * on every implementation that takes the problem.
 */
#include "primitives/lrns.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

/* src omega^-beta */
static void reference(const struct array *src, const struct shape *s, bool across, struct array *dst,
                      struct array *error) {
    dnnl_dims_t at = {0};
    if (dst->count == 0) return;
    do {
        struct bounded power = bounded_pow(lrn_omega(src, s, across, at), -(double)s->beta, ULPS_POW);
        int64_t i = array_index(dst, at);
        store_bounded(bounded_mul(exactly(src->values[i]), power), i, dst, error);
    } while (next_position(s->ndims, s->dims, at));
}

static void run_problem(const struct shape *s, int t, int g, int layout) {
    struct array src = array_new(s->ndims, s->dims, lrn_types[t]), dst = array_like(&src, lrn_types[t]),
                 error = array_like(&src, dnnl_f64);
    char what[128];
    snprintf(what, sizeof what, "%d dimensions, size %d, type %d, algorithm %d, layout %d", s->ndims,
             (int)s->local_size, t, g, layout);
    array_fill_real(&src, 7u + (unsigned)s->local_size);
    reference(&src, s, g == 0, &dst, &error);
    dnnl_memory_desc_t src_md = md_of(&src, lrn_tags[layout][s->ndims]);
    dnnl_memory_desc_t dst_md = md_of(&dst, layout == 1 ? NULL : lrn_tags[layout][s->ndims]);
    dnnl_primitive_desc_t pd;
    dnnl_status_t status = dnnl_lrn_forward_primitive_desc_create(&pd, test_engine(), dnnl_forward_inference,
                                                                  lrn_algs[g], src_md, dst_md, s->local_size,
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
    for (int s = 0; s < LRN_SHAPES; s++)
        for (int t = 0; t < LRN_TYPES; t++)
            for (int g = 0; g < LRN_ALGS; g++)
                for (int layout = 0; layout < LRN_LAYOUTS; layout++)
                    run_problem(&lrn_shapes[s], t, g, layout);
    printf("%d runs\n", implementations_run);
    assert_int_equal(failures, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
