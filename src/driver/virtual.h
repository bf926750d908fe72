/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What other files need of memory mapped at reserved addresses.
 */
#ifndef LODE_DRIVER_VIRTUAL_H
#define LODE_DRIVER_VIRTUAL_H

#include "driver/memory.h"

/* Like memory_look_up, for mappings. */
bool virtual_look_up(const struct context *context, const void *pointer, struct allocation *found);

/* Releases addresses that are still reserved in a context that is being destroyed. */
void virtual_dispose_all(const struct context *context);

#endif
