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

static void reference(struct array *dst, struct array *error, const struct array *src,
                      const struct attr_run *run) {
    dnnl_dims_t at = {0};
    if (dst->count == 0) return;
    do {
        double x = array_at(src, at) - attr_run_src_zero(run, at);
        store_bounded(attr_run_apply(run, exactly(x), 0, 0, at), array_index(dst, at), dst, error);
    } while (next_position(dst->ndims, dst->dims, at));
}

/* Every implementation of one problem. */
static void run_problem(const struct array *src, const char *src_tag, struct array *dst, const char *dst_tag,
                        const struct attr_case *c, bool exact) {
    struct array error = array_like(dst, dnnl_f64);
    struct attr_run run;
    attr_run_init(&run, c, src, src, dst);
    reference(dst, &error, src, &run);
    char what[256];
    snprintf(what, sizeof what, "%d-dimensional %d %s to %d %s, %s", src->ndims, (int)src->type, src_tag,
             (int)dst->type, dst_tag, c->name);
    dnnl_primitive_desc_t pd;
    dnnl_status_t status = desc_new(&pd, src, src_tag, dst, dst_tag, run.attr);
    run_implementations(status, pd,
                        &(struct test_run){.what = what,
                                           .attr = &run,
                                           .inputs = {{DNNL_ARG_FROM, src}},
                                           .outputs = {{DNNL_ARG_TO, dst, .error = exact ? NULL : &error,
                                                        .before = attr_run_before(&run)}}});
    attr_run_free(&run);
    array_free(&error);
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
        {4,
         {35, 22, 3, 7},
         {"abcd", "acdb", "cdba", "ABcd2b8a4b", "ABcd16a4b", "ABcd16a2b", "BcdA32b2a", "AcdB32a2b"}},
        {4, {64, 96, 2, 3}, {"Acdb32a", "AcdB32a2b", "BcdA32b2a", "ABcd16b16a", "ABcd8a8b"}},
        {4, {70, 130, 2, 1}, {"abcd", "acdb", "cdba", "Acdb32a"}},
        {4, {1, 264, 91, 90}, {"abcd", "acdb"}}, /* the widest tiles, and several pieces of them */
        {4, {1, 40, 32, 40}, {"abcd", "acdb", "aBcd16b"}},
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
                    run_problem(&src, shapes[s].tags[i], &dst, shapes[s].tags[k], &plain, true);
                    array_free(&src);
                    array_free(&dst);
                }
    printf("%d runs\n", implementations_run);
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
                run_problem(&src, from, &dst, to, &plain, true);
                array_free(&src);
                array_free(&dst);
            }
    assert_int_equal(failures, 0);
}

/* Random bits: every kind of number is among them. */
static void fill_bits(struct array *array) {
    static const size_t sizes[] = {[dnnl_f32] = 4, [dnnl_bf16] = 2, [dnnl_f16] = 2,
                                   [dnnl_s32] = 4, [dnnl_s8] = 1,   [dnnl_u8] = 1};
    uint32_t random = 1;
    for (int64_t i = 0; i < array->count; i++) {
        unsigned char bytes[4];
        for (size_t b = 0; b < sizes[array->type]; b++) {
            random = random * 1664525u + 1013904223u;
            bytes[b] = (unsigned char)(random >> 24);
        }
        array->values[i] = load_element(bytes, array->type, 0);
    }
}

/* A conversion rounds once, so its result is known exactly. Floats go by way of f32, whose largest number
 * below 2^31 is 2^31 - 128. */
static double converted(double x, dnnl_data_type_t from, dnnl_data_type_t to) {
    if (!is_integer(from) && to == dnnl_s32) return fmin(x, 0x1p31 - 128);
    return x;
}

