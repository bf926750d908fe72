/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reductions against plain loops in double: algorithms x sets of dimensions x types x layouts x attributes,
 * on every implementation that takes the problem.
 */
#include "primitives/harness.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct problem {
    dnnl_alg_kind_t alg;
    float p, eps;
    unsigned reduced; /* dimensions, as bits */
    const char *src_tag, *dst_tag;
};

/* The elements of one result. */
struct reduced {
    struct sum sum;
    struct bounded most, least, product;
};

static struct bounded power_of(double x, double p) {
    struct bounded size = exactly(fabs(x));
    if (p == 1) return size;
    return p == 2 ? bounded_mul(size, size) : bounded_pow(size, p, ULPS_POW);
}

static bool is_norm(dnnl_alg_kind_t alg) {
    return alg >= dnnl_reduction_norm_lp_max;
}

static void add_element(struct reduced *r, const struct problem *p, double x) {
    if (is_norm(p->alg))
        sum_add_bounded(&r->sum, power_of(x, (double)p->p));
    else
        sum_add(&r->sum, x);
    r->most = bounded_max(r->most, exactly(x));
    r->least = bounded_min(r->least, exactly(x));
    r->product = bounded_mul(r->product, exactly(x));
}

/* The norm of a sum of powers. */
static struct bounded norm_of(const struct problem *p, struct bounded sum) {
    bool adds = p->alg == dnnl_reduction_norm_lp_sum || p->alg == dnnl_reduction_norm_lp_power_p_sum;
    bool root = p->alg == dnnl_reduction_norm_lp_max || p->alg == dnnl_reduction_norm_lp_sum;
    sum = (adds ? bounded_add : bounded_max)(sum, exactly((double)p->eps));
    if (!root || p->p == 1) return sum;
    if (p->p == 2) return bounded_function(sqrt, sum, ULPS_SQRT);
    /* The exponent is an f32. */
    double exponent = (double)(1 / p->p);
    return bounded_pow(sum, exponent, ULPS_POW);
}

static struct bounded finish(const struct problem *p, const struct reduced *r) {
    switch (p->alg) {
    case dnnl_reduction_max: return r->most;
    case dnnl_reduction_min: return r->least;
    case dnnl_reduction_mul: return r->product;
    case dnnl_reduction_sum: return sum_of_terms(&r->sum);
    case dnnl_reduction_mean: return bounded_div(sum_of_terms(&r->sum), exactly((double)r->sum.terms));
    default: return norm_of(p, sum_of_terms(&r->sum));
    }
}

static void reference(struct array *dst, struct array *error, const struct array *src,
                      const struct problem *p, const struct attr_run *run) {
    dnnl_dims_t to = {0}, in = {0}, at, inner;
    for (int d = 0; d < src->ndims; d++)
        inner[d] = p->reduced >> d & 1 ? src->dims[d] : 1;
    if (dst->count == 0) return;
    do {
        struct reduced r = {
                .most = exactly(-FLT_MAX), .least = exactly(FLT_MAX), .product = exactly(1), .sum = {0}};
        if (src->count > 0) do {
                for (int d = 0; d < src->ndims; d++)
                    at[d] = to[d] + in[d];
                add_element(&r, p, array_at(src, at));
            } while (next_position(src->ndims, inner, in));
        struct bounded x = attr_run_apply(run, finish(p, &r), 0, 0, to);
        store_bounded(x, array_index(dst, to), dst, error);
    } while (next_position(dst->ndims, dst->dims, to));
}

static dnnl_status_t desc_new(dnnl_primitive_desc_t *pd, const struct problem *p, const struct array *src,
                              const struct array *dst, const_dnnl_primitive_attr_t attr) {
    dnnl_memory_desc_t from = md_of(src, p->src_tag), to = md_of(dst, p->dst_tag);
    dnnl_status_t status =
            dnnl_reduction_primitive_desc_create(pd, test_engine(), p->alg, from, to, p->p, p->eps, attr);
    dnnl_memory_desc_destroy(from);
    dnnl_memory_desc_destroy(to);
    return status;
}

