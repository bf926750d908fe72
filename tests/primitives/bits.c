/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The same problem on the same device gives the same bits: on numbers that do not add up exactly, every
 * implementation runs twice, and a hash of its results is printed. bits.cmake runs this with several numbers
 * of threads: the lines must not change.
 */
#include "primitives/harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void check(dnnl_status_t status, const char *name) {
    if (status == dnnl_success) return;
    printf("%s: status %d\n", name, status);
    exit(1);
}

/* An array of the shape that the descriptor has for an argument; without values if it has none. */
static struct array array_for(const_dnnl_primitive_desc_t pd, int arg) {
    const_dnnl_memory_desc_t md = dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, arg);
    int ndims = 0;
    dnnl_dims_t *dims;
    if (!md || dnnl_memory_desc_query(md, dnnl_query_ndims_s32, &ndims) != dnnl_success || ndims == 0)
        return (struct array){0};
    check(dnnl_memory_desc_query(md, dnnl_query_dims, &dims), "dims");
    return array_new(ndims, *dims, dnnl_f32);
}

static void add_inputs(struct exec *exec, const_dnnl_primitive_desc_t pd) {
    static const int inputs[] = {DNNL_ARG_SRC,      DNNL_ARG_WEIGHTS, DNNL_ARG_WEIGHTS_ITER, DNNL_ARG_BIAS,
                                 DNNL_ARG_DIFF_DST, DNNL_ARG_MEAN,    DNNL_ARG_VARIANCE,     DNNL_ARG_SCALE};
    for (int i = 0; i < COUNT(inputs); i++) {
        struct array array = array_for(pd, inputs[i]);
        if (!array.values) continue;
        array_fill_real(&array, (unsigned)(i + 1));
        for (int64_t k = 0; k < array.count && inputs[i] == DNNL_ARG_VARIANCE; k++)
            array.values[k] = fabs(array.values[k]);
        exec_add(exec, inputs[i],
                 memory_new(dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, inputs[i]), &array));
        array_free(&array);
    }
}

static uint64_t result_hash(const char *name, const_dnnl_primitive_desc_t pd) {
    static const int outputs[] = {DNNL_ARG_DST,      DNNL_ARG_DIFF_WEIGHTS, DNNL_ARG_DIFF_BIAS,
                                  DNNL_ARG_DIFF_SRC, DNNL_ARG_DIFF_SCALE,   DNNL_ARG_DIFF_SHIFT};
    struct exec exec = {0};
    struct array results[COUNT(outputs)];
    uint64_t hash = 0;
    add_inputs(&exec, pd);
    for (int i = 0; i < COUNT(outputs); i++) {
        results[i] = array_for(pd, outputs[i]);
        if (results[i].values)
            exec_add(&exec, outputs[i],
                     memory_new(dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, outputs[i]), NULL));
    }
    check(exec_run(&exec, pd), name);
    for (int i = 0; i < COUNT(outputs); i++) {
        if (!results[i].values) continue;
        memory_read(exec_find(&exec, outputs[i]), &results[i]);
        hash = array_hash(&results[i], hash);
        array_free(&results[i]);
    }
    exec_free(&exec);
    return hash;
}

/* Runs every implementation, and destroys the descriptor. */
static void run(const char *name, dnnl_primitive_desc_t pd) {
    do {
        const char *info = "";
        dnnl_primitive_desc_query(pd, dnnl_query_impl_info_str, 0, &info);
        uint64_t first = result_hash(name, pd), second = result_hash(name, pd);
        if (first != second) failure("%s, %s: another execution gives other bits", name, info);
        printf("%s, %s: %016llx\n", name, info, (unsigned long long)first);
    } while (dnnl_primitive_desc_next_impl(pd) == dnnl_success);
    dnnl_primitive_desc_destroy(pd);
}

static dnnl_memory_desc_t f32(int ndims, const dnnl_dim_t *dims, const char *tag) {
    return md_new(ndims, dims, dnnl_f32, tag);
}

