/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reorders against plain loops: layouts x types x attributes, on every implementation that takes the problem;
 * then what must be refused.
 */
#include "primitives/harness.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static int problems_run;

static dnnl_status_t desc_new(dnnl_primitive_desc_t *pd, const struct array *src, const char *src_tag,
                              const struct array *dst, const char *dst_tag,
                              const_dnnl_primitive_attr_t attr) {
    dnnl_memory_desc_t from = md_of(src, src_tag), to = md_of(dst, dst_tag);
    dnnl_status_t status =
            dnnl_reorder_primitive_desc_create(pd, from, test_engine(), to, test_engine(), attr);
    dnnl_memory_desc_destroy(from);
    dnnl_memory_desc_destroy(to);
    return status;
}

static void reference(struct array *dst, const struct array *src, const struct attr_run *run) {
    dnnl_dims_t at = {0};
    if (dst->count == 0) return;
    do {
        double x = array_at(src, at) - attr_run_src_zero(run, at);
        dst->values[array_index(dst, at)] = attr_run_apply(run, x, 0, 0, at);
    } while (next_position(dst->ndims, dst->dims, at));
}

static void run_one(const_dnnl_primitive_desc_t pd, const struct array *src, const struct attr_run *run,
                    struct array *result, const char *what) {
    struct exec exec = {0};
    const_dnnl_memory_desc_t from = dnnl_primitive_desc_query_md(pd, dnnl_query_src_md, 0);
    const_dnnl_memory_desc_t to = dnnl_primitive_desc_query_md(pd, dnnl_query_dst_md, 0);
    exec_add(&exec, DNNL_ARG_FROM, memory_new(from, src));
    exec_add(&exec, DNNL_ARG_TO, memory_new(to, run->nops ? &run->previous : NULL));
    exec_add_attr(&exec, run, pd);
    dnnl_status_t status = exec_run(&exec, pd);
    if (status != dnnl_success)
        failure("%s: execution gives %d", what, (int)status);
    else if (!memory_read(exec_find(&exec, DNNL_ARG_TO), result))
        failure("%s: padding is not zero", what);
    exec_free(&exec);
}

/* Every implementation of one problem. */
static void run_problem(const struct array *src, const char *src_tag, struct array *dst, const char *dst_tag,
                        const struct attr_case *c) {
    struct attr_run run;
    attr_run_init(&run, c, src, src, dst);
    reference(dst, src, &run);
    char what[256];
    snprintf(what, sizeof what, "%d-dimensional %d %s to %d %s, %s", src->ndims, (int)src->type, src_tag,
             (int)dst->type, dst_tag, c->name);
    dnnl_primitive_desc_t pd;
    dnnl_status_t status = desc_new(&pd, src, src_tag, dst, dst_tag, run.attr);
    if (status != dnnl_success) failure("%s: creation gives %d", what, (int)status);
    for (; status == dnnl_success; status = dnnl_primitive_desc_next_impl(pd)) {
        struct array result = array_new(dst->ndims, dst->dims, dst->type);
        run_one(pd, src, &run, &result, what);
        check_equal(what, dst, &result);
        array_free(&result);
        problems_run++;
    }
    if (status == dnnl_last_impl_reached) dnnl_primitive_desc_destroy(pd);
    attr_run_free(&run);
}

static const struct attr_case plain = {.name = "plain"};

static const struct {
    int ndims;
    dnnl_dims_t dims;
    const char *tags[10];
} shapes[] = {
        {1, {37}, {"a", "A16a"}},
        {2, {40, 33}, {"ab", "ba", "Ab32a", "aB16b", "BA16a16b", "BA4b8a4b", "Ab16a"}},
        {3, {3, 18, 5}, {"abc", "acb", "cba", "aBc16b", "ABc4a16b", "bac"}},
        {4,
         {2, 19, 6, 7},
         {"abcd", "acdb", "cdba", "aBcd16b", "aBcd8b", "ABcd16b16a", "Acdb32a", "bcda", "ABcd4b16a4b"}},
        {4, {1, 3, 30, 31}, {"abcd", "acdb", "aBcd16b"}},
        {4, {70, 130, 2, 1}, {"abcd", "acdb", "cdba", "Acdb32a"}},
        {5, {2, 17, 5, 3, 4}, {"abcde", "acdeb", "aBdec32b", "aBCde16b16c", "aBcde16b"}},
        {6, {2, 3, 4, 2, 3, 2}, {"abcdef", "fedcba", "aBcdef8b"}},
        {2, {0, 5}, {"ab", "ba"}},
        {3, {64, 1, 64}, {"abc", "cba", "bca"}},
};

