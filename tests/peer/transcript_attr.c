/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints every status and value that attributes and the service functions return for good and bad arguments.
 * Needs no engine. The same program runs on this library and on the peer, and both outputs must be equal.
 * Calls that crash the peer are left out.
 */
#define _GNU_SOURCE
#include "transcript.h"

#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static dnnl_primitive_attr_t new_attr(void) {
    dnnl_primitive_attr_t attr = NULL;
    MUST(dnnl_primitive_attr_create(&attr));
    return attr;
}

/* Modes: every value around the valid ones, what is read back, and NULLs. */

static void modes(void) {
    dnnl_primitive_attr_t attr = new_attr();
    dnnl_fpmath_mode_t fpmath;
    dnnl_accumulation_mode_t accumulation;
    dnnl_scratchpad_mode_t scratchpad;
    int value, apply;

    SHOW(dnnl_primitive_attr_create(NULL));
    SHOW(dnnl_primitive_attr_clone(NULL, attr));
    dnnl_primitive_attr_t copy = NULL;
    SHOW(dnnl_primitive_attr_clone(&copy, NULL));
    SHOW(dnnl_primitive_attr_clone(&copy, attr));
    SHOW(dnnl_primitive_attr_destroy(copy));
    SHOW(dnnl_primitive_attr_destroy(NULL));

    for (int mode = -2; mode < 9; mode++) {
        int status = dnnl_primitive_attr_set_fpmath_mode(attr, (dnnl_fpmath_mode_t)mode);
        SHOW(dnnl_primitive_attr_get_fpmath_mode(attr, &fpmath));
        printf("fpmath %d -> %d, now %d\n", mode, status, fpmath);
        for (int to_int = -1; to_int < 3; to_int++) {
            status = dnnl_primitive_attr_set_fpmath_mode_v2(attr, (dnnl_fpmath_mode_t)mode, to_int);
            SHOW(dnnl_primitive_attr_get_fpmath_mode_v2(attr, &fpmath, &apply));
            printf("fpmath %d int %d -> %d, now %d %d\n", mode, to_int, status, fpmath, apply);
        }
        status = dnnl_primitive_attr_set_fpmath_mode(attr, (dnnl_fpmath_mode_t)mode);
        SHOW(dnnl_primitive_attr_get_fpmath_mode_v2(attr, &fpmath, &apply));
        printf("fpmath %d after v2 -> %d, now %d %d\n", mode, status, fpmath, apply);
        status = dnnl_primitive_attr_set_accumulation_mode(attr, (dnnl_accumulation_mode_t)mode);
        SHOW(dnnl_primitive_attr_get_accumulation_mode(attr, &accumulation));
        printf("accumulation %d -> %d, now %d\n", mode, status, accumulation);
        status = dnnl_primitive_attr_set_scratchpad_mode(attr, (dnnl_scratchpad_mode_t)mode);
        SHOW(dnnl_primitive_attr_get_scratchpad_mode(attr, &scratchpad));
        printf("scratchpad %d -> %d, now %d\n", mode, status, scratchpad);
        status = dnnl_primitive_attr_set_deterministic(attr, mode);
        SHOW(dnnl_primitive_attr_get_deterministic(attr, &value));
        printf("deterministic %d -> %d, now %d\n", mode, status, value);
    }
    SHOW(dnnl_primitive_attr_set_fpmath_mode(NULL, dnnl_fpmath_mode_bf16));
    SHOW(dnnl_primitive_attr_get_fpmath_mode(attr, NULL));
    SHOW(dnnl_primitive_attr_get_fpmath_mode(NULL, &fpmath));
    SHOW(dnnl_primitive_attr_set_fpmath_mode_v2(NULL, dnnl_fpmath_mode_bf16, 1));
    SHOW(dnnl_primitive_attr_get_fpmath_mode_v2(NULL, &fpmath, &apply));
    fpmath = 77, apply = 78;
    SHOW(dnnl_primitive_attr_get_fpmath_mode_v2(attr, NULL, &apply));
    SHOW(dnnl_primitive_attr_get_fpmath_mode_v2(attr, &fpmath, NULL));
    printf("kept %d %d\n", fpmath, apply);
    SHOW(dnnl_primitive_attr_set_accumulation_mode(NULL, dnnl_accumulation_mode_any));
    SHOW(dnnl_primitive_attr_get_accumulation_mode(attr, NULL));
    SHOW(dnnl_primitive_attr_get_accumulation_mode(NULL, &accumulation));
    SHOW(dnnl_primitive_attr_set_scratchpad_mode(NULL, dnnl_scratchpad_mode_user));
    SHOW(dnnl_primitive_attr_get_scratchpad_mode(attr, NULL));
    SHOW(dnnl_primitive_attr_get_scratchpad_mode(NULL, &scratchpad));
    SHOW(dnnl_primitive_attr_set_deterministic(NULL, 1));
    SHOW(dnnl_primitive_attr_get_deterministic(attr, NULL));
    SHOW(dnnl_primitive_attr_get_deterministic(NULL, &value));
    dnnl_primitive_attr_destroy(attr);
}

