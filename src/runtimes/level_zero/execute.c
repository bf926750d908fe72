/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Execution: every launch of a program is appended to the stream's list, after the user's events, and the
 * last one signals the event that the user requested. It never waits; it allocates only when a stream has
 * more events in flight, or more threads launch a kernel at once, than ever before.
 *
 * On a regular list the same commands are recorded. The events that they signal are reset first, so that the
 * list can run many times.
 */
#include "runtimes/level_zero/level_zero.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_WAITS = 16 };

/* The state of one execution while it is appended. */
struct submission {
    struct lz_stream *stream;
    const struct level_zero *ze;
    const struct execution *execution;
    size_t nlaunches;        /* counting loop iterations */
    size_t nevents;          /* 0, 1 (the last launch signals it) or one per launch */
    struct lz_event *events; /* the first of them */
    struct lz_event *event;  /* signalled by the previous launch, if each launch signals one */
    uint32_t nwaits;         /* events that the next launch waits for */
    ze_event_handle_t waits[MAX_WAITS];
    struct lz_recorded *recorded; /* for later updates, or NULL */
};

/* -- events -- */

/* The launches of an out-of-order stream are chained, those of a profiling one are timed. */
static size_t events_needed(const struct submission *sub) {
    const struct lz_stream *s = sub->stream;
    const struct execution *e = sub->execution;
    bool each = s->profiling || (s->order == ORDER_EVENTS && (sub->nlaunches > 1 || e->scratchpad));
    return each && sub->nlaunches > 0 ? sub->nlaunches : e->return_event ? 1 : 0;
}

static ze_result_t take_events(struct submission *sub) {
    struct lz_stream *s = sub->stream;
    size_t needed = events_needed(sub);
    int entry = -1;
    if (s->profiling && !lz_profile_entry(s, &entry)) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    ze_result_t result = lz_events_take(s, needed, &sub->events);
    if (result != ZE_RESULT_SUCCESS) return result;
    sub->nevents = needed;
    for (struct lz_event *event = sub->events; event; event = event->next)
        event->entry = entry;
    return ZE_RESULT_SUCCESS;
}

static struct lz_event *last_event(const struct submission *sub) {
    return sub->events ? sub->events->last : NULL;
}

/* The event that the n-th launch signals, or NULL. */
static struct lz_event *signal_of(const struct submission *sub, size_t n) {
    if (sub->nevents == sub->nlaunches) return n == 0 ? sub->events : sub->event->next;
    return n == sub->nlaunches - 1 ? sub->events : NULL;
}

/* Resets the events that an earlier run of the list has signalled. */
static ze_result_t append_resets(const struct submission *sub) {
    ze_result_t result = ZE_RESULT_SUCCESS;
    if (sub->stream->immediate) return result;
    for (struct lz_event *event = sub->events; event && result == ZE_RESULT_SUCCESS; event = event->next)
        result = sub->ze->CommandListAppendEventReset(sub->stream->list, event->handle);
    return result;
}

/* -- order -- */

/* On an out-of-order stream an execution waits for the events that the user passes and for the last execution
 * that used the scratchpad. If the user neither passes nor requests events, nothing else could order the
 * execution, so it waits for everything submitted before. */
static bool waits_for_all(const struct submission *sub) {
    const struct execution *e = sub->execution;
    if (sub->stream->order == ORDER_EVENTS) return e->ndeps == 0 && !e->return_event;
    return sub->stream->order == ORDER_BARRIERS;
}

