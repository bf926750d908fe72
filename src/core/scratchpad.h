/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scratchpads that the library keeps (scratchpad mode "library"), so that a warm execution allocates nothing.
 *
 * On synchronous runtimes they belong to the device and serve all its primitives: memory is bound by the
 * largest primitive times the executions in flight. Each slot has one execution at a time.
 *
 * On the others they belong to a stream: the largest one serves all that is submitted to it, because the
 * stream's order, or the runtime where it has none, keeps executions apart. Smaller ones stay until the
 * stream ends, since what was submitted or recorded may still use them.
 */
#ifndef LODE_CORE_SCRATCHPAD_H
#define LODE_CORE_SCRATCHPAD_H

#include "runtimes/runtime.h"

enum { SCRATCH_SLOTS = 128 };

struct scratch {
    _Atomic uint64_t holder; /* of a device's: id of a stream, 0: free */
    struct scratch *next;    /* of a stream's */
    size_t size;
    struct buffer buffer;
};

/* Makes sure that a free scratchpad of this size exists on a synchronous device. */
dnnl_status_t scratch_reserve(struct device *device, size_t size);
/* A scratchpad for an execution on a stream; NULL: no memory, or all slots are taken. */
struct scratch *scratch_take(struct dnnl_stream *stream, size_t size);
/* After the submission. */
void scratch_give_back(struct scratch *scratch, const struct dnnl_stream *stream);
/* The stream ends. */
void scratch_forget(struct dnnl_stream *stream);
/* The device closes. */
void scratch_free_all(struct device *device);

#endif
