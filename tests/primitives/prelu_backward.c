/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parametric ReLU, backward, against plain loops in double: broadcasts x types x layouts; what must be
 * refused.
 */
#include "primitives/harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

struct tags {
    const char *src, *weights, *diff, *diff_weights; /* NULL: open */
};

struct problem {
    struct tags tags;
    struct array src, weights, diff_dst, diff_src, diff_weights, error, weights_error;
};

static void reference(struct problem *p) {
    dnnl_dims_t at = {0}, place;
    if (p->src.count == 0) return;
    struct sum *sums = calloc((size_t)p->weights.count, sizeof *sums);
    do {
        struct bounded x = exactly(array_at(&p->src, at)), w = exactly(array_at(&p->weights, at)),
                       d = exactly(array_at(&p->diff_dst, at));
        for (int i = 0; i < p->src.ndims; i++)
            place[i] = p->weights.dims[i] == 1 ? 0 : at[i];
        const bool positive = x.value > 0;
        sum_add_bounded(&sums[array_index(&p->weights, place)], positive ? exactly(0) : bounded_mul(x, d));
        store_bounded(positive ? d : bounded_mul(d, w), array_index(&p->src, at), &p->diff_src, &p->error);
    } while (next_position(p->src.ndims, p->src.dims, at));
    for (int64_t i = 0; i < p->weights.count; i++)
        store_bounded(sum_of_terms(&sums[i]), i, &p->diff_weights, &p->weights_error);
    free(sums);
}

/* The hint is that of a forward primitive with the same src and weights. */
static dnnl_status_t desc_new(dnnl_primitive_desc_t *pd, const struct problem *p) {
    dnnl_memory_desc_t src = md_of(&p->src, p->tags.src), weights = md_of(&p->weights, p->tags.weights),
                       diff_src = md_of(&p->diff_src, p->tags.diff),
                       diff_dst = md_of(&p->diff_dst, p->tags.diff),
                       diff_weights = md_of(&p->diff_weights, p->tags.diff_weights);
    dnnl_primitive_desc_t hint = NULL;
    dnnl_status_t status = dnnl_prelu_forward_primitive_desc_create(
            &hint, test_engine(), dnnl_forward_training, src, weights, src, NULL);
    if (status == dnnl_success)
        status = dnnl_prelu_backward_primitive_desc_create(pd, test_engine(), src, weights, diff_src,
                                                           diff_weights, diff_dst, hint, NULL);
    dnnl_primitive_desc_destroy(hint);
    dnnl_memory_desc_destroy(src);
    dnnl_memory_desc_destroy(weights);
    dnnl_memory_desc_destroy(diff_src);
    dnnl_memory_desc_destroy(diff_dst);
    dnnl_memory_desc_destroy(diff_weights);
    return status;
}

static void run_problem(const struct tags *tags, int ndims, const dnnl_dim_t *dims, unsigned mask,
                        dnnl_data_type_t type, dnnl_data_type_t weights_type) {
    struct problem problem = {.tags = *tags}, *p = &problem;
    dnnl_dims_t few;
    for (int i = 0; i < ndims; i++)
        few[i] = mask >> i & 1 ? dims[i] : 1;
    p->src = array_new(ndims, dims, type);
    p->diff_dst = array_like(&p->src, type);
    p->diff_src = array_like(&p->src, type);
    p->error = array_like(&p->src, dnnl_f64);
    p->weights = array_new(ndims, few, weights_type);
    p->diff_weights = array_like(&p->weights, weights_type);
    p->weights_error = array_like(&p->weights, dnnl_f64);
    array_fill_real(&p->src, mask);
    array_fill_real(&p->diff_dst, mask + 1);
    array_fill_real(&p->weights, mask + 2);
    reference(p);
    char what[256];
    snprintf(what, sizeof what, "weights of dimensions 0x%x of %lldx%lld…, types %d %d, %s %s %s %s", mask,
             (long long)dims[0], (long long)dims[1], (int)type, (int)weights_type, p->tags.src,
             p->tags.weights ? p->tags.weights : "any", p->tags.diff ? p->tags.diff : "any",
             p->tags.diff_weights ? p->tags.diff_weights : "any");
    dnnl_primitive_desc_t pd;
    dnnl_status_t status = desc_new(&pd, p);
    run_implementations(status, pd,
                        &(struct test_run){.what = what,
                                           .inputs = {{DNNL_ARG_SRC, &p->src},
                                                      {DNNL_ARG_WEIGHTS, &p->weights},
                                                      {DNNL_ARG_DIFF_DST, &p->diff_dst}},
                                           .outputs = {{DNNL_ARG_DIFF_SRC, &p->diff_src, .error = &p->error},
                                                       {DNNL_ARG_DIFF_WEIGHTS, &p->diff_weights,
                                                        .error = &p->weights_error}}});
    struct array *const all[] = {&p->src,     &p->diff_dst,     &p->diff_src,     &p->error,
                                 &p->weights, &p->diff_weights, &p->weights_error};
    for (int i = 0; i < COUNT(all); i++)
        array_free(all[i]);
}

