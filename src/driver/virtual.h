/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What other files need of memory mapped at reserved addresses.
 */
#ifndef LODE_DRIVER_VIRTUAL_H
#define LODE_DRIVER_VIRTUAL_H

#include "driver/memory.h"

/* Like memory_look_up, for mappings. */
bool virtual_look_up(const void *pointer, struct allocation *found);

/* What contains `pointer`, or the physical memory whose handle it is, with its file: an allocation gets one
 * if it has none. */
ze_result_t find_shareable(const void *pointer, struct allocation *found);

#endif