static void layouts(void **state) {
    (void)state;
    static const dnnl_data_type_t types[] = {dnnl_f32, dnnl_s32, dnnl_bf16, dnnl_s8, dnnl_f64};
    for (int s = 0; s < COUNT(shapes); s++)
        for (int i = 0; shapes[s].tags[i]; i++)
            for (int k = 0; shapes[s].tags[k]; k++)
                for (int t = 0; t < COUNT(types); t++) {
                    struct array src = array_new(shapes[s].ndims, shapes[s].dims, types[t]);
                    struct array dst = array_new(shapes[s].ndims, shapes[s].dims, types[t]);
                    array_fill(&src, 100, (unsigned)(i + k));
                    run_problem(&src, shapes[s].tags[i], &dst, shapes[s].tags[k], &plain);
                    array_free(&src);
                    array_free(&dst);
                }
    printf("%d problems\n", problems_run);
    assert_int_equal(failures, 0);
}

static const dnnl_data_type_t all_types[] = {dnnl_f32, dnnl_f16,     dnnl_bf16,    dnnl_s32,
                                             dnnl_s8,  dnnl_u8,      dnnl_f64,     dnnl_s4,
                                             dnnl_u4,  dnnl_f8_e5m2, dnnl_f8_e4m3, dnnl_f4_e2m1};

static bool is_small(dnnl_data_type_t type) {
    return type == dnnl_s4 || type == dnnl_u4 || type == dnnl_f4_e2m1;
}

/* Small numbers, which every type has. */
static void types(void **state) {
    (void)state;
    static const dnnl_dims_t dims = {3, 6, 4};
    static const char *const tags[] = {"abc", "cba", "acb"};
    for (int i = 0; i < COUNT(all_types); i++)
        for (int k = 0; k < COUNT(all_types); k++)
            for (int t = 0; t < COUNT(tags); t++) {
                /* 4-bit elements share bytes, so the descriptor must be dense in pairs. */
                const char *from = tags[is_small(all_types[i]) ? 0 : t],
                           *to = tags[is_small(all_types[k]) ? 0 : 2 - t];
                struct array src = array_new(3, dims, all_types[i]), dst = array_new(3, dims, all_types[k]);
                array_fill(&src, 2, (unsigned)t);
                if (all_types[i] == dnnl_u4 || all_types[i] == dnnl_u8) array_fill(&src, 1, (unsigned)t);
                run_problem(&src, from, &dst, to, &plain);
                array_free(&src);
                array_free(&dst);
            }
    assert_int_equal(failures, 0);
}

/* A memory of random bytes: every kind of number is among them. */
static dnnl_memory_t random_memory(const_dnnl_memory_desc_t md) {
    dnnl_memory_t memory = memory_new(md, NULL);
    unsigned char *bytes;
    uint32_t random = 1;
    assert_int_equal(dnnl_memory_map_data(memory, (void **)&bytes), dnnl_success);
    for (size_t i = 0; i < dnnl_memory_desc_get_size(md); i++) {
        random = random * 1664525u + 1013904223u;
        bytes[i] = (unsigned char)(random >> 24);
    }
    assert_int_equal(dnnl_memory_unmap_data(memory, bytes), dnnl_success);
    return memory;
}

static bool same_bytes(dnnl_memory_t a, dnnl_memory_t b, size_t size) {
    void *left, *right;
    assert_int_equal(dnnl_memory_map_data(a, &left), dnnl_success);
    assert_int_equal(dnnl_memory_map_data(b, &right), dnnl_success);
    bool same = memcmp(left, right, size) == 0;
    assert_int_equal(dnnl_memory_unmap_data(a, left), dnnl_success);
    assert_int_equal(dnnl_memory_unmap_data(b, right), dnnl_success);
    return same;
}

