/* SPDX-License-Identifier: Apache-2.0 */
/* What the tool prints about results. */
#ifndef LODE_BENCH_REPORT_H
#define LODE_BENCH_REPORT_H

#include "measure.h"

#include <stdio.h>

/* The table: a head, a line per result as it comes, and totals. `both`: two libraries are compared. */
void report_head(FILE *file, bool both);
void report_line(FILE *file, const struct result *result, bool both);
void report_totals(FILE *file, int count, const struct result *results, bool both);

/* All results as comma-separated values. */
void report_csv(FILE *file, int count, const struct result *results);

/* The same for readers of a document: what, times, ratio, goal. */
void report_markdown(FILE *file, int count, const struct result *results);

/* The verdict with its reason. */
void verdict_text(const struct result *result, char *text, size_t size);

#endif
