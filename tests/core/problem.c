/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Problems as data: equality and hash cover every field, copies are deep, and verbose lines of each kind of
 * primitive are those of oneDNN 3.13, from which the expected strings are taken.
 */
#define _GNU_SOURCE
#include "core/problem.h"
#include "test.h"

#include <stdio.h>

/* Tensors are spelled "arg:tag:2x3x4", all f32. The tag "any" leaves the layout undefined; "any=acdb" also
 * gives the layout that was chosen. */
static void add_tensor(struct problem *problem, const char *spec, bool decided) {
    int arg, used;
    char tag[32], dims_text[64];
    assert_int_equal(sscanf(spec, "%d:%31[^:]:%63s%n", &arg, tag, dims_text, &used), 3);
    dnnl_dims_t dims = {0};
    int ndims = 0;
    for (char *rest = dims_text; *rest; rest += *rest == 'x')
        dims[ndims++] = *rest == '*' ? (rest++, DNNL_RUNTIME_DIM_VAL) : strtol(rest, &rest, 10);
    md_t md;
    const char *became = strchr(tag, '=');
    if (strncmp(tag, "any", 3) == 0 && !(decided && became))
        assert_ok(md_init(&md, ndims, dims, dnnl_f32, dnnl_format_kind_any));
    else
        assert_ok(md_init_by_string(&md, ndims, dims, dnnl_f32, became ? became + 1 : tag));
    problem_add(problem, arg, false, &md);
}

static struct problem make(struct problem fields, const char *tensors, bool decided) {
    struct problem problem;
    assert_ok(problem_init(&problem, fields.kind, 24));
    fields.tensors = problem.tensors;
    fields.capacity = problem.capacity;
    problem = fields;
    char *text = strdup(tensors);
    for (char *spec = strtok(text, " "); spec; spec = strtok(NULL, " "))
        add_tensor(&problem, spec, decided);
    free(text);
    return problem;
}