/* Every implementation gives the bytes of the first. */
static void compare_implementations(dnnl_primitive_desc_t pd, const char *what) {
    const_dnnl_memory_desc_t to = dnnl_primitive_desc_query_md(pd, dnnl_query_dst_md, 0);
    struct exec exec = {0};
    dnnl_memory_t first = memory_new(to, NULL), second = memory_new(to, NULL);
    exec_add(&exec, DNNL_ARG_FROM, random_memory(dnnl_primitive_desc_query_md(pd, dnnl_query_src_md, 0)));
    exec_add(&exec, DNNL_ARG_TO, first);
    assert_int_equal(exec_run(&exec, pd), dnnl_success);
    exec.args[1].memory = second;
    while (dnnl_primitive_desc_next_impl(pd) == dnnl_success) {
        const char *name = "";
        dnnl_primitive_desc_query(pd, dnnl_query_impl_info_str, 0, &name);
        assert_int_equal(exec_run(&exec, pd), dnnl_success);
        to = dnnl_primitive_desc_query_md(pd, dnnl_query_dst_md, 0);
        if (!same_bytes(first, second, dnnl_memory_desc_get_size(to)))
            failure("%s: %s gives other bytes", what, name);
    }
    exec_free(&exec);
    dnnl_memory_destroy(first);
    dnnl_primitive_desc_destroy(pd);
}

/* Quick ways against the universal one, on tensors that do not fill their tiles. */
static void every_number(void **state) {
    (void)state;
    static const dnnl_data_type_t quick[] = {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_s32, dnnl_s8, dnnl_u8};
    static const char *const tags[][2] = {{"abcd", "abcd"},    {"abcd", "acdb"},   {"acdb", "abcd"},
                                          {"abcd", "aBcd16b"}, {"aBcd8b", "acdb"}, {"aBcd16b", "bcda"}};
    static const dnnl_dims_t dims = {2, 75, 9, 13};
    for (int i = 0; i < COUNT(quick); i++)
        for (int k = 0; k < COUNT(quick); k++)
            for (int t = 0; t < COUNT(tags); t++) {
                dnnl_memory_desc_t from = md_new(4, dims, quick[i], tags[t][0]),
                                   to = md_new(4, dims, quick[k], tags[t][1]);
                dnnl_primitive_desc_t pd;
                char what[64];
                snprintf(what, sizeof what, "type %d in %s to %d in %s", (int)quick[i], tags[t][0],
                         (int)quick[k], tags[t][1]);
                assert_int_equal(
                        dnnl_reorder_primitive_desc_create(&pd, from, test_engine(), to, test_engine(), NULL),
                        dnnl_success);
                compare_implementations(pd, what);
                dnnl_memory_desc_destroy(from);
                dnnl_memory_desc_destroy(to);
            }
    assert_int_equal(failures, 0);
}

/* Integers travel exactly, whatever a float could hold. */
static void large_integers(void **state) {
    (void)state;
    static const dnnl_dims_t dims = {4, 3};
    static const double values[12] = {16777217, -16777217, 2147483647, -2147483648.0, 123456789, -1,
                                      0,        255,       256,        -129,          127,       -128};
    static const dnnl_data_type_t to[] = {dnnl_s32, dnnl_s8, dnnl_u8};
    for (int k = 0; k < COUNT(to); k++) {
        struct array src = array_new(2, dims, dnnl_s32), dst = array_new(2, dims, to[k]);
        memcpy(src.values, values, sizeof values);
        run_problem(&src, "ab", &dst, "ba", &plain);
        array_free(&src);
        array_free(&dst);
    }
    assert_int_equal(failures, 0);
}

static const struct {
    dnnl_data_type_t src, dst;
    struct attr_case c;
} attrs[] = {
        {dnnl_f32, dnnl_f32, {.name = "sum", .ops = {{.kind = dnnl_sum, .alpha = 0.5f}}}},
        {dnnl_f32, dnnl_s8, {.name = "sum", .ops = {{.kind = dnnl_sum, .alpha = 2}}}},
        {dnnl_f32, dnnl_f32, {.name = "scale of src", .src_scale = 0.5f}},
        {dnnl_f32, dnnl_s8, {.name = "scale of dst", .dst_scale = 0.25f}},
        {dnnl_f32, dnnl_u8, {.name = "scales of dst", .dst_scale = 0.25f, .dst_mask = 2}},
        {dnnl_s8, dnnl_f32, {.name = "both", .src_scale = 0.5f, .dst_scale = 4, .dst_mask = 3}},
        {dnnl_s8, dnnl_u8, {.name = "zero points", .src_zero_point = 3, .dst_zero_point = 7}},
        {dnnl_u8,
         dnnl_s8,
         {.name = "zero points by channel",
          .src_zero_point = 2,
          .src_zero_mask = 2,
          .dst_zero_point = 1,
          .dst_zero_mask = 1}},
        {dnnl_s8,
         dnnl_s32,
         {.name = "everything",
          .src_scale = 0.5f,
          .dst_scale = 2,
          .src_zero_point = -1,
          .dst_zero_point = 4,
          .ops = {{.kind = dnnl_sum, .alpha = 1}}}},
        {dnnl_f32, dnnl_s4, {.name = "to four bits", .src_scale = 0.5f, .dst_zero_point = 1}},
        {dnnl_u4, dnnl_f32, {.name = "from four bits", .src_scale = 2, .src_zero_point = 8}},
        {dnnl_bf16,
         dnnl_s8,
         {.name = "host scalars",
          .src_scale = 0.5f,
          .dst_scale = 2,
          .dst_zero_point = 3,
          .host_scalars = true}},
};

