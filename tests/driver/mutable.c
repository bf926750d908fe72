/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mutable command lists: arguments, group counts and sizes, offsets, events and kernels of recorded launches
 * are changed between executions. Also copies of lists.
 */
#include "ze_test.h"

/* put: dst[item] = value. sum: dst[group] = a + b + c. */
static void put_group(const struct native_group *g, void *const *args) {
    uint32_t *dst = *(uint32_t **)args[0];
    for (uint32_t i = 0; i < g->size[0]; i++)
        dst[g->offset[0] + g->id[0] * g->size[0] + i] = *(uint32_t *)args[1];
}
static void sum_group(const struct native_group *g, void *const *args) {
    uint32_t *dst = *(uint32_t **)args[0];
    dst[g->id[0]] = *(uint32_t *)args[1] + *(uint32_t *)args[2] + *(uint32_t *)args[3];
}
static const struct native_arg args[] = {
        {NATIVE_ARG_BUFFER, 8}, {NATIVE_ARG_VALUE, 4}, {NATIVE_ARG_VALUE, 4}, {NATIVE_ARG_VALUE, 4}};
static const struct native_kernel kernels[] = {
        {.name = "put", .run_group = put_group, .args = args, .nargs = 2},
        {.name = "sum", .run_group = sum_group, .args = args, .nargs = 4},
};
static const struct native_module table = {NATIVE_MAGIC, NATIVE_VERSION, 2, kernels};

static ze_module_handle_t module;
static ze_command_queue_handle_t queue;
static uint32_t *dst;

static int set_up_all(void **state) {
    if (set_up(state)) return -1;
    module = make_module(&table);
    queue = make_queue(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    dst = allocate_shared(4096);
    return 0;
}

static int tear_down_all(void **state) {
    assert_ok(zeMemFree(context, dst));
    assert_ok(zeCommandQueueDestroy(queue));
    assert_ok(zeModuleDestroy(module));
    return tear_down(state);
}

static ze_command_list_handle_t make_mutable(void) {
    const struct ze_mutable_command_list_exp_desc desc = {
            .stype = (ze_structure_type_t)NEW_STYPE_MUTABLE_COMMAND_LIST_DESC};
    const ze_command_list_desc_t list_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC, .pNext = &desc};
    ze_command_list_handle_t list = NULL;
    assert_ok(zeCommandListCreate(context, device, &list_desc, &list));
    return list;
}

static ze_kernel_handle_t make_put(uint32_t value) {
    ze_kernel_handle_t kernel = make_kernel(module, "put");
    assert_ok(zeKernelSetArgumentValue(kernel, 0, 8, &dst));
    assert_ok(zeKernelSetArgumentValue(kernel, 1, 4, &value));
    return kernel;
}

static uint64_t next_number(ze_command_list_handle_t list) {
    const struct ze_mutable_command_id_exp_desc desc = {
            .stype = (ze_structure_type_t)NEW_STYPE_MUTABLE_COMMAND_ID_DESC};
    uint64_t number = 0;
    assert_ok(CALL(zeCommandListGetNextCommandIdExp)(list, &desc, &number));
    return number;
}

static void execute(ze_command_list_handle_t list) {
    memset(dst, 0, 4096);
    assert_ok(zeCommandListClose(list));
    assert_ok(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
}

static const ze_group_count_t one = {1, 1, 1};

static void devices_report_mutable_properties(void **state) {
    (void)state;
    struct ze_mutable_command_list_exp_properties mutable = {
            .stype = (ze_structure_type_t)NEW_STYPE_MUTABLE_COMMAND_LIST_PROPERTIES};
    ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES, .pNext = &mutable};
    assert_ok(zeDeviceGetProperties(device, &properties));
    assert_int_equal(mutable.mutableCommandFlags, NEW_MUTABLE_ALL);
}