static const struct text_case {
    struct problem fields;
    const char *tensors;
    const char *mds, *aux, *shape;
} cases[] = {
        {{.kind = dnnl_convolution,
          .prop = dnnl_forward_inference,
          .alg = dnnl_convolution_direct,
          .strides = {2, 2},
          .padding_l = {1, 1},
          .padding_r = {1, 1}},
         "1:acdb:2x8x7x7 33:abcd:16x8x3x3 41:a:16 17:acdb:2x16x4x4",
         "src:f32::blocked:acdb::f0 wei:f32::blocked:abcd::f0 bia:f32::blocked:a::f0 "
         "dst:f32::blocked:acdb::f0",
         "alg:convolution_direct",
         "mb2_ic8oc16_ih7oh4kh3sh2dh0ph1_iw7ow4kw3sw2dw0pw1"},
        {{.kind = dnnl_convolution,
          .prop = dnnl_forward_training,
          .alg = dnnl_convolution_direct,
          .strides = {1, 1},
          .dilates = {1, 1},
          .padding_l = {1, 1}},
         "1:any=aBcd4b:2x8x7x7 33:any=aBCde4c4b:2x8x4x3x3 17:any=aBcd4b:2x16x5x5",
         "src:f32:a:blocked:aBcd4b::f0 wei:f32:a:blocked:aBCde4c4b::f0 bia:undef::undef::: "
         "dst:f32:a:blocked:aBcd4b::f0",
         "alg:convolution_direct",
         "g2mb2_ic8oc16_ih7oh5kh3sh1dh1ph1_iw7ow5kw3sw1dw1pw1"},
        {{.kind = dnnl_convolution,
          .prop = dnnl_backward_data,
          .alg = dnnl_convolution_direct,
          .strides = {1, 1},
          .dilates = {1, 1},
          .padding_l = {1, 1}},
         "145:abcd:2x16x5x5 33:abcde:2x8x4x3x3 129:acdb:2x8x7x7",
         "src:f32::blocked:acdb::f0 wei:f32::blocked:abcde::f0 bia:undef::undef::: dst:f32::blocked:abcd::f0",
         "alg:convolution_direct",
         "g2mb2_ic8oc16_ih7oh5kh3sh1dh1ph1_iw7ow5kw3sw1dw1pw1"},
        {{.kind = dnnl_convolution,
          .prop = dnnl_backward_weights,
          .alg = dnnl_convolution_direct,
          .strides = {2},
          .padding_l = {1}},
         "1:abc:2x8x7 145:acb:2x16x4 161:abc:16x8x3 169:a:16",
         "src:f32::blocked:abc::f0 wei:f32::blocked:abc::f0 bia:f32::blocked:a::f0 dst:f32::blocked:acb::f0",
         "alg:convolution_direct",
         "mb2_ic8oc16_iw7ow4kw3sw2dw0pw1"},
        {{.kind = dnnl_deconvolution,
          .prop = dnnl_forward_training,
          .alg = dnnl_deconvolution_direct,
          .strides = {2, 2, 2},
          .padding_l = {1, 1, 1}},
         "1:acdeb:2x8x4x4x4 33:abcde:16x8x3x3x3 17:acdeb:2x16x7x7x7",
         "src:f32::blocked:acdeb::f0 wei:f32::blocked:abcde::f0 bia:undef::undef::: "
         "dst:f32::blocked:acdeb::f0",
         "alg:deconvolution_direct",
         "mb2_ic8oc16_id4od7kd3sd2dd0pd1_ih4oh7kh3sh2dh0ph1_iw4ow7kw3sw2dw0pw1"},
        {{.kind = dnnl_eltwise,
          .prop = dnnl_forward_training,
          .alg = dnnl_eltwise_linear,
          .alpha = 0.25f,
          .beta = 1e-7f},
         "1:abcd:2x3x4x5 17:abcd:2x3x4x5",
         "data:f32::blocked:abcd::f0",
         "alg:eltwise_linear alpha:0.25 beta:1e-07",
         "2x3x4x5"},
        {{.kind = dnnl_eltwise, .prop = dnnl_backward_data, .alg = dnnl_eltwise_tanh_use_dst_for_bwd},
         "17:abcd:2x3x4x5 145:any=abcd:2x3x4x5 129:any=abcd:2x3x4x5",
         "data:f32::blocked:abcd::f0 diff:f32:a:blocked:abcd::f0",
         "alg:eltwise_tanh_use_dst_for_bwd alpha:0 beta:0",
         "2x3x4x5"},
        {{.kind = dnnl_lrn,
          .prop = dnnl_forward_training,
          .alg = dnnl_lrn_within_channel,
          .local_size = 5,
          .beta = 0.75f},
         "1:abcde:2x16x3x4x5 17:abcde:2x16x3x4x5 64:abcde:2x16x3x4x5",
         "data:f32::blocked:abcde::f0",
         "alg:lrn_within_channel",
         "mb2ic16id3ih4iw5ls5beta0.75"},
        {{.kind = dnnl_lrn,
          .prop = dnnl_backward_data,
          .alg = dnnl_lrn_across_channels,
          .local_size = 5,
          .beta = 0.5f},
         "1:abcd:2x16x4x5 145:abcd:2x16x4x5 129:abcd:2x16x4x5",
         "data:f32::blocked:abcd::f0 diff:f32::blocked:abcd::f0",
         "alg:lrn_across_channels",
         "mb2ic16ih4iw5ls5beta0.5"},
        {{.kind = dnnl_pooling,
          .prop = dnnl_forward_training,
          .alg = dnnl_pooling_max,
          .strides = {2, 2},
          .kernel = {2, 2},
          .padding_r = {1, 1}},
         "1:acdb:2x16x7x7 17:any=acdb:2x16x4x4 64:acdb:2x16x4x4",
         "src:f32::blocked:acdb::f0 dst:f32:a:blocked:acdb::f0 ws:f32::blocked:acdb::f0",
         "alg:pooling_max",
         "mb2ic16_ih7oh4kh2sh2dh0ph0_iw7ow4kw2sw2dw0pw0"},
        {{.kind = dnnl_softmax, .prop = dnnl_forward_training, .alg = dnnl_softmax_log, .axis = 1},
         "1:abcd:2x3x4x5 17:abcd:2x3x4x5",
         "src:f32::blocked:abcd::f0 dst:f32::blocked:abcd::f0",
         "alg:softmax_log axis:1",
         "2x3x4x5"},
        {{.kind = dnnl_softmax, .prop = dnnl_backward_data, .alg = dnnl_softmax_accurate, .axis = 1},
         "17:abcd:2x3x4x5 145:acdb:2x3x4x5 129:any=acdb:2x3x4x5",
         "src:f32:a:blocked:acdb::f0 dst:f32::blocked:abcd::f0 diff_dst:f32::blocked:acdb::f0",
         "alg:softmax_accurate axis:1",
         "2x3x4x5"},
        {{.kind = dnnl_batch_normalization, .prop = dnnl_forward_training, .flags = 0xf},
         "1:abcd:2x16x4x5 17:abcd:2x16x4x5 49:a:16 50:a:16",
         "data:f32::blocked:abcd::f0",
         "flags:GCHR",
         "mb2ic16ih4iw5"},
        {{.kind = dnnl_batch_normalization, .prop = dnnl_backward, .flags = 0},
         "1:ab:2x16 145:ab:2x16 129:ab:2x16",
         "data:f32::blocked:ab::f0 diff:f32::blocked:ab::f0",
         "flags:",
         "mb2ic16"},
        {{.kind = dnnl_group_normalization,
          .prop = dnnl_backward_data,
          .group_size = 4,
          .flags = dnnl_use_scale},
         "1:abcd:2x16x4x5 145:acdb:2x16x4x5 129:any=abcd:2x16x4x5",
         "src:f32::blocked:abcd::f0 dst:f32::blocked:acdb::f0 diff_src:f32:a:blocked:abcd::f0",
         "flags:C",
         "g4mb2ic16ih4iw5"},
        {{.kind = dnnl_layer_normalization,
          .prop = dnnl_forward_inference,
          .flags = dnnl_rms_norm | dnnl_use_shift},
         "1:abc:2x3x16 17:abc:2x3x16 52:a:16",
         "src:f32::blocked:abc::f0 dst:f32::blocked:abc::f0 stats:undef::undef::: shift:f32::blocked:a::f0",
         "flags:HM",
         "2x3x16"},
        {{.kind = dnnl_layer_normalization, .prop = dnnl_backward, .flags = dnnl_use_scale | dnnl_use_shift},
         "1:abc:2x3x16 145:abc:2x3x16 49:ab:2x3 50:ab:2x3 51:a:16 129:abc:2x3x16 255:a:16 256:a:16",
         "src:f32::blocked:abc::f0 dst:f32::blocked:abc::f0 stats:f32::blocked:ab::f0 "
         "scale:f32::blocked:a::f0 shift:f32::blocked:a::f0 diff_src:f32::blocked:abc::f0 "
         "diff_scale:f32::blocked:a::f0 diff_shift:f32::blocked:a::f0",
         "flags:CH",
         "2x3x16"},
        {{.kind = dnnl_inner_product, .prop = dnnl_forward_training},
         "1:any=acdb:2x16x4x5 33:any=acdb:10x16x4x5 41:any=a:10 17:any=ab:2x10",
         "src:f32:a:blocked:acdb::f0 wei:f32:a:blocked:acdb::f0 bia:f32:a:blocked:a::f0 "
         "dst:f32:a:blocked:ab::f0",
         "",
         "mb2ic16ih4iw5oc10"},
        {{.kind = dnnl_inner_product, .prop = dnnl_backward_data},
         "145:ab:2x10 33:ab:10x16 129:ab:2x16",
         "src:f32::blocked:ab::f0 wei:f32::blocked:ab::f0 bia:undef::undef::: dst:f32::blocked:ab::f0",
         "",
         "mb2ic16oc10"},
        {{.kind = dnnl_matmul},
         "1:ab:3x4 33:ab:4x5 41:ab:1x5 17:ab:3x5",
         "src:f32::blocked:ab::f0 wei:f32::blocked:ab::f0 bia:f32::blocked:ab::f0_mask2 "
         "dst:f32::blocked:ab::f0",
         "",
         "3x4:4x5"},
        {{.kind = dnnl_matmul},
         "1:ab:*x64 33:ab:64x* 17:ab:*x*",
         "src:f32::blocked:ab::f0 wei:f32::blocked:*::f0 dst:f32::blocked:*::f0",
         "runtime_dims_masks:1:2",
         "*x64:64x*"},
        {{.kind = dnnl_binary, .alg = dnnl_binary_select},
         "1:abcd:2x3x4x5 2:abcd:2x1x4x5 3:abcd:2x3x4x5 17:abcd:2x3x4x5",
         "src:f32::blocked:abcd::f0 src:f32::blocked:abcd::f0 src:f32::blocked:abcd::f0 "
         "dst:f32::blocked:abcd::f0",
         "alg:binary_select",
         "2x3x4x5:2x1x4x5:2x3x4x5"},
        {{.kind = dnnl_sum},
         "1024:abcd:2x3x4x5 1025:abcd:2x3x4x5 17:any=abcd:2x3x4x5",
         "src:f32::blocked:abcd::f0 src:f32::blocked:abcd::f0 dst:f32:a:blocked:abcd::f0",
         "",
         "2x3x4x5"},
        {{.kind = dnnl_concat, .axis = 1},
         "1024:abcd:2x3x4x5 1025:abcd:2x6x4x5 17:abcd:2x9x4x5",
         "src:f32::blocked:abcd::f0 src:f32::blocked:abcd::f0 dst:f32::blocked:abcd::f0",
         "axis:1",
         "2x3x4x5:2x6x4x5"},
        {{.kind = dnnl_reorder},
         "1:abcd:2x3x4x5 17:aBcd16b:2x3x4x5",
         "src:f32::blocked:abcd::f0 dst:f32:p:blocked:aBcd16b::f0",
         "",
         "2x3x4x5"},
        {{.kind = dnnl_reduction, .alg = dnnl_reduction_norm_lp_max, .alpha = 2.5f, .beta = 0.5f},
         "1:abcd:2x3x4x5 17:abcd:2x1x4x5",
         "src:f32::blocked:abcd::f0 dst:f32::blocked:abcd::f0",
         "alg:reduction_norm_lp_max p:2.5 eps:0.5",
         "2x3x4x5:2x1x4x5"},
        {{.kind = dnnl_prelu, .prop = dnnl_backward},
         "1:abcd:2x3x4x5 33:any=abcd:1x3x1x1 145:acdb:2x3x4x5 129:any=acdb:2x3x4x5 161:any=abcd:1x3x1x1",
         "data:f32::blocked:abcd::f0 wei:f32:a:blocked:abcd::f0 diff:f32:a:blocked:acdb::f0 "
         "diff_wei:f32:a:blocked:abcd::f0",
         "",
         "2x3x4x5:1x3x1x1"},
        {{.kind = dnnl_shuffle, .prop = dnnl_backward_data, .axis = 1, .group_size = 3},
         "145:abcd:2x6x4x5 129:abcd:2x6x4x5",
         "data:f32::blocked:abcd::f0",
         "axis:1 group:3",
         "2x6x4x5"},
        {{.kind = dnnl_resampling, .prop = dnnl_forward_training, .alg = dnnl_resampling_nearest},
         "1:abcde:2x6x4x5x3 17:abcde:2x6x8x9x4",
         "src:f32::blocked:abcde::f0 dst:f32::blocked:abcde::f0",
         "alg:resampling_nearest",
         "mb2ic6_id4od8_ih5oh9_iw3ow4"},
        {{.kind = dnnl_resampling, .prop = dnnl_backward_data, .alg = dnnl_resampling_linear},
         "145:abc:2x6x8 129:abc:2x6x4",
         "src:f32::blocked:abc::f0 dst:f32::blocked:abc::f0",
         "alg:resampling_linear",
         "mb2ic6_iw4ow8"},
        {{.kind = dnnl_rnn,
          .prop = dnnl_forward_inference,
          .cell_kind = dnnl_vanilla_lstm,
          .direction = dnnl_unidirectional_left2right,
          .flags = dnnl_rnn_flags_diff_weights_overwrite},
         "1:abc:3x2x4 2:abcd:1x1x2x5 3:abcd:1x1x2x6 33:abcde:1x1x4x4x6 34:abcde:1x1x5x4x6 36:abcd:1x1x6x5 "
         "41:abcd:1x1x4x6 17:abc:3x2x5 18:abcd:1x1x2x5 19:abcd:1x1x2x6",
         "src_layer:f32::blocked:abc::f0 src_iter:f32::blocked:abcd::f0 wei_layer:f32::blocked:abcde::f0 "
         "wei_iter:f32::blocked:abcde::f0 wei_proj:f32::blocked:abcd::f0 bias:f32::blocked:abcd::f0 "
         "dst_layer:f32::blocked:abc::f0 dst_iter:f32::blocked:abcd::f0",
         "alg:vanilla_lstm direction:unidirectional_left2right activation:undef flags:O",
         "l1t3mb2sic5slc4dhc6dic5"},
        {{.kind = dnnl_rnn,
          .prop = dnnl_forward_training,
          .cell_kind = dnnl_vanilla_rnn,
          .activation_kind = dnnl_eltwise_tanh,
          .direction = dnnl_bidirectional_concat},
         "1:abc:3x2x4 33:abcde:1x2x4x1x6 34:abcde:1x2x6x1x6 17:abc:3x2x12",
         "src_layer:f32::blocked:abc::f0 wei_layer:f32::blocked:abcde::f0 wei_iter:f32::blocked:abcde::f0 "
         "dst_layer:f32::blocked:abc::f0",
         "alg:vanilla_rnn direction:bidirectional_concat activation:eltwise_tanh flags:",
         "l1t3mb2sic6slc4dhc6dic6"},
};

