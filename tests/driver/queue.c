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
    ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC, .ordinal = 2};
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

/* -- the effect of priorities -- */

static ze_command_list_handle_t make_list_of_priority(ze_command_queue_priority_t priority) {
    const ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                          .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS,
                                          .priority = priority};
    ze_command_list_handle_t list = NULL;
    assert_ok(zeCommandListCreateImmediate(context, device, &desc, &list));
    return list;
}

static uint64_t start_of(ze_event_handle_t event) {
    ze_kernel_timestamp_result_t stamps;
    assert_ok(zeEventQueryKernelTimestamp(event, &stamps));
    return stamps.global.kernelStart;
}

/* A command that the driver let wait for higher ones for so long may start before them: on an overloaded
 * machine, their threads get no CPU. */
enum { PATIENCE_NS = 10000000 };

static bool check_order(ze_event_handle_t higher, ze_event_handle_t lower, uint64_t opened) {
    if (start_of(lower) >= opened + PATIENCE_NS) return false;
    assert_true(start_of(higher) <= start_of(lower));
    return true;
}

/* Commands of three priorities become ready at the same moment, or are given to idle lists at almost the same
 * moment, the lowest first. */
static void high_priorities_start_first(void **state) {
    (void)state;
    enum { LISTS = 3, ROUNDS = 200 };
    static const ze_command_queue_priority_t priorities[LISTS] = {ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_LOW,
                                                                  ZE_COMMAND_QUEUE_PRIORITY_NORMAL,
                                                                  ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH};
    ze_event_pool_handle_t pool =
            make_pool(1 + LISTS, ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP);
    ze_event_handle_t gate = make_event(pool, LISTS), done[LISTS];
    ze_command_list_handle_t lists[LISTS], recorded = make_list();
    for (uint32_t i = 0; i < LISTS; i++) {
        lists[i] = make_list_of_priority(priorities[i]);
        done[i] = make_event(pool, i);
    }
    assert_ok(zeCommandListAppendBarrier(recorded, done[2], 1, &gate));
    assert_ok(zeCommandListClose(recorded));
    int checked = 0;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < LISTS - round % 2; i++)
            assert_ok(zeCommandListAppendBarrier(lists[i], done[i], 1, &gate));
        if (round % 2) /* the highest is inside a recorded list */
            assert_ok(
                    CALL(zeCommandListImmediateAppendCommandListsExp)(lists[2], 1, &recorded, NULL, 0, NULL));
        if (round % 4 < 2) usleep(200); /* so that all wait for the gate */
        uint64_t host = 0, opened = 0;
        assert_ok(zeDeviceGetGlobalTimestamps(device, &host, &opened));
        assert_ok(zeEventHostSignal(gate));
        for (int i = 0; i < LISTS; i++)
            assert_ok(zeEventHostSynchronize(done[i], UINT64_MAX));
        checked += check_order(done[2], done[1], opened) + check_order(done[1], done[0], opened);
        for (int i = 0; i < LISTS; i++)
            assert_ok(zeEventHostReset(done[i]));
        assert_ok(zeEventHostReset(gate));
    }
    assert_true(checked > 0);
    for (int i = 0; i < LISTS; i++) {
        assert_ok(zeCommandListDestroy(lists[i]));
        assert_ok(zeEventDestroy(done[i]));
    }
    assert_ok(zeCommandListDestroy(recorded));
    assert_ok(zeEventDestroy(gate));
    assert_ok(zeEventPoolDestroy(pool));
}

