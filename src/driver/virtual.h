/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What other files need of memory mapped at reserved addresses.
 */
#ifndef LODE_DRIVER_VIRTUAL_H
#define LODE_DRIVER_VIRTUAL_H

#include "driver/memory.h"

/* Like memory_look_up, for mappings. */
bool virtual_look_up(const void *pointer, struct allocation *found);
/* The same for physical memory, given its handle. */
bool physical_look_up(const void *handle, struct allocation *found);

#endif
