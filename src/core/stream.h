/* SPDX-License-Identifier: Apache-2.0 */
/* The part of streams that does not depend on the runtime. */
#ifndef LODE_CORE_STREAM_H
#define LODE_CORE_STREAM_H

#include "core/objects.h"

/* A stream without state that keeps its engine alive; NULL: out of memory. */
struct dnnl_stream *stream_new(struct dnnl_engine *engine, unsigned flags);
/* Frees a stream that has no state, or no longer has one. */
void stream_discard(struct dnnl_stream *stream);
/* Stores the new stream in *stream if `opened` is success, else discards it. Returns `opened`. */
dnnl_status_t stream_hand_out(struct dnnl_stream **stream, struct dnnl_stream *made, dnnl_status_t opened);

#endif
