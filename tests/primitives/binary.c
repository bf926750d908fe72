/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Binary operations against their definitions in double: algorithms x types x layouts x broadcasts, scales of
 * both sources, post-ops, in place, and what must be refused.
 */
#include "primitives/harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

struct problem_case {
    dnnl_alg_kind_t alg;
    int ndims;
    dnnl_dims_t dims;
    int mask0, mask1, mask2; /* dimensions that src0, src1 and the condition have */
    dnnl_data_type_t type0, type1, dst_type;
    const char *tag0, *tag1, *dst_tag; /* NULL: any */
};

static dnnl_status_t desc_new(dnnl_primitive_desc_t *pd, const struct problem_case *c,
                              const struct array *src0, const struct array *src1, const struct array *src2,
                              const struct array *dst, const_dnnl_primitive_attr_t attr) {
    dnnl_memory_desc_t a = md_of(src0, c->tag0), b = md_of(src1, c->tag1), d = md_of(dst, c->dst_tag);
    dnnl_memory_desc_t condition = c->alg == dnnl_binary_select ? md_of(src2, c->tag0) : NULL;
    dnnl_status_t status =
            dnnl_binary_primitive_desc_create_v2(pd, test_engine(), c->alg, a, b, condition, d, attr);
    dnnl_memory_desc_destroy(a);
    dnnl_memory_desc_destroy(b);
    dnnl_memory_desc_destroy(d);
    if (condition) dnnl_memory_desc_destroy(condition);
    return status;
}

static struct array source_new(const struct problem_case *c, int mask, dnnl_data_type_t type) {
    dnnl_dims_t dims;
    for (int d = 0; d < c->ndims; d++)
        dims[d] = (mask >> d & 1) != 0 ? c->dims[d] : 1;
    return array_new(c->ndims, dims, type);
}

struct tensors {
    struct array src0, src1, src2, dst, error;
};

static void tensors_init(struct tensors *t, const struct problem_case *c) {
    t->src0 = source_new(c, c->mask0, c->type0);
    t->src1 = source_new(c, c->mask1, c->type1);
    t->src2 = source_new(c, c->mask2, dnnl_s8);
    t->dst = array_new(c->ndims, c->dims, c->dst_type);
    t->error = array_like(&t->dst, dnnl_f64);
    array_fill(&t->src0, 4, 1);
    array_fill(&t->src1, 4, 2);
    array_fill(&t->src2, 1, 3);
}

static void tensors_free(struct tensors *t) {
    array_free(&t->src0);
    array_free(&t->src1);
    array_free(&t->src2);
    array_free(&t->dst);
    array_free(&t->error);
}

/* `in_place`: the argument that dst overwrites; 0: none. */
static void run_case(const struct problem_case *c, int in_place) {
    struct tensors t;
    struct array none = {0};
    dnnl_dims_t at = {0};
    char what[256];
    tensors_init(&t, c);
    snprintf(what, sizeof what, "algorithm 0x%x, masks %x and %x, types %d and %d to %d, %s and %s to %s",
             (int)c->alg, (unsigned)c->mask0, (unsigned)c->mask1, (int)c->type0, (int)c->type1,
             (int)c->dst_type, c->tag0, c->tag1 ? c->tag1 : "any", c->dst_tag ? c->dst_tag : "any");
    if (t.dst.count > 0) do {
            store_bounded(binary_forward(c->alg, exactly(array_at(&t.src0, at)),
                                         exactly(array_at(&t.src1, at)), array_at(&t.src2, at)),
                          array_index(&t.dst, at), &t.dst, &t.error);
        } while (next_position(c->ndims, c->dims, at));
    dnnl_primitive_desc_t pd;
    dnnl_status_t status = desc_new(&pd, c, &t.src0, &t.src1, &t.src2, &t.dst, NULL);
    run_implementations(
            status, pd,
            &(struct test_run){
                    .what = what,
                    .inputs = {{DNNL_ARG_SRC_0, &t.src0},
                               {DNNL_ARG_SRC_1, &t.src1},
                               {DNNL_ARG_SRC_2, c->alg == dnnl_binary_select ? &t.src2 : &none}},
                    .outputs = {{DNNL_ARG_DST, &t.dst, .error = c->alg == dnnl_binary_div ? &t.error : NULL,
                                 .in_place_of = in_place}}});
    tensors_free(&t);
}

