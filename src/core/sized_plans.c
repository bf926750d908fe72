/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of sized_plans.h. Each entry counts the threads that read it; it can be replaced only while there
 * are none. No thread waits: if no entry can be replaced, the new plan is used but not kept.
 */
#include "core/sized_plans.h"
#include "base/hash.h"
#include "base/verbose.h"
#include "oneapi/dnnl/dnnl_debug.h"

#include <stdlib.h>

enum { ENTRIES = 32 };
enum { BEING_WRITTEN = -1, EMPTY = 0, IDLE = 1 }; /* IDLE + n: n threads read it */

struct entry {
    _Atomic int state;
    _Atomic uint64_t hash, used;
    struct plan *plan;
};

struct sized_plans {
    _Atomic uint64_t clock;
    struct entry entries[ENTRIES];
};

struct sized_plans *sized_plans_new(void) {
    return calloc(1, sizeof(struct sized_plans));
}

void sized_plans_free(struct sized_plans *table) {
    for (int i = 0; table && i < ENTRIES; i++)
        plan_release(table->entries[i].plan);
    free(table);
}

/* The sizes of a call. */

static bool is_open(const struct problem_tensor *tensor) {
    return md_has_runtime_dims_or_strides(&tensor->md);
}

static uint64_t hash_sizes(const struct problem *problem, int nargs, const dnnl_exec_arg_t *args) {
    uint64_t hash = 0;
    for (int i = 0; i < problem->ntensors; i++) {
        if (!is_open(&problem->tensors[i])) continue;
        const struct dnnl_memory *memory = exec_memory(problem->tensors[i].arg, nargs, args);
        if (memory) hash = md_hash(&memory->md, hash);
    }
    return hash;
}

/* Was the plan made for these sizes? */
static bool fits(const struct plan *plan, const struct problem *open, int nargs,
                 const dnnl_exec_arg_t *args) {
    for (int i = 0; i < open->ntensors; i++) {
        const struct problem_tensor *tensor = &open->tensors[i];
        if (!is_open(tensor)) continue;
        const struct dnnl_memory *memory = exec_memory(tensor->arg, nargs, args);
        if (!memory || !md_equal(&memory->md, &plan->request.tensors[i].md)) return false;
    }
    return true;
}

/* Finding. */

static bool enter(struct entry *entry) {
    int state = atomic_load_explicit(&entry->state, memory_order_relaxed);
    while (state >= IDLE)
        if (atomic_compare_exchange_weak(&entry->state, &state, state + 1)) return true;
    return false;
}

static void leave(struct entry *entry) {
    atomic_fetch_sub_explicit(&entry->state, 1, memory_order_release);
}

static struct plan *find(struct sized_plans *table, uint64_t hash, const struct problem *open, int nargs,
                         const dnnl_exec_arg_t *args) {
    for (int i = 0; i < ENTRIES; i++) {
        struct entry *entry = &table->entries[i];
        if (atomic_load_explicit(&entry->hash, memory_order_relaxed) != hash || !enter(entry)) continue;
        struct plan *plan = fits(entry->plan, open, nargs, args) ? plan_retain(entry->plan) : NULL;
        leave(entry);
        if (!plan) continue;
        atomic_store_explicit(&entry->used, atomic_fetch_add(&table->clock, 1), memory_order_relaxed);
        return plan;
    }
    return NULL;
}

/* Keeping. */

/* The least recently used entry that no thread reads, or NULL. The caller may write it. */
static struct entry *claim(struct sized_plans *table) {
    struct entry *oldest = NULL;
    for (int i = 0; i < ENTRIES; i++) {
        struct entry *entry = &table->entries[i];
        if (atomic_load(&entry->state) > IDLE) continue;
        if (!oldest || atomic_load(&entry->used) < atomic_load(&oldest->used)) oldest = entry;
    }
    int state = oldest ? atomic_load(&oldest->state) : BEING_WRITTEN;
    bool ours = (state == EMPTY || state == IDLE)
                && atomic_compare_exchange_strong(&oldest->state, &state, BEING_WRITTEN);
    return ours ? oldest : NULL;
}