static void run_problem(const struct problem *p, const struct array *src, dnnl_data_type_t dst_type,
                        const struct attr_case *c) {
    dnnl_dims_t dims;
    for (int d = 0; d < src->ndims; d++)
        dims[d] = p->reduced >> d & 1 ? 1 : src->dims[d];
    struct array dst = array_new(src->ndims, dims, dst_type), error = array_like(&dst, dnnl_f64);
    struct attr_run run;
    attr_run_init(&run, c, src, src, &dst);
    reference(&dst, &error, src, p, &run);
    char what[256];
    snprintf(what, sizeof what, "algorithm 0x%x, p %g, dimensions 0x%x of %lldx%lld…, %d %s to %d %s, %s",
             (int)p->alg, (double)p->p, p->reduced, (long long)src->dims[0],
             (long long)src->dims[src->ndims - 1], (int)src->type, p->src_tag, (int)dst_type,
             p->dst_tag ? p->dst_tag : "any", c->name);
    dnnl_primitive_desc_t pd;
    dnnl_status_t status = desc_new(&pd, p, src, &dst, run.attr);
    bool refused = test_peer() && status == dnnl_unimplemented;
    if (!refused)
        run_implementations(status, pd,
                            &(struct test_run){.what = what,
                                               .attr = &run,
                                               .inputs = {{DNNL_ARG_SRC, src}},
                                               .outputs = {{DNNL_ARG_DST, &dst, .error = &error,
                                                            .before = attr_run_before(&run)}}});
    attr_run_free(&run);
    array_free(&dst);
    array_free(&error);
}

static const struct attr_case plain = {.name = "plain"};
static const struct {
    dnnl_alg_kind_t alg;
    float p, eps;
} algorithms[] = {
        {dnnl_reduction_max, 0, 0},
        {dnnl_reduction_min, 0, 0},
        {dnnl_reduction_sum, 0, 0},
        {dnnl_reduction_mul, 0, 0},
        {dnnl_reduction_mean, 0, 0},
        {dnnl_reduction_norm_lp_max, 2, 0.5f},
        {dnnl_reduction_norm_lp_sum, 1, 0.25f},
        {dnnl_reduction_norm_lp_sum, 3, 0.25f},
        {dnnl_reduction_norm_lp_power_p_max, 2, 0.5f},
        {dnnl_reduction_norm_lp_power_p_sum, 1.5f, 0.125f},
};

/* Numbers near 1 or -1 for products, which neither vanish nor overflow. */
static void fill(struct array *src, dnnl_alg_kind_t alg, unsigned seed) {
    array_fill_real(src, seed);
    if (alg != dnnl_reduction_mul) return;
    for (int64_t i = 0; i < src->count; i++)
        src->values[i] =
                (double)(float)(src->values[i] < 0 ? -1 + src->values[i] / 64 : 1 + src->values[i] / 64);
}

static void shapes(void **state) {
    (void)state;
    failures = 0;
    static const struct {
        int ndims;
        dnnl_dims_t dims;
        const char *tags[7];
    } cases[] = {
            {1, {37}, {"a", "A16a"}},
            {2, {5, 1000}, {"ab", "ba", "aB16b"}},
            {2, {40, 3}, {"ab", "ba", "Ab16a"}},
            {2, {3, 0}, {"ab"}},
            {2, {70, 16}, {"ab", "ba"}},
            {3, {2, 3, 130}, {"abc", "cba"}},
            {4, {2, 19, 3, 5}, {"abcd", "acdb", "aBcd16b", "cdba", "aBcd8b"}},
            {5, {2, 16, 3, 2, 7}, {"abcde", "acdeb", "aBcde16b"}},
    };
    for (int s = 0; s < COUNT(cases); s++)
        for (int t = 0; cases[s].tags[t]; t++)
            for (unsigned reduced = 1; reduced < 1u << cases[s].ndims; reduced++) {
                int a = (int)(reduced + (unsigned)(s + t)) % COUNT(algorithms);
                struct array src = array_new(cases[s].ndims, cases[s].dims, dnnl_f32);
                fill(&src, algorithms[a].alg, (unsigned)(s + t));
                struct problem p = {algorithms[a].alg, algorithms[a].p,  algorithms[a].eps,
                                    reduced,           cases[s].tags[t], NULL};
                run_problem(&p, &src, dnnl_f32, &plain);
                p.dst_tag = cases[s].tags[0];
                run_problem(&p, &src, dnnl_f32, &plain);
                array_free(&src);
            }
    printf("%d runs\n", implementations_run);
    assert_int_equal(failures, 0);
}

