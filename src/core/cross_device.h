/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reorders from one device to another.
 */
#ifndef LODE_CORE_CROSS_DEVICE_H
#define LODE_CORE_CROSS_DEVICE_H

#include "core/objects.h"

/* Of two engines, the one whose streams execute a reorder between them. Prefers an engine that is not the
 * host's and not a CPU's. */
struct dnnl_engine *engine_between(struct dnnl_engine *src, struct dnnl_engine *dst);

bool desc_crosses_devices(const struct dnnl_primitive_desc *desc);

/* Executes such a reorder. */
dnnl_status_t execute_cross_device(const struct call *call);

#endif