static void check_text(const char *text, int length, const char *expected) {
    assert_string_equal(text, expected);
    assert_int_equal(length, strlen(expected));
}

static void strings(void **state) {
    (void)state;
    for (int i = 0; i < COUNT(cases); i++) {
        struct problem request = make(cases[i].fields, cases[i].tensors, false);
        struct problem problem = make(cases[i].fields, cases[i].tensors, true);
        char text[1024], cut[6];
        int length = problem_tensors_to_string(&problem, &request, text, sizeof(text));
        check_text(text, length, cases[i].mds);
        check_text(text, problem_tensors_to_string(&problem, &request, cut, sizeof(cut)), text);
        assert_int_equal(strlen(cut), sizeof(cut) - 1);
        length = problem_aux_to_string(&problem, text, sizeof(text));
        check_text(text, length, cases[i].aux);
        length = problem_shape_to_string(&problem, text, sizeof(text));
        check_text(text, length, cases[i].shape);
        problem_clear(&request);
        problem_clear(&problem);
    }
}

/* Lines about a problem that has no tensors must not crash: a check may fail before they are added. */
static void strings_without_tensors(void **state) {
    (void)state;
    for (int kind = 0; kind <= dnnl_group_normalization; kind++) {
        struct problem problem = make((struct problem){.kind = (dnnl_primitive_kind_t)kind}, "", false);
        char text[256];
        assert_true(problem_tensors_to_string(&problem, &problem, text, sizeof(text)) >= 0);
        assert_true(problem_aux_to_string(&problem, text, sizeof(text)) >= 0);
        assert_true(problem_shape_to_string(&problem, text, sizeof(text)) >= 0);
        problem_clear(&problem);
    }
}

