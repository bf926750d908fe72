/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiling: one entry per execution, the time that its launches took on the device. Events are kept until
 * they have completed; then their times are added up and they are released.
 */
#include "runtimes/opencl/opencl.h"

#include <stdlib.h>
#include <string.h>

struct pending {
    cl_event event;
    int entry;
};

struct opencl_profile {
    pthread_mutex_t lock;
    int nentries, entries_room;
    uint64_t *ns;
    int npending, pending_room;
    struct pending *pending;
};

struct opencl_profile *opencl_profile_open(void) {
    struct opencl_profile *profile = calloc(1, sizeof *profile);
    if (profile) pthread_mutex_init(&profile->lock, NULL);
    return profile;
}

static void drop_pending(struct opencl_profile *p) {
    for (int i = 0; i < p->npending; i++)
        cl.ReleaseEvent(p->pending[i].event);
    p->npending = 0;
}

void opencl_profile_close(struct opencl_profile *profile) {
    drop_pending(profile);
    pthread_mutex_destroy(&profile->lock);
    free(profile->ns);
    free(profile->pending);
    free(profile);
}

bool opencl_event_completed(cl_event event) {
    cl_int status = CL_QUEUED;
    cl.GetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    return status <= CL_COMPLETE; /* errors are negative */
}

static uint64_t duration(cl_event event) {
    cl_ulong start = 0, end = 0;
    cl.GetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL);
    cl.GetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
    return end > start ? end - start : 0;
}

/* Adds up the times of completed events and releases these. */
static void collect_completed(struct opencl_profile *p) {
    int left = 0;
    for (int i = 0; i < p->npending; i++) {
        struct pending *pending = &p->pending[i];
        if (!opencl_event_completed(pending->event)) {
            p->pending[left++] = *pending;
            continue;
        }
        p->ns[pending->entry] += duration(pending->event);
        cl.ReleaseEvent(pending->event);
    }
    p->npending = left;
}

/* Makes an array of `room` members at least twice as large, and large enough for `wanted`. */
static bool grow(void **array, int *room, size_t member, int wanted) {
    enum { FIRST = 64 };
    int more = *room ? 2 * *room : FIRST;
    if (more < wanted) more = wanted;
    void *larger = realloc(*array, (size_t)more * member);
    if (!larger) return false;
    *array = larger;
    *room = more;
    return true;
}

/* Room for one entry and the events of its launches. */
static bool make_room(struct opencl_profile *p, int nevents) {
    if (p->nentries == p->entries_room
        && !grow((void **)&p->ns, &p->entries_room, sizeof p->ns[0], p->nentries + 1))
        return false;
    if (p->npending + nevents <= p->pending_room) return true;
    collect_completed(p);
    if (p->npending + nevents <= p->pending_room / 2) return true;
    return grow((void **)&p->pending, &p->pending_room, sizeof p->pending[0], p->npending + nevents);
}

static bool record_locked(struct opencl_profile *p, int nevents, const cl_event *events) {
    if (!make_room(p, nevents)) return false;
    p->ns[p->nentries] = 0;
    for (int i = 0; i < nevents; i++)
        p->pending[p->npending++] = (struct pending){events[i], p->nentries};
    p->nentries++;
    return true;
}

void opencl_profile_record(struct opencl_profile *profile, int nevents, const cl_event *events) {
    pthread_mutex_lock(&profile->lock);
    bool recorded = record_locked(profile, nevents, events);
    pthread_mutex_unlock(&profile->lock);
    for (int i = 0; i < nevents && !recorded; i++)
        cl.ReleaseEvent(events[i]);
}

dnnl_status_t opencl_profiling_reset(struct stream *stream) {
    struct opencl_stream *s = stream->state;
    pthread_mutex_lock(&s->profile->lock);
    drop_pending(s->profile);
    s->profile->nentries = 0;
    pthread_mutex_unlock(&s->profile->lock);
    return dnnl_success;
}

static dnnl_status_t query_locked(struct opencl_profile *p, int *count, uint64_t *ns) {
    if (ns && *count < p->nentries)
        return fail(dnnl_invalid_arguments, "profiling", "%d entries, and room for %d", p->nentries, *count);
    if (ns) collect_completed(p);
    if (ns && p->nentries > 0) memcpy(ns, p->ns, sizeof *ns * (size_t)p->nentries);
    *count = p->nentries;
    return dnnl_success;
}

dnnl_status_t opencl_profiling_query(struct stream *stream, int *count, uint64_t *ns) {
    struct opencl_stream *s = stream->state;
    TRY(ns ? opencl_stream_wait(stream) : dnnl_success);
    pthread_mutex_lock(&s->profile->lock);
    dnnl_status_t status = query_locked(s->profile, count, ns);
    pthread_mutex_unlock(&s->profile->lock);
    return status;
}
