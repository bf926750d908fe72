/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dnnl_primitive_desc_*: queries of a convolution, a matmul and a reorder on the CPU. transcript_query
 * compares all answers with those of a oneDNN if there is one.
 */
#include "test.h"

#define NOT(call) assert_int_equal(call, dnnl_unimplemented)

static dnnl_engine_t engine;
static dnnl_primitive_desc_t convolution, matmul, reorder;
static dnnl_memory_desc_t src, weights, bias, dst, a, b, c, row;

static void new_md(dnnl_memory_desc_t *md, int ndims, const dnnl_dims_t dims, dnnl_format_tag_t tag) {
    assert_ok(dnnl_memory_desc_create_with_tag(md, ndims, dims, dnnl_f32, tag));
}

static int setup(void **state) {
    (void)state;
    const dnnl_dims_t two = {2, 2}, one = {1, 1};
    assert_ok(dnnl_engine_create(&engine, dnnl_cpu, 0));
    new_md(&src, 4, (dnnl_dims_t){2, 8, 7, 7}, dnnl_nhwc);
    new_md(&weights, 4, (dnnl_dims_t){16, 8, 3, 3}, dnnl_format_tag_any);
    new_md(&bias, 1, (dnnl_dims_t){16}, dnnl_x);
    new_md(&dst, 4, (dnnl_dims_t){2, 16, 4, 4}, dnnl_nhwc);
    new_md(&a, 2, (dnnl_dims_t){3, 4}, dnnl_ab);
    new_md(&b, 2, (dnnl_dims_t){4, 5}, dnnl_ab);
    new_md(&c, 2, (dnnl_dims_t){3, 5}, dnnl_ab);
    new_md(&row, 2, (dnnl_dims_t){1, 5}, dnnl_format_tag_any);
    assert_ok(dnnl_convolution_forward_primitive_desc_create(&convolution, engine, dnnl_forward_inference,
                                                             dnnl_convolution_direct, src, weights, bias, dst,
                                                             two, NULL, one, one, NULL));
    dnnl_primitive_attr_t attr;
    dnnl_post_ops_t ops;
    assert_ok(dnnl_primitive_attr_create(&attr));
    assert_ok(dnnl_post_ops_create(&ops));
    assert_ok(dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_relu, 0, 0));
    assert_ok(dnnl_post_ops_append_binary(ops, dnnl_binary_add, row));
    assert_ok(dnnl_primitive_attr_set_post_ops(attr, ops));
    assert_ok(dnnl_primitive_attr_set_scratchpad_mode(attr, dnnl_scratchpad_mode_user));
    assert_ok(dnnl_matmul_primitive_desc_create(&matmul, engine, a, b, NULL, c, attr));
    assert_ok(dnnl_post_ops_destroy(ops));
    assert_ok(dnnl_primitive_attr_destroy(attr));
    assert_ok(dnnl_reorder_primitive_desc_create(&reorder, a, engine, a, engine, NULL));
    return 0;
}

static int teardown(void **state) {
    (void)state;
    dnnl_memory_desc_t all[] = {src, weights, bias, dst, a, b, c, row};
    for (int i = 0; i < COUNT(all); i++)
        assert_ok(dnnl_memory_desc_destroy(all[i]));
    assert_ok(dnnl_primitive_desc_destroy(convolution));
    assert_ok(dnnl_primitive_desc_destroy(matmul));
    assert_ok(dnnl_primitive_desc_destroy(reorder));
    assert_ok(dnnl_engine_destroy(engine));
    return 0;
}

static void parameters(void **state) {
    (void)state;
    dnnl_primitive_kind_t kind;
    dnnl_prop_kind_t prop = dnnl_prop_kind_undef;
    dnnl_alg_kind_t alg;
    const dnnl_dims_t *dims;
    float number = 7;
    assert_ok(dnnl_primitive_desc_query(convolution, dnnl_query_primitive_kind, 0, &kind));
    assert_int_equal(kind, dnnl_convolution);
    assert_ok(dnnl_primitive_desc_query(convolution, dnnl_query_prop_kind, 0, &prop));
    assert_int_equal(prop, dnnl_forward_inference);
    assert_ok(dnnl_primitive_desc_query(convolution, dnnl_query_alg_kind, 0, &alg));
    assert_int_equal(alg, dnnl_convolution_direct);
    assert_ok(dnnl_primitive_desc_query(convolution, dnnl_query_strides, 0, &dims));
    assert_true((*dims)[0] == 2 && (*dims)[1] == 2);
    assert_ok(dnnl_primitive_desc_query(convolution, dnnl_query_dilations, 0, &dims));
    assert_true((*dims)[0] == 0 && (*dims)[1] == 0);
    assert_ok(dnnl_primitive_desc_query(convolution, dnnl_query_padding_l, 0, &dims));
    assert_true((*dims)[0] == 1 && (*dims)[1] == 1);
    NOT(dnnl_primitive_desc_query(convolution, dnnl_query_kernel, 0, &dims));
    NOT(dnnl_primitive_desc_query(convolution, dnnl_query_epsilon_f32, 0, &number));
    NOT(dnnl_primitive_desc_query(matmul, dnnl_query_prop_kind, 0, &prop));
    NOT(dnnl_primitive_desc_query(matmul, dnnl_query_undef, 0, &number));
    NOT(dnnl_primitive_desc_query(matmul, (dnnl_query_t)9999, 0, &number));
    NOT(dnnl_primitive_desc_query(matmul, dnnl_query_ndims_s32, 0, &number));
    assert_true(number == 7 && prop == dnnl_forward_inference);
}

