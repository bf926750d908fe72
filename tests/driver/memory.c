/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unified shared memory.
 */
#include "ze_test.h"

#include <pthread.h>

static const ze_device_mem_alloc_desc_t device_desc = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
static const ze_host_mem_alloc_desc_t host_desc = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};

static ze_memory_type_t type_of(const void *pointer, ze_device_handle_t *owner) {
    ze_memory_allocation_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES};
    assert_ok(zeMemGetAllocProperties(context, pointer, &properties, owner));
    return properties.type;
}

static void allocation_types_are_reported(void **state) {
    (void)state;
    void *d, *h, *s;
    assert_ok(zeMemAllocDevice(context, &device_desc, 1000, 0, device, &d));
    assert_ok(zeMemAllocHost(context, &host_desc, 1000, 0, &h));
    assert_ok(zeMemAllocShared(context, &device_desc, &host_desc, 1000, 0, NULL, &s));
    ze_device_handle_t owner = NULL;
    assert_int_equal(type_of(d, &owner), ZE_MEMORY_TYPE_DEVICE);
    assert_ptr_equal(owner, device);
    assert_int_equal(type_of((char *)h + 999, &owner), ZE_MEMORY_TYPE_HOST);
    assert_null(owner);
    assert_int_equal(type_of((char *)s + 500, &owner), ZE_MEMORY_TYPE_SHARED);
    assert_null(owner);
    int here = 0;
    assert_int_equal(type_of(&here, &owner), ZE_MEMORY_TYPE_UNKNOWN);
    void *base = NULL;
    size_t size = 0;
    assert_ok(zeMemGetAddressRange(context, (char *)h + 300, &base, &size));
    assert_ptr_equal(base, h);
    assert_int_equal(size, 1000);
    assert_int_not_equal(zeMemGetAddressRange(context, &here, &base, &size), ZE_RESULT_SUCCESS);
    memset(d, 1, 1000);
    memset(h, 2, 1000);
    memset(s, 3, 1000);
    assert_ok(zeMemFree(context, d));
    assert_ok(zeMemFree(context, h));
    assert_ok(zeMemFree(context, s));
    assert_int_equal(zeMemFree(context, h), ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

static void alignment_is_respected(void **state) {
    (void)state;
    for (size_t alignment = 1; alignment <= (size_t)1 << 26; alignment <<= 1) {
        void *pointer = NULL;
        assert_ok(zeMemAllocDevice(context, &device_desc, 12345, alignment, device, &pointer));
        assert_int_equal((uintptr_t)pointer % alignment, 0);
        ((char *)pointer)[12344] = 1;
        assert_ok(zeMemFree(context, pointer));
    }
    void *pointer = NULL;
    static const size_t odd[] = {3, 48, 4097, 12345, ((size_t)1 << 26) - 1};
    for (int i = 0; i < 5 && !validated(); i++) { /* rounded up to a power of two */
        assert_ok(zeMemAllocDevice(context, &device_desc, 100, odd[i], device, &pointer));
        size_t power = 1;
        while (power < odd[i])
            power *= 2;
        assert_int_equal((uintptr_t)pointer % power, 0);
        assert_ok(zeMemFree(context, pointer));
    }
    pointer = NULL;
    assert_int_equal(zeMemAllocDevice(context, &device_desc, 100, ((size_t)1 << 40) + 1, device, &pointer),
                     ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT);
    assert_int_equal(zeMemAllocDevice(context, &device_desc, 0, 0, device, &pointer),
                     ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    assert_null(pointer);
}

static void too_large_allocations_are_refused(void **state) {
    (void)state;
    ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    assert_ok(zeDeviceGetProperties(device, &properties));
    void *pointer = NULL, *half[4] = {0};
    assert_int_equal(
            zeMemAllocDevice(context, &device_desc, properties.maxMemAllocSize + 1, 0, device, &pointer),
            ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    assert_int_equal(zeMemAllocHost(context, &host_desc, SIZE_MAX, 0, &pointer),
                     ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    ze_result_t result = ZE_RESULT_SUCCESS;
    size_t size = properties.maxMemAllocSize / 5 * 2;
    for (int i = 0; i < 4 && !result; i++)
        result = zeMemAllocDevice(context, &device_desc, size, 0, device, &half[i]);
    assert_int_equal(result, ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
    for (int i = 0; i < 4; i++)
        if (half[i]) assert_ok(zeMemFree(context, half[i]));
    result = ZE_RESULT_SUCCESS;
    memset(half, 0, sizeof half);
    for (int i = 0; i < 4 && !result; i++)
        result = zeMemAllocHost(context, &host_desc, size, 0, &half[i]);
    assert_int_equal(result, ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
    for (int i = 0; i < 4; i++)
        if (half[i]) assert_ok(zeMemFree(context, half[i]));
    assert_ok(zeMemAllocDevice(context, &device_desc, size, 0, device, &pointer));
    assert_ok(zeMemFree(context, pointer));
}

static void bad_arguments_are_refused(void **state) {
    (void)state;
    void *pointer = NULL;
    assert_int_equal(zeMemAllocDevice(context, NULL, 10, 0, device, &pointer),
                     ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_int_equal(zeMemAllocDevice(context, &device_desc, 10, 0, NULL, &pointer),
                     ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    assert_int_equal(zeMemAllocHost(NULL, &host_desc, 10, 0, &pointer), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    assert_int_equal(zeMemAllocHost(context, &host_desc, 10, 0, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    ze_device_mem_alloc_desc_t odd = device_desc;
    odd.flags = 0x100;
    assert_int_equal(zeMemAllocDevice(context, &odd, 10, 0, device, &pointer),
                     ZE_RESULT_ERROR_INVALID_ENUMERATION);
    odd = device_desc;
    odd.ordinal = 1;
    assert_ok(zeMemAllocDevice(context, &odd, 10, 0, device, &pointer)); /* there is only one memory */
    assert_ok(zeMemFree(context, pointer));
    assert_int_equal(zeMemFree(context, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_int_equal(zeMemFree(context, &pointer), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    pointer = allocate_shared(10000);
    assert_int_equal(zeMemFree(context, (char *)pointer + 5000), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_ok(zeMemFree(context, pointer));
}

/* Many allocations, looked up and freed in a different order. */
static void thousands_of_allocations_are_found(void **state) {
    (void)state;
    enum { COUNT = 3000 };
    static char *pointers[COUNT];
    for (int i = 0; i < COUNT; i++)
        pointers[i] = allocate_shared((size_t)(i % 7 + 1) * 1000);
    for (int i = 0; i < COUNT; i++) {
        void *base = NULL;
        size_t size = 0;
        assert_ok(zeMemGetAddressRange(context, pointers[i] + 999, &base, &size));
        assert_ptr_equal(base, pointers[i]);
        assert_int_equal(size, (i % 7 + 1) * 1000);
    }
    for (int i = 0; i < COUNT; i++)
        assert_ok(zeMemFree(context, pointers[(i * 1231) % COUNT]));
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(type_of(pointers[i], NULL), ZE_MEMORY_TYPE_UNKNOWN);
}

static void *allocate_and_free(void *argument) {
    for (int i = 0; i < 500; i++) {
        void *pointer = NULL;
        if (zeMemAllocHost(context, &host_desc, 5000, 0, &pointer)) return argument;
        ze_memory_allocation_properties_t properties = {
                .stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES};
        if (zeMemGetAllocProperties(context, pointer, &properties, NULL)) return argument;
        if (properties.type != ZE_MEMORY_TYPE_HOST || zeMemFree(context, pointer)) return argument;
    }
    return NULL;
}

static void threads_allocate_concurrently(void **state) {
    (void)state;
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, allocate_and_free, threads), 0);
    for (int i = 0; i < 4; i++) {
        void *failed = NULL;
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
}

/* Freeing with a policy waits for commands that have not run yet. */
static void freeing_waits_for_commands(void **state) {
    (void)state;
    ze_event_pool_handle_t pool = make_pool(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    ze_event_handle_t gate = make_event(pool, 0);
    ze_command_list_handle_t list = make_immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    char *used = allocate_shared(1 << 20), *result = allocate_shared(1 << 20);
    memset(used, 42, 1 << 20);
    assert_ok(zeCommandListAppendMemoryCopy(list, result, used, 1 << 20, NULL, 1, &gate));
    const ze_memory_free_ext_desc_t later = {.stype = ZE_STRUCTURE_TYPE_MEMORY_FREE_EXT_DESC,
                                             .freePolicy = ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_DEFER_FREE};
    assert_ok(zeMemFreeExt(context, &later, used));
    assert_ok(zeEventHostSignal(gate));
    assert_ok(CALL(zeCommandListHostSynchronize)(list, UINT64_MAX));
    assert_int_equal(result[(1 << 20) - 1], 42);
    const ze_memory_free_ext_desc_t wait = {.stype = ZE_STRUCTURE_TYPE_MEMORY_FREE_EXT_DESC,
                                            .freePolicy =
                                                    ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_BLOCKING_FREE};
    assert_ok(zeCommandListAppendMemoryFill(list, result, "x", 1, 1 << 20, NULL, 0, NULL));
    assert_ok(zeMemFreeExt(context, &wait, result));
    assert_int_equal(zeMemFreeExt(context, &wait, result), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeEventDestroy(gate));
    assert_ok(zeEventPoolDestroy(pool));
}

static atomic_int gate_is_open;

static void *open_gate(void *gate) {
    usleep(20000);
    atomic_store(&gate_is_open, 1);
    return zeEventHostSignal(gate) ? gate : NULL;
}

/* The blocking policy returns only after the command that uses the memory is complete. */
static void blocking_free_blocks(void **state) {
    (void)state;
    const ze_memory_free_ext_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MEMORY_FREE_EXT_DESC,
                                            .freePolicy =
                                                    ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_BLOCKING_FREE};
    ze_event_pool_handle_t pool = make_pool(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    ze_event_handle_t gate = make_event(pool, 0);
    ze_command_list_handle_t list = make_immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    char *used = allocate_shared(1000), *result = allocate_shared(1000);
    memset(used, 42, 1000);
    assert_ok(zeCommandListAppendMemoryCopy(list, result, used, 1000, NULL, 1, &gate));
    pthread_t thread;
    void *failed = NULL;
    assert_int_equal(pthread_create(&thread, NULL, open_gate, gate), 0);
    assert_ok(zeMemFreeExt(context, &desc, used));
    assert_int_equal(atomic_load(&gate_is_open), 1);
    assert_int_equal(result[999], 42);
    pthread_join(thread, &failed);
    assert_null(failed);
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeEventDestroy(gate));
    assert_ok(zeEventPoolDestroy(pool));
    assert_ok(zeMemFree(context, result));
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(allocation_types_are_reported),
            cmocka_unit_test(alignment_is_respected),
            cmocka_unit_test(too_large_allocations_are_refused),
            cmocka_unit_test(bad_arguments_are_refused),
            cmocka_unit_test(thousands_of_allocations_are_found),
            cmocka_unit_test(threads_allocate_concurrently),
            cmocka_unit_test(freeing_waits_for_commands),
            cmocka_unit_test(blocking_free_blocks),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
