/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The objects behind the public handles. Each is counted by references, so that users may destroy them in any
 * order: a memory, stream, descriptor or primitive keeps its engine alive, and an engine its device.
 */
#ifndef LODE_CORE_OBJECTS_H
#define LODE_CORE_OBJECTS_H

#include "runtimes/runtime.h"

struct dnnl_engine {
    _Atomic int references;
    dnnl_engine_kind_t kind;
    size_t index;
    struct device *device;
};

struct dnnl_stream {
    _Atomic int references;
    struct dnnl_engine *engine;
    unsigned flags; /* dnnl_stream_flags_t */
    uint64_t id;    /* unique in the process: names the stream after it has gone */
    void *state;    /* the runtime's own */
};

struct dnnl_memory {
    struct dnnl_engine *engine; /* NULL for host scalars */
    md_t md;
    int nhandles; /* as many as the user brought */
    struct buffer buffers[MD_MAX_HANDLES];
    union {
        uint64_t bits;
        float f32;
        int32_t s32;
    } scalar; /* host scalars: the value's bytes */
};

struct dnnl_primitive_desc {
    struct dnnl_engine *engine, *src_engine,
            *dst_engine; /* the last two for reorders; else equal to engine */
    struct plan *plan;
    int next; /* implementation to try on next_impl */
    bool hit; /* the cache had it */
};

struct scratch; /* one scratchpad of a primitive */

struct dnnl_primitive {
    _Atomic int references;
    struct dnnl_primitive_desc desc; /* its own copy, with its own references */
    _Atomic(struct scratch *) scratch;
};

/* Engines and devices: core/engine.c */
struct dnnl_engine *engine_retain(struct dnnl_engine *engine);
void engine_release(struct dnnl_engine *engine);
static inline const struct runtime *engine_runtime(const struct dnnl_engine *engine) {
    return engine->device->runtime;
}

/* Execution: core/execute.c. Checks the arguments, binds them and hands the plan to the stream's runtime. */
dnnl_status_t primitive_execute(const struct dnnl_primitive *primitive, struct dnnl_stream *stream, int nargs,
                                const dnnl_exec_arg_t *args, int ndeps, const void *deps, void *return_event);

/* Creation of a descriptor from a filled-in problem: what every dnnl_*_primitive_desc_create ends with. */
dnnl_status_t primitive_desc_create(struct dnnl_primitive_desc **desc, struct dnnl_engine *engine,
                                    const struct problem *problem, const attr_t *attr);

#endif