/* Quantisation: which combinations each setter accepts, one line of statuses per row. */

static const int quant_args[] = {
        -1,
        0,
        DNNL_ARG_SRC,
        DNNL_ARG_SRC_1,
        DNNL_ARG_SRC_2,
        DNNL_ARG_SRC_3,
        DNNL_ARG_SRC_ITER,
        DNNL_ARG_DST,
        DNNL_ARG_DST_1,
        DNNL_ARG_DST_2,
        DNNL_ARG_WEIGHTS,
        DNNL_ARG_WEIGHTS_1,
        DNNL_ARG_WEIGHTS_2,
        DNNL_ARG_WEIGHTS_3,
        DNNL_ARG_BIAS,
        DNNL_ARG_MEAN,
        DNNL_ARG_VARIANCE,
        DNNL_ARG_SCALE,
        DNNL_ARG_SHIFT,
        DNNL_ARG_WORKSPACE,
        DNNL_ARG_SCRATCHPAD,
        DNNL_ARG_DIFF_SRC,
        DNNL_ARG_DIFF_DST,
        DNNL_ARG_DIFF_WEIGHTS,
        DNNL_ARG_DIFF_BIAS,
        DNNL_ARG_MULTIPLE_SRC,
        DNNL_ARG_MULTIPLE_SRC + 1,
        DNNL_ARG_MULTIPLE_SRC + 63,
        DNNL_ARG_MULTIPLE_SRC + 64,
        DNNL_ARG_MULTIPLE_SRC + 1023,
        DNNL_ARG_MULTIPLE_DST,
        DNNL_ARG_MULTIPLE_DST + 1,
        DNNL_ARG_ATTR_DROPOUT_MASK,
        DNNL_ARG_ATTR_SCALES,
        DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC,
        DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_SRC,
        DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_WEIGHTS,
        DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_DST,
        DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_SRC,
        DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_BIAS,
        DNNL_ARG_ATTR_POST_OP_DW,
        DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_SRC_1,
        DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_SRC_2,
        DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_WEIGHTS_1,
        DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_WEIGHTS_2,
        DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_MULTIPLE_SRC,
        DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1,
        DNNL_ARG_ATTR_MULTIPLE_POST_OP(3) | DNNL_ARG_DST,
        DNNL_ARG_ATTR_MULTIPLE_POST_OP(0),
        DNNL_ARG_ATTR_MULTIPLE_POST_OP(31) | DNNL_ARG_WEIGHTS,
        1 << 30,
};

static const dnnl_dim_t groups[][12] = {{1, 1}, {32, 1}, {1, 32},  {1, 1, 1}, {0, 1},    {-1, 1},
                                        {1, 0}, {1, -1}, {16, 16}, {0, 0},    {1, 16, 2}};
static const int masks[] = {-2147483647 - 1, -1,      0,       1,         2, 3, 4, 5, 6, 7, 1 << 11,
                            (1 << 12) - 1,   1 << 12, 1 << 20, 2147483647};

enum { SCALES, ZERO_POINTS, PRECOMPUTED };

static int set_quant(int what, dnnl_primitive_attr_t attr, int arg, int mask, int ndims,
                     const dnnl_dim_t *group, int type, int host, int mode) {
    if (what == SCALES)
        return dnnl_primitive_attr_set_scales_v3(attr, arg, mask, ndims, group, (dnnl_data_type_t)type, host,
                                                 (dnnl_quantization_mode_t)mode);
    if (what == ZERO_POINTS)
        return dnnl_primitive_attr_set_zero_points_v2(attr, arg, mask, ndims, group, (dnnl_data_type_t)type,
                                                      host);
    return dnnl_primitive_attr_set_precomputed_reductions(attr, arg, mask, ndims, group,
                                                          (dnnl_data_type_t)type);
}

