/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Making plans: trying implementations in order, keeping the result in the cache, and loading it onto its
 * device. Knows neither what a primitive computes nor where it runs.
 */
#include "core/plan.h"
#include "base/verbose.h"
#include "core/cache.h"
#include "core/report.h"

#include <stdlib.h>

void *plan_launch(struct plan *plan, const struct kernel *kernel, struct range range,
                  struct launch **launch) {
    *launch = program_launch(plan->program, kernel, range);
    return *launch ? (*launch)->params : NULL;
}

void launch_bind_handle(struct launch *launch, int arg, int handle) {
    launch_bind_slot(launch, arg == ARG_NOTHING      ? SLOT_NOTHING
                             : arg == ARG_SCRATCHPAD ? SLOT_SCRATCHPAD
                                                     : program_slot(launch->program, arg, handle));
}

void launch_bind(struct launch *launch, int arg) {
    launch_bind_handle(launch, arg, 0);
}

void launch_may_stream_to(struct launch *launch, int arg, i32 *streams) {
    if (arg != ARG_SCRATCHPAD) launch_may_stream(launch, program_slot(launch->program, arg, 0), streams);
}

size_t plan_scratchpad(struct plan *plan, size_t size) {
    return program_scratchpad(plan->program, size);
}

void plan_place(struct plan *plan, md_t *md) {
    md->offset0 = 0;
    md->offset0 = (dnnl_dim_t)plan_scratchpad(plan, md_size(md, 0)) * 8 / dt_bits(md->data_type);
}

/* Virtual machines report the cache of a whole socket, of which other machines use most. Measured with chains
 * of relu over two to eight buffers, two CPUs of a Xeon with AMX (Sapphire Rapids class, 260 MB reported,
 * 2026-11-18): results of 8 MB take half the time when they stay in the caches, of 16 MB 0.7 to 2 times as
 * long, of 24 MB 1.1 to 2 times, of 32 MB twice. */
size_t plan_cache(const struct plan *plan) {
    enum { OF_CPU = 12 << 20 };
    const size_t whole = plan->device->info.cache_bytes[2],
                 share = (size_t)plan->device->info.compute_units * OF_CPU;
    return whole < share ? whole : share;
}

dnnl_status_t plan_skip_at(const struct plan *plan, const char *reason, const char *file, int line) {
    if (verbose_on(VERBOSE_DISPATCH)) report_skip(plan, reason, file, line);
    return dnnl_unimplemented;
}

dnnl_status_t plan_takes_at(const struct plan *plan, const struct kernel *kernel, const char *file,
                            int line) {
    const char *why;
    if (kernel_runs_on(kernel, &plan->device->info, &why)) return dnnl_success;
    return plan_skip_at(plan, why, file, line);
}

/* The lanes of a GPU are work-items of a group. */
static dnnl_status_t check_launch(const struct plan *plan, const struct launch *launch) {
    const size_t *size = launch->range.group_size;
    TRY(plan_takes(plan, launch->kernel));
    if (plan->device->info.class == DEVICE_GPU && size[0] * size[1] * size[2] == 1)
        return plan_skip(plan, "groups of one work-item, on a GPU");
    return dnnl_success;
}

/* Lets the implementation build the plan, and sees that all its launches are for the device. */
static dnnl_status_t build(struct plan *plan) {
    TRY(plan->implementation->build(plan));
    for (int i = 0; i < plan->program->nlaunches; i++)
        TRY(check_launch(plan, plan->program->launches[i]));
    return dnnl_success;
}

static void plan_free(struct counted *counted) {
    struct plan *plan = (struct plan *)counted;
    executable_free(plan->executable);
    program_release(plan->program);
    problem_clear(&plan->request);
    problem_clear(&plan->problem);
    attr_clear(&plan->attr);
    free(plan->arguments);
    free(plan->blob_id);
    pthread_mutex_destroy(&plan->lock);
    free(plan);
}

struct plan *plan_retain(struct plan *plan) {
    counted_retain(&plan->counted);
    return plan;
}

