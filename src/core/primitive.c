/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Primitive descriptors and primitives: thin handles on a plan, plus the scratchpads that executions use.
 * Everything expensive is in the plan, which is shared.
 */
#include "core/objects.h"
#include "core/scratchpad.h"
#include "core/sized_plans.h"
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
                                    const struct implementation *implementations,
                                    const struct problem *problem, const attr_t *attr) {
    struct dnnl_primitive_desc *d = calloc(1, sizeof *d);
    if (!d) return dnnl_out_of_memory;
    attr_t defaults;
    attr_init(&defaults);
    struct plan_request request = {.device = engine->device,
                                   .implementations = implementations,
                                   .problem = problem,
                                   .attr = attr ? attr : &defaults};
    dnnl_status_t status = plan_get(&d->plan, &request, &d->hit);
    if (status != dnnl_success) {
        free(d);
        return fail(status, dnnl_prim_kind2str(problem->kind), "no implementation supports this problem");
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

dnnl_status_t plan_prepare(struct plan *plan, bool *hit) {
    TRY(plan_load(plan, hit));
    size_t size = plan->program->scratchpad_size;
    if (size == 0 || plan->attr.scratchpad_mode != dnnl_scratchpad_mode_library) return dnnl_success;
    dnnl_status_t status = scratch_reserve(plan->device, size);
    if (status == dnnl_success) return status;
    return fail(status, dnnl_prim_kind2str(plan->problem.kind), "no memory for a scratchpad of %zu bytes",
                size);
}

dnnl_status_t primitive_create(struct dnnl_primitive **primitive, const struct dnnl_primitive_desc *desc,
                               bool *hit) {
    TRY(plan_prepare(desc->plan, hit));
    struct dnnl_primitive *p = calloc(1, sizeof *p);
    if (!p) return dnnl_out_of_memory;
    if (desc->plan->deferred && !(p->sized = sized_plans_new())) {
        free(p);
        return dnnl_out_of_memory;
    }
    p->references = 1;
    primitive_desc_copy(&p->desc, desc);
    *primitive = p;
    return dnnl_success;
}

void primitive_release(struct dnnl_primitive *primitive) {
    if (!primitive || atomic_fetch_sub(&primitive->references, 1) != 1) return;
    sized_plans_free(primitive->sized);
    primitive_desc_clear(&primitive->desc);
    free(primitive);
}