static void convolution(const char *name, dnnl_dim_t groups, dnnl_dim_t ic, dnnl_dim_t oc, dnnl_dim_t size,
                        dnnl_dim_t kernel, dnnl_dim_t stride, dnnl_dim_t pad, const char *layout,
                        const_dnnl_primitive_attr_t attr) {
    dnnl_dim_t out = (size + 2 * pad - kernel) / stride + 1;
    dnnl_memory_desc_t src = f32(4, (dnnl_dim_t[]){2, ic, size, size}, layout);
    dnnl_memory_desc_t dst = f32(4, (dnnl_dim_t[]){2, oc, out, out}, layout);
    dnnl_memory_desc_t weights =
            groups > 1 ? f32(5, (dnnl_dim_t[]){groups, oc / groups, ic / groups, kernel, kernel}, NULL)
                       : f32(4, (dnnl_dim_t[]){oc, ic, kernel, kernel}, NULL);
    dnnl_memory_desc_t bias = f32(1, &oc, "a");
    dnnl_primitive_desc_t pd;
    check(dnnl_convolution_forward_primitive_desc_create(
                  &pd, test_engine(), dnnl_forward_inference, dnnl_convolution_direct, src, weights, bias,
                  dst, (dnnl_dims_t){stride, stride}, (dnnl_dims_t){0}, (dnnl_dims_t){pad, pad},
                  (dnnl_dims_t){pad, pad}, attr),
          name);
    run(name, pd);
    dnnl_memory_desc_destroy(src);
    dnnl_memory_desc_destroy(dst);
    dnnl_memory_desc_destroy(weights);
    dnnl_memory_desc_destroy(bias);
}

/* The gradients of weights and bias: long sums, which are divided. */
static void convolution_gradient(const char *name, dnnl_dim_t groups, dnnl_dim_t ic, dnnl_dim_t oc,
                                 dnnl_dim_t size, dnnl_dim_t kernel, dnnl_dim_t stride, dnnl_dim_t pad,
                                 const char *layout) {
    dnnl_dim_t out = (size + 2 * pad - kernel) / stride + 1;
    dnnl_dims_t src_dims = {3, ic, size, size}, dst_dims = {3, oc, out, out};
    dnnl_dims_t grouped = {groups, oc / groups, ic / groups, kernel, kernel};
    dnnl_dims_t strides = {stride, stride}, dilates = {0, 0}, pads = {pad, pad};
    dnnl_memory_desc_t src = f32(4, src_dims, layout), dst = f32(4, dst_dims, layout);
    dnnl_memory_desc_t weights = groups > 1 ? f32(5, grouped, NULL) : f32(4, grouped + 1, NULL);
    dnnl_memory_desc_t bias = f32(1, &oc, "a");
    dnnl_primitive_desc_t pd = NULL;
    check(dnnl_convolution_backward_weights_primitive_desc_create(&pd, test_engine(), dnnl_convolution_direct,
                                                                  src, weights, bias, dst, strides, dilates,
                                                                  pads, pads, NULL, NULL),
          name);
    run(name, pd);
    dnnl_memory_desc_destroy(src);
    dnnl_memory_desc_destroy(dst);
    dnnl_memory_desc_destroy(weights);
    dnnl_memory_desc_destroy(bias);
}

/* Forward, and the gradients of weights. */
static void convolution_bf16(const char *name, const char *gradient, dnnl_dim_t ic, dnnl_dim_t oc,
                             dnnl_dim_t size, dnnl_dim_t stride) {
    const dnnl_dim_t out = (size - 1) / stride + 1;
    dnnl_memory_desc_t src = md_new(4, (dnnl_dim_t[]){3, ic, size, size}, dnnl_bf16, NULL),
                       weights = md_new(4, (dnnl_dim_t[]){oc, ic, 3, 3}, dnnl_bf16, NULL),
                       dst = md_new(4, (dnnl_dim_t[]){3, oc, out, out}, dnnl_bf16, NULL);
    const dnnl_dims_t strides = {stride, stride}, dilates = {0, 0}, pads = {1, 1};
    dnnl_primitive_desc_t forward, backward;
    check(dnnl_convolution_forward_primitive_desc_create(&forward, test_engine(), dnnl_forward_training,
                                                         dnnl_convolution_direct, src, weights, NULL, dst,
                                                         strides, dilates, pads, pads, NULL),
          name);
    check(dnnl_convolution_backward_weights_primitive_desc_create(
                  &backward, test_engine(), dnnl_convolution_direct, src, weights, NULL, dst, strides,
                  dilates, pads, pads, NULL, NULL),
          gradient);
    run(name, forward);
    run(gradient, backward);
    dnnl_memory_desc_destroy(src);
    dnnl_memory_desc_destroy(weights);
    dnnl_memory_desc_destroy(dst);
}

