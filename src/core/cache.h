/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The primitive cache: plans by request, the least recently used thrown out first. Entries hold one reference
 * to their plan and none to its device: a device purges its plans when it closes.
 */
#ifndef LODE_CORE_CACHE_H
#define LODE_CORE_CACHE_H

#include "core/plan.h"

int cache_capacity(void);
dnnl_status_t cache_set_capacity(int capacity); /* negative: dnnl_invalid_arguments */

/* The plan with one more reference, or NULL. */
struct plan *cache_find(const struct plan_request *request, uint64_t hash);
/* Keeps the plan, unless an equal one is there already: then that one comes back and `plan` is released. */
struct plan *cache_insert(struct plan *plan);
void cache_purge(struct device *device);

#endif
