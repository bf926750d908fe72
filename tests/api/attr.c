/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dnnl_primitive_attr_*: values that are set can be read back; refused ones change nothing. The statuses are
 * oneDNN's; transcript_attr compares every value with a oneDNN if there is one.
 */
#include "test.h"

static dnnl_primitive_attr_t attr;

static int setup(void **state) {
    (void)state;
    return dnnl_primitive_attr_create(&attr);
}

static int teardown(void **state) {
    (void)state;
    return dnnl_primitive_attr_destroy(attr);
}

static dnnl_memory_desc_t new_md(dnnl_data_type_t type) {
    dnnl_memory_desc_t md;
    assert_ok(dnnl_memory_desc_create_with_tag(&md, 2, (dnnl_dims_t){3, 4}, type, dnnl_ab));
    return md;
}

static void objects(void **state) {
    (void)state;
    dnnl_primitive_attr_t copy = NULL;
    assert_bad(dnnl_primitive_attr_create(NULL));
    assert_bad(dnnl_primitive_attr_clone(NULL, attr));
    assert_bad(dnnl_primitive_attr_clone(&copy, NULL));
    assert_null(copy);
    assert_ok(dnnl_primitive_attr_destroy(NULL));
    assert_ok(dnnl_primitive_attr_set_deterministic(attr, 1));
    assert_ok(dnnl_primitive_attr_clone(&copy, attr));
    assert_ok(dnnl_primitive_attr_set_deterministic(attr, 0));
    int value = -1;
    assert_ok(dnnl_primitive_attr_get_deterministic(copy, &value));
    assert_int_equal(value, 1);
    assert_ok(dnnl_primitive_attr_destroy(copy));
}

static void fpmath(void **state) {
    (void)state;
    dnnl_fpmath_mode_t mode;
    int to_int;
    assert_ok(dnnl_primitive_attr_set_fpmath_mode_v2(attr, dnnl_fpmath_mode_tf32, 5));
    assert_ok(dnnl_primitive_attr_get_fpmath_mode_v2(attr, &mode, &to_int));
    assert_int_equal(mode, dnnl_fpmath_mode_tf32);
    assert_int_equal(to_int, 1);
    assert_bad(dnnl_primitive_attr_set_fpmath_mode(attr, (dnnl_fpmath_mode_t)5));
    assert_bad(dnnl_primitive_attr_set_fpmath_mode_v2(attr, (dnnl_fpmath_mode_t)-1, 0));
    assert_ok(dnnl_primitive_attr_get_fpmath_mode(attr, &mode));
    assert_int_equal(mode, dnnl_fpmath_mode_tf32);
    assert_ok(dnnl_primitive_attr_set_fpmath_mode(attr, dnnl_fpmath_mode_any));
    assert_ok(dnnl_primitive_attr_get_fpmath_mode_v2(attr, NULL, &to_int));
    assert_int_equal(to_int, 0);
    assert_bad(dnnl_primitive_attr_get_fpmath_mode(attr, NULL));
    assert_bad(dnnl_primitive_attr_get_fpmath_mode(NULL, &mode));
    assert_bad(dnnl_primitive_attr_set_fpmath_mode(NULL, dnnl_fpmath_mode_any));
}

static void other_modes(void **state) {
    (void)state;
    dnnl_accumulation_mode_t accumulation;
    dnnl_scratchpad_mode_t scratchpad;
    assert_ok(dnnl_primitive_attr_set_accumulation_mode(attr, dnnl_accumulation_mode_f16));
    assert_bad(dnnl_primitive_attr_set_accumulation_mode(attr, (dnnl_accumulation_mode_t)6));
    assert_ok(dnnl_primitive_attr_get_accumulation_mode(attr, &accumulation));
    assert_int_equal(accumulation, dnnl_accumulation_mode_f16);
    assert_ok(dnnl_primitive_attr_set_scratchpad_mode(attr, dnnl_scratchpad_mode_user));
    assert_bad(dnnl_primitive_attr_set_scratchpad_mode(attr, (dnnl_scratchpad_mode_t)2));
    assert_ok(dnnl_primitive_attr_get_scratchpad_mode(attr, &scratchpad));
    assert_int_equal(scratchpad, dnnl_scratchpad_mode_user);
    assert_bad(dnnl_primitive_attr_get_accumulation_mode(NULL, &accumulation));
    assert_bad(dnnl_primitive_attr_get_accumulation_mode(attr, NULL));
    assert_bad(dnnl_primitive_attr_get_scratchpad_mode(NULL, &scratchpad));
    assert_bad(dnnl_primitive_attr_get_scratchpad_mode(attr, NULL));
    assert_bad(dnnl_primitive_attr_get_deterministic(attr, NULL));
    assert_bad(dnnl_primitive_attr_set_deterministic(NULL, 1));
}

