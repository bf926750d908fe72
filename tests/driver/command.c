/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every command that needs no kernel, on every kind of list.
 */
#include "subjects.h"

/* -- copies -- */

static void check_copy(struct subject *subject) {
    static const size_t sizes[] = {1, 63, 4096, 100003, 3 << 20, (9 << 20) + 5};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        unsigned char *src = allocate_shared(sizes[i] + 2), *dst = allocate_shared(sizes[i] + 2);
        for (size_t j = 0; j < sizes[i] + 2; j++)
            src[j] = (unsigned char)(j * 7 + j / 251);
        dst[0] = dst[sizes[i] + 1] = 99;
        assert_ok(zeCommandListAppendMemoryCopy(subject->list, dst + 1, src + 1, sizes[i], NULL, 0, NULL));
        finish(subject);
        assert_memory_equal(dst + 1, src + 1, sizes[i]);
        assert_int_equal(dst[0], 99);
        assert_int_equal(dst[sizes[i] + 1], 99);
        assert_ok(zeMemFree(context, src));
        assert_ok(zeMemFree(context, dst));
    }
    char from_stack[16] = "plain memory", to_stack[16] = "";
    assert_ok(zeCommandListAppendMemoryCopyFromContext(subject->list, to_stack, context, from_stack, 16, NULL,
                                                       0, NULL));
    finish(subject);
    assert_string_equal(to_stack, "plain memory");
}

static void memory_is_copied(void **state) {
    (void)state;
    for_each_subject(check_copy);
}

/* Copies larger than the caches use whole cache lines; these have unaligned ends. */
static void copies_larger_than_caches(void **state) {
    (void)state;
    uint32_t ncaches = 8;
    ze_device_cache_properties_t caches[8];
    for (int i = 0; i < 8; i++)
        caches[i] = (ze_device_cache_properties_t){.stype = ZE_STRUCTURE_TYPE_DEVICE_CACHE_PROPERTIES};
    assert_ok(zeDeviceGetCacheProperties(device, &ncaches, caches));
    size_t largest = 64 << 20;
    for (uint32_t i = 0; i < ncaches; i++)
        if (caches[i].cacheSize > largest) largest = caches[i].cacheSize;
    const size_t size = largest / 4 + (1 << 20) + 5;
    unsigned char *src = allocate_shared(size + 100), *dst = allocate_shared(size + 100);
    for (size_t i = 0; i < size + 100; i++)
        src[i] = (unsigned char)(i * 7 + i / 251);
    dst[36] = dst[37 + size] = 99;
    ze_command_list_handle_t list = make_immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    assert_ok(zeCommandListAppendMemoryCopy(list, dst + 37, src + 11, size, NULL, 0, NULL));
    assert_int_equal(memcmp(dst + 37, src + 11, size), 0);
    assert_int_equal(dst[36], 99);
    assert_int_equal(dst[37 + size], 99);
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeMemFree(context, src));
    assert_ok(zeMemFree(context, dst));
}

static void check_region(struct subject *subject) {
    enum { PITCH = 37, ROWS = 11, SLICES = 5, SIZE = PITCH * ROWS * SLICES };
    unsigned char src[SIZE], dst[SIZE] = {0};
    for (int i = 0; i < SIZE; i++)
        src[i] = (unsigned char)(i % 250 + 1);
    const ze_copy_region_t to = {3, 2, 1, 20, 7, 3}, from = {10, 1, 2, 20, 7, 3};
    assert_ok(zeCommandListAppendMemoryCopyRegion(subject->list, dst, &to, PITCH, PITCH * ROWS, src, &from,
                                                  PITCH, PITCH * ROWS, NULL, 0, NULL));
    finish(subject);
    for (int z = 0; z < SLICES; z++)
        for (int y = 0; y < ROWS; y++)
            for (int x = 0; x < PITCH; x++) {
                int inside = x >= 3 && x < 23 && y >= 2 && y < 9 && z >= 1 && z < 4;
                int expected = inside ? src[((z + 1) * ROWS + y - 1) * PITCH + x + 7] : 0;
                assert_int_equal(dst[(z * ROWS + y) * PITCH + x], expected);
            }
    /* Regions inside one allocation, disjoint or overlapping, addressed from different origins. */
    unsigned char one[SIZE];
    memcpy(one, src, SIZE);
    const ze_copy_region_t left = {0, 1, 0, 18, 7, 3}, right = {18, 1, 0, 18, 7, 3},
                           first = {0, 0, 0, 18, 7, 3};
    assert_ok(zeCommandListAppendMemoryCopyRegion(subject->list, one, &left, PITCH, PITCH * ROWS, one, &right,
                                                  PITCH, PITCH * ROWS, NULL, 0, NULL));
    finish(subject);
    assert_int_equal(one[PITCH], src[PITCH + 18]);
    assert_int_equal(one[(2 * ROWS + 7) * PITCH + 17], src[(2 * ROWS + 7) * PITCH + 35]);
    for (int y = -1; y <= 1; y++)
        assert_int_equal(zeCommandListAppendMemoryCopyRegion(subject->list, one, &left, PITCH, PITCH * ROWS,
                                                             one + (1 + y) * PITCH + 17, &first, PITCH,
                                                             PITCH * ROWS, NULL, 0, NULL),
                         ZE_RESULT_ERROR_OVERLAPPING_REGIONS);
    const ze_copy_region_t overlapping = {5, 2, 1, 20, 7, 3};
    assert_int_equal(zeCommandListAppendMemoryCopyRegion(subject->list, dst, &to, PITCH, PITCH * ROWS, dst,
                                                         &overlapping, PITCH, PITCH * ROWS, NULL, 0, NULL),
                     ZE_RESULT_ERROR_OVERLAPPING_REGIONS);
    assert_int_equal(zeCommandListAppendMemoryCopyRegion(subject->list, dst, NULL, 0, 0, src, &from, 0, 0,
                                                         NULL, 0, NULL),
                     ZE_RESULT_ERROR_INVALID_NULL_POINTER);
}

