/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Execution of programs on command queues. On an in-order queue launches simply follow each other. On an
 * out-of-order queue each launch waits for the event of the previous one. The first launch of an execution
 * waits
 *   - for the events that the user passes, or,
 *   - if the user neither passes nor requests events, so that nothing else could order it, for everything
 * that was executed on this stream before,
 *   - and for the last execution that used the scratchpad.
 *
 * On a recording stream, launches become commands of the user's command buffer, one after the other, without
 * events.
 *
 * Markers that wait for everything would be simpler than keeping events, but with them and several threads a
 * CPU driver was seen to hang and to crash (Intel 2026.2).
 */
#include "runtimes/opencl/opencl.h"

#include <stdlib.h>

static cl_int set_buffer(const struct opencl_device *d, cl_kernel kernel, cl_uint index,
                         const struct buffer *buffer) {
    if (buffer && buffer->kind == BUFFER_POINTER)
        return d->usm.SetKernelArgMemPointerINTEL(kernel, index, buffer->handle);
    cl_mem mem = buffer ? buffer->handle : NULL;
    return cl.SetKernelArg(kernel, index, sizeof mem, &mem);
}

static cl_int set_arguments(const struct opencl_device *d, cl_kernel kernel, const struct execution *e,
                            struct cursor at) {
    const struct launch *launch = e->executable->program->launches[at.launch];
    cl_uint n = 0;
    cl_int error = CL_SUCCESS;
    for (int b = 0; b < launch->nbuffers && error == CL_SUCCESS; b++)
        error = set_buffer(d, kernel, n++, e->buffers[launch->buffers[b]]);
    if (launch->kernel->scalars && error == CL_SUCCESS) {
        struct scalars scalars;
        launch_scalars(launch, at.step, e->scalars, &scalars);
        error = cl.SetKernelArg(kernel, n++, sizeof scalars, &scalars);
    }
    if (error != CL_SUCCESS) return error;
    return cl.SetKernelArg(kernel, n, sizeof(cl_mem), &e->executable->blocks[at.launch]);
}

/* Events to wait for. */
struct waits {
    cl_uint count;
    const cl_event *events;
};

/* Work-items of a range in each dimension; returns the number of dimensions. */
static cl_uint count_items(const struct range *range, size_t items[3]) {
    cl_uint ndims = 1;
    for (cl_uint d = 0; d < 3; d++) {
        items[d] = range->groups[d] * range->group_size[d];
        if (items[d] > 1) ndims = d + 1;
    }
    return ndims;
}

static cl_int enqueue(cl_command_queue queue, cl_kernel kernel, const struct range *range, struct waits waits,
                      cl_event *event) {
    size_t global[3];
    cl_uint ndims = count_items(range, global);
    return cl.EnqueueNDRangeKernel(queue, kernel, ndims, NULL, global, range->group_size, waits.count,
                                   waits.events, event);
}

static cl_int record(const struct opencl_device *d, struct opencl_stream *s, struct opencl_instance *instance,
                     const struct range *range) {
    size_t global[3];
    cl_uint ndims = count_items(range, global);
    bool waits = s->recorded && !s->record_in_order;
    cl_sync_point_khr before = s->last_point;
    cl_int error = d->commands.CommandNDRangeKernelKHR(s->record, NULL, NULL, instance->kernel, ndims, NULL,
                                                       global, range->group_size, waits,
                                                       waits ? &before : NULL, &s->last_point, NULL);
    if (error != CL_SUCCESS) return error;
    instance->recorded_before = s->recorded;
    s->recorded = instance;
    return CL_SUCCESS;
}

static dnnl_status_t launch(const struct stream *stream, const struct execution *e, struct cursor at,
                            struct waits waits, cl_event *event) {
    struct opencl_stream *s = stream->state;
    const struct opencl_device *d = opencl_device(stream->device);
    const struct launch *what = e->executable->program->launches[at.launch];
    struct opencl_instance *instance = opencl_kernel_take(e->executable->kernels[at.launch]);
    if (!instance) return dnnl_out_of_memory;
    cl_int error = set_arguments(d, instance->kernel, e, at);
    if (error == CL_SUCCESS)
        error = s->record ? record(d, s, instance, &what->range)
                          : enqueue(s->queue, instance->kernel, &what->range, waits, event);
    if (s->recorded != instance) slots_give_back(&instance->slot);
    if (error == CL_SUCCESS) return dnnl_success;
    return fail_exec(opencl_status(error), what->kernel->name, "cannot be launched: %s (%d)",
                     opencl_error_name(error), error);
}

/* Events of one execution. Profiling needs all of them; otherwise only the last one is kept. */
enum { FEW_EVENTS = 16 };
struct events {
    bool all;
    size_t count;
    cl_event *events; /* `few`, or allocated, which a profiling stream may do */
    cl_event few[FEW_EVENTS];
};

static bool events_init(struct events *events, const struct opencl_stream *s, const struct program *program) {
    events->all = s->profile != NULL;
    events->count = 0;
    events->events = events->few;
    if (events->all && program->nruns > FEW_EVENTS)
        events->events = malloc(program->nruns * sizeof(cl_event));
    return events->events != NULL;
}

static void events_add(struct events *events, cl_event event) {
    if (!events->all && events->count > 0) cl.ReleaseEvent(events->events[--events->count]);
    events->events[events->count++] = event;
}

static void events_free(struct events *events) {
    if (events->events != events->few) free(events->events);
}