static void rounding(void **state) {
    (void)state;
    dnnl_rounding_mode_t mode;
    assert_ok(dnnl_primitive_attr_set_rounding(attr, DNNL_ARG_DIFF_WEIGHTS, dnnl_rounding_mode_stochastic));
    assert_ok(dnnl_primitive_attr_get_rounding(attr, DNNL_ARG_DIFF_WEIGHTS, &mode));
    assert_int_equal(mode, dnnl_rounding_mode_stochastic);
    assert_ok(dnnl_primitive_attr_get_rounding(attr, DNNL_ARG_DST, &mode));
    assert_int_equal(mode, dnnl_rounding_mode_environment);
    assert_bad(dnnl_primitive_attr_set_rounding(attr, DNNL_ARG_SRC, dnnl_rounding_mode_stochastic));
    assert_ok(dnnl_primitive_attr_set_rounding(attr, DNNL_ARG_SRC, dnnl_rounding_mode_environment));
    assert_ok(dnnl_primitive_attr_set_rounding(attr, DNNL_ARG_DIFF_WEIGHTS, dnnl_rounding_mode_environment));
    assert_ok(dnnl_primitive_attr_get_rounding(attr, DNNL_ARG_DIFF_WEIGHTS, &mode));
    assert_int_equal(mode, dnnl_rounding_mode_environment);
    assert_bad(dnnl_primitive_attr_get_rounding(attr, DNNL_ARG_DST, NULL));
    assert_bad(dnnl_primitive_attr_set_rounding(NULL, DNNL_ARG_DST, dnnl_rounding_mode_stochastic));
}

/* Quantisation parameters have no getters: a row is a call and whether it is accepted. */
struct quant_case {
    int arg, mask, ndims;
    dnnl_dims_t groups;
    dnnl_data_type_t type;
    int host;
    dnnl_status_t status;
};

static const struct quant_case scale_cases[] = {
        {DNNL_ARG_SRC, 0, 0, {0}, dnnl_f32, 0, dnnl_success},
        {DNNL_ARG_SRC, 0, 0, {0}, dnnl_f32, 1, dnnl_success},
        {DNNL_ARG_SRC, 1 << 30, 0, {0}, dnnl_bf16, 0, dnnl_success},
        {DNNL_ARG_SRC, -1, 0, {0}, dnnl_f32, 0, dnnl_invalid_arguments},
        {DNNL_ARG_SRC, 1, 0, {0}, dnnl_f32, 1, dnnl_invalid_arguments},
        {DNNL_ARG_SRC, 0, 0, {0}, dnnl_e8m0, 0, dnnl_invalid_arguments},
        {DNNL_ARG_SRC, 1, 0, {0}, dnnl_e8m0, 0, dnnl_success},
        {DNNL_ARG_SRC, 1, 0, {0}, dnnl_f8_e5m2, 0, dnnl_invalid_arguments},
        {DNNL_ARG_SRC, 0, 0, {0}, dnnl_s32, 0, dnnl_invalid_arguments},
        {DNNL_ARG_SRC, 0, 0, {0}, (dnnl_data_type_t)77, 0, dnnl_invalid_arguments},
        {DNNL_ARG_SRC, 0, 0, {0}, (dnnl_data_type_t)-1, 0, dnnl_invalid_arguments},
        {DNNL_ARG_WEIGHTS, 3, 2, {32, 1}, dnnl_f16, 0, dnnl_success},
        {DNNL_ARG_WEIGHTS, 3, 2, {32, 1}, dnnl_f16, 1, dnnl_invalid_arguments},
        {DNNL_ARG_WEIGHTS, 0, 2, {32, 1}, dnnl_f16, 0, dnnl_invalid_arguments},
        {DNNL_ARG_WEIGHTS, 3, 2, {0, 1}, dnnl_f16, 0, dnnl_invalid_arguments},
        {DNNL_ARG_WEIGHTS, 3, 2, {32, -1}, dnnl_f16, 0, dnnl_invalid_arguments},
        {DNNL_ARG_WEIGHTS, 3, 1, {32, 1}, dnnl_f16, 0, dnnl_invalid_arguments},
        {DNNL_ARG_WEIGHTS, 3, 3, {32, 1, 1}, dnnl_f16, 0, dnnl_invalid_arguments},
        {DNNL_ARG_WEIGHTS, 3, -1, {32, 1}, dnnl_f16, 0, dnnl_invalid_arguments},
        {DNNL_ARG_MULTIPLE_SRC + 1023, 0, 0, {0}, dnnl_f32, 0, dnnl_success},
        {DNNL_ARG_MULTIPLE_DST, 0, 0, {0}, dnnl_f32, 0, dnnl_invalid_arguments},
        {DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_WEIGHTS, 2, 0, {0}, dnnl_f32, 0, dnnl_success},
        {DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_BIAS, 2, 0, {0}, dnnl_f32, 0, dnnl_invalid_arguments},
        {DNNL_ARG_BIAS, 0, 0, {0}, dnnl_f32, 0, dnnl_invalid_arguments},
        {0, 0, 0, {0}, dnnl_f32, 0, dnnl_invalid_arguments},
        {-5, 0, 0, {0}, dnnl_f32, 0, dnnl_invalid_arguments},
};

