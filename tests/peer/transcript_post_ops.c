/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints what the post-op functions return for every algorithm, type and size, for all sorts of descriptors,
 * and for NULLs.
 */
#include "transcript.h"

#include <stdbool.h>
#include <stdint.h>

/* Operands: plain, bytes, `any` layout, zero dimensions, run-time dimension, host scalar. */
static dnnl_memory_desc_t md, cond, any, zero, runtime, scalar;

static void make_operands(void) {
    static const dnnl_dims_t dims = {2, 3, 4, 5}, unknown = {DNNL_RUNTIME_DIM_VAL, 3, 4, 5};
    md = keep(strided(4, dims, dnnl_f32, NULL));
    cond = keep(strided(4, dims, dnnl_s8, NULL));
    any = keep(tagged(4, dims, dnnl_f32, dnnl_format_tag_any));
    zero = keep(tagged(0, dims, dnnl_f32, dnnl_format_tag_any));
    runtime = keep(tagged(4, unknown, dnnl_f32, dnnl_abcd));
    MUST(dnnl_memory_desc_create_host_scalar(&scalar, dnnl_f32));
    keep(scalar);
}

static dnnl_post_ops_t new_ops(void) {
    dnnl_post_ops_t ops;
    MUST(dnnl_post_ops_create(&ops));
    return ops;
}

static void show_entry(const_dnnl_post_ops_t ops, int index) {
    float scale = 91, alpha = 92, beta = 93;
    int32_t zero_point = 94;
    dnnl_data_type_t types[3] = {95, 96, 97};
    dnnl_alg_kind_t alg = 98;
    dnnl_dim_t sizes[3] = {81, 82, 83};
    int mask = 84;
    const_dnnl_memory_desc_t src1 = NULL, src2 = NULL;
    printf("  entry %d kind %d;", index, dnnl_post_ops_get_kind(ops, index));
    printf(" sum %d", dnnl_post_ops_get_params_sum(ops, index, &scale, &zero_point, &types[0]));
    printf(" %g %d %d;", scale, zero_point, types[0]);
    printf(" eltwise %d", dnnl_post_ops_get_params_eltwise(ops, index, &alg, &alpha, &beta));
    printf(" %d %g %g;", alg, alpha, beta);
    printf(" dw %d", dnnl_post_ops_get_params_dw(ops, index, &types[0], &types[1], &types[2], &sizes[0],
                                                 &sizes[1], &sizes[2]));
    printf(" %d %d %d %d %d %d;", types[0], types[1], types[2], (int)sizes[0], (int)sizes[1], (int)sizes[2]);
    alg = 98;
    printf(" binary %d", dnnl_post_ops_get_params_binary(ops, index, &alg, &src1));
    printf(" %d %d;", alg, src1 != NULL);
    alg = 98, src1 = NULL;
    printf(" binary2 %d", dnnl_post_ops_get_params_binary_v2(ops, index, &alg, &src1, &src2));
    printf(" %d %d %d;", alg, src1 != NULL, src2 != NULL);
    /* The peer does not check the kind here. */
    if (dnnl_post_ops_get_kind(ops, index) == dnnl_prelu)
        printf(" prelu %d", dnnl_post_ops_get_params_prelu(ops, index, &mask));
    printf(" %d\n", mask);
}

static void show_all(const_dnnl_post_ops_t ops) {
    for (int i = 0; i < dnnl_post_ops_len(ops); i++)
        show_entry(ops, i);
}

static void empty(void) {
    dnnl_post_ops_t ops = NULL, copy = NULL;
    SHOW(dnnl_post_ops_create(NULL));
    SHOW(dnnl_post_ops_create(&ops));
    SHOW(dnnl_post_ops_clone(NULL, ops));
    SHOW(dnnl_post_ops_clone(&copy, NULL));
    SHOW(dnnl_post_ops_destroy(NULL));
    SHOW(dnnl_post_ops_len(ops));
    SHOW(dnnl_post_ops_len(NULL));
    SHOW(dnnl_post_ops_get_kind(ops, 0));
    SHOW(dnnl_post_ops_get_kind(ops, -1));
    SHOW(dnnl_post_ops_get_kind(NULL, 0));
    show_entry(ops, 0);
    dnnl_post_ops_destroy(ops);
}

