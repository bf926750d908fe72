/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plan: how a problem is computed on a device. The request as it was made, the problem with every layout
 * decided, the attributes, and the program that computes it. Immutable once made, shared by every primitive
 * descriptor and primitive of the same request, counted by references, kept by the cache.
 */
#ifndef LODE_CORE_PLAN_H
#define LODE_CORE_PLAN_H

#include "core/problem.h"
#include "program/program.h"
#include "runtimes/executable.h"

#include <pthread.h>

/* What stands behind a kernel's buffer argument: an execution argument by its DNNL_ARG_* number, or these. */
enum { ARG_NOTHING = 0, ARG_SCRATCHPAD = DNNL_ARG_SCRATCHPAD };

/* What is asked for: the key of the cache. */
struct plan_request {
    struct device *device;
    const struct implementation *implementations; /* of this kind of primitive and propagation */
    const struct problem *problem;                /* as the user asked, `any` layouts and all */
    const attr_t *attr;
    int first; /* implementation that the search begins with */
};

/* What must be bound to a slot of the program. */
enum argument { ARGUMENT_OPTIONAL, ARGUMENT_BUFFER, ARGUMENT_EMPTY, ARGUMENT_SCALAR };

struct plan {
    struct counted counted;
    uint64_t hash; /* of the request */
    struct device *device;
    const struct implementation *implementations; /* the table, and below the one of them that took it */
    int first;
    struct problem request;
    struct problem problem; /* with every layout decided */
    attr_t attr;
    const struct implementation *implementation;
    int index;     /* of the implementation in its table */
    bool deferred; /* sizes are known only at execution: then a plan is made for them, and this has no program
                    */
    md_t scratchpad_md;
    struct program *program;
    uint8_t *arguments; /* by slot: enum argument */

    pthread_mutex_t lock; /* of what follows */
    _Atomic bool loaded;
    struct executable *executable; /* made once, by the first primitive */
    uint8_t *blob_id;              /* made when first asked for: core/blob.c */
    size_t blob_id_size;
};

/* One way to compute a kind of primitive. Tables of these run from best to plainest, the universal one last.
 */
struct implementation {
    const char *name; /* of its kernel, as verbose lines and dnnl_query_impl_info_str say it */
    /* Decides the open layouts of plan->problem and adds the launches. dnnl_unimplemented: not for this
     * problem (say why with plan_skip), the next one is tried with a fresh program. */
    dnnl_status_t (*build)(struct plan *plan);
    const void *data; /* what tells rows apart that are built by the same function */
};

/* Building: called by implementations only. */

/* Adds a launch; its parameter block is zeroed and returned for filling in. Launch and block stay where they
 * are while the plan is built. NULL: out of memory. */
void *plan_launch(struct plan *plan, const struct kernel *kernel, struct range range, struct launch **launch);
/* Binds the next buffer argument of the launch to an execution argument (or ARG_NOTHING, ARG_SCRATCHPAD). */
void launch_bind(struct launch *launch, int arg);
/* The same for a sparse argument, which has several buffers: `handle` is the number of one. */
void launch_bind_handle(struct launch *launch, int arg, int handle);
/* Tells that stores to an argument that is bound, which the launch writes once and does not read, may bypass
 * the caches: *streams, in its block, becomes 1 if they do. Those of scratchpad do not. */
void launch_may_stream_to(struct launch *launch, int arg, i32 *streams);
/* How large a result may be to be still in the last-level cache when it is read: its size, but no more than
 * some megabytes for each CPU. 0: unknown. */
size_t plan_cache(const struct plan *plan);
/* Reserves scratchpad; returns the slice's offset in bytes, a multiple of 128. */
size_t plan_scratchpad(struct plan *plan, size_t size);
/* Reserves scratchpad for a tensor, which then begins at its offset0. */
void plan_place(struct plan *plan, md_t *md);
/* Adds the launches of another problem, a part of this one, as its own implementations build them. whole_arg
 * translates the part's execution arguments, with `data` at hand, into those of the plan; what becomes
 * ARG_SCRATCHPAD is a tensor that lies there, at its offset0. Layouts that are open in the plan's problem are
 * taken over from the part. */
dnnl_status_t plan_append(struct plan *plan, const struct implementation *implementations,
                          const struct problem *part, const attr_t *attr,
                          int (*whole_arg)(int arg, const void *data), const void *data);
/* Verbose "dispatch" line with the first condition that failed; returns dnnl_unimplemented. */
#define plan_skip(plan, reason) plan_skip_at(plan, reason, __FILE__, __LINE__)
dnnl_status_t plan_skip_at(const struct plan *plan, const char *reason, const char *file, int line);

/* Is the kernel for the plan's device? Says why not as plan_skip does. Every launch is checked once it is
 * built; an implementation asks first if it need not work in vain. */
#define plan_takes(plan, kernel) plan_takes_at(plan, kernel, __FILE__, __LINE__)
dnnl_status_t plan_takes_at(const struct plan *plan, const struct kernel *kernel, const char *file, int line);

/* Making and keeping. */

/* Looks the request up in the cache or builds it. Problem and attr are copied. On success *plan holds a
 * reference. *hit tells if the cache had it. */
dnnl_status_t plan_get(struct plan **plan, const struct plan_request *request, bool *hit);
/* The request that gave this plan, to be made again from another implementation on. */
struct plan_request plan_request_of(const struct plan *plan);
struct plan *plan_retain(struct plan *plan);
void plan_release(struct plan *plan);
/* Loads the program onto the device, once. */
dnnl_status_t plan_load(struct plan *plan, bool *hit);

#endif
