/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scratchpads that the library keeps (scratchpad mode "library"). They belong to a device and serve all its
 * primitives, so memory is bound by the largest primitive times the executions in flight, and creating a
 * primitive costs nothing once a scratchpad of its size is there.
 *
 * Each slot has one holder at a time: an execution on synchronous runtimes, an in-order stream on the others,
 * where everything on the stream may share it.
 */
#ifndef LODE_CORE_SCRATCHPAD_H
#define LODE_CORE_SCRATCHPAD_H

#include "runtimes/runtime.h"

enum { SCRATCH_SLOTS = 128 };

struct scratch {
    _Atomic uint64_t holder; /* id of a stream, 0: free */
    size_t size;
    struct buffer buffer;
    void *state; /* the runtime's own: on out-of-order streams the event of its last use */
};

/* Makes sure that a free scratchpad of this size exists. */
dnnl_status_t scratch_reserve(struct device *device, size_t size);
/* A scratchpad for an execution on a stream; NULL: no memory, or all slots are taken. */
struct scratch *scratch_take(const struct dnnl_stream *stream, size_t size);
/* After the submission. Slots of asynchronous streams stay with them until scratch_forget. */
void scratch_give_back(struct scratch *scratch, const struct dnnl_stream *stream);
/* The stream ends: waits for it if it holds a slot, and frees its slots. */
void scratch_forget(struct dnnl_stream *stream);
/* The device closes. */
void scratch_free_all(struct device *device);

#endif
