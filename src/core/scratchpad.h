/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scratchpads that the library keeps (scratchpad mode "library"), so that a warm execution allocates nothing.
 *
 * On synchronous runtimes they belong to the device and serve all its primitives: memory is bounded by the
 * largest primitive times the executions in flight. Each slot serves one execution at a time.
 *
 * On asynchronous runtimes they belong to a stream. The largest one serves all executions, because an
 * in-order stream, or the runtime of an out-of-order stream, serialises them. Smaller ones are kept until the
 * stream ends, because submitted or recorded executions may still use them.
 */
#ifndef LODE_CORE_SCRATCHPAD_H
#define LODE_CORE_SCRATCHPAD_H

#include "runtimes/runtime.h"

enum { SCRATCH_SLOTS = 128 };

struct scratch {
    _Atomic uint64_t holder; /* for a device: id of the stream that holds it; 0: free */
    struct scratch *next;    /* for a stream */
    size_t size;
    struct buffer buffer;
};

/* Ensures that a free scratchpad of this size exists on a synchronous device. */
dnnl_status_t scratch_reserve(struct device *device, size_t size);
/* A scratchpad for an execution on a stream; NULL: out of memory, or all slots are taken. */
struct scratch *scratch_take(struct dnnl_stream *stream, size_t size);
/* Call after the submission. */
void scratch_give_back(struct scratch *scratch, const struct dnnl_stream *stream);
/* Call when the stream ends. */
void scratch_forget(struct dnnl_stream *stream);
/* Call when the device closes. */
void scratch_free_all(struct device *device);

#endif
