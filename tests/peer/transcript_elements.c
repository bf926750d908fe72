/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statuses of the creation functions of reorder, eltwise and softmax. Where the peer supports fewer types and
 * layouts, `x` stands for dnnl_invalid_arguments and a dash for anything else; where both must agree, the
 * status itself is shown.
 *
 * Left out, because the peer accepts it and reads outside a tensor: softmax between tensors of different
 * shapes, operands of post-ops that cannot be broadcast. Left out, because the peer crashes: NULL engines of
 * eltwise and softmax.
 */
#include "transcript.h"

#include <stdbool.h>

static dnnl_engine_t engine;

static const dnnl_data_type_t types[] = {dnnl_f16,     dnnl_bf16, dnnl_f32,     dnnl_s32,
                                         dnnl_s8,      dnnl_u8,   dnnl_f64,     dnnl_f8_e5m2,
                                         dnnl_f8_e4m3, dnnl_e8m0, dnnl_f4_e2m1, dnnl_s64};

/* The descriptors used as arguments. */
enum {
    PLAIN,
    OPEN,
    TURNED,
    BLOCKED,
    BYTES,
    EMPTY,
    OTHER,
    FLAT,
    UNKNOWN,
    SCALAR,
    ZERO,
    SPARSE,
    NOTHING,
    TENSORS
};
static dnnl_memory_desc_t mds[TENSORS];
static const char *const names[TENSORS] = {"plain", "any",    "nhwc", "nChw16c", "s8",
                                           "empty", "other",  "flat", "runtime", "host scalar",
                                           "zero",  "sparse", "null"};

static void make_tensors(void) {
    const dnnl_dims_t dims = {2, 3, 4, 6}, other = {2, 3, 4, 8}, empty = {0, 3, 4, 6}, flat = {2, 3, 4},
                      unknown = {DNNL_RUNTIME_DIM_VAL, 3, 4, 6};
    mds[PLAIN] = tagged(4, dims, dnnl_f32, dnnl_nchw);
    mds[OPEN] = tagged(4, dims, dnnl_f32, dnnl_format_tag_any);
    mds[TURNED] = tagged(4, dims, dnnl_f32, dnnl_nhwc);
    mds[BLOCKED] = tagged(4, dims, dnnl_f32, dnnl_nChw16c);
    mds[BYTES] = tagged(4, dims, dnnl_s8, dnnl_nchw);
    mds[EMPTY] = tagged(4, empty, dnnl_f32, dnnl_nchw);
    mds[OTHER] = tagged(4, other, dnnl_f32, dnnl_nchw);
    mds[FLAT] = tagged(3, flat, dnnl_f32, dnnl_abc);
    mds[UNKNOWN] = tagged(4, unknown, dnnl_f32, dnnl_nchw);
    mds[ZERO] = tagged(0, dims, dnnl_f32, dnnl_a);
    MUST(dnnl_memory_desc_create_host_scalar(&mds[SCALAR], dnnl_f32));
    MUST(dnnl_memory_desc_create_with_csr_encoding(&mds[SPARSE], 2, dims, dnnl_f32, 3, dnnl_s32, dnnl_s32));
}

static dnnl_status_t done(dnnl_status_t status, const dnnl_primitive_desc_t *pd) {
    if (status == dnnl_success) dnnl_primitive_desc_destroy(*pd);
    return status;
}

static dnnl_status_t eltwise(int prop, int alg, dnnl_memory_desc_t src, dnnl_memory_desc_t dst, float alpha,
                             float beta, dnnl_primitive_attr_t attr) {
    dnnl_primitive_desc_t pd = NULL;
    return done(dnnl_eltwise_forward_primitive_desc_create(&pd, engine, (dnnl_prop_kind_t)prop,
                                                           (dnnl_alg_kind_t)alg, src, dst, alpha, beta, attr),
                &pd);
}

static dnnl_status_t eltwise_backward(int alg, dnnl_memory_desc_t diff_src, dnnl_memory_desc_t diff_dst,
                                      dnnl_memory_desc_t data) {
    dnnl_primitive_desc_t pd = NULL;
    return done(dnnl_eltwise_backward_primitive_desc_create(&pd, engine, (dnnl_alg_kind_t)alg, diff_src,
                                                            diff_dst, data, 0, 0, NULL, NULL),
                &pd);
}