static const dnnl_dims_t image = {2, 19, 5, 7};
enum { ALL = 15 };

static struct problem_case case_of(dnnl_alg_kind_t alg) {
    struct problem_case c = {alg,      4,        {0},      ALL,    ALL,    ALL,
                             dnnl_f32, dnnl_f32, dnnl_f32, "abcd", "abcd", "abcd"};
    for (int d = 0; d < 4; d++)
        c.dims[d] = image[d];
    return c;
}

static void algorithms(void **state) {
    (void)state;
    failures = 0;
    for (int alg = dnnl_binary_add; alg <= dnnl_binary_select; alg++) {
        struct problem_case c = case_of((dnnl_alg_kind_t)alg);
        run_case(&c, 0);
        run_case(&c, DNNL_ARG_SRC_0);
        run_case(&c, DNNL_ARG_SRC_1);
        c.mask1 = 2, c.mask2 = 12;
        run_case(&c, DNNL_ARG_SRC_0);
    }
    assert_int_equal(failures, 0);
}

/* Every broadcast of either source, in all combinations of layouts. */
static void broadcasts(void **state) {
    (void)state;
    failures = 0;
    static const char *const tags[] = {"abcd", "acdb", "aBcd16b", "aBcd8b", "cdba"};
    for (int mask = 0; mask < 16; mask++)
        for (int k = 0; k < COUNT(tags) * COUNT(tags); k++) {
            struct problem_case c = case_of(dnnl_binary_sub);
            c.tag0 = tags[k % COUNT(tags)];
            c.dst_tag = tags[k / COUNT(tags)];
            c.tag1 = tags[(k + mask) % COUNT(tags)];
            c.mask1 = mask;
            run_case(&c, 0);
            c.mask0 = ALL & ~mask, c.mask1 = ALL;
            run_case(&c, 0);
            c.mask1 = mask; /* each dimension comes from one of the two */
            run_case(&c, 0);
        }
    printf("%d runs\n", implementations_run);
    assert_int_equal(failures, 0);
}

static void types(void **state) {
    (void)state;
    failures = 0;
    static const dnnl_data_type_t all[] = {dnnl_f32, dnnl_bf16,    dnnl_f16,     dnnl_s32, dnnl_s8,
                                           dnnl_u8,  dnnl_f8_e5m2, dnnl_f8_e4m3, dnnl_s4};
    for (int a = 0; a < COUNT(all); a++)
        for (int b = 0; b < COUNT(all); b++)
            for (int d = 0; d < COUNT(all); d++) {
                struct problem_case c = case_of(d % 2 ? dnnl_binary_add : dnnl_binary_mul);
                c.type0 = all[a], c.type1 = all[b], c.dst_type = all[d];
                c.tag1 = NULL, c.dst_tag = NULL;
                run_case(&c, 0);
                c.mask1 = 2, c.tag0 = "aBcd8b", c.tag1 = "acdb", c.dst_tag = "abcd";
                run_case(&c, 0);
            }
    assert_int_equal(failures, 0);
}

/* Sizes of one, of primes, of nothing, longer than a block, and layouts whose blocks do not divide each
 * other. */
