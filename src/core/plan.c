/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Making plans: trying implementations in order, keeping the result in the cache, and loading it onto its
 * device. Knows neither what a primitive computes nor where it runs.
 */
#include "core/plan.h"
#include "core/cache.h"
#include "core/report.h"
#include "base/verbose.h"
#include "primitives/primitives.h"
#include "runtimes/runtime.h"

#include <stdlib.h>

void *plan_launch(struct plan *plan, const struct kernel *kernel, struct range range,
                  struct launch **launch) {
    if (plan->nlaunches == PLAN_MAX_LAUNCHES) return NULL;
    struct launch *l = &plan->launches[plan->nlaunches];
    *l = (struct launch){.kernel = kernel, .range = range, .params = calloc(1, kernel->params_size)};
    if (!l->params) return NULL;
    plan->nlaunches++;
    *launch = l;
    return l->params;
}

void launch_bind(struct launch *launch, int arg) {
    launch->buffers[launch->nbuffers++] = arg;
}

size_t plan_scratchpad(struct plan *plan, size_t size) {
    size_t offset = plan->scratchpad_size;
    plan->scratchpad_size = offset + (size + 127) / 128 * 128;
    return offset;
}

dnnl_status_t plan_skip_at(const struct plan *plan, const char *reason, const char *file, int line) {
    if (verbose_on(VERBOSE_DISPATCH)) report_skip(plan, reason, file, line);
    return dnnl_unimplemented;
}

static void free_launches(struct plan *plan) {
    const struct runtime *runtime = plan->device->runtime;
    for (int i = 0; i < plan->nlaunches; i++) {
        if (runtime->params_free && plan->params[i]) runtime->params_free(plan->device, plan->params[i]);
        free(plan->launches[i].params);
    }
    plan->nlaunches = 0;
}

static void plan_free(struct plan *plan) {
    free_launches(plan);
    problem_clear(&plan->request);
    problem_clear(&plan->problem);
    attr_clear(&plan->attr);
    free(plan->blob_id);
    pthread_mutex_destroy(&plan->lock);
    free(plan);
}

struct plan *plan_retain(struct plan *plan) {
    atomic_fetch_add_explicit(&plan->references, 1, memory_order_relaxed);
    return plan;
}

void plan_release(struct plan *plan) {
    if (plan && atomic_fetch_sub(&plan->references, 1) == 1) plan_free(plan);
}

static struct plan *plan_new(const struct cache_key *key, size_t scratchpad) {
    struct plan *plan = calloc(1, sizeof *plan);
    if (!plan) return NULL;
    *plan = (struct plan){.references = 1, .hash = key->hash, .device = key->device, .first = key->first};
    plan->scratchpad_size = scratchpad;
    pthread_mutex_init(&plan->lock, NULL);
    attr_init(&plan->attr);
    bool copied = problem_copy(&plan->request, key->problem) == dnnl_success
                  && problem_copy(&plan->problem, key->problem) == dnnl_success
                  && attr_copy(&plan->attr, key->attr) == dnnl_success;
    if (copied) return plan;
    plan_free(plan);
    return NULL;
}

static bool sizes_are_open(const struct problem *problem) {
    for (int i = 0; i < problem->ntensors; i++)
        if (md_has_runtime_dims_or_strides(&problem->tensors[i].md)) return true;
    return false;
}

/* Sizes that are open have a stand-in: one that groups of scales divide. False if none will do. */
static bool stand_in(md_t *md) {
    if (!md_has_runtime_dims_or_strides(md)) return true;
    dnnl_dims_t dims;
    for (int d = 0; d < md->ndims; d++)
        dims[d] = md->dims[d] == DNNL_RUNTIME_DIM_VAL ? 1024 : md->dims[d];
    return md_init_by_strides(md, md->ndims, dims, md->data_type, NULL) == dnnl_success;
}

static bool stand_ins(struct problem *problem) {
    for (int i = 0; i < problem->ntensors; i++)
        if (!stand_in(&problem->tensors[i].md)) return false;
    return true;
}

