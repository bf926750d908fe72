/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random valid and invalid calls from several threads, with private objects and shared events. Nothing may
 * crash, hang or leak; sanitizers check the rest. LODE_TEST_SEED selects another sequence.
 */
#include "ze_test.h"

#include <pthread.h>

enum { THREADS = 3, STEPS = 3000, LISTS = 4, MEMORIES = 2 * (LISTS + 1), EVENTS = 24, SIZE = 20000 };

static void add_group(const struct native_group *g, void *const *args) {
    unsigned char *dst = *(unsigned char **)args[0];
    dst[g->id[0] % SIZE] = (unsigned char)*(uint32_t *)args[1];
}
static const struct native_arg args[] = {{NATIVE_ARG_BUFFER, 8}, {NATIVE_ARG_VALUE, 4}};
static const struct native_kernel kernels[] = {
        {.name = "add", .run_group = add_group, .args = args, .nargs = 2}};
static const struct native_module table = {NATIVE_MAGIC, NATIVE_VERSION, 1, kernels};

static ze_module_handle_t module;
static ze_event_handle_t events[EVENTS]; /* shared by all threads */
static uint32_t seed = 1;

struct player {
    pthread_t thread;
    uint32_t random;
    ze_command_list_handle_t lists[LISTS]; /* asynchronous */
    ze_command_list_handle_t recorded;
    ze_command_queue_handle_t queue;
    ze_kernel_handle_t kernel;
    unsigned char *memories[MEMORIES];
};

static uint32_t pick(struct player *player, uint32_t below) {
    player->random = player->random * 1664525 + 1013904223;
    return (player->random >> 8) % below;
}

static ze_event_handle_t any_event(struct player *player) {
    return pick(player, 3) ? events[pick(player, EVENTS)] : NULL;
}

/* Each list has two buffers; the last two belong to the recorded list. Waits only for events that will be
 * signalled: all are signalled repeatedly until every thread is done. */
static void append(struct player *player, ze_command_list_handle_t list, uint32_t owner) {
    unsigned char *dst = player->memories[2 * owner + pick(player, 2)], *src = player->memories[2 * owner];
    ze_event_handle_t waits[2] = {events[pick(player, EVENTS)], events[pick(player, EVENTS)]};
    uint32_t nwaits = pick(player, 8) == 0 ? pick(player, 3) : 0, value = pick(player, 256);
    const ze_group_count_t groups = {pick(player, 50), 1, 1};
    switch (pick(player, 8)) {
    case 0:
        zeCommandListAppendMemoryCopy(list, dst, src, pick(player, SIZE / 2), any_event(player), nwaits,
                                      waits);
        break;
    case 1:
        zeCommandListAppendMemoryFill(list, dst, &value, 4, 4 * pick(player, SIZE / 4), any_event(player),
                                      nwaits, waits);
        break;
    case 2: zeCommandListAppendBarrier(list, any_event(player), nwaits, waits); break;
    case 3: zeCommandListAppendSignalEvent(list, events[pick(player, EVENTS)]); break;
    case 4: zeCommandListAppendEventReset(list, events[pick(player, EVENTS)]); break;
    case 5: zeCommandListAppendMemoryCopy(list, NULL, src, 10, NULL, 5, NULL); break; /* invalid */
    default:
        zeKernelSetArgumentValue(player->kernel, 0, 8, &dst);
        zeKernelSetArgumentValue(player->kernel, 1, 4, &value);
        zeCommandListAppendLaunchKernel(list, player->kernel, &groups, any_event(player), nwaits, waits);
    }
}

/* Waits until the list is done, signalling events it may wait for. */
static void finish_list(struct player *player, ze_command_list_handle_t list) {
    while (CALL(zeCommandListHostSynchronize)(list, 200000) == ZE_RESULT_NOT_READY)
        zeEventHostSignal(events[pick(player, EVENTS)]);
}

static void finish_queue(struct player *player) {
    while (zeCommandQueueSynchronize(player->queue, 200000) == ZE_RESULT_NOT_READY)
        zeEventHostSignal(events[pick(player, EVENTS)]);
}

/* Of any priority; all but the first may be for copies only. */
static void replace_list(struct player *player, uint32_t i) {
    const ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                          .ordinal = i && pick(player, 4) == 0,
                                          .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS,
                                          .priority = (ze_command_queue_priority_t)pick(player, 3)};
    finish_list(player, player->lists[i]);
    if (zeCommandListDestroy(player->lists[i])) abort();
    if (zeCommandListCreateImmediate(context, device, &desc, &player->lists[i])) abort();
}