static void cases_differ(void **state) {
    (void)state;
    for (int i = 0; i < COUNT(cases); i++)
        for (int k = 0; k <= i; k++) {
            struct problem a = make(cases[i].fields, cases[i].tensors, true);
            struct problem b = make(cases[k].fields, cases[k].tensors, true);
            assert_int_equal(problem_equal(&a, &b), i == k);
            assert_int_equal(problem_hash(&a, 5) == problem_hash(&b, 5), i == k);
            problem_clear(&a);
            problem_clear(&b);
        }
}

/* Every field except the tensors, by its offset. */
static const struct field {
    const char *name;
    size_t offset;
} fields[] = {
#define FIELD(member) {#member, offsetof(struct problem, member)}
        FIELD(prop),         FIELD(alg),
        FIELD(flags),        FIELD(strides[0]),
        FIELD(strides[2]),   FIELD(dilates[0]),
        FIELD(dilates[2]),   FIELD(kernel[0]),
        FIELD(padding_l[1]), FIELD(padding_r[1]),
        FIELD(alpha),        FIELD(beta),
        FIELD(epsilon),      FIELD(k),
        FIELD(local_size),   FIELD(group_size),
        FIELD(axis),         FIELD(direction),
        FIELD(factors[0]),   FIELD(factors[2]),
        FIELD(cell_kind),    FIELD(activation_kind),
#undef FIELD
};

