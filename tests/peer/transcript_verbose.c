/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the verbose lines of a series of primitives without what depends on the implementation: its name and
 * times. Tools parse these lines, so every other field must match oneDNN's.
 */
#define _GNU_SOURCE
#include "transcript.h"

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

static dnnl_engine_t engine;
static dnnl_stream_t stream;

/* Creates the primitive and optionally runs it once. `made` points to the descriptor. */
static void make(dnnl_status_t status, dnnl_primitive_desc_t *made, bool execute) {
    dnnl_primitive_desc_t pd = *made;
    enum { MAX_ARGS = 16 };
    dnnl_primitive_t primitive;
    dnnl_exec_arg_t args[MAX_ARGS];
    int nargs = 0;
    if (status != dnnl_success) {
        printf("no descriptor: %d\n", status);
        return;
    }
    MUST(dnnl_primitive_create(&primitive, pd));
    for (int arg = 0; execute && arg < 300 && nargs < MAX_ARGS; arg++) {
        const_dnnl_memory_desc_t desc = dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, arg);
        if (!desc || dnnl_memory_desc_get_size(desc) == 0) continue;
        args[nargs].arg = arg;
        MUST(dnnl_memory_create(&args[nargs].memory, desc, engine, DNNL_MEMORY_ALLOCATE));
        nargs++;
    }
    if (execute) {
        MUST(dnnl_primitive_execute(primitive, stream, nargs, args));
        MUST(dnnl_stream_wait(stream));
    }
    for (int i = 0; i < nargs; i++)
        dnnl_memory_destroy(args[i].memory);
    dnnl_primitive_destroy(primitive);
    dnnl_primitive_desc_destroy(pd);
}

static void primitives(void) {
    dnnl_primitive_desc_t pd = NULL;
    const dnnl_dims_t one = {1, 1, 1}, two = {2, 2, 2}, none = {0, 0, 0};
    make(dnnl_convolution_forward_primitive_desc_create(
                 &pd, engine, dnnl_forward_inference, dnnl_convolution_direct, MD(nhwc, f32, 2, 8, 7, 7),
                 MD(oihw, f32, 16, 8, 3, 3), MD(x, f32, 16), MD(nhwc, f32, 2, 16, 4, 4), two, NULL, one, one,
                 NULL),
         &pd, true);
    make(dnnl_convolution_forward_primitive_desc_create(
                 &pd, engine, dnnl_forward_training, dnnl_convolution_auto, MD(ncw, f32, 2, 8, 7),
                 MD(goiw, f32, 2, 8, 4, 3), NULL, MD(ncw, f32, 2, 16, 5), one, one, one, one, NULL),
         &pd, true);
    make(dnnl_convolution_forward_primitive_desc_create(
                 &pd, engine, dnnl_forward_inference, dnnl_convolution_direct, MD(ndhwc, f32, 2, 8, 7, 7, 7),
                 MD(dhwio, f32, 16, 8, 3, 3, 3), NULL, MD(ndhwc, f32, 2, 16, 4, 4, 4), two, NULL, one, one,
                 NULL),
         &pd, false);
    make(dnnl_eltwise_forward_primitive_desc_create(&pd, engine, dnnl_forward_training, dnnl_eltwise_linear,
                                                    MD(abcd, f32, 2, 3, 4, 5), MD(abcd, f32, 2, 3, 4, 5),
                                                    0.25f, 1e-7f, NULL),
         &pd, true);
    make(dnnl_lrn_forward_primitive_desc_create(&pd, engine, dnnl_forward_inference, dnnl_lrn_across_channels,
                                                MD(nchw, f32, 2, 16, 4, 5), MD(nchw, f32, 2, 16, 4, 5), 5,
                                                1e-4f, 0.75f, 1, NULL),
         &pd, true);
    make(dnnl_pooling_forward_primitive_desc_create(&pd, engine, dnnl_forward_training, dnnl_pooling_max,
                                                    MD(nhwc, f32, 2, 16, 7, 7), MD(nhwc, f32, 2, 16, 4, 4),
                                                    two, two, none, none, one, NULL),
         &pd, true);
    make(dnnl_pooling_forward_primitive_desc_create(&pd, engine, dnnl_forward_inference,
                                                    dnnl_pooling_avg_exclude_padding, MD(nwc, f32, 2, 16, 7),
                                                    MD(nwc, f32, 2, 16, 4), two, two, none, none, one, NULL),
         &pd, false);
    make(dnnl_softmax_forward_primitive_desc_create(&pd, engine, dnnl_forward_training, dnnl_softmax_log,
                                                    MD(abcd, f32, 2, 3, 4, 5), MD(abcd, f32, 2, 3, 4, 5), 1,
                                                    NULL),
         &pd, true);
    make(dnnl_inner_product_forward_primitive_desc_create(
                 &pd, engine, dnnl_forward_training, MD(nchw, f32, 2, 16, 4, 5), MD(oihw, f32, 10, 16, 4, 5),
                 MD(x, f32, 10), MD(nc, f32, 2, 10), NULL),
         &pd, true);
    make(dnnl_matmul_primitive_desc_create(&pd, engine, MD(ab, f32, 3, 4), MD(ab, f32, 4, 5),
                                           MD(ab, f32, 1, 5), MD(ab, f32, 3, 5), NULL),
         &pd, true);
    make(dnnl_matmul_primitive_desc_create(
                 &pd, engine, MD(abc, f32, 2, 3, 4), MD(acb, f32, 1, 4, 5), NULL,
                 keep(strided(3, (dnnl_dims_t){2, 3, 5}, dnnl_f32, (dnnl_dims_t){60, 20, 1})), NULL),
         &pd, false);
    make(dnnl_reorder_primitive_desc_create(&pd, MD(abcd, f32, 2, 3, 4, 5), engine,
                                            MD(acdb, bf16, 2, 3, 4, 5), engine, NULL),
         &pd, true);
    make(dnnl_reorder_primitive_desc_create(&pd, MD(abcd, f32, 2, 3, 4, 5), engine,
                                            MD(aBcd16b, s8, 2, 3, 4, 5), engine, NULL),
         &pd, false);
}

