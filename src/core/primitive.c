/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Primitive descriptors and primitives: thin handles on a plan, plus the scratchpads that executions use.
 * What is expensive sits in the plan and is shared.
 */
#include "core/objects.h"
#include "core/report.h"
#include "core/verbose.h"
#include "oneapi/dnnl/dnnl_debug.h"

#include <stdlib.h>

void primitive_desc_copy(struct dnnl_primitive_desc *to, const struct dnnl_primitive_desc *from) {
    *to = *from;
    engine_retain(to->engine);
    engine_retain(to->src_engine);
    engine_retain(to->dst_engine);
    plan_retain(to->plan);
}

void primitive_desc_clear(struct dnnl_primitive_desc *desc) {
    plan_release(desc->plan);
    engine_release(desc->src_engine);
    engine_release(desc->dst_engine);
    engine_release(desc->engine);
}

dnnl_status_t primitive_desc_create(struct dnnl_primitive_desc **desc, struct dnnl_engine *engine,
                                    const struct problem *problem, const attr_t *attr) {
    struct dnnl_primitive_desc *d = calloc(1, sizeof *d);
    if (!d) return dnnl_out_of_memory;
    attr_t defaults;
    attr_init(&defaults);
    dnnl_status_t status = plan_get(&d->plan, engine->device, problem, attr ? attr : &defaults, 0, &d->hit);
    if (status != dnnl_success) {
        free(d);
        return fail(status, dnnl_prim_kind2str(problem->kind), "no implementation takes this problem");
    }
    d->engine = engine_retain(engine);
    d->src_engine = engine_retain(engine);
    d->dst_engine = engine_retain(engine);
    *desc = d;
    return dnnl_success;
}

/* Adds one scratchpad; used only when none is free. */
static struct scratch *scratch_add(struct dnnl_primitive *primitive, uint64_t holder) {
    struct device *device = primitive->desc.engine->device;
    struct scratch *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    if (device->runtime->buffer_alloc(device, primitive->desc.plan->scratchpad_size, &s->buffer)
        != dnnl_success) {
        free(s);
        return NULL;
    }
    s->holder = holder;
    s->next = atomic_load(&primitive->scratch);
    while (!atomic_compare_exchange_weak(&primitive->scratch, &s->next, s))
        continue;
    return s;
}

struct scratch *scratch_take(const struct dnnl_primitive *primitive, const struct dnnl_stream *stream) {
    bool synchronous = engine_runtime(stream->engine)->synchronous;
    struct scratch *head = atomic_load(&primitive->scratch);
    if (!synchronous)
        for (struct scratch *s = head; s; s = s->next)
            if (atomic_load_explicit(&s->holder, memory_order_relaxed) == stream->id) return s;
    for (struct scratch *s = head; s; s = s->next) {
        uint64_t nobody = 0;
        if (atomic_compare_exchange_strong(&s->holder, &nobody, stream->id)) return s;
    }
    return scratch_add((struct dnnl_primitive *)primitive, stream->id);
}

void scratch_give_back(struct scratch *scratch, const struct dnnl_stream *stream) {
    if (engine_runtime(stream->engine)->synchronous) atomic_store(&scratch->holder, 0);
}

static bool keeps_scratchpad(const struct plan *plan) {
    return plan->scratchpad_size > 0 && plan->attr.scratchpad_mode == dnnl_scratchpad_mode_library;
}

dnnl_status_t primitive_create(struct dnnl_primitive **primitive, const struct dnnl_primitive_desc *desc,
                               bool *hit) {
    dnnl_status_t status = plan_load(desc->plan, hit);
    if (status != dnnl_success) return status;
    struct dnnl_primitive *p = calloc(1, sizeof *p);
    if (!p) return dnnl_out_of_memory;
    p->references = 1;
    primitive_desc_copy(&p->desc, desc);
    if (keeps_scratchpad(desc->plan) && !scratch_add(p, 0)) {
        primitive_release(p);
        return fail(dnnl_out_of_memory, dnnl_prim_kind2str(desc->plan->problem.kind),
                    "no memory for a scratchpad of %zu bytes", desc->plan->scratchpad_size);
    }
    *primitive = p;
    return dnnl_success;
}

