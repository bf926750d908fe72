/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attributes as data: copies are deep, equality and hash cover every part, strings are oneDNN's. The expected
 * strings are from verbose lines of oneDNN 3.13.
 */
#include "core/attr.h"
#include "test.h"

#include <stdio.h>

static md_t tagged(dnnl_dim_t rows, dnnl_dim_t columns, dnnl_data_type_t type, dnnl_format_tag_t tag) {
    md_t md;
    assert_ok(md_init_by_tag(&md, 2, (dnnl_dims_t){rows, columns}, type, tag));
    return md;
}

static md_t strided(void) {
    md_t md;
    assert_ok(md_init_by_strides(&md, 2, (dnnl_dims_t){32, 16}, dnnl_f32, (dnnl_dims_t){40, 1}));
    return md;
}

static md_t nothing(void) {
    return (md_t){0};
}

/* One change to a default attribute: its name, its verbose string, the part that it belongs to, and the code
 * that changes attribute `a` and its post-ops `p`. Every primitive accepts changes that belong to no part. */
#define CHANGES(X)                                                                                           \
    X(scratchpad, "attr-scratchpad:user", 0, dnnl_primitive_attr_set_scratchpad_mode(a, 1))                  \
    X(deterministic, "attr-deterministic:1", 0, dnnl_primitive_attr_set_deterministic(a, 1))                 \
    X(fpmath, "attr-fpmath:bf16", ATTR_FPMATH, dnnl_primitive_attr_set_fpmath_mode(a, 1))                    \
    X(fpmath_int, "attr-fpmath:strict:true", ATTR_FPMATH, dnnl_primitive_attr_set_fpmath_mode_v2(a, 0, 1))   \
    X(accumulation, "attr-acc-mode:relaxed", ATTR_ACCUMULATION,                                              \
      dnnl_primitive_attr_set_accumulation_mode(a, dnnl_accumulation_mode_relaxed))                          \
    X(rounding, "attr-rounding-mode:dst:stochastic", ATTR_ROUNDING,                                          \
      dnnl_primitive_attr_set_rounding(a, DNNL_ARG_DST, dnnl_rounding_mode_stochastic))                      \
    X(scale, "attr-scales:src0:0:f32", ATTR_SCALES, dnnl_primitive_attr_set_scales_mask(a, DNNL_ARG_SRC, 0)) \
    X(scale_mask, "attr-scales:src0:1:f32", ATTR_SCALES,                                                     \
      dnnl_primitive_attr_set_scales_mask(a, DNNL_ARG_SRC, 1))                                               \
    X(scale_type, "attr-scales:src0:0:f16", ATTR_SCALES,                                                     \
      dnnl_primitive_attr_set_scales(a, DNNL_ARG_SRC, 0, 0, NULL, dnnl_f16))                                 \
    X(scale_host, "attr-scales:wei:0:f32:host_scalar", ATTR_SCALES,                                          \
      dnnl_primitive_attr_set_scales_v2(a, DNNL_ARG_WEIGHTS, 0, 0, NULL, dnnl_f32, 1))                       \
    X(scale_source, "attr-scales:msrc15:0:f32", ATTR_SCALES,                                                 \
      dnnl_primitive_attr_set_scales_mask(a, DNNL_ARG_MULTIPLE_SRC + 15, 0))                                 \
    X(scale_depthwise, "attr-scales:attr_post_op_dw_wei:2:f32", ATTR_SCALES,                                 \
      dnnl_primitive_attr_set_scales_mask(a, DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_WEIGHTS, 2))                \
    X(scale_groups, "attr-scales:wei:3:f16:32x1", ATTR_SCALES | ATTR_GROUPS,                                 \
      dnnl_primitive_attr_set_scales(a, DNNL_ARG_WEIGHTS, 3, 2, (dnnl_dims_t){32, 1}, dnnl_f16))             \
    X(scale_dynamic, "attr-scales:dst:3:e8m0:1x32:dynamic_mx", ATTR_SCALES | ATTR_GROUPS,                    \
      dnnl_primitive_attr_set_scales_v3(a, DNNL_ARG_DST, 3, 2, (dnnl_dims_t){1, 32}, dnnl_e8m0, 0,           \
                                        dnnl_quantization_mode_dynamic_mx))                                  \
    X(zero_point, "attr-zero-points:src0:0:s32", ATTR_ZERO_POINTS,                                           \
      dnnl_primitive_attr_set_zero_points_mask(a, DNNL_ARG_SRC, 0))                                          \
    X(zero_point_host, "attr-zero-points:src0:0:s32:host_scalar", ATTR_ZERO_POINTS,                          \
      dnnl_primitive_attr_set_zero_points_v2(a, DNNL_ARG_SRC, 0, 0, NULL, dnnl_s32, 1))                      \
    X(zero_point_groups, "attr-zero-points:wei:3:u4:32x1", ATTR_ZERO_POINTS | ATTR_GROUPS,                   \
      dnnl_primitive_attr_set_zero_points(a, DNNL_ARG_WEIGHTS, 3, 2, (dnnl_dims_t){32, 1}, dnnl_u4))         \
    X(precomputed, "attr-precomputed-reductions:src0:3:s32:1x32", ATTR_PRECOMPUTED,                          \
      dnnl_primitive_attr_set_precomputed_reductions(a, DNNL_ARG_SRC, 3, 2, (dnnl_dims_t){1, 32}, dnnl_s32)) \
    X(rnn_data, "rnn_data_qparams:2.5:64;", ATTR_RNN, dnnl_primitive_attr_set_rnn_data_qparams(a, 2.5f, 64)) \
    X(rnn_weights, "", ATTR_RNN, dnnl_primitive_attr_set_rnn_weights_qparams(a, 2, 24, (float[]){1.5f, 2}))  \
    X(rnn_weights_value, "", ATTR_RNN,                                                                       \
      dnnl_primitive_attr_set_rnn_weights_qparams(a, 2, 24, (float[]){1.5f, 3}))                             \
    X(rnn_projection, "", ATTR_RNN,                                                                          \
      dnnl_primitive_attr_set_rnn_weights_projection_qparams(a, 1, 0, (float[]){1.5f}))                      \
    X(dropout, "attr-dropout:ab:s32:0:0", ATTR_DROPOUT,                                                      \
      dnnl_primitive_attr_set_dropout(a, &(md_t[]){tagged(32, 16, dnnl_u8, dnnl_ab)}[0]))                    \
    X(dropout_any, "attr-dropout:any:s64:1:1", ATTR_DROPOUT,                                                 \
      dnnl_primitive_attr_set_dropout_v2(a, &(md_t[]){tagged(32, 16, dnnl_u8, dnnl_format_tag_any)}[0],      \
                                         dnnl_s64, 1, 1))                                                    \
    X(dropout_no_mask, "attr-dropout:undef:s64:0:1", ATTR_DROPOUT,                                           \
      dnnl_primitive_attr_set_dropout_v2(a, &(md_t[]){nothing()}[0], dnnl_s64, 0, 1))                        \
    X(sum, "attr-post-ops:sum", ATTR_POST_OPS, dnnl_post_ops_append_sum(p, 1, 0, dnnl_data_type_undef))      \
    X(sum_scale, "attr-post-ops:sum:2.5", ATTR_POST_OPS, dnnl_post_ops_append_sum(p, 2.5f, 0, 0))            \
    X(sum_zero, "attr-post-ops:sum:1:3", ATTR_POST_OPS, dnnl_post_ops_append_sum(p, 1, 3, 0))                \
    X(sum_type, "attr-post-ops:sum:1:0:s8", ATTR_POST_OPS, dnnl_post_ops_append_sum(p, 1, 0, dnnl_s8))       \
    X(relu, "attr-post-ops:eltwise_relu", ATTR_POST_OPS,                                                     \
      dnnl_post_ops_append_eltwise(p, dnnl_eltwise_relu, 0, 0))                                              \
    X(relu_alpha, "attr-post-ops:eltwise_relu:0.1", ATTR_POST_OPS,                                           \
      dnnl_post_ops_append_eltwise(p, dnnl_eltwise_relu, 0.1f, 0))                                           \
    X(linear_beta, "attr-post-ops:eltwise_linear:0:1", ATTR_POST_OPS,                                        \
      dnnl_post_ops_append_eltwise(p, dnnl_eltwise_linear, 0, 1))                                            \
    X(linear, "attr-post-ops:eltwise_linear:0.333333:1.23457e+08", ATTR_POST_OPS,                            \
      dnnl_post_ops_append_eltwise(p, dnnl_eltwise_linear, 1.0f / 3, 123456789.0f))                          \
    X(binary_row, "attr-post-ops:binary_add:f32:2", ATTR_POST_OPS,                                           \
      dnnl_post_ops_append_binary(p, dnnl_binary_add, &(md_t[]){tagged(1, 16, dnnl_f32, dnnl_ab)}[0]))       \
    X(binary_one, "attr-post-ops:binary_mul:f32:0", ATTR_POST_OPS,                                           \
      dnnl_post_ops_append_binary(p, dnnl_binary_mul, &(md_t[]){tagged(1, 1, dnnl_f32, dnnl_ab)}[0]))        \
    X(binary_full, "attr-post-ops:binary_mul:bf16:3:ba", ATTR_POST_OPS,                                      \
      dnnl_post_ops_append_binary(p, dnnl_binary_mul, &(md_t[]){tagged(32, 16, dnnl_bf16, dnnl_ba)}[0]))     \
    X(binary_any, "attr-post-ops:binary_mul:f32:3:any", ATTR_POST_OPS,                                       \
      dnnl_post_ops_append_binary(p, dnnl_binary_mul,                                                        \
                                  &(md_t[]){tagged(32, 16, dnnl_f32, dnnl_format_tag_any)}[0]))              \
    X(binary_strides, "attr-post-ops:binary_mul:f32:3:ab:40x1", ATTR_POST_OPS,                               \
      dnnl_post_ops_append_binary(p, dnnl_binary_mul, &(md_t[]){strided()}[0]))                              \
    X(select, "attr-post-ops:binary_select:f32:3:ab", ATTR_POST_OPS,                                         \
      dnnl_post_ops_append_binary_v2(p, dnnl_binary_select, &(md_t[]){tagged(32, 16, dnnl_f32, dnnl_ab)}[0], \
                                     &(md_t[]){tagged(32, 16, dnnl_s8, dnnl_ab)}[0]))                        \
    X(select_row, "attr-post-ops:binary_select:f32:3:ab", ATTR_POST_OPS,                                     \
      dnnl_post_ops_append_binary_v2(p, dnnl_binary_select, &(md_t[]){tagged(32, 16, dnnl_f32, dnnl_ab)}[0], \
                                     &(md_t[]){tagged(1, 16, dnnl_s8, dnnl_ab)}[0]))                         \
    X(prelu, "attr-post-ops:prelu:2", ATTR_POST_OPS, dnnl_post_ops_append_prelu(p, 2))                       \
    X(depthwise, "attr-post-ops:dw:k3s1p1", ATTR_POST_OPS,                                                   \
      dnnl_post_ops_append_dw(p, dnnl_f32, dnnl_f32, dnnl_f32, 3, 1, 1))                                     \
    X(depthwise_bias, "attr-post-ops:dw:k3s1p1", ATTR_POST_OPS,                                              \
      dnnl_post_ops_append_dw(p, dnnl_f32, dnnl_data_type_undef, dnnl_f32, 3, 1, 1))                         \
    X(depthwise_u8, "attr-post-ops:dw:k5s2p2:u8", ATTR_POST_OPS,                                             \
      dnnl_post_ops_append_dw(p, dnnl_s8, dnnl_f32, dnnl_u8, 5, 2, 2))

