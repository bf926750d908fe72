/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Results of recurrent networks in both libraries, forward and backward, in f32: built with the peer, the
 * program writes its results to a file; built with ours, it compares every implementation with that file.
 *
 *     values_rnn write FILE      values_rnn check FILE
 *
 * Both may be off by the bound of the plain loop (networks.h); the peer's functions are less accurate, so
 * four times the bound is allowed.
 *
 * Left out: backward passes of AUGRU, and of networks without initial states. There the peer's gradients do
 * not agree with finite differences, as those of the plain loop do.
 */
#include "primitives/networks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *file;
static bool checking;
static int compared;

static void compare(const char *what, int arg, const struct array *theirs, const struct array *ours,
                    const struct array *error) {
    for (int64_t i = 0; i < ours->count; i++) {
        if (fabs(theirs->values[i] - ours->values[i]) <= 4 * error->values[i]) continue;
        failure("%s, argument %d: element %lld is %.9g, not %.9g within %.3g", what, arg, (long long)i,
                ours->values[i], theirs->values[i], 4 * error->values[i]);
        return;
    }
    compared++;
}

/* Writes a result, or compares it. */
static void take(const char *what, struct exec *exec, int arg, const struct array *like,
                 const struct array *error) {
    struct array ours = array_like(like, dnnl_f32), theirs = array_like(like, dnnl_f32);
    const size_t count = (size_t)ours.count;
    memory_read(exec_find(exec, arg), &ours);
    if (!checking)
        fwrite(ours.values, sizeof(double), count, file);
    else if (fread(theirs.values, sizeof(double), count, file) == count)
        compare(what, arg, &theirs, &ours, error);
    else
        abort();
    array_free(&ours);
    array_free(&theirs);
}

static void add(struct exec *exec, const_dnnl_primitive_desc_t pd, int arg, const struct array *array) {
    exec_add(exec, arg, memory_new(dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, arg), array));
}

static dnnl_memory_t run_forward(const char *what, const struct network *n, const struct net_arrays *arrays,
                                 const struct net_arrays *errors, dnnl_primitive_desc_t *pd) {
    struct exec exec = {0};
    MUST(net_forward_desc(pd, n, arrays, dnnl_forward_training));
    dnnl_memory_t workspace = memory_new(dnnl_primitive_desc_query_md(*pd, dnnl_query_workspace_md, 0), NULL);
    for (int i = 0; i < NET_TENSORS; i++)
        if (arrays->tensors[i].values)
            add(&exec, *pd, net_args[i], i < NET_DST_LAYER ? &arrays->tensors[i] : NULL);
    exec_borrow(&exec, DNNL_ARG_WORKSPACE, workspace);
    MUST(exec_run(&exec, *pd));
    for (int i = NET_DST_LAYER; i < NET_TENSORS; i++)
        if (arrays->tensors[i].values)
            take(what, &exec, net_args[i], &arrays->tensors[i], &errors->tensors[i]);
    exec_free(&exec);
    return workspace;
}

static void run_backward(const char *what, const struct network *n, const struct net_arrays *arrays,
                         const struct net_arrays *before, const struct net_arrays *errors,
                         const_dnnl_primitive_desc_t forward, dnnl_memory_t workspace) {
    dnnl_primitive_desc_t pd;
    struct exec exec = {0};
    MUST(net_backward_desc(&pd, n, arrays, before, forward));
    for (int i = 0; i < NET_TENSORS; i++) {
        if (!arrays->tensors[i].values) continue;
        add(&exec, pd, net_args[i], &arrays->tensors[i]);
        add(&exec, pd, net_args[i] + NET_DIFF, &before->tensors[i]);
    }
    exec_borrow(&exec, DNNL_ARG_WORKSPACE, workspace);
    MUST(exec_run(&exec, pd));
    for (int i = 0; i < NET_DST_LAYER; i++)
        if (arrays->tensors[i].values)
            take(what, &exec, net_args[i] + NET_DIFF, &arrays->tensors[i], &errors->tensors[i]);
    exec_free(&exec);
    dnnl_primitive_desc_destroy(pd);
}