static void launches_change(void **state) {
    (void)state;
    ze_command_list_handle_t list = make_mutable();
    ze_kernel_handle_t kernel = make_put(1);
    uint64_t first = next_number(list);
    assert_ok(zeCommandListAppendLaunchKernel(list, kernel, &one, NULL, 0, NULL));
    uint64_t second = next_number(list);
    assert_int_not_equal(first, second);
    assert_ok(zeKernelSetGlobalOffsetExp(kernel, 100, 0, 0));
    assert_ok(zeCommandListAppendLaunchKernel(list, kernel, &one, NULL, 0, NULL));
    execute(list);
    assert_int_equal(dst[0], 1);
    assert_int_equal(dst[1], 0);
    assert_int_equal(dst[100], 1);

    const ze_group_count_t three = {3, 1, 1};
    const uint32_t five = 5;
    struct ze_mutable_group_size_exp_desc size = {
            (ze_structure_type_t)NEW_STYPE_MUTABLE_GROUP_SIZE_DESC, NULL, first, 4, 1, 1};
    struct ze_mutable_group_count_exp_desc count = {(ze_structure_type_t)NEW_STYPE_MUTABLE_GROUP_COUNT_DESC,
                                                    &size, first, &three};
    struct ze_mutable_kernel_argument_exp_desc argument = {
            (ze_structure_type_t)NEW_STYPE_MUTABLE_KERNEL_ARGUMENT_DESC, &count, first, 1, 4, &five};
    struct ze_mutable_global_offset_exp_desc offset = {
            (ze_structure_type_t)NEW_STYPE_MUTABLE_GLOBAL_OFFSET_DESC, &argument, second, 200, 0, 0};
    const struct ze_mutable_commands_exp_desc changes = {(ze_structure_type_t)NEW_STYPE_MUTABLE_COMMANDS_DESC,
                                                         &offset, 0};
    assert_ok(CALL(zeCommandListUpdateMutableCommandsExp)(list, &changes));
    execute(list);
    for (int i = 0; i < 13; i++)
        assert_int_equal(dst[i], i < 12 ? 5 : 0);
    assert_int_equal(dst[100], 0);
    assert_int_equal(dst[200], 1);

    /* If one change is invalid, none is applied. */
    const uint32_t nine = 9;
    argument.pArgValue = &nine;
    size.groupSizeX = 0;
    assert_int_equal(CALL(zeCommandListUpdateMutableCommandsExp)(list, &changes),
                     ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION);
    size.groupSizeX = 4;
    argument.argSize = 8;
    assert_int_equal(CALL(zeCommandListUpdateMutableCommandsExp)(list, &changes),
                     ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE);
    argument.argSize = 4;
    argument.commandId = 77;
    assert_int_equal(CALL(zeCommandListUpdateMutableCommandsExp)(list, &changes),
                     ZE_RESULT_ERROR_INVALID_ARGUMENT);
    execute(list);
    assert_int_equal(dst[11], 5);
    assert_ok(zeKernelDestroy(kernel));
    assert_ok(zeCommandListDestroy(list));
}