static void regions_are_copied(void **state) {
    (void)state;
    for_each_subject(check_region);
}

/* -- fills -- */

static void check_fill(struct subject *subject) {
    static const size_t patterns[] = {1, 2, 4, 8, 16, 64, 256};
    for (size_t p = 0; p < sizeof patterns / sizeof patterns[0]; p++) {
        unsigned char pattern[256];
        for (size_t i = 0; i < 256; i++)
            pattern[i] = (unsigned char)(i + p + 1);
        for (size_t size = patterns[p]; size <= (1 << 20) + 4 * patterns[p];
             size = size * 5 / patterns[p] * patterns[p]) {
            unsigned char *memory = allocate_shared(size + 1);
            assert_ok(zeCommandListAppendMemoryFill(subject->list, memory, pattern, patterns[p], size, NULL,
                                                    0, NULL));
            finish(subject);
            for (size_t i = 0; i < size; i++)
                if (memory[i] != pattern[i % patterns[p]])
                    fail_msg("byte %zu of %zu, pattern %zu", i, size, patterns[p]);
            assert_int_equal(memory[size], 0);
            assert_ok(zeMemFree(context, memory));
        }
    }
    char memory[16];
    assert_int_equal(zeCommandListAppendMemoryFill(subject->list, memory, "abc", 4, 15, NULL, 0, NULL),
                     ZE_RESULT_ERROR_INVALID_SIZE);
    assert_int_equal(zeCommandListAppendMemoryFill(subject->list, NULL, "abc", 4, 16, NULL, 0, NULL),
                     ZE_RESULT_ERROR_INVALID_NULL_POINTER);
}

static void memory_is_filled(void **state) {
    (void)state;
    for_each_subject(check_fill);
}

/* -- order -- */

static void check_order(struct subject *subject) {
    enum { STEPS = 300 };
    uint32_t *memory = allocate_shared((STEPS + 1) * sizeof *memory);
    uint32_t seed = 12345;
    assert_ok(zeCommandListAppendMemoryFill(subject->list, memory, &seed, 4, 4, NULL, 0, NULL));
    for (uint32_t i = 0; i < STEPS; i++)
        assert_ok(zeCommandListAppendMemoryCopy(subject->list, memory + i + 1, memory + i, 4, NULL, 0, NULL));
    finish(subject);
    assert_int_equal(memory[STEPS], 12345);
    assert_ok(zeMemFree(context, memory));
}

static void commands_run_in_order(void **state) {
    (void)state;
    for_each_subject(check_order);
}

