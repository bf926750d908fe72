/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reorders from one device to another. The plan is that of an ordinary reorder on the stream's device, with a
 * staging memory there in place of the argument on the other device. A source is copied inside execute,
 * before the launches are submitted. For a destination, execute waits for the launches and then copies.
 */
#include "core/cross_device.h"
#include "core/memory.h"
#include "base/verbose.h"

#include <stdlib.h>
#include <string.h>

static const char component[] = "reorder";

struct dnnl_engine *engine_between(struct dnnl_engine *src, struct dnnl_engine *dst) {
    if (engine_runtime(src) == &host_runtime) return dst;
    if (engine_runtime(dst) == &host_runtime) return src;
    return dst->kind == dnnl_cpu ? src : dst;
}

bool desc_crosses_devices(const struct dnnl_primitive_desc *desc) {
    return desc->src_engine->device != desc->dst_engine->device;
}

static dnnl_status_t copy_mapped(const struct dnnl_memory *to, const struct dnnl_memory *from) {
    void *source, *target;
    TRY(memory_map(from, 0, &source));
    dnnl_status_t status = memory_map(to, 0, &target), unmapped;
    if (status == dnnl_success) {
        if (source && target) memcpy(target, source, memory_size(&from->md, 0));
        status = memory_unmap(to, 0, target);
    }
    unmapped = memory_unmap(from, 0, source);
    return status == dnnl_success ? unmapped : status;
}

/* Does an execution read the old contents of its destination, or leave some of them unchanged? */
static bool keeps_old_bytes(const struct dnnl_primitive_desc *desc, const md_t *dst) {
    return desc->plan->attr.post_ops.len > 0 || dst->offset0 != 0 || !md_is_dense(dst, true);
}

/* Executes with `here` in place of `there`. */
static dnnl_status_t execute_staged(const struct call *call, int arg, const struct dnnl_memory *there,
                                    struct dnnl_memory *here) {
    dnnl_exec_arg_t *args = malloc((size_t)call->nargs * sizeof *args);
    if (!args) return dnnl_out_of_memory;
    for (int i = 0; i < call->nargs; i++)
        args[i] = call->args[i].arg == arg ? (dnnl_exec_arg_t){arg, here} : call->args[i];
    struct call staged = *call;
    staged.args = args;

    bool is_dst = arg == DNNL_ARG_TO;
    dnnl_status_t status = dnnl_success;
    if (!is_dst || keeps_old_bytes(&call->primitive->desc, &there->md)) status = copy_mapped(here, there);
    if (status == dnnl_success) status = execute_here(&staged);
    if (status == dnnl_success && is_dst)
        status = engine_runtime(here->engine)->stream_wait(&call->stream->base);
    if (status == dnnl_success && is_dst) status = copy_mapped(there, here);
    free(args);
    return status;
}

static dnnl_status_t check(const struct call *call, int arg, const struct device *device) {
    const struct runtime *runtime = engine_runtime(call->stream->engine);
    const struct dnnl_memory *memory = exec_memory(arg, call->nargs, call->args);
    if (!memory || !memory->engine || memory->engine->device != device)
        return fail_exec(dnnl_invalid_arguments, component, "argument %d is missing or on another device",
                         arg);
    if (memory->buffers[0].kind == BUFFER_NONE && md_size(&memory->md, 0) > 0)
        return fail_exec(dnnl_invalid_arguments, component, "argument %d has no buffer", arg);
    if (runtime->stream_records && runtime->stream_records(&call->stream->base))
        return fail_exec(dnnl_unimplemented, component, "a cross-device reorder cannot be recorded");
    return dnnl_success;
}

dnnl_status_t execute_cross_device(const struct call *call) {
    const struct dnnl_primitive_desc *desc = &call->primitive->desc;
    bool is_dst = desc->src_engine->device == desc->engine->device;
    int arg = is_dst ? DNNL_ARG_TO : DNNL_ARG_FROM;
    TRY(check(call, arg, (is_dst ? desc->dst_engine : desc->src_engine)->device));

    const struct dnnl_memory *there = exec_memory(arg, call->nargs, call->args);
    enum buffer_kind kind = engine_runtime(desc->engine)->buffer_kind;
    struct dnnl_memory *here;
    void *handle = DNNL_MEMORY_ALLOCATE;
    TRY(memory_create(&here, &there->md, desc->engine, kind, 1, &handle));
    dnnl_status_t status = execute_staged(call, arg, there, here);
    memory_destroy(here);
    return status;
}
