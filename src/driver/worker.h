/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads on call. A job gets a thread of its own at once: jobs may wait for each other. Threads that have
 * nothing to do sleep until the next call; none of them ever ends. After fork() the child starts new ones.
 */
#ifndef LODE_DRIVER_WORKER_H
#define LODE_DRIVER_WORKER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* False if there is no thread and none can be started. */
bool worker_call(void (*job)(void *argument), void *argument);

/* For a job that expects more to come: spins until *counter is not `value` any more (true) or it has been too
 * long (false). At most half the CPUs spin like that at a time. */
bool worker_linger(const _Atomic uint64_t *counter, uint64_t value);

#endif
