/* SPDX-License-Identifier: Apache-2.0 */
/* Variants of one request over types, layouts and attributes. */
#ifndef LODE_BENCH_SWEEP_H
#define LODE_BENCH_SWEEP_H

#include "input.h"
#include "measure.h"

/* Adds all variants of a description; the first one is the base. */
void requests_sweep(struct requests *requests, const struct description *base);

/* Does it take more than three times as long as the base and 50 microseconds? */
bool sweep_is_cliff(const struct result *base, const struct result *result);

#endif
