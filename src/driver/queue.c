/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entry points of queues and fences.
 */
#include "driver/queue.h"
#include "driver/list.h"

static struct queue *to_queue(ze_command_queue_handle_t handle) {
    return object_is(handle, OBJECT_QUEUE) ? (struct queue *)handle : NULL;
}

static struct fence *to_fence(ze_fence_handle_t handle) {
    return object_is(handle, OBJECT_FENCE) ? (struct fence *)handle : NULL;
}

static void queue_dispose(void *pointer) {
    struct queue *queue = pointer;
    stream_delete(queue->stream);
    pthread_mutex_destroy(&queue->lock);
    object_delete(queue);
}

ze_result_t ZE_APICALL zeCommandQueueCreate(ze_context_handle_t context, ze_device_handle_t device,
                                            const ze_command_queue_desc_t *desc,
                                            ze_command_queue_handle_t *made) {
    if (!to_context(context) || !is_device(device)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    ze_result_t result = check_queue_desc(desc);
    if (result) return result;
    if (!made) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    struct stream *stream = stream_new(desc);
    struct queue *queue = stream ? object_new(OBJECT_QUEUE, sizeof *queue, queue_dispose) : NULL;
    if (!queue) {
        if (stream) stream_delete(stream);
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    queue->desc = *desc;
    queue->stream = stream;
    pthread_mutex_init(&queue->lock, NULL);
    *made = (ze_command_queue_handle_t)queue;
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeCommandQueueDestroy(ze_command_queue_handle_t handle) {
    struct queue *queue = to_queue(handle);
    if (!queue) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    stream_wait(queue->stream, FOREVER);
    object_close(queue);
    return ZE_RESULT_SUCCESS;
}

static ze_result_t check_lists(const struct queue *queue, uint32_t count, ze_command_list_handle_t *lists) {
    for (uint32_t i = 0; i < count; i++) {
        struct list *list = to_list(lists[i]);
        if (!list) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
        ze_result_t result = list_check_run(list, queue->desc.ordinal);
        if (result) return result;
    }
    return ZE_RESULT_SUCCESS;
}

static bool write_fence(struct queue *queue, struct fence *fence) {
    struct signal_fence_command *command = tape_write(&queue->stream->tape, sizeof *command);
    if (!command) return false;
    command->command = (struct command){.record = command->command.record, .operation = OP_SIGNAL_FENCE};
    command->word = &fence->word;
    return true;
}

/* Caller holds the queue's lock. After a failure, what was already written still runs. */
static ze_result_t write_all(struct queue *queue, uint32_t count, ze_command_list_handle_t *lists,
                             struct fence *fence, uint64_t *written) {
    for (; *written < count; ++*written)
        if (!list_write_run(to_list(lists[*written]), queue->stream))
            return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    if (!fence) return ZE_RESULT_SUCCESS;
    if (!write_fence(queue, fence)) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    ++*written;
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeCommandQueueExecuteCommandLists(ze_command_queue_handle_t handle, uint32_t count,
                                                         ze_command_list_handle_t *lists,
                                                         ze_fence_handle_t fence) {
    struct queue *queue = to_queue(handle);
    if (!queue) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!lists) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (count == 0) return ZE_RESULT_ERROR_INVALID_SIZE;
    if (fence && (!to_fence(fence) || to_fence(fence)->queue != queue))
        return explain(ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT, "the fence belongs to another queue");
    ze_result_t result = check_lists(queue, count, lists);
    if (result) return result;
    uint64_t written = 0;
    pthread_mutex_lock(&queue->lock);
    result = write_all(queue, count, lists, to_fence(fence), &written);
    stream_publish(queue->stream, written);
    pthread_mutex_unlock(&queue->lock);
    stream_start(queue->stream);
    return result;
}

ze_result_t ZE_APICALL zeCommandQueueSynchronize(ze_command_queue_handle_t handle, uint64_t timeout) {
    struct queue *queue = to_queue(handle);
    if (!queue) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    return stream_wait(queue->stream, timeout) ? device_status() : ZE_RESULT_NOT_READY;
}

static ze_result_t check(ze_command_queue_handle_t queue, const void *answer) {
    if (!to_queue(queue)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    return answer ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_NULL_POINTER;
}

ze_result_t ZE_APICALL NEW(zeCommandQueueGetOrdinal)(ze_command_queue_handle_t queue, uint32_t *ordinal) {
    ze_result_t result = check(queue, ordinal);
    if (!result) *ordinal = to_queue(queue)->desc.ordinal;
    return result;
}

ze_result_t ZE_APICALL NEW(zeCommandQueueGetIndex)(ze_command_queue_handle_t queue, uint32_t *index) {
    ze_result_t result = check(queue, index);
    if (!result) *index = to_queue(queue)->desc.index;
    return result;
}

ze_result_t ZE_APICALL NEW(zeCommandQueueGetFlags)(ze_command_queue_handle_t queue,
                                                   ze_command_queue_flags_t *flags) {
    ze_result_t result = check(queue, flags);
    if (!result) *flags = to_queue(queue)->desc.flags;
    return result;
}

ze_result_t ZE_APICALL NEW(zeCommandQueueGetMode)(ze_command_queue_handle_t queue,
                                                  ze_command_queue_mode_t *mode) {
    ze_result_t result = check(queue, mode);
    if (!result) *mode = to_queue(queue)->desc.mode;
    return result;
}

ze_result_t ZE_APICALL NEW(zeCommandQueueGetPriority)(ze_command_queue_handle_t queue,
                                                      ze_command_queue_priority_t *priority) {
    ze_result_t result = check(queue, priority);
    if (!result) *priority = to_queue(queue)->desc.priority;
    return result;
}

static void fence_dispose(void *pointer) {
    struct fence *fence = pointer;
    object_release(fence->queue);
    object_delete(fence);
}

ze_result_t ZE_APICALL zeFenceCreate(ze_command_queue_handle_t handle, const ze_fence_desc_t *desc,
                                     ze_fence_handle_t *made) {
    struct queue *queue = to_queue(handle);
    if (!queue) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!desc || !made) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (desc->flags & ~(uint32_t)ZE_FENCE_FLAG_SIGNALED) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    struct fence *fence = object_new(OBJECT_FENCE, sizeof *fence, fence_dispose);
    if (!fence) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    fence->queue = queue;
    atomic_store(&fence->word, desc->flags & ZE_FENCE_FLAG_SIGNALED ? WORD_SET : 0);
    object_hold(queue);
    *made = (ze_fence_handle_t)fence;
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeFenceDestroy(ze_fence_handle_t handle) {
    struct fence *fence = to_fence(handle);
    if (!fence) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    object_close(fence);
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeFenceHostSynchronize(ze_fence_handle_t handle, uint64_t timeout) {
    struct fence *fence = to_fence(handle);
    if (!fence) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    const struct wait wait = {.word = &fence->word};
    if (timeout == FOREVER && !word_is_set(&fence->word)) stream_help(fence->queue->stream, &wait);
    return wait_for(&wait, timeout) ? ZE_RESULT_SUCCESS : ZE_RESULT_NOT_READY;
}

ze_result_t ZE_APICALL zeFenceQueryStatus(ze_fence_handle_t handle) {
    return zeFenceHostSynchronize(handle, 0);
}

ze_result_t ZE_APICALL zeFenceReset(ze_fence_handle_t handle) {
    struct fence *fence = to_fence(handle);
    if (!fence) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    word_clear(&fence->word);
    return ZE_RESULT_SUCCESS;
}
