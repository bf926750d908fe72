/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dnnl_memory_desc_*: every function with good and bad arguments. tests/peer compares oneDNN's answers to the
 * same calls; this file checks what must hold anyway, and our answer where oneDNN would crash.
 */
#include "test.h"
#include "api/undeclared.h"

#define RUNTIME DNNL_RUNTIME_DIM_VAL
#define UNTOUCHED ((dnnl_memory_desc_t)(intptr_t)0x5a5a)

static const dnnl_dims_t dims = {2, 3, 4, 5};

static dnnl_memory_desc_t make(int ndims, const dnnl_dims_t shape, dnnl_data_type_t type,
                               dnnl_format_tag_t tag) {
    dnnl_memory_desc_t md = NULL;
    assert_ok(dnnl_memory_desc_create_with_tag(&md, ndims, shape, type, tag));
    assert_non_null(md);
    return md;
}

static void assert_dims(const_dnnl_memory_desc_t md, dnnl_query_t what, int count,
                        const dnnl_dim_t *expected) {
    const dnnl_dims_t *answer = NULL;
    assert_ok(dnnl_memory_desc_query(md, what, &answer));
    for (int i = 0; i < count; i++)
        assert_int_equal((*answer)[i], expected[i]);
}

static void with_tag(void **state) {
    (void)state;
    dnnl_memory_desc_t md = make(4, dims, dnnl_f32, dnnl_nhwc);
    assert_dims(md, dnnl_query_strides, 4, (dnnl_dim_t[]){60, 1, 15, 3});
    assert_int_equal(dnnl_memory_desc_get_size(md), 480);
    dnnl_memory_desc_destroy(md);
    md = make(4, dims, dnnl_bf16, dnnl_nChw16c);
    assert_dims(md, dnnl_query_dims, 4, dims);
    assert_dims(md, dnnl_query_padded_dims, 4, (dnnl_dim_t[]){2, 16, 4, 5});
    assert_dims(md, dnnl_query_strides, 4, (dnnl_dim_t[]){320, 320, 80, 16});
    assert_dims(md, dnnl_query_inner_blks, 1, (dnnl_dim_t[]){16});
    assert_dims(md, dnnl_query_inner_idxs, 1, (dnnl_dim_t[]){1});
    assert_int_equal(dnnl_memory_desc_get_size(md), 1280);
    dnnl_memory_desc_destroy(md);
    md = UNTOUCHED;
    assert_bad(dnnl_memory_desc_create_with_tag(NULL, 4, dims, dnnl_f32, dnnl_abcd));
    assert_bad(dnnl_memory_desc_create_with_tag(&md, 4, NULL, dnnl_f32, dnnl_abcd));
    assert_bad(dnnl_memory_desc_create_with_tag(&md, 13, dims, dnnl_f32, dnnl_abcd));
    assert_bad(dnnl_memory_desc_create_with_tag(&md, -1, dims, dnnl_f32, dnnl_abcd));
    assert_bad(dnnl_memory_desc_create_with_tag(&md, 3, dims, dnnl_f32, dnnl_abcd));
    assert_bad(dnnl_memory_desc_create_with_tag(&md, 4, dims, dnnl_data_type_undef, dnnl_abcd));
    assert_bad(dnnl_memory_desc_create_with_tag(&md, 4, dims, dnnl_f32, dnnl_format_tag_last));
    assert_bad(dnnl_memory_desc_create_with_tag(&md, 4, dims, dnnl_f32, (dnnl_format_tag_t)-1));
    assert_bad(dnnl_memory_desc_create_with_tag(&md, 2, (dnnl_dims_t){2, -3}, dnnl_f32, dnnl_ab));
    assert_bad(dnnl_memory_desc_create_with_tag(&md, 2, (dnnl_dims_t){2, RUNTIME}, dnnl_f32,
                                                dnnl_format_tag_any));
    assert_bad(
            dnnl_memory_desc_create_with_tag(&md, 2, (dnnl_dims_t){INT64_C(1) << 62, 4}, dnnl_s8, dnnl_ab));
    assert_bad(dnnl_memory_desc_create_with_tag(&md, 2, (dnnl_dims_t){3, 5}, dnnl_s4, dnnl_ab));
    assert_ptr_equal(md, UNTOUCHED);
}

