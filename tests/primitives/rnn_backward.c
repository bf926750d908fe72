/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recurrent networks, backward, against a plain loop in double, whose own gradients are checked with finite
 * differences; on every implementation.
 */
#include "primitives/networks.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static bool is_weights(int tensor) {
    return tensor >= NET_WEIGHTS_LAYER && tensor <= NET_BIAS;
}

/* Gradients of results are given; those of weights have something to be added to. */
static void fill_diffs(const struct net_arrays *arrays, struct net_arrays *diffs) {
    net_like(arrays, diffs, dnnl_f32);
    for (int i = 0; i < NET_TENSORS; i++)
        if (diffs->tensors[i].values && (is_weights(i) || i >= NET_DST_LAYER))
            array_fill_real(&diffs->tensors[i], 70u + (unsigned)i);
}

/* Runs the forward pass for its workspace, which goes to `extra`. */
static dnnl_status_t run_forward(const struct network *n, const struct net_arrays *arrays,
                                 dnnl_primitive_desc_t *pd, struct exec *extra) {
    dnnl_status_t status = net_forward_desc(pd, n, arrays, dnnl_forward_training);
    if (status != dnnl_success) return status;
    struct exec exec = {0};
    dnnl_memory_t workspace = memory_new(dnnl_primitive_desc_query_md(*pd, dnnl_query_workspace_md, 0), NULL);
    for (int i = 0; i < NET_TENSORS; i++)
        if (arrays->tensors[i].values)
            exec_add(&exec, net_args[i],
                     memory_new(dnnl_primitive_desc_query_md(*pd, dnnl_query_exec_arg_md, net_args[i]),
                                i < NET_DST_LAYER ? &arrays->tensors[i] : NULL));
    exec_borrow(&exec, DNNL_ARG_WORKSPACE, workspace);
    status = exec_run(&exec, *pd);
    exec_free(&exec);
    exec_add(extra, DNNL_ARG_WORKSPACE, workspace);
    return status;
}

static void describe_run(struct test_run *run, const struct net_arrays *arrays,
                         const struct net_arrays *diffs, const struct net_arrays *before,
                         const struct net_arrays *errors) {
    struct input *input = run->inputs;
    struct output *output = run->outputs;
    for (int i = 0; i < NET_TENSORS; i++) {
        if (!arrays->tensors[i].values) continue;
        *input++ = (struct input){net_args[i], &arrays->tensors[i], NULL};
        if (i >= NET_DST_LAYER)
            *input++ = (struct input){net_args[i] + NET_DIFF, &diffs->tensors[i], NULL};
        else
            *output++ = (struct output){.arg = net_args[i] + NET_DIFF,
                                        .expected = &diffs->tensors[i],
                                        .error = &errors->tensors[i],
                                        .before = is_weights(i) ? &before->tensors[i] : NULL};
    }
}

static void run_network(const struct network *n) {
    struct net_arrays arrays, diffs, before, errors;
    struct exec extra = {0};
    char what[256];
    net_fill(n, &arrays, (unsigned)(n->dhc + n->time));
    fill_diffs(&arrays, &diffs);
    fill_diffs(&arrays, &before);
    net_like(&arrays, &errors, dnnl_f64);
    net_forward(n, &arrays, &errors);
    net_backward(n, &arrays, &diffs, &errors);
    net_describe(n, what, sizeof what);
    struct test_run run = {.what = what, .extra = &extra};
    describe_run(&run, &arrays, &diffs, &before, &errors);
    dnnl_primitive_desc_t forward = NULL, pd = NULL;
    MUST(run_forward(n, &arrays, &forward, &extra));
    dnnl_status_t status = net_backward_desc(&pd, n, &arrays, &diffs, forward);
    run_implementations(status, pd, &run);
    dnnl_primitive_desc_destroy(forward);
    exec_free(&extra);
    struct net_arrays *all[] = {&arrays, &diffs, &before, &errors};
    for (int i = 0; i < COUNT(all); i++)
        net_free(all[i]);
}

static const dnnl_alg_kind_t cells[] = {dnnl_vanilla_rnn, dnnl_vanilla_lstm,  dnnl_vanilla_gru,
                                        dnnl_lbr_gru,     dnnl_vanilla_augru, dnnl_lbr_augru};
static const dnnl_rnn_direction_t directions[] = {dnnl_unidirectional_left2right,
                                                  dnnl_unidirectional_right2left, dnnl_bidirectional_concat,
                                                  dnnl_bidirectional_sum};
static const dnnl_alg_kind_t activations[] = {dnnl_eltwise_tanh, dnnl_eltwise_relu, dnnl_eltwise_logistic};

static struct network network_of(int c, int d, const dnnl_dim_t *shape) {
    struct network n = {.cell = cells[c],
                        .activation = activations[d % 3],
                        .direction = directions[d],
                        .layers = shape[0],
                        .time = shape[1],
                        .batch = shape[2],
                        .slc = shape[3],
                        .dhc = shape[4],
                        .states = (d + shape[2]) % 2,
                        .biased = true,
                        .type = dnnl_f32,
                        .layer_tag = "abc",
                        .overwrite = d % 2};
    return n;
}

static bool is_legal(const struct network *n) {
    bool attention = n->cell == dnnl_vanilla_augru || n->cell == dnnl_lbr_augru;
    return !attention || (n->direction == dnnl_unidirectional_left2right && n->layers == 1);
}