static void quant_once(int what, int arg, int mask, int ndims, const dnnl_dim_t *group, int type, int host,
                       int mode) {
    dnnl_primitive_attr_t attr = new_attr();
    printf("%d", set_quant(what, attr, arg, mask, ndims, group, type, host, mode));
    dnnl_primitive_attr_destroy(attr);
}

static void quants(int what) {
    for (int a = 0; a < COUNT(quant_args); a++) {
        printf("quant %d arg %d:", what, quant_args[a]);
        for (int type = -1; type < 20; type++)
            quant_once(what, quant_args[a], 0, 0, NULL, type, 0, dnnl_quantization_mode_static_sazp);
        printf(" ");
        for (int m = 0; m < COUNT(masks); m++)
            quant_once(what, quant_args[a], masks[m], 0, NULL, what == SCALES ? dnnl_f32 : dnnl_s32, 0,
                       dnnl_quantization_mode_static_sazp);
        printf(" ");
        quant_once(what, quant_args[a], 3, 2, groups[1], what == SCALES ? dnnl_f32 : dnnl_s32, 0,
                   dnnl_quantization_mode_static_sazp);
        printf("\n");
    }
    static const int main_args[] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST, DNNL_ARG_SRC_1};
    for (int a = 0; a < COUNT(main_args); a++)
        for (int g = 0; g < COUNT(groups); g++)
            for (int m = 0; m < COUNT(masks); m++) {
                printf("quant %d arg %d group %d mask %d:", what, main_args[a], g, masks[m]);
                for (int ndims = -1; ndims < 14; ndims++)
                    quant_once(what, main_args[a], masks[m], ndims, groups[g],
                               what == SCALES ? dnnl_f16 : dnnl_s8, 0, dnnl_quantization_mode_static_sazp);
                printf("\n");
            }
    for (int a = 0; a < COUNT(main_args); a++)
        for (int type = -1; type < 20; type++) {
            printf("quant %d arg %d type %d:", what, main_args[a], type);
            for (int host = -1; host < 3; host++) {
                for (int m = 2; m < 7; m++)
                    quant_once(what, main_args[a], masks[m], 0, NULL, type, host,
                               dnnl_quantization_mode_static_sazp);
                quant_once(what, main_args[a], 0, 2, groups[1], type, host,
                           dnnl_quantization_mode_static_sazp);
                quant_once(what, main_args[a], 3, 2, groups[1], type, host,
                           dnnl_quantization_mode_static_sazp);
                printf(" ");
            }
            for (int ndims = 0; ndims < 4; ndims++)
                quant_once(what, main_args[a], 3, ndims, groups[1], type, 0,
                           dnnl_quantization_mode_static_sazp);
            printf("\n");
        }
    printf("quant %d null groups:", what);
    quant_once(what, DNNL_ARG_SRC, 0, 0, NULL, dnnl_f32, 0, 1);
    quant_once(what, DNNL_ARG_SRC, 0, 0, NULL, dnnl_s32, 0, 1);
    printf(" null attr: %d\n", set_quant(what, NULL, DNNL_ARG_SRC, 0, 0, NULL, dnnl_f32, 0, 1));
}

static void quant_modes(void) {
    for (int a = 0; a < COUNT(quant_args); a++) {
        printf("mode arg %d:", quant_args[a]);
        for (int mode = -1; mode < 5; mode++) {
            for (int type = 0; type < 20; type++)
                quant_once(SCALES, quant_args[a], 0, 0, NULL, type, 0, mode);
            quant_once(SCALES, quant_args[a], 3, 2, groups[1], dnnl_f32, 0, mode);
            quant_once(SCALES, quant_args[a], 3, 2, groups[2], dnnl_f32, 0, mode);
            quant_once(SCALES, quant_args[a], 1, 2, groups[2], dnnl_e8m0, 0, mode);
            quant_once(SCALES, quant_args[a], 3, 2, groups[2], dnnl_e8m0, 1, mode);
            quant_once(SCALES, quant_args[a], 0, 0, NULL, dnnl_f32, 1, mode);
            quant_once(SCALES, quant_args[a], 3, 0, NULL, dnnl_e8m0, 0, mode);
            printf(" ");
        }
        printf("\n");
    }
}