static void every_field_is_compared(void **state) {
    (void)state;
    for (int i = 0; i < COUNT(fields); i++) {
        struct problem a = make(cases[0].fields, cases[0].tensors, true);
        struct problem b = make(cases[0].fields, cases[0].tensors, true);
        assert_true(problem_equal(&a, &b));
        assert_int_equal(problem_hash(&a, 5), problem_hash(&b, 5));
        ((unsigned char *)&b)[fields[i].offset] ^= 0x10;
        if (problem_equal(&a, &b)) fail_msg("%s is not compared", fields[i].name);
        if (problem_hash(&a, 5) == problem_hash(&b, 5)) fail_msg("%s is not hashed", fields[i].name);
        problem_clear(&a);
        problem_clear(&b);
    }
}

static void tensors_are_compared(void **state) {
    (void)state;
    static const char *const variants[] = {
            "1:acdb:2x8x7x7 33:abcd:16x8x3x3 17:acdb:2x16x4x4",
            "1:abcd:2x8x7x7 33:abcd:16x8x3x3 17:acdb:2x16x4x4",
            "1:acdb:4x8x7x7 33:abcd:16x8x3x3 17:acdb:2x16x4x4",
            "1:acdb:2x8x7x7 33:abcd:16x8x3x3 145:acdb:2x16x4x4",
            "1:acdb:2x8x7x7 33:any:16x8x3x3 17:acdb:2x16x4x4",
            "1:acdb:2x8x7x7 33:Abcd16a:16x8x3x3 17:acdb:2x16x4x4",
            "1:acdb:2x8x7x7 33:abcd:16x8x3x3",
    };
    for (int i = 0; i < COUNT(variants); i++)
        for (int k = 0; k <= i; k++) {
            struct problem a = make(cases[0].fields, variants[i], false);
            struct problem b = make(cases[0].fields, variants[k], false);
            assert_int_equal(problem_equal(&a, &b), i == k);
            assert_int_equal(problem_hash(&a, 5) == problem_hash(&b, 5), i == k);
            problem_clear(&a);
            problem_clear(&b);
        }
}

