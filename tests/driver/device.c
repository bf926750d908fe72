/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The device handle: its properties match this CPU, in the structures that programs expect.
 */
#include "ze_test.h"

#include <sys/wait.h>

static void device_properties_are_filled(void **state) {
    (void)state;
    ze_eu_count_ext_t units = {.stype = ZE_STRUCTURE_TYPE_EU_COUNT_EXT};
    ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES, .pNext = &units};
    assert_ok(zeDeviceGetProperties(device, &properties));
    const char *setting = getenv("LODE_ZE_DEVICE_TYPE");
    assert_int_equal(properties.type,
                     setting && !strcmp(setting, "cpu") ? ZE_DEVICE_TYPE_CPU : ZE_DEVICE_TYPE_GPU);
    assert_int_equal(strncmp(properties.name, "Lode CPU", 8), 0);
    assert_true(properties.numEUsPerSubslice >= 1);
    assert_int_equal(units.numTotalEUs, properties.numEUsPerSubslice);
    assert_ptr_equal(properties.pNext, &units);
    assert_int_equal(properties.timerResolution, 1);
    assert_true(properties.kernelTimestampValidBits < 64);
    assert_true(properties.maxMemAllocSize > 1 << 20);
    ze_device_properties_t cycles = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2};
    assert_ok(zeDeviceGetProperties(device, &cycles));
    assert_int_equal(cycles.timerResolution, 1000000000);
    assert_memory_equal(&cycles.uuid, &properties.uuid, sizeof cycles.uuid);
    assert_int_equal(zeDeviceGetProperties(device, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_int_equal(zeDeviceGetProperties(NULL, &cycles), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
}

static ze_device_uuid_t own_uuid(void) {
    ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    if (zeDeviceGetProperties(device, &properties)) abort();
    return properties.uuid;
}

/* Another process sees the same device: this program runs itself to print its identity. */
static void identity_is_stable(void **state) {
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], 3);
        execl("/proc/self/exe", "device", "--identity", NULL);
        _exit(99);
    }
    close(ends[1]);
    ze_device_uuid_t own = own_uuid(), other = {{0}};
    assert_int_equal(read(ends[0], &other, sizeof other), sizeof other);
    assert_memory_equal(&own, &other, sizeof own);
    int status = -1;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    close(ends[0]);
}

/* Reads a line of a file, without the newline; empty if there is none. */
static void read_line(const char *path, char *line, int size) {
    FILE *file = fopen(path, "r");
    line[0] = 0;
    if (file && !fgets(line, size, file)) line[0] = 0;
    if (file) fclose(file);
    line[strcspn(line, "\n")] = 0;
}

/* The device reports what the operating system says about this CPU. */
static void properties_match_this_cpu(void **state) {
    (void)state;
    ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    assert_ok(zeDeviceGetProperties(device, &properties));
    char line[4096] = "", *model = NULL;
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && !model && fgets(line, sizeof line, file))
        if (!strncmp(line, "model name", 10)) model = strchr(line, ':') + 2;
    if (file) fclose(file);
    if (model) {
        model[strcspn(model, "\n")] = 0;
        assert_string_equal(properties.name + strlen("Lode CPU: "), model);
    }
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    if (!getenv("OMP_NUM_THREADS")) assert_true(properties.numEUsPerSubslice <= cpus);
    assert_true(properties.physicalEUSimdWidth == 4 || properties.physicalEUSimdWidth == 8
                || properties.physicalEUSimdWidth == 16);
    assert_true(properties.flags & ZE_DEVICE_PROPERTY_FLAG_INTEGRATED);
    assert_false(properties.flags & ZE_DEVICE_PROPERTY_FLAG_SUBDEVICE);

    struct ze_device_cache_line_size_ext lines[8];
    ze_device_cache_properties_t caches[8];
    for (int i = 0; i < 8; i++) {
        lines[i] = (struct ze_device_cache_line_size_ext){
                .stype = (ze_structure_type_t)NEW_STYPE_DEVICE_CACHE_LINE_SIZE};
        caches[i] = (ze_device_cache_properties_t){.stype = ZE_STRUCTURE_TYPE_DEVICE_CACHE_PROPERTIES,
                                                   .pNext = &lines[i]};
    }
    uint32_t count = 8, at = 0;
    assert_ok(zeDeviceGetCacheProperties(device, &count, caches));
    for (int index = 0; index < 16; index++) {
        char path[128], text[64];
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/type", index);
        read_line(path, text, sizeof text);
        if (!text[0] || !strcmp(text, "Instruction")) continue;
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", index);
        read_line(path, text, sizeof text);
        assert_true(at < count);
        assert_int_equal(caches[at].cacheSize >> 10, strtoul(text, NULL, 10) << (strchr(text, 'M') ? 10 : 0));
        assert_true(lines[at].cacheLineSize >= 16 && lines[at].cacheLineSize <= 256);
        at++;
    }
    assert_int_equal(at, count);
}