static const dnnl_data_type_t types[] = {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_s8};

static void broadcasts(void **state) {
    (void)state;
    failures = 0;
    static const dnnl_dims_t dims = {2, 19, 5, 7};
    static const char *const tags[] = {"abcd", "acdb", "aBcd16b", "cdba"};
    for (unsigned mask = 0; mask < 16; mask++)
        for (int t = 0; t < COUNT(types); t++)
            for (int k = 0; k < COUNT(tags); k++) {
                const char *tag = tags[k], *other = tags[(k + 1) % COUNT(tags)];
                const struct tags list[] = {
                        {tag, tag, tag, tag}, {tag, NULL, NULL, NULL}, {tag, "abcd", other, "abcd"}};
                for (int i = 0; i < COUNT(list); i++)
                    run_problem(&list[i], 4, dims, mask, types[t], types[i == 2 ? 0 : t]);
            }
    printf("%d runs\n", implementations_run);
    assert_int_equal(failures, 0);
}

/* Long sums are divided; nothing is an empty sum. */
static void sizes(void **state) {
    (void)state;
    failures = 0;
    static const dnnl_dims_t cases[] = {{3, 70000}, {70000, 3}, {1, 1}, {300, 300}, {4, 0}};
    for (int i = 0; i < COUNT(cases); i++)
        for (unsigned mask = 0; mask < 4; mask++) {
            if (cases[i][1] == 0 && mask < 2) continue; /* whose gradients would not be written */
            run_problem(&(struct tags){"ab", "ab", "ab", "ab"}, 2, cases[i], mask, dnnl_f32, dnnl_f32);
        }
    assert_int_equal(failures, 0);
}

static void refusals(void **state) {
    (void)state;
    static const dnnl_dims_t dims = {2, 3}, other = {2, 4}, one = {1, 3};
    dnnl_memory_desc_t md = md_new(2, dims, dnnl_f32, "ab"), wrong = md_new(2, other, dnnl_f32, "ab"),
                       few = md_new(2, one, dnnl_f32, "ab"), doubles = md_new(2, dims, dnnl_f64, "ab");
    dnnl_primitive_desc_t pd = (dnnl_primitive_desc_t)&pd, untouched = pd;
    const struct {
        dnnl_memory_desc_t src, weights, diff_src, diff_weights, diff_dst;
        dnnl_status_t status;
    } cases[] = {
            {NULL, few, md, few, md, dnnl_invalid_arguments},
            {md, NULL, md, few, md, dnnl_invalid_arguments},
            {md, few, NULL, few, md, dnnl_invalid_arguments},
            {md, few, md, NULL, md, dnnl_invalid_arguments},
            {md, few, md, few, NULL, dnnl_invalid_arguments},
            {md, wrong, md, few, md, dnnl_invalid_arguments},
            {md, few, wrong, few, md, dnnl_invalid_arguments},
            {md, few, md, md, md, dnnl_unimplemented},
            {doubles, few, md, few, md, dnnl_unimplemented},
    };
    for (int i = 0; i < COUNT(cases); i++)
        assert_int_equal(dnnl_prelu_backward_primitive_desc_create(
                                 &pd, test_engine(), cases[i].src, cases[i].weights, cases[i].diff_src,
                                 cases[i].diff_weights, cases[i].diff_dst, NULL, NULL),
                         cases[i].status);
    assert_ptr_equal(pd, untouched);
    dnnl_memory_desc_destroy(md);
    dnnl_memory_desc_destroy(wrong);
    dnnl_memory_desc_destroy(few);
    dnnl_memory_desc_destroy(doubles);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(broadcasts),
            cmocka_unit_test(sizes),
            cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