/* The older setters, and several settings on one object. */
static void quant_setters(void) {
    dnnl_primitive_attr_t attr = new_attr();
    for (int m = 0; m < COUNT(masks); m++) {
        printf("mask %d: %d %d %d %d\n", masks[m],
               dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_SRC, masks[m]),
               dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_DST, masks[m]),
               dnnl_primitive_attr_set_zero_points_mask(attr, DNNL_ARG_SRC, masks[m]),
               dnnl_primitive_attr_set_zero_points_mask(attr, DNNL_ARG_DST, masks[m]));
    }
    for (int a = 0; a < COUNT(quant_args); a++)
        printf("arg %d: %d %d\n", quant_args[a], dnnl_primitive_attr_set_scales_mask(attr, quant_args[a], 0),
               dnnl_primitive_attr_set_zero_points_mask(attr, quant_args[a], 0));
    SHOW(dnnl_primitive_attr_set_scales_mask(NULL, DNNL_ARG_SRC, 0));
    SHOW(dnnl_primitive_attr_set_zero_points_mask(NULL, DNNL_ARG_SRC, 0));
    SHOW(dnnl_primitive_attr_set_scales(NULL, DNNL_ARG_SRC, 0, 0, NULL, dnnl_f32));
    SHOW(dnnl_primitive_attr_set_zero_points(NULL, DNNL_ARG_SRC, 0, 0, NULL, dnnl_s32));
    for (int type = 0; type < 20; type++)
        for (int ndims = -1; ndims < 4; ndims++)
            printf("old type %d ndims %d: %d %d\n", type, ndims,
                   dnnl_primitive_attr_set_scales(attr, DNNL_ARG_WEIGHTS, 3, ndims, groups[1],
                                                  (dnnl_data_type_t)type),
                   dnnl_primitive_attr_set_zero_points(attr, DNNL_ARG_WEIGHTS, 3, ndims, groups[1],
                                                       (dnnl_data_type_t)type));
    dnnl_primitive_attr_destroy(attr);
    attr = new_attr();
    printf("many:");
    for (int i = 0; i < 128; i++)
        printf("%d%d", dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_MULTIPLE_SRC + i, 0),
               dnnl_primitive_attr_set_zero_points_mask(attr, DNNL_ARG_MULTIPLE_SRC + i, 0));
    printf("\n");
    dnnl_primitive_attr_destroy(attr);
}

static void rounding(void) {
    dnnl_primitive_attr_t attr = new_attr();
    for (int a = 0; a < COUNT(quant_args); a++)
        for (int mode = 0; mode < 4; mode++) {
            dnnl_rounding_mode_t now = 99;
            int set = dnnl_primitive_attr_set_rounding(attr, quant_args[a], (dnnl_rounding_mode_t)mode);
            int get = dnnl_primitive_attr_get_rounding(attr, quant_args[a], &now);
            printf("rounding arg %d mode %d -> %d %d %d\n", quant_args[a], mode, set, get, now);
        }
    dnnl_rounding_mode_t now = 99;
    SHOW(dnnl_primitive_attr_set_rounding(NULL, DNNL_ARG_DST, dnnl_rounding_mode_stochastic));
    SHOW(dnnl_primitive_attr_get_rounding(NULL, DNNL_ARG_DST, &now));
    SHOW(dnnl_primitive_attr_get_rounding(attr, DNNL_ARG_DST, NULL));
    dnnl_primitive_attr_destroy(attr);
}

static void show_dropout(dnnl_primitive_attr_t attr) {
    const_dnnl_memory_desc_t mask = NULL;
    dnnl_data_type_t seed = 99;
    int offset = 98, scalars = 97;
    printf("v1 %d", dnnl_primitive_attr_get_dropout(attr, &mask));
    printf(" %s", mask ? "mask" : "none");
    int ndims = -1;
    if (mask) dnnl_memory_desc_query(mask, dnnl_query_ndims_s32, &ndims);
    printf(" ndims %d", ndims);
    printf(" v2 %d", dnnl_primitive_attr_get_dropout_v2(attr, &mask, &seed, &offset, &scalars));
    printf(" %d %d %d\n", seed, offset, scalars);
}