#define DEFINE(name, text, parts, call)                                                                      \
    static dnnl_status_t change_##name(attr_t *a) {                                                          \
        struct dnnl_post_ops *p = &a->post_ops;                                                              \
        (void)p;                                                                                             \
        return call;                                                                                         \
    }
CHANGES(DEFINE)

#define ROW(name, text, parts, call) {#name, text, parts, change_##name},
static const struct change {
    const char *name, *text;
    unsigned parts;
    dnnl_status_t (*make)(attr_t *);
} changes[] = {CHANGES(ROW)};

static attr_t changed(const struct change *change) {
    attr_t attr;
    attr_init(&attr);
    assert_ok(change->make(&attr));
    return attr;
}

static void defaults(void **state) {
    (void)state;
    attr_t attr;
    char text[8];
    attr_init(&attr);
    assert_true(attr_only_has(&attr, 0));
    assert_int_equal(attr_to_string(&attr, text, sizeof(text)), 0);
    assert_string_equal(text, "");
    attr_clear(&attr);
}

static void every_change_shows(void **state) {
    (void)state;
    attr_t plain;
    attr_init(&plain);
    for (int i = 0; i < COUNT(changes); i++) {
        attr_t attr = changed(&changes[i]), again = changed(&changes[i]);
        if (attr_equal(&attr, &plain)) fail_msg("%s equals the default", changes[i].name);
        if (attr_hash(&attr, 1) == attr_hash(&plain, 1))
            fail_msg("%s hashes as the default", changes[i].name);
        if (!attr_equal(&attr, &again)) fail_msg("%s differs from itself", changes[i].name);
        assert_int_equal(attr_hash(&attr, 1), attr_hash(&again, 1));
        attr_clear(&attr);
        attr_clear(&again);
    }
}