/* Every number as an algorithm; those that no function accepts are not printed. */
static void algorithms(void) {
    for (int alg = 0; alg < 0x40000; alg++) {
        dnnl_post_ops_t one = new_ops();
        int eltwise = dnnl_post_ops_append_eltwise(one, (dnnl_alg_kind_t)alg, 0, 0);
        int both = dnnl_post_ops_append_eltwise(one, (dnnl_alg_kind_t)alg, 2, -1);
        int swapped = dnnl_post_ops_append_eltwise(one, (dnnl_alg_kind_t)alg, -1, 2);
        bool select = alg == dnnl_binary_select; /* the peer needs its condition */
        int binary = select ? 2 : dnnl_post_ops_append_binary(one, (dnnl_alg_kind_t)alg, md);
        int with = dnnl_post_ops_append_binary_v2(one, (dnnl_alg_kind_t)alg, md, cond);
        int without = select ? 2 : dnnl_post_ops_append_binary_v2(one, (dnnl_alg_kind_t)alg, md, NULL);
        if (eltwise != 2 || both != 2 || swapped != 2 || binary != 2 || with != 2 || without != 2)
            printf("alg %#x: %d %d %d %d %d %d\n", alg, eltwise, both, swapped, binary, with, without);
        dnnl_post_ops_destroy(one);
    }
}

static void operands(void) {
    dnnl_post_ops_t ops = new_ops();
    SHOW(dnnl_post_ops_append_eltwise(NULL, dnnl_eltwise_relu, 0, 0));
    SHOW(dnnl_post_ops_append_sum(NULL, 1, 0, dnnl_data_type_undef));
    SHOW(dnnl_post_ops_append_prelu(NULL, 0));
    SHOW(dnnl_post_ops_append_binary(NULL, dnnl_binary_add, md));
    SHOW(dnnl_post_ops_append_binary_v2(NULL, dnnl_binary_add, md, NULL));
    SHOW(dnnl_post_ops_append_dw(NULL, dnnl_f32, dnnl_f32, dnnl_f32, 3, 1, 1));
    SHOW(dnnl_post_ops_append_binary(ops, dnnl_binary_add, any));
    SHOW(dnnl_post_ops_append_binary(ops, dnnl_binary_add, zero));
    SHOW(dnnl_post_ops_append_binary(ops, dnnl_binary_add, runtime));
    SHOW(dnnl_post_ops_append_binary(ops, dnnl_binary_add, scalar));
    SHOW(dnnl_post_ops_append_binary_v2(ops, dnnl_binary_add, any, any));
    SHOW(dnnl_post_ops_append_binary_v2(ops, dnnl_binary_select, any, any));
    SHOW(dnnl_post_ops_append_binary_v2(ops, dnnl_binary_select, md, any));
    SHOW(dnnl_post_ops_append_binary_v2(ops, dnnl_binary_select, md, zero));
    SHOW(dnnl_post_ops_append_binary_v2(ops, dnnl_binary_select, md, md));
    SHOW(dnnl_post_ops_append_binary_v2(ops, dnnl_binary_select, md, runtime));
    SHOW(dnnl_post_ops_append_binary_v2(ops, dnnl_binary_select, runtime, cond));
    SHOW(dnnl_post_ops_append_binary_v2(ops, dnnl_binary_select, zero, cond));
    printf("len %d\n", dnnl_post_ops_len(ops));
    for (int i = -1; i <= dnnl_post_ops_len(ops); i++)
        show_entry(ops, i);
    dnnl_post_ops_destroy(ops);
}

static void sums(void) {
    static const float scales[] = {0, 1, -2, 1e30f};
    for (int s = 0; s < COUNT(scales); s++)
        for (int type = -1; type < 20; type++) {
            dnnl_post_ops_t one = new_ops();
            printf("sum %g type %d -> %d", scales[s], type,
                   dnnl_post_ops_append_sum(one, scales[s], 0, (dnnl_data_type_t)type));
            printf(" %d\n", dnnl_post_ops_append_sum(one, scales[s], -3, (dnnl_data_type_t)type));
            show_all(one);
            dnnl_post_ops_destroy(one);
        }
}

