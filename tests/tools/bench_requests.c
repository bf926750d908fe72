/* SPDX-License-Identifier: Apache-2.0 */
/* lode-bench: what it reads from verbose lines, tables and descriptions. */
#define _POSIX_C_SOURCE 200809L
#include "bench/input.h"
#include "bench/labels.h"
#include "bench/sweep.h"
#include "bench/work.h"
#include "test.h"

/* The requests of a text. */
static struct requests read_text(const char *text) {
    struct requests requests = {0};
    FILE *file = fmemopen((void *)text, strlen(text), "r");
    assert_non_null(file);
    requests_read(&requests, file);
    fclose(file);
    requests_parse(&requests);
    return requests;
}

/* The one request of a text; the caller's to free. */
static struct request *read_one(const char *text) {
    struct requests requests = read_text(text);
    assert_int_equal(requests.count, 1);
    return requests.list;
}

static void assert_dims(const struct request *request, const char *name, int ndims, const dnnl_dim_t *dims) {
    const struct tensor *tensor = request_tensor(request, name);
    assert_non_null(tensor);
    assert_int_equal(tensor->ndims, ndims);
    for (int d = 0; d < ndims; d++)
        assert_int_equal(tensor->dims[d], dims[d]);
}
#define DIMS(request, name, ...)                                                                             \
    assert_dims(request, name, sizeof((dnnl_dim_t[]){__VA_ARGS__}) / sizeof(dnnl_dim_t),                     \
                (dnnl_dim_t[]){__VA_ARGS__})

static const char convolution[] =
        "onednn_verbose,v1,primitive,exec,cpu,convolution,jit:avx2,forward_inference,"
        "src:u8:a:blocked:acdb::f0 wei:s8:ap:blocked:Abcde8a::f0 bia:f32::blocked:a::f0 "
        "dst:s8:a:blocked:acdb::f0,"
        "attr-scratchpad:user attr-scales:src0:0:f32+wei:3:f32 attr-zero-points:dst:0:s32 "
        "attr-post-ops:sum:0.5:3:u8+eltwise_clip:1e+06:2+binary_add:bf16:2+prelu:3,"
        "alg:convolution_direct,g4mb2_ic8oc16_ih9oh4kh3sh2dh0ph0_iw9ow9kw3sw1dw0pw1,0.25\n";

static void convolution_line(void **state) {
    (void)state;
    struct request *r = read_one(convolution);
    assert_string_equal(r->why, "");
    assert_int_equal(r->kind, dnnl_convolution);
    assert_int_equal(r->direction, dnnl_forward_inference);
    assert_int_equal(r->alg, dnnl_convolution_direct);
    DIMS(r, "src", 2, 8, 9, 9);
    DIMS(r, "wei", 4, 4, 2, 3, 3);
    DIMS(r, "bia", 16);
    DIMS(r, "dst", 2, 16, 4, 9);
    assert_int_equal(r->strides[0], 2);
    assert_int_equal(r->padding_l[1], 1);
    assert_int_equal(r->padding_r[0], 0);
    assert_int_equal(r->padding_r[1], 1);
    assert_true(request_tensor(r, "src")->any);
    assert_false(request_tensor(r, "bia")->any);
    assert_int_equal(request_tensor(r, "wei")->type, dnnl_s8);
    free(r);
}

static void attributes_of_a_line(void **state) {
    (void)state;
    struct request *r = read_one(convolution);
    const struct attributes *a = &r->attributes;
    assert_true(a->user_scratchpad);
    assert_int_equal(a->scale_count, 2);
    assert_int_equal(a->scales[1].arg, DNNL_ARG_WEIGHTS);
    assert_int_equal(a->scales[1].mask, 3);
    assert_int_equal(a->zero_points[0].arg, DNNL_ARG_DST);
    assert_int_equal(a->post_op_count, 4);
    assert_true(a->post_ops[0].kind == dnnl_sum && a->post_ops[0].scale == 0.5f);
    assert_true(a->post_ops[0].zero_point == 3 && a->post_ops[0].type == dnnl_u8);
    assert_true(a->post_ops[1].alg == dnnl_eltwise_clip && a->post_ops[1].alpha == 1e6f
                && a->post_ops[1].beta == 2);
    assert_true(a->post_ops[2].alg == dnnl_binary_add && a->post_ops[2].type == dnnl_bf16
                && a->post_ops[2].mask == 2);
    assert_true(a->post_ops[3].kind == dnnl_prelu && a->post_ops[3].mask == 3);
    free(r);
}