static void dropout(void) {
    dnnl_dims_t dims = {2, 3, 4, 5};
    static const dnnl_data_type_t types[] = {dnnl_u8, dnnl_s8, dnnl_f32};
    dnnl_primitive_attr_t attr = new_attr();
    show_dropout(attr);
    for (int t = 0; t < COUNT(types); t++)
        for (int seed = -1; seed < 20; seed++)
            for (int flags = 0; flags < 9; flags++) {
                dnnl_memory_desc_t md = strided(4, dims, types[t], NULL);
                printf("dropout type %d seed %d flags %d -> %d: ", types[t], seed, flags,
                       dnnl_primitive_attr_set_dropout_v2(attr, md, (dnnl_data_type_t)seed,
                                                          flags % 3 - (flags > 5), flags / 3));
                show_dropout(attr);
                dnnl_memory_desc_destroy(md);
            }
    for (int t = 0; t < COUNT(types); t++) {
        dnnl_memory_desc_t md = strided(4, dims, types[t], NULL);
        printf("dropout type %d -> %d: ", types[t], dnnl_primitive_attr_set_dropout(attr, md));
        show_dropout(attr);
        dnnl_memory_desc_destroy(md);
    }
    dnnl_primitive_attr_destroy(attr);
}

static void dropout_bad_arguments(void) {
    static const dnnl_dims_t dims = {2, 3, 4, 5};
    dnnl_primitive_attr_t attr = new_attr();
    dnnl_memory_desc_t any = tagged(4, dims, dnnl_u8, dnnl_format_tag_any),
                       zero = tagged(0, dims, dnnl_u8, dnnl_format_tag_any);
    SHOW(dnnl_primitive_attr_set_dropout(attr, any));
    show_dropout(attr);
    SHOW(dnnl_primitive_attr_set_dropout(attr, zero));
    show_dropout(attr);
    SHOW(dnnl_primitive_attr_set_dropout_v2(attr, zero, dnnl_s64, 1, 1));
    show_dropout(attr);
    SHOW(dnnl_primitive_attr_set_dropout_v2(attr, any, dnnl_s64, 1, 1));
    show_dropout(attr);
    SHOW(dnnl_primitive_attr_set_dropout(attr, NULL));
    show_dropout(attr);
    SHOW(dnnl_primitive_attr_set_dropout_v2(attr, NULL, dnnl_s32, 0, 0));
    show_dropout(attr);
    SHOW(dnnl_primitive_attr_set_dropout_v2(attr, NULL, dnnl_s64, 1, 1));
    show_dropout(attr);
    SHOW(dnnl_primitive_attr_set_dropout(NULL, any));
    SHOW(dnnl_primitive_attr_set_dropout_v2(NULL, any, dnnl_s64, 1, 1));
    const_dnnl_memory_desc_t mask = NULL;
    dnnl_data_type_t seed = 99;
    int offset = 98, scalars = 97;
    SHOW(dnnl_primitive_attr_get_dropout(NULL, &mask));
    SHOW(dnnl_primitive_attr_get_dropout(attr, NULL));
    SHOW(dnnl_primitive_attr_get_dropout_v2(NULL, &mask, &seed, &offset, &scalars));
    SHOW(dnnl_primitive_attr_get_dropout_v2(attr, NULL, &seed, &offset, &scalars));
    SHOW(dnnl_primitive_attr_get_dropout_v2(attr, &mask, NULL, &offset, &scalars));
    SHOW(dnnl_primitive_attr_get_dropout_v2(attr, &mask, &seed, NULL, &scalars));
    SHOW(dnnl_primitive_attr_get_dropout_v2(attr, &mask, &seed, &offset, NULL));
    dnnl_memory_desc_destroy(any);
    dnnl_memory_desc_destroy(zero);
    dnnl_primitive_attr_destroy(attr);
}

static void rnn_data(void) {
    dnnl_primitive_attr_t attr = new_attr();
    float scale = 7, shift = 8;
    SHOW(dnnl_primitive_attr_get_rnn_data_qparams(attr, &scale, &shift));
    printf("%g %g\n", scale, shift);
    static const float values[] = {0, -1, 2.5f, 1e30f};
    for (int i = 0; i < 16; i++) {
        printf("rnn data %d -> %d", i,
               dnnl_primitive_attr_set_rnn_data_qparams(attr, values[i / 4], values[i % 4]));
        dnnl_primitive_attr_get_rnn_data_qparams(attr, &scale, &shift);
        printf(" %g %g\n", scale, shift);
    }
    SHOW(dnnl_primitive_attr_set_rnn_data_qparams(NULL, 1, 1));
    SHOW(dnnl_primitive_attr_get_rnn_data_qparams(NULL, &scale, &shift));
    scale = 70, shift = 80;
    SHOW(dnnl_primitive_attr_get_rnn_data_qparams(attr, NULL, &shift));
    SHOW(dnnl_primitive_attr_get_rnn_data_qparams(attr, &scale, NULL));
    printf("%g %g\n", scale, shift);
    dnnl_primitive_attr_destroy(attr);
}

