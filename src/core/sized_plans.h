/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The plans of a primitive whose sizes are known only at execution: one for each set of sizes that was
 * executed recently. The table is bounded; a lookup that finds its sizes needs no allocation and no lock.
 */
#ifndef LODE_CORE_SIZED_PLANS_H
#define LODE_CORE_SIZED_PLANS_H

#include "core/objects.h"

struct sized_plans;

struct sized_plans *sized_plans_new(void); /* NULL: out of memory */
void sized_plans_free(struct sized_plans *table);

/* The loaded plan for the sizes of these arguments, retained. `deferred` is the primitive's own plan. */
dnnl_status_t sized_plans_get(struct sized_plans *table, const struct plan *deferred, int nargs,
                              const dnnl_exec_arg_t *args, struct plan **plan);

#endif
