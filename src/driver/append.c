/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Append calls that launch no kernel: each checks its arguments and writes one command.
 */
#include "driver/limits.h"
#include "driver/list.h"
#include "driver/stream.h"

#include <stdlib.h>
#include <string.h>

static ze_result_t append_nothing(ze_command_list_handle_t handle, const struct dependencies *dependencies) {
    struct list *list = to_list(handle);
    if (!list) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    struct command *command;
    ze_result_t result = list_append(list, OP_NOTHING, sizeof *command, dependencies, &command);
    return result ? result : list_submit(list);
}

/* -- synchronisation: commands of a stream run in order, so a barrier is an empty command -- */

ze_result_t ZE_APICALL zeCommandListAppendBarrier(ze_command_list_handle_t list, ze_event_handle_t signal,
                                                  uint32_t nwaits, ze_event_handle_t *waits) {
    return append_nothing(list, &(struct dependencies){signal, nwaits, waits});
}

ze_result_t ZE_APICALL zeCommandListAppendMemoryRangesBarrier(ze_command_list_handle_t list, uint32_t count,
                                                              const size_t *sizes, const void **ranges,
                                                              ze_event_handle_t signal, uint32_t nwaits,
                                                              ze_event_handle_t *waits) {
    (void)count;
    if (!to_list(list)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!sizes || !ranges) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    return append_nothing(list, &(struct dependencies){signal, nwaits, waits});
}