static void rnn_weights(void) {
    dnnl_primitive_attr_t attr = new_attr();
    const float *scales = NULL;
    dnnl_dim_t count = 9;
    int mask = 10;
    static dnnl_status_t (*const set[])(dnnl_primitive_attr_t, dnnl_dim_t, int, const float *) = {
            dnnl_primitive_attr_set_rnn_weights_qparams,
            dnnl_primitive_attr_set_rnn_weights_projection_qparams};
    static dnnl_status_t (*const get[])(const_dnnl_primitive_attr_t, dnnl_dim_t *, int *, const float **) = {
            dnnl_primitive_attr_get_rnn_weights_qparams,
            dnnl_primitive_attr_get_rnn_weights_projection_qparams};
    static const dnnl_dim_t counts[] = {-1, 0, 1, 2, 15, 16, 17, 100};
    float many[100];
    for (int i = 0; i < 100; i++)
        many[i] = (float)i + .5f;
    for (int w = 0; w < 2; w++) {
        printf("rnn weights %d default %d", w, get[w](attr, &count, &mask, &scales));
        printf(": %d %d %g\n", (int)count, mask, scales ? scales[0] : -1);
        for (int c = 0; c < COUNT(counts); c++)
            for (int m = -1; m < 5; m++) {
                printf("rnn weights %d count %d mask %d -> %d", w, (int)counts[c], m,
                       set[w](attr, counts[c], m, many));
                printf(" %d", get[w](attr, &count, &mask, &scales));
                printf(": %d %d %g %g\n", (int)count, mask, scales[0], scales[count - 1]);
            }
        printf("%d %d\n", set[w](attr, 1, 0, NULL), set[w](NULL, 1, 0, many));
        printf("%d\n", get[w](NULL, &count, &mask, &scales));
        count = 90, mask = 100;
        printf("%d\n", get[w](attr, NULL, &mask, &scales));
        printf("%d\n", get[w](attr, &count, NULL, &scales));
        printf("%d\n", get[w](attr, &count, &mask, NULL));
        printf("%d %d\n", (int)count, mask);
        printf("default again %d\n", set[w](attr, 1, 0, many));
    }
    dnnl_primitive_attr_t copy = NULL;
    SHOW(dnnl_primitive_attr_clone(&copy, attr));
    dnnl_primitive_attr_destroy(attr);
    for (int w = 0; w < 2; w++) {
        printf("%d", get[w](copy, &count, &mask, &scales));
        printf(": %d %d %g\n", (int)count, mask, scales[0]);
    }
    dnnl_primitive_attr_destroy(copy);
}