static void grouped_scales(void **state) {
    (void)state;
    struct request *r = read_one("matmul,any,undef,src:f32::blocked:ab::f0 wei:s4::blocked:ba::f0 "
                                 "bia:f32::blocked:ab::f0_mask2 dst:f32::blocked:ab::f0,"
                                 "attr-fpmath:bf16:true attr-scales:wei:3:f16:32x1,,8x64:64x16\n");
    assert_string_equal(r->why, "");
    const struct quant *scale = &r->attributes.scales[0];
    assert_int_equal(scale->type, dnnl_f16);
    assert_int_equal(scale->group_ndims, 2);
    assert_int_equal(scale->groups[0], 32);
    assert_true(r->attributes.fpmath_for_integers);
    assert_int_equal(r->attributes.fpmath, dnnl_fpmath_mode_bf16);
    DIMS(r, "bia", 1, 16);
    DIMS(r, "dst", 8, 16);
    free(r);
}

/* Equal lines are one request; only executions count, unless there are none. */
static void lines_are_counted(void **state) {
    (void)state;
    struct requests requests =
            read_text("noise, not a line\n"
                      "onednn_verbose,v1,info,cpu,runtime:threadpool,nthr:2\n"
                      "onednn_verbose,v1,primitive,create:dispatch,eltwise,cpu,why,f.c:1\n"
                      "onednn_verbose,v1,primitive,create:cache_miss,cpu,eltwise,x,forward_training,"
                      "data:f32::blocked:ab::f0,,alg:eltwise_relu alpha:0 beta:0,2x3,0.1\n"
                      "onednn_verbose,v1,12.5,primitive,exec,cpu,eltwise,x,forward_training,"
                      "data:f32::blocked:ab::f0,,alg:eltwise_relu alpha:0 beta:0,2x3,0.2\n"
                      "onednn_verbose,exec,gpu:0,eltwise,y,forward_training,"
                      "data:f32::blocked:ab::f0,,alg:eltwise_relu alpha:0 beta:0,2x3,0.3\n"
                      "onednn_verbose,v1,primitive,create:cache_miss,cpu,sum,x,undef,"
                      "src:f32::blocked:ab::f0 src:f32::blocked:ab::f0 dst:f32:a:blocked:ab::f0,,,2x3,0.1\n");
    assert_int_equal(requests.count, 2);
    assert_int_equal(requests.list[0].count, 2);
    assert_int_equal(requests.list[1].count, 1);
    DIMS(&requests.list[1], "src1", 2, 3);
    free(requests.list);
}

static void rows_of_a_table(void **state) {
    (void)state;
    struct requests requests = read_text(
            "times\tprimitive\tdirection\tmemory\tattributes\tauxiliary\texample\n"
            "7\treorder\tundef\tsrc:f32::blocked:acdb:strided:f0 dst:s8::blocked:abcd::f0\t\t\t1x6x4x5\n"
            "3\tconcat\tundef\tsrc:f32::blocked:ab::f0 src:f32::blocked:ab::f0 dst:f32:a:blocked:ab::f0\t\t"
            "axis:n\t2x3:2x5\n"
            "1\tsoftmax\tbackward_data\tsrc:f32::blocked:ab::f0 "
            "dst:f32::blocked:ab::f0diff_dst:f32::blocked:ab::f0"
            "\t\talg:softmax_log axis:1\t4x7\n");
    assert_int_equal(requests.count, 3);
    assert_int_equal(requests.list[0].count, 7);
    const struct tensor *src = request_tensor(&requests.list[0], "src");
    const dnnl_dim_t strides[] = {240, 1, 60, 12}; /* of twice as many channels */
    assert_memory_equal(src->strides, strides, sizeof(strides));
    DIMS(&requests.list[1], "dst", 2, 8);
    DIMS(&requests.list[2], "diff_dst", 4, 7);
    free(requests.list);
}