/* One attribute at a time, on a matmul. */

static void scales(dnnl_primitive_attr_t attr, dnnl_post_ops_t ops) {
    (void)ops;
    dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_DST, 0);
    dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_WEIGHTS, 2);
    dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_SRC, 0);
}
static void zero_points(dnnl_primitive_attr_t attr, dnnl_post_ops_t ops) {
    (void)ops;
    dnnl_primitive_attr_set_zero_points_mask(attr, DNNL_ARG_SRC, 0);
    dnnl_primitive_attr_set_zero_points_mask(attr, DNNL_ARG_DST, 0);
}
static void scratchpad(dnnl_primitive_attr_t attr, dnnl_post_ops_t ops) {
    dnnl_primitive_attr_set_scratchpad_mode(attr, dnnl_scratchpad_mode_user);
    dnnl_post_ops_append_sum(ops, 1, 0, dnnl_data_type_undef);
    dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_relu, 0, 0);
}
static void eltwise_chain(dnnl_primitive_attr_t attr, dnnl_post_ops_t ops) {
    (void)attr;
    dnnl_post_ops_append_sum(ops, 0.25f, 0, dnnl_data_type_undef);
    dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_linear, 1.0f / 3, 2e-9f);
    dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_clip, 0, 6);
    dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_tanh, 0, 0);
}
static void binary_chain(dnnl_primitive_attr_t attr, dnnl_post_ops_t ops) {
    (void)attr;
    dnnl_post_ops_append_binary(ops, dnnl_binary_add, MD(ab, f32, 1, 16));
    dnnl_post_ops_append_binary(ops, dnnl_binary_mul, MD(ab, f32, 1, 1));
    dnnl_post_ops_append_binary(ops, dnnl_binary_max, MD(ab, f32, 32, 16));
}
static void modes(dnnl_primitive_attr_t attr, dnnl_post_ops_t ops) {
    (void)ops;
    dnnl_primitive_attr_set_fpmath_mode(attr, dnnl_fpmath_mode_bf16);
    dnnl_primitive_attr_set_accumulation_mode(attr, dnnl_accumulation_mode_relaxed);
    dnnl_primitive_attr_set_deterministic(attr, 1);
}

static void attributes(void) {
    static void (*const changes[])(dnnl_primitive_attr_t, dnnl_post_ops_t) = {
            scales, zero_points, scratchpad, eltwise_chain, binary_chain, modes};
    for (int i = 0; i < COUNT(changes); i++) {
        dnnl_primitive_attr_t attr;
        dnnl_post_ops_t ops;
        dnnl_primitive_desc_t pd = NULL;
        MUST(dnnl_primitive_attr_create(&attr));
        MUST(dnnl_post_ops_create(&ops));
        changes[i](attr, ops);
        dnnl_primitive_attr_set_post_ops(attr, ops);
        bool integers = changes[i] == scales || changes[i] == zero_points;
        make(integers ? dnnl_matmul_primitive_desc_create(&pd, engine, MD(ab, u8, 32, 64), MD(ab, s8, 64, 16),
                                                          NULL, MD(ab, u8, 32, 16), attr)
                      : dnnl_matmul_primitive_desc_create(&pd, engine, MD(ab, f32, 32, 64),
                                                          MD(ab, f32, 64, 16), NULL, MD(ab, f32, 32, 16),
                                                          attr),
             &pd, false);
        dnnl_post_ops_destroy(ops);
        dnnl_primitive_attr_destroy(attr);
    }
}

/* Prints a primitive's line without implementation and time; ignores other lines. */
static void print_line(char *line) {
    enum { IMPLEMENTATION = 6, TIME = 12 };
    if (strncmp(line, "onednn_verbose,v1,primitive,", 28) != 0) {
        if (strncmp(line, "onednn_verbose,v1,", 18) != 0) printf("%s\n", line);
        return;
    }
    if (strstr(line, ",info,")) return;
    int field = 0;
    for (char *text; (text = strsep(&line, ",")); field++)
        if (field != IMPLEMENTATION && field != TIME) printf("%s%s", field ? "," : "", text);
    printf(" (%d fields)\n", field);
}

int main(void) {
    setenv("ONEDNN_VERBOSE", "profile", 1);
    unsetenv("ONEDNN_VERBOSE_TIMESTAMP");
    engine = cpu_engine();
    int own = dup(STDOUT_FILENO);
    FILE *lines = tmpfile();
    if (own < 0 || !lines || dnnl_stream_create(&stream, engine, dnnl_stream_default_flags) != dnnl_success)
        abort();
    dup2(fileno(lines), STDOUT_FILENO);
    primitives();
    attributes();
    fflush(stdout);
    dup2(own, STDOUT_FILENO);
    rewind(lines);
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, lines) > 0) {
        line[strcspn(line, "\n")] = 0;
        print_line(line);
    }
    free(line);
    fclose(lines);
    release_all();
    dnnl_stream_destroy(stream);
    dnnl_engine_destroy(engine);
    return 0;
}