static void changes_differ(void **state) {
    (void)state;
    for (int i = 0; i < COUNT(changes); i++)
        for (int k = 0; k < i; k++) {
            attr_t a = changed(&changes[i]), b = changed(&changes[k]);
            if (attr_equal(&a, &b)) fail_msg("%s equals %s", changes[i].name, changes[k].name);
            if (attr_hash(&a, 1) == attr_hash(&b, 1))
                fail_msg("%s hashes as %s", changes[i].name, changes[k].name);
            attr_clear(&a);
            attr_clear(&b);
        }
}

static void parts(void **state) {
    (void)state;
    for (int i = 0; i < COUNT(changes); i++) {
        attr_t attr = changed(&changes[i]);
        if (!attr_only_has(&attr, changes[i].parts)) fail_msg("%s has other parts", changes[i].name);
        for (unsigned part = 1; part <= ATTR_GROUPS; part <<= 1)
            if ((changes[i].parts & part) && attr_only_has(&attr, ~part))
                fail_msg("%s does not have part %#x", changes[i].name, part);
        attr_clear(&attr);
    }
}

/* An unknown rounding mode can be stored, but no primitive may accept it. */
static void unknown_rounding(void **state) {
    (void)state;
    attr_t attr;
    attr_init(&attr);
    assert_ok(dnnl_primitive_attr_set_rounding(&attr, DNNL_ARG_DST, (dnnl_rounding_mode_t)7));
    assert_false(attr_only_has(&attr, ~0u));
    assert_ok(dnnl_primitive_attr_set_rounding(&attr, DNNL_ARG_DST, dnnl_rounding_mode_environment));
    assert_true(attr_only_has(&attr, 0));
    attr_clear(&attr);
}