static const struct quant_case zero_point_cases[] = {
        {DNNL_ARG_SRC, 0, 0, {0}, dnnl_s32, 1, dnnl_success},
        {DNNL_ARG_SRC, 0, 0, {0}, dnnl_u8, 0, dnnl_success},
        {DNNL_ARG_SRC, 0, 0, {0}, dnnl_f32, 0, dnnl_invalid_arguments},
        {DNNL_ARG_SRC, 0, 0, {0}, dnnl_u4, 0, dnnl_invalid_arguments},
        {DNNL_ARG_WEIGHTS, 3, 2, {32, 1}, dnnl_u4, 0, dnnl_success},
        {DNNL_ARG_DST, 2, 0, {0}, dnnl_s32, 0, dnnl_success},
        {DNNL_ARG_DST, 2, 0, {0}, dnnl_s8, 0, dnnl_invalid_arguments},
        {DNNL_ARG_DST, 3, 2, {32, 1}, dnnl_s32, 0, dnnl_invalid_arguments},
        {DNNL_ARG_SRC_1, 0, 0, {0}, dnnl_s32, 0, dnnl_invalid_arguments},
        {DNNL_ARG_MULTIPLE_SRC, 0, 0, {0}, dnnl_s32, 0, dnnl_invalid_arguments},
};

static const struct quant_case reduction_cases[] = {
        {DNNL_ARG_SRC, 3, 2, {1, 32}, dnnl_s32, 0, dnnl_success},
        {DNNL_ARG_SRC, 3, 2, {1, 32}, dnnl_s8, 0, dnnl_invalid_arguments},
        {DNNL_ARG_WEIGHTS, 3, 2, {1, 32}, dnnl_s32, 0, dnnl_invalid_arguments},
        {DNNL_ARG_SRC, 0, 2, {1, 32}, dnnl_s32, 0, dnnl_invalid_arguments},
};

static void quantisation(void **state) {
    (void)state;
    for (int i = 0; i < COUNT(scale_cases); i++) {
        const struct quant_case *c = &scale_cases[i];
        assert_int_equal(dnnl_primitive_attr_set_scales_v2(attr, c->arg, c->mask, c->ndims, c->groups,
                                                           c->type, c->host),
                         c->status);
    }
    for (int i = 0; i < COUNT(zero_point_cases); i++) {
        const struct quant_case *c = &zero_point_cases[i];
        assert_int_equal(dnnl_primitive_attr_set_zero_points_v2(attr, c->arg, c->mask, c->ndims, c->groups,
                                                                c->type, c->host),
                         c->status);
    }
    for (int i = 0; i < COUNT(reduction_cases); i++) {
        const struct quant_case *c = &reduction_cases[i];
        assert_int_equal(dnnl_primitive_attr_set_precomputed_reductions(attr, c->arg, c->mask, c->ndims,
                                                                        c->groups, c->type),
                         c->status);
    }
}

static void quantisation_null_arguments(void **state) {
    (void)state;
    assert_bad(dnnl_primitive_attr_set_scales_mask(NULL, DNNL_ARG_SRC, 0));
    assert_bad(dnnl_primitive_attr_set_scales(NULL, DNNL_ARG_SRC, 0, 0, NULL, dnnl_f32));
    assert_bad(dnnl_primitive_attr_set_zero_points_mask(NULL, DNNL_ARG_SRC, 0));
    assert_bad(dnnl_primitive_attr_set_zero_points(NULL, DNNL_ARG_SRC, 0, 0, NULL, dnnl_s32));
    assert_bad(dnnl_primitive_attr_set_precomputed_reductions(NULL, DNNL_ARG_SRC, 0, 0, NULL, dnnl_s32));
    /* oneDNN dereferences this pointer. */
    assert_bad(dnnl_primitive_attr_set_scales(attr, DNNL_ARG_SRC, 3, 2, NULL, dnnl_f32));
    assert_bad(dnnl_primitive_attr_set_scales_v3(attr, DNNL_ARG_SRC, 0, 0, NULL, dnnl_f32, 0,
                                                 dnnl_quantization_mode_undef));
    assert_bad(dnnl_primitive_attr_set_scales_v3(attr, DNNL_ARG_SRC, 0, 0, NULL, dnnl_f32, 0,
                                                 (dnnl_quantization_mode_t)9));
}

