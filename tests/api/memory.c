/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dnnl_memory_* and dnnl_impl_zero_pad on the CPU engine: every function with good and bad arguments.
 */
#include "test.h"
#include "api/undeclared.h"

#define UNTOUCHED ((void *)(intptr_t)0x5a5a)

static dnnl_engine_t engine;
static dnnl_memory_desc_t md; /* 2x3x4x5, f32, padded to 8 channels */
static const dnnl_dims_t dims = {2, 3, 4, 5};
enum { BYTES = 2 * 8 * 4 * 5 * 4 };

static int start(void **state) {
    (void)state;
    assert_ok(dnnl_engine_create(&engine, dnnl_cpu, 0));
    assert_ok(dnnl_memory_desc_create_with_tag(&md, 4, dims, dnnl_f32, dnnl_aBcd8b));
    return 0;
}

static int end(void **state) {
    (void)state;
    dnnl_memory_desc_destroy(md);
    dnnl_engine_destroy(engine);
    return 0;
}

static void allocated(void **state) {
    (void)state;
    dnnl_memory_t memory = NULL;
    void *handle = NULL, *mapped = NULL;
    assert_ok(dnnl_memory_create(&memory, md, engine, DNNL_MEMORY_ALLOCATE));
    assert_ok(dnnl_memory_get_data_handle(memory, &handle));
    assert_non_null(handle);
    assert_int_equal((uintptr_t)handle % 64, 0);
    assert_ok(dnnl_memory_map_data(memory, &mapped));
    memset(mapped, 1, BYTES);
    assert_ok(dnnl_memory_unmap_data(memory, mapped));
    assert_ok(dnnl_memory_destroy(memory));
}

static void user_memory(void **state) {
    (void)state;
    static float own[BYTES / 4], other[BYTES / 4];
    dnnl_memory_t memory = NULL;
    void *handle = NULL, *mapped = NULL;
    const_dnnl_memory_desc_t got = NULL;
    dnnl_engine_t got_engine = NULL;
    assert_ok(dnnl_memory_create(&memory, md, engine, own));
    assert_ok(dnnl_memory_get_memory_desc(memory, &got));
    assert_int_equal(dnnl_memory_desc_equal(got, md), 1);
    assert_ok(dnnl_memory_get_engine(memory, &got_engine));
    assert_ptr_equal(got_engine, engine);
    assert_ok(dnnl_memory_map_data(memory, &mapped));
    assert_ptr_equal(mapped, own);
    assert_ok(dnnl_memory_unmap_data(memory, mapped));
    assert_ok(dnnl_memory_set_data_handle(memory, other));
    assert_ok(dnnl_memory_get_data_handle(memory, &handle));
    assert_ptr_equal(handle, other);
    assert_ok(dnnl_memory_set_data_handle_v2(memory, DNNL_MEMORY_NONE, 0));
    assert_ok(dnnl_memory_map_data(memory, &mapped));
    assert_null(mapped);
    assert_ok(dnnl_memory_unmap_data(memory, mapped));
    assert_ok(dnnl_memory_destroy(memory));
}

/* A memory keeps its engine. */
static void outlives_the_engine(void **state) {
    (void)state;
    dnnl_engine_t second;
    dnnl_engine_kind_t kind;
    dnnl_memory_t memory = NULL;
    void *mapped;
    assert_ok(dnnl_engine_create(&second, dnnl_cpu, 0));
    assert_ok(dnnl_memory_create(&memory, md, second, DNNL_MEMORY_ALLOCATE));
    assert_ok(dnnl_engine_destroy(second));
    assert_ok(dnnl_memory_get_engine(memory, &second));
    assert_ok(dnnl_engine_get_kind(second, &kind));
    assert_int_equal(kind, dnnl_cpu);
    assert_ok(dnnl_memory_map_data(memory, &mapped));
    assert_ok(dnnl_memory_unmap_data(memory, mapped));
    assert_ok(dnnl_memory_destroy(memory));
}