/* Backward problems with different forward hints are different, but print the same tensors. */
static void hints_are_compared(void **state) {
    (void)state;
    const struct problem backward = {
            .kind = dnnl_pooling, .prop = dnnl_backward_data, .alg = dnnl_pooling_max};
    const struct problem forward = {
            .kind = dnnl_pooling, .prop = dnnl_forward_training, .alg = dnnl_pooling_max};
    struct problem plain = make(backward, "129:acdb:1x8x4x4 145:acdb:1x8x2x2", true);
    struct problem hint = make(forward, "1:acdb:1x8x4x4 17:acdb:1x8x2x2 64:acdb:1x8x2x2", true);
    struct problem other = make(forward, "1:abcd:1x8x4x4 17:acdb:1x8x2x2 64:acdb:1x8x2x2", true);
    struct problem a, b, c;
    assert_ok(problem_copy(&a, &plain));
    assert_ok(problem_copy(&b, &plain));
    assert_ok(problem_copy(&c, &plain));
    assert_ok(problem_add_hint(&a, &hint));
    assert_ok(problem_add_hint(&b, &hint));
    assert_ok(problem_add_hint(&c, &other));
    assert_true(problem_equal(&a, &b));
    assert_true(problem_hash(&a, 1) == problem_hash(&b, 1));
    assert_false(problem_equal(&a, &plain));
    assert_false(problem_equal(&a, &c));
    assert_true(problem_hash(&a, 1) != problem_hash(&plain, 1));
    assert_true(problem_hash(&a, 1) != problem_hash(&c, 1));
    assert_null(problem_md(&a, DNNL_ARG_WORKSPACE));
    assert_non_null(problem_hint_md(&a, DNNL_ARG_WORKSPACE));
    assert_null(problem_hint_md(&plain, DNNL_ARG_WORKSPACE));
    char with[256], without[256];
    problem_tensors_to_string(&a, &a, with, sizeof with);
    problem_tensors_to_string(&plain, &plain, without, sizeof without);
    assert_string_equal(with, without);
    struct problem *all[] = {&plain, &hint, &other, &a, &b, &c};
    for (int i = 0; i < COUNT(all); i++)
        problem_clear(all[i]);
}

