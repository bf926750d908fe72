/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Event pools, events, and the host's operations on them.
 */
#define _GNU_SOURCE
#include "driver/event.h"
#include "driver/deferred.h"
#include "driver/machine.h"
#include "driver/stream.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define ALL_POOL_FLAGS 0xfu
#define ALL_SCOPES 0x7u
#define ALL_COUNTER_FLAGS 0x7fu

/* -- timestamps -- */

struct shared_stamps *stamps_new(void) {
    struct shared_stamps *stamps = calloc(1, sizeof *stamps);
    if (stamps) atomic_init(&stamps->holders, 1);
    return stamps;
}

void stamps_release(struct shared_stamps *stamps) {
    if (atomic_fetch_sub(&stamps->holders, 1) == 1) free(stamps);
}

/* -- position of a counter-based event -- */

static void place_lock(struct event *event) {
    while (atomic_flag_test_and_set_explicit(&event->place_lock, memory_order_acquire))
        continue;
}

static void place_unlock(struct event *event) {
    atomic_flag_clear_explicit(&event->place_lock, memory_order_release);
}

void event_move(struct event *event, struct timeline *timeline, uint64_t value,
                struct shared_stamps *stamps) {
    if (stamps) atomic_fetch_add(&stamps->holders, 1);
    place_lock(event);
    struct shared_stamps *old = event->stamps;
    event->timeline = timeline;
    event->value = value;
    event->stamps = stamps;
    place_unlock(event);
    if (old) stamps_release(old);
}

struct wait event_wait_point(struct event *event) {
    if (!event_is_counter_based(event))
        return (struct wait){.word = &event->slot->word, .shared = event->shared};
    place_lock(event);
    struct wait wait = {.timeline = event->timeline, .value = event->value};
    place_unlock(event);
    return wait;
}

bool wait_for(const struct wait *wait, uint64_t timeout) {
    if (wait->word) return word_wait(wait->word, wait->shared, timeout);
    return !wait->timeline || timeline_wait(wait->timeline, wait->value, timeout);
}

struct stamps event_last_stamps(struct event *event) {
    place_lock(event);
    struct stamps stamps = event->stamps ? stamps_read(&event->stamps->stamps) : (struct stamps){0};
    place_unlock(event);
    return stamps;
}

/* -- pools -- */

/* Slots of destroyed pools, by the logarithm of their length. Their addresses stay mapped to zero pages and
 * are reused, so a thread may safely look at an event that another one destroys. */
struct old_slots {
    struct old_slots *next;
    void *slots;
};
static pthread_mutex_t old_lock = PTHREAD_MUTEX_INITIALIZER;
static struct old_slots *old_slots[64];

static struct old_slots **old_slots_of(size_t length) {
    return &old_slots[__builtin_ctzll(length)];
}

/* Bytes, rounded up to a power of two. */
static size_t slots_length(uint32_t count) {
    size_t length = machine()->page;
    while (length < count * sizeof(struct event_slot))
        length *= 2;
    return length;
}

static void *take_old_slots(size_t length) {
    pthread_mutex_lock(&old_lock);
    struct old_slots *old = *old_slots_of(length);
    if (old) *old_slots_of(length) = old->next;
    pthread_mutex_unlock(&old_lock);
    void *slots = old ? old->slots : NULL;
    free(old);
    return slots;
}