static void sparse(void **state) {
    (void)state;
    dnnl_memory_desc_t csr;
    float values[5];
    int32_t indices[5], pointers[5];
    void *handle, *mapped;
    dnnl_memory_t memory;
    assert_ok(dnnl_memory_desc_create_with_csr_encoding(&csr, 2, (dnnl_dims_t){4, 6}, dnnl_f32, 5, dnnl_s32,
                                                        dnnl_s32));
    assert_ok(dnnl_memory_create_v2(&memory, csr, engine, 3, (void *[]){values, indices, pointers}));
    assert_ok(dnnl_memory_get_data_handle_v2(memory, &handle, 2));
    assert_ptr_equal(handle, pointers);
    assert_ok(dnnl_memory_map_data_v2(memory, &mapped, 1));
    assert_ptr_equal(mapped, indices);
    assert_ok(dnnl_memory_unmap_data_v2(memory, mapped, 1));
    assert_ok(dnnl_memory_set_data_handle_v2(memory, values, 1));
    handle = UNTOUCHED;
    for (int i = 0; i < 2; i++) {
        int index = i ? 3 : -1;
        assert_bad(dnnl_memory_get_data_handle_v2(memory, &handle, index));
        assert_bad(dnnl_memory_set_data_handle_v2(memory, values, index));
        assert_bad(dnnl_memory_map_data_v2(memory, &handle, index));
        assert_bad(dnnl_memory_unmap_data_v2(memory, values, index));
    }
    assert_ptr_equal(handle, UNTOUCHED);
    assert_ok(dnnl_memory_destroy(memory));
    memory = UNTOUCHED;
    assert_bad(dnnl_memory_create_v2(&memory, csr, engine, 0, (void *[]){values}));
    assert_bad(dnnl_memory_create_v2(&memory, csr, engine, -3, (void *[]){values}));
    assert_bad(dnnl_memory_create_v2(&memory, csr, engine, 3, NULL));
    assert_bad(dnnl_memory_create_v2(&memory, csr, engine, 2, (void *[]){values, indices}));
    assert_bad(dnnl_memory_create(&memory, csr, engine, values));
    assert_bad(dnnl_memory_create_v2(&memory, csr, engine, 1000, (void *[]){values}));
    assert_ptr_equal(memory, UNTOUCHED);
    /* What is not an address counts for all buffers. */
    assert_ok(dnnl_memory_create(&memory, csr, engine, DNNL_MEMORY_ALLOCATE));
    assert_ok(dnnl_memory_get_data_handle_v2(memory, &handle, 2));
    assert_non_null(handle);
    assert_ok(dnnl_memory_destroy(memory));
    dnnl_memory_desc_destroy(csr);
}

/* COO has values and, for each dimension, indices. */
static void sparse_with_few_handles(void **state) {
    (void)state;
    dnnl_memory_desc_t coo;
    float values[5];
    int32_t rows[5], columns[5];
    dnnl_memory_t memory = UNTOUCHED;
    assert_ok(dnnl_memory_desc_create_with_coo_encoding(&coo, 2, (dnnl_dims_t){4, 6}, dnnl_f32, 5, dnnl_s32));
    for (int handles = 1; handles < 3; handles++)
        assert_bad(dnnl_memory_create_v2(&memory, coo, engine, handles, (void *[]){values, rows, columns}));
    assert_bad(dnnl_memory_create(&memory, coo, engine, values));
    assert_ptr_equal(memory, UNTOUCHED);
    assert_ok(dnnl_memory_create_v2(&memory, coo, engine, 3, (void *[]){values, rows, columns}));
    assert_ok(dnnl_memory_destroy(memory));
    dnnl_memory_desc_destroy(coo);
}

static void host_scalars(void **state) {
    (void)state;
    static const dnnl_data_type_t types[] = {dnnl_f32, dnnl_f64, dnnl_s8, dnnl_bf16, dnnl_s64, dnnl_s4};
    for (int i = 0; i < COUNT(types); i++) {
        const uint64_t in = 0x1122334455667788u, next = 0x99aabbccddeeff00u;
        uint64_t out = 0, expected = 0;
        size_t size = dnnl_data_type_size(types[i]);
        dnnl_memory_desc_t scalar;
        dnnl_memory_t memory;
        dnnl_engine_t none = engine;
        void *mapped;
        assert_ok(dnnl_memory_desc_create_host_scalar(&scalar, types[i]));
        assert_ok(dnnl_memory_create_host_scalar(&memory, scalar, (void *)&in));
        assert_ok(dnnl_memory_get_host_scalar_value(memory, &out));
        memcpy(&expected, &in, size);
        assert_true(out == expected);
        assert_ok(dnnl_memory_set_host_scalar_value(memory, &next));
        assert_ok(dnnl_memory_map_data(memory, &mapped));
        assert_memory_equal(mapped, &next, size);
        assert_ok(dnnl_memory_unmap_data(memory, mapped));
        assert_ok(dnnl_memory_get_engine(memory, &none));
        assert_null(none);
        assert_bad(dnnl_memory_get_data_handle(memory, &mapped));
        assert_bad(dnnl_memory_set_data_handle(memory, mapped));
        assert_bad(dnnl_memory_map_data_v2(memory, &mapped, 1));
        assert_bad(dnnl_memory_get_host_scalar_value(memory, NULL));
        assert_bad(dnnl_memory_set_host_scalar_value(memory, NULL));
        assert_ok(dnnl_memory_destroy(memory));
        memory = UNTOUCHED;
        assert_bad(dnnl_memory_create(&memory, scalar, engine, (void *)&in));
        assert_bad(dnnl_memory_create_host_scalar(&memory, scalar, NULL));
        assert_bad(dnnl_memory_create_host_scalar(&memory, NULL, (void *)&in));
        assert_bad(dnnl_memory_create_host_scalar(NULL, scalar, (void *)&in));
        assert_bad(dnnl_memory_create_host_scalar(&memory, md, (void *)&in));
        assert_ptr_equal(memory, UNTOUCHED);
        dnnl_memory_desc_destroy(scalar);
    }
}