/* Tensors of many gigabytes work like others. */
static void large_tensors(void **state) {
    (void)state;
    const dnnl_dim_t large = INT64_C(1) << 31;
    dnnl_memory_desc_t md = make(2, (dnnl_dims_t){large, 2}, dnnl_f32, dnnl_ab);
    assert_int_equal(dnnl_memory_desc_get_size(md), (size_t)large * 8);
    dnnl_memory_desc_destroy(md);
    md = make(2, (dnnl_dims_t){large, large}, dnnl_s8, dnnl_ba);
    assert_int_equal(dnnl_memory_desc_get_size(md), (size_t)large * (size_t)large);
    dnnl_memory_desc_destroy(md);
    assert_bad(dnnl_memory_desc_create_with_tag(&md, 2, (dnnl_dims_t){large, large}, dnnl_f32, dnnl_ab));
    assert_bad(dnnl_memory_desc_create_with_strides(&md, 2, (dnnl_dims_t){large, large}, dnnl_f32, NULL));
    assert_bad(
            dnnl_memory_desc_create_with_strides(&md, 3, (dnnl_dims_t){large, large, large}, dnnl_s8, NULL));
}

static void with_strides(void **state) {
    (void)state;
    dnnl_memory_desc_t md = NULL;
    assert_ok(
            dnnl_memory_desc_create_with_strides(&md, 2, (dnnl_dims_t){4, 3}, dnnl_f32, (dnnl_dims_t){8, 2}));
    assert_dims(md, dnnl_query_strides, 2, (dnnl_dim_t[]){8, 2});
    assert_int_equal(dnnl_memory_desc_get_size(md), 128);
    dnnl_memory_desc_destroy(md);
    assert_ok(dnnl_memory_desc_create_with_strides(&md, 4, dims, dnnl_f32, NULL));
    assert_dims(md, dnnl_query_strides, 4, (dnnl_dim_t[]){60, 20, 5, 1});
    dnnl_memory_desc_destroy(md);
    assert_ok(dnnl_memory_desc_create_with_strides(&md, 2, dims, dnnl_f32, (dnnl_dims_t){0, 1}));
    assert_int_equal(dnnl_memory_desc_get_size(md), 12);
    dnnl_memory_desc_destroy(md);
    md = UNTOUCHED;
    assert_bad(dnnl_memory_desc_create_with_strides(NULL, 2, dims, dnnl_f32, NULL));
    assert_bad(dnnl_memory_desc_create_with_strides(&md, 2, NULL, dnnl_f32, NULL));
    assert_bad(
            dnnl_memory_desc_create_with_strides(&md, 2, dims, dnnl_f32, (dnnl_dims_t){1, 1})); /* overlap */
    assert_bad(dnnl_memory_desc_create_with_strides(&md, 2, dims, dnnl_f32, (dnnl_dims_t){-3, 1}));
    assert_bad(dnnl_memory_desc_create_with_strides(&md, 2, dims, dnnl_u4, (dnnl_dims_t){3, 1}));
    assert_bad(dnnl_memory_desc_create_with_strides(&md, 2, dims, dnnl_f32, (dnnl_dims_t){INT64_MAX, 1}));
    assert_ptr_equal(md, UNTOUCHED);
}

static void with_string_tag(void **state) {
    (void)state;
    dnnl_memory_desc_t md = NULL, same = make(4, dims, dnnl_f32, dnnl_aBcd8b);
    assert_ok(dnnl_memory_desc_create_with_string_tag(&md, 4, dims, dnnl_f32, "aBcd8b"));
    assert_int_equal(dnnl_memory_desc_equal(md, same), 1);
    dnnl_memory_desc_destroy(md);
    dnnl_memory_desc_destroy(same);
    assert_ok(dnnl_memory_desc_create_with_string_tag(&md, 2, dims, dnnl_f32, "AB24b5a"));
    assert_dims(md, dnnl_query_padded_dims, 2, (dnnl_dim_t[]){5, 24});
    dnnl_memory_desc_destroy(md);
    md = UNTOUCHED;
    assert_bad(dnnl_memory_desc_create_with_string_tag(NULL, 2, dims, dnnl_f32, "ab"));
    assert_bad(dnnl_memory_desc_create_with_string_tag(&md, 2, NULL, dnnl_f32, "ab"));
    assert_bad(dnnl_memory_desc_create_with_string_tag(&md, 2, dims, dnnl_f32, NULL));
    static const char *const bad[] = {
            "", "a", "abc", "aa", "b", "##", "a7", "7ab", "ab0b", "ab99999999999b", "any"};
    for (int i = 0; i < COUNT(bad); i++)
        assert_bad(dnnl_memory_desc_create_with_string_tag(&md, 2, dims, dnnl_f32, bad[i]));
    assert_bad(dnnl_memory_desc_create_with_string_tag(&md, 2, (dnnl_dims_t){-1, 2}, dnnl_f32, "ab"));
    assert_bad(dnnl_memory_desc_create_with_string_tag(&md, 2, dims, dnnl_data_type_undef, "ab"));
    assert_ptr_equal(md, UNTOUCHED);
}

