/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pool of threads. Every job gets its own thread at once, since jobs may wait for each other. Idle threads
 * sleep until the next call and never exit. After fork() the child starts new ones.
 */
#ifndef LODE_DRIVER_WORKER_H
#define LODE_DRIVER_WORKER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* False if no thread is idle and none can be started. */
bool worker_call(void (*job)(void *argument), void *argument);

/* For a job that expects more work: spins until *counter differs from `value` (true) or a time limit expires
 * (false). At most half the CPUs spin like this at a time. */
bool worker_linger(const _Atomic uint64_t *counter, uint64_t value);

#endif