static void check_events(struct subject *subject) {
    ze_event_pool_handle_t pool = make_pool(3, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    ze_event_handle_t events[3] = {make_event(pool, 0), make_event(pool, 1), make_event(pool, 2)};
    char memory[4] = "...";
    assert_ok(zeEventHostSignal(events[0]));
    assert_ok(zeCommandListAppendMemoryCopy(subject->list, memory, "a", 1, events[1], 1, &events[0]));
    assert_ok(zeCommandListAppendMemoryCopy(subject->list, memory + 1, "b", 1, events[2], 2, events));
    assert_ok(zeCommandListAppendWaitOnEvents(subject->list, 3, events));
    assert_ok(zeCommandListAppendEventReset(subject->list, events[0]));
    assert_ok(zeCommandListAppendMemoryRangesBarrier(subject->list, 1, &(size_t){1}, &(const void *){memory},
                                                     NULL, 0, NULL));
    finish(subject);
    assert_string_equal(memory, "ab.");
    assert_int_equal(zeEventQueryStatus(events[0]), ZE_RESULT_NOT_READY);
    assert_ok(zeEventQueryStatus(events[1]));
    assert_ok(zeEventQueryStatus(events[2]));
    for (int i = 0; i < 3; i++)
        assert_ok(zeEventDestroy(events[i]));
    assert_ok(zeEventPoolDestroy(pool));
}

static void events_order_commands(void **state) {
    (void)state;
    for_each_subject(check_events);
}

static void check_hints(struct subject *subject) {
    char *memory = allocate_shared(10000);
    assert_ok(zeCommandListAppendMemoryPrefetch(subject->list, memory, 10000));
    assert_ok(zeCommandListAppendMemAdvise(subject->list, device, memory, 10000,
                                           ZE_MEMORY_ADVICE_SET_READ_MOSTLY));
    finish(subject);
    assert_ok(zeMemFree(context, memory));
}

static void hints_are_accepted(void **state) {
    (void)state;
    for_each_subject(check_hints);
}

static void count_call(void *counter) {
    ++*(int *)counter;
}

static void check_host_function(struct subject *subject) {
    int calls = 0;
    for (int i = 0; i < 5; i++)
        assert_ok(CALL(zeCommandListAppendHostFunction)(subject->list, count_call, &calls, NULL, NULL, 0,
                                                        NULL));
    finish(subject);
    assert_int_equal(calls, 5);
}

static void host_functions_are_called(void **state) {
    (void)state;
    for_each_subject(check_host_function);
}

/* -- errors -- */

static void check_errors(struct subject *subject) {
    ze_event_handle_t nonsense[1] = {(ze_event_handle_t)context};
    char memory[8] = "1234567";
    ze_command_list_handle_t list = subject->list;
    assert_int_equal(zeCommandListAppendMemoryCopy(list, memory, NULL, 4, NULL, 0, NULL),
                     ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_int_equal(zeCommandListAppendMemoryCopy(NULL, memory, memory + 4, 4, NULL, 0, NULL),
                     ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    assert_int_equal(zeCommandListAppendMemoryCopy(list, memory, memory + 4, 4, NULL, 1, NULL),
                     ZE_RESULT_ERROR_INVALID_SIZE);
    assert_int_equal(zeCommandListAppendMemoryCopy(list, memory, memory + 4, 4, nonsense[0], 0, NULL),
                     ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT);
    assert_int_equal(zeCommandListAppendBarrier(list, NULL, 1, nonsense),
                     ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT);
    assert_int_equal(zeCommandListAppendSignalEvent(list, NULL), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    finish(subject);
    assert_string_equal(memory, "1234567");
}

/* A number of events to wait for, but no events. */
static void check_missing_waits(struct subject *subject) {
    ze_command_list_handle_t list = subject->list;
    static char memory[64] = "unchanged";
    static uint64_t stamp;
    static size_t size = 1;
    const void *range = memory;
    const ze_copy_region_t region = {.width = 1, .height = 1, .depth = 1};
    const ze_result_t results[] = {
            zeCommandListAppendBarrier(list, NULL, 1, NULL),
            zeCommandListAppendMemoryRangesBarrier(list, 1, &size, &range, NULL, 1, NULL),
            zeCommandListAppendMemoryCopy(list, memory, "x", 1, NULL, 1, NULL),
            zeCommandListAppendMemoryCopyFromContext(list, memory, context, "x", 1, NULL, 1, NULL),
            zeCommandListAppendMemoryFill(list, memory, "x", 1, 4, NULL, 1, NULL),
            zeCommandListAppendMemoryCopyRegion(list, memory, &region, 8, 8, memory + 8, &region, 8, 8, NULL,
                                                1, NULL),
            zeCommandListAppendWriteGlobalTimestamp(list, &stamp, NULL, 1, NULL),
            CALL(zeCommandListAppendMemoryCopyWithParameters)(list, memory, "x", 1, NULL, NULL, 1, NULL),
            CALL(zeCommandListAppendMemoryFillWithParameters)(list, memory, "x", 1, 4, NULL, NULL, 1, NULL),
    };
    for (size_t i = 0; i < sizeof results / sizeof results[0]; i++)
        assert_int_equal(results[i], ZE_RESULT_ERROR_INVALID_SIZE);
    finish(subject);
    assert_string_equal(memory, "unchanged");
    assert_int_equal(stamp, 0);
}

static void errors_change_nothing(void **state) {
    (void)state;
    for_each_subject(check_errors);
    for_each_subject(check_missing_waits);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(memory_is_copied),      cmocka_unit_test(copies_larger_than_caches),
            cmocka_unit_test(regions_are_copied),    cmocka_unit_test(memory_is_filled),
            cmocka_unit_test(commands_run_in_order), cmocka_unit_test(events_order_commands),
            cmocka_unit_test(hints_are_accepted),    cmocka_unit_test(host_functions_are_called),
            cmocka_unit_test(errors_change_nothing),
    };
    return cmocka_run_group_tests(tests, make_subjects, free_subjects);
}
