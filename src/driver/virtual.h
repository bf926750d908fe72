/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What others need to know of memory that is mapped on reserved addresses.
 */
#ifndef LODE_DRIVER_VIRTUAL_H
#define LODE_DRIVER_VIRTUAL_H

#include "driver/memory.h"

/* Like memory_look_up, for mappings. */
bool virtual_look_up(const struct context *context, const void *pointer, struct allocation *found);

/* What a context's end does to addresses that are reserved still. */
void virtual_dispose_all(const struct context *context);

#endif