static dnnl_status_t softmax(int prop, int alg, dnnl_memory_desc_t src, dnnl_memory_desc_t dst, int axis,
                             dnnl_primitive_attr_t attr) {
    dnnl_primitive_desc_t pd = NULL;
    return done(dnnl_softmax_forward_primitive_desc_create(&pd, engine, (dnnl_prop_kind_t)prop,
                                                           (dnnl_alg_kind_t)alg, src, dst, axis, attr),
                &pd);
}

static dnnl_status_t softmax_backward(int alg, dnnl_memory_desc_t diff_src, dnnl_memory_desc_t diff_dst,
                                      dnnl_memory_desc_t dst, int axis) {
    dnnl_primitive_desc_t pd = NULL;
    return done(dnnl_softmax_backward_primitive_desc_create(&pd, engine, (dnnl_alg_kind_t)alg, diff_src,
                                                            diff_dst, dst, axis, NULL, NULL),
                &pd);
}

static dnnl_status_t reorder(dnnl_memory_desc_t src, dnnl_memory_desc_t dst, dnnl_primitive_attr_t attr) {
    dnnl_primitive_desc_t pd = NULL;
    return done(dnnl_reorder_primitive_desc_create(&pd, src, engine, dst, engine, attr), &pd);
}

static char mark(dnnl_status_t status) {
    return status == dnnl_invalid_arguments ? 'x' : '-';
}

/* Every pair of descriptors. */
static void pairs(void) {
    for (int i = 0; i < TENSORS; i++)
        for (int k = 0; k < TENSORS; k++) {
            printf("%s to %s: reorder %c", names[i], names[k], mark(reorder(mds[i], mds[k], NULL)));
            printf(" eltwise %c",
                   mark(eltwise(dnnl_forward_inference, dnnl_eltwise_relu, mds[i], mds[k], 0, 0, NULL)));
            bool reads_outside = i != k && (i >= EMPTY || k >= EMPTY) && i != NOTHING && k != NOTHING;
            if (!reads_outside)
                printf(" softmax %c",
                       mark(softmax(dnnl_forward_training, dnnl_softmax_log, mds[i], mds[k], 1, NULL)));
            printf("\n");
        }
}

static void backward_pairs(void) {
    static const int few[] = {PLAIN, OPEN, OTHER, SCALAR, NOTHING};
    for (int i = 0; i < COUNT(few); i++)
        for (int k = 0; k < COUNT(few); k++)
            for (int l = 0; l < COUNT(few); l++) {
                dnnl_memory_desc_t a = mds[few[i]], b = mds[few[k]], c = mds[few[l]];
                printf("backward, %s, %s, %s: eltwise %c", names[few[i]], names[few[k]], names[few[l]],
                       mark(eltwise_backward(dnnl_eltwise_relu, a, b, c)));
                bool differ = a == mds[OTHER] || b == mds[OTHER] || c == mds[OTHER];
                if (!differ) printf(" softmax %c", mark(softmax_backward(dnnl_softmax_log, a, b, c, 1)));
                printf("\n");
            }
    printf("backward: %c %c %c %c\n",
           mark(eltwise_backward(dnnl_pooling_max, mds[PLAIN], mds[PLAIN], mds[PLAIN])),
           mark(softmax_backward(dnnl_eltwise_relu, mds[PLAIN], mds[PLAIN], mds[PLAIN], 1)),
           mark(softmax_backward(dnnl_softmax_log, mds[PLAIN], mds[PLAIN], mds[PLAIN], 4)),
           mark(softmax_backward(dnnl_softmax_log, mds[PLAIN], mds[PLAIN], mds[PLAIN], -1)));
}

