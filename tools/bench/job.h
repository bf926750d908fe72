/* SPDX-License-Identifier: Apache-2.0 */
/* A request that can be executed: its primitive with an argument for everything that it takes. */
#ifndef LODE_BENCH_JOB_H
#define LODE_BENCH_JOB_H

#include "build.h"

enum { MAX_ARGUMENTS = 2 * MAX_TENSORS + 2 * MAX_QUANTS + MAX_POST_OPS, MAX_OUTPUTS = 12, WHY_SIZE = 160 };

struct job {
    struct build build;
    dnnl_stream_t stream;
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t primitive;
    double create_us; /* of the descriptor and the primitive */
    int count;
    dnnl_exec_arg_t arguments[MAX_ARGUMENTS];
    bool tool; /* `why` is about what this tool cannot do, not about the library */
    char why[WHY_SIZE];
};

/* Makes a job; false with `why` if the library refuses. job_free in either case. */
bool job_make(struct job *job, const struct request *request, dnnl_engine_t engine, dnnl_stream_t stream);
/* Makes its primitive only, with no arguments: nothing can be executed. */
bool job_make_primitive(struct job *job, const struct request *request, dnnl_engine_t engine);
void job_free(struct job *job);

/* Replaces the bytes that products read by such as networks have. Those they have before are small, so that
 * libraries agree that saturate or halve weights on some processors. */
bool job_fill_for_timing(struct job *job);

/* Executes `times` times and waits. */
dnnl_status_t job_run(struct job *job, long times);

/* Is the argument one that the primitive writes and that two libraries can be compared by? */
bool job_is_output(const struct job *job, int arg);

const char *job_implementation(const struct job *job);

#endif