static void run_recorded(struct player *player) {
    const ze_fence_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_FENCE_DESC};
    ze_fence_handle_t fence = NULL;
    if (zeCommandListClose(player->recorded) || zeFenceCreate(player->queue, &desc, &fence)) abort();
    for (uint32_t n = pick(player, 3); n > 0; n--)
        if (zeCommandQueueExecuteCommandLists(player->queue, 1, &player->recorded, n == 1 ? fence : NULL))
            abort();
    if (pick(player, 2)) zeCommandListReset(player->recorded); /* refused while it runs */
    zeFenceHostSynchronize(fence, 1000);
    finish_queue(player);
    if (zeCommandListReset(player->recorded) || zeFenceDestroy(fence)) abort();
}

static void replace_memory(struct player *player, uint32_t i) {
    for (int l = 0; l < LISTS; l++)
        finish_list(player, player->lists[l]);
    if (zeCommandListReset(player->recorded) || zeMemFree(context, player->memories[i])) abort();
    player->memories[i] = allocate_shared(SIZE);
}

static void make_invalid_calls(struct player *player) {
    zeCommandListAppendBarrier(NULL, NULL, 0, NULL);
    zeEventHostSignal(NULL);
    zeMemFree(context, player);
    zeMemFree(context, player->memories[0] + 1);
    zeKernelSetGroupSize(player->kernel, 0, 1, 1);
}

static void expect(ze_result_t result, ze_result_t wanted) {
    if (result != wanted) abort();
}

/* Private events, destroyed after their pool. */
static void play_events(struct player *player) {
    ze_event_pool_handle_t pool = make_pool(3, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    ze_event_handle_t own[3];
    for (uint32_t i = 0; i < 3; i++)
        own[i] = make_event(pool, i);
    uint32_t l = pick(player, LISTS);
    for (uint32_t i = 0; i < 3; i++)
        expect(zeCommandListAppendBarrier(player->lists[l], own[i], i, own), ZE_RESULT_SUCCESS);
    expect(zeEventPoolDestroy(pool), ZE_RESULT_SUCCESS);
    finish_list(player, player->lists[l]);
    expect(zeEventQueryStatus(own[2]), ZE_RESULT_SUCCESS);
    for (uint32_t i = 0; i < 3; i++)
        expect(zeEventDestroy(own[i]), ZE_RESULT_SUCCESS);
}

/* A context with a module, a kernel, a list and memory, destroyed in the wrong order. */
static void play_context(struct player *player) {
    const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    const ze_command_queue_desc_t list_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC};
    const ze_host_mem_alloc_desc_t memory_desc = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    const struct native_reference reference = {NATIVE_REFERENCE_MAGIC, (uint64_t)getpid(), &table};
    const ze_module_desc_t module_desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                                          .format = ZE_MODULE_FORMAT_NATIVE,
                                          .inputSize = sizeof reference,
                                          .pInputModule = (const uint8_t *)&reference};
    const ze_group_count_t one = {1, 1, 1};
    ze_context_handle_t own;
    ze_module_handle_t own_module;
    ze_command_list_handle_t list;
    void *memory;
    expect(zeContextCreate(driver, &desc, &own), ZE_RESULT_SUCCESS);
    expect(zeModuleCreate(own, device, &module_desc, &own_module, NULL), ZE_RESULT_SUCCESS);
    expect(zeCommandListCreateImmediate(own, device, &list_desc, &list), ZE_RESULT_SUCCESS);
    expect(zeMemAllocHost(own, &memory_desc, SIZE, 0, &memory), ZE_RESULT_SUCCESS);
    ze_kernel_handle_t kernel = make_kernel(own_module, "add");
    uint32_t value = 1;
    expect(zeKernelSetArgumentValue(kernel, 0, 8, &memory), ZE_RESULT_SUCCESS);
    expect(zeKernelSetArgumentValue(kernel, 1, 4, &value), ZE_RESULT_SUCCESS);
    expect(zeCommandListAppendLaunchKernel(list, kernel, &one, NULL, 0, NULL), ZE_RESULT_SUCCESS);
    finish_list(player, list); /* both lists write to the memory */
    expect(zeCommandListAppendLaunchKernel(player->lists[0], kernel, &one, NULL, 0, NULL), ZE_RESULT_SUCCESS);
    expect(zeContextDestroy(own), ZE_RESULT_SUCCESS);
    expect(zeModuleDestroy(own_module), ZE_RESULT_SUCCESS);
    expect(zeKernelDestroy(kernel), ZE_RESULT_SUCCESS);
    finish_list(player, player->lists[0]);
    expect(zeCommandListDestroy(list), ZE_RESULT_SUCCESS);
    expect(zeMemFree(context, memory), ZE_RESULT_SUCCESS);
}

