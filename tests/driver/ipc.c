/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two processes share memory and events: this program starts itself again. Handles are passed as they are
 * over a pipe, or with their descriptors over a socket.
 */
#include "ze_test.h"

#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>

enum { SIZE = 100000 };

static int read_all(int file, void *bytes, size_t size) {
    for (size_t done = 0; done < size;) {
        ssize_t n = read(file, (char *)bytes + done, size - done);
        if (n <= 0) return -1;
        done += (size_t)n;
    }
    return 0;
}

/* -- the other process -- */

struct message {
    ze_ipc_mem_handle_t memory;
    ze_ipc_event_pool_handle_t pool;
};

/* Waits for the first event, adds one to every byte, then signals the second. */
static int run_other_process(int file) {
    void *nothing = NULL;
    struct message message;
    if (set_up(&nothing) || read_all(file, &message, sizeof message)) return 1;
    unsigned char *memory = NULL;
    ze_event_pool_handle_t pool = NULL;
    if (zeMemOpenIpcHandle(context, device, message.memory, 0, (void **)&memory)) return 2;
    if (zeEventPoolOpenIpcHandle(context, message.pool, &pool)) return 3;
    ze_event_handle_t go = make_event(pool, 0), done = make_event(pool, 1);
    if (zeEventHostSynchronize(go, 10000000000)) return 4;
    ze_memory_allocation_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES};
    if (zeMemGetAllocProperties(context, memory + 5, &properties, NULL)
        || properties.type != ZE_MEMORY_TYPE_DEVICE)
        return 5;
    for (int i = 0; i < SIZE; i++)
        memory[i]++;
    ze_command_list_handle_t list = make_immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    if (zeCommandListAppendSignalEvent(list, done)) return 6;
    if (CALL(zeCommandListHostSynchronize)(list, UINT64_MAX)) return 7;
    if (zeMemFree(context, memory) != ZE_RESULT_ERROR_INVALID_ARGUMENT)
        return 8; /* opened, not allocated
                   * here */
    if (zeMemCloseIpcHandle(context, memory)) return 9;
    if (zeEventPoolDestroy(pool) == ZE_RESULT_SUCCESS || zeEventPoolCloseIpcHandle(pool)) return 11;
    if (zeCommandListDestroy(list) || zeEventDestroy(go) || zeEventDestroy(done)) return 10;
    return tear_down(&nothing) ? 12 : 0;
}

/* -- this one -- */

static pid_t start_other(int file) {
    pid_t child = fork();
    if (child) return child;
    char number[16];
    snprintf(number, sizeof number, "%d", file);
    execl("/proc/self/exe", "ipc", "--other", number, NULL);
    _exit(99);
}

static void *allocate_device(void) {
    const ze_device_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    void *pointer = NULL;
    assert_ok(zeMemAllocDevice(context, &desc, SIZE, 0, device, &pointer));
    return pointer;
}

static void processes_share_memory_and_events(void **state) {
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    unsigned char *memory = allocate_device();
    for (int i = 0; i < SIZE; i++)
        memory[i] = (unsigned char)(i * 3);
    struct message message;
    assert_ok(zeMemGetIpcHandle(context, memory, &message.memory));
    for (int i = 0; i < SIZE; i++)
        assert_int_equal(memory[i], (unsigned char)(i * 3)); /* sharing keeps the contents */
    ze_event_pool_handle_t pool = make_pool(2, ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_IPC
                                                       | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP);
    uint64_t before = 0, after = 0, own = 0;
    ze_kernel_timestamp_result_t stamps = {0};
    assert_ok(zeDeviceGetGlobalTimestamps(device, &before, &own));
    ze_event_handle_t go = make_event(pool, 0), done = make_event(pool, 1);
    assert_ok(zeEventPoolGetIpcHandle(pool, &message.pool));
    pid_t child = start_other(ends[0]);
    assert_true(child > 0);
    assert_int_equal(write(ends[1], &message, sizeof message), sizeof message);
    usleep(50000); /* so that it sleeps on the event */
    assert_ok(zeEventHostSignal(go));
    assert_ok(zeEventHostSynchronize(done, 10000000000));
    assert_ok(zeDeviceGetGlobalTimestamps(device, &after, &own));
    assert_ok(zeEventQueryKernelTimestamp(done, &stamps)); /* set by the other process */
    assert_true(before < stamps.global.kernelStart && stamps.global.kernelEnd < after);
    for (int i = 0; i < SIZE; i++)
        assert_int_equal(memory[i], (unsigned char)(i * 3 + 1));
    int status = -1;
    waitpid(child, &status, 0);
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_ok(CALL(zeMemPutIpcHandle)(context, message.memory));
    assert_ok(CALL(zeEventPoolPutIpcHandle)(context, message.pool));
    assert_ok(zeEventDestroy(go));
    assert_ok(zeEventDestroy(done));
    assert_ok(zeEventPoolDestroy(pool));
    assert_ok(zeMemFree(context, memory));
    close(ends[0]);
    close(ends[1]);
}

