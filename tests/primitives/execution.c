/* SPDX-License-Identifier: Apache-2.0 */
/* Execution of primitives and comparison of results: execution.h says what each function promises. */
#include "primitives/execution.h"

#include "count.h"
#include "primitives/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add(struct exec *exec, int arg, dnnl_memory_t memory, bool borrowed) {
    if (exec->nargs == MAX_ARGS) abort();
    exec->borrowed[exec->nargs] = borrowed;
    exec->args[exec->nargs++] = (dnnl_exec_arg_t){arg, memory};
}

void exec_add(struct exec *exec, int arg, dnnl_memory_t memory) {
    add(exec, arg, memory, false);
}

void exec_borrow(struct exec *exec, int arg, dnnl_memory_t memory) {
    add(exec, arg, memory, true);
}

void exec_add_array(struct exec *exec, int arg, const struct array *array, const char *tag) {
    dnnl_memory_desc_t md = md_of(array, tag);
    exec_add(exec, arg, memory_new(md, array));
    dnnl_memory_desc_destroy(md);
}

static void add_vector(struct exec *exec, int arg, const struct array *array) {
    struct array flat = *array;
    flat.ndims = 1;
    flat.dims[0] = array->count;
    exec_add_array(exec, arg, &flat, "a");
}

static void add_scalar(struct exec *exec, int arg, dnnl_data_type_t type, double value) {
    dnnl_memory_desc_t md;
    dnnl_memory_t memory;
    float f = (float)value;
    int32_t i = (int32_t)value;
    MUST(dnnl_memory_desc_create_host_scalar(&md, type));
    MUST(dnnl_memory_create_host_scalar(&memory, md, type == dnnl_f32 ? (void *)&f : (void *)&i));
    exec_add(exec, arg, memory);
    dnnl_memory_desc_destroy(md);
}

static void add_parameter(struct exec *exec, const struct attr_run *run, int arg, int mask,
                          const struct array *array) {
    if (run->c->host_scalars && mask == 0)
        add_scalar(exec, arg, array->type, array->values[0]);
    else
        add_vector(exec, arg, array);
}

static void add_operand(struct exec *exec, const_dnnl_primitive_desc_t pd, int arg,
                        const struct array *operand) {
    const_dnnl_memory_desc_t md = dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, arg);
    if (!md)
        failure("post-op argument %d has no descriptor", arg);
    else
        exec_add(exec, arg, memory_new(md, operand));
}

void exec_add_attr(struct exec *exec, const struct attr_run *run, const_dnnl_primitive_desc_t pd) {
    const struct attr_case *c = run->c;
    double weights_zero = c->weights_zero_point;
    struct array zero = {.ndims = 1, .dims = {1}, .type = dnnl_s32, .count = 1, .values = &weights_zero};
    if (c->src_scale != 0)
        add_parameter(exec, run, DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC, c->src_mask, &run->src_scales);
    if (c->weights_scale != 0)
        add_parameter(exec, run, DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS, c->weights_mask,
                      &run->weights_scales);
    if (c->dst_scale != 0)
        add_parameter(exec, run, DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST, c->dst_mask, &run->dst_scales);
    if (run->src_zeros.values)
        add_parameter(exec, run, DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_SRC, c->src_zero_mask, &run->src_zeros);
    if (c->weights_zero_point)
        add_parameter(exec, run, DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_WEIGHTS, 0, &zero);
    if (run->dst_zeros.values)
        add_parameter(exec, run, DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_DST, c->dst_zero_mask, &run->dst_zeros);
    for (int i = 0; i < run->nops; i++) {
        int post_op = DNNL_ARG_ATTR_MULTIPLE_POST_OP(i);
        if (c->ops[i].kind == dnnl_binary) add_operand(exec, pd, post_op | DNNL_ARG_SRC_1, &run->operands[i]);
        if (c->ops[i].kind == dnnl_prelu) {
            /* Slopes have no descriptor of their own: dense, channels last. */
            static const char *const tags[] = {"a", "ab", "acb", "acdb", "acdeb"};
            dnnl_memory_desc_t md = md_of(&run->operands[i], tags[run->operands[i].ndims - 1]);
            exec_add(exec, post_op | DNNL_ARG_WEIGHTS, memory_new(md, &run->operands[i]));
            dnnl_memory_desc_destroy(md);
        }
    }
}