static void inner_product_gradient(const char *name, dnnl_dim_t mb) {
    const dnnl_dim_t outputs = 100;
    dnnl_memory_desc_t src = f32(4, (dnnl_dim_t[]){mb, 40, 6, 6}, NULL),
                       weights = f32(4, (dnnl_dim_t[]){outputs, 40, 6, 6}, NULL),
                       bias = f32(1, &outputs, "a"), dst = f32(2, (dnnl_dim_t[]){mb, outputs}, "ab");
    dnnl_primitive_desc_t pd = NULL;
    check(dnnl_inner_product_backward_weights_primitive_desc_create(&pd, test_engine(), src, weights, bias,
                                                                    dst, NULL, NULL),
          name);
    run(name, pd);
    dnnl_memory_desc_destroy(src);
    dnnl_memory_desc_destroy(weights);
    dnnl_memory_desc_destroy(bias);
    dnnl_memory_desc_destroy(dst);
}

static void deconvolution(const char *name, dnnl_dim_t groups, dnnl_dim_t ic, dnnl_dim_t oc, dnnl_dim_t size,
                          dnnl_dim_t kernel, dnnl_dim_t stride, dnnl_dim_t padding, const char *tag) {
    dnnl_dim_t out = (size - 1) * stride + kernel - 2 * padding;
    dnnl_dims_t src_dims = {2, ic, size, size}, dst_dims = {2, oc, out, out};
    dnnl_dims_t grouped = {groups, oc / groups, ic / groups, kernel, kernel};
    dnnl_dims_t strides = {stride, stride}, dilates = {0, 0}, pads = {padding, padding};
    dnnl_memory_desc_t src = f32(4, src_dims, tag), dst = f32(4, dst_dims, tag);
    dnnl_memory_desc_t weights = groups > 1 ? f32(5, grouped, NULL) : f32(4, grouped + 1, NULL);
    dnnl_primitive_desc_t pd = NULL;
    check(dnnl_deconvolution_forward_primitive_desc_create(&pd, test_engine(), dnnl_forward_inference,
                                                           dnnl_deconvolution_direct, src, weights, NULL, dst,
                                                           strides, dilates, pads, pads, NULL),
          name);
    run(name, pd);
    dnnl_memory_desc_destroy(src);
    dnnl_memory_desc_destroy(weights);
    dnnl_memory_desc_destroy(dst);
}

static void matmul(const char *name, dnnl_dim_t m, dnnl_dim_t n, dnnl_dim_t k, const char *weights_tag) {
    dnnl_memory_desc_t src = f32(2, (dnnl_dim_t[]){m, k}, "ab"), dst = f32(2, (dnnl_dim_t[]){m, n}, "ab");
    dnnl_memory_desc_t weights = f32(2, (dnnl_dim_t[]){k, n}, weights_tag);
    dnnl_primitive_desc_t pd;
    check(dnnl_matmul_primitive_desc_create(&pd, test_engine(), src, weights, NULL, dst, NULL), name);
    run(name, pd);
    dnnl_memory_desc_destroy(src);
    dnnl_memory_desc_destroy(dst);
    dnnl_memory_desc_destroy(weights);
}

static void inner_product(const char *name, dnnl_dim_t mb) {
    dnnl_memory_desc_t src = f32(4, (dnnl_dim_t[]){mb, 40, 6, 6}, NULL),
                       dst = f32(2, (dnnl_dim_t[]){mb, 100}, "ab");
    dnnl_memory_desc_t weights = f32(4, (dnnl_dim_t[]){100, 40, 6, 6}, NULL);
    dnnl_primitive_desc_t pd;
    check(dnnl_inner_product_forward_primitive_desc_create(&pd, test_engine(), dnnl_forward_inference, src,
                                                           weights, NULL, dst, NULL),
          name);
    run(name, pd);
    dnnl_memory_desc_destroy(src);
    dnnl_memory_desc_destroy(dst);
    dnnl_memory_desc_destroy(weights);
}