void plan_release(struct plan *plan) {
    if (plan) counted_release(&plan->counted);
}

static struct plan *plan_new(const struct plan_request *request) {
    struct plan *plan = calloc(1, sizeof *plan);
    if (!plan) return NULL;
    plan->counted = (struct counted){.references = 1, .end = plan_free};
    plan->device = request->device;
    plan->implementations = request->implementations;
    plan->first = request->first;
    pthread_mutex_init(&plan->lock, NULL);
    attr_init(&plan->attr);
    bool copied = problem_copy(&plan->request, request->problem) == dnnl_success
                  && problem_copy(&plan->problem, request->problem) == dnnl_success
                  && attr_copy(&plan->attr, request->attr) == dnnl_success;
    if (copied) return plan;
    plan_release(plan);
    return NULL;
}

struct plan_request plan_request_of(const struct plan *plan) {
    return (struct plan_request){.device = plan->device,
                                 .implementations = plan->implementations,
                                 .problem = &plan->request,
                                 .attr = &plan->attr,
                                 .first = plan->first};
}

/* Sizes that are known only at execution. */

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

/* An operand of a post-op along open sizes of dst. Only its size is open, not its layout. */
static bool stand_in_operand(md_t *md, const md_t *dst) {
    bool open = false;
    for (int d = 0; dst && d < md->ndims && d < dst->ndims; d++) {
        if (dst->dims[d] != DNNL_RUNTIME_DIM_VAL || md->dims[d] == 1) continue;
        md->dims[d] = DNNL_RUNTIME_DIM_VAL;
        open = true;
    }
    return !open || stand_in(md);
}

static bool stand_ins(struct plan *trial) {
    const md_t *dst = problem_md(&trial->request, DNNL_ARG_DST);
    for (int i = 0; i < trial->problem.ntensors; i++)
        if (!stand_in(&trial->problem.tensors[i].md)) return false;
    for (int i = 0; i < trial->attr.post_ops.len; i++) {
        struct post_op *op = &trial->attr.post_ops.entries[i];
        if (op->kind == dnnl_binary
            && !(stand_in_operand(&op->binary.src1, dst) && stand_in_operand(&op->binary.src2, dst)))
            return false;
    }
    return true;
}

/* Adds an operand of a post-op to the problem of a plan without a program, so that users can ask for its
 * layout: row-major if they left it open. */
static dnnl_status_t add_operand(struct plan *plan, int arg, const md_t *md) {
    md_t decided = *md;
    if (md_is_any(md)) TRY(md_init_by_strides(&decided, md->ndims, md->dims, md->data_type, NULL));
    TRY(problem_reserve(&plan->problem, 1));
    problem_add(&plan->problem, arg, false, &decided);
    return dnnl_success;
}

static dnnl_status_t add_operands(struct plan *plan) {
    for (int i = 0; i < plan->attr.post_ops.len; i++) {
        const struct post_op *op = &plan->attr.post_ops.entries[i];
        if (op->kind != dnnl_binary) continue;
        TRY(add_operand(plan, post_op_arg(i, DNNL_ARG_SRC_1), &op->binary.src1));
        if (op->binary.alg == dnnl_binary_select)
            TRY(add_operand(plan, post_op_arg(i, DNNL_ARG_SRC_2), &op->binary.src2));
    }
    return dnnl_success;
}

/* An empty program with `scratchpad` bytes in use already. Most implementations that give up do so before
 * they add anything to it. */
static dnnl_status_t start_program(struct plan *plan, size_t scratchpad) {
    if (!plan->program || !program_is_empty(plan->program)) {
        program_release(plan->program);
        plan->program = program_new();
    }
    if (!plan->program) return dnnl_out_of_memory;
    plan->program->scratchpad_size = scratchpad;
    return dnnl_success;
}