static void attributes(void **state) {
    (void)state;
    static const dnnl_dims_t dims = {3, 5, 4, 2};
    static const char *const tags[] = {"abcd", "acdb", "aBcd16b"};
    for (int a = 0; a < COUNT(attrs); a++)
        for (int t = 0; t < COUNT(tags); t++) {
            bool fixed = is_small(attrs[a].src) || is_small(attrs[a].dst);
            struct array src = array_new(4, dims, attrs[a].src), dst = array_new(4, dims, attrs[a].dst);
            array_fill(&src, 6, (unsigned)a);
            run_problem(&src, fixed ? "abcd" : tags[t], &dst, fixed ? "abcd" : tags[(t + a) % 3],
                        &attrs[a].c);
            array_free(&src);
            array_free(&dst);
        }
    assert_int_equal(failures, 0);
}

/* Scales with groups of src, which only reorders out of quantised types have. */
static void groups(void **state) {
    (void)state;
    enum { ROWS = 8, COLUMNS = 6, GROUP = 4 };
    static const dnnl_dims_t dims = {ROWS, COLUMNS}, sizes = {GROUP, 1}, count = {ROWS / GROUP * COLUMNS};
    struct array src = array_new(2, dims, dnnl_s8), dst = array_new(2, dims, dnnl_f32);
    struct array scales = array_new(1, count, dnnl_f32), result = array_new(2, dims, dnnl_f32);
    array_fill(&src, 20, 1);
    for (int i = 0; i < scales.count; i++)
        scales.values[i] = ldexp(1, i % 5 - 2);
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++)
            dst.values[r * COLUMNS + c] =
                    src.values[r * COLUMNS + c] * scales.values[r / GROUP * COLUMNS + c];
    dnnl_primitive_attr_t attr;
    dnnl_primitive_desc_t pd;
    assert_int_equal(dnnl_primitive_attr_create(&attr), dnnl_success);
    assert_int_equal(dnnl_primitive_attr_set_scales(attr, DNNL_ARG_SRC, 3, 2, sizes, dnnl_f32), dnnl_success);
    assert_int_equal(desc_new(&pd, &src, "ab", &dst, "ba", attr), dnnl_success);
    struct exec exec = {0};
    dnnl_memory_desc_t from = md_of(&src, "ab"), to = md_of(&dst, "ba"), scale = md_of(&scales, "a");
    exec_add(&exec, DNNL_ARG_FROM, memory_new(from, &src));
    exec_add(&exec, DNNL_ARG_TO, memory_new(to, NULL));
    exec_add(&exec, DNNL_ARG_ATTR_SCALES | DNNL_ARG_FROM, memory_new(scale, &scales));
    assert_int_equal(exec_run(&exec, pd), dnnl_success);
    assert_true(memory_read(exec_find(&exec, DNNL_ARG_TO), &result));
    check_equal("groups", &dst, &result);
    assert_int_equal(failures, 0);
    exec_free(&exec);
    dnnl_memory_desc_destroy(from);
    dnnl_memory_desc_destroy(to);
    dnnl_memory_desc_destroy(scale);
    dnnl_primitive_desc_destroy(pd);
    dnnl_primitive_attr_destroy(attr);
    array_free(&src);
    array_free(&dst);
    array_free(&scales);
    array_free(&result);
}