static void run_network(const struct network *n) {
    struct net_arrays arrays, diffs, before, errors;
    char what[256];
    net_fill(n, &arrays, 11);
    net_like(&arrays, &before, dnnl_f32);
    net_like(&arrays, &diffs, dnnl_f32);
    net_like(&arrays, &errors, dnnl_f64);
    for (int i = 0; i < NET_TENSORS; i++)
        if (before.tensors[i].values) {
            array_fill_real(&before.tensors[i], 40u + (unsigned)i);
            memcpy(diffs.tensors[i].values, before.tensors[i].values,
                   (size_t)diffs.tensors[i].count * sizeof(double));
        }
    net_forward(n, &arrays, &errors);
    net_backward(n, &arrays, &diffs, &errors);
    net_describe(n, what, sizeof what);
    dnnl_primitive_desc_t pd = NULL;
    dnnl_memory_t workspace = run_forward(what, n, &arrays, &errors, &pd);
    bool attention = n->cell == dnnl_vanilla_augru || n->cell == dnnl_lbr_augru;
    if (!attention) run_backward(what, n, &arrays, &before, &errors, pd, workspace);
    dnnl_memory_destroy(workspace);
    dnnl_primitive_desc_destroy(pd);
    struct net_arrays *all[] = {&arrays, &diffs, &before, &errors};
    for (int i = 0; i < COUNT(all); i++)
        net_free(all[i]);
}

static void run_all(void) {
    static const dnnl_alg_kind_t cells[] = {dnnl_vanilla_rnn, dnnl_vanilla_lstm,  dnnl_vanilla_gru,
                                            dnnl_lbr_gru,     dnnl_vanilla_augru, dnnl_lbr_augru};
    static const dnnl_alg_kind_t activations[] = {dnnl_eltwise_tanh, dnnl_eltwise_relu,
                                                  dnnl_eltwise_logistic};
    static const dnnl_rnn_direction_t directions[] = {dnnl_unidirectional_left2right,
                                                      dnnl_unidirectional_right2left,
                                                      dnnl_bidirectional_concat, dnnl_bidirectional_sum};
    static const dnnl_dim_t shapes[][5] = {{1, 3, 2, 7, 5}, {2, 2, 3, 17, 17}, {1, 4, 1, 16, 32}};
    for (int c = 0; c < COUNT(cells); c++)
        for (int d = 0; d < (c < 4 ? COUNT(directions) : 1); d++)
            for (int s = 0; s < COUNT(shapes); s++)
                for (int option = 0; option < (cells[c] == dnnl_vanilla_lstm ? 3 : 1); option++) {
                    struct network n = {.cell = cells[c],
                                        .activation = activations[(d + s) % 3],
                                        .direction = directions[d],
                                        .layers = c < 4 ? shapes[s][0] : 1,
                                        .time = shapes[s][1],
                                        .batch = shapes[s][2],
                                        .slc = shapes[s][3],
                                        .dhc = shapes[s][4],
                                        .dic = option == 2 ? shapes[s][3] : 0,
                                        .peephole = option == 1,
                                        .states = true,
                                        .biased = true,
                                        .type = dnnl_f32,
                                        .layer_tag = "abc",
                                        .weights_tag = "abcde",
                                        .backward_tag = "abdec",
                                        .overwrite = s == 1};
                    run_network(&n);
                }
}

int main(int argc, char **argv) {
    dnnl_engine_t engine;
    if (argc != 3) return 2;
    if (dnnl_engine_create(&engine, dnnl_cpu, 0) != dnnl_success) return 77;
    dnnl_engine_destroy(engine);
    checking = strcmp(argv[1], "check") == 0;
    file = fopen(argv[2], checking ? "rb" : "wb");
    if (!file) return 2;
    run_all();
    fclose(file);
    if (checking) printf("%d comparisons\n", compared);
    return failures ? 1 : 0;
}
