/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Primitive descriptors and primitives: thin handles on a plan, plus the scratchpads that executions use.
 * What is expensive sits in the plan and is shared.
 */
#include "core/objects.h"
#include "core/scratchpad.h"
#include "base/verbose.h"
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

void primitive_desc_set_engines(struct dnnl_primitive_desc *desc, struct dnnl_engine *src,
                                struct dnnl_engine *dst) {
    engine_retain(src), engine_retain(dst);
    engine_release(desc->src_engine), engine_release(desc->dst_engine);
    desc->src_engine = src, desc->dst_engine = dst;
}

/* Kernels and parameters on the device, and a scratchpad of the right size among its own. */
static dnnl_status_t plan_prepare(struct plan *plan, bool *hit) {
    dnnl_status_t status = plan_load(plan, hit);
    bool ours = plan->scratchpad_size > 0 && plan->attr.scratchpad_mode == dnnl_scratchpad_mode_library;
    if (status != dnnl_success || !ours) return status;
    status = scratch_reserve(plan->device, plan->scratchpad_size);
    if (status == dnnl_success) return status;
    return fail(status, dnnl_prim_kind2str(plan->problem.kind), "no memory for a scratchpad of %zu bytes",
                plan->scratchpad_size);
}

dnnl_status_t primitive_create(struct dnnl_primitive **primitive, const struct dnnl_primitive_desc *desc,
                               bool *hit) {
    TRY(plan_prepare(desc->plan, hit));
    struct dnnl_primitive *p = calloc(1, sizeof *p);
    if (!p) return dnnl_out_of_memory;
    p->references = 1;
    primitive_desc_copy(&p->desc, desc);
    *primitive = p;
    return dnnl_success;
}

void primitive_release(struct dnnl_primitive *primitive) {
    if (!primitive || atomic_fetch_sub(&primitive->references, 1) != 1) return;
    for (struct concrete_plan *c = primitive->concrete, *next; c; c = next) {
        next = c->next;
        plan_release(c->plan);
        free(c);
    }
    primitive_desc_clear(&primitive->desc);
    free(primitive);
}

/* Puts the sizes of the memories into a problem whose own are open. */
static dnnl_status_t fill_in_sizes(struct problem *problem, int nargs, const dnnl_exec_arg_t *args) {
    for (int i = 0; i < problem->ntensors; i++) {
        struct problem_tensor *tensor = &problem->tensors[i];
        const struct dnnl_memory *memory = exec_memory(tensor->arg, nargs, args);
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

static dnnl_status_t find_concrete(struct plan **plan, const struct plan *deferred, int nargs,
                                   const dnnl_exec_arg_t *args) {
    struct problem problem;
    bool hit;
    TRY(problem_copy(&problem, &deferred->problem));
    dnnl_status_t status = fill_in_sizes(&problem, nargs, args);
    if (status == dnnl_success)
        status = plan_get(plan, deferred->device, &problem, &deferred->attr, deferred->first, &hit);
    problem_clear(&problem);
    if (status != dnnl_success) return status;
    status = plan_prepare(*plan, &hit);
    if (status != dnnl_success) plan_release(*plan);
    return status;
}

static bool keeps(const struct dnnl_primitive *primitive, const struct plan *plan) {
    const struct concrete_plan *c = atomic_load(&primitive->concrete);
    while (c && c->plan != plan)
        c = c->next;
    return c != NULL;
}

/* Keeps the plan as long as the primitive, in place of the caller's reference. */
static dnnl_status_t keep(struct dnnl_primitive *primitive, struct plan *plan) {
    if (keeps(primitive, plan)) {
        plan_release(plan);
        return dnnl_success;
    }
    struct concrete_plan *c = malloc(sizeof *c);
    if (!c) {
        plan_release(plan);
        return dnnl_out_of_memory;
    }
    c->plan = plan;
    c->next = atomic_load(&primitive->concrete);
    while (!atomic_compare_exchange_weak(&primitive->concrete, &c->next, c))
        continue;
    return dnnl_success;
}

dnnl_status_t primitive_plan(const struct plan **plan, const struct dnnl_primitive *primitive, int nargs,
                             const dnnl_exec_arg_t *args) {
    *plan = primitive->desc.plan;
    if (!primitive->desc.plan->deferred) return dnnl_success;
    struct plan *concrete;
    dnnl_status_t status = find_concrete(&concrete, primitive->desc.plan, nargs, args);
    if (status == dnnl_success) status = keep((struct dnnl_primitive *)primitive, concrete);
    if (status == dnnl_success) *plan = concrete;
    return status;
}
