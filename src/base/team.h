/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who takes part in a loop of the calling thread: how many threads, and on which CPUs. Frameworks change both
 * at run time, so the answer is looked up for each loop:
 * - an OpenMP runtime in the process tells the number (omp_get_max_threads); it is looked up, never linked;
 * - without one, OMP_NUM_THREADS as it was on first use;
 * - without either, there is one thread for each CPU that the calling thread may run on.
 * A thread that may use fewer CPUs than the process gets no more threads than CPUs. Where OpenMP binds
 * threads to places, the places are the CPUs: its own binding of the calling thread says nothing about ours.
 */
#ifndef LODE_BASE_TEAM_H
#define LODE_BASE_TEAM_H

#include <stdint.h>

#ifdef __linux__
#include <sched.h>
#endif

struct team {
    int threads;   /* the caller is one of them */
    int available; /* CPUs */
#ifdef __linux__
    uint64_t key; /* of `cpus`: equal sets have equal keys */
    cpu_set_t cpus;
#endif
};

/* The team of the calling thread, valid until its next call. A changed affinity is seen within milliseconds,
 * a changed number of threads at once. */
const struct team *team_current(void);

/* Moves the calling thread, a worker, to the CPUs of a team. Costs nothing if it is there. */
void team_join(const struct team *team);

#endif