static void sparse(void **state) {
    (void)state;
    dnnl_memory_desc_t csr, coo, packed;
    assert_ok(dnnl_memory_desc_create_with_csr_encoding(&csr, 2, dims, dnnl_f32, 4, dnnl_s32, dnnl_s64));
    assert_ok(dnnl_memory_desc_create_with_coo_encoding(&coo, 2, dims, dnnl_f16, 4, dnnl_s32));
    assert_ok(dnnl_memory_desc_create_with_packed_encoding(&packed, 4, dims, dnnl_s8, 4));
    assert_int_equal(dnnl_memory_desc_get_size(csr), 16);
    assert_int_equal(dnnl_memory_desc_get_size_v2(csr, 1), 16);
    assert_int_equal(dnnl_memory_desc_get_size_v2(csr, 2), 24);
    assert_int_equal(dnnl_memory_desc_get_size_v2(csr, 3), 0);
    assert_int_equal(dnnl_memory_desc_get_size_v2(csr, -1), 0);
    assert_int_equal(dnnl_memory_desc_get_size_v2(coo, 0), 8);
    assert_int_equal(dnnl_memory_desc_get_size_v2(coo, 2), 16);
    assert_int_equal(dnnl_memory_desc_get_size_v2(packed, 0), 0);
    int handles = 0;
    dnnl_dim_t nnz = 0;
    dnnl_data_type_t type = dnnl_data_type_undef;
    dnnl_sparse_encoding_t encoding = dnnl_sparse_encoding_undef;
    assert_ok(dnnl_memory_desc_query_v2(csr, dnnl_query_num_handles_s32, 0, &handles));
    assert_int_equal(handles, 3);
    assert_ok(dnnl_memory_desc_query_v2(coo, dnnl_query_nnz_s64, 0, &nnz));
    assert_int_equal(nnz, 4);
    assert_ok(dnnl_memory_desc_query_v2(packed, dnnl_query_sparse_encoding, 0, &encoding));
    assert_int_equal(encoding, dnnl_packed);
    assert_ok(dnnl_memory_desc_query_v2(csr, dnnl_query_data_type, 2, &type));
    assert_int_equal(type, dnnl_s64);
    assert_bad(dnnl_memory_desc_query_v2(csr, dnnl_query_data_type, 3, &type));
    assert_bad(dnnl_memory_desc_query_v2(csr, dnnl_query_data_type, INT32_MAX, &type));
    assert_bad(dnnl_memory_desc_query_v2(csr, dnnl_query_data_type, -1, &type));
    assert_bad(dnnl_memory_desc_query_v2(coo, dnnl_query_data_type, INT32_MIN, &type));
    assert_int_equal(type, dnnl_s64);
    assert_bad(dnnl_memory_desc_query(csr, dnnl_query_strides, &(const dnnl_dims_t *){NULL}));
    dnnl_memory_desc_destroy(csr);
    dnnl_memory_desc_destroy(coo);
    dnnl_memory_desc_destroy(packed);
    csr = UNTOUCHED;
    assert_bad(dnnl_memory_desc_create_with_csr_encoding(NULL, 2, dims, dnnl_f32, 4, dnnl_s32, dnnl_s32));
    assert_bad(dnnl_memory_desc_create_with_csr_encoding(&csr, 2, NULL, dnnl_f32, 4, dnnl_s32, dnnl_s32));
    assert_bad(dnnl_memory_desc_create_with_coo_encoding(&csr, 2, dims, dnnl_boolean, 4, dnnl_s32));
    assert_bad(dnnl_memory_desc_create_with_packed_encoding(&csr, -2, dims, dnnl_f32, 4));
    assert_int_equal(
            dnnl_memory_desc_create_with_csr_encoding(&csr, 3, dims, dnnl_f32, 4, dnnl_s32, dnnl_s32),
            dnnl_unimplemented);
    assert_int_equal(dnnl_memory_desc_create_with_coo_encoding(&csr, 3, dims, dnnl_f32, 4, dnnl_s32),
                     dnnl_unimplemented);
    assert_ptr_equal(csr, UNTOUCHED);
}

