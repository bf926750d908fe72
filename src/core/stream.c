/* SPDX-License-Identifier: Apache-2.0 */
/* Streams: an engine, flags, and an id that is unique in the process. */
#include "core/stream.h"
#include "core/scratchpad.h"

#include <stdlib.h>

struct dnnl_stream *stream_new(struct dnnl_engine *engine, unsigned flags) {
    static _Atomic uint64_t last_id;
    struct dnnl_stream *stream = calloc(1, sizeof *stream);
    if (!stream) return NULL;
    *stream = (struct dnnl_stream){.base = {.device = engine->device, .flags = flags},
                                   .engine = engine_retain(engine),
                                   .id = ++last_id};
    pthread_mutex_init(&stream->scratch_lock, NULL);
    return stream;
}

void stream_discard(struct dnnl_stream *stream) {
    scratch_forget(stream);
    pthread_mutex_destroy(&stream->scratch_lock);
    engine_release(stream->engine);
    free(stream);
}

dnnl_status_t stream_hand_out(struct dnnl_stream **stream, struct dnnl_stream *made, dnnl_status_t opened) {
    if (opened == dnnl_success)
        *stream = made;
    else
        stream_discard(made);
    return opened;
}
