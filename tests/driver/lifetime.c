/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects of different contexts work together, and handles may be destroyed in any order: what is alive keeps
 * what it needs. Sanitizers check that nothing is used after it was freed, or never freed.
 */
#include "ze_test.h"

static void put_group(const struct native_group *group, void *const *args) {
    (void)group;
    **(uint32_t **)args[0] += *(uint32_t *)args[1];
}
static const struct native_arg args[] = {{NATIVE_ARG_BUFFER, 8}, {NATIVE_ARG_VALUE, 4}};
static const struct native_kernel kernels[] = {
        {.name = "put", .run_group = put_group, .args = args, .nargs = 2}};
static const struct native_module table = {NATIVE_MAGIC, NATIVE_VERSION, 1, kernels};

static const ze_group_count_t one = {1, 1, 1};

static ze_context_handle_t make_context(void) {
    const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_context_handle_t made = NULL;
    assert_ok(zeContextCreate(driver, &desc, &made));
    return made;
}

/* Makes `*to` with `make` in another context, then returns to the first. */
#define IN_CONTEXT(other, to, make)                                                                          \
    do {                                                                                                     \
        ze_context_handle_t own = context;                                                                   \
        context = other;                                                                                     \
        to = make;                                                                                           \
        context = own;                                                                                       \
    } while (0)

static void set_put(ze_kernel_handle_t kernel, uint32_t *dst, uint32_t value) {
    assert_ok(zeKernelSetArgumentValue(kernel, 0, 8, &dst));
    assert_ok(zeKernelSetArgumentValue(kernel, 1, 4, &value));
}

/* Every object in a context of its own. */
static void contexts_mix(void **state) {
    (void)state;
    enum { CONTEXTS = 6 };
    ze_context_handle_t contexts[CONTEXTS];
    for (int i = 0; i < CONTEXTS; i++)
        contexts[i] = make_context();
    ze_module_handle_t module;
    uint32_t *dst;
    ze_event_pool_handle_t pool;
    ze_command_list_handle_t list, immediate;
    ze_command_queue_handle_t queue;
    IN_CONTEXT(contexts[0], module, make_module(&table));
    IN_CONTEXT(contexts[1], dst, allocate_shared(64));
    IN_CONTEXT(contexts[2], pool, make_pool(2, ZE_EVENT_POOL_FLAG_HOST_VISIBLE));
    IN_CONTEXT(contexts[3], list, make_list());
    IN_CONTEXT(contexts[4], queue, make_queue(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS));
    IN_CONTEXT(contexts[5], immediate, make_immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS));
    ze_kernel_handle_t kernel = make_kernel(module, "put");
    ze_event_handle_t gate = make_event(pool, 0), done = make_event(pool, 1);
    dst[0] = 0;
    set_put(kernel, dst, 5);
    assert_ok(zeCommandListAppendLaunchKernel(list, kernel, &one, done, 1, &gate));
    assert_ok(zeCommandListClose(list));
    assert_ok(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
    assert_ok(zeEventHostSignal(gate));
    assert_ok(zeEventHostSynchronize(done, UINT64_MAX));
    assert_ok(zeCommandListAppendEventReset(immediate, done));
    assert_ok(CALL(zeCommandListImmediateAppendCommandListsExp)(immediate, 1, &list, NULL, 1, &gate));
    assert_ok(zeCommandListAppendLaunchKernel(immediate, kernel, &one, NULL, 1, &done));
    assert_ok(CALL(zeCommandListHostSynchronize)(immediate, UINT64_MAX));
    assert_int_equal(dst[0], 15);
    ze_memory_allocation_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES};
    assert_ok(zeMemGetAllocProperties(context, dst, &properties, NULL));
    assert_int_equal(properties.type, ZE_MEMORY_TYPE_SHARED);
    assert_ok(zeMemFree(contexts[3], dst));
    assert_ok(zeKernelDestroy(kernel));
    assert_ok(zeModuleDestroy(module));
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeCommandListDestroy(immediate));
    assert_ok(zeCommandQueueDestroy(queue));
    assert_ok(zeEventDestroy(gate));
    assert_ok(zeEventDestroy(done));
    assert_ok(zeEventPoolDestroy(pool));
    for (int i = 0; i < CONTEXTS; i++)
        assert_ok(zeContextDestroy(contexts[i]));
}