static void eltwise(dnnl_alg_kind_t alg) {
    char name[32];
    snprintf(name, sizeof name, "eltwise_%x", (unsigned)alg);
    dnnl_memory_desc_t md = f32(1, (dnnl_dim_t[]){1003}, "a");
    dnnl_primitive_desc_t pd;
    check(dnnl_eltwise_forward_primitive_desc_create(&pd, test_engine(), dnnl_forward_inference, alg, md, md,
                                                     0.5f, 0.75f, NULL),
          name);
    run(name, pd);
    dnnl_memory_desc_destroy(md);
}

static void reductions(void) {
    dnnl_dim_t dims[] = {2, 37, 11, 11}, pooled[] = {2, 37, 5, 5};
    dnnl_memory_desc_t src = f32(4, dims, "acdb"), dst = f32(4, pooled, "acdb");
    dnnl_primitive_desc_t pd;
    check(dnnl_softmax_forward_primitive_desc_create(&pd, test_engine(), dnnl_forward_inference,
                                                     dnnl_softmax_accurate, src, src, 1, NULL),
          "softmax");
    run("softmax", pd);
    check(dnnl_lrn_forward_primitive_desc_create(&pd, test_engine(), dnnl_forward_inference,
                                                 dnnl_lrn_across_channels, src, src, 5, 1e-1f, 0.75f, 1.5f,
                                                 NULL),
          "lrn");
    run("lrn", pd);
    check(dnnl_pooling_forward_primitive_desc_create(
                  &pd, test_engine(), dnnl_forward_inference, dnnl_pooling_avg_exclude_padding, src, dst,
                  (dnnl_dims_t){2, 2}, (dnnl_dims_t){3, 3}, (dnnl_dims_t){0}, (dnnl_dims_t){0},
                  (dnnl_dims_t){0}, NULL),
          "pooling");
    run("pooling", pd);
    dnnl_memory_desc_destroy(src);
    dnnl_memory_desc_destroy(dst);
    src = f32(4, (dnnl_dim_t[]){2, 5, 11, 41}, "abcd");
    dst = f32(4, (dnnl_dim_t[]){2, 5, 6, 21}, "abcd");
    check(dnnl_pooling_forward_primitive_desc_create(
                  &pd, test_engine(), dnnl_forward_inference, dnnl_pooling_avg_exclude_padding, src, dst,
                  (dnnl_dims_t){2, 2}, (dnnl_dims_t){3, 3}, (dnnl_dims_t){0}, (dnnl_dims_t){1, 1},
                  (dnnl_dims_t){1, 1}, NULL),
          "pooling_planes");
    run("pooling_planes", pd);
    dnnl_memory_desc_destroy(src);
    dnnl_memory_desc_destroy(dst);
}

/* Sums that are divided among work-items: over the batch and space, and all of a long row. */
static void sums(const char *tag) {
    dnnl_memory_desc_t src = f32(4, (dnnl_dim_t[]){3, 24, 37, 41}, tag),
                       dst = f32(4, (dnnl_dim_t[]){1, 24, 1, 1}, "abcd"),
                       row = f32(2, (dnnl_dim_t[]){2, 70001}, "ab");
    dnnl_primitive_desc_t pd;
    check(dnnl_reduction_primitive_desc_create(&pd, test_engine(), dnnl_reduction_sum, src, dst, 0, 0, NULL),
          "reduction");
    run("reduction", pd);
    check(dnnl_batch_normalization_forward_primitive_desc_create(&pd, test_engine(), dnnl_forward_inference,
                                                                 src, src, 1e-3f, 0, NULL),
          "batch_normalization");
    run("batch_normalization", pd);
    check(dnnl_group_normalization_forward_primitive_desc_create(&pd, test_engine(), dnnl_forward_inference,
                                                                 src, src, 6, 1e-3f, 0, NULL),
          "group_normalization");
    run("group_normalization", pd);
    check(dnnl_layer_normalization_forward_primitive_desc_create(&pd, test_engine(), dnnl_forward_inference,
                                                                 row, row, NULL, 1e-3f, 0, NULL),
          "layer_normalization");
    run("layer_normalization", pd);
    dnnl_memory_desc_destroy(src);
    dnnl_memory_desc_destroy(dst);
    dnnl_memory_desc_destroy(row);
}