static void engines(void **state) {
    (void)state;
    dnnl_engine_t found = NULL;
    static const dnnl_query_t queries[] = {dnnl_query_engine, dnnl_query_reorder_src_engine,
                                           dnnl_query_reorder_dst_engine};
    for (int i = 0; i < 3; i++) {
        found = NULL;
        assert_ok(dnnl_primitive_desc_query(reorder, queries[i], 0, &found));
        assert_ptr_equal(found, engine);
    }
    NOT(dnnl_primitive_desc_query(matmul, dnnl_query_reorder_src_engine, 0, &found));
}

static void descriptors(void **state) {
    (void)state;
    const_dnnl_memory_desc_t md;
    assert_true(dnnl_memory_desc_equal(dnnl_primitive_desc_query_md(convolution, dnnl_query_src_md, 0), src));
    assert_true(dnnl_memory_desc_equal(dnnl_primitive_desc_query_md(convolution, dnnl_query_weights_md, 1),
                                       bias));
    assert_true(dnnl_memory_desc_equal(dnnl_primitive_desc_query_md(convolution, dnnl_query_dst_md, 0), dst));
    /* The implementation has chosen the layout for `any`. */
    assert_ok(dnnl_primitive_desc_query(convolution, dnnl_query_weights_md, 0, &md));
    dnnl_format_kind_t kind = dnnl_format_kind_any;
    assert_ok(dnnl_memory_desc_query(md, dnnl_query_format_kind, &kind));
    assert_int_equal(kind, dnnl_blocked);
    assert_ptr_equal(md, dnnl_primitive_desc_query_md(convolution, dnnl_query_exec_arg_md, DNNL_ARG_WEIGHTS));
    /* A missing descriptor is empty, not NULL. */
    md = dnnl_primitive_desc_query_md(convolution, dnnl_query_diff_src_md, 0);
    assert_true(md && dnnl_memory_desc_get_size(md) == 0);
    md = dnnl_primitive_desc_query_md(convolution, dnnl_query_exec_arg_md, 77);
    assert_true(md && dnnl_memory_desc_get_size(md) == 0);
    md = dnnl_primitive_desc_query_md(convolution, dnnl_query_src_md, -1);
    assert_true(md && dnnl_memory_desc_get_size(md) == 0);
    md = dnnl_primitive_desc_query_md(convolution, dnnl_query_workspace_md, 0);
    assert_true(md && dnnl_memory_desc_get_size(md) == 0);
    assert_null(dnnl_primitive_desc_query_md(convolution, dnnl_query_workspace_md, 1));
    assert_bad(dnnl_primitive_desc_query(convolution, dnnl_query_scratchpad_md, 1, &md));
    assert_null(dnnl_primitive_desc_query_md(convolution, dnnl_query_engine, 0));
    assert_null(dnnl_primitive_desc_query_md(NULL, dnnl_query_src_md, 0));
}

static void post_op_operands(void **state) {
    (void)state;
    int arg = DNNL_ARG_ATTR_MULTIPLE_POST_OP(1) | DNNL_ARG_SRC_1;
    const_dnnl_memory_desc_t md = dnnl_primitive_desc_query_md(matmul, dnnl_query_exec_arg_md, arg);
    assert_int_equal(dnnl_memory_desc_get_size(md), 5 * sizeof(float));
    assert_int_equal(dnnl_primitive_desc_query_s32(matmul, dnnl_query_num_of_inputs_s32, 0), 3);
    assert_int_equal(dnnl_primitive_desc_query_s32(matmul, dnnl_query_num_of_outputs_s32, 0), 1);
    assert_int_equal(dnnl_primitive_desc_query_s32(convolution, dnnl_query_num_of_inputs_s32, 0), 3);
    assert_int_equal(dnnl_primitive_desc_query_s32(convolution, dnnl_query_src_md, 0), 0);
    assert_int_equal(dnnl_primitive_desc_query_s32(NULL, dnnl_query_num_of_inputs_s32, 0), 0);
}

