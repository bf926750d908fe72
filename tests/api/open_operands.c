/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes that are known only at execution, with what else a user asks of such a product: operands of post-ops
 * whose layout is open or that lie along the open dimension, and a scratchpad of their own. */
#include "test.h"

enum { K = 40, N = 33, MOST = 20 };

static dnnl_engine_t engine;
static float src[MOST * K], weights[K * N], operand[MOST * N], dst[MOST * N];

static dnnl_memory_desc_t describe(dnnl_dim_t rows, dnnl_dim_t columns, dnnl_format_tag_t tag) {
    dnnl_memory_desc_t md;
    assert_ok(dnnl_memory_desc_create_with_tag(&md, 2, (dnnl_dims_t){rows, columns}, dnnl_f32, tag));
    return md;
}

static dnnl_memory_t wrap(dnnl_dim_t rows, dnnl_dim_t columns, float *data) {
    dnnl_memory_desc_t md = describe(rows, columns, dnnl_ab);
    dnnl_memory_t memory;
    assert_ok(dnnl_memory_create(&memory, md, engine, data));
    dnnl_memory_desc_destroy(md);
    return memory;
}

/* A product of open rows that adds an operand of `rows` rows. */
static dnnl_primitive_desc_t product(dnnl_dim_t rows, dnnl_format_tag_t tag) {
    const dnnl_dim_t open = DNNL_RUNTIME_DIM_VAL;
    dnnl_memory_desc_t mds[] = {describe(open, K, dnnl_ab), describe(K, N, dnnl_ab),
                                describe(open, N, dnnl_ab), describe(rows, N, tag)};
    dnnl_post_ops_t ops;
    dnnl_primitive_attr_t attr;
    dnnl_primitive_desc_t pd;
    assert_ok(dnnl_post_ops_create(&ops));
    assert_ok(dnnl_post_ops_append_binary(ops, dnnl_binary_add, mds[3]));
    assert_ok(dnnl_primitive_attr_create(&attr));
    assert_ok(dnnl_primitive_attr_set_post_ops(attr, ops));
    assert_ok(dnnl_primitive_attr_set_scratchpad_mode(attr, dnnl_scratchpad_mode_user));
    assert_ok(dnnl_matmul_primitive_desc_create(&pd, engine, mds[0], mds[1], NULL, mds[2], attr));
    dnnl_primitive_attr_destroy(attr);
    dnnl_post_ops_destroy(ops);
    for (int i = 0; i < COUNT(mds); i++)
        dnnl_memory_desc_destroy(mds[i]);
    return pd;
}

static dnnl_status_t execute(dnnl_primitive_t primitive, dnnl_dim_t rows, dnnl_dim_t operand_rows) {
    dnnl_stream_t stream;
    dnnl_exec_arg_t args[] = {
            {DNNL_ARG_SRC, wrap(rows, K, src)},
            {DNNL_ARG_WEIGHTS, wrap(K, N, weights)},
            {DNNL_ARG_DST, wrap(rows, N, dst)},
            {DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1, wrap(operand_rows, N, operand)},
    };
    assert_ok(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
    dnnl_status_t status = dnnl_primitive_execute(primitive, stream, COUNT(args), args);
    assert_ok(dnnl_stream_wait(stream));
    dnnl_stream_destroy(stream);
    for (int i = 0; i < COUNT(args); i++)
        dnnl_memory_destroy(args[i].memory);
    return status;
}

/* The numbers are small integers: results are exact. */
static void fill(void) {
    for (int i = 0; i < MOST * K; i++)
        src[i] = (float)(i % 7 - 3);
    for (int i = 0; i < K * N; i++)
        weights[i] = (float)(i % 5 - 2);
    for (int i = 0; i < MOST * N; i++)
        operand[i] = (float)(i % 11);
}

static void expect(int rows, int operand_rows) {
    for (int m = 0; m < rows; m++)
        for (int n = 0; n < N; n++) {
            float sum = operand[(operand_rows == 1 ? 0 : m) * N + n];
            for (int k = 0; k < K; k++)
                sum += src[m * K + k] * weights[k * N + n];
            assert_float_equal(dst[m * N + n], sum, 0);
        }
}

static void run(dnnl_dim_t operand_rows, dnnl_format_tag_t tag, int rows, dnnl_status_t expected) {
    dnnl_primitive_desc_t pd = product(operand_rows, tag);
    dnnl_primitive_t primitive;
    dnnl_memory_desc_t row_major = describe(operand_rows, N, dnnl_ab);
    const_dnnl_memory_desc_t told = dnnl_primitive_desc_query_md(
            pd, dnnl_query_exec_arg_md, DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1);
    assert_true(dnnl_memory_desc_equal(told, row_major));
    dnnl_memory_desc_destroy(row_major);
    /* Nobody can tell its size now, so it is not asked for later. */
    assert_int_equal(dnnl_memory_desc_get_size(dnnl_primitive_desc_query_md(pd, dnnl_query_scratchpad_md, 0)),
                     0);
    assert_ok(dnnl_primitive_create(&primitive, pd));
    assert_int_equal(execute(primitive, rows, operand_rows), expected);
    if (expected == dnnl_success) expect(rows, (int)operand_rows);
    dnnl_primitive_destroy(primitive);
    dnnl_primitive_desc_destroy(pd);
}

static void operands(void **state) {
    (void)state;
    fill();
    for (int t = 0; t < 2; t++) {
        dnnl_format_tag_t tag = t ? dnnl_format_tag_any : dnnl_ab;
        run(1, tag, 7, dnnl_success);
        run(1, tag, MOST, dnnl_success);
        run(7, tag, 7, dnnl_success);
        run(MOST, tag, MOST, dnnl_success);
    }
}

static void operand_of_another_size(void **state) {
    (void)state;
    run(7, dnnl_ab, 6, dnnl_invalid_arguments);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(operands), cmocka_unit_test(operand_of_another_size)};
    if (dnnl_engine_create(&engine, dnnl_cpu, 0)) return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    dnnl_engine_destroy(engine);
    return failed;
}
