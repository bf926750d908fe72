/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Local response normalisation, backward, against plain loops in double: shapes x algorithms x types x
 * layouts, on every implementation that takes the problem; what must be refused.
 */
#include "primitives/lrns.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

/* What an element adds to the gradients of its neighbours, and its gradient without these. */
struct terms {
    struct array value, error, own, own_error;
};

static void terms_new(struct terms *t, const struct array *src, const struct array *diff_dst,
                      const struct shape *s, bool across) {
    dnnl_dims_t at = {0};
    struct array *all[] = {&t->value, &t->error, &t->own, &t->own_error};
    for (int i = 0; i < COUNT(all); i++)
        *all[i] = array_like(src, dnnl_f64);
    do {
        int64_t i = array_index(src, at);
        struct bounded omega = lrn_omega(src, s, across, at);
        struct bounded own =
                bounded_mul(exactly(diff_dst->values[i]), bounded_pow(omega, -(double)s->beta, ULPS_POW));
        store_bounded(own, i, &t->own, &t->own_error);
        store_bounded(bounded_div(bounded_mul(own, exactly(src->values[i])), omega), i, &t->value, &t->error);
    } while (next_position(s->ndims, s->dims, at));
}

static void terms_free(struct terms *t) {
    array_free(&t->value);
    array_free(&t->error);
    array_free(&t->own);
    array_free(&t->own_error);
}

static struct bounded term_at(const void *data, const dnnl_dim_t *at) {
    const struct terms *t = data;
    return (struct bounded){array_at(&t->value, at), array_at(&t->error, at)};
}

static void reference(const struct array *src, const struct array *diff_dst, const struct shape *s,
                      bool across, struct array *diff_src, struct array *error) {
    dnnl_dims_t at = {0};
    struct terms t;
    if (src->count == 0) return;
    terms_new(&t, src, diff_dst, s, across);
    struct bounded factor =
            bounded_mul(bounded_mul(exactly(2), lrn_scale(s, across)), exactly((double)s->beta));
    do {
        int64_t i = array_index(src, at);
        struct bounded own = {t.own.values[i], t.own_error.values[i]};
        struct bounded x = bounded_mul(exactly(src->values[i]), factor);
        x = bounded_mul(x, lrn_sum(s, across, at, term_at, &t));
        store_bounded(bounded_sub(own, x), i, diff_src, error);
    } while (next_position(s->ndims, s->dims, at));
    terms_free(&t);
}

/* Tags: of src, diff_dst and diff_src. */
static dnnl_status_t desc_new(dnnl_primitive_desc_t *pd, const struct shape *s, dnnl_alg_kind_t alg,
                              const struct array *src, const char *const *tags) {
    dnnl_memory_desc_t from = md_of(src, tags[0]), in = md_of(src, tags[1]), out = md_of(src, tags[2]);
    dnnl_primitive_desc_t hint = NULL;
    dnnl_status_t status =
            dnnl_lrn_forward_primitive_desc_create(&hint, test_engine(), dnnl_forward_training, alg, from,
                                                   from, s->local_size, s->alpha, s->beta, s->k, NULL);
    if (status == dnnl_success)
        status = dnnl_lrn_backward_primitive_desc_create(pd, test_engine(), alg, out, in, from, s->local_size,
                                                         s->alpha, s->beta, s->k, hint, NULL);
    dnnl_primitive_desc_destroy(hint);
    dnnl_memory_desc_destroy(from);
    dnnl_memory_desc_destroy(in);
    dnnl_memory_desc_destroy(out);
    return status;
}

