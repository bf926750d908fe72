/* SPDX-License-Identifier: Apache-2.0 */
/* The events of a stream: pools that double in size up to a limit, and a queue from oldest to newest. */
#include "runtimes/level_zero/events.h"
#include "runtimes/level_zero/level_zero.h"

#include <stdlib.h>

enum { FIRST_POOL = 32, LARGEST_POOL = 2048 };

struct lz_event_pool {
    struct lz_event_pool *next;
    ze_event_pool_handle_t handle;
    uint32_t count, made; /* capacity; events created so far */
    struct lz_event events[];
};

/* -- pools -- */

static void free_pool(const struct level_zero *ze, struct lz_event_pool *pool) {
    while (pool->made > 0)
        ze->EventDestroy(pool->events[--pool->made].handle);
    if (pool->handle) ze->EventPoolDestroy(pool->handle);
    free(pool);
}

static ze_result_t make_events(const struct level_zero *ze, struct lz_event_pool *pool) {
    for (; pool->made < pool->count; pool->made++) {
        const ze_event_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC,
                                      .index = pool->made,
                                      .signal = ZE_EVENT_SCOPE_FLAG_HOST,
                                      .wait = ZE_EVENT_SCOPE_FLAG_HOST};
        ze_result_t result = ze->EventCreate(pool->handle, &desc, &pool->events[pool->made].handle);
        if (result != ZE_RESULT_SUCCESS) return result;
    }
    return ZE_RESULT_SUCCESS;
}

static ze_result_t make_pool(const struct lz_stream *stream, uint32_t count, struct lz_event_pool **made) {
    const struct lz_device *device = stream->device;
    ze_event_pool_flags_t timed = stream->profiling ? ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP : 0;
    const ze_event_pool_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                       .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE | timed,
                                       .count = count};
    struct lz_event_pool *pool = calloc(1, sizeof *pool + count * sizeof pool->events[0]);
    if (!pool) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    pool->count = count;
    ze_device_handle_t devices[] = {device->device};
    ze_result_t result = device->ze->EventPoolCreate(device->context, &desc, 1, devices, &pool->handle);
    if (result == ZE_RESULT_SUCCESS) result = make_events(device->ze, pool);
    if (result == ZE_RESULT_SUCCESS)
        *made = pool;
    else
        free_pool(device->ze, pool);
    return result;
}

static ze_result_t grow(struct lz_stream *stream) {
    struct lz_events *events = &stream->events;
    uint32_t count = events->pools ? 2 * events->pools->count : FIRST_POOL;
    struct lz_event_pool *pool;
    ze_result_t result = make_pool(stream, count < LARGEST_POOL ? count : LARGEST_POOL, &pool);
    if (result != ZE_RESULT_SUCCESS) return result;
    pool->next = events->pools;
    events->pools = pool;
    for (uint32_t i = pool->count; i-- > 0;) {
        pool->events[i].next = events->unused;
        events->unused = &pool->events[i];
    }
    return ZE_RESULT_SUCCESS;
}

/* -- taking -- */

/* The oldest event, reset, if its execution is complete. The other events of that execution are not older, so
 * `last` still belongs to the same execution. */
static struct lz_event *reuse(struct lz_stream *stream) {
    struct lz_events *events = &stream->events;
    const struct level_zero *ze = stream->device->ze;
    struct lz_event *event = events->oldest;
    if (!stream->immediate || events->given < LZ_EVENTS_KEPT) return NULL;
    if (ze->EventQueryStatus(event->last->handle) != ZE_RESULT_SUCCESS) return NULL;
    lz_profile_collect(stream, event);
    if (ze->EventHostReset(event->handle) != ZE_RESULT_SUCCESS) return NULL;
    events->oldest = event->next;
    events->given--;
    return event;
}

static ze_result_t take(struct lz_stream *stream, struct lz_event **taken) {
    struct lz_events *events = &stream->events;
    struct lz_event *event = events->unused ? NULL : reuse(stream);
    if (!event) {
        ze_result_t result = events->unused ? ZE_RESULT_SUCCESS : grow(stream);
        if (result != ZE_RESULT_SUCCESS) return result;
        event = events->unused;
        events->unused = event->next;
    }
    *event = (struct lz_event){.handle = event->handle, .last = event, .entry = -1};
    if (events->oldest)
        events->newest->next = event;
    else
        events->oldest = event;
    events->newest = event;
    events->given++;
    *taken = event;
    return ZE_RESULT_SUCCESS;
}

ze_result_t lz_events_take(struct lz_stream *stream, size_t count, struct lz_event **first) {
    *first = NULL;
    for (size_t i = 0; i < count; i++) {
        struct lz_event *event;
        ze_result_t result = take(stream, &event);
        if (result == ZE_RESULT_SUCCESS) {
            if (!*first) *first = event;
            continue;
        }
        lz_events_abandon(stream, *first);
        return result;
    }
    for (struct lz_event *event = *first; event; event = event->next)
        event->last = stream->events.newest;
    return ZE_RESULT_SUCCESS;
}

void lz_events_abandon(struct lz_stream *stream, struct lz_event *first) {
    for (struct lz_event *event = first; event; event = event->next) {
        event->entry = -1;
        stream->device->ze->EventHostSignal(event->handle);
    }
}

/* -- the end -- */

void lz_events_free(struct lz_stream *stream) {
    for (struct lz_event_pool *pool = stream->events.pools, *next; pool; pool = next) {
        next = pool->next;
        free_pool(stream->device->ze, pool);
    }
}
