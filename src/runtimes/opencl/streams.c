/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams on command queues: creation, waiting, and the events of commands submitted to out-of-order queues.
 * A stream on a command buffer records: it submits nothing, so there is nothing to wait for, and it retains
 * the programs and kernels that were recorded.
 *
 * On CPU devices, out-of-order streams get an in-order queue: a launch uses the whole device anyway. On a
 * user's out-of-order queue of a CPU we poll instead of waiting in the driver: a thread that waits there may
 * pick up a task that waits for the thread itself (seen with Intel 2026.2: several threads, one of them
 * waiting on an out-of-order queue).
 */
#define _GNU_SOURCE
#include "runtimes/opencl/opencl.h"

#include <sched.h>
#include <stdlib.h>
#include <time.h>

static dnnl_status_t open_around(struct stream *stream, const struct opencl_stream *like) {
    bool profiling = stream->flags & dnnl_stream_profiling;
    struct opencl_stream *s = malloc(sizeof *s);
    if (!s) return dnnl_out_of_memory;
    *s = *like;
    if (profiling && !(s->profile = opencl_profile_open())) {
        free(s);
        return dnnl_out_of_memory;
    }
    pthread_mutex_init(&s->lock, NULL);
    stream->state = s;
    return dnnl_success;
}

dnnl_status_t opencl_stream_open(struct stream *stream, unsigned flags) {
    const struct opencl_device *d = opencl_device(stream->device);
    struct opencl_stream s = {.returns_events = flags & dnnl_stream_out_of_order};
    cl_command_queue_properties profiling = flags & dnnl_stream_profiling ? CL_QUEUE_PROFILING_ENABLE : 0;
    cl_int error = CL_INVALID_QUEUE_PROPERTIES;
    if (s.returns_events && !d->is_cpu)
        s.queue = cl.CreateCommandQueue(d->context, d->device,
                                        profiling | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &error);
    s.out_of_order = error == CL_SUCCESS;
    if (!s.out_of_order) s.queue = cl.CreateCommandQueue(d->context, d->device, profiling, &error);
    if (error != CL_SUCCESS) return opencl_fail(error, "stream", "clCreateCommandQueue");
    dnnl_status_t status = open_around(stream, &s);
    if (status != dnnl_success) cl.ReleaseCommandQueue(s.queue);
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

dnnl_status_t opencl_stream_adopt(struct stream *stream, cl_command_queue queue) {
    const struct opencl_device *d = opencl_device(stream->device);
    cl_command_queue_properties properties = 0;
    TRY(check_queue(d, queue, &properties));
    bool out_of_order = properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    struct opencl_stream s = {.queue = queue, .out_of_order = out_of_order, .returns_events = out_of_order};
    s.polls = out_of_order && d->is_cpu;
    stream->flags = out_of_order ? dnnl_stream_out_of_order : dnnl_stream_in_order;
    if (properties & CL_QUEUE_PROFILING_ENABLE) stream->flags |= dnnl_stream_profiling;
    dnnl_status_t status = open_around(stream, &s);
    if (status == dnnl_success) cl.RetainCommandQueue(queue);
    return status;
}

/* Recording */

/* Drivers differ in how they report a command buffer's queues, so the user passes the queue. */
static dnnl_status_t check_command_buffer(const struct opencl_device *d, cl_command_buffer_khr buffer) {
    cl_command_buffer_state_khr state = CL_COMMAND_BUFFER_STATE_RECORDING_KHR;
    cl_uint nqueues = 0;
    cl_int error = d->commands.GetCommandBufferInfoKHR(buffer, CL_COMMAND_BUFFER_NUM_QUEUES_KHR,
                                                       sizeof nqueues, &nqueues, NULL);
    if (error == CL_SUCCESS)
        error = d->commands.GetCommandBufferInfoKHR(buffer, CL_COMMAND_BUFFER_STATE_KHR, sizeof state, &state,
                                                    NULL);
    if (error != CL_SUCCESS) return opencl_fail(error, "stream", "clGetCommandBufferInfoKHR");
    if (nqueues != 1)
        return fail(dnnl_unimplemented, "stream", "the command buffer has %u queues, not one", nqueues);
    if (state != CL_COMMAND_BUFFER_STATE_RECORDING_KHR)
        return fail(dnnl_invalid_arguments, "stream", "the command buffer has been finalized");
    return dnnl_success;
}

dnnl_status_t opencl_stream_record(struct stream *stream, cl_command_queue queue,
                                   cl_command_buffer_khr buffer) {
    const struct opencl_device *d = opencl_device(stream->device);
    cl_command_queue_properties properties = 0;
    if (!d->has_command_buffers)
        return fail(dnnl_unimplemented, "stream", "the device has no cl_khr_command_buffer");
    dnnl_status_t status = check_queue(d, queue, &properties);
    if (status == dnnl_success) status = check_command_buffer(d, buffer);
    if (status != dnnl_success) return status;
    struct opencl_stream s = {.queue = queue, .record = buffer};
    s.record_in_order = !(properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    stream->flags = dnnl_stream_in_order;
    status = open_around(stream, &s);
    if (status != dnnl_success) return status;
    cl.RetainCommandQueue(queue);
    d->commands.RetainCommandBufferKHR(buffer);
    return dnnl_success;
}

/* Destruction */

void opencl_release_events(int count, const cl_event *events) {
    for (int i = 0; i < count; i++)
        cl.ReleaseEvent(events[i]);
}

static void end_recording(const struct opencl_device *d, struct opencl_stream *s) {
    d->commands.ReleaseCommandBufferKHR(s->record);
    for (struct opencl_instance *i = s->recorded, *before; i; i = before) {
        before = i->recorded_before;
        slots_give_back(&i->slot);
    }
    counted_list_free(&s->kept);
}

void opencl_stream_close(struct stream *stream) {
    struct opencl_stream *s = stream->state;
    if (s->profile) opencl_profile_close(s->profile);
    opencl_release_events(s->nevents, s->events);
    free(s->events);
    if (s->record) end_recording(opencl_device(stream->device), s);
    cl.ReleaseCommandQueue(s->queue);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

/* Events of an out-of-order queue. The caller holds the stream's lock. */

static void forget_completed(struct opencl_stream *s) {
    int left = 0;
    for (int i = 0; i < s->nevents; i++)
        if (opencl_event_completed(s->events[i]))
            cl.ReleaseEvent(s->events[i]);
        else
            s->events[left++] = s->events[i];
    s->nevents = left;
}

bool opencl_stream_make_room(struct opencl_stream *s) {
    enum { FIRST_ROOM = 64 };
    if (s->nevents < s->room) return true;
    forget_completed(s);
    if (s->nevents < s->room / 2) return true;
    int room = s->room ? 2 * s->room : FIRST_ROOM;
    cl_event *events = realloc(s->events, sizeof *events * (size_t)room);
    if (!events) return s->nevents < s->room;
    s->events = events;
    s->room = room;
    return true;
}

void opencl_stream_remember(struct opencl_stream *s, cl_event event, bool after_all) {
    if (after_all) {
        opencl_release_events(s->nevents, s->events);
        s->nevents = 0;
    }
    cl.RetainEvent(event);
    s->events[s->nevents++] = event;
}

/* Waiting */

/* A copy of the current events, retained; the caller frees it. */
static int copy_events(struct opencl_stream *s, cl_event **copy) {
    pthread_mutex_lock(&s->lock);
    int count = s->nevents;
    *copy = count > 0 ? malloc(sizeof **copy * (size_t)count) : NULL;
    for (int i = 0; i < count && *copy; i++) {
        (*copy)[i] = s->events[i];
        cl.RetainEvent(s->events[i]);
    }
    pthread_mutex_unlock(&s->lock);
    return count;
}

static bool all_completed(int count, const cl_event *events) {
    for (int i = 0; i < count; i++)
        if (!opencl_event_completed(events[i])) return false;
    return true;
}

/* Polls until all events have completed, with growing pauses. */
static void poll(int count, const cl_event *events) {
    enum { SPINS = 1000, SHORTEST_NS = 10000, LONGEST_NS = 200000 };
    long ns = SHORTEST_NS;
    for (int i = 0; !all_completed(count, events); i++) {
        if (i < SPINS) {
            sched_yield();
            continue;
        }
        nanosleep(&(struct timespec){.tv_nsec = ns}, NULL);
        if (ns < LONGEST_NS) ns += ns / 2;
    }
}

static dnnl_status_t poll_events(struct opencl_stream *s) {
    cl_event *events;
    int count = copy_events(s, &events);
    if (count > 0 && !events) return dnnl_out_of_memory;
    cl_int error = cl.Flush(s->queue);
    if (error == CL_SUCCESS) poll(count, events);
    opencl_release_events(count, events);
    free(events);
    return error == CL_SUCCESS ? dnnl_success : opencl_fail(error, "stream", "clFlush");
}

bool opencl_stream_records(const struct stream *stream) {
    return ((const struct opencl_stream *)stream->state)->record != NULL;
}

/* After polling, still waits for the queue: users may have submitted commands of their own. */
dnnl_status_t opencl_stream_wait(struct stream *stream) {
    struct opencl_stream *s = stream->state;
    if (s->record) return dnnl_success;
    TRY(s->polls ? poll_events(s) : dnnl_success);
    cl_int error = cl.Finish(s->queue);
    if (error != CL_SUCCESS) return opencl_fail(error, "stream", "clFinish");
    if (s->out_of_order) {
        pthread_mutex_lock(&s->lock);
        forget_completed(s);
        pthread_mutex_unlock(&s->lock);
    }
    return dnnl_success;
}
