/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recurrent networks, forward, against a plain loop in double: every cell x direction, shapes of a
 * translation model and of speech recognition in small, sizes of 1 and primes, types, layouts, optional
 * tensors, with and without a workspace; on every implementation.
 */
#include "primitives/networks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static void run_network(const struct network *n, dnnl_prop_kind_t prop) {
    struct net_arrays arrays, errors;
    char what[256];
    net_fill(n, &arrays, (unsigned)(n->dhc + n->time));
    net_like(&arrays, &errors, dnnl_f64);
    net_forward(n, &arrays, &errors);
    net_describe(n, what, sizeof what);
    struct test_run run = {.what = what};
    for (int i = 0; i < NET_DST_LAYER; i++)
        run.inputs[i] = (struct input){net_args[i], &arrays.tensors[i], NULL};
    for (int i = NET_DST_LAYER; i < NET_TENSORS; i++)
        run.outputs[i - NET_DST_LAYER] = (struct output){
                .arg = net_args[i], .expected = &arrays.tensors[i], .error = &errors.tensors[i]};
    dnnl_primitive_desc_t pd;
    dnnl_status_t status = net_forward_desc(&pd, n, &arrays, prop);
    struct exec extra = {0};
    const_dnnl_memory_desc_t workspace =
            status == dnnl_success ? dnnl_primitive_desc_query_md(pd, dnnl_query_workspace_md, 0) : NULL;
    if (workspace && dnnl_memory_desc_get_size(workspace) > 0) {
        exec_add(&extra, DNNL_ARG_WORKSPACE, memory_new(workspace, NULL));
        run.extra = &extra;
    }
    run_implementations(status, pd, &run);
    exec_free(&extra);
    net_free(&arrays);
    net_free(&errors);
}

static const dnnl_alg_kind_t cells[] = {dnnl_vanilla_rnn, dnnl_vanilla_lstm,  dnnl_vanilla_gru,
                                        dnnl_lbr_gru,     dnnl_vanilla_augru, dnnl_lbr_augru};
static const dnnl_rnn_direction_t directions[] = {dnnl_unidirectional_left2right,
                                                  dnnl_unidirectional_right2left, dnnl_bidirectional_concat,
                                                  dnnl_bidirectional_sum};
static const dnnl_alg_kind_t activations[] = {dnnl_eltwise_tanh, dnnl_eltwise_relu, dnnl_eltwise_logistic};

static bool is_legal(const struct network *n) {
    bool attention = n->cell == dnnl_vanilla_augru || n->cell == dnnl_lbr_augru;
    return !attention || (n->direction == dnnl_unidirectional_left2right && n->layers == 1);
}

static void cells_and_directions(void **state) {
    (void)state;
    failures = 0;
    static const dnnl_dim_t shapes[][5] = {/* layers, time, batch, slc, dhc */
                                           {1, 1, 1, 1, 1},   {1, 3, 2, 7, 5},    {2, 4, 3, 33, 33},
                                           {3, 2, 1, 16, 16}, {1, 5, 17, 11, 32}, {1, 2, 1, 160, 130}};
    for (int c = 0; c < COUNT(cells); c++)
        for (int d = 0; d < COUNT(directions); d++)
            for (int s = 0; s < COUNT(shapes); s++)
                for (int training = 0; training < 2; training++) {
                    struct network n = {.cell = cells[c],
                                        .activation = activations[(d + s) % 3],
                                        .direction = directions[d],
                                        .layers = shapes[s][0],
                                        .time = shapes[s][1],
                                        .batch = shapes[s][2],
                                        .slc = shapes[s][3],
                                        .dhc = shapes[s][4],
                                        .states = (d + s) % 2,
                                        .biased = true,
                                        .type = dnnl_f32,
                                        .layer_tag = "abc"};
                    if (is_legal(&n))
                        run_network(&n, training ? dnnl_forward_training : dnnl_forward_inference);
                }
    printf("%d runs\n", implementations_run);
    assert_int_equal(failures, 0);
}

static void layouts_and_types(void **state) {
    (void)state;
    failures = 0;
    static const char *const weights[] = {NULL, "abcde", "abdec"}, *const layers[] = {"abc", "bac"};
    static const dnnl_data_type_t types[] = {dnnl_f32, dnnl_bf16, dnnl_f16};
    for (int c = 0; c < COUNT(cells); c++)
        for (int t = 0; t < COUNT(types); t++)
            for (int k = 0; k < 6; k++) {
                struct network n = {.cell = cells[c],
                                    .activation = activations[k % 3],
                                    .direction = directions[k % 4],
                                    .layers = 1,
                                    .time = 3,
                                    .batch = 2,
                                    .slc = 19,
                                    .dhc = 37,
                                    .states = k % 2,
                                    .biased = k % 3 != 1,
                                    .type = types[t],
                                    .layer_tag = layers[k % 2],
                                    .weights_tag = weights[k / 2]};
                if (!is_legal(&n)) n.direction = dnnl_unidirectional_left2right;
                run_network(&n, k % 2 ? dnnl_forward_training : dnnl_forward_inference);
            }
    assert_int_equal(failures, 0);
}