/* Events that do not fit into the array are waited for by a barrier. */
static ze_result_t gather_waits(struct submission *sub) {
    const struct lz_stream *s = sub->stream;
    const struct execution *e = sub->execution;
    uint32_t ndeps = (uint32_t)e->ndeps;
    if (s->order == ORDER_EVENTS && e->scratchpad && s->scratch_user)
        sub->waits[sub->nwaits++] = s->scratch_user->handle;
    if (sub->nwaits + ndeps > MAX_WAITS)
        return sub->ze->CommandListAppendBarrier(s->list, NULL, ndeps, (ze_event_handle_t *)e->deps);
    if (ndeps) memcpy(sub->waits + sub->nwaits, e->deps, ndeps * sizeof sub->waits[0]);
    sub->nwaits += ndeps;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t order_first(struct submission *sub) {
    ze_result_t result = gather_waits(sub);
    if (result != ZE_RESULT_SUCCESS || !waits_for_all(sub)) return result;
    return sub->ze->CommandListAppendBarrier(sub->stream->list, NULL, 0, NULL);
}

/* Orders a launch after the previous one. */
static ze_result_t order_next(struct submission *sub) {
    const struct lz_stream *s = sub->stream;
    sub->nwaits = 0;
    if (s->order == ORDER_BARRIERS) return sub->ze->CommandListAppendBarrier(s->list, NULL, 0, NULL);
    if (s->order == ORDER_EVENTS) sub->waits[sub->nwaits++] = sub->event->handle;
    return ZE_RESULT_SUCCESS;
}

/* -- launches -- */

static ze_result_t set_arguments(const struct submission *sub, ze_kernel_handle_t kernel, struct cursor at) {
    const struct execution *e = sub->execution;
    const struct launch *launch = e->executable->program->launches[at.launch];
    ze_result_t result = ZE_RESULT_SUCCESS;
    uint32_t n = 0;
    for (int b = 0; b < launch->nbuffers && result == ZE_RESULT_SUCCESS; b++) {
        const struct buffer *buffer = e->buffers[launch->buffers[b]];
        void *pointer = buffer ? buffer->handle : NULL;
        result = sub->ze->KernelSetArgumentValue(kernel, n++, sizeof pointer, &pointer);
    }
    if (launch->kernel->scalars && result == ZE_RESULT_SUCCESS) {
        struct scalars scalars;
        launch_scalars(launch, at.step, e->scalars, &scalars);
        result = sub->ze->KernelSetArgumentValue(kernel, n++, sizeof scalars, &scalars);
    }
    if (result != ZE_RESULT_SUCCESS) return result;
    return sub->ze->KernelSetArgumentValue(kernel, n, sizeof(void *), &e->executable->blocks[at.launch]);
}

static ze_result_t set_group_size(const struct level_zero *ze, struct lz_instance *instance,
                                  const size_t wanted[3]) {
    const uint32_t size[3] = {(uint32_t)wanted[0], (uint32_t)wanted[1], (uint32_t)wanted[2]};
    if (memcmp(instance->group_size, size, sizeof size) == 0) return ZE_RESULT_SUCCESS;
    ze_result_t result = ze->KernelSetGroupSize(instance->handle, size[0], size[1], size[2]);
    if (result == ZE_RESULT_SUCCESS) memcpy(instance->group_size, size, sizeof size);
    return result;
}

static void number_launch(struct submission *sub, struct cursor at) {
    struct lz_recorded *recorded = sub->recorded;
    if (!recorded || lz_record_launch(sub->stream, recorded, at)) return;
    free(recorded);
    sub->recorded = NULL;
}

static ze_result_t append_kernel(struct submission *sub, struct lz_instance *instance, struct cursor at,
                                 const struct lz_event *signal) {
    const struct range *range = &sub->execution->executable->program->launches[at.launch]->range;
    const ze_group_count_t groups = {(uint32_t)range->groups[0], (uint32_t)range->groups[1],
                                     (uint32_t)range->groups[2]};
    ze_result_t result = set_group_size(sub->ze, instance, range->group_size);
    if (result == ZE_RESULT_SUCCESS) result = set_arguments(sub, instance->handle, at);
    if (result != ZE_RESULT_SUCCESS) return result;
    number_launch(sub, at);
    return sub->ze->CommandListAppendLaunchKernel(sub->stream->list, instance->handle, &groups,
                                                  signal ? signal->handle : NULL, sub->nwaits,
                                                  sub->nwaits ? sub->waits : NULL);
}

/* Appends the n-th launch. */
static ze_result_t append_launch(struct submission *sub, size_t n, struct cursor at) {
    ze_result_t result = n == 0 ? order_first(sub) : order_next(sub);
    if (result != ZE_RESULT_SUCCESS) return result;
    struct lz_instance *instance = lz_kernel_take(sub->execution->executable->kernels[at.launch], &result);
    if (!instance) return result;
    struct lz_event *signal = signal_of(sub, n);
    result = append_kernel(sub, instance, at, signal);
    sub->event = signal;
    slots_give_back(&instance->slot);
    return result;
}

/* Without launches, the event still waits for the dependencies. */
static ze_result_t append_nothing(struct submission *sub) {
    ze_result_t result = order_first(sub);
    if (result != ZE_RESULT_SUCCESS || (sub->nwaits == 0 && sub->nevents == 0)) return result;
    return sub->ze->CommandListAppendBarrier(sub->stream->list, sub->events ? sub->events->handle : NULL,
                                             sub->nwaits, sub->nwaits ? sub->waits : NULL);
}

static ze_result_t append_all(struct submission *sub) {
    const struct program *program = sub->execution->executable->program;
    ze_result_t result = append_resets(sub);
    if (result == ZE_RESULT_SUCCESS && program->nlaunches == 0) return append_nothing(sub);
    struct cursor at = {0};
    for (size_t n = 0; n < sub->nlaunches && result == ZE_RESULT_SUCCESS; n++) {
        result = append_launch(sub, n, at);
        cursor_next(program, &at);
    }
    return result;
}

/* -- submitting -- */

static ze_result_t submit(struct submission *sub) {
    struct lz_stream *s = sub->stream;
    if (!s->immediate && !counted_list_add(&s->kept, sub->execution->owner))
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    ze_result_t result = take_events(sub);
    if (result != ZE_RESULT_SUCCESS) return result;
    sub->recorded = lz_record_begin(s, sub->execution);
    result = append_all(sub);
    if (s->immediate) atomic_fetch_add(&s->submitted, 1);
    if (result == ZE_RESULT_SUCCESS) {
        if (sub->recorded) lz_record_end(s, sub->recorded, last_event(sub)->handle);
    } else {
        lz_events_abandon(s, sub->events);
        free(sub->recorded);
    }
    return result;
}

dnnl_status_t lz_execute(struct stream *stream, const struct execution *e) {
    struct lz_stream *s = lz_stream_of(stream);
    struct submission sub;
    sub.stream = s, sub.ze = s->device->ze, sub.execution = e;
    sub.nlaunches = e->executable->program->nruns;
    sub.nevents = 0, sub.events = NULL, sub.event = NULL, sub.nwaits = 0;
    pthread_mutex_lock(&s->lock);
    ze_result_t result = submit(&sub);
    struct lz_event *last = result == ZE_RESULT_SUCCESS ? last_event(&sub) : NULL;
    if (last && e->scratchpad && s->order == ORDER_EVENTS) s->scratch_user = last;
    pthread_mutex_unlock(&s->lock);
    if (result != ZE_RESULT_SUCCESS)
        return fail_exec(lz_status(result), "primitive", "Level Zero: %s (0x%x)", lz_result_name(result),
                         (unsigned)result);
    if (e->return_event) *(ze_event_handle_t *)e->return_event = last->handle;
    return dnnl_success;
}
