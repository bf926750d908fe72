/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory descriptors, internal functions: layouts, offsets, verbose strings, and safety against bad bytes.
 * The expected strings are those that oneDNN 3.13 prints for the same descriptors.
 */
#include "core/memory_desc.h"
#include "oneapi/dnnl/dnnl_debug.h"
#include "test.h"

#include <stdio.h>

#define RUNTIME DNNL_RUNTIME_DIM_VAL

static md_t by_name(const char *tag, int ndims, const dnnl_dims_t dims, dnnl_data_type_t type) {
    md_t md;
    assert_int_equal(md_init_by_string(&md, ndims, dims, type, tag), dnnl_success);
    return md;
}

static md_t by_strides(int ndims, const dnnl_dims_t dims, const dnnl_dims_t strides) {
    md_t md;
    assert_int_equal(md_init_by_strides(&md, ndims, dims, dnnl_f32, strides), dnnl_success);
    return md;
}

static void assert_string(const md_t *md, bool was_any, const char *expected) {
    char text[256], cut[8];
    int length = md_to_string(md, was_any, text, sizeof(text));
    assert_string_equal(text, expected);
    assert_int_equal(length, strlen(expected));
    assert_int_equal(md_to_string(md, was_any, cut, sizeof(cut)), length);
    assert_memory_equal(cut, expected, sizeof(cut) - 1);
    assert_int_equal(cut[sizeof(cut) - 1], 0);
    assert_int_equal(md_to_string(md, was_any, NULL, 0), length);
}

static void strings_of_tags(void **state) {
    (void)state;
    static const struct {
        const char *tag;
        dnnl_dims_t dims;
        const char *text;
    } rows[] = {
            {"abcd", {2, 3, 4, 5}, "f32::blocked:abcd::f0"},
            {"acdb", {2, 3, 4, 5}, "f32::blocked:acdb::f0"},
            {"aBcd16b", {2, 3, 4, 5}, "f32:p:blocked:aBcd16b::f0"},
            {"aBcd16b", {2, 16, 4, 5}, "f32::blocked:aBcd16b::f0"},
            {"ABcd8b16a2b", {17, 33, 1, 1}, "f32:p:blocked:ABcd8b16a2b::f0"},
            {"abcd", {1, 1, 1, 1}, "f32::blocked:abcd::f0"},
            {"acdb", {1, 3, 1, 1}, "f32::blocked:acdb::f0"},
            {"cdba", {2, 1, 1, 5}, "f32::blocked:cdba::f0"},
            {"acdb", {5, 8, 0, 2}, "f32::blocked:acdb::f0"},
    };
    for (int i = 0; i < COUNT(rows); i++) {
        md_t md = by_name(rows[i].tag, 4, rows[i].dims, dnnl_f32);
        assert_string(&md, false, rows[i].text);
    }
}

static void strings_of_strides(void **state) {
    (void)state;
    static const struct {
        int ndims;
        dnnl_dims_t dims, strides;
        const char *text;
    } rows[] = {
            {2, {2, 3}, {10, 1}, "f32::blocked:ab:10x1:f0"},
            {2, {2, 3}, {0, 1}, "f32::blocked:ab:0x1:f0"},
            {2, {2, 3}, {0, 0}, "f32::blocked:ba:0x0:f0"},
            {3, {2, 3, 4}, {100, 10, 1}, "f32::blocked:abc:100x10x1:f0"},
            {2, {2, 3}, {1, 2}, "f32::blocked:ba::f0"},
            {2, {1, 3}, {99, 1}, "f32::blocked:ab::f0"},
            {2, {2, 3}, {RUNTIME, 1}, "f32::blocked:*::f0"},
            {2, {RUNTIME, 3}, {3, 1}, "f32::blocked:ab::f0"},
    };
    for (int i = 0; i < COUNT(rows); i++) {
        md_t md = by_strides(rows[i].ndims, rows[i].dims, rows[i].strides);
        assert_string(&md, false, rows[i].text);
    }
}