static void algorithms(void) {
    static const float parameters[][2] = {{0, 0}, {0.5f, 0}, {-1, 2}, {2, 1}, {0, -1}, {-0.5f, 0}};
    static const int others[] = {
            0, 1, 0x1f, 0x35, 0xff, 0x107, dnnl_pooling_max, dnnl_binary_add, dnnl_softmax_log};
    static const int props[] = {dnnl_prop_kind_undef,
                                dnnl_forward_training,
                                dnnl_forward_inference,
                                dnnl_backward,
                                dnnl_backward_data,
                                dnnl_backward_weights,
                                1,
                                1000};
    for (int alg = dnnl_eltwise_relu; alg <= dnnl_eltwise_clip_v2_use_dst_for_bwd; alg++) {
        if (alg > dnnl_eltwise_hardswish && alg < dnnl_eltwise_relu_use_dst_for_bwd) continue;
        for (int p = 0; p < COUNT(parameters); p++)
            for (int t = 0; t < 2; t++) {
                dnnl_memory_desc_t md = mds[t ? BYTES : PLAIN];
                printf("eltwise 0x%x(%g, %g) of %s: %d\n", alg, (double)parameters[p][0],
                       (double)parameters[p][1], names[t ? BYTES : PLAIN],
                       (int)eltwise(dnnl_forward_inference, alg, md, md, parameters[p][0], parameters[p][1],
                                    NULL));
            }
    }
    for (int i = 0; i < COUNT(others); i++)
        printf("algorithm 0x%x: eltwise %d softmax %d\n", others[i],
               (int)eltwise(dnnl_forward_inference, others[i], mds[PLAIN], mds[PLAIN], 0, 0, NULL),
               (int)softmax(dnnl_forward_inference, others[i], mds[PLAIN], mds[PLAIN], 1, NULL));
    for (int i = 0; i < COUNT(props); i++)
        printf("propagation %d: eltwise %d softmax %d\n", props[i],
               (int)eltwise(props[i], dnnl_eltwise_relu, mds[PLAIN], mds[PLAIN], 0, 0, NULL),
               (int)softmax(props[i], dnnl_softmax_log, mds[PLAIN], mds[PLAIN], 1, NULL));
    for (int axis = -2; axis < 7; axis++)
        printf("axis %d: %d\n", axis,
               (int)softmax(dnnl_forward_inference, dnnl_softmax_accurate, mds[PLAIN], mds[PLAIN], axis,
                            NULL));
}

static void all_types(void) {
    const dnnl_dims_t dims = {4, 6};
    for (int i = 0; i < COUNT(types); i++)
        for (int k = 0; k < COUNT(types); k++) {
            dnnl_memory_desc_t src = tagged(2, dims, types[i], dnnl_ab),
                               dst = tagged(2, dims, types[k], dnnl_ab);
            printf("types %d, %d: reorder %c relu %c tanh %c softmax %c\n", (int)types[i], (int)types[k],
                   mark(reorder(src, dst, NULL)),
                   mark(eltwise(dnnl_forward_inference, dnnl_eltwise_relu, src, dst, 0, 0, NULL)),
                   mark(eltwise(dnnl_forward_inference, dnnl_eltwise_tanh, src, dst, 0, 0, NULL)),
                   mark(softmax(dnnl_forward_inference, dnnl_softmax_accurate, src, dst, 1, NULL)));
            dnnl_memory_desc_destroy(src);
            dnnl_memory_desc_destroy(dst);
        }
}

/* Attributes: what is set, then the status of every function for f32 and for a quantised pair. */
static void show(const char *what, dnnl_primitive_attr_t attr) {
    dnnl_memory_desc_t f32 = mds[PLAIN], s8 = mds[BYTES];
    printf("%s: reorder %d %d %d eltwise %d softmax %d %d\n", what, (int)reorder(f32, f32, attr),
           (int)reorder(f32, s8, attr), (int)reorder(s8, f32, attr),
           (int)eltwise(dnnl_forward_inference, dnnl_eltwise_relu, f32, f32, 0, 0, attr),
           (int)softmax(dnnl_forward_inference, dnnl_softmax_accurate, f32, f32, 1, attr),
           (int)softmax(dnnl_forward_inference, dnnl_softmax_accurate, f32, s8, 1, attr));
    dnnl_primitive_attr_destroy(attr);
}

static dnnl_primitive_attr_t new_attr(void) {
    dnnl_primitive_attr_t attr = NULL;
    MUST(dnnl_primitive_attr_create(&attr));
    return attr;
}

static void quantisation(void) {
    static const int args[] = {DNNL_ARG_SRC, DNNL_ARG_DST};
    const dnnl_dims_t groups = {2, 3};
    char what[128];
    for (int a = 0; a < COUNT(args); a++)
        for (int mask = 0; mask < 4; mask++) {
            dnnl_primitive_attr_t attr = new_attr();
            dnnl_status_t set = dnnl_primitive_attr_set_scales_mask(attr, args[a], mask);
            snprintf(what, sizeof what, "scales of %d, mask %d (%d)", args[a], mask, (int)set);
            show(what, attr);
            attr = new_attr();
            set = dnnl_primitive_attr_set_zero_points_mask(attr, args[a], mask);
            snprintf(what, sizeof what, "zero points of %d, mask %d (%d)", args[a], mask, (int)set);
            show(what, attr);
            attr = new_attr();
            set = dnnl_primitive_attr_set_scales(attr, args[a], mask << 2, 2, groups, dnnl_f32);
            snprintf(what, sizeof what, "groups of %d, mask %d (%d)", args[a], mask << 2, (int)set);
            show(what, attr);
        }
    dnnl_primitive_attr_t attr = new_attr();
    dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_WEIGHTS, 0);
    show("scales of weights", attr);
}

