/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The threads that launches and copies run on: those of the library that lent its pool, or else the driver's
 * own. Knows nothing of what runs on them.
 */
#ifndef LODE_DRIVER_THREADS_H
#define LODE_DRIVER_THREADS_H

#include "base/pool.h"

/* The pool of this driver. Always the same one: the first call chooses it. */
const struct pool_functions *threads(void);

/* Extension function "lodeDriverUsePool": makes the driver use the caller's pool, unless it has already used
 * its own. The caller must stay loaded. */
void threads_use(const struct pool_functions *lent);

#endif