static void events_change(void **state) {
    (void)state;
    ze_event_pool_handle_t pool = make_pool(4, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    ze_event_handle_t events[4];
    for (uint32_t i = 0; i < 4; i++)
        events[i] = make_event(pool, i);
    ze_command_list_handle_t list = make_mutable();
    ze_kernel_handle_t kernel = make_put(1);
    uint64_t number = next_number(list);
    assert_ok(zeEventHostSignal(events[0]));
    assert_ok(zeEventHostSignal(events[1]));
    assert_ok(zeCommandListAppendLaunchKernel(list, kernel, &one, events[2], 2, events));
    execute(list);
    assert_ok(zeEventQueryStatus(events[2]));
    assert_ok(zeEventHostReset(events[2]));

    ze_event_handle_t waits[2] = {NULL, events[3]};
    assert_ok(CALL(zeCommandListUpdateMutableCommandSignalEventExp)(list, number, events[0]));
    assert_ok(CALL(zeCommandListUpdateMutableCommandWaitEventsExp)(list, number, 2, waits));
    assert_int_equal(CALL(zeCommandListUpdateMutableCommandWaitEventsExp)(list, number, 1, waits),
                     ZE_RESULT_ERROR_INVALID_SIZE);
    assert_ok(zeEventHostReset(events[0]));
    assert_ok(zeEventHostReset(events[1])); /* no longer waited for */
    assert_ok(zeEventHostSignal(events[3]));
    execute(list);
    assert_int_equal(dst[0], 1);
    assert_ok(zeEventQueryStatus(events[0]));
    assert_int_equal(zeEventQueryStatus(events[2]), ZE_RESULT_NOT_READY);
    assert_ok(CALL(zeCommandListUpdateMutableCommandSignalEventExp)(list, number, NULL));
    assert_ok(zeEventHostReset(events[0]));
    execute(list);
    assert_int_equal(zeEventQueryStatus(events[0]), ZE_RESULT_NOT_READY);
    assert_ok(zeKernelDestroy(kernel));
    assert_ok(zeCommandListDestroy(list));
    for (int i = 0; i < 4; i++)
        assert_ok(zeEventDestroy(events[i]));
    assert_ok(zeEventPoolDestroy(pool));
}

static ze_event_handle_t make_counter(void) {
    const struct ze_event_counter_based_desc desc = {
            .stype = (ze_structure_type_t)NEW_STYPE_EVENT_COUNTER_BASED_DESC,
            .flags = NEW_COUNTER_BASED_IMMEDIATE | NEW_COUNTER_BASED_NON_IMMEDIATE};
    ze_event_handle_t event = NULL;
    assert_ok(CALL(zeEventCounterBasedCreate)(context, device, &desc, &event));
    return event;
}

/* Counter-based events that are replaced, added and removed follow their own command, in any order of
 * changes. */
static void counters_change(void **state) {
    (void)state;
    enum { COMMANDS = 3 };
    ze_event_pool_handle_t pool = make_pool(COMMANDS, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    ze_event_handle_t gates[COMMANDS], counters[4];
    uint64_t numbers[COMMANDS];
    ze_command_queue_handle_t later = make_queue(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_command_list_handle_t list = make_mutable();
    ze_kernel_handle_t kernel = make_put(1);
    for (int i = 0; i < 4; i++)
        counters[i] = make_counter();
    for (uint32_t i = 0; i < COMMANDS; i++) {
        gates[i] = make_event(pool, i);
        numbers[i] = next_number(list);
        assert_ok(zeCommandListAppendLaunchKernel(list, kernel, &one, i ? counters[i] : NULL, 1, &gates[i]));
    }
    assert_ok(zeCommandListClose(list));
    /* Which counter each command signals, and which round changes it; counter 3 is unused at first. */
    static const struct {
        int command, counter;
    } rounds[] = {{0, 0}, {1, 3}, {2, -1}, {0, 1}, {2, 2}, {2, 2}, {0, -1}, {0, 0}};
    int given[COMMANDS] = {-1, 1, 2};
    for (size_t r = 0; r < sizeof rounds / sizeof rounds[0]; r++) {
        given[rounds[r].command] = rounds[r].counter;
        assert_ok(CALL(zeCommandListUpdateMutableCommandSignalEventExp)(
                list, numbers[rounds[r].command],
                rounds[r].counter < 0 ? NULL : counters[rounds[r].counter]));
        assert_ok(zeCommandListClose(list));
        assert_ok(zeCommandQueueExecuteCommandLists(later, 1, &list, NULL));
        for (int done = 0; done < COMMANDS; done++) {
            for (int i = done; i < COMMANDS; i++)
                if (given[i] >= 0)
                    assert_int_equal(zeEventQueryStatus(counters[given[i]]), ZE_RESULT_NOT_READY);
            assert_ok(zeEventHostSignal(gates[done]));
            if (given[done] >= 0) assert_ok(zeEventHostSynchronize(counters[given[done]], 10000000000));
            for (int i = 0; i < done; i++)
                if (given[i] >= 0) assert_ok(zeEventQueryStatus(counters[given[i]]));
        }
        assert_ok(zeCommandQueueSynchronize(later, UINT64_MAX));
        for (int i = 0; i < COMMANDS; i++) {
            assert_ok(zeEventHostReset(gates[i]));
            if (given[i] >= 0) assert_ok(zeEventQueryStatus(counters[given[i]]));
        }
    }
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeCommandQueueDestroy(later));
    assert_ok(zeKernelDestroy(kernel));
    for (int i = 0; i < 4; i++)
        assert_ok(zeEventDestroy(counters[i]));
    for (int i = 0; i < COMMANDS; i++)
        assert_ok(zeEventDestroy(gates[i]));
    assert_ok(zeEventPoolDestroy(pool));
}

/* Events are replaced again and again, and destroyed before the lists that they are on. */
static void replaced_events_are_not_needed(void **state) {
    (void)state;
    ze_event_pool_handle_t pool = make_pool(4, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    ze_event_handle_t events[4];
    for (uint32_t i = 0; i < 4; i++) {
        events[i] = make_event(pool, i);
        assert_ok(zeEventHostSignal(events[i]));
    }
    ze_command_list_handle_t list = make_mutable(), copy = NULL;
    ze_kernel_handle_t kernel = make_put(7);
    uint64_t number = next_number(list);
    assert_ok(zeCommandListAppendLaunchKernel(list, kernel, &one, events[0], 1, &events[1]));
    assert_ok(zeCommandListClose(list));
    assert_ok(CALL(zeCommandListCreateCloneExp)(list, &copy));
    for (int i = 0; i < 100; i++) { /* back and forth: only the last one counts */
        assert_ok(CALL(zeCommandListUpdateMutableCommandSignalEventExp)(list, number, events[i % 2 ? 2 : 0]));
        assert_ok(CALL(zeCommandListUpdateMutableCommandWaitEventsExp)(list, number, 1,
                                                                       &events[i % 2 ? 3 : 1]));
    }
    assert_ok(zeEventDestroy(events[0]));
    assert_ok(zeEventDestroy(events[1]));
    execute(list);
    assert_int_equal(dst[0], 7);
    assert_ok(zeCommandListClose(copy));
    execute(copy);
    assert_ok(zeCommandListClose(copy));
    assert_ok(CALL(zeCommandListUpdateMutableCommandSignalEventExp)(copy, number, events[2]));
    assert_ok(CALL(zeCommandListUpdateMutableCommandWaitEventsExp)(copy, number, 1, &events[3]));
    execute(copy);
    assert_int_equal(dst[0], 7);
    assert_ok(zeEventDestroy(events[2]));
    assert_ok(CALL(zeCommandListUpdateMutableCommandSignalEventExp)(list, number, NULL));
    execute(list);
    assert_int_equal(dst[0], 7);
    assert_ok(zeEventDestroy(events[3]));
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeCommandListDestroy(copy));
    assert_ok(zeKernelDestroy(kernel));
    assert_ok(zeEventPoolDestroy(pool));
}

/* Many waits of a copy change: its arrays grow like the original's. */
static void copies_grow(void **state) {
    (void)state;
    enum { COMMANDS = 23 };
    ze_event_handle_t counters[2] = {make_counter(), make_counter()};
    ze_event_pool_handle_t pool = make_pool(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    ze_event_handle_t event = make_event(pool, 0);
    uint64_t numbers[COMMANDS];
    ze_command_list_handle_t list = make_mutable(), copy = NULL;
    ze_kernel_handle_t kernel = make_put(3);
    assert_ok(zeEventHostSignal(event));
    for (int i = 0; i < COMMANDS; i++) {
        ze_event_handle_t waits[3] = {event, i < 3 ? counters[0] : event, event};
        numbers[i] = next_number(list);
        assert_ok(zeCommandListAppendLaunchKernel(list, kernel, &one, NULL, 3, waits));
    }
    assert_ok(zeCommandListClose(list));
    assert_ok(CALL(zeCommandListCreateCloneExp)(list, &copy));
    for (int i = 0; i < COMMANDS; i++) {
        ze_event_handle_t waits[3] = {counters[1], event, counters[0]};
        assert_ok(CALL(zeCommandListUpdateMutableCommandWaitEventsExp)(copy, numbers[i], 3, waits));
        assert_ok(CALL(zeCommandListUpdateMutableCommandSignalEventExp)(copy, numbers[i], event));
    }
    execute(copy);
    assert_int_equal(dst[0], 3);
    assert_ok(zeCommandListDestroy(copy));
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeKernelDestroy(kernel));
    assert_ok(zeEventDestroy(counters[0]));
    assert_ok(zeEventDestroy(counters[1]));
    assert_ok(zeEventDestroy(event));
    assert_ok(zeEventPoolDestroy(pool));
}

static void kernels_change(void **state) {
    (void)state;
    ze_command_list_handle_t list = make_mutable();
    ze_kernel_handle_t both[2] = {make_put(1), make_kernel(module, "sum")};
    const uint32_t values[3] = {10, 20, 30};
    assert_ok(zeKernelSetArgumentValue(both[1], 0, 8, &dst));
    for (uint32_t i = 0; i < 3; i++)
        assert_ok(zeKernelSetArgumentValue(both[1], i + 1, 4, &values[i]));
    const struct ze_mutable_command_id_exp_desc desc = {
            .stype = (ze_structure_type_t)NEW_STYPE_MUTABLE_COMMAND_ID_DESC};
    uint64_t number = 0;
    assert_ok(CALL(zeCommandListGetNextCommandIdWithKernelsExp)(list, &desc, 2, both, &number));
    assert_ok(zeCommandListAppendLaunchKernel(list, both[0], &one, NULL, 0, NULL));
    execute(list);
    assert_int_equal(dst[0], 1);
    assert_ok(CALL(zeCommandListUpdateMutableCommandKernelsExp)(list, 1, &number, &both[1]));
    execute(list);
    assert_int_equal(dst[0], 60);
    assert_ok(CALL(zeCommandListUpdateMutableCommandKernelsExp)(list, 1, &number, &both[0]));
    execute(list);
    assert_int_equal(dst[0], 1);
    assert_ok(zeKernelDestroy(both[0]));
    assert_ok(zeKernelDestroy(both[1]));
    assert_ok(zeCommandListDestroy(list));
}

/* Launches whose module was destroyed run, change and are copied, and their kernel is replaced. */
static void modules_are_destroyed_early(void **state) {
    (void)state;
    ze_module_handle_t brief = make_module(&table);
    ze_kernel_handle_t gone = make_kernel(brief, "put"), kernel = make_put(4);
    ze_command_list_handle_t list = make_mutable(), copy = NULL;
    const struct ze_mutable_command_id_exp_desc desc = {
            .stype = (ze_structure_type_t)NEW_STYPE_MUTABLE_COMMAND_ID_DESC};
    const uint32_t two = 2, five = 5;
    uint64_t number = 0;
    assert_ok(zeKernelSetArgumentValue(gone, 0, 8, &dst));
    assert_ok(zeKernelSetArgumentValue(gone, 1, 4, &five));
    assert_ok(CALL(zeCommandListGetNextCommandIdWithKernelsExp)(list, &desc, 1, &gone, &number));
    assert_ok(zeCommandListAppendLaunchKernel(list, gone, &one, NULL, 0, NULL));
    assert_ok(zeCommandListClose(list));
    assert_ok(zeKernelDestroy(gone));
    assert_ok(zeModuleDestroy(brief));
    const struct ze_mutable_kernel_argument_exp_desc argument = {
            (ze_structure_type_t)NEW_STYPE_MUTABLE_KERNEL_ARGUMENT_DESC, NULL, number, 1, 4, &two};
    const struct ze_mutable_commands_exp_desc changes = {(ze_structure_type_t)NEW_STYPE_MUTABLE_COMMANDS_DESC,
                                                         &argument, 0};
    assert_ok(CALL(zeCommandListCreateCloneExp)(list, &copy));
    assert_ok(CALL(zeCommandListUpdateMutableCommandsExp)(list, &changes));
    execute(list);
    assert_int_equal(dst[0], 2);
    execute(copy);
    assert_int_equal(dst[0], 5);
    assert_ok(CALL(zeCommandListUpdateMutableCommandKernelsExp)(list, 1, &number, &kernel));
    execute(list);
    assert_int_equal(dst[0], 4);
    execute(copy);
    assert_int_equal(dst[0], 5);
    assert_ok(zeCommandListDestroy(copy));
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeKernelDestroy(kernel));
}

static void immutable_lists_do_not_change(void **state) {
    (void)state;
    ze_command_list_handle_t list = make_list();
    const struct ze_mutable_command_id_exp_desc desc = {
            .stype = (ze_structure_type_t)NEW_STYPE_MUTABLE_COMMAND_ID_DESC};
    uint64_t number = 0;
    ze_bool_t mutable = 1;
    assert_int_equal(CALL(zeCommandListGetNextCommandIdExp)(list, &desc, &number),
                     ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_ok(CALL(zeCommandListIsMutableExp)(list, &mutable));
    assert_int_equal(mutable, 0);
    assert_ok(zeCommandListDestroy(list));
}

static void copies_are_independent(void **state) {
    (void)state;
    ze_command_list_handle_t list = make_mutable(), copy = NULL;
    ze_kernel_handle_t kernel = make_put(1);
    ze_event_pool_handle_t pool = make_pool(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    ze_event_handle_t gate = make_event(pool, 0);
    assert_ok(zeEventHostSignal(gate));
    uint64_t number = next_number(list);
    assert_ok(zeCommandListAppendLaunchKernel(list, kernel, &one, NULL, 1, &gate));
    assert_ok(zeCommandListAppendMemoryFill(list, dst + 10, "abcd", 4, 8, NULL, 0, NULL));
    assert_int_equal(CALL(zeCommandListCreateCloneExp)(list, &copy),
                     ZE_RESULT_ERROR_INVALID_ARGUMENT); /* not closed */
    assert_ok(zeCommandListClose(list));
    assert_ok(CALL(zeCommandListCreateCloneExp)(list, &copy));
    const uint32_t two = 2;
    const struct ze_mutable_kernel_argument_exp_desc argument = {
            (ze_structure_type_t)NEW_STYPE_MUTABLE_KERNEL_ARGUMENT_DESC, NULL, number, 1, 4, &two};
    const struct ze_mutable_commands_exp_desc changes = {(ze_structure_type_t)NEW_STYPE_MUTABLE_COMMANDS_DESC,
                                                         &argument, 0};
    assert_ok(CALL(zeCommandListUpdateMutableCommandsExp)(copy, &changes));
    execute(list);
    assert_int_equal(dst[0], 1);
    assert_memory_equal(dst + 10, "abcdabcd", 8);
    assert_ok(zeCommandListDestroy(list));
    execute(copy);
    assert_int_equal(dst[0], 2);
    assert_memory_equal(dst + 10, "abcdabcd", 8);
    assert_ok(zeCommandListDestroy(copy));
    assert_ok(zeKernelDestroy(kernel));
    assert_ok(zeEventDestroy(gate));
    assert_ok(zeEventPoolDestroy(pool));
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(devices_report_mutable_properties),
            cmocka_unit_test(launches_change),
            cmocka_unit_test(events_change),
            cmocka_unit_test(counters_change),
            cmocka_unit_test(replaced_events_are_not_needed),
            cmocka_unit_test(copies_grow),
            cmocka_unit_test(kernels_change),
            cmocka_unit_test(modules_are_destroyed_early),
            cmocka_unit_test(immutable_lists_do_not_change),
            cmocka_unit_test(copies_are_independent),
    };
    return cmocka_run_group_tests(tests, set_up_all, tear_down_all);
}