static void with_op(const char *what, dnnl_post_ops_t ops) {
    dnnl_primitive_attr_t attr = new_attr();
    MUST(dnnl_primitive_attr_set_post_ops(attr, ops));
    show(what, attr);
    dnnl_post_ops_destroy(ops);
}

static dnnl_post_ops_t new_ops(void) {
    dnnl_post_ops_t ops = NULL;
    MUST(dnnl_post_ops_create(&ops));
    return ops;
}

static void post_ops(void) {
    const dnnl_dims_t channel = {1, 3, 1, 1}, three = {1, 3, 1};
    dnnl_memory_desc_t operand = tagged(4, channel, dnnl_f32, dnnl_abcd),
                       bytes = tagged(4, channel, dnnl_s8, dnnl_abcd),
                       wide = tagged(4, channel, dnnl_f64, dnnl_abcd),
                       small = tagged(3, three, dnnl_f32, dnnl_abc);
    dnnl_memory_desc_t operands[] = {operand, bytes, wide, small, mds[OPEN], mds[TURNED], mds[BLOCKED]};
    dnnl_post_ops_t ops = new_ops();
    dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_relu, 0, 0);
    with_op("relu", ops);
    static const struct {
        float scale;
        int zero_point;
        dnnl_data_type_t type;
    } sums[] = {{1, 0, dnnl_data_type_undef},
                {0.5f, 0, dnnl_data_type_undef},
                {1, 2, dnnl_data_type_undef},
                {1, 0, dnnl_u8},
                {1, 0, dnnl_s8}};
    for (int i = 0; i < COUNT(sums); i++) {
        char what[64];
        ops = new_ops();
        dnnl_post_ops_append_sum(ops, sums[i].scale, sums[i].zero_point, sums[i].type);
        snprintf(what, sizeof what, "sum %d", i);
        with_op(what, ops);
    }
    ops = new_ops();
    dnnl_post_ops_append_sum(ops, 1, 0, dnnl_data_type_undef);
    dnnl_post_ops_append_sum(ops, 1, 0, dnnl_data_type_undef);
    with_op("two sums", ops);
    ops = new_ops();
    dnnl_post_ops_append_prelu(ops, 2);
    with_op("prelu", ops);
    for (int i = 0; i < COUNT(operands); i++) {
        char what[64];
        ops = new_ops();
        dnnl_post_ops_append_binary(ops, dnnl_binary_mul, operands[i]);
        snprintf(what, sizeof what, "binary %d", i);
        with_op(what, ops);
    }
    ops = new_ops();
    for (int i = 0; i < 20; i++)
        dnnl_post_ops_append_binary(ops, dnnl_binary_add, operand);
    with_op("twenty binary", ops);
    dnnl_memory_desc_destroy(operand);
    dnnl_memory_desc_destroy(bytes);
    dnnl_memory_desc_destroy(wide);
    dnnl_memory_desc_destroy(small);
}

int main(void) {
    engine = cpu_engine();
    make_tensors();
    pairs();
    backward_pairs();
    algorithms();
    all_types();
    quantisation();
    post_ops();
    dnnl_primitive_desc_t pd = NULL;
    printf("nulls: %d %d %d\n",
           (int)dnnl_reorder_primitive_desc_create(&pd, mds[PLAIN], NULL, mds[PLAIN], engine, NULL),
           (int)dnnl_reorder_primitive_desc_create(&pd, mds[PLAIN], engine, mds[PLAIN], NULL, NULL),
           (int)dnnl_reorder_primitive_desc_create(NULL, mds[PLAIN], engine, mds[PLAIN], engine, NULL));
    for (int i = 0; i < TENSORS; i++)
        if (mds[i]) dnnl_memory_desc_destroy(mds[i]);
    dnnl_engine_destroy(engine);
    return 0;
}