/* A process may open its own handle: two addresses, one memory. */
static void handles_open_in_the_same_process(void **state) {
    (void)state;
    char *memory = allocate_device(), *again = NULL;
    ze_ipc_mem_handle_t handle;
    assert_ok(zeMemGetIpcHandle(context, memory, &handle));
    assert_ok(zeMemOpenIpcHandle(context, device, handle, 0, (void **)&again));
    assert_ptr_not_equal(memory, again);
    strcpy(memory, "one memory");
    assert_string_equal(again, "one memory");
    struct ze_ipc_mem_handle_type_ext_desc type = {
            .stype = (ze_structure_type_t)NEW_STYPE_IPC_MEM_HANDLE_TYPE_DESC, .typeFlags = 1};
    ze_ipc_mem_handle_t same;
    assert_ok(CALL(zeMemGetIpcHandleWithProperties)(context, memory, &type, &same));
    assert_memory_equal(&same, &handle, sizeof same);
    type.typeFlags = 2; /* fabric */
    assert_int_not_equal(CALL(zeMemGetIpcHandleWithProperties)(context, memory, &type, &same),
                         ZE_RESULT_SUCCESS);
    uint64_t descriptor = 0;
    ze_ipc_mem_handle_t rebuilt;
    char *third = NULL;
    assert_ok(CALL(zeMemGetFileDescriptorFromIpcHandleExp)(context, handle, &descriptor));
    assert_ok(CALL(zeMemGetIpcHandleFromFileDescriptorExp)(context, descriptor, &rebuilt));
    assert_ok(zeMemOpenIpcHandle(context, device, rebuilt, 0, (void **)&third));
    assert_string_equal(third, "one memory");
    assert_ok(zeMemCloseIpcHandle(context, third));
    assert_ok(zeMemCloseIpcHandle(context, again));
    assert_int_equal(zeMemCloseIpcHandle(context, again), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_ok(zeMemFree(context, memory));
}

/* Memory that is mapped at reserved addresses, and the physical memory itself, given by its handle. */
static void physical_memory_is_shared(void **state) {
    (void)state;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    ze_physical_mem_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC, .size = 4 * page};
    ze_physical_mem_handle_t physical = NULL;
    char *base = validated() ? (char *)((uintptr_t)1 << 44) : NULL, *opened[3] = {0};
    ze_ipc_mem_handle_t handles[3];
    assert_ok(zeVirtualMemReserve(context, base, 4 * page, (void **)&base));
    assert_ok(zePhysicalMemCreate(context, device, &desc, &physical));
    assert_ok(zeMemGetIpcHandle(context, physical, &handles[0])); /* before anything is mapped */
    assert_ok(CALL(zeMemGetIpcHandleWithProperties)(context, physical, NULL, &handles[1]));
    assert_ok(zeVirtualMemMap(context, base + page, 2 * page, physical, 2 * page,
                              ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE));
    assert_ok(zeMemGetIpcHandle(context, base + page, &handles[2]));
    assert_int_equal(zeMemGetIpcHandle(context, base, &handles[1]), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    strcpy(base + page, "mapped");
    for (int i = 0; i < 3; i++)
        assert_ok(zeMemOpenIpcHandle(context, device, handles[i], 0, (void **)&opened[i]));
    assert_string_equal(opened[0] + 2 * page, "mapped");
    assert_string_equal(opened[1] + 2 * page, "mapped");
    assert_string_equal(opened[2], "mapped");
    strcpy(opened[0], "start");
    ze_external_memory_export_fd_t export = {.stype = ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_FD,
                                             .flags = ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD,
                                             .fd = -1};
    ze_memory_allocation_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES,
                                                    .pNext = &export};
    assert_ok(zeMemGetAllocProperties(context, base + page, &properties, NULL)); /* as a descriptor, too */
    assert_true(export.fd >= 0);
    close(export.fd);
    size_t size = 0;
    assert_ok(zeMemGetAddressRange(context, opened[2], NULL, &size));
    assert_int_equal(size, 2 * page);
    assert_ok(zeVirtualMemUnmap(context, base + page, 2 * page));
    assert_ok(zePhysicalMemDestroy(context, physical));
    assert_string_equal(opened[1], "start"); /* what is open stays */
    for (int i = 0; i < 3; i++)
        assert_ok(zeMemCloseIpcHandle(context, opened[i]));
    assert_int_equal(zeMemGetIpcHandle(context, physical, &handles[0]), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_ok(zeVirtualMemFree(context, base, 4 * page));
}

static void broken_handles_are_refused(void **state) {
    (void)state;
    void *memory = allocate_device(), *opened = NULL;
    ze_ipc_mem_handle_t handle, damaged;
    ze_ipc_event_pool_handle_t pool_handle;
    assert_ok(zeMemGetIpcHandle(context, memory, &handle));
    for (size_t i = 0; i < sizeof handle; i++) {
        damaged = handle;
        damaged.data[i] = (char)~damaged.data[i];
        ze_result_t result = zeMemOpenIpcHandle(context, device, damaged, 0, &opened);
        if (result == ZE_RESULT_SUCCESS) assert_ok(zeMemCloseIpcHandle(context, opened));
    }
    memset(&damaged, 0, sizeof damaged);
    assert_int_equal(zeMemOpenIpcHandle(context, device, damaged, 0, &opened),
                     ZE_RESULT_ERROR_INVALID_ARGUMENT);
    int here = 0;
    assert_int_equal(zeMemGetIpcHandle(context, &here, &handle), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_ok(zeMemFree(context, memory));
    ze_event_pool_handle_t pool = make_pool(1, 0), other = NULL;
    assert_int_equal(zeEventPoolGetIpcHandle(pool, &pool_handle), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    ze_event_pool_handle_t shared = make_pool(3, ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_IPC);
    ze_ipc_event_pool_handle_t damaged_pool;
    assert_ok(zeEventPoolGetIpcHandle(shared, &pool_handle));
    for (size_t i = 0; i < sizeof pool_handle; i++) {
        damaged_pool = pool_handle;
        damaged_pool.data[i] = (char)~damaged_pool.data[i];
        if (zeEventPoolOpenIpcHandle(context, damaged_pool, &other) == ZE_RESULT_SUCCESS) {
            ze_event_handle_t event = make_event(other, 0);
            assert_int_equal(zeEventQueryStatus(event), ZE_RESULT_NOT_READY);
            assert_ok(zeEventDestroy(event));
            assert_ok(zeEventPoolCloseIpcHandle(other));
        }
    }
    /* A memory handle is not a pool handle, and vice versa. */
    memcpy(&damaged, &pool_handle, sizeof damaged);
    assert_int_equal(zeMemOpenIpcHandle(context, device, damaged, 0, &opened),
                     ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_ok(zeEventPoolDestroy(shared));
    assert_int_equal(zeEventPoolOpenIpcHandle(context, pool_handle, &other),
                     ZE_RESULT_ERROR_INVALID_ARGUMENT); /* already closed */
    memset(&pool_handle, 7, sizeof pool_handle);
    assert_int_equal(zeEventPoolOpenIpcHandle(context, pool_handle, &other),
                     ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_ok(zeEventPoolDestroy(pool));
}

/* -- import and export -- */

static void descriptors_carry_memory(void **state) {
    (void)state;
    const ze_external_memory_export_desc_t export_desc = {
            .stype = ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_DESC,
            .flags = ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD};
    ze_device_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC,
                                       .pNext = &export_desc};
    char *memory = NULL, *imported = NULL;
    assert_ok(zeMemAllocDevice(context, &desc, SIZE, 0, device, (void **)&memory));
    strcpy(memory, "exported");
    ze_external_memory_export_fd_t export = {.stype = ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_FD,
                                             .flags = ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD,
                                             .fd = -1};
    ze_memory_allocation_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES,
                                                    .pNext = &export};
    assert_ok(zeMemGetAllocProperties(context, memory, &properties, NULL));
    assert_true(export.fd >= 0);
    const ze_external_memory_import_fd_t import = {.stype = ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMPORT_FD,
                                                   .flags = ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD,
                                                   .fd = export.fd};
    desc.pNext = &import;
    assert_ok(zeMemAllocDevice(context, &desc, SIZE, 0, device, (void **)&imported));
    close(export.fd);
    assert_string_equal(imported, "exported");
    assert_int_not_equal(zeMemAllocDevice(context, &desc, SIZE, 0, device, (void **)&imported),
                         ZE_RESULT_SUCCESS); /* the descriptor is closed */
    assert_ok(zeMemFree(context, memory));
    assert_string_equal(imported, "exported");
    assert_ok(zeMemFree(context, imported));
}

static void program_memory_is_imported(void **state) {
    (void)state;
    char *own = malloc(5000);
    struct ze_external_memmap_sysmem_ext_desc map = {
            (ze_structure_type_t)NEW_STYPE_EXTERNAL_MEMMAP_SYSMEM_DESC, NULL, own, 5000};
    const ze_host_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC, .pNext = &map};
    void *adopted = NULL;
    assert_ok(zeMemAllocHost(context, &desc, 5000, 0, &adopted));
    assert_ptr_equal(adopted, own);
    ze_memory_allocation_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES};
    assert_ok(zeMemGetAllocProperties(context, own + 4999, &properties, NULL));
    assert_int_equal(properties.type, NEW_MEMORY_TYPE_HOST_IMPORTED);
    assert_int_equal(zeMemAllocHost(context, &desc, 5000, 0, &adopted),
                     ZE_RESULT_ERROR_INVALID_ARGUMENT); /* already freed */
    assert_ok(zeMemFree(context, own));
    own[0] = 1; /* still the program's */
    free(own);
}

/* If a program frees imported memory without releasing it, the next allocation at that address is reported
 * correctly. */
static void imported_memory_may_be_freed_early(void **state) {
    (void)state;
    const ze_context_desc_t context_desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    const ze_host_mem_alloc_desc_t plain = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    ze_context_handle_t other = NULL;
    assert_ok(zeContextCreate(driver, &context_desc, &other));
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (int i = 0; i < 20; i++) {
        char *own = mmap(NULL, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        struct ze_external_memmap_sysmem_ext_desc map = {
                (ze_structure_type_t)NEW_STYPE_EXTERNAL_MEMMAP_SYSMEM_DESC, NULL, own, 4 * page};
        const ze_host_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC, .pNext = &map};
        void *lent = NULL, *next[2] = {NULL, NULL};
        assert_ok(zeMemAllocHost(other, &desc, 4 * page, 0, &lent));
        munmap(own, 4 * page);
        for (int n = 0; n < 2; n++) {
            ze_memory_allocation_properties_t properties = {
                    .stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES};
            assert_ok(zeMemAllocHost(context, &plain, 2 * page, 0, &next[n]));
            assert_ok(zeMemGetAllocProperties(context, next[n], &properties, NULL));
            assert_int_equal(properties.type, ZE_MEMORY_TYPE_HOST);
        }
        assert_ok(zeMemFree(context, next[i % 2]));
        assert_ok(zeMemFree(context, next[1 - i % 2]));
    }
    assert_ok(zeContextDestroy(other));
}

static void imported_memory_size_is_checked(void **state) {
    (void)state;
    static char own[10000];
    struct ze_external_memmap_sysmem_ext_desc map = {
            (ze_structure_type_t)NEW_STYPE_EXTERNAL_MEMMAP_SYSMEM_DESC, NULL, own, 5000};
    const ze_host_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC, .pNext = &map};
    void *lent = NULL;
    assert_int_equal(zeMemAllocHost(context, &desc, 5001, 0, &lent), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    map.size = SIZE_MAX;
    assert_int_equal(zeMemAllocHost(context, &desc, 5000, 0, &lent), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    map.size = 0;
    assert_int_not_equal(zeMemAllocHost(context, &desc, 5000, 0, &lent), ZE_RESULT_SUCCESS);
    assert_null(lent);
}

int main(int argc, char **argv) {
    if (argc == 3 && !strcmp(argv[1], "--other")) return run_other_process(atoi(argv[2]));
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(processes_share_memory_and_events),
            cmocka_unit_test(handles_open_in_the_same_process),
            cmocka_unit_test(physical_memory_is_shared),
            cmocka_unit_test(broken_handles_are_refused),
            cmocka_unit_test(descriptors_carry_memory),
            cmocka_unit_test(program_memory_is_imported),
            cmocka_unit_test(imported_memory_may_be_freed_early),
            cmocka_unit_test(imported_memory_size_is_checked),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
