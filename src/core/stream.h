/* SPDX-License-Identifier: Apache-2.0 */
/* What all streams have in common, whichever runtime made them. */
#ifndef LODE_CORE_STREAM_H
#define LODE_CORE_STREAM_H

#include "core/objects.h"

/* A stream without state that keeps its engine alive; NULL: out of memory. */
struct dnnl_stream *stream_new(struct dnnl_engine *engine, unsigned flags);
/* Frees a stream whose state is gone or was never made. */
void stream_discard(struct dnnl_stream *stream);
/* Gives the user a new stream if its state could be made, and discards it otherwise. Returns `opened`. */
dnnl_status_t stream_hand_out(struct dnnl_stream **stream, struct dnnl_stream *made, dnnl_status_t opened);

#endif
