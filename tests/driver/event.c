/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events and event pools: signals from host and device, waits with and without a timeout, timestamps,
 * counters.
 */
#include "ze_test.h"

#include <pthread.h>
#include <time.h>

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void host_signals_and_resets(void **state) {
    (void)state;
    ze_event_pool_handle_t pool = make_pool(2, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    ze_event_handle_t event = make_event(pool, 1);
    assert_int_equal(zeEventQueryStatus(event), ZE_RESULT_NOT_READY);
    assert_ok(zeEventHostSignal(event));
    assert_ok(zeEventQueryStatus(event));
    assert_ok(zeEventHostSynchronize(event, UINT64_MAX));
    assert_ok(zeEventHostReset(event));
    assert_int_equal(zeEventQueryStatus(event), ZE_RESULT_NOT_READY);
    assert_ok(zeEventDestroy(event));
    assert_ok(zeEventPoolDestroy(pool));
}

static void waits_time_out(void **state) {
    (void)state;
    ze_event_pool_handle_t pool = make_pool(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    ze_event_handle_t event = make_event(pool, 0);
    uint64_t start = now();
    assert_int_equal(zeEventHostSynchronize(event, 5000000), ZE_RESULT_NOT_READY);
    uint64_t took = now() - start;
    assert_true(took >= 5000000); /* how much longer depends on what else the machine does */
    assert_int_equal(zeEventHostSynchronize(event, 1), ZE_RESULT_NOT_READY);
    assert_ok(zeEventDestroy(event));
    assert_ok(zeEventPoolDestroy(pool));
}

/* Does a wait end within `allowed` of its timeout? Other programs may need the CPU at that moment, so it is
 * tried again, but a wait never ends early. */
static bool ends_on_time(ze_event_handle_t event, ze_command_list_handle_t list, uint64_t timeout,
                         uint64_t allowed) {
    for (int i = 0; i < 500; i++) {
        uint64_t start = now();
        assert_int_equal(list ? CALL(zeCommandListHostSynchronize)(list, timeout)
                              : zeEventHostSynchronize(event, timeout),
                         ZE_RESULT_NOT_READY);
        uint64_t took = now() - start;
        assert_true(took >= timeout);
        if (took - timeout <= allowed) return true;
    }
    return false;
}

static void waits_end_on_time(void **state) {
    (void)state;
    ze_event_pool_handle_t pool = make_pool(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    ze_event_handle_t event = make_event(pool, 0);
    ze_command_list_handle_t list = make_immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    assert_ok(zeCommandListAppendBarrier(list, NULL, 1, &event));
    static const uint64_t timeouts[] = {1000, 50000, 100000, 300000, 1000000, 9000000, 20000000};
    for (int i = 0; i < 7; i++) {
        uint64_t allowed = timeouts[i] / 50 > 50000 ? timeouts[i] / 50 : 50000;
        assert_true(ends_on_time(event, NULL, timeouts[i], allowed));
        assert_true(ends_on_time(event, list, timeouts[i], allowed));
    }
    assert_ok(zeEventHostSignal(event));
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeEventDestroy(event));
    assert_ok(zeEventPoolDestroy(pool));
}

static void *signal_later(void *event) {
    usleep(20000);
    return zeEventHostSignal(event) ? event : NULL;
}

static void sleeping_waiters_are_woken(void **state) {
    (void)state;
    ze_event_pool_handle_t pool = make_pool(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    ze_event_handle_t event = make_event(pool, 0);
    for (int i = 0; i < 5; i++) {
        pthread_t thread;
        void *failed = NULL;
        pthread_create(&thread, NULL, signal_later, event);
        assert_ok(zeEventHostSynchronize(event, i % 2 ? UINT64_MAX : 10000000000));
        pthread_join(thread, &failed);
        assert_null(failed);
        assert_ok(zeEventHostReset(event));
    }
    assert_ok(zeEventDestroy(event));
    assert_ok(zeEventPoolDestroy(pool));
}

static void wrong_events_are_refused(void **state) {
    (void)state;
    ze_event_pool_handle_t pool = make_pool(2, 0);
    ze_event_handle_t event = make_event(pool, 0), second = NULL;
    ze_event_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC};
    assert_int_equal(zeEventCreate(pool, &desc, &second),
                     ZE_RESULT_ERROR_INVALID_ARGUMENT); /* already exists */
    desc.index = 2;
    assert_int_equal(zeEventCreate(pool, &desc, &second), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    desc.index = 1;
    desc.signal = 0x100;
    assert_int_equal(zeEventCreate(pool, &desc, &second), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    assert_ok(zeEventDestroy(event));
    if (!validated()) {
        assert_int_equal(zeEventQueryStatus(event), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
        assert_int_equal(zeEventHostSignal(event), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
        assert_int_equal(zeEventDestroy(event), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    }
    assert_ok(zeEventPoolDestroy(pool));
    ze_event_pool_desc_t none = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC};
    assert_int_equal(zeEventPoolCreate(context, &none, 0, NULL, &pool), ZE_RESULT_ERROR_INVALID_SIZE);
    none.count = 1;
    assert_int_equal(zeEventPoolCreate(context, &none, 1, NULL, &pool), ZE_RESULT_ERROR_INVALID_SIZE);
    none.flags = 0x1000;
    assert_int_equal(zeEventPoolCreate(context, &none, 0, NULL, &pool), ZE_RESULT_ERROR_INVALID_ENUMERATION);
}

static size_t resident_pages(void) {
    size_t size = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%zu %zu", &size, &resident), 2);
    fclose(file);
    return resident;
}

/* 10^6 events through a pool of 16, signalled by the device: memory grows by less than 4 bytes per event. The
 * tracing layer allocates memory for every call. */
static void a_million_events_use_no_memory(void **state) {
    (void)state;
    ze_event_pool_handle_t pool = make_pool(16, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    ze_command_list_handle_t list = make_immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    const int count = tracer ? 10000 : 1000000;
    size_t before = 0;
    for (int i = 0; i < count; i++) {
        if (i == 1000) before = resident_pages();
        ze_event_handle_t event = make_event(pool, (uint32_t)i % 16);
        assert_ok(zeCommandListAppendSignalEvent(list, event));
        assert_ok(zeEventQueryStatus(event));
        assert_ok(zeEventDestroy(event));
    }
    size_t after = resident_pages();
    if (!tracer && after >= before + 1024) fail_msg("grew from %zu to %zu pages", before, after);
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeEventPoolDestroy(pool));
}

static void timestamps_bracket_the_work(void **state) {
    (void)state;
    ze_event_pool_handle_t pool =
            make_pool(2, ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP);
    ze_event_handle_t first = make_event(pool, 0), second = make_event(pool, 1);
    ze_command_list_handle_t list = make_immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    enum { SIZE = 8 << 20 };
    char *memory = allocate_shared(SIZE);
    uint64_t *written = allocate_shared(sizeof *written);
    ze_kernel_timestamp_result_t *queried = allocate_shared(2 * sizeof *queried), stamps[2];
    ze_event_handle_t both[2] = {first, second};
    assert_int_equal(zeEventQueryKernelTimestamp(first, stamps), ZE_RESULT_NOT_READY);
    uint64_t host = 0, begin = 0, end = 0;
    assert_ok(zeDeviceGetGlobalTimestamps(device, &host, &begin));
    assert_ok(zeCommandListAppendMemoryFill(list, memory, "a", 1, SIZE, first, 0, NULL));
    assert_ok(zeCommandListAppendWriteGlobalTimestamp(list, written, NULL, 0, NULL));
    assert_ok(zeCommandListAppendMemoryFill(list, memory, "b", 1, SIZE, second, 1, &first));
    assert_ok(zeCommandListAppendQueryKernelTimestamps(list, 2, both, queried, NULL, NULL, 0, NULL));
    assert_ok(CALL(zeCommandListHostSynchronize)(list, UINT64_MAX));
    assert_ok(zeDeviceGetGlobalTimestamps(device, &host, &end));
    assert_ok(zeEventQueryKernelTimestamp(first, &stamps[0]));
    assert_ok(zeEventQueryKernelTimestamp(second, &stamps[1]));
    assert_true(begin <= stamps[0].global.kernelStart);
    assert_true(stamps[0].global.kernelStart < stamps[0].global.kernelEnd);
    assert_true(stamps[0].global.kernelEnd <= *written);
    assert_true(*written <= stamps[1].global.kernelStart);
    assert_true(stamps[1].context.kernelEnd <= end);
    assert_memory_equal(queried, stamps, sizeof stamps);
    uint32_t count = 1;
    struct ze_synchronized_timestamp_result synchronized;
    struct ze_event_query_kernel_timestamps_results results = {
            .pKernelTimestampsBuffer = &stamps[1], .pSynchronizedTimestampsBuffer = &synchronized};
    assert_ok(CALL(zeEventQueryKernelTimestampsExt)(first, device, &count, &results));
    assert_memory_equal(&stamps[0], &stamps[1], sizeof stamps[0]);
    assert_int_equal(synchronized.global.kernelStart, stamps[0].global.kernelStart);
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeEventDestroy(first));
    assert_ok(zeEventDestroy(second));
    assert_ok(zeEventPoolDestroy(pool));
    assert_ok(zeMemFree(context, memory));
    assert_ok(zeMemFree(context, written));
    assert_ok(zeMemFree(context, queried));
}

/* Timestamps mapped to the host clock are between two readings of it. The old validation layer knows only
 * their query. */
static void mapped_timestamps_use_the_host_clock(void **state) {
    (void)state;
    const ze_event_pool_flags_t stamped =
            validated() ? ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP : NEW_EVENT_POOL_FLAG_KERNEL_MAPPED_TIMESTAMP;
    ze_event_pool_handle_t pool = make_pool(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE | stamped);
    ze_event_handle_t event = make_event(pool, 0);
    ze_command_list_handle_t list = make_immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    uint64_t begin = 0, end = 0, own = 0;
    assert_ok(zeDeviceGetGlobalTimestamps(device, &begin, &own));
    assert_ok(zeCommandListAppendBarrier(list, event, 0, NULL));
    assert_ok(zeEventHostSynchronize(event, UINT64_MAX));
    assert_ok(zeDeviceGetGlobalTimestamps(device, &end, &own));
    uint32_t count = 1;
    ze_kernel_timestamp_result_t stamps;
    struct ze_synchronized_timestamp_result synchronized;
    struct ze_event_query_kernel_timestamps_results results = {
            .pKernelTimestampsBuffer = &stamps, .pSynchronizedTimestampsBuffer = &synchronized};
    assert_ok(CALL(zeEventQueryKernelTimestampsExt)(event, device, &count, &results));
    assert_true(begin <= synchronized.global.kernelStart);
    assert_true(synchronized.global.kernelStart <= synchronized.global.kernelEnd);
    assert_true(synchronized.global.kernelEnd <= end);
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeEventDestroy(event));
    assert_ok(zeEventPoolDestroy(pool));
}

/* -- counter-based events -- */

static ze_event_handle_t make_counter(uint32_t flags) {
    const struct ze_event_counter_based_desc desc = {
            .stype = (ze_structure_type_t)NEW_STYPE_EVENT_COUNTER_BASED_DESC, .flags = flags};
    ze_event_handle_t event = NULL;
    assert_ok(CALL(zeEventCounterBasedCreate)(context, device, &desc, &event));
    return event;
}

static void counters_are_never_reset(void **state) {
    (void)state;
    ze_event_handle_t event = make_counter(NEW_COUNTER_BASED_IMMEDIATE);
    assert_ok(zeEventQueryStatus(event)); /* complete until first used */
    assert_int_not_equal(zeEventHostReset(event), ZE_RESULT_SUCCESS);
    assert_int_not_equal(zeEventHostSignal(event), ZE_RESULT_SUCCESS);
    ze_command_list_handle_t list = make_immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_event_pool_handle_t pool = make_pool(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    ze_event_handle_t gate = make_event(pool, 0);
    int *memory = allocate_shared(sizeof *memory);
    for (int i = 1; i < 100; i++) {
        assert_ok(zeCommandListAppendMemoryFill(list, memory, &i, sizeof i, sizeof i, event, 1, &gate));
        assert_int_equal(zeEventQueryStatus(event), ZE_RESULT_NOT_READY);
        assert_ok(zeEventHostSignal(gate));
        assert_ok(zeEventHostSynchronize(event, UINT64_MAX));
        assert_int_equal(*memory, i);
        assert_ok(zeEventHostReset(gate));
    }
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeEventQueryStatus(event)); /* stays complete after its list is destroyed */
    assert_ok(zeEventDestroy(event));
    assert_ok(zeEventDestroy(gate));
    assert_ok(zeEventPoolDestroy(pool));
    assert_ok(zeMemFree(context, memory));
}

/* A wait refers to the signal at the time it was appended, not to a later one. */
static void waits_refer_to_earlier_signals(void **state) {
    (void)state;
    ze_event_handle_t counter = make_counter(NEW_COUNTER_BASED_IMMEDIATE);
    ze_event_pool_handle_t pool = make_pool(2, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    ze_event_handle_t waited = make_event(pool, 0), gate = make_event(pool, 1);
    ze_command_list_handle_t one = make_immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_command_list_handle_t two = make_immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    assert_ok(zeCommandListAppendBarrier(one, counter, 0, NULL));
    assert_ok(zeCommandListAppendBarrier(two, waited, 1, &counter));
    /* The event moves to a command that cannot run before `two` has. */
    assert_ok(zeCommandListAppendBarrier(one, counter, 1, &gate));
    assert_ok(zeEventHostSynchronize(waited, 10000000000));
    assert_int_equal(zeEventQueryStatus(counter), ZE_RESULT_NOT_READY);
    assert_ok(zeEventHostSignal(gate));
    assert_ok(zeEventHostSynchronize(counter, 10000000000));
    assert_ok(zeCommandListDestroy(one));
    assert_ok(zeCommandListDestroy(two));
    assert_ok(zeEventDestroy(counter));
    assert_ok(zeEventDestroy(waited));
    assert_ok(zeEventDestroy(gate));
    assert_ok(zeEventPoolDestroy(pool));
}

static void counters_have_timestamps(void **state) {
    (void)state;
    ze_event_handle_t event = make_counter(NEW_COUNTER_BASED_IMMEDIATE | NEW_COUNTER_BASED_DEVICE_TIMESTAMP);
    ze_command_list_handle_t list = make_immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_kernel_timestamp_result_t stamps, earlier = {0};
    for (int i = 0; i < 10; i++) {
        assert_ok(zeCommandListAppendBarrier(list, event, 0, NULL));
        assert_ok(zeEventHostSynchronize(event, UINT64_MAX));
        assert_ok(zeEventQueryKernelTimestamp(event, &stamps));
        assert_true(stamps.global.kernelStart > earlier.global.kernelEnd);
        earlier = stamps;
    }
    assert_ok(zeCommandListAppendBarrier(list, event, 0, NULL));
    assert_ok(zeEventDestroy(event)); /* allowed while the command is in flight */
    assert_ok(CALL(zeCommandListHostSynchronize)(list, UINT64_MAX));
    assert_ok(zeCommandListDestroy(list));
}

static void regular_lists_signal_counters(void **state) {
    (void)state;
    ze_event_handle_t event = make_counter(NEW_COUNTER_BASED_IMMEDIATE | NEW_COUNTER_BASED_NON_IMMEDIATE);
    ze_event_pool_handle_t pool = make_pool(2, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    ze_event_handle_t gate = make_event(pool, 0), seen = make_event(pool, 1);
    ze_command_queue_handle_t queue = make_queue(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_command_queue_handle_t other = make_queue(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_command_list_handle_t signals = make_list(), waits = make_list();
    assert_ok(zeCommandListAppendBarrier(signals, NULL, 1, &gate));
    assert_ok(zeCommandListAppendBarrier(signals, event, 0, NULL));
    assert_ok(zeCommandListClose(signals));
    assert_ok(zeCommandListAppendBarrier(waits, seen, 1, &event));
    assert_ok(zeCommandListClose(waits));
    for (int i = 0; i < 20; i++) {
        assert_ok(zeCommandQueueExecuteCommandLists(queue, 1, &signals, NULL));
        assert_int_equal(zeEventQueryStatus(event), ZE_RESULT_NOT_READY);
        assert_ok(zeCommandQueueExecuteCommandLists(other, 1, &waits, NULL));
        assert_int_equal(zeEventHostSynchronize(seen, 100000), ZE_RESULT_NOT_READY);
        assert_ok(zeEventHostSignal(gate));
        assert_ok(zeEventHostSynchronize(seen, UINT64_MAX));
        assert_ok(zeEventQueryStatus(event));
        assert_ok(zeCommandQueueSynchronize(queue, UINT64_MAX));
        assert_ok(zeCommandQueueSynchronize(other, UINT64_MAX));
        assert_ok(zeEventHostReset(gate));
        assert_ok(zeEventHostReset(seen));
    }
    assert_ok(zeCommandListDestroy(signals));
    assert_ok(zeCommandListDestroy(waits));
    assert_ok(zeCommandQueueDestroy(queue));
    assert_ok(zeCommandQueueDestroy(other));
    assert_ok(zeEventDestroy(event));
    assert_ok(zeEventDestroy(gate));
    assert_ok(zeEventDestroy(seen));
    assert_ok(zeEventPoolDestroy(pool));
}

/* A recorded wait for a counter-based event stays valid after the event is destroyed. */
static void waited_counters_may_be_destroyed(void **state) {
    (void)state;
    ze_event_pool_handle_t pool = make_pool(3, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    ze_event_handle_t gate = make_event(pool, 0), seen = make_event(pool, 1);
    ze_event_handle_t counter = make_counter(NEW_COUNTER_BASED_IMMEDIATE);
    ze_command_list_handle_t list = make_immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS), waits = make_list();
    ze_command_queue_handle_t queue = make_queue(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    assert_ok(zeCommandListAppendBarrier(list, counter, 1, &gate));
    assert_ok(zeCommandListAppendBarrier(waits, seen, 1, &counter));
    assert_ok(zeCommandListClose(waits));
    assert_ok(zeEventDestroy(counter));
    for (int i = 0; i < 200; i++) { /* its memory is reused by events that are never signalled */
        ze_event_handle_t others = make_event(pool, 2);
        if (i < 199)
            assert_ok(zeEventDestroy(others));
        else
            counter = others;
    }
    assert_ok(zeCommandQueueExecuteCommandLists(queue, 1, &waits, NULL));
    assert_int_equal(zeEventHostSynchronize(seen, 1000000), ZE_RESULT_NOT_READY);
    assert_ok(zeEventHostSignal(gate));
    assert_ok(zeEventHostSynchronize(seen, 10000000000));
    assert_ok(zeCommandQueueSynchronize(queue, UINT64_MAX));
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeCommandListDestroy(waits));
    assert_ok(zeCommandQueueDestroy(queue));
    assert_ok(zeEventDestroy(counter));
    assert_ok(zeEventDestroy(gate));
    assert_ok(zeEventDestroy(seen));
    assert_ok(zeEventPoolDestroy(pool));
}

/* The older interface: a pool flag makes its events counter-based. */
static void pools_create_counters(void **state) {
    (void)state;
    struct ze_event_pool_counter_based_exp_desc counts = {
            .stype = (ze_structure_type_t)NEW_STYPE_COUNTER_BASED_EVENT_POOL_DESC};
    ze_event_pool_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                 .pNext = &counts,
                                 .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
                                 .count = 2};
    ze_event_pool_handle_t pool = NULL;
    assert_ok(zeEventPoolCreate(context, &desc, 0, NULL, &pool));
    ze_event_handle_t event = make_event(pool, 1);
    uint32_t flags = 0;
    uint64_t value = 0, address = 0;
    assert_ok(CALL(zeEventGetCounterBasedFlags)(event, &flags));
    assert_true(flags & NEW_COUNTER_BASED_IMMEDIATE);
    assert_ok(zeEventQueryStatus(event));
    assert_int_not_equal(zeEventHostReset(event), ZE_RESULT_SUCCESS);
    ze_command_list_handle_t list = make_immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    for (int i = 0; i < 10; i++) {
        assert_ok(zeCommandListAppendBarrier(list, event, 0, NULL));
        assert_ok(CALL(zeEventCounterBasedGetDeviceAddress)(event, &value, &address));
        assert_ok(zeEventHostSynchronize(event, UINT64_MAX));
        assert_true(*(volatile uint64_t *)(uintptr_t)address >= value);
    }
    assert_int_not_equal(zeCommandListAppendEventReset(list, event), ZE_RESULT_SUCCESS);
    desc.flags |= ZE_EVENT_POOL_FLAG_IPC;
    ze_event_pool_handle_t shared = NULL;
    assert_int_equal(zeEventPoolCreate(context, &desc, 0, NULL, &shared),
                     ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    assert_null(shared);
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeEventDestroy(event));
    assert_ok(zeEventPoolDestroy(pool));
}

static void counter_descriptors_are_checked(void **state) {
    (void)state;
    struct ze_event_counter_based_desc desc = {
            .stype = (ze_structure_type_t)NEW_STYPE_EVENT_COUNTER_BASED_DESC};
    ze_event_handle_t event = NULL;
    uint64_t value = 0, address = 0;
    assert_int_equal(CALL(zeEventCounterBasedCreate)(context, device, NULL, &event),
                     ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_int_equal(CALL(zeEventCounterBasedCreate)(context, NULL, &desc, &event),
                     ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    desc.flags = 0x80;
    assert_int_equal(CALL(zeEventCounterBasedCreate)(context, device, &desc, &event),
                     ZE_RESULT_ERROR_INVALID_ENUMERATION);
    desc.flags = 0;
    desc.wait = 8;
    assert_int_equal(CALL(zeEventCounterBasedCreate)(context, device, &desc, &event),
                     ZE_RESULT_ERROR_INVALID_ENUMERATION);
    desc.wait = 0;
    desc.flags = NEW_COUNTER_BASED_IPC;
    assert_int_equal(CALL(zeEventCounterBasedCreate)(context, device, &desc, &event),
                     ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    assert_null(event);
    ze_event_pool_handle_t pool = make_pool(1, 0);
    event = make_event(pool, 0);
    assert_int_equal(CALL(zeEventCounterBasedGetDeviceAddress)(event, &value, &address),
                     ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_ok(zeEventDestroy(event));
    assert_ok(zeEventPoolDestroy(pool));
}

/* -- queries -- */

static void events_are_queried(void **state) {
    (void)state;
    ze_event_pool_handle_t pool = make_pool(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE), found = NULL;
    const ze_event_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC,
                                  .signal = ZE_EVENT_SCOPE_FLAG_HOST,
                                  .wait = ZE_EVENT_SCOPE_FLAG_DEVICE};
    ze_event_handle_t event = NULL;
    ze_context_handle_t its_context = NULL;
    ze_event_pool_flags_t flags = 0;
    ze_event_scope_flags_t scope = 0;
    assert_ok(zeEventCreate(pool, &desc, &event));
    assert_ok(CALL(zeEventGetEventPool)(event, &found));
    assert_ok(CALL(zeEventPoolGetFlags)(found, &flags));
    assert_int_equal(flags, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    assert_ok(CALL(zeEventPoolGetContextHandle)(found, &its_context));
    assert_ok(zeContextGetStatus(its_context));
    assert_ok(CALL(zeEventGetSignalScope)(event, &scope));
    assert_int_equal(scope, ZE_EVENT_SCOPE_FLAG_HOST);
    assert_ok(CALL(zeEventGetWaitScope)(event, &scope));
    assert_int_equal(scope, ZE_EVENT_SCOPE_FLAG_DEVICE);
    assert_int_equal(CALL(zeEventGetWaitScope)(event, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    ze_kernel_timestamp_result_t stamps;
    assert_ok(zeEventHostSignal(event));
    assert_int_equal(zeEventQueryKernelTimestamp(event, &stamps), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    ze_command_list_handle_t list = make_immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    assert_int_equal(zeCommandListAppendQueryKernelTimestamps(list, 1, &event, &stamps, NULL, NULL, 0, NULL),
                     ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeEventDestroy(event));
    assert_ok(zeEventPoolDestroy(pool));
}

/* A recorded command's signal gets new timestamps in every run. */
static void recorded_commands_write_timestamps(void **state) {
    (void)state;
    ze_event_pool_handle_t pool =
            make_pool(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP);
    ze_event_handle_t event = make_event(pool, 0);
    ze_command_queue_handle_t queue = make_queue(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    ze_command_list_handle_t list = make_list();
    char *memory = allocate_shared(100000);
    ze_kernel_timestamp_result_t *queried = allocate_shared(2 * sizeof *queried), stamps = {0};
    const size_t offsets[] = {sizeof *queried};
    assert_ok(zeCommandListAppendMemoryFill(list, memory, "a", 1, 100000, event, 0, NULL));
    assert_ok(zeCommandListAppendQueryKernelTimestamps(list, 1, &event, queried, offsets, NULL, 0, NULL));
    assert_ok(zeCommandListClose(list));
    for (int i = 0; i < 5; i++) {
        uint64_t earlier = stamps.global.kernelEnd;
        uint32_t count = 1;
        assert_ok(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
        assert_ok(zeEventQueryTimestampsExp(event, device, &count, &stamps));
        assert_true(stamps.global.kernelStart > earlier);
        assert_true(stamps.global.kernelStart < stamps.global.kernelEnd);
        assert_int_equal(queried[0].global.kernelEnd, 0);
        assert_memory_equal(&queried[1], &stamps, sizeof stamps);
    }
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeCommandQueueDestroy(queue));
    assert_ok(zeEventDestroy(event));
    assert_ok(zeEventPoolDestroy(pool));
    assert_ok(zeMemFree(context, memory));
    assert_ok(zeMemFree(context, queried));
}

/* Any number of pools can be created and destroyed. */
static void destroyed_pools_use_no_memory(void **state) {
    (void)state;
    size_t before = 0;
    for (int i = 0; i < 20000; i++) {
        if (i == 1000) before = resident_pages();
        ze_event_pool_handle_t pool = make_pool((uint32_t)i % 100 + 1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
        ze_event_handle_t event = make_event(pool, (uint32_t)i % 100);
        assert_int_equal(zeEventQueryStatus(event), ZE_RESULT_NOT_READY);
        assert_ok(zeEventHostSignal(event));
        assert_ok(zeEventDestroy(event));
        assert_ok(zeEventPoolDestroy(pool));
    }
    size_t after = resident_pages();
    if (!tracer && after >= before + 1024) fail_msg("grew from %zu to %zu pages", before, after);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(host_signals_and_resets),
            cmocka_unit_test(waits_time_out),
            cmocka_unit_test(waits_end_on_time),
            cmocka_unit_test(sleeping_waiters_are_woken),
            cmocka_unit_test(wrong_events_are_refused),
            cmocka_unit_test(a_million_events_use_no_memory),
            cmocka_unit_test(timestamps_bracket_the_work),
            cmocka_unit_test(mapped_timestamps_use_the_host_clock),
            cmocka_unit_test(counters_are_never_reset),
            cmocka_unit_test(waits_refer_to_earlier_signals),
            cmocka_unit_test(counters_have_timestamps),
            cmocka_unit_test(regular_lists_signal_counters),
            cmocka_unit_test(waited_counters_may_be_destroyed),
            cmocka_unit_test(pools_create_counters),
            cmocka_unit_test(counter_descriptors_are_checked),
            cmocka_unit_test(events_are_queried),
            cmocka_unit_test(recorded_commands_write_timestamps),
            cmocka_unit_test(destroyed_pools_use_no_memory),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