static void copies_and_scales(void **state) {
    (void)state;
    struct problem problem =
            make((struct problem){.kind = dnnl_sum}, "1024:ab:2x3 1025:ab:2x3 17:ab:2x3", false);
    problem.scales = malloc(2 * sizeof(float));
    problem.scales[0] = 1, problem.scales[1] = 2.5f;
    struct problem copy;
    assert_ok(problem_copy(&copy, &problem));
    assert_true(problem_equal(&copy, &problem));
    assert_int_equal(problem_hash(&copy, 1), problem_hash(&problem, 1));
    assert_ptr_not_equal(copy.tensors, problem.tensors);
    copy.scales[1] = 3;
    assert_false(problem_equal(&copy, &problem));
    assert_int_not_equal(problem_hash(&copy, 1), problem_hash(&problem, 1));
    assert_int_equal(copy.capacity, problem.capacity);
    problem_clear(&problem);
    assert_int_equal(copy.ntensors, 3);
    assert_non_null(problem_md(&copy, DNNL_ARG_DST));
    assert_null(problem_md(&copy, DNNL_ARG_SRC));
    problem_add(&copy, DNNL_ARG_SRC, false, NULL);
    problem_add(&copy, DNNL_ARG_SRC, false, &(md_t){0});
    assert_int_equal(copy.ntensors, 3);
    problem_clear(&copy);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(strings),
            cmocka_unit_test(strings_without_tensors),
            cmocka_unit_test(cases_differ),
            cmocka_unit_test(every_field_is_compared),
            cmocka_unit_test(tensors_are_compared),
            cmocka_unit_test(copies_and_scales),
            cmocka_unit_test(hints_are_compared),
    };
    return cmocka_run_group_tests_name("core.problem", tests, NULL, NULL);
}