static ze_command_list_handle_t make_mutable(void) {
    const struct ze_mutable_command_list_exp_desc changes = {
            .stype = (ze_structure_type_t)NEW_STYPE_MUTABLE_COMMAND_LIST_DESC};
    const ze_command_list_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC, .pNext = &changes};
    ze_command_list_handle_t list;
    expect(zeCommandListCreate(context, device, &desc, &list), ZE_RESULT_SUCCESS);
    return list;
}

static ze_event_handle_t make_counter(void) {
    const struct ze_event_counter_based_desc desc = {
            .stype = (ze_structure_type_t)NEW_STYPE_EVENT_COUNTER_BASED_DESC,
            .flags = NEW_COUNTER_BASED_IMMEDIATE | NEW_COUNTER_BASED_NON_IMMEDIATE
                     | NEW_COUNTER_BASED_DEVICE_TIMESTAMP};
    ze_event_handle_t event;
    expect(CALL(zeEventCounterBasedCreate)(context, device, &desc, &event), ZE_RESULT_SUCCESS);
    return event;
}

/* A list of launches that wait for and signal counters, which change between runs. */
static void play_mutable(struct player *player) {
    enum { COMMANDS = 5, COUNTERS = 4 };
    const struct ze_mutable_command_id_exp_desc desc = {
            .stype = (ze_structure_type_t)NEW_STYPE_MUTABLE_COMMAND_ID_DESC};
    const ze_group_count_t one = {1, 1, 1};
    ze_command_list_handle_t list = make_mutable(), copy = NULL;
    ze_event_handle_t counters[COUNTERS];
    uint64_t numbers[COMMANDS];
    uint32_t value = 1;
    finish_queue(player);
    for (int i = 0; i < COUNTERS; i++)
        counters[i] = make_counter();
    zeKernelSetArgumentValue(player->kernel, 0, 8, &player->memories[2 * LISTS]);
    zeKernelSetArgumentValue(player->kernel, 1, 4, &value);
    for (int i = 0; i < COMMANDS; i++) {
        expect(CALL(zeCommandListGetNextCommandIdExp)(list, &desc, &numbers[i]), ZE_RESULT_SUCCESS);
        expect(zeCommandListAppendLaunchKernel(list, player->kernel, &one, NULL, 1,
                                               &counters[pick(player, COUNTERS)]),
               ZE_RESULT_SUCCESS);
    }
    expect(zeCommandListClose(list), ZE_RESULT_SUCCESS);
    expect(CALL(zeCommandListCreateCloneExp)(list, &copy), ZE_RESULT_SUCCESS);
    for (int round = 0; round < 6; round++) {
        ze_command_list_handle_t changed = pick(player, 2) ? list : copy;
        uint64_t number = numbers[pick(player, COMMANDS)];
        expect(CALL(zeCommandListUpdateMutableCommandSignalEventExp)(
                       changed, number, pick(player, 4) ? counters[pick(player, COUNTERS)] : NULL),
               ZE_RESULT_SUCCESS);
        expect(CALL(zeCommandListUpdateMutableCommandWaitEventsExp)(changed, number, 1,
                                                                    &counters[pick(player, COUNTERS)]),
               ZE_RESULT_SUCCESS);
        expect(zeCommandListClose(changed), ZE_RESULT_SUCCESS);
        expect(zeCommandQueueExecuteCommandLists(player->queue, 1, &changed, NULL), ZE_RESULT_SUCCESS);
        finish_queue(player);
        for (int i = 0; i < COUNTERS; i++)
            expect(zeEventQueryStatus(counters[i]), ZE_RESULT_SUCCESS);
    }
    for (int i = 0; i < COUNTERS; i++)
        expect(zeEventDestroy(counters[i]), ZE_RESULT_SUCCESS);
    expect(zeCommandListDestroy(list), ZE_RESULT_SUCCESS);
    expect(zeCommandListDestroy(copy), ZE_RESULT_SUCCESS);
}

