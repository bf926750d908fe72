/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Execution: checks the arguments, binds them to the launches of a plan and hands the plan to the runtime.
 * This is the hot path of small problems: it allocates nothing, takes no lock and looks at each argument
 * once.
 */
#include "core/cross_device.h"
#include "core/report.h"
#include "core/scratchpad.h"
#include "base/verbose.h"
#include "oneapi/dnnl/dnnl_debug.h"

#include <stdlib.h>

static const char *kind_name(const struct plan *plan) {
    return dnnl_prim_kind2str(plan->problem.kind);
}

/* One argument of the plan: it must be passed, once, on this device, with a buffer of its size. */
static dnnl_status_t check_argument(const struct plan *plan, int arg, const md_t *md, int nargs,
                                    const dnnl_exec_arg_t *args) {
    const struct dnnl_memory *memory = exec_memory(arg, nargs, args);
    if (!memory) return fail_exec(dnnl_invalid_arguments, kind_name(plan), "argument %d is missing", arg);
    bool scalar = md_is_host_scalar(&memory->md);
    if (scalar != md_is_host_scalar(md))
        return fail_exec(dnnl_invalid_arguments, kind_name(plan), "argument %d is %s host scalar", arg,
                         scalar ? "a" : "no");
    if (scalar) return dnnl_success;
    if (memory->engine->device != plan->device)
        return fail_exec(dnnl_invalid_arguments, kind_name(plan), "argument %d belongs to another device",
                         arg);
    if (memory->buffers[0].kind == BUFFER_NONE && md_size(md, 0) > 0)
        return fail_exec(dnnl_invalid_arguments, kind_name(plan), "argument %d has no buffer", arg);
    return dnnl_success;
}

static dnnl_status_t check_duplicates(const struct plan *plan, int nargs, const dnnl_exec_arg_t *args) {
    for (int i = 0; i < nargs; i++)
        for (int k = 0; k < i; k++)
            if (args[i].arg == args[k].arg)
                return fail_exec(dnnl_invalid_arguments, kind_name(plan), "argument %d is passed twice",
                                 args[i].arg);
    return dnnl_success;
}

static dnnl_status_t check_arguments(const struct plan *plan, int nargs, const dnnl_exec_arg_t *args) {
    TRY(check_duplicates(plan, nargs, args));
    for (int i = 0; i < plan->problem.ntensors; i++) {
        const struct problem_tensor *tensor = &plan->problem.tensors[i];
        if (!tensor->inside) TRY(check_argument(plan, tensor->arg, &tensor->md, nargs, args));
    }
    return dnnl_success;
}

/* The descriptor of what the user passes as this argument, or NULL. */
static const md_t *passed_md(const struct plan *plan, int arg) {
    bool users = plan->scratchpad_size > 0 && plan->attr.scratchpad_mode == dnnl_scratchpad_mode_user;
    if (arg == DNNL_ARG_SCRATCHPAD) return users ? &plan->scratchpad_md : NULL;
    for (int i = 0; i < plan->problem.ntensors; i++) {
        const struct problem_tensor *tensor = &plan->problem.tensors[i];
        if (tensor->arg == arg && !tensor->inside) return &tensor->md;
    }
    return NULL;
}

dnnl_status_t execution_check_update(const struct plan *plan, int nargs, const dnnl_exec_arg_t *args) {
    TRY(check_duplicates(plan, nargs, args));
    for (int i = 0; i < nargs; i++) {
        const md_t *md = passed_md(plan, args[i].arg);
        if (!md)
            return fail_exec(dnnl_invalid_arguments, kind_name(plan), "there is no argument %d", args[i].arg);
        TRY(check_argument(plan, args[i].arg, md, nargs, args));
        if (!md_equal(&args[i].memory->md, md))
            return fail_exec(dnnl_invalid_arguments, kind_name(plan), "argument %d has another descriptor",
                             args[i].arg);
    }
    return dnnl_success;
}

/* The scratchpad's buffer: the user's, or that of a slot to be given back. */
static dnnl_status_t find_scratchpad(const struct plan *plan, struct dnnl_stream *stream, int nargs,
                                     const dnnl_exec_arg_t *args, const struct buffer **buffer,
                                     struct scratch **slot) {
    if (plan->scratchpad_size == 0) return dnnl_success;
    if (plan->attr.scratchpad_mode == dnnl_scratchpad_mode_user) {
        const struct dnnl_memory *memory = exec_memory(DNNL_ARG_SCRATCHPAD, nargs, args);
        if (!memory || memory->buffers[0].kind == BUFFER_NONE
            || md_size(&memory->md, 0) < plan->scratchpad_size)
            return fail_exec(dnnl_invalid_arguments, kind_name(plan),
                             "the user's scratchpad is missing or too small");
        *buffer = &memory->buffers[0];
        return dnnl_success;
    }
    *slot = scratch_take(stream, plan->scratchpad_size);
    if (!*slot) return fail_exec(dnnl_out_of_memory, kind_name(plan), "no memory for a scratchpad");
    *buffer = &(*slot)->buffer;
    return dnnl_success;
}

