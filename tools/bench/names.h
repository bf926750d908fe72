/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of values as they stand in verbose lines: kinds, directions, types, algorithms, arguments. The
 * process that reads requests has no library loaded, so the tool has tables of its own.
 */
#ifndef LODE_BENCH_NAMES_H
#define LODE_BENCH_NAMES_H

#include <stdbool.h>

struct name {
    const char *text; /* NULL ends a table */
    int value;
};

extern const struct name kind_names[], direction_names[], type_names[], alg_names[], argument_names[],
        fpmath_names[], accumulation_names[], rnn_direction_names[];

/* Is `text` in the table? Then writes its value. */
bool name_value(const struct name *table, const char *text, int *value);

/* The name of a value, "?" if it has none. */
const char *value_name(const struct name *table, int value);

#endif