/* Known and unknown structures in the pNext chain of the properties. */
static void chains_are_followed(void **state) {
    (void)state;
    struct ze_device_usablemem_size_ext_properties usable = {
            .stype = (ze_structure_type_t)NEW_STYPE_DEVICE_USABLE_MEMORY_PROPERTIES};
    struct ze_event_query_kernel_timestamps_properties timestamps = {
            .stype = (ze_structure_type_t)NEW_STYPE_EVENT_QUERY_KERNEL_TIMESTAMPS_PROPERTIES,
            .pNext = &usable};
    struct ze_device_readonly_memory_ext_properties readonly = {
            .stype = (ze_structure_type_t)NEW_STYPE_DEVICE_READONLY_MEMORY_PROPERTIES, .pNext = &timestamps};
    struct ze_device_ip_version_ext ip = {
            .stype = (ze_structure_type_t)NEW_STYPE_DEVICE_IP_VERSION, .pNext = &readonly, .ipVersion = 77};
    struct ze_device_event_properties unknown = {
            .stype = (ze_structure_type_t)0x7ffffff0, .pNext = &ip, .flags = 99};
    ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES, .pNext = &unknown};
    assert_ok(zeDeviceGetProperties(device, &properties));
    assert_int_equal(ip.ipVersion, 0);
    assert_int_equal(readonly.readonlyCapability, 2);
    assert_int_equal(timestamps.flags, NEW_EVENT_QUERY_KERNEL_TIMESTAMPS_KERNEL
                                               | NEW_EVENT_QUERY_KERNEL_TIMESTAMPS_SYNCHRONIZED);
    assert_int_equal(unknown.flags, 99);
    assert_ptr_equal(unknown.pNext, &ip);
    ze_device_memory_properties_t memory = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_PROPERTIES};
    uint32_t one = 1;
    assert_ok(zeDeviceGetMemoryProperties(device, &one, &memory));
    assert_true(usable.currUsableMemSize > 0 && usable.currUsableMemSize <= memory.totalSize);
    assert_true(properties.maxMemAllocSize <= memory.totalSize);
    ze_scheduling_hint_exp_properties_t hints = {.stype = ZE_STRUCTURE_TYPE_SCHEDULING_HINT_EXP_PROPERTIES};
    ze_float_atomic_ext_properties_t atomics = {.stype = ZE_STRUCTURE_TYPE_FLOAT_ATOMIC_EXT_PROPERTIES,
                                                .pNext = &hints};
    ze_device_module_properties_t module = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES,
                                            .pNext = &atomics};
    assert_ok(zeDeviceGetModuleProperties(device, &module));
    assert_true(atomics.fp32Flags & ZE_DEVICE_FP_ATOMIC_EXT_FLAG_GLOBAL_LOAD_STORE);
    assert_int_equal(hints.schedulingHintFlags, 7);
    assert_int_equal(!(module.flags & ZE_DEVICE_MODULE_FLAG_FP16), module.fp16flags == 0);
}