/* Maps memory in parts of a reservation, then unmaps it. */
static void play_addresses(struct player *player) {
    enum { PAGES = 8 };
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    ze_physical_mem_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC, .size = 4 * page};
    ze_physical_mem_handle_t physical;
    char *hint = validated() ? (char *)((uintptr_t)1 << 44) : NULL, *base;
    expect(zeVirtualMemReserve(context, hint, PAGES * page, (void **)&base), ZE_RESULT_SUCCESS);
    expect(zePhysicalMemCreate(context, device, &desc, &physical), ZE_RESULT_SUCCESS);
    for (int i = 0; i < 10; i++) {
        char *at = base + pick(player, PAGES) * page;
        size_t size = (1 + pick(player, 4)) * page;
        if (pick(player, 2)) zeVirtualMemUnmap(context, at, size);
        if (zeVirtualMemMap(context, at, size, physical, 0, ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE)) continue;
        at[size - 1] = 1;
    }
    for (int i = 0; i < PAGES; i++)
        zeVirtualMemUnmap(context, base + (size_t)i * page, page);
    expect(zePhysicalMemDestroy(context, physical), ZE_RESULT_SUCCESS);
    expect(zeVirtualMemFree(context, base, PAGES * page), ZE_RESULT_SUCCESS);
}

static void *play(void *argument) {
    struct player *player = argument;
    for (int step = 0; step < STEPS; step++) {
        switch (pick(player, 32)) {
        case 0: replace_list(player, pick(player, LISTS)); break;
        case 1: run_recorded(player); break;
        case 2: replace_memory(player, pick(player, MEMORIES)); break;
        case 3: make_invalid_calls(player); break;
        case 4: zeEventQueryStatus(events[pick(player, EVENTS)]); break;
        case 5: zeEventHostReset(events[pick(player, EVENTS)]); break;
        case 6: zeEventHostSignal(events[pick(player, EVENTS)]); break;
        case 7: zeEventHostSynchronize(events[pick(player, EVENTS)], 1000); break;
        case 8:
        case 9: append(player, player->recorded, LISTS); break;
        case 10: play_events(player); break;
        case 11: play_context(player); break;
        case 12: play_mutable(player); break;
        case 13: play_addresses(player); break;
        default: {
            uint32_t owner = pick(player, LISTS);
            append(player, player->lists[owner], owner);
        }
        }
    }
    for (int l = 0; l < LISTS; l++)
        finish_list(player, player->lists[l]);
    return NULL;
}

static void begin(struct player *player, uint32_t number) {
    *player = (struct player){.random = seed * 7919 + number};
    for (int l = 0; l < LISTS; l++)
        player->lists[l] = make_immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    for (int m = 0; m < MEMORIES; m++)
        player->memories[m] = allocate_shared(SIZE);
    player->recorded = make_list();
    player->queue = make_queue(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    player->kernel = make_kernel(module, "add");
}

static void end(struct player *player) {
    for (int l = 0; l < LISTS; l++)
        assert_ok(zeCommandListDestroy(player->lists[l]));
    for (int m = 0; m < MEMORIES; m++)
        assert_ok(zeMemFree(context, player->memories[m]));
    assert_ok(zeCommandListDestroy(player->recorded));
    assert_ok(zeCommandQueueDestroy(player->queue));
    assert_ok(zeKernelDestroy(player->kernel));
}

static void random_calls_do_not_crash(void **state) {
    (void)state;
    if (getenv("LODE_TEST_SEED")) seed = (uint32_t)strtoul(getenv("LODE_TEST_SEED"), NULL, 10);
    static struct player players[THREADS];
    ze_event_pool_handle_t pool = make_pool(EVENTS, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    module = make_module(&table);
    for (uint32_t i = 0; i < EVENTS; i++)
        events[i] = make_event(pool, i);
    for (uint32_t i = 0; i < THREADS; i++)
        begin(&players[i], i);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&players[i].thread, NULL, play, &players[i]), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(players[i].thread, NULL);
    for (int i = 0; i < THREADS; i++)
        end(&players[i]);
    for (int i = 0; i < EVENTS; i++)
        assert_ok(zeEventDestroy(events[i]));
    assert_ok(zeEventPoolDestroy(pool));
    assert_ok(zeModuleDestroy(module));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_calls_do_not_crash)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
