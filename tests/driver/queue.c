/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Command queues and fences.
 */
#include "ze_test.h"

#include <pthread.h>

static ze_fence_handle_t make_fence(ze_command_queue_handle_t queue, ze_fence_flags_t flags) {
    const ze_fence_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_FENCE_DESC, .flags = flags};
    ze_fence_handle_t fence = NULL;
    assert_ok(zeFenceCreate(queue, &desc, &fence));
    return fence;
}

static void fences_are_signalled_after_lists(void **state) {
    (void)state;
    ze_command_queue_handle_t queue = make_queue(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_event_pool_handle_t pool = make_pool(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    ze_event_handle_t gate = make_event(pool, 0);
    ze_command_list_handle_t list = make_list();
    assert_ok(zeCommandListAppendBarrier(list, NULL, 1, &gate));
    assert_ok(zeCommandListClose(list));
    ze_fence_handle_t fence = make_fence(queue, 0), ready = make_fence(queue, ZE_FENCE_FLAG_SIGNALED);
    assert_ok(zeFenceQueryStatus(ready));
    for (int i = 0; i < 200; i++) {
        assert_ok(zeCommandQueueExecuteCommandLists(queue, 1, &list, fence));
        assert_int_equal(zeFenceQueryStatus(fence), ZE_RESULT_NOT_READY);
        assert_int_equal(zeCommandQueueSynchronize(queue, 0), ZE_RESULT_NOT_READY);
        if (i == 0) assert_int_equal(zeFenceHostSynchronize(fence, 1000000), ZE_RESULT_NOT_READY);
        assert_ok(zeEventHostSignal(gate));
        assert_ok(zeFenceHostSynchronize(fence, UINT64_MAX));
        assert_ok(zeFenceReset(fence));
        assert_int_equal(zeFenceQueryStatus(fence), ZE_RESULT_NOT_READY);
        assert_ok(zeEventHostReset(gate));
    }
    assert_ok(zeFenceDestroy(fence));
    assert_ok(zeFenceDestroy(ready));
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeCommandQueueDestroy(queue));
    assert_ok(zeEventDestroy(gate));
    assert_ok(zeEventPoolDestroy(pool));
}

static void errors_are_refused(void **state) {
    (void)state;
    ze_command_queue_handle_t queue = make_queue(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS),
                              other = make_queue(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    ze_command_list_handle_t list = make_list(),
                             immediate = make_immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    ze_fence_handle_t fence = make_fence(other, 0);
    assert_ok(zeCommandListClose(list));
    assert_int_equal(zeCommandQueueExecuteCommandLists(queue, 0, &list, NULL), ZE_RESULT_ERROR_INVALID_SIZE);
    assert_int_equal(zeCommandQueueExecuteCommandLists(queue, 1, NULL, NULL),
                     ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_int_equal(zeCommandQueueExecuteCommandLists(NULL, 1, &list, NULL),
                     ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    assert_int_equal(zeCommandQueueExecuteCommandLists(queue, 1, &immediate, NULL),
                     ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE);
    assert_int_equal(zeCommandQueueExecuteCommandLists(queue, 1, &list, fence),
                     ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT);
    assert_ok(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
    assert_ok(zeFenceDestroy(fence));
    if (!validated()) assert_int_equal(zeFenceQueryStatus(fence), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeCommandListDestroy(immediate));
    assert_ok(zeCommandQueueDestroy(queue));
    assert_ok(zeCommandQueueDestroy(other));
    ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC, .ordinal = 1};
    assert_int_equal(zeCommandQueueCreate(context, device, &desc, &queue), ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

static void priorities_are_accepted(void **state) {
    (void)state;
    ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                    .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    static const ze_command_queue_priority_t priorities[] = {ZE_COMMAND_QUEUE_PRIORITY_NORMAL,
                                                             ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_LOW,
                                                             ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH};
    for (int i = 0; i < 3; i++) {
        ze_command_queue_handle_t queue = NULL;
        ze_command_list_handle_t list = NULL;
        desc.priority = priorities[i];
        assert_ok(zeCommandQueueCreate(context, device, &desc, &queue));
        assert_ok(zeCommandListCreateImmediate(context, device, &desc, &list));
        assert_ok(zeCommandListAppendBarrier(list, NULL, 0, NULL));
        assert_ok(zeCommandListDestroy(list));
        assert_ok(zeCommandQueueDestroy(queue));
    }
    ze_command_queue_handle_t queue = NULL;
    desc.priority = (ze_command_queue_priority_t)9;
    assert_int_equal(zeCommandQueueCreate(context, device, &desc, &queue),
                     ZE_RESULT_ERROR_INVALID_ENUMERATION);
    assert_null(queue);
}

static ze_command_queue_handle_t shared_queue;

/* Each thread's lists run in the order it submitted them. */
static void *submit(void *argument) {
    enum { TIMES = 300 };
    uint32_t *memory = allocate_shared((TIMES + 1) * sizeof *memory);
    ze_command_list_handle_t lists[TIMES];
    void *failed = NULL;
    memory[0] = 77;
    for (int i = 0; i < TIMES; i++) {
        lists[i] = make_list();
        if (zeCommandListAppendMemoryCopy(lists[i], memory + i + 1, memory + i, 4, NULL, 0, NULL))
            failed = argument;
        if (zeCommandListClose(lists[i])) failed = argument;
        if (zeCommandQueueExecuteCommandLists(shared_queue, 1, &lists[i], NULL)) failed = argument;
    }
    if (zeCommandQueueSynchronize(shared_queue, UINT64_MAX)) failed = argument;
    if (memory[TIMES] != 77) failed = argument;
    for (int i = 0; i < TIMES; i++)
        if (zeCommandListDestroy(lists[i])) failed = argument;
    zeMemFree(context, memory);
    return failed;
}

static void threads_share_a_queue(void **state) {
    (void)state;
    for (int mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS; mode <= ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS; mode++) {
        shared_queue = make_queue((ze_command_queue_mode_t)mode);
        pthread_t threads[4];
        for (int i = 0; i < 4; i++)
            pthread_create(&threads[i], NULL, submit, &shared_queue);
        for (int i = 0; i < 4; i++) {
            void *failed = NULL;
            pthread_join(threads[i], &failed);
            assert_null(failed);
        }
        assert_ok(zeCommandQueueDestroy(shared_queue));
    }
}

static void queues_are_queried(void **state) {
    (void)state;
    ze_command_queue_handle_t queue = make_queue(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    uint32_t number = 9;
    ze_command_queue_mode_t mode = ZE_COMMAND_QUEUE_MODE_DEFAULT;
    assert_ok(CALL(zeCommandQueueGetOrdinal)(queue, &number));
    assert_int_equal(number, 0);
    assert_ok(CALL(zeCommandQueueGetMode)(queue, &mode));
    assert_int_equal(mode, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    assert_ok(zeCommandQueueDestroy(queue));
    const ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                          .index = 3,
                                          .flags = ZE_COMMAND_QUEUE_FLAG_EXPLICIT_ONLY,
                                          .priority = ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH};
    ze_command_queue_flags_t flags = 0;
    ze_command_queue_priority_t priority = ZE_COMMAND_QUEUE_PRIORITY_NORMAL;
    assert_ok(zeCommandQueueCreate(context, device, &desc, &queue));
    assert_ok(CALL(zeCommandQueueGetIndex)(queue, &number));
    assert_int_equal(number, 3);
    assert_ok(CALL(zeCommandQueueGetFlags)(queue, &flags));
    assert_int_equal(flags, ZE_COMMAND_QUEUE_FLAG_EXPLICIT_ONLY);
    assert_ok(CALL(zeCommandQueueGetPriority)(queue, &priority));
    assert_int_equal(priority, ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH);
    assert_int_equal(CALL(zeCommandQueueGetPriority)(queue, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_ok(zeCommandQueueDestroy(queue));
    ze_command_list_handle_t list = NULL;
    assert_ok(zeCommandListCreateImmediate(context, device, &desc, &list));
    assert_ok(CALL(zeCommandListImmediateGetIndex)(list, &number));
    assert_int_equal(number, 3);
    assert_ok(CALL(zeCommandListImmediateGetFlags)(list, &flags));
    assert_int_equal(flags, ZE_COMMAND_QUEUE_FLAG_EXPLICIT_ONLY);
    assert_ok(CALL(zeCommandListImmediateGetPriority)(list, &priority));
    assert_int_equal(priority, ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH);
    assert_ok(zeCommandListDestroy(list));
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(fences_are_signalled_after_lists),
            cmocka_unit_test(errors_are_refused),
            cmocka_unit_test(priorities_are_accepted),
            cmocka_unit_test(threads_share_a_queue),
            cmocka_unit_test(queues_are_queried),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