static void host_scalar(void **state) {
    (void)state;
    dnnl_memory_desc_t md = NULL;
    dnnl_format_kind_t kind = dnnl_format_kind_undef;
    assert_ok(dnnl_memory_desc_create_host_scalar(&md, dnnl_f64));
    assert_int_equal(dnnl_memory_desc_get_size(md), 8);
    assert_ok(dnnl_memory_desc_query(md, dnnl_query_format_kind, &kind));
    assert_int_equal(kind, dnnl_format_kind_host_scalar);
    dnnl_memory_desc_destroy(md);
    md = UNTOUCHED;
    assert_bad(dnnl_memory_desc_create_host_scalar(NULL, dnnl_f32));
    assert_bad(dnnl_memory_desc_create_host_scalar(&md, dnnl_data_type_undef));
    assert_ptr_equal(md, UNTOUCHED);
}

static void submemory(void **state) {
    (void)state;
    dnnl_memory_desc_t whole = make(4, dims, dnnl_f32, dnnl_abcd), part = NULL;
    dnnl_dim_t offset = 0;
    assert_ok(dnnl_memory_desc_create_submemory(&part, whole, (dnnl_dims_t){1, 2, 4, 2},
                                                (dnnl_dims_t){1, 1, 0, 3}));
    assert_dims(part, dnnl_query_dims, 4, (dnnl_dim_t[]){1, 2, 4, 2});
    assert_dims(part, dnnl_query_strides, 4, (dnnl_dim_t[]){60, 20, 5, 1});
    assert_ok(dnnl_memory_desc_query(part, dnnl_query_submemory_offset_s64, &offset));
    assert_int_equal(offset, 60 + 20 + 3);
    dnnl_memory_desc_destroy(part);
    part = UNTOUCHED;
    const dnnl_dims_t none = {0}, far = {0, 0, 0, 1}, huge = {0, 0, 0, INT64_MAX};
    assert_bad(dnnl_memory_desc_create_submemory(NULL, whole, dims, none));
    assert_bad(dnnl_memory_desc_create_submemory(&part, NULL, dims, none));
    assert_bad(dnnl_memory_desc_create_submemory(&part, whole, NULL, none));
    assert_bad(dnnl_memory_desc_create_submemory(&part, whole, dims, NULL));
    assert_bad(dnnl_memory_desc_create_submemory(&part, whole, dims, far));
    assert_bad(dnnl_memory_desc_create_submemory(&part, whole, dims, huge));
    assert_bad(dnnl_memory_desc_create_submemory(&part, whole, huge, huge));
    dnnl_memory_desc_destroy(whole);
    whole = make(4, dims, dnnl_f32, dnnl_aBcd8b);
    assert_int_equal(
            dnnl_memory_desc_create_submemory(&part, whole, (dnnl_dims_t){2, 1, 4, 5}, (dnnl_dims_t){0, 1}),
            dnnl_unimplemented);
    assert_ptr_equal(part, UNTOUCHED);
    dnnl_memory_desc_destroy(whole);
}