static void shapes(void **state) {
    (void)state;
    failures = 0;
    static const struct problem_case cases[] = {
            {dnnl_binary_add, 1, {1}, 1, 1, 0, dnnl_f32, dnnl_f32, dnnl_f32, "a", "a", NULL},
            {dnnl_binary_add, 1, {5000}, 1, 1, 0, dnnl_f32, dnnl_f32, dnnl_f32, "a", "a", NULL},
            {dnnl_binary_add, 1, {5000}, 1, 0, 0, dnnl_bf16, dnnl_f32, dnnl_s8, "a", "a", NULL},
            {dnnl_binary_max, 2, {0, 3}, 3, 3, 0, dnnl_f32, dnnl_f32, dnnl_f32, "ab", "ab", NULL},
            {dnnl_binary_mul, 2, {3, 2053}, 3, 1, 0, dnnl_f32, dnnl_f32, dnnl_f32, "ab", "ba", "ba"},
            {dnnl_binary_mul, 2, {701, 3}, 3, 2, 0, dnnl_f16, dnnl_f32, dnnl_f32, "ab", "ab", "ab"},
            {dnnl_binary_sub,
             2,
             {40, 70},
             3,
             3,
             0,
             dnnl_f32,
             dnnl_f32,
             dnnl_f32,
             "AB16b64a",
             "BA16a16b2a",
             "ab"},
            {dnnl_binary_sub,
             2,
             {40, 70},
             3,
             3,
             0,
             dnnl_f32,
             dnnl_f32,
             dnnl_f32,
             "BA16a32b",
             "AB16b24b",
             "AB16b"},
            {dnnl_binary_add,
             5,
             {2, 5, 3, 4, 2},
             31,
             2,
             0,
             dnnl_f32,
             dnnl_f32,
             dnnl_f32,
             "abcde",
             "acdeb",
             "aBcde16b"},
            {dnnl_binary_add, 3, {1, 1, 1}, 7, 7, 0, dnnl_f32, dnnl_f32, dnnl_f32, "aBc16b", "abc", "aBc16b"},
    };
    for (int i = 0; i < COUNT(cases); i++)
        run_case(&cases[i], 0);
    assert_int_equal(failures, 0);
}

/* Scales of both sources, in memory or by value. */
static dnnl_memory_t scale_new(float scale, bool by_value) {
    static const dnnl_dims_t one = {1};
    struct array array = array_new(1, one, dnnl_f32);
    dnnl_memory_desc_t md = md_of(&array, "a"), scalar;
    dnnl_memory_t memory;
    array.values[0] = (double)scale;
    MUST(dnnl_memory_desc_create_host_scalar(&scalar, dnnl_f32));
    if (by_value)
        MUST(dnnl_memory_create_host_scalar(&memory, scalar, &scale));
    else
        memory = memory_new(md, &array);
    dnnl_memory_desc_destroy(md);
    dnnl_memory_desc_destroy(scalar);
    array_free(&array);
    return memory;
}

static void run_scales(const struct problem_case *c, bool by_value) {
    static const float scale[] = {0.5f, 4};
    struct tensors t;
    struct exec extra = {0};
    dnnl_dims_t at = {0};
    dnnl_primitive_attr_t attr;
    tensors_init(&t, c);
    assert_int_equal(dnnl_primitive_attr_create(&attr), dnnl_success);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(dnnl_primitive_attr_set_scales_v3(attr, DNNL_ARG_SRC_0 + i, 0, 0, NULL, dnnl_f32,
                                                           by_value, dnnl_quantization_mode_static_sazp),
                         dnnl_success);
        exec_add(&extra, DNNL_ARG_ATTR_SCALES | (DNNL_ARG_SRC_0 + i), scale_new(scale[i], by_value));
    }
    do {
        double x = array_at(&t.src0, at) * scale[0] - array_at(&t.src1, at) * scale[1];
        t.dst.values[array_index(&t.dst, at)] = round_to_type(x, c->dst_type);
    } while (next_position(c->ndims, c->dims, at));
    dnnl_primitive_desc_t pd;
    dnnl_status_t status = desc_new(&pd, c, &t.src0, &t.src1, &t.src2, &t.dst, attr);
    run_implementations(status, pd,
                        &(struct test_run){.what = by_value ? "scales by value" : "scales",
                                           .extra = &extra,
                                           .inputs = {{DNNL_ARG_SRC_0, &t.src0}, {DNNL_ARG_SRC_1, &t.src1}},
                                           .outputs = {{DNNL_ARG_DST, &t.dst}}});
    dnnl_primitive_attr_destroy(attr);
    exec_free(&extra);
    tensors_free(&t);
}