/* Every algorithm, also where the elements are divided into chunks. */
static void every_algorithm(void **state) {
    (void)state;
    failures = 0;
    static const struct {
        dnnl_dims_t dims;
        unsigned reduced;
        const char *tag;
    } cases[] = {{{2, 19, 4, 5}, 12, "abcd"},    {{2, 19, 4, 5}, 12, "acdb"},  {{2, 19, 4, 5}, 13, "aBcd16b"},
                 {{2, 19, 4, 5}, 2, "aBcd16b"},  {{3, 2, 60, 90}, 13, "abcd"}, {{3, 20, 40, 50}, 13, "acdb"},
                 {{3, 20, 40, 50}, 13, "aBcd8b"}};
    for (int c = 0; c < COUNT(cases); c++)
        for (int a = 0; a < COUNT(algorithms); a++) {
            struct array src = array_new(4, cases[c].dims, dnnl_f32);
            fill(&src, algorithms[a].alg, (unsigned)(c + a));
            if (algorithms[a].alg == dnnl_reduction_mul)
                for (int64_t i = 0; i < src.count; i++)
                    src.values[i] = src.values[i] < 0 ? -1 : 1;
            run_problem(&(struct problem){algorithms[a].alg, algorithms[a].p, algorithms[a].eps,
                                          cases[c].reduced, cases[c].tag, NULL},
                        &src, dnnl_f32, &plain);
            array_free(&src);
        }
    assert_int_equal(failures, 0);
}

static void types(void **state) {
    (void)state;
    failures = 0;
    static const dnnl_dims_t dims = {3, 21, 70};
    static const dnnl_data_type_t list[] = {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_s8,
                                            dnnl_u8,  dnnl_s32,  dnnl_s4,  dnnl_f8_e4m3};
    static const char *const tags[] = {"abc", "acb", "aBc16b"};
    const int count = test_peer() ? 6 : COUNT(list); /* the peer accepts s4, and stores nothing */
    for (int i = 0; i < count; i++)
        for (int k = 0; k < count; k++)
            for (int a = 0; a < COUNT(algorithms); a++) {
                if (is_norm(algorithms[a].alg) && (is_integer(list[i]) || list[i] == dnnl_f8_e4m3)) continue;
                struct array src = array_new(3, dims, list[i]);
                array_fill(&src, 2, (unsigned)(i + k));
                for (int64_t n = 0; n < src.count && algorithms[a].alg == dnnl_reduction_mul; n++)
                    src.values[n] = n % 7 == 0 ? 2 : 1; /* products that every type can hold */
                for (int t = 0; t < COUNT(tags); t++)
                    run_problem(&(struct problem){algorithms[a].alg, algorithms[a].p, algorithms[a].eps,
                                                  t == 0 ? 4 : 2, tags[t], "abc"},
                                &src, list[k], &plain);
                array_free(&src);
            }
    assert_int_equal(failures, 0);
}