static void reshape(void **state) {
    (void)state;
    dnnl_memory_desc_t md = make(4, dims, dnnl_f32, dnnl_abcd), made = NULL;
    assert_ok(dnnl_memory_desc_reshape(&made, md, 2, (dnnl_dims_t){6, 20}));
    assert_dims(made, dnnl_query_strides, 2, (dnnl_dim_t[]){20, 1});
    dnnl_memory_desc_destroy(made);
    made = UNTOUCHED;
    assert_bad(dnnl_memory_desc_reshape(NULL, md, 2, (dnnl_dims_t){6, 20}));
    assert_bad(dnnl_memory_desc_reshape(&made, NULL, 2, (dnnl_dims_t){6, 20}));
    assert_bad(dnnl_memory_desc_reshape(&made, md, 2, NULL));
    assert_bad(dnnl_memory_desc_reshape(&made, md, 2, (dnnl_dims_t){6, 21}));
    assert_bad(dnnl_memory_desc_reshape(&made, md, 13, dims));
    assert_bad(dnnl_memory_desc_reshape(&made, md, 2, (dnnl_dims_t){-6, -20}));
    assert_bad(dnnl_memory_desc_reshape(&made, md, 2, (dnnl_dims_t){RUNTIME, 20}));
    dnnl_memory_desc_destroy(md);
    md = make(4, dims, dnnl_f32, dnnl_acdb);
    assert_bad(dnnl_memory_desc_reshape(&made, md, 2, (dnnl_dims_t){6, 20}));
    dnnl_memory_desc_destroy(md);
    md = make(2, (dnnl_dims_t){1, 1}, dnnl_f32, dnnl_ab);
    assert_ok(dnnl_memory_desc_reshape(&made, md, 0, NULL));
    assert_int_equal(dnnl_memory_desc_get_size(made), 0);
    dnnl_memory_desc_destroy(made);
    dnnl_memory_desc_destroy(md);
}

static void permute_axes(void **state) {
    (void)state;
    dnnl_memory_desc_t md = make(4, dims, dnnl_f32, dnnl_aBcd16b), made = NULL;
    assert_ok(dnnl_memory_desc_permute_axes(&made, md, (int[]){0, 3, 1, 2}));
    assert_dims(made, dnnl_query_dims, 4, (dnnl_dim_t[]){2, 4, 5, 3});
    assert_dims(made, dnnl_query_inner_idxs, 1, (dnnl_dim_t[]){3});
    dnnl_memory_desc_destroy(made);
    made = UNTOUCHED;
    assert_bad(dnnl_memory_desc_permute_axes(NULL, md, (int[]){0, 1, 2, 3}));
    assert_bad(dnnl_memory_desc_permute_axes(&made, NULL, (int[]){0, 1, 2, 3}));
    assert_bad(dnnl_memory_desc_permute_axes(&made, md, NULL));
    assert_bad(dnnl_memory_desc_permute_axes(&made, md, (int[]){0, 1, 1, 3}));
    assert_bad(dnnl_memory_desc_permute_axes(&made, md, (int[]){0, 1, 2, 4}));
    assert_bad(dnnl_memory_desc_permute_axes(&made, md, (int[]){0, 1, 2, INT32_MIN}));
    assert_ptr_equal(made, UNTOUCHED);
    dnnl_memory_desc_destroy(md);
}

static void copies(void **state) {
    (void)state;
    dnnl_memory_desc_t md = make(4, dims, dnnl_f32, dnnl_aBcd16b), clone = NULL;
    assert_ok(dnnl_memory_desc_clone(&clone, md));
    assert_int_equal(dnnl_memory_desc_equal(md, clone), 1);
    assert_ok(dnnl_memory_desc_set_data_type(clone, dnnl_f16));
    assert_int_equal(dnnl_memory_desc_equal(md, clone), 0);
    assert_int_equal(dnnl_memory_desc_get_size(clone) * 2, dnnl_memory_desc_get_size(md));
    dnnl_memory_desc_destroy(clone);
    clone = UNTOUCHED;
    assert_bad(dnnl_memory_desc_clone(NULL, md));
    assert_bad(dnnl_memory_desc_clone(&clone, NULL));
    assert_ptr_equal(clone, UNTOUCHED);
    assert_bad(dnnl_memory_desc_set_data_type(NULL, dnnl_f32));
    assert_ok(dnnl_memory_desc_destroy(NULL));
    assert_int_equal(dnnl_memory_desc_equal(md, NULL), 0);
    assert_int_equal(dnnl_memory_desc_equal(NULL, NULL), 1);
    assert_int_equal(dnnl_memory_desc_get_size(NULL), 0);
    dnnl_memory_desc_destroy(md);
}