static void prelus(void) {
    static const int masks[] = {INT32_MIN, -1, 0, 1, 2, 3, 7, 1 << 11, 1 << 12, 1 << 20, INT32_MAX};
    dnnl_post_ops_t ops = new_ops();
    for (int m = 0; m < COUNT(masks); m++)
        printf("prelu mask %d -> %d\n", masks[m], dnnl_post_ops_append_prelu(ops, masks[m]));
    printf("len %d\n", dnnl_post_ops_len(ops));
    show_all(ops);
    dnnl_post_ops_destroy(ops);
}

static void depthwise(void) {
    for (int weights = -1; weights < 20; weights++)
        for (int other = -1; other < 20; other++) {
            dnnl_post_ops_t one = new_ops();
            printf("dw types %d %d -> %d %d\n", weights, other,
                   dnnl_post_ops_append_dw(one, (dnnl_data_type_t)weights, (dnnl_data_type_t)other, dnnl_f32,
                                           3, 1, 1),
                   dnnl_post_ops_append_dw(one, dnnl_f32, (dnnl_data_type_t)weights, (dnnl_data_type_t)other,
                                           3, 1, 1));
            dnnl_post_ops_destroy(one);
        }
    for (int kernel = -1; kernel < 8; kernel++)
        for (int stride = -1; stride < 5; stride++)
            for (int padding = -1; padding < 4; padding++) {
                dnnl_post_ops_t one = new_ops();
                printf("dw %d %d %d -> %d:", kernel, stride, padding,
                       dnnl_post_ops_append_dw(one, dnnl_s8, dnnl_data_type_undef, dnnl_u8, kernel, stride,
                                               padding));
                printf(" %d\n", dnnl_post_ops_len(one));
                if (dnnl_post_ops_len(one) == 1) show_entry(one, 0);
                dnnl_post_ops_destroy(one);
            }
}

/* More than fit. */
static void many(dnnl_post_ops_t *copy) {
    dnnl_post_ops_t ops = new_ops();
    for (int i = 0; i < 40; i++) {
        printf("append %d -> %d", i, dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_linear, (float)i, 1));
        printf(" %d", dnnl_post_ops_append_sum(ops, (float)i, 0, dnnl_data_type_undef));
        printf(" %d\n", dnnl_post_ops_len(ops));
    }
    SHOW(dnnl_post_ops_append_binary(ops, dnnl_binary_add, md));
    SHOW(dnnl_post_ops_append_prelu(ops, 0));
    SHOW(dnnl_post_ops_append_dw(ops, dnnl_f32, dnnl_f32, dnnl_f32, 3, 1, 1));
    SHOW(dnnl_post_ops_append_eltwise(ops, dnnl_alg_kind_undef, 0, 0));
    SHOW(dnnl_post_ops_clone(copy, ops));
    dnnl_post_ops_destroy(ops);
    SHOW(dnnl_post_ops_len(*copy));
    show_entry(*copy, 30);
    show_entry(*copy, 31);
    show_entry(*copy, 32);
}

/* Attributes keep their own copy. */
static void in_attributes(dnnl_post_ops_t ops) {
    dnnl_primitive_attr_t attr;
    MUST(dnnl_primitive_attr_create(&attr));
    const_dnnl_post_ops_t held = NULL;
    SHOW(dnnl_primitive_attr_get_post_ops(attr, &held));
    SHOW(dnnl_post_ops_len(held));
    SHOW(dnnl_primitive_attr_set_post_ops(attr, ops));
    dnnl_post_ops_destroy(ops);
    SHOW(dnnl_primitive_attr_get_post_ops(attr, &held));
    SHOW(dnnl_post_ops_len(held));
    show_entry(held, 31);
    SHOW(dnnl_primitive_attr_set_post_ops(attr, held));
    SHOW(dnnl_primitive_attr_set_post_ops(NULL, held));
    SHOW(dnnl_primitive_attr_set_post_ops(attr, NULL));
    SHOW(dnnl_primitive_attr_get_post_ops(NULL, &held));
    SHOW(dnnl_primitive_attr_get_post_ops(attr, NULL));
    dnnl_primitive_attr_destroy(attr);
}

