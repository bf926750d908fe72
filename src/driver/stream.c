/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs streams.
 *
 * `holder` says which thread runs a stream. BUSY is a lock: its owner runs commands. ATTACHED means that a
 * worker will run everything submitted, so submitting need not wake one; an idle worker spins for a while
 * before it detaches. WAITING means that a worker sleeps until BUSY is released.
 */
#define _GNU_SOURCE
#include "driver/stream.h"
#include "base/futex.h"
#include "driver/worker.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>

enum { BUSY = 1, ATTACHED = 2, WAITING = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects both lists */
static _Atomic(struct stream *) all_streams;
static struct stream *free_streams;

static void after_fork(void) {
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    priority_after_fork();
    for (struct stream *stream = atomic_load(&all_streams); stream; stream = stream->next) {
        atomic_store(&stream->claim.listed, false);
        atomic_store(&stream->holder, 0);
        atomic_store(&stream->timeline.reached, atomic_load(&stream->published));
        stream->position = (struct tape_position){stream->tape.last, stream->tape.used};
    }
}

static void register_fork(void) {
    pthread_atfork(NULL, NULL, after_fork);
}

static enum priority_level level_of(ze_command_queue_priority_t priority) {
    return priority == ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH  ? LEVEL_HIGH
           : priority == ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_LOW ? LEVEL_LOW
                                                                : LEVEL_NORMAL;
}

struct stream *stream_new(const ze_command_queue_desc_t *desc) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, register_fork);
    pthread_mutex_lock(&lock);
    struct stream *stream = free_streams;
    if (stream) free_streams = stream->next_free;
    pthread_mutex_unlock(&lock);
    if (!stream) {
        stream = aligned_alloc(64, sizeof *stream);
        if (!stream) return NULL;
        *stream = (struct stream){.next = NULL};
        pthread_mutex_lock(&lock);
        stream->next = atomic_load(&all_streams);
        atomic_store(&all_streams, stream);
        pthread_mutex_unlock(&lock);
    }
    stream->synchronous = desc->mode == ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS;
    priority_join(&stream->claim, level_of(desc->priority));
    return stream;
}

void stream_delete(struct stream *stream) {
    stream_wait(stream, FOREVER);
    priority_leave(&stream->claim);
    pthread_mutex_lock(&lock);
    stream->next_free = free_streams;
    free_streams = stream;
    pthread_mutex_unlock(&lock);
}

static bool try_hold(struct stream *stream) {
    if (atomic_load_explicit(&stream->holder, memory_order_relaxed) & BUSY) return false;
    return !(atomic_fetch_or(&stream->holder, BUSY) & BUSY);
}

static void release(struct stream *stream) {
    uint32_t old = atomic_fetch_and(&stream->holder, ~(uint32_t)(BUSY | WAITING));
    if (old & WAITING) futex_wake(&stream->holder, INT_MAX);
}

static bool has_work(struct stream *stream) {
    return atomic_load(&stream->timeline.reached) != atomic_load(&stream->published);
}

static bool is_ready(const struct command *command) {
    for (uint32_t i = 0; i < command->nwaits; i++)
        if (!wait_for(&command->waits[i], 0)) return false;
    return true;
}

/* A thread that waits for `until` runs the next command only if `until` is not yet complete and the command
 * itself need not wait: another thread may complete `until` meanwhile. */
static bool may_help(const struct stream *stream, const struct wait *until) {
    return !wait_for(until, 0) && is_ready(tape_peek(&stream->tape, stream->position));
}

/* Runs commands until the stream has completed `target` of them. Only the holder may call it. */
static void run_commands(struct stream *stream, uint64_t target, const struct wait *until) {
    uint64_t done = atomic_load_explicit(&stream->timeline.reached, memory_order_relaxed);
    while (done < target && (!until || may_help(stream, until))) {
        struct command *command = tape_consume(&stream->tape, &stream->position);
        command_run(command, NULL, &stream->claim);
        struct signal signal = command->signal;
        if (signal.stamps) stamps_release(signal.stamps);
        if (done + 1 < atomic_load_explicit(&stream->published, memory_order_relaxed))
            priority_claim(&stream->claim);
        signal_send(&signal);
        timeline_reach(&stream->timeline, ++done);
    }
}