/* What cannot be run says why. */
static void reasons(void **state) {
    static const struct {
        const char *line, *why;
    } rows[] = {
            {"eltwise,x,forward_training,data:f33::blocked:ab::f0,,,2x3\n", "no such type: f33"},
            {"eltwise,x,forward_training,data:f32::blocked:ab:4y1:f0,,,2x3\n",
             "strides 4y1 are not understood"},
            {"eltwise,x,sideways,data:f32::blocked:ab::f0,,,2x3\n", "no such direction: sideways"},
            {"eltwise,x,forward_training,data:f32::blocked:ab::f0,,alg:eltwise_none,2x3\n",
             "no such algorithm: eltwise_none"},
            {"eltwise,x,forward_training,data:f32::blocked:ab::f0,attr-new:1,alg:eltwise_relu,2x3\n",
             "attribute attr-new:1 is not supported"},
            {"reorder,x,undef,src:f32::blocked:ab::f0 dst:s8::blocked:BA4b::f3:s8m1,,,2x3\n",
             "only a primitive can ask for the layout of dst"},
            {"matmul,x,undef,src:f32::blocked:ab::f0 wei:f32::blocked:ab::f0 dst:f32::blocked:ab::f0,,,2x3\n",
             "two shapes are needed, such as 16x32:32x8"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct request *r = read_one(rows[i].line);
        assert_string_equal(r->why, rows[i].why);
        free(r);
    }
}

static void descriptions(void **state) {
    (void)state;
    struct requests requests = {0};
    requests_describe(&requests, &(struct description){.kind = "convolution",
                                                       .types = "u8:s8:f32",
                                                       .shape = "mb1_ic8oc4_ih5oh5kh3ph1_iw5ow5kw3pw1",
                                                       .bias = "f32"});
    requests_describe(
            &requests,
            &(struct description){.kind = "matmul", .types = "f32", .shape = "2x3:3x4", .tags = "ab:ba:ab"});
    requests_parse(&requests);
    const struct request *first = &requests.list[0], *second = &requests.list[1];
    assert_string_equal(first->why, "");
    assert_string_equal(second->why, "");
    assert_true(request_tensor(first, "wei")->any);
    assert_int_equal(request_tensor(first, "dst")->type, dnnl_f32);
    assert_null(request_tensor(second, "bia"));
    assert_string_equal(request_tensor(second, "wei")->tag, "ba");
    struct label label = request_label(first);
    assert_string_equal(label.types, "u8:s8:f32");
    assert_string_equal(label.shape, "1x8x5x5 oc4 k3 p1");
    free(requests.list);
}

static void recurrent_line(void **state) {
    (void)state;
    struct request *r = read_one(
            "rnn,ref,forward_inference,src_layer:f32::blocked:abc::f0 src_iter:f32::blocked:abcd::f0 "
            "wei_layer:f32:a:blocked:abcde::f0 wei_iter:f32:a:blocked:abcde::f0 "
            "bias:f32::blocked:abcd::f0 dst_layer:f32::blocked:abc::f0,,alg:vanilla_lstm "
            "direction:bidirectional_concat activation:undef flags:,l2t3mb4sic5slc6dhc5dic5\n");
    assert_string_equal(r->why, "");
    assert_int_equal(r->rnn_direction, dnnl_bidirectional_concat);
    DIMS(r, "src_layer", 3, 4, 6);
    DIMS(r, "wei_layer", 2, 2, 6, 4, 5);
    DIMS(r, "dst_layer", 3, 4, 10);
    DIMS(r, "src_iter_c", 2, 2, 4, 5); /* comes with src_iter */
    assert_null(request_tensor(r, "dst_iter_c"));
    free(r);
}

static void work_of_requests(void **state) {
    (void)state;
    static const struct {
        const char *line;
        double operations, bytes, depth;
    } rows[] = {
            {"matmul,x,undef,src:u8::blocked:ab::f0 wei:s8::blocked:ab::f0 "
             "dst:f32::blocked:ab::f0,,,2x3:3x4\n",
             48, 6 + 12 + 32, 3},
            {"convolution,x,backward_weights,src:f32::blocked:abc::f0 wei:f32::blocked:abc::f0 "
             "bia:undef::undef::: "
             "dst:f32::blocked:abc::f0,,alg:convolution_direct,mb2_ic3oc4_iw8ow8kw3sw1dw0pw1\n",
             2.0 * 2 * 4 * 8 * 3 * 3, 4.0 * (48 + 36 + 64), 16},
            {"softmax,x,forward_inference,src:bf16::blocked:ab::f0 dst:bf16::blocked:ab::f0,,alg:softmax_log "
             "axis:1,4x9\n",
             36, 144, 9},
            {"eltwise,x,forward_inference,data:f32::blocked:ab::f0,,alg:eltwise_relu alpha:0 beta:0,4x9\n",
             36, 288, 1},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct request *r = read_one(rows[i].line);
        struct work work = request_work(r);
        assert_true(work.operations == rows[i].operations);
        assert_true(work.bytes == rows[i].bytes);
        assert_true(work.depth == rows[i].depth);
        free(r);
    }
}

/* The first variant is the plain one, none is there twice, and all are understood. */
static void sweeps(void **state) {
    (void)state;
    static const char *const bases[][2] = {{"matmul", "8x16:16x8"},
                                           {"convolution", "mb1_ic8oc4_ih5oh5kh3ph1_iw5ow5kw3pw1"},
                                           {"pooling", "mb1ic8_ih4oh2kh2sh2_iw4ow2kw2sw2"}};
    for (size_t i = 0; i < sizeof(bases) / sizeof(bases[0]); i++) {
        struct requests requests = {0};
        requests_sweep(&requests, &(struct description){.kind = bases[i][0], .shape = bases[i][1]});
        requests_parse(&requests);
        assert_true(requests.count > 50);
        assert_string_equal(requests.list[0].text.attributes, "");
        assert_string_equal(request_label(&requests.list[0]).types, "f32");
        for (int k = 0; k < requests.count; k++) {
            assert_string_equal(requests.list[k].why, "");
            assert_int_equal(requests.list[k].count, 1);
        }
        free(requests.list);
    }
}

/* Networks vary in types and in the layout of weights; gradients have the type of the last result. */
static void network_sweeps(void **state) {
    (void)state;
    struct requests requests = {0};
    requests_sweep(&requests, &(struct description){.kind = "rnn",
                                                    .shape = "l1t2mb3sic8slc8dhc8dic8",
                                                    .algorithm = "vanilla_lstm",
                                                    .direction = "backward"});
    requests_parse(&requests);
    assert_int_equal(requests.count, 9);
    for (int k = 0; k < requests.count; k++) {
        const struct request *r = &requests.list[k];
        assert_string_equal(r->why, "");
        assert_int_equal(request_tensor(r, "diff_wei_layer")->type, dnnl_f32);
        assert_int_equal(request_tensor(r, "wei_iter")->type, k < 3   ? dnnl_f32
                                                              : k < 6 ? dnnl_bf16
                                                                      : dnnl_f16);
    }
    free(requests.list);
}

/* Attributes are for forward passes. */
static void backward_sweeps(void **state) {
    (void)state;
    struct requests requests = {0};
    requests_sweep(&requests, &(struct description){.kind = "pooling",
                                                    .shape = "mb1ic8_ih4oh2kh2sh2_iw4ow2kw2sw2",
                                                    .direction = "backward_data"});
    assert_true(requests.count > 10);
    for (int k = 0; k < requests.count; k++) {
        assert_string_equal(requests.list[k].text.attributes, "");
        assert_string_equal(requests.list[k].text.direction, "backward_data");
    }
    free(requests.list);
}

static void cliffs(void **state) {
    (void)state;
    assert_true(sweep_is_cliff(&(struct result){.our_us = 10}, &(struct result){.our_us = 81}));
    assert_false(sweep_is_cliff(&(struct result){.our_us = 10}, &(struct result){.our_us = 79}));
    assert_false(sweep_is_cliff(&(struct result){.our_us = 0}, &(struct result){.our_us = 1e6}));
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(convolution_line), cmocka_unit_test(attributes_of_a_line),
            cmocka_unit_test(grouped_scales),   cmocka_unit_test(lines_are_counted),
            cmocka_unit_test(rows_of_a_table),  cmocka_unit_test(reasons),
            cmocka_unit_test(descriptions),     cmocka_unit_test(recurrent_line),
            cmocka_unit_test(work_of_requests), cmocka_unit_test(sweeps),
            cmocka_unit_test(backward_sweeps),  cmocka_unit_test(network_sweeps),
            cmocka_unit_test(cliffs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