static void scales(void **state) {
    (void)state;
    failures = 0;
    static const dnnl_data_type_t all[] = {dnnl_f32, dnnl_s8, dnnl_bf16};
    for (int i = 0; i < COUNT(all) * 2; i++) {
        struct problem_case c = case_of(dnnl_binary_sub);
        c.type0 = all[i / 2], c.dst_type = all[i / 2];
        run_scales(&c, i % 2);
        c.mask1 = 2;
        run_scales(&c, i % 2);
    }
    assert_int_equal(failures, 0);
}

/* Post-ops: more of them than one launch takes. */
static const struct attr_case attr_cases[] = {
        {.name = "relu", .ops = {ELTWISE(dnnl_eltwise_relu, 0.5f, 0)}},
        {.name = "sum", .ops = {{.kind = dnnl_sum, .alpha = 0.5f}}},
        {.name = "chain",
         .ops = {BINARY(dnnl_binary_add, 2),
                 {.kind = dnnl_sum, .alpha = 2},
                 ELTWISE(dnnl_eltwise_clip, -3, 3),
                 {.kind = dnnl_binary, .alg = dnnl_binary_max, .mask = -1, .type = dnnl_s8}}},
        {.name = "thirteen",
         .ops = {BINARY(dnnl_binary_add, 2),
                 BINARY(dnnl_binary_sub, 4),
                 BINARY(dnnl_binary_add, 8),
                 BINARY(dnnl_binary_max, -1),
                 BINARY(dnnl_binary_add, 1),
                 BINARY(dnnl_binary_sub, 3),
                 BINARY(dnnl_binary_add, 5),
                 {.kind = dnnl_sum, .alpha = 1},
                 BINARY(dnnl_binary_min, 9),
                 BINARY(dnnl_binary_add, 14),
                 BINARY(dnnl_binary_sub, 0),
                 BINARY(dnnl_binary_add, 6),
                 BINARY(dnnl_binary_max, 2)}},
};

static void run_attr(const struct attr_case *a, const struct problem_case *c) {
    struct tensors t;
    struct attr_run run;
    dnnl_dims_t at = {0};
    tensors_init(&t, c);
    attr_run_init(&run, a, &t.src0, &t.src1, &t.dst);
    do {
        struct bounded x = exactly(array_at(&t.src0, at)), y = exactly(array_at(&t.src1, at));
        store_bounded(attr_run_apply(&run, binary_forward(c->alg, x, y, 0), 0, 0, at),
                      array_index(&t.dst, at), &t.dst, &t.error);
    } while (next_position(c->ndims, c->dims, at));
    dnnl_primitive_desc_t pd;
    dnnl_status_t status = desc_new(&pd, c, &t.src0, &t.src1, &t.src2, &t.dst, run.attr);
    run_implementations(
            status, pd,
            &(struct test_run){.what = a->name,
                               .attr = &run,
                               .inputs = {{DNNL_ARG_SRC_0, &t.src0}, {DNNL_ARG_SRC_1, &t.src1}},
                               .outputs = {{DNNL_ARG_DST, &t.dst, .before = attr_run_before(&run)}}});
    attr_run_free(&run);
    tensors_free(&t);
}

static void attributes(void **state) {
    (void)state;
    failures = 0;
    static const char *const tags[] = {"abcd", "acdb", "aBcd16b"};
    for (int a = 0; a < COUNT(attr_cases); a++)
        for (int t = 0; t < COUNT(tags); t++) {
            struct problem_case c = case_of(dnnl_binary_add);
            c.dst_tag = tags[t];
            run_attr(&attr_cases[a], &c);
            c.type0 = dnnl_s8, c.dst_type = dnnl_s8, c.mask1 = 2;
            run_attr(&attr_cases[a], &c);
        }
    assert_int_equal(failures, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(algorithms), cmocka_unit_test(broadcasts), cmocka_unit_test(types),
            cmocka_unit_test(shapes),     cmocka_unit_test(scales),     cmocka_unit_test(attributes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
