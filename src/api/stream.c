/* SPDX-License-Identifier: Apache-2.0 */
/* dnnl_stream_* and the profiling functions, which query the execution times of a stream. */
#include "api/undeclared.h"
#include "core/objects.h"
#include "core/stream.h"
#include "base/verbose.h"

static const unsigned orders = dnnl_stream_in_order | dnnl_stream_out_of_order;

dnnl_status_t dnnl_stream_create(dnnl_stream_t *stream, dnnl_engine_t engine, unsigned flags) {
    if (!stream || !engine) return fail(dnnl_invalid_arguments, "stream", "null argument to create");
    if (flags & ~(orders | dnnl_stream_profiling) || (flags & orders) == orders)
        return fail(dnnl_invalid_arguments, "stream", "bad flags: 0x%x", flags);
    struct dnnl_stream *made = stream_new(engine, flags);
    if (!made) return dnnl_out_of_memory;
    return stream_hand_out(stream, made, engine_runtime(engine)->stream_open(&made->base, flags));
}

dnnl_status_t dnnl_stream_get_engine(const_dnnl_stream_t stream, dnnl_engine_t *engine) {
    if (!stream || !engine) return fail(dnnl_invalid_arguments, "stream", "null argument to get_engine");
    *engine = stream->engine;
    return dnnl_success;
}

dnnl_status_t dnnl_stream_wait(dnnl_stream_t stream) {
    if (!stream) return fail(dnnl_invalid_arguments, "stream", "stream is NULL");
    return engine_runtime(stream->engine)->stream_wait(&stream->base);
}

dnnl_status_t dnnl_stream_destroy(dnnl_stream_t stream) {
    if (!stream) return dnnl_success;
    engine_runtime(stream->engine)->stream_close(&stream->base);
    stream_discard(stream);
    return dnnl_success;
}

static dnnl_status_t check_profiling(const struct dnnl_stream *stream) {
    if (!stream) return fail(dnnl_invalid_arguments, "profiling", "stream is NULL");
    if (!(stream->base.flags & dnnl_stream_profiling) || !engine_runtime(stream->engine)->profiling_query)
        return fail(dnnl_invalid_arguments, "profiling", "the stream was not created for profiling");
    return dnnl_success;
}

dnnl_status_t dnnl_reset_profiling(dnnl_stream_t stream) {
    TRY(check_profiling(stream));
    return engine_runtime(stream->engine)->profiling_reset(&stream->base);
}

static dnnl_status_t query_cycles(struct dnnl_stream *stream, int *num_entries, uint64_t *data) {
    const struct runtime *runtime = engine_runtime(stream->engine);
    if (runtime->profiling_cycles) return runtime->profiling_cycles(&stream->base, num_entries, data);
    dnnl_status_t status = runtime->profiling_query(&stream->base, num_entries, data);
    for (int i = 0; i < *num_entries && status == dnnl_success; i++)
        data[i] = 0;
    return status;
}

/* If `data` is NULL, the kind does not matter: only the number of entries is returned. */
dnnl_status_t dnnl_query_profiling_data(dnnl_stream_t stream, dnnl_profiling_data_kind_t kind,
                                        int *num_entries, uint64_t *data) {
    TRY(check_profiling(stream));
    if (!num_entries) return fail(dnnl_invalid_arguments, "profiling", "num_entries is NULL");
    if (!data || kind == dnnl_profiling_data_kind_time)
        return engine_runtime(stream->engine)->profiling_query(&stream->base, num_entries, data);
    if ((unsigned)kind == PROFILING_DATA_KIND_CYCLES) return query_cycles(stream, num_entries, data);
    return fail(dnnl_invalid_arguments, "profiling", "unknown kind of data: 0x%x", (unsigned)kind);
}

dnnl_status_t dnnl_impl_notify_profiling_complete(dnnl_stream_t stream) {
    return check_profiling(stream);
}