static void strings_of_the_rest(void **state) {
    (void)state;
    const dnnl_dims_t dims = {4, 40, 2, 2}, part = {4, 24, 2, 2}, at = {0, 16}, flat = {4, 32},
                      corner = {2, 16};
    md_t md = by_name("aBcd16b", 4, dims, dnnl_f32);
    assert_int_equal(md_submemory(&md, &md, part, at), dnnl_success);
    assert_string(&md, false, "f32:p0:blocked:aBcd16b:192x64x32x16:f0");
    md = by_name("ab", 2, flat, dnnl_f32);
    assert_int_equal(md_submemory(&md, &md, corner, corner), dnnl_success);
    assert_string(&md, false, "f32:0:blocked:ab:32x1:f0");
    md = by_name("AB16a64b", 2, (dnnl_dims_t){6, 8}, dnnl_f32);
    assert_string(&md, true, "f32:ap:blocked:AB16a64b::f0");
    assert_int_equal(md_init_by_tag(&md, 2, flat, dnnl_f32, dnnl_format_tag_any), dnnl_success);
    assert_string(&md, true, "f32:a:any:any::f0");
    struct md_sparse csr = {dnnl_csr, 5, {dnnl_s32, dnnl_s32}};
    assert_int_equal(md_init_sparse(&md, 2, flat, dnnl_f32, &csr), dnnl_success);
    assert_string(&md, false, "f32::sparse:csr::f0");
    assert_string(&(md_t){0}, false, "undef::undef:::");
    assert_int_equal(md_to_string(NULL, false, NULL, 0), strlen("undef::undef:::"));
}

static void parts_of_strings(void **state) {
    (void)state;
    char text[64];
    md_t md = by_strides(3, (dnnl_dims_t){2, 3, 4}, (dnnl_dims_t){100, 10, 1});
    assert_int_equal(md_tag_to_string(&md, text, sizeof(text)), 3);
    assert_string_equal(text, "abc");
    md_strides_to_string(&md, text, sizeof(text));
    assert_string_equal(text, "100x10x1");
    md_dims_to_string(&md, text, sizeof(text));
    assert_string_equal(text, "2x3x4");
    md = by_name("ab", 2, (dnnl_dims_t){RUNTIME, 7}, dnnl_f32);
    md_dims_to_string(&md, text, sizeof(text));
    assert_string_equal(text, "*x7");
    assert_int_equal(md_strides_to_string(&md, text, sizeof(text)), 0);
    assert_string_equal(text, "");
}

static void types(void **state) {
    (void)state;
    assert_int_equal(dt_bits(dnnl_s4), 4);
    assert_int_equal(dt_bits(dnnl_f4_e2m1), 4);
    assert_int_equal(dt_size(dnnl_u4), 1);
    assert_int_equal(dt_size(dnnl_bf16), 2);
    assert_int_equal(dt_size(dnnl_s64), 8);
    assert_int_equal(dt_size((dnnl_data_type_t)-1), 0);
    assert_int_equal(dt_bits(dnnl_data_type_max), 0);
    assert_true(dt_is_integer(dnnl_s4) && dt_is_integer(dnnl_s64) && !dt_is_integer(dnnl_e8m0));
    assert_false(dt_is_valid(dnnl_data_type_undef) || dt_is_valid(dnnl_boolean) || dt_is_valid(dnnl_f4_e3m0));
    assert_true(dt_is_valid(dnnl_e8m0));
}

/* Every position has its own offset, within the size. */
static void assert_bijection(const md_t *md) {
    size_t bytes = md_size(md, 0), elements = bytes * 8 / (size_t)dt_bits(md->data_type);
    unsigned char *seen = calloc(elements + 1, 1);
    dnnl_dims_t position = {0};
    dnnl_dim_t count = md_nelems(md, true);
    for (dnnl_dim_t i = 0; i < count; i++) {
        dnnl_dim_t offset = md_offset(md, position);
        assert_in_range(offset, 0, elements - 1);
        assert_int_equal(seen[offset]++, 0);
        for (int d = md->ndims - 1; d >= 0 && ++position[d] == md->padded_dims[d]; d--)
            position[d] = 0;
    }
    free(seen);
}

