/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The primitive cache: plans by request; the least recently used is evicted first. Entries hold one reference
 * to their plan and none to its device: a device removes its plans when it closes.
 */
#ifndef LODE_CORE_CACHE_H
#define LODE_CORE_CACHE_H

#include "core/plan.h"

int cache_capacity(void);
dnnl_status_t cache_set_capacity(int capacity); /* negative: dnnl_invalid_arguments */

/* The plan, retained, or NULL. */
struct plan *cache_find(const struct plan_request *request, uint64_t hash);
/* Adds the plan and returns it. If an equal one is already there, releases `plan` and returns that one. */
struct plan *cache_insert(struct plan *plan);
void cache_purge(struct device *device);

#endif