/* Tensors that do not fill their tiles. */
static void every_number(void **state) {
    (void)state;
    static const dnnl_data_type_t quick[] = {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_s32, dnnl_s8, dnnl_u8};
    static const char *const tags[][2] = {{"abcd", "abcd"},    {"abcd", "acdb"},   {"acdb", "abcd"},
                                          {"abcd", "aBcd16b"}, {"aBcd8b", "acdb"}, {"aBcd16b", "bcda"}};
    static const dnnl_dims_t dims = {2, 75, 9, 13};
    for (int i = 0; i < COUNT(quick); i++)
        for (int k = 0; k < COUNT(quick); k++)
            for (int t = 0; t < COUNT(tags); t++) {
                struct array src = array_new(4, dims, quick[i]), dst = array_new(4, dims, quick[k]);
                char what[64];
                snprintf(what, sizeof what, "type %d in %s to %d in %s", (int)quick[i], tags[t][0],
                         (int)quick[k], tags[t][1]);
                fill_bits(&src);
                for (int64_t n = 0; n < src.count; n++)
                    dst.values[n] = isnan(src.values[n]) ? NAN : converted(src.values[n], quick[i], quick[k]);
                dnnl_primitive_desc_t pd;
                dnnl_status_t status = desc_new(&pd, &src, tags[t][0], &dst, tags[t][1], NULL);
                run_implementations(status, pd,
                                    &(struct test_run){.what = what,
                                                       .inputs = {{DNNL_ARG_FROM, &src}},
                                                       .outputs = {{DNNL_ARG_TO, &dst}}});
                array_free(&src);
                array_free(&dst);
            }
    assert_int_equal(failures, 0);
}

/* Integers are copied exactly, even those that no float holds. */
static void large_integers(void **state) {
    (void)state;
    static const dnnl_dims_t dims = {4, 3};
    static const double values[12] = {16777217, -16777217, 2147483647, -2147483648.0, 123456789, -1,
                                      0,        255,       256,        -129,          127,       -128};
    static const dnnl_data_type_t to[] = {dnnl_s32, dnnl_s8, dnnl_u8};
    for (int k = 0; k < COUNT(to); k++) {
        struct array src = array_new(2, dims, dnnl_s32), dst = array_new(2, dims, to[k]);
        memcpy(src.values, values, sizeof values);
        run_problem(&src, "ab", &dst, "ba", &plain, true);
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
        {dnnl_u4, dnnl_f32, {.name = "from four bits", .src_scale = 2, .src_mask = 2, .src_zero_point = 8}},
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
            run_problem(&src, fixed ? "abcd" : tags[t], &dst, fixed ? "abcd" : tags[(t + a) % 3], &attrs[a].c,
                        true);
            array_free(&src);
            array_free(&dst);
        }
    assert_int_equal(failures, 0);
}

static const struct attr_case real_attrs[] = {
        {.name = "plain"},
        {.name = "scale of src", .src_scale = 0.37f},
        {.name = "scales of dst", .dst_scale = 3.3f, .dst_mask = 2},
        {.name = "both scales and a sum",
         .src_scale = 0.7f,
         .src_mask = 1,
         .dst_scale = 0.11f,
         .ops = {{.kind = dnnl_sum, .alpha = 0.3f}}},
};

/* Real numbers, and scales that are not powers of two. */
static void real_numbers(void **state) {
    (void)state;
    static const dnnl_dims_t dims = {3, 35, 4, 5};
    static const char *const tags[] = {"abcd", "acdb", "aBcd16b", "ABcd2b8a4b", "ABcd16a2b"};
    static const dnnl_data_type_t types[] = {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_s8, dnnl_u8, dnnl_s32};
    for (int a = 0; a < COUNT(real_attrs); a++)
        for (int i = 0; i < COUNT(types); i++)
            for (int k = 0; k < COUNT(types); k++)
                for (int t = 0; t < COUNT(tags); t++) {
                    struct array src = array_new(4, dims, types[i]), dst = array_new(4, dims, types[k]);
                    array_fill_real(&src, (unsigned)(a + t));
                    for (int64_t n = 0; n < src.count; n++)
                        src.values[n] = round_to_type(src.values[n] * 100, types[i]);
                    if (is_integer(types[i])) array_fill(&src, 100, (unsigned)(a + t));
                    run_problem(&src, tags[t], &dst, tags[(t + a + 2) % COUNT(tags)], &real_attrs[a], false);
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
    struct array scales = array_new(1, count, dnnl_f32);
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
    dnnl_status_t status = desc_new(&pd, &src, "ab", &dst, "ba", attr);
    run_implementations(status, pd,
                        &(struct test_run){.what = "groups",
                                           .inputs = {{DNNL_ARG_FROM, &src},
                                                      {DNNL_ARG_ATTR_SCALES | DNNL_ARG_FROM, &scales, "a"}},
                                           .outputs = {{DNNL_ARG_TO, &dst}}});
    assert_int_equal(failures, 0);
    dnnl_primitive_attr_destroy(attr);
    array_free(&src);
    array_free(&dst);
    array_free(&scales);
}

/* A part of a tensor into a part of another: everything around it is unchanged. */
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
            cmocka_unit_test(large_integers), cmocka_unit_test(attributes), cmocka_unit_test(real_numbers),
            cmocka_unit_test(groups),         cmocka_unit_test(parts),      cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
