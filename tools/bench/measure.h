/* SPDX-License-Identifier: Apache-2.0 */
/* Measures a request with one or two libraries and compares their results. */
#ifndef LODE_BENCH_MEASURE_H
#define LODE_BENCH_MEASURE_H

#include "worker.h"

enum verdict {
    VERDICT_RAN,    /* there is nothing to compare with */
    VERDICT_AGREES, /* results agree within the tolerance */
    VERDICT_DIFFERS,
    VERDICT_REFUSED, /* the library under test did not run it, the other did or there is no other */
    VERDICT_BETTER,  /* only the other did not run it */
    VERDICT_NEITHER, /* neither ran it */
    VERDICT_SKIPPED, /* not understood */
};

struct result {
    const struct request *request;
    enum verdict verdict;
    struct prepared ours, theirs;
    double our_us, their_us; /* of an execution, the best of all batches; 0 if it did not run */
    double copy;             /* bytes per second of a copy, if there is a goal that says so; else 0 */
    double error, tolerance; /* relative to the largest result */
    double cliff;  /* of a sweep: how many times longer than its base, if that is too long; else 0 */
    bool optional; /* of a sweep: the library may refuse it */
};

/* `theirs` may be NULL. Takes about `budget_ms` per library. */
struct result measure_request(const struct request *request, struct worker *ours, struct worker *theirs,
                              double budget_ms);

/* Time over time; 0 if one of them is missing. */
double result_ratio(const struct result *result);

/* Bytes per second over those of a copy; 0 if one of them is missing. */
double result_share(const struct result *result);

/* Is there a goal for its ratio or its share, and was that measured? Is it missed? */
bool result_has_goal(const struct result *result);
bool result_misses(const struct result *result);

/* Does this result make the tool's exit status 1? */
bool result_is_failure(const struct result *result);

#endif