dnnl_memory_t exec_find(const struct exec *exec, int arg) {
    for (int i = 0; i < exec->nargs; i++)
        if (exec->args[i].arg == arg) return exec->args[i].memory;
    return NULL;
}

dnnl_status_t exec_run(struct exec *exec, const_dnnl_primitive_desc_t pd) {
    dnnl_primitive_t primitive;
    dnnl_status_t status = dnnl_primitive_create(&primitive, pd);
    if (status != dnnl_success) return status;
    status = dnnl_primitive_execute(primitive, test_stream(), exec->nargs, exec->args);
    if (status == dnnl_success) status = dnnl_stream_wait(test_stream());
    dnnl_primitive_destroy(primitive);
    return status;
}

void exec_free(struct exec *exec) {
    for (int i = 0; i < exec->nargs; i++)
        if (!exec->borrowed[i]) dnnl_memory_destroy(exec->args[i].memory);
    exec->nargs = 0;
}

/* Comparison. */

void store_bounded(struct bounded x, int64_t index, struct array *values, struct array *error) {
    values->values[index] = x.value;
    if (error) error->values[index] = x.error;
}

void check_array(const char *what, const struct array *expected, const struct array *error,
                 const struct array *actual) {
    int64_t wrong = 0, first = -1;
    for (int64_t i = 0; i < expected->count; i++) {
        struct bounded x = {expected->values[i], error ? error->values[i] : 0};
        if (!within_bound(x, expected->type, actual->values[i]) && wrong++ == 0) first = i;
    }
    if (wrong)
        failure("%s: %lld of %lld wrong, element %lld is %.17g, not %.17g within %.3g", what,
                (long long)wrong, (long long)expected->count, (long long)first, actual->values[first],
                expected->values[first], error ? error->values[first] : 0);
}

/* Implementations. */

int implementations_run;
uint64_t results_hash;

/* Runs by name. The peer has many, and long ones. */
enum { NAME = 128 };
static struct {
    char name[NAME];
    int runs;
} counts[128];

static void count_run(const char *name) {
    int i = 0;
    while (counts[i].name[0] && strncmp(counts[i].name, name, NAME - 1) != 0)
        if (++i == COUNT(counts)) abort();
    snprintf(counts[i].name, sizeof counts[i].name, "%s", name);
    counts[i].runs++;
    implementations_run++;
}

int runs_of(const char *text) {
    int runs = 0;
    for (int i = 0; i < COUNT(counts); i++)
        if (strstr(counts[i].name, text)) runs += counts[i].runs;
    return runs;
}

/* The layout of a tensor. */
static dnnl_memory_desc_t layout_of(const_dnnl_primitive_desc_t pd, int arg, const struct array *array,
                                    const char *tag) {
    dnnl_memory_desc_t md = NULL;
    if (tag) return md_of(array, tag);
    MUST(dnnl_memory_desc_clone(&md, dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, arg)));
    return md;
}

static void add_input(struct exec *exec, const_dnnl_primitive_desc_t pd, const struct test_run *run,
                      const struct input *input) {
    if (!input->array->values) return;
    dnnl_memory_desc_t md = layout_of(pd, input->arg, input->array, input->tag);
    exec_add(exec, input->arg,
             run->reorder_inputs ? memory_reordered(md, input->array) : memory_new(md, input->array));
    dnnl_memory_desc_destroy(md);
}

