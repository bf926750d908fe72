/* SPDX-License-Identifier: Apache-2.0 */
/* Where requests come from: verbose logs, tables of requests, or a description on the command line. */
#ifndef LODE_BENCH_INPUT_H
#define LODE_BENCH_INPUT_H

#include "request.h"

#include <stdio.h>

struct requests {
    int count, room;
    struct request *list; /* each is there once, with a count */
};

/* Reads verbose lines and rows of tables, one per line; lines that are neither are passed over. A row has
 * seven columns with tabs between: count, kind, direction, memory, attributes, auxiliary field, shape. */
void requests_read(struct requests *requests, FILE *file);
/* The same for a file by its name, "-": stdin; false if it cannot be opened. */
bool requests_read_file(struct requests *requests, const char *name);

/* A request in few words; parts that are NULL get defaults. */
struct description {
    const char *kind, *types, *shape;
    const char *direction, *algorithm, *attributes, *tags, *bias, *more; /* `more`: of the auxiliary field */
};

/* Where the value of a command line's option goes ("--alg"); NULL if it describes no request. */
const char **description_option(struct description *description, const char *option);

void requests_describe(struct requests *requests, const struct description *description);

/* Adds a request or counts it once more. */
struct request *requests_add(struct requests *requests, const struct request_text *text, long count);

/* Parses all that were added. */
void requests_parse(struct requests *requests);

#endif
