/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Execution: checks the arguments, binds them to the launches of a plan and passes the plan to the runtime.
 * This is the hot path of small problems: it allocates nothing, takes no lock and reads each argument once.
 */
#include "core/cross_device.h"
#include "core/report.h"
#include "core/scratchpad.h"
#include "core/sized_plans.h"
#include "base/verbose.h"
#include "oneapi/dnnl/dnnl_debug.h"

#include <stdlib.h>

static const char *kind_name(const struct plan *plan) {
    return dnnl_prim_kind2str(plan->problem.kind);
}

/* Tries the next argument first: callers usually pass arguments in the order of slots. */
static const struct dnnl_memory *find_memory(int arg, int nargs, const dnnl_exec_arg_t *args, int *next) {
    for (int tried = 0, i = *next; tried < nargs; tried++, i++) {
        if (i >= nargs) i = 0;
        if (args[i].arg != arg) continue;
        *next = i + 1;
        return args[i].memory;
    }
    return NULL;
}

/* An argument must be on this device, with a buffer if it has any bytes. */
static dnnl_status_t check_memory(const struct plan *plan, int slot, const struct dnnl_memory *memory) {
    int arg = plan->program->slots[slot].arg;
    enum argument wanted = plan->arguments[slot];
    bool scalar = md_is_host_scalar(&memory->md);
    if (scalar != (wanted == ARGUMENT_SCALAR))
        return fail_exec(dnnl_invalid_arguments, kind_name(plan), "argument %d is %s host scalar", arg,
                         scalar ? "a" : "not a");
    if (scalar) return dnnl_success;
    if (memory->engine->device != plan->device)
        return fail_exec(dnnl_invalid_arguments, kind_name(plan), "argument %d belongs to another device",
                         arg);
    if (wanted == ARGUMENT_BUFFER && memory->buffers[plan->program->slots[slot].handle].kind == BUFFER_NONE)
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

static dnnl_status_t bind_slots(const struct plan *plan, int nargs, const dnnl_exec_arg_t *args,
                                const struct buffer **buffers) {
    const struct program *program = plan->program;
    TRY(check_duplicates(plan, nargs, args));
    for (int slot = SLOT_FIRST_ARGUMENT, next = 0; slot < program->nslots; slot++) {
        int arg = program->slots[slot].arg;
        const struct dnnl_memory *memory = find_memory(arg, nargs, args, &next);
        buffers[slot] = memory ? &memory->buffers[program->slots[slot].handle] : NULL;
        if (plan->arguments[slot] == ARGUMENT_OPTIONAL) continue;
        if (!memory) return fail_exec(dnnl_invalid_arguments, kind_name(plan), "argument %d is missing", arg);
        TRY(check_memory(plan, slot, memory));
    }
    return dnnl_success;
}

static void bind_scalars(const struct program *program, int nargs, const dnnl_exec_arg_t *args,
                         uint32_t *values) {
    for (int i = 0; i < program->nscalars; i++) {
        const struct scalar *scalar = &program->scalars[i];
        const struct dnnl_memory *memory = exec_memory(program->slots[scalar->slot].arg, nargs, args);
        values[i] = memory ? host_scalar_bits(memory, scalar->form) : 0;
    }
}

/* The scratchpad's buffer: the user's, or that of *slot, which the caller gives back. */
static dnnl_status_t find_scratchpad(const struct plan *plan, const struct call *call,
                                     const struct buffer **buffer, struct scratch **slot) {
    size_t size = plan->program->scratchpad_size;
    if (size == 0) return dnnl_success;
    if (plan->attr.scratchpad_mode == dnnl_scratchpad_mode_user) {
        const struct dnnl_memory *memory = exec_memory(DNNL_ARG_SCRATCHPAD, call->nargs, call->args);
        if (!memory || memory->buffers[0].kind == BUFFER_NONE || md_size(&memory->md, 0) < size)
            return fail_exec(dnnl_invalid_arguments, kind_name(plan),
                             "the user's scratchpad is missing or too small");
        *buffer = &memory->buffers[0];
        return dnnl_success;
    }
    *slot = scratch_take(call->stream, size);
    if (!*slot) return fail_exec(dnnl_out_of_memory, kind_name(plan), "no memory for a scratchpad");
    *buffer = &(*slot)->buffer;
    return dnnl_success;
}

/* Slots and scalars are few and their number is known, so they are on the stack. */
static dnnl_status_t submit(struct plan *plan, const struct call *call) {
    const struct program *program = plan->program;
    const struct buffer *buffers[program->nslots];
    uint32_t scalars[program->nscalars + 1];
    struct scratch *slot = NULL;
    buffers[SLOT_NOTHING] = buffers[SLOT_SCRATCHPAD] = NULL;
    TRY(bind_slots(plan, call->nargs, call->args, buffers));
    TRY(find_scratchpad(plan, call, &buffers[SLOT_SCRATCHPAD], &slot));
    bind_scalars(program, call->nargs, call->args, scalars);
    const struct execution e = {.executable = plan->executable,
                                .owner = &plan->counted,
                                .buffers = buffers,
                                .scalars = scalars,
                                .ndeps = call->ndeps,
                                .deps = call->deps,
                                .return_event = call->return_event,
                                .scratchpad = slot ? &slot->buffer : NULL};
    dnnl_status_t status = engine_runtime(call->stream->engine)->execute(&call->stream->base, &e);
    if (slot) scratch_give_back(slot, call->stream);
    return status;
}

/* Updates of recorded executions. */

/* The descriptor that the user's memory for this argument must have, or NULL. */
static const md_t *passed_md(const struct plan *plan, int arg) {
    bool users =
            plan->program->scratchpad_size > 0 && plan->attr.scratchpad_mode == dnnl_scratchpad_mode_user;
    if (arg == DNNL_ARG_SCRATCHPAD) return users ? &plan->scratchpad_md : NULL;
    for (int i = 0; i < plan->problem.ntensors; i++) {
        const struct problem_tensor *tensor = &plan->problem.tensors[i];
        if (tensor->arg == arg && tensor_is_passed(tensor)) return &tensor->md;
    }
    return NULL;
}

static dnnl_status_t check_update(const struct plan *plan, const dnnl_exec_arg_t *arg) {
    const md_t *md = passed_md(plan, arg->arg);
    if (!md) return fail_exec(dnnl_invalid_arguments, kind_name(plan), "there is no argument %d", arg->arg);
    if (!arg->memory)
        return fail_exec(dnnl_invalid_arguments, kind_name(plan), "argument %d is missing", arg->arg);
    if (!md_equal(&arg->memory->md, md))
        return fail_exec(dnnl_invalid_arguments, kind_name(plan), "argument %d has another descriptor",
                         arg->arg);
    return dnnl_success;
}

static dnnl_status_t bind_changed(const struct plan *plan, int slot, int nargs, const dnnl_exec_arg_t *args,
                                  const struct buffer **buffer) {
    const struct argument_slot *bound = &plan->program->slots[slot];
    const struct dnnl_memory *memory = exec_memory(bound->arg, nargs, args);
    *buffer = NULL;
    if (!memory) return dnnl_success;
    TRY(check_memory(plan, slot, memory));
    *buffer = &memory->buffers[bound->handle];
    return dnnl_success;
}

dnnl_status_t execution_bind_update(const struct plan *plan, int nargs, const dnnl_exec_arg_t *args,
                                    const struct buffer **buffers, const uint32_t **scalars,
                                    uint32_t *values) {
    const struct program *program = plan->program;
    TRY(check_duplicates(plan, nargs, args));
    for (int i = 0; i < nargs; i++)
        TRY(check_update(plan, &args[i]));
    const struct dnnl_memory *scratchpad = exec_memory(DNNL_ARG_SCRATCHPAD, nargs, args);
    buffers[SLOT_NOTHING] = NULL;
    buffers[SLOT_SCRATCHPAD] = scratchpad ? &scratchpad->buffers[0] : NULL;
    for (int slot = SLOT_FIRST_ARGUMENT; slot < program->nslots; slot++)
        TRY(bind_changed(plan, slot, nargs, args, &buffers[slot]));
    bind_scalars(program, nargs, args, values);
    for (int i = 0; i < program->nscalars; i++) {
        int arg = program->slots[program->scalars[i].slot].arg;
        scalars[i] = exec_memory(arg, nargs, args) ? &values[i] : NULL;
    }
    return dnnl_success;
}

/* The time that the device measured, on a profiling stream; else the elapsed time. */
static double exec_ms(struct dnnl_stream *stream, double passed) {
    const struct runtime *runtime = engine_runtime(stream->engine);
    int count = 0;
    if (!(stream->base.flags & dnnl_stream_profiling) || !runtime->profiling_query) return passed;
    if (runtime->profiling_query(&stream->base, &count, NULL) != dnnl_success || count == 0) return passed;
    uint64_t *ns = malloc((size_t)count * sizeof *ns);
    if (ns && runtime->profiling_query(&stream->base, &count, ns) == dnnl_success && ns[count - 1] > 0)
        passed = (double)ns[count - 1] / 1e6;
    free(ns);
    return passed;
}

/* Waits before and after the execution, so that only the primitive is timed. */
static dnnl_status_t submit_and_report(struct plan *plan, const struct call *call) {
    struct dnnl_stream *stream = call->stream;
    const struct runtime *runtime = engine_runtime(stream->engine);
    dnnl_status_t status = runtime->stream_wait(&stream->base);
    double start = verbose_now_ms();
    if (status == dnnl_success) status = submit(plan, call);
    if (status == dnnl_success) status = runtime->stream_wait(&stream->base);
    if (status == dnnl_success)
        report_plan("exec", stream->engine, plan, exec_ms(stream, verbose_now_ms() - start));
    return status;
}

static dnnl_status_t execute_plan(struct plan *plan, const struct call *call) {
    return verbose_on(VERBOSE_EXEC) ? submit_and_report(plan, call) : submit(plan, call);
}

dnnl_status_t execute_here(const struct call *call) {
    const struct dnnl_primitive *primitive = call->primitive;
    struct plan *plan = primitive->desc.plan;
    if (!plan->deferred) return execute_plan(plan, call);
    TRY(sized_plans_get(primitive->sized, plan, call->nargs, call->args, &plan));
    dnnl_status_t status = execute_plan(plan, call);
    plan_release(plan);
    return status;
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
