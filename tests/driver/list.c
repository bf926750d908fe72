/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Command lists: errors, closing, repeated execution, order, threads and processes.
 */
#include "subjects.h"

#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>

static void destroyed_events_are_refused(void **state) {
    (void)state;
    ze_event_pool_handle_t pool = make_pool(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    ze_event_handle_t event = make_event(pool, 0);
    assert_ok(zeEventDestroy(event));
    char memory[8] = "1234567";
    for (int s = 0; s < SUBJECTS; s++) {
        assert_int_equal(zeCommandListAppendMemoryCopy(subjects[s].list, memory, "x", 1, event, 0, NULL),
                         ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT);
        assert_int_equal(zeCommandListAppendBarrier(subjects[s].list, NULL, 1, &event),
                         ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT);
        assert_int_not_equal(zeCommandListAppendSignalEvent(subjects[s].list, event), ZE_RESULT_SUCCESS);
        assert_int_not_equal(zeCommandListAppendEventReset(subjects[s].list, event), ZE_RESULT_SUCCESS);
        finish(&subjects[s]);
    }
    assert_string_equal(memory, "1234567");
    assert_ok(zeEventPoolDestroy(pool));
}

/* A program must not destroy an event that a command in flight will signal. If it does, even with its pool,
 * nothing crashes. */
static void events_may_be_destroyed_in_flight(void **state) {
    (void)state;
    ze_event_pool_handle_t gates = make_pool(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    ze_event_handle_t gate = make_event(gates, 0);
    for (int i = 0; i < 50; i++) {
        const ze_event_pool_flags_t shared = i % 2 ? ZE_EVENT_POOL_FLAG_IPC : 0;
        ze_event_pool_handle_t pool =
                make_pool(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP | shared);
        ze_event_handle_t event = make_event(pool, 0);
        ze_command_list_handle_t list = make_immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
        ze_kernel_timestamp_result_t stamps;
        assert_ok(zeCommandListAppendBarrier(list, event, 1, &gate));
        assert_ok(zeCommandListAppendQueryKernelTimestamps(list, 1, &event, &stamps, NULL, NULL, 0, NULL));
        assert_ok(zeCommandListAppendEventReset(list, event));
        assert_ok(zeEventDestroy(event));
        assert_ok(zeEventPoolDestroy(pool));
        assert_ok(zeEventHostSignal(gate));
        assert_ok(CALL(zeCommandListHostSynchronize)(list, UINT64_MAX));
        assert_ok(zeCommandListDestroy(list));
        assert_ok(zeEventHostReset(gate));
    }
    assert_ok(zeEventDestroy(gate));
    assert_ok(zeEventPoolDestroy(gates));
}

static void copies_cross_contexts(void **state) {
    (void)state;
    const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_context_handle_t own = context, other = NULL;
    assert_ok(zeContextCreate(driver, &desc, &other));
    context = other;
    char *theirs = allocate_shared(100);
    context = own;
    char *ours = allocate_shared(100);
    for (int s = 0; s < SUBJECTS; s++) {
        snprintf(theirs, 100, "from another context to subject %d", s);
        assert_ok(zeCommandListAppendMemoryCopyFromContext(subjects[s].list, ours, other, theirs, 100, NULL,
                                                           0, NULL));
        finish(&subjects[s]);
        assert_string_equal(ours, theirs);
        assert_int_equal(zeCommandListAppendMemoryCopyFromContext(subjects[s].list, ours, NULL, theirs, 100,
                                                                  NULL, 0, NULL),
                         ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    }
    assert_ok(zeMemFree(context, ours));
    assert_ok(zeMemFree(other, theirs));
    assert_ok(zeContextDestroy(other));
}

static void descriptors_are_checked(void **state) {
    (void)state;
    ze_command_list_handle_t list = NULL;
    ze_command_list_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC,
                                   .commandQueueGroupOrdinal = 2};
    assert_int_equal(zeCommandListCreate(context, device, &desc, &list), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    desc = (ze_command_list_desc_t){.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC, .flags = 0x10000};
    assert_int_equal(zeCommandListCreate(context, device, &desc, &list), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    ze_command_queue_desc_t queue = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC, .index = 1000};
    assert_int_equal(zeCommandListCreateImmediate(context, device, &queue, &list),
                     ZE_RESULT_ERROR_INVALID_ARGUMENT);
    queue = (ze_command_queue_desc_t){.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                      .mode = (ze_command_queue_mode_t)9};
    assert_int_equal(zeCommandListCreateImmediate(context, device, &queue, &list),
                     ZE_RESULT_ERROR_INVALID_ENUMERATION);
    assert_int_equal(zeCommandListCreateImmediate(context, device, NULL, &list),
                     ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_null(list);
}

/* -- regular lists -- */

static void closed_lists_refuse_commands(void **state) {
    (void)state;
    ze_command_list_handle_t list = make_list();
    ze_command_queue_handle_t queue = make_queue(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    char memory[2] = "";
    assert_int_equal(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL),
                     ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_ok(zeCommandListAppendMemoryCopy(list, memory, "x", 1, NULL, 0, NULL));
    assert_ok(zeCommandListClose(list));
    assert_int_equal(zeCommandListAppendMemoryCopy(list, memory, "y", 1, NULL, 0, NULL),
                     ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_ok(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
    assert_ok(zeCommandQueueSynchronize(queue, UINT64_MAX));
    assert_string_equal(memory, "x");
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeCommandQueueDestroy(queue));
}

static void lists_run_repeatedly(void **state) {
    (void)state;
    enum { TIMES = 200 };
    ze_command_list_handle_t list = make_list();
    ze_command_queue_handle_t queue = make_queue(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    unsigned char *memory = allocate_shared(TIMES + 1);
    memory[0] = 1;
    assert_ok(zeCommandListAppendMemoryCopy(list, memory + 1, memory, TIMES, NULL, 0, NULL));
    assert_ok(zeCommandListClose(list));
    for (int i = 0; i < TIMES; i++)
        assert_ok(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
    assert_ok(zeCommandQueueSynchronize(queue, UINT64_MAX));
    for (int i = 0; i <= TIMES; i++)
        assert_int_equal(memory[i], 1); /* each run moved it by one */
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeCommandQueueDestroy(queue));
    assert_ok(zeMemFree(context, memory));
}

static void running_lists_are_not_reset(void **state) {
    (void)state;
    ze_event_pool_handle_t pool = make_pool(2, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    ze_event_handle_t gate = make_event(pool, 0), done = make_event(pool, 1);
    ze_command_queue_handle_t queue = make_queue(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    for (int i = 0; i < 300; i++) {
        ze_command_list_handle_t list = make_list();
        assert_ok(zeCommandListAppendBarrier(list, NULL, 1, &gate));
        assert_ok(zeCommandListAppendBarrier(list, done, 0, NULL));
        assert_ok(zeCommandListClose(list));
        assert_ok(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
        assert_int_equal(zeCommandListReset(list), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
        assert_ok(zeEventHostSignal(gate));
        assert_ok(zeEventHostSynchronize(done, UINT64_MAX));
        assert_ok(zeCommandListDestroy(list)); /* allowed: the last event is signalled */
        assert_ok(zeEventHostReset(gate));
        assert_ok(zeEventHostReset(done));
    }
    assert_ok(zeCommandQueueDestroy(queue));
    assert_ok(zeEventDestroy(gate));
    assert_ok(zeEventDestroy(done));
    assert_ok(zeEventPoolDestroy(pool));
}

/* More commands than a chunk of the tape holds, and a command with more waits than fit in one. */
static void lists_grow(void **state) {
    (void)state;
    enum { COMMANDS = 5000, WAITS = 4000 };
    ze_event_pool_handle_t pool = make_pool(WAITS, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    static ze_event_handle_t events[WAITS];
    for (uint32_t i = 0; i < WAITS; i++)
        events[i] = make_event(pool, i);
    for (int s = 0; s < SUBJECTS; s++) {
        uint32_t *memory = allocate_shared(COMMANDS * sizeof *memory);
        for (uint32_t i = 0; i < COMMANDS; i++)
            assert_ok(zeCommandListAppendMemoryFill(subjects[s].list, memory + i, &i, 4, 4,
                                                    i < WAITS ? events[i] : NULL, 0, NULL));
        assert_ok(zeCommandListAppendBarrier(subjects[s].list, NULL, WAITS, events));
        finish(&subjects[s]);
        for (uint32_t i = 0; i < COMMANDS; i++)
            assert_int_equal(memory[i], i);
        for (uint32_t i = 0; i < WAITS; i++) {
            assert_ok(zeEventQueryStatus(events[i]));
            assert_ok(zeEventHostReset(events[i]));
        }
        assert_ok(zeMemFree(context, memory));
    }
    for (uint32_t i = 0; i < WAITS; i++)
        assert_ok(zeEventDestroy(events[i]));
    assert_ok(zeEventPoolDestroy(pool));
}

/* -- immediate lists -- */

/* Appending never blocks, even if the list does. */
static void appending_never_blocks(void **state) {
    (void)state;
    enum { COMMANDS = 20000 };
    ze_event_pool_handle_t pool = make_pool(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    ze_event_handle_t gate = make_event(pool, 0);
    ze_command_list_handle_t list = make_immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    uint32_t *memory = allocate_shared(COMMANDS * sizeof *memory);
    assert_ok(zeCommandListAppendWaitOnEvents(list, 1, &gate));
    for (uint32_t i = 0; i < COMMANDS; i++)
        assert_ok(zeCommandListAppendMemoryFill(list, memory + i, &i, 4, 4, NULL, 0, NULL));
    assert_int_equal(CALL(zeCommandListHostSynchronize)(list, 0), ZE_RESULT_NOT_READY);
    assert_int_equal(CALL(zeCommandListHostSynchronize)(list, 1000000), ZE_RESULT_NOT_READY);
    assert_int_equal(memory[COMMANDS - 1], 0);
    assert_ok(zeEventHostSignal(gate));
    assert_ok(CALL(zeCommandListHostSynchronize)(list, UINT64_MAX));
    for (uint32_t i = 0; i < COMMANDS; i++)
        assert_int_equal(memory[i], i);
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeEventDestroy(gate));
    assert_ok(zeEventPoolDestroy(pool));
    assert_ok(zeMemFree(context, memory));
}

/* Many lists, each waiting for the next: none blocks another. */
static void lists_wait_for_each_other(void **state) {
    (void)state;
    enum { LISTS = 24 };
    ze_event_pool_handle_t pool = make_pool(LISTS + 1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    ze_command_list_handle_t lists[LISTS];
    ze_event_handle_t events[LISTS + 1];
    for (uint32_t i = 0; i <= LISTS; i++)
        events[i] = make_event(pool, i);
    for (int i = 0; i < LISTS; i++) {
        lists[i] = make_immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
        assert_ok(zeCommandListAppendBarrier(lists[i], events[i], 1, &events[i + 1]));
    }
    assert_int_equal(zeEventHostSynchronize(events[0], 1000000), ZE_RESULT_NOT_READY);
    assert_ok(zeEventHostSignal(events[LISTS]));
    assert_ok(zeEventHostSynchronize(events[0], UINT64_MAX));
    for (int i = 0; i < LISTS; i++)
        assert_ok(zeCommandListDestroy(lists[i]));
    for (int i = 0; i <= LISTS; i++)
        assert_ok(zeEventDestroy(events[i]));
    assert_ok(zeEventPoolDestroy(pool));
}

static void *open_gate(void *gate) {
    usleep(2000);
    return zeEventHostSignal(gate) ? gate : NULL;
}

/* Waiting for an event that two lists signal ends with the first signal, whichever was appended last. */
static void the_first_signal_ends_the_wait(void **state) {
    (void)state;
    ze_event_pool_handle_t pool = make_pool(3, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    ze_event_handle_t done = make_event(pool, 0);
    ze_event_handle_t first = make_event(pool, 1), second = make_event(pool, 2);
    ze_command_list_handle_t lists[2] = {make_immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS),
                                         make_immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS)};
    pthread_t thread;
    void *failed = NULL;
    assert_int_equal(pthread_create(&thread, NULL, open_gate, first), 0);
    assert_ok(zeCommandListAppendBarrier(lists[0], done, 1, &first));
    assert_ok(zeCommandListAppendBarrier(lists[1], done, 1, &second));
    assert_ok(zeEventHostSynchronize(done, UINT64_C(60000000000))); /* the second gate is still closed */
    pthread_join(thread, &failed);
    assert_null(failed);
    assert_ok(zeEventHostSignal(second));
    for (int i = 0; i < 2; i++)
        assert_ok(CALL(zeCommandListHostSynchronize)(lists[i], UINT64_MAX));
    for (int i = 0; i < 2; i++)
        assert_ok(zeCommandListDestroy(lists[i]));
    assert_ok(zeEventDestroy(done));
    assert_ok(zeEventDestroy(first));
    assert_ok(zeEventDestroy(second));
    assert_ok(zeEventPoolDestroy(pool));
}

/* A thread that waits for the last of many commands sleeps until it is done: those before it do not wake it.
 */
static void waiters_sleep_until_the_end(void **state) {
    (void)state;
    enum { COMMANDS = 100, SIZE = 1 << 22 };
    ze_event_pool_handle_t pool = make_pool(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    ze_event_handle_t gate = make_event(pool, 0);
    ze_command_list_handle_t list = make_immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    char *memory = allocate_shared(SIZE);
    struct rusage before, after;
    pthread_t thread;
    void *failed = NULL;
    assert_ok(zeCommandListAppendWaitOnEvents(list, 1, &gate));
    for (int i = 0; i < COMMANDS; i++)
        assert_ok(zeCommandListAppendMemoryFill(list, memory, &(char){(char)i}, 1, SIZE, NULL, 0, NULL));
    assert_int_equal(CALL(zeCommandListHostSynchronize)(list, 1000000), ZE_RESULT_NOT_READY); /* it runs */
    assert_int_equal(pthread_create(&thread, NULL, open_gate, gate), 0);
    assert_int_equal(getrusage(RUSAGE_THREAD, &before), 0);
    assert_ok(CALL(zeCommandListHostSynchronize)(list, UINT64_MAX));
    assert_int_equal(getrusage(RUSAGE_THREAD, &after), 0);
    assert_true(after.ru_nvcsw - before.ru_nvcsw < COMMANDS / 4);
    pthread_join(thread, &failed);
    assert_null(failed);
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeEventDestroy(gate));
    assert_ok(zeEventPoolDestroy(pool));
    assert_ok(zeMemFree(context, memory));
}

/* Fills memory on a list, many times and asynchronously. Returns whether the last fill is visible. */
static int last_fill_is_visible(ze_command_list_handle_t list) {
    enum { SIZE = 1 << 20 };
    static char memory[SIZE];
    for (int i = 0; i < 20; i++)
        if (zeCommandListAppendMemoryFill(list, memory, &"abcdefghijklmnopqrst"[i], 1, SIZE, NULL, 0, NULL))
            return 1;
    if (CALL(zeCommandListHostSynchronize)(list, 20000000000)) return 2;
    return memory[SIZE - 1] == 't' ? 0 : 3;
}

/* A forked child has its parent's lists and its own threads; work in flight belongs to the parent. */
static void forked_children_have_idle_lists(void **state) {
    (void)state;
    if (tracer) skip(); /* its threads do not survive fork */
    ze_event_pool_handle_t pool = make_pool(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    ze_event_handle_t gate = make_event(pool, 0);
    ze_command_list_handle_t list = make_immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS),
                             blocked = make_immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    char memory[3] = "..";
    for (int i = 0; i < 6; i++) {
        assert_ok(zeCommandListAppendMemoryCopy(blocked, memory, "a", 1, NULL, 1, &gate));
        assert_ok(zeCommandListAppendMemoryCopy(blocked, memory + 1, memory, 1, NULL, 0, NULL));
        assert_int_equal(last_fill_is_visible(list), 0);
        if (i % 2) usleep(2000); /* let the workers go to sleep */
        pid_t child = fork();
        if (child == 0) _exit(last_fill_is_visible(list) || last_fill_is_visible(blocked));
        int status = -1;
        waitpid(child, &status, 0);
        assert_int_equal(status, 0);
        assert_string_equal(memory, "..");
        assert_ok(zeEventHostSignal(gate));
        assert_ok(CALL(zeCommandListHostSynchronize)(blocked, UINT64_MAX));
        assert_string_equal(memory, "aa");
        assert_ok(zeEventHostReset(gate));
        memory[0] = memory[1] = '.';
    }
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeCommandListDestroy(blocked));
    assert_ok(zeEventDestroy(gate));
    assert_ok(zeEventPoolDestroy(pool));
}

static void *ping_pong(void *argument) {
    ze_event_handle_t *events = argument;
    ze_command_list_handle_t list = make_immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    for (int i = 0; i < 500; i++) {
        if (zeEventHostSynchronize(events[0], UINT64_MAX) || zeEventHostReset(events[0])) return argument;
        if (zeCommandListAppendSignalEvent(list, events[1])) return argument;
    }
    return zeCommandListDestroy(list) ? argument : NULL;
}

static void threads_play_ping_pong(void **state) {
    (void)state;
    ze_event_pool_handle_t pool = make_pool(2, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    ze_event_handle_t events[2] = {make_event(pool, 0), make_event(pool, 1)};
    ze_command_list_handle_t list = make_immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    pthread_t thread;
    pthread_create(&thread, NULL, ping_pong, events);
    for (int i = 0; i < 500; i++) {
        assert_ok(zeCommandListAppendSignalEvent(list, events[0]));
        assert_ok(zeEventHostSynchronize(events[1], UINT64_MAX));
        assert_ok(zeEventHostReset(events[1]));
    }
    void *failed = NULL;
    pthread_join(thread, &failed);
    assert_null(failed);
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeEventDestroy(events[0]));
    assert_ok(zeEventDestroy(events[1]));
    assert_ok(zeEventPoolDestroy(pool));
}

static void immediate_lists_run_regular_lists(void **state) {
    (void)state;
    ze_command_list_handle_t list = make_immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS),
                             parts[2] = {make_list(), make_list()};
    ze_event_pool_handle_t pool = make_pool(2, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    ze_event_handle_t gate = make_event(pool, 0), done = make_event(pool, 1);
    char memory[3] = "..";
    assert_ok(zeCommandListAppendMemoryCopy(parts[0], memory, "a", 1, NULL, 0, NULL));
    assert_ok(zeCommandListAppendMemoryCopy(parts[1], memory + 1, memory, 1, NULL, 0, NULL));
    assert_ok(zeCommandListClose(parts[0]));
    assert_ok(zeCommandListClose(parts[1]));
    assert_ok(CALL(zeCommandListImmediateAppendCommandListsExp)(list, 2, parts, done, 1, &gate));
    assert_int_equal(zeEventHostSynchronize(done, 100000), ZE_RESULT_NOT_READY);
    assert_ok(zeEventHostSignal(gate));
    assert_ok(zeEventHostSynchronize(done, UINT64_MAX));
    assert_string_equal(memory, "aa");
    assert_int_equal(CALL(zeCommandListImmediateAppendCommandListsExp)(list, 1, &list, NULL, 0, NULL),
                     ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE);
    /* After an error nothing runs. */
    ze_event_handle_t nonsense = (ze_event_handle_t)context;
    memory[0] = memory[1] = '.';
    assert_int_equal(CALL(zeCommandListImmediateAppendCommandListsExp)(list, 2, parts, nonsense, 0, NULL),
                     ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT);
    assert_int_equal(CALL(zeCommandListImmediateAppendCommandListsExp)(list, 2, parts, NULL, 1, &nonsense),
                     ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT);
    assert_int_equal(CALL(zeCommandListImmediateAppendCommandListsExp)(list, 2, parts, NULL, 1, NULL),
                     ZE_RESULT_ERROR_INVALID_SIZE);
    assert_ok(CALL(zeCommandListHostSynchronize)(list, UINT64_MAX));
    assert_string_equal(memory, "..");
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeCommandListDestroy(parts[0]));
    assert_ok(zeCommandListDestroy(parts[1]));
    assert_ok(zeEventDestroy(gate));
    assert_ok(zeEventDestroy(done));
    assert_ok(zeEventPoolDestroy(pool));
}

/* The extensible calls behave like the plain ones and reject extensions. */
static void extensible_calls_behave_the_same(void **state) {
    (void)state;
    const struct ze_launch_cooperative_desc extension = {.stype = (ze_structure_type_t)1};
    ze_command_list_handle_t list = subjects[1].list, part = make_list();
    char memory[8] = "....";
    assert_ok(zeCommandListAppendMemoryCopy(part, memory + 2, "c", 1, NULL, 0, NULL));
    assert_ok(zeCommandListClose(part));
    assert_ok(CALL(zeCommandListAppendMemoryCopyWithParameters)(list, memory, "a", 1, NULL, NULL, 0, NULL));
    assert_ok(CALL(zeCommandListAppendMemoryFillWithParameters)(list, memory + 1, "b", 1, 1, NULL, NULL, 0,
                                                                NULL));
    assert_ok(CALL(zeCommandListImmediateAppendCommandListsWithParameters)(list, 1, &part, NULL, NULL, 0,
                                                                           NULL));
    finish(&subjects[1]);
    assert_string_equal(memory, "abc.");
    assert_int_equal(CALL(zeCommandListAppendMemoryCopyWithParameters)(list, memory + 3, "d", 1, &extension,
                                                                       NULL, 0, NULL),
                     ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    assert_int_equal(CALL(zeCommandListAppendMemoryFillWithParameters)(list, memory + 3, "d", 1, 1,
                                                                       &extension, NULL, 0, NULL),
                     ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    assert_int_equal(CALL(zeCommandListImmediateAppendCommandListsWithParameters)(list, 1, &part, &extension,
                                                                                  NULL, 0, NULL),
                     ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    finish(&subjects[1]);
    assert_string_equal(memory, "abc.");
    assert_ok(zeCommandListDestroy(part));
}

static void lists_are_queried(void **state) {
    (void)state;
    ze_bool_t immediate = 0;
    ze_device_handle_t its_device = NULL;
    uint32_t ordinal = 9;
    assert_ok(CALL(zeCommandListIsImmediate)(subjects[0].list, &immediate));
    assert_int_equal(immediate, 1);
    assert_ok(CALL(zeCommandListIsImmediate)(subjects[2].list, &immediate));
    assert_int_equal(immediate, 0);
    assert_ok(CALL(zeCommandListGetDeviceHandle)(subjects[2].list, &its_device));
    assert_ok(CALL(zeCommandListGetOrdinal)(subjects[2].list, &ordinal));
    assert_int_equal(ordinal, 0);
    ze_context_handle_t its_context = NULL;
    assert_ok(CALL(zeCommandListGetContextHandle)(subjects[2].list, &its_context));
    assert_ok(zeContextGetStatus(its_context));
    const ze_command_list_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC,
                                         .flags = ZE_COMMAND_LIST_FLAG_RELAXED_ORDERING};
    ze_command_list_handle_t relaxed = NULL;
    ze_command_list_flags_t flags = 0;
    assert_ok(zeCommandListCreate(context, device, &desc, &relaxed));
    assert_ok(CALL(zeCommandListGetFlags)(relaxed, &flags));
    assert_int_equal(flags, ZE_COMMAND_LIST_FLAG_RELAXED_ORDERING);
    assert_ok(zeCommandListDestroy(relaxed));
    assert_int_equal(CALL(zeCommandListImmediateGetFlags)(subjects[2].list, &flags),
                     ZE_RESULT_ERROR_INVALID_ARGUMENT);
    ze_command_queue_mode_t mode = ZE_COMMAND_QUEUE_MODE_DEFAULT;
    assert_ok(CALL(zeCommandListImmediateGetMode)(subjects[1].list, &mode));
    assert_int_equal(mode, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    assert_int_not_equal(CALL(zeCommandListImmediateGetMode)(subjects[2].list, &mode), ZE_RESULT_SUCCESS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(destroyed_events_are_refused),
            cmocka_unit_test(events_may_be_destroyed_in_flight),
            cmocka_unit_test(copies_cross_contexts),
            cmocka_unit_test(descriptors_are_checked),
            cmocka_unit_test(closed_lists_refuse_commands),
            cmocka_unit_test(lists_run_repeatedly),
            cmocka_unit_test(running_lists_are_not_reset),
            cmocka_unit_test(lists_grow),
            cmocka_unit_test(appending_never_blocks),
            cmocka_unit_test(lists_wait_for_each_other),
            cmocka_unit_test(the_first_signal_ends_the_wait),
            cmocka_unit_test(waiters_sleep_until_the_end),
            cmocka_unit_test(forked_children_have_idle_lists),
            cmocka_unit_test(threads_play_ping_pong),
            cmocka_unit_test(immediate_lists_run_regular_lists),
            cmocka_unit_test(extensible_calls_behave_the_same),
            cmocka_unit_test(lists_are_queried),
    };
    return cmocka_run_group_tests(tests, make_subjects, free_subjects);
}