/* Each argument NULL in turn. */
static void getters(void) {
    dnnl_post_ops_t ops = new_ops();
    dnnl_post_ops_append_sum(ops, 2, 3, dnnl_s8);
    dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_linear, 2, 3);
    dnnl_post_ops_append_binary_v2(ops, dnnl_binary_select, md, cond);
    dnnl_post_ops_append_prelu(ops, 2);
    dnnl_post_ops_append_dw(ops, dnnl_f32, dnnl_f32, dnnl_f32, 3, 1, 1);
    show_all(ops);
    float f = 0;
    int32_t z = 0;
    dnnl_data_type_t t = 0;
    dnnl_alg_kind_t a = 0;
    dnnl_dim_t d = 0;
    const_dnnl_memory_desc_t m = NULL;
    SHOW(dnnl_post_ops_get_params_sum(ops, 0, NULL, &z, &t));
    SHOW(dnnl_post_ops_get_params_sum(ops, 0, &f, NULL, &t));
    SHOW(dnnl_post_ops_get_params_sum(ops, 0, &f, &z, NULL));
    SHOW(dnnl_post_ops_get_params_sum(ops, 0, NULL, NULL, NULL));
    SHOW(dnnl_post_ops_get_params_sum(NULL, 0, &f, &z, &t));
    SHOW(dnnl_post_ops_get_params_eltwise(ops, 1, NULL, &f, &f));
    SHOW(dnnl_post_ops_get_params_eltwise(ops, 1, &a, NULL, &f));
    SHOW(dnnl_post_ops_get_params_eltwise(ops, 1, &a, &f, NULL));
    SHOW(dnnl_post_ops_get_params_eltwise(NULL, 1, &a, &f, &f));
    SHOW(dnnl_post_ops_get_params_binary(ops, 2, NULL, &m));
    SHOW(dnnl_post_ops_get_params_binary(ops, 2, &a, NULL));
    SHOW(dnnl_post_ops_get_params_binary(NULL, 2, &a, &m));
    SHOW(dnnl_post_ops_get_params_binary_v2(ops, 2, NULL, &m, &m));
    SHOW(dnnl_post_ops_get_params_binary_v2(ops, 2, &a, NULL, &m));
    SHOW(dnnl_post_ops_get_params_binary_v2(ops, 2, &a, &m, NULL));
    SHOW(dnnl_post_ops_get_params_binary_v2(NULL, 2, &a, &m, &m));
    SHOW(dnnl_post_ops_get_params_prelu(ops, 3, NULL));
    SHOW(dnnl_post_ops_get_params_prelu(NULL, 3, &z));
    SHOW(dnnl_post_ops_get_params_dw(ops, 4, NULL, &t, &t, &d, &d, &d));
    SHOW(dnnl_post_ops_get_params_dw(ops, 4, &t, NULL, &t, &d, &d, &d));
    SHOW(dnnl_post_ops_get_params_dw(ops, 4, &t, &t, NULL, &d, &d, &d));
    SHOW(dnnl_post_ops_get_params_dw(ops, 4, &t, &t, &t, NULL, &d, &d));
    SHOW(dnnl_post_ops_get_params_dw(ops, 4, &t, &t, &t, &d, NULL, &d));
    SHOW(dnnl_post_ops_get_params_dw(ops, 4, &t, &t, &t, &d, &d, NULL));
    SHOW(dnnl_post_ops_get_params_dw(NULL, 4, &t, &t, &t, &d, &d, &d));
    dnnl_post_ops_destroy(ops);
}

int main(void) {
    dnnl_post_ops_t full = NULL;
    make_operands();
    empty();
    algorithms();
    operands();
    sums();
    prelus();
    depthwise();
    many(&full);
    in_attributes(full);
    getters();
    release_all();
    return 0;
}