/* Spins, then sleeps while another thread holds the stream. */
static void wait_for_holder(struct stream *stream) {
    for (struct spin spin = spin_begin(FOREVER); spin_on(&spin);)
        if (!(atomic_load(&stream->holder) & BUSY)) return;
    uint32_t seen = atomic_load(&stream->holder);
    if (!(seen & BUSY)) return;
    if (atomic_compare_exchange_strong(&stream->holder, &seen, seen | WAITING))
        futex_wait(&stream->holder, seen | WAITING, NULL);
}

static void drain(struct stream *stream) {
    while (has_work(stream)) {
        if (try_hold(stream)) {
            run_commands(stream, atomic_load(&stream->published), NULL);
            release(stream);
        } else
            wait_for_holder(stream);
    }
}

/* A worker's job for a stream: runs everything submitted, and what follows soon after. A later submission
 * finds ATTACHED cleared and calls a worker; one just before that is found by the last check. */
static void serve(void *argument) {
    struct stream *stream = argument;
    do {
        do {
            drain(stream);
        } while (worker_linger(&stream->published, atomic_load(&stream->timeline.reached)));
        atomic_fetch_and(&stream->holder, ~(uint32_t)ATTACHED);
    } while (has_work(stream) && !(atomic_fetch_or(&stream->holder, ATTACHED) & ATTACHED));
}

static void call_worker(struct stream *stream) {
    if (atomic_fetch_or(&stream->holder, ATTACHED) & ATTACHED) return;
    if (!worker_call(serve, stream)) serve(stream); /* no thread available: run it here */
}

void stream_publish(struct stream *stream, uint64_t commands) {
    if (commands == 0) return;
    if (!has_work(stream)) priority_claim(&stream->claim);
    atomic_fetch_add(&stream->published, commands);
}

void stream_start(struct stream *stream) {
    if (stream->synchronous)
        stream_wait(stream, FOREVER);
    else if (!(atomic_load(&stream->holder) & ATTACHED))
        call_worker(stream);
}

bool stream_wait(struct stream *stream, uint64_t timeout) {
    uint64_t target = atomic_load(&stream->published);
    while (timeout == FOREVER && !timeline_has(&stream->timeline, target) && try_hold(stream)) {
        run_commands(stream, target, NULL);
        release(stream);
    }
    if (timeout != FOREVER || !stream->synchronous) return timeline_wait(&stream->timeline, target, timeout);
    while (!timeline_has(&stream->timeline, target)) {
        wait_for_holder(stream);
        if (!try_hold(stream)) continue;
        run_commands(stream, target, NULL);
        release(stream);
    }
    return true;
}

void stream_help(struct stream *stream, const struct wait *until) {
    if (!has_work(stream) || !try_hold(stream)) return;
    run_commands(stream, atomic_load(&stream->published), until);
    release(stream);
}

bool streams_are_idle(void) {
    for (struct stream *stream = atomic_load(&all_streams); stream; stream = stream->next)
        if (has_work(stream)) return false;
    return true;
}

struct stream_marks {
    size_t count;
    struct mark {
        struct stream *stream;
        uint64_t published;
    } marks[];
};

struct stream_marks *streams_mark(void) {
    size_t count = 0;
    struct stream *first = atomic_load(&all_streams);
    for (struct stream *stream = first; stream; stream = stream->next)
        count++;
    struct stream_marks *marks = malloc(sizeof *marks + count * sizeof marks->marks[0]);
    if (!marks) return NULL;
    marks->count = 0;
    for (struct stream *stream = first; stream; stream = stream->next)
        if (has_work(stream))
            marks->marks[marks->count++] = (struct mark){stream, atomic_load(&stream->published)};
    return marks;
}

bool streams_passed(const struct stream_marks *marks) {
    for (size_t i = 0; i < marks->count; i++)
        if (!timeline_has(&marks->marks[i].stream->timeline, marks->marks[i].published)) return false;
    return true;
}

void streams_wait_all(void) {
    for (struct stream *stream = atomic_load(&all_streams); stream; stream = stream->next)
        stream_wait(stream, FOREVER);
}