static void service(void) {
    for (int level = -2; level < 5; level++)
        printf("verbose %d -> %d\n", level, dnnl_set_verbose(level));
    SHOW(dnnl_set_verbose(0));
    int enabled = 77;
    SHOW(dnnl_verbose_profiling_enabled(&enabled));
    printf("profiling %d\n", enabled != 0);
    SHOW(dnnl_set_verbose(1));
    SHOW(dnnl_verbose_profiling_enabled(&enabled));
    printf("profiling %d\n", enabled != 0);
    SHOW(dnnl_set_verbose(0));
    SHOW(dnnl_verbose_profiling_enabled(NULL));

    dnnl_fpmath_mode_t mode = 99;
    SHOW(dnnl_get_default_fpmath_mode(&mode));
    printf("default %d\n", mode);
    SHOW(dnnl_get_default_fpmath_mode(NULL));
    for (int m = -1; m < 7; m++) {
        int status = dnnl_set_default_fpmath_mode((dnnl_fpmath_mode_t)m);
        dnnl_get_default_fpmath_mode(&mode);
        dnnl_primitive_attr_t attr = new_attr();
        dnnl_fpmath_mode_t own = 98;
        dnnl_primitive_attr_get_fpmath_mode(attr, &own);
        printf("default fpmath %d -> %d, now %d, new attr %d\n", m, status, mode, own);
        dnnl_primitive_attr_destroy(attr);
    }
    SHOW(dnnl_set_default_fpmath_mode(dnnl_fpmath_mode_strict));

    int capacity = -7;
    SHOW(dnnl_get_primitive_cache_capacity(&capacity));
    printf("capacity %d\n", capacity);
    SHOW(dnnl_get_primitive_cache_capacity(NULL));
    static const int capacities[] = {-1, 0, 1, 1000, 2147483647, -2147483647 - 1, 1024};
    for (int i = 0; i < COUNT(capacities); i++) {
        int status = dnnl_set_primitive_cache_capacity(capacities[i]);
        dnnl_get_primitive_cache_capacity(&capacity);
        printf("capacity %d -> %d, now %d\n", capacities[i], status, capacity);
    }

    SHOW(dnnl_set_jit_dump(0));
    SHOW(dnnl_set_jit_dump(1));
    SHOW(dnnl_set_jit_dump(-5));
    SHOW(dnnl_set_jit_dump(0));
    for (unsigned flags = 0; flags < 40; flags++)
        printf("jit profiling %u -> %d\n", flags, dnnl_set_jit_profiling_flags(flags));
    SHOW(dnnl_set_jit_profiling_flags(~0u));
    SHOW(dnnl_set_jit_profiling_flags(0));
    SHOW(dnnl_set_jit_profiling_jitdumpdir("."));
    SHOW(dnnl_set_jit_profiling_jitdumpdir(""));
    SHOW(dnnl_set_jit_profiling_jitdumpdir("/nowhere/at/all"));
}

/* The instruction set may be set until it is first queried, so every value has its own process. */
static void isa(int value) {
    printf("hints %d -> %d\n", value, dnnl_set_cpu_isa_hints((dnnl_cpu_isa_hints_t)value));
    printf("hints now %d\n", dnnl_get_cpu_isa_hints());
    printf("hints late %d\n", dnnl_set_cpu_isa_hints(dnnl_cpu_isa_prefer_ymm));
    printf("hints now %d\n", dnnl_get_cpu_isa_hints());
    printf("isa %#x -> %d\n", (unsigned)value, dnnl_set_max_cpu_isa((dnnl_cpu_isa_t)value));
    printf("isa again -> %d\n", dnnl_set_max_cpu_isa(dnnl_cpu_isa_avx2));
    printf("isa now %#x\n", (unsigned)dnnl_get_effective_cpu_isa());
    printf("isa late -> %d\n", dnnl_set_max_cpu_isa(dnnl_cpu_isa_sse41));
    printf("isa now %#x\n", (unsigned)dnnl_get_effective_cpu_isa());
}

static void isas(void) {
    static const int values[] = {dnnl_cpu_isa_default,
                                 dnnl_cpu_isa_sse41,
                                 dnnl_cpu_isa_avx,
                                 dnnl_cpu_isa_avx2,
                                 dnnl_cpu_isa_avx2_vnni,
                                 dnnl_cpu_isa_avx2_vnni_2,
                                 dnnl_cpu_isa_avx512_core,
                                 dnnl_cpu_isa_avx512_core_vnni,
                                 dnnl_cpu_isa_avx512_core_bf16,
                                 dnnl_cpu_isa_avx10_1_512,
                                 dnnl_cpu_isa_avx10_1_512_amx,
                                 dnnl_cpu_isa_avx10_1_512_amx_fp16,
                                 dnnl_cpu_isa_avx10_2,
                                 dnnl_cpu_isa_avx10_2_amx_2,
                                 -1,
                                 0x2,
                                 0x5,
                                 0x20,
                                 0xffff};
    for (int i = 0; i < COUNT(values); i++) {
        fflush(stdout);
        pid_t pid = fork();
        if (pid == 0) {
            isa(values[i]);
            fflush(stdout);
            _exit(0);
        }
        int status = -1;
        waitpid(pid, &status, 0);
        printf("isa %d ended with %d\n", values[i], status);
    }
}

int main(void) {
    isas();
    modes();
    quants(SCALES);
    quants(ZERO_POINTS);
    quants(PRECOMPUTED);
    quant_modes();
    quant_setters();
    rounding();
    dropout();
    dropout_bad_arguments();
    rnn_data();
    rnn_weights();
    service();
    const dnnl_version_t *version = dnnl_version();
    printf("version %d.%d\n", version->major, version->minor);
    return 0;
}