/* A mutable list and the kernel and events that it is given, each in a context of its own. */
static void mutable_lists_mix_contexts(void **state) {
    (void)state;
    const struct ze_mutable_command_list_exp_desc changes = {
            .stype = (ze_structure_type_t)NEW_STYPE_MUTABLE_COMMAND_LIST_DESC};
    const ze_command_list_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC, .pNext = &changes};
    const struct ze_mutable_command_id_exp_desc id = {
            .stype = (ze_structure_type_t)NEW_STYPE_MUTABLE_COMMAND_ID_DESC, .flags = NEW_MUTABLE_ALL};
    ze_context_handle_t first = make_context(), second = make_context();
    ze_command_list_handle_t list = NULL;
    ze_module_handle_t modules[2];
    ze_event_pool_handle_t pool;
    assert_ok(zeCommandListCreate(first, device, &desc, &list));
    modules[0] = make_module(&table);
    IN_CONTEXT(second, modules[1], make_module(&table));
    IN_CONTEXT(second, pool, make_pool(2, ZE_EVENT_POOL_FLAG_HOST_VISIBLE));
    ze_kernel_handle_t both[2] = {make_kernel(modules[0], "put"), make_kernel(modules[1], "put")};
    ze_event_handle_t gate = make_event(pool, 0), done = make_event(pool, 1);
    ze_command_queue_handle_t queue = make_queue(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    uint32_t *dst = allocate_shared(64);
    uint64_t number = 0;
    dst[0] = 0;
    set_put(both[0], dst, 1);
    set_put(both[1], dst, 10);
    assert_ok(CALL(zeCommandListGetNextCommandIdWithKernelsExp)(list, &id, 2, both, &number));
    assert_ok(zeCommandListAppendLaunchKernel(list, both[0], &one, NULL, 1, &gate));
    assert_ok(zeCommandListClose(list));
    assert_ok(CALL(zeCommandListUpdateMutableCommandKernelsExp)(list, 1, &number, &both[1]));
    assert_ok(CALL(zeCommandListUpdateMutableCommandSignalEventExp)(list, number, done));
    assert_ok(CALL(zeCommandListUpdateMutableCommandWaitEventsExp)(list, number, 1, &gate));
    assert_ok(zeCommandListClose(list));
    assert_ok(zeEventHostSignal(gate));
    assert_ok(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
    assert_ok(zeEventQueryStatus(done));
    assert_int_equal(dst[0], 10);
    assert_ok(zeCommandQueueDestroy(queue));
    assert_ok(zeCommandListDestroy(list));
    for (int i = 0; i < 2; i++) {
        assert_ok(zeKernelDestroy(both[i]));
        assert_ok(zeModuleDestroy(modules[i]));
    }
    assert_ok(zeEventDestroy(gate));
    assert_ok(zeEventDestroy(done));
    assert_ok(zeEventPoolDestroy(pool));
    assert_ok(zeMemFree(context, dst));
    assert_ok(zeContextDestroy(first));
    assert_ok(zeContextDestroy(second));
}

/* What a context was for goes on after it was destroyed, its memory included. */
static void contexts_are_destroyed_first(void **state) {
    (void)state;
    for (int i = 0; i < 100; i++) {
        ze_context_handle_t brief = make_context();
        ze_module_handle_t module;
        ze_event_pool_handle_t pool;
        ze_command_list_handle_t list;
        uint32_t *dst;
        IN_CONTEXT(brief, module, make_module(&table));
        IN_CONTEXT(brief, pool, make_pool(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE));
        IN_CONTEXT(brief, list, make_immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS));
        IN_CONTEXT(brief, dst, allocate_shared(64));
        assert_ok(zeContextDestroy(brief));
        if (!validated()) assert_int_equal(zeContextGetStatus(brief), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
        ze_event_handle_t event = make_event(pool, 0);
        ze_kernel_handle_t kernel = make_kernel(module, "put");
        ze_context_handle_t found = NULL;
        assert_ok(CALL(zeCommandListGetContextHandle)(list, &found));
        assert_ptr_equal(found, brief);
        dst[0] = 0;
        set_put(kernel, dst, 3);
        assert_ok(zeCommandListAppendLaunchKernel(list, kernel, &one, event, 0, NULL));
        assert_ok(zeEventHostSynchronize(event, UINT64_MAX));
        assert_int_equal(dst[0], 3);
        assert_ok(zeMemFree(context, dst));
        assert_ok(zeModuleDestroy(module));
        assert_ok(zeKernelDestroy(kernel));
        assert_ok(zeEventPoolDestroy(pool));
        assert_ok(zeEventDestroy(event));
        assert_ok(zeCommandListDestroy(list));
    }
}

/* Pools before their events, modules before their kernels, queues before their fences. */
static void parents_are_destroyed_first(void **state) {
    (void)state;
    const ze_fence_desc_t fence_desc = {.stype = ZE_STRUCTURE_TYPE_FENCE_DESC};
    uint32_t *dst = allocate_shared(64);
    dst[0] = 0;
    for (uint32_t i = 1; i <= 100; i++) {
        ze_event_pool_handle_t pool = make_pool(2, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
        ze_event_handle_t gate = make_event(pool, 0), done = make_event(pool, 1);
        ze_module_handle_t module = make_module(&table);
        ze_kernel_handle_t kernel = make_kernel(module, "put");
        ze_command_queue_handle_t queue = make_queue(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
        ze_command_list_handle_t list = make_list();
        ze_fence_handle_t fence = NULL;
        assert_ok(zeFenceCreate(queue, &fence_desc, &fence));
        assert_ok(zeEventPoolDestroy(pool));
        assert_ok(zeModuleDestroy(module));
        set_put(kernel, dst, 1);
        assert_ok(zeCommandListAppendLaunchKernel(list, kernel, &one, done, 1, &gate));
        assert_ok(zeKernelDestroy(kernel));
        assert_ok(zeCommandListClose(list));
        assert_ok(zeCommandQueueExecuteCommandLists(queue, 1, &list, fence));
        assert_int_equal(zeFenceQueryStatus(fence), ZE_RESULT_NOT_READY);
        assert_ok(zeEventHostSignal(gate));
        assert_ok(zeCommandQueueDestroy(queue)); /* waits for its work */
        assert_ok(zeFenceHostSynchronize(fence, UINT64_MAX));
        assert_ok(zeEventQueryStatus(done));
        assert_int_equal(dst[0], i);
        assert_ok(zeFenceDestroy(fence));
        assert_ok(zeEventDestroy(gate));
        assert_ok(zeEventDestroy(done));
        assert_ok(zeCommandListDestroy(list));
    }
    assert_ok(zeMemFree(context, dst));
}

/* A list keeps the events and modules of its commands, also in copies and after changes. */
static void lists_keep_what_they_need(void **state) {
    (void)state;
    ze_command_queue_handle_t queue = make_queue(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    uint32_t *dst = allocate_shared(64);
    dst[0] = 0;
    ze_event_pool_handle_t pool =
            make_pool(3, ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP);
    ze_event_handle_t events[3] = {make_event(pool, 0), make_event(pool, 1), make_event(pool, 2)};
    ze_module_handle_t module = make_module(&table);
    ze_kernel_handle_t kernel = make_kernel(module, "put");
    ze_command_list_handle_t list = make_list(), copy = NULL;
    ze_kernel_timestamp_result_t *stamps = allocate_shared(sizeof *stamps);
    set_put(kernel, dst, 1);
    assert_ok(zeEventHostSignal(events[0]));
    assert_ok(zeCommandListAppendEventReset(list, events[1]));
    assert_ok(zeCommandListAppendLaunchKernel(list, kernel, &one, events[1], 1, &events[0]));
    assert_ok(zeCommandListAppendBarrier(list, events[2], 1, &events[1]));
    assert_ok(zeCommandListAppendQueryKernelTimestamps(list, 1, &events[2], stamps, NULL, NULL, 0, NULL));
    assert_ok(zeCommandListClose(list));
    assert_ok(CALL(zeCommandListCreateCloneExp)(list, &copy));
    assert_ok(zeEventPoolDestroy(pool));
    for (int i = 0; i < 3; i++)
        assert_ok(zeEventDestroy(events[i]));
    assert_ok(zeModuleDestroy(module));
    assert_ok(zeKernelDestroy(kernel));
    for (uint32_t i = 1; i <= 3; i++) {
        assert_ok(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
        assert_int_equal(dst[0], i);
    }
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeCommandQueueExecuteCommandLists(queue, 1, &copy, NULL));
    assert_int_equal(dst[0], 4);
    assert_ok(zeCommandListReset(copy));
    assert_ok(zeCommandListClose(copy));
    assert_ok(zeCommandQueueExecuteCommandLists(queue, 1, &copy, NULL));
    assert_int_equal(dst[0], 4);
    assert_ok(zeCommandListDestroy(copy));
    assert_ok(zeCommandQueueDestroy(queue));
    assert_ok(zeMemFree(context, stamps));
    assert_ok(zeMemFree(context, dst));
}

/* A list that is destroyed while a queue runs it finishes. */
static void running_lists_are_destroyed(void **state) {
    (void)state;
    ze_event_pool_handle_t pool = make_pool(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    ze_event_handle_t gate = make_event(pool, 0);
    ze_command_queue_handle_t queue = make_queue(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_module_handle_t module = make_module(&table);
    uint32_t *dst = allocate_shared(64);
    dst[0] = 0;
    for (uint32_t i = 0; i < 200; i++) {
        ze_kernel_handle_t kernel = make_kernel(module, "put");
        ze_command_list_handle_t list = make_list();
        set_put(kernel, dst, 1);
        assert_ok(zeCommandListAppendLaunchKernel(list, kernel, &one, NULL, 1, &gate));
        assert_ok(zeCommandListAppendLaunchKernel(list, kernel, &one, NULL, 0, NULL));
        assert_ok(zeCommandListClose(list));
        assert_ok(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
        assert_ok(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
        assert_ok(zeCommandListDestroy(list));
        assert_ok(zeKernelDestroy(kernel));
        assert_ok(zeEventHostSignal(gate));
        assert_ok(zeCommandQueueSynchronize(queue, UINT64_MAX));
        assert_int_equal(dst[0], 4 * (i + 1));
        assert_ok(zeEventHostReset(gate));
    }
    assert_ok(zeCommandQueueDestroy(queue));
    assert_ok(zeModuleDestroy(module));
    assert_ok(zeMemFree(context, dst));
    assert_ok(zeEventDestroy(gate));
    assert_ok(zeEventPoolDestroy(pool));
}

/* Events that were destroyed with their pool before a command signals them do not change later pools. */
static void late_signals_change_nothing(void **state) {
    (void)state;
    ze_event_pool_handle_t gates = make_pool(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    ze_event_handle_t gate = make_event(gates, 0);
    ze_command_list_handle_t list = make_immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_event_pool_handle_t pool = make_pool(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    ze_event_handle_t event = make_event(pool, 0);
    assert_ok(zeCommandListAppendBarrier(list, event, 1, &gate));
    assert_ok(zeEventDestroy(event));
    assert_ok(zeEventPoolDestroy(pool));
    pool = make_pool(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    event = make_event(pool, 0);
    assert_ok(zeEventHostSignal(gate));
    assert_ok(CALL(zeCommandListHostSynchronize)(list, UINT64_MAX));
    assert_int_equal(zeEventQueryStatus(event), ZE_RESULT_NOT_READY);
    assert_ok(zeEventDestroy(event));
    assert_ok(zeEventPoolDestroy(pool));
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeEventDestroy(gate));
    assert_ok(zeEventPoolDestroy(gates));
}

/* Mappings keep physical memory. */
static void physical_memory_is_destroyed_first(void **state) {
    (void)state;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    ze_physical_mem_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC, .size = page};
    ze_physical_mem_handle_t physical = NULL;
    ze_context_handle_t other = make_context();
    char *base = validated() ? (char *)((uintptr_t)1 << 44) : NULL;
    assert_ok(zeVirtualMemReserve(other, base, 2 * page, (void **)&base));
    assert_ok(zePhysicalMemCreate(context, device, &desc, &physical));
    for (int i = 0; i < 2; i++)
        assert_ok(zeVirtualMemMap(context, base + (size_t)i * page, page, physical, 0,
                                  ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE));
    assert_ok(zePhysicalMemDestroy(other, physical));
    assert_ok(zeContextDestroy(other));
    base[7] = 'x';
    assert_int_equal(base[page + 7], 'x');
    assert_ok(zeVirtualMemUnmap(context, base, 2 * page));
    assert_ok(zeVirtualMemFree(context, base, 2 * page));
}

/* -- LODE_ZE_LOG -- */

static int lines_with(const char *text, const char *what) {
    int count = 0;
    for (; (text = strstr(text, what)); text++)
        count++;
    return count;
}

static void make_mistakes(void) {
    ze_event_pool_handle_t pool = make_pool(1, 0);
    ze_event_handle_t event = make_event(pool, 0);
    assert_ok(zeEventPoolDestroy(pool));
    assert_ok(zeEventDestroy(event));
    const ze_device_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, .ordinal = 7};
    void *memory = NULL;
    assert_ok(zeMemAllocDevice(context, &desc, 100, validated() ? 64 : 48, device, &memory));
    assert_int_equal((uintptr_t)memory % 64, 0);
    assert_ok(zeMemFree(context, memory));
}

/* Run first: each remark is made once per process. */
static void mistakes_are_logged_once(void **state) {
    (void)state;
    char text[4096] = "";
    FILE *file = tmpfile();
    int saved = dup(STDERR_FILENO);
    assert_true(file && saved >= 0);
    fflush(stderr);
    dup2(fileno(file), STDERR_FILENO);
    setenv("LODE_ZE_LOG", "1", 1);
    make_mistakes();
    make_mistakes();
    setenv("LODE_ZE_LOG", "0", 1);
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
    rewind(file);
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    fclose(file);
    assert_int_equal(lines_with(text, "destroyed before what uses it: event pool"), 1);
    assert_int_equal(lines_with(text, "ordinal"), 1);
    if (!validated()) assert_int_equal(lines_with(text, "power of two"), 1); /* the layer refuses those */
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(mistakes_are_logged_once),
            cmocka_unit_test(contexts_mix),
            cmocka_unit_test(mutable_lists_mix_contexts),
            cmocka_unit_test(contexts_are_destroyed_first),
            cmocka_unit_test(parents_are_destroyed_first),
            cmocka_unit_test(lists_keep_what_they_need),
            cmocka_unit_test(running_lists_are_destroyed),
            cmocka_unit_test(late_signals_change_nothing),
            cmocka_unit_test(physical_memory_is_destroyed_first),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