static void bad_arguments(void **state) {
    (void)state;
    float own[1] = {0};
    dnnl_memory_desc_t bad;
    dnnl_memory_t memory = UNTOUCHED;
    void *handle = UNTOUCHED;
    assert_bad(dnnl_memory_create(NULL, md, engine, own));
    assert_bad(dnnl_memory_create(&memory, NULL, engine, own));
    assert_bad(dnnl_memory_create(&memory, md, NULL, own));
    assert_ok(dnnl_memory_desc_create_with_tag(&bad, 4, dims, dnnl_f32, dnnl_format_tag_any));
    assert_bad(dnnl_memory_create(&memory, bad, engine, own));
    dnnl_memory_desc_destroy(bad);
    assert_ok(
            dnnl_memory_desc_create_with_tag(&bad, 1, (dnnl_dims_t){DNNL_RUNTIME_DIM_VAL}, dnnl_f32, dnnl_a));
    assert_bad(dnnl_memory_create(&memory, bad, engine, own));
    dnnl_memory_desc_destroy(bad);
    assert_ok(dnnl_memory_desc_clone(&bad, md));
    assert_ok(dnnl_memory_desc_set_data_type(bad, (dnnl_data_type_t)99));
    assert_bad(dnnl_memory_create(&memory, bad, engine, own));
    dnnl_memory_desc_destroy(bad);
    assert_ok(dnnl_memory_desc_create_with_tag(&bad, 1, (dnnl_dims_t){INT64_C(1) << 60}, dnnl_f32, dnnl_a));
    assert_int_equal(dnnl_memory_create(&memory, bad, engine, DNNL_MEMORY_ALLOCATE), dnnl_out_of_memory);
    dnnl_memory_desc_destroy(bad);
    assert_ptr_equal(memory, UNTOUCHED);

    assert_ok(dnnl_memory_destroy(NULL));
    assert_bad(dnnl_memory_get_memory_desc(NULL, &(const_dnnl_memory_desc_t){NULL}));
    assert_bad(dnnl_memory_get_engine(NULL, &(dnnl_engine_t){NULL}));
    assert_bad(dnnl_memory_set_data_handle(NULL, own));
    assert_bad(dnnl_memory_map_data(NULL, &handle));
    assert_bad(dnnl_memory_unmap_data(NULL, own));
    assert_ptr_equal(handle, UNTOUCHED);
    assert_ok(dnnl_memory_get_data_handle(NULL, &handle)); /* no memory has no handle */
    assert_null(handle);
    assert_ok(dnnl_memory_create(&memory, md, engine, DNNL_MEMORY_ALLOCATE));
    assert_bad(dnnl_memory_get_memory_desc(memory, NULL));
    assert_bad(dnnl_memory_get_engine(memory, NULL));
    assert_bad(dnnl_memory_get_data_handle(memory, NULL));
    assert_bad(dnnl_memory_map_data(memory, NULL));
    assert_bad(dnnl_memory_set_data_handle(memory, DNNL_MEMORY_ALLOCATE));
    assert_bad(dnnl_memory_get_host_scalar_value(memory, own));
    assert_bad(dnnl_memory_set_host_scalar_value(memory, own));
    assert_ok(dnnl_memory_destroy(memory));
}

static void empty(void **state) {
    (void)state;
    dnnl_memory_desc_t none;
    dnnl_memory_t memory;
    void *handle = UNTOUCHED;
    for (int i = 0; i < 2; i++) {
        assert_ok(dnnl_memory_desc_create_with_tag(&none, i, (dnnl_dims_t){0}, dnnl_f32, dnnl_a));
        assert_ok(dnnl_memory_create(&memory, none, engine, DNNL_MEMORY_ALLOCATE));
        assert_ok(dnnl_memory_get_data_handle(memory, &handle));
        assert_null(handle);
        assert_ok(dnnl_memory_map_data(memory, &handle));
        assert_null(handle);
        assert_ok(dnnl_memory_unmap_data(memory, handle));
        assert_ok(dnnl_memory_destroy(memory));
        dnnl_memory_desc_destroy(none);
    }
}

static void zero_pad(void **state) {
    (void)state;
    static float own[BYTES / 4];
    dnnl_stream_t stream;
    dnnl_memory_t memory;
    assert_ok(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
    assert_ok(dnnl_memory_create(&memory, md, engine, own));
    for (int i = 0; i < BYTES / 4; i++)
        own[i] = 1.f;
    assert_ok(dnnl_impl_zero_pad(memory, stream));
    for (int i = 0; i < BYTES / 4; i++)
        assert_true(own[i] == (i % 8 < 3 ? 1.f : 0.f));
    assert_bad(dnnl_impl_zero_pad(NULL, stream));
    assert_bad(dnnl_impl_zero_pad(memory, NULL));
    assert_ok(dnnl_memory_destroy(memory));
    dnnl_stream_destroy(stream);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(allocated),
            cmocka_unit_test(user_memory),
            cmocka_unit_test(outlives_the_engine),
            cmocka_unit_test(sparse),
            cmocka_unit_test(sparse_with_few_handles),
            cmocka_unit_test(host_scalars),
            cmocka_unit_test(bad_arguments),
            cmocka_unit_test(empty),
            cmocka_unit_test(zero_pad),
    };
    return cmocka_run_group_tests(tests, start, end);
}