/* Does the implementation take the problem, and which layouts does it want? Neither waits for open sizes. */
static dnnl_status_t try_with_stand_ins(struct plan *plan, const struct plan_request *request) {
    struct plan *trial = plan_new(request);
    if (!trial) return dnnl_out_of_memory;
    trial->implementation = plan->implementation;
    dnnl_status_t status = start_program(trial, 0);
    if (status == dnnl_success && stand_ins(trial)) status = build(trial);
    for (int i = 0; i < plan->problem.ntensors && status == dnnl_success; i++)
        if (md_is_any(&plan->problem.tensors[i].md))
            plan->problem.tensors[i].md = trial->problem.tensors[i].md;
    plan_release(trial);
    return status == dnnl_success ? add_operands(plan) : status;
}

/* Trying implementations. */

static dnnl_status_t try_implementation(struct plan *plan, const struct plan_request *request, int index,
                                        size_t scratchpad) {
    plan->implementation = &request->implementations[index];
    plan->index = index;
    TRY(start_program(plan, scratchpad));
    return plan->deferred ? try_with_stand_ins(plan, request) : build(plan);
}

static dnnl_status_t try_implementations(struct plan *plan, const struct plan_request *request,
                                         size_t scratchpad) {
    dnnl_status_t status = dnnl_unimplemented;
    for (int i = request->first; request->implementations[i].name && status == dnnl_unimplemented; i++) {
        if (i > request->first) {
            /* The one before has changed the problem, and then given up. */
            problem_clear(&plan->problem);
            TRY(problem_copy(&plan->problem, request->problem));
        }
        status = try_implementation(plan, request, i, scratchpad);
    }
    return status;
}

/* `scratchpad` bytes are in use already. The program is not finished yet. */
static dnnl_status_t plan_build(struct plan **out, const struct plan_request *request, size_t scratchpad) {
    struct plan *plan = plan_new(request);
    if (!plan) return dnnl_out_of_memory;
    plan->deferred = sizes_are_open(request->problem);
    dnnl_status_t status = try_implementations(plan, request, scratchpad);
    if (status == dnnl_success)
        *out = plan;
    else
        plan_release(plan);
    return status;
}

/* Finishing. */

/* The scratchpad as the user sees it: bytes that they must bring, if they asked to. */
static dnnl_status_t describe_scratchpad(struct plan *plan) {
    size_t size = plan->program->scratchpad_size;
    if (plan->attr.scratchpad_mode != dnnl_scratchpad_mode_user || size == 0) return dnnl_success;
    dnnl_dims_t dims = {(dnnl_dim_t)size};
    return md_init_by_string(&plan->scratchpad_md, 1, dims, dnnl_u8, "a");
}

static enum argument argument_of(const md_t *md, int handle) {
    if (md_is_host_scalar(md)) return ARGUMENT_SCALAR;
    return md_size(md, handle) > 0 ? ARGUMENT_BUFFER : ARGUMENT_EMPTY;
}

/* Every tensor that is passed to execute has a slot for each of its buffers, even if no launch uses it: it
 * must be there. */
static dnnl_status_t describe_arguments(struct plan *plan) {
    const struct problem *problem = &plan->problem;
    struct program *program = plan->program;
    for (int i = 0; i < problem->ntensors; i++)
        for (int h = 0; tensor_is_passed(&problem->tensors[i]) && h < md_handles(&problem->tensors[i].md);
             h++)
            program_slot(program, problem->tensors[i].arg, h);
    plan->arguments = calloc((size_t)program->nslots, sizeof plan->arguments[0]);
    if (!plan->arguments || program->failed) return dnnl_out_of_memory;
    for (int i = 0; i < problem->ntensors; i++) {
        const struct problem_tensor *tensor = &problem->tensors[i];
        for (int h = 0; tensor_is_passed(tensor) && h < md_handles(&tensor->md); h++)
            plan->arguments[program_slot(program, tensor->arg, h)] = (uint8_t)argument_of(&tensor->md, h);
    }
    return dnnl_success;
}

/* A result that the caches cannot hold need not pass through them: memory is not read before it is written,
 * and what is in the caches stays there. */