static void bind_launch(struct execution *e, int index, int nargs, const dnnl_exec_arg_t *args,
                        const struct buffer *scratchpad) {
    const struct launch *launch = &e->plan->launches[index];
    for (int b = 0; b < launch->nbuffers; b++) {
        int arg = launch->buffers[b];
        const struct dnnl_memory *memory = NULL;
        if (arg != ARG_NOTHING && arg != ARG_SCRATCHPAD) memory = exec_memory(arg, nargs, args);
        e->buffers[index][b] = arg == ARG_SCRATCHPAD ? scratchpad : memory ? &memory->buffers[0] : NULL;
    }
    for (int s = 0; s < launch->nscalars; s++) {
        const struct dnnl_memory *memory = exec_memory(launch->scalars[s].arg, nargs, args);
        e->scalars[index][s] = memory ? host_scalar_bits(memory, launch->scalars[s].form) : 0;
    }
}

static dnnl_status_t submit(const struct plan *plan, const struct call *call) {
    TRY(check_arguments(plan, call->nargs, call->args));
    const struct buffer *scratchpad = NULL;
    struct scratch *slot = NULL;
    TRY(find_scratchpad(plan, call->stream, call->nargs, call->args, &scratchpad, &slot));

    struct execution e;
    e.plan = plan;
    e.scratchpad = slot ? &slot->buffer : NULL;
    e.ndeps = call->ndeps, e.deps = call->deps, e.return_event = call->return_event;
    for (int i = 0; i < plan->nlaunches; i++)
        bind_launch(&e, i, call->nargs, call->args, scratchpad);
    dnnl_status_t status = engine_runtime(call->stream->engine)->execute(call->stream, &e);
    if (slot) scratch_give_back(slot, call->stream);
    return status;
}

/* What the device measured, on a stream that profiles; else the time that has passed. */
static double exec_ms(struct dnnl_stream *stream, double passed) {
    const struct runtime *runtime = engine_runtime(stream->engine);
    int count = 0;
    if (!(stream->flags & dnnl_stream_profiling) || !runtime->profiling_query) return passed;
    if (runtime->profiling_query(stream, &count, NULL) != dnnl_success || count == 0) return passed;
    uint64_t *ns = malloc((size_t)count * sizeof *ns);
    if (ns && runtime->profiling_query(stream, &count, ns) == dnnl_success && ns[count - 1] > 0)
        passed = (double)ns[count - 1] / 1e6;
    free(ns);
    return passed;
}

/* Waits before and after, so that the time is that of the primitive alone. */
static dnnl_status_t submit_and_report(const struct plan *plan, const struct call *call) {
    struct dnnl_stream *stream = call->stream;
    const struct runtime *runtime = engine_runtime(stream->engine);
    dnnl_status_t status = runtime->stream_wait(stream);
    double start = verbose_now_ms();
    if (status == dnnl_success) status = submit(plan, call);
    if (status == dnnl_success) status = runtime->stream_wait(stream);
    if (status == dnnl_success)
        report_plan("exec", stream->engine, plan, exec_ms(stream, verbose_now_ms() - start));
    return status;
}

dnnl_status_t execute_here(const struct call *call) {
    const struct plan *plan;
    TRY(primitive_plan(&plan, call->primitive, call->nargs, call->args));
    return verbose_on(VERBOSE_EXEC) ? submit_and_report(plan, call) : submit(plan, call);
}

dnnl_status_t primitive_execute(const struct call *call) {
    const struct dnnl_primitive *primitive = call->primitive;
    if (!primitive || !call->stream || call->nargs < 0 || (call->nargs > 0 && !call->args) || call->ndeps < 0
        || (call->ndeps > 0 && !call->deps))
        return fail_exec(dnnl_invalid_arguments, "primitive", "null or negative argument to execute");
    if (call->stream->engine != primitive->desc.engine)
        return fail_exec(dnnl_invalid_arguments, kind_name(primitive->desc.plan),
                         "the stream belongs to another engine");
    return desc_crosses_devices(&primitive->desc) ? execute_cross_device(call) : execute_here(call);
}