/* Does the implementation take the problem, and which layouts does it want? Neither waits for open sizes. */
static dnnl_status_t try_with_stand_ins(struct plan *plan, const struct cache_key *key) {
    struct plan *trial = plan_new(key, plan->scratchpad_size);
    if (!trial) return dnnl_out_of_memory;
    trial->implementation = plan->implementation;
    dnnl_status_t status = dnnl_success;
    if (stand_ins(&trial->problem)) status = trial->implementation->build(trial);
    for (int i = 0; i < plan->problem.ntensors && status == dnnl_success; i++)
        if (md_is_any(&plan->problem.tensors[i].md))
            plan->problem.tensors[i].md = trial->problem.tensors[i].md;
    plan_release(trial);
    return status;
}

/* The scratchpad as the user sees it: bytes that they must bring, if they asked to. */
static dnnl_status_t describe_scratchpad(struct plan *plan) {
    if (plan->attr.scratchpad_mode != dnnl_scratchpad_mode_user || plan->scratchpad_size == 0)
        return dnnl_success;
    dnnl_dims_t dims = {(dnnl_dim_t)plan->scratchpad_size};
    return md_init_by_string(&plan->scratchpad_md, 1, dims, dnnl_u8, "a");
}

static dnnl_status_t try_implementation(struct plan *plan, const struct cache_key *key, int index) {
    plan->implementation = &primitive_implementations(key->problem->kind)[index];
    plan->index = index;
    plan->deferred = sizes_are_open(key->problem);
    TRY(plan->deferred ? try_with_stand_ins(plan, key) : plan->implementation->build(plan));
    return describe_scratchpad(plan);
}

/* As it was before an implementation, that then gave up, worked on it. */
static dnnl_status_t clear_away(struct plan *plan, const struct cache_key *key, size_t scratchpad) {
    free_launches(plan);
    plan->scratchpad_size = scratchpad;
    problem_clear(&plan->problem);
    return problem_copy(&plan->problem, key->problem);
}

/* `scratchpad` bytes are in use already. */
static dnnl_status_t plan_build(struct plan **out, const struct cache_key *key, size_t scratchpad) {
    const struct implementation *table = primitive_implementations(key->problem->kind);
    struct plan *plan = plan_new(key, scratchpad);
    if (!plan) return dnnl_out_of_memory;
    dnnl_status_t status = dnnl_unimplemented;
    for (int i = key->first; table[i].name && status == dnnl_unimplemented; i++) {
        status = i > key->first ? clear_away(plan, key, scratchpad) : dnnl_success;
        if (status == dnnl_success) status = try_implementation(plan, key, i);
    }
    if (status == dnnl_success)
        *out = plan;
    else
        plan_release(plan);
    return status;
}

static uint64_t request_hash(const struct cache_key *key) {
    uint64_t seed = (uint64_t)(uintptr_t)key->device + (uint64_t)key->first;
    return attr_hash(key->attr, problem_hash(key->problem, seed));
}

dnnl_status_t plan_get(struct plan **plan, struct device *device, const struct problem *problem,
                       const attr_t *attr, int first, bool *hit) {
    struct cache_key key = {.device = device, .problem = problem, .attr = attr, .first = first};
    key.hash = request_hash(&key);
    struct plan *found = cache_find(&key);
    *hit = found != NULL;
    if (!found) {
        TRY(plan_build(&found, &key, 0));
        found = cache_insert(found);
    }
    *plan = found;
    return dnnl_success;
}

/* Parts. */

static dnnl_status_t take_tensor(struct problem *problem, const struct problem_tensor *tensor, int arg) {
    md_t *md = problem_md(problem, arg);
    if (md) {
        *md = tensor->md;
        return dnnl_success;
    }
    TRY(problem_reserve(problem, 1));
    problem_add(problem, arg, tensor->output, &tensor->md);
    return dnnl_success;
}

