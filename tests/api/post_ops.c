/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dnnl_post_ops_*: chains are built, read back and copied; a refused call leaves the chain unchanged.
 */
#include "test.h"

static dnnl_post_ops_t ops;
static dnnl_memory_desc_t md, condition, sizeless;

static int setup(void **state) {
    (void)state;
    dnnl_dims_t dims = {3, 4}, open = {3, DNNL_RUNTIME_DIM_VAL};
    return dnnl_post_ops_create(&ops) || dnnl_memory_desc_create_with_tag(&md, 2, dims, dnnl_f32, dnnl_ab)
           || dnnl_memory_desc_create_with_tag(&condition, 2, dims, dnnl_s8, dnnl_ab)
           || dnnl_memory_desc_create_with_tag(&sizeless, 2, open, dnnl_f32, dnnl_ab);
}

static int teardown(void **state) {
    (void)state;
    return dnnl_post_ops_destroy(ops) || dnnl_memory_desc_destroy(md) || dnnl_memory_desc_destroy(condition)
           || dnnl_memory_desc_destroy(sizeless);
}

static void append_one_of_each(void) {
    assert_ok(dnnl_post_ops_append_sum(ops, 2.5f, -3, dnnl_s8));
    assert_ok(dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_linear, 2, 3));
    assert_ok(dnnl_post_ops_append_binary(ops, dnnl_binary_add, md));
    assert_ok(dnnl_post_ops_append_binary_v2(ops, dnnl_binary_select, md, condition));
    assert_ok(dnnl_post_ops_append_prelu(ops, 2));
    assert_ok(dnnl_post_ops_append_dw(ops, dnnl_s8, dnnl_f32, dnnl_u8, 3, 2, 1));
}

static void objects(void **state) {
    (void)state;
    dnnl_post_ops_t copy = NULL;
    assert_bad(dnnl_post_ops_create(NULL));
    assert_bad(dnnl_post_ops_clone(NULL, ops));
    assert_bad(dnnl_post_ops_clone(&copy, NULL));
    assert_null(copy);
    assert_ok(dnnl_post_ops_destroy(NULL));
    assert_int_equal(dnnl_post_ops_len(NULL), 0);
    assert_ok(dnnl_post_ops_append_prelu(ops, 5));
    assert_ok(dnnl_post_ops_clone(&copy, ops));
    assert_ok(dnnl_post_ops_append_prelu(ops, 6));
    assert_int_equal(dnnl_post_ops_len(copy), 1);
    assert_int_equal(dnnl_post_ops_len(ops), 2);
    assert_ok(dnnl_post_ops_destroy(copy));
}

static void reading_back(void **state) {
    (void)state;
    static const dnnl_primitive_kind_t kinds[] = {dnnl_sum,    dnnl_eltwise, dnnl_binary,
                                                  dnnl_binary, dnnl_prelu,   dnnl_convolution};
    append_one_of_each();
    for (int i = 0; i < 6; i++)
        assert_int_equal(dnnl_post_ops_get_kind(ops, i), kinds[i]);
    assert_int_equal(dnnl_post_ops_get_kind(ops, 6), dnnl_undefined_primitive);
    assert_int_equal(dnnl_post_ops_get_kind(ops, -1), dnnl_undefined_primitive);
    assert_int_equal(dnnl_post_ops_get_kind(NULL, 0), dnnl_undefined_primitive);

    float scale, alpha, beta;
    int32_t zero_point;
    dnnl_data_type_t type, bias, dst;
    dnnl_alg_kind_t alg;
    const_dnnl_memory_desc_t src1, src2;
    int mask;
    dnnl_dim_t kernel, stride, padding;
    assert_ok(dnnl_post_ops_get_params_sum(ops, 0, &scale, &zero_point, &type));
    assert_true(scale == 2.5f && zero_point == -3 && type == dnnl_s8);
    assert_ok(dnnl_post_ops_get_params_eltwise(ops, 1, &alg, &alpha, &beta));
    assert_true(alg == dnnl_eltwise_linear && alpha == 2 && beta == 3);
    assert_ok(dnnl_post_ops_get_params_binary(ops, 2, &alg, &src1));
    assert_true(alg == dnnl_binary_add && dnnl_memory_desc_equal(src1, md));
    assert_ok(dnnl_post_ops_get_params_binary_v2(ops, 3, &alg, &src1, &src2));
    assert_true(alg == dnnl_binary_select && dnnl_memory_desc_equal(src2, condition));
    assert_ok(dnnl_post_ops_get_params_prelu(ops, 4, &mask));
    assert_int_equal(mask, 2);
    assert_ok(dnnl_post_ops_get_params_dw(ops, 5, &type, &bias, &dst, &kernel, &stride, &padding));
    assert_true(type == dnnl_s8 && bias == dnnl_f32 && dst == dnnl_u8);
    assert_true(kernel == 3 && stride == 2 && padding == 1);
}