/* Gradients of normalisations, whose sums are divided as well; of LRN and resampling. */
static void gradients(const char *tag) {
    const unsigned flags = dnnl_use_scale | dnnl_use_shift;
    dnnl_memory_desc_t src = f32(4, (dnnl_dim_t[]){3, 24, 37, 41}, tag),
                       wide = f32(4, (dnnl_dim_t[]){3, 24, 50, 61}, tag);
    dnnl_primitive_desc_t pd;
    check(dnnl_batch_normalization_backward_primitive_desc_create(&pd, test_engine(), dnnl_backward, src, src,
                                                                  src, 1e-3f, flags, NULL, NULL),
          "batch_normalization_backward");
    run("batch_normalization_backward", pd);
    check(dnnl_group_normalization_backward_primitive_desc_create(&pd, test_engine(), dnnl_backward, src, src,
                                                                  src, 6, 1e-3f, flags, NULL, NULL),
          "group_normalization_backward");
    run("group_normalization_backward", pd);
    check(dnnl_lrn_backward_primitive_desc_create(&pd, test_engine(), dnnl_lrn_across_channels, src, src, src,
                                                  5, 1e-1f, 0.75f, 1.5f, NULL, NULL),
          "lrn_backward");
    run("lrn_backward", pd);
    check(dnnl_resampling_backward_primitive_desc_create(&pd, test_engine(), dnnl_resampling_linear, NULL,
                                                         src, wide, NULL, NULL),
          "resampling_backward");
    run("resampling_backward", pd);
    dnnl_memory_desc_destroy(src);
    dnnl_memory_desc_destroy(wide);
}

/* Many rows, and long ones. */
static void row_gradients(dnnl_dim_t rows, dnnl_dim_t length) {
    dnnl_memory_desc_t md = f32(2, (dnnl_dim_t[]){rows, length}, "ab");
    dnnl_primitive_desc_t pd;
    check(dnnl_layer_normalization_backward_primitive_desc_create(
                  &pd, test_engine(), dnnl_backward, md, md, md, NULL, 1e-3f, dnnl_use_scale | dnnl_use_shift,
                  NULL, NULL),
          "layer_normalization_backward");
    run("layer_normalization_backward", pd);
    dnnl_memory_desc_destroy(md);
}

/* Several steps, without states before and after. */
static void networks(void) {
    dnnl_memory_desc_t src = f32(3, (dnnl_dim_t[]){4, 17, 40}, "abc"),
                       dst = f32(3, (dnnl_dim_t[]){4, 17, 2 * 70}, "abc"),
                       one = f32(3, (dnnl_dim_t[]){4, 17, 70}, "abc"),
                       layer = f32(5, (dnnl_dim_t[]){1, 2, 40, 4, 70}, NULL),
                       iter = f32(5, (dnnl_dim_t[]){1, 2, 70, 4, 70}, NULL),
                       bias = f32(4, (dnnl_dim_t[]){1, 2, 4, 70}, NULL),
                       gru_layer = f32(5, (dnnl_dim_t[]){1, 1, 40, 3, 70}, NULL),
                       gru_iter = f32(5, (dnnl_dim_t[]){1, 1, 70, 3, 70}, NULL),
                       gru_bias = f32(4, (dnnl_dim_t[]){1, 1, 3, 70}, NULL);
    dnnl_primitive_desc_t pd;
    check(dnnl_lstm_forward_primitive_desc_create(&pd, test_engine(), dnnl_forward_inference,
                                                  dnnl_bidirectional_concat, src, NULL, NULL, layer, iter,
                                                  NULL, NULL, bias, dst, NULL, NULL, 0, NULL),
          "lstm");
    run("lstm", pd);
    check(dnnl_gru_forward_primitive_desc_create(&pd, test_engine(), dnnl_forward_inference,
                                                 dnnl_unidirectional_right2left, src, NULL, gru_layer,
                                                 gru_iter, gru_bias, one, NULL, 0, NULL),
          "gru");
    run("gru", pd);
    dnnl_memory_desc_t all[] = {src, dst, one, layer, iter, bias, gru_layer, gru_iter, gru_bias};
    for (int i = 0; i < COUNT(all); i++)
        dnnl_memory_desc_destroy(all[i]);
}