static const struct {
    dnnl_data_type_t src, dst;
    struct attr_case c;
} attr_cases[] = {
        {dnnl_f32,
         dnnl_f32,
         {.name = "post-ops",
          .ops = {ELTWISE(dnnl_eltwise_linear, 2, 1),
                  BINARY(dnnl_binary_mul, 2),
                  BINARY(dnnl_binary_add, 1),
                  {.kind = dnnl_sum, .alpha = 0.5f},
                  {.kind = dnnl_binary, .alg = dnnl_binary_sub, .mask = 3, .type = dnnl_s8}}}},
        {dnnl_s8, dnnl_s32, {.name = "sum", .ops = {{.kind = dnnl_sum, .alpha = 2}}}},
        {dnnl_bf16,
         dnnl_bf16,
         {.name = "many",
          .ops = {BINARY(dnnl_binary_add, 1), BINARY(dnnl_binary_add, 2), BINARY(dnnl_binary_add, 3),
                  BINARY(dnnl_binary_sub, 1), BINARY(dnnl_binary_sub, 2), BINARY(dnnl_binary_max, 0),
                  BINARY(dnnl_binary_sub, 3), BINARY(dnnl_binary_add, 1), BINARY(dnnl_binary_add, 2),
                  ELTWISE(dnnl_eltwise_abs, 0, 0)}}},
};

static void attributes(void **state) {
    (void)state;
    failures = 0;
    static const dnnl_dims_t dims = {4, 35, 6};
    for (int c = 0; c < COUNT(attr_cases); c++)
        for (unsigned reduced = 1; reduced < 7; reduced++) {
            struct array src = array_new(3, dims, attr_cases[c].src);
            array_fill(&src, 3, (unsigned)c);
            struct problem p = {dnnl_reduction_sum, 0, 0, reduced, "abc", "abc"};
            run_problem(&p, &src, attr_cases[c].dst, &attr_cases[c].c);
            p.src_tag = "acb";
            run_problem(&p, &src, attr_cases[c].dst, &attr_cases[c].c);
            array_free(&src);
        }
    assert_int_equal(failures, 0);
}

static void refusals(void **state) {
    (void)state;
    static const dnnl_dims_t dims = {2, 3}, one = {2, 1}, wrong = {1, 2}, more = {2, 1, 1};
    dnnl_memory_desc_t src = md_new(2, dims, dnnl_f32, "ab"), any = md_new(2, dims, dnnl_f32, NULL),
                       dst = md_new(2, one, dnnl_f32, "ab"), other = md_new(2, wrong, dnnl_f32, "ab"),
                       third = md_new(3, more, dnnl_f32, "abc"), bytes = md_new(2, dims, dnnl_s8, "ab");
    dnnl_primitive_desc_t pd = (dnnl_primitive_desc_t)&pd, untouched = pd;
    const struct {
        dnnl_alg_kind_t alg;
        dnnl_memory_desc_t src, dst;
        float p;
    } cases[] = {
            {dnnl_eltwise_relu, src, dst, 1},
            {dnnl_reduction_sum, NULL, dst, 1},
            {dnnl_reduction_sum, src, NULL, 1},
            {dnnl_reduction_sum, any, dst, 1},
            {dnnl_reduction_sum, src, src, 1},
            {dnnl_reduction_sum, src, other, 1},
            {dnnl_reduction_sum, src, third, 1},
            {dnnl_reduction_norm_lp_max, src, dst, 0.5f},
            {dnnl_reduction_norm_lp_max, bytes, dst, 2},
    };
    for (int i = 0; i < COUNT(cases); i++)
        assert_int_equal(dnnl_reduction_primitive_desc_create(&pd, test_engine(), cases[i].alg, cases[i].src,
                                                              cases[i].dst, cases[i].p, 0, NULL),
                         dnnl_invalid_arguments);
    assert_ptr_equal(pd, untouched);
    dnnl_memory_desc_t all[] = {src, any, dst, other, third, bytes};
    for (int i = 0; i < COUNT(all); i++)
        dnnl_memory_desc_destroy(all[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(shapes),     cmocka_unit_test(every_algorithm), cmocka_unit_test(types),
            cmocka_unit_test(attributes), cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