static void handles_of_another_kind_are_refused(void **state) {
    (void)state;
    ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    if (validated()) skip();
    assert_int_equal(zeDeviceGetProperties((ze_device_handle_t)context, &properties),
                     ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
}

static void limits_are_sane(void **state) {
    (void)state;
    ze_device_compute_properties_t compute = {.stype = ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES};
    assert_ok(zeDeviceGetComputeProperties(device, &compute));
    assert_true(compute.maxTotalGroupSize >= 256 && compute.maxGroupSizeX >= 256);
    assert_true(compute.maxSharedLocalMemory >= 32768);
    assert_in_range(compute.numSubGroupSizes, 1, ZE_SUBGROUPSIZE_COUNT);
    for (uint32_t i = 0; i < compute.numSubGroupSizes; i++)
        assert_in_range(compute.subGroupSizes[i], 1, compute.maxTotalGroupSize);
    ze_device_module_properties_t module = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES};
    assert_ok(zeDeviceGetModuleProperties(device, &module));
    assert_true(module.flags & ZE_DEVICE_MODULE_FLAG_FP64);
    assert_true(module.maxArgumentsSize >= 1024);
    ze_device_image_properties_t image = {.stype = ZE_STRUCTURE_TYPE_DEVICE_IMAGE_PROPERTIES,
                                          .maxSamplers = 3};
    assert_ok(zeDeviceGetImageProperties(device, &image));
    assert_int_equal(image.maxSamplers + image.maxImageDims1D + image.maxReadImageArgs, 0);
}

static void there_are_queues_for_everything_and_for_copies(void **state) {
    (void)state;
    uint32_t count = 0;
    assert_ok(zeDeviceGetCommandQueueGroupProperties(device, &count, NULL));
    assert_int_equal(count, 2);
    ze_command_queue_group_properties_t groups[3];
    for (int i = 0; i < 3; i++)
        groups[i] = (ze_command_queue_group_properties_t){
                .stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES, .numQueues = 77};
    count = 3;
    assert_ok(zeDeviceGetCommandQueueGroupProperties(device, &count, groups));
    assert_int_equal(count, 2);
    assert_true(groups[0].flags & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE);
    assert_true(groups[0].flags & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY);
    assert_int_equal(groups[1].flags, ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY);
    assert_true(groups[0].numQueues >= 1 && groups[1].numQueues >= 1);
    assert_int_equal(groups[2].numQueues, 77);
}

static void memory_properties_match_the_machine(void **state) {
    (void)state;
    uint32_t count = 0;
    assert_ok(zeDeviceGetMemoryProperties(device, &count, NULL));
    assert_int_equal(count, 1);
    ze_device_memory_properties_t memory = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_PROPERTIES};
    assert_ok(zeDeviceGetMemoryProperties(device, &count, &memory));
    assert_true(memory.totalSize <= (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE));
    ze_device_memory_access_properties_t access = {.stype =
                                                           ZE_STRUCTURE_TYPE_DEVICE_MEMORY_ACCESS_PROPERTIES};
    assert_ok(zeDeviceGetMemoryAccessProperties(device, &access));
    assert_true(access.sharedSystemAllocCapabilities & ZE_MEMORY_ACCESS_CAP_FLAG_RW);
    uint32_t caches = 0;
    assert_ok(zeDeviceGetCacheProperties(device, &caches, NULL));
    ze_device_cache_properties_t cache[8] = {{.stype = ZE_STRUCTURE_TYPE_DEVICE_CACHE_PROPERTIES}};
    assert_true(caches <= 8);
    if (caches) assert_ok(zeDeviceGetCacheProperties(device, &caches, cache));
    for (uint32_t i = 0; i < caches; i++)
        assert_true(cache[i].cacheSize > 0);
    ze_device_external_memory_properties_t external = {
            .stype = ZE_STRUCTURE_TYPE_DEVICE_EXTERNAL_MEMORY_PROPERTIES};
    assert_ok(zeDeviceGetExternalMemoryProperties(device, &external));
}

static void there_is_one_device(void **state) {
    (void)state;
    uint32_t count = 5;
    assert_ok(zeDeviceGetSubDevices(device, &count, NULL));
    assert_int_equal(count, 0);
    ze_bool_t can = 0;
    assert_ok(zeDeviceCanAccessPeer(device, device, &can));
    assert_int_equal(can, 1);
    ze_device_handle_t root = device;
    assert_ok(CALL(zeDeviceGetRootDevice)(device, &root));
    assert_null(root);
    assert_ok(zeDeviceGetStatus(device));
}

