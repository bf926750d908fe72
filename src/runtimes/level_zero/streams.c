/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams: an immediate list of our own, or any list of the user's. The kind of a user's list is queried from
 * the driver; where the driver does not answer, the safe case is assumed: immediate and out-of-order.
 */
#include "runtimes/level_zero/level_zero.h"

#include <stdlib.h>

/* -- creation -- */

static struct lz_stream *make(struct stream *stream) {
    struct lz_stream *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    pthread_mutex_init(&s->lock, NULL);
    s->device = lz_device_of(stream->device);
    s->profiling = stream->flags & dnnl_stream_profiling;
    return s;
}

static void unmake(struct lz_stream *s) {
    pthread_mutex_destroy(&s->lock);
    free(s);
}

static void enter(struct stream *stream, struct lz_stream *s) {
    struct lz_device *d = s->device;
    s->newer_list = lz_newer_handle(d->driver, ZEL_HANDLE_COMMAND_LIST, s->list);
    pthread_mutex_lock(&d->lock);
    s->next = d->streams;
    d->streams = s;
    pthread_mutex_unlock(&d->lock);
    stream->state = s;
}

static ze_result_t create_list(struct lz_stream *s, ze_command_queue_flags_t flags) {
    const struct lz_device *d = s->device;
    const ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                          .ordinal = d->ordinal,
                                          .flags = flags,
                                          .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    return d->ze->CommandListCreateImmediate(d->context, d->device, &desc, &s->list);
}

/* Drivers and loaders before specification 1.7 have no in-order lists: barriers replace them. */
static ze_result_t create_ordered_list(struct lz_stream *s) {
    s->order = ORDER_LIST;
    if (create_list(s, LZ_QUEUE_FLAG_IN_ORDER) == ZE_RESULT_SUCCESS) return ZE_RESULT_SUCCESS;
    s->order = ORDER_BARRIERS;
    return create_list(s, 0);
}

dnnl_status_t lz_stream_open(struct stream *stream, unsigned flags) {
    struct lz_stream *s = make(stream);
    if (!s) return dnnl_out_of_memory;
    s->owned = s->immediate = true;
    s->order = ORDER_EVENTS;
    ze_result_t result = flags & dnnl_stream_out_of_order ? create_list(s, 0) : create_ordered_list(s);
    if (result != ZE_RESULT_SUCCESS) {
        unmake(s);
        return lz_fail(result, "stream", "zeCommandListCreateImmediate");
    }
    enter(stream, s);
    return dnnl_success;
}

/* -- the user's list -- */

static bool is_here(const struct lz_stream *s, ze_command_list_handle_t list) {
    const struct found_driver *driver = s->device->driver;
    const struct newer_functions *newer = &driver->newer;
    ze_context_handle_t context = NULL;
    ze_device_handle_t device = NULL;
    if (newer->CommandListGetContextHandle
        && newer->CommandListGetContextHandle(list, &context) == ZE_RESULT_SUCCESS
        && context != lz_newer_handle(driver, ZEL_HANDLE_CONTEXT, s->device->context))
        return false;
    return !newer->CommandListGetDeviceHandle
           || newer->CommandListGetDeviceHandle(list, &device) != ZE_RESULT_SUCCESS
           || device == lz_newer_handle(driver, ZEL_HANDLE_DEVICE, s->device->device);
}

/* Older drivers have no query, but only immediate lists can be synchronised. */
static bool is_immediate(const struct newer_functions *newer, ze_command_list_handle_t list) {
    ze_bool_t immediate = 1;
    if (newer->CommandListIsImmediate && newer->CommandListIsImmediate(list, &immediate) == ZE_RESULT_SUCCESS)
        return immediate;
    return !newer->CommandListHostSynchronize
           || newer->CommandListHostSynchronize(list, 0) != ZE_RESULT_ERROR_INVALID_ARGUMENT;
}