static void free_scratch(struct dnnl_primitive *primitive) {
    struct device *device = primitive->desc.engine->device;
    for (struct scratch *s = primitive->scratch, *next; s; s = next) {
        next = s->next;
        device->runtime->buffer_free(device, &s->buffer);
        free(s);
    }
}

void primitive_release(struct dnnl_primitive *primitive) {
    if (!primitive || atomic_fetch_sub(&primitive->references, 1) != 1) return;
    for (struct dnnl_primitive *p = primitive->concrete, *next; p; p = next) {
        next = p->next;
        primitive_release(p);
    }
    free_scratch(primitive);
    primitive_desc_clear(&primitive->desc);
    free(primitive);
}

static const struct dnnl_memory *find_arg(int arg, int nargs, const dnnl_exec_arg_t *args) {
    for (int i = 0; i < nargs; i++)
        if (args[i].arg == arg) return args[i].memory;
    return NULL;
}

/* Puts the sizes of the memories into a problem whose own are open. */
static dnnl_status_t fill_in_sizes(struct problem *problem, int nargs, const dnnl_exec_arg_t *args) {
    for (int i = 0; i < problem->ntensors; i++) {
        struct problem_tensor *tensor = &problem->tensors[i];
        const struct dnnl_memory *memory = find_arg(tensor->arg, nargs, args);
        if (!memory) return dnnl_invalid_arguments;
        if (!md_has_runtime_dims_or_strides(&tensor->md)) continue;
        if (memory->md.ndims != tensor->md.ndims || memory->md.data_type != tensor->md.data_type
            || md_has_runtime_dims_or_strides(&memory->md))
            return fail(dnnl_invalid_arguments, dnnl_prim_kind2str(problem->kind),
                        "argument %d does not fit the descriptor or has open sizes itself", tensor->arg);
        tensor->md = memory->md;
    }
    return dnnl_success;
}

static dnnl_status_t concrete_desc(struct dnnl_primitive_desc *desc, const struct dnnl_primitive *primitive,
                                   int nargs, const dnnl_exec_arg_t *args) {
    const struct plan *deferred = primitive->desc.plan;
    struct problem problem;
    dnnl_status_t status = problem_copy(&problem, &deferred->request);
    if (status != dnnl_success) return status;
    status = fill_in_sizes(&problem, nargs, args);
    *desc = primitive->desc;
    if (status == dnnl_success)
        status = plan_get(&desc->plan, deferred->device, &problem, &deferred->attr, deferred->first,
                          &desc->hit);
    problem_clear(&problem);
    return status;
}

static struct dnnl_primitive *add_concrete(struct dnnl_primitive *primitive,
                                           const struct dnnl_primitive_desc *desc) {
    bool hit;
    struct dnnl_primitive *made;
    if (primitive_create(&made, desc, &hit) != dnnl_success) return NULL;
    made->next = atomic_load(&primitive->concrete);
    while (!atomic_compare_exchange_weak(&primitive->concrete, &made->next, made))
        continue;
    return made;
}

dnnl_status_t primitive_for_sizes(const struct dnnl_primitive **concrete,
                                  const struct dnnl_primitive *primitive, int nargs,
                                  const dnnl_exec_arg_t *args) {
    *concrete = primitive;
    if (!primitive->desc.plan->deferred) return dnnl_success;
    struct dnnl_primitive_desc desc;
    dnnl_status_t status = concrete_desc(&desc, primitive, nargs, args);
    if (status != dnnl_success) return status;
    struct dnnl_primitive *p = atomic_load(&primitive->concrete);
    while (p && p->desc.plan != desc.plan)
        p = p->next;
    if (!p) p = add_concrete((struct dnnl_primitive *)primitive, &desc);
    plan_release(desc.plan);
    *concrete = p;
    return p ? dnnl_success : dnnl_out_of_memory;
}
