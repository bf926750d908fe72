/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The objects behind the public handles. Each is counted by references, so that users may destroy them in any
 * order: a memory, stream, descriptor or primitive keeps its engine alive, and an engine its device.
 */
#ifndef LODE_CORE_OBJECTS_H
#define LODE_CORE_OBJECTS_H

#include "base/pool.h"
#include "core/plan.h"

struct dnnl_engine {
    _Atomic int references;
    dnnl_engine_kind_t kind;
    struct device *device;
};

struct dnnl_stream {
    struct stream base;      /* the part that the runtime sees */
    struct pool_guest guest; /* what base.threads refers to; its object is NULL if there is none */
    struct dnnl_engine *engine;
    uint64_t id; /* unique in the process */
    /* core/scratchpad.h: for asynchronous runtimes, largest first. The lock is held while the list grows. */
    pthread_mutex_t scratch_lock;
    _Atomic(struct scratch *) scratch;
};

struct dnnl_memory {
    struct dnnl_engine *engine; /* NULL for host scalars */
    md_t md;
    enum buffer_kind kind; /* of its buffers, now and after a change of handle */
    int nhandles;          /* as many as the user passed */
    struct buffer buffers[MD_MAX_HANDLES];
    union {
        uint64_t bits;
        float f32;
        int32_t s32;
    } scalar; /* host scalars: the value's bytes */
};

struct dnnl_primitive_desc {
    struct dnnl_engine *engine, *src_engine,
            *dst_engine; /* the last two are for reorders; else equal to engine */
    struct plan *plan;
    bool hit; /* the cache had it */
};

struct dnnl_primitive {
    _Atomic int references;
    struct dnnl_primitive_desc desc; /* its own copy, with its own references */
    struct sized_plans *sized;       /* for sizes known only at execution: core/sized_plans.h; else NULL */
};

/* Engines and devices: core/engine.c */
dnnl_status_t engine_create(struct dnnl_engine **engine, const struct runtime *runtime,
                            const struct device_origin *origin);
struct dnnl_engine *engine_retain(struct dnnl_engine *engine);
void engine_release(struct dnnl_engine *engine);
static inline const struct runtime *engine_runtime(const struct dnnl_engine *engine) {
    return engine->device->runtime;
}

/* The memory passed for an execution argument, or NULL. */
static inline const struct dnnl_memory *exec_memory(int arg, int nargs, const dnnl_exec_arg_t *args) {
    for (int i = 0; i < nargs; i++)
        if (args[i].arg == arg) return args[i].memory;
    return NULL;
}

/* One call of an execution function. */
struct call {
    const struct dnnl_primitive *primitive;
    struct dnnl_stream *stream;
    int nargs;
    const dnnl_exec_arg_t *args;
    int ndeps;
    const void *deps;
    void *return_event;
};
/* Execution: core/execute.c. Checks the arguments, binds them and passes the plan to the stream's runtime. */
dnnl_status_t primitive_execute(const struct call *call);
/* The same, when all arguments are known to be on the stream's device. */
dnnl_status_t execute_here(const struct call *call);

/* For a recorded execution: checks and binds arguments that replace those of the same numbers. `buffers` is
 * indexed by slot and `scalars` by the program's scalars; entries that do not change become NULL. The values
 * of scalars are stored in `values`. */
dnnl_status_t execution_bind_update(const struct plan *plan, int nargs, const dnnl_exec_arg_t *args,
                                    const struct buffer **buffers, const uint32_t **scalars,
                                    uint32_t *values);

/* The value of a host scalar in the form that a kernel reads: core/host_scalar.c. */
uint32_t host_scalar_bits(const struct dnnl_memory *memory, enum scalar_form form);

/* Primitives: core/primitive.c. *hit: it was in the cache. */
dnnl_status_t primitive_create(struct dnnl_primitive **primitive, const struct dnnl_primitive_desc *desc,
                               bool *hit);
void primitive_release(struct dnnl_primitive *primitive);
/* Loads a plan onto its device and reserves a scratchpad for it. */
dnnl_status_t plan_prepare(struct plan *plan, bool *hit);

/* Cache blobs: core/blob.c. A blob of a primitive holds its compiled kernels. */
/* Bytes that differ between blobs of different plans, devices and libraries; none (*size 0) if the runtime
 * has no blobs. They are valid as long as the plan. */
dnnl_status_t plan_blob_id(struct plan *plan, const uint8_t **id, size_t *size);
dnnl_status_t primitive_save(const struct dnnl_primitive *primitive, size_t *size, uint8_t *blob);
dnnl_status_t device_restore(struct device *device, size_t size, const uint8_t *blob);
/* Creates an engine whose device loads programs from a blob; blob NULL: engine_create. */
dnnl_status_t engine_create_restored(struct dnnl_engine **engine, const struct runtime *runtime,
                                     const struct device_origin *origin, size_t size, const uint8_t *blob);

/* Creates a descriptor from a filled-in problem: the last step of every dnnl_*_primitive_desc_create. */
dnnl_status_t primitive_desc_create(struct dnnl_primitive_desc **desc, struct dnnl_engine *engine,
                                    const struct implementation *implementations,
                                    const struct problem *problem, const attr_t *attr);
/* For a reorder between two engines. */
void primitive_desc_set_engines(struct dnnl_primitive_desc *desc, struct dnnl_engine *src,
                                struct dnnl_engine *dst);
void primitive_desc_copy(struct dnnl_primitive_desc *to, const struct dnnl_primitive_desc *from);
void primitive_desc_clear(struct dnnl_primitive_desc *desc);

#endif