static void offsets_of_every_tag(void **state) {
    (void)state;
    const dnnl_dims_t odd = {5, 3, 2, 3, 2, 1, 2, 1, 2, 1, 1, 1};
    const dnnl_data_type_t few[] = {dnnl_f32, dnnl_s8};
    for (int tag = dnnl_a; tag < dnnl_format_tag_last; tag++) {
        const char *name = dnnl_fmt_tag2str((dnnl_format_tag_t)tag);
        int ndims = (int)strcspn(name, "0123456789");
        for (int t = 0; t < COUNT(few); t++) {
            md_t md = by_name(name, ndims, odd, few[t]);
            assert_true(md_matches_tag(&md, name));
            assert_true(md_matches_format(&md, (dnnl_format_tag_t)tag));
            assert_true(md_is_dense(&md, true));
            assert_int_equal(md_is_dense(&md, false), !md_has_padding(&md));
            assert_true(md_is_sound(&md));
            if (md_nelems(&md, true) < 100000) assert_bijection(&md);
        }
    }
}

/* Nested blocks, computed by hand: within 4x4 of "AB2b4a2b", b is split into 2 and 2 around a. */
static void offset_by_hand(void **state) {
    (void)state;
    md_t md = by_name("AB2b4a2b", 2, (dnnl_dims_t){8, 4}, dnnl_f32);
    assert_int_equal(md_offset(&md, (dnnl_dim_t[]){0, 1}), 1);
    assert_int_equal(md_offset(&md, (dnnl_dim_t[]){1, 0}), 2);
    assert_int_equal(md_offset(&md, (dnnl_dim_t[]){0, 2}), 8);
    assert_int_equal(md_offset(&md, (dnnl_dim_t[]){3, 3}), 15);
    assert_int_equal(md_offset(&md, (dnnl_dim_t[]){4, 0}), 16);
    dnnl_dims_t blocks;
    md_blocks(&md, blocks);
    assert_int_equal(blocks[0], 4);
    assert_int_equal(blocks[1], 4);
}

static void invalid_tags(void **state) {
    (void)state;
    static const char *const bad[] = {"",
                                      "aa",
                                      "b",
                                      "ac",
                                      "ab4",
                                      "ab4c",
                                      "4aab",
                                      "a b",
                                      "ab0a",
                                      "ab-4a",
                                      "aB4b!",
                                      "a4ab",
                                      "AB16",
                                      "any",
                                      "undef",
                                      "nchw",
                                      "ab99999999999999999999a",
                                      "aB1073741824b2b",
                                      "aB2b2b2b2b2b2b2b2b2b2b2b2b2b"};
    const dnnl_dims_t dims = {2, 2, 2, 2};
    for (int i = 0; i < COUNT(bad); i++)
        for (int ndims = 0; ndims <= 4; ndims++) {
            md_t md = {.ndims = 77};
            assert_int_equal(md_init_by_string(&md, ndims, dims, dnnl_f32, bad[i]), dnnl_invalid_arguments);
            assert_int_equal(md.ndims, 77);
        }
    md_t md;
    assert_int_equal(md_init_by_string(&md, 2, dims, dnnl_f32, NULL), dnnl_invalid_arguments);
    assert_int_equal(md_init_by_string(&md, 1, (dnnl_dims_t){INT64_MAX}, dnnl_s8, "A16a"),
                     dnnl_invalid_arguments);
}