static dnnl_status_t take_tensors(struct plan *plan, const struct plan *part,
                                  int (*whole_arg)(int arg, const void *data), const void *data) {
    for (int i = 0; i < part->problem.ntensors; i++) {
        const struct problem_tensor *tensor = &part->problem.tensors[i];
        int arg = whole_arg(tensor->arg, data);
        if (arg != ARG_SCRATCHPAD) TRY(take_tensor(&plan->problem, tensor, arg));
    }
    return dnnl_success;
}

static void take_launches(struct plan *plan, struct plan *part, int (*whole_arg)(int arg, const void *data),
                          const void *data) {
    for (int i = 0; i < part->nlaunches; i++) {
        struct launch *launch = &plan->launches[plan->nlaunches++];
        *launch = part->launches[i];
        for (int b = 0; b < launch->nbuffers; b++)
            if (launch->buffers[b] != ARG_NOTHING && launch->buffers[b] != ARG_SCRATCHPAD)
                launch->buffers[b] = whole_arg(launch->buffers[b], data);
        for (int s = 0; s < launch->nscalars; s++)
            launch->scalars[s].arg = whole_arg(launch->scalars[s].arg, data);
    }
    part->nlaunches = 0; /* their parameter blocks have a new owner */
}

dnnl_status_t plan_append(struct plan *plan, const struct problem *problem, const attr_t *attr,
                          int (*whole_arg)(int arg, const void *data), const void *data) {
    struct cache_key key = {.device = plan->device, .problem = problem, .attr = attr};
    struct plan *part;
    dnnl_status_t status = plan_build(&part, &key, plan->scratchpad_size);
    if (status != dnnl_success) return status;
    if (plan->nlaunches + part->nlaunches > PLAN_MAX_LAUNCHES)
        status = plan_skip(plan, "too many launches");
    else
        status = take_tensors(plan, part, whole_arg, data);
    if (status == dnnl_success) {
        take_launches(plan, part, whole_arg, data);
        plan->scratchpad_size = part->scratchpad_size;
    }
    plan_release(part);
    return status;
}

/* Loading. */

static dnnl_status_t load_launch(struct plan *plan, int i) {
    const struct runtime *runtime = plan->device->runtime;
    const struct launch *launch = &plan->launches[i];
    dnnl_status_t status = runtime->kernel_load(plan->device, launch->kernel, &plan->kernels[i]);
    if (status != dnnl_success || plan->params[i]) return status;
    if (runtime->params_load)
        return runtime->params_load(plan->device, launch->params, launch->kernel->params_size,
                                    &plan->params[i]);
    plan->params[i] = launch->params;
    return dnnl_success;
}

static dnnl_status_t load_locked(struct plan *plan) {
    for (int i = 0; i < plan->nlaunches; i++)
        TRY(load_launch(plan, i));
    plan->loaded = true;
    return dnnl_success;
}

dnnl_status_t plan_load(struct plan *plan, bool *hit) {
    *hit = plan->loaded;
    if (*hit) return dnnl_success;
    pthread_mutex_lock(&plan->lock);
    dnnl_status_t status = plan->loaded ? dnnl_success : load_locked(plan);
    pthread_mutex_unlock(&plan->lock);
    return status;
}

bool plan_list_add(struct plan_list *list, const struct plan *plan) {
    for (size_t i = 0; i < list->count; i++)
        if (list->plans[i] == plan) return true;
    if ((list->count & (list->count - 1)) == 0) {
        size_t room = list->count ? 2 * list->count : 1;
        struct plan **plans = realloc(list->plans, room * sizeof *plans);
        if (!plans) return false;
        list->plans = plans;
    }
    list->plans[list->count++] = plan_retain((struct plan *)plan);
    return true;
}

void plan_list_free(struct plan_list *list) {
    for (size_t i = 0; i < list->count; i++)
        plan_release(list->plans[i]);
    free(list->plans);
    *list = (struct plan_list){0};
}
