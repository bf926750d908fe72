/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Command lists: create, close, reset, destroy, and how commands are added. append.c has the commands,
 * executor.c executes them.
 */
#include "driver/list.h"
#include "driver/limits.h"
#include "driver/note.h"
#include "driver/queue.h"
#include "driver/stream.h"

#include <stdlib.h>
#include <string.h>

#define ALL_LIST_FLAGS 0x3fu
#define ALL_QUEUE_FLAGS 0x7u

/* -- creation -- */

/* Drops all commands and what they hold. */
static void list_clear(struct list *list) {
    for (uint32_t i = 0; i < list->counters; i++)
        if (list->signals[i].stamps) stamps_release(list->signals[i].stamps);
    for (uint32_t i = 0; i < list->nneeds; i++)
        object_release(list->needs[i].object);
    list->ncommands = list->counters = list->ncaptures = list->nneeds = list->nmutables = 0;
    list->next_mutable = NULL;
    tape_rewind(&list->tape);
}

static void list_dispose(void *pointer) {
    struct list *list = pointer;
    if (list->stream) stream_delete(list->stream);
    list_clear(list);
    tape_free(&list->tape);
    timeline_delete(list->timeline);
    free(list->signals);
    free(list->captures);
    free(list->needs);
    free(list->mutables);
    object_release(list->context);
    object_delete(list);
}

static struct list *list_new(struct context *context) {
    struct list *list = object_new(OBJECT_LIST, sizeof *list, list_dispose);
    if (!list) return NULL;
    list->context = context;
    object_hold(context);
    return list;
}

ze_result_t ZE_APICALL zeCommandListCreate(ze_context_handle_t context, ze_device_handle_t device,
                                           const ze_command_list_desc_t *desc,
                                           ze_command_list_handle_t *made) {
    if (!to_context(context) || !is_device(device)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!desc || !made) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (desc->flags & ~ALL_LIST_FLAGS) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    if (desc->commandQueueGroupOrdinal >= QUEUE_GROUPS)
        return explain(ZE_RESULT_ERROR_INVALID_ARGUMENT, "no command queue group with that ordinal");
    struct list *list = list_new(to_context(context));
    if (!list) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    list->flags = desc->flags;
    list->queue.ordinal = desc->commandQueueGroupOrdinal;
    list->is_mutable = chain_find(desc->pNext, NEW_STYPE_MUTABLE_COMMAND_LIST_DESC) != NULL;
    *made = (ze_command_list_handle_t)list;
    return ZE_RESULT_SUCCESS;
}