static void dropout(void **state) {
    (void)state;
    dnnl_memory_desc_t mask = new_md(dnnl_u8), wrong = new_md(dnnl_s8);
    const_dnnl_memory_desc_t held = NULL;
    dnnl_data_type_t seed = dnnl_data_type_undef;
    int offset = -1, scalars = -1;
    assert_ok(dnnl_primitive_attr_set_dropout_v2(attr, mask, dnnl_s64, 7, 0));
    assert_bad(dnnl_primitive_attr_set_dropout_v2(attr, wrong, dnnl_s64, 0, 0));
    assert_bad(dnnl_primitive_attr_set_dropout_v2(attr, mask, dnnl_f32, 0, 0));
    assert_bad(dnnl_primitive_attr_set_dropout(attr, NULL));
    assert_bad(dnnl_primitive_attr_set_dropout(NULL, mask));
    assert_ok(dnnl_primitive_attr_get_dropout_v2(attr, &held, &seed, &offset, &scalars));
    assert_true(held != mask && dnnl_memory_desc_equal(held, mask));
    assert_int_equal(seed, dnnl_s64);
    assert_int_equal(offset, 1);
    assert_int_equal(scalars, 0);
    assert_ok(dnnl_primitive_attr_get_dropout_v2(attr, NULL, NULL, NULL, NULL));
    assert_ok(dnnl_primitive_attr_set_dropout(attr, mask));
    assert_ok(dnnl_primitive_attr_get_dropout_v2(attr, NULL, &seed, &offset, NULL));
    assert_int_equal(seed, dnnl_s32);
    assert_int_equal(offset, 0);
    assert_bad(dnnl_primitive_attr_get_dropout(NULL, &held));
    dnnl_memory_desc_destroy(mask);
    dnnl_memory_desc_destroy(wrong);
}

static void rnn(void **state) {
    (void)state;
    float scale = 0, shift = -1;
    assert_ok(dnnl_primitive_attr_get_rnn_data_qparams(attr, &scale, &shift));
    assert_true(scale == 1 && shift == 0);
    assert_ok(dnnl_primitive_attr_set_rnn_data_qparams(attr, 2.5f, 64));
    assert_ok(dnnl_primitive_attr_get_rnn_data_qparams(attr, &scale, NULL));
    assert_true(scale == 2.5f);
    assert_bad(dnnl_primitive_attr_set_rnn_data_qparams(NULL, 1, 1));

    float scales[] = {1.5f, 2, 3};
    const float *held;
    dnnl_dim_t count;
    int mask;
    assert_ok(dnnl_primitive_attr_get_rnn_weights_qparams(attr, &count, &mask, &held));
    assert_true(count == 1 && mask == 0 && held[0] == 1);
    assert_ok(dnnl_primitive_attr_set_rnn_weights_qparams(attr, 3, 24, scales));
    assert_bad(dnnl_primitive_attr_set_rnn_weights_qparams(attr, 0, 0, scales));
    assert_bad(dnnl_primitive_attr_set_rnn_weights_qparams(attr, -1, 0, scales));
    assert_bad(dnnl_primitive_attr_set_rnn_weights_qparams(attr, 1, -1, scales));
    assert_bad(dnnl_primitive_attr_set_rnn_weights_qparams(attr, 1, 0, NULL));
    scales[2] = 100; /* the attribute keeps a copy */
    assert_ok(dnnl_primitive_attr_get_rnn_weights_qparams(attr, &count, &mask, &held));
    assert_true(count == 3 && mask == 24 && held[2] == 3);
    assert_ok(dnnl_primitive_attr_set_rnn_weights_projection_qparams(attr, 1, 8, scales));
    assert_ok(dnnl_primitive_attr_get_rnn_weights_projection_qparams(attr, &count, &mask, &held));
    assert_true(count == 1 && mask == 0 && held[0] == 1.5f);
    assert_bad(dnnl_primitive_attr_get_rnn_weights_projection_qparams(NULL, &count, &mask, &held));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
            TEST(objects),  TEST(fpmath),       TEST(other_modes),
            TEST(rounding), TEST(quantisation), TEST(quantisation_null_arguments),
            TEST(dropout),  TEST(rnn),
    };
    return cmocka_run_group_tests_name("api.attr", tests, NULL, NULL);
}