static void cells_and_directions(void **state) {
    (void)state;
    failures = 0;
    static const dnnl_dim_t shapes[][5] = {
            {1, 1, 1, 1, 1}, {1, 3, 2, 7, 5}, {2, 3, 3, 17, 17}, {3, 2, 1, 8, 8}, {1, 2, 17, 11, 33}};
    for (int c = 0; c < COUNT(cells); c++)
        for (int d = 0; d < COUNT(directions); d++)
            for (int s = 0; s < COUNT(shapes); s++) {
                struct network n = network_of(c, d, shapes[s]);
                if (is_legal(&n)) run_network(&n);
            }
    printf("%d runs\n", implementations_run);
    assert_int_equal(failures, 0);
}

static void layouts_and_types(void **state) {
    (void)state;
    failures = 0;
    static const dnnl_dim_t shape[] = {1, 3, 2, 19, 21};
    static const char *const weights[] = {NULL, "abcde", "abdec"}, *const layers[] = {"abc", "bac"};
    static const dnnl_data_type_t types[] = {dnnl_f32, dnnl_bf16, dnnl_f16};
    for (int c = 0; c < COUNT(cells); c++)
        for (int k = 0; k < 9; k++) {
            struct network n = network_of(c, k % 4, shape);
            n.type = types[k % 3], n.weights_tag = weights[k / 3], n.layer_tag = layers[k % 2];
            n.states = k % 2, n.biased = k % 3 != 1;
            if (!is_legal(&n)) n.direction = dnnl_unidirectional_left2right;
            run_network(&n);
        }
    assert_int_equal(failures, 0);
}

static void lstm_options(void **state) {
    (void)state;
    failures = 0;
    static const char *const weights[] = {NULL, "abcde", "abdec"};
    for (int k = 0; k < 24; k++) {
        const dnnl_dim_t shape[] = {1 + k % 2, k % 4 + 1, 3, 9, k % 2 ? 9 : 20};
        struct network n = network_of(1, k % 4, shape);
        n.dic = k % 3 ? 9 : 0, n.peephole = k % 3 != 1, n.weights_tag = weights[k / 8];
        if (n.layers == 2 && n.dic == 0) n.slc = n.dhc;
        run_network(&n);
    }
    assert_int_equal(failures, 0);
}

/* The loss whose gradients are tested: the sum of all results times what is given as their gradients. */
static double loss(const struct network *n, struct net_arrays *arrays, const struct net_arrays *diffs) {
    struct net_arrays errors, results;
    double sum = 0;
    net_like(arrays, &errors, dnnl_f64);
    net_like(arrays, &results, dnnl_f64);
    for (int i = 0; i < NET_DST_LAYER; i++)
        if (results.tensors[i].values)
            memcpy(results.tensors[i].values, arrays->tensors[i].values,
                   (size_t)results.tensors[i].count * sizeof(double));
    net_forward(n, &results, &errors);
    for (int i = NET_DST_LAYER; i < NET_TENSORS; i++)
        for (int64_t k = 0; results.tensors[i].values && k < results.tensors[i].count; k++)
            sum += results.tensors[i].values[k] * diffs->tensors[i].values[k];
    net_free(&errors);
    net_free(&results);
    return sum;
}

/* Central differences have an error of the third derivative times h^2 / 6, here well below 1e-5. */
static void compare_with_differences(const struct network *n) {
    const double h = 1e-4;
    struct net_arrays arrays, diffs, errors, gradients;
    net_fill(n, &arrays, 5);
    fill_diffs(&arrays, &diffs);
    fill_diffs(&arrays, &gradients);
    net_like(&arrays, &errors, dnnl_f64);
    for (int i = 0; i < NET_TENSORS; i++)
        gradients.tensors[i].type = dnnl_f64;
    net_backward(n, &arrays, &gradients, &errors);
    for (int i = 0; i < NET_DST_LAYER; i++)
        for (int64_t k = 0; arrays.tensors[i].values && k < arrays.tensors[i].count; k += 3) {
            double *x = &arrays.tensors[i].values[k], x0 = *x;
            *x = x0 + h;
            double above = loss(n, &arrays, &diffs);
            *x = x0 - h;
            double below = loss(n, &arrays, &diffs), slope = (above - below) / (2 * h);
            *x = x0;
            double expected = gradients.tensors[i].values[k];
            if (fabs(slope - expected) > 1e-5)
                failure("cell 0x%x, tensor %d, element %lld: %g instead of %g", (unsigned)n->cell, i,
                        (long long)k, expected, slope);
        }
    struct net_arrays *all[] = {&arrays, &diffs, &gradients, &errors};
    for (int i = 0; i < COUNT(all); i++)
        net_free(all[i]);
}

static void differences(void **state) {
    (void)state;
    failures = 0;
    static const dnnl_dim_t shape[] = {1, 3, 2, 3, 4}, deep[] = {2, 2, 1, 3, 3};
    for (int c = 0; c < COUNT(cells); c++)
        for (int d = 0; d < COUNT(directions); d++) {
            struct network n = network_of(c, d, shape);
            n.states = true, n.overwrite = true;
            if (n.activation == dnnl_eltwise_relu) n.activation = dnnl_eltwise_tanh; /* it has no kink */
            if (is_legal(&n)) compare_with_differences(&n);
            n.layers = deep[0], n.slc = deep[3], n.dhc = deep[4];
            if (is_legal(&n)) compare_with_differences(&n);
        }
    for (int k = 0; k < 4; k++) {
        struct network n = network_of(1, k, shape);
        n.states = n.overwrite = true, n.peephole = k % 2 == 0, n.dic = k > 1 ? 3 : 0;
        compare_with_differences(&n);
    }
    assert_int_equal(failures, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(differences),
            cmocka_unit_test(cells_and_directions),
            cmocka_unit_test(layouts_and_types),
            cmocka_unit_test(lstm_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