static void matching(void **state) {
    (void)state;
    const dnnl_dims_t dims = {2, 3, 4, 5};
    md_t md = by_name("acdb", 4, dims, dnnl_f32);
    assert_true(md_matches_format(&md, dnnl_nhwc));
    assert_false(md_matches_format(&md, dnnl_nchw));
    assert_false(md_matches_format(&md, dnnl_ab));
    assert_false(md_matches_format(&md, dnnl_format_tag_any));
    assert_false(md_matches_format(&md, dnnl_format_tag_last));
    assert_false(md_matches_tag(&md, "aCdb4c"));
    /* Strides of dimensions of size 1 are ignored. */
    md = by_name("acdb", 4, (dnnl_dims_t){2, 1, 4, 5}, dnnl_f32);
    assert_true(md_matches_format(&md, dnnl_nchw) && md_matches_format(&md, dnnl_nhwc));
    md_t other = by_name("abcd", 4, (dnnl_dims_t){2, 1, 4, 5}, dnnl_f32);
    assert_true(md_equal(&md, &other) && md_same_layout(&md, &other));
    other.data_type = dnnl_f16;
    assert_false(md_equal(&md, &other));
    assert_true(md_same_layout(&md, &other));
    other = by_name("aBcd8b", 4, (dnnl_dims_t){2, 1, 4, 5}, dnnl_f32);
    assert_false(md_same_layout(&md, &other));
    assert_true(md_same_dims(&md, &other));
}

static void open_layouts(void **state) {
    (void)state;
    const dnnl_dims_t dims = {2, 20, 4, 5}, other_dims = {3, 9, 7, 1};
    md_t any, md, like = by_name("aBcd16b", 4, dims, dnnl_f32);
    assert_int_equal(md_init(&any, 4, other_dims, dnnl_s8, dnnl_format_kind_any), dnnl_success);
    md = any;
    assert_int_equal(md_set_any_like(&md, &like), dnnl_success);
    assert_true(md_matches_tag(&md, "aBcd16b"));
    assert_int_equal(md.data_type, dnnl_s8);
    assert_int_equal(md.dims[1], 9);
    assert_int_equal(md.padded_dims[1], 16);
    md = any;
    assert_int_equal(md_set_any_like(&md, &any), dnnl_success);
    assert_true(md_matches_tag(&md, "abcd"));
    like = by_name("cdba", 4, dims, dnnl_f32);
    md = any;
    assert_int_equal(md_set_any_like(&md, &like), dnnl_success);
    assert_true(md_matches_tag(&md, "cdba"));
    assert_int_equal(md_set_any_like(&md, &any), dnnl_success); /* already defined: unchanged */
    assert_true(md_matches_tag(&md, "cdba"));
    assert_int_equal(md_set_any(&md, "abcd"), dnnl_success);
    assert_true(md_matches_tag(&md, "cdba"));
    md = any;
    assert_int_equal(md_set_any(&md, "acdb"), dnnl_success);
    assert_true(md_matches_tag(&md, "acdb"));
    md = any;
    assert_int_equal(md_set_any(&md, "abc"), dnnl_invalid_arguments);
    assert_true(md_is_any(&md));
}

static void queries(void **state) {
    (void)state;
    md_t md = by_name("aBcd16b", 4, (dnnl_dims_t){2, 20, 4, 5}, dnnl_f16);
    assert_true(md_is_blocked(&md) && !md_is_plain(&md) && md_has_padding(&md) && !md_is_host_scalar(&md));
    assert_int_equal(md_nelems(&md, false), 800);
    assert_int_equal(md_nelems(&md, true), 1280);
    assert_int_equal(md_size(&md, 0), 2560);
    assert_int_equal(md_size(&md, 1), 0);
    assert_true(md_is_zero(NULL) && md_is_zero(&(md_t){0}) && !md_is_zero(&md));
    md = by_name("ab", 2, (dnnl_dims_t){RUNTIME, 20}, dnnl_f16);
    assert_true(md_has_runtime_dims(&md) && md_has_runtime_dims_or_strides(&md) && !md_is_dense(&md, true));
    assert_true(md_nelems(&md, false) == RUNTIME && md_size(&md, 0) == DNNL_RUNTIME_SIZE_VAL);
    md = by_strides(2, (dnnl_dims_t){4, 4}, (dnnl_dims_t){RUNTIME, 1});
    assert_true(!md_has_runtime_dims(&md) && md_has_runtime_dims_or_strides(&md));
    md = by_name("abc", 3, (dnnl_dims_t){3, 1, 1}, dnnl_s4);
    assert_int_equal(md_size(&md, 0), 2);
    md = by_name("ab", 2, (dnnl_dims_t){0, 5}, dnnl_f32);
    assert_int_equal(md_size(&md, 0), 0);
    assert_int_equal(md_nelems(&md, true), 0);
}

