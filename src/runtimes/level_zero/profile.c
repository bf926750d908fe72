/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiling: every launch of a profiling stream signals an event with timestamps, and an execution's time is
 * the sum of its launches', in ticks of the device's timer. Timestamps are read on a query, or when an event
 * is about to be reused. On a regular list they are those of its last run.
 */
#include "runtimes/level_zero/level_zero.h"

#include <stdlib.h>
#include <string.h>

bool lz_profile_entry(struct lz_stream *s, int *entry) {
    if (s->entries == s->capacity) {
        int capacity = s->capacity ? 2 * s->capacity : 64;
        uint64_t *ticks = realloc(s->ticks, (size_t)capacity * sizeof *ticks);
        if (!ticks) return false;
        s->ticks = ticks, s->capacity = capacity;
    }
    s->ticks[s->entries] = 0;
    *entry = s->entries++;
    return true;
}

void lz_profile_collect(struct lz_stream *s, struct lz_event *event) {
    ze_kernel_timestamp_result_t stamps;
    if (event->entry < 0) return;
    if (s->device->ze->EventQueryKernelTimestamp(event->handle, &stamps) == ZE_RESULT_SUCCESS)
        s->ticks[event->entry] +=
                (stamps.global.kernelEnd - stamps.global.kernelStart) & s->device->timer_mask;
    if (s->immediate) event->entry = -1;
}

dnnl_status_t lz_profiling_reset(struct stream *stream) {
    struct lz_stream *s = lz_stream_of(stream);
    pthread_mutex_lock(&s->lock);
    for (struct lz_event *event = s->events.oldest; event; event = event->next)
        event->entry = -1;
    s->entries = 0;
    pthread_mutex_unlock(&s->lock);
    return dnnl_success;
}

static void collect_all(struct lz_stream *s) {
    if (!s->immediate) memset(s->ticks, 0, (size_t)s->entries * sizeof s->ticks[0]);
    for (struct lz_event *event = s->events.oldest; event; event = event->next)
        lz_profile_collect(s, event);
}

static void read_entries(struct lz_stream *s, uint64_t hertz, uint64_t *data) {
    if (s->entries) collect_all(s);
    for (int i = 0; i < s->entries; i++)
        data[i] = (uint64_t)((__extension__(unsigned __int128) s->ticks[i] * hertz) / s->device->timer_hertz);
}

/* `hertz`: how many of the returned units make a second. */
static dnnl_status_t query(struct stream *stream, uint64_t hertz, int *count, uint64_t *data) {
    struct lz_stream *s = lz_stream_of(stream);
    dnnl_status_t status = data ? lz_stream_wait(stream) : dnnl_success;
    if (status != dnnl_success) return status;
    pthread_mutex_lock(&s->lock);
    if (data && *count < s->entries) {
        status = fail(dnnl_invalid_arguments, "profiling", "%d entries, and room for %d", s->entries, *count);
    } else {
        if (data) read_entries(s, hertz, data);
        *count = s->entries;
    }
    pthread_mutex_unlock(&s->lock);
    return status;
}

dnnl_status_t lz_profiling_query(struct stream *stream, int *count, uint64_t *ns) {
    return query(stream, 1000000000, count, ns);
}

dnnl_status_t lz_profiling_cycles(struct stream *stream, int *count, uint64_t *cycles) {
    return query(stream, lz_stream_of(stream)->device->timer_hertz, count, cycles);
}
