/* SPDX-License-Identifier: Apache-2.0 */
/* Charts of results: SVG, and a page of HTML with all of them that needs no other file. */
#ifndef LODE_BENCH_DRAW_H
#define LODE_BENCH_DRAW_H

#include "measure.h"

#include <stdio.h>

struct chart {
    int count;
    const struct result *results;
    const char *ours, *theirs; /* what was measured; `theirs` is NULL if there is one library only */
};

/* A stand-alone picture: the times of every request as bars. */
void draw_svg(FILE *file, const struct chart *chart);

/* Bars, a timeline of all requests in the order they came, a roofline and the table. */
void draw_page(FILE *file, const struct chart *chart);

#endif