static bool is_ordered(const struct newer_functions *newer, ze_command_list_handle_t list, bool immediate) {
    uint32_t flags = 0;
    if (immediate)
        return newer->CommandListImmediateGetFlags
               && newer->CommandListImmediateGetFlags(list, &flags) == ZE_RESULT_SUCCESS
               && flags & LZ_QUEUE_FLAG_IN_ORDER;
    return newer->CommandListGetFlags && newer->CommandListGetFlags(list, &flags) == ZE_RESULT_SUCCESS
           && flags & LZ_LIST_FLAG_IN_ORDER;
}

/* If appending a barrier fails, the list is closed or not for this device. */
static dnnl_status_t check_open(const struct lz_stream *s) {
    if (s->immediate) return dnnl_success;
    ze_result_t result = s->device->ze->CommandListAppendBarrier(s->list, NULL, 0, NULL);
    if (result == ZE_RESULT_SUCCESS) return dnnl_success;
    return fail(dnnl_invalid_arguments, "stream", "the list cannot be appended to: %s",
                lz_result_name(result));
}

static dnnl_status_t examine(struct lz_stream *s, ze_command_list_handle_t list) {
    const struct found_driver *driver = s->device->driver;
    ze_command_list_handle_t inner = lz_newer_handle(driver, ZEL_HANDLE_COMMAND_LIST, list);
    if (!inner || !is_here(s, inner))
        return fail(dnnl_invalid_arguments, "stream",
                    "the list has another context or device than the engine");
    s->list = list;
    s->immediate = is_immediate(&driver->newer, inner);
    bool ordered = is_ordered(&driver->newer, inner, s->immediate);
    s->order = ordered ? ORDER_LIST : s->immediate ? ORDER_EVENTS : ORDER_BARRIERS;
    return check_open(s);
}

dnnl_status_t lz_stream_open_on(struct stream *stream, ze_command_list_handle_t list) {
    struct lz_stream *s = make(stream);
    if (!s) return dnnl_out_of_memory;
    dnnl_status_t status = examine(s, list);
    if (status != dnnl_success) {
        unmake(s);
        return status;
    }
    stream->flags |= s->order == ORDER_EVENTS ? dnnl_stream_out_of_order : dnnl_stream_in_order;
    enter(stream, s);
    return dnnl_success;
}

/* -- waiting -- */

static void note_completed(struct lz_stream *s, uint64_t submitted, uint64_t time) {
    atomic_store(&s->completed_at, time);
    atomic_store(&s->completed, submitted);
}

/* Appends an event after everything that was submitted. */
static ze_result_t append_end(struct lz_stream *s, struct lz_event **end) {
    struct lz_event *event;
    pthread_mutex_lock(&s->lock);
    ze_result_t result = lz_events_take(s, 1, &event);
    if (result == ZE_RESULT_SUCCESS) {
        result = s->device->ze->CommandListAppendBarrier(s->list, event->handle, 0, NULL);
        if (result == ZE_RESULT_SUCCESS)
            *end = event;
        else
            lz_events_abandon(s, event);
    }
    pthread_mutex_unlock(&s->lock);
    return result;
}

static ze_result_t wait_by_event(struct lz_stream *s) {
    struct lz_event *end;
    ze_result_t result = append_end(s, &end);
    return result == ZE_RESULT_SUCCESS ? s->device->ze->EventHostSynchronize(end->handle, UINT64_MAX)
                                       : result;
}

/* Is everything complete after at most `timeout` ns? For a list that the user may have destroyed, only our
 * event tells. A list that cannot be queried counts as busy. */
static bool is_complete(struct lz_stream *s, uint64_t timeout) {
    const struct newer_functions *newer = &s->device->driver->newer;
    if (s->end) return s->device->ze->EventHostSynchronize(s->end->handle, timeout) == ZE_RESULT_SUCCESS;
    return newer->CommandListHostSynchronize
           && newer->CommandListHostSynchronize(s->newer_list, timeout) == ZE_RESULT_SUCCESS;
}

