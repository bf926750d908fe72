/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams and the execution of plans on command queues. On an in-order queue launches simply follow each
 * other. On an out-of-order one each waits for the event of the one before; executions wait
 *   - for the events that the user names, or,
 *   - if the user names none and asks for none, so that nothing could put them in order later, for everything
 *     that was submitted to the queue before,
 *   - and for the last execution that used the scratchpad.
 */
#include "runtimes/opencl/opencl.h"

#include <stdlib.h>

/* Streams */

static dnnl_status_t open_around(struct dnnl_stream *stream, cl_command_queue queue, bool out_of_order) {
    bool profiling = stream->flags & dnnl_stream_profiling;
    struct opencl_stream *s = calloc(1, sizeof *s);
    if (!s) return dnnl_out_of_memory;
    *s = (struct opencl_stream){.queue = queue, .out_of_order = out_of_order};
    if (profiling && !(s->profile = opencl_profile_open())) {
        free(s);
        return dnnl_out_of_memory;
    }
    pthread_mutex_init(&s->lock, NULL);
    stream->state = s;
    return dnnl_success;
}

/* A device without out-of-order queues gets one that keeps more order than was asked for. */
dnnl_status_t opencl_stream_open(struct dnnl_stream *stream, unsigned flags) {
    const struct opencl_device *d = opencl_device(stream->engine->device);
    bool out_of_order = flags & dnnl_stream_out_of_order;
    cl_command_queue_properties profiling = flags & dnnl_stream_profiling ? CL_QUEUE_PROFILING_ENABLE : 0;
    cl_command_queue_properties order = out_of_order ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0;
    cl_int error;
    cl_command_queue queue = cl.CreateCommandQueue(d->context, d->device, order | profiling, &error);
    if (error == CL_INVALID_QUEUE_PROPERTIES && order)
        queue = cl.CreateCommandQueue(d->context, d->device, profiling, &error);
    if (error != CL_SUCCESS) return opencl_fail(error, "stream", "clCreateCommandQueue");
    dnnl_status_t status = open_around(stream, queue, out_of_order);
    if (status != dnnl_success) cl.ReleaseCommandQueue(queue);
    return status;
}

static dnnl_status_t check_queue(const struct opencl_device *d, cl_command_queue queue,
                                 cl_command_queue_properties *properties) {
    cl_context context = NULL;
    cl_device_id device = NULL;
    cl_int error = cl.GetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
    if (error == CL_SUCCESS)
        error = cl.GetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL);
    if (error == CL_SUCCESS)
        error = cl.GetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof *properties, properties, NULL);
    if (error != CL_SUCCESS) return opencl_fail(error, "stream", "clGetCommandQueueInfo");
    if (context != d->context || device != d->device)
        return fail(dnnl_invalid_arguments, "stream", "the queue belongs to another context or device");
    return dnnl_success;
}

dnnl_status_t opencl_stream_adopt(struct dnnl_stream *stream, cl_command_queue queue) {
    cl_command_queue_properties properties = 0;
    dnnl_status_t status = check_queue(opencl_device(stream->engine->device), queue, &properties);
    if (status != dnnl_success) return status;
    bool out_of_order = properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    stream->flags = out_of_order ? dnnl_stream_out_of_order : dnnl_stream_in_order;
    if (properties & CL_QUEUE_PROFILING_ENABLE) stream->flags |= dnnl_stream_profiling;
    status = open_around(stream, queue, out_of_order);
    if (status == dnnl_success) cl.RetainCommandQueue(queue);
    return status;
}