/* A command of high priority that waits for one of low priority does not hold it up. */
static void low_priorities_make_progress(void **state) {
    (void)state;
    ze_command_list_handle_t high = make_list_of_priority(ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH),
                             low = make_list_of_priority(ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_LOW);
    ze_event_pool_handle_t pool = make_pool(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    ze_event_handle_t event = make_event(pool, 0);
    for (int i = 0; i < 200; i++) {
        assert_ok(zeCommandListAppendBarrier(high, NULL, 1, &event));
        assert_ok(zeCommandListAppendBarrier(high, NULL, 0, NULL));
        assert_ok(zeCommandListAppendBarrier(low, NULL, 0, NULL));
        assert_ok(zeCommandListAppendBarrier(low, event, 0, NULL));
        assert_ok(CALL(zeCommandListHostSynchronize)(high, UINT64_MAX));
        assert_ok(zeEventHostReset(event));
    }
    assert_ok(zeCommandListDestroy(high));
    assert_ok(zeCommandListDestroy(low));
    assert_ok(zeEventDestroy(event));
    assert_ok(zeEventPoolDestroy(pool));
}

/* -- the group of queues for copies -- */

static void empty_group(const struct native_group *group, void *const *args) {
    (void)group, (void)args;
}
static const struct native_kernel kernels[] = {{.name = "empty", .run_group = empty_group}};
static const struct native_module table = {NATIVE_MAGIC, NATIVE_VERSION, 1, kernels};

static void copies_have_queues_of_their_own(void **state) {
    (void)state;
    const ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                          .ordinal = 1,
                                          .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    const ze_command_list_desc_t list_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC,
                                              .commandQueueGroupOrdinal = 1};
    const ze_group_count_t one = {1, 1, 1};
    ze_command_queue_handle_t queue = NULL, compute = make_queue(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    ze_command_list_handle_t lists[2] = {NULL, NULL}, other = make_list();
    assert_ok(zeCommandQueueCreate(context, device, &desc, &queue));
    assert_ok(zeCommandListCreateImmediate(context, device, &desc, &lists[0]));
    assert_ok(zeCommandListCreate(context, device, &list_desc, &lists[1]));
    ze_module_handle_t module = make_module(&table);
    ze_kernel_handle_t kernel = make_kernel(module, "empty");
    char *memory = allocate_shared(100);
    uint32_t ordinal = 0;
    for (int i = 0; i < 2; i++) {
        assert_ok(CALL(zeCommandListGetOrdinal)(lists[i], &ordinal));
        assert_int_equal(ordinal, 1);
        assert_ok(zeCommandListAppendMemoryFill(lists[i], memory, "a", 1, 50, NULL, 0, NULL));
        assert_ok(zeCommandListAppendMemoryCopy(lists[i], memory + 50, memory, 50, NULL, 0, NULL));
        assert_ok(zeCommandListAppendBarrier(lists[i], NULL, 0, NULL));
        assert_int_equal(zeCommandListAppendLaunchKernel(lists[i], kernel, &one, NULL, 0, NULL),
                         ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE);
    }
    assert_int_equal(memory[99], 'a');
    assert_ok(CALL(zeCommandQueueGetOrdinal)(queue, &ordinal));
    assert_int_equal(ordinal, 1);
    assert_ok(zeCommandListClose(lists[1]));
    assert_ok(zeCommandListClose(other));
    memset(memory, 0, 100);
    assert_ok(zeCommandQueueExecuteCommandLists(queue, 1, &lists[1], NULL));
    assert_int_equal(memory[99], 'a');
    assert_ok(zeCommandQueueExecuteCommandLists(compute, 1, &lists[1], NULL));
    assert_int_equal(zeCommandQueueExecuteCommandLists(queue, 1, &other, NULL),
                     ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE);
    assert_ok(zeKernelDestroy(kernel));
    assert_ok(zeModuleDestroy(module));
    assert_ok(zeMemFree(context, memory));
    for (int i = 0; i < 2; i++)
        assert_ok(zeCommandListDestroy(lists[i]));
    assert_ok(zeCommandListDestroy(other));
    assert_ok(zeCommandQueueDestroy(queue));
    assert_ok(zeCommandQueueDestroy(compute));
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
            cmocka_unit_test(high_priorities_start_first),
            cmocka_unit_test(low_priorities_make_progress),
            cmocka_unit_test(copies_have_queues_of_their_own),
            cmocka_unit_test(threads_share_a_queue),
            cmocka_unit_test(queues_are_queried),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