static uint64_t finished_within(struct lz_stream *s, uint64_t timeout) {
    uint64_t now = atomic_load(&s->device->retirements), submitted = atomic_load(&s->submitted);
    if (submitted == atomic_load(&s->completed)) return now;
    if (!is_complete(s, timeout)) return atomic_load(&s->completed_at);
    note_completed(s, submitted, now);
    return now;
}

uint64_t lz_stream_finished(struct lz_stream *s) {
    return finished_within(s, 0);
}

/* Commands recorded on a regular list run only when the user submits it, so there is nothing to wait for.
 */
dnnl_status_t lz_stream_wait(struct stream *stream) {
    struct lz_stream *s = lz_stream_of(stream);
    const struct newer_functions *newer = &s->device->driver->newer;
    if (!s->immediate) return dnnl_success;
    uint64_t now = atomic_load(&s->device->retirements), submitted = atomic_load(&s->submitted);
    ze_result_t result = newer->CommandListHostSynchronize
                                 ? newer->CommandListHostSynchronize(s->newer_list, UINT64_MAX)
                                 : wait_by_event(s);
    if (result != ZE_RESULT_SUCCESS) return lz_fail(result, "stream", "zeCommandListHostSynchronize");
    note_completed(s, submitted, now);
    return dnnl_success;
}

bool lz_stream_records(const struct stream *stream) {
    return !lz_stream_of(stream)->immediate;
}

/* -- destruction -- */

static void leave(struct lz_stream *s) {
    struct lz_stream **link = &s->device->streams;
    while (*link != s)
        link = &(*link)->next;
    *link = s->next;
}

/* Frees a stream when nothing can use its events any more. The caller holds the device's lock. */
static void end(struct lz_device *d, void *what) {
    struct lz_stream *s = what;
    leave(s);
    if (s->owned) d->ze->CommandListDestroy(s->list);
    lz_events_free(s);
    free(s->ticks);
    unmake(s);
}

/* True if some command is known to be incomplete. */
static bool is_held(const struct lz_stream *s) {
    const struct lz_event *last = s->end ? s->last : s->events.newest;
    return last && s->device->ze->EventQueryStatus(last->handle) == ZE_RESULT_NOT_READY;
}

static bool is_settled(const struct lz_stream *s) {
    return atomic_load(&s->submitted) == atomic_load(&s->completed);
}

/* Drivers take a moment from signalling the last event to completing the list. A program that has seen its
 * work complete may destroy list and context next, so we wait for that moment. */
bool lz_stream_settle(struct lz_stream *s) {
    enum { MOMENT_NS = 1000000000 };
    finished_within(s, 0);
    if (!is_settled(s) && !is_held(s)) finished_within(s, MOMENT_NS);
    return is_settled(s);
}

void lz_stream_join(struct lz_stream *s) {
    finished_within(s, UINT64_MAX);
    note_completed(s, s->submitted,
                   s->device->retirements); /* also if the device is lost: it uses nothing any more */
}

/* Appends an end event to the commands in flight, which can be queried without the list. */
static void mark_end(struct stream *stream, struct lz_stream *s) {
    struct lz_event *last = s->events.newest, *marker;
    if (append_end(s, &marker) == ZE_RESULT_SUCCESS) {
        s->last = last;
        s->end = marker;
    } else {
        lz_stream_wait(stream);
        lz_stream_join(s);
    }
}

void lz_stream_close(struct stream *stream) {
    struct lz_stream *s = lz_stream_of(stream);
    counted_list_free(&s->kept);
    lz_record_free_all(s);
    bool can_ask = s->device->driver->newer.CommandListHostSynchronize;
    if (!can_ask && !is_settled(s)) mark_end(stream, s);
    if (!lz_stream_settle(s) && !s->end) mark_end(stream, s);
    s->retired = (struct lz_retired){.end = end, .what = s};
    lz_retire_with(s->device, &s->retired);
}