static void getters_of_another_kind(void **state) {
    (void)state;
    append_one_of_each();
    float scale = 7;
    int mask = 8;
    dnnl_alg_kind_t alg = dnnl_alg_kind_undef;
    const_dnnl_memory_desc_t src1 = NULL;
    assert_bad(dnnl_post_ops_get_params_sum(ops, 1, &scale, NULL, NULL));
    assert_bad(dnnl_post_ops_get_params_sum(ops, -1, &scale, NULL, NULL));
    assert_bad(dnnl_post_ops_get_params_sum(ops, 6, &scale, NULL, NULL));
    assert_bad(dnnl_post_ops_get_params_sum(NULL, 0, &scale, NULL, NULL));
    assert_bad(dnnl_post_ops_get_params_eltwise(ops, 0, &alg, &scale, &scale));
    assert_bad(dnnl_post_ops_get_params_binary(ops, 1, &alg, &src1));
    assert_bad(dnnl_post_ops_get_params_binary_v2(ops, 4, &alg, &src1, &src1));
    assert_bad(dnnl_post_ops_get_params_prelu(ops, 0, &mask));
    assert_bad(dnnl_post_ops_get_params_prelu(ops, -1, &mask));
    assert_bad(dnnl_post_ops_get_params_dw(ops, 0, NULL, NULL, NULL, NULL, NULL, NULL));
    assert_true(scale == 7 && mask == 8 && alg == dnnl_alg_kind_undef && !src1);
    assert_ok(dnnl_post_ops_get_params_sum(ops, 0, NULL, NULL, NULL));
    assert_ok(dnnl_post_ops_get_params_dw(ops, 5, NULL, NULL, NULL, NULL, NULL, NULL));
}