static void scratchpads(void **state) {
    (void)state;
    int64_t bytes = -1;
    assert_ok(dnnl_primitive_desc_query(matmul, dnnl_query_memory_consumption_s64, 0, &bytes));
    assert_int_equal(bytes, 0); /* the user provides it */
    assert_ok(dnnl_primitive_desc_query(convolution, dnnl_query_memory_consumption_s64, 0, &bytes));
    assert_true(bytes >= 0);
    const_dnnl_memory_desc_t md = dnnl_primitive_desc_query_md(matmul, dnnl_query_scratchpad_md, 0);
    assert_ptr_equal(md, dnnl_primitive_desc_query_md(matmul, dnnl_query_exec_arg_md, DNNL_ARG_SCRATCHPAD));
}

static void attributes(void **state) {
    (void)state;
    const_dnnl_primitive_attr_t attr = NULL;
    const_dnnl_post_ops_t ops;
    assert_ok(dnnl_primitive_desc_get_attr(matmul, &attr));
    assert_ok(dnnl_primitive_attr_get_post_ops(attr, &ops));
    assert_int_equal(dnnl_post_ops_len(ops), 2);
    assert_bad(dnnl_primitive_desc_get_attr(NULL, &attr));
    assert_bad(dnnl_primitive_desc_get_attr(matmul, NULL));
}

static void clones(void **state) {
    (void)state;
    dnnl_primitive_desc_t copy = NULL;
    assert_bad(dnnl_primitive_desc_clone(NULL, matmul));
    assert_bad(dnnl_primitive_desc_clone(&copy, NULL));
    assert_null(copy);
    assert_ok(dnnl_primitive_desc_clone(&copy, matmul));
    dnnl_primitive_kind_t kind;
    assert_ok(dnnl_primitive_desc_query(copy, dnnl_query_primitive_kind, 0, &kind));
    assert_int_equal(kind, dnnl_matmul);
    assert_ok(dnnl_primitive_desc_destroy(copy));
    assert_ok(dnnl_primitive_desc_destroy(NULL));
}

/* Every implementation has a different name; after the last one the descriptor is unchanged. */
static void implementations(void **state) {
    (void)state;
    dnnl_primitive_desc_t pd;
    const char *name = NULL, *last = "";
    dnnl_status_t status;
    assert_ok(dnnl_primitive_desc_clone(&pd, convolution));
    int count = 0;
    do {
        assert_ok(dnnl_primitive_desc_query(pd, dnnl_query_impl_info_str, 0, &name));
        assert_string_not_equal(name, last);
        last = name;
        count++;
    } while ((status = dnnl_primitive_desc_next_impl(pd)) == dnnl_success);
    assert_int_equal(status, dnnl_last_impl_reached);
    assert_int_equal(dnnl_primitive_desc_next_impl(pd), dnnl_last_impl_reached);
    assert_ok(dnnl_primitive_desc_query(pd, dnnl_query_impl_info_str, 0, &name));
    assert_string_equal(name, last);
    assert_true(count >= 1);
    assert_ok(dnnl_primitive_desc_query(convolution, dnnl_query_impl_info_str, 0, &name));
    if (count > 1) assert_string_not_equal(name, last);
    assert_bad(dnnl_primitive_desc_next_impl(NULL));
    assert_ok(dnnl_primitive_desc_destroy(pd));
}

/* As in oneDNN: there is no other reorder to ask for. */
static void next_reorder(void **state) {
    (void)state;
    dnnl_memory_desc_t from = test_desc(2, (dnnl_dims_t){8, 9}, dnnl_ab),
                       to = test_desc(2, (dnnl_dims_t){8, 9}, dnnl_ba);
    dnnl_primitive_desc_t pd;
    assert_ok(dnnl_reorder_primitive_desc_create(&pd, from, engine, to, engine, NULL));
    assert_int_equal(dnnl_primitive_desc_next_impl(pd), dnnl_last_impl_reached);
    dnnl_primitive_desc_destroy(pd);
    dnnl_memory_desc_destroy(from);
    dnnl_memory_desc_destroy(to);
}

static void bad_arguments(void **state) {
    (void)state;
    dnnl_engine_t found = NULL;
    assert_bad(dnnl_primitive_desc_query(NULL, dnnl_query_engine, 0, &found));
    assert_bad(dnnl_primitive_desc_query(matmul, dnnl_query_engine, 0, NULL));
    assert_bad(dnnl_primitive_desc_query(matmul, dnnl_query_src_md, 0, NULL));
    assert_null(found);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(parameters),    cmocka_unit_test(engines),
            cmocka_unit_test(descriptors),   cmocka_unit_test(post_op_operands),
            cmocka_unit_test(scratchpads),   cmocka_unit_test(attributes),
            cmocka_unit_test(clones),        cmocka_unit_test(implementations),
            cmocka_unit_test(bad_arguments), cmocka_unit_test(next_reorder),
    };
    return cmocka_run_group_tests_name("api.primitive_desc", tests, setup, teardown);
}
