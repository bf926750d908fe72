/* SPDX-License-Identifier: Apache-2.0 */
/* Results of two libraries: do they agree? */
#ifndef LODE_BENCH_COMPARE_H
#define LODE_BENCH_COMPARE_H

#include "oneapi/dnnl/dnnl_types.h"

#include <stdbool.h>
#include <stddef.h>

/* What a primitive wrote to one argument, in the order of indices. */
struct output {
    int arg;
    dnnl_data_type_t type;
    size_t count;
    float *values;
};

/* `error` is the largest difference in units of the largest value, `tolerance` what follows from the types
 * and the length of the sums: those of the output that is closest to its tolerance or furthest beyond. */
bool outputs_agree(int count, const struct output *ours, const struct output *theirs, double depth,
                   double *error, double *tolerance);

#endif