static void strings(void **state) {
    (void)state;
    for (int i = 0; i < COUNT(changes); i++) {
        attr_t attr = changed(&changes[i]);
        char text[256], cut[9];
        int length = attr_to_string(&attr, text, sizeof(text));
        if (strcmp(text, changes[i].text) != 0) fail_msg("%s: %s", changes[i].name, text);
        assert_int_equal(length, strlen(text));
        assert_int_equal(attr_to_string(&attr, cut, sizeof(cut)), length);
        assert_true(strncmp(cut, text, sizeof(cut) - 1) == 0 && strlen(cut) < sizeof(cut));
        attr_clear(&attr);
    }
}

static void long_string(void **state) {
    (void)state;
    attr_t a;
    char text[512];
    attr_init(&a);
    assert_ok(dnnl_primitive_attr_set_scales_mask(&a, DNNL_ARG_WEIGHTS, 2));
    assert_ok(dnnl_primitive_attr_set_scales_mask(&a, DNNL_ARG_DST, 0));
    assert_ok(dnnl_primitive_attr_set_scales_mask(&a, DNNL_ARG_SRC, 0));
    assert_ok(dnnl_primitive_attr_set_zero_points_mask(&a, DNNL_ARG_SRC, 0));
    assert_ok(dnnl_primitive_attr_set_scratchpad_mode(&a, dnnl_scratchpad_mode_user));
    assert_ok(dnnl_primitive_attr_set_fpmath_mode(&a, dnnl_fpmath_mode_bf16));
    assert_ok(dnnl_primitive_attr_set_accumulation_mode(&a, dnnl_accumulation_mode_any));
    assert_ok(dnnl_primitive_attr_set_deterministic(&a, 1));
    assert_ok(dnnl_primitive_attr_set_rounding(&a, DNNL_ARG_DST, dnnl_rounding_mode_stochastic));
    assert_ok(dnnl_post_ops_append_sum(&a.post_ops, 1, 0, dnnl_data_type_undef));
    assert_ok(dnnl_post_ops_append_eltwise(&a.post_ops, dnnl_eltwise_relu, 0, 0));
    assert_ok(dnnl_post_ops_append_prelu(&a.post_ops, 2));
    attr_to_string(&a, text, sizeof(text));
    assert_string_equal(text, "attr-scratchpad:user attr-fpmath:bf16 attr-acc-mode:any "
                              "attr-rounding-mode:dst:stochastic attr-deterministic:1 "
                              "attr-scales:src0:0:f32+dst:0:f32+wei:2:f32 attr-zero-points:src0:0:s32 "
                              "attr-post-ops:sum+eltwise_relu+prelu:2");
    attr_clear(&a);
}