static void lstm_options(void **state) {
    (void)state;
    failures = 0;
    static const char *const weights[] = {NULL, "abcde", "abdec"};
    for (int k = 0; k < 24; k++) {
        struct network n = {.cell = dnnl_vanilla_lstm,
                            .direction = directions[k % 4],
                            .layers = 1 + k % 2,
                            .time = k % 5 + 1,
                            .batch = 3,
                            .slc = 9,
                            .dhc = k % 2 ? 9 : 35,
                            .dic = k % 3 ? 9 : 0,
                            .peephole = k % 3 != 1,
                            .states = k % 2,
                            .biased = true,
                            .type = k % 7 == 6 ? dnnl_bf16 : dnnl_f32,
                            .layer_tag = "abc",
                            .weights_tag = weights[k / 8]};
        if (n.layers == 2 && n.dic == 0) n.slc = n.dhc;
        run_network(&n, k % 4 < 2 ? dnnl_forward_training : dnnl_forward_inference);
    }
    assert_int_equal(failures, 0);
}

static void bytes(void **state) {
    (void)state;
    failures = 0;
    for (int k = 0; k < 64; k++) {
        const dnnl_data_type_t type = k % 5 == 4 ? dnnl_s8 : dnnl_u8;
        struct network n = {.cell = k % 2 ? dnnl_vanilla_gru : dnnl_vanilla_lstm,
                            .direction = directions[k / 2 % 4],
                            .layers = 1,
                            .time = k % 3 + 1,
                            .batch = k % 4 + 1,
                            .slc = k % 3 ? 8 : 13,
                            .dhc = k % 3   ? 12
                                   : k % 9 ? 21
                                           : 150,
                            .dic = k % 6 == 0 ? 8 : 0,
                            .states = k % 4 != 0,
                            .biased = true,
                            .type = type,
                            .scale = 64,
                            .shift = type == dnnl_u8 ? 128 : 0,
                            .many_scales = k % 8 < 4,
                            .iter_type = k % 3 ? type : dnnl_f32,
                            .dst_type = k % 7 < 3 ? dnnl_f32 : type,
                            .layer_tag = k % 2 ? "abc" : "bac",
                            .weights_tag = k % 3 == 2 ? "abcde" : NULL};
        run_network(&n, dnnl_forward_inference);
    }
    assert_int_equal(failures, 0);
}

/* Reorders that quantise: data * scale + shift, and weights by the scale of their gate and channel. */
static void quantise(int ndims, const dnnl_dim_t *dims, const char *from_tag, const char *to_tag,
                     dnnl_data_type_t type, const struct network *n) {
    struct array from = array_new(ndims, dims, dnnl_f32), to = array_new(ndims, dims, type),
                 error = array_new(ndims, dims, dnnl_f64);
    dnnl_dim_t at[DNNL_MAX_NDIMS] = {0};
    array_fill_real(&from, (unsigned)ndims);
    do {
        const int64_t i = array_index(&from, at);
        struct bounded x = exactly(from.values[i]);
        if (ndims == 5)
            x = bounded_mul(x, exactly(net_weights_scale(n, at[3], at[4])));
        else
            x = bounded_add(bounded_mul(x, exactly(n->scale)), exactly(n->shift));
        store_bounded(x, i, &to, &error);
    } while (next_position(ndims, dims, at));
    dnnl_primitive_attr_t attr = net_attr(n);
    dnnl_memory_desc_t src = md_of(&from, from_tag), dst = md_of(&to, to_tag);
    dnnl_primitive_desc_t pd = NULL;
    dnnl_status_t status =
            dnnl_reorder_primitive_desc_create(&pd, src, test_engine(), dst, test_engine(), attr);
    run_implementations(
            status, pd,
            &(struct test_run){.what = to_tag,
                               .inputs = {{DNNL_ARG_FROM, &from, NULL}},
                               .outputs = {{.arg = DNNL_ARG_TO, .expected = &to, .error = &error}}});
    dnnl_memory_desc_destroy(src);
    dnnl_memory_desc_destroy(dst);
    dnnl_primitive_attr_destroy(attr);
    array_free(&from);
    array_free(&to);
    array_free(&error);
}

static void quantising_reorders(void **state) {
    (void)state;
    failures = 0;
    for (int many = 0; many < 2; many++) {
        const struct network n = {
                .cell = dnnl_vanilla_lstm, .dhc = 21, .scale = 100, .shift = 120, .many_scales = many};
        const dnnl_dim_t weights[] = {1, 2, 13, 4, 21}, layer[] = {3, 2, 19}, states[] = {2, 1, 3, 19};
        quantise(3, layer, "abc", "bac", dnnl_u8, &n);
        quantise(4, states, "abcd", "abcd", dnnl_u8, &n);
        quantise(5, weights, "abcde", "abdec", dnnl_s8, &n);
        quantise(5, weights, "abcde", "abdEC32e4c", dnnl_s8, &n);
    }
    assert_int_equal(failures, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(cells_and_directions), cmocka_unit_test(layouts_and_types),
            cmocka_unit_test(lstm_options),         cmocka_unit_test(bytes),
            cmocka_unit_test(quantising_reorders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
