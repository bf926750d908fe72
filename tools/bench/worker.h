/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Workers: a process per library that makes jobs and runs them when told to. A crash or a hang of a library
 * ends its worker only. While a worker is not asked for anything it is stopped, so that threads that wait
 * actively do not disturb the other library.
 */
#ifndef LODE_BENCH_WORKER_H
#define LODE_BENCH_WORKER_H

#include "compare.h"
#include "job.h"

#include <sys/types.h>

struct worker {
    const char *library; /* path or name of a library */
    const char *engine;  /* "cpu", "ze:0", … */
    pid_t process;       /* 0 if it does not run */
    int socket;
};

enum outcome {
    OUTCOME_RAN,
    OUTCOME_REFUSED, /* the library said no */
    OUTCOME_SKIPPED, /* the tool cannot ask for it */
    OUTCOME_FAILED,  /* execution failed, crashed or took too long */
};

/* What a worker says about a request. */
struct prepared {
    enum outcome outcome;
    char text[WHY_SIZE];      /* the name of the implementation, or why there is none */
    double create_us, run_us; /* of the creation; of one execution, roughly */
};

/* Starts a worker; false with `why` if the library cannot be used. */
bool worker_start(struct worker *worker, char *why, size_t size);
void worker_stop(struct worker *worker);

/* Makes a job and executes it once. */
struct prepared worker_prepare(struct worker *worker, const struct request *request);

/* Microseconds of an execution, on average over `times`; negative if the worker failed. */
double worker_measure(struct worker *worker, long times);

/* What the first execution wrote: how many outputs, -1 if the worker failed. Their values are the caller's.
 */
int worker_outputs(struct worker *worker, struct output outputs[MAX_OUTPUTS]);

/* The main function of a worker process. */
int worker_main(int socket, const char *library, const char *engine);

#endif