/* An event for an execution that launches nothing. */
static dnnl_status_t empty_event(const struct opencl_stream *s, cl_context context, struct waits waits,
                                 cl_event *event) {
    cl_int error;
    if (waits.count > 0) {
        error = cl.EnqueueMarkerWithWaitList(s->queue, waits.count, waits.events, event);
        return error == CL_SUCCESS ? dnnl_success : opencl_fail(error, "opencl", "clEnqueueMarker");
    }
    *event = cl.CreateUserEvent(context, &error);
    if (error != CL_SUCCESS) return opencl_fail(error, "opencl", "clCreateUserEvent");
    cl.SetUserEventStatus(*event, CL_COMPLETE);
    return dnnl_success;
}

/* Launches everything. With `last_wanted`, the last event in `events` covers the whole execution. */
static dnnl_status_t launch_all(const struct stream *stream, const struct execution *e, struct waits waits,
                                bool last_wanted, struct events *events) {
    const struct opencl_stream *s = stream->state;
    const struct program *program = e->executable->program;
    struct cursor at = {0};
    cl_event event = NULL, before; /* two variables: OpenCL reads one while it writes the other */
    for (size_t n = 0; n < program->nruns; n++, cursor_next(program, &at)) {
        bool wanted = s->profile || s->out_of_order || (last_wanted && n == program->nruns - 1);
        TRY(launch(stream, e, at, waits, wanted ? &event : NULL));
        if (wanted) events_add(events, event);
        before = event;
        waits = s->out_of_order ? (struct waits){1, &before} : (struct waits){0, NULL};
    }
    if (program->nruns > 0 || (!last_wanted && waits.count == 0)) return dnnl_success;
    TRY(empty_event(s, opencl_device(stream->device)->context, waits, &event));
    events_add(events, event);
    return dnnl_success;
}

/* The events that the first launch waits for. */
struct first_waits {
    struct waits waits;
    cl_event joined; /* one event for all of the user's events, when there are also events of our own */
    cl_event list[2];
};

/* No dependencies and no returned event, so nothing else orders this execution: it runs after all earlier
 * ones. */
static bool is_ordered(const struct execution *e) {
    return e->ndeps == 0 && !e->return_event;
}

static dnnl_status_t find_waits(const struct opencl_stream *s, const struct execution *e,
                                struct first_waits *first) {
    cl_event last_use = s->out_of_order && e->scratchpad ? e->scratchpad->state : NULL;
    first->joined = NULL;
    first->waits = (struct waits){(cl_uint)e->ndeps, e->ndeps > 0 ? e->deps : NULL};
    if (s->out_of_order && is_ordered(e)) {
        first->waits = (struct waits){(cl_uint)s->nevents, s->nevents > 0 ? s->events : NULL};
    } else if (last_use && e->ndeps == 0) {
        first->list[0] = last_use;
        first->waits = (struct waits){1, first->list};
    } else if (last_use) {
        cl_int error = cl.EnqueueMarkerWithWaitList(s->queue, (cl_uint)e->ndeps, e->deps, &first->joined);
        if (error != CL_SUCCESS) return opencl_fail(error, "opencl", "clEnqueueMarkerWithWaitList");
        first->list[0] = first->joined;
        first->list[1] = last_use;
        first->waits = (struct waits){2, first->list};
    }
    return dnnl_success;
}

/* Keeps the last event for later executions, and returns it to the user. */
static void hand_out(struct opencl_stream *s, const struct execution *e, cl_event last) {
    if (s->out_of_order) opencl_stream_remember(s, last, is_ordered(e));
    if (s->out_of_order && e->scratchpad) {
        cl.RetainEvent(last);
        if (e->scratchpad->state) cl.ReleaseEvent(e->scratchpad->state);
        e->scratchpad->state = last;
    }
    if (!e->return_event) return;
    cl.RetainEvent(last);
    *(cl_event *)e->return_event = last;
    cl.Flush(s->queue); /* the event may be waited for on another queue */
}

static dnnl_status_t submit(const struct stream *stream, const struct execution *e) {
    struct opencl_stream *s = stream->state;
    struct events events;
    struct first_waits first;
    if (s->out_of_order && !opencl_stream_make_room(s)) return dnnl_out_of_memory;
    TRY(find_waits(s, e, &first));
    bool last_wanted = s->out_of_order || (s->returns_events && e->return_event);
    dnnl_status_t status = dnnl_out_of_memory;
    if (events_init(&events, s, e->executable->program))
        status = launch_all(stream, e, first.waits, last_wanted, &events);
    if (first.joined) cl.ReleaseEvent(first.joined);
    bool succeeded = status == dnnl_success;
    if (succeeded && last_wanted) hand_out(s, e, events.events[events.count - 1]);
    if (succeeded && !last_wanted && e->return_event) *(cl_event *)e->return_event = NULL;
    if (succeeded && s->profile)
        opencl_profile_record(s->profile, (int)events.count, events.events);
    else
        opencl_release_events((int)events.count, events.events);
    events_free(&events);
    return status;
}

static dnnl_status_t submit_or_record(const struct stream *stream, const struct execution *e) {
    struct opencl_stream *s = stream->state;
    if (s->record && e->ndeps > 0)
        return fail_exec(dnnl_invalid_arguments, "opencl", "recorded commands cannot wait for events");
    if (s->record && !counted_list_add(&s->kept, e->owner)) return dnnl_out_of_memory;
    return submit(stream, e);
}

/* On an in-order queue, launches of several threads may interleave, unless they share the stream's
 * scratchpad. */
dnnl_status_t opencl_execute(struct stream *stream, const struct execution *e) {
    struct opencl_stream *s = stream->state;
    bool alone = s->out_of_order || s->record || e->scratchpad;
    if (alone) pthread_mutex_lock(&s->lock);
    dnnl_status_t status = submit_or_record(stream, e);
    if (alone) pthread_mutex_unlock(&s->lock);
    return status;
}