static void run_problem(const struct shape *s, int t, int g, const char *const *tags, bool in_place) {
    struct array src = array_new(s->ndims, s->dims, lrn_types[t]), diff_dst = array_like(&src, lrn_types[t]),
                 diff_src = array_like(&src, lrn_types[t]), error = array_like(&src, dnnl_f64);
    char what[160];
    snprintf(what, sizeof what, "%d dimensions, size %d, type %d, algorithm %d, %s, %s to %s%s", s->ndims,
             (int)s->local_size, t, g, tags[0], tags[1] ? tags[1] : "any", tags[2] ? tags[2] : "any",
             in_place ? ", in place" : "");
    array_fill_real(&src, 7u + (unsigned)s->local_size);
    array_fill_real(&diff_dst, 8u + (unsigned)s->local_size);
    reference(&src, &diff_dst, s, g == 0, &diff_src, &error);
    dnnl_primitive_desc_t pd;
    dnnl_status_t status = desc_new(&pd, s, lrn_algs[g], &src, tags);
    run_implementations(status, pd,
                        &(struct test_run){.what = what,
                                           .inputs = {{DNNL_ARG_SRC, &src}, {DNNL_ARG_DIFF_DST, &diff_dst}},
                                           .outputs = {{DNNL_ARG_DIFF_SRC, &diff_src, .error = &error,
                                                        .in_place_of = in_place ? DNNL_ARG_DIFF_DST : 0}}});
    array_free(&src);
    array_free(&diff_dst);
    array_free(&diff_src);
    array_free(&error);
}

static void numbers(void **state) {
    (void)state;
    for (int s = 0; s < LRN_SHAPES; s++)
        for (int t = 0; t < LRN_TYPES; t++)
            for (int g = 0; g < LRN_ALGS; g++)
                for (int layout = 0; layout < LRN_LAYOUTS; layout++) {
                    const char *tag = lrn_tags[layout][lrn_shapes[s].ndims],
                               *other = lrn_tags[(layout + 1) % LRN_LAYOUTS][lrn_shapes[s].ndims];
                    run_problem(&lrn_shapes[s], t, g, (const char *const[]){tag, tag, tag}, true);
                    run_problem(&lrn_shapes[s], t, g, (const char *const[]){tag, NULL, NULL}, false);
                    if (t == 0)
                        run_problem(&lrn_shapes[s], t, g, (const char *const[]){tag, other, NULL}, false);
                }
    printf("%d runs\n", implementations_run);
    assert_int_equal(failures, 0);
}

static void refusals(void **state) {
    (void)state;
    static const dnnl_dims_t dims = {2, 4, 3, 3}, other = {2, 4, 3, 5};
    dnnl_memory_desc_t md = md_new(4, dims, dnnl_f32, "abcd"), wrong = md_new(4, other, dnnl_f32, "abcd"),
                       half = md_new(4, dims, dnnl_bf16, "abcd"), bytes = md_new(4, dims, dnnl_s8, "abcd");
    dnnl_primitive_desc_t pd = (dnnl_primitive_desc_t)&pd, untouched = pd;
    const struct {
        dnnl_alg_kind_t alg;
        dnnl_memory_desc_t diff_src, diff_dst, src;
        dnnl_dim_t local_size;
        dnnl_status_t status;
    } cases[] = {
            {dnnl_eltwise_relu, md, md, md, 5, dnnl_invalid_arguments},
            {dnnl_lrn_within_channel, NULL, md, md, 5, dnnl_invalid_arguments},
            {dnnl_lrn_within_channel, md, NULL, md, 5, dnnl_invalid_arguments},
            {dnnl_lrn_within_channel, md, md, NULL, 5, dnnl_invalid_arguments},
            {dnnl_lrn_within_channel, md, md, md, -1, dnnl_invalid_arguments},
            {dnnl_lrn_within_channel, md, wrong, md, 5, dnnl_invalid_arguments},
            {dnnl_lrn_within_channel, md, md, half, 5, dnnl_unimplemented},
            {dnnl_lrn_within_channel, bytes, bytes, bytes, 5, dnnl_unimplemented},
    };
    for (int i = 0; i < COUNT(cases); i++)
        assert_int_equal(dnnl_lrn_backward_primitive_desc_create(
                                 &pd, test_engine(), cases[i].alg, cases[i].diff_src, cases[i].diff_dst,
                                 cases[i].src, cases[i].local_size, 1, 0.75f, 1, NULL, NULL),
                         cases[i].status);
    assert_ptr_equal(pd, untouched);
    dnnl_memory_desc_destroy(md);
    dnnl_memory_desc_destroy(wrong);
    dnnl_memory_desc_destroy(half);
    dnnl_memory_desc_destroy(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers), cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