/* A type that makes the tensor larger than the address space: the size saturates at the maximum. */
static void sizes_do_not_wrap(void **state) {
    (void)state;
    md_t md = by_name("a", 1, (dnnl_dims_t){INT64_C(1) << 62}, dnnl_s8);
    md.data_type = dnnl_f64;
    assert_true(md_size(&md, 0) == SIZE_MAX);
    struct md_sparse csr = {dnnl_csr, INT64_C(1) << 62, {dnnl_s32, dnnl_s32}};
    assert_int_equal(md_init_sparse(&md, 2, (dnnl_dims_t){2, 2}, dnnl_f32, &csr), dnnl_success);
    assert_true(md_size(&md, 0) == SIZE_MAX && md_size(&md, 1) == SIZE_MAX && md_size(&md, 2) == 12);
}

/* Default strides that depend on run-time dimensions are run-time values. */
static void default_strides_of_runtime_dims(void **state) {
    (void)state;
    md_t md = by_strides(4, (dnnl_dims_t){2, 4, RUNTIME, 3}, NULL);
    assert_int_equal(md.blocking.strides[3], 1);
    assert_true(md.blocking.strides[2] == RUNTIME && md.blocking.strides[1] == RUNTIME);
    assert_true(md.blocking.strides[0] == RUNTIME);
}

/* Every query must return, whatever the fields of the descriptor are. */
static void query_everything(const md_t *md) {
    char text[512];
    dnnl_dims_t last, blocks;
    md_to_string(md, false, text, sizeof(text));
    md_blocks(md, blocks);
    for (int handle = -1; handle < 4; handle++)
        md_size(md, handle);
    md_nelems(md, true);
    if (!md_is_blocked(md) || md_has_runtime_dims_or_strides(md)) return;
    for (int d = 0; d < md->ndims; d++)
        last[d] = md->padded_dims[d] > 0 ? md->padded_dims[d] - 1 : 0;
    md_offset(md, last);
}

/* Bad values in a valid descriptor: either md_is_sound rejects them, or all queries are safe (checked by
 * sanitizers). */
static void unsound_descriptors(void **state) {
    (void)state;
    const int64_t strange[] = {-1,      0,      1, 2, 3, 13, 1000, INT64_MAX, INT64_MAX / 2, INT64_C(1) << 62,
                               RUNTIME, 1 << 30};
    const char *const tags[] = {"ABcd8b4a2b", "acdb"};
    uint64_t random = 88172645463325252u;
    int refused = 0;
    for (int i = 0; i < 400000; i++) {
        md_t md = by_name(tags[i % 2], 4, (dnnl_dims_t){7, 9, 2, 3}, dnnl_f32);
        for (int n = 0; n <= i % 3; n++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            size_t at = (size_t)(random >> 33);
            if (i % 5)
                memcpy((char *)&md + at % (sizeof(md) / 8) * 8, &strange[(random >> 50) % COUNT(strange)], 8);
            else
                ((unsigned char *)&md)[at % sizeof(md)] = (unsigned char)(random >> 25);
        }
        if (md_is_sound(&md))
            query_everything(&md);
        else
            refused++;
    }
    assert_in_range(refused, 1000, 399000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(strings_of_tags),
            cmocka_unit_test(strings_of_strides),
            cmocka_unit_test(strings_of_the_rest),
            cmocka_unit_test(parts_of_strings),
            cmocka_unit_test(types),
            cmocka_unit_test(offsets_of_every_tag),
            cmocka_unit_test(offset_by_hand),
            cmocka_unit_test(invalid_tags),
            cmocka_unit_test(matching),
            cmocka_unit_test(open_layouts),
            cmocka_unit_test(queries),
            cmocka_unit_test(sizes_do_not_wrap),
            cmocka_unit_test(default_strides_of_runtime_dims),
            cmocka_unit_test(unsound_descriptors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
