/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Verbose lines about plans: implementations that were skipped, plans that were created or executed. All use
 * the same description of a plan.
 */
#ifndef LODE_CORE_REPORT_H
#define LODE_CORE_REPORT_H

#include "core/objects.h"

/* "create:dispatch": an implementation that does not fit, why, and where that is decided. */
/* What a plan computes and how, in one line: "convolution,name,prop,tensors,attributes,…". */
enum { REPORT_LINE = 16640 };
void report_describe(const struct plan *plan, char *text, size_t size);
void report_skip(const struct plan *plan, const char *reason, const char *file, int line);
/* `event` is "create:cache_hit", "create:cache_miss" or "exec". */
void report_plan(const char *event, const struct dnnl_engine *engine, const struct plan *plan, double ms);

#endif