static void blobs(void **state) {
    (void)state;
    dnnl_memory_desc_t md = make(4, dims, dnnl_f32, dnnl_aBcd16b), back = NULL;
    size_t size = 0;
    assert_ok(dnnl_memory_desc_get_blob(NULL, &size, md));
    assert_in_range(size, 1, 4096);
    uint8_t *blob = malloc(size + 8);
    memset(blob, 0xee, size + 8);
    assert_ok(dnnl_memory_desc_get_blob(blob, &size, md));
    assert_ok(dnnl_memory_desc_create_with_blob(&back, blob));
    assert_int_equal(dnnl_memory_desc_equal(md, back), 1);
    assert_dims(back, dnnl_query_strides, 4, (dnnl_dim_t[]){320, 320, 80, 16});
    dnnl_memory_desc_destroy(back);
    /* A larger size is clipped; a smaller one limits what is written. */
    size_t more = size + 8, less = 4;
    assert_ok(dnnl_memory_desc_get_blob(blob, &more, md));
    for (size_t i = size; i < size + 8; i++)
        assert_int_equal(blob[i], 0xee);
    memset(blob, 0xee, size);
    assert_ok(dnnl_memory_desc_get_blob(blob, &less, md));
    assert_int_equal(blob[4], 0xee);
    back = UNTOUCHED;
    assert_bad(dnnl_memory_desc_create_with_blob(&back, blob)); /* not a descriptor */
    assert_bad(dnnl_memory_desc_create_with_blob(&back, NULL));
    assert_bad(dnnl_memory_desc_create_with_blob(NULL, blob));
    assert_bad(dnnl_memory_desc_get_blob(blob, &size, NULL));
    assert_bad(dnnl_memory_desc_get_blob(blob, NULL, md));
    assert_bad(dnnl_memory_desc_get_blob(NULL, NULL, md));
    assert_ptr_equal(back, UNTOUCHED);
    free(blob);
    dnnl_memory_desc_destroy(md);
}

static void queries(void **state) {
    (void)state;
    dnnl_memory_desc_t md = make(4, dims, dnnl_f32, dnnl_format_tag_any);
    int number = 77;
    dnnl_format_kind_t kind;
    assert_ok(dnnl_memory_desc_query(md, dnnl_query_ndims_s32, &number));
    assert_int_equal(number, 4);
    assert_ok(dnnl_memory_desc_query_v2(md, dnnl_query_format_kind, 0, &kind));
    assert_int_equal(kind, dnnl_format_kind_any);
    assert_dims(md, dnnl_query_padded_offsets, 4, (dnnl_dim_t[]){0, 0, 0, 0});
    number = 77;
    assert_bad(dnnl_memory_desc_query(md, dnnl_query_inner_nblks_s32, &number));
    assert_bad(dnnl_memory_desc_query(NULL, dnnl_query_ndims_s32, &number));
    assert_bad(dnnl_memory_desc_query(md, dnnl_query_ndims_s32, NULL));
    assert_bad(dnnl_memory_desc_query_v2(md, dnnl_query_ndims_s32, 1, &number));
    assert_bad(dnnl_memory_desc_query_v2(md, dnnl_query_nnz_s64, 0, &number));
    assert_bad(dnnl_memory_desc_query_v2(md, dnnl_query_sparse_encoding, 0, &number));
    assert_int_equal(dnnl_memory_desc_query(md, dnnl_query_engine, &number), dnnl_unimplemented);
    assert_int_equal(dnnl_memory_desc_query(md, (dnnl_query_t)-1, &number), dnnl_unimplemented);
    assert_int_equal(number, 77);
    dnnl_memory_desc_destroy(md);
}

static void type_sizes(void **state) {
    (void)state;
    assert_int_equal(dnnl_data_type_size(dnnl_f32), 4);
    assert_int_equal(dnnl_data_type_size(dnnl_f8_e4m3), 1);
    assert_int_equal(dnnl_data_type_size(dnnl_s4), 1);
    assert_int_equal(dnnl_data_type_size(dnnl_boolean), 1);
    assert_true(dnnl_data_type_size(dnnl_data_type_undef) == (size_t)-1);
    assert_true(dnnl_data_type_size((dnnl_data_type_t)12345) == (size_t)-1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(with_tag),     cmocka_unit_test(large_tensors),
            cmocka_unit_test(with_strides), cmocka_unit_test(with_string_tag),
            cmocka_unit_test(sparse),       cmocka_unit_test(host_scalar),
            cmocka_unit_test(submemory),    cmocka_unit_test(reshape),
            cmocka_unit_test(permute_axes), cmocka_unit_test(copies),
            cmocka_unit_test(blobs),        cmocka_unit_test(queries),
            cmocka_unit_test(type_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
