/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiling: every launch of a profiling stream signals an event with timestamps, and an execution's time is
 * the sum of its launches'. Times are read when they are asked for, or when an event is about to be reused.
 * On a regular list they are those of its last run.
 */
#include "runtimes/level_zero/level_zero.h"

#include <stdlib.h>
#include <string.h>

bool lz_profile_entry(struct lz_stream *s, int *entry) {
    if (s->entries == s->capacity) {
        int capacity = s->capacity ? 2 * s->capacity : 64;
        uint64_t *ns = realloc(s->ns, (size_t)capacity * sizeof *ns);
        if (!ns) return false;
        s->ns = ns, s->capacity = capacity;
    }
    s->ns[s->entries] = 0;
    *entry = s->entries++;
    return true;
}

static uint64_t to_ns(const struct lz_device *d, const ze_kernel_timestamp_data_t *stamp) {
    uint64_t ticks = (stamp->kernelEnd - stamp->kernelStart) & d->timer_mask;
    return (uint64_t)((__extension__(unsigned __int128) ticks * 1000000000) / d->timer_hertz);
}

void lz_profile_collect(struct lz_stream *s, struct lz_event *event) {
    ze_kernel_timestamp_result_t stamps;
    if (event->entry < 0) return;
    if (s->device->ze->EventQueryKernelTimestamp(event->handle, &stamps) == ZE_RESULT_SUCCESS)
        s->ns[event->entry] += to_ns(s->device, &stamps.global);
    if (s->immediate) event->entry = -1;
}

dnnl_status_t lz_profiling_reset(struct dnnl_stream *stream) {
    struct lz_stream *s = lz_stream_of(stream);
    pthread_mutex_lock(&s->lock);
    for (struct lz_event *event = s->events.oldest; event; event = event->next)
        event->entry = -1;
    s->entries = 0;
    pthread_mutex_unlock(&s->lock);
    return dnnl_success;
}

static void collect_all(struct lz_stream *s) {
    if (!s->immediate) memset(s->ns, 0, (size_t)s->entries * sizeof s->ns[0]);
    for (struct lz_event *event = s->events.oldest; event; event = event->next)
        lz_profile_collect(s, event);
}

dnnl_status_t lz_profiling_query(struct dnnl_stream *stream, int *count, uint64_t *ns) {
    struct lz_stream *s = lz_stream_of(stream);
    dnnl_status_t status = ns ? lz_stream_wait(stream) : dnnl_success;
    if (status != dnnl_success) return status;
    pthread_mutex_lock(&s->lock);
    if (ns && *count < s->entries) {
        status = fail(dnnl_invalid_arguments, "profiling", "room for %d entries of %d", *count, s->entries);
    } else {
        if (ns && s->entries) {
            collect_all(s);
            memcpy(ns, s->ns, (size_t)s->entries * sizeof *ns);
        }
        *count = s->entries;
    }
    pthread_mutex_unlock(&s->lock);
    return status;
}