static void refused(void **state) {
    (void)state;
    assert_bad(dnnl_post_ops_append_sum(NULL, 1, 0, dnnl_f32));
    assert_bad(dnnl_post_ops_append_eltwise(NULL, dnnl_eltwise_relu, 0, 0));
    assert_bad(dnnl_post_ops_append_eltwise(ops, dnnl_alg_kind_undef, 0, 0));
    assert_bad(dnnl_post_ops_append_eltwise(ops, dnnl_binary_add, 0, 0));
    assert_bad(dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_clip, 2, 1));
    assert_bad(dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_clip_v2_use_dst_for_bwd, 2, 1));
    assert_bad(dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_relu_use_dst_for_bwd, -1, 0));
    assert_bad(dnnl_post_ops_append_binary(NULL, dnnl_binary_add, md));
    assert_bad(dnnl_post_ops_append_binary(ops, dnnl_eltwise_relu, md));
    assert_bad(dnnl_post_ops_append_binary(ops, dnnl_binary_add, NULL));
    assert_bad(dnnl_post_ops_append_binary(ops, dnnl_binary_add, sizeless));
    assert_bad(dnnl_post_ops_append_binary(ops, dnnl_binary_select, md));
    assert_bad(dnnl_post_ops_append_binary_v2(ops, dnnl_binary_select, md, NULL));
    assert_bad(dnnl_post_ops_append_binary_v2(ops, dnnl_binary_select, NULL, condition));
    assert_bad(dnnl_post_ops_append_binary_v2(ops, dnnl_binary_select, md, sizeless));
    assert_bad(dnnl_post_ops_append_prelu(NULL, 0));
    assert_bad(dnnl_post_ops_append_dw(NULL, dnnl_f32, dnnl_f32, dnnl_f32, 3, 1, 1));
    assert_bad(dnnl_post_ops_append_dw(ops, dnnl_data_type_undef, dnnl_f32, dnnl_f32, 3, 1, 1));
    assert_bad(dnnl_post_ops_append_dw(ops, dnnl_f32, dnnl_f32, dnnl_data_type_undef, 3, 1, 1));
    assert_bad(dnnl_post_ops_append_dw(ops, dnnl_f32, dnnl_f32, dnnl_f32, 0, 1, 0));
    assert_bad(dnnl_post_ops_append_dw(ops, dnnl_f32, dnnl_f32, dnnl_f32, 3, 0, 1));
    assert_bad(dnnl_post_ops_append_dw(ops, dnnl_f32, dnnl_f32, dnnl_f32, 3, 1, 3));
    assert_int_equal(dnnl_post_ops_len(ops), 0);
    assert_ok(dnnl_post_ops_append_binary_v2(ops, dnnl_binary_add, md, NULL));
    assert_ok(dnnl_post_ops_append_dw(ops, dnnl_f32, dnnl_data_type_undef, dnnl_f32, 1, 4, 0));
}

static void full(void **state) {
    (void)state;
    for (int i = 0; i < 32; i++)
        assert_ok(dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_linear, (float)i, 0));
    assert_int_equal(dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_linear, 0, 0), dnnl_out_of_memory);
    assert_int_equal(dnnl_post_ops_append_prelu(ops, 0), dnnl_out_of_memory);
    assert_int_equal(dnnl_post_ops_append_binary(ops, dnnl_binary_add, NULL), dnnl_out_of_memory);
    assert_int_equal(dnnl_post_ops_len(ops), 32);
    float alpha = -1;
    assert_ok(dnnl_post_ops_get_params_eltwise(ops, 31, NULL, &alpha, NULL));
    assert_true(alpha == 31);
}

static void in_attributes(void **state) {
    (void)state;
    dnnl_primitive_attr_t attr;
    const_dnnl_post_ops_t held = NULL;
    append_one_of_each();
    assert_ok(dnnl_primitive_attr_create(&attr));
    assert_ok(dnnl_primitive_attr_get_post_ops(attr, &held));
    assert_int_equal(dnnl_post_ops_len(held), 0);
    assert_ok(dnnl_primitive_attr_set_post_ops(attr, ops));
    assert_ok(dnnl_post_ops_append_prelu(ops, 0)); /* the attribute has its own copy */
    assert_ok(dnnl_primitive_attr_get_post_ops(attr, &held));
    assert_int_equal(dnnl_post_ops_len(held), 6);
    assert_ok(dnnl_primitive_attr_set_post_ops(attr, held));
    assert_ok(dnnl_primitive_attr_get_post_ops(attr, &held));
    assert_int_equal(dnnl_post_ops_len(held), 6);
    assert_int_equal(dnnl_post_ops_get_kind(held, 5), dnnl_convolution);
    assert_bad(dnnl_primitive_attr_set_post_ops(attr, NULL));
    assert_bad(dnnl_primitive_attr_set_post_ops(NULL, ops));
    assert_bad(dnnl_primitive_attr_get_post_ops(attr, NULL));
    assert_bad(dnnl_primitive_attr_get_post_ops(NULL, &held));
    assert_ok(dnnl_primitive_attr_destroy(attr));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
            TEST(objects), TEST(reading_back), TEST(getters_of_another_kind),
            TEST(refused), TEST(full),         TEST(in_attributes),
    };
    return cmocka_run_group_tests_name("api.post_ops", tests, NULL, NULL);
}
