/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plan: how a problem is computed on a device. A short list of kernel launches with nothing left to decide
 * but where the buffers are. Immutable once made, shared by every primitive descriptor and primitive of the
 * same problem, counted by references, kept by the cache.
 *
 * Buffers are passed whole: offsets (a descriptor's offset0, a slice of the scratchpad) stand in the
 * parameter block, because some runtimes' buffers have no address that the host could add to.
 */
#ifndef LODE_CORE_PLAN_H
#define LODE_CORE_PLAN_H

#include "core/problem.h"
#include "kernels/kernel.h"

#include <pthread.h>
#include <stdatomic.h>

struct device;

enum { PLAN_MAX_LAUNCHES = 12, LAUNCH_MAX_BUFFERS = 20, LAUNCH_MAX_SCALARS = 8 };

/* What stands behind a kernel's buffer argument: an execution argument by its DNNL_ARG_* number, or these. */
enum { ARG_NOTHING = 0, ARG_SCRATCHPAD = DNNL_ARG_SCRATCHPAD };

struct range {
    size_t groups[3];
    size_t group_size[3];
};

/* A launch of nothing: runtimes pass over it. */
static inline bool range_is_empty(const struct range *range) {
    return range->groups[0] == 0 || range->groups[1] == 0 || range->groups[2] == 0;
}

/* A host scalar that is read at execution and travels in the launch's scalar block. */
enum scalar_form { SCALAR_F32, SCALAR_LOW, SCALAR_HIGH }; /* the latter: half of an integer of 64 bits */
struct launch_scalar {
    int arg;
    enum scalar_form form; /* how the kernel reads it */
};

struct launch {
    const struct kernel *kernel;
    struct range range;
    int nbuffers;
    int buffers[LAUNCH_MAX_BUFFERS]; /* execution arguments */
    int nscalars;
    struct launch_scalar scalars[LAUNCH_MAX_SCALARS];
    void *params; /* owned; kernel->params_size bytes */
};

struct plan {
    _Atomic int references;
    uint64_t hash; /* of the request: problem as asked, attributes, device, implementation */
    struct device *device;
    int first;              /* implementation that the search began with */
    struct problem request; /* as the user asked, `any` layouts and all */
    struct problem problem; /* with every layout decided */
    attr_t attr;
    const struct implementation *implementation;
    int index;     /* of the implementation in its table */
    bool deferred; /* sizes are known only at execution: then a plan is made for them */
    size_t scratchpad_size;
    md_t scratchpad_md;
    int nlaunches;
    struct launch launches[PLAN_MAX_LAUNCHES];

    /* What the runtime made of it: done once, by the first primitive. */
    pthread_mutex_t lock;
    _Atomic bool loaded;
    void *kernels[PLAN_MAX_LAUNCHES]; /* of the device; not owned */
    void *params[PLAN_MAX_LAUNCHES];  /* parameter blocks where the device can read them; owned */
    uint8_t *blob_id;                 /* made when first asked for: core/blob.c; owned */
    size_t blob_id_size;
};

/* One way to compute a kind of primitive. Tables of these run from best to plainest, the universal one last.
 */
struct implementation {
    const char *name; /* of its kernel, as verbose lines and dnnl_query_impl_info_str say it */
    /* Decides the open layouts of plan->problem and adds the launches. dnnl_unimplemented: not for this
     * problem (say why with plan_skip), the next one is tried with a fresh plan. */
    dnnl_status_t (*build)(struct plan *plan);
    const void *data; /* what tells rows apart that are built by the same function */
};

/* Building: called by implementations only. */

/* Adds a launch; its parameter block is zeroed and returned for filling in. NULL: out of memory. */
void *plan_launch(struct plan *plan, const struct kernel *kernel, struct range range, struct launch **launch);
/* Binds the next buffer argument of the launch to an execution argument (or ARG_NOTHING, ARG_SCRATCHPAD). */
void launch_bind(struct launch *launch, int arg);
/* Reserves scratchpad; returns the slice's offset in bytes, a multiple of 128. */
size_t plan_scratchpad(struct plan *plan, size_t size);
/* Adds the launches of another problem, a part of this one, as its own implementations build them. whole_arg
 * translates the part's execution arguments, with `data` at hand, into those of the plan; what becomes
 * ARG_SCRATCHPAD is a tensor that lies there, at its offset0. The layouts that the part decides are taken
 * over into the plan's problem. */
dnnl_status_t plan_append(struct plan *plan, const struct problem *part, const attr_t *attr,
                          int (*whole_arg)(int arg, const void *data), const void *data);
/* Verbose "dispatch" line with the first condition that failed; returns dnnl_unimplemented. */
#define plan_skip(plan, reason) plan_skip_at(plan, reason, __FILE__, __LINE__)
dnnl_status_t plan_skip_at(const struct plan *plan, const char *reason, const char *file, int line);

/* Making and keeping. */

/* Looks the request up in the cache or builds it with the implementations from `first` on. Takes over
 * nothing: problem and attr are copied. On success *plan holds a reference. *hit tells if the cache had it.
 */
dnnl_status_t plan_get(struct plan **plan, struct device *device, const struct problem *problem,
                       const attr_t *attr, int first, bool *hit);
struct plan *plan_retain(struct plan *plan);
void plan_release(struct plan *plan);
/* Loads kernels and parameter blocks onto the device, once. */
dnnl_status_t plan_load(struct plan *plan, bool *hit);

/* Plans that were recorded, each once, and live as long as the list. Zeroed: empty. */
struct plan_list {
    size_t count;
    struct plan **plans;
};
bool plan_list_add(struct plan_list *list, const struct plan *plan); /* false: no memory */
void plan_list_free(struct plan_list *list);

#endif