static void copies_are_deep(void **state) {
    (void)state;
    for (int i = 0; i < COUNT(changes); i++) {
        attr_t attr = changed(&changes[i]), copy;
        assert_ok(attr_copy(&copy, &attr));
        assert_true(attr_equal(&copy, &attr));
        attr_clear(&attr);
        attr_t again = changed(&changes[i]);
        assert_true(attr_equal(&copy, &again));
        attr_clear(&copy);
        attr_clear(&again);
    }
}

static void quants_keep_order(void **state) {
    (void)state;
    struct quants quants = {0};
    for (int i = 199; i >= 0; i--) {
        struct quant quant = {.arg = DNNL_ARG_MULTIPLE_SRC + i, .mask = i};
        assert_ok(quants_set(&quants, &quant));
    }
    assert_int_equal(quants.count, 200);
    for (int i = 0; i < 200; i++)
        assert_int_equal(quants.entries[i].arg, DNNL_ARG_MULTIPLE_SRC + i);
    struct quant other = {.arg = DNNL_ARG_MULTIPLE_SRC + 7, .mask = 1000};
    assert_ok(quants_set(&quants, &other));
    assert_int_equal(quants.count, 200);
    assert_int_equal(quants_find(&quants, DNNL_ARG_MULTIPLE_SRC + 7)->mask, 1000);
    assert_null(quants_find(&quants, DNNL_ARG_SRC));
    free(quants.entries);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(defaults),          cmocka_unit_test(every_change_shows),
            cmocka_unit_test(changes_differ),    cmocka_unit_test(parts),
            cmocka_unit_test(unknown_rounding),  cmocka_unit_test(strings),
            cmocka_unit_test(long_string),       cmocka_unit_test(copies_are_deep),
            cmocka_unit_test(quants_keep_order),
    };
    return cmocka_run_group_tests_name("core.attr", tests, NULL, NULL);
}