/* Replaces the slots by zero pages. */
static void retire_slots(void *slots, size_t length) {
    struct old_slots *old = malloc(sizeof *old);
    void *empty = mmap(slots, length, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    if (!old || empty == MAP_FAILED) {
        free(old);
        return;
    }
    old->slots = slots;
    pthread_mutex_lock(&old_lock);
    old->next = *old_slots_of(length);
    *old_slots_of(length) = old;
    pthread_mutex_unlock(&old_lock);
}

/* Maps the slots; backed by a file if other processes share them. */
static bool map_slots(struct event_pool *pool) {
    bool shared = pool->flags & ZE_EVENT_POOL_FLAG_IPC;
    if (shared && pool->file < 0) {
        pool->file = memfd_create("lode-events", MFD_CLOEXEC);
        if (pool->file < 0 || ftruncate(pool->file, (off_t)pool->length)) return false;
    }
    if (!shared) pool->slots = take_old_slots(pool->length);
    if (pool->slots) return true;
    void *slots = mmap(NULL, pool->length, PROT_READ | PROT_WRITE,
                       shared ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS, shared ? pool->file : -1, 0);
    if (slots == MAP_FAILED) return false;
    pool->slots = slots;
    return true;
}

static void pool_free(void *pointer) {
    struct event_pool *pool = pointer;
    if (pool->slots) retire_slots(pool->slots, pool->length);
    if (pool->file >= 0) close(pool->file);
    free(pool->taken);
    object_release(pool->context);
    object_delete(pool);
}

/* Commands in flight may signal events that the program has destroyed. */
static void pool_dispose(void *pool) {
    defer(pool_free, pool);
}

ze_result_t event_pool_new(struct context *context, const struct event_pool *like, struct event_pool **made) {
    struct event_pool *pool = object_new(OBJECT_EVENT_POOL, sizeof *pool, pool_dispose);
    if (!pool) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    pool->context = context;
    pool->count = like->count;
    pool->flags = like->flags;
    pool->counter_flags = like->counter_flags;
    pool->file = like->file;
    pool->imported = like->imported;
    pool->length = slots_length(like->count);
    object_hold(context);
    pool->taken = calloc(like->count, sizeof *pool->taken);
    if (!pool->taken || !map_slots(pool)) {
        object_close(pool);
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    *made = pool;
    return ZE_RESULT_SUCCESS;
}

static uint32_t wanted_counters(const void *extensions) {
    const struct ze_event_pool_counter_based_exp_desc *desc =
            chain_find(extensions, NEW_STYPE_COUNTER_BASED_EVENT_POOL_DESC);
    return !desc ? 0 : desc->flags ? desc->flags : NEW_COUNTER_BASED_IMMEDIATE;
}

ze_result_t ZE_APICALL zeEventPoolCreate(ze_context_handle_t context, const ze_event_pool_desc_t *desc,
                                         uint32_t ndevices, ze_device_handle_t *devices,
                                         ze_event_pool_handle_t *made) {
    if (!to_context(context)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!desc || !made) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (desc->flags & ~ALL_POOL_FLAGS) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    if (desc->count == 0 || (ndevices && !devices)) return ZE_RESULT_ERROR_INVALID_SIZE;
    for (uint32_t i = 0; i < ndevices; i++)
        if (!is_device(devices[i])) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    const struct event_pool like = {.count = desc->count,
                                    .flags = desc->flags,
                                    .counter_flags = wanted_counters(desc->pNext),
                                    .file = -1};
    if (like.counter_flags && desc->flags & ZE_EVENT_POOL_FLAG_IPC)
        return explain(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "counter-based events cannot be shared");
    return event_pool_new(to_context(context), &like, (struct event_pool **)made);
}

ze_result_t ZE_APICALL zeEventPoolDestroy(ze_event_pool_handle_t handle) {
    struct event_pool *pool = to_event_pool(handle);
    if (!pool || pool->imported) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    object_close(pool);
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL NEW(zeEventPoolGetContextHandle)(ze_event_pool_handle_t handle,
                                                        ze_context_handle_t *context) {
    struct event_pool *pool = to_event_pool(handle);
    if (!pool) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!context) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    *context = (ze_context_handle_t)pool->context;
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL NEW(zeEventPoolGetFlags)(ze_event_pool_handle_t handle, ze_event_pool_flags_t *flags) {
    struct event_pool *pool = to_event_pool(handle);
    if (!pool) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!flags) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    *flags = pool->flags;
    return ZE_RESULT_SUCCESS;
}

/* -- events -- */

static void event_dispose(void *pointer) {
    struct event *event = pointer;
    event_move(event, NULL, 0, NULL);
    if (event->pool) object_release(event->pool);
    object_delete(event);
}

static struct event *event_new(void) {
    struct event *event = object_new(OBJECT_EVENT, sizeof *event, event_dispose);
    if (event) atomic_flag_clear(&event->place_lock);
    return event;
}

ze_result_t ZE_APICALL zeEventCreate(ze_event_pool_handle_t handle, const ze_event_desc_t *desc,
                                     ze_event_handle_t *made) {
    struct event_pool *pool = to_event_pool(handle);
    if (!pool) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!desc || !made) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (desc->signal & ~ALL_SCOPES || desc->wait & ~ALL_SCOPES) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    if (desc->index >= pool->count)
        return explain(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the pool has no event with that index");
    if (atomic_exchange(&pool->taken[desc->index], 1))
        return explain(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the event with that index already exists");
    struct event *event = event_new();
    if (!event) {
        atomic_store(&pool->taken[desc->index], 0);
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    event->pool = pool;
    event->index = desc->index;
    event->counter_flags = pool->counter_flags;
    event->shared = pool->flags & ZE_EVENT_POOL_FLAG_IPC;
    event->timed =
            pool->flags & (ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP | NEW_EVENT_POOL_FLAG_KERNEL_MAPPED_TIMESTAMP);
    event->signal_scope = desc->signal;
    event->wait_scope = desc->wait;
    event->slot = event_is_counter_based(event) ? NULL : &pool->slots[desc->index];
    if (event->slot && !pool->imported) atomic_store(&event->slot->word, 0);
    object_hold(pool);
    *made = (ze_event_handle_t)event;
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL NEW(zeEventCounterBasedCreate)(ze_context_handle_t context, ze_device_handle_t device,
                                                      const struct ze_event_counter_based_desc *desc,
                                                      ze_event_handle_t *made) {
    if (!to_context(context) || !is_device(device)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!desc || !made) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (desc->flags & ~ALL_COUNTER_FLAGS || desc->signal & ~ALL_SCOPES || desc->wait & ~ALL_SCOPES)
        return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    if (desc->flags & NEW_COUNTER_BASED_IPC)
        return explain(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "counter-based events cannot be shared");
    if (chain_find(desc->pNext, NEW_STYPE_EVENT_EXTERNAL_SYNC_ALLOCATION_DESC)
        || chain_find(desc->pNext, NEW_STYPE_EVENT_EXTERNAL_AGGREGATE_STORAGE_DESC))
        return explain(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "external counters are not supported");
    struct event *event = event_new();
    if (!event) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    event->counter_flags = desc->flags ? desc->flags : NEW_COUNTER_BASED_IMMEDIATE;
    event->timed = desc->flags & (NEW_COUNTER_BASED_DEVICE_TIMESTAMP | NEW_COUNTER_BASED_HOST_TIMESTAMP);
    event->signal_scope = desc->signal;
    event->wait_scope = desc->wait;
    *made = (ze_event_handle_t)event;
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeEventDestroy(ze_event_handle_t handle) {
    struct event *event = to_event(handle);
    if (!event) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (event->pool) atomic_store(&event->pool->taken[event->index], 0);
    object_close(event);
    return ZE_RESULT_SUCCESS;
}

static ze_result_t refuse_counters(const struct event *event) {
    if (!event_is_counter_based(event)) return ZE_RESULT_SUCCESS;
    return explain(ZE_RESULT_ERROR_INVALID_ARGUMENT, "only commands can signal a counter-based event");
}

ze_result_t ZE_APICALL zeEventHostSignal(ze_event_handle_t handle) {
    struct event *event = to_event(handle);
    if (!event) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    ze_result_t result = refuse_counters(event);
    if (result) return result;
    uint64_t now = event->timed ? device_clock() : 0;
    if (event->timed) stamps_write(&event->slot->stamps, now, now);
    word_set(&event->slot->word, event->shared);
    return ZE_RESULT_SUCCESS;
}

void event_reset(struct event *event, struct event_slot *slot) {
    atomic_store_explicit(&event->source, NULL, memory_order_relaxed);
    word_clear(&slot->word);
}

ze_result_t ZE_APICALL zeEventHostReset(ze_event_handle_t handle) {
    struct event *event = to_event(handle);
    if (!event) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    ze_result_t result = refuse_counters(event);
    if (result) return result;
    event_reset(event, event->slot);
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeEventHostSynchronize(ze_event_handle_t handle, uint64_t timeout) {
    struct event *event = to_event(handle);
    if (!event) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    struct wait wait = event_wait_point(event);
    if (wait_for(&wait, 0)) return ZE_RESULT_SUCCESS;
    struct stream *source = atomic_load_explicit(&event->source, memory_order_acquire);
    if (timeout == FOREVER && source) stream_help(source, &wait);
    return wait_for(&wait, timeout) ? ZE_RESULT_SUCCESS : ZE_RESULT_NOT_READY;
}

ze_result_t ZE_APICALL zeEventQueryStatus(ze_event_handle_t handle) {
    return zeEventHostSynchronize(handle, 0);
}

ze_result_t ZE_APICALL NEW(zeEventGetEventPool)(ze_event_handle_t handle, ze_event_pool_handle_t *pool) {
    struct event *event = to_event(handle);
    if (!event) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!pool) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    *pool = (ze_event_pool_handle_t)event->pool;
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL NEW(zeEventGetSignalScope)(ze_event_handle_t handle, ze_event_scope_flags_t *scope) {
    struct event *event = to_event(handle);
    if (!event) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!scope) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    *scope = event->signal_scope;
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL NEW(zeEventGetWaitScope)(ze_event_handle_t handle, ze_event_scope_flags_t *scope) {
    struct event *event = to_event(handle);
    if (!event) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!scope) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    *scope = event->wait_scope;
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL NEW(zeEventGetCounterBasedFlags)(ze_event_handle_t handle, uint32_t *flags) {
    struct event *event = to_event(handle);
    if (!event) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!flags) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    *flags = event->counter_flags;
    return ZE_RESULT_SUCCESS;
}

/* The address of the counter and the value it must reach. An event that was never signalled is complete: it
 * returns value 0. */
ze_result_t ZE_APICALL NEW(zeEventCounterBasedGetDeviceAddress)(ze_event_handle_t handle, uint64_t *value,
                                                                uint64_t *address) {
    static const uint64_t nothing;
    struct event *event = to_event(handle);
    if (!event) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!value || !address) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (!event_is_counter_based(event)) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    struct wait wait = event_wait_point(event);
    *value = wait.value;
    *address = (uint64_t)(uintptr_t)(wait.timeline ? (const void *)&wait.timeline->reached : &nothing);
    return ZE_RESULT_SUCCESS;
}

/* -- timestamps of events -- */

static ze_kernel_timestamp_result_t kernel_timestamp(struct stamps stamps) {
    const ze_kernel_timestamp_data_t data = {.kernelStart = stamps.start, .kernelEnd = stamps.end};
    return (ze_kernel_timestamp_result_t){.global = data, .context = data};
}

ze_result_t ZE_APICALL zeEventQueryKernelTimestamp(ze_event_handle_t handle,
                                                   ze_kernel_timestamp_result_t *dst) {
    struct event *event = to_event(handle);
    if (!event) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!dst) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    ze_result_t result = zeEventQueryStatus(handle);
    if (result) return result;
    if (!event->timed) return explain(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the event's pool has no timestamps");
    *dst = kernel_timestamp(event->slot ? stamps_read(&event->slot->stamps) : event_last_stamps(event));
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeEventQueryTimestampsExp(ze_event_handle_t handle, ze_device_handle_t device,
                                                 uint32_t *count, ze_kernel_timestamp_result_t *dst) {
    if (!to_event(handle) || !is_device(device)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!count) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    ze_result_t result = dst && *count ? zeEventQueryKernelTimestamp(handle, dst) : ZE_RESULT_SUCCESS;
    if (!result) *count = 1;
    return result;
}

ze_result_t ZE_APICALL
NEW(zeEventQueryKernelTimestampsExt)(ze_event_handle_t handle, ze_device_handle_t device, uint32_t *count,
                                     struct ze_event_query_kernel_timestamps_results *results) {
    if (!to_event(handle) || !is_device(device)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!count) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (results && *count) {
        ze_kernel_timestamp_result_t stamp;
        ze_result_t result = zeEventQueryKernelTimestamp(handle, &stamp);
        if (result) return result;
        if (results->pKernelTimestampsBuffer) results->pKernelTimestampsBuffer[0] = stamp;
        if (results->pSynchronizedTimestampsBuffer) {
            const struct ze_synchronized_timestamp data = {stamp.global.kernelStart, stamp.global.kernelEnd};
            results->pSynchronizedTimestampsBuffer[0].global = data;
            results->pSynchronizedTimestampsBuffer[0].context = data;
        }
    }
    *count = 1;
    return ZE_RESULT_SUCCESS;
}