static void the_device_is_its_only_peer(void **state) {
    (void)state;
    ze_device_p2p_properties_t peer = {.stype = ZE_STRUCTURE_TYPE_DEVICE_P2P_PROPERTIES};
    assert_ok(zeDeviceGetP2PProperties(device, device, &peer));
    assert_true(peer.flags & ZE_DEVICE_P2P_PROPERTY_FLAG_ACCESS);
    uint32_t number = CALL(zerTranslateDeviceHandleToIdentifier)(device);
    assert_ptr_equal(CALL(zerTranslateIdentifierToDeviceHandle)(number), device);
    assert_null(CALL(zerTranslateIdentifierToDeviceHandle)(number + 1));
    assert_ptr_equal(CALL(zerGetDefaultContext)(), CALL(zeDriverGetDefaultContext)(driver));
    uint64_t most = 0;
    assert_ok(CALL(zeDeviceGetCounterBasedEventMaxValue)(device, &most));
    assert_true(most >= UINT32_MAX);
}

/* After synchronising the device, everything submitted before is complete. */
static void device_synchronise_waits(void **state) {
    (void)state;
    enum { LISTS = 4, SIZE = 1 << 20 };
    ze_command_list_handle_t lists[LISTS];
    char *memories[LISTS];
    for (int i = 0; i < LISTS; i++) {
        lists[i] = make_immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
        memories[i] = allocate_shared(SIZE);
        for (int n = 0; n < 8; n++)
            assert_ok(zeCommandListAppendMemoryFill(lists[i], memories[i], &"abcdefgh"[n], 1, SIZE, NULL, 0,
                                                    NULL));
    }
    assert_ok(CALL(zeDeviceSynchronize)(device));
    for (int i = 0; i < LISTS; i++) {
        assert_ok(CALL(zeCommandListHostSynchronize)(lists[i], 0));
        assert_int_equal(memories[i][SIZE - 1], 'h');
        assert_ok(zeCommandListDestroy(lists[i]));
        assert_ok(zeMemFree(context, memories[i]));
    }
}

static void clocks_advance(void **state) {
    (void)state;
    uint64_t host[2], own[2];
    assert_ok(zeDeviceGetGlobalTimestamps(device, &host[0], &own[0]));
    usleep(2000);
    assert_ok(zeDeviceGetGlobalTimestamps(device, &host[1], &own[1]));
    assert_true(own[1] - own[0] >= 2000000);
    assert_true(host[1] - host[0] >= 2000000);
    assert_true(own[1] < UINT64_C(1) << 62);
}

static void vector_widths_are_reported(void **state) {
    (void)state;
    uint32_t count = 1;
    struct ze_device_vector_width_properties_ext widths = {
            .stype = (ze_structure_type_t)NEW_STYPE_DEVICE_VECTOR_WIDTH_PROPERTIES};
    assert_ok(CALL(zeDeviceGetVectorWidthPropertiesExt)(device, &count, &widths));
    assert_int_equal(count, 1);
    assert_int_equal(widths.native_vector_width_float * 4, widths.vector_width_size);
}

int main(int argc, char **argv) {
    if (argc == 2 && !strcmp(argv[1], "--identity")) {
        if (find_device()) return 1;
        ze_device_uuid_t uuid = own_uuid();
        return write(3, &uuid, sizeof uuid) == sizeof uuid ? 0 : 2;
    }
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(device_properties_are_filled),
            cmocka_unit_test(identity_is_stable),
            cmocka_unit_test(properties_match_this_cpu),
            cmocka_unit_test(chains_are_followed),
            cmocka_unit_test(handles_of_another_kind_are_refused),
            cmocka_unit_test(limits_are_sane),
            cmocka_unit_test(there_are_queues_for_everything_and_for_copies),
            cmocka_unit_test(memory_properties_match_the_machine),
            cmocka_unit_test(there_is_one_device),
            cmocka_unit_test(the_device_is_its_only_peer),
            cmocka_unit_test(device_synchronise_waits),
            cmocka_unit_test(clocks_advance),
            cmocka_unit_test(vector_widths_are_reported),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