static void stream_results(struct plan *plan) {
    const size_t cache = plan_cache(plan);
    for (int i = SLOT_FIRST_ARGUMENT; i < plan->program->nslots && cache > 0; i++) {
        const md_t *md = problem_md(&plan->problem, plan->program->slots[i].arg);
        if (md && md_size(md, 0) >= cache) program_stream(plan->program, (slot_t)i);
    }
}

static dnnl_status_t plan_finish(struct plan *plan) {
    TRY(describe_scratchpad(plan));
    TRY(describe_arguments(plan));
    stream_results(plan);
    return program_finish(plan->program) ? dnnl_success : dnnl_out_of_memory;
}

static dnnl_status_t plan_make(struct plan **out, const struct plan_request *request) {
    struct plan *plan;
    TRY(plan_build(&plan, request, 0));
    dnnl_status_t status = plan_finish(plan);
    if (status == dnnl_success)
        *out = plan;
    else
        plan_release(plan);
    return status;
}

static uint64_t request_hash(const struct plan_request *request) {
    uint64_t seed = (uint64_t)(uintptr_t)request->device + (uint64_t)request->first;
    return attr_hash(request->attr, problem_hash(request->problem, seed));
}

dnnl_status_t plan_get(struct plan **plan, const struct plan_request *request, bool *hit) {
    uint64_t hash = request_hash(request);
    struct plan *found = cache_find(request, hash);
    *hit = found != NULL;
    if (!found) {
        TRY(plan_make(&found, request));
        found->hash = hash;
        found = cache_insert(found);
    }
    *plan = found;
    return dnnl_success;
}

/* Parts. */

static dnnl_status_t take_tensor(struct problem *problem, const struct problem_tensor *tensor, int arg) {
    md_t *md = problem_md(problem, arg);
    if (md) {
        if (md_is_any(md)) *md = tensor->md; /* the part may know only a view of a tensor that was decided */
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
        if (!tensor->hint && arg != ARG_SCRATCHPAD) TRY(take_tensor(&plan->problem, tensor, arg));
    }
    return dnnl_success;
}

static dnnl_status_t take_launches(struct plan *plan, struct program *part,
                                   int (*whole_arg)(int arg, const void *data), const void *data) {
    slot_t *slots = malloc((size_t)part->nslots * sizeof *slots);
    if (!slots) return dnnl_out_of_memory;
    slots[SLOT_NOTHING] = SLOT_NOTHING;
    slots[SLOT_SCRATCHPAD] = SLOT_SCRATCHPAD;
    for (int i = SLOT_FIRST_ARGUMENT; i < part->nslots; i++) {
        int arg = whole_arg(part->slots[i].arg, data);
        slots[i] = arg == ARG_SCRATCHPAD ? SLOT_SCRATCHPAD
                                         : program_slot(plan->program, arg, part->slots[i].handle);
    }
    program_append(plan->program, part, slots);
    plan->program->scratchpad_size = part->scratchpad_size;
    free(slots);
    return dnnl_success;
}

dnnl_status_t plan_append(struct plan *plan, const struct implementation *implementations,
                          const struct problem *problem, const attr_t *attr,
                          int (*whole_arg)(int arg, const void *data), const void *data) {
    struct plan_request request = {
            .device = plan->device, .implementations = implementations, .problem = problem, .attr = attr};
    struct plan *part;
    TRY(plan_build(&part, &request, plan->program->scratchpad_size));
    dnnl_status_t status = take_tensors(plan, part, whole_arg, data);
    if (status == dnnl_success) status = take_launches(plan, part->program, whole_arg, data);
    plan_release(part);
    return status;
}

/* Loading. */

dnnl_status_t plan_load(struct plan *plan, bool *hit) {
    *hit = plan->loaded;
    if (*hit) return dnnl_success;
    pthread_mutex_lock(&plan->lock);
    dnnl_status_t status = dnnl_success;
    if (!plan->loaded) status = executable_load(&plan->executable, plan->device, plan->program);
    if (status == dnnl_success) plan->loaded = true;
    pthread_mutex_unlock(&plan->lock);
    return status;
}