ze_result_t ZE_APICALL zeCommandListAppendSignalEvent(ze_command_list_handle_t list,
                                                      ze_event_handle_t event) {
    if (!to_list(list) || !to_event(event)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    return append_nothing(list, &(struct dependencies){.signal = event});
}

ze_result_t ZE_APICALL zeCommandListAppendWaitOnEvents(ze_command_list_handle_t list, uint32_t count,
                                                       ze_event_handle_t *events) {
    if (!to_list(list)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!events) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    return append_nothing(list, &(struct dependencies){.nwaits = count, .waits = events});
}

ze_result_t ZE_APICALL zeCommandListAppendEventReset(ze_command_list_handle_t handle,
                                                     ze_event_handle_t event) {
    struct list *list = to_list(handle);
    if (!list || !to_event(event)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (event_is_counter_based(to_event(event)))
        return explain(ZE_RESULT_ERROR_INVALID_ARGUMENT, "a counter-based event cannot be reset");
    struct reset_event_command *reset;
    ze_result_t result = list_append(list, OP_RESET_EVENT, sizeof *reset, &(struct dependencies){0}, &reset);
    if (result) return result;
    reset->event = to_event(event);
    reset->slot = to_event(event)->slot;
    result = list_need(list, reset, to_event(event), NEED_OTHER);
    if (!result) return list_submit(list);
    list_unappend(list, reset);
    return result;
}

/* -- copies and fills -- */

ze_result_t ZE_APICALL zeCommandListAppendMemoryCopy(ze_command_list_handle_t handle, void *dst,
                                                     const void *src, size_t size, ze_event_handle_t signal,
                                                     uint32_t nwaits, ze_event_handle_t *waits) {
    struct list *list = to_list(handle);
    if (!list) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!dst || !src) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    struct copy_command *copy;
    const struct dependencies dependencies = {signal, nwaits, waits};
    ze_result_t result = list_append(list, OP_COPY, sizeof *copy, &dependencies, &copy);
    if (result) return result;
    copy->dst = dst;
    copy->src = src;
    copy->size = size;
    return list_submit(list);
}

ze_result_t ZE_APICALL NEW(zeCommandListAppendMemoryCopyWithParameters)(
        ze_command_list_handle_t list, void *dst, const void *src, size_t size, const void *extensions,
        ze_event_handle_t signal, uint32_t nwaits, ze_event_handle_t *waits) {
    if (extensions) return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    return zeCommandListAppendMemoryCopy(list, dst, src, size, signal, nwaits, waits);
}

/* Every context can access all memory. */
ze_result_t ZE_APICALL zeCommandListAppendMemoryCopyFromContext(ze_command_list_handle_t list, void *dst,
                                                                ze_context_handle_t context, const void *src,
                                                                size_t size, ze_event_handle_t signal,
                                                                uint32_t nwaits, ze_event_handle_t *waits) {
    if (!to_list(list) || !to_context(context)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    return zeCommandListAppendMemoryCopy(list, dst, src, size, signal, nwaits, waits);
}

static bool same_size(const ze_copy_region_t *a, const ze_copy_region_t *b) {
    return a->width == b->width && a->height == b->height && a->depth == b->depth;
}

/* Do two boxes of equal size and pitches, `distance` bytes apart, share a byte? Level 0 compares bytes, 1
 * rows, 2 slices. */
static bool overlap(int64_t distance, const size_t size[3], const size_t pitch[2], int level) {
    if (level == 0) return llabs(distance) < (int64_t)size[0];
    int64_t step = (int64_t)pitch[level - 1], below = step ? distance / step - (distance % step < 0) : 0;
    for (int64_t n = below; n <= below + 1; n++)
        if (llabs(n) < (int64_t)size[level] && overlap(distance - n * step, size, pitch, level - 1))
            return true;
    return false;
}

static size_t offset_of(const ze_copy_region_t *region, uint32_t pitch, uint32_t slice_pitch) {
    return region->originX + (size_t)region->originY * pitch + (size_t)region->originZ * slice_pitch;
}

ze_result_t ZE_APICALL zeCommandListAppendMemoryCopyRegion(ze_command_list_handle_t handle, void *dst,
                                                           const ze_copy_region_t *to, uint32_t dst_pitch,
                                                           uint32_t dst_slice_pitch, const void *src,
                                                           const ze_copy_region_t *from, uint32_t src_pitch,
                                                           uint32_t src_slice_pitch, ze_event_handle_t signal,
                                                           uint32_t nwaits, ze_event_handle_t *waits) {
    struct list *list = to_list(handle);
    if (!list) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!dst || !to || !src || !from) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (!same_size(to, from)) return explain(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the regions differ in size");
    const struct copy_region_command box = {
            .dst = (unsigned char *)dst + offset_of(to, dst_pitch, dst_slice_pitch),
            .src = (const unsigned char *)src + offset_of(from, src_pitch, src_slice_pitch),
            .size = {to->width, to->height ? to->height : 1, to->depth ? to->depth : 1},
            .dst_pitch = {dst_pitch, dst_slice_pitch},
            .src_pitch = {src_pitch, src_slice_pitch},
    };
    if (dst_pitch == src_pitch && dst_slice_pitch == src_slice_pitch
        && overlap((int64_t)((uintptr_t)box.dst - (uintptr_t)box.src), box.size, box.dst_pitch, 2))
        return ZE_RESULT_ERROR_OVERLAPPING_REGIONS;
    struct copy_region_command *copy;
    const struct dependencies dependencies = {signal, nwaits, waits};
    ze_result_t result = list_append(list, OP_COPY_REGION, sizeof *copy, &dependencies, &copy);
    if (result) return result;
    const struct command header = copy->command;
    *copy = box;
    copy->command = header;
    return list_submit(list);
}

ze_result_t ZE_APICALL zeCommandListAppendMemoryFill(ze_command_list_handle_t handle, void *dst,
                                                     const void *pattern, size_t pattern_size, size_t size,
                                                     ze_event_handle_t signal, uint32_t nwaits,
                                                     ze_event_handle_t *waits) {
    struct list *list = to_list(handle);
    if (!list) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!dst || !pattern) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (pattern_size == 0 || pattern_size > MAX_FILL_PATTERN || size % pattern_size)
        return explain(ZE_RESULT_ERROR_INVALID_SIZE, "the size is not a multiple of the pattern's size");
    struct fill_command *fill;
    const struct dependencies dependencies = {signal, nwaits, waits};
    ze_result_t result = list_append(list, OP_FILL, sizeof *fill + pattern_size, &dependencies, &fill);
    if (result) return result;
    fill->dst = dst;
    fill->size = size;
    fill->pattern_size = pattern_size;
    memcpy(fill->pattern, pattern, pattern_size);
    return list_submit(list);
}

ze_result_t ZE_APICALL NEW(zeCommandListAppendMemoryFillWithParameters)(
        ze_command_list_handle_t list, void *dst, const void *pattern, size_t pattern_size, size_t size,
        const void *extensions, ze_event_handle_t signal, uint32_t nwaits, ze_event_handle_t *waits) {
    if (extensions) return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    return zeCommandListAppendMemoryFill(list, dst, pattern, pattern_size, size, signal, nwaits, waits);
}

/* -- memory hints: accepted and ignored, since all memory is the host's -- */

ze_result_t ZE_APICALL zeCommandListAppendMemoryPrefetch(ze_command_list_handle_t list, const void *pointer,
                                                         size_t size) {
    (void)size;
    if (!to_list(list)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    return pointer ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_NULL_POINTER;
}

ze_result_t ZE_APICALL zeCommandListAppendMemAdvise(ze_command_list_handle_t list, ze_device_handle_t device,
                                                    const void *pointer, size_t size,
                                                    ze_memory_advice_t advice) {
    (void)size;
    if (!to_list(list) || !is_device(device)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!pointer) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    return (uint32_t)advice > 11 ? ZE_RESULT_ERROR_INVALID_ENUMERATION : ZE_RESULT_SUCCESS;
}

/* -- timestamps -- */

ze_result_t ZE_APICALL zeCommandListAppendWriteGlobalTimestamp(ze_command_list_handle_t handle, uint64_t *dst,
                                                               ze_event_handle_t signal, uint32_t nwaits,
                                                               ze_event_handle_t *waits) {
    struct list *list = to_list(handle);
    if (!list) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!dst) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    struct write_timestamp_command *write;
    const struct dependencies dependencies = {signal, nwaits, waits};
    ze_result_t result = list_append(list, OP_WRITE_TIMESTAMP, sizeof *write, &dependencies, &write);
    if (result) return result;
    write->dst = dst;
    return list_submit(list);
}

ze_result_t ZE_APICALL zeCommandListAppendQueryKernelTimestamps(ze_command_list_handle_t handle,
                                                                uint32_t count, ze_event_handle_t *events,
                                                                void *dst, const size_t *offsets,
                                                                ze_event_handle_t signal, uint32_t nwaits,
                                                                ze_event_handle_t *waits) {
    struct list *list = to_list(handle);
    if (!list) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!events || !dst) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    ze_result_t result = list_check_events(&(struct dependencies){.nwaits = count, .waits = events});
    if (result) return result;
    for (uint32_t i = 0; i < count; i++)
        if (!to_event(events[i])->timed)
            return explain(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the event's pool has no timestamps");
    struct query_timestamps_command *query;
    const struct dependencies dependencies = {signal, nwaits, waits};
    size_t size = sizeof *query + count * sizeof query->queries[0];
    result = list_append(list, OP_QUERY_TIMESTAMPS, size, &dependencies, &query);
    if (result) return result;
    query->dst = dst;
    query->count = count;
    for (uint32_t i = 0; i < count && !result; i++) {
        struct event *event = to_event(events[i]);
        query->queries[i] = (struct stamp_query){
                event, event->slot, offsets ? offsets[i] : i * sizeof(ze_kernel_timestamp_result_t)};
        result = list_need(list, query, event, NEED_OTHER);
    }
    if (!result) return list_submit(list);
    list_unappend(list, query);
    return result;
}

/* -- others -- */

ze_result_t ZE_APICALL NEW(zeCommandListAppendHostFunction)(ze_command_list_handle_t handle,
                                                            void (*function)(void *), void *data,
                                                            const void *extensions, ze_event_handle_t signal,
                                                            uint32_t nwaits, ze_event_handle_t *waits) {
    struct list *list = to_list(handle);
    if (!list) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!function) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (extensions) return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    struct host_function_command *call;
    const struct dependencies dependencies = {signal, nwaits, waits};
    ze_result_t result = list_append(list, OP_HOST_FUNCTION, sizeof *call, &dependencies, &call);
    if (result) return result;
    call->function = function;
    call->data = data;
    return list_submit(list);
}

