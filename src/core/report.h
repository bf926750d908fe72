/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Verbose lines about plans: implementations that were skipped, plans that were created or executed. All use
 * the same description of a plan. And about devices that were opened.
 */
#ifndef LODE_CORE_REPORT_H
#define LODE_CORE_REPORT_H

#include "core/objects.h"

/* What a plan computes and how, in one line: "convolution,name,prop,tensors,attributes,…". */
enum { REPORT_LINE = 16640 };
void report_describe(const struct plan *plan, char *text, size_t size);
/* "create:dispatch": an implementation that does not fit, why, and where that is decided. */
void report_skip(const struct plan *plan, const char *reason, const char *file, int line);
/* `event` is "create:cache_hit", "create:cache_miss" or "exec". */
void report_plan(const char *event, const struct dnnl_engine *engine, const struct plan *plan, double ms);
/* What a plan launches, one line each: only if debug lines are on. */
void report_launches(const struct plan *plan);

/* A device's name and driver, if creations or executions are reported; with debug lines also its properties.
 */
void report_device(const struct device *device);

#endif