ze_result_t check_queue_desc(const ze_command_queue_desc_t *desc) {
    if (!desc) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (desc->flags & ~ALL_QUEUE_FLAGS || (uint32_t)desc->mode > ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS
        || (uint32_t)desc->priority > ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH)
        return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    if (desc->ordinal >= QUEUE_GROUPS || desc->index >= QUEUES)
        return explain(ZE_RESULT_ERROR_INVALID_ARGUMENT, "no queue with that ordinal and index");
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeCommandListCreateImmediate(ze_context_handle_t context, ze_device_handle_t device,
                                                    const ze_command_queue_desc_t *desc,
                                                    ze_command_list_handle_t *made) {
    if (!to_context(context) || !is_device(device)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    ze_result_t result = check_queue_desc(desc);
    if (result) return result;
    if (!made) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    struct stream *stream = stream_new(desc);
    struct list *list = stream ? list_new(to_context(context)) : NULL;
    if (!list) {
        if (stream) stream_delete(stream);
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    list->immediate = true;
    list->queue = *desc;
    list->stream = stream;
    *made = (ze_command_list_handle_t)list;
    return ZE_RESULT_SUCCESS;
}

/* -- recording -- */

ze_result_t list_check_events(const struct dependencies *dependencies) {
    if (dependencies->signal && !to_event(dependencies->signal))
        return explain(ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT, "the signal event does not exist");
    if (dependencies->nwaits && !dependencies->waits) return ZE_RESULT_ERROR_INVALID_SIZE;
    for (uint32_t i = 0; i < dependencies->nwaits; i++)
        if (!to_event(dependencies->waits[i]))
            return explain(ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT, "a wait event does not exist");
    return ZE_RESULT_SUCCESS;
}

void *list_grow(void *array, uint32_t count, uint32_t more, size_t size) {
    uint32_t end = count + more;
    if (array && (count & (count - 1)) && end <= (1u << (32 - __builtin_clz(count)))) return array;
    uint32_t room = end < 2 ? 2 : 1u << (32 - __builtin_clz(end - 1));
    return realloc(array, room * size);
}

static bool is_needed_already(const struct list *list, const void *object) {
    return !list->is_mutable && list->nneeds && list->needs[list->nneeds - 1].object == object;
}

ze_result_t list_need(struct list *list, const void *command, void *object, enum need_for what_for) {
    if (list->immediate || is_needed_already(list, object)) return ZE_RESULT_SUCCESS;
    struct need *needs = list_grow(list->needs, list->nneeds, 1, sizeof *needs);
    if (!needs) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    list->needs = needs;
    needs[list->nneeds++] = (struct need){object, command, what_for};
    object_hold(object);
    return ZE_RESULT_SUCCESS;
}

void list_drop_needs(struct list *list, const void *command, enum need_for what_for) {
    for (uint32_t i = list->nneeds; i-- > 0;) {
        struct need *need = &list->needs[i];
        if (need->command != command || need->what_for != what_for) continue;
        object_release(need->object);
        *need = list->needs[--list->nneeds];
    }
}

/* Allocates captures for a command's waits, to be resolved at submission. */
static ze_result_t make_captures(struct list *list, struct command *command) {
    struct event **captures = list_grow(list->captures, list->ncaptures, command->nwaits, sizeof *captures);
    if (!captures) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    list->captures = captures;
    command->captured = list->ncaptures + 1;
    list->ncaptures += command->nwaits;
    return ZE_RESULT_SUCCESS;
}

/* In a regular list, waits for counter-based events mean something else at every submission, so all waits of
 * such a command are resolved there. NULL events are not waited for. */
static ze_result_t write_waits(struct list *list, struct command *command, ze_event_handle_t *events) {
    bool capture = command->captured != 0;
    ze_result_t result = ZE_RESULT_SUCCESS;
    for (uint32_t i = 0; i < command->nwaits && !result; i++) {
        struct event *event = events ? to_event(events[i]) : NULL;
        command->waits[i] = event ? event_wait_point(event) : (struct wait){0};
        bool counts = event && event_is_counter_based(event);
        capture |= counts && !list->immediate;
        if (event) result = list_need(list, command, event, NEED_WAIT);
    }
    if (!result && capture && !command->captured) result = make_captures(list, command);
    for (uint32_t i = 0; i < command->nwaits && !result && capture; i++)
        list->captures[command->captured - 1 + i] = events ? to_event(events[i]) : NULL;
    return result;
}

static void drop_counter(struct list *list, uint32_t number) {
    for (uint32_t i = 0; i < list->counters; i++) {
        struct counter_signal *signal = &list->signals[i];
        if (signal->number != number) continue;
        if (signal->stamps) stamps_release(signal->stamps);
        memmove(signal, signal + 1, (--list->counters - i) * sizeof *signal);
        return;
    }
}

static ze_result_t insert_counter(struct list *list, const struct counter_signal *signal) {
    struct counter_signal *signals = list_grow(list->signals, list->counters, 1, sizeof *signals);
    if (!signals) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    list->signals = signals;
    uint32_t place = list->counters++;
    for (; place > 0 && signals[place - 1].number > signal->number; place--)
        signals[place] = signals[place - 1];
    signals[place] = *signal;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t count_signal(struct list *list, struct command *command, struct event *event) {
    if (list->immediate) return ZE_RESULT_SUCCESS;
    if (!list->timeline) {
        list->timeline = timeline_new();
        if (!list->timeline) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
        list->timeline_end = atomic_load(&list->timeline->reached);
    }
    ze_result_t result =
            insert_counter(list, &(struct counter_signal){event, command->number, command->signal.stamps});
    if (!result) command->signal.counter = command->number;
    return result;
}

static ze_result_t write_signal(struct list *list, struct command *command, struct event *event) {
    list->pending_signal = event;
    list->pending_stamps = NULL;
    if (!event) return ZE_RESULT_SUCCESS;
    command->signal = (struct signal){.slot = event->slot, .shared = event->shared, .timed = event->timed};
    ze_result_t result = list_need(list, command, event, NEED_SIGNAL);
    if (result || !event_is_counter_based(event)) return result;
    if (event->timed && !(command->signal.stamps = stamps_new())) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    list->pending_stamps = command->signal.stamps;
    return count_signal(list, command, event);
}

void list_unappend(struct list *list, void *pointer) {
    struct command *command = pointer;
    if (command->signal.counter)
        drop_counter(list, command->number);
    else if (command->signal.stamps)
        stamps_release(command->signal.stamps);
    for (int what_for = NEED_SIGNAL; what_for <= NEED_OTHER; what_for++)
        list_drop_needs(list, command, (enum need_for)what_for);
    for (uint32_t i = 0; i < list->nmutables; i++)
        if (list->mutables[i].command == command) list->mutables[i].command = NULL;
    if (!list->immediate) list->ncommands--;
    tape_unwrite(list->immediate ? &list->stream->tape : &list->tape, command);
}

static void bind_mutable(struct list *list, struct command *command) {
    if (list->next_mutable) list->next_mutable->command = command;
    list->next_mutable = NULL;
}

ze_result_t list_append(struct list *list, enum operation operation, size_t size,
                        const struct dependencies *dependencies, void *pointer) {
    if (list->closed) return explain(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the list is closed");
    ze_result_t result = list_check_events(dependencies);
    if (result) return result;
    struct tape *tape = list->immediate ? &list->stream->tape : &list->tape;
    size_t waits = round_up(size, _Alignof(struct wait));
    struct command *command = tape_write(tape, waits + dependencies->nwaits * sizeof(struct wait));
    if (!command) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    *command = (struct command){
            .record = command->record,
            .operation = operation,
            .nwaits = dependencies->nwaits,
            .number = list->ncommands + 1,
            .waits = (struct wait *)((char *)command + waits),
    };
    result = write_waits(list, command, dependencies->waits);
    if (!result) result = write_signal(list, command, to_event(dependencies->signal));
    if (!list->immediate) list->ncommands++;
    if (result) {
        list_unappend(list, command);
        return result;
    }
    if (!list->immediate) bind_mutable(list, command);
    *(struct command **)pointer = command;
    return ZE_RESULT_SUCCESS;
}

ze_result_t list_submit(struct list *list) {
    if (!list->immediate) return ZE_RESULT_SUCCESS;
    struct event *event = list->pending_signal;
    struct stream *stream = list->stream;
    if (event) {
        if (event_is_counter_based(event))
            event_move(event, &stream->timeline, stream_published(stream) + 1, list->pending_stamps);
        atomic_store_explicit(&event->source, stream, memory_order_release);
    }
    stream_publish(stream, 1);
    stream_start(stream);
    return ZE_RESULT_SUCCESS;
}

/* -- running -- */

ze_result_t list_check_run(const struct list *list, uint32_t ordinal) {
    if (list->immediate) return ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE;
    if (list->queue.ordinal == COMPUTE_GROUP && ordinal == COPY_GROUP)
        return explain(ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE, "the queue is only for copies");
    if (!list->closed) return explain(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the list is not closed");
    return ZE_RESULT_SUCCESS;
}

/* Moves its counter-based events to this execution. */
static void move_signals(struct list *list, uint64_t base) {
    for (uint32_t i = 0; i < list->counters; i++) {
        const struct counter_signal *signal = &list->signals[i];
        atomic_store_explicit(&signal->event->source, NULL, memory_order_relaxed);
        event_move(signal->event, list->timeline, base + signal->number, signal->stamps);
    }
}

struct run_list_command *list_write_run(struct list *list, struct stream *stream) {
    struct run_list_command *run;
    run = tape_write(&stream->tape, sizeof *run + list->ncaptures * sizeof run->captured[0]);
    if (!run) return NULL;
    run->command = (struct command){.record = run->command.record, .operation = OP_RUN_LIST};
    run->list = list;
    run->claim = &stream->claim;
    run->base = list->timeline_end;
    list->timeline_end += list->ncommands;
    for (uint32_t i = 0; i < list->ncaptures; i++)
        run->captured[i] = list->captures[i] ? event_wait_point(list->captures[i]) : (struct wait){0};
    move_signals(list, run->base);
    atomic_fetch_add(&list->in_flight, 1);
    object_hold(list);
    return run;
}

void list_end_run(struct list *list) {
    atomic_fetch_sub(&list->in_flight, 1);
}

/* -- changing recorded commands -- */

ze_result_t list_change_signal(struct list *list, struct command *command, struct event *event) {
    drop_counter(list, command->number);
    list_drop_needs(list, command, NEED_SIGNAL);
    command->signal = (struct signal){0};
    ze_result_t result = write_signal(list, command, event);
    list->pending_signal = NULL;
    return result;
}

ze_result_t list_change_waits(struct list *list, struct command *command, ze_event_handle_t *events) {
    for (uint32_t i = 0; i < command->nwaits; i++)
        if (events && events[i] && !to_event(events[i]))
            return ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT;
    list_drop_needs(list, command, NEED_WAIT);
    return write_waits(list, command, events);
}

/* -- closing, resetting, destroying -- */

ze_result_t ZE_APICALL zeCommandListClose(ze_command_list_handle_t handle) {
    struct list *list = to_list(handle);
    if (!list) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!list->immediate) list->closed = true;
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeCommandListReset(ze_command_list_handle_t handle) {
    struct list *list = to_list(handle);
    if (!list) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (list->immediate) return ZE_RESULT_SUCCESS;
    if (atomic_load(&list->in_flight))
        return explain(ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE, "the list is being executed");
    list_clear(list);
    list->closed = false;
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeCommandListDestroy(ze_command_list_handle_t handle) {
    struct list *list = to_list(handle);
    if (!list) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (list->immediate) stream_wait(list->stream, FOREVER);
    if (atomic_load(&list->in_flight)) NOTE_ONCE("a command list was destroyed while it is executed");
    object_close(list);
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL NEW(zeCommandListHostSynchronize)(ze_command_list_handle_t handle, uint64_t timeout) {
    struct list *list = to_list(handle);
    if (!list) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!list->immediate) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    return stream_wait(list->stream, timeout) ? device_status() : ZE_RESULT_NOT_READY;
}