static ze_result_t check_lists(const struct list *list, uint32_t count, ze_command_list_handle_t *lists) {
    for (uint32_t i = 0; i < count; i++) {
        if (!to_list(lists[i])) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
        ze_result_t result = list_check_run(to_list(lists[i]), list->queue.ordinal);
        if (result) return result;
    }
    return ZE_RESULT_SUCCESS;
}

/* An immediate list runs regular lists: a command that waits, the lists, a command that signals. */
ze_result_t ZE_APICALL NEW(zeCommandListImmediateAppendCommandListsExp)(
        ze_command_list_handle_t handle, uint32_t count, ze_command_list_handle_t *lists,
        ze_event_handle_t signal, uint32_t nwaits, ze_event_handle_t *waits) {
    struct list *list = to_list(handle);
    if (!list) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!list->immediate) return ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE;
    if (!lists) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    ze_result_t result = list_check_events(&(struct dependencies){signal, nwaits, waits});
    if (!result) result = check_lists(list, count, lists);
    if (!result && nwaits)
        result = append_nothing(handle, &(struct dependencies){.nwaits = nwaits, .waits = waits});
    if (result) return result;
    for (uint32_t i = 0; i < count; i++) {
        if (!list_write_run(to_list(lists[i]), list->stream)) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
        stream_publish(list->stream, 1);
        stream_start(list->stream);
    }
    return signal ? append_nothing(handle, &(struct dependencies){.signal = signal}) : ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL NEW(zeCommandListImmediateAppendCommandListsWithParameters)(
        ze_command_list_handle_t list, uint32_t count, ze_command_list_handle_t *lists,
        const void *extensions, ze_event_handle_t signal, uint32_t nwaits, ze_event_handle_t *waits) {
    if (extensions) return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    return NEW(zeCommandListImmediateAppendCommandListsExp)(list, count, lists, signal, nwaits, waits);
}