static void add_output(struct exec *exec, const_dnnl_primitive_desc_t pd, const struct test_run *run,
                       const struct output *output) {
    if (!output->expected->values) return;
    if (output->in_place_of) {
        exec_borrow(exec, output->arg, exec_find(exec, output->in_place_of));
        return;
    }
    dnnl_memory_desc_t md = layout_of(pd, output->arg, output->expected, output->tag);
    dnnl_data_type_t type = dnnl_data_type_undef;
    MUST(dnnl_memory_desc_query(md, dnnl_query_data_type, &type));
    if (type != output->expected->type)
        failure("%s: argument %d has type %d", run->what, output->arg, (int)type);
    exec_add(exec, output->arg, memory_new(md, output->before));
    dnnl_memory_desc_destroy(md);
}

static void check_output(const char *what, const struct exec *exec, const struct output *output) {
    if (!output->expected->values) return;
    struct array actual = array_like(output->expected, output->expected->type);
    char text[320];
    snprintf(text, sizeof text, "%s, argument %d", what, output->arg);
    if (!memory_read(exec_find(exec, output->arg), &actual)) failure("%s: padding is not zero", text);
    check_array(text, output->expected, output->error, &actual);
    results_hash = array_hash(&actual, results_hash);
    array_free(&actual);
}

static void run_once(const_dnnl_primitive_desc_t pd, const struct test_run *run, const char *what) {
    struct exec exec = {0};
    for (int i = 0; i < MAX_INPUTS && run->inputs[i].arg; i++)
        add_input(&exec, pd, run, &run->inputs[i]);
    for (int i = 0; i < MAX_OUTPUTS && run->outputs[i].arg; i++)
        add_output(&exec, pd, run, &run->outputs[i]);
    if (run->attr) exec_add_attr(&exec, run->attr, pd);
    for (int i = 0; run->extra && i < run->extra->nargs; i++)
        exec_borrow(&exec, run->extra->args[i].arg, run->extra->args[i].memory);
    dnnl_status_t status = exec_run(&exec, pd);
    if (status != dnnl_success) failure("%s: execution gives %d", what, (int)status);
    for (int i = 0; status == dnnl_success && i < MAX_OUTPUTS && run->outputs[i].arg; i++)
        check_output(what, &exec, &run->outputs[i]);
    exec_free(&exec);
}

void run_implementation(const_dnnl_primitive_desc_t pd, const struct test_run *run) {
    char what[256];
    const char *info = "";
    uint64_t before = results_hash;
    dnnl_primitive_desc_query(pd, dnnl_query_impl_info_str, 0, &info);
    snprintf(what, sizeof what, "%s, %s", run->what, info);
    run_once(pd, run, what);
    count_run(info);
    if (!test_gpu()) return;
    uint64_t first = results_hash;
    results_hash = before;
    run_once(pd, run, what);
    if (results_hash != first) failure("%s: a second run gives other bits", what);
}

/* Universal implementations do one element at a time, which takes long when it is sanitized: there only one
 * in UNIVERSAL_SHARE runs of those that better ones stand before. */
#ifndef UNIVERSAL_SHARE
#define UNIVERSAL_SHARE 1
#endif

static int left_out;

static void print_left_out(void) {
    printf("%d runs of universal implementations left out: sanitized, they take long\n", left_out);
}

static bool is_left_out(const_dnnl_primitive_desc_t pd) {
    static int runs;
    const char *info = "";
    dnnl_primitive_desc_query(pd, dnnl_query_impl_info_str, 0, &info);
    if (!strstr(info, "universal") || runs++ % UNIVERSAL_SHARE == 0) return false;
    if (left_out++ == 0) atexit(print_left_out);
    return true;
}

void run_implementations(dnnl_status_t created, dnnl_primitive_desc_t pd, const struct test_run *run) {
    if (created != dnnl_success) {
        failure("%s: creation gives %d", run->what, (int)created);
        return;
    }
    run_implementation(pd, run);
    while (dnnl_primitive_desc_next_impl(pd) == dnnl_success)
        if (!is_left_out(pd)) run_implementation(pd, run);
    dnnl_primitive_desc_destroy(pd);
}