static dnnl_primitive_attr_t with_post_op(dnnl_alg_kind_t alg) {
    dnnl_primitive_attr_t attr;
    dnnl_post_ops_t ops;
    check(dnnl_primitive_attr_create(&attr), "attr");
    check(dnnl_post_ops_create(&ops), "ops");
    check(dnnl_post_ops_append_eltwise(ops, alg, 0.1f, 0), "ops");
    check(dnnl_primitive_attr_set_post_ops(attr, ops), "attr");
    dnnl_post_ops_destroy(ops);
    return attr;
}

int main(void) {
    dnnl_primitive_attr_t relu = with_post_op(dnnl_eltwise_relu), tanh = with_post_op(dnnl_eltwise_tanh);
    convolution("conv_strided", 1, 3, 48, 35, 11, 4, 0, NULL, NULL);
    convolution("conv_padded", 1, 20, 33, 13, 3, 1, 1, NULL, relu);
    convolution("conv_groups", 2, 32, 64, 13, 5, 1, 2, "acdb", tanh);
    convolution("conv_planes", 1, 16, 40, 9, 3, 1, 1, "abcd", NULL);
    convolution("conv_1x1", 1, 64, 100, 7, 1, 1, 0, NULL, NULL);
    convolution("conv_depthwise", 40, 40, 40, 15, 3, 1, 1, NULL, relu);
    convolution("conv_depthwise_strided", 64, 64, 64, 14, 5, 2, 2, "acdb", tanh);
    convolution("conv_depthwise_planes", 21, 21, 21, 9, 3, 1, 1, "abcd", NULL);
    convolution("conv_narrow_groups", 8, 16, 32, 11, 3, 1, 1, NULL, NULL);
    convolution("conv_blocked", 1, 24, 40, 9, 3, 1, 1, "aBcd8b", NULL);
    deconvolution("deconv_upsampling", 1, 24, 40, 9, 4, 2, 1, NULL);
    deconvolution("deconv_planes", 1, 16, 20, 7, 3, 1, 1, "abcd");
    deconvolution("deconv_depthwise", 24, 24, 24, 9, 4, 2, 1, NULL);
    convolution_gradient("conv_gradient", 1, 20, 40, 23, 3, 1, 1, NULL);
    convolution_gradient("conv_gradient_1x1", 1, 40, 70, 19, 1, 1, 0, NULL);
    convolution_gradient("conv_gradient_planes", 1, 3, 48, 35, 11, 4, 0, "abcd");
    convolution_gradient("conv_gradient_groups", 2, 32, 64, 13, 5, 1, 2, "acdb");
    convolution_bf16("conv_bf16", "conv_bf16_gradient", 40, 70, 19, 1);
    convolution_bf16("conv_bf16_strided", "conv_bf16_strided_gradient", 6, 40, 23, 2);
    convolution_gradient("conv_gradient_depthwise", 40, 40, 40, 25, 3, 1, 1, NULL);
    matmul("matmul_packed", 50, 70, 129, NULL);
    matmul("matmul_plain", 17, 64, 300, "ab");
    matmul("matmul_transposed", 31, 45, 77, "ba");
    matmul("matmul_row", 1, 200, 1500, NULL);
    matmul("matmul_deep", 20, 96, 1500, NULL);
    inner_product("inner_product_1", 1);
    inner_product("inner_product_16", 16);
    inner_product_gradient("inner_product_gradient", 300);
    static const dnnl_alg_kind_t algs[] = {dnnl_eltwise_tanh,  dnnl_eltwise_elu,       dnnl_eltwise_logistic,
                                           dnnl_eltwise_exp,   dnnl_eltwise_gelu_tanh, dnnl_eltwise_gelu_erf,
                                           dnnl_eltwise_swish, dnnl_eltwise_mish,      dnnl_eltwise_soft_relu,
                                           dnnl_eltwise_pow,   dnnl_eltwise_log,       dnnl_eltwise_sqrt};
    for (int i = 0; i < COUNT(algs); i++)
        eltwise(algs[i]);
    reductions();
    sums("abcd");
    sums("acdb");
    gradients("abcd");
    gradients("acdb");
    row_gradients(700, 130);
    row_gradients(2, 70001);
    networks();
    dnnl_primitive_attr_destroy(relu);
    dnnl_primitive_attr_destroy(tanh);
    return failures ? 1 : 0;
}