void opencl_stream_close(struct dnnl_stream *stream) {
    struct opencl_stream *s = stream->state;
    if (s->profile) opencl_profile_close(s->profile);
    cl.ReleaseCommandQueue(s->queue);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

dnnl_status_t opencl_stream_wait(struct dnnl_stream *stream) {
    struct opencl_stream *s = stream->state;
    cl_int error = cl.Finish(s->queue);
    return error == CL_SUCCESS ? dnnl_success : opencl_fail(error, "stream", "clFinish");
}

/* Launches */

static cl_int set_buffer(const struct opencl_device *d, cl_kernel kernel, cl_uint index,
                         const struct buffer *buffer) {
    if (buffer && buffer->kind == BUFFER_POINTER)
        return d->usm.SetKernelArgMemPointerINTEL(kernel, index, buffer->handle);
    cl_mem mem = buffer ? buffer->handle : NULL;
    return cl.SetKernelArg(kernel, index, sizeof mem, &mem);
}

static cl_int set_arguments(const struct opencl_device *d, cl_kernel kernel, const struct execution *e,
                            int i) {
    const struct launch *launch = &e->plan->launches[i];
    cl_uint n = 0;
    cl_int error = CL_SUCCESS;
    for (int b = 0; b < launch->nbuffers && error == CL_SUCCESS; b++)
        error = set_buffer(d, kernel, n++, e->buffers[i][b]);
    if (launch->kernel->scalars && error == CL_SUCCESS)
        error = cl.SetKernelArg(kernel, n++, sizeof e->scalars[i], e->scalars[i]);
    if (error == CL_SUCCESS) error = cl.SetKernelArg(kernel, n, sizeof(cl_mem), &e->plan->params[i]);
    return error;
}

/* Events to wait for. */
struct waits {
    cl_uint count;
    const cl_event *events;
};

static cl_int enqueue(cl_command_queue queue, cl_kernel kernel, const struct range *range, struct waits waits,
                      cl_event *event) {
    size_t global[3];
    cl_uint ndims = 1;
    for (cl_uint d = 0; d < 3; d++) {
        global[d] = range->groups[d] * range->group_size[d];
        if (global[d] > 1) ndims = d + 1;
    }
    return cl.EnqueueNDRangeKernel(queue, kernel, ndims, NULL, global, range->group_size, waits.count,
                                   waits.events, event);
}

static dnnl_status_t launch(const struct dnnl_stream *stream, const struct execution *e, int i,
                            struct waits waits, cl_event *event) {
    const struct opencl_stream *s = stream->state;
    struct opencl_instance *instance = opencl_kernel_take(e->plan->kernels[i]);
    if (!instance) return dnnl_out_of_memory;
    cl_int error = set_arguments(opencl_device(stream->engine->device), instance->kernel, e, i);
    if (error == CL_SUCCESS)
        error = enqueue(s->queue, instance->kernel, &e->plan->launches[i].range, waits, event);
    slots_give_back(&instance->slot);
    if (error == CL_SUCCESS) return dnnl_success;
    return fail_exec(opencl_status(error), e->plan->launches[i].kernel->name, "cannot be launched: %s (%d)",
                     opencl_error_name(error), error);
}

static bool is_empty(const struct range *range) {
    return range->groups[0] == 0 || range->groups[1] == 0 || range->groups[2] == 0;
}

/* Events of one execution. */
struct events {
    int count;
    cl_event events[PLAN_MAX_LAUNCHES];
};

/* Launches everything. `want_last` makes sure that the last event in `events` stands for all. */
static dnnl_status_t launch_all(const struct dnnl_stream *stream, const struct execution *e,
                                struct waits waits, bool want_last, struct events *events) {
    const struct opencl_stream *s = stream->state;
    int last = e->plan->nlaunches - 1;
    while (last >= 0 && is_empty(&e->plan->launches[last].range))
        last--;
    for (int i = 0; i <= last; i++) {
        if (is_empty(&e->plan->launches[i].range)) continue;
        bool wanted = s->profile || (s->out_of_order && i < last) || (want_last && i == last);
        cl_event *event = &events->events[events->count];
        dnnl_status_t status = launch(stream, e, i, waits, wanted ? event : NULL);
        if (status != dnnl_success) return status;
        events->count += wanted;
        waits = s->out_of_order ? (struct waits){1, event} : (struct waits){0, NULL};
    }
    if (last >= 0 || (!want_last && waits.count == 0)) return dnnl_success;
    cl_int error = cl.EnqueueMarkerWithWaitList(s->queue, waits.count, waits.events, &events->events[0]);
    if (error != CL_SUCCESS) return opencl_fail(error, "opencl", "clEnqueueMarkerWithWaitList");
    events->count = 1;
    return dnnl_success;
}

static void release_all(int count, const cl_event *events) {
    for (int i = 0; i < count; i++)
        cl.ReleaseEvent(events[i]);
}

static cl_int marker(const struct opencl_stream *s, struct waits waits, cl_event *event) {
    return cl.EnqueueMarkerWithWaitList(s->queue, waits.count, waits.events, event);
}

/* What the first launch waits for. `own` has room for two events; the first `*nowned` are to be released. */
static cl_int first_waits(const struct opencl_stream *s, const struct execution *e, struct waits *waits,
                          cl_event own[2], int *nowned) {
    cl_event last_use = s->out_of_order && e->scratchpad ? e->scratchpad->state : NULL;
    cl_int error = CL_SUCCESS;
    *waits = (struct waits){(cl_uint)e->ndeps, e->ndeps > 0 ? e->deps : NULL};
    if (s->out_of_order && e->ndeps == 0 && !e->return_event) {
        error = marker(s, (struct waits){0, NULL}, &own[0]);
        *nowned = error == CL_SUCCESS;
        *waits = (struct waits){1, own};
    } else if (last_use && e->ndeps == 0) {
        own[0] = last_use;
        *waits = (struct waits){1, own};
    } else if (last_use) {
        error = marker(s, *waits, &own[0]);
        *nowned = error == CL_SUCCESS;
        own[1] = last_use;
        *waits = (struct waits){2, own};
    }
    return error;
}

/* Remembers the last event where it is needed, and gives it to the user. */
static void hand_out(const struct opencl_stream *s, const struct execution *e, const struct events *events) {
    cl_event last = s->out_of_order && events->count > 0 ? events->events[events->count - 1] : NULL;
    if (last && e->scratchpad) {
        if (e->scratchpad->state) cl.ReleaseEvent(e->scratchpad->state);
        cl.RetainEvent(last);
        e->scratchpad->state = last;
    }
    if (!e->return_event) return;
    if (last) cl.RetainEvent(last);
    *(cl_event *)e->return_event = last;
    if (last) cl.Flush(s->queue); /* the event may be waited for on another queue */
}

static dnnl_status_t submit(const struct dnnl_stream *stream, const struct execution *e) {
    const struct opencl_stream *s = stream->state;
    struct events events = {0};
    struct waits waits;
    cl_event own[2];
    int nowned = 0;
    cl_int error = first_waits(s, e, &waits, own, &nowned);
    if (error != CL_SUCCESS)
        return fail_exec(opencl_status(error), "opencl", "the dependencies are refused: %s (%d)",
                         opencl_error_name(error), error);
    bool want_last = s->out_of_order && (e->return_event || e->scratchpad);
    dnnl_status_t status = launch_all(stream, e, waits, want_last, &events);
    release_all(nowned, own);
    if (status == dnnl_success) hand_out(s, e, &events);
    if (s->profile && status == dnnl_success)
        opencl_profile_record(s->profile, events.count, events.events);
    else
        release_all(events.count, events.events);
    return status;
}

dnnl_status_t opencl_execute(struct dnnl_stream *stream, const struct execution *e) {
    struct opencl_stream *s = stream->state;
    bool shared = s->out_of_order && e->scratchpad;
    if (shared) pthread_mutex_lock(&s->lock);
    dnnl_status_t status = submit(stream, e);
    if (shared) pthread_mutex_unlock(&s->lock);
    return status;
}