static void keep(struct sized_plans *table, uint64_t hash, struct plan *plan) {
    struct entry *entry = claim(table);
    if (!entry) return;
    struct plan *old = entry->plan;
    entry->plan = plan_retain(plan);
    atomic_store(&entry->hash, hash);
    atomic_store(&entry->used, atomic_fetch_add(&table->clock, 1) + 1);
    atomic_store(&entry->state, IDLE);
    plan_release(old);
}

/* Creating. */

/* Does the memory have the type and the known sizes of the descriptor, and no run-time sizes of its own? */
static bool fits_descriptor(const md_t *given, const md_t *open) {
    if (given->ndims != open->ndims || given->data_type != open->data_type) return false;
    for (int d = 0; d < open->ndims; d++)
        if (open->dims[d] != DNNL_RUNTIME_DIM_VAL && open->dims[d] != given->dims[d]) return false;
    return !md_has_runtime_dims_or_strides(given);
}

/* Fills the open sizes of a problem with those of the memories. */
static dnnl_status_t fill_in_sizes(struct problem *problem, int nargs, const dnnl_exec_arg_t *args) {
    for (int i = 0; i < problem->ntensors; i++) {
        struct problem_tensor *tensor = &problem->tensors[i];
        const struct dnnl_memory *memory = exec_memory(tensor->arg, nargs, args);
        if (!memory) return dnnl_invalid_arguments;
        if (!is_open(tensor)) continue;
        if (!fits_descriptor(&memory->md, &tensor->md))
            return fail(dnnl_invalid_arguments, dnnl_prim_kind2str(problem->kind),
                        "argument %d does not match the descriptor or has run-time sizes", tensor->arg);
        tensor->md = memory->md;
    }
    return problem->check_sizes ? problem->check_sizes(problem) : dnnl_success;
}

/* The layouts of operands are those that the user was told. A scratchpad whose size nobody could know before
 * is not the user's. */
static void close_attributes(attr_t *attr, const struct problem *told) {
    attr->scratchpad_mode = dnnl_scratchpad_mode_library;
    for (int i = 0; i < attr->post_ops.len; i++) {
        struct post_op *op = &attr->post_ops.entries[i];
        if (op->kind != dnnl_binary) continue;
        op->binary.src1 = *problem_md(told, post_op_arg(i, DNNL_ARG_SRC_1));
        if (op->binary.alg == dnnl_binary_select)
            op->binary.src2 = *problem_md(told, post_op_arg(i, DNNL_ARG_SRC_2));
    }
}

static dnnl_status_t make(struct plan **plan, const struct plan *deferred, int nargs,
                          const dnnl_exec_arg_t *args) {
    struct problem problem = {0};
    attr_t attr;
    bool hit;
    struct plan_request request = plan_request_of(deferred);
    request.problem = &problem;
    request.attr = &attr;
    attr_init(&attr);
    dnnl_status_t status = attr_copy(&attr, &deferred->attr);
    if (status == dnnl_success) status = problem_copy(&problem, &deferred->problem);
    if (status == dnnl_success) {
        problem.ntensors = deferred->request.ntensors; /* without operands: they belong to the attributes */
        close_attributes(&attr, &deferred->problem);
        status = fill_in_sizes(&problem, nargs, args);
    }
    if (status == dnnl_success) status = plan_get(plan, &request, &hit);
    problem_clear(&problem);
    attr_clear(&attr);
    if (status != dnnl_success) return status;
    status = plan_prepare(*plan, &hit);
    if (status != dnnl_success) plan_release(*plan);
    return status;
}

dnnl_status_t sized_plans_get(struct sized_plans *table, const struct plan *deferred, int nargs,
                              const dnnl_exec_arg_t *args, struct plan **plan) {
    uint64_t hash = hash_sizes(&deferred->problem, nargs, args);
    *plan = find(table, hash, &deferred->problem, nargs, args);
    if (*plan) return dnnl_success;
    TRY(make(plan, deferred, nargs, args));
    keep(table, hash, *plan);
    return dnnl_success;
}