/* A part of a tensor into a part of another: what lies around stays as it was. */
static void parts(void **state) {
    (void)state;
    static const dnnl_dims_t whole = {8, 10}, part = {3, 4}, at = {2, 5}, to_at = {4, 1};
    dnnl_memory_desc_t plain_md = md_new(2, whole, dnnl_f32, "ab"), turned = md_new(2, whole, dnnl_f32, "ba");
    dnnl_memory_desc_t from, to;
    assert_int_equal(dnnl_memory_desc_create_submemory(&from, plain_md, part, at), dnnl_success);
    assert_int_equal(dnnl_memory_desc_create_submemory(&to, turned, part, to_at), dnnl_success);
    struct array src = array_new(2, whole, dnnl_f32), before = array_new(2, whole, dnnl_f32),
                 result = array_new(2, whole, dnnl_f32);
    array_fill(&src, 100, 1);
    array_fill(&before, 100, 2);
    for (int impl = 0; impl < 2; impl++) {
        dnnl_primitive_desc_t pd;
        assert_int_equal(
                dnnl_reorder_primitive_desc_create(&pd, from, test_engine(), to, test_engine(), NULL),
                dnnl_success);
        if (impl) assert_int_equal(dnnl_primitive_desc_next_impl(pd), dnnl_success);
        struct exec exec = {0};
        exec_add(&exec, DNNL_ARG_FROM, memory_new(plain_md, &src));
        exec_add(&exec, DNNL_ARG_TO, memory_new(turned, &before));
        assert_int_equal(exec_run(&exec, pd), dnnl_success);
        memory_read(exec_find(&exec, DNNL_ARG_TO), &result);
        for (int r = 0; r < 8; r++)
            for (int c = 0; c < 10; c++) {
                bool inside = r >= 4 && r < 7 && c >= 1 && c < 5;
                double expected = inside ? src.values[(r - 2) * 10 + c + 4] : before.values[r * 10 + c];
                assert_true(result.values[r * 10 + c] == expected);
            }
        exec_free(&exec);
        dnnl_primitive_desc_destroy(pd);
    }
    dnnl_memory_desc_destroy(plain_md);
    dnnl_memory_desc_destroy(turned);
    dnnl_memory_desc_destroy(from);
    dnnl_memory_desc_destroy(to);
    array_free(&src);
    array_free(&before);
    array_free(&result);
}

static void refusals(void **state) {
    (void)state;
    static const dnnl_dims_t dims = {2, 3}, other = {2, 4};
    dnnl_memory_desc_t md = md_new(2, dims, dnnl_f32, "ab"), any = md_new(2, dims, dnnl_f32, NULL),
                       wrong = md_new(2, other, dnnl_f32, "ab");
    dnnl_primitive_desc_t pd = (dnnl_primitive_desc_t)&pd, untouched = pd;
    dnnl_engine_t engine = test_engine();
    const dnnl_status_t invalid = dnnl_invalid_arguments;
    assert_int_equal(dnnl_reorder_primitive_desc_create(NULL, md, engine, md, engine, NULL), invalid);
    assert_int_equal(dnnl_reorder_primitive_desc_create(&pd, NULL, engine, md, engine, NULL), invalid);
    assert_int_equal(dnnl_reorder_primitive_desc_create(&pd, md, engine, NULL, engine, NULL), invalid);
    assert_int_equal(dnnl_reorder_primitive_desc_create(&pd, md, NULL, md, engine, NULL), invalid);
    assert_int_equal(dnnl_reorder_primitive_desc_create(&pd, md, engine, md, NULL, NULL), invalid);
    assert_int_equal(dnnl_reorder_primitive_desc_create(&pd, any, engine, md, engine, NULL), invalid);
    assert_int_equal(dnnl_reorder_primitive_desc_create(&pd, md, engine, any, engine, NULL), invalid);
    assert_int_equal(dnnl_reorder_primitive_desc_create(&pd, md, engine, wrong, engine, NULL), invalid);
    assert_ptr_equal(pd, untouched);
    dnnl_memory_desc_destroy(md);
    dnnl_memory_desc_destroy(any);
    dnnl_memory_desc_destroy(wrong);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(layouts),        cmocka_unit_test(types),      cmocka_unit_test(every_number),
            cmocka_unit_test(large_integers), cmocka_unit_test(attributes), cmocka_unit_test(groups),
            cmocka_unit_test(parts),          cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
